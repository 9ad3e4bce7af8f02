"""A scenario as the readable query of an address, and back; and as other texts to copy; and with sides swapped.

`attacker.regiments=20&policy.attacker.retreat=best`: the path of a field and its value, list indices as numbers
(`conditions.crossings.0.fleets=2`), a list of plain values as a key given several times, anything else in TOML.
Defaults are left out. `v` is the rules version; keys that start with `with.` belong to a tool of the page.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from html import escape
from pprint import pformat
from typing import Any
from urllib.parse import quote_plus

from simulator.analysis.history.battle_log import plain_value
from simulator.analysis.odds.odds import Odds
from simulator.rules.battle import Battle
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import text_of
from simulator.rules.toolkit.words import percent
from simulator.scenarios import ScenarioError
from simulator.scenarios.schema import (
    Schema,
    choices,
    field_at,
    items_at,
    named_values,
    typed_at,
)

Pairs = list[tuple[str, str]]
VERSION, TOOL = "v", "with."
FRAME = ("game", "battle")
MOST_PAIRS, MOST_DEPTH = 2000, 12
_PLAIN = re.compile(r"[\w.-]*", re.ASCII)
_PLACE = re.compile(r"\.(\d{1,4})(?=\.|$)")
_KEY = re.compile(r"[A-Za-z_][\w-]*(\.[\w-]+)*$", re.ASCII)


def path_of(key: str) -> str:
    """`crossings.0.fleets` as `crossings[0].fleets`."""
    return _PLACE.sub(r"[\1]", key)


def key_of(path: str) -> str:
    """`crossings[0].fleets` as `crossings.0.fleets`."""
    return re.sub(r"\[(\d+)\]", r".\1", path) if "[" in path else path


def value_at(data: Any, key: str) -> Any:
    """The value at a key of nested tables and lists; None if there is none."""
    for part in key.split("."):
        if isinstance(data, Mapping):
            data = data.get(part)
        elif isinstance(data, list) and part.isdecimal() and int(part) < len(data):
            data = data[int(part)]
        else:
            return None
    return data


def query(pairs: Iterable[tuple[str, str]]) -> str:
    """Pairs as the query of an address, as readable as addresses allow."""
    return "&".join(f"{_quoted(key, '.')}={_quoted(value, '.,:/')}" for key, value in pairs)


def _quoted(text: str, safe: str) -> str:
    """A text as an address takes it; most are plain names and numbers, which need no look at each letter."""
    return text if _PLAIN.fullmatch(text) else quote_plus(text, safe=safe)


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
    """The scenario of a query, without game and battle; empty values and defaults count as left out.

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
        if not _is_key(key):
            raise ScenarioError(f"{key[:60]}: not a field; write it like attacker.regiments or crossings.0.fleets")
        path = path_of(key)
        node, value = field_at(battle, path) or {}, _value(texts, battle, path)
        # A form sends every field; rules may refuse even a default where its field does not apply.
        if not ("default" in node and _alike(node["default"], value)):
            _put(tree, key, value)
    data: dict[str, Any] = _entries(_lists(tree), battle, "")
    return data


def _entries(node: Any, battle: Battle, path: str) -> Any:
    """The same with the entries of lists of units as text where they only have a name and a count: "2 x knights"."""
    if isinstance(node, Mapping):
        if set(node) == {"force"} and any(kind.get("type") == "string" for kind in typed_at(battle, path)):
            return node["force"]  # a side of a fight that is only a name
        return {name: _entries(one, battle, f"{path}.{name}" if path else name) for name, one in node.items()}
    if not isinstance(node, list):
        return node
    kinds = typed_at(battle, f"{path}[0]")
    if any(kind.get("type") == "string" for kind in kinds) and any(
        "count" in kind.get("properties", {}) for kind in kinds
    ):
        return [_entry(one) for one in node if not (isinstance(one, Mapping) and set(one) == {"count"})]
    return [_entries(one, battle, f"{path}[{place}]") for place, one in enumerate(node)]


def _entry(one: Any) -> Any:
    """An entry of a list of units, as text if it is only a name and a count."""
    if isinstance(one, Mapping) and set(one) - {"count"} in ({"unit"}, {"name"}):
        name, count = one.get("unit", one.get("name")), one.get("count", 1)
        return name if count == 1 else f"{count} x {name}"
    return one


