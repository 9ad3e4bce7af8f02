"""The fights of a campaign from each of their starts; every different start is solved once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from simulator.engine.model.chain import Chain, ManyOutcomes
from simulator.engine.model.limits import NoExactOdds
from simulator.rules.battle import BattlesRun, Built, Columns, Outcomes, StartsRun
from simulator.rules.campaign.plan import UNNAMED, CampaignPlan, PlannedFight
from simulator.rules.campaign.rows import Table, joined
from simulator.rules.campaign.starts import LEAST, Start, StartGroup, fields_of_fight, in_groups
from simulator.rules.toolkit.merging import distinct

MOST_STARTS = 100_000
# Fights that are kept for more simulated battles of the same campaign.
MOST_KEPT = 64


# Numbers of ends by their places, and their values: int64 or bool, shape (ends, places).
Blocks = list[tuple[Any, np.ndarray]]


@dataclass
class FightEnds(Table):
    """The ends of a fight: the numbers are the winner, the pieces of each side, and who fled (1 or 0); the columns kept
    have their names in the fight. `at`: the end of each simulated battle.

    Numbers that are 0 throughout are left out, but for the winner: most of a game's pieces are in no one fight.
    `places`: those of the others among all numbers, int64. `residual`: chance undecided, `explored`: states visited, of
    several starts with the first.
    """

    places: np.ndarray = field(default_factory=lambda: np.zeros(1, np.int64))
    residual: float = 0.0
    explored: int = 0

    @property
    def winner(self) -> np.ndarray:
        """The winner: int64, shape (ends,)."""
        return self.numbers[:, 0]

    def whole(self) -> tuple[np.ndarray, np.ndarray]:
        """The pieces `left`, `gained` and `away` of each side, int64, shape (ends, 3, 2, slots); 1 for a side that left
        the battle, int64, shape (ends, 2).
        """
        numbers = np.zeros((len(self), prod(self.shape) + 3), np.int64)
        numbers[:, self.places] = self.numbers
        return numbers[:, 1:-2].reshape(len(self), *self.shape), numbers[:, -2:]

    def placed(self, places: np.ndarray) -> FightEnds:
        """The same ends with numbers at these places, which include all of its own."""
        if len(places) == len(self.places):
            return self
        numbers = np.zeros((len(self), len(places)), np.int64)
        numbers[:, np.searchsorted(places, self.places)] = self.numbers
        return replace(self, numbers=numbers, places=places)


def joined_ends(parts: Sequence[FightEnds]) -> FightEnds:
    """These ends one after the other; `at` is left out."""
    places = np.unique(np.concatenate([part.places for part in parts]))
    return joined([part.placed(places) for part in parts])


@dataclass
class FightSolver:
    """Answers fights with `run`, exactly or, with the battles of `run`, by simulation; keeps every exact answer."""

    plan: CampaignPlan
    run: BattlesRun
    known: dict[Any, FightEnds] = field(default_factory=dict)

    def asked(self, fight: PlannedFight, parts: Start) -> Built:
        """The fight from this start, for exact odds."""
        tables = [self.plan.tables(side) for side in fight.sides]
        fields = fields_of_fight(self.plan, fight, parts)
        return self.plan.carry.asked(fight.kind, fields, tables, set(fight.kept.values()))

    def like(self, fight: PlannedFight, start: Start) -> str:
        """A text that is the same for fights whose ends from equal starts are equal; `start`: one of its starts."""
        carry, tables = self.plan.carry, [self.plan.tables(side) for side in fight.sides]
        read = carry.what_is_read(fight.kind, tables, partial(fields_of_fight, self.plan, fight, start))
        named = [side.force == UNNAMED for side in fight.sides]
        return repr((carry.name(), fight.kind, fight.data, read, named, sorted(set(fight.kept.values()))))

    def exact(self, fight: PlannedFight, starts: Sequence[Start], chances: Sequence[float] = ()) -> list[FightEnds]:
        """The ends from each of these starts, which are reached with these chances. Raises NoExactOdds."""
        run, like = self.run.exactly(), self.like(fight, starts[0]) if starts else ""
        keys = [(like, *(part.tobytes() for part in parts)) for parts in starts]
        due = {key: parts for key, parts in zip(keys, starts, strict=True) if key not in self.known}
        # Starts solved together are kept together: their chances are the same bits in whatever order cells are asked.
        many = len(due) >= LEAST
        for some in self._alike(fight, due, many):
            ends = run.recall(tuple(some))
            if ends is None:
                try:
                    ends = self._solved(fight, list(some.values()), run, many)
                except NoExactOdds as refusal:
                    raise NoExactOdds(f"campaign: {fight.name}: {refusal}") from None
                run.remember(tuple(some), ends, sum(one.numbers.size for one in ends))
            run.visited(sum(one.explored for one in ends))
            self.known |= zip(some, ends, strict=True)
        found = [self.known[key] for key in keys]
        run.visited(0, sum(p * ends.residual for p, ends in zip(chances, found, strict=False)))
        return found

    def _alike(self, fight: PlannedFight, due: dict[Any, Start], many: bool) -> Iterable[dict[Any, Start]]:
        """The starts of a fight in parts that are solved together."""
        carry = self.plan.carry
        if carry.joins and many:
            return [due]
        keys, tables = list(due), [self.plan.tables(side) for side in fight.sides]
        parts = [np.array(side) for side in zip(*due.values(), strict=True)]
        groups: dict[int, dict[Any, Start]] = {}
        for key, chain in zip(
            keys, carry.containing(fight.kind, fight.data, tables, parts) if due else (), strict=True
        ):
            # The start whose chain it is comes first.
            groups.setdefault(chain, {keys[chain]: due[keys[chain]]})[key] = due[key]
        return groups.values()

    def _solved(self, fight: PlannedFight, starts: list[Start], run: StartsRun, many: bool) -> list[FightEnds]:
        if not self.plan.carry.joins and len(starts) > 1:
            return self._begun_alike(fight, starts, run, many)
        found: dict[int, FightEnds] = {}
        for group in in_groups(self.plan, fight, starts):
            found |= zip(group.places, self._together(fight, group, starts, run, many), strict=True)
        return [found[at] if at in found else self._alone(fight, parts, run, many) for at, parts in enumerate(starts)]

    def _alone(self, fight: PlannedFight, parts: Start, run: StartsRun, many: bool) -> FightEnds:
        built = self.asked(fight, parts)
        if built.answer is not None:
            return self._answered(fight, parts, built.answer(run))
        assert built.chain is not None
        counting = self._counting(fight, built.chain, parts, built.outcome)
        ends = run.from_starts(built.chain, np.array([built.chain.start], np.int64), counting, many)
        return self._by_start(fight, parts, built.outcome(ends.states), ends)[0]

    def _begun_alike(self, fight: PlannedFight, starts: list[Start], run: StartsRun, many: bool) -> list[FightEnds]:
        """The ends of starts that are in the chain of the first."""
        fields, conditions = partial(fields_of_fight, self.plan, fight), partial(self.plan.conditions, fight)
        built, begun = self.plan.carry.in_one_chain(fight.kind, starts, fields, conditions)
        assert built.chain is not None
        parts = [np.array(side) for side in zip(*starts, strict=True)]
        counting = self._counting(fight, built.chain, starts[0], built.outcome)
        try:
            ends = run.from_starts(built.chain, np.array(begun), counting, many)
        except NoExactOdds:  # that of a single one may fit
            return [self._alone(fight, one, run, many) for one in starts]
        return self._by_start(fight, [part[ends.start] for part in parts], built.outcome(ends.states), ends)

    def _together(
        self, fight: PlannedFight, group: StartGroup, starts: list[Start], run: StartsRun, many: bool
    ) -> list[FightEnds]:
        """The ends of starts that are one chain."""
        parts = [np.array([starts[at][side] for at in group.places]) for side in (0, 1)]
        chain, first = group.joined.chain, np.zeros(3, np.int64)
        begun = replace(chain, start=type(chain.start)(*group.joined.starts[0].tolist()))
        three = [part[first] for part in parts]
        counting = self._counting(fight, begun, three, lambda states: group.columns(states, first))
        ends = run.from_starts(chain, group.joined.starts, counting, many)
        columns = group.columns(ends.states, ends.start)
        return self._by_start(fight, [part[ends.start] for part in parts], columns, ends)

    def _counting(self, fight: PlannedFight, chain: Chain, parts: Start, columns: Callable[[Any], Columns]) -> bool:
        """Does the counter of the chain show in the ends? `parts` and `columns` are those of three final states."""
        if not chain.counters:
            return False
        states = [np.full(3, value, np.int64) for value in chain.start]
        states[chain.counted] = np.array([0, 1, max(1, int(chain.limits[chain.counted]) // 2)])
        blocks, kept = self._known(fight, parts, columns(type(chain.start)(*states)), 3)
        return any((values != values[0]).any() for values in (*dict(blocks).values(), *kept.values()))

    def simulated(self, fight: PlannedFight, parts: Start, numbers: np.ndarray) -> FightEnds:
        """The ends of the battles of these numbers from this start, and as `at` the end of each battle."""
        built = self._named(fight, parts)
        if built.answer is not None:
            return replace(self._answered(fight, parts, built.answer(self.run)), at=np.zeros(len(numbers), np.int64))
        assert built.chain is not None
        states, at = self.run.each(built.chain, numbers, self.plan.fights.index(fight))
        known = self._known(fight, parts, built.outcome(states.states), len(states.p))
        return replace(_ends(*known, states.p, parts), at=at)

    def _named(self, fight: PlannedFight, parts: Start) -> Built:
        """The fight from this start, with its name in the campaign; some are kept for more battles."""
        key, kept = (fight.name, *(part.tobytes() for part in parts)), self.plan.simulated
        if key in kept:
            return kept[key]
        built = self.plan.carry.build(fight.kind, fields_of_fight(self.plan, fight, parts))
        if built.chain is not None:
            built = replace(built, chain=replace(built.chain, label=fight.name))
        if len(kept) < MOST_KEPT:
            kept[key] = built
        return built

    def _answered(self, fight: PlannedFight, parts: Start, found: Outcomes) -> FightEnds:
        """The ends of a fight that is answered directly."""
        ends = _ends(*self._known(fight, parts, found.columns, len(found.p)), found.p, parts)
        return replace(ends, explored=found.explored)

    def _by_start(self, fight: PlannedFight, parts: Start, columns: Columns, ends: ManyOutcomes) -> list[FightEnds]:
        """The distinct ends from each start, from the columns of the fight."""
        blocks, kept = self._known(fight, parts, columns, len(ends.p))
        # Only the slots that change can make ends differ; they are few.
        every = [np.ascontiguousarray(part) for _, values in blocks for part in values.T[(values != values[0]).any(0)]]
        first, row = distinct([ends.start, *every, *kept.values()], len(ends.p))
        solved = _ends(blocks, kept, np.bincount(row, ends.p), parts, first)
        bounds = np.searchsorted(ends.start[first], np.arange(len(ends.residual) + 1)).tolist()
        return [
            solved.taken(slice(begin, end), residual=float(left), explored=ends.explored * (begin == 0))
            for (begin, end), left in zip(pairwise(bounds), ends.residual, strict=True)
        ]

    def ends(self, fight: PlannedFight, parts: Start, columns: Columns, size: int) -> FightEnds:
        """Each of these rows of the fight's columns as an end of its own; `parts`: int64, shape (rows, slots) each."""
        return _ends(*self._known(fight, parts, columns, size), np.ones(size), parts)

    def _known(self, fight: PlannedFight, parts: Start, columns: Columns, size: int) -> tuple[Blocks, Columns]:
        """The numbers and the kept columns of ends, from the columns of the fight."""
        carry, slots = self.plan.carry, parts[0].shape[-1]
        columns = {k: v if np.shape(v) == (size,) else np.broadcast_to(v, size) for k, v in columns.items()}
        blocks: Blocks = [((0,), columns["winner"][:, None])]
        for code, (side, part) in enumerate(zip(fight.sides, parts, strict=True)):
            if side.force != UNNAMED:
                fled = np.broadcast_to(carry.fled(fight.kind, side.role, columns), size)
                blocks.append(((6 * slots + 1 + code,), fled[:, None]))
                after = carry.left(fight.kind, side.role, self.plan.tables(side), part, columns)
                for place, values in zip(range(1 + code * slots, 6 * slots + 1, 2 * slots), after, strict=True):
                    if values is not None:
                        blocks.append((tuple(range(place, place + slots)), values))
        return blocks, {name: columns[name] for name in fight.kept.values() if name in columns}


def _ends(blocks: Blocks, kept: Columns, p: np.ndarray, parts: Start, which: Any = slice(None)) -> FightEnds:
    """These of the ends, with their chances."""
    columns = dict[int, np.ndarray]()
    for places, values in blocks:
        columns |= {place: one for place, one in zip(places, values.T, strict=True) if place == 0 or one.any()}
    places = sorted(columns)
    numbers = np.array([columns[place][which] for place in places], np.int64).T
    named = {name: values[which] for name, values in kept.items()}
    return FightEnds(np.ascontiguousarray(numbers), named, p, (3, 2, parts[0].shape[-1]), places=np.array(places))
