"""The server: routes, sizes, headers, what is kept, the log. Everything that takes thought is done by the workers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from simulator.web.messages import EVENTS, TEXT, Asked, Reply, Unserved, as_json, event
from simulator.web.pool import ENDING, Pool

MOST_BYTES = 64 * 1024
KEPT_BYTES = 32 << 20
STATIC = {
    "style.css": "text/css; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
}
log = logging.getLogger("battle-odds.web")


class Kept:
    """Replies that were given before, the newest within so many bytes; answers never change while the server runs."""

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._replies: OrderedDict[Any, Reply] = OrderedDict()

    def get(self, key: Any) -> Reply | None:
        """A reply that is kept."""
        found = self._replies.get(key)
        if found is not None:
            self._replies.move_to_end(key)
        return found

    def put(self, key: Any, reply: Reply) -> None:
        """Keep a reply; the oldest go."""
        size = len(reply.body) + len(str(key))
        if reply.status != 200 or size > self._most // 8 or key in self._replies:
            return
        self._replies[key] = reply
        self._size += size
        while self._size > self._most:
            old, gone = self._replies.popitem(last=False)
            self._size -= len(gone.body) + len(str(old))


def create_app(pool: Pool) -> Starlette:
    """The server over these workers, which are started and ended elsewhere."""
    site = Site(pool)
    one = ["GET"]
    routes = [
        Route("/", site.view("index"), methods=one),
        Route("/static/{name}", static, methods=one),
        Route("/healthz", site.health, methods=one),
        Route("/compare", site.view("compare"), methods=one),
        Route("/open", site.view("open"), methods=["POST"]),
        Route("/own", site.view("own"), methods=["GET", "POST"]),
        Route("/api/odds", site.view("api-odds"), methods=["GET", "POST"]),
        Route("/api/sweep", site.view("api-sweep"), methods=["GET", "POST"]),
        Route("/api/games", site.view("api-games"), methods=one),
        Route("/api/docs", site.view("docs"), methods=one),
        Route("/api/schema/{game}/{battle}", site.view("api-schema"), methods=one),
        Route("/api/names/{game}/{list}", site.view("api-names"), methods=one),
        Route("/{game}/{battle}", site.view("page"), methods=one),
        Route("/{game}/{battle}/answer", site.view("answer"), methods=one),
        Route("/{game}/{battle}/form", site.view("form"), methods=one),
        Route("/{game}/{battle}/stream", site.stream, methods=one),
        Route("/{game}/{battle}/{tool}", site.view("tool"), methods=["GET", "POST"]),
    ]

    app = Starlette(routes=routes, exception_handlers={404: _missing, 405: _missing})
    app.state.pool = pool
    return Guard(app)  # type: ignore[return-value]


class Guard:
    """Around the application: the headers of safety, one line of the log a request, and no request that is too long."""

    def __init__(self, app: Starlette) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status, started = time.perf_counter(), 500, False

        async def guarded(message: Any) -> None:
            nonlocal status, started
            if message["type"] == "http.response.start":
                status, started = message["status"], True
                message["headers"] = [
                    *message["headers"],
                    *((k.lower().encode(), v.encode()) for k, v in HEADERS.items()),
                ]
            await send(message)

        if len(scope.get("query_string", b"")) > MOST_BYTES:
            refusal = _refusal(scope["path"], f"scenario: more than {MOST_BYTES // 1024} KB", 414)
            await refusal(scope, receive, guarded)
        else:
            try:
                await self.app(scope, receive, guarded)
            except asyncio.CancelledError:  # the server ends, and this client still sends or reads
                if not started:
                    await busy(scope["path"], ENDING)(scope, receive, guarded)
        route = scope.get("route")
        place = getattr(route, "path", "(no such page)")
        log.info("%s %s %d %.0f ms", scope["method"], place, status, 1000 * (time.perf_counter() - begun))


class Site:
    """The application's routes over a pool of workers."""

    def __init__(self, pool: Pool) -> None:
        self.pool, self.kept = pool, Kept(KEPT_BYTES)

    def view(self, name: str) -> Callable[[Request], Awaitable[Response]]:
        """A route that a worker answers."""

        async def serve(request: Request) -> Response:
            body = await _body(request)
            if isinstance(body, Response):
                return body
            asked = _asked(name, request, body)
            key = (name, request.url.path, request.url.query, asked.host) if request.method == "GET" else None
            reply = self.kept.get(key) if key else None
            try:
                if reply is None:
                    reply = await self._reply(request, asked)
                    if reply.lost:  # the worker could not even say so
                        names = {**asked.names, "view": name}
                        asked = replace(asked, view="refusal", names=names, body=reply.body.decode())
                        reply = await self._reply(request, asked)
                    if key:
                        self.kept.put(key, reply)
            except Unserved as error:
                return busy(request.url.path, error)
            return _response(reply)

        return serve

    async def _reply(self, request: Request, asked: Asked) -> Reply:
        """The one reply to a request. Raises Unserved."""
        async with aclosing(self._replies(request, asked)) as replies:
            return await anext(replies)

    async def _replies(self, request: Request, asked: Asked) -> AsyncGenerator[Reply, None]:
        """The replies to a request, for as long as its client is there. Raises Unserved."""
        ticket = self.pool.submit(asked, request.client.host if request.client else "")

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            self.pool.leave(ticket)

        watching = asyncio.create_task(watch())
        try:
            last = False
            while not last:
                reply = await ticket.next()
                last = reply.last
                yield reply
        finally:
            watching.cancel()
            self.pool.leave(ticket)

    async def stream(self, request: Request) -> Response:
        """Server-sent events until the simulation is done, or its client is gone."""
        replies = self._replies(request, _asked("stream", request, ""))
        try:
            first = await anext(replies)
        except Unserved as error:
            return busy(request.url.path, error)
        if first.type != EVENTS:
            return _response(first)

        async def parts() -> AsyncIterator[bytes]:
            yield first.body
            with suppress(Unserved):
                async for reply in replies:
                    told = {"html": reply.body.decode(), "ended": "refused"}
                    yield reply.body if reply.type == EVENTS else event(told)

        return StreamingResponse(parts(), media_type=EVENTS, headers={"Cache-Control": "no-store"})

    async def health(self, request: Request) -> Response:
        """Whether the server is up, and the kernels of which games it has loaded: for programs that watch it."""
        up = "ok" if self.pool.ready.is_set() else "starting"
        return _response(as_json({"status": up, **self.pool.health}))


