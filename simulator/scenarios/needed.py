"""The pieces that a scenario needs beside the fields that its model requires: asked of the rules themselves."""

from __future__ import annotations

from simulator.rules.battle import Battle
from simulator.rules.sides import ALL_SIDES
from simulator.scenarios.files import example, example_names
from simulator.scenarios.scenario import Draft
from simulator.scenarios.validation import ScenarioError


def refusals_of_nothing(battle: Battle) -> list[str]:
    """What the rules say to each side without any field, the rest of the scenario being that of a shipped example."""
    asked = {"game": battle.game, "battle": battle.kind}
    known = (example(name) for name in example_names())
    whole = next((data for data in known if asked.items() <= data.items()), asked)
    lines = []
    for side in (side for side in ALL_SIDES if side in battle.model.model_fields):
        try:
            Draft({**whole, side: {}}).checked()
        except ScenarioError as error:
            lines.append(str(error))
    return list(dict.fromkeys(lines))
