"""battle-odds: exact and simulated odds for board wargames.

    from simulator import load, odds
    print(odds(load("risk-20v15")).summary())

The public names are imported when first used, so that `import simulator` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.answers import Odds
    from simulator.engine.limits import NoExactOdds
    from simulator.estimate import Replay, exact, odds, replay, simulate
    from simulator.grids import Sweep, sweep
    from simulator.scenarios import Scenario, ScenarioError, load

__version__ = "0.1.0"

_HOMES = {
    "load": "simulator.scenarios",
    "Scenario": "simulator.scenarios",
    "ScenarioError": "simulator.scenarios",
    "Odds": "simulator.answers",
    "odds": "simulator.estimate",
    "exact": "simulator.estimate",
    "simulate": "simulator.estimate",
    "replay": "simulator.estimate",
    "Replay": "simulator.estimate",
    "NoExactOdds": "simulator.engine.limits",
    "sweep": "simulator.grids",
    "Sweep": "simulator.grids",
}

__all__ = [
    "NoExactOdds",
    "Odds",
    "Replay",
    "Scenario",
    "ScenarioError",
    "Sweep",
    "exact",
    "load",
    "odds",
    "replay",
    "simulate",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'simulator' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
