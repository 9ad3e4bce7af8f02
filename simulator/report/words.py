"""Numbers and names as people read them."""

from __future__ import annotations

import math
from typing import Any

from simulator.rules.battle import Battle

# The rounding error of chances that sum to one.
ROUNDING = 1e-12
# Digits of a percentage that do not depend on the order of summing, so that rounding is always the same.
SURE_DIGITS = 9


def percent(value: float, decimals: int = 2) -> str:
    """A chance in percent; a chance between 0 and 1 is never written as 0 % or 100 %."""
    text = f"{round(100 * value, SURE_DIGITS):.{decimals}f}"
    least = 10.0**-decimals
    if 0 < value < 1 - ROUNDING:
        if float(text) == 0:
            return f"< {least:.{decimals}f} %"
        if float(text) == 100:
            return f"> {100 - least:.{decimals}f} %"
    return f"{text} %"


def span(low: float, high: float) -> str:
    """The interval of a chance in percent."""
    return f"{100 * low:.2f} - {100 * high:.2f} %"


def bound(battles: int) -> str:
    """The upper 95 % bound of the chance of an event that never happened in `battles` battles (rule of three)."""
    highest = 100 * min(1.0, 3 / battles)
    return f"below {highest:.{max(0, 1 - math.floor(math.log10(highest)))}f} %"


def label_of(battle: Battle, column: str) -> str:
    """A column in the words of its game."""
    shown = battle.shown.get(column)
    return (shown and shown.label) or column.replace("_", " ")


def value_of(battle: Battle, column: str, value: float | str | bool) -> str:
    """A value of a column in the notation of its game."""
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


def setting_of(setting: Any) -> str:
    """The setting of a field."""
    return {True: "yes", False: "no"}[setting] if isinstance(setting, bool) else str(setting)
