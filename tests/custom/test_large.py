"""Line-ups too large to work out every place: their rules on small line-ups against the slow reference, and large."""

import json
from collections import Counter, defaultdict
from math import comb

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings

from simulator import NoExactOdds, ScenarioError, exact, load, odds, replay, simulate
from simulator.engine.model.interpreted import plain_params
from simulator.engine.sample.simulation import Simulation, replay_steps
from simulator.rules.battle import WINNERS
from simulator.rules.custom.game_file.files import find
from simulator.rules.custom.hits.layout import PAIRS, HitsParams
from simulator.rules.custom.hits.params import lay_out
from simulator.rules.custom.hits.rules import scored
from simulator.rules.custom.outcome import outcome
from simulator.rules.custom.setup import Setup
from tests.custom.games import scenarios
from tests.custom.games_format2 import comparing, scenarios_of_format_2
from tests.custom.reference import Reference
from tests.custom.reference_format2 import Reference2
from tests.custom.test_reference import assert_alike, rows_of

LAND = {
    "game": "axis-and-allies-1942",
    "battle": "land",
    "attacker": {"infantry": 6, "artillery": 2, "tank": 3, "fighter": 2, "bomber": 1},
    "defender": {"infantry": 8, "aa_gun": 1, "fighter": 2},
}
FLEETS = {
    "game": "axis-and-allies-1942",
    "battle": "sea",
    "attacker": {"submarine": 50, "fighter": 50, "destroyer": 25, "cruiser": 25},
    "defender": {"submarine": 50, "fighter": 50, "destroyer": 25, "cruiser": 25},
}


def by_blocks(scenario):
    """The battle of any line-up as that of a large one: its states are hits by block."""
    asked = load(scenario)
    return lay_out(Setup(find(asked.data["game"], asked.data.get("rules")), asked.battle.kind, asked.fields))


def line_up(kinds, pieces, hits=1, dice=1):
    """Kinds of units that hit with 1/6, 2/6, ... of their dice, as many of each on both sides."""
    units = {f"u{i}": {"combat": {"value": 1 + i % 6, "dice": dice}, "hits": hits, "cost": i} for i in range(kinds)}
    army = dict.fromkeys(units, pieces)
    rules = {"format": 1, "name": "Masses", "unit": units, "battle": {"field": {}}, "step": [{"name": "fire"}]}
    return {"game": "custom", "battle": "field", "rules": rules, "attacker": army, "defender": army}


# Rolls of all states that a random battle may take: at most 6 s. Ties that are rolled again may go on for minutes.
MOST_ROLLS = 20_000


def outcomes(scenario, most=None):
    """Every outcome with its chance: each roll's hits one by one, not as numbers draw them.

    With `most`, hypothesis passes over battles of more rolls.
    """
    field, rolls = by_blocks(scenario), 0
    p = plain_params(field.params)
    states, ends = {field.chain.start: 1.0}, defaultdict(float)
    while sum(states.values()) > 1e-14:
        rolls += len(states)
        if most is not None:
            assume(rolls <= most)
        after = defaultdict(float)
        for s, q in states.items():
            if s.ending:
                ends[s] += q
                continue
            if p.salvo[s.salvo, PAIRS] > 0:
                for face in range(s.rest):
                    after[scored(p, s, face)] += q / s.rest
                continue
            hit = s.chance / s.rest
            for hits in range(s.dice + 1):
                after[scored(p, s, hits)] += q * comb(s.dice, hits) * hit**hits * (1 - hit) ** (s.dice - hits)
        states = after
    columns = outcome(field, type(s)(*map(np.array, zip(*ends, strict=True))))
    names, found = sorted(columns), defaultdict(float)
    for i, q in enumerate(ends.values()):
        values = ((n, WINNERS[columns[n][i]] if n == "winner" else columns[n][i].item()) for n in names)
        found[tuple(values)] += q
    return found


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(scenarios())
def test_random_games(scenario):
    assume("odds-below" not in json.dumps(scenario["policy"]))
    assert_alike(outcomes(scenario, MOST_ROLLS), Reference(scenario["rules"], scenario).table())


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(scenarios_of_format_2())
def test_random_games_of_format_2(scenario):
    assume("odds-below" not in json.dumps(scenario["policy"]))
    assert_alike(outcomes(scenario, MOST_ROLLS), Reference2(scenario["rules"], scenario).table())


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(comparing())
def test_random_games_that_compare_dice(scenario):
    assume("outpowered" not in json.dumps(scenario["policy"]))
    assert_alike(outcomes(scenario, MOST_ROLLS), Reference2(scenario["rules"], scenario).table())


@pytest.mark.parametrize(
    ("battle", "attacker", "defender"),
    [
        ("land", {"fighter": 1, "tank": 1, "tactical_bomber": 3}, {"infantry": 2}),
        ("sea", {"fighter": 1, "tactical_bomber": 2}, {"destroyer": 1}),
    ],
)
def test_stacks_of_supports(battle, attacker, defender):
    scenario = {"game": "axis-and-allies-1940", "battle": battle, "attacker": attacker, "defender": defender}
    assert_alike(outcomes(scenario), rows_of(exact(scenario)))


