"""Sweeps of how many counters fight, in one pass: the same numbers as each battle by itself."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import exact, load, sweep
from simulator.analysis.odds.measure import measure
from simulator.analysis.studies.one_pass import solve_rows
from simulator.scenarios import draft

LAND = {
    "game": "kings-and-things",
    "battle": "land",
    "attacker": {"creatures": [{"value": 4}, {"value": 3, "ranged": True}, {"value": 2}, "Dwarves 3C"]},
    "defender": {
        "creatures": [{"value": 3, "magic": True}, "4", {"value": 2}],
        "fort": "keep",
        "settlement": "village",
    },
}
COUNTS = tuple(
    f"{side}[{i}].count"
    for side, i in (("attacker.creatures", 0), ("attacker.creatures", 1), ("defender.creatures", 2))
)
ASKED = (
    "p_attacker",
    "mean.attacker_losses",
    "mean.defender_losses",
    "mean.defender_value_left",
    "attacker_losses > 2",
)
SAID = [
    {},
    {"policy.attacker.retreat": "below-creatures", "policy.attacker.retreat_below": 3},
    {"policy.attacker.losses": "strongest-first", "attacker.items": ["talisman", "lucky-charm"]},
    {"policy.defender.losses": "keep-next-step-fighters", "defender.items": ["golem", "firewall"]},
    {"defender.items": ["dust-of-defense"], "policy.defender.dust": "when-outgunned"},
    {"attacker.creatures[3]": "Marksman", "policy.attacker.marksman": "aimed", "attacker.retreat_hex_creatures": 7},
]


@given(said=st.sampled_from(SAID), data=st.data())
@settings(max_examples=8, deadline=None)
def test_one_pass_gives_what_count_by_count_gives(said, data):
    scenario = load(LAND).replace_all(said)
    paths = data.draw(st.permutations(COUNTS))[:2]
    values = tuple(tuple(data.draw(st.lists(st.integers(1, 4), min_size=3, max_size=3, unique=True))) for _ in paths)
    found = solve_rows(draft(scenario.data), paths, list(product(*values)), ASKED)
    cells = list(product(*values))
    for place in data.draw(st.sets(st.integers(0, len(cells) - 1), min_size=1, max_size=3)):
        odds = exact(scenario.replace_all(dict(zip(paths, cells[place], strict=True))))
        assert found[:, place] == pytest.approx([measure(odds, question).value for question in ASKED], abs=1e-12)


def test_equal_counters_of_two_entries_and_more_sides():
    three = LAND | {"battle": "free-for-all", "second_attacker": {"creatures": ["3", {"value": 3}, "2M"]}}
    vary = {"second_attacker.creatures[1].count": range(1, 4), "attacker.creatures[2].count": (3, 1, 2)}
    swept = sweep(three, vary, "taken_by_second_attacker")
    inside = solve_rows(draft(three), tuple(vary), list(product(*vary.values())), ("taken_by_second_attacker",))
    assert np.isfinite(inside).all()
    for row in swept.rows()[::4]:
        alone = exact(load(three).replace_all({path: row[path] for path in vary}))
        assert row["value"] == pytest.approx(alone.p("taken_by_second_attacker"), abs=1e-12)


@pytest.mark.parametrize(
    "changes",
    [
        {"attacker.creatures[3]": "Warlord"},
        {"attacker.items": ["magic-sword"], "defender.items": ["balloon"]},
        {"policy.attacker.retreat": "best", "policy.defender.retreat": "best"},
    ],
)
def test_what_is_chosen_by_who_is_there_is_answered_count_by_count(changes):
    assert load(LAND).replace_all(changes).built.starts == []
