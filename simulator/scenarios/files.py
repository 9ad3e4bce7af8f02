"""Reading a scenario's mapping from a TOML or JSON file, or from a shipped example."""

from __future__ import annotations

import difflib
import json
import tomllib
from pathlib import Path
from typing import Any

from simulator.scenarios.examples import example_names, example_text
from simulator.scenarios.validation import ScenarioError


def read(source: str | Path) -> dict[str, Any]:
    """The mapping in a TOML or JSON file, or in a shipped example of that name."""
    path = Path(source)
    if not path.is_file():
        names = example_names()
        if str(source) in names:
            return parse(example_text(str(source)), str(source))
        near = difflib.get_close_matches(str(source), names, 1)
        hint = f"; did you mean the example {near[0]}?" if near else "; `battle-odds examples` lists the shipped ones"
        raise ScenarioError(f"scenario: no file or example {str(source)!r}{hint}")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"scenario: cannot read {str(source)!r}: {error}") from None
    return parse(text, str(source))


def parse(text: str, name: str) -> dict[str, Any]:
    """The mapping written in TOML or JSON. Raises ScenarioError that tells what is wrong and where."""
    try:
        data = json.loads(text) if text.lstrip().startswith(("{", "[")) and _is_json(text) else tomllib.loads(text)
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise ScenarioError(f"scenario: {name} is not valid TOML or JSON: {error}") from None
    if not isinstance(data, dict):
        raise ScenarioError(f"scenario: {name} holds a list; give a table with game, battle, attacker, defender")
    return data


def _is_json(text: str) -> bool:
    # A TOML file may begin with a [table]; JSON scenarios begin with a brace.
    return text.lstrip().startswith("{")
