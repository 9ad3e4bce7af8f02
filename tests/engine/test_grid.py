"""Two rolls that act apart, solved on a grid, against the same chain spelled out with all pairs of results."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from simulator import exact, load
from simulator.engine.exact import exact_outcomes, outcomes_of, warm_up
from simulator.engine.factored import grid, solve_grid
from simulator.engine.factored.solve_grid import GridSolver, grid_outcomes
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.jit import cost_model
from simulator.engine.model.chain import Chain, helper, rule
from simulator.engine.model.chance import TableBook
from simulator.engine.model.limits import BrokenGame, NoExactOdds

BUDGET = 10**9


class Duel(NamedTuple):
    """Both roll at once and take a life from the other; `crossed`: a hit also costs one's own, which is not apart.

    `harm`: the lives that a hit takes; without any the duel never ends.
    """

    counting: int
    crossed: int
    harm: int


class Lives(NamedTuple):
    own: int
    enemy: int
    rounds: int


@rule(Duel)
def running(p, s):
    return (s.own > 0) & (s.enemy > 0)


@rule(Duel)
def table(p, s):
    return 1


@rule(Duel)
def second(p, s):
    return 2


@helper
@rule(Duel)
def lands(p, s, result, other):
    own = max(0, s.own - p.harm * (other + p.crossed * result))
    return s._replace(own=own, enemy=max(0, s.enemy - p.harm * result), rounds=s.rounds + p.counting)


@rule(Duel)
def follows(p, s):
    return s


@rule(Duel)
def step(p, s, result, other):
    return lands(p, s, result, other)


def duel(lives, counting=1, crossed=0, harm=1):
    book = TableBook()
    book.add({0: 1, 1: 1})
    book.add({0: 2, 1: 1})
    start, limits = Lives(lives, lives, 0), Lives(lives, lives, 10_000)
    factored = (("enemy",), ("own",))
    rules = Duel(counting, crossed, harm)
    return Chain(rules, start, limits, book.close(), counters=("rounds",), factored=factored, may_be_over=True)


def chances(ends):
    found = {}
    for state, p in zip(zip(*(values.tolist() for values in ends.states), strict=True), ends.p.tolist(), strict=True):
        found[state] = found.get(state, 0.0) + p
    return found


def same(one, other, rel=1e-12):
    assert one.keys() == other.keys()
    assert np.allclose([one[state] for state in other], list(other.values()), rtol=rel, atol=1e-17)


def test_a_duel_on_the_grid_is_the_duel_of_all_pairs():
    chain = duel(3)
    assert grid.fits_on_grid(chain)
    same(
        chances(GridSolver(chain, BUDGET, compiled=False).ends()),
        chances(outcomes_of(spelled_out(chain))),
    )


def spelled_out(chain):
    """The graph of all pairs of results, each of which takes the whole step."""
    return PlainExplorer(replace(chain, factored=None), BUDGET).explore()


@pytest.mark.parametrize(
    "changes", [{}, {"policy.attacker.retreat": "best"}, {"attacker.infantry": 4, "policy.attacker.retreat": "best"}]
)
def test_plain_rules_find_the_same_graph_roll_by_roll(changes):
    chain = load("axis-land-eastern-front").replace_all(changes).chain
    found, spelled = PlainExplorer(chain, BUDGET).explore(), spelled_out(chain)
    assert chain.factored
    for part in ("keys", "table", "second", "begin", "to", "inc"):
        assert np.array_equal(getattr(found, part), getattr(spelled, part))
    assert found.owner is None or np.array_equal(found.owner, spelled.owner)


@pytest.mark.parametrize("pauses", [1, 3])
def test_a_battle_that_never_ends_is_refused(pauses, monkeypatch):
    monkeypatch.setattr(solve_grid, "PLAIN_PAUSE", pauses * 3000)
    with pytest.raises(BrokenGame, match=r"this battle can never leave Lives\(own=2, enemy=2"):
        exact_outcomes(duel(2, harm=0), BUDGET)
    short = chances(GridSolver(duel(3), BUDGET, compiled=False).ends())
    same(chances(grid_outcomes(duel(3), BUDGET)), short)


def axis(battle, attacker, defender, **more):
    return load({"game": "axis-and-allies-1942", "battle": battle, "attacker": attacker, "defender": defender} | more)


BATTLES = [
    axis("land", {"infantry": 3, "tank": 1, "fighter": 1}, {"infantry": 3, "aa_gun": 1}),
    axis("sea", {"submarine": 2, "destroyer": 1, "battleship": 1}, {"submarine": 1, "cruiser": 1, "transport": 2}),
    axis("land", {"infantry": 4}, {"infantry": 4}, options={"rounds": 3}),
    axis("land", {"infantry": 3}, {"tank": 2}, policy={"attacker": {"retreat": "after-rounds", "after_rounds": 2}}),
]


@pytest.mark.parametrize("scenario", BATTLES, ids=("flak", "sea", "rounds", "retreat"))
def test_battles_on_the_grid_are_those_of_all_pairs(scenario):
    chain = scenario.chain
    assert grid.fits_on_grid(chain)
    spelled = chances(outcomes_of(spelled_out(chain)))
    same(chances(GridSolver(chain, BUDGET, compiled=False).ends()), spelled)


@pytest.mark.parametrize("scenario", BATTLES, ids=("flak", "sea", "rounds", "retreat"))
def test_states_followed_together_spell_out_the_same_graph(scenario):
    chain, apart = scenario.chain, replace(scenario.chain, factored=None)
    graph = spelled_out(chain)
    starts = np.column_stack(graph.states(np.flatnonzero(~graph.final)))[:40:3]
    for begun in (None, starts):
        found, spelled = (PlainExplorer(one, BUDGET).explore(starts=begun) for one in (chain, apart))
        for part in ("keys", "table", "second", "begin", "to", "inc", "starts"):
            assert np.array_equal(getattr(found, part), getattr(spelled, part)), part


def test_states_followed_together_may_not_leave_their_limits_either():
    chain = BATTLES[2].chain
    with pytest.raises(BrokenGame, match=r"field clock: 2 is not within 0 to 1, after state State\("):
        PlainExplorer(replace(chain, limits=chain.limits._replace(clock=1)), BUDGET).explore()


def test_compiled_and_plain_grids_are_alike():
    for scenario in BATTLES:
        plain, compiled = (GridSolver(scenario.chain, BUDGET, compiled).ends() for compiled in (False, True))
        same(chances(compiled), chances(plain), rel=1e-13)
        assert compiled.explored == plain.explored
        assert compiled.residual == pytest.approx(plain.residual, rel=1e-12)


def test_rolls_that_do_not_act_apart_are_refused():
    with pytest.raises(BrokenGame, match="change each other's fields"):
        GridSolver(duel(3, crossed=1), BUDGET, compiled=False).ends()
    with pytest.raises(BrokenGame, match="change each other's fields"):
        PlainExplorer(duel(3, crossed=1), BUDGET).explore()


def test_a_battle_that_comes_back_to_where_it_was_is_spelled_out_instead():
    chain = duel(1, counting=0)
    assert grid_outcomes(chain, BUDGET) is None
    found = chances(exact_outcomes(chain))
    assert found[1, 0, 0] == pytest.approx(1 / 2)  # (1/2 * 2/3) / (1 - 1/2 * 2/3)
    assert found[0, 1, 0] == pytest.approx(1 / 4)


def test_a_grid_past_its_budget_is_refused():
    with pytest.raises(NoExactOdds, match=r"more than [\d,]+ states.* past the budget"):
        GridSolver(duel(30), 10_000, compiled=False).ends()


def test_a_far_off_round_costs_nothing():
    far = axis(
        "land",
        {"infantry": 2},
        {"infantry": 2},
        policy={"attacker": {"retreat": "after-rounds", "after_rounds": 10**6}},
    )
    never = exact(axis("land", {"infantry": 2}, {"infantry": 2}))
    assert exact(far).winner("attacker") == pytest.approx(never.winner("attacker"), abs=1e-14)


def test_most_battles_of_one_kind_have_results_beyond_the_negligible_only():
    large = exact(axis("land", {"infantry": 70}, {"infantry": 70}))
    assert 0 < large.residual < 1e-13
    assert large.chances.sum() + large.residual == pytest.approx(1, abs=1e-13)


def infantry(number):
    army = {"infantry": number}
    return load({"game": "axis-and-allies-1942", "battle": "land", "attacker": army, "defender": army}).chain


def test_what_is_too_wide_is_not_spelled_out_to_be_fought():
    from simulator.engine.sample.simulation import Simulation

    assert Simulation(infantry(20)).engine == "graph"
    assert Simulation(infantry(100)).engine == "lazy"


def test_endings_count_against_the_budget():
    """Dice that hit once in a million throws: rounds without number, each with endings of its own."""
    rules = {
        "format": 1,
        "name": "Slow",
        "dice": {"sides": 1000},
        "unit": {"sloth": {"combat": {"value": 1, "reroll": [1]}}},
        "battle": {"field": {}},
        "step": [{"name": "fire"}],
    }
    scenario = {"game": "custom", "battle": "field", "rules": rules, "attacker": {"sloth": 1}, "defender": {"sloth": 1}}
    with pytest.raises(NoExactOdds, match="endings"):
        exact(scenario, budget=1_000_000)


def test_a_chain_that_is_warmed_up_gets_no_plain_python(monkeypatch):
    monkeypatch.setattr(cost_model, "compiled_here", set())
    chain = load(
        {"game": "axis-and-allies-1942", "battle": "land", "attacker": {"tank": 2}, "defender": {"tank": 1}}
    ).chain
    warm_up(chain)
    assert cost_model.patience_for(chain, "push_through") == 0
