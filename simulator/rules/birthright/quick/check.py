"""The quick check, a house rule: one army against another (docs/rules/birthright.md section 4, "One check")."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY
from simulator.rules.birthright import model
from simulator.rules.birthright.quick.armies import Army
from simulator.rules.toolkit.faces import face_where
from simulator.rules.toolkit.naming import plural

PIKES_STOP_CAVALRY = {"plains", "hills", "mountain"}
DICE = [(own, enemy) for own in range(1, 21) for enemy in range(1, 21)]
# Steps lost by the attacker and by the defender.
Lost = tuple[int, int]


class LossRow(NamedTuple):
    """A row of quick_result, and the side ahead: ATTACKER, DEFENDER or NOBODY."""

    ahead: int
    winner_loss: int
    loser_loss: int
    rout: bool
    pursuit: int


class CheckEnd(NamedTuple):
    """The result of a check: the steps lost by both, the side ahead, and whether the side behind is routed."""

    lost: Lost
    ahead: int
    rout: bool


class Check:
    """An attacking army against a defending one; `pursues`: does the cavalry of the side ahead pursue a rout?"""

    def __init__(
        self,
        armies: tuple[Army, Army],
        terrain: str,
        options: model.CheckOptions,
        names: tuple[str, str] = ("attacker", "defender"),
        pursues: bool = True,
    ) -> None:
        self.armies, self.terrain, self.options = armies, terrain, options
        self.names, self.pursues = names, pursues
        self.results, self.after = cache(self._results), cache(self._after)

    @cached_property
    def turned(self) -> tuple[np.ndarray, np.ndarray]:
        """Half points of both for the enemy's undead (section 2.3): shapes as `strengths`."""
        own, enemy = self.armies
        return _turns(own, enemy), _turns(enemy, own).T

    @cached_property
    def strengths(self) -> tuple[np.ndarray, np.ndarray]:
        """Half points of both, int64, shape (attacker's hits, defender's hits)."""
        attacker, defender = self.armies
        own = attacker.half_points(self.terrain, "attack")[:, None] + self.turned[0]
        enemy = defender.half_points(self.terrain, "defend")[None, :] + self.turned[1]
        if self.terrain in PIKES_STOP_CAVALRY:
            pikes = defender.alive(lambda unit: unit.kind == "pikemen")
            enemy += 2 * np.minimum(attacker.cavalry[:, None], pikes[None, :])
        return own, enemy

    @cached_property
    def modifiers(self) -> np.ndarray:
        """Odds modifier of the attacker less the defender's (step 1): int64, shape as `strengths`."""
        own, enemy = self.strengths
        more, less = np.maximum(own, enemy), np.minimum(own, enemy)
        modifiers = np.zeros_like(own)
        for strong, weak, modifier in self.options.quick_ratio:
            modifiers = np.where(more * weak >= less * strong, modifier, modifiers)
        return modifiers * np.sign(own - enemy)

    def walls(self, level: int) -> int:
        """The defender's bonus for a fortification of this level."""
        return int(min(self.options.fort_bonus_max, self.options.fort_bonus_per_level * level))

    def bonuses(self, lost: Lost, walls: int) -> tuple[int, int]:
        """The bonuses of both sides to their d20 (step 2)."""
        modifier, (attacker, defender) = int(self.modifiers[lost]), self.armies
        return attacker.warcraft + max(0, modifier), defender.warcraft + max(0, -modifier) + walls

    def result(self, margin: int) -> LossRow:
        """The row of quick_result for a margin (step 3)."""
        row = [line for line in self.options.quick_result if line[0] <= abs(margin)][-1]
        _, winner_loss, loser_loss, rout, pursuit = row
        ahead = ATTACKER if margin > 0 else DEFENDER if margin < 0 else NOBODY
        return LossRow(ahead, winner_loss, loser_loss, bool(rout) and ahead != NOBODY, pursuit)

    def _results(self, advantage: int) -> Mapping[LossRow, int]:
        """The results of one d20 against the other with this advantage of the attacker, in 400 ways."""
        ways = defaultdict[LossRow, int](int)
        for ahead in range(-19, 20):
            ways[self.result(ahead + advantage)] += 20 - abs(ahead)
        return ways

    def losses(self, lost: Lost, result: LossRow) -> Lost:
        """Steps that both sides lose (steps 4 and 5); at margin 0 the attacker takes the winner's loss."""
        ahead, winner_loss, loser_loss, rout, pursuit = result
        if rout and self.pursues and self.armies[ahead].cavalry[lost[ahead]]:
            loser_loss = min(100, loser_loss + pursuit)
        own, enemy = (loser_loss, winner_loss) if ahead == DEFENDER else (winner_loss, loser_loss)
        own_left, enemy_left = (army.steps - gone for army, gone in zip(self.armies, lost, strict=True))
        return (own * own_left + 50) // 100, (enemy * enemy_left + 50) // 100

    def checked(self, lost: Lost, result: LossRow) -> CheckEnd:
        """The state after a check with this result."""
        own, enemy = self.losses(lost, result)
        return CheckEnd((lost[0] + own, lost[1] + enemy), result.ahead, result.rout)

    def _after(self, lost: Lost, walls: int) -> Mapping[CheckEnd, int]:
        """The states that a check may lead to after these steps lost, in 400 ways."""
        own, enemy = self.bonuses(lost, walls)
        ways = defaultdict[CheckEnd, int](int)
        for result, number in self.results(own - enemy).items():
            ways[self.checked(lost, result)] += number
        return ways

    def line(self, lost: Lost, walls: int, fits: Callable[[CheckEnd], bool], dice: random.Random) -> str:
        """A check after these steps lost, with dice after which the rest fits."""
        bonus = self.bonuses(lost, walls)

        def checked(rolls: tuple[int, int]) -> tuple[int, CheckEnd]:
            margin = rolls[0] + bonus[0] - rolls[1] - bonus[1]
            return margin, self.checked(lost, self.result(margin))

        rolls = face_where(DICE, lambda rolls: fits(checked(rolls)[1]), dice)
        margin, after = checked(rolls)
        shown = " against ".join(
            f"{name} d20 {roll} {extra:+d} = {roll + extra}"
            for name, roll, extra in zip(self.names, rolls, bonus, strict=True)
        )
        (first, second), rout = self.names, ", rout" if after.rout else ""
        own, enemy = plural(after.lost[0] - lost[0], "step"), after.lost[1] - lost[1]
        return f"{shown}: margin {margin:+d}{rout}; {first} loses {own}, {second} {enemy}"


def _turns(own: Army, enemy: Army) -> np.ndarray:
    """Half points of an army for the enemy's undead: int64, shape (own hits, enemy's hits)."""
    alive = (own.left.sum(1) > 0)[:, None]
    return 2 * own.turns_undead * alive * enemy.undead[None, :]
