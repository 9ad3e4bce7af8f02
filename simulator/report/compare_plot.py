"""Figures and tables of comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator
from rich.table import Table

from simulator.analysis.odds.measure import in_words, is_chance
from simulator.analysis.studies.compare import Comparison, Row
from simulator.report.plots import COLOURS, OTHERS, as_percentages, legend_below, panels, titled
from simulator.report.tables import plain_table
from simulator.report.words import label_of, percent

LINES = (COLOURS["defender"], COLOURS["attacker"], *OTHERS)


def colour(place: int) -> str:
    """The colour of the scenario at a place."""
    return LINES[place % len(LINES)]


def plot_comparison(found: Comparison, ax: Axes | None = None) -> Axes:
    """Distributions of the first shared column side by side; below, the chances of the winner and the difference."""
    columns = [name for name in found.shared if next(iter(found.odds.values())).kind_of(name) == "number"]
    chances = [row for row in found.answers if is_chance(row.value)]
    many = bool(columns) + bool(chances or not columns)
    axes = panels(ax, many, size=(7.0, 3.4 * many + 0.8))
    if columns:
        _distributions(axes[0], found, columns[0])
    if len(axes) == many and (chances or not columns):
        _differences(axes[-1], found, chances or list(found.answers))
    handles = [Patch(color=colour(place), label=name) for place, name in enumerate(found.odds)]
    legend_below(axes[0], 1 if max(map(len, found.odds)) > 24 else 3, handles=handles, fontsize=9)
    titled(axes[0], f"beside {found.reference}", found.how())
    return axes[0]


def _distributions(axes: Axes, found: Comparison, column: str) -> None:
    every = np.unique(np.concatenate([odds.numbers(column) for odds in found.odds.values()])).astype(float)
    gap = float(np.diff(every).min()) if len(every) > 1 else 1.0
    many = len(found.odds)
    wide = len(every) > 60 // many
    for place, odds in enumerate(found.odds.values()):
        values, inverse = np.unique(odds.numbers(column), return_inverse=True)
        p = np.bincount(inverse, odds.chances)
        if wide:
            axes.step(values.astype(float), p, where="mid", color=colour(place), lw=1.5)
        else:
            shift = (place - (many - 1) / 2) * 0.85 * gap / many
            axes.bar(values + shift, p, 0.85 * gap / many, color=colour(place))
    axes.set_xlabel(label_of(next(iter(found.odds.values())).battle, column))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel("chance")
    as_percentages(axes.yaxis)


def _differences(axes: Axes, found: Comparison, rows: Sequence[Row]) -> None:
    """Bars of the values of each scenario; above each bar but the reference's the difference with its interval."""
    names, values = list(found.odds), list(dict.fromkeys(row.value for row in rows))
    many = len(names)
    for row in rows:
        place = names.index(row.scenario)
        at = values.index(row.value) + (place - (many - 1) / 2) * 0.85 / many
        axes.bar(at, row.estimate, 0.85 / many, color=colour(place))
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
    axes.set_xticks(range(len(values)), [in_words(value) for value in values], fontsize=9)
    axes.margins(y=0.15)
    if all(is_chance(value) for value in values):
        axes.set_ylim(0, None)
        as_percentages(axes.yaxis)
        axes.set_ylabel("chance (difference in points)")
    else:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def comparison_table(found: Comparison) -> Table:
    """A row a value, a column a scenario with its difference to the first."""
    table = plain_table("value", right=list(found.odds))
    for name in found.odds:
        table.add_column(name, justify="right")
    for value, rows in groupby(found.answers, key=lambda row: row.value):
        table.add_row(value, *(_cell(row, row.scenario == found.reference) for row in rows))
    return table


def _cell(row: Row, reference: bool) -> str:
    chance = is_chance(row.value)
    text = percent(row.estimate) if chance else f"{row.estimate:.4g}"
    if reference:
        return text
    d = row.difference
    unit = 100 if chance else 1
    apart = f"{unit * d.value:+.2f}" if chance else f"{d.value:+.4g}"
    if row.method != "exact" and not math.isnan(d.low):
        apart += f", {unit * d.low:+.2f} to {unit * d.high:+.2f}" if chance else f", {d.low:+.4g} to {d.high:+.4g}"
    return f"{text} ({apart})"
