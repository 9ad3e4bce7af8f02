"""Options that several commands share, as one parameter: a frozen dataclass whose fields are the options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

from simulator.cli.options import (
    AsJson,
    Battles,
    CsvFile,
    Force,
    PlotFile,
    Quiet,
    SeedOption,
    Threads,
    json_text,
)
from simulator.cli.working import Files


@dataclass(frozen=True)
class Dice:
    """How battles are simulated, where they are."""

    battles: Battles = None
    seed: SeedOption = None
    threads: Threads = None


@dataclass(frozen=True)
class Output:
    """How an answer is given."""

    as_json: AsJson = False
    csv: CsvFile = None
    plot: PlotFile = None
    force: Force = False
    quiet: Quiet = False

    def files(self, scenario: str = "") -> Files:
        """The files to write. Raises ValueError for those that cannot be, before any work is done."""
        found = Files(self.csv, self.plot, self.force, scenario)
        found.check()
        return found

    def deliver(self, found: Any, files: Files, show: Callable[[Any], object]) -> None:
        """Write the files asked for and print an answer, as JSON or by `show`."""
        with files.written(found, found.rows):
            if self.as_json:
                print(json_text(found.to_dict()))
            else:
                show(found)


def grouped(command: Callable[..., int]) -> Callable[..., int]:
    """A command for typer, with one option for each field of its parameters that are dataclasses."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if is_dataclass(kind) and isinstance(kind, type)}
    options: list[Parameter] = []
    for name, one in signature(command).parameters.items():
        if name in groups:
            inside = get_type_hints(groups[name], include_extras=True)
            options += [
                Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=inside[field.name])
                for field in fields(groups[name])
            ]
        else:
            options.append(one.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name]))

    @wraps(command)
    def called(**given: Any) -> int:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        return command(**given)

    called.__signature__ = Signature(options)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in options}
    return called
