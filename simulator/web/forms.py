"""The form of a battle kind, from its schema alone: one generator for every game and every game file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from simulator import rules
from simulator.rules.battle import Battle
from simulator.rules.custom import INLINE
from simulator.scenarios import example_names, example_text, parse
from simulator.scenarios.objective import SIDES
from simulator.scenarios.schema import Schema, branches, ordered, schema_of
from simulator.web.url_codec import FRAME, inline, key_of, text_of

MANY = 50


@dataclass
class Node:
    """A field of a form, or a table of fields.

    `kind`: "table" and "rows" hold `inside`; "number", "choice", "text", "free" (a table as TOML writes it) take one
    value; "many" takes several of the kind `of`. `usual` is the default in words. `adds` are the things that a button
    adds here: (what to ask for, words on the button); `goes` tells that a button takes this away. `rare` is folded
    away. `names` is the list that the field takes names of.
    """

    kind: str
    key: str
    label: str
    help: str = ""
    value: str = ""
    values: list[str] = field(default_factory=list)
    of: str = ""
    usual: str = ""
    low: float | None = None
    high: float | None = None
    step: str = "1"
    choices: list[str] = field(default_factory=list)
    names: str = ""
    inside: list[Node] = field(default_factory=list)
    adds: list[tuple[str, str]] = field(default_factory=list)
    goes: bool = False
    needed: bool = False
    rare: bool = False

    @property
    def open(self) -> list[Node]:
        """What is inside and shown."""
        return [one for one in self.inside if not one.rare]

    @property
    def folded(self) -> list[Node]:
        """What is inside and folded away."""
        return [one for one in self.inside if one.rare]

    def fields(self) -> Iterator[Node]:
        """Every field that takes a value."""
        if self.kind not in {"table", "rows"}:
            yield self
        for one in self.inside:
            yield from one.fields()


def words(name: str) -> str:
    """A field's name as people read it."""
    return name.replace("_", " ").replace("-", " ")


@lru_cache(maxsize=256)
def examples_of(game: str, kind: str) -> tuple[str, ...]:
    """The shipped examples of a battle kind; a game of one's own has none."""
    if game == INLINE:
        return ()
    return tuple(name for name, data in _examples().items() if (data.get("game"), data.get("battle")) == (game, kind))


@lru_cache(maxsize=1)
def _examples() -> dict[str, dict[str, Any]]:
    return {name: parse(example_text(name), name) for name in example_names()}


def example_data(name: str) -> dict[str, Any]:
    """A shipped example's mapping."""
    return _examples()[name]


def first_line(name: str) -> str:
    """What a shipped example says it is."""
    return example_text(name).partition("\n")[0].lstrip("# ")


@lru_cache(maxsize=256)
def _usual_paths(game: str, kind: str) -> frozenset[str]:
    """The fields that some shipped example of the kind sets, places of lists left open."""
    found: set[str] = set()

    def visit(value: Any, path: str) -> None:
        found.add(path)
        if isinstance(value, Mapping):
            for name, one in value.items():
                visit(one, f"{path}.{name}" if path else name)
        elif isinstance(value, list):
            for one in value:
                visit(one, f"{path}[]")

    for name in examples_of(game, kind):
        visit(example_data(name), "")
    return frozenset(found)


def form_of(battle: Battle, data: Mapping[str, Any]) -> Node:
    """The form of a battle kind, filled in with a scenario as far as it goes; what is rare and not set is folded."""
    form = _Form(battle).table("", "", schema_of(battle.model), data, True)
    given = data.get("objective")
    aims = given if isinstance(given, Mapping) else {}
    weights = [
        Node(
            "free",
            f"objective.{side}",
            f"what the {side} wants",
            "win, take or columns with weights, like: win = 1, attacker_regiments_lost = -0.05",
            inline(aims[side])[2:-2] if isinstance(aims.get(side), Mapping) else text_of(aims.get(side, "")),
        )
        for side in SIDES
    ]
    form.inside.append(Node("table", "objective", "objective", inside=weights, rare="objective" not in data))
    return form


