"""Sides, winners and counts in words."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from pydantic import BaseModel

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Fields

SIDES = ("attacker", "defender")


def winners(attacker_won: np.ndarray, defender_won: np.ndarray) -> np.ndarray:
    """Winner codes of final states from two yes/no arrays: nobody where neither won."""
    return np.where(attacker_won, ATTACKER, np.where(defender_won, DEFENDER, NOBODY))


def winner_text(code: int) -> str:
    """Who wins, as a sentence without its full stop."""
    return ("the attacker wins", "the defender wins", "nobody wins")[code]


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Letters and digits only, without accents and case, as names are compared: "Gustav Adolf" finds Gustav-Adolf."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in apart if letter.isalnum())


def plural(number: int, word: str, more: str | None = None) -> str:
    """A number with its word: "1 hit", "2 hits"; `more` is the plural where "s" does not make it."""
    return f"{number} {word if number == 1 else more or word + 's'}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words as in a sentence: "a", "a and b", "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


@cache
def usual(model: type[BaseModel]) -> dict[str, tuple[str, bool, Any]]:
    """Of each field of a model: its name for the user, whether it is required, and its default."""
    return {
        name: (about.alias or name, about.is_required(), about.get_default(call_default_factory=True))
        for name, about in model.model_fields.items()
    }


def differing(fields: Fields, part: str) -> list[str]:
    """Fields of a part of a scenario ("options", "attacker.heavy") that may be left out and were not: "path: value"."""
    table: Fields = fields
    for step in part.split("."):
        table = getattr(table, step)
    lines = []
    for name, (_, required, default) in usual(type(table)).items():
        value = getattr(table, name)
        if required or value == default:
            continue
        if isinstance(value, Fields):
            lines += differing(fields, f"{part}.{name}")
        else:
            lines.append(f"{part}.{name}: {_shown(value)}")
    return lines


def _shown(value: object) -> str:
    """A value as a scenario has it, of tables only what was given."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, Fields):
        given = {name: getattr(value, name) for name in type(value).model_fields if name in value.model_fields_set}
        return "{" + ", ".join(f"{name} = {_shown(item)}" for name, item in given.items()) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value)
