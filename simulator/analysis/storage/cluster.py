"""Many machines: portions of a grid, or pieces of a run, answered by the workers of a Dask cluster.

The numbers are those of one machine: a portion is answered by itself, a battle depends on its seed and number alone.
A worker that is killed costs time only, since its portions are given to another.
"""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from itertools import islice
from multiprocessing import active_children
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

from simulator.analysis.odds.method import check_numbers
from simulator.analysis.odds.stages import Shared
from simulator.analysis.storage.kept_run import Fighting, RunPart, RunParts, fought
from simulator.scenarios import Scenario

if TYPE_CHECKING:
    from distributed import Client

    from simulator.analysis.studies.grid import AnsweredPortion, Grid, Portion, Portions

# Portions that a worker's thread has in hand or waiting, and how often one is given to others whose worker was killed.
IN_HAND, MOST_LIVES = 3, 20
CONNECT_SECONDS = 20
# Clients whose work was cut short, by Ctrl-C or an error, and for how many seconds the end of their cluster is awaited.
_cut_short: WeakSet[Any] = WeakSet()
BRIEFLY = 0.1
KILLED = "its workers are killed whenever they do this work; is memory short?"
QUIETLY = "ignore:resource_tracker:UserWarning"
T = TypeVar("T")


@contextmanager
def machines(workers: int | None = None, address: str | None = None, processes: bool = True) -> Iterator[Client]:
    """A client of the cluster at `address`, or of a temporary one of `workers` processes on this machine.

    Raises ValueError where dask is missing, or there is no cluster at the address.
    """
    try:
        from distributed import Client
        from distributed.comm.addressing import get_address_host_port
        from distributed.utils import silence_logging_cmgr
    except ImportError:
        text = 'needs dask; install it with python -m pip install "battle-odds[scale]"'
        raise ValueError(f"{'workers' if address is None else 'cluster'}: {text}") from None
    if address is not None:
        try:
            get_address_host_port(address)  # connecting to an invalid address would block for the full timeout
            client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, MemoryError) as error:  # MemoryError: another server's answer read as a length
            why = "it answers something else" if isinstance(error, MemoryError) else str(error) or "no answer"
            raise ValueError(f"cluster: there is no Dask scheduler at {address!r} ({why})") from None
        with silence_logging_cmgr(logging.CRITICAL), client:
            yield client
        return
    check_numbers(1, 0, workers)
    made = _started(n_workers=workers, processes=processes)
    made_client: Client | None = None
    try:
        made_client = Client(made, set_as_default=False)
        yield made_client
    finally:
        ending = threading.Thread(target=_end, args=(made_client, made), daemon=True)
        ending.start()
        with suppress(KeyboardInterrupt):  # the work is done; Ctrl-C only ends the wait
            ending.join(BRIEFLY if made_client is None or made_client in _cut_short else None)


def _end(*opened: Any) -> None:
    """Close a client and its cluster; that takes seconds. Its processes end by themselves when this one does."""
    for one in filter(None, opened):
        one.close()


def _started(**options: Any) -> Any:
    """A cluster on this machine. It starts in a thread of its own, so that Ctrl-C ends the wait for it at once.

    Raises OSError if its processes do not start.
    """
    from distributed import LocalCluster

    found: Future[Any] = Future()
    others = {*active_children()}

    def start() -> None:
        try:
            with _deaf():
                options.update(threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL)
                found.set_result(LocalCluster(**options))
        except BaseException as error:
            found.set_exception(error)

    threading.Thread(target=start, daemon=True).start()
    try:
        return found.result()
    except KeyboardInterrupt:
        time.sleep(BRIEFLY)  # a process that has just been started would print errors if it were left alone
        for child in {*active_children()} - others:
            child.kill()
        raise
    except Exception as error:
        why = str(error).rstrip(".") or type(error).__name__
        text = f"{options['n_workers']} processes could not be started, since one ended or did not answer ({why})"
        raise OSError(f"workers: {text}") from None


@contextmanager
def _deaf() -> Iterator[None]:
    """Block Ctrl-C in threads and processes that this thread starts meanwhile: the main thread handles it.

    The processes print no warnings about resources that this one leaves open when it ends at once.
    """
    warnings = os.environ.get("PYTHONWARNINGS", "")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [warnings, QUIETLY]))
    try:
        if hasattr(signal, "pthread_sigmask"):
            from multiprocessing import resource_tracker

            resource_tracker.ensure_running()  # later it would unblock the signal
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        os.environ["PYTHONWARNINGS"] = warnings


