"""One attack, and an engagement of the two front units (docs/rules/birthright.md sections 3.2 and 3.3).

An engagement is fought on a pair of cards until one of them leaves the front, and touches nothing else: so its ends and
their chances are known before the first roll, and a battle is a row of engagements. `Engagement.next_attacks` and
`follow` are its rules; the chances, and the dice of a replay, both go by them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chance import Weights
from simulator.rules.birthright.units import MOST_HITS, Unit, battle_table

# Effects of one attack on its target, in the order of the columns of `Attacks.chances`.
NONE, BACK, HIT, ROUT, DESTROYED = range(5)
EFFECT_OF = {"-": NONE, "F": BACK, "H": HIT, "R": ROUT, "D": DESTROYED}
# What an engagement leaves of a unit: 0 to 3 stands with so many hits, 4 to 7 fell back with 0 to 3, routed, destroyed.
FALLEN_BACK, ROUTED, GONE, ENDS = 4, 8, 9, 16
EDGE = 3
SIDES_OF = {"d6": 6, "d8": 8}
Roll = Callable[[int], int]


class Attack(NamedTuple):
    """An attack: its value, what stands against it, and the column of the battle table."""

    value: int
    defence: int
    cover: int
    edge: int

    @property
    def column(self) -> int:
        """Held within -3 to +3."""
        return max(-EDGE, min(EDGE, self.value - self.defence - self.cover + self.edge))


@dataclass(frozen=True)
class Attacks:
    """How attacks are resolved: the options of section 3.2."""

    ten: str = "reroll"
    morale_die: str = "d6"
    rally: str = "none"

    def passes(self, morale: int) -> tuple[int, int]:
        """Numbers of the morale die that pass with so many icons, out of how many: two an icon, never more than 6."""
        return min(2 * morale, 6), SIDES_OF[self.morale_die]

    def weights(self, column: int, morale: int) -> Weights:
        """Effects of one attack, morale and rally folded in, as whole weights."""
        letters: Counter[str] = Counter()
        for shown, share in self._columns(column):
            for letter in battle_table()[shown + EDGE]:
                letters[letter] += share
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
        out: Counter[int] = Counter()
        for letter, ways in letters.items():
            for effect, part in effects[letter].items():
                out[effect] += ways * part
        return {effect: ways for effect, ways in out.items() if ways}

    def _columns(self, column: int) -> list[tuple[int, int]]:
        """Columns whose nine rows are equally likely, with their shares.

        Of a shifted table 1 of 10 is for each of the nine rows and 1 of 20 for each neighbour's nine together.
        """
        if self.ten == "reroll":
            return [(column, 1)]
        return [(column, 18), (max(-EDGE, column - 1), 1), (min(EDGE, column + 1), 1)]

    def thrown(self, column: int, morale: int, roll: Roll) -> tuple[int, str]:
        """The effect of dice from `roll(sides)`, and how it came about."""
        face, told = roll(10), ""
        if face == 10:
            told = "10, "
            if self.ten == "shift":
                eight = roll(8)
                column = max(-EDGE, min(EDGE, column + (1 if eight > 4 else -1)))
                told += f"d8 {eight} ({column:+d}), "
            while face == 10:
                face = roll(10)
        letter = battle_table()[column + EDGE][face - 1]
        told = f"{told}{face}: {letter}" if letter != "-" else f"{told}{face}: no effect"
        effect = EFFECT_OF[letter]
        if effect not in {BACK, ROUT}:
            return effect, told
        steadier = NONE if effect == BACK else BACK
        good, sides = self.passes(morale)
        if good == sides:
            return steadier, f"{told}, morale holds"
        for _ in range(2 if effect == ROUT and self.rally == "once" else 1):
            check = roll(sides)
            told += f", morale {self.morale_die} {check} {'passes' if check <= good else 'fails'}"
            if check <= good:
                return steadier, told
            steadier = BACK
        return effect, told


class Moment(NamedTuple):
    """Where an engagement stands: the step, and the hits of the attacker's and the defender's unit.

    Steps: 0 the melee, 1 the contact, 2 and more a round of shooting (the last one first); -1 and -2: the attacker's,
    the defender's unit strikes back after a charge.
    """

    step: int
    hits: tuple[int, int]


MELEE, CONTACT = 0, 1


@dataclass(frozen=True)
class Engagement:
    """A card of the attacker against one of the defender; `fights(hits, hits)` is fought from the approach."""

    units: tuple[Unit, Unit]
    attacks: Attacks = Attacks()
    missile_rounds: int = 1
    charges: bool = True
    edges: tuple[int, int] = (0, 0)
    cover: int = 0
    known: dict[Moment, np.ndarray] = field(default_factory=dict, repr=False, compare=False)

    def _attack(self, side: int, values: tuple[int, ...], hits: tuple[int, int]) -> Attack:
        return Attack(
            values[hits[side]], self.units[1 - side].defence, self.cover if side == 0 else 0, self.edges[side]
        )

    def _able(self, side: int, values: tuple[int, ...], hits: tuple[int, int]) -> bool:
        return bool(values) and values[hits[side]] > 0

    def next_attacks(self, now: Moment) -> tuple[str, tuple[Attack | None, Attack | None]]:
        """What is done at this moment, and the attacks of both sides; two are simultaneous (section 3.3)."""
        step, hits = now
        own, enemy = self.units
        if step > CONTACT:
            shots = [self._attack(s, u.missile, hits) if self._able(s, u.missile, hits) else None
                     for s, u in enumerate(self.units)]  # fmt: skip
            return "shooting", (shots[0], shots[1])
        melee = self._attack(0, own.melee, hits), self._attack(1, enemy.melee, hits)
        if step == CONTACT:
            charging = [self._charges(side, hits) for side in (0, 1)]
            if any(charging):
                rush = [self._attack(s, u.charge, hits) if charging[s] else None for s, u in enumerate(self.units)]
                return "charge", (rush[0], rush[1])
        elif step == -1:
            return "striking back", (melee[0], None)
        elif step == -2:
            return "striking back", (None, melee[1])
        return "melee", melee

    def _charges(self, side: int, hits: tuple[int, int]) -> bool:
        able = self.charges and self._able(side, self.units[side].charge, hits)
        return able and self.units[1 - side].kind != "pikemen"

    def follow(self, now: Moment, effects: tuple[int, int]) -> Moment | tuple[int, int]:
        """What follows when the attacker's and the defender's unit suffer these effects: a moment, or both ends."""
        ends = tuple(
            self._end(unit, hits, effect) for unit, hits, effect in zip(self.units, now.hits, effects, strict=True)
        )
        if max(ends) >= FALLEN_BACK:
            return ends[0], ends[1]
        step = now.step - 1 if now.step > CONTACT else MELEE
        if now.step == CONTACT:
            charging = self._charges(0, now.hits), self._charges(1, now.hits)
            if charging in {(True, False), (False, True)}:
                step = -2 if charging[0] else -1
        return Moment(step, (ends[0], ends[1]))

    def _end(self, unit: Unit, hits: int, effect: int) -> int:
        if effect == HIT:
            return hits + 1 if hits < unit.hits else GONE
        return {NONE: hits, BACK: FALLEN_BACK + hits, ROUT: ROUTED, DESTROYED: GONE}[effect]

    def opening(self, hits: tuple[int, int]) -> Moment:
        """How an engagement begins."""
        return Moment(CONTACT + self.missile_rounds, hits)

    def effects_of(self, side: int, attack: Attack | None) -> Mapping[int, float]:
        """Chances of the effects on this side's unit."""
        if attack is None:
            return {NONE: 1.0}
        return self._chances(attack.column, self.units[side].morale)

    def _chances(self, column: int, morale: int) -> Mapping[int, float]:
        key = (column, morale)
        if key not in self._made:
            weights = self.attacks.weights(column, morale)
            total = sum(weights.values())
            self._made[key] = {effect: ways / total for effect, ways in weights.items()}
        return self._made[key]

    @cached_property
    def _made(self) -> dict[tuple[int, int], Mapping[int, float]]:
        return {}

    def chances(self, now: Moment) -> np.ndarray:
        """Chances of both ends, (ENDS, ENDS), from this moment on; a round without effect is summed in closed form."""
        if now not in self.known:
            found, again = np.zeros((ENDS, ENDS)), 0.0
            by_attacker, by_defender = self.next_attacks(now)[1]
            for mine, p in self.effects_of(0, by_defender).items():
                for theirs, q in self.effects_of(1, by_attacker).items():
                    then = self.follow(now, (mine, theirs))
                    if not isinstance(then, Moment):
                        found[then] += p * q
                    elif then == now:
                        again += p * q
                    else:
                        found += p * q * self.chances(then)
            self.known[now] = found / (1.0 - again)
        return self.known[now]

    def table(self, hits: tuple[int, int]) -> np.ndarray:
        """Chances of both ends of an engagement that begins so, (ENDS, ENDS)."""
        return self.chances(self.opening(hits))

    def thrown(self, hits: tuple[int, int], roll: Roll) -> tuple[tuple[int, int], list[Any]]:
        """Fight with dice from `roll(sides)`: both ends, and (what is done, side, attack, how it came about) of each.

        The attacker's dice fall first.
        """
        now: Any = self.opening(hits)
        told: list[Any] = []
        while isinstance(now, Moment):
            done, attacks = self.next_attacks(now)
            effects = [NONE, NONE]
            for side, attack in enumerate(attacks):
                if attack is not None:
                    target = self.units[1 - side]
                    effects[1 - side], words = self.attacks.thrown(attack.column, target.morale, roll)
                    told.append((done, side, attack, words))
            now = self.follow(now, (effects[0], effects[1]))
        return now, told


assert MOST_HITS < FALLEN_BACK
