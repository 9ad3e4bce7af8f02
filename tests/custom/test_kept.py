"""What a game file keeps of its line-ups from battle to battle never shows in an answer."""

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
]


def kept():
    """What is kept for the shipped game."""
    return load(BATTLE).built.chain.tell.field.setup.source


def forget():
    source = kept()
    source.known.clear()
    source.met.clear()


def rows(scenario):
    table = exact(scenario).table
    return table.pop("p").tolist(), table.to_dict("list")


def test_answers_are_those_of_a_battle_that_was_never_met_before():
    scenarios = [load(BATTLE).replace_all(change) for change in CHANGES]
    afresh = []
    for scenario in scenarios:
        forget()
        afresh.append(rows(load(scenario.data)))
    assert len({str(one) for one in afresh}) > len(CHANGES) / 2
    for scenario, (chances, columns) in [*zip(scenarios, afresh, strict=True)] * 2:
        p, told = rows(load(scenario.data))
        assert told == columns
        assert p == pytest.approx(chances, rel=1e-12)
    assert len(kept().met) > 1
