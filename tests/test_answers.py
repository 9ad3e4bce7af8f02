import gc
import math

import numpy as np
import pytest

from simulator import NoExactOdds, Odds, exact, load, odds, simulate
from simulator.analysis.odds.distribution import wilson
from simulator.engine.api import Graph
from simulator.rules.battle import Outcomes
from simulator.rules.toolkit.merging import merge

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 4}, "defender": {"regiments": 3}}
HUGE = {"game": "risk", "battle": "land", "attacker": {"regiments": 500}, "defender": {"regiments": [500] * 50}}


@pytest.fixture(scope="module")
def true():
    return exact(LAND)


@pytest.fixture(scope="module")
def seen():
    return simulate(LAND, 20_000, seed=3)


def test_the_table_has_one_row_a_distinct_outcome(true, seen):
    for found in (true, seen):
        columns = [name for name in found.table.columns if name not in ("p", "count")]
        assert not found.table.duplicated(columns).any()
        assert found.table["p"].sum() == pytest.approx(1)
    assert seen.table["count"].sum() == 20_000
    assert "count" not in true.table
    assert set(true.table["winner"]) == {"attacker", "defender"}


def test_questions(true):
    assert true.p("winner == 'attacker'") == pytest.approx(true.winner("attacker"))
    assert true.p("attacker_regiments_lost >= 0") == pytest.approx(1)
    assert true.p("winner == 'attacker' and rounds == 2") == pytest.approx(
        true.table.query("winner == 'attacker' and rounds == 2")["p"].sum()
    )


@pytest.mark.parametrize("query", ["losses >= 5", "rounds", "rounds >", "winner = 'attacker'", "__import__('os')", "5"])
def test_questions_that_cannot_be_read(true, query):
    with pytest.raises(ValueError, match="query"):
        true.p(query)


def test_yes_or_no_columns_are_questions():
    run = exact({"game": "risk", "battle": "blockade-run", "attacker": {"fleets": 2}, "defender": {"fleets": 1}})
    assert run.p("blockade_broken") == pytest.approx(run.winner("attacker"))


def test_means_spreads_and_quantiles(true):
    values, p = true.table["rounds"].to_numpy(), true.table["p"].to_numpy()
    mean = (values * p).sum()
    assert true.mean("rounds") == pytest.approx(mean)
    assert true.std("rounds") == pytest.approx(math.sqrt(((values - mean) ** 2 * p).sum()))
    for q in (0.0, 0.05, 0.5, 0.95, 1.0):
        quantile = true.quantile("rounds", q)
        assert true.p(f"rounds <= {quantile}") >= q - 1e-12
        assert true.p(f"rounds < {quantile}") <= q + 1e-12
    for call in (true.mean, true.std, true.quantile, true.distribution):
        with pytest.raises(ValueError, match="no column 'losses'"):
            call("losses")
    with pytest.raises(ValueError, match=r"q: 1\.5"):
        true.quantile("rounds", 1.5)


def test_distribution(true, seen):
    spread = true.distribution("attacker_regiments_lost")
    assert spread["p"].sum() == pytest.approx(1)
    assert spread["at_least"].iloc[0] == pytest.approx(1)
    assert spread["at_most"].iloc[-1] == pytest.approx(1)
    assert "low" not in spread
    simulated = seen.distribution("attacker_regiments_lost")
    assert ((simulated["low"] < simulated["p"]) & (simulated["p"] < simulated["high"])).all()


def test_intervals(true, seen):
    assert true.interval("winner == 'attacker'") == (true.winner("attacker"),) * 2
    low, high = seen.interval("winner == 'attacker'")
    assert low < seen.winner("attacker") < high
    assert high - low == pytest.approx(2 * 1.96 * math.sqrt(0.25 / 20_000), rel=0.15)
    wide = seen.interval("winner == 'attacker'", level=0.999)
    assert wide[0] < low < high < wide[1]
    low, high = seen.interval("rounds")
    assert low < true.mean("rounds") < high


def test_wilson_against_a_published_value():
    # Newcombe (1998), table I: 81 of 263, 95 %: 0.2553 to 0.3662; 0 of 20: 0 to 0.1611.
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0, 0.1611), abs=5e-5)


@pytest.mark.parametrize("level", [float("nan"), 0, 1, -1, 2, "0.9", True, 10**400])
def test_levels_that_no_interval_has_are_refused(true, seen, level):
    for found in (true, seen):
        for ask, what in (
            (found.interval, "rounds"),
            (found.interval, "rounds > 2"),
            (found.winner_interval, "nobody"),
        ):
            with pytest.raises(
                ValueError, match=r"^level: .{1,60} is not allowed; (above 0 and below 1, like 0.95|give a number)$"
            ):
                ask(what, level)


@pytest.mark.parametrize("budget", [float("nan"), float("inf"), -1, 0, "5"])
def test_budgets_that_are_no_number_of_bytes_are_refused(budget):
    with pytest.raises(ValueError, match=r"^budget: .* is not allowed; give a whole number"):
        exact(LAND, budget=budget)


def test_intervals_hold_the_truth_as_often_as_they_say():
    true = exact(LAND).winner("attacker")
    held = 0
    for seed in range(200):
        low, high = simulate(LAND, 500, seed=seed).winner_interval("attacker")
        held += low <= true <= high
    assert 179 <= held <= 199


def test_summary_and_dict(true, seen):
    summary = true.summary()
    assert list(summary.columns) == ["mean", "low", "high", "std", "q05", "q50", "q95"]
    assert "attacker_regiments_lost" in summary.index
    answer = seen.to_dict()
    assert answer["method"] == "simulated"
    assert (answer["battles"], answer["seed"]) == (20_000, 3)
    assert answer["chances"]["attacker"]["low"] < answer["chances"]["attacker"]["p"]
    assert sum(answer["table"]["count"]) == 20_000
    assert true.to_dict()["method"] == "exact"
    assert answer["assumptions"]
    import json

    json.dumps(answer)


