"""Battles in words: assumptions, explanation, and the lines of a replay."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.rules.price_of_power import rules, state
from simulator.rules.price_of_power.casualties import GONE, TERCIOS, part, strength_on
from simulator.rules.price_of_power.dice import IN_FORCE, Icons, Pool
from simulator.rules.price_of_power.forces import SHIPS, Side
from simulator.rules.price_of_power.model import TIMED, TYPES, General
from simulator.rules.price_of_power.outcome import in_place
from simulator.rules.price_of_power.state import Params, State
from simulator.rules.price_of_power.tables import FORCES, Setup, chain_of
from simulator.rules.toolkit.faces import thrown_until
from simulator.rules.toolkit.naming import counted, plural, sentence
from simulator.rules.toolkit.policies import in_words

# Letters of a face in a replay: f infantry, T tercios, h cavalry, a artillery, - blank.
LETTERS = {"f": "infantry", "T": "tercios", "h": "cavalry", "a": "artillery"}
MOST_TRIES = 2_000


def assumptions(setup: Setup) -> Iterator[str]:
    """Lines for the readings, policies and ASSUMED items of a battle."""
    if not setup.sea:
        anew = "anew each round" if setup.options.casualty_alternation == "each-round" else "through the whole battle"
        yield f"casualties alternate mercenary, regular, allied, {anew}"
    if all(side.policy.losses == "best" for side in setup.sides):
        yield "the attacker picks his losses first, the defender sees it (ASSUMED)"
    if len(setup.sides[1].factions) > 1:
        yield f"equally large defending factions are hit by {setup.fields.policy.attacker.ties}"
    for side in setup.sides:
        if side.has_player:
            yield f"{side.where} retreats: {in_words(side.policy, [side.policy.retreat], TIMED)[0]}"
        order = f" ({', '.join(side.policy.loss_order)})" if side.policy.loss_order else ""
        yield f"{side.where} loses: {side.policy.losses}{order}"
        yield from faction_lines(side)
        if getattr(side.fields, "npr", None):
            yield f"{side.where} has {plural(side.units, 'unit')} by the provinces of its NPR (section 6)"
        if side.draws:
            deck = "all 36 military cards, shuffled" if setup.options.npr_deck is None else "options.npr_deck"
            yield f"{side.where} draws a leader from {deck} (ASSUMED)"
        if "military-drill" in side.fields.ideas:
            drill = setup.options.military_drill
            effect = f"{drill.dice} base dice fewer, {drill.hits} automatic hits in every roll (ASSUMED)"
            yield f"{side.where}, Military Drill: {effect}"
        if "noble-knights" in side.fields.ideas:
            yield f"{side.where}, Noble Knights: a charge of cavalry dice before round 1 (ASSUMED)"
        if any(faction.realm.kind == "pirates" for faction in side.factions):
            yield f"{side.where}: pirates never leave (ASSUMED)"


def faction_lines(side: Side) -> Iterator[str]:
    """Lines for the factions that leave by a policy of their own, and for the cards kept in hand."""
    for faction, (retreat, at) in zip(side.factions, side.leaving, strict=True):
        own, who = faction.realm, faction.called
        if getattr(own, "retreat", None):
            number = f" {at}" if retreat in TIMED else ""
            assumed = "" if retreat == "best" else " (ASSUMED how it counts)"
            yield f"{who} retreats: {retreat}{number}, by itself{assumed}"
        elif getattr(own, "can_retreat", None) is False:
            yield f"{who} cannot retreat"
    for card in side.fields.battle_actions:
        if card.when != "round":
            yield f"{side.where} plays {card.name or 'a card'}: {card.when}, from round {card.round} on"


def explain(setup: Setup) -> Iterator[str]:
    """Lines for the dice of each side in round 1 and its other hits."""
    for side, rows, charge in zip(setup.sides, setup.pools, setup.charges, strict=True):
        card = max(side.drawn) if len(side.drawn) == 1 else 1
        dice = rows[3 * card + (card > 0)][0]
        by = " with the first kind of leader it may draw" if side.draws else " with its leader" if card else ""
        yield f"{side.where}: {side.units} {side.fields.called}, rolls {dice_text(dice)}{by}"
        if side.automatic:
            yield f"{side.where}: {side.automatic} automatic hits in every roll while led"
        if setup.sea and side.start[2]:
            yield f"{side.where}: {plural(side.start[2], 'heavy ship')}, one automatic hit each"
        if dice.tercios_worth == 2:
            yield f"{side.where}: each tercios icon counts twice"
        if charge:
            yield f"{side.where}: {charge} cavalry dice charge before round 1"


def dice_text(dice: Pool | General) -> str:
    """Dice of each type in words."""
    return f"{counted((getattr(dice, die) for die in TYPES), TYPES, 'no')} dice"


def tell(setup: Setup, p: Params, before: State, result: int, after: State, dice: random.Random) -> str:
    """The line of one replayed step, with faces that give its result."""
    side = setup.sides[before.phase % 2]  # phases before the end are the attacker's and the defender's in turn
    if before.phase <= state.DEFENDER_DRAWS:
        who = f"a leader with {dice_text(side.leaders[result - 1])}" if result else "an advisor: no leader"
        return f"The {side.where} draws {who}."
    text = f"Charge of the {side.where}: {plural(result, 'hit')}." if before.phase <= state.DEFENDER_CHARGES else ""
    lines = [text or roll_text(setup, p, before, result, dice)]
    if side is setup.sides[1]:
        lines += fate_lines(setup, before, after)
    return " ".join(lines)


def chain_with_replay(setup: Setup, label: str = "") -> Chain:
    """The chain of a battle with its replay lines; `label` names it as a stage of a campaign."""
    chain = chain_of(setup)
    return replace(chain, label=label, tell=partial(tell, setup, chain.params))


def roll_text(setup: Setup, p: Params, s: State, result: int, dice: random.Random) -> str:
    """A roll: its faces and hits."""
    side = s.phase - state.ATTACKER_ROLLS
    shown = "".join(f" {face}" for face in faces_for(setup, p, s, result, dice))
    hits = int(rules.hits_of(p, s, side, p.shown[result]))
    names = setup.hands[side].names(state.cards_of(s, side), IN_FORCE)
    cards = f" with {' and '.join(names)}" if names else ""
    text = f"the {setup.sides[side].where} rolls{cards}{shown}: {plural(hits, 'hit')}"
    if p.count_rounds or s.round < p.last - 1:
        text = f"Round {(s.rounds if p.count_rounds else s.round) + 1}, {text}"
    return sentence(text)


def faces_for(setup: Setup, p: Params, s: State, result: int, dice: random.Random) -> list[str]:
    """Faces that give a result, in letters, by rolling until they do; none after MOST_TRIES rolls."""
    side = s.phase - state.ATTACKER_ROLLS
    rolled = setup.pools[side][rules.dice_of(p, s, side)][s.round]
    most, pairs = setup.caps[side].tercios, 1 if setup.sea and setup.sides[side].has_player else 2
    shown, strength = int(p.shown[result]), int(strength_on(p, s, side))
    icons, own = ([part(packed, which) for which in range(3)] for packed in (shown, strength))
    wanted = sum(map(min, own, icons)), shown >> TERCIOS

    def fits(faces: list[Icons]) -> bool:
        *shown, tercios = map(sum, zip((0, 0, 0, 0), *map(rolled.worth, faces), strict=True))
        tercios = min(tercios, most)
        return (sum(map(min, own, shown)), tercios - tercios % pairs) == wanted

    thrown = thrown_until(lambda rng: [*map(rng.choice, rolled.faces(setup.dice))], fits, dice, MOST_TRIES) or ()
    letters = ([letter * getattr(face, icon) for letter, icon in LETTERS.items()] for face in thrown)
    return ["+".join(filter(None, face)) or "-" for face in letters]


def fate_lines(setup: Setup, before: State, after: State) -> Iterator[str]:
    """Lines for the units left of each faction, wounds of leaders, ships captured."""
    for place, (name, faction) in enumerate(zip(FORCES, setup.factions, strict=False)):
        old, force = getattr(before, name), getattr(after, name)
        if old and not old & GONE:
            who = faction.realm.name or ("attacker" if place == 0 else "defender")
            left = in_place(faction, np.array([force]))[0].sum(axis=0)
            text = counted(left[:3], SHIPS if setup.sea else TYPES, "nothing left")
            damaged = f" ({left[3]} damaged)" if setup.sea and left[3] else ""
            yield f"{who[:1].upper()}{who[1:]} {'leaves with' if force & GONE else 'has'} {text}{damaged}."
    for place, side in enumerate(setup.sides):
        old, new = (state.leader_of(s, place) % state.STAGES for s in (before, after))
        if new > old and side.leaders:
            yield f"The leader of the {side.where} is {'killed' if new == state.DEAD else 'wounded'}."
    if after.phase == state.OVER and after.captured:
        yield f"{plural(after.captured, 'ship')} captured."
