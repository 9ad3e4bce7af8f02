"""Speed and robustness of the web page: `python -m benchmarks.web [--minutes 10]`.

Starts servers on free ports and sends HTTP requests from this process, so the client shares the processors; only
loopback addresses are used. The first table (`--visitors` stops after it, about 40 s) shows that one visitor cannot
delay small requests of others, nor the start or the end of the server. Then: the bytes of the first page; the 50th and
99th percentile of exact answers, 20 requests at once, new and repeated; statuses and memory under a mixed load with
malformed requests.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.served import Client, Served

AT_ONCE = 20
ROUNDS = 20
MALFORMED = 0.05
PAGE = "/risk/land?attacker.regiments=20&defender.regiments=15"


def percentile(times: list[float], share: float) -> float:
    """A percentile in milliseconds."""
    return 1000 * sorted(times)[min(len(times) - 1, int(share * len(times)))]


async def timed(client: Client, path: str) -> float:
    """Send a request; returns its seconds."""
    begun = time.perf_counter()
    status, _ = await client.ask(path)
    assert status == 200, (status, path)
    return time.perf_counter() - begun


async def at_once(clients: list[Client], paths: Iterator[str]) -> list[float]:
    """Seconds of requests that are sent 20 at once, then the next 20."""
    times: list[float] = []
    for _ in range(ROUNDS):
        times += await asyncio.gather(*(timed(client, next(paths)) for client in clients))
    return times


def scenarios(view: str) -> Iterator[str]:
    """Different battles of up to 60 a side."""
    pairs = [(a, d) for a in range(3, 63) for d in range(3, 63)]
    random.Random(0).shuffle(pairs)
    for a, d in pairs:
        yield view.format(f"attacker.regiments={a}&defender.regiments={d}")


async def first_page(client: Client) -> int:
    """Bytes of the first page with its resources."""
    _, page = await client.ask(PAGE)
    parts = set(re.findall(rb'(?:href|src)="(/static/[^"]+)"', page))
    return len(page) + sum([len((await client.ask(part.decode()))[1]) for part in parts])


def processes(root: int) -> list[int]:
    """A process and its descendants."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = [root]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def memory(root: int) -> float:
    """Memory of the server and its workers in megabytes, shared pages counted once (PSS)."""
    total = 0
    for process in processes(root):
        with suppress(OSError, TypeError):
            total += int(re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text(), re.M)[1])  # type: ignore[index]
    return total / 1024


