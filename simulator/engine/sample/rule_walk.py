"""The walk by the rules: a lane holds the fields of a state, and the compiled rules step it."""

from __future__ import annotations

import numpy as np
from numba import int32, int64, uint32, uint64

from simulator.engine.graph.graph_cache import counters_as_fields
from simulator.engine.jit.kernels import (
    bind_state,
    inner,
    load,
    moved,
    outlined,
    paired,
    running,
    second,
    store,
    table,
    within,
)
from simulator.engine.model.chain import MOST_TURNS, Chain
from simulator.engine.model.status import BROKEN, DONE
from simulator.engine.model.streams import GAMMA, HIGH
from simulator.engine.sample.alias import alias_of
from simulator.engine.sample.walk import (
    FINAL,
    Positions,
    Task,
    Walk,
    exchange_if_due,
    mix,
    new_lanes,
    walk_kernel,
)

_FINAL, _GOES_ON = np.uint32(FINAL), np.uint32(0)


@inner
def drawn(t, number, bits, entry):
    """The result that a 32-bit number draws from table `t`."""
    # Unsigned indices and one packed gather: with signed indices and three arrays the loop took twice as long.
    e = entry[(uint64(t) << uint64(bits)) + uint64(number >> uint32(32 - bits))]
    first = uint32(number << uint32(bits)) < uint32(e)
    return int64((e >> uint64(32)) & uint64(0xFFFF)) if first else int64(e >> uint64(48))


@inner
def there(t, bits, entry):
    """The table, or table 0 for a missing one, which `astray` reports."""
    return t if uint64(t) < uint64(entry.shape[0]) >> uint64(bits) else int64(0)


@inner
def advance(p, s, number, other, bits, entry):
    """One step of one battle with a 32-bit number, and with `other` for the second of two independent rolls.

    A final state does not change.
    """
    go = running(p, s)
    t = there(table(p, s), bits, entry) if go else int64(0)
    u = there(second(p, s), bits, entry) if go and paired(p) else int64(0)
    result = drawn(t, number, bits, entry)
    beside = drawn(u, other, bits, entry) if paired(p) else int64(0)
    return moved(p, s, result, beside, MOST_TURNS) if go else s


@inner
def astray(p, s, bits, entry, limit):
    """1 for a state outside its limits, or with a missing table."""
    tables = uint64(entry.shape[0]) >> uint64(bits)
    if not within(p, s, limit):
        return int32(1)
    if not running(p, s):
        return int32(0)
    return int32(uint64(table(p, s)) >= tables) | int32(uint64(second(p, s)) >= tables)


@outlined
def roll(p, at, fields, keys, bits, entry, limit):
    """Two steps of every lane, or one of two rolls; returns whether a state is invalid.

    LLVM vectorises this loop if possible. The arrays are separate arguments, since only plain array arguments are known
    not to alias.
    """
    wrong = int32(0)
    for lane in range(fields.shape[1]):
        keys[lane] += GAMMA
        word = mix(keys[lane])
        s = load(p, fields, lane)
        for half in range(1 if paired(p) else 2):
            number = uint32(word >> HIGH) if half == 0 else uint32(word)
            after = advance(p, s, number, uint32(word), bits, entry)
            bad = astray(p, after, bits, entry, limit)
            # No rule gets an invalid state: it might read any place in memory.
            s = s if bad else after
            wrong |= bad
        store(p, fields, lane, s)
        at[lane] |= _GOES_ON if running(p, s) else _FINAL
    return wrong


@inner
def advance_by_rules(p, data, w, at):
    """`roll`: DONE or BROKEN."""
    alias, limit = data
    return BROKEN if roll(p, w.at, w.fields, w.key, alias.bits, alias.entry, limit) else DONE


@inner
def exchange_states(task, at):
    """`exchange_if_due`, where a final state is packed."""
    return exchange_if_due(task, at, task.lanes.packed.shape[0])


fight = walk_kernel("fight", advance_by_rules, exchange_states)


class RuleWalk(Walk):
    """Walks by the rules."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain = counters_as_fields(chain)
        layout = chain.layout
        bind_state(type(chain.params), type(chain.start))
        start = np.array(chain.start, np.int32 if max(chain.limits) < 2**31 else np.int64)
        lanes = new_lanes(start, (layout.words, layout.word, layout.shift))
        super().__init__(lanes, Positions(np.uint64(1)))

    def _run(self, task: Task, most: int) -> int:
        chain = self._chain
        data = alias_of(chain.tables), chain.layout.limit
        return int(fight.of(chain.params)(chain.params, data, task, self._at, most))

    def _words_of(self, keys: np.ndarray) -> np.ndarray:
        return keys
