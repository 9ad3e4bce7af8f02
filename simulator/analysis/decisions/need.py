"""Needs: the smallest setting of a field, or the cheapest combination of several, that reaches a target.

docs/rules/decisions.md section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.analysis.decisions.need_search import HEADLINE_OF, MOST_SETTINGS, Direction, Search, Tried, side_of
from simulator.analysis.field_words import counts_units
from simulator.analysis.odds.headline import meant
from simulator.analysis.odds.measure import Measure, is_chance
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.run import Interrupted, Progress
from simulator.analysis.plan.answer import aimed, chosen_by, lacking_with, studied
from simulator.analysis.result import Result
from simulator.analysis.words import bounds, capital, in_chance, meaning, settings_in_words, value_in_words
from simulator.rules.toolkit.naming import listed
from simulator.rules.toolkit.tolerances import ROUNDING
from simulator.rules.toolkit.words import price_of
from simulator.scenarios import Draft, Source
from simulator.scenarios.arguments import checked
from simulator.scenarios.objective import TAKEN

# The source of a price, written after it.
PRICED = {"list": " at the game's prices", "each": " at 1 each", "given": ""}


@dataclass(frozen=True, repr=False)
class Need(Result):
    """The answer to a need: `settings` by path, or the best combination tried if none is `enough`.

    `measure` is the value that should reach `target` (None if a `budget` was given instead), the chance of `side`;
    `wins` its chance to win, where it wants to hold the ground. Of one field `direction` says whether more raises the
    value, or lowers it: then the largest setting that is enough is the answer. `trivial`: the least that was asked for
    (falling: the most) is enough. `prices` by path come from the `list` of the game, are 1 `each`, or were `given`.
    `tried` is the number of answers computed; `monotone` says that they never turn.
    """

    enough: bool
    settings: Mapping[str, int]
    value: float
    low: float
    high: float
    method: str
    cost: float
    monotone: bool
    measure: str
    target: float | None
    draft: Draft
    side: str = "attacker"
    direction: Direction = ""
    trivial: bool = False
    wins: Measure | None = None
    budget: float | None = None
    seed: int = 0
    prices: Mapping[str, float] = field(default_factory=dict)
    priced: str = "each"
    answers: tuple[Tried, ...] = ()
    complete: bool = True

    json_fields = (
        *("settings", "enough", "value", "low", "high", "method", "cost", "tried", "monotone", "side", "measure"),
        *("direction", "trivial", "target", "budget", "prices", "priced", "seed", "complete"),
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
        """The smallest force that is enough, its value and its price."""
        battle, data = self.draft.battle(), self.draft.data
        what = settings_in_words(battle, data, self.settings)
        ((path, number), *others) = self.settings.items()
        are = "are" if others or (counts_units(battle, path) and number != 1) else "is"
        best = "the best" if others or are == "is" else "best"
        if not self.complete:
            verdict = f"{what} {are} {best} found so far"
        elif self.budget is not None:
            verdict = f"{what} {are} {best} within {self._money(self.budget)}"
        elif not self.enough and not any(self.settings.values()):
            verdict = "nothing that was tried is enough"
        elif not self.enough and self.direction == "falling":
            verdict = f"nothing that was tried is enough, not even {what}"
        elif not self.enough:
            verdict = f"{what} {are} not enough, and nothing that was tried is"
        elif self.direction == "falling":
            verdict = f"up to {what}" + (", the most that was tried" if self.trivial else "")
        elif self.trivial:
            return f"Nothing more is needed: already with {what}, {self._reached()}."
        else:
            verdict = f"{what} {are} enough"
        if not self.enough and self.complete and (none := self._without_plan()):
            return f"{capital(verdict)}. {none}"
        return f"{capital(verdict)}: {self._reached()}{self._at_cost() if self.has_cost else ''}."

    def _without_plan(self) -> str:
        """Of a plan that does not exist even with the most that was tried, the best that can be had then; else ""."""
        most = (min if self.direction == "falling" else max)(self.answers, key=lambda one: (one.cost, one.settings))
        return lacking_with(self.draft, dict(zip(self.settings, most.settings, strict=True)))

    @property
    def has_cost(self) -> bool:
        """Is the cost worth showing? Not for one field at 1 each, nor for fields of the enemy."""
        return self.direction != "falling" and (
            self.priced != "each" or len(self.settings) > 1 or self.budget is not None
        )

    def _at_cost(self) -> str:
        """The cost, and where its prices come from."""
        if self.priced == "list" and not self.draft.battle().money:
            return f", at the game's price of {self._money(self.cost)}"
        return f", for {self._money(self.cost)}{PRICED[self.priced]}"

    def _money(self, cost: float) -> str:
        """A cost in the money of the game, where it is priced by that."""
        return price_of(cost, self.draft.battle().money if self.priced == "list" else "")

    def _reached(self) -> str:
        """The value in words: "the attacker takes the land in 85.64 % and wins in 89.39 %"."""
        battle, data = self.draft.battle(), self.draft.data
        text = value_in_words(battle, data, self.measure, Measure(self.value, self.low, self.high))
        if self.wins is None or abs(self.wins.value - self.value) <= ROUNDING:
            return text
        return f"{text} and wins {in_chance(self.wins.value, bounds(self.wins))}"

    def how(self) -> str:
        """The number of answers computed and their method, in one line."""
        text = f"{self.tried} combinations answered" if len(self.settings) > 1 else f"{self.tried} settings answered"
        simulated = sum(one.method != "exact" for one in self.answers)
        text += f", {simulated} of them simulated, seed {self.seed}" if simulated else ", all exact"
        text += f", each by {plan}" if (plan := chosen_by(self.draft)) else ""
        free = [path for path in self.settings if self.priced == "list" and path not in self.prices]
        text += f"; the game has no price of {listed(free)}" if free else ""
        return text if self.complete else f"{text}; interrupted"


@checked
def need(  # noqa: PLR0913 - as docs/rules/decisions.md names them
    scenario: Source,
    vary: str | Mapping[str, Iterable[int] | None],
    target: float | None = None,
    value: str | None = None,
    *,
    side: str | None = None,
    cost: Mapping[str, float] | str | None = None,
    budget: float | None = None,
    most: int = MOST_SETTINGS,
    seed: int = 0,
    pruning: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Need:
    """The smallest setting, or the cheapest combination of settings, that reaches a target.

    Of a field that lowers the value (more enemies) it is the largest setting that is still enough.

    Parameters
    ----------
    vary : str or mapping of str to iterable of int
        The field to change (from the smallest number that it takes, at most 1, up to `most`), or fields and their
        settings (None for the same range).
    target : float, optional
        The value to reach; 0.8 by default.
    value : str, optional
        A value, see `sweep`; by default the question of the battle kind as `side` asks it.
    side : str, optional
        Whose chance; by default the defender's if all fields are the defender's, else the attacker's.
    cost : mapping of str to float, or str, optional
        The price of one more in each field; "list": the game's own prices, by default wherever a field has one; "each":
        1 for each.
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
    search = Search(scenario, vary, value, cost, most, Method(seed=seed, threads=threads), progress, side)
    if budget is not None and target is not None:
        raise ValueError("budget: does not go with target")
    if budget is None and target is None and not is_chance(search.value):
        search.ask(tuple(axis[0] for axis in search.values))  # refuses a value that is no column
        what = meaning(search.draft.battle(), search.draft.data, search.value)
        raise ValueError(f"target: give one; {what} is a number, no chance that could be 80 %")
    goal = None if budget is not None else 0.8 if target is None else target
    if goal is not None:
        search.check_target(goal)
    # More pieces of the other side lower the value; so do more of one's own, if it is the other side's chance. Then no
    # combination may be passed over.
    enemy, headline = next((one, headline) for one, headline in HEADLINE_OF.items() if one != search.side)
    of_enemy = search.value in (f"p_{enemy}", meant(search.draft.battle(), headline))
    pruning = pruning and not of_enemy and all(side_of([path]) == search.side for path in search.paths)
    try:
        if goal is None:
            found: Tried | None = search.within(budget or 0.0, pruning)
        else:
            found = search.one_field(goal) if len(search.paths) == 1 else search.cheapest(goal, pruning)
    except KeyboardInterrupt:
        if not search.answers:
            raise
        best = search.best()
        enough = goal is not None and best.found.value >= goal - ROUNDING
        raise Interrupted(_result(search, best, enough, goal, budget, complete=False)) from None
    return _result(search, found or search.best(), found is not None, goal, budget)


def _result(
    search: Search, best: Tried, enough: bool, target: float | None, budget: float | None, complete: bool = True
) -> Need:
    holds = search.by_headline and search.value in {*TAKEN, *(f"not ({taken})" for taken in TAKEN)}
    return Need(
        enough=enough,
        settings=dict(zip(search.paths, best.settings, strict=True)),
        **best.found._asdict(),
        method=best.method,
        cost=best.cost,
        monotone=search.monotone,
        measure=search.value,
        target=target,
        draft=search.draft,
        side=search.side,
        direction=search.direction,
        trivial=enough and target is not None and search.trivial(best),
        wins=search.other_value(best, f"p_{search.side}") if holds and complete else None,
        budget=budget,
        seed=search.method.seed,
        prices=search.prices,
        priced=search.priced,
        answers=tuple(search.answers.values()),
        complete=complete,
    )


def named_value(scenario: Source, value: str | None) -> str:
    """A value as `need` looks for it, by default that of the kind: "worth" of a plan as the mean that it stands for."""
    asked = studied(scenario)
    return aimed(asked, meant(asked.battle(), value or HEADLINE_OF["attacker"]))[1]


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
