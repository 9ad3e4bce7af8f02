"""Dice against exact odds, the same battles whatever the threads and chunks, and replays that are those battles."""

from collections import Counter

import numpy as np
import pytest

from simulator import exact, load, replay, simulate
from simulator.engine.sample.simulation import Simulation
from tests.europa.scenarios import ALL
from tests.vectors import largest_z

FOUGHT = [name for name in ALL if name not in {"smallest", "rule book", "4 to 1 overrun"}]


@pytest.mark.parametrize("name", ALL)
def test_dice_agree_with_exact_odds(name):
    assert largest_z(load(ALL[name])) < 4.5


@pytest.mark.parametrize("name", ["7-LD dice", "natives with two dice", "round track overseas"])
def test_same_battles_whatever_the_threads_and_chunks(name):
    chain = load(ALL[name]).chain
    seen = []
    for threads, chunk in ((1, 1 << 16), (2, 5_000), (7, 777)):
        simulation = Simulation(chain, 3, threads, chunk)
        simulation.add(30_000)
        ends = simulation.ends()
        seen.append(np.array([*ends.states, ends.count]))
    assert all(np.array_equal(seen[0], other) for other in seen[1:])


@pytest.mark.parametrize(
    "name", ["all the options", "replacement leaders", "small undermining", "round track overseas"]
)
def test_replays_are_the_battles_that_were_counted(name):
    battles, asked = 40, load(ALL[name])
    odds = simulate(asked, battles, seed=5)
    columns = [column for column in odds.table.columns if column not in {"p", "count"}]
    counted = Counter({tuple(row[:-1]): row[-1] for row in odds.table[[*columns, "count"]].itertuples(index=False)})
    answer = Counter(tuple(replay(asked, 5, battle).outcome[column] for column in columns) for battle in range(battles))
    assert answer == counted


@pytest.mark.parametrize("name", ALL)
def test_exact_chances_sum_to_one_and_losses_never_exceed_forces(name):
    odds = exact(ALL[name])
    assert odds.chances.sum() == pytest.approx(1, abs=1e-12)
    for column, values in odds.columns.items():
        if column.endswith("_thirds"):
            assert values.min() >= 0
        if column.endswith("_left_thirds") and (lost := column.replace("left", "losses")) in odds.columns:
            assert len(set((values + odds.columns[lost]).tolist())) == 1
