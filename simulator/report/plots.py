"""Figures from odds and sweeps (matplotlib, imported only here)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from simulator.analysis.odds import Odds, wilson
from simulator.analysis.rounds import fallen_rows
from simulator.analysis.survival import Survival
from simulator.analysis.sweep import Sweep
from simulator.rules.battle import WINNERS

# Okabe and Ito's palette, told apart by colour-blind readers.
COLOURS = {"attacker": "#D55E00", "defender": "#0072B2", "nobody": "#999999"}
FORMATS = ("png", "svg", "pdf")
MOST_LABELS = 25


def new_figure(width: float = 7.0, height: float = 4.2) -> tuple[Figure, Axes]:
    """A figure with one set of axes, without any window."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def save(figure: Figure, path: Any) -> Figure:
    """Write the figure if a path is given. Raises ValueError for an ending that is not png, svg or pdf."""
    if path is not None:
        check_path(path)
        figure.savefig(path, dpi=144)
    return figure


def check_path(path: Any) -> None:
    """Refuse (ValueError) a picture file whose ending or folder will not do."""
    target = Path(path)
    if target.suffix.lstrip(".").lower() not in FORMATS:
        raise ValueError(f"plot: {str(path)!r} is not allowed; give a file that ends in .{', .'.join(FORMATS)}")
    if not target.absolute().parent.is_dir():
        raise ValueError(f"plot: no folder {str(target.parent)!r}")


def plot_odds(odds: Odds, column: str | None = None, path: Any = None) -> Figure:
    """Chance of each value of a column, stacked by winner; simulated totals carry 95 % intervals."""
    column = column or (odds.headline[0] if odds.headline else next(name for name in odds.columns if name != "winner"))
    values, place = np.unique(odds._column(column), return_inverse=True)
    figure, axes = new_figure()
    bottom = np.zeros(len(values))
    at = values.astype(float)
    for code, side in enumerate(WINNERS):
        chosen = odds.columns["winner"] == code
        height = np.bincount(place[chosen], odds.chances[chosen], minlength=len(values))
        if height.sum() > 0:
            label = f"{side} wins" if side != "nobody" else "nobody wins"
            axes.bar(at, height, 0.9, bottom, color=COLOURS[side], label=f"{label} ({odds.winner(side):.1%})")
            bottom += height
    if odds.battles is not None:
        bounds = np.array([wilson(p, odds.battles) for p in bottom])
        axes.errorbar(at, bottom, [bottom - bounds[:, 0], bounds[:, 1] - bottom], fmt="none", ecolor="black", lw=0.8)
    axes.set_xlabel(spoken(column))
    axes.set_ylabel("chance")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}" if bottom.max() > 0.05 else f"{value:.1%}")
    axes.legend(frameon=False)
    axes.set_title(odds.how(), fontsize=9, color="0.35", loc="left")
    return save(figure, path)


def plot_sweep(swept: Sweep, path: Any = None) -> Figure:
    """One axis: a line with its interval band. Two axes: a heat map."""
    if len(swept.paths) == 1:
        return save(_line(swept), path)
    if len(swept.paths) == 2:
        return save(_heat_map(swept), path)
    raise ValueError(f"plot: {len(swept.paths)} fields varied; a picture shows one or two")


def _line(swept: Sweep) -> Figure:
    figure, axes = new_figure()
    values = swept.values[0][: len(swept.cells)]
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    at = np.array(values, float) if numbers else np.arange(len(values))
    height, low, high = (np.array([getattr(cell, name) for cell in swept.cells]) for name in ("value", "low", "high"))
    axes.fill_between(at, low, high, color=COLOURS["defender"], alpha=0.25, lw=0, label="95 % interval")
    axes.plot(at, height, color=COLOURS["defender"], marker="o" if len(at) <= MOST_LABELS else "", ms=3)
    if not numbers:
        axes.set_xticks(at, [str(value) for value in values])
    axes.set_xlabel(spoken(swept.paths[0]))
    axes.set_ylabel(spoken(swept.value))
    axes.grid(alpha=0.3)
    if any(cell.method == "simulated" for cell in swept.cells):
        axes.legend(frameon=False)
    axes.set_title(swept.how(), fontsize=9, color="0.35", loc="left")
    return figure