def test_dice_of_other_sizes_and_supports_that_hinder():
    rules = {
        "format": 2,
        "name": "Walls",
        "die": {"d8": {"sides": 8, "always_miss": [1]}},
        "unit": {
            "foot": {"combat": 3, "attacker": {"cost": 2}},
            "guns": {"combat": {"die": "d8", "value": 4}, "initiative": 2},
            "wall": {"hits": 2},
        },
        "battle": {"field": {}},
        "step": [{"name": "fire", "order": "initiative", "ties": "attacker"}],
        "support": [
            {"from": ["wall"], "to": ["foot"], "whom": "enemy", "adds": -1},
            {"from": ["guns"], "to": ["foot"], "dice": 1},
        ],
    }
    scenario = {"game": "custom", "battle": "field", "rules": rules, "attacker": {"foot": 2, "guns": 1}}
    scenario["defender"] = {"foot": 1, "guns": 1, "wall": 1}
    assert_alike(outcomes(scenario), rows_of(exact(scenario)))


def custom(unit, step, attacker, defender, **more):
    """A battle of a game of these units and one step."""
    rules = {"format": 2, "name": "Masses", "unit": unit, "battle": {"field": {}}, "step": [{"name": "fire"} | step]}
    return {"game": "custom", "battle": "field", "rules": rules | more, "attacker": attacker, "defender": defender}


def armour(pieces):
    """Two kinds of damage at targets with and without a shield, some of it absorbed; help by rules of one stack."""
    units = {
        "foot": {"combat": 3, "cost": 1},
        "tank": {
            "combat": {"value": 3, "damage": 2},
            "shield": 1,
            "hits": 3,
            "absorb": "last",
            "absorbs": 1,
            "cost": 3,
        },
        "guns": {"combat": {"value": 2, "dice": 2}, "shield": 1, "cost": 2},
        "wall": {"hits": 2, "absorb": "last", "cost": 9},
    }
    stack = [
        {"from": ["guns"], "to": ["foot", "tank"], "adds": 1, "stack": "one"},
        {"from": ["wall"], "to": ["tank", "guns"], "adds": 1, "stack": "one"},
    ]
    army = {"foot": 3 * pieces, "tank": pieces, "guns": pieces, "wall": pieces}
    return custom(units, {}, army, army | {"tank": 0}, support=stack)


def leaders(pieces):
    """Ten dice against ten, of two kinds on each side; the leaders' dice are better."""
    units = {f"u{i}": {"combat": {"bonus": i % 3}, "cost": i} for i in range(4)}
    lead = min(pieces, 4)
    compare = {"pairs": 10, "most": {"attacker": 10, "defender": 9}, "ties": "both"}
    return custom(units, {"compare": compare}, {"u0": 5 * pieces, "u1": lead}, {"u0": 4 * pieces, "u2": lead})


def assert_same_odds(scenario, battles=20_000):
    """Battles by blocks agree with the exact odds by places: every |z| is below 4.5."""
    expected, field = exact(scenario), by_blocks(scenario)
    simulation = Simulation(field.chain, 3)
    simulation.add(battles)
    ends = simulation.ends()
    columns = outcome(field, ends.states)
    for number, side in enumerate(WINNERS):
        p = expected.winner(side)
        won = ends.count[columns["winner"] == number].sum() / battles
        assert abs(won - p) <= 4.5 * (p * (1 - p) / battles) ** 0.5, side
    for column in ("attacker_cost_lost", "defender_cost_lost", "rounds"):
        values = expected.numbers(column)
        spread = max(float(expected.chances @ values**2 - (expected.chances @ values) ** 2), 0) ** 0.5
        mean = ends.count @ columns[column] / battles
        assert abs(mean - expected.mean(column)) <= 4.5 * spread / battles**0.5 + 1e-9, column


@pytest.mark.parametrize("scenario", [LAND, armour(1), leaders(1)])
def test_battles_of_large_line_ups_are_those_of_small_ones(scenario):
    assert_same_odds(scenario)


@pytest.mark.parametrize("scenario", [LAND, armour(3), leaders(3)])
def test_compiled_battles_are_those_of_the_rules(scenario):
    chain = by_blocks(scenario).chain
    simulation = Simulation(chain, 5)
    simulation.add(300)
    ends = simulation.ends()
    message = Counter(tuple([*replay_steps(chain, 5, battle)][-1][2]) for battle in range(300))
    fought = dict(zip(map(tuple, np.array(ends.states).T.tolist()), ends.count.tolist(), strict=True))
    assert fought == message
    assert simulation.engine == "rules"


