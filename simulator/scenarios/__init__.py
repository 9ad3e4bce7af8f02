"""Scenarios: reading them, checking them, what they may say, and the shipped examples."""

from simulator.scenarios.examples import example_names, example_text
from simulator.scenarios.files import parse, read, read_input
from simulator.scenarios.scenario import Scenario, find_battle, find_game, load, plain_copy, set_path
from simulator.scenarios.validation import ScenarioError

__all__ = [
    "Scenario",
    "ScenarioError",
    "example_names",
    "example_text",
    "find_battle",
    "find_game",
    "load",
    "parse",
    "plain_copy",
    "read",
    "read_input",
    "set_path",
]
