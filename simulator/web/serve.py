"""Starting the server: warm the workers, listen, say where."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys

import uvicorn

from simulator.engine.montecarlo import processors
from simulator.web.app import create_app
from simulator.web.work import Pool

BACKLOG = 256
# The longest head of a request: an address holds a whole scenario, or a game.
MOST_HEAD = 96 * 1024
NICE = 10


def serve(host: str, port: int, workers: int | None, waiting: int, warm: bool) -> None:
    """Serve until Ctrl-C. Raises OSError where it cannot listen."""
    line = _listening(host, port)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s")
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{line.getsockname()[1]}/"
    if warm:
        print(f"{address} warming up; the first time this compiles for some minutes", flush=True)
    beside = None
    pool = Pool(workers or processors(), waiting, warm=warm)
    try:
        pool.start()
        line.listen(BACKLOG)  # from here on, nobody is turned away
        print(f"{address} ready; Ctrl-C ends it", flush=True)
        beside = None if warm else _compiling()
        config = uvicorn.Config(
            create_app(pool),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=2,
            backlog=BACKLOG,
            http="h11",
            h11_max_incomplete_event_size=MOST_HEAD,
        )
        uvicorn.Server(config).run([line])
    except KeyboardInterrupt:
        print("ended", flush=True)
    finally:
        pool.close()
        if beside is not None:
            beside.kill()


def _compiling() -> subprocess.Popen[bytes]:
    """A process that compiles all kernels beside the server, with less right to the processors where it can be told."""
    found = subprocess.Popen(
        [sys.executable, "-m", "simulator", "cache", "--all"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    if hasattr(os, "setpriority"):
        os.setpriority(os.PRIO_PROCESS, found.pid, NICE)
    return found


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises OSError that says where it could not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    line = socket.socket(family)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        line.bind((host, port))
    except OSError as error:
        line.close()
        raise OSError(f"port: cannot listen at {host}:{port} ({error.strerror or error})") from None
    return line
