"""Chosen hands: how many dice a side rolls, and a defender who sees the attack first (docs/rules/decisions.md
section 2.1; G. Koole, An optimal dice rolling policy for Risk, Nieuw Archief voor Wiskunde 12, 1994).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from simulator.engine.chain import Chain
from simulator.engine.chance import TableBook
from simulator.rules.risk import tables
from simulator.rules.risk.model import AnyBattle
from simulator.rules.risk.rules import MOST_DICE, Hands
from simulator.rules.risk.tables import Hand


def shown_hands(hand: Hand) -> list[tuple[int, ...]]:
    """Every hand that may be seen, as it counts."""
    found = {tables.modified(hand, kept) for dice in range(1, MOST_DICE + 1) for kept in tables.kept_dice(hand, dice)}
    return sorted(found)


def with_hands(fields: AnyBattle, chain: Chain) -> Chain:
    """The chain with the choices of dice, if a side chooses."""
    attacker, defender = (int(policy.hand == "best") for policy in (fields.policy.attacker, fields.policy.defender))
    if not (attacker or defender):
        return chain
    fights, faces = tables.places(fields), range(1, MOST_DICE + 1)
    most = np.array([[place.attack.dice for place in fights], [place.defence.dice for place in fights]], np.int64)
    hands = Hands(attacker, defender, int(fields.options.defender_sees), most, tables.NOWHERE[0], tables.NOWHERE)
    limits = chain.limits._replace(dice=MOST_DICE, answer=MOST_DICE)
    if not hands.sees:
        return replace(chain, params=chain.params._replace(hands=hands), limits=limits)
    book, known = TableBook(), [shown_hands(place.attack) for place in fights]
    limits = limits._replace(hand=max(map(len, known)))
    shown = np.zeros((len(fights), MOST_DICE + 1), np.int64)
    answers = np.zeros((len(fights), limits.hand, MOST_DICE + 1), np.int64)
    for i, (place, numbers) in enumerate(zip(fights, known, strict=True)):
        for dice, answer in product(faces, faces):
            mine, _, results, ways = tables.rolls(place.attack, place.defence, dice, answer, fields.options.ties)
            seen = np.array([numbers.index(tables.modified(place.attack, kept)) for kept in mine])
            shown[i, dice] = book.add(tables.tally(seen, ways.sum(axis=1)))
            for number, row in zip(seen, results, strict=True):
                answers[i, number, answer] = book.add(tables.tally(row, ways[0]))
    hands = hands._replace(shown=shown, answers=answers)
    return replace(chain, params=chain.params._replace(hands=hands), limits=limits, tables=book.close())
