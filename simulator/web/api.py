"""The JSON answers, in the shapes of the command line."""

from __future__ import annotations

from typing import Any

from simulator import rules
from simulator.analysis.odds.answer import answer
from simulator.analysis.odds.run import Interrupted, Method
from simulator.scenarios import Draft, ScenarioError, find_battle, parse
from simulator.scenarios.schema import schema_of
from simulator.web import catalogue, views
from simulator.web import url_codec as address
from simulator.web.messages import Asked, Limits, Malformed, Reply, as_json
from simulator.web.render import render


def draft_of(asked: Asked) -> tuple[Draft, dict[str, list[str]]]:
    """The scenario of a request, posted as JSON or TOML or spelled in the query, and the tools' fields."""
    pairs, tools, _ = address.split(asked.pairs)
    if asked.body:
        if pairs:
            raise ScenarioError(f"{pairs[0][0][:60]}: give the scenario in the body or in the query, not in both")
        try:
            return Draft(parse(asked.body, "the body"), paths=False), tools
        except ScenarioError as error:
            raise Malformed(str(error)) from None
    frame = {key: value for key, value in pairs if key in address.FRAME}
    house_rules = address.house_rules(pairs) if frame.get("game") not in rules.GAMES else None
    battle = find_battle(frame.get("game"), frame.get("battle"), house_rules, paths=False)
    rest = [(key, value) for key, value in pairs if key not in address.FRAME]
    return Draft(frame | address.read(rest, battle), paths=False), tools


def _whole(tools: dict[str, list[str]], name: str) -> int | None:
    """A whole number of the tools' fields. Raises ScenarioError."""
    given = tools.get(name)
    if not given:
        return None
    if not given[-1].isdecimal() or len(given[-1]) > 20:
        raise ScenarioError(f"with.{name}: {given[-1][:40]!r} is not allowed; give a whole number")
    return int(given[-1])


def odds(asked: Asked, limits: Limits) -> Reply:
    """The odds of a scenario."""
    draft, tools = draft_of(asked)
    battles, seed = _whole(tools, "battles"), _whole(tools, "seed")
    if battles is None and seed is None:
        found, scenario, _ = views.answered(draft, limits)
    else:
        scenario = draft.checked()
        method = Method(exact=False, battles=battles, seed=seed or 0, threads=1)
        try:
            found = answer(scenario, method)
        except Interrupted as cut:
            found = cut.gathered
    table = tools.get("table", ["1"])[-1] != "0"
    explained = list(scenario.built.explain()) if scenario else []
    return as_json(found.to_dict(table=table) | {"explanation": explained})


def sweep(asked: Asked, limits: Limits) -> Reply:
    """A grid of answers."""
    from simulator.web.tools import swept

    draft, tools = draft_of(asked)
    found, complete = swept(draft, tools.get("vary", []), tools.get("value") or None)
    told = {"value": found.value, "values": list(found.asked), "seed": found.seed, "how": found.how()}
    return as_json(told | {"complete": complete, "cells": found.rows()})


def schema(asked: Asked, limits: Limits) -> Reply:
    """The JSON schema of a battle kind."""
    return as_json(schema_of(find_battle(asked.names["game"], asked.names["battle"], paths=False).model))


def games(asked: Asked, limits: Limits) -> Reply:
    """What there is."""
    return as_json(catalogue.games())


def names(asked: Asked, limits: Limits) -> Reply:
    """What fields take by name."""
    query = next((value for key, value in asked.pairs if key == "q"), "")
    return as_json(catalogue.names(asked.names["game"], asked.names["list"], query[:100]))


def docs(asked: Asked, limits: Limits) -> Reply:
    """The API told, with examples."""
    return Reply(render("docs.html", endpoints=endpoints(asked.host)))


def endpoints(host: str) -> list[dict[str, Any]]:
    """What the API offers, with examples that work as they stand."""
    asked = "game=risk&battle=land&attacker.regiments=20&defender.regiments=15"
    body = '{"game": "risk", "battle": "land", "attacker": {"regiments": 20}, "defender": {"regiments": 15}}'
    post = f"curl {host}/api/odds -d '{body}'"
    return [
        {
            "methods": "GET, POST",
            "path": "/api/odds",
            "text": "The odds of a battle, exact where that fits into the seconds of this server, else simulated.",
            "fields": [
                ("with.battles", "simulate so many battles"),
                ("with.seed", "the seed of the simulation"),
                ("with.table", "0 leaves out the table of all outcomes"),
            ],
            "examples": [f"curl '{host}/api/odds?{asked}'", post],
            "link": f"/api/odds?{asked}&with.table=0",
        },
        {
            "methods": "GET, POST",
            "path": "/api/sweep",
            "text": "A grid of answers over one or several fields.",
            "fields": [
                ("with.vary", "a field and its values: attacker.regiments=1:30, 0:20:5, a,b,c; may be given again"),
                ("with.value", "what is asked: p_attacker, mean.COLUMN, std.COLUMN, q90.COLUMN or a question"),
            ],
            "examples": [f"curl '{host}/api/sweep?{asked}&with.vary=attacker.regiments%3D1:30'"],
            "link": f"/api/sweep?{asked}&with.vary=attacker.regiments%3D1:30",
        },
        {
            "methods": "GET",
            "path": "/api/schema/{game}/{battle}",
            "text": "The JSON schema of a battle kind's scenarios: fields, ranges, defaults, meanings.",
            "fields": [],
            "examples": [f"curl {host}/api/schema/risk/land"],
            "link": "/api/schema/risk/land",
        },
        {
            "methods": "GET",
            "path": "/api/games",
            "text": "The games and their battle kinds, with their rules versions and the addresses of examples.",
            "fields": [],
            "examples": [f"curl {host}/api/games"],
            "link": "/api/games",
        },
        {
            "methods": "GET",
            "path": "/api/names/{game}/{list}",
            "text": "What fields take by name: leaders, countries, units; at most 20 rows.",
            "fields": [("q", "words that the rows must hold")],
            "examples": [f"curl '{host}/api/names/europa/leaders?q=gustav'"],
            "link": "/api/names/europa/leaders?q=gustav",
        },
    ]
