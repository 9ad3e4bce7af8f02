"""Checks of the files of the kernel cache before they are read; this module does not import numba.

Numba's index files are pickles and its data files hold machine code: whoever can write them runs code as the user who
reads them, and a damaged one can end the process. So a folder is used only if nobody else can write to it
(`complaint`), and a manifest holds the SHA-256 of every file, which is compared before numba reads it (`sound`).
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# One line a file: its SHA-256 and its path. Lines are only added, each in one write, so that processes may record
# different kernels at the same time; the last line of a file holds.
MANIFEST = "manifest"


def complaint(folder: Path) -> str:
    """Why files of a folder may come from another user, in words; "" if they cannot.

    The folder, all that is in it and all folders above it must belong to this user or to the administrator, and nobody
    else may write to them. A folder above in which everybody may write must be sticky, as /tmp is. On Windows, where
    the profile of a user is his own, nothing is compared.
    """
    if os.name == "nt":
        return ""
    folder = folder.resolve()
    for place in (folder, *folder.rglob("*")):
        if text := _foreign(place, sticky=False):
            return text
    return next(filter(None, (_foreign(place, sticky=True) for place in folder.parents)), "")


def _foreign(place: Path, sticky: bool) -> str:
    """Why another user may have written here; with `sticky`, a sticky folder protects what this user has in it."""
    try:
        found = place.lstat()
    except OSError:  # another process has just removed it
        return ""
    if found.st_uid not in {0, os.geteuid()}:
        return f"{place} belongs to {owner(place)}"
    shared = found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and not _own_group(found.st_gid))
    if stat.S_ISLNK(found.st_mode) or not shared or (sticky and found.st_mode & stat.S_ISVTX):
        return ""
    return f"others can write to {place}"


def _own_group(number: int) -> bool:
    """Is this the private group of the user, which many systems give each user?"""
    import grp
    import pwd

    with suppress(KeyError):
        user, group = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(number)
        return group.gr_name == user and not set(group.gr_mem) - {user}
    return False


def owner(place: Path) -> str:
    """The name of the user to whom a file or folder belongs, or his number."""
    try:
        return place.owner()
    except (KeyError, NotImplementedError):
        return str(place.stat().st_uid)


def sound(folder: Path, kernel: str) -> bool:
    """Is each file of a kernel as the manifest says?"""
    known = _listed(folder)
    return all(known.get(_name(folder, path)) == _digest(path) for path in files_of(folder, kernel))


def record(folder: Path, kernel: str) -> None:
    """Add the files of a kernel that were written since to the manifest; nothing where they cannot be stored."""
    known = _listed(folder)
    with suppress(OSError):
        found = {_name(folder, path): _digest(path) for path in files_of(folder, kernel)}
        lines = "".join(f"{digest} {name}\n" for name, digest in found.items() if known.get(name) != digest)
        if lines:
            with (folder / MANIFEST).open("a", encoding="utf-8") as file:
                file.write(lines)


def files_of(folder: Path, kernel: str) -> Iterator[Path]:
    """The files of a kernel that numba may read: its index, and the code for each of its types."""
    return (path for path in folder.glob(f"*/*.{kernel}-*") if path.suffix in {".nbi", ".nbc"})


def _listed(folder: Path) -> dict[str, str]:
    """The digest of each file; a line that was damaged names no file."""
    with suppress(OSError):
        lines = (folder / MANIFEST).read_text(encoding="utf-8", errors="replace").splitlines()
        return {name: digest for digest, _, name in (line.partition(" ") for line in lines)}
    return {}


def _name(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def _digest(path: Path) -> str:
    """The SHA-256 of a file; "" for one that another process has just removed."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""
