"""A siege told roll by roll, with dice that give its results."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from simulator.rules.europa import leaders as fates
from simulator.rules.europa import siege
from simulator.rules.europa.assault import Assaults, Fallen, Ground, code, command, leaders
from simulator.rules.europa.siege_setup import BOXES, RAISED, SiegeSetup
from simulator.rules.europa.siegecraft import WORKS, siegecraft
from simulator.rules.europa.stacks import SIDES, detachments

MOST_THROWS = 200_000
_last: list[Any] = []


def setup_of(fields: Any) -> SiegeSetup:
    """The setup of the siege that is being told; kept from line to line."""
    if not _last or _last[0] is not fields:
        setup = SiegeSetup(siegecraft(fields))
        _last[:] = [fields, setup, setup.params()]
    return _last[1]  # type: ignore[no-any-return]


def tell_siege(fields: Any, before: Any, result: int, after: Any, dice: random.Random) -> str:
    """One line for one step of a siege."""
    setup = setup_of(fields)
    if before.stage == siege.UNDERMINE:
        return _round(before) + _undermining(before, result, after)
    if before.stage in {siege.ASSAULT, siege.STORM}:
        return _round(before) + _assault(setup, before, result, dice)
    if before.stage in {siege.ATTRITION_FIRST, siege.ATTRITION_LATER}:
        return (
            f"{_round(before)}Siege attrition: the besieger is left with {detachments(result >> 3)}, "
            f"{result & 7} sides of pillage."
        )
    if before.stage == siege.GARRISON_ATTRITION:
        return f"Garrison attrition: {detachments(result)} left inside."
    if before.stage in {siege.CONTINUE, siege.START}:
        box = BOXES[result >> 1]
        return f"Round track: {box}{', bad weather' if result & 1 else ''}."
    told = ", ".join(
        f"{side} {fates.fate_told(fate)}" for side, fate in zip(SIDES, (result % 8, result // 8), strict=True)
    )
    return f"Leaders: {told}."


def _round(state: Any) -> str:
    return f"Round {state.rounds}, "


def _undermining(before: Any, die: int, after: Any) -> str:
    p = _last[2]
    value = siege.effect(p, before, die)
    supply = die + p.supply[before.garrison, before.first] - RAISED
    if after.how == siege.BY_SURRENDER:
        what = "the fortress surrenders"
    elif after.how == siege.BY_WAR_HONOURS:
        what = "it falls with war honours"
    elif value >= siege.BREACH:
        what = "a breach"
    elif after.works != before.works or value >= siege.SIEGEWORKS_MINUS:
        minus, plus = WORKS[after.works]
        what = f"siegeworks: {minus} - and {plus} +"
    else:
        what = "nothing"
    hunger = f"; supply {supply} < {p.distance}: attrition follows" if supply < p.distance else ""
    return f"undermining: {die} ({value - die:+d}) = {value}: {what}{hunger}."


def _assault(setup: SiegeSetup, before: Any, result: int, dice: random.Random) -> str:
    breach = int(before.stage == siege.STORM)
    ground = Ground(before.camp, before.garrison, breach, before.counter)
    throw, rolled, end = _dice_for(setup, ground, result, dice)
    fire, enemy_fire, shock, enemy_shock = throw
    held = "the fortress falls" if end.fell else "the fortress holds"
    counter = ", ASSAULT counter" if end.counter else ""
    return (
        f"{'storm of the breach' if breach else 'assault'}: Fire {fire} against {enemy_fire}, Shock "
        f"{'-' if rolled[0] else shock} against {'-' if rolled[1] else enemy_shock}: the besieger causes "
        f"{int(end.caused)} thirds and loses {int(end.suffered)}; {held}{counter}."
    )


def _dice_for(setup: SiegeSetup, ground: Ground, result: int, dice: random.Random) -> tuple[Any, Any, Fallen]:
    """Dice that give this result: thrown until they do, so that each such throw is as likely as it should be."""
    assaults, cap = Assaults(setup.craft), setup.fields.options.leader_differential_cap
    sides = [list(leaders(stack).elements()) for stack in (setup.craft.besieger, setup.craft.besieged)]
    rng = np.random.default_rng(dice.getrandbits(63))
    for _ in range(MOST_THROWS // 1000):
        who = command(dice.choice(sides[0]), dice.choice(sides[1]), cap)
        throws = rng.integers(1, 11, (4, 1000))
        rolled = assaults.roll(ground, who, throws)
        ends = assaults.outcome(ground, rolled)
        codes = code(ends, who.fragile[0] + 2 * who.fragile[1])
        fits = np.flatnonzero(codes == result)
        if len(fits):
            throw = throws[:, fits[0]]
            one = assaults.roll(ground, who, throw)
            return throw, _unrolled(assaults, ground, who, throw), assaults.outcome(ground, one)
    rest = Fallen(result & 31, result >> 5 & 31, result >> 10 & 1, result >> 11 & 1, 0, ground.camp - (result & 31))
    return ("?", "?", "?", "?"), (False, False), rest


def _unrolled(assaults: Assaults, ground: Ground, who: Any, throw: Any) -> tuple[bool, bool]:
    """Was either side (besieger, besieged) routed by the Fire, and so rolled no Shock?"""
    (own, _), (enemy, _) = assaults.drms(ground, who)
    stars = assaults.read(1, True, ground.breach, throw[0] + own)[1]
    enemy_stars = assaults.read(0, True, ground.breach, throw[1] + enemy)[1]
    craft = assaults.craft
    return bool(enemy_stars >= craft.besieger.morale), bool(stars >= craft.besieged.morale)
