"""The web application: routes, size limits, security headers, the reply cache and the log. Workers do the rest."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from simulator.web.messages import EVENTS, TEXT, BadRequest, Job, Reply, Unserved, as_json, event
from simulator.web.server.pool import ENDING, Pool
from simulator.web.static_files import AT_ROOT, STATIC, text_of, version_of

MOST_BYTES = 64 * 1024
# The rest of a body that is too long is read up to here, since browsers show no answer before they have sent it.
MOST_READ = 16 * MOST_BYTES
CACHE_BYTES = 32 << 20
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
    ("/open", "open", "POST"),
    ("/own", "own", "GET POST"),
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
log = logging.getLogger("battle-odds.web")


class ReplyCache:
    """The latest replies, up to a number of bytes; answers never change while the server runs."""

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._replies: OrderedDict[Any, Reply] = OrderedDict()

    def get(self, key: Any) -> Reply | None:
        """The reply of a key; None if it is not cached."""
        reply = self._replies.get(key)
        if reply is not None:
            self._replies.move_to_end(key)
        return reply

    def put(self, key: Any, reply: Reply) -> None:
        """Cache a reply unless it is a refusal or too large; the least recently used ones are removed."""
        size = len(reply.body) + len(str(key))
        if reply.status != 200 or size > self._most // 8 or key in self._replies:
            return
        self._replies[key] = reply
        self._size += size
        while self._size > self._most:
            old, removed = self._replies.popitem(last=False)
            self._size -= len(removed.body) + len(str(old))


def create_app(pool: Pool, allowed_hosts: Sequence[str] = ()) -> Starlette:
    """The application over a pool, which its caller starts and closes.

    `allowed_hosts`: the names under which it may be asked, `*.example.org` for all of a domain; default any.
    """
    site = Site(pool)
    routes = [
        Route("/static/{name}", static, methods=["GET"]),
        *(Route(f"/{name}", at_root, methods=["GET"]) for name in AT_ROOT),
        Route("/healthz", site.health, methods=["GET"]),
        Route("/{game}/{battle}/stream", site.stream, methods=["GET"]),
        *(Route(path, site.view(view), methods=methods.split()) for path, view, methods in ROUTES),
    ]
    middleware = [
        Middleware(CORSMiddleware, allow_origins=["*"], allow_methods=["GET", "POST"], allow_headers=["content-type"]),
        Middleware(GZipMiddleware, minimum_size=1024),
    ]
    if allowed_hosts:
        middleware.insert(0, Middleware(TrustedHostMiddleware, allowed_hosts=list(allowed_hosts), www_redirect=False))
    app = Starlette(routes=routes, middleware=middleware, exception_handlers={404: _missing, 405: _missing})
    app.state.pool = pool
    return Guard(app)  # type: ignore[return-value]


class Guard:
    """Middleware: adds the security headers, logs one line a request, refuses addresses that are too long."""

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
                given = EMBEDDED if scope["path"].startswith(EMBED) else HEADERS
                added = [(name.lower().encode(), value.encode()) for name, value in given.items()]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        if len(scope.get("query_string", b"")) > MOST_BYTES:
            refusal = _refusal(scope["path"], f"scenario: more than {MOST_BYTES // 1024} KB", 414)
            await refusal(scope, receive, guarded)
        else:
            try:
                await self.app(scope, receive, guarded)
            except asyncio.CancelledError:  # the server ends while this client still sends or reads
                if not started:
                    await _unserved(scope["path"], ENDING)(scope, receive, guarded)
        path = getattr(scope.get("route"), "path", "(no such page)")
        log.info("%s %s %d %.0f ms", scope["method"], path, status, 1000 * (time.perf_counter() - begun))


class Site:
    """The application's routes over a pool of workers."""

    def __init__(self, pool: Pool) -> None:
        self.pool, self.cache = pool, ReplyCache(CACHE_BYTES)

    def view(self, name: str) -> Callable[[Request], Awaitable[Response]]:
        """A route that a worker answers."""

        async def serve(request: Request) -> Response:
            try:
                job = _job(name, request, await _body(request))
            except BadRequest as error:
                job = replace(_job(name, request, str(error)), status=error.status)
            except ClientDisconnect:
                return Response(status_code=400)
            key = (name, request.url.path, request.url.query, job.host) if request.method == "GET" else None
            reply = self.cache.get(key) if key else None
            try:
                if reply is None:
                    reply = await self._reply(request, job)
                    if reply.lost:  # another worker words the refusal
                        refused = replace(job, body=reply.body.decode(), status=reply.status)
                        reply = await self._reply(request, refused)
                    if key:
                        self.cache.put(key, reply)
            except Unserved as error:
                return _unserved(request.url.path, error)
            return _response(reply, request)

        return serve

    async def _reply(self, request: Request, job: Job) -> Reply:
        """The only reply to a request. Raises Unserved."""
        async with aclosing(self._replies(request, job)) as replies:
            return await anext(replies)

    async def _replies(self, request: Request, job: Job) -> AsyncGenerator[Reply, None]:
        """The replies to a request, until its client goes. Raises Unserved."""
        ticket = self.pool.submit(job, request.client.host if request.client else "")

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
        """Server-sent events until the simulation ends or its client goes."""
        replies = self._replies(request, _job("stream", request, ""))
        try:
            first = await anext(replies)
        except Unserved as error:
            return _unserved(request.url.path, error)
        if first.type != EVENTS:
            return _response(first)

        async def parts() -> AsyncIterator[bytes]:
            yield first.body
            with suppress(Unserved):
                async for reply in replies:
                    refusal = {"html": reply.body.decode(), "ended": "refused"}
                    yield reply.body if reply.type == EVENTS else event(refusal)

        return StreamingResponse(parts(), media_type=EVENTS, headers={"Cache-Control": "no-store"})

    async def health(self, request: Request) -> Response:
        """Health of the server for programs that monitor it: up or not, and the games whose kernels are loaded."""
        up = "ok" if self.pool.ready.is_set() else "starting"
        return _response(as_json({"status": up, **self.pool.health}))


