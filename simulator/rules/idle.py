"""Fields that a game knows and that change nothing in one of its kinds."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, ClassVar

from pydantic import BaseModel

from simulator.rules.battle import Fields, Refusal


class KnowsIdle(Fields):
    """A scenario whose kind does not read the fields at the paths of `idle`: its schema does not list them."""

    idle: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def model_json_schema(cls, *args: Any, **more: Any) -> dict[str, Any]:
        """The JSON schema without the idle fields."""
        schema = super().model_json_schema(*args, **more)
        for path in cls.idle:
            *tables, name = path.split(".")
            node = schema
            for place, table in enumerate(tables):
                node = _own_table(node["properties"], table, schema)
                _forget(node.get("default"), *tables[place + 1 :], name)
            del node["properties"][name]
        return schema


def of_table(table: str, *names: str) -> tuple[str, ...]:
    """The paths of these fields of a table."""
    return tuple(f"{table}.{name}" for name in names)


def _forget(default: Any, *path: str) -> None:
    """Take a field out of a default value, where that has it."""
    *tables, name = path
    for table in tables:
        default = default.get(table) if isinstance(default, dict) else None
    if isinstance(default, dict):
        default.pop(name, None)


def _own_table(tables: dict[str, Any], name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a table, which it does not share with others any more."""
    found = tables[name] = deepcopy(tables[name])
    node = next((one for one in (found, *found.get("anyOf", ())) if "$ref" in one), None)
    if node is not None:
        definition = schema["$defs"][node.pop("$ref").rpartition("/")[2]]
        node.update(deepcopy(definition) | node)
    branches: list[dict[str, Any]] = [found, *found.get("anyOf", ())]
    return next(one for one in branches if "properties" in one)


def refuse_idle(fields: KnowsIdle, where: str) -> None:
    """Refuse the first idle field that a scenario gives; `where` it changes nothing. Raises Refusal."""
    for path in type(fields).idle:
        *tables, name = path.split(".")
        node: Any = fields
        for table in tables:
            node = getattr(node, table)
        if isinstance(node, BaseModel) and name in node.model_fields_set:
            raise Refusal(path, f"is not allowed in {where}; it changes nothing there")
