"""Plans: the vectors, a brute force over all divisions, two ways to divide, properties, refusals, the command."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from simulator import NoExactOdds, ScenarioError, exact, plan
from simulator.analysis.plan.columns import columns_of
from simulator.analysis.plan.plan import divided
from simulator.analysis.plan.reading import read
from simulator.cli.run import run
from simulator.scenarios.files import example, plan_names
from tests.plan.reference import divisions, ranked, worth_of

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))
ANSWERED = [pytest.param(one, id=one["name"]) for one in VECTORS if "expect" in one]
REFUSED = [pytest.param(one, id=one["name"]) for one in VECTORS if "error" in one]


@pytest.fixture(scope="module")
def answers():
    """The plans of the vectors, each answered once."""
    found = {}

    def answer(vector):
        if vector["name"] not in found:
            found[vector["name"]] = plan(vector["scenario"], vector.get("k", 5))
        return found[vector["name"]]

    return answer


def near(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("vector", ANSWERED)
def test_the_plan_of_a_vector(vector, answers):
    found, expect = answers(vector), vector["expect"]
    assert (found.objective, found.enough) == (expect["objective"], expect["enough"])
    for name in ("value", "worth", "std", "chance_all", "cost", "number"):
        assert getattr(found, name) == near(expect[name]), name
    assert found.orders == expect["orders"]
    assert found.home == expect["home"]
    rows = {row["target"]: row for row in found.rows()}
    for target, figures in expect["targets"].items():
        assert {name: rows[target][name] for name in figures} == near(figures)


@pytest.mark.parametrize("vector", ANSWERED)
def test_what_else_is_told(vector, answers):
    found, expect = answers(vector), vector["expect"]
    rows = found.alternatives.to_dict("records")
    assert [row["orders"] for row in rows] == [one["orders"] for one in expect["alternatives"]]
    assert [row["value"] for row in rows] == near([one["value"] for one in expect["alternatives"]])
    units = {f"{one.place}.{one.piece}": {"more": one.more, "less": one.less} for one in found.units_worth}
    for name, worth in expect.get("units", {}).items():
        assert units[name] == near(worth)
    for name, lost in expect.get("leave", {}).items():
        assert found.leave[name] == near(lost)


@pytest.mark.parametrize("vector", REFUSED)
def test_what_is_refused(vector):
    with pytest.raises(ScenarioError) as refusal:
        plan(vector["scenario"])
    assert str(refusal.value).startswith(vector["error"])


RISK = {"game": "plan", "of": "risk", "every": {"battle": "land"}}
AXIS = {"game": "plan", "of": "axis-and-allies-1942", "every": {"battle": "land"}}
IPC = (("artillery", 4), ("fighter", 10), ("infantry", 3), ("tank", 6))


def random_plan(seed):
    """A small plan of Risk or Axis & Allies, with a hold or a counter-attack now and then."""
    dice = random.Random(seed)
    land = seed % 2 == 0
    base, pieces = (AXIS, ("infantry", "tank", "fighter")) if land else (RISK, ("regiments",))
    most = 2 if land else 5
    fronts = ["a", "b"]

    def force(least=0):
        found = {piece: dice.randint(0, most) for piece in dice.sample(pieces, dice.randint(1, len(pieces)))}
        return found if sum(found.values()) >= least else {pieces[0]: least}

    targets = {name: {"worth": dice.randint(1, 9), "defender": force()} for name in fronts}
    if dice.random() < 0.4:
        targets["a"]["counter"] = {"attacker": force(1)}
    found = base | {"target": targets, "weights": {"own_lost": -dice.random(), "enemy_lost": dice.random()}}
    places = {name: force(1) | {"reach": dice.sample(fronts, dice.randint(1, 2))} for name in ("x", "y")}
    if dice.random() < 0.5:
        hold = dice.choice(["x", "z"])
        found["hold"] = {hold: {"worth": dice.randint(1, 9), "attacker": force(1), "comes": dice.choice([1, 0.5])}}
        places["y"]["reach"] = [*places["y"]["reach"], hold]
    return found | {"place": places}


@pytest.mark.parametrize("seed", range(24))
def test_no_other_division_is_worth_more(seed):
    """All divisions of a small plan, each attack answered as a campaign."""
    asked = random_plan(seed)
    prices = IPC if seed % 2 == 0 else (("regiments", 1),)
    found = plan(asked, 1)
    every = [worth_of(asked, sent, prices)[0] for sent in divisions(asked)]
    assert found.worth <= max(every) + 1e-9
    assert found.worth >= max(every) - 1e-6
    sent = {(place, front): dict(pieces) for front, places in found.orders.items() for place, pieces in places.items()}
    away = {(place, front): pieces for (place, front), pieces in sent.items() if place != front}
    assert found.worth == near(worth_of(asked, away, prices)[0])


@pytest.mark.parametrize("objective", ["worth", "all", "cheapest"])
@pytest.mark.parametrize("seed", [3, 5, 8, 9])
def test_the_best_plans_in_their_order_are_those_of_looking_at_all(seed, objective):
    asked = random_plan(seed) | {"objective": objective}
    for target in asked["target"].values():
        target["min_odds"] = 0.2
    for differ in ["targets", "pieces"] if objective == "worth" else ["pieces"]:
        turn = read(asked | {"differ": differ})
        found = columns_of(turn)
        expected = ranked(turn, found, asked, 4, differ)
        plan = divided(turn, found, 3)
        chosen = [] if plan.best is None else [plan.best, *plan.next_best]
        assert [(near(one.value), one.sent.tolist()) for one in chosen] == expected


# The last plan loses more than any single attack; a target that is not worth an attack may be attacked instead.
ALL_LEAVE = RISK | {
    "differ": "pieces",
    "place": {"y": {"regiments": 1, "stay": {"regiments": 1}}, "h": {"regiments": 3, "reach": ["c"]}},
    "target": {"c": {"worth": 5, "defender": {"regiments": 1}}},
    "hold": {"h": {"worth": 8, "attacker": {"regiments": 1}}},
}  # fmt: skip
NOT_WORTH_IT = RISK | {
    "weights": {"own_lost": -1}, "place": {"x": {"regiments": 2}}, "target": {"a": {"defender": {"regiments": 2}}},
}  # fmt: skip


@pytest.mark.parametrize(("asked", "number"), [(ALL_LEAVE, 4), (NOT_WORTH_IT, 2)])
def test_the_next_best_plans_end_with_the_last_one(asked, number):
    turn = read(asked)
    found = columns_of(turn)
    plan = divided(turn, found, 9)
    expected = ranked(turn, found, asked, 9, turn.file.differ)
    assert [(near(one.value), one.sent.tolist()) for one in (plan.best, *plan.next_best)] == expected
    assert len(expected) == number


def test_the_worked_example_with_every_number():
    """docs/rules/plan.md section 7, example 1: one walks into a, three attack b: 1 + 2 x .916375."""
    asked = RISK | {
        "place": {"x": {"regiments": 2}, "y": {"regiments": 2}},
        "target": {"a": {"defender": {}}, "b": {"worth": 2, "defender": {"regiments": 1}}},
    }
    found = plan(asked)
    three, four, two = (exact({"game": "risk", "battle": "land", "attacker": {"regiments": n},
                               "defender": {"regiments": 1}}).winner("attacker") for n in (3, 4, 2))  # fmt: skip
    assert found.worth == near(1 + 2 * three)
    assert found.orders == {"a": {"x": {"regiments": 1}}, "b": {"x": {"regiments": 1}, "y": {"regiments": 2}}}
    assert found.units_worth[0].more == near(2 * (four - three))
    assert found.units_worth[0].less == near(2 * (three - two))
    assert found.leave == near({"a": 1 + 2 * three - 2 * four, "b": 2 * three})
    nobody = plan(asked | {"place": {name: {"regiments": 2, "stay": {"regiments": 2}} for name in "xy"}})
    assert (nobody.worth, nobody.chance_all, nobody.number, nobody.orders) == (0, 1, [1.0], {})
    assert [(one.more, one.less) for one in nobody.units_worth] == [(near(1), None)] * 2
    assert found.headline == "Attack a with 1 regiment and b with 3 regiments: worth 2.83; all 2 fall in 91.64 %."


def test_a_hold_without_a_plan_is_the_ordinary_battle():
    asked = RISK | {"place": {"fort": {"regiments": 4}}, "hold": {"fort": {"attacker": {"regiments": 5}}}}
    battle = {"game": "risk", "battle": "land", "attacker": {"regiments": 5}, "defender": {"regiments": 4}}
    assert plan(asked).worth == near(exact(battle).winner("defender"))


def test_nothing_is_enough():
    asked = RISK | {
        "objective": "cheapest", "place": {"x": {"regiments": 3}}, "target": {"a": {"defender": {"regiments": 9}}},
    }  # fmt: skip
    found = plan(asked)
    assert not found.enough
    assert (found.value, found.rows(), found.orders) == (None, [], {})
    assert found.headline.startswith("Nothing is enough: a falls in at most ")


def test_too_many_attacks_are_refused_with_their_number():
    places = {f"p{i}": {"infantry": 40, "tank": 40, "fighter": 40} for i in range(3)}
    asked = AXIS | {"place": places, "target": {"a": {"defender": {"infantry": 1}}}}
    with pytest.raises(NoExactOdds, match=r"^plan: 1,771,561 attacks to weigh; at most 250,000; leave pieces at home"):
        plan(asked)


@pytest.mark.parametrize(("change", "line"), [
    ({"of": None}, "of: is needed: the game that is played"),
    ({"place": {}}, "place: 0 places are not allowed; give 1 to 12"),
    ({"place": {"x": {}}}, "place.x: has no pieces"),
    ({"place": {"x": {"regiments": 3, "commanders": 1}}}, "place.x.commanders: is not planned"),
    ({"place": {"x": {"regiments": 3, "stay": {"tanks": 1}}}}, "place.x.stay.tanks: no such piece"),
    ({"target": {"a": {"battle": "invasion", "defender": {}}}},
     "target.a.battle: 'invasion' is not planned; kinds: land, amphibious, naval"),
    ({"target": {"a": {}}}, "target.a.defender: is needed"),
    ({"target": {"a": {"defender": {}, "attacker": {"regiments": 1}}}},
     "target.a.attacker.regiments: our pieces stand in places"),
    ({"target": {"a": {"defender": {}, "counter": {}}}}, "target.a.counter.attacker: is needed"),
    ({"target": {}, "hold": {"a": {}}}, "hold.a.attacker: is needed: who may come"),
    ({"target": {"a": {"defender": {}, "min_odds": 1.2}}}, "target.a.min_odds: 1.2 is not allowed; "),
    ({"target": {"a": {"defender": {}, "worth": True}}}, "target.a.worth: true is not allowed; "),
    ({"target": {"a": {"defender": {"regiments": -1}}}}, "target.a.defender.regiments: -1 is not allowed; "),
    ({"target": {"a": {"defender": {"regiments": 1}, "options": {"tie": "x"}}}}, "target.a.options.tie: unknown field"),
    ({"target": {"a": {"defender": {"regiments": {"from": 1, "to": 3}}}}},
     "target.a.defender.regiments: a distribution is not allowed here; give one value"),
    ({"objective": "most"}, "objective: 'most' is not allowed; "),
    ({"objective": "all", "aims": []}, "aims: name at least one target"),
    ({"weights": {"win": 1}}, "weights.win: unknown field"),
    ({"price": {"tank": 1}}, "price.tank: no such piece"),
    ({"rules": {"x": 1}}, "rules: unknown field"),
])  # fmt: skip
def test_a_wrong_field_is_named(change, line):
    asked = RISK | {"place": {"x": {"regiments": 3}}, "target": {"a": {"defender": {"regiments": 1}}}} | change
    with pytest.raises(ScenarioError) as refusal:
        plan({name: value for name, value in asked.items() if value is not None})
    assert str(refusal.value).startswith(line)


def test_a_number_of_alternatives_is_from_0_to_100():
    with pytest.raises(ValueError, match=r"^k: -1 is not allowed; 0 to 100$"):
        plan("plan-three-borders", -1)


def test_other_tools_send_a_plan_to_plan(capsys):
    with pytest.raises(ScenarioError, match=r"^game: a plan is answered by plan$"):
        exact("plan-three-borders")
    assert run(["odds", "plan-three-borders"]) == 2
    assert capsys.readouterr().err == "game: a plan is answered by plan\n"


@pytest.mark.parametrize("name", plan_names())
def test_the_command_answers_each_example(name, capsys, tmp_path):
    assert run(["plan", name, "--plot", str(tmp_path / "plan.png"), "--csv", str(tmp_path / "plan.csv")]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == plan(name).headline
    assert {"Method: exact", "Rests on"} <= {line.partition(",")[0] for line in out.splitlines()}
    assert (tmp_path / "plan.png").stat().st_size > 5_000
    assert (tmp_path / "plan.csv").read_text().startswith("target,hold,attacked,sent,taken,chance,")
    assert run(["plan", name, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["headline"] == plan(name).headline
    assert {row["target"] for row in found["targets"]} == {
        *example(name).get("target", {}), *example(name).get("hold", {})
    }  # fmt: skip


def test_the_attack_on_a_target_goes_on_as_a_campaign(capsys, tmp_path):
    file = tmp_path / "ukraine.toml"
    assert run(["plan", "plan-eastern-front", "--save-campaign", "ukraine", str(file), "--quiet"]) == 0
    chance = next(row["taken"] for row in plan("plan-eastern-front").rows() if row["target"] == "ukraine")
    assert exact(str(file)).p("attack_taken") == near(chance)
    capsys.readouterr()
    assert run(["plan", "plan-eastern-front", "--save-campaign", "moscow", str(tmp_path / "no.toml")]) == 2
    assert capsys.readouterr().err == "target: 'moscow' is not in this plan; it has ukraine, baltic, karelia\n"


def test_the_objective_may_be_given_on_the_command_line(capsys):
    assert run(["plan", "plan-three-borders", "--objective", "all", "--quiet"]) == 0
    assert capsys.readouterr().out.endswith("all 3 fall in 32.21 %.\n")
    settings = ["--set", "target.ural.min_odds=0.99", "--set", "target.siam.min_odds=0.99"]
    assert run(["plan", "plan-three-borders", "--objective", "cheapest", "--quiet", *settings]) == 1
    assert capsys.readouterr().out.startswith("Nothing is enough: ")


def test_pieces_have_the_names_of_their_game():
    vector = next(one for one in VECTORS if one["name"] == "two armies of Europa")
    assert plan(vector["scenario"], 0).headline.startswith(
        "Attack flanders with 1 ARMY+ and artois with 1 ARMY− and 2 land detachments: worth 2.06; "
    )


def test_a_plan_of_named_units_is_the_battle():
    """Birthright: entries as text and as tables."""
    battle = {"game": "birthright", "battle": "quick-battle", "attacker": {"units": ["3 x knights"]},
              "defender": {"units": ["2 x pikemen"]}}  # fmt: skip
    expected = exact(battle).winner("attacker")
    for written in (["3 x knights"], [{"unit": "knights", "count": 3}], ["knights", "2 x knights"]):
        turn = {"game": "plan", "of": "birthright", "every": {"battle": "quick-battle"},
                "place": {"home": {"units": written}}, "target": {"x": {"defender": battle["defender"]}}}  # fmt: skip
        found = plan(turn)
        assert found.orders == {"x": {"home": {"knights": 3}}}
        assert found.chance_all == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kind", ["land", "invasion"])
def test_the_numbers_of_many_sides_are_those_of_each(kind):
    """Risk: regiments, commanders among them, fleets, and in an invasion no more transports than fleets."""
    carry = read({
        "game": "plan", "of": "risk", "every": {"battle": "land"}, "place": {"x": {"regiments": 3}},
        "target": {"a": {"defender": {"regiments": 1}}},
    }).carry  # fmt: skip
    pieces, tables = np.array([[3, 0, 1], [0, 2, 5], [0, 0, 0]]), ({"transports": 2}, {})
    found = carry.numbers(kind, "attacker", tables, pieces)
    for row, own in enumerate(pieces):
        side = carry.side(kind, "attacker", tables, own)
        assert {name: int(values[row]) for name, values in found.items() if values[row]} == {
            name: value for name, value in side.items() if value
        }
    assert [int(one) for one in found["regiments"]] == [3, 2, 0]
    assert kind == "land" or found["transports"].tolist() == [1, 2, 0]


def test_a_target_without_units_falls_for_sure():
    asked = RISK | {"place": {"x": {"regiments": 2}}, "target": {"a": {"defender": {}}}}
    assert plan(asked).headline == "Attack a with 1 regiment: worth 1.00; it falls in 100.00 %."


@pytest.mark.parametrize(("game", "what"), [({}, "is needed"), ({"game": ["plan"]}, "['plan'] is no plan")])
def test_another_scenario_is_no_plan(game, what):
    with pytest.raises(ScenarioError) as refusal:
        plan(game)
    assert str(refusal.value) == f'game: {what}; a plan has game = "plan"'
