"""A battle of a game file in words: its assumptions, the dice of both sides and why, and the salvos of a replay."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.custom.build import Field
from simulator.rules.custom.dice.replay import units_text
from simulator.rules.custom.dice.volleys import Situation, Standing, Volley, fired, rerolls, volleys_at
from simulator.rules.custom.game_file.describe import value_in_words
from simulator.rules.custom.game_file.words import by_side
from simulator.rules.custom.line import absorbs_first, loss_order
from simulator.rules.custom.masks import bits, everyone
from simulator.rules.custom.model import PARAMETERS, options_of, usual
from simulator.rules.custom.setup import Help, Setup, Shot
from simulator.rules.toolkit.naming import counted, listed, plural
from simulator.rules.toolkit.policies import in_words, named
from simulator.rules.toolkit.words import setting_of

# Each aim in words.
AIMS = {
    "anyone": "",
    "first": "; each die at the piece that is next to fall",
    "kind": "; front kind against front kind",
    "piece": "; front piece against front piece",
}


def assumptions(field: Field) -> list[str]:
    """The assumptions of the answer (section 9), from the file's own lines to the options."""
    setup = field.setup
    lines = [" ".join(line.split()) for line in setup.file.assumed]
    lines += [f"house rule: {path}: {old} -> {new}" for path, old, new in setup.source.changes]
    for key, condition in setup.file.condition.items():
        if setup.conditions[key] != usual(condition):
            lines.append(f"{key}: {setting_of(setup.conditions[key])}")
    for side in SIDES:
        lines += _side_lines(setup, side)
    options = setup.fields.options
    if setup.low_luck:
        lines.append("low luck: each hit class scores its mean, and the fraction is rolled")
    if setup.most_points is not None:
        lines.append(f"a side scores {setup.most_points} points at most")
    if setup.rounds:
        limit = plural(setup.rounds, "round")
        lines.append(f"after {limit} the battle is undecided{'' if options.rounds is None else ' (option)'}")
    return lines


def _side_lines(setup: Setup, side: str) -> Iterator[str]:
    policy, on = getattr(setup.fields.policy, side), options_of(getattr(setup.fields, side))
    if on:
        yield f"the {side} has {listed([setup.file.option[key].name or key for key in on])}"
    hits = zip(setup.names, setup.sides[side].damaged, strict=True)
    if hurt := [f"{plural(number, 'hit')} on {unit}" for unit, number in hits if number]:
        yield f"the {side} comes damaged: {listed(hurt)}"
    chosen = named(policy.retreat)
    if chosen == ["never"]:
        yield f"the {side} never leaves"
    else:
        yield f"the {side} leaves: {listed(in_words(policy, chosen, PARAMETERS), 'or')}"
    own = setup.sides[side]
    order = [setup.names[unit] for unit in loss_order(setup, side) if own.present >> unit & 1]
    enemys = by_side(setup.file.losses.chosen_by, side) == "enemy"
    loses = f"the {own.enemy} hits" if enemys else f"the {side} loses"
    text = f"{loses} {', then '.join(order)}" if order else ""
    several = [unit for unit in bits(own.present & own.fights) if own.pieces[unit].hits > 1]
    if front := [setup.names[unit] for unit in several if absorbs_first(setup, side, unit)]:
        text += f"; damage to {listed(front)} first"
    if policy.keep:
        text += f"; kept to the end: {listed([f'{number} {entry}' for entry, number in policy.keep.items()])}"
    yield text


def explain(field: Field) -> list[str]:
    """The dice of each unit at the start, with their values and the rules that change them."""
    setup = field.setup
    stands = {side: field.places[side].standing([0]) for side in SIDES}
    lines: dict[tuple[int, str, str], str] = {}
    for phase in range(setup.phases + 1):
        for number, group in enumerate(setup.groups):
            if (phase == 0) != (number < setup.opening):
                continue
            for side in SIDES:
                for text in _shot_lines(field, side, group, phase, stands):
                    lines.setdefault((number, side, text), f"{_when(phase, setup.phases)}: {text}")
    return [*lines.values()] or ["nobody rolls a die"]


def _when(phase: int, last: int) -> str:
    if phase == 0:
        return "before the battle"
    return f"round {phase}" if phase < last else "every round" if last == 1 else f"round {phase} and later"


