"""One attack, and an engagement of the two front units (docs/rules/birthright.md sections 3.2 and 3.3).

An engagement is fought by two cards until one of them leaves the front, and affects nothing else. Its ends and their
chances are therefore known before the first roll, and a battle is a sequence of engagements. `Engagement.next_attacks`
and `Engagement.follow` are its rules; the chances and the dice of a replay both use them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chance import Weights
from simulator.rules.birthright.units import LAST_COLUMN, LOWEST, LOWEST_ON_WALLS, MOST_HITS, Unit, battle_table

# Effects of one attack on its target.
NONE, BACK, HIT, ROUT, DESTROYED = range(5)
EFFECT_OF = {"-": NONE, "F": BACK, "H": HIT, "R": ROUT, "D": DESTROYED}
# The end of an engagement for a unit: 0 to 3 at the front with this many hits, 4 to 7 fallen back with 0 to 3 hits.
FALLEN_BACK, ROUTED, GONE, ENDS = 4, 8, 9, 16
assert MOST_HITS < FALLEN_BACK
SIDES_OF = {"d6": 6, "d8": 8}
# Steps of an engagement: 2 and more are rounds of the approach, the last one first.
DEFENDER_STRIKES_BACK, ATTACKER_STRIKES_BACK, MELEE, CONTACT = range(-2, 2)
Roll = Callable[[int], int]


class Attack(NamedTuple):
    """An attack (section 3.2, step 2): its value, the target's defence and cover, the edge, and the lowest column."""

    value: int
    defence: int
    cover: int
    edge: int
    lowest: int = LOWEST

    @property
    def total(self) -> int:
        """The column before it is held within its bounds."""
        return self.value - self.defence - self.cover + self.edge

    @property
    def column(self) -> int:
        """The column of the battle table."""
        return self.held(self.total)

    def held(self, column: int) -> int:
        """A column held within the bounds of this attack."""
        return max(self.lowest, min(LAST_COLUMN, column))


@dataclass(frozen=True)
class Attacks:
    """The options that resolve an attack (section 3.2, steps 3 to 5)."""

    ten: str = "reroll"
    morale_die: str = "d6"
    rally: str = "none"

    def passes(self, morale: int) -> tuple[int, int]:
        """Faces of the morale die that pass with this many icons (two an icon, at most 6), and its sides."""
        return min(2 * morale, 6), SIDES_OF[self.morale_die]

    def weights(self, attack: Attack, morale: int) -> Weights:
        """Effects of one attack on a unit with this many morale icons, check and rally included, as integer weights."""
        good, sides = self.passes(morale)
        bad, checks = sides - good, sides * sides
        rallied = bad * good if self.rally == "once" else 0
        effects = {
            "-": {NONE: checks},
            "F": {NONE: good * sides, BACK: bad * sides},
            "R": {BACK: good * sides + rallied, ROUT: bad * sides - rallied},
            "H": {HIT: checks},
            "D": {DESTROYED: checks},
        }
        column = attack.column
        columns = {column: 1}
        if self.ten == "shift":  # 1/10 for each of the nine rows, 1/20 for the nine rows of each neighbour together
            columns = Counter({column: 18}) + Counter([attack.held(column - 1), attack.held(column + 1)])
        total: Counter[int] = Counter()
        for shown, share in columns.items():
            for letter in battle_table()[shown - LOWEST_ON_WALLS]:
                for effect, ways in effects[letter].items():
                    total[effect] += ways * share
        return {effect: ways for effect, ways in total.items() if ways}

    def roll(self, attack: Attack, morale: int, roll: Roll) -> tuple[int, str]:
        """The effect of dice from `roll(sides)`, and the dice in words."""
        column, face, words = attack.column, roll(10), ""
        if face == 10:
            words = "10, "
            if self.ten == "shift":
                eight = roll(8)
                column = attack.held(column + (1 if eight > 4 else -1))
                words += f"d8 {eight} ({column:+d}), "
            while face == 10:
                face = roll(10)
        letter = battle_table()[column - LOWEST_ON_WALLS][face - 1]
        words += f"{face}: {letter}" if letter != "-" else f"{face}: no effect"
        effect = EFFECT_OF[letter]
        if effect not in {BACK, ROUT}:
            return effect, words
        if_passed = NONE if effect == BACK else BACK
        good, sides = self.passes(morale)
        if good == sides:
            return if_passed, f"{words}, morale holds"
        for _ in range(2 if effect == ROUT and self.rally == "once" else 1):
            check = roll(sides)
            words += f", morale {self.morale_die} {check} {'passes' if check <= good else 'fails'}"
            if check <= good:
                return if_passed, words
        return effect, words


@cache
def effect_chances(attacks: Attacks, column: int, lowest: int, morale: int) -> Mapping[int, float]:
    """Chances of the effects of an attack in this column, held at `lowest`, on a unit with this many morale icons."""
    weights = attacks.weights(Attack(column, 0, 0, 0, lowest), morale)
    total = sum(weights.values())
    return {effect: ways / total for effect, ways in weights.items()}


