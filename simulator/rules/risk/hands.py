"""Chosen hands: how many dice a side rolls, and a defender who sees the attack first (docs/rules/decisions.md
section 2.1; G. Koole, An optimal dice rolling policy for Risk, Nieuw Archief voor Wiskunde 12, 1994).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from simulator.engine.chain import Chain
from simulator.engine.chance import TableBook
from simulator.rules.risk import tables
from simulator.rules.risk.model import AnyBattle
from simulator.rules.risk.rules import Hands
from simulator.rules.risk.tables import MOST_DICE, Hand, Place
from simulator.rules.toolkit.naming import SIDES


def chosen(fields: AnyBattle) -> bool:
    """Does a side choose its dice?"""
    return any(getattr(fields.policy, side).hand == "best" for side in SIDES)


def shown_hands(hand: Hand) -> list[tuple[int, ...]]:
    """Every hand that may be seen, as it counts."""
    found = {tables.modified(hand, kept) for dice in range(1, MOST_DICE + 1) for kept in tables.kept_dice(hand, dice)}
    return sorted(found)


def with_hands(fields: AnyBattle, chain: Chain) -> Chain:
    """The chain with the choices of dice."""
    fights = tables.places(fields)
    most = np.array([[place.attack.dice for place in fights], [place.defence.dice for place in fights]], np.int64)
    attacker, defender = (int(getattr(fields.policy, side).hand == "best") for side in SIDES)
    hands = Hands(attacker, defender, int(fields.options.defender_sees), most, tables.NOWHERE[0], tables.NOWHERE)
    limits = chain.limits._replace(dice=MOST_DICE, answer=MOST_DICE)
    if not hands.sees:
        return replace(chain, params=chain.params._replace(hands=hands), limits=limits)
    book, known = TableBook(), [shown_hands(place.attack) for place in fights]
    widest = max(map(len, known))
    shown = np.zeros((len(fights), MOST_DICE + 1), np.int64)
    answers = np.zeros((len(fights), widest, MOST_DICE + 1), np.int64)
    for i, (place, numbers) in enumerate(zip(fights, known, strict=True)):
        for dice in range(1, MOST_DICE + 1):
            shown[i, dice] = book.add(_seen(place.attack, dice, numbers))
            for number, hand in enumerate(numbers):
                answers[i, number, dice] = book.add(_answered(place, hand, dice, fields.options.ties))
    hands = hands._replace(shown=shown, answers=answers)
    return replace(
        chain, params=chain.params._replace(hands=hands), limits=limits._replace(hand=widest), tables=book.close()
    )


def _seen(hand: Hand, dice: int, numbers: list[tuple[int, ...]]) -> dict[int, int]:
    """Ways of each numbered hand with so many dice."""
    ways: Counter[int] = Counter()
    for kept, count in tables.kept_dice(hand, dice).items():
        ways[numbers.index(tables.modified(hand, kept))] += count
    return dict(ways)


def _answered(place: Place, hand: tuple[int, ...], dice: int, ties: str) -> dict[int, int]:
    """Ways of each result when so many dice of the defender answer a hand."""
    kept = tables.kept_dice(place.defence, dice)
    theirs = np.array([tables.modified(place.defence, one) for one in kept])
    own, enemy = tables.compare(np.array(hand)[None, :], theirs, ties)
    ways: Counter[int] = Counter()
    for result, count in zip((8 * own + enemy).tolist(), kept.values(), strict=True):
        ways[result] += count
    return dict(ways)
