"""The picture and the table of a series of battles: luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from rich.table import Table

from simulator.analysis.history.luck import Luck
from simulator.analysis.history.replay import Replay
from simulator.report.plots import COLOURS, as_percentages, legend_below, panels, subject, titled
from simulator.report.tables import plain_table


def plot_luck(found: Luck, ax: Axes | None = None) -> Axes:
    """The distribution of the sum, with the observed sum marked; outcomes as bad or worse are dark."""
    (axes,) = panels(ax)
    if found.spread is None:
        value = np.linspace(found.expected - 4 * found.std, found.expected + 4 * found.std, 400)
        p = np.exp(-0.5 * ((value - found.expected) / found.std) ** 2)
        axes.plot(value, p / p.max(), color=COLOURS["defender"])
        axes.set_yticks([])
    else:
        value, p = found.spread.values, found.spread.p
        gap = max(float(np.diff(value).min()), float(np.ptp(value)) / 200) if len(value) > 1 else 1.0
        worse = value <= found.observed + 1e-9
        axes.bar(value[worse], p[worse], 0.9 * gap, color=COLOURS["attacker"], label="as observed, or worse")
        axes.bar(value[~worse], p[~worse], 0.9 * gap, color=COLOURS["defender"], label="better")
        as_percentages(axes.yaxis)
        axes.set_ylabel("chance")
    axes.axvline(found.observed, color="black", lw=1.5, label=f"observed {found.observed:.4g}")
    axes.axvline(found.expected, color="0.35", lw=1.2, ls="--", label=f"expected {found.expected:.4g}")
    axes.set_xlabel("battles won" if found.weights == {"win": 1} else "worth of all battles")
    legend_below(axes, 4, fontsize=9)
    titled(axes, str(found), found.how())
    return axes


def plot_replay(found: Replay, ax: Axes | None = None) -> Axes:
    """The worth of the battle to the attacker after each roll. Raises NoExactOdds as `Replay.luck_rows`."""
    (axes,) = panels(ax)
    rows = found.luck_rows()
    worths = [rows[0]["before"], *(row["after"] for row in rows)] if rows else []
    axes.plot(range(len(worths)), worths, "o-", color=COLOURS["attacker"], ms=4)
    axes.set_xlabel("roll")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel("worth to the attacker")
    axes.grid(alpha=0.3)
    battle = found.scenario.battle if found.scenario else None
    titled(axes, f"{subject(battle)}: one battle" if battle else "one battle", found.how())
    return axes


def luck_table(found: Luck) -> Table:
    """A row a battle."""
    table = plain_table("battle", "side", "expected", "observed", "luck", right=("expected", "observed", "luck"))
    for row in found.rows():
        numbers = (f"{row['expected']:.4g}", f"{row['observed']:.4g}", f"{row['luck']:.3f}")
        table.add_row(row["battle"], row["side"], *numbers)
    return table


def roll_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """A row a roll: the worth before and after it, and how lucky it was."""
    table = plain_table("roll", "before", "after", "change", "luck", right=("before", "after", "change", "luck"))
    for row in rows:
        numbers = (f"{row['before']:.4f}", f"{row['after']:.4f}", f"{row['change']:+.4f}", f"{row['luck']:.3f}")
        table.add_row(row["line"].splitlines()[0] if row["line"] else "", *numbers)
    return table
