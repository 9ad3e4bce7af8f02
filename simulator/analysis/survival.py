"""Who survives: for games of individual pieces, the chance of each to outlive the battle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.analysis.answer import QUICK_BUDGET, ExactRun, Fight, check_numbers, to_precision
from simulator.analysis.odds import wilson
from simulator.scenarios import Scenario, ScenarioError, load

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Survivor:
    """A piece and its chance to survive, with a 95 % interval (no width when exact)."""

    side: str
    piece: str
    worth: str
    p: float
    low: float
    high: float


@dataclass(frozen=True)
class Survival:
    """Chances of all pieces, first lost first within each side; `battles` and `seed` are None when exact."""

    pieces: tuple[Survivor, ...]
    battles: int | None = None
    seed: int | None = None

    @property
    def table(self) -> pd.DataFrame:
        """One row a piece: side, piece, worth, p, low, high."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """The rows of `table` as plain values."""
        return [dict(vars(piece)) for piece in self.pieces]

    def how(self) -> str:
        """How the answer was obtained, in one line."""
        return "exact" if self.battles is None else f"simulated: {self.battles:,} battles, seed {self.seed}"

    def plot(self, path: Any = None) -> Any:
        """A figure of the chances, saved to `path` if given."""
        from simulator.report.plots import plot_survival

        return plot_survival(self, path)


def survival(
    scenario: Scenario | str | Path | Mapping[str, Any],
    battles: int | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Survival:
    """The chance of each piece to survive (one that got away in a retreat has survived too).

    Exact when it fits, unless `battles` are asked for. Raises ScenarioError for a game without individual pieces.
    """
    from simulator.engine.limits import NoExactOdds

    asked = scenario if isinstance(scenario, Scenario) else load(scenario)
    survivors = asked.built.pieces
    if survivors is None:
        raise ScenarioError(f"game: {asked.battle.game} {asked.battle.kind} does not tell single pieces apart")
    check_numbers(battles or 1, seed, threads)
    if battles is None:
        try:
            ends = ExactRun(QUICK_BUDGET)(asked.chain)
            return _survival(survivors(ends.states), ends.p)
        except NoExactOdds:
            pass
    fight = Fight(asked, seed, threads)
    if battles is None:
        to_precision(fight, 0.001)
    else:
        fight.add(battles)
    ends = fight.ends()
    return _survival(survivors(ends.states), ends.p, fight.battles, seed)


def _survival(pieces: Any, chances: Any, battles: int | None = None, seed: int | None = None) -> Survival:
    found = []
    for piece in pieces:
        p = min(1.0, float(piece.survives @ chances))
        low, high = (p, p) if battles is None else wilson(p, battles)
        found.append(Survivor(piece.side, piece.name, piece.worth, p, low, high))
    return Survival(tuple(found), battles, None if battles is None else seed)
