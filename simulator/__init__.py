"""battle-odds: exact and simulated odds for board wargames.

    from simulator import load, odds
    print(odds(load("risk-20v15")).summary())

The public names are imported when first used, so that `import simulator` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.analysis.after_rounds import Rounds, rounds
    from simulator.analysis.answer import Interrupted, Method, answer, exact, explain, odds, simulate
    from simulator.analysis.best import Best, best
    from simulator.analysis.compare import Comparison, compare
    from simulator.analysis.long_run import long_run
    from simulator.analysis.long_sweep import long_sweep
    from simulator.analysis.luck import Luck, luck
    from simulator.analysis.mix import Mixture, mix
    from simulator.analysis.need import Need, enough, need
    from simulator.analysis.odds import Odds
    from simulator.analysis.replay import Replay, replay
    from simulator.analysis.rounds import ByRound, campaign
    from simulator.analysis.scored import Scored, scored
    from simulator.analysis.sensitivity import Sensitivity, sensitivity, sobol
    from simulator.analysis.survival import Survival, survival
    from simulator.analysis.sweep import Sweep, sweep
    from simulator.analysis.waves import waves
    from simulator.analysis.worth import Worth, worth
    from simulator.engine.limits import NoExactOdds
    from simulator.scenarios import Scenario, ScenarioError, load

__version__ = "0.1.0"

_HOMES = {
    "load": "simulator.scenarios",
    "Scenario": "simulator.scenarios",
    "ScenarioError": "simulator.scenarios",
    "Odds": "simulator.analysis.odds",
    "odds": "simulator.analysis.answer",
    "exact": "simulator.analysis.answer",
    "simulate": "simulator.analysis.answer",
    "answer": "simulator.analysis.answer",
    "Method": "simulator.analysis.answer",
    "Interrupted": "simulator.analysis.answer",
    "explain": "simulator.analysis.answer",
    "replay": "simulator.analysis.replay",
    "Replay": "simulator.analysis.replay",
    "compare": "simulator.analysis.compare",
    "Comparison": "simulator.analysis.compare",
    "long_run": "simulator.analysis.long_run",
    "long_sweep": "simulator.analysis.long_sweep",
    "sweep": "simulator.analysis.sweep",
    "Sweep": "simulator.analysis.sweep",
    "best": "simulator.analysis.best",
    "Best": "simulator.analysis.best",
    "need": "simulator.analysis.need",
    "enough": "simulator.analysis.need",
    "Need": "simulator.analysis.need",
    "sensitivity": "simulator.analysis.sensitivity",
    "sobol": "simulator.analysis.sensitivity",
    "Sensitivity": "simulator.analysis.sensitivity",
    "campaign": "simulator.analysis.rounds",
    "ByRound": "simulator.analysis.rounds",
    "rounds": "simulator.analysis.after_rounds",
    "Rounds": "simulator.analysis.after_rounds",
    "luck": "simulator.analysis.luck",
    "Luck": "simulator.analysis.luck",
    "mix": "simulator.analysis.mix",
    "Mixture": "simulator.analysis.mix",
    "survival": "simulator.analysis.survival",
    "Survival": "simulator.analysis.survival",
    "waves": "simulator.analysis.waves",
    "scored": "simulator.analysis.scored",
    "Scored": "simulator.analysis.scored",
    "worth": "simulator.analysis.worth",
    "Worth": "simulator.analysis.worth",
    "NoExactOdds": "simulator.engine.limits",
}

__all__ = [
    "Best",
    "ByRound",
    "Comparison",
    "Interrupted",
    "Luck",
    "Method",
    "Mixture",
    "Need",
    "NoExactOdds",
    "Odds",
    "Replay",
    "Rounds",
    "Scenario",
    "ScenarioError",
    "Scored",
    "Sensitivity",
    "Survival",
    "Sweep",
    "Worth",
    "answer",
    "best",
    "campaign",
    "compare",
    "enough",
    "exact",
    "explain",
    "load",
    "long_run",
    "long_sweep",
    "luck",
    "mix",
    "need",
    "odds",
    "replay",
    "rounds",
    "scored",
    "sensitivity",
    "simulate",
    "sobol",
    "survival",
    "sweep",
    "waves",
    "worth",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'simulator' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
