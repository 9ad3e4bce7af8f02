"""From two fleets to their fighting: the tables of chances and the numbers that rules.py looks up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from math import gcd
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chance import NO_TABLE, TableBook, combine, row_of
from simulator.engine.model.interpreted import plain_params
from simulator.rules.battle import NOBODY
from simulator.rules.europa.sea import rules
from simulator.rules.europa.sea.rules import FightParams, NavalState
from simulator.rules.europa.sea.squadrons import WIND, Engagement
from simulator.rules.europa.shared.leaders import FACES, Values, pair_of
from simulator.rules.europa.shared.modifiers import BOTH_DAYS, Modifier, total
from simulator.rules.europa.tables import HIGHEST, Book
from simulator.rules.toolkit.weights import grid

ROLLS = ((1, True), (1, False), (2, True), (2, False))
# Rolls that a pursuit may come after, 0 for no pursuit.
ROLLED = len(ROLLS) + 1
NO_LOSS = np.ones((1, 1))


class Group(NamedTuple):
    """The side with the wind, both sides' advantages, fragile leaders, manoeuvres (None: for the pursuit only).

    `fragile` as in `Pair`.
    """

    wind: int
    fire: tuple[int, int]
    shock: tuple[int, int]
    fragile: int
    men: tuple[int | None, int | None] = (None, None)


class Plan(NamedTuple):
    """All that decides which states a fight may come to, its group drawn.

    `wind`, `sure`: of the group, where a policy asks for them; `stars`: the most of a side's Fire and Boarding. The
    others are as in `FightParams`.
    """

    morale: tuple[int, int]
    leave_with_wind: tuple[int, ...]
    break_off: tuple[int, ...]
    first: int
    wind: int
    sure: tuple[int, int]
    stars: tuple[tuple[int, int], tuple[int, int]]

    @property
    def params(self) -> FightParams:
        """The numbers that the rules read."""
        found: FightParams = plain_params(
            FightParams(
                draw=NO_TABLE,
                rolls=np.zeros(0),
                attempts=np.zeros(0),
                wind=np.array([self.wind]),
                sure=np.array([[sure] for sure in self.sure]),
                leave_with_wind=np.array(self.leave_with_wind),
                break_off=np.array(self.break_off),
                breaks=int(any(self.break_off)),
                first=self.first,
                morale=np.array(self.morale),
            )
        )
        return found

    def results(self, state: NavalState) -> list[list[tuple[int, int]]]:
        """The results of a roll that only inflicts stars, [stars of the own side][of the enemy]; of an attempt [0]."""
        if not rules.rolls(state):
            return [[(0, 0), (1, 0)]]
        own, enemy = (self.stars[side][(state.stage - rules.FIRE_1) % 2] for side in (1, 0))
        return [[(packed(0, d), packed(0, a)) for d in range(enemy + 1)] for a in range(own + 1)]


class Duel(NamedTuple):
    """All numbers of a fight, its group drawn.

    `rolls`: (column, do losses halve?, modifier) of each side's four rolls; `tries`: the faces that break off, but for
    the morale left, None if all do.
    """

    plan: Plan
    book: Book
    rolls: tuple[tuple[tuple[str, bool, int], ...], ...]
    tries: tuple[int, int] | None

    def throw(self, state: NavalState, side: int) -> np.ndarray:
        """The roll that a side suffers in a state, float64 [stars, thirds]; an attempt is the enemy's, [success, 0]."""
        if rules.rolls(state):
            roll = state.stage - rules.FIRE_1
            column, halves, fixed = self.rolls[1 - side][roll]
            return thrown(
                self.book, column, halves, fixed + moved(1 - side, roll, state.failed, rules.more_stars(state))
            )
        if side == 0:
            return NO_LOSS
        asked = rules.asked(self.plan, state)
        faces = 10 if self.tries is None else self.tries[asked] + rules.morale_left(self.plan, state, asked)
        return np.array([[max(0, 10 - faces)], [min(10, faces)]]) / 10


