"""Quick battles and sieges in columns and words (docs/rules/birthright.md sections 4 and 5)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Columns
from simulator.rules.birthright import model
from simulator.rules.birthright.quick import rules
from simulator.rules.birthright.quick.rules import Check, QuickParams, QuickState, SiegeParams, SiegeState
from simulator.rules.birthright.quick.tables import Army, Matchup, Siege, matchup, siege_of
from simulator.rules.birthright.units import Unit, assumed_sources
from simulator.rules.toolkit.faces import face_where
from simulator.rules.toolkit.naming import plural, winner_text

HOUSE_RULE = "quick-battle procedure: house rule"
ROLLS = list(product(range(1, 21), repeat=2))
# Winner by `ended`.
WINNER = np.array([NOBODY, ATTACKER, DEFENDER, NOBODY])

# The headline of a siege.
SIEGE = "The castle falls in {m}, holds in {winner == 'defender'}[; the siege is still open in {winner == 'nobody'}]."


def quick_columns(battle: Matchup, states: Any) -> Columns:
    """Outputs of final states of a quick battle."""
    routed = states.rout > 0
    columns: Columns = {
        "winner": WINNER[states.ended],
        "attacker_steps_left": battle.attacker.steps - states.attacker_lost,
        "defender_steps_left": battle.defender.steps - states.defender_lost,
        "attacker_units_left": battle.attacker.alive()[states.attacker_lost],
        "defender_units_left": battle.defender.alive()[states.defender_lost],
        "attacker_routed": routed & (states.ended == rules.DEFENDER_WON),
        "defender_routed": routed & (states.ended != rules.DEFENDER_WON),
        "turns": states.turns,
    }
    lost = states.attacker_lost, states.defender_lost
    return columns | (gold((battle.attacker, battle.defender), lost) if battle.options.gold else {})


def gold(armies: Sequence[Army], lost: Sequence[np.ndarray]) -> Columns:
    """The gold of both armies, and of their units without a step left, by steps lost (section 2.4)."""
    columns: Columns = {}
    for name, army, steps in zip(SIDES, armies, lost, strict=True):
        columns |= {f"{name}_gold": np.full_like(steps, army.gold), f"{name}_gold_lost": army.gold_lost[steps]}
    return columns


def quick_decisions(battle: Matchup, states: Any, options: np.ndarray) -> Columns:
    """Columns of states in which a side is asked: the policy's path, the state in words, and the option.

    `options`: int32, shape (states,).
    """
    attacks = states.asked == rules.ATTACKER_ASKED
    return {
        "decision": np.where(attacks, "policy.attacker.retreat", "policy.defender.retreat"),
        "attacker_steps": battle.attacker.steps - states.attacker_lost,
        "defender_steps": battle.defender.steps - states.defender_lost,
        "turn": states.turns,
        "behind": np.array(["nobody", "defender", "attacker"])[states.ahead],
        "choice": np.where(options == rules.LEAVE, "leave", "stay"),
    }


def check_assumptions(options: model.CheckOptions) -> list[str]:
    """The assumed numbers of the check."""
    ratio = ", ".join(f"{strong}:{weak} {modifier:+d}" for strong, weak, modifier in options.quick_ratio)
    losses = ", ".join(f"from {row[0]} {row[1]}/{row[2]} %{' rout' if row[3] else ''}" for row in options.quick_result)
    return [
        HOUSE_RULE,
        f"odds modifiers: {ratio} (ASSUMED)",
        f"losses by margin, winner/loser: {losses} (ASSUMED)",
        f"walls: {options.fort_bonus_per_level} a level, at most {options.fort_bonus_max} (ASSUMED)",
    ]


def assumed_armies(gold: bool, *armies: Army) -> list[str]:
    """The units of these armies that have no source; only the first two armies are paid for."""
    return assumed_sources(
        [unit for army in armies for unit in army.units],
        [unit for army in armies[:2] for unit in army.units] if gold else (),
    )


def quick_assumptions(fields: model.QuickBattle) -> list[str]:
    """Options, policies and assumed numbers in force."""
    single = fields.options.mode == "single"
    battle = matchup(fields)
    lines = check_assumptions(fields.options)
    lines += assumed_armies(fields.options.gold, battle.attacker, battle.defender)
    lines.append("one check: its winner holds the field" if single else f"at most {fields.options.max_turns} checks")
    for side in SIDES:
        policy = getattr(fields.policy, side)
        lines.append(f"{side}: losses {policy.losses}" + ("" if single else f", leaves: {policy.retreat}"))
    return lines


def points(half: int) -> str:
    """Half points as a strength."""
    return f"{half // 2}{' 1/2' if half % 2 else ''}"


def _army_line(name: str, army: Army, terrain: str, role: str) -> str:
    """An army's strength, unit by unit."""
    values: dict[Unit, int] = dict(zip(army.units, army.unit_values(terrain, role), strict=True))
    counts = Counter(army.units)
    parts = [f"{counts[unit]} x {unit.name} of {points(value)}" for unit, value in values.items()]
    if army.leader_points and army.units:
        parts.append(f"leader {army.leader_points}")
    total = points(int(army.half_points(terrain, role)[0]))
    text = f"{name} on {terrain}: strength {total} ({', '.join(parts) or 'nobody'}), {plural(army.steps, 'step')}"
    return f"{text}, Warcraft {army.warcraft:+d}"


