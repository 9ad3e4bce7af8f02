"""The plain form: a duel with its decision and counters, against values worked out by hand, and broken battles."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from simulator.engine.api import Simulation, best_policy, exact_outcomes, outcomes_from, replay_steps
from simulator.engine.graph import counter_windows, explore
from simulator.engine.model import plain
from simulator.engine.model.chain import Utilities
from simulator.engine.model.limits import BrokenGame, NoExactOdds
from simulator.engine.model.plain import Choice, Counted, PlainBattle, Roll
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


def fight_uncounted(s):
    roll = fight(s)
    return roll and roll._replace(counts={})


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


def test_a_battle_that_begins_in_several_states_is_solved_once(monkeypatch):
    """All states are known: no explorer is asked for those of the other starts."""
    starts = [Duel(2, 2), Duel(3, 1), Duel(1, 4), Duel(3, 1)]
    battle = PlainBattle(starts[0], fight_uncounted, others=starts)
    begun = [battle.begun(start) for start in starts]
    with monkeypatch.context() as patched:
        patched.setattr(explore, "PlainExplorer", None)
        found = outcomes_from(begun[0].chain, np.array([one.chain.start for one in begun]))
    assert found.explored == len(battle.states)
    for number, start in enumerate(starts):
        chosen = found.start == number
        ends = [state for state, _ in battle.ends(type(found.states)(*(field[chosen] for field in found.states)))]
        alone = {state: p for (state, _), p in ending(PlainBattle(start, fight_uncounted))}
        assert dict(zip(ends, found.p[chosen].tolist(), strict=True)) == pytest.approx(alone, abs=1e-14)
        assert {state: p for (state, _), p in ending(begun[number])} == pytest.approx(alone, abs=1e-14)


def test_two_counters_are_told_with_the_ends():
    def wounded(s):
        return fight(s) and fight(s)._replace(weights={s._replace(blue=0): 1})

    short = PlainBattle(Duel(1, 1), wounded, ("rounds", "breath"))
    assert ending(short) == [((Duel(1, 0), {"rounds": 1, "breath": 2}), pytest.approx(1))]


class Siege(NamedTuple):
    """Assaults that are left, and whether the breach is open."""

    assaults: int
    breach: bool = False


ASSAULTS = {(False, 2, 0): 1, (False, 1, 1): 2, (True, 1, 0): 2, (True, 0, 3): 1}
LOSSES = ("besiegers", "garrison")


def assault(s):
    """Each assault costs both sides men, and may open the breach; nothing reads the losses."""
    if s.assaults == 0:
        return None
    after = Siege(s.assaults - 1)
    return Roll(
        "assault", {Counted(after._replace(breach=s.breach or b), (a, d)): w for (b, a, d), w in ASSAULTS.items()}
    )


def spelled_out(s, share=Fraction(1), besiegers=0, garrison=0):
    """All ways of a siege with their chances, one after the other."""
    if s.assaults == 0:
        yield s, besiegers, garrison, share
        return
    for (breach, a, d), weight in ASSAULTS.items():
        after = Siege(s.assaults - 1, s.breach or breach)
        yield from spelled_out(after, share * Fraction(weight, 6), besiegers + a, garrison + d)


def test_losses_that_no_rule_reads_multiply_no_states():
    battle = PlainBattle(Siege(5), assault, LOSSES)
    assert len(battle.states) == 1 + 2 * 5
    due = Counter()
    for s, besiegers, garrison, share in spelled_out(Siege(5)):
        due[s, besiegers, garrison] += share
    found = {(s, losses["besiegers"], losses["garrison"]): p for (s, losses), p in ending(battle)}
    assert found == {end: pytest.approx(float(share), abs=1e-15) for end, share in due.items()}


def test_losses_that_take_too_many_sums_are_refused(monkeypatch):
    monkeypatch.setattr(counter_windows, "MOST_WORK", 100)
    with pytest.raises(NoExactOdds, match="sums are needed; they would take too long"):
        exact_outcomes(PlainBattle(Siege(5), assault, LOSSES).chain)


def test_losses_of_simulated_battles_agree_with_exact_odds():
    battle = PlainBattle(Siege(4), assault, LOSSES)
    due = {(s, *losses.values()): p for (s, losses), p in ending(battle)}
    simulation = Simulation(battle.chain, 11)
    simulation.add(200_000)
    found = simulation.ends()
    for (s, losses), p in zip(battle.ends(found.states), found.p, strict=True):
        exact = due[s, *losses.values()]
        assert abs(p - exact) < 5 * (exact * (1 - exact) / 200_000) ** 0.5


def test_one_counter_may_rise_without_end_beside_others_that_cannot():
    """Rounds without a wound go on for ever; wounds cannot."""

    def bled(s):
        hits = {Counted(s._replace(blue=s.blue - 1), (1, 0, 1)): 15, Counted(s._replace(red=s.red - 1), (0, 2, 1)): 15}
        return Roll("blows", hits | {Counted(s, (0, 0, 1)): 6}) if s.red and s.blue else None

    battle = PlainBattle(Duel(2, 1), bled, ("blue", "red", "rounds"))
    ends = ending(battle)
    assert sum(p for (s, losses), p in ends if losses["blue"] == 1) == pytest.approx(0.75, abs=1e-12)
    assert all(losses["red"] == 2 * (2 - s.red) and losses["blue"] == 1 - s.blue for (s, losses), _ in ends)
    mean = sum(p * losses["rounds"] for (_, losses), p in ends)
    assert mean == pytest.approx(36 / 30 * (0.5 + 0.5 * 2), abs=1e-9)


def test_two_counters_without_end_are_refused():
    with pytest.raises(BrokenGame, match="counters rounds, breath: each rises without end; at most one may"):
        PlainBattle(Duel(1, 1), fight, ("rounds", "breath"))


def test_counters_too_large_for_a_number_are_refused():
    large = 100_000

    def follow(s):
        return Roll("r", {Counted(s + 1, (large, large)): 1}) if s < 1 else None

    with pytest.raises(NoExactOdds, match="a up to 100,000, b up to 100,000: together they take more than 32 bits"):
        PlainBattle(0, follow, ("a", "b"))


@pytest.mark.parametrize(("price", "choice"), [(0.9, "storm"), (1.1, "starve")])
def test_a_side_decides_by_what_counters_cost(price, choice):
    """Storming costs two besiegers on average, starving two turns: worth as much at a turn for a besieger."""
    storm = Roll("storm", {Counted("end", (1, 3, 0)): 1, Counted("end", (3, 1, 0)): 1})

    def follow(s):
        if s == "end":
            return None
        return Choice("attacker", "policy.attacker.storm", {"storm": storm, "starve": Counted("end", (0, 0, 2))})

    battle = PlainBattle("camp", follow, ("besiegers", "garrison", "turns"))

    def worth(ends):
        paid = np.array([price * losses["besiegers"] + losses["turns"] for _, losses in battle.ends(ends)])
        return np.array([-paid, paid])

    chain = replace(battle.chain, utilities=Utilities(worth, ("policy.attacker.storm",)))
    assert best_policy(chain).values[0] == pytest.approx(-min(2 * price, 2), abs=1e-12)
    storms = exact_outcomes(chain)
    assert (storms.p.size == 2) == (choice == "storm")


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
        (lambda s: Roll("r", {Counted(1, (2,)): 1}), "are no amounts of no counter, in 0"),
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


def test_a_battle_with_too_many_transitions_is_refused(monkeypatch):
    monkeypatch.setattr(plain, "MOST_EDGES", 1_000)
    wide = Roll("r", dict.fromkeys(range(100), 1))
    with pytest.raises(NoExactOdds, match="more than 1,000 transitions"):
        PlainBattle(0, lambda s: wide)


def test_counters_as_fields_of_the_chain_tell_states_apart():
    """Without declared counters the same battle has the same ends and chances, counted state by state."""

    def follow(left):
        return Roll("toss", {left - 1: 1, left - 2: 3}, counts={"tosses": 1}) if left > 0 else None

    counted = PlainBattle(3, follow, ("tosses",)).chain
    found = [exact_outcomes(chain) for chain in (counted, replace(counted, counters=()))]
    ends = [sorted(zip(one.states.tally.tolist(), one.p.tolist(), strict=True)) for one in found]
    assert ends[0] == ends[1]
    # Two tosses unless the first two take one each: 1/4 x 1/4, then a third.
    assert sum(p for tosses, p in ends[0] if tosses == 3) == pytest.approx(1 / 16)


def test_a_counter_without_end_tells_no_states_apart():
    battle = PlainBattle(
        1, lambda left: Roll("toss", {0: 1, 1: 1}, counts={"tosses": 1}) if left else None, ("tosses",)
    )
    assert exact_outcomes(battle.chain).p.sum() == pytest.approx(1)
    with pytest.raises(NoExactOdds, match="a counter of this battle rises without end"):
        exact_outcomes(replace(battle.chain, counters=()))
