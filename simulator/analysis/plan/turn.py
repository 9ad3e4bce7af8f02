"""The turn that a plan divides: pieces, places and fronts (docs/rules/plan.md section 2)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from simulator.analysis.plan.model import Hold, PlanFile, Target
from simulator.rules.battle import Refusal
from simulator.rules.campaign.carry import Carry, Planned
from simulator.rules.campaign.plan import CampaignPlan


@dataclass
class Front:
    """A target, or a hold, and the campaign that answers it.

    `reaches`: bool, shape (places, pieces). `home`: for a hold that is a place, the number of that place, else -1.
    `limits`: groups of pieces (bool, shape (pieces,)) and the most of each that take part. `plan`: None where no piece
    reaches a target.
    """

    name: str
    table: Target | Hold
    reaches: np.ndarray
    limits: list[tuple[np.ndarray, int]]
    min_odds: float
    home: int = -1
    plan: CampaignPlan | None = None

    @property
    def hold(self) -> bool:
        """Is it a place of ours?"""
        return isinstance(self.table, Hold)

    @property
    def path(self) -> str:
        """Its path in the file."""
        return f"{'hold' if self.hold else 'target'}.{self.name}"


@dataclass
class Turn:
    """A plan's file, read: pieces in the order of the game, places and fronts in the order of the file.

    `here`, `staying`: the pieces in each place, and those that never leave, int64, shape (places, pieces); `written`:
    the pieces that the file names there, bool. `price`: float64, shape (pieces,). `aims`: the fronts that count.
    """

    file: PlanFile
    carry: Carry
    pieces: list[Planned]
    names: list[str]
    here: np.ndarray
    staying: np.ndarray
    written: np.ndarray
    price: np.ndarray
    fronts: list[Front] = field(default_factory=list)
    aims: list[int] = field(default_factory=list)

    @property
    def places(self) -> list[str]:
        """The names of the places."""
        return list(self.file.place)

    @property
    def weights(self) -> tuple[float, float]:
        """The worth of the price of a unit lost by us and by the enemy."""
        printed = self.carry.prints_prices
        ours, theirs = self.file.weights.own_lost, self.file.weights.enemy_lost
        return (-1.0 if printed else 0.0) if ours is None else ours, float(printed) if theirs is None else theirs


def slot_prices(turn: Turn, carry: Carry) -> np.ndarray:
    """The price of a piece in each slot of the game: float64, shape (slots,)."""
    found = carry.prices()
    for name, price in turn.file.price.items():
        slots = carry.priced().get(name)
        if slots is None and carry is not turn.carry:  # a piece that does not fight here
            continue
        if slots is None:
            raise Refusal(f"price.{name}", f"no such piece; pieces: {', '.join(carry.priced())}")
        found[slots] = price
    return found
