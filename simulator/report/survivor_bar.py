"""The bar of a battle's survivors: a block an outcome, as wide as it is likely, the attacker's best at the left."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from simulator.analysis.odds.odds import Odds
from simulator.report.answer_words import unit_columns
from simulator.rules.battle import WINNERS
from simulator.rules.toolkit.words import number_of

# The least chance of a block: outcomes beside each other that are less likely share one.
LEAST = 0.02
# Names up to this length are not abbreviated.
SHORT = 5
# Left to right.
ORDER = ("attacker", "nobody", "defender")
WHOSE = ("attacker", "defender")
# Columns of a campaign that add up its pieces.
SUMS = {"units", "cost"}


@dataclass(frozen=True)
class SurvivorBlock:
    """Outcomes that stand beside each other.

    `side`: whose survivors they are; `p`: their chance; `lines`: what is written in the block; `words`: the same in
    full; `better`: the chance of this block or a better one for its side.
    """

    side: str
    p: float
    lines: tuple[str, ...]
    words: str
    better: float = 0.0


def abbreviations(names: Iterable[str]) -> dict[str, str]:
    """The shortest beginning of each name, of three letters or more, that no other name has.

    Short names, and those whose first word is short, are left as they are. They are written in the bar, and understood
    in a line of text.
    """
    every = list(dict.fromkeys(names))

    def short(name: str) -> str:
        others = [one for one in every if one != name]
        beginnings = (name[:n] for n in range(3, len(name)))
        unlike = (one for one in beginnings if not any(other.startswith(one) for other in others))
        found = name if len(name) <= SHORT else next(unlike, name)
        return name if "_" in found else found

    return {name: short(name) for name in every}


def survivor_bar(odds: Odds) -> list[SurvivorBlock]:
    """The blocks of a battle that somebody wins with pieces left; none where the game does not count them."""
    if "winner" not in odds.columns or not all(_total(odds, side) for side in WHOSE) or odds.battle.results:
        return []
    blocks: list[SurvivorBlock] = []
    for side in ORDER:
        at = odds.columns["winner"] == WINNERS.index(side)
        if side != "nobody":
            blocks += blocks_where(odds, side, at)
        elif p := float(odds.chances[at].sum()):
            blocks.append(SurvivorBlock(side, p, (), "nobody wins"))
    return blocks


def blocks_where(odds: Odds, side: str, at: np.ndarray) -> list[SurvivorBlock]:
    """What a side has left in the outcomes at these places (bool): its best at its own end of the bar."""
    total = _total(odds, side)
    if not total or not odds.chances[at].sum():
        return []
    units = {name: unit for name, (whose, unit) in unit_columns(odds).items() if whose == side and unit not in SUMS}
    own = list(_merged(side, _outcomes(odds, at, total, units), total.removeprefix(f"{side}_")))
    return _added_up(own) if side == "attacker" else _added_up(own)[::-1]


def _total(odds: Odds, side: str) -> str:
    """The column of all pieces that a side has left; an empty text where the game does not count them."""
    return next((f"{side}_{one}" for one in odds.battle.forces.left if f"{side}_{one}" in odds.names), "")


@dataclass(frozen=True)
class _Outcome:
    """How many pieces are left, which ones (name and number), and the chance."""

    total: int
    left: tuple[tuple[str, int], ...]
    p: float


def _outcomes(odds: Odds, at: np.ndarray, total: str, units: dict[str, str]) -> list[_Outcome]:
    """The outcomes of a side, the most pieces first, and of as many pieces those of the later types."""
    shares = 3 if total.endswith("thirds") else 1
    whole = -(-odds.columns[total][at].astype(np.int64) // shares)
    numbers = np.stack([whole, *(odds.columns[name][at].astype(np.int64) for name in reversed(units))])
    key = np.zeros(numbers.shape[1], np.int64)
    for row in numbers:
        key = np.unique(key * (int(row.max(initial=0)) + 1) + row, return_inverse=True)[1].ravel()
    _, first = np.unique(key, return_index=True)
    chances = np.bincount(key, odds.chances[at], len(first))
    names = list(reversed(units.values()))
    result = []
    for place, p in zip(first[::-1].tolist(), chances[::-1].tolist(), strict=True):
        number, *left = numbers[:, place].tolist()
        named = tuple((name, n) for name, n in zip(names, left, strict=True) if n)[::-1]
        result.append(_Outcome(number, named, p))
    return [one for one in result if one.p > 0]


def _merged(side: str, outcomes: Sequence[_Outcome], total: str) -> Iterator[SurvivorBlock]:
    """Blocks of the outcomes of a side: a likely one stands alone, unlikely ones beside each other share a block."""
    noun = "LD" if total.endswith("thirds") else re.sub(r"_?(left|units|standing)_?", "", total).replace("_", " ")
    short = abbreviations(name for one in outcomes for name, _ in one.left)
    waiting: list[_Outcome] = []
    for one in outcomes:
        if waiting and (one.p >= LEAST or sum(other.p for other in waiting) >= LEAST):
            yield _block(side, waiting, noun, short)
            waiting = []
        waiting.append(one)
        if one.p >= LEAST:
            yield _block(side, waiting, noun, short)
            waiting = []
    if waiting:
        yield _block(side, waiting, noun, short)


def _block(side: str, outcomes: Sequence[_Outcome], noun: str, short: dict[str, str]) -> SurvivorBlock:
    p = sum(one.p for one in outcomes)
    low, high = outcomes[-1].total, outcomes[0].total
    count = str(high) if low == high else f"{low}–{high}"
    words = number_of(high, noun.rstrip("s") or "unit") if low == high else f"{count} {noun or 'units'}"
    if len(outcomes) > 1 or not outcomes[0].left:
        return SurvivorBlock(side, p, (count,), words)
    left = outcomes[0].left
    texts = tuple(f"{n} {short[name].replace('_', ' ')}" for name, n in left)
    return SurvivorBlock(side, p, texts, ", ".join(number_of(n, name.replace("_", " ")) for name, n in left))


def _added_up(blocks: Sequence[SurvivorBlock]) -> list[SurvivorBlock]:
    """The blocks with the chance of each or a better one."""
    sums = np.cumsum([one.p for one in blocks]).tolist()
    return [replace(one, better=better) for one, better in zip(blocks, sums, strict=True)]
