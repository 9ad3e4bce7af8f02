"""Sobol indices: the share of the variance of a value that each field explains. docs/rules/decisions.md section 4."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from simulator.analysis.field_words import field_in_words, number_of_units
from simulator.analysis.odds.run import Progress
from simulator.analysis.result import Result
from simulator.analysis.studies.sweep import sweep
from simulator.analysis.studies.swept import Sweep
from simulator.analysis.words import meaning
from simulator.rules.toolkit.tolerances import ROUNDING
from simulator.rules.toolkit.words import percent
from simulator.scenarios import ScenarioError, Source
from simulator.scenarios.arguments import checked

if TYPE_CHECKING:
    import pandas as pd


@checked
def sobol(
    scenario: Source,
    vary: Mapping[str, Iterable[Any]],
    value: str | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Sobol indices of a value over a full grid of settings, see `Sweep.sobol`.

    Parameters
    ----------
    vary : mapping of str to iterable
        The settings of each field, equally likely.
    value : str, optional
        A value, see `sweep`.

    Returns
    -------
    pandas.DataFrame
        One row a field: `path` (str), `first`, `total` (float64).

    Raises
    ------
    ScenarioError
        For an invalid scenario.
    ValueError
        Where the rules refuse a combination.

    Examples
    --------
    >>> sobol("risk-20v15", {"attacker.regiments": range(18, 23), "defender.regiments": [14, 15, 16]}).path.tolist()
    ['attacker.regiments', 'defender.regiments']
    """
    return indices(scenario, vary, value, battles, seed, threads=threads, progress=progress).swept.sobol()


@dataclass(frozen=True, repr=False)
class Indices(Result):
    """The Sobol indices of the first value of a full grid (`swept`)."""

    swept: Sweep

    json_fields = ("value", "seed")

    @property
    def value(self) -> str:
        """The value whose variance is explained."""
        return self.swept.value

    @property
    def seed(self) -> int:
        """The seed of the simulated cells."""
        return self.swept.seed

    def rows(self) -> list[dict[str, Any]]:
        """One row a field: `path, first, total`."""
        return self.swept.sobol().to_dict("records")  # type: ignore[return-value]

    @property
    def headline(self) -> str:
        """The field that explains most."""
        most, base = max(self.rows(), key=itemgetter("total")), self.swept.base
        what = meaning(base.battle(), base.data, self.value)
        if most["total"] <= ROUNDING:
            fields = len(self.swept.paths)
            return f"None of these {fields} fields moves {what}." if fields > 1 else f"This field does not move {what}."
        setting = dict(zip(self.swept.paths, self.swept.values, strict=True))[most["path"]][0]
        field = number_of_units(base.battle(), base.data, most["path"])
        field = field or field_in_words(base.battle(), base.data, most["path"], setting)
        shares = f"{percent(most['first'])} of the variance alone, {percent(most['total'])} with its interactions"
        return f"Most of {what} is explained by {field}: {shares}."

    def how(self) -> str:
        """The value that the shares explain, and the method of the cells, in one line."""
        return f"shares of the variance of {self.value}; {self.swept.how()}"


def indices(
    scenario: Source,
    vary: Mapping[str, Iterable[Any]],
    value: str | None = None,
    battles: int | None = None,
    seed: int = 0,
    **more: Any,
) -> Indices:
    """The Sobol indices of a grid. Raises ValueError where the rules refuse a combination."""
    ranges = {path: tuple(values) for path, values in vary.items()}
    try:
        try:
            swept = sweep(scenario, ranges, value or "p_attacker", battles, seed, **more)
        except ValueError as error:
            if value is not None or "has no winner" not in str(error):
                raise
            swept = sweep(scenario, ranges, None, battles, seed, **more)
    except ScenarioError as error:
        raise ValueError(f"vary: every combination must be allowed; {error}") from None
    swept.sobol()  # refuses a grid that is not full
    return Indices(swept)
