"""Tables of sweeps for a terminal: a list of cells for one or several fields, a grid for two."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from simulator.analysis.odds.measure import is_chance
from simulator.analysis.words import heading
from simulator.report.tables.plain import plain_table
from simulator.report.tables.short import MOST_AT_ENDS, all_rows, ends
from simulator.rules.toolkit.words import percent

if TYPE_CHECKING:
    from simulator.analysis.studies.grid import Cell
    from simulator.analysis.studies.swept import Sweep


def sweep_parts(swept: Sweep, width: int, every: bool = False) -> Iterator[Any]:
    """A grid for two fields, else a list of cells; long ones are cut, with `every` a wide grid is shown in parts."""
    if len(swept.paths) == 2:
        for place in range(len(swept.asked)):
            yield from _grid_parts(swept, place, width, every)
    else:
        yield from _list_parts(swept, every)
    for reason in dict.fromkeys(cell.refused for cell in swept.refusals) if every else ():
        yield f"Not allowed: {reason}"
    yield from swept.changes
    yield f"Method: {swept.how()}"


def _number(asked: str, value: float, decimals: int = 1) -> str:
    if math.isnan(value):  # the rules refuse the cell
        return "-"
    return percent(value, decimals) if is_chance(asked) else f"{value:.{decimals + 2}f}"


def _bare_number(asked: str, value: float) -> str:
    text = _number(asked, value, 0)
    return text.replace(" %", "").replace(" ", "") if is_chance(asked) else f"{value:.3g}"


def _grid_parts(swept: Sweep, place: int, width: int, every: bool) -> Iterator[Any]:
    """The grid; where it is too wide with fewer digits, then with fewer rows and columns, or in parts."""
    asked, (down, across) = swept.asked[place], [[str(value) for value in values] for values in swept.values]
    numbers = swept.grid(place)
    for written in (_number, partial(_number, decimals=0), _bare_number):
        cells = [[written(asked, number) for number in row] for row in numbers]
        wide = max(*map(len, across), *(len(cell) for row in cells for cell in row)) + 3
        fit = max(1, (width - max(map(len, down)) - 3) // wide)
        if fit >= len(across):
            break
    rows = list(range(len(down))) if every else _thinned(len(down), MOST_AT_ENDS)
    columns = list(range(len(across))) if every else _thinned(len(across), fit)
    title = f"{heading(asked)}: down {swept.paths[0]}, across {swept.paths[1]}"
    for begin in range(0, len(columns), fit):
        part = columns[begin : begin + fit]
        named = [across[at] for at in part]
        table = plain_table("", title=title if begin == 0 else f"{heading(asked)}, continued", right=named)
        for row in rows:
            table.add_row(down[row], *(cells[row][at] for at in part))
        yield table
    yield all_rows(len(rows) * len(columns), numbers.size, "cells")


def _thinned(number: int, most: int) -> list[int]:
    """At most this many of the places from 0 to number - 1: the first, the last, and others evenly between."""
    if number <= most:
        return list(range(number))
    if most < 2:
        return [0]
    step = -(-(number - 1) // (most - 1))
    return [*range(0, number - 1, step), number - 1]


def _list_parts(swept: Sweep, every: bool) -> Iterator[Any]:
    """A row a cell, the first and the last ones and those nearest to even; the method where it is not always the same.

    Intervals stand beside simulated values.
    """
    short = ends(swept.cells, swept.nearest, every)
    mixed = len({cell.method for cell in short.rows}) > 1
    numbers = (name for asked in swept.asked for name in (heading(asked), "95 % interval"))
    table = plain_table(*swept.paths, right=(*numbers, "method"))
    for place, cell in enumerate(short.rows):
        method = "not allowed" if cell.refused else cell.method
        cells = [*map(str, cell.settings), *_cells(swept.asked, cell), method if mixed else ""]
        if place in short.gaps:
            table.add_row(*("..." if one else "" for one in cells))
        table.add_row(*cells)
    yield table
    yield short.line


def _cells(names: Sequence[str], cell: Cell) -> Iterator[str]:
    """The values of a cell, each with its interval if simulated."""
    for asked, found in zip(names, cell.measures, strict=True):
        yield _number(asked, found.value)
        sure = cell.method != "simulated" or math.isnan(found.low)
        yield "" if sure else f"{_number(asked, found.low)} - {_number(asked, found.high)}"
