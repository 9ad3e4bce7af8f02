"""Optimal decisions in a strongly connected component of several states; see `value_iteration`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulator.engine.graph.graph_passes import chance_of
from simulator.engine.model.chain import helper
from simulator.engine.model.limits import BrokenGame

if TYPE_CHECKING:
    from simulator.engine.graph.value_iteration import Decider

# Tolerance for equal values.
SAME = 1e-12
MOST_SWEEPS = 10_000


class PolicyValues(NamedTuple):
    """Input and result of the passes, by state.

    `owner` as in Graph; `pick` is the option taken, `gain` its value minus that of the best other option. `first` and
    `second` are the values for the two sides; `second` is empty if it is the negative of `first`. `more`: the utility
    to each side, edges after edges, of what an edge adds to counters; empty if counters have none.
    """

    owner: Any
    pick: Any
    gain: Any
    first: Any
    second: Any
    more: Any


@helper
def worth_of(net, policy, e, side):
    """The value of an edge to a side (1 or 2)."""
    j, more = net.to[e], counted(net, policy, e, side)
    if side == 1:
        return policy.first[j] + more
    return (policy.second[j] if len(policy.second) > 0 else -policy.first[j]) + more


@helper
def counted(net, policy, e, side):
    """The utility to a side (1 or 2) of what an edge adds to counters."""
    return policy.more[(side - 1) * len(net.to) + e] if len(policy.more) > 0 else 0.0


class Loop:
    """A component of several states with decisions, solved for the best options."""

    def __init__(self, decider: Decider, members: Sequence[int]) -> None:
        net, policy = decider._net, decider.policy
        self.policy, self.members, self.opposed = policy, members, len(policy.second) == 0
        place = {i: a for a, i in enumerate(members)}
        size = len(members)
        self.inside, self.beyond = np.zeros((size, size)), np.zeros((size, 2))
        # By deciding state, for each option: place inside or -1, and the value outside, or the gain, for both sides.
        self.options: dict[int, list[tuple[int, np.ndarray]]] = {}
        for a, i in enumerate(members):
            ways = []
            for e in range(net.begin[i], net.begin[i + 1]):
                b = place.get(net.to[e], -1)
                worth = worth_of if b < 0 else counted
                ways.append((b, [worth(net, policy, e, side) for side in (1, 2)]))
            if policy.owner[i]:
                self.options[a] = [(b, np.array(worth)) for b, worth in ways]
                continue
            first = second = 0.0
            for e, (b, (mine, theirs)) in enumerate(ways, net.begin[i]):
                chance = chance_of(net, i, e)
                first, second = first + chance * mine, second + chance * theirs
                if b >= 0:
                    self.inside[a, b] += chance
            self.beyond[a] = first, second
        self.owner = {a: int(policy.owner[members[a]]) for a in self.options}

    def matrix(self, pick: dict[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """The linear system for the values of the members when each deciding member takes the option in `pick`.

        Returns the chances of steps between members, float64, shape (members, members), and the expected value of
        the steps that leave them plus the gains, float64, shape (members, 2), a column for each side.
        """
        inside, beyond = self.inside.copy(), self.beyond.copy()
        for a, k in pick.items():
            b, worth = self.options[a][k]
            beyond[a] = worth
            if b >= 0:
                inside[a, b] = 1.0
        return inside, beyond

    def values(self, pick: dict[int, int]) -> np.ndarray | None:
        """Values of all members for both sides with these options taken: float64, shape (members, 2).

        None if the battle never leaves the members.
        """
        inside, beyond = self.matrix(pick)
        try:
            found = np.linalg.solve(np.eye(len(inside)) - inside, beyond)
        except np.linalg.LinAlgError:
            return None
        return found if np.all(np.abs(found) < 1e15) else None

    def worth(self, a: int, k: int, values: np.ndarray) -> float:
        """The value of option `k` of member `a` to its side, one step ahead; `values`: float64, shape (members, 2)."""
        b, worth = self.options[a][k]
        side = self.owner[a] - 1
        return float(worth[side] + (values[b, side] if b >= 0 else 0.0))

    def improved(self, side: int, pick: dict[int, int], values: np.ndarray) -> bool:
        """Replace options of a side in `pick` by better ones; returns whether there were any.

        `values` are the current values of the members: float64, shape (members, 2).
        """
        changed = False
        for a, ways in self.options.items():
            if self.owner[a] == side:
                worths = [self.worth(a, k, values) for k in range(len(ways))]
                if max(worths) > worths[pick[a]] + SAME:
                    pick[a], changed = worths.index(max(worths)), True
        return changed

    def leaving(self) -> dict[int, int]:
        """For each decision the first option that leaves the component, 0 if none does."""
        return {a: next((k for k, (b, _) in enumerate(ways) if b < 0), 0) for a, ways in self.options.items()}

    def iterated(self) -> dict[int, int] | None:
        """Policy iteration: each side in turn takes the best response to the other's options."""
        pick = self.leaving()
        for _ in range(MOST_SWEEPS):
            for _ in range(MOST_SWEEPS):
                values = self.values(pick)
                if values is None:
                    return None
                if not self.improved(2, pick, values):
                    break
            if not self.improved(1, pick, values):
                return pick
        raise BrokenGame("decisions without end")

    def staying(self) -> dict[int, int] | None:
        """Both sides decide with different utilities: each compares leaving with staying until something changes."""
        pick = {a: next((k for k, (b, _) in enumerate(ways) if b >= 0), 0) for a, ways in self.options.items()}
        values = self.values(pick)
        if values is None:
            pick = self.leaving()
            values = self.values(pick)
            if values is None:
                return None
        for _ in range(len(self.options) + 1):
            before = dict(pick)
            for a, ways in self.options.items():
                worths = [self.worth(a, k, values) for k in range(len(ways))]
                pick[a] = next(k for k, worth in enumerate(worths) if worth >= max(worths) - SAME)
                b, worth = ways[pick[a]]
                values[a] = worth + (values[b] if b >= 0 else 0.0)
            if pick == before:
                break
        return pick

    def solve(self) -> bool:
        """Choose options, and store values, picks and gains; False if the battle can never leave the component."""
        alone = self.opposed or len(set(self.owner.values())) < 2
        pick = self.iterated() if alone else self.staying()
        values = None if pick is None else self.values(pick)
        if pick is None or values is None:
            return False
        gains = {}
        for a, ways in self.options.items():
            worths = [self._for_good(a, k, pick, values) for k in range(len(ways))]
            first = next(k for k, worth in enumerate(worths) if worth >= max(worths) - SAME)
            if alone and first != pick[a]:
                pick = pick | {a: first}
                again = self.values(pick)
                values = values if again is None else again
            rest = [worth for k, worth in enumerate(worths) if k != pick[a]]
            gains[a] = worths[pick[a]] - max(rest) if rest else 0.0
        for a, i in enumerate(self.members):
            self.policy.first[i] = float(values[a, 0])
            if not self.opposed:
                self.policy.second[i] = float(values[a, 1])
            if a in pick:
                self.policy.pick[i], self.policy.gain[i] = pick[a], float(gains[a])
        return True

    def _for_good(self, a: int, k: int, pick: dict[int, int], values: np.ndarray) -> float:
        """The value of an option that is taken every time until something changes."""
        side = self.owner[a] - 1
        if k != pick[a] and self.options[a][k][0] >= 0:
            found = self.values(pick | {a: k})
            return -1e300 if found is None else float(found[a, side])
        return self.worth(a, k, values)
