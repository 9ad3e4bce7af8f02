"""A land battle before its first roll: both stacks, their modifiers with reasons, and pairs of leaders that may meet.

docs/rules/europa_land_siege.md sections 3.2 and 3.5. Modifiers are all cumulative, from the stacks as they start, and
never recomputed.
"""

from __future__ import annotations

from typing import Any

from simulator.rules.europa.leaders import Pair
from simulator.rules.europa.model import OVERRUN_WITHOUT_BATTLE, Land, is_interception, is_non_european, overruns
from simulator.rules.europa.modifiers import BOTH_DAYS, FIRST_DAY, LAW, SECOND_DAY, Modifier, total
from simulator.rules.europa.stacks import EIGHT_LD, LD, SIDES, Opponents, Stack, army_size, size_step

PURSUIT = f"{LAW} 3.5 step 8"
WOODS_AND_WASTES = ("sparse-forest", "dense-forest", "northern-forest", "swamp", "desert")
HEAVY_CAVALRY_CLASSES = ("I", "IM", "II", "IIM")
# Class or country with structural cavalry, in these periods, on this terrain.
CAVALRY = (
    ("IIM", ("I", "II", "III", "IV"), ("plain", "sparse-forest")),
    ("IIIM", ("IV", "V"), ("plain", "dense-forest", "northern-forest")),
    ("IV", ("III", "IV", "V"), ("plain",)),
    ("sweden", ("III", "IV", "V", "VI"), ("plain", "northern-forest")),
)
SIPAHI_GROUND = ("plain", "desert")
CROSSINGS = {
    "river": (-1, -1, "crossed a river"),
    "pass": (-1, -1, "crossed a pass"),
    "strait": (-2, -3, "crossed a strait"),
    "landing": (-2, -3, "landed from the sea"),
}


class Meeting(Opponents[Land]):
    """Two stacks about to fight; lists of two are the attacker's and the defender's.

    `modifiers` are those of the dice, the leaders' advantage apart; `overrun` is the side that overruns the enemy
    without a battle, or -1; `first` may break off first. `tested` are the leaders that are tested, None for the others.
    """

    def __init__(self, fields: Land) -> None:
        super().__init__(fields)
        a, d = self.stacks
        self.modifiers = side_modifiers(fields, a, d), side_modifiers(fields, d, a)
        step = size_step(*(army_size(stack.side, fields.conditions.period, self.book) for stack in self.stacks))
        self.steps = step, -step
        self.first = 0 if is_interception(fields) else 1
        # A non-European stack rolls a die for each 8 LD begun. `groups` are the last one's thirds.
        self.dice = [-(-stack.size // EIGHT_LD) if is_non_european(stack.side) else 1 for stack in self.stacks]
        self.groups = [stack.size - EIGHT_LD * (n - 1) for stack, n in zip(self.stacks, self.dice, strict=True)]
        # What the defender's manoeuvre adds to the evasion roll (section 3.5 step 2).
        self.evasion = max(0, d.leader.manoeuvre - a.leader.manoeuvre)
        eightfold = [own.size >= OVERRUN_WITHOUT_BATTLE * enemy.size for own, enemy in ((a, d), (d, a))]
        self.overrun = next((side for side in (0, 1) if eightfold[side] and SIDES[side] in overruns(fields)), -1)
        self.tested = [stack.leader if self.is_tested(side) else None for side, stack in enumerate(self.stacks)]

    def gains(self, pair: Pair) -> tuple[Modifier, Modifier]:
        """The advantage of each leader; in the pursuit not capped."""
        return tuple(  # type: ignore[return-value]
            Modifier(stack.name, BOTH_DAYS, fire, shock, f"leader: {stack.leader.told()}", pursuit=pursuit)
            for stack, fire, shock, pursuit in zip(self.stacks, pair.fire, pair.shock, pair.pursuit, strict=True)
        )

    def drm(self, side: int, pair: Pair, step: str, day: int = 0) -> int:
        """Modifiers of a step, those for a failed attempt to break off, or for when the fighting ended, apart."""
        return total([*self.modifiers[side], self.gains(pair)[side]], step, day)

    def is_tested(self, side: int) -> bool:
        """Is this side's leader tested? In Europe not if the enemy began with under 3 LD (section 3.5 step 11).

        After an overrun only the destroyed side's leader is, if given (step 1).
        """
        small = self.europe and self.stacks[1 - side].size < 3 * LD
        return not small and (self.overrun < 0 or (self.overrun != side and self.stacks[side].leader.given))


def has_cavalry(fields: Land, stack: Stack) -> bool:
    """Structural cavalry: given, or an ARMY of the right class, period and terrain; Turkish Sipahi until m-2."""
    side, conditions = getattr(fields, stack.name), fields.conditions
    if side.structural_cavalry != "auto":
        return bool(side.structural_cavalry == "yes")
    sipahi = stack.turkish and side.turkish_reform != "m-2" and conditions.terrain in SIPAHI_GROUND
    return stack.has_army and (
        sipahi
        or any(
            who in {stack.army_class, side.country} and conditions.period in periods and conditions.terrain in terrains
            for who, periods, terrains in CAVALRY
        )
    )


def side_modifiers(fields: Land, own: Stack, enemy: Stack) -> list[Modifier]:
    """All modifiers of one side, its leader's advantage apart."""
    side, conditions, attacks = getattr(fields, own.name), fields.conditions, own.name == "attacker"
    terrain, cavalry = conditions.terrain, has_cavalry(fields, own)
    light = enemy.tercios and not (own.has_army and own.army_class in HEAVY_CAVALRY_CLASSES)
    conquers = own.leader.kind == "conquistador" and conditions.period in {"I", "II", "III", "IV"}
    uphill = terrain == "mountain" and attacks and not is_interception(fields)
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
    return [Modifier(own.name, *row) for applies, *row in listed if applies]
