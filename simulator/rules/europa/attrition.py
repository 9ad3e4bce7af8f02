"""Losses from a stack and siege attrition (rules/europa_land_siege.md sections 4.2 and 4.3)."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from simulator.engine.chance import combine
from simulator.rules.europa.sheets import TECHNOLOGIES
from simulator.rules.europa.stacks import LD, size_of
from simulator.rules.europa.tables import Book

FACES = range(1, 11)
LOWEST, HIGHEST = 5, 15
MOST_PILLAGES = 4
TEN_LD = 30


class Counters(NamedTuple):
    """What a stack consists of."""

    army_plus: int
    army_minus: int
    detachments: int
    explorers: int


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


def counters_by_size(side: Any, keep_best: bool) -> list[Counters]:
    """Counters of a stack when it is down to 0, 1, 2 ... thirds, up to its present size."""
    stack = Counters(side.army_plus, side.army_minus, side.land_detachments, side.exploration_detachments)
    found = [stack]
    for _ in range(size_of(side)):
        stack = one_third_less(stack, keep_best)
        found.append(stack)
    return found[::-1]


def overseas(book: Book, thirds: int, die: int) -> Counter[int]:
    """Thirds left of a stack outside Europe, with weights: whole LD and loose LDE are read apart."""
    percent = book.attrition_percent[die]
    if percent in {0, 100}:
        return Counter({thirds if percent == 0 else 0: 1})
    found: Counter[int] = Counter({0: 1})
    whole, loose = thirds - thirds % LD, thirds % LD
    for part in [TEN_LD] * (whole // TEN_LD) + [whole % TEN_LD, loose]:
        if part:
            left, coin = book.remainders[part, percent]
            flips = Counter({left: 1, max(0, left - 1): 1}) if coin and left else Counter({left: 2})
            found = combine(found, flips, lambda a, b: a + b)
    return found


class Pillaging(NamedTuple):
    """What a besieger does with a result P."""

    technology: str
    policy: str

    def detachments(self, pillages: int) -> int:
        """LD lost for a P."""
        return 1 if self.early or self.policy == "lose-detachment" or pillages >= MOST_PILLAGES else 0

    def sides(self, pillages: int) -> int:
        """Sides of PILLAGE after a P."""
        adds = self.early or self.policy == "pillage"
        return min(MOST_PILLAGES, pillages + 1) if adds else pillages

    @property
    def early(self) -> bool:
        """Medieval to arquebus: a LD and a pillage."""
        return TECHNOLOGIES.index(self.technology) <= TECHNOLOGIES.index("arquebus")


def europe_besieger(book: Book, thirds: int, pillages: int, die: int, habit: Pillaging) -> tuple[int, int]:
    """Thirds left and sides of PILLAGE after a modified die."""
    lost, pillage = book.attrition_europe(die, thirds // LD)
    if pillage:
        lost, pillages = lost + habit.detachments(pillages), habit.sides(pillages)
    return max(0, thirds - LD * lost), pillages


def europe_garrison(book: Book, thirds: int, die: int) -> int:
    """Thirds left of a garrison after a modified die: a P is always a LD."""
    return max(0, thirds - LD * sum(book.attrition_europe(die, thirds // LD)))


def besieger_rolls(book: Book, thirds: int, pillages: int, drm: int, habit: Pillaging | None) -> Counter[int]:
    """Thirds left * 8 + sides of PILLAGE, with weights; `habit` None outside Europe."""
    found: Counter[int] = Counter()
    for face in FACES:
        die = min(HIGHEST, max(LOWEST, face + drm))
        if habit:
            left, sides = europe_besieger(book, thirds, pillages, die, habit)
            found[left * 8 + sides] += 4
        else:
            rest = overseas(book, thirds, die)
            for left, weight in rest.items():
                found[left * 8 + pillages] += weight * 4 // rest.total()
    return found


def garrison_rolls(book: Book, thirds: int, drm: int, europe: bool) -> Counter[int]:
    """Thirds left of a garrison, with weights."""
    found: Counter[int] = Counter()
    for face in FACES:
        die = min(HIGHEST, max(LOWEST, face + drm))
        if europe:
            found[europe_garrison(book, thirds, die)] += 4
        else:
            rest = overseas(book, thirds, die)
            for left, weight in rest.items():
                found[left] += weight * 4 // rest.total()
    return found
