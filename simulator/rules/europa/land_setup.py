"""From a land scenario to its chain: tables of chances, and numbers that the rules in land.py look up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.chain import Chain
from simulator.engine.chance import TableBook, Weights, combine, seen_as
from simulator.rules.europa import land
from simulator.rules.europa.land import LandParams, LandState
from simulator.rules.europa.land_leaders import FACES, LeaderClasses, retreaters
from simulator.rules.europa.leaders import Trial, fates
from simulator.rules.europa.leaders import both_fates as both
from simulator.rules.europa.meeting import Meeting, Pair, meeting
from simulator.rules.europa.stacks import EIGHT_LD, LD, SIDES

LOWEST, HIGHEST = 3, 14
POLICIES = {"never": land.NEVER, "always": land.ALWAYS, "if-behind": land.IF_BEHIND, "if-sure": land.IF_SURE}
PHASES = ((1, True), (1, False), (2, True), (2, False))
FAILED = range(4)
EVADES_AT = 8
# Above so many kinds of leader pairs the sides roll one after the other: fewer transitions for exact odds. Below, both
# roll at once: fewer steps for dice (see benchmarks/).
ROLLED_TOGETHER = 4
MOST_OF_A_DIE = 14
PURSUIT_COLUMN = "E"


class Roll(NamedTuple):
    """One side's roll: column ("" for none), modifier, and what its technology does to losses by Fire."""

    column: str
    drm: int
    losses: str = "full"


