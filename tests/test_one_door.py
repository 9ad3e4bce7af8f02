"""`odds` answers in every way, `exact` and `simulate` are its short forms, and old names say the new ones."""

import importlib
import inspect

import pytest

import simulator
from simulator import exact, luck, mix, odds, simulate, worth
from simulator.scenarios.arguments import COMMON, described

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 6}, "defender": {"regiments": 5}}
FOG = LAND | {"defender": {"regiments": {"from": 4, "to": 5}}}


def test_the_short_forms_are_the_door_with_a_method():
    assert odds(LAND, method="exact").table.equals(exact(LAND).table)
    assert odds(LAND).table.equals(exact(LAND).table)
    plain = simulate(LAND, 5_000, seed=3)
    for method in ("auto", "simulate"):
        assert odds(LAND, method=method, battles=5_000, seed=3).table.equals(plain.table)
    rough = odds(LAND, method="simulate", precision=0.01)
    assert rough.method == "simulated"
    assert all(one.high - one.low <= 0.02 for one in rough.results)


def test_the_counts_of_battles_are_kept_and_go_on(tmp_path):
    out = tmp_path / "run.json"
    assert odds(LAND, battles=1_000, out=out).table.equals(simulate(LAND, 1_000).table)
    assert odds(LAND, battles=3_000, out=out).table.equals(simulate(LAND, 3_000).table)
    with pytest.raises(ValueError, match=r"^out: .* has 3,000 battles already"):
        odds(LAND, battles=2_000, out=out)
    with pytest.raises(ValueError, match=r"^out, cluster: go with battles"):
        odds(LAND, out=tmp_path / "other.json")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            {"method": "exakt"},
            r"^method: 'exakt' is not allowed; must be one of auto, exact, simulate; did you mean",
        ),
        ({"method": "exact", "battles": 10}, r'^battles: does not go with method "exact"'),
        ({"method": "exact", "precision": 0.01}, r'^precision: does not go with method "exact"'),
        ({"battles": 10, "precision": 0.01}, r"^battles: does not go with precision"),
        ({"battles": 0}, r"^battles: 0 is not allowed"),
        ({"precision": 1.0}, r"^precision: 1.0 is not allowed"),
    ],
)
def test_what_contradicts_itself_is_refused(given, text):
    with pytest.raises(ValueError, match=text):
        odds(LAND, **given)


def test_other_questions_take_the_methods_by_the_same_names():
    assert mix(FOG, 2_000, method="simulate").odds.method == "simulated"
    assert mix(FOG, method="exact").odds.method == "exact"
    assert worth(LAND, {"win": 1}, method="simulate").method == "simulated"
    with pytest.raises(ValueError, match=r"^method: 'fast' is not allowed"):
        luck([{"scenario": LAND, "winner": "attacker"}], method="fast")


@pytest.mark.parametrize("name", ["answer", "long_run", "long_sweep", "Method", "scored"])
def test_an_old_name_says_the_new_one_in_a_line(name):
    with pytest.raises(ImportError, match=rf"^simulator\.{name} is gone; write (odds|sweep)\(scenario.*\)?") as told:
        getattr(simulator, name)
    assert "\n" not in str(told.value)
    with pytest.raises(ImportError, match="is gone; write"):
        exec(f"from simulator import {name}")
    assert name not in dir(simulator)


def test_a_module_is_named_as_its_public_function():
    """All but `odds` with its short forms, which stand together, and the import of foreign maps."""
    homes = {}
    for name in set(simulator.__all__) - set(simulator.GAMES):
        homes.setdefault(inspect.unwrap(getattr(simulator, name)).__module__, []).append(name.lower())
    named_otherwise = {home for home, names in homes.items() if home.rpartition(".")[2] not in names}
    allowed = {
        "simulator.analysis.odds.answer",  # odds, exact, simulate, explain
        "simulator.analysis.odds.run",  # Interrupted
        "simulator.analysis.studies.swept",  # Sweep, which `sweep` gives
        "simulator.engine.model.limits",  # NoExactOdds
        "simulator.rules.custom.triplea",
        "simulator.scenarios.constructors",  # Game
        "simulator.scenarios.validation",  # ScenarioError
    }
    assert named_otherwise == allowed


def test_common_parameters_are_described_once():
    """A parameter with the common meaning is not described in the source of a function; other meanings are."""
    for name in simulator.__all__:
        function = getattr(simulator, name)
        if inspect.isfunction(function):
            source = inspect.getsource(importlib.import_module(inspect.unwrap(function).__module__))
            assert not [meaning for _, meaning in COMMON.values() if f"        {meaning}\n" in source], name
    assert COMMON["seed"][1] in inspect.getdoc(odds)


def test_common_parameters_are_filled_in_in_their_places():
    text = "Do it.\n\nParameters\n----------\nb : int\n    Own.\n\nReturns\n-------\nint\n    It."
    seed = f"seed : int\n    {COMMON['seed'][1]}"
    filled = text.replace("b : int\n    Own.", f"b : int\n    Own.\n{seed}")
    assert described(text, ["b", "seed"]) == filled
    assert described(filled, ["b", "seed"]) == filled
    without = "Do it.\n\nReturns\n-------\nint\n    It."
    assert described(without, ["seed"]) == without.replace("Returns", f"Parameters\n----------\n{seed}\n\nReturns")
    assert described(without, ["b"]) == without
