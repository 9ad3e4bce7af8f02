"""The switch between numba's internals and its public interface; this module does not import numba.

`pipelines.py` uses numba's internals, so that kernels compile and load faster. It is optional: with
`BATTLE_ODDS_PLAIN_NUMBA=1`, or an untested version of numba, kernels are compiled by the public interface alone, and
one line on standard error says so. Answers, counts and the pace of battles are the same.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.metadata import version

SWITCH = "BATTLE_ODDS_PLAIN_NUMBA"
# The versions that pipelines.py was tested with: from the first up to, not including, the last.
TRIED = (0, 62), (0, 69)


@cache
def uses_internals() -> bool:
    """Are kernels compiled with `pipelines.py`?"""
    first, last = TRIED
    return not switched_off() and first <= numba_version() < last


def switched_off() -> bool:
    """Does the environment forbid numba's internals?"""
    return os.environ.get(SWITCH, "0") not in {"", "0"}


@cache
def announce_fallback() -> None:
    """Say once in a process, on standard error, that numba's public interface alone compiles; say nothing otherwise."""
    if uses_internals():
        return
    (major, first), (_, end) = TRIED
    why = f"{SWITCH} is set" if switched_off() else f"tried are {major}.{first} to {major}.{end - 1}"
    print(
        f"battle-odds: numba {version('numba')} is used by its public interface alone ({why}); "
        "kernels take longer to compile and to load, answers are the same",
        file=sys.stderr,
    )


def numba_version() -> tuple[int, int]:
    """Major and minor version of numba."""
    major, minor, *_ = version("numba").split(".")
    return int(major), int("".join(filter(str.isdigit, minor)))
