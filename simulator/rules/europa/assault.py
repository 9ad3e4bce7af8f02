"""An assault on a fortress (docs/rules/europa_land_siege.md section 4.5), as one table of outcomes.

All dice of an assault are rolled at once: leaders, Fire and Shock of both sides. `outcome` works on whole arrays of
dice as well as on one assault's; the tables are made from the first, a replay tells the second.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.europa import siege_rules as siege
from simulator.rules.europa.leaders import advantage, replacements
from simulator.rules.europa.siege_modifiers import Siegecraft, total
from simulator.rules.europa.stacks import EIGHT_LD, LD
from simulator.rules.europa.tables import Book

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


class Assailants(NamedTuple):
    """The sides of an assault, as far as their dice depend on them: the besieger's technology, both morales."""

    book: Book
    technology: str
    morale: int
    enemy_morale: int

    def read(self, side: int, fire: bool, breach: int, die: Any) -> tuple[Any, Any]:
        """Thirds and stars for modified dice (step 3); the besieged are always at full effect."""
        row = 0 if side == BESIEGER else breach
        table = np.array([self.book.assault[side, int(fire), row, n] for n in range(LOWEST, HIGHEST + 1)])
        thirds, stars = table[np.clip(die, LOWEST, HIGHEST) - LOWEST].T
        technology = self.technology if side == BESIEGER and fire else ""
        if technology in {"medieval", "renaissance"}:
            thirds = 0 * thirds
        if technology == "arquebus":
            thirds = thirds // 2
        return thirds, 0 * stars if technology == "medieval" else stars


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

    @cached_property
    def commands(self) -> Counter[Command]:
        """What both leaders may come to, with weights."""
        found: Counter[Command] = Counter()
        for own, weight in self.leaders(0).items():
            for enemy, enemy_weight in self.leaders(1).items():
                found[self.command(own, enemy)] += weight * enemy_weight
        return found

    def leaders(self, side: int) -> Counter[tuple[int, int, int, bool]]:
        """What a side's leader may be, with weights when it is drawn."""
        stack = (self.craft.besieger, self.craft.besieged)[side]
        return replacements(stack.leader, stack.replacements)

    def drms(self, ground: Ground, who: Command) -> tuple[tuple[int, int], tuple[int, int]]:
        """(Fire, Shock) modifiers of the besieger, then of the besieged (step 2)."""
        place = total(self.craft.assault_of_place(ground.camp, ground.breach, ground.counter))
        return (who.fire[0] + place, who.shock[0] + place), (who.fire[1], who.shock[1])

    @property
    def assailants(self) -> Assailants:
        """The sides, as far as their dice depend on them."""
        craft = self.craft
        return Assailants(craft.book, craft.fields.attacker.technology, craft.besieger.morale, craft.besieged.morale)

    def roll(self, ground: Ground, who: Command, dice: Any) -> Rolled:
        """What dice come to, see `fire_and_shock`."""
        return fire_and_shock(self.assailants, ground.breach, self.drms(ground, who), dice)

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
            sides, tally = self.assailants, []
            for who, weight in self.commands.items():
                found, weights = all_rolls(sides, ground.breach, self.drms(ground, who))
                tally.append((found + (who.fragile << 14), weights * weight))
            codes, weights = (np.concatenate(part) for part in zip(*tally, strict=True))
            found, inverse = np.unique(codes, return_inverse=True)
            self.rolled[key] = found, np.bincount(inverse, weights)
        return self.rolled[key]


def fire_and_shock(sides: Assailants, breach: int, drms: tuple[tuple[int, int], tuple[int, int]], dice: Any) -> Rolled:
    """Fire together, then Shock of each side that the Fire did not rout.

    `dice`: Fire of besieger and besieged, Shock of besieger and besieged (numbers or arrays of equal shape).
    """
    (own_fire, own_shock), (enemy_fire, enemy_shock) = drms
    morale, enemy_morale = sides.morale, sides.enemy_morale
    thirds, stars = sides.read(BESIEGER, True, breach, dice[0] + own_fire)
    enemy_thirds, enemy_stars = sides.read(BESIEGED, True, breach, dice[1] + enemy_fire)
    more, more_stars = sides.read(BESIEGER, False, breach, dice[2] + own_shock)
    enemy_more, enemy_more_stars = sides.read(BESIEGED, False, breach, dice[3] + enemy_shock)
    shocks, enemy_shocks = enemy_stars < morale, stars < enemy_morale
    return Rolled(
        thirds + more * shocks,
        enemy_thirds + enemy_more * enemy_shocks,
        enemy_stars + enemy_more_stars * enemy_shocks >= morale,
        stars + more_stars * shocks >= enemy_morale,
        (shocks, enemy_shocks),
    )


@lru_cache(maxsize=2048)
def all_rolls(
    sides: Assailants, breach: int, drms: tuple[tuple[int, int], tuple[int, int]]
) -> tuple[np.ndarray, np.ndarray]:
    """Rolled of all dice, packed, and their weights; kept, since modifiers are few and sieges many."""
    found = fire_and_shock(sides, breach, drms, np.meshgrid(*[np.arange(1, 11)] * 4, indexing="ij", sparse=True))
    routed = (found.besieger_routed.astype(int) << 12) + (found.besieged_routed.astype(int) << 13)
    weights = np.bincount((found.by_besieger + (found.by_besieged << 6) + routed).ravel())
    packed = np.flatnonzero(weights)
    return packed, weights[packed]
