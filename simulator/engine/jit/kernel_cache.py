"""The on-disk cache of compiled kernels; this module does not import numba.

A folder is named after a digest of the sources of its kernels: the engine, and for the kernels of a game also that
game and the toolkit. An edit of one game leaves the kernels of other games valid.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from simulator.engine.jit.numba_mode import uses_internals

PACKAGE = Path(__file__).resolve().parents[2]
ENGINE = "engine"
KEPT_FOLDERS = 40

# Functions that get a message before a kernel is compiled; a command prints it.
announce: list[Callable[[str], object]] = []


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
    """Delete all but the newest folders: each edit of the sources leaves one."""
    with suppress(OSError):
        current.mkdir(parents=True, exist_ok=True)
        current.touch()
        folders = sorted(current.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for folder in folders[KEPT_FOLDERS:]:
            shutil.rmtree(folder, ignore_errors=True)


def _mark(kernel: str, params: type) -> str:
    """The path of the file that says that this kernel is in the cache; "" for kernels that are not stored."""
    package = package_of(params)
    return "" if package is None else f"{folder_of(package)}/{kernel}.{params.__qualname__}.ready"


def is_ready(kernel: str, params: type) -> bool:
    """Is this kernel in the cache, compiled for these params?"""
    return os.path.exists(_mark(kernel, params))


def mark_ready(kernel: str, params: type) -> None:
    """Record that this kernel is in the cache."""
    if mark := _mark(kernel, params):
        with suppress(OSError):
            Path(mark).touch()


def drop(kernel: str, package: str) -> None:
    """Delete the files of a kernel, which cannot be read."""
    with suppress(OSError):
        for path in folder_of(package).rglob(f"*{kernel}*"):
            path.unlink(missing_ok=True)


def clear() -> int:
    """Delete all cached kernels; returns their size in bytes."""
    size = sum(path.stat().st_size for path in cache_folder().rglob("*") if path.is_file())
    shutil.rmtree(cache_folder(), ignore_errors=True)
    folder_of.cache_clear()
    return size
