"""A roll of a large battle in words."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np

from simulator.rules.custom.format import SIDES
from simulator.rules.custom.large import LargeField, words_of
from simulator.rules.custom.large_dice import LAST_ENTRY, SIDE, LargeState
from simulator.rules.custom.large_hits import hits_drawn
from simulator.rules.custom.large_rules import HALF
from simulator.rules.custom.text import ending_told, losses_told
from simulator.rules.toolkit.naming import plural


class Teller:
    """Tells a roll of a replay: the dice that hit alike, counted."""

    def __init__(self, field: LargeField) -> None:
        self.field = field

    def __call__(self, before: LargeState, result: tuple[int, int], after: LargeState, dice: random.Random) -> str:
        """One line."""
        field, p = self.field, self.field.params
        side = SIDES[int(p.turns[before.turn, SIDE])]
        hits = hits_drawn(before.dice, before.chance, p.whole, result[0] * HALF + result[1])
        when = "Before the battle" if before.salvo < p.opening else f"Round {before.clock + before.rounds + 1}"
        chance = Fraction(before.chance, p.whole)
        if before.entry < p.turns[before.turn, LAST_ENTRY]:
            shots = field.setup.sides[side].shots
            step = field.setup.file.step[sorted(shots)[p.entry[before.entry]]].name
            rolled = f"{plural(before.dice, 'die', 'dice')} of chance {chance}, {plural(hits, 'hit')}"
        else:
            step, rolled = "low luck", f"{plural(before.hits, 'hit')} and one more with chance {chance}: {hits}"
        text = f"{when}, {step}: {side}: {rolled}."
        return text + self._followed(before, after)

    def _followed(self, before: LargeState, after: LargeState) -> str:
        both = {side: zip(words_of(before, side), words_of(after, side), strict=True) for side in SIDES}
        places = {side: self.field.lines[side].seen([np.array(pair) for pair in both[side]]) for side in SIDES}
        gone = [side for side in SIDES if not places[side].units[1]]
        return losses_told({side: (places[side], 0, 1) for side in SIDES}) + ending_told(after.ending, gone)
