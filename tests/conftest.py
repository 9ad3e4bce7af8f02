"""The order of the tests, and the worker that runs each.

The tests of a game, of the engine and of the page share what they compile or start: one worker runs each of these
folders. Other tests go to workers by file. (Groups of pytest-xdist have no effect since pytest 9.2.)
"""

import gc
import os

import pytest

for name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR"):
    os.environ.pop(name, None)  # the width and the colours of the caller's terminal change what commands print

gc.set_threshold(200_000, 20, 20)  # as in commands (`simulator/cli/run.py`): compiling takes a tenth less time

FOLDERS = ("birthright", "custom", "engine", "europa", "kings_and_things", "price_of_power", "risk", "web")


def pytest_collection_modifyitems(items):
    """Begin with the tests of the page: one worker runs them all, and they take longest."""
    items.sort(key=lambda item: "tests/web/" not in item.nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Whole folders and files are given to workers."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFolder(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            folder, _, file = nodeid.partition("::")[0].removeprefix("tests/").partition("/")
            return folder if folder in FOLDERS else f"{folder}/{file}"

    return ByFolder(config, log)
