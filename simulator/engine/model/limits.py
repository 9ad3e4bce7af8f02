"""What the engine may use, and how it refuses; imports no compiler.

Budgets are bytes of the spelled-out graph (see `explicit`), so that every machine comes to the same choice. While a
graph grows and is solved, two to three times as much is in use for a moment.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

# Progress of a long enumeration: how many states there are so far.
Progress = Callable[[int], Any]

# The automatic choice takes to dice past this: about 8 million transitions, half a second.
QUICK_BYTES = 160_000_000
# `exact` refuses past this; it peaks below 4 GB.
EXACT_BYTES = 1_400_000_000
# An answer whose number of battles nobody chose comes within about this many seconds of processor time; some of it
# goes to loading, to compiling, and to finding out that the battle is too large for exact odds.
ANSWER_SECONDS, SIMULATION_SHARE = 10, 0.5
# The budget of such a simulation is counted in rolls, not in seconds, so that the same seed gives the same counts on
# every machine, calm or busy. Measured, Risk with 3,000 / 10,000 / 100,000 a side, two busy cores: 77 / 40 / 38
# million rolls a second. Games whose rolls take longer fight battles of a few dozen rolls and stay far below it.
ROLLS_PER_SECOND = 40_000_000
ANSWER_ROLLS = int(SIMULATION_SHARE * ANSWER_SECONDS * ROLLS_PER_SECOND)


class NoExactOdds(Exception):
    """Exact odds were asked for, but the battle has too many states; the message says how large it is at least."""


class BrokenGame(ValueError):
    """A game broke its contract with the engine: an error in its rules or tables, never in a scenario.

    The message names the field, table or weight, its value, and the state in which it was met.
    """


def in_words(size: float) -> str:
    """A number of bytes as people read it."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1
