"""The best policy drawn: a square for each state, or the share of battles that leave there."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from simulator.analysis.decisions.best import Best
from simulator.report import figures as fig

MOST_PANELS, ACROSS = 6, 2
# The largest ratio of length to height of a grid of squares.
LONGEST = 8
STAYING = ("go on", "stay")
SHADES = ("go on", "stop")
LOSSES = ("losses", "loss_order")
OPEN = "it depends"
Row = Mapping[str, Any]


def plot_best(found: Best, ax: Axes | None = None) -> Axes:
    """One panel for each decision and place. Raises ValueError if nothing is decided during the battle."""
    rows = found.rows()
    if not rows:
        raise ValueError("plot: nothing is decided in the course of this battle")
    by_panel: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        by_panel.setdefault((row["decision"], row.get("place", "")), []).append(row)
    shown = list(by_panel.items())[:MOST_PANELS]
    across = min(ACROSS, len(shown))
    down = -(-len(shown) // across)
    height = 4.9 if down == across == 1 else 0.8 + 3.2 * down
    axes = fig.panels(ax, down, across, size=(7.4 if across == 1 else 8.6, height))
    for one in axes[len(shown) :]:
        one.set_visible(False)
    for one, ((decision, place), states) in zip(axes, shown, strict=False):
        one.set_title(", ".join(part for part in (decision.removeprefix("policy."), place) if part), fontsize=9.5)
        if "own" in states[0]:
            _squares(one, states)
        else:
            _shares(one, states)
    if fig.is_own(axes[0]):
        _explain(axes[0], found, 100 if across == 1 else 120)
    return axes[0]


def _explain(axes: Axes, found: Best, width: int) -> None:
    """The worth above all panels; below them how it was found, and for what each side plays."""
    worth = ", ".join(f"{found.value[side]:.4f} to the {side}" for side in ("attacker", "defender"))
    title = f"{fig.subject(found.scenario.battle)}, best play: worth {worth}"
    axes.figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    objectives = "; ".join(found.assumptions()) or found.how()
    text = "\n".join(textwrap.wrap(f"{found.how()}. {objectives}", width)[:3])
    axes.figure.supxlabel(text, fontsize=8, color="0.35", x=0.01, ha="left")


def _squares(axes: Axes, states: Sequence[Row]) -> None:
    """Own units across, enemy units up: coloured by the choice, the paler the closer; grey where it depends on more."""
    found: dict[tuple[int, int], list[Row]] = {}
    for row in states:
        found.setdefault((row["enemy"], row["own"]), []).append(row)
    shown = {at: rows[0]["choice"] if len({row["choice"] for row in rows}) == 1 else OPEN for at, rows in found.items()}
    choices = sorted(set(shown.values()), key=lambda one: (one == OPEN, one not in STAYING, one))
    colours = dict(zip((*SHADES, OPEN), (*fig.LINES[:2], fig.COLOURS["nobody"]), strict=True))
    spare = iter(fig.OTHERS * 3)
    colours = {one: colours.get(one) or next(spare) for one in choices}
    widest = max(row["own"] for row in states), max(row["enemy"] for row in states)
    image = np.ones((widest[1] + 1, widest[0] + 1, 3))
    most = max(row["advantage"] for row in states) or 1.0
    for at, rows in found.items():
        advantage = min(row["advantage"] for row in rows)
        strength = 0.3 + 0.7 * min(1.0, max(0.0, advantage) / most) ** 0.35
        image[at] = 1 - strength * (1 - np.array(to_rgb(colours[shown[at]])))
    axes.imshow(image, origin="lower", aspect="equal" if max(widest) < LONGEST * min(widest) else "auto")
    axes.set_xlim(0.5, widest[0] + 0.5)
    axes.set_ylim(0.5, widest[1] + 0.5)
    for axis in (axes.xaxis, axes.yaxis):
        fig.whole_ticks(axis)
    axes.set_xlabel("own units")
    axes.set_ylabel("enemy units")
    marks = [Line2D([], [], marker="s", ls="", ms=9, color=colours[one], label=one) for one in choices]
    axes.legend(
        handles=marks, loc="upper left", bbox_to_anchor=(1.0, 1.02), frameon=False, fontsize=8.5, handletextpad=0.2
    )


def _strength(row: Row, side: str) -> float:
    """The strength of a side: the numbers in its words, or minus its losses."""
    if f"{side}_losses_thirds" in row:
        return -float(row[f"{side}_losses_thirds"])
    text = str(row.get(side, ""))
    counted = re.findall(r"(?:^|, )(\d+)(?= )", text)
    return float(sum(map(int, counted))) if counted else float(len([part for part in text.split(",") if part.strip()]))


def _shares(axes: Axes, states: Sequence[Row]) -> None:
    """Own strength across, the enemy's up; coloured by the share of battles there that leave.

    Where losses are chosen nobody leaves: the colour is the expected number of choices there in a battle.
    """
    side = states[0]["side"]
    enemy = "defender" if side == "attacker" else "attacker"
    losing = states[0]["decision"].endswith(LOSSES)
    found: dict[tuple[float, float], list[float]] = {}
    for row in states:
        here = found.setdefault((_strength(row, side), _strength(row, enemy)), [0.0, 0.0, 0.0, 0.0])
        leaves = row["choice"] not in STAYING
        here[0] += row["reached"] * leaves
        here[1] += row["reached"]
        here[2] += leaves
        here[3] += 1
    at = np.array(list(found))
    share = [whole if losing else left / whole if whole else one / count for left, whole, one, count in found.values()]
    most = max(share) or 1.0 if losing else 1.0
    image = axes.scatter(at[:, 0], at[:, 1], c=share, cmap="cividis", vmin=0, vmax=most, marker="s", s=42)
    for axis in (axes.xaxis, axes.yaxis):
        fig.whole_ticks(axis)
    lost = any("losses_thirds" in name for name in states[0])
    word = "minus losses in thirds" if lost else "units left"
    axes.set_xlabel(f"{side}: {word}")
    axes.set_ylabel(f"{enemy}: {word}")
    label = "expected number of choices" if losing else "share that leaves"
    axes.figure.colorbar(image, ax=axes, label=label, format=None if losing else PercentFormatter(1.0))
