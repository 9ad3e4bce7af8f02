"""Large line-ups: those of shipped games are answered, what is too large to work out is refused in one line."""

import random
import tomllib

import pytest

from simulator import NoExactOdds, ScenarioError, exact, odds, simulate
from simulator.engine.graph.graph_cache import graph_of
from simulator.rules.custom import least_size
from simulator.rules.custom.game_file.files import names, shipped_text
from simulator.scenarios import load
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
# 200 units that can stand in as many ways as any of this game, and as many units of each kind as may fight.
MOST_WAYS = {"submarine": 66, "fighter": 67, "battleship": 67}
KINDS = [(game, kind) for game in names() for kind in tomllib.loads(shipped_text(game))["battle"]]
# Games of which 200 units a side are too many to work out, and what is said of them.
REFUSED = {
    "britannia": "207,070,200 numbers of hits that fall together, at most 100,000,000",
    "warhammer-40000": "24,763,401 numbers of points taken, at most 20,000,000",
}


def line_up(kinds, pieces, hits=1, dice=1):
    """Kinds of units that hit with 1/6, 2/6, ... of their dice, as many of each on both sides."""
    units = {f"u{i}": {"combat": {"value": 1 + i % 6, "dice": dice}, "hits": hits, "cost": i} for i in range(kinds)}
    army = dict.fromkeys(units, pieces)
    rules = {"format": 1, "name": "Masses", "unit": units, "battle": {"field": {}}, "step": [{"name": "fire"}]}
    return {"game": "custom", "battle": "field", "rules": rules, "attacker": army, "defender": army}


def army(game, kind, side, pieces=200):
    """So many units in all: as many of each that may fight on the side."""
    file = tomllib.loads(shipped_text(game))
    words = file["battle"][kind].get(side, {}).get("fights", list(file["unit"]))
    units = [key for key, unit in file["unit"].items() if {key, *unit.get("tags", ())} & {*words}]
    units = [key for key in units if not {"instead_of", "needs"} & file["unit"][key].keys()]
    return {unit: pieces // len(units) + (n < pieces % len(units)) for n, unit in enumerate(units)}


def assert_all_are_counted(scenario, odds):
    for side in ("attacker", "defender"):
        numbers = odds.numbers(f"{side}_units_left") + odds.numbers(f"{side}_units_lost")
        assert set(numbers.tolist()) == {sum(scenario[side].values())}
    assert odds.chances.sum() == pytest.approx(1, abs=1e-12)


def two_hundred(game, kind):
    scenario = {"game": game, "battle": kind} | {side: army(game, kind, side) for side in ("attacker", "defender")}
    assert sum(scenario["attacker"].values()) == sum(scenario["defender"].values()) == 200
    return scenario


@pytest.mark.parametrize(("game", "kind"), [kind for kind in KINDS if kind[0] not in REFUSED])
def test_two_hundred_units_a_side_of_every_shipped_game(game, kind):
    scenario = two_hundred(game, kind)
    assert_all_are_counted(scenario, simulate(scenario, battles=200, seed=1))


@pytest.mark.parametrize("game", REFUSED)
def test_two_hundred_units_a_side_that_are_too_many(game):
    (kind,) = [kind for one, kind in KINDS if one == game]
    with pytest.raises(ScenarioError) as refusal:
        odds(two_hundred(game, kind))
    assert str(refusal.value) == f"attacker: too many units: {REFUSED[game]}; give fewer"


def test_two_hundred_units_that_stand_in_as_many_ways_as_any():
    scenario = FLEETS | {"attacker": MOST_WAYS, "defender": MOST_WAYS}
    assert_all_are_counted(scenario, simulate(scenario, battles=200, seed=1))


@pytest.mark.parametrize(
    ("battle", "attacker", "defender"),
    [
        ("land", {"fighter": 1, "tank": 1, "tactical_bomber": 3}, {"infantry": 2}),
        ("sea", {"fighter": 1, "tactical_bomber": 2}, {"destroyer": 1}),
    ],
)
def test_stacks_of_supports(battle, attacker, defender):
    scenario = {"game": "axis-and-allies-1940", "battle": battle, "attacker": attacker, "defender": defender}
    game = tomllib.loads(shipped_text("axis-and-allies-1940"))
    assert_alike(rows_of(exact(scenario)), Reference2(game, scenario).table())


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
    assert_alike(rows_of(exact(scenario)), Reference2(rules, scenario).table())


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


@pytest.mark.parametrize("scenario", [LAND, armour(1), leaders(1)])
def test_simulated_battles_agree_with_exact_odds(scenario):
    """Every |z| is below 4.5."""
    battles = 20_000
    expected, found = exact(scenario), simulate(scenario, battles=battles, seed=3)
    for side in ("attacker", "defender", "nobody"):
        p = expected.winner(side)
        assert abs(found.winner(side) - p) <= 4.5 * (p * (1 - p) / battles) ** 0.5, side
    for column in ("attacker_cost_lost", "defender_cost_lost", "rounds"):
        values = expected.numbers(column)
        spread = max(float(expected.chances @ values**2 - (expected.chances @ values) ** 2), 0) ** 0.5
        assert abs(found.mean(column) - expected.mean(column)) <= 4.5 * spread / battles**0.5 + 1e-9, column


def apart(kinds, pieces):
    """Kinds that are each hit by a step of their own."""
    scenario = line_up(kinds, pieces)
    scenario["rules"]["step"] = [{"name": f"at-u{i}", "hits_only": [f"u{i}"]} for i in range(kinds)]
    return scenario


def in_rounds(kinds, pieces, rounds):
    """The same; in each of this many rounds the first step is another one."""
    scenario = apart(kinds, pieces)
    scenario["rules"]["modifier"] = [{"from_round": n, "to_round": n, "adds": 1} for n in range(1, rounds, 2)]
    return scenario


def duel(unit, pieces):
    """So many units a side whose dice are thrown at the piece that is next to fall."""
    scenario = line_up(unit, pieces)
    scenario["rules"] |= {"format": 3, "step": [{"name": "fire", "aim": "first"}]}
    return scenario


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        (duel(1, 300), "attacker: too many units: 27,270,901 numbers of points taken, at most 20,000,000; give fewer"),
        (
            duel(5, 45),
            r"attacker: too many units: [\d,]+ dice thrown at single points, at most 300,000,000; give fewer",
        ),
        (
            apart(2, 1000),
            "attacker: too many units: 1,002,001 ways in which they may stand, at most 1,000,000; give fewer",
        ),
        (line_up(64, 1000), r"attacker: too many units: [\d,]+ MB of chance tables, at most 2,000; give fewer"),
        (in_rounds(2, 300, 60), r"attacker: too many units: [\d,]+ line-ups in all groups of steps, at most 5,000,000"),
        (
            line_up(4, 1000, hits=20, dice=1000),
            "attacker: too many units: 80,001 results of dice that fall together, at most 65,535; give fewer",
        ),
        (armour(3), "attacker: too many units: 92,416 results of dice that fall together, at most 65,535; give fewer"),
        (leaders(12), r"attacker: too many units: [\d,]+ steps to compare all their dice, at most 500,000; give fewer"),
    ],
)
def test_what_is_too_large_to_work_out_is_refused(scenario, message):
    with pytest.raises(ScenarioError, match=f"^{message}"):
        odds(scenario)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({"retreat": "odds-below", "odds_below": 0.3}, "policy.attacker.retreat: odds-below needs exact odds"),
        ({"loss_order": "best"}, "attacker: too many units: 1,758,276 ways in which they may stand"),
    ],
)
def test_policies_that_need_exact_odds_are_refused(policy, message):
    scenario = FLEETS | {"policy": {"attacker": policy}}
    scenario["rules"] = {"battle": {"sea": {"may_retreat": ["attacker"]}}}
    with pytest.raises(ScenarioError, match=message):
        odds(scenario)


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


