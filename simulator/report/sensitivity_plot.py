"""The picture and the table of a sensitivity: a tornado."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Patch
from rich.table import Table

from simulator.analysis.odds.measure import in_words, is_chance
from simulator.analysis.studies.sensitivity import ALIKE, Sensitivity, Step
from simulator.report.plots import COLOURS, as_percentages, legend_below, panels, subject, titled
from simulator.report.tables import plain_table
from simulator.report.words import path_in_words, percent

MOST_BARS = 15
# The width of a letter of a label, as a part of the longest bar.
LETTER = 0.032
LOWER, HIGHER = COLOURS["attacker"], COLOURS["defender"]


def plot_sensitivity(found: Sensitivity, ax: Axes | None = None) -> Axes:
    """For each field a bar from the lowest to the highest value, about a line at the base."""
    fields = [(name, steps) for name, steps in found.fields() if max(abs(one.change.value) for one in steps) > ALIKE]
    fields = fields[:MOST_BARS]
    (axes,) = panels(ax, size=(7.0, 1.7 + 0.36 * max(1, len(fields))))
    span = max((abs(one.change.value) for _, steps in fields for one in steps), default=1.0)
    low, high = found.base - 0.1 * span, found.base + 0.1 * span
    for row, (_, steps) in enumerate(fields):
        for colour, end in ((LOWER, min(steps, key=_value)), (HIGHER, max(steps, key=_value))):
            if (end.value < found.base) == (colour == LOWER) and abs(end.change.value) > ALIKE:
                axes.barh(row, end.value - found.base, 0.7, found.base, color=colour)
                side = -1 if colour == LOWER else 1
                label_ends = end.value + side * span * (0.06 + LETTER * len(_short(end.to)))
                low, high = min(low, label_ends), max(high, label_ends)
                axes.annotate(
                    _short(end.to),
                    (end.value, row),
                    (3 * side, 0),
                    textcoords="offset points",
                    ha="right" if side < 0 else "left",
                    va="center",
                    fontsize=8,
                )
    axes.axvline(found.base, color="black", lw=1)
    axes.set_yticks(
        range(len(fields)), [f"{path_in_words(name)} ({_short(steps[0].setting)})" for name, steps in fields]
    )
    axes.tick_params(axis="y", labelsize=9)
    axes.invert_yaxis()
    axes.set_xlim(low, high)
    base = percent(found.base, 1) if is_chance(found.value) else f"{found.base:.4g}"
    axes.set_xlabel(f"{in_words(found.value)}; now {base}")
    if is_chance(found.value):
        as_percentages(axes.xaxis)
    handles = [Patch(color=LOWER, label="lower"), Patch(color=HIGHER, label="higher")]
    legend_below(axes, 2, handles=handles, fontsize=9)
    titled(axes, f"{subject(found.odds.battle)}: each field changed alone", found.how())
    return axes


def _value(step: Step) -> float:
    return step.value


def _short(setting: Any) -> str:
    return {True: "yes", False: "no"}[setting] if isinstance(setting, bool) else str(setting)


def sensitivity_table(found: Sensitivity) -> Table:
    """A row a change that has an effect, the field that moves most first."""
    table = plain_table("field", "now", "then", right=("now", "then"))
    for name in (found.value, "change"):
        table.add_column(name, justify="right")
    simulated = any(step.method != "exact" for step in found.steps)
    if simulated:
        table.add_column("95 % interval", justify="right")
    idle = set(found.without_effect())
    unit, chance = (100, True) if is_chance(found.value) else (1, False)
    for name, steps in found.fields():
        for place, step in enumerate(steps if name not in idle else ()):
            value = percent(step.value) if chance else f"{step.value:.4g}"
            change = f"{unit * step.change.value:+.2f}" if chance else f"{step.change.value:+.4g}"
            cells = ["" if place else name, "" if place else _short(step.setting), _short(step.to), value, change]
            if simulated:
                cells.append(f"{unit * step.change.low:+.3g} to {unit * step.change.high:+.3g}")
            table.add_row(*cells)
    return table
