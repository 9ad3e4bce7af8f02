"""A scenario as the readable query of an address, and back.

`attacker.regiments=20&policy.attacker.retreat=best`: a field's path and its value, places of lists as numbers
(`conditions.crossings.0.fleets=2`), a list of plain values as a key given several times, anything else as TOML writes
it. Defaults are left out. `v` is the rules version, and what begins with `with.` belongs to a tool of the page.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote_plus

from simulator.analysis.history.battle_log import plain_value
from simulator.rules.battle import Battle
from simulator.scenarios import ScenarioError
from simulator.scenarios.schema import Schema, branches, field_at, schema_of

Pairs = list[tuple[str, str]]
VERSION, TOOL = "v", "with."
FRAME = ("game", "battle")
MOST_PAIRS, MOST_PLACES, MOST_DEPTH = 2000, 1000, 12
_PLACE = re.compile(r"\.(\d{1,4})(?=\.|$)")
_KEY = re.compile(r"[A-Za-z_][\w-]*(\.[\w-]+)*$", re.ASCII)


def path_of(key: str) -> str:
    """`crossings.0.fleets` as `crossings[0].fleets`."""
    return _PLACE.sub(r"[\1]", key)


def key_of(path: str) -> str:
    """`crossings[0].fleets` as `crossings.0.fleets`."""
    return re.sub(r"\[(\d+)\]", r".\1", path)


def query(pairs: Iterable[tuple[str, str]]) -> str:
    """Pairs as the query of an address, as readable as addresses allow."""
    return "&".join(f"{quote_plus(key, safe='.')}={quote_plus(value, safe='.,:/')}" for key, value in pairs)


def split(pairs: Iterable[tuple[str, str]]) -> tuple[Pairs, dict[str, list[str]], str]:
    """The pairs of the scenario, those of the page's tools without their prefix, and the rules version."""
    scenario: Pairs = []
    tools: dict[str, list[str]] = {}
    version = ""
    for key, value in pairs:
        if key == VERSION:
            version = value
        elif key.startswith(TOOL):
            tools.setdefault(key[len(TOOL) :], []).append(value)
        else:
            scenario.append((key, value))
    return scenario, tools, version


# --- from a query to a scenario -------------------------------------------------------------------------------------


def read(pairs: Iterable[tuple[str, str]], battle: Battle) -> dict[str, Any]:
    """The scenario that a query spells, without its frame; empty values and defaults count as left out.

    Raises ScenarioError.
    """
    grouped: dict[str, list[str]] = {}
    for key, value in pairs:
        if value.strip():
            grouped.setdefault(key, []).append(value.strip())
    if sum(map(len, grouped.values())) > MOST_PAIRS:
        raise ScenarioError(f"scenario: more than {MOST_PAIRS} fields")
    tree: dict[Any, Any] = {}
    for key, texts in grouped.items():
        if not _KEY.match(key) or key.count(".") > MOST_DEPTH:
            raise ScenarioError(f"{key[:60]}: not a field; write it like attacker.regiments or crossings.0.fleets")
        node, value = field_at(battle, path_of(key)) or {}, _value(texts, battle, path_of(key))
        # A form sends every field; rules may refuse even a default where its field has no meaning.
        if not ("default" in node and _alike(node["default"], value)):
            _put(tree, key, value)
    data: dict[str, Any] = _lists(tree)
    return data


def house_rules(pairs: Iterable[tuple[str, str]]) -> Any:
    """The `rules` that a query lays over a game file, or the whole game of one's own; None without any."""
    tree: dict[Any, Any] = {}
    for key, value in pairs:
        if key.partition(".")[0] == "rules" and value.strip() and _KEY.match(key) and key.count(".") <= MOST_DEPTH:
            _put(tree, key, free_table(value.strip()) if key == "rules" else plain_value(value.strip()))
    return _lists(tree).get("rules")


def _put(tree: dict[Any, Any], key: str, value: Any) -> None:
    """Put a value into nested tables; places of lists are whole numbers among their names until `_lists`."""
    *tables, last = (int(part) if part.isdigit() and len(part) < 5 else part for part in key.split("."))
    node = tree
    for part in tables:
        inside = node.setdefault(part, {})
        if not isinstance(inside, dict):
            inside = node[part] = {}
        node = inside
    if isinstance(value, dict) and isinstance(node.get(last), dict):
        node[last] = {**value, **node[last]}
    else:
        node[last] = value


def _lists(node: Any) -> Any:
    """Tables whose names are all places become lists, in that order, without gaps."""
    if not isinstance(node, dict):
        return node
    inside = {name: _lists(value) for name, value in node.items()}
    if inside and all(isinstance(name, int) for name in inside):
        return [inside[place] for place in sorted(inside)]
    return {str(name): value for name, value in inside.items()}


