"""Random game files against the slow reference, which shares no code with the rules."""

import json
import re
from collections import defaultdict
from functools import cache

import pytest
from hypothesis import HealthCheck, assume, given, settings

from simulator import ScenarioError, campaign, exact, load
from simulator.rules.battle import WINNERS
from tests.custom.games import scenarios
from tests.custom.games_format2 import comparing, scenarios_of_format_2
from tests.custom.reference import Reference
from tests.custom.reference_format2 import Reference2

EXAMPLES = ("skirmish-charge", "twilight-space", "axis-sea-carriers", "axis-landing", "axis-revised-house-rule")


def rows_of(odds):
    """Outcomes as the reference writes them."""
    found = defaultdict(float)
    names = sorted(odds.columns)
    for i, p in enumerate(odds.chances):
        values = ((n, WINNERS[odds.columns[n][i]] if n == "winner" else odds.columns[n][i].item()) for n in names)
        found[tuple(values)] += p
    return found


def assert_alike(mine, expected):
    for key in set(mine) | set(expected):
        assert abs(mine.get(key, 0) - expected.get(key, 0)) < 1e-10, dict(key)


def fits(scenario):
    """False for dice of so many kinds that their results are too many for one table (docs/large-battles.md)."""
    refusal = ""
    try:
        assert load(scenario).built
    except ScenarioError as error:
        refusal = str(error)
    assert re.match(r"$|(attacker|defender): too many units: [\d,]+ results of dice that fall together, ", refusal)
    return not refusal


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(scenarios())
def test_random_games(scenario):
    # Retreats by odds cost the reference a whole battle for every state: they have tests of their own.
    assume("odds-below" not in json.dumps(scenario["policy"]) and fits(scenario))
    assert_alike(rows_of(exact(scenario)), Reference(scenario["rules"], scenario).table())


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(scenarios_of_format_2())
def test_random_games_of_format_2(scenario):
    assume("odds-below" not in json.dumps(scenario["policy"]) and fits(scenario))
    assert_alike(rows_of(exact(scenario)), Reference2(scenario["rules"], scenario).table())


def test_split_symbols_of_damage_one_and_two_with_low_luck():
    """With damage 1 a split hit is of the class of plain ones, and low luck rounds them together."""
    symbols = {"faces": ["one", "one", "two", "blank"], "hits": {"one": "all", "two": "all"}, "damage": {"two": 2}}
    units = {"foot": {"combat": {"die": "symbols", "split": True}}, "guns": {"cost": 1, "combat": 3}}
    rules = {"format": 2, "name": "Symbols", "die": {"symbols": symbols}, "unit": units, "step": [{"name": "fire"}]}
    rules["battle"] = {"field": {"rounds": 2}}
    armies = {"attacker": {"foot": 1, "guns": 1}, "defender": {"foot": 2, "guns": 1}}
    scenario = {"game": "custom", "battle": "field", "rules": rules, "options": {"dice": "low-luck"}} | armies
    assert_alike(rows_of(exact(scenario)), Reference2(rules, scenario).table())


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(comparing())
def test_random_games_that_compare_dice(scenario):
    assert_alike(rows_of(exact(scenario)), Reference2(scenario["rules"], scenario).table())


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(scenarios(most=2))
def test_random_games_with_retreat_by_odds(scenario):
    scenario["policy"]["attacker"] |= {"retreat": "odds-below", "odds_below": 0.4}
    scenario["policy"]["attacker"] = {
        k: v for k, v in scenario["policy"]["attacker"].items() if k not in {"after_rounds", "units_at_most"}
    }
    assert_alike(rows_of(exact(scenario)), Reference(scenario["rules"], scenario).table())


@pytest.mark.parametrize("name", EXAMPLES)
def test_shipped_games(name):
    asked = load(name)
    game = merged(asked)
    most = 1 if name == "axis-sea-carriers" else 2
    small = {side: {k: min(v, most) for k, v in asked.data[side].items()} for side in ("attacker", "defender")}
    scenario = dict(asked.data) | small
    assert_alike(rows_of(exact(scenario)), Reference(game, scenario).table())


def merged(asked):
    """The tables of the game, house rules laid over it by hand."""
    import tomllib

    from simulator.rules.custom.game_file.files import shipped_text

    game = tomllib.loads(shipped_text(asked.data["game"]))
    for table, changes in asked.data.get("rules", {}).items():
        for key, values in changes.items():
            game[table][key] |= values
    return game


def test_waves_are_the_sum_over_all_survivors():
    base = {"game": "axis-and-allies-1942", "battle": "land"}
    first = base | {"attacker": {"infantry": 2}, "defender": {"infantry": 2, "tank": 1}}
    second = base | {"attacker": {"infantry": 1, "fighter": 1}, "defender": {}}
    odds = exact(campaign(first, second))
    game = merged(load(first))
    expected = defaultdict(float)

    @cache
    def after(attacker, defender):
        return Reference(game, base | {"attacker": dict(attacker), "defender": dict(defender)}).table()

    for row, p in Reference(game, first).table().items():
        one = dict(row)
        attacker = {"infantry": 1 + one["attacker_infantry_left"], "fighter": 1}
        defender = {unit: one[f"defender_{unit}_left"] for unit in ("infantry", "tank")}
        if not any(defender.values()):
            expected["attacker", one["rounds"], 0] += p
            continue
        for row_after, q in after(tuple(attacker.items()), tuple(defender.items())).items():
            two = dict(row_after)
            expected[two["winner"], one["rounds"] + two["rounds"], two["defender_units_left"]] += p * q
    found = defaultdict(float)
    for i, p in enumerate(odds.chances):
        columns = {name: values[i] for name, values in odds.columns.items()}
        found[WINNERS[columns["winner"]], int(columns["rounds"]), int(columns["defender_units_left"])] += p
    assert all(abs(found[key] - expected[key]) < 1e-12 for key in {*found, *expected})
    assert odds.mean("attacker_units_lost") + odds.mean("attacker_units_left") == pytest.approx(4)


def test_units_that_support_do_so_in_the_battle_that_lists_them():
    landing = dict(load("axis-landing").data)
    second = landing | {"attacker": {"infantry": 1}, "defender": {"infantry": 1}}
    made, ships = campaign(landing, second).data, {"cruiser", "battleship"}
    assert ships & made["fight"][0]["attacker"].keys() == ships & landing["attacker"].keys() != set()
    assert not ships & (made["force"]["attacker"].keys() | made["fight"][1]["attacker"]["join"].keys())


def test_waves_need_one_game():
    with pytest.raises(ValueError, match="another game"):
        campaign("axis-land-flak", "skirmish-hill")
