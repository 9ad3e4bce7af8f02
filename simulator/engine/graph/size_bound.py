"""Chains that are surely too large, known from a few thousand battles that hardly ever meet; imports no compiler.

Whatever the chances of N states, W battles that each draw one of them come to so many different ones most likely where
all are equally likely (Wong & Yue, "A majorization theorem for the number of distinct outcomes in N independent
trials", Discrete Mathematics 6, 1973). There the number of battles until D different ones were met is a sum of
geometric numbers, and Chernoff's bound of it says: where D of W are different, k = W - D are not, then but for a
chance d

    N >= D (D - 1) / (2 x)    where x - k - k ln(x / k) = ln(1 / d), x > k; for k = 0, x = ln(1 / d).

The states are sorted into classes by their own bits and by how many edges leave them; of each class a battle draws the
first state that it comes to, late enough. What all classes hold at least, with d a share of 10^-6 for each of them,
adds up to the states of the chain, and with the fewest edges of each class to its transitions. Battles need not be as
likely as they are: each prefers, to a degree of its own, certain results, so that they spread further.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import log, prod, sqrt
from typing import Any, Protocol

import numpy as np

from simulator.engine.graph.graph import size_of
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.graph.refusal_cache import recall, remember
from simulator.engine.model import streams
from simulator.engine.model.chain import Chain, hold_to_limits
from simulator.engine.model.limits import NoExactOdds, in_words
from simulator.engine.model.packing import packed

# The chance that a chain is refused that would have fitted.
MISTAKEN = 1e-6
# Battles that see how long all of them last, half of them at least, and how far they go.
SCOUTS, HALF, FAR = 16, 0.5, 64
# How many battles walk, as a share of those that are thought to be needed: what they see grows at most with the square
# of their number.
SHARES = (1 / 8, 1, 3)
# Steps before the first look, how many times as many before each next one, and the most; so there are so many looks at
# most, of all shares together.
SHORT, STRETCH, LONG, LOOKS = 4, 1.5, 256, 36
# Of the levels, how many classes count as if all battles had drawn of them: half are too early, and where there are as
# many classes as levels a battle comes to 1 - 1/e of them.
SEEN = 0.2
# Its first look takes this part of the steps that spelled it out so far.
FEW = 8
# Of the battles that are counted and of the scouts.
SEED, SCOUTS_SEED = 0, 1
# Edges of a state are told apart by so many powers of two.
OCTAVES = 33


class Walk(Protocol):
    """Battles under way: their packed states (words, battles), and how many edges leave each, 0 where it is over."""

    keys: np.ndarray
    fan: np.ndarray

    def step(self, edge: np.ndarray) -> None:
        """Take these edges, each counted from the first of its state; battles that are over stay where they are."""


class PlainWalk(PlainExplorer):
    """Battles that step by the game's functions as they stand."""

    def __init__(self, explorer: PlainExplorer, battles: int) -> None:
        vars(self).update(vars(explorer))  # made once: for some games that takes as long as the battles
        self._see([self._begun(self.chain.start)] * battles)

    def _see(self, states: list[Any]) -> None:
        self._states = states
        self.keys = packed(self.chain.layout, np.array(states, np.int64))
        self.fan = np.array([self.fan_of(state) for state in states], np.int64)

    def fan_of(self, s: Any) -> int:
        """How many edges leave a state; 0 where the battle is over."""
        chain, p = self.chain, self._p
        if not chain.part("running")(p, s):
            return 0
        if self.decisions and chain.part("decides")(p, s):
            return int(chain.part("options")(p, s))
        return prod(map(len, self._rolls(s)))

    def _rolls(self, s: Any) -> list[list[int]]:
        """What the roll may show in a state, or both rolls."""
        tables = self._tables_of(s, self.chain.part("table"), self.chain.part("second"))
        return [self._results[t] for t in tables[: 1 + self.chain.paired]]

    def step(self, edge: np.ndarray) -> None:
        """See `Walk`."""
        told = zip(self._states, self.fan.tolist(), edge.tolist(), strict=True)
        self._see([self._after(state, place) if fan else state for state, fan, place in told])

    def _after(self, s: Any, edge: int) -> Any:
        """Where an edge of a state leads."""
        result, other = edge, 0
        if not (self.decisions and self.chain.part("decides")(self._p, s)):
            first, *second = self._rolls(s)
            others, row = divmod(edge, len(first))
            result, other = first[row], second[0][others] if second else 0
        after, _ = self._without_count(s, self._move(self._p, s, result, other))
        hold_to_limits(self.chain, after, s)
        return after


