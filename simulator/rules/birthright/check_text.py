"""The quick check in words: strengths, odds, each d20 (docs/rules/birthright.md section 4); a house rule."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from typing import Any

import numpy as np

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Columns
from simulator.rules.birthright.check_rules import DEFENDER_WON, Check, QuickParams, QuickState, check_losses
from simulator.rules.birthright.check_tables import Army, Matchup
from simulator.rules.birthright.model import CheckOptions, QuickBattle
from simulator.rules.birthright.units import Unit
from simulator.rules.toolkit.faces import face_where
from simulator.rules.toolkit.naming import SIDES, plural, winner_text

HOUSE_RULE = "quick-battle procedure: house rule"
Throwers = tuple[tuple[str, str], random.Random]
ROLLS = list(product(range(1, 21), repeat=2))
WINNER = np.array([NOBODY, ATTACKER, DEFENDER, NOBODY])


def columns(battle: Matchup, states: Any) -> Columns:
    """Final states of a quick battle as the user's columns."""
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


def number_lines(options: CheckOptions) -> list[str]:
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
    lines = number_lines(fields.options)
    lines.append("one check: its winner holds the field" if single else f"at most {fields.options.max_turns} checks")
    for side in SIDES:
        policy = getattr(fields.policy, side)
        lines.append(f"{side}: losses {policy.losses}" + ("" if single else f", leaves: {policy.retreat}"))
    return lines


def points(half: int) -> str:
    """Half points as a strength."""
    return f"{half // 2}{' 1/2' if half % 2 else ''}"


def army_lines(name: str, army: Army, terrain: str, role: str) -> list[str]:
    """An army's strength, unit by unit."""
    each: dict[Unit, int] = dict(zip(army.units, army.worth(terrain, role), strict=True))
    counts = Counter(army.units)
    parts = [f"{counts[unit]} x {unit.name} of {points(worth)}" for unit, worth in each.items()]
    if army.leader_points and army.units:
        parts.append(f"leader {army.leader_points}")
    total = points(int(army.half_points(terrain, role)[0]))
    text = f"{name}: strength {total} ({', '.join(parts) or 'nobody'}), {plural(army.steps, 'step')}"
    return [f"{text}, Warcraft {army.warcraft:+d}"]


def check_lines(battle: Matchup, level: int, names: tuple[str, str] = SIDES) -> list[str]:
    """Both armies, the odds modifier, and the chances of being ahead."""
    own, enemy = battle.strengths
    lines = army_lines(f"{names[0]} on {battle.terrain}", battle.attacker, battle.terrain, "attack")
    lines += army_lines(f"{names[1]} on {battle.terrain}", battle.defender, battle.terrain, "defend")
    pikes = int(enemy[0, 0] - battle.defender.half_points(battle.terrain, "defend")[0])
    if pikes:
        lines.append(f"pikes against horse: +{points(pikes)} for the {names[1]}")
    modifier = int(battle.modifiers()[0, 0])
    favoured = names[0] if modifier > 0 else names[1]
    lines.append(f"{points(int(own[0, 0]))} against {points(int(enemy[0, 0]))}: " + (
        f"odds modifier +{abs(modifier)} for the {favoured}" if modifier else "no odds modifier"
    ))  # fmt: skip
    if battle.walls(level):
        lines.append(f"walls of level {level}: +{battle.walls(level)} for the {names[1]}")
    net = battle.attacker.warcraft - battle.defender.warcraft + modifier - battle.walls(level)
    ahead = [0, 0, 0]
    for result, ways in battle.chances(net).items():
        ahead[result & 3] += ways
    lines.append(
        f"ahead after a check: {names[0]} {ahead[1] / 4:g} %, {names[1]} {ahead[2] / 4:g} %, neither {ahead[0] / 4:g} %"
    )
    return lines


def told(
    battle: Matchup,
    check: Check,
    lost: tuple[int, int],
    walls: int,
    step: tuple[int, bool, Throwers],
) -> tuple[str, tuple[int, int]]:
    """A check with dice that give its result, and the steps that both sides lose.

    `step` is the result, whether cavalry pursues, and the (attacker's, defender's) names with the dice.
    """
    result, pursues, (names, dice) = step
    modifier = int(check.net[lost]) - battle.attacker.warcraft + battle.defender.warcraft
    bonus = (battle.attacker.warcraft + max(0, modifier), battle.defender.warcraft + max(0, -modifier) + walls)
    rolls = face_where(ROLLS, lambda pair: battle.result(pair[0] + bonus[0] - pair[1] - bonus[1]) == result, dice)
    losses = check_losses(check, *lost, result, pursues)
    margin = rolls[0] + bonus[0] - rolls[1] - bonus[1]
    row = battle.options.quick_result[result >> 2]
    shown = " against ".join(
        f"{name} d20 {roll} {extra:+d} = {roll + extra}" for name, roll, extra in zip(names, rolls, bonus, strict=True)
    )
    rout = ", rout" if margin and row[3] else ""
    text = (
        f"{shown}: margin {margin:+d}{rout}; {names[0]} loses {plural(int(losses[0]), 'step')}, {names[1]} {losses[1]}"
    )
    return text, (int(losses[0]), int(losses[1]))


def tell(battle: Matchup, params: QuickParams, step: tuple[QuickState, int, QuickState], dice: random.Random) -> str:
    """One check of a replay."""
    before, result, after = step
    lost = before.attacker_lost, before.defender_lost
    text, _ = told(battle, params.check, lost, params.walls, (result, True, (SIDES, dice)))
    end = f"; {winner_text(int(WINNER[after.ended]))}" if after.ended else ""
    return f"Check {before.turns + 1}: {text}{end}."
