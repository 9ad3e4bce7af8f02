"""A land battle as a battle kind: how it ends as columns, and in words (docs/rules/europa_land_siege.md section 3)."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator
from copy import copy
from functools import partial
from typing import Any

import numpy as np

from simulator.engine.api import bytes_kept, exact_outcomes, expect_many
from simulator.engine.model.chain import SIDES, Chain
from simulator.engine.model.kept import Recent
from simulator.rules.battle import NOBODY, Built, Columns
from simulator.rules.europa.land import rules as land
from simulator.rules.europa.land.rules import LandState
from simulator.rules.europa.land.tables import (
    PHASES,
    PURSUIT,
    LandRoll,
    LandSetup,
    bonus_matters,
    evades_by,
)
from simulator.rules.europa.shared.land_model import Land, is_interception, overruns
from simulator.rules.europa.shared.leaders import FACES, FATES, fate_columns
from simulator.rules.europa.shared.modifiers import LAW
from simulator.rules.europa.shared.stacks import LD, chain_of, detachments, is_non_european
from simulator.rules.europa.shared.text import common_assumptions, fates_text
from simulator.rules.toolkit.faces import face_where
from simulator.rules.toolkit.naming import plural, winner_text

MAJOR_GAP, MAJOR_GAP_OF_THE_HUGE = 3 * LD, 4 * LD
DAYS = np.array([0, 1, 1, 2, 2])
NAMES_OF_READINGS = {"seed": "rules of 2016", "book": "rule book"}
ROLLS = ("Day 1 Fire", "Day 1 Shock", "Day 2 Fire", "Day 2 Shock", "Pursuit", "Pursuit")

KEPT_BYTES, BYTES_OF_A_CHAIN = 40_000_000, 200_000
# The key of the last ends of a chain, and of their columns, in its `kept`.
_COLUMNS = "columns"


def _bytes(columns: Columns) -> int:
    return sum(values.nbytes for values in columns.values())


def _bytes_of(chain: Chain) -> int:
    return BYTES_OF_A_CHAIN + bytes_kept(chain) + _bytes(chain.kept.get(_COLUMNS, (None, {}))[1])


# The outcomes of stages that are kept.
_stages: Recent[tuple[Columns, np.ndarray]] = Recent(KEPT_BYTES, lambda found: found[1].nbytes + _bytes(found[0]))
# The chains of the last battles. Two armies beyond the 8 LD that fight are a battle of that size.
_chains: Recent[Chain] = Recent(KEPT_BYTES, _bytes_of)


def build_land(fields: Land) -> Built:
    """Everything that answers a land battle."""
    return built_of(LandSetup(fields))


def built_of(setup: LandSetup) -> Built:
    """Everything that answers a land battle that is set up."""
    known = _chains.get(setup.fought) or _chains.keep(setup.fought, chain_of(setup, land_line))
    # A copy shares `kept`, and has a line of its own for each step.
    chain = copy(known)
    chain.tell = partial(land_line, setup)
    return Built(
        chain=chain,
        outcome=partial(_outcome, setup, chain),
        assumptions=lambda: list(land_assumptions(setup)),
        explain=lambda: list(land_explanation(setup)),
        decisions=partial(land_decisions, setup),
    )


def set_up_stage(fields: Land, tested: str) -> LandSetup:
    """A land battle that is a stage of another: the leader of the side `tested` alone is tested.

    The sides roll one after the other. Measured for Vienna, 1683: 551,765 edges -> 228,364; for Tlaxcala, 1519: 10,900
    ends of a battle -> 1,400.
    """
    return LandSetup(fields, (tested,), together=0)


def land_stage(setup: LandSetup, many: bool = False) -> tuple[Columns, np.ndarray]:
    """As `stage_ends`, of a land battle; battles with equal numbers are one."""
    return stage_ends(setup.numbers, partial(built_of, setup), many)


def stage_ends(key: Hashable, build: Callable[[], Built], many: bool = False) -> tuple[Columns, np.ndarray]:
    """Columns of the ends of a battle that is a stage of another, and their chances: float64, shape (states,).

    They are kept under `key`, the numbers or fields that the battle depends on, such as for those of a sweep. `many`:
    several battles of its kind follow.
    """
    found = _stages.get(key)
    if found is None:
        made = build()
        assert made.chain is not None
        if many:
            expect_many(made.chain)
        ends = exact_outcomes(made.chain)
        found = _stages.keep(key, (made.outcome(ends.states), ends.p))
    return found


def _outcome(setup: LandSetup, chain: Chain, states: Any) -> Columns:
    """As `land_outcome`; equal battles share the columns of their ends, but for the troops that stand by."""
    if chain.kept.get(_COLUMNS, (None,))[0] is not states:
        chain.kept[_COLUMNS] = states, land_outcome(setup, states)
    columns: Columns = chain.kept[_COLUMNS][1]
    return columns | {f"{own.name}_idle_thirds": np.full(len(states.winner), own.idle) for own in setup.stacks}


def land_outcome(setup: LandSetup, states: Any) -> Columns:
    """Outputs of section 3.7."""
    losses = (states.caused_d, states.caused_a)
    suffered, on_defender = (states.stars_d, states.stars_a), states.fates // FATES
    fates = states.fates - FATES * on_defender, on_defender  # NumPy's % takes ten times as long
    morale = [stack.morale - stars for stack, stars in zip(setup.stacks, suffered, strict=True)]
    unfought, major = states.ended == land.UNENDED, np.zeros(len(states.winner), bool)
    columns: Columns = {"winner": states.winner, "ended_on_day": DAYS.take(states.ended)}
    for side, name in enumerate(SIDES):
        columns[f"{name}_losses_thirds"] = losses[side]
        columns[f"{name}_left_thirds"] = setup.stacks[side].size - losses[side]
        columns[f"{name}_idle_thirds"] = np.full(len(states.winner), setup.stacks[side].idle)
        columns[f"{name}_morale_left"] = morale[side]
        columns[f"{name}_routed"] = morale[side] == 0
        columns[f"{name}_destroyed"] = losses[side] == setup.stacks[side].size
        columns[f"{name}_broke_off"] = states.broke == side + 1
        columns |= fate_columns(name, fates[side])
        # A major battle (section 3.5 step 10).
        enemy, gap = 1 - side, MAJOR_GAP_OF_THE_HUGE if setup.steps[side] == 2 else MAJOR_GAP
        counts = setup.europe or (setup.stacks[enemy].has_army and not is_non_european(setup.stacks[enemy].side))
        beaten = (states.winner == side) & (morale[enemy] == 0) & (losses[enemy] >= losses[side] + gap)
        major |= beaten & counts
    columns["major_victory"] = major
    columns["evaded"] = unfought & (states.winner == NOBODY)
    columns["overrun"] = unfought & (states.winner != NOBODY)
    return columns


def land_decisions(setup: LandSetup, states: Any, options: np.ndarray) -> Columns:
    """Columns of states in which a side may try to break off (docs/rules/decisions.md section 2.3), and its choice.

    Columns: text, int64, or bool (`after_failed`); shape (states,). `options`: int32, shape (states,).
    """
    asked = np.where(states.stage == land.FIRST_CHOICE, setup.first, 1 - setup.first)
    morale = [stack.morale - stars for stack, stars in zip(setup.stacks, (states.stars_d, states.stars_a), strict=True)]
    return {
        "decision": np.array([f"policy.{name}.break_off" for name in SIDES])[asked],
        "attacker_morale": morale[0],
        "defender_morale": morale[1],
        "attacker_losses_thirds": setup.params.inflicted[1, states.caused_d, states.last_d],
        "defender_losses_thirds": setup.params.inflicted[0, states.caused_a, states.last_a],
        "after_failed": (states.failed & (2 - asked)) > 0,
        "choice": np.where(options == land.BREAK_OFF, "break off", "stay"),
    }


def land_assumptions(setup: LandSetup) -> Iterator[str]:
    """The assumptions of a land battle."""
    fields, options = setup.fields, setup.fields.options
    yield from common_assumptions(fields, setup.stacks)
    for name in SIDES:
        shown = ", overruns" if name in overruns(fields) else ""
        yield f"{name} breaks off: {getattr(fields.policy, name).break_off}{shown}"
    yield f"destroyed when losses {'exceed' if options.destruction_test == 'exceeds' else 'reach'} the stack's size"
    if fields.attacker.tercios or fields.defender.tercios:
        needs = "count only with an ARMY" if options.tercios_require_army else "count without an ARMY too"
        yield f"Tercios {needs} (tercios_require_army)"
    if fields.policy.defender.evasion == "evade":
        yield "the defender tries to evade; a replacement leader but the Vizier counts manoeuvre 0 (ASSUMED)"
    if is_interception(fields) and not fields.conditions.interception:
        yield "an overrun of 4 to under 8 times is fought as an interception battle"
    for stack, dice in zip(setup.stacks, setup.dice, strict=True):
        if dice > 1:
            yield f"{stack.name}: several dice; the groups before the last are capped at 8 LD each (ASSUMED)"
        if stack.side.converted_natives_thirds:
            yield f"{stack.name}: converted natives stay with the stack even if their leader is lost (not computed)"
    if any(bonus_matters(fields, *sides) for sides in (setup.stacks, setup.stacks[::-1])):
        yield f"national bonuses by the {NAMES_OF_READINGS[options.national_bonuses]} (national_bonuses)"


def land_explanation(setup: LandSetup) -> Iterator[str]:
    """The value of each side, then every modifier by side, day and step, with its source."""
    for own, enemy, step, dice in zip(setup.stacks, setup.stacks[::-1], setup.steps, setup.dice, strict=True):
        fire, shock = own.columns
        several = f", {dice} dice a roll" if dice > 1 else ""
        yield (
            f"{own.name}: {own.text()}, {own.side.technology} against {enemy.side.technology}: columns "
            f"{fire or 'no Fire'}/{shock}, morale {own.morale}, size step {step:+d}, artillery value {own.artillery}"
            f"{several}, {own.leader.text()} ({LAW} 2.4 and 3.2)"
        )
    if setup.overrun >= 0:
        yield f"{SIDES[setup.overrun]} overruns the enemy without a battle ({LAW} 3.5 step 1)"
        return
    for side, name in enumerate(SIDES):
        for day, phase in (*PHASES, (0, "pursuit")):
            if phase != "fire" or setup.stacks[side].columns[0]:
                yield from _modifier_lines(setup, side, day, phase)
        yield f"{name} pursuit: +2 if it ends on day 1, +1 if it ends after a Fire ({PURSUIT})"


def _modifier_lines(setup: LandSetup, side: int, day: int, step: str) -> Iterator[str]:
    """Modifiers of a side's Fire or Shock on a day, or (day 0) of its pursuit."""
    where = f"{SIDES[side]}{f' day {day}' if day else ''} {step.capitalize() if day else step}"
    for modifier in setup.modifiers[side]:
        value = getattr(modifier, step)
        if value and (day in modifier.days or not day):
            yield f"{where}: {value:+d} {modifier.reason} ({modifier.source})"
    gains = [setup.gain(side, pair) for pair in setup.pairs]
    values = [getattr(gain, step) for gain in gains]
    if high := max(values):
        shown = f"{high:+d}" if min(values) == high else f"{min(values):+d} to {high:+d}"
        yield f"{where}: {shown} {gains[0].reason} ({gains[0].source})"
    if day == 2 and getattr(setup.fields.policy, SIDES[1 - side]).break_off != "never":
        yield f"{where}: +1 if the enemy has failed to break off ({LAW} 3.5 step 5)"


