"""Answers as text for a terminal, for 80 columns and more."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from simulator.analysis.odds.measure import is_chance
from simulator.analysis.odds.odds import Chance, Odds
from simulator.report.campaigns import campaign_parts
from simulator.report.plain_tables import plain_table, table_of
from simulator.report.words import bound, label_of, percent, span, value_of
from simulator.rules.battle import Battle
from simulator.rules.campaign import GAME as CAMPAIGN
from simulator.scenarios import Scenario
from simulator.scenarios.schema import FieldRow

if TYPE_CHECKING:
    from simulator.analysis.campaigns.by_round import ByRound
    from simulator.analysis.decisions.need import Need
    from simulator.analysis.odds.survival import Survival
    from simulator.analysis.studies.sweep import Sweep

BAR = 12
MOST_LIKELY = 5
MOST_LIKELY_COLUMNS = 5


def bar_of(p: float) -> str:
    """A chance as a bar of eighths."""
    eighths = round(p * BAR * 8)
    if eighths == 0 and p > 0:
        eighths = 1
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def chance_table(odds: Odds, heading: str, results: Sequence[Chance]) -> Table | None:
    """Chances with bars; results that never happen share one line. None if there are no results."""
    if not results:
        return None
    table = plain_table(heading, right=("chance",))
    table.add_column("")
    if odds.battles is not None:
        table.add_column("95 % interval", justify="right")
    never = [result.label for result in results if result.p == 0]
    for result in results:
        if result.p > 0:
            cells = [result.label.replace("_", " "), percent(result.p), bar_of(result.p)]
            if odds.battles is not None:
                cells.append(span(result.low, result.high))
            table.add_row(*cells)
    if never:
        words = ", ".join(label.replace("_", " ") for label in never)
        chance = "never" if odds.battles is None else f"not once: {bound(odds.battles)}"
        table.add_row(Text(words if len(never) == 1 else "the rest", style="dim"), Text(chance, style="dim"))
    return table


def events(odds: Odds) -> list[Chance]:
    """The chances of the yes/no columns that are no results."""
    shown = {result.question for result in odds.results}
    flags = [name for name in odds.columns if odds.kind_of(name) == "yes/no" and name not in shown]
    return [Chance(label_of(odds.battle, name), name, odds.p(name), *odds.interval(name)) for name in flags]


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
    """The most likely outcomes by result and losses; None if there is only one."""
    numbers = [name for name in odds.headline if odds.kind_of(name) != "yes/no"]
    columns = [name for name in numbers if "lost" in name or "losses" in name] or numbers[:2]
    columns = columns[:MOST_LIKELY_COLUMNS]
    rows = odds.likely(MOST_LIKELY, columns or None)
    if len(rows) == 1:
        return None
    names = [name for name in rows[0] if name != "p"]
    table = plain_table(title="most likely outcomes", right=("chance",))
    for name in names:
        number = isinstance(rows[0][name], int | float) and not isinstance(rows[0][name], bool)
        table.add_column(label_of(odds.battle, name), justify="right" if number else "left")
    for row in rows:
        table.add_row(percent(row["p"]), *(value_of(odds.battle, name, row[name]) for name in names))
    return table


def show_odds(console: Console, scenario: Scenario, odds: Odds, explain: bool = False) -> None:
    """The whole answer."""
    battle = scenario.battle
    if battle.game == CAMPAIGN:
        show_campaign_odds(console, scenario, odds, explain)
        return
    console.print(Text.assemble((f"{battle.game} {battle.kind}", "bold"), f": {battle.title}"))
    certain = len(odds.chances) == 1 and odds.battles is None and not odds.explored
    if certain:
        console.print(certain_table(odds))
    else:
        heading = "winner" if not battle.results and "winner" in odds.columns else "result"
        parts = [
            chance_table(odds, heading, odds.results),
            chance_table(odds, "also", events(odds)),
            summary_table(odds),
            likely_table(odds),
        ]
        for part in parts:
            if part is not None:
                console.print(part)
    if explain or certain:
        show_reasons(console, scenario)
    show_grounds(console, odds)


def show_campaign_odds(console: Console, scenario: Scenario, odds: Odds, explain: bool) -> None:
    """The answer to a campaign."""
    for part in campaign_parts(scenario, odds):
        console.print(part)
    if explain:
        show_reasons(console, scenario)
    show_grounds(console, odds)


def show_reasons(console: Console, scenario: Scenario) -> None:
    """The parts of the answer, if the game tells them."""
    reasons = list(scenario.built.explain())
    if reasons:
        console.print("How it comes about")
    for line in reasons:
        console.print(Text(f"  {line}"))


def show_grounds(console: Console, odds: Odds) -> None:
    """The method of the odds, their assumptions, and the versions of the rules and of the program.

    The fields of a campaign are left out: they are the whole file.
    """
    console.print(Text(f"Method: {odds.how()}"))
    rests = "; ".join(odds.assumptions if odds.battle.game == CAMPAIGN else odds.rests_on) or "the rules as they stand"
    console.print(Text(f"Rests on: {rests}", style="dim"))
    console.print(Text(f"Rules: {odds.versions()}", style="dim"))


def quiet_lines(odds: Odds) -> list[str]:
    """Only the numbers: a line for each result, or for each headline mean if the battle has no results."""
    if odds.results:
        return [f"{result.label} {percent(result.p)}" for result in odds.results]
    return [f"{label_of(odds.battle, row['column'])} {row['mean']:.4g}" for row in odds.summary_rows()]


def certain_table(odds: Odds) -> Table:
    """The one row of a battle without dice."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_header=False)
    for name, values in odds.readable_columns.items():
        if name == "winner":  # nobody fights without dice
            continue
        table.add_row(label_of(odds.battle, name), value_of(odds.battle, name, values[0].item()))
    return table


