"""battle-odds: exact and simulated odds for board wargames.

    from simulator import load, odds
    print(odds(load("risk-20v15")).summary())

The public names are imported when first used, so that `import simulator` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from simulator.analysis.result import Result
from simulator.engine.model.lazy_names import homes_of

if TYPE_CHECKING:
    from simulator.analysis.campaigns.by_round import ByRound as ByRound
    from simulator.analysis.campaigns.by_round import by_round as by_round
    from simulator.analysis.campaigns.campaign import campaign as campaign
    from simulator.analysis.decisions.best import Best as Best
    from simulator.analysis.decisions.best import best as best
    from simulator.analysis.decisions.need import Need as Need
    from simulator.analysis.decisions.need import enough as enough
    from simulator.analysis.decisions.need import need as need
    from simulator.analysis.decisions.worth import Worth as Worth
    from simulator.analysis.decisions.worth import worth as worth
    from simulator.analysis.history.luck import Luck as Luck
    from simulator.analysis.history.luck import luck as luck
    from simulator.analysis.history.replay import Replay as Replay
    from simulator.analysis.history.replay import replay as replay
    from simulator.analysis.history.rounds import Rounds as Rounds
    from simulator.analysis.history.rounds import rounds as rounds
    from simulator.analysis.odds.answer import exact as exact
    from simulator.analysis.odds.answer import explain as explain
    from simulator.analysis.odds.answer import odds as odds
    from simulator.analysis.odds.answer import simulate as simulate
    from simulator.analysis.odds.mix import Mixture as Mixture
    from simulator.analysis.odds.mix import mix as mix
    from simulator.analysis.odds.odds import Odds as Odds
    from simulator.analysis.odds.run import Interrupted as Interrupted
    from simulator.analysis.odds.survival import Survival as Survival
    from simulator.analysis.odds.survival import survival as survival
    from simulator.analysis.odds.warm import warm as warm
    from simulator.analysis.plan.plan import Plan as Plan
    from simulator.analysis.plan.plan import plan as plan
    from simulator.analysis.studies.balance import Balance as Balance
    from simulator.analysis.studies.balance import balance as balance
    from simulator.analysis.studies.compare import Comparison as Comparison
    from simulator.analysis.studies.compare import compare as compare
    from simulator.analysis.studies.odds_many import odds_many as odds_many
    from simulator.analysis.studies.sensitivity import Sensitivity as Sensitivity
    from simulator.analysis.studies.sensitivity import sensitivity as sensitivity
    from simulator.analysis.studies.sobol import sobol as sobol
    from simulator.analysis.studies.sweep import sweep as sweep
    from simulator.analysis.studies.swept import Sweep as Sweep
    from simulator.analysis.studies.units import Units as Units
    from simulator.analysis.studies.units import units as units
    from simulator.engine.model.limits import NoExactOdds as NoExactOdds
    from simulator.rules.custom.triplea import import_triplea as import_triplea
    from simulator.scenarios import Scenario as Scenario
    from simulator.scenarios import ScenarioError as ScenarioError
    from simulator.scenarios import load as load
    from simulator.scenarios.constructors import Game as Game
    from simulator.scenarios.games import *  # noqa: F403 - a name for each game

__version__ = "0.1.0"

# Public names of the past, and what to write now.
_OLD = {
    "answer": "odds(scenario, method=...)",
    "long_run": "odds(scenario, battles=..., out=...)",
    "long_sweep": "sweep(scenario, vary, out=...)",
    "Method": 'odds(scenario, method="auto", "exact" or "simulate", battles=..., precision=...)',
    "scored": "odds(scenario): rare events are no question of their own any more",
}
_HOMES = homes_of(__file__)

# Names that are made from the registry of games, which takes a while to import.
_FROM_REGISTRY = ("GAMES", "__all__")


def _games() -> tuple[str, ...]:
    """The games whose battle kinds are functions that make scenarios: `risk.land(attacker=20, defender=15)`."""
    from simulator.rules import GAMES, custom

    own = (name for name, home in GAMES.items() if isinstance(home, str))
    return tuple(sorted(name.replace("-", "_") for name in (*own, *custom.names())))


def _draw(answer: Result, ax: Any, path: Any, **options: Any) -> Any:
    """Draw an answer (simulator/report/plots/pictures.py); the first picture imports matplotlib."""
    return import_module("simulator.report.plots.pictures").draw(answer, ax, path, **options)


Result._draw = staticmethod(_draw)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _OLD:  # an AttributeError would lose its text in `from simulator import answer`
        raise ImportError(f"simulator.{name} is gone; write {_OLD[name]}")
    elif name in _FROM_REGISTRY:
        games = _games()
        return games if name == "GAMES" else ["Result", *_HOMES, *games]
    elif not name.startswith("_") and name in _games():
        value = import_module("simulator.scenarios.constructors").Game(name.replace("_", "-"))
    else:
        raise AttributeError(f"module 'simulator' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(["__version__", "Result", *_HOMES, *_games()])
