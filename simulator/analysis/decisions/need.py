"""Needs: the smallest setting of a field, or the cheapest combination of several, that reaches a target.

docs/rules/decisions.md section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.analysis.decisions.need_search import MOST_SETTINGS, Search, Tried
from simulator.analysis.odds.measure import Measure
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.run import Interrupted, Progress
from simulator.analysis.result import Result
from simulator.analysis.words import stated
from simulator.rules.toolkit.tolerances import ROUNDING
from simulator.scenarios import Source
from simulator.scenarios.arguments import checked


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
    prices: Mapping[str, float] = field(default_factory=dict)
    priced: str = "each"
    answers: tuple[Tried, ...] = ()
    complete: bool = True

    json_fields = (
        *("settings", "enough", "value", "low", "high", "method", "cost"),
        *("tried", "monotone", "asked", "target", "budget", "prices", "priced", "seed", "complete"),
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

    def front(self) -> list[dict[str, Any]]:
        """The Pareto front: the rows of which no other is as cheap and reaches as much."""
        front: list[dict[str, Any]] = []
        for row in self.rows():
            if front and row["cost"] == front[-1]["cost"] and row["value"] > front[-1]["value"] + ROUNDING:
                front.pop()
            if not front or row["value"] > front[-1]["value"] + ROUNDING:
                front.append(row)
        return front

    @property
    def headline(self) -> str:
        """The setting or the combination that answers, and its value."""
        what = ", ".join(f"{path} = {number}" for path, number in self.settings.items())
        cost = f", cost {self.cost:g}" if len(self.settings) > 1 or self.budget is not None else ""
        if not self.complete:
            verdict = "is the best found so far"
        elif self.budget is not None:
            verdict = f"is the best for {self.budget:g}"
        else:
            verdict = "is enough" if self.enough else "is not enough, and nothing tried is"
        return f"{what} {verdict}: {stated(self.asked, Measure(self.value, self.low, self.high))}{cost}"

    def how(self) -> str:
        """The number of answers computed and their method, in one line."""
        text = f"{self.tried} combinations answered" if len(self.settings) > 1 else f"{self.tried} settings answered"
        simulated = sum(one.method != "exact" for one in self.answers)
        text += f", {simulated} of them simulated, seed {self.seed}" if simulated else ", all exact"
        return text if self.complete else f"{text}; interrupted"


@checked
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
    """The smallest setting, or the cheapest combination of settings, that reaches a target.

    Parameters
    ----------
    vary : str or mapping of str to iterable of int
        The field to raise (from the smallest number that it takes, at most 1, up to `most`), or fields and their
        settings (None for the same range).
    target : float, optional
        The value to reach; 0.8 by default.
    value : str, optional
        A value, see `sweep`.
    cost : mapping of str to float, or str, optional
        The price of one more in each field, or the name of a price list of the game; by default 1 each.
    budget : float, optional
        In place of a target: the largest value for at most this cost, the cheapest of equal ones.
    most : int
        The largest setting tried.
    pruning : bool
        Leave out combinations that cannot be the answer.

    Returns
    -------
    Need
        The settings (`settings`, `setting`), their value, and whether they are `enough`.

    Raises
    ------
    ScenarioError
        For an invalid scenario, and a field that is no whole number.
    ValueError
        For a target or number out of range.
    Interrupted
        After Ctrl-C, with the best so far.

    Examples
    --------
    >>> need("risk-20v15", "attacker.regiments", 0.8).setting
    19
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
        enough = budget is None and best.found.value >= goal - ROUNDING
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
        prices=search.prices,
        priced=search.priced,
        answers=tuple(search.answers.values()),
        complete=complete,
    )


@checked
def enough(
    scenario: Source,
    path: str,
    target: float = 0.8,
    value: str | None = None,
    *,
    most: int = MOST_SETTINGS,
    seed: int = 0,
) -> Need:
    """The smallest setting of one field that reaches a target; see `need`.

    Parameters
    ----------
    path : str
        The field.
    target : float
        The value to reach.
    value : str, optional
        A value, see `sweep`.
    most : int
        The largest setting tried.

    Returns
    -------
    Need
        The setting (`setting`), its value, and whether it is `enough`.

    Raises
    ------
    ScenarioError
        For an invalid scenario.
    ValueError
        For a target out of range.

    Examples
    --------
    >>> enough("risk-20v15", "attacker.regiments", 0.5).setting
    14
    """
    return need(scenario, path, target, value, most=most, seed=seed)
