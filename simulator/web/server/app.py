"""The web application: routes, size limits, security headers, the reply cache and the log. Workers do the rest."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from html import escape
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Scope

from simulator.web.messages import EVENTS, TEXT, BadRequest, Job, Reply, Unserved, as_json, event
from simulator.web.server.metrics import TYPE, Metrics
from simulator.web.server.pool import ENDING, WorkerPool
from simulator.web.static_files import AT_ROOT, STATIC, text_of, version_of

MOST_BYTES = 64 * 1024
# Maps of other programs, which are imported, are larger than scenarios and game files.
MAP_BYTES = 4 << 20
# The rest of a body that is too long is read up to here, since browsers show no answer before they have sent it.
MOST_READ = 16 * MOST_BYTES
# Some 25,000 answers: those of the last minutes of a thousand players.
CACHE_BYTES = 128 << 20
# Seconds that a refusal waits for a worker that shows it as a page.
WORDING = 2.0
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
}
# Pages under this path may be shown in a frame of any other page.
EMBED = "/embed/"
EMBEDDED = {name: value for name, value in HEADERS.items() if name != "X-Frame-Options"}
EMBEDDED["Content-Security-Policy"] = HEADERS["Content-Security-Policy"].replace(
    "frame-ancestors 'none'", "frame-ancestors *"
)
# Path, view and methods of all routes that a worker answers; the first match counts.
ROUTES = [
    ("/", "index", "GET"),
    ("/compare", "compare", "GET"),
    ("/plan", "plan", "GET"),
    ("/plan/card.png", "plan-card", "GET"),
    ("/open", "open", "POST"),
    ("/own", "own", "GET POST"),
    ("/own/import", "import", "POST"),
    *(
        (f"/api{version}{path}", view, methods)
        for version in ("/v1", "")  # addresses without a version are those of the first one
        for path, view, methods in (
            ("/games", "api-games", "GET"),
            ("/docs", "docs", "GET"),
            ("/openapi.json", "api-openapi", "GET"),
            ("/card.png", "card", "GET"),
            ("/schema/{game}/{battle}", "api-schema", "GET"),
            ("/names/{game}/{list}", "api-names", "GET"),
            ("/{tool}", "api", "GET POST"),
        )
    ),
    (f"{EMBED}{{game}}/{{battle}}", "embed", "GET"),
    ("/{game}/{battle}", "page", "GET"),
    ("/{game}/{battle}/answer", "answer", "GET"),
    ("/{game}/{battle}/form", "form", "GET"),
    ("/{game}/{battle}/card.png", "card", "GET"),
    ("/{game}/{battle}/{tool}", "tool", "GET POST"),
]
METHODS = {"GET", "HEAD", "POST", "OPTIONS"}
log = logging.getLogger("battle-odds.web")


class ReplyCache:
    """The latest replies, up to a number of bytes; answers never change while the server runs."""

    def __init__(self, most: int) -> None:
        self._most, self.size = most, 0
        self._replies: OrderedDict[Any, Reply] = OrderedDict()

    def get(self, key: Any) -> Reply | None:
        """The reply of a key; None if it is not cached."""
        reply = self._replies.get(key)
        if reply is not None:
            self._replies.move_to_end(key)
        return reply

    def put(self, key: Any, kept: Reply) -> None:
        """Cache a reply unless it is too large; the least recently used ones are removed."""
        size = len(kept.body) + len(str(key))
        if size > self._most // 8 or key in self._replies:
            return
        self._replies[key] = kept
        self.size += size
        while self.size > self._most:
            old, removed = self._replies.popitem(last=False)
            self.size -= len(removed.body) + len(str(old))


def create_app(pool: WorkerPool, allowed_hosts: Sequence[str] = ()) -> Starlette:
    """The application over a pool, which its caller starts and closes.

    `allowed_hosts`: the names under which it may be asked, `*.example.org` for all of a domain; default any.
    """
    site = Site(pool)
    routes = [
        Route("/static/{name}", static, methods=["GET"]),
        *(Route(f"/{name}", at_root, methods=["GET"]) for name in AT_ROOT),
        Route("/healthz", site.health, methods=["GET"]),
        Route("/metrics", site.figures, methods=["GET"]),
        Route("/{game}/{battle}/stream", site.stream, methods=["GET"]),
        *(Route(path, site.view(view), methods=methods.split()) for path, view, methods in ROUTES),
    ]
    middleware = [
        Middleware(CORSMiddleware, allow_origins=["*"], allow_methods=["GET", "POST"], allow_headers=["content-type"])
    ]
    if allowed_hosts:
        middleware.insert(0, Middleware(TrustedHostMiddleware, allowed_hosts=list(allowed_hosts), www_redirect=False))
    app = Starlette(routes=routes, middleware=middleware, exception_handlers={404: _missing, 405: _missing})
    app.state.pool = pool
    return Guard(app, site.metrics)  # type: ignore[return-value]


class Guard:
    """Middleware: adds the security headers, logs and counts each request, refuses addresses that are too long."""

    def __init__(self, app: Starlette, metrics: Metrics) -> None:
        self.app, self._metrics = app, metrics

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
                given = EMBEDDED if scope["path"].startswith(EMBED) else HEADERS
                added = [(name.lower().encode(), value.encode()) for name, value in given.items()]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        if len(scope.get("query_string", b"")) > MOST_BYTES:
            refusal = _refusal(scope, f"scenario: more than {MOST_BYTES // 1024} KB", 414)
            await refusal(scope, receive, guarded)
        else:
            try:
                await self.app(scope, receive, guarded)
            except asyncio.CancelledError:  # the server ends while this client still sends or reads
                if not started:
                    await _unserved(scope, ENDING)(scope, receive, guarded)
        path = getattr(scope.get("route"), "path", "(no such page)")
        seconds = time.perf_counter() - begun
        log.info("%s %s %d %.0f ms", scope["method"], path, status, 1000 * seconds)
        method = scope["method"] if scope["method"] in METHODS else "other"
        self._metrics.note(method, path, status, seconds)


class Site:
    """The application's routes over a pool of workers."""

    def __init__(self, pool: WorkerPool) -> None:
        self.pool, self.cache, self.metrics = pool, ReplyCache(CACHE_BYTES), Metrics()

    def view(self, name: str) -> Callable[[Request], Awaitable[Response]]:
        """A route that a worker answers."""

        async def serve(request: Request) -> Response:
            begun = time.monotonic()
            try:
                job = _job(name, request, await self._body(request, MAP_BYTES if name == "import" else MOST_BYTES))
            except BadRequest as error:
                job = replace(_job(name, request, str(error)), status=error.status)
            except ClientDisconnect:
                return Response(status_code=400)
            key = (name, request.url.path, request.url.query, job.host) if request.method == "GET" else None
            if key and (kept := self.cache.get(key)):
                return _response(kept, request)
            try:
                reply = await self._reply(request, job)
                if reply.lost:
                    left = self.pool.limits.reply - (time.monotonic() - begun)
                    reply = await self._worded(request, job, reply, min(WORDING, left))
            except Unserved as error:
                return _unserved(request.scope, error)
            if key and reply.status == 200:
                self.cache.put(key, reply)
            return _response(reply, request)

        return serve

    async def _body(self, request: Request, most: int) -> str:
        """As `_body`, until the server ends."""
        reading = asyncio.current_task()
        assert reading is not None
        self.pool.reading.add(reading)
        try:
            return await _body(request, most)
        finally:
            self.pool.reading.discard(reading)

    async def _reply(self, request: Request, job: Job, most: float = math.inf) -> Reply:
        """The only reply to a request, which waits at most this many seconds. Raises Unserved."""
        async with aclosing(self._replies(request, job, most)) as replies:
            return await anext(replies)

    async def _worded(self, request: Request, job: Job, lost: Reply, most: float) -> Reply:
        """The refusal of a request whose worker was ended, worded by another worker; one line if none is free.

        It waits for that worker at most `most` seconds.
        """
        refused = replace(job, body=lost.body.decode(), status=lost.status)
        try:
            return await self._reply(request, refused, most)
        except Unserved:
            return lost

    async def _replies(self, request: Request, job: Job, most: float = math.inf) -> AsyncGenerator[Reply, None]:
        """The replies to a request, until its client goes. Raises Unserved."""
        ticket = self.pool.submit(job, request.client.host if request.client else "", most)

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            self.pool.leave(ticket)

        watching, last = asyncio.create_task(watch()), False
        try:
            while not last:
                reply = await ticket.next()
                last = reply.last
                yield reply
        finally:
            watching.cancel()
            if not last:
                self.pool.leave(ticket)

    async def stream(self, request: Request) -> Response:
        """Server-sent events until the simulation ends or its client goes."""
        replies = self._replies(request, _job("stream", request, ""))
        try:
            first = await anext(replies)
        except Unserved as error:
            return _unserved(request.scope, error)
        if first.type != EVENTS:
            return _response(first)

        async def parts() -> AsyncIterator[bytes]:
            yield first.body
            with suppress(Unserved):
                async for reply in replies:
                    refusal = {"html": reply.unpacked().decode(), "ended": "refused"}
                    yield reply.body if reply.type == EVENTS else event(refusal)

        return StreamingResponse(parts(), media_type=EVENTS, headers={"Cache-Control": "no-store"})

    async def health(self, request: Request) -> Response:
        """Health of the server for programs that monitor it: up or not, and the games whose kernels are loaded."""
        up = "failed" if self.pool.refusal else "ok" if self.pool.ready.is_set() else "starting"
        return _response(as_json({"status": up, **self.pool.health}))

    async def figures(self, request: Request) -> Response:
        """Figures for Prometheus."""
        quick, slow = self.pool.schedule.waiting()
        text = self.metrics.text(
            {
                "up": ("1 if the workers are up.", float(self.pool.ready.is_set())),
                "workers": ("Worker processes that are alive.", sum(one is not None for one in self.pool.workers)),
                "waiting_quick": ("Small requests that wait for a worker.", quick),
                "waiting_slow": ("Large requests that wait for a worker.", slow),
                "cache_bytes": ("Bytes of the replies that are kept.", self.cache.size),
            }
        )
        return Response(text, media_type=TYPE, headers={"Cache-Control": "no-store"})


