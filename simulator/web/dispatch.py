"""Which view answers what."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from simulator.web import api, pages, stream, tools, views
from simulator.web.messages import Asked, Limits, Reply

VIEWS: dict[str, Callable[[Asked, Limits], Reply]] = {
    "refusal": views.refusal,
    "index": views.index,
    "page": views.calculator,
    "answer": views.fragment,
    "form": views.form,
    "tool": tools.tool,
    "compare": pages.compared,
    "open": pages.opened,
    "own": pages.own,
    "api-odds": api.odds,
    "api-sweep": api.sweep,
    "api-schema": api.schema,
    "api-games": api.games,
    "api-names": api.names,
    "docs": api.docs,
}


def replies(asked: Asked, limits: Limits) -> Iterator[Reply]:
    """The replies to a request, one but for a stream. Raises what analyses raise."""
    if asked.view == "stream":
        yield from stream.narrowing(asked, limits)
    else:
        yield VIEWS[asked.view](asked, limits)
