"""Runs of one stage of a battle, exact and simulated, and a cache for scenarios that have stages in common."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, cast

import numpy as np

from simulator.engine import api
from simulator.engine.model.chain import Chain, ManyOutcomes, OutcomeDistribution, Share
from simulator.engine.model.limits import QUICK_BYTES
from simulator.rules.battle import Built, Columns, Outcomes
from simulator.rules.toolkit.tolerances import ALIKE
from simulator.scenarios.scenario import MOST_BITS

# `Shared` is emptied when it holds more rows of ends and numbers, or more chains, than this.
MOST_ENDS, MOST_CHAINS = 2_000_000, 256
# The attribute of a Built that keeps its outcomes, and the most outcomes kept: a small battle is asked again 2.4 to 6.9
# times as fast.
_KEPT, MOST_KEPT = "_outcomes", 1 << 10
# To find the columns that a counter changes, no more rows of outcomes are compared, at least this many of its values
# must fit, and an answer without counters tries this many of them one by one.
MOST_ROWS, LEAST_COUNTS, FEW_COUNTS = 4_000_000, 128, 4


def counting_chain(chain: Chain, numbers: Callable[[Any], np.ndarray]) -> Chain:
    """The chain, with its counter as an ordinary field of the state if the numbers of final states depend on it.

    `numbers` takes a state whose fields are int64 arrays of shape (states,) and returns float64 of that shape.
    """
    if chain.counted < 0:
        return chain
    start = type(chain.start)(*(np.array([int(value)] * 2) for value in chain.start))
    start[chain.counted][1] += 1
    none, one = numbers(start)
    return chain if abs(one - none) <= ALIKE else replace(chain, counters=())


def counting_columns(chain: Chain, final: Any, outcome: Callable[[Any], Columns], tried: int = 256) -> set[str]:
    """The columns of final states (a State of int64 arrays) that depend on the counter; all for too many states.

    Values of the counter up to `tried` are tried one by one; beyond it, those around powers of two.
    """
    plain, size = outcome(final), len(final[0])
    most = int(chain.limits[chain.counted]) if chain.counted >= 0 else 0
    if most == 0:
        return set()
    if size * LEAST_COUNTS > MOST_ROWS:
        return set(plain)
    small = min(most, tried, MOST_ROWS // size - LEAST_COUNTS // 2)
    large = (2**power + more for power in range(small.bit_length(), most.bit_length()) for more in (-1, 0))
    changed = set[str]()
    for count in sorted({*range(1, small + 1), *large, most} - {0}):
        columns = outcome(final._replace(**{chain.counters[0]: np.full(size, count)}))
        changed |= {name for name, one in plain.items() if name not in changed and np.any(columns[name] != one)}
    return changed


class Shared:
    """Chains with their exact ends, for scenarios that have chains in common; the wording of a chain does not count."""

    def __init__(self) -> None:
        self._chains: dict[bytes, Chain] = {}
        self._ends: dict[int, tuple[Chain, OutcomeDistribution]] = {}
        self._memory: dict[Any, Any] = {}
        self._rows = 0

    def canonical(self, chain: Chain) -> Chain:
        """The first chain given that equals this one, with all that was computed for it since."""
        if chain.utilities is not None:
            return chain
        if len(self._chains) >= MOST_CHAINS:
            self.forget()
        return self._chains.setdefault(chain.kept.of(digest, chain), chain)

    def ends(self, chain: Chain, solve: Callable[[Chain], OutcomeDistribution]) -> OutcomeDistribution:
        """The exact ends of a chain that `canonical` returned; solved if they are not known."""
        if known := self._ends.get(id(chain)):
            return known[1]
        ends = solve(chain)
        if chain.utilities is None:
            if self._rows + len(ends) > MOST_ENDS:
                self.forget()
            self._ends[id(chain)] = chain, ends
            self._rows += len(ends)
        return ends

    def recall(self, key: Any) -> Any:
        """The value that was kept under a key; None without one."""
        return self._memory.get(key)

    def remember(self, key: Any, value: Any, size: int) -> None:
        """Keep a value of this many numbers."""
        if self._rows + size > MOST_ENDS:
            self.forget()
        self._memory[key] = value
        self._rows += size

    def forget(self) -> None:
        """Drop everything that is kept."""
        self._ends, self._chains, self._memory, self._rows = {}, {}, {}, 0


# Battles of several stages, and campaigns, have stages in common with those asked before: a form that changes one field
# solves the rest from here. A campaign asked again: two Risk fronts 6.1 -> 2.1 ms, Europa's battle and siege 31 -> 2.7.
COMMON = Shared()


def digest(chain: Chain) -> bytes:
    """A hash of params (their types name the rules), start, limits, tables and counters."""
    hasher = hashlib.blake2b(digest_size=20)

    def add(value: Any) -> None:
        if isinstance(value, np.ndarray):
            hasher.update(f"{value.dtype.str}{value.shape}".encode())
            hasher.update(np.ascontiguousarray(value).data)
        elif isinstance(value, tuple):
            hasher.update(f"{type(value).__module__}.{type(value).__qualname__}(".encode())
            for one in value:
                add(one)
            hasher.update(b")")
        else:
            hasher.update(f"{value!r};".encode())

    for value in (chain.params, chain.start, chain.limits, chain.tables.rows, chain.counters):
        add(value)
    return hasher.digest()


@dataclass
class ExactRun:
    """Solves stages exactly, sums up the chance left undecided (`residual`), and reports `progress(states)`."""

    budget: int
    progress: Callable[[int], Any] | None = None
    residual: float = 0.0
    explored: int = 0
    known: dict[int, tuple[Chain, OutcomeDistribution]] = field(default_factory=dict)
    shared: Shared | None = None
    battles: None = None
    lines: None = None

    def __call__(self, chain: Chain, share: Share | None = None) -> OutcomeDistribution:
        """All ends of the stage, with chances multiplied by that of reaching it. Each chain is solved once."""
        chain = self.shared.canonical(chain) if self.shared else chain
        if id(chain) not in self.known:
            ends = self.shared.ends(chain, self._solved) if self.shared else self._solved_alone(chain)
            self.known[id(chain)] = chain, ends
            self.explored += ends.explored
        ends = self.known[id(chain)][1]
        self.residual += (share.p if share else 1.0) * ends.residual
        return OutcomeDistribution(ends.states, share.p * ends.p, path=share.path) if share else ends

    def uncounted(self, built: Built) -> tuple[OutcomeDistribution, Outcomes]:
        """As `of_chain`, without the columns that a counter changes: many times as fast where a graph is large."""
        assert built.chain is not None
        chain = self.shared.canonical(built.chain) if self.shared else built.chain
        key = self.uncounted.__name__, id(chain)
        if (ends := self.recall(key)) is None:
            ends = api.exact_outcomes(chain, self.budget, self._report, counted=False)
            self.remember(key, ends, len(ends))
        changed = counting_columns(chain, ends.states, built.outcome, FEW_COUNTS)
        columns = {name: one for name, one in built.outcome(ends.states).items() if name not in changed}
        return ends, Outcomes(columns, ends.p, None, ends.residual, ends.explored)

    def of_chain(self, built: Built) -> tuple[OutcomeDistribution, Outcomes]:
        """The ends and outcomes of an answer that is one chain; those of small battles are kept for equal scenarios."""
        assert built.chain is not None
        budget, *known = vars(built).get(_KEPT, (inf,))
        if budget <= self.budget:
            return known[0], known[1]
        ends = self(built.chain)
        outcomes = Outcomes(built.outcome(ends.states), ends.p, None, self.residual, self.explored)
        if len(ends) <= MOST_KEPT:
            vars(built)[_KEPT] = self.budget, ends, outcomes
        return ends, outcomes

    def from_starts(self, chain: Chain, starts: np.ndarray, counted: bool, many: bool) -> ManyOutcomes:
        """The ends from each of these starts of a chain; `many`: further chains of its kind are solved as well."""
        key = digest(replace(chain, start=chain.limits)), starts.tobytes(), counted
        if (ends := self.recall(key)) is None:
            if many:
                api.expect_many(chain)
            ends = api.outcomes_from(chain, starts, self.budget, self._report, counted)
            self.remember(key, ends, len(ends.p))
        return cast(ManyOutcomes, ends)

    def recall(self, key: Any) -> Any:
        """The value that was kept under a key; None without one."""
        return self.shared.recall(key) if self.shared else None

    def remember(self, key: Any, value: Any, size: int) -> None:
        """Keep a value of this many numbers for all who share this memory."""
        if self.shared:
            self.shared.remember(key, value, size)

    def visited(self, states: int, undecided: float = 0.0) -> None:
        """Note states visited, and a chance left undecided."""
        self.explored += states
        self.residual += undecided

    def each(self, chain: Chain, numbers: np.ndarray, stage: int) -> tuple[OutcomeDistribution, np.ndarray]:
        """Not for exact answers."""
        raise TypeError("an exact answer has no single battles")

    def exactly(self) -> ExactRun:
        """This run."""
        return self

    def _solved_alone(self, chain: Chain) -> OutcomeDistribution:
        """The ends of one chain; equal scenarios share no large chain, so that its ends are kept under its hash."""
        if chain.layout.bits <= MOST_BITS or chain.utilities is not None:
            return self._solved(chain)
        key = type(chain.params), chain.kept.of(digest, chain)
        budget, *known = COMMON.recall(key) or (inf,)
        if budget <= self.budget:
            return cast(OutcomeDistribution, known[0])
        ends = self._solved(chain)
        COMMON.remember(key, (self.budget, ends), len(ends) * len(ends.states))
        return ends

    def _solved(self, chain: Chain) -> OutcomeDistribution:
        return api.exact_outcomes(chain, self.budget, self._report)

    @property
    def _report(self) -> Callable[[int], Any] | None:
        report = self.progress
        return report and (lambda states: report(self.explored + states))


@dataclass
class SimulatedRun:
    """Simulates stages: as many battles of a stage as reached it."""

    battles: int
    seed: int
    threads: int | None = None
    shared: Shared | None = None
    lines: None = None

    def __call__(self, chain: Chain, share: Share | None = None) -> OutcomeDistribution:
        """The ends of the stage, with counts of the battles that reached it."""
        from simulator.engine.model.streams import derive_seed

        share = share or Share(count=self.battles)
        chain = self.shared.canonical(chain) if self.shared else chain
        simulation = api.simulation_of(chain, derive_seed(self.seed, *share.path), self.threads)
        simulation.add(int(share.count or 0))
        ends = simulation.ends()
        assert ends.count is not None
        return OutcomeDistribution(ends.states, ends.count / self.battles, ends.count, path=share.path)

    def each(self, chain: Chain, numbers: np.ndarray, stage: int) -> tuple[OutcomeDistribution, np.ndarray]:
        """The battles of these numbers under a seed made of the stage: their distinct ends, and the end of each."""
        from simulator.engine.model.streams import derive_seed

        chain = self.shared.canonical(chain) if self.shared else chain
        return api.numbered_outcomes(chain, derive_seed(self.seed, stage), numbers)

    def exactly(self) -> ExactRun:
        """A run that answers exactly."""
        return ExactRun(QUICK_BYTES, shared=self.shared)