def show_sweep(console: Console, swept: Sweep) -> None:
    """A grid for two axes, in parts if it is too wide; else a list of cells."""
    if len(swept.paths) == 2:
        for place in range(len(swept.asked)):
            for part in _grid_parts(swept, place, console.width):
                console.print(part)
    else:
        console.print(_cell_table(swept))
    console.print(Text(swept.how()))


def _cell_number(asked: str, value: float, decimals: int = 1) -> str:
    if math.isnan(value):  # the rules refuse the cell
        return "-"
    return percent(value, decimals) if is_chance(asked) else f"{value:.{decimals + 2}f}"


def _bare_number(asked: str, value: float) -> str:
    text = _cell_number(asked, value, 0)
    return text.replace(" %", "").replace(" ", "") if is_chance(asked) else f"{value:.3g}"


def _grid_parts(swept: Sweep, place: int, width: int) -> list[Table]:
    """The grid with as many columns in each part as fit; with fewer digits, and no signs, if that helps."""
    asked, settings = swept.asked[place], [str(value) for value in swept.values[1]]
    rows, numbers = [str(value) for value in swept.values[0]], swept.grid(place)
    title = f"{asked}: down {swept.paths[0]}, across {swept.paths[1]}"
    for written in (_cell_number, partial(_cell_number, decimals=0), _bare_number):
        cells = [[written(asked, number) for number in row] for row in numbers]
        wide = max(*map(len, settings), *(len(cell) for row in cells for cell in row)) + 3
        fit = max(1, (width - max(map(len, rows)) - 3) // wide)
        if fit >= len(settings):
            break
    parts = []
    for begin in range(0, len(settings), fit):
        part = settings[begin : begin + fit]
        table = plain_table("", title=title if begin == 0 else f"{asked}, continued", right=part)
        for name, row in zip(rows, cells, strict=True):
            table.add_row(name, *row[begin : begin + fit])
        parts.append(table)
    return parts


def _cell_table(swept: Sweep) -> Table:
    simulated = any(cell.method == "simulated" for cell in swept.cells)
    numbers = (name for asked in swept.asked for name in (asked, "95 % interval")[: 1 + simulated])
    table = plain_table(*swept.paths, right=(*numbers, "method"))
    for cell in swept.cells:
        cells = []
        for asked, found in zip(swept.asked, cell.measures, strict=True):
            cells.append(_cell_number(asked, found.value))
            if simulated:
                sure = cell.method != "simulated" or math.isnan(found.low)
                low, high = _cell_number(asked, found.low), _cell_number(asked, found.high)
                cells.append("" if sure else f"{low} - {high}")
        table.add_row(*map(str, cell.settings), *cells, cell.refused or cell.method)
    return table


def need_table(found: Need) -> Table:
    """The combinations tried, in ascending cost."""
    number = partial(_cell_number, found.asked, decimals=2)
    rows = [row | {found.asked: row["value"]} for row in found.rows()]
    return table_of(rows, dict.fromkeys(found.settings, "{}") | {"cost": "{:g}", found.asked: number, "method": "{:s}"})


def rounds_table(found: ByRound) -> Table:
    """Chances by round; for one plan with its interval when simulated."""
    unit, rows = found.clock.unit, found.rows()
    if len(found.odds) > 1:
        return table_of(rows, {unit: "{:d}"} | dict.fromkeys(found.odds, percent))
    columns: dict[str, Any] = {unit: "{:d}", found.clock.title: percent}
    if any(odds.battles is not None for odds in found.odds.values()):
        columns["95 % interval"] = "{:s}"
    return table_of(
        (row | {found.clock.title: row["p"], "95 % interval": span(row["low"], row["high"])} for row in rows), columns
    )


def survival_table(found: Survival) -> Table:
    """The chance of each piece to survive."""
    table = plain_table("side", "piece", "", right=("survives",))
    table.add_column("")
    if found.battles is not None:
        table.add_column("95 % interval", justify="right")
    for piece in found.pieces:
        cells = [piece.side.replace("_", " "), piece.piece, piece.worth, percent(piece.p), bar_of(piece.p)]
        table.add_row(*cells, *([] if found.battles is None else [span(piece.low, piece.high)]))
    return table


def schema_table(battle: Battle, rows: Sequence[FieldRow]) -> Table:
    """Fields of a battle kind: path, what it takes, default, meaning. Names are never broken."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=f"{battle.game} {battle.kind}", title_justify="left")
    table.add_column("field", no_wrap=True)
    table.add_column("takes, [default]", ratio=2)
    table.add_column("meaning", ratio=3)
    for row in rows:
        default = f"[{row.default}]" if row.default else ""
        if row.default == "needed":
            default = "needed" if row.needed else "needed in its table"
        takes = Text.assemble(row.takes, " " * bool(default), (default, "bold" * row.needed))
        table.add_row(row.path, takes, row.meaning)
    if any("[i]" in row.path for row in rows):
        table.caption, table.caption_justify = "[i]: a list of tables; the first is [0]", "left"
    return table


def listing(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Rows of a game's list, such as its leaders."""
    table = Table(*(name.replace("_", " ") for name in rows[0]), box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for row in rows:
        table.add_row(*(Text(str(value)) for value in row.values()))
    return table