def moved(side: int, roll: int, failed: int, worse: int) -> int:
    """The modifier of a side's roll that depends on failed attempts to break off and on stars (step 7)."""
    return int(ROLLS[roll][0] == 2 and failed >> (1 - side) & 1) - (worse == side + 1)


def inflicted(book: Book, column: str, halves: bool, modified: int) -> tuple[int, int]:
    """Thirds and stars of a modified die."""
    thirds, stars = book.combat_roll(column, modified)
    return (thirds + 1) // 2 if halves else thirds, stars


@lru_cache(maxsize=1024)
def thrown(book: Book, column: str, halves: bool, drm: int) -> np.ndarray:
    """A roll with this modifier: the chances float64 [stars, thirds]; not to be changed."""
    found = Counter(inflicted(book, column, halves, die + drm) for die in FACES)
    out = np.zeros((1 + max(stars for _, stars in found), 1 + max(thirds for thirds, _ in found)))
    for (thirds, stars), ways in found.items():
        out[stars, thirds] = ways / len(FACES)
    return out


class Pursuit(NamedTuple):
    """A pursuit after two days: its column, its modifier, and how far the winner's manoeuvre is ahead, with weights."""

    column: str
    drm: int
    ahead: tuple[tuple[int, int], ...]

    def results(self, book: Book, rolls: int) -> Counter[int]:
        """Thirds and stars after this many rolls of the fight, with weights."""

        def caught(die: int, more: int) -> int:
            return packed(*book.combat_roll(self.column, die + self.drm + sooner(rolls) + more))

        return combine(Counter(FACES), dict(self.ahead), caught)


def sooner(rolls: int) -> int:
    """The modifier of a pursuit by the rolls of the fight: +2 after day one, +1 after a Fire roll (step 9)."""
    return 2 * (rolls <= 2) + rolls % 2


