"""Pictures of answers: which function draws which class, on given axes or in a new figure, and saving to a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes

from simulator.analysis.result import Result
from simulator.report.plots.best import plot_best
from simulator.report.plots.course import plot_luck, plot_replay, plot_rounds, plot_worth
from simulator.report.plots.figures import STYLE, check_path
from simulator.report.plots.odds import plot_by_round, plot_mixture, plot_need, plot_odds, plot_survival
from simulator.report.plots.plan import plot_plan
from simulator.report.plots.studies import plot_balance, plot_comparison, plot_sensitivity, plot_sweep, plot_units
from simulator.scenarios.arguments import refuse_wrong_type
from simulator.scenarios.validation import shown

# The function that draws each class of answers: it takes the answer and the axes to draw on (None for a new figure),
# and returns the axes. The classes are named, not imported: some of their modules import numba (0.6 s).
PICTURES: dict[str, Callable[..., Axes]] = {
    "Balance": plot_balance,
    "Best": plot_best,
    "ByRound": plot_by_round,
    "Comparison": plot_comparison,
    "Indices": lambda found, ax: plot_sweep(found.swept, ax),
    "KeptSweep": lambda found, ax: plot_sweep(found.sweep(), ax),
    "Luck": plot_luck,
    "Mixture": plot_mixture,
    "Need": plot_need,
    "Odds": plot_odds,
    "Plan": plot_plan,
    "Replay": plot_replay,
    "Rounds": plot_rounds,
    "Sensitivity": plot_sensitivity,
    "Survival": plot_survival,
    "Sweep": plot_sweep,
    "Units": plot_units,
    "Worth": plot_worth,
}


def draw(answer: Result, ax: Axes | None = None, path: Any = None, **options: Any) -> Axes:
    """Draw an answer, save the figure to `path` if given, and return the axes. Raises ValueError, see `Result.plot`."""
    if path is not None:
        refuse_wrong_type("path", path, "str | Path")
        check_path(path)
    if ax is not None and not isinstance(ax, Axes):
        raise ValueError(f"plot: {shown(ax)} is not allowed as ax; give matplotlib Axes, and a file as path=...")
    plot = next(PICTURES[kind.__name__] for kind in type(answer).__mro__ if kind.__name__ in PICTURES)
    with rc_context(fname=STYLE):
        axes = plot(answer, ax, **options)
        if path is not None:
            axes.get_figure(root=True).savefig(path)  # type: ignore[union-attr]
    return axes
