"""The style that pictures share: colours, sizes, panels, titles, legends, axes of chances."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from simulator.analysis.odds.distribution import wilson
from simulator.analysis.odds.measure import in_words, is_chance

# The sides have the colours of the web page (web/static/style.css); the others are from the palette of Okabe and Ito,
# which colour-blind readers can distinguish.
COLOURS = {"attacker": "#C2362B", "defender": "#1F62B5", "nobody": "#8B93A0"}
OTHERS = ("#009E73", "#CC79A7", "#E69F00", "#6A3D9A", "#000000", "#B8A800")
FAINT = "#E8E8E8"
# Scenarios and values that belong to no side are never red or blue.
LINES = OTHERS
MARKS = ("o-", "s--", "^-.", "d:", "v-", "P--")
# The label of figures made here, and the width and height of one with a single panel.
OWN, SIZE = "battle-odds", (7.0, 4.2)
FORMATS = ("png", "svg", "pdf")
PERCENT = FuncFormatter(lambda p, _: f"{round(100 * p, 6):g} %")
# Chances that are all below this get an axis of their own length.
SMALL = 0.4
# Letters of the small title on an inch.
LETTERS = 15
# Settings of matplotlib for everything that is drawn here (simulator/report/plots/pictures.py).
STYLE = Path(__file__).with_name("battle-odds.mplstyle")


def panels(ax: Axes | None, down: int = 1, across: int = 1, *, size: tuple[float, float] = SIZE) -> list[Axes]:
    """The axes of each panel, row by row, in a new figure without a window; or `ax` alone, for the first panel."""
    if ax is not None:
        return [ax]
    figure = Figure(figsize=size, layout="constrained")
    figure.set_label(OWN)
    return list(figure.subplots(down, across, squeeze=False).flat)


def is_own(axes: Axes) -> bool:
    """Were these axes made by `panels`, so that title and legend may take room of the whole figure?"""
    figure = axes.get_figure(root=True)
    return figure is not None and figure.get_label() == OWN


def check_path(path: Any) -> None:
    """Raise ValueError for a picture file with an unknown ending or in a folder that does not exist."""
    target = Path(path)
    if target.suffix.lstrip(".").lower() not in FORMATS:
        raise ValueError(f"plot: {str(path)!r} is not allowed; give a file that ends in .{', .'.join(FORMATS)}")
    if not target.absolute().parent.is_dir():
        raise ValueError(f"plot: no folder {str(target.parent)!r}")


def headline(axes: Axes, title: str) -> None:
    """The title above all panels, in as many lines as it needs."""
    width = axes.get_figure(root=True).get_figwidth()  # type: ignore[union-attr]
    axes.figure.suptitle(textwrap.fill(title, int(12 * width)), x=0.01, ha="left", fontsize=11)


def titled(axes: Axes, title: str, how: str) -> None:
    """The title above the picture, and below it in grey how the answer was obtained."""
    width = 100 if is_own(axes) else int(LETTERS * axes.bbox.width / axes.figure.dpi)
    lines = textwrap.wrap(how, width, max_lines=2, placeholder=" ...")
    if is_own(axes):
        headline(axes, title)
    else:
        lines = [*textwrap.wrap(title, width), *lines]
    axes.set_title("\n".join(lines), fontsize=8.5, color="0.35", loc="left")


def legend_below(axes: Axes, ncols: int, **options: Any) -> None:
    """A legend below all panels, of at most `ncols` columns; inside the axes where these were given.

    `options` are matplotlib's.
    """
    if is_own(axes):
        handles = options.setdefault("handles", axes.get_legend_handles_labels()[0])
        longest = max(len(str(one.get_label())) for one in handles)
        width = axes.get_figure(root=True).get_figwidth()  # type: ignore[union-attr]
        ncols = max(1, min(ncols, int(13 * width) // (longest + 4)))
        axes.figure.legend(loc="outside lower center", ncols=ncols, **options)
    else:
        axes.legend(frameon=True, **options)


def legend_beside(axes: Axes, **options: Any) -> None:
    """A legend right of the panel; inside the axes where these were given. `options` are matplotlib's."""
    place = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)} if is_own(axes) else {"frameon": True}
    axes.legend(**options | place)


def side_of(value: str) -> str | None:
    """The side whose chance to win a value is; None for all other values."""
    return value[2:] if value in {"p_attacker", "p_defender"} else None


def chance_axis(axis: Any, label: str = "chance") -> None:
    """A label, and ticks in percent with as many digits as they need."""
    axis.set_label_text(label)
    axis.set_major_formatter(PERCENT)


def value_axis(axis: Any, value: str, more: str = "") -> None:
    """The axis of a value as for `measure`: its name in words, with ticks in percent if it is a chance."""
    axis.set_label_text(in_words(value) + more)
    if is_chance(value):
        axis.set_major_formatter(PERCENT)


def from_zero(axes: Axes, heights: np.ndarray) -> None:
    """Limits of an axis of chances, as on the web page: 0 to 100 %; 0 to the highest where all are small."""
    axes.set_ylim(0, 1.03 if np.nanmax(heights) > SMALL else None)


def whole_ticks(axis: Any) -> None:
    """Ticks at whole numbers."""
    axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def whole(values: np.ndarray) -> bool:
    """Are all of these whole numbers? `values`: numbers or bool, any shape."""
    return values.dtype.kind in "iub" or bool((values == np.round(values)).all())


def gap_of(values: np.ndarray, share: float = 0.0) -> float:
    """The least distance of neighbouring values, at least `share` of their span; 1 for a single value.

    `values`: ascending, int64 or float64, shape (values,).
    """
    return max(float(np.diff(values).min()), share * float(np.ptp(values))) if len(values) > 1 else 1.0


def errors(p: np.ndarray, battles: int) -> np.ndarray:
    """The lengths of the 95 % intervals below and above chances: float64, shape (2, chances)."""
    low, high = np.array([wilson(one, battles) for one in p]).T
    return np.array([p - low, high - p])
