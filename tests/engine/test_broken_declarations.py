"""Wrong declarations of a chain are refused: never wrong odds, never access outside its own memory."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from simulator.engine.exact import exact_outcomes
from simulator.engine.graph import graph_cache
from simulator.engine.graph.compiled_explorer import CompiledExplorer
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.model.chain import BEST, Chain, Utilities, rule
from simulator.engine.model.chance import TableBook, Tables, tables
from simulator.engine.model.limits import BrokenGame, NoExactOdds
from simulator.engine.sample.interpreted_walk import InterpretedGraph
from simulator.engine.sample.per_battle import each_outcome, walk_by_rules
from simulator.engine.sample.simulation import Simulation, replay_steps
from tests.toys import Coins, Purse, gamble, marked_walk, ring, walk


def met(chain):
    graph_cache.simulate_by_rules(chain)
    simulation = Simulation(chain, 1)
    simulation.add(2000)
    return simulation.ends()


def simulated_by_rules(chain):
    Simulation(chain, 1, direct=True).add(2000)


def each_by_rules(chain):
    walk_by_rules(chain, 1, 2000)


def first_battles(chain):
    InterpretedGraph(chain).fight(1, 0, 2000, 60.0)


BY_RULES = [met, simulated_by_rules, each_by_rules, first_battles]
by_rules_alone = pytest.mark.parametrize("run", BY_RULES, ids=lambda run: run.__name__)


@pytest.mark.parametrize(
    ("wrong", "answer"),
    [
        ({"start": Coins(9, 0)}, "field coins: 9 is not within 0 to 4, after state the start"),
        ({"start": Coins(2, -5)}, "field tosses: -5 is not within 0"),
        ({"start": (2, 0)}, "limits: .* are not those of the fields of tuple"),
        ({"limits": (4, 100, 3)}, "limits: .* are not those of the fields of Coins"),
        ({"limits": Coins(4, 2**64)}, "limits: .* are not within 0 to 9223372036854775807"),
        ({"limits": Coins(4, -1)}, "limits: .* are not within 0 to"),
        ({"limits": Coins(4, 2**33), "counters": ("tosses",)}, "counter tosses is above 4294967295"),
    ],
)
def test_a_declaration_that_cannot_be_is_refused_when_the_chain_is_made(wrong, answer):
    with pytest.raises(BrokenGame, match=answer):
        replace(walk(2, 4), **wrong)


@by_rules_alone
def test_the_table_of_the_very_start_is_held_to_the_contract(run):
    chain = replace(walk(2, 4, counting=1), tables=tables([{0: 1}]))
    with pytest.raises(BrokenGame, match=r"chance table 1: there are tables 0 to 0; .*coins=2"):
        run(chain)


@by_rules_alone
def test_a_note_above_its_limit_is_an_error(run):
    chain = marked_walk(2, 4)
    with pytest.raises(BrokenGame, match=r"field mark: . is not within 0 to 2|left its limits"):
        run(replace(chain, limits=chain.limits._replace(mark=2)))


class Stairs(NamedTuple):
    """Three stages of one step: `add` is counted, a note made, the last by table `last`; `over`: what running says."""

    add: int
    last: int
    over: int


class Stage(NamedTuple):
    stage: int
    count: int
    note: int


@rule(Stairs)
def running(p, s):
    return (3 - s.stage) * p.over


@rule(Stairs)
def table(p, s):
    return p.last if s.stage == 2 else 1


@rule(Stairs)
def step(p, s, result):
    return Stage(s.stage + 1, s.count + p.add, 1 if s.stage == 0 else s.note)


def stairs(add: int = 1, last: int = 1, over: int = 1) -> Chain:
    book = TableBook()
    book.add({0: 1, 1: 1})
    start, limits = Stage(0, 0, 0), Stage(3, 2**24, 1)
    return Chain(Stairs(add, last, over), start, limits, book.close(), counters=("count",))


def test_a_counter_that_jumps_far_is_counted_all_the_same():
    chain = stairs(add=1 << 20)
    ends = met(chain)
    assert np.array(ends.states).T.tolist() == [[3, 3 << 20, 1]]
    assert ends.count.tolist() == [2000]
    rows = InterpretedGraph(chain).fight(1, 0, 10, 60.0)
    assert rows is not None
    assert rows[:, -1].tolist() == [10]
    assert np.array(exact_outcomes(chain).states).T.tolist() == [[3, 3 << 20, 1]]


@pytest.mark.parametrize("over", [1, 7, -1])
def test_a_running_that_is_a_number_is_as_good_as_yes(over):
    simulation = Simulation(stairs(over=over), 1, direct=True)
    simulation.add(5000)
    assert simulation.ends().count.tolist() == [5000]


@by_rules_alone
def test_a_table_that_is_not_there_later_on_is_an_error(run):
    with pytest.raises(BrokenGame, match=r"chance table 5: there are tables 0 to 1; .*stage=2|left its limits"):
        run(stairs(last=5))


@pytest.mark.parametrize("counting", [0, 1])
def test_a_cycle_that_nothing_leaves_is_found_however_far_its_counter_may_count(counting):
    book = TableBook()
    book.add({0: 1, 1: 1})
    chain = Chain(Round(counting), Stage(0, 0, 0), Stage(1, 2**32 - 1, 0), book.close(), counters=("count",))
    for run in (exact_outcomes, lambda chain: each_outcome(chain, 1, 10)):
        with pytest.raises(BrokenGame, match="can never leave Stage"):
            run(chain)


class Round(NamedTuple):
    """Two stages that follow each other for ever."""

    counting: int


@rule(Round)
def running(p, s):
    return True


@rule(Round)
def table(p, s):
    return 1


@rule(Round)
def step(p, s, result):
    return Stage(1 - s.stage, s.count + p.counting, 0)


def test_a_counter_that_jumps_too_far_for_memory_is_refused():
    chain = replace(stairs(add=2**30), limits=Stage(3, 2**32 - 1, 1))
    with pytest.raises(NoExactOdds, match=r"counter count: it jumps by 1,073,741,824; .* GB"):
        exact_outcomes(chain)


def test_a_battle_without_end_is_not_told_for_ever(monkeypatch):
    monkeypatch.setattr("simulator.engine.sample.plain_walk.MOST_ROLLS", 100)
    with pytest.raises(BrokenGame, match="did not end within 200 steps"):
        list(replay_steps(ring(2), 1, 0))


class Odd(NamedTuple):
    """A step that returns what is no state of whole numbers."""

    kind: int


class Place(NamedTuple):
    place: int
    left: int


class Turned(NamedTuple):
    left: int
    place: int


@rule(Odd)
def running(p, s):
    return s.left > 0


@rule(Odd)
def table(p, s):
    return 1


@rule(Odd)
def step(p, s, result):
    return Place(s.place + result / 2, s.left - 1)


class Turning(NamedTuple):
    kind: int


@rule(Turning)
def running(p, s):
    return s.left > 0


@rule(Turning)
def table(p, s):
    return 1


@rule(Turning)
def step(p, s, result):
    return Turned(s.place + result, s.left - 1)


@pytest.mark.parametrize("explorer", [PlainExplorer, CompiledExplorer])
@pytest.mark.parametrize(
    ("params", "answer"), [(Odd(0), "field place.* is no whole number"), (Turning(0), "step: Turned.* is no Place")]
)
def test_a_step_to_what_is_no_state_is_an_error(explorer, params, answer):
    book = TableBook()
    book.add({0: 1, 1: 1})
    with pytest.raises(BrokenGame, match=answer):
        explorer(Chain(params, Place(0, 3), Place(9, 9), book.close()), 10**9).explore()


class Vote(NamedTuple):
    """As the gamble of the toys, with `side` to decide among `count` options."""

    side: int
    count: int


@rule(Vote)
def running(p, s):
    return (s.coins > 0) & (s.coins < 4) & (s.left == 0)


@rule(Vote)
def table(p, s):
    return 1


@rule(Vote)
def step(p, s, result):
    if s.asked == 0:
        return s._replace(asked=1, left=result)
    return Purse(s.coins + 2 * result - 1, 0, 0)


@rule(Vote)
def decides(p, s):
    return p.side if s.asked == 0 else 0


@rule(Vote)
def options(p, s):
    return p.count


@rule(Vote)
def choose(p, s):
    return BEST


def worth(ends):
    return np.stack([ends.coins * 1.0, -ends.coins * 1.0])


@pytest.mark.parametrize("explorer", [PlainExplorer, CompiledExplorer])
@pytest.mark.parametrize("vote", [Vote(1, 0), Vote(1, -3), Vote(3, 2), Vote(-1, 2), Vote(257, 2)])
def test_a_decision_of_nobody_or_of_nothing_is_an_error(explorer, vote):
    chain = replace(gamble(2, 4, 0), params=vote, utilities=Utilities(worth))
    with pytest.raises(BrokenGame, match="decides: "):
        explorer(chain, 10**9, decisions=True).explore()


@pytest.mark.parametrize("explorer", [PlainExplorer, CompiledExplorer])
def test_a_best_decision_without_aims_is_an_error(explorer):
    with pytest.raises(BrokenGame, match=r"choose: -1|decisions without end"):
        explorer(replace(gamble(2, 4, 0), params=Vote(1, 2)), 10**9).explore()


@pytest.mark.parametrize("worth", [lambda ends: ends.coins * 1.0, lambda ends: worth_of(ends, np.nan)])
def test_aims_that_are_no_numbers_are_an_error(worth):
    with pytest.raises(BrokenGame, match="utilities: "):
        exact_outcomes(replace(gamble(2, 4, 0), params=Vote(1, 2), utilities=Utilities(worth)))


def worth_of(ends, value):
    return np.full((2, len(ends.coins)), value)


def test_best_decisions_are_never_left_out_where_battles_are_fought_one_by_one():
    chain = replace(gamble(2, 4, 0), params=Vote(1, 2), utilities=Utilities(worth, ("policy",)))
    with pytest.raises(NoExactOdds, match="policy: best"):
        walk_by_rules(chain, 1, 10)
    assert Simulation(chain, 1, direct=True).engine == "graph"


@pytest.mark.parametrize(
    ("first", "result", "weight"),
    [
        ([0, 1, 9], [0, 0], [1.0, 1.0]),
        ([1, 2], [0, 0], [1.0, 1.0]),
        ([-1, 1], [0], [1.0]),
        ([0, 1], [0], [1.0, 1.0]),
        ([0, 1], [0.5], [1.0]),
        ([], [], []),
    ],
)
def test_rows_that_are_not_those_of_the_tables_are_refused(first, result, weight):
    with pytest.raises(BrokenGame, match="chance tables: rows"):
        Tables(np.array(first, np.int64), np.array(result), np.array(weight))


class Lines(NamedTuple):
    mine: int
    theirs: int
    rounds: int


def running(p, s):
    return (s.mine > 0) & (s.theirs > 0)


def table(p, s):
    return 1


def second(p, s):
    return 1


def lands(p, s, result, other):
    more = p.middle * (result == 1) * (other == 1) + p.both * (result == 1)
    return Lines(max(0, s.mine - other - more), max(0, s.theirs - result), s.rounds + 1)


def follows(p, s):
    return s


def step(p, s, result, other):
    return Lines(max(0, s.mine - other), max(0, s.theirs - result - p.another), s.rounds + 1)


RULES = running, table, second, lands, follows, step


@pytest.mark.parametrize(
    ("params", "wrong"), [((0, 0, 0), False), ((1, 0, 0), True), ((0, 1, 0), True), ((0, 0, 1), True)]
)
def test_rolls_that_do_not_act_apart_are_an_error(params, wrong):
    """Two rolls that were to act apart, and do not: `middle` where both are 1, `both` where the first moves both."""

    class Clash(NamedTuple):
        middle: int
        both: int
        another: int

    for part in RULES:
        rule(Clash)(part)
    book = TableBook()
    book.add({0: 2, 1: 1, 2: 1})
    start, limits = Lines(6, 6, 0), Lines(6, 6, 10**6)
    factored = ("theirs",), ("mine",)
    chain = Chain(Clash(*params), start, limits, book.close(), counters=("rounds",), factored=factored)
    if wrong:
        with pytest.raises(BrokenGame, match="factored: "):
            exact_outcomes(chain)
    else:
        assert exact_outcomes(chain).p.sum() == pytest.approx(1, abs=1e-12)