def explain_check(battle: Matchup, level: int) -> list[str]:
    """Both armies at full strength, the odds modifier, and the chances of being ahead after a check."""
    attacker, defender = battle.names
    own, enemy = (int(strength[0, 0]) for strength in battle.strengths)
    lines = [_army_line(attacker, battle.attacker, battle.terrain, "attack")]
    lines.append(_army_line(defender, battle.defender, battle.terrain, "defend"))
    turned = [int(points[0, 0]) for points in battle.turned]
    lines += [
        f"undead of the enemy turned: +{points(half)} for the {name}"
        for name, half in zip(battle.names, turned, strict=True)
        if half
    ]
    pikes = enemy - turned[1] - int(battle.defender.half_points(battle.terrain, "defend")[0])
    if pikes:
        lines.append(f"pikes against horse: +{points(pikes)} for the {defender}")
    modifier = int(battle.modifiers()[0, 0])
    favoured = f"odds modifier +{abs(modifier)} for the {attacker if modifier > 0 else defender}"
    lines.append(f"{points(own)} against {points(enemy)}: {favoured if modifier else 'no odds modifier'}")
    walls = battle.walls(level)
    if walls:
        lines.append(f"walls of level {level}: +{walls} for the {defender}")
    ahead = [0, 0, 0]
    for result, ways in battle.chances(battle.attacker.warcraft - battle.defender.warcraft + modifier - walls).items():
        ahead[result & 3] += ways
    neither, first, second = (f"{ways / 4:g} %" for ways in ahead)
    return [*lines, f"ahead after a check: {attacker} {first}, {defender} {second}, neither {neither}"]


def check_line(
    battle: Matchup, check: Check, lost: tuple[int, int], walls: int, result: int, dice: random.Random
) -> str:
    """A check after these steps lost, with dice that give its result."""
    modifier = int(check.net[lost]) - battle.attacker.warcraft + battle.defender.warcraft
    bonus = (battle.attacker.warcraft + max(0, modifier), battle.defender.warcraft + max(0, -modifier) + walls)
    rolls = face_where(ROLLS, lambda pair: battle.result(pair[0] + bonus[0] - pair[1] - bonus[1]) == result, dice)
    own, enemy = (int(steps) for steps in rules.check_losses(check, *lost, result))
    margin = rolls[0] + bonus[0] - rolls[1] - bonus[1]
    shown = " against ".join(
        f"{name} d20 {roll} {extra:+d} = {roll + extra}"
        for name, roll, extra in zip(battle.names, rolls, bonus, strict=True)
    )
    rout = ", rout" if margin and battle.options.quick_result[result >> 2][3] else ""
    first, second = battle.names
    return f"{shown}: margin {margin:+d}{rout}; {first} loses {plural(own, 'step')}, {second} {enemy}"


def quick_tell(
    battle: Matchup,
    params: QuickParams,
    before: QuickState,
    result: int,
    after: QuickState,
    dice: random.Random,
) -> str:
    """One check of a replay."""
    lost = before.attacker_lost, before.defender_lost
    end = f"; {winner_text(int(WINNER[after.ended]))}" if after.ended else ""
    return f"Check {before.turns + 1}: {check_line(battle, params.check, lost, params.walls, result, dice)}{end}."


def siege_columns(siege: Siege, states: Any) -> Columns:
    """Outputs of final states."""
    columns: Columns = {
        "winner": WINNER[states.ended],
        "seasons": states.season,
        "level_left": states.level,
        "attacker_steps_left": siege.besieger.steps - states.besieger_lost,
        "defender_steps_left": siege.garrison.steps - states.garrison_lost,
        "relief_came": states.relief != rules.NOT_COME,
        "storms": states.storms,
    }
    if siege.fields.options.gold:
        columns |= gold((siege.besieger, siege.garrison), (states.besieger_lost, states.garrison_lost))
        upkeep = sum(entry.count * entry.unit.maintenance for entry in siege.besieger.entries)
        columns["attacker_upkeep"] = states.season * upkeep
    return columns


