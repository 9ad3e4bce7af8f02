"""The description of the API: an OpenAPI 3.1 document made from the tools and the schemas, and a page of it."""

from __future__ import annotations

import json
import re
import tomllib
from functools import lru_cache
from importlib import resources
from typing import Any
from urllib.parse import quote, urlencode

from pydantic.json_schema import models_json_schema

from simulator import __version__
from simulator.rules import PLAN
from simulator.scenarios import kinds_of
from simulator.scenarios.schema import OBJECTIVE, VARIANTS
from simulator.web import catalogue, links
from simulator.web.messages import JSON, Job, Limits, Reply, as_json
from simulator.web.plans.request import model_in
from simulator.web.views.api import MOST_COMPARED, TOOLS, Param, Tool
from simulator.web.views.render import render
from simulator.web.views.request import TEXT as TEXT_LINE

Document = dict[str, Any]
BASE = "/api/v1"
SCHEMAS = "#/components/schemas/"
EXAMPLE = {"game": "risk", "battle": "land", "attacker": {"regiments": 20}, "defender": {"regiments": 15}}
EXAMPLE_FIELDS = {"attacker.regiments": "20", "defender.regiments": "15"}
PLANNED = {
    "game": "plan", "of": "risk", "every": {"battle": "land"}, "place": {"north": {"regiments": 9}},
    "target": {"ural": {"worth": 3, "defender": {"regiments": 4}}, "siam": {"worth": 2, "defender": {"regiments": 3}}},
}  # fmt: skip
EXAMPLE_QUERY = "game=risk&battle=land&attacker.regiments=20&defender.regiments=15"
TEXT = {"type": "string"}
WRONG = {
    "error": "attacker.regiments: -3 is not allowed; give a whole number from 1 to 1000",
    "field": "attacker.regiments",
}
ERROR = {"content": {JSON: {"schema": {"$ref": SCHEMAS + "error"}, "example": WRONG}}}
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
    calls = []
    for name, tool in TOOLS.items():
        options = {f"with.{key}": value for key, value in tool.example.items()}
        asked = (
            f"game={PLAN}&{links.query(links.written(PLANNED, model_in(PLANNED)))}" if name == PLAN else EXAMPLE_QUERY
        )
        query = f"{asked}&{urlencode(options, doseq=True, quote_via=quote)}".rstrip("&")
        address = f"{BASE}/{name}?{query}" if name != "compare" else ""  # compare needs a body
        body = json.dumps(_body(name, tool))
        calls.append({"name": name, "path": f"{BASE}/{name}", "tool": tool, "address": address, "body": body})
    return Reply(render("docs.html", host=job.host, calls=calls, base=BASE, errors=ERRORS))


def _body(name: str, tool: Tool) -> Document:
    """The body of an example."""
    if name == "plan":
        return {"scenario": PLANNED} | dict(tool.example)
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
        "components": {
            "schemas": _schemas(),
            "responses": {status: ERROR | {"description": meaning} for status, meaning in ERRORS.items()},
        },
    }  # fmt: skip


def _operations(name: str, tool: Tool) -> Document:
    """GET (but for what needs a body) and POST of a tool."""
    replies = _replies(f"the answer, in the shape of `battle-odds {name} --json`", {"$ref": SCHEMAS + name})
    content = {JSON: {"schema": _body_schema(name, tool), "example": _body(name, tool)}}
    body = {"required": True, "content": content}
    post = {"operationId": f"{name}_of_body", "summary": tool.summary, "requestBody": body, "responses": replies}
    if name == "compare":
        return {"post": post}
    if name == PLAN:
        framed = [
            _query("game", TEXT, PLAN, required=True, example=PLAN),
            _query("of", TEXT, "the game of every attack", required=True, example=PLANNED["of"]),
        ]
    else:
        framed = [
            _query("game", TEXT, f"a game, see {BASE}/games", required=True, example=EXAMPLE["game"]),
            _query("battle", TEXT, "one of its battle kinds", required=True, example=EXAMPLE["battle"]),
            _query(TEXT_LINE, TEXT, "both armies in one line, 6 inf 3 tank v 7 inf 1 tank; in place of their fields"),
        ]
    fields = dict(links.written(PLANNED, model_in(PLANNED))) if name == PLAN else EXAMPLE_FIELDS
    parameters = [
        *framed,
        _query(
            "fields",
            {"type": "object", "additionalProperties": TEXT},
            "the fields of the scenario: attacker.regiments=20, conditions.crossings.0.fleets=2",
            style="form",
            explode=True,
            example={key: value for key, value in fields.items() if key != "of"},
        ),
    ]
    for param in tool.params:
        example = {"example": tool.example[param.name]} if param.name in tool.example else {}
        parameters.append(_query(f"with.{param.name}", _schema(param), param.meaning, required=param.needed, **example))
    get = {"operationId": f"{name}_of_query", "summary": tool.summary, "parameters": parameters}
    return {"get": get | {"responses": replies}, "post": post}


def _query(name: str, schema: Document, meaning: str, **more: Any) -> Document:
    """A parameter in the query."""
    return {"name": name, "in": "query", "schema": schema, "description": meaning, **more}


