"""The form of a battle kind, from its schema alone: one generator for every game and every game file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from simulator import rules
from simulator.rules.battle import Battle
from simulator.rules.custom import INLINE
from simulator.scenarios.objective import SIDES
from simulator.scenarios.schema import Schema, branches, named_values, ordered, schema_of, text_of
from simulator.web.catalogue import example_data, names_of_examples, words
from simulator.web.links import FRAME, inline, key_of

MOST_VALUES = 50


@dataclass
class Node:
    """A field of a form, or a table of fields.

    `kind`: "table" and "rows" contain `inside`; "number", "choice", "text", "free" (a table in TOML) take one value;
    "many" takes several of the kind `of`. `default` is the default as text. `adds` are the buttons that add something:
    (key to add, text of the button); `removable` fields have a button that removes them. `rare` fields are folded
    away. `names` is the list whose names the field takes.
    """

    kind: str
    key: str
    label: str
    help: str = ""
    value: str = ""
    values: list[str] = field(default_factory=list)
    of: str = ""
    default: str = ""
    low: float | None = None
    high: float | None = None
    step: str = "1"
    choices: list[str] = field(default_factory=list)
    names: str = ""
    inside: list[Node] = field(default_factory=list)
    adds: list[tuple[str, str]] = field(default_factory=list)
    removable: bool = False
    needed: bool = False
    rare: bool = False

    @property
    def shown(self) -> list[Node]:
        """The fields inside that are not folded away."""
        return [one for one in self.inside if not one.rare]

    @property
    def folded(self) -> list[Node]:
        """The fields inside that are folded away."""
        return [one for one in self.inside if one.rare]


@lru_cache(maxsize=256)
def _example_paths(game: str, kind: str) -> frozenset[str]:
    """The paths of the fields that some shipped example of the kind sets, without list indices."""
    paths: set[str] = set()

    def visit(value: Any, path: str) -> None:
        paths.add(path)
        if isinstance(value, Mapping):
            for name, inner in value.items():
                visit(inner, f"{path}.{name}" if path else name)
        elif isinstance(value, list):
            for inner in value:
                visit(inner, f"{path}[]")

    for name in names_of_examples(game, kind):
        visit(example_data(name), "")
    return frozenset(paths)


def form_of(battle: Battle, data: Mapping[str, Any]) -> Node:
    """The form of a battle kind, filled in with a scenario; rare fields that are not set are folded away."""
    form = _Form(battle).table("", "", schema_of(battle.model), data, True)
    given = data.get("objective")
    weights = [
        Node(
            "free",
            f"objective.{side}",
            f"objective of the {side}",
            "win, take or columns with weights, like: win = 1, attacker_regiments_lost = -0.05",
            _without_braces(given.get(side, "") if isinstance(given, Mapping) else ""),
        )
        for side in SIDES
    ]
    form.inside.append(Node("table", "objective", "objective", inside=weights, rare="objective" not in data))
    return form


class _Form:
    """The form of one battle kind."""

    def __init__(self, battle: Battle) -> None:
        self.schema = schema_of(battle.model)
        self.example_paths = _example_paths(battle.game, battle.kind)
        self.lists = tuple(rules.lists(battle.game)) if battle.game != INLINE else ()

    def table(self, path: str, label: str, node: Schema, data: Any, needed: bool) -> Node:
        """A table and its fields."""
        given = data if isinstance(data, Mapping) else {}
        inside = []
        for name, child in ordered(node):
            if path or name not in FRAME:
                required = needed and name in node.get("required", [])
                inside.append(
                    self.field(f"{path}.{name}" if path else name, words(name), child, given.get(name), required)
                )
        return Node("table", key_of(path), label, inside=[one for one in inside if one])

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
        help_text = " ".join(node.get("description", "").split())
        result.help, result.needed = "" if help_text == label else help_text, needed
        if result.kind != "table" or result.removable:
            in_examples = re.sub(r"\[\d+\]", "[]", path) in self.example_paths
            result.rare = not (needed or value is not None or in_examples or _counts_units(path, node))
        return result

    def _of_kind(self, path: str, label: str, node: Schema, value: Any, needed: bool) -> Node:
        kinds = list(branches(node, self.schema))
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
            result.rare = not needed and not value and not result.shown
            result.removable = len(kinds) > 1
            return result
        if arrays and not any(kind.get("type") == "array" for kind in items):
            return self.many(path, label, node, [*plain, *items], value)
        if plain or arrays:
            return self.one(path, label, plain, node, value)
        return Node("rows", key_of(path), label)

    def rows(self, path: str, label: str, items: Sequence[Schema], value: Any) -> Node:
        """A list of tables, or of tables and names."""
        given = value if isinstance(value, list) else []
        single = re.sub(r"(?<=o)es$|s$", "", label)
        result = Node("rows", key_of(path), label)
        for place, item in enumerate(given[:MOST_VALUES]):
            node = {"anyOf": list(items)} if len(items) > 1 else items[0]
            inside = self.field(f"{path}[{place}]", f"{single} {place + 1}", node, item, True)
            if inside is not None:
                inside.removable, inside.rare, inside.adds = True, False, []
                result.inside.append(inside)
        after = key_of(f"{path}[{len(given)}]")
        if any("properties" not in item for item in items):
            result.adds.append((f"{after}=?", f"add {single} by name"))
        result.adds.append((after, f"add {single}"))
        return result

    def many(self, path: str, label: str, node: Schema, kinds: Sequence[Schema], value: Any) -> Node:
        """Several plain values."""
        chosen = node.get("default") if value is None else value
        given = chosen if isinstance(chosen, list) else [] if chosen is None else [chosen]
        one = self.one(path, label, kinds, {}, None)
        result = Node("many", one.key, label, of=one.kind, choices=one.choices, names=one.names)
        result.low, result.high = one.low, one.high
        result.values = [_text(item) for item in given[:MOST_VALUES]]
        if not result.values and any(
            kind.get("type", "array") not in {"array", "null"} for kind in node.get("anyOf", ())
        ):
            result.values = [""]  # one value alone is allowed too
        result.adds.append((f"{key_of(path)}+", "add another" if result.values else "add"))
        return result

    def one(self, path: str, label: str, kinds: Sequence[Schema], node: Schema, value: Any) -> Node:
        """One plain value."""
        default = node.get("default")
        result = Node("text", key_of(path), label, default="" if default is None else _text(default))
        result.value = result.default if value is None else _text(value)
        types = {kind.get("type") for kind in kinds}
        constants = [named_values(kind) for kind in kinds]
        names = [text_of(name) for group in constants for name in group]
        any_text = any(kind.get("type") == "string" and not group for kind, group in zip(kinds, constants, strict=True))
        if "object" in types and not types & {"string", "integer", "number"}:
            result.kind = "free"
            result.value = _without_braces(value) if isinstance(value, Mapping) and value else ""
        elif names and any_text:
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


def _text(value: Any) -> str:
    return inline(value) if isinstance(value, Mapping | list | tuple) else text_of(value)


def _without_braces(value: Any) -> str:
    return inline(value)[2:-2] if isinstance(value, Mapping) else text_of(value)


def _counts_units(path: str, node: Schema) -> bool:
    """True for a field that counts the units of a side: such fields are never folded away."""
    whole = node.get("type") == "integer" and node.get("minimum") == 0 and node.get("default") == 0
    return whole and path.count(".") == 1 and path.split(".", maxsplit=1)[0] in SIDES and node.get("maximum", 0) >= 1000
