"""The protocol of all answers: headline, rows, a table of them, how they were obtained, JSON, HTML, and a picture."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


class Result(ABC):
    """An answer to a question about battles.

    A class of answers gives `rows` and `how`; `json_fields` names the attributes that `to_dict` adds to them, and
    `json_rows` the key of the rows.
    """

    json_fields: ClassVar[tuple[str, ...]] = ()
    json_rows: ClassVar[str] = "table"
    # Draws an answer. simulator/__init__.py sets it, because pictures belong to a higher layer.
    _draw: ClassVar[Callable[..., Axes]]

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """The answer as records of plain values."""

    @abstractmethod
    def how(self) -> str:
        """The method of the answer, in one line."""

    @property
    def headline(self) -> str:
        """The answer in one sentence; "" for an answer that has none."""
        return ""

    @cached_property
    def table(self) -> pd.DataFrame:
        """`rows` as a DataFrame."""
        return frame(self.rows())

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON, the headline first."""
        headline = {"headline": self.headline} if self.headline else {}
        return (
            headline
            | {name: getattr(self, name) for name in self.json_fields}
            | {
                "how": self.how(),
                self.json_rows: self.rows(),
            }
        )

    def plot(self, ax: Axes | None = None, *, path: Any = None, **options: Any) -> Axes:
        """Draw the answer.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; a picture of several panels then shows its first panel only. By default those of a
            new figure.
        path : str or Path, optional
            A file (png, svg or pdf) for the whole figure.
        **options
            Options of the picture of this answer.

        Returns
        -------
        matplotlib.axes.Axes
            The (first) axes drawn on.

        Raises
        ------
        ValueError
            Where there is nothing to draw, and for a path or `ax` that cannot be used.

        Examples
        --------
        >>> axes = sweep("risk-20v15", {"attacker.regiments": range(10, 31)}).plot()
        >>> len(axes.lines) > 0
        True
        """
        return type(self)._draw(self, ax, path, **options)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.how()})"

    def _shown_rows(self) -> list[dict[str, Any]]:
        """The rows that a notebook shows."""
        return self.rows()

    def _repr_html_(self) -> str:
        """The answer in a notebook: the headline, the first and last rows, and how it was obtained."""
        from simulator.scenarios.notebook import page

        return page(str(self.headline), self._shown_rows(), f"{type(self).__name__}: {self.how()}")


def records(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Columns (NumPy arrays) as rows of plain values."""
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def frame(rows: Any, columns: Iterable[str] | None = None) -> pd.DataFrame:
    """Rows, or columns by name, as a DataFrame (pandas takes long to import: only where a table is asked for)."""
    import pandas as pd

    return pd.DataFrame(rows, columns=None if columns is None else list(columns))
