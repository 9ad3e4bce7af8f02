"""Exact solution of the tail of a battle that is too large as a whole; its beginning is simulated.

The region is the set of states whose rule `left` is at most a bound. A battle cannot leave it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from simulator.engine.graph.explore import explore
from simulator.engine.graph.graph import Graph
from simulator.engine.model.chain import Chain, rules
from simulator.engine.model.interpreted import plain_params
from simulator.engine.model.limits import NoExactOdds
from simulator.engine.sample.per_battle import walk_by_rules

# Battles that sample the entries of a region, in the search for its size.
SCOUTS = 512
# The relative precision of the search, as 1 / FINENESS.
FINENESS = 16


def has_left_rule(chain: Chain) -> bool:
    """Does this chain have the rule `left`?"""
    return "left" in rules[type(chain.params)]


def left_of(chain: Chain, state: Any) -> int:
    """The rule `left` in a state."""
    return int(chain.part("left")(plain_params(chain.params), state))


def enter(chain: Chain, least: int, seed: int, first: int, battles: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct states in which battles from `first` on end or enter the region, and how many do so in each.

    States: int64, shape (states, fields); numbers of battles: int64, shape (states,).
    """
    ends, _ = walk_by_rules(chain, seed, battles, first, least)
    assert ends.count is not None
    return np.array(ends.states).T, ends.count


def region(chain: Chain, entries: np.ndarray, budget: int) -> Graph:
    """The graph of the region from `entries`: int64, shape (states, fields). Raises NoExactOdds past `budget` bytes."""
    return explore(replace(chain, at_least=(0, 0)), budget, starts=entries)


def largest(chain: Chain, seed: int, budget: int) -> int:
    """The largest bound of a region that fits into the budget, by doubling, then bisection.

    Raises NoExactOdds if even the smallest region does not fit.
    """
    whole = left_of(chain, chain.settled(chain.start))

    def fits(least: int) -> bool:
        try:
            region(chain, enter(chain, least, seed, 0, SCOUTS)[0], budget)
        except NoExactOdds:
            return False
        return True

    low, high = 0, 1
    while high < whole and fits(high):
        low, high = high, 2 * high
    high = min(high, whole)
    while high - low > max(1, low // FINENESS):
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    if low == 0:
        raise NoExactOdds("not even the last units of this battle fit into the budget")
    return low
