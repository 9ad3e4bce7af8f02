"""From two fleets to the chain of their battle: tables of chances, and the numbers that naval_rules.py looks up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd
from typing import Any

import numpy as np

from simulator.engine.chain import Chain
from simulator.engine.chance import TableBook, combine
from simulator.rules.europa import leaders
from simulator.rules.europa import naval_rules as rules
from simulator.rules.europa.leaders import Trial, fates
from simulator.rules.europa.modifiers import Modifier, total
from simulator.rules.europa.naval_groups import Group, Groups, Pairs
from simulator.rules.europa.naval_losses import Fight, Reckoning, Record
from simulator.rules.europa.naval_rules import NavalParams, NavalState
from simulator.rules.europa.squadrons import FACES, Engagement
from simulator.rules.europa.stacks import SIDES

LEAVE = {
    "never": rules.NEVER, "always": rules.ALWAYS, "if-behind": rules.IF_BEHIND, "if-near-rout": rules.IF_NEAR_ROUT,
    "if-sure": rules.IF_SURE,
}  # fmt: skip
ROLLS = ((1, True), (1, False), (2, True), (2, False))
EVADES_AT = 8
MOST_STARS, MOST_CAUGHT = 7, 7
# Conditions of a leader test: (won, no ship left).
CONDITIONS = ((True, False), (False, False), (True, True), (False, True))
UNHARMED, KILLED, WOUNDED = range(3)


@dataclass
class NavalSetup:
    """Builds the parameters and tables of one naval battle; `alone`: the fighting only, up to the pursuit."""

    met: Engagement
    alone: bool = False
    tables: TableBook = field(default_factory=TableBook)

    @cached_property
    def reckoning(self) -> Reckoning:
        """What the battle costs."""
        return Reckoning(self.met)

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
        storms = [self.alone and squadron.retreat_drm is not None for squadron in self.met.squadrons]
        a, d = (bool((breaks[side] and not free) or self.storm[side] or storms[side]) for side in (0, 1))
        return a, d

    @property
    def policies(self) -> list[Any]:
        """Policies of both sides."""
        return [squadron.policy for squadron in self.met.squadrons]

    @cached_property
    def storm(self) -> tuple[bool, bool]:
        """Which side rolls retreat attrition unless it wins?"""
        a, d = (not self.alone and self.reckoning.rolls_storm(side, False) for side in (0, 1))
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
        made: dict[Any, int] = {}
        for place, group in enumerate(self.groups):
            for roll, failed, worse in np.ndindex(4, 4, 3):
                if (failed and roll < 2) or (failed and not self.breaks) or (roll == 0 and worse):
                    continue
                drms = tuple(self.drm(side, group, roll, failed, worse) for side in (0, 1))
                key = (roll % 2, drms)
                if key not in made:
                    dice = [self.die(side, roll, drm) for side, drm in enumerate(drms)]
                    made[key] = self.add(combine(*dice, lambda a, d: packed(*a) | packed(*d) << rules.SIDE_BITS))
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

    def chases(self) -> np.ndarray:
        """Tables of pursuits by group, side and rolls fought."""
        out = np.zeros((len(self.groups), 2, 5), np.int64)
        made: dict[Any, int] = {}
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

    # --- the end ---

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

    @property
    def most_pursued(self) -> int:
        """The largest result of a pursuit in thirds."""
        return self._most_in_pursuit(0)

    @property
    def most_caught(self) -> int:
        """The largest result of a pursuit in stars."""
        return self._most_in_pursuit(1)

    def _most_in_pursuit(self, part: int) -> int:
        columns = {self.met.pursuit_column(side) for side in (0, 1)}
        return max(result[part] for (column, _), result in self.met.book.combat.items() if column in columns)

    @cached_property
    def reads(self) -> bool:
        """May losses decide anything before the end: who wins, retreat attrition, a leader's fate?"""
        if self.alone:
            return False
        perils = (self._in_peril(side) for side in (0, 1))
        return any(self.storm) or any(perils)

    def _in_peril(self, side: int) -> bool:
        """May a side be wiped out, or lose all its ships?"""
        own = self.met.squadrons[side].fleet.thirds
        thirds = self.most_losses[side] + self.most_pursued
        worst = self.reckoning.record(side, Fight(False, True, MOST_CAUGHT, thirds))
        taken = min(2 * MOST_CAUGHT, own) * 3
        return self.reckoning.wiped(side, self.most_losses[side]) or worst.losses + taken >= own

    def test(self, side: int, fragile: bool, condition: int) -> Counter[int]:
        """Fates of a side's leader; a monarch at sea is like any other."""
        leader = self.met.squadrons[side].leader._replace(kind="admiral")
        if not leader.present:
            return Counter({UNHARMED: 1})
        found: Counter[int] = Counter()
        for code, weight in fates(leader, Trial(*CONDITIONS[condition], fragile)).items():
            found[UNHARMED if not code else KILLED if code == leaders.KILLED else WOUNDED] += weight
        return found

    def tests(self) -> np.ndarray:
        """Tables of leader tests by fragility and both sides' conditions."""
        out = np.zeros((4, 4, 4), np.int64)
        for frail in () if self.alone else {group.fragile[0] + 2 * group.fragile[1] for group in self.groups}:
            for a, d in np.ndindex(4, 4):
                both = self.test(0, bool(frail & 1), a), self.test(1, bool(frail & 2), d)
                out[frail, a, d] = self.add(combine(*both, lambda own, enemy: own + rules.FATES * enemy))
        return out

    # --- records of battles with retreat attrition ---

    @cached_property
    def records(self) -> tuple[dict[Record, int], dict[Record, int]]:
        """Every record a side may come to, with its number; filled by `record_numbers` and `storm_tables`."""
        return {}, {}

    def number(self, side: int, record: Record) -> int:
        """The number of a record."""
        return self.records[side].setdefault(record, len(self.records[side]))

    def record_numbers(self) -> np.ndarray:
        """Records by side, won, routed, caught and thirds."""
        most = max(self.most_losses) + self.most_pursued + 1
        out = np.zeros((2, 2, 2, self.most_caught + 1, most), np.int64)
        for side, won, routed, caught, thirds in np.ndindex(*out.shape) if self.reads else ():
            fight = Fight(bool(won), bool(routed), caught, thirds)
            out[side, won, routed, caught, thirds] = self.number(side, self.reckoning.record(side, fight))
        return out

    def storm_tables(self) -> np.ndarray:
        """Tables of the records that a storm leads to, by side, record and group."""
        before = [list(found) for found in self.records]
        out = np.zeros((2, max(1, *map(len, before)), len(self.groups)), np.int64)
        made: dict[Any, int] = {}
        for side in (0, 1):
            for number, record in enumerate(before[side] if self.storm[side] else ()):
                for place, group in enumerate(self.groups):
                    drm = self.reckoning.storm_modifier(side, record.routed, group.men[side] or 0)
                    key = side, number, drm
                    if key not in made:
                        after = self.reckoning.after_storm(side, record, drm)
                        weights = Counter({self.number(side, new): weight for new, weight in after.items()})
                        made[key] = self.add(weights)
                    out[side, number, place] = made[key]
        return out

    def gone(self) -> np.ndarray:
        """Which records have no ship left?"""
        out = np.zeros((2, max(1, *(len(found) for found in self.records))), np.int64)
        for side, found in enumerate(self.records):
            for record, number in found.items():
                out[side, number] = record.gone
        return out

    def wiped(self) -> np.ndarray:
        """By side and thirds."""
        most = max(self.most_losses) + 1
        return _ints([[self.reckoning.wiped(side, thirds) for thirds in range(most)] for side in (0, 1)])

    # --- the chain ---

    def evade(self) -> int:
        """Table of the evasion: d10 + (own - enemy manoeuvre, if positive) >= 8; a replacement counts 0 (step 1)."""
        if self.alone or self.policies[1].evasion != "evade":
            return 0
        return self.add(Counter(int(die + self.evasion_bonus >= EVADES_AT) for die in FACES))

    @property
    def evasion_bonus(self) -> int:
        """What manoeuvre adds to the evader's die."""
        enemy, own = (squadron.leader.manoeuvre for squadron in self.met.squadrons)
        return max(0, own - enemy)

    def params(self) -> NavalParams:
        """All numbers of the battle."""
        groups, storms = list(self.groups), any(self.storm)
        record = self.record_numbers()
        storm_rolls = self.storm_tables()
        later: dict[Any, int] = {}
        for place, group in enumerate(groups):
            later.setdefault(self._later(group), place)
        return NavalParams(
            evade=self.evade(),
            draw=self.add(self.known.begins()),
            first=0 if self.met.interception else 1,
            breaks=int(self.breaks),
            free=int(self.met.options.break_off_at_sea == "automatic"),
            reads=int(self.reads),
            storms=int(storms),
            routs=int(self.met.options.destruction_is_rout),
            tested=int(not self.alone),
            wind=_ints(group.wind for group in groups),
            rolls=self.rolls,
            men=_ints(self._draw_of(group) for group in groups),
            man=_ints([man or 0 for man in group.men] for group in groups),
            attempt=self.attempts(),
            chase=self.chases(),
            later=_ints(later[self._later(group)] for group in groups),
            leave=_ints(LEAVE[policy.leave_with_wind] for policy in self.policies),
            break_off=_ints(LEAVE[policy.break_off] for policy in self.policies),
            morale=_ints(self.met.morale),
            alone=int(self.alone),
            storm=_ints(self.storm),
            wiped=self.wiped(),
            record=record,
            gone=self.gone(),
            storm_rolls=storm_rolls,
            frail=_ints(group.fragile[0] + 2 * group.fragile[1] for group in groups),
            tests=self.tests(),
        )

    def _draw_of(self, group: Group) -> int:
        children = self.known.children(group)
        return 0 if group in children else self.add(self.known.draw(group))

    def _later(self, group: Group) -> Any:
        """What still counts of a group once the pursuit is over."""
        return group.wind, group.fragile, group.men if any(self.storm) else None

    def limits(self) -> NavalState:
        """The largest value of each field."""
        most, stars = self.most_losses, max(self.met.morale) + 2 * MOST_STARS
        numbers = [max(1, len(found) - 1) for found in self.records]
        return NavalState(
            stage=rules.OVER, group=max(1, len(self.groups) - 1),
            loss_a=most[0] + self.most_pursued, loss_d=most[1] + self.most_pursued, stars_a=stars, stars_d=stars,
            failed=3, rolls=4, routs=3, verdict=rules.UNDECIDED, broke=2, left=2,
            caught_a=MOST_CAUGHT, caught_d=MOST_CAUGHT,
            record_a=numbers[0], record_d=numbers[1], fates=rules.FATES * rules.FATES - 1,
        )  # fmt: skip

    def chain(self, tell: Any = None) -> Chain:
        """The chain of states of the battle."""
        p = self.params()
        begun = NavalState(*[0] * len(NavalState._fields))._replace(verdict=rules.UNDECIDED)
        start = begun._replace(stage=rules.EVADE if p.evade else rules.DRAW)
        counters = () if p.reads else ("loss_d",)
        return Chain(p, start, self.limits(), self.tables.close(), counters=counters, tell=tell)


def packed(thirds: int, stars: int) -> int:
    """One side's part of a roll's result."""
    return thirds | stars << rules.LOSS_BITS


def _ints(values: Any) -> np.ndarray:
    return np.ascontiguousarray(np.array(list(values), np.int64))
