"""Answers do not depend on what a game file keeps of its line-ups from battle to battle."""

import pytest

from simulator import exact, load

GAME = "twilight-imperium-4"
BATTLE = {
    "game": GAME,
    "battle": "space",
    "attacker": {"dreadnought": 2, "fighter": 2},
    "defender": {"cruiser": 1, "dreadnought": 1},
}
CHANGES = [
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


def kept():
    """The battles that are kept for the shipped game."""
    return load(BATTLE).built.chain.tell.field.setup.source.kept


def forget():
    kept().clear()


def rows(scenario):
    table = exact(scenario).table
    return table.pop("p").tolist(), table.to_dict("list")


def test_answers_are_those_of_a_file_that_keeps_nothing():
    scenarios = [load(BATTLE).replace_all(change) for change in CHANGES]
    expected = []
    for scenario in scenarios:
        forget()
        expected.append(rows(load(scenario.data)))
    assert len({str(one) for one in expected}) > len(CHANGES) / 2
    for scenario, (chances, columns) in [*zip(scenarios, expected, strict=True)] * 2:
        p, found = rows(load(scenario.data))
        assert found == columns
        assert p == pytest.approx(chances, rel=1e-12)
    assert len(kept()) > 1
