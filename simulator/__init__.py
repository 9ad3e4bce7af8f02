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
    from simulator.analysis.odds.answer import answer as answer
    from simulator.analysis.odds.answer import exact as exact
    from simulator.analysis.odds.answer import explain as explain
    from simulator.analysis.odds.answer import odds as odds
    from simulator.analysis.odds.answer import simulate as simulate
    from simulator.analysis.odds.mix import Mixture as Mixture
    from simulator.analysis.odds.mix import mix as mix
    from simulator.analysis.odds.odds import Odds as Odds
    from simulator.analysis.odds.run import Interrupted as Interrupted
    from simulator.analysis.odds.run import Method as Method
    from simulator.analysis.odds.survival import Survival as Survival
    from simulator.analysis.odds.survival import survival as survival
    from simulator.analysis.odds.warming import warm as warm
    from simulator.analysis.plan.plan import Plan as Plan
    from simulator.analysis.plan.plan import plan as plan
    from simulator.analysis.storage.long_run import long_run as long_run
    from simulator.analysis.storage.long_sweep import long_sweep as long_sweep
    from simulator.analysis.studies.balance import Balance as Balance
    from simulator.analysis.studies.balance import balance as balance
    from simulator.analysis.studies.compare import Comparison as Comparison
    from simulator.analysis.studies.compare import compare as compare
    from simulator.analysis.studies.many import odds_many as odds_many
    from simulator.analysis.studies.rare_events import Scored as Scored
    from simulator.analysis.studies.rare_events import scored as scored
    from simulator.analysis.studies.sensitivity import Sensitivity as Sensitivity
    from simulator.analysis.studies.sensitivity import sensitivity as sensitivity
    from simulator.analysis.studies.sweep import Sweep as Sweep
    from simulator.analysis.studies.sweep import sweep as sweep
    from simulator.analysis.studies.units import Units as Units
    from simulator.analysis.studies.units import units as units
    from simulator.analysis.studies.variance import sobol as sobol
    from simulator.engine.model.limits import NoExactOdds as NoExactOdds
    from simulator.rules.custom.triplea import import_triplea as import_triplea
    from simulator.scenarios import Scenario as Scenario
    from simulator.scenarios import ScenarioError as ScenarioError
    from simulator.scenarios import load as load
    from simulator.scenarios.constructors import Game as Game
    from simulator.scenarios.games import axis_and_allies_1940 as axis_and_allies_1940
    from simulator.scenarios.games import axis_and_allies_1942 as axis_and_allies_1942
    from simulator.scenarios.games import axis_and_allies_revised as axis_and_allies_revised
    from simulator.scenarios.games import birthright as birthright
    from simulator.scenarios.games import eclipse_second_dawn as eclipse_second_dawn
    from simulator.scenarios.games import europa as europa
    from simulator.scenarios.games import kings_and_things as kings_and_things
    from simulator.scenarios.games import price_of_power as price_of_power
    from simulator.scenarios.games import risk as risk
    from simulator.scenarios.games import skirmish as skirmish
    from simulator.scenarios.games import twilight_imperium_4 as twilight_imperium_4

__version__ = "0.1.0"

# The public names of each module.
_NAMES = {
    "simulator.analysis.campaigns.by_round": "ByRound by_round",
    "simulator.analysis.campaigns.campaign": "campaign",
    "simulator.analysis.decisions.best": "Best best",
    "simulator.analysis.decisions.need": "Need enough need",
    "simulator.analysis.decisions.worth": "Worth worth",
    "simulator.analysis.history.luck": "Luck luck",
    "simulator.analysis.history.replay": "Replay replay",
    "simulator.analysis.history.rounds": "Rounds rounds",
    "simulator.analysis.odds.answer": "answer exact explain odds simulate",
    "simulator.analysis.odds.mix": "Mixture mix",
    "simulator.analysis.odds.odds": "Odds",
    "simulator.analysis.odds.run": "Interrupted Method",
    "simulator.analysis.odds.survival": "Survival survival",
    "simulator.analysis.odds.warming": "warm",
    "simulator.analysis.plan.plan": "Plan plan",
    "simulator.analysis.storage.long_run": "long_run",
    "simulator.analysis.storage.long_sweep": "long_sweep",
    "simulator.analysis.studies.balance": "Balance balance",
    "simulator.analysis.studies.compare": "Comparison compare",
    "simulator.analysis.studies.many": "odds_many",
    "simulator.analysis.studies.rare_events": "Scored scored",
    "simulator.analysis.studies.sensitivity": "Sensitivity sensitivity",
    "simulator.analysis.studies.sweep": "Sweep sweep",
    "simulator.analysis.studies.units": "Units units",
    "simulator.analysis.studies.variance": "sobol",
    "simulator.engine.model.limits": "NoExactOdds",
    "simulator.rules.custom.triplea": "import_triplea",
    "simulator.scenarios": "Scenario ScenarioError load",
    "simulator.scenarios.constructors": "Game",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

# The games whose battle kinds are functions that make scenarios: `risk.land(attacker=20, defender=15)`.
GAMES = (
    *("axis_and_allies_1940", "axis_and_allies_1942", "axis_and_allies_revised", "birthright", "eclipse_second_dawn"),
    *("europa", "kings_and_things", "price_of_power", "risk", "skirmish", "twilight_imperium_4"),
)

__all__ = ["Result", *_HOMES, *GAMES]  # noqa: PLE0604 - the names are texts


def _draw(answer: Result, ax: Any, path: Any, **options: Any) -> Any:
    """Draw an answer (simulator/report/plots/pictures.py); the first picture imports matplotlib."""
    return import_module("simulator.report.plots.pictures").draw(answer, ax, path, **options)


Result._draw = staticmethod(_draw)


def __getattr__(name: str) -> Any:
    if name in GAMES:
        value = import_module("simulator.scenarios.constructors").Game(name.replace("_", "-"))
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'simulator' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(["__version__", *__all__])
