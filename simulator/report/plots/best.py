"""The best policy drawn: a square for each state, or the share of battles that leave there."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D

from simulator.analysis.decisions.advice import STAYING
from simulator.analysis.decisions.best import Best
from simulator.report.plots import figures as fig
from simulator.rules.toolkit.by_key import by_key

MOST_PANELS, ACROSS = 6, 2
# The largest ratio of length to height of a grid of squares.
LONGEST = 8
SHADES = ("go on", "stop")
LOSSES = ("losses", "loss_order")
OPEN = "it depends"
Row = Mapping[str, Any]


def plot_best(found: Best, ax: Axes | None = None) -> Axes:
    """One panel for each decision and place. Raises ValueError if nothing is decided during the battle."""
    rows = found.rows()
    if not rows:
        raise ValueError("plot: nothing is decided in the course of this battle")
    by_panel = by_key(rows, lambda row: (row["decision"], row.get("place", "")))
    shown = list(by_panel.items())[:MOST_PANELS]
    across = min(ACROSS, len(shown))
    down = -(-len(shown) // across)
    height = 4.9 if down == across == 1 else 0.8 + 3.2 * down
    axes = fig.panels(ax, down, across, size=(7.4 if across == 1 else 8.6, height))
    for one in axes[len(shown) :]:
        one.set_visible(False)
    for one, ((decision, place), states) in zip(axes, shown, strict=False):
        if ax is None:
            one.set_title(", ".join(part for part in (decision.removeprefix("policy."), place) if part), fontsize=9.5)
        if "own" in states[0]:
            _squares(one, states)
        else:
            _shares(one, states)
    _explain(axes[0], found, 100 if across == 1 else 120)
    return axes[0]


def _explain(axes: Axes, found: Best, width: int) -> None:
    """The worth above all panels; below them how it was found, and for what each side plays."""
    worth = " and ".join(f"{found.value[side]:.4f} to the {side}" for side in ("attacker", "defender"))
    never = ", and never leaves" if all(row["choice"] in STAYING for row in found.rows()) else ""
    title = f"{found.scenario.battle.label}: best play is worth {worth}{never}"
    if not fig.is_own(axes):
        fig.titled(axes, title, found.how())
        return
    fig.headline(axes, title)
    objectives = "; ".join(found.assumptions()) or found.how()
    text = "\n".join(textwrap.wrap(f"{found.how()}. {objectives}", width)[:3])
    axes.figure.supxlabel(text, fontsize=8, color="0.35", x=0.01, ha="left")


def _grid(axes: Axes, found: Mapping[tuple[int, int], Any], **options: Any) -> AxesImage:
    """A square for each pair (across, up) of `found`, of its colour or number; grey where there is no such state."""
    at = np.array(list(found))
    low, high = at.min(0), at.max(0)
    first = np.asarray(next(iter(found.values())), float)
    image = np.full((*(high - low + 1)[::-1], *first.shape), np.nan)
    for (across, up), value in found.items():
        image[up - low[1], across - low[0]] = value
    if first.shape:
        image = np.where(np.isnan(image), to_rgb(fig.FAINT), image)
    axes.set_facecolor(fig.FAINT)
    sizes = high - low + 1
    extent = (low[0] - 0.5, high[0] + 0.5, low[1] - 0.5, high[1] + 0.5)
    aspect: Any = "equal" if sizes.max() < LONGEST * sizes.min() else "auto"
    for axis in (axes.xaxis, axes.yaxis):
        fig.whole_ticks(axis)
    return axes.imshow(image, origin="lower", extent=extent, aspect=aspect, **options)


def _squares(axes: Axes, states: Sequence[Row]) -> None:
    """Own units across, enemy units up: coloured by the choice, the paler the closer; grey where it depends on more."""
    found = by_key(states, lambda row: (row["own"], row["enemy"]))
    shown = {at: rows[0]["choice"] if len({row["choice"] for row in rows}) == 1 else OPEN for at, rows in found.items()}
    choices = sorted(set(shown.values()), key=lambda one: (one == OPEN, one not in STAYING, one))
    colours = dict(zip((*SHADES, OPEN), (*fig.LINES[:2], fig.COLOURS["nobody"]), strict=True))
    spare = iter(fig.OTHERS * 3)
    colours = {one: colours.get(one) or next(spare) for one in choices}
    most = max(row["advantage"] for row in states) or 1.0
    image = {}
    for at, rows in found.items():
        advantage = min(row["advantage"] for row in rows)
        strength = 0.3 + 0.7 * min(1.0, max(0.0, advantage) / most) ** 0.35
        image[at] = 1 - strength * (1 - np.array(to_rgb(colours[shown[at]])))
    _grid(axes, image)
    axes.set_xlabel("own units")
    axes.set_ylabel("enemy units")
    shades: list[tuple[Any, str]] = [(colours[one], one) for one in choices]
    pale = [(tuple(1 - 0.4 * (1 - np.array(to_rgb(colours[one])))), f"{one}, a close call") for one in choices[:2]]
    marks = [
        Line2D([], [], marker="s", ls="", ms=9, color=colour, label=label)
        for colour, label in (*shades, *pale, (fig.FAINT, "does not occur"))
    ]
    fig.legend_beside(axes, handles=marks, fontsize=8.5, handletextpad=0.2)


def _strength(row: Row, side: str) -> int:
    """The strength of a side: the units in its words that have not routed, or minus its losses in thirds."""
    if f"{side}_losses_thirds" in row:
        return -round(float(row[f"{side}_losses_thirds"]))
    parts = [re.sub(r"\d+ hits?|routed \d+", "", part) for part in re.split(r"[,;]| and ", str(row.get(side, "")))]
    counted = [re.search(r"(?:^|\s)(\d+) ", part) for part in parts if part.strip()]
    return sum(int(one[1]) if one else 1 for one in counted)


def _shares(axes: Axes, states: Sequence[Row]) -> None:
    """Own strength across, the enemy's up; coloured by the share of battles there that leave.

    Where losses are chosen nobody leaves: the colour is the expected number of choices there in a battle.
    """
    side = states[0]["side"]
    enemy = "defender" if side == "attacker" else "attacker"
    losing = states[0]["decision"].endswith(LOSSES)
    found: dict[tuple[int, int], list[float]] = {}
    for row in states:
        here = found.setdefault((_strength(row, side), _strength(row, enemy)), [0.0, 0.0, 0.0, 0.0])
        leaves = row["choice"] not in STAYING
        here[0] += row["reached"] * leaves
        here[1] += row["reached"]
        here[2] += leaves
        here[3] += 1
    share = {
        at: whole if losing else left / whole if whole else one / count
        for at, (left, whole, one, count) in found.items()
    }
    leaving = LinearSegmentedColormap.from_list("leaving", (fig.LINES[0], "#F7F7F7", fig.LINES[1]))
    most = max(share.values()) or 1.0 if losing else 1.0
    image = _grid(axes, share, cmap="Purples" if losing else leaving, vmin=0, vmax=most)
    lost = any("losses_thirds" in name for name in states[0])
    word = "minus losses in thirds" if lost else "units left"
    axes.set_xlabel(f"{side}: {word} (grey: does not occur)")
    axes.set_ylabel(f"{enemy}: {word}")
    label = "expected number of choices" if losing else "share that leaves"
    axes.figure.colorbar(image, ax=axes, label=label, format=None if losing else fig.PERCENT)
