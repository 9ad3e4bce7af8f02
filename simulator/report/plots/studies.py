"""Pictures of studies: comparisons, sensitivities (tornadoes), sweeps (lines and heat maps)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from simulator.analysis.odds.measure import in_words, is_chance
from simulator.report.plots import figures as fig
from simulator.report.words import label_of, path_in_words
from simulator.rules.toolkit.tolerances import ROUNDING
from simulator.rules.toolkit.words import percent, setting_of

if TYPE_CHECKING:
    from simulator.analysis.studies.balance import Balance
    from simulator.analysis.studies.compare import ComparedValue, Comparison
    from simulator.analysis.studies.sensitivity import Sensitivity
    from simulator.analysis.studies.swept import Sweep
    from simulator.analysis.studies.units import Units

MOST_BARS = 15
# The width of a letter of a label, as a part of the longest bar.
LETTER = 0.032
# The largest number of cells of a heat map with numbers in them.
MOST_WRITTEN_CELLS = 150
# Characters of tick labels that fit below a picture, and labels that fit beside it.
WIDTH_OF_TICKS = 64
MOST_ROWS = 25


def plot_comparison(found: Comparison, ax: Axes | None = None) -> Axes:
    """Distributions of the first shared column side by side; below, the chances of the winner and the difference."""
    columns = [name for name in found.shared if next(iter(found.odds.values())).kind_of(name) == "number"]
    chances = [row for row in found.answers if is_chance(row.value)]
    many = bool(columns) + bool(chances or not columns)
    axes = fig.panels(ax, many, size=(7.0, 3.4 * many + 0.8))
    if columns:
        _distributions(axes[0], found, columns[0])
    if len(axes) == many and (chances or not columns):
        _differences(axes[-1], found, chances or list(found.answers))
    handles = [Patch(color=fig.LINES[place % len(fig.LINES)], label=name) for place, name in enumerate(found.odds)]
    fig.legend_below(axes[0], 1 if max(map(len, found.odds)) > 24 else 3, handles=handles)
    subject = found.odds[found.reference].battle.label
    fig.titled(axes[0], f"{subject}, beside {found.reference}: {found.headline}", found.how())
    return axes[0]


def _distributions(axes: Axes, found: Comparison, column: str) -> None:
    every = np.unique(np.concatenate([odds.numbers(column) for odds in found.odds.values()])).astype(float)
    gap = fig.gap_of(every)
    many = len(found.odds)
    wide = len(every) > 60 // many
    for place, odds in enumerate(found.odds.values()):
        values, inverse = np.unique(odds.numbers(column), return_inverse=True)
        p = np.bincount(inverse, odds.chances)
        if wide:
            axes.step(values.astype(float), p, where="mid", color=fig.LINES[place % len(fig.LINES)], lw=1.5)
        else:
            shift = (place - (many - 1) / 2) * 0.85 * gap / many
            axes.bar(values + shift, p, 0.85 * gap / many, color=fig.LINES[place % len(fig.LINES)])
    axes.set_xlabel(label_of(next(iter(found.odds.values())).battle, column))
    fig.whole_ticks(axes.xaxis)
    fig.chance_axis(axes.yaxis)


def _differences(axes: Axes, found: Comparison, rows: Sequence[ComparedValue]) -> None:
    """Bars of the values of each scenario; above each bar but the reference's the difference with its interval."""
    names, values = list(found.odds), list(dict.fromkeys(row.value for row in rows))
    many = len(names)
    for row in rows:
        place = names.index(row.scenario)
        at = values.index(row.value) + (place - (many - 1) / 2) * 0.85 / many
        axes.bar(at, row.estimate, 0.85 / many, color=fig.LINES[place % len(fig.LINES)])
        if row.scenario == found.reference:
            continue
        top = row.estimate
        if not math.isnan(row.difference.low) and row.difference.high > row.difference.low:
            base = row.estimate - row.difference.value
            error = [[row.estimate - (base + row.difference.low)], [base + row.difference.high - row.estimate]]
            top = max(top, base + row.difference.high)
            axes.errorbar([at], [row.estimate], error, fmt="none", ecolor="black", lw=1.0, capsize=2)
        if many * len(values) <= 12:
            text = f"{100 * row.difference.value:+.1f}" if is_chance(row.value) else f"{row.difference.value:+.3g}"
            axes.annotate(text, (at, top), (0, 4), textcoords="offset points", ha="center", fontsize=8)
    axes.set_xticks(range(len(values)), [in_words(value) for value in values])
    axes.margins(y=0.15)
    if all(is_chance(value) for value in values):
        axes.set_ylim(0, None)
        fig.chance_axis(axes.yaxis, "chance (difference in points)")
    else:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def plot_sensitivity(found: Sensitivity, ax: Axes | None = None) -> Axes:
    """For each field a bar from the lowest to the highest value, about a line at the base."""
    fields = [(name, steps) for name, steps in found.fields() if max(abs(one.change.value) for one in steps) > ROUNDING]
    fields = fields[:MOST_BARS]
    (axes,) = fig.panels(ax, size=(7.0, 1.7 + 0.36 * max(1, len(fields))))
    span = max((abs(one.change.value) for _, steps in fields for one in steps), default=1.0)
    low, high = found.base - 0.1 * span, found.base + 0.1 * span
    side = fig.side_of(found.value)
    in_favour = [fig.COLOURS[one] for one in ("defender", "attacker")] if side else list(fig.LINES[1::-1])
    lower, higher = in_favour[::-1] if side == "defender" else in_favour
    for row, (_, steps) in enumerate(fields):
        lowest, highest = min(steps, key=attrgetter("value")), max(steps, key=attrgetter("value"))
        for colour, end in ((lower, lowest), (higher, highest)):
            if (end.value < found.base) == (colour == lower) and abs(end.change.value) > ROUNDING:
                axes.barh(row, end.value - found.base, 0.7, found.base, color=colour)
                towards = -1 if colour == lower else 1
                label_ends = end.value + towards * span * (0.06 + LETTER * len(setting_of(end.to)))
                low, high = min(low, label_ends), max(high, label_ends)
                text = axes.annotate(setting_of(end.to), (end.value, row), (3 * towards, 0), textcoords="offset points")
                text.set(ha="right" if towards < 0 else "left", va="center", fontsize=8)
    axes.axvline(found.base, color="black", lw=1)
    axes.set_yticks(
        range(len(fields)), [f"{path_in_words(name)} ({setting_of(steps[0].setting)})" for name, steps in fields]
    )
    axes.tick_params(axis="y", labelsize=9)
    axes.invert_yaxis()
    axes.set_xlim(low, high)
    fig.value_axis(axes.xaxis, found.value, f"; now {_number(found.value, found.base)}")
    if is_chance(found.value):
        axes.set_xticks([at for at in axes.get_xticks() if max(0, low) <= at <= min(1, high)])
    handles = [Patch(color=lower, label="lower"), Patch(color=higher, label="higher")]
    fig.legend_below(axes, 2, handles=handles)
    finding = "no field matters"
    if fields:
        ends = [_number(found.value, end(found.base, *(one.value for one in fields[0][1]))) for end in (min, max)]
        finding = f"{path_in_words(fields[0][0])} matters most ({' to '.join(ends)})"
    fig.titled(axes, f"{found.odds.battle.label}, each field changed alone: {finding}", found.how())
    return axes


