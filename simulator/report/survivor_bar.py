"""The bar of a battle's survivors: a block an outcome, as wide as it is likely, the attacker's best at the left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from simulator.analysis.odds.odds import Odds
from simulator.report.answer_words import unit_columns
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.merging import distinct
from simulator.rules.toolkit.words import number_of

# The least chance of a block: outcomes beside each other that are less likely share one.
LEAST = 0.02
# Names up to this length are not abbreviated.
SHORT = 5
# The sides of a bar from left to right.
ORDER = ("attacker", "nobody", "defender")
# Columns of a campaign that add up its pieces.
SUMS = {"units", "cost"}


class SurvivorBlock(NamedTuple):
    """Outcomes that stand beside each other.

    `side`: whose survivors they are; `p`: their chance; `lines`: what is written in the block; `words`: the same in
    full; `better`: the chance of this block or a better one for its side.
    """

    side: str
    p: float
    lines: tuple[str, ...]
    words: str
    better: float = 0.0


@lru_cache(maxsize=1024)
def abbreviations(names: tuple[str, ...]) -> Mapping[str, str]:
    """The shortest beginning of each name, of three letters or more, that no other name has.

    Short names, and those whose first word is short, are left as they are. They are written in the bar, and understood
    in a line of text.
    """

    def short(name: str) -> str:
        others = [one for one in names if one != name]
        beginnings = (name[:n] for n in range(3, len(name)))
        unlike = (one for one in beginnings if not any(other.startswith(one) for other in others))
        found = name if len(name) <= SHORT else next(unlike, name)
        return name if "_" in found else found

    return MappingProxyType({name: short(name) for name in names})


def survivor_bar(odds: Odds) -> list[SurvivorBlock]:
    """The blocks of a battle that somebody wins with pieces left; none where the game does not count them."""
    if "winner" not in odds.names or not all(_counts(odds, side) for side in SIDES) or odds.battle.results:
        return []
    if odds.question.number:  # who wins is not asked
        return []
    blocks: list[SurvivorBlock] = []
    for side in ORDER:
        if side != "nobody":
            blocks += blocks_where(odds, side, f"winner == '{side}'")
        elif p := odds.winner(side):
            blocks.append(SurvivorBlock(side, p, (), "nobody wins"))
    return blocks


def blocks_where(odds: Odds, side: str, question: str) -> list[SurvivorBlock]:
    """The blocks of a side where a question is answered with yes, by pieces left; most stand at its end of the bar."""
    counts = _counts(odds, side)
    if not counts or not odds.p(question):
        return []
    outcomes = _outcomes(odds, odds.where_unmerged(question).nonzero()[0], counts, _units(odds, side))
    own = list(_merged(side, outcomes, _noun(odds, counts[0])))
    return own if side == "attacker" else own[::-1]


def _counts(odds: Odds, side: str) -> list[str]:
    """The columns whose sum is all that a side has left: the one that the game counts, else those of its units."""
    counted = [f"{side}_{one}" for one in odds.battle.forces.left if f"{side}_{one}" in odds.names]
    return counted[:1] or list(_units(odds, side))


def _units(odds: Odds, side: str) -> dict[str, str]:
    """The columns of a side's units, and the name of each unit."""
    return {name: unit for name, (whose, unit) in unit_columns(odds).items() if whose == side and unit not in SUMS}


def _noun(odds: Odds, column: str) -> str:
    """The noun of what a column counts; the game's word for a loss where the column is that of one unit."""
    if column.endswith("thirds"):
        return "LD"
    if column in unit_columns(odds):
        return f"{next(iter(odds.battle.forces.lost.values()), '') or 'unit'}s"
    return re.sub(r"^(attacker|defender)_|_?(left|units|standing)_?", "", column).replace("_", " ")


class _Outcomes(NamedTuple):
    """The outcomes of a side, the best first: how many pieces are left in each, of which units, and the chances.

    `left`: by unit int64, shape (outcomes,).
    """

    total: np.ndarray
    left: dict[str, np.ndarray]
    p: list[float]


def _outcomes(odds: Odds, at: np.ndarray, counts: Sequence[str], units: dict[str, str]) -> _Outcomes:
    """The outcomes of a side, the most pieces first, and of as many pieces those of the later types.

    `at`: the places of its outcomes, int64.
    """
    shares, columns = 3 if counts[0].endswith("thirds") else 1, odds.unmerged.columns

    def counted(name: str) -> np.ndarray:
        return columns[name].take(at).astype(np.int64, copy=False)

    chances, left = odds.unmerged.p.take(at), sum(map(counted, counts[1:]), counted(counts[0]))
    numbers = [left if shares == 1 else -(-left // shares), *map(counted, reversed(units))]
    first, row = distinct(numbers, len(chances))
    p = np.bincount(row, chances)
    best_first = np.flatnonzero(p > 0)[::-1]
    whole, *later = (values[first[best_first]] for values in numbers)
    return _Outcomes(whole, dict(zip(units.values(), reversed(later), strict=True)), p[best_first].tolist())


def _merged(side: str, outcomes: _Outcomes, noun: str) -> Iterator[SurvivorBlock]:
    """Blocks of the outcomes of a side: a likely one stands alone, unlikely ones beside each other share a block."""
    short = abbreviations(tuple([name for name, numbers in outcomes.left.items() if numbers.any()]))
    better = 0.0
    for first, end, p in _runs(outcomes.p):
        better += p
        high, low = int(outcomes.total[first]), int(outcomes.total[end - 1])
        left = {name: int(numbers[first]) for name, numbers in outcomes.left.items() if numbers[first]}
        if end - first == 1 and left:
            texts = tuple(f"{n} {short[name].replace('_', ' ')}" for name, n in left.items())
            words = ", ".join(number_of(n, name.replace("_", " ")) for name, n in left.items())
        else:
            texts = (str(high) if low == high else f"{low}–{high}",)
            words = number_of(high, noun.rstrip("s") or "unit") if low == high else f"{texts[0]} {noun or 'units'}"
        yield SurvivorBlock(side, p, texts, words, better)


def _runs(chances: Sequence[float]) -> Iterator[tuple[int, int, float]]:
    """The outcomes of each block: the first, the one behind the last, and their chance together."""
    first, p = 0, 0.0
    for place, one in enumerate(chances):
        if place > first and (one >= LEAST or p >= LEAST):
            yield first, place, p
            first, p = place, 0.0
        p += one
    if chances:
        yield first, len(chances), p
