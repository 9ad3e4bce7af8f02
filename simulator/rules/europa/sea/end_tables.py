"""From two fleets to the chain of their battle: ends of the fighting in one table, records, retreats, leader tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from simulator.engine.model.chain import Chain, LastRoll
from simulator.engine.model.chance import NO_TABLE, TableBook, combine
from simulator.rules.europa.sea import end
from simulator.rules.europa.sea.end import EndParams, EndState
from simulator.rules.europa.sea.fight import Case, Chased, OutcomeDistribution, Row, Suffered
from simulator.rules.europa.sea.losses import Fight, Reckoning, Record
from simulator.rules.europa.sea.squadrons import Engagement, Squadron
from simulator.rules.europa.sea.tables import NavalSetup, whole_numbers
from simulator.rules.europa.shared import leaders
from simulator.rules.europa.shared.leaders import FACES, Trial, fates

# Conditions of a leader test: (won, no ship left).
CONDITIONS = ((True, False), (False, False), (True, True), (False, True))
UNHARMED, KILLED, WOUNDED = range(3)
EVADES_AT = 8
# A battle that does not take place.
EVADED = Row(2, 0, 0, 0, 2, 0, (0, 0), (None, None))
UNTOUCHED = Fight(False, False, 0, 0)
# OutcomeDistribution in one table; more of them are drawn block by block.
LARGEST_BLOCK = 60_000


def leader_test(squadron: Squadron, fragile: bool, condition: int) -> Counter[int]:
    """Fates of a leader; a monarch at sea is like any other (section 12)."""
    leader = squadron.leader._replace(kind="admiral")
    found: Counter[int] = Counter()
    for code, weight in fates(leader, Trial(*CONDITIONS[condition], fragile)).items():
        found[UNHARMED if not code else KILLED if code == leaders.KILLED else WOUNDED] += weight
    return found


@dataclass
class BattleSetup:
    """Everything about one naval battle that is known before the first roll."""

    engagement: Engagement
    tables: TableBook = field(default_factory=TableBook)
    records: tuple[dict[Record, int], dict[Record, int]] = field(default_factory=lambda: ({}, {}))
    numbered: tuple[dict[Suffered, np.ndarray], dict[Suffered, np.ndarray]] = field(default_factory=lambda: ({}, {}))

    @cached_property
    def fighting(self) -> NavalSetup:
        """The fighting."""
        return NavalSetup(self.engagement)

    @cached_property
    def reckoning(self) -> Reckoning:
        """What the battle costs."""
        return Reckoning(self.engagement)

    @cached_property
    def fights(self) -> OutcomeDistribution:
        """The ends of the fighting."""
        return OutcomeDistribution(self.fighting, self.reckoning)

    @property
    def storm(self) -> tuple[bool, bool]:
        """Which side rolls retreat attrition unless it wins?"""
        return self.fighting.storm

    def number(self, side: int, record: Record) -> int:
        """The number of a record."""
        return self.records[side].setdefault(record, len(self.records[side]))

    def numbers(self, side: int, chased: Chased) -> np.ndarray:
        """The records of a side by its losses in the fighting, -1 where that has no chance."""
        return self.numbered[side][chased.suffered[side]]

    def _tell_numbers(self, case: Case, side: int, occurs: np.ndarray) -> None:
        """Number the records that a side may come to with these losses in the fighting."""
        for suffered in dict.fromkeys(chased.suffered[side] for chased in self.fights.pursued(case)):
            if suffered not in self.numbered[side]:
                self.numbered[side][suffered] = np.full(self.fights.spread.room[side], -1)
            out, (fight, more) = self.numbered[side][suffered], suffered
            for thirds in occurs[out[occurs] < 0].tolist():
                out[thirds] = self.number(side, self.reckoning.record(side, fight._replace(thirds=thirds + more)))

    @cached_property
    def cases(self) -> tuple[dict[Row, int], dict[Case, np.ndarray]]:
        """(rows with their numbers, cases with chances of [own losses, enemy losses]); records are numbered too."""
        rows: dict[Row, int] = {}
        found: dict[Case, np.ndarray] = {}
        for case, _, _, chances in self.fights.came():
            if case not in found:
                found[case] = np.zeros(self.fights.spread.room)
                for chased in self.fights.pursued(case):
                    rows.setdefault(chased.row, len(rows))
            inside = found[case][: chances.shape[0], : chances.shape[1]]
            for side in (0, 1):
                fresh = np.flatnonzero(chances.any(axis=1 - side) & ~inside.any(axis=1 - side))
                if fresh.size:
                    self._tell_numbers(case, side, fresh)
            inside += chances
        return rows, found

    @cached_property
    def ends(self) -> tuple[dict[Row, int], np.ndarray, np.ndarray, np.ndarray]:
        """(rows with their numbers; row, records [side, end] and chance of each end)."""
        rows, cases = self.cases
        cells = [np.nonzero(chances) for chances in cases.values()]
        losses = [np.concatenate([cell[side] for cell in cells]) for side in (0, 1)]
        p = np.concatenate([chances[cell] for chances, cell in zip(cases.values(), cells, strict=True)])
        chased = [(of, found) for of, case in enumerate(cases) for found in self.fights.pursued(case)]
        size = np.array([len(own) for own, _ in cells])
        of = np.array([place for place, _ in chased])
        # Each result of a pursuit meets all cells of its case.
        which = np.repeat(np.arange(len(of)), size[of])
        cell = np.arange(len(which)) - (np.cumsum(size[of]) - np.cumsum(size)[of])[which]
        code = np.array([rows[found.row] for _, found in chased])[which]
        sizes = [len(found) for found in self.records]
        for side in (0, 1):
            place = {suffered: n for n, suffered in enumerate(self.numbered[side])}
            numbers = np.stack(list(self.numbered[side].values()))
            key = np.array([place[found.suffered[side]] for _, found in chased])
            code = code * sizes[side] + numbers[key[which], losses[side][cell]]
        code, which_end = np.unique(code, return_inverse=True)
        row, rest = np.divmod(code, sizes[0] * sizes[1])
        chance = np.array([found.chance for _, found in chased])[which] * p[cell]
        return rows, row, np.stack(np.divmod(rest, sizes[1])), np.bincount(which_end, chance)

    # --- tables ---

    def storm_tables(self, rows: dict[Row, int]) -> np.ndarray:
        """Tables of the records that a storm leads to, by side, record and row."""
        before = [list(found) for found in self.records]
        shape = 2, max(map(len, before)), len(rows)
        out = np.zeros(shape if any(self.storm) else (2, 1, 1), np.int64)
        men: dict[Any, list[int]] = {}
        for row, place in rows.items():
            men.setdefault(row.men, []).append(place)
        for side in (0, 1):
            for number, record in enumerate(before[side] if self.storm[side] else ()):
                for values, places in men.items():
                    drm = self.reckoning.storm_modifier(side, record.routed, values[side] or 0)
                    out[side, number, places] = self.tables.by((side, number, drm), self._stormed(side, record, drm))
        return out

    def _stormed(self, side: int, record: Record, drm: int) -> Callable[[], Counter[int]]:
        def weights() -> Counter[int]:
            after = self.reckoning.after_storm(side, record, drm)
            return Counter({self.number(side, new): weight for new, weight in after.items()})

        return weights

    def tests(self, rows: dict[Row, int]) -> np.ndarray:
        """Tables of leader tests by fragility and both sides' conditions."""
        out = np.zeros((4, 4, 4), np.int64)
        for frail in {row.frail for row in rows}:
            for a, d in np.ndindex(4, 4):
                own = leader_test(self.engagement.squadrons[0], bool(frail & 1), a)
                enemy = leader_test(self.engagement.squadrons[1], bool(frail & 2), d)
                out[frail, a, d] = self.tables.add(combine(own, enemy, lambda x, y: x + end.FATES * y))
        return out

    def gone(self) -> np.ndarray:
        """Which records have no ship left?"""
        out = np.zeros((2, max(len(found) for found in self.records)), np.int64)
        for side, found in enumerate(self.records):
            for record, number in found.items():
                out[side, number] = record.gone
        return out

    def evade(self) -> int:
        """Table of the evasion: d10 + (own - enemy manoeuvre, if positive) >= 8; a replacement counts 0 (step 1)."""
        if self.fighting.policies[1].evasion != "evade":
            return NO_TABLE
        return self.tables.add(Counter(int(die + self.evasion_bonus >= EVADES_AT) for die in FACES))

    @property
    def evasion_bonus(self) -> int:
        """What manoeuvre adds to the evader's die."""
        enemy, own = (squadron.leader.manoeuvre for squadron in self.engagement.squadrons)
        return max(0, own - enemy)

    @cached_property
    def rows(self) -> list[Row]:
        """The rows by number."""
        return list(self.ends[0])

    def blocks(self, p: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
        """(table of the blocks, their tables, where they begin)."""
        begin = np.arange(0, len(p), LARGEST_BLOCK)
        parts = [p[first : first + LARGEST_BLOCK] for first in begin]
        fights = [self.tables.add((np.arange(len(part)), part / part.sum())) for part in parts]
        chances = np.array([part.sum() for part in parts])
        which = self.tables.add((np.arange(len(parts)), chances / chances.sum())) if len(parts) > 1 else NO_TABLE
        return which, np.array(fights, np.int64), begin

    @cached_property
    def params(self) -> EndParams:
        """All numbers of the battle."""
        rows, row, records, p = self.ends
        nothing = [self.number(side, self.reckoning.record(side, UNTOUCHED)) for side in (0, 1)]
        rows.setdefault(EVADED, len(rows))
        which, fights, begin = self.blocks(p)
        storm_rolls = self.storm_tables(rows)
        return EndParams(
            evade=self.evade(),
            evaded=whole_numbers([rows[EVADED], *nothing]),
            blocks=which,
            fights=fights,
            begin=begin,
            row=row,
            record=np.ascontiguousarray(records),
            winner=whole_numbers(row.winner for row in rows),
            frail=whole_numbers(row.frail for row in rows),
            storm=whole_numbers(self.storm),
            storm_rolls=storm_rolls,
            gone=self.gone(),
            tests=self.tests(rows),
            tested=1,
        )

    def chain(self, tell: Callable[..., str] | None = None) -> Chain:
        """The chain of states of the battle."""
        p = self.params
        begun = EndState(end.EVADE, 0, 0, 0, 0)
        start = begun if p.evade != NO_TABLE else end.before_fight(p, begun)
        most = max(len(p.winner), len(p.begin)) - 1
        limits = EndState(end.OVER, max(1, most), len(self.records[0]), len(self.records[1]), end.FATES**2 - 1)
        tables = self.tables.close()

        def test(states: Any) -> np.ndarray:
            return np.where(states.stage == end.OVER, -1, end.test_table(p, states))

        def after(states: Any, fates: np.ndarray) -> Any:
            return states._replace(stage=np.full(len(fates), end.OVER), fates=fates)

        last = LastRoll(Chain(p._replace(tested=0), start, limits, tables, may_be_over=True), test, after)
        return Chain(p, start, limits, tables, tell=tell, last=last, may_be_over=True)
