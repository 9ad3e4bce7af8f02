"""The pieces that a scenario needs beside the fields that its model requires, found by its refusals."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.rules.battle import Battle
from simulator.rules.sides import ALL_SIDES
from simulator.scenarios.files import example, example_names
from simulator.scenarios.scenario import Draft
from simulator.scenarios.schema import FieldRow


def refusals_of_nothing(battle: Battle) -> list[str]:
    """The refusals of a shipped example in which one side has no field, for each side."""
    asked = {"game": battle.game, "battle": battle.kind}
    known = (example(name) for name in example_names())
    whole = next((data for data in known if asked.items() <= data.items()), asked)
    lines = []
    for side in (side for side in ALL_SIDES if side in battle.model.model_fields):
        lines += Draft({**whole, side: {}}).complaints()[:1]
    return list(dict.fromkeys(lines))


def pieces_of(rows: Sequence[FieldRow], refusals: Sequence[str]) -> list[FieldRow]:
    """The fields that a player fills first, for each side that must not be empty though no field of it is required.

    Of a list of tables, such as units, the fields that a refusal asks for.
    """
    asked = {line.partition(":")[0] for line in refusals}
    sides = {path.partition(".")[0] for path in asked} - {row.path.partition(".")[0] for row in rows if row.needed}

    def belongs(path: str) -> bool:
        listed, _, inside = path.partition("[")
        return path.partition(".")[0] in sides and (listed in asked if inside else path.count(".") == 1)

    return [row for row in rows if row.first and belongs(row.path)]
