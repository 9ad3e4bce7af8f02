"""Tables without frames, which all answers use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rich import box
from rich.table import Table


def plain_table(*names: str, title: str | None = None, right: Iterable[str] = ()) -> Table:
    """A table without a frame: columns of text, then columns of numbers (`right`)."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
    for name in names:
        table.add_column(name)
    for name in right:
        table.add_column(name, justify="right")
    return table


def table_of(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str | Callable[[Any], str]]) -> Table:
    """These columns of rows, written by a format or a function; a column with the format "{}" stands on the left."""
    table = plain_table()
    for name, written in columns.items():
        table.add_column(name, justify="left" if written == "{}" else "right")
    for row in rows:
        cells = ((row[name], written) for name, written in columns.items())
        table.add_row(*(how.format(value) if isinstance(how, str) else how(value) for value, how in cells))
    return table
