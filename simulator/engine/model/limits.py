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
