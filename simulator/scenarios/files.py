"""Reading a scenario's mapping from a TOML or JSON file, or from a shipped example."""

from __future__ import annotations

import codecs
import difflib
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from simulator.scenarios.examples import example_names, example_text
from simulator.scenarios.validation import ScenarioError, shown

MOST_BYTES = 5_000_000


def is_file(path: Path) -> bool:
    """Is there such a file? Names that no file can have are none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def read(source: str | Path) -> dict[str, Any]:
    """The mapping in a TOML or JSON file, or in a shipped example of that name."""
    if not isinstance(source, str | Path):
        raise ScenarioError(f"scenario: {shown(source)} is not allowed; give a mapping, a file or an example")
    path = Path(source)
    if not is_file(path):
        names = example_names()
        if str(source) in names:
            return parse(example_text(str(source)), str(source))
        near = difflib.get_close_matches(str(source), names, 1)
        hint = f"; did you mean the example {near[0]}?" if near else "; `battle-odds examples` lists the shipped ones"
        raise ScenarioError(f"scenario: no file or example {str(source)!r}{hint}")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ScenarioError(f"scenario: cannot read {str(source)!r}: {error.strerror or error}") from None
    return parse(decoded(raw, repr(str(source))), str(source))


def decoded(raw: bytes, name: str) -> str:
    """Text in UTF-8 or UTF-16, with a byte order mark or without. Raises ScenarioError for other bytes."""
    if len(raw) > MOST_BYTES:
        raise ScenarioError(f"scenario: cannot read {name}: {len(raw):,} bytes; at most {MOST_BYTES:,}")
    marked = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return raw.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError:
        raise ScenarioError(f"scenario: cannot read {name}: it is no text in UTF-8 or UTF-16") from None


def read_input() -> dict[str, Any]:
    """The mapping written to standard input."""
    if sys.stdin is None or sys.stdin.closed:
        raise ScenarioError("scenario: standard input is closed; give a file or an example")
    try:
        raw = sys.stdin.buffer.read()
    except (OSError, ValueError) as error:
        raise ScenarioError(f"scenario: cannot read standard input: {error}") from None
    return parse(decoded(raw, "standard input"), "standard input")


def parse(text: str, name: str) -> dict[str, Any]:
    """The mapping written in TOML or JSON. Raises ScenarioError that tells what is wrong and where."""
    try:
        data = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise ScenarioError(f"scenario: {name} is not valid TOML or JSON: {error}") from None
    except RecursionError:
        raise ScenarioError(f"scenario: {name} is nested too deeply") from None
    except ValueError as error:  # a whole number of thousands of digits
        raise ScenarioError(f"scenario: {name} cannot be read: {str(error).partition(';')[0]}") from None
    if not isinstance(data, dict):
        raise ScenarioError(f"scenario: {name} holds a list; give a table with game, battle, attacker, defender")
    return data
