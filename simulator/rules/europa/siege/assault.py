"""An assault on a fortress (docs/rules/europa_land_siege.md section 4.5), as one table of outcomes.

All dice of an assault are rolled at once: leaders, Fire and Shock of both sides. `outcome` takes arrays of dice,
to make the tables, or the dice of one assault, for a replay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulator.engine.model.chance import Row, Weights, seen_as
from simulator.engine.model.kept import Recent
from simulator.rules.europa.shared.modifiers import sum_of
from simulator.rules.europa.shared.stacks import EIGHT_LD, FIRE_HALVES, LD
from simulator.rules.europa.siege import state as siege
from simulator.rules.europa.tables import Book

if TYPE_CHECKING:
    from simulator.rules.europa.siege.tables import SiegeSetup

LOWEST, HIGHEST = 3, 12
BESIEGED, BESIEGER = 0, 1
# The dice of an assault in order, as all that follows takes them and their modifiers: who rolls, and is it Fire?
DICE = ((BESIEGER, True), (BESIEGED, True), (BESIEGER, False), (BESIEGED, False))
Drms = tuple[int, int, int, int]
# The bits of an assault's result, see `outcome`.
RESULT_BITS, RESULT_MASK = siege.FRAGILE_SHIFT + 2, (1 << siege.FRAGILE_SHIFT + 2) - 1
# The tables of the last assaults, which sieges that differ elsewhere have in common.
ASSAULTS = Recent[list[list[Row]]](128, lambda made: 1)


class Ground(NamedTuple):
    """Under what conditions an assault is made: besieger and garrison(s) in thirds, right after a breach, counter."""

    camp: int
    garrison: Any
    breach: int
    counter: int


class Terms(NamedTuple):
    """The besieger in thirds, resistance, thirds that it causes less and more (step 4), most that walls inflict."""

    camp: int
    resistance: int
    reduction: int
    elite: int
    most: int
    europe: bool


class Rolled(NamedTuple):
    """The result of both sides' dice before modifications: thirds inflicted, who was routed, who rolled a Shock."""

    by_besieger: Any
    by_besieged: Any
    besieger_routed: Any
    besieged_routed: Any
    shocks: tuple[Any, Any] = (True, True)


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
        return thirds * FIRE_HALVES.get(technology, 2) // 2, stars * (technology != "medieval")

    def roll(self, breach: int, drms: Drms, dice: Any) -> Rolled:
        """Fire together, then Shock of each side that the Fire did not rout; dice are numbers, or arrays."""
        (fire, stars), (enemy_fire, enemy_stars), (shock, more_stars), (enemy_shock, enemy_more_stars) = (
            self.read(*which, breach, die + drm) for which, die, drm in zip(DICE, dice, drms, strict=True)
        )
        shocks, enemy_shocks = enemy_stars < self.morale, stars < self.enemy_morale
        return Rolled(
            fire + shock * shocks,
            enemy_fire + enemy_shock * enemy_shocks,
            enemy_stars + enemy_more_stars * enemy_shocks >= self.morale,
            stars + more_stars * shocks >= self.enemy_morale,
            (shocks, enemy_shocks),
        )


