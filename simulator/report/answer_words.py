"""An answer in words: what it costs, the facts that the game names first, who is left, the likeliest survivors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from simulator.analysis.odds.headline import side_names
from simulator.analysis.odds.odds import Odds
from simulator.engine.model.chain import SIDES
from simulator.report.words import label_of, percent, value_of
from simulator.rules.battle import ATTACKER, DEFENDER, WINNERS, Battle
from simulator.rules.toolkit.naming import sentence, winner_text
from simulator.rules.toolkit.words import number_of

MOST_OUTCOMES = 6
MOST_FACTS = 4
MOST_BARS = 41
# Columns of the units that a side has left, without the side, the first that a game has; the picture's size.
LEFT = (
    "units_left", "regiments_left", "fleets_left", "creatures_left", "ships_left", "standing", "left_thirds",
)  # fmt: skip
# Columns of what a side has left that are no kinds of units.
NO_UNITS = {one.removesuffix("_left") for one in LEFT}
NO_UNITS |= {"value", "morale", "regular", "mercenary", "allied", "with_wind", "gold", "steps", "damaged"}
PICTURE = (620, 180)


# What a side loses, without the side: the first that a game has, with its noun where the whole force is not known.
LOST = {"units_lost": "unit", "regiments_lost": "regiment", "fleets_lost": "fleet", "losses": "", "destroyed": ""}
MONEY_LOST = ("cost_lost", "ducats_lost", "gold_lost")


# --- what it costs, and the facts that the game names ---------------------------------------------------------------


def costs(odds: Odds) -> str:
    """What each side loses on average, in units and in the money of the game; "" where the game does not say."""
    thirds, named = "losses_thirds", odds.names
    lost = next((one for one in (thirds, *LOST) if all(f"{side}_{one}" in named for side in SIDES)), None)
    if lost is None:
        return ""
    money = next((one for one in MONEY_LOST if odds.battle.money and f"attacker_{one}" in named), "")
    attacker, defender = (_lost(odds, side, lost, money) for side in SIDES)
    names = side_names(odds)
    return sentence(f"{names[0]} loses {attacker} on average, {names[1]} {defender}")


def _lost(odds: Odds, side: str, column: str, money: str) -> str:
    """The mean of what a side loses: "4.2 of 9 units (15.3 IPC)", "2.4 LD"."""
    name = f"{side}_{column}"
    mean, total, shown = odds.mean(name), odds.battle.total, odds.battle.shown.get(name)
    if column not in LOST:
        return shown.value(mean) if shown and shown.value else number_of(mean / 3, "detachment")
    force = list(total(odds.scenario or {}, side)) if total else []
    text = f"{number_of(mean)} of {force[0]}" if force else number_of(mean, LOST[column])
    worth = odds.mean(f"{side}_{money}") if money else mean
    return text if worth == mean else f"{text} ({number_of(worth)} {odds.battle.money})"


def _short(odds: Odds, column: str) -> str:
    """The mean of a column with few digits, in the unit of its game."""
    mean = odds.mean(column)
    shown = odds.battle.shown.get(column)
    return shown.value(mean) if shown and shown.value else f"{mean:.0f}" if mean >= 20 else f"{mean:.1f}"


def facts(odds: Odds) -> Iterator[dict[str, str]]:
    """The columns that the game names first: chances, or a mean with the span of nine battles in ten."""
    kinds = {name: odds.kind_of(name) for name in odds.names}
    named = [name for name in odds.battle.facts if name in kinds]
    rest = [name for name in odds.summary_columns if name not in named and kinds[name] != "text"]
    for name in [*named, *rest][:MOST_FACTS]:
        label = label_of(odds.battle, name)
        for side, you in (("attacker", "you"), ("defender", "they")):
            if match := re.fullmatch(rf"{side}(?: (\w+))? (lost|losses)", label):
                label = f"{you} lose {match[1] or ''}".strip()
        if kinds[name] == "yes/no":
            yield {"label": label, "value": percent(odds.p(name), 1), "span": ""}
        else:
            low, high = (value_of(odds.battle, name, odds.quantile(name, q)) for q in (0.05, 0.95))
            yield {"label": label, "value": _short(odds, name), "span": low if low == high else f"{low} – {high}"}


def ending(battle: Battle, outcome: Mapping[str, Any]) -> Iterator[str]:
    """The end of one battle: who wins, what else came about, then what each side has left and has lost."""
    sides: dict[str, list[str]] = {side: [] for side in SIDES}
    rest: list[str] = []
    for name, value in outcome.items():
        if name == "winner" or not value:
            continue
        side = next((one for one in SIDES if name.startswith(f"{one}_")), None)
        words = label_of(battle, name).removeprefix(f"{side} ")
        text = words if value is True else f"{words} {value_of(battle, name, value)}"
        (sides[side] if side else rest).append(text)
    if "winner" in outcome:
        more = f" ({', '.join(rest)})" if rest else ""
        yield f"{winner_text(WINNERS.index(outcome['winner'])).capitalize()}{more}."
    else:
        yield f"End: {', '.join(rest) or 'nothing came about'}."
    yield from (f"{side}: {', '.join(texts)}" for side, texts in sides.items() if texts)


# --- who is left ----------------------------------------------------------------------------------------------------


def units_left(odds: Odds) -> dict[str, Any] | None:
    """The bars of how many units the winner has left, the defender's to the left; None where the game does not say."""
    names = [next((one for one in LEFT if f"{side}_{one}" in odds.names), "") for side in SIDES]
    if "winner" not in odds.columns or not all(names) or len(odds.results) > len(WINNERS) or odds.battle.results:
        return None
    winner = odds.columns["winner"]
    own, enemy = (odds.columns[f"{side}_{name}"].astype(float) for side, name in zip(SIDES, names, strict=True))
    unit = 3 if names[0].endswith("thirds") else 1
    signed = np.select([winner == ATTACKER, winner == DEFENDER], [own, -enemy], 0.0)
    whole = (np.sign(signed) * np.ceil(np.abs(signed) / unit)).astype(int)
    low, high = min(int(whole.min()), 0), max(int(whole.max()), 0)
    step = -(-(high - low + 1) // MOST_BARS)
    places = np.sign(whole) * -(-np.abs(whole) // step)
    first, last = int(places.min(initial=0)), int(places.max(initial=0))
    p = np.bincount(places - first, odds.chances, last - first + 1)
    highest = float(p.max()) or 1.0
    width = PICTURE[0] / len(p)
    bars = []
    for place, chance in zip(range(first, last + 1), p.tolist(), strict=True):
        most = abs(place) * step
        text = f"{most - step + 1} – {most}" if step > 1 and place else str(most)
        side = "attacker" if place > 0 else "defender" if place < 0 else "nobody"
        height = PICTURE[1] * chance / highest
        bars.append({"x": width * (place - first), "height": height, "p": chance, "name": text, "side": side})
    every = -(-len(bars) // 16)
    for place, one in zip(range(first, last + 1), bars, strict=True):
        one["label"] = one["name"] if place % every == 0 else ""
    tick = next(one for one in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if highest / one <= 4)
    ticks = [
        (max(PICTURE[1] * (1 - n * tick / highest), 14.0), percent(n * tick, 0))
        for n in range(1, int(highest / tick) + 1)
    ]
    words = {"standing": "units standing", "left_thirds": "LD left"}.get(names[0], names[0].replace("_", " "))
    return {"bars": bars, "width": width, "ticks": ticks, "words": words}


def survivors(odds: Odds) -> list[dict[str, Any]]:
    """The likeliest survivors of both sides, unit by unit."""
    match = re.compile(r"(attacker|defender)_(\w+)_left")
    columns = {name: found for name in odds.names if (found := match.fullmatch(name)) and found[2] not in NO_UNITS}
    if not columns:
        return []
    rows = []
    for row in odds.likely(MOST_OUTCOMES, list(columns)):
        texts: dict[str, list[str]] = {side: [] for side in SIDES}
        for name, found in columns.items():
            if number := row[name]:
                unit = found[2].replace("_", " ")
                texts[found[1]].append(f"{number_of(number, unit)}")
        rows.append({"p": row["p"], **{side: ", ".join(text) or "nothing" for side, text in texts.items()}})
    return rows
