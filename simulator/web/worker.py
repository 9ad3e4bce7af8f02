"""A worker process: it answers one request after another, each within its seconds and its memory."""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection

from simulator.engine.model.limits import NoExactOdds
from simulator.web.messages import COMPILING, LARGE, MEGABYTE, Asked, Limits, Reply
from simulator.web.time_limit import at_most, compiler_cuts

# What a worker may keep from one request to the next before it is replaced.
KEPT = 300 * MEGABYTE


def work(connection: Connection, limits: Limits) -> None:
    """Answer requests until the server is gone. Ctrl-C is the server's business.

    A worker that holds too much, or whose compiler was cut off in the middle, asks to be replaced.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    confine(limits.memory)
    idle = resident()
    with suppress(EOFError, OSError):
        while True:
            for reply in answered(connection.recv(), limits):
                retire = reply.last and bool(compiler_cuts or resident() > idle + KEPT)
                connection.send(replace(reply, retire=retire))


def answered(asked: Asked, limits: Limits) -> Iterator[Reply]:
    """The replies to a request; whatever goes wrong is a reply too."""
    from simulator.web import dispatch, views

    try:
        with at_most(limits.seconds):
            yield from dispatch.replies(asked, limits)
    except (ValueError, NoExactOdds) as error:
        yield views.refused(asked, str(error), getattr(error, "status", 422))
    except KeyboardInterrupt:
        yield views.refused(asked, COMPILING if compiler_cuts else too_large(limits), 422)
    except MemoryError:
        yield views.refused(
            asked, f"battle: needs more than the {limits.memory // MEGABYTE} MB an answer may take", 422
        )
    except RecursionError:
        yield views.refused(asked, "scenario: nested too deeply", 422)
    except GeneratorExit:
        raise
    except BaseException as error:
        if compiler_cuts:  # whatever it left behind
            yield views.refused(asked, COMPILING, 422)
            return
        # Where it went wrong, but none of the values: they may be somebody's scenario.
        places = "".join(traceback.format_list(traceback.extract_tb(error.__traceback__)))
        print(f"{asked.view}: {type(error).__name__} in\n{places}", file=sys.stderr, flush=True)
        yield views.refused(asked, "this request could not be answered, by a fault of the program", 500)


def too_large(limits: Limits) -> str:
    """What is said when the seconds are used up and nothing can be shown."""
    return f"{LARGE}, which reckons at most {limits.seconds:g} s; use fewer units or dice"


def confine(memory: int) -> None:
    """Let this process take so many bytes more than it has now, where the system can see to that."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        held = resident()
        resource.setrlimit(resource.RLIMIT_DATA, (held + memory, held + memory))


def resident() -> int:
    """Bytes of memory that this process has in use; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            import resource

            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, ImportError):
        return 0
