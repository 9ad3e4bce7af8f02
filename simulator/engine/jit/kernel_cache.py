"""The on-disk cache of compiled kernels; this module does not import numba.

A folder is named after a digest of the sources of its kernels: the engine, and for the kernels of a game also that
game and the toolkit. An edit of one game leaves the kernels of other games valid. `kept_files.py` says which files of
a folder may be read.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from simulator.engine.jit.file_lock import locked
from simulator.engine.jit.kept_files import complaint, owner, record, sound
from simulator.engine.jit.numba_mode import uses_internals

PACKAGE = Path(__file__).resolve().parents[2]
ENGINE = "engine"
# The newest versions kept of each part of the package, while all folders together take at most this many bytes.
KEPT_VERSIONS, MOST_BYTES = 3, 100 << 20
# The file that a process locks while it compiles a kernel, and the seconds that others wait: it may have been stopped.
LOCK, MOST_WAITED = ".lock", 60

# Functions that get a message before a kernel is compiled; a command prints it.
announce: list[Callable[[str], object]] = []
# Kernels that this process has compiled in memory, because they cannot be kept.
_in_memory: set[tuple[str, type]] = set()


def cache_folder() -> Path:
    """The folder of all compiled kernels; the environment variable `BATTLE_ODDS_CACHE` moves it."""
    root = os.environ.get("BATTLE_ODDS_CACHE")
    if not root:
        import platformdirs

        root = platformdirs.user_cache_dir("battle-odds")
    return Path(root) / "kernels"


def package_of(params: type) -> str | None:
    """The part of this package that a params type belongs to ("engine", "risk"); None for games of other packages."""
    parts = params.__module__.split(".")
    if parts[0] != "simulator":
        return None
    return parts[2] if parts[1] == "rules" and len(parts) > 2 else ENGINE


@cache
def folder_of(package: str) -> Path:
    """The folder for the kernels of one part of the package; a new folder replaces the oldest ones."""
    bounds = os.environ.get("NUMBA_BOUNDSCHECK", "0")
    digest = hashlib.sha256(f"{version('numba')} {uses_internals()} {bounds} {package}".encode())
    sources = sorted((PACKAGE / "engine").rglob("*.py"))
    if package != ENGINE:
        places = [PACKAGE / "rules" / package, PACKAGE / "rules" / "toolkit"]
        sources += sorted(path for place in places for path in place.rglob("*.py"))
        sources += [PACKAGE / "rules" / f"{package}.py"] * (PACKAGE / "rules" / f"{package}.py").exists()
    for path in sources:
        digest.update(str(path.relative_to(PACKAGE)).encode())
        digest.update(path.read_bytes())
    folder = cache_folder() / f"{package}-{digest.hexdigest()[:16]}"
    _drop_old_folders(folder)
    return folder


def _drop_old_folders(current: Path) -> None:
    """Delete old folders: each edit of the sources, and each release, leaves some."""
    with suppress(OSError):
        current.parent.mkdir(parents=True, exist_ok=True)
        current.mkdir(mode=0o700, exist_ok=True)
        current.touch()
        versions, size = dict[str, int](), 0
        for folder in sorted(current.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True):
            package = folder.name.rpartition("-")[0]
            versions[package] = versions.get(package, 0) + 1
            size += sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            if versions[package] > KEPT_VERSIONS or (size > MOST_BYTES and folder != current):
                shutil.rmtree(folder, ignore_errors=True)


@cache
def is_used(package: str) -> bool:
    """Are kernels of this part of the package kept on disk? Says once, on standard error, why not."""
    folder = folder_of(package)
    if text := complaint(folder):
        _say_once(f"{text}; kernels are compiled in memory (docs/scale.md)")
        return False
    # Numba's public interface has no folder that it only reads: it would store kernels beside the sources.
    return uses_internals() or os.access(folder, os.W_OK)


@cache
def _say_once(text: str) -> None:
    print(f"battle-odds: the kept kernels are not used: {text}", file=sys.stderr)


def checked(kernel: str, package: str) -> bool:
    """May numba read and store this kernel? Files that differ from the manifest are deleted first."""
    if not is_used(package):
        return False
    if not sound(folder_of(package), kernel):
        logging.getLogger(__name__).debug("kept files of kernel %s are damaged: it is compiled anew", kernel)
        drop(kernel, package)
    return sound(folder_of(package), kernel)


def _mark(kernel: str, params: type) -> str:
    """The path of the file that says that this kernel is in the cache; "" for kernels that are not stored."""
    package = package_of(params)
    if package is None or not is_used(package):
        return ""
    return f"{folder_of(package)}/{kernel}.{params.__qualname__}.ready"


def is_ready(kernel: str, params: type) -> bool:
    """Is this kernel in the cache, compiled for these params?"""
    return (kernel, params) in _in_memory or os.path.exists(_mark(kernel, params))


def mark_ready(kernel: str, params: type) -> None:
    """Record that this kernel was compiled for these params, and the digests of its files."""
    mark, package = _mark(kernel, params), package_of(params)
    if not mark or package is None:
        _in_memory.add((kernel, params))
        return
    record(folder_of(package), kernel)
    with suppress(OSError):
        Path(mark).touch()


@contextmanager
def alone(kernel: str, params: type) -> Iterator[None]:
    """Let one process at a time compile a kernel that is not in the cache: the others wait, and load it then."""
    mark = _mark(kernel, params)
    if not mark or os.path.exists(mark):
        yield
        return
    with locked(Path(mark).with_suffix(LOCK), MOST_WAITED):
        yield


def drop(kernel: str, package: str) -> None:
    """Delete the files of a kernel, which are damaged or cannot be read."""
    with suppress(OSError):
        for path in folder_of(package).rglob(f"*{kernel}*"):
            if path.suffix != LOCK:  # held by this process, perhaps
                path.unlink(missing_ok=True)


class KeptKernels(NamedTuple):
    """The kernels on disk: files, their size in bytes, to whom the folder belongs, the days since the oldest and the
    newest file were written, and why the folder is not used, "" if it is.
    """

    files: int
    size: int
    owner: str
    oldest: float
    newest: float
    complaint: str


def kept() -> KeptKernels | None:
    """The kernels that are kept on disk; None without a folder."""
    folder = cache_folder()
    if not folder.exists():
        return None
    found = [path.stat() for path in folder.rglob("*") if path.is_file()]
    # A file is newer than now if the clock was set back since.
    days = [max(0.0, time.time() - one.st_mtime) / 86_400 for one in found] or [0.0]
    size = sum(one.st_size for one in found)
    return KeptKernels(len(found), size, owner(folder), max(days), min(days), complaint(folder))


def clear() -> int:
    """Delete all cached kernels; returns their size in bytes."""
    size = sum(path.stat().st_size for path in cache_folder().rglob("*") if path.is_file())
    shutil.rmtree(cache_folder(), ignore_errors=True)
    folder_of.cache_clear()
    is_used.cache_clear()
    return size
