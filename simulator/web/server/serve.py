"""The `web` command's server: bind the socket, print the address, start the workers, and end them."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import Sequence

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from simulator.engine.model.limits import processors
from simulator.web.server.app import create_app
from simulator.web.server.pool import WorkerPool

BACKLOG = 256
# The most bytes of a request's head: its address may hold a whole scenario or game file.
MOST_HEAD = 96 * 1024


def serve(host: str, port: int, workers: int | None, waiting: int, allowed_hosts: Sequence[str] = ()) -> None:
    """Serve until Ctrl-C or SIGTERM. Raises OSError if the address cannot be bound."""
    listener = bound_socket(host, port)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s")
    shown = f"[{host}]" if ":" in host else host
    listener.listen(BACKLOG)
    pool = WorkerPool(workers or processors(), waiting)
    pool.start()
    print(f"The page is at http://{shown}:{listener.getsockname()[1]}/ ready for players; Ctrl-C ends it.", flush=True)
    try:
        Server(configured(create_app(pool, allowed_hosts)), pool).run([listener])
    except KeyboardInterrupt:
        print("ended", flush=True)
    finally:
        pool.close()


class Server(uvicorn.Server):
    """A server that ends its workers first: requests in progress, and those that still come in, get 503 at once."""

    def __init__(self, config: uvicorn.Config, pool: WorkerPool) -> None:
        super().__init__(config)
        self._pool = pool

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the workers, then the connections."""
        await asyncio.to_thread(self._pool.close)
        for reading in self._pool.reading:
            reading.cancel()
        await super().shutdown(sockets)


class TimedProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection whose request is not complete after `seconds`."""

    seconds = 20.0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the deadline of the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadline."""
        super().connection_lost(exc)
        if self._deadline:
            self._deadline.cancel()

    def _watch(self) -> None:
        """Run the deadline while a request comes in; after its answer, `timeout_keep_alive` waits for the next."""
        incomplete = self.conn.their_state in {h11.IDLE, h11.SEND_BODY}
        if self._deadline and not incomplete:
            self._deadline.cancel()
            self._deadline = None
        elif incomplete and not self._deadline:
            self._deadline = self.loop.call_later(self.seconds, self.transport.close)


def configured(app: Starlette) -> uvicorn.Config:
    """The configuration of the HTTP server: no access log of its own, long heads, a deadline for each request."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        backlog=BACKLOG,
        http=TimedProtocol,
        h11_max_incomplete_event_size=MOST_HEAD,
    )


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket bound to this address. Raises OSError that names the address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small parts at once only if the socket names its protocol; else a body waits 40 ms behind its head.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(f"port: cannot listen at {host}:{port} ({error.strerror or error})") from None
    return listener