def house_rules(pairs: Iterable[tuple[str, str]]) -> Any:
    """The `rules` that a query applies to a game file, or the whole pasted game; None without any."""
    tree: dict[Any, Any] = {}
    for key, value in pairs:
        if key.partition(".")[0] == "rules" and value.strip() and _is_key(key):
            _put(tree, key, free_table(value.strip()) if key == "rules" else plain_value(value.strip()))
    return _lists(tree).get("rules")


def _is_key(key: str) -> bool:
    return _KEY.match(key) is not None and key.count(".") <= MOST_DEPTH


def _put(tree: dict[Any, Any], key: str, value: Any) -> None:
    """Put a value into nested tables; list indices are whole numbers among their keys until `_lists`."""
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
    """Turn tables whose keys are all indices into lists, in that order, without gaps."""
    if not isinstance(node, dict):
        return node
    inside = {name: _lists(value) for name, value in node.items()}
    if inside and all(isinstance(name, int) for name in inside):
        return [inside[place] for place in sorted(inside)]
    return {str(name): value for name, value in inside.items()}


def _value(texts: Sequence[str], battle: Battle, path: str) -> Any:
    kinds = typed_at(battle, path)
    items = items_at(battle, path)
    plain = [kind for kind in kinds if kind.get("type") not in {"array", "null"}]
    if len(texts) > 1:
        return [_typed(text, items) for text in texts] if items else _typed(texts[-1], plain)
    text = texts[0]
    if not kinds:
        return free_table(text) if re.fullmatch(r"objective\.\w+|rules", path) else plain_value(text)
    if text[0] in "[{" and (parsed := _toml(f"value = {text}").get("value")) is not None:
        return parsed
    if not plain:
        parts = text.split(",") if any(item.get("type") in {"integer", "number"} for item in items) else [text]
        return [_typed(part.strip(), items) for part in parts]
    value = _typed(text, plain)
    numbers = [_typed(part.strip(), items) for part in text.split(",")] if isinstance(value, str) and items else []
    if len(numbers) > 1 and not any(isinstance(number, str) for number in numbers):
        return numbers
    return value


def _typed(text: str, kinds: Sequence[Schema]) -> Any:
    """A text as a value of one of these types; else the text itself, for the rules to refuse."""
    for kind in kinds:
        for name in named_values(kind):
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
    """A table in TOML: inline with or without its braces, or line by line; else the text itself."""
    for line in (f"value = {text}", f"value = {{ {text} }}"):
        if isinstance(table := _toml(line).get("value"), dict):
            return table
    return _toml(text) or text


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (RecursionError, ValueError):
        return {}


# --- from a scenario to a query -------------------------------------------------------------------------------------


def written(data: Mapping[str, Any], battle: Battle) -> Pairs:
    """The query pairs of a scenario, defaults left out; the inverse of `read`."""
    pairs: Pairs = []
    _write(pairs, "", {name: value for name, value in data.items() if name not in FRAME}, battle, False)
    return pairs


def _write(pairs: Pairs, path: str, value: Any, battle: Battle, needed: bool) -> None:
    """Append the pairs of the value at a path; an empty table is written only if it is `needed`."""
    node = (field_at(battle, path) if path else None) or {}
    if value is None or ("default" in node and _alike(node["default"], value)):
        return
    key, kinds = key_of(path), typed_at(battle, path)
    if isinstance(value, Mapping):
        tables = [kind for kind in kinds if "properties" in kind]
        named = all(_KEY.match(f"x.{name}") for name in value) and any(
            isinstance(kind.get("additionalProperties"), dict) and kind["additionalProperties"].get("$ref")
            for kind in kinds
        )
        if not tables and not named and not path.startswith("objective"):
            pairs.append((key, inline(value)))
            return
        before = len(pairs)
        for name, inner in value.items():
            required = named or any(name in kind.get("required", ()) for kind in tables)
            _write(pairs, f"{path}.{name}" if path else name, inner, battle, required)
        if len(pairs) == before and path and (needed or path.endswith("]")):
            pairs.append((key, "{}"))
    elif not kinds and not path.startswith("objective"):
        pairs.append((key, untyped(value)))
    elif isinstance(value, list | tuple):
        only_arrays = all(kind.get("type") in {"array", "null"} for kind in kinds)
        if any(isinstance(inner, Mapping | list | tuple) for inner in value):
            for place, inner in enumerate(value):
                _write(pairs, f"{path}[{place}]", inner, battle, True)
        elif value and (len(value) > 1 or only_arrays):
            pairs.extend((key, text_of(inner)) for inner in value)
        else:
            pairs.append((key, inline(value)))
    else:
        pairs.append((key, text_of(value)))


