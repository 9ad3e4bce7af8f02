"""A land battle of two single realms whose rounds are all alike, with one step for each round.

The largest battles are simulated by the rules. Without branches LLVM advances eight battles at once, which takes a
tenth of the time of rules.py (docs/large-battles.md). Numbers and battles are those of rules.py.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import Chain, ReducedChain, helper, rule
from simulator.rules.price_of_power.casualties import (
    GONE,
    HITS,
    MANY,
    UNITS,
    hits_with,
    number_of,
    part,
    present,
    strength_in_place,
    strength_of,
    table_for,
    with_casualties,
)
from simulator.rules.price_of_power.decisions import policy_leaves
from simulator.rules.price_of_power.rules import new_wounds
from simulator.rules.price_of_power.state import (
    DEAD,
    MOST_FACTIONS,
    NPR,
    OVER,
    STAGES,
    WHEN_WOUNDED,
    Params,
)
from simulator.rules.toolkit.retreat import Leave, outnumbered

# The size bound counts states with at most this many losses in each category.
MOST_LOST = 40


class Army(NamedTuple):
    """Numbers of a side, from `rules.Params`.

    `first` is its first table, `dead` the first once its leader is dead. A side leaves by `leaves` and `asks` if it has
    more units than the `price` that it pays.
    """

    first: int
    dead: int
    cap: int
    automatic: int
    leaves: Leave
    asks: int
    price: int


class RoundParams(NamedTuple):
    """Numbers of the battle."""

    attacker: Army
    defender: Army
    strength: np.ndarray
    shown: np.ndarray
    count_rounds: int


class RoundState(NamedTuple):
    """The force, strength and leader's wounds of each side; rounds, if they are counted."""

    attacker: int
    defender_1: int
    attacking: int
    defending: int
    attacker_leader: int
    defender_leader: int
    rounds: int


@helper
def leaves_now(army, own, enemy, wounds):
    """1 if a realm with `own` units leaves, else 0."""
    return (
        1 if policy_leaves(army.leaves, army.asks, 1, own, own, enemy, wounds) & (own > army.price) & (enemy > 0) else 0
    )


@rule(RoundParams)
def running(p, s):
    """Both sides have units in the battle."""
    return present(s.attacker) & present(s.defender_1)


@rule(RoundParams)
def table(p, s):
    """The attacker's dice."""
    own = p.attacker
    return table_for(s.attacking, own.dead if s.attacker_leader == DEAD else own.first, own.cap)


@rule(RoundParams)
def second(p, s):
    """The defender's dice."""
    own = p.defender
    return table_for(s.defending, own.dead if s.defender_leader == DEAD else own.first, own.cap)


@rule(RoundParams)
def step(p, s, result, other):
    """A round: casualties of both sides at once; the price of leaving is one more casualty."""
    ours, theirs = p.shown[result], p.shown[other]
    hits = hits_with(0, s.attacking, ours, p.attacker.automatic)
    back = hits_with(0, s.defending, theirs, p.defender.automatic)
    own, enemy = max((s.attacking >> HITS) - back, 0), max((s.defending >> HITS) - hits, 0)
    leader = s.attacker_leader + (new_wounds(theirs, s.attacker_leader) if back > 0 else 0)
    other_leader = s.defender_leader + (new_wounds(ours, s.defender_leader) if hits > 0 else 0)
    leaving = leaves_now(p.attacker, own, enemy, leader)
    other_leaving = leaves_now(p.defender, enemy, own, other_leader) * (1 - leaving)
    attacker = with_casualties(s.attacker, back + leaving * p.attacker.price, 0)
    defender = with_casualties(s.defender_1, hits + other_leaving * p.defender.price, 0)
    return s._replace(
        attacker=attacker | GONE * leaving,
        defender_1=defender | GONE * other_leaving,
        attacking=strength_in_place(p, 0, attacker),
        defending=strength_in_place(p, 1, defender),
        attacker_leader=leader,
        defender_leader=other_leader,
        rounds=s.rounds + p.count_rounds,
    )


