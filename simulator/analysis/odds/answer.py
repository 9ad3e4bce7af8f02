"""Answers to one scenario of any kind: exact where that fits, else simulated; mixtures where fields are uncertain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.analysis.odds.first import first_answer
from simulator.analysis.odds.mix import check_all, mixed
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import Interrupted, Method, Progress, settle
from simulator.analysis.odds.stages import Shared
from simulator.scenarios import Draft, Scenario, ScenarioError, Source, draft, is_uncertain, load


def answer(
    scenario: Source, method: Method | None = None, progress: Progress | None = None, shared: Shared | None = None
) -> Odds:
    """The odds of a scenario: exact if they fit, else simulated, or as `method` says; `shared` caches chains.

    Raises NoExactOdds where `method` allows only exact odds, Interrupted with the odds from the battles so far.
    """
    asked = scenario if isinstance(scenario, Scenario) else draft(scenario)
    if is_uncertain(asked):
        return mixed(asked, method or Method(), progress).odds
    method, checked = method or Method(), load(asked)
    first = method.at_once and method.is_automatic and method.precision is None
    try:
        found = first_answer(checked, method, progress, shared) if first else None
        return (found or settle(checked, method, progress, shared)).odds()
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


def changed(base: Draft, paths: Sequence[str], settings: Sequence[Any]) -> tuple[Scenario | Draft, str]:
    """The scenario with several fields set at once, checked together, and a note of the fields left out.

    When a policy is varied, a parameter of the former policy (`stop_below`) that the new one does not use is left out.
    Raises ScenarioError, in the words of the rules, for settings that they refuse.
    """
    base = base.with_fields(dict(zip(paths, settings, strict=True)))
    if is_uncertain(base):
        check_all(base)
        return base, ""
    tables = {path.rpartition(".")[0] for path in paths if path.startswith("policy.")}
    left_out: list[str] = []
    first: ScenarioError | None = None
    while True:
        try:
            scenario = base.checked()
            break
        except ScenarioError as error:
            first = first or error
            path = str(error).partition(":")[0]
            fit = error.unused or path.rpartition(".")[0] in tables
            smaller = base.without(path) if fit and path not in paths else None
            if smaller is None:
                raise first from None
            base = smaller
            left_out.append(path)
    return scenario, f"{', '.join(left_out)} left out where the policy has no use for it" if left_out else ""


def explain(scenario: Source) -> list[str]:
    """Composition of the answer: modifiers with their sources, or the plan of a calculator, one line each."""
    return list(load(scenario).built.explain())
