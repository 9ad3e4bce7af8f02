"""The options of the commands, each once, and what the shell completes."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer

MOST_WHOLE = 10**30


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


VALUES = "p_attacker, mean.COLUMN, std.COLUMN, q90.COLUMN or a question"
RANGES = "1:30, 0:20:5, 0:1:0.25, a,b,c or [3, 2],[4, 1]; repeatable"


def number_between(least: int | None = None, most: int | None = None) -> Callable[[str | int], int]:
    """A reader of whole numbers from `least` to `most`: `1000000`, `1_000_000` or `1e6`, of at most 30 digits.

    It raises BadParameter, which says what was given.
    """
    allowed = ", like 1000000 or 1e6" if least is None else f" from {least} to {most}" if most else f", {least} or more"

    def whole_number(text: str | int) -> int:
        try:
            number = Decimal(text)
            fits = (least is None or least <= number) and (most is None or number <= most)
            if abs(number) < MOST_WHOLE and number == number.to_integral_value() and fits:
                return int(number)
        except ArithmeticError:
            pass
        raise typer.BadParameter(f"{str(text)!r} is not allowed; give a whole number{allowed}")

    return whole_number


def decimal_number(text: str | float) -> float:
    """`12` or `2.5`. Raises BadParameter for what is no number."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{str(text)!r} is not allowed; give a number, like 12 or 2.5") from None


def _option(name: str, what: str, metavar: str | None = None, **more: Any) -> Any:
    """An option with its help text."""
    return typer.Option(name, help=what, metavar=metavar, **more)


def whole(name: str, what: str, least: int | None = None, most: int | None = None) -> Any:
    """An option that takes a whole number, however it is written; its help names the range."""
    if least is not None:
        what += f" (from {least} to {most})" if most else f" ({least} or more)"
    return _option(name, what, "<int>", parser=number_between(least, most))


def _number(name: str, what: str) -> Any:
    """An option that takes a number."""
    return _option(name, what, "<float>", parser=decimal_number)


def _fields(name: str, metavar: str, what: str) -> Any:
    """An option that names fields, which the shell completes."""
    return _option(name, what, metavar, autocompletion=complete_path)


