"""The salvos of a battle whose states are hits by block: hit classes that are rolled together, and their slots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Refusal
from simulator.rules.custom.dice.die import Hit
from simulator.rules.custom.dice.tables import Slot, most_absorbed, most_dice, runs_of, slots_of, yielded
from simulator.rules.custom.game_file.format import Compare
from simulator.rules.custom.hits.gauges import Gauges
from simulator.rules.custom.hits.layout import BEGINS, ENDS, MOST, STANDING, TALLIES
from simulator.rules.custom.hits.opposed import AGAIN, ATTACKERS, DEFENDERS
from simulator.rules.custom.line import LossLine
from simulator.rules.custom.setup import Setup, SideSetup

# Bits of a word that hold numbers.
WORD_BITS = 62
TIES_BITS = {"nobody": 0, "attacker": ATTACKERS, "defender": DEFENDERS, "both": ATTACKERS | DEFENDERS, "reroll": AGAIN}


class Salvos:
    """The arrays of the salvos in `HitsParams`; the hit classes are added to `faces`."""

    def __init__(self, setup: Setup, lines: Mapping[str, LossLine], gauges: Gauges, faces: list[Hit]) -> None:
        self.setup, self.lines, self.gauges, self.faces = setup, lines, gauges, faces
        self._salvo: list[list[int]] = []
        self._entry: list[int] = []
        self._slot: list[int] = []
        self._leads: list[list[int]] = []
        self._hits: list[tuple[int, ...]] = []
        self._takes: list[list[int]] = []
        self._opening = 0
        for number, group in enumerate(setup.groups):
            first = len(self._salvo)
            compare = setup.compared(number)
            if compare is not None:
                self._compare(group[0], compare)
            else:
                for side in SIDES:
                    self._volleys(side, group)
            if len(self._salvo) > first:
                self._salvo[first][BEGINS] = self._salvo[-1][ENDS] = 1
            if number < setup.opening:
                self._opening = len(self._salvo)

    def arrays(self) -> dict[str, Any]:
        """The parameters by name, arrays of int64."""
        wide = max(map(len, self._leads), default=0)
        leads = [row + [0] * (wide - len(row)) for row in self._leads]
        takes = [np.array(row, np.int64) for row in self._takes]
        return {
            "salvo": np.array(self._salvo, np.int64).reshape(-1, MOST + 2),
            "entry": np.array(self._entry, np.int64),
            "slot": np.array(self._slot, np.int64),
            "leads": np.array(leads, np.int64).reshape(len(leads), wide),
            "hits": np.array(self._hits, np.int64).reshape(-1, STANDING + 1),
            "takes": stacked(takes) if takes else np.zeros((1, 1), np.int64),
            "opening": self._opening,
            "salvos": len(self._salvo),
        }

    def _volleys(self, name: str, group: Sequence[int]) -> None:
        """The hit classes of a side in a group, in runs that are rolled together."""
        side = self.setup.sides[name]
        enemy = self.setup.sides[side.enemy]
        slots = slots_of(side, group)
        for run in runs_of(side, group, slots, most_absorbed(enemy) > 0, twice=True):
            if run:
                self._volley(side, group, [slots[k] for k in run], most_absorbed(enemy))

    def _volley(self, side: SideSetup, group: Sequence[int], slots: Sequence[Slot], absorbed: int) -> None:
        hits = list(dict.fromkeys(slot.hit for slot in slots))
        shots = [i for i in group if i in side.shots and yielded(side, side.shots[i]) & {*hits}]
        first_hit, first_slot, first_entry = len(self._hits), len(self._slot), len(self._entry)
        rows = self._tallies(side, group, hits, absorbed)
        self._hits += rows
        self._takes += [self._taken(side, hit.units) for hit in hits]
        self._slot += [first_hit + hits.index(slot.hit) for slot in slots]
        self._leads += [[_lead(side, slots, slot, i) for i in shots] for slot in slots]
        self._entry += [sorted(side.shots).index(i) for i in shots]
        entries = first_entry, len(self._entry)
        numbers = first_hit, len(self._hits), first_slot, len(self._slot)
        self._salvo.append([SIDES.index(side.side), *entries, 0, 0, *numbers, 0, 0, 0, 0])

    def _tallies(
        self, side: SideSetup, group: Sequence[int], hits: Sequence[Hit], absorbed: int
    ) -> list[tuple[int, ...]]:
        """The rows of `hits`, counted up to the dice, or those that the enemy can take and absorb. Raises Refusal."""
        line = self.lines[side.enemy].stretches
        taken = [absorbed + sum(n for unit, _, _, n, _ in line if hit.units >> unit & 1) for hit in hits]
        most = [min(number, most_dice(side, group, hit)) for number, hit in zip(taken, hits, strict=True)]
        bits = packed(most, TALLIES)
        if bits is None or len(hits) > WORD_BITS // 2:
            raise Refusal(side.side, f"{len(hits)} kinds of hits fall together: too many in these numbers; give fewer")
        self.faces += [hit for hit in hits if hit not in self.faces]
        return [
            (self.faces.index(hit), *tally, cap, hit.damage, int(hit.split), self.gauges.number(hit.units))
            for hit, tally, cap in zip(hits, bits, most, strict=True)
        ]

    def _taken(self, side: SideSetup, targets: int) -> list[int]:
        """The blocks of the enemy that a hit on these units may damage."""
        return [int(block & targets != 0) for block in self.lines[side.enemy].blocks]

    def _compare(self, number: int, compare: Compare) -> None:
        """Dice that are compared; nothing where a side never fires."""
        sides = list(self.setup.sides.values())
        if any(number not in side.shots for side in sides):
            return
        entry, hit = len(self._entry), len(self._hits)
        self._entry += [sorted(side.shots).index(number) for side in sides]
        self._hits += [(0, 0, 0, 0, 0, 1, 0, 0)] * len(sides)
        self._takes += [self._taken(side, side.shots[number].targets) for side in sides]
        most = compare.most.attacker, compare.most.defender
        self._salvo.append(
            [0, entry, entry + 2, 0, 0, hit, hit + 2, 0, 0, compare.pairs, TIES_BITS[compare.ties], *most]
        )


def _lead(side: SideSetup, slots: Sequence[Slot], slot: Slot, shot: int) -> int:
    """Is a class allotted in this slot (1) or in another one of it (-1), if a shot is the first to yield it?"""
    same = [other.first for other in slots if other.hit == slot.hit]
    if len(same) == 1 or slot.hit not in yielded(side, side.shots[shot]):
        return 0
    return 1 if max(first for first in same if first <= shot) == slot.first else -1


def packed(most: Sequence[int], words: int) -> list[tuple[int, int, int]] | None:
    """The word, shift and mask of each number when they are packed into `words` words; None if they do not fit.

    `most` are the largest values of the numbers.
    """
    found, used = [], [0] * words
    for number in most:
        wide = number.bit_length()
        word = next((w for w in range(words) if used[w] + wide <= WORD_BITS), None)
        if word is None:
            return None
        found.append((word, used[word], (1 << wide) - 1))
        used[word] += wide
    return found


def stacked(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """The arrays (int64) along a new first axis, as large as the largest; zeros fill the shorter ones."""
    shape = np.max([array.shape for array in arrays], axis=0)
    found = np.zeros((len(arrays), *np.maximum(shape, 1)), np.int64)
    for row, array in zip(found, arrays, strict=True):
        row[tuple(slice(size) for size in array.shape)] = array
    return found
