"""A naval battle in words: its assumptions, its modifiers, and one battle shown roll by roll."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from itertools import pairwise, product
from typing import Any

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Built, Outcomes
from simulator.rules.europa.sea import decided, end, rules
from simulator.rules.europa.sea.battle import EVADES_AT, BattleSetup, Case, Chased
from simulator.rules.europa.sea.decided_battle import DecidedSetup, is_decided
from simulator.rules.europa.sea.losses import Record
from simulator.rules.europa.sea.model import Naval
from simulator.rules.europa.sea.rules import NavalState
from simulator.rules.europa.sea.squadrons import DRMS, PURSUIT, engagement, wind_of
from simulator.rules.europa.sea.tables import ROLLS, Group, NavalSetup
from simulator.rules.europa.shared.fleets import LAW
from simulator.rules.europa.shared.leaders import FACES
from simulator.rules.europa.shared.stacks import detachments
from simulator.rules.toolkit.faces import face_where
from simulator.rules.toolkit.naming import plural, winner_text

BOARDING = "Shock (boarding)"
STEPS = ("Fire", BOARDING)
NAMES = tuple(f"Day {day}, {step}" for day in ("one", "two") for step in STEPS)
HAS_WIND = ("the attacker has", "the defender has", "nobody has")
FATES = ("unharmed", "killed", "wounded")


def build_naval(fields: Naval) -> Built:
    """Everything that answers a naval battle."""
    fleets = engagement(fields)
    if is_decided(fleets):
        deciding = DecidedSetup(fleets)
        return Built(
            chain=deciding.chain(partial(decided_line, deciding)),
            outcome=deciding.outcome,
            decisions=deciding.decisions,
            assumptions=partial(naval_assumptions, deciding.battle),
            explain=partial(naval_explanation, deciding.battle),
        )
    setup = BattleSetup(fleets)
    return Built(
        chain=setup.chain(partial(naval_line, setup)),
        outcome=setup.outcome,
        assumptions=partial(naval_assumptions, setup),
        explain=partial(naval_explanation, setup),
    )


def winners_of_naval(fields: Naval) -> Outcomes | None:
    """The winner of a naval battle alone; no record is needed for it."""
    fleets = engagement(fields)
    return None if is_decided(fleets) else BattleSetup(fleets).winners()


# --- assumptions ---


def naval_assumptions(setup: BattleSetup) -> list[str]:
    """The assumptions of a naval battle's odds."""
    options, lines = setup.engagement.options, []
    cap = options.leader_differential_cap
    lines.append(f"leader differences: {'no cap' if cap == 9 else f'at most +{cap}'} (leader_differential_cap)")
    lines.append(f"break-off: {options.break_off_at_sea} (break_off_at_sea); veterans: {options.veteran_rule}")
    lines.append(f"size in the loss modification: {options.size_counts} (size_counts)")
    if options.destruction_is_rout:
        lines.append("a fleet that loses more than it has is routed (destruction_is_rout)")
    if options.rout_attrition_plus_two:
        lines.append("retreat attrition of a routed side +2 (rout_attrition_plus_two)")
    if options.tables:
        lines.append(f"tables varied: {', '.join(sorted(options.tables))}")
    for squadron in setup.engagement.squadrons:
        policy = squadron.policy
        chosen = [f"front line {policy.first_line} (ASSUMED default)"] if squadron.mixed else []
        chosen += [f"breaks off {policy.break_off}", f"leaves with the wind {policy.leave_with_wind}"]
        chosen += [f"loses {' then '.join(squadron.order)}", f"captures {policy.capture}"]
        lines.append(f"{squadron.name}: {', '.join(chosen)}; {squadron.leader.text()}")
        if wrong := squadron.leader.out_of_period(setup.engagement.conditions.period):
            lines.append(f"{squadron.name}: {wrong}: allowed, as the rules of battles ask for no years")
        if squadron.leader.origin == "none":
            lines.append(f"{squadron.name}: no leader: all values 0, never tested")
    return lines


# --- explanation ---


def naval_explanation(battle: BattleSetup) -> list[str]:
    """The worth of each side, then every modifier of each day, step and side with its source."""
    setup = battle.fighting
    lines = [*(_worth(setup, side) for side in (0, 1)), _wind_line(setup)]
    for side, name in enumerate(SIDES):
        for day, step in (*product((1, 2), STEPS), (0, "pursuit")):
            when = f"{name} day {day} {step}" if day else f"{name} pursuit"
            lines += [f"{when}: {value} ({source})" for value, source in _modifiers(setup, side, day, step)]
        lines.append(_size_line(battle, side))
    return lines


