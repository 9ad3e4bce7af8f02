"""Pictures of the course of a battle or campaign, and of what came of it: rounds, replays, luck, worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from simulator.analysis.history.rounds import rounds
from simulator.analysis.odds.run import PORTION
from simulator.report.campaigns import CampaignReport
from simulator.report.plots import figures as fig
from simulator.report.words import label_of
from simulator.rules.campaign.plan import FATES
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.tolerances import ALIKE
from simulator.rules.toolkit.words import percent
from simulator.scenarios.scenario import again

if TYPE_CHECKING:
    from simulator.analysis.decisions.worth import Worth
    from simulator.analysis.history.luck import Luck
    from simulator.analysis.history.replay import Replay
    from simulator.analysis.history.rounds import Rounds
    from simulator.analysis.odds.odds import Odds

MOST_LINES = 6
NO_FIGHT = fig.FAINT
# A bar narrower than this has no room for its chance.
ROOM = 0.12
# Letters of a label, and of all labels side by side.
WIDE, MOST_LETTERS = 22, 60
WORST, LOSS, GAIN = "#000000", fig.LINES[1], fig.LINES[0]


def plot_rounds(found: Rounds, ax: Axes | None = None) -> Axes:
    """Stacked areas: attacker, nobody, defender, still going; below them the expected columns as they stand.

    Of a campaign, its fights.
    """
    if found.fights:
        return plot_fights(found.after(len(found.by_round) - 1), found, ax)
    above, *below = fig.panels(ax, 2, size=(7.0, 7.2))
    rows = found.rows()
    _areas(above, rows)
    for axes in below:
        axes.sharex(above)
        above.tick_params(labelbottom=False)
        _lines(axes, found, rows)
    last = below[0] if below else above
    last.set_xlabel("round")
    fig.whole_ticks(last.xaxis)
    half = next(row["round"] for row in rows if row["over"] >= 0.5 * rows[-1]["over"])
    text = f"half of all battles end by round {half}, and {percent(rows[-1]['over'], 1)} by round {rows[-1]['round']}"
    fig.titled(above, f"{found.scenario.battle.label}: {text}", found.how())
    return above


def _areas(axes: Axes, rows: list[dict[str, Any]]) -> None:
    at = [row["round"] for row in rows]
    sides = [side for side in ("attacker", "nobody", "defender") if side in rows[0]]
    parts = {f"{side} has won": ([row[side] for row in rows], fig.COLOURS[side]) for side in sides}
    if not sides:
        parts["over"] = ([row["over"] for row in rows], fig.COLOURS["defender"])
    parts = {label: part for label, part in parts.items() if max(part[0]) > 0}
    parts["still going"] = ([1 - row["over"] for row in rows], fig.FAINT)
    heights, colours = zip(*parts.values(), strict=True)
    axes.stackplot(at, *heights, colors=colours, labels=list(parts))
    axes.set_ylim(0, 1)
    axes.set_xlim(at[0], max(at[-1], at[0] + 1))
    fig.chance_axis(axes.yaxis)
    fig.legend_beside(axes)


def _lines(axes: Axes, found: Rounds, rows: list[dict[str, Any]]) -> None:
    at = np.array([row["round"] for row in rows])
    battle = found.scenario.battle
    shown = [name for name in battle.summary if name in found.columns and name != "rounds"][:MOST_LINES]
    spare = iter(fig.OTHERS)
    for place, name in enumerate(shown):
        colour = fig.COLOURS.get(name.partition("_")[0]) or next(spare)
        values = [row[f"mean.{name}"] for row in rows]
        axes.plot(at, values, fig.MARKS[place], color=colour, label=label_of(battle, name), ms=4)
    axes.set_ylabel("expected, as it stands")
    axes.grid()
    if shown:
        fig.legend_beside(axes)


def plot_luck(found: Luck, ax: Axes | None = None) -> Axes:
    """The distribution of the sum, with the observed sum marked; outcomes as bad or worse are dark."""
    (axes,) = fig.panels(ax)
    if found.spread is None:
        value = np.linspace(found.expected - 4 * found.std, found.expected + 4 * found.std, 400)
        p = np.exp(-0.5 * ((value - found.expected) / found.std) ** 2)
        axes.plot(value, p / p.max(), color=fig.LINES[0])
        axes.set_yticks([])
    else:
        value, p = found.spread.values, found.spread.p
        gap = fig.gap_of(value, 1 / 200)
        worse = value <= found.observed + ALIKE
        axes.bar(value[worse], p[worse], 0.9 * gap, color=LOSS, label="as observed, or worse")
        axes.bar(value[~worse], p[~worse], 0.9 * gap, color=GAIN, label="better")
        fig.chance_axis(axes.yaxis)
    if found.spread is None or fig.whole(value):
        fig.whole_ticks(axes.xaxis)
    axes.axvline(found.observed, color="black", lw=1.5, label=f"observed {found.observed:.4g}")
    axes.axvline(found.expected, color="0.35", lw=1.2, ls="--", label=f"expected {found.expected:.4g}")
    axes.set_xlabel("battles won" if found.weights == {"win": 1} else "worth of all battles")
    fig.legend_below(axes, 4)
    fig.titled(axes, str(found), found.how())
    return axes


def plot_replay(found: Replay, ax: Axes | None = None) -> Axes:
    """The worth of the battle to the attacker after each roll. Raises NoExactOdds as `Replay.luck_rows`."""
    (axes,) = fig.panels(ax)
    rows = found.luck_rows()
    worths = [rows[0]["before"], *(row["after"] for row in rows)] if rows else []
    axes.plot(range(len(worths)), worths, "o-", color=fig.COLOURS["attacker"], ms=4)
    axes.set_xlabel("roll")
    fig.whole_ticks(axes.xaxis)
    axes.set_ylabel("worth to the attacker")
    axes.grid()
    subject = f"{found.scenario.battle.label}: " if found.scenario else ""
    swings = np.diff(worths)
    most = int(np.abs(swings).argmax()) if len(swings) else -1
    text = f"roll {most + 1} changed most, by {swings[most]:+.3g} for the attacker" if len(swings) else "no roll"
    fig.titled(axes, subject + text, found.how())
    return axes


def plot_worth(found: Worth, ax: Axes | None = None) -> Axes:
    """The distribution of the worth: gains, losses, and in black the worst `level`."""
    (axes,) = fig.panels(ax)
    value, p = found.spread.values, found.spread.p
    gap = fig.gap_of(value, 1 / 160)
    worst = np.clip(found.level - (np.cumsum(p) - p), 0.0, p)
    parts = [
        (value >= -ALIKE, GAIN, f"gain ({percent(1 - found.p_negative, 1)})"),
        (value < -ALIKE, LOSS, f"loss ({percent(found.p_negative, 1)})"),
    ]
    for chosen, colour, label in parts:
        if chosen.any():
            axes.bar(value[chosen], p[chosen], 0.9 * gap, color=colour, label=label)
    label = f"worst {percent(found.level, 0)}, on average {found.shortfall:.4g}"
    axes.bar(value, worst, 0.9 * gap, color=WORST, label=label, alpha=0.75)
    axes.axvline(found.mean, color="0.25", lw=1.2, ls="--", label=f"mean {found.mean:.4g}")
    axes.set_xlabel(f"worth to the {found.side}")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    fig.chance_axis(axes.yaxis)
    fig.legend_below(axes, 2)
    text = f"worth {found.mean:.3g} to the {found.side} on average, a loss in {percent(found.p_negative, 1)}"
    fig.titled(axes, f"{found.odds.battle.label}: {text}", found.how())
    return axes


# --- campaigns: a bar a fight, and below it the units left of each force after each fight -----------------------------


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
    _fight_bars(above, report)
    for axes in below:
        _force_lines(axes, report, course)
    fig.titled(above, odds.headline.text, odds.how())
    return above


def short(name: str) -> str:
    """A name as a label; the title and the tables have it whole."""
    return name if len(name) <= WIDE else f"{name[: WIDE - 3]}..."


def _fight_bars(axes: Axes, report: CampaignReport) -> None:
    """The winners of each fight, by camp: a fight that only they attack is won by them in their colour."""
    ours, theirs = report.camps()
    plan, at = report.plan, np.arange(len(report.plan.fights))
    chances = np.zeros((len(FATES), len(at)))
    for place, fight in enumerate(plan.fights):
        fates = report.fates(fight)
        chances[1::2, place] = fates["nobody"], fates["none"]
        for side, camp in zip(SIDES, plan.camps(fight), strict=True):
            chances[2 * camp, place] += fates[side]
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


def _force_lines(axes: Axes, report: CampaignReport, course: Rounds) -> None:
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