def _shot_lines(field: Field, side: str, group: list[int], phase: int, stands: dict[str, Standing]) -> Iterator[str]:
    setup, rules = field.setup, field.setup.sides[side]
    now = Situation(phase, stands[side], stands[rules.enemy])
    for shot in fired(rules, group, now):
        rolled = [_volley_text(setup, volley) for volley in volleys_at(rules, shot, now)]
        again = [_again_text(setup, *one) for one in rerolls(rules, shot, now)]
        if rolled:
            yield f"{shot.given.name}, {side}: {'; '.join(rolled)}{_aim(setup, shot, now.enemy)}{''.join(again)}"


def _volley_text(setup: Setup, volley: Volley) -> str:
    each = "" if volley.dice == volley.units else f", {plural(volley.dice, 'die', 'dice')}"
    reroll = ""
    if volley.roll.reroll == "misses":
        reroll = ", misses rerolled"
    elif volley.roll.reroll:
        reroll = f", {listed([str(face) for face in sorted(volley.roll.reroll, key=str)])} rerolled"
    why = "".join(f", {_help_text(setup, rule)}" for rule in volley.helps)
    who = counted([volley.units], [setup.names[volley.unit]]) + _rolls_at(setup, volley)
    return f"{who}{each}{reroll}{_chance(setup, volley, why)}"


def _again_text(setup: Setup, rule: Help, most: Any) -> str:
    """A limited reroll."""
    whose = "" if rule.units == everyone(setup.file) else f" of {units_text(setup, rule.units)}"
    name = rule.given.name or "modifier"
    return f"; at most {plural(int(np.max(most)), 'miss', 'misses')}{whose} rolled again, the best dice first ({name})"


def _rolls_at(setup: Setup, volley: Volley) -> str:
    """The value, the die and the damage of a roll."""
    roll = volley.roll
    die = "" if roll.die is None else f" on {roll.die}"
    if roll.compared:
        return f"{die} with {roll.value:+d}"
    at, damage = value_in_words(setup.file, roll), f" for {roll.damage} damage{', split' * roll.split}"
    return f" {at}{die}{damage * (roll.damage > 1)}" if at else die


def _chance(setup: Setup, volley: Volley, why: str) -> str:
    """The chance of a die, for each set of units that it may hit."""
    if volley.roll.compared:
        return f" ({'scored' if volley.shot.given.points else 'compared'}{why})"
    there = setup.sides[volley.side.enemy].present
    chances: dict[int, Fraction] = {}
    for hit, chance in volley.hits:
        chances[hit.units & there] = chances.get(hit.units & there, Fraction(0)) + Fraction(chance, setup.whole)
    if len(chances) < 2:
        return f" (chance {sum(chances.values())} a die{why})"
    parts = [f"{chance} on {units_text(setup, units)}" for units, chance in chances.items()]
    return f" (chance a die: {', '.join(parts)}{why})"


def _help_text(setup: Setup, rule: Help) -> str:
    given = rule.given
    parts = []
    if getattr(given, "sets", None) is not None:
        parts.append(f"raised to {given.sets}")
    if given.adds:
        parts.append(f"{given.adds:+d}")
    if getattr(given, "dice", 0):
        parts.append(f"{given.dice:+d} dice")
    if getattr(given, "reroll", "none") != "none":
        parts.append("reroll")
    kind = "support" if rule.by else "modifier"
    name = given.name or (listed([setup.names[u] for u in bits(rule.by)]) if rule.by else kind)
    return f"{' and '.join(parts) or 'nothing'} from {name}"


def _aim(setup: Setup, shot: Shot, enemy: Standing) -> str:
    others = enemy.fighting & ~shot.targets
    spared = f"; cannot hit {listed([setup.names[unit] for unit in bits(others)])}" if others else ""
    checks = f"; each hit must pass {listed(shot.given.checks)}" if shot.given.checks else ""
    spared += AIMS[shot.given.aim] + checks + "; hits of both sides cancel" * shot.given.cancel
    limit = shot.given.dice_at_most
    if isinstance(limit, int):
        return f"{spared}; at most {plural(limit, 'die', 'dice')}, the best ones"
    return spared + ("" if limit is None else "; no more dice than units allow, the best ones")
