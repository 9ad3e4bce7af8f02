"""Balance and the worth of units: small battles, tried by hand."""

import json
from itertools import product

import pytest

from simulator import Interrupted, ScenarioError, balance, exact, load, units
from simulator.cli import run
from simulator.cli.run import BAD_INPUT

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 5}, "defender": {"regiments": 2}}
DUEL = {
    "game": "custom",
    "rules": {
        "format": 1,
        "name": "Duel",
        "unit": {"axe": {"cost": 1, "combat": 2}, "bow": {"cost": 3, "attack": 2, "defence": 3}},
        "battle": {"field": {}},
        "step": [{"name": "melee"}],
    },
    "battle": "field",
    "attacker": {"axe": 2},
    "defender": {"bow": 2},
}
DEFENCE, AXES = "rules.unit.bow.defence", "attacker.axe"


def by_hand(defence, axes):
    odds = exact(load(DUEL).replace_all({AXES: axes, DEFENCE: defence}))
    return abs(odds.winner("attacker") - odds.winner("defender"))


def test_the_front_is_what_nothing_beats_in_steps_and_distance():
    found = balance(DUEL, {DEFENCE: [1, 2, 4, 5], AXES: [1, 3]})
    assert found.present == {DEFENCE: 3, AXES: 2}
    every = {}
    for defence, axes in product([1, 2, 3, 4, 5], [1, 2, 3]):
        every[defence, axes] = abs(defence - 3) + abs(axes - 2), by_hand(defence, axes)
    front = {
        settings
        for settings, (steps, distance) in every.items()
        if not any(
            s <= steps and d <= distance + 1e-9 and (s < steps or d < distance - 1e-9) for s, d in every.values()
        )
    }
    assert {(row[DEFENCE], row[AXES]) for row in found.rows()} == front
    assert [row["distance"] for row in found.rows()] == sorted(row["distance"] for row in found.rows())
    assert found.rows()[-1]["steps"] == 0
    assert found.headline.startswith("Even with 2 for the defence of the bow (1 step): ")
    assert found.tried == 15


def test_a_chance_near_half_is_not_even_where_nobody_often_wins():
    found = balance(DUEL, {AXES: [1, 2, 3]}, 0.5, "p_defender")
    assert found.asked == ("p_attacker", "p_defender")
    assert all(row["distance"] == abs(row["p_attacker"] - row["p_defender"]) for row in found.rows())
    named = balance(DUEL, {AXES: [1, 2, 3]}, 0.3, "p_defender")
    assert named.rows()[0]["distance"] == pytest.approx(abs(named.rows()[0]["p_defender"] - 0.3))


def test_a_field_without_values_and_what_the_rules_refuse():
    assert {one.cell.settings[0] for one in balance(LAND, {"defender.regiments": None}).changes} == {1, 2, 3, 4, 5}
    found = balance(LAND, {"attacker.regiments": [-1, 4], "options.ties": None})
    assert found.refused
    assert "refused (attacker.regiments: -1 is not allowed" in found.how()
    assert found.rows()[0]["attacker.regiments"] == 4
    assert len(balance(LAND, {"attacker.regiments": [[3, 2], 4]}).refused) == 1


def test_steps_of_names_are_places_in_their_list():
    found = balance(LAND, {"options.ties": ["both", "attacker"]})
    assert {one.cell.settings[0]: one.steps for one in found.changes} == {"defender": 0, "both": 1, "attacker": 2}


@pytest.mark.parametrize(
    ("vary", "more", "said"),
    [
        ({"attacker.regimens": [1]}, {}, "attacker.regimens: unknown field; did you mean attacker.regiments"),
        ({"attacker": [1]}, {}, "attacker: has no single present setting; name a field in it: attacker.regiments"),
        ({}, {}, "vary: nothing to vary"),
        ({"attacker.regiments": [3]}, {"value": "mean.rounds"}, "target: is needed"),
        ({"attacker.regiments": [3]}, {"target": 50}, "target: 50 is not allowed; p_attacker is a chance"),
    ],
)
def test_refusals(vary, more, said):
    with pytest.raises((ScenarioError, ValueError), match=said):
        balance(LAND, vary, **more)


