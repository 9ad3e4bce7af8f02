"""From two fleets to their fighting: tables of chances, and the numbers that rules.py looks up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from simulator.engine.model.chance import NO_TABLE, TableBook
from simulator.rules.europa.sea import rules
from simulator.rules.europa.sea.groups import Group, Groups, Pairs
from simulator.rules.europa.sea.model import NavalPolicy
from simulator.rules.europa.sea.rules import NavalParams, NavalState
from simulator.rules.europa.sea.squadrons import Engagement
from simulator.rules.europa.shared.leaders import FACES
from simulator.rules.europa.shared.modifiers import Modifier, total
from simulator.rules.europa.shared.stacks import SIDES
from simulator.rules.europa.tables import HIGHEST, LOWEST

LEAVE = {
    "never": rules.NEVER, "always": rules.ALWAYS, "if-behind": rules.IF_BEHIND, "if-near-rout": rules.IF_NEAR_ROUT,
    "if-sure": rules.IF_SURE,
}  # fmt: skip
ROLLS = ((1, True), (1, False), (2, True), (2, False))
START = NavalState(rules.DRAW, 0, 0, 0, 0, 0, 0, 0, rules.UNDECIDED, 0, 0)
# Results of a table with their chances.
Dice = tuple[tuple[int, float], ...]


@dataclass
class NavalSetup:
    """Builds the parameters and tables of the fighting in one naval battle."""

    engagement: Engagement
    tables: TableBook = field(default_factory=TableBook)
    children: dict[int, list[tuple[int, float]]] = field(default_factory=dict, repr=False)
    _steady: dict[tuple[int, Group, int], int] = field(default_factory=dict, repr=False)
    _ahead: dict[tuple[Group, int], tuple[int, tuple[tuple[int, int], ...]]] = field(default_factory=dict, repr=False)
    _dice: dict[int, Dice] = field(default_factory=dict, repr=False)

    @cached_property
    def known(self) -> Groups:
        """Wind and leaders: what may be drawn, and what is asked for later."""
        return Groups(self.engagement, self.asks)

    @property
    def groups(self) -> dict[Group, Pairs]:
        """All groups with the pairs of leaders behind them."""
        return self.known.all

    @cached_property
    def asks(self) -> tuple[bool, bool]:
        """Whose manoeuvre is asked for after the first roll, beside the pursuit?"""
        breaks = [p.break_off != "never" for p in self.policies]
        free = self.engagement.options.break_off_at_sea == "automatic"
        a, d = (bool((breaks[side] and not free) or self.storm[side]) for side in (0, 1))
        return a, d

    @property
    def policies(self) -> list[NavalPolicy]:
        """Policies of both sides."""
        return [squadron.policy for squadron in self.engagement.squadrons]

    @cached_property
    def storm(self) -> tuple[bool, bool]:
        """Which side rolls retreat attrition unless it wins?"""
        a, d = (squadron.retreat_drm is not None for squadron in self.engagement.squadrons)
        return a, d

    # --- rolls ---

    def dice(self, table: int) -> Dice:
        """Results of a chance table with their chances."""
        if table not in self._dice:
            weights = self.tables.weights(table)
            whole = sum(weights.values())
            self._dice[table] = tuple((result, weight / whole) for result, weight in sorted(weights.items()))
        return self._dice[table]

    def modifiers(self, side: int, group: Group) -> list[Modifier]:
        """A side's modifiers in a group, the leader's manoeuvre in a pursuit apart."""
        found = list(self.engagement.modifiers[side])
        if group.wind == side:
            found.append(self.engagement.wind_modifier(side))
        leader = self.engagement.squadrons[side].leader.text()
        found.append(Modifier(SIDES[side], (1, 2), group.fire[side], group.shock[side], f"leader: {leader}"))
        return found

    def drm(self, side: int, group: Group, roll: int, failed: int, worse: int) -> int:
        """A side's modifier in one of the four rolls (step 7)."""
        day, fire = ROLLS[roll]
        key = side, group, roll
        if key not in self._steady:
            self._steady[key] = total(self.modifiers(side, group), "fire" if fire else "shock", day)
        allied_test = day == 2 and failed >> (1 - side) & 1
        return self._steady[key] + allied_test - (worse == side + 1)

    @cached_property
    def readings(self) -> list[list[dict[int, tuple[int, int]]]]:
        """Thirds and stars that a side inflicts, by side, step (Fire, Boarding) and modified die."""
        return [[self._readings(side, fire) for fire in (True, False)] for side in (0, 1)]

    def _readings(self, side: int, fire: bool) -> dict[int, tuple[int, int]]:
        column, halves = self.engagement.columns(side)[0 if fire else 1], fire and self.engagement.halves(side)
        found = {die: self.engagement.book.combat_roll(column, die) for die in range(LOWEST, HIGHEST + 1)}
        return {die: ((thirds + 1) // 2 if halves else thirds, stars) for die, (thirds, stars) in found.items()}

    def read(self, side: int, roll: int, modified: int) -> tuple[int, int]:
        """Thirds and stars that a side inflicts."""
        return self.readings[side][roll % 2][min(HIGHEST, max(LOWEST, modified))]

    @cached_property
    def most_losses(self) -> tuple[int, int]:
        """Thirds that each side may suffer in the fighting."""
        return self._most(0), self._most(1)

    @property
    def room(self) -> tuple[int, int]:
        """How many losses that makes, 0 included."""
        return self.most_losses[0] + 1, self.most_losses[1] + 1

    def _most(self, victim: int) -> int:
        """The most thirds that rolls can inflict before the one that routs."""
        best, most = {0: 0}, 0
        for roll in range(4):
            following: dict[int, int] = {}
            for more, worse in set(self.readings[1 - victim][roll % 2].values()):
                for stars, thirds in best.items():
                    most = max(most, thirds + more)
                    if stars + worse < self.engagement.morale[victim]:
                        following[stars + worse] = max(following.get(stars + worse, 0), thirds + more)
            best = following
        return most

    def roll_table(self, side: int, roll: int, drm: int) -> int:
        """The table of a side's roll."""
        return self.tables.by(
            (side, roll % 2, drm), lambda: Counter(packed(*self.read(side, roll, die + drm)) for die in FACES)
        )

    @cached_property
    def rolls(self) -> np.ndarray:
        """Tables of each side, group, roll, failed attempts and who has suffered more stars."""
        out = np.zeros((2, len(self.groups), 4, 4, 3), np.int64)
        for place, group in enumerate(self.groups):
            for roll, failed, worse in np.ndindex(4, 4 if self.breaks else 1, 3):
                if (failed and roll < 2) or (roll == 0 and worse):
                    continue
                for side in (0, 1):
                    drm = self.drm(side, group, roll, failed, worse)
                    out[side, place, roll, failed, worse] = self.roll_table(side, roll, drm)
        return out

    @property
    def breaks(self) -> bool:
        """May anybody break off?"""
        return any(policy.break_off != "never" for policy in self.policies)

    def pursuit_drm(self, side: int, group: Group, rolls: int) -> int:
        """A side's pursuit modifier, the manoeuvre apart (step 9)."""
        fixed = total(self.modifiers(side, group), "pursuit")
        return fixed + early(rolls)

    def chase_table(self, group: Group, side: int, rolls: int) -> int:
        """The table of a side's pursuit: thirds and stars, mixed over the manoeuvres that are not known."""
        key = group, side
        if key not in self._ahead:
            ahead: Counter[int] = Counter()
            for pair, weight in self.groups[group].items():
                ahead[max(0, pair[side][0] - pair[1 - side][0])] += weight
            self._ahead[key] = self.pursuit_drm(side, group, 4), tuple(sorted(ahead.items()))
        drm, ahead_of = self._ahead[key]
        drm += early(rolls)
        column = self.engagement.pursuit_column(side)
        return self.tables.by((side, drm, ahead_of), lambda: self._chase(column, drm, ahead_of))

    def _chase(self, column: str, drm: int, ahead: tuple[tuple[int, int], ...]) -> Counter[int]:
        found: Counter[int] = Counter()
        for more, weight in ahead:
            for die in FACES:
                found[packed(*self.engagement.book.combat_roll(column, die + drm + more))] += weight
        return found

    def attempts(self) -> np.ndarray:
        """Tables of attempts to break off by group, side and morale left."""
        out = np.zeros((len(self.groups), 2, max(self.engagement.morale) + 1), np.int64)
        free = self.engagement.options.break_off_at_sea == "automatic"
        for place, group in enumerate(self.groups):
            for side, man in enumerate(group.men):
                for morale in range(out.shape[2]):
                    faces = 10 if free else min(10, (man or 0) + morale)
                    out[place, side, morale] = self.tables.by(("attempt", faces), lambda n=faces: attempt(n))
        return out

    @cached_property
    def params(self) -> NavalParams:
        """All numbers of the fighting."""
        groups = list(self.groups)
        return NavalParams(
            draw=self.tables.add(self.known.begins()),
            first=0 if self.engagement.interception else 1,
            breaks=int(self.breaks),
            free=int(self.engagement.options.break_off_at_sea == "automatic"),
            wind=[group.wind for group in groups],
            rolls=self.rolls,
            men=[self._draw_of(group) for group in groups],
            man=[(group.men[0] or 0, group.men[1] or 0) for group in groups],
            attempt=self.attempts() if self.breaks else np.zeros(0, np.int64),
            leave=[LEAVE[policy.leave_with_wind] for policy in self.policies],
            break_off=[LEAVE[policy.break_off] for policy in self.policies],
            morale=self.engagement.morale,
        )

    def _draw_of(self, group: Group) -> int:
        children = self.known.children(group)
        return NO_TABLE if group in children else self.tables.add(self.known.draw(group))


def early(rolls: int) -> int:
    """What a pursuit gains if the fighting ended on day one, and after a Fire roll (step 9); 0 after all four rolls."""
    return 2 * (rolls <= 2) + rolls % 2


def attempt(faces: int) -> Counter[int]:
    """An attempt that so many faces bring about."""
    return +Counter({1: faces, 0: 10 - faces})


def packed(thirds: int, stars: int) -> int:
    """One side's part of a roll's result."""
    return thirds | stars << rules.LOSS_BITS


def whole_numbers(values: Any) -> np.ndarray:
    """An array of whole numbers, as rules take them."""
    return np.ascontiguousarray(np.array(list(values), np.int64))
