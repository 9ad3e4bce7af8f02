"""Fields of a plan that are changed: need, sweep and compare, against plans made one by one."""

from math import isnan

import pytest

from simulator import compare, exact, need, plan, sweep
from simulator.cli.run import run
from simulator.scenarios.files import example

BORDERS = example("plan-three-borders")


def with_regiments(number, base=BORDERS):
    north = base["place"]["north"] | {"regiments": number}
    return base | {"place": base["place"] | {"north": north}}


def test_a_need_is_the_first_number_that_is_enough():
    """How many regiments does the north need, so that all three fall in 60 %?"""
    asked = BORDERS | {"objective": "all"}
    found = need(asked, "place.north.regiments", 0.6)
    assert plan(with_regiments(found.setting, asked), 0).chance_all >= 0.6
    assert plan(with_regiments(found.setting - 1, asked), 0).chance_all < 0.6
    assert found.value == pytest.approx(plan(with_regiments(found.setting, asked), 0).chance_all, abs=1e-12)
    assert found.headline.startswith(f"{found.setting} regiments of north are enough: all 3 fall in ")


@pytest.mark.parametrize("value", [None, "chance_all"])
def test_a_chance_is_that_of_the_plan_for_which_it_is_largest(value):
    """The plan worth most leaves a target alone, or risks more for less: it is not the one that is asked for."""
    found = need(BORDERS, {"place.north.regiments": range(9, 13)}, 0.45, value)
    largest = BORDERS | {"objective": "all"}
    chances = [plan(with_regiments(found.setting + n, largest), 0).chance_all for n in (0, -1)]
    assert chances[0] >= 0.45 > chances[1]
    assert found.value == pytest.approx(chances[0], abs=1e-12)
    assert plan(with_regiments(found.setting), 0).chance_all < 0.45
    assert found.headline.startswith(f"{found.setting} regiments of north are enough: all 3 fall in ")
    assert found.how().endswith(", each by the plan with the largest chance")


def test_a_chance_that_some_targets_fall_has_these_as_aims():
    found = need(BORDERS, "place.north.regiments", 0.7, "ural_falls and siam_falls")
    aims = BORDERS | {"objective": "all", "aims": ["ural", "siam"]}
    chances = [plan(with_regiments(found.setting + n, aims), 0).chance_all for n in (0, -1)]
    assert chances[0] >= 0.7 > chances[1]
    assert found.headline.startswith(f"{found.setting} regiments of north are enough: ural and siam fall in ")


def test_other_values_are_those_of_the_plan_that_the_file_asks_for():
    """Its name stands in the line of a chance, and in the method."""
    found = need(BORDERS, "place.north.regiments", 0.5, "ural_falls or siam_falls")
    rows = {row["target"]: row["chance"] for row in plan(with_regiments(found.setting), 0).rows()}
    assert found.value == pytest.approx(1 - (1 - rows["ural"]) * (1 - rows["siam"]), abs=1e-12)
    assert found.how().endswith(", each by the plan worth most")
    swept = sweep(BORDERS, {"place.north.regiments": [9]}, "all_succeed")
    assert swept.headline.startswith("The chance that all 3 fall with the plan worth most is 31.35 % ")


def test_a_sweep_is_plan_by_plan():
    asked = ("mean.worth", "chance_all", "mean.number", "all_succeed")
    cells = sweep(BORDERS, {"place.north.regiments": [0, 5, 9]}, asked).cells
    for number, cell in zip([0, 5, 9], cells, strict=True):
        found = plan(with_regiments(number), 0)
        succeeding = sum(n * p for n, p in enumerate(found.number))
        left_alone = any(not row["attacked"] for row in found.rows())
        expected = [found.worth, found.chance_all, succeeding, 0 if left_alone else found.chance_all]
        assert [one.value for one in cell.measures] == pytest.approx(expected, abs=1e-12)


NO_PLAN = BORDERS | {"objective": "cheapest", "place": {"x": {"regiments": 3}}}


