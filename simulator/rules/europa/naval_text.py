"""A naval battle in words: what it rests on, how it comes about, and one battle told roll by roll."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from simulator.rules.europa import naval_rules as rules
from simulator.rules.europa.fleets import LAW, Cargo
from simulator.rules.europa.modifiers import Modifier
from simulator.rules.europa.naval_groups import Group
from simulator.rules.europa.naval_losses import Record
from simulator.rules.europa.naval_tables import EVADES_AT, ROLLS, NavalSetup
from simulator.rules.europa.squadrons import FACES, NOBODY, PURSUIT, Squadron
from simulator.rules.europa.stacks import SIDES, detachments
from simulator.rules.toolkit.faces import face_where

STEPS = ("Fire", "Boarding")
NAMES = ("Day one, Fire", "Day one, Boarding", "Day two, Fire", "Day two, Boarding")
WINNERS = ("the attacker wins", "the defender wins", "nobody wins")
FATES = ("unharmed", "killed", "wounded")


# --- assumptions ---


def naval_assumptions(setup: NavalSetup) -> list[str]:
    """What a naval battle's odds rest on."""
    options, lines = setup.met.options, []
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
    for squadron in setup.met.squadrons:
        policy = squadron.policy
        chosen = [f"front line {policy.first_line} (ASSUMED default)"] if _mixed(squadron) else []
        chosen += [f"breaks off {policy.break_off}", f"leaves with the wind {policy.leave_with_wind}"]
        chosen += [f"loses {' then '.join(squadron.order)}", f"captures {policy.capture}"]
        lines.append(f"{squadron.name}: {', '.join(chosen)}; {squadron.leader.told()}")
        if squadron.leader.origin == "none":
            lines.append(f"{squadron.name}: no leader: all values 0, never tested")
    return lines


def _mixed(squadron: Squadron) -> bool:
    fleet = squadron.fleet
    return bool(fleet.warships and (fleet.galleys or fleet.galleasses))


# --- explanation ---


def naval_explanation(setup: NavalSetup) -> list[str]:
    """What each side is worth, then every modifier of each day, step and side with its source."""
    lines = [_worth(setup, side) for side in (0, 1)]
    lines.append(_wind_line(setup))
    for side in (0, 1):
        lines += [line for day in (1, 2) for step in STEPS for line in _modifiers(setup, side, day, step)]
        lines += _pursuit_modifiers(setup, side)
        lines.append(_size_line(setup, side))
    return lines


def _worth(setup: NavalSetup, side: int) -> str:
    own = setup.met.squadrons[side]
    fire, boarding = setup.met.columns(side)
    rolls = f"columns {fire}/{boarding}" if fire else "a convoy never rolls"
    aboard = f", {cargo_told(own.cargo)} aboard" if own.cargo else ""
    return (
        f"{own.name}: {own.fleet.told()}{aboard}, {own.technology}; {own.line} in front ({own.n} ND), {rolls}, morale "
        f"{setup.met.morale[side]}, {own.leader.told()} ({LAW} 3 steps 3 and 5)"
    )


def cargo_told(cargo: Cargo) -> str:
    """Troops and gold in words."""
    parts = [detachments(cargo.troops)] * bool(cargo.troops) + [f"{cargo.gold} ducats"] * bool(cargo.gold)
    return " and ".join(parts) or "nothing"


def _wind_line(setup: NavalSetup) -> str:
    settled = setup.met.settled_wind()
    if settled is not None:
        who = "nobody has" if settled == NOBODY else f"the {SIDES[settled]} has"
        return f"wind: {who} it without a roll ({LAW} 3 step 4)"
    parts = [f"{SIDES[side]} 1d10 + MAN {setup.met.wind_advantage(side):+d}" for side in (0, 1)]
    return f"wind: {' against '.join(parts)}; +1/+1 to whoever has it ({LAW} 3 step 4)"


def _modifiers(setup: NavalSetup, side: int, day: int, step: str) -> Iterator[str]:
    if not setup.met.columns(side)[0]:
        return

    def value(modifier: Modifier) -> int:
        return modifier.fire if step == "Fire" else modifier.shock

    for modifier in setup.met.modifiers[side]:
        if day in modifier.days and value(modifier):
            yield _line(side, f"day {day} {step}", f"{value(modifier):+d}", modifier.reason, modifier.source)
    wind = setup.met.wind_modifier(side)
    if any(group.wind == side for group in setup.known.drawn):
        yield _line(side, f"day {day} {step}", "+1", "if it has the wind", wind.source)
    gains = [(group.fire if step == "Fire" else group.shock)[side] for group in setup.known.drawn]
    yield from _range(setup, side, f"day {day} {step}", gains)
    if (day, step) != (1, "Fire"):
        yield _line(side, f"day {day} {step}", "-1", "if it has suffered more stars so far", f"{LAW} 3 step 7")
    if day == 2 and setup.policies[1 - side].break_off != "never":
        yield _line(side, f"day {day} {step}", "+1", "if the enemy has failed to break off", f"{LAW} 3 step 7")
    if step == "Fire" and setup.met.halves(side):
        yield _line(
            side, f"day {day} Fire", "half", "losses: galleys without galleass before battery", f"{LAW} 3 step 7"
        )


