"""How much is enough: the smallest setting of a field, or the cheapest combination of several, that reaches a value.

docs/rules/decisions.md section 5.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.answer import Interrupted, Method, Progress, Source, answer
from simulator.analysis.measure import Measure, is_chance, measure
from simulator.analysis.sweep import changed, data_of
from simulator.scenarios import ScenarioError, find_battle
from simulator.scenarios.schema import field_at, unknown_field, whole_numbers

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

ALIKE = 1e-12
SAME_COST = 1e-9
MOST_COMBINATIONS = 100_000
MOST_SETTINGS = 100
NO_ANSWER = Measure(float("nan"), float("nan"), float("nan"))

Settings = tuple[int, ...]


@dataclass(frozen=True)
class Tried:
    """One combination that was answered; `refused` says why where the rules do not allow it."""

    settings: Settings
    cost: float
    found: Measure = NO_ANSWER
    method: str = "refused"
    refused: str = ""


@dataclass(frozen=True)
class Need:
    """What is needed: `settings` (path -> number) is the answer, or the best combination tried if nothing is enough.

    `asked` is the value that should reach `target` (None if a `budget` was given instead); `tried` counts the answers
    computed, `monotone` says that more was never worse among them.
    """

    enough: bool
    settings: Mapping[str, int]
    value: float
    low: float
    high: float
    method: str
    cost: float
    monotone: bool
    asked: str
    target: float | None
    budget: float | None = None
    seed: int = 0
    answers: tuple[Tried, ...] = field(default=(), repr=False)
    complete: bool = True

    @property
    def tried(self) -> int:
        """How many answers were computed."""
        return len([one for one in self.answers if not one.refused])

    @property
    def setting(self) -> int | None:
        """The setting of the only field; None if nothing is enough."""
        return next(iter(self.settings.values())) if self.enough else None

    def rows(self) -> list[dict[str, Any]]:
        """One row a combination tried: its settings, `cost`, `value`, `low`, `high`, `method`; in ascending cost."""
        shown = sorted((one for one in self.answers if not one.refused), key=lambda one: (one.cost, one.settings))
        return [
            dict(zip(self.settings, one.settings, strict=True))
            | {"cost": one.cost, **one.found._asdict(), "method": one.method}
            for one in shown
        ]

    @property
    def table(self) -> pd.DataFrame:
        """The combinations tried, see `rows`."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def how(self) -> str:
        """The answer in one line."""
        what = ", ".join(f"{path} = {number}" for path, number in self.settings.items())
        span = "" if self.method == "exact" else f" (95 % interval {self.low:.4f} to {self.high:.4f})"
        value = f"{self.asked} = {self.value:.4f}{span}, {self.method}"
        cost = f", cost {self.cost:g}" if len(self.settings) > 1 or self.budget is not None else ""
        if not self.complete:
            verdict = "is the best found so far"
        elif self.budget is not None:
            verdict = f"is the best for {self.budget:g}"
        else:
            verdict = "is enough" if self.enough else "is not enough, and nothing tried is"
        return f"{what} {verdict}: {value}{cost}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        plain = {name: getattr(self, name) for name in ("enough", "value", "low", "high", "method", "cost")}
        rest = {name: getattr(self, name) for name in ("tried", "monotone", "asked", "target", "budget", "seed")}
        return {"settings": dict(self.settings)} | plain | rest | {"complete": self.complete, "table": self.rows()}

    def plot(self, path: Any = None) -> Figure:
        """Value against cost of all combinations tried, the answer marked. Returns the matplotlib figure."""
        from simulator.report.plots import plot_need

        return plot_need(self, path)


