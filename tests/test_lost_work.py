"""Long work that must not be lost: damaged files, two writers, Ctrl-C while workers start, clusters that die."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("distributed")

from simulator import odds, sweep
from simulator.analysis.storage import cluster
from simulator.analysis.storage import run_store as keeping
from simulator.analysis.storage.cluster import machines
from simulator.analysis.storage.kept_sweep import KeptSweep, kept_sweep
from simulator.analysis.studies.grid import grid_of
from simulator.analysis.studies.swept import answers
from tests.test_long_work import LAND, SLOW, VARY, after, at_once  # noqa: F401 - at_once: a fixture


def test_cells_that_came_back_before_a_cluster_died_are_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(keeping, "SECONDS", 1000.0)  # nothing is saved before the end
    came = []

    def dies(grid, portions):
        for answered in answers(grid, portions, 1):
            if sum(came) >= 8:
                raise OSError("cluster: the connection to it was lost")
            came.append(len(answered.cells or ()))
            yield answered

    with pytest.raises(OSError, match="cluster: the connection"):
        kept_sweep(grid_of(LAND, VARY, SLOW, None, 0), tmp_path / "cells", dies)
    assert len(pd.read_parquet(tmp_path / "cells")) == sum(came) >= 8


def test_axes_in_another_order_are_another_question(tmp_path):
    two = {"attacker.regiments": [2, 3], "defender.regiments": [4, 5]}
    sweep(LAND, two, out=tmp_path / "cells")
    text = 'begun with axes[0] "attacker.regiments", and this is "defender.regiments"'
    with pytest.raises(ValueError, match=re.escape(text)):
        sweep(LAND, dict(reversed(two.items())), out=tmp_path / "cells")


def test_what_differs_deep_in_a_long_grid_is_shown(tmp_path):
    sweep(LAND, {"attacker.regiments": range(1, 40)}, out=tmp_path / "cells")
    with pytest.raises(ValueError, match=r"vary.attacker.regiments\[38\] 39, and this is 40; give"):
        sweep(LAND, {"attacker.regiments": [*range(1, 39), 40]}, out=tmp_path / "cells")


@pytest.fixture(scope="module")
def run_file(tmp_path_factory):
    """The file of a run of 1,000 battles, as text."""
    out = tmp_path_factory.mktemp("run") / "run.json"
    odds(LAND, battles=1000, out=out)
    return out.read_text()


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """A folder with one file of cells."""
    out = tmp_path_factory.mktemp("sweep") / "cells"
    sweep(LAND, VARY, SLOW, out=out)
    return out


def refused_untouched(out, again, text):
    """The same work is refused in one line that says `text`, and no file of it changes."""

    def state():
        return {path: path.read_bytes() for path in out.parent.rglob("*") if path.is_file()}

    before = state()
    with pytest.raises(ValueError, match=text) as refusal:
        again()
    assert "\n" not in str(refusal.value)
    assert state() == before


def one_more(kept):
    kept["count"][0] += 1


def one_moved(kept):
    kept["count"][0] -= 1
    kept["count"][1] += 1


@pytest.mark.parametrize(
    "damage",
    [
        one_more,
        one_moved,
        lambda kept: kept["count"].pop(),
        lambda kept: kept["count"].__setitem__(0, -kept["count"][0]),
        lambda kept: kept.update(battles=-5),
        lambda kept: kept.update(battles=100),
        lambda kept: kept.update(battles="1000"),
        lambda kept: kept["columns"].clear(),
        lambda kept: kept["columns"]["rounds"]["values"].reverse(),
        lambda kept: kept.pop("checksum"),
        lambda kept: kept.pop("count"),
    ],
)
def test_a_damaged_run_is_refused_and_not_touched(tmp_path, run_file, damage):
    out = tmp_path / "run.json"
    kept = json.loads(run_file)
    damage(kept)
    out.write_text(json.dumps(kept))
    refused_untouched(
        out, lambda: odds(LAND, battles=2000, out=out), r"^out: '.*run.json' is damaged: its counts do not add up"
    )


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda out: (out / "part-00000000.parquet").write_bytes(b""), "part-00000000.parquet' cannot be read"),
        (
            lambda out: shutil.copy(out / "part-00000000.parquet", out / "part-00000077.parquet"),
            "part-00000077.parquet' cannot be read .another file has the same cells",
        ),
        (
            lambda out: pd.read_parquet(out / "part-00000000.parquet").to_parquet(out / "part-00000077.parquet"),
            "part-00000077.parquet' cannot be read .its cells are not those of this sweep",
        ),
        (lambda out: (out / "_asked.json").write_text('{"format": 2'), "_asked.json' is damaged"),
        (lambda out: (out / "_asked.json").write_text("[1, 2]"), "_asked.json' is damaged"),
    ],
)
def test_damaged_cells_are_refused_by_file_and_not_touched(tmp_path, cells, damage, text):
    out = tmp_path / "cells"
    shutil.copytree(cells, out)
    damage(out)
    refused_untouched(out, lambda: sweep(LAND, VARY, SLOW, out=out), text)


def test_a_flipped_bit_is_noticed_or_changes_no_cell(tmp_path):
    out, vary = tmp_path / "cells", {"attacker.regiments": [2, 3]}
    part, kept = out / "part-00000000.parquet", sweep(LAND, vary, SLOW, out=out)
    right, whole = kept.read(), part.read_bytes()
    noticed = 0
    for place in range(0, len(whole), 11):
        part.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        try:
            assert KeptSweep(out, kept.grid).read().equals(right)
        except ValueError as refusal:
            assert re.match(r"out: '.*part-00000000.parquet' cannot be read", str(refusal))  # noqa: PT017
            noticed += 1
    assert noticed > 100


@pytest.mark.parametrize("work", ["sweep", "run"])
def test_a_second_writer_is_refused_before_it_reads_or_cleans(tmp_path, work):
    """The first still writes: its half-written file stays, and whatever else lies there is not looked at."""
    out = tmp_path / "cells"
    again, lock = {
        "sweep": (lambda: sweep(LAND, VARY, out=out), out / "_lock"),
        "run": (lambda: odds(LAND, battles=1000, out=out), tmp_path / ".cells.lock"),
    }[work]
    again()
    half = (out if work == "sweep" else tmp_path) / ".part-00000001.parquet.1.tmp"
    half.write_bytes(b"half a file")
    damaged = out / "part-00000000.parquet" if work == "sweep" else out
    damaged.write_bytes(b"half a file")
    with keeping.alone(lock):
        refused_untouched(out, again, "another run is writing it; its lock is ")


def test_a_lock_file_that_its_owner_removed_is_no_lock(tmp_path):
    lock = tmp_path / "lock"
    real = os.fstat

    def removed(handle):
        lock.unlink()  # its owner ends just now
        return real(handle)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keeping.os, "fstat", removed)
        with pytest.raises(ValueError, match="another run"), keeping.alone(lock):
            pass
    with keeping.alone(lock):
        assert lock.exists()


def children(pid):
    """The worker processes of a command."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == pid and b"spawn_main" in (path / "cmdline").read_bytes():
                found.append(int(path.name))
    return found


