"""The JSON API, version 1: a function for each tool, whose answers have the shapes of the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from simulator.analysis.decisions.need_search import MOST_SETTINGS
from simulator.analysis.odds.answer import answer
from simulator.analysis.odds.measure import read_target
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.run import Interrupted
from simulator.scenarios import ScenarioError, find_battle, reading
from simulator.scenarios.schema import scenario_schema
from simulator.scenarios.validation import not_one_of
from simulator.web import catalogue
from simulator.web.messages import BadRequest, Job, Limits, Reply, as_json
from simulator.web.views.answers import odds_in_time
from simulator.web.views.request import ApiRequest, whole_number
from simulator.web.views.tools import complete, fought, sweep_in_time

MOST_COMPARED = 6
READERS: dict[str, Callable[[str, str], Any]] = {
    "integer": whole_number, "number": reading.read_number, "string": lambda text, name: text,
}  # fmt: skip
Answer = dict[str, Any]


@dataclass(frozen=True)
class Param:
    """An option of a tool: its name, its JSON type, a meaning; `many`: it may be given several times."""

    name: str
    type: str
    meaning: str
    many: bool
    needed: bool


@dataclass(frozen=True)
class Tool:
    """A question to the API: one line about it, its options, the function that answers it, an example's options."""

    summary: str
    params: tuple[Param, ...]
    ask: Callable[..., Answer]
    example: Mapping[str, Any]

    def answer(self, request: ApiRequest) -> Answer:
        """The answer to a request. Raises ScenarioError for an option that this tool does not have."""
        known = [param.name for param in self.params]
        for name in request.options.names():
            if name not in known:
                allowed = not_one_of(name, known) if known else "no option is known"
                raise ScenarioError(f"{name[:60]}: unknown option; {allowed}")
        given: dict[str, Any] = {}
        for one in self.params:
            texts = request.options.many(one.name)
            values = [READERS[one.type](text, one.name) for text in texts]
            if values or one.needed:
                given[one.name] = values if one.many else (values or [""])[-1]
        return self.ask(request, **given)


TOOLS: dict[str, Tool] = {}
TYPES = {int: "integer", float: "number", str: "string"}


