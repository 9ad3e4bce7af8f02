"""The starts of a fight: each as a scenario of its game, and those that differ only in numbers as one chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.rules.battle import Columns, Joined, Misfit, Refusal
from simulator.rules.campaign.plan import UNNAMED, CampaignPlan, PlannedFight
from simulator.rules.toolkit.policies import fitted

# The pieces of each side that take part: int64, shape (slots,).
Start = Sequence[np.ndarray]
# One chain for all starts pays from this number of starts on.
LEAST = 4


def fields_of_fight(plan: CampaignPlan, fight: PlannedFight, parts: Sequence[np.ndarray], check: bool = True) -> Any:
    """The fields of a fight from this start, checked unless a start with the same sides was.

    Raises Refusal or Misfit with the fight before the field.
    """
    try:
        data = plan.scenario(fight, parts)
    except Refusal as refusal:
        raise refusal.within(f"fight[{plan.fights.index(fight)}].") from None
    return checked(plan, fight, data, check)


def checked(plan: CampaignPlan, fight: PlannedFight, data: Any, check: bool = True) -> Any:
    """The fields of a fight as a scenario. Raises as `fields_of_fight`."""
    battle, path = plan.carry.kinds[fight.kind], f"fight[{plan.fights.index(fight)}]."
    fields = fitted(battle.model, data, path)
    try:
        if check:
            battle.check(fields)
    except Refusal as refusal:
        raise Refusal(path + refusal.field, refusal.text) from None
    return fields


@dataclass
class StartGroup:
    """Starts that are one chain: their `places` among all starts, and the numbers that differ, int64, shape (starts,
    numbers).
    """

    places: list[int]
    joined: Joined
    numbers: np.ndarray

    @property
    def least(self) -> int:
        """The start with the fewest pieces."""
        return int(self.numbers.sum(axis=1).argmin())

    def columns(self, states: Any, start: np.ndarray) -> Columns:
        """The columns of final states; `start` is the start of each (int64, shape (states,), ascending)."""
        found = self._linear(states, start)
        if found is not None:
            return found
        bounds = np.searchsorted(start, np.arange(len(self.places) + 1))
        parts = []
        for at, numbers in enumerate(self.numbers.tolist()):
            rows = slice(bounds[at], bounds[at + 1])
            size = bounds[at + 1] - bounds[at]
            own = self.joined.outcome(type(states)(*(field[rows] for field in states)), numbers)
            parts.append({name: np.broadcast_to(values, size) for name, values in own.items()})
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _linear(self, states: Any, start: np.ndarray) -> Columns | None:
        """The columns of all starts from those of the largest one, since a column changes by the same amount for every
        piece less (`Built.starts`). None where one does not.
        """
        top, size = self.numbers.max(axis=0), len(start)
        whole = {name: np.broadcast_to(v, size) for name, v in self.joined.outcome(states, top.tolist()).items()}
        found, less = dict(whole), top - self.numbers[start]
        for place in np.flatnonzero(less.any(axis=0)):
            fewer = self.joined.outcome(states, (top - (np.arange(len(top)) == place)).tolist())
            for name, values in whole.items():
                if np.array_equal(fewer[name], values):
                    continue
                steps = fewer[name] - values if values.dtype.kind in "if" else np.zeros(0)
                if len(np.unique(steps)) != 1:
                    return None
                found[name] = found[name] + less[:, place] * steps[0]
        own = start == self.least
        alone = self.joined.outcome(type(states)(*(field[own] for field in states)), self.numbers[self.least].tolist())
        alike = all(np.array_equal(found[name][own], np.broadcast_to(one, own.sum())) for name, one in alone.items())
        return found if alike else None


def in_groups(plan: CampaignPlan, fight: PlannedFight, starts: Sequence[Start]) -> Iterator[StartGroup]:
    """The starts that form one chain with others. Raises as `fields_of_fight`."""
    if not plan.carry.joins or len(starts) < LEAST:
        return
    table = dict[str, np.ndarray]()
    for at, side in enumerate(fight.sides):
        if side.force != UNNAMED:
            pieces = np.array([parts[at] for parts in starts])
            numbers = plan.carry.numbers(fight.kind, side.role, plan.tables(side), pieces)
            table |= {f"{side.role}.{name}": values for name, values in numbers.items()}
    if table:
        yield from _groups(plan, fight, starts, table, np.arange(len(starts)))


def _groups(
    plan: CampaignPlan,
    fight: PlannedFight,
    starts: Sequence[Start],
    table: Mapping[str, np.ndarray],
    chosen: np.ndarray,
) -> Iterator[StartGroup]:
    """As `in_groups`, for the chosen starts; `table`: the numbers of all starts by their paths."""
    known = {path: numbers[chosen] for path, numbers in table.items()}
    known = {path: numbers for path, numbers in known.items() if (numbers != numbers[0]).any()}
    if len(chosen) < LEAST or not known:
        return
    data = plan.scenario(fight, starts[chosen[0]])
    for path, numbers in known.items():
        role, _, field = path.partition(".")
        data[role] = dict(data[role]) | {field: int(numbers.max())}
    try:
        built = plan.carry.build(fight.kind, checked(plan, fight, data))
    except (Refusal, Misfit):
        return
    fixed = [path for path in known if path not in built.starts]
    if len(fixed) == len(known) or built.joined is None:
        return
    if fixed:
        which = np.unique([known[path] for path in fixed], axis=1, return_inverse=True)[1].ravel()
        for part in range(which.max() + 1):
            yield from _groups(plan, fight, starts, table, chosen[which == part])
        return
    settings = np.array(list(known.values())).T
    fields_of_fight(plan, fight, starts[chosen[int(settings.sum(axis=1).argmin())]])
    joined = built.joined(list(known), settings)
    if joined is not None:
        yield StartGroup(chosen.tolist(), joined, settings)
