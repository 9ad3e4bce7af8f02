"""The armies and the numbers of the quick check, in words (docs/rules/birthright.md sections 2 and 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY
from simulator.rules.birthright import model
from simulator.rules.birthright.quick.armies import Army
from simulator.rules.birthright.quick.check import Check
from simulator.rules.birthright.units import Unit, assumed_sources
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import plural

HOUSE_RULE = "quick-battle procedure: house rule"


def both(name: str, values: Sequence[int]) -> dict[str, int]:
    """A column for each side."""
    return {f"{side}_{name}": value for side, value in zip(SIDES, values, strict=True)}


def losses_columns(armies: Sequence[Army], lost: Sequence[int], priced: bool) -> dict[str, int]:
    """The steps left of both armies; `priced`: also their gold, and that of units without a step left (section 2.4)."""
    pairs = list(zip(armies, lost, strict=True))
    columns = both("steps_left", [army.steps - steps for army, steps in pairs])
    if priced:
        columns |= both("gold", [army.gold for army in armies])
        columns |= both("gold_lost", [int(army.gold_lost[steps]) for army, steps in pairs])
    return columns


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


def explain_check(check: Check, level: int) -> list[str]:
    """Both armies at full strength, the odds modifier, and the chances of being ahead after a check."""
    armies, (attacker, defender), walls = check.armies, check.names, check.walls(level)
    own, enemy = (int(strength[0, 0]) for strength in check.strengths)
    lines = [_army_line(attacker, armies[0], check.terrain, "attack")]
    lines.append(_army_line(defender, armies[1], check.terrain, "defend"))
    turned = [int(points[0, 0]) for points in check.turned]
    lines += [
        f"undead of the enemy turned: +{points(half)} for the {name}"
        for name, half in zip(check.names, turned, strict=True)
        if half
    ]
    pikes = enemy - turned[1] - int(armies[1].half_points(check.terrain, "defend")[0])
    if pikes:
        lines.append(f"pikes against horse: +{points(pikes)} for the {defender}")
    modifier = int(check.modifiers[0, 0])
    favoured = f"odds modifier +{abs(modifier)} for the {attacker if modifier > 0 else defender}"
    lines.append(f"{points(own)} against {points(enemy)}: {favoured if modifier else 'no odds modifier'}")
    if walls:
        lines.append(f"walls of level {level}: +{walls} for the {defender}")
    ahead: Counter[int] = Counter()
    for checked, ways in check.after((0, 0), walls).items():
        ahead[checked.ahead] += ways
    first, second, neither = (f"{ahead[side] / 4:g} %" for side in (ATTACKER, DEFENDER, NOBODY))
    return [*lines, f"ahead after a check: {attacker} {first}, {defender} {second}, neither {neither}"]
