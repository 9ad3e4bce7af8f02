"""Figures of answers (matplotlib, imported only here)."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from simulator.analysis.odds.intervals import wilson
from simulator.analysis.odds.measure import in_words, is_chance
from simulator.analysis.odds.odds import Odds
from simulator.report.words import label_of, percent, value_of
from simulator.rules.battle import Battle

if TYPE_CHECKING:
    from simulator.analysis.campaigns.campaign import ByRound
    from simulator.analysis.decisions.need import Need
    from simulator.analysis.odds.survival import Survival
    from simulator.analysis.studies.rare_events import Scored

# The palette of Okabe and Ito, which colour-blind readers can distinguish.
COLOURS = {"attacker": "#D55E00", "defender": "#0072B2", "nobody": "#999999"}
OTHERS = ("#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
MARKS = ("o-", "s--", "^-.", "d:", "v-", "P--")
# The label of figures made here, and the width and height of one with a single panel.
OWN, SIZE = "battle-odds", (7.0, 4.2)
FORMATS = ("png", "svg", "pdf")
MOST_ERROR_BARS = 60
MOST_BARS_OF_TEXT = 20


def panels(ax: Axes | None, down: int = 1, across: int = 1, *, size: tuple[float, float] = SIZE) -> list[Axes]:
    """The axes of each panel, row by row, in a new figure without a window; or `ax` alone, for the first panel."""
    if ax is not None:
        return [ax]
    figure = Figure(figsize=size, layout="constrained")
    figure.set_label(OWN)
    return list(figure.subplots(down, across, squeeze=False).flat)


def is_own(axes: Axes) -> bool:
    """Were these axes made by `panels`, so that title and legend may take room of the whole figure?"""
    figure = axes.get_figure(root=True)
    return figure is not None and figure.get_label() == OWN


def check_path(path: Any) -> None:
    """Raise ValueError for a picture file with an unknown ending or in a folder that does not exist."""
    target = Path(path)
    if target.suffix.lstrip(".").lower() not in FORMATS:
        raise ValueError(f"plot: {str(path)!r} is not allowed; give a file that ends in .{', .'.join(FORMATS)}")
    if not target.absolute().parent.is_dir():
        raise ValueError(f"plot: no folder {str(target.parent)!r}")


def titled(axes: Axes, title: str, how: str) -> None:
    """The title above the picture, and below it in grey how the answer was obtained."""
    lines = textwrap.wrap(how, 100, max_lines=2, placeholder=" ...")
    if is_own(axes):
        axes.figure.suptitle(textwrap.fill(title, 76), x=0.01, ha="left", fontsize=11)
    else:
        lines = [*textwrap.wrap(title, 100), *lines]
    axes.set_title("\n".join(lines), fontsize=8.5, color="0.35", loc="left")


def legend_below(axes: Axes, ncols: int, **options: Any) -> None:
    """A legend below all panels; inside the axes where these were given. `options` are matplotlib's."""
    if is_own(axes):
        axes.figure.legend(frameon=False, loc="outside lower center", ncols=ncols, **options)
    else:
        axes.legend(frameon=False, **options)


def subject(battle: Battle) -> str:
    """The battle kind, as titles name it."""
    return f"{battle.game} {battle.kind}"


def as_percentages(axis: Any) -> None:
    """Ticks in percent with as many digits as they need."""
    axis.set_major_formatter(PercentFormatter(1.0))


def whole(values: np.ndarray) -> bool:
    """Are these whole numbers?"""
    return values.dtype.kind in "iub" or bool((values == np.round(values)).all())


def colour_of(name: str, place: int) -> str:
    """A side's own colour, or the next of the others."""
    return COLOURS.get(name, OTHERS[place % len(OTHERS)])


def plot_odds(odds: Odds, ax: Axes | None = None, column: str | None = None) -> Axes:
    """The chance of each value of a column, stacked by result; simulated totals have 95 % intervals."""
    if column is None:
        numbers = [name for name in (*odds.headline, *odds.columns) if odds.kind_of(name) == "number"]
        column = numbers[0] if numbers else next(iter(odds.columns))
    draw = _number_bars if odds.kind_of(column) == "number" else _name_bars
    axes = draw(odds, ax, column)
    titled(axes, f"{subject(odds.battle)}: {label_of(odds.battle, column)}", odds.how())
    return axes


