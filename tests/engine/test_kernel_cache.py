"""Kept kernels: damaged files are made anew, files that others may have written are never read, and an edit of one game
leaves the kernels of others alone.
"""

import os
import pickle
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from simulator.engine.jit import kept_files
from simulator.engine.jit import kernel_cache as cache
from simulator.engine.jit.file_lock import locked
from simulator.engine.jit.numba_mode import uses_internals
from tests.processes import python

# The kernel that is compiled soonest: a tenth of a second.
CODE = """
import numpy as np
from simulator.engine.graph.small_graph import unpack
word, shift, mask = np.zeros(3, np.int64), np.array([0, 4, 8], np.uint64), np.full(3, 15, np.uint64)
found = np.zeros((3, 2), np.int64)
unpack(np.array([[0x321, 0x654]], np.uint64), (word, shift, mask), np.array([1, 0]), found)
print(found.tolist())
"""


def process(folder, code=CODE):
    """A new process that runs this code with this cache."""
    return python(code, BATTLE_ODDS_CACHE=str(folder))


def run(folder, code=CODE):
    return process(folder, code).stdout


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    found = process(folder)
    return folder, found.stdout, found.stderr


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_file_that_cannot_be_read_is_dropped_and_made_anew(kept, suffix):
    folder, answer, _ = kept
    files = list(folder.rglob(f"*unpack*{suffix}"))
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[: 100 if suffix == ".nbc" else 0])
    assert run(folder) == answer


def test_folders_tell_parts_and_bounds_checking_apart(monkeypatch, tmp_path):
    monkeypatch.setenv("BATTLE_ODDS_CACHE", str(tmp_path))
    cache.folder_of.cache_clear()
    risk, engine = cache.folder_of("risk"), cache.folder_of("engine")
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    cache.folder_of.cache_clear()
    assert len({risk, engine, cache.folder_of("risk"), cache.folder_of("engine")}) == 4
    (engine / "some.ready").write_text("x")
    assert cache.clear() > 0
    assert not engine.exists()
    cache.folder_of.cache_clear()


LOADED = """
import sys
print("numba.np.linalg" in sys.modules)
from simulator.engine.sample.alias import build_alias
from simulator.engine.model.chance import tables
print(build_alias(tables([{0: 1, 1: 3}])).entry.tolist())
"""


def test_a_kernel_is_loaded_without_what_only_compiling_needs(kept):
    folder, answer, _ = kept
    # It compiles another kernel afterwards. By numba's public interface everything is loaded.
    columns = [1 << 31 | 0 << 32 | 1 << 48, 1 << 32 | 1 << 48]  # the first is cut in halves: results 0 and 1
    assert run(folder, CODE + LOADED) == f"{answer}{not uses_internals()}\n{columns}\n"


FULL = """
from numba.core.caching import IndexDataCacheFile
def no_room(*_): raise OSError(28, "No space left on device")
IndexDataCacheFile.save = no_room
"""


def test_a_full_disk_keeps_nothing_and_answers_all_the_same(kept, tmp_path):
    assert run(tmp_path, FULL + CODE) == kept[1]


# A file that does something when it is unpickled: it makes a folder.
class Planted:
    def __init__(self, made):
        self.made = str(made)

    def __reduce__(self):
        return os.mkdir, (self.made,)


def indices(folder):
    return [path for path in folder.rglob("*unpack*.nbi") if "kernels" in path.parts]


def own_copy(kept, tmp_path):
    """A copy of the cache that a test may damage."""
    shutil.copytree(kept[0], tmp_path / "cache")
    return tmp_path / "cache"


def test_a_planted_pickle_does_not_run(kept, tmp_path):
    folder = own_copy(kept, tmp_path)
    for path in indices(folder):
        path.write_bytes(pickle.dumps(Planted(tmp_path / "made")))
    with pytest.raises(FileNotFoundError):  # the pickle would work: it fails only where its folder cannot be made
        pickle.loads(pickle.dumps(Planted(tmp_path / "no" / "made")))
    assert run(folder) == kept[1]
    assert not (tmp_path / "made").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes of files")
