"""What every worker has at hand before its first request: the process that workers are copied from imports this.

`BATTLE_ODDS_WARM=1` in the environment answers every shipped example there, so that all kernels are loaded.
"""

import gc
import os
import signal

from simulator.analysis.odds.answer import simulate
from simulator.scenarios import example_names
from simulator.web import catalogue, dispatch, forms
from simulator.web.messages import Asked, Limits

# Two small answers load what answers are made with.
SERVER = os.getppid()
SMALL = (("attacker.regiments", "3"), ("defender.regiments", "2"))
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends this at once; the server says so
catalogue.games()
list(dispatch.replies(Asked("page", {"game": "risk", "battle": "land"}, SMALL), Limits(), lambda: False))
simulate("risk-20v15", 1000, threads=1)


def tell(done: int, total: int | None) -> None:
    """One line a game. Ends at once where the server is gone: nobody waits for these kernels any more."""
    if os.getppid() != SERVER:
        os._exit(1)
    names = example_names()
    games = [forms.example_data(name)["game"] for name in names]
    if done < len(games) and games[done] not in games[:done]:
        kinds = list(dict.fromkeys(games))
        print(f"warming {games[done]} ({1 + kinds.index(games[done])} of {len(kinds)} games)", flush=True)


if os.environ.get("BATTLE_ODDS_WARM") == "1":
    from simulator.cli.warming import warm

    warm(tell)

# All this stays: workers need not look through it for what could go, nor copy it for that.
gc.collect()
gc.freeze()
