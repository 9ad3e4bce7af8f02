"""The rules of each game, and their registry: one line a game; its module is imported on first use.

A game that lives outside the package is added with `register`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from simulator.rules.battle import Battle, by_kind

GAMES: dict[str, str | Mapping[str, Battle]] = {
    "risk": "simulator.rules.risk",
    "price-of-power": "simulator.rules.price_of_power",
    "europa": "simulator.rules.europa",
    "kings-and-things": "simulator.rules.kings_and_things",
    "birthright": "simulator.rules.birthright",
}

# The name that a campaign file gives in place of a game.
CAMPAIGN = "campaign"
# The name that a plan gives, which divides pieces between battles and is none itself.
PLAN = "plan"


def battles(game: str) -> Mapping[str, Battle]:
    """The battle kinds of a game. Raises KeyError for an unknown game."""
    found = GAMES[game]
    kinds: Mapping[str, Battle] = import_module(found).BATTLES if isinstance(found, str) else found
    return kinds


def lists(game: str) -> Mapping[str, Callable[[], Sequence[dict[str, Any]]]]:
    """Lists of the names that fields of a game take, such as its leaders: name of the list -> rows of column -> value.

    A game's module offers them as LISTS; most have none. `game` is known, or the path of a game file.
    """
    if game == CAMPAIGN:  # its names are those of the game of its fights
        return {}
    if game not in GAMES:
        from simulator.rules import custom

        return custom.lists(game)
    home = GAMES[game]
    found: Mapping[str, Callable[[], Sequence[dict[str, Any]]]] = {}
    return getattr(import_module(home), "LISTS", found) if isinstance(home, str) else found


def register(*kinds: Battle) -> None:
    """Add a game from outside the package: all its battle kinds, instead of any registered under its name before.

    Raises ValueError for kinds of several games, or for the name of a game of the package.
    """
    games = {kind.game for kind in kinds}
    if len(games) != 1:
        raise ValueError(f"register: kinds of one game are needed, not of {', '.join(sorted(games)) or 'none'}")
    game = games.pop()
    if isinstance(GAMES.get(game), str):
        raise ValueError(f"register: {game} is a game of the package")
    GAMES[game] = by_kind(*kinds)
