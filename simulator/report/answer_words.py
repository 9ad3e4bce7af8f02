"""An answer in words: what it costs, the facts that the game names first, who is left, the likeliest survivors."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from simulator.analysis.odds.headline import side_names
from simulator.analysis.odds.odds import Odds
from simulator.report.words import label_of, value_of
from simulator.rules import CAMPAIGN
from simulator.rules.battle import WINNERS, Battle
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import counted, sentence, winner_text
from simulator.rules.toolkit.tolerances import ROUNDING
from simulator.rules.toolkit.words import agreeing, number_of, percent, words

MOST_OUTCOMES = 6
MOST_FACTS = 4
UNITS_LEFT = "_units_left"
# Columns of forces that count no pieces of one sort.
NO_PIECES = {"units", "thirds", "cost", "value"}
# The sides as a player reads them.
YOU = {"attacker": "you", "defender": "they"}


# --- what it costs, and the facts that the game names ---------------------------------------------------------------


def costs(odds: Odds) -> str:
    """The mean losses of each side, in units and in the money of the game; "" where the game does not say."""
    forces = odds.battle.forces
    lost = next((one for one in forces.lost if all(f"{side}_{one}" in odds.names for side in SIDES)), None)
    if lost is None:
        return ""
    money = forces.money if odds.battle.money and f"attacker_{forces.money}" in odds.names else ""
    attacker, defender = (_lost(odds, side, lost, money) for side in SIDES)
    names = side_names(odds)
    return sentence(agreeing(f"{names[0]} loses {attacker} on average, {names[1]} {defender}", names[:1]))


def _lost(odds: Odds, side: str, column: str, money: str) -> str:
    """The mean of what a side loses: "4.2 of 9 units (15.3 IPC)", "2.4 LD"."""
    name, noun, unit = f"{side}_{column}", odds.battle.forces.lost[column], odds.battle.forces.unit
    mean, total, shown = odds.mean(name), odds.battle.total, odds.battle.shown.get(name)
    if unit > 1:
        return shown.value(mean) if shown and shown.value else number_of(mean / unit, noun)
    force = list(total(odds.scenario or {}, side)) if total else []
    text = f"{number_of(mean)} of {force[0]}" if force else number_of(mean, noun)
    worth = odds.mean(f"{side}_{money}") if money else mean
    return text if worth == mean else f"{text} ({number_of(worth)} {odds.battle.money})"


def _short(odds: Odds, column: str) -> str:
    """The mean of a column with few digits, in the unit of its game."""
    mean = odds.mean(column)
    shown = odds.battle.shown.get(column)
    return shown.value(mean) if shown and shown.value else f"{mean:.0f}" if mean >= 20 else f"{mean:.1f}"


def facts(odds: Odds, said: Collection[str] = ()) -> Iterator[dict[str, str]]:
    """The columns that the game names first: chances, or a mean with the span of nine battles in ten.

    A number that is always the same is given alone, and what was `said` (questions) is left out.
    """
    named = [name for name in odds.battle.facts if name in odds.kinds]
    rest = [name for name in odds.summary_columns if name not in named and odds.kinds[name] != "text"]
    for name in [*named, *rest][:MOST_FACTS]:
        if name in said:
            continue
        label = _fact_label(label_of(odds.battle, name))
        if odds.kinds[name] == "yes/no":
            yield {"label": label, "value": percent(odds.p(name), 1), "span": ""}
        else:
            ends = [odds.quantile(name, q) for q in (0.05, 0.95)]
            low, high = (value_of(odds.battle, name, end) for end in ends)
            always = ends[0] == ends[1] and abs(odds.mean(name) - ends[0]) < ROUNDING
            span = "" if always else low if low == high else f"{low} – {high}"
            yield {"label": label, "value": low if always else _short(odds, name), "span": span}


@lru_cache(maxsize=256)
def _fact_label(label: str) -> str:
    """The label of a fact: "attacker tanks lost" is "tanks you lose"."""
    match = re.fullmatch(r"(attacker|defender)(?: (\w+))? (lost|losses)", label)
    return f"{match[2] or ''} {YOU[match[1]]} lose".strip() if match else label


def ending(battle: Battle, outcome: Mapping[str, Any]) -> Iterator[str]:
    """The end of one battle: the winner, the other results, then the pieces that each side has left and has lost.

    Of a campaign the pieces that each force has left: its fights have said the rest.
    """
    if battle.game == CAMPAIGN:
        yield from _forces_left(outcome)
        return
    sides: dict[str, list[str]] = {side: [] for side in SIDES}
    rest: list[str] = []
    for name, value in outcome.items():
        if name == "winner" or not value:
            continue
        side = next((one for one in SIDES if name.startswith(f"{one}_")), None)
        label = label_of(battle, name).removeprefix(f"{side} ")
        text = label if value is True else f"{label} {value_of(battle, name, value)}"
        (sides[side] if side else rest).append(text)
    if "winner" in outcome:
        more = f" ({', '.join(rest)})" if rest else ""
        yield f"{winner_text(WINNERS.index(outcome['winner'])).capitalize()}{more}."
    else:
        yield f"End: {', '.join(rest) or 'nothing came about'}."
    yield from (f"{side}: {', '.join(texts)}" for side, texts in sides.items() if texts)


def _forces_left(outcome: Mapping[str, Any]) -> Iterator[str]:
    """A line for each force of a campaign: "red: 2 tanks, 1 fighter"."""
    for force in (name.removesuffix(UNITS_LEFT) for name in outcome if name.endswith(UNITS_LEFT)):
        kinds = {name: re.fullmatch(rf"{re.escape(force)}_(\w+)_left", name) for name in outcome}
        left = {kind[1]: outcome[name] for name, kind in kinds.items() if kind and kind[1] not in NO_PIECES}
        yield f"Left of {force.replace('_', ' ')}: {counted(left.values(), map(words, left))}."


# --- who is left ----------------------------------------------------------------------------------------------------


def unit_columns(odds: Odds) -> Mapping[str, tuple[str, str]]:
    """The columns of the units that the sides have left: whose, and the name of the unit."""
    forces = odds.battle.forces
    return _unit_columns((*(one.removesuffix("_left") for one in forces.left), *forces.no_units), tuple(odds.names))


@lru_cache(maxsize=256)
def _unit_columns(no_units: Sequence[str], names: Sequence[str]) -> Mapping[str, tuple[str, str]]:
    """As `unit_columns`, of these columns; what is left of `no_units` is no unit."""
    found = ((name, re.fullmatch(r"(attacker|defender)_(\w+)_left", name)) for name in names)
    return MappingProxyType({name: (one[1], one[2]) for name, one in found if one and one[2] not in no_units})


def survivors(odds: Odds) -> list[dict[str, Any]]:
    """The likeliest survivors of both sides, unit by unit."""
    columns = unit_columns(odds)
    if not columns:
        return []
    rows = []
    for row in odds.likely(MOST_OUTCOMES, list(columns)):
        texts: dict[str, list[str]] = {side: [] for side in SIDES}
        for name, (side, unit) in columns.items():
            if number := row[name]:
                texts[side].append(number_of(number, unit.replace("_", " ")))
        rows.append({"p": row["p"], **{side: ", ".join(text) or "nothing" for side, text in texts.items()}})
    return rows
