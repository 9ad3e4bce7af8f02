"""One cell of a grid: its settings, its scenario and its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from simulator.analysis.odds.measure import Measure
from simulator.analysis.odds.mix import check_all
from simulator.scenarios import Draft, Scenario, ScenarioError, is_uncertain

NOTHING = Measure(float("nan"), float("nan"), float("nan"))


class Cell(NamedTuple):
    """One answer of a grid: the settings, the values with 95 % intervals, and how they were obtained.

    A cell that the rules refuse has no numbers (nan) and the reason in `refused`; `note` names fields left out.
    """

    settings: tuple[Any, ...]
    measures: tuple[Measure, ...]
    method: str
    battles: int | None = None
    refused: str | None = None
    note: str = ""

    @property
    def value(self) -> float:
        """The first value."""
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
    """The scenario with several fields set at once, checked together, and a note of the fields left out.

    When a policy is varied, a parameter of the former policy (`stop_below`) that the new one does not use is left out.
    Raises ScenarioError, in the words of the rules, for settings that they refuse.
    """
    base = base.with_fields(dict(zip(paths, settings, strict=True)))
    if is_uncertain(base):
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
