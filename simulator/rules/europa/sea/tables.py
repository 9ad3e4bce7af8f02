"""From two fleets to their fighting: the tables of chances and the numbers that rules.py looks up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from simulator.engine.model.chance import NO_TABLE, TableBook, combine, row_of
from simulator.engine.model.interpreted import plain_params
from simulator.rules.europa.sea import rules
from simulator.rules.europa.sea.rules import FightParams
from simulator.rules.europa.sea.squadrons import WIND, Engagement
from simulator.rules.europa.shared.leaders import FACES, Values, pair_of
from simulator.rules.europa.shared.modifiers import BOTH_DAYS, Modifier, total
from simulator.rules.toolkit.weights import grid

ROLLS = ((1, True), (1, False), (2, True), (2, False))


class Group(NamedTuple):
    """The side with the wind, both sides' advantages, fragile leaders, manoeuvres (None: for the pursuit only).

    `fragile` as in `Pair`.
    """

    wind: int
    fire: tuple[int, int]
    shock: tuple[int, int]
    fragile: int
    men: tuple[int | None, int | None] = (None, None)


@dataclass
class NavalSetup:
    """The numbers and tables of the fighting in one naval battle; tables are indices of `tables`.

    A *group* is the wind and the values of the leaders, drawn before the battle; `places` lists them.
    """

    engagement: Engagement
    tables: TableBook = field(default_factory=TableBook)

    def __post_init__(self) -> None:
        self.policies = [squadron.policy for squadron in self.engagement.squadrons]
        # Does a side roll retreat attrition unless it wins? May any side break off, and without a roll?
        self.storm = [squadron.retreat_drm is not None for squadron in self.engagement.squadrons]
        self.breaks = any(policy.break_off != "never" for policy in self.policies)
        self.free = self.engagement.options.break_off_at_sea == "automatic"
        self.chase_table = cache(self._chase_table)
        self.columns = [self.engagement.columns(side) for side in (0, 1)]
        # The side that may break off first.
        self.first, self.morale = 0 if self.engagement.conditions.interception else 1, self.engagement.morale

    @cached_property
    def groups(self) -> dict[Group, Counter[tuple[Values, Values]]]:
        """All groups with the pairs of leaders behind them."""
        cap, squadrons = self.engagement.options.leader_differential_cap, self.engagement.squadrons
        asks = [
            storm or (policy.break_off != "never" and not self.free)
            for storm, policy in zip(self.storm, self.policies, strict=True)
        ]
        found: dict[Group, Counter[tuple[Values, Values]]] = {}
        both = combine(squadrons[0].values(), squadrons[1].values(), lambda own, enemy: (own, enemy))
        for (own, enemy), weight in both.items():
            pair = pair_of(own, enemy, cap)
            men = own[0] if asks[0] else None, enemy[0] if asks[1] else None
            for wind, chance in self.engagement.winds(own, enemy).items():
                group = Group(wind, pair.fire, pair.shock, pair.fragile, men)
                found.setdefault(group, Counter())[own, enemy] += weight * chance
        return found

    @cached_property
    def places(self) -> list[Group]:
        """All groups by place."""
        return list(self.groups)

    # --- rolls ---

    def dice(self, table: int) -> list[tuple[int, float]]:
        """Results of a chance table with their chances."""
        results, chances = row_of(self.tables.weights(table))
        return list(zip(results.tolist(), chances.tolist(), strict=True))

    def modifiers(self, side: int, group: Group) -> list[Modifier]:
        """A side's modifiers in a group, without the leader's manoeuvre in a pursuit."""
        found = list(self.engagement.modifiers[side])
        if group.wind == side:
            found.append(WIND)
        leader = self.engagement.squadrons[side].leader.text()
        found.append(Modifier(BOTH_DAYS, group.fire[side], group.shock[side], f"leader: {leader}"))
        return found

    @cached_property
    def fixed_drm(self) -> dict[tuple[int, Group, int], int]:
        """A side's modifier in one of the four rolls, without stars and failed attempts to break off."""
        return {
            (side, group, roll): total(self.modifiers(side, group), "fire" if fire else "shock", day)
            for side in (0, 1)
            for group in self.groups
            for roll, (day, fire) in enumerate(ROLLS)
        }

    def drm(self, side: int, group: Group, roll: int, failed: int, worse: int) -> int:
        """A side's modifier in one of the four rolls (step 7)."""
        enemy_failed = ROLLS[roll][0] == 2 and failed >> (1 - side) & 1
        return self.fixed_drm[side, group, roll] + enemy_failed - (worse == side + 1)

    def read(self, side: int, roll: int, modified: int) -> tuple[int, int]:
        """Thirds and stars that a side inflicts with a modified die."""
        fire = ROLLS[roll][1]
        thirds, stars = self.engagement.book.combat_roll(self.columns[side][0 if fire else 1], modified)
        return (thirds + 1) // 2 if fire and self.engagement.halves(side) else thirds, stars

    def _roll_table(self, side: int, place: int, roll: int, failed: int, worse: int) -> int:
        """The table of a side's roll in the group at this place."""
        drm = self.drm(side, self.places[place], roll, failed, worse)
        return self.tables.by(
            (side, roll % 2, drm), lambda: Counter(packed(*self.read(side, roll, die + drm)) for die in FACES)
        )

    def pursuit_drm(self, side: int, group: Group, rolls: int) -> int:
        """A side's pursuit modifier without the manoeuvre: +2 after day one, +1 after a Fire roll (step 9)."""
        return total(self.modifiers(side, group), "pursuit") + 2 * (rolls <= 2) + rolls % 2

    def _chase_table(self, place: int, side: int, rolls: int) -> int:
        """The table of a side's pursuit in the group at this place: thirds and stars."""
        group = self.places[place]
        ahead: Counter[int] = Counter()
        for pair, weight in self.groups[group].items():
            ahead[max(0, pair[side][0] - pair[1 - side][0])] += weight
        column, drm = self.engagement.pursuit_column(side), self.pursuit_drm(side, group, rolls)

        def inflicted(die: int, more: int) -> int:
            return packed(*self.engagement.book.combat_roll(column, die + drm + more))

        key = side, drm, tuple(sorted(ahead.items()))
        return self.tables.by(key, lambda: combine(Counter(FACES), ahead, inflicted))

    @cached_property
    def draw(self) -> int:
        """The table of the groups, by place."""
        return self.tables.add({place: pairs.total() for place, pairs in enumerate(self.groups.values())})

    def man(self, place: int, side: int) -> int:
        """A side's manoeuvre in the group at this place; 0 where it matters for the pursuit only."""
        return self.places[place].men[side] or 0

    def sure(self, side: int, place: int) -> int:
        """The morale with which a side's attempt to break off cannot fail."""
        return 0 if self.free else rules.SURE - self.man(place, side)

    def attempt(self, side: int, place: int, morale: int) -> int:
        """The table of an attempt to break off with this morale left: 1 if it succeeds."""
        if not self.breaks:
            return NO_TABLE
        faces = 10 if self.free else min(10, self.man(place, side) + morale)
        return self.tables.by(faces, lambda: {1: faces, 0: 10 - faces})

    @cached_property
    def params(self) -> FightParams:
        """All numbers of the fight."""
        places, failures = len(self.places), 4 if self.breaks else 1
        return FightParams(
            draw=self.draw,
            rolls=grid((2, places, len(ROLLS), failures, 3), self._roll_table),
            attempts=grid((2, places, max(self.morale) + 1), self.attempt),
            wind=np.array([group.wind for group in self.places], np.int64),
            sure=grid((2, places), self.sure),
            leave_with_wind=codes(policy.leave_with_wind for policy in self.policies),
            break_off=codes(policy.break_off for policy in self.policies),
            breaks=int(self.breaks),
            first=self.first,
            morale=np.array(self.morale, np.int64),
        )

    @cached_property
    def plain(self) -> FightParams:
        """The numbers of the fight for rules that run as plain Python."""
        found: FightParams = plain_params(self.params)
        return found


def codes(policies: Iterable[str]) -> np.ndarray:
    """Policies that say when to leave, as the rules number them: int64."""
    return np.array([rules.LEAVING.index(policy) for policy in policies], np.int64)


def packed(thirds: int, stars: int) -> int:
    """One side's part of a roll's result."""
    return thirds | stars << rules.LOSS_BITS
