"""A roll of a battle whose states are hits by block, in words."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from simulator.engine.model.binomial import HALF
from simulator.rules.custom.dice.die import Hit
from simulator.rules.custom.game_file.format import SIDES
from simulator.rules.custom.hits.classes import tally_of
from simulator.rules.custom.hits.layout import ENTRY, FACE, HIT, LAST_HIT, PAIRS, SIDE
from simulator.rules.custom.hits.rules import rolled
from simulator.rules.custom.masks import bits
from simulator.rules.toolkit.naming import listed, plural


def roll_text(field: Any, before: Any, result: tuple[int, int]) -> str:
    """Dice of one kind and those of them that fall into a class, counted; or a die that is compared."""
    p, salvo, setup = field.params, field.params.salvo[before.salvo], field.setup
    compared = salvo[PAIRS] > 0
    side = SIDES[before.entry - salvo[ENTRY] if compared else int(salvo[SIDE])]
    number = rolled(p, before, result[0] * HALF + result[1])
    if not compared and setup.low_luck:
        sure = plural(int(tally_of(p, before, before.hit)), "hit")
        return f"low luck  {side}: {sure} and one more with chance {Fraction(before.chance, before.rest)}: {number}"
    step = setup.step(sorted(setup.sides[side].shots)[p.entry[before.entry]]).name
    if compared:
        return f"{step}  {side}: {number + 1} on a die of {before.rest} sides"
    aim: Hit = field.faces[p.hits[before.hit, FACE]]
    there = setup.sides[setup.sides[side].enemy].present & aim.units
    units = listed([setup.names[unit] for unit in bits(there)], "or") or "nobody there"
    on = f" on {units}" if salvo[LAST_HIT] - salvo[HIT] > 1 else ""
    hits = f"{plural(number, 'hit')}{f' of {aim.damage} damage' if aim.damage > 1 else ''}{on}"
    chance = Fraction(before.chance, before.rest)
    return f"{step}  {side}: {plural(before.dice, 'die', 'dice')} of chance {chance} -> {hits}"
