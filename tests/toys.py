"""Small made-up battles that put the engine through its paces."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import Chain, helper, rule
from simulator.engine.model.chance import TableBook, from_rows


class Walk(NamedTuple):
    """A fair-or-not game of coins: `up` of `of` tosses win a coin, until 0 or `goal`."""

    goal: int
    counting: int


class Coins(NamedTuple):
    coins: int
    tosses: int


@rule(Walk)
def running(p, s):
    return (s.coins > 0) & (s.coins < p.goal)


@rule(Walk)
def table(p, s):
    return 1


@rule(Walk)
def step(p, s, result):
    return Coins(s.coins + 2 * result - 1, s.tosses + p.counting)


def walk(start: int, goal: int, win: int = 1, lose: int = 1, counting: int = 0) -> Chain:
    book = TableBook()
    book.add({0: lose, 1: win})
    counters = ("tosses",) if counting else ()
    begin, limits = Coins(start, 0), Coins(goal, 2**20 - 1)
    return Chain(Walk(goal, counting), begin, limits, book.close(), counters=counters, may_be_over=True)


class Stakes(NamedTuple):
    """The game of coins after a first toss that leaves a mark and decides nothing."""

    goal: int


class Marked(NamedTuple):
    coins: int
    begun: int
    mark: int
    tosses: int


@rule(Stakes)
def running(p, s):
    return (s.begun == 0) | ((s.coins > 0) & (s.coins < p.goal))


@rule(Stakes)
def table(p, s):
    return 1


@rule(Stakes)
def step(p, s, result):
    if s.begun == 0:
        return Marked(s.coins, 1, 3 + result, s.tosses)
    return Marked(s.coins + 2 * result - 1, 1, s.mark, s.tosses + 1)


def marked_walk(start: int, goal: int) -> Chain:
    book = TableBook()
    book.add({0: 1, 1: 1})
    begin, limits = Marked(start, 0, 0, 0), Marked(goal, 1, 4, 2**20 - 1)
    return Chain(Stakes(goal), begin, limits, book.close(), counters=("tosses",))


class Urn(NamedTuple):
    rounds: int


class Wide(NamedTuple):
    """More than 64 bits in all: how often each of three results came, in far too wide fields."""

    first: int
    second: int
    third: int
    left: int


@helper
def hit(result, which):
    return 1 if result == which else 0


@rule(Urn)
def running(p, s):
    return s.left > 0


@rule(Urn)
def table(p, s):
    return 1


@rule(Urn)
def step(p, s, result):
    return Wide(s.first + hit(result, 0), s.second + hit(result, 1), s.third + hit(result, 2), s.left - 1)


def urn(rounds: int) -> Chain:
    book = TableBook()
    book.add({0: 1, 1: 2, 2: 3})
    wide = 2**31 - 1
    return Chain(Urn(rounds), Wide(0, 0, 0, rounds), Wide(wide, wide, wide, wide), book.close())


class Stay(NamedTuple):
    """A battle that waits in one state until a rare result ends it."""

    stuck: int


class Waiting(NamedTuple):
    over: int


@rule(Stay)
def running(p, s):
    return s.over == 0


@rule(Stay)
def table(p, s):
    return 1


@rule(Stay)
def step(p, s, result):
    return Waiting(0 if p.stuck > 0 else result * (1 if p.stuck == 0 else -1))


def stay(weights: dict[int, int], stuck: int = 0) -> Chain:
    book = TableBook()
    book.add(weights)
    return Chain(Stay(stuck), Waiting(0), Waiting(3), book.close())


class Ring(NamedTuple):
    """A battle that goes round `states` places; with `way_out` result 1 leaves it from the last of them."""

    states: int
    way_out: int


class At(NamedTuple):
    place: int
    over: int


@rule(Ring)
def running(p, s):
    return s.over == 0


@rule(Ring)
def table(p, s):
    return 1


@rule(Ring)
def step(p, s, result):
    out = p.way_out > 0 and result == 1 and s.place == p.states - 1
    return At((s.place + 1) % p.states, 1 if out else 0)


def ring(states: int, way_out: int = 0, win: int = 1, lose: int = 1) -> Chain:
    book = TableBook()
    book.add({0: lose, 1: win})
    return Chain(Ring(states, way_out), At(0, 0), At(states - 1, 1), book.close())


class Skirmish(NamedTuple):
    """Both sides roll a die a unit at once and hit on a number; nobody looks at the other's roll.

    `first` is the table of one attacker's dice, those of more follow; `other` the same of the defender.
    """

    first: int
    other: int


class Sides(NamedTuple):
    mine: int
    theirs: int
    rounds: int


@rule(Skirmish)
def running(p, s):
    return (s.mine > 0) & (s.theirs > 0)


@rule(Skirmish)
def table(p, s):
    return p.first + s.mine - 1


@rule(Skirmish)
def second(p, s):
    return p.other + s.theirs - 1


@rule(Skirmish)
def step(p, s, result, other):
    return s._replace(mine=max(0, s.mine - other), theirs=max(0, s.theirs - result), rounds=s.rounds + 1)


def hits(dice: int, chance: float) -> dict[int, float]:
    """Chances of each number of hits, without what is too unlikely to matter."""
    rows = {n: math.comb(dice, n) * chance**n * (1 - chance) ** (dice - n) for n in range(dice + 1)}
    return {n: p for n, p in rows.items() if p > 1e-17}


def skirmish(mine: int, theirs: int, chance: float = 1 / 6) -> Chain:
    rows = [(np.zeros(1, int), np.ones(1))]
    for side in (mine, theirs):
        tables = [hits(dice, chance) for dice in range(1, side + 1)]
        rows += [(np.array(list(table)), np.array(list(table.values()))) for table in tables]
    start = Sides(mine, theirs, 0)
    limits = Sides(mine, theirs, 10**6)
    return Chain(Skirmish(1, 1 + mine), start, limits, from_rows(rows), counters=("rounds",))


class Gamble(NamedTuple):
    """A coin game that its player may leave before every toss: under `leave_at` coins by the fixed policy."""

    goal: int
    leave_at: int


class Purse(NamedTuple):
    coins: int
    asked: int
    left: int


@rule(Gamble)
def running(p, s):
    return (s.coins > 0) & (s.coins < p.goal) & (s.left == 0)


@rule(Gamble)
def table(p, s):
    return 1


@rule(Gamble)
def step(p, s, result):
    if s.asked == 0:
        return s._replace(asked=1, left=result)
    return Purse(s.coins + 2 * result - 1, 0, 0)


@rule(Gamble)
def decides(p, s):
    return 1 if s.asked == 0 else 0


@rule(Gamble)
def options(p, s):
    return 2


@rule(Gamble)
def choose(p, s):
    return 1 if s.coins < p.leave_at else 0


def gamble(start: int, goal: int, leave_at: int) -> Chain:
    book = TableBook()
    book.add({0: 1, 1: 1})
    return Chain(Gamble(goal, leave_at), Purse(start, 0, 0), Purse(goal, 1, 1), book.close())