def with_workers(*arguments):
    """The command with two workers, once their processes are there."""
    command = [sys.executable, "-m", "simulator", *arguments, "--workers", "2"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 60
    while not children(child.pid) and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    return child


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the workers in /proc")
@pytest.mark.parametrize("delay", [0.0, 0.7])
def test_ctrl_c_while_workers_start_ends_the_command_within_a_second(delay):
    child = with_workers("odds", "power-campaign-naples", "--battles", str(10**11))
    time.sleep(delay)
    begun = time.monotonic()
    os.killpg(child.pid, signal.SIGINT)  # a terminal sends it to the workers too
    assert child.wait(60) == 130
    assert time.monotonic() - begun < 1
    assert child.communicate(timeout=60) == ("", "interrupted before anything was gathered\n")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the workers in /proc")
def test_a_worker_killed_while_it_starts_is_one_line():
    child = with_workers("odds", "power-campaign-naples", "--battles", str(10**11))
    os.kill(children(child.pid)[0], signal.SIGKILL)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (2, "")
    assert err.startswith("workers: 2 processes could not be started, since one ended")
    assert err.count("\n") == 1


def test_a_cluster_that_is_lost_is_one_line_and_what_is_finished_stays(tmp_path, monkeypatch):
    from distributed import LocalCluster

    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 2)
    out = tmp_path / "cells"
    made = LocalCluster(n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=":0")
    with machines(address=made.scheduler_address) as client, pytest.raises(OSError, match=r"^cluster: .* was lost"):
        sweep(LAND, VARY, SLOW, out=out, cluster=client, progress=after(10, made.close))
    assert len(pd.read_parquet(out)) >= 10


def test_an_address_of_another_server_is_one_line(monkeypatch):
    def read_as_a_length(*_, **__):
        raise MemoryError("Unable to allocate 3.07 EiB")

    monkeypatch.setattr("distributed.Client", read_as_a_length)
    with (
        pytest.raises(ValueError, match="it answers something else"),
        machines(None, "tcp://a:1"),
    ):
        pass
