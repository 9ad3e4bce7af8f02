"""Plan a turn: which pieces attack, or defend, where (docs/rules/plan.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.plan import words
from simulator.analysis.plan.choices import Division, away
from simulator.analysis.plan.columns import Columns, Progress, columns_of, variance
from simulator.analysis.plan.first_plan import known_at_first
from simulator.analysis.plan.front_campaign import added, campaign_of
from simulator.analysis.plan.programme import Programme
from simulator.analysis.plan.reading import read
from simulator.analysis.plan.turn import Turn
from simulator.analysis.result import Result, frame
from simulator.rules import PLAN
from simulator.scenarios import ScenarioError, Source, draft
from simulator.scenarios.arguments import checked
from simulator.scenarios.kinds import worded
from simulator.scenarios.uncertain import refuse

if TYPE_CHECKING:
    import pandas as pd

MOST_ALTERNATIVES = 100
Orders = dict[str, dict[str, dict[str, int]]]


@dataclass(frozen=True)
class UnitWorth:
    """The value of one more, and the loss by one fewer, of a piece in a place; None where it does not apply."""

    place: str
    piece: str
    more: float | None
    less: float | None


@dataclass(frozen=True, repr=False)
class Plan(Result):
    """The best division of a turn's pieces (docs/rules/plan.md section 4.1).

    `value`: the plan's worth, chance or price, by the `objective`; `enough` is false if there is no plan, and then
    numbers are None and tables empty. `interrupted`: alternatives and the worth of units are incomplete. `bound`: after
    a search that was interrupted, the value that no plan passes (of a price: goes below); None where this is the best.
    """

    turn: Turn
    columns: tuple[Columns, ...]
    best: Division | None
    next_best: tuple[Division, ...] = ()
    units_worth: tuple[UnitWorth, ...] = ()
    leave: Mapping[str, float | None] = field(default_factory=dict)
    interrupted: bool = False
    bound: float | None = None

    json_fields = (
        "objective",
        "enough",
        "value",
        "gap",
        "worth",
        "std",
        "chance_all",
        "number",
        "cost",
        "orders",
        "home",
    )
    json_rows = "targets"

    @property
    def objective(self) -> str:
        """The objective: worth, all or cheapest."""
        return self.turn.file.objective

    @property
    def enough(self) -> bool:
        """Is there a plan?"""
        return self.best is not None

    @property
    def value(self) -> float | None:
        """The worth, chance or price of the plan."""
        return None if self.best is None else self.best.value

    @property
    def gap(self) -> float | None:
        """By how much the best plan may be better than this one: 0 but after an interrupted search."""
        if self.best is None:
            return None
        return 0.0 if self.bound is None else max(0.0, abs(self.bound - self.best.value))

    def _sum(self, of: str) -> float | None:
        if self.best is None:
            return None
        return float(sum(getattr(one, of)[at] for one, at in zip(self.columns, self.best.columns, strict=True)))

    @property
    def worth(self) -> float | None:
        """Expected worth of all attacks and holds."""
        return self._sum("worth")

    @cached_property
    def std(self) -> float | None:
        """Standard deviation of the worth: the battles are independent."""
        if self.best is None:
            return None
        chosen = zip(self.turn.fronts, self.columns, self.best.columns, strict=True)
        return sqrt(sum(variance(self.turn, front, one.numbers[at]) for front, one, at in chosen))

    @cached_property
    def counted(self) -> list[int]:
        """The fronts that count: targets attacked and holds that a piece of ours defends; only the aims, if named."""
        if self.best is None:
            return []
        active = [at for at, one in enumerate(self.columns) if one.numbers[self.best.columns[at]].any()]
        return [at for at in active if self.objective == "worth" or at in self.turn.aims]

    @property
    def chances(self) -> list[float]:
        """The chance of each front that counts."""
        return (
            [] if self.best is None else [float(self.columns[at].chance[self.best.columns[at]]) for at in self.counted]
        )

    @property
    def chance_all(self) -> float | None:
        """Chance that all that count succeed."""
        return None if self.best is None else float(np.prod(self.chances))

    @property
    def number(self) -> list[float]:
        """Chance that exactly 0, 1, 2 ... of those that count succeed."""
        found = np.ones(1)
        for chance in self.chances:
            found = np.convolve(found, [1 - chance, chance])
        return [] if self.best is None else found.tolist()

    @property
    def cost(self) -> float | None:
        """Price of the pieces sent."""
        if self.best is None:
            return None
        return float(away(self.turn, self.best.sent) @ self.turn.price)

    @property
    def orders(self) -> Orders:
        """The pieces from each place on each front."""
        return {} if self.best is None else self._orders_of(self.best)

    def _orders_of(self, choice: Division) -> Orders:
        """As `orders`, of another division."""
        found: Orders = {}
        for at, front in enumerate(self.turn.fronts):
            for place, name in enumerate(self.turn.places):
                if pieces := self._named(choice.sent[place, at]):
                    found.setdefault(front.name, {})[name] = pieces
        return found

    @property
    def home(self) -> dict[str, dict[str, int]]:
        """The pieces that stay and defend no hold."""
        if self.best is None:
            return {}
        left = self.turn.here - self.best.sent.sum(axis=1)
        found = {name: self._named(left[place]) for place, name in enumerate(self.turn.places)}
        return {name: pieces for name, pieces in found.items() if pieces}

    def _named(self, numbers: np.ndarray) -> dict[str, int]:
        return {name: int(n) for name, n in zip(self.turn.names, numbers, strict=True) if n}

    @cached_property
    def targets(self) -> pd.DataFrame:
        """A row for each target, then for each hold: who goes there, its chances, losses and worth."""
        return frame(self.rows(), TARGETS)

    @cached_property
    def alternatives(self) -> pd.DataFrame:
        """The next best plans: rank, value, how far behind, orders."""
        return frame(list(self._alternatives()), ("rank", "value", "behind", "orders"))

    def _alternatives(self) -> Iterator[dict[str, Any]]:
        assert self.best is not None or not self.next_best
        for rank, one in enumerate(self.next_best, start=2):
            behind = self.best.value - one.value if self.best else 0.0
            behind = -behind if self.objective == "cheapest" else behind
            yield {"rank": rank, "value": one.value, "behind": behind, "orders": self._orders_of(one)}

    @cached_property
    def units(self) -> pd.DataFrame:
        """The worth of one more, and of one fewer, of each piece in each place."""
        return frame([vars(one) for one in self.units_worth], ("place", "piece", "more", "less"))

    def rows(self) -> list[dict[str, Any]]:
        """The rows of `targets`."""
        if self.best is None:
            return []
        found = []
        for at, (front, columns) in enumerate(zip(self.turn.fronts, self.columns, strict=True)):
            which = self.best.columns[at]
            numbers = columns.numbers[which]
            there = bool(numbers.any())
            figures = {
                name: float(getattr(columns, name)[which])
                for name in ("taken", "chance", "own_lost", "enemy_lost", "worth")
            }
            found.append({
                "target": front.name, "hold": front.hold, "attacked": there,
                "sent": ", ".join(words.pieces_in_words(self._named(numbers))) if there else "",
            } | figures | {"leave": self.leave.get(front.name)})  # fmt: skip
        return found

    @property
    def headline(self) -> str:
        """The plan in one sentence."""
        return words.sentence(self)

    @property
    def sentence(self) -> str:
        """The plan in one sentence."""
        return self.headline

    def how(self) -> str:
        """The method."""
        size = sum(map(len, self.columns))
        stopped = "; interrupted: alternatives and the worth of units are incomplete" if self.interrupted else ""
        if self.bound is not None:
            stopped = f"; interrupted: {words.gap(self)}"
        return f"exact, {size:,} attacks and defences weighed{stopped}"

    def assumptions(self) -> list[str]:
        """The assumptions of the plan."""
        return words.assumptions(self.turn)

    def campaign(self, name: str) -> dict[str, Any]:
        """The attack on a target, or the enemy's on a hold, as planned: a campaign to go on from.

        Parameters
        ----------
        name : str
            The target, or the hold.

        Returns
        -------
        dict
            The tables of a campaign (docs/rules/campaigns.md).

        Raises
        ------
        ValueError
            For a name that the plan does not have, and for a target that is left alone.

        Examples
        --------
        >>> plan("plan-eastern-front").campaign("ukraine")["force"]["us"]
        {'infantry': 3, 'tank': 2}
        """
        names = [front.name for front in self.turn.fronts]
        if name not in names:
            raise ValueError(f"target: {name!r} is not in this plan; it has {', '.join(names)}")
        at = names.index(name)
        numbers = self.columns[at].numbers[self.best.columns[at]] if self.best else np.zeros(0)
        if not numbers.any():
            raise ValueError(f"target: {name} is left alone")
        pieces = [one.one for one, n in zip(self.turn.pieces, numbers, strict=True) for _ in range(n)]
        return campaign_of(self.turn, self.turn.fronts[at], added(pieces))


TARGETS = ("target", "hold", "attacked", "sent", "taken", "chance", "own_lost", "enemy_lost", "worth", "leave")


@checked
def plan(scenario: Source, k: int = 5, *, progress: Progress | None = None) -> Plan:
    """Find out which pieces should attack which target, and what must stay to hold a place.

    Parameters
    ----------
    scenario : mapping, str or Path
        A plan (`game = "plan"`, docs/rules/plan.md): a mapping, a TOML or JSON file, or the name of an example.
    k : int
        The number of alternatives, 0 to 100.
    progress : callable, optional
        Called with the attacks weighed and their number.

    Returns
    -------
    Plan
        The best division, the next best, and the worth of every unit and target.

    Raises
    ------
    ScenarioError
        For an invalid plan; the message begins with the wrong field.
    NoExactOdds
        For more than 250,000 attacks, or a battle too large for exact odds: a plan is never simulated.
    ValueError
        For `k` outside 0 to 100.

    Examples
    --------
    >>> round(plan("plan-three-borders").worth, 4)
    4.8298
    """
    if not 0 <= k <= MOST_ALTERNATIVES:
        raise ValueError(f"k: {k} is not allowed; 0 to {MOST_ALTERNATIVES}")
    given = draft(scenario)
    if given.data.get("game") != PLAN:
        what = f"{given.data['game']!r} is no plan" if "game" in given.data else "is needed"
        raise ScenarioError(f'game: {what}; a plan has game = "plan"')
    refuse(given.data)
    turn = worded(lambda: read(given.data, given.folder, given.paths))
    found = columns_of(turn, progress)
    return divided(turn, found, k)


def divided(turn: Turn, found: list[Columns], k: int, alone: bool = False) -> Plan:
    """The plan of a turn from the columns of its fronts; after Ctrl-C the best so far.

    `alone`: without alternatives, and without the worth of units and targets.
    """
    division = Programme(turn, found)
    division.known = known = known_at_first(division.choices)
    try:
        best = division.best()
    except KeyboardInterrupt:
        if known.choice is None:
            raise
        return Plan(turn, tuple(found), known.choice, interrupted=True, bound=known.bound)
    division.known = None  # the rest looks for other plans, and for those with other pieces
    if best is None or alone:
        return Plan(turn, tuple(found), best)
    objective = turn.file.objective
    more: dict[str, Any] = {"next_best": (), "units_worth": (), "leave": {}}
    try:
        differ = turn.file.differ if objective == "worth" else "pieces"
        whole = Programme(turn, found, whole=True) if differ == "pieces" else division
        for another in whole.next_best(best, k, differ):
            more["next_best"] += (another,)
        largest = division.largest() if objective != "cheapest" else 0.0
        if objective != "cheapest":
            for unit in _units(division, turn, largest):
                more["units_worth"] += (unit,)
        if objective == "worth":
            more["leave"] = dict(_leave(division, turn, best, largest))
    except KeyboardInterrupt:
        more["interrupted"] = True
    return Plan(turn, tuple(found), best, **more)


def _units(division: Programme, turn: Turn, largest: float) -> Iterator[UnitWorth]:
    """The worth of one more and one fewer of each piece in each place."""
    leaving = turn.here - turn.staying
    for place, piece in np.argwhere(turn.written).tolist():
        less = largest - division.value_with(place, piece, -1) if leaving[place, piece] else None
        more = division.value_with(place, piece, 1) - largest
        yield UnitWorth(turn.places[place], turn.names[piece], more, less)


def _leave(division: Programme, turn: Turn, best: Division, largest: float) -> Iterator[tuple[str, float | None]]:
    """The worth lost without attacks on a target, or if no piece comes to a hold from elsewhere."""
    for at, front in enumerate(turn.fronts):
        used = division.found[at].numbers[best.columns[at]].any()
        without = division.best_without(at) if used else largest
        yield front.name, None if without is None else max(0.0, largest - without)
