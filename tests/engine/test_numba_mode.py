"""The switch BATTLE_ODDS_PLAIN_NUMBA: without numba's internals the counts are the same."""

import pytest

from simulator import load
from simulator.engine.jit import numba_mode
from simulator.engine.jit.numba_mode import SWITCH, announce_fallback, uses_internals
from simulator.engine.sample.simulation import Simulation
from tests.processes import python

EXAMPLES = ("risk-20v15", "power-knights")
BATTLES = 20_000
CODE = f"""
from simulator import load
from simulator.engine.jit.numba_mode import uses_internals
from simulator.engine.sample.simulation import Simulation
assert not uses_internals()
for name in {EXAMPLES}:
    simulation = Simulation(load(name).chain, 1)
    simulation.add({BATTLES})
    print(simulation.ends().count.tolist())
"""


def test_counts_without_numba_internals(tmp_path):
    done = python(CODE, **{SWITCH: "1", "BATTLE_ODDS_CACHE": str(tmp_path)})
    assert done.stderr.count("by its public interface alone") == 1
    simulations = [Simulation(load(name).chain, 1) for name in EXAMPLES]
    for simulation in simulations:
        simulation.add(BATTLES)
    assert done.stdout.split("\n")[:-1] == [str(simulation.ends().count.tolist()) for simulation in simulations]


@pytest.mark.parametrize(("value", "internals"), [("1", False), ("0", True), ("", True)])
def test_the_switch(monkeypatch, value, internals):
    monkeypatch.setenv(SWITCH, value)
    uses_internals.cache_clear()
    assert uses_internals() == internals
    monkeypatch.undo()
    uses_internals.cache_clear()


def test_numba_s_internals_need_no_line(capsys, monkeypatch):
    monkeypatch.delenv(SWITCH, raising=False)
    for clear in (uses_internals.cache_clear, announce_fallback.cache_clear):
        clear()
    announce_fallback()
    assert capsys.readouterr().err == ""


def test_an_untried_numba_falls_back_with_a_line(capsys, monkeypatch):
    monkeypatch.delenv(SWITCH, raising=False)
    monkeypatch.setattr(numba_mode, "numba_version", lambda: (0, 99))
    uses_internals.cache_clear()
    announce_fallback.cache_clear()
    assert not uses_internals()
    announce_fallback()
    announce_fallback()
    assert capsys.readouterr().err.count("\n") == 1
    monkeypatch.undo()
    uses_internals.cache_clear()
    announce_fallback.cache_clear()
