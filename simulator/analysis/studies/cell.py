"""One cell of a grid: its settings, its answer, and the scenario that it asks about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from simulator.analysis.odds.measure import Measure
from simulator.scenarios import Draft, Scenario, ScenarioError, is_uncertain

NOTHING = Measure(float("nan"), float("nan"), float("nan"))


class Cell(NamedTuple):
    """One answer of a grid: the settings, what was asked with 95 % intervals, and how it was obtained.

    A cell that the rules refuse has no numbers (nan) and says why in `refused`; `note` tells what was left out.
    """

    settings: tuple[Any, ...]
    measures: tuple[Measure, ...]
    method: str
    battles: int | None = None
    refused: str | None = None
    note: str = ""

    @property
    def value(self) -> float:
        """The first of the values asked."""
        return self.measures[0].value

    @property
    def low(self) -> float:
        """Lower end of its 95 % interval."""
        return self.measures[0].low

    @property
    def high(self) -> float:
        """Upper end of its 95 % interval."""
        return self.measures[0].high


def changed(base: Draft, paths: Sequence[str], settings: Sequence[Any]) -> tuple[Scenario | Draft, str]:
    """The scenario with several fields set at once, checked together, and a note of what was left out for it.

    Where a policy is varied, a number that belongs to the policy before (`stop_below`) is left out where the new one
    has no use for it. Raises ScenarioError, with the rules' own words, for what they do not allow.
    """
    base = base.with_fields(dict(zip(paths, settings, strict=True)))
    if is_uncertain(base):
        from simulator.analysis.odds.mix import check_all

        check_all(base)
        return base, ""
    tables = {path.rpartition(".")[0] for path in paths if path.startswith("policy.")}
    left_out: list[str] = []
    first: ScenarioError | None = None
    while True:
        try:
            scenario = base.checked()
            break
        except ScenarioError as error:
            first = first or error
            path = str(error).partition(":")[0]
            fit = error.unused or path.rpartition(".")[0] in tables
            smaller = base.without(path) if fit and path not in paths else None
            if smaller is None:
                raise first from None
            base = smaller
            left_out.append(path)
    return scenario, f"{', '.join(left_out)} left out where the policy has no use for it" if left_out else ""