@pytest.mark.parametrize(
    ("scenario", "ways"),
    [
        (FLEETS, "places"),
        (line_up(64, 1000), "tables"),
        (line_up(4, 1000, hits=20, dice=1000), "hits at once"),
        (armour(100), "several hit classes"),
        (leaders(12), "pairs of dice"),
    ],
)
def test_what_is_too_large_to_work_out_is_fought(scenario, ways):
    answer = simulate(scenario, battles=500, seed=1)
    assert answer.battles == 500
    left = answer.columns["attacker_units_left"] + answer.columns["attacker_units_lost"]
    assert set(left.tolist()) == {sum(scenario["attacker"].values())}
    with pytest.raises(NoExactOdds, match=r"^too many numbers of hits and line-ups to work out exactly"):
        exact(scenario)
    assert load(scenario).built.explain()


@pytest.mark.parametrize("scenario", [armour(100), leaders(12)])
def test_threads_do_not_change_the_battles(scenario):
    one, two = (simulate(scenario, battles=1500, seed=4, threads=threads) for threads in (1, 2))
    assert one.chances.tolist() == two.chances.tolist()
    assert all((one.columns[name] == two.columns[name]).all() for name in one.columns)


def test_a_large_battle_that_is_certain():
    """2,000 guns that always hit take a thousand men of two hits each at once, who hit nobody."""
    units = {"men": {"hits": 2, "combat": 0}, **{f"gun{i}": {"combat": 6} for i in range(2)}}
    rules = {"format": 1, "name": "Certain", "unit": units, "battle": {"field": {}}, "step": [{"name": "fire"}]}
    rules["unit"] |= {f"wall{i}": {"hits": 20} for i in range(6)}
    scenario = {"game": "custom", "battle": "field", "rules": rules}
    scenario |= {"attacker": {"gun0": 1000, "gun1": 1000}, "defender": {f"wall{i}": 1000 for i in range(6)}}
    answer = odds(scenario)
    assert answer.winner("attacker") == 1
    assert answer.mean("rounds") == 60


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({"retreat": "odds-below", "odds_below": 0.3}, "policy.attacker.retreat: odds-below needs exact odds"),
        ({"retreat": "best"}, "policy.attacker.retreat: best needs exact odds"),
        ({"loss_order": "best"}, "policy.attacker.loss_order: best needs exact odds"),
    ],
)
def test_policies_that_need_exact_odds_are_refused(policy, message):
    scenario = FLEETS | {"policy": {"attacker": policy}}
    scenario["rules"] = {"battle": {"sea": {"may_retreat": ["attacker"]}}}
    with pytest.raises(ScenarioError, match=message):
        odds(scenario)


def test_mean_hits_of_compared_dice_are_refused():
    scenario = leaders(12) | {"policy": {"attacker": {"retreat": "outpowered"}}}
    scenario["rules"]["battle"]["field"] = {"may_retreat": ["attacker"]}
    with pytest.raises(
        ScenarioError, match=r"policy.attacker.retreat: outpowered needs mean hits of dice that are compared"
    ):
        odds(scenario)


def apart(kinds, safe=0):
    """Kinds of a thousand that are each hit by a step of their own; nothing hits as many kinds as are `safe`."""
    scenario = line_up(kinds + safe, 1000)
    scenario["rules"]["step"] = [{"name": f"at-u{i}", "hits_only": [f"u{i}"]} for i in range(kinds)]
    return scenario


def apart_from_safe(kinds):
    """The same with a thousand more that nothing hits."""
    return apart(kinds, safe=1)


def rolling_again(kinds):
    """Kinds that roll other faces of 1,000 again, each helped by what stands there."""
    scenario = line_up(kinds, 1000, hits=20)
    for i, unit in enumerate(scenario["rules"]["unit"].values()):
        unit["combat"]["reroll"] = [i + 1]
    more = {"dice": {"sides": 1000}, "modifier": [{"if_own_has": ["u0"], "adds": 1}]}
    return scenario | {"rules": scenario["rules"] | more}


@pytest.mark.parametrize(
    ("line_ups", "fit", "too_many", "message"),
    [
        (apart, 24, 25, "attacker: 25 groups of units are hit apart from each other: .* 24 of 1,000 hits fit"),
        (apart_from_safe, 24, 25, "attacker: 25 groups of units are hit apart from each other"),
        (rolling_again, 6, 11, "rules: 11 different rerolls are too many for line-ups of this size; at most 10"),
    ],
)
def test_the_two_limits_of_large_line_ups(line_ups, fit, too_many, message):
    assert isinstance(load(line_ups(fit)).built.chain.params, HitsParams)
    with pytest.raises(ScenarioError, match=message):
        odds(line_ups(too_many))


def test_a_replay_tells_the_dice_that_are_rolled():
    lines = replay(FLEETS, seed=2, battle=0).lines
    assert any("dice of chance" in line and "Round 1 " in line for line in lines)
    assert "Nobody is left of the" in lines[-1]
