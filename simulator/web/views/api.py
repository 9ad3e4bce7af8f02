"""The JSON API, version 1: one table of tools, whose answers have the shapes of the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.analysis.odds.answer import answer
from simulator.analysis.odds.run import Interrupted, Method
from simulator.cli import reading
from simulator.scenarios import ScenarioError, find_battle
from simulator.scenarios.schema import scenario_schema
from simulator.scenarios.validation import not_one_of
from simulator.web import catalogue
from simulator.web.messages import Job, Limits, Reply, as_json
from simulator.web.views.answers import odds_in_time
from simulator.web.views.request import ApiRequest
from simulator.web.views.tools import complete, fought, sweep_in_time

MOST_COMPARED = 6


@dataclass(frozen=True)
class Param:
    """An option of a tool: its name, its JSON type, a meaning; `many`: it may be given several times."""

    name: str
    type: str
    meaning: str
    many: bool = False
    needed: bool = False


@dataclass(frozen=True)
class Tool:
    """A question to the API: one line about it, its options, the function that answers it, an example's options."""

    summary: str
    params: tuple[Param, ...]
    ask: Callable[[ApiRequest, Limits], dict[str, Any]]
    example: Mapping[str, Any]

    def refuse_unknown(self, names: Sequence[str]) -> None:
        """Raise ScenarioError for an option that this tool does not have."""
        known = [param.name for param in self.params]
        for name in names:
            if name not in known:
                raise ScenarioError(
                    f"{name[:60]}: unknown option; {not_one_of(name, known)}"
                    if known
                    else f"{name[:60]}: no option is known"
                )


def ask(job: Job, limits: Limits) -> Reply:
    """The answer of a tool."""
    name = job.names["tool"]
    if name not in TOOLS:
        raise ScenarioError(f"tool: {not_one_of(name, list(TOOLS))}")
    request = ApiRequest(job)
    TOOLS[name].refuse_unknown(request.options.names())
    return as_json(TOOLS[name].ask(request, limits))


def _odds(request: ApiRequest, limits: Limits) -> dict[str, Any]:
    draft, options = request.draft, request.options
    battles, seed = options.whole("battles"), options.whole("seed")
    if battles is None and seed is None:
        result, scenario, _ = odds_in_time(draft, limits)
    else:
        scenario = draft.checked()
        try:
            result = answer(scenario, Method(exact=False, battles=battles, seed=seed or 0, threads=1))
        except Interrupted as interrupted:
            result = interrupted.gathered
    explanation = list(scenario.built.explain()) if scenario else []
    return result.to_dict(table=options.text("table") != "0") | {"explanation": explanation}


def _sweep(request: ApiRequest, limits: Limits) -> dict[str, Any]:
    options = request.options
    result, whole = sweep_in_time(request.draft, options.many("vary"), options.many("value") or None, _dice(request))
    about = {"value": result.value, "values": list(result.asked), "seed": result.seed, "how": result.how()}
    return about | {"complete": whole, "cells": result.rows()}


def _compare(request: ApiRequest, limits: Limits) -> dict[str, Any]:
    from simulator.analysis.studies.compare import compare

    given = request.given.get("scenarios")
    if not isinstance(given, list) or not 2 <= len(given) <= MOST_COMPARED:
        raise ScenarioError(f"scenarios: give a list of 2 to {MOST_COMPARED} scenarios in the body")
    names = [chr(ord("A") + place) for place in range(len(given))]
    drafts = {name: request.draft_of(one, "scenarios") for name, one in zip(names, given, strict=True)}
    value = request.options.many("value") or None
    return _whole(lambda: compare(drafts, value, **_dice(request), threads=1))


def _need(request: ApiRequest, limits: Limits) -> dict[str, Any]:
    from simulator.analysis.decisions.need import need

    options = request.options
    vary, value = reading.read_vary(options.many("vary"), bare=True), options.text("value") or None
    if not vary:
        raise ScenarioError("vary: name a field to raise")
    target = reading.read_target(options.text("target") or None, value)
    prices = reading.read_prices(options.many("cost"))
    more: dict[str, Any] = {} if options.whole("most") is None else {"most": options.whole("most")}
    if options.text("budget"):
        more["budget"] = reading.read_number(options.text("budget"), "budget")
    return _whole(lambda: need(request.draft, vary, target, value, cost=prices, threads=1, **more))


def _best(request: ApiRequest, limits: Limits) -> dict[str, Any]:
    from simulator.analysis.decisions.best import best

    return _whole(lambda: best(request.draft, request.options.many("decide") or None))


def _rounds(request: ApiRequest, limits: Limits) -> dict[str, Any]:
    from simulator.analysis.history.rounds import rounds

    return _whole(lambda: rounds(request.draft, request.options.whole("most"), **_dice(request)))


def _sensitivity(request: ApiRequest, limits: Limits) -> dict[str, Any]:
    from simulator.analysis.studies.sensitivity import sensitivity

    value, fields = request.options.text("value") or None, request.options.many("fields") or None
    return _whole(lambda: sensitivity(request.draft, value, fields, **_dice(request), threads=1))


def _worth(request: ApiRequest, limits: Limits) -> dict[str, Any]:
    from simulator.analysis.decisions.worth import worth

    options = request.options
    weights, level = (
        reading.read_weights(options.many("weight")),
        reading.read_share(options.text("level", "5%"), "level"),
    )
    lose = [reading.read_number(text, "lose") for text in options.many("lose")]
    method = Method(threads=1, **_dice(request)) if _dice(request).get("battles") else Method(threads=1)
    side = options.text("side", "attacker")
    return _whole(lambda: worth(request.draft, weights, level, lose, side, method=method))


