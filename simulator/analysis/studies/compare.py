"""Comparisons of scenarios and their differences. docs/rules/decisions.md section 3.

compare({"two dice": two, "three dice": three}).table     # value, scenario, estimate, difference, low, high, ...
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.odds.headline import HEADLINES, meant
from simulator.analysis.odds.measure import in_percent, is_chance, measure
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.odds import Odds, own_value
from simulator.analysis.odds.run import CELL_BYTES, Progress, reported, until_interrupted
from simulator.analysis.odds.stages import Shared
from simulator.analysis.plan.answer import lacking, studied
from simulator.analysis.result import Result, frame
from simulator.analysis.studies.noticeable import battles_to_notice
from simulator.analysis.studies.paired import Difference, PairedAnswer, answered, battles_for, difference
from simulator.analysis.words import (
    amount_in_words,
    capital,
    difference_in_words,
    meaning,
    points,
    value_in_words,
    value_of,
)
from simulator.rules import CAMPAIGN
from simulator.rules.battle import Battle
from simulator.rules.toolkit.tolerances import ROUNDING
from simulator.rules.toolkit.words import percent
from simulator.scenarios import Draft, Scenario, ScenarioError, Source, is_uncertain
from simulator.scenarios.arguments import checked
from simulator.scenarios.validation import brief

if TYPE_CHECKING:
    import pandas as pd

LEAST, MOST = 2, 10
# More scenarios beside the reference are not described one by one.
MOST_CLAUSES = 2
CHANCES = ("p_attacker", "p_defender", "p_nobody")


@dataclass(frozen=True)
class ComparedValue:
    """One value of one scenario, and its difference to the reference."""

    value: str
    scenario: str
    estimate: float
    difference: Difference
    method: str

    @property
    def noticed_after(self) -> int | None:
        """The battles of each scenario after which the difference of two chances is noticed, see `battles_to_notice`.

        None for other values, for equal chances, and where dice leave the sign of the difference open.
        """
        d = self.difference
        if not is_chance(self.value) or (self.method != "exact" and not (d.low > 0 or d.high < 0)):
            return None
        # Chances are sums, and may be a little above 1.
        return battles_to_notice(*(min(max(p, 0.0), 1.0) for p in (self.estimate, self.estimate - d.value)))


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """The values of several scenarios compared with the first, the reference; `odds` are their answers by name.

    `notes` say what became of the fields that variants changed.
    """

    odds: Mapping[str, Odds]
    values: tuple[str, ...]
    answers: tuple[ComparedValue, ...]
    seed: int = 0
    notes: tuple[str, ...] = ()

    json_fields = ("reference", "seed", "notes")

    @property
    def reference(self) -> str:
        """The name of the first scenario."""
        return next(iter(self.odds))

    def rows(self) -> list[dict[str, Any]]:
        """`value, scenario, estimate, difference, low, high, confidence, method, noticed_after`"""
        names = ("value", "scenario", "estimate", "difference", "low", "high", "confidence", "method", "noticed_after")
        cells = (
            (row.value, row.scenario, row.estimate, *row.difference[:4], row.method, row.noticed_after)
            for row in self.answers
        )
        return [dict(zip(names, one, strict=True)) for one in cells]

    @property
    def shared(self) -> list[str]:
        """The headline columns that all of them have."""
        return shared_columns(list(self.odds.values()))

    def distances(self) -> list[dict[str, Any]]:
        """`column, scenario, distance`: the total variation distance to the reference, see `total_variation`."""
        first = self.odds[self.reference]
        return [
            {"column": column, "scenario": name, "distance": total_variation(odds, first, column)}
            for column in self.shared
            for name, odds in self.odds.items()
        ]

    @property
    def distance(self) -> pd.DataFrame:
        """`distances` as a DataFrame."""
        return frame(self.distances(), ["column", "scenario", "distance"])

    def how(self) -> str:
        """The method of the answers, and the variance that pairing saved, in one line."""
        simulated = [name for name, odds in self.odds.items() if odds.battles is not None]
        if not simulated:
            return "exact"
        battles = self.odds[simulated[0]].battles
        text = f"{battles:,} battles each, seed {self.seed}, 95 % intervals"
        if len(simulated) < len(self.odds):
            text = f"{', '.join(simulated)} simulated with {text}; the others exact"
        else:
            text = f"simulated: {text}"
        gains = [row.difference.gain for row in self.answers if row.difference.gain and row.scenario != self.reference]
        if gains:
            text += f"; paired by battle: {gains[0]:.3g} times less variance of the difference than unpaired"
        return text

    def in_percent(self, value: str) -> bool:
        """Is a value a chance, or the mean of a yes/no column?

        Parameters
        ----------
        value : str
            One of `values`.

        Returns
        -------
        bool

        Examples
        --------
        >>> compare(["risk-20v15", "risk-landing"]).in_percent("p_attacker")
        True
        """
        return in_percent(self.odds[self.reference], value)

    @property
    def telling(self) -> str:
        """The first value in which the scenarios differ; the first of all where they are alike."""
        apart = (row.value for row in self.answers if abs(row.difference.value) > ROUNDING)
        return next(apart, self.values[0])

    @property
    def headline(self) -> str:
        """The differences of the first value that is not the same in all, in words."""
        first, *others = [row for row in self.answers if row.value == self.telling]
        reference = self.odds[self.reference]
        what = capital(meaning(reference.battle, reference.scenario or {}, first.value))
        games = {one.kind if one.game == CAMPAIGN else one.game for one in (odds.battle for odds in self.odds.values())}
        end = f" ({len(games)} games: only the chances are compared)." if len(games) > 1 else "."
        own = first.value in HEADLINES
        if len(others) > MOST_CLAUSES:
            what = "The chance that each battle is about" if own else what
            return f"{what} is {self._extremes([first, *others])}{end}"
        apart = [_apart(reference.battle, row, self.in_percent(row.value)) for row in others]
        if own:
            asked = [self._asked(row) + more for row, more in zip([first, *others], ["", *apart], strict=True)]
            return capital(f"{'; '.join(asked)}{end}")
        clauses = [f"{self._shown(row)} in {row.scenario}{more}" for row, more in zip(others, apart, strict=True)]
        return f"{what} is {self._shown(first)} in {first.scenario}; {'; '.join(clauses)}{end}"

    def _asked(self, row: ComparedValue) -> str:
        """The question of a scenario's own kind, answered: "in risk-20v15 the attacker wins in 86.04 %"."""
        odds = self.odds[row.scenario]
        asked = meant(odds.battle, row.value)
        return f"in {row.scenario} {value_in_words(odds.battle, odds.scenario or {}, asked, measure(odds, asked))}"

    def _shown(self, row: ComparedValue) -> str:
        """A value in words, with its interval where it was simulated."""
        odds = self.odds[row.scenario]
        found = measure(odds, row.value)
        return value_of(found, True) if self.in_percent(row.value) else amount_in_words(odds.battle, row.value, found)

    def _extremes(self, rows: Sequence[ComparedValue]) -> str:
        """The scenarios with the largest and the smallest value in words, and the reference."""
        known = [row for row in rows if not math.isnan(row.estimate)] or rows
        most, least = (choose(known, key=lambda row: row.estimate) for choose in (max, min))
        named = {"highest": most, "lowest": least} | ({} if rows[0] in (most, least) else {"": rows[0]})
        return ", ".join(f"{word} in {row.scenario}: {self._shown(row)}".strip() for word, row in named.items())

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        odds = {name: odds.to_dict(table=False) for name, odds in self.odds.items()}
        return super().to_dict() | {"distance": self.distances(), "odds": odds}


