"""An assault on a fortress (docs/rules/europa_land_siege.md section 4.5), as one table of outcomes.

All dice of an assault are rolled at once: leaders, Fire and Shock of both sides. `outcome` works on whole arrays of
dice as well as on one assault's; the tables are made from the first, a replay tells the second.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.europa.leaders import advantage, is_fragile
from simulator.rules.europa.siegecraft import Siegecraft, total
from simulator.rules.europa.stacks import EIGHT_LD, LD, Stack

FACES = range(1, 11)
LOWEST, HIGHEST = 3, 12
BESIEGED, BESIEGER = 0, 1
# An assault's result: thirds left of the besieger and of the garrison, fallen, counter placed, fragile leaders.
GARRISON, FELL, COUNTER, FRAGILE = 5, 10, 11, 12
LEFT_MASK = 31


class Ground(NamedTuple):
    """Under what conditions an assault is made: besieger and garrison in thirds, right after a breach, counter."""

    camp: int
    garrison: int
    breach: int
    counter: int


class Command(NamedTuple):
    """Leaders' advantages (attacker, defender) in Fire and Shock, and whether each is fragile."""

    fire: tuple[int, int]
    shock: tuple[int, int]
    fragile: tuple[bool, bool]


class Rolled(NamedTuple):
    """What both sides' dice come to before modifications: thirds inflicted and whether the enemy was routed."""

    by_besieger: Any
    by_besieged: Any
    besieger_routed: Any
    besieged_routed: Any


class Fallen(NamedTuple):
    """How an assault ends; thirds left, and caused and suffered by the besieger."""

    camp: Any
    garrison: Any
    fell: Any
    counter: Any
    caused: Any
    suffered: Any


def leaders(stack: Stack) -> Counter[tuple[int, int, bool]]:
    """(fire, shock, fragile) of a side's leader, with weights when it is drawn."""
    leader = stack.leader
    if leader.drawn:
        return Counter((fire, shock, is_fragile(fire, shock)) for _, fire, shock in stack.replacements)
    return Counter([(leader.fire, leader.shock, leader.fragile)])


def command(own: tuple[int, int, bool], enemy: tuple[int, int, bool], cap: int) -> Command:
    """What two leaders come to."""
    fire, shock = ((advantage(own[i], enemy[i], cap), advantage(enemy[i], own[i], cap)) for i in (0, 1))
    return Command(fire, shock, (own[2], enemy[2]))


