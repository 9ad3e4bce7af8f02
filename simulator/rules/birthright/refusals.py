"""Refusals of scenarios of fights, beyond those of types (docs/rules/birthright.md sections 3 to 5)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from simulator.rules.battle import Refusal
from simulator.rules.birthright.checks.tables import matchup
from simulator.rules.birthright.model import CheckOptions, Fight, QuickBattle, Siege
from simulator.rules.birthright.siege.tables import siege_of
from simulator.rules.birthright.tactical.tables import sides_of
from simulator.rules.toolkit.naming import SIDES

Spans = Sequence[tuple[str, int, int]]
FORT = (("level", 1, 20), ("defence", 0, 12))
RATIO = (("stronger", 1, 1000), ("weaker", 1, 1000), ("modifier", 0, 100))
LOSSES = (("winner_loss", 0, 100), ("loser_loss", 0, 100), ("rout", 0, 1), ("pursuit", 0, 100))
RESULT = (("margin_from", 0, 1000), *LOSSES)
SIEGE = (("rating_below", 1, 1_000_000), ("level", 0, 20), ("reduced_per_season", 0, 20))


def check_fight(fields: Fight) -> None:
    """A battle unit against unit. Raises Refusal."""
    if fields.battle == "storm":
        rows = fields.options.fort_defence
        _rows("fort_defence", rows, FORT)
        if [row[0] for row in rows] != list(range(1, 21)):
            raise Refusal("options.fort_defence", "its rows are not allowed; give levels 1 to 20 in order")
    sides_of(fields)


def check_quick(fields: QuickBattle) -> None:
    """A quick battle. Raises Refusal."""
    matchup(fields)
    _check_numbers(fields.options)
    for side in SIDES:
        retreat = getattr(fields.policy, side).retreat
        if fields.options.mode == "single" and retreat != "never":
            field, text = f"policy.{side}.retreat", "one check leaves no time for it; only with options.mode fight-on"
            raise Refusal(field, f"{retreat} is not allowed; {text}", unused=True)


def check_siege(fields: Siege) -> None:
    """A siege. Raises Refusal."""
    conditions, options = fields.conditions, fields.options
    if conditions.relief_on == 1:
        raise Refusal("conditions.relief_on", "1 is not allowed; 0 (never) or a number from 2 to 20")
    if conditions.fortification + conditions.allied_fortification > 20:
        most = 20 - conditions.fortification
        text = f"{conditions.allied_fortification} is not allowed; at most {most}: 20 levels with the place's own"
        raise Refusal("conditions.allied_fortification", text)
    siege_of(fields)
    if fields.policy.attacker.siege == "storm-at-level" and options.storm_level == 0:
        raise Refusal("options.storm_level", "is needed by the policy storm-at-level; give a level from 1 to 20")
    _check_numbers(options)
    _rows("siege_table", options.siege_table, SIEGE)
    _rising("siege_table", [(row[0], 1) for row in options.siege_table])


def _check_numbers(options: CheckOptions) -> None:
    """The tables of the quick check."""
    _rows("quick_ratio", options.quick_ratio, RATIO)
    if options.quick_ratio[0][:2] != [1, 1]:
        raise Refusal(
            "options.quick_ratio", f"{options.quick_ratio[0]} is not allowed first; start at [1, 1, modifier]"
        )
    _rising("quick_ratio", [(row[0], row[1]) for row in options.quick_ratio])
    _rows("quick_result", options.quick_result, RESULT)
    if options.quick_result[0][0] != 0:
        raise Refusal("options.quick_result", f"{options.quick_result[0]} is not allowed first; start at margin 0")
    _rising("quick_result", [(row[0], 1) for row in options.quick_result])


def _rows(name: str, rows: Sequence[Sequence[int]], spans: Spans) -> None:
    """Rows of as many numbers as columns, each within its span."""
    columns = ", ".join(column for column, _, _ in spans)
    for number, row in enumerate(rows, 1):
        if len(row) != len(spans):
            raise Refusal(f"options.{name}", f"row {number} {row} is not allowed; give [{columns}]")
        for value, (column, low, high) in zip(row, spans, strict=True):
            if not low <= value <= high:
                text = f"row {number} {row} is not allowed; {column} goes from {low} to {high}"
                raise Refusal(f"options.{name}", text)


def _rising(name: str, ratios: Sequence[tuple[int, int]]) -> None:
    for (above, below), (next_above, next_below) in pairwise(ratios):
        if next_above * below <= above * next_below:
            raise Refusal(f"options.{name}", "its rows are not allowed; each must be above the one before")