def _worth(setup: NavalSetup, side: int) -> str:
    own = setup.engagement.squadrons[side]
    fire, boarding = setup.engagement.columns(side)
    rolls = f"columns {fire}/{boarding}" if fire else "a convoy never rolls"
    aboard = f", {detachments(own.cargo.troops)} aboard" if own.cargo.troops else ""
    aboard += f", {own.cargo.gold} ducats aboard" if own.cargo.gold else ""
    return (
        f"{own.name}: {own.fleet.text()}{aboard}, {own.side.technology}; {own.line} in front ({own.n} ND), {rolls}, "
        f"morale {setup.engagement.morale[side]}, {own.leader.text()} ({LAW} 3 steps 3 and 5)"
    )


def _wind_line(setup: NavalSetup) -> str:
    settled = setup.engagement.settled_wind()
    if settled is not None:
        return f"wind: {HAS_WIND[settled]} it without a roll ({LAW} 3 step 4)"
    parts = [f"{SIDES[side]} 1d10 + MAN {setup.engagement.wind_advantage(side):+d}" for side in (0, 1)]
    return f"wind: {' against '.join(parts)}; +1/+1 to whoever has it ({LAW} 3 step 4)"


def _modifiers(setup: NavalSetup, side: int, day: int, step: str) -> Iterator[tuple[str, str]]:
    """The modifiers that a side may have in a step, with their sources; those of the pursuit on day 0."""
    if day and not setup.engagement.columns(side)[0]:
        return
    field = {"Fire": "fire", BOARDING: "shock", "pursuit": "pursuit"}[step]
    for modifier in setup.engagement.modifiers[side]:
        if (not day or day in modifier.days) and (value := getattr(modifier, field)):
            yield f"{value:+d} {modifier.reason}", modifier.source
    if any(group.wind == side for group in setup.groups):
        yield "+1 if it has the wind", DRMS if day else PURSUIT
    if day:
        gains = [getattr(group, field)[side] for group in setup.groups]
    else:
        gains = [max(0, pair[side][0] - pair[1 - side][0]) for pairs in setup.groups.values() for pair in pairs]
    low, high = min(gains), max(gains)
    if high:
        shown = f"{low:+d}" if low == high else f"{low:+d} to {high:+d}"
        yield f"{shown} leader: {setup.engagement.squadrons[side].leader.text()}", DRMS
    if not day:
        yield "+0 to +3 +2 if it ended on day one, +1 if it ended after a Fire", PURSUIT
        return
    if (day, step) != (1, "Fire"):
        yield "-1 if it has suffered more stars so far", f"{LAW} 3 step 7"
    if day == 2 and setup.policies[1 - side].break_off != "never":
        yield "+1 if the enemy has failed to break off", f"{LAW} 3 step 7"
    if step == "Fire" and setup.engagement.halves(side):
        yield "half losses: galleys without galleass before battery", f"{LAW} 3 step 7"


def _size_line(setup: BattleSetup, side: int) -> str:
    size = setup.losses.size(side)
    modified = [(thirds, setup.losses.modified(1 - side, thirds, False)) for thirds in (3, 6, 9, 12)]
    shown = ", ".join(f"{naval(thirds)} -> {naval(after)}" for thirds, after in modified)
    return f"{SIDES[side]} losses inflicted with a size of {size} ND: {shown} ({LAW} 3 step 10)"


# --- replay ---


def naval_line(setup: BattleSetup, before: Any, result: int, after: Any, dice: random.Random) -> str:
    """One step of a battle; the fighting has a line for each roll."""
    if before.stage == end.FIGHT:
        return "\n".join(_fight_lines(setup, after, dice))
    if before.stage == end.EVADE:
        return _evasion_line(setup, result, dice)
    if before.stage in {end.STORM_A, end.STORM_D}:
        return _storm_line(setup, before.stage - end.STORM_A, after)
    return _leaders_line(result) if before.stage == end.LEADERS else ""


