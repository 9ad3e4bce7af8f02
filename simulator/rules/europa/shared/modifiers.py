"""Die roll modifiers with their reasons and sources: what is rolled with is the sum of what is explained."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

BOTH_DAYS, FIRST_DAY, SECOND_DAY = (1, 2), (1,), (2,)
LAW = "docs/rules/europa_land_siege.md section"


class Modifier(NamedTuple):
    """`fire` and `shock` (at sea: boarding) added to a side's die on `days`; `pursuit` to that of its pursuit."""

    days: tuple[int, ...]
    fire: int
    shock: int
    reason: str
    source: str = f"{LAW} 3.2"
    pursuit: int = 0


def total(modifiers: Iterable[Modifier], step: str, day: int = 0) -> int:
    """Sum of the modifiers of a step: `fire` or `shock` of a day, or `pursuit`."""
    return sum(getattr(modifier, step) for modifier in modifiers if step == "pursuit" or day in modifier.days)


class Bonus(NamedTuple):
    """A modifier of a single roll with its reason."""

    value: int
    reason: str


def sum_of(bonuses: Iterable[Bonus]) -> int:
    """The modifiers of the die."""
    return sum(bonus.value for bonus in bonuses)
