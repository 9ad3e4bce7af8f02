"""The columns of the outcome of a battle of a game file, and its pieces (docs/rules/custom_games.md section 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import ATTACKER, Columns, Fields, Piece
from simulator.rules.custom.build import Field
from simulator.rules.custom.game_file.format import GameFile
from simulator.rules.custom.game_file.units import pieces_of
from simulator.rules.custom.game_file.words import counts_points
from simulator.rules.custom.line import Places, stretches
from simulator.rules.custom.masks import bits, mask_of, parts_of
from simulator.rules.custom.model import units_of
from simulator.rules.custom.rules.state import ATTACKER_LEFT, DEFENDER_LEFT, STALEMATE
from simulator.rules.toolkit.weights import decimal_sums

SUMMARY = (
    "attacker_units_lost",
    "attacker_cost_lost",
    "defender_units_lost",
    "defender_cost_lost",
    "taken",
    "rounds",
)


def outcome(field: Field, states: Any) -> Columns:
    """Final states as the user's columns."""
    setup = field.setup
    seen = field.seen(states)
    columns: Columns = {"winner": field.winner(states, seen), "rounds": states.clock + states.rounds}
    by_unit: Columns = {}
    for side, (stands, rows) in seen.items():
        own: Fields = getattr(setup.fields, side)
        costs, units = _shown(setup.file, setup.kind_name, side, type(own), frozenset(own.model_fields_set))
        columns[f"{side}_units_left"] = stands.units.take(rows)
        columns[f"{side}_units_lost"] = stands.lost.sum(axis=1).take(rows)
        columns[f"{side}_cost_lost"] = decimal_sums(stands.lost, costs).take(rows)
        for unit, name, damaged in units:
            by_unit[f"{name}_left"] = stands.left[:, unit].take(rows)
            by_unit[f"{name}_lost"] = stands.lost[:, unit].take(rows)
            if damaged:
                by_unit[f"{name}_damage"] = stands.damage[:, unit].take(rows) * (not setup.file.losses.repaired)
    if counts_points(setup.file, setup.kind_name):
        unit = int(field.chain.params.scores.max())
        for side, points in zip(SIDES, np.divmod(states.points, unit), strict=True):
            columns[f"{side}_points"] = points if setup.most_points is None else np.minimum(points, setup.most_points)
    columns |= by_unit
    columns["attacker_retreated"] = states.ending == ATTACKER_LEFT
    columns["defender_retreated"] = states.ending == DEFENDER_LEFT
    columns["stalemate"] = states.ending == STALEMATE
    columns["both_eliminated"] = (columns["attacker_units_left"] == 0) & (columns["defender_units_left"] == 0)
    if setup.kind.taken_by is not None:
        takers = list(bits(mask_of(setup.file, setup.kind.taken_by)))
        stands, rows = seen["attacker"]
        there = stands.left[:, takers].sum(axis=1) > 0
        columns["taken"] = (columns["winner"] == ATTACKER) & there.take(rows)
    return columns


@lru_cache(maxsize=256)
def _shown(
    file: GameFile, kind: str, side: str, model: type[Fields], given: frozenset[str]
) -> tuple[tuple[float, ...], list[tuple[int, str, bool]]]:
    """The costs and units of a side's columns, where these fields of its model are given.

    Units are those that are named and may fight, each with the beginning of its columns' names, and whether it can be
    damaged.
    """
    pieces, keys = pieces_of(file, side), list(file.unit)
    wanted = {unit for unit, name in units_of(model) if name in given}
    fights, _ = parts_of(file, kind, side)
    return (
        tuple([piece.cost for piece in pieces]),
        [(unit, f"{side}_{keys[unit]}", pieces[unit].hits > 1) for unit in bits(fights) if keys[unit] in wanted],
    )


def begun(field: Field, states: Any) -> np.ndarray:
    """The round in which each state is, or which it is about to begin; 0 in the opening: int64, shape (states,)."""
    before = (states.clock == 0) & (states.salvo < field.chain.params.opening) & (states.ending == 0)
    return np.where(before, 0, states.clock + states.rounds + 1)


def pieces(field: Field, states: Any) -> list[Piece]:
    """Every fighting piece, first lost first within each side."""
    found = []
    for side, (stands, rows) in field.seen(states).items():
        for unit, piece, total in _in_order(stands):
            name, cost = field.setup.names[unit], stands.own.pieces[unit].cost
            lost = stands.lost[rows, unit] >= piece
            label = name if total == 1 else f"{name} {piece}"
            found.append(Piece(side, label, f"cost {cost:g}", 1.0 - lost))
    return found


def _in_order(stands: Places) -> Iterator[tuple[int, int, int]]:
    """(unit, which of its pieces, how many there are), in the order in which the line loses them."""
    counts, lost = stands.own.counts, Counter[int]()
    for unit, points, each in stretches(stands.setup, stands.side):
        for _ in range(-(-points // each) if each else 0):
            lost[unit] += 1
            yield unit, lost[unit], counts[unit]
