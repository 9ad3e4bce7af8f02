"""Answers as text for a terminal, for 80 columns and more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from simulator.analysis.decisions.advice import to_hold
from simulator.analysis.decisions.default_play import as_settings
from simulator.analysis.history.battle_log import is_loss
from simulator.analysis.odds.odds import EndChance, Odds
from simulator.analysis.words import span
from simulator.report.answer_words import costs, survivors
from simulator.report.campaigns import campaign_parts
from simulator.report.tables.plain import plain_table
from simulator.report.words import bound, broken, label_of, value_of
from simulator.rules.battle import Battle
from simulator.rules.campaign import GAME as CAMPAIGN
from simulator.rules.sides import ALL_SIDES, SIDES
from simulator.rules.toolkit.words import percent
from simulator.scenarios import Scenario
from simulator.scenarios.schema import FieldRow

if TYPE_CHECKING:
    from simulator.analysis.odds.survival import Survival

BAR = 12
MOST_LIKELY = 5
MOST_LIKELY_COLUMNS = 5
_WHOLE = re.compile(r"a whole number from (\S+) to (\S+)")


def bar_of(p: float) -> str:
    """A chance as a bar of eighths."""
    eighths = round(p * BAR * 8)
    if eighths == 0 and p > 0:
        eighths = 1
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def chance_table(odds: Odds, heading: str, results: Sequence[EndChance], everything: bool = False) -> Table | None:
    """Chances with bars; results that never happen are left out, or share one line. None if there are no results."""
    if not any(result.p or everything for result in results):
        return None
    table = plain_table(heading, right=("chance",))
    table.add_column("")
    table.add_column("95 % interval", justify="right")
    never = [result.label for result in results if result.p == 0]
    for result in results:
        if result.p > 0:
            interval = "" if odds.battles is None else span(result.low, result.high)
            table.add_row(result.label.replace("_", " "), percent(result.p), bar_of(result.p), interval)
    if never and everything:
        words = ", ".join(label.replace("_", " ") for label in never)
        chance = "never" if odds.battles is None else f"not once: {bound(odds.battles)}"
        table.add_row(Text(words if len(never) == 1 else "the rest", style="dim"), Text(chance, style="dim"))
    return table


def events(odds: Odds) -> list[EndChance]:
    """The chances of the yes/no columns that are no results."""
    shown = {result.question for result in odds.results}
    flags = [name for name in odds.names if odds.kind_of(name) == "yes/no" and name not in shown]
    return [EndChance(label_of(odds.battle, name), name, odds.p(name), *odds.interval(name)) for name in flags]


def summary_table(odds: Odds) -> Table | None:
    """Headline columns: mean, standard deviation, quantiles. None if there are none."""
    table = plain_table("on average", right=("mean", "std dev", "5 %", "median", "95 %"))
    for row in odds.summary_rows():
        name = row["column"]
        if odds.kind_of(name) != "number":
            continue
        mean = _number(odds, name, row["mean"])
        if odds.battles is not None:
            half = (row["high"] - row["low"]) / 2
            mean += f" ± {_number(odds, name, half) if name in odds.battle.shown else f'{half:.2g}'}"
        quantiles = [value_of(odds.battle, name, row[key]) for key in ("q05", "q50", "q95")]
        table.add_row(label_of(odds.battle, name), mean, _number(odds, name, row["std"], 2), *quantiles)
    return table if table.rows else None


def _number(odds: Odds, name: str, value: float, decimals: int = 3) -> str:
    """A mean, in the notation of the game if it has one."""
    shown = odds.battle.shown.get(name)
    return shown.value(value) if shown and shown.value else f"{value:.{decimals}f}"


def likely_table(odds: Odds) -> Table | None:
    """The most likely outcomes: what is left by unit, else by result and losses. None if there is only one."""
    fought = "winner" in odds.columns and not odds.battle.results
    if fought and len(left := survivors(odds)) > 1:
        table = plain_table(title="most likely outcomes", right=("chance",))
        for side in SIDES:
            table.add_column(f"left of the {side}")
        for one in left:
            table.add_row(percent(one["p"]), *(one[side] for side in SIDES))
        return table
    numbers = [name for name in odds.summary_columns if odds.kind_of(name) != "yes/no"]
    columns = [name for name in numbers if is_loss(name)] or numbers[:2]
    columns = columns[:MOST_LIKELY_COLUMNS]
    rows = odds.likely(MOST_LIKELY, columns or None)
    if len(rows) == 1:
        return None
    names = [name for name in rows[0] if name != "p"]
    table = plain_table(title="most likely outcomes", right=("chance",), constants=True)
    for name in names:
        number = isinstance(rows[0][name], int | float) and not isinstance(rows[0][name], bool)
        table.add_column(label_of(odds.battle, name), justify="right" if number else "left")
    for row in rows:
        table.add_row(percent(row["p"]), *(value_of(odds.battle, name, row[name]) for name in names))
    return table


class BrokenLine:
    """A line of text that is broken to the width of the output; its continuation stands further right."""

    def __init__(self, line: str, style: str = "") -> None:
        self.line, self.style = line, style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The pieces of the line."""
        for part in broken(self.line, options.max_width):
            yield Text(part, style=self.style)