WalkOf = Callable[[int], Walk]


class Sample:
    """Battles that walk on and on, and what they came to: by level and battle the state's hash and its edges."""

    def __init__(self, walk: Walk, seed: int = SEED) -> None:
        self._walk = walk
        with np.errstate(over="ignore"):
            self._key = streams.battle_key(np.uint64(seed), np.arange(len(walk.fan), dtype=np.uint64))
        # What is preferred in even and in odd steps, and in how many quarters of them.
        self._favour = [_numbers(self._key, 2**32 + parity) for parity in (0, 1)]
        self._met: list[np.ndarray] = []
        self._fan: list[np.ndarray] = []

    def __len__(self) -> int:
        return len(self._met)

    @property
    def over(self) -> float:
        """The share of battles that are over."""
        return float((self._walk.fan == 0).mean())

    def fight(self, levels: int) -> None:
        """Walk on until so many levels were seen."""
        while len(self) < levels:
            self._met.append(_hash(self._walk.keys))
            self._fan.append(self._walk.fan)
            self._walk.step(self._edges())

    def _edges(self) -> np.ndarray:
        number, favoured = _numbers(self._key, len(self)), self._favour[len(self) % 2]
        follows = (number >> np.uint64(32)) & np.uint64(3) < favoured >> np.uint64(62)
        place = np.where(follows, favoured, number) & np.uint64(0xFFFFFFFF)
        return (place * self._walk.fan.astype(np.uint64) >> np.uint64(32)).astype(np.int64)

    def typical_fan(self) -> int:
        """Edges of a state of a battle that goes on, of at least every other one."""
        fan = np.concatenate(self._fan)
        return int(np.median(fan[fan > 0])) if fan.any() else 1

    def least(self) -> tuple[int, int]:
        """States and transitions of the chain, at least: from the later half of the levels."""
        begin = len(self) // 2
        met, fan = (np.array(levels[begin:]) for levels in (self._met, self._fan))
        battles, kinds = met.shape[1], len(met)
        octave = np.frexp(fan.astype(np.float64))[1]
        drawn = (met % np.uint64(kinds)).astype(np.int64) * OCTAVES + octave
        place = drawn * battles + np.arange(battles)
        places, first = np.unique(place, return_index=True)
        drawn, met = places // battles, met.ravel()[first]
        order = np.lexsort((met, drawn))
        drawn, met = drawn[order], met[order]
        new = np.append(True, (drawn[1:] != drawn[:-1]) | (met[1:] != met[:-1]))
        each, different = np.bincount(drawn), np.bincount(drawn, new)
        sure = log(LOOKS * kinds * OCTAVES / MISTAKEN)
        states = edges = 0
        for which in np.flatnonzero(each).tolist():
            least = least_number(int(each[which]), int(different[which]), sure)
            states += least
            edges += least * (1 << which % OCTAVES >> 1)
        return states, edges


def least_number(drawn: int, different: int, sure: float) -> int:
    """At least so many there are where so many drawn ones are different, but for a chance of exp(-sure)."""
    met = drawn - different
    x = sure
    if met:
        x += met + sqrt(sure * sure + 2 * sure * met)
        for _ in range(8):  # each is above the solution still, and nearer to it
            x = sure + met + met * log(x / met)
    return max(different, int(different * (different - 1) / (2 * x)))


