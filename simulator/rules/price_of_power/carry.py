"""Pieces that battles of The Price of Power leave for the next fight (docs/rules/campaigns.md section 5.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import ValidationError

from simulator.rules.battle import Built, Columns, States
from simulator.rules.campaign.carry import Carry, Fighting, Left, Number, Table, Tables
from simulator.rules.price_of_power.forces import CATEGORIES, PREFIXES
from simulator.rules.price_of_power.model import TYPES, LandRealm, SeaRealm
from simulator.rules.price_of_power.outcome import Fight, alive, over, withdrawn
from simulator.rules.price_of_power.procedures.npr_defence import Capacity, check_capacity
from simulator.rules.price_of_power.setup import Setup
from simulator.rules.price_of_power.state import force_of
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.policies import refuse

LAND, SEA = LandRealm.units, SeaRealm.units
# A heavy ship is damaged or sound.
PIECES = (*LAND, "galleys", "light", "damaged", "sound")
# The leader of a force in each kind, and the marks of the ill-health tokens that he has taken in this campaign.
LEADERS = {"land": "leader", "naval": "admiral"}
SLOTS = (*PIECES, *(f"{leader} tokens" for leader in LEADERS.values()))
DEADLY = 2


class PowerCarry(Carry):
    """Units by category and type, ships by type, damaged heavy ships damaged."""

    fights: Mapping[str, Fighting] = {
        "land": ((LAND,), (LAND,)), "naval": ((SEA,), (SEA,)), "siege": ((LAND,), None),
    }  # fmt: skip
    sieges = ("siege",)
    always_kept: Mapping[str, Sequence[str]] = {"siege": ("value_taken", "provinces_taken", "all_taken")}
    in_one_fight: Mapping[str, str] = {
        "battle_actions": "a card is played in one fight", "leaders": "a leader is appointed for one fight",
    }  # fmt: skip
    not_fought: Mapping[str, str] = {"campaign": "campaign is not fought in a campaign: give its battles as fights"}
    traits = ("admiral",)
    renamed: Mapping[str, Mapping[str, str]] = {"naval": {"leader": "admiral"}}
    ships = SEA
    not_planned = ("damaged",)
    first_stays = True
    order = tuple(
        f"{rank}{unit}" for unit in TYPES for rank in ("", "mercenary_", "allied_") if f"{rank}{unit}" in LAND
    )
    assumed = (
        "a leader of a force keeps the ill-health tokens that he takes; with two he is dead",
        "captured ships that are not heavy join the captor as light ships (ASSUMED)",
    )

    def piece_fields(self) -> Mapping[str, Any]:
        """Units, ships, and the heavy ships that are damaged."""
        return dict.fromkeys((*LAND, *SEA, "damaged"), Number)

    def prepare(self, tables: Sequence[Table]) -> None:
        """Of the heavy ships that stay, the damaged ones are taken first."""
        self.slots = list(SLOTS)
        self.by_piece = {name: [at] for at, name in enumerate(PIECES[:-1])}
        self.by_piece["heavy"] = [SLOTS.index("damaged"), SLOTS.index("sound")]
        self.marks = np.array([name not in PIECES for name in SLOTS])
        self.counts = {name: self.count({SLOTS[slot]: 1 for slot in slots}) for name, slots in self.by_piece.items()}
        self.counts["damaged"] = self.count({"damaged": 1}, state=True)
        self.counts["units"] = self.count(dict.fromkeys(PIECES, 1))

    def parted(self, kind: str, role: str, table: Table) -> tuple[dict[str, Any], dict[str, Any]]:
        """The units that an NPR's provinces give are its pieces; it is an NPR in its next fights, too."""
        pieces, own = super().parted(kind, role, table)
        if not table.get("npr"):
            return pieces, own
        with suppress(ValidationError):  # of provinces that are wrong, which the check of the fight refuses
            npr = Capacity.model_validate(table["npr"])
            check_capacity(f"{role}.npr", npr, f"{role}.npr", npr)
            if not pieces:
                realm, number = (SeaRealm, npr.ships) if kind == "naval" else (LandRealm, npr.land_units)
                pieces = {realm.others_have: number}
                own = {name: value for name, value in own.items() if name != "npr"}
        return pieces, own | {"kind": "npr"}

    def check_pieces(self, path: str, table: Table) -> None:
        """A force is one realm, and its units are given."""
        refuse(table.get("factions"), f"{path}.factions", "a force is one realm; give a force to each")
        refuse(table.get("npr"), f"{path}.npr", "a force has units; give those that npr-defence computes")

    def read(self, table: Table) -> np.ndarray:
        """The pieces of a table; sound ships are the heavy ones less the damaged."""
        known = dict(table) | {"sound": table.get("heavy", 0) - table.get("damaged", 0)}
        return np.array([known.get(name, 0) for name in SLOTS], np.int64)

    def uses(self, kind: str, role: str) -> np.ndarray:
        """A siege counts the units of all categories."""
        land = np.array([name in LAND for name in SLOTS])
        return land | self.marks if kind == "siege" else super().uses(kind, role)

    def counted(self, kind: str, role: str, pieces: np.ndarray) -> dict[str, Any]:
        """Heavy ships with the damaged ones among them; the units of a siege by type."""
        there = dict(zip(SLOTS, map(int, pieces), strict=True))
        if kind == "siege":
            return {unit: sum(there.get(f"{prefix}{unit}", 0) for prefix in PREFIXES) for unit in TYPES}
        found = super().counted(kind, role, pieces)
        return found | ({"damaged": there["damaged"]} if there["damaged"] and kind == "naval" else {})

    def general(self, kind: str, tables: Tables) -> Mapping[str, Any] | None:
        """The leader of the force who leads this fight; None for one who is given in the fight, drawn, or missing."""
        general = tables[0].get(LEADERS.get(kind, ""))
        own = isinstance(general, Mapping) and tables[1].keys().isdisjoint(LEADERS.values())
        return general if own else None

    def side(self, kind: str, role: str, tables: Tables, pieces: np.ndarray) -> dict[str, Any]:
        """A leader comes with the tokens that he has taken before."""
        found = super().side(kind, role, tables, pieces)
        if (general := self.general(kind, tables)) is not None:
            wounds = general.get("wounds", 0) + int(pieces[SLOTS.index(f"{LEADERS[kind]} tokens")])
            found["leader"] = dict(general) | {"wounds": wounds} if wounds < DEADLY else "none"
        return found

    def build(self, kind: str, fields: Any) -> Built:
        """A battle with further columns: what each side has left and withdrew, by slot."""
        if kind == "siege":
            return super().build(kind, fields)
        fight = Fight(Setup(fields))

        def columns(states: States) -> Columns:
            found, ends = fight.outcome(states), fight.battles(states)
            for place, side in enumerate(SIDES):
                faction, realms = fight.setup.sides[place].factions[0], [force_of(s, place).realms[0] for s in ends]
                found |= by_slot(f"{side} left", over(alive, faction, realms), kind)
                found |= by_slot(f"{side} away", over(withdrawn, faction, realms), kind)
            return found

        return replace(fight.built(), outcome=columns)

    def left(self, kind: str, role: str, tables: Tables, pieces: np.ndarray, columns: Columns) -> Left:
        """Units and ships from the columns of the battle; captured ships join the captor."""
        left = np.repeat(pieces[None], len(columns["winner"]), axis=0)
        gained, away = np.zeros_like(left), np.zeros_like(left)
        for slot, name in enumerate(SLOTS):
            if f"{role} left {name}" in columns:
                left[:, slot], away[:, slot] = columns[f"{role} left {name}"], columns[f"{role} away {name}"]
        if (general := self.general(kind, tables)) is not None:
            slot = SLOTS.index(f"{LEADERS[kind]} tokens")
            # The battle counts no wounds of a general who has died.
            left[:, slot] = np.maximum(left[:, slot], columns[f"{role}_leader_wounds"] - general.get("wounds", 0))
        if f"{role}_captured" in columns:
            heavy = columns[f"{role}_captured_heavy"]
            gained[:, SLOTS.index("damaged")] = heavy
            gained[:, SLOTS.index("light")] = columns[f"{role}_captured"] - heavy
        return Left(left, gained, away)


def by_slot(prefix: str, units: np.ndarray, kind: str) -> Columns:
    """Units of a faction by slot; `units` as `outcome.alive` returns them."""
    if kind == "naval":
        galleys, light, heavy, damaged = units.sum(axis=1).T
        known = {"galleys": galleys, "light": light, "damaged": damaged, "sound": heavy - damaged}
    else:
        ranks = zip(PREFIXES, range(len(CATEGORIES)), strict=True)
        known = {f"{prefix}{unit}": units[:, at, which] for prefix, at in ranks for which, unit in enumerate(TYPES)}
    return {f"{prefix} {name}": values for name, values in known.items() if name in SLOTS}


CARRY = PowerCarry