def tool(**example: Any) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Make a function a tool: its docstring is the summary, its parameters after the request are the options.

    Those without a default are needed; the function refuses an empty one.
    """

    def add(ask: Callable[..., Answer]) -> Callable[..., Answer]:
        hints, params = get_type_hints(ask, include_extras=True), []
        for name, one in [*signature(ask).parameters.items()][1:]:
            hint, meaning = get_args(hints[name])
            kind = (get_args(hint) or (hint,))[0]
            many, needed = get_origin(hint) is Sequence, one.default is Parameter.empty
            params.append(Param(name, TYPES[kind], meaning, many, needed))
        TOOLS[ask.__name__] = Tool(str(ask.__doc__), tuple(params), ask, example)
        return ask

    return add


def ask(job: Job, limits: Limits) -> Reply:
    """The answer of a tool."""
    name = job.names["tool"]
    if name not in TOOLS:
        raise BadRequest(f"tool: {not_one_of(name, list(TOOLS))}", 404)
    request = ApiRequest(job, limits)
    found = TOOLS[name].answer(request)
    headline = found.get("headline", "")
    text = headline["text"] if isinstance(headline, dict) else headline
    return as_json({"text": text, "url": job.host + request.address} | found)


def _whole(analysis: Callable[[], Any]) -> Answer:
    """The answer of an analysis, and whether it is complete."""
    result, whole = complete(analysis)
    found: Answer = result.to_dict()
    return found | {"complete": whole}


Battles = Annotated[int | None, "simulate this many battles instead of computing exact odds"]
Seed = Annotated[int | None, "the seed of the simulation, 0 if not given"]
VALUE = "the value asked: p_attacker, mean.COLUMN, std.COLUMN, q90.COLUMN, or a question"
Value = Annotated[str | None, VALUE]
Values = Annotated[Sequence[str], VALUE]
Weight = Annotated[Sequence[str], "a weight: NAME=NUMBER, with NAME win or an outcome column"]
Side = Annotated[str, "attacker (if not given) or defender"]


@tool(table=0)
def odds(
    request: ApiRequest,
    battles: Battles = None,
    seed: Seed = None,
    table: Annotated[int, "0 leaves out the table of all outcomes"] = 1,
) -> Answer:
    """The odds of a battle: exact if they can be computed within the seconds of this server, else simulated."""
    draft = request.draft
    if battles is None and seed is None:
        result, scenario, _ = odds_in_time(draft, request.limits)
    else:
        scenario = draft.checked()
        try:
            result = answer(scenario, Method(exact=False, battles=battles, seed=seed or 0, threads=1))
        except Interrupted as interrupted:
            result = interrupted.gathered
    explanation = list(scenario.built.explain()) if scenario else []
    return result.to_dict(table=table != 0) | {"explanation": explanation}


@tool(vary="attacker.regiments=1:30")
def sweep(
    request: ApiRequest,
    vary: Annotated[Sequence[str], "a field and its values: attacker.regiments=1:30, 0:20:5, a,b,c"],
    value: Values = (),
    battles: Battles = None,
    seed: Seed = None,
) -> Answer:
    """A grid of answers over one or several fields."""
    result, whole = sweep_in_time(request.draft, vary, value or None, battles, seed or 0)
    about = {"value": result.value, "values": list(result.asked), "seed": result.seed, "how": result.how()}
    return {"headline": result.headline} | about | {"complete": whole, "cells": result.rows()}


@tool()
def compare(request: ApiRequest, value: Values = (), battles: Battles = None, seed: Seed = None) -> Answer:
    """2 to 6 scenarios beside each other, with differences to the first."""
    from simulator.analysis.studies.compare import compare as find

    given = request.given.get("scenarios")
    if not isinstance(given, list) or not 2 <= len(given) <= MOST_COMPARED:
        raise ScenarioError(f"scenarios: give a list of 2 to {MOST_COMPARED} scenarios in the body")
    drafts = {name: request.draft_of(one, "scenarios") for name, one in zip("ABCDEF", given, strict=False)}
    return _whole(lambda: find(drafts, value or None, battles, seed or 0, threads=1))


@tool(vary="attacker.regiments", target="80%")
def need(  # noqa: PLR0913, PLR0917 - one parameter a question
    request: ApiRequest,
    vary: Annotated[Sequence[str], "a field to raise, with its values or without"],
    target: Annotated[str | None, "the value to reach: 80% or 0.8 (if not given), or a number"] = None,
    value: Value = None,
    side: Annotated[str | None, "attacker or defender: whose chance, if not that of the fields varied"] = None,
    cost: Annotated[Sequence[str], "a price: PATH=NUMBER, or the name of a price list"] = (),
    budget: Annotated[float | None, "the most that may be spent"] = None,
    most: Annotated[int, "the largest setting that is tried"] = MOST_SETTINGS,
) -> Answer:
    """How much is enough: the smallest setting of a field, or the cheapest of several, that reaches a value."""
    from simulator.analysis.decisions.need import named_value
    from simulator.analysis.decisions.need import need as find

    fields, prices = reading.read_vary(vary, bare=True), reading.read_prices(cost)
    if not fields:
        raise ScenarioError("vary: name a field to raise")
    goal = read_target(target, named_value(request.draft, value))
    more: dict[str, Any] = {"cost": prices, "budget": budget, "most": most}
    return _whole(lambda: find(request.draft, fields, goal, value, side=side, **more, threads=1))


@tool(decide="policy.attacker.retreat")
def best(
    request: ApiRequest,
    decide: Annotated[
        Sequence[str], "a policy to decide, such as policy.attacker.retreat, or all that a side can"
    ] = (),
    side: Side = "attacker",
) -> Answer:
    """The best play: what to lose first, when to stop, the value of that, and how far fixed policies fall short."""
    from simulator.analysis.decisions.best import best as solve

    return _whole(lambda: solve(request.draft, decide or None, side=side))


@tool(most=5)
def rounds(
    request: ApiRequest,
    most: Annotated[int | None, "rounds to follow"] = None,
    battles: Battles = None,
    seed: Seed = None,
) -> Answer:
    """The battle after each round: over or not, winner, losses so far."""
    from simulator.analysis.history.rounds import rounds as find

    return _whole(lambda: find(request.draft, most, battles, seed or 0))


@tool(fields="attacker")
def sensitivity(
    request: ApiRequest,
    value: Value = None,
    fields: Annotated[Sequence[str], "a field, or a table like attacker"] = (),
    battles: Battles = None,
    seed: Seed = None,
) -> Answer:
    """How much each field moves the odds, one step alone."""
    from simulator.analysis.studies.sensitivity import sensitivity as find

    return _whole(lambda: find(request.draft, value, fields or None, battles, seed or 0, threads=1))


@tool(weight=["win=10", "attacker_regiments_lost=-1"])
def worth(
    request: ApiRequest,
    weight: Weight = (),
    level: Annotated[str, "the share of the worst cases: 5% if not given"] = "5%",
    lose: Annotated[Sequence[float], "the chance of a value of at most -NUMBER"] = (),
    side: Side = "attacker",
    battles: Battles = None,
    seed: Seed = None,
) -> Answer:
    """The value of a battle by weights, and how bad it can get (value at risk, expected shortfall)."""
    from simulator.analysis.decisions.worth import worth as find

    weights, share = reading.read_weights(weight), reading.read_share(level, "level")
    method = Method(threads=1, battles=battles, seed=seed or 0) if battles else Method(threads=1)
    return _whole(lambda: find(request.draft, weights, share, lose, side, method=method))


@tool(k=2)
def plan(
    request: ApiRequest,
    objective: Annotated[str | None, "worth, all or cheapest, in place of the plan's objective"] = None,
    k: Annotated[int, "the number of alternatives, 0 to 100"] = 5,
) -> Answer:
    """Plan a turn: which units attack, or defend, where; the next best plans; the value of one unit more."""
    from simulator.analysis.plan.plan import plan as divide

    asked = request.draft.with_fields({"objective": objective}) if objective else request.draft
    found = divide(asked, k)
    more = {name: getattr(found, name).to_dict("records") for name in ("alternatives", "units")}
    return found.to_dict() | more | {"complete": not found.interrupted}


@tool(seed=7)
def replay(
    request: ApiRequest,
    seed: Seed = None,
    battle: Annotated[int, "the number of the battle, from 0"] = 0,
) -> Answer:
    """One simulated battle, roll by roll."""
    from simulator.analysis.history.replay import replay as find

    return find(request.draft, seed or 0, battle).to_dict()


@tool(log="defender\ndefender")
def luck(
    request: ApiRequest,
    log: Annotated[str, "a winner a line, or CSV with a heading"],
    weight: Weight = (),
    side: Side = "attacker",
) -> Answer:
    """Battles that were fought against what was to be expected."""
    from simulator.analysis.history.luck import luck as find

    battles = [one | {"side": side} for one in fought(request.given.get("log", log), request.draft)]
    return _whole(lambda: find(battles, reading.read_weights(weight), method=Method(threads=1, precision=0.002)))


def schema(job: Job, limits: Limits) -> Reply:
    """The JSON schema of a battle kind."""
    try:
        battle = find_battle(job.names["game"], job.names["battle"], paths=False)
    except ScenarioError as error:
        raise BadRequest(str(error), 404) from None
    return as_json(scenario_schema(battle))


def games(job: Job, limits: Limits) -> Reply:
    """All games and battle kinds."""
    return as_json(catalogue.games())


def names(job: Job, limits: Limits) -> Reply:
    """The names that fields take."""
    query = next((value for key, value in job.pairs if key == "q"), "")
    try:
        return as_json(catalogue.names(job.names["game"], job.names["list"], query[:100]))
    except ValueError as error:
        raise BadRequest(str(error), 404) from None
