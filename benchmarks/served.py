"""A server of the page in a process of its own, and a client of it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from typing import Any


class Client:
    """A persistent connection; `headers`: further lines of the head of each request."""

    def __init__(self, port: int, address: str | None = None, headers: str = "") -> None:
        self.port, self.address, self.headers = port, address, headers
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Status and body of a request; a connection that the server has closed is opened again."""
        used = self.writer is not None
        try:
            return await self._ask(path, body)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.writer = None
            if not used:
                raise
            return await self._ask(path, body)

    async def _ask(self, path: str, body: bytes | None) -> tuple[int, bytes]:
        if self.writer is None:
            own = (self.address, 0) if self.address else None
            self.reader, self.writer = await asyncio.open_connection(
                "127.0.0.1", self.port, limit=1 << 20, local_addr=own
            )
        assert self.reader is not None
        method = "GET" if body is None else "POST"
        length = "" if body is None else f"Content-Length: {len(body)}\r\n"
        headers = f"Host: localhost\r\n{self.headers}{length}"
        self.writer.write(f"{method} {path} HTTP/1.1\r\n{headers}\r\n".encode() + (body or b""))
        head = await self.reader.readuntil(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        size = re.search(rb"content-length: (\d+)", head.lower())
        found = await self.reader.readexactly(int(size[1])) if size else await self._chunks()
        if b"connection: close" in head.lower():
            self.writer.close()
            self.writer = None
        return status, found

    async def _chunks(self) -> bytes:
        assert self.reader is not None
        found = b""
        while size := int(await self.reader.readuntil(b"\r\n"), 16):
            found += (await self.reader.readexactly(size + 2))[:-2]
        await self.reader.readexactly(2)
        return found


class Served:
    """A server process; its log is read after its end."""

    def __init__(self, cache: str | None = None, workers: int | None = None) -> None:
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115
        command = [sys.executable, "-m", "simulator", "web", "--port", "0"]
        command += ["--workers", str(workers)] if workers else []
        environment = os.environ | ({"BATTLE_ODDS_CACHE": cache} if cache else {})
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self._log, text=True, env=environment, start_new_session=True
        )
        assert self.process.stdout is not None
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline())[1])  # type: ignore[index]

    async def health(self) -> Any:
        """The health that the server reports."""
        return json.loads((await Client(self.port).ask("/healthz"))[1])

    async def kernels(self, seconds: float = 300) -> None:
        """Wait until all kernels are loaded."""
        end = time.monotonic() + seconds
        while (await self.health())["kernels"] != "ready" and time.monotonic() < end:
            await asyncio.sleep(0.5)

    def end(self) -> str:
        """End the server; its log."""
        self.process.terminate()
        self.process.wait(20)
        self._log.seek(0)
        return self._log.read()
