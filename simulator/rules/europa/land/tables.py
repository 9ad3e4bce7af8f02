"""From a land scenario to its chain: die roll modifiers with reasons, tables of chances, and numbers for the rules.

docs/rules/europa_land_siege.md section 3; the rules are in rules.py. Modifiers are all cumulative, from the stacks
as they start, and never recomputed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from functools import cached_property, lru_cache
from operator import or_
from typing import Any, NamedTuple, get_args

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.engine.model.chance import NO_TABLE, TableBook, Weights, combine, seen_as
from simulator.rules.battle import NOBODY
from simulator.rules.europa.land import rules as land
from simulator.rules.europa.land.leaders import LeaderClasses
from simulator.rules.europa.land.rules import LandParams, LandState
from simulator.rules.europa.shared import land_model as model
from simulator.rules.europa.shared.leaders import FACES, Pair, fate_table
from simulator.rules.europa.shared.modifiers import BOTH_DAYS, FIRST_DAY, LAW, SECOND_DAY, Modifier, total
from simulator.rules.europa.shared.stacks import EIGHT_LD, FIRE_HALVES, LD, Opponents, Stack, army_size, is_non_european
from simulator.rules.europa.tables import Book
from simulator.rules.toolkit.weights import capped, grid, sum_of

POLICIES, PERIOD_ORDER = get_args(model.BreakOff), get_args(model.Period)
PHASES = ((1, "fire"), (1, "shock"), (2, "fire"), (2, "shock"))
# For each roll (the phases, then a pursuit by either side): who may have failed, or how the fighting may have ended.
HOWS = (range(1), range(1), range(4), range(4), range(1, 5), range(1, 5))
FURTHER = ((land.MIDDLE_A, land.LAST_A), (land.MIDDLE_D, land.LAST_D))
EVADES_AT = 8
# Above this many kinds of leader pairs the sides roll one after the other: fewer transitions for exact odds. Below,
# both roll at once: fewer steps for dice (see benchmarks/).
ROLLED_TOGETHER = 4
MOST_OF_A_DIE = 14
PURSUIT_COLUMN = "E"
PURSUIT_DRM = {land.DAY_1: 2, land.DAY_1_FIRE: 3, land.DAY_2: 0, land.DAY_2_FIRE: 1}
PURSUIT = f"{LAW} 3.5 step 8"
WOODS_AND_WASTES = ("sparse-forest", "dense-forest", "northern-forest", "swamp", "desert")
HEAVY_CAVALRY_CLASSES = ("I", "IM", "II", "IIM")
# Class or country with structural cavalry, in these periods, on this terrain: by the seed and by the rule book.
WOODS = ("plain", "dense-forest", "northern-forest")
SHARED_CAVALRY = (("IIM", ("I", "II", "III", "IV"), ("plain", "sparse-forest")), ("IIIM", ("IV", "V"), WOODS))
CAVALRY = {
    "seed": (
        *SHARED_CAVALRY,
        ("IV", ("III", "IV", "V"), WOODS),
        ("sweden", ("II", "III", "IV", "V", "VI"), ("northern-forest",)),
    ),
    "book": (
        *SHARED_CAVALRY,
        ("IV", ("III", "IV", "V"), ("plain",)),
        ("sweden", ("III", "IV", "V", "VI"), ("plain", "northern-forest")),
    ),
}
# Heavy cavalry ignores Tercios up to this period by the seed, always by the rule book.
LAST_OF_HEAVY_CAVALRY = {"seed": "V", "book": "VII"}
SIPAHI_GROUND = ("plain", "desert")
CROSSINGS = {
    "river": (-1, -1, "crossed a river"),
    "pass": (-1, -1, "crossed a pass"),
    "strait": (-2, -3, "crossed a strait"),
    "landing": (-2, -3, "landed from the sea"),
}


class LandRoll(NamedTuple):
    """One side's roll: column ("" for none), modifier, and the halves of losses that its technology leaves."""

    column: str
    drm: int
    halves: int = 2

    def read(self, book: Book, die: int) -> tuple[int, int]:
        """Thirds and stars of a die (section 3.3)."""
        thirds, stars = book.combat_roll(self.column, die + self.drm)
        return thirds * self.halves // 2, stars


class Part(NamedTuple):
    """A part of a roll: what its result means, the sides that roll, and how many dice."""

    kind: int
    sides: tuple[int, ...]
    dice: int = 1


