"""The picture of a campaign: a bar a fight, and below it the units left of each force after each fight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from simulator.analysis.history.rounds import rounds
from simulator.analysis.odds.run import PORTION
from simulator.report import figures as fig
from simulator.report.campaigns import CampaignReport
from simulator.report.words import percent
from simulator.rules.campaign.plan import FATES
from simulator.rules.toolkit.naming import SIDES
from simulator.scenarios.scenario import again

if TYPE_CHECKING:
    from simulator.analysis.history.rounds import Rounds
    from simulator.analysis.odds.odds import Odds

NO_FIGHT = fig.FAINT
# A bar narrower than this has no room for its chance.
ROOM = 0.12
# Letters of a label, and of all labels side by side.
WIDE, MOST_LETTERS = 22, 60


def plot_campaign(odds: Odds, ax: Axes | None = None) -> Axes:
    """The campaign of these odds; simulated courses are those of the first battles (one portion of them)."""
    assert odds.scenario is not None
    scenario = again(odds.battle, odds.scenario)
    battles = None if odds.battles is None else min(odds.battles, PORTION)
    return plot_fights(odds, rounds(scenario, battles=battles, seed=odds.seed or 0), ax)


def plot_fights(odds: Odds, course: Rounds, ax: Axes | None = None) -> Axes:
    """Bars for the fights of these odds, lines for the units left in their course."""
    report = CampaignReport(course.scenario, odds, len(course.by_round) - 1)
    above, *below = fig.panels(ax, 2, size=(7.0, 3.2 + 0.45 * len(report.plan.fights) + 2.4))
    _bars(above, report)
    for axes in below:
        _lines(axes, report, course)
    fig.titled(above, report.result(), odds.how())
    return above


def short(name: str) -> str:
    """A name as a label; the title and the tables have it whole."""
    return name if len(name) <= WIDE else f"{name[: WIDE - 3]}..."


def _bars(axes: Axes, report: CampaignReport) -> None:
    """The winners of each fight, by camp: a fight that only they attack is won by them in their colour."""
    ours, theirs = report.camps()
    plan, at = report.plan, np.arange(len(report.plan.fights))
    chances = np.zeros((len(FATES), len(at)))
    for place, fight in enumerate(plan.fights):
        fates = report.fates(fight)
        roles = SIDES if plan.on_our_side(*fight.sides) else SIDES[::-1]
        chances[:, place] = [fates[name] for name in (roles[0], "nobody", roles[1], "none")]
    labels = (short(f"won by {ours}"), "won by nobody", short(f"won by {theirs}"), "does not take place")
    colours = (fig.COLOURS["attacker"], fig.COLOURS["nobody"], fig.COLOURS["defender"], NO_FIGHT)
    left = np.zeros(len(at))
    for label, colour, width in zip(labels, colours, chances, strict=True):
        if width.any():
            axes.barh(at, width, 0.7, left, color=colour, label=label)
            for place in np.flatnonzero(width >= ROOM).tolist():
                shade = "black" if colour == NO_FIGHT else "white"
                middle = left[place] + width[place] / 2
                axes.text(middle, place, percent(width[place], 1), ha="center", va="center", color=shade)
        left += width
    axes.set_yticks(at, [f"{short(fight.name)}\n{short(report.versus(fight))}" for fight in plan.fights])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    fig.chance_axis(axes.xaxis)
    fig.legend_beside(axes)


def _lines(axes: Axes, report: CampaignReport, course: Rounds) -> None:
    """Units left of each force: ours in the attacker's colour, theirs in the defender's."""
    plan, rows = report.plan, course.rows()
    for place, name in enumerate(plan.forces):
        colour = fig.COLOURS["attacker" if place in plan.us else "defender"]
        values = [row[f"mean.{name}_units_left"] for row in rows]
        axes.plot(range(len(rows)), values, fig.MARKS[place], color=colour, label=short(name), ms=5)
    stages = ["start", *(fight.name for fight in plan.fights)][: len(rows)]
    crowded = sum(map(len, stages)) > MOST_LETTERS
    axes.set_xticks(range(len(rows)), [short(name) for name in stages])
    axes.tick_params("x", rotation=30 * crowded)
    few = f"\n(first {course.battles:,} battles)" if course.battles != report.odds.battles and course.battles else ""
    axes.set_ylabel(f"units left on average{few}")
    axes.set_xlabel("after")
    axes.set_ylim(bottom=0)
    axes.grid()
    fig.legend_beside(axes)