def _body_schema(name: str, tool: Tool) -> Document:
    scenario: Document = {"$ref": SCHEMAS + "scenario"}
    if name == PLAN:
        scenario = {"type": ["object", "string"], "description": "a plan, or the name of a shipped one"}
    if name == "compare":
        asked: Document = {"scenarios": {"type": "array", "minItems": 2, "maxItems": MOST_COMPARED, "items": scenario}}
    else:
        asked = {"scenario": scenario}
    options = {param.name: _schema(param) | {"description": param.meaning} for param in tool.params}
    needed = [*asked, *(param.name for param in tool.params if param.needed)]
    return {"type": "object", "properties": asked | options, "required": needed, "additionalProperties": False}


def _schema(param: Param) -> Document:
    one = {"type": param.type} | ({"minimum": 0} if param.type == "integer" else {})
    return {"oneOf": [one, {"type": "array", "items": one, "minItems": 1}]} if param.many else one


def _lists() -> Document:
    """The addresses of games, schemas, names, and of this document."""
    words = [_query("q", TEXT, "words that the rows must contain")]
    table, rows = {"type": "object"}, {"type": "array", "items": {"type": "object"}}
    found: dict[str, tuple[str, list[Document], Document]] = {
        "games": ("The games and their battle kinds, their rules versions, the addresses of examples.", [], rows),
        "schema/{game}/{battle}": ("The JSON schema of a battle kind's scenarios.", [], table),
        "names/{game}/{list}": ("The names that fields take; at most 20 rows.", words, rows),
        "openapi.json": ("This document.", [], table),
    }
    paths = {}
    for path, (summary, query, schema) in found.items():
        named = [{"name": one, "in": "path", "required": True, "schema": TEXT} for one in re.findall(r"{(\w+)}", path)]
        get = {"operationId": re.split(r"[/.]", path)[0], "summary": summary, "parameters": [*named, *query]}
        paths[f"{BASE}/{path}"] = {"get": get | {"responses": _replies("as described", schema)}}
    return paths | _card()


def _card() -> Document:
    """The address of the picture of an answer."""
    query = [_query(name, TEXT, f"the {name}", required=True, example=EXAMPLE[name]) for name in ("game", "battle")]
    query.append(_query(TEXT_LINE, TEXT, "both armies in one line", example="20 v 15"))
    replies = _replies("the picture, 1200 x 630", {})
    replies["200"]["content"] = {"image/png": {}}
    get = {"operationId": "card", "summary": "The answer as a picture.", "parameters": query, "responses": replies}
    return {f"{BASE}/card.png": {"get": get}}


def _shapes() -> Document:
    """The schemas of the answers, and of the parts that several of them have."""
    tables = tomllib.loads(resources.files("simulator.web").joinpath("replies.toml").read_text("utf-8"))
    common = {"text": "string", "url": "string"}
    shapes = tables["part"] | {name: common | table for name, table in tables["tool"].items()}
    return {name: _shape(table, set(tables["part"])) for name, table in shapes.items()}


def _shape(table: dict[str, str], parts: set[str]) -> Document:
    """A table of names and types as a schema."""

    def schema(kind: str) -> Document:
        if kind.startswith("["):
            return {"type": "array", "items": schema(kind[1:-1])}
        if kind.startswith("{"):
            return {"type": "object", "additionalProperties": schema(kind[1:-1])}
        return {"$ref": SCHEMAS + kind} if kind in parts else {"type": kind.split(" or ")}

    fields = {name.removesuffix("?"): schema(kind) for name, kind in table.items()}
    return {"type": "object", "required": [name for name in table if not name.endswith("?")], "properties": fields}


def _replies(text: str, schema: Document) -> Document:
    """The answer and the errors of an operation."""
    errors = {status: {"$ref": f"#/components/responses/{status}"} for status in ERRORS}
    return {"200": {"description": text, "content": {JSON: {"schema": schema}}}, **errors}


def _schemas() -> Document:
    """The schema of each battle kind, of any scenario, and of an error."""
    games = [(one["game"], one["battle"]) for one in catalogue.games()]
    models = {f"{game}.{kind}": kinds_of(game)[kind].model for game, kind in games}
    # Each model is written once, however many kinds hold it.
    places, found = models_json_schema(
        [(one, "validation") for one in models.values()], ref_template=SCHEMAS + "{model}"
    )
    parts: Document = found["$defs"]
    every = {"objective": OBJECTIVE, "variant": VARIANTS}
    kinds = {name: parts.pop(places[one, "validation"]["$ref"].removeprefix(SCHEMAS)) for name, one in models.items()}
    for schema in kinds.values():
        schema["properties"] |= {name: {"$ref": SCHEMAS + name} for name in every}
    any_kind = [{"$ref": SCHEMAS + name} for name in kinds]
    field = {"type": ["string", "null"]}
    error = {"type": "object", "required": ["error", "field"], "properties": {"error": TEXT, "field": field}}
    return kinds | parts | every | _shapes() | {"scenario": {"anyOf": any_kind}, "error": error}
