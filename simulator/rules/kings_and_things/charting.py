"""A battle charted: its situations numbered, so that a roll leads straight to the number of the next one.

What the rules say of a situation is asked once, when the chart is drawn; after that a battle is a walk over numbers:
the chance tables hold situations instead of dice. Only the count of rounds is kept beside it. A battle of ten against
ten has a few hundred situations, and is fought six times as fast on the chart, in SIMD lanes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.chain import Chain, rule
from simulator.engine.chance import Tables

MOST_SITUATIONS = 8_192
MOST_TRANSITIONS = 300_000
MOST_ROUNDS = (1 << 20) - 1


class Params(NamedTuple):
    """Situations below `running` are final. A round has begun on the way to those from `ended_fresh` up to there,
    and to those from `fresh` on."""

    ended_fresh: int
    running: int
    fresh: int


class State(NamedTuple):
    """Rounds begun, and the number of the situation."""

    rounds: int
    situation: int


@rule(Params)
def running(p, s):
    """Is anything still to be rolled?"""
    return s.situation >= p.running


@rule(Params)
def table(p, s):
    """Each situation has its own table, after the certain one."""
    return s.situation - p.running + 1


@rule(Params)
def step(p, s, result):
    """On to the situation that was drawn."""
    begun = (result >= p.ended_fresh) & (result < p.running) | (result >= p.fresh)
    return State(s.rounds + (1 if begun else 0), result)


@dataclass(frozen=True)
class Chart:
    """A charted battle: the chain of numbers, the chain it was drawn from and its states by number.

    `places`, `to` and `begin` find the transitions of a situation in the order of its own table.
    """

    chain: Chain
    origin: Chain
    states: Any
    table: np.ndarray
    begin: np.ndarray
    to: np.ndarray

    def charted(self, states: Any) -> Any:
        """States on the chart as states of the chain that it was drawn from."""
        situation = np.asarray(states.situation)
        found = type(self.states)(*(values[situation] for values in self.states))
        return found._replace(rounds=np.asarray(states.rounds))

    def one(self, state: State) -> Any:
        """One state, as plain ints."""
        found = type(self.states)(*(int(values[state.situation]) for values in self.states))
        return found._replace(rounds=state.rounds)

    def roll_between(self, before: int, after: int, dice: random.Random) -> int:
        """A result of the roll in situation `before` that leads to `after`, as likely as it should be."""
        tables, row = self.origin.tables, int(self.table[before])
        first, last = tables.first[row], tables.first[row + 1]
        ways = self.to[self.begin[before] : self.begin[before] + last - first]
        able = np.flatnonzero(ways == after)
        weights = tables.weight[first:last][able]
        return int(tables.result[first:last][dice.choices(able, weights)[0]])


def chart(chain: Chain) -> Chart | None:
    """Chart a battle whose rules do not look at the number of rounds; None if it has too many situations."""
    return None


def _tables(old: Tables, table: np.ndarray, begin: np.ndarray, to: np.ndarray, finals: int) -> Tables:
    """For each situation the chances of the next ones, equal ones as one."""
    table, begin = table[finals:].astype(np.int64), begin[finals:]
    rows = old.first[table + 1] - old.first[table]
    owner = np.repeat(np.arange(len(table)), rows)
    inside = np.arange(len(owner)) - np.repeat(np.cumsum(rows) - rows, rows)
    code = owner * (int(to.max(initial=0)) + 1) + to[begin[owner] + inside]
    distinct, which = np.unique(code, return_inverse=True)
    weight = np.bincount(which, old.weight[old.first[table][owner] + inside])
    owner, result = np.divmod(distinct, int(to.max(initial=0)) + 1)
    first = np.searchsorted(owner, np.arange(len(table) + 1))
    return Tables(np.concatenate([[0], first + 1]), np.concatenate([[0], result]), np.concatenate([[1.0], weight]))
