"""The description of the API: an OpenAPI 3.1 document made from the tools and the schemas, and a page of it."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlencode

from simulator import __version__
from simulator.scenarios import kinds_of
from simulator.scenarios.schema import scenario_schema
from simulator.web import catalogue
from simulator.web.messages import JSON, Job, Limits, Reply, as_json
from simulator.web.views.api import TOOLS, Param, Tool
from simulator.web.views.render import render

Document = dict[str, Any]
BASE = "/api/v1"
EXAMPLE = {"game": "risk", "battle": "land", "attacker": {"regiments": 20}, "defender": {"regiments": 15}}
EXAMPLE_QUERY = "game=risk&battle=land&attacker.regiments=20&defender.regiments=15"
ERROR = {
    "description": "one line, and the field that it names",
    "content": {
        "application/json": {
            "schema": {"$ref": "#/components/schemas/error"},
            "example": {
                "error": "attacker.regiments: -3 is not allowed; give a whole number from 1 to 1000",
                "field": "attacker.regiments",
            },
        }
    },
}
ERRORS = {
    "400": "the body is not UTF-8, JSON or TOML", "404": "no such page",
    "413": "more than 64 KB", "414": "more than 64 KB",
    "422": "a scenario or option that is not allowed, or a battle too large for the seconds of this server",
    "503": "busy; try again after the seconds of Retry-After",
}  # fmt: skip


def document(job: Job, limits: Limits) -> Reply:
    """The OpenAPI document."""
    return as_json(openapi())


def page(job: Job, limits: Limits) -> Reply:
    """The page that shows the document."""
    calls = [
        {
            "name": name,
            "path": f"{BASE}/{name}",
            "tool": tool,
            "address": _get(name, tool),
            "body": json.dumps(_body(name, tool)),
        }
        for name, tool in TOOLS.items()
    ]
    return Reply(render("docs.html", host=job.host, calls=calls, base=BASE, errors=ERRORS))


def _get(name: str, tool: Tool) -> str:
    """The address of an example that needs no body; empty for a tool that needs one."""
    if name == "compare":
        return ""
    pairs = [
        (f"with.{key}", one)
        for key, value in tool.example.items()
        for one in (value if isinstance(value, list) else [value])
    ]
    return f"{BASE}/{name}?{EXAMPLE_QUERY}&{urlencode(pairs, quote_via=quote)}".rstrip("&")


def _body(name: str, tool: Tool) -> Document:
    """The body of an example."""
    if name == "compare":
        return {"scenarios": [EXAMPLE, EXAMPLE | {"attacker": {"regiments": 22}}]}
    return {"scenario": EXAMPLE} | dict(tool.example)


@lru_cache(maxsize=1)
def openapi() -> Document:
    """The whole document as plain values; the schemas are those of `battle-odds schema GAME BATTLE --json`."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "battle-odds", "version": __version__, "license": {"name": "MIT", "identifier": "MIT"},
            "description": "Exact and simulated odds of board wargames. Every chance says how it was obtained.",
        },
        "servers": [{"url": "/"}],
        "paths": {f"{BASE}/{name}": _operations(name, tool) for name, tool in TOOLS.items()} | _lists(),
        "components": {"schemas": _schemas()},
    }  # fmt: skip


