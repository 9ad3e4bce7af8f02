"""The form of a battle kind, from its schema alone: one generator for every game and every game file.

Two armies side by side: a row for each field that the sides have, in the order that the game's models give (`page`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from simulator import rules
from simulator.report.words import label_of
from simulator.rules.battle import Battle
from simulator.rules.custom import INLINE
from simulator.rules.sides import ALL_SIDES, SIDES
from simulator.rules.toolkit.naming import ENTRY
from simulator.scenarios.objective import TAKEN
from simulator.scenarios.schema import (
    Schema,
    branches,
    known_first,
    named_values,
    ordered,
    page_names,
    schema_of,
    text_of,
)
from simulator.web.catalogue import side_names, words
from simulator.web.links import FRAME, inline, key_of

MOST_VALUES = 50
# The groups of fields that are folded away, by the tables that they stand in; all others are house rules.
GROUPS = dict.fromkeys(ALL_SIDES, "More about the armies") | {
    "policy": "Losses and retreat", "conditions": "Conditions", "objective": "What it is worth",
    "weight": "What it is worth",
}  # fmt: skip


@dataclass
class Node:
    """A field of a form, or a table of fields.

    `kind`: "table" and "rows" contain `inside`; "number", "choice", "text", "free" (a table in TOML) take one value;
    "many" takes several of the kind `of`. `default` is the default as text. `adds` are the buttons that add something:
    (key to add, text of the button); `removable` fields have a button that removes them. `rare` fields are folded
    away. `stays`: the words of a button that takes off the unit that stays behind. `names`: the list whose names the
    field takes. `counted`: the name and the number of an entry of a list. `given`: not its default.
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
    given: bool = False
    stays: str = ""
    counted: list[Node] = field(default_factory=list)

    @property
    def is_set(self) -> bool:
        """Does the field, or one inside it, differ from its default?"""
        return self.given or any(one.is_set for one in self.inside)


@dataclass
class FormRow:
    """A row of the form: the field of each side (None: this side has none), or a field of neither side (`single`)."""

    key: str
    label: str
    help: str
    cells: list[Node | None] = field(default_factory=list)
    single: Node | None = None

    @property
    def nodes(self) -> list[Node]:
        """The fields of this row."""
        return [one for one in (*self.cells, self.single) if one]

    @property
    def hidden(self) -> bool:
        """Is the row only carried along? Tables of any form have no field on the page."""
        return all(one.kind == "free" for one in self.nodes)

    @property
    def folded(self) -> bool:
        """Does the row stand in a group that is folded away? What is set is always in sight."""
        return all(one.rare for one in self.nodes) and not any(one.is_set for one in self.nodes)

    @property
    def shape(self) -> str:
        """The width that its fields need: "numbers", "choices" or "lists"."""
        kinds = {"choice" if one.kind == "many" and len(one.values) < 2 else one.kind for one in self.nodes}
        return "lists" if kinds & {"rows", "table", "many", "free"} else "choices" if kinds - {"number"} else "numbers"


@dataclass
class Form:
    """The rows of the two armies, of choices and conditions, those behind "More", and the sides' total forces.

    `names`: the columns' heads. Of a campaign: `sides` are its forces, `rest` their rows folded, `fights` its cards.
    """

    sides: list[str]
    armies: list[FormRow]
    play: list[FormRow]
    more: list[FormRow]
    totals: list[Sequence[str]]
    rest: list[FormRow] = field(default_factory=list)
    fights: list[Any] | None = None
    names: list[str] = field(default_factory=list)

    @property
    def groups(self) -> dict[str, list[FormRow]]:
        """The rows behind the names of their groups."""
        found: dict[str, list[FormRow]] = {}
        for row in self.more:
            table = row.key.partition(".")[0]
            found.setdefault(GROUPS.get(table, "House rules"), []).append(row)
        return found