def odds_parts(scenario: Scenario, odds: Odds, explain: bool = False, everything: bool = False) -> Iterator[Any]:
    """The whole answer; with `everything`, results that never happen too."""
    battle = scenario.battle
    campaign = battle.game == CAMPAIGN
    certain = len(odds.chances) == 1 and odds.battles is None and not odds.explored and not campaign
    if campaign:
        yield from campaign_parts(scenario, odds)
    else:
        hint, keep = to_hold(scenario, odds)
        if hint:
            yield f"{hint} (--set {' --set '.join(as_settings(keep))})."
        if text := costs(odds):
            yield text
        yield Text.assemble((battle.label, "bold"), f": {battle.title}")
        yield from [certain_table(odds)] if certain else _chance_parts(odds, everything)
    reasons = list(scenario.built.explain()) if explain or certain else []
    if reasons:
        yield "How it comes about"
    yield from (BrokenLine(f"  {reason}") for reason in reasons)
    yield from grounds(odds)


def _chance_parts(odds: Odds, everything: bool) -> Iterator[Table | None]:
    heading = "winner" if not odds.battle.results and "winner" in odds.columns else "result"
    yield chance_table(odds, heading, odds.results, everything)
    yield chance_table(odds, "also", events(odds), everything)
    yield summary_table(odds)
    yield likely_table(odds)


def grounds(odds: Odds) -> Iterator[Any]:
    """The method of the odds, their assumptions, and the versions of the rules and of the program.

    The fields of a campaign are left out: they are the whole file.
    """
    yield Text(f"Method: {odds.how()}")
    yield Text("Rests on", style="dim")
    lines = odds.assumptions if odds.battle.game == CAMPAIGN else by_side(odds.rests_on)
    yield from (BrokenLine(f"  {line}", "dim") for line in lines or ["the rules as they stand"])
    yield Text(f"Rules: {odds.versions()}", style="dim")


def by_side(lines: Sequence[str]) -> list[str]:
    """Lines in which the fields of a side stand together: "attacker: infantry 6, tank 2"."""
    sides: dict[str, list[str]] = {}
    rest = []
    for line in lines:
        path, equals, value = line.partition(" = ")
        side, _, field = path.partition(".")
        if equals and field and side in ALL_SIDES:
            sides.setdefault(side, []).append(f"{field} {value}")
        else:
            rest.append(line)
    return [*(f"{side}: {', '.join(fields)}" for side, fields in sides.items()), *rest]


def certain_table(odds: Odds) -> Table:
    """The one row of a battle without dice."""
    table = plain_table("", "")
    table.show_header = False
    for name, values in odds.readable_columns.items():
        if name == "winner":  # nobody fights without dice
            continue
        table.add_row(label_of(odds.battle, name), value_of(odds.battle, name, values[0].item()))
    return table


def survival_table(found: Survival) -> Table:
    """The chance of each piece to survive."""
    table = plain_table("side", "piece", "", right=("survives",))
    table.add_column("")
    table.add_column("95 % interval", justify="right")
    for piece in found.pieces:
        name = piece.side.replace("_", " "), piece.piece, piece.worth
        interval = "" if found.battles is None else span(piece.low, piece.high)
        table.add_row(*name, percent(piece.p), bar_of(piece.p), interval)
    return table


def schema_table(rows: Sequence[FieldRow]) -> Table:
    """Fields of a battle kind: path, then what it takes, its default and its meaning."""
    table = plain_table("field", "takes [default]: meaning")
    for row in rows:
        default = f" [{row.default}]" if row.default else ""
        if row.default == "needed":
            default = ", needed" if row.needed else ", needed in its table"
        takes = _WHOLE.sub(r"\1 to \2", row.takes)
        meaning = f": {row.meaning}" if row.meaning else ""
        table.add_row(row.path, Text.assemble(takes, (default, "bold" * row.needed), meaning))
    if any("[i]" in row.path for row in rows):
        table.caption = "[i]: a list of tables; the first is [0]"
    return table


def units_of(battle: Battle, rows: Sequence[FieldRow]) -> Iterator[str]:
    """A line for each unit of a game file in one of its battles, then one for each condition."""
    from simulator.rules.custom.game_file.describe import in_brief

    file: Any = battle.rules
    for row in rows:
        table, _, name = row.path.partition(".")
        if table in SIDES and name in battle.notes:
            number = _WHOLE.sub(r"\1-\2", row.takes)
            brief = in_brief(file, name, table)
            yield f"{table}: {name} {number}" + (f" ({brief})" if brief else "")
        elif table == "conditions":
            about = f": {row.meaning}" if row.meaning else ""
            yield f"condition: {name}, {row.takes.removeprefix('one of ')} [{row.default}]{about}"


def listing(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Rows of a game's list, such as its leaders."""
    table = plain_table(*(name.replace("_", " ") for name in rows[0]), bare=True, constants=True)
    for row in rows:
        table.add_row(*(Text(str(value)) for value in row.values()))
    return table