SOURCE = "a TOML or JSON file, - for standard input, or a shipped example"
ScenarioName = Annotated[str, typer.Argument(metavar="SCENARIO", help=SOURCE, autocompletion=complete_scenario)]
Settings = Annotated[list[str] | None, _fields("--set", "PATH=VALUE", "change a field, e.g. attacker.regiments=25")]
ValueName = Annotated[str | None, _option("--value", VALUES, "VALUE")]
ValueNames = Annotated[list[str] | None, _option("--value", f"{VALUES}; repeatable", "VALUE")]
Weights = Annotated[
    list[str] | None, _option("--weight", "what win, take or a column is worth; repeatable", "COLUMN=NUMBER")
]
SeedOption = Annotated[int | None, whole("--seed", "seed of the simulated battles")]
Battles = Annotated[int | None, whole("--battles", "simulate this many battles")]
Threads = Annotated[int | None, whole("--threads", "threads; does not change the numbers")]
Exact = Annotated[bool, _option("--exact", "exact odds or a refusal, never simulated")]
Precision = Annotated[str | None, _option("--precision", "simulate until every chance is within this, e.g. 0.1%")]
Everything = Annotated[bool, _option("--all", "everything: also what never happens, and long tables as a whole")]
Explain = Annotated[bool, _option("--explain", "say how the answer comes about")]
OutFolder = Annotated[
    Path | None, _option("--out", "keep cells here as Parquet files; the same command goes on", "FOLDER")
]
OutFile = Annotated[
    Path | None, _option("--out", "keep the counts of --battles here; the same command goes on", "FILE")
]
Workers = Annotated[int | None, whole("--workers", "spread the work over this many processes", 1)]
Cluster = Annotated[str | None, _option("--cluster", "a Dask scheduler, like tcp://scheduler:8786", "ADDRESS")]
AsJson = Annotated[bool, _option("--json", "print JSON")]
CsvFile = Annotated[Path | None, _option("--csv", "write the table to a CSV file; - prints it", "FILE")]
PlotFile = Annotated[Path | None, _option("--plot", "draw a picture (png, svg, pdf)", "FILE")]
Force = Annotated[bool, _option("--force", "overwrite a file that is no CSV")]
Quiet = Annotated[bool, _option("--quiet", "only the numbers: no progress, no notes, no tables around")]
NeedVary = Annotated[list[str], _fields("--vary", "PATH[=RANGE]", "a field to raise; repeatable")]
Target = Annotated[str | None, _option("--target", "the value to reach: 80% (as without it) or 0.8")]
Costs = Annotated[
    list[str] | None, _option("--cost", "what one of it costs, or a price list of the game (muster)", "PATH=PRICE")
]
Budget = Annotated[float | None, _number("--budget", "the best for at most this cost, instead of a target")]
MostSetting = Annotated[int, whole("--most", "largest setting tried", 1, 100_000)]
NoPruning = Annotated[bool, _option("--no-pruning", "try every combination")]
Waves = Annotated[
    list[str] | None,
    typer.Argument(metavar="[SCENARIO]...", help="the next battles, fought by survivors; its pieces join them"),
]
STRIKES_BACK = "the defender strikes back; SCENARIO, in which he attacks, says how and who joins him"
CounterAttack = Annotated[
    str | None, _option("--counter-attack", STRIKES_BACK, "[SCENARIO]", autocompletion=complete_scenario)
]
Joined = Annotated[
    list[str] | None, _option("--join", "who joins the counter-attack: attacker.tank=2; repeatable", "PIECE=NUMBER")
]
AllDefend = Annotated[bool, _option("--all-defend", "units that cannot take land (aircraft) defend it, too")]
SaveFile = Annotated[Path | None, _option("--save", "write the campaign that was asked", "FILE.toml")]
AllPlans = Annotated[bool, _option("--all-plans", "all plans side by side")]
BattleNumber = Annotated[int, whole("--battle", "which battle of it, from 0")]
WithLuck = Annotated[bool, _option("--luck", "how each roll moved the chances, and how lucky it was")]
Compared = Annotated[
    list[str],
    typer.Argument(
        metavar="SCENARIO...", help="two to ten; the first is the reference", autocompletion=complete_scenario
    ),
]
BALANCED = "a field, or a key of the game file (rules.unit.NAME.attack); repeatable"
BalanceVary = Annotated[list[str], _fields("--vary", "PATH[=RANGE]", BALANCED)]
BalanceTarget = Annotated[str | None, _option("--target", "a value to come near instead of even odds: 60% or 0.6")]
OneOrMore = Annotated[
    list[str],
    typer.Argument(metavar="SCENARIO...", help=f"{SOURCE}; several: the average", autocompletion=complete_scenario),
]
VARIANT = (
    "the first scenario with linked changes, or a variant it declares, to compare; scale: keep chances on a new die"
)
Variants = Annotated[list[str] | None, _option("--variant", VARIANT, "'NAME: PATH=VALUE, PATH=scale'")]
SWEPT = "a variant that the scenario declares, or linked changes, beside the scenario itself; repeatable"
SweptVariants = Annotated[list[str] | None, _option("--variant", SWEPT, "NAME, or 'NAME: PATH=VALUE, PATH=scale'")]
SomeVary = Annotated[list[str] | None, _fields("--vary", "PATH=RANGE", RANGES)]
SomeFields = Annotated[
    list[str] | None, _fields("--fields", "PATH", "only this field, or those of a table like attacker; repeatable")
]
SobolVary = Annotated[
    list[str] | None, _fields("--vary", "PATH=RANGE", "Sobol indices over a grid of settings instead; repeatable")
]
DECIDED = (
    "a policy to set to best first, or PATH=named for the best of its named values; repeatable; "
    "short names like retreat are those of --side; without any: what to lose first, then when to leave"
)
Decided = Annotated[list[str] | None, _option("--decide", DECIDED, "PATH")]
WANTED = "what the side wants; repeatable; winning counts 1 unless win or take is given"
Wanted = Annotated[list[str] | None, _option("--weight", WANTED, "COLUMN=NUMBER")]
Level = Annotated[str, _option("--level", "how much of the bad end: 5% or 0.05")]
Losses = Annotated[list[float] | None, _number("--lose", "the chance to lose this or more")]
Side = Annotated[str, _option("--side", "attacker or defender: whose win and take")]
NeedSide = Annotated[
    str | None, _option("--side", "attacker or defender: whose chance, if not that of the fields varied")
]
WhoseSide = Annotated[str, _option("--side", "attacker or defender: whose decisions, and whose weights")]
MostRounds = Annotated[int | None, whole("--most", "how many rounds; else until all but a millionth end")]
AfterRounds = Annotated[int | None, whole("--after", "the odds of everything after this many rounds")]
LOG = (
    "a CSV or JSON file of battles: scenario, side, set-up fields like attacker.regiments, winner, attacker_lost, "
    "defender_lost, other columns; in JSON also results"
)
LogFile = Annotated[str | None, typer.Argument(metavar="FILE", help=LOG)]
Template = Annotated[str | None, _option("--template", "print a log of this game, to be filled in", "GAME")]