def _apart(battle: Battle, row: ComparedValue, chance: bool) -> str:
    """After a comma: the difference to the reference, how sure its sign is, after how many battles it is noticed."""
    d = row.difference
    if math.isnan(d.value):
        return ""
    if abs(d.value) <= ROUNDING:
        return ", the same"
    size = points(d.value, chance) if chance else difference_in_words(battle, row.value, abs(d.value), chance)[1:]
    by = f"{size} {'more' if d.value > 0 else 'less'}"
    sure = (
        ""
        if row.method == "exact" or math.isnan(d.confidence)
        else f" ({percent(min(d.confidence, 1 - 1e-9), 1)} sure)"
    )
    noticed = "" if row.noticed_after is None else f", noticed after about {row.noticed_after:,} battles each"
    return f", {by}{sure}{noticed}"


def shared_columns(odds: Sequence[Odds]) -> list[str]:
    """The headline columns that all answers have, with the same type."""
    first = odds[0]
    return [
        name
        for name in first.summary_columns
        if all(name in one.columns and one.kind_of(name) == first.kind_of(name) for one in odds)
        and all(name in one.summary_columns for one in odds)
    ]


def total_variation(one: Odds, other: Odds, column: str) -> float:
    """Half the sum of the absolute differences of the chances of each value: the largest difference of any event."""
    values = np.concatenate([one.readable_columns[column], other.readable_columns[column]])
    _, place = np.unique(values, return_inverse=True)
    size, here = int(place.max(initial=0)) + 1, len(one.chances)
    p, q = np.bincount(place[:here], one.chances, size), np.bincount(place[here:], other.chances, size)
    return float(np.abs(p - q).sum() / 2)


def default_values(odds: Sequence[Odds]) -> tuple[str, ...]:
    """The chances of the winner, then mean and 5, 50 and 95 % quantiles of each shared headline column.

    Kinds with a question of their own (is the stack intercepted?) have its answer first.
    """
    own = {own_value(one.battle, one.columns) for one in odds}
    values = [*own] if len(own) == 1 else []
    values += CHANCES if all("winner" in one.columns for one in odds) else ()
    for column in shared_columns(odds):
        if odds[0].kind_of(column) != "text" and column not in values:
            values += [f"{what}.{column}" for what in ("mean", "q05", "q50", "q95")]
    return tuple(dict.fromkeys(values))