def _number(value: str, number: float) -> str:
    """A number as text, in percent if the value asked is a chance."""
    return percent(number, 1) if is_chance(value) else f"{number:.4g}"


def plot_balance(found: Balance, ax: Axes | None = None) -> Axes:
    """The distance to the target over the size of the change: every combination, and the front as a line."""
    (axes,) = fig.panels(ax)
    for many, style, label in ((found.changes, ".", "tried"), (found.front[::-1], "o-", "nearest with so few steps")):
        colour = "0.7" if style == "." else fig.LINES[0]
        axes.plot([one.steps for one in many], [one.distance for one in many], style, color=colour, label=label)
    axes.set_xlabel("steps from the present settings")
    axes.set_ylim(0, None)
    fig.whole_ticks(axes.xaxis)
    axes.set_ylabel("distance to the target")
    if is_chance(found.asked[0]):
        fig.chance_axis(axes.yaxis, "distance to the target")
    fig.legend_below(axes, 2)
    fig.titled(axes, found.headline, found.how())
    return axes


def plot_units(found: Units, ax: Axes | None = None) -> Axes:
    """A bar for each unit: the points that one more of it gives its side."""
    rows = found.rows()
    (axes,) = fig.panels(ax, size=(7.0, 1.5 + 0.3 * len(rows)))
    axes.barh(range(len(rows)), [row["points"] for row in rows], 0.8, color=[fig.COLOURS[row["side"]] for row in rows])
    names = (f"{row['side']}: {row['unit']}" + (f" (cost {row['price']:g})" if row["price"] else "") for row in rows)
    axes.set_yticks(range(len(rows)), names)
    axes.invert_yaxis()
    axes.set_xlabel("points of its side's chance to win")
    fig.titled(axes, found.headline, found.how())
    return axes


