"""Options of `numba.njit` for kernels and their parts, with numba's internals (`pipelines.py`) or without."""

from __future__ import annotations

from typing import Any

from simulator.engine.jit.numba_mode import uses_internals

# Python calls kernels. Parts, and rules of a game, are only linked into kernels. An outlined part is never inlined, so
# that LLVM can vectorise its loop.
KERNEL: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}
PART: dict[str, Any] = {"forceinline": True}
RULE: dict[str, Any] = {"forceinline": True}
OUTLINED: dict[str, Any] = {}

if uses_internals():
    from simulator.engine.jit import pipelines

    KERNEL["pipeline_class"] = pipelines.NoAlias
    PART["pipeline_class"] = pipelines.Part
    RULE["pipeline_class"] = pipelines.Rule
    OUTLINED["pipeline_class"] = pipelines.Outlined
