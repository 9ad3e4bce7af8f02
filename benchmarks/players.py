"""The number of players that a server answers: `python -m benchmarks.players [--players 5 40 100] [--seconds 20]`.

A closed loop: each player changes one number of a set-up, waits for the answer as the page's script does, thinks for a
random time (exponential, 1.5 s on average) and changes the next one. 60 % play Risk, 30 % Axis & Allies 1942, 10 %
another game. A player who gets 503 thinks and goes on. Clients and server share this machine; only loopback addresses
are used, one for each player. Printed for each number of players: answers a second, the 50th and 95th percentile of the
time until a reply, the share of 503, the processor time of the server for each answer and of this program, the share of
set-ups that were asked before in this run, whose answers the server may have kept, the 95th percentile of each 5 s, and
other statuses. With `--fresh` the first players begin when the server listens, before its workers are up.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import urlencode

from benchmarks.served import Client, Served
from benchmarks.web import cpu_seconds, percentile

THINKING = 1.5
PLAYERS = (5, 40, 100, 300, 1000)
# Requests of the first seconds are answered but not counted: connections are made and kernels are loaded then.
SETTLING = 3.0
SLICE = 5.0
# Of each game: its share of the players, and the fields that they change with the largest number of each.
GAMES = {
    "/risk/land": (0.6, {"attacker.regiments": 80, "defender.regiments": 80}),
    "/axis-and-allies-1942/land": (
        0.3,
        {
            **{f"attacker.{unit}": most for unit, most in (("infantry", 10), ("tank", 6), ("fighter", 3))},
            **{f"defender.{unit}": most for unit, most in (("infantry", 10), ("tank", 4), ("fighter", 2))},
        },
    ),
    "/price-of-power/land": (
        0.05,
        {**{f"{side}.{unit}": 5 for side in ("attacker", "defender") for unit in ("infantry", "cavalry")}},
    ),
    "/skirmish/field": (0.05, {"attacker.archers": 6, "defender.archers": 6}),
}


@dataclass
class Measured:
    """Statuses of the replies of one run, when each was asked for and its seconds; the paths, and how many again."""

    statuses: Counter[int] = field(default_factory=Counter)
    replies: list[tuple[float, float]] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    repeated: int = 0

    def percentile(self, share: float, begin: float = 0, end: float = math.inf) -> float:
        """A percentile of the milliseconds of the replies that were asked for in this time; nan without any."""
        seconds = [each for asked, each in self.replies if begin <= asked < end]
        return percentile(seconds, share) if seconds else math.nan


class Player:
    """One player with a set-up of a game, who changes one number at a time."""

    def __init__(self, number: int, seed: int, port: int) -> None:
        self._dice = random.Random(seed)
        self._client = Client(port, f"127.1.{number // 250}.{number % 250 + 1}", "Accept-Encoding: gzip\r\n")
        shares = [share for share, _ in GAMES.values()]
        self._page = self._dice.choices(list(GAMES), shares)[0]
        self._most = GAMES[self._page][1]
        self._set_up = {name: self._dice.randint(1, most) for name, most in self._most.items()}

    def path(self) -> str:
        """The request after one number was changed."""
        name = self._dice.choice(list(self._most))
        self._set_up[name] = self._dice.randint(1, self._most[name])
        return f"{self._page}/answer?{urlencode(self._set_up)}&with.live=1"

    async def play(self, begin: float, end: float, measured: Measured) -> None:
        """Ask and think until the end; replies to requests from `begin` on are counted."""
        while (asked := await self._thought()) < end:
            path = self.path()
            status, _ = await self._client.ask(path)
            again = path in measured.asked
            measured.asked.add(path)
            if asked >= begin:
                measured.repeated += again
                measured.statuses[status] += 1
                measured.replies.append((asked, time.monotonic() - asked))

    async def _thought(self) -> float:
        await asyncio.sleep(self._dice.expovariate(1 / THINKING))
        return time.monotonic()


async def measure(server: Served, players: int, seconds: float, settling: float = SETTLING) -> str:
    """One row of the table."""
    measured, now = Measured(), time.monotonic()
    begin, end = now + settling, now + settling + seconds
    used = own = 0.0

    async def start_clock() -> None:
        nonlocal used, own
        await asyncio.sleep(settling)
        used, own = cpu_seconds(server.process.pid), time.process_time()

    # Other set-ups than those of the run before.
    each = [Player(number, number + 1000 * players, server.port) for number in range(players)]
    await asyncio.gather(start_clock(), *(player.play(begin, end, measured) for player in each))
    used, own = cpu_seconds(server.process.pid) - used, time.process_time() - own
    replies, refused = measured.statuses.total(), measured.statuses[503]
    answered = max(1, replies - refused)
    others = {status: count for status, count in measured.statuses.items() if status not in {200, 503}}
    p50, p95 = (measured.percentile(share) for share in (0.5, 0.95))
    slices = [begin + SLICE * place for place in range(math.ceil(seconds / SLICE))]
    each_slice = " ".join(f"{measured.percentile(0.95, first, first + SLICE):.0f}" for first in slices)
    again = measured.repeated / replies
    return (
        f"{players:7} {answered / seconds:10.0f} {p50:7.0f} {p95:8.0f} {refused / replies:7.1%} "
        f"{1000 * used / answered:10.1f} {1000 * own / answered:10.1f} {again:9.0%}  {each_slice}  {others or ''}"
    )


async def table(numbers: list[int], seconds: float, workers: int | None, fresh: bool) -> None:
    """Print a row for each number of players."""
    server = Served(workers=workers)
    try:
        if not fresh:
            await server.kernels()
        print(
            "players  answers/s  p50 ms   p95 ms     503  server ms  client ms  repeated  p95 each 5 s, other statuses"
        )
        for players in numbers:
            print(await measure(server, players, seconds, 0 if fresh else SETTLING), flush=True)
    finally:
        server.end()


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, nargs="+", default=PLAYERS, help="numbers of players, a row for each")
    parser.add_argument("--seconds", type=float, default=20, help="how long each number plays")
    parser.add_argument("--workers", type=int, help="as of `battle-odds web`")
    parser.add_argument("--fresh", action="store_true", help="do not wait until all kernels are loaded")
    given = parser.parse_args()
    asyncio.run(table(list(given.players), given.seconds, given.workers, given.fresh))


if __name__ == "__main__":
    main()
