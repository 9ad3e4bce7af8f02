"""The fights of a campaign from each of their starts; every different start is solved once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from pydantic import ValidationError

from simulator.engine.model.chain import Share
from simulator.rules.battle import ATTACKER, BattlesRun, Built, Columns, Misfit, Outcomes, Refusal
from simulator.rules.campaign.carry import Left
from simulator.rules.campaign.plan import UNNAMED, Fight, Plan
from simulator.rules.toolkit.merging import merge
from simulator.rules.toolkit.naming import SIDES

MOST_STARTS = 100_000


@dataclass
class Ends:
    """The ends of a fight, from several starts one after the other: the `winner`, by side what is `left`, `gained`,
    `away` (int64, shape (ends, slots)) and who `fled` (bool); columns kept; the chance of each end from its start.
    """

    winner: np.ndarray
    left: list[np.ndarray]
    gained: list[np.ndarray]
    away: list[np.ndarray]
    fled: list[np.ndarray]
    kept: Columns
    p: np.ndarray
    rows: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.p)


def together(ends: Sequence[Ends]) -> Ends:
    """The ends of several starts, one after the other; `rows` are left out."""

    def sides(name: str) -> list[np.ndarray]:
        return [np.concatenate([getattr(one, name)[side] for one in ends]) for side in (0, 1)]

    kept = {name: np.concatenate([one.kept[name] for one in ends]) for name in ends[0].kept}
    winner, p = (np.concatenate([getattr(one, name) for one in ends]) for name in ("winner", "p"))
    return Ends(winner, sides("left"), sides("gained"), sides("away"), sides("fled"), kept, p)


def fields_of_fight(plan: Plan, fight: Fight, parts: Sequence[np.ndarray]) -> Any:
    """The checked fields of a fight from this start. Raises Refusal or Misfit with the fight before the field."""
    battle, path = plan.carry.kinds[fight.kind], f"fight[{plan.fights.index(fight)}]."
    try:
        fields = battle.model.model_validate(plan.scenario(fight, parts))
        battle.check(fields)
    except ValidationError as error:
        raise Misfit(path, error, battle.model) from None
    except Refusal as refusal:
        raise Refusal(path + refusal.field, refusal.text) from None
    return fields


@dataclass
class Solver:
    """Answers fights with `run`, exactly or, with the battles of `run`, by simulation; keeps every exact answer."""

    plan: Plan
    run: BattlesRun
    known: dict[Any, Ends] = field(default_factory=dict)
    builds: dict[Any, Built] = field(default_factory=dict)

    def built(self, fight: Fight, parts: Sequence[np.ndarray]) -> Built:
        """The fight from this start."""
        key = fight.name, *(part.tobytes() for part in parts)
        if key not in self.builds:
            self.builds[key] = self.plan.carry.build(fight.kind, fields_of_fight(self.plan, fight, parts))
        return self.builds[key]

    def chance(self, fight: Fight, parts: Sequence[np.ndarray]) -> float:
        """The exact chance that the attacker wins."""
        ends = self.exact(fight, parts, 0.0)
        return float(ends.p[ends.winner == ATTACKER].sum())

    def exact(self, fight: Fight, parts: Sequence[np.ndarray], p: float) -> Ends:
        """The ends from a start that is reached with chance `p`. Raises NoExactOdds."""
        key = fight.name, *(part.tobytes() for part in parts)
        if key not in self.known:
            built = self.built(fight, parts)
            if built.answer is not None:
                found = built.answer(self.run)
                self.known[key] = self._ends(fight, parts, found.columns, found.p)
            else:
                assert built.chain is not None
                assert built.outcome is not None
                ends = self.run(built.chain, Share(p) if p else None)
                self.known[key] = self._ends(fight, parts, built.outcome(ends.states), ends.p / p if p else ends.p)
            del self.builds[key]
        return self.known[key]

    def simulated(self, fight: Fight, parts: Sequence[np.ndarray], numbers: np.ndarray) -> Ends:
        """The ends of the battles of these numbers from this start, and as `rows` the end of each battle."""
        built = self.built(fight, parts)
        if built.answer is not None:
            found = built.answer(self.run)
            ends = self._ends(fight, parts, found.columns, found.p)
            ends.rows = np.zeros(len(numbers), np.int64)
            return ends
        assert built.chain is not None
        assert built.outcome is not None
        chain = replace(built.chain, label=fight.name)
        states, rows = self.run.each(chain, numbers, self.plan.fights.index(fight))
        return self._ends(fight, parts, built.outcome(states.states), states.p, rows)

    def _ends(
        self, fight: Fight, parts: Sequence[np.ndarray], columns: Columns, p: np.ndarray, rows: Any = None
    ) -> Ends:
        """The distinct ends, from the columns of the fight."""
        carry, size = self.plan.carry, len(p)
        columns = {k: v if np.shape(v) == (size,) else np.broadcast_to(v, size) for k, v in columns.items()}
        known: Columns = {"winner": columns["winner"]}
        for side, part in zip(fight.sides, parts, strict=True):
            known[f"{side.role} fled"] = np.zeros(size, bool)
            if side.force != UNNAMED:
                fled = np.asarray(carry.fled(fight.kind, side.role, columns), bool)
                known[f"{side.role} fled"] = np.broadcast_to(fled, size)
                after = carry.left(fight.kind, side.role, self.plan.tables(side), part, columns)
                for name, values in zip(Left._fields, after, strict=True):
                    if values is not None:
                        known |= {f"{side.role} {name} {slot}": column for slot, column in enumerate(values.T)}
        known |= {f"kept {name}": columns[of] for name, of in fight.kept.items() if of in columns}
        if rows is None:
            found = merge(Outcomes(known, p))
            known, p = found.columns, found.p
        return Ends(
            known["winner"],
            *([_slots(known, f"{side} {name} ", len(parts[0]), len(p)) for side in SIDES] for name in Left._fields),
            [known[f"{side} fled"] for side in SIDES],
            {name: known[f"kept {name}"] for name in fight.kept if f"kept {name}" in known},
            p,
            rows,
        )


def _slots(columns: Columns, prefix: str, slots: int, size: int) -> np.ndarray:
    """The columns of slots as int64, shape (ends, slots); 0 where there are none."""
    if f"{prefix}0" not in columns:
        return np.zeros((size, slots), np.int64)
    return np.stack([columns[f"{prefix}{slot}"] for slot in range(slots)], axis=1).astype(np.int64)
