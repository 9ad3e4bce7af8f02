"""A battle of two lone realms without leaders that fight to the last: a round a step, in few numbers.

The largest battles have too many states to spell out and are fought with dice. Of the rules they need little, and that
without a branch, so that the processor fights several battles at once. Every number is that of rules.py, and so is
every battle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.chain import Chain, Lean, helper, rule
from simulator.rules.price_of_power.casualties import strength_in_place, strength_of, struck
from simulator.rules.price_of_power.rules import OVER, Params, hits_with, table_for


class Army(NamedTuple):
    """What `rules.Params` says of a side: where its lists and its tables begin, and its automatic hits."""

    row: int
    first: int
    cap: int
    stride: int
    automatic: int


class Duel(NamedTuple):
    """The numbers of the battle."""

    attacker: Army
    defender: Army
    strength: np.ndarray
    icons: np.ndarray
    count_rounds: int


class Standing(NamedTuple):
    """The force of each side, its strength, and the rounds, if they are counted."""

    attacker: int
    defender_1: int
    attacking: int
    defending: int
    rounds: int


@helper
def table_of(army, own):
    """The table of a side."""
    return table_for(own, army.first, army.cap, army.stride)


@rule(Duel)
def running(p, s):
    """Until a side has no unit left."""
    return (s.attacker > 0) & (s.defender_1 > 0)


@rule(Duel)
def table(p, s):
    """The attacker's dice."""
    return table_of(p.attacker, s.attacking)


@rule(Duel)
def second(p, s):
    """The defender's dice."""
    return table_of(p.defender, s.defending)


@rule(Duel)
def step(p, s, result, other):
    """A round: both sides' casualties come off at once."""
    hits = hits_with(0, s.attacking, p.icons[result], p.attacker.automatic)
    back = hits_with(0, s.defending, p.icons[other], p.defender.automatic)
    attacker, defender = struck(s.attacker, back, 0), struck(s.defender_1, hits, 0)
    return s._replace(
        attacker=attacker,
        defender_1=defender,
        attacking=strength_in_place(p, p.attacker.row, attacker),
        defending=strength_in_place(p, p.defender.row, defender),
        rounds=s.rounds + p.count_rounds,
    )


def army_of(p: Params, side: int) -> Army:
    """The army of a side, led by nobody."""
    first = p.first[p.pool[side, 0, 1, 0]]
    return Army(*map(int, (p.row[side], first, p.cap[side], p.stride[side], p.automatic[side])))


def lean_of(chain: Chain) -> Lean:
    """The same battles as duels."""
    p, s = chain.params, chain.start
    duel = Duel(army_of(p, 0), army_of(p, 1), p.strength, p.icons, p.count_rounds)
    forces = s.attacker, s.defender_1
    strengths = (int(strength_of(p, side, force)) for side, force in enumerate(forces))
    start = Standing(*forces, *strengths, 0)
    limits = start._replace(rounds=chain.limits.rounds)
    return Lean(Chain(duel, start, limits, chain.tables, counters=("rounds",)), s._replace(phase=OVER))
