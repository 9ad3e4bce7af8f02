"""Compilation: the kernel decorator, its on-disk cache, and the binding of a game's plain rules into kernels.

A kernel is compiled once for each (params, state) type pair. The rules of a game reach it as overloads on the params
type, so that a kernel never names a game and the on-disk cache applies.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba import int64, njit, uint64
from numba.extending import overload, register_jitable

from simulator.engine.jit import kernel_cache as cache
from simulator.engine.jit.cost_model import check_compiled
from simulator.engine.jit.no_alias import NoAlias
from simulator.engine.jit.numba_mode import announce_fallback, uses_internals
from simulator.engine.jit.rewrite import compilable
from simulator.engine.model import chain
from simulator.engine.model.limits import BrokenGame

# Options of `njit`: Python calls kernels. Parts, and rules of a game, are only linked into kernels. An outlined part is
# never inlined, so that LLVM can vectorise its loop.
KERNEL: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True, "pipeline_class": NoAlias}
PART: dict[str, Any] = {"forceinline": True, "pipeline_class": NoAlias}
RULE: dict[str, Any] = {"forceinline": True, "pipeline_class": NoAlias}
OUTLINED: dict[str, Any] = {"pipeline_class": NoAlias}

if uses_internals():
    from simulator.engine.jit import pipelines

    PART["pipeline_class"] = pipelines.PartCompiler
    RULE["pipeline_class"] = pipelines.RuleCompiler
    OUTLINED["pipeline_class"] = pipelines.Outlined


@contextmanager
def _cache_of(package: str) -> Iterator[None]:
    """Set numba's cache folder, which it reads when a function is decorated, and restore it for other packages."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache.folder_of(package))
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


class Kernel:
    """A compiled entry point, cached on disk for the package's own games.

    The key of the cache does not cover rules outside the package, so their kernels are compiled in each process.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._versions: dict[str | None, Any] = {}
        self._called: dict[type, Callable[..., Any]] = {}
        self._lock = threading.Lock()
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    def _version(self, package: str | None) -> Any:
        if package not in self._versions:
            if package is None:
                self._versions[package] = njit(**KERNEL)(self._function)
            else:
                with _cache_of(package):
                    self._versions[package] = njit(cache=not uses_internals(), **KERNEL)(self._function)
                    if uses_internals():
                        self._versions[package]._cache = pipelines.KernelCache(self._function, bind_rules)
        return self._versions[package]

    def of(self, params: Any) -> Callable[..., Any]:
        """The version for battles with these params, with their rules bound."""
        kind = type(params)
        return self._called.get(kind) or (lambda *args: self._call(kind, args))

    def __call__(self, *args: Any) -> Any:
        """Run a kernel that involves no game."""
        return self._call(Kernel, args)

    def _call(self, kind: type, args: tuple[Any, ...]) -> Any:
        version = self._called.get(kind)
        if version is not None:
            return version(*args)
        with self._lock:
            return self._first_call(kind, args)

    def _first_call(self, kind: type, args: tuple[Any, ...]) -> Any:
        """Load or compile in one thread, then run."""
        check_compiled(self.__name__, kind)
        announce_fallback()
        if not cache.is_ready(self.__name__, kind):
            for announce in cache.announce:
                announce("compiling for this machine, once: some seconds")
        # The run itself may take long: other processes do not wait for it.
        with cache.alone(self.__name__, kind):
            version = self._made(kind, args)
            cache.mark_ready(self.__name__, kind)
        result = version(*args)
        self._called[kind] = version
        return result

    def _made(self, kind: type, args: tuple[Any, ...]) -> Any:
        """The version for these arguments, loaded or compiled; a damaged file is deleted and compiled again."""
        package = cache.package_of(kind)
        if package is not None and not cache.checked(self.__name__, package):
            package = None
        if package is None or not uses_internals():  # else only if the kernel is not in the cache
            bind_rules()
        try:
            return self._for_types(package, args)
        except OSError:  # the kernel is compiled, but cannot be stored, as on a full disk
            return self._for_types(package, args)
        except Exception:
            if package is None or not cache.is_ready(self.__name__, kind):
                raise
            del self._versions[package]
            cache.drop(self.__name__, package)
            return self._for_types(package, args)

    def _for_types(self, package: str | None, args: tuple[Any, ...]) -> Any:
        version = self._version(package)
        version.compile(tuple(map(numba.typeof, args)))
        return version


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile an entry point for calls from Python: without the GIL, without aliasing, cached on disk."""
    return Kernel(function)


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call; it is cached with them."""
    return njit(nogil=True, **PART)(function)


def outlined(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call and that is never inlined, so that LLVM can vectorise its loop."""
    return njit(nogil=True, **OUTLINED)(function)


def _bound_later(name: str) -> Callable[..., Any]:
    """A placeholder in kernels for a function of the game; overloads bind it."""

    def unbound(*_: Any) -> Any:
        raise NotImplementedError(name)

    unbound.__name__ = name
    return unbound


running, table, step, second, decides, options, choose, lands, follows = map(_bound_later, chain.PARTS)
paired, leap, moved = map(_bound_later, ("paired", "leap", "moved"))
load, store, within, word_of, held_in = map(_bound_later, ("load", "store", "within", "word_of", "held_in"))

_PARTS = (running, table, step, second, decides, options, choose, lands, follows)
_GENERIC = {part.__name__: part for part in _PARTS}
_bound: set[tuple[type, str]] = set()


