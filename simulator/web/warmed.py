"""What every worker has at hand before its first request: the process that workers are copied from imports this.

`BATTLE_ODDS_WARM=1` in the environment answers every shipped example there, so that all kernels are loaded.
"""

import os

from simulator.analysis.answer import simulate
from simulator.web import catalogue, dispatch
from simulator.web.messages import Asked, Limits

# Two small answers load what answers are made with.
SMALL = (("attacker.regiments", "3"), ("defender.regiments", "2"))
catalogue.games()
list(dispatch.replies(Asked("page", {"game": "risk", "battle": "land"}, SMALL), Limits(), lambda: False))
simulate("risk-20v15", 1000, threads=1)

if os.environ.get("BATTLE_ODDS_WARM") == "1":
    from simulator.cli.warming import warm

    warm(lambda done, total: None)
