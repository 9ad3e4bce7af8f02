"""Ctrl-C ends the command within half a second, even while the compiler does not listen."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from types import FrameType
from typing import NoReturn

from simulator.cli.exit_status import INTERRUPTED

PATIENCE = 0.45
_heard = threading.Event()


def watch() -> None:
    """Wait for Ctrl-C beside the main thread; if that does not hear it in time, end the process in its stead.

    Python's own handler runs in the main thread between two of its steps, which a compiler's long step delays.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    try:
        ours, kernels = socket.socketpair()
        kernels.setblocking(False)
        signal.signal(signal.SIGINT, _interrupt)
        signal.set_wakeup_fd(kernels.fileno(), warn_on_full_buffer=False)
    except (OSError, ValueError):
        return
    # Both ends live as long as the thread.
    threading.Thread(target=_wait, args=(ours, kernels), daemon=True).start()


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    _heard.set()
    raise KeyboardInterrupt


def _wait(ours: socket.socket, kernels: socket.socket) -> None:
    while True:
        if signal.SIGINT in ours.recv(16):
            time.sleep(PATIENCE)
            if not _heard.is_set():
                print("interrupted before anything was gathered", file=sys.stderr, flush=True)
                os._exit(INTERRUPTED)
            _heard.clear()
