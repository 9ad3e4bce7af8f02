"""Rare events, and values of battles too large for exact odds (docs/rules/decisions.md section 10).

scored({"game": "risk", "battle": "land", "attacker": {"regiments": 2000}, "defender": {"regiments": 1800}}).value
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simulator.analysis.odds.distribution import LEVEL, half_width_of_mean
from simulator.analysis.odds.measure import is_chance, weighed
from simulator.analysis.odds.outcome_columns import readable
from simulator.analysis.odds.run import Interrupted, Progress, check_numbers
from simulator.analysis.odds.stages import counting_chain
from simulator.analysis.result import Result
from simulator.engine.model.chain import Chain
from simulator.engine.model.limits import EXACT_BYTES, QUICK_BYTES, NoExactOdds
from simulator.scenarios import Scenario, ScenarioError, Source, load
from simulator.scenarios.arguments import checked

BATTLES = 100_000
# Battles simulated at once: between some hundredths and a few tenths of a second.
PORTION = 1 << 12
FEW = 100
WARNING = "few battles carry this estimate; do not trust the interval"


@dataclass(frozen=True, repr=False)
class Scored(Result):
    """An estimate with a 95 % interval, from battles simulated until they enter a region of solved states.

    `states` were solved; `entered` is the share of battles scored there, `effective` = (sum x)^2 / sum x^2 over the
    scores: how many battles carry the estimate. `gain` is the variance of plain simulation over this one's (None where
    either is 0, or for a mean).
    """

    asked: str
    value: float
    low: float
    high: float
    battles: int
    seed: int
    states: int
    entered: float
    effective: float
    gain: float | None = None
    scenario: Scenario | None = field(default=None, compare=False)

    @property
    def warning(self) -> str:
        """A warning about the interval, "" for none."""
        return WARNING if self.effective < FEW else ""

    def how(self) -> str:
        """The method of the estimate, in one line."""
        text = f"scored: {self.battles:,} battles, seed {self.seed}, {100 * self.entered:.1f} % of them scored in"
        text += f" {self.states:,} solved states, 95 % interval"
        if self.gain is not None:
            text += f"; {self.gain:.3g} times less variance than plain simulation"
        return f"{text}; {self.warning}" if self.warning else text

    def rows(self) -> list[dict[str, Any]]:
        """The one row: `value, estimate, low, high, battles, seed, states, entered, effective`."""
        names = ("low", "high", "battles", "seed", "states", "entered", "effective")
        return [{"value": self.asked, "estimate": self.value} | {name: getattr(self, name) for name in names}]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        more = {"level": LEVEL, "gain": self.gain, "warning": self.warning, "how": self.how()}
        rests = (self.scenario.settings(), self.scenario.assumptions()) if self.scenario else ([], [])
        return self.rows()[0] | more | {"settings": rests[0], "assumptions": rests[1]}


@checked
def scored(
    scenario: Source,
    value: str = "p_attacker",
    battles: int = BATTLES,
    seed: int = 0,
    *,
    budget: int = EXACT_BYTES,
    progress: Progress | None = None,
) -> Scored:
    """A value of a large battle: battles are simulated until their rest is small enough to be solved, and scored there.

    Parameters
    ----------
    scenario : Scenario, mapping, str or Path
        A scenario, or one as `load` takes it.
    value : str
        A chance, a question, or `mean.COLUMN`.
    battles : int
        The number of battles.
    seed : int
        The seed of all simulated battles, from 0 to 2^64 - 1: the same seed, the same numbers.
    budget : int
        Bytes: battles whose states fit are refused (use `exact`), and the solved region takes a part of it.
    progress : callable, optional
        Called several times a second with the battles done and their total (None while it is unknown).

    Returns
    -------
    Scored
        The estimate with a 95 % interval, and how many battles carry it.

    Raises
    ------
    ScenarioError
        For a battle that is small enough for exact odds, or cannot be scored.
    ValueError
        For an unknown value.
    Interrupted
        After Ctrl-C, with the estimate so far.

    Examples
    --------
    >>> large = risk.land(attacker=2000, defender=1990)
    >>> 0.99 < scored(large, battles=500, budget=1 << 20).value <= 1
    True
    """
    from simulator.engine.api import has_left_rule, largest, region

    check_numbers(battles, seed, None, budget)
    asked = load(scenario)
    own = f"{asked.battle.game} {asked.battle.kind}"
    if asked.built.chain is None or not has_left_rule(asked.chain):
        raise ScenarioError(f"battle: {own} cannot be scored; use simulate")
    _refuse_small(asked, budget)
    chain = counting_chain(asked.chain, lambda states: _scores(asked, states, value))
    room = min(budget, QUICK_BYTES)
    least = largest(chain, seed, room)
    entries, count, cut = _entries(chain, least, seed, battles, progress)
    while True:
        try:
            graph = region(chain, entries, room)
            break
        except NoExactOdds:
            least -= max(1, least // 8)
            entries, count, cut = _entries(chain, least, seed, battles, progress)
    found = _scored(asked, chain, value, entries, count, graph, seed)
    if cut:
        raise Interrupted(found)
    return found


def _refuse_small(asked: Scenario, budget: int) -> None:
    from simulator.engine.api import exact_outcomes, fits_on_grid, graph_of, too_wide

    chain = asked.chain
    try:
        if fits_on_grid(chain):
            exact_outcomes(chain, budget)
        elif not too_wide(chain):
            graph_of(chain, budget)
        else:
            return
    except NoExactOdds:
        return
    raise ScenarioError("battle: this battle is small enough for exact odds")


def _scores(asked: Scenario, states: Any, value: str) -> np.ndarray:
    """The number of each final state whose mean is `value`. Raises ValueError for a value that is no mean."""
    assert asked.built.outcome is not None
    columns = readable(asked.built.outcome(states))
    found = weighed(asked.battle, columns, len(next(iter(states))), value)
    if found is None:
        raise ValueError(f"value: {value} is no chance and no mean of a number column; scored answers one of these")
    return found


def _entries(
    chain: Chain, least: int, seed: int, battles: int, progress: Progress | None
) -> tuple[np.ndarray, np.ndarray, bool]:
    """The states where battles enter the region or end, their counts, and whether Ctrl-C interrupted."""
    from simulator.engine.api import enter

    parts: list[tuple[np.ndarray, np.ndarray]] = []
    cut = False
    try:
        for first in range(0, battles, PORTION):
            if progress:
                progress(first, battles)
            parts.append(enter(chain, least, seed, first, min(PORTION, battles - first)))
    except KeyboardInterrupt:
        if not parts:
            raise
        cut = True
    rows, counts = (np.concatenate(one) for one in zip(*parts, strict=True))
    if chain.counted >= 0:
        rows[:, chain.counted] = 0
    distinct, which = np.unique(rows, axis=0, return_inverse=True)
    return distinct, np.bincount(which.ravel(), counts).astype(np.int64), cut


def _scored(
    asked: Scenario, chain: Chain, value: str, entries: np.ndarray, count: np.ndarray, graph: Any, seed: int
) -> Scored:
    from simulator.engine.api import Solver

    worth = np.zeros(len(graph))
    worth[graph.final] = _scores(asked, graph.states(graph.final), value)
    score = Solver(graph, counted=False).values(worth)[graph.starts]
    n = int(count.sum())
    mean = float(count @ score) / n
    variance = float(count @ (score - mean) ** 2) / n
    half = half_width_of_mean(math.sqrt(variance), n)
    low, high = mean - half, mean + half
    if is_chance(value):
        low, high = max(0.0, low), min(1.0, high)
    squares = float(count @ score**2)
    plain = mean * (1 - mean) if is_chance(value) else 0.0
    return Scored(
        asked=value,
        value=mean,
        low=low,
        high=high,
        battles=n,
        seed=seed,
        states=len(graph),
        entered=float(count[~graph.final[graph.starts]].sum()) / n,
        effective=float(count @ score) ** 2 / squares if squares else 0.0,
        gain=plain / variance if plain > 0 and variance > 0 else None,
        scenario=asked,
    )
