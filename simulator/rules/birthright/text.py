"""A battle unit against unit in words: what it rests on, who stands against whom, each die of a replay."""

from __future__ import annotations

import random
from collections.abc import Sequence

from simulator.rules.birthright.engagement import EDGE, FALLEN_BACK, GONE, ROUTED, Attack, Engagement
from simulator.rules.birthright.model import Fight
from simulator.rules.birthright.rules import FIGHT, PURSUIT, FieldParams, FieldState, send_up
from simulator.rules.birthright.tables import CHARGING_GROUND, Card, Setup, cover, edges
from simulator.rules.birthright.units import Entry, Unit
from simulator.rules.toolkit.faces import summing_to, thrown_until
from simulator.rules.toolkit.naming import SIDES, listed, plural

CHECKS_ASSUMED = "when morale is checked, rest after falling back and a rout the second time: ASSUMED"


def assumptions(fields: Fight) -> list[str]:
    """Options, policies and assumed numbers in force (docs/rules/birthright.md sections 3 and 9)."""
    options, policy = fields.options, fields.policy
    ten = "rolled again" if options.ten == "reroll" else "a d8: one column worse or better, then rolled again"
    lines = [
        f"a 10 on the d10: {ten}; morale on a {options.morale_die}; rally: {options.rally}",
        f"missile_rounds: {options.missile_rounds} while the lines close (ASSUMED)",
        f"command edge: a column for {options.warcraft_step} Warcraft, at most {options.warcraft_max} (ASSUMED)",
        CHECKS_ASSUMED,
    ]
    if fields.battle == "storm":
        level = fields.conditions.fortification
        lines.append(f"walls of level {level} add {cover(fields)} to the garrison's defence (ASSUMED); nobody charges")
    else:
        charges = fields.conditions.terrain in CHARGING_GROUND
        lines.append(f"charges on plains and hills only{'' if charges else ': none here'}, never on pikemen (ASSUMED)")
        if fields.conditions.defender_position:
            lines.append(f"the defender's position adds {fields.conditions.defender_position} to defence (ASSUMED)")
        chase = f"cavalry catches on {fields.options.pursuit_number} or more (ASSUMED)"
        lines.append(f"pursuit: {chase if fields.options.pursuit == 'cavalry' else 'none'}")
    for side in SIDES:
        own = getattr(policy, side)
        lines.append(f"{side}: deploys {own.deploy}, leaves: {own.retreat}")
    return lines


def card_text(unit: Unit) -> str:
    """The values of a card."""
    lists = [f"{name} {'/'.join(map(str, getattr(unit, name)))}" for name in ("melee", "charge", "missile")
             if getattr(unit, name)]  # fmt: skip
    icons = plural(unit.morale, "morale icon")
    return (
        f"{', '.join(lists)}, defence {unit.defence}, {icons}, {plural(unit.steps, 'step')}, strength {unit.strength}"
    )


def explain(setup: Setup) -> list[str]:
    """Both armies in order of battle, and the columns on which fresh units fight each other."""
    fields = setup.fields
    lines = []
    for name, side in zip(SIDES, setup.hosts, strict=True):
        lines.append(f"{name}, front first: {listed([str(entry) for entry in side.entries])}")
        lines += [f"  {unit.name}: {card_text(unit)}" for unit in _each_once(side.entries)]
    edge, stands = edges(fields), "walls" if fields.battle == "storm" else "position"
    lines.append(f"command edge: attacker {edge[0]}, defender {edge[1]}; the defender's {stands}: {cover(fields)}")
    for own in _each_once(setup.hosts[0].entries):
        for enemy in _each_once(setup.hosts[1].entries):
            engagement = setup.engagement(own, enemy)
            lines.append(f"{own.name} against {enemy.name}: {_first_rounds(engagement)}")
    return lines


def _each_once(entries: Sequence[Entry]) -> list[Unit]:
    return list(dict.fromkeys(entry.unit for entry in entries))


