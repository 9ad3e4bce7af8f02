"""A Dask cluster of real processes that loses workers and its scheduler; the table stays that of one process."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("distributed")

from simulator import sweep
from simulator.analysis.storage.cluster import answers_on, machines
from simulator.analysis.storage.kept_sweep import kept_sweep
from simulator.analysis.studies.grid import grid_of
from tests.test_long_work import CELLS, LAND, SLOW, VARY, at_once  # noqa: F401 - at_once: a fixture

# Code that a worker loads at its start (--preload): from then on each portion kills it, as the system does when memory
# is short, or takes a tenth of a second longer.
ILL = """
import os, signal, time
from simulator.analysis.storage import cluster

def made_ill(answer):
    def answer_portion(*arguments):
        {does}
        return answer(*arguments)
    return answer_portion

if not hasattr(cluster, "ill"):  # Dask may run this file twice in a process
    cluster.ill = cluster.answer_portion = made_ill(cluster.answer_portion)
"""


class Processes:
    """A scheduler at a fixed port and its workers, each a process of its own."""

    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as line:
            self._port = str(line.getsockname()[1])
        self.address = f"tcp://127.0.0.1:{self._port}"
        self._all = []
        self.start_scheduler()

    def _start(self, *arguments):
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments, "--no-dashboard"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self._all.append(process)
        return process

    def start_scheduler(self):
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", self._port)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", int(self._port)), timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)

    def start_worker(self, *options):
        return self._start("worker", self.address, "--nworkers", "1", "--nthreads", "1", *options)

    def kill(self, process):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def end(self, scheduler):
        for process in self._all:
            if process.poll() is None and (scheduler or process is not self.scheduler):
                self.kill(process)


@pytest.fixture(scope="module")
def with_scheduler():
    """Its scheduler serves one test after the other, since the start of one takes 2 s of processor time."""
    started = Processes()
    yield started
    started.end(scheduler=True)


@pytest.fixture
def processes(with_scheduler):
    yield with_scheduler
    with_scheduler.end(scheduler=False)


@pytest.fixture(scope="module")
def alone():
    """The rows of one process."""
    return sweep(LAND, VARY, SLOW).rows()


def swept(processes, out, workers, progress=None):
    """The sweep on the cluster, once this many workers are there."""
    with machines(address=processes.address) as client:
        client.wait_for_workers(workers, timeout=120)
        return kept_sweep(grid_of(LAND, VARY, SLOW, None, 0), Path(out), answers_on(client), progress)


def test_a_worker_that_is_killed_during_a_sweep_costs_no_cell(processes, tmp_path, alone):
    victim, _ = (processes.start_worker("--no-nanny") for _ in range(2))

    def kill(done, total):
        if 10 <= done < CELLS and victim.poll() is None:
            processes.kill(victim)

    kept = swept(processes, tmp_path / "cells", 2, kill)
    assert victim.poll() is not None
    assert kept.sweep().rows() == alone


def test_a_sweep_goes_on_after_its_scheduler_was_killed_and_started_again(processes, tmp_path, alone):
    out = tmp_path / "cells"
    worker = processes.start_worker("--no-nanny")

    def kill(done, total):
        if 10 <= done < CELLS and processes.scheduler.poll() is None:
            processes.kill(processes.scheduler)

    with pytest.raises(OSError, match=r"^cluster: the connection to it was lost") as lost:
        swept(processes, out, 1, kill)
    assert "\n" not in str(lost.value)
    processes.kill(worker)
    processes.start_scheduler()
    processes.start_worker("--no-nanny")
    begun = []
    kept = swept(processes, out, 1, lambda done, total: begun.append(done))
    assert begun[0] >= 10
    assert kept.sweep().rows() == alone


@pytest.mark.parametrize("does", ["os.kill(os.getpid(), signal.SIGKILL)", "time.sleep(0.1)"], ids=["dies", "slow"])
def test_a_worker_without_memory_or_a_slow_one_changes_no_cell(processes, tmp_path, alone, does):
    ill = tmp_path / "ill.py"
    ill.write_text(ILL.format(does=does))
    processes.start_worker("--no-nanny")
    processes.start_worker("--preload", str(ill))
    assert swept(processes, tmp_path / "cells", 2).sweep().rows() == alone


def test_a_cluster_whose_every_worker_lacks_memory_is_one_line(processes, tmp_path, monkeypatch):
    from simulator.analysis.storage import cluster

    monkeypatch.setattr(cluster, "MOST_LIVES", 0)
    ill = tmp_path / "ill.py"
    ill.write_text(ILL.format(does="os.kill(os.getpid(), signal.SIGKILL)"))
    processes.start_worker("--preload", str(ill))
    with pytest.raises(OSError, match=r"^cluster: its workers are killed .* is memory short\?$"):
        swept(processes, tmp_path / "cells", 1)