def need(  # noqa: PLR0913 - as docs/rules/decisions.md names them
    scenario: Source,
    vary: str | Mapping[str, Iterable[int]],
    target: float | None = None,
    value: str | None = None,
    *,
    cost: Mapping[str, float] | None = None,
    budget: float | None = None,
    most: int = MOST_SETTINGS,
    seed: int = 0,
    pruning: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Need:
    """The smallest setting, or the cheapest combination, whose `value` is at least `target` (0.8 unless told).

    `vary` is a path (its settings then go from the smallest number that the field takes, at most 1, up to `most`) or
    maps paths to whole numbers. `cost` maps a path to the price of one; without it every unit costs 1. With `budget`
    the largest value among combinations that cost at most so much. Raises ScenarioError and ValueError, Interrupted
    with the best so far.
    """
    search = Search(scenario, vary, value, cost, most, Method(seed=seed, threads=threads), progress)
    if budget is not None and target is not None:
        raise ValueError("budget: does not go with target")
    goal = 0.8 if target is None else target
    if budget is None:
        search.target = goal
        search.check_target(goal)
    try:
        if budget is not None:
            return search.within(budget, pruning)
        if len(search.paths) == 1:
            return search.smallest(goal)
        return search.cheapest(goal, pruning)
    except KeyboardInterrupt:
        if not search.answered:
            raise
        best = search.best()
        reached = budget is None and best.found.value >= goal - ALIKE
        told = search.told(best, reached, target=None if budget is not None else goal, budget=budget, complete=False)
        raise Interrupted(told) from None


def enough(
    scenario: Source,
    path: str,
    target: float = 0.8,
    value: str | None = None,
    *,
    most: int = MOST_SETTINGS,
    seed: int = 0,
) -> Need:
    """How much of one field is enough: `need` for one path."""
    return need(scenario, path, target, value, most=most, seed=seed)


class Search:
    """The combinations of a need, answered when they are asked for and kept."""

    def __init__(
        self,
        scenario: Source,
        vary: str | Mapping[str, Iterable[int]],
        value: str | None,
        cost: Mapping[str, float] | None,
        most: int,
        method: Method,
        progress: Progress | None,
    ) -> None:
        self.data = data_of(scenario)
        self.battle = find_battle(self.data.get("game"), self.data.get("battle"))
        given = {vary: None} if isinstance(vary, str) else dict(vary)
        if not given:
            raise ValueError("vary: nothing to vary; give a field, like attacker.regiments")
        self.paths = tuple(given)
        self.values = tuple(self._values(path, given[path], most) for path in self.paths)
        self.prices = self._prices(cost)
        size = math.prod(map(len, self.values))
        if size > MOST_COMBINATIONS:
            raise ValueError(f"vary: {size:,} combinations; at most {MOST_COMBINATIONS:,}")
        self.size, self.value, self.method, self.progress = size, value, method, progress
        self.answers: dict[Settings, Tried] = {}
        self.target: float | None = None
        self._allowances: dict[Settings, str] = {}
        self.monotone = True

    def _values(self, path: str, given: Iterable[int] | None, most: int) -> tuple[int, ...]:
        """The settings of a field, sorted. Raises ScenarioError for a path that is no field."""
        if field_at(self.battle, path) is None:
            raise ScenarioError(unknown_field(self.battle, path))
        if given is not None:
            values = sorted(set(given))
            for one in values:
                if isinstance(one, bool) or not isinstance(one, int):
                    raise ValueError(f"vary: {path} = {one!r} is not allowed; give whole numbers")
            if not values:
                raise ValueError(f"vary: {path} has no values")
            return tuple(values)
        span = whole_numbers(self.battle, path)
        if span is None:
            raise ValueError(f"vary: {path} takes no whole number")
        low, high = span
        first = 1 if low is None else min(low, 1) if low <= 1 else low
        last = most if high is None else min(most, high)
        return tuple(range(first, max(first, last) + 1))

    def _prices(self, cost: Mapping[str, float] | None) -> tuple[float, ...]:
        if cost is None:
            return (1.0,) * len(self.paths)
        for path, price in cost.items():
            if path not in self.paths:
                raise ValueError(f"cost: {path} is not varied")
            if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price < math.inf:
                raise ValueError(f"cost.{path}: {price} is not allowed; 0 or more")
        return tuple(float(cost.get(path, 0)) for path in self.paths)

    def cost(self, settings: Settings) -> float:
        """What a combination costs."""
        return sum(price * number for price, number in zip(self.prices, settings, strict=True))

    def check_target(self, target: float) -> None:
        """Refuse (ValueError) a target that no chance can have."""
        chance = self.value is not None and is_chance(self.value)
        if isinstance(target, bool) or not isinstance(target, int | float) or not math.isfinite(target):
            raise ValueError(f"target: {target} is not allowed; give a number like 0.8")
        if chance and not 0 <= target <= 1:
            raise ValueError(f"target: {target:g} is not allowed; a chance is from 0 to 1 (80 % is 0.8)")

    @property
    def answered(self) -> list[Tried]:
        """The combinations answered so far that the rules allow."""
        return [one for one in self.answers.values() if not one.refused]

    def ask(self, settings: Settings) -> Tried:
        """The answer for a combination, computed once."""
        if settings not in self.answers:
            self.answers[settings] = self._ask(settings)
        return self.answers[settings]

    def _ask(self, settings: Settings) -> Tried:
        cost = self.cost(settings)
        try:
            scenario, _ = changed(self.data, self.paths, settings)
        except ScenarioError as error:
            return Tried(settings, cost, refused=str(error))
        inner = self.progress and (lambda done, total: self._told())
        try:
            odds = answer(scenario, self.method, inner)
        except Interrupted:
            raise KeyboardInterrupt from None
        if self.value is None:
            self.value = odds.value
            if self.target is not None:
                self.check_target(self.target)
        self._told()
        return Tried(settings, cost, measure(odds, self.value), odds.method)

    def _told(self) -> None:
        if self.progress:
            self.progress(len(self.answers), None)

    def _reaches(self, settings: Settings, target: float) -> bool:
        one = self.ask(settings)
        return not one.refused and one.found.value >= target - ALIKE

    def _contradicted(self) -> bool:
        """Do two answers say that more of everything is worse?"""
        found = self.answered
        settings = np.array([one.settings for one in found]).reshape(len(found), -1)
        values = np.array([one.found.value for one in found])
        return any(
            (values[(settings >= mine).all(axis=1)] < value - ALIKE).any()
            for mine, value in zip(settings, values, strict=True)
        )

    def _allowed(self, settings: Settings) -> bool:
        """Do the rules allow this combination?"""
        if settings not in self._allowances:
            try:
                changed(self.data, self.paths, settings)
                self._allowances[settings] = ""
            except ScenarioError as error:
                self._allowances[settings] = str(error)
        return not self._allowances[settings]

    def smallest(self, target: float) -> Need:
        """The smallest setting of the only field: double, then bisect; a scan from below where more can be worse."""
        allowed = [(number,) for number in self.values[0] if self._allowed((number,))]
        if not allowed:
            raise self._nothing_allowed()
        place = self._bisected(allowed, target)
        if self._contradicted():
            self.monotone = False
            place = next((i for i, one in enumerate(allowed) if self._reaches(one, target)), None)
        if place is None:
            return self.told(self.best(), False, target=target)
        return self.told(self.ask(allowed[place]), True, target=target)

    def _bisected(self, allowed: list[Settings], target: float) -> int | None:
        """Place of the first setting that reaches the target if more is never worse; its neighbours are answered."""
        last, low, high = len(allowed) - 1, -1, 0
        while not self._reaches(allowed[high], target):
            if high == last:
                return None
            low, high = high, min(2 * high + 1, last)
        while high - low > 1:
            middle = (low + high) // 2
            if self._reaches(allowed[middle], target):
                high = middle
            else:
                low = middle
        for near in {max(high - 1, 0), min(high + 1, last)}:
            self.ask(allowed[near])
        return high

    def _in_order(self) -> list[Settings]:
        return sorted(product(*self.values), key=lambda one: (self.cost(one), one))

    def cheapest(self, target: float, pruning: bool) -> Need:
        """The cheapest combination that reaches the target."""
        top = tuple(values[-1] for values in self.values)
        if pruning and not self.ask(top).refused and not self._reaches(top, target) and not self._contradicted():
            return self.told(self.best(), False, target=target)
        found = self._scanned(target, pruning)
        if pruning and self._contradicted():
            self.monotone = False
            found = self._scanned(target, False)
        self.monotone = self.monotone and not self._contradicted()
        if not found:
            return self.told(self.best(), False, target=target)
        best = min(found, key=lambda one: (-round(one.found.value / ALIKE), one.settings))
        return self.told(best, True, target=target)

    def _scanned(self, target: float, pruning: bool) -> list[Tried]:
        """All equally cheap combinations that reach the target first, in ascending cost."""
        failed: list[Settings] = []
        found: list[Tried] = []
        for settings in self._in_order():
            if found and self.cost(settings) > found[0].cost + SAME_COST:
                break
            if pruning and any(_nowhere_larger(settings, other) for other in failed):
                continue
            if self._reaches(settings, target):
                found.append(self.ask(settings))
            elif not self.ask(settings).refused:
                failed = [other for other in failed if not _nowhere_larger(other, settings)] + [settings]
        return found

    def within(self, budget: float, pruning: bool) -> Need:
        """The largest value among the combinations that cost at most the budget."""
        order = self._in_order()
        if isinstance(budget, bool) or not isinstance(budget, int | float) or math.isnan(budget):
            raise ValueError(f"budget: {budget} is not allowed; give a number")
        if self.cost(order[0]) > budget + SAME_COST:
            cheapest = self.cost(order[0])
            raise ValueError(f"budget: {budget:g} is not allowed; the cheapest combination costs {cheapest:g}")
        inside = [one for one in order if self.cost(one) <= budget + SAME_COST]
        for settings in self._not_raisable(inside) if pruning else inside:
            self.ask(settings)
        if pruning and (self._contradicted() or not self.answered):
            self.monotone = False
            for settings in inside:
                self.ask(settings)
        self.monotone = self.monotone and not self._contradicted()
        if not self.answered:
            raise self._nothing_allowed()
        return self.told(self.best(), True, budget=budget)

    def _not_raisable(self, inside: Sequence[Settings]) -> Iterator[Settings]:
        """The combinations of which no field can be raised within the budget."""
        known = set(inside)
        following = [dict(zip(values, values[1:], strict=False)) for values in self.values]
        for one in inside:
            raised = (
                (*one[:i], following[i][number], *one[i + 1 :])
                for i, number in enumerate(one)
                if number in following[i]
            )
            if not any(other in known and self._allowed(other) for other in raised):
                yield one

    def best(self) -> Tried:
        """The largest value so far; among equals the cheapest, then the smallest settings."""
        if not self.answered:
            raise self._nothing_allowed()
        return min(self.answered, key=lambda one: (-round(one.found.value / ALIKE), one.cost, one.settings))

    def _nothing_allowed(self) -> ValueError:
        refusals = [one.refused for one in self.answers.values()] + list(self._allowances.values())
        refused = next(filter(None, refusals), "")
        return ScenarioError(refused or f"vary: no setting of {', '.join(self.paths)} is allowed")

    def told(self, one: Tried, reached: bool, **asked: Any) -> Need:
        """The answer with everything tried."""
        return Need(
            enough=reached,
            settings=dict(zip(self.paths, one.settings, strict=True)),
            **one.found._asdict(),
            method=one.method,
            cost=one.cost,
            monotone=self.monotone,
            asked=self.value or "",
            target=asked.get("target"),
            budget=asked.get("budget"),
            seed=self.method.seed,
            answers=tuple(self.answers.values()),
            complete=asked.get("complete", True),
        )


def _nowhere_larger(one: Settings, other: Settings) -> bool:
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))
