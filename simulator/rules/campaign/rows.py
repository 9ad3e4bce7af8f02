"""The ways in which a campaign may stand: rows with their chances or battles, their columns, and questions about them
(docs/rules/campaigns.md section 4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any, TypeVar

import numpy as np

from simulator.engine.model.limits import NoExactOdds
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Columns
from simulator.rules.campaign.plan import AWAY, FATES, HERE, LOST, NONE, CampaignPlan
from simulator.rules.toolkit.merging import distinct
from simulator.rules.toolkit.query import ask
from simulator.rules.toolkit.weights import decimal_sums

MOST_ROWS = 1_000_000
ZONES = {"left": (HERE, AWAY), "here": (HERE,), "out": (AWAY,), "lost": (LOST,)}
AnyTable = TypeVar("AnyTable", bound="Table")


@dataclass
class Table:
    """Rows of `numbers` (int32 or int64, shape (rows, columns)), further columns kept, and the chance of each row.

    `shape`: that of the pieces among the numbers of a row. `at`: when simulated, the row of each battle, int64, shape
    (battles,); -1 for a battle in no row.
    """

    numbers: np.ndarray
    kept: Columns
    p: np.ndarray
    shape: tuple[int, int, int]
    at: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.p)

    def taken(self: AnyTable, which: Any, **changes: Any) -> AnyTable:
        """Copies of these rows (an index of NumPy), with their chances and these changes; without rows of battles."""
        kept = {name: values[which] for name, values in self.kept.items()}
        return replace(self, numbers=self.numbers[which], kept=kept, p=self.p[which], at=None, **changes)

    def distinct(self) -> tuple[np.ndarray, np.ndarray]:
        """As `toolkit.merging.distinct`."""
        # A column with one value distinguishes nothing.
        varied = np.flatnonzero((self.numbers != self.numbers[:1]).any(axis=0))
        return distinct([*self.numbers.T[varied], *self.kept.values()], len(self))


class Rows(Table):
    """Rows whose numbers are pieces, the winner of each fight, and whether it was fought (1 or 0).

    They are int32: a campaign of two naval battles has some 200,000 rows, and copies of them take much of its time.
    """

    @classmethod
    def first(cls, plan: CampaignPlan, battles: int | None) -> Rows:
        """The start of the campaign, for this many battles when simulated."""
        shape, fights = (len(plan.start), 3, plan.start.shape[1]), len(plan.fights)
        kept = {name: np.array([value]) for name, value in plan.likeness.items()}
        at = None if battles is None else np.zeros(battles, np.int64)
        rows = cls(np.zeros((1, prod(shape) + 2 * fights), np.int32), kept, np.ones(1), shape, at)
        rows.pieces[:, :, HERE], rows.winner[:] = plan.start, NONE
        return rows

    @property
    def pieces(self) -> np.ndarray:
        """The pieces here, out and lost, to read and to write: int32, shape (rows, forces, 3, slots)."""
        return self.numbers[:, : prod(self.shape)].reshape(len(self), *self.shape)

    @property
    def winner(self) -> np.ndarray:
        """The winner of each fight, to read and to write: int32, shape (rows, fights)."""
        return np.split(self.numbers[:, prod(self.shape) :], 2, axis=1)[0]

    @property
    def fought(self) -> np.ndarray:
        """1 where a fight was fought, to read and to write: int32, shape (rows, fights)."""
        return np.split(self.numbers[:, prod(self.shape) :], 2, axis=1)[1]

    def merged(self) -> tuple[Rows, np.ndarray]:
        """The distinct rows, and for each of these rows its number among them. Raises NoExactOdds for too many."""
        first, row = self.distinct()
        if len(first) > MOST_ROWS:
            raise NoExactOdds(f"campaign: more than {MOST_ROWS:,} different ends; simulate, or name fewer columns")
        at = None if self.at is None else row[self.at]
        return replace(self.taken(first), p=np.bincount(row, self.p), at=at), row


def joined(parts: Sequence[AnyTable]) -> AnyTable:
    """These rows one after the other; `at` is left out."""
    numbers, p = (np.concatenate([getattr(part, name) for part in parts]) for name in ("numbers", "p"))
    kept = {name: np.concatenate([part.kept[name] for part in parts]) for name in parts[0].kept}
    return replace(parts[0], numbers=numbers, kept=kept, p=p, at=None)


class StandingRows(Mapping[str, np.ndarray]):
    """The columns of rows by name, each computed when it is asked for; of the fights before number `known` alone."""

    def __init__(self, plan: CampaignPlan, rows: Rows, known: int | None = None) -> None:
        self._made = dict[str, np.ndarray]()
        self._makers: dict[str, Callable[[], np.ndarray]] = {}
        fights = plan.fights[:known]
        for at, fight in enumerate(fights):
            self._makers[f"{fight.name}_fought"] = partial(lambda at: rows.fought[:, at].astype(bool), at)
            self._makers[f"{fight.name}_winner"] = partial(lambda at: np.array(FATES)[rows.winner[:, at]], at)
            self._makers[f"{fight.name}_won"] = partial(lambda at: rows.winner[:, at] == ATTACKER, at)
        for force, name in enumerate(plan.forces):
            for count, (weights, zones) in plan.carry.counts.items():
                for word in zones:
                    self._makers[f"{name}_{count}_{word}"] = partial(_count, rows, force, ZONES[word], weights)
        for place, name in enumerate(plan.fortresses, len(plan.forces)):
            found = plan.carry.fortresses.columns(rows.pieces[:, place, HERE])
            self._makers |= {f"{name}_{column}": partial(found.__getitem__, column) for column in found}
        for fight in fights:
            self._makers |= {name: partial(rows.kept.__getitem__, name) for name in fight.kept}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


# No method: an object that holds a method of its own stays in memory until the garbage collector looks for cycles.
def _count(rows: Rows, force: int, zones: tuple[int, ...], weights: np.ndarray) -> np.ndarray:
    used, pieces = np.flatnonzero(weights), rows.pieces[:, force]
    counted = np.sum([pieces[:, zone, used] for zone in zones], axis=0)
    return decimal_sums(counted, weights[used].tolist()).astype(weights.dtype, copy=False)


def texts(fights: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The values that text columns of these fights may take."""
    return {f"{name}_winner": FATES for name in fights}


