"""Odds: the distinct outcomes of a battle with their chances, and every number computed from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulator.analysis.odds.distribution import LEVEL, Distribution, half_width_of_mean, wilson
from simulator.analysis.result import Result, frame, records
from simulator.rules.battle import WINNERS, Battle, Columns, Outcomes
from simulator.rules.toolkit.merging import merge
from simulator.rules.toolkit.query import ask
from simulator.scenarios.validation import not_one_of, shown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# A chance left undecided is shown if it is larger than the rounding of the chances themselves.
ROUNDING = 1e-15
# Lines of text, or a function that makes them.
Lines = Sequence[str] | Callable[[], Sequence[str]]
# The question whether a side wins, and the code of that winner.
WINNING = {f"winner == '{side}'": code for code, side in enumerate(WINNERS)}


def readable(columns: Columns) -> Columns:
    """Columns for users: `winner`, if there is one, first and in words."""
    winner = {"winner": np.array(WINNERS)[columns["winner"]]} if "winner" in columns else {}
    return winner | {name: values for name, values in columns.items() if name != "winner"}


class Chance(NamedTuple):
    """The chance of one way in which a battle can end: its words, the question it answers, the chance and bounds."""

    label: str
    question: str
    p: float
    low: float
    high: float


class Odds(Result):
    """Distinct outcomes of one battle with their chances; exact and simulated ones look alike.

    `method` is "exact" or "simulated"; `battles` and `seed` are None when exact; `limited` says why there are fewer
    battles than the usual precision needs, "" where there are enough; `residual` is the chance that exact
    enumeration left undecided (0 when simulated). `headline` are the columns a summary shows, `rules_version` that of
    the game's rules. `settings` and `assumptions` may be given as functions, which are called when they are first read.
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
        self._raw = outcomes
        self.battle = battle
        self.battles, self.seed, self.limited = battles, seed, ""
        self.method = "exact" if battles is None else "simulated"
        self.residual, self.explored = outcomes.residual, outcomes.explored
        self.rules_version = battle.version
        self._settings, self._assumptions = settings, assumptions
        self.scenario = scenario
        self._selected: dict[str, np.ndarray] = {}
        self._spreads: dict[str, Distribution] = {}

    def __getstate__(self) -> dict[str, Any]:
        """For pickle: lines that were to be asked for later are asked for now."""
        return vars(self) | {"_settings": self.settings, "_assumptions": self.assumptions}

    @cached_property
    def headline(self) -> tuple[str, ...]:
        """The columns that a summary shows."""
        return tuple(name for name in self.battle.headline if name in self._raw.columns)

    @cached_property
    def _merged(self) -> Outcomes:
        return merge(self._raw)

    @cached_property
    def settings(self) -> list[str]:
        """The fields that differ from their defaults."""
        return list(self._settings() if callable(self._settings) else self._settings)

    @cached_property
    def assumptions(self) -> list[str]:
        """The options, policies and assumed numbers that the answer rests on."""
        return list(self._assumptions() if callable(self._assumptions) else self._assumptions)

    @property
    def rests_on(self) -> list[str]:
        """The fields that differ from their defaults, then the assumptions that repeat none of them."""
        set_fields = {line.partition(" = ")[0] for line in self.settings}
        return [*self.settings, *(line for line in self.assumptions if line.partition(": ")[0] not in set_fields)]

    @property
    def columns(self) -> Columns:
        """The columns of the distinct outcomes; `winner` holds codes, see rules/battle.py."""
        return self._merged.columns

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._raw.columns)

    @cached_property
    def readable_columns(self) -> Columns:
        """The columns of the distinct outcomes for users: `winner`, if there is one, first and in words."""
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

    def rows(self) -> list[dict[str, Any]]:
        """The rows of `table` as plain values."""
        return records(self._table_columns())

    def _table_columns(self) -> Columns:
        columns = self.readable_columns | {"p": self.chances}
        return columns if self.counts is None else columns | {"count": self.counts}

    def kind_of(self, name: str) -> str:
        """The kind of a column: "number", "yes/no" or "text". Raises ValueError for an unknown one."""
        if name not in self._raw.columns:
            raise ValueError(f"no column {shown(name)}; columns: {', '.join(self.readable_columns)}")
        if name == "winner":
            return "text"
        return {"b": "yes/no", "i": "number", "u": "number", "f": "number"}.get(
            self._raw.columns[name].dtype.kind, "text"
        )

    def where(self, query: str) -> np.ndarray:
        """The outcomes that a question selects (bool array). Raises ValueError for a question that cannot be read."""
        return self._selects(query, self._merged, "readable_columns")

    def _where_raw(self, query: str) -> np.ndarray:
        """As `where`, but among the outcomes before merging."""
        if query not in self._selected:
            self._selected[query] = self._selects(query, self._raw, "_readable_raw")
        return self._selected[query]

    def _selects(self, query: str, outcomes: Outcomes, columns: str) -> np.ndarray:
        if query in WINNING and "winner" in outcomes.columns:
            return np.asarray(outcomes.columns["winner"] == WINNING[query])
        known = dict(self.battle.texts) | ({"winner": WINNERS} if "winner" in outcomes.columns else {})
        return ask(query, getattr(self, columns), len(outcomes.p), known)

    def numbers(self, name: str) -> np.ndarray:
        """The values of a number or yes/no column: int64, float64 or bool, shape (outcomes,).

        Raises ValueError for another column.
        """
        self._check_number(name)
        return self.columns[name]

    def _check_number(self, name: str) -> None:
        if self.kind_of(name) == "text":
            known = ", ".join(column for column in self._raw.columns if self.kind_of(column) != "text")
            raise ValueError(f"column {name!r} is text; number columns: {known}")

    def spread_of(self, name: str) -> Distribution:
        """The distribution of a number or yes/no column. Raises ValueError for another."""
        if name not in self._spreads:
            self._check_number(name)
            self._spreads[name] = Distribution.of_column(self._raw.columns[name], self._raw.p)
        return self._spreads[name]

    def p(self, query: str) -> float:
        """Chance of a question such as "winner == 'attacker'" or "attacker_losses >= 5" (see rules/toolkit/query.py).

        The name of a yes/no column alone is a question. Raises ValueError for a question that cannot be read.
        """
        return float(self._raw.p[self._where_raw(query)].sum())

    def winner(self, side: str) -> float:
        """Chance that `side` ("attacker", "defender" or "nobody") wins. Raises ValueError where nobody can win."""
        if side not in WINNERS:
            raise ValueError(f"winner: {not_one_of(side, WINNERS)}")
        if "winner" not in self._raw.columns:
            columns = ", ".join(self.readable_columns)
            raise ValueError(f"winner: {self.battle.game} {self.battle.kind} has no winner; columns: {columns}")
        return float(self._raw.p[self._raw.columns["winner"] == WINNERS.index(side)].sum())

    def mean(self, column: str) -> float:
        """Expected value of a column. Raises ValueError for an unknown one."""
        return self.spread_of(column).mean

    def std(self, column: str) -> float:
        """Standard deviation of a column. Raises ValueError for an unknown one."""
        return self.spread_of(column).std

    def quantile(self, column: str, q: float = 0.5) -> float:
        """Smallest value that the column does not exceed with a chance of at least `q`."""
        if not 0 <= q <= 1:
            raise ValueError(f"q: {q} is not allowed; give a number from 0 to 1")
        return self.spread_of(column).quantile(q)

    def interval(self, query: str, level: float = LEVEL) -> tuple[float, float]:
        """Wilson score interval of the chance of `query`, or of a column's mean (normal); no width when exact.

        `query` is as for `p`, or the name of a number column. Raises ValueError for one that is neither, and for a
        level that is not between 0 and 1.
        """
        if query in self._raw.columns and self.kind_of(query) == "number":
            mean = self.mean(query)
            half = half_width_of_mean(self.std(query), self.battles, level)
            return mean - half, mean + half
        return wilson(self.p(query), self.battles, level)

    def winner_interval(self, side: str, level: float = LEVEL) -> tuple[float, float]:
        """Interval of the chance that `side` wins, as `interval`."""
        self.winner(side)  # refuses a battle without a winner
        return self.interval(f"winner == '{side}'", level)

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
        chosen = [name for name in flags if name in self.headline] or flags
        return {name.replace("_", " "): name for name in chosen}

    def _answers(self, query: str) -> bool:
        """Does this battle have the columns of a question of its kind?"""
        try:
            self._where_raw(query)
        except ValueError:
            return False
        return True

    @cached_property
    def results(self) -> list[Chance]:
        """The results of the battle in the words of the game, with chances; empty for a kind that has only numbers."""
        return [
            Chance(label, query, self.p(query), *self.interval(query)) for label, query in self._questions().items()
        ]

    def _result_codes(self) -> dict[str, tuple[np.ndarray, Sequence[str]]]:
        """The result of each outcome as a column of codes, and their words; empty if several may hold at once."""
        if not self.battle.results:
            return {"winner": (self._raw.columns["winner"], WINNERS)} if "winner" in self._raw.columns else {}
        happened = np.array([self._where_raw(result.question) for result in self.results])
        if happened.size == 0 or happened.sum(axis=0).max() > 1:
            return {}
        words, codes = np.unique(["nothing of these", *(result.label for result in self.results)], return_inverse=True)
        return {"result": (codes[np.where(happened.any(axis=0), happened.argmax(axis=0) + 1, 0)], words.tolist())}

    @property
    def value(self) -> str:
        """The value that is computed when none is named: the chance of the first result, or a mean."""
        if not self.battle.results and "winner" in self._raw.columns:
            return "p_attacker"
        questions = list(self._questions().values())
        return questions[0] if questions else f"mean.{(self.headline or tuple(self._raw.columns))[0]}"

    def distribution(self, column: str) -> pd.DataFrame:
        """Chances of each value of a column: `value`, `p`, `at_least`, `at_most`; `low` and `high` when simulated."""
        return frame(self.distribution_columns(column))

    def distribution_columns(self, column: str) -> dict[str, np.ndarray]:
        """The columns of `distribution` as arrays of shape (values,).

        `value` has the dtype of the column (text for `winner`), the chances are float64.
        """
        self.kind_of(column)
        data = Distribution.of_column(self._readable_raw[column], self._raw.p).columns()
        if self.battles is not None:
            bounds = [wilson(chance, self.battles) for chance in data["p"]]
            data["low"], data["high"] = (np.array(side) for side in zip(*bounds, strict=True))
        return data

    def summary(self) -> pd.DataFrame:
        """Headline columns with mean, interval of the mean, standard deviation and the 5, 50 and 95 % quantiles."""
        return frame(self.summary_rows()).set_index("column")

    def summary_rows(self) -> list[dict[str, Any]]:
        """The rows of `summary` as plain values; text columns have no mean and are left out."""
        rows = []
        for name in self.headline or tuple(self._raw.columns):
            if self.kind_of(name) == "text":
                continue
            low, high = self.interval(name)
            row: dict[str, Any] = {"column": name, "mean": self.mean(name), "low": low, "high": high}
            row["std"] = self.std(name)
            row |= {f"q{round(100 * q):02d}": self.quantile(name, q) for q in (0.05, 0.5, 0.95)}
            rows.append(row)
        return rows

    def likely(self, most: int = 5, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """The most likely outcomes by winner or result and the headline columns, or the columns given."""
        names = list(columns or self.headline)
        for name in names:
            self.kind_of(name)
        coded = self._result_codes()
        known = {name: self._readable_raw[name] for name in names if name not in coded}
        seen = merge(Outcomes({name: codes for name, (codes, _) in coded.items()} | known, self._raw.p))
        order = np.argsort(-seen.p, kind="stable")[:most]
        best = {name: values[order] for name, values in seen.columns.items()} | {"p": seen.p[order]}
        return records(best | {name: np.array(words)[best[name]] for name, (_, words) in coded.items()})

    def to_dict(self, table: bool = True) -> dict[str, Any]:
        """Everything as plain values for JSON; `table=False` leaves out the outcomes."""
        from simulator import __version__

        asked = dict(zip(WINNERS, WINNING, strict=True)) if "winner" in self._raw.columns else {}
        asked |= {name: name for name in self._raw.columns if self.kind_of(name) == "yes/no"}
        bounds = {name: (self.p(query), *self.interval(query)) for name, query in asked.items()}
        chances = {name: dict(zip(("p", "low", "high"), one, strict=True)) for name, one in bounds.items()}
        return {
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
            "summary": self.summary_rows(),
            "settings": self.settings,
            "assumptions": self.assumptions,
            "scenario": self.scenario,
        } | ({"table": {name: values.tolist() for name, values in self._table_columns().items()}} if table else {})

    def plot(self, ax: Axes | None = None, *, path: Any = None, column: str | None = None) -> Axes:  # type: ignore[override]
        """The distribution of `column` (the first headline column by default), split by winner; see `Result.plot`."""
        return super().plot(ax, path=path, column=column)

    def how(self) -> str:
        """The method of the answer, in one line."""
        if self.battles is None:
            left = f", {self.residual:.1e} left undecided" if self.residual > ROUNDING else ""
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
