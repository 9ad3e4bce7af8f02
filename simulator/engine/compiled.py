"""Compiling: the kernel decorator, its on-disk cache, and binding a game's plain rules into the kernels.

A kernel is compiled once for each (params, state) type pair; a game's `running`, `table` and `step` reach it by
overloads on the params type, so that the kernels themselves never name a game and hit the on-disk cache.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba import int64, njit
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering
from numba.extending import overload, register_jitable

from simulator.engine import chain
from simulator.engine.rewrite import compilable

PACKAGE = Path(__file__).resolve().parent.parent
KEPT_CACHES = 4


class NoAlias(CompilerBase):
    """Promise LLVM that array arguments do not overlap: without it the lane loop stays scalar (2.5x slower)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.state.flags.noalias = True
        self.state.flags.nrt = False

    def define_pipelines(self) -> list[Any]:
        """The ordinary pipeline."""
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]


class _ApartLower(Lower):
    def lower_normal_function(self, fndesc: Any) -> None:
        """Lower as ever, then forbid inlining."""
        super().lower_normal_function(fndesc)
        self.function.attributes.add("noinline")


@register_pass(mutates_CFG=True, analysis_only=False)
class _ApartLowering(NativeLowering):
    _name = "apart_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        """The lowering that forbids inlining."""
        return _ApartLower


class Apart(NoAlias):
    """As NoAlias, and never inlined.

    Inlined into a larger kernel, the lane loop loses the promise that its arrays do not overlap, and with it SIMD:
    20 instead of about 100 M battles/s (Risk, 20 v 15, 2 cores).
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.state.flags.forceinline = False  # flags are handed down from the caller

    def define_pipelines(self) -> list[Any]:
        """The ordinary pipeline with the lowering replaced."""
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [
            (_ApartLowering if which is NativeLowering else which, text) for which, text in pipeline.passes
        ]
        pipeline.finalize()
        return [pipeline]


