"""Answers as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from simulator.analysis.odds import Odds
from simulator.analysis.survival import Survival
from simulator.analysis.sweep import Sweep
from simulator.rules.battle import WINNERS, Battle
from simulator.scenarios import Scenario

MOST_GRID_COLUMNS = 14


def percent(value: float) -> str:
    """A chance, as precise as it is worth reading."""
    return f"{100 * value:.2f} %"


def chance_table(odds: Odds) -> Table:
    """Winner chances and yes/no outputs."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("winner")
    table.add_column("chance", justify="right")
    if odds.battles is not None:
        table.add_column("95 % interval", justify="right")
    flags = [name for name, values in odds.columns.items() if values.dtype == bool]
    for name in (*WINNERS, *flags):
        p = odds.winner(name) if name in WINNERS else odds.p(name)
        low, high = odds.winner_interval(name) if name in WINNERS else odds.interval(name)
        cells = [name.replace("_", " "), percent(p)]
        table.add_row(*cells, *([] if odds.battles is None else [f"{100 * low:.2f} - {100 * high:.2f} %"]))
    return table


def summary_table(odds: Odds) -> Table:
    """Headline columns: mean, spread, quantiles."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for name in ("mean", "spread", "5 %", "median", "95 %"):
        table.add_column(name, justify="right")
    for row in odds.summary_rows():
        mean = f"{row['mean']:.3f}"
        if odds.battles is not None:
            mean += f" ± {(row['high'] - row['low']) / 2:.3f}"
        quantiles = [f"{row[key]:g}" for key in ("q05", "q50", "q95")]
        table.add_row(row["column"].replace("_", " "), mean, f"{row['std']:.3f}", *quantiles)
    return table


def likely_table(odds: Odds) -> Table:
    """The most likely outcomes by winner and losses."""
    columns = [name for name in odds.headline if "lost" in name or "losses" in name] or list(odds.headline[:2])
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="most likely outcomes", title_justify="left")
    for name in ("chance", "winner", *columns):
        table.add_column(name.replace("_", " "), justify="left" if name == "winner" else "right")
    for row in odds.likely(5, columns):
        table.add_row(percent(row["p"]), row["winner"], *(str(row[name]) for name in columns))
    return table


def show_odds(console: Console, scenario: Scenario, odds: Odds, explain: bool = False) -> None:
    """The whole answer."""
    battle = scenario.battle
    console.print(f"[bold]{battle.game} {battle.kind}[/bold]: {battle.title}")
    if battle.answer is not None and odds.method == "exact" and not odds.explored:
        show_certain(console, odds)
    else:
        console.print(Group(chance_table(odds), summary_table(odds), likely_table(odds)))
    reasons = list(scenario.built.explain())
    if reasons and (explain or not odds.explored):
        console.print("How it comes about")
        for line in reasons:
            console.print(Text(f"  {line}"))
    console.print(f"Method: {odds.how()}", highlight=False)
    console.print(
        "Rests on: " + ("; ".join(odds.assumptions) or "the rules as they stand"), style="dim", highlight=False
    )


def show_certain(console: Console, odds: Odds) -> None:
    """The one row of a battle without dice."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_header=False)
    for name, values in odds.columns.items():
        value = WINNERS[values[0]] if name == "winner" else values[0].item()
        shown = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
        table.add_row(name.replace("_", " "), str(shown))
    console.print(table)


def show_sweep(console: Console, swept: Sweep) -> None:
    """A grid for two narrow axes, else a list of cells."""
    two = len(swept.paths) == 2 and len(swept.values[1]) <= MOST_GRID_COLUMNS
    console.print(_grid_table(swept) if two else _cell_table(swept))
    console.print(swept.how())


def _number(swept: Sweep, value: float) -> str:
    chance = not swept.value.startswith(("mean", "std", "q"))
    return f"{100 * value:.1f} %" if chance else f"{value:.3f}"


def _grid_table(swept: Sweep) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=swept.value, title_justify="left")
    table.add_column(f"{swept.paths[0]} \\ {swept.paths[1]}")
    for value in swept.values[1]:
        table.add_column(str(value), justify="right")
    for value, row in zip(swept.values[0], swept.grid(), strict=True):
        table.add_row(str(value), *(_number(swept, number) for number in row))
    return table


def _cell_table(swept: Sweep) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in swept.paths:
        table.add_column(name, justify="right")
    for name in (swept.value, "95 % interval", "method"):
        table.add_column(name, justify="right")
    for cell in swept.cells:
        exact = cell.method == "exact"
        span = "" if exact else f"{_number(swept, cell.low)} - {_number(swept, cell.high)}"
        table.add_row(*map(str, cell.settings), _number(swept, cell.value), span, cell.method)
    return table


def schema_table(battle: Battle, schema: Mapping[str, Any]) -> Table:
    """Every field of a battle kind: path, what it takes, default, meaning."""
    from simulator.scenarios.validation import allowed

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=f"{battle.game} {battle.kind}", title_justify="left")
    for name in ("field", "takes", "default", "meaning"):
        table.add_column(name, overflow="fold")
    for path, node, needed in schema_fields(schema):
        default = "needed" if needed else "" if node.get("default") is None else str(node["default"])
        table.add_row(path, allowed(dict(node), dict(schema)), default, node.get("description", ""))
    return table


def schema_fields(schema: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any], bool]]:
    """Leaf fields of a JSON schema as (path, node, needed), tables and lists of tables opened."""
    found: list[tuple[str, Mapping[str, Any], bool]] = []

    def resolve(node: Mapping[str, Any]) -> Mapping[str, Any]:
        return schema["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node

    def tables_in(node: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
        opened = []
        for branch in node.get("anyOf", [node]):
            target = resolve(branch)
            if "properties" in target:
                opened.append(("", target))
            elif target.get("type") == "array" and "properties" in resolve(target.get("items", {})):
                opened.append(("[i]", resolve(target["items"])))
        return opened

    def visit(path: str, node: Mapping[str, Any]) -> None:
        for name, child in node.get("properties", {}).items():
            here = f"{path}.{name}" if path else name
            inside = tables_in(child)
            plain = [branch for branch in child.get("anyOf", [child]) if "properties" not in resolve(branch)]
            if not inside or (plain and "anyOf" in child):
                found.append((here, child, name in node.get("required", [])))
            for suffix, target in inside:
                visit(here + suffix, target)

    visit("", schema)
    return found


def survival_table(found: Survival) -> Table:
    """The chance of each piece to survive."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("side", "counter", ""):
        table.add_column(name)
    table.add_column("survives", justify="right")
    if found.battles is not None:
        table.add_column("95 % interval", justify="right")
    for piece in found.pieces:
        cells = [piece.side.replace("_", " "), piece.piece, piece.worth, percent(piece.p)]
        table.add_row(*cells, *([] if found.battles is None else [f"{100 * piece.low:.2f} - {100 * piece.high:.2f} %"]))
    return table
