"""Cells solved in one pass are those that are solved one by one."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import exact, load, need, sweep
from simulator.analysis.odds.measure import measure
from simulator.analysis.odds.stages import Shared, digest
from simulator.analysis.studies import one_pass as onepass
from simulator.analysis.studies.grid import Grid, Portion
from simulator.analysis.studies.one_pass import solve_rows
from simulator.analysis.studies.swept import Pace
from simulator.engine.graph.compiled_explorer import CompiledExplorer
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.model.limits import BrokenGame
from simulator.scenarios import draft, example_names

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 4}, "defender": {"regiments": 3}}
LANDING = {
    "game": "risk",
    "battle": "amphibious",
    "attacker": {"regiments": 5, "commanders": 2},
    "defender": {"regiments": [3, 2]},
}
FLEETS = {"attacker": {"fleets": 2}, "defender": {"fleets": 2}}
REGIMENTS = ("attacker.regiments", "defender.regiments")
ASKED = (
    "p_attacker",
    "p_nobody",
    "mean.attacker_regiments_lost",
    "mean.defender_cost_lost",
    "attacker_regiments_lost >= 2",
    "attacker_regiments_lost + defender_regiments_lost == 4 and winner != 'defender'",
    "attacker_regiments_left == 2",
)


def land(**policy):
    return LAND | {"policy": {"attacker": policy}}


def power(**policy):
    """A battle of The Price of Power in which the defender loses cavalry first."""
    return {
        "game": "price-of-power",
        "battle": "land",
        "attacker": {"mercenary_infantry": 1, "cavalry": 1, "leader": {"infantry": 1}},
        "defender": {"infantry": 1, "allied_cavalry": 2},
        "policy": {"attacker": {"losses": "infantry-first"} | policy, "defender": {"losses": "cavalry-first"}},
    }


def fleets(attacker, defender):
    """A battle of The Price of Power at sea, with the order in which ships are lost."""
    return {
        "game": "price-of-power",
        "battle": "naval",
        "attacker": {"galleys": 2, "light": 1, "heavy": 1, "ships_in_supply": 2},
        "defender": {"light": 2, "heavy": 2, "damaged": 1, "leader": {"infantry": 1}},
        "policy": {"attacker": {"losses": attacker}, "defender": {"losses": defender}},
    }


ITALY = load("power-italian-war").replace("policy.attacker.losses", "infantry-first").data
CASES = [
    ("to the end", land(), REGIMENTS, (range(1, 6), [2, 3, 5]), ASKED),
    ("outnumbered", land(retreat="stop-when-outnumbered"), REGIMENTS, (range(2, 7), range(1, 4)), ASKED),
    ("rounds", land(retreat="max-rounds", max_rounds=3), REGIMENTS, ([7, 3], [1, 4, 6, 2]), ASKED),
    (
        "rounds that the smallest battle never reaches",
        land(retreat="max-rounds", max_rounds=2),
        REGIMENTS,
        (range(1, 6), [1, 3, 4]),
        ("p_attacker", "mean.rounds", "rounds >= 2"),
    ),
    ("below", land(retreat="stop-below", stop_below=3), REGIMENTS, ([2, 3, 4, 9], [1, 6]), ASKED),
    ("a path", LANDING, REGIMENTS[:1], (range(2, 12),), ASKED),
    (
        "fleets",
        {"game": "risk", "battle": "naval", **FLEETS},
        ("attacker.fleets", "defender.fleets"),
        (range(1, 5), range(1, 5)),
        ("p_attacker", "mean.attacker_fleets_lost", "defender_cost_lost > 3"),
    ),
    (
        "blockade",
        {"game": "risk", "battle": "blockade-run", **FLEETS},
        ("attacker.fleets", "defender.fleets"),
        (range(1, 5), range(1, 5)),
        ("blockade_broken", "mean.attacker_fleets_lost"),
    ),
    (
        "infantry first, of two categories",
        power(retreat="when-outnumbered"),
        ("attacker.infantry", "defender.allied_cavalry"),
        (range(4), (3, 1)),
        ("p_attacker", "mean.attacker_losses", "mean.defender_cavalry_left", "defender_losses >= 2"),
    ),
    (
        "galleys and light ships",
        fleets("light-first", "light-first"),
        ("attacker.galleys", "defender.light"),
        (range(3), (3, 0, 1)),
        ("p_attacker", "mean.attacker_captured", "mean.defender_losses", "attacker_losses > 2"),
    ),
]


@pytest.mark.parametrize(
    ("scenario", "paths", "values", "asked"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_one_pass_gives_what_cell_by_cell_gives(scenario, paths, values, asked):
    values = tuple(tuple(axis) for axis in values)
    found = solve_rows(draft(scenario), paths, list(product(*values)), asked)
    assert found is not None
    for cell, combination in enumerate(product(*values)):
        odds = exact(load(scenario).replace_all(dict(zip(paths, combination, strict=True))))
        for question, numbers in zip(asked, found, strict=True):
            assert numbers[cell] == pytest.approx(measure(odds, question).value, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in example_names() if draft(name).data["game"] == "risk"])
def test_every_field_that_a_game_says_moves_the_start_does_no_more(name):
    """Each alone, and all together, over the examples; the corners and the middle are checked by the pass itself."""
    scenario = load(name)
    fleets = scenario.battle.kind in {"naval", "blockade-run"}
    values = dict.fromkeys(scenario.built.starts, (1, 2, 3, 4) if fleets else (4, 5, 6, 8, 9, 11, 12, 13))
    assert values or scenario.battle.kind == "invasion" or name == "risk-landing"
    for paths in {tuple(values), *((path,) for path in values)} - {()}:
        grid = tuple(values[path] for path in paths)
        enough = np.prod([len(axis) for axis in grid]) >= onepass.LEAST_CELLS
        found = solve_rows(draft(name), paths, list(product(*grid)), ("p_attacker",))
        assert (found is not None) == (enough and scenario.chain.utilities is None)


@pytest.mark.parametrize(
    ("changes", "moving"),
    [
        ({}, ["attacker.infantry", "defender.allied_cavalry"]),
        ({"policy.attacker.retreat": "when-half"}, ["defender.allied_cavalry"]),
        ({"policy.defender.losses": "most-numerous"}, ["attacker.infantry", "defender.allied_cavalry"]),
        ({"policy.defender.losses": "most-numerous", "defender.allied_infantry": 1}, ["attacker.infantry"]),
        ({"policy.defender.losses": "best"}, ["attacker.infantry"]),
        ({"attacker.ideas": ["noble-knights"]}, []),
        ({"attacker.kind": "rebels", "attacker.mercenary_infantry": 0, "attacker.cavalry": 0, "attacker.infantry": 3,
          "attacker.leader": None}, ["defender.allied_cavalry"]),
    ],
)  # fmt: skip
def test_what_moves_the_start_of_a_battle_of_the_price_of_power(changes, moving):
    assert load(power()).replace_all(changes).built.starts == moving


@pytest.mark.parametrize(
    ("losses", "moving"),
    [
        (("light-first", "light-first"), ["attacker.galleys", "defender.galleys", "defender.light"]),
        (("spread-damage", "heavy-first"), []),
    ],
)
def test_what_moves_the_start_of_a_battle_at_sea(losses, moving):
    assert load(fleets(*losses)).built.starts == moving


@given(st.data())
@settings(max_examples=12, deadline=None)
def test_random_cells_of_random_sweeps_are_single_answers(data):
    name = data.draw(st.sampled_from(["risk-20v15", "risk-path", ITALY, "axis-land-flak", "skirmish-hill"]))
    scenario = load(name)
    paths = data.draw(st.lists(st.sampled_from(sorted(scenario.built.starts)), min_size=1, max_size=2, unique=True))
    numbers = st.lists(st.integers(1, 9), min_size=4, max_size=6, unique=True)
    vary = {path: data.draw(numbers) for path in paths}
    asked = data.draw(st.sampled_from(["p_attacker", scenario.battle.summary[0]]))
    asked = asked if asked == "p_attacker" else f"mean.{asked}"
    rows = sweep(name, vary, asked).rows()
    for row in data.draw(st.lists(st.sampled_from(rows), min_size=1, max_size=3)):
        alone = exact(scenario.replace_all({path: row[path] for path in paths}))
        assert row["value"] == pytest.approx(measure(alone, asked).value, abs=1e-12)


@pytest.mark.parametrize(
    ("scenario", "values", "asked"),
    [
        (land(), (range(1, 9), [2]), ("std.attacker_regiments_lost",)),
        (land(), (range(1, 9), [2]), ("p_attacker", "mean.rounds")),
        (land(), (range(1, 9), [2]), ("rounds >= 3",)),
        (land(), (range(1, 9), [2]), ("no_such_column",)),
        (land(), (range(1, 3), [2]), ("p_attacker",)),
        (land(), (range(8), [2]), ("p_attacker",)),
        (land(), (range(1, 9), [[2, 1], [3]]), ("p_attacker",)),
        (land(retreat="best"), (range(1, 9), [2]), ("p_attacker",)),
        (land(retreat="stop-below-odds", min_odds=0.3), (range(1, 9), [2]), ("p_attacker",)),
    ],
)
def test_what_cannot_be_had_in_one_pass_is_answered_cell_by_cell(scenario, values, asked):
    assert solve_rows(draft(scenario), REGIMENTS, list(product(*values)), asked) is None


def test_a_game_that_breaks_its_word_is_an_error(monkeypatch):
    """Dice that go with the size of the army would be no matter of the start."""
    scenario = draft(LAND | {"options": {"attack_dice": 3}})
    blocks = onepass.Block.of(scenario, REGIMENTS[:1], np.arange(3, 12)[:, None])
    bottom = load(LAND | {"options": {"attack_dice": 1}}).replace("attacker.regiments", 3)
    wrong = replace(blocks, corners=blocks.corners | {(3,): bottom})
    monkeypatch.setattr(onepass.Block, "of", lambda *_: wrong)
    with pytest.raises(BrokenGame, match=r"attacker.regiments do more than move the start: p_attacker is"):
        solve_rows(scenario, REGIMENTS[:1], [(n,) for n in range(3, 12)], ("p_attacker",))


@pytest.mark.parametrize("retreat", [{}, {"retreat": "stop-when-outnumbered"}])
def test_both_explorers_start_from_many_states(retreat):
    chain = load(land(**retreat)).chain
    numbers = [(4, 3), (1, 3), (4, 3), (2, 1)]
    starts = np.array([chain.start._replace(regiments=a, enemy=d) for a, d in numbers])
    graphs = [PlainExplorer(chain, 10**8).explore(starts=starts), CompiledExplorer(chain, 10**8).explore(starts=starts)]
    plain, compiled = ({tuple(map(int, row)) for row in zip(*graph.states(), strict=True)} for graph in graphs)
    assert plain == compiled
    for graph in graphs:
        begun = zip(*graph.states(graph.starts), strict=True)
        assert [(int(s[2]), int(s[3])) for s in begun] == numbers
    with pytest.raises(BrokenGame, match="regiments: 9 is not within 0 to 4"):
        CompiledExplorer(chain, 10**8).explore(starts=starts + np.eye(1, starts.shape[1], 2, dtype=int) * 5)


def test_other_fields_beside_those_of_the_start_make_blocks_of_their_own():
    swept = sweep(
        LAND, {"attacker.regiments": range(1, 10), "options.attack_dice": [1, 2, 3]}, ["p_attacker", "p_defender"]
    )
    assert swept.grid().shape == (9, 3)
    for row in swept.rows()[::5]:
        alone = exact(load(LAND).replace_all({path: row[path] for path in swept.paths}))
        assert row["value"] == pytest.approx(measure(alone, row["asked"]).value, abs=1e-12)
    assert swept.pace.cells == {"exact": 27}


def test_a_grid_is_cut_into_portions_that_cover_it():
    values = (tuple(range(1, 8)), ("defender", "attacker"), tuple(range(1, 6)))
    grid = Grid(
        draft(LAND), ("attacker.regiments", "options.ties", "defender.regiments"), values, ("p_attacker",), few=3
    )
    for portions in (list(grid.plan()), list(grid.parts(Portion(((0, 7), (0, 2), (0, 5)))))):
        places = np.concatenate([grid.places(one) for one in portions])
        assert sorted(places.tolist()) == list(range(70))
        settings = dict(zip(places.tolist(), [s for one in portions for s in grid.settings(one)], strict=True))
        assert [settings[i] for i in range(70)] == list(product(*values))
    assert [one.size for one in grid.plan()] == [35, 35]


def test_equal_chains_are_enumerated_once(monkeypatch):
    """The price of a fleet changes columns, not the battle."""
    calls = []
    monkeypatch.setattr("simulator.engine.exact.graph_of", lambda *a: calls.append(a) or explicit_spell_out(*a))
    from simulator.engine.graph.graph_cache import graph_of as explicit_spell_out

    swept = sweep(LAND, {"options.regiment_cost": range(5)}, "mean.attacker_cost_lost", threads=1)
    assert len(calls) == 1
    means = swept.grid()
    assert np.allclose(means, means[1] * np.arange(5))


def test_chains_are_equal_only_if_nothing_tells_them_apart():
    shared, chain = Shared(), load(LAND).chain
    assert shared.canonical(chain) is chain
    assert shared.canonical(load(LAND).chain) is chain
    others = [
        replace(chain, start=chain.start._replace(regiments=3)),
        replace(chain, params=chain.params._replace(left_behind=2)),
        replace(chain, counters=()),
        load(LAND | {"options": {"ties": "attacker"}}).chain,
    ]
    assert len({digest(one) for one in (chain, *others)}) == 5


def test_need_finds_what_cell_by_cell_finds():
    found = need(LAND, {"attacker.regiments": range(1, 12), "defender.regiments": range(1, 4)}, budget=9)
    cells = [numbers for numbers in product(range(1, 12), range(1, 4)) if sum(numbers) <= 9]
    chances = {
        numbers: exact(load(LAND).replace_all(dict(zip(REGIMENTS, numbers, strict=True)))).winner("attacker")
        for numbers in cells
    }
    assert found.value == pytest.approx(max(chances.values()), abs=1e-12)
    assert chances[tuple(found.settings.values())] == pytest.approx(found.value, abs=1e-12)
    assert found.method == "exact"


def test_the_pace_is_with_words_method():
    pace = Pace(seconds=2.0)
    swept = sweep(LAND, {"attacker.regiments": [3, 4]})
    pace.add(swept.cells, 1.0)
    pace.add([cell._replace(method="simulated") for cell in swept.cells], 3.0)
    assert pace.rates() == {"exact": 4.0, "simulated": pytest.approx(4 / 3)}
    assert str(pace) == "2 exact cells, 4 a second; 2 simulated cells, 1 a second (2.00 s in all)"