@lru_cache(maxsize=1024)
def chased(book: Book, pursuit: Pursuit) -> np.ndarray:
    """A pursuit by the rolls before it, 0 for none: float64 [rolls, stars, thirds]; not to be changed."""
    tables = [pursuit.results(book, rolls) if rolls else {0: 1} for rolls in range(ROLLED)]
    codes = np.array([code for table in tables for code in table])
    out = np.zeros((ROLLED, 1 + (codes >> rules.LOSS_BITS).max(), 1 + (codes & rules.LOSS_MASK).max()))
    for rolls, table in enumerate(tables):
        for code, ways in table.items():
            out[rolls, code >> rules.LOSS_BITS, code & rules.LOSS_MASK] = ways / sum(table.values())
    return out


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
        self.of_group, self.fixed_drms = cache(self._of_group), cache(self._fixed_drms)
        # The column of each of the four rolls, and whether losses halve.
        self.throwing = [
            [(self.engagement.columns(side)[not fire], fire and self.engagement.halves(side)) for _, fire in ROLLS]
            for side in (0, 1)
        ]
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
        return self.of_group(side, group.wind == side, group.fire[side], group.shock[side])

    def _of_group(self, side: int, wind: bool, fire: int, shock: int) -> list[Modifier]:
        leader = self.engagement.squadrons[side].leader.text()
        by_leader = Modifier(BOTH_DAYS, fire, shock, f"leader: {leader}")
        return [*self.engagement.modifiers[side], *[WIND] * wind, by_leader]

    def _fixed_drms(self, *group: Any) -> tuple[int, ...]:
        found = self.of_group(*group)
        return tuple(total(found, "fire" if fire else "shock", day) for day, fire in ROLLS)

    def drms(self, side: int, group: Group) -> tuple[int, ...]:
        """A side's modifiers in the four rolls, without stars and failed attempts to break off."""
        return self.fixed_drms(side, group.wind == side, group.fire[side], group.shock[side])

    def drm(self, side: int, group: Group, roll: int, failed: int, worse: int) -> int:
        """A side's modifier in one of the four rolls (step 7)."""
        return self.drms(side, group)[roll] + moved(side, roll, failed, worse)

    def read(self, side: int, roll: int, modified: int) -> tuple[int, int]:
        """Thirds and stars that a side inflicts with a modified die."""
        column, halves = self.throwing[side][roll]
        return inflicted(self.engagement.book, column, halves, modified)

    def _roll_table(self, side: int, place: int, roll: int, failed: int, worse: int) -> int:
        """The table of a side's roll in the group at this place."""
        drm = self.drm(side, self.places[place], roll, failed, worse)
        return self.tables.by(
            (side, roll % 2, drm), lambda: Counter(packed(*self.read(side, roll, die + drm)) for die in FACES)
        )

    def pursuit_drm(self, side: int, group: Group, rolls: int) -> int:
        """A side's pursuit modifier without the manoeuvre (step 9)."""
        return total(self.modifiers(side, group), "pursuit") + sooner(rolls)

    def pursuit(self, place: int, side: int) -> Pursuit:
        """A side's pursuit in the group at this place, after two days."""
        group = self.places[place]
        ahead: Counter[int] = Counter()
        for pair, weight in self.groups[group].items():
            ahead[max(0, pair[side][0] - pair[1 - side][0])] += weight
        column, drm = self.engagement.pursuit_column(side), self.pursuit_drm(side, group, len(ROLLS))
        common = gcd(*ahead.values())
        return Pursuit(column, drm, tuple(sorted((more, ways // common) for more, ways in ahead.items())))

    def _chase_table(self, place: int, side: int, rolls: int) -> int:
        """The table of a side's pursuit in the group at this place: thirds and stars."""
        pursuit = self.pursuit(place, side)
        return self.tables.by((pursuit, sooner(rolls)), lambda: pursuit.results(self.engagement.book, rolls))

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
            leave_with_wind=np.array(codes(policy.leave_with_wind for policy in self.policies)),
            break_off=np.array(codes(policy.break_off for policy in self.policies)),
            breaks=int(self.breaks),
            first=self.first,
            morale=np.array(self.morale, np.int64),
        )

    def duel(self, place: int) -> Duel:
        """The fight in the group at this place."""
        group, leaving = self.places[place], [policy.leave_with_wind for policy in self.policies]
        breaking = [policy.break_off for policy in self.policies]
        sure = (self.sure(0, place), self.sure(1, place)) if "if-sure" in breaking else (0, 0)
        wind = NOBODY if leaving == ["never", "never"] else group.wind
        plan = Plan(self.morale, tuple(codes(leaving)), tuple(codes(breaking)), self.first, wind, sure, self.most_stars)
        rolls = tuple(
            tuple((*throwing, drm) for throwing, drm in zip(self.throwing[side], self.drms(side, group), strict=True))
            for side in (0, 1)
        )
        tries = None if self.free or not self.breaks else (self.man(place, 0), self.man(place, 1))
        return Duel(plan, self.engagement.book, rolls, tries)

    @cached_property
    def most_stars(self) -> Any:
        """The most stars that a side inflicts, [side][Boarding?]."""
        faces, read = range(HIGHEST + 1), self.engagement.book.combat_roll
        return tuple(
            tuple(max(read(column, die)[1] for die in faces) for column in self.engagement.columns(side))
            for side in (0, 1)
        )

    @cached_property
    def plain(self) -> FightParams:
        """The numbers of the fight for rules that run as plain Python."""
        found: FightParams = plain_params(self.params)
        return found


def codes(policies: Iterable[str]) -> list[int]:
    """Policies that say when to leave, as the rules number them."""
    return [rules.LEAVING.index(policy) for policy in policies]


def packed(thirds: int, stars: int) -> int:
    """One side's part of a roll's result."""
    return thirds | stars << rules.LOSS_BITS
