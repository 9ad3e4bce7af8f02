"""Die roll modifiers with their reasons and sources: what is rolled with is the sum of what is explained."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

BOTH_DAYS = (1, 2)
FIRST_DAY = (1,)
SECOND_DAY = (2,)
LAW = "docs/rules/europa_land_siege.md section"


class Modifier(NamedTuple):
    """`fire` and `shock` (at sea: boarding) added to the die of `side` on `days`; `pursuit` to its pursuit."""

    side: str
    days: tuple[int, ...]
    fire: int
    shock: int
    reason: str
    source: str = f"{LAW} 3.2"
    pursuit: int = 0


def total(modifiers: Iterable[Modifier], day: int) -> tuple[int, int]:
    """Sum of Fire and of Shock modifiers of a day."""
    today = [modifier for modifier in modifiers if day in modifier.days]
    return sum(modifier.fire for modifier in today), sum(modifier.shock for modifier in today)
