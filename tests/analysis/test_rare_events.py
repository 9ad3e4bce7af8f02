"""Battles too large for exact odds, scored in a solved region (docs/rules/decisions.md section 10)."""

import json

import pytest

from simulator import Interrupted, ScenarioError, exact, load, scored
from simulator.analysis.odds.measure import measure
from simulator.cli import run
from simulator.engine.sample import tail_solver as region
from tests.vectors import Z_LIMIT

SMALL = 8_000
RISK = {"game": "risk", "battle": "land", "attacker": {"regiments": 30}, "defender": {"regiments": 28}}
INVASION = {
    "game": "risk",
    "battle": "invasion",
    "attacker": {"regiments": 16, "fleets": 4},
    "defender": {"regiments": [7, 5]},
    "conditions": {"crossings": [{"fleets": 2}]},
}
TANKS = {
    "game": "axis-and-allies-1942",
    "battle": "land",
    "attacker": {"infantry": 8, "tank": 4},
    "defender": {"infantry": 9, "fighter": 1},
}
REALMS = {"game": "price-of-power", "battle": "land", "attacker": {"infantry": 7}, "defender": {"infantry": 6}}


@pytest.mark.parametrize(
    ("scenario", "value"),
    [
        (RISK, "p_attacker"),
        (RISK, "mean.attacker_regiments_lost"),
        (RISK, "mean.rounds"),
        (RISK, "attacker_regiments_lost >= 20 and winner == 'attacker'"),
        (INVASION, "p_attacker"),
        (INVASION, "mean.attacker_fleets_lost"),
    ],
)
def test_held_against_exact(scenario, value):
    """Unbiased, and never less sure than as many plain battles."""
    found = scored(scenario, value, 6_000, seed=4, budget=SMALL)
    odds = exact(scenario)
    true = measure(odds, value).value
    error = (found.high - found.low) / 3.92
    assert abs(found.value - true) < Z_LIMIT * error
    plain = odds.std(value[5:]) if value.startswith("mean.") else (true * (1 - true)) ** 0.5
    assert error * found.battles**0.5 <= 1.03 * plain
    assert found.states > 1
    assert 0 < found.entered <= 1
    assert found.low <= found.value <= found.high


def test_the_region_is_as_large_as_fits():
    chain = load(RISK).chain
    least = region.largest(chain, 0, SMALL)
    assert len(region.region(chain, region.enter(chain, least, 0, 0, region.SCOUTS)[0], SMALL)) > 50
    assert least < region.left_of(chain, chain.start) == 58
    rows, count = region.enter(chain, least, 0, 0, 1000)
    assert count.sum() == 1000
    states = [type(chain.start)(*map(int, row)) for row in rows]
    running = chain.part("running")
    assert all(region.left_of(chain, s) <= least or not running(chain.params, s) for s in states)


def test_what_is_left_never_rises():
    from simulator.engine.graph.graph_cache import graph_of

    for scenario in (RISK, INVASION, TANKS, REALMS):
        chain = load(scenario).chain
        graph = graph_of(chain)
        states = [type(chain.start)(*map(int, row)) for row in zip(*graph.states(), strict=True)]
        lefts = [region.left_of(chain, state) for state in states]
        for i, left in enumerate(lefts):
            for j in graph.to[graph.begin[i] : graph.begin[i + 1]]:
                assert lefts[j] <= left or graph.final[j]


def test_rare_events_are_not_believed():
    found = scored(RISK, "attacker_regiments_lost == 0 and winner == 'attacker'", 300, budget=SMALL)
    assert found.effective < 100
    assert found.warning in found.how()


@pytest.mark.parametrize(
    ("scenario", "value", "text"),
    [
        (RISK, "p_attacker", "battle: this battle is small enough for exact odds"),
        ("power-siege-lombardy", "p_attacker", "battle: price-of-power siege cannot be scored; use simulate"),
        ("europa-blenheim-1704", "p_attacker", "battle: europa land cannot be scored; use simulate"),
    ],
)
def test_refused(scenario, value, text):
    with pytest.raises(ScenarioError, match=f"^{text}$"):
        scored(scenario, value)


def test_one_chance_or_mean_only():
    for value, text in (("q90.rounds", "value: q90.rounds is no chance"), ("mean.fleets", "value: mean.fleets is no")):
        with pytest.raises(ValueError, match=rf"^{text}"):
            scored(RISK, value, budget=SMALL)


def test_an_interrupt_hands_over_the_battles_scored():
    def stop(done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as cut:
        scored(RISK, battles=20_000, budget=SMALL, progress=stop)
    assert cut.value.gathered.battles == 4096


def test_the_command(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("simulator.analysis.studies.rare_events.EXACT_BYTES", SMALL)
    monkeypatch.setattr(
        "simulator.analysis.studies.rare_events.scored.__wrapped__.__kwdefaults__", {"budget": SMALL, "progress": None}
    )
    table = tmp_path / "s.csv"
    arguments = ["odds", "risk-20v15", "--scored", "--battles", "2000", "--value", "mean.rounds"]
    assert run([*arguments, "--csv", str(table)]) == 0
    assert "scored: 2,000 battles, seed 0" in capsys.readouterr().out
    assert table.read_text().startswith("value,estimate,low,high,battles,seed,states,entered,effective")
    assert run([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["estimate"] == pytest.approx(13.85, abs=0.3)
    assert run([*arguments, "--plot", str(tmp_path / "s.png")]) == 2
    assert capsys.readouterr().err.startswith("--plot: does not go with --scored")
    assert run(["odds", "risk-20v15", "--value", "mean.rounds"]) == 2
    assert capsys.readouterr().err.startswith("--value: goes with --scored")


def test_what_a_grid_answers_is_small_enough_without_being_spelled_out(monkeypatch):
    monkeypatch.setattr("simulator.engine.graph.graph_cache.graph_of", None)
    sides = {"attacker": {"infantry": 8}, "defender": {"infantry": 8}}
    with pytest.raises(ScenarioError, match="small enough for exact odds"):
        scored({"game": "axis-and-allies-1942", "battle": "land"} | sides)