def _replay(request: ApiRequest, limits: Limits) -> dict[str, Any]:
    from simulator.analysis.history.replay import replay

    return replay(request.draft, request.options.whole("seed") or 0, request.options.whole("battle") or 0).to_dict()


def _luck(request: ApiRequest, limits: Limits) -> dict[str, Any]:
    from simulator.analysis.history.luck import luck

    given, side = request.given.get("log", request.options.text("log")), request.options.text("side", "attacker")
    battles = [one | {"side": side} for one in fought(given, request.draft)]
    weights = reading.read_weights(request.options.many("weight"))
    return _whole(lambda: luck(battles, weights, method=Method(threads=1, precision=0.002)))


def _whole(analysis: Callable[[], Any]) -> dict[str, Any]:
    """The answer of an analysis, and whether it is complete."""
    result, whole = complete(analysis)
    found: dict[str, Any] = result.to_dict()
    return found | {"complete": whole}


def _dice(request: ApiRequest) -> dict[str, Any]:
    """The number of battles and the seed, where given."""
    return {name: value for name in ("battles", "seed") if (value := request.options.whole(name)) is not None}


_BATTLES = Param("battles", "integer", "simulate so many battles instead of computing exact odds")
_SEED = Param("seed", "integer", "the seed of the simulation, 0 if not given")
_DICE = (_BATTLES, _SEED)
_VALUE = Param("value", "string", "the value asked: p_attacker, mean.COLUMN, std.COLUMN, q90.COLUMN, or a question")
_VALUES = Param("value", "string", _VALUE.meaning, many=True)
_VARY = Param(
    "vary", "string", "a field and its values: attacker.regiments=1:30, 0:20:5, a,b,c", many=True, needed=True
)
_WEIGHT = Param("weight", "string", "a weight: NAME=NUMBER, with NAME win or an outcome column", many=True)
_SIDE = Param("side", "string", "attacker (if not given) or defender")

TOOLS = {
    "odds": Tool(
        "The odds of a battle: exact if they can be computed within the seconds of this server, else simulated.",
        (*_DICE, Param("table", "integer", "0 leaves out the table of all outcomes")), _odds, {"table": 0},
    ),
    "sweep": Tool(
        "A grid of answers over one or several fields.", (_VARY, _VALUES, *_DICE), _sweep,
        {"vary": "attacker.regiments=1:30"},
    ),
    "compare": Tool(
        f"2 to {MOST_COMPARED} scenarios beside each other, with differences to the first.", (_VALUES, *_DICE),
        _compare, {},
    ),
    "need": Tool(
        "How much is enough: the smallest setting of a field, or the cheapest of several, that reaches a value.",
        (
            Param("vary", "string", "a field to raise, with its values or without", many=True, needed=True),
            Param("target", "string", "the value to reach: 80% or 0.8 (if not given), or a number"), _VALUE,
            Param("cost", "string", "a price: PATH=NUMBER, or the name of a price list", many=True),
            Param("budget", "number", "the most that may be spent"),
            Param("most", "integer", "the largest setting that is tried"),
        ),
        _need, {"vary": "attacker.regiments", "target": "80%"},
    ),
    "best": Tool(
        "The best play: when to stop, the value of that, and how far fixed policies fall short.",
        (Param("decide", "string", "a policy to decide, such as policy.attacker.retreat", many=True),), _best,
        {"decide": "policy.attacker.retreat"},
    ),
    "rounds": Tool(
        "The battle after each round: over or not, winner, losses so far.",
        (Param("most", "integer", "rounds to follow"), *_DICE), _rounds, {"most": 5},
    ),
    "sensitivity": Tool(
        "How much each field moves the odds, one step alone.",
        (_VALUE, Param("fields", "string", "a field, or a table like attacker", many=True), *_DICE), _sensitivity,
        {"fields": "attacker"},
    ),
    "worth": Tool(
        "The value of a battle by weights, and how bad it can get (value at risk, expected shortfall).",
        (
            _WEIGHT, Param("level", "string", "the share of the worst cases: 5% if not given"),
            Param("lose", "number", "the chance of a value of at most -NUMBER", many=True), _SIDE, *_DICE,
        ),
        _worth, {"weight": ["win=10", "attacker_regiments_lost=-1"]},
    ),
    "replay": Tool(
        "One simulated battle, roll by roll.", (_SEED, Param("battle", "integer", "the number of the battle, from 0")),
        _replay, {"seed": 7},
    ),
    "luck": Tool(
        "Battles that were fought against what was to be expected.",
        (Param("log", "string", "a winner a line, or CSV with a heading", needed=True), _WEIGHT, _SIDE), _luck,
        {"log": "defender\ndefender"},
    ),
}  # fmt: skip


def schema(job: Job, limits: Limits) -> Reply:
    """The JSON schema of a battle kind."""
    return as_json(scenario_schema(find_battle(job.names["game"], job.names["battle"], paths=False)))


def games(job: Job, limits: Limits) -> Reply:
    """All games and battle kinds."""
    return as_json(catalogue.games())


def names(job: Job, limits: Limits) -> Reply:
    """The names that fields take."""
    query = next((value for key, value in job.pairs if key == "q"), "")
    return as_json(catalogue.names(job.names["game"], job.names["list"], query[:100]))
