"""Optimal decisions: value iteration over a graph with decisions.

The value of a chance state is the mean of its successors; a side that decides takes the option of the highest value,
the first of equals. A component of several states is solved by policy iteration (Howard, 1960; for two sides with
opposite utilities Hoffman and Karp, Management Science 12, 1966). If both sides decide in it with different utilities,
a side that stays is assumed to stay until something changes (docs/rules/decisions.md section 2.2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.engine.graph.explore import explore
from simulator.engine.graph.graph import Graph, size_of
from simulator.engine.graph.graph_passes import CERTAIN, COMPONENT, DENSE, WHERE, chance_of, eliminate, link, stay
from simulator.engine.graph.policy_iteration import SAME, Loop, PolicyValues, counted, worth_of
from simulator.engine.graph.solver import LAYERS, Solver, values_plainly
from simulator.engine.model.chain import MOST_COUNT, Chain, helper
from simulator.engine.model.limits import EXACT_BYTES, BrokenGame, NoExactOdds
from simulator.engine.model.status import DONE, ENDLESS, LARGE, PAUSED


@helper
def pick_best(net, policy, i):
    """Store the option of the highest value to the side that decides in state `i`, the first of equals."""
    begin, count, side = net.begin[i], net.begin[i + 1] - net.begin[i], policy.owner[i]
    most = worth_of(net, policy, begin, side)
    for k in range(1, count):
        most = max(most, worth_of(net, policy, begin + k, side))
    pick = 0
    while worth_of(net, policy, begin + pick, side) < most - SAME:
        pick += 1
    other = -1e300
    for k in range(count):
        if k != pick:
            other = max(other, worth_of(net, policy, begin + k, side))
    policy.pick[i] = pick
    policy.gain[i] = worth_of(net, policy, begin + pick, side) - other if count > 1 else 0.0
    policy.first[i] = worth_of(net, policy, begin + pick, 1)
    if len(policy.second) > 0:
        policy.second[i] = worth_of(net, policy, begin + pick, 2)


@helper
def expected(net, plan, policy, i, side):
    """The mean value of the edges of a chance state to a side, and the chance of edges inside its component.

    Such an edge is worth only what it adds to the counter.
    """
    t, e, own = net.table[i], net.begin[i], plan.of[i]
    fan = net.first[t + 1] - net.first[t]
    others = (net.begin[i + 1] - e) // fan
    total, inside = 0.0, 0.0
    for k in range(others):
        other = net.weight[net.first[net.second[i]] + k] if len(net.second) > 0 else 1.0
        for row in range(fan):
            chance = other * net.weight[net.first[t] + row]
            if plan.of[net.to[e]] != own:
                total += chance * worth_of(net, policy, e, side)
            else:
                inside += chance
                total += chance * counted(net, policy, e, side)
            e += 1
    return total, inside


@helper
def average(net, plan, policy, i):
    """Store the value of a chance state, which may return to itself; returns 0 if the battle never leaves it."""
    mine, loop = expected(net, plan, policy, i, 1)
    if loop > 1.0 - CERTAIN:
        return 0
    policy.first[i] = mine / (1.0 - loop)
    if len(policy.second) > 0:
        policy.second[i] = expected(net, plan, policy, i, 2)[0] / (1.0 - loop)
    return 1


@helper
def decided_in(plan, policy, c):
    """Does a side decide in a component?"""
    for a in range(plan.at[c], plan.at[c + 1]):  # noqa: SIM110 - compiled
        if policy.owner[plan.order[a]] > 0:
            return True
    return False


@helper
def go_round(net, plan, policy, c, side):
    """Values for a side in a component of chance states, whose matrix is filled."""
    first, states = plan.at[c], plan.at[c + 1] - plan.at[c]
    for a in range(states):
        plan.side[a] = expected(net, plan, policy, plan.order[first + a], side)[0]
    eliminate(plan.matrix, plan.side, states, False)
    for a in range(states):
        if side == 1:
            policy.first[plan.order[first + a]] = plan.side[a]
        else:
            policy.second[plan.order[first + a]] = plan.side[a]


def draw_best(net, plan, policy, at, pause):
    """Values and options of all states from the final ones: DONE, or LARGE at a component with decisions."""
    edges = 0
    for c in range(at[COMPONENT], len(plan.at) - 1):
        at[COMPONENT] = c
        i = plan.order[plan.at[c]]
        states = plan.at[c + 1] - plan.at[c]
        if states > 1:
            if states > DENSE or decided_in(plan, policy, c):
                return LARGE
            for side in range(1, 2 if len(policy.second) == 0 else 3):
                if link(net, plan, c, states) == 0:
                    at[WHERE] = c
                    return ENDLESS
                go_round(net, plan, policy, c, side)
            continue
        if net.table[i] < 0:
            continue
        if policy.owner[i] > 0:
            pick_best(net, policy, i)
        elif average(net, plan, policy, i) == 0:
            at[WHERE] = c
            return ENDLESS
        edges += net.begin[i + 1] - net.begin[i]
        if edges > pause:
            at[COMPONENT] = c + 1
            return PAUSED
    return DONE


@helper
def pass_on(net, plan, policy, visits, i, mass):
    """Push the visits of a state to the states outside its component."""
    begin, end = net.begin[i], net.begin[i + 1]
    if policy.owner[i] > 0:
        begin += policy.pick[i]
        end = begin + 1
    for e in range(begin, end):
        if plan.of[net.to[e]] != plan.of[i]:
            visits[net.to[e]] += mass * (1.0 if policy.owner[i] > 0 else chance_of(net, i, e))


def visit(net, plan, policy, visits, at, pause):
    """The chance that each state is visited, with these options; `visits` holds 1 for the start. DONE, or LARGE."""
    for c in range(at[COMPONENT], -1, -1):
        at[COMPONENT] = c
        i = plan.order[plan.at[c]]
        if plan.at[c + 1] - plan.at[c] > 1:
            return LARGE
        if net.table[i] < 0 or visits[i] == 0.0:
            continue
        loop = stay(net, i) if plan.loop[i] > 0 and policy.owner[i] == 0 else 0.0
        pass_on(net, plan, policy, visits, i, visits[i] / (1.0 - loop))
    return DONE


def reach(net, policy, start, number, order):
    """Number the chance and final states that are reachable from `start` with these options; returns their number."""
    order[0] = start
    number[start] = 0
    count, done = 1, 0
    while done < count:
        i = order[done]
        done += 1
        for e in range(net.begin[i], net.begin[i + 1]):
            j = net.to[e]
            while policy.owner[j] > 0:
                j = net.to[net.begin[j] + policy.pick[j]]
            if number[j] < 0:
                number[j] = count
                order[count] = j
                count += 1
    return count


class Decider(Solver):
    """The best decisions on a graph whose decisions are nodes."""

    def __init__(
        self, graph: Graph, worth: np.ndarray, rates: np.ndarray | None = None, plain: bool | None = None
    ) -> None:
        """`worth`, shape (2, final states): utilities of both sides.

        `rates`, shape (2, counters on edges): those of one unit; None for counters without utilities.
        """
        super().__init__(graph, False, values_plainly(LAYERS * len(graph.to), draw_best) if plain is None else plain)
        rates = np.zeros((2, 0)) if rates is None or graph.inc is None else rates
        size = len(graph)
        opposed = bool(np.all(np.abs(worth[0] + worth[1]) < SAME) and np.array_equal(rates[0], -rates[1]))
        values = np.zeros((2, size))
        values[:, graph.final] = worth
        assert graph.owner is not None
        hold = self._hold
        self.policy = PolicyValues(
            hold(graph.owner),
            hold(np.zeros(size, np.int32)),
            hold(np.zeros(size)),
            hold(values[0]),
            hold(np.empty(0) if opposed else values[1]),
            hold((rates @ graph.chain.counts(graph.inc)).ravel() if rates.any() else np.empty(0)),
        )
        self._decide()

    def _decide(self) -> None:
        at = self._hold(np.array([0, 0, 0, 0, -1, 0]))
        while (status := self._call(draw_best, self._plan, self.policy, at, self._pause)) != DONE:
            if status == ENDLESS:
                raise self._endless(int(at[WHERE]))
            if status == LARGE:
                c = int(at[COMPONENT])
                if not Loop(self, [int(i) for i in self._members(c)]).solve():
                    raise self._endless(c)
                at[COMPONENT] = c + 1

    def visit_chances(self) -> np.ndarray:
        """The chance that each state is visited at least once (float64)."""
        visited = np.zeros(len(self.graph))
        visited[0] = 1.0
        held, at = self._hold(visited), self._hold(np.array([0, len(self._plan.at) - 2, 0, 0, -1, 0]))
        while self._call(visit, self._plan, self.policy, held, at, self._pause) != DONE:
            c = int(at[COMPONENT])
            members = [int(i) for i in self._members(c)]
            loop = Loop(self, members)
            pick = {a: int(self.policy.pick[members[a]]) for a in loop.options}
            visits = np.linalg.inv(np.eye(len(members)) - loop.matrix(pick)[0])
            coming = np.array([held[i] for i in members]) @ visits
            for a, i in enumerate(members):
                pass_on(self._net, self._plan, self.policy, held, i, float(coming[a]))
                held[i] = float(coming[a] / visits[a, a])
            at[COMPONENT] = c - 1
        return np.asarray(held)

    def best_graph(self) -> Graph:
        """The graph of the battle with the best options taken."""
        graph, policy, size = self.graph, self.policy, len(self.graph)
        pick = np.asarray(policy.pick)
        # The state that decisions lead to, and the amount that they add to the counter.
        onward, more = np.arange(size), np.zeros(size, np.uint32)
        deciding = np.flatnonzero(graph.owner)
        edge = graph.begin[deciding] + pick[deciding]
        onward[deciding] = graph.to[edge]
        if graph.inc is not None:
            more[deciding] = graph.inc[edge]
        while np.any(further := np.asarray(graph.owner)[onward[deciding]] > 0):
            more[deciding] += np.where(further, more[onward[deciding]], 0).astype(np.uint32)
            onward[deciding] = onward[onward[deciding]]
        number, order = self._hold(np.full(size, -1, np.int32)), self._hold(np.zeros(size, np.int32))
        count = self._call(reach, policy, int(onward[0]), number, order)
        numbers, kept = np.asarray(number, np.int32), np.asarray(order, np.int64)[:count]
        fans = np.diff(graph.begin)[kept]
        begin = np.concatenate([[0], np.cumsum(fans)])
        edges = np.repeat(graph.begin[kept] - begin[:-1], fans) + np.arange(begin[-1])
        to = graph.to[edges]
        return Graph(
            graph.chain,
            graph.keys[:, kept],
            graph.table[kept],
            None if graph.second is None else graph.second[kept],
            None,
            begin,
            numbers[onward[to]],
            None if graph.inc is None else graph.inc[edges] + more[to],
        )


def _utilities(graph: Graph) -> tuple[np.ndarray, np.ndarray | None]:
    """The utilities of final states to both sides, and those of one unit of each counter on edges (`Decider`).

    Raises BrokenGame if one is not a finite number, or if a unit of a counter has different utilities.
    """
    chain, final = graph.chain, graph.final
    assert chain.utilities is not None
    ends = graph.states(final)
    worth = chain.utilities.worth(ends)
    if worth.shape != (2, int(final.sum())) or not np.all(np.isfinite(worth)):
        raise BrokenGame("utilities: that of a final state is not a finite number")
    if graph.inc is None or not worth.size:
        return worth, None
    counted, rates = chain.counters[0], []
    for unit, above in zip(chain.units, (MOST_COUNT, *chain.units), strict=False):
        several = min(1000, above // unit - 1) or 1
        one, more = (
            chain.utilities.worth(ends._replace(**{counted: getattr(ends, counted) + n * unit})) - worth
            for n in (1, several)
        )
        if np.any(np.abs(one - one[:, :1]) > 1e-9) or np.any(np.abs(more - several * one[:, :1]) > 1e-6):
            raise BrokenGame(f"counter {counted}: its utility depends on the rest of the outcome")
        rates.append(one[:, 0])
    begun = chain.counts(np.array([chain.start[chain.counted]]))
    return worth + np.array(rates).T @ begun, np.array(rates).T


class BestPolicy:
    """The best policies of a chain.

    `open` is the graph with the decisions, `decider` their solution, `graph` the graph with the best options taken.
    """

    def __init__(self, chain: Chain, budget: int = EXACT_BYTES) -> None:
        # A copy: a graph whose chain keeps it stays in memory until the garbage collector looks for cycles.
        chain = replace(chain)
        assert chain.utilities is not None
        try:
            self.open = explore(chain, budget)
        except NoExactOdds as error:
            raise NoExactOdds(
                f"{', '.join(chain.utilities.fields)}: best needs every state, and this battle has {error}; "
                f"choose a fixed policy, or fewer units"
            ) from None
        self.decider = Decider(self.open, *_utilities(self.open))
        self.graph = self.decider.best_graph()
        self._options: dict[Any, int] = {}

    @property
    def values(self) -> tuple[float, float]:
        """The value of the battle to both sides."""
        policy = self.decider.policy
        first = float(policy.first[0])
        return first, float(policy.second[0]) if len(policy.second) else -first

    def option(self, s: Any) -> int:
        """The option taken in a state."""
        chain = self.open.chain
        if not self._options:
            which = np.flatnonzero(self.open.owner)
            rows = zip(*(part.tolist() for part in self.open.states(which)), strict=True)
            self._options = dict(zip(rows, np.asarray(self.decider.policy.pick)[which].tolist(), strict=True))
        return self._options[tuple(0 if f == chain.counted else int(value) for f, value in enumerate(s))]


def best_policy(chain: Chain) -> BestPolicy:
    """The best policies of a chain, cached in it. Raises NoExactOdds if it has too many states."""
    return chain.kept.of(BestPolicy, chain)


def too_many_transitions(chain: Chain, most: int) -> bool:
    """Has the graph of a chain with its decisions more transitions than this? If not, its best policies are kept."""
    if BestPolicy not in chain.kept:
        try:
            chain.kept[BestPolicy] = BestPolicy(chain, size_of(chain, most, most))
        except NoExactOdds:
            return True
    return len(best_policy(chain).open.to) > most


def best_option(chain: Chain) -> Callable[[Any], int] | None:
    """The option that a policy `best` takes in a state; None for chains without such policies."""
    return None if chain.utilities is None else lambda s: best_policy(chain).option(s)


def first_state(chain: Chain, params: Any = None) -> Any:
    """The first chance state, after the decisions that are due at the start."""
    return chain.settled(chain.start, params, best=best_option(chain))
