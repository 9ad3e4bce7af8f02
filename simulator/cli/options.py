"""What the commands share: their options, where they print, and what the shell completes."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console

from simulator.cli.exit_status import CUT_SHORT
from simulator.cli.working import Bar, bar

UNWATCHED_WIDTH = 120
MOST_WHOLE = 10**30
T = TypeVar("T")


def complete_scenario(incomplete: str) -> list[str]:
    """Shipped examples, and scenario files of the folder that is being typed."""
    from simulator.scenarios import example_names

    folder = Path(incomplete).parent if "/" in incomplete else Path()
    files = [str(path) for path in folder.glob("*") if path.suffix in {".toml", ".json"}] if folder.is_dir() else []
    return [name for name in (*example_names(), *sorted(files)) if name.startswith(incomplete)]


def complete_example(incomplete: str) -> list[str]:
    """Shipped examples."""
    from simulator.scenarios import example_names

    return [name for name in example_names() if name.startswith(incomplete)]


def complete_path(context: typer.Context, incomplete: str) -> list[str]:
    """Fields of the scenario that stands on the command line."""
    from simulator.scenarios import ScenarioError, draft
    from simulator.scenarios.schema import field_rows

    try:
        battle = draft(str(context.params.get("scenario") or "")).battle()
    except (ScenarioError, OSError):
        return []
    names = [row.path for row in field_rows(battle) if row.path not in {"game", "battle"}]
    return [f"{name}=" for name in names if name.startswith(incomplete)]


def complete_game(incomplete: str) -> list[str]:
    """Games."""
    from simulator import rules
    from simulator.rules import custom

    return [game for game in (*rules.GAMES, *custom.names()) if game.startswith(incomplete)]


def complete_kind(context: typer.Context, incomplete: str) -> list[str]:
    """Battle kinds of the game on the command line."""
    from simulator.scenarios import ScenarioError, kinds_of

    try:
        return [kind for kind in kinds_of(context.params.get("game")) if kind.startswith(incomplete)]
    except ScenarioError:
        return []


ScenarioName = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="a TOML or JSON file, - for standard input, or a shipped example",
        autocompletion=complete_scenario,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="change a field, e.g. attacker.regiments=25", autocompletion=complete_path
    ),
]
Vary = Annotated[
    list[str],
    typer.Option(
        "--vary",
        metavar="PATH=RANGE",
        help="1:30, 0:20:5, 0:1:0.25, a,b,c or [3, 2],[4, 1]; repeatable",
        autocompletion=complete_path,
    ),
]
ValueName = Annotated[
    str | None,
    typer.Option("--value", metavar="VALUE", help="p_attacker, mean.COLUMN, std.COLUMN, q90.COLUMN, or a question"),
]


def whole_number(text: str | int) -> int:
    """`1000000`, `1_000_000` or `1e6`. Raises BadParameter for what is no whole number of at most 30 digits."""
    try:
        number = Decimal(text)
        if abs(number) < MOST_WHOLE and number == number.to_integral_value():
            return int(number)
    except ArithmeticError:
        pass
    raise typer.BadParameter(f"{str(text)!r} is not allowed; give a whole number, like 1000000 or 1e6")


SeedOption = Annotated[
    int | None, typer.Option("--seed", parser=whole_number, metavar="<int>", help="seed of the simulated battles")
]
Battles = Annotated[
    int | None, typer.Option("--battles", parser=whole_number, metavar="<int>", help="simulate this many battles")
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", parser=whole_number, metavar="<int>", help="threads; does not change the numbers"),
]
Device = Annotated[
    str, typer.Option("--device", help="processor, or gpu: battles on a CUDA card (extra gpu), the same counts")
]
AsScored = Annotated[
    bool, typer.Option("--scored", help="one --value of a battle too large for exact odds: fought, then solved")
]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON")]
CsvFile = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="write the table to a CSV file")]
PlotFile = Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="draw a picture (png, svg, pdf)")]
Force = Annotated[bool, typer.Option("--force", help="overwrite a file that is no CSV")]
Quiet = Annotated[bool, typer.Option("--quiet", help="only the numbers: no progress, no notes, no tables around")]


def console() -> Console:
    """Standard output; wide enough for tables when it is not a terminal, unless COLUMNS says otherwise."""
    out = Console(markup=False, highlight=False)
    given = os.environ.get("COLUMNS", "")
    if out.is_terminal or (given.isdigit() and int(given) > 0):
        return out
    return Console(markup=False, highlight=False, width=UNWATCHED_WIDTH)


def note(text: str, quiet: bool = False) -> None:
    """A remark on standard error."""
    if not quiet:
        print(text, file=sys.stderr)


def gather(what: str, quiet: bool, work: Callable[[Bar], T]) -> tuple[T, bool]:
    """Do the work with a progress bar; what came of it, and whether Ctrl-C cut it short."""
    from simulator.analysis.odds.run import Interrupted

    _announce_compiling(quiet)
    try:
        with bar(what, quiet) as shown:
            return work(shown), False
    except Interrupted as short:
        return short.gathered, True


def finished(cut: bool, what: str, quiet: bool) -> int:
    """The exit status, and a word on an answer that Ctrl-C cut short."""
    if cut:
        note(what, quiet)
    return CUT_SHORT if cut else 0


def _announce_compiling(quiet: bool) -> None:
    """Say once, when something has to be compiled first, that this takes a while."""
    from simulator.engine.api import announce

    if not quiet and not announce:
        announce.append(cache(note))  # a line for each text, however many kernels there are


def json_text(value: Any) -> str:
    """JSON without what JSON does not know: numbers that are none become null."""
    import json

    return json.dumps(_finite(value))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
