"""The last part of a battle that is too large as a whole: fought until little is left of it, and solved from there.

A solved region is a set of states that the battle cannot leave: all those of which no more than so much is `left`.
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
from simulator.engine.sample.per_battle import by_rules

# Battles that are fought to see where they enter a region, while its size is looked for.
SCOUTS = 512
# The size is looked for to this part of itself.
FINENESS = 16


def tells_what_is_left(chain: Chain) -> bool:
    """Can this chain say how much is left of a battle?"""
    return "left" in rules[type(chain.params)]


def left_of(chain: Chain, state: Any) -> int:
    """How much is left of a battle in a state."""
    return int(chain.part("left")(plain_params(chain.params), state))


def enter(chain: Chain, least: int, seed: int, first: int, battles: int) -> tuple[np.ndarray, np.ndarray]:
    """Where battles from `first` on end, or have no more than `least` left: distinct states (rows of ints), counts."""
    ends, _ = by_rules(chain, seed, battles, first, least)
    assert ends.count is not None
    return np.array(ends.states).T, ends.count


def region(chain: Chain, entries: np.ndarray, budget: int) -> Graph:
    """All that may follow these states. Raises NoExactOdds past the budget (bytes)."""
    return explore(replace(chain, at_least=(0, 0)), budget, starts=entries)


def largest(chain: Chain, seed: int, budget: int) -> int:
    """The largest region, by what is left of a battle, that fits into the budget: by doubling, then bisection.

    Raises NoExactOdds where not even the last units do.
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
