"""Numbers and values as sentences name them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from simulator.analysis.field_words import counts_units, field_in_words, owner_in_words, units_in_words, whose
from simulator.analysis.odds.headline import clause_of, how_often, meant, names_of
from simulator.analysis.odds.measure import Measure, is_chance, statistic_of
from simulator.rules.battle import WINNERS, Battle
from simulator.rules.question import WON
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import listed
from simulator.rules.toolkit.words import agreeing, chance_of, percent, setting_of, several

STATISTICS = {"mean": "the mean", "std": "the standard deviation"}
# Smaller differences would be written as 0.00 points.
LEAST_POINTS = 0.005


def span(low: float, high: float) -> str:
    """The interval of a chance in percent."""
    return f"{100 * low:.2f} - {100 * high:.2f} %"


def amount(value: float, chance: bool) -> str:
    """A number, in percent if it is a chance; "-" where there is no answer (nan)."""
    if math.isnan(value):
        return "-"
    return percent(value) if chance else f"{value:.4g}"


def signed(value: float, chance: bool) -> str:
    """A difference with its sign, of chances in points; "-" where there is none (nan)."""
    if math.isnan(value):
        return "-"
    return f"{100 * value:+.2f}" if chance else f"{value:+.4g}"


def in_chance(value: float, bounds: tuple[float, float] | None = None) -> str:
    """A chance as an adverb: "in 35.21 %", "never", "always", "in about 35.2 % (35.1 to 35.3)"."""
    text = chance_of(value, 2, bounds)
    return text if text in {"never", "always"} else f"in {text}"


def points(value: float, chance: bool) -> str:
    """The size of a difference, of chances in points."""
    if not chance:
        return f"{abs(value):.4g}"
    return f"{100 * abs(value):.2f} points" if 100 * abs(value) >= LEAST_POINTS else "less than 0.01 points"


def meaning(battle: Battle, data: Mapping[str, Any], asked: str) -> str:
    """A value of a battle as the subject of a sentence, in the words of its game: "the chance that red wins"."""
    asked = _in_short(battle, data, asked)
    side = asked[2:] if asked.startswith("p_") else ""
    clause = _other_clause(battle, data, side)
    if side in WINNERS and not clause:
        return f"the chance of {owner_in_words(battle, data, side) or side} to win"
    if statistic := statistic_of(asked):
        kind, column = statistic
        shown = battle.shown.get(column)
        name = _of_a_side(battle, data, (shown and shown.label) or column.replace("_", " "))
        return f"{STATISTICS.get(kind) or f'the {kind[1:]} % quantile'} of {name}"
    clause = clause or clause_of(battle, data, meant(battle, asked))
    return f"the chance that {clause}" if clause else f"the chance of {asked.replace('_', ' ')}"


def _in_short(battle: Battle, data: Mapping[str, Any], asked: str) -> str:
    """A question as battle kinds write it; one about the winner that has no words there as the value of a side."""
    winner = re.fullmatch(r"winner\s*==\s*(['\"])(\w+)\1", asked)
    asked = re.sub(r"not (\w+)", r"not (\1)", asked) if re.fullmatch(r"not \w+", asked) else asked
    asked = f"winner == '{winner[2]}'" if winner else asked
    return f"p_{winner[2]}" if winner and winner[2] in WINNERS and not clause_of(battle, data, asked) else asked


def _of_a_side(battle: Battle, data: Mapping[str, Any], name: str) -> str:
    """A column in words, with its side by name: "the attacker's points", "England's losses"."""
    side, _, own = name.partition(" ")
    if side not in SIDES or not own:
        return name
    owner = owner_in_words(battle, data, side)
    unit, _, fate = own.rpartition(" ")
    if fate in {"left", "lost"} and unit.replace(" ", "_") in battle.notes:
        own = f"{several(unit)} {fate}"
    if own == "left":
        return agreeing(f"what {owner} has left", [owner])
    return f"{owner}'{'' if owner.endswith('s') else 's'} {own}"


def value_in_words(battle: Battle, data: Mapping[str, Any], asked: str, found: Measure) -> str:
    """A value of a battle as a clause: "the attacker takes the land in 85.64 %", "the mean of rounds is 4.492"."""
    asked = _in_short(battle, data, asked)
    side = asked[2:] if asked.startswith("p_") else ""
    clause = _other_clause(battle, data, side)
    if side in WINNERS and not clause:
        name = owner_in_words(battle, data, side) or side
        return how_often(f"{name} wins", found.value, bounds(found), [name])
    clause = clause or ("" if statistic_of(asked) else clause_of(battle, data, meant(battle, asked)))
    if clause:
        return how_often(clause, found.value, bounds(found), names_of(battle, data))
    return f"{meaning(battle, data, asked)} is {amount_in_words(battle, asked, found)}"


def _other_clause(battle: Battle, data: Mapping[str, Any], side: str) -> str:
    """The attacker's win in the words of a kind that does not speak of sides: "the castle falls"; else ""."""
    if side != WINNERS[0] or battle.question.measure != WON:
        return ""
    clause = clause_of(battle, data, WON)
    return "" if clause.startswith(names_of(battle, data)) else clause


