"""Answers to one scenario of any kind: exact where that fits, else simulated; mixtures where fields are uncertain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.analysis.odds.first import first_answer
from simulator.analysis.odds.mix import combined, mixed
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import Interrupted, Method, Progress, settle
from simulator.analysis.odds.stages import Shared
from simulator.scenarios import Draft, Scenario, ScenarioError, Source, draft, is_uncertain, load
from simulator.scenarios.arguments import checked


@checked
def answer(
    scenario: Source, method: Method | None = None, progress: Progress | None = None, shared: Shared | None = None
) -> Odds:
    """The odds of a scenario of any kind, obtained as a method says.

    Parameters
    ----------
    scenario : Scenario, mapping, str or Path
        A scenario, or one as `load` takes it. Fields may be distributions.
    method : Method, optional
        By default exact if that fits, else simulated.
    progress : callable, optional
        Called several times a second with the states or battles done and their total (None while it is unknown).
    shared : Shared, optional
        Keeps chains that several scenarios have in common.

    Returns
    -------
    Odds
        The odds; `Odds.method` says how they were obtained.

    Raises
    ------
    ScenarioError
        For an invalid scenario.
    NoExactOdds
        Where `method` allows only exact odds, and they do not fit.
    Interrupted
        After Ctrl-C, with the odds from the battles so far.

    Examples
    --------
    >>> answer("risk-20v15", Method(exact=False, battles=1000)).method
    'simulated'
    """
    asked = scenario if isinstance(scenario, Scenario) else draft(scenario)
    if is_uncertain(asked):
        return mixed(asked, method or Method(), progress).odds
    method, checked = method or Method(), load(asked)
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
def exact(scenario: Source, budget: int | None = None, progress: Progress | None = None) -> Odds:
    """Exact odds, by enumerating every state of the battle.

    Parameters
    ----------
    scenario : Scenario, mapping, str or Path
        A scenario, or one as `load` takes it.
    budget : int, optional
        Bytes that the states may take.
    progress : callable, optional
        Called several times a second with the states done and their total (None while it is unknown).

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
    """Odds from seeded battles; the same for any number of threads.

    Parameters
    ----------
    scenario : Scenario, mapping, str or Path
        A scenario, or one as `load` takes it.
    battles : int
        The number of battles.
    seed : int
        The seed of all simulated battles, from 0 to 2^64 - 1: the same seed, the same numbers.
    threads : int, optional
        Threads; by default one a processor. They change no number.
    progress : callable, optional
        Called several times a second with the battles done and their total (None while it is unknown).

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


@checked
def odds(
    scenario: Source,
    precision: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Odds:
    """Exact odds where they fit, else odds simulated until every chance is precise enough.

    Parameters
    ----------
    scenario : Scenario, mapping, str or Path
        A scenario, or one as `load` takes it.
    precision : float, optional
        The largest half-width of the 95 % interval of a chance: 0.001 is 0.1 %, the default where that takes seconds.
    seed : int
        The seed of all simulated battles, from 0 to 2^64 - 1: the same seed, the same numbers.
    threads : int, optional
        Threads; by default one a processor. They change no number.
    progress : callable, optional
        Called several times a second with the states or battles done and their total (None while it is unknown).

    Returns
    -------
    Odds
        Its `limited` says why a simulation has fewer battles than its precision needs.

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
    >>> odds("risk-20v15")
    Odds(attacker 0.8604, defender 0.1396, nobody 0.0000; exact (201 states))
    >>> print(odds(risk.land(attacker=3, defender=2)).headline)
    The attacker takes the territory in 65.60 % and loses 1.41 of 3 regiments on average; the defender holds in 34.40 %.
    """
    return answer(scenario, Method(precision=precision, seed=seed, threads=threads), progress)


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

    Parameters
    ----------
    scenario : Scenario, mapping, str or Path
        A scenario, or one as `load` takes it.

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