def plot_sweep(swept: Sweep, ax: Axes | None = None) -> Axes:
    """One axis: a line with its interval band. Two axes: a heat map. One panel for each value asked."""
    if len(swept.paths) not in {1, 2}:
        raise ValueError(f"plot: {len(swept.paths)} fields varied; a picture shows one or two")
    many = len(swept.asked)
    wide = len(swept.paths) == 2
    size = (7.0 if not wide else 7.0 + 5.0 * (many - 1), 5.6 if wide else 4.2 + 2.6 * (many - 1))
    shape = (1, many) if wide else (many, 1)
    drawn = fig.panels(ax, *shape, size=size)
    for place, axes in enumerate(drawn):
        (_heat_map if wide else _line)(axes, swept, place)
    fig.titled(drawn[0], f"{swept.title}: {', '.join(_span(swept, place) for place in range(many))}", swept.how())
    return drawn[0]


def _span(swept: Sweep, place: int) -> str:
    """The range of a value, or the share of a map in which a side is the likelier winner."""
    value = swept.asked[place]
    known = [cell.measures[place].value for cell in swept.cells if not cell.refused]
    if len(swept.paths) == 2 and fig.side_of(value):
        return f"{fig.side_of(value)} wins more often than not in {sum(p > 0.5 for p in known)} of {len(known)} cells"
    text = " to ".join(_number(value, end(known)) for end in (min, max)) if known else "unknown"
    return f"{in_words(value)} is {text}"


def _line(axes: Axes, swept: Sweep, place: int) -> None:
    settings = swept.values[0][: len(swept.cells)]
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in settings)
    at = np.array(settings, float) if numbers else np.arange(len(settings)).astype(float)
    found = [cell.measures[place] for cell in swept.cells]
    height, low, high = (np.array([getattr(one, name) for one in found]) for name in ("value", "low", "high"))
    side = fig.side_of(swept.asked[place])
    colour = fig.COLOURS[side] if side else fig.LINES[place % len(fig.LINES)]
    if any(cell.method == "simulated" for cell in swept.cells):
        axes.fill_between(at, low, high, color=colour, alpha=0.25, lw=0, label="95 % interval")
        axes.legend()
    if numbers:
        axes.plot(at, height, fig.MARKS[0] if len(at) <= MOST_ROWS else "-", color=colour, ms=3.5)
        axes.xaxis.set_major_locator(MaxNLocator(integer=fig.whole(at)))
    else:
        axes.plot(at, height, "D", color=colour)
        axes.margins(x=0.3)
        _name_ticks(axes.xaxis, settings)
    axes.set_xlabel(path_in_words(swept.paths[0]))
    fig.value_axis(axes.yaxis, swept.asked[place])
    if is_chance(swept.asked[place]):
        fig.from_zero(axes, height)
    axes.grid()


def _name_ticks(axis: Any, settings: Any, most: int | None = None) -> None:
    """Tick labels for the settings, at most as many as fit."""
    labels = [str(one) for one in settings]
    room = most or max(2, WIDTH_OF_TICKS // (max(map(len, labels)) + 2))
    every = -(-len(labels) // room)
    axis.set_ticks(range(0, len(labels), every), labels[::every])


def _heat_map(axes: Axes, swept: Sweep, place: int) -> None:
    grid = swept.grid(place)
    chance = is_chance(swept.asked[place])
    low, high = (0.0, 1.0) if chance else (None, None)
    red, blue, side = fig.COLOURS["attacker"], fig.COLOURS["defender"], fig.side_of(swept.asked[place])
    own = {"attacker": (blue, "#F7F7F7", red), "defender": (red, "#F7F7F7", blue)}.get(side or "")
    colours = LinearSegmentedColormap.from_list("sides", own) if own else "Purples" if chance else "cividis"
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
        fig.legend_below(axes, 2, handles=handles)
    if grid.size <= MOST_WRITTEN_CELLS and grid.shape[1] <= 14:
        _write_cells(axes, grid, chance, image)
    fig.value_axis(axes.figure.colorbar(image, ax=axes).ax.yaxis, swept.asked[place])


def _write_cells(axes: Axes, grid: np.ndarray, chance: bool, image: Any) -> None:
    """The number of each cell, dark on light colours and light on dark ones."""
    for (row, column), value in np.ndenumerate(grid):
        if np.isfinite(value):
            red, green, blue, _ = image.cmap(image.norm(value))
            ink = "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"
            text = percent(value, 0).replace(" %", "").replace(" ", "") if chance else f"{value:.3g}"
            axes.text(column, row, text, ha="center", va="center", color=ink, fontsize=8)
