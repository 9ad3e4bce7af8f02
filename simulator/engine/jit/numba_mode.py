"""The switch between numba's internals and its public interface; this module does not import numba.

`pipelines.py` uses numba's internals, so that kernels compile and run faster. It is optional: with
`BATTLE_ODDS_PLAIN_NUMBA=1`, or an untested version of numba, kernels are compiled by the public interface alone.
Answers and counts are the same.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.metadata import version

SWITCH = "BATTLE_ODDS_PLAIN_NUMBA"
# The versions that pipelines.py was tested with: from the first up to, not including, the last.
TRIED = (0, 62), (0, 69)


@cache
def uses_internals() -> bool:
    """Are kernels compiled with `pipelines.py`?"""
    if os.environ.get(SWITCH, "0") not in {"", "0"}:
        return False
    first, last = TRIED
    return first <= numba_version() < last


def numba_version() -> tuple[int, int]:
    """Major and minor version of numba."""
    major, minor, *_ = version("numba").split(".")
    return int(major), int("".join(filter(str.isdigit, minor)))
