"""Answering a scenario: exactly, with dice, or whichever fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simulator.analysis.odds import Odds
from simulator.engine.chain import Chain, Ends, Share
from simulator.engine.limits import EXACT_BYTES, QUICK_BYTES, NoExactOdds
from simulator.rules.battle import WINNERS, Outcomes
from simulator.scenarios import Scenario, load

Source = Scenario | str | Path | Mapping[str, Any]

Progress = Callable[[int, int], Any]

# A composed battle is simulated in portions of this many battles, each with its own seed.
PORTION = 1 << 17
FIRST_BATTLES = 1 << 16
MOST_BATTLES = 10**12
QUICK_BUDGET = QUICK_BYTES
CELL_BUDGET = 1_000_000
CELL_BATTLES = 100_000


def scenario_of(scenario: Source) -> Scenario:
    """The scenario itself, or what `load` makes of it."""
    return scenario if isinstance(scenario, Scenario) else load(scenario)


@dataclass
class ExactRun:
    """Runs stages by enumeration; gathers what was left undecided."""

    budget: int
    residual: float = 0.0
    explored: int = 0

    def __call__(self, chain: Chain, share: Share | None = None) -> Ends:
        """All ends of the stage, their chances times that of reaching it."""
        from simulator.engine.exact import exact_ends

        share = share or Share()
        ends = exact_ends(chain, self.budget)
        self.residual += share.p * ends.residual
        self.explored += ends.explored
        return Ends(ends.states, share.p * ends.p, path=share.path)


@dataclass
class SimulatedRun:
    """Runs stages with dice: as many battles of a stage as reached it."""

    battles: int
    seed: int
    threads: int | None = None

    def __call__(self, chain: Chain, share: Share | None = None) -> Ends:
        """Ends of the stage with the counts of the battles that reach it."""
        from simulator.engine.montecarlo import Simulation
        from simulator.engine.streams import derive_seed

        share = share or Share(count=self.battles)
        simulation = Simulation(chain, derive_seed(self.seed, *share.path), self.threads)
        simulation.add(int(share.count or 0))
        ends = simulation.ends()
        assert ends.count is not None
        return Ends(ends.states, ends.count / self.battles, ends.count, path=share.path)


def exact(scenario: Source, budget: int | None = None) -> Odds:
    """Exact odds. Raises NoExactOdds, which tells how large the state space is, past `budget` bytes."""
    asked = scenario_of(scenario)
    return _labelled(asked, _exact_outcomes(asked, budget or EXACT_BYTES))


def _exact_outcomes(scenario: Scenario, budget: int) -> Outcomes:
    run = ExactRun(budget)
    if scenario.built.answer is not None:
        found = scenario.built.answer(run)
        return Outcomes(found.columns, found.p, None, run.residual, run.explored)
    ends = run(scenario.chain)
    return Outcomes(seen(scenario, ends), ends.p, None, run.residual, run.explored)


def seen(scenario: Scenario, ends: Ends) -> dict[str, np.ndarray]:
    """Final states as the user's columns."""
    assert scenario.built.outcome is not None
    return scenario.built.outcome(ends.states)


def _labelled(scenario: Scenario, outcomes: Outcomes, battles: int | None = None, seed: int | None = None) -> Odds:
    return Odds(
        outcomes,
        battles=battles,
        seed=seed,
        headline=scenario.battle.headline,
        assumptions=scenario.assumptions(),
        scenario=scenario.data,
    )


