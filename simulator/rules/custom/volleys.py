"""The dice of each unit and their values in a step (docs/rules/custom_games.md sections 2.8, 2.9, 4 and 5).

Numbers of pieces are arrays, int64 of shape (places,): the dice of all places of a side are found together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.custom.setup import Help, Shot, SideSetup, bits, chance_at, roll_of


class Standing(NamedTuple):
    """Units of a side that stand in some places, which no presence key (2.7) tells apart.

    `counts`: int64, shape (places, units); `mask`: the units of the first place, `fighting`: those of them that fight.
    """

    counts: np.ndarray
    mask: int
    fighting: int

    def number(self, mask: int) -> np.ndarray:
        """The number of standing units of a mask: int64, shape (places,)."""
        return np.asarray(self.counts[:, list(bits(mask))].sum(axis=1))


class Volley(NamedTuple):
    """Equal dice of one step: `units` of `unit` roll `dice` in all, at `value`; `helps` changed them.

    `units` and `dice` are numbers, or int64 arrays of shape (places,).
    """

    unit: int
    units: Any
    dice: Any
    value: int
    reroll: str | frozenset[int]
    chance: int
    helps: tuple[Help, ...]


def fires(shot: Shot, number: int, own: Standing, enemy: Standing) -> bool:
    """Does the side fire this step (section 5, step 1)?"""
    return bool(enemy.fighting & shot.targets) and shot.in_round(number) and shot.stands(own.mask, enemy.mask)


def fired(side: SideSetup, group: Sequence[int], number: int, own: Standing, enemy: Standing) -> list[Shot]:
    """The steps of a group that units of the side fire in round `number`."""
    shots = [side.shots[i] for i in group if i in side.shots]
    return [shot for shot in shots if side.able(shot) and fires(shot, number, own, enemy)]


def volleys(side: SideSetup, shot: Shot, number: int, own: Standing, enemy: Standing) -> list[Volley]:
    """The dice of a step that is fired in round `number` (section 5, steps 2 to 4)."""
    helpers = [rule for rule in side.supports if _holds(rule, shot, number, own, enemy)]
    supported = [(rule, _supported(side, rule, shot, own)) for rule in helpers]
    modifiers = [rule for rule in side.modifiers if _holds(rule, shot, number, own, enemy)]
    found = []
    for unit in bits(shot.by & side.present):
        changed = [rule for rule in modifiers if rule.units >> unit & 1]
        raised = [(rule, numbers[unit]) for rule, numbers in supported if unit in numbers]
        for raising, pieces in _alike(own.counts[:, unit], raised):
            found.append(volley_of(side, shot, unit, pieces, raising, changed))
    found = [volley for volley in found if volley.dice.any()]
    limit = own.number(shot.limit_own) if shot.limit_own is not None else None
    if shot.limit_enemy is not None:
        limit = enemy.number(shot.limit_enemy)
    return found if limit is None else _best(found, limit)


def volleys_at(side: SideSetup, shot: Shot, number: int, own: Standing, enemy: Standing) -> list[Volley]:
    """As `volleys`, for one own place: numbers in place of arrays."""
    found = volleys(side, shot, number, own, enemy)
    return [volley._replace(units=int(volley.units[0]), dice=int(volley.dice[0])) for volley in found]


def _holds(rule: Help, shot: Shot, number: int, own: Standing, enemy: Standing) -> bool:
    return rule.applies(shot) and rule.in_round(number) and rule.stands(own.mask, enemy.mask)


def _supported(side: SideSetup, rule: Help, shot: Shot, own: Standing) -> dict[int, np.ndarray]:
    """The number of each unit that a support raises: the first ones that have the roll (2.8)."""
    left = rule.given.each * own.number(rule.by)
    found = {}
    for unit in bits(rule.units & side.present):
        if roll_of(side.setup.file, unit, shot.roll):
            found[unit] = np.minimum(left, own.counts[:, unit])
            left = left - found[unit]
    return found


def _alike(standing: np.ndarray, raised: list[tuple[Help, np.ndarray]]) -> Iterator[tuple[list[Help], np.ndarray]]:
    """The pieces of a unit by the supports that raise them, how many in each place; the first pieces first."""
    if not raised:
        yield [], standing
        return
    ends = np.array([number for _, number in raised])
    for low, high in pairwise(np.sort(np.vstack([0 * standing, ends, standing]), axis=0)):
        holds = (ends >= high).T
        for pattern in dict.fromkeys(map(tuple, holds[high > low].tolist())):
            rules = [rule for (rule, _), held in zip(raised, pattern, strict=True) if held]
            yield rules, (high - low) * (holds == pattern).all(axis=1)


def volley_of(
    side: SideSetup, shot: Shot, unit: int, units: Any, raising: Sequence[Help], changed: Sequence[Help]
) -> Volley:
    """The dice of units that have the same supports: section 4, and step 3 of section 5."""
    setup = side.setup
    roll = roll_of(setup.file, unit, shot.roll)
    assert roll is not None
    at_most = setup.file.dice.hit == "at-most"
    value = roll.value
    for rule in raising:
        if rule.given.sets is not None:
            value = max(value, rule.given.sets) if at_most else min(value, rule.given.sets)
    added = sum(rule.given.adds or 0 for rule in (*raising, *changed))
    value += added if at_most else -added
    reroll = roll.reroll
    for rule in changed:
        given = rule.given.reroll
        if given == "misses" or reroll == "misses":
            reroll = "misses"
        elif given != "none":
            assert isinstance(reroll, frozenset)
            reroll |= frozenset(given)
    each = max(0, roll.dice + sum(rule.given.dice for rule in changed))
    return Volley(unit, units, each * units, value, reroll, chance_at(setup.file, value, reroll), (*raising, *changed))


def _best(found: list[Volley], limit: np.ndarray) -> list[Volley]:
    """No more dice than the limit, those with the highest chance."""
    kept = []
    for volley in sorted(found, key=lambda volley: -volley.chance):
        dice = np.minimum(volley.dice, limit)
        limit = limit - dice
        if dice.any():
            kept.append(volley._replace(dice=dice))
    return kept
