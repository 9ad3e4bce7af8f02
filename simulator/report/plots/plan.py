"""A plan drawn: who goes where as stacked bars, with the chance of each target."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from simulator.analysis.plan.plan import Plan
from simulator.report.plots import figures as fig
from simulator.rules.toolkit.words import percent

HOME = "home"


def plot_plan(found: Plan, ax: Axes | None = None) -> Axes:
    """A bar a target, stacked by place and piece, its chance above; what is taken and lost again is hatched; last who
    stays at home. Raises ValueError without a plan.
    """
    if found.best is None:
        raise ValueError("plot: there is no plan to draw")
    axes = fig.panels(ax)[0]
    bars = {front.name: found.orders.get(front.name, {}) for front in found.turn.fronts} | {HOME: found.home}
    colours = {place: fig.OTHERS[at % len(fig.OTHERS)] for at, place in enumerate(found.turn.places)}
    tallest = max(sum(sum(one.values()) for one in bar.values()) for bar in bars.values()) or 1
    rows = {row["target"]: row for row in found.rows()}
    for at, (name, bar) in enumerate(bars.items()):
        height = 0
        for place, pieces in bar.items():
            for piece, number in pieces.items():
                axes.bar(at, number, 0.7, bottom=height, color=colours[place], edgecolor="white")
                label = f"{number} {piece.replace('_', ' ')}"
                if number / tallest > 0.06:
                    axes.text(at, height + number / 2, label, ha="center", va="center", fontsize=8, color="white")
                height += number
        row = rows.get(name)
        if row and row["attacked"]:
            axes.text(at, height + tallest * 0.02, percent(row["chance"], 1), ha="center", fontsize=9)
            lost = row["taken"] - row["chance"]
            if not row["hold"] and lost > 0:  # taken, and lost to the counter-attack
                axes.bar(
                    at, height * lost, 0.7, bottom=height * row["chance"], fill=False, hatch="///", edgecolor="0.3"
                )
    axes.set_xticks(range(len(bars)), list(bars))
    axes.set_ylabel("pieces")
    axes.set_ylim(0, tallest * 1.12)
    axes.legend(handles=[Patch(color=colour, label=place) for place, colour in colours.items()], title="from")
    fig.titled(axes, found.headline, found.how())
    return axes
