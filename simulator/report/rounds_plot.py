"""The picture and the table of a battle round by round."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from rich.table import Table

from simulator.analysis.history.rounds import Rounds
from simulator.report.plots import COLOURS, MARKS, OTHERS, as_percentages, panels, subject, titled
from simulator.report.tables import plain_table
from simulator.report.words import label_of, percent

GOING = "#E8E8E8"
MOST_LINES = 6


def plot_rounds(found: Rounds, ax: Axes | None = None) -> Axes:
    """Stacked areas: attacker, nobody, defender, still going; below them the expected columns as they stand."""
    above, *below = panels(ax, 2, size=(7.0, 7.2))
    rows = found.rows()
    _areas(above, rows)
    for axes in below:
        axes.sharex(above)
        above.tick_params(labelbottom=False)
        _lines(axes, found, rows)
    last = below[0] if below else above
    last.set_xlabel("round")
    last.xaxis.set_major_locator(MaxNLocator(integer=True))
    titled(above, f"{subject(found.scenario.battle)}: round by round", found.how())
    return above


def _areas(axes: Axes, rows: list[dict[str, Any]]) -> None:
    at = [row["round"] for row in rows]
    sides = [side for side in ("attacker", "nobody", "defender") if side in rows[0]]
    parts = {f"{side} has won": ([row[side] for row in rows], COLOURS[side]) for side in sides}
    if not sides:
        parts["over"] = ([row["over"] for row in rows], COLOURS["defender"])
    parts = {label: part for label, part in parts.items() if max(part[0]) > 0}
    parts["still going"] = ([1 - row["over"] for row in rows], GOING)
    heights, colours = zip(*parts.values(), strict=True)
    axes.stackplot(at, *heights, colors=colours, labels=list(parts))
    axes.set_ylim(0, 1)
    axes.set_xlim(at[0], max(at[-1], at[0] + 1))
    axes.set_ylabel("chance")
    as_percentages(axes.yaxis)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)


def _lines(axes: Axes, found: Rounds, rows: list[dict[str, Any]]) -> None:
    at = np.array([row["round"] for row in rows])
    battle = found.scenario.battle
    shown = [name for name in battle.headline if name in found.columns and name != "rounds"][:MOST_LINES]
    spare = iter(OTHERS)
    for place, name in enumerate(shown):
        colour = COLOURS.get(name.partition("_")[0]) or next(spare)
        values = [row[f"mean.{name}"] for row in rows]
        axes.plot(at, values, MARKS[place], color=colour, label=label_of(battle, name), ms=4)
    axes.set_ylabel("expected, as it stands")
    axes.grid(alpha=0.3)
    if shown:
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)


def rounds_passed_table(found: Rounds) -> Table:
    """A row a round: over, who has won, the headline columns as they stand."""
    battle, rows = found.scenario.battle, found.rows()
    sides = [name for name in ("over", "attacker", "defender", "nobody") if name in rows[0]]
    shown = [name for name in battle.headline if name in found.columns and name != "rounds"]
    table = plain_table("round", *sides, *(label_of(battle, name) for name in shown))
    for column in table.columns:
        column.justify = "right"
    for row in rows:
        chances = [percent(row[name]) for name in sides]
        table.add_row(str(row["round"]), *chances, *(f"{row[f'mean.{name}']:.3f}" for name in shown))
    return table
