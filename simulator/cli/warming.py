"""All kernels that the shipped examples need, compiled before anybody waits for them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

WARMING_BATTLES = 100


def warm(progress: Callable[[int, int | None], object]) -> None:
    """Answer every shipped example once, exactly and with dice, so that all kernels they need are compiled."""
    from simulator.analysis.odds.answer import answer
    from simulator.analysis.odds.run import CELL_BYTES, Method
    from simulator.engine.api import warm_up
    from simulator.engine.model.limits import NoExactOdds
    from simulator.scenarios import example_names, load

    names = example_names()
    for done, name in enumerate(names):
        progress(done, len(names))
        scenario = load(name)
        answer(scenario, Method(exact=False, battles=WARMING_BATTLES))
        with suppress(NoExactOdds):
            if scenario.built.chain is not None:
                warm_up(scenario.built.chain, CELL_BYTES)
            answer(scenario, Method(exact=True, budget=CELL_BYTES))
