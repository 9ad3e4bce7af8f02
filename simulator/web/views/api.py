"""The JSON answers, in the shapes of the command line."""

from __future__ import annotations

from simulator.analysis.odds.answer import answer
from simulator.analysis.odds.run import Interrupted, Method
from simulator.scenarios import find_battle
from simulator.scenarios.schema import schema_of
from simulator.web import catalogue
from simulator.web.messages import Job, Limits, Reply, as_json
from simulator.web.views.answers import odds_in_time
from simulator.web.views.render import render
from simulator.web.views.request import api_request
from simulator.web.views.tools import sweep_in_time


def odds(job: Job, limits: Limits) -> Reply:
    """The odds of a scenario."""
    draft, options = api_request(job)
    battles, seed = options.whole("battles"), options.whole("seed")
    if battles is None and seed is None:
        result, scenario, _ = odds_in_time(draft, limits)
    else:
        scenario = draft.checked()
        method = Method(exact=False, battles=battles, seed=seed or 0, threads=1)
        try:
            result = answer(scenario, method)
        except Interrupted as interrupted:
            result = interrupted.gathered
    explanation = list(scenario.built.explain()) if scenario else []
    return as_json(result.to_dict(table=options.text("table") != "0") | {"explanation": explanation})


def sweep(job: Job, limits: Limits) -> Reply:
    """A grid of answers."""
    draft, options = api_request(job)
    result, complete = sweep_in_time(draft, options.many("vary"), options.many("value") or None)
    about = {"value": result.value, "values": list(result.asked), "seed": result.seed, "how": result.how()}
    return as_json(about | {"complete": complete, "cells": result.rows()})


def schema(job: Job, limits: Limits) -> Reply:
    """The JSON schema of a battle kind."""
    return as_json(schema_of(find_battle(job.names["game"], job.names["battle"], paths=False).model))


def games(job: Job, limits: Limits) -> Reply:
    """All games and battle kinds."""
    return as_json(catalogue.games())


def names(job: Job, limits: Limits) -> Reply:
    """The names that fields take."""
    query = next((value for key, value in job.pairs if key == "q"), "")
    return as_json(catalogue.names(job.names["game"], job.names["list"], query[:100]))


def docs(job: Job, limits: Limits) -> Reply:
    """The description of the API, with examples."""
    return Reply(render("docs.html", host=job.host))
