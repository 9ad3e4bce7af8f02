"""Answers to one scenario of any kind: exact where that fits, else simulated; mixtures where fields are uncertain."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator.analysis.odds.first import first_answer
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.mix import combined, mixed
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import Interrupted, Progress, known_sooner, settle
from simulator.analysis.odds.stages import Shared
from simulator.analysis.storage.kept_run import kept_run
from simulator.scenarios import Draft, Scenario, ScenarioError, Source, draft, is_uncertain, load
from simulator.scenarios.arguments import checked


def answer(
    scenario: Source, method: Method | None = None, progress: Progress | None = None, shared: Shared | None = None
) -> Odds:
    """The odds of a scenario by a method, as `odds`; `shared` keeps chains that several scenarios have in common.

    Raises as `odds`, and NoExactOdds past the budget of a method that allows only exact odds.
    """
    asked = scenario if isinstance(scenario, Scenario) else draft(scenario)
    if is_uncertain(asked):
        return mixed(asked, method or Method(), progress).odds
    method, checked = method or Method(), load(asked)
    if method.battles is None and (known := known_sooner(checked, method.values)):
        return known
    first = method.at_once and method.is_automatic and method.precision is None
    try:
        found = first_answer(checked, method, progress, shared) if first else None
        odds = (found or settle(checked, method, progress, shared)).odds()
    except Interrupted as cut:
        raise Interrupted(cut.gathered.odds()) from None
    if checked is not asked and shared is None:  # no caller holds this scenario, only its odds
        checked.release()
    return odds


@checked
def odds(  # noqa: PLR0913 - one argument an option
    scenario: Source,
    *,
    method: str = "auto",
    battles: int | None = None,
    precision: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    out: str | Path | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> Odds:
    """The odds of a scenario of any kind: exact where they fit, else simulated until every chance is precise enough.

    Parameters
    ----------
    method : str
        "auto", "exact" (or a refusal) or "simulate".
    battles : int, optional
        Simulate this many battles.
    precision : float, optional
        The largest half-width of the 95 % interval of a chance: 0.001 is 0.1 %, the default where that takes seconds.
    out : str or Path, optional
        A file that keeps the counts of the `battles`; the same call goes on where it stopped, also to more battles.
    cluster : distributed.Client, optional
        A Dask cluster that fights the `battles`.

    Returns
    -------
    Odds
        `method` says how they were obtained, `limited` why a simulation has fewer battles than its precision needs.

    Raises
    ------
    ScenarioError
        For an invalid scenario.
    ValueError
        For a number out of range, numbers that contradict each other, and an `out` of another question.
    NoExactOdds
        Where exact odds are asked for and do not fit; it says how large the state space is.
    OSError
        Where `out` cannot be written.
    Interrupted
        After Ctrl-C, with the odds from the battles so far.

    Examples
    --------
    >>> odds("risk-20v15")
    Odds(attacker 0.8604, defender 0.1396, nobody 0.0000; exact (201 states))
    >>> print(odds(risk.land(attacker=3, defender=2)).headline)
    The attacker takes the territory in 65.60 % and loses 1.41 of 3 regiments on average; the defender holds in 34.40 %.
    >>> odds("risk-20v15", battles=1000, seed=7).counts.sum().item()
    1000
    """
    asked = Method.named(method, battles, precision, seed, threads)
    if out is None and cluster is None:
        return answer(scenario, asked, progress)
    fighting = None
    if cluster is not None:
        from simulator.analysis.storage.cluster import fight_on

        fighting = fight_on(cluster)
    return kept_run(scenario, asked, out, fighting=fighting, progress=progress)


@checked
def exact(scenario: Source, budget: int | None = None, progress: Progress | None = None) -> Odds:
    """Exact odds: `odds` with `method="exact"`.

    Parameters
    ----------
    budget : int, optional
        Bytes that the states may take.

    Returns
    -------
    Odds
        Chances without error, but for rounding and `Odds.residual`.

    Raises
    ------
    ScenarioError
        For an invalid scenario.
    NoExactOdds
        Past `budget`; it says how large the state space is.

    Examples
    --------
    >>> round(exact("risk-20v15").winner("attacker"), 10)
    0.8603989124
    """
    return answer(scenario, Method(exact=True, budget=budget), progress)


@checked
def simulate(
    scenario: Source,
    battles: int = 1_000_000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Odds:
    """Odds from seeded battles: `odds` with `method="simulate"`; the same for any number of threads.

    Parameters
    ----------
    battles : int
        The number of battles.

    Returns
    -------
    Odds
        Chances with 95 % intervals; `Odds.counts` are the battles of each outcome.

    Raises
    ------
    ScenarioError
        For an invalid scenario.
    ValueError
        For a number out of range.
    Interrupted
        After Ctrl-C, with the odds from the battles so far.

    Examples
    --------
    >>> simulate("risk-20v15", 1000, seed=7).counts.sum().item()
    1000
    """
    return answer(scenario, Method(exact=False, battles=battles, seed=seed, threads=threads), progress)


def changed(base: Draft, paths: Sequence[str], settings: Sequence[Any]) -> tuple[Scenario | Draft, str]:
    """The scenario with several fields set at once, checked together, and a note of the fields left out.

    When a policy is varied, a parameter of the former policy (`stop_below`) that the new one does not use is left out.
    Raises ScenarioError, in the words of the rules, for settings that they refuse.
    """
    base = base.with_fields(dict(zip(paths, settings, strict=True)))
    if is_uncertain(base):
        for one in combined(base)[0]:
            one.checked()
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


@checked
def explain(scenario: Source) -> list[str]:
    """The composition of an answer: modifiers with their sources, or the plan of a calculator.

    Returns
    -------
    list of str
        One line each; empty for a kind without modifiers.

    Raises
    ------
    ScenarioError
        For an invalid scenario.

    Examples
    --------
    >>> explain("europa-lutzen-1632")[0][:20]
    'leader test: -1 Fire'
    """
    return list(load(scenario).built.explain())
