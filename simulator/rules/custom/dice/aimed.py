"""Dice that are thrown one after the other, each at the piece that is next to fall (docs/rules/custom_games.md
sections 2.6 and 5, format 3).

The result of a side's dice is the number of points that they take, for each slot of the group.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from simulator.engine.model.chance import NO_TABLE
from simulator.rules.custom.dice.die import masks_aimed_at
from simulator.rules.custom.dice.hits import check_size
from simulator.rules.custom.dice.tables import MOST_THROWS, DiceTables, Throws, distinct, packing
from simulator.rules.custom.dice.volleys import FRONTS, Situation, Standing, Volley, fired, hits_at, volleys
from simulator.rules.custom.setup import Shot, SideSetup

# The points of a loss line: of which unit, and how many its piece has from there on.
Points = Sequence[tuple[int, int]]
# The dice of a step, and the slot of the points that they take.
Aimed = tuple[int, list[Volley]]
# A die that is thrown at a point moves to another one, with this chance.
Move = tuple[int, int, float]
# Different ends of dice, each a shorter end and the dice of one volley before it, and the end of each place.
Ends = tuple[np.ndarray, np.ndarray]
# Chances below this are none.
LEAST = 1e-300
# Chances of points taken by a side's dice, by what stands on both sides; dice in all of these. 3 s and 500 MB at most.
MOST_TAKEN, MOST_THROWN = 20_000_000, 300_000_000


def aimed_throws(tables: DiceTables, group: int, number: int) -> Throws:
    """The throws of a side in an aimed group, in a round. Raises TooLarge for too many."""
    side, places = tables.side, len(tables.own)
    shots = [shot for shot in side.shots_of(group, number) if side.able(shot)]
    if not shots:
        return tables.nothing()
    shown, examples = tables.shown(shots, number)
    check_size(side.side, len(examples) * places, "line-ups with their throws", MOST_THROWS)
    result = np.zeros((places, len(examples)), np.int64)
    means = np.zeros(result.shape, object)
    slots = [slot.hit.units for slot in tables.slots[group]]
    strides = packing([tables.caps[slot.hit] for slot in tables.slots[group]])
    lines = Lines(tables)
    for rows, seen, now in tables.situations(number, tables.distinguished(shots, number), examples):
        dice = dice_of(side, slots, group, now)
        volleys_ = [volley for _, rolled in dice for volley in rolled]
        if not any(volley.hits for volley in volleys_):
            continue
        label, rows_at = distinct([volley.dice for volley in volleys_], len(volleys_[0].dice))
        thinned = [(slot, [v._replace(dice=v.dice[rows_at]) for v in rolled]) for slot, rolled in dice]
        found = _packed(points_taken(thinned, now.enemy, slots, lines), strides, len(rows_at))
        index = np.array([_table(tables, *row) for row in found])
        result[rows, seen] = index[label]
        means[rows, seen] = sum(volley.damage * volley.dice.astype(object) for volley in volleys_)
    return Throws(shown, result, means)


def dice_of(side: SideSetup, slots: Sequence[int], group: int, now: Situation) -> list[Aimed]:
    """The dice of each step that is fired, in their order, and the slot of their points."""
    found, at = list[Aimed](), 0
    for shot in fired(side, side.setup.groups[group], now):
        masks = masks_aimed_at(side, shot)
        at = slots.index(masks[0], at) if len(masks) == 1 else slots.index(now.enemy.front)
        found.append((at, volleys(side, shot, now)))
    return found


def points_taken(
    dice: Sequence[Aimed], enemy: Standing, slots: Sequence[int], lines: Lines
) -> dict[tuple[int, ...], np.ndarray]:
    """The chances of points taken by slot: float64, shape (places,). Raises TooLarge for too many."""
    places = next(len(volley.dice) for _, rolled in dice for volley in rolled)
    found = {(0,) * len(slots): np.ones(places)}
    for slot, rolled in dice:
        if not rolled:
            continue
        after: dict[tuple[int, ...], np.ndarray] = {}
        for taken, p in found.items():
            left = targets_of(rolled[0].shot, enemy, points_after(enemy.points, slots, taken))
            for more, q in enumerate(lines.taken(rolled, left).T):
                key = (*taken[:slot], taken[slot] + more, *taken[slot + 1 :])
                after[key] = after.get(key, 0) + p * q
        found = {key: p for key, p in after.items() if (p > LEAST).any()}
    return found


def points_after(points: Points, slots: Sequence[int], taken: Sequence[int]) -> Points:
    """The points that are left after each slot took these."""
    left = list(points)
    for mask, number in zip(slots, taken, strict=True):
        for _ in range(number):
            left.remove(next(point for point in left if mask >> point[0] & 1))
    return left


def targets_of(shot: Shot, enemy: Standing, left: Points) -> Points:
    """The points that a step may take, first taken first."""
    targets = shot.targets & enemy.front if shot.given.aim in FRONTS else shot.targets
    if shot.given.aim == "piece":
        # The front piece has the points that earlier steps did not take.
        gone = len(enemy.points) - len(left)
        left = left[: max(0, enemy.points[0][1] - gone)]
    return [(unit, rest) for unit, rest in left if targets >> unit & 1]


class Lines:
    """The chances of points taken from lines of points; lines with the same end are worked out together."""

    def __init__(self, tables: DiceTables) -> None:
        self.tables = tables
        self.known: dict[Hashable, tuple[Points, np.ndarray]] = {}

    def taken(self, rolled: Sequence[Volley], aimed: Points) -> np.ndarray:
        """The chances of 0, 1, ... points taken: float64, shape (places, points). Raises TooLarge for too many."""
        key = tuple([(one.shot, one.unit, one.roll, one.checked, one.dice.tobytes()) for one in rolled])
        line, chances = self.known.get(key, ((), np.zeros(0)))
        if not chances.size or line[len(line) - len(aimed) :] != aimed:
            line, chances = self.known[key] = aimed, self._taken(rolled, aimed)
        return np.asarray(chances[len(line) - len(aimed)])

    def _taken(self, rolled: Sequence[Volley], line: Points) -> np.ndarray:
        """The chances of points taken, from each point of the line on: float64, shape (points, places, points taken).

        Dice are thrown one after the other, each at the first point that is left. The last is worked out first: then
        places with the same dice at the end share them, and so do all beginnings of the line.
        """
        moves = [moves_of(volley, line) for volley in rolled]
        farthest = [max([to - point for point, to, _ in one], default=0) for one in moves]
        dice = sum(volley.dice * points for volley, points in zip(rolled, farthest, strict=True))
        found = np.zeros((len(line) + 1, 1, min(len(line), int(dice.max())) + 1))
        found[:, :, 0] = 1
        ends = _ends(rolled)
        self._check_size(ends, found.size)
        for each, (ways, _) in zip(reversed(moves), ends, strict=True):
            after = np.empty((len(found), len(ways), found.shape[2]))
            for die in range(int(ways[:, 1].max()) + 1):
                found = _one_die_more(found, each) if die else found
                mine = ways[:, 1] == die
                after[:, mine] = found[:, ways[mine, 0]]
            found = after
        return found[:, ends[-1][1]]

    def _check_size(self, ends: Sequence[Ends], size: int) -> None:
        """Raises TooLarge where these dice, with this many chances at each place, are too many."""
        tables, width = self.tables, 1
        tables.points_taken += size * len(ends[-1][0])
        for ways, _ in ends:
            tables.dice_thrown += size * width * int(ways[:, 1].max())
            width = len(ways)
        check_size(tables.side.side, tables.points_taken, "numbers of points taken", MOST_TAKEN)
        check_size(tables.side.side, tables.dice_thrown, "dice thrown at single points", MOST_THROWN)


def _ends(rolled: Sequence[Volley]) -> list[Ends]:
    """The different ends of the dice of all places, from those of the last volley alone to all of them."""
    found, at = [], np.zeros(len(rolled[0].dice), np.int64)
    for volley in reversed(rolled):
        ways, label = np.unique(np.column_stack([at, volley.dice]), axis=0, return_inverse=True)
        at = label.ravel()
        found.append((ways, at))
    return found


def _one_die_more(found: np.ndarray, moves: Sequence[Move]) -> np.ndarray:
    """The chances of points taken where one die more is thrown before the others."""
    stay, by_points = np.ones(len(found)), dict[int, np.ndarray]()
    for point, to, chance in moves:
        stay[point] -= chance
        by_points.setdefault(to - point, np.zeros(len(found)))[point] += chance
    after = stay[:, None, None] * found
    for points, share in by_points.items():
        after[:-points, :, points:] += share[:-points, None, None] * found[points:, :, :-points]
    return after


def moves_of(volley: Volley, aimed: Points) -> list[Move]:
    """The moves of a die along the points: from a point, to a point, with its chance."""
    found, whole = [], volley.side.setup.whole
    by_unit = {unit: hits_at(volley, 1 << unit) for unit in {unit for unit, _ in aimed}}
    for point, (unit, rest) in enumerate(aimed):
        for hit, chance in by_unit[unit]:
            taken = hit.damage if hit.split else min(hit.damage, rest)
            found.append((point, min(point + taken, len(aimed)), float(chance / whole)))
    return found


def _packed(taken: dict[tuple[int, ...], np.ndarray], strides: Sequence[int], places: int) -> list[tuple[Any, Any]]:
    """The results and chances of each place."""
    keys = sorted(taken, key=lambda key: sum(n * stride for n, stride in zip(key, strides, strict=True)))
    results = np.array([sum(n * stride for n, stride in zip(key, strides, strict=True)) for key in keys])
    chances = np.array([taken[key] for key in keys])
    return [(results[chances[:, at] > 0], chances[chances[:, at] > 0, at]) for at in range(places)]


def _table(tables: DiceTables, results: np.ndarray, chances: np.ndarray) -> int:
    """The table of these results; NO_TABLE where nothing is ever taken."""
    if not results.any():
        return NO_TABLE
    return tables.book.by((results.tobytes(), chances.tobytes()), lambda: (results, chances))
