"""Odds within the seconds of an answer: exact if they can be computed in time, else simulated."""

from __future__ import annotations

from simulator.analysis.odds.answer import answer
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import Interrupted, Method
from simulator.engine.api import simulate_by_rules
from simulator.engine.model.limits import QUICK_BYTES, NoExactOdds
from simulator.scenarios import Draft, Scenario, ScenarioError, is_uncertain
from simulator.web.messages import COMPILING, LARGE, Limits
from simulator.web.time_limit import at_most, compiler_cuts

# The share of an answer's seconds for exact odds; the rest is for a simulation.
EXACT_SHARE = 0.5
PRECISION = 0.001
LIVE_BATTLES = 1 << 15


def odds_in_time(draft: Draft, limits: Limits, live: bool = False) -> tuple[Odds, Scenario | None, str]:
    """Odds, the checked scenario (None for one with distributions), and the reason why they are not exact.

    `live` simulates only a few battles, for an answer at once; a stream refines it. Raises ScenarioError.
    """
    scenario = None if is_uncertain(draft) else draft.checked()
    source = scenario or draft
    explored = 0

    def progress(states: int, total: int | None) -> None:
        nonlocal explored
        explored = states

    try:
        with at_most(EXACT_SHARE * limits.seconds):
            return answer(source, Method(exact=True, budget=QUICK_BYTES), progress), scenario, ""
    except NoExactOdds as error:
        reason = str(error)
    except KeyboardInterrupt:
        reason = f"exact odds would take longer than this page computes (more than {explored:,} states)"
    skip_exact_odds(scenario)
    battles = LIVE_BATTLES if live else None
    try:
        with at_most((1 - EXACT_SHARE) * limits.seconds):
            odds = answer(source, Method(exact=False, battles=battles, precision=PRECISION, threads=1))
    except Interrupted as interrupted:
        odds = interrupted.gathered
    except KeyboardInterrupt:
        if compiler_cuts:
            raise ScenarioError(COMPILING) from None
        seconds = f"computes for at most {limits.seconds:g} s"
        raise ScenarioError(f"{LARGE}, which {seconds}; {reason}; use fewer units or dice") from None
    return odds, scenario, reason


def skip_exact_odds(scenario: Scenario | None) -> None:
    """Simulate a battle that is too large for exact odds without trying its graph of states first."""
    if scenario is not None and scenario.built.chain is not None and not scenario.decided:
        simulate_by_rules(scenario.built.chain)
