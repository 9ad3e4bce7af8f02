"""Answers do not depend on what is kept of a game file's line-ups from battle to battle."""

import pytest

from simulator import NoExactOdds, exact, load

SPACE = {
    "game": "twilight-imperium-4",
    "battle": "space",
    "attacker": {"dreadnought": 2, "fighter": 2},
    "defender": {"cruiser": 1, "dreadnought": 1},
}
OF_SPACE = [
    {},
    {"policy.attacker.absorb": "first"},
    {"policy.attacker.absorb": "last"},
    {"policy.attacker.loss_order": ["dreadnought", "fighter"]},
    {"policy.attacker.keep": {"fighter": 1}},
    {"attacker.modifier": 1},
    {"defender.modifier": -1},
    {"attacker.fighter": 1},
    {"defender.destroyer": 1},
    {"defender.destroyer": 0},  # named, so that it has columns
]
LAND = {
    "game": "axis-and-allies-1942",
    "battle": "land",
    "attacker": {"infantry": 2, "tank": 1},
    "defender": {"infantry": 2},
}
# Line-ups that differ only in when the attacker leaves share their layout; those that leave by the odds, the chances.
LEAVING = "policy.attacker.retreat"
OF_LAND = [
    {},
    {LEAVING: "odds-below", "policy.attacker.odds_below": 0.5},
    {LEAVING: "odds-below", "policy.attacker.odds_below": 0.2},
    {LEAVING: "odds-below", "policy.attacker.odds_below": 0.5, "options.rounds": 2},
    {LEAVING: "outpowered"},
    {LEAVING: "units-at-most", "policy.attacker.units_at_most": 1},
    {LEAVING: "after-rounds", "policy.attacker.after_rounds": 1},
    {LEAVING: "after-rounds", "policy.attacker.after_rounds": 2},
    {LEAVING: "after-rounds", "policy.attacker.after_rounds": 2, "options.dice": "low-luck"},
]

# With low luck the classes of targets are made of the units that stand there, so a rolled battle tells less apart.
SEA = {
    "game": "axis-and-allies-1942",
    "battle": "sea",
    "attacker": {"submarine": 2, "cruiser": 1, "fighter": 1},
    "defender": {"cruiser": 2, "submarine": 1},
}
LOW_LUCK = {"options.dice": "low-luck"}
OF_SEA = [
    {},
    LOW_LUCK,
    LOW_LUCK | {"defender.fighter": 1, "defender.cruiser": 1},
    LOW_LUCK | {"attacker.submarine": 1, "attacker.fighter": 0, "defender.cruiser": 1, "defender.fighter": 1},
]


def rows(scenario):
    table = exact(load(scenario)).table
    return table.pop("p").tolist(), table.to_dict("list")


@pytest.mark.parametrize(
    ("battle", "changes"), [(SPACE, OF_SPACE), (LAND, OF_LAND), (SEA, OF_SEA)], ids=["space", "land", "sea"]
)
def test_answers_are_those_of_a_game_that_was_never_asked_before(battle, changes):
    scenarios = [load(battle).replace_all(change).data for change in changes]
    # Rules laid over a game make another one, of which nothing is kept.
    expected = [rows(scenario | {"rules": {}}) for scenario in scenarios]
    assert len({str(one) for one in expected}) > len(changes) / 2
    for scenario, (chances, columns) in [*zip(scenarios, expected, strict=True)] * 2:
        p, found = rows(scenario)
        assert found == columns
        assert p == pytest.approx(chances, rel=1e-12)


def test_a_kept_answer_does_not_fit_into_a_smaller_budget():
    known = exact(LAND)
    assert exact(LAND).table.equals(known.table)
    with pytest.raises(NoExactOdds):
        exact(LAND, budget=100)
