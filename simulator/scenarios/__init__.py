"""Scenarios: reading them, checking them, what they may say, and the shipped examples."""

from simulator.scenarios.examples import example_names, example_text
from simulator.scenarios.files import parse, read
from simulator.scenarios.scenario import Scenario, find_battle, kinds_of, load, set_path
from simulator.scenarios.validation import ScenarioError

__all__ = [
    "Scenario",
    "ScenarioError",
    "example_names",
    "example_text",
    "find_battle",
    "kinds_of",
    "load",
    "parse",
    "read",
    "set_path",
]
