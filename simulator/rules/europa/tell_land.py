"""A land battle told roll by roll, with dice that give its results."""

from __future__ import annotations

import random
from typing import Any

from simulator.rules.europa import land
from simulator.rules.europa import leaders as fates
from simulator.rules.europa.land_modifiers import is_interception
from simulator.rules.europa.land_setup import (
    EVADES_AT,
    FACES,
    PHASES,
    PURSUIT_COLUMN,
    LandSetup,
    Roll,
    read,
)
from simulator.rules.europa.meeting import meeting
from simulator.rules.europa.stacks import SIDES

NAMES = {land.FIRE_1: "Day 1 Fire", land.SHOCK_1: "Day 1 Shock", land.FIRE_2: "Day 2 Fire", land.SHOCK_2: "Day 2 Shock"}
WINNERS = ("the attacker wins", "the defender wins", "nobody wins")
_last: list[Any] = []


def setup_of(fields: Any) -> LandSetup:
    """The setup of the battle that is being told; kept from line to line."""
    if not _last or _last[0] is not fields:
        _last[:] = [fields, LandSetup(meeting(fields))]
    return _last[1]  # type: ignore[no-any-return]


def tell_land(fields: Any, before: Any, result: int, after: Any, dice: random.Random) -> str:
    """One line for one step of a land battle."""
    setup = setup_of(fields)
    if before.stage in NAMES:
        line = _roll_line(setup, before, result, dice)
    elif before.stage == land.PURSUIT:
        line = _pursuit_line(setup, before, result, dice)
    elif before.stage in {land.FIRST_BREAK, land.SECOND_BREAK}:
        line = _break_line(setup, before, result, dice)
    elif before.stage == land.EVADE:
        enemy, own = (stack.leader.manoeuvre for stack in setup.meeting.stacks)
        bonus = max(0, own - enemy)
        die = dice.choice([face for face in FACES if (face + bonus >= EVADES_AT) == bool(result)])
        line = f"Evasion: {die} + {bonus}: the defender {'evades' if result else 'has to fight'}."
    elif before.stage == land.DRAW:
        line = _draw_line(setup, result)
    elif before.stage == land.RETREAT:
        line = _retreat_line(before, after, result)
    else:
        codes = result % fates.FATES, result // fates.FATES
        line = (
            "Leaders: "
            + ", ".join(f"{side} {fates.fate_told(code)}" for side, code in zip(SIDES, codes, strict=True))
            + "."
        )
    return line + _verdict(before, after)


def _verdict(before: Any, after: Any) -> str:
    """Says who has won once the fighting ends."""
    if before.ended == land.UNENDED and after.ended != land.UNENDED:
        return f" The fighting ends: {WINNERS[after.winner]}."
    return ""


def _draw_line(setup: LandSetup, result: int) -> str:
    pair = setup.class_pairs[result & land.CLASS_MASK]
    parts = []
    for side, modifier in enumerate(setup.meeting.leader_modifiers(pair)):
        parts.append(f"{SIDES[side]} leader +{modifier.fire} Fire, +{modifier.shock} Shock")
        odd, even = setup.small_stack(side)
        if odd != even:
            spared = result & (land.SPARE_D if side else land.SPARE_A)
            parts.append(f"{SIDES[side]} 7-LD die {'even: not small' if spared else 'odd: small'}")
    return "Before the battle: " + "; ".join(parts) + "."


def _roll_line(setup: LandSetup, before: Any, result: int, dice: random.Random) -> str:
    pair = setup.class_pairs[before.leaders]
    phase = PHASES[before.stage - land.FIRE_1]
    boosts = bool(before.failed & 2), bool(before.failed & 1)
    rolls = [setup.roll(side, phase, pair, boosts[side]) for side in (0, 1)]
    part = setup.parts()[before.part]
    return f"{NAMES[before.stage]}: " + _dice_text(setup, part, rolls, result, dice)


def _pursuit_line(setup: LandSetup, before: Any, result: int, dice: random.Random) -> str:
    when = {land.DAY_1: 2, land.DAY_1_FIRE: 3, land.DAY_2: 0, land.DAY_2_FIRE: 1}[before.ended]
    drm = setup.meeting.pursuit_drm(before.winner, setup.class_pairs[before.leaders]) + when
    roll = Roll(PURSUIT_COLUMN, drm)
    part = setup.pursuit_parts(before.winner)[before.part]
    return "Pursuit: " + _dice_text(setup, part, [roll, roll], result, dice)


def _dice_text(setup: LandSetup, part: Any, rolls: list[Roll], result: int, dice: random.Random) -> str:
    kind, sides, count = part
    if kind != land.MAIN:
        return f"{SIDES[sides[0]]}'s {count} further dice: {result} thirds."
    texts = []
    for side in sides:
        code = result >> land.SIDE_BITS if side else result & (1 << land.SIDE_BITS) - 1
        thirds, stars = code & land.LOSS_MASK, code >> land.LOSS_BITS
        if not rolls[side].column:
            texts.append(f"{SIDES[side]} does not fire")
            continue
        fits = [face for face in FACES if read(setup.meeting, rolls[side], face) == (thirds, stars)]
        die = dice.choice(fits)
        texts.append(
            f"{SIDES[side]} {die} ({rolls[side].drm:+d}, column {rolls[side].column}): {thirds} thirds, {stars} stars"
        )
    return "; ".join(texts) + "."


def _break_line(setup: LandSetup, before: Any, result: int, dice: random.Random) -> str:
    first = 0 if is_interception(setup.meeting.fields) else 1
    side = first if before.stage == land.FIRST_BREAK else 1 - first
    success, man = result & 1, setup.class_pairs[result >> 1].manoeuvre[side]
    left = setup.meeting.stacks[side].morale - (before.stars_a if side else before.stars_d)
    die = dice.choice([face for face in FACES if (face <= man + left) == bool(success)])
    ends = "gets away" if success else "fails: the enemy has +1/+1 on day 2"
    needed = f"{man + left} or less (manoeuvre {man}, morale {left})"
    return f"Break-off: the {SIDES[side]} needs {needed}, rolls {die} and {ends}."


def _retreat_line(before: Any, after: Any, result: int) -> str:
    added = result & 3, result >> 2
    told = [f"{SIDES[side]} +{added[side]} thirds" for side in (0, 1) if before.winner != side]
    losses = f"losses: attacker {after.caused_d}, defender {after.caused_a} thirds"
    return f"Retreat: {', '.join(told)}; {losses}."