@pytest.mark.parametrize("place", ["", "kernels/*/*/*.nbi"])
def test_files_that_others_can_write_are_not_read(kept, tmp_path, place):
    """With the manifest as it should be: only the mode says that another user may have written both."""
    folder = own_copy(kept, tmp_path)
    parts = cache_parts(folder)
    for path in indices(folder):
        path.write_bytes(pickle.dumps(Planted(tmp_path / "made")))
    for part in parts:
        kept_files.record(part, "unpack")
    for path in folder.glob(place) if place else [folder]:
        path.chmod(path.stat().st_mode | stat.S_IWOTH)
    found = process(folder)
    assert found.stdout == kept[1]
    assert not (tmp_path / "made").exists()
    assert found.stderr.count("the kept kernels are not used: others can write to ") == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes of files")
@pytest.mark.parametrize("place", [".", "kernels", "kernels/engine-1", "kernels/engine-1/code.nbc"])
def test_all_above_and_in_a_folder_belongs_to_its_user(tmp_path, place):
    part = tmp_path / "kernels" / "engine-1"
    part.mkdir(parents=True)
    (part / "code.nbc").touch()
    assert not kept_files.complaint(part)
    found = tmp_path / place
    found.chmod(found.stat().st_mode | stat.S_IWOTH)
    assert kept_files.complaint(part) == f"others can write to {found.resolve()}"
    found.chmod(found.stat().st_mode | stat.S_ISVTX)  # sticky: nobody replaces what this user has in it
    assert bool(kept_files.complaint(part)) == (found in {part, part / "code.nbc"})


def cache_parts(folder):
    return list((folder / "kernels").iterdir())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_a_folder_of_another_user_is_not_used(kept, tmp_path):
    folder = own_copy(kept, tmp_path)
    os.chown(folder / "kernels", 65_534, 65_534)
    found = process(folder)
    assert found.stdout == kept[1]
    assert f"{folder / 'kernels'} belongs to " in found.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes of files")
def test_a_new_folder_is_for_its_user_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("BATTLE_ODDS_CACHE", str(tmp_path / "cache"))
    before = os.umask(0)
    try:
        cache.folder_of.cache_clear()
        folder = cache.folder_of("engine")
    finally:
        os.umask(before)
        cache.folder_of.cache_clear()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_any_flipped_bit_is_found(kept, tmp_path):
    """200 flips of a bit of an index, of machine code and of the manifest: the kernel is never read damaged."""
    dice = random.Random(1)
    [part] = [part for part in cache_parts(own_copy(kept, tmp_path)) if any(kept_files.files_of(part, "unpack"))]
    files = [*kept_files.files_of(part, "unpack"), part / kept_files.MANIFEST]
    whole = {path: path.read_bytes() for path in files}
    assert kept_files.sound(part, "unpack")
    lines = [line for line in whole[files[-1]].splitlines() if b".unpack-" in line]
    for _ in range(200):
        path = dice.choice(files)
        data = bytearray(whole[path])
        # In the manifest, a line of this kernel: the other lines are those of other kernels.
        first, size = (data.index(line := dice.choice(lines)), len(line)) if path == files[-1] else (0, len(data))
        data[first + dice.randrange(size)] ^= 1 << dice.randrange(8)
        path.write_bytes(data)
        assert not kept_files.sound(part, "unpack"), path
        path.write_bytes(whole[path])
    assert kept_files.sound(part, "unpack")


