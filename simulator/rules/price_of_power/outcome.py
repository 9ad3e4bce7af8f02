"""Columns of the outcome of a land or naval battle (docs/rules/price_of_power.md sections 3.3 and 4)."""

from __future__ import annotations

import numpy as np

from simulator.rules.battle import ATTACKER, DEFENDER, Columns
from simulator.rules.price_of_power.casualties import GONE, part
from simulator.rules.price_of_power.forces import CATEGORIES, SHIPS, Faction, Side
from simulator.rules.price_of_power.model import TYPES, listed
from simulator.rules.price_of_power.rules import DEAD, DEFENDER_DECIDES, LEAVE, STAGES, State
from simulator.rules.price_of_power.tables import FORCES, Setup
from simulator.rules.toolkit.naming import counted, winners


def outcome(setup: Setup, states: State) -> Columns:
    """Columns of final states (a State of int arrays)."""
    attacker, defender = setup.sides
    forces = [np.asarray(getattr(states, name)) for name in FORCES[: len(setup.factions)]]
    here = [(force & GONE == 0) & (force > 0) for force in forces]
    attacking, defending = here[0], np.any(here[1:], axis=0)
    columns: Columns = {"winner": winners(attacking & ~defending, defending & ~attacking)}
    columns |= side_columns(attacker, forces[:1], np.asarray(states.attacker_leader))
    columns |= side_columns(defender, forces[1:], np.asarray(states.defender_leader))
    if setup.sea:
        for side, code in ((attacker, ATTACKER), (defender, DEFENDER)):
            columns[f"{side.where}_captured"] = np.where(columns["winner"] == code, states.captured, 0)
            columns[f"{side.where}_captured_heavy"] = np.where(columns["winner"] == code, states.captured_heavy, 0)
    if getattr(defender.fields, "factions", None):
        left = dict.fromkeys(range(1, len(listed(defender.fields)) + 1), np.zeros(len(forces[0]), int))
        left |= {f.number: units(alive(f, force)) for f, force in zip(defender.factions, forces[1:], strict=True)}
        columns |= {f"defender_faction_{number}_left": number_left for number, number_left in left.items()}
    if setup.options.count_rounds:
        columns["rounds"] = np.asarray(states.rounds)
    return columns


def in_place(faction: Faction, force: np.ndarray) -> np.ndarray:
    """Units of each category, gone or not: int64, shape (states, 3 categories, columns of `Faction.left`)."""
    return np.stack([rows[part(force, which)] for which, rows in enumerate(faction.left)], axis=1)


def alive(faction: Faction, force: np.ndarray) -> np.ndarray:
    """Units alive, in place or retreated; an NPR that left has none. Shape and dtype as in `in_place`."""
    left, gone = in_place(faction, force), (force & GONE) > 0
    if faction.realm.kind != "player":
        left[gone] = 0
    elif len(faction.paid) > 1:
        left[gone, 1] = faction.paid[part(force[gone], 1)]
    return left


def units(left: np.ndarray) -> np.ndarray:
    """Units or ships in all: int64, shape (states,)."""
    return np.asarray(left[:, :, :3].sum(axis=(1, 2)))


def side_columns(side: Side, forces: list[np.ndarray], leader: np.ndarray) -> Columns:
    """Columns of survivors by type and category, losses, withdrawn, retreated, and the wounds of the leader.

    `forces` of each faction and `leader`: int64, shape (states,). Columns: int64, or bool for yes/no; shape (states,).
    """
    where, held = side.where, list(zip(side.factions, forces, strict=True))
    left = np.sum([alive(*one) for one in held], axis=0)
    npr = [units(in_place(one, force)) * ((force & GONE) > 0) for one, force in held if one.realm.kind != "player"]
    withdrawn, killed = sum(npr, np.zeros(len(leader), int)), leader % STAGES == DEAD
    columns: Columns = {f"{where}_{side.fields.called}_left": units(left)}
    kinds = enumerate(SHIPS if side.sea else TYPES)
    columns |= {f"{where}_{kind}_left": left[:, :, at].sum(axis=1) for at, kind in kinds}
    if not side.sea:
        columns |= {f"{where}_{rank}_left": left[:, at].sum(axis=1) for at, rank in enumerate(CATEGORIES)}
    columns |= {
        f"{where}_losses": side.units - units(left) - withdrawn,
        f"{where}_withdrawn": withdrawn,
        f"{where}_retreated": np.any([force & GONE for force in forces], axis=0),
        f"{where}_leader_wounds": leader % STAGES,
        f"{where}_leader_killed": killed,
    }
    ruler = any(general.ruler for general in side.leaders)
    return columns if side.sea else columns | {f"{where}_ruler_killed": killed & ruler}


def decisions(setup: Setup, states: State, options: np.ndarray) -> Columns:
    """Columns of decision states, shape (states,): the units in place and the option taken as text, the round as int64.

    `options`: int32, shape (states,).
    """
    forces = [np.asarray(getattr(states, name)) for name in FORCES[: len(setup.factions)]]
    columns = {}
    for side, those in zip(setup.sides, (forces[:1], forces[1:]), strict=True):
        there = [np.where(force & GONE, 0, force) for force in those]
        left = sum(in_place(faction, force).sum(axis=1) for faction, force in zip(side.factions, there, strict=True))
        names = SHIPS if side.sea else TYPES
        columns[side.where] = np.array([counted(row, names) for row in np.asarray(left).tolist()], dtype=object)
    defends = states.phase == DEFENDER_DECIDES
    columns = {"decision": np.where(defends, "policy.defender.retreat", "policy.attacker.retreat"), **columns}
    if setup.last > 1:
        columns["round"] = np.asarray(states.round + 1)
    return columns | {"choice": np.where(options == LEAVE, "leave", "stay")}