class Assaults:
    """Tables of the outcomes of assaults on one fortress."""

    def __init__(self, setup: SiegeSetup) -> None:
        besieger, besieged = setup.stacks
        self.setup, self.rolled = setup, dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]()
        self.assailants = Assailants(setup.book, besieger.side.technology, besieger.morale, besieged.morale)

    @cached_property
    def commands(self) -> Weights:
        """Advantages in Fire and Shock and fragility that the leaders may come to, with weights."""
        return seen_as(self.setup.pairs, lambda pair: (pair.fire, pair.shock, pair.fragile))

    def place(self, ground: Ground) -> int:
        """The modifier of the place for each of the besieger's dice (step 2)."""
        return sum_of(self.setup.assault_of_place(ground.camp, ground.breach, ground.counter))

    def terms(self, ground: Ground) -> Terms:
        """The numbers of a fortress and of the besieger before it that the result of all dice depends on."""
        camp, stack = ground.camp, self.setup.camp[ground.camp]
        resistance = self.setup.book.resistance[self.setup.level, ground.breach]
        # Under 8 LD a besieger causes less (step 4); Janissaries and their like with an ARMY+ cause 2/3 more.
        reduction = int(camp <= 6 * LD) + int(camp <= 4 * LD) + 2 * (not stack.has_army) if camp < EIGHT_LD else 0
        elite = 2 if self.setup.elite and stack.army_plus else 0
        most = self.setup.fields.options.assault_cap_factor * resistance
        return Terms(camp, resistance, reduction, elite, most, self.setup.europe)

    def outcome(self, ground: Ground, rolled: Rolled, fragile: Any = 0) -> tuple[Any, Any]:
        """An assault's result as one number (steps 4 to 6), and the thirds that the besieger has caused."""
        camp, resistance, reduction, elite, most, _ = self.terms(ground)
        garrison = ground.garrison
        caused = np.maximum(0, rolled.by_besieger - reduction) + elite
        suffered = np.minimum(rolled.by_besieged, most + garrison) + 2 * rolled.besieger_routed
        left = camp - np.minimum(self.rounded(suffered), camp)
        fell = (left > 0) & (rolled.besieged_routed | (caused - garrison >= resistance))
        inside = garrison - np.minimum(garrison, self.rounded(caused))
        held = (inside << siege.GARRISON_SHIFT) + ((caused >= LD) << siege.COUNTER_SHIFT)
        result = left + np.where(fell, 1 << siege.FELL_SHIFT, held)  # nobody is left in a fallen fortress
        return result + (fragile << siege.FRAGILE_SHIFT), caused

    def rounded(self, thirds: Any) -> Any:
        """Nearest whole LD in Europe."""
        return (thirds + 1) // LD * LD if self.setup.europe else thirds

    def grid(self, camps: Iterable[int], garrisons: Sequence[int], *cases: Iterable[int]) -> np.ndarray:
        """The tables of these assaults: int64 [besieger, garrison, right after a breach, counter], 0 for others."""
        out = np.zeros((self.setup.besieger.size + 1, self.setup.room + 1, 2, 2), np.int64)
        grounds = [Ground(camp, 0, *case) for camp, *case in product(camps, *cases)]
        numbers = [(self.place(ground), ground.breach, self.terms(ground)) for ground in grounds]
        key = self.assailants, tuple(self.commands.items()), tuple(garrisons), tuple(numbers)
        made = ASSAULTS.get(key) or ASSAULTS.keep(key, [self._rows(ground, garrisons) for ground in grounds])
        for (camp, _, breach, counter), rows in zip(grounds, made, strict=True):
            out[camp, garrisons, breach, counter] = list(map(self.setup.tables.add, rows))
        return out

    def _rows(self, ground: Ground, garrisons: Sequence[int]) -> list[Row]:
        """The results of an assault and their chances, for each garrison."""
        packed, weights = self._rolls(ground)
        rolled = Rolled(packed & 63, packed >> 6 & 63, (packed >> 12 & 1) == 1, (packed >> 13 & 1) == 1)
        inside = ground._replace(garrison=np.array(garrisons)[:, None])
        results = self.outcome(inside, rolled, packed >> 14)[0]
        # All garrisons are sorted at once: the number of the garrison stands in the higher bits of a result.
        results += np.arange(len(garrisons))[:, None] << RESULT_BITS
        found, which = np.unique(results, return_inverse=True)
        p = np.bincount(which.ravel(), np.tile(weights, len(garrisons))) / weights.sum()
        first = np.searchsorted(found, np.arange(len(garrisons) + 1) << RESULT_BITS).tolist()
        return [(found[a:b] & RESULT_MASK, p[a:b]) for a, b in pairwise(first)]

    def _rolls(self, ground: Ground) -> tuple[np.ndarray, np.ndarray]:
        """Rolled of all dice and leaders, packed, and their weights; the garrison does not matter yet."""
        key = place, breach = self.place(ground), ground.breach
        if key not in self.rolled:
            tally = []
            for (fire, shock, fragile), weight in self.commands.items():
                found, weights = all_rolls(self.assailants, breach, drms_of(place, fire, shock))
                tally.append((found + (fragile << 14), weights * weight))
            codes, weights = (np.concatenate(part) for part in zip(*tally, strict=True))
            found, inverse = np.unique(codes, return_inverse=True)
            self.rolled[key] = found, np.bincount(inverse, weights)
        return self.rolled[key]


def drms_of(place: int, fire: tuple[int, int], shock: tuple[int, int]) -> Drms:
    """Modifiers of the dice at a place with these advantages of the leaders (step 2)."""
    return fire[0] + place, fire[1], shock[0] + place, shock[1]


@lru_cache(maxsize=2048)
def all_rolls(sides: Assailants, breach: int, drms: Drms) -> tuple[np.ndarray, np.ndarray]:
    """Each `Rolled` that the four dice can give, packed, and its weight: both int64, shape (results,).

    Cached, since modifiers are few and sieges many.
    """
    found = sides.roll(breach, drms, np.meshgrid(*[np.arange(1, 11)] * 4, indexing="ij", sparse=True))
    routed = (found.besieger_routed.astype(int) << 12) + (found.besieged_routed.astype(int) << 13)
    weights = np.bincount((found.by_besieger + (found.by_besieged << 6) + routed).ravel())
    packed = np.flatnonzero(weights)
    return packed, weights[packed]