def _sources_digest() -> str:
    """Names the cache folder: any edit of the package, another numba or bounds checking opens a new one."""
    digest = hashlib.sha256(f"{numba.__version__} {numba.config.BOUNDSCHECK}".encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(str(path.relative_to(PACKAGE)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def cache_folder() -> Path:
    """Where compiled kernels are kept between runs; `BATTLE_ODDS_CACHE` moves it."""
    root = os.environ.get("BATTLE_ODDS_CACHE") or platformdirs.user_cache_dir("battle-odds")
    return Path(root) / "kernels" / _sources_digest()


def _drop_old_caches(current: Path) -> None:
    """Keep the few newest folders: each edit of the sources leaves one behind."""
    with suppress(OSError):
        current.mkdir(parents=True, exist_ok=True)
        current.touch()
        folders = sorted(current.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for folder in folders[KEPT_CACHES:]:
            shutil.rmtree(folder, ignore_errors=True)


CACHE = cache_folder()
_drop_old_caches(CACHE)


@contextmanager
def _own_cache() -> Iterator[None]:
    """Numba reads its cache folder when a function is decorated; leave other packages' folder as it was."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


class Kernel:
    """A compiled entry point, cached on disk for the package's own games.

    Rules that live outside the package are not in the cache's key, so kernels over them are compiled afresh.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        options = {"nogil": True, "pipeline_class": NoAlias}
        with _own_cache():
            self._cached = njit(cache=True, **options)(function)
        self._fresh = njit(**options)(function)
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    def of(self, params: Any) -> Callable[..., Any]:
        """The version for battles with these params, with their rules bound."""
        bind_rules()
        own = type(params).__module__.partition(".")[0] == "simulator"
        return self._cached if own else self._fresh

    def __call__(self, *args: Any) -> Any:
        """Run a kernel that involves no game."""
        return self._cached(*args)


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile an entry point that Python calls: no GIL, no aliasing, cached on disk."""
    return Kernel(function)


def inner(function: Callable[..., Any]) -> Any:
    """Compile a piece of a kernel: cached as a part of it only."""
    return njit(nogil=True, forceinline=True, pipeline_class=NoAlias)(function)


def apart(function: Callable[..., Any]) -> Any:
    """Compile a piece of a kernel that must keep to itself, so that LLVM can vectorise its loop."""
    return njit(nogil=True, pipeline_class=Apart)(function)


def running(p, s):
    """A game's `running`; bound by overload."""
    raise NotImplementedError


def table(p, s):
    """A game's `table`; bound by overload."""
    raise NotImplementedError


def step(p, s, result):
    """A game's `step`; bound by overload."""
    raise NotImplementedError


def load(p, fields, i):
    """State `i` of the field arrays; bound by overload."""
    raise NotImplementedError


def store(p, fields, i, s):
    """Write a state to place `i` of the field arrays; bound by overload."""
    raise NotImplementedError


def second(p, s):
    """A game's `second`; bound by overload."""
    raise NotImplementedError


def decides(p, s):
    """A game's `decides`; bound by overload."""
    raise NotImplementedError


def options(p, s):
    """A game's `options`; bound by overload."""
    raise NotImplementedError


def choose(p, s):
    """A game's `choose`; bound by overload."""
    raise NotImplementedError


_GENERIC = {part.__name__: part for part in (running, table, step, second, decides, options, choose)}
_bound: set[tuple[type, str]] = set()


def _overload_on(generic: Callable[..., Any], params: type, implementation: Callable[..., Any]) -> None:
    """Make `implementation` the version of `generic` whose first argument is of type `params`.

    Numba wants the overload's argument names to be those of the implementation, hence the small built source.
    """
    names = list(inspect.signature(implementation).parameters)
    source = (
        f"def choose({', '.join(names)}):\n"
        f"    if getattr({names[0]}, 'instance_class', None) is params:\n"
        f"        return implementation\n"
    )
    scope: dict[str, Any] = {"params": params, "implementation": implementation}
    exec(source, scope)
    overload(generic, strict=False, jit_options={"forceinline": True})(scope["choose"])


def bind_state(params: type, state: type) -> None:
    """Teach the kernels to read and write states of this type from int32 field arrays."""
    if (params, "load") in _bound:
        return
    _bound.add((params, "load"))
    count = len(state._fields)
    scope: dict[str, Any] = {"State": state, "int64": int64}
    loads = ", ".join(f"int64(fields[{f}, i])" for f in range(count))
    stores = "".join(f"    fields[{f}, i] = s[{f}]\n" for f in range(count))
    exec(f"def load(p, fields, i):\n    return State({loads})\n", scope)
    exec(f"def store(p, fields, i, s):\n{stores}", scope)
    _overload_on(load, params, scope["load"])
    _overload_on(store, params, scope["store"])


def _bind_helper(function: Callable[..., Any]) -> None:
    """Make a plain function callable from compiled rules, rewritten for numba where it needs to be."""
    version = compilable(function)
    if version is function:
        register_jitable(forceinline=True)(function)
        return

    names = ", ".join(inspect.signature(function).parameters)
    scope: dict[str, Any] = {"version": version}
    exec(f"def choose({names}):\n    return version\n", scope)
    overload(function, strict=False, jit_options={"forceinline": True})(scope["choose"])


def bind_rules() -> None:
    """Bind everything that rules modules have marked since the last call."""
    while chain.helpers:
        _bind_helper(chain.helpers.pop())
    for params, parts in chain.rules.items():
        for name, function in parts.items():
            if (params, name) not in _bound:
                _bound.add((params, name))
                _overload_on(_GENERIC[name], params, compilable(function))


__all__ = [
    "apart",
    "bind_rules",
    "bind_state",
    "inner",
    "kernel",
    "load",
    "running",
    "step",
    "store",
    "table",
]
