"""The fields of a battle kind from its model: their values, their defaults, and which of them a scenario changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import to_jsonable_python

from simulator.rules.battle import Battle, Built, Fields
from simulator.rules.sides import ALL_SIDES
from simulator.rules.toolkit.by_key import by_key
from simulator.rules.toolkit.naming import same_name, suggested, text_of

Schema = dict[str, Any]
# The tables of a scenario in their usual order.
ORDER = ("game", "battle", *ALL_SIDES, "conditions", "policy", "options", "objective")
# Fields that choose the rules. All other fields describe the battle.
FRAME = ("game", "battle", "rules", "variant")
PLAIN = {int, float, str, bool, type(None)}
# The objectives belong to no game's model; see `objective`.
OBJECTIVE: Schema = {
    "type": "object",
    "additionalProperties": False,
    "description": "what the sides want, for policies that are best and for worth; one side's is the other's negative",
    "properties": {
        side: {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"type": "number"},
            "description": f"what the {side} wants: a weight for win, take or an outcome column",
        }
        for side in ("attacker", "defender")
    },
}

VARIANTS: Schema = {
    "type": "object",
    "additionalProperties": {"type": "object"},
    "description": "linked changes by name, for compare and sweep: fields and their values, or scale",
}


class _Schemas(GenerateJsonSchema):
    """Schemas whose defaults are written at once: pydantic makes an adapter of types for each of 3,400."""

    def encode_default(self, dft: Any) -> Any:
        """A default as JSON has it."""
        return to_jsonable_python(dft, by_alias=self.by_alias)


@lru_cache(maxsize=256)  # more than there are kinds, whose schemas the page asks for in turn
def schema_of(model: type[BaseModel]) -> Schema:
    """JSON schema of a scenario model."""
    return model.model_json_schema(schema_generator=_Schemas)


@lru_cache(maxsize=8)  # for messages about fields that `schema_of` leaves out, since their kind does not read them
def whole_schema_of(model: type[BaseModel]) -> Schema:
    """JSON schema of a scenario model with every field that it accepts."""
    if not getattr(model, "idle", ()) and not getattr(model, "tolerated", ()):
        return schema_of(model)
    generate: Any = BaseModel.model_json_schema
    schema: Schema = generate.__func__(model, schema_generator=_Schemas)
    return schema


def scenario_schema(battle: Battle) -> Schema:
    """JSON schema of whole scenarios of a battle kind, objectives and variants included."""
    schema = battle.model.model_json_schema()
    return schema | {"properties": schema["properties"] | {"objective": OBJECTIVE, "variant": VARIANTS}}


def objective_rows() -> list[FieldRow]:
    """The rows of the objectives, as in `field_rows`."""
    return [
        FieldRow(f"objective.{side}.NAME", "a number", "", node["description"], False, node, first=False)
        for side, node in OBJECTIVE["properties"].items()
    ]


def branches(node: Schema, schema: Schema) -> Iterator[Schema]:
    """The node itself, with references followed and unions opened."""
    if "$ref" in node:
        yield from branches(schema["$defs"][node["$ref"].rpartition("/")[2]], schema)
    elif "anyOf" in node or "oneOf" in node:
        for branch in node.get("anyOf") or node["oneOf"]:
            yield from branches(branch, schema)
    else:
        yield node


def allowed(node: Schema, schema: Schema) -> str:
    """The allowed values of a field, in words, without the null of a field that may be left out."""
    written = [branch for branch in branches(node, schema) if branch.get("type") != "null"]
    return " or ".join(dict.fromkeys(_one_allowed(branch, schema) for branch in written))


def _one_allowed(node: Schema, schema: Schema) -> str:
    if "enum" in node:
        return "one of " + ", ".join(str(value) or '""' for value in node["enum"])
    if "const" in node:
        return str(node["const"])
    kind = node.get("type")
    if kind in {"integer", "number"}:
        word = "a whole number" if kind == "integer" else "a number"
        low, high = node.get("minimum"), node.get("maximum")
        if low is not None and high is not None:
            return f"{word} from {low} to {high}"
        return word + (f", {low} or more" if low is not None else f" up to {high}" if high is not None else "")
    if kind == "array":
        return f"a list{_span(node, 'Items')} ({allowed(node.get('items', {}), schema)})"
    if kind == "object":
        return f"a table{_span(node, 'Properties')}"
    return str(node.get("takes", _WORDS.get(str(kind), "another value")))


_WORDS = {"boolean": "true or false", "string": "text"}


def _span(node: Schema, what: str) -> str:
    """The allowed number of entries of a list or table."""
    least, most = node.get(f"min{what}"), node.get(f"max{what}")
    if least == most and most is not None:
        return f" of {most}"
    return f" of {least or 0} to {most}" if most is not None else f" of at least {least}" if least else ""


class FieldRow(NamedTuple):
    """A field of a battle kind: path, allowed values, default as written, meaning, whether it is needed, its schema.

    `first`: does a player know it first (`known_first`), and the tables around it?
    """

    path: str
    takes: str
    default: str
    meaning: str
    needed: bool
    node: Mapping[str, Any]
    first: bool = True


def page_names(node: Mapping[str, Any]) -> dict[str, str]:
    """The fields that a player knows first, in their order, with their names ("" for the field's own); see `Fields`."""
    return dict(entry.partition(": ")[::2] for entry in node["page"].split(", "))


def known_first(node: Mapping[str, Any], path: str, name: str) -> bool:
    """Does a player know this field of the table at `path` first? Without a `page` all are but options."""
    if "page" in node:
        return name in page_names(node)
    return not path.startswith("options")


def field_rows(battle: Battle) -> list[FieldRow]:
    """Every field of a battle kind, in the order of a scenario, the needed ones of each table first."""
    schema = schema_of(battle.model)
    rows: list[FieldRow] = []

    def visit(path: str, node: Mapping[str, Any], needed: bool, known: bool) -> None:
        for name, child in ordered(node):
            here, must = (f"{path}.{name}" if path else name), name in node.get("required", [])
            first = known and (must or known_first(node, path, name))
            inside = list(_tables_in(child, schema))
            if len(inside) < len(list(branches(child, schema))):
                default = "needed" if must else "" if child.get("default") is None else text_of(child["default"])
                meaning = " ".join(child.get("description", "").split())
                rows.append(FieldRow(here, allowed(child, schema), default, meaning, must and needed, child, first))
            for suffix, target in inside:
                # A table without a default counts as an empty one where it is missing.
                visit(here + suffix, target, (must or "default" not in child) and needed and not suffix, first)

    visit("", schema, True, True)
    return rows


def ordered(node: Mapping[str, Any]) -> list[tuple[str, Schema]]:
    """The fields of a table: those of ORDER in that order, then the needed ones, then the rest as declared."""
    needed = node.get("required", [])

    def place(item: tuple[str, Schema]) -> tuple[int, bool]:
        return (ORDER.index(item[0]) if item[0] in ORDER else len(ORDER), item[0] not in needed)

    return sorted(node.get("properties", {}).items(), key=place)


def _tables_in(node: Schema, schema: Schema) -> Iterator[tuple[str, Schema]]:
    """The tables that a field may hold, alone or in a list: (suffix of its name, schema)."""
    for branch in branches(node, schema):
        if "properties" in branch:
            yield "", branch
        elif branch.get("type") == "array":
            yield from (("[i]", item) for item in branches(branch.get("items", {}), schema) if "properties" in item)
        elif isinstance(branch.get("additionalProperties"), dict):
            named = branches(branch["additionalProperties"], schema)
            yield from ((".NAME", item) for item in named if "properties" in item)


def field_at(battle: Battle, path: str) -> Mapping[str, Any] | None:
    """The schema of the field at a path like `attacker.regiments` or `crossings[0].fleets`; None if there is none.

    A key of the game file is a field of `rules`, such as `rules.unit.tank.attack`.
    """
    return _field_at(*_place(battle, path))


def _place(battle: Battle, path: str) -> tuple[type[BaseModel], str]:
    """The model that holds a field, the scenario's, that of a battle in it or the game file's, and the path in it."""
    if battle.holder and (held := battle.holder(path)):
        return held
    inside = path.removeprefix("rules.")
    if battle.rules is None or inside == path:
        return battle.model, path
    return type(battle.rules), inside


def branches_at(battle: Battle, path: str) -> list[Schema]:
    """The schemas of the values that the field at a path takes; none if there is no such field."""
    return [*_branches_at(*_place(battle, path))]


@lru_cache(maxsize=8192)
def _branches_at(model: type[BaseModel], path: str) -> tuple[Schema, ...]:
    node = _field_at(model, path)
    return tuple(branches(dict(node), schema_of(model))) if node else ()


def items_at(battle: Battle, path: str) -> list[Schema]:
    """The schemas of the items of the lists that the field at a path takes; none if it takes no list."""
    return [*_items_at(*_place(battle, path))]


@lru_cache(maxsize=8192)
def _items_at(model: type[BaseModel], path: str) -> tuple[Schema, ...]:
    lists = [one for one in _branches_at(model, path) if one.get("type") == "array"]
    return tuple([item for one in lists for item in branches(one.get("items", {}), schema_of(model))])


def typed_at(battle: Battle, path: str) -> list[Schema]:
    """As `branches_at`, without those that take any value; the whole scenario is at the empty path."""
    return [*_typed_at(*(_place(battle, path) if path else (battle.model, "")))]


@lru_cache(maxsize=8192)
def _typed_at(model: type[BaseModel], path: str) -> tuple[Schema, ...]:
    kinds = _branches_at(model, path) if path else branches(schema_of(model), schema_of(model))
    return tuple([kind for kind in kinds if kind.keys() & {"type", "enum", "const"}])


# Few paths are looked up many times.
@lru_cache(maxsize=8192)
def _field_at(model: type[BaseModel], path: str) -> Mapping[str, Any] | None:
    schema = schema_of(model)
    nodes: list[Schema] = [schema]
    for part in re.findall(r"[^.\[\]]+|\[\d+\]", path):
        inside: list[Schema] = []
        for branch in (one for node in nodes for one in branches(node, schema)):
            known = branch.get("properties", {})
            if part.startswith("["):
                inside += [branch["items"]] if "items" in branch else []
            elif name := part if part in known else same_name(part, known):
                inside.append(known[name])
            elif isinstance(branch.get("additionalProperties"), dict):
                inside.append(branch["additionalProperties"])
        nodes = inside
    return {"anyOf": nodes} if len(nodes) > 1 else nodes[0] if nodes else None


def field_meant(names: Sequence[str], path: str) -> str:
    """The field of a scenario that is meant by a path that is none: both of "tank", and of "tanks"; "" without one."""
    own = [name for name in names if name.count(".") == 1 and name.partition(".")[0] in ALL_SIDES]
    last = by_key(own, lambda name: name.rpartition(".")[2])
    near = None if path in last else suggested(re.sub(r"\[\d+\]", "[i]", path), names)
    return near or " or ".join(last.get(path if path in last else suggested(path, last) or "", []))


def unknown_field(battle: Battle, path: str) -> str:
    """Message for a path that is no field of a battle kind, with a suggestion for a near miss."""
    names = [row.path for row in field_rows(battle) if row.path not in {"game", "battle"}]
    near = field_meant(names, path)
    if battle.rules is not None and field_at(battle, f"rules.{path}"):
        near = f"rules.{path}"
    hint = f"did you mean {near}? " if near else ""
    return f"{path}: unknown field; {hint}`battle-odds schema {battle.game} {battle.kind}` lists them"


def whole_numbers(battle: Battle, path: str) -> tuple[int | None, int | None] | None:
    """Smallest and largest whole number that a field takes (None for no bound); None if it takes no whole number."""
    bounds = [
        (one.get("minimum"), one.get("maximum")) for one in branches_at(battle, path) if one.get("type") == "integer"
    ]
    return bounds[0] if bounds else None


def choices(battle: Battle, path: str) -> tuple[Any, ...]:
    """The names among which a field chooses; none for a field of another type."""
    return tuple(name for node in branches_at(battle, path) for name in named_values(node))


def named_values(node: Mapping[str, Any]) -> list[Any]:
    """The names that a schema without branches allows."""
    return [*node.get("enum", ()), *([node["const"]] if "const" in node else ())]


def settings_of(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Path and value of every field, defaults included, in the order of the schema; lists item by item."""
    if isinstance(value, BaseModel):
        infos = type(value).model_fields.items()
        named = [(info.alias or name, getattr(value, name), info.is_required()) for name, info in infos]
        if not path:
            named = [one for one in named if one[0] not in FRAME]
            named.sort(key=lambda one: ORDER.index(one[0]) if one[0] in ORDER else len(ORDER))
        else:
            named.sort(key=lambda one: not one[2])
        inside: list[tuple[str, Any]] = [(name, one) for name, one, _ in named]
        inside += list((value.model_extra or {}).items())
    elif isinstance(value, Mapping):
        inside = list(value.items())
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield from settings_of(item, f"{path}[{place}]")
        return
    else:
        if value is not None:
            yield path, value
        return
    for name, one in inside:
        yield from settings_of(one, f"{path}.{name}" if path else name)


@cache
def field_defaults(model: type[BaseModel]) -> dict[str, tuple[str, bool, Any]]:
    """For each field of a model: its name for the user, whether it is required, and its default."""
    return {
        name: (about.alias or name, about.is_required(), about.get_default(call_default_factory=True))
        for name, about in model.model_fields.items()
    }


def changed_fields(fields: BaseModel, path: str = "") -> Iterator[tuple[str, Any]]:
    """The fields whose value is not their default: (path, value)."""
    given = fields.model_fields_set
    for name, (alias, required, default) in field_defaults(type(fields)).items():
        if name not in given:
            continue
        value = getattr(fields, name)
        if type(value) in PLAIN and (required or value == default):
            continue
        here = f"{path}.{alias}" if path else alias
        if isinstance(value, BaseModel):
            yield from changed_fields(value, here)
        elif isinstance(value, dict) and any(isinstance(item, BaseModel) for item in value.values()):
            for key, item in value.items():
                yield from changed_fields(item, f"{here}.{key}")
        elif isinstance(value, list | tuple) and value and all(isinstance(item, BaseModel) for item in value):
            for i, item in enumerate(value):
                yield from changed_fields(item, f"{here}[{i}]")
        elif not required and value != default:
            yield here, value


def plain(value: Any) -> Any:
    """A value as in a scenario's mapping: tables instead of models."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_defaults=True)
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def game_file_battle() -> Battle:
    """The keys of a game file, in the form of the fields of a battle kind."""
    from simulator.rules.custom.game_file.format import GameFile

    return as_battle(GameFile, "game", "a game file")


def campaign_battle() -> Battle:
    """The keys of a campaign of any game, in the form of the fields of a battle kind."""
    from simulator.rules.campaign import GAME, Campaign

    return as_battle(Campaign, GAME, "a campaign")


def as_battle(model: type[Fields], game: str = "", title: str = "") -> Battle:
    """A model in the form of a battle kind that answers nothing."""
    return Battle(game=game, kind="file", title=title, model=model, summary=(), build=lambda _: Built())
