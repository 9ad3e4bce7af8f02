"""Rules as plain Python: checked parameter arrays that give plain ints, and a fast `_replace`."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from simulator.engine.model.chain import Chain, check_limits, rules, whole
from simulator.engine.model.limits import BrokenGame

# Steps whose calls are counted; the calls of a step where they cannot be counted.
COUNTED_STEPS, USUAL_CALLS = 64, 40.0


class PlainArray(dict[Any, Any]):
    """A parameter array for interpreted rules: it gives plain ints and caches them; a row is a PlainArray too.

    Raises BrokenGame, which names the rule, the array and the state, if a rule writes to it or reads outside its
    shape. A negative index is outside: compiled rules would read the other end of the array.
    """

    # A dict subclass: a cached place costs 35 ns; a __getitem__ written in Python would cost 200.
    def __init__(self, array: np.ndarray, name: str = "params") -> None:
        super().__init__()
        self.shape, self.name = array.shape, name
        self._array, self._ints = array, memoryview(array)  # type: ignore[arg-type]
        self._flat = len(array) if array.ndim == 1 else 0

    def __missing__(self, place: Any) -> Any:
        if type(place) is int and 0 <= place < self._flat:
            return self.setdefault(place, self._ints[place])
        places = [int(i) for i in place] if isinstance(place, tuple) else [int(place)]
        for i, size in zip(places, self.shape, strict=False):
            if not 0 <= i < size:
                self._refuse(f"{self.name} has no place {place}: its shape is {self.shape}, no index is negative")
        if len(places) < len(self.shape):
            return self.setdefault(place, PlainArray(self._array[tuple(places)], self.name))
        return self.setdefault(place, self._ints[tuple(places) if len(places) > 1 else places[0]])

    def __setitem__(self, place: Any, value: Any) -> None:
        self._refuse(f"changes {self.name} at {place} to {value}; parameters stay as they are")

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return value in list(self)

    def _refuse(self, what: str) -> NoReturn:
        """Raise BrokenGame that names the running rule and its state, both found in the call stack."""
        names = {part.__code__: name for parts in rules.values() for name, part in parts.items()}
        frame = sys._getframe(1)
        while frame is not None and frame.f_code not in names:
            frame = frame.f_back  # type: ignore[assignment]
        if frame is None:
            raise BrokenGame(what)
        raise BrokenGame(f"{names[frame.f_code]}: {what}; state {frame.f_locals[frame.f_code.co_varnames[1]]}")


def plain_params(params: Any) -> Any:
    """The same params with `PlainArray` in place of arrays, in nested NamedTuples too."""

    def plain(value: Any, name: str) -> Any:
        if isinstance(value, np.ndarray):
            return PlainArray(value, name)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            prefix = f"{name}." if name else ""
            return type(value)(*(plain(one, prefix + field) for field, one in zip(value._fields, value, strict=True)))
        return value

    return plain(params, "")


_quick: set[type] = set()


def quicken(kind: Any) -> None:
    """Give this NamedTuple class a `_replace` that takes a third of the time; rules call it in every step.

    It behaves alike everywhere: an unknown name raises the same ValueError.
    """
    if kind in _quick:
        return
    _quick.add(kind)
    place, new, original = {name: i for i, name in enumerate(kind._fields)}, tuple.__new__, kind._replace

    def replaced(self: Any, /, **changes: Any) -> Any:
        values = [*self]
        try:
            for name, value in changes.items():
                values[place[name]] = value
        except KeyError:
            return original(self, **changes)
        return new(type(self), values)

    kind._replace = replaced


def calls_a_step(chain: Chain) -> float:
    """About how many functions a step of the plain rules calls: the mean of the first steps of some battles.

    It measures the time of a step alike on every machine. Results are drawn evenly. USUAL_CALLS where a side decides as
    well as possible, where the game breaks its contract, and while a profiler is running.
    """
    if chain.utilities is not None or sys.getprofile() is not None:
        return USUAL_CALLS
    p, dice, calls, steps = plain_params(chain.params), random.Random(0), 0, 0
    running, table, second, move = *(chain.part(name) for name in ("running", "table", "second")), chain.move

    def seen(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    def drawn(row: int) -> int:
        return int(dice.choice(chain.tables.rows_of(row).tolist())) if 0 <= row < len(chain.tables) else 0

    try:
        start = state = chain.settled(chain.start)
        while steps < COUNTED_STEPS and running(p, start):
            sys.setprofile(seen)
            row, other = int(table(p, state)), int(second(p, state))
            sys.setprofile(None)
            result, beside = drawn(row), drawn(other) if chain.paired else 0
            sys.setprofile(seen)
            state = move(p, state, result, beside)
            state = state if running(p, state) else start
            sys.setprofile(None)
            steps += 1
    except BrokenGame:
        return USUAL_CALLS
    finally:
        sys.setprofile(None)
    return calls / steps if steps else USUAL_CALLS


def plain_state(chain: Chain, state: Any, before: Any = "the start") -> Any:
    """The state with plain ints; raises BrokenGame for a state outside the limits, or for no State."""
    check_limits(chain, state, before)
    return whole(state)
