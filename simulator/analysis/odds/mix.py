"""Mixtures: odds of a scenario with fields that are not known (docs/rules/decisions.md section 6).

mix({..., "defender": {"regiments": {"mix": {"8": 0.25, "10": 0.5, "12": 0.25}}}}).odds
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.odds.distribution import LEVEL
from simulator.analysis.odds.headline import Headline
from simulator.analysis.odds.measure import NO_WEIGHTS, weighing
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.outcome_columns import Question
from simulator.analysis.odds.run import CELL_BYTES, Interrupted, Progress, settle
from simulator.analysis.result import Result, frame
from simulator.engine.model.limits import NoExactOdds
from simulator.rules.battle import WINNERS, Outcomes
from simulator.scenarios import Draft, Scenario, ScenarioError, Source, draft
from simulator.scenarios.arguments import checked
from simulator.scenarios.uncertain import distributions, drawn

if TYPE_CHECKING:
    import pandas as pd

MOST_COMBINATIONS = 10_000
BATTLES, LEAST_BATTLES = 1_000_000, 1_000


class MixedOdds(Odds):
    """The odds of a mixture: chances are weighted sums, intervals those of strata (MOVER, Donner & Zou 2012)."""

    parts: tuple[tuple[float, Odds], ...] = ()

    def interval(self, query: Question, level: float = LEVEL) -> tuple[float, float]:
        """Bounds of the chance of `query`, or of the mean of a column; no width if all parts are exact."""
        mean = isinstance(query, str) and query in self.columns and self.kind_of(query) == "number"
        bounds = [
            (one.mean(str(query)) if mean else one.p(query), *one.interval(query, level)) for _, one in self.parts
        ]
        weights = [weight for weight, _ in self.parts]
        p = sum(w * one[0] for w, one in zip(weights, bounds, strict=True))
        down = math.sqrt(sum((w * (one[0] - one[1])) ** 2 for w, one in zip(weights, bounds, strict=True)))
        up = math.sqrt(sum((w * (one[2] - one[0])) ** 2 for w, one in zip(weights, bounds, strict=True)))
        return p - down, p + up

    def how(self) -> str:
        """The number of parts and their methods, in one line."""
        simulated = [one for _, one in self.parts if one.battles is not None]
        if not simulated:
            return f"exact, a mixture of {len(self.parts)}"
        total = sum(one.battles or 0 for one in simulated)
        text = f"a mixture of {len(self.parts)}, {len(simulated)} simulated with {total:,} battles in all"
        return f"{text}, seed {self.seed}, 95 % intervals"


@dataclass(frozen=True, repr=False)
class Mixture(Result):
    """The mixed `odds`, and the odds of each combination of values of the unknown fields (`paths`)."""

    odds: Odds
    paths: tuple[str, ...]
    combinations: tuple[tuple[Any, ...], ...]
    weights: tuple[float, ...]
    answers: tuple[Odds, ...]
    seed: int = 0

    json_rows = "mixture"

    @property
    def headline(self) -> Headline:  # type: ignore[override]
        """The headline of the mixed odds."""
        return self.odds.headline

    @cached_property
    def parts(self) -> dict[tuple[Any, ...], Odds]:
        """The odds by combination."""
        return dict(zip(self.combinations, self.answers, strict=True))

    def rows(self) -> list[dict[str, Any]]:
        """A column for each path, then `weight, p_attacker, p_defender, p_nobody, method`."""
        found = []
        for values, weight, odds in zip(self.combinations, self.weights, self.answers, strict=True):
            row = dict(zip(self.paths, values, strict=True)) | {"weight": weight}
            if "winner" in odds.columns:
                row |= {f"p_{side}": odds.winner(side) for side in WINNERS}
            found.append(row | {"method": odds.method})
        return found

    def worths(self, weights: Mapping[str, float] | None = None) -> np.ndarray:
        """The worth of attacking in each combination.

        Parameters
        ----------
        weights : mapping of str to float, optional
            Weights, see `worth`; by default the objective of the scenario.

        Returns
        -------
        numpy.ndarray
            float64, shape (combinations,).

        Raises
        ------
        ValueError
            Without weights and objective.

        Examples
        --------
        >>> fog = {**load("risk-20v15").data, "defender": {"regiments": {"from": 10, "to": 20}}}
        >>> mix(fog).worths({"win": 1}).shape
        (11,)
        """
        weighed = weighing(self.odds.scenario, weights)
        if weighed is None:
            raise ValueError(NO_WEIGHTS)
        return np.array([float(odds.chances @ weighed.worth(odds)) for odds in self.answers])

    def information_rows(
        self, weights: Mapping[str, float] | None = None, otherwise: float = 0.0
    ) -> list[dict[str, Any]]:
        """The value of knowing all fields, and each alone, before the decision to attack.

        Parameters
        ----------
        weights : mapping of str to float, optional
            Weights, see `worth`; by default the objective of the scenario.
        otherwise : float
            The worth of not attacking.

        Returns
        -------
        list of dict
            `field` and `worth`; the row `all` first.

        Raises
        ------
        ValueError
            Without weights and objective.

        Examples
        --------
        >>> fog = {**load("risk-20v15").data, "defender": {"regiments": {"from": 10, "to": 20}}}
        >>> [row["field"] for row in mix(fog).information_rows({"win": 1}, 0.5)]
        ['all', 'defender.regiments']
        """
        value, share = self.worths(weights), np.array(self.weights)
        attacks = float(share @ value) >= otherwise

        def value_of_knowing(groups: np.ndarray) -> float:
            """Summed by group, so that knowledge which changes no decision is worth exactly 0."""
            attack, refrain = np.bincount(groups, share * value), np.bincount(groups, share) * otherwise
            return float((np.maximum(attack, refrain) - (attack if attacks else refrain)).sum())

        rows = [{"field": "all", "worth": value_of_knowing(np.arange(len(share)))}]
        for place, path in enumerate(self.paths):
            numbers: dict[Any, int] = {}
            groups = np.array([numbers.setdefault(one[place], len(numbers)) for one in self.combinations])
            rows.append({"field": path, "worth": value_of_knowing(groups)})
        return rows

    def information(self, weights: Mapping[str, float] | None = None, otherwise: float = 0.0) -> pd.DataFrame:
        """`information_rows` as a table.

        Parameters
        ----------
        weights : mapping of str to float, optional
            Weights, see `worth`; by default the objective of the scenario.
        otherwise : float
            The worth of not attacking.

        Returns
        -------
        pandas.DataFrame
            `field` (str), `worth` (float64); the row `all` first.

        Raises
        ------
        ValueError
            Without weights and objective.

        Examples
        --------
        >>> fog = {**load("risk-20v15").data, "defender": {"regiments": {"from": 10, "to": 20}}}
        >>> len(mix(fog).information({"win": 1}))
        2
        """
        return frame(self.information_rows(weights, otherwise))

    def how(self) -> str:
        """The method of the odds, in one line."""
        return self.odds.how()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return super().to_dict() | self.odds.to_dict()


def combined(base: Draft) -> tuple[list[Draft], dict[str, dict[Any, float]]]:
    """A draft for each combination, and the values and chances of each field. Raises ScenarioError."""
    battle = base.battle()
    fields = {path: drawn(battle, path, given) for path, given in distributions(base.data)}
    size = math.prod(len(values) for values in fields.values())
    if size > MOST_COMBINATIONS:
        raise ScenarioError(f"{next(iter(fields))}: {size:,} combinations; at most {MOST_COMBINATIONS:,}")
    return [base.with_fields(dict(zip(fields, values, strict=True))) for values in product(*fields.values())], fields


@checked
def mix(
    scenario: Source,
    battles: int | None = None,
    seed: int = 0,
    *,
    method: str = "auto",
    budget: int | None = None,
    progress: Progress | None = None,
) -> Mixture:
    """The odds where fields are not known: the weighted sum over all combinations of their values.

    Parameters
    ----------
    scenario : mapping, str or Path
        A scenario with distributions in place of values: `{"from": 8, "to": 12}` or `{"mix": {"8": 0.25, "10": 0.75}}`.
    battles : int, optional
        Battles (a million) that combinations too large for exact odds share by their weights, at least a thousand each.
    method : str
        "auto", "exact" (or a refusal) or "simulate".
    budget : int, optional
        Bytes for each exact answer.

    Returns
    -------
    Mixture
        The mixed odds (`odds`), and those of each combination.

    Raises
    ------
    ScenarioError
        For an invalid scenario, and more than 10,000 combinations.
    ValueError
        For a number out of range.

    Examples
    --------
    >>> fog = {**load("risk-20v15").data, "defender": {"regiments": {"from": 10, "to": 20}}}
    >>> round(mix(fog).odds.winner("attacker"), 3)
    0.837
    """
    by = Method(Method.named(method).exact, battles, seed=seed, budget=budget)
    return mixed(scenario, by, progress)


def mixed(scenario: Source, method: Method, progress: Progress | None = None) -> Mixture:
    """The mixture answered as `method` says: all exact, all simulated, or each combination as it fits."""
    base = draft(scenario)
    drafts, fields = combined(base)
    combinations, share = tuple(product(*fields.values())), shares(fields)
    answers = _answers([one.checked() for one in drafts], share, method, progress)
    first = answers[0]
    odds = mixed_odds(
        tuple(zip(share.tolist(), answers, strict=True)),
        settings=settings_without(first.settings, fields),
        assumptions=[*describe_mixture(fields), *first.assumptions],
        scenario=base.data,
        seed=method.seed,
    )
    return Mixture(odds, tuple(fields), combinations, tuple(share.tolist()), tuple(answers), method.seed)


def shares(fields: Mapping[str, Mapping[Any, float]]) -> np.ndarray:
    """The weight of each combination: float64, shape (combinations,); the weights sum to one."""
    chances = [math.prod(one) for one in product(*(values.values() for values in fields.values()))]
    return np.array(chances) / math.fsum(chances)


def _answers(asked: list[Scenario], share: np.ndarray, method: Method, progress: Progress | None) -> list[Odds]:
    from simulator.engine.model.streams import derive_seed

    found: dict[int, Odds] = {}
    budget = method.budget or (None if method.exact else 8 * CELL_BYTES)
    for place, one in enumerate(asked if method.exact is not False else ()):
        if progress:
            progress(place, len(asked))
        try:
            found[place] = settle(one, Method(exact=True, budget=budget)).odds()
        except NoExactOdds:
            if method.exact:
                raise
    left = [place for place in range(len(asked)) if place not in found]
    for place, many in zip(left, allotted(share[left], method.battles or BATTLES), strict=True):
        own = Method(exact=False, battles=many, seed=derive_seed(method.seed, place))
        try:
            found[place] = settle(asked[place], own).odds()
        except Interrupted:  # a mixture without some of its combinations is no answer
            raise KeyboardInterrupt from None
    return [found[place] for place in range(len(asked))]


def allotted(share: np.ndarray, battles: int, least: int = LEAST_BATTLES) -> list[int]:
    """Battles for each combination in proportion to the weights, by largest remainders, at least `least` each.

    `share`: the weights, float64, shape (combinations,).
    """
    if not len(share):
        return []
    ideal = battles * share / share.sum()
    number = np.floor(ideal).astype(np.int64)
    order = np.argsort(-(ideal - number), kind="stable")
    number[order[: battles - int(number.sum())]] += 1
    return [max(least, int(one)) for one in number]


def mixed_odds(
    parts: Sequence[tuple[float, Odds]],
    *,
    settings: Sequence[str],
    assumptions: Sequence[str],
    scenario: Mapping[str, Any] | None,
    seed: int = 0,
) -> MixedOdds:
    """The weighted sum of `parts`: pairs of a chance and odds, all of the same battle kind."""
    first = parts[0][1]
    names = [name for name in first.columns if all(name in odds.columns for _, odds in parts)]
    columns = {name: np.concatenate([odds.columns[name] for _, odds in parts]) for name in names}
    p = np.concatenate([weight * odds.chances for weight, odds in parts])
    simulated = [odds for _, odds in parts if odds.battles is not None]
    residual = sum(weight * odds.residual for weight, odds in parts)
    mixed = MixedOdds(
        Outcomes(columns, p, None, residual, sum(odds.explored for _, odds in parts)),
        battle=first.battle,
        battles=sum(odds.battles or 0 for odds in simulated) if simulated else None,
        seed=seed if simulated else None,
        settings=settings,
        assumptions=assumptions,
        scenario=scenario,
    )
    mixed.parts = tuple(parts)
    return mixed


def settings_without(settings: Iterable[str], paths: Container[str]) -> list[str]:
    """The lines `path = setting` of fields other than `paths`."""
    return [line for line in settings if line.partition(" = ")[0] not in paths]


def describe_mixture(fields: Mapping[str, Mapping[Any, float]]) -> list[str]:
    """The assumptions of a mixture."""
    lines = [f"{path} is drawn: {_in_words(values)}" for path, values in fields.items()]
    return [*lines, "policies know the values drawn"] if lines else []


def _in_words(values: Mapping[Any, float]) -> str:
    if len(values) > 6 and len(set(values.values())) == 1:
        return f"{min(values)} to {max(values)}, all equally likely"
    return ", ".join(f"{str(value).lower()} ({100 * chance:g} %)" for value, chance in values.items())
