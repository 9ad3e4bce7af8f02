"""Kept kernels: what cannot be read is made anew; an edit of one game leaves the others' kernels alone."""

import os
import subprocess
import sys

import pytest

from simulator.engine.jit import kernel_cache as cache
from simulator.engine.jit.numba_mode import uses_internals

CODE = """
from simulator.engine.sample.alias import build_alias
from simulator.engine.model.chance import tables
print(build_alias(tables([{0: 1, 3: 2, 7: 4}, {0: 1}])).entry.tolist())
"""


def run(folder, code=CODE):
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
        env=os.environ | {"BATTLE_ODDS_CACHE": str(folder)},
    )
    assert found.returncode == 0, found.stderr[-2000:]
    return found.stdout


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    return folder, run(folder)


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_file_that_cannot_be_read_is_dropped_and_made_anew(kept, suffix):
    folder, answer = kept
    files = list(folder.rglob(f"*fill*{suffix}"))
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
from simulator import load
from simulator.engine.graph.compiled_explorer import CompiledExplorer
CompiledExplorer(load("risk-20v15").chain, 1 << 20).explore()
"""


def test_a_kernel_is_loaded_without_what_only_compiling_needs(kept):
    folder, answer = kept
    # It compiles a kernel of Risk afterwards. By numba's public interface everything is loaded.
    assert run(folder, CODE + LOADED) == f"{answer}{not uses_internals()}\n"


FULL = """
from numba.core.caching import IndexDataCacheFile
def no_room(*_): raise OSError(28, "No space left on device")
IndexDataCacheFile.save = no_room
"""


def test_a_full_disk_keeps_nothing_and_answers_all_the_same(kept, tmp_path):
    assert run(tmp_path, FULL + CODE) == kept[1]
