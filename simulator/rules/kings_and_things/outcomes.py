"""Final states as the columns of an answer (rules/kings_and_things.md sections 3.4, 6, 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Columns, Piece
from simulator.rules.kings_and_things import state as st
from simulator.rules.kings_and_things.counters import trait
from simulator.rules.kings_and_things.flow import STALEMATE
from simulator.rules.kings_and_things.muster import SIDES, Slot


def side_fields(states: Any, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Packed counters and gear of a side."""
    return getattr(states, f"alive{side}"), getattr(states, f"gear{side}")


def counts(p: st.Params, states: Any, side: int, packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Counters of each slot in packed numbers, and the numbers of the slots: arrays (rows, slots)."""
    base = p.data[p.base_at + side * p.lineups + np.asarray(states.lineup)]
    slots = base[:, None] + np.arange(p.slots)
    return (packed[:, None] >> trait(p, slots, st.SHIFT)) & trait(p, slots, st.MASK), slots


def people_and_value(p: st.Params, states: Any, side: int, packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number and printed values of the people in packed numbers."""
    number, slots = counts(p, states, side, packed)
    number = np.where(trait(p, slots, st.ROLE) & st.PEOPLE, number, 0)
    return number.sum(axis=1), (number * trait(p, slots, st.PRINTED)).sum(axis=1)


def stands(states: Any, side: int) -> np.ndarray:
    """Has the side a counter or a structure above level 0 in the hex?"""
    alive, gear = side_fields(states, side)
    walls = (gear & 0xFF) != 0
    return ((alive != 0) & (st.get(gear, st.AWAY) == 0)) | walls


def side_columns(p: st.Params, states: Any, side: int) -> Columns:
    """Creatures left, losses, value left and retreat of one side."""
    alive, gear = side_fields(states, side)
    before = p.data[p.start_at + 2 * (side * p.lineups + np.asarray(states.lineup))].astype(np.int64)
    left, value = people_and_value(p, states, side, alive)
    name = SIDES[side]
    return {
        f"{name}_creatures_left": left,
        f"{name}_losses": people_and_value(p, states, side, before)[0] - left,
        f"{name}_value_left": value,
        f"{name}_retreated": st.get(gear, st.AWAY) == 1,
    }


def hex_columns(p: st.Params, states: Any) -> Columns:
    """Hits on the defender's structures, and what is left of them after the post-battle roll.

    Without a roll everything is restored, after a stalemate and in an unexplored hex that was not taken too.
    """
    gear, after = states.gear1, np.asarray(states.after)
    printed = p.data[p.drawn_at + 2 * np.asarray(states.lineup) + 1].astype(np.int64)
    return {
        "fort_hits": p.fort - st.get(gear, st.FORT_AT),
        "settlement_hits": printed - st.get(gear, st.SETTLEMENT_AT),
        "fort_level_after": p.fort - (after & 1),
        "settlement_level_after": np.where(after & 2, 0, printed),
        "income_counter_after": p.income * np.where(after & 4, 0, 1),
    }


def columns(p: st.Params, states: Any, taken: bool = False) -> Columns:
    """All outputs; `taken` adds who took the hex, as a free-for-all wants it."""
    after = np.asarray(states.after)
    stalemate = after == STALEMATE
    after = np.where(stalemate, 0, after)
    standing = np.array([stands(states, side) for side in range(p.sides)])
    attackers = [side for side in range(p.sides) if side != st.DEFENDING]
    attacked = standing[attackers].any(axis=0) & ~stalemate
    nobody = stalemate | (p.unexplored == 1) & ~attacked & ~standing[st.DEFENDING] & ~_fled(p, states)
    found: Columns = {"winner": np.where(nobody, NOBODY, np.where(attacked, ATTACKER, DEFENDER))}
    sides = [st.ATTACKING, *range(st.SECOND, p.sides), st.DEFENDING]
    for side in sides:
        found |= side_columns(p, states, side)
    found["rounds"] = np.asarray(states.rounds)
    found |= hex_columns(p, states._replace(after=after))
    found["both_eliminated"] = ~standing.any(axis=0) & ~_fled(p, states)
    found["stalemate"] = stalemate
    if taken:
        found |= {f"taken_by_{SIDES[side]}": standing[side] & ~stalemate for side in attackers}
    return found


def _fled(p: st.Params, states: Any) -> np.ndarray:
    """Did any side retreat?"""
    gears: Sequence[np.ndarray] = [side_fields(states, side)[1] for side in range(p.sides)]
    return np.any([st.get(gear, st.AWAY) == 1 for gear in gears], axis=0)


def pieces(p: st.Params, states: Any, side: int, slots: Sequence[Slot]) -> list[Piece]:
    """Each counter and structure of a side whose slots are known: is it there at the end, or did it get away?

    Of equal counters the first named is lost first.
    """
    alive, gear = side_fields(states, side)
    number = counts(p, states, side, alive)[0]
    found = []
    for n, slot in enumerate(slots):
        if slot.role & st.STRUCTURE:
            place = {st.FORT: st.FORT_AT, st.SETTLEMENT: st.SETTLEMENT_AT, st.FIREWALL: st.FIREWALL_AT}[slot.role]
            found.append(Piece(SIDES[side], slot.label, "structure", (st.get(gear, place) > 0).astype(float)))
            continue
        for lost, label in enumerate(slot.label.split("\n")):
            survives = (number[:, n] >= slot.number - lost).astype(float)
            found.append(Piece(SIDES[side], label, worth(slot), survives))
    return found


def worth(slot: Slot) -> str:
    """Printed value and symbol, like 3R."""
    return f"{slot.printed}{'C' if slot.dice == 2 else {st.MAGIC: 'M', st.RANGED: 'R'}.get(slot.home, '')}"
