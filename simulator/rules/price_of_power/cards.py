"""Battle actions that are kept in hand until they are played (docs/rules/price_of_power.md section 3.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from simulator.rules.price_of_power.model import BattleAction

KEPT, IN_FORCE, OVER = range(3)
Condition = tuple[int, ...]


class Hand:
    """The cards of a side that are not played in a fixed round, and all conditions that these may come to.

    A condition has KEPT, IN_FORCE or OVER for each card. `plays[(condition, round, behind)]` are the conditions after
    the cards that may be played before this round (from 0), by their numbers: none first, then the fewest, as listed;
    `behind` is 1 for a side with fewer units. `used[condition]` is the condition after the round.
    """

    def __init__(self, actions: Sequence[BattleAction], last: int) -> None:
        self.cards = [action for action in actions if action.when != "round"]
        start: Condition = (KEPT,) * len(self.cards)
        number, used, between = {start: 0}, {0: 0}, [start]
        self.plays: dict[tuple[int, int, int], list[int]] = {}
        for condition in between:
            for round_, behind in product(range(last), (0, 1)):
                after = list(self._played(condition, round_ + 1, behind))
                self.plays[number[condition], round_, behind] = [number.setdefault(c, len(number)) for c in after]
                for one in after:
                    over = tuple(map(self._used, one, self.cards))
                    if over not in between:
                        between.append(over)
                    used[number[one]] = number.setdefault(over, len(number))
        self.conditions = list(number)
        self.used = [used[at] for at in range(len(number))]

    def _played(self, condition: Condition, round_: int, behind: int) -> Iterator[Condition]:
        """The conditions after cards that may be played before this round (from 1)."""
        ready = [at for at, card in enumerate(self.cards) if condition[at] == KEPT and card.round <= round_]
        forced = {at for at in ready if self.cards[at].when == "if-behind" and behind}
        free = [at for at in ready if self.cards[at].when == "best"]
        for size in range(len(free) + 1):
            for chosen in combinations(free, size):
                now = forced.union(chosen)
                yield tuple(IN_FORCE if at in now else was for at, was in enumerate(condition))

    @staticmethod
    def _used(condition: int, card: BattleAction) -> int:
        return OVER if condition == IN_FORCE and card.this_round_only else condition

    def in_force(self, condition: int) -> list[BattleAction]:
        """The cards in force in a condition."""
        return [card for card, at in zip(self.cards, self.conditions[condition], strict=True) if at == IN_FORCE]

    def names(self, condition: int, state: int, since: int | None = None) -> list[str]:
        """The names of the cards in a state; with `since`, of those that were kept in that condition."""
        before = self.conditions[condition if since is None else since]
        wanted = state if since is None else KEPT
        held = zip(self.cards, self.conditions[condition], before, strict=True)
        return [card.name or f"card {n}" for n, (card, at, was) in enumerate(held, 1) if at == state and was == wanted]

    @property
    def played(self) -> list[int]:
        """The number of cards played, by condition."""
        return [sum(at != KEPT for at in condition) for condition in self.conditions]
