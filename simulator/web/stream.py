"""A simulation that narrows before one's eyes: server-sent events, each a whole answer."""

from __future__ import annotations

import time
from collections.abc import Iterator

from simulator.analysis.odds.precision import MOST_BATTLES, width
from simulator.analysis.odds.run import Fight
from simulator.engine.api import fight_by_rules
from simulator.web import views
from simulator.web.messages import EVENTS, Asked, Limits, Reply, event
from simulator.web.render import render

FIRST, EVERY = 1 << 13, 0.25
# The share of an answer's seconds that is fought in, and how narrow is narrow enough (half-width of 95 %).
SHARE, ENOUGH = 0.9, 0.0002


def narrowing(asked: Asked, limits: Limits) -> Iterator[Reply]:
    """Fight until the chances are narrow enough or time is up; an event four times a second."""
    request = views.Request(asked)
    scenario = request.draft.checked()
    begun = time.process_time()
    if request.tool("exact") == "no" and scenario.built.chain is not None and not scenario.decided:
        fight_by_rules(scenario.built.chain)  # the answer before this stream found that out
    fight = Fight(scenario, 0, 1)
    portion, why = FIRST, ""
    while not why:
        before = time.monotonic()
        fight.add(portion)
        took = time.monotonic() - before
        odds = fight.odds()
        portion = int(min(MOST_BATTLES, portion * min(4.0, max(0.25, EVERY / max(took, 1e-4)))))
        if width(odds) <= ENOUGH:
            why = "narrow enough"
        elif time.process_time() - begun + took > SHARE * limits.seconds:
            why = f"after {limits.seconds:g} s of compute"
        html = render("answer.html", **views.odds_context(request, odds, scenario), why="")
        told = {"html": html.decode(), "battles": fight.battles, "ended": why}
        yield Reply(event(told), type=EVENTS, last=bool(why))