def _range(setup: NavalSetup, side: int, when: str, values: list[int]) -> Iterator[str]:
    low, high = min(values), max(values)
    if high:
        told = f"{low:+d}" if low == high else f"{low:+d} to {high:+d}"
        yield _line(side, when, told, f"leader: {setup.met.squadrons[side].leader.told()}", f"{LAW} 3 step 6")


def _pursuit_modifiers(setup: NavalSetup, side: int) -> list[str]:
    found = [
        _line(side, "pursuit", f"{modifier.pursuit:+d}", modifier.reason, modifier.source)
        for modifier in setup.met.modifiers[side]
        if modifier.pursuit
    ]
    if any(group.wind == side for group in setup.known.drawn):
        found.append(_line(side, "pursuit", "+1", "if it has the wind", PURSUIT))
    ahead = [max(0, pair[side][0] - pair[1 - side][0]) for pairs in setup.known.drawn.values() for pair in pairs]
    found += _range(setup, side, "pursuit", ahead)
    found.append(_line(side, "pursuit", "+0 to +3", "+2 if it ended on day one, +1 if it ended after a Fire", PURSUIT))
    return found


def _size_line(setup: NavalSetup, side: int) -> str:
    size = setup.reckoning.size(side)
    shown = ", ".join(f"{thirds} -> {setup.reckoning.modified(1 - side, thirds, False)}" for thirds in (3, 6, 9, 12))
    return f"{SIDES[side]} losses inflicted with a size of {size} ND, in thirds: {shown} ({LAW} 3 step 10)"


def _line(side: int, when: str, value: str, reason: str, source: str) -> str:
    return f"{SIDES[side]} {when}: {value} {reason} ({source})"


# --- replay ---


def teller(setup: NavalSetup) -> Callable[..., str]:
    """The function that tells one step of a battle."""
    groups = list(setup.groups)

    def tell(before: Any, result: int, after: Any, dice: random.Random) -> str:
        if before.stage in {rules.MEN, rules.MEN_TO_CHASE, rules.SETTLE}:
            line = _settled_line(setup, after) if before.stage == rules.SETTLE else ""
        elif before.stage == rules.DRAW:
            line = _draw_line(setup, groups[result], dice)
        elif rules.FIRE_1 <= before.stage <= rules.BOARD_2:
            line = _roll_line(setup, groups[before.group], before, result, dice)
        elif before.stage in {rules.CHASE_A, rules.CHASE_D}:
            line = _chase_line(setup, groups[before.group], before, result, dice)
        elif before.stage in {rules.FIRST_BREAK, rules.SECOND_BREAK}:
            line = _break_line(setup, groups[before.group], before, result, dice)
        elif before.stage in {rules.STORM_A, rules.STORM_D}:
            line = _storm_line(setup, before.stage - rules.STORM_A, after)
        elif before.stage == rules.EVADE:
            line = _evasion_line(setup, bool(result), dice)
        else:
            codes = result % rules.FATES, result // rules.FATES
            told = [f"{side}'s {FATES[code]}" for side, code in zip(SIDES, codes, strict=True)]
            line = f"Leaders: {', '.join(told)}."
        return line + _end(setup, before, after)

    return tell


def _end(setup: NavalSetup, before: Any, after: Any) -> str:
    """Says how the fighting ends, and at the very end what is left (told with the records where there are any)."""
    text = ""
    if before.verdict == rules.UNDECIDED != after.verdict and after.rolls:
        how = f" {SIDES[after.left - 1]} leaves with the wind:" if after.left else ""
        text += f" The fighting ends:{how} {WINNERS[after.verdict]}."
    if after.stage == rules.OVER and after.rolls and not setup.reads:
        text += " " + _left_line(setup, after)
    return text


def _left_line(setup: NavalSetup, state: Any) -> str:
    import numpy as np

    from simulator.rules.europa.naval_outcome import ended

    end = ended(setup, type(state)(*(np.array([value]) for value in state)))
    return _records_line([end.records[side][int(end.place[side][0])] for side in (0, 1)])


def _settled_line(setup: NavalSetup, after: Any) -> str:
    return _records_line([list(setup.records[side])[(after.record_a, after.record_d)[side]] for side in (0, 1)])


