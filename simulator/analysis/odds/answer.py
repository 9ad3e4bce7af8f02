"""Answering a scenario: exactly where it fits, else with dice. Every analysis that needs odds asks here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.odds.chain_cache import Shared
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.outcome_rows import merge
from simulator.analysis.odds.precision import MOST_BATTLES, fight_up_to, to_precision
from simulator.engine.model.chain import Chain, Ends, Share
from simulator.engine.model.limits import EXACT_BYTES, QUICK_BYTES, NoExactOdds, processors
from simulator.rules.battle import Columns, Outcomes
from simulator.scenarios import Draft, Scenario, Source, is_uncertain, load

if TYPE_CHECKING:
    from simulator.engine.api import FirstBattles, Simulation

# So much of so much is done; the whole is None where it is not known.
Progress = Callable[[int, int | None], Any]

# A composed battle is simulated in portions of this many battles, each with its own seed.
PORTION = 1 << 17
MOST_THREADS, MOST_BYTES = 1024, 2**62
DEVICES = ("processor", "gpu")
# Cells of a grid are many: each takes to dice earlier, and fights fewer battles.
CELL_BYTES = QUICK_BYTES // 8
CELL_BATTLES = 100_000


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, when something was gathered until then: `gathered` is the answer from that."""

    def __init__(self, gathered: Any) -> None:
        super().__init__("interrupted")
        self.gathered = gathered


@dataclass(frozen=True)
class Method:
    """How a scenario is to be answered.

    `exact`: True for exact odds or a refusal, False for dice only, None for exact odds where they fit into `budget`
    bytes and dice where not. Dice are rolled for `battles` battles, or without that until every chance is known to
    `precision` (95 % half-width); where neither is given, to DEFAULT_PRECISION, or as far as ANSWER_ROLLS go. With the
    device "gpu" they are rolled on a graphics card.
    """

    exact: bool | None = None
    battles: int | None = None
    precision: float | None = None
    seed: int = 0
    threads: int | None = None
    budget: int | None = None
    device: str = "processor"

    def __post_init__(self) -> None:
        check_numbers(1 if self.battles is None else self.battles, self.seed, self.threads, self.budget)
        if self.device not in DEVICES:
            raise ValueError(f"device: {self.device!r} is not allowed; give one of {', '.join(DEVICES)}")
        if self.precision is not None and not 0 < self.precision < 1:
            raise ValueError(f"precision: {self.precision} is not allowed; give a number between 0 and 1, like 0.1%")


def check_numbers(battles: int, seed: int, threads: int | None, budget: int | None = None) -> None:
    """Refuse (ValueError) numbers of battles, seeds, threads and budgets (bytes) that make no sense."""
    for name, value, low, high in (
        ("battles", battles, 1, MOST_BATTLES),
        ("seed", seed, 0, 2**64 - 1),
        ("threads", threads if threads is not None else 1, 1, MOST_THREADS),
        ("budget", budget if budget is not None else 1, 1, MOST_BYTES),
    ):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
            raise ValueError(f"{name}: {value} is not allowed; give a whole number from {low} to {high}")


def seen(scenario: Scenario, ends: Ends) -> Columns:
    """Final states as the user's columns."""
    assert scenario.built.outcome is not None
    return scenario.built.outcome(ends.states)


@dataclass
class ExactRun:
    """Runs stages by enumeration; gathers what was left undecided, and tells `progress(states)`."""

    budget: int
    progress: Callable[[int], Any] | None = None
    residual: float = 0.0
    explored: int = 0
    known: dict[int, tuple[Chain, Ends]] = field(default_factory=dict)
    shared: Shared | None = None

    def __call__(self, chain: Chain, share: Share | None = None) -> Ends:
        """All ends of the stage, their chances times that of reaching it; a chain met again is not enumerated again."""
        from simulator.engine.api import exact_ends

        told = self.progress
        chain = self.shared.the(chain) if self.shared else chain
        if id(chain) not in self.known:
            ends = self.shared.ends(chain) if self.shared else None
            if ends is None:
                ends = exact_ends(chain, self.budget, told and (lambda states: told(self.explored + states)))
            if self.shared:
                self.shared.keep(chain, ends)
            self.known[id(chain)] = chain, ends
            self.explored += ends.explored
        ends = self.known[id(chain)][1]
        self.residual += (share.p if share else 1.0) * ends.residual
        return Ends(ends.states, share.p * ends.p, path=share.path) if share else ends


@dataclass
class SimulatedRun:
    """Runs stages with dice: as many battles of a stage as reached it."""

    battles: int
    seed: int
    threads: int | None = None
    shared: Shared | None = None

    def __call__(self, chain: Chain, share: Share | None = None) -> Ends:
        """Ends of the stage with the counts of the battles that reach it."""
        from simulator.engine.api import simulation_of
        from simulator.engine.model.streams import derive_seed

        share = share or Share(count=self.battles)
        chain = self.shared.the(chain) if self.shared else chain
        simulation = simulation_of(chain, derive_seed(self.seed, *share.path), self.threads)
        simulation.add(int(share.count or 0))
        ends = simulation.ends()
        assert ends.count is not None
        return Ends(ends.states, ends.count / self.battles, ends.count, path=share.path)


