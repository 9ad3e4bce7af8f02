"""From a land scenario to its chain: tables of chances, and numbers that the rules in land_rules.py look up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.chance import TableBook, Weights, combine, seen_as
from simulator.rules.europa import land_rules as land
from simulator.rules.europa.land_leaders import LeaderClasses, retreaters
from simulator.rules.europa.land_modifiers import Meeting, Pair
from simulator.rules.europa.land_rules import LandParams, LandState
from simulator.rules.europa.leaders import FACES, Trial, both_fates
from simulator.rules.europa.stacks import LD, SIDES
from simulator.rules.europa.tables import Book
from simulator.rules.toolkit.weights import capped, grid, sum_of

POLICIES = {
    "never": land.NEVER, "always": land.ALWAYS, "if-behind": land.IF_BEHIND, "if-sure": land.IF_SURE,
    "best": land.BEST,
}  # fmt: skip
PHASES = ((1, True), (1, False), (2, True), (2, False))
EVADES_AT = 8
# Above so many kinds of leader pairs the sides roll one after the other: fewer transitions for exact odds. Below, both
# roll at once: fewer steps for dice (see benchmarks/).
ROLLED_TOGETHER = 4
MOST_OF_A_DIE = 14
PURSUIT_COLUMN = "E"
PURSUIT_DRM = {land.DAY_1: 2, land.DAY_1_FIRE: 3, land.DAY_2: 0, land.DAY_2_FIRE: 1}


class Roll(NamedTuple):
    """One side's roll: column ("" for none), modifier, and what its technology leaves of losses by Fire."""

    column: str
    drm: int
    losses: str = "full"

    def read(self, book: Book, die: int) -> tuple[int, int]:
        """Thirds and stars of a die (section 3.3)."""
        thirds, stars = book.combat_roll(self.column, die + self.drm)
        return {"full": thirds, "halved": thirds // 2, "none": 0}[self.losses], stars


class Part(NamedTuple):
    """A part of a roll: what its result means, the sides that roll, and how many dice."""

    kind: int
    sides: tuple[int, ...]
    dice: int = 1


class Tally(NamedTuple):
    """How what a side inflicts is tallied, with its main (and middle) dice and with its last one (section 3.4 step 1).

    `spare` a 7-LD die may spare, `small` is taken off, `cap` is the largest that counts, `top` the largest kept; for
    `enough` and `spills` see LandParams. `modified`: thirds inflicted after the size step (step 2).
    """

    spare: tuple[int, int]
    small: tuple[int, int]
    cap: tuple[int, int]
    top: tuple[int, int]
    enough: int
    spills: int
    modified: list[int]

    def inflicted(self, *tallies: int) -> int:
        """Modified losses."""
        return self.modified[
            sum(min(cap, max(0, n - small)) for cap, n, small in zip(self.cap, tallies, self.small, strict=True))
        ]


@dataclass
class LandSetup:
    """Everything that is made once for one land battle: parameters, tables, and what tells them apart in words."""

    meeting: Meeting
    tables: TableBook = field(default_factory=TableBook)

    @cached_property
    def classes(self) -> LeaderClasses:
        """What is still to be known of the leaders."""
        return LeaderClasses(self.meeting)

    # --- rolls -------------------------------------------------------------------------------------------------

    def roll(self, side: int, phase: tuple[int, bool], pair: Pair, failed: int) -> Roll:
        """A side's roll; +1/+1 if the enemy (2 defender, 1 attacker) failed to break off."""
        day, fire = phase
        which = 0 if fire else 1
        technology = self.meeting.stacks[side].side.technology
        losses = {"renaissance": "none", "arquebus": "halved"}.get(technology, "full") if fire else "full"
        boost = int(failed & (2 >> side) != 0)
        return Roll(self.meeting.columns(side)[which], self.meeting.drm(side, day, pair)[which] + boost, losses)

    def further(self, side: int) -> list[Part]:
        """Parts of a roll for a side's dice beyond the main one: together those in the middle, then the last."""
        dice = self.meeting.dice(side)
        middle, last = ((land.MIDDLE_A, land.LAST_A), (land.MIDDLE_D, land.LAST_D))[side]
        return [Part(middle, (side,), dice - 2)][: dice > 2] + [Part(last, (side,))][: dice > 1]

    @cached_property
    def parts(self) -> list[Part]:
        """Parts of every roll. Several dice come first, so that fewest states follow (Cortes: 206k to 138k steps)."""
        order = sorted((0, 1), key=self.meeting.dice, reverse=True)
        mains = [(0, 1)] if self.classes.drawn <= ROLLED_TOGETHER else [(side,) for side in order]
        further = [part for side in order for part in self.further(side)]
        return [*further, *(Part(land.MAIN, sides) for sides in mains)]

    def part_table(self, part: Part, rolls: tuple[Roll | None, Roll | None]) -> int:
        """The table of one part of a roll; of further dice only thirds count."""
        if part.kind == land.MAIN:
            a, d = (roll if side in part.sides else None for side, roll in enumerate(rolls))
            return self.tables.by((a, d), lambda: main_dice(self.meeting.book, a, d))
        roll = rolls[part.sides[0]]
        if roll is None:
            return 0
        most = self.tallies[part.sides[0]].top[0] if part.dice > 1 else MOST_OF_A_DIE
        return self.tables.by((roll, part.dice, most), lambda: further_dice(self.meeting.book, roll, part.dice, most))

    def rolled(self, number: int, phase: int, failed: int, part: int) -> int:
        """Table of a part of a roll by class drawn, phase and failed attempts."""
        if failed and PHASES[phase][0] == 1:
            return 0
        a, d = (self.roll(side, PHASES[phase], self.classes.pairs[number], failed) for side in (0, 1))
        return self.part_table(self.parts[part], (a, d))

    def pursued(self, number: int, winner: int, ended: int, part: int) -> int:
        """Table of a part of a pursuit: column E, +2 on day 1, +1 after a Fire (section 3.5 step 8)."""
        if ended == land.UNENDED:
            return 0
        drm = self.meeting.pursuit_drm(winner, self.classes.pairs[number]) + PURSUIT_DRM[ended]
        roll = Roll(PURSUIT_COLUMN, drm)
        return self.part_table(self.parts[part], (None, roll) if winner else (roll, None))

    def following(self, rolls: np.ndarray, pursuit: np.ndarray) -> np.ndarray:
        """For each roll and pursuit the first part that anybody rolls for, then the next one after each part."""
        out = []
        for rolled in [*rolls.any(axis=(0, 2)), *pursuit.any(axis=(0, 2))]:
            parts = np.flatnonzero(rolled).tolist() or [0]
            later = ([n for n in parts if n > part] or [len(rolled)] for part in range(len(rolled)))
            out.append([parts[0], *(rest[0] for rest in later)])
        return np.array(out)

    # --- after the fighting ------------------------------------------------------------------------------------

    def attempt(self, number: int, side: int, morale: int) -> int:
        """Table of an attempt to break off by class, side and morale left."""
        if not 0 < morale <= self.meeting.stacks[side].morale:
            return 0
        return self.tables.add(self.classes.attempt(number, side, morale))

    def retreat(self) -> np.ndarray:
        """Tables of retreat rolls by class, winner, attacker routed, defender routed."""
        out = np.zeros((len(self.classes.pairs), 3, 2, 2), np.int64)
        for winner, a, d in np.ndindex(3, 2, 2):
            rows = [tuple(row) for row in self.classes.retreats(winner, (a, d)).tolist()]
            index = {row: self.tables.add(dict(enumerate(row))) for row in sorted(set(rows))}
            out[:, winner, a, d] = [index[row] for row in rows]
        return out

    def tests(self, fragile: int, a: int, d: int) -> int:
        """Table of leader tests by fragile code, and won + 2 destroyed of each side."""
        trials = Trial(a & 1 > 0, a & 2 > 0, fragile & 1 > 0), Trial(d & 1 > 0, d & 2 > 0, fragile & 2 > 0)
        tested = (trial if self.meeting.tested(side) else None for side, trial in enumerate(trials))
        return self.tables.add(both_fates((stack.leader for stack in self.meeting.stacks), tested))

    # --- before the fighting -----------------------------------------------------------------------------------

    @property
    def evasion_bonus(self) -> int:
        """What the defender's manoeuvre adds to the evasion roll (section 3.5 step 2)."""
        enemy, own = (stack.leader.manoeuvre for stack in self.meeting.stacks)
        return max(0, own - enemy)

    def evade(self) -> int:
        """Table of the evasion."""
        if self.meeting.fields.policy.defender.evasion != "evade":
            return 0
        return self.tables.add(Counter(int(die + self.evasion_bonus >= EVADES_AT) for die in FACES))

    def draw(self) -> Counter[int]:
        """Classes of leaders and 7-LD dice with their weights (section 3.5 step 3)."""
        drawn = self.classes.members[: self.classes.drawn]
        found = Counter({number: members.total() for number, members in enumerate(drawn)})
        for side, bit in ((0, land.SPARE_A), (1, land.SPARE_D)):
            odd, even = self.small_stack(side)
            if odd != even:
                found = combine(found, {0: 1, 1: 1}, lambda code, spare, bit=bit: code | bit * spare)
        return found

    def small_stack(self, side: int) -> tuple[int, int]:
        """Small-stack modifier of a side (of its last die's group) for an odd and an even 7-LD die."""
        return self.meeting.book.small_stack(self.meeting.group(side))

    # --- numbers -----------------------------------------------------------------------------------------------

    @cached_property
    def tallies(self) -> tuple[Tally, Tally]:
        """How both sides' tallies are kept."""
        return self._tally(0), self._tally(1)

    def _tally(self, side: int) -> Tally:
        own, enemy = self.meeting.stacks[side].size, self.meeting.stacks[1 - side].size
        several, odd_even = self.meeting.dice(side) > 1, self.small_stack(side)
        small, spare = max(odd_even), abs(odd_even[0] - odd_even[1])
        groups = (own - self.meeting.group(side), self.meeting.group(side)) if several else (own, 0)
        step = self.meeting.steps[side]
        modified = [self.meeting.book.modified_loss(step, n) for n in range(own + 1)]
        enough = 1 + max((n for n, loss in enumerate(modified) if loss <= enemy), default=-1)
        smalls = (0, small) if several else (small, 0)
        top = [min(group, enough) + less for group, less in zip(groups, smalls, strict=True)]
        top[0] = max(top[0], enemy)  # a pursued enemy's tally already holds this side's final losses
        # Caps that are never reached before the enemy is gone: one tally will do, and far fewer states.
        spills = several and min(groups) >= enough
        if spills:
            top[1] = small
        full = top[0] if several and groups[0] >= enough else -1
        return Tally(
            (0, spare) if several else (spare, 0), smalls, groups, (top[0], top[1]), full, int(spills), modified
        )

    @cached_property
    def params(self) -> LandParams:
        """All numbers of the battle."""
        meeting, fields, tallies = self.meeting, self.meeting.fields, self.tallies
        sides = [getattr(fields, name) for name in SIDES]
        fragile = _ints(pair.fragile[0] + 2 * pair.fragile[1] for pair in self.classes.pairs)
        retreat = self.retreat()
        tops, last_tops = zip(*(tally.top for tally in tallies), strict=True)
        drawn, parts = self.classes.drawn, len(self.parts)
        rolls = grid((drawn, len(PHASES), 4, parts), self.rolled)[self.classes.parent]
        pursuit = grid((drawn, 2, 5, parts), self.pursued)[self.classes.parent]
        morale = [stack.morale for stack in meeting.stacks]
        return LandParams(
            evade=self.evade(),
            draw=self.tables.add(self.draw()),
            europe=int(meeting.europe),
            reaches=int(fields.options.destruction_test == "reaches"),
            fires=int(any(meeting.columns(side)[0] for side in (0, 1))),
            first=meeting.first,
            parts=parts,
            kinds=_ints(part.kind for part in self.parts),
            rolls=rolls,
            pursuit=pursuit,
            following=self.following(rolls, pursuit),
            retreat=retreat,
            tests=grid((4, 4, 4), self.tests),
            fragile=fragile,
            pursuers=self.classes.pursuers(retreat, fragile),
            retreaters=retreaters(retreat, fragile),
            manoeuvre=_ints(pair.manoeuvre for pair in self.classes.pairs),
            attempt=grid((len(fragile), 2, max(morale) + 1), self.attempt),
            break_off=_ints(POLICIES[policy] for policy in self.classes.policies),
            size=_ints(stack.size for stack in meeting.stacks),
            morale=_ints(morale),
            room=_ints(max(-1, LD * side.retreat_room) for side in sides),
            spare=_ints(tally.spare for tally in tallies),
            top=_ints(tops),
            last_top=_ints(last_tops),
            enough=_ints(tally.enough for tally in tallies),
            spills=_ints(tally.spills for tally in tallies),
            inflicted=grid((2, max(tops) + 1, max(last_tops) + 1), lambda side, *kept: tallies[side].inflicted(*kept)),
        )

    @property
    def start(self) -> LandState:
        """Where the battle begins: at an overrun's leader test, at the evasion, at draws, or at the first roll."""
        p, winner = self.params, self.meeting.overrun
        begun = LandState(*[0] * len(LandState._fields))._replace(stage=land.DRAW, winner=land.NOBODY)
        if winner >= 0:
            lost = [int(size) if side != winner else 0 for side, size in enumerate(p.size)]
            begun = begun._replace(
                stage=land.LEADERS, leaders=int(p.fragile[0]), caused_a=lost[1], caused_d=lost[0], winner=winner
            )
            return begun if land.leader_table(p, begun) else land.over(begun, 0)
        if p.evade:
            return begun._replace(stage=land.EVADE)
        return begun if p.draw else land.drawn(p, begun, 0)

    @property
    def limits(self) -> LandState:
        """The largest value of each field."""
        p = self.params
        return LandState(
            stage=land.SECOND_CHOICE,
            part=p.parts,
            leaders=max(len(p.fragile) - 1, 3),
            caused_a=int(max(p.top[0], p.size[1])),
            stars_a=int(p.morale[1]),
            last_a=int(p.last_top[0]),
            caused_d=int(max(p.top[1], p.size[0])),
            stars_d=int(p.morale[0]),
            last_d=int(p.last_top[1]),
            failed=3,
            winner=land.NOBODY,
            ended=land.DAY_2_FIRE,
            broke=2,
            fates=63,
        )


def one_die(book: Book, roll: Roll | None) -> Counter[tuple[int, int]]:
    """Thirds and stars of one die with their weights."""
    return Counter(roll.read(book, die) for die in FACES) if roll else Counter({(0, 0): 1})


# Rolls of battles are few, and kept for the next battle.
@lru_cache(maxsize=4096)
def main_dice(book: Book, own: Roll | None, enemy: Roll | None) -> Weights:
    """Results of both main dice, see `main_result`."""
    return combine(one_die(book, own), one_die(book, enemy), main_result)


@lru_cache(maxsize=1024)
def further_dice(book: Book, roll: Roll, dice: int, most: int) -> Weights:
    """Thirds that further dice inflict together, up to `most`."""
    return capped(sum_of(seen_as(one_die(book, roll), lambda result: result[0]), dice), most)


def main_result(own: tuple[int, int], enemy: tuple[int, int]) -> int:
    """Thirds and stars of both main dice as one result."""
    a, d = (thirds | stars << land.LOSS_BITS for thirds, stars in (own, enemy))
    return a | d << land.SIDE_BITS


def _ints(values: Any) -> np.ndarray:
    return np.array(list(values), np.int64)
