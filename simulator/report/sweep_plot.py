"""Figures of sweeps: lines over one field, heat maps over two."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, PercentFormatter

from simulator.analysis.odds.measure import in_words, is_chance
from simulator.analysis.studies.sweep import Sweep
from simulator.report.plots import COLOURS, MARKS, OTHERS, as_percentages, legend_below, panels, titled, whole
from simulator.report.words import path_in_words, percent

# The largest number of cells of a heat map with numbers in them.
MOST_WRITTEN_CELLS = 150
# Characters of tick labels that fit below a picture, and labels that fit beside it.
WIDTH_OF_TICKS = 64
MOST_ROWS = 25


def plot_sweep(swept: Sweep, ax: Axes | None = None) -> Axes:
    """One axis: a line with its interval band. Two axes: a heat map. One panel for each value asked."""
    if len(swept.paths) not in {1, 2}:
        raise ValueError(f"plot: {len(swept.paths)} fields varied; a picture shows one or two")
    many = len(swept.asked)
    wide = len(swept.paths) == 2
    size = (7.0 if not wide else 7.0 + 5.0 * (many - 1), 5.6 if wide else 4.2 + 2.6 * (many - 1))
    shape = (1, many) if wide else (many, 1)
    drawn = panels(ax, *shape, size=size)
    for place, axes in enumerate(drawn):
        (_heat_map if wide else _line)(axes, swept, place)
    titled(drawn[0], f"{swept.title}: {', '.join(map(in_words, swept.asked))}", swept.how())
    return drawn[0]


def _line(axes: Axes, swept: Sweep, place: int) -> None:
    settings = swept.values[0][: len(swept.cells)]
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in settings)
    at = np.array(settings, float) if numbers else np.arange(len(settings)).astype(float)
    found = [cell.measures[place] for cell in swept.cells]
    height, low, high = (np.array([getattr(one, name) for one in found]) for name in ("value", "low", "high"))
    colour = (COLOURS["defender"], COLOURS["attacker"], *OTHERS)[place % (2 + len(OTHERS))]
    if any(cell.method == "simulated" for cell in swept.cells):
        axes.fill_between(at, low, high, color=colour, alpha=0.25, lw=0, label="95 % interval")
        axes.legend(frameon=False)
    axes.plot(at, height, MARKS[0] if len(at) <= MOST_ROWS else "-", color=colour, ms=3.5)
    if numbers:
        axes.xaxis.set_major_locator(MaxNLocator(integer=whole(at)))
    else:
        _name_ticks(axes.xaxis, settings)
    axes.set_xlabel(path_in_words(swept.paths[0]))
    axes.set_ylabel(in_words(swept.asked[place]))
    if is_chance(swept.asked[place]):
        as_percentages(axes.yaxis)
    axes.grid(alpha=0.3)


def _name_ticks(axis: Any, settings: Any, most: int | None = None) -> None:
    """As many of the settings as tick labels as fit."""
    labels = [str(one) for one in settings]
    room = most or max(2, WIDTH_OF_TICKS // (max(map(len, labels)) + 2))
    every = -(-len(labels) // room)
    axis.set_ticks(range(0, len(labels), every), labels[::every])


def _heat_map(axes: Axes, swept: Sweep, place: int) -> None:
    grid = swept.grid(place)
    chance = is_chance(swept.asked[place])
    low, high = (0.0, 1.0) if chance else (None, None)
    colours = "RdBu_r" if chance else "cividis"
    image = axes.imshow(grid, origin="lower", aspect="auto", cmap=colours, vmin=low, vmax=high)
    axes.set_facecolor("0.85")
    _name_ticks(axes.yaxis, swept.values[0], MOST_ROWS)
    _name_ticks(axes.xaxis, swept.values[1])
    axes.set_ylabel(path_in_words(swept.paths[0]))
    axes.set_xlabel(path_in_words(swept.paths[1]))
    handles = []
    known = grid[np.isfinite(grid)]
    if chance and min(grid.shape) > 1 and known.size and known.min() < 0.5 < known.max():
        axes.contour(np.ma.masked_invalid(grid), levels=[0.5], colors="black", linewidths=1.5)
        handles.append(Line2D([], [], color="black", lw=1.5, label="even odds (50 %)"))
    if swept.refusals:
        handles.append(Line2D([], [], color="0.85", lw=8, label="not allowed"))
    if handles:
        legend_below(axes, 2, handles=handles)
    if grid.size <= MOST_WRITTEN_CELLS and grid.shape[1] <= 14:
        _write_cells(axes, grid, chance, image)
    bar = axes.figure.colorbar(image, ax=axes, label=in_words(swept.asked[place]))
    if chance:
        bar.ax.yaxis.set_major_formatter(PercentFormatter(1.0))


def _write_cells(axes: Axes, grid: np.ndarray, chance: bool, image: Any) -> None:
    """The number of each cell, dark on light colours and light on dark ones."""
    for (row, column), value in np.ndenumerate(grid):
        if np.isfinite(value):
            red, green, blue, _ = image.cmap(image.norm(value))
            ink = "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"
            text = percent(value, 0).replace(" %", "").replace(" ", "") if chance else f"{value:.3g}"
            axes.text(column, row, text, ha="center", va="center", color=ink, fontsize=8)