def settings_in_words(battle: Battle, data: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Settings by their fields: "14 regiments and 3 infantry of the defender", "-1 for the modifier of red"."""
    words = []
    for path, setting in settings.items():
        if path == "variant":
            words.append(f"the variant {setting}")
        elif isinstance(setting, int) and not isinstance(setting, bool) and counts_units(battle, path):
            words.append(units_in_words(battle, data, path, setting) + whose(battle, data, path, setting))
        else:
            words.append(f"{setting_of(setting)} for {field_in_words(battle, data, path, setting)}")
    return listed(words)


def bounds(found: Measure) -> tuple[float, float] | None:
    """The interval of a value; None for an exact one."""
    return (found.low, found.high) if found.low < found.high else None


def value_of(found: Measure, chance: bool) -> str:
    """A value as a sentence names it: "50.80 %", "about 50.8 % (50.1 to 51.5)"; of no chance "4.492"."""
    simulated = bounds(found)
    if math.isnan(found.value):
        return "not known"
    if chance:
        return chance_of(found.value, 2, simulated) if simulated else percent(found.value)
    return f"about {found.value:.4g} ({found.low:.4g} to {found.high:.4g})" if simulated else f"{found.value:.4g}"


def amount_in_words(battle: Battle, asked: str, found: Measure) -> str:
    """A value in the notation of its game: "50.80 %", "4.492", "3 LD 1 LDE", "about 4.5 (4.4 to 4.6)"."""
    notation = notation_of(battle, asked)
    if notation is None:
        return value_of(found, is_chance(asked))
    value, low, high = map(notation, found)
    return f"about {value} ({low} to {high})" if bounds(found) else value


def notation_of(battle: Battle, asked: str) -> Callable[[float], str] | None:
    """The notation in which a game writes a value, such as "4.6 LD" for 13.8 thirds; None for plain numbers."""
    _, column = statistic_of(asked) or ("", "")
    shown = battle.shown.get(column)
    return shown.value if shown else None


def number_in_words(battle: Battle, asked: str, value: float, chance: bool) -> str:
    """A value without an interval in the notation of its game, in percent if it is a chance."""
    notation = None if math.isnan(value) else notation_of(battle, asked)
    return notation(value) if notation else amount(value, chance)


def difference_in_words(battle: Battle, asked: str, value: float, chance: bool) -> str:
    """A difference with its sign; one between values that have names (siegeworks) stays a number."""
    text = number_in_words(battle, asked, abs(value), chance)
    named_unit = notation_of(battle, asked) is not None and text[:1].isdigit()
    return f"{'-' if value < 0 else '+'}{text}" if named_unit else signed(value, chance)


def heading(asked: str) -> str:
    """A value at the head of a column: "attacker wins", else as it is asked for."""
    return f"{asked[2:]} wins" if asked.startswith("p_") and asked[2:] in WINNERS else asked


def capital(text: str) -> str:
    """The text with a capital letter first."""
    return text[:1].upper() + text[1:]
