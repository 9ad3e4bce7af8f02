"""The distinct outcomes of a battle as columns, and the columns that a question selects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.odds.distribution import Distribution
from simulator.analysis.result import frame
from simulator.rules.battle import WINNERS, Battle, Columns, Outcomes
from simulator.rules.toolkit.merging import merge
from simulator.rules.toolkit.query import ask
from simulator.scenarios.arguments import checked
from simulator.scenarios.validation import shown

if TYPE_CHECKING:
    import pandas as pd

# A question in words; a bool for each row of the table; or a function of the table that gives these.
Question = str | Sequence[bool] | np.ndarray | Callable[[Any], Any]
# The question whether a side wins, and the code of that winner.
WINNING = {f"winner == '{side}'": code for code, side in enumerate(WINNERS)}
# The kinds of columns by the letter of their dtype; all others are text.
KINDS = {"b": "yes/no", "i": "number", "u": "number", "f": "number"}


def readable(columns: Columns) -> Columns:
    """Columns for users: `winner`, if there is one, first and in words."""
    winner = {"winner": np.array(WINNERS)[columns["winner"]]} if "winner" in columns else {}
    return winner | {name: values for name, values in columns.items() if name != "winner"}


class OutcomeColumns:
    """Distinct outcomes with their chances, as columns; `battles` is None when exact."""

    def __init__(self, outcomes: Outcomes, battle: Battle, battles: int | None) -> None:
        self._raw = outcomes
        self.battle, self.battles = battle, battles
        self._selected: dict[str, np.ndarray] = {}
        self._chances: dict[str, float] = {}
        self._spreads: dict[str, Distribution] = {}

    @cached_property
    def _merged(self) -> Outcomes:
        return merge(self._raw)

    @property
    def unmerged(self) -> Outcomes:
        """The outcomes before equal ones are merged: enough for chances and means, and available at once."""
        return self._raw

    @property
    def columns(self) -> Columns:
        """The columns of the distinct outcomes by name, each of shape (outcomes,).

        Numbers are int64 or float64, yes/no columns bool, text is str; `winner` holds codes, see rules/battle.py.
        """
        return self._merged.columns

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._raw.columns)

    @cached_property
    def readable_columns(self) -> Columns:
        """As `columns`, with `winner`, if there is one, first and in words (str)."""
        return readable(self.columns)

    @cached_property
    def _readable_raw(self) -> Columns:
        """As `readable_columns`, but before merging: enough for chances and means, and available at once."""
        return readable(self._raw.columns)

    @property
    def chances(self) -> np.ndarray:
        """The chance of each distinct outcome: float64, shape (outcomes,)."""
        return self._merged.p

    @property
    def counts(self) -> np.ndarray | None:
        """The number of battles of each distinct outcome: int64, shape (outcomes,); None when exact."""
        return self._merged.count

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row a distinct outcome: `winner`, the game's columns, `p`, and `count` when simulated."""
        return frame(self._table_columns())

    def _table_columns(self) -> Columns:
        columns = self.readable_columns | {"p": self.chances}
        return columns if self.counts is None else columns | {"count": self.counts}

    @checked
    def kind_of(self, name: str) -> str:
        """The kind of a column.

        Parameters
        ----------
        name : str
            The name of a column.

        Returns
        -------
        str
            "number", "yes/no" or "text".

        Raises
        ------
        ValueError
            For an unknown column.

        Examples
        --------
        >>> odds("risk-20v15").kind_of("rounds")
        'number'
        """
        if name not in self.kinds:
            raise ValueError(f"no column {shown(name)}; columns: {', '.join(self.readable_columns)}")
        return self.kinds[name]

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The kind of each column, as `kind_of` gives it."""
        kinds = {name: KINDS.get(values.dtype.kind, "text") for name, values in self._raw.columns.items()}
        return kinds | {name: "text" for name in kinds if name == "winner"}

    def where(self, query: Question) -> np.ndarray:
        """The outcomes that a question selects.

        Parameters
        ----------
        query : str, bools or callable
            A question, see `p`.

        Returns
        -------
        numpy.ndarray
            bool, shape (outcomes,): true where the answer is yes.

        Raises
        ------
        ValueError
            For a question that cannot be read, and a mask of another shape.

        Examples
        --------
        >>> found = odds("risk-20v15")
        >>> float(found.chances[found.where("rounds > 15")].sum()) == found.p("rounds > 15")
        True
        """
        if isinstance(query, str):
            return self._selects(query, self._merged, "readable_columns")
        mask = np.asarray(query(self.table) if callable(query) else query)
        if mask.dtype != bool or mask.shape != self.chances.shape:
            given = "a function" if callable(query) else shown(query)
            rows = f"one for each of the {len(self.chances):,} rows of the table"
            raise ValueError(f"query: {given} is not allowed; give a question, or bools, {rows}")
        return mask

    def where_unmerged(self, query: str) -> np.ndarray:
        """The outcomes before merging that a question in words selects; each question is looked at once.

        Parameters
        ----------
        query : str
            A question, see `p`.

        Returns
        -------
        numpy.ndarray
            bool, shape (outcomes before merging,): true where the answer is yes.

        Examples
        --------
        >>> found = odds("risk-20v15")
        >>> len(found.where_unmerged("rounds > 15")) >= len(found.where("rounds > 15"))
        True
        """
        if query not in self._selected:
            self._selected[query] = self._selects(query, self._raw, "_readable_raw")
        return self._selected[query]

    def _selects(self, query: str, outcomes: Outcomes, columns: str) -> np.ndarray:
        if query in WINNING and "winner" in outcomes.columns:
            return np.asarray(outcomes.columns["winner"] == WINNING[query])
        # A yes/no column, or the contrary of one, as sentences ask for it: reading the question takes 80 us.
        column = query.removeprefix("not (").removesuffix(")")
        if (
            query in {column, f"not ({column})"}
            and column in outcomes.columns
            and outcomes.columns[column].dtype == bool
        ):
            return np.asarray(outcomes.columns[column] if query == column else ~outcomes.columns[column])
        known = dict(self.battle.texts) | ({"winner": WINNERS} if "winner" in outcomes.columns else {})
        return ask(query, getattr(self, columns), len(outcomes.p), known)

    @checked
    def numbers(self, name: str) -> np.ndarray:
        """The values of a number or yes/no column.

        Parameters
        ----------
        name : str
            The name of the column.

        Returns
        -------
        numpy.ndarray
            int64, float64 or bool, shape (outcomes,), in the order of `chances`.

        Raises
        ------
        ValueError
            For an unknown column, and for a column of text.

        Examples
        --------
        >>> int(odds("risk-20v15").numbers("rounds").max())
        27
        """
        self._check_number(name)
        return self.columns[name]

    def _check_number(self, name: str) -> None:
        if self.kind_of(name) == "text":
            known = ", ".join(column for column in self._raw.columns if self.kind_of(column) != "text")
            raise ValueError(f"column {name!r} is text; number columns: {known}")

    @checked
    def spread_of(self, name: str) -> Distribution:
        """The distribution of a number or yes/no column.

        Parameters
        ----------
        name : str
            The name of the column.

        Returns
        -------
        Distribution
            `values` in ascending order and their chances `p` (float64), both of shape (values,).

        Raises
        ------
        ValueError
            For an unknown column, and for a column of text.

        Examples
        --------
        >>> odds("risk-20v15").spread_of("territories_captured").values.tolist()
        [0, 1]
        """
        if name not in self._spreads:
            self._check_number(name)
            self._spreads[name] = Distribution.of_column(self._raw.columns[name], self._raw.p)
        return self._spreads[name]
