"""The starts of a fight: each as a scenario of its game, and those that differ only in numbers as one chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import ValidationError

from simulator.rules.battle import Columns, Joined, Misfit, Refusal
from simulator.rules.campaign.plan import UNNAMED, CampaignPlan, PlannedFight, PlannedSide

# The pieces of each side that take part: int64, shape (slots,).
Start = Sequence[np.ndarray]
# One chain for all starts pays from this number of starts on.
LEAST = 4


def fields_of_fight(plan: CampaignPlan, fight: PlannedFight, parts: Sequence[np.ndarray]) -> Any:
    """The checked fields of a fight from this start. Raises Refusal or Misfit with the fight before the field."""
    return checked(plan, fight, plan.scenario(fight, parts))


def checked(plan: CampaignPlan, fight: PlannedFight, data: Any) -> Any:
    """The checked fields of a fight as a scenario. Raises as `fields_of_fight`."""
    battle, path = plan.carry.kinds[fight.kind], f"fight[{plan.fights.index(fight)}]."
    try:
        fields = battle.model.model_validate(data)
        battle.check(fields)
    except ValidationError as error:
        raise Misfit(path, error, battle.model) from None
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
        least = int(self.numbers.sum(axis=1).argmin())
        own = start == least
        alone = self.joined.outcome(type(states)(*(field[own] for field in states)), self.numbers[least].tolist())
        alike = all(np.array_equal(found[name][own], np.broadcast_to(one, own.sum())) for name, one in alone.items())
        return found if alike else None


def in_groups(plan: CampaignPlan, fight: PlannedFight, starts: Sequence[Start]) -> Iterator[StartGroup]:
    """The starts that form one chain with others. Raises as `fields_of_fight`."""
    if not plan.carry.joins or len(starts) < LEAST:
        return
    alike: dict[Any, list[tuple[int, dict[str, int]]]] = {}
    # Many starts have one of their sides in common. (A game whose starts join has nothing that lasts but pieces.)
    known: dict[Any, tuple[str, dict[str, int]]] = {}
    for at, parts in enumerate(starts):
        both = []
        for side, part in zip(fight.sides, parts, strict=True):
            key = side.role, part.tobytes()
            if key not in known:
                known[key] = _parted(side, plan.side_of(fight, side, part))
            both.append(known[key])
        alike.setdefault(tuple([rest for rest, _ in both]), []).append((at, both[0][1] | both[1][1]))
    for same in alike.values():
        yield from _groups(plan, fight, starts, same)


def _parted(side: PlannedSide, table: Mapping[str, Any]) -> tuple[str, dict[str, int]]:
    """The numbers of a force in a fight by their paths, and the text of all else of this side."""
    whole = {name: value for name, value in table.items() if type(value) is int and side.force != UNNAMED}
    rest = {name: value for name, value in table.items() if name not in whole}
    return repr(rest), {f"{side.role}.{name}": value for name, value in whole.items()}


def _groups(
    plan: CampaignPlan, fight: PlannedFight, starts: Sequence[Start], alike: list[tuple[int, dict[str, int]]]
) -> Iterator[StartGroup]:
    """As `in_groups`, for starts that differ only in numbers: (place, number by path) each."""
    known = dict.fromkeys(path for _, numbers in alike for path in numbers)
    table = np.array([[numbers.get(path, 0) for path in known] for _, numbers in alike])
    varied = [at for at, path in enumerate(known) if (table[:, at] != table[0, at]).any()]
    paths, places = [list(known)[at] for at in varied], [at for at, _ in alike]
    if len(alike) < LEAST or not paths:
        return
    data = plan.scenario(fight, starts[places[0]])
    for path, most in zip(paths, table[:, varied].max(axis=0).tolist(), strict=True):
        role, _, field = path.partition(".")
        data[role] = dict(data[role]) | {field: most}
    try:
        built = plan.carry.build(fight.kind, checked(plan, fight, data))
    except (Refusal, Misfit):
        return
    fixed = [path for path in paths if path not in built.starts]
    if len(fixed) == len(paths) or built.joined is None:
        return
    if fixed:
        parts: dict[tuple[int, ...], list[tuple[int, dict[str, int]]]] = {}
        for one in alike:
            parts.setdefault(tuple(one[1].get(path, 0) for path in fixed), []).append(one)
        for part in parts.values():
            yield from _groups(plan, fight, starts, part)
        return
    fields_of_fight(plan, fight, starts[places[int(table.sum(axis=1).argmin())]])
    joined = built.joined(paths, table[:, varied])
    if joined is not None:
        yield StartGroup(places, joined, table[:, varied])