def _asked(name: str, request: Request, body: str) -> Asked:
    pairs = tuple(request.query_params.multi_items())
    host = f"{request.url.scheme}://{request.url.netloc}"
    return Asked(name, {key: str(value) for key, value in request.path_params.items()}, pairs, body, host)


async def _body(request: Request) -> str | Response:
    """The text of a request's body, or the refusal of one that is too long or no text."""
    if request.method != "POST":
        return ""
    found = bytearray()
    try:
        async for part in request.stream():
            found += part
            if len(found) > MOST_BYTES:
                return _refusal(request.url.path, f"scenario: more than {MOST_BYTES // 1024} KB", 413)
        return found.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _refusal(request.url.path, "scenario: it is no text in UTF-8", 400)
    except ClientDisconnect:
        return Response(status_code=400)


def _response(reply: Reply) -> Response:
    headers = {"Cache-Control": "no-cache", **reply.headers}
    return Response(reply.body, reply.status, headers, reply.type)


def busy(path: str, error: Unserved) -> Response:
    """The line about a request that no worker answers; it may come again in a second."""
    found = _refusal(path, str(error), error.status)
    found.headers["Retry-After"] = "1"
    return found


def _refusal(path: str, text: str, status: int) -> Response:
    if path.startswith("/api/"):
        field = text.partition(":")[0] if text.startswith("scenario:") else None
        return _response(as_json({"error": text, "field": field}, status))
    return Response(text, status, media_type=TEXT)


async def _missing(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    text = "no such page" if status == 404 else f"{request.method} is not allowed here"
    return _refusal(request.url.path, text, status)


async def static(request: Request) -> Response:
    """The script, the style, the icon: nothing but these."""
    name = request.path_params["name"]
    if name not in STATIC:
        return _refusal(request.url.path, "no such page", 404)
    text = (resources.files("simulator.web") / "static" / name).read_bytes()
    return Response(text, media_type=STATIC[name], headers={"Cache-Control": "public, max-age=3600"})
