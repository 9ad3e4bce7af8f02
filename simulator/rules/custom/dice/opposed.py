"""Opposed dice, sorted and compared pair by pair (docs/rules/custom_games.md sections 2.6 and 5)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise, product
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.engine.model.chance import Row
from simulator.rules.custom.dice.hits import check_size
from simulator.rules.custom.dice.tables import DiceTables, Throws, distinct
from simulator.rules.custom.dice.volleys import Volley, fires, volleys
from simulator.rules.custom.game_file.format import Compare, Step
from simulator.rules.custom.game_file.keys import MOST_PAIRS
from simulator.rules.custom.game_file.units import die_named
from simulator.rules.custom.setup import SideSetup

# The most hits of a piece.
MOST_HITS = 20
# Results hold the attacker's hits and this many times the defender's.
BOTH = max(MOST_PAIRS, MOST_HITS) + 1
# More dice than any piece rolls.
MANY = 1 << 20
# Pairs of places whose dice are compared one by one.
MOST_PLACES = 4_000_000
# The work for all different dice of both sides: states of the dice, squared. Ten equal dice a side, down to one, are
# 256,036: 6 s.
MOST_WORK = 500_000


class Dice(NamedTuple):
    """Equal dice: the bonus to each, their sides, their number."""

    bonus: int
    sides: int
    number: int


Rolled = tuple[Dice, ...]
# Dice that have not shown their value yet, by kind, and the hits of both sides so far: in how many ways.
Ways = dict[tuple[tuple[int, ...], int, int], int]


def kept_dice(volleys_: list[Volley], side: SideSetup, most: int) -> Rolled:
    """No more dice than `most`, those with the highest bonus; equal ones in file order."""
    found, left = [], most
    for volley in sorted(volleys_, key=lambda volley: -volley.value):
        number = min(int(volley.dice), left)
        left -= number
        if number:
            sides = die_named(side.setup.file, volley.roll.die).sides or 0
            found.append(Dice(volley.value, sides, number))
    return tuple(found)


def hitting(volleys_: list[Volley]) -> tuple[tuple[Fraction, int], ...]:
    """The chance of a die to hit, and how many there are."""
    return tuple([(Fraction(v.chance) / v.side.setup.whole, int(v.dice)) for v in volleys_ if v.dice])


@lru_cache(maxsize=1 << 12)
def ways_of_hits(attackers: Rolled, defenders: Rolled, pairs: int, ties: str) -> dict[tuple[int, int], int]:
    """The number of throws for each pair of hits by the attacker and by the defender.

    Values are followed downwards, in stretches in which the same dice may show them; within a stretch only the order of
    the values counts, so `levels` different ones stand for comb(values, levels) choices of them.
    """
    both = attackers + defenders
    pairs = min(pairs, *(sum(dice.number for dice in side) for side in (attackers, defenders)))
    states: Ways = {(tuple(dice.number for dice in both), 0, 0): 1}
    for low, high in pairwise(
        sorted({value for dice in both for value in (dice.bonus, dice.bonus + dice.sides)})[::-1]
    ):
        active = [dice.bonus <= high and low <= dice.bonus + dice.sides for dice in both]
        at_level, found = states, defaultdict(int, states)
        for levels in range(1, low - high + 1):
            at_level = _one_level(at_level, active, len(attackers), both, pairs, ties)
            for state, ways in at_level.items():
                found[state] += ways * comb(low - high, levels)
            if not at_level:
                break
        states = {
            state: ways
            for state, ways in found.items()
            if not any(left and dice.bonus == high for left, dice in zip(state[0], both, strict=True))
        }
    ends: dict[tuple[int, int], int] = defaultdict(int)
    for (_, mine, theirs), ways in states.items():
        ends[mine, theirs] += ways
    return dict(ends)


def _one_level(states: Ways, active: list[bool], own: int, both: Rolled, pairs: int, ties: str) -> Ways:
    """The states after the next value downwards that some dice show: pairs that it decides are decided."""
    after: Ways = defaultdict(int)
    for (left, mine, theirs), ways in states.items():
        before = _placed(both[:own], left), _placed(both[own:], left[own:])
        for still in product(*(range(n + 1) if able else (n,) for n, able in zip(left, active, strict=True))):
            if still == left:
                continue
            chosen = prod(comb(n, m) for n, m in zip(left, still, strict=True))
            now = _placed(both[:own], still), _placed(both[own:], still[own:])
            decided, even = max(before), max(0, min(*now, pairs) - max(before))
            won = max(0, min(now[0], pairs) - max(decided, now[1]))
            lost = max(0, min(now[1], pairs) - max(decided, now[0]))
            mine_more = won + even * (ties in {"attacker", "both"})
            theirs_more = lost + even * (ties in {"defender", "both"})
            after[still, mine + mine_more, theirs + theirs_more] += ways * chosen
    return after


def _placed(dice: Rolled, left: Sequence[int]) -> int:
    """The number of dice that have shown their value."""
    return sum([one.number - n for one, n in zip(dice, left, strict=False)])


class Thrown(NamedTuple):
    """The dice of a side, and the most hits that it can take: the points of its front piece.

    `dice`: compared dice, or where hits cancel (chance, number) of dice that hit.
    """

    dice: tuple[Any, ...]
    room: int = MOST_PAIRS


Both = dict[tuple[int, int], Any]


def chances_of_both(mine: Thrown, theirs: Thrown, step: Step) -> Both:
    """The chances of the hits by the attacker and by the defender."""
    if step.cancel:
        return _cancelled(mine.dice, theirs.dice)
    assert step.compare is not None
    if step.compare.ratio:
        return _by_strength(*(max(0, thrown.dice[0].bonus) for thrown in (mine, theirs)))
    return _compared(mine.dice, theirs.dice, step.compare)


def _cancelled(mine: Sequence[tuple[Fraction, int]], theirs: Sequence[tuple[Fraction, int]]) -> Both:
    """Hits cancel one against one; the difference counts."""
    hits = []
    for dice in (mine, theirs):
        found = np.ones(1)
        for chance, number in dice:
            for _ in range(number):
                found = np.convolve(found, [float(1 - chance), float(chance)])
        hits.append(found)
    difference = np.convolve(hits[0], hits[1][::-1])
    even = len(hits[1]) - 1
    return {(max(0, n - even), max(0, even - n)): float(p) for n, p in enumerate(difference) if p}


def _by_strength(mine: int, theirs: int) -> Both:
    """One hit, by the chances of two strengths."""
    whole = mine + theirs
    if not whole:
        return {(0, 0): Fraction(1)}
    return {hit: Fraction(n, whole) for hit, n in (((1, 0), mine), ((0, 1), theirs)) if n}


def _compared(attackers: Rolled, defenders: Rolled, compare: Compare) -> Both:
    """Sorted dice, pair by pair; a throw that is rolled again decides nothing."""
    ways = dict(ways_of_hits(attackers, defenders, compare.pairs, compare.ties))
    if compare.ties == "reroll":
        ways.pop((0, 0), None)
    whole = sum(ways.values())
    return {hits: Fraction(number, whole) for hits, number in ways.items()}


def _table(mine: Thrown, theirs: Thrown, step: Step) -> Row:
    """The hits of both sides in one result, as many as can be taken: the attacker's, and BOTH times the defender's."""
    found: dict[int, float] = defaultdict(float)
    for (own, enemy), p in chances_of_both(mine, theirs, step).items():
        found[min(own, theirs.room) + BOTH * min(enemy, mine.room)] += float(p)
    results, chances = zip(*sorted(found.items()), strict=True)
    return np.array(results), np.array(chances)


def mean_of(rolled: tuple[Thrown, Thrown], n: int, step: Step) -> Fraction:
    """Mean hits of one of the two sides, before they cancel (section 8, outpowered)."""
    if step.cancel:
        return sum((chance * number for chance, number in rolled[n].dice), Fraction(0))
    return sum((hits[n] * p for hits, p in chances_of_both(*rolled, step).items()), Fraction(0))


def thrown(attackers: Rolled, defenders: Rolled, rng: random.Random) -> tuple[list[int], list[int]]:
    """One throw of both sides: faces with their bonus, highest first."""
    sides = [
        sorted([rng.randint(1, dice.sides) + dice.bonus for dice in side for _ in range(dice.number)], reverse=True)
        for side in (attackers, defenders)
    ]
    return sides[0], sides[1]


def hits_of_throw(throw: tuple[list[int], list[int]], compare: Compare) -> tuple[int, int]:
    """The hits of both sides in a throw, pair by pair."""
    pairs = [*zip(*throw, strict=False)][: compare.pairs]
    mine = sum(own > enemy or (own == enemy and compare.ties in {"attacker", "both"}) for own, enemy in pairs)
    theirs = sum(enemy > own or (own == enemy and compare.ties in {"defender", "both"}) for own, enemy in pairs)
    return mine, theirs


class Profiles(NamedTuple):
    """The dice of a side: `known[number]`, numbers by own place and by what the enemy shows, which is by his place."""

    known: list[Thrown]
    numbers: np.ndarray
    shown: np.ndarray


def _profiles(tables: DiceTables, step: Step, group: int, number: int) -> Profiles:
    """The dice that a side rolls in a group of opposed dice, in a round."""
    side = tables.side
    # A group of opposed dice is one step.
    shots = [shot for shot in side.shots_of(group, number) if side.able(shot)]
    known: dict[Thrown, int] = {}
    rooms = tables.own.front_points if step.aim == "piece" else np.full(len(tables.own), MOST_PAIRS)
    most = MANY if step.compare is None else getattr(step.compare.most, side.side)
    shown, examples = tables.shown(shots, number)
    numbers = np.zeros((len(tables.own), len(examples)), np.int64)
    for rows, seen, now in tables.situations(number, tables.distinguished(shots, number), examples):
        found = [volley for shot in shots if fires(shot, now) for volley in volleys(side, shot, now)]
        dice = [np.minimum(volley.dice, most) for volley in found]
        label, different = distinct([*dice, rooms[rows]], len(rows))
        rolled = [[v._replace(dice=n[at]) for v, n in zip(found, dice, strict=True)] for at in different]
        kept = [hitting(one) if step.cancel else kept_dice(one, side, most) for one in rolled]
        both = zip(kept, rooms[rows][different].tolist(), strict=True)
        numbers[rows, seen] = np.array([known.setdefault(Thrown(*one), len(known)) for one in both])[label]
    return Profiles([*known], numbers, shown)


def opposed_throws(dice: Mapping[str, DiceTables], step: Step, group: int, number: int) -> list[Throws]:
    """The throws of both sides in a group of opposed dice: the attacker's tables hold the hits of both.

    Raises TooLarge for too many pairs of places, and for too many different dice.
    """
    mine, theirs = (_profiles(dice[side], step, group, number) for side in SIDES)
    shown, examples = distinct([mine.shown, *theirs.numbers.T], len(mine.shown))
    check_size(SIDES[0], len(examples) * len(mine.numbers), "pairs of line-ups whose dice are compared", MOST_PLACES)
    wide = len(theirs.known)
    thrown_at = [mine.numbers[:, mine.shown[at]] * wide + theirs.numbers[at, theirs.shown] for at in examples]
    different, label = np.unique(np.column_stack(thrown_at), return_inverse=True)
    label = label.reshape(-1, len(examples))
    able = any if step.cancel else all
    pairs = [(mine.known[pair // wide], theirs.known[pair % wide]) for pair in different.tolist()]
    rolls = {n: rolled for n, rolled in enumerate(pairs) if able(thrown.dice for thrown in rolled)}
    if not step.cancel:
        work = sum(prod(one.number + 1 for side in rolled for one in side.dice) ** 2 for rolled in rolls.values())
        check_size(SIDES[0], work, "steps to compare all their dice", MOST_WORK)
    setup = dice["attacker"].setup
    asked = "outpowered" in setup.leaving
    tables = np.zeros(len(pairs), np.int64)
    means = np.zeros((2, len(pairs)), object if asked else np.int64)
    for n, rolled in rolls.items():
        table = dice["attacker"].book.by(("opposed", rolled, group), partial(_table, *rolled, step))
        tables[n] = dice["attacker"].book.unless_idle(table)
        if asked:
            means[:, n] = [mean_of(rolled, k, step) * setup.whole for k in range(2)]
    tables, means = tables[label], means[:, label]
    if not asked:
        return [Throws(shown, tables, means[0]), Throws(np.zeros(len(tables), int), *np.zeros((2, len(shown), 1), int))]
    # The defender's means depend on his own place and the attacker's.
    answered = means[1][:, shown].T
    return [
        Throws(shown, tables, means[0]),
        Throws(np.arange(len(tables)), np.zeros(answered.shape, np.int64), answered),
    ]
