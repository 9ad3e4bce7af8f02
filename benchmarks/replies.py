"""Processor time of a server for a reply to a key: `python -m benchmarks.replies [--set-ups 200]`.

One request after the other, as the page sends them while somebody types, each about a new set-up, to a server with one
worker that has all kernels. Printed for each game: milliseconds of the process of the server, of its worker, and of
both. Needs /proc.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.served import Client, Served
from benchmarks.web import processes

SETTLING = 30
ISLANDS = {"country": "england", "technology": "manoeuvre", "leader": "Marlborough"}
FRANCE = {"country": "france", "technology": "baroque", "leader": "Villars"}
ATTACKERS = {"infantry": 10, "artillery": 4, "tank": 6, "fighter": 3, "bomber": 2}
DEFENDERS = {"infantry": 10, "tank": 4, "fighter": 2}
FLEETS = {
    "attacker": {"flagship": 1, "dreadnought": 1, "cruiser": 1, "fighter": 2},
    "defender": {"flagship": 1, "cruiser": 2, "fighter": 3},
}
# For each page the fields that stay as they are, and the numbers among which each of the others is drawn. Of each ship
# of Twilight Imperium there is at least one.
GAMES: dict[str, tuple[dict[str, str], dict[str, Sequence[int]]]] = {
    "/risk/land": ({}, {"attacker.regiments": range(1, 81), "defender.regiments": range(1, 81)}),
    "/axis-and-allies-1942/land": (
        {},
        {f"attacker.{unit}": range(most + 1) for unit, most in ATTACKERS.items()}
        | {f"defender.{unit}": range(most + 1) for unit, most in DEFENDERS.items()},
    ),
    "/twilight-imperium-4/space": (
        {"attacker.options": "sardakk", "defender.options": "jol-nar"},
        {
            f"{side}.{ship}": [max(1, number + more) for more in range(-3, 5)]
            for side, fleet in FLEETS.items()
            for ship, number in fleet.items()
        },
    ),
    "/europa/land": (
        {f"attacker.{name}": value for name, value in ISLANDS.items()}
        | {f"defender.{name}": value for name, value in FRANCE.items()}
        | {"conditions.period": "V", "conditions.crossing": "river"},
        {f"{side}.army_plus": range(1, 7) for side in FLEETS} | {f"{side}.army_minus": range(5) for side in FLEETS},
    ),
}


def set_ups(page: str, many: int) -> list[str]:
    """The queries of so many different set-ups."""
    dice, found = random.Random(1), dict[str, None]()
    fixed, drawn = GAMES[page]
    while len(found) < many:
        numbers = {name: dice.choice(values) for name, values in drawn.items()}
        found[urlencode(fixed | {name: number for name, number in numbers.items() if number} | {"with.live": 1})] = None
    return list(found)


def milliseconds(process: int) -> float:
    """The processor time that the threads of a process have used."""
    tasks = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6


async def measure(server: Served, page: str, many: int) -> tuple[float, float]:
    """Milliseconds of the server's own process and of all others, for a reply."""
    client = Client(server.port, headers="Accept-Encoding: gzip\r\n")
    before: dict[int, float] = {}
    for number, query in enumerate(set_ups(page, many + SETTLING)):
        if number == SETTLING:
            before = {one: milliseconds(one) for one in processes(server.process.pid)}
        status, _ = await client.ask(f"{page}/answer?{query}")
        assert status in {200, 422}, query  # a side without units is refused
    used = {one: milliseconds(one) - before.get(one, 0) for one in processes(server.process.pid)}
    own = used.pop(server.process.pid)
    return own / many, sum(used.values()) / many


async def main(many: int) -> None:
    """Measure all games and print them."""
    server = Served(workers=1)
    try:
        await server.kernels()
        for page in GAMES:
            own, workers = await measure(server, page, many)
            print(f"{page:30}{own:6.2f} + {workers:.2f} = {own + workers:.2f} ms", flush=True)
    finally:
        server.end()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set-ups", type=int, default=200)
    asyncio.run(main(parser.parse_args().set_ups))
