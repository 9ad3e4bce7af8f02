"""The columns of a battle of a game file, and its pieces (docs/rules/custom_games.md section 9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from simulator.rules.battle import ATTACKER, Columns, Piece
from simulator.rules.custom.build import Laid, winner_of
from simulator.rules.custom.format import SIDES
from simulator.rules.custom.model import named
from simulator.rules.custom.rules import ATTACKER_LEFT, DEFENDER_LEFT, STALEMATE
from simulator.rules.custom.setup import bits

HEADLINE = (
    "attacker_units_lost",
    "attacker_cost_lost",
    "defender_units_lost",
    "defender_cost_lost",
    "taken",
    "rounds",
)


def outcome(field: Laid, states: Any) -> Columns:
    """Final states as the user's columns."""
    setup = field.setup
    at = {"attacker": states.attacker, "defender": states.defender}
    columns: Columns = {"winner": winner_of(field, states), "rounds": states.clock + states.rounds}
    for side in SIDES:
        columns |= {name: values.take(at[side]) for name, values in field.places[side].totals.items()}
    for side in SIDES:
        columns |= _by_unit(field, side, at[side])
    columns["attacker_retreated"] = states.ending == ATTACKER_LEFT
    columns["defender_retreated"] = states.ending == DEFENDER_LEFT
    columns["stalemate"] = states.ending == STALEMATE
    columns["both_eliminated"] = (columns["attacker_units_left"] == 0) & (columns["defender_units_left"] == 0)
    if setup.kind.taken_by is not None:
        takers = list(bits(setup.mask(setup.kind.taken_by)))
        there = field.places["attacker"].left[:, takers].sum(axis=1) > 0
        columns["taken"] = (columns["winner"] == ATTACKER) & there[states.attacker]
    return columns


def begun(opening: int, states: Any) -> np.ndarray:
    """The round that a state stands in or before; 0 in the opening, the salvos below this."""
    before = (states.clock == 0) & (states.salvo < opening) & (states.ending == 0)
    return np.where(before, 0, states.clock + states.rounds + 1)


def _by_unit(field: Laid, side: str, at: np.ndarray) -> Columns:
    wanted = named(getattr(field.setup.fields, side))
    return {name: values.take(at) for unit, name, values in field.places[side].by_unit if unit in wanted}


def pieces(field: Laid, states: Any) -> list[Piece]:
    """Every fighting piece, first lost first within each side."""
    found = []
    for side, at in zip(SIDES, (states.attacker, states.defender), strict=True):
        places = field.places[side]
        for unit, piece, total in _in_order(field, side):
            given = field.setup.file.unit[field.setup.units[unit]]
            name = given.name or field.setup.units[unit].replace("_", " ")
            lost = places.lost[at, unit] >= piece
            label = name if total == 1 else f"{name} {piece}"
            found.append(Piece(side, label, f"cost {given.cost:g}", 1.0 - lost))
    return found


def _in_order(field: Laid, side: str) -> Iterator[tuple[int, int, int]]:
    """(unit, which of its pieces, how many there are), in the order in which the line loses them."""
    places, setup = field.places[side], field.setup
    counts = setup.sides[side].counts
    line = np.array(places.line)
    deaths = []
    for unit in set(places.line):
        points = np.flatnonzero(line == unit)
        lost = [places.lost_after(unit, taken) for taken in range(1, len(points) + 1)]
        for piece in range(1, counts[unit] + 1):
            deaths.append((int(points[lost.index(piece)]), unit, piece, counts[unit]))
    for _, unit, piece, total in sorted(deaths):
        yield unit, piece, total
