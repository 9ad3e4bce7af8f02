"""Battles in words: assumptions, explanation, and the lines of a replay."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from simulator.rules.price_of_power import cards
from simulator.rules.price_of_power.dice import Icons, Pool, Throw
from simulator.rules.price_of_power.forces import DAMAGED, SHIPS, Faction, Side, types
from simulator.rules.price_of_power.model import TIMED, TYPES, General
from simulator.rules.price_of_power.setup import Setup
from simulator.rules.price_of_power.state import DEAD, OVER, BattleState, Realm, force_of
from simulator.rules.toolkit.faces import thrown_until
from simulator.rules.toolkit.naming import counted, plural, sentence
from simulator.rules.toolkit.policies import in_words
from simulator.rules.toolkit.words import agreeing

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
    for place, (side, charge) in enumerate(zip(setup.sides, setup.charges, strict=True)):
        card = max(side.drawn) if len(side.drawn) == 1 else 1
        dice = setup.pool(place, card, card > 0, True, (cards.KEPT,) * len(setup.cards[place]), 0)
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


def drawn(side: Side, card: int) -> str:
    """The line of a military card."""
    who = f"a leader with {dice_text(side.leaders[card - 1])}" if card else "an advisor: no leader"
    return f"The {side.where} draws {who}."


def charged(setup: Setup, before: BattleState, after: BattleState) -> str:
    """The lines of a charge."""
    fate = [*changes(setup, before, after)]
    return " ".join([f"The {setup.sides[before.side].where} charges.", *fate])


def faces_until(
    setup: Setup, throw: Throw, fate: Callable[[list[Icons]], object], came: object, dice: random.Random
) -> list[Icons]:
    """Faces of a throw that come to this fate of the enemy; none after MOST_TRIES rolls."""
    faces = throw.pool.faces(setup.dice)
    thrown = thrown_until(lambda rng: [*map(rng.choice, faces)], lambda one: fate(one) == came, dice, MOST_TRIES)
    return thrown or []


def rolled(setup: Setup, before: BattleState, throws: list[Throw], shown: list[list[Icons]], after: BattleState) -> str:
    """The line of a round's rolls: the faces and hits of both sides, and what they do."""
    found = []
    for place, (side, throw, faces) in enumerate(zip(setup.sides, throws, shown, strict=True)):
        hits = f": {plural(throw.hits(throw.pool.shown(faces)), 'hit')}" if faces else ""
        names = cards.names(setup.cards[place], force_of(before, place).hand, cards.IN_FORCE)
        with_cards = f" with {' and '.join(names)}" if names else ""
        text = f"the {side.where} rolls{with_cards}{''.join(f' {letters(face)}' for face in faces)}{hits}"
        timed = place == 0 and before.round < setup.last - 1
        found.append(sentence(f"Round {before.round + 1}, {text}" if timed else text))
    return " ".join([*found, *changes(setup, before, after)])


def letters(face: Icons) -> str:
    """A face in letters."""
    return "+".join(filter(None, (letter * getattr(face, icon) for letter, icon in LETTERS.items()))) or "-"


def changes(setup: Setup, before: BattleState, after: BattleState) -> Iterator[str]:
    """Lines for the units left of each realm that a step has changed, wounds of leaders, ships captured."""
    for place, side in enumerate(setup.sides):
        old, new = force_of(before, place), force_of(after, place)
        for faction, was, now in zip(side.factions, old.realms, new.realms, strict=True):
            if (was.left, was.gone) != (now.left, now.gone):
                yield fate(side, faction, now)
        if new.wounds > old.wounds:
            yield f"The leader of the {side.where} is {'killed' if new.wounds == DEAD else 'wounded'}."
    if after.stage == OVER and after.captured[0]:
        yield f"{plural(after.captured[0], 'ship')} captured."


def fate(side: Side, faction: Faction, realm: Realm) -> str:
    """The units that a realm has now."""
    who = faction.realm.name or (faction.called if len(side.factions) > 1 else side.where)
    units = faction.units(realm.left)
    text = counted(types(units), SHIPS if faction.sea else TYPES, "nothing left")
    damaged = f" ({units[DAMAGED]} damaged)" if faction.sea and units[DAMAGED] else ""
    left = f"{who[:1].upper()}{who[1:]} {'leaves with' if realm.gone else 'has'} {text}{damaged}."
    return agreeing(left, [who])
