"""A naval battle in words: what it rests on, how it comes about, and one battle shown roll by roll."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from simulator.rules.europa.sea import end, rules
from simulator.rules.europa.sea.end_tables import EVADES_AT, BattleSetup
from simulator.rules.europa.sea.fight import Chased, Part
from simulator.rules.europa.sea.groups import Group
from simulator.rules.europa.sea.losses import Record
from simulator.rules.europa.sea.squadrons import NOBODY, PURSUIT, Squadron
from simulator.rules.europa.sea.tables import ROLLS, NavalSetup
from simulator.rules.europa.shared.fleets import LAW, Cargo
from simulator.rules.europa.shared.leaders import FACES
from simulator.rules.europa.shared.modifiers import Modifier
from simulator.rules.europa.shared.stacks import SIDES, detachments
from simulator.rules.toolkit.faces import face_where

STEPS = ("Fire", "Boarding")
NAMES = ("Day one, Fire", "Day one, Boarding", "Day two, Fire", "Day two, Boarding")
WINNERS = ("the attacker wins", "the defender wins", "nobody wins")
FATES = ("unharmed", "killed", "wounded")


# --- assumptions ---


def naval_assumptions(setup: BattleSetup) -> list[str]:
    """What a naval battle's odds rest on."""
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
        chosen = [f"front line {policy.first_line} (ASSUMED default)"] if _mixed(squadron) else []
        chosen += [f"breaks off {policy.break_off}", f"leaves with the wind {policy.leave_with_wind}"]
        chosen += [f"loses {' then '.join(squadron.order)}", f"captures {policy.capture}"]
        lines.append(f"{squadron.name}: {', '.join(chosen)}; {squadron.leader.text()}")
        if wrong := squadron.leader.out_of_period(setup.engagement.period):
            lines.append(f"{squadron.name}: {wrong}: allowed, as the rules of battles ask for no years")
        if squadron.leader.origin == "none":
            lines.append(f"{squadron.name}: no leader: all values 0, never tested")
    return lines


def _mixed(squadron: Squadron) -> bool:
    fleet = squadron.fleet
    return bool(fleet.warships and (fleet.galleys or fleet.galleasses))


# --- explanation ---


def naval_explanation(battle: BattleSetup) -> list[str]:
    """What each side is worth, then every modifier of each day, step and side with its source."""
    setup = battle.fighting
    lines = [_worth(setup, side) for side in (0, 1)]
    lines.append(_wind_line(setup))
    for side in (0, 1):
        lines += [line for day in (1, 2) for step in STEPS for line in _modifiers(setup, side, day, step)]
        lines += _pursuit_modifiers(setup, side)
        lines.append(_size_line(battle, side))
    return lines


def _worth(setup: NavalSetup, side: int) -> str:
    own = setup.engagement.squadrons[side]
    fire, boarding = setup.engagement.columns(side)
    rolls = f"columns {fire}/{boarding}" if fire else "a convoy never rolls"
    aboard = f", {cargo_text(own.cargo)} aboard" if own.cargo else ""
    return (
        f"{own.name}: {own.fleet.text()}{aboard}, {own.technology}; {own.line} in front ({own.n} ND), {rolls}, morale "
        f"{setup.engagement.morale[side]}, {own.leader.text()} ({LAW} 3 steps 3 and 5)"
    )


def cargo_text(cargo: Cargo) -> str:
    """Troops and gold in words."""
    parts = [detachments(cargo.troops)] * bool(cargo.troops) + [f"{cargo.gold} ducats"] * bool(cargo.gold)
    return " and ".join(parts) or "nothing"


def _wind_line(setup: NavalSetup) -> str:
    settled = setup.engagement.settled_wind()
    if settled is not None:
        who = "nobody has" if settled == NOBODY else f"the {SIDES[settled]} has"
        return f"wind: {who} it without a roll ({LAW} 3 step 4)"
    parts = [f"{SIDES[side]} 1d10 + MAN {setup.engagement.wind_advantage(side):+d}" for side in (0, 1)]
    return f"wind: {' against '.join(parts)}; +1/+1 to whoever has it ({LAW} 3 step 4)"


def _modifiers(setup: NavalSetup, side: int, day: int, step: str) -> Iterator[str]:
    if not setup.engagement.columns(side)[0]:
        return

    def value(modifier: Modifier) -> int:
        return modifier.fire if step == "Fire" else modifier.shock

    for modifier in setup.engagement.modifiers[side]:
        if day in modifier.days and value(modifier):
            yield _line(side, f"day {day} {step}", f"{value(modifier):+d}", modifier.reason, modifier.source)
    wind = setup.engagement.wind_modifier(side)
    if any(group.wind == side for group in setup.known.drawn):
        yield _line(side, f"day {day} {step}", "+1", "if it has the wind", wind.source)
    gains = [(group.fire if step == "Fire" else group.shock)[side] for group in setup.known.drawn]
    yield from _range(setup, side, f"day {day} {step}", gains)
    if (day, step) != (1, "Fire"):
        yield _line(side, f"day {day} {step}", "-1", "if it has suffered more stars so far", f"{LAW} 3 step 7")
    if day == 2 and setup.policies[1 - side].break_off != "never":
        yield _line(side, f"day {day} {step}", "+1", "if the enemy has failed to break off", f"{LAW} 3 step 7")
    if step == "Fire" and setup.engagement.halves(side):
        yield _line(
            side, f"day {day} Fire", "half", "losses: galleys without galleass before battery", f"{LAW} 3 step 7"
        )


