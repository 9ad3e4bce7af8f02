"""The course of a campaign from fight to fight (docs/rules/campaigns.md section 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from simulator.engine.model.limits import NoExactOdds
from simulator.engine.model.ragged import members
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY
from simulator.rules.campaign.plan import AWAY, HERE, LOST, OUT, STAY, TOTALS, UNNAMED, PlannedFight, PlannedSide, taken
from simulator.rules.campaign.rows import MOST_ROWS, Rows, holds, joined
from simulator.rules.campaign.solve import MOST_STARTS, FightEnds, FightSolver, joined_ends
from simulator.rules.campaign.text import Story
from simulator.rules.toolkit.merging import distinct
from simulator.rules.toolkit.tolerances import ROUNDING

FIXED, STOP, GO = -1, 0, 1
MOST_WAYS = 8 * MOST_ROWS
# Numbers that rows hold together, 4 bytes each.
MOST_NUMBERS = 1 << 27


class Edges(NamedTuple):
    """Ways from rows before a fight to those after it: row before, row after, chance, and the decision (FIXED, STOP,
    GO) on this way; arrays of one shape.
    """

    before: np.ndarray
    after: np.ndarray
    p: np.ndarray
    choice: np.ndarray


class RowsAfter(NamedTuple):
    """Rows after a fight, and the ways to them: the row before it, the chance from there, which of these rows comes
    after, and the decision on these ways.
    """

    rows: Rows
    before: np.ndarray
    p: np.ndarray
    after: np.ndarray
    choice: int = FIXED


@dataclass
class Course:
    """The fights of a campaign, one after the other. `going(number, rows)`: where `best` decides, who goes (bool)."""

    solver: FightSolver
    going: Callable[[int, Rows], np.ndarray] | None = None
    edges: list[Edges] = field(default_factory=list)
    stages: list[Rows] = field(default_factory=list)

    def __post_init__(self) -> None:
        """A run that replays a battle has lines to write to."""
        self.plan, lines = self.solver.plan, self.solver.run.lines
        self.story = None if lines is None else Story(self.plan, lines)

    def played(self) -> Course:
        """Itself, with all ends of the campaign in `stages`, and the ways to them in `edges`."""
        self.stages.append(Rows.first(self.plan, self.solver.run.battles))
        for number in range(len(self.plan.fights)):
            self.stages.append(self.fought(number, self.stages[-1]))
        return self

    def standing(self, number: int) -> Rows:
        """The rows before fight `number`, each as two rows: those of battles in which no later fight is fought, then
        those of the others.
        """
        rows, last = self.stages[number], self.stages[-1]
        quiet: np.ndarray
        if rows.at is not None:
            calm = ~last.fought[last.at, number:].any(axis=1)
            quiet = np.bincount(rows.at, calm, len(rows)) / np.bincount(rows.at, minlength=len(rows))
        else:
            quiet = np.ones(len(last))
            for at in reversed(range(number, len(self.edges))):
                edges, after = self.edges[at], self.stages[at + 1]
                calm = edges.p * quiet[edges.after] * (1 - after.fought[edges.after, at])
                quiet = np.bincount(edges.before, calm, len(self.stages[at]))
        every = np.arange(len(rows))
        p = np.concatenate([rows.p * quiet, rows.p * (1 - quiet)])
        return replace(rows.taken(np.concatenate([every, every])), p=p)

    def fought(self, number: int, rows: Rows) -> Rows:
        """The rows after a fight."""
        parts = list(self.parts(number, rows))
        whole = joined([part.rows for part in parts])
        first = np.cumsum([0, *(len(part.rows) for part in parts[:-1])])
        before, p = (np.concatenate([getattr(part, name) for part in parts]) for name in ("before", "p"))
        after = np.concatenate([part.after + at for part, at in zip(parts, first, strict=True)])
        whole.p = np.bincount(after, rows.p[before] * p, len(whole))
        if rows.at is not None:
            # Every battle is in the rows of one part.
            places = [part.rows.at for part in parts if part.rows.at is not None]
            whole.at = np.max([np.where(at < 0, at, at + n) for at, n in zip(places, first, strict=True)], axis=0)
            whole.p = np.bincount(whole.at, minlength=len(whole.p)) / len(rows.at)
        found, row = whole.merged()
        choice = np.repeat([part.choice for part in parts], [len(part.before) for part in parts])
        self.edges.append(Edges(before, row[after], p, choice))
        return found

    def parts(self, number: int, rows: Rows) -> Sequence[RowsAfter]:
        """The rows after a fight, by what becomes of it."""
        fight, every = self.plan.fights[number], np.arange(len(rows))
        asked = holds(self.plan, fight.question, rows, number) if fight.question else np.ones(len(rows), bool)
        if fight.sides[1].besieged:
            asked = asked & self.plan.carry.fortresses.stands(rows.pieces[:, fight.sides[1].force, HERE])
        found = [self.unfought(rows, every[~asked])]
        active, before = rows.taken(every[asked]), every[asked]
        part, able = self.plan.coming(fight, active.pieces[:, :, HERE])
        if self.story:
            self.story.begins(fight, asked, active.pieces[:, :, HERE], part)
        tables = [side.table if side.force == UNNAMED else {} for side in fight.sides]
        pointless = self.plan.carry.pointless(fight.kind, tables, part)
        walk_over = ~(able[0] & able[1]) | pointless
        if walk_over.any():
            winner = np.where(able[0], ATTACKER, np.where(able[1], DEFENDER, NOBODY))
            winner = np.where(able[0] & able[1], NOBODY, winner)[walk_over]
            over = active.taken(walk_over)
            self.walked_over(number, over, [one[walk_over] for one in part], winner)
            found.append(self.unfought(rows, before[walk_over], over))
        ready, before, part = active.taken(~walk_over), before[~walk_over], [one[~walk_over] for one in part]
        both = fight.sides[0].best and self.going is None
        goes = self.goes(fight, part)
        if fight.sides[0].best and self.going is not None:
            goes = self.going(number, rows)[before]
        stops = ~goes | both
        if self.story:
            self.story.declined(fight, np.flatnonzero(stops), float(self.units(fight, part).sum()))
        found.append(self.unfought(rows, before[stops], ready.taken(stops), STOP if both else FIXED))
        if goes.any():
            found.append(self.battles(number, rows, ready.taken(goes), before[goes], [one[goes] for one in part]))
        return [one for one in found if len(one.rows)]

    @staticmethod
    def unfought(rows: Rows, before: np.ndarray, after: Rows | None = None, choice: int = FIXED) -> RowsAfter:
        """Rows that pass a fight without its dice, as they are or as `after`."""
        after = replace(after or rows.taken(before), at=rows_of_battles(rows, before))
        return RowsAfter(after, before, np.ones(len(before)), np.arange(len(before)), choice)

    def goes(self, fight: PlannedFight, part: Sequence[np.ndarray]) -> np.ndarray:
        """Does the attacker fight, by `min_units` and `min_odds`? bool, shape (rows,)."""
        attacker = fight.sides[0]
        goes = np.ones(len(part[0]), bool)
        if attacker.min_units is not None:
            goes &= self.units(fight, part) >= attacker.min_units
        if attacker.min_odds is not None:
            starts, which = starts_of([one[goes] for one in part])
            chances = [ends.p[ends.winner == ATTACKER].sum() for ends in self.solver.exact(fight, starts)]
            goes[goes] = (np.array(chances) >= attacker.min_odds - ROUNDING)[which]
        return goes

    def units(self, fight: PlannedFight, part: Sequence[np.ndarray]) -> np.ndarray:
        """The units of the attacker who take part: float64, shape (rows,)."""
        if fight.sides[0].force == UNNAMED:
            return np.full(len(part[0]), self.plan.carry.units_of(fight.sides[0].table))
        return np.asarray(part[0] @ self.plan.carry.counts["units"].weights, float)

    def walked_over(self, number: int, rows: Rows, part: Sequence[np.ndarray], winner: np.ndarray) -> None:
        """A side without anybody who can fight loses at once (step 4); the rows change in place."""
        fight, carry = self.plan.fights[number], self.plan.carry
        rows.winner[:, number] = winner
        if self.story:
            self.story.walk_over(winner, [side.can_fight(one) for side, one in zip(fight.sides, part, strict=True)])
        for code, (side, there) in enumerate(zip(fight.sides, part, strict=True)):
            if side.force != UNNAMED:
                won = np.flatnonzero(winner == code)
                self.left_behind(rows, side, won, there[won])
        places = [None if side.force == UNNAMED else rows.pieces[:, side.force, HERE] for side in fight.sides]
        carry.walk_over(fight.kind, places, winner)
        self.lifted(rows, np.zeros((len(rows), len(self.plan.start)), bool))
        takers = carry.taken(fight.kind)
        for name, of in fight.kept.items():
            if of == "taken" and takers is not None:
                rows.kept[name] = (winner == ATTACKER) & carry.there(part[0], takers, fight.sides[0].table)

    def battles(
        self, number: int, rows: Rows, ready: Rows, before: np.ndarray, part: Sequence[np.ndarray]
    ) -> RowsAfter:
        """The rows after the fight; `ready` stand before it, as the rows `before` of all `rows`."""
        fight = self.plan.fights[number]
        starts, which = starts_of(part)
        at = rows_of_battles(rows, before)
        if at is None:
            refuse_size(f"{fight.name} has more than {MOST_STARTS:,} different starts", len(starts), MOST_STARTS)
            # Rows of both choices together have no chances.
            known = self.going is not None or not self.plan.decides
            solved = self.solver.exact(fight, starts, np.bincount(which, ready.p).tolist() if known else ())
            sizes = np.array([len(one) for one in solved])
            first = np.cumsum(sizes) - sizes
            ways = int(sizes[which].sum())
            refuse_size(f"{fight.name} has {ways:,} ways to end, with what was before", ways, MOST_WAYS)
            parent, inside = members(sizes[which])
            end = first[which][parent] + inside
        else:
            who = np.flatnonzero(at >= 0)
            solved, ends, size = [], np.empty(len(who), np.int64), 0
            for start, parts in enumerate(starts):
                inside = np.flatnonzero(which[at[who]] == start)
                solved.append(self.solver.simulated(fight, parts, who[inside]))
                assert solved[-1].at is not None
                ends[inside], size = size + solved[-1].at, size + len(solved[-1])
            pairs, pair = np.unique(at[who] * size + ends, return_inverse=True)
            parent, end = np.divmod(pairs, size)
        found = joined_ends(solved)
        after, row = self.ended(number, ready, part, (parent, end), found)
        if at is not None:
            at[who] = row[pair]
            after.at = at
        if self.story:
            self.story.ended(fight, number, ready, after)
        choice = GO if fight.sides[0].best and self.going is None else FIXED
        return RowsAfter(after, before[parent], found.p[end], row, choice)

    def ended(
        self, number: int, ready: Rows, part: Sequence[np.ndarray], ways: tuple[np.ndarray, np.ndarray], ends: FightEnds
    ) -> tuple[Rows, np.ndarray]:
        """The rows after a fight, and which of them follows each way: a row before it and an end.

        Ways are one where the same pieces are left of those who took part, and all others stand alike.
        """
        parent, end = ways
        rest = ready.taken(np.arange(len(ready)))
        for side, there in zip(self.plan.fights[number].sides, part, strict=True):
            if side.force != UNNAMED:
                # Marks have new values after the fight.
                here = rest.pieces[:, side.force, HERE]
                here[:] = np.where(self.plan.carry.marks, 0, here - there)
                rest.pieces[:, side.force, LOST] += np.where(self.plan.carry.marks, 0, there)
        (others, other), (results, result) = rest.distinct(), ends.distinct()
        code = other[parent] * len(results) + result[end]
        first, row = distinct([code], len(code))
        numbers = len(first) * rest.numbers.shape[1]
        refuse_size(f"{self.plan.fights[number].name} has {len(first):,} different ends", numbers, MOST_NUMBERS)
        other, result = np.divmod(code[first], len(results))
        after = rest.taken(others[other])
        self.applied(number, after, result, ends.taken(results))
        return after, row

    def applied(self, number: int, rows: Rows, end: np.ndarray, ends: FightEnds) -> None:
        """Steps 6 to 9: the rows as the fight leaves them, in place; they lack those who took part."""
        fight, carry = self.plan.fights[number], self.plan.carry
        winner, driven_off = ends.winner[end], np.zeros((len(end), len(self.plan.start)), bool)
        rows.winner[:, number], rows.fought[:, number] = winner, True
        pieces, fled = ends.whole()
        for name, of in fight.kept.items():
            if of in ends.kept:
                now = ends.kept[of][end]
                rows.kept[name] = rows.kept[name] + now if name in TOTALS else now
        for code, side in enumerate(fight.sides):
            if side.force == UNNAMED:
                continue
            left, gained, away = pieces[:, :, code].swapaxes(0, 1)
            own = rows.pieces[:, side.force]
            own[:, HERE] += (left + np.where(carry.marks, 0, gained))[end]
            own[:, LOST] -= np.where(carry.marks, 0, left + away)[end]
            if away.any():
                own[:, AWAY] += away[end]
            if self.story:
                self.story.captured(side, gained[end])
            left = np.where(carry.marks, 0, left)
            won = np.flatnonzero(winner == code)
            self.left_behind(rows, side, won, left[end[won]])
            driven = np.flatnonzero((winner == 1 - code) | ((fled[end, code] > 0) & (winner != code)))
            driven_off[driven, side.force] = True
            if side.driven_off != STAY:
                self.moved(rows, driven, side.force, side.driven_off, left[end[driven]])
            carry.settle(own[:, HERE])
        self.lifted(rows, driven_off)

    def lifted(self, rows: Rows, driven_off: np.ndarray) -> None:
        """Lift the sieges of forces that are gone or `driven_off` (bool, shape (rows, forces)), in place."""
        here, forces = rows.pieces[:, :, HERE], len(self.plan.forces)
        for place in range(forces, here.shape[1]):
            self.plan.carry.fortresses.lift(here[:, place], here[:, :forces], driven_off)

    def left_behind(self, rows: Rows, side: PlannedSide, won: np.ndarray, part: np.ndarray) -> None:
        """Step 8: `leave` is taken from those of the winner who took part; `won` are the rows in which it won."""
        if side.leave:
            self.moved(rows, won, side.force, side.leave_to, taken(part, side.leave))

    def moved(self, rows: Rows, which: np.ndarray, force: int, to: int, pieces: np.ndarray) -> None:
        """Move pieces from those that a force has here in these rows to those out, or to another force."""
        rows.pieces[which, force, HERE] -= pieces
        if to == OUT:
            rows.pieces[which, force, AWAY] += pieces
        else:
            rows.pieces[which, to, HERE] += pieces
            self.plan.carry.settle(rows.pieces[:, to, HERE])


def refuse_size(text: str, size: int, most: int) -> None:
    """Raise NoExactOdds for a campaign with too many ways."""
    if size > most:
        raise NoExactOdds(f"campaign: {text}; simulate, or name fewer columns")


def rows_of_battles(rows: Rows, before: np.ndarray) -> np.ndarray | None:
    """For each simulated battle its place among the rows `before`, -1 elsewhere: int64, shape (battles,)."""
    if rows.at is None:
        return None
    place = np.full(len(rows), -1)
    place[before] = np.arange(len(before))
    return place[rows.at]


def starts_of(part: Sequence[np.ndarray]) -> tuple[list[list[np.ndarray]], np.ndarray]:
    """The distinct starts of a fight, and which of them each row has."""
    both = np.concatenate(part, axis=1)
    first, which = distinct(both.T, len(both))
    return [np.split(both[row], 2) for row in first], which