def _groups(odds: Odds) -> list[tuple[str, str, np.ndarray]]:
    """The groups of outcomes that split the bars: (label, colour, outcomes); one group if several results may hold."""
    found = []
    left = np.ones(len(odds.chances), bool)
    for place, result in enumerate(odds.results):
        chosen = odds.where(result.question)
        if (chosen & ~left).any():
            return [("", COLOURS["defender"], np.ones(len(odds.chances), bool))]
        left &= ~chosen
        if chosen.any():
            label = f"{result.label} wins" if result.label in COLOURS else result.label
            found.append((f"{label} ({percent(result.p, 1)})", colour_of(result.label, place), chosen))
    if left.any():
        rest = float(odds.chances[left].sum())
        found.append(
            (f"otherwise ({percent(rest, 1)})" if found else "", "#BBBBBB" if found else COLOURS["defender"], left)
        )
    return found


def _number_bars(odds: Odds, ax: Axes | None, column: str) -> Axes:
    values, place = np.unique(odds.numbers(column), return_inverse=True)
    (axes,) = panels(ax)
    at = values.astype(float)
    gap = float(np.diff(at).min()) if len(at) > 1 else 1.0
    bottom = np.zeros(len(values))
    for label, colour, chosen in _groups(odds):
        height = np.bincount(place[chosen], odds.chances[chosen], minlength=len(values))
        axes.bar(at, height, 0.9 * gap, bottom, color=colour, label=label)
        bottom += height
    if odds.battles is not None and len(values) <= MOST_ERROR_BARS:
        bounds = np.array([wilson(p, odds.battles) for p in bottom])
        axes.errorbar(at, bottom, [bottom - bounds[:, 0], bounds[:, 1] - bottom], fmt="none", ecolor="black", lw=0.8)
    axes.set_xlabel(label_of(odds.battle, column))
    shown = odds.battle.shown.get(column)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=7 if shown and shown.value else 10, integer=whole(values)))
    if shown and shown.value:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: value_of(odds.battle, column, value)))
    axes.set_ylabel("chance")
    as_percentages(axes.yaxis)
    if axes.get_legend_handles_labels()[1]:
        legend_below(axes, 3)
    return axes


def _name_bars(odds: Odds, ax: Axes | None, column: str) -> Axes:
    """A yes/no or text column: one bar for each value, the most likely on top."""
    names, place = np.unique(odds.readable_columns[column], return_inverse=True)
    height = np.bincount(place, odds.chances)
    order = np.argsort(-height, kind="stable")[:MOST_BARS_OF_TEXT]
    (axes,) = panels(ax, size=(7.0, 1.4 + 0.32 * len(order)))
    labels = [value_of(odds.battle, column, names[i].item()) for i in order]
    axes.barh(range(len(order)), height[order], 0.8, color=[colour_of(name, 0) for name in labels])
    if odds.battles is not None:
        bounds = np.array([wilson(p, odds.battles) for p in height[order]])
        error = [height[order] - bounds[:, 0], bounds[:, 1] - height[order]]
        axes.errorbar(height[order], range(len(order)), xerr=error, fmt="none", ecolor="black", lw=0.8)
    axes.set_yticks(range(len(order)), labels)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("chance")
    as_percentages(axes.xaxis)
    return axes


def plot_survival(found: Survival, ax: Axes | None = None) -> Axes:
    """A bar for each piece: its chance to survive, simulated ones with 95 % intervals."""
    (axes,) = panels(ax, size=(7.0, 1.5 + 0.26 * len(found.pieces)))
    sides = list(dict.fromkeys(piece.side for piece in found.pieces))
    for place, side in enumerate(sides):
        rows = [(row, piece) for row, piece in enumerate(found.pieces) if piece.side == side]
        at, p = [row for row, _ in rows], np.array([piece.p for _, piece in rows])
        axes.barh(at, p, 0.8, color=colour_of(side, place), label=side.replace("_", " "))
        if found.battles is not None:
            error = [p - [piece.low for _, piece in rows], [piece.high for _, piece in rows] - p]
            axes.errorbar(p, at, xerr=error, fmt="none", ecolor="black", lw=0.8)
    axes.set_yticks(range(len(found.pieces)), [_piece(piece.piece, piece.worth) for piece in found.pieces])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("chance to survive")
    as_percentages(axes.xaxis)
    legend_below(axes, max(1, len(sides)))
    titled(axes, f"{found.title}: who survives", found.how())
    return axes