def _range(setup: NavalSetup, side: int, when: str, values: list[int]) -> Iterator[str]:
    low, high = min(values), max(values)
    if high:
        shown = f"{low:+d}" if low == high else f"{low:+d} to {high:+d}"
        yield _line(side, when, shown, f"leader: {setup.engagement.squadrons[side].leader.text()}", f"{LAW} 3 step 6")


def _pursuit_modifiers(setup: NavalSetup, side: int) -> list[str]:
    found = [
        _line(side, "pursuit", f"{modifier.pursuit:+d}", modifier.reason, modifier.source)
        for modifier in setup.engagement.modifiers[side]
        if modifier.pursuit
    ]
    if any(group.wind == side for group in setup.known.drawn):
        found.append(_line(side, "pursuit", "+1", "if it has the wind", PURSUIT))
    ahead = [max(0, pair[side][0] - pair[1 - side][0]) for pairs in setup.known.drawn.values() for pair in pairs]
    found += _range(setup, side, "pursuit", ahead)
    found.append(_line(side, "pursuit", "+0 to +3", "+2 if it ended on day one, +1 if it ended after a Fire", PURSUIT))
    return found


def _size_line(setup: BattleSetup, side: int) -> str:
    size = setup.reckoning.size(side)
    shown = ", ".join(f"{thirds} -> {setup.reckoning.modified(1 - side, thirds, False)}" for thirds in (3, 6, 9, 12))
    return f"{SIDES[side]} losses inflicted with a size of {size} ND, in thirds: {shown} ({LAW} 3 step 10)"


def _line(side: int, when: str, value: str, reason: str, source: str) -> str:
    return f"{SIDES[side]} {when}: {value} {reason} ({source})"


# --- replay ---


def teller(setup: BattleSetup) -> Callable[..., str]:
    """The function that tells one step of a battle."""

    def tell(before: Any, result: int, after: Any, dice: random.Random) -> str:
        if before.stage == end.FIGHT:
            return "\n".join(_fight_lines(setup, after, dice))
        if before.stage == end.EVADE:
            return _evasion_line(setup, bool(result), dice)
        if before.stage in {end.STORM_A, end.STORM_D}:
            return _storm_line(setup, before.stage - end.STORM_A, after)
        if before.stage == end.LEADERS:
            codes = result % end.FATES, result // end.FATES
            shown = [f"{side}'s {FATES[code]}" for side, code in zip(SIDES, codes, strict=True)]
            return f"Leaders: {', '.join(shown)}."
        return ""

    return tell


def _fight_lines(setup: BattleSetup, after: Any, dice: random.Random) -> Iterator[str]:
    """Every roll of a fight that ends so, as likely as it should be."""
    (came, chased), cell = _origin(setup, after, dice)
    fighting, groups = setup.fighting, setup.fights.groups
    way = setup.fights.spread.way(came.state, cell, dice)
    for (before, own, enemy), (state, own_after, enemy_after) in pairwise(way):
        group = groups[came.place] if state.group == came.state.group else groups[state.group]
        if before.stage == rules.DRAW:
            yield _draw_line(fighting, group, dice)
        elif rules.rolls(before):
            inflicted = (enemy_after - enemy, state.stars_d - before.stars_d), (
                own_after - own, state.stars_a - before.stars_a
            )  # fmt: skip
            yield _roll_line(fighting, groups[before.group], before, inflicted, dice)
        elif before.stage in {rules.FIRST_BREAK, rules.SECOND_BREAK}:
            yield _break_line(fighting, groups[before.group], before, state, dice)
    how = f"{SIDES[chased.row.left - 1]} leaves with the wind: " if chased.row.left else ""
    yield f"The fighting ends: {how}{WINNERS[chased.row.winner]}."
    if came.case.chase:
        yield _chase_line(fighting, groups[came.place], chased, dice)
    yield _records_line(
        [list(setup.records[side])[number] for side, number in enumerate((after.record_a, after.record_d))]
    )


