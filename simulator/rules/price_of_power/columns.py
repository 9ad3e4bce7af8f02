"""Final states as the columns a player asks for (rules/price_of_power.md section 3.3 and the end of section 4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Columns
from simulator.rules.price_of_power.casualties import BITS, GONE, MASK
from simulator.rules.price_of_power.chains import Setup, setup_of
from simulator.rules.price_of_power.forces import CATEGORIES, SHIPS, Faction, Side, price_of_retreat
from simulator.rules.price_of_power.state import DEAD

TYPES = ("infantry", "cavalry", "artillery")


def outcome(fields: Any, states: Any) -> Columns:
    """Columns of a land or naval battle."""
    return columns_of(setup_of(fields), states)


def columns_of(setup: Setup, states: Any) -> Columns:
    """Columns of a battle's final states."""
    attacker, defender = setup.sides
    mine = (states.attacker,)
    theirs = (states.defender_1, states.defender_2, states.defender_3)[: len(defender.factions)]
    columns: Columns = {"winner": winner(mine, theirs)}
    for side, forces in ((attacker, mine), (defender, theirs)):
        columns |= left_columns(setup, side, forces)
        columns |= leader_columns(setup, side, states)
    if setup.sea:
        columns |= captured_columns(states, columns["winner"])
    if len(defender.factions) > 1 or getattr(defender.fields, "factions", None):
        for number, (faction, force) in enumerate(zip(defender.factions, theirs, strict=True), 1):
            columns[f"defender_faction_{number}_left"] = survivors(setup, faction, force)[:, :, :3].sum(axis=(1, 2))
    if getattr(setup.options, "count_rounds", False):
        columns["rounds"] = np.asarray(states.round)
    return columns


def winner(mine: Any, theirs: Any) -> np.ndarray:
    """The side that alone has units in the area; none or both: nobody."""
    here = [
        np.any([(force & GONE == 0) & (force & (GONE - 1) > 0) for force in forces], axis=0)
        for forces in (mine, theirs)
    ]
    return np.where(here[0] == here[1], NOBODY, np.where(here[0], ATTACKER, DEFENDER))


def in_place(faction: Faction, force: np.ndarray) -> np.ndarray:
    """What is left of each category, gone or not: (states, 3 categories, columns of `Faction.left`)."""
    parts = [rows[(force >> BITS * which) & MASK] for which, rows in enumerate(faction.left)]
    return np.stack(parts, axis=1)


def survivors(setup: Setup, faction: Faction, force: np.ndarray) -> np.ndarray:
    """What is alive, in place or retreated, as `in_place`; NPR units that left are neither."""
    left = in_place(faction, force)
    gone = (force & GONE) > 0
    if faction.kind != "player":
        left[gone] = 0
    elif setup.sea:
        paid = np.array([price_of_retreat(row) for row in faction.left[1]])
        left[gone, 1] = paid[(force[gone] >> BITS) & MASK]
    return left


def left_columns(setup: Setup, side: Side, forces: Any) -> Columns:
    """Survivors by type and category, losses, withdrawn and retreated."""
    alive = sum(survivors(setup, faction, force) for faction, force in zip(side.factions, forces, strict=True))
    units = alive[:, :, :3].sum(axis=(1, 2))
    withdrawn = np.zeros(len(units), int)
    for faction, force in zip(side.factions, forces, strict=True):
        if faction.kind != "player":
            withdrawn += ((force & GONE) > 0) * in_place(faction, force)[:, :, :3].sum(axis=(1, 2))
    where = side.where
    columns: Columns = {f"{where}_{'ships' if setup.sea else 'units'}_left": units}
    if setup.sea:
        columns |= {f"{where}_{ship}_left": alive[:, :, place].sum(axis=1) for place, ship in enumerate(SHIPS)}
    else:
        columns |= {f"{where}_{kind}_left": alive[:, :, place].sum(axis=1) for place, kind in enumerate(TYPES)}
        columns |= {f"{where}_{rank}_left": alive[:, place].sum(axis=1) for place, rank in enumerate(CATEGORIES)}
    columns[f"{where}_losses"] = side.units - units - withdrawn
    columns[f"{where}_withdrawn"] = withdrawn
    columns[f"{where}_retreated"] = np.any([(force & GONE) > 0 for force in forces], axis=0)
    return columns


def leader_columns(setup: Setup, side: Side, states: Any) -> Columns:
    """Wounds of the leader, and whether he (the ruler) was killed."""
    wounds = np.asarray(getattr(states, f"{side.where}_wounds"))
    columns: Columns = {
        f"{side.where}_leader_wounds": wounds,
        f"{side.where}_leader_killed": wounds == DEAD,
    }
    if not setup.sea:
        ruler = any(leader.ruler for leader in side.leaders)
        columns[f"{side.where}_ruler_killed"] = (wounds == DEAD) & ruler
    return columns


def captured_columns(states: Any, winners: np.ndarray) -> Columns:
    """Ships that each side captured."""
    columns: Columns = {}
    for where, code in (("attacker", ATTACKER), ("defender", DEFENDER)):
        columns[f"{where}_captured"] = np.where(winners == code, states.haul, 0)
        columns[f"{where}_captured_heavy"] = np.where(winners == code, states.heavy_haul, 0)
    return columns
