"""Finds the view of a request, and words refusals: as JSON, as a fragment, or as a page."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from simulator.engine.model.limits import NoExactOdds
from simulator.report.words import path_in_words
from simulator.scenarios.validation import brief
from simulator.web import links
from simulator.web.editor import page as editor
from simulator.web.messages import LARGE, MEGABYTE, Job, Limits, Reply, as_json
from simulator.web.plans import page as plans
from simulator.web.time_limit import LEAST, at_most, processor_time
from simulator.web.views import api, calculator, card, openapi, pages, tools
from simulator.web.views.render import render
from simulator.web.views.request import BattleRequest, named_field

# A battle that is too large is offered with its numbers halved, from this one on.
LEAST_HALVED = 6
# The pages with a box for text, which keep it when it is refused.
TEXT_PAGES = pages.TEXT_PAGES | {"own": editor.page, "import": editor.page}


VIEWS: dict[str, Callable[[Job, Limits], Reply]] = {
    "index": pages.index,
    "page": calculator.calculator,
    "answer": calculator.fragment,
    "embed": calculator.embed,
    "form": calculator.form,
    "card": card.card,
    "tool": tools.tool,
    "compare": pages.compare_set_ups,
    "plan": plans.page,
    "plan-card": plans.card,
    "open": pages.open_scenario,
    "own": editor.own_game,
    "import": editor.imported,
    "api": api.ask,
    "api-openapi": openapi.document,
    "api-schema": api.schema,
    "api-games": api.games,
    "api-names": api.names,
    "docs": openapi.page,
}


def replies(job: Job, limits: Limits) -> Iterator[Reply]:
    """The replies to a request within its limits: several for a stream, else one; every error becomes a reply."""
    try:
        if job.view == "stream":
            yield from _interruptible(calculator.refined(job, limits), limits.seconds)
        else:
            with at_most(limits.seconds):
                if job.status:
                    reply = refused(replace(job, body=""), job.body, job.status)
                else:
                    reply = VIEWS[job.view](job, limits)
            yield reply
    except (ValueError, NoExactOdds) as error:
        yield refused(job, str(error), getattr(error, "status", 422))
    except KeyboardInterrupt:
        yield refused(job, limits.too_large, 422)
    except MemoryError:
        yield refused(job, f"battle: needs more than the {limits.memory // MEGABYTE} MB an answer may take", 422)
    except RecursionError:
        yield refused(job, "scenario: nested too deeply", 422)
    except GeneratorExit:
        raise
    except BaseException as error:
        # Print where the error was raised, but no values: they may belong to a player's scenario.
        places = "".join(traceback.format_list(traceback.extract_tb(error.__traceback__)))
        print(f"{job.view}: {type(error).__name__} in\n{places}", file=sys.stderr, flush=True)
        yield refused(job, "this request could not be answered because of an error in the program", 500)


def _interruptible(stream: Iterator[Reply], seconds: float) -> Iterator[Reply]:
    """The replies of a stream whose own work is limited; the limit never interrupts the sending of a reply."""
    begun = processor_time()
    while True:
        with at_most(max(LEAST, seconds - (processor_time() - begun))):
            reply = next(stream, None)
        if reply is None:
            return
        yield reply


def refused(job: Job, text: str, status: int) -> Reply:
    """A refusal in one line with the field that it names: as JSON, as a fragment, or as a page."""
    text = brief(" ".join(text.split())).removeprefix("--")  # messages for the command line name options so
    field = named_field(text)
    if job.view.startswith("api"):
        return as_json({"error": text, "field": field}, status)
    context: dict[str, Any] = {
        "status": status,
        "complaint": text,
        "field": links.key_of(field or ""),
        "half": "",
        "invited": [],
    }
    if job.view in TEXT_PAGES:
        return Reply(TEXT_PAGES[job.view](job, **context), status)
    if field and text.startswith(f"{field}:"):  # a form has labels, no paths
        context["complaint"] = path_in_words(field).replace(": ", " ") + text.removeprefix(field)
    if job.view == "plan":
        with suppress(ValueError):
            return Reply(plans.refused(job, context), status)
    request = None
    with suppress(ValueError):
        # After an error in the program its page is not made: that may fail of the same error, and end the worker.
        request = None if status in {404, 500} else BattleRequest(replace(job, view="page"))
    if request and calculator.is_only_begun(request, text):
        context["invited"] = calculator.examples(request.battle)
    if request and text.startswith(LARGE):
        context["half"] = _half(request)
    if job.view == "embed":
        back = request.address if request else "/"
        return Reply(render("embed.html", title="No answer: battle-odds", back=back, **context), status)
    if job.view not in {"page", "tool"} or ("with.part", "1") in job.pairs:
        return Reply(render("complaint.html", **context), status)
    return Reply(_refused_page(request, context), status)


def _refused_page(request: BattleRequest | None, context: dict[str, Any]) -> bytes:
    """The calculator with the refusal in place of the answer; if it cannot be shown, a page with the refusal alone."""
    with suppress(ValueError):
        if request:
            return calculator.page(request, context)
    return render("error.html", **context)


def _half(request: BattleRequest) -> str:
    """The address of the same battle with all large numbers halved; an empty text if there are none."""
    pairs = request.written
    large = [value.isdecimal() and len(value) < 10 and int(value) >= LEAST_HALVED for _, value in pairs]
    halved = [(key, str(int(value) // 2) if cut else value) for (key, value), cut in zip(pairs, large, strict=True)]
    return links.link_of(halved, request.battle) if any(large) else ""