def _value(texts: Sequence[str], battle: Battle, path: str) -> Any:
    schema, node = schema_of(battle.model), field_at(battle, path)
    kinds = list(branches(dict(node), schema)) if node else []
    items = [item for kind in kinds if kind.get("type") == "array" for item in branches(kind.get("items", {}), schema)]
    plain = [kind for kind in kinds if kind.get("type") not in {"array", "null"}]
    if len(texts) > 1:
        return [_one(text, items) for text in texts] if items else _one(texts[-1], plain)
    text = texts[0]
    if not kinds:
        return free_table(text) if re.fullmatch(r"objective\.\w+|rules", path) else plain_value(text)
    if text[0] in "[{" and (found := _toml(text)) is not None:
        return found
    if not plain:
        parts = text.split(",") if any(item.get("type") in {"integer", "number"} for item in items) else [text]
        return [_one(part.strip(), items) for part in parts]
    value = _one(text, plain)
    numbers = [_one(part.strip(), items) for part in text.split(",")] if isinstance(value, str) and items else []
    if len(numbers) > 1 and not any(isinstance(number, str) for number in numbers):
        return numbers
    return value


def _one(text: str, kinds: Sequence[Schema]) -> Any:
    """A text as one of the plain values that a field takes, or else as it stands, for the rules to refuse."""
    for kind in kinds:
        for name in [*kind.get("enum", ()), *([kind["const"]] if "const" in kind else ())]:
            if text == str(name):
                return name
    types = {kind.get("type") for kind in kinds}
    with suppress(ValueError):
        if "integer" in types:
            return int(text)
        if "number" in types:
            return float(text)
    if "boolean" in types and text.lower() in {"true", "yes", "on", "false", "no", "off"}:
        return text.lower() in {"true", "yes", "on"}
    if any(kind.get("type") == "object" and "properties" not in kind for kind in kinds):
        return free_table(text)
    return text


def free_table(text: str) -> Any:
    """A table as TOML writes it: inline with or without its braces, or line by line; else the text itself."""
    for written in (f"value = {text}", f"value = {{ {text} }}"):
        if isinstance(found := _loads(written).get("value"), dict):
            return found
    return _loads(text) or text


def _toml(text: str) -> Any:
    return _loads(f"value = {text}").get("value")


def _loads(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return {}


# --- from a scenario to a query -------------------------------------------------------------------------------------


def written(data: Mapping[str, Any], battle: Battle) -> Pairs:
    """The pairs that spell a scenario, defaults left out; `read` makes them a scenario of the same fields."""
    found: Pairs = []
    _write(found, "", {name: value for name, value in data.items() if name not in FRAME}, battle, False)
    return found


def _write(found: Pairs, path: str, value: Any, battle: Battle, needed: bool) -> None:
    node: Mapping[str, Any] | None = schema_of(battle.model) if not path else field_at(battle, path)
    kinds = list(branches(dict(node), schema_of(battle.model))) if node else []
    if value is None or (node and "default" in node and _alike(node["default"], value)):
        return
    key = key_of(path)
    if isinstance(value, Mapping):
        tables = [kind for kind in kinds if "properties" in kind]
        if not tables and not path.startswith("objective"):
            found.append((key, inline(value)))
            return
        before = len(found)
        for name, one in value.items():
            must = any(name in kind.get("required", ()) for kind in tables)
            _write(found, f"{path}.{name}" if path else name, one, battle, must)
        if len(found) == before and path and (needed or path.endswith("]")):
            found.append((key, "{}"))
    elif isinstance(value, list | tuple):
        plain = all(not isinstance(one, Mapping | list | tuple) for one in value)
        alone = all(kind.get("type") in {"array", "null"} for kind in kinds)
        if plain and value and (len(value) > 1 or alone):
            found.extend((key, text_of(one)) for one in value)
        elif plain:
            found.append((key, inline(value)))
        else:
            for place, one in enumerate(value):
                _write(found, f"{path}[{place}]", one, battle, True)
    else:
        found.append((key, text_of(value)))


def _alike(default: Any, value: Any) -> bool:
    return type(default) is type(value) and bool(default == value)


def text_of(value: Any) -> str:
    """A plain value as a query and a form spell it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def inline(value: Any) -> str:
    """A value as TOML writes it on one line."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_name(name)} = {inline(one)}" for name, one in value.items() if one is not None)
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(inline, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else text_of(value)


def _name(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name, ensure_ascii=False)


def document(data: Mapping[str, Any]) -> str:
    """A scenario as a TOML file."""
    lines: list[str] = []
    _tables(lines, "", data)
    return "\n".join(lines).strip() + "\n"


def _tables(lines: list[str], path: str, table: Mapping[str, Any]) -> None:
    inside = {name: one for name, one in table.items() if isinstance(one, Mapping) and _opens(one)}
    plain = {name: one for name, one in table.items() if name not in inside and one is not None}
    if path and (plain or not inside):
        lines += ["", f"[{path}]"]
    lines += [f"{_name(name)} = {inline(one)}" for name, one in plain.items()]
    for name, one in inside.items():
        _tables(lines, f"{path}.{_name(name)}" if path else _name(name), one)


def _opens(table: Mapping[str, Any]) -> bool:
    """Is a table written with a heading of its own, not on one line?"""
    return not set(table) <= {"mix", "from", "to"}
