"""Reading the command line's own notations: scenarios, settings, ranges, precisions."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator.scenarios import Scenario, ScenarioError, load, parse, read, set_path

MOST_VALUES = 10_000


def read_scenario(source: str, settings: Sequence[str] = ()) -> Scenario:
    """A scenario file, a shipped example or `-` for standard input, with `path=value` settings put in."""
    data = parse(sys.stdin.read(), "standard input") if source == "-" else read(source)
    for setting in settings:
        path, value = split_setting(setting, "--set")
        set_path(data, path, read_value(value))
    # Game files that it names are looked for beside it.
    return load(data, Path(source).absolute().parent if Path(source).is_file() else None)


def split_setting(text: str, option: str) -> tuple[str, str]:
    """`path=value` in two. Raises ScenarioError."""
    path, equals, value = text.partition("=")
    if not equals or not path.strip() or not value.strip():
        raise ScenarioError(f"{option}: {text!r} is not allowed; write it like attacker.regiments=25")
    return path.strip(), value.strip()


def read_value(text: str) -> Any:
    """A value as TOML writes it (25, true, [3, 2], {a = 1}), or else the text itself."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def read_range(text: str) -> tuple[str, list[Any]]:
    """`path=1:30` (both ends), `path=0:20:5` (with a step) or `path=a,b,c`. Raises ScenarioError."""
    path, values = split_setting(text, "--vary")
    parts = values.split(":")
    if len(parts) in {2, 3} and "[" not in values and "{" not in values:
        try:
            low, high, step = int(parts[0]), int(parts[1]), int(parts[2]) if len(parts) == 3 else 1
        except ValueError:
            raise ScenarioError(f"--vary: {values!r} is not allowed; write a range like 1:30 or 0:20:5") from None
        if step < 1 or high < low or (high - low) // step >= MOST_VALUES:
            raise ScenarioError(
                f"--vary: {values!r} is not allowed; a range goes up, by 1 or more, over at most 10000 values"
            )
        return path, list(range(low, high + 1, step))
    if values.startswith(("[", "{")):
        found = read_value(values)
        return path, found if isinstance(found, list) else [found]
    return path, [read_value(part.strip()) for part in values.split(",")]


def read_share(text: str, option: str) -> float:
    """`80%` or `0.8` as 0.8. Raises ScenarioError."""
    try:
        return float(text.rstrip("% ")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        raise ScenarioError(f"{option}: {text!r} is not allowed; give a number like 0.8 or 80%") from None


def read_precision(text: str) -> float:
    """`0.1%` or `0.001` as 0.001. Raises ScenarioError."""
    value = read_share(text, "--precision")
    if not 1e-6 <= value < 0.5:
        raise ScenarioError(f"--precision: {text!r} is not allowed; give a half-width like 0.1%, 0.0001% or more")
    return value
