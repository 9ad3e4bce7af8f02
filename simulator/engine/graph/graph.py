"""The graph of a chain: each distinct state once, with its chance table and the states that follow each result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.kept import Kept
from simulator.engine.model.limits import NoExactOdds, in_words
from simulator.engine.model.ragged import members

# In place of a chance table: the battle is over.
FINAL = -1


@dataclass(eq=False)
class Graph:
    """The distinct states of a chain, numbered in the order of discovery from state 0, and the edges between them.

    - `keys`: packed states, array (words, states); `states()` unpacks them. The counter is not in them.
    - `table`: chance table of each state, FINAL where the battle is over; `second`: that of the independent other
      roll (None if there is none). `owner`: 1 + the side that decides there, 0 for chance (None without decisions).
    - `begin`: where the edges of a state begin (states + 1); state i leads to `to[begin[i]:begin[i + 1]]`. A chance
      state has one edge for each row of its table, repeated for each row of `second`; a decision has one for each
      option.
    - `inc`: the amount that each edge adds to the counter, None without a counter.
    - `starts`: numbers of the states that exploration began with, after the decisions due there.
    """

    chain: Chain
    keys: np.ndarray
    table: np.ndarray
    second: np.ndarray | None
    owner: np.ndarray | None
    begin: np.ndarray
    to: np.ndarray
    inc: np.ndarray | None
    starts: np.ndarray = field(default_factory=lambda: np.zeros(1, np.int64))
    kept: Kept = field(default_factory=Kept, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def final(self) -> np.ndarray:
        """Is each state final? bool, shape (states,)."""
        return np.asarray(self.table == FINAL)

    def states(self, which: Any = slice(None), counts: np.ndarray | None = None) -> Any:
        """The states (or those selected) as a State of int64 arrays; the counter holds `counts`, or 0 without them.

        Raises BrokenGame for a count above the counter's limit.
        """
        layout, counted = self.chain.layout, self.chain.counted
        chosen = self.keys[:, which]
        fields = [
            ((chosen[word] >> shift) & mask).view(np.int64) if mask else np.zeros(chosen.shape[1], np.int64)
            for word, shift, mask in zip(layout.word, layout.shift, layout.mask, strict=True)
        ]
        if counts is not None and counted >= 0:
            fields[counted] = counts + int(self.chain.start[counted])
            self.chain.check_count(fields[counted])
        return type(self.chain.start)(*fields)

    def edges_of(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Edges of chance states: the place of the state in `states` and the edge (int64), and the chance (float64)."""
        tables, fan = self.chain.tables, np.diff(self.chain.tables.first)
        owner, inside = members(self.begin[states + 1] - self.begin[states])
        table = self.table[states][owner]
        chance = tables.weight[tables.first[table] + inside % fan[table]]
        if self.second is not None:
            other = self.second[states][owner]
            chance = chance * tables.weight[tables.first[other] + inside // fan[table]]
        return owner, self.begin[states][owner] + inside, chance

    def described(self, number: int) -> str:
        """One state, for messages."""
        values = self.states(slice(number, number + 1))
        return str(type(values)(*(int(value[0]) for value in values)))


def size_of(chain: Chain, states: int, edges: int) -> int:
    """Estimated bytes of a graph of this size under construction; budgets are compared with this number."""
    a_state = 16 * chain.layout.words + 4 + 8 + 16 + 4 * chain.paired + chain.decided
    return states * a_state + edges * (8 if chain.counters else 4)


def over_budget(chain: Chain, states: int, waiting: int, edges: int, budget: int) -> NoExactOdds:
    """The refusal of a graph that grew past its budget while `waiting` states were not yet expanded."""
    size = size_of(chain, states, edges)
    done = max(1, states - waiting)
    least = max(size, size_of(chain, states, round(edges * states / done)))
    return NoExactOdds(
        f"more than {states:,} states and {edges:,} transitions, {waiting:,} states not yet followed: "
        f"at least {in_words(least)}, past the budget of {in_words(budget)}"
    )


def check_one_roll(chain: Chain, fan: int, budget: int) -> None:
    """Raise NoExactOdds if the edges of one state alone are past the budget."""
    if (size := size_of(chain, 0, fan)) > budget:
        raise NoExactOdds(
            f"one roll of {fan:,} results: at least {in_words(size)}, past the budget of {in_words(budget)}"
        )


def refuse_least(chain: Chain, states: int, transitions: int, budget: int) -> None:
    """Raise NoExactOdds if a chain with at least this many states and transitions is past the budget."""
    size = size_of(chain, states, transitions)
    if size > budget:
        raise NoExactOdds(
            f"at least {states:,} states and {transitions:,} transitions: more than {in_words(size)}, "
            f"past the budget of {in_words(budget)}"
        )