def _operations(name: str, tool: Tool) -> Document:
    """GET (but for what needs a body) and POST of a tool."""
    replies = {"200": _reply(f"the answer, in the shape of `battle-odds {name} --json`"), **_errors()}
    body = {
        "required": True,
        "content": {"application/json": {"schema": _body_schema(name, tool), "example": _body(name, tool)}},
    }
    post = {"operationId": f"{name}_of_body", "summary": tool.summary, "requestBody": body, "responses": replies}
    if name == "compare":
        return {"post": post}
    battle = [
        {
            "name": part,
            "in": "query",
            "required": True,
            "schema": {"type": "string"},
            "example": EXAMPLE[part],
            "description": meaning,
        }
        for part, meaning in (("game", f"a game, see {BASE}/games"), ("battle", "one of its battle kinds"))
    ]
    fields = {
        "name": "fields", "in": "query", "style": "form", "explode": True,
        "schema": {"type": "object", "additionalProperties": {"type": "string"}},
        "description": "the fields of the scenario: attacker.regiments=20, conditions.crossings.0.fleets=2",
        "example": {"attacker.regiments": "20", "defender.regiments": "15"},
    }  # fmt: skip
    options = [
        {
            "name": f"with.{param.name}",
            "in": "query",
            "required": param.needed,
            "schema": _schema(param),
            "description": param.meaning,
        }
        | ({"example": tool.example[param.name]} if param.name in tool.example else {})
        for param in tool.params
    ]
    get = {"operationId": f"{name}_of_query", "summary": tool.summary, "parameters": [*battle, fields, *options]}
    return {"get": get | {"responses": replies}, "post": post}


def _body_schema(name: str, tool: Tool) -> Document:
    scenario: Document = {"$ref": "#/components/schemas/scenario"}
    options = {param.name: _schema(param) | {"description": param.meaning} for param in tool.params}
    needed = [param.name for param in tool.params if param.needed]
    if name == "compare":
        asked: Document = {"scenarios": {"type": "array", "minItems": 2, "maxItems": 6, "items": scenario}}
    else:
        asked = {"scenario": scenario}
    return {
        "type": "object",
        "properties": asked | options,
        "required": [*asked, *needed],
        "additionalProperties": False,
    }


def _schema(param: Param) -> Document:
    one = {"type": param.type} | ({"minimum": 0} if param.type == "integer" else {})
    return {"oneOf": [one, {"type": "array", "items": one, "minItems": 1}]} if param.many else one


def _lists() -> Document:
    """The addresses of games, schemas, names, and of this document."""

    def names(*given: str) -> list[Document]:
        return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in given]

    words = {
        "name": "q",
        "in": "query",
        "schema": {"type": "string"},
        "description": "words that the rows must contain",
    }
    found = {
        "games": ("The games and their battle kinds, with their rules versions and the addresses of examples.", []),
        "schema/{game}/{battle}": ("The JSON schema of a battle kind's scenarios.", names("game", "battle")),
        "names/{game}/{list}": ("The names that fields take; at most 20 rows.", [*names("game", "list"), words]),
        "openapi.json": ("This document.", []),
    }  # fmt: skip
    return {
        f"{BASE}/{path}": {
            "get": {
                "operationId": path.partition("/")[0].partition(".")[0], "summary": text, "parameters": parameters,
                "responses": {"200": _reply("as described"), **_errors()},
            }
        }
        for path, (text, parameters) in found.items()
    }  # fmt: skip


def _reply(text: str) -> Document:
    return {"description": text, "content": {JSON: {"schema": {}}}}


def _errors() -> Document:
    return {status: ERROR | {"description": text} for status, text in ERRORS.items()}


def _schemas() -> Document:
    """The schema of each battle kind, of any scenario, and of an error."""
    kinds: Document = {}
    for one in catalogue.games():
        game, kind = one["game"], one["battle"]
        schema = scenario_schema(kinds_of(game)[kind])
        kinds[f"{game}.{kind}"] = _within(schema, f"#/components/schemas/{game}.{kind}/$defs/")
    any_kind = [{"$ref": f"#/components/schemas/{name}"} for name in kinds]
    error = {
        "type": "object", "required": ["error", "field"],
        "properties": {"error": {"type": "string"}, "field": {"type": ["string", "null"]}},
    }  # fmt: skip
    return kinds | {"scenario": {"anyOf": any_kind}, "error": error}


def _within(node: Any, place: str) -> Any:
    """A schema whose references to its own definitions point at `place`."""
    if isinstance(node, dict):
        return {
            key: place + value.rpartition("/")[2] if key == "$ref" and isinstance(value, str) else _within(value, place)
            for key, value in node.items()
        }
    return [_within(one, place) for one in node] if isinstance(node, list) else node