def form_of(battle: Battle, data: Mapping[str, Any]) -> Form:
    """The form of a battle kind, filled in with a scenario."""
    root = {one.key: one for one in Generator(battle).table("", "", schema_of(battle.model), data, True).inside}
    sides = [side for side in ALL_SIDES if side in root and root[side].kind == "table"]
    policies = {one.key.rpartition(".")[2]: one for one in root.pop("policy", Node("table", "", "")).inside}
    if len(sides) < 2:  # a question about one force: no table of two armies
        root |= {node.key: node for node in policies.values()}
        sides, policies = [], {}
    armies = paired([root.pop(side) for side in sides], battle)
    rows = paired([policies.get(side) for side in sides], battle) if sides else []
    objective = data.get("objective")
    wants = [_wanted(battle, side, objective.get(side) if isinstance(objective, Mapping) else None) for side in sides]
    weights = _weights(battle, sides, objective if isinstance(objective, Mapping) else {})
    goals = [FormRow("objective", "wants", "for best play", list(wants))] if set(sides) & set(SIDES) else []
    singles = single_rows(root.values())
    set_weights = [row for row in weights if not row.folded]
    play = [*rows, *(goals if rows else []), *(row for row in singles if not row.folded), *set_weights]
    more = [*(row for row in singles if row.folded), *([] if rows else goals)]
    more += [row for row in weights if row.folded]
    chosen = {value for row in rows for one in row.nodes for value in (one.value, *one.values)}
    asked = {battle.parameters.get(value) for value in chosen}
    rare = [row for row in (*armies, *rows) if row.folded and not (row in rows and row.key.rpartition(".")[2] in asked)]
    return Form(
        sides,
        [row for row in armies if row not in rare],
        [row for row in play if row not in rare],
        [*rare, *more],
        [battle.total(data, side) for side in sides] if battle.total else [],
        names=side_names(battle, sides),
    )


def single_rows(nodes: Iterable[Node]) -> list[FormRow]:
    """A row for each field of neither side; a table inside another is one of them."""
    fields = (node.inside if node.kind == "table" and not node.removable else [node] for node in nodes)
    return [FormRow(one.key, one.label, one.help, single=one) for inside in fields for one in inside]


def paired(tables: Sequence[Node | None], battle: Battle) -> list[FormRow]:
    """A row for each field that some of these tables have."""
    rows: dict[str, FormRow] = {}
    for place, table in enumerate(tables):
        for node in table.inside if table else ():
            name = node.key.rpartition(".")[2]
            unit = battle.notes.get(name)
            label, note = (node.help or node.label, unit) if unit is not None else (node.label, node.help)
            row = rows.setdefault(name, FormRow(node.key, label, note, [None] * len(tables)))
            row.cells[place] = node
    return list(rows.values())


def _wanted(battle: Battle, side: str, weights: Any) -> Node | None:
    """The choice of what a side wants: to win, to take the ground, or the value of its weights."""
    if side not in SIDES:
        return None
    node = Node("wants", f"objective.{side}", "wants", value="take" if weights == {"take": 1} else "")
    if isinstance(weights, Mapping) and weights and node.value != "take":
        node.value = "value"
    if node.value == "take" or set(TAKEN) & {*battle.summary, *battle.facts}:
        node.choices = ["take"]
    return node


def _weights(battle: Battle, sides: Sequence[str], objective: Mapping[str, Any]) -> list[FormRow]:
    """The weights of the sides' objectives: of winning, of the headline's columns, and of those that are set."""
    given = [objective.get(side) for side in sides]
    tables = [one if isinstance(one, Mapping) and one != {"take": 1} else {} for one in given]
    names = dict.fromkeys(["win", *battle.summary, *(name for table in tables for name in table)])
    rows = []
    for name in names if sides else ():
        row = FormRow(f"weight.{name}", "winning" if name == "win" else label_of(battle, name), "")
        for side, table in zip(sides, tables, strict=True):
            value, key = _text(table.get(name, "")), f"objective.{side}.{name}"
            cell = Node("number", key, name, value=value, step="any", given=name in table, rare=True)
            row.cells.append(cell if side in SIDES else None)
        rows.append(row)
    return rows


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
        result.values = [_text(item) for item in given[:MOST_VALUES]]
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
        result = Node("text", key_of(path), label, default="" if default is None else _text(default))
        result.value = result.default if value is None else _text(value)
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
    """The description of a field without the names and the sentinels of the schema."""
    text = re.sub(r"\b[a-z]+(?:_[a-z]+)+\b", lambda found: found[0].replace("_", " "), text)
    text = text.replace("-1 = ", "empty: ").replace("npr-defence", "a defence by a non-player realm")
    return re.sub(r"\bnpr\b", "non-player realm", text)


def _text(value: Any) -> str:
    return inline(value) if isinstance(value, Mapping | list | tuple) else text_of(value)