@dataclass
class Assaults:
    """Tables of the outcomes of assaults on one fortress."""

    craft: Siegecraft
    rolled: dict[Any, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    def commands(self) -> Counter[Command]:
        """All pairs of leaders with weights."""
        cap = self.craft.fields.options.leader_differential_cap
        found: Counter[Command] = Counter()
        for own, weight in leaders(self.craft.besieger).items():
            for enemy, enemy_weight in leaders(self.craft.besieged).items():
                found[command(own, enemy, cap)] += weight * enemy_weight
        return found

    def drms(self, ground: Ground, who: Command) -> tuple[tuple[int, int], tuple[int, int]]:
        """(Fire, Shock) modifiers of the besieger, then of the besieged (step 2)."""
        bonus = self.craft.artillery_bonuses[ground.camp]
        place = total(self.craft.assault_of_place(bonus, ground.breach, ground.counter))
        return (who.fire[0] + place, who.shock[0] + place), (who.fire[1], who.shock[1])

    def read(self, side: int, fire: bool, breach: int, die: Any) -> tuple[Any, Any]:
        """Thirds and stars for modified dice (step 3); the besieged are always at full effect."""
        row = 0 if side == BESIEGER else breach
        faces = range(LOWEST, HIGHEST + 1)
        table = np.array([self.craft.book.assault[side, int(fire), row, face] for face in faces])
        thirds, stars = table[np.clip(die, LOWEST, HIGHEST) - LOWEST].T
        technology = self.craft.besieger.technology
        if side == BESIEGER and fire and technology in {"medieval", "renaissance", "arquebus"}:
            thirds = thirds // 2 if technology == "arquebus" else 0 * thirds
            stars = 0 * stars if technology == "medieval" else stars
        return thirds, stars

    def roll(self, ground: Ground, who: Command, dice: Any) -> Rolled:
        """Fire together, then Shock of each side that the Fire did not rout.

        `dice`: Fire of besieger and besieged, Shock of besieger and besieged (numbers or arrays of equal shape).
        """
        (own_fire, own_shock), (enemy_fire, enemy_shock) = self.drms(ground, who)
        morale, enemy_morale = self.craft.besieger.morale, self.craft.besieged.morale
        thirds, stars = self.read(BESIEGER, True, ground.breach, dice[0] + own_fire)
        enemy_thirds, enemy_stars = self.read(BESIEGED, True, ground.breach, dice[1] + enemy_fire)
        shocks, enemy_shocks = enemy_stars < morale, stars < enemy_morale
        more, more_stars = self.read(BESIEGER, False, ground.breach, dice[2] + own_shock)
        enemy_more, enemy_more_stars = self.read(BESIEGED, False, ground.breach, dice[3] + enemy_shock)
        return Rolled(
            thirds + more * shocks,
            enemy_thirds + enemy_more * enemy_shocks,
            enemy_stars + enemy_more_stars * enemy_shocks >= morale,
            stars + more_stars * shocks >= enemy_morale,
        )

    def outcome(self, ground: Ground, rolled: Rolled) -> Fallen:
        """Losses, and whether the fortress falls (steps 4 to 6)."""
        camp, garrison = ground.camp, ground.garrison
        resistance = self.craft.book.resistance[self.craft.level, ground.breach]
        caused = np.maximum(0, rolled.by_besieger - self.reduction(camp)) + self.elite_bonus(camp)
        cap = self.craft.fields.options.assault_cap_factor * resistance + garrison
        suffered = np.minimum(rolled.by_besieged, cap) + 2 * rolled.besieger_routed
        suffered = np.minimum(self.rounded(suffered), camp)
        fell = (suffered < camp) & (rolled.besieged_routed | (caused - garrison >= resistance))
        left = garrison - np.minimum(garrison, self.rounded(caused))
        return Fallen(camp - suffered, np.where(fell, 0, left), fell, ~fell & (caused >= LD), caused, suffered)

    def reduction(self, camp: int) -> int:
        """Thirds taken off what a besieger under 8 LD causes (step 4)."""
        if camp >= EIGHT_LD:
            return 0
        return int(camp <= 6 * LD) + int(camp <= 4 * LD) + 2 * (not self.craft.has_army(camp))

    def elite_bonus(self, camp: int) -> int:
        """+2/3 of Janissaries and their like, with an ARMY+ (step 4)."""
        return 2 if self.craft.elite and self.craft.camp[camp].army_plus else 0

    def rounded(self, thirds: Any) -> Any:
        """Nearest whole LD in Europe."""
        return (thirds + 1) // LD * LD if self.craft.europe else thirds

    # --- tables --------------------------------------------------------------------------------------------------

    def weights(self, ground: Ground) -> dict[int, int]:
        """Results of an assault (coded as `code` does) with their weights."""
        codes, weights = self._rolls(ground)
        rolled = Rolled(codes & 63, codes >> 6 & 63, (codes >> 12 & 1) == 1, (codes >> 13 & 1) == 1)
        results = code(self.outcome(ground, rolled), codes >> 14)
        found, inverse = np.unique(results, return_inverse=True)
        return dict(zip(found.tolist(), np.bincount(inverse, weights).astype(np.int64).tolist(), strict=True))

    def _rolls(self, ground: Ground) -> tuple[np.ndarray, np.ndarray]:
        """Rolled of all dice and leaders, packed, and their weights; the garrison does not matter yet."""
        bonus = self.craft.artillery_bonuses[ground.camp]
        key = (bonus, ground.breach, ground.counter)
        if key not in self.rolled:
            dice = np.meshgrid(*[np.arange(1, 11)] * 4, indexing="ij", sparse=True)
            tally = np.zeros(1 << 16)
            for who, weight in self.commands().items():
                rolled = self.roll(ground, who, dice)
                packed = (
                    rolled.by_besieger
                    + (rolled.by_besieged << 6)
                    + (rolled.besieger_routed.astype(int) << 12)
                    + (rolled.besieged_routed.astype(int) << 13)
                    + ((who.fragile[0] + 2 * who.fragile[1]) << 14)
                )
                tally += weight * np.bincount(packed.ravel(), minlength=1 << 16)
            found = np.flatnonzero(tally)
            self.rolled[key] = found, tally[found]
        return self.rolled[key]


def code(end: Fallen, fragile: Any) -> Any:
    """An assault's result as one number."""
    fell, counter = np.asarray(end.fell, int), np.asarray(end.counter, int)
    return end.camp + (end.garrison << GARRISON) + (fell << FELL) + (counter << COUNTER) + (fragile << FRAGILE)