def read(tables: Meeting, roll: Roll, die: int) -> tuple[int, int]:
    """Thirds and stars of a die (section 3.3)."""
    if not roll.column:
        return 0, 0
    thirds, stars = tables.book.combat[roll.column, min(HIGHEST, max(LOWEST, die + roll.drm))]
    return {"full": thirds, "halved": thirds // 2, "none": 0}[roll.losses], stars


def sum_of(weights: Weights, times: int) -> Counter[int]:
    """Sum of `times` equal draws; weights stay exact whole numbers."""
    one = np.array([weights.get(value, 0) for value in range(max(weights) + 1)], dtype=object)
    out = np.array([1], dtype=object)
    for bit in bin(times)[2:]:
        out = np.convolve(out, out)
        if bit == "1":
            out = np.convolve(out, one)
    return Counter({value: int(weight) for value, weight in enumerate(out) if weight})


@dataclass
class LandSetup:
    """Builds the parameters and tables of one land battle."""

    meeting: Meeting
    tables: TableBook = field(default_factory=TableBook)
    cache: dict[Any, int] = field(default_factory=dict)

    @cached_property
    def leader_classes(self) -> LeaderClasses:
        """What is still to be known of the leaders."""
        return LeaderClasses(self.meeting)

    @property
    def class_pairs(self) -> list[Pair]:
        """One pair of each class of leaders, to look up what the class has in common."""
        return self.leader_classes.pairs

    @property
    def together(self) -> bool:
        """Do both sides roll in one step?"""
        return self.leader_classes.drawn <= ROLLED_TOGETHER

    def add(self, weights: Weights) -> int:
        """The table with these weights, in lowest terms: whatever is certain to give 0 is table 0."""
        common = gcd(*weights.values())
        return self.tables.add({result: weight // common for result, weight in weights.items()})

    def once(self, key: Any, weights: Any) -> int:
        """The table kept under `key`, made by `weights()` the first time."""
        if key not in self.cache:
            self.cache[key] = self.add(weights())
        return self.cache[key]

    # --- rolls -------------------------------------------------------------------------------------------------

    def roll(self, side: int, phase: tuple[int, bool], pair: Pair, boost: bool) -> Roll:
        """A side's roll; `boost`: the enemy failed to break off (+1/+1)."""
        day, fire = phase
        drm = self.meeting.drm(side, day, pair)[0 if fire else 1] + boost
        column = self.meeting.columns(side)[0 if fire else 1]
        technology = self.meeting.stacks[side].technology
        losses = {"renaissance": "none", "arquebus": "halved"}.get(technology, "full") if fire else "full"
        return Roll(column, drm, losses)

    def die(self, roll: Roll) -> Counter[tuple[int, int]]:
        """Thirds and stars of one die with their weights."""
        return Counter(read(self.meeting, roll, die) for die in FACES)

    def main(self, rolls: tuple[Roll | None, Roll | None]) -> int:
        """Table of main dice: of both sides, or of one."""
        nobody = Counter({(0, 0): 1})

        def weights() -> Counter[int]:
            own, enemy = (self.die(roll) if roll else nobody for roll in rolls)
            return combine(own, enemy, lambda a, d: packed(*a) | packed(*d) << land.SIDE_BITS)

        return self.once(("main", rolls), weights)

    def losses(self, roll: Roll, dice: int, most: int) -> int:
        """Table of the thirds that further dice inflict together, up to `most`; their stars do not count."""

        def weights() -> Counter[int]:
            thirds: Counter[int] = Counter()
            for (loss, _), weight in self.die(roll).items():
                thirds[loss] += weight
            return seen_as(sum_of(thirds, dice), lambda total: min(total, most))

        return self.once(("losses", roll, dice, most), weights)

    def further(self, side: int) -> list[tuple[int, int]]:
        """(what the result means, dice) of a side's dice beyond the main one."""
        dice = self.meeting.dice(side)
        middle, last = ((land.MIDDLE_A, land.LAST_A), (land.MIDDLE_D, land.LAST_D))[side]
        return ([(middle, dice - 2)] if dice > 2 else []) + ([(last, 1)] if dice > 1 else [])

    def parts(self) -> list[tuple[int, tuple[int, ...], int]]:
        """Parts of every roll: (what the result means, sides that roll, dice)."""
        mains = [(0, 1)] if self.together else [(0,), (1,)]
        found = [(land.MAIN, sides, 1) for sides in mains]
        return found + [(kind, (side,), dice) for side in (0, 1) for kind, dice in self.further(side)]

    def part_table(self, part: tuple[int, tuple[int, ...], int], rolls: tuple[Roll, Roll]) -> int:
        """The table of one part of a roll."""
        kind, sides, dice = part
        if kind == land.MAIN:
            a, d = (roll if side in sides else None for side, roll in enumerate(rolls))
            return self.main((a, d))
        most = self.tallies[sides[0]]["top"][0] if dice > 1 else MOST_OF_A_DIE
        return self.losses(rolls[sides[0]], dice, most)

    @cached_property
    def rolls(self) -> np.ndarray:
        """Tables of every class, phase, failed attempts and part."""
        parts = self.parts()
        classes = self.leader_classes
        out = np.zeros((classes.drawn, len(PHASES), len(FAILED), len(parts)), np.int64)
        for number, pair in enumerate(classes.pairs[: classes.drawn]):
            for p, phase in enumerate(PHASES):
                for failed in FAILED if phase[0] == 2 else (0,):
                    boosts = bool(failed & 2), bool(failed & 1)
                    rolls = tuple(self.roll(side, phase, pair, boosts[side]) for side in (0, 1))
                    out[number, p, failed] = [self.part_table(part, rolls) for part in parts]
        return out[classes.parent]

    def pursuit_parts(self, side: int) -> list[tuple[int, tuple[int, ...], int]]:
        """Parts of a pursuit roll."""
        return [(land.MAIN, (side,), 1)] + [(kind, (side,), dice) for kind, dice in self.further(side)]

    def pursuit(self) -> np.ndarray:
        """Tables of the pursuit: column E, +2 on day 1, +1 after a Fire (section 3.5 step 8)."""
        classes = self.leader_classes
        out = np.zeros((classes.drawn, 2, 5, 3), np.int64)
        when = {land.DAY_1: 2, land.DAY_1_FIRE: 3, land.DAY_2: 0, land.DAY_2_FIRE: 1}
        for number, pair in enumerate(classes.pairs[: classes.drawn]):
            for side in (0, 1):
                drm = self.meeting.pursuit_drm(side, pair)
                for ended, more in when.items():
                    roll = Roll(PURSUIT_COLUMN, drm + more)
                    for place, part in enumerate(self.pursuit_parts(side)):
                        out[number, side, ended, place] = self.part_table(part, (roll, roll))
        return out[classes.parent]

    # --- after the fighting --------------------------------------------------------------------------------------

    def attempt(self) -> np.ndarray:
        """Tables of attempts to break off by class, side and morale left."""
        classes, stacks = self.leader_classes, self.meeting.stacks
        out = np.zeros((len(classes.members), 2, max(stack.morale for stack in stacks) + 1), np.int64)
        for number in range(len(classes.members)):
            for side, stack in enumerate(stacks):
                for morale in range(1, stack.morale + 1):
                    out[number, side, morale] = self.add(classes.attempt(number, side, morale))
        return out

    @cached_property
    def retreat(self) -> np.ndarray:
        """Tables of retreat rolls by class, winner, attacker routed, defender routed."""
        out = np.zeros((len(self.class_pairs), 3, 2, 2), np.int64)
        for winner in range(3):
            for routed in ((a, d) for a in (0, 1) for d in (0, 1)):
                weights = self.leader_classes.retreats(winner, routed)
                different, which = np.unique(weights, axis=0, return_inverse=True)
                indices = [self.add({n: int(w) for n, w in enumerate(row) if w}) for row in different]
                out[:, winner, routed[0], routed[1]] = np.array(indices)[which.ravel()]
        return out

    @cached_property
    def leaders(self) -> tuple[np.ndarray, np.ndarray]:
        """Tables of leader tests by fragility, and the fragility code of each class."""
        out = np.zeros((4, 4, 4), np.int64)
        codes = [pair.fragile[0] + 2 * pair.fragile[1] for pair in self.class_pairs]
        for code in set(codes):
            sides = [self._fates(side, bool(code >> side & 1)) for side in (0, 1)]
            for a in range(4):
                for d in range(4):
                    out[code, a, d] = self.add(both(sides[0][a], sides[1][d]))
        return out, np.array(codes, np.int64)

    def _fates(self, side: int, fragile: bool) -> list[Counter[int]]:
        """Fates of a side's leader by won + 2 destroyed."""
        leader, overrun = self.meeting.stacks[side].leader, self.meeting.overrun
        tested = self.meeting.tested(side)
        if overrun >= 0:  # only the destroyed side's leader, if given (section 3.5 step 1)
            tested = tested and overrun != side and leader.given
        if not tested:
            return [Counter({0: 1})] * 4
        return [fates(leader, Trial(bool(how & 1), bool(how & 2), fragile)) for how in range(4)]

    # --- before the fighting -------------------------------------------------------------------------------------

    def evade(self) -> int:
        """Table of the evasion: d10 + (own - enemy manoeuvre, if positive) >= 8 (section 3.5 step 2)."""
        if self.meeting.fields.policy.defender.evasion != "evade":
            return 0
        enemy, own = (stack.leader.manoeuvre for stack in self.meeting.stacks)
        return self.add(Counter(int(die + max(0, own - enemy) >= EVADES_AT) for die in FACES))

    def draw(self) -> Counter[int]:
        """Classes of leaders and 7-LD dice with their weights (section 3.5 step 3)."""
        drawn = self.leader_classes.members[: self.leader_classes.drawn]
        found = Counter({number: sum(members.values()) for number, members in enumerate(drawn)})
        for side, bit in ((0, land.SPARE_A), (1, land.SPARE_D)):
            odd, even = self.small_stack(side)
            if odd != even:
                found = combine(found, {0: 1, 1: 1}, lambda code, spare, bit=bit: code | bit * spare)
        return found

    def small_stack(self, side: int) -> tuple[int, int]:
        """Small-stack modifier of a side (of its last die's group) for an odd and an even 7-LD die."""
        return self.meeting.book.small_stack(self.meeting.group(side))

    # --- numbers -------------------------------------------------------------------------------------------------

    @cached_property
    def tallies(self) -> list[dict[str, Any]]:
        """What `_tallies` finds for both sides."""
        return list(self._tallies())

    def _tallies(self) -> Iterator[dict[str, Any]]:
        """Per side: modifiers and caps of what it inflicts, and tallies beyond which nothing changes."""
        for side in (0, 1):
            own, enemy = self.meeting.stacks[side].size, self.meeting.stacks[1 - side].size
            dice, small = self.meeting.dice(side), max(self.small_stack(side))
            groups = (EIGHT_LD * (dice - 1), self.meeting.group(side)) if dice > 1 else (own, 0)
            step = self.meeting.steps[side]
            modified = [self.meeting.book.modified_loss(step, n) for n in range(sum(groups) + 1)]
            enough = len(modified)
            while enough > 0 and modified[enough - 1] > enemy:
                enough -= 1
            smalls = (0, small) if dice > 1 else (small, 0)
            tops = [min(group, enough) + less for group, less in zip(groups, smalls, strict=True)]
            tops[0] = max(tops[0], enemy)  # a pursued enemy's tally already holds this side's final losses
            # Caps that are never reached before the enemy is gone: one tally will do, and far fewer states.
            spills = int(dice > 1 and min(groups) >= enough)
            if spills:
                tops[1] = smalls[1]
            full = tops[0] if dice > 1 and groups[0] >= enough else -1
            yield {
                "small": smalls, "cap": groups, "top": tops, "modified": modified, "spills": spills, "full": full
            }  # fmt: skip

    def params(self) -> LandParams:
        """All numbers of the battle."""
        meeting, fields = self.meeting, self.meeting.fields
        stacks = meeting.stacks
        own, enemy = self.tallies
        policies = [getattr(fields.policy, side).break_off for side in SIDES]
        parts, pursuits = self.parts(), [self.pursuit_parts(side) for side in (0, 1)]
        leaders, fragile = self.leaders
        return LandParams(
            evade=self.evade(),
            draw=self.add(self.draw()),
            europe=int(meeting.europe),
            reaches=int(fields.options.destruction_test == "reaches"),
            fires=int(any(meeting.columns(side)[0] for side in (0, 1))),
            first=self.leader_classes.first,
            parts=len(parts),
            kinds=_ints(part[0] for part in parts),
            rolls=self.rolls,
            following=following(self.rolls),
            pursuit_parts=_ints(len(parts) for parts in pursuits),
            pursuit_kinds=_ints([part[0] for part in parts] + [0] * (3 - len(parts)) for parts in pursuits),
            pursuit=self.pursuit(),
            retreat=self.retreat,
            leaders=leaders,
            fragile=fragile,
            manoeuvre=_ints(pair.manoeuvre for pair in self.class_pairs),
            attempt=self.attempt(),
            pursuers=self.leader_classes.pursuers(self.retreat, fragile),
            retreaters=retreaters(self.retreat, fragile),
            break_off=_ints(POLICIES[policy] for policy in policies),
            size=_ints(stack.size for stack in stacks),
            morale=_ints(stack.morale for stack in stacks),
            room=_ints(-1 if (room := getattr(fields, side).retreat_room) < 0 else LD * room for side in SIDES),
            small=_ints((own["small"][0], enemy["small"][0])),
            cap=_ints((own["cap"][0], enemy["cap"][0])),
            top=_ints((own["top"][0], enemy["top"][0])),
            last_small=_ints((own["small"][1], enemy["small"][1])),
            last_cap=_ints((own["cap"][1], enemy["cap"][1])),
            last_top=_ints((own["top"][1], enemy["top"][1])),
            enough=_ints((own["full"], enemy["full"])),
            spills=_ints((own["spills"], enemy["spills"])),
            modified=_table(own["modified"], enemy["modified"]),
        )

    def start(self, p: LandParams) -> LandState:
        """Where the battle begins: at an overrun's leader test, at the evasion, at draws, or at the first roll."""
        over = self.meeting.overrun
        if over >= 0:
            lost = [int(size) if side != over else 0 for side, size in enumerate(p.size)]
            begun = LandState(
                land.LEADERS, 0, int(p.fragile[0]), lost[1], 0, 0, lost[0], 0, 0, 0, over, land.UNENDED, 0, 0
            )
            return begun if land.leader_table(p, begun) else land.with_fates(begun, 0)
        begun = LandState(land.DRAW, 0, 0, 0, 0, 0, 0, 0, 0, 0, land.NOBODY, land.UNENDED, 0, 0)
        if p.evade:
            return begun._replace(stage=land.EVADE)
        return begun if p.draw else land.drawn(p, begun, 0)

    def limits(self, p: LandParams) -> LandState:
        """The largest value of each field."""
        size = [int(value) for value in p.size]
        return LandState(
            stage=land.OVER,
            part=max(p.parts, *p.pursuit_parts) - 1,
            leaders=max(len(self.class_pairs) - 1, 3),
            caused_a=max(int(p.top[0]), size[1]),
            stars_a=int(p.morale[1]),
            last_a=int(p.last_top[0]),
            caused_d=max(int(p.top[1]), size[0]),
            stars_d=int(p.morale[0]),
            last_d=int(p.last_top[1]),
            failed=3,
            winner=land.NOBODY,
            ended=land.DAY_2_FIRE,
            broke=2,
            fates=63,
        )


def packed(thirds: int, stars: int) -> int:
    """One side's part of a MAIN result."""
    return thirds | stars << land.LOSS_BITS


def following(rolls: np.ndarray) -> np.ndarray:
    """The next part of each phase that anybody rolls for."""
    rolled = rolls.any(axis=(0, 2))
    phases, parts = rolled.shape
    later = [[[n for n in range(part + 1, parts) if rolled[p, n]] for part in range(parts)] for p in range(phases)]
    return np.array([[min(found, default=parts) for found in row] for row in later])


def _ints(values: Any) -> np.ndarray:
    return np.array(list(values), np.int64)


def _table(*rows: list[int]) -> np.ndarray:
    out = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for place, row in enumerate(rows):
        out[place, : len(row)] = row
    return out


def land_chain(fields: Any) -> Chain:
    """The chain of states of a land battle."""
    setup = LandSetup(meeting(fields))
    p = setup.params()
    return Chain(p, setup.start(p), setup.limits(p), setup.tables.close(), mapped=True)
