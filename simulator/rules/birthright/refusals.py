"""Refusals of scenarios of fights, beyond those of types (docs/rules/birthright.md sections 3 to 5)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Refusal
from simulator.rules.birthright.model import CheckOptions, Fight, QuickBattle, Siege
from simulator.rules.birthright.quick.battle import QuickRules
from simulator.rules.birthright.quick.siege import SiegeRules
from simulator.rules.birthright.sides import sides_of
from simulator.rules.toolkit.policies import refuse, refuse_if

# By table: its columns, with the least and the most of their numbers.
SPANS = {
    "fort_defence": {"level": (1, 20), "defence": (0, 12)},
    "quick_ratio": {"stronger": (1, 1000), "weaker": (1, 1000), "modifier": (0, 100)},
    "quick_result": {
        "margin_from": (0, 1000),
        "winner_loss": (0, 100),
        "loser_loss": (0, 100),
        "rout": (0, 1),
        "pursuit": (0, 100),
    },
    "siege_table": {"rating_below": (1, 1_000_000), "level": (0, 20), "reduced_per_season": (0, 20)},
}


def check_fight(fields: Fight) -> None:
    """A battle unit against unit. Raises Refusal."""
    if fields.battle == "storm" and fields.options.fort_defence is not None:
        levels = [row[0] for row in _rows(fields.options, "fort_defence")]
        text = "its rows are not allowed; give levels 1 to 20 in order"
        refuse(levels != list(range(1, 21)), "options.fort_defence", text)
    sides_of(fields)


def check_quick(fields: QuickBattle) -> None:
    """A quick battle. Raises Refusal."""
    _check_numbers(fields.options)
    QuickRules(fields)
    for side in SIDES:
        retreat = getattr(fields.policy, side).retreat
        if fields.options.mode == "single" and retreat != "never":
            field, text = f"policy.{side}.retreat", "one check leaves no time for it; only with options.mode fight-on"
            raise Refusal(field, f"{retreat} is not allowed; {text}", unused=True)


def check_siege(fields: Siege) -> None:
    """A siege. Raises Refusal."""
    conditions, options = fields.conditions, fields.options
    _check_numbers(options)
    table = _rows(options, "siege_table")
    for column in (0, 1):
        _check_rising("siege_table", [(row[column], 1) for row in table])
    refuse_if(conditions.relief_on == 1, "conditions.relief_on", 1, "0 (never) or a number from 2 to 20")
    lent, most = conditions.allied_fortification, 20 - conditions.fortification
    refuse_if(lent > most, "conditions.allied_fortification", lent, f"at most {most}: 20 levels with the place's own")
    SiegeRules(fields)
    needed = fields.policy.attacker.siege == "storm-at-level" and options.storm_level == 0
    refuse(needed, "options.storm_level", "is needed by the policy storm-at-level; give a level from 1 to 20")


def _check_numbers(options: CheckOptions) -> None:
    """The tables of the quick check."""
    ratios, results = _rows(options, "quick_ratio"), _rows(options, "quick_result")
    first = f"{ratios[0]} is not allowed first; start at [1, 1, modifier]"
    refuse(ratios[0][:2] != [1, 1], "options.quick_ratio", first)
    _check_rising("quick_ratio", [(row[0], row[1]) for row in ratios])
    first = f"{results[0]} is not allowed first; start at margin 0"
    refuse(results[0][0] != 0, "options.quick_result", first)
    _check_rising("quick_result", [(row[0], 1) for row in results])


def _rows(options: object, name: str) -> Sequence[Sequence[int]]:
    """The rows of a table, each of as many numbers as columns, each number within its span."""
    rows, spans = getattr(options, name), SPANS[name]
    for number, row in enumerate(rows, 1):
        shown = f"row {number} {row}"
        refuse_if(len(row) != len(spans), f"options.{name}", shown, f"give [{', '.join(spans)}]")
        for value, (column, (low, high)) in zip(row, spans.items(), strict=True):
            refuse_if(not low <= value <= high, f"options.{name}", shown, f"{column} goes from {low} to {high}")
    return rows  # type: ignore[no-any-return]


def _check_rising(name: str, ratios: Sequence[tuple[int, int]]) -> None:
    for (above, below), (next_above, next_below) in pairwise(ratios):
        text = "its rows are not allowed; each must be above the one before"
        refuse(next_above * below <= above * next_below, f"options.{name}", text)
