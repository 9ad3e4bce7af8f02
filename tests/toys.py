"""Small made-up battles that put the engine through its paces."""

from __future__ import annotations

from typing import NamedTuple

from simulator.engine.chain import Chain, helper, rule
from simulator.engine.chance import TableBook


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
    return Chain(Walk(goal, counting), Coins(start, 0), Coins(goal, 2**20 - 1), book.close())


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
    return Waiting(0 if p.stuck > 0 else result)


def stay(weights: dict[int, int], stuck: int = 0) -> Chain:
    book = TableBook()
    book.add(weights)
    return Chain(Stay(stuck), Waiting(0), Waiting(3), book.close())
