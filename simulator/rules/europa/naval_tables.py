"""From two fleets to the chain of their fighting: tables of chances, and the numbers that naval_rules.py looks up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd
from typing import Any

import numpy as np

from simulator.engine.chain import Chain
from simulator.engine.chance import TableBook, combine
from simulator.rules.europa import naval_rules as rules
from simulator.rules.europa.modifiers import Modifier, total
from simulator.rules.europa.naval_groups import Group, Groups, Pairs
from simulator.rules.europa.naval_model import NavalPolicy
from simulator.rules.europa.naval_rules import NavalParams, NavalState
from simulator.rules.europa.squadrons import FACES, Engagement
from simulator.rules.europa.stacks import SIDES

LEAVE = {
    "never": rules.NEVER, "always": rules.ALWAYS, "if-behind": rules.IF_BEHIND, "if-near-rout": rules.IF_NEAR_ROUT,
    "if-sure": rules.IF_SURE,
}  # fmt: skip
ROLLS = ((1, True), (1, False), (2, True), (2, False))
MOST_STARS = 7


@dataclass
class NavalSetup:
    """Builds the parameters and tables of the fighting in one naval battle."""

    met: Engagement
    tables: TableBook = field(default_factory=TableBook)

    @cached_property
    def known(self) -> Groups:
        """Wind and leaders: what may be drawn, and what is asked for later."""
        return Groups(self.met, self.asks)

    @property
    def groups(self) -> dict[Group, Pairs]:
        """All groups with the pairs of leaders behind them."""
        return self.known.all

    @cached_property
    def asks(self) -> tuple[bool, bool]:
        """Whose manoeuvre is asked for after the first roll, beside the pursuit?"""
        breaks = [p.break_off != "never" for p in self.policies]
        free = self.met.options.break_off_at_sea == "automatic"
        a, d = (bool((breaks[side] and not free) or self.storm[side]) for side in (0, 1))
        return a, d

    @property
    def policies(self) -> list[NavalPolicy]:
        """Policies of both sides."""
        return [squadron.policy for squadron in self.met.squadrons]

    @cached_property
    def storm(self) -> tuple[bool, bool]:
        """Which side rolls retreat attrition unless it wins?"""
        a, d = (squadron.retreat_drm is not None for squadron in self.met.squadrons)
        return a, d

    # --- rolls ---

    def add(self, weights: Counter[int]) -> int:
        """The table with these weights, in lowest terms."""
        common = gcd(*weights.values())
        return self.tables.add({result: weight // common for result, weight in weights.items()})

    def modifiers(self, side: int, group: Group) -> list[Modifier]:
        """A side's modifiers in a group, the leader's manoeuvre in a pursuit apart."""
        found = list(self.met.modifiers[side])
        if group.wind == side:
            found.append(self.met.wind_modifier(side))
        leader = self.met.squadrons[side].leader.told()
        found.append(Modifier(SIDES[side], (1, 2), group.fire[side], group.shock[side], f"leader: {leader}"))
        return found

    def drm(self, side: int, group: Group, roll: int, failed: int, worse: int) -> int:
        """A side's modifier in one of the four rolls (step 7)."""
        day, fire = ROLLS[roll]
        helped = day == 2 and failed >> (1 - side) & 1
        return total(self.modifiers(side, group), day)[0 if fire else 1] + helped - (worse == side + 1)

    def read(self, side: int, roll: int, modified: int) -> tuple[int, int]:
        """Thirds and stars that a side inflicts."""
        fire = ROLLS[roll][1]
        thirds, stars = self.met.book.combat_roll(self.met.columns(side)[0 if fire else 1], modified)
        return ((thirds + 1) // 2 if fire and self.met.halves(side) else thirds), stars

    def die(self, side: int, roll: int, drm: int) -> Counter[tuple[int, int]]:
        """Thirds and stars of a side's roll."""
        return Counter(self.read(side, roll, die + drm) for die in FACES)

    @cached_property
    def rolls(self) -> np.ndarray:
        """Tables of every group, roll, failed attempts and who has suffered more stars."""
        out = np.zeros((len(self.groups), 4, 4, 3), np.int64)
        made: dict[Hashable, int] = {}
        for place, group in enumerate(self.groups):
            for roll, failed, worse in np.ndindex(4, 4, 3):
                if (failed and roll < 2) or (failed and not self.breaks) or (roll == 0 and worse):
                    continue
                drms = tuple(self.drm(side, group, roll, failed, worse) for side in (0, 1))
                key = (roll % 2, drms)
                if key not in made:
                    own, enemy = (self.die(side, roll, drm) for side, drm in enumerate(drms))
                    made[key] = self.add(combine(own, enemy, lambda a, d: packed(*a) | packed(*d) << rules.SIDE_BITS))
                out[place, roll, failed, worse] = made[key]
        return out

    @property
    def breaks(self) -> bool:
        """May anybody break off?"""
        return any(policy.break_off != "never" for policy in self.policies)

    def pursuit_drm(self, side: int, group: Group, rolls: int) -> int:
        """A side's pursuit modifier, the manoeuvre apart (step 9)."""
        fixed = sum(modifier.pursuit for modifier in self.modifiers(side, group))
        return fixed + 2 * (rolls <= 2) + rolls % 2

    def pursuit(self, side: int, group: Group, rolls: int) -> Counter[int]:
        """Thirds and stars of a pursuit, mixed over the manoeuvres that are not known."""
        drm, column = self.pursuit_drm(side, group, rolls), self.met.pursuit_column(side)
        found: Counter[int] = Counter()
        ahead: Counter[int] = Counter()
        for pair, weight in self.groups[group].items():
            ahead[max(0, pair[side][0] - pair[1 - side][0])] += weight
        for more, weight in ahead.items():
            for die in FACES:
                found[packed(*self.met.book.combat_roll(column, die + drm + more))] += weight
        return found

    @cached_property
    def chase(self) -> np.ndarray:
        """Tables of pursuits by group, side and rolls fought."""
        out = np.zeros((len(self.groups), 2, 5), np.int64)
        made: dict[Hashable, int] = {}
        for place, group in enumerate(self.groups):
            for side, rolls in np.ndindex(2, 5):
                weights = self.pursuit(side, group, rolls)
                key = tuple(sorted(weights.items()))
                if key not in made:
                    made[key] = self.add(weights)
                out[place, side, rolls] = made[key]
        return out

    def attempts(self) -> np.ndarray:
        """Tables of attempts to break off by group, side and morale left."""
        out = np.zeros((len(self.groups), 2, max(self.met.morale) + 1), np.int64)
        free = self.met.options.break_off_at_sea == "automatic"
        for place, group in enumerate(self.groups):
            for side, man in enumerate(group.men):
                for morale in range(out.shape[2]):
                    faces = 10 if free else min(10, (man or 0) + morale)
                    out[place, side, morale] = self.add(+Counter({1: faces, 0: 10 - faces}))
        return out

    @cached_property
    def most_losses(self) -> tuple[int, int]:
        """Thirds that each side may suffer in the fighting."""
        return self._most(0), self._most(1)

    def _most(self, victim: int) -> int:
        """The most thirds that rolls can inflict before the one that routs."""
        drms = range(-20, 25)
        results = [{self.read(1 - victim, roll, drm) for drm in drms} for roll in (0, 1)]
        best = {0: 0}
        most = 0
        for roll in range(4):
            following: dict[int, int] = {}
            for stars, thirds in best.items():
                for more, worse in results[roll % 2]:
                    most = max(most, thirds + more)
                    if stars + worse < self.met.morale[victim]:
                        following[stars + worse] = max(following.get(stars + worse, 0), thirds + more)
            best = following
        return most

    # --- the chain ---

    def params(self) -> NavalParams:
        """All numbers of the fighting."""
        groups = list(self.groups)
        return NavalParams(
            draw=self.add(self.known.begins()),
            first=0 if self.met.interception else 1,
            breaks=int(self.breaks),
            free=int(self.met.options.break_off_at_sea == "automatic"),
            wind=whole_numbers(group.wind for group in groups),
            rolls=self.rolls,
            men=whole_numbers(self._draw_of(group) for group in groups),
            man=whole_numbers([man or 0 for man in group.men] for group in groups),
            attempt=self.attempts(),
            leave=whole_numbers(LEAVE[policy.leave_with_wind] for policy in self.policies),
            break_off=whole_numbers(LEAVE[policy.break_off] for policy in self.policies),
            morale=whole_numbers(self.met.morale),
        )

    def _draw_of(self, group: Group) -> int:
        children = self.known.children(group)
        return 0 if group in children else self.add(self.known.draw(group))

    def chase_table(self, place: int, side: int, rolls: int) -> int:
        """The table of a pursuit."""
        return int(self.chase[place, side, rolls])

    def chain(self) -> Chain:
        """The chain of states of the fighting; its tables hold those of the pursuits too."""
        p, most = self.params(), self.most_losses
        stars = max(self.met.morale) + MOST_STARS
        start = NavalState(*[0] * len(NavalState._fields))._replace(verdict=rules.UNDECIDED)
        limits = NavalState(
            stage=rules.OVER, group=max(1, len(self.groups) - 1), loss_a=most[0], loss_d=most[1], stars_a=stars,
            stars_d=stars, failed=3, rolls=4, verdict=rules.UNDECIDED, broke=2, left=2,
        )  # fmt: skip
        assert self.chase.size
        return Chain(p, start, limits, self.tables.close())


def packed(thirds: int, stars: int) -> int:
    """One side's part of a roll's result."""
    return thirds | stars << rules.LOSS_BITS


def whole_numbers(values: Any) -> np.ndarray:
    """An array of whole numbers, as rules take them."""
    return np.ascontiguousarray(np.array(list(values), np.int64))
