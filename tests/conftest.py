"""The order of the tests, and the worker that runs each.

The tests of a game, of the engine and of the page share what they compile or start: one worker runs each of these
folders; the server and the browser are two of them, since both take long. Other tests go to workers by file.
The tests that ask something of every shipped example run example by example: all of them share what one example needs.
(Groups of pytest-xdist have no effect since pytest 9.2.)
"""

import gc
import os
import re
from pathlib import Path

import pytest

for name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR"):
    os.environ.pop(name, None)  # the width and the colours of the caller's terminal change what commands print

# A small system of equations, solved by as many threads as there are processors, takes up to 80 times the processor
# time where tests keep the processors busy: the threads wait for each other. Read by numpy when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
gc.set_threshold(1_000_000, 20, 20)  # a tenth less time than with 200,000, as in commands (`simulator/cli/run.py`)

TABS = "test_every_tab.py"
# Files with tests of every shipped example, whose name ends the name of the test: "[attacker-risk-20v15]".
MATRICES = {f"test_{name}.py" for name in ("best_by_default", "cli", "commands_on_examples", "conformance")}
MATRICES |= {"test_odds_headline.py", TABS}
OF_EXAMPLE = re.compile(r"\[(?:(?:as it fits|simulated|attacker|defender)-)?([\w-]+)\]$")
EXAMPLES = {path.stem for path in (Path(__file__).parents[1] / "simulator" / "examples").rglob("*.toml")}
# Bytes of what is kept of examples.
ROOM = 300_000_000
# Files of tests/web that ask the server without a browser.
SERVER = {
    f"web/test_{name}.py" for name in ("bots", "every_kind", "proxies", "safety", "security", "server", "visitors")
}
FOLDERS = ("birthright", "custom", "engine", "europa", "kings_and_things", "price_of_power", "risk", "web")


def example_of(nodeid):
    """The example that a test of every example asks; "" for other tests."""
    path, _, _ = nodeid.removeprefix("tests/").partition("::")
    found = OF_EXAMPLE.search(nodeid) if path in MATRICES else None
    return found[1] if found and found[1] in EXAMPLES else ""


def pytest_collection_modifyitems(items):
    """Begin with the tests of the page, which take longest; end with those of each example, which are short."""
    items.sort(key=lambda item: (example_of(item.nodeid), "tests/web/" not in item.nodeid))


def pytest_collection_finish():
    """Modules and tests live until the end: the collector of garbage need not look at them again and again."""
    gc.freeze()


def pytest_sessionfinish():
    """At its end pytest looks through all that lives, twice: a second for each worker."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """One worker more than processors: the tests of the page wait for a browser half of their time."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def examples_are_built_once(request, monkeypatch):
    """The cache of scenarios also holds large chains: a server must spare memory, a test of every example need not."""
    if example_of(request.node.nodeid):
        from simulator.scenarios import scenario

        monkeypatch.setattr(scenario, "MOST_BITS", 1 << 20)
        monkeypatch.setattr(scenario._kept, "_most", ROOM)


@pytest.fixture
def battle_odds(capsys):
    """Run a command of the command line; its status, standard output and standard error."""
    from simulator.cli import run

    def call(*arguments):
        status = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Whole folders and files are given to workers."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFolder(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            path, _, _ = nodeid.removeprefix("tests/").partition("::")
            folder, _, file = path.partition("/")
            if example := example_of(nodeid):
                return f"example {example}"
            if path == TABS:  # kinds of game files without an example
                return path
            if path in SERVER:
                return "web server"
            return folder if folder in FOLDERS else f"{folder}/{file}"

    return ByFolder(config, log)
