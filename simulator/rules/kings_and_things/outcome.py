"""Final states as the columns of an answer (docs/rules/kings_and_things.md sections 3.4, 6, 7)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Columns, Piece, States
from simulator.rules.kings_and_things.catalogue import Catalogue
from simulator.rules.kings_and_things.forces import Forces, unexplored
from simulator.rules.kings_and_things.model import FORTS, Exploration
from simulator.rules.kings_and_things.rules import ATTACKING, DEFENDING, STALEMATE
from simulator.rules.kings_and_things.sides import SIDES, Role


class Reader:
    """Reads final states of one battle: what each side's last condition means."""

    def __init__(self, forces: Forces) -> None:
        self.forces = forces
        self.sides = range(len(forces.bands))
        self._people = self._each(lambda one: one.counted(Role.PEOPLE, survived=True))
        self._value = self._each(lambda one: one.value_left)
        self._fled = self._each(lambda one: one.fled)
        self._stands = self._each(lambda one: np.asarray(one.left.any(axis=1)))
        self._fort = self._each(lambda one: one.counted(Role.FORT))
        self._settlement = self._each(lambda one: one.counted(Role.SETTLEMENT))
        self._before = np.array([note.people for note in forces.notes])
        self._printed = np.array([note.printed for note in forces.notes])

    def _each(self, read: Callable[[Catalogue], np.ndarray]) -> np.ndarray:
        return np.concatenate([read(one) for one in self.forces.catalogues])

    def columns(self, states: States) -> Columns:
        """All outputs of a battle."""
        sides = [np.asarray(getattr(states, f"side{i}")) for i in self.sides]
        after, note = np.asarray(states.after), np.asarray(states.note)
        stalemate = after == STALEMATE
        standing = np.array([self._stands[side] for side in sides])
        attacking = [i for i in self.sides if i != DEFENDING]
        attacked = standing[attacking].any(axis=0) & ~stalemate
        eliminated = ~standing.any(axis=0) & ~np.any([self._fled[side] for side in sides], axis=0)
        nobody = stalemate | (eliminated if unexplored(self.forces.scenario) else False)
        found: Columns = {"winner": np.where(nobody, NOBODY, np.where(attacked, ATTACKER, DEFENDER))}
        for i in [*attacking, DEFENDING]:
            found |= self._side(i, sides[i], note)
        found["rounds"] = np.asarray(states.rounds)
        found |= self._hex(sides[DEFENDING], note, np.where(stalemate, 0, after))
        found |= {"both_eliminated": eliminated, "stalemate": stalemate}
        if len(attacking) > 1:
            found |= {f"taken_by_{SIDES[i]}": standing[i] & ~stalemate for i in attacking}
        return found | (self._drawn(note) if isinstance(self.forces.scenario, Exploration) else {})

    def _side(self, i: int, side: np.ndarray, note: np.ndarray) -> Columns:
        left, name = self._people[side], SIDES[i]
        return {
            f"{name}_creatures_left": left,
            f"{name}_losses": self._before[note, i] - left,
            f"{name}_value_left": self._value[side],
            f"{name}_retreated": self._fled[side],
        }

    def _hex(self, side: np.ndarray, note: np.ndarray, after: np.ndarray) -> Columns:
        """Hits on structures, and what is left after the post-battle roll; what does not roll is restored."""
        fort, printed = FORTS.index(self.forces.bands[DEFENDING].fort), self._printed[note]
        income = int(getattr(self.forces.bands[DEFENDING].fields, "income_counter", False))
        return {
            "fort_hits": fort - self._fort[side],
            "settlement_hits": printed - self._settlement[side],
            "fort_level_after": fort - (after & 1),
            "settlement_level_after": np.where(after & 2, 0, printed),
            "income_counter_after": income * np.where(after & 4, 0, 1),
        }

    def _drawn(self, note: np.ndarray) -> Columns:
        notes = self.forces.notes
        return {
            "explored_without_fight": ~np.array([one.fought for one in notes])[note],
            "defenders_drawn": np.array([one.drawn for one in notes])[note],
            "bribe_cost": np.array([one.bribe for one in notes])[note],
        }

    def pieces(self, states: States) -> list[Piece]:
        """Each counter and structure that was there before round 1, but for those that are drawn from a cup.

        A counter survives in the hex or by getting away. Of equal ones the first named is lost first.
        """
        found: list[Piece] = []
        exploring, whose = isinstance(self.forces.scenario, Exploration), list(self.forces.whose)
        for n, (one, i) in enumerate(zip(self.forces.catalogues, whose, strict=True)):
            if exploring and (i != ATTACKING or whose.count(i) > 1):
                continue
            side = np.asarray(getattr(states, f"side{i}")) - int(self.forces.base[n])
            for slot, left in zip(one.army.slots, one.survived[side].T, strict=True):
                name, walls = SIDES[i], bool(slot.role & Role.STRUCTURE)
                labels = slot.labels if walls or slot.number == len(slot.labels) else slot.labels * slot.number
                for lost, label in enumerate(labels):
                    survives = (left > 0) if walls else (left >= slot.number - lost)
                    found.append(Piece(name, label, "structure" if walls else slot.worth, survives.astype(float)))
        return found
