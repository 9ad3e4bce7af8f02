"""The templates. Everything is escaped; nothing of a scenario is ever taken for HTML."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from simulator.report.words import percent
from simulator.web.forms import words


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates of this package."""
    found = Environment(
        loader=PackageLoader("simulator.web"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    found.filters["words"] = words
    found.filters["percent"] = percent
    return found


def render(template: str, /, **told: Any) -> bytes:
    """A template as bytes."""
    return environment().get_template(template).render(**told).encode()
