"""Battles in words: what an answer rests on, how it comes about, and a replayed roll with its dice."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from simulator.rules.price_of_power import state
from simulator.rules.price_of_power.casualties import BITS, GONE, MASK
from simulator.rules.price_of_power.chains import Setup, Story, factions_of, knights, setup_of
from simulator.rules.price_of_power.columns import TYPES, in_place
from simulator.rules.price_of_power.dice import DICE, Face, Pool, worth
from simulator.rules.price_of_power.forces import SHIPS, Leader, Side
from simulator.rules.price_of_power.rolls import ALIVE, NO_LEADER, automatic_hits
from simulator.rules.price_of_power.rounds import hits_of, pool
from simulator.rules.price_of_power.state import defending_types, types_of

LETTERS = ("f", "T", "h", "a")
MOST_TRIES = 2_000


def assumptions(fields: Any) -> list[str]:
    """Options, policies and ASSUMED items that a land or naval answer rests on."""
    return assumed_by(setup_of(fields))


def assumed_by(setup: Setup) -> list[str]:
    """The same, for a battle or a stage of a campaign."""
    lines = option_lines(setup)
    for side in setup.sides:
        lines += policy_lines(side)
        lines += side_lines(side, setup.options)
    if setup.max_rounds:
        lines.append(f"at most {setup.max_rounds} round{'s' * (setup.max_rounds != 1)}")
    return lines


def option_lines(setup: Setup) -> list[str]:
    """Options that differ from the printed game."""
    options = setup.options
    lines = [
        f"options.dice: the {die} die shows {', '.join(getattr(options.dice, die))}"
        for die in DICE
        if getattr(options.dice, die)
    ]
    if options.base_dice != 3:
        lines.append(f"options.base_dice: {options.base_dice}")
    if not setup.sea:
        anew = "anew each round" if options.casualty_alternation == "each-round" else "through the whole battle"
        lines.append(f"casualties alternate mercenary, regular, allied, {anew}")
    if setup.sea and options.damage_counts_as_casualty:
        lines.append("damage alone may wound the admiral")
    if options.lend_a_helping_hand:
        lines.append("battle actions may be played for NPRs")
    if len(setup.sides[1].factions) > 1:
        lines.append(f"equally large defending factions are hit by {setup.ties}")
    return lines


def policy_lines(side: Side) -> list[str]:
    """What a side decides."""
    policy, lines = side.policy, []
    if side.has_player:
        at = f" {policy.retreat_at}" if policy.retreat in {"at-or-below", "after-round"} else ""
        lines.append(f"{side.where} retreats: {policy.retreat}{at}")
    lines.append(f"{side.where} loses: {policy.losses}")
    if getattr(policy, "base_dice", "infantry") != "infantry":
        lines.append(f"{side.where} rolls base dice: {policy.base_dice}")
    return lines


def side_lines(side: Side, options: Any) -> list[str]:
    """ASSUMED items that a side uses."""
    lines = []
    if side.draws:
        deck = "options.npr_deck" if options.npr_deck is not None else "all 36 military cards, shuffled"
        lines.append(f"{side.where} draws a leader from {deck} (ASSUMED)")
    if "military-drill" in side.ideas:
        drill = options.military_drill
        lines.append(
            f"{side.where}, Military Drill: {drill.dice} base dice fewer, {drill.hits} automatic hits in every roll"
            " (ASSUMED)"
        )
    if "noble-knights" in side.ideas:
        lines.append(f"{side.where}, Noble Knights: a charge of cavalry dice before round 1 (ASSUMED)")
    if any(faction.kind == "pirates" for faction in side.factions):
        lines.append(f"{side.where}: pirates never leave (ASSUMED)")
    return lines


def explain(fields: Any) -> list[str]:
    """The dice of each side in round 1 and what else tells."""
    return explained(setup_of(fields))


def explained(setup: Setup) -> list[str]:
    """The same, for a battle or a stage of a campaign."""
    lines = []
    for place, side in enumerate(setup.sides):
        enemy = setup.sides[1 - place]
        rows = setup.pools(place)
        led = rows[3 + ALIVE][0] if side.leaders else rows[NO_LEADER][0]
        lines.append(
            f"{side.where}: {side.units} {'ships' if setup.sea else 'units'}, rolls {dice_text(led)}{by(side)}"
        )
        more = automatic_hits(side, setup.options)
        if more:
            lines.append(f"{side.where}: {more} automatic hits in every roll while led")
        if setup.sea and side.of_type(2):
            lines.append(f"{side.where}: {plural(side.of_type(2), 'heavy ship')}, one automatic hit each")
        if led.tercios_worth == 2:
            lines.append(f"{side.where}: each tercios icon counts twice")
        if not setup.sea and knights(side, enemy):
            lines.append(f"{side.where}: {knights(side, enemy)} cavalry dice charge before round 1")
    return lines


def by(side: Side) -> str:
    """Who leads, in words."""
    if side.draws:
        return " with the first kind of leader it may draw"
    return " with its leader" if side.leaders else ""


def dice_text(dice: Pool | Leader) -> str:
    """Dice of each type in words."""
    parts = [f"{number} {die}" for die, number in zip(DICE, dice[:3], strict=True) if number]
    return (", ".join(parts) or "no") + " dice"


def tell(story: Story, before: Any, result: int, after: Any, dice: random.Random) -> str:
    """One step of a replayed battle in words, with faces that give its result."""
    setup = story.setup
    if before.phase in {state.ATTACKER_DRAWS, state.DEFENDER_DRAWS}:
        side = setup.sides[before.phase - state.ATTACKER_DRAWS]
        who = f"a leader with {dice_text(side.leaders[result - 1])}" if result else "an advisor: no leader"
        return f"The {side.where} draws {who}."
    if before.phase in {state.ATTACKER_CHARGES, state.DEFENDER_CHARGES}:
        text = f"Charge of the {setup.sides[before.phase - state.ATTACKER_CHARGES].where}: {plural(result, 'hit')}."
    else:
        text = roll_text(story, before, result, dice)
    if before.phase in {state.DEFENDER_CHARGES, state.DEFENDER_ROLLS}:
        text += " " + " ".join(after_text(setup, before, after))
    return text


def plural(number: int, word: str) -> str:
    """A number with its word."""
    return f"{number} {word}{'s' * (number != 1)}"


def roll_text(story: Story, s: Any, result: int, dice: random.Random) -> str:
    """A roll: its faces and hits."""
    place = s.phase - state.ATTACKER_ROLLS
    hits = int(hits_of(story.params, s, place, result))
    faces = faces_for(story, s, result, dice)
    shown = f" {' '.join(faces)}" if faces else ""
    who = f"the {story.setup.sides[place].where} rolls{shown}: {plural(hits, 'hit')}."
    counted = story.params.n[state.COUNT_ROUNDS] or s.round < story.params.n[state.LAST] - 1
    return f"Round {s.round + 1}, {who}" if counted else who[:1].upper() + who[1:]


def faces_for(story: Story, s: Any, result: int, dice: random.Random) -> list[str]:
    """Faces that give a result: rolled until they do; none if that takes too long."""
    place, p = s.phase - state.ATTACKER_ROLLS, story.params
    types = types_of(p, 0, s.attacker) if place == 0 else defending_types(p, s)
    rolled, caps = story.pools[int(pool(p, s, place))], story.caps[place]
    icons, tercios = int(p.n[p.n[state.ICONS] + result]), int(p.n[p.n[state.TERCIOS] + result])
    wanted = matched(types, [(icons >> BITS * which) & MASK for which in range(3)])
    whole = 1 if story.setup.sea and story.setup.sides[place].has_player else 2
    for _ in range(MOST_TRIES):
        faces = [
            dice.choice(story.setup.dice[die])
            for die, number in zip(DICE, rolled[:3], strict=True)
            for _ in range(number)
        ]
        seen = [sum(values) for values in zip(*(worth(face, rolled) for face in faces), strict=True)] or [0, 0, 0]
        shown = min(sum(face.tercios for face in faces), caps.tercios)
        if matched(types, seen) == wanted and shown - shown % whole == tercios:
            return [face_text(face) for face in faces]
    return []


def matched(types: int, icons: list[int]) -> int:
    """Hits of icons on the units at hand, before caps and automatic hits."""
    return sum(min((types >> BITS * which) & MASK, icons[which]) for which in range(3))


def face_text(shown: Face) -> str:
    """A face in the letters of the rules: f infantry, T tercios, h cavalry, a artillery, - blank."""
    return "+".join(letter * icons for letter, icons in zip(LETTERS, shown, strict=True) if icons) or "-"


def after_text(setup: Setup, before: Any, after: Any) -> list[str]:
    """What a round left of each side."""
    lines = []
    names = ("attacker", "defender_1", "defender_2", "defender_3")
    for place, (name, faction) in enumerate(zip(names, factions_of(setup), strict=True)):
        force, old = getattr(after, name), getattr(before, name)
        if old and not old & GONE:
            who = faction.name or ("attacker" if place == 0 else "defender")
            left = left_text(setup, in_place(faction, np.array([force]))[0].sum(axis=0))
            leaves = "leaves with" if force & GONE else "has"
            lines.append(f"{who[:1].upper()}{who[1:]} {leaves} {left}.")
    for side in setup.sides:
        wounds = [getattr(s, f"{side.where}_wounds") for s in (before, after)]
        if wounds[1] > wounds[0]:
            lines.append(f"The leader of the {side.where} is {'killed' if wounds[1] == state.DEAD else 'wounded'}.")
    if after.phase == state.OVER and after.haul:
        lines.append(f"{plural(after.haul, 'ship')} captured.")
    return lines


def left_text(setup: Setup, left: Any) -> str:
    """Units or ships in words."""
    kinds = SHIPS[:3] if setup.sea else TYPES
    text = ", ".join(f"{number} {kind}" for number, kind in zip(left, kinds, strict=False) if number)
    if setup.sea and left[3]:
        text += f" ({left[3]} damaged)"
    return text or "nothing left"
