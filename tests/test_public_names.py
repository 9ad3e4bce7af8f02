"""The public names of the package, and the constructors of scenarios."""

import inspect
import pickle
import re
from pathlib import Path

import pytest

import simulator
from simulator import Game, ScenarioError, load, odds, rules
from simulator.rules import custom
from tests import constructor_stub

RULES = Path(rules.__file__).parent


def test_only_public_names_are_listed():
    assert set(dir(simulator)) == {"__version__", *simulator.__all__}
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        simulator.nonsense


def test_every_game_is_a_name_with_its_battle_kinds():
    """A game is a folder of simulator/rules with battles, or a shipped game file."""
    own = {
        file.parent.name for file in RULES.glob("*/__init__.py") if re.search(r"^BATTLES = ", file.read_text(), re.M)
    }
    for name in own:
        game = name.replace("_", "-")
        assert game in rules.GAMES, f'add "{game}": "simulator.rules.{name}" to GAMES in simulator/rules/__init__.py'
    assert set(simulator.GAMES) == {*own, *(name.replace("-", "_") for name in custom.names())}
    for name in simulator.GAMES:
        game = getattr(simulator, name)
        for kind in dir(game):
            made = getattr(game, kind)
            assert made.__doc__.count("\n") > 3
            assert inspect.signature(made).parameters


def test_the_stub_of_the_constructors_is_up_to_date():
    assert constructor_stub.STUB.read_text(encoding="utf-8") == constructor_stub.text(), (
        "run python -m tests.constructor_stub"
    )


def test_a_constructor_gives_a_checked_scenario():
    made = simulator.risk.land(attacker=20, defender={"regiments": 15})
    assert made == load("risk-20v15")
    assert odds(made).winner("attacker") == pytest.approx(0.8603989124, abs=1e-10)
    assert pickle.loads(pickle.dumps(simulator.risk)).land(attacker=20, defender=15) == made
    path = simulator.risk.land(attacker=20, defender=[5, 3], options={"left_behind": 2})
    assert path.data["options"] == {"left_behind": 2}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"attacker": "x", "defender": 1}, r"^attacker.regiments: 'x' is not allowed; give a whole number"),
        ({"attacker": 1}, r"^defender: is needed"),
        ({"attackr": 1}, r"^attackr: unknown field; did you mean attacker\?"),
    ],
)
def test_a_constructor_refuses_as_a_scenario_does(given, text):
    with pytest.raises(ScenarioError, match=text):
        simulator.risk.land(**given)


def test_an_own_game_file_has_constructors_too(tmp_path):
    shipped = custom.names()
    assert "skirmish" in shipped
    with pytest.raises(ScenarioError, match="did you mean risk"):
        Game("rsk")
    with pytest.raises(AttributeError, match="it has land, amphibious, naval"):
        simulator.risk.sea


WRONG = {
    "precision as a text": (
        lambda: odds("risk-20v15", precision="0.1%"),
        "precision: '0.1%' is not allowed; give a num",
    ),
    "a number for values": (
        lambda: simulator.sweep("risk-20v15", {"attacker.regiments": 5}),
        "vary.attacker.regiments: 5 is not allowed; give a list",
    ),
    "a text for values": (
        lambda: simulator.sweep("risk-20v15", {"attacker.regiments": "1:9"}),
        "'1:9' is not allowed; giv",
    ),
    "no mapping": (
        lambda: simulator.sweep("risk-20v15", "attacker.regiments"),
        "vary: 'attacker.regiments' is not allow",
    ),
    "no scenario": (lambda: odds(5), "scenario: 5 is not allowed; give a mapping, a file or"),
    "a number as a question": (lambda: odds("risk-20v15").p(5), "query: 5 is not allowed; give a question, or bools"),
    "a text for a number": (
        lambda: simulator.need("risk-20v15", "attacker.regiments", "0.8"),
        "target: '0.8' is not all",
    ),
    "a text for a seed": (
        lambda: simulator.replay("risk-20v15", seed="1"),
        "seed: '1' is not allowed; give a whole number",
    ),
    "weights that are no numbers": (
        lambda: simulator.worth("risk-20v15", {"win": "x"}),
        "weights.win: 'x' is not allowed; give a finite number",
    ),
    "one scenario to compare": (lambda: simulator.compare(5), "scenarios: "),
    "a number as rounds": (
        lambda: simulator.rounds("risk-20v15", "3"),
        "most: '3' is not allowed; give a whole number",
    ),
    "no fields": (
        lambda: simulator.sensitivity("risk-20v15", fields=3),
        "fields: 3 is not allowed; give a text or a list",
    ),
    "a number as a file": (lambda: odds("risk-20v15").plot(path=5), "path: 5 is not allowed; give a text or a path"),
    "no log": (lambda: simulator.luck(5), "battles: give a list of battles, or a CSV or JSON file"),
    "a text as battles": (
        lambda: simulator.simulate("risk-20v15", "many"),
        "battles: 'many' is not allowed; give a whole",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_types_are_refused_in_one_sentence(case):
    ask, text = WRONG[case]
    with pytest.raises(ValueError, match=re.escape(text)) as refused:
        ask()
    assert "\n" not in str(refused.value)
