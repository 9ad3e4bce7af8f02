"""The search of `need`: the combinations to answer, and their order."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Literal

import numpy as np

from simulator.analysis.odds.answer import answer, changed
from simulator.analysis.odds.headline import meant
from simulator.analysis.odds.measure import Measure, check_side, is_chance, measure
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.run import Interrupted, Progress
from simulator.analysis.plan.answer import aimed, studied
from simulator.analysis.studies.one_pass import solve_rows
from simulator.rules.battle import Battle
from simulator.rules.toolkit.tolerances import ALIKE, ROUNDING
from simulator.scenarios import ScenarioError, Source
from simulator.scenarios.schema import field_at, unknown_field, whole_numbers
from simulator.scenarios.validation import brief, finite, given_number, not_one_of

MOST_COMBINATIONS = 100_000
MOST_SETTINGS = 100

# Names of the game's price list, and what to write where it has no price.
LISTS = ("list", "muster")
# The value asked by default, by side.
HEADLINE_OF = {"attacker": "headline", "defender": "headline.defender"}
PRICING = "give PATH=PRICE"

Settings = tuple[int, ...]
Direction = Literal["", "rising", "falling", "flat"]


@dataclass(frozen=True)
class Tried:
    """One combination that was answered."""

    settings: Settings
    cost: float
    found: Measure
    method: str


class Search:
    """The combinations of a need, each answered once when it is needed (`answers`)."""

    def __init__(  # noqa: PLR0913, PLR0917 - what `need` takes
        self,
        scenario: Source,
        vary: str | Mapping[str, Iterable[int] | None],
        value: str | None,
        cost: Mapping[str, float] | str | None,
        most: int,
        method: Method,
        progress: Progress | None,
        side: str | None = None,
    ) -> None:
        self.draft = studied(scenario)
        given: dict[str, Iterable[int] | None] = {vary: None} if isinstance(vary, str) else dict(vary)
        if not given:
            raise ValueError("vary: nothing to vary; give a field, like attacker.regiments")
        self.paths = tuple(given)
        if most < 1:
            raise ValueError(f"most: {most} is not allowed; 1 or more")
        self.values = tuple(settings_of(self.draft.battle(), path, given[path], most) for path in self.paths)
        self.priced, self.prices = self._prices(cost)
        self._costs = tuple(self.prices.get(path, 0.0) for path in self.paths)
        size = math.prod(map(len, self.values))
        if size > MOST_COMBINATIONS:
            raise ValueError(f"vary: {size:,} combinations; at most {MOST_COMBINATIONS:,}")
        self.method, self.progress = method, progress
        self.side = side or side_of(self.paths)
        check_side(self.side)
        self.by_headline = value is None
        asked = meant(self.draft.battle(), value or HEADLINE_OF[self.side])
        self.draft, self.value = aimed(self.draft, asked)
        self.answers: dict[Settings, Tried] = {}
        self.direction: Direction = ""
        self.monotone = True
        # The reason for each combination checked: "" if the rules allow it.
        self._refusals: dict[Settings, str] = {}
        self._in_one_pass: dict[Settings, float] | None = None

    def _prices(self, cost: Mapping[str, float] | str | None) -> tuple[str, Mapping[str, float]]:
        """The source of the prices ("list", "each" or "given"), and the price of each field that has one."""
        if cost is None or cost in LISTS:
            listed = self._listed()
            without = [path for path in self.paths if path not in listed]
            if cost == "muster" and without:  # docs/rules/birthright.md 2.4
                raise ValueError(brief(f"cost: {without[0]} has no muster price"))
            if cost is None and not listed:
                cost = "each"
            elif not listed:
                kind = f"{self.draft.battle().game} {self.draft.battle().kind}"
                raise ValueError(brief(f"cost: {kind} lists no price of {self.paths[0]}; {PRICING}"))
            else:
                return "list", listed
        if cost == "each":
            return "each", dict.fromkeys(self.paths, 1.0)
        if isinstance(cost, str):
            raise ValueError(f"cost: {not_one_of(cost, (*LISTS, 'each'))}, or {PRICING}")
        for path, price in cost.items():
            if path not in self.paths:
                raise ValueError(brief(f"cost: {path} is not varied; {', '.join(self.paths)} may have a price"))
            if not finite(price) or price < 0:
                raise ValueError(f"cost.{path}: {given_number(price)} is not allowed; 0 or more")
        return "given", {path: float(price) for path, price in cost.items()}

    def _listed(self) -> dict[str, float]:
        """The prices of the varied fields in the price list of the game."""
        price = self.draft.battle().price
        found = {path: price(self.draft.data, path) for path in self.paths} if price else {}
        return {path: float(one) for path, one in found.items() if one is not None}

    def cost(self, settings: Settings) -> float:
        """The cost of a combination."""
        return sum(price * number for price, number in zip(self._costs, settings, strict=True))

    def check_target(self, target: float) -> None:
        """Raise ValueError for a target that is no number, or not between 0 and 1 for a chance."""
        if not finite(target):
            raise ValueError(f"target: {given_number(target)} is not allowed; give a number like 0.8")
        if is_chance(self.value) and not 0 <= target <= 1:
            raise ValueError(f"target: {target:g} is not allowed; a chance is from 0 to 1 (80 % is 0.8)")

    def ask(self, settings: Settings) -> Tried | None:
        """The answer for a combination, computed once; None where the rules refuse it."""
        if settings not in self.answers and not self._refusals.get(settings):
            self._answer(settings)
        return self.answers.get(settings)

    def _answer(self, settings: Settings) -> None:
        cost, value = self.cost(settings), self._solved().get(settings)
        if value is not None:
            self._report()
            self.answers[settings] = Tried(settings, cost, Measure(value, value, value), "exact")
            return
        try:
            scenario, _ = changed(self.draft, self.paths, settings)
        except ScenarioError as error:
            self._refusals[settings] = str(error)
            return
        try:
            method = replace(self.method, values=(self.value,))
            odds = answer(scenario, method, self.progress and (lambda done, total: self._report()))
        except Interrupted:
            raise KeyboardInterrupt from None
        self._report()
        self.answers[settings] = Tried(settings, cost, measure(odds, self.value), odds.method)

    def other_value(self, one: Tried, value: str) -> Measure:
        """Another value of a combination."""
        return measure(answer(changed(self.draft, self.paths, one.settings)[0], self.method), value)

    def _solved(self) -> dict[Settings, float]:
        """The values of all combinations that one pass computes."""
        if self._in_one_pass is None:
            rows = list(product(*self.values))
            if len(self.paths) == 1:
                rows = [one for one in rows if self._allowed(one)]
            inner = self.progress and (lambda done, total: self._report())
            found = solve_rows(self.draft, self.paths, rows, (self.value,), inner) if rows else None
            solved = {} if found is None else dict(zip(rows, found[0].tolist(), strict=True))
            self._in_one_pass = {settings: one for settings, one in solved.items() if not math.isnan(one)}
        return self._in_one_pass

    def _report(self) -> None:
        if self.progress:
            self.progress(len(self.answers), None)

    def _reaches(self, settings: Settings, target: float) -> bool:
        one = self.ask(settings)
        return one is not None and one.found.value >= target - ROUNDING

    def _contradicted(self) -> bool:
        """Do two answers show that more of everything can be worse (of a falling value: better)?"""
        settings = np.array(list(self.answers)).reshape(len(self.answers), -1)
        settings = -settings if self.direction == "falling" else settings
        values = np.array([one.found.value for one in self.answers.values()])
        return any(
            (values[(settings >= mine).all(axis=1)] < value - ROUNDING).any()
            for mine, value in zip(settings, values, strict=True)
        )

    def _allowed(self, settings: Settings) -> bool:
        """Do the rules allow this combination?"""
        if settings not in self._refusals:
            try:
                changed(self.draft, self.paths, settings)
                self._refusals[settings] = ""
            except ScenarioError as error:
                self._refusals[settings] = str(error)
        return not self._refusals[settings]

    def one_field(self, target: float) -> Tried | None:
        """The smallest setting of the only field that is enough; of a falling value the largest.

        Double, then bisect; a scan from that end where the value turns.
        """
        allowed: list[Settings] = [(number,) for number in self.values[0] if self._allowed((number,))]
        if not allowed:
            raise self._all_refused()
        self.direction = self._way(allowed)
        falling = self.direction == "falling"
        # The first setting that is enough; of a falling value the first that is not.
        turn = self._turn(allowed, lambda one: self._reaches(one, target) != falling)
        place = turn - 1 if falling else turn
        found = allowed[place] if 0 <= place < len(allowed) else None
        if self._contradicted():
            self.monotone = False
            inwards = reversed(allowed) if falling else iter(allowed)
            found = next((one for one in inwards if self._reaches(one, target)), None)
        return None if found is None else self.ask(found)

    def _way(self, allowed: Sequence[Settings]) -> Direction:
        """Does more raise or lower the value? The first setting whose value differs from that of the lowest tells.

        Settings without a value (nan: no plan exists) are passed over.
        """
        first = None
        for settings in allowed:
            one = self.ask(settings)
            if one is None or math.isnan(one.found.value):
                continue
            first = first or one
            if one.found.low > first.found.high + ROUNDING:
                return "rising"
            if one.found.high < first.found.low - ROUNDING:
                return "falling"
        return "flat"

    def _turn(self, allowed: Sequence[Settings], turned: Callable[[Settings], bool]) -> int:
        """The place of the first setting that has `turned`, if all after it have; its neighbours are answered."""
        last, low, high = len(allowed) - 1, -1, 0
        while not turned(allowed[high]):
            if high == last:
                return len(allowed)
            low, high = high, min(2 * high + 1, last)
        while high - low > 1:
            middle = (low + high) // 2
            if turned(allowed[middle]):
                high = middle
            else:
                low = middle
        for near in {max(high - 1, 0), min(high + 1, last)}:
            self.ask(allowed[near])
        return high

    def trivial(self, found: Tried) -> bool:
        """Is nothing found: is the lowest setting of each field (of a falling value the highest) enough?"""
        end = -1 if self.direction == "falling" else 0
        allowed = [
            [one for one in axis if self._allowed((one,))] if len(self.paths) == 1 else axis for axis in self.values
        ]
        return found.settings == tuple(axis[end] for axis in allowed)

    def _in_order(self) -> list[Settings]:
        return sorted(product(*self.values), key=lambda one: (self.cost(one), one))

    def cheapest(self, target: float, pruning: bool) -> Tried | None:
        """The cheapest combination that reaches the target."""
        top = tuple(values[-1] for values in self.values)
        if pruning and self.ask(top) and not self._reaches(top, target) and not self._contradicted():
            return None
        order = self._in_order()
        found = self._scanned(order, target, pruning)
        if pruning and self._contradicted():
            self.monotone = False
            found = self._scanned(order, target, False)
        self.monotone = self.monotone and not self._contradicted()
        return _cheapest_largest(found) if found else None

    def _scanned(
        self,
        order: Sequence[Settings],
        target: float,
        pruning: bool,
        failed: Sequence[Settings] = (),
        most: float = math.inf,
    ) -> list[Tried]:
        """All equally cheap combinations that reach the target first, in ascending cost up to `most`.

        Pruning passes over those that are nowhere larger than one that `failed`.
        """
        found: list[Tried] = []
        for settings in order:
            if self.cost(settings) > most + ALIKE:
                break
            if pruning and any(_below(settings, other) for other in failed):
                continue
            one = self.ask(settings)
            if one and one.found.value >= target - ROUNDING:
                found.append(one)
                most = min(most, one.cost)
            elif one:
                failed = [*(other for other in failed if not _below(other, settings)), settings]
        return found

    def within(self, budget: float, pruning: bool) -> Tried:
        """The largest value among the combinations that cost at most the budget; of equal ones the cheapest."""
        if not finite(budget) or budget < 0:
            raise ValueError(f"budget: {given_number(budget)} is not allowed; give a number, 0 or more")
        order = self._in_order()
        if self.cost(order[0]) > budget + ALIKE:
            cheapest = self.cost(order[0])
            raise ValueError(f"budget: {budget:g} is not allowed; the cheapest combination costs {cheapest:g}")
        inside = [one for one in order if self.cost(one) <= budget + ALIKE]
        for settings in self._not_raisable(inside) if pruning else inside:
            self.ask(settings)
        if pruning and self.answers:
            best = self.best()
            worse = [one.settings for one in self.answers.values() if one.found.value < best.found.value - ROUNDING]
            self._scanned(inside, best.found.value, pruning, worse, best.cost)  # cheaper ones that are as good
        if pruning and (self._contradicted() or not self.answers):
            self.monotone = False
            for settings in inside:
                self.ask(settings)
        self.monotone = self.monotone and not self._contradicted()
        return self.best()

    def _not_raisable(self, inside: Sequence[Settings]) -> Iterator[Settings]:
        """The combinations of which no field can be raised within the budget."""
        known = set(inside)
        following = [dict(pairwise(values)) for values in self.values]
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
        if not self.answers:
            raise self._all_refused()
        return _cheapest_largest(list(self.answers.values()))

    def _all_refused(self) -> ValueError:
        """The refusal of the cheapest combination, where all are refused."""
        first = self._in_order()[0]
        self._allowed(first)
        return ScenarioError(f"vary: {self._refusals[first]}")


def side_of(paths: Sequence[str]) -> str:
    """The side whose fields these are: the defender if all are his, else the attacker."""
    return "defender" if all(re.match(r"(policy\.)?defender\b", path) for path in paths) else "attacker"


def settings_of(battle: Battle, path: str, given: Iterable[int] | None, most: int) -> Settings:
    """The settings of a field, sorted. Raises ScenarioError for a path that is no field, ValueError."""
    if field_at(battle, path) is None:
        raise ScenarioError(unknown_field(battle, path))
    if given is not None:
        values = list(given)
        for one in values:
            if isinstance(one, bool) or not isinstance(one, int):
                raise ValueError(f"vary: {path} = {one!r} is not allowed; give whole numbers")
        if values:
            return tuple(sorted(set(values)))
        raise ValueError(f"vary: {path} has no values")
    span = whole_numbers(battle, path)
    if span is None:
        raise ValueError(f"vary: {path} takes no whole number")
    low, high = span
    # 0 pieces of a side is a setting; 0 in the rules mostly means "never", beside 1 = "hits on 1 or more".
    of_rules = low == 0 and path.startswith("rules.")
    first = 1 if low is None or of_rules else min(low, 1) if low <= 1 else low
    last = most if high is None else min(most, high)
    return tuple(range(first, max(first, last) + 1))


def _cheapest_largest(found: Sequence[Tried]) -> Tried:
    """The cheapest of those within `ROUNDING` of the largest value; of equally cheap ones the smallest settings.

    Those without a value (nan) come last.
    """
    found = [one for one in found if not math.isnan(one.found.value)] or found
    largest = max(one.found.value for one in found)
    equal = [one for one in found if not one.found.value < largest - ROUNDING]
    cheapest = min(one.cost for one in equal)
    return min((one for one in equal if one.cost <= cheapest + ALIKE), key=lambda one: one.settings)


def _below(one: Settings, other: Settings) -> bool:
    """Is one combination nowhere larger than another, and not equal to it?"""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))
