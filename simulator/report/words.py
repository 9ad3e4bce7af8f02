"""Numbers and names as people read them."""

from __future__ import annotations

import math

from simulator.rules.battle import Battle

# Chances that sum to one may miss it by so much.
ROUNDING = 1e-12
# Digits of a percentage that no order of summing can change: what lies between two decimals is told alike every time.
SURE_DIGITS = 9


def percent(value: float, decimals: int = 2) -> str:
    """A chance; one that is not quite 0 or 100 % is never written as if it were."""
    text = f"{round(100 * value, SURE_DIGITS):.{decimals}f}"
    least = 10.0**-decimals
    if 0 < value < 1 - ROUNDING:
        if float(text) == 0:
            return f"< {least:.{decimals}f} %"
        if float(text) == 100:
            return f"> {100 - least:.{decimals}f} %"
    return f"{text} %"


def bound(battles: int) -> str:
    """The chance of what never happened in so many battles lies below this (95 %: the rule of three)."""
    highest = 100 * min(1.0, 3 / battles)
    return f"below {highest:.{max(0, 1 - math.floor(math.log10(highest)))}f} %"


def label_of(battle: Battle, column: str) -> str:
    """A column in words, as its game calls it."""
    shown = battle.shown.get(column)
    return (shown and shown.label) or column.replace("_", " ")


def value_of(battle: Battle, column: str, value: float | str | bool) -> str:
    """A value of a column as its game writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    shown = battle.shown.get(column)
    if shown and shown.value:
        return shown.value(value)
    return str(value) if isinstance(value, int) else f"{value:g}"


def path_in_words(path: str) -> str:
    """A scenario path as words: `attacker.regiments` as "attacker: regiments"."""
    return path.replace("_", " ").replace(".", ": ", 1)
