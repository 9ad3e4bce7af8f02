"""The numbers that a fixed policy may carry, as `best` compares them with the best one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simulator.analysis.decisions.named_policies import side_of
from simulator.scenarios import Scenario
from simulator.scenarios.objective import before_battle
from simulator.scenarios.paths import parameter_path
from simulator.scenarios.schema import field_at, whole_numbers

MOST_ROUNDS = 30
STEP = 0.05


def settings_of_policy(scenario: Scenario, path: str, name: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The settings of the parameter of a policy, each with a label; one empty setting if it has no parameter."""
    battle = scenario.battle
    parameter = battle.parameters.get(name)
    if parameter is None:
        yield {}, name
        return
    parameter = parameter_path(path, parameter)
    if whole_numbers(battle, parameter) is not None:
        timed = "round" in name
        for number in range(1, (MOST_ROUNDS if timed else units_of(scenario, side_of(path))) + 1):
            yield {parameter: number}, f"{name} {number}"
        return
    # docs/rules/decisions.md 2.3 gives the step but no end: we end at the default of the field, or 1 if it has none.
    usual = (field_at(battle, parameter) or {}).get("default")
    for step in range(1, round((usual or 1.0) / STEP) + 1):
        setting = round(STEP * step, 2)
        yield {parameter: setting}, f"{name} {setting}"


def units_of(scenario: Scenario, side: str) -> int:
    """The units of a side at the start, from its columns of units left."""
    columns = before_battle(scenario.built)
    assert columns is not None
    left = [
        int(values[0])
        for name, values in columns.items()
        if name.startswith(f"{side}_") and name.endswith("_left") and values.dtype.kind in "iu"
    ]
    return max([1, *left])