def _piece(name: str, worth: str) -> str:
    return f"{name} ({worth})" if worth else name


def plot_by_round(found: ByRound, ax: Axes | None = None) -> Axes:
    """Curves of the chances by round, one a plan, with 95 % bands when simulated."""
    (axes,) = panels(ax)
    clock = found.clock
    for place, (plan, odds) in enumerate(found.odds.items()):
        rows = found.curve(plan)
        at, p, low, high = (np.array([row[key] for row in rows]) for key in (clock.unit, "p", "low", "high"))
        (line,) = axes.plot(at, p, MARKS[place % len(MARKS)], color=_line_colour(place), label=plan, ms=4)
        if odds.battles is not None:
            axes.fill_between(at, low, high, color=line.get_color(), alpha=0.2, lw=0)
    axes.set_xlabel(clock.unit)
    axes.set_ylabel("chance by then")
    as_percentages(axes.yaxis)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    if len(found.odds) > 1:
        axes.legend(frameon=False)
    titled(axes, f"{subject(next(iter(found.odds.values())).battle)}: {clock.title}", found.how())
    return axes


def _line_colour(place: int) -> str:
    return (COLOURS["defender"], COLOURS["attacker"], *OTHERS)[place % (2 + len(OTHERS))]


def plot_need(found: Need, ax: Axes | None = None) -> Axes:
    """Value against cost of all combinations tried, the answer marked."""
    (axes,) = panels(ax)
    rows = found.rows()
    cost, value = np.array([row["cost"] for row in rows]), np.array([row["value"] for row in rows])
    axes.plot(cost, value, "o", color=COLOURS["defender"], ms=4, label="tried")
    _error_bars(axes, cost, value, rows)
    settings = ", ".join(f"{name} = {number}" for name, number in found.settings.items())
    axes.plot([found.cost], [found.value], "D", color=COLOURS["attacker"], ms=8, label=settings)
    if found.target is not None:
        axes.axhline(found.target, color="0.4", lw=1, ls="--", label="target")
    only = len(found.settings) == 1 and cost.tolist() == [row[next(iter(found.settings))] for row in rows]
    axes.set_xlabel(next(iter(found.settings)) if only else "cost")
    axes.xaxis.set_major_locator(MaxNLocator(integer=whole(cost)))
    axes.set_ylabel(in_words(found.asked))
    if is_chance(found.asked):
        as_percentages(axes.yaxis)
    axes.grid(alpha=0.3)
    legend_below(axes, 3)
    titled(axes, "how much is enough" if found.budget is None else "the best for the budget", found.how())
    return axes


def _error_bars(axes: Axes, at: np.ndarray, value: np.ndarray, rows: Sequence[dict[str, Any]]) -> None:
    if any(row["method"] != "exact" for row in rows):
        low, high = (np.array([row[key] for row in rows]) for key in ("low", "high"))
        axes.errorbar(at, value, [value - low, high - value], fmt="none", ecolor="0.3", lw=0.8)


def plot_scored(found: Scored, ax: Axes | None = None) -> Axes:
    """The estimate as a point with its 95 % interval."""
    (axes,) = panels(ax, size=(7.0, 2.2))
    error = [[found.value - found.low], [found.high - found.value]]
    axes.errorbar([found.value], [0], xerr=error, fmt="D", color=COLOURS["defender"], ecolor="0.3", capsize=3)
    axes.set_yticks([])
    axes.set_xlabel(in_words(found.asked))
    if is_chance(found.asked):
        as_percentages(axes.xaxis)
    titled(axes, f"{in_words(found.asked)}: {found.value:.6g}", found.how())
    return axes
