"""Pictures of odds: distributions, survival, chances by round, needs, estimates, mixtures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from simulator.analysis.odds.measure import is_chance
from simulator.report.plots import figures as fig
from simulator.report.plots.course import plot_campaign
from simulator.report.words import label_of, path_in_words, value_of
from simulator.rules.campaign import GAME as CAMPAIGN
from simulator.rules.toolkit.words import percent
from simulator.scenarios import is_uncertain

if TYPE_CHECKING:
    from simulator.analysis.campaigns.by_round import ByRound
    from simulator.analysis.decisions.need import Need
    from simulator.analysis.odds.mix import Mixture
    from simulator.analysis.odds.odds import Odds
    from simulator.analysis.odds.survival import Survival

MOST_ERROR_BARS = 60
MOST_BARS_OF_TEXT = 20
MOST_COMBINATIONS = 10
STYLES = ("-", "--", "-.", ":")


def colour_of(name: str, place: int) -> str:
    """The colour of the side that the name begins with, or the next of the others."""
    return fig.COLOURS.get(re.split(r"\W|_", name)[0], fig.OTHERS[place % len(fig.OTHERS)])


def plot_odds(odds: Odds, ax: Axes | None = None, column: str | None = None) -> Axes:
    """The chance of each value of a column, stacked by result; simulated totals have 95 % intervals.

    Of a campaign, without a column, its fights.
    """
    if column is None and odds.battle.game == CAMPAIGN and not is_uncertain(odds.scenario or {}):
        return plot_campaign(odds, ax)
    if column is None:
        column = _most_telling(odds)
    draw = _number_bars if odds.kind_of(column) == "number" else _name_bars
    axes = draw(odds, ax, column)
    fig.titled(axes, f"{odds.battle.label}. {odds.headline}", odds.how())
    return axes


def _most_telling(odds: Odds) -> str:
    """The first number that is not always the same, headline first; else the first number, else the first column."""
    numbers = [name for name in (*odds.summary_columns, *odds.columns) if odds.kind_of(name) == "number"]
    varying = (name for name in numbers if np.ptp(odds.numbers(name)))
    return next(varying, (numbers or list(odds.columns))[0])


def _groups(odds: Odds) -> list[tuple[str, str, np.ndarray]]:
    """The groups of outcomes that split the bars: (label, colour, outcomes); one group if several results may hold."""
    found = []
    left = np.ones(len(odds.chances), bool)
    for place, result in enumerate(odds.results):
        chosen = odds.where(result.question)
        if (chosen & ~left).any():
            return [("", fig.LINES[0], np.ones(len(odds.chances), bool))]
        left &= ~chosen
        if chosen.any():
            label = f"{result.label} wins" if result.label in fig.COLOURS else result.label
            found.append((f"{label} ({percent(result.p, 1)})", colour_of(result.label, place), chosen))
    if left.any():
        rest = float(odds.chances[left].sum())
        found.append((f"otherwise ({percent(rest, 1)})" if found else "", fig.FAINT if found else fig.LINES[0], left))
    return found


def _number_bars(odds: Odds, ax: Axes | None, column: str) -> Axes:
    values, place = np.unique(odds.numbers(column), return_inverse=True)
    (axes,) = fig.panels(ax)
    at = values.astype(float)
    gap = fig.gap_of(at)
    bottom = np.zeros(len(values))
    for label, colour, chosen in _groups(odds):
        height = np.bincount(place[chosen], odds.chances[chosen], minlength=len(values))
        axes.bar(at, height, 0.9 * gap, bottom, color=colour, label=label)
        bottom += height
    if odds.battles is not None and len(values) <= MOST_ERROR_BARS:
        axes.errorbar(at, bottom, fig.errors(bottom, odds.battles), fmt="none", ecolor="black", lw=0.8)
    if len(values) == 1:
        axes.set_xlim(at[0] - 2, at[0] + 2)
    axes.set_xlabel(label_of(odds.battle, column))
    shown = odds.battle.shown.get(column)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=7 if shown and shown.value else 10, integer=fig.whole(values)))
    if shown and shown.value:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: value_of(odds.battle, column, value)))
    fig.chance_axis(axes.yaxis)
    if axes.get_legend_handles_labels()[1]:
        fig.legend_below(axes, 3)
    return axes


def _name_bars(odds: Odds, ax: Axes | None, column: str) -> Axes:
    """A yes/no or text column: one bar for each value, the most likely on top."""
    names, place = np.unique(odds.readable_columns[column], return_inverse=True)
    height = np.bincount(place, odds.chances)
    order = np.argsort(-height, kind="stable")[:MOST_BARS_OF_TEXT]
    (axes,) = fig.panels(ax, size=(7.0, 1.4 + 0.32 * len(order)))
    labels = [value_of(odds.battle, column, names[i].item()) for i in order]
    axes.barh(range(len(order)), height[order], 0.8, color=[colour_of(name, 0) for name in labels])
    if odds.battles is not None:
        error = fig.errors(height[order], odds.battles)
        axes.errorbar(height[order], range(len(order)), xerr=error, fmt="none", ecolor="black", lw=0.8)
    axes.set_yticks(range(len(order)), labels)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    fig.chance_axis(axes.xaxis)
    return axes


def plot_survival(found: Survival, ax: Axes | None = None) -> Axes:
    """A bar for each piece: its chance to survive, simulated ones with 95 % intervals."""
    (axes,) = fig.panels(ax, size=(7.0, 1.5 + 0.26 * len(found.pieces)))
    sides = list(dict.fromkeys(piece.side for piece in found.pieces))
    for place, side in enumerate(sides):
        rows = [(row, piece) for row, piece in enumerate(found.pieces) if piece.side == side]
        at, p = [row for row, _ in rows], np.array([piece.p for _, piece in rows])
        axes.barh(at, p, 0.8, color=colour_of(side, place), label=side.replace("_", " "))
        if found.battles is not None:
            error = [p - [piece.low for _, piece in rows], [piece.high for _, piece in rows] - p]
            axes.errorbar(p, at, xerr=error, fmt="none", ecolor="black", lw=0.8)
    names = [f"{piece.piece} ({piece.worth})" if piece.worth else piece.piece for piece in found.pieces]
    axes.set_yticks(range(len(found.pieces)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    fig.chance_axis(axes.xaxis, "chance to survive")
    fig.legend_below(axes, max(1, len(sides)))
    left = {side: [piece.p for piece in found.pieces if piece.side == side] for side in sides}
    text = ", ".join(f"{sum(p):.1f} of {len(p)} ({side.replace('_', ' ')})" for side, p in left.items())
    fig.titled(axes, f"{found.title}: pieces that survive on average: {text}", found.how())
    return axes


def plot_by_round(found: ByRound, ax: Axes | None = None) -> Axes:
    """Curves of the chances by round, one a plan, with 95 % bands when simulated."""
    (axes,) = fig.panels(ax)
    clock = found.clock
    for place, (plan, odds) in enumerate(found.odds.items()):
        rows = found.curve(plan)
        at, p, low, high = (np.array([row[key] for row in rows]) for key in (clock.unit, "p", "low", "high"))
        colour, mark = fig.LINES[place % len(fig.LINES)], fig.MARKS[place % len(fig.MARKS)]
        axes.plot(at, p, mark, color=colour, label=plan, ms=4)
        if odds.battles is not None:
            axes.fill_between(at, low, high, color=colour, alpha=0.2, lw=0)
    axes.set_xlabel(clock.unit)
    fig.chance_axis(axes.yaxis, "chance by then")
    fig.whole_ticks(axes.xaxis)
    last = {plan: found.curve(plan)[-1] for plan in found.odds}
    fig.from_zero(axes, np.array([row["p"] for row in last.values()]))
    axes.grid()
    if len(last) > 1:
        fig.legend_below(axes, 3)
    ends = sorted(((row["p"], plan) for plan, row in last.items()), reverse=True)
    by = f"by {clock.unit} {max(row[clock.unit] for row in last.values())}"
    text = ", ".join(f"{plan} {percent(p, 1)}" if len(last) > 1 else percent(p, 1) for p, plan in ends)
    fig.titled(axes, f"{next(iter(found.odds.values())).battle.label}: {clock.title} {by}: {text}", found.how())
    return axes


def plot_need(found: Need, ax: Axes | None = None) -> Axes:
    """Value against cost of all combinations tried, the answer marked."""
    (axes,) = fig.panels(ax)
    rows = found.rows()
    cost, value = np.array([row["cost"] for row in rows]), np.array([row["value"] for row in rows])
    axes.plot(cost, value, "o", color=fig.LINES[0], ms=4, label="tried")
    if any(row["method"] != "exact" for row in rows):
        low, high = (np.array([row[key] for row in rows]) for key in ("low", "high"))
        axes.errorbar(cost, value, [value - low, high - value], fmt="none", ecolor="0.3", lw=0.8)
    axes.plot([found.cost], [found.value], "D", color=fig.LINES[1], ms=8, label="the answer")
    if found.target is not None:
        axes.axhline(found.target, color="0.4", lw=1, ls="--", label="target")
    only = len(found.settings) == 1 and cost.tolist() == [row[next(iter(found.settings))] for row in rows]
    axes.set_xlabel(path_in_words(next(iter(found.settings))) if only else "cost")
    axes.xaxis.set_major_locator(MaxNLocator(integer=fig.whole(cost)))
    fig.value_axis(axes.yaxis, found.measure)
    axes.grid()
    fig.legend_below(axes, 3)
    if is_chance(found.measure):
        fig.from_zero(axes, value)
    fig.titled(axes, found.headline, found.how())
    return axes


def plot_mixture(found: Mixture, ax: Axes | None = None) -> Axes:
    """The mixture's distribution of the first number of the headline, and a line a combination."""
    odds = found.odds
    column = _most_telling(odds)
    (axes,) = fig.panels(ax)
    values, place = np.unique(odds.numbers(column), return_inverse=True)
    height, width = np.bincount(place, odds.chances), 0.9 * fig.gap_of(values)
    axes.bar(values.astype(float), height, width, color="0.8", label="mixture")
    shown = sorted(range(len(found.answers)), key=lambda k: -found.weights[k])[:MOST_COMBINATIONS]
    for turn, k in enumerate(sorted(shown)):
        table = found.answers[k].distribution(column)
        colour = fig.LINES[turn % len(fig.LINES)]
        label = ", ".join(map(str, found.combinations[k])) + f" ({percent(found.weights[k], 0)})"
        axes.plot(table["value"], table["p"], STYLES[turn % 4], color=colour, lw=1.4, label=label)
    axes.set_xlabel(label_of(odds.battle, column))
    fig.whole_ticks(axes.xaxis)
    fig.chance_axis(axes.yaxis)
    axes.legend(fontsize=8.5, title=", ".join(found.paths), title_fontsize=8.5)
    fig.titled(axes, f"{odds.battle.label}, {len(found.answers)} possible battles. {odds.headline}", found.how())
    return axes
