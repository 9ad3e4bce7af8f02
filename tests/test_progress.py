"""Long work: a progress bar appears, on a terminal alone, and Ctrl-C waits for nobody."""

import io
import threading
import time

import pytest

from simulator.cli.output import Bar
from simulator.engine.sample.simulation import Simulation
from tests.toys import walk


class Terminal(io.StringIO):
    def isatty(self):
        return True


def watched(monkeypatch):
    answer = Terminal()
    monkeypatch.setattr("sys.stderr", answer)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return answer


def test_the_bar_appears_by_itself_and_tells_how_much_is_done(monkeypatch):
    terminal = watched(monkeypatch)
    with Bar("battles", after=0.01) as shown:
        shown(1234, 5678)
        deadline = time.monotonic() + 30
        while "1,234 of 5,678" not in terminal.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "battles" in terminal.getvalue()
    assert "1,234 of 5,678" in terminal.getvalue()


def test_nothing_appears_where_quiet_is_asked_for_or_the_work_is_done(monkeypatch):
    terminal = watched(monkeypatch)
    with Bar("battles", quiet=True, after=0.01) as shown:
        shown(1, 2)
        time.sleep(0.1)
    with Bar("battles", after=0.05) as shown:
        shown(1, 2)
    time.sleep(0.1)
    assert not terminal.getvalue()


def test_an_interrupt_does_not_wait_for_a_thread_that_compiles(monkeypatch):
    done = threading.Event()
    simulation = Simulation(walk(2, 4), 1)
    monkeypatch.setattr(simulation, "_run", lambda queue: done.wait(60))

    def interrupted(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulation.add(1000, interrupted)
    assert not done.is_set()
    assert simulation.battles == 0
    done.set()
