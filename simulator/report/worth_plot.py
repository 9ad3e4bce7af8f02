"""The picture and the table of the worth of a battle."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter
from rich.table import Table

from simulator.analysis.decisions.worth import Worth
from simulator.report.plots import COLOURS, as_percentages, legend_below, panels, subject, titled
from simulator.report.tables import plain_table
from simulator.report.words import percent, span

WORST, LOSS, GAIN = "#000000", COLOURS["attacker"], COLOURS["defender"]


def plot_worth(found: Worth, ax: Axes | None = None) -> Axes:
    """The distribution of the worth: gains, losses, and in black the worst `level`."""
    (axes,) = panels(ax)
    value, p = found.spread.values, found.spread.p
    gap = max(float(np.diff(value).min()), float(np.ptp(value)) / 160) if len(value) > 1 else 1.0
    worst = np.clip(found.level - (np.cumsum(p) - p), 0.0, p)
    parts = [
        (value >= -1e-9, GAIN, f"gain ({percent(1 - found.p_negative, 1)})"),
        (value < -1e-9, LOSS, f"loss ({percent(found.p_negative, 1)})"),
    ]
    for chosen, colour, label in parts:
        if chosen.any():
            axes.bar(value[chosen], p[chosen], 0.9 * gap, color=colour, label=label)
    label = f"worst {percent(found.level, 0)}, on average {found.shortfall:.4g}"
    axes.bar(value, worst, 0.9 * gap, color=WORST, label=label, alpha=0.75)
    axes.axvline(found.mean, color="0.25", lw=1.2, ls="--", label=f"mean {found.mean:.4g}")
    axes.set_xlabel(f"worth to the {found.side}")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    axes.set_ylabel("chance")
    as_percentages(axes.yaxis)
    legend_below(axes, 2, fontsize=9)
    titled(axes, f"{subject(found.odds.battle)}: what it is worth", found.how())
    return axes


def worth_table(found: Worth) -> Table:
    """The numbers of `Worth`, one a row."""
    table = plain_table("worth", "value", right=("value",))
    simulated = found.odds.battles is not None
    if simulated:
        table.add_column("95 % interval", justify="right")

    def add(name: str, value: str, interval: str = "") -> None:
        table.add_row(name, value, *([interval] if simulated else []))

    add("mean", f"{found.mean:.6g}", f"{found.low:.5g} to {found.high:.5g}")
    add("standard deviation", f"{found.std:.6g}")
    interval = span(found.p_negative_low, found.p_negative_high)
    add("chance to be worth less than 0", percent(found.p_negative), interval)
    add(f"{percent(found.level, 0)} quantile (value at risk)", f"{found.quantile:.6g}")
    add(f"mean of the worst {percent(found.level, 0)} (shortfall)", f"{found.shortfall:.6g}")
    for x, p in found.p_lose.items():
        add(f"chance to lose at least {x:g}", percent(p))
    return table