def _first_rounds(engagement: Engagement) -> str:
    """What both fresh units do in the approach and at the contact."""
    texts = []
    for step in sorted({engagement.opening((0, 0)).step, 1}, reverse=True):
        done, attacks = engagement.next_attacks(engagement.opening((0, 0))._replace(step=step))
        shown = [
            f"{unit.name} {written(attack)}"
            for unit, attack in zip(engagement.units, attacks, strict=True)
            if attack is not None
        ]
        if shown:
            texts.append(f"{done} {listed(shown)}")
    return "; ".join(texts)


def written(attack: Attack) -> str:
    """`4 - 3 + 1 = +2`."""
    parts = [str(attack.value), f"- {attack.defence}"]
    parts += [f"- {attack.cover}"] if attack.cover else []
    parts += [f"+ {attack.edge}"] if attack.edge else []
    total = attack.value - attack.defence - attack.cover + attack.edge
    held = f", held at {attack.column:+d}" if abs(total) > EDGE else ""
    return f"{' '.join(parts)} = {signed(total)}{held}"


def signed(number: int) -> str:
    """`+2`, `-1` or `0`."""
    return f"{number:+d}" if number else "0"


def tell(setup: Setup, params: FieldParams, step: tuple[FieldState, int, FieldState], dice: random.Random) -> str:
    """One engagement or the pursuit of a replay, with dice that give its result."""
    before, result, after = step
    if before.stage == PURSUIT:
        return _pursuit(setup, before, result, dice)
    own, enemy = setup.card_at(before.attacker), setup.card_at(before.defender)
    ends = result >> 4, result & 15
    engagement = setup.engagement(own.unit, enemy.unit)
    names = _named(own, "attacker"), _named(enemy, "defender")
    lines = [f"The {names[0]} against the {names[1]}:"]
    thrown = thrown_until(
        lambda dice: engagement.thrown((own.hits, enemy.hits), lambda sides: dice.randint(1, sides)),
        lambda thrown: (own.fate(thrown[0][0]), enemy.fate(thrown[0][1])) == ends,
        dice,
    )
    if thrown is None:
        lines.append("  (an end so rare that its dice are not shown)")
    else:
        for done, side, attack, words in thrown[1]:
            unit = (own, enemy)[side].unit
            lines.append(f"  {done}, {SIDES[side]}'s {unit.name}: {written(attack)}, d10 {words}")
        ends = thrown[0]
    lines.append(f"  -> {_end(own, ends[0], 'attacker')}; {_end(enemy, ends[1], 'defender')}")
    if after.stage != FIGHT:
        lines += _left(params, before, result, after)
    return "\n".join(lines)


def _named(card: Card, side: str) -> str:
    marks = ([plural(card.hits, "hit")] if card.hits else []) + (["rested"] if card.rested else [])
    return f"{side}'s {card.unit.name}" + (f" ({', '.join(marks)})" if marks else "")


def _end(card: Card, end: int, side: str) -> str:
    if end < FALLEN_BACK:
        fate = "unhurt" if end == 0 else plural(end, "hit")
    elif end < ROUTED:
        fate = f"back{' a second time, routed' if card.rested else ', rests'}"
    else:
        fate = "destroyed" if end == GONE else "routed"
    return f"{side}'s {card.unit.name}: {fate}"


def _left(params: FieldParams, before: FieldState, result: int, after: FieldState) -> list[str]:
    """Who has nobody on the field any more, or leaves it."""
    lines = []
    for side, end in zip(SIDES, (result >> 4, result & 15), strict=True):
        front, near, far = (getattr(before, name) for name in (side, f"{side}_near", f"{side}_far"))
        if params.size[getattr(after, side)] == 0:
            left = send_up(params, front, near, far, end)[0] > 0
            lines.append(f"The {side} {'leaves the field' if left else 'has nobody on the field'}.")
    return lines


def _pursuit(setup: Setup, before: FieldState, result: int, dice: random.Random) -> str:
    assert setup.fields.battle == "tactical"
    number = setup.fields.options.pursuit_number
    count = before.attacker_prey + before.defender_prey
    values = [[int(face >= number) for face in range(1, 7)]] * count
    faces = summing_to(values, lambda caught: caught == result, dice) or []
    prey = SIDES[0 if before.attacker_prey else 1]
    return (
        f"Pursuit of the {prey}'s routed units, {number} or more catches: d6 {', '.join(map(str, faces))}: "
        f"{plural(result, 'unit')} destroyed"
    )