def test_an_interrupt_keeps_what_was_tried():
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(Interrupted) as cut:
        balance(DUEL, {DEFENCE: range(1, 7)}, threads=1, progress=stop)
    assert 1 <= cut.value.gathered.tried < 6
    assert cut.value.gathered.how().endswith("interrupted")


def test_one_more_of_each_unit_beside_its_price():
    found = {(row["side"], row["unit"]): row for row in units(DUEL).rows()}
    assert set(found) == set(product(["attacker", "defender"], ["axe", "bow"]))
    before = exact(DUEL)
    for (side, unit), row in found.items():
        after = exact(DUEL | {side: DUEL[side] | {unit: DUEL[side].get(unit, 0) + 1}})
        enemy = "defender" if side == "attacker" else "attacker"
        lost = [one.mean(f"{side}_cost_lost") - one.mean(f"{enemy}_cost_lost") for one in (before, after)]
        assert row["points"] == pytest.approx(100 * (after.winner(side) - before.winner(side)))
        assert row["exchanged"] == pytest.approx(lost[1] - lost[0])
        assert row["price"] == {"axe": 1, "bow": 3}[unit]
        assert row["per_cost"] == pytest.approx(row["points"] / row["price"])


def test_units_of_several_battles_are_averaged():
    other = DUEL | {"attacker": {"axe": 4}}
    one, two, both = ({(r["side"], r["unit"]): r for r in units(what).rows()} for what in (DUEL, other, [DUEL, other]))
    for unit, row in both.items():
        assert row["points"] == pytest.approx((one[unit]["points"] + two[unit]["points"]) / 2)
        assert row["scenarios"] == 2


def test_the_gain_of_simulated_units_has_its_interval():
    """The points of simulated battles stood in the first line and in the table without one."""
    sure = {(row["side"], row["unit"]): row["points"] for row in units(DUEL).rows()}
    for asked, battles in ((DUEL, 2000), ([DUEL, DUEL], 2000)):
        found = units(asked, battles=battles, seed=3)
        for row in found.rows():
            assert row["low"] < row["points"] < row["high"]
            half = (row["high"] - row["low"]) / 2
            assert abs(row["points"] - sure[row["side"], row["unit"]]) < 4.5 / 1.96 * half
        best = found.rows()[0]
        interval = f"about +{best['points']:.2f} points ({best['low']:+.2f} to {best['high']:+.2f})"
        assert found.headline.startswith(f"One more {best['unit']} is worth most for its price: {interval} at price ")
    assert all(row["low"] == row["points"] == row["high"] for row in units(DUEL).rows())


def test_units_without_prices_are_the_numbers_of_both_sides():
    rows = units("europa-cortes-1521").rows()
    assert {"attacker", "defender"} == {row["side"] for row in rows}
    assert all(row["price"] is row["per_cost"] is None for row in rows)
    with pytest.raises(ValueError, match="scenarios: give one or more"):
        units([])
    for without in ("birthright-scouting", "campaign-two-fronts"):
        with pytest.raises(ScenarioError, match="has no units to add"):
            units(without)


def test_commands(tmp_path, capsys):
    file = tmp_path / "duel.json"
    file.write_text(json.dumps(DUEL))
    assert run(["balance", str(file), "--vary", f"{DEFENCE}=1:5", "--csv", str(tmp_path / "front.csv")]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Even with 2 for the defence of the bow (1 step): the attacker wins in ")
    assert "5 combinations tried, all exact; none refused" in out
    assert (tmp_path / "front.csv").read_text().startswith(f"{DEFENCE},steps,distance,p_attacker,p_defender,method")
    assert run(["balance", str(file), "--vary", AXES, "--target", "70%", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["target"], answer["asked"]) == (0.7, ["p_attacker"])
    assert run(["units", str(file), str(file), "--set", "2:attacker.axe=3"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "One more axe is worth most for its price: +31.74 points at price 1; one more axe of the defender: "
    )
    assert "averaged over 2 battles; all exact" in out
    assert run(["need", str(file), "--vary", AXES, "--target", "60%", "--cost", "list", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["cost"] == answer["settings"][AXES]  # an axe costs 1
    assert run(["balance", str(file), "--vary", "rules.unit.bow=2"]) == BAD_INPUT
    assert run(["units", "birthright-scouting"]) == BAD_INPUT
    assert "Traceback" not in capsys.readouterr().err
