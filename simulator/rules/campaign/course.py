"""The course of a campaign from fight to fight (docs/rules/campaigns.md section 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from simulator.engine.model.limits import NoExactOdds
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY
from simulator.rules.campaign.columns import holds
from simulator.rules.campaign.plan import AWAY, HERE, LOST, OUT, STAY, UNNAMED, Fight, Plan, Side, taken
from simulator.rules.campaign.rows import MOST_ROWS, Rows, joined
from simulator.rules.campaign.solve import MOST_STARTS, Ends, Solver, together

# Worths closer than this are equal; then the fight is fought.
ALIKE = 1e-12
FIXED, STOP, GO = -1, 0, 1
MOST_WAYS = 8 * MOST_ROWS


class Edges(NamedTuple):
    """Ways from rows before a fight to those after it: row before, row after, chance, and the decision (FIXED, STOP,
    GO) on this way; arrays of one shape.
    """

    before: np.ndarray
    after: np.ndarray
    p: np.ndarray
    choice: np.ndarray


class Part(NamedTuple):
    """Rows after a fight, of those before it (`before`); `p`: the chance of each from there; `battles`: the battles in
    these rows and the row of each, when simulated.
    """

    rows: Rows
    before: np.ndarray
    p: np.ndarray
    choice: int = FIXED
    battles: tuple[np.ndarray, np.ndarray] | None = None


@dataclass
class Course:
    """The fights of a campaign, one after the other. `going(number, rows)`: where `best` decides, who goes (bool)."""

    plan: Plan
    solver: Solver
    going: Callable[[int, Rows], np.ndarray] | None = None
    edges: list[Edges] = field(default_factory=list)
    stages: list[Rows] = field(default_factory=list)

    def played(self, battles: int | None = None) -> Rows:
        """All ends of the campaign; `edges` and `stages` hold the ways to them."""
        rows = Rows.first(self.plan, battles)
        self.stages = [rows]
        for number in range(len(self.plan.fights)):
            rows = self.fought(number, rows)
            self.stages.append(rows)
        return rows

    def standing(self, number: int) -> Rows:
        """The rows before fight `number` of a campaign played exactly, each as two rows: those of battles in which no
        later fight is fought, then those of the others.
        """
        rows, quiet = self.stages[number], np.ones(len(self.stages[-1]))
        for at in reversed(range(number, len(self.edges))):
            edges, after = self.edges[at], self.stages[at + 1]
            calm = edges.p * quiet[edges.after] * ~after.fought[edges.after, at]
            quiet = np.bincount(edges.before, calm, len(self.stages[at]))
        every = np.arange(len(rows))
        found = rows.taken(np.concatenate([every, every]))
        found.p = np.concatenate([rows.p * quiet, rows.p * (1 - quiet)])
        return found

    def fought(self, number: int, rows: Rows) -> Rows:
        """The rows after a fight."""
        parts = list(self.parts(number, rows))
        whole = joined([part.rows for part in parts])
        before, p = (np.concatenate([getattr(part, name) for part in parts]) for name in ("before", "p"))
        whole.p = rows.p[before] * p
        if rows.at is not None:
            whole.at = np.empty(len(rows.at), np.int64)
            first = 0
            for part in parts:
                assert part.battles is not None
                whole.at[part.battles[0]] = part.battles[1] + first
                first += len(part.rows)
            whole.p = np.bincount(whole.at, minlength=len(whole.p)) / len(rows.at)
        found, after = whole.merged()
        choice = np.repeat([part.choice for part in parts], [len(part.rows) for part in parts])
        self.edges.append(Edges(before, after, p, choice))
        return found

    def parts(self, number: int, rows: Rows) -> Sequence[Part]:
        """The rows after a fight, by what becomes of it."""
        fight, every = self.plan.fights[number], np.arange(len(rows))
        asked = holds(self.plan, fight.question, rows, number) if fight.question else np.ones(len(rows), bool)
        found = [self.unfought(rows, every[~asked])]
        active = rows.taken(every[asked])
        for side in fight.sides:
            if side.join is not None:
                active.pieces[:, side.force, HERE] += side.join
                self.plan.carry.settle(active.pieces[:, side.force, HERE])
        here, before = active.pieces[:, :, HERE], every[asked]
        part = [np.zeros_like(here[:, 0]) if side.force == UNNAMED else side.taking_part(here) for side in fight.sides]
        able = [side.can_fight(one) for side, one in zip(fight.sides, part, strict=True)]
        tables = [side.table if side.force == UNNAMED else {} for side in fight.sides]
        pointless = self.plan.carry.pointless(fight.kind, tables, part)
        walk_over = ~(able[0] & able[1]) | pointless
        if walk_over.any():
            winner = np.where(able[0], ATTACKER, np.where(able[1], DEFENDER, NOBODY))
            winner = np.where(able[0] & able[1], NOBODY, winner)[walk_over]
            over = active.taken(np.flatnonzero(walk_over))
            self.walked_over(number, over, [one[walk_over] for one in part], winner)
            found.append(self.unfought(rows, before[walk_over], over))
        open_rows = np.flatnonzero(~walk_over)
        part = [one[open_rows] for one in part]
        goes = self.goes(fight, part)
        ready = active.taken(open_rows)
        if fight.sides[0].best and self.going is None:
            found.append(self.unfought(rows, before[open_rows], ready.taken(np.arange(len(ready))), STOP))
        else:
            if fight.sides[0].best and self.going is not None:
                goes = self.going(number, rows)[before[open_rows]]
            found.append(self.unfought(rows, before[open_rows][~goes], ready.taken(np.flatnonzero(~goes))))
        if goes.any():
            where = before[open_rows][goes]
            found.append(self.battles(number, rows, ready.taken(np.flatnonzero(goes)), where, [p[goes] for p in part]))
        return [one for one in found if len(one.rows)]

    @staticmethod
    def unfought(rows: Rows, before: np.ndarray, after: Rows | None = None, choice: int = FIXED) -> Part:
        """Rows that pass a fight without its dice, as they are or as `after`."""
        battles = None
        if rows.at is not None:
            place = np.full(len(rows), -1)
            place[before] = np.arange(len(before))
            who = np.flatnonzero(place[rows.at] >= 0)
            battles = who, place[rows.at[who]]
        return Part(after or rows.taken(before), before, np.ones(len(before)), choice, battles)

    def goes(self, fight: Fight, part: Sequence[np.ndarray]) -> np.ndarray:
        """Does the attacker fight, by `min_units` and `min_odds`? bool, shape (rows,)."""
        attacker = fight.sides[0]
        goes = np.ones(len(part[0]), bool)
        if attacker.min_units is not None:
            units = part[0] @ self.plan.carry.counts["units"].weights
            if attacker.force == UNNAMED:
                units = np.full(len(goes), self.plan.carry.units_of(attacker.table))
            goes &= units >= attacker.min_units
        if attacker.min_odds is not None:
            starts, which = starts_of([one[goes] for one in part])
            enough = [self.solver.chance(fight, start) >= attacker.min_odds - ALIKE for start in starts]
            goes[goes] = np.array(enough, bool)[which]
        return goes

    def walked_over(self, number: int, rows: Rows, part: Sequence[np.ndarray], winner: np.ndarray) -> None:
        """A side without anybody who can fight loses at once (step 4); the rows change in place."""
        fight, carry = self.plan.fights[number], self.plan.carry
        rows.winner[:, number] = winner
        for code, (side, there) in enumerate(zip(fight.sides, part, strict=True)):
            if side.force != UNNAMED:
                self.left_behind(rows, side, there * (winner == code)[:, None], winner == code)
        places = [None if side.force == UNNAMED else rows.pieces[:, side.force, HERE] for side in fight.sides]
        carry.walk_over(fight.kind, places, winner)
        takers = carry.taken(fight.kind)
        for name, of in fight.kept.items():
            if of == "taken" and takers is not None:
                rows.kept[name] = (winner == ATTACKER) & carry.there(part[0], takers, fight.sides[0].table)

    def battles(self, number: int, rows: Rows, ready: Rows, before: np.ndarray, part: Sequence[np.ndarray]) -> Part:
        """The rows after the fight; `ready` stand before it, as the rows `before` of all `rows`."""
        fight = self.plan.fights[number]
        starts, which = starts_of(part)
        battles = None
        if rows.at is None:
            refuse_size(f"{fight.name} has more than {MOST_STARTS:,} different starts", len(starts), MOST_STARTS)
            chances = np.bincount(which, ready.p)
            solved = [self.solver.exact(fight, one, float(p)) for one, p in zip(starts, chances, strict=True)]
            sizes = np.array([len(one) for one in solved])
            first = np.cumsum(sizes) - sizes
            ways = int(sizes[which].sum())
            refuse_size(f"{fight.name} has {ways:,} ways to end, with what was before", ways, MOST_WAYS)
            parent = np.repeat(np.arange(len(ready)), sizes[which])
            inside = np.arange(len(parent)) - np.repeat(np.cumsum(sizes[which]) - sizes[which], sizes[which])
            end = first[which][parent] + inside
        else:
            place = np.full(len(rows), -1)
            place[before] = np.arange(len(before))
            who = np.flatnonzero(place[rows.at] >= 0)
            mine = place[rows.at[who]]
            solved, ends, size = [], np.empty(len(who), np.int64), 0
            for start, parts in enumerate(starts):
                inside = np.flatnonzero(which[mine] == start)
                solved.append(self.solver.simulated(fight, parts, who[inside]))
                ends[inside], size = size + solved[-1].rows, size + len(solved[-1])
            pairs, row = np.unique(mine * size + ends, return_inverse=True)
            parent, end = np.divmod(pairs, size)
            battles = who, row
        found = together(solved)
        after = ready.taken(parent)
        self.applied(number, after, [one[parent] for one in part], end, found)
        choice = GO if fight.sides[0].best and self.going is None else FIXED
        return Part(after, before[parent], found.p[end], choice, battles)

    def applied(self, number: int, rows: Rows, part: Sequence[np.ndarray], end: np.ndarray, ends: Ends) -> None:
        """Steps 6 to 9: the rows as the fight leaves them, in place."""
        fight, carry = self.plan.fights[number], self.plan.carry
        winner = ends.winner[end]
        rows.winner[:, number], rows.fought[:, number] = winner, True
        for name in fight.kept:
            if name in ends.kept:
                rows.kept[name] = ends.kept[name][end]
        for code, (side, there) in enumerate(zip(fight.sides, part, strict=True)):
            if side.force == UNNAMED:
                continue
            left, gained, away = (getattr(ends, name)[code][end] for name in ("left", "gained", "away"))
            own = rows.pieces[:, side.force]
            own[:, HERE] += np.where(carry.marks, left - there, left - there + gained)
            own[:, LOST] += np.where(carry.marks, 0, there - left - away)
            own[:, AWAY] += away
            left = np.where(carry.marks, 0, left)
            self.left_behind(rows, side, left, winner == code)
            driven = (winner == 1 - code) | (ends.fled[code][end] & (winner != code))
            if side.driven_off != STAY:
                moved(rows, side.force, side.driven_off, left * driven[:, None])
            carry.settle(own[:, HERE])

    @staticmethod
    def left_behind(rows: Rows, side: Side, part: np.ndarray, won: np.ndarray) -> None:
        """Step 8: `leave` is taken from those of the winner who took part."""
        if side.leave:
            moved(rows, side.force, side.leave_to, taken(part * won[:, None], side.leave))


def refuse_size(text: str, size: int, most: int) -> None:
    """Raise NoExactOdds for a campaign with too many ways."""
    if size > most:
        raise NoExactOdds(f"campaign: {text}; simulate, or name fewer columns")


def moved(rows: Rows, force: int, to: int, pieces: np.ndarray) -> None:
    """Move pieces from those that a force has here to those out, or to another force."""
    rows.pieces[:, force, HERE] -= pieces
    if to == OUT:
        rows.pieces[:, force, AWAY] += pieces
    else:
        rows.pieces[:, to, HERE] += pieces


def starts_of(part: Sequence[np.ndarray]) -> tuple[list[list[np.ndarray]], np.ndarray]:
    """The distinct starts of a fight, and which of them each row has."""
    both = np.concatenate(part, axis=1)
    distinct, which = np.unique(both, axis=0, return_inverse=True)
    return [np.split(one, 2) for one in distinct], which.ravel()
