"""Fields that a game knows and that change nothing in one of its kinds."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any, ClassVar

from pydantic import BaseModel

from simulator.rules.battle import Fields, Refusal
from simulator.rules.toolkit.naming import text_of


class KnowsIdle(Fields):
    """A scenario whose kind does not read some fields: its schema does not list them.

    Their paths, a list with "[i]": those of `idle` are refused at any value but their default, those of `tolerated` are
    accepted, since they belong to something larger that is typed as it is printed: a leader's values, house rules.
    """

    idle: ClassVar[tuple[str, ...]] = ()
    tolerated: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def model_json_schema(cls, *args: Any, **more: Any) -> dict[str, Any]:
        """The JSON schema without the fields that the kind does not read."""
        schema = super().model_json_schema(*args, **more)
        own: dict[str, dict[str, Any]] = {}
        for path in (*cls.idle, *cls.tolerated):
            *tables, name = path.split(".")
            node = schema
            for place, table in enumerate(tables):
                here = ".".join(tables[: place + 1])
                if here not in own:
                    own[here] = _own_table(node["properties"], table, schema)
                node = own[here]
                _forget(node.get("default"), *tables[place + 1 :], name)
            del node["properties"][name]
        return schema


def of_table(table: str, *names: str) -> tuple[str, ...]:
    """The paths of these fields of a table."""
    return within(table, names)


def within(table: str, paths: Iterable[str]) -> tuple[str, ...]:
    """These paths below a table."""
    return tuple(f"{table}.{path}" for path in paths)


def _forget(default: Any, *path: str) -> None:
    """Take a field out of a default value, where that has it."""
    *tables, name = path
    for table in tables:
        default = default.get(table) if isinstance(default, dict) else None
    if isinstance(default, dict):
        default.pop(name, None)


def _own_table(tables: dict[str, Any], name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a table, or of the tables of a list ("[i]"), which it does not share with others any more."""
    plain = name.removesuffix("[i]")
    found = tables[plain] = deepcopy(tables[plain])
    if plain != name:
        found = next(one for one in _branches(found) if "items" in one)["items"]
    node = next((one for one in _branches(found) if "$ref" in one), None)
    if node is not None:
        definition = schema["$defs"][node.pop("$ref").rpartition("/")[2]]
        node.update(deepcopy(definition) | node)
    return next(one for one in _branches(found) if "properties" in one)


def _branches(node: dict[str, Any]) -> list[dict[str, Any]]:
    """A schema, and those of which it takes any."""
    return [node, *node.get("anyOf", ())]


def refuse_idle(fields: KnowsIdle, where: str) -> None:
    """Refuse the first idle field that is not at its default; `where` it changes nothing. Raises Refusal."""
    for path in type(fields).idle:
        *tables, name = path.split(".")
        node: Any = fields
        for table in tables:
            node = getattr(node, table)
        if not isinstance(node, BaseModel):
            continue
        given = getattr(node, name)
        if given != type(node).model_fields[name].get_default(call_default_factory=True):
            shown = "" if isinstance(given, BaseModel) else f"{text_of(given)} "
            raise Refusal(path, f"{shown}is not allowed in {where}; it changes nothing there")