def _heat_map(swept: Sweep) -> Figure:
    figure, axes = new_figure(7.0, 5.6)
    grid = swept.grid()
    chance = swept.value.startswith("p_")
    limits = {"vmin": 0.0, "vmax": 1.0} if chance else {}
    image = axes.imshow(grid, origin="lower", aspect="auto", cmap="RdBu_r" if chance else "viridis", **limits)
    for axis, values in ((axes.yaxis, swept.values[0]), (axes.xaxis, swept.values[1])):
        every = -(-len(values) // MOST_LABELS)
        axis.set_ticks(range(0, len(values), every), [str(value) for value in values[::every]])
    axes.set_ylabel(spoken(swept.paths[0]))
    axes.set_xlabel(spoken(swept.paths[1]))
    if chance and np.isfinite(grid).all() and min(grid.shape) > 1 and grid.min() < 0.5 < grid.max():
        axes.contour(grid, levels=[0.5], colors="black", linewidths=1)
    figure.colorbar(image, ax=axes, label=spoken(swept.value))
    axes.set_title(swept.how(), fontsize=9, color="0.35", loc="left")
    return figure


def spoken(name: str) -> str:
    """A column or field name as words."""
    if name.startswith("p_") and name[2:] in WINNERS:
        return f"chance that {name[2:]} wins"
    return name.replace("_", " ").replace(".", ": ", 1)


def plot_survival(found: Survival, path: Any = None) -> Figure:
    """A bar for each piece: its chance to survive, simulated ones with 95 % intervals."""
    figure, axes = new_figure(7.0, 1.2 + 0.26 * len(found.pieces))
    colours = {"attacker": COLOURS["attacker"], "defender": COLOURS["defender"]}
    spare = iter(("#009E73", "#CC79A7"))
    for piece in found.pieces:
        if piece.side not in colours:
            colours[piece.side] = next(spare)
    for side, colour in colours.items():
        rows = [(row, piece) for row, piece in enumerate(found.pieces) if piece.side == side]
        if rows:
            at, p = [row for row, _ in rows], np.array([piece.p for _, piece in rows])
            axes.barh(at, p, 0.8, color=colour, label=side.replace("_", " "))
            if found.battles is not None:
                error = [p - [piece.low for _, piece in rows], [piece.high for _, piece in rows] - p]
                axes.errorbar(p, at, xerr=error, fmt="none", ecolor="black", lw=0.8)
    axes.set_yticks(range(len(found.pieces)), [f"{piece.piece} ({piece.worth})" for piece in found.pieces])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("chance to survive")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.legend(frameon=False, loc="lower right")
    axes.set_title(found.how(), fontsize=9, color="0.35", loc="left")
    return save(figure, path)


def plot_fallen(found: Mapping[str, Odds], path: Any = None) -> Any:
    """Curves of the chance to have fallen by each round, one a plan, with 95 % bands when simulated.

    Saved to `path` (png, svg or pdf) if given. Returns the matplotlib figure.
    """
    figure, axes = new_figure()
    for (plan, odds), style in zip(found.items(), ("o-", "s--", "^-.", "d:", "v-"), strict=False):
        rows = fallen_rows(odds)
        at, p, low, high = (np.array([row[key] for row in rows]) for key in ("round", "p", "low", "high"))
        (line,) = axes.plot(at, p, style, label=plan)
        if odds.battles is not None:
            axes.fill_between(at, low, high, color=line.get_color(), alpha=0.2, lw=0)
    axes.set_xlabel("round")
    axes.set_ylabel("chance that the fortress has fallen")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    axes.set_title(next(iter(found.values())).how(), fontsize=9, color="0.35", loc="left")
    return save(figure, path)