def test_what_an_answer_rests_on_is_listed(true):
    assert any("ASSUMED" in line for line in true.assumptions)
    assert any("to-the-end" in line for line in true.assumptions)


def test_odds_chooses_exact_when_it_fits_and_dice_when_not():
    assert odds(LAND).method == "exact"
    found = odds(HUGE, precision=0.01)
    assert found.method == "simulated"
    low, high = found.winner_interval("attacker")
    assert (high - low) / 2 <= 0.01
    with pytest.raises(NoExactOdds, match="states"):
        exact(HUGE, budget=100_000)


def test_precision_is_reached_and_does_not_depend_on_threads():
    first, second = odds(HUGE, precision=0.004, seed=2, threads=1), odds(HUGE, precision=0.004, seed=2, threads=3)
    assert first.battles == second.battles
    assert first.table.equals(second.table)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"battles": 0}, "battles: 0"),
        ({"battles": 1.5}, "battles: 1.5"),
        ({"battles": True}, "battles: true"),
        ({"seed": -1}, "seed: -1"),
        ({"seed": 2**64}, "seed: "),
        ({"threads": 0}, "threads: 0"),
    ],
)
def test_bad_numbers_are_refused(settings, text):
    with pytest.raises(ValueError, match=text):
        simulate(LAND, **settings)


def test_progress_is_told():
    answer = []
    simulate(LAND, 300_000, progress=lambda done, total: answer.append((done, total)))
    assert answer[-1] == (300_000, 300_000)


def test_merging_keeps_chances_and_counts():
    columns = {"winner": np.array([0, 1, 0, 0]), "lost": np.array([2, 2, 2, 1])}
    merged = merge(Outcomes(columns, np.array([0.1, 0.2, 0.3, 0.4]), np.array([1, 2, 3, 4])))
    found = {(w, v): (p, c) for w, v, p, c in zip(*merged.columns.values(), merged.p, merged.count, strict=True)}
    assert found == {(0, 1): (0.4, 4), (0, 2): (0.4, 4), (1, 2): (0.2, 2)}


def test_simulated_and_exact_answers_are_one_type(true, seen):
    assert isinstance(true, Odds)
    assert isinstance(seen, Odds)
    assert "exact" in repr(true)
    assert "20,000 battles, seed 3" in repr(seen)
    with pytest.raises(ValueError, match="winner: 'me'"):
        true.winner("me")


def test_the_largest_seed_works():
    assert simulate(LAND, 1000, seed=2**64 - 1).battles == 1000


@pytest.mark.parametrize("span", [2, 40, 1 << 22])
def test_equal_rows_are_one_whatever_their_columns_span(span):
    """Against sorting the rows themselves: few values are counted, many sorted, more columns than codes gathered."""
    rng = np.random.default_rng(span)
    rows = rng.integers(0, 3, (500, 12)) * rng.integers(1, span, 12)
    p = rng.random(500)
    merged = merge(Outcomes({f"c{i}": column for i, column in enumerate(rows.T)} | {"one": np.ones(500, int)}, p))
    expected, place = np.unique(rows, axis=0, return_inverse=True)
    assert np.column_stack([merged.columns[f"c{i}"] for i in range(12)]).tolist() == expected.tolist()
    assert merged.p == pytest.approx(np.bincount(place.ravel(), p))


def test_chances_and_means_are_those_of_the_distinct_outcomes():
    """Of The Price of Power several final states are one outcome; questions do not wait for that."""
    odds = exact("power-three-realms")
    raw = len(odds._raw.p)
    asked = [
        odds.p("attacker_losses >= 2 and winner == 'defender'"),
        odds.mean("defender_losses"),
        odds.likely()[0]["p"],
    ]
    assert "_merged" not in vars(odds)
    table = odds.table
    assert len(table) < raw
    some = (table.attacker_losses >= 2) & (table.winner == "defender")
    likeliest = table.groupby(["winner", *odds.summary_columns]).p.sum().max()
    assert asked == pytest.approx([table.p[some].sum(), (table.p * table.defender_losses).sum(), likeliest], abs=1e-12)


OVERRUN = {
    "game": "europa",
    "battle": "land",
    "attacker": {"land_detachments": 8, "leader": "none"},
    "defender": {"land_detachments": 1, "leader": "none"},
    "policy": {"attacker": {"overrun": "declare"}},
}
NATIVES = {"game": "europa", "battle": "native-activation", "conditions": {"tolerance": 6, "leader_alone": True}}


@pytest.mark.parametrize("scenario", [OVERRUN, NATIVES], ids=["overrun", "natives keep quiet"])
def test_a_battle_that_is_over_before_its_first_roll_is_answered(scenario):
    chain = load(scenario).chain
    assert not chain.part("running")(chain.params, chain.start)
    assert exact(scenario).table["p"].tolist() == [1.0]
    assert simulate(scenario, 100).table["count"].tolist() == [100]


def test_held_odds_keep_no_graph_of_a_large_chain():
    def graphs():
        return sum(isinstance(one, Graph) for one in gc.get_objects())

    simulate("risk-20v15", 100)
    gc.collect()
    before = graphs()
    gc.disable()
    try:
        held = [simulate("risk-invasion", 100, seed=seed) for seed in (1, 2)]
        assert graphs() == before
    finally:
        gc.enable()
    assert held[0].settings == held[1].settings
