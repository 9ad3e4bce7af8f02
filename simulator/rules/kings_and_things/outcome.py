"""Columns of the outcome (docs/rules/kings_and_things.md sections 3.4, 6, 7)."""

from __future__ import annotations

from itertools import product

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.kept import Kept
from simulator.engine.model.ragged import members
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Columns, Piece, States
from simulator.rules.kings_and_things import rules
from simulator.rules.kings_and_things.forces import Catalogue, Forces
from simulator.rules.kings_and_things.model import FORTS, Exploration
from simulator.rules.kings_and_things.rules import ATTACKING, DEFENDING, STALEMATE, STEPS
from simulator.rules.kings_and_things.sides import ROLES, Role, unexplored


def columns(forces: Forces, states: States) -> Columns:
    """Columns of final states (a State of int arrays)."""
    sides = [np.asarray(getattr(states, f"side{i}")) for i in range(len(forces.bands))]
    after, note = np.asarray(states.after), np.asarray(states.note)
    present = forces.each(lambda one: np.asarray(one.left.any(axis=1)))
    fled = forces.each(lambda one: one.fled)
    left = forces.each(lambda one: one.counted(Role.PEOPLE, survived=True))
    value, before = forces.each(_value), np.array([one.people for one in forces.notes])
    stalemate, standing = after == STALEMATE, np.array([present[side] for side in sides])
    attacking = [i for i in range(len(sides)) if i != DEFENDING]
    attacked = standing[attacking].any(axis=0) & ~stalemate
    eliminated = ~standing.any(axis=0) & ~np.any([fled[side] for side in sides], axis=0)
    nobody = stalemate | (eliminated if unexplored(forces.scenario) else False)
    table: Columns = {"winner": np.where(nobody, NOBODY, np.where(attacked, ATTACKER, DEFENDER))}
    for i in [*attacking, DEFENDING]:
        table[f"{ROLES[i]}_creatures_left"] = left[sides[i]]
        table[f"{ROLES[i]}_losses"] = before[note, i] - left[sides[i]]
        table[f"{ROLES[i]}_value_left"] = value[sides[i]]
        table[f"{ROLES[i]}_retreated"] = fled[sides[i]]
    table["rounds"] = np.asarray(states.rounds)
    table |= _hex(forces, sides[DEFENDING], note, np.where(stalemate, 0, after))
    table |= {"both_eliminated": eliminated, "stalemate": stalemate}
    if len(attacking) > 1:
        table |= {f"taken_by_{ROLES[i]}": standing[i] & ~stalemate for i in attacking}
    if isinstance(forces.scenario, Exploration):
        drawn, bribe = np.array([(one.drawn, one.bribe) for one in forces.notes])[note].T
        table |= {"explored_without_fight": drawn == 0, "defenders_drawn": drawn, "bribe_cost": bribe}
    return table


def _value(one: Catalogue) -> np.ndarray:
    """Sum of the printed values of the people left, by condition: int64, shape (conditions,)."""
    printed = [slot.printed if slot.role & Role.PEOPLE else 0 for slot in one.army.slots]
    return np.asarray(one.survived @ np.array(printed, np.int64))


def _hex(forces: Forces, side: np.ndarray, note: np.ndarray, after: np.ndarray) -> Columns:
    """Hits on structures, and levels after the post-battle roll; structures that do not roll are restored."""
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
    """Each counter and structure before round 1, without those drawn from a cup.

    A counter survives in the hex or by retreating. Of equal counters the first named is lost first.
    """
    pieces: list[Piece] = []
    for i, one in enumerate(forces.catalogues):
        if isinstance(forces.scenario, Exploration) and (i != ATTACKING or len(set(one.starts)) > 1):
            continue
        side = np.asarray(getattr(states, f"side{i}")) - forces.base[i]
        for slot, left in zip(one.army.slots, one.survived[side].T, strict=True):
            walls = bool(slot.role & Role.STRUCTURE)
            for lost, label in enumerate(slot.labels):
                survives = (left > 0) if walls else (left >= slot.number - lost)
                pieces.append(Piece(ROLES[i], label, "structure" if walls else slot.worth, survives.astype(float)))
    return pieces


def winners(forces: Forces, chain: Chain, kept: Kept) -> np.ndarray:
    """The chance of each of WINNERS in an exploration of two sides that are only hit: float64, shape (3,).

    `kept` are the results of battles with the same pairs of conditions, whatever the chances of the draw.
    """
    _, attackers, defenders = forces.starts.T
    attacker, nobody = (
        kept.of(winners_by_pairs, (forces, chain))[:, attackers, defenders - forces.base[1]] @ forces.chances
    )
    return np.array([attacker, 1 - attacker - nobody, nobody])


def winners_by_pairs(battle: tuple[Forces, Chain]) -> np.ndarray:
    """The chances that the attacker and that nobody wins, from each pair of conditions: float64, shape (2, own, enemy).

    Other columns need the rounds and the facts of the draw. The winner follows from the pair of conditions alone, so
    that pairs are answered one after the other, those with fewer counters first.
    """
    forces, chain = battle
    params, tables = chain.params, chain.tables
    about, second = params.about.reshape(-1, params.row), forces.base[1]
    chance = np.zeros((len(tables), params.width))
    roll, _ = members(np.diff(tables.first))
    np.add.at(chance, (roll, np.minimum(tables.result >> 2, params.width - 1)), tables.weight)
    hits = chance[about[:, rules.THROW : rules.SPOILED]]
    after = about[:, rules.FALLS :: 2].reshape(len(about), STEPS, -1)
    counters, stands, able = forces.each(lambda one: one.left.sum(axis=1)), about[:, rules.STANDS], about[:, rules.ABLE]
    one, two = stands[:second, None] > 0, stands[second:] > 0
    # Before each step: the chances that the attacker and that nobody wins.
    ends = np.zeros((STEPS, 2, second, len(about) - second))
    ends[:, 0], ends[:, 1] = one & ~two, ~one & ~two
    for own, enemy in product(range(1, counters[:second].max() + 1), range(1, counters[second:].max() + 1)):
        a, d = np.flatnonzero(counters[:second] == own), second + np.flatnonzero(counters[second:] == enemy)
        # The same with hits in the step, and the chance of none; pairs that are not answered yet still count 0.
        struck = np.zeros((STEPS, 2, len(a), len(d)))
        for step in range(STEPS):
            by_a, by_d = (np.flatnonzero(hits[side, step].any(axis=0)) for side in (a, d))
            losing, by_hits = after[a[:, None], step, by_d], hits[d[:, None], step, by_d]
            for number in by_a:
                # Single places are taken for each condition of the defender alone, which is quicker than for each pair.
                then = ends[(step + 1) % STEPS][:, :, after[d, step, number] - second]
                then = np.einsum("waxd,dx->wad", then[:, losing], by_hits)
                struck[step] += hits[a, step, number][:, None] * then
        calm = [np.multiply.outer(hits[a, step, 0], hits[d, step, 0]) for step in range(STEPS)]
        stalemate = (able[a, None] | able[d]) == 0
        struck[0, 1] += stalemate
        begun = struck[0] + calm[0] * (struck[1] + calm[1] * struck[2])
        begun /= 1 - calm[0] * calm[1] * calm[2] + stalemate
        last = struck[2] + calm[2] * begun
        for step, p in enumerate((begun, struck[1] + calm[1] * last, last)):
            ends[step][:, a[:, None], d - second] = p
    return ends[0]