class Tally:
    """The tally of a side's inflicted losses, with its main (and middle) dice and its last one (section 3.4 step 1).

    `seven` is the small-stack modifier for an odd and an even 7-LD die; `spare` is what that die may spare, `small` is
    taken off, `cap` is the largest that counts, `top` the tally beyond which nothing changes. `modified`: thirds
    inflicted after the size step (step 2).
    """

    def __init__(self, setup: LandSetup, side: int) -> None:
        own, enemy, last = setup.stacks[side].size, setup.stacks[1 - side].size, setup.groups[side]
        several, self.seven = setup.dice[side] > 1, setup.book.small_stack(last)
        odd, even = self.seven
        self.modified = [setup.book.modified_loss(setup.steps[side], n) for n in range(own + 1)]
        enough = 1 + max((n for n, loss in enumerate(self.modified) if loss <= enemy), default=-1)
        self.cap = (own - last, last) if several else (own, 0)
        self.small, self.spare = ((0, n) if several else (n, 0) for n in (max(odd, even), abs(odd - even)))
        # A pursued enemy's tally already holds this side's final losses.
        top = max(min(self.cap[0], enough) + self.small[0], enemy)
        self.top = top, min(self.cap[1], enough) + self.small[1]

    def inflicted(self, *kept: int) -> int:
        """Modified losses."""
        return self.modified[sum(min(self.cap[i], max(0, n - self.small[i])) for i, n in enumerate(kept))]


