"""An assault on a fortress (docs/rules/europa_land_siege.md section 4.5), as one table of outcomes.

All dice of an assault are rolled at once: leaders, Fire and Shock of both sides. `outcome` works on whole arrays of
dice as well as on one assault's; the tables are made from the first, a replay tells the second.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.europa import siege_rules as siege
from simulator.rules.europa.leaders import advantage, replacements
from simulator.rules.europa.siege_modifiers import Siegecraft, total
from simulator.rules.europa.stacks import EIGHT_LD, LD

LOWEST, HIGHEST = 3, 12
BESIEGED, BESIEGER = 0, 1


class Ground(NamedTuple):
    """Under what conditions an assault is made: besieger and garrison in thirds, right after a breach, counter."""

    camp: int
    garrison: int
    breach: int
    counter: int


class Command(NamedTuple):
    """Leaders' advantages (attacker, defender) in Fire and Shock, and which are fragile (1 attacker, 2 defender)."""

    fire: tuple[int, int]
    shock: tuple[int, int]
    fragile: int


class Rolled(NamedTuple):
    """What both sides' dice come to before modifications: thirds inflicted, who was routed, who rolled a Shock."""

    by_besieger: Any
    by_besieged: Any
    besieger_routed: Any
    besieged_routed: Any
    shocks: tuple[Any, Any] = (True, True)


class Fallen(NamedTuple):
    """How an assault ends; thirds left, and caused and suffered by the besieger."""

    camp: Any
    garrison: Any
    fell: Any
    counter: Any
    caused: Any
    suffered: Any

    def code(self, fragile: Any) -> Any:
        """An assault's result as one number."""
        fell, counter = np.asarray(self.fell, int), np.asarray(self.counter, int)
        left = self.camp + (self.garrison << siege.GARRISON_SHIFT)
        return left + (fell << siege.FELL_SHIFT) + (counter << siege.COUNTER_SHIFT) + (fragile << siege.FRAGILE_SHIFT)


