"""Calls of HiGHS, which does not react to Ctrl-C while it searches.

A search first gets a short time in this process, for which an interruption has to wait. A longer one runs in a process
of its own, which is ended when the wait for it is interrupted.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
from math import ceil
from typing import Any

# Seconds that HiGHS may take in this process; another one takes half a second of CPU to start.
PATIENCE = 2.0
# The status of SciPy's solvers when their time is over.
OUT_OF_TIME = 1
# The process ends when its input is closed, so it never outlives the process that asked. HiGHS writes lines of its own
# to the standard output, so the answer uses another descriptor.
CHILD = """
import os, pickle, sys, threading
answer = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
import scipy.optimize
name, asked, seconds = pickle.load(sys.stdin.buffer)
if seconds:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True).start()
pickle.dump(getattr(scipy.optimize, name)(**asked), answer)
answer.close()
os._exit(0)
"""


def solved(name: str, options: dict[str, Any] | None = None, **asked: Any) -> Any:
    """The answer of a solver of `scipy.optimize` that calls HiGHS, by its name and arguments.

    Raises KeyboardInterrupt at most PATIENCE seconds after Ctrl-C; the search is ended then.
    """
    import scipy.optimize

    options = options or {}
    found = getattr(scipy.optimize, name)(**asked, options=options | {"time_limit": PATIENCE})
    if found.status != OUT_OF_TIME:
        return found
    # A limit on the processor time of this process (that of a page) also limits the other one, and counts its time.
    seconds = ceil(signal.getitimer(signal.ITIMER_PROF)[0]) if hasattr(signal, "getitimer") else 0
    try:
        return _in_another_process(name, asked | {"options": options}, seconds)
    finally:
        if seconds:
            signal.raise_signal(signal.SIGPROF)


def _in_another_process(name: str, asked: dict[str, Any], seconds: int) -> Any:
    """As `solved`, in at most this many seconds of processor time; 0: without a limit. Raises EOFError after them."""
    # A session of its own, since a terminal sends Ctrl-C to all processes of a session.
    with subprocess.Popen(
        [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            pickle.dump((name, asked, seconds), child.stdin)
            child.stdin.flush()
            return pickle.load(child.stdout)
        except BaseException:
            child.kill()
            raise
