"""Losses from a stack, and siege attrition (docs/rules/europa_land_siege.md sections 4.2 and 4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.engine.model.chance import Row, combine_all, row_of, seen_as
from simulator.rules.europa.shared.stacks import LD
from simulator.rules.europa.tables import Book
from simulator.rules.toolkit.losses import left_along

if TYPE_CHECKING:
    from simulator.rules.europa.shared.land_model import Side

LOWEST, HIGHEST = 5, 15
MOST_PILLAGES = 4
TEN_DETACHMENTS = 30
# An attrition result: thirds left * PILLAGE_SIDES + sides of PILLAGE.
PILLAGE_SIDES = 8
EARLY = ("medieval", "renaissance", "arquebus")

# The fields of a side that hold the numbers of its counters, in the order of `Counters`.
COUNTER_FIELDS = ("army_plus", "army_minus", "land_detachments", "exploration_detachments")


class Counters(NamedTuple):
    """The parts of a stack."""

    army_plus: int
    army_minus: int
    detachments: int
    explorers: int

    @classmethod
    def of(cls, side: Any) -> Counters:
        """The counters of a side of a scenario."""
        return cls(*(getattr(side, name) for name in COUNTER_FIELDS))

    @property
    def has_army(self) -> bool:
        """Is there an ARMY counter in it?"""
        return self.army_plus + self.army_minus > 0


def counters_by_size(side: Side, keep_best: bool) -> list[Counters]:
    """Counters of a stack when it is down to 0, 1, 2 ... thirds, up to its present size (section 4.2).

    Whole LD come off as thirds do: whichever way a number of thirds is lost, the same counters are left.
    """

    def third(left: list[int]) -> None:
        """A loose LDE, else a loose LD becomes 2 LDE, else a counter is broken."""
        plus, minus, loose, explorers = left
        if explorers:
            left[:] = plus, minus, loose, explorers - 1
        elif loose:
            left[:] = plus, minus, loose - 1, 2
        elif minus and (keep_best or not plus):
            left[:] = plus, minus - 1, 1, 2
        else:
            left[:] = plus - 1, minus + 1, 1, 2

    return [Counters(*row) for row in left_along(Counters.of(side), third)[::-1].tolist()]


def with_room(sizes: list[Counters], most: int) -> list[Counters]:
    """Counters by thirds up to `most`: who enters a fortress, in whole LD, is loose there."""
    (plus, minus, loose, explorers), size = sizes[-1], len(sizes) - 1
    return sizes + [Counters(plus, minus, loose + n // LD, explorers + n % LD) for n in range(1, most - size + 1)]


def remainders(book: Book, thirds: int, percent: int) -> Counter[int]:
    """Thirds left after a loss of `percent`, with weights: tens, whole detachments and loose thirds are read apart."""
    if percent in {0, 100}:
        return Counter({thirds if percent == 0 else 0: 1})
    flips = []
    whole, loose = thirds - thirds % LD, thirds % LD
    for part in [TEN_DETACHMENTS] * (whole // TEN_DETACHMENTS) + [whole % TEN_DETACHMENTS, loose]:
        if part:
            left, coin = book.remainders[part, percent]
            flips.append({left: 1, left - 1: 1} if coin and left else {left: 2})
    return combine_all(flips, add, 0)


class Pillaging(NamedTuple):
    """The choice of a stack for a result P in Europe; GARRISON: troops inside always lose a LD."""

    technology: str
    policy: str

    def after(self, pillages: int) -> tuple[int, int]:
        """(LD lost for a P, sides of PILLAGE then): medieval to arquebus a LD and a pillage, others by policy."""
        early = self.technology in EARLY
        loses = early or self.policy == "lose-detachment" or pillages >= MOST_PILLAGES
        adds = early or self.policy == "pillage"
        return int(loses), min(MOST_PILLAGES, pillages + 1) if adds else pillages


GARRISON = Pillaging("", "lose-detachment")


def clamped(die: int) -> int:
    """A modified attrition die."""
    return min(HIGHEST, max(LOWEST, die))


def attrition_by(book: Book, thirds: int, pillages: int, modified: int, habit: Pillaging | None) -> Counter[int]:
    """Attrition of a stack by a modified die: thirds left * 8 + sides of PILLAGE, with weights.

    `habit` None outside Europe.
    """
    die = clamped(modified)
    if habit is None:
        rest = remainders(book, thirds, book.attrition_percent[die])
        return seen_as(rest, lambda left: left * PILLAGE_SIDES + pillages)
    lost, pillage = book.attrition_europe(die, thirds // LD)
    more, sides = habit.after(pillages) if pillage else (0, pillages)
    return Counter([max(0, thirds - LD * (lost + more)) * PILLAGE_SIDES + sides])


@lru_cache(maxsize=4096)
def attrition(book: Book, thirds: int, pillages: int, drm: int, habit: Pillaging | None) -> Mapping[int, int]:
    """Siege attrition of a stack: results of `attrition_by` with their weights."""
    found: Counter[int] = Counter()
    for face in range(1, 11):
        results = attrition_by(book, thirds, pillages, face + drm, habit)
        for result, weight in results.items():  # at most two coins are flipped for a face
            found[result] += weight * 4 // results.total()
    return found


@lru_cache(maxsize=4096)
def attrition_table(book: Book, thirds: int, pillages: int, drm: int, habit: Pillaging | None) -> Row:
    """`attrition` as a chance table."""
    return row_of(attrition(book, thirds, pillages, drm, habit))