def _job(name: str, request: Request, body: str) -> Job:
    pairs = tuple(request.query_params.multi_items())
    host = f"{request.url.scheme}://{request.url.netloc}"
    return Job(name, {key: str(value) for key, value in request.path_params.items()}, pairs, body, host)


async def _body(request: Request) -> str:
    """The text of a request's body. Raises BadRequest, ClientDisconnect."""
    if request.method != "POST":
        return ""
    body, size = bytearray(), 0
    async for part in request.stream():
        size += len(part)
        if size <= MOST_BYTES:
            body += part
        elif size > MOST_READ:
            break
    if size > MOST_BYTES:
        raise BadRequest(f"scenario: more than {MOST_BYTES // 1024} KB", 413)
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadRequest("scenario: the text is not UTF-8", 400) from None


def _response(reply: Reply, request: Request | None = None) -> Response:
    """A reply with its entity tag; without a body if the client has it already."""
    headers = {"Cache-Control": "no-cache", **reply.headers}
    if request is not None and request.method == "GET" and reply.status == 200:
        # Weak, since the same body may be sent compressed.
        headers["ETag"] = tag = f'W/"{hashlib.sha256(reply.body).hexdigest()[:16]}"'
        if tag in request.headers.get("If-None-Match", ""):
            return Response(status_code=304, headers=headers)
    return Response(reply.body, reply.status, headers, reply.type)


def _unserved(path: str, error: Unserved) -> Response:
    """The refusal of a request that no worker answers; the client may try again after a second."""
    response = _refusal(path, str(error), error.status)
    response.headers["Retry-After"] = "1"
    return response


def _refusal(path: str, text: str, status: int) -> Response:
    if path.startswith("/api/"):
        field = text.partition(":")[0] if text.startswith("scenario:") else None
        return _response(as_json({"error": text, "field": field}, status))
    return Response(text, status, media_type=TEXT)


async def _missing(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    if status == 404 and "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/"):
        return _response(Reply(text_of("missing.html"), 404))
    text = "no such page" if status == 404 else f"{request.method} is not allowed here"
    return _refusal(request.url.path, text, status)


async def static(request: Request) -> Response:
    """A script, the style or the icon; no other file. An address with the version of its text (`?v=`) is kept."""
    return _file(request.path_params["name"], request)


async def at_root(request: Request) -> Response:
    """A static file that browsers ask for at the root."""
    return _file(request.url.path.removeprefix("/"), request)


def _file(name: str, request: Request) -> Response:
    if name not in STATIC:
        return _refusal(request.url.path, "no such page", 404)
    kept = request.query_params.get("v") == version_of(name)
    age = {"Cache-Control": "public, max-age=31536000, immutable" if kept else "no-cache"}
    return _response(Reply(text_of(name), type=STATIC[name], headers=age), request)
