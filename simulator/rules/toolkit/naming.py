"""Sides, winners and counts in words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY

SIDES = ("attacker", "defender")


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
    letters = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in letters if letter.isalnum())


def plural(number: int, word: str, more: str | None = None) -> str:
    """A number with its word: "1 hit", "2 hits"; `more` is the plural where "s" does not make it."""
    return f"{number} {word if number == 1 else more or word + 's'}"


def counted(numbers: Iterable[int], names: Iterable[str], none: str = "nobody") -> str:
    """Numbers with their names, zeros left out: "4 infantry, 1 cavalry"."""
    return ", ".join(f"{number} {name}" for number, name in zip(numbers, names, strict=False) if number) or none


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words as in a sentence: "a", "a and b", "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