def hold_one_roll(chain: Chain, fan: int, budget: int) -> None:
    """Refuse a chain with so many edges that leave one state, where they alone are past the budget."""
    if (size := size_of(chain, 0, fan)) > budget:
        raise NoExactOdds(
            f"one roll of {fan:,} results: at least {in_words(size)}, past the budget of {in_words(budget)}"
        )


def look_around(explorer: PlainExplorer, s: Any, edges: int, look_from: int) -> bool:
    """Raise NoExactOdds where one roll alone is past the budget or, past so many edges, the chain is seen to be.

    Says whether it was looked for that.
    """
    chain, budget = explorer.chain, explorer.budget
    fan = PlainWalk(explorer, 1).fan_of(s)
    hold_one_roll(chain, fan, budget)
    if not 0 < look_from < edges + fan:
        return False
    if not explorer.decisions:
        recall(chain, budget)
    refuse_what_is_too_large(chain, budget, partial(PlainWalk, explorer), (edges + fan) // FEW)
    return True


def look_before_compiling(explorer: PlainExplorer) -> None:
    """Raise NoExactOdds where the chain is seen to be past the budget by more steps; that is kept for later runs."""
    try:
        walk_of = partial(PlainWalk, explorer)
        refuse_what_is_too_large(explorer.chain, explorer.budget, walk_of, explorer.edges // 2)
    except NoExactOdds as refusal:
        if not explorer.decisions:
            remember(explorer.chain, explorer.budget, str(refusal))
        raise


def refuse_what_is_too_large(chain: Chain, budget: int, walk_of: WalkOf, effort: int) -> None:
    """Raise NoExactOdds for a chain that is seen to be past its budget (bytes) by so many steps of battles."""
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
    """How many battles would show four times the budget in so many levels if no two of them ever met."""
    sure = log(LOOKS * levels * OCTAVES / MISTAKEN)
    return max(SCOUTS, int(sqrt(2 * sure * 4 * budget / size_of(chain, 1, fan) / (SEEN * levels))))


def _look(chain: Chain, budget: int, sample: Sample, longest: int) -> int:
    """Look again and again while battles walk on, until that cannot be hoped to show a chain that is past its budget.

    Bytes that were seen at least. Raises NoExactOdds once they are past the budget.
    """
    levels, last, seen = SHORT, 1, 0
    while levels <= longest and sample.over < HALF:
        sample.fight(levels)
        states, edges = sample.least()
        size = size_of(chain, states, edges)
        if size > budget:
            raise foreseen(chain, states, edges, budget)
        seen = max(seen, size)
        looks_left = log(longest / levels) / log(STRETCH)
        if size * (2 * states / last) ** looks_left < budget:
            break
        levels, last = int(STRETCH * levels), states
    return seen


def foreseen(chain: Chain, states: int, edges: int, budget: int) -> NoExactOdds:
    """The refusal of a chain with so many states and transitions, at least."""
    size = size_of(chain, states, edges)
    return NoExactOdds(
        f"at least about {_rounded(states):,} states and {_rounded(edges):,} transitions, since sample battles hardly "
        f"ever meet: more than {in_words(size)}, past the budget of {in_words(budget)}"
    )


def _rounded(number: int) -> int:
    """A number to two digits, downwards."""
    unit = 10 ** max(0, len(str(number)) - 2)
    return int(number // unit * unit)


def _numbers(key: np.ndarray, place: int) -> np.ndarray:
    """The number at this place of each stream."""
    with np.errstate(over="ignore"):
        return np.asarray(streams.mix(key + np.uint64(place) * streams.GAMMA))


def _hash(keys: np.ndarray) -> np.ndarray:
    """One word of packed states."""
    code = np.zeros(keys.shape[1], np.uint64)
    for word in keys:
        code = _numbers(code ^ word, 1)
    return code