def decided_line(setup: DecidedSetup, before: Any, result: Any, after: Any, dice: random.Random) -> str:
    """One step of a battle in which a side decides when to leave; `result` is a pair where both sides roll."""
    battle, fighting, stage = setup.battle, setup.battle.fighting, before.stage
    group = fighting.places[before.group]
    one, other = result if isinstance(result, tuple) else (result, 0)
    if stage == rules.DRAW:
        return _draw_line(fighting, fighting.places[after.group], dice)
    if rules.rolls(before):
        inflicted = [(code & rules.LOSS_MASK, code >> rules.LOSS_BITS) for code in (one, other)]
        line = _roll_line(fighting, group, before, inflicted, dice)
    elif stage in {rules.FIRST_BREAK, rules.SECOND_BREAK}:
        line = _break_line(fighting, group, before, after, dice)
    elif stage == decided.PURSUIT:
        line = _chase_line(fighting, group, (before.verdict, before.rolls, one), dice)
    elif stage in {decided.STORM_A, decided.STORM_D}:
        return _storm_line(battle, stage - decided.STORM_A, after)
    else:
        return _leaders_line(one) if stage == decided.LEADERS else _evasion_line(battle, one, dice)
    if stage <= rules.SECOND_CHOICE:
        line = "\n".join([line, *_decisions(setup, decided.step(setup.plain, before, one, other), after)])
        if after.stage > rules.SECOND_CHOICE:
            line += f"\nThe fighting ends: {winner_text(after.verdict)}."
    if stage <= decided.PURSUIT < after.stage:
        line += f"\n{_records_line(_records(battle, after))}"
    return line


def _decisions(setup: DecidedSetup, state: Any, after: Any) -> list[str]:
    """The decisions that lead from the state after a roll to that in which the next one falls, in words."""
    p = setup.plain
    ways: list[tuple[Any, list[str]]] = [(state, [])]
    for here, lines in ways:  # the list grows meanwhile
        if here == after:
            return lines
        if decided.running(p, here) and (owner := decided.decides(p, here)):
            leaves = "leaves with the wind" if here.stage == rules.WIND_CHOICE else "tries to break off"
            ways += [
                (decided.step(p, here, option, 0), [*lines, f"The {SIDES[owner - 1]} {does}."])
                for option, does in ((rules.STAY, "stays"), (rules.LEAVE, leaves))
            ]
    return []


def _evasion_line(setup: BattleSetup, evades: int, dice: random.Random) -> str:
    bonus = setup.evasion_bonus
    die = face_where(FACES, lambda face: (face + bonus >= EVADES_AT) == evades, dice)
    return f"Evasion: {die} + {bonus}: the defender {'evades' if evades else 'has to fight'}."


def _storm_line(setup: BattleSetup, side: int, after: Any) -> str:
    return f"Retreat attrition of the {SIDES[side]}: {_records(setup, after)[side].fleet.text()} left."


def _leaders_line(result: int) -> str:
    codes = result % end.FATES, result // end.FATES
    shown = [f"{side}'s {FATES[code]}" for side, code in zip(SIDES, codes, strict=True)]
    return f"Leaders: {', '.join(shown)}."


def _records(setup: BattleSetup, state: Any) -> list[Record]:
    """The records of both sides in a state."""
    return [list(setup.records[side])[number] for side, number in enumerate((state.record_a, state.record_d))]


def _fight_lines(setup: BattleSetup, after: Any, dice: random.Random) -> Iterator[str]:
    """Every roll of a fight that ends so, drawn by its chance."""
    case, end_state, chased, cell = _origin(setup, after, dice)
    fighting, groups = setup.fighting, setup.fighting.places
    for (before, own, enemy), (state, own_after, enemy_after) in pairwise(setup.sweep.way(end_state, cell, dice)):
        if before.stage == rules.DRAW:
            yield _draw_line(fighting, groups[state.group], dice)
        elif rules.rolls(before):
            inflicted = (enemy_after - enemy, state.stars_d - before.stars_d), (
                own_after - own, state.stars_a - before.stars_a
            )  # fmt: skip
            yield _roll_line(fighting, groups[before.group], before, inflicted, dice)
        else:
            yield _break_line(fighting, groups[before.group], before, state, dice)
    how = f"{SIDES[chased.row.left - 1]} leaves with the wind: " if chased.row.left else ""
    yield f"The fighting ends: {how}{winner_text(chased.row.winner)}."
    if case.chase:
        pursuit = chased.row.winner, chased.row.rolls, chased.code
        yield _chase_line(fighting, groups[end_state.group], pursuit, dice)
    yield _records_line(_records(setup, after))


def _origin(setup: BattleSetup, after: Any, dice: random.Random) -> tuple[Case, NavalState, Chased, tuple[int, int]]:
    """A fight, the state that ends it, and its pursuit, which may lead to this end; the losses in the fighting."""
    row, found = setup.rows[after.row], []
    for case, state, of_losses in setup.ends_by_case():
        width, height = of_losses.shape
        for chased in setup.pursued(case):
            if chased.row == row:
                numbers = [setup.numbers[side][chased.fights[side]] for side in (0, 1)]
                fits = np.outer(numbers[0][:width] == after.record_a, numbers[1][:height] == after.record_d)
                chances = np.where(fits, chased.chance * of_losses, 0.0)
                cells = zip(*(place.tolist() for place in np.nonzero(chances)), strict=True)
                found += [(case, state, chased, cell, float(chances[cell])) for cell in cells]
    return dice.choices(found, [chance for *_, chance in found])[0][:4]


