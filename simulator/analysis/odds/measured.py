"""Questions to the outcomes of a battle and their chances: chances, means, quantiles, intervals, distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.odds.distribution import LEVEL, Distribution, half_width_of_mean, wilson
from simulator.analysis.odds.outcome_columns import OutcomeColumns, Question
from simulator.analysis.result import frame
from simulator.rules.battle import WINNERS
from simulator.scenarios.arguments import checked
from simulator.scenarios.validation import not_one_of

if TYPE_CHECKING:
    import pandas as pd


class Measured(OutcomeColumns):
    """The numbers computed from distinct outcomes and their chances."""

    def p(self, query: Question) -> float:
        """The chance of a question.

        Parameters
        ----------
        query : str, bools or callable
            A question such as "winner == 'attacker'" or "attacker_regiments_lost >= 5 and rounds < 9"; the name of a
            yes/no column alone is a question. Or a mask: a bool for each row of `table`. Or a function that gets
            `table` and returns such a mask.

        Returns
        -------
        float
            The chance, from 0 to 1.

        Raises
        ------
        ValueError
            For a question that cannot be read, and a mask of another shape.

        Examples
        --------
        >>> found = odds("risk-20v15")
        >>> round(found.p("winner == 'attacker' and attacker_regiments_left >= 10"), 4)
        0.3881
        >>> round(found.p(lambda table: table.attacker_regiments_left >= 10), 4)
        0.3881
        """
        if isinstance(query, str):
            if query not in self._chances:  # an answer in words asks each question several times
                # As `p[where]`, in a third of the time for 28,000 outcomes.
                self._chances[query] = float(self._raw.p.take(self.where_unmerged(query).nonzero()[0]).sum())
            return self._chances[query]
        return float(self.chances[self.where(query)].sum())

    @checked
    def winner(self, side: str) -> float:
        """The chance that a side wins.

        Parameters
        ----------
        side : str
            "attacker", "defender" or "nobody".

        Returns
        -------
        float
            The chance, from 0 to 1.

        Raises
        ------
        ValueError
            For another name, and for a kind of battle that has no winner.

        Examples
        --------
        >>> round(odds("risk-20v15").winner("attacker"), 4)
        0.8604
        """
        if side not in WINNERS:
            raise ValueError(f"winner: {not_one_of(side, WINNERS)}")
        if "winner" not in self._raw.columns:
            columns = ", ".join(self.readable_columns)
            raise ValueError(f"winner: {self.battle.game} {self.battle.kind} has no winner; columns: {columns}")
        return self.p(f"winner == '{side}'")

    @checked
    def mean(self, column: str) -> float:
        """The expected value of a column.

        Parameters
        ----------
        column : str
            The name of a number or yes/no column.

        Returns
        -------
        float
            The mean, in the unit of the column.

        Raises
        ------
        ValueError
            For an unknown column, and for a column of text.

        Examples
        --------
        >>> round(odds("risk-20v15").mean("attacker_regiments_lost"), 2)
        12.27
        """
        return self.spread_of(column).mean

    @checked
    def std(self, column: str) -> float:
        """The standard deviation of a column.

        Parameters
        ----------
        column : str
            The name of a number or yes/no column.

        Returns
        -------
        float
            The standard deviation, in the unit of the column.

        Raises
        ------
        ValueError
            For an unknown column, and for a column of text.

        Examples
        --------
        >>> round(odds("risk-20v15").std("attacker_regiments_lost"), 2)
        4.84
        """
        return self.spread_of(column).std

    @checked
    def quantile(self, column: str, q: float = 0.5) -> float:
        """The smallest value that a column does not exceed with a chance of at least `q`.

        Parameters
        ----------
        column : str
            The name of a number or yes/no column.
        q : float
            A chance from 0 to 1; 0.5 gives the median.

        Returns
        -------
        float
            The quantile, in the unit of the column.

        Raises
        ------
        ValueError
            For an unknown column, a column of text, and a `q` out of range.

        Examples
        --------
        >>> odds("risk-20v15").quantile("attacker_regiments_lost", 0.95)
        20.0
        """
        if not 0 <= q <= 1:
            raise ValueError(f"q: {q} is not allowed; give a number from 0 to 1")
        return self.spread_of(column).quantile(q)

    @checked
    def interval(self, query: Question, level: float = LEVEL) -> tuple[float, float]:
        """The confidence interval of a chance, or of the mean of a column; it has no width when exact.

        Parameters
        ----------
        query : str, bools or callable
            A question as for `p` (Wilson score interval), or the name of a number column (normal interval).
        level : float
            The confidence, above 0 and below 1.

        Returns
        -------
        tuple of float
            The lower and the upper end.

        Raises
        ------
        ValueError
            For a query that is neither, and for a level out of range.

        Examples
        --------
        >>> low, high = simulate("risk-20v15", 10_000).interval("winner == 'attacker'")
        >>> low < 0.8604 < high
        True
        """
        if isinstance(query, str) and query in self._raw.columns and self.kind_of(query) == "number":
            mean = self.mean(query)
            half = half_width_of_mean(self.std(query), self.battles, level)
            return mean - half, mean + half
        return wilson(self.p(query), self.battles, level)

    def winner_interval(self, side: str, level: float = LEVEL) -> tuple[float, float]:
        """The confidence interval of the chance that a side wins.

        Parameters
        ----------
        side : str
            "attacker", "defender" or "nobody".
        level : float
            The confidence, above 0 and below 1.

        Returns
        -------
        tuple of float
            The lower and the upper end; equal when exact.

        Raises
        ------
        ValueError
            As `winner` and `interval`.

        Examples
        --------
        >>> low, high = odds("risk-20v15").winner_interval("attacker")
        >>> low == high
        True
        """
        self.winner(side)  # refuses a battle without a winner
        return self.interval(f"winner == '{side}'", level)

    @checked
    def distribution(self, column: str) -> pd.DataFrame:
        """The chance of each value of a column.

        Parameters
        ----------
        column : str
            The name of a column of any kind.

        Returns
        -------
        pandas.DataFrame
            One row a value: `value` in the dtype of the column; `p`, for numbers `at_least` and `at_most`, when
            simulated `low` and `high` (float64).

        Raises
        ------
        ValueError
            For an unknown column.

        Examples
        --------
        >>> odds("risk-20v15").distribution("winner").columns.tolist()
        ['value', 'p']
        """
        return frame(self.distribution_columns(column))

    def distribution_columns(self, column: str) -> dict[str, np.ndarray]:
        """The columns of `distribution` as arrays, without pandas.

        Parameters
        ----------
        column : str
            The name of a column of any kind.

        Returns
        -------
        dict of str to numpy.ndarray
            Arrays of shape (values,), see `distribution`.

        Raises
        ------
        ValueError
            For an unknown column.

        Examples
        --------
        >>> [round(one, 4) for one in odds("risk-20v15").distribution_columns("winner")["p"].tolist()]
        [0.8604, 0.1396]
        """
        self.kind_of(column)
        data = Distribution.of_column(self._readable_raw[column], self._raw.p).columns()
        if self.battles is not None:
            bounds = [wilson(chance, self.battles) for chance in data["p"]]
            data["low"], data["high"] = (np.array(side) for side in zip(*bounds, strict=True))
        return data
