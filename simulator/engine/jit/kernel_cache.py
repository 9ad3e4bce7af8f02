"""Where compiled kernels are kept between runs, and which are there; imports no compiler.

A folder's name is a digest of the sources that its kernels are made from: the engine, and for a game's own kernels
that game, the toolkit and the public side of the rules. An edit of one game leaves the other games' kernels alone.
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

# Told once before something is compiled; a command prints it.
announce: list[Callable[[str], object]] = []


def cache_folder() -> Path:
    """Where compiled kernels are kept; `BATTLE_ODDS_CACHE` moves it."""
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
    """The folder of the kernels of one part of the package; old ones are dropped when it is new."""
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
    """Keep the few newest folders: each edit of the sources leaves one behind."""
    with suppress(OSError):
        current.mkdir(parents=True, exist_ok=True)
        current.touch()
        folders = sorted(current.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for folder in folders[KEPT_FOLDERS:]:
            shutil.rmtree(folder, ignore_errors=True)


def _mark(kernel: str, params: type) -> Path | None:
    package = package_of(params)
    return None if package is None else folder_of(package) / f"{kernel}.{params.__qualname__}.ready"


def is_ready(kernel: str, params: type) -> bool:
    """Has this kernel been compiled for these params before, on this machine?"""
    mark = _mark(kernel, params)
    return mark is not None and mark.exists()


def mark_ready(kernel: str, params: type) -> None:
    """Remember that this kernel is compiled now."""
    mark = _mark(kernel, params)
    if mark is not None:
        with suppress(OSError):
            mark.touch()


def drop(kernel: str, package: str) -> None:
    """Remove what is kept of a kernel: its files cannot be read."""
    with suppress(OSError):
        for path in folder_of(package).rglob(f"*{kernel}*"):
            path.unlink(missing_ok=True)


def clear() -> int:
    """Remove all kept kernels; returns how many bytes that were."""
    size = sum(path.stat().st_size for path in cache_folder().rglob("*") if path.is_file())
    shutil.rmtree(cache_folder(), ignore_errors=True)
    folder_of.cache_clear()
    return size
