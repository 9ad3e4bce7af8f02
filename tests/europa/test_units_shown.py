"""Columns keep their numbers and tell their units (docs/rules/europa_land_siege.md section 11)."""

import pytest

from simulator import compare, exact, need, rules, sensitivity

UNITS = {
    ("land", "attacker_left_thirds"): ("1/3 LD", "LD", 11, "3 LD 2 LDE"),
    ("land", "defender_losses_thirds"): ("1/3 LD", "LD", 9.5, "3.17 LD"),
    ("naval", "attacker_losses_thirds"): ("1/3 ND", "ND", 5, "1 ND 2 DE"),
    ("exploration", "attacker_exploration_ships_left"): ("1/3 ND", "DE", 2, "2 DE"),
    ("siege", "siegeworks_value"): ("1/3", "counters", 4, "siegeworks+ and -"),
    ("logistics", "half_points_needed"): ("1/2 transport point", "transport points", 13, "6.5"),
    ("logistics", "blockade_and_supply_grade"): ("grade 0-4", "naval size", 3, "FLEET-"),
}


@pytest.mark.parametrize(("kind", "column"), UNITS)
def test_a_column_is_shown_in_the_units_of_the_game(kind, column):
    unit, units, number, text = UNITS[kind, column]
    shown = rules.battles("europa")[kind].shown[column]
    assert (shown.unit, shown.units, shown.value(number)) == (unit, units, text)


def test_an_answer_as_json_tells_the_units_of_its_columns():
    rows = {row["column"]: row for row in exact("europa-la-rochelle-1627").to_dict()["summary"]}
    needed = rows["half_points_needed"]
    assert (needed["mean"], needed["unit"], needed["shown"]) == (12, "1/2 transport point", "transport points")
    assert not {"unit", "shown"} & exact("risk-20v15").to_dict()["summary"][0].keys()


LEFT = "mean.attacker_left_thirds"
FIGHT = {
    "game": "europa", "battle": "land", "attacker": {"land_detachments": 4, "leader": "none"},
    "defender": {"land_detachments": 3, "leader": "none"},
}  # fmt: skip


def test_sentences_of_studies_are_in_the_units_of_the_game():
    """Five LD lose as much as four, so 1 LD more is left; the numbers of the answers stay thirds."""
    larger = FIGHT | {"attacker": {"land_detachments": 5, "leader": "none"}}
    four, five = (f"{exact(one).mean('attacker_left_thirds') / 3:.2f} LD" for one in (FIGHT, larger))
    headline = compare([FIGHT, larger], LEFT).headline
    assert headline == f"The mean of what the attacker has left is {four} in A; {five} in B, 1 LD more."
    most = sensitivity(FIGHT, LEFT, fields=["attacker.land_detachments"])
    assert most.headline.endswith(f": +1 LD, the mean of what the attacker has left goes from {four} to {five}.")
    short = need(FIGHT, {"attacker.land_detachments": range(4, 6)}, 14.5, value=LEFT)
    assert short.headline.endswith(f"the mean of what the attacker has left is {five}.")
    assert short.rows()[-1]["value"] == pytest.approx(exact(larger).mean("attacker_left_thirds"))
