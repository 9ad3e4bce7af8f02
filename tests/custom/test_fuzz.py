"""Broken game files: refused on one line or fought, never a traceback, never a hang."""

import copy
import tomllib
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator import ScenarioError, exact, load, simulate
from simulator.rules.custom.game_file.files import names, shipped_text

ARMIES = {
    "skirmish": ("field", {"pikes": 2, "knights": 1}, {"archers": 2}),
    "axis-and-allies-1942": ("sea", {"submarine": 2, "fighter": 1}, {"destroyer": 1, "transport": 1}),
    "axis-and-allies-revised": ("land", {"infantry": 2, "fighter": 1}, {"infantry": 2, "aa_gun": 1}),
    "twilight-imperium-4": ("ground", {"infantry": 2, "war_sun": 1}, {"infantry": 2, "pds": 1}),
}
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.sampled_from(
        [10**30, 0.5, float("nan"), float("inf"), "", "all", "foot", "attack", "2 + 1", "__class__", "a" * 300]
    ),
    st.lists(st.sampled_from(["foot", "land", "infantry", "ghost", 3, True]), max_size=3),
    st.dictionaries(
        st.sampled_from(["value", "dice", "reroll", "own", "attacker", "x y", ""]), st.integers(-1, 5), max_size=2
    ),
)


def places(node, path=()):
    """Every place in nested tables and lists."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield (*path, key)
        yield from places(child, (*path, key))


def put(game, path, value):
    node = game
    for key in path[:-1]:
        node = node[key]
    if value is ...:
        del node[path[-1]]
    else:
        node[path[-1]] = value


def loaded(scenario, folder=None):
    """The scenario, or None if it is refused, on one line that names a field."""
    answer = ""
    try:
        return load(scenario, folder)
    except ScenarioError as refused:
        answer = str(refused)
    assert "\n" not in answer
    assert ": " in answer
    return None


GAMES = {name: tomllib.loads(shipped_text(name)) for name in names()}
PLACES = {name: list(places(game)) for name, game in GAMES.items()}


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(ARMIES)), st.data())
def test_one_or_two_keys_changed(name, data):
    game = copy.deepcopy(GAMES[name])
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(PLACES[name]))
        with suppress(KeyError, TypeError, IndexError):
            put(game, path, data.draw(VALUES | st.just(...)))
    battle, attacker, defender = ARMIES[name]
    scenario = {"game": "custom", "battle": battle, "rules": game, "attacker": attacker, "defender": defender}
    asked = loaded(scenario)
    if asked is None:
        return
    assert sum(exact(asked).chances) == pytest.approx(1, abs=1e-9)
    assert asked.built.explain()


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(ARMIES)), st.data())
def test_a_file_with_a_hole_or_a_wrong_letter(tmp_path_factory, name, data):
    text = shipped_text(name)
    at = data.draw(st.integers(0, len(text) - 1))
    cut = data.draw(st.integers(0, 40))
    folder = tmp_path_factory.mktemp("games")
    (folder / "g.toml").write_text(text[:at] + data.draw(st.text(max_size=3)) + text[at + cut :], encoding="utf-8")
    battle, attacker, defender = ARMIES[name]
    scenario = {"game": "g.toml", "battle": battle, "attacker": attacker, "defender": defender}
    asked = loaded(scenario, folder)
    assert asked is None or asked.built.chain is not None


@given(st.recursive(VALUES, lambda inner: st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=6))
@settings(max_examples=100, deadline=None)
def test_rules_of_any_kind(rules):
    scenario = {
        "game": "skirmish",
        "battle": "field",
        "rules": rules,
        "attacker": {"pikes": 1},
        "defender": {"pikes": 1},
    }
    loaded(scenario)


def test_a_thousand_dice_for_every_unit_are_never_enumerated():
    """`dice = 1000` just to mean one for each target (section 5, step 4)."""
    odds = exact(
        {
            "game": "axis-and-allies-revised",
            "battle": "land",
            "attacker": {"fighter": 4},
            "defender": {"infantry": 1, "aa_gun": 1000},
        }
    )
    assert odds.mean("attacker_fighter_lost") > 4 / 6 - 1e-12


def test_nobody_can_ever_hit_whatever_the_round():
    rules = {
        "format": 1,
        "name": "Late",
        "unit": {"wall": {"combat": 2}},
        "battle": {"field": {"undecided": "defender"}},
        "step": [{"name": "fire", "from_round": 100, "hits_only": []}],
    }
    odds = exact(
        {"game": "custom", "battle": "field", "rules": rules, "attacker": {"wall": 2}, "defender": {"wall": 2}}
    )
    assert odds.p("stalemate") == odds.winner("defender") == 1
    late = rules | {"step": [{"name": "fire", "from_round": 100}]}
    odds = exact({"game": "custom", "battle": "field", "rules": late, "attacker": {"wall": 2}, "defender": {"wall": 2}})
    assert odds.columns["rounds"].min() >= 100


def test_battles_of_more_than_a_million_rounds_are_counted():
    rules = {
        "format": 1,
        "name": "Rare",
        "dice": {"sides": 1000},
        "unit": {"owl": {"combat": {"value": 1, "reroll": [1]}}},
        "battle": {"field": {}},
        "step": [{"name": "fire"}],
    }
    scenario = {"game": "custom", "battle": "field", "rules": rules, "attacker": {"owl": 1}, "defender": {"owl": 1}}
    odds = simulate(scenario, battles=20, seed=1)
    assert odds.columns["rounds"].max() > 2**20
    assert 0.2 < odds.mean("rounds") / 500_000 < 3
