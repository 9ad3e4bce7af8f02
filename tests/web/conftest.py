"""One server and one browser for all tests of the page."""

import socket
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

# Without windows, Chromium takes a third of the processor time of a page that is opened.
CHROMIUMS = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")
CHROMIUM = next((path for path in CHROMIUMS if Path(path).exists()), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def app():
    """The application over one worker, which has long enough on the slowest of machines."""
    from simulator.web.messages import Limits
    from simulator.web.server.app import create_app
    from simulator.web.server.pool import WorkerPool

    pool = WorkerPool(1, 8, Limits(seconds=8.0, wait=300.0, queue=300.0, reply=300.0))
    pool.start(kernels=False)
    yield create_app(pool)
    pool.close()


@pytest.fixture(scope="session")
def site(app):
    """The application as Starlette's test client sees it."""
    from starlette.testclient import TestClient

    return TestClient(app, follow_redirects=False)


@contextmanager
def served(settings):
    """The address of a server with these settings, which runs beside the tests."""
    import uvicorn

    line = socket.create_server(("127.0.0.1", 0))
    running = uvicorn.Server(settings)
    thread = threading.Thread(target=running.run, args=([line],), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{line.getsockname()[1]}"
    running.should_exit = True
    thread.join(10)


@pytest.fixture(scope="session")
def server(app):
    """The address of the page, served beside the tests.

    Of all kernels only those of Risk are made sure of; no answer of a worker is given the time to compile.
    """
    from simulator import load
    from simulator.engine.exact import warm_up
    from simulator.web.server.serve import configured

    warm_up(load("risk-20v15").chain)
    with served(configured(app)) as address:
        yield address


@pytest.fixture(scope="package")
def browser():
    """A real browser; the tests that need it are skipped where there is none.

    It ends with this folder: while it lives, an event loop runs in the main thread, which other tests need themselves.
    """
    if CHROMIUM is None:
        pytest.skip(f"no browser at {' or '.join(CHROMIUMS)}; on Debian: apt-get install chromium-headless-shell")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install '.[test]'")
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


RISK = "/risk/land?attacker.regiments=20&defender.regiments=15&v=1"
SOON = 20_000


def until(page, question):
    """Wait until a question of JavaScript is true. (The page's own policy forbids what `wait_for_function` does.)"""
    for _ in range(200):
        if page.evaluate(question):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never came true: {question}")


@pytest.fixture(scope="package")
def window(browser):
    """A page for one test after the other, and its faults: a context takes three times as long as loading a page.

    It has no service worker, which would answer from what it kept of the tests before.
    """
    context, faults = browser.new_context(service_workers="block"), []
    found = context.new_page()
    found.set_default_timeout(SOON)
    found.on("pageerror", lambda error: faults.append(str(error)))
    found.on("console", lambda line: faults.append(line.text) if "Content Security" in line.text else None)
    yield found, faults
    context.close()


@pytest.fixture
def page(request, window, server):
    """The page at the module's FIRST address, in a browser that has kept nothing; its script complains of nothing."""
    found, faults = window
    found.goto("about:blank")
    found.context.clear_cookies()
    storage = found.context.new_cdp_session(found)
    storage.send("Storage.clearDataForOrigin", {"origin": server, "storageTypes": "all"})
    storage.detach()
    found.mouse.move(0, 0)
    found.set_viewport_size({"width": 1200, "height": 900})
    faults.clear()
    found.goto(server + getattr(request.module, "FIRST", RISK))
    yield found
    found.unroute_all()
    found.context.clear_permissions()
    assert not faults
