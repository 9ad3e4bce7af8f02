"""The rules of each game, and the registry that finds them. One line a game; its module is imported when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from simulator.rules.battle import Battle

GAMES = {
    "risk": "simulator.rules.risk",
    "price-of-power": "simulator.rules.price_of_power",
    "europa": "simulator.rules.europa",
    "kings-and-things": "simulator.rules.kings_and_things",
    "birthright": "simulator.rules.birthright",
}


def battles(game: str) -> Mapping[str, Battle]:
    """The battle kinds of a game. Raises KeyError for an unknown game."""
    kinds: Mapping[str, Battle] = import_module(GAMES[game]).BATTLES
    return kinds
