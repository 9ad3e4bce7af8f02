"""Kinds of dice of large line-ups: dice of one kind fall into the same hit classes with the same chances."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from simulator.rules.battle import Refusal
from simulator.rules.custom.dice.die import Hit, chance_at, chances_of, classes_of, hit_class
from simulator.rules.custom.dice.volleys import Volley
from simulator.rules.custom.game_file.checks import largest_die
from simulator.rules.custom.game_file.format import Die
from simulator.rules.custom.game_file.units import die_named
from simulator.rules.custom.hits.layout import BONUS, CHANCE, DIE_SIDES, FACES, MEAN
from simulator.rules.custom.setup import Again, Rolled, Setup, Shot, SideSetup

# Entries of the table of kinds of a die, by its value and the faces rolled again.
MOST_KINDS = 1 << 20
NO_UNIT = -1
# The largest bonus of a roll.
MOST_BONUS = 20


class Kind(NamedTuple):
    """Dice that are alike; `order` is larger for better ones.

    `hits`: the chance of each hit class. Dice that are compared have none, but sides and a bonus.
    """

    order: tuple[int, ...]
    hits: tuple[tuple[Hit, int], ...]
    sides: int = 0
    bonus: int = 0


NOTHING = Kind((0,), ())


class Thrown(NamedTuple):
    """A roll of a side in a step, without its value and rerolls. `unit` distinguishes dice that hit equally often."""

    enemy: str
    targets: int
    roll: Rolled
    unit: int


class Kinds:
    """The kinds of dice of a battle, in the order in which they are found; `ranks` puts them in order."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._known: dict[Kind, int] = {NOTHING: 0}
        self._rerolls: dict[Again, int] = {}
        self._rows: dict[Thrown, int] = {}
        sides = setup.sides.values()
        self._shields = max(piece.shield for side in sides for piece in side.pieces)
        beyond = max(
            self._shields, *(sum(abs(rule.given.adds or 0) for rule in side.helps) + MOST_BONUS for side in sides)
        )
        reach = beyond if any(setup.compared(group) for group in range(len(setup.groups))) else self._shields
        # The values that dice may come to roll at; better and worse ones are alike.
        self.values = range(-reach, largest_die(setup.file) + 2 + reach)

    def bit(self, reroll: Again) -> int:
        """The bit of misses, or of some faces; 0 for none."""
        return 1 << self._rerolls.setdefault(reroll, len(self._rerolls)) if reroll else 0

    def row(self, side: SideSetup, shot: Shot, unit: int, roll: Rolled) -> int:
        """The row of `table` for a roll in a step."""
        thrown = self._thrown_by(side, shot, unit, roll)
        return self._rows.setdefault(thrown, len(self._rows))

    def of(self, volley: Volley) -> int:
        """The number of the kind of these dice."""
        thrown = self._thrown_by(volley.side, volley.shot, volley.unit, volley.roll)
        return self._number(thrown, volley.roll, volley.hits)

    def _thrown_by(self, side: SideSetup, shot: Shot, unit: int, roll: Rolled) -> Thrown:
        plain = not roll.compared and classes_of(side, shot) <= {Hit(shot.targets)}
        limited = shot.limit_own is not None or shot.limit_enemy is not None
        apart = unit if roll.compared or (limited and not plain) else NO_UNIT
        return Thrown(side.enemy, shot.targets, roll._replace(value=0, dice=1, reroll=frozenset()), apart)

    def _number(self, thrown: Thrown, roll: Rolled, hits: tuple[tuple[Hit, int], ...]) -> int:
        kind = NOTHING
        if roll.compared:
            sides = die_named(self.setup.file, roll.die).sides or 0
            kind = Kind((1, roll.value, -thrown.unit), (), sides, roll.value)
        elif hits:
            chance, damage = sum(n for _, n in hits), sum(n * hit.damage for hit, n in hits)
            kind = Kind((chance, damage, -thrown.unit), hits)
        return self._known.setdefault(kind, len(self._known))

    def _at(self, thrown: Thrown, value: int, again: Again) -> int:
        """The kind of a die of a roll at this value."""
        roll, file = thrown.roll._replace(value=value, reroll=again), self.setup.file
        if roll.compared:
            return self._number(thrown, roll, ())
        if self._shields or isinstance(die_named(file, roll.die), Die):
            return self._number(thrown, roll, chances_of(file, thrown.enemy, roll, thrown.targets))
        chance = chance_at(file, roll)
        hit = hit_class(thrown.targets, roll.damage, roll.split)
        return self._number(thrown, roll, ((hit, chance),) if chance else ())

    def table(self) -> np.ndarray:
        """The kinds of dice by row, rerolls and value: int64 of shape (rows, combinations, values).

        Raises Refusal for too many combinations of rerolls.
        """
        most, number = (MOST_KINDS // len(self.values)).bit_length() - 1, len(self._rerolls)
        if number > most:
            text = f"{number} different rerolls are too many for line-ups of this size; at most {most}"
            raise Refusal("rules", text)
        found = []
        for thrown, combination in product(self._rows, range(1 << number)):
            chosen = [reroll for reroll, k in self._rerolls.items() if combination >> k & 1]
            faces: frozenset[int | str] = frozenset().union(*(r for r in chosen if not isinstance(r, str)))
            again: Again = "misses" if "misses" in chosen else faces
            found += [self._at(thrown, value, again) for value in self.values]
        return np.array(found, np.int64).reshape(len(self._rows), 1 << number, len(self.values))

    def ranks(self) -> np.ndarray:
        """The rank of each kind among all, 0 for dice that hit nothing: int64 of shape (kinds,)."""
        found = np.zeros(len(self._known), np.int64)
        found[[self._known[kind] for kind in sorted(self._known)]] = np.arange(len(self._known))
        return found

    def rows(self, faces: Sequence[Hit]) -> np.ndarray:
        """The kinds by rank, as in `HitsParams.kinds`: int64 of shape (kinds, FACES + faces)."""
        found = np.zeros((len(self._known), FACES + len(faces)), np.int64)
        least = min((kind.bonus for kind in self._known if kind.sides), default=0)
        for row, kind in zip(found, sorted(self._known), strict=True):
            if kind.sides:
                row[[DIE_SIDES, BONUS]] = kind.sides, kind.bonus - least + 1
                continue
            row[[CHANCE, MEAN]] = kind.order[0], sum(n * hit.damage for hit, n in kind.hits)
            for hit, chance in kind.hits:
                if hit in faces:
                    row[FACES + faces.index(hit)] = chance
        return found
