"""Reading a scenario's mapping from a TOML or JSON file or a shipped example."""

from __future__ import annotations

import codecs
import json
import sys
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import resources
from os.path import isfile
from pathlib import Path
from typing import Any

from simulator.rules.toolkit.naming import same_name, suggested
from simulator.scenarios.validation import ScenarioError, shown

MOST_BYTES = 5_000_000
EXAMPLES = resources.files("simulator") / "examples"
# The folder of the plans among them.
PLANS = "plans"


def example_names() -> list[str]:
    """Names of the shipped examples."""
    return list(_examples())


def plan_names() -> list[str]:
    """Names of the shipped plans (`game = "plan"`), which are no battles."""
    return list(_examples(PLANS))


@cache
def _examples(folder: str = "") -> tuple[str, ...]:
    files = (EXAMPLES / folder).iterdir()
    return tuple(sorted(item.name.removesuffix(".toml") for item in files if item.name.endswith(".toml")))


@cache
def example(name: str) -> dict[str, Any]:
    """The mapping of a shipped example; not to be changed."""
    return parse(example_text(name), name)


def example_text(name: str) -> str:
    """A shipped example as written. Its first line is a comment that describes it."""
    folder = EXAMPLES / PLANS if name in _examples(PLANS) else EXAMPLES
    return (folder / f"{name}.toml").read_text(encoding="utf-8")


def read(source: str | Path) -> dict[str, Any]:
    """The mapping in a TOML or JSON file, or in a shipped example of that name; not to be changed.

    Raises ScenarioError.
    """
    if not isinstance(source, str | Path):
        raise ScenarioError(f"scenario: {shown(source)} is not allowed; give a mapping, a file or an example")
    path = Path(source)
    if not isfile(path):
        names = (*_examples(), *_examples(PLANS))
        if name := str(source) if str(source) in names else same_name(str(source), names):
            return example(name)
        raise ScenarioError(f"scenario: no file or example {str(source)!r}; {_instead(path, names)}")
    if path.suffix.lower() == ".csv":
        raise ScenarioError(f"scenario: {str(source)!r} is no scenario; `battle-odds luck` reads a log of battles")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ScenarioError(f"scenario: cannot read {str(source)!r}: {error.strerror or error}") from None
    data = parse(decoded(raw, repr(str(source))), str(source))
    if "format" in data and "game" not in data:
        how = f'a scenario names it: game = "./{path.name}"; `battle-odds schema {source}` shows the fields'
        raise ScenarioError(f"scenario: {str(source)!r} is a game file, not a scenario; {how}")
    return data


# The endings of scenario files.
ENDINGS = (".toml", ".json")


def _instead(path: Path, examples: Sequence[str]) -> str:
    """The file or example that is meant by a name that is neither, or where to find one."""
    from simulator.rules import GAMES, custom

    name = str(path)
    if "=" in name:
        return "each PATH=VALUE needs its own --set (pieces that join a campaign: --join)"
    if game := same_name(name, (*GAMES, *custom.names())):
        return f"{game} is a game: `battle-odds examples {game}` lists its battles"
    files: dict[str, str] = {}
    with suppress(OSError, ValueError):
        files = {one.stem: one.name for one in path.parent.iterdir() if one.suffix in ENDINGS}
    # Without endings, which make any two names of files alike.
    given = path.stem if path.suffix in ENDINGS else path.name
    near = suggested(given if files else name, (*files, *examples))
    if near in files:
        return f"did you mean {path.parent / files[str(near)]}?"
    return f"did you mean the example {near}?" if near else "`battle-odds examples` lists the shipped ones"


def decoded(raw: bytes, name: str, argument: str = "scenario") -> str:
    """Text in UTF-8 or UTF-16, with or without a byte order mark. Raises ScenarioError for other bytes."""
    if len(raw) > MOST_BYTES:
        raise ScenarioError(f"{argument}: cannot read {name}: {len(raw):,} bytes; at most {MOST_BYTES:,}")
    marked = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return raw.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError:
        raise ScenarioError(f"{argument}: cannot read {name}: it is no text in UTF-8 or UTF-16") from None


def read_input() -> dict[str, Any]:
    """The mapping on standard input. Raises ScenarioError."""
    if sys.stdin is None or sys.stdin.closed:
        raise ScenarioError("scenario: standard input is closed; give a file or an example")
    try:
        raw = sys.stdin.buffer.read()
    except (OSError, ValueError) as error:
        raise ScenarioError(f"scenario: cannot read standard input: {error}") from None
    return parse(decoded(raw, "standard input"), "standard input")


def parse(text: str, name: str) -> dict[str, Any]:
    """The mapping in a TOML or JSON text. Raises ScenarioError with the error and its place."""
    try:
        data = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise ScenarioError(f"scenario: {name} is not valid TOML or JSON: {error}") from None
    except RecursionError:
        raise ScenarioError(f"scenario: {name} is nested too deeply") from None
    except ValueError as error:  # an integer of thousands of digits
        raise ScenarioError(f"scenario: {name} cannot be read: {str(error).partition(';')[0]}") from None
    if not isinstance(data, dict):
        raise ScenarioError(f"scenario: {name} holds a list; give a table with game, battle, attacker, defender")
    return data


def toml_text(data: Mapping[str, Any]) -> str:
    """A scenario's mapping as TOML; values that are None are left out."""
    import tomli_w

    def given(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: given(one) for name, one in value.items() if one is not None}
        return [given(one) for one in value] if isinstance(value, list | tuple) else value

    return tomli_w.dumps(given(data))