class _Form:
    """The form of one battle kind."""

    def __init__(self, battle: Battle) -> None:
        self.schema = schema_of(battle.model)
        self.usual = _usual_paths(battle.game, battle.kind)
        self.lists = tuple(rules.lists(battle.game)) if battle.game != INLINE else ()

    def table(self, path: str, label: str, node: Schema, data: Any, needed: bool) -> Node:
        """A table and all that may stand in it."""
        given = data if isinstance(data, Mapping) else {}
        inside = []
        for name, child in ordered(node):
            if not path and name in FRAME:
                continue
            here = f"{path}.{name}" if path else name
            must = needed and name in node.get("required", [])
            one = self.field(here, words(name), child, given.get(name), must)
            if one is not None:
                inside.append(one)
        found = Node("table", key_of(path), label, inside=inside, needed=needed)
        found.rare = bool(path) and all(one.rare for one in inside) and not needed and not given
        return found

    def field(self, path: str, label: str, node: Schema, value: Any, needed: bool) -> Node | None:
        """A field; None where there is nothing to choose."""
        kinds = list(branches(node, self.schema))
        arrays = [kind for kind in kinds if kind.get("type") == "array"]
        tables = [kind for kind in kinds if "properties" in kind]
        plain = [kind for kind in kinds if kind.get("type") not in {"array", "null"} and "properties" not in kind]
        items = [item for kind in arrays for item in branches(kind.get("items", {}), self.schema)]
        if not kinds or any("properties" in kind and not kind["properties"] for kind in kinds):
            return None
        help_text = _help(node, label)
        if any("properties" in item for item in items):
            found = self.rows(path, label, items, value)
        elif tables and (isinstance(value, Mapping) or len(kinds) == 1):
            found = self.table(path, label, tables[0], value, needed)
            found.goes = len(kinds) > 1
        elif arrays and not any(kind.get("type") == "array" for kind in items):
            found = self.many(path, label, node, [*plain, *items], value, bool(plain))
        elif plain or arrays:
            found = self.one(path, label, plain, node, value)
        else:
            found = Node("rows", key_of(path), label)
        if tables and found.kind not in {"table"}:
            found.adds.append((key_of(path), f"give the {label} in detail"))
        if found.kind == "choice" and len(found.choices) < 2:
            return None
        found.help, found.needed = help_text, needed
        if found.kind != "table" or found.goes:
            found.rare = not (needed or value is not None or self._usual(path) or _counts(path, node))
        return found

    def _usual(self, path: str) -> bool:
        return re.sub(r"\[\d+\]", "[]", path) in self.usual

    def rows(self, path: str, label: str, items: Sequence[Schema], value: Any) -> Node:
        """A list of tables, or of tables and names."""
        given = value if isinstance(value, list) else []
        single = re.sub(r"s$", "", label)
        found = Node("rows", key_of(path), label)
        for place, one in enumerate(given[:MANY]):
            node = {"anyOf": list(items)} if len(items) > 1 else items[0]
            inside = self.field(f"{path}[{place}]", f"{single} {place + 1}", node, one, True)
            if inside is not None:
                inside.goes, inside.rare, inside.adds = True, False, []
                found.inside.append(inside)
        after = key_of(f"{path}[{len(given)}]")
        if any("properties" not in item for item in items):
            found.adds.append((f"{after}=?", f"add {single} by name"))
        found.adds.append((after, f"add {single}"))
        return found

    def many(self, path: str, label: str, node: Schema, kinds: Sequence[Schema], value: Any, alone: bool) -> Node:
        """Several plain values, or one where the field takes one `alone`."""
        chosen = node.get("default") if value is None else value
        given = chosen if isinstance(chosen, list) else [] if chosen is None else [chosen]
        of = self.one(path, label, kinds, {}, None)
        found = Node("many", of.key, label, of=of.kind, choices=of.choices, names=of.names, low=of.low, high=of.high)
        found.values = [text_of(one) if not isinstance(one, list | Mapping) else inline(one) for one in given[:MANY]]
        if (
            not found.values
            and "anyOf" in node
            and any("type" in one and one["type"] not in {"array", "null"} for one in node["anyOf"])
        ):
            found.values = [""]
        found.adds.append((f"{key_of(path)}+", "add" if not found.values else "and also"))
        return found

    def one(self, path: str, label: str, kinds: Sequence[Schema], node: Schema, value: Any) -> Node:
        """One plain value."""
        default = node.get("default")
        found = Node("text", key_of(path), label, usual="" if default is None else _shown(default))
        found.value = found.usual if value is None else _shown(value)
        types = {kind.get("type") for kind in kinds}
        names = [text_of(name) for kind in kinds for name in (*kind.get("enum", ()), *_const(kind))]
        if "object" in types and not types & {"string", "integer", "number"}:
            found.kind = "free"
            found.value = inline(value)[2:-2] if isinstance(value, Mapping) and value else ""
        elif names and "string" in {kind.get("type") for kind in kinds if "enum" not in kind and "const" not in kind}:
            found.choices = names
        elif names and not types & {"integer", "number"}:
            found.kind, found.choices = "choice", list(dict.fromkeys(names))
        elif "boolean" in types:
            found.kind, found.choices = "choice", ["true", "false"]
        elif types & {"integer", "number"}:
            written = value is None or (isinstance(value, int | float) and not isinstance(value, bool))
            found.kind = "number" if written else "text"
            found.step = "1" if "integer" in types else "any"
            numbers = [kind for kind in kinds if kind.get("type") in {"integer", "number"}]
            found.low, found.high = numbers[0].get("minimum"), numbers[0].get("maximum")
        else:
            found.names = self._names(path)
        return found

    def _names(self, path: str) -> str:
        """The list whose names a text field takes: the one it, or the list it stands in, is called after."""
        parts = re.sub(r"\[\d+\]", "", path).split(".")
        for part in reversed(parts[-2:]):
            for name in self.lists:
                singular = re.sub(r"ies$", "y", name) if name.endswith("ies") else name.removesuffix("s")
                if part in {name, singular} or part.endswith((f"_{singular}", f"_{name}")):
                    return name
        return ""


def _const(kind: Schema) -> list[Any]:
    return [kind["const"]] if "const" in kind else []


def _shown(value: Any) -> str:
    return inline(value) if isinstance(value, Mapping | list | tuple) else text_of(value)


def _help(node: Schema, label: str) -> str:
    text = " ".join(node.get("description", "").split())
    return "" if text == label else text


def _counts(path: str, node: Schema) -> bool:
    """Does this field count the units of a side? Such fields are never folded away."""
    whole = node.get("type") == "integer" and node.get("minimum") == 0 and node.get("default") == 0
    return whole and path.count(".") == 1 and path.split(".", maxsplit=1)[0] in SIDES and node.get("maximum", 0) >= 1000