def naval(thirds: int) -> str:
    """Naval detachments: 5 thirds are "1 ND 2 DE"."""
    return detachments(thirds, "ND")


def _records_line(records: list[Record]) -> str:
    shown = []
    for side, record in zip(SIDES, records, strict=True):
        taken = f", {record.captured.text()} captured" if record.captured.thirds else ""
        shown.append(
            f"{side} suffers {naval(record.losses)} ({record.damaged} damaged, {record.destroyed} destroyed, "
            f"{record.refitted} refitted{taken}), {record.fleet.text()} left"
        )
    return "Losses: " + "; ".join(shown) + "."


def _draw_line(setup: NavalSetup, group: Group, dice: random.Random) -> str:
    pairs = setup.groups[group]
    pair = dice.choices(list(pairs), list(pairs.values()))[0]
    parts = []
    for side, values in enumerate(pair):
        if setup.engagement.squadrons[side].leader.drawn:
            parts.append(f"the {SIDES[side]} draws a leader {values[0]}/{values[1]}/{values[2]}")
    if setup.engagement.settled_wind() is None:
        a, d = (pair[side][0] + setup.engagement.wind_advantage(side) for side in (0, 1))
        throws = product(FACES, repeat=2)
        own, enemy = face_where(throws, lambda throw: wind_of(throw[0] + a - throw[1] - d) == group.wind, dice)
        parts.append(f"wind: attacker {own} {a:+d}, defender {enemy} {d:+d}")
    return f"Before the battle: {'; '.join([*parts, f'{HAS_WIND[group.wind]} the wind'])}."


def _roll_line(setup: NavalSetup, group: Group, before: Any, inflicted: Any, dice: random.Random) -> str:
    roll, texts = before.stage - rules.FIRE_1, []
    for side, (thirds, stars) in enumerate(inflicted):
        column = setup.engagement.columns(side)[0 if ROLLS[roll][1] else 1]
        if not column:
            texts.append(f"the {SIDES[side]}'s convoy does not roll")
            continue
        drm = setup.drm(side, group, roll, before.failed, rules.more_stars(before))
        die = dice.choice([face for face in FACES if setup.read(side, roll, face + drm) == (thirds, stars)])
        texts.append(f"{SIDES[side]} {die} ({drm:+d}, column {column}): {naval(thirds)}, {plural(stars, 'star')}")
    return f"{NAMES[roll]}: {'; '.join(texts)}."


def _chase_line(setup: NavalSetup, group: Group, pursuit: tuple[int, int, int], dice: random.Random) -> str:
    """The pursuit of a fight: the winner, the rolls fought, and the result."""
    side, rolls_fought, code = pursuit
    column, thirds, stars = setup.engagement.pursuit_column(side), code & rules.LOSS_MASK, code >> rules.LOSS_BITS
    throws, weights = [], []
    for pair, weight in setup.groups[group].items():
        drm = setup.pursuit_drm(side, group, rolls_fought) + max(0, pair[side][0] - pair[1 - side][0])
        faces = [face for face in FACES if setup.engagement.book.combat_roll(column, face + drm) == (thirds, stars)]
        throws += [(face, drm) for face in faces]
        weights += [weight] * len(faces)
    face, drm = dice.choices(throws, weights)[0]
    return (
        f"Pursuit by the {SIDES[side]}: {face} ({drm:+d}, column {column}): {naval(thirds)}, {plural(stars, 'star')}."
    )


def _break_line(setup: NavalSetup, group: Group, before: Any, after: Any, dice: random.Random) -> str:
    side = rules.asked(setup.plain, before)
    if setup.free:
        return f"Break-off: the {SIDES[side]} gets away (no roll)."
    left = rules.morale_left(setup.plain, before, side)
    man, away = group.men[side] or 0, after.broke == side + 1
    die = face_where(FACES, lambda face: (face <= man + left) == away, dice)
    ends = "gets away" if away else "fails: the enemy has +1/+1 on day two"
    return (
        f"Break-off: the {SIDES[side]} needs {man + left} or less (MAN {man}, morale {left}), rolls {die} and {ends}."
    )
