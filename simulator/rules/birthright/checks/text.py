"""The quick check in words: strengths, odds, each d20 (docs/rules/birthright.md section 4); a house rule."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from typing import Any

import numpy as np

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Columns
from simulator.rules.birthright.checks.rules import DEFENDER_WON, Check, QuickParams, QuickState, check_losses
from simulator.rules.birthright.checks.tables import Army, Matchup
from simulator.rules.birthright.model import CheckOptions, QuickBattle
from simulator.rules.birthright.units import Unit
from simulator.rules.toolkit.faces import face_where
from simulator.rules.toolkit.naming import SIDES, plural, winner_text

HOUSE_RULE = "quick-battle procedure: house rule"
ROLLS = list(product(range(1, 21), repeat=2))
# Winner by `ended`.
WINNER = np.array([NOBODY, ATTACKER, DEFENDER, NOBODY])


def columns(battle: Matchup, states: Any) -> Columns:
    """Outputs of final states of a quick battle."""
    routed = states.rout > 0
    return {
        "winner": WINNER[states.ended],
        "attacker_steps_left": battle.attacker.steps - states.attacker_lost,
        "defender_steps_left": battle.defender.steps - states.defender_lost,
        "attacker_units_left": battle.attacker.alive[states.attacker_lost],
        "defender_units_left": battle.defender.alive[states.defender_lost],
        "attacker_routed": routed & (states.ended == DEFENDER_WON),
        "defender_routed": routed & (states.ended != DEFENDER_WON),
        "turns": states.turns,
    }


def check_assumptions(options: CheckOptions) -> list[str]:
    """The assumed numbers of the check."""
    ratio = ", ".join(f"{strong}:{weak} {modifier:+d}" for strong, weak, modifier in options.quick_ratio)
    losses = ", ".join(f"from {row[0]} {row[1]}/{row[2]} %{' rout' if row[3] else ''}" for row in options.quick_result)
    return [
        HOUSE_RULE,
        f"odds modifiers: {ratio} (ASSUMED)",
        f"losses by margin, winner/loser: {losses} (ASSUMED)",
        f"walls: {options.fort_bonus_per_level} a level, at most {options.fort_bonus_max} (ASSUMED)",
    ]


def assumptions(fields: QuickBattle) -> list[str]:
    """Options, policies and assumed numbers in force."""
    single = fields.options.mode == "single"
    lines = check_assumptions(fields.options)
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


def explain(battle: Matchup, level: int) -> list[str]:
    """Both armies at full strength, the odds modifier, and the chances of being ahead after a check."""
    attacker, defender = battle.names
    own, enemy = (int(strength[0, 0]) for strength in battle.strengths)
    lines = [_army_line(attacker, battle.attacker, battle.terrain, "attack")]
    lines.append(_army_line(defender, battle.defender, battle.terrain, "defend"))
    pikes = enemy - int(battle.defender.half_points(battle.terrain, "defend")[0])
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
    own, enemy = (int(steps) for steps in check_losses(check, *lost, result))
    margin = rolls[0] + bonus[0] - rolls[1] - bonus[1]
    shown = " against ".join(
        f"{name} d20 {roll} {extra:+d} = {roll + extra}"
        for name, roll, extra in zip(battle.names, rolls, bonus, strict=True)
    )
    rout = ", rout" if margin and battle.options.quick_result[result >> 2][3] else ""
    first, second = battle.names
    return f"{shown}: margin {margin:+d}{rout}; {first} loses {plural(own, 'step')}, {second} {enemy}"


def tell(battle: Matchup, params: QuickParams, step: tuple[QuickState, int, QuickState], dice: random.Random) -> str:
    """One check of a replay."""
    before, result, after = step
    lost = before.attacker_lost, before.defender_lost
    end = f"; {winner_text(int(WINNER[after.ended]))}" if after.ended else ""
    return f"Check {before.turns + 1}: {check_line(battle, params.check, lost, params.walls, result, dice)}{end}."
