"""The protocol of all answers: rows, a table of them, how they were obtained, JSON, and a picture."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_HTML_ROWS = 20


class Result(ABC):
    """An answer to a question about battles.

    A class of answers gives `rows` and `how`; `json_fields` names the attributes that `to_dict` adds to them, and
    `json_rows` the key of the rows.
    """

    json_fields: ClassVar[tuple[str, ...]] = ()
    json_rows: ClassVar[str] = "table"
    # Draws an answer. simulator/__init__.py sets it, because pictures belong to a higher layer.
    draw: ClassVar[Callable[..., Axes]]

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """The answer as records of plain values."""

    @abstractmethod
    def how(self) -> str:
        """The method of the answer, in one line."""

    @cached_property
    def table(self) -> pd.DataFrame:
        """`rows` as a DataFrame."""
        return frame(self.rows())

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return {name: getattr(self, name) for name in self.json_fields} | {
            "how": self.how(),
            self.json_rows: self.rows(),
        }

    def plot(self, ax: Axes | None = None, *, path: Any = None, **options: Any) -> Axes:
        """Draw the answer on `ax`, or in a figure of its own, and return the (first) matplotlib Axes.

        On a given `ax` a picture of several panels shows its first panel only. The whole figure is saved to `path`
        (png, svg or pdf) if given. Raises ValueError where there is nothing to draw, and for a path or `ax` that
        cannot be used.
        """
        return type(self).draw(self, ax, path, **options)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.how()})"

    def _repr_html_(self) -> str:
        """The answer in a notebook: how it was obtained, and the first and last rows of the table."""
        return f"<p>{escape(repr(self))}</p>\n{self.table.to_html(max_rows=MOST_HTML_ROWS)}"


def records(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Columns (NumPy arrays) as rows of plain values."""
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def frame(rows: Any, columns: Iterable[str] | None = None) -> pd.DataFrame:
    """Rows, or columns by name, as a DataFrame (pandas takes long to import: only where a table is asked for)."""
    import pandas as pd

    return pd.DataFrame(rows, columns=None if columns is None else list(columns))