def _origin(setup: BattleSetup, after: Any, dice: random.Random) -> tuple[Part, tuple[int, int]]:
    """Where an end may have come from: a fight, and the losses in it."""
    row, found = setup.rows[after.row], []
    for part in setup.fights.parts():
        came, chased = part
        if chased.row != row:
            continue
        width, height = came.chances.shape
        own = setup.numbers(0, chased)[:width] == after.record_a
        enemy = setup.numbers(1, chased)[:height] == after.record_d
        chances = np.where(np.outer(own, enemy), chased.chance * came.chances, 0.0)
        found += [(part, (int(a), int(d)), float(chances[a, d])) for a, d in zip(*np.nonzero(chances), strict=True)]
    part, cell, _ = dice.choices(found, [weight for _, _, weight in found])[0]
    return part, cell


def _records_line(records: list[Record]) -> str:
    shown = []
    for side, record in zip(SIDES, records, strict=True):
        taken = f", {record.captured.text()} captured" if record.captured.thirds else ""
        shown.append(
            f"{side} suffers {record.losses} thirds ({record.damaged} damaged, {record.destroyed} destroyed, "
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
        bonus = [pair[side][0] + setup.engagement.wind_advantage(side) for side in (0, 1)]

        def blows(throw: tuple[int, int]) -> bool:
            lead = throw[0] + bonus[0] - throw[1] - bonus[1]
            return (0 if lead > 0 else 1 if lead < 0 else NOBODY) == group.wind

        own, enemy = face_where([(a, d) for a in FACES for d in FACES], blows, dice)
        parts.append(f"wind: attacker {own} {bonus[0]:+d}, defender {enemy} {bonus[1]:+d}")
    who = "nobody has" if group.wind == NOBODY else f"the {SIDES[group.wind]} has"
    return f"Before the battle: {'; '.join([*parts, f'{who} the wind'])}."


def _roll_line(setup: NavalSetup, group: Group, before: Any, inflicted: Any, dice: random.Random) -> str:
    roll = before.stage - rules.FIRE_1
    worse = rules.more_stars(before)
    texts = []
    for side, (thirds, stars) in enumerate(inflicted):
        column = setup.engagement.columns(side)[0 if ROLLS[roll][1] else 1]
        if not column:
            texts.append(f"the {SIDES[side]}'s convoy does not roll")
            continue
        drm = setup.drm(side, group, roll, before.failed, worse)

        def fits(face: int, side: int = side, drm: int = drm, seen: tuple[int, int] = (thirds, stars)) -> bool:
            return setup.read(side, roll, face + drm) == seen

        die = face_where(FACES, fits, dice)
        texts.append(f"{SIDES[side]} {die} ({drm:+d}, column {column}): {thirds} thirds, {stars} stars")
    return f"{NAMES[roll]}: {'; '.join(texts)}."


def _chase_line(setup: NavalSetup, group: Group, chased: Chased, dice: random.Random) -> str:
    side = chased.row.winner
    seen = chased.code & rules.LOSS_MASK, chased.code >> rules.LOSS_BITS
    fixed, column = setup.pursuit_drm(side, group, chased.row.rolls), setup.engagement.pursuit_column(side)
    throws = []
    for pair, weight in setup.groups[group].items():
        more = fixed + max(0, pair[side][0] - pair[1 - side][0])
        throws += [
            (face, more, weight) for face in FACES if setup.engagement.book.combat_roll(column, face + more) == seen
        ]
    face, drm, _ = dice.choices(throws, [throw[2] for throw in throws])[0]
    return f"Pursuit by the {SIDES[side]}: {face} ({drm:+d}, column {column}): {seen[0]} thirds, {seen[1]} stars."


def _break_line(setup: NavalSetup, group: Group, before: Any, after: Any, dice: random.Random) -> str:
    first = 0 if setup.engagement.interception else 1
    side = first if before.stage == rules.FIRST_BREAK else 1 - first
    if setup.engagement.options.break_off_at_sea == "automatic":
        return f"Break-off: the {SIDES[side]} gets away (no roll)."
    left = setup.engagement.morale[side] - (before.stars_a, before.stars_d)[side]
    man, away = group.men[side] or 0, after.broke == side + 1
    die = face_where(FACES, lambda face: (face <= man + left) == away, dice)
    ends = "gets away" if away else "fails: the enemy has +1/+1 on day two"
    return (
        f"Break-off: the {SIDES[side]} needs {man + left} or less (MAN {man}, morale {left}), rolls {die} and {ends}."
    )


def _storm_line(setup: BattleSetup, side: int, after: Any) -> str:
    record = list(setup.records[side])[(after.record_a, after.record_d)[side]]
    return f"Retreat attrition of the {SIDES[side]}: {record.fleet.text()} left."


def _evasion_line(setup: BattleSetup, evaded: bool, dice: random.Random) -> str:
    bonus = setup.evasion_bonus
    die = face_where(FACES, lambda face: (face + bonus >= EVADES_AT) == evaded, dice)
    return f"Evasion: {die} + {bonus}: the defender {'evades' if evaded else 'has to fight'}."
