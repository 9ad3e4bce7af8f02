"""A battle unit against unit in columns and words: final states, surviving units, assumptions, dice of a replay."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Columns, Piece
from simulator.rules.birthright.engagement import FALLEN_BACK, GONE, ROUTED, Attack, Engagement
from simulator.rules.birthright.field.rules import (
    ATTACKER_ASKED,
    FIGHT,
    LEAVE,
    PURSUIT,
    FieldParams,
    FieldState,
    next_front,
)
from simulator.rules.birthright.field.tables import FieldCard, Setup
from simulator.rules.birthright.model import Fight
from simulator.rules.birthright.sides import CHARGING_GROUND, Side, cover, edges, line_up, lowest_column, terrain_felt
from simulator.rules.birthright.units import LISTS, LOWEST, ROLES, Entry, Unit, assumed_sources
from simulator.rules.toolkit.faces import summing_to, thrown_until
from simulator.rules.toolkit.naming import listed, plural, winners

# Above this level attacks may fall below the printed columns.
HIGH_WALLS = 4
CHECKS_ASSUMED = "when morale is checked, rest after falling back and a rout the second time: ASSUMED"


def assumptions(fields: Fight) -> list[str]:
    """Options, policies and assumed numbers in force (docs/rules/birthright.md sections 3 and 9)."""
    options = fields.options
    ten = "rolled again" if options.ten == "reroll" else "a d8: one column worse or better, then rolled again"
    lines = [
        f"a 10 on the d10: {ten}; morale on a {options.morale_die}; rally: {options.rally}",
        f"missile_rounds: {options.missile_rounds} while the lines close (ASSUMED)",
        f"command edge: a column for {options.warcraft_step} Warcraft, at most {options.warcraft_max} (ASSUMED)",
        CHECKS_ASSUMED,
    ]
    units = [entry.unit for side in (0, 1) for entry in line_up(fields, side)]
    if fields.battle == "storm":
        level = fields.conditions.fortification
        lines.append(f"walls of level {level} add {cover(fields)} to the garrison's defence (ASSUMED); nobody charges")
        if lowest_column(fields) < LOWEST and level > HIGH_WALLS:
            lines.append("columns -4 to -7 of attacks on walls: ASSUMED")
    else:
        if terrain_felt(fields) != "plains":
            lines.append(f"attack modifiers and units that are not usable, on {fields.conditions.terrain}: ASSUMED")
        charges = fields.conditions.terrain in CHARGING_GROUND
        lines.append(f"charges on plains and hills only{'' if charges else ': none here'}, never on pikemen (ASSUMED)")
        if fields.conditions.defender_position:
            lines.append(f"the defender's position adds {fields.conditions.defender_position} to defence (ASSUMED)")
        chase = f"cavalry catches on {fields.options.pursuit_number} or more (ASSUMED)"
        lines.append(f"pursuit: {chase if fields.options.pursuit == 'cavalry' else 'none'}")
    lines += ["attack bonus of heroes: ASSUMED"] if any(unit.hero for unit in units) else []
    for side in SIDES:
        inspire = getattr(fields, side).inspire
        lines += [f"{side}: inspire {inspire} in every morale check (ASSUMED)"] if inspire else []
    lines += assumed_sources(units, units if options.gold else ())
    policies = {side: getattr(fields.policy, side) for side in SIDES}
    return lines + [f"{side}: deploys {policy.deploy}, leaves: {policy.retreat}" for side, policy in policies.items()]


def card_text(unit: Unit) -> str:
    """The values of a card."""
    values = [f"{name} {'/'.join(map(str, getattr(unit, name)))}" for name in LISTS if getattr(unit, name)]
    values += [f"{unit.bonus:+d} to every attack"] if unit.bonus else []
    values += [f"defence {unit.defence}", plural(unit.morale, "morale icon"), plural(unit.steps, "step")]
    return ", ".join([*values, f"strength {unit.strength}"])


def explain(setup: Setup) -> list[str]:
    """Both armies in order of battle, and the first columns of fresh units against each other."""
    lines, terrain = [], terrain_felt(setup.fields)
    for name, side in zip(SIDES, setup.sides, strict=True):
        lines.append(f"{name}, front first: {listed([str(entry) for entry in side.entries])}")
        for unit in _distinct_units(side.entries):
            usable = unit.usable(terrain, ROLES[side.number])
            lines.append(f"  {unit.name}: {card_text(unit)}{'' if usable else f'; not usable in the {terrain}'}")
    edge, source = edges(setup.fields), "walls" if setup.fields.battle == "storm" else "position"
    own_cover = cover(setup.fields)
    lines.append(f"command edge: attacker {edge[0]}, defender {edge[1]}; the defender's {source}: {own_cover}")
    for own in _distinct_units(setup.sides[0].entries):
        for enemy in _distinct_units(setup.sides[1].entries):
            lines.append(f"{own.name} against {enemy.name}: {_first_rounds(setup.engagement(own, enemy))}")
    return lines


def _distinct_units(entries: Sequence[Entry]) -> list[Unit]:
    return list(dict.fromkeys(entry.unit for entry in entries))


def _first_rounds(engagement: Engagement) -> str:
    """The attacks of two fresh units in the approach and at the contact."""
    texts, opening = [], engagement.opening((0, 0))
    for step in sorted({opening.step, 1}, reverse=True):
        action, attacks = engagement.next_attacks(opening._replace(step=step))
        pairs = zip(engagement.units, attacks, strict=True)
        shown = [f"{unit.name} {column_text(attack)}" for unit, attack in pairs if attack is not None]
        if shown:
            texts.append(f"{action} {listed(shown)}")
    return "; ".join(texts)


def column_text(attack: Attack) -> str:
    """The column of an attack and its parts: `4 - 3 + 1 = +2`."""
    parts = [str(attack.value), f"- {attack.defence}"]
    parts += [f"- {attack.cover}"] if attack.cover else []
    parts += [f"+ {attack.edge}"] if attack.edge else []
    total, column = attack.total, attack.column
    return f"{' '.join(parts)} = {f'{total:+d}' if total else 0}" + (
        "" if total == column else f", held at {column:+d}"
    )


def tell(
    setup: Setup, params: FieldParams, before: FieldState, result: int, after: FieldState, dice: random.Random
) -> str:
    """One engagement or the pursuit of a replay, with dice that give its result."""
    if before.stage == PURSUIT:
        return _pursuit(setup, before, result, dice)
    own, enemy = cards = setup.card_at(before.attacker), setup.card_at(before.defender)
    ends = result >> 4, result & 15
    engagement = setup.engagement(own.unit, enemy.unit)
    lines = [f"The {_card_name(own, 'attacker')} against the {_card_name(enemy, 'defender')}:"]
    rolled = thrown_until(
        lambda dice: engagement.roll((own.hits, enemy.hits), lambda sides: dice.randint(1, sides)),
        lambda rolled: (own.fate(rolled[0][0]), enemy.fate(rolled[0][1])) == ends,
        dice,
    )
    if rolled is None:
        lines.append("  (an end so rare that its dice are not shown)")
    else:
        ends, course = rolled
        for action, side, attack, words in course:
            lines.append(f"  {action}, {SIDES[side]}'s {cards[side].unit.name}: {column_text(attack)}, d10 {words}")
    lines.append(f"  -> {_end(own, ends[0], 'attacker')}; {_end(enemy, ends[1], 'defender')}")
    if after.stage != FIGHT:
        lines += _left(params, before, result, after)
    return "\n".join(lines)


def _card_name(card: FieldCard, side: str) -> str:
    marks = ([plural(card.hits, "hit")] if card.hits else []) + (["rested"] if card.rested else [])
    return f"{side}'s {card.unit.name}" + (f" ({', '.join(marks)})" if marks else "")


def _end(card: FieldCard, end: int, side: str) -> str:
    if end < FALLEN_BACK:
        fate = "unhurt" if end == 0 else plural(end, "hit")
    elif end < ROUTED:
        fate = f"back{' a second time, routed' if card.rested else ', rests'}"
    else:
        fate = "destroyed" if end == GONE else "routed"
    return f"{side}'s {card.unit.name}: {fate}"


def _left(params: FieldParams, before: FieldState, result: int, after: FieldState) -> list[str]:
    """The sides that have nobody on the field any more, or leave it."""
    lines = []
    for side, end in zip(SIDES, (result >> 4, result & 15), strict=True):
        if params.front.units[getattr(after, side)] == 0:
            front, rest1, rest2 = (getattr(before, f"{side}{part}") for part in ("", "_rest1", "_rest2"))
            leaves = next_front(params, front, rest1, rest2, end)[0] > 0
            lines.append(f"The {side} {'leaves the field' if leaves else 'has nobody on the field'}.")
    return lines


def _pursuit(setup: Setup, before: FieldState, result: int, dice: random.Random) -> str:
    assert setup.fields.battle == "tactical"
    number = setup.fields.options.pursuit_number
    values = [[int(face >= number) for face in range(1, 7)]] * (before.attacker_prey + before.defender_prey)
    faces = summing_to(values, lambda caught: caught == result, dice) or []
    prey = SIDES[0 if before.attacker_prey else 1]
    return (
        f"Pursuit of the {prey}'s routed units, {number} or more catches: d6 {', '.join(map(str, faces))}: "
        f"{plural(result, 'unit')} destroyed"
    )


def winner(params: FieldParams, states: Any) -> np.ndarray:
    """Winner codes of final states, the side with units on the field: int64, shape (states,)."""
    return winners(params.front.units[states.attacker] > 0, params.front.units[states.defender] > 0)


def columns(setup: Setup, params: FieldParams, states: Any) -> Columns:
    """Outputs of final states."""
    outputs: Columns = {"winner": winner(params, states)}
    for side, name in zip(setup.sides, SIDES, strict=True):
        front = getattr(states, name)
        standing = params.front.units[front]
        destroyed = side.destroyed(states.destroyed) + _caught(side, standing, states)
        outputs[f"{name}_standing"] = standing
        outputs[f"{name}_routed"] = len(side.units) - standing - destroyed
        outputs[f"{name}_destroyed"] = destroyed
        outputs[f"{name}_hits"] = params.front.hits[front]
    if setup.fields.battle == "storm":
        captured = np.where(outputs["attacker_standing"] > 0, outputs["defender_routed"], 0)
        outputs |= {"defender_routed": outputs["defender_routed"] - captured, "defender_captured": captured}
    return outputs | gold(setup, outputs, states) if setup.fields.options.gold else outputs


def _caught(side: Side, standing: np.ndarray, states: Any) -> np.ndarray:
    """Units of a side caught in the pursuit and not among the destroyed: int64, shape (states,)."""
    return np.where(standing > 0, 0, side.caught(states.destroyed))


def gold(setup: Setup, outputs: Columns, states: Any) -> Columns:
    """The gold of both sides and of their losses (section 2.4), in a battle that counts it."""
    found: Columns = {}
    for side, name in zip(setup.sides, SIDES, strict=True):
        destroyed, lost = side.destroyed(states.destroyed), side.gold_destroyed(states.destroyed)
        # The rules do not say which routed units are caught: their price is spread evenly over them.
        caught = _caught(side, outputs[f"{name}_standing"], states)
        lost = lost + caught * (side.gold - lost) // np.maximum(len(side.units) - destroyed, 1)
        if f"{name}_captured" in outputs:
            lost = np.where(outputs["attacker_standing"] > 0, side.gold, lost)
        found |= {f"{name}_gold": np.full_like(lost, side.gold), f"{name}_gold_lost": lost}
    return found


def survivors(setup: Setup, params: FieldParams, number: int, states: Any) -> Sequence[Piece]:
    """The units of each entry of a side; a unit survives if it is neither destroyed nor captured.

    `states` are those of the chain that counts this side's destroyed units by entry. The number caught in the pursuit
    is spread evenly over the routed units.
    """
    side, name, enemy = setup.sides[number], SIDES[number], SIDES[1 - number]
    destroyed = [digit.of(states.destroyed) for digit in side.digits]
    caught = _caught(side, params.front.units[getattr(states, name)], states)
    share = caught / np.maximum(len(side.units) - sum(destroyed), 1)
    if setup.fields.battle == "storm" and name == "defender":
        share = np.where(params.front.units[getattr(states, enemy)] > 0, 1.0, 0.0)
    pieces = []
    for entry, lost in zip(side.entries, destroyed, strict=True):
        worth = f"strength {entry.unit.strength}" + (f", each of {entry.count}" if entry.count > 1 else "")
        pieces.append(Piece(name, entry.unit.name, worth, (entry.count - lost) * (1.0 - share) / entry.count))
    return pieces


def decisions(setup: Setup, params: FieldParams, states: Any, options: np.ndarray) -> Columns:
    """Columns of states in which a side is asked: the policy's path, both sides in words, and the option.

    `options`: int32, shape (states,).
    """
    attacks = states.stage == ATTACKER_ASKED
    columns: Columns = {"decision": np.where(attacks, "policy.attacker.retreat", "policy.defender.retreat")}
    rows = [FieldState(*row) for row in zip(*(part.tolist() for part in states), strict=True)]
    for side, name in zip(setup.sides, SIDES, strict=True):
        columns[name] = np.array([_side_in_words(setup, params, side, state) for state in rows], object)
    return columns | {"choice": np.where(options == LEAVE, "leave", "stay")}


def _side_in_words(setup: Setup, params: FieldParams, side: Side, state: FieldState) -> str:
    """`front infantry 1 hit rested; fresh 2 archers; resting knights 0 hits; routed 1`."""
    name = SIDES[side.number]
    card, *behind = setup.cards_at(getattr(state, name))
    marks = f"{plural(card.hits, 'hit')}{' rested' if card.rested else ''}"
    parts = [f"front {card.unit.name} {marks}"]
    fresh = Counter(one.unit.name for one in behind)
    parts += [f"fresh {listed([f'{n} {unit}' for unit, n in fresh.items()])}"] if fresh else []
    halves = (setup.cards_resting(params.rest, getattr(state, f"{name}_{half}")) for half in ("rest1", "rest2"))
    resting = Counter(f"{one.unit.name} {plural(one.hits, 'hit')}" for half in halves for one in half)
    parts += [f"resting {listed([f'{n} {u}' if n > 1 else u for u, n in resting.items()])}"] if resting else []
    gone = len(side.units) - 1 - len(behind) - resting.total() - int(side.destroyed(state.destroyed))
    return "; ".join([*parts, f"routed {gone}"])