def _job(name: str, request: Request, body: str) -> Job:
    pairs = tuple(request.query_params.multi_items())
    host = f"{request.url.scheme}://{request.url.netloc}"
    return Job(name, {key: str(value) for key, value in request.path_params.items()}, pairs, body, host)


async def _body(request: Request, most: int) -> str:
    """The text of a request's body, of at most this many bytes. Raises BadRequest, ClientDisconnect."""
    if request.method != "POST":
        return ""
    body, size = bytearray(), 0
    async for part in request.stream():
        size += len(part)
        if size <= most:
            body += part
        elif size > max(MOST_READ, 2 * most):
            break
    field = "map" if most > MOST_BYTES else "scenario"
    if size > most:
        raise BadRequest(f"{field}: more than {most // 1024} KB", 413)
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadRequest(f"{field}: the text is not UTF-8", 400) from None


def _response(reply: Reply, request: Request | None = None) -> Response:
    """The response to a request: unpacked if its client cannot do that, without a body if it has it already."""
    body, status, headers = reply.body, reply.status, {"Cache-Control": "no-cache", **reply.headers}
    asked = request.headers if request else Headers()
    if reply.tag:
        headers["ETag"] = reply.tag
    if reply.packed:
        headers["Vary"] = "Accept-Encoding"
    if reply.tag and reply.tag in asked.get("If-None-Match", ""):
        body, status = b"", 304
    elif reply.packed and "gzip" in asked.get("Accept-Encoding", ""):
        headers["Content-Encoding"] = "gzip"
    else:
        body = reply.unpacked()
    return Response(body, status, headers, reply.type)


