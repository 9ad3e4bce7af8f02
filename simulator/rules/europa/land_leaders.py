"""What is still to be known of the leaders in a land battle: classes of pairs that nothing tells apart yet.

Manoeuvre matters to attempts to break off and to retreats only. So it stays undrawn until a side tries to break off:
the attempt draws it together with its success, and whoever never tries has it mixed into the chances of the retreat.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from simulator.rules.europa import land
from simulator.rules.europa.land_modifiers import is_interception
from simulator.rules.europa.meeting import Meeting, Pair
from simulator.rules.europa.stacks import SIDES

FACES = range(1, 11)
MANOEUVRES = 10


def retreat_thirds(modified: int) -> int:
    """Thirds lost in a retreat (section 3.5 step 9)."""
    return 0 if modified <= 2 else 1 if modified <= 4 else 2 if modified <= 6 else 3


def retreat_faces() -> np.ndarray:
    """[manoeuvre, thirds]: faces of the retreat die that cost so much."""
    out = np.zeros((MANOEUVRES, 4), np.int64)
    for man in range(MANOEUVRES):
        for die in FACES:
            out[man, retreat_thirds(die - man)] += 1
    return out


@dataclass
class LeaderClasses:
    """Classes of pairs: the first `drawn` are drawn before the battle, the others also know a manoeuvre.

    `parent` is the class drawn that one comes from, `known` leads from a class and a side that tries to break off to
    the classes by its manoeuvre.
    """

    meeting: Meeting
    members: list[Counter[Pair]] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    known: dict[tuple[int, int], dict[int, int]] = field(default_factory=dict)
    drawn: int = 0

    def __post_init__(self) -> None:
        found: dict[Any, Counter[Pair]] = {}
        for pair, weight in self.meeting.pairs.items():
            found.setdefault(self._drawn_as(pair), Counter())[pair] += weight
        self.members = list(found.values())
        self.parent = list(range(len(found)))
        self.drawn = len(found)
        # Of two that try only when behind, one at most ever tries.
        both_if_behind = self.policies == ("if-behind", "if-behind")
        for side in (self.first, 1 - self.first):
            if self.policies[side] in {"always", "if-behind"}:
                for number in range(self.drawn if both_if_behind else len(self.members)):
                    self.known[number, side] = self._split(number, side)

    @property
    def first(self) -> int:
        """Who may break off first."""
        return 0 if is_interception(self.meeting.fields) else 1

    @cached_property
    def policies(self) -> tuple[str, ...]:
        """When each side tries to break off."""
        return tuple(getattr(self.meeting.fields.policy, side).break_off for side in SIDES)

    def _drawn_as(self, pair: Pair) -> Any:
        """What counts from the first roll on: of manoeuvre, the morale at which a careful side is sure to get away."""
        sure = []
        for side, stack in enumerate(self.meeting.stacks):
            needed = max(1, land.SURE - pair.manoeuvre[side])
            careful = self.policies[side] == "if-sure" and needed <= stack.morale
            sure.append(needed if careful else None)
        return pair.fire, pair.shock, tuple(sure), pair.fragile

    def _split(self, number: int, side: int) -> dict[int, int]:
        """Classes of a class when a side's manoeuvre is known: itself where there is only one."""
        parts: dict[int, Counter[Pair]] = {}
        for pair, weight in self.members[number].items():
            parts.setdefault(pair.manoeuvre[side], Counter())[pair] += weight
        if len(parts) == 1:
            return dict.fromkeys(parts, number)
        out = {}
        for man, part in parts.items():
            out[man] = len(self.members)
            self.members.append(part)
            self.parent.append(self.parent[number])
        return out

    @cached_property
    def pairs(self) -> list[Pair]:
        """One pair of each class, to look up what the class has in common."""
        return [next(iter(members)) for members in self.members]

    def attempt(self, number: int, side: int, morale: int) -> Counter[int]:
        """An attempt to break off: 1 if d10 <= manoeuvre + morale, + 2 * the class that is known then."""
        parts = self.known.get((number, side))
        if parts is None:  # a careful side tries only when it cannot fail
            return Counter({2 * number + 1: 1})
        found: Counter[int] = Counter()
        for man, part in parts.items():
            weight = sum(w for pair, w in self.members[number].items() if pair.manoeuvre[side] == man)
            faces = min(10, man + morale)
            found[2 * part + 1] += weight * faces
            if faces < 10:
                found[2 * part] += weight * (10 - faces)
        return found

    @cached_property
    def manoeuvres(self) -> np.ndarray:
        """[class, manoeuvre of the attacker, of the defender]: weight."""
        out = np.zeros((len(self.members), MANOEUVRES, MANOEUVRES), np.int64)
        for number, members in enumerate(self.members):
            for pair, weight in members.items():
                out[number, pair.manoeuvre[0], pair.manoeuvre[1]] += weight
        return out

    def retreats(self, winner: int, routed: tuple[int, int]) -> np.ndarray:
        """[class, result]: weight of the retreat rolls of those that did not win: d10 - MAN (0 if routed).

        A result is the attacker's thirds + 4 * the defender's.
        """
        faces = retreat_faces()
        stays = np.zeros_like(faces)
        stays[:, 0] = 1
        a, d = (
            stays if winner == side else np.tile(faces[0], (MANOEUVRES, 1)) if routed[side] else faces
            for side in (0, 1)
        )
        both = a.T @ self.manoeuvres @ d
        flat = both.transpose(0, 2, 1).reshape(len(both), -1)
        return np.asarray(flat // np.gcd.reduce(flat, axis=1)[:, None])

    def pursuers(self, retreat: np.ndarray, fragile: np.ndarray) -> np.ndarray:
        """Classes that are alike in a pursuit and whatever follows, by winner and whether the loser is routed yet."""
        out = np.zeros((len(self.pairs), 2, 2), np.int64)
        for winner in (0, 1):
            drms = np.array([self.meeting.pursuit_drm(winner, pair) for pair in self.pairs])
            for routed in (0, 1):
                how = (0, routed) if winner == 0 else (routed, 0)
                out[:, winner, routed] = alike(drms, retreat[:, winner, how[0], how[1]], fragile)
        return out


def retreaters(retreat: np.ndarray, fragile: np.ndarray) -> np.ndarray:
    """Classes that are alike in a retreat and in the leader tests, by winner and who is routed."""
    out = np.zeros_like(retreat)
    for winner, a, d in np.ndindex(3, 2, 2):
        out[:, winner, a, d] = alike(retreat[:, winner, a, d], fragile)
    return out


def alike(*columns: np.ndarray) -> np.ndarray:
    """For each class the first one that is equal to it in all columns."""
    _, first, which = np.unique(np.stack(columns, axis=1), axis=0, return_index=True, return_inverse=True)
    return np.asarray(first[which.ravel()])