def holds(plan: CampaignPlan, question: str, rows: Rows, known: int | None = None) -> np.ndarray:
    """The rows in which a question holds: bool, shape (rows,). Raises QueryError for one that cannot be read."""
    return ask(question, StandingRows(plan, rows, known), len(rows), texts(fight.name for fight in plan.fights))


def winner_of(plan: CampaignPlan, rows: Rows) -> np.ndarray:
    """The winner of the campaign, by the codes of rules/battle.py (section 2.5): int64, shape (rows,)."""
    if plan.goal:
        return np.where(holds(plan, plan.goal, rows), ATTACKER, DEFENDER)
    found = np.full(len(rows), NOBODY)
    for at, fight in enumerate(plan.fights):
        meant = np.array([ATTACKER, DEFENDER])[plan.camps(fight)]
        won = rows.winner[:, at]
        camp = np.where(won < NOBODY, meant[np.minimum(won, DEFENDER)], NOBODY)
        found = np.where(won == NONE, found, camp)
    return found


def columns_of(plan: CampaignPlan, rows: Rows) -> Columns:
    """All columns of the ends of a campaign, the winner first."""
    return {"winner": winner_of(plan, rows)} | dict(StandingRows(plan, rows))


def summary(fights: list[str], forces: list[str]) -> tuple[str, ...]:
    """The columns of a summary."""
    found = [f"{fight}_{word}" for fight in fights for word in ("fought", "won")]
    return (*found, *(f"{force}_units_{word}" for force in forces for word in ("left", "lost")))
