"""A quick start: importing the package loads nothing heavy; each name works from the package."""

import subprocess
import sys

import pytest

import simulator

HEAVY = {"numba", "pandas", "matplotlib", "pydantic", "typer", "rich", "numpy"}


def loaded_by(code):
    show = f"import sys\n{code}\nprint(*(m for m in {sorted(HEAVY)!r} if m in sys.modules))"
    return set(subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True).stdout.split())


def test_import_loads_nothing_heavy():
    assert loaded_by("import simulator") == set()


def test_reading_a_scenario_compiles_nothing():
    assert loaded_by("from simulator import load; load('risk-20v15')") <= {"pydantic", "numpy"}


def test_odds_need_neither_pandas_nor_matplotlib():
    assert not loaded_by("from simulator import odds; odds('risk-20v15').winner('attacker')") & {"pandas", "matplotlib"}


@pytest.mark.parametrize("name", simulator.__all__)
def test_public_names(name):
    assert getattr(simulator, name).__doc__


def test_functions_are_not_hidden_by_modules_of_the_same_name():
    code = "import simulator.analysis.odds.odds, simulator.analysis.studies.sweep, simulator.analysis.history.replay\n"
    code += "from simulator import odds, sweep, replay, exact\n"
    code += "assert all(map(callable, (odds, sweep, replay, exact)))"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        simulator.nothing