def cpu_seconds(root: int) -> float:
    """Processor seconds that the server and its workers have used."""
    ticks = 0
    for process in processes(root):
        with suppress(OSError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def mixed(dice: random.Random, links: list[str]) -> tuple[str, bytes | None]:
    """A random request of a group of players, sometimes a malformed one."""
    if dice.random() < MALFORMED:
        return dice.choice(
            [
                ("/risk/land?attacker.regiments=" + "9" * dice.randrange(1, 5000), None),
                (f"/risk/land/answer?attacker.regiments={dice.randrange(-9, 1)}&{dice.random()}=x", None),
                ("/api/odds", b'{"game": "risk", "battle": ' + b"[" * dice.randrange(1, 2000)),
                ("/api/odds", os.urandom(200)),
                ("/api/sweep?game=risk&battle=land&with.vary=%00", None),
                (f"/{dice.random()}/land", None),
                ("/open", b"scenario=game = '/etc/passwd'"),
            ]
        )
    battle = f"attacker.regiments={dice.randrange(1, 80)}&defender.regiments={dice.randrange(1, 80)}"
    path = dice.choice(
        [
            *[f"/risk/land/answer?{battle}"] * 10,
            *[dice.choice(links)] * 4,
            f"/api/odds?game=risk&battle=land&{battle}",
            f"/risk/land/need?{battle}&with.path1=attacker.regiments&with.part=1",
            f"/risk/land/sweep?{battle}&with.path1=attacker.regiments&with.part=1",
            f"/risk/land/replay?{battle}&with.seed={dice.randrange(1000)}",
            f"/risk/land/stream?{battle}",
            "/",
        ]
    )
    return path, None


async def load(
    port: int, seconds: float, links: list[str], statuses: Counter[int], root: int, rate: float
) -> list[float]:
    """Mixed requests of 20 players at `rate` a second; returns the memory after each tenth of the time."""
    end, pause = time.monotonic() + seconds, 2 * AT_ONCE / rate

    async def player(number: int) -> None:
        dice, client = random.Random(number), Client(port)
        while time.monotonic() < end:
            try:
                status, _ = await client.ask(*mixed(dice, links))
            except (OSError, EOFError, asyncio.IncompleteReadError):
                status, client = 0, Client(port)
            statuses[status] += 1
            await asyncio.sleep(dice.random() * pause)

    held = []

    async def watch() -> None:
        for _ in range(10):
            await asyncio.sleep(seconds / 10)
            held.append(memory(root))

    await asyncio.gather(watch(), *(player(n) for n in range(AT_ONCE)))
    return held


# --- one visitor and the others -------------------------------------------------------------------------------------

SMALL = "/risk/land/answer?attacker.regiments={}&defender.regiments=9"
SWEEP = (
    "/api/sweep?game=europa&battle=land&attacker.land_detachments=9&defender.land_detachments=9"
    "&attacker.artillery_value={}&with.vary=attacker.land_detachments%3D1:20&with.vary=defender.land_detachments%3D1:20"
)
ABORTED, LOOPING, LOOP_SECONDS = 64, 8, 15.0
BOXES = {"/own": b"game=unit.x = 4711", "/open": b"scenario=game = 'x4711'", "/compare?with.s=x4711&with.s=y": None}


async def starting() -> list[tuple[str, str]]:
    """Seconds until a server listens, and until it answers, with nothing compiled."""
    with tempfile.TemporaryDirectory() as cache:
        server = Served(cache)
        health = await server.health()
        listening = time.monotonic() - server.begun
        while (await Client(server.port).ask(SMALL.format(5)))[0] != 200:
            await asyncio.sleep(0.05)
        answering = time.monotonic() - server.begun
        server.end()
    shown = f"{listening:.2f} s, first answer after {answering:.2f} s; /healthz: {json.dumps(health)}"
    return [("listening on an empty cache", shown)]


async def aborted(port: int) -> list[tuple[str, str]]:
    """Seconds of a small request after 64 large ones whose connections were closed."""
    lines = [await asyncio.open_connection("127.0.0.1", port) for _ in range(ABORTED)]
    for number, (_, writer) in enumerate(lines):
        size = 5000 + 95_000 * number // ABORTED
        path = f"/risk/land/answer?attacker.regiments={size}&defender.regiments={size}"
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    await asyncio.sleep(0.5)
    for _, writer in lines:
        writer.transport.abort()
    seconds = await timed(Client(port), SMALL.format(11))
    return [(f"small answer after {ABORTED} aborted large ones", f"{seconds:.3f} s")]


async def looping(port: int) -> list[tuple[str, str]]:
    """Seconds of small requests while 8 clients at other addresses repeat large sweeps."""
    end, swept = time.monotonic() + LOOP_SECONDS, Counter[int]()

    async def client(number: int) -> None:
        one = Client(port, f"127.0.0.{number + 2}" if sys.platform == "linux" else None)
        dice = random.Random(number)
        while time.monotonic() < end:
            swept[(await one.ask(SWEEP.format(dice.randrange(9)) + f"&with.seed={dice.random()}"))[0]] += 1

    async def player() -> list[float]:
        times: list[float] = []
        one, paths = Client(port), scenarios("/risk/land/answer?{}")
        while time.monotonic() < end:
            times.append(await timed(one, next(paths)))
            await asyncio.sleep(0.05)
        return times

    times, *_ = await asyncio.gather(player(), *(client(number) for number in range(LOOPING)))
    shown = (
        f"p50 {percentile(times, 0.5):.0f} ms, p95 {percentile(times, 0.95):.0f} ms, slowest {1000 * max(times):.0f} ms"
    )
    return [
        (
            f"small answers while {LOOPING} clients repeat sweeps",
            f"{shown} ({len(times)} requests; sweeps {dict(swept)})",
        )
    ]


async def ending(server: Served) -> list[tuple[str, str]]:
    """Statuses and log lines of the requests in progress when the server is ended."""
    path = SWEEP.format(0).replace("/api/sweep?game=europa&battle=land&", "/europa/land/sweep?")
    asked = [asyncio.create_task(Client(server.port).ask(f"{path}&with.seed={n}")) for n in range(LOOPING)]
    await asyncio.sleep(0.5)
    server.process.terminate()
    begun = time.monotonic()
    replies = await asyncio.gather(*asked, return_exceptions=True)
    await asyncio.to_thread(server.process.wait, 20)
    took, log = time.monotonic() - begun, server.end()
    statuses = Counter(one[0] if isinstance(one, tuple) else type(one).__name__ for one in replies)
    lines = sum("{tool} 503 " in line for line in log.splitlines())
    shown = f"statuses {dict(statuses)}, {lines} log lines with 503, {log.count('Traceback')} tracebacks, {took:.1f} s"
    return [(f"SIGTERM while {LOOPING} requests are in progress", shown)]


async def mistakes(port: int) -> list[tuple[str, str]]:
    """Does a reply to a mistake show the page with the text in its box?"""
    found = []
    for path, body in BOXES.items():
        status, page = await Client(port).ask(path, body)
        whole = status == 422 and all(part in page for part in (b"<html", b"<form", b'class="complaint"', b"4711"))
        found.append(f"{path.partition('?')[0]} {'yes' if whole else 'no'}")
    return [("mistakes get the page with the text", ", ".join(found))]


async def visitors() -> None:
    """Print the table of one visitor and the others."""
    rows = await starting()
    server = Served()
    try:
        await server.kernels()
        rows += await aborted(server.port)
        rows += await looping(server.port)
        rows += await mistakes(server.port)
        rows += await ending(server)
    finally:
        server.process.kill()
    width = max(len(name) for name, _ in rows)
    print("\n".join(f"{name:{width}}  {shown}" for name, shown in rows), flush=True)


# --- speed and memory -----------------------------------------------------------------------------------------------


async def measure(port: int, root: int, minutes: float, rate: float) -> None:
    """All figures."""
    clients = [Client(port) for _ in range(AT_ONCE)]
    print(f"first page with its resources: {await first_page(clients[0]) / 1000:.0f} KB")
    for name, view in (("JSON", "/api/odds?game=risk&battle=land&with.table=0&{}"), ("page's", "/risk/land/answer?{}")):
        for repeated in ("new", "repeated"):
            before = cpu_seconds(root)
            times = await at_once(clients, scenarios(view))
            shown = f"p50 {percentile(times, 0.5):.1f} ms, p99 {percentile(times, 0.99):.1f} ms"
            shown += f", {1000 * (cpu_seconds(root) - before) / len(times):.1f} ms of processor time each"
            print(f"{name} answer, exact, {AT_ONCE} at once, {repeated}: {shown}", flush=True)
    _, games = await clients[0].ask("/api/games")
    links = [one for one in re.findall(r'"address": "(/[^"]*\?[^"]*)"', games.decode()) if urlsplit(one).query]
    if minutes:
        before, statuses, used = memory(root), Counter[int](), cpu_seconds(root)
        held = await load(port, 60 * minutes, links, statuses, root, rate)
        lost = {status: count for status, count in statuses.items() if status == 0 or (status >= 500 and status != 503)}
        print(f"mixed load of {minutes:g} min: {dict(sorted(statuses.items()))}; lost or failed: {lost or 'none'}")
        print(f"{1000 * (cpu_seconds(root) - used) / statuses.total():.0f} ms of processor time each")
        print(f"memory: {before:.0f} MB before, then {', '.join(f'{one:.0f}' for one in held)} MB")


async def speed(minutes: float, rate: float) -> None:
    """Start a server, measure its speed, end it."""
    server = Served()
    try:
        await server.kernels()
        root = server.process.pid
        seconds = time.monotonic() - server.begun
        print(f"all kernels after {seconds:.0f} s, {cpu_seconds(root):.0f} s of processor time", flush=True)
        await measure(server.port, root, minutes, rate)
    finally:
        server.end()


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=0.5, help="how long the mixed load lasts")
    parser.add_argument("--rate", type=float, default=100, help="requests a second of the mixed load")
    parser.add_argument("--visitors", action="store_true", help="the table only")
    given = parser.parse_args()
    asyncio.run(visitors())
    if not given.visitors:
        asyncio.run(speed(given.minutes, given.rate))


if __name__ == "__main__":
    main()