def _overload_on(
    generic: Callable[..., Any],
    params: type,
    implementation: Callable[..., Any],
    check: Callable[[Any], Any] = lambda kind: None,
) -> None:
    """Make `implementation` the version of `generic` whose first argument is of type `params`.

    `check` may refuse numba's type of the second one. Numba requires equal argument names in an overload and its
    implementation, so the overload is built from source text.
    """
    names = list(inspect.signature(implementation).parameters)
    source = (
        f"def choose({', '.join(names)}):\n"
        f"    if getattr({names[0]}, 'instance_class', None) is params:\n"
        f"        check({names[1] if len(names) > 1 else None})\n"
        f"        return implementation\n"
    )
    scope: dict[str, Any] = {"params": params, "implementation": implementation, "check": check}
    exec(source, scope)
    how = PART if getattr(params, "enumerated", False) else RULE
    overload(generic, strict=False, jit_options=how)(scope["choose"])


def _built(source: str, name: str, **scope: Any) -> Callable[..., Any]:
    exec(source, scope)
    built: Callable[..., Any] = scope[name]
    return built


def _returning(generic: Callable[..., Any], arguments: str, value: Any, **scope: Any) -> Callable[..., Any]:
    """A function of this name and these arguments that returns an expression."""
    name = generic.__name__
    return _built(f"def {name}({arguments}):\n    return {value}\n", name, **scope)


def _state_only(state: type) -> Callable[[Any], None]:
    """A check that raises BrokenGame for numba types other than a `state` of whole numbers."""

    def check(kind: Any) -> None:
        if getattr(kind, "instance_class", None) is not state:
            raise BrokenGame(f"step: {kind} is no {state.__name__}")
        for name, value in zip(state._fields, kind.types, strict=True):  # type: ignore[attr-defined]
            if not isinstance(value, numba.types.Integer | numba.types.Boolean):
                raise BrokenGame(f"step: field {name} is no whole number but {value}, in {kind}")

    return check


def bind_state(params: type, state: type) -> None:
    """Bind the functions that load, store, pack and check states of this type.

    `within(p, s, limit)` is 1 if no field is negative or above its limit; `word_of(p, s, b, w)` is word `w` of the key
    by the layout in `b`.
    """
    if (params, "load") in _bound:
        return
    _bound.add((params, "load"))
    count = len(state._fields)
    loads = ", ".join(f"int64(fields[{f}, i])" for f in range(count))
    stores = "".join(f"    fields[{f}, i] = s[{f}]\n" for f in range(count))
    tests = " & ".join(f"(s[{f}] >= 0) & (s[{f}] <= limit[{f}])" for f in range(count))
    bits = " | ".join(f"uint64(s[{f}]) * b.place[w, {f}]" for f in range(count))
    held = ", ".join(f"int64((keys[b.word[{f}], i] >> b.shift[{f}]) & b.mask[{f}])" for f in range(count))
    scope = {"State": state, "int64": int64, "uint64": uint64}
    for generic, arguments, value in (
        (load, "p, fields, i", f"State({loads})"),
        (word_of, "p, s, b, w", bits),
        (held_in, "p, keys, i, b", f"State({held})"),
    ):
        _overload_on(generic, params, _returning(generic, arguments, value, **scope))
    _overload_on(store, params, _built(f"def store(p, fields, i, s):\n{stores}", "store"))
    _overload_on(within, params, _returning(within, "p, s, limit", tests), _state_only(state))


def _bind_helper(function: Callable[..., Any]) -> None:
    """Make a plain function callable from compiled rules, rewritten for numba if necessary."""
    version = compilable(function)
    if version is function:
        register_jitable(**RULE)(function)
        return
    names = ", ".join(inspect.signature(function).parameters)
    chosen = _built(f"def choose({names}):\n    return version\n", "choose", version=version)
    overload(function, strict=False, jit_options=RULE)(chosen)


def _bind_game(params: type, parts: dict[str, Callable[..., Any]]) -> None:
    for name, generic in _GENERIC.items():
        absent = _returning(generic, "p, s", chain.ABSENT.get(name, 0))
        _overload_on(generic, params, compilable(parts[name]) if name in parts else absent)
    both = "second" in parts
    _overload_on(paired, params, _returning(paired, "p", both))
    call = "step(p, s, result, other)" if both else "step(p, s, result)"
    _overload_on(leap, params, _returning(leap, "p, s, result, other", call, step=step))
    if "decides" in parts:
        _overload_on(moved, params, _built(_MOVED, "moved", leap=leap, **_GENERIC))
    else:
        call = "leap(p, s, result, other)"
        _overload_on(moved, params, _returning(moved, "p, s, result, other, turns", call, leap=leap))


# A leap, and then up to `turns` decisions of the fixed policies. The source calls `leap` once, since it is inlined.
_MOVED = """
def moved(p, s, result, other, turns):
    for _ in range(turns + 1):
        s = leap(p, s, result, other)
        if not running(p, s) or decides(p, s) == 0:
            break
        result, other = choose(p, s), 0
        if result < 0:
            break
    return s
"""


def bind_rules() -> None:
    """Bind all rules and helpers registered since the last call, before a kernel is compiled."""
    while chain.helpers:
        _bind_helper(chain.helpers.pop())
    for params, parts in chain.rules.items():
        if (params, "rules") not in _bound:
            _bound.add((params, "rules"))
            _bind_game(params, parts)
