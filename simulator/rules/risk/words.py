"""Risk in words: what an answer rests on, and a replayed round with its dice."""

from __future__ import annotations

import random
from typing import Any

from simulator.rules.risk.checks import names
from simulator.rules.risk.dice import Hand, compare, lost, modified
from simulator.rules.risk.places import all_places, crossings, path

ASSUMED_LAND = "land combat is classic Risk: sorted dice, ties and left_behind as the options say (ASSUMED)"


def assumptions(fields: Any) -> list[str]:
    """Options, policies and assumed readings in force (docs/rules/risk.md sections 6, 10 and 11)."""
    options, lines = fields.options, []
    land = fields.battle not in {"naval", "blockade-run"}
    attack = f"{options.attack_dice} d{options.attack_die_sides}"
    lines.append(f"up to {attack} attack, up to {options.defence_dice} d{options.defence_die_sides} defend")
    lines.append(f"ties: {options.ties}")
    if land:
        lines.append(ASSUMED_LAND)
        lines.append("attacker.regiments excludes the regiment that stays behind where the attack starts")
        lines.append(f"left_behind: {options.left_behind} in each captured territory")
        lines.append(f"regiment_cost: {options.regiment_cost} (ASSUMED)")
    lowered = {
        "amphibious": options.amphibious_modifier,
        "invasion": options.amphibious_modifier,
        "blockade-run": options.blockade_modifier,
    }.get(fields.battle)
    if lowered is not None:
        order = "sorted again after modifiers" if options.resort else "dice sorted before modifiers (ASSUMED)"
        lines.append(f"{lowered:+d} to the attacker's highest die; {order}")
    if options.clamp:
        lines.append("modified dice are held within 1 and the largest die")
    lines.append(f"attacker stops: {_policy_text(fields.policy.attacker, '')}; the defender never retreats")
    if fields.battle == "invasion":
        lines += _invasion_lines(fields)
    return lines


def _policy_text(policy: Any, sea: str) -> str:
    parameters = {
        "stop-below": "stop_below",
        "max-rounds": "max_rounds",
        "wear-down": "wear_down_to",
        "stop-below-odds": "min_odds",
    }
    texts = []
    for name in names(getattr(policy, f"{sea}retreat")):
        parameter = parameters.get(name)
        texts.append(f"{name} {getattr(policy, sea + parameter)}" if parameter else name)
    return ", ".join(texts)


def _invasion_lines(fields: Any) -> list[str]:
    policy, options = fields.policy.attacker, fields.options
    withdrawal = "may" if options.withdrawal else "may not"
    return [
        f"convoy stops: {_policy_text(policy, 'sea_')}",
        f"fleets lost: {policy.losses}, then the least laden (ASSUMED); troops drown {options.troop_loss} (ASSUMED)",
        f"a landing {withdrawal} be called off (ASSUMED)",
        "fleets in a captured port attack to break out (ASSUMED)",
    ]


def tell(fields: Any, before: Any, result: int, after: Any, dice: random.Random) -> str:
    """One round of a replay, with dice that give its result."""
    where, hands, attackers, defenders, rounds, names_of = _situation(fields, before)
    own, enemy = lost(result)
    mine, theirs = _faces_for(hands, attackers, defenders, fields.options.ties, (own, enemy), dice)
    units = "fleet" if names_of[2] else "regiment"
    return (
        f"Round {rounds + 1}, {where}: {names_of[0]} ({attackers}) {_rolled(mine, hands[0])}, {names_of[1]} "
        f"({defenders}) {_rolled(theirs, hands[1])}: {names_of[0]} loses {own} {units}{'s' * (own != 1)}, "
        f"{names_of[1]} {enemy}."
    )


def _situation(fields: Any, s: Any) -> tuple[str, tuple[Hand, Hand], int, int, int, tuple[str, str, bool]]:
    """Place, hands, units, rounds so far, and what the sides are called."""
    places = all_places(fields)
    if fields.battle != "invasion":
        if len(places) == 1:
            where, hands = places[0]
            return where, hands, s.own, s.enemy, s.rounds, ("the attacker", "the defender", where == "sea")
        where, hands = places[s.captured]
        force = s.attackers - fields.options.left_behind * s.captured
        return where, hands, force, s.defenders, s.rounds, ("the attacker", "the defender", False)
    sea = len(crossings(fields))
    rounds = s.sea_rounds + s.land_rounds
    if s.stage == sea:
        where, hands = places[sea + s.captured]
        force = s.attackers - fields.options.left_behind * s.captured
        return where, hands, force, s.defenders, rounds, ("the attacker", "the defender", False)
    where, hands = places[s.stage if s.stage < sea else sea + len(path(fields))]
    if s.stage > sea or crossings(fields)[s.stage].convoy == "defends":
        return where, hands, s.enemy, s.convoy, rounds, ("the enemy", "the convoy", True)
    return where, hands, s.convoy, s.enemy, rounds, ("the convoy", "the enemy", True)


def _roll(hand: Hand, units: int, dice: random.Random) -> tuple[int, ...]:
    """One roll of a hand, kept dice high to low."""
    size = min(hand.dice, units)
    commanders = min(hand.commanders, size)
    sides = [hand.commander_sides] * commanders + [hand.sides] * (size - commanders + hand.bonus)
    return tuple(sorted((dice.randint(1, faces) for faces in sides), reverse=True)[:size])


def _faces_for(
    hands: tuple[Hand, Hand],
    attackers: int,
    defenders: int,
    ties: str,
    losses: tuple[int, int],
    dice: random.Random,
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Dice that give these losses: rolled until they do, so each such throw is as likely as it should be."""
    while True:
        mine, theirs = _roll(hands[0], attackers, dice), _roll(hands[1], defenders, dice)
        if compare(modified(hands[0], mine), modified(hands[1], theirs), ties) == losses:
            return mine, theirs


def _rolled(kept: tuple[int, ...], hand: Hand) -> str:
    seen = modified(hand, kept)
    text = ",".join(map(str, kept))
    return f"rolls {text}" if seen == kept else f"rolls {text} (counts as {','.join(map(str, seen))})"
