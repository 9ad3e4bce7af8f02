"""The first answer to a battle whose kernels are not compiled: exact if plain Python is enough, else a few battles."""

from __future__ import annotations

from simulator.analysis.odds.method import Method
from simulator.analysis.odds.run import DEFAULT_PRECISION, ExactAnswer, Progress, SimulatedAnswer, to_precision, width
from simulator.analysis.odds.stages import Shared
from simulator.engine.api import OutOfRoom, without_compiling
from simulator.engine.model.limits import NoExactOdds, NotCompiled
from simulator.scenarios import Scenario

# Estimated seconds of plain Python for exact odds, also of a battle of several stages, and then for battles.
EXACT_SECONDS, STAGES_SECONDS, BATTLE_SECONDS = 0.2, 0.6, 0.3
# Battles of several stages, whose work is not known beforehand.
COMPOSED_BATTLES = 1 << 11


def first_answer(
    scenario: Scenario, method: Method, progress: Progress | None = None, shared: Shared | None = None
) -> ExactAnswer | SimulatedAnswer | None:
    """An answer without compiling: exact, to the usual precision, or a first simulation whose `limited` says so.

    None where there is no such answer: a side decides as well as possible, or a single state has too many results.
    """
    if scenario.decided:
        return None
    waiting = ""
    try:
        with without_compiling(EXACT_SECONDS if scenario.built.answer is None else STAGES_SECONDS):
            return ExactAnswer.soon(scenario, method, progress, shared)
    except NotCompiled as missing:
        waiting = f"exact odds: --exact, about {missing.seconds} s, once"
    except NoExactOdds:
        if method.budget:  # battles on a graph above this budget may draw both rolls with one number
            return None
    try:
        with without_compiling(0.0):
            fight = SimulatedAnswer(scenario, method.seed, method.threads, shared)
            first = fight.add_first(BATTLE_SECONDS, COMPOSED_BATTLES)
            if not first:
                to_precision(fight, None, progress)
    except (OutOfRoom, NotCompiled):
        return None
    if first:
        within = f"within {width(fight.odds()):.1%}; "
        fight.limited = within + (waiting or f"more: --precision {DEFAULT_PRECISION:.1%}, some seconds, once")
    else:
        fight.limited = fight.limited or waiting
    return fight
