"""Pieces that Birthright's battles leave for the next fight (docs/rules/campaigns.md section 5.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Built, Columns, States
from simulator.rules.birthright import model
from simulator.rules.birthright.field import text as field_text
from simulator.rules.birthright.field.rules import FieldParams
from simulator.rules.birthright.field.tables import Setup
from simulator.rules.birthright.quick.battle import QuickRules, QuickState
from simulator.rules.birthright.sides import Side
from simulator.rules.birthright.units import MOST_HITS, Entry, Unit, army
from simulator.rules.campaign.carry import Carry, Fighting, Left, Planned, Table, Tables

MOST_CARRIED = 1000
ANY: Fighting = ((("units",),), (("units",),))
QUICK = "quick-battle"


class AnyGroup(model.Group, model.FightMagic, model.CheckMagic):
    """Equal units of an army that fights in several kinds of battle."""


class BirthrightCarry(Carry):
    """Units with the hits that they have taken; a slot for each card and number of hits."""

    fights: Mapping[str, Fighting] = {QUICK: ANY, "tactical": ANY, "storm": ANY}
    not_fought: Mapping[str, str] = {
        "siege": "siege is not fought in a campaign: its seasons draw on armies by rating only"
    }
    few = ('["3 x levies"]',)
    routs_are_out = ("tactical", "storm")
    assumed = ("units keep their hits between fights, with the first columns of their cards struck off (ASSUMED)",)

    def name(self) -> str:
        """The game and the cards of its slots: these have no names of their own."""
        return f"{super().name()} {list(self.cards)}"

    def piece_fields(self) -> Mapping[str, Any]:
        """Units as in an army."""
        return {"units": list[AnyGroup | str]}

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
        _entries(table, f"{path}.units")

    def read(self, table: Table) -> np.ndarray:
        """Fresh units by card."""
        known = np.zeros(len(self.slots), np.int64)
        for entry in _entries(table):
            known[self.held.index((entry.unit, 0))] += entry.count
        return known

    def planned(self, table: Table) -> list[Planned]:
        """Units by their cards."""
        found: dict[Unit, int] = {}
        for entry in _entries(table):
            found[entry.unit] = found.get(entry.unit, 0) + entry.count
        return [
            Planned(unit, unit.name, number, {"units": [self.cards[unit] | {"count": 1}]})
            for unit, number in found.items()
        ]

    def priced(self) -> dict[str, list[int]]:
        """The slots of each unit, named as in columns."""
        return {name.replace("-", "_"): slots for name, slots in self.by_piece.items()}

    def units_of(self, table: Table) -> float:
        """The units of an unnamed side."""
        return sum(entry.count for entry in _entries(table))

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
        """The fight, with columns for the units standing by entry and by hits taken in it."""
        return quick(fields) if kind == QUICK else fought(fields)

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


def fought(fields: model.Fight) -> Built:
    """A battle unit against unit whose final states hold the units on the field, with columns as for `quick`."""
    setup = Setup(fields, kept=True)
    chain = setup.chain()

    def columns(states: States) -> Columns:
        found = field_text.columns(setup, chain.params, states)
        for side, name in zip(setup.sides, SIDES, strict=True):
            there = standing(setup, side, chain.params, states)
            for at, entry in enumerate(side.entries):
                for hits in range(entry.unit.steps):
                    found[f"{name} entry {entry.place} hits {hits}"] = there[:, at, hits]
        return found

    return Built(
        chain=chain,
        outcome=columns,
        assumptions=lambda: field_text.assumptions(fields),
        explain=lambda: field_text.explain(setup),
    )


def standing(setup: Setup, side: Side, params: FieldParams, states: States) -> np.ndarray:
    """Units of a side on the field: int64, shape (states, entries in order of battle, hits taken)."""
    total = np.zeros((len(states.stage), len(side.entries), MOST_HITS + 1), np.int64)
    name, at_rest = SIDES[side.number], partial(setup.cards_resting, params.rest)
    for field, cards_of in ((name, setup.cards_at), (f"{name}_rest1", at_rest), (f"{name}_rest2", at_rest)):
        numbers, which = np.unique(getattr(states, field), return_inverse=True)
        there = np.zeros((len(numbers), *total.shape[1:]), np.int64)
        for own, number in zip(there, numbers.tolist(), strict=True):
            for card in cards_of(number):
                own[card.entry, card.hits] += 1
        total += there[which.ravel()]
    return total


def quick(fields: model.QuickBattle) -> Built:
    """A quick battle with columns for the units left by entry and by steps lost."""
    battle = QuickRules(fields)

    def columns(s: QuickState) -> dict[str, Any]:
        found = battle.columns(s)
        for name, own, lost in zip(SIDES, battle.check.armies, s.lost, strict=True):
            for entry, steps in zip(own.line, own.left[lost].tolist(), strict=True):
                for hits in range(entry.unit.steps):
                    key = f"{name} entry {entry.place} hits {hits}"
                    found[key] = found.get(key, 0) + (steps == entry.unit.steps - hits)
        return found

    return battle.built(columns)


CARRY = BirthrightCarry


def _entries(table: Table, field: str = "units") -> list[Entry]:
    """The units of a force, whose entries may be tables that no model has read yet. Raises Refusal."""
    given = [AnyGroup.model_validate(one) if isinstance(one, Mapping) else one for one in table.get("units") or ()]
    return army(given, field, MOST_CARRIED, 0)
