"""A simulation that refines its answer: server-sent events, each a whole answer."""

from __future__ import annotations

import time
from collections.abc import Iterator

from simulator.analysis.odds.precision import MOST_BATTLES, width
from simulator.analysis.odds.run import Fight
from simulator.web.messages import EVENTS, Job, Limits, Reply, event
from simulator.web.views.calculator import answer_context
from simulator.web.views.odds_in_time import skip_exact_odds
from simulator.web.views.render import render
from simulator.web.views.request import BattleRequest

FIRST_BATTLES, EVENT_SECONDS = 1 << 13, 0.25
# The share of an answer's seconds for the simulation, and the half-width (95 %) that ends it.
SHARE, PRECISION = 0.9, 0.0002


def refined(job: Job, limits: Limits) -> Iterator[Reply]:
    """Simulate until the chances are precise enough or the seconds are used up; four events a second."""
    request = BattleRequest(job)
    scenario = request.draft.checked()
    begun = time.process_time()
    if request.options.text("exact") == "no":  # the answer before this stream found that
        skip_exact_odds(scenario)
    fight = Fight(scenario, 0, 1)
    batch, ended = FIRST_BATTLES, ""
    while not ended:
        before = time.monotonic()
        fight.add(batch)
        seconds = time.monotonic() - before
        odds = fight.odds()
        batch = int(min(MOST_BATTLES, batch * min(4.0, max(0.25, EVENT_SECONDS / max(seconds, 1e-4)))))
        if width(odds) <= PRECISION:
            ended = "precise enough"
        elif time.process_time() - begun + seconds > SHARE * limits.seconds:
            ended = f"after {limits.seconds:g} s of compute"
        html = render("answer.html", **answer_context(request, odds, scenario, "")).decode()
        state = {"html": html, "battles": fight.battles, "ended": ended}
        yield Reply(event(state), type=EVENTS, last=bool(ended))
