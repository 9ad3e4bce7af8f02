"""Budgets of the engine, and the errors of its refusals; it does not import numba.

Budgets are estimated bytes of the graph (see `graph.size_of`), so that every machine makes the same choice. The peak
during construction and solution is two to three times as much.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

# Callback of a long enumeration: it gets the number of states so far.
Progress = Callable[[int], Any]

# The automatic choice simulates beyond this: about 8 million transitions, half a second.
QUICK_BYTES = 160_000_000
# `exact` refuses beyond this; its peak is below 4 GB.
EXACT_BYTES = 1_400_000_000
# An answer whose number of battles nobody chose comes within about this many seconds of processor time; some of it
# goes to loading, to compiling, and to finding out that the battle is too large for exact odds.
ANSWER_SECONDS, SIMULATION_SHARE = 10, 0.35
# The budget of such a simulation is counted in rolls, not in seconds, so that the same seed gives the same counts on
# every machine, calm or busy. Measured, Risk with 3,000 / 10,000 / 100,000 a side, two busy cores: 77 / 40 / 38
# million rolls a second. Games whose rolls take longer fight battles of a few dozen rolls and stay far below it.
ROLLS_PER_SECOND = 40_000_000
ANSWER_ROLLS = int(SIMULATION_SHARE * ANSWER_SECONDS * ROLLS_PER_SECOND)


class NoExactOdds(Exception):
    """The battle has too many states for exact odds; the message gives a lower bound of its size."""


class NotCompiled(NoExactOdds):
    """A kernel would have to be compiled, which this answer does not wait for; `seconds` is about how long it takes."""

    def __init__(self, kernel: str, seconds: int) -> None:
        super().__init__(f"{kernel} is not compiled yet: about {seconds} s, once")
        self.seconds = seconds


class BrokenGame(ValueError):
    """A game broke its contract with the engine: an error in its rules or tables, never in a scenario.

    The message names the field, table or weight, its value, and the state.
    """


def in_words(size: float) -> str:
    """A number of bytes, for messages."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def processors() -> int:
    """The number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1
