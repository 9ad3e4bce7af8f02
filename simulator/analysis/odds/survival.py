"""Who survives: for games of individual pieces, the chance of each to outlive the battle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from simulator.analysis.odds.answer import Enumerated, Fight, Interrupted, Method, Progress, settle
from simulator.analysis.odds.intervals import wilson
from simulator.rules.battle import Built
from simulator.scenarios import Scenario, ScenarioError, Source, load

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


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
    title: str = ""
    rules_version: int = 1

    @property
    def table(self) -> pd.DataFrame:
        """One row a piece: side, piece, worth, p, low, high."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """The rows of `table` as plain values."""
        return [dict(vars(piece)) for piece in self.pieces]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        how = {"battles": self.battles, "seed": self.seed, "rules_version": self.rules_version}
        return how | {"pieces": self.rows()}

    def how(self) -> str:
        """How the answer was obtained, in one line."""
        return "exact" if self.battles is None else f"simulated: {self.battles:,} battles, seed {self.seed}"

    def plot(self, path: Any = None) -> Figure:
        """A figure of the chances, saved to `path` if given."""
        from simulator.report.plots import plot_survival

        return plot_survival(self, path)


def survival(
    scenario: Source,
    battles: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Survival:
    """The chance of each piece to survive (one that got away in a retreat has survived too).

    Exact when it fits, unless `battles` are asked for. Raises ScenarioError for a kind without individual pieces,
    Interrupted with what was gathered until then.
    """
    method = Method(battles=battles, seed=seed, threads=threads)
    asked = load(scenario)
    if asked.built.pieces is None and asked.built.apart is None:
        raise ScenarioError(f"battle: {asked.battle.game} {asked.battle.kind} does not tell single pieces apart")
    found: list[Survival] = []
    for part in _parts(asked):
        try:
            found.append(_survival(part, settle(part, method, progress), seed))
        except Interrupted as cut:
            raise Interrupted(_together([*found, _survival(part, cut.gathered, seed)])) from None
    return _together(found)


def _parts(scenario: Scenario) -> list[Scenario]:
    """The scenario itself, or one for each chain that tells some of its pieces apart."""
    if scenario.built.apart is None:
        return [scenario]

    def of(part: Built) -> Scenario:
        return replace(scenario, battle=replace(scenario.battle, build=lambda fields: part))

    return [of(part) for part in scenario.built.apart()]


def _together(found: Sequence[Survival]) -> Survival:
    """The pieces of all parts; simulated if one of them is."""
    pieces = tuple(piece for one in found for piece in one.pieces)
    return replace(next((one for one in found if one.battles is not None), found[0]), pieces=pieces)


def _survival(scenario: Scenario, found: Enumerated | Fight, seed: int) -> Survival:
    assert scenario.built.pieces is not None
    ends, battles = found.ends(), found.battles
    survivors: list[Survivor] = []
    pieces: Sequence[Any] = scenario.built.pieces(ends.states)
    for piece in pieces:
        p = min(1.0, float(piece.survives @ ends.p))
        low, high = wilson(p, battles)
        survivors.append(Survivor(piece.side, piece.name, piece.worth, p, low, high))
    title, version = f"{scenario.battle.game} {scenario.battle.kind}", scenario.battle.version
    return Survival(tuple(survivors), battles, None if battles is None else seed, title, version)