def _unserved(scope: Scope, error: Unserved) -> Response:
    """The refusal of a request that no worker answers; the client may try again after a second."""
    response = _refusal(scope, str(error), error.status)
    response.headers["Retry-After"] = "1"
    return response


def _refusal(scope: Scope, text: str, status: int) -> Response:
    """A refusal that no worker words: JSON for the API, a page where a browser opens an address, else its text."""
    if scope["path"].startswith("/api/"):
        field = text.partition(":")[0] if text.startswith("scenario:") else None
        return _response(as_json({"error": text, "field": field}, status))
    if "text/html" not in Headers(scope=scope).get("accept", ""):
        return Response(text, status, media_type=TEXT)
    title, reason = ("No such page", "There is no page at this address.") if status == 404 else ("No answer", text)
    page = text_of("refused.html").replace(b"TITLE", title.encode()).replace(b"REASON", escape(reason).encode())
    return _response(Reply(page, status))


async def _missing(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    text = "no such page" if status == 404 else f"{request.method} is not allowed here"
    return _refusal(request.scope, text, status)


async def static(request: Request) -> Response:
    """A script, the style or the icon; no other file. An address with the version of its text (`?v=`) is kept."""
    return _file(request.path_params["name"], request)


async def at_root(request: Request) -> Response:
    """A static file that browsers ask for at the root."""
    return _file(request.url.path.removeprefix("/"), request)


def _file(name: str, request: Request) -> Response:
    if name not in STATIC:
        return _refusal(request.scope, "no such page", 404)
    kept = request.query_params.get("v") == version_of(name)
    age = {"Cache-Control": "public, max-age=31536000, immutable" if kept else "no-cache"}
    return _response(Reply(text_of(name), type=STATIC[name], headers=age).sealed(), request)