def _records_line(records: list[Record]) -> str:
    told = []
    for side, record in zip(SIDES, records, strict=True):
        taken = f", {record.captured.told()} captured" if record.captured.thirds else ""
        told.append(
            f"{side} suffers {record.losses} thirds ({record.damaged} damaged, {record.destroyed} destroyed, "
            f"{record.refitted} refitted{taken}), {record.fleet.told()} left"
        )
    return "Losses: " + "; ".join(told) + "."


def _draw_line(setup: NavalSetup, group: Group, dice: random.Random) -> str:
    pairs = setup.groups[group]
    pair = dice.choices(list(pairs), list(pairs.values()))[0]
    parts = []
    for side, values in enumerate(pair):
        if setup.met.squadrons[side].leader.drawn:
            parts.append(f"the {SIDES[side]} draws a leader {values[0]}/{values[1]}/{values[2]}")
    if setup.met.settled_wind() is None:
        bonus = [pair[side][0] + setup.met.wind_advantage(side) for side in (0, 1)]

        def blows(throw: tuple[int, int]) -> bool:
            lead = throw[0] + bonus[0] - throw[1] - bonus[1]
            return (0 if lead > 0 else 1 if lead < 0 else NOBODY) == group.wind

        own, enemy = face_where([(a, d) for a in FACES for d in FACES], blows, dice)
        parts.append(f"wind: attacker {own} {bonus[0]:+d}, defender {enemy} {bonus[1]:+d}")
    who = "nobody has" if group.wind == NOBODY else f"the {SIDES[group.wind]} has"
    return f"Before the battle: {'; '.join([*parts, f'{who} the wind'])}."


def _roll_line(setup: NavalSetup, group: Group, before: Any, result: int, dice: random.Random) -> str:
    roll = before.stage - rules.FIRE_1
    worse = rules.more_stars(before)
    texts = []
    for side in (0, 1):
        part = result >> rules.SIDE_BITS if side else result & rules.SIDE_MASK
        thirds, stars = part & rules.LOSS_MASK, part >> rules.LOSS_BITS
        column = setup.met.columns(side)[0 if ROLLS[roll][1] else 1]
        if not column:
            texts.append(f"the {SIDES[side]}'s convoy does not roll")
            continue
        drm = setup.drm(side, group, roll, before.failed, worse)

        def fits(face: int, side: int = side, drm: int = drm, seen: tuple[int, int] = (thirds, stars)) -> bool:
            return setup.read(side, roll, face + drm) == seen

        die = face_where(FACES, fits, dice)
        texts.append(f"{SIDES[side]} {die} ({drm:+d}, column {column}): {thirds} thirds, {stars} stars")
    return f"{NAMES[roll]}: {'; '.join(texts)}."


def _chase_line(setup: NavalSetup, group: Group, before: Any, result: int, dice: random.Random) -> str:
    side = before.stage - rules.CHASE_A
    thirds, stars = result & rules.LOSS_MASK, result >> rules.LOSS_BITS
    fixed, column = setup.pursuit_drm(side, group, before.rolls), setup.met.pursuit_column(side)
    throws = []
    for pair, weight in setup.groups[group].items():
        more = fixed + max(0, pair[side][0] - pair[1 - side][0])
        throws += [
            (face, more, weight) for face in FACES if setup.met.book.combat_roll(column, face + more) == (thirds, stars)
        ]
    face, drm, _ = dice.choices(throws, [throw[2] for throw in throws])[0]
    return f"Pursuit by the {SIDES[side]}: {face} ({drm:+d}, column {column}): {thirds} thirds, {stars} stars."


def _break_line(setup: NavalSetup, group: Group, before: Any, result: int, dice: random.Random) -> str:
    first = 0 if setup.met.interception else 1
    side = first if before.stage == rules.FIRST_BREAK else 1 - first
    if setup.met.options.break_off_at_sea == "automatic":
        return f"Break-off: the {SIDES[side]} gets away (no roll)."
    left = setup.met.morale[side] - (before.stars_a, before.stars_d)[side]
    man = group.men[side] or 0
    die = face_where(FACES, lambda face: (face <= man + left) == bool(result), dice)
    ends = "gets away" if result else "fails: the enemy has +1/+1 on day two"
    return (
        f"Break-off: the {SIDES[side]} needs {man + left} or less (MAN {man}, morale {left}), rolls {die} and {ends}."
    )


def _storm_line(setup: NavalSetup, side: int, after: Any) -> str:
    record = list(setup.records[side])[(after.record_a, after.record_d)[side]]
    return f"Retreat attrition of the {SIDES[side]}: {record.fleet.told()} left."


def _evasion_line(setup: NavalSetup, evaded: bool, dice: random.Random) -> str:
    bonus = setup.evasion_bonus
    die = face_where(FACES, lambda face: (face + bonus >= EVADES_AT) == evaded, dice)
    return f"Evasion: {die} + {bonus}: the defender {'evades' if evaded else 'has to fight'}."
