"""What every worker has at hand before its first request: the process that workers are copied from imports this.

`BATTLE_ODDS_WARM=1` in the environment answers every shipped example there, so that all kernels are loaded.
"""

import os

from simulator.web import catalogue, dispatch  # noqa: F401

catalogue.games()

if os.environ.get("BATTLE_ODDS_WARM") == "1":
    from simulator.cli.warming import warm

    warm(lambda done, total: None)
