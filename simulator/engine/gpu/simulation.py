"""Simulation on a GPU (extra `gpu`: numba-cuda), one thread for each battle.

The walk on a graph needs no rules: the GPU gets the tables of `graph_tables`, the alias tables and the seed. It draws
the random numbers of `streams`, so that its counts equal those of the CPU, battle by battle. It is used only on request
(`--device gpu`). It is tested on numba's CUDA simulator (NUMBA_ENABLE_CUDASIM=1), not yet timed on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.limits import BrokenGame
from simulator.engine.sample.alias import alias_of
from simulator.engine.sample.graph_tables import HALF, graph_tables, numbers_and_counters
from simulator.engine.sample.simulation import Simulation

# Battles in a launch, and threads in a block.
LAUNCH, BLOCK = 1 << 20, 256
_HALF = np.uint64(HALF)


class NoDevice(ValueError):
    """A GPU was requested, but cannot be used; the message says why, in one line."""


def _cuda() -> Any:
    """The module `numba.cuda`. Raises NoDevice without a usable GPU."""
    try:
        from numba import cuda
    except ImportError as missing:
        raise NoDevice("device: gpu needs the extra gpu; python -m pip install 'battle-odds[gpu]'") from missing
    if not cuda.is_available():
        raise NoDevice("device: gpu is not allowed; there is no CUDA graphics card here, or its driver is missing")
    return cuda


class GpuSimulation(Simulation):
    """A simulation on a GPU, to which the tables of the graph are uploaded once."""

    def __init__(self, chain: Chain, seed: int = 0) -> None:
        """Raises NoDevice without a GPU, or if the battle is too large for a graph."""
        self._cuda = _cuda()
        super().__init__(chain, seed, 1)
        if self.graph is None:
            raise NoDevice("device: gpu is not allowed; this battle has too many states for a graph")
        g, none = graph_tables(self.graph), np.zeros(1, np.uint64)
        alias = alias_of(g.tables)
        place = g.table.astype(np.uint64) | g.begin.astype(np.uint64) << _HALF
        other = none if g.second is None else g.second.astype(np.uint64) | g.width.astype(np.uint64) << _HALF
        to = g.to.astype(np.uint64) | g.inc.astype(np.uint64) << _HALF
        self._arrays = [self._cuda.to_device(array) for array in (place, other, to, self.graph.final, alias.entry)]
        self._bits, self._both = alias.bits, int(g.second is not None)

    def add(self, battles: int, progress: Callable[[int], Any] | None = None) -> None:
        """As `Simulation.add`; an interrupt keeps the completed launches."""
        assert self.graph is not None
        end, begin = self.battles + battles, self.battles
        while self.battles < end:
            size = min(LAUNCH, end - self.battles)
            words, counts = np.unique(self._final_words(size), return_counts=True)
            if not self.graph.final[numbers_and_counters(words)[0]].all():
                raise BrokenGame(f"a battle of seed {self.seed} did not end within a million steps; perhaps none does")
            self.tally.add(np.column_stack([words, counts.astype(np.uint64)]))
            self.battles += size
            if progress:
                progress(self.battles - begin)

    def _final_words(self, battles: int) -> np.ndarray:
        """The final state of each of the next battles, or its state when the GPU abandons it.

        As `graph_tables.graph_words`: uint64, shape (battles,).
        """
        from simulator.engine.gpu.kernel import walk

        numbers = self._cuda.to_device(np.array([self.seed, self.battles, self._bits, self._both], np.uint64))
        room = self._cuda.device_array(battles, np.uint64)
        walk[-(-battles // BLOCK), BLOCK](*self._arrays, numbers, room)
        return np.asarray(room.copy_to_host())
