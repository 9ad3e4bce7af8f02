"""The promises of every battle kind of every game, in one call: `check(scenario)`, for games from outside too.

from simulator.conformance import check
check({"game": "ford", "battle": "ambush", "attacker": {"bandits": 6}, "defender": {"guards": 4}})
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from simulator.analysis.history.replay import replay
from simulator.analysis.odds.answer import exact, simulate
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import labelled, winners_of
from simulator.analysis.odds.run import outcome_columns as seen
from simulator.analysis.odds.stages import ExactRun, SimulatedRun
from simulator.engine.api import graph_of
from simulator.engine.model.chain import Chain, ManyOutcomes, OutcomeDistribution, Share
from simulator.engine.model.contract import Examiner
from simulator.engine.model.interpreted import plain_params
from simulator.engine.model.limits import QUICK_BYTES, BrokenGame, NoExactOdds
from simulator.rules.battle import WINNERS, Outcomes
from simulator.scenarios import Scenario, Source, load

BATTLES = 150_000
FEW = 2_000
# Battles without their counters are enumerated up to this many bytes: enough to compare, too few to be compiled for.
SMALL = 1_000_000
SEED = 20_261
# Largest |z| of a simulated chance that is taken for luck.
Z_LIMIT = 4.5
# States of a chain in which its rules are asked, on the graph and in battles, and the seconds for those in battles.
STATES, SECONDS = 500, 1.0


def promise(kept: bool, text: str) -> None:
    """Raise BrokenGame with this text unless the promise is kept."""
    if not kept:
        raise BrokenGame(text)


def check(battle: Source, battles: int = BATTLES) -> None:
    """Hold a game to every promise in one of its scenarios (whatever `load` takes), with this many simulated battles.

    The contract of its rules in many states, exact odds against simulated ones, threads, replays, counters. Takes
    seconds. Raises BrokenGame, which names the first promise that is not kept, ScenarioError as `load`.
    """
    scenario = load(battle)
    if scenario.built.answer is not None:  # every portion of a composed battle fights all its stages
        battles //= 8
    for chain in chains_of(scenario):
        check_rules(chain)
        if chain.factored is not None:
            check_apart(chain)
    check_built(scenario)
    found = check_threads(scenario, battles)
    check_replay(scenario)
    try:
        true = exact(scenario, QUICK_BYTES)
    except NoExactOdds:
        return
    check_odds(scenario, true)
    check_winners(scenario, true)
    if true.explored:
        z = z_between(true, found)
        promise(z < Z_LIMIT, f"exact and simulated odds are {z:.1f} standard errors apart")
    check_counters(scenario, true)


@dataclass
class Witness(SimulatedRun):
    """Simulates stages and notes their chains."""

    found: dict[int, Chain] = field(default_factory=dict)

    def __call__(self, chain: Chain, share: Share | None = None) -> OutcomeDistribution:
        """The ends of the stage."""
        self.found[id(chain)] = chain
        return super().__call__(chain, share)

    def each(self, chain: Chain, numbers: np.ndarray, stage: int) -> tuple[OutcomeDistribution, np.ndarray]:
        """Single battles of the stage."""
        self.found[id(chain)] = chain
        return super().each(chain, numbers, stage)


def chains_of(scenario: Scenario) -> list[Chain]:
    """The chain of a scenario and those that stand for it, or the stages that some battles come to."""
    if scenario.built.answer is not None:
        run = Witness(FEW, SEED)
        scenario.built.answer(run)
        return list(run.found.values())
    chains = [scenario.chain]
    while last := chains[-1].last:
        chains.append(last.before)
    return chains


def check_rules(chain: Chain) -> None:
    """Ask the rules of a chain in many states: see `simulator/engine/contract.py`. Raises BrokenGame."""
    examiner = Examiner(chain)
    examiner.look_around(STATES, time.thread_time() + SECONDS)
    try:
        graph = graph_of(chain, SMALL)
    except NoExactOdds:
        return
    some = np.linspace(0, len(graph) - 1, min(len(graph), STATES)).astype(int)
    for state in np.column_stack(graph.states(some)).tolist():
        examiner.after(type(chain.start)._make(state))


def check_built(scenario: Scenario) -> None:
    """A chain with its outcome, or an answer; words about both; a headline of columns that there are."""
    battle, built = scenario.battle, scenario.built
    promise((built.chain is None) != (built.answer is None), "build: gives either a chain or an answer")
    promise((built.chain is None) == (built.outcome is dict), "build: a chain needs an outcome, an answer has none")
    promise(bool(battle.title), "title: is empty")
    promise(battle.version >= 1, f"version: {battle.version} is below 1")
    for name, lines in (("assumptions", built.assumptions()), ("explain", built.explain())):
        promise(
            all(isinstance(line, str) and line and "\n" not in line for line in lines), f"{name}: not lines of text"
        )
    found = simulate(scenario, FEW, SEED)
    columns = found.columns
    sizes = {name: len(values) for name, values in columns.items()}
    promise(set(sizes.values()) == {len(found.chances)}, f"outcome: columns of different lengths, {sizes}")
    promise(bool(found.summary_columns), "headline: names no column of the outcome")
    promise(set(columns.get("winner", [])) <= {0, 1, 2}, "outcome: winner is ATTACKER, DEFENDER or NOBODY")
    bad = [name for name in columns if name != name.lower() or " " in name]
    promise(not bad, f"outcome: columns are named in lower case without blanks, not {bad}")
    if battle.clock is not None:
        promise(found.kind_of(battle.clock.column) == "number", f"clock: {battle.clock.column} is no number")
        found.p(battle.clock.event)


def check_apart(chain: Chain) -> None:
    """A factored chain: a step is `follows` after `lands`, and each part reads its own fields only."""
    try:
        graph = graph_of(chain, SMALL)
    except NoExactOdds:
        return
    assert chain.factored is not None
    assert graph.second is not None
    p, lands, fields = plain_params(chain.params), chain.part("lands"), chain.start._fields
    rest = tuple(name for name in fields if name not in chain.factored[0] + chain.factored[1])
    known: dict[Any, Any] = {}
    running = np.flatnonzero(~graph.final)
    for i in running[:: max(1, len(running) // 40)]:
        s = type(chain.start)(*(int(values[0]) for values in graph.states(slice(i, i + 1))))
        for result in chain.tables.rows_of(int(graph.table[i])).tolist():
            for other in chain.tables.rows_of(int(graph.second[i])).tolist():
                after = lands(p, s, result, other)
                same = chain.leap(p, s, result, other) == chain.part("follows")(p, after)
                promise(same, f"step: is not follows after lands, for {result} and {other} in {s}")
                for names, number in ((chain.factored[0], result), (chain.factored[1], other), (rest, 0)):
                    at = names, tuple(getattr(s, name) for name in (*rest, *names)), number
                    found = tuple(getattr(after, name) for name in names)
                    promise(known.setdefault(at, found) == found, f"lands: {names} depend on more than they may in {s}")


def check_odds(scenario: Scenario, true: Odds) -> None:
    """Every chance is between 0 and 1, they add up to 1, and the battle names its results."""
    total = float(true.chances.sum())
    promise(
        abs(total - 1.0) < 1e-9 and true.residual < 1e-9, f"chances add up to {total}, {true.residual} is undecided"
    )
    promise(bool((true.chances >= 0).all()), "a chance is negative")
    promise(bool(true.results or true.summary_rows()), "results: the battle names no results")
    promise(true.rules_version == scenario.battle.version, "version: is not that of the battle kind")


def counted(odds: Odds) -> dict[tuple[Any, ...], int]:
    """Outcome -> how many battles came to it."""
    rows = zip(*(values.tolist() for values in odds.readable_columns.values()), strict=True)
    assert odds.counts is not None
    return dict(zip(rows, odds.counts.tolist(), strict=True))


def check_threads(scenario: Scenario, battles: int = BATTLES) -> Odds:
    """The same battles whatever the threads; returns their odds."""
    every = [simulate(scenario, battles, SEED, threads) for threads in (1, 2, 7)]
    one, two, seven = map(counted, every)
    promise(sum(one.values()) == battles, f"{sum(one.values())} of {battles} battles were counted")
    promise(one == two == seven, "the counts of a seed depend on the number of threads")
    return every[0]


def check_replay(scenario: Scenario) -> None:
    """A replay shows the very battle that the simulation counted under its number."""
    before: dict[tuple[Any, ...], int] = {}
    for battle in range(3):
        after = counted(simulate(scenario, battle + 1, SEED))
        fought = [outcome for outcome, count in after.items() if count > before.get(outcome, 0)]
        replayed = replay(scenario, SEED, battle)
        same = [tuple(replayed.outcome.values())] == fought
        promise(same, f"replay: battle {battle} ends as {replayed.outcome}, it was counted as {fought}")
        promise(all("\n" not in line for line in replayed.lines), "tell: a line contains a line break")
        before = after


@dataclass
class Plain(ExactRun):
    """Solves stages without counters, and notes their chains."""

    stages: list[Chain] = field(default_factory=list)

    def __call__(self, chain: Chain, share: Share | None = None) -> OutcomeDistribution:
        """All ends of the stage."""
        self.stages.append(chain)
        return super().__call__(replace(chain, counters=()), share)

    def from_starts(self, chain: Chain, starts: np.ndarray, counted: bool, many: bool) -> ManyOutcomes:
        """The ends from each start."""
        self.stages.append(chain)
        return super().from_starts(replace(chain, counters=()), starts, counted, many)


def check_counters(scenario: Scenario, true: Odds) -> None:
    """Counters are only a quicker way to the same odds."""
    run = Plain(SMALL)
    try:
        if scenario.built.answer is not None:
            found = scenario.built.answer(run)
        else:
            ends = run(scenario.chain)
            found = Outcomes(seen(scenario, ends), ends.p)
    except NoExactOdds:
        return
    if any(chain.counters for chain in run.stages):
        without = labelled(scenario, Outcomes(found.columns, found.p))
        same = len(without.chances) == len(true.chances) and np.allclose(without.chances, true.chances, atol=1e-12)
        promise(
            same and without.readable_columns.keys() == true.readable_columns.keys(),
            "counters: other odds where none is declared",
        )


def check_winners(scenario: Scenario, true: Odds) -> None:
    """The columns that a kind finds sooner than the others have the chances that they have among all outcomes."""
    if (short := winners_of(scenario)) is not None:
        facts = [name for name in short.columns if name != "winner"]
        known, whole = (
            [*(odds.winner(name) for name in WINNERS), *(odds.p(fact) for fact in facts)] for odds in (short, true)
        )
        promise(np.allclose(known, whole, atol=1e-9), f"winners: {known} alone, {whole} among all outcomes")
        short.to_dict()  # the kind has a sentence for these columns


def largest_z(scenario: Source, seed: int = SEED, battles: int = 1_000_000) -> float:
    """Largest `|z|` of the simulated chances of all outcomes, results and means against exact odds."""
    return z_between(exact(scenario), simulate(scenario, battles, seed))


def z_between(true: Odds, found: Odds) -> float:
    """Largest `|z|` of the chances of all outcomes, results and means in simulated odds against exact ones.

    Rare outcomes are lumped together, since a z-score means little below a few dozen expected battles. Raises
    BrokenGame for an outcome that exact odds do not know, and for such an event that comes far too often.
    """
    battles = found.battles or 0
    keys = [column for column in true.table.columns if column not in {"p", "count"}]
    expected = true.table.set_index(keys)["p"]
    counts = found.table.set_index(keys)["count"].reindex(expected.index).fillna(0.0)
    promise(counts.sum() == battles, "an outcome was simulated that exact odds do not know")
    common = expected * battles >= 50
    pairs = list(zip(expected[common], counts[common], strict=True))
    pairs.append((expected[~common].sum(), counts[~common].sum()))
    pairs += [(result.p, found.p(result.question) * battles) for result in true.results]
    worst = 0.0
    for p, count in pairs:
        if p * (1 - p) * battles >= 50:
            worst = max(worst, abs(count - p * battles) / math.sqrt(p * (1 - p) * battles))
        else:
            promise(abs(count - p * battles) < 60, f"{count} of {battles} battles, expected {p * battles:.1f}")
    for column in true.columns:
        if true.kind_of(column) == "number" and (spread := true.std(column)) > 1e-9:
            worst = max(worst, abs(found.mean(column) - true.mean(column)) / (spread / math.sqrt(battles)))
    return worst
