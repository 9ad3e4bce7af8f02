"""The sides of a battle, by the names of their tables, and the columns that count their forces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simulator.engine.model import chain

SIDES, ENEMY = chain.SIDES, chain.ENEMY

# Every role that a scenario may have, in its usual order: a battle of several attackers has up to three.
ALL_SIDES = ("attacker", "second_attacker", "third_attacker", "defender")


@dataclass(frozen=True)
class ForceColumns:
    """The columns that count the force of a side, each without the side; the first one that an answer has is shown.

    - `left`: the units that a side has left, with words for them. `lost`: those it lost, with the noun of one, "" where
      the whole force is named (`Battle.total`). `unit`: what counts as one, such as 3 thirds.
    - `money`: the price of what is lost. `no_units`: the X of columns X_left that are no kind of unit.
    """

    left: Mapping[str, str] = field(default_factory=lambda: {"units_left": "units left"})
    lost: Mapping[str, str] = field(default_factory=lambda: {"units_lost": "unit", "losses": ""})
    unit: int = 1
    money: str = "cost_lost"
    no_units: tuple[str, ...] = ()