class Moment(NamedTuple):
    """A point of an engagement: the step, and the hits of the attacker's and the defender's unit."""

    step: int
    hits: tuple[int, int]


@dataclass(frozen=True)
class Engagement:
    """A card of the attacker against a card of the defender; `lowest` is the attacker's lowest column."""

    units: tuple[Unit, Unit]
    attacks: Attacks = Attacks()
    missile_rounds: int = 1
    charges: bool = True
    edges: tuple[int, int] = (0, 0)
    cover: int = 0
    lowest: int = LOWEST
    known: dict[Moment, np.ndarray] = field(default_factory=dict, repr=False, compare=False)

    def next_attacks(self, now: Moment) -> tuple[str, list[Attack | None]]:
        """The action of a step, and the attacks of both sides; two are simultaneous (section 3.3)."""
        step, hits = now
        if step > CONTACT:
            return "shooting", self._attacks_with("missile", hits, [self._able(s, "missile", hits) for s in (0, 1)])
        if step == CONTACT and any(charging := self._charging(hits)):
            return "charge", self._attacks_with("charge", hits, charging)
        if step < MELEE:
            strikes = [step == ATTACKER_STRIKES_BACK, step == DEFENDER_STRIKES_BACK]
            return "striking back", self._attacks_with("melee", hits, strikes)
        return "melee", self._attacks_with("melee", hits, [True, True])

    def _attacks_with(self, values: str, hits: tuple[int, int], able: Sequence[bool]) -> list[Attack | None]:
        own, enemy = self.units
        first = Attack(own.attack(values, hits[0]), enemy.defence, self.cover, self.edges[0], self.lowest)
        second = Attack(enemy.attack(values, hits[1]), own.defence, 0, self.edges[1])
        return [first if able[0] else None, second if able[1] else None]

    def _able(self, side: int, values: str, hits: tuple[int, int]) -> bool:
        by_hits = getattr(self.units[side], values)
        return bool(by_hits) and by_hits[hits[side]] > 0

    def _charging(self, hits: tuple[int, int]) -> list[bool]:
        """The sides that charge (section 3.3, step 2)."""
        pikes = [unit.kind == "pikemen" for unit in self.units]
        return [self.charges and self._able(side, "charge", hits) and not pikes[1 - side] for side in (0, 1)]

    def follow(self, now: Moment, effects: Sequence[int]) -> Moment | tuple[int, int]:
        """The next moment, or both ends, when the attacker's and the defender's unit suffer these effects."""
        own, enemy = map(self._end, self.units, now.hits, effects)
        if max(own, enemy) >= FALLEN_BACK:
            return own, enemy
        step = now.step - 1 if now.step > CONTACT else MELEE
        if now.step == CONTACT and sum(charging := self._charging(now.hits)) == 1:
            step = DEFENDER_STRIKES_BACK if charging[0] else ATTACKER_STRIKES_BACK
        return Moment(step, (own, enemy))

    def _end(self, unit: Unit, hits: int, effect: int) -> int:
        if effect == HIT:
            return hits + 1 if hits < unit.hits else GONE
        return {NONE: hits, BACK: FALLEN_BACK + hits, ROUT: ROUTED, DESTROYED: GONE}[effect]

    def opening(self, hits: tuple[int, int]) -> Moment:
        """The first moment of an engagement."""
        return Moment(CONTACT + self.missile_rounds, hits)

    def _effects(self, side: int, attack: Attack | None) -> Mapping[int, float]:
        """Chances of the effects on this side's unit."""
        if attack is None:
            return {NONE: 1.0}
        return effect_chances(self.attacks, attack.column, attack.lowest, self.units[side].morale)

    def chances(self, now: Moment) -> np.ndarray:
        """Chances of both ends from this moment on, float64, shape (ENDS, ENDS).

        A melee round without effect leads to itself: it is summed in closed form.
        """
        if now not in self.known:
            chances, again = np.zeros((ENDS, ENDS)), 0.0
            by_attacker, by_defender = self.next_attacks(now)[1]
            for own, p in self._effects(0, by_defender).items():
                for enemy, q in self._effects(1, by_attacker).items():
                    then = self.follow(now, (own, enemy))
                    if not isinstance(then, Moment):
                        chances[then] += p * q
                    elif then == now:
                        again += p * q
                    else:
                        chances += p * q * self.chances(then)
            self.known[now] = chances / (1.0 - again)
        return self.known[now]

    def roll(self, hits: tuple[int, int], roll: Roll) -> tuple[tuple[int, int], list[Any]]:
        """Both ends with dice from `roll(sides)`, and (action, side, attack, dice in words) of each attack.

        The attacker's dice fall first.
        """
        now: Any = self.opening(hits)
        course: list[Any] = []
        while isinstance(now, Moment):
            action, attacks = self.next_attacks(now)
            effects = [NONE, NONE]
            for side, attack in enumerate(attacks):
                if attack is not None:
                    target = self.units[1 - side]
                    effects[1 - side], words = self.attacks.roll(attack, target.morale, roll)
                    course.append((action, side, attack, words))
            now = self.follow(now, effects)
        return now, course
