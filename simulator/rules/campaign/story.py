"""One campaign fight by fight, for replays: who joins, takes no part, is driven off, and why a fight is not fought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.rules.battle import NOBODY
from simulator.rules.campaign.plan import AWAY, HERE, OUT, UNNAMED, Fight, Plan, Side
from simulator.rules.campaign.rows import Rows
from simulator.rules.toolkit.naming import SIDES


@dataclass
class Story:
    """Lines about a campaign of a single battle; all rows given have one row at most."""

    plan: Plan
    lines: list[str]

    def begins(self, fight: Fight, asked: np.ndarray) -> None:
        """The name of the fight, who joins, and whether its question holds."""
        self.lines.append(f"{fight.name}:")
        if not asked.all():
            self._tell(f"not fought: only if {fight.question}")
            return
        for side in fight.sides:
            if side.join is not None:
                self._of(side, "joining", side.join)

    def comes(self, fight: Fight, here: np.ndarray, part: Sequence[np.ndarray]) -> None:
        """Those who take no part; `here`: int64, shape (rows, forces, slots)."""
        for side, own in zip(fight.sides, part, strict=True):
            if side.force != UNNAMED and len(own):
                self._of(side, "taking no part", here[0, side.force] - own[0])

    def walk_over(self, winner: np.ndarray, able: Sequence[np.ndarray]) -> None:
        """A fight that one side cannot fight."""
        if not len(winner):
            return
        missing = [f"the {side}" for side, there in zip(SIDES, able, strict=True) if not there[0]]
        why = f"{' and '.join(missing)} cannot fight" if missing else "neither side can hurt the other"
        won = "nobody wins" if winner[0] == NOBODY else f"the {SIDES[winner[0]]} wins"
        self._tell(f"not fought: {why}; {won}")

    def declined(self, fight: Fight, rows: np.ndarray, units: float) -> None:
        """A fight that its attacker does not want; `rows` are those in which that is so."""
        side = fight.sides[0]
        if not len(rows):
            return
        why = "by the objective it is better not to"
        if side.min_units is not None and units < side.min_units:
            why = f"{units:g} units are fewer than min_units = {side.min_units:g}"
        elif side.min_odds is not None:
            why = f"the chance to win is below min_odds = {side.min_odds:g}"
        self._tell(f"not fought: the attacker declines; {why}")

    def ended(self, fight: Fight, number: int, before: Rows, after: Rows) -> None:
        """Note the pieces left behind or driven off, from the rows before and after the fight."""
        for code, side in enumerate(fight.sides):
            if side.force == UNNAMED or not len(after):
                continue
            won = after.winner[0, number] == code
            to = side.leave_to if won else side.driven_off
            what = "left behind" if won else "driven off"
            gone = (after.pieces - before.pieces)[0, side.force, AWAY]
            if to not in (OUT, side.force) and to >= 0:
                gone = (after.pieces - before.pieces)[0, to, HERE]
            self._of(side, f"{what}, {'out' if to < 0 else f'to {self.plan.forces[to]}'}", gone)

    def captured(self, side: Side, pieces: np.ndarray) -> None:
        """Pieces that a side captured: int64, shape (rows, slots)."""
        if len(pieces):
            self._of(side, "captured", pieces[0])

    def _of(self, side: Side, what: str, pieces: np.ndarray) -> None:
        pieces = np.where(self.plan.carry.marks, 0, pieces)
        if pieces.any():
            self._tell(f"{self.plan.forces[side.force]}, {what}: {self.plan.carry.words(pieces)}")

    def _tell(self, line: str) -> None:
        self.lines.append(f"  {line}")