@dataclass
class Assaults:
    """Tables of the outcomes of assaults on one fortress."""

    craft: Siegecraft
    rolled: dict[Any, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    def command(self, own: tuple[int, int, int, bool], enemy: tuple[int, int, int, bool]) -> Command:
        """What two leaders (manoeuvre, fire, shock, fragile) come to."""
        cap = self.craft.fields.options.leader_differential_cap
        fire, shock = ((advantage(own[i], enemy[i], cap), advantage(enemy[i], own[i], cap)) for i in (1, 2))
        return Command(fire, shock, own[3] + 2 * enemy[3])

    def leaders(self, side: int) -> Counter[tuple[int, int, int, bool]]:
        """What a side's leader may be, with weights when it is drawn."""
        stack = (self.craft.besieger, self.craft.besieged)[side]
        return replacements(stack.leader, stack.replacements)

    def drms(self, ground: Ground, who: Command) -> tuple[tuple[int, int], tuple[int, int]]:
        """(Fire, Shock) modifiers of the besieger, then of the besieged (step 2)."""
        place = total(self.craft.assault_of_place(ground.camp, ground.breach, ground.counter))
        return (who.fire[0] + place, who.shock[0] + place), (who.fire[1], who.shock[1])

    def read(self, side: int, fire: bool, breach: int, die: Any) -> tuple[Any, Any]:
        """Thirds and stars for modified dice (step 3); the besieged are always at full effect."""
        row = 0 if side == BESIEGER else breach
        table = np.array([self.craft.book.assault[side, int(fire), row, n] for n in range(LOWEST, HIGHEST + 1)])
        thirds, stars = table[np.clip(die, LOWEST, HIGHEST) - LOWEST].T
        technology = self.craft.besieger.technology if side == BESIEGER and fire else ""
        if technology in {"medieval", "renaissance"}:
            thirds = 0 * thirds
        if technology == "arquebus":
            thirds = thirds // 2
        return thirds, 0 * stars if technology == "medieval" else stars

    def roll(self, ground: Ground, who: Command, dice: Any) -> Rolled:
        """Fire together, then Shock of each side that the Fire did not rout.

        `dice`: Fire of besieger and besieged, Shock of besieger and besieged (numbers or arrays of equal shape).
        """
        (own_fire, own_shock), (enemy_fire, enemy_shock) = self.drms(ground, who)
        morale, enemy_morale = self.craft.besieger.morale, self.craft.besieged.morale
        thirds, stars = self.read(BESIEGER, True, ground.breach, dice[0] + own_fire)
        enemy_thirds, enemy_stars = self.read(BESIEGED, True, ground.breach, dice[1] + enemy_fire)
        more, more_stars = self.read(BESIEGER, False, ground.breach, dice[2] + own_shock)
        enemy_more, enemy_more_stars = self.read(BESIEGED, False, ground.breach, dice[3] + enemy_shock)
        shocks, enemy_shocks = enemy_stars < morale, stars < enemy_morale
        return Rolled(
            thirds + more * shocks,
            enemy_thirds + enemy_more * enemy_shocks,
            enemy_stars + enemy_more_stars * enemy_shocks >= morale,
            stars + more_stars * shocks >= enemy_morale,
            (shocks, enemy_shocks),
        )

    def outcome(self, ground: Ground, rolled: Rolled) -> Fallen:
        """Losses, and whether the fortress falls (steps 4 to 6)."""
        camp, garrison = ground.camp, ground.garrison
        resistance = self.craft.book.resistance[self.craft.level, ground.breach]
        stack = self.craft.camp[camp]
        # Under 8 LD a besieger causes less (step 4); Janissaries and their like with an ARMY+ cause 2/3 more.
        reduction = int(camp <= 6 * LD) + int(camp <= 4 * LD) + 2 * (not stack.has_army) if camp < EIGHT_LD else 0
        elite = 2 if self.craft.elite and stack.army_plus else 0
        caused = np.maximum(0, rolled.by_besieger - reduction) + elite
        cap = self.craft.fields.options.assault_cap_factor * resistance + garrison
        suffered = np.minimum(rolled.by_besieged, cap) + 2 * rolled.besieger_routed
        suffered = np.minimum(self.rounded(suffered), camp)
        fell = (suffered < camp) & (rolled.besieged_routed | (caused - garrison >= resistance))
        left = garrison - np.minimum(garrison, self.rounded(caused))
        counter = np.logical_not(fell) & (caused >= LD)
        return Fallen(camp - suffered, np.where(fell, 0, left), fell, counter, caused, suffered)

    def rounded(self, thirds: Any) -> Any:
        """Nearest whole LD in Europe."""
        return (thirds + 1) // LD * LD if self.craft.europe else thirds

    def weights(self, ground: Ground) -> dict[int, int]:
        """Results of an assault with their weights."""
        packed, weights = self._rolls(ground)
        rolled = Rolled(packed & 63, packed >> 6 & 63, (packed >> 12 & 1) == 1, (packed >> 13 & 1) == 1)
        results = self.outcome(ground, rolled).code(packed >> 14)
        found, inverse = np.unique(results, return_inverse=True)
        return dict(zip(found.tolist(), np.bincount(inverse, weights).astype(np.int64).tolist(), strict=True))

    def _rolls(self, ground: Ground) -> tuple[np.ndarray, np.ndarray]:
        """Rolled of all dice and leaders, packed, and their weights; the garrison does not matter yet."""
        key = (self.craft.artillery_bonuses[ground.camp], ground.breach, ground.counter)
        if key not in self.rolled:
            dice = np.meshgrid(*[np.arange(1, 11)] * 4, indexing="ij", sparse=True)
            commands: Counter[Command] = Counter()
            for own, weight in self.leaders(0).items():
                for enemy, enemy_weight in self.leaders(1).items():
                    commands[self.command(own, enemy)] += weight * enemy_weight
            tally = np.zeros(1 << 16)
            for who, weight in commands.items():
                rolled = self.roll(ground, who, dice)
                routed = (rolled.besieger_routed.astype(int) << 12) + (rolled.besieged_routed.astype(int) << 13)
                packed = rolled.by_besieger + (rolled.by_besieged << 6) + routed + (who.fragile << 14)
                tally += weight * np.bincount(packed.ravel(), minlength=1 << 16)
            found = np.flatnonzero(tally)
            self.rolled[key] = found, tally[found]
        return self.rolled[key]
