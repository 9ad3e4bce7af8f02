"""JSON schemas in which a part that stands in several places is written once, as a component of the document."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

Schema = dict[str, Any]
COMPONENTS = "#/components/schemas/"
# Shorter parts stay where they are: a reference to them would be as long.
LEAST = 100
# The keys of a schema that hold schemas by name, in a list, or one.
NAMED, LISTED, SINGLE = ("properties", "patternProperties"), ("anyOf", "allOf", "oneOf", "prefixItems"), (
    "items", "additionalProperties",
)  # fmt: skip


def components(schemas: Mapping[str, Schema]) -> dict[str, Schema]:
    """The schemas by name, each with the models of its own `$defs`, and the parts that several of them share.

    A model must not contain itself.
    """
    whole = {name: _inlined(schema, schema.get("$defs", {})) for name, schema in schemas.items()}
    places: Counter[str] = Counter()
    for schema in whole.values():
        _count(schema, places)
    parts = _Parts(places)
    return {name: parts.of(schema) for name, schema in whole.items()} | parts.components


def _children(schema: Schema) -> Iterator[tuple[str, Any, Schema]]:
    """The parts of a schema that are schemas, with their places: a key, and a name or number below it (or None)."""
    for key, value in schema.items():
        if key in NAMED:
            yield from ((key, name, one) for name, one in value.items())
        elif key in LISTED:
            yield from ((key, place, one) for place, one in enumerate(value))
        elif key in SINGLE and isinstance(value, dict):
            yield key, None, value


def _with_children(schema: Schema, change: Any) -> Schema:
    """The schema with each of its parts changed."""
    found = {key: value.copy() if key in NAMED + LISTED else value for key, value in schema.items()}
    for key, place, one in _children(schema):
        if place is None:
            found[key] = change(one)
        else:
            found[key][place] = change(one)
    return found


def _inlined(schema: Schema, models: Mapping[str, Schema]) -> Schema:
    """The schema with each reference to a model replaced by that model; what stands beside the reference counts."""
    own = {key: value for key, value in schema.items() if key not in {"$defs", "$ref"}}
    if "$ref" in schema:
        own = models[schema["$ref"].rpartition("/")[2]] | own
    return _with_children(own, lambda one: _inlined(one, models))


def _text(schema: Schema) -> str:
    return json.dumps(schema, sort_keys=True)


def _count(schema: Schema, places: Counter[str]) -> None:
    """Count in how many places each part stands; the places in a part that stands in several count once."""
    for _, _, one in _children(schema):
        places[text := _text(one)] += 1
        if places[text] == 1:
            _count(one, places)


class _Parts:
    """Writes schemas with references to the parts that stand in several places, and gathers these parts."""

    def __init__(self, places: Counter[str]) -> None:
        self._places = places
        self._names: dict[str, str] = {}
        self.components: dict[str, Schema] = {}

    def of(self, schema: Schema) -> Schema:
        """The schema with references, and without titles, which only repeat the names of fields."""
        return _with_children({key: value for key, value in schema.items() if key != "title"}, self._reference)

    def _reference(self, schema: Schema) -> Schema:
        text = _text(schema)
        if self._places[text] < 2 or len(text) < LEAST:
            return self.of(schema)
        if text not in self._names:
            self._names[text] = self._name(schema)
            self.components[self._names[text]] = self.of(schema)
        return {"$ref": COMPONENTS + self._names[text]}

    def _name(self, schema: Schema) -> str:
        """A new name of a part: its title, and a number where several have it."""
        name = "part." + re.sub(r"\W+", "", str(schema.get("title", "")))
        taken = sum(one.rpartition("-")[0] == name for one in self._names.values())
        return f"{name}-{taken + 1}"
