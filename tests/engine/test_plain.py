"""The plain form: a duel with its decision and counters, against values worked out by hand, and broken battles."""

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from simulator.engine.api import Simulation, best_policy, exact_outcomes, replay_steps
from simulator.engine.model.chain import Utilities
from simulator.engine.model.limits import BrokenGame, NoExactOdds
from simulator.engine.model.plain import Choice, PlainBattle, Roll
from simulator.rules.toolkit.plain import built


class Duel(NamedTuple):
    """Wounds that each fighter can still take, and whether blue has yielded."""

    red: int
    blue: int
    yielded: bool = False


def blows(s):
    """Either side is wounded, or nobody: 15, 15 and 6 of 36 ways; two counters."""
    ways = {s._replace(blue=s.blue - 1): 15, s._replace(red=s.red - 1): 15, s: 6}
    return Roll("blows", ways, {"rounds": 1, "breath": 2}, line=lambda after, _: f"red {after.red}, blue {after.blue}.")


def fight(s):
    return blows(s) if s.red and s.blue and not s.yielded else None


def may_yield(s):
    if fight(s) is not None and s.blue == 1:
        options = {"fight on": only_rounds(s), "yield": s._replace(yielded=True)}
        return Choice("defender", "policy.defender.yields", options)
    return only_rounds(s)


def ending(battle):
    found = exact_outcomes(battle.chain)
    return list(zip(battle.ends(found.states), found.p, strict=True))


def only_rounds(s):
    roll = fight(s)
    return roll and roll._replace(counts={"rounds": 1})


def test_a_duel_is_as_likely_as_worked_out_by_hand():
    """Rounds without a wound only take time: each fighter wins half of the duels, 3 wounds last 3.75 rounds at most."""
    ends = ending(PlainBattle(Duel(2, 2), only_rounds, ("rounds",)))
    assert sum(p for (state, _), p in ends if state.red) == pytest.approx(0.5, abs=1e-12)
    quick = sum(p for (_, counters), p in ends if counters["rounds"] == 2)
    assert quick == pytest.approx(float(2 * Fraction(15, 36) ** 2), abs=1e-12)


def test_two_counters_are_told_with_the_ends():
    def wounded(s):
        return fight(s) and fight(s)._replace(weights={s._replace(blue=0): 1})

    short = PlainBattle(Duel(1, 1), wounded, ("rounds", "breath"))
    assert ending(short) == [((Duel(1, 0), {"rounds": 1, "breath": 2}), pytest.approx(1))]


def test_battles_of_a_seed_agree_with_exact_odds():
    battle = PlainBattle(Duel(3, 2), only_rounds, ("rounds",))
    wins = sum(p for (state, _), p in ending(battle) if state.red)
    simulation = Simulation(battle.chain, 5)
    simulation.add(100_000)
    found = simulation.ends()
    seen = sum(p for (state, _), p in zip(battle.ends(found.states), found.p, strict=True) if state.red)
    assert abs(seen - wins) < 4.5 * (wins * (1 - wins) / 100_000) ** 0.5


@pytest.mark.parametrize(("price", "choice"), [(0.4, "yield"), (0.6, "fight on")])
def test_a_side_decides_by_what_it_wants(price, choice):
    """Blue, with a wound left against one, survives half of the duels; yielding is worth 1 - price."""
    battle = PlainBattle(Duel(1, 1), may_yield, ("rounds",))

    def worth(ends):
        states = [state for state, _ in battle.ends(ends)]
        blue = np.array([1 - price if s.yielded else float(s.blue > 0) for s in states])
        return np.array([-blue, blue])

    chain = replace(battle.chain, utilities=Utilities(worth, ("policy.defender.yields",)))
    assert best_policy(chain).values[1] == pytest.approx(max(0.5, 1 - price), abs=1e-12)
    answer = built(battle, lambda s: {"winner": 0}, describe=lambda s: {"blue": s.blue})
    columns = answer.decisions(type(chain.start)(np.array([0]), np.array([0])), np.array([choice == "yield"], int))
    assert {name: values.tolist() for name, values in columns.items()} == {
        "decision": ["policy.defender.yields"], "blue": [1], "choice": [choice],
    }  # fmt: skip


def test_a_replay_tells_rolls_by_their_own_lines():
    battle = PlainBattle(Duel(1, 1), only_rounds, ("rounds",))
    lines = [
        battle.chain.tell(before, result, after, None) for before, result, after in replay_steps(battle.chain, 1, 0)
    ]
    assert lines[-1] in {"red 1, blue 0.", "red 0, blue 1."}
    assert set(lines[:-1]) <= {"red 1, blue 1."}


@pytest.mark.parametrize(
    ("follow", "text"),
    [
        (lambda s: Roll("r", {1: -1}), "are no chances, in 0"),
        (lambda s: Roll("r", {1: 0}), "are no chances, in 0"),
        (lambda s: Roll("r", {1: float("nan")}), "are no chances, in 0"),
        (lambda s: Roll("r", {1: 1}, {"gold": 1}), "no counter 'gold'"),
        (lambda s: Choice("nobody", "p", {"a": 1}), "'nobody' is no side"),
        (lambda s: Choice("attacker", "p", {}), "has no option"),
        (lambda s: Choice("attacker", "p", {"a": 1, "b": 1}), "options a, b are the same"),
    ],
)
def test_broken_battles_are_named(follow, text):
    with pytest.raises(BrokenGame, match=text):
        PlainBattle(0, lambda s: follow(s) if s == 0 else None)


def test_a_function_that_answers_otherwise_when_asked_again_is_refused():
    answers = iter([Roll("r", {1: 1}), Roll("r", {2: 1})])
    with pytest.raises(BrokenGame, match="answers differently when asked again, in 0"):
        PlainBattle(0, lambda s: next(answers))


def test_a_battle_with_too_many_states_is_refused():
    with pytest.raises(NoExactOdds, match="more than 200,000 states"):
        PlainBattle(0, lambda s: Roll("r", {s + 1: 1}))
