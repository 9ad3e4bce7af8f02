"""The output of commands that answer a question: one sentence first, then tables of the rows around the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from simulator.cli import options
from simulator.cli.output import Output


def headed(headline: str, parts: Iterable[Any] | None) -> Iterator[Any]:
    """The headline of an answer, and its parts below."""
    if headline:
        yield Text(headline, style="bold")
    yield from parts or ()


@dataclass(frozen=True)
class Headed(Output):
    """Options of the output; `every`: long tables are shown whole. Files and JSON always hold all rows."""

    every: options.Everything = False

    def deliver(
        self,
        found: Any,
        parts: Callable[[Any], Iterable[Any] | None],
        brief: Callable[[Any], Iterable[str]] | None = None,
        data: Callable[[Any], Any] = lambda found: found.to_dict(),
        **picture: Any,
    ) -> None:
        """Write the files asked for and print an answer as `Output.deliver`, the headline first."""
        super().deliver(found, lambda found: headed(found.headline, parts(found)), brief, data, **picture)
