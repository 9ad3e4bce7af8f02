"""Lower bound on the number of states, from how rarely sampled battles visit the same state; does not import numba.

W battles each draw one of N states. The number of distinct states is stochastically largest if all states are equally
likely (Wong & Yue, "A majorization theorem for the number of distinct outcomes in N independent trials", Discrete
Mathematics 6, 1973). In that case the number of draws until D distinct states are seen is a sum of geometric variables,
and its Chernoff bound says: if D of W draws are distinct and k = W - D are not, then, except with probability d,

    N >= D (D - 1) / (2 x)    where x - k - k ln(x / k) = ln(1 / d), x > k; for k = 0, x = ln(1 / d).

The states are divided into classes by bits of their hash and by their number of edges; from each class a battle draws
the first state that it visits in the later half of its steps. The bounds of all classes, with an equal share of 10^-6
as d, add up to a bound on the states; with the fewest edges of each class they bound the transitions. The battles
need not follow the chances of the chain: each prefers certain results to a random degree, so that they spread further.

Refusals are cached on disk, since it takes seconds to find out that a chain is too large.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import log, sqrt
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from simulator.engine.graph.graph import size_of
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.jit import kernel_cache
from simulator.engine.model import streams
from simulator.engine.model.chain import Chain
from simulator.engine.model.limits import NoExactOdds, in_words
from simulator.engine.model.packing import packed

# The probability that a chain is refused although it fits.
MISTAKEN = 1e-6
# Battles that measure the typical length, the share of them that has to end, and the most steps of that.
SCOUTS, HALF, FAR = 16, 0.5, 64
# The number of battles, as a share of the estimate of those needed: the bound grows at most with the square of their
# number.
SHARES = (1 / 8, 1, 3)
# Steps before the first bound, the factor between one bound and the next, and the most steps; LOOKS is the most bounds
# of all shares together.
SHORT, STRETCH, LONG, LOOKS = 4, 1.5, 256, 36
# The classes from which all battles draw, as a share of the levels: half of the levels are too early, and with as many
# classes as levels a battle draws from 1 - 1/e of them.
SEEN = 0.2
# The first sample takes one part in FEW of the steps that exploration took so far.
FEW = 8
# Seeds of the counted battles and of the scouts.
SEED, SCOUTS_SEED = 0, 1
# The number of edges of a state is classified by powers of two.
OCTAVES = 33
# The folder of cached refusals.
REFUSED = "refused"


class SampledWalk(Protocol):
    """Running battles: `keys` are their packed states, uint64, shape (words, battles).

    `fan` is the number of edges of each state, int64, shape (battles,); 0 for a final state.
    """

    keys: np.ndarray
    fan: np.ndarray

    def step(self, edge: np.ndarray) -> None:
        """Advance each battle along one edge of its state; finished battles do not move.

        `edge`: int64, shape (battles,), the number of the edge among those of the state, from 0.
        """


class PlainWalk:
    """Battles that step by interpreted rules."""

    def __init__(self, explorer: PlainExplorer, battles: int) -> None:
        self._explorer = explorer
        self._see([explorer.begun(explorer.chain.start)] * battles)

    def _see(self, states: list[Any]) -> None:
        self._states = states
        self.keys = packed(self._explorer.chain.layout, np.array(states, np.int64))
        self.fan = np.array([self._explorer.fan_of(state) for state in states], np.int64)

    def step(self, edge: np.ndarray) -> None:
        """See `SampledWalk.step`; `edge` is int64, shape (battles,)."""
        battles = zip(self._states, self.fan.tolist(), edge.tolist(), strict=True)
        self._see([self._explorer.after(state, place) if fan else state for state, fan, place in battles])


WalkOf = Callable[[int], SampledWalk]


class Sample:
    """Sampled battles: by level (step) and battle the hash of the state and its number of edges."""

    def __init__(self, walk: SampledWalk, seed: int = SEED) -> None:
        self._walk = walk
        with np.errstate(over="ignore"):
            self._key = streams.battle_key(np.uint64(seed), np.arange(len(walk.fan), dtype=np.uint64))
        # The preferred results in even and in odd steps, and the number of quarters of the steps that take them.
        self._favour = [_numbers(self._key, 2**32 + parity) for parity in (0, 1)]
        self._hashes: list[np.ndarray] = []
        self._fan: list[np.ndarray] = []

    def __len__(self) -> int:
        return len(self._hashes)

    @property
    def over(self) -> float:
        """The share of battles that are over."""
        return float((self._walk.fan == 0).mean())

    def fight(self, levels: int) -> None:
        """Walk until this number of levels is recorded."""
        while len(self) < levels:
            self._hashes.append(_hash(self._walk.keys))
            self._fan.append(self._walk.fan)
            self._walk.step(self._edges())

    def _edges(self) -> np.ndarray:
        number, favoured = _numbers(self._key, len(self)), self._favour[len(self) % 2]
        follows = (number >> np.uint64(32)) & np.uint64(3) < favoured >> np.uint64(62)
        place = np.where(follows, favoured, number) & np.uint64(0xFFFFFFFF)
        return (place * self._walk.fan.astype(np.uint64) >> np.uint64(32)).astype(np.int64)

    def typical_fan(self) -> int:
        """The median number of edges of a state that is not final."""
        fan = np.concatenate(self._fan)
        return int(np.median(fan[fan > 0])) if fan.any() else 1

    def least(self) -> tuple[int, int]:
        """Lower bounds on the states and the transitions of the chain, from the later half of the levels."""
        begin = len(self) // 2
        code, fan = (np.array(levels[begin:]) for levels in (self._hashes, self._fan))
        battles, kinds = code.shape[1], len(code)
        octave = np.frexp(fan.astype(np.float64))[1]
        drawn = (code % np.uint64(kinds)).astype(np.int64) * OCTAVES + octave
        place = drawn * battles + np.arange(battles)
        places, first = np.unique(place, return_index=True)
        drawn, code = places // battles, code.ravel()[first]
        order = np.lexsort((code, drawn))
        drawn, code = drawn[order], code[order]
        new = np.append(True, (drawn[1:] != drawn[:-1]) | (code[1:] != code[:-1]))
        each, different = np.bincount(drawn), np.bincount(drawn, new)
        sure = log(LOOKS * kinds * OCTAVES / MISTAKEN)
        states = edges = 0
        for which in np.flatnonzero(each).tolist():
            least = least_number(int(each[which]), int(different[which]), sure)
            states += least
            edges += least * (1 << which % OCTAVES >> 1)
        return states, edges


def least_number(drawn: int, different: int, sure: float) -> int:
    """Lower bound on a population, from the distinct ones among the drawn, except with probability exp(-sure)."""
    repeated = drawn - different
    x = sure
    if repeated:
        x += repeated + sqrt(sure * sure + 2 * sure * repeated)
        for _ in range(8):  # each value is nearer to the solution, from above
            x = sure + repeated + repeated * log(x / repeated)
    return max(different, int(different * (different - 1) / (2 * x)))


def look_around(explorer: PlainExplorer, edges: int) -> None:
    """Raise NoExactOdds if the chain is known to be past the budget, or if sampled battles show it."""
    if not explorer.decisions:
        recall(explorer.chain, explorer.budget)
    refuse_what_is_too_large(explorer.chain, explorer.budget, partial(PlainWalk, explorer), edges // FEW)


def look_before_compiling(explorer: PlainExplorer) -> None:
    """Raise NoExactOdds if more sampled steps show that the chain is past the budget; later runs recall it."""
    try:
        walk_of = partial(PlainWalk, explorer)
        refuse_what_is_too_large(explorer.chain, explorer.budget, walk_of, explorer.edges // 2)
    except NoExactOdds as refusal:
        if not explorer.decisions:
            remember(explorer.chain, explorer.budget, str(refusal))
        raise


def refuse_what_is_too_large(chain: Chain, budget: int, walk_of: WalkOf, effort: int) -> None:
    """Raise NoExactOdds if at most `effort` steps of sampled battles show that the chain is past the budget (bytes)."""
    if battles_for(chain, budget, SHORT, int(chain.tables.largest) ** (1 + chain.paired)) * SHORT > effort:
        return
    scouts = Sample(walk_of(SCOUTS), SCOUTS_SEED)
    while len(scouts) < FAR and scouts.over < HALF:
        scouts.fight(len(scouts) + 1)
    battles = battles_for(chain, budget, len(scouts), scouts.typical_fan())
    if battles * len(scouts) > effort:
        return
    seen, walked = budget, SHARES[0]
    for share in SHARES:
        walking = int(share * battles)
        if walking * len(scouts) > effort or seen * (share / walked) ** 2 < budget:
            return
        seen, walked = _look(chain, budget, Sample(walk_of(walking)), min(LONG, effort // walking)), share


def battles_for(chain: Chain, budget: int, levels: int, fan: int) -> int:
    """The number of battles that would show four times the budget in this many levels if all states were distinct."""
    sure = log(LOOKS * levels * OCTAVES / MISTAKEN)
    return max(SCOUTS, int(sqrt(2 * sure * 4 * budget / size_of(chain, 1, fan) / (SEEN * levels))))


def _look(chain: Chain, budget: int, sample: Sample, longest: int) -> int:
    """Compute the bound repeatedly while battles walk on, as long as it may still reach the budget.

    Returns the bound in bytes. Raises NoExactOdds once it is past the budget.
    """
    levels, last, seen = SHORT, 1, 0
    while levels <= longest and sample.over < HALF:
        sample.fight(levels)
        states, edges = sample.least()
        size = size_of(chain, states, edges)
        if size > budget:
            raise size_refusal(chain, states, edges, budget)
        seen = max(seen, size)
        looks_left = log(longest / levels) / log(STRETCH)
        if size * (2 * states / last) ** looks_left < budget:
            break
        levels, last = int(STRETCH * levels), states
    return seen


def size_refusal(chain: Chain, states: int, edges: int, budget: int) -> NoExactOdds:
    """The refusal of a chain with at least this many states and transitions."""
    size = size_of(chain, states, edges)
    return NoExactOdds(
        f"at least about {_rounded(states):,} states and {_rounded(edges):,} transitions, since sampled battles "
        f"rarely visit the same state: more than {in_words(size)}, past the budget of {in_words(budget)}"
    )


def _rounded(number: int) -> int:
    """A number rounded down to two digits."""
    unit = 10 ** max(0, len(str(number)) - 2)
    return int(number // unit * unit)


def _numbers(key: np.ndarray, place: int) -> np.ndarray:
    """The number at this place of each stream."""
    with np.errstate(over="ignore"):
        return np.asarray(streams.mix(key + np.uint64(place) * streams.GAMMA))


def _hash(keys: np.ndarray) -> np.ndarray:
    """A hash of packed states, one 64-bit word each."""
    code = np.zeros(keys.shape[1], np.uint64)
    for word in keys:
        code = _numbers(code ^ word, 1)
    return code


def recall(chain: Chain, budget: int) -> None:
    """Raise NoExactOdds if the graph of the chain is known to exceed the budget."""
    path, most, why = _file_of(chain), -1, ""
    with suppress(OSError, ValueError):
        if path is not None:
            size, why = path.read_text(encoding="utf-8").split("\n")
            most = int(size)
    if budget <= most:
        raise NoExactOdds(why)


def remember(chain: Chain, budget: int, why: str) -> None:
    """Store the refusal for later runs; a failed write is ignored."""
    path = _file_of(chain)
    if path is not None:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{budget}\n{why}", encoding="utf-8")


def _file_of(chain: Chain) -> Path | None:
    """The file, named after everything that determines the graph; None for games of other packages."""
    package, tables = kernel_cache.package_of(type(chain.params)), chain.tables
    if package is None:
        return None
    parts = type(chain.params).__qualname__, chain.params, chain.start, chain.limits, chain.counters
    whole = pickle.dumps((*parts, tables.first, tables.result))
    return kernel_cache.folder_of(package) / REFUSED / hashlib.sha256(whole).hexdigest()[:32]
