"""Pieces that battles of Kings & Things leave for the next fight (docs/rules/campaigns.md section 5.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.rules.battle import ATTACKER, Built, Columns, States
from simulator.rules.campaign.carry import Carry, Fighting, Left, Planned, Table, Tables
from simulator.rules.kings_and_things import build
from simulator.rules.kings_and_things.conditions import ITEM_BITS
from simulator.rules.kings_and_things.creatures import counted, creature_named, from_text, key_of, parse
from simulator.rules.kings_and_things.forces import forces_of
from simulator.rules.kings_and_things.model import PRINTED, Fort, Item, Policy, Settlement
from simulator.rules.kings_and_things.sides import Role, fighter, order_key
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.policies import refuse

KEPT = sum(ITEM_BITS.values())


class ThingsCarry(Carry):
    """Creatures by name, items in play, and the structures of the hex in which a force stands."""

    fights: Mapping[str, Fighting] = {"land": ((("creatures",),), (("creatures", *PRINTED),))}
    not_fought: Mapping[str, str] = {
        "exploration": "exploration is not fought in a campaign: the counters drawn are no force",
        "free-for-all": "free-for-all is not fought in a campaign: a fight of a campaign has two sides",
    }
    in_one_fight: Mapping[str, str] = dict.fromkeys(
        (f"{what}_damage" for what in PRINTED), "damage below the post-battle roll is restored after a fight"
    )
    not_planned = ("items", "fort", "settlement")
    few = ('["3"]',)
    assumed = ("of equal counters with different names the alphabetically first is lost first (ASSUMED)",)

    def piece_fields(self) -> Mapping[str, Any]:
        """Creatures as texts, items, structures."""
        return {"creatures": list[str], "items": list[Item], "fort": Fort, "settlement": Settlement}

    def prepare(self, tables: Sequence[Table]) -> None:
        """A slot for each creature, the weakest first; marks are items in play and the levels of structures."""
        texts = {counted(text, "creatures")[1] for table in tables for text in table.get("creatures", ())}
        known = {text: found for text in texts if (found := creature_named(text, "creatures"))}
        ranked = sorted(
            {one.label: one for one in known.values()}.values(), key=lambda one: fighter(one, Policy()).rank
        )
        self.creatures = {one.label: one for one in ranked}
        self.slots = [*self.creatures, *ITEM_BITS, *PRINTED]
        self.marks = np.arange(len(self.slots)) >= len(self.creatures)
        self.by_piece = {text: [self.slots.index(one.label)] for text, one in sorted(known.items())}
        everybody = self.count(dict.fromkeys(self.creatures, 1))
        value = self.count({label: one.value for label, one in self.creatures.items()})
        self.counts = {"creatures": everybody, "value": value, "units": everybody}
        self.counts |= {f"{what}_level": self.count({what: 1}, state=True) for what in PRINTED}

    def parted(self, kind: str, role: str, table: Table) -> tuple[dict[str, Any], dict[str, Any]]:
        """Items that serve in one fight are no pieces."""
        pieces, own = super().parted(kind, role, table)
        given = pieces.pop("items", ())
        for part, lasts in ((pieces, True), (own, False)):
            if items := [item for item in given if (item in ITEM_BITS) == lasts]:
                part["items"] = items
        return pieces, own

    def check_pieces(self, path: str, table: Table) -> None:
        """Known creatures, and items that last."""
        for place, text in enumerate(table.get("creatures") or ()):
            from_text(counted(text, f"{path}.creatures[{place}]")[1], f"{path}.creatures[{place}]")
        for item in table.get("items") or ():
            refuse(item not in ITEM_BITS, f"{path}.items", f"{item!r} serves in one fight; give it in that fight")
            refuse(table["items"].count(item) > 1, f"{path}.items", f"{item} exists once in the game")

    def read(self, table: Table) -> np.ndarray:
        """Creatures by name, items as 1, structures by level."""
        known = Counter(one.label for one in parse(table.get("creatures", ()), "creatures"))
        known.update(item for item in table.get("items", ()) if item in ITEM_BITS)
        levels = {what: names.index(table.get(what, "none")) for what, names in PRINTED.items()}
        return np.array([(dict(known) | levels).get(slot, 0) for slot in self.slots], np.int64)

    def planned(self, table: Table) -> list[Planned]:
        """Creatures by name."""
        found = Counter[str]()
        for text in table.get("creatures", ()):
            number, name = counted(text, "creatures")
            found[name] += number
        return [Planned(name, name, number, {"creatures": [name]}) for name, number in found.items()]

    def priced(self) -> dict[str, list[int]]:
        """One price holds for all creatures."""
        return {"creatures": list(range(len(self.creatures)))}

    def units_of(self, table: Table) -> float:
        """The creatures of an unnamed side."""
        return len(parse(table.get("creatures", ()), "creatures"))

    def uses(self, kind: str, role: str) -> np.ndarray:
        """All of them."""
        return np.ones(len(self.slots), bool)

    def able(self, kind: str, role: str) -> list[np.ndarray]:
        """Creatures; in defence a fort or a settlement alone is enough."""
        walls = [role == "defender" and slot in PRINTED for slot in self.slots]
        return [~self.marks | np.array(walls, bool)]

    def side(self, kind: str, role: str, tables: Tables, pieces: np.ndarray) -> dict[str, Any]:
        """Creatures and items in play; a defender has the structures of his hex. A custom order names those there."""
        there = {slot: int(number) for slot, number in zip(self.slots, pieces, strict=True) if number}
        found = self.traits_for(kind, role, tables[0]) | dict(tables[1])
        found["creatures"] = [label for label in self.creatures for _ in range(there.get(label, 0))]
        found["items"] = [*(item for item in ITEM_BITS if item in there), *tables[1].get("items", ())]
        if role == "defender":
            found |= {what: names[there[what]] for what, names in PRINTED.items() if what in there}
        order = found.get("loss_order")
        if isinstance(order, list) and all(isinstance(text, str) for text in order) and order:
            keys = {key_of(label, role) for label in found["creatures"]} | {what for what in PRINTED if what in found}
            keys |= set(tables[1].get("items", ()))
            left = [text for text in order if order_key(text, f"{role}.loss_order") in keys]
            found["loss_order"] = left or found["creatures"][:1]
        return found

    def build(self, kind: str, fields: Any) -> Built:
        """A battle with further columns: each side's creatures by name and its items in play."""
        items = any(set(getattr(fields, side).items) & set(ITEM_BITS) for side in SIDES)
        forces = forces_of(fields, KEPT if items else 0)
        built = build(fields, forces)
        outcome = built.outcome

        def columns(states: States) -> Columns:
            found = outcome(states)
            bits = forces.each(lambda one: np.asarray(one.column("items"), np.int64))
            for place, name in enumerate(SIDES):
                condition = np.asarray(getattr(states, f"side{place}"))
                own = condition - forces.base[place]
                survived = forces.catalogues[place].survived[own]
                for slot, left in zip(forces.catalogues[place].army.slots, survived.T, strict=True):
                    if slot.role & Role.PEOPLE:
                        for lost, label in enumerate(slot.labels):
                            column = f"{name} left {label}"
                            found[column] = found.get(column, 0) + (left >= slot.number - lost)
                found |= {f"{name} holds {item}": (bits[condition] & bit > 0) for item, bit in ITEM_BITS.items()}
            return found

        return replace(built, outcome=columns)

    def left(self, kind: str, role: str, tables: Tables, pieces: np.ndarray, columns: Columns) -> Left:
        """Creatures by name, one taken by the Warlord as captured; the winner in the hex has its structures."""
        left = np.repeat(pieces[None], len(columns["winner"]), axis=0)
        gained = np.zeros_like(left)
        for slot, label in enumerate(self.creatures):
            there = np.asarray(columns.get(f"{role} left {label}", 0))
            left[:, slot] = np.minimum(there, pieces[slot])
            gained[:, slot] = np.maximum(there - pieces[slot], 0)
        for item in ITEM_BITS:
            left[:, self.slots.index(item)] = pieces[self.slots.index(item)] * columns[f"{role} holds {item}"]
        taken = columns["winner"] == ATTACKER
        for what in PRINTED:
            slot, after = self.slots.index(what), columns[f"{what}_level_after"]
            left[:, slot] = np.where(taken, after, pieces[slot]) if role == "attacker" else np.where(taken, 0, after)
        return Left(left, gained)

    def words(self, pieces: np.ndarray) -> str:
        """Creatures and items as a scenario lists them, and structures by name."""
        there = {slot: int(number) for slot, number in zip(self.slots, pieces, strict=True) if number}
        creatures = [
            label if there[label] == 1 else f"{there[label]} x {label}" for label in self.creatures if label in there
        ]
        names = [*creatures, *(item for item in ITEM_BITS if item in there)]
        return (
            ", ".join([*names, *(levels[there[what]] for what, levels in PRINTED.items() if what in there)]) or "nobody"
        )

    def walk_over(self, kind: str, here: list[np.ndarray | None], winner: np.ndarray) -> None:
        """An attacker who walks in stands in the hex of the defender."""
        attacker, defender = here
        taken = winner == ATTACKER
        for slot in (self.slots.index(what) for what in PRINTED):
            if attacker is not None:
                attacker[taken, slot] = 0 if defender is None else defender[taken, slot]
            if defender is not None:
                defender[taken, slot] = 0


CARRY = ThingsCarry
