"""What every battle kind of every game owes: call `check(scenario)`, which a game from outside may do too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from simulator import NoExactOdds, Odds, Scenario, exact, replay, simulate
from simulator.analysis.odds.answer import ExactRun, labelled, seen
from simulator.engine.graph.graph_cache import spell_out
from simulator.engine.model.chain import Chain, Ends, Share
from simulator.engine.model.interpreted import plain_params
from simulator.engine.model.limits import QUICK_BYTES
from simulator.rules.battle import Outcomes
from tests.vectors import Z_LIMIT, largest_z

BATTLES = 150_000
FEW = 2_000
# Battles without their counters are enumerated up to so many bytes: enough to compare, too few to be compiled for.
SMALL = 1_000_000
SEED = 20_261


def check(scenario: Scenario, battles: int = BATTLES) -> None:
    """Every promise at once; raises AssertionError for the first that is broken."""
    if scenario.built.answer is not None:  # every portion of a composed battle fights all its stages
        battles //= 8
    check_contract(scenario)
    check_threads(scenario, battles)
    check_replay(scenario)
    if scenario.built.chain is not None and scenario.chain.apart is not None:
        check_apart(scenario.chain)
    try:
        true = exact(scenario, QUICK_BYTES)
    except NoExactOdds:
        return
    check_odds(scenario, true)
    if true.explored:
        assert largest_z(scenario, SEED, battles) < Z_LIMIT
    check_counters(scenario, true)


def check_contract(scenario: Scenario) -> None:
    """A chain with its outcome, or an answer; words about both; a headline of columns that there are."""
    battle, built = scenario.battle, scenario.built
    assert (built.chain is None) != (built.answer is None)
    assert (built.chain is None) == (built.outcome is None)
    assert battle.title
    assert battle.version >= 1
    for lines in (built.assumptions(), built.explain(), scenario.settings()):
        assert all(isinstance(line, str) and line and "\n" not in line for line in lines)
    found = simulate(scenario, FEW, SEED)
    columns = found.columns
    sizes = {len(values) for values in columns.values()}
    assert sizes == {len(found.chances)}
    assert found.headline, "no column of the headline is there"
    assert set(columns.get("winner", [])) <= {0, 1, 2}
    assert all(name == name.lower() and " " not in name for name in columns)
    if battle.clock is not None:
        assert found.kind_of(battle.clock.column) == "number"
        found.p(battle.clock.event)


def check_apart(chain: Chain) -> None:
    """Where two rolls act apart: a step is `follows` after `lands`, and each part of that looks at itself alone."""
    try:
        graph = spell_out(chain, SMALL)
    except NoExactOdds:
        return
    assert chain.apart is not None
    assert graph.second is not None
    p, lands, fields = plain_params(chain.params), chain.part("lands"), chain.start._fields
    rest = tuple(name for name in fields if name not in chain.apart[0] + chain.apart[1])
    known: dict[Any, Any] = {}
    running = np.flatnonzero(~graph.final)
    for i in running[:: max(1, len(running) // 40)]:
        s = type(chain.start)(*(int(values[0]) for values in graph.states(slice(i, i + 1))))
        for result in chain.tables.rows_of(int(graph.table[i])).tolist():
            for other in chain.tables.rows_of(int(graph.second[i])).tolist():
                after = lands(p, s, result, other)
                assert chain.leap(p, s, result, other) == chain.part("follows")(p, after)
                for names, number in ((chain.apart[0], result), (chain.apart[1], other), (rest, 0)):
                    before = tuple(getattr(s, name) for name in (*rest, *names))
                    at = (names, before, number)
                    assert known.setdefault(at, (a := tuple(getattr(after, name) for name in names))) == a


def check_odds(scenario: Scenario, true: Odds) -> None:
    """Chances are chances and add up to one; what may come of a battle is told."""
    assert abs(true.chances.sum() - 1.0) < 1e-9
    assert (true.chances >= 0).all()
    assert true.residual < 1e-9
    assert true.results or true.summary_rows()
    if "winner" in true.columns:
        assert abs(sum(true.winner(side) for side in ("attacker", "defender", "nobody")) - 1.0) < 1e-9
    assert true.rules_version == scenario.battle.version


def counted(odds: Odds) -> dict[tuple[Any, ...], int]:
    """Outcome -> how many battles came to it."""
    rows = zip(*(values.tolist() for values in odds.told.values()), strict=True)
    assert odds.counts is not None
    return dict(zip(rows, odds.counts.tolist(), strict=True))


def check_threads(scenario: Scenario, battles: int = BATTLES) -> None:
    """The same battles whatever the threads."""
    one, two, seven = (counted(simulate(scenario, battles, SEED, threads)) for threads in (1, 2, 7))
    assert sum(one.values()) == battles
    assert one == two == seven


def check_replay(scenario: Scenario) -> None:
    """A replay tells the very battle that the simulation counted under its number."""
    before: dict[tuple[Any, ...], int] = {}
    for battle in range(3):
        after = counted(simulate(scenario, battle + 1, SEED))
        fought = [outcome for outcome, count in after.items() if count > before.get(outcome, 0)]
        told = replay(scenario, SEED, battle)
        assert [tuple(told.outcome.values())] == fought
        assert all("\n" not in line for line in told.lines)
        before = after


def check_counters(scenario: Scenario, true: Odds) -> None:
    """Counters are only a quicker way to the same odds."""
    run = ExactRun(SMALL)
    stages: list[Chain] = []

    def plainly(chain: Chain, share: Share | None = None) -> Ends:
        stages.append(chain)
        return run(replace(chain, counters=()), share)

    try:
        if scenario.built.answer is not None:
            found = scenario.built.answer(plainly)
        else:
            ends = plainly(scenario.chain)
            found = Outcomes(seen(scenario, ends), ends.p)
    except NoExactOdds:
        return
    if any(chain.counters for chain in stages):
        without = labelled(scenario, Outcomes(found.columns, found.p))
        assert without.told.keys() == true.told.keys()
        assert len(without.chances) == len(true.chances)
        assert np.allclose(without.chances, true.chances, atol=1e-12)
