"""The tables of all answers: without frames, and as narrow as the output is, without cutting a name or a number.

A table that is too wide breaks its headings and texts between words, never a number. Where that is not enough, it is
shown in parts one below the other, each of which begins with the first column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import PaddingDimensions
from rich.table import Table
from rich.text import Text

# Spaces between columns, and at both edges, of tables with a line below their headings and of those without.
GAP, EDGES = 3, 2
BARE_GAP, BARE_EDGES = 2, 0
BARE_PADDING: PaddingDimensions = (0, BARE_GAP, 0, 0)
# The least rows in which a column with one value counts as constant; the length beyond which a word may be broken.
MANY_ROWS, LONGEST_WORD = 4, 32


class PlainTable(Table):
    """A table that fits itself into the width of the output.

    A column without a text in any row is left out. `bare`: without a line below the headings, and with all columns.
    `constants`: a column with the same value in every row becomes a line above the table.
    """

    def __init__(self, *, title: str | None = None, bare: bool = False, constants: bool = False) -> None:
        look: dict[str, Any] = {"box": None, "padding": BARE_PADDING} if bare else {"box": box.SIMPLE_HEAD}
        super().__init__(pad_edge=False, title=title, title_justify="left", caption_justify="left", **look)
        self._bare, self._constants = bare, constants

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The parts of the table, each as wide as it needs to be and at most as wide as the output."""
        texts = [[_plain(column.header), *map(_plain, column.cells)] for column in self.columns]
        whole = self._bare or not self.row_count
        filled = [at for at, cells in enumerate(texts) if at == 0 or any(cells[1:]) or whole]
        same = [at for at in filled[1:] if self._is_constant(texts[at])]
        shown = [at for at in filled if at not in same]
        gap, edges = (BARE_GAP, BARE_EDGES) if self._bare else (GAP, EDGES)
        room = options.max_width - edges + gap
        natural = [max(map(_longest_line, cells), default=0) + gap for cells in texts]
        least = [self._least(at, cells, room // 2) + gap for at, cells in enumerate(texts)]
        if self.title:
            yield Text(str(self.title), style="italic")
        if same:
            yield Text(f"In every row: {', '.join(f'{texts[at][0]} {texts[at][1]}' for at in same)}")
        parts = _parts(shown, least, room)
        for place, part in enumerate(parts):
            widths = _widths([least[at] for at in part], [natural[at] for at in part], room)
            table = self._part(part, [width - gap for width in widths])
            table.caption = self.caption if place == len(parts) - 1 else None
            yield from Table.__rich_console__(table, console, options)

    def _is_constant(self, cells: Sequence[str]) -> bool:
        """Does a column hold one value, in enough rows?"""
        heading, *values = cells
        return self._constants and bool(heading) and len(values) >= MANY_ROWS and len(set(values)) == 1

    def _least(self, at: int, cells: Sequence[str], most: int) -> int:
        """The smallest width of a column: of its longest word, or its longest number."""
        whole = self.columns[at].justify == "right"
        heading, *values = cells
        words = [*heading.split(), *(values if whole else [word for value in values for word in value.split()])]
        longest = max(map(cell_len, words), default=0)
        return longest if whole else min(longest, max(LONGEST_WORD, most))

    def _part(self, columns: Sequence[int], widths: Sequence[int]) -> PlainTable:
        """Some columns of this table, as wide as given."""
        part = PlainTable(bare=self._bare)
        part.show_header = self.show_header
        for at, width in zip(columns, widths, strict=True):
            column = self.columns[at]
            part.add_column(column.header, justify=column.justify, style=column.style, width=width, overflow="fold")
        for cells in zip(*(self.columns[at].cells for at in columns), strict=True):
            part.add_row(*cells)
        return part


def _plain(cell: object) -> str:
    return cell.plain if isinstance(cell, Text) else str(cell)


def _longest_line(text: str) -> int:
    return max(map(cell_len, text.splitlines()), default=0)


def _parts(columns: Sequence[int], least: Sequence[int], room: int) -> list[list[int]]:
    """The columns of each part: as many as fit beside the first column, which all have."""
    if not columns:
        return []
    first, *others = columns
    parts, wide = [[first]], least[first]
    for at in others:
        if wide + least[at] > room and len(parts[-1]) > 1:
            parts.append([first])
            wide = least[first]
        parts[-1].append(at)
        wide += least[at]
    return parts


def _widths(least: Sequence[int], natural: Sequence[int], room: int) -> list[int]:
    """The width of each column: what it needs, where that fits; the widest ones are broken first."""
    widths = list(map(min, least, natural))
    left = room - sum(widths)
    if left < 0:  # two columns that do not fit beside each other: words are broken
        widest = widths.index(max(widths))
        widths[widest] = max(1, widths[widest] + left)
        return widths
    missing = sorted(range(len(widths)), key=lambda at: natural[at] - widths[at])
    for place, at in enumerate(missing):
        more = min(natural[at] - widths[at], left // (len(missing) - place))
        widths[at] += more
        left -= more
    return widths


def plain_table(
    *names: str, title: str | None = None, right: Iterable[str] = (), bare: bool = False, constants: bool = False
) -> PlainTable:
    """A table without a frame: columns of text, then columns of numbers (`right`); see `PlainTable`."""
    table = PlainTable(title=title, bare=bare, constants=constants)
    for name in names:
        table.add_column(name)
    for name in right:
        table.add_column(name, justify="right")
    return table


def table_of(
    rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str | Callable[[Any], str]], constants: bool = True
) -> PlainTable:
    """These columns of rows, written by a format or a function; a column with the format "{}" stands on the left.

    None is an empty cell.
    """
    table = plain_table(constants=constants)
    for name, written in columns.items():
        table.add_column(name, justify="left" if written == "{}" else "right")
    for row in rows:
        cells = ((row[name], written) for name, written in columns.items())
        table.add_row(
            *("" if one is None else how.format(one) if isinstance(how, str) else how(one) for one, how in cells)
        )
    return table
