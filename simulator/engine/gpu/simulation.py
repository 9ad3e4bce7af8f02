"""Simulation on a GPU (extra `gpu`: numba-cuda), one thread for each battle.

The walk on a graph needs no rules: the GPU gets the tables of `graph_tables`, the alias tables and the seed. It draws
the random numbers of `streams`, so that its counts equal those of the CPU, battle by battle. It is used only on
request (`--device gpu`). It is tested on numba's CUDA simulator (NUMBA_ENABLE_CUDASIM=1), not yet timed on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.limits import BrokenGame
from simulator.engine.sample.alias import alias_of
from simulator.engine.sample.graph_tables import Lookup, PairLookup, WalkedChain, lookup
from simulator.engine.sample.simulation import Simulation

# Battles in a launch, and threads in a block.
LAUNCH, BLOCK = 1 << 20, 256


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
    """A simulation on a GPU."""

    def __init__(self, chain: Chain, seed: int = 0) -> None:
        """Raises NoDevice without a GPU, or if the battle is too large for a graph."""
        _cuda()
        super().__init__(chain, seed, 1)
        if self.graph is None:
            raise NoDevice("device: gpu is not allowed; this battle has too many states for a graph")
        self._on_gpu = DeviceGraph(lookup(self.graph, by_rows=True))

    def add(self, battles: int, progress: Callable[[int], Any] | None = None) -> None:
        """As `Simulation.add`; an interrupt keeps the completed launches."""
        end, begin = self.battles + battles, self.battles
        while self.battles < end:
            size = min(LAUNCH, end - self.battles)
            places, counts = self._on_gpu.ends(self.seed, self.battles, size)
            if not self._on_gpu.over(places).all():
                raise BrokenGame(f"a battle of seed {self.seed} did not end within a million steps; perhaps none does")
            self.tally.add(np.column_stack([places, counts.astype(np.uint64)]))
            self.battles += size
            if progress:
                progress(self.battles - begin)


class DeviceGraph:
    """A graph on the GPU: the tables of `lookup(graph, by_rows=True)`, uploaded once."""

    def __init__(self, walked: WalkedChain) -> None:
        """Raises NoDevice without a GPU."""
        cuda, p, alias = _cuda(), walked.chain.params, alias_of(walked.chain.tables)
        assert isinstance(p, Lookup | PairLookup)
        both = isinstance(p, PairLookup)
        other = p.other if isinstance(p, PairLookup) else np.zeros(1, np.uint64)
        self._cuda, self._mask, self._running = cuda, np.uint64(p.mask), np.uint64(p.running)
        self._arrays = [cuda.to_device(np.ascontiguousarray(array)) for array in (p.place, other, p.to, alias.entry)]
        self._numbers = (walked.chain.start.at, p.mask, p.running, alias.bits, int(both))

    def ends(self, seed: int, first: int, battles: int) -> tuple[np.ndarray, np.ndarray]:
        """The final places (numbers of `lookup`) of battles from `first` on, and the number of battles in each."""
        from simulator.engine.gpu.kernel import walk

        numbers = self._cuda.to_device(np.array([seed, first, *self._numbers], np.uint64))
        room = self._cuda.device_array(battles, np.uint64)
        walk[-(-battles // BLOCK), BLOCK](*self._arrays, numbers, room)
        places, counts = np.unique(room.copy_to_host(), return_counts=True)
        return places, counts.astype(np.int64)

    def over(self, places: np.ndarray) -> np.ndarray:
        """Which places are final (bool)? The GPU abandoned a battle in any other place."""
        return np.asarray((places & self._mask) >= self._running)
