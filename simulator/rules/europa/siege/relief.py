"""A relief army at a fortress: its arrival, and its battle with the besieger as one table of ends.

docs/rules/europa_land_siege.md section 5.7.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.engine.model.chance import NO_TABLE, combine
from simulator.rules.battle import ATTACKER, DEFENDER
from simulator.rules.europa.land.battle import land_stage
from simulator.rules.europa.land.tables import LandSetup, evades_by
from simulator.rules.europa.shared.leaders import FACES, GONE
from simulator.rules.europa.shared.losses import Counters, with_room
from simulator.rules.europa.shared.relief import battle_of
from simulator.rules.europa.shared.stacks import LD, fighting, size_of
from simulator.rules.europa.siege import state as siege
from simulator.rules.toolkit.merging import chances_of
from simulator.rules.toolkit.weights import grid

if TYPE_CHECKING:
    from simulator.rules.europa.siege.tables import SiegeSetup

ANSWERS = {
    "meet": siege.MEET, "lift": siege.LIFT, "evade": siege.EVADE, "storm-first": siege.STORM_FIRST,
    "best": siege.BEST_ANSWER,
}  # fmt: skip


class Battle(NamedTuple):
    """The end of a battle: thirds left of besieger and garrison, and gone of the relief army, whose state it is, and
    whether the besieger's leader is lost; is the siege over; have troops entered a garrison without an ARMY?
    """

    camp: int
    garrison: int
    parted: int
    relieving: int
    relief: int
    over: int
    loose: int


class Reliefs:
    """The tables of a relief army; without one, none."""

    def __init__(self, setup: SiegeSetup) -> None:
        self.setup, self.ends = setup, dict[Battle, int]()
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
        policy = self.setup.campaign.policy.attacker if self.setup.campaign else None
        battles = self.battles
        return {
            "relief_chance": self.chance,
            "relief_round": self.army.round if self.army else 0,
            "relief": ANSWERS[policy.relief] if policy else siege.MEET,
            "evasion": self.evasion,
            "relief_battle": battles,
            "battles": np.array(list(self.ends) or [Battle(*[0] * len(Battle._fields))], np.int64),
        }

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
        sizes = self.setup.camp[-1], self.setup.inside[self.setup.besieged.size]
        bonuses = LandSetup(battle_of(self.setup.campaign, *sizes)).evasion
        return self.setup.tables.add(combine(Counter(FACES), bonuses, evades_by))

    @property
    def battles(self) -> np.ndarray:
        """Table of the battle by besieger and garrison; its results are numbers of `ends`."""
        setup = self.setup
        shape = setup.besieger.size + 1, setup.room + 1
        fought = (setup.camps, setup.garrisons) if self.army else ((), ())
        return grid(shape, self.battle, fought)

    def battle(self, camp: int, garrison: int) -> int:
        """The table of one battle."""
        sortie = self.army is not None and self.army.sortie
        found = defaultdict[Battle, float](float)
        for (left, lost, winner, gone), p in self.fought(camp, garrison if sortie else -1).items():
            found[self.end(left, garrison, lost, winner, gone)] += p
        numbers = [self.ends.setdefault(end, len(self.ends)) for end in found]
        order = np.argsort(numbers)
        chances = np.array(list(found.values()))[order]
        return self.setup.tables.add((np.array(numbers)[order], chances / chances.sum()))

    def fought(self, camp: int, garrison: int) -> dict[tuple[Any, ...], float]:
        """Thirds left of the besieger, losses of the relief side, winner, is the besieger's leader lost: the chances.

        `garrison` is -1 where it makes no sortie.
        """
        if (camp, garrison) not in self._fought:
            assert self.setup.campaign is not None
            inside = self.setup.inside[max(0, garrison)]
            fields = battle_of(self.setup.campaign, self.setup.camp[camp], inside)
            # Troops beyond those that fight only stand by: such sorties are one battle.
            fields = fields.model_copy(update={"attacker": fighting(fields.attacker, fields.options)})
            columns, p = land_stage(fields, SIDES[DEFENDER])
            given = self.setup.besieger.leader.given
            gone = np.any([columns[f"defender_leader_{how}"] for how in GONE], axis=0) & given
            left, lost = columns["defender_left_thirds"], columns["attacker_losses_thirds"]
            self._fought[camp, garrison] = chances_of([left, lost, columns["winner"], gone], p)
        return self._fought[camp, garrison]

    @cached_property
    def _fought(self) -> dict[tuple[int, int], dict[tuple[Any, ...], float]]:
        return {}

    def end(self, camp: int, garrison: int, lost: int, winner: int, gone: bool) -> Battle:
        """Losses fall on the relief army first; who wins decides on the siege (section 5.7, the battle)."""
        assert self.army is not None
        left, inside = max(0, self.size - lost), garrison - max(0, lost - self.size)
        won, loose = winner == ATTACKER, False
        if winner not in (ATTACKER, DEFENDER) and self.army.enter and camp > 0:
            enter = max(0, min(left // LD, (self.setup.room - inside) // LD))
            loose = enter > 0 and not self.setup.inside[inside].has_army
            left, inside = left - LD * enter, inside + LD * enter
        state = siege.LEADER_LOST if gone else siege.COME
        relieving = siege.FOUGHT | siege.RELIEVED * won
        return Battle(
            camp, inside, self.size - left, relieving, state, int(won or camp == 0), int(loose and self.setup.mixed)
        )