class Fight:
    """A simulation of one scenario that can be added to; always battles 0 to `battles - 1` of its seed."""

    def __init__(self, scenario: Scenario, seed: int = 0, threads: int | None = None) -> None:
        self.scenario, self.seed, self.threads = scenario, seed, threads
        self._portions: list[Outcomes] = []
        self._simulation: Any = None
        if scenario.built.answer is None:
            from simulator.engine.montecarlo import Simulation

            self._simulation = Simulation(scenario.chain, seed, threads)
        self._composed = 0

    @property
    def battles(self) -> int:
        """Battles fought so far."""
        return self._simulation.battles if self._simulation else self._composed

    def add(self, battles: int, progress: Callable[[int], Any] | None = None) -> None:
        """Fight at least `battles` more (whole portions of a composed battle, but for the last).

        An interrupt keeps what was fought until then.
        """
        if self._simulation:
            self._simulation.add(battles, progress)
            return
        end = self._composed + battles
        done = self._composed
        while self._composed < end:
            portion, inside = divmod(self._composed, PORTION)
            if inside:  # the last portion was cut short: fight it again, longer
                self._portions.pop()
                self._composed -= inside
            size = min(PORTION, end - self._composed)
            self._portions.append(self._portion(portion, size))
            self._composed += size
            if progress:
                progress(self._composed - done)

    def _portion(self, portion: int, size: int) -> Outcomes:
        from simulator.engine.streams import derive_seed

        assert self.scenario.built.answer is not None
        run = SimulatedRun(size, derive_seed(self.seed, portion), self.threads)
        found = self.scenario.built.answer(run)
        # A calculator has no dice: its one row stands for every battle.
        count = found.count if found.count is not None else np.full(1, size)
        return Outcomes(found.columns, found.p, count)

    def ends(self) -> Ends:
        """Final states of all battles so far. Raises TypeError for a composed battle."""
        if not self._simulation:
            raise TypeError("a composed battle has no final states of its own")
        ends: Ends = self._simulation.ends()
        return ends

    def odds(self) -> Odds:
        """The odds from all battles so far."""
        if self._simulation:
            ends = self._simulation.ends()
            outcomes = Outcomes(seen(self.scenario, ends), ends.p, ends.count)
        else:
            parts = self._portions
            counts = np.concatenate([part.count for part in parts if part.count is not None])
            names = parts[0].columns
            columns = {name: np.concatenate([part.columns[name] for part in parts]) for name in names}
            outcomes = Outcomes(columns, counts / self.battles, counts)
        return _labelled(self.scenario, outcomes, self.battles, self.seed)

    def half_width(self) -> float:
        """Largest half-width of the winner chances' 95 % intervals."""
        odds = self.odds()
        bounds = [odds.winner_interval(side) for side in WINNERS]
        return max((high - low) / 2 for low, high in bounds)


def simulate(
    scenario: Source,
    battles: int = 1_000_000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Odds:
    """Odds from `battles` seeded battles; the same for any number of threads.

    `progress(done, battles)` is called now and then. Raises ValueError for a count or seed out of range.
    """
    check_numbers(battles, seed, threads)
    fight = Fight(scenario_of(scenario), seed, threads)
    fight.add(battles, progress and (lambda done: progress(done, battles)))
    return fight.odds()


def check_numbers(battles: int, seed: int, threads: int | None) -> None:
    """Refuse (ValueError) numbers of battles, seeds and threads that make no sense."""
    for name, value, low, high in (
        ("battles", battles, 1, MOST_BATTLES),
        ("seed", seed, 0, 2**64 - 1),
        ("threads", threads if threads is not None else 1, 1, 1024),
    ):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
            raise ValueError(f"{name}: {value} is not allowed; give a whole number from {low} to {high}")


def to_precision(fight: Fight, precision: float, progress: Progress | None = None) -> None:
    """Add battles until every winner chance's 95 % half-width is at most `precision`.

    The numbers of battles added depend on the counts alone, so the answer is the same on every machine.
    """
    if not 0 < precision < 1:
        raise ValueError(f"precision: {precision} is not allowed; give a number between 0 and 1, like 0.001 or 0.1%")
    more = FIRST_BATTLES
    while True:
        begin, goal = fight.battles, fight.battles + more
        fight.add(more, progress and (lambda done, b=begin, g=goal: progress(b + done, g)))
        width = fight.half_width()
        if width <= precision:
            return
        needed = int(1.05 * fight.battles * (width / precision) ** 2)
        more = min(max(needed - fight.battles, FIRST_BATTLES), MOST_BATTLES)


def odds(
    scenario: Source,
    precision: float = 0.001,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Odds:
    """Exact odds when they fit, else simulated until every winner chance is within `precision` (95 %)."""
    asked = scenario_of(scenario)
    check_numbers(1, seed, threads)
    try:
        return exact(asked, QUICK_BUDGET)
    except NoExactOdds:
        fight = Fight(asked, seed, threads)
        to_precision(fight, precision, progress)
        return fight.odds()


def answer_cell(scenario: Scenario, battles: int | None, seed: int) -> Odds:
    """Exact when the cell is small enough (and no battles are asked for), else simulated on one thread."""
    if battles is None:
        try:
            return exact(scenario, CELL_BUDGET)
        except NoExactOdds:
            pass
    fight = Fight(scenario, seed, threads=1)
    fight.add(battles or CELL_BATTLES)
    return fight.odds()
