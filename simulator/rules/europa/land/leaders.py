"""The leaders of a land battle that are not drawn yet: classes of pairs that are still alike.

Manoeuvre matters to attempts to break off and to retreats only. So it stays undrawn until a side tries to break off:
the attempt draws it together with its success; for a side that never tries the retreat averages over it.
(A side that decides as well as possible knows all leaders: docs/rules/decisions.md section 2.2.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.engine.model.chance import TableBook
from simulator.rules.battle import NOBODY
from simulator.rules.europa.land import rules as land
from simulator.rules.europa.shared.leaders import FACES, Pair

if TYPE_CHECKING:
    from simulator.rules.europa.land.tables import LandSetup

MANOEUVRES = 10


def retreat_thirds(modified: int) -> int:
    """Thirds lost in a retreat (section 3.5 step 9)."""
    return 0 if modified <= 2 else 1 if modified <= 4 else 2 if modified <= 6 else 3


# [manoeuvre, thirds]: faces of the retreat die that cost this much.
RETREATS = np.array(
    [[sum(retreat_thirds(die - man) == lost for die in FACES) for lost in range(4)] for man in range(MANOEUVRES)]
)
ROUTED = RETREATS[[0] * MANOEUVRES]
STAYS = np.array([[1, 0, 0, 0]] * MANOEUVRES)


class LeaderClasses:
    """Classes of pairs: the first `drawn` are drawn before the battle, the others also know a manoeuvre.

    `parent` is the class drawn that one comes from, `known` leads from a class and a side that tries to break off to
    the classes by its manoeuvre.
    """

    def __init__(self, setup: LandSetup) -> None:
        self.setup = setup
        self.policies = setup.policies
        self.members = list(split(setup.pairs, self._drawn_as).values())
        self.drawn = len(self.members)
        self.parent = list(range(self.drawn))
        self.known: dict[tuple[int, int], dict[int, int]] = {}
        # Of two that try only when behind, one at most ever tries.
        both_if_behind = self.policies == ("if-behind", "if-behind")
        for side in (setup.first, 1 - setup.first):
            if self.policies[side] in {"always", "if-behind", "best"}:
                for number in range(self.drawn if both_if_behind else len(self.members)):
                    self.known[number, side] = self._by_manoeuvre(number, side)
        # One pair of each class, to look up what the class has in common.
        self.pairs: list[Pair] = [next(iter(members)) for members in self.members]

    def _drawn_as(self, pair: Pair) -> Hashable:
        """The values that matter from the first roll on: of manoeuvre, the morale at which a side surely escapes."""
        if "best" in self.policies:
            return pair
        needed = (max(1, land.SURE - manoeuvre) for manoeuvre in pair.manoeuvre)
        sides = zip(needed, self.policies, self.setup.stacks, strict=True)
        sure = tuple(least if policy == "if-sure" and least <= own.morale else None for least, policy, own in sides)
        return pair.fire, pair.pursuit, sure, pair.fragile

    def _by_manoeuvre(self, number: int, side: int) -> dict[int, int]:
        """Classes of a class when a side's manoeuvre is known: itself where there is only one."""
        parts = split(self.members[number], lambda pair: pair.manoeuvre[side])
        if len(parts) == 1:
            return dict.fromkeys(parts, number)
        first = len(self.members)
        self.members += parts.values()
        self.parent += [self.parent[number]] * len(parts)
        return {manoeuvre: first + n for n, manoeuvre in enumerate(parts)}

    def attempt(self, number: int, side: int, morale: int) -> Counter[int]:
        """An attempt to break off: 1 if d10 <= manoeuvre + morale, + 2 * the class that is known then."""
        if (number, side) not in self.known:  # a careful side tries only when it cannot fail
            return Counter({2 * number + 1: 1})
        found: Counter[int] = Counter()
        for pair, weight in self.members[number].items():
            faces, known = min(10, pair.manoeuvre[side] + morale), self.known[number, side][pair.manoeuvre[side]]
            found[2 * known + 1] += weight * faces
            found[2 * known] += weight * (10 - faces)
        return found

    def retreat(self, tables: TableBook) -> np.ndarray:
        """Tables of the retreat rolls of those that did not win, d10 - MAN (0 if routed): [class, winner, both routed].

        A result is the attacker's thirds + 4 * the defender's.
        """
        weights = np.zeros((len(self.members), MANOEUVRES, MANOEUVRES), np.int64)
        for number, members in enumerate(self.members):
            for pair, weight in members.items():
                weights[number, *pair.manoeuvre] += weight
        out = np.zeros((len(self.members), 3, 2, 2), np.int64)
        for winner, *routed in np.ndindex(*out.shape[1:]):
            a, d = (STAYS if winner == side else ROUTED if routed[side] else RETREATS for side in (0, 1))
            flat = (a.T @ weights @ d).transpose(0, 2, 1).reshape(len(out), -1)
            rows = map(tuple, (flat // np.gcd.reduce(flat, axis=1)[:, None]).tolist())
            out[:, winner, *routed] = [tables.by(row, partial(_numbered, row)) for row in rows]
        return out

    def forgotten(self, retreat: np.ndarray, fragile: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Classes that are alike from a pursuit on, and from the retreat on: both [class, winner, both routed]."""
        pursuers, retreaters = np.zeros_like(retreat), np.zeros_like(retreat)
        drms = np.array([[self.setup.drm(winner, pair, "pursuit") for pair in self.pairs] for winner in (0, 1)])
        for winner, *routed in np.ndindex(*retreat.shape[1:]):
            retreaters[:, winner, *routed] = alike(retreat[:, winner, *routed], fragile)
            if winner != NOBODY:
                pursuers[:, winner, *routed] = alike(drms[winner], retreaters[:, winner, *routed])
        return pursuers, retreaters


def _numbered(row: tuple[int, ...]) -> dict[int, int]:
    """The weights of results 0, 1, 2 ..."""
    return dict(enumerate(row))


def split(pairs: Counter[Pair], meaning: Callable[[Pair], Hashable]) -> dict[Any, Counter[Pair]]:
    """Pairs with equal meaning together."""
    found: dict[Any, Counter[Pair]] = {}
    for pair, weight in pairs.items():
        found.setdefault(meaning(pair), Counter())[pair] += weight
    return found


def alike(*columns: np.ndarray) -> np.ndarray:
    """For each class, the first class that is equal to it in all columns: int64, shape (classes,) as each column."""
    first: dict[tuple[int, ...], int] = {}
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return np.array([first.setdefault(row, number) for number, row in enumerate(rows)])
