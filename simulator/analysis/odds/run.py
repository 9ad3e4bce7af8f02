"""Runs that answer one scenario: exact enumeration, simulation, and the choice between them (`settle`).

How many battles a simulation takes depends neither on the machine nor on the time: same seed, same battles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from simulator.analysis.odds.method import MOST_BATTLES, Method
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.stages import COMMON, ExactRun, Shared, SimulatedRun
from simulator.engine.model.chain import OutcomeDistribution
from simulator.engine.model.limits import (
    ANSWER_ROLLS,
    ANSWER_SECONDS,
    EXACT_BYTES,
    QUICK_BYTES,
    NoExactOdds,
    processors,
)
from simulator.rules.battle import WINNERS, Columns, Outcomes
from simulator.rules.toolkit.merging import merge
from simulator.scenarios import Scenario

if TYPE_CHECKING:
    from simulator.engine.api import InterpretedSimulation, Simulation

# Called with the units done and the units in total (None while the total is unknown).
Progress = Callable[[int, int | None], Any]
T = TypeVar("T")
R = TypeVar("R")

# A composed battle is simulated in portions of this many battles; each portion has a seed of its own.
PORTION = 1 << 17
# Answers that are many, such as the cells of a grid, take less memory and fewer battles each.
CELL_BYTES = QUICK_BYTES // 8
CELL_BATTLES = 100_000
DEFAULT_PRECISION = 0.001
FIRST_BATTLES = 1 << 16
# The automatic choice gives up exact odds after this many reports of progress, which kernels make after a fixed amount
# of work, so that every machine makes the same choice. Measured, Birthright infantry: 8 a side 12 reports and 0.3 s, 9
# a side 17 and 0.8 s, 10 a side 24 and 1.8 s, 12 a side 7 s, where simulating takes a second. With 20 reports the
# answer for 12 a side held 586 MB in place of 294.
MOST_REPORTS = 16
# Battles are added in portions of PORTION_ROLLS rolls, some seconds, and an interrupt keeps the finished ones; portions
# are whole multiples of the battles that are fought side by side.
PORTION_ROLLS, ABREAST = 1 << 27, 1 << 9


class Interrupted(KeyboardInterrupt):
    """Ctrl-C after part of the work: `gathered` is the answer from that part."""

    def __init__(self, gathered: Any) -> None:
        super().__init__("interrupted")
        self.gathered = gathered


def many_like(scenario: Scenario) -> None:
    """Prepare for many answers to scenarios like this one."""
    from simulator.engine.api import expect_many

    if scenario.built.chain is not None:
        expect_many(scenario.built.chain)


def by_rules(scenario: Scenario) -> None:
    """Simulate a battle that is too large for exact odds without trying its graph of states first."""
    from simulator.engine.api import simulate_by_rules

    if scenario.built.chain is not None and not scenario.decided:
        simulate_by_rules(scenario.built.chain)


def reported(items: Sequence[T], progress: Progress | None) -> Iterator[T]:
    """The items; reports how many of them were given before each."""
    for done, one in enumerate(items):
        if progress:
            progress(done, len(items))
        yield one


def until_interrupted(work: Iterable[T], answer: Callable[[list[T]], R], least: int = 1) -> R:
    """The `answer` from all results of `work`; after Ctrl-C raise Interrupted with the answer from those so far.

    Raises KeyboardInterrupt where that is fewer than `least`.
    """
    found: list[T] = []
    try:
        found.extend(work)
    except KeyboardInterrupt:
        if len(found) < least:
            raise KeyboardInterrupt from None
        raise Interrupted(answer(found)) from None
    return answer(found)


def outcome_columns(scenario: Scenario, ends: OutcomeDistribution) -> Columns:
    """Final states as the columns of the game."""
    return scenario.built.outcome(ends.states)


class ExactAnswer:
    """An exact answer: every outcome with its chance. Raises NoExactOdds past `budget` bytes."""

    def __init__(
        self,
        scenario: Scenario,
        budget: int = EXACT_BYTES,
        progress: Progress | None = None,
        shared: Shared | None = None,
        counted: bool = True,
    ) -> None:
        if shared is None and scenario.built.answer is not None:
            shared = COMMON
        run = ExactRun(budget, progress and (lambda states: progress(states, None)), shared=shared)
        self.scenario = scenario
        self._ends: OutcomeDistribution | None = None
        if scenario.built.answer is None:
            several = len(scenario.chain.units) > 1 or not scenario.chain.counters
            solve = run.of_chain if counted or several else run.uncounted
            self._ends, self._outcomes = solve(scenario.built)
        else:
            found = scenario.built.answer(run)
            self._outcomes = Outcomes(found.columns, found.p, None, run.residual, run.explored)

    @classmethod
    def soon(cls, scenario: Scenario, method: Method, progress: Progress | None, shared: Shared | None) -> ExactAnswer:
        """The exact answer of the automatic choice. Raises NoExactOdds after MOST_REPORTS: battles are quicker."""
        reports = count()

        def report(states: int, total: int | None) -> None:
            if next(reports) == MOST_REPORTS:
                raise NoExactOdds(f"{states:,} states and more: exact odds take longer than simulated ones")
            if progress:
                progress(states, total)

        # Each stage of a composed battle reports for itself, so that their number says nothing about time.
        used = report if scenario.built.answer is None else progress
        return cls(scenario, method.budget or QUICK_BYTES, used, shared)

    battles: None = None

    def ends(self) -> OutcomeDistribution:
        """Final states with their chances. Raises TypeError for a composed battle, which has several chains."""
        if self._ends is None:
            raise TypeError("a composed battle has no final states of its own")
        return self._ends

    def odds(self) -> Odds:
        """The odds."""
        return labelled(self.scenario, self._outcomes)


class SimulatedAnswer:
    """A simulation of one scenario that can be extended; it holds battles 0 to `battles - 1` of its seed.

    `limited` says why it has fewer battles than its precision needs, "" where it has enough.
    """

    def __init__(
        self,
        scenario: Scenario,
        seed: int = 0,
        threads: int | None = None,
        shared: Shared | None = None,
    ) -> None:
        from simulator.engine.api import simulation_of

        # Each thread takes memory, and more threads than processors gain nothing; counts do not depend on them.
        self.threads = None if threads is None else min(threads, 4 * processors())
        self.scenario, self.seed, self._shared = scenario, seed, shared
        self._portions: list[Outcomes] = []
        self._simulation: Simulation | InterpretedSimulation | None = None
        if scenario.built.answer is None:
            chain = shared.canonical(scenario.chain) if shared else scenario.chain
            self._simulation = simulation_of(chain, seed, self.threads)
        self._composed = 0
        self.limited = ""

    @property
    def battles(self) -> int:
        """The number of battles simulated so far."""
        return self._simulation.battles if self._simulation else self._composed

    def add(self, battles: int, progress: Callable[[int], Any] | None = None) -> None:
        """Simulate at least `battles` more; an interrupt keeps those finished.

        A composed battle is simulated in whole portions, except for the last.
        """
        if self._simulation:
            self._simulation.add(battles, progress)
            return
        end = self._composed + battles
        done = self._composed
        while self._composed < end:
            portion, inside = divmod(self._composed, PORTION)
            if inside:  # simulate the last portion, which was a short one, again with more battles
                self._portions.pop()
                self._composed -= inside
            size = min(PORTION, end - self._composed)
            self._portions.append(self.portion(portion, size))
            self._composed += size
            if progress:
                progress(self._composed - done)

    def add_first(self, seconds: float, stages: int) -> bool:
        """Add battles for about this many seconds without compiling, or `stages` battles of several stages.

        False, and no battles, where compiled kernels are at hand. Raises OutOfRoom.
        """
        from simulator.engine.api import InterpretedSimulation

        if self._simulation is None:
            self.add(stages)
        elif isinstance(self._simulation, InterpretedSimulation):
            self._simulation.add_first(seconds)
        else:
            return False
        return True

    def portion(self, portion: int, size: int) -> Outcomes:
        """The outcomes of one portion of a composed battle."""
        from simulator.engine.model.streams import derive_seed

        assert self.scenario.built.answer is not None
        run = SimulatedRun(size, derive_seed(self.seed, portion), self.threads, self._shared)
        found = self.scenario.built.answer(run)
        # A calculator has no dice: its one row stands for every battle.
        count = found.count if found.count is not None else np.full(1, size)
        return Outcomes(found.columns, found.p, count)

    def ends(self) -> OutcomeDistribution:
        """Final states of all battles so far. Raises TypeError for a composed battle."""
        if self._simulation is None:
            raise TypeError("a composed battle has no final states of its own")
        return self._simulation.ends()

    def odds(self) -> Odds:
        """The odds from all battles so far."""
        if self._simulation:
            ends = self._simulation.ends()
            outcomes = Outcomes(outcome_columns(self.scenario, ends), ends.p, ends.count)
        else:
            outcomes = together(*self._portions)
        odds = labelled(self.scenario, outcomes, self.battles, self.seed)
        odds.limited = self.limited
        return odds


def together(*parts: Outcomes) -> Outcomes:
    """Simulated outcomes joined into one, equal rows merged, with chances computed from the counts."""
    counts = [part.count for part in parts if part.count is not None]
    columns = {name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns}
    count = np.concatenate(counts)
    found = merge(Outcomes(columns, count.astype(float), count))
    assert found.count is not None
    return Outcomes(found.columns, found.count / max(1, int(found.count.sum())), found.count)


def labelled(scenario: Scenario, outcomes: Outcomes, battles: int | None = None, seed: int | None = None) -> Odds:
    """Outcomes as the odds of a scenario."""
    return Odds(
        outcomes,
        battle=scenario.battle,
        battles=battles,
        seed=seed,
        settings=scenario.settings,
        assumptions=scenario.assumptions,
        scenario=scenario.data,
    )


def winners_of(scenario: Scenario) -> Odds | None:
    """Exact odds with the winner as their only column; None where the kind finds them no sooner than all columns."""
    found = scenario.built.winners
    return found and labelled(scenario, Outcomes({"winner": np.arange(len(WINNERS))}, found()))


def exact_in_time(scenario: Scenario) -> Odds | None:
    """The exact odds as one of many answers; None where simulating is quicker."""
    try:
        return ExactAnswer.soon(scenario, Method(budget=CELL_BYTES), None, None).odds()
    except NoExactOdds:
        return None


def width(odds: Odds) -> float:
    """The precision of simulated odds: the largest 95 % half-width of the chance of an outcome.

    Where there are only numbers to tell, that of the headline means as a part of the span of their values.
    """
    if odds.results:
        return max((result.high - result.low) / 2 for result in odds.results)
    found = [0.0]
    for row in odds.summary_rows():
        values = odds.spread_of(row["column"]).values
        span = float(values.max()) - float(values.min())
        found.append((row["high"] - row["low"]) / 2 / span if span else 0.0)
    return max(found)


def battles_needed(odds: Odds, precision: float) -> int:
    """About the battles after which simulated odds have this precision, see `width`."""
    return int(1.05 * (odds.battles or 0) * (width(odds) / precision) ** 2)


def rolls_of(fight: SimulatedAnswer) -> float:
    """About how many rolls a battle takes; 1 for a composed battle: its stages are short, and not known beforehand."""
    from simulator.engine.api import rolls_a_battle

    return 1.0 if fight.scenario.built.answer is not None else rolls_a_battle(fight.scenario.chain)


def fight_up_to(fight: SimulatedAnswer, battles: int, progress: Progress | None = None) -> None:
    """Fight until there are this many battles; an interrupt loses at most those of the last PORTION_ROLLS."""
    portion = battles
    if battles > ABREAST:
        portion = ABREAST * max(1, int(PORTION_ROLLS / ABREAST / rolls_of(fight)))
    while (begin := fight.battles) < battles:
        fight.add(min(portion, battles - begin), progress and (lambda done, b=begin: progress(b + done, battles)))


def to_precision(fight: SimulatedAnswer, precision: float | None, progress: Progress | None = None) -> None:
    """Add battles until `width` is at most `precision`; if that is None, at most DEFAULT_PRECISION or, where that takes
    more than ANSWER_ROLLS rolls, until these are made, and `fight.limited` says so.
    """
    most, wanted = MOST_BATTLES, precision
    if wanted is None:
        most, wanted = max(1, int(ANSWER_ROLLS / rolls_of(fight))), DEFAULT_PRECISION
    goal = min(FIRST_BATTLES, most)
    while True:
        fight_up_to(fight, goal, progress)
        reached = width(fight.odds())
        if reached <= wanted:
            return
        if fight.battles >= most:
            fight.limited = (
                f"within {reached:.2%}, not {wanted:.1%}: with {rolls_of(fight):,.0f} rolls a battle "
                f"that takes over {ANSWER_SECONDS} s; ask for it with a precision"
            )
            return
        goal = min(max(battles_needed(fight.odds(), wanted), fight.battles + FIRST_BATTLES), most)


def settle(
    scenario: Scenario, method: Method, progress: Progress | None = None, shared: Shared | None = None
) -> ExactAnswer | SimulatedAnswer:
    """The exact answer where `method` allows it and it fits, else a simulation.

    Raises NoExactOdds where `method` allows only an exact answer, Interrupted with the simulation so far.
    """
    if method.exact or method.is_automatic:
        try:
            if method.exact:
                return ExactAnswer(scenario, method.budget or EXACT_BYTES, progress, shared, method.counted)
            return ExactAnswer.soon(scenario, method, progress, shared)
        except NoExactOdds:
            if method.exact:
                raise
    fight = SimulatedAnswer(scenario, method.seed, method.threads, shared)
    try:
        if method.battles is None:
            to_precision(fight, method.precision, progress)
        else:
            fight_up_to(fight, method.battles, progress)
    except KeyboardInterrupt:
        if fight.battles == 0:
            raise
        raise Interrupted(fight) from None
    return fight