def names_of(scenarios: Sequence[Source]) -> list[str]:
    """Names for scenarios: those of files and examples, else A, B, ...; equal names are numbered."""
    found: list[str] = []
    for place, one in enumerate(scenarios):
        name = Path(one).stem if isinstance(one, str | Path) else chr(ord("A") + place)
        numbered = (f"{name} {number}" for number in count(2))
        found.append(next(one for one in chain([name], numbered) if one not in found))
    return found


@checked
def compare(
    scenarios: Mapping[str, Source] | Sequence[Source],
    value: str | Sequence[str] | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    notes: Sequence[str] = (),
    progress: Progress | None = None,
) -> Comparison:
    """Two to ten scenarios of any games beside each other; the first is the reference.

    Parameters
    ----------
    scenarios : mapping or sequence of scenarios
        The scenarios; the keys of a mapping name them.
    value : str or sequence of str, optional
        One or several values, see `sweep`; by default the chances of the winner and the headline columns.
    battles : int, optional
        Simulate all, paired by common random numbers. By default they are exact where that fits, else the chances of
        the first that is simulated are as sure as those of `odds`.
    notes : sequence of str
        Lines that go with the answer.

    Returns
    -------
    Comparison
        One row a value and scenario: estimate, difference, its 95 % interval.

    Raises
    ------
    ScenarioError
        For an invalid scenario.
    ValueError
        For fewer than two or more than ten scenarios, and an unknown value.
    Interrupted
        After Ctrl-C, with the scenarios answered so far, if these are at least two.

    Examples
    --------
    >>> two = compare({"15": risk.land(attacker=20, defender=15), "16": risk.land(attacker=20, defender=16)})
    >>> round(two.rows()[1]["difference"], 4)
    -0.0395
    """
    if isinstance(scenarios, Mapping):
        named = list(scenarios.items())
    else:
        given = [scenarios] if isinstance(scenarios, str | Path | Scenario) else list(scenarios)
        named = list(zip(names_of(given), given, strict=True))
    if not LEAST <= len(named) <= MOST:
        raise ValueError(f"scenarios: give two or more (at most {MOST})")
    method = Method(battles=battles, seed=seed, threads=threads, budget=8 * CELL_BYTES)
    loaded = {name: _loaded(name, one) for name, one in named}
    shared, fought = Shared(), list[int]()

    def many(scenario: Scenario | Draft) -> int:
        if not fought:  # the first that is simulated decides for all of them
            fought.append(battles_for(scenario, method, shared))
        return fought[0]

    answers = ((name, answered(loaded[name], method, many, shared)) for name in reported(list(loaded), progress))
    return until_interrupted(
        answers, lambda found: _with_notes(_compared(dict(found), value, seed), notes, dict(named)), LEAST
    )


def _with_notes(found: Comparison, notes: Iterable[str], given: Mapping[str, Source]) -> Comparison:
    """The comparison with these notes and, of each plan that does not exist, the best that can be had."""
    unanswered = dict.fromkeys(row.scenario for row in found.answers if math.isnan(row.estimate))
    missing = [f"{name}: {none}" for name in unanswered if (none := lacking(studied(given[name])))]
    return replace(found, notes=(*notes, *missing))


def _loaded(name: str, source: Source) -> Scenario | Draft:
    try:
        asked = studied(source)
        return asked if is_uncertain(asked) else asked.checked()
    except ScenarioError as error:
        raise ScenarioError(f"{error} (in {name})", error.unused) from None


def _compared(found: Mapping[str, PairedAnswer], value: str | Sequence[str] | None, seed: int) -> Comparison:
    odds = {name: one.odds for name, one in found.items()}
    values = default_values(list(odds.values())) if value is None else (value,) if isinstance(value, str) else value
    values = [_meant(odds, one) for one in values]
    if not values:
        raise ValueError("value: these have nothing in common to compare; name a value of each")
    return Comparison(odds, tuple(values), tuple(_rows(found, values)), seed)


def _meant(odds: Mapping[str, Odds], value: str) -> str:
    """A value with "headline" replaced by the measure of the kind; it stays where kinds ask for different chances.

    Raises ValueError where some of these measures are no chances.
    """
    own = {name: meant(one.battle, value) for name, one in odds.items()}
    first, *others = dict.fromkeys(own.values())
    if not others:
        return first
    if number := next((name for name, one in own.items() if not is_chance(one)), ""):
        raise ValueError(f"value: {value} of {number} is no chance; name a value that all have")
    return value


def _rows(found: Mapping[str, PairedAnswer], values: Sequence[str]) -> Iterator[ComparedValue]:
    first = next(iter(found.values()))
    for value in values:
        for name, one in found.items():
            try:
                estimate = measure(one.odds, value).value
            except ValueError as error:
                text = f"{value} in {name}: {str(error).removeprefix('value: ')}"
                if "no column" in str(error) and not is_chance(value):
                    text = f"{value}: no such column in {name}"
                raise ValueError(f"value: {brief(text)}") from None
            yield ComparedValue(value, name, estimate, difference(value, one, first), one.odds.method)
