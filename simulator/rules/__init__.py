"""The rules of each game, and the registry that finds them. One line a game; its module is imported when asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from simulator.rules.battle import Battle

GAMES = {
    "risk": "simulator.rules.risk",
    "price-of-power": "simulator.rules.price_of_power",
    "europa": "simulator.rules.europa",
    "kings-and-things": "simulator.rules.kings_and_things",
}


def battles(game: str) -> Mapping[str, Battle]:
    """The battle kinds of a game. Raises KeyError for an unknown game."""
    kinds: Mapping[str, Battle] = import_module(GAMES[game]).BATTLES
    return kinds


def lists(game: str) -> Mapping[str, Callable[[], Sequence[dict[str, Any]]]]:
    """What fields of a game take by name, such as its leaders: name of the list -> its rows, each column -> value.

    A game's module offers them as LISTS; most need none. Raises KeyError for an unknown game.
    """
    found: Mapping[str, Callable[[], Sequence[dict[str, Any]]]] = getattr(import_module(GAMES[game]), "LISTS", {})
    return found
