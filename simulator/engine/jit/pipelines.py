"""How numba compiles kernels and their parts faster than it does by itself; stands on numba's internals.

Python calls kernels only. Numba would also make machine code, and a wrapper for Python, of every function that a kernel
calls, at every level of calls again: most of the time that compiling took. A part is only linked into the kernels.
"""

from __future__ import annotations

import ctypes
from typing import Any

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

# Numba wants the address of what Python would call; this one raises (MemoryError), whatever it is given.
_NEVER_CALLED = ctypes.cast(ctypes.pythonapi.PyErr_NoMemory, ctypes.c_void_p).value


class NoAlias(CompilerBase):
    """A kernel. Promise LLVM that array arguments do not overlap: else the lane loop stays scalar (2.5x slower)."""

    lowering: type = NativeLowering

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.state.flags.noalias = True
        self.state.flags.nrt = False

    def define_pipelines(self) -> list[Any]:
        """The ordinary pipeline with the lowering replaced."""
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [
            (self.lowering if which is NativeLowering else which, text) for which, text in pipeline.passes
        ]
        pipeline.finalize()
        return [pipeline]


class _PartLibrary(JITCodeLibrary):
    """The code of a part, ready to be linked into a kernel."""

    def finalize(self) -> None:
        """Link what it calls."""
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


class _RuleLibrary(_PartLibrary):
    """The code of a game's rule."""

    def finalize(self) -> None:
        """Link what it calls and tidy that: cheaper before it is inlined, perhaps more than once, than after."""
        super().finalize()
        passes, builder = self._codegen._module_pass_manager(
            opt=0, cost="cheap", loop_vectorize=False, slp_vectorize=False
        )
        passes.run(self._final_module, builder)


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    _name = "part_lowering"
    _library: type = _PartLibrary

    def run_pass(self, state: Any) -> bool:
        """Lower as ever, without wrappers and without machine code."""
        flags = state.flags
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        state.library = library = self._library(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        flags.no_compile = False
        lowered = state["cr"]
        made = lowered.fndesc
        entry = _dynfunc.make_function(
            made.lookup_module(), made.qualname, "a part of a kernel", _NEVER_CALLED, lowered.env, (library,)
        )
        state.targetctx.insert_user_function(entry, made, [library])
        state["cr"] = lowered._replace(cfunc=entry)
        return True


class Part(NoAlias):
    """A part of a kernel."""

    lowering = _PartLowering


@register_pass(mutates_CFG=True, analysis_only=False)
class _RuleLowering(_PartLowering):
    _name = "rule_lowering"
    _library = _RuleLibrary


class Rule(NoAlias):
    """A rule of a game, or what it calls.

    Not for the engine's own parts: the lanes of a graph lost 5 % of their pace.
    """

    lowering = _RuleLowering


class _OutlinedLower(Lower):
    def lower_normal_function(self, fndesc: Any) -> None:
        """Lower as ever, then forbid inlining, and let LLVM take the widest vectors: 0.7 to 1 of the time."""
        super().lower_normal_function(fndesc)
        self.function.attributes.add("noinline")
        # Their own `add` knows no attribute that has a value.
        set.add(self.function.attributes, '"prefer-vector-width"="512"')


@register_pass(mutates_CFG=True, analysis_only=False)
class _OutlinedLowering(_PartLowering):
    _name = "outlined_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        """The lowering that forbids inlining."""
        return _OutlinedLower


class Outlined(Part):
    """A part that is never inlined.

    Inlined into a larger kernel, the lane loop loses the promise that its arrays do not overlap, and with it SIMD:
    20 instead of about 100 M battles/s (Risk, 20 v 15, 2 cores).
    """

    lowering = _OutlinedLowering

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.state.flags.forceinline = False  # flags are handed down from the caller
