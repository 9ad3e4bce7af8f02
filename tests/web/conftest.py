"""One server and one browser for all tests of the page."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

CHROMIUM = "/usr/bin/chromium"
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
def site():
    """The application over one worker that has loaded nothing beforehand, for Starlette's test client."""
    from starlette.testclient import TestClient

    from simulator.web.app import create_app
    from simulator.web.work import Pool

    pool = Pool(1, 8, warm=False)
    pool.start()
    with TestClient(create_app(pool), follow_redirects=False) as client:
        yield client


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The address of the page, served as a user serves it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("web") / "log"
    command = [sys.executable, "-m", "simulator", "web", "--port", str(port), "--no-warm", "--workers", "1"]
    with log.open("w") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, env=os.environ, cwd=Path(__file__).parents[2])
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            if "ready" in log.read_text() or process.poll() is not None:
                break
            time.sleep(0.1)
        assert urllib.request.urlopen(f"{address}/healthz").read() == b"ok", log.read_text()
        yield address
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="session")
def browser():
    """A real browser; the tests that need it are skipped where there is none."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no browser at {CHROMIUM}; on Debian: apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install '.[test]'")
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()
