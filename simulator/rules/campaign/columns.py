"""The columns of a campaign and questions about them (docs/rules/campaigns.md section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Columns
from simulator.rules.campaign.plan import AWAY, FATES, HERE, LOST, NONE, Plan
from simulator.rules.campaign.rows import Rows
from simulator.rules.toolkit.query import ask

ZONES = {"left": (HERE, AWAY), "here": (HERE,), "out": (AWAY,), "lost": (LOST,)}


class Standing(Mapping[str, np.ndarray]):
    """The columns of rows by name, each computed when it is asked for; of the fights before number `known` alone."""

    def __init__(self, plan: Plan, rows: Rows, known: int | None = None) -> None:
        self._rows, self._made = rows, dict[str, np.ndarray]()
        self._makers: dict[str, Callable[[], np.ndarray]] = {}
        fights = plan.fights[:known]
        for at, fight in enumerate(fights):
            self._makers[f"{fight.name}_fought"] = partial(lambda at: rows.fought[:, at].astype(bool), at)
            self._makers[f"{fight.name}_winner"] = partial(lambda at: np.array(FATES)[rows.winner[:, at]], at)
            self._makers[f"{fight.name}_won"] = partial(lambda at: rows.winner[:, at] == ATTACKER, at)
        for force, name in enumerate(plan.forces):
            for count, (weights, zones) in plan.carry.counts.items():
                for word in zones:
                    self._makers[f"{name}_{count}_{word}"] = partial(self._count, force, ZONES[word], weights)
        for fight in fights:
            self._makers |= {name: partial(rows.kept.__getitem__, name) for name in fight.kept}

    def _count(self, force: int, zones: tuple[int, ...], weights: np.ndarray) -> np.ndarray:
        used = np.flatnonzero(weights)
        pieces = (
            self._rows.pieces[:, force][:, zones].sum(axis=1)
            if len(zones) > 1
            else self._rows.pieces[:, force, zones[0]]
        )
        return np.asarray(pieces[:, used] @ weights[used])

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def texts(plan: Plan) -> dict[str, tuple[str, ...]]:
    """The values that text columns may take."""
    return {f"{fight.name}_winner": FATES for fight in plan.fights}


def holds(plan: Plan, question: str, rows: Rows, known: int | None = None) -> np.ndarray:
    """The rows in which a question holds: bool, shape (rows,). Raises QueryError for one that cannot be read."""
    return ask(question, Standing(plan, rows, known), len(rows), texts(plan))


def winner_of(plan: Plan, rows: Rows) -> np.ndarray:
    """The winner of the campaign, by the codes of rules/battle.py (section 2.5): int64, shape (rows,)."""
    if plan.goal:
        return np.where(holds(plan, plan.goal, rows), ATTACKER, DEFENDER)
    found = np.full(len(rows), NOBODY)
    for at, fight in enumerate(plan.fights):
        ours = plan.on_our_side(*fight.sides)
        meant = np.array([ATTACKER, DEFENDER] if ours else [DEFENDER, ATTACKER])
        won = rows.winner[:, at]
        camp = np.where(won < NOBODY, meant[np.minimum(won, DEFENDER)], NOBODY)
        found = np.where(won == NONE, found, camp)
    return found


def columns_of(plan: Plan, rows: Rows) -> Columns:
    """All columns of the ends of a campaign, the winner first."""
    return {"winner": winner_of(plan, rows)} | dict(Standing(plan, rows))


def headline(fights: list[str], forces: list[str]) -> tuple[str, ...]:
    """The columns of a summary."""
    found = [f"{fight}_{word}" for fight in fights for word in ("fought", "won")]
    return (*found, *(f"{force}_units_{word}" for force in forces for word in ("left", "lost")))