def test_damaged_machine_code_is_compiled_anew_without_a_word(kept, tmp_path):
    folder = own_copy(kept, tmp_path)
    for path in folder.rglob("*unpack*.nbc"):
        data = bytearray(path.read_bytes())
        for place in range(len(data) // 4, len(data), 97):
            data[place] ^= 0xFF
        path.write_bytes(data)
    found = process(folder)
    assert (found.stdout, found.stderr) == kept[1:]
    [part] = [part for part in cache_parts(folder) if any(kept_files.files_of(part, "unpack"))]
    assert kept_files.sound(part, "unpack")


# Before it compiles, a process waits until both have begun, and then half a second more.
AT_ONCE = """
import os, pathlib, sys, time
from numba.core import event
from simulator.engine.graph import small_graph
place = pathlib.Path(os.environ["BATTLE_ODDS_CACHE"])
class Compiling(event.Listener):
    def on_start(self, _):
        while len(list(place.glob("begun-*"))) < 2:
            time.sleep(.01)
        time.sleep(.5)
    def on_end(self, found):
        if found.data["dispatcher"].py_func is small_graph.unpack._function:
            (place / f"compiled-{os.getpid()}").touch()
event.register("numba:compile", Compiling())
(place / f"begun-{os.getpid()}").touch()
"""


def test_of_two_processes_at_once_one_compiles(kept, tmp_path):
    command, own = [sys.executable, "-c", AT_ONCE + CODE], os.environ | {"BATTLE_ODDS_CACHE": str(tmp_path)}
    both = [subprocess.Popen(command, env=own, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [one.communicate(timeout=400)[0] for one in both] == [kept[1]] * 2
    assert [one.returncode for one in both] == [0, 0]
    assert run(tmp_path) == kept[1]
    assert len(list(tmp_path.glob("compiled-*"))) == (1 if os.name == "posix" else 2)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such locks")
def test_a_lock_is_waited_for_and_not_for_ever(tmp_path):
    """The second holder begins when the first has ended; while the first does not end, it begins after its seconds."""
    path, order = tmp_path / "some.lock", []

    def second():
        with locked(path, 60):
            order.append("second")

    with locked(path, 0):
        with locked(path, 0.05):
            order.append("not for ever")
        other = threading.Thread(target=second)
        other.start()
        other.join(0.2)
        order.append("first")
    other.join(60)
    assert order == ["not for ever", "first", "second"]


def test_without_locks_nobody_waits(tmp_path):
    with locked(tmp_path / "no folder" / "some.lock", 60), locked(tmp_path / "no folder" / "some.lock", 60):
        assert not list(tmp_path.iterdir())


# All modules are imported before: the other user may be unable to read them.
READ_ONLY = """
import email.parser, grp, os, pwd, numba.core.caching, numba.core.runtime, numba.core.typed_passes
import simulator.engine.graph.small_graph, simulator.engine.jit.kernels
def compiled(*_): raise AssertionError("compiled")
numba.core.caching.IndexDataCacheFile.save = compiled
os.setuid(65_534)
assert not os.access(os.environ["BATTLE_ODDS_CACHE"], os.W_OK)
"""


@pytest.mark.skipif(not uses_internals(), reason="numba's public interface stores where it reads")
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="a folder of the administrator is needed")
@pytest.mark.skipif(
    not all(place.stat().st_mode & stat.S_IXOTH for place in Path(pytest.__file__).parents),
    reason="another user cannot read the libraries of this environment",
)
def test_a_folder_of_the_administrator_is_read_by_others(kept):
    # Not in the folder of this test run, which only its user may enter.
    folder = Path(tempfile.mkdtemp())
    shutil.copytree(kept[0], folder, dirs_exist_ok=True)
    try:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        assert run(folder, READ_ONLY + CODE) == kept[1]
    finally:
        shutil.rmtree(folder)


def test_old_versions_and_too_many_bytes_are_cleaned(tmp_path, monkeypatch):
    monkeypatch.setenv("BATTLE_ODDS_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "MOST_BYTES", 10_000)
    kernels = tmp_path / "kernels"
    for age, name in enumerate(["risk-new", "risk-older", "risk-oldest", "europa-large", "europa-old"], start=1):
        (kernels / name).mkdir(parents=True)
        (kernels / name / "code").write_bytes(bytes(9_000 if "large" in name else 10))
        os.utime(kernels / name, (1e9 - age, 1e9 - age))
    cache.folder_of.cache_clear()
    current = cache.folder_of("risk")
    assert {path.name for path in kernels.iterdir()} == {
        current.name,
        "risk-new",
        "risk-older",
        "europa-large",
        "europa-old",
    }
    (current / "code").write_bytes(bytes(5_000))
    cache.folder_of.cache_clear()
    assert cache.folder_of("risk") == current
    assert {path.name for path in kernels.iterdir()} == {current.name, "risk-new", "risk-older"}
    cache.folder_of.cache_clear()