def _alike(default: Any, value: Any) -> bool:
    return type(default) is type(value) and bool(default == value)


def untyped(value: Any) -> str:
    """A value of a field that takes any value, as `plain_value` reads it."""
    text = inline(value) if isinstance(value, Mapping | list | tuple) else text_of(value)
    return inline(value) if isinstance(value, str) and plain_value(text) != value else text


def inline(value: Any) -> str:
    """A value in TOML on one line."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_name(name)} = {inline(inner)}" for name, inner in value.items() if inner is not None)
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
    """Append the lines of a table and of the tables inside it; distributions stay on one line."""
    inside = {name: one for name, one in table.items() if isinstance(one, Mapping) and set(one) - {"mix", "from", "to"}}
    plain = {name: one for name, one in table.items() if name not in inside and one is not None}
    if path and (plain or not inside):
        lines += ["", f"[{path}]"]
    lines += [f"{_name(name)} = {inline(one)}" for name, one in plain.items()]
    for name, one in inside.items():
        _tables(lines, f"{path}.{_name(name)}" if path else _name(name), one)


# --- links, texts to copy, swapped sides ----------------------------------------------------------------------------


def address_of(data: Mapping[str, Any], battle: Battle) -> str:
    """The address of a scenario's page, with the rules version."""
    return link_of(written(data, battle), battle)


def link_of(pairs: Pairs, battle: Battle) -> str:
    """As `address_of`, from the query pairs of a scenario."""
    return f"/{battle.game}/{battle.kind}?{query([*pairs, (VERSION, str(battle.version))])}"


def in_one_line(pairs: Pairs) -> str:
    """The query pairs of a scenario as a line of text."""
    return ", ".join(f"{key.replace('.', ' ')} {value}" for key, value in pairs)


def copies(data: Mapping[str, Any], battle: Battle, link: str, pairs: Pairs, odds: Odds) -> list[tuple[str, str]]:
    """Name and text of each form to copy; `link` and `pairs` are those of the scenario."""
    scenario = pformat(data, width=100, sort_dicts=False)
    python = f"from simulator import load, odds\n\nbattle = load({scenario})\nanswer = odds(battle)\n"
    command = f"echo {shlex.quote(json.dumps(data, ensure_ascii=False))} | battle-odds odds -"
    chances = ", ".join(f"{one.label} {percent(one.p)}" for one in odds.results if one.p > 0)
    line = f"{battle.game} {battle.kind}: {in_one_line(pairs)} -> {chances} ({odds.how()})"
    return [
        ("link", link),
        ("TOML file", document(data)),
        ("Python", f"{python}print(answer.summary())\n"),
        ("command line", command),
        ("text for a chat", f"{line}\n{link}"),
        ("embed", embedded(link, battle)),
    ]


def embedded(link: str, battle: Battle) -> str:
    """A frame in HTML that shows the answer of a link in another page."""
    framed = link.replace(f"/{battle.game}/", f"/embed/{battle.game}/", 1)
    return f'<iframe src="{escape(framed)}" width="640" height="420" title="battle-odds"></iframe>'


def swapped(data: Mapping[str, Any], battle: Battle) -> dict[str, Any]:
    """The scenario with attacker and defender swapped; values that the other side cannot have are left out."""
    result = dict(data)
    for left, right in (SIDES, SIDES[::-1]):
        if left in data or right in data:
            result[left] = _fitting(data.get(right, {}), battle, left)
    for name in ("policy", "objective"):
        table = data.get(name)
        if isinstance(table, Mapping):
            result[name] = {key: value for key, value in table.items() if key not in SIDES}
            for left, right in (SIDES, SIDES[::-1]):
                if right in table:
                    value = table[right]
                    result[name][left] = value if name == "objective" else _fitting(value, battle, f"{name}.{left}")
    return result


def _fitting(value: Any, battle: Battle, path: str) -> Any:
    """The part of a table that the field at this path takes."""
    if not isinstance(value, Mapping):
        return value
    return {
        name: _fitting(inner, battle, f"{path}.{name}")
        for name, inner in value.items()
        if field_at(battle, f"{path}.{name}") is not None
        and (not isinstance(inner, str) or inner in (choices(battle, f"{path}.{name}") or (inner,)))
    }