RELIEF = np.array(["not come", "in the field", "beaten"])


def siege_decisions(siege: Siege, states: Any, options: np.ndarray) -> Columns:
    """Columns of states in which the besieger chooses: the state in words, and the option.

    `options`: int32, shape (states,).
    """
    expected = siege.fields.conditions.relief_on > 0
    return {
        "decision": np.full(len(options), "policy.attacker.siege"),
        "season": states.season,
        "level": states.level,
        "attacker_steps": siege.besieger.steps - states.besieger_lost,
        "garrison_steps": siege.garrison.steps - states.garrison_lost,
        "relief": RELIEF[states.relief] if expected else np.full(len(options), "none"),
        "choice": np.array(["wait", "storm", "withdraw"])[options],
    }


def siege_assumptions(fields: model.Siege) -> list[str]:
    """Options, policies and assumed numbers in force."""
    options, conditions, plan = fields.options, fields.conditions, fields.policy.attacker.siege
    at = f" {options.storm_level}" if plan == "storm-at-level" else ""
    lines = [f"besieger's plan: {plan}{at}"]
    if fields.attacker.rating:
        lines.append(f"rating {fields.attacker.rating} at full strength, as given")
    else:
        lines.append(f"rating_per_strength: {options.rating_per_strength} (ASSUMED)")
    lines.append(f"siege table read {options.rating_reading}; surrender at level 0 (ASSUMED)")
    if conditions.relief_on:
        lines.append(f"relief comes on a d20 of {conditions.relief_on} or more each season (ASSUMED)")
    lines += [f"{side}: losses {getattr(fields.policy, side).losses}" for side in SIDES]
    if options.gold:
        lines.append("every season begun is paid in full (ASSUMED)")
    siege = siege_of(fields)
    lines += assumed_armies(options.gold, siege.besieger, siege.garrison, siege.relief)
    return lines + check_assumptions(options)


def siege_explain(siege: Siege) -> list[str]:
    """Ratings, reach, and the checks of a storm and of a relief at full strength."""
    rating = int(siege.ratings[0])
    reach, removed = siege.row(rating)
    lines = [f"level {siege.level}; rating {rating} invests level {reach} and removes {removed} a season"]
    if reach < siege.level:
        lines.append("the place cannot be invested")
    lines += ["a storm at the level of the start:"]
    lines += [f"  {line}" for line in explain_check(siege.storm, siege.level)]
    if siege.fields.conditions.relief_on:
        lines += ["relief:"] + [f"  {line}" for line in explain_check(siege.relief_battle, 0)]
    return lines


def siege_tell(
    siege: Siege,
    params: SiegeParams,
    before: SiegeState,
    result: int,
    after: SiegeState,
    dice: random.Random,
) -> str:
    """One roll of a replay, or the end of a season."""
    if before.due == rules.ARRIVAL:
        on = siege.fields.conditions.relief_on
        face = face_where(range(1, 21), lambda face: (face >= on) == (result > 0), dice)
        text = f"a d20 of {face} for relief on {on}: {'it comes' if result else 'none'}"
    elif before.due == rules.RELIEF:
        lost = before.relief_lost, before.besieger_lost
        text = check_line(siege.relief_battle, params.relief, lost, 0, result, dice)
    elif before.due == rules.FALL:
        text = f"level {before.level} falls to {after.level}"
    else:
        lost, walls = (before.besieger_lost, before.garrison_lost), int(params.walls[before.level])
        text = "storm: " + check_line(siege.storm, params.storm, lost, walls, result, dice)
    return f"Season {before.season}: {text}{_end(params, before, after)}."


def _end(params: SiegeParams, before: SiegeState, after: SiegeState) -> str:
    if not after.ended:
        drawn = before.due == rules.RELIEF and after.relief == rules.IN_FIELD
        return "; both stay, the siege is interrupted" if drawn else ""
    if after.ended == rules.ATTACKER_WON:
        return "; the place surrenders" if before.due == rules.FALL else "; the place is taken"
    if after.ended != rules.DEFENDER_WON:
        return f"; after {plural(after.season, 'season')} it still stands, invested"
    if after.due == rules.CHOICE:
        return "; the besieger withdraws"
    if before.due == rules.RELIEF and params.reach[after.besieger_lost] >= after.level:
        return "; the siege is broken"
    return "; the besieger is too weak to go on, the siege is lifted"
