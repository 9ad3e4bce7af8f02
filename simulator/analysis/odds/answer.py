"""Answers to one scenario of any kind: exact where that fits, else simulated; mixtures where fields are uncertain."""

from __future__ import annotations

from simulator.analysis.odds.chain_cache import Shared
from simulator.analysis.odds.mix import mixed
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import (
    CELL_BATTLES,
    CELL_BYTES,
    Interrupted,
    Method,
    Progress,
    settle,
)
from simulator.engine.model.limits import NoExactOdds
from simulator.scenarios import Draft, Scenario, Source, is_uncertain, load


def answer(
    scenario: Source, method: Method | None = None, progress: Progress | None = None, shared: Shared | None = None
) -> Odds:
    """The odds of a scenario: exact if they fit, else simulated, or as `method` says; `shared` caches chains.

    Raises NoExactOdds where `method` allows only exact odds, Interrupted with the odds from the battles so far.
    """
    if is_uncertain(scenario):
        return mixed(scenario, method or Method(), progress).odds
    try:
        return settle(load(scenario), method or Method(), progress, shared).odds()
    except Interrupted as cut:
        raise Interrupted(cut.gathered.odds()) from None


def exact(scenario: Source, budget: int | None = None, progress: Progress | None = None) -> Odds:
    """Exact odds. Raises NoExactOdds, which says how large the state space is, past `budget` bytes."""
    return answer(scenario, Method(exact=True, budget=budget), progress)


def simulate(
    scenario: Source,
    battles: int = 1_000_000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Odds:
    """Odds from `battles` seeded battles; the same for any number of threads.

    `progress(done, battles)` is called several times a second. Raises ValueError for a count or seed out of range.
    """
    return answer(scenario, Method(exact=False, battles=battles, seed=seed, threads=threads), progress)


def odds(
    scenario: Source,
    precision: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Odds:
    """Exact odds when they fit, else simulated until every chance is within `precision` (95 %), see `Method`."""
    return answer(scenario, Method(precision=precision, seed=seed, threads=threads), progress)


def cell(
    scenario: Scenario | Draft,
    battles: int | None,
    seed: int,
    progress: Progress | None = None,
    shared: Shared | None = None,
) -> Odds:
    """One of many answers: exact where it is small and `battles` is None, else simulated on one thread."""
    if battles is None:
        try:
            return answer(scenario, Method(exact=True, budget=CELL_BYTES), progress, shared)
        except NoExactOdds:
            pass
    return answer(scenario, Method(False, battles or CELL_BATTLES, seed=seed, threads=1), progress, shared)


def explain(scenario: Source) -> list[str]:
    """How the answer is composed: modifiers with their sources, or the plan of a calculator, one line each."""
    return list(load(scenario).built.explain())