def land_line(setup: LandSetup, before: LandState, result: int, after: LandState, dice: random.Random) -> str:
    """One line for one step of a land battle."""
    if land.FIRE_1 <= before.stage <= land.PURSUIT:
        line = _roll_line(setup, before, result, dice)
    elif before.stage in {land.FIRST_BREAK, land.SECOND_BREAK}:
        line = _break_line(setup, before, result, dice)
    elif before.stage == land.EVADE:
        rolled = [(face, bonus) for bonus in setup.evasion.elements() for face in FACES]
        die, bonus = face_where(rolled, lambda both: evades_by(*both) == result, dice)
        line = f"Evasion: {die} + {bonus}: the defender {'evades' if result else 'has to fight'}."
    elif before.stage == land.DRAW:
        line = _draw_line(setup, result)
    elif before.stage == land.RETREAT:
        added = result & 3, result >> 2
        shown = [f"{name} +{detachments(added[side])}" for side, name in enumerate(SIDES) if before.winner != side]
        attacker, defender = (detachments(thirds) for thirds in (after.caused_d, after.caused_a))
        line = f"Retreat: {', '.join(shown)}; losses: attacker {attacker}, defender {defender}."
    elif before.stage == land.LEADERS:
        line = fates_text(result)
    else:
        side = land.asked(setup.params, before)
        line = f"The {SIDES[side]} {'tries to break off' if result == land.BREAK_OFF else 'stays'}."
    if before.ended == land.UNENDED and after.ended != land.UNENDED:
        return f"{line} The fighting ends: {winner_text(after.winner)}."
    return line


