"""Numbers and values as sentences name them."""

from __future__ import annotations

from typing import Any

from simulator.analysis.odds.measure import Measure, in_words, is_chance
from simulator.rules.battle import WINNERS
from simulator.rules.toolkit.words import percent

# Smaller differences would be written as 0.00 points.
LEAST_POINTS = 0.005


def span(low: float, high: float) -> str:
    """The interval of a chance in percent."""
    return f"{100 * low:.2f} - {100 * high:.2f} %"


def amount(value: float, chance: bool) -> str:
    """A number, in percent if it is a chance."""
    return percent(value) if chance else f"{value:.4g}"


def signed(value: float, chance: bool) -> str:
    """A difference with its sign, of chances in points."""
    return f"{100 * value:+.2f}" if chance else f"{value:+.4g}"


def points(value: float, chance: bool) -> str:
    """The size of a difference, of chances in points."""
    if not chance:
        return f"{abs(value):.4g}"
    return f"{100 * abs(value):.2f} points" if 100 * abs(value) >= LEAST_POINTS else "less than 0.01 points"


def named(asked: str) -> str:
    """The clause that a value completes: "the attacker wins", "the mean of rounds is"."""
    if asked.startswith("p_") and asked[2:] in WINNERS:
        return "nobody wins" if asked == "p_nobody" else f"the {asked[2:]} wins"
    return f"the {in_words(asked)} is"


def quantity(asked: str) -> str:
    """A value as the object of a sentence: "the attacker's chance to win", "the mean of rounds"."""
    if asked.startswith("p_") and asked[2:] in WINNERS:
        return "the chance that nobody wins" if asked == "p_nobody" else f"the {asked[2:]}'s chance to win"
    return f"the {in_words(asked)}"


def heading(asked: str) -> str:
    """A value at the head of a column: "attacker wins", else as it is asked for."""
    return f"{asked[2:]} wins" if asked.startswith("p_") and asked[2:] in WINNERS else asked


def stated(asked: str, found: Measure) -> str:
    """A value in words, with its interval where it has one: "the attacker wins 82.21 %"."""
    chance = is_chance(asked)
    text = f"{named(asked)} {amount(found.value, chance)}"
    if not found.low < found.high:
        return text
    between = span(found.low, found.high) if chance else f"{found.low:.4g} to {found.high:.4g}"
    return f"{text} (95 % interval {between})"


def setting_of(setting: Any) -> str:
    """The setting of a field."""
    return {True: "yes", False: "no"}[setting] if isinstance(setting, bool) else str(setting)


def capital(text: str) -> str:
    """The text with a capital letter first."""
    return text[:1].upper() + text[1:]
