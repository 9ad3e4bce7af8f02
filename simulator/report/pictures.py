"""Pictures of answers: which function draws which class, on given axes or in a new figure, and saving to a file."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from matplotlib.axes import Axes

from simulator.analysis.result import Result
from simulator.report.plots import check_path
from simulator.scenarios.validation import shown

# The module and function that draw each class of answers. A function takes the answer and the axes to draw on (None
# for a new figure), and returns the axes. It is imported at its first use: some modules import numba (0.6 s).
PICTURES = {
    "Best": "best_plot.plot_best",
    "ByRound": "plots.plot_by_round",
    "Comparison": "compare_plot.plot_comparison",
    "Luck": "luck_plot.plot_luck",
    "Mixture": "mix_plot.plot_mixture",
    "Need": "plots.plot_need",
    "Odds": "plots.plot_odds",
    "Replay": "luck_plot.plot_replay",
    "Rounds": "rounds_plot.plot_rounds",
    "Scored": "plots.plot_scored",
    "Sensitivity": "sensitivity_plot.plot_sensitivity",
    "Survival": "plots.plot_survival",
    "Sweep": "sweep_plot.plot_sweep",
    "Worth": "worth_plot.plot_worth",
}


def draw(answer: Result, ax: Axes | None = None, path: Any = None, **options: Any) -> Axes:
    """Draw an answer, save the figure to `path` if given, and return the axes. Raises ValueError, see `Result.plot`."""
    if path is not None:
        check_path(path)
    if ax is not None and not isinstance(ax, Axes):
        raise ValueError(f"plot: {shown(ax)} is not allowed as ax; give matplotlib Axes, and a file as path=...")
    place = next(PICTURES[kind.__name__] for kind in type(answer).__mro__ if kind.__name__ in PICTURES)
    module, _, function = place.partition(".")
    axes: Axes = getattr(import_module(f"simulator.report.{module}"), function)(answer, ax, **options)
    if path is not None:
        axes.get_figure(root=True).savefig(path, dpi=144)  # type: ignore[union-attr]
    return axes