def test_a_plan_that_does_not_exist_has_no_worth():
    """It succeeds in nothing; its worth is no number, and the sentence has the best that can be had."""
    asked = ["all_succeed", "chance_all", "worth", "cost"]
    found = sweep(NO_PLAN, {"place.x.regiments": [3, 30]}, asked)
    none, enough = ([one.value for one in cell.measures] for cell in found.cells)
    assert none[:2] == [0, 0]
    assert all(isnan(one) for one in none[2:])
    assert enough[2:] == pytest.approx([plan(with_x(30), 0).worth, plan(with_x(30), 0).cost], abs=1e-12)
    best = plan(with_x(3), 0).headline
    worth = sweep(NO_PLAN, {"place.x.regiments": [3, 30]}, "worth").headline
    assert worth == (
        f"The mean of worth is {plan(with_x(30), 0).worth:.4g} with 30 regiments of x, the only cell with a plan. "
        f"With 3 regiments of x: nothing{best.removeprefix('Nothing')}"
    )
    apart = compare({"none": NO_PLAN, "borders": BORDERS}, "worth")
    assert apart.headline == "The mean of worth is not known in none; 4.83 in borders."
    assert apart.notes == (f"none: {best}",)


def test_a_need_that_no_plan_meets_says_the_best_that_can_be_had():
    asked = NO_PLAN | {"every": NO_PLAN["every"] | {"min_odds": 0.8}}
    found = need(asked, "place.x.regiments", 0.5, most=4)
    best = plan(asked | {"place": {"x": {"regiments": 4}}}, 0).headline
    assert not found.enough
    assert found.headline.endswith(f"With 4 regiments of x: nothing{best.removeprefix('Nothing')}")


def with_x(number):
    return NO_PLAN | {"place": {"x": {"regiments": number}}}


def test_a_need_of_enemies_is_the_largest_number_that_is_still_enough():
    found = need(BORDERS, "target.ural.defender.regiments", 4, "worth")

    def worth(number):
        ural = BORDERS["target"]["ural"] | {"defender": {"regiments": number}}
        return plan(BORDERS | {"target": BORDERS["target"] | {"ural": ural}}, 0).worth

    assert found.direction == "falling"
    assert worth(found.setting) >= 4 > worth(found.setting + 1)
    assert found.headline == f"Up to {found.setting} regiments of ural: the mean of worth is {found.value:.4g}."


def test_a_need_of_those_who_may_come_or_strike_back():
    """Fields of a hold's attacker and of a counter-attack are those of the battle's own kind."""
    hold = {"game": "plan", "of": "risk", "every": {"battle": "land"}, "place": {"fort": {"regiments": 5}},
            "hold": {"fort": {"attacker": {"regiments": 1}}}}  # fmt: skip
    found = need(hold, "hold.fort.attacker.regiments", 0.5, "fort_held")
    battle = {"game": "risk", "battle": "land", "defender": {"regiments": 5}}
    chances = [exact(battle | {"attacker": {"regiments": found.setting + n}}).winner("defender") for n in (0, 1)]
    assert chances[0] >= 0.5 > chances[1]
    target = {"defender": {}, "counter": {"attacker": {"regiments": 1}}}
    asked = hold | {"place": {"x": {"regiments": 5}}, "hold": {}, "target": {"a": target}}
    assert need(asked, "target.a.counter.attacker.regiments", 0.5, "a_falls").setting == found.setting


def test_plans_are_compared():
    found = compare({"now": BORDERS, "later": with_regiments(12)}, ["all_succeed", "mean.worth"])
    rows = {(row["value"], row["scenario"]): row["estimate"] for row in found.rows()}
    assert rows["all_succeed", "now"] == pytest.approx(plan(BORDERS, 0).chance_all, abs=1e-12)
    assert rows["mean.worth", "later"] == pytest.approx(plan(with_regiments(12), 0).worth, abs=1e-12)
    by_default = {row["value"] for row in compare({"now": BORDERS, "later": with_regiments(12)}).rows()}
    assert "all_succeed" in by_default
    assert "mean.all_succeed" not in by_default  # the same chance again


@pytest.mark.parametrize(("arguments", "line"), [
    (["need", "plan-hold-moscow", "--vary", "place.moscow.tnk"], "place.moscow.tnk: unknown field; did you mean "),
    (["need", "plan-three-borders", "--vary", "place.north.regiments", "--value", "x_falls"],
     "value: query 'x_falls' cannot be read at place 1, 'x_falls': no such column; "),
    (["need", "plan-three-borders", "--vary", "target.ural.defender.regimens"],
     "target.ural.defender.regimens: unknown field; did you mean "),
    (["sweep", "plan-three-borders", "--vary", "place.north.regiments=-1"],
     "place.north.regiments: -1 is not allowed; "),
])  # fmt: skip
def test_a_wrong_field_or_value_is_one_line(arguments, line, capsys):
    assert run(arguments) == 2
    told = capsys.readouterr().err
    assert told.startswith(line)
    assert told.count("\n") == 1
