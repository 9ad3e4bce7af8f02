"""Compiler pipelines that shorten compilation; they use numba's internals.

Python calls only kernels. By default numba also generates machine code and a Python wrapper for every function that a
kernel calls, again at each level of calls, which takes most of the compile time. A part is only linked into kernels.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from numba import _dynfunc
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.runtime import rtsys
from numba.core.typed_passes import NativeLowering

from simulator.engine.jit.no_alias import NoAlias

# Numba requires an address for calls from Python; this function always raises MemoryError.
_NEVER_CALLED = ctypes.cast(ctypes.pythonapi.PyErr_NoMemory, ctypes.c_void_p).value


# The locator of `numba.config.CACHE_DIR`, whose name differs between versions of numba, is the first.
_UserFolder: Any = CompileResultCacheImpl._locator_classes[0]


class _Folder(_UserFolder):  # type: ignore[misc]
    """The folder of the cache, which may be one that this user can only read."""

    def ensure_cache_path(self) -> None:
        """Make the folder where that is allowed."""
        with suppress(OSError):
            super().ensure_cache_path()


class _Stored(CompileResultCacheImpl):
    """Files of kernels stand in the folder of the cache and nowhere else."""

    _locator_classes: list[type[object]] = [_Folder]  # noqa: RUF012 (as numba declares it)


class KernelCache(FunctionCache):
    """The cache of a kernel on disk. Kernels are loaded without the functions that numba needs to compile: 0.1 s."""

    _impl_class = _Stored

    def __init__(self, function: Callable[..., Any], before_compiling: Callable[[], None]) -> None:
        super().__init__(function)
        self._before_compiling = before_compiling

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for these types, None if it is not in the cache: it will be compiled then."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            if found := self._load_overload(sig, target_context):
                return found
        self._before_compiling()
        return None


class _Lowered(NoAlias):
    """The pipeline with its lowering replaced."""

    lowering: type = NativeLowering

    def define_pipelines(self) -> list[Any]:
        """The ordinary pipeline but for `lowering`."""
        [pipeline] = super().define_pipelines()
        pipeline.passes = [
            (self.lowering if which is NativeLowering else which, text) for which, text in pipeline.passes
        ]
        pipeline.finalize()
        return [pipeline]


class _PartLibrary(JITCodeLibrary):
    """The code of a part, ready to be linked into a kernel."""

    def finalize(self) -> None:
        """Link the functions that it calls."""
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


class _RuleLibrary(_PartLibrary):
    """The code of a game's rule."""

    def finalize(self) -> None:
        """Link the functions that it calls, and simplify them once, before they are inlined several times."""
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
        """Lower without wrappers and without machine code."""
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


class PartCompiler(_Lowered):
    """The pipeline of a part of a kernel."""

    lowering = _PartLowering


@register_pass(mutates_CFG=True, analysis_only=False)
class _RuleLowering(_PartLowering):
    _name = "rule_lowering"
    _library = _RuleLibrary


class RuleCompiler(_Lowered):
    """The pipeline of a rule of a game, or of its helpers.

    The engine's own parts do not use it: the walk on a graph lost 5 % of its speed.
    """

    lowering = _RuleLowering


class _OutlinedLower(Lower):
    def lower_normal_function(self, fndesc: Any) -> None:
        """Lower, then forbid inlining and allow LLVM the widest vectors: 0.7 to 1 of the time."""
        super().lower_normal_function(fndesc)
        self.function.attributes.add("noinline")
        # The `add` of llvmlite accepts no attribute with a value.
        set.add(self.function.attributes, '"prefer-vector-width"="512"')


@register_pass(mutates_CFG=True, analysis_only=False)
class _OutlinedLowering(_PartLowering):
    _name = "outlined_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        """The lowering that forbids inlining."""
        return _OutlinedLower


class Outlined(PartCompiler):
    """The pipeline of a part that is never inlined.

    Inlined into a larger kernel, the lane loop loses the guarantee that its arrays do not alias, and with it SIMD:
    20 instead of about 100 M battles/s (Risk, 20 v 15, 2 cores).
    """

    lowering = _OutlinedLowering

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.state.flags.forceinline = False  # flags are handed down from the caller