class Enumerated:
    """An exact answer: every outcome with its chance. Raises NoExactOdds past `budget` bytes."""

    def __init__(
        self,
        scenario: Scenario,
        budget: int = EXACT_BYTES,
        progress: Progress | None = None,
        shared: Shared | None = None,
    ) -> None:
        run = ExactRun(budget, progress and (lambda states: progress(states, None)), shared=shared)
        self.scenario = scenario
        self._ends: Ends | None = None
        if scenario.built.answer is not None:
            found = scenario.built.answer(run)
            self._outcomes = Outcomes(found.columns, found.p, None, run.residual, run.explored)
        else:
            self._ends = run(scenario.chain)
            self._outcomes = Outcomes(seen(scenario, self._ends), self._ends.p, None, run.residual, run.explored)

    battles: None = None

    def ends(self) -> Ends:
        """Final states with their chances. Raises TypeError for a composed battle."""
        if self._ends is None:
            raise TypeError("a composed battle has no final states of its own")
        return self._ends

    def odds(self) -> Odds:
        """The odds."""
        return labelled(self.scenario, self._outcomes)


class Fight:
    """A simulation of one scenario that can be added to; always battles 0 to `battles - 1` of its seed.

    `limited` says why it has fewer battles than its precision needs, "" where it has enough.
    """

    def __init__(
        self,
        scenario: Scenario,
        seed: int = 0,
        threads: int | None = None,
        shared: Shared | None = None,
        device: str = "processor",
    ) -> None:
        from simulator.engine.api import simulation_of

        # More threads than processors gain nothing and each takes memory; the numbers do not depend on them.
        self.threads = None if threads is None else min(threads, 4 * processors())
        self.scenario, self.seed, self._shared = scenario, seed, shared
        self._portions: list[Outcomes] = []
        self._simulation: Simulation | FirstBattles | None = None
        if scenario.built.answer is None:
            chain = shared.the(scenario.chain) if shared else scenario.chain
            self._simulation = simulation_of(chain, seed, self.threads, device)
        elif device == "gpu":
            raise ValueError(f"device: gpu is not allowed for {scenario.battle.title}; it is fought in several stages")
        self._composed = 0
        self.limited = ""

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
            self._portions.append(self.portion(portion, size))
            self._composed += size
            if progress:
                progress(self._composed - done)

    def portion(self, portion: int, size: int) -> Outcomes:
        """The outcomes of a composed battle's portion, which has a seed of its own."""
        from simulator.engine.model.streams import derive_seed

        assert self.scenario.built.answer is not None
        run = SimulatedRun(size, derive_seed(self.seed, portion), self.threads, self._shared)
        found = self.scenario.built.answer(run)
        # A calculator has no dice: its one row stands for every battle.
        count = found.count if found.count is not None else np.full(1, size)
        return Outcomes(found.columns, found.p, count)

    def ends(self) -> Ends:
        """Final states of all battles so far. Raises TypeError for a composed battle."""
        if self._simulation is None:
            raise TypeError("a composed battle has no final states of its own")
        return self._simulation.ends()

    def odds(self) -> Odds:
        """The odds from all battles so far."""
        if self._simulation:
            ends = self._simulation.ends()
            outcomes = Outcomes(seen(self.scenario, ends), ends.p, ends.count)
        else:
            outcomes = together(*self._portions)
        odds = labelled(self.scenario, outcomes, self.battles, self.seed)
        odds.limited = self.limited
        return odds


def together(*parts: Outcomes) -> Outcomes:
    """Simulated outcomes as one, equal rows made one, with chances straight from the counts."""
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


def settle(
    scenario: Scenario, method: Method, progress: Progress | None = None, shared: Shared | None = None
) -> Enumerated | Fight:
    """Exact if it fits, else simulated: the one place where that is decided.

    Raises NoExactOdds where only exact will do, Interrupted with the fight so far once battles have been fought.
    """
    if method.exact or (method.exact is None and method.battles is None and method.device == "processor"):
        default = EXACT_BYTES if method.exact else QUICK_BYTES
        try:
            return Enumerated(scenario, method.budget or default, progress, shared)
        except NoExactOdds:
            if method.exact:
                raise
    fight = Fight(scenario, method.seed, method.threads, shared, method.device)
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


def answer(
    scenario: Source, method: Method | None = None, progress: Progress | None = None, shared: Shared | None = None
) -> Odds:
    """The odds of a scenario: exact if they fit, else simulated, or as `method` says. `shared` keeps equal chains.

    Raises NoExactOdds where only exact will do; Interrupted, with the odds so far, once battles have been fought.
    """
    if is_uncertain(scenario):
        from simulator.analysis.odds.mix import mixed

        return mixed(scenario, method or Method(), progress).odds
    try:
        return settle(load(scenario), method or Method(), progress, shared).odds()
    except Interrupted as cut:
        raise Interrupted(cut.gathered.odds()) from None


def exact(scenario: Source, budget: int | None = None, progress: Progress | None = None) -> Odds:
    """Exact odds. Raises NoExactOdds, which tells how large the state space is, past `budget` bytes."""
    return answer(scenario, Method(exact=True, budget=budget), progress)


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
    return answer(scenario, Method(exact=False, battles=battles, seed=seed, threads=threads), progress)


def odds(
    scenario: Source,
    precision: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Odds:
    """Exact odds when they fit, else simulated until every chance is within `precision` (95 %), see `Method`."""
    return answer(scenario, Method(precision=precision, seed=seed, threads=threads), progress)


def cell(
    scenario: Scenario | Draft,
    battles: int | None,
    seed: int,
    progress: Progress | None = None,
    shared: Shared | None = None,
) -> Odds:
    """One of many answers: exact when it is small enough (and no battles are asked for), else on one thread."""
    if battles is None:
        try:
            return answer(scenario, Method(exact=True, budget=CELL_BYTES), progress, shared)
        except NoExactOdds:
            pass
    return answer(scenario, Method(False, battles or CELL_BATTLES, seed=seed, threads=1), progress, shared)


def explain(scenario: Source) -> list[str]:
    """How the answer comes about: modifiers and their sources, or a calculator's plan, one line each."""
    return list(load(scenario).built.explain())
