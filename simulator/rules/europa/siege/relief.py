"""A relief army at a fortress: its arrival, and the ends of its battle with the besieger as one table.

docs/rules/europa_land_siege.md section 5.7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.engine.model.chance import NO_TABLE, Row, combine
from simulator.engine.model.kept import Recent
from simulator.rules.battle import DEFENDER
from simulator.rules.europa.land.battle import land_stage, set_up_stage
from simulator.rules.europa.land.tables import LandSetup, evades_by
from simulator.rules.europa.shared.leaders import FACES, GONE
from simulator.rules.europa.shared.losses import Counters, with_room
from simulator.rules.europa.shared.relief import battle_of
from simulator.rules.europa.shared.stacks import LD, fighting, size_of
from simulator.rules.europa.siege import state as siege

if TYPE_CHECKING:
    from simulator.rules.europa.shared.land_model import Land
    from simulator.rules.europa.siege.tables import SiegeSetup

ANSWERS = {
    "meet": siege.MEET, "lift": siege.LIFT, "evade": siege.EVADE, "storm-first": siege.STORM_FIRST,
    "best": siege.BEST_ANSWER,
}  # fmt: skip


Place = tuple[int, int]
# The battles of the last relief armies, which sieges that differ elsewhere have in common.
KEPT_BYTES = 10_000_000
FOUGHT = Recent[tuple[list[Row], np.ndarray]](KEPT_BYTES, lambda found: sum(row[1].nbytes for row in found[0]))


class Reliefs:
    """The tables of a relief army; without one, none."""

    def __init__(self, setup: SiegeSetup) -> None:
        self.setup = setup
        self.army = setup.campaign.defender.relief if setup.campaign else None
        self.size = size_of(self.army) if self.army else 0

    def room_for(self, inside: list[Counters]) -> tuple[int, list[Counters]]:
        """Thirds inside at most, since its troops may enter, and the counters of the garrison by thirds."""
        size, level = len(inside) - 1, self.setup.level
        most = max(size, LD * max(1, level)) if self.army else size
        return most, with_room(inside, most)

    @property
    def params(self) -> dict[str, Any]:
        """The numbers of SiegeParams that are those of a relief army."""
        answer = self.setup.campaign.policy.attacker.relief if self.setup.campaign else "meet"
        tables, ends = self.battles
        return {
            "relief_chance": self.chance,
            "relief_round": self.army.round if self.army else 0,
            "relief": ANSWERS[answer],
            "evasion": self.evasion if answer in {"evade", "best"} else NO_TABLE,
            "relief_size": self.size,
            "sortie": int(self.sortie),
            "room": self.setup.room if self.army and self.army.enter else 0,
            "armies": np.array([inside.has_army or not self.setup.mixed for inside in self.setup.inside], np.int64),
            "relief_battle": tables,
            "battles": ends,
        }

    @property
    def sortie(self) -> bool:
        """Do the troops inside join the battle?"""
        return self.army is not None and self.army.sortie

    @property
    def chance(self) -> int:
        """Table of its arrival in a round."""
        if self.army is None or self.army.chance is None:
            return NO_TABLE
        p = np.array([1 - self.army.chance, self.army.chance])
        comes = np.flatnonzero(p)
        return self.setup.tables.add((comes, p[comes]))

    @property
    def evasion(self) -> int:
        """Table of the besieger's evasion (section 3.5 step 2)."""
        if self.army is None or self.setup.campaign is None:
            return NO_TABLE
        bonuses = LandSetup(self.fields((-1, self.setup.besieged.size))).evasion
        return self.setup.tables.add(combine(Counter(FACES), bonuses, evades_by))

    @property
    def battles(self) -> tuple[np.ndarray, np.ndarray]:
        """Tables of the battle by besieger and by the garrison that makes a sortie (0 for none), and all ends.

        Results are rows of the ends (see `decoded`).
        """
        setup = self.setup
        tables, places = np.zeros((setup.besieger.size + 1, setup.room + 1), np.int64), self.places
        if not places:
            return tables, decoded(np.zeros(1, np.int64))
        counters = [(setup.camp[camp], setup.inside[garrison]) for camp, garrison in places]
        key = self.fields(places[-1]).model_dump_json(warnings=False), tuple(counters)
        rows, ends = FOUGHT.get(key) or FOUGHT.keep(key, numbered([self.fought(place) for place in places]))
        for place, row in zip(places, rows, strict=True):
            tables[place] = setup.tables.add(row)
        return tables, ends

    @property
    def places(self) -> list[Place]:
        """The besiegers and garrisons that may fight."""
        setup = self.setup
        return list(product(setup.camps, setup.garrisons if self.sortie else (0,))) if self.army else []

    def fields(self, place: Place) -> Land:
        """The battle of this besieger, and of this garrison in a sortie."""
        assert self.setup.campaign is not None
        return battle_of(self.setup.campaign, self.setup.camp[place[0]], self.setup.inside[place[1]])

    def fought(self, place: Place) -> Row:
        """The ends of one battle as numbers (see `coded`), int64 in ascending order, and their chances."""
        fields = self.fields(place)
        # Troops beyond those that fight only stand by: such sorties are one battle.
        fields = fields.model_copy(update={"attacker": fighting(fields.attacker, fields.options)})
        columns, p = land_stage(set_up_stage(fields, SIDES[DEFENDER]), many=True)
        given = self.setup.besieger.leader.given
        gone = np.any([columns[f"defender_leader_{how}"] for how in GONE], axis=0) & given
        ends = coded(columns["defender_left_thirds"], columns["attacker_losses_thirds"], columns["winner"], gone)
        ends, which = np.unique(ends, return_inverse=True)
        return ends, np.bincount(which, p)


def numbered(fought: Sequence[Row]) -> tuple[list[Row], np.ndarray]:
    """Battles with the rows of their ends as results, and all ends (see `decoded`)."""
    ends = np.unique(np.concatenate([np.zeros(1, np.int64), *(codes for codes, _ in fought)]))
    return [(np.searchsorted(ends, codes), p / p.sum()) for codes, p in fought], decoded(ends)


def coded(left: np.ndarray, lost: np.ndarray, winner: np.ndarray, gone: np.ndarray) -> np.ndarray:
    """Ends of battles as numbers: thirds left of the besieger, lost by the relief side, winner, is the leader lost?"""
    return np.asarray(((left << 10 | lost) << 2 | winner) << 1 | gone)


def decoded(ends: np.ndarray) -> np.ndarray:
    """The parts of such numbers, in this order: int64, shape (ends, 4)."""
    return np.stack([ends >> 13, ends >> 3 & 1023, ends >> 1 & 3, ends & 1], axis=1)
