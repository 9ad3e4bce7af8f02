"""Scenarios: reading, checking, their fields, and the shipped examples."""

from simulator.scenarios.files import example_names, example_text, parse, read, read_input
from simulator.scenarios.kinds import find_battle, kinds_of
from simulator.scenarios.linked import VARIANT, Variant, declared
from simulator.scenarios.paths import set_path
from simulator.scenarios.scenario import Draft, Scenario, Source, draft, is_uncertain, load
from simulator.scenarios.schema import game_file_battle
from simulator.scenarios.validation import ScenarioError

__all__ = [
    "VARIANT",
    "Draft",
    "Scenario",
    "ScenarioError",
    "Source",
    "Variant",
    "declared",
    "draft",
    "example_names",
    "example_text",
    "find_battle",
    "game_file_battle",
    "is_uncertain",
    "kinds_of",
    "load",
    "parse",
    "read",
    "read_input",
    "set_path",
]
