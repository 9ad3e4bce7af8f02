"""Chances and counts as sentences name them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import resources

from simulator.rules.toolkit.tolerances import ROUNDING

# Digits of a percentage that do not depend on the order of summing, so that rounding is always the same.
SURE_DIGITS = 9
# Words of numbers and pieces that are kept, since the outcomes of a battle repeat them.
MOST_KEPT = 4096
# Names of sides that end in "s" and stand for one city or country; those in "ss", "us", "is" and "as" need no list.
ONE = {"naples", "wales", "athens", "flanders", "algiers"}
# Names of pieces that are the same for one and for many.
UNCOUNTED = {"light", "heavy", "damaged", "sound", "regular", "mercenary", "allied", "horse", "foot", "mech", "pds"}


def words(name: str) -> str:
    """A name in the words of players: with spaces instead of `_` and `-`, or the words that it has in labels.toml."""
    text = name.replace("_", " ").replace("-", " ")
    return _labels().get(text, text)


@lru_cache(maxsize=1)
def _labels() -> dict[str, str]:
    return tomllib.loads(resources.files("simulator.rules.toolkit").joinpath("labels.toml").read_text("utf-8"))


def percent(value: float, decimals: int = 2) -> str:
    """A chance in percent; a chance between 0 and 1 is never written as 0 % or 100 %."""
    text = f"{round(100 * value, SURE_DIGITS):.{decimals}f}"
    least = 10.0**-decimals
    # Chances between 1 and 99 % are never rounded to 0 or 100.
    if 0 < value < 1 - ROUNDING and not 0.01 < value < 0.99:
        if float(text) == 0:
            return f"< {least:.{decimals}f} %"
        if float(text) == 100:
            return f"> {100 - least:.{decimals}f} %"
    return f"{text} %"


def chance_of(value: float, decimals: int = 2, bounds: tuple[float, float] | None = None) -> str:
    """A chance in a sentence: "64.39 %", "never", "always"; with the bounds of a simulated one after it.

    A simulated chance of 0 is not "never": "about 0.00 % (0.00 to 0.01)".
    """
    if bounds is not None:
        low, high = (f"{100 * bound:.{decimals}f}" for bound in bounds)
        return f"about {percent(value, decimals)} ({low} to {high})"
    return "never" if value <= ROUNDING else "always" if value >= 1 - ROUNDING else percent(value, decimals)


@lru_cache(maxsize=MOST_KEPT)
def number_of(value: float, noun: str = "", more: str = "", between: str = "") -> str:
    """A number with at most two decimals and its noun: "1 ship", "2.4 ships".

    `more`: a plural not made by "s"; `between`: the interval, between number and noun.
    """
    text = f"{round(value, SURE_DIGITS):.2f}".rstrip("0").rstrip(".")
    text = "0" if text == "-0" else text
    if more:
        return f"{text}{between} {noun if text == '1' else more}"
    return text + between + (f" {noun_for(text, noun)}" if noun else "")


def price_of(cost: float, money: str) -> str:
    """A price in the money of a game: "1 coin", "4 coins", "2 gold", "36 IPC"."""
    return number_of(cost, money.removesuffix("s"), money)


def setting_of(value: object) -> str:
    """The value of a field: "3", "yes"; of one that is drawn "1 to 3 at random", "8 or 12 at random"."""
    if isinstance(value, Mapping) and {"from", "to"} == set(value):
        return f"{value['from']} to {value['to']} at random"
    if isinstance(value, Mapping) and isinstance(value.get("mix"), Mapping):
        return f"{' or '.join(map(str, value['mix']))} at random"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def noun_for(number: object, name: str) -> str:
    """The name of a piece after a number: tank and tanks, galleys and galley.

    Names with capitals, numbers or signs, collective ones (infantry) and adjectives (light, heavy) stay as they are.
    """
    if not re.fullmatch(r"[a-z][a-z _-]*(\([a-z -]+\))?", name) or name.endswith("ry") or name in UNCOUNTED:
        return name
    if str(number) == "1":
        return name[:-2] if name.endswith("sses") else re.sub(r"(?<!s)s$", "", re.sub("men$", "man", name))
    return several(name)


def several(noun: str) -> str:
    """The plural of a noun: infantry, and whatever ends in one "s", as it is; armies, tanks, galleasses.

    A name that ends in a code stays (leader A3); before "on", "of" or a weapon in parentheses its first part changes
    (lords of Kent, guardsmen (lasgun)).
    """
    if part := re.fullmatch(r"(.+?)( (?:(?:on|of|at|in) |\().+)", noun):
        return several(part[1]) + part[2]
    if noun.islower() and re.search("(?<!hu|ro|is|ha)(?<!ger|nor|tto)man$", noun):  # not humans, Romans, talismans
        return f"{noun.removesuffix('man')}men"
    if not noun[-1:].islower() or noun.endswith(("ry", "men")) or (noun.endswith("s") and not noun.endswith("ss")):
        return noun
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return noun + ("es" if noun.endswith(("ss", "x", "sh", "ch")) else "s")


def verb_of_many(verb: str) -> str:
    """The verb of "you" and "they": "take" for "takes", "reach" for "reaches", "are" for "is"."""
    return {"is": "are", "has": "have"}.get(verb, verb[:-2] if verb.endswith("ches") else verb.removesuffix("s"))


def agreeing(text: str, names: Iterable[str]) -> str:
    """A sentence whose verbs agree with names of many: "Ottomans win", "Ottomans never take it and lose 2 ships"."""
    adverbs, clause = "(?:never |always |still )*", r"(?:[^.;:]|\.(?=\d))*?"
    for name in names:
        if re.search("[^aisu]s$", name) and name.lower() not in ONE:
            subject = rf"\b{re.escape(name)} "
            for before in (f"{subject}{adverbs}", rf"{subject}{clause}\band {adverbs}"):
                text = re.sub(rf"({before})([a-z]+s)\b", lambda found: found[1] + verb_of_many(found[2]), text, count=1)
    return text