def _draw_line(setup: LandSetup, result: int) -> str:
    pair = setup.classes.pairs[result & land.CLASS_MASK]
    parts = []
    for side, name in enumerate(SIDES):
        parts.append(f"{name} leader +{pair.fire[side]} Fire, +{pair.shock[side]} Shock")
        odd, even = setup.tallies[side].seven
        if odd != even:
            spared = bool(result & (land.SPARE_D if side else land.SPARE_A))
            face = "even" if spared == (even < odd) else "odd"
            parts.append(f"{name} 7-LD die {face}: {'not small' if spared else 'small'}")
    return "Before the battle: " + "; ".join(parts) + "."


def _roll_line(setup: LandSetup, before: LandState, result: int, dice: random.Random) -> str:
    """One part of a roll or of a pursuit; dice that give its result."""
    part, pair, roll = setup.parts[before.part], setup.classes.pairs[before.leaders], land.roll_of(before)
    if part.kind != land.MAIN:
        return f"{ROLLS[roll]}, further dice of the {SIDES[part.sides[0]]}: {detachments(result)}."
    sides = (before.winner,) if before.stage == land.PURSUIT else part.sides
    rolls = [(side, setup.roll(side, roll, pair, before.failed + before.ended)) for side in sides]
    return f"{ROLLS[roll]}: " + "; ".join(_die_text(setup, own, side, result, dice) for side, own in rolls) + "."


def _die_text(setup: LandSetup, roll: LandRoll | None, side: int, result: int, dice: random.Random) -> str:
    if not roll or not roll.column:
        return f"{SIDES[side]} does not fire"
    own = result >> land.SIDE_BITS if side else result
    shown = own & land.LOSS_MASK, (own >> land.LOSS_BITS) & land.STAR_MASK
    die = face_where(FACES, lambda face: roll.read(setup.book, face) == shown, dice)
    lost = f"{detachments(shown[0])}, {plural(shown[1], 'star')}"
    return f"{SIDES[side]} {die} ({roll.drm:+d}, column {roll.column}): {lost}"


def _break_line(setup: LandSetup, before: LandState, result: int, dice: random.Random) -> str:
    side = land.asked(setup.params, before)
    success, man = bool(result & 1), setup.classes.pairs[result >> 1].manoeuvre[side]
    left = int(land.morale_left(setup.params, before, side))
    die = face_where(FACES, lambda face: (face <= man + left) == success, dice)
    ends = "gets away" if success else "fails: the enemy has +1/+1 on day 2"
    needed = f"{man + left} or less (manoeuvre {man}, morale {left})"
    return f"Break-off: the {SIDES[side]} needs {needed}, rolls {die} and {ends}."
