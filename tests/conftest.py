"""The order of the tests."""


def pytest_collection_modifyitems(items):
    """Begin with the tests of the page: one worker runs them all, and they take longest."""
    items.sort(key=lambda item: "tests/web/" not in item.nodeid)
