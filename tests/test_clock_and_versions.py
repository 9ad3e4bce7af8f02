"""Long work when the clock is set back, and files that an older or a newer version of the program has written."""

import json
import os
import re
import time

import pytest

pytest.importorskip("pyarrow")

from simulator import odds, simulate, sweep
from tests.test_long_work import LAND, SLOW, VARY, at_once  # noqa: F401 - at_once: a fixture

HOUR = 3600.0


@pytest.fixture
def set_back(monkeypatch):
    """A function that sets the clock back by an hour, once; a test in which that never happens fails."""
    real, times = time.time, []
    monkeypatch.setattr(time, "time", lambda: real() - HOUR * len(times))
    yield lambda *_: times or times.append(real())
    assert len(times) == 1


def test_a_clock_that_is_set_back_during_a_run_changes_nothing(tmp_path, set_back):
    found = odds(LAND, battles=3_000_000, seed=5, out=tmp_path / "run.json", progress=set_back)
    assert found.table.equals(simulate(LAND, 3_000_000, 5).table)


def test_a_clock_that_is_set_back_during_a_sweep_changes_nothing(tmp_path, set_back):
    kept = sweep(LAND, VARY, SLOW, out=tmp_path / "cells", progress=set_back)
    assert kept.complete
    assert kept.sweep().rows() == sweep(LAND, VARY, SLOW).rows()


def test_files_from_the_future_are_read_as_any_other(tmp_path):
    """As after a clock was set back: what was written before is newer than now."""
    out, later = tmp_path / "cells", time.time() + HOUR
    rows = sweep(LAND, VARY, SLOW, out=out).sweep().rows()
    for path in [out, *out.iterdir()]:
        os.utime(path, (later, later))
    assert sweep(LAND, VARY, SLOW, out=out).sweep().rows() == rows


def test_a_cache_from_the_future_is_not_of_a_negative_age(tmp_path, monkeypatch):
    from simulator.engine.jit import kernel_cache

    (tmp_path / "kernel.nbi").write_bytes(b"index")
    later = time.time() + HOUR
    os.utime(tmp_path / "kernel.nbi", (later, later))
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: tmp_path)
    found = kernel_cache.kept()
    assert (found.newest, found.oldest) == (0, 0)


@pytest.mark.parametrize("version", [1, 3, None])
@pytest.mark.parametrize("work", ["run", "sweep"])
def test_a_file_of_another_version_of_the_program_is_one_line_and_stays(tmp_path, work, version):
    """Its numbers may mean something else. `None`: a file of before there were versions."""
    out = tmp_path / "kept"

    def again():
        return odds(LAND, battles=1000, out=out) if work == "run" else sweep(LAND, VARY, SLOW, out=out)

    again()
    file = out if work == "run" else out / "_asked.json"
    whole = json.loads(file.read_text())
    asked = whole["asked"] if work == "run" else whole
    del asked["format"]
    if version is not None:
        asked["format"] = version
    file.write_text(json.dumps(whole))
    before = file.read_bytes()
    text = f"it was begun with format {version or 'nothing'}, and this is 2; give another file or remove it"
    with pytest.raises(ValueError, match=re.escape(text)) as refused:
        again()
    assert "\n" not in str(refused.value)
    assert file.read_bytes() == before