def army_of(p: Params, side: int, leader: int) -> Army:
    """The army of a side."""
    npr, card = p.kind[side] == NPR, leader - leader % STAGES
    dead, first = p.pool[side, card : card + 2, 0, 0]
    own = Leave(*map(int, p.leave[MOST_FACTIONS + 1 + side]))
    leaves = outnumbered() if npr else own if p.asks[side] else Leave()
    return Army(*map(int, (first, dead, p.cap[side], p.automatic[side])), leaves, int(p.asks[side]), 0 if npr else 1)


def reduced_chain(chain: Chain) -> ReducedChain:
    """The same battles with one step for each round."""
    p, s = chain.params, chain.start
    forces, leaders = (s.attacker, s.defender_1), (s.attacker_leader, s.defender_leader)
    armies = (army_of(p, 0, leaders[0]), army_of(p, 1, leaders[1]))
    strengths = (int(strength_of(p, side, force)) for side, force in enumerate(forces))
    start = RoundState(*forces, *strengths, *(leader % STAGES for leader in leaders), 0)
    limits = start._replace(
        attacker=s.attacker | GONE, defender_1=s.defender_1 | GONE, attacker_leader=DEAD if leaders[0] else 0,
        defender_leader=DEAD if leaders[1] else 0, rounds=chain.limits.rounds,
    )  # fmt: skip
    params = RoundParams(*armies, p.strength, p.shown, p.count_rounds)
    rounds = Chain(params, start, limits, chain.tables, counters=("rounds",), may_be_over=True)
    return ReducedChain(rounds, s._replace(phase=OVER))


def least_size(chain: Chain, reduced: ReducedChain) -> tuple[int, int]:
    """Lower bounds of the states and transitions of the whole chain; (0, 0) where a side may leave.

    A side with units for all icons rolls as at the start. Rolls of 0 to k hits, for k categories, then lead to all
    losses that do not rise from category to category.
    """
    p, start, ways = reduced.chain.params, reduced.chain.start, []
    armies = ((p.attacker, start.attacker, start.attacking), (p.defender, start.defender_1, start.defending))
    for side, (army, force, own) in enumerate(armies):
        if army.leaves != Leave() or army.asks == WHEN_WOUNDED or not army.cap:
            return 0, 0
        shown = (chain.tables.rows_of(table_for(own, first, army.cap)) for first in (army.first, army.dead))
        hits = [{int(hits_with(0, own, int(p.shown[roll]), army.automatic)) for roll in rolls} for rolls in shown]
        ways.append((*forces_at_least(p, side, force), set.intersection(*hits)))
    (ours, our_hits, our_rolls), (theirs, their_hits, their_rolls) = ways
    if not (our_rolls >= set(range(their_hits + 1)) and their_rolls >= set(range(our_hits + 1))):
        return 0, 0
    pairs, rolled = ours * theirs, their_hits + 1
    return pairs * (1 + rolled), pairs * rolled * (2 + our_hits)


def forces_at_least(p: RoundParams, side: int, force: int) -> tuple[int, int]:
    """Lower bound of the forces with units for all icons that casualties lead to; and the number of categories."""
    sizes = [number_of(force, which) for which in range(3)]
    lists = [p.strength[3 * side + at, max(0, size - MOST_LOST) : size + 1][::-1] for at, size in enumerate(sizes)]
    own = sum(np.ix_(*lists))
    fits = (own >> UNITS) & MANY >= len(sizes)
    for which in range(3):
        fits &= part(own, which) >= part(p[side].cap, which)
    lost = [numbers for numbers, size in zip(np.indices(own.shape, sparse=True), sizes, strict=True) if size]
    for before, after in pairwise(lost):
        fits &= before >= after
    return int(fits.sum()), len(lost)
