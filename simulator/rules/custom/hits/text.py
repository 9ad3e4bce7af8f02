"""A roll of a battle whose states are hits by block, in words."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from simulator.engine.model.binomial import HALF, binomial_drawn
from simulator.rules.custom.game_file.format import SIDES
from simulator.rules.custom.hits.dice import LAST_ENTRY, SIDE
from simulator.rules.custom.text import Teller
from simulator.rules.toolkit.naming import plural


class HitsTeller(Teller):
    """Tells a roll of a battle whose states are hits by block: the dice that hit alike, counted."""

    def _rolls(self, before: Any, result: tuple[int, int], dice: random.Random) -> str:
        p = self.field.params
        side = SIDES[int(p.salvo[before.salvo, SIDE])]
        hits = binomial_drawn(before.dice, before.chance, p.whole, result[0] * HALF + result[1])
        chance = Fraction(before.chance, p.whole)
        if before.entry == p.salvo[before.salvo, LAST_ENTRY]:
            scored = plural(before.hits, "hit")
            return f"low luck: {side}: {scored} and one more with chance {chance}: {hits}"
        step = self.setup.file.step[sorted(self.setup.sides[side].shots)[p.entry[before.entry]]].name
        return f"{step}: {side}: {plural(before.dice, 'die', 'dice')} of chance {chance}, {plural(hits, 'hit')}"
