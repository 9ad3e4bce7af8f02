"""Kernels under NUMBA_BOUNDSCHECK=1, in their own cache folder: no example reads or writes outside an array."""

import os
import subprocess
import sys

import pytest

from simulator.scenarios import example_names, load

CODE = """
import sys
from simulator import exact, simulate, NoExactOdds
from simulator.engine.compiled import CACHE
import numba
assert numba.config.BOUNDSCHECK == 1
for name in sys.argv[1:]:
    simulate(name, 3000, seed=1)
    try:
        exact(name, 200_000)
    except NoExactOdds:
        pass
print(CACHE)
"""
GAMES = sorted({load(name).battle.game for name in example_names()})


@pytest.mark.parametrize("game", GAMES)
def test_no_kernel_leaves_its_arrays(game):
    names = [name for name in example_names() if load(name).battle.game == game]
    found = subprocess.run(
        [sys.executable, "-c", CODE, *names],
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
        env=os.environ | {"NUMBA_BOUNDSCHECK": "1"},
    )
    assert found.returncode == 0, found.stderr[-2000:]
    from simulator.engine.compiled import CACHE

    assert found.stdout.strip() != str(CACHE)