class LandSetup(Opponents[model.Land]):
    """Two stacks about to fight, and everything that is made once for them; lists of two are attacker's and defender's.

    `modifiers` are those of the dice, the leaders' advantage apart; `overrun` is the side that overruns the enemy
    without a battle, or -1; `first` may break off first. `tested` are the leaders that are tested, None for the others.
    """

    def __init__(self, fields: model.Land, leaders_of: Sequence[str] = SIDES, together: int = ROLLED_TOGETHER) -> None:
        """`leaders_of` are the sides whose leaders may be tested; `together` as ROLLED_TOGETHER."""
        super().__init__(fields)
        self.together = together
        a, d = self.stacks
        self.modifiers = side_modifiers(fields, a, d), side_modifiers(fields, d, a)
        # Difference of army sizes 0-1 -> 0, 2-4 -> 1, 5-7 -> 2, positive for the larger (section 2.4).
        own, enemy = (army_size(stack.side, fields.conditions.period, self.book) for stack in self.stacks)
        step = int(abs(own - enemy) > 1) + int(abs(own - enemy) > 4)
        self.steps = (step, -step) if own > enemy else (-step, step)
        self.first = 0 if model.is_interception(fields) else 1
        # A non-European stack rolls a die for each 8 LD begun. `groups` are the last one's thirds.
        self.dice = [-(-stack.size // EIGHT_LD) if is_non_european(stack.side) else 1 for stack in self.stacks]
        self.groups = [stack.size - EIGHT_LD * (n - 1) for stack, n in zip(self.stacks, self.dice, strict=True)]
        # Numbers that the defender's manoeuvre may add to the evasion roll, with weights (section 3.5 step 2).
        self.evasion = combine(d.manoeuvres, a.manoeuvres, lambda own, enemy: max(0, own - enemy))
        eightfold = [own.size >= model.OVERRUN_WITHOUT_BATTLE * enemy.size for own, enemy in ((a, d), (d, a))]
        self.overrun = next((side for side in (0, 1) if eightfold[side] and SIDES[side] in model.overruns(fields)), -1)
        # In Europe no leader is tested if the enemy began with under 3 LD (section 3.5 step 11), and after an overrun
        # only that of the destroyed side, if given (step 1).
        large_enough = [not self.europe or enemy.size >= 3 * LD for enemy in (d, a)]
        hit = [self.overrun < 0 or (side != self.overrun and own.leader.given) for side, own in enumerate(self.stacks)]
        asked = [name in leaders_of and large_enough[side] and hit[side] for side, name in enumerate(SIDES)]
        self.tested = tuple(own.leader if asked[side] else None for side, own in enumerate(self.stacks))
        self.policies = tuple(getattr(fields.policy, name).break_off for name in SIDES)
        self.tables = TableBook()

    @cached_property
    def classes(self) -> LeaderClasses:
        """The classes of pairs of leaders."""
        return LeaderClasses(self)

    @cached_property
    def tallies(self) -> tuple[Tally, Tally]:
        """The tallies of both sides."""
        return Tally(self, 0), Tally(self, 1)

    @property
    def numbers(self) -> Hashable:
        """The numbers that the chain and the columns of its ends depend on: with equal ones these are equal."""
        return self.fought, *(stack.idle for stack in self.stacks)

    @cached_property
    def fought(self) -> Hashable:
        """The numbers that the chain depends on: battles with equal ones have equal chains."""
        fields, options = self.fields, self.fields.options
        sides = []
        for own, modifiers in zip(self.stacks, self.modifiers, strict=True):
            drms = [total(modifiers, step, day) for day, step in (*PHASES, (0, "pursuit"))]
            halves = FIRE_HALVES.get(own.side.technology, 2)
            counts = own.has_army and not is_non_european(own.side)
            sides.append((own.size, own.morale, own.columns, halves, *drms, own.side.retreat_room, counts))
        leaders = tuple(self.pairs.items()), self.tested, self.policies
        choices = self.first, self.overrun, fields.policy.defender.evasion, options.destruction_test, self.together
        fixed = self.book, self.europe, self.steps, tuple(self.dice)
        return *sides, leaders, choices, fixed, tuple(self.evasion.items())

    def gain(self, side: int, pair: Pair) -> Modifier:
        """The advantage of a leader; in the pursuit not capped."""
        reason = f"leader: {self.stacks[side].leader.text()}"
        return Modifier(BOTH_DAYS, pair.fire[side], pair.shock[side], reason, pursuit=pair.pursuit[side])

    def drm(self, side: int, pair: Pair, step: str, day: int = 0) -> int:
        """Modifiers of a step, those for a failed attempt to break off, or for when the fighting ended, apart."""
        return total([*self.modifiers[side], self.gain(side, pair)], step, day)

    def roll(self, side: int, roll: int, pair: Pair, how: int) -> LandRoll | None:
        """A side's Fire or Shock (`how`: 1 attacker, 2 defender failed to break off: +1/+1 for the enemy) or pursuit.

        A pursuit (`how` the fighting ended): column E, +2 on day 1, +1 after a Fire (section 3.5 step 8).
        """
        if roll >= land.PURSUES:
            pursues = side == roll - land.PURSUES
            return LandRoll(PURSUIT_COLUMN, self.drm(side, pair, "pursuit") + PURSUIT_DRM[how]) if pursues else None
        (day, step), stack = PHASES[roll], self.stacks[side]
        drm = self.drm(side, pair, step, day) + int(how & (2 - side) > 0)
        if step == "shock":
            return LandRoll(stack.columns[1], drm)
        return LandRoll(stack.columns[0], drm, FIRE_HALVES.get(stack.side.technology, 2))

    @cached_property
    def parts(self) -> list[Part]:
        """Parts of every roll. Several dice come first, so that fewest states follow (Cortes: 206k to 138k steps).

        Of a side's dice beyond the main one those in the middle are rolled together, then the last.
        """
        order, found = sorted((0, 1), key=self.dice.__getitem__, reverse=True), list[Part]()
        for side in order:
            dice, (middle, last) = self.dice[side], FURTHER[side]
            found += [Part(middle, (side,), dice - 2)] * (dice > 2) + [Part(last, (side,))] * (dice > 1)
        mains = [(0, 1)] if self.classes.drawn <= self.together else [(side,) for side in order]
        return [*found, *(Part(land.MAIN, sides) for sides in mains)]

    def rolled(self, number: int, roll: int, how: int, part: int) -> int:
        """Table of a part of a roll by class drawn, NO_TABLE if it inflicts nothing; further dice give thirds only."""
        if how not in HOWS[roll]:
            return NO_TABLE
        kind, sides, dice = self.parts[part]
        pair, book = self.classes.pairs[number], self.tables
        a, d = (self.roll(side, roll, pair, how) if side in sides else None for side in (0, 1))
        if kind == land.MAIN:
            return book.unless_idle(book.by((a, d), lambda: main_dice(self.book, a, d)))
        most = self.tallies[sides[0]].top[0] if dice > 1 else MOST_OF_A_DIE
        return book.unless_idle(book.by((a or d, dice, most), lambda: further_dice(self.book, a or d, dice, most)))

    def following(self, rolls: np.ndarray) -> np.ndarray:
        """For each roll and pursuit the first part that is rolled, then the next one after each part.

        int64, shape (rolls, parts + 1), the number of parts after the last one. `rolls`: tables, int64, shape (classes,
        rolls, `how`, parts).
        """
        out = []
        for rolled in (rolls != NO_TABLE).any(axis=(0, 2)):
            parts = np.flatnonzero(rolled).tolist() or [0]
            later = ([n for n in parts if n > part] or [len(rolled)] for part in range(len(rolled)))
            out.append([parts[0], *(rest[0] for rest in later)])
        return np.array(out)

    def draw(self) -> Counter[int]:
        """Classes of leaders and 7-LD dice with their weights (section 3.5 step 3)."""
        drawn = self.classes.members[: self.classes.drawn]
        found = Counter({number: members.total() for number, members in enumerate(drawn)})
        for side, bit in ((0, land.SPARE_A), (1, land.SPARE_D)):
            odd, even = self.tallies[side].seven
            if odd != even:
                found = combine(found, {0: 1, bit: 1}, or_)
        return found

    @cached_property
    def params(self) -> LandParams:
        """All numbers of the battle."""
        fields, stacks, tallies, classes = self.fields, self.stacks, self.tallies, self.classes
        add, idle, evades = self.tables.add, self.tables.unless_idle, fields.policy.defender.evasion == "evade"
        fragile = np.array([pair.fragile for pair in classes.pairs])
        retreat = classes.retreat(self.tables)
        pursuers, retreaters = classes.forgotten(retreat, fragile)
        rolls = grid((classes.drawn, len(HOWS), 5, len(self.parts)), self.rolled)[classes.parent]
        rooms = [own.side.retreat_room if own.side.retreat_room >= 0 else own.size for own in stacks]
        morale, top = [stack.morale for stack in stacks], np.array([tally.top for tally in tallies])
        return LandParams(
            evade=add(combine(Counter(FACES), self.evasion, evades_by)) if evades else NO_TABLE,
            draw=idle(add(self.draw())),
            europe=int(self.europe),
            reaches=int(fields.options.destruction_test == "reaches"),
            fires=int(any(stack.columns[0] for stack in stacks)),
            first=self.first,
            parts=len(self.parts),
            kinds=np.array([part.kind for part in self.parts]),
            rolls=rolls,
            following=self.following(rolls),
            retreat=retreat,
            tests=grid(
                (4, 4, 4),
                lambda fragile, *ends: idle(add(fate_table(self.tested, fragile, ends))),
                (sorted(set(fragile.tolist())), range(4), range(4)),
            ),
            fragile=fragile,
            pursuers=pursuers,
            retreaters=retreaters,
            manoeuvre=np.array([pair.manoeuvre for pair in classes.pairs]),
            attempt=grid((len(fragile), 2, max(morale) + 1), lambda *of: add(classes.attempt(*of))),
            break_off=np.array([POLICIES.index(policy) for policy in self.policies]),
            size=np.array([stack.size for stack in stacks]),
            morale=np.array(morale),
            stranded=np.array([max(0, own.size - LD * room) for own, room in zip(stacks, rooms, strict=True)]),
            spare=np.array([tally.spare for tally in tallies]),
            top=top,
            inflicted=grid((2, *(top.max(axis=0) + 1)), lambda side, *kept: tallies[side].inflicted(*kept)),
        )

    @property
    def start(self) -> LandState:
        """The first stage of the battle: an overrun's leader test, the evasion, draws, or the first roll."""
        p, winner = self.params, self.overrun
        begun = LandState(*[0] * len(LandState._fields))._replace(stage=land.DRAW, winner=NOBODY)
        if winner >= 0:
            on_a, on_d = (int(size) if side != winner else 0 for side, size in enumerate(p.size))
            leaders = int(p.fragile[0])
            begun = begun._replace(stage=land.LEADERS, leaders=leaders, caused_a=on_d, caused_d=on_a, winner=winner)
            return begun if land.leader_table(p, begun) != NO_TABLE else land.over(begun, 0)
        if p.evade != NO_TABLE:
            return begun._replace(stage=land.EVADE)
        return begun if p.draw != NO_TABLE else land.drawn(p, begun, 0)

    @property
    def limits(self) -> LandState:
        """The largest value of each field."""
        p = self.params
        (caused_a, last_a), (caused_d, last_d) = np.maximum(p.top, [[p.size[1], 0], [p.size[0], 0]]).tolist()
        leaders, (stars_d, stars_a) = max(len(p.fragile) - 1, 3), p.morale.tolist()
        return LandState(p.parts, leaders, caused_a, stars_a, last_a, caused_d, stars_d, last_d)


def evades_by(die: int, bonus: int) -> int:
    """1 if the defender evades (section 3.5 step 2)."""
    return int(die + bonus >= EVADES_AT)


def has_cavalry(fields: model.Land, stack: Stack, reading: str) -> bool:
    """Structural cavalry: given, or an ARMY of the right class, period and terrain; Turkish Sipahi until m-2."""
    side, conditions = stack.side, fields.conditions
    if side.structural_cavalry != "auto":
        return bool(side.structural_cavalry == "yes")
    sipahi = stack.turkish and side.turkish_reform != "m-2" and conditions.terrain in SIPAHI_GROUND
    return stack.has_army and (
        sipahi
        or any(
            who in {stack.army_class, side.country} and conditions.period in periods and conditions.terrain in terrains
            for who, periods, terrains in CAVALRY[reading]
        )
    )


def ignores_tercios(fields: model.Land, stack: Stack, reading: str) -> bool:
    """An ARMY of a class with heavy cavalry, as long as it is immune (section 3.2)."""
    early = PERIOD_ORDER.index(fields.conditions.period) <= PERIOD_ORDER.index(LAST_OF_HEAVY_CAVALRY[reading])
    return early and stack.has_army and stack.army_class in HEAVY_CAVALRY_CLASSES


def bonus_matters(fields: model.Land, own: Stack, enemy: Stack) -> bool:
    """Do the readings of the national bonuses differ for this side?"""
    cavalry, immune = ({of(fields, own, reading) for reading in CAVALRY} for of in (has_cavalry, ignores_tercios))
    return len(cavalry) > 1 or (enemy.tercios and len(immune) > 1)


def side_modifiers(fields: model.Land, own: Stack, enemy: Stack) -> list[Modifier]:
    """All modifiers of one side, its leader's advantage apart."""
    side, conditions, attacks = own.side, fields.conditions, own.name == "attacker"
    terrain, reading = conditions.terrain, fields.options.national_bonuses
    cavalry, light = has_cavalry(fields, own, reading), enemy.tercios and not ignores_tercios(fields, own, reading)
    conquers = own.leader.kind == "conquistador" and conditions.period in {"I", "II", "III", "IV"}
    uphill = terrain == "mountain" and attacks and not model.is_interception(fields)
    crossing = CROSSINGS.get(conditions.crossing, (0, 0, "")) if attacks else (0, 0, "")
    listed: list[tuple[Any, ...]] = [
        (True, SECOND_DAY, -1, -1, "second day"),
        (side.facing_the_ottomans, BOTH_DAYS, 0, -2, "facing the Ottomans"),
        (light, BOTH_DAYS, 0, -1, "enemy Tercios"),
        (not own.has_army and not conquers, BOTH_DAYS, -1, 0, "no ARMY in the stack"),
        (own.artillery >= 6, BOTH_DAYS, 1, 0, f"artillery value {own.artillery}"),
        (own.size >= enemy.size + 3 * LD, BOTH_DAYS, 0, 1, "at least 3 LD more than the enemy"),
        (cavalry, BOTH_DAYS, 0, 1, "Sipahi cavalry" if own.turkish else "structural cavalry"),
        (terrain in WOODS_AND_WASTES, BOTH_DAYS, -1, -1, terrain),
        (uphill, BOTH_DAYS, -1, -1, "attack into mountains"),
        (crossing[2], FIRST_DAY, *crossing),
        (attacks and fields.attacker.foraging, FIRST_DAY, -1, -1, "foraging"),
        (terrain != "plain", (), 0, 0, "pursuit outside the plain", PURSUIT, -1),
        (own.turkish and cavalry, (), 0, 0, "Sipahi in pursuit", PURSUIT, 1),
    ]
    return [Modifier(*row) for applies, *row in listed if applies]


def one_die(book: Book, roll: LandRoll | None) -> Counter[tuple[int, int]]:
    """Thirds and stars of one die with their weights."""
    return Counter(roll.read(book, die) for die in FACES) if roll else Counter({(0, 0): 1})


# Rolls of battles are few, and kept for the next battle.
@lru_cache(maxsize=4096)
def main_dice(book: Book, own: LandRoll | None, enemy: LandRoll | None) -> Weights:
    """Results of both main dice, see `main_result`."""
    return combine(one_die(book, own), one_die(book, enemy), main_result)


@lru_cache(maxsize=1024)
def further_dice(book: Book, roll: LandRoll | None, dice: int, most: int) -> Weights:
    """Thirds that further dice inflict together, up to `most`."""
    return capped(sum_of(seen_as(one_die(book, roll), lambda result: result[0]), dice), most)


def main_result(own: tuple[int, int], enemy: tuple[int, int]) -> int:
    """Thirds and stars of both main dice as one result."""
    a, d = (thirds | stars << land.LOSS_BITS for thirds, stars in (own, enemy))
    return a | d << land.SIDE_BITS
