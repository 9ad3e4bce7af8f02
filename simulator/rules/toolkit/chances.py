"""Policies that ask for the chance to win: worked out once, backwards, nobody ever leaving, and looked up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.rules.battle import States

SLACK = 1e-12


def unlikely(
    plain: Chain,
    won: Callable[[States], np.ndarray],
    least: float,
    place: Callable[[States], tuple[np.ndarray, ...]],
    shape: tuple[int, ...],
) -> np.ndarray:
    """1 at the places of states from which winning is less likely than `least` (but for rounding), else 0 (int64).

    `plain` is the battle with nobody ever leaving, `won(states)` tells which final states are won, `place(states)` are
    the indices of states (a State of arrays) in an array of this shape. Raises NoExactOdds for a battle too large.
    """
    from simulator.engine.api import state_values

    states, chance = state_values(plain, lambda ends: won(ends).astype(float))
    found = np.zeros(shape, np.int64)
    found[place(states)] = chance < least - SLACK
    return found