def at_sea(*numbers):
    """A battle at sea of these numbers of submarines, destroyers, cruisers, fighters and battleships a side."""
    units = ("submarine", "destroyer", "cruiser", "fighter", "battleship")
    sides = zip(("attacker", "defender"), numbers, strict=True)
    return {"game": "axis-and-allies-1942", "battle": "sea"} | {
        side: dict(zip(units, counts, strict=True)) for side, counts in sides
    }


def counted_before(chain):
    """The bounds of its states and transitions."""
    return least_size.least_size(chain.params, chain.start, chain.tables)


def test_a_battle_is_at_least_as_large_as_is_counted_before_it_is_explored(monkeypatch):
    monkeypatch.setattr(least_size, "LEAST_PAIRS", 0)
    dice, counted = random.Random(0), 0
    for _ in range(12):
        fleets = [[1 + dice.randrange(2), *(dice.randrange(4) for _ in range(4))] for _ in range(2)]
        chain = load(at_sea(*fleets)).chain
        graph, (states, transitions) = graph_of(chain), counted_before(chain)
        assert states <= len(graph)
        assert transitions <= len(graph.to)
        counted += transitions > len(graph.to) / 2
    assert counted >= 6  # a bound that is of use


@pytest.mark.parametrize("change", [{"policy": {"attacker": {"retreat": "outnumbered"}}}, {"options": {"rounds": 3}}])
def test_nothing_is_counted_where_somebody_may_leave_or_the_rounds_have_an_end(monkeypatch, change):
    monkeypatch.setattr(least_size, "LEAST_PAIRS", 0)
    scenario = at_sea([1, 1, 2, 1, 0], [1, 1, 1, 1, 0])
    assert counted_before(load(scenario).chain) > (0, 0)
    assert counted_before(load(scenario | change).chain) == (0, 0)


def test_fleets_that_are_too_large_are_refused_before_any_state_is_explored():
    """They were refused after 1,472,961 states, 19 s and 1.76 GB."""
    explored = []
    with pytest.raises(NoExactOdds, match=r"at least 1,\d{3},\d{3} states .* past the budget of 1\.4 GB"):
        exact(at_sea([14] * 5, [14, 14, 14, 14, 0]), progress=lambda states, total: explored.append(states))
    assert not explored
