"""Pieces that Birthright's battles leave for the next fight (docs/rules/campaigns.md section 5.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from simulator.rules.battle import Built, Columns, States
from simulator.rules.birthright import field_text, model
from simulator.rules.birthright.field_rules import FIGHT, FieldParams, FieldState
from simulator.rules.birthright.field_tables import Setup
from simulator.rules.birthright.quick_tables import matchup
from simulator.rules.birthright.sides import DEPLOY
from simulator.rules.birthright.standing_rules import KeptParams, standing
from simulator.rules.birthright.units import MOST_HITS, Unit, army
from simulator.rules.campaign.carry import Carry, Fighting, Left, Table, Tables
from simulator.rules.toolkit.naming import SIDES

MOST_CARRIED = 1000
ANY: Fighting = ((("units",),), (("units",),))
QUICK = "quick-battle"


class BirthrightCarry(Carry):
    """Units with the hits that they have taken; a slot for each card and number of hits."""

    fights: Mapping[str, Fighting] = {QUICK: ANY, "tactical": ANY, "storm": ANY}
    not_fought: Mapping[str, str] = {
        "siege": "siege is not fought in a campaign: its seasons draw on armies by rating only"
    }
    routs_are_out = ("tactical", "storm")
    assumed = ("units keep their hits between fights, with the first columns of their cards struck off (ASSUMED)",)

    def piece_fields(self) -> Mapping[str, Any]:
        """Units as in an army."""
        return {"units": list[model.FightGroup | model.CheckGroup | str]}

    def prepare(self, tables: Sequence[Table]) -> None:
        """Entries as first written, fresh before hit."""
        self.cards: dict[Unit, dict[str, Any]] = {}
        for given in tables:
            for entry in given.get("units", ()):
                for one in army([entry], "units", MOST_CARRIED, 0):
                    written = {"unit": one.unit.name}
                    if isinstance(entry, model.Group):
                        written = entry.model_dump(by_alias=True, exclude_unset=True, exclude={"count"})
                    self.cards.setdefault(one.unit, written)
        self.held = [(unit, hits) for unit in self.cards for hits in range(unit.steps)]
        self.slots = [f"{place} {hits}" for place, unit in enumerate(self.cards) for hits in range(unit.steps)]
        self.marks = np.zeros(len(self.slots), bool)
        self.by_piece = {}
        for at, (unit, _) in enumerate(self.held):
            self.by_piece.setdefault(unit.name, []).append(at)
        self.counts = {
            name.replace("-", "_"): self.count({self.slots[at]: 1 for at in slots})
            for name, slots in self.by_piece.items()
        }
        hits = {slot: held[1] for slot, held in zip(self.slots, self.held, strict=True)}
        self.counts |= {
            "hits": self.count(hits, state=True),
            "units": self.count(dict.fromkeys(self.slots, 1)),
        }

    def check_pieces(self, path: str, table: Table) -> None:
        """Units that there are."""
        army(table.get("units") or (), f"{path}.units", MOST_CARRIED, 0)

    def read(self, table: Table) -> np.ndarray:
        """Fresh units by card."""
        known = np.zeros(len(self.slots), np.int64)
        for entry in army(table.get("units", ()), "units", MOST_CARRIED, 0):
            known[self.held.index((entry.unit, 0))] += entry.count
        return known

    def units_of(self, table: Table) -> float:
        """The units of an unnamed side."""
        entries = [
            model.FightGroup.model_validate(one) if isinstance(one, Mapping) else one for one in table.get("units", ())
        ]
        return sum(entry.count for entry in army(entries, "units", MOST_CARRIED, 0))

    def uses(self, kind: str, role: str) -> np.ndarray:
        """All of them."""
        return ~self.marks

    def able(self, kind: str, role: str) -> list[np.ndarray]:
        """Any unit."""
        return [~self.marks]

    def counted(self, kind: str, role: str, pieces: np.ndarray) -> dict[str, Any]:
        """An entry for each slot that has units."""
        return {"units": [self.entry(at) | {"count": int(n)} for at, n in enumerate(pieces) if n]}

    def entry(self, slot: int) -> dict[str, Any]:
        """A unit that has taken hits is one without the first columns of its card."""
        unit, hits = self.held[slot]
        if not hits:
            return dict(self.cards[unit])
        values = {name: list(getattr(unit, name)[hits:]) for name in ("melee", "charge", "missile")}
        strength = max(1, unit.strength * (unit.steps - hits) // unit.steps)
        return self.cards[unit] | values | {"hits": unit.hits - hits, "strength": strength}

    def build(self, kind: str, fields: Any) -> Built:
        """A battle whose columns tell the units standing by entry and by hits taken in it."""
        built = super().build(kind, fields)
        if kind == QUICK:
            return quick(built, fields)
        return Fought(fields).built(built)

    def left(self, kind: str, role: str, tables: Tables, pieces: np.ndarray, columns: Columns) -> Left:
        """The units standing; those of a slot that took hits go to the slots behind it."""
        left = np.zeros((len(columns["winner"]), len(self.slots)), np.int64)
        for place, slot in enumerate(np.flatnonzero(pieces)):
            for hits in range(MOST_HITS + 1):
                if (name := f"{role} entry {place} hits {hits}") in columns:
                    left[:, slot + hits] += columns[name]
        return Left(left)

    def fled(self, kind: str, role: str, columns: Columns) -> np.ndarray | bool:
        """A routed side of a quick battle is driven off; routed units of the others are lost."""
        return columns[f"{role}_routed"] if kind == QUICK else False


@dataclass(frozen=True)
class Fought:
    """A battle unit against unit, with final states that hold the units on the field."""

    fields: model.Fight

    @cached_property
    def setup(self) -> Setup:
        """Both sides."""
        return Setup(self.fields)

    def entries(self, side: int) -> list[int]:
        """For each entry in order of battle, its place in the scenario."""
        name = SIDES[side]
        given = army(getattr(self.fields, name).units, f"{name}.units", MOST_CARRIED)
        key = DEPLOY[getattr(self.fields.policy, name).deploy]
        return sorted(range(len(given)), key=lambda place: key(given[place]))

    def built(self, built: Built) -> Built:
        """The battle of `built`, with these final states and their columns."""
        assert built.chain is not None
        chain, begun = built.chain, built.chain.start
        params = KeptParams(*chain.params)
        if begun.stage != FIGHT:
            firsts, resting = self.setup._numbered[1], self.setup._resting(self.setup._numbered[2])[1]
            own1, own2, enemy1, enemy2 = resting
            first = FieldState(firsts[0], own1, own2, 0, firsts[1], enemy1, enemy2, 0, 0, 0)
            begun = FieldState(*map(int, standing(params, first, begun)))
        chain = replace(chain, params=params, start=begun, tell=None)

        def columns(states: States) -> Columns:
            found = field_text.columns(self.setup, params, states)
            for side, name in enumerate(SIDES):
                there = self.standing(side, params, states)
                for at, (place, entry) in enumerate(
                    zip(self.entries(side), self.setup.sides[side].entries, strict=True)
                ):
                    names = (f"{name} entry {place} hits {hits}" for hits in range(entry.unit.steps))
                    found |= {column: there[:, at, hits] for hits, column in enumerate(names)}
            return found

        return replace(built, chain=chain, outcome=columns)

    def standing(self, side: int, params: FieldParams, states: States) -> np.ndarray:
        """Units on the field: int64, shape (states, entries in order of battle, hits taken)."""
        fronts, _, rested = self.setup._numbered
        own, shape = self.setup.sides[side], (len(self.setup.sides[side].entries), MOST_HITS + 1)
        resting = {front: at for at, front in rested[side].items()}

        def at_front(front: int) -> np.ndarray:
            there = np.zeros(shape, np.int64)
            if front == 0:
                return there
            card = fronts[front].card
            assert card is not None
            if front in resting:
                there[resting[front]] += 1
                return there
            behind = own.units[len(own.units) - fronts[front].units :]
            there[behind[0][0], card.hits] += 1
            for entry, _ in behind[1:]:
                there[entry, 0] += 1
            return there

        def at_rest(number: int) -> np.ndarray:
            there = np.zeros(shape, np.int64)
            while params.rest.units[number]:
                there[resting[int(params.rest.first_up[number])]] += 1
                number = int(params.rest.without_first[number])
            return there

        total = np.zeros((len(states.stage), *shape), np.int64)
        name = SIDES[side]
        for field, read in ((name, at_front), (f"{name}_rest1", at_rest), (f"{name}_rest2", at_rest)):
            numbers, which = np.unique(getattr(states, field), return_inverse=True)
            total += np.stack([read(int(number)) for number in numbers])[which.ravel()]
        return total


def quick(built: Built, fields: model.QuickBattle) -> Built:
    """A quick battle whose columns tell the units left by entry and by steps lost."""
    battle, outcome = matchup(fields), built.outcome

    def columns(states: States) -> Columns:
        assert outcome is not None
        found = outcome(states)
        for name in SIDES:
            own, lost = getattr(battle, name), getattr(states, f"{name}_lost")
            listed = [(place, e.unit) for place, e in enumerate(own.entries) for _ in range(e.count)]
            # The order in which the units take hits, as `Army.units`.
            order = listed if own.losses == "as-listed" else sorted(listed, key=lambda one: one[1].strength)
            for column, (place, unit) in enumerate(order):
                steps = own.left[lost, column]
                for hits in range(unit.steps):
                    key = f"{name} entry {place} hits {hits}"
                    found[key] = found.get(key, 0) + (steps == unit.steps - hits)
        return found

    return replace(built, outcome=columns)


CARRY = BirthrightCarry
