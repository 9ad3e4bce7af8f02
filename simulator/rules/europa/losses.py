"""Losses from a stack, and siege attrition (docs/rules/europa_land_siege.md sections 4.2 and 4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from simulator.engine.chance import combine
from simulator.rules.europa.stacks import LD, size_of
from simulator.rules.europa.tables import Book

if TYPE_CHECKING:
    from simulator.rules.europa.model import Side

LOWEST, HIGHEST = 5, 15
MOST_PILLAGES = 4
TEN_DETACHMENTS = 30
# An attrition result: thirds left * PILLAGE_SIDES + sides of PILLAGE.
PILLAGE_SIDES = 8
EARLY = ("medieval", "renaissance", "arquebus")


class Counters(NamedTuple):
    """What a stack consists of."""

    army_plus: int
    army_minus: int
    detachments: int
    explorers: int

    @property
    def has_army(self) -> bool:
        """Is there an ARMY counter in it?"""
        return self.army_plus + self.army_minus > 0


def one_third_less(stack: Counters, keep_best: bool) -> Counters:
    """A stack after the loss of a third: a loose LDE, else a loose LD becomes 2 LDE, else a counter is broken.

    Whole LD come off in the same way: whichever way a number of thirds is lost, the same counters are left.
    """
    plus, minus, loose, explorers = stack
    if explorers:
        return Counters(plus, minus, loose, explorers - 1)
    if loose:
        return Counters(plus, minus, loose - 1, 2)
    if minus and (keep_best or not plus):
        return one_third_less(Counters(plus, minus - 1, 2, 0), keep_best)
    return one_third_less(Counters(plus - 1, minus + 1, 2, 0), keep_best)


def counters_by_size(side: Side, keep_best: bool) -> list[Counters]:
    """Counters of a stack when it is down to 0, 1, 2 ... thirds, up to its present size."""
    found = [Counters(side.army_plus, side.army_minus, side.land_detachments, side.exploration_detachments)]
    for _ in range(size_of(side)):
        found.append(one_third_less(found[-1], keep_best))
    return found[::-1]


def remainders(book: Book, thirds: int, percent: int) -> Counter[int]:
    """Thirds left after a loss of `percent`, with weights: tens, whole detachments and loose thirds are read apart."""
    if percent in {0, 100}:
        return Counter({thirds if percent == 0 else 0: 1})
    found: Counter[int] = Counter({0: 1})
    whole, loose = thirds - thirds % LD, thirds % LD
    for part in [TEN_DETACHMENTS] * (whole // TEN_DETACHMENTS) + [whole % TEN_DETACHMENTS, loose]:
        if part:
            left, coin = book.remainders[part, percent]
            flips = Counter({left: 1, max(0, left - 1): 1}) if coin and left else Counter({left: 2})
            found = combine(found, flips, lambda a, b: a + b)
    return found


class Pillaging(NamedTuple):
    """What a besieger does with a result P in Europe."""

    technology: str
    policy: str

    def after(self, pillages: int) -> tuple[int, int]:
        """(LD lost for a P, sides of PILLAGE then): medieval to arquebus a LD and a pillage, others by policy."""
        early = self.technology in EARLY
        loses = early or self.policy == "lose-detachment" or pillages >= MOST_PILLAGES
        adds = early or self.policy == "pillage"
        return int(loses), min(MOST_PILLAGES, pillages + 1) if adds else pillages


def europe_besieger(book: Book, thirds: int, pillages: int, die: int, habit: Pillaging) -> tuple[int, int]:
    """Thirds left and sides of PILLAGE after a modified die."""
    lost, pillage = book.attrition_europe(die, thirds // LD)
    more, sides = habit.after(pillages) if pillage else (0, pillages)
    return max(0, thirds - LD * (lost + more)), sides


def europe_garrison(book: Book, thirds: int, die: int) -> int:
    """Thirds left of a garrison after a modified die: a P is always a LD."""
    return max(0, thirds - LD * sum(book.attrition_europe(die, thirds // LD)))


def clamped(die: int) -> int:
    """A modified attrition die."""
    return min(HIGHEST, max(LOWEST, die))


@lru_cache(maxsize=4096)
def besieger_rolls(book: Book, thirds: int, pillages: int, drm: int, habit: Pillaging | None) -> Mapping[int, int]:
    """Thirds left * 8 + sides of PILLAGE, with weights; `habit` None outside Europe."""

    def after(die: int) -> Counter[int]:
        if habit is None:
            rest = remainders(book, thirds, book.attrition_percent[die])
            return Counter({left * PILLAGE_SIDES + pillages: weight for left, weight in rest.items()})
        left, sides = europe_besieger(book, thirds, pillages, die, habit)
        return Counter([left * PILLAGE_SIDES + sides])

    return _rolled(after, drm)


@lru_cache(maxsize=4096)
def garrison_rolls(book: Book, thirds: int, drm: int, europe: bool) -> Mapping[int, int]:
    """Thirds left of a garrison, with weights."""
    if europe:
        return _rolled(lambda die: Counter([europe_garrison(book, thirds, die)]), drm)
    return _rolled(lambda die: remainders(book, thirds, book.attrition_percent[die]), drm)


def _rolled(after: Callable[[int], Counter[int]], drm: int) -> Counter[int]:
    """Results of all faces with a common weight: at most two coins are flipped for a face."""
    found: Counter[int] = Counter()
    for face in range(1, 11):
        results = after(clamped(face + drm))
        for result, weight in results.items():
            found[result] += weight * 4 // results.total()
    return found
