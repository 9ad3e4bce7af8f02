"""Fields of a plan that are changed: need, sweep and compare, against plans made one by one."""

import pytest

from simulator import compare, need, plan, sweep
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


def test_a_question_about_some_targets():
    """Battles are independent, so the chance that two fall is the product of theirs."""
    found = need(BORDERS, "place.north.regiments", 0.7, "ural_falls and siam_falls")
    rows = {row["target"]: row for row in plan(with_regiments(found.setting), 0).rows()}
    assert found.value == pytest.approx(rows["ural"]["chance"] * rows["siam"]["chance"], abs=1e-12)


def test_a_sweep_is_plan_by_plan():
    asked = ("mean.worth", "chance_all", "mean.number", "all_succeed")
    cells = sweep(BORDERS, {"place.north.regiments": [0, 5, 9]}, asked).cells
    for number, cell in zip([0, 5, 9], cells, strict=True):
        found = plan(with_regiments(number), 0)
        succeeding = sum(n * p for n, p in enumerate(found.number))
        left_alone = any(not row["attacked"] for row in found.rows())
        expected = [found.worth, found.chance_all, succeeding, 0 if left_alone else found.chance_all]
        assert [one.value for one in cell.measures] == pytest.approx(expected, abs=1e-12)


def test_a_plan_that_does_not_exist_succeeds_in_nothing():
    asked = BORDERS | {"objective": "cheapest", "place": {"x": {"regiments": 3}}}
    cells = sweep(asked, {"place.x.regiments": [3]}, ["all_succeed", "chance_all", "mean.worth"]).cells
    assert [one.value for one in cells[0].measures] == [0, 0, 0]


def test_plans_are_compared():
    found = compare({"now": BORDERS, "later": with_regiments(12)}, ["all_succeed", "mean.worth"])
    rows = {(row["value"], row["scenario"]): row["estimate"] for row in found.rows()}
    assert rows["all_succeed", "now"] == pytest.approx(plan(BORDERS, 0).chance_all, abs=1e-12)
    assert rows["mean.worth", "later"] == pytest.approx(plan(with_regiments(12), 0).worth, abs=1e-12)


@pytest.mark.parametrize(("arguments", "line"), [
    (["need", "plan-hold-moscow", "--vary", "place.moscow.tnk"], "place.moscow.tnk: unknown field; did you mean "),
    (["need", "plan-three-borders", "--vary", "place.north.regiments", "--value", "x_falls"],
     "query 'x_falls' cannot be read at place 1, 'x_falls': no such column; "),
    (["sweep", "plan-three-borders", "--vary", "place.north.regiments=-1"],
     "place.north.regiments: -1 is not allowed; "),
])  # fmt: skip
def test_a_wrong_field_or_value_is_one_line(arguments, line, capsys):
    assert run(arguments) == 2
    told = capsys.readouterr().err
    assert told.startswith(line)
    assert told.count("\n") == 1
