"""How much of something is enough."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.analysis.answer import Source, answer_cell, scenario_of
from simulator.analysis.measure import measure
from simulator.scenarios import ScenarioError


@dataclass(frozen=True)
class Enough:
    """The smallest setting of a field that reaches a value; `setting` is None if none up to `most` does."""

    path: str
    target: float
    setting: int | None
    value: float
    low: float
    high: float
    method: str
    most: int


def enough(
    scenario: Source,
    path: str,
    target: float = 0.8,
    value: str = "p_attacker",
    *,
    most: int = 100,
    seed: int = 0,
) -> Enough:
    """How much is enough: the smallest whole number for `path`, upwards from 1, that brings `value` to `target`.

    Settings that the rules refuse are passed over. Raises ValueError if none up to `most` is allowed.
    """
    asked = scenario_of(scenario)
    best: Enough | None = None
    refused: ScenarioError | None = None
    for setting in range(1, most + 1):
        try:
            odds = answer_cell(asked.replace(path, setting), None, seed)
        except ScenarioError as error:
            refused = error
            continue
        number, low, high = measure(odds, value)
        best = Enough(path, target, setting if number >= target else None, number, low, high, odds.method, setting)
        if number >= target:
            return best
    if best is None:
        raise refused or ValueError(f"{path}: no setting up to {most} is allowed")
    return best
