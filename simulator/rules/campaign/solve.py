"""The fights of a campaign from each of their starts; every different start is solved once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from simulator.engine.model.limits import NoExactOdds
from simulator.rules.battle import ATTACKER, BattlesRun, Built, Columns, Outcomes, StartsRun
from simulator.rules.campaign.carry import Left
from simulator.rules.campaign.plan import UNNAMED, Fight, Plan
from simulator.rules.campaign.rows import distinct
from simulator.rules.campaign.starts import LEAST, Group, Start, fields_of_fight, in_groups
from simulator.rules.toolkit.merging import merge
from simulator.rules.toolkit.naming import SIDES

MOST_STARTS = 100_000


@dataclass
class Ends:
    """The ends of a fight, from several starts one after the other: the `winner`, by side what is `left`, `gained`,
    `away` (int64, shape (ends, slots)) and who `fled` (bool); columns kept, by their names in the fight; the chance of
    each end from its start.

    `rows`: the end of each simulated battle, or of several starts the start of each end. `residual`: chance undecided,
    `explored`: states visited, of several starts with the first.
    """

    winner: np.ndarray
    left: list[np.ndarray]
    gained: list[np.ndarray]
    away: list[np.ndarray]
    fled: list[np.ndarray]
    kept: Columns
    p: np.ndarray
    rows: np.ndarray | None = None
    residual: float = 0.0
    explored: int = 0

    def __len__(self) -> int:
        return len(self.p)

    def distinct(self) -> tuple[np.ndarray, np.ndarray]:
        """The first of each set of equal ends, from whatever start, and the set of each end, both int64."""
        sides = [both[code] for both in (self.left, self.gained, self.away) for code in (0, 1)]
        flat = [self.winner[:, None], *sides, np.stack(self.fled, axis=1)]
        return distinct(np.concatenate(flat, axis=1), self.kept)

    def part(self, rows: slice) -> Ends:
        """Some of these ends."""
        sides = ([both[rows] for both in getattr(self, name)] for name in ("left", "gained", "away", "fled"))
        kept = {name: values[rows] for name, values in self.kept.items()}
        return Ends(self.winner[rows], *sides, kept, self.p[rows])


def together(ends: Sequence[Ends]) -> Ends:
    """The ends of several starts, one after the other; `rows` are left out."""

    def sides(name: str) -> list[np.ndarray]:
        return [np.concatenate([getattr(one, name)[side] for one in ends]) for side in (0, 1)]

    kept = {name: np.concatenate([one.kept[name] for one in ends]) for name in ends[0].kept}
    winner, p = (np.concatenate([getattr(one, name) for one in ends]) for name in ("winner", "p"))
    return Ends(winner, sides("left"), sides("gained"), sides("away"), sides("fled"), kept, p)


@dataclass
class Solver:
    """Answers fights with `run`, exactly or, with the battles of `run`, by simulation; keeps every exact answer."""

    plan: Plan
    run: BattlesRun
    known: dict[Any, Ends] = field(default_factory=dict)
    builds: dict[Any, Built] = field(default_factory=dict)
    likeness: dict[str, str] = field(default_factory=dict)

    def built(self, fight: Fight, parts: Sequence[np.ndarray]) -> Built:
        """The fight from this start."""
        key = fight.name, *(part.tobytes() for part in parts)
        if key not in self.builds:
            self.builds[key] = self.plan.carry.build(fight.kind, fields_of_fight(self.plan, fight, parts))
        return self.builds[key]

    def like(self, fight: Fight) -> str:
        """A text that is the same for fights whose ends from equal starts are equal."""
        if fight.name not in self.likeness:
            tables = [self.plan.tables(side) if side.force != UNNAMED else side.table for side in fight.sides]
            named = [side.force == UNNAMED for side in fight.sides]
            kept = sorted(set(fight.kept.values()))
            self.likeness[fight.name] = repr((self.plan.carry.name(), fight.kind, fight.data, tables, named, kept))
        return self.likeness[fight.name]

    def chances(self, fight: Fight, starts: Sequence[Start]) -> list[float]:
        """The exact chances that the attacker wins from these starts."""
        return [float(ends.p[ends.winner == ATTACKER].sum()) for ends in self.exact(fight, starts)]

    def exact(self, fight: Fight, starts: Sequence[Start], chances: Sequence[float] = ()) -> list[Ends]:
        """The ends from each of these starts, which are reached with these chances. Raises NoExactOdds."""
        run, like = self.run.exactly(), self.like(fight)
        keys = [(like, *(part.tobytes() for part in parts)) for parts in starts]
        due = {key: parts for key, parts in zip(keys, starts, strict=True) if key not in self.known}
        # Starts solved together are kept together: their chances are the same bits in whatever order cells are asked.
        together = self.plan.carry.joins and len(due) >= LEAST
        for some in [due] if together else [{key: parts} for key, parts in due.items()]:
            ends = run.recall(tuple(some))
            if ends is None:
                try:
                    ends = self._solved(fight, list(some.values()), run)
                except NoExactOdds as refusal:
                    raise NoExactOdds(f"campaign: {fight.name}: {refusal}") from None
                run.remember(tuple(some), ends, sum(map(len, ends)) * (2 + 6 * len(starts[0][0])))
            run.visited(sum(one.explored for one in ends))
            self.known |= zip(some, ends, strict=True)
        found = [self.known[key] for key in keys]
        run.visited(0, sum(p * ends.residual for p, ends in zip(chances, found, strict=False)))
        return found

    def _solved(self, fight: Fight, starts: list[Start], run: StartsRun) -> list[Ends]:
        found: dict[int, Ends] = {}
        for group in in_groups(self.plan, fight, starts):
            found |= zip(group.places, self._together(fight, group, starts, run), strict=True)
        return [found[at] if at in found else self._alone(fight, parts, run) for at, parts in enumerate(starts)]

    def _alone(self, fight: Fight, parts: Start, run: StartsRun) -> Ends:
        built = self.plan.carry.build(fight.kind, fields_of_fight(self.plan, fight, parts))
        if built.answer is not None:
            found = built.answer(run)
            return self._ends(fight, parts, found.columns, found.p)
        assert built.chain is not None
        assert built.outcome is not None
        ends = run.from_starts(built.chain, np.array([built.chain.start], np.int64), True)
        solved = self._ends(fight, parts, built.outcome(ends.states), ends.p)
        return replace(solved, residual=float(ends.residual[0]), explored=ends.explored)

    def _together(self, fight: Fight, group: Group, starts: list[Start], run: StartsRun) -> list[Ends]:
        """The ends of starts that are one chain."""
        parts = [np.array([starts[at][side] for at in group.places]) for side in (0, 1)]
        counting = self._counting(fight, group, parts)
        ends = run.from_starts(group.joined.chain, group.joined.starts, counting)
        columns = group.columns(ends.states, ends.start)
        solved = self._ends(fight, [part[ends.start] for part in parts], columns, ends.p, begun=ends.start)
        assert solved.rows is not None
        bounds = np.searchsorted(solved.rows, np.arange(len(group.places) + 1)).tolist()
        return [
            replace(solved.part(slice(first, end)), residual=float(left), explored=ends.explored * (first == 0))
            for (first, end), left in zip(pairwise(bounds), ends.residual, strict=True)
        ]

    def _counting(self, fight: Fight, group: Group, parts: list[np.ndarray]) -> bool:
        """Does the counter of the chain show in the ends?"""
        chain = group.joined.chain
        if not chain.counters:
            return False
        states = [np.repeat(np.asarray(group.joined.starts)[:1, place], 3) for place in range(len(chain.start))]
        states[chain.counted] = np.array([0, 1, max(1, int(chain.limits[chain.counted]) // 2)])
        first = np.zeros(3, np.int64)
        columns = group.columns(type(chain.start)(*states), first)
        known = self._known(fight, [part[first] for part in parts], columns, 3)
        return any((np.asarray(values) != np.asarray(values)[0]).any() for values in known.values())

    def simulated(self, fight: Fight, parts: Start, numbers: np.ndarray) -> Ends:
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
        columns = built.outcome(states.states)
        return self._as_ends(fight, self._known(fight, parts, columns, len(states.p)), parts, states.p, rows)

    def _known(self, fight: Fight, parts: Start, columns: Columns, size: int) -> Columns:
        """The columns of a fight that a campaign needs."""
        carry = self.plan.carry
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
        return known | {f"kept {name}": columns[name] for name in fight.kept.values() if name in columns}

    def _ends(self, fight: Fight, parts: Start, columns: Columns, p: np.ndarray, begun: Any = None) -> Ends:
        """The distinct ends, from the columns of the fight; `begun` is the start of each row, where there are many."""
        known = self._known(fight, parts, columns, len(p))
        found = merge(Outcomes(known if begun is None else {"begun": begun} | known, p))
        return self._as_ends(fight, found.columns, parts, found.p, found.columns.get("begun"))

    @staticmethod
    def _as_ends(fight: Fight, known: Columns, parts: Start, p: np.ndarray, rows: Any) -> Ends:
        slots = parts[0].shape[-1]
        return Ends(
            known["winner"],
            *([_slots(known, f"{side} {name} ", slots, len(p)) for side in SIDES] for name in Left._fields),
            [known[f"{side} fled"] for side in SIDES],
            {name: known[f"kept {name}"] for name in fight.kept.values() if f"kept {name}" in known},
            p,
            rows,
        )


def _slots(columns: Columns, prefix: str, slots: int, size: int) -> np.ndarray:
    """The columns of slots as int64, shape (ends, slots); 0 where there are none."""
    if f"{prefix}0" not in columns:
        return np.zeros((size, slots), np.int64)
    return np.stack([columns[f"{prefix}{slot}"] for slot in range(slots)], axis=1).astype(np.int64)
