"""Sides, winners and counts in words."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY
from simulator.rules.toolkit.words import noun_for

# Words for a field, by the words that players write instead.
MEANT = {
    **dict.fromkeys(("general", "admiral", "commander", "king", "leaders"), "leader"),
    **dict.fromkeys(("nation", "power", "realm"), "country"),
    **dict.fromkeys(("armies", "army", "troops", "units", "men"), "regiments"),
    **dict.fromkeys(("ships", "navy"), "fleets"),
}
# Letters that have no accent to be taken off.
OF_THEIR_OWN = str.maketrans("łøđı", "lodi")
# An entry of a list of units: "2 x knights", "3 Giant", "Giant".
ENTRY = re.compile(r"\s*(?:(\d+)\s*(?:[x×*]\s*|\s))?\s*(.*?)\s*")


def text_of(value: object) -> str:
    """A plain value as files, tables, queries and forms write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def winners(attacker_won: np.ndarray, defender_won: np.ndarray) -> np.ndarray:
    """Winner codes of final states, NOBODY where neither won: int64; both arguments are bool, of the same shape."""
    codes = np.where(defender_won, DEFENDER, NOBODY)
    np.putmask(codes, attacker_won, ATTACKER)
    return codes


def winner_text(code: int) -> str:
    """The winner, as a sentence without its full stop."""
    return ("the attacker wins", "the defender wins", "nobody wins")[code]


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Letters and digits only, without accents and case, to compare names: "Gustav Adolf" finds Gustav-Adolf."""
    return "".join(filter(str.isalnum, unaccented(name)))


def unaccented(text: str) -> str:
    """A text without accents and case, for a search."""
    letters = unicodedata.normalize("NFKD", text.casefold().translate(OF_THEIR_OWN))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def same_name(given: object, known: Iterable[Any]) -> str | None:
    """The only known name that differs from the given one in case, accents and punctuation alone; None without one.

    A path is no spelling of a name: `../risk` is not risk.
    """
    if not isinstance(given, str) or "/" in given or "\\" in given:
        return None
    found = [name for name in known if isinstance(name, str) and plain(name) == plain(given)]
    return found[0] if len(found) == 1 and plain(given) else None


def suggested(given: str, known: Iterable[str]) -> str | None:
    """The known name that is meant by a misspelt or short one: `inf` is infantry, `aa` anti-aircraft; None without one.

    Similar names come first, then names that begin so, then initials, then words with the same meaning (MEANT).
    """
    names = [*known]
    if near := difflib.get_close_matches(given, names, 1):
        return near[0]
    letters = plain(given)
    begun = [name for name in names if len(letters) > 1 and plain(name).startswith(letters)]
    initials = ["".join(word[0] for word in re.split(r"[^a-z0-9]+", name.casefold()) if word) for name in names]
    begun += [name for name, short in zip(names, initials, strict=True) if len(letters) > 1 and short == letters]
    begun += [name for name in names if name == MEANT.get(letters)]
    return begun[0] if begun else same_name(given, names)


def plural(number: int, word: str, more: str | None = None) -> str:
    """A number with its word: "1 hit", "2 hits"; `more` is the plural where "s" does not make it."""
    return f"{number} {word if number == 1 else more or word + 's'}"


def counted(numbers: Iterable[int], names: Iterable[str], none: str = "nobody") -> str:
    """Numbers with their names, zeros left out: "4 infantry, 2 tanks, 1 galley"."""
    pairs = zip(numbers, names, strict=False)
    return ", ".join(f"{number} {noun_for(number, name)}" for number, name in pairs if number) or none


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words as in a sentence: "a", "a and b", "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def counted_list(name: str, word: str, data: Mapping[str, Any], side: str) -> list[str]:
    """The total of a side whose units stand in a list of this name: entries by text, or tables with a count."""
    given = data.get(side)
    entries = given.get(name) if isinstance(given, Mapping) else None
    many = sum(map(_number_of, entries)) if isinstance(entries, list) else 0
    return [plural(many, word)] if many else []


def _number_of(entry: Any) -> int:
    if isinstance(entry, Mapping):
        count = entry.get("count", 1)
        return count if isinstance(count, int) else 0
    match = ENTRY.fullmatch(str(entry))
    return int((match and match[1]) or 1)
