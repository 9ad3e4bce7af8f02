"""The picture and the table of a mixture."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from rich.table import Table

from simulator.analysis.odds.mix import Mixture
from simulator.report.plots import COLOURS, OTHERS, as_percentages, panels, subject, titled
from simulator.report.tables import plain_table
from simulator.report.words import label_of, percent

MOST_LINES = 10
STYLES = ("-", "--", "-.", ":")


def plot_mixture(found: Mixture, ax: Axes | None = None) -> Axes:
    """The mixture's distribution of the first number of the headline, and a line a combination."""
    odds = found.odds
    numbers = [name for name in (*odds.headline, *odds.columns) if odds.kind_of(name) == "number"]
    column = numbers[0]
    (axes,) = panels(ax)
    values, place = np.unique(odds.numbers(column), return_inverse=True)
    gap = float(np.diff(values).min()) if len(values) > 1 else 1.0
    axes.bar(values.astype(float), np.bincount(place, odds.chances), 0.9 * gap, color="#CCCCCC", label="mixture")
    shown = sorted(range(len(found.answers)), key=lambda k: -found.weights[k])[:MOST_LINES]
    for turn, k in enumerate(sorted(shown)):
        table = found.answers[k].distribution(column)
        colour = (COLOURS["defender"], COLOURS["attacker"], *OTHERS)[turn % 8]
        label = ", ".join(map(str, found.combinations[k])) + f" ({percent(found.weights[k], 0)})"
        axes.plot(table["value"], table["p"], STYLES[turn % 4], color=colour, lw=1.4, label=label)
    axes.set_xlabel(label_of(odds.battle, column))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel("chance")
    as_percentages(axes.yaxis)
    axes.legend(frameon=False, fontsize=8.5, title=", ".join(found.paths), title_fontsize=8.5)
    titled(axes, f"{subject(odds.battle)}: {len(found.answers)} possible battles", found.how())
    return axes


def mixture_table(found: Mixture) -> Table:
    """A row a combination."""
    rows = found.rows()
    table = plain_table(*rows[0], right=[name for name in rows[0] if name not in found.paths])
    for row in rows:
        chances = (percent(row[name]) for name in row if name == "weight" or name.startswith("p_"))
        table.add_row(*(str(row[path]) for path in found.paths), *chances, row["method"])
    return table
