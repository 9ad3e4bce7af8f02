"""Needs: the smallest setting of a field, or the cheapest combination of several, that reaches a target.

docs/rules/decisions.md section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from simulator.analysis.decisions.need_search import ALIKE, MOST_SETTINGS, Search, Tried
from simulator.analysis.odds.measure import is_chance
from simulator.analysis.odds.run import Interrupted, Method, Progress
from simulator.analysis.result import Result
from simulator.scenarios import Source


@dataclass(frozen=True, repr=False)
class Need(Result):
    """The answer to a need: `settings` by path, or the best combination tried if none is `enough`.

    `asked` is the value that should reach `target` (None if a `budget` was given instead). `tried` is the number of
    answers computed; `monotone` says that among them more was never worse.
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
    answers: tuple[Tried, ...] = ()
    complete: bool = True

    json_fields = (
        *("settings", "enough", "value", "low", "high", "method", "cost"),
        *("tried", "monotone", "asked", "target", "budget", "seed", "complete"),
    )

    @property
    def tried(self) -> int:
        """The number of answers computed."""
        return len(self.answers)

    @property
    def setting(self) -> int | None:
        """The setting of the first field; None if nothing is enough."""
        return next(iter(self.settings.values())) if self.enough else None

    def rows(self) -> list[dict[str, Any]]:
        """One row a combination tried: its settings, `cost`, `value`, `low`, `high`, `method`; in ascending cost."""
        return [
            dict(zip(self.settings, one.settings, strict=True))
            | {"cost": one.cost, **one.found._asdict(), "method": one.method}
            for one in sorted(self.answers, key=lambda one: (one.cost, one.settings))
        ]

    def how(self) -> str:
        """The answer in one line."""
        what = ", ".join(f"{path} = {number}" for path, number in self.settings.items())
        scale, unit = (100, " %") if is_chance(self.asked) else (1, "")
        value, low, high = (f"{scale * one:.{2 if unit else 4}f}" for one in (self.value, self.low, self.high))
        span = "" if self.method == "exact" else f" (95 % interval {low} to {high}{unit})"
        value = f"{self.asked} = {value}{unit}{span}, {self.method}"
        cost = f", cost {self.cost:g}" if len(self.settings) > 1 or self.budget is not None else ""
        if not self.complete:
            verdict = "is the best found so far"
        elif self.budget is not None:
            verdict = f"is the best for {self.budget:g}"
        else:
            verdict = "is enough" if self.enough else "is not enough, and nothing tried is"
        return f"{what} {verdict}: {value}{cost}"


def need(  # noqa: PLR0913 - as docs/rules/decisions.md names them
    scenario: Source,
    vary: str | Mapping[str, Iterable[int] | None],
    target: float | None = None,
    value: str | None = None,
    *,
    cost: Mapping[str, float] | str | None = None,
    budget: float | None = None,
    most: int = MOST_SETTINGS,
    seed: int = 0,
    pruning: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Need:
    """The smallest setting, or the cheapest combination, whose `value` is at least `target` (0.8 by default).

    `vary` is a path (its settings then go from the smallest number that the field takes, at most 1, up to `most`) or
    maps paths to whole numbers. `cost` maps a path to the price of one, or names a price list of the game ("muster"
    in Birthright); without it every unit costs 1. With `budget` the largest value among combinations of at most this
    cost, of equal ones the cheapest. Raises ScenarioError, ValueError, Interrupted with the best so far.
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
            found: Tried | None = search.within(budget, pruning)
        else:
            found = search.smallest(goal) if len(search.paths) == 1 else search.cheapest(goal, pruning)
    except KeyboardInterrupt:
        if not search.answers:
            raise
        best = search.best()
        enough = budget is None and best.found.value >= goal - ALIKE
        raise Interrupted(_result(search, best, enough, budget, complete=False)) from None
    return _result(search, found or search.best(), found is not None, budget)


def _result(search: Search, best: Tried, enough: bool, budget: float | None, complete: bool = True) -> Need:
    return Need(
        enough=enough,
        settings=dict(zip(search.paths, best.settings, strict=True)),
        **best.found._asdict(),
        method=best.method,
        cost=best.cost,
        monotone=search.monotone,
        asked=search.value or "",
        target=search.target,
        budget=budget,
        seed=search.method.seed,
        answers=tuple(search.answers.values()),
        complete=complete,
    )


def enough(
    scenario: Source,
    path: str,
    target: float = 0.8,
    value: str | None = None,
    *,
    most: int = MOST_SETTINGS,
    seed: int = 0,
) -> Need:
    """`need` for one path."""
    return need(scenario, path, target, value, most=most, seed=seed)
