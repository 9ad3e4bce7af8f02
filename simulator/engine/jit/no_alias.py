"""The compiler pipeline of all kernels, by numba's documented extension `CompilerBase` alone.

It needs no internals of numba: `pipelines.py`, which does, only replaces its lowering.
"""

from __future__ import annotations

from typing import Any

from numba.core.compiler import CompilerBase, DefaultPassBuilder


class NoAlias(CompilerBase):
    """Array arguments do not alias, and no memory is counted: LLVM vectorises the lane loop.

    Risk 20 v 15 by the public interface: 83 -> 20 ns a battle (python -m benchmarks.run --plain).
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.state.flags.noalias = True
        self.state.flags.nrt = False

    def define_pipelines(self) -> list[Any]:
        """The ordinary pipeline."""
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]
