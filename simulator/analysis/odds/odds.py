"""Odds: the distinct outcomes of a battle with their chances, and every number computed from them."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulator.analysis.odds.distribution import LEVEL
from simulator.analysis.odds.headline import Headline, headline_of, in_braces
from simulator.analysis.odds.measured import Measured
from simulator.analysis.odds.outcome_columns import WINNING
from simulator.analysis.result import Result, frame, records
from simulator.rules.battle import WINNERS, Battle, Outcomes
from simulator.rules.toolkit.merging import merge
from simulator.scenarios.arguments import checked

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# A chance left undecided is shown if it is larger than the rounding of the chances themselves.
UNDECIDED = 1e-15
# Lines of text, or a function that makes them.
Lines = Sequence[str] | Callable[[], Sequence[str]]


class EndChance(NamedTuple):
    """The chance of one way in which a battle can end: its words, the question it answers, the chance and bounds."""

    label: str
    question: str
    p: float
    low: float
    high: float


def own_value(battle: Battle, columns: Container[str]) -> str:
    """The value of a battle kind that is computed when none is named, see `Odds.value`; `columns` of its outcomes."""
    sided = "winner" in columns and not battle.results
    return battle.question.measure if battle.question.number or not sided else "p_attacker"


class Odds(Measured, Result):
    """Distinct outcomes of one battle with their chances; exact and simulated ones look alike.

    `method` is "exact" or "simulated"; `battles` and `seed` are None when exact; `limited` says why there are fewer
    battles than the usual precision needs, "" where there are enough; `residual` is the chance that exact
    enumeration left undecided (0 when simulated). `summary_columns` are those a summary shows, `rules_version`
    that of the game's rules. `settings` and `assumptions` may be given as functions, which are called when they are
    first read.
    """

    def __init__(
        self,
        outcomes: Outcomes,
        *,
        battle: Battle,
        battles: int | None = None,
        seed: int | None = None,
        settings: Lines = (),
        assumptions: Lines = (),
        scenario: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(outcomes, battle, battles)
        self.seed, self.limited = seed, ""
        self.method = "exact" if battles is None else "simulated"
        self.residual, self.explored = outcomes.residual, outcomes.explored
        self.rules_version = battle.version
        self._settings, self._assumptions = settings, assumptions
        self.scenario = scenario
        self.question = battle.question.fitting(outcomes.columns)

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: lines that were to be asked for later are asked for now."""
        return vars(self) | {"_settings": self.settings, "_assumptions": self.assumptions}

    @cached_property
    def summary_columns(self) -> tuple[str, ...]:
        """The columns that a summary shows."""
        return tuple(name for name in self.battle.summary if name in self._raw.columns)

    @cached_property
    def settings(self) -> list[str]:
        """The fields that differ from their defaults."""
        return list(self._settings() if callable(self._settings) else self._settings)

    @cached_property
    def assumptions(self) -> list[str]:
        """The options, policies and assumed numbers that the answer rests on."""
        return list(self._assumptions() if callable(self._assumptions) else self._assumptions)

    @cached_property
    def rests_on(self) -> list[str]:
        """The fields that differ from their defaults, then the assumptions that repeat none of them."""
        set_fields = {line.partition(" = ")[0] for line in self.settings}
        return [*self.settings, *(line for line in self.assumptions if line.partition(": ")[0] not in set_fields)]

    def rows(self) -> list[dict[str, Any]]:
        """The rows of `table` as plain values."""
        return records(self._table_columns())

    def _questions(self) -> dict[str, str]:
        """The questions of all results of this battle by their labels, see Battle.results."""
        named = {label: query for label, query in self.battle.results.items() if self._answers(query)}
        if named:
            return named
        if "winner" in self._raw.columns:
            return dict(zip(WINNERS, WINNING, strict=True))
        for name, values in self._raw.columns.items():
            if self.kind_of(name) == "text":
                found = list(dict.fromkeys([*self.battle.texts.get(name, ()), *map(str, values)]))
                return {value: f"{name} == {value!r}" for value in found}
        flags = [name for name in self._raw.columns if self.kind_of(name) == "yes/no"]
        chosen = [name for name in flags if name in self.summary_columns] or flags
        return {name.replace("_", " "): name for name in chosen}

    def _answers(self, query: str) -> bool:
        """Does this battle have the columns of a question of its kind?"""
        try:
            self.where_unmerged(query)
        except ValueError:
            return False
        return True

    @cached_property
    def results(self) -> list[EndChance]:
        """The results of the battle in the words of the game, with chances; empty for a kind that has only numbers."""
        return [
            EndChance(label, query, self.p(query), *self.interval(query)) for label, query in self._questions().items()
        ]

    def _result_codes(self) -> dict[str, tuple[np.ndarray, Sequence[str]]]:
        """The result of each outcome as a column of codes, and their words; empty if several may hold at once."""
        if not self.battle.results:
            return {"winner": (self._raw.columns["winner"], WINNERS)} if "winner" in self._raw.columns else {}
        happened = np.array([self.where_unmerged(result.question) for result in self.results])
        if happened.size == 0 or happened.sum(axis=0).max() > 1:
            return {}
        words, codes = np.unique(["nothing of these", *(result.label for result in self.results)], return_inverse=True)
        return {"result": (codes[np.where(happened.any(axis=0), happened.argmax(axis=0) + 1, 0)], words.tolist())}

    @cached_property
    def in_braces(self) -> str:
        """The sentence of the battle kind with its values in braces: the headline and the chances that it names."""
        return in_braces(self)

    @cached_property
    def headline(self) -> Headline:  # type: ignore[override]
        """The question of the battle kind answered in one sentence, with the number that it is about."""
        return headline_of(self)

    def _shown_rows(self) -> list[dict[str, Any]]:
        return self.summary_rows()

    @property
    def value(self) -> str:
        """The value that is computed when none is named: the attacker's chance to win, else the kind's question."""
        return own_value(self.battle, self._raw.columns)

    def summary(self) -> pd.DataFrame:
        """The columns of a summary: mean, its interval, standard deviation and the 5, 50 and 95 % quantiles.

        Returns
        -------
        pandas.DataFrame
            One row a column, its name as the index; `mean`, `low`, `high`, `std`, `q05`, `q50`, `q95` (float64).

        Examples
        --------
        >>> round(float(odds("risk-20v15").summary().loc["rounds", "mean"]), 2)
        13.85
        """
        return frame(self.summary_rows()).set_index("column")

    def summary_rows(self) -> list[dict[str, Any]]:
        """The rows of `summary` as plain values; text columns have no mean and are left out."""
        rows = []
        for name in self.summary_columns or tuple(self._raw.columns):
            if self.kind_of(name) == "text":
                continue
            low, high = self.interval(name)
            row: dict[str, Any] = {"column": name, "mean": self.mean(name), "low": low, "high": high}
            row["std"] = self.std(name)
            row |= {f"q{round(100 * q):02d}": self.quantile(name, q) for q in (0.05, 0.5, 0.95)}
            rows.append(row)
        return rows

    def _units(self, column: str) -> dict[str, str]:
        """The unit of a column's numbers (`unit`) and the displayed unit (`shown`); empty where they are the same."""
        shown = self.battle.shown.get(column)
        return {"unit": shown.unit, "shown": shown.units} if shown and shown.unit else {}

    @checked
    def likely(self, most: int = 5, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """The most likely outcomes, the likeliest first.

        Parameters
        ----------
        most : int
            The number of outcomes.
        columns : sequence of str, optional
            The columns that make outcomes distinct, beside the winner or result; those of a summary by default.

        Returns
        -------
        list of dict
            One a row: the winner or result, the columns, and `p`.

        Raises
        ------
        ValueError
            For an unknown column.

        Examples
        --------
        >>> [(row["winner"], round(row["p"], 3)) for row in odds("risk-20v15").likely(1, ["attacker_regiments_left"])]
        [('defender', 0.14)]
        """
        names = list(columns or self.summary_columns)
        for name in names:
            self.kind_of(name)
        coded = self._result_codes()
        known = {name: self._readable_raw[name] for name in names if name not in coded}
        seen = merge(Outcomes({name: codes for name, (codes, _) in coded.items()} | known, self._raw.p))
        order = np.argsort(-seen.p, kind="stable")[:most]
        best = {name: values[order] for name, values in seen.columns.items()} | {"p": seen.p[order]}
        return records(best | {name: np.array(words)[best[name]] for name, (_, words) in coded.items()})

    @checked
    def to_dict(self, table: bool = True) -> dict[str, Any]:
        """Everything as plain values for JSON.

        Parameters
        ----------
        table : bool
            False leaves out the outcomes.

        Returns
        -------
        dict
            `headline`, `results` and `chances` with intervals, `summary`, `settings`, `assumptions`, `scenario`, how
            it was obtained, and `table`: a list of each column.

        Examples
        --------
        >>> odds("risk-20v15").to_dict(table=False)["method"]
        'exact'
        """
        from simulator import __version__

        asked = dict(zip(WINNERS, WINNING, strict=True)) if "winner" in self._raw.columns else {}
        asked |= {name: name for name in self._raw.columns if self.kind_of(name) == "yes/no"}
        bounds = {name: (self.p(query), *self.interval(query)) for name, query in asked.items()}
        chances = {name: dict(zip(("p", "low", "high"), one, strict=True)) for name, one in bounds.items()}
        return {
            "headline": asdict(self.headline),
            "game": self.battle.game,
            "battle": self.battle.kind,
            "rules_version": self.rules_version,
            "program": f"battle-odds {__version__}",
            "method": self.method,
            "how": self.how(),
            "battles": self.battles,
            "seed": self.seed,
            "residual": self.residual,
            "limited": self.limited,
            "level": LEVEL,
            "results": [result._asdict() for result in self.results],
            "chances": chances,
            "summary": [row | self._units(row["column"]) for row in self.summary_rows()],
            "settings": self.settings,
            "assumptions": self.assumptions,
            "scenario": self.scenario,
        } | ({"table": {name: values.tolist() for name, values in self._table_columns().items()}} if table else {})

    def plot(self, ax: Axes | None = None, *, path: Any = None, column: str | None = None) -> Axes:  # type: ignore[override]
        """Draw the distribution of a column, split by winner.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; by default those of a new figure.
        path : str or Path, optional
            A file (png, svg or pdf) for the whole figure.
        column : str, optional
            The column; by default the first column of a summary.

        Returns
        -------
        matplotlib.axes.Axes
            The axes drawn on.

        Raises
        ------
        ValueError
            For an unknown column, and for a path or `ax` that cannot be used.

        Examples
        --------
        >>> odds("risk-20v15").plot(column="rounds").get_xlabel()
        'rounds'
        """
        return super().plot(ax, path=path, column=column)

    def how(self) -> str:
        """The method of the answer, in one line."""
        if self.battles is None:
            left = f", {self.residual:.1e} left undecided" if self.residual > UNDECIDED else ""
            return f"exact ({self.explored:,} states{left})" if self.explored else "exact (no dice)"
        limited = f" ({self.limited})" if self.limited else ""
        return f"simulated: {self.battles:,} battles, seed {self.seed}, 95 % intervals{limited}"

    def versions(self) -> str:
        """The versions of the rules and of the program, in one line."""
        from simulator import __version__

        return f"{self.battle.game} {self.battle.kind} rules version {self.rules_version}, battle-odds {__version__}"

    def __repr__(self) -> str:
        text = ", ".join(f"{result.label} {result.p:.4f}" for result in self.results)
        if not text:
            text = ", ".join(f"{row['column']} {row['mean']:.4g}" for row in self.summary_rows()[:3])
        return f"Odds({text}; {self.how()})"
