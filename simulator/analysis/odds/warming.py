"""Kernels compiled before anybody waits for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from simulator.analysis.odds.answer import answer
from simulator.analysis.odds.run import CELL_BYTES, Method, Progress
from simulator.engine.model.limits import NoExactOdds
from simulator.scenarios import Draft, Scenario, Source, draft, example_names, load
from simulator.scenarios.arguments import checked

WARMING_BATTLES = 100


@checked
def warm(scenarios: Source | Iterable[Source] | None = None, *, progress: Progress | None = None) -> None:
    """Compile the kernels of scenarios, so that the first question to them is answered at once.

    Kernels are kept on disk: this is needed once after an installation or an update.

    Parameters
    ----------
    scenarios : scenario or iterable of scenarios, optional
        Each is answered once, exactly and with dice, and decided once; all shipped examples by default (some minutes).
    progress : callable, optional
        Called with the number of scenarios done and their total.

    Returns
    -------
    None

    Raises
    ------
    ScenarioError
        For an invalid scenario.

    Examples
    --------
    >>> warm("risk-20v15")
    """
    from simulator.analysis.decisions.decidable import deciding, may_be_best
    from simulator.engine.api import warm_up

    asked: Iterable[Source] = example_names()
    if scenarios is not None:
        single = isinstance(scenarios, Scenario | Draft | str | Path | Mapping)
        asked = [scenarios] if single else scenarios  # type: ignore[assignment, list-item]
    loaded = [load(source) for source in asked]
    for done, scenario in enumerate(loaded):
        if progress:
            progress(done, len(loaded))
        answer(scenario, Method(exact=False, battles=WARMING_BATTLES))
        with suppress(NoExactOdds):
            if scenario.built.chain is not None:
                warm_up(scenario.built.chain, CELL_BYTES)
            answer(scenario, Method(exact=True, budget=CELL_BYTES))
        for path in may_be_best(scenario):
            decided = deciding(draft(scenario), path).checked().built.chain
            with suppress(NoExactOdds):
                if decided is not None:
                    warm_up(decided, CELL_BYTES)
