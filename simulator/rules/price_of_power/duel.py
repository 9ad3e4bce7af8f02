"""A battle on land of two lone realms, all of whose rounds are alike: a round a step, in few numbers.

The largest battles have too many states to spell out and are fought with dice. Of the rules they need little, and that
without a branch, so that the processor fights several battles at once. Every number is that of rules.py, and so is
every battle.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import Chain, Lean, helper, rule
from simulator.rules.price_of_power.casualties import (
    GONE,
    HITS,
    MANY,
    UNITS,
    here,
    hits_with,
    part,
    strength_in_place,
    strength_of,
    struck,
    table_for,
)
from simulator.rules.price_of_power.rules import DEAD, NPR, OVER, STAGES, WHEN_WOUNDED, Params, hurt_with, wants_away
from simulator.rules.toolkit.retreat import Leave, never, outnumbered

# Losses of a category that are looked at to say how large the whole chain is at least.
MOST_LOST = 40


class Army(NamedTuple):
    """What `rules.Params` says of a side: where its tables begin, and its automatic hits.

    Its tables are others once its leader is `dead`. It leaves as `leaves` says, or when its leader is wounded, with
    more units than the price that it pays.
    """

    first: int
    dead: int
    cap: int
    automatic: int
    leaves: Leave
    asks: int
    price: int


class Duel(NamedTuple):
    """The numbers of the battle."""

    attacker: Army
    defender: Army
    strength: np.ndarray
    shown: np.ndarray
    count_rounds: int


class Standing(NamedTuple):
    """The force of each side, its strength, its leader's wounds, and the rounds, if they are counted."""

    attacker: int
    defender_1: int
    attacking: int
    defending: int
    attacker_leader: int
    defender_leader: int
    rounds: int


@helper
def table_of(army, own, wounds):
    """The table of a side."""
    return table_for(own, army.dead if wounds == DEAD else army.first, army.cap)


@helper
def goes(army, own, enemy, wounds):
    """Does a realm leave, 1 or 0, with so many units on both sides?"""
    return 1 if wants_away(army.leaves, army.asks, 1, own, enemy, wounds) & (own > army.price) & (enemy > 0) else 0


@rule(Duel)
def running(p, s):
    """Until a side has no unit left or has gone."""
    return here(s.attacker) & here(s.defender_1)


@rule(Duel)
def table(p, s):
    """The attacker's dice."""
    return table_of(p.attacker, s.attacking, s.attacker_leader)


@rule(Duel)
def second(p, s):
    """The defender's dice."""
    return table_of(p.defender, s.defending, s.defender_leader)


@rule(Duel)
def step(p, s, result, other):
    """A round: both sides' casualties come off at once, with the price of leaving, which is the next of them."""
    ours, theirs = p.shown[result], p.shown[other]
    hits = hits_with(0, s.attacking, ours, p.attacker.automatic)
    back = hits_with(0, s.defending, theirs, p.defender.automatic)
    own, enemy = max((s.attacking >> HITS) - back, 0), max((s.defending >> HITS) - hits, 0)
    leader = s.attacker_leader + (hurt_with(theirs, s.attacker_leader) if back > 0 else 0)
    other_leader = s.defender_leader + (hurt_with(ours, s.defender_leader) if hits > 0 else 0)
    leaving = goes(p.attacker, own, enemy, leader)
    other_leaving = goes(p.defender, enemy, own, other_leader) * (1 - leaving)
    attacker = struck(s.attacker, back + leaving * p.attacker.price, 0)
    defender = struck(s.defender_1, hits + other_leaving * p.defender.price, 0)
    return s._replace(
        attacker=attacker | GONE * leaving,
        defender_1=defender | GONE * other_leaving,
        attacking=strength_in_place(p, 0, attacker),
        defending=strength_in_place(p, 1, defender),
        attacker_leader=leader,
        defender_leader=other_leader,
        rounds=s.rounds + p.count_rounds,
    )


def army_of(p: Params, side: int, leader: int, leaves: Leave) -> Army:
    """The army of a side under such a leader; a player's leaves as given."""
    npr, card = p.kind[side] == NPR, leader - leader % STAGES
    dead, first = p.pool[side, card : card + 2, 0, 0]
    leaves = outnumbered() if npr else leaves if p.asks[side] else never()
    return Army(*map(int, (first, dead, p.cap[side], p.automatic[side])), leaves, int(p.asks[side]), 0 if npr else 1)


def lean_of(chain: Chain) -> Lean:
    """The same battles as duels."""
    p, s = chain.params, chain.start
    forces, leaders = (s.attacker, s.defender_1), (s.attacker_leader, s.defender_leader)
    armies = (army_of(p, 0, leaders[0], p.attacker_leaves), army_of(p, 1, leaders[1], p.defender_leaves))
    strengths = (int(strength_of(p, side, force)) for side, force in enumerate(forces))
    start = Standing(*forces, *strengths, *(leader % STAGES for leader in leaders), 0)
    limits = start._replace(
        attacker=s.attacker | GONE, defender_1=s.defender_1 | GONE, attacker_leader=DEAD if leaders[0] else 0,
        defender_leader=DEAD if leaders[1] else 0, rounds=chain.limits.rounds,
    )  # fmt: skip
    duel = Duel(*armies, p.strength, p.shown, p.count_rounds)
    return Lean(
        Chain(duel, start, limits, chain.tables, counters=("rounds",), may_be_over=True), s._replace(phase=OVER)
    )


def least_size(chain: Chain, lean: Lean) -> tuple[int, int]:
    """States and transitions of the whole chain, at least; 0 where a side may leave.

    While both sides have units for all icons they roll as at the start; hits of 0 up to one a category then lead to all
    losses that do not rise from category to category.
    """
    duel, start, ways = lean.chain.params, lean.chain.start, []
    armies = ((duel.attacker, start.attacker, start.attacking), (duel.defender, start.defender_1, start.defending))
    for side, (army, force, own) in enumerate(armies):
        if army.leaves != never() or army.asks == WHEN_WOUNDED or not army.cap:
            return 0, 0
        shown = (chain.tables.rows_of(table_for(own, first, army.cap)) for first in (army.first, army.dead))
        hits = [{int(hits_with(0, own, int(duel.shown[roll]), army.automatic)) for roll in rolls} for rolls in shown]
        ways.append((*forces_at_least(duel, side, force), set.intersection(*hits)))
    (ours, our_hits, our_rolls), (theirs, their_hits, their_rolls) = ways
    if not (our_rolls >= set(range(their_hits + 1)) and their_rolls >= set(range(our_hits + 1))):
        return 0, 0
    pairs, rolled = ours * theirs, their_hits + 1
    return pairs * (1 + rolled), pairs * rolled * (2 + our_hits)


def forces_at_least(duel: Duel, side: int, force: int) -> tuple[int, int]:
    """How many forces with units for all icons casualties lead to, at least; and how many categories it has."""
    sizes = [part(force, which) for which in range(3)]
    lists = [duel.strength[3 * side + at, max(0, size - MOST_LOST) : size + 1][::-1] for at, size in enumerate(sizes)]
    own = sum(np.ix_(*lists))
    fits = (own >> UNITS) & MANY >= len(sizes)
    for which in range(3):
        fits &= part(own, which) >= part(duel[side].cap, which)
    lost = [numbers for numbers, size in zip(np.indices(own.shape, sparse=True), sizes, strict=True) if size]
    for before, after in pairwise(lost):
        fits &= before >= after
    return int(fits.sum()), len(lost)
