"""Final states as the columns of an answer (docs/rules/kings_and_things.md sections 3.4, 6, 7)."""

from __future__ import annotations

import numpy as np

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Columns, Piece, States
from simulator.rules.kings_and_things.catalogue import Catalogue
from simulator.rules.kings_and_things.forces import Forces
from simulator.rules.kings_and_things.model import FORTS, Exploration
from simulator.rules.kings_and_things.rules import ATTACKING, DEFENDING, STALEMATE
from simulator.rules.kings_and_things.sides import SIDES, Role, unexplored


def columns(forces: Forces, states: States) -> Columns:
    """All outputs of a battle: what each side's last condition means."""
    sides = [np.asarray(getattr(states, f"side{i}")) for i in range(len(forces.bands))]
    after, note = np.asarray(states.after), np.asarray(states.note)
    stands = forces.each(lambda one: np.asarray(one.left.any(axis=1)))
    fled = forces.each(lambda one: one.fled)
    left = forces.each(lambda one: one.counted(Role.PEOPLE, survived=True))
    value, before = forces.each(_value), np.array([one.people for one in forces.notes])
    stalemate, standing = after == STALEMATE, np.array([stands[side] for side in sides])
    attacking = [i for i in range(len(sides)) if i != DEFENDING]
    attacked = standing[attacking].any(axis=0) & ~stalemate
    eliminated = ~standing.any(axis=0) & ~np.any([fled[side] for side in sides], axis=0)
    nobody = stalemate | (eliminated if unexplored(forces.scenario) else False)
    found: Columns = {"winner": np.where(nobody, NOBODY, np.where(attacked, ATTACKER, DEFENDER))}
    for i in [*attacking, DEFENDING]:
        found[f"{SIDES[i]}_creatures_left"] = left[sides[i]]
        found[f"{SIDES[i]}_losses"] = before[note, i] - left[sides[i]]
        found[f"{SIDES[i]}_value_left"] = value[sides[i]]
        found[f"{SIDES[i]}_retreated"] = fled[sides[i]]
    found["rounds"] = np.asarray(states.rounds)
    found |= _hex(forces, sides[DEFENDING], note, np.where(stalemate, 0, after))
    found |= {"both_eliminated": eliminated, "stalemate": stalemate}
    if len(attacking) > 1:
        found |= {f"taken_by_{SIDES[i]}": standing[i] & ~stalemate for i in attacking}
    if isinstance(forces.scenario, Exploration):
        drawn, bribe = np.array([(one.drawn, one.bribe) for one in forces.notes])[note].T
        found |= {"explored_without_fight": drawn == 0, "defenders_drawn": drawn, "bribe_cost": bribe}
    return found


def _value(one: Catalogue) -> np.ndarray:
    """Printed values of the people left."""
    printed = [slot.printed if slot.role & Role.PEOPLE else 0 for slot in one.army.slots]
    return np.asarray(one.survived @ np.array(printed, np.int64))


def _hex(forces: Forces, side: np.ndarray, note: np.ndarray, after: np.ndarray) -> Columns:
    """Hits on structures, and what is left after the post-battle roll; what does not roll is restored."""
    defender, printed = forces.bands[DEFENDING], np.array([one.printed for one in forces.notes])[note]
    fort, income = FORTS.index(defender.fort), int(getattr(defender.fields, "income_counter", False))
    return {
        "fort_hits": fort - forces.each(lambda one: one.counted(Role.FORT))[side],
        "settlement_hits": printed - forces.each(lambda one: one.counted(Role.SETTLEMENT))[side],
        "fort_level_after": fort - (after & 1),
        "settlement_level_after": np.where(after & 2, 0, printed),
        "income_counter_after": income * np.where(after & 4, 0, 1),
    }


def pieces(forces: Forces, states: States) -> list[Piece]:
    """Each counter and structure that was there before round 1, but for those that are drawn from a cup.

    A counter survives in the hex or by getting away. Of equal ones the first named is lost first.
    """
    found: list[Piece] = []
    for i, one in enumerate(forces.catalogues):
        if isinstance(forces.scenario, Exploration) and (i != ATTACKING or len(set(one.starts)) > 1):
            continue
        side = np.asarray(getattr(states, f"side{i}")) - forces.base[i]
        for slot, left in zip(one.army.slots, one.survived[side].T, strict=True):
            walls = bool(slot.role & Role.STRUCTURE)
            for lost, label in enumerate(slot.labels):
                survives = (left > 0) if walls else (left >= slot.number - lost)
                found.append(Piece(SIDES[i], label, "structure" if walls else slot.worth, survives.astype(float)))
    return found
