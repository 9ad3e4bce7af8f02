"""Battles with dice against exact odds; the same battles whatever the threads, chunks and ways to fight."""

from collections import Counter

import pytest

from simulator import ScenarioError, exact, load, replay, simulate
from simulator.engine.model import plain
from simulator.engine.sample.simulation import Simulation
from simulator.scenarios import example_names
from tests.price_of_power.test_reference import scenario
from tests.vectors import largest_z

ALL = [name for name in example_names() if name.startswith("power-")]
FOUGHT = ["power-italian-war", "power-lepanto", "power-three-realms", "power-knights", "power-barbary"]


@pytest.mark.parametrize("name", [*FOUGHT, "power-novgorod"])
def test_examples_against_exact_odds(name):
    assert largest_z(load(name)) < 4.5


@pytest.mark.parametrize("seed", [1, 2, 3, 5, 8])
def test_odd_options_against_exact_odds(seed):
    assert largest_z(load(scenario(seed))) < 4.5


def test_campaign_against_exact_odds():
    assert largest_z(load("power-campaign-naples")) < 4.5


@pytest.mark.parametrize("name", ["power-italian-war", "power-barbary", "power-campaign-naples"])
def test_same_battles_whatever_the_threads(name):
    tables = [simulate(name, 70_000, seed=4, threads=threads).table for threads in (1, 2, 7)]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def ends(chain, chunk=1 << 16, direct=False):
    simulation = Simulation(chain, 11, 2, chunk, direct=direct)
    simulation.add(30_000)
    found = simulation.ends()
    rows = zip(*(values.tolist() for values in found.states), strict=True)
    return dict(zip(rows, found.count.tolist(), strict=True))


@pytest.mark.parametrize("name", ["power-three-realms", "power-lepanto"])
def test_same_battles_on_the_graph_and_by_the_rules(name):
    chain = load(name).chain
    by_rules = ends(chain, direct=True)
    assert ends(chain) == by_rules
    assert ends(chain, chunk=777) == by_rules


@pytest.mark.parametrize("name", [*FOUGHT, "power-novgorod", "power-campaign-naples"])
def test_replays_are_the_battles_that_were_counted(name):
    battles = 40
    answer = Counter(tuple(sorted(replay(name, 7, battle).outcome.items())) for battle in range(battles))
    counted = Counter()
    for row in simulate(name, battles, seed=7).table.to_dict("records"):
        count = row.pop("count")
        row.pop("p")
        counted[tuple(sorted(row.items()))] += count
    assert answer == counted


@pytest.mark.parametrize("name", ALL)
def test_every_example_answers_and_explains_itself(name):
    asked = load(name)
    odds = exact(asked)
    assert odds.chances.sum() == pytest.approx(1)
    assert asked.built.explain()
    assert all("\n" not in line for line in odds.assumptions)


def test_assumed_items_are_listed():
    knights = "\n".join(load("power-knights").assumptions())
    assert "Noble Knights" in knights
    assert "ASSUMED" in knights
    assert "pirates never leave (ASSUMED)" in "\n".join(load("power-barbary").assumptions())
    assert "military cards" in "\n".join(load("power-novgorod").assumptions())
    assert "defender has 5 units by the provinces of its NPR (section 6)" in load("power-novgorod").assumptions()
    assert "ASSUMED" not in "\n".join(load("power-italian-war").assumptions())


def test_a_battle_without_dice_is_over_before_it_begins():
    stuck = load("power-italian-war").data | {
        "attacker": {"infantry": 2},
        "defender": {"infantry": 3},
        "options": {"base_dice": 0, "count_rounds": True},
    }
    for odds in (exact(stuck), simulate(stuck, 1000)):
        assert odds.winner("nobody") == 1
        assert odds.mean("rounds") == 0
        assert odds.mean("attacker_losses") == 0


def test_a_battle_that_waits_for_its_dice():
    waiting = {
        "game": "price-of-power",
        "battle": "land",
        "attacker": {"infantry": 2, "battle_actions": [{"round": 3, "infantry": 1, "this_round_only": True}]},
        "defender": {"infantry": 3},
        "options": {"base_dice": 0, "count_rounds": True},
    }
    odds = exact(waiting)
    assert odds.mean("rounds") == 3
    # One die: infantry or tercios on three faces of six.
    assert odds.mean("defender_losses") == pytest.approx(1 / 2)
    assert odds.winner("nobody") == 1


def test_battles_with_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(plain, "MOST_STATES", 20_000)  # a tenth, found in a tenth of the time
    kinds = ("infantry", "mercenary_infantry", "allied_infantry")
    big = {
        "game": "price-of-power",
        "battle": "land",
        "attacker": dict.fromkeys(kinds, 60),
        "defender": dict.fromkeys(kinds, 60),
    }
    with pytest.raises(ScenarioError, match=r"^attacker: .* states"):
        simulate(big, 2000)


def test_dice_with_thousands_of_results():
    rich = {
        "game": "price-of-power",
        "battle": "land",
        "attacker": {"infantry": 60, "cavalry": 60, "artillery": 60, "extra_dice": {"infantry": 10}},
        "defender": {"infantry": 60},
        "conditions": {"max_rounds": 1},
        "options": {"dice": {"infantry": ["infantry+infantry", "cavalry+cavalry", "artillery+artillery", "tercios"]}},
    }
    odds = exact(rich)
    # Every face hits: twice, but for tercios on one face of four.
    assert odds.mean("defender_losses") == pytest.approx(13 * 7 / 4)
