"""Battle actions that are not played in a fixed round (docs/rules/price_of_power.md section 3.5).

A hand says of each of these cards whether it is kept, in force or over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from simulator.rules.price_of_power.model import BattleAction

KEPT, IN_FORCE, OVER = range(3)
Cards = Sequence[BattleAction]
Hand = tuple[int, ...]


def in_hand(actions: Cards) -> list[BattleAction]:
    """The cards that are not played in a fixed round."""
    return [action for action in actions if action.when != "round"]


def plays(cards: Cards, hand: Hand, round_: int, behind: bool) -> Iterator[Hand]:
    """The hands after the cards that may be played before this round (from 1): none first, then the fewest, as listed.

    `behind`: the side has fewer units.
    """
    ready = [at for at, card in enumerate(cards) if hand[at] == KEPT and card.round <= round_]
    forced = {at for at in ready if cards[at].when == "if-behind" and behind}
    free = [at for at in ready if cards[at].when == "best"]
    for size in range(len(free) + 1):
        for chosen in combinations(free, size):
            now = forced.union(chosen)
            yield tuple(IN_FORCE if at in now else was for at, was in enumerate(hand))


def after_round(cards: Cards, hand: Hand) -> Hand:
    """The hand after a round: cards for one round are over."""
    return tuple(OVER if at == IN_FORCE and card.this_round_only else at for at, card in zip(hand, cards, strict=True))


def in_force(cards: Cards, hand: Hand) -> list[BattleAction]:
    """The cards in force."""
    return [card for card, at in zip(cards, hand, strict=True) if at == IN_FORCE]


def names(cards: Cards, hand: Hand, state: int) -> list[str]:
    """The names of the cards in a state."""
    held = enumerate(zip(cards, hand, strict=True), 1)
    return [card.name or f"card {number}" for number, (card, at) in held if at == state]


def played(hand: Hand) -> int:
    """The number of cards played."""
    return sum(at != KEPT for at in hand)
