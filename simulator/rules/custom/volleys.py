"""Who rolls what at which value in a step (docs/rules/custom_games.md sections 2.8, 2.9, 4 and 5)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from simulator.rules.custom.setup import Help, Shot, SideSetup, bits


class Standing(NamedTuple):
    """Units of a side that stand there: by number, as a mask, and the mask of those that fight."""

    counts: Sequence[int]
    mask: int
    fighting: int

    def number(self, mask: int) -> int:
        """How many units of a mask stand there."""
        return sum(self.counts[u] for u in bits(mask & self.mask))


class Volley(NamedTuple):
    """Equal dice of one step: `units` of `unit` roll `dice` in all, at `value`; `helps` tells what changed them."""

    unit: int
    units: int
    dice: int
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
    for unit in bits(shot.by & own.mask):
        standing = own.counts[unit]
        changed = [rule for rule in modifiers if rule.units >> unit & 1]
        cuts = sorted({0, standing, *(raised.get(unit, 0) for _, raised in supported)})
        for low, high in pairwise(cuts):
            raising = [rule for rule, raised in supported if raised.get(unit, 0) >= high]
            found.append(volley_of(side, shot, unit, high - low, raising, changed))
    found = [volley for volley in found if volley.dice > 0]
    limit = own.number(shot.limit_own) if shot.limit_own is not None else None
    if shot.limit_enemy is not None:
        limit = enemy.number(shot.limit_enemy)
    return found if limit is None else _best(found, limit)


def _holds(rule: Help, shot: Shot, number: int, own: Standing, enemy: Standing) -> bool:
    return rule.applies(shot) and rule.in_round(number) and rule.stands(own.mask, enemy.mask)


def _supported(side: SideSetup, rule: Help, shot: Shot, own: Standing) -> dict[int, int]:
    """How many of each unit a support raises: the first ones that have the roll (2.8)."""
    left = rule.given.each * own.number(rule.by)
    found = {}
    for unit in bits(rule.units & own.mask):
        if left and side.setup.roll_of(unit, shot.roll):
            found[unit] = min(left, own.counts[unit])
            left -= found[unit]
    return found


def volley_of(
    side: SideSetup, shot: Shot, unit: int, units: int, raising: Sequence[Help], changed: Sequence[Help]
) -> Volley:
    """The dice of units that have the same supports: section 4, and step 3 of section 5."""
    setup = side.setup
    roll = setup.roll_of(unit, shot.roll)
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
    return Volley(unit, units, each * units, value, reroll, setup.chance(value, reroll), (*raising, *changed))


def _best(found: list[Volley], limit: int) -> list[Volley]:
    """No more dice than the limit, those with the highest chance."""
    kept = []
    for volley in sorted(found, key=lambda volley: -volley.chance):
        dice = min(volley.dice, limit)
        limit -= dice
        if dice:
            kept.append(volley._replace(dice=dice))
    return kept
