"""The order of the tests, and the worker that runs each.

The tests of a game, of the engine and of the page share what they compile or start: one worker runs each of these
folders. Other tests go to workers by file, and those of all tabs by the game of the example, since they take longest.
(Groups of pytest-xdist have no effect since pytest 9.2.)
"""

import gc
import os

import pytest

for name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR"):
    os.environ.pop(name, None)  # the width and the colours of the caller's terminal change what commands print

gc.set_threshold(200_000, 20, 20)  # as in commands (`simulator/cli/run.py`): compiling takes a tenth less time

TABS = "web/test_every_tab.py"
FOLDERS = ("birthright", "custom", "engine", "europa", "kings_and_things", "price_of_power", "risk", "web")


def pytest_collection_modifyitems(items):
    """Begin with the tests of the page, which take longest, and of these with those that one worker runs."""
    items.sort(key=lambda item: ("tests/web/" not in item.nodeid, TABS in item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Whole folders and files are given to workers."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFolder(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            path, _, test = nodeid.removeprefix("tests/").partition("::")
            folder, _, file = path.partition("/")
            if path == TABS and "[" in test:
                return f"{path} of {test.partition('[')[2].partition('-')[0]}"
            return folder if folder in FOLDERS else f"{folder}/{file}"

    return ByFolder(config, log)
