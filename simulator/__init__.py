"""battle-odds: exact and simulated odds for board wargames.

    from simulator import load, odds
    print(odds(load("risk-20v15")).summary())

The public names are imported when first used, so that `import simulator` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from simulator.analysis.result import Result

if TYPE_CHECKING:
    from simulator.analysis.campaigns.campaign import ByRound, campaign
    from simulator.analysis.campaigns.waves import waves
    from simulator.analysis.decisions.best import Best, best
    from simulator.analysis.decisions.need import Need, enough, need
    from simulator.analysis.decisions.worth import Worth, worth
    from simulator.analysis.history.luck import Luck, luck
    from simulator.analysis.history.replay import Replay, replay
    from simulator.analysis.history.rounds import Rounds, rounds
    from simulator.analysis.odds.answer import answer, exact, explain, odds, simulate
    from simulator.analysis.odds.mix import Mixture, mix
    from simulator.analysis.odds.odds import Odds
    from simulator.analysis.odds.run import Interrupted, Method
    from simulator.analysis.odds.survival import Survival, survival
    from simulator.analysis.storage.long_run import long_run
    from simulator.analysis.storage.long_sweep import long_sweep
    from simulator.analysis.studies.compare import Comparison, compare
    from simulator.analysis.studies.rare_events import Scored, scored
    from simulator.analysis.studies.sensitivity import Sensitivity, sensitivity, sobol
    from simulator.analysis.studies.sweep import Sweep, sweep
    from simulator.engine.model.limits import NoExactOdds
    from simulator.scenarios import Scenario, ScenarioError, load

__version__ = "0.1.0"

_HOMES = {
    "load": "simulator.scenarios",
    "Scenario": "simulator.scenarios",
    "ScenarioError": "simulator.scenarios",
    "Odds": "simulator.analysis.odds.odds",
    "odds": "simulator.analysis.odds.answer",
    "exact": "simulator.analysis.odds.answer",
    "simulate": "simulator.analysis.odds.answer",
    "answer": "simulator.analysis.odds.answer",
    "Method": "simulator.analysis.odds.run",
    "Interrupted": "simulator.analysis.odds.run",
    "explain": "simulator.analysis.odds.answer",
    "replay": "simulator.analysis.history.replay",
    "Replay": "simulator.analysis.history.replay",
    "compare": "simulator.analysis.studies.compare",
    "Comparison": "simulator.analysis.studies.compare",
    "long_run": "simulator.analysis.storage.long_run",
    "long_sweep": "simulator.analysis.storage.long_sweep",
    "sweep": "simulator.analysis.studies.sweep",
    "Sweep": "simulator.analysis.studies.sweep",
    "best": "simulator.analysis.decisions.best",
    "Best": "simulator.analysis.decisions.best",
    "need": "simulator.analysis.decisions.need",
    "enough": "simulator.analysis.decisions.need",
    "Need": "simulator.analysis.decisions.need",
    "sensitivity": "simulator.analysis.studies.sensitivity",
    "sobol": "simulator.analysis.studies.sensitivity",
    "Sensitivity": "simulator.analysis.studies.sensitivity",
    "campaign": "simulator.analysis.campaigns.campaign",
    "ByRound": "simulator.analysis.campaigns.campaign",
    "rounds": "simulator.analysis.history.rounds",
    "Rounds": "simulator.analysis.history.rounds",
    "luck": "simulator.analysis.history.luck",
    "Luck": "simulator.analysis.history.luck",
    "mix": "simulator.analysis.odds.mix",
    "Mixture": "simulator.analysis.odds.mix",
    "survival": "simulator.analysis.odds.survival",
    "Survival": "simulator.analysis.odds.survival",
    "waves": "simulator.analysis.campaigns.waves",
    "scored": "simulator.analysis.studies.rare_events",
    "Scored": "simulator.analysis.studies.rare_events",
    "worth": "simulator.analysis.decisions.worth",
    "Worth": "simulator.analysis.decisions.worth",
    "NoExactOdds": "simulator.engine.model.limits",
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


def _draw(answer: Result, ax: Any, path: Any, **options: Any) -> Any:
    """Draw an answer (simulator/report/pictures.py); matplotlib is imported when the first picture is asked for."""
    return import_module("simulator.report.pictures").draw(answer, ax, path, **options)


Result.draw = staticmethod(_draw)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'simulator' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
