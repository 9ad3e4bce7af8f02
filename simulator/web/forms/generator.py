"""The fields of a form from the schema of a battle kind: one generator for every game and every game file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from simulator import rules
from simulator.rules.battle import Battle
from simulator.rules.custom import INLINE
from simulator.rules.toolkit.naming import ENTRY, text_of
from simulator.rules.toolkit.words import words
from simulator.scenarios.schema import (
    Schema,
    branches,
    known_first,
    named_values,
    ordered,
    page_names,
    schema_of,
)
from simulator.web.forms.parts import Node
from simulator.web.links import FRAME, inline, key_of

MOST_VALUES = 50


class Generator:
    """The form of one battle kind."""

    def __init__(self, battle: Battle) -> None:
        self.schema = schema_of(battle.model)
        self.lists = tuple(rules.lists(battle.game)) if battle.game != INLINE else ()

    def table(self, path: str, label: str, node: Schema, data: Any, needed: bool) -> Node:
        """A table and its fields."""
        given = data if isinstance(data, Mapping) else {}
        first = page_names(node) if "page" in node else {}
        fields = dict(ordered(node))
        inside = []
        for name in dict.fromkeys([*(one for one in first if one in fields), *fields]):
            if path or name not in FRAME:
                required = needed and name in node.get("required", [])
                called = first.get(name) or words(name)
                one = self.field(f"{path}.{name}" if path else name, called, fields[name], given.get(name), required)
                if one:
                    one.rare = not (required or (known_first(node, path, name) and (path or name != "rules")))
                    inside.append(one)
        return Node("table", key_of(path), label, inside=inside)

    def field(self, path: str, label: str, node: Schema, value: Any, needed: bool) -> Node | None:
        """A field; None where there is nothing to choose."""
        kinds = list(branches(node, self.schema))
        if not kinds or any("properties" in kind and not kind["properties"] for kind in kinds):
            return None
        tables = [kind for kind in kinds if "properties" in kind]
        result = self._of_kind(path, label, node, value, needed)
        if result.kind == "choice" and len(result.choices) < 2:
            return None
        if tables and result.kind != "table":
            result.adds.append((key_of(path), f"give the {label} in detail"))
        help_text = _in_words(" ".join(node.get("description", "").split()))
        result.given = value is not None and value != node.get("default") and result.kind != "table"
        result.stays = node.get("one_stays", "")
        result.help, result.needed = "" if help_text == label else help_text, needed
        return result

    def _of_kind(self, path: str, label: str, node: Schema, value: Any, needed: bool) -> Node:
        kinds = list(branches(node, self.schema))
        if len(kinds) == 1 and kinds[0].get("additionalProperties", {}) is not True and isinstance(value, Mapping):
            numbers = kinds[0].get("additionalProperties") or {}
            if numbers.get("type") == "integer":  # numbers by names: those that are given
                inside = [self.one(f"{path}.{name}", words(name), [numbers], {}, n) for name, n in value.items()]
                return Node("table", key_of(path), label, inside=[replace(one, given=True) for one in inside])
        arrays = [kind for kind in kinds if kind.get("type") == "array"]
        tables = [kind for kind in kinds if "properties" in kind]
        plain = [kind for kind in kinds if kind.get("type") not in {"array", "null"} and "properties" not in kind]
        items = [item for kind in arrays for item in branches(kind.get("items", {}), self.schema)]
        if any("properties" in item for item in items):
            if plain and isinstance(value, str):
                result = self.one(path, label, plain, node, value)
                result.choices.insert(0, "")  # nothing named leads back to the rows
                return result
            result = self.rows(path, label, items, value)
            result.adds += [(f"{key_of(path)}=?", f"name the {label}")] if plain else []
            return result
        if tables and (isinstance(value, Mapping) or len(kinds) == 1):
            # A table without a default counts as an empty one where it is missing.
            result = self.table(path, label, tables[0], value, needed or "default" not in node)
            result.removable = len(kinds) > 1
            return result
        if any(kind.get("type") == "array" for kind in items):  # a table of numbers
            return Node("free", key_of(path), label, value=inline(value) if value else "")
        if arrays:
            return self.many(path, label, node, [*plain, *items], value)
        if plain:
            return self.one(path, label, plain, node, value)
        return Node("rows", key_of(path), label)

    def rows(self, path: str, label: str, items: Sequence[Schema], value: Any) -> Node:
        """A list of tables, or of tables and names."""
        given = value if isinstance(value, list) else []
        single = re.sub(r"(?<=o)es$|s$", "", label)
        result = Node("rows", key_of(path), label)
        for place, item in enumerate(given[:MOST_VALUES]):
            node = {"anyOf": list(items)} if len(items) > 1 else items[0]
            inside = self.counted(f"{path}[{place}]", f"{single} {place + 1}", items, item)
            inside = inside or self.field(f"{path}[{place}]", f"{single} {place + 1}", node, item, True)
            if inside is not None:
                inside.removable, inside.rare, inside.adds = True, False, []
                result.inside.append(inside)
        if new := self.counted(f"{path}[{len(given)}]", f"another {single}", items, ""):
            new.counted[1].value, new.counted[1].default = "", "1"
            result.inside.append(new)
        else:
            result.adds.append((key_of(f"{path}[{len(given)}]"), f"add {single}"))
        return result

    def counted(self, path: str, label: str, items: Sequence[Schema], item: Any) -> Node | None:
        """An entry of a list of units as its name and how many there are; None for an entry that says more."""
        table = next((one for one in items if "count" in one.get("properties", {})), None)
        name = table and next((one for one in ("unit", "name") if one in table["properties"]), None)
        if not table or not name:
            return None
        if not isinstance(item, Mapping):
            match = ENTRY.fullmatch(str(item))
            number, text = match.groups() if match else (None, str(item))
            item = {name: text, "count": int(number or 1)}
        if not set(item) <= {name, "count"}:
            return None
        fields = (
            self.field(f"{path}.{one}", one, table["properties"][one], item.get(one), False) for one in (name, "count")
        )
        return Node("table", key_of(path), label, counted=[one for one in fields if one])

    def many(self, path: str, label: str, node: Schema, kinds: Sequence[Schema], value: Any) -> Node:
        """Several plain values."""
        chosen = node.get("default") if value is None else value
        named = [name for kind in kinds for name in named_values(kind)]
        if named and {"type": "string"} in kinds and not isinstance(value, list):  # a named order, or one's own
            result = self.one(path, label, [{"enum": named}], node, value)
            result.adds.append((f"{key_of(path)}=*", "own order"))
            return result
        given = chosen if isinstance(chosen, list) else [] if chosen is None else [chosen]
        one = self.one(path, label, kinds, {}, None)
        result = Node("many", one.key, label, of=one.kind, choices=one.choices, names=one.names)
        result.low, result.high = one.low, one.high
        result.values = [as_text(item) for item in given[:MOST_VALUES]]
        if not result.values and any(
            kind.get("type", "array") not in {"array", "null"} for kind in node.get("anyOf", ())
        ):
            result.values = [""]  # one value alone is allowed too
        result.adds.append((f"{key_of(path)}+", "add another" if result.values else "add"))
        if named and {"type": "string"} in kinds:
            result.removable, result.choices, result.of = True, self.units(path), "text"
        return result

    def units(self, path: str) -> list[str]:
        """The units of the side whose policy stands at this path."""
        side = self.schema["properties"].get(path.split(".")[1], {})
        tables = (table for table in branches(side, self.schema) if "properties" in table)
        return [name for table in tables for name, node in table["properties"].items() if node.get("type") == "integer"]

    def one(self, path: str, label: str, kinds: Sequence[Schema], node: Schema, value: Any) -> Node:
        """One plain value."""
        default = node.get("default")
        result = Node("text", key_of(path), label, default="" if default is None else as_text(default))
        result.value = result.default if value is None else as_text(value)
        types = {kind.get("type") for kind in kinds}
        constants = [named_values(kind) for kind in kinds]
        names = [text_of(name) for group in constants for name in group]
        any_text = any(kind.get("type") == "string" and not group for kind, group in zip(kinds, constants, strict=True))
        if "object" in types and not types & {"string", "integer", "number"}:
            result.kind = "free"
            result.value = inline(value)[2:-2] if isinstance(value, Mapping) and value else ""
        elif names and (any_text or "object" in types):
            result.choices = names
        elif names and not types & {"integer", "number"}:
            result.kind, result.choices = "choice", list(dict.fromkeys(names))
        elif "boolean" in types:
            result.kind, result.choices = "choice", ["true", "false"]
        elif types & {"integer", "number"}:
            is_number = value is None or (isinstance(value, int | float) and not isinstance(value, bool))
            result.kind = "number" if is_number else "text"
            result.step = "1" if "integer" in types else "any"
            numbers = next(kind for kind in kinds if kind.get("type") in {"integer", "number"})
            result.low, result.high = numbers.get("minimum"), numbers.get("maximum")
            if default == result.low == -1:  # the rules work it out; the field is then empty
                result.value, result.default, result.low = result.value.replace("-1", ""), "auto", 0
        else:
            result.names = self._names(path)
        return result

    def _names(self, path: str) -> str:
        """The list whose names a text field takes: the field, or the list around it, has the name of that list."""
        parts = re.sub(r"\[\d+\]", "", path).split(".")
        for part in reversed(parts[-2:]):
            for name in self.lists:
                singular = re.sub(r"ies$", "y", name) if name.endswith("ies") else name.removesuffix("s")
                if part in {name, singular} or part.endswith((f"_{singular}", f"_{name}")):
                    return name
        return ""


def _in_words(text: str) -> str:
    """The description of a field without the names, the sentinels and the notation of a scenario.

    What is assumed stands beside the answer.
    """
    text = re.sub(r"\b[a-z]+(?:_[a-z]+)+\b", lambda found: found[0].replace("_", " "), text)
    text = re.sub(
        r"\b(?:options|policy|conditions)\.| \(ASSUMED\)|: \{.*|,? or (?:a )?tables?(?: of values)?$", "", text
    )
    text = (
        text.replace(" of leaders.csv", "")
        .replace("; default the ", "; default: the ")
        .replace("-1 = ", "empty: ")
        .replace("npr-defence", "a defence by a non-player realm")
    )
    return re.sub(r"\bnpr\b", "non-player realm", text)


def as_text(value: Any) -> str:
    """A value as the text of its field; tables and lists in TOML."""
    return inline(value) if isinstance(value, Mapping | list | tuple) else text_of(value)
