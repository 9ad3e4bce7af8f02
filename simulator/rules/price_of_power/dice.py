"""Dice with icons: their faces, the cards and the pools of dice of a side, and the chance tables of these.

docs/rules/price_of_power.md sections 1, 3.2, 3.5 and 4. Faces and cards come from data/*.csv; data/README.md names
their sources.

A result is the number of a *roll*: icons that hit for infantry, cavalry and artillery, packed as a strength
(casualties.py), and above them tercios. Each pool has a table for every number of infantry, cavalry and artillery up to
the icons it can show. In each table rolls with equal hits are one result, so that exact odds have few transitions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from itertools import chain, combinations, product
from math import prod
from operator import add, mul
from typing import NamedTuple

import numpy as np

from simulator.engine.model.chance import LARGEST_RESULT, Row, Tables, from_rows, row_of
from simulator.rules.battle import Refusal
from simulator.rules.price_of_power.casualties import TERCIOS, packed
from simulator.rules.price_of_power.forces import Side
from simulator.rules.price_of_power.model import ICONS, TYPES, BattleAction, General, LandPolicy, Options
from simulator.rules.toolkit.sheets import lines_of

MOST_DICE = 20
# Above these a pool gets one table for all numbers of units (a thousand different rolls or more).
MOST_WORK = 60_000_000
MOST_TABLES = 20_000
# Tables of pools with at most this many rolls are cached for the next battle.
MOST_KEPT = 10_000
# Rolls with one icon: for infantry, cavalry, artillery.
ONE_ICON = packed(1, 0, 0), packed(0, 1, 0), packed(0, 0, 1)
# The states of a card that is not played in a fixed round.
KEPT, IN_FORCE, OVER = range(3)
Condition = tuple[int, ...]


class Icons(NamedTuple):
    """Icons on a face; or icons that hit for infantry (F + wT), cavalry and artillery, and tercios."""

    infantry: int = 0
    cavalry: int = 0
    artillery: int = 0
    tercios: int = 0


Dice = Mapping[str, tuple[Icons, ...]]


class Hand:
    """The cards of a side that are not played in a fixed round, and all conditions that these may come to.

    A condition has KEPT, IN_FORCE or OVER for each card. `plays[(condition, round, behind)]` are the conditions after
    the cards that may be played before this round (from 0), by their numbers: none first, then the fewest, as listed;
    `behind` is 1 for a side with fewer units. `used[condition]` is the condition after the round.
    """

    def __init__(self, actions: Sequence[BattleAction], last: int) -> None:
        self.cards = [action for action in actions if action.when != "round"]
        start: Condition = (KEPT,) * len(self.cards)
        number, used, between = {start: 0}, {0: 0}, [start]
        self.plays: dict[tuple[int, int, int], list[int]] = {}
        for condition in between:
            for round_, behind in product(range(last), (0, 1)):
                after = list(self._played(condition, round_ + 1, behind))
                self.plays[number[condition], round_, behind] = [number.setdefault(c, len(number)) for c in after]
                for one in after:
                    over = tuple(map(self._used, one, self.cards))
                    if over not in between:
                        between.append(over)
                    used[number[one]] = number.setdefault(over, len(number))
        self.conditions = list(number)
        self.used = [used[at] for at in range(len(number))]

    def _played(self, condition: Condition, round_: int, behind: int) -> Iterator[Condition]:
        """The conditions after cards that may be played before this round (from 1)."""
        ready = [at for at, card in enumerate(self.cards) if condition[at] == KEPT and card.round <= round_]
        forced = {at for at in ready if self.cards[at].when == "if-behind" and behind}
        free = [at for at in ready if self.cards[at].when == "best"]
        for size in range(len(free) + 1):
            for chosen in combinations(free, size):
                now = forced.union(chosen)
                yield tuple(IN_FORCE if at in now else was for at, was in enumerate(condition))

    @staticmethod
    def _used(condition: int, card: BattleAction) -> int:
        return OVER if condition == IN_FORCE and card.this_round_only else condition

    def in_force(self, condition: int) -> list[BattleAction]:
        """The cards in force in a condition."""
        return [card for card, at in zip(self.cards, self.conditions[condition], strict=True) if at == IN_FORCE]

    def names(self, condition: int, state: int, since: int | None = None) -> list[str]:
        """The names of the cards in a state; with `since`, of those that were kept in that condition."""
        before = self.conditions[condition if since is None else since]
        wanted = state if since is None else KEPT
        held = zip(self.cards, self.conditions[condition], before, strict=True)
        return [card.name or f"card {n}" for n, (card, at, was) in enumerate(held, 1) if at == state and was == wanted]

    @property
    def played(self) -> list[int]:
        """The number of cards played, by condition."""
        return [sum(at != KEPT for at in condition) for condition in self.conditions]


class Pool(NamedTuple):
    """Dice rolled together; a tercios icon counts `tercios_worth` times (2 with Tercios or Line Infantry)."""

    infantry: int
    cavalry: int
    artillery: int
    tercios_worth: int = 1

    def faces(self, dice: Dice) -> list[tuple[Icons, ...]]:
        """The faces of each die of the pool."""
        return [dice[die] for die, number in zip(TYPES, self, strict=False) for _ in range(number)]

    def worth(self, face: Icons) -> Icons:
        """The icons of a face that hit (section 3.2, step 2)."""
        return face._replace(infantry=face.infantry + self.tercios_worth * face.tercios)


def face(text: str) -> Icons:
    """The icons of a face as written, e.g. "blank" or "infantry+cavalry"."""
    icons = Counter(part.strip() for part in text.split("+"))
    return Icons(**{icon: icons[icon] for icon in ICONS})


@lru_cache(maxsize=1)
def printed_dice() -> Dice:
    """The dice of the game."""
    return {
        die: tuple(face(row["icon"]) for row in lines_of(__package__, "dice") if row["die"] == die) for die in TYPES
    }


def faces_of(options: Options) -> Dice:
    """The dice of a battle: the printed ones, and those that replace them."""
    return {**printed_dice(), **{die: tuple(map(face, faces)) for die, faces in options.dice if faces}}


def icons_shown(dice: Dice, pool: Pool, caps: Icons) -> np.ndarray:
    """Ways to roll each [F + wT, H, A, T] with a pool, each counted up to its cap (float64, shape caps + 1)."""
    shape = tuple(cap + 1 for cap in caps)
    before = np.indices(shape).reshape(len(shape), -1)

    @cache
    def after(icons: Icons) -> np.ndarray:
        return np.ravel_multi_index(tuple(map(add, before, icons)), shape, mode="clip")

    ways = np.eye(1, before.shape[1])[0]
    for faces in pool.faces(dice):
        counts = Counter(map(pool.worth, faces)).items()
        ways = np.sum([np.bincount(after(icons), count * ways, len(ways)) for icons, count in counts], axis=0)
    return ways.reshape(shape)


@lru_cache(maxsize=64)
def most_of_a_die(faces: tuple[Icons, ...], tercios_worth: int) -> Icons:
    """The most icons of each kind that a face of a die shows, see `Pool.worth`."""
    return Icons(*map(max, zip(*map(Pool(0, 0, 0, tercios_worth).worth, faces), strict=True)))


def most_icons(dice: Dice, pool: Pool) -> Icons:
    """The most icons that a pool can show."""
    best = [most_of_a_die(dice[die], pool.tercios_worth) for die in TYPES]
    return Icons(*(sum(map(mul, pool, icons)) for icons in zip(*best, strict=True)))


def pool_of(
    side: Side, base: str, leader: General | None, round_: int, led: bool = True, played: Iterable[BattleAction] = ()
) -> Pool:
    """The dice of a side in a round (section 3.2, step 1); `played` are the cards of its hand that are in force."""
    options, drill = side.options, led and "military-drill" in side.fields.ideas
    dice = dict.fromkeys(TYPES, 0) | {base: max(0, options.base_dice - drill * options.military_drill.dice)}
    timed = [one for one in side.fields.battle_actions if one.when == "round"]
    in_force = [one for one in timed if one.round == round_ or (one.round < round_ and not one.this_round_only)]
    for more in [side.fields.extra_dice, *in_force, *played, *([leader] if leader else [])] if led else []:
        for die in TYPES:
            dice[die] += getattr(more, die)
    doubled = led and not {"tercios", "line-infantry"}.isdisjoint(side.fields.ideas)
    return Pool(**dice, tercios_worth=2 if doubled else 1)


def base_type(side: Side, dice: Dice, leader: General | None) -> str:
    """Type of the base dice; `best-expected` compares the hits of the first roll (section 2, `base_dice`)."""
    if not isinstance(side.policy, LandPolicy):
        return "artillery"
    if side.policy.base_dice != "best-expected":
        return side.policy.base_dice

    def expected_hits(base: str) -> Fraction:
        pool = pool_of(side, base, leader, 1)
        ways = icons_shown(dice, pool, Icons(*map(min, side.start, most_icons(dice, pool))))
        hits = np.minimum(np.indices(ways.shape).sum(axis=0) + side.automatic, side.units)
        return Fraction(sum(int(h) * int(way) for h, way in zip(hits.flat, ways.flat, strict=True)), int(ways.sum()))

    return max(("infantry", "cavalry"), key=expected_hits)


def pools_of(side: Side, dice: Dice, last: int, hand: Hand) -> list[list[Pool]]:
    """Pools of a side in each round (columns).

    For each condition of its hand three rows a leader card: leader dead, leader alive, side not led.
    """
    rows = []
    for condition, leader in product(range(len(hand.conditions)), (None, *side.leaders)):
        base, played = base_type(side, dice, leader), hand.in_force(condition)
        for own, led in ((None, True), (leader, True), (None, False)):
            rows.append([pool_of(side, base, own, at, led, played) for at in range(1, last + 1)])
    return rows


def caps_of(side: Side, enemy: Side, dice: Dice, pools: list[list[Pool]]) -> Icons:
    """Caps on the icons of a side: more than its units, the wounds to deal or the ships to capture have no effect."""
    shown = map(max, zip(*(most_icons(dice, pool) for pool in {*chain(*pools)}), strict=True))
    tercios = max(4 if enemy.leaders else 0, min(enemy.units, side.supply))
    units = [0, 0, side.units] if side.sea else side.start
    return Icons(*map(min, shown, [*units, tercios]))


@dataclass
class TableSet:
    """Collects the chance tables and rolls of a battle."""

    dice: Dice
    rolls: dict[int, int] = field(default_factory=lambda: {0: 0})
    rows: list[Row] = field(default_factory=lambda: [row_of({0: 1})])

    def add(self, weights: Mapping[int, int]) -> int:
        """Index of a new table of cards or charges, whose results are not rolls."""
        self.rows.append(row_of(weights))
        return len(self.rows) - 1

    def add_pools(self, rows: list[list[Pool]], caps: Icons, pairs: bool) -> tuple[list[list[tuple[int, int]]], int]:
        """Add the tables of a side's pools (see `rolls_of`); `rows` are those of `pools_of`.

        For each pool the index of its first table, and the most icons it shows, packed; then the cap on the units of
        the side, 0 where one table serves all numbers.
        """
        distinct, shown, numbers = dict.fromkeys(chain(*rows)), prod(cap + 1 for cap in caps), self.rolls
        tables = len(distinct) * prod(cap + 1 for cap in caps[:3])
        each = tables <= MOST_TABLES and tables * shown <= MOST_WORK
        kept = shown * (sum(caps[:3]) + 1 if each else 1) <= MOST_KEPT
        rolls_by_units, added = rolls_of if kept else rolls_of.__wrapped__, {}
        for pool in distinct:
            added[pool] = len(self.rows), packed(*map(min, most_icons(self.dice, pool)[:3], caps))
            for rolls, weight in rolls_by_units(tuple(self.dice.items()), pool, caps, each, pairs):
                results = np.array([numbers.setdefault(roll, len(numbers)) for roll in rolls])
                order = results.argsort()
                self.rows.append((results[order], weight[order]))
        return [[added[pool] for pool in row] for row in rows], packed(*caps[:3]) if each else 0

    def close(self) -> tuple[Tables, np.ndarray]:
        """All tables, and the rolls by result (int64). Raises Refusal for too many rolls."""
        if len(self.rolls) > LARGEST_RESULT + 1:
            raise Refusal("options.dice", "these dice have too many different results; give fewer dice or icons")
        return from_rows(self.rows), np.array(list(self.rolls))


@lru_cache(maxsize=64)
def rolls_of(
    dice: tuple[tuple[str, tuple[Icons, ...]], ...], pool: Pool, caps: Icons, each: bool, pairs: bool
) -> list[tuple[list[int], np.ndarray]]:
    """Rolls of a pool and their chances: one table for all units, or (`each`) one for each number of units.

    The chances are float64, shape (rolls,). `pairs`: only pairs of tercios count. Cached, since most battles roll the
    same dice.
    """
    ways = icons_shown(dict(dice), pool, caps)
    if pairs:
        odd = ways[..., 1::2]
        ways = ways[..., ::2].copy()
        ways[..., : odd.shape[-1]] += odd
    pair, many, flat = 2 if pairs else 1, ways.shape[-1], ways.ravel()
    if not each:
        *icons, tercios = ways.nonzero()
        return [((packed(*icons) | pair * tercios << TERCIOS).tolist(), flat[flat > 0] / flat.sum())]
    rolls_by_units, all_icons = [], np.ogrid[tuple(slice(number) for number in ways.shape)]
    for units in product(*(range(cap + 1) for cap in caps[:3])):
        # Rolls with equal hits are one: the roll with the first icons, of infantry, then of cavalry, that give them.
        roll_with_hits = [0, *np.repeat(ONE_ICON, units).cumsum().tolist()]
        shown = sum(np.minimum(number, own) for number, own in zip(all_icons, units, strict=False))
        weight = np.bincount((shown * many + all_icons[-1]).ravel(), flat)
        codes = weight.nonzero()[0]
        rolls = [roll_with_hits[code // many] | pair * (code % many) << TERCIOS for code in codes.tolist()]
        rolls_by_units.append((rolls, weight[codes] / weight[codes].sum()))
    return rolls_by_units
