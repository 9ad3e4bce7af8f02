"""Starting the server: listen, say where, start the workers; and ending it."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from simulator.engine.model.limits import processors
from simulator.web.app import create_app
from simulator.web.pool import Pool

BACKLOG = 256
# The longest head of a request: an address holds a whole scenario, or a game.
MOST_HEAD = 96 * 1024


def serve(host: str, port: int, workers: int | None, waiting: int) -> None:
    """Serve until Ctrl-C or SIGTERM. Raises OSError where it cannot listen."""
    line = _listening(host, port)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s")
    shown = f"[{host}]" if ":" in host else host
    line.listen(BACKLOG)
    pool = Pool(workers or processors(), waiting)
    pool.start()
    print(f"http://{shown}:{line.getsockname()[1]}/ ready; Ctrl-C ends it", flush=True)
    try:
        Server(configured(create_app(pool)), pool).run([line])
    except KeyboardInterrupt:
        print("ended", flush=True)
    finally:
        pool.close()


class Server(uvicorn.Server):
    """A server that ends its workers first: requests under way are answered with 503 at once."""

    def __init__(self, config: uvicorn.Config, pool: Pool) -> None:
        super().__init__(config)
        self._pool = pool

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the workers, then the connections."""
        await asyncio.to_thread(self._pool.close)
        await super().shutdown(sockets)


class Prompt(H11Protocol):
    """A connection that is closed when a request has not come whole after so many seconds, or none comes at all."""

    seconds = 20.0
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """A part of a request is there."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more."""
        super().connection_lost(exc)
        if self._late:
            self._late.cancel()

    def _watch(self) -> None:
        """Let the clock run while a request comes in; after its answer, `timeout_keep_alive` waits for the next."""
        coming = self.conn.their_state in {h11.IDLE, h11.SEND_BODY}
        if self._late and not coming:
            self._late.cancel()
            self._late = None
        elif coming and not self._late:
            self._late = self.loop.call_later(self.seconds, self.transport.close)


def configured(app: Starlette) -> uvicorn.Config:
    """How the server listens: no log of its own, long heads, nobody who dawdles."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        backlog=BACKLOG,
        http=Prompt,
        h11_max_incomplete_event_size=MOST_HEAD,
    )


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises OSError that says where it could not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small parts at once only where the protocol is named; else a body waits 40 ms behind its head.
    line = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        line.bind((host, port))
    except OSError as error:
        line.close()
        raise OSError(f"port: cannot listen at {host}:{port} ({error.strerror or error})") from None
    return line
