"""Check of the contract between a game and the engine, in sampled states, before a chain is answered.

A rule gives the same answer when called twice, and for every value of a counter; a step only adds to counters. A rule
neither writes to parameters nor reads them at a negative index (`PlainArray`). No battle is over at its start.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.engine.model.chain import Chain, check_limits, rules, whole
from simulator.engine.model.interpreted import plain_params, quicken
from simulator.engine.model.limits import BrokenGame

# Test values for counters: the start state is checked with all of them, later states with SOME.
VALUES, SOME = (1, 3, 10, 2, 4, 5, 6, 8, 15, 20, 50, 1000), 3
# States checked in each chain, until all chains of a kind together took SECONDS. Of later chains only those whose plain
# numbers are new (options that choose a branch of a rule) are checked, in the start state alone, with SOME values: 0.05
# to 0.2 ms. Other starts and sizes of arrays call the same branches again: a fifth of 1,000 small answers. Numbers from
# MANY on are alike if they have equally many bits: they are sizes, which would be new in nearly every battle.
STATES, SECONDS, MANY = 64, 0.02, 8
# The number of checked scenarios that are remembered.
MOST_KNOWN = 4096
_known: set[Any] = set()
_spent: Counter[type] = Counter()


def check_contract(chain: Chain) -> None:
    """Raise BrokenGame, which names rule, field and state, if sampled states of a chain break the contract.

    A chain is checked once, together with all chains that differ from it only in the contents of arrays; after SECONDS
    also with those that differ only in their start and the sizes of arrays.
    """
    kind = type(chain.params)
    if check_contract in chain.kept:
        return
    left = SECONDS - _spent[kind]
    declared = chain.counters, chain.may_be_over
    key = kind, declared, chain.start if left > 0 else None, *_scalars(chain.params, left > 0)
    if key not in _known:
        begun = time.thread_time()
        Examiner(chain).look_around(STATES if left > 0 else 1, begun + left)
        _spent[kind] += time.thread_time() - begun  # type: ignore[assignment]
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known.add(key)
    elif not chain.may_be_over:
        _check_begun(chain, chain.params, chain.start)
    chain.kept[check_contract] = True


def _check_begun(chain: Chain, params: Any, start: Any) -> None:
    """Raise BrokenGame for a battle that is over at its start."""
    if not chain.part("running")(params, start):
        raise BrokenGame(
            f"running: the battle is over before it begins, in {start}; a game that allows this declares it with "
            "Chain(may_be_over=True)"
        )


def _scalars(params: Any, sizes: bool) -> list[Any]:
    """The plain numbers of params: with `sizes` the numbers themselves and the shapes of arrays, else see MANY."""
    found: list[Any] = []
    for value in params:
        if isinstance(value, np.ndarray):
            if sizes:
                found.append(value.shape)
        elif isinstance(value, tuple):
            found += _scalars(value, sizes)
        else:
            found.append(value if sizes or value < MANY else -int(value).bit_length())
    return found


class Examiner:
    """Calls the rules of one chain as plain Python, and compares their answers."""

    def __init__(self, chain: Chain) -> None:
        quicken(type(chain.start))
        self._chain, self._p = chain, plain_params(chain.params)
        self._parts = rules[type(chain.params)]
        self._unread = chain.counters
        self._dice = random.Random(0)

    def look_around(self, states: int, deadline: float = float("inf")) -> None:
        """Check this number of states of sampled battles, or stop at `deadline` (thread time) after at least one.

        With `states` = 1 the counters take only SOME values.
        """
        chain, looked = self._chain, 0
        start = whole(chain.start)
        if not chain.may_be_over:
            _check_begun(chain, self._p, start)
        while looked < states:
            state: Any = start
            while state is not None and looked < states:
                state = self.after(state, self._some(looked, states))
                looked += 1
                if time.thread_time() > deadline:
                    return

    def after(self, s: Any, values: Sequence[int] = VALUES) -> Any:
        """Check a state with each of these values of its counters; returns a following state, None for none."""
        parts = self._parts
        if not self._asked("running", s, values):
            return None
        if "decides" in parts and self._asked("decides", s, values):
            count = self._asked("options", s, values)
            option = self._asked("choose", s, values)
            rolled = [option if option >= 0 else self._dice.randrange(max(1, count))]
            rolled += [0] * ("second" in parts)
        else:
            tables = [self._asked(name, s, values) for name in ("table", "second") if name in parts] or [0]
            if not all(0 <= table < len(self._chain.tables) for table in tables):
                return None  # the explorers and samplers refuse it
            rolled = [int(self._dice.choice(self._chain.tables.rows_of(table))) for table in tables]
            if "lands" in parts:
                self._asked("follows", self._asked("lands", s, values, *rolled), values)
        after = self._asked("step", s, values, *rolled)
        return after if all(map(self._within, after, self._chain.limits)) else None

    def _some(self, looked: int, states: int) -> Sequence[int]:
        """The test values for the counters of the next state."""
        if looked == 0:
            return VALUES if states > 1 else VALUES[:SOME]
        return self._dice.sample(VALUES, SOME)

    @staticmethod
    def _within(value: int, limit: int) -> bool:
        return bool(0 <= value <= limit)

    def _asked(self, name: str, s: Any, values: Sequence[int], *rolled: int) -> Any:
        """The answer of a rule. Raises BrokenGame if a second call, or another counter value, gives another answer."""
        part, p, stepped = self._chain.part(name), self._p, name in {"step", "lands", "follows"}
        first = part(p, s, *rolled)
        if stepped and type(first) is not type(s):
            check_limits(self._chain, first, s)
        if (again := part(p, s, *rolled)) != first:
            raise BrokenGame(f"{name}: {_unlike(first, again, 'when asked again')}; state {s}")
        for field in self._unread:
            held, limit = getattr(s, field), getattr(self._chain.limits, field)
            for value in values:
                if value < limit and value != held:
                    found = part(p, s._replace(**{field: value}), *rolled)
                    due = first._replace(**{field: getattr(first, field) + value - held}) if stepped else first
                    if found != due:
                        raise BrokenGame(f"{name}: {self._reads(field, due, found, value, held)}; state {s}")
        return first

    def _reads(self, field: str, due: Any, found: Any, value: int, held: int) -> str:
        """The message for a rule whose answer depends on a field that it may not read."""
        stepped = type(due) is type(found) is type(self._chain.start)
        if stepped and due._replace(**{field: 0}) == found._replace(**{field: 0}):
            more = getattr(due, field) - value
            return f"sets counter {field} to {getattr(found, field)} where it is {value}, but adds {more} to {held}"
        return f"reads counter {field}: {_unlike(due, found, f'where it is {value}, not {held}')}"


def _unlike(first: Any, other: Any, when: str) -> str:
    """The difference between two answers of a rule, for messages."""
    if hasattr(first, "_fields") and type(first) is type(other):
        name = next(name for name, a, b in zip(first._fields, first, other, strict=True) if a != b)  # type: ignore[attr-defined]
        return f"field {name} is {getattr(first, name)}, but {getattr(other, name)} {when}"
    return f"answers {first}, but {other} {when}"
