"""One sentence about the end of a battle, or about battles after some rounds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from simulator.analysis.decisions.advice import event
from simulator.analysis.field_words import owner_in_words, units_in_words
from simulator.analysis.odds.headline import clause_of, names_of
from simulator.analysis.odds.odds import Odds
from simulator.analysis.words import capital
from simulator.rules import CAMPAIGN
from simulator.rules.battle import WINNERS
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import listed
from simulator.rules.toolkit.tolerances import ROUNDING
from simulator.rules.toolkit.words import agreeing, number_of

# The thirds of a detachment.
THIRDS = 3
_LEFT = re.compile(r"(\w+?)_left(_thirds)?$|(left)_thirds$|(standing)$")


def ending(odds: Odds, outcome: Mapping[str, Any]) -> str:
    """The sentence of one battle: `odds` with its single, certain outcome, and that outcome in words."""
    battle, data = odds.battle, odds.scenario or {}
    whole = odds.headline.text
    if not re.search(r"\b(always|never)\b", whole):  # a kind whose answer is a number, not a chance
        return whole.replace(" on average", "")
    question, winner = battle.question.measure, str(outcome.get("winner", ""))
    by_sides = not battle.results and ("winner" in question or question == "taken")
    if not by_sides and odds.p(question) and (clause := clause_of(battle, data, question)):
        return capital(f"{clause} in this battle.")
    if results := [one.label.replace("_", " ") for one in odds.results if battle.results and one.p]:
        return f"In this battle: {listed(results)}."
    if not by_sides:
        subject, predicate = event(odds, SIDES[1])
        subject = subject.format(**dict(zip("AD", names_of(battle, data), strict=True)))
        return agreeing(capital(f"{subject} {predicate} in this battle."), [subject])
    name = owner_in_words(battle, data, winner) if winner in SIDES else "nobody"
    rounds = outcome.get("rounds")
    fought = "campaign" if battle.game == CAMPAIGN else "battle"
    text = f"{name} wins this {fought}" + (f" after {number_of(rounds, 'round')}" if rounds else "")
    left = _left(odds, outcome, winner)
    text += f", with {left} left" if left else ""
    if question == "taken" and winner == SIDES[0] and not outcome["taken"]:
        text += ", but nobody who could take the ground"
    return agreeing(capital(f"{text}."), [name])


def standing(odds: Odds, rounds: int, unit: str) -> str:
    """The sentence of odds after this many rounds (or fights), with braces for values: over or not, and who has won."""
    when, exact = number_of(rounds, unit), odds.battles is None
    if exact and odds.p("over") == 0:
        return f"It is never over after {when}."
    by_sides = "winner" in odds.names and not odds.battle.question.number
    sides = zip(("{A}", "{D}", "nobody"), WINNERS, strict=True) if by_sides else ()
    # The winner of a campaign is as if it ended there.
    won, only = ("has won", " and over") if unit == "round" else ("is ahead", "")
    asked = [(name, f"winner == '{side}'{only}") for name, side in sides]
    said = [f"{name} in {{{question}}}" for name, question in asked if odds.p(question)]
    text = f": {', '.join(said)}".replace(" in ", f" {won} in ", 1) if said else ""
    if exact and odds.p("over") >= 1 - ROUNDING:
        return f"It is always over after {when}{text}."
    return f"It is over after {when} in {{m}}{text}."


def _left(odds: Odds, outcome: Mapping[str, Any], side: str) -> str:
    """The pieces a side has left: its units by name where the game counts them, else the first number that is left."""
    battle, data = odds.battle, odds.scenario or {}
    units = {unit: outcome.get(f"{side}_{unit}_left") for unit in battle.notes}
    words = [units_in_words(battle, data, f"{side}.{unit}", int(number)) for unit, number in units.items() if number]
    if words or battle.notes:
        return listed(words)
    for column, value in outcome.items():
        found = _LEFT.fullmatch(column.removeprefix(f"{side}_")) if column.startswith(f"{side}_") else None
        if found and value and isinstance(value, int | float) and not isinstance(value, bool):
            noun = "detachment" if column.endswith("thirds") else "unit" if found[4] else found[1].replace("_", " ")
            shares = THIRDS if column.endswith("thirds") else 1
            return number_of(value / shares, noun.removesuffix("s"))
    return ""