@cache
def code() -> str:
    """The identity of the program: its version, and a digest of its sources and data, the rules among them."""
    from simulator import __version__
    from simulator.engine.api import PACKAGE

    found = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in {".py", ".csv", ".toml"}:
            found.update(str(path.relative_to(PACKAGE)).encode())
            found.update(path.read_bytes())
    return f"battle-odds {__version__} ({found.hexdigest()[:12]})"


def on_worker(expected: str, work: Callable[..., T], *arguments: Any) -> T:
    """Do work on a worker. Raises ValueError on one that runs another program, or other rules, than who asks."""
    if code() != expected:
        where = platform.node()
        raise ValueError(
            f"cluster: the worker on {where} runs {code()}, and this is {expected}; install the same there"
        )
    return work(*arguments)


@lru_cache(maxsize=2)
def _shared(grid: str) -> Shared:
    """The parts that cells of a grid share, on this worker."""
    return Shared()


def answer_portion(run: str, grid: Grid, portion: Portion) -> AnsweredPortion:
    """A portion answered on a worker."""
    return grid.answer(portion, _shared(run))


def fight_piece(scenario: Scenario, seed: int, piece: RunPart) -> RunPart:
    """A piece of a run fought on a worker, on one thread."""
    return fought(_known(scenario), seed, piece, threads=1)


@lru_cache(maxsize=2)
def _known(scenario: Scenario) -> Scenario:
    """The same scenario, built once on this worker."""
    return scenario


def answers_on(client: Client) -> Callable[[Grid, Portions], Generator[AnsweredPortion, None, None]]:
    """Have the portions of a grid answered by a cluster, in whatever order they are done."""
    return lambda grid, portions: _spread(client, portions, answer_portion, f"{id(grid)}", grid)


def fight_on(client: Client) -> Fighting:
    """Have the pieces of a run fought by a cluster, in whatever order they are done."""
    return lambda scenario, seed, pieces: _spread(client, pieces, fight_piece, scenario, seed)


def _spread(
    client: Client, pieces: Portions | RunParts, work: Callable[..., Any], *arguments: Any
) -> Generator[Any, None, None]:
    """The results of `work(*arguments, piece)` for all pieces, which learn from each; results come before errors.

    Work whose workers were killed again and again is given out anew. Raises the errors of the work; OSError if the
    cluster is lost.
    """
    from distributed import wait
    from distributed.scheduler import KilledWorker

    under_way: dict[Any, tuple[Any, int]] = {}

    def give(piece: Any, lives: int = MOST_LIVES) -> None:
        under_way[client.submit(on_worker, code(), work, *arguments, piece, pure=False)] = piece, lives

    try:
        while True:
            for piece in islice(pieces, max(0, _room(client) - len(under_way))):
                give(piece)
            if not under_way:
                return
            with _within_reach(OSError, CancelledError), client.as_current():
                finished, _ = wait(list(under_way), return_when="FIRST_COMPLETED")
            for future in sorted(finished, key=lambda one: one.status != "finished"):
                piece, lives = under_way.pop(future)
                try:
                    with _within_reach(CancelledError):
                        result = future.result()
                except KilledWorker:
                    if lives == 0:
                        raise OSError(f"cluster: {KILLED}") from None
                    give(piece, lives - 1)
                else:
                    pieces.learn(result)
                    yield result
    finally:
        _stop(client, list(under_way))


def _stop(client: Client, unwanted: list[Any]) -> None:
    """Cancel the work of these futures; nothing more is wanted of the client."""
    if unwanted:
        _cut_short.add(client)
        with suppress(Exception):
            client.cancel(unwanted, force=True)


def _room(client: Client) -> int:
    """The number of pieces in progress at a time: some for each thread of each present worker."""
    with _within_reach(OSError, CancelledError):
        return IN_HAND * max(1, int(sum(client.ncores().values())))


@contextmanager
def _within_reach(*errors: type[Exception]) -> Iterator[None]:
    """Raise OSError for the errors of a cluster that is gone."""
    try:
        yield
    except errors as error:
        text = f"the connection to it was lost ({type(error).__name__}); with --out the same command goes on"
        raise OSError(f"cluster: {text}") from None
