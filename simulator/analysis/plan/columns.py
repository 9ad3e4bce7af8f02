"""The attacks that can be made on each target, the defences of each hold, and what they are worth (docs/rules/plan.md
sections 3.1 and 3.4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, TypeVar

import numpy as np

from simulator.analysis.odds.stages import COMMON, ExactRun
from simulator.analysis.plan.front_campaign import AGAIN, THEM, US
from simulator.analysis.plan.turn import Front, Turn, slot_prices
from simulator.engine.api import expect_many, values_from
from simulator.engine.model.limits import EXACT_BYTES, NoExactOdds
from simulator.rules.battle import ATTACKER, Misfit, Refusal
from simulator.rules.campaign.course import Course
from simulator.rules.campaign.plan import HERE, LOST, CampaignPlan
from simulator.rules.campaign.rows import Rows
from simulator.rules.campaign.solve import FightSolver
from simulator.rules.campaign.starts import StartGroup, fields_of_fight, in_groups

MOST_COLUMNS = 250_000
# Columns that are fought together: their ends are held at the same time.
AT_ONCE = 4_000
# With more columns than this, a compiled kernel that is in the cache is loaded at once: it explores faster than plain
# Python. The first plan of a process takes, in seconds of CPU without and with loading, 1.1 and 1.1 for 2,450 columns,
# 1.5 and 1.3 for 4,860, 2.45 and 2.15 for 28,900.
MANY = 3_000
T = TypeVar("T")

Progress = Callable[[int, int | None], object]


@dataclass
class Columns:
    """The attacks on a target, or the defences of a hold, the empty one first.

    `numbers`: the pieces that take part, int64, shape (columns, pieces). Expectations, float64, shape (columns,): the
    place is `taken`; the `chance` that a target falls or a hold is held; the price of `own_lost` and `enemy_lost`
    pieces; `worth`.
    """

    numbers: np.ndarray
    taken: np.ndarray
    chance: np.ndarray
    own_lost: np.ndarray
    enemy_lost: np.ndarray
    worth: np.ndarray

    def __len__(self) -> int:
        return len(self.numbers)

    def only(self, chosen: np.ndarray) -> Columns:
        """These of the columns (an index of NumPy)."""
        return Columns(*(values[chosen] for values in vars(self).values()))


def columns_of(turn: Turn, progress: Progress | None = None) -> list[Columns]:
    """The columns of every front, for one more of each piece than there is.

    Raises NoExactOdds for too many of them, or a battle too large for exact odds.
    """
    asked = [_numbers(turn, front) for front in turn.fronts]
    size = sum(prod(most + 1) for most in (most_of(turn, front) for front in turn.fronts))
    if size > MOST_COLUMNS:
        shorter = "leave pieces at home with stay, or shorten reach"
        raise NoExactOdds(f"plan: {size:,} attacks to weigh; at most {MOST_COLUMNS:,}; {shorter}")
    total, found, done = sum(map(len, asked)), [], 0
    # The chains of all fronts are checked before one is solved: small ones are solved sooner than a kernel compiles.
    chains = [
        _of_front(front, _chains, turn, front, numbers) for front, numbers in zip(turn.fronts, asked, strict=True)
    ]
    for own in chains if total > MANY else ():
        for one in own:
            expect_many(one.group.joined.chain, values=True)
    for front, numbers, own in zip(turn.fronts, asked, chains, strict=True):
        found.append(_of_front(front, _fought, turn, front, numbers, own))
        done += len(numbers)
        if progress:
            progress(done, total)
    return found


def _of_front(front: Front, function: Callable[..., T], *given: Any) -> T:
    """The answer of a function; its NoExactOdds names the front."""
    try:
        return function(*given)
    except NoExactOdds as refusal:
        raise NoExactOdds(f"{front.path}: {refusal}") from None


def most_of(turn: Turn, front: Front) -> np.ndarray:
    """The most of each piece that can take part: int64, shape (pieces,)."""
    there = turn.here - turn.staying
    if front.home >= 0:
        there = there.copy()
        there[front.home] = turn.here[front.home]
    return np.asarray((there * front.reaches).sum(axis=0))


def _numbers(turn: Turn, front: Front) -> np.ndarray:
    """The numbers of pieces of every column, at most one of them more than there is: int64, shape (columns, pieces)."""
    most = most_of(turn, front)
    reached = front.reaches.any(axis=0)
    if prod(most + 1) > MOST_COLUMNS:
        return np.zeros((0, len(most)), np.int64)
    found = np.indices((most + 1 + reached).tolist()).reshape(len(most), -1).T
    found = found[(found > most).sum(axis=1) <= 1]
    for group, number in front.limits:
        found = found[found @ group <= number]
    if front.plan is None:
        return np.asarray(found[:1])
    slots = found @ _slots(turn, front, front.plan)
    fits = np.ones(len(found), bool)
    if not front.hold:
        fits = np.all([slots[:, able].sum(axis=1) > 0 for able in front.plan.fights[0].sides[0].able], axis=0)
    fits[0] = True
    found, slots = found[fits], slots[fits]
    return np.asarray(found[_allowed(front.plan, slots)])


def _slots(turn: Turn, front: Front, plan: CampaignPlan) -> np.ndarray:
    """The slots of one of each piece in the campaign of a front: int64, shape (pieces, slots)."""
    found = np.zeros((len(turn.pieces), len(plan.carry.slots)), np.int64)
    for piece in np.flatnonzero(front.reaches.any(axis=0)):
        found[piece] = plan.carry.read(turn.pieces[piece].one)
    return found


def _here(plan: CampaignPlan, ours: np.ndarray) -> np.ndarray:
    """The pieces of all forces for each column: int64, shape (columns, forces, slots)."""
    here = np.repeat(plan.start[None], len(ours), axis=0)
    us = plan.forces.index(US)
    # Marks, such as the level of a fort, belong to the place.
    here[:, us] = np.where(plan.carry.marks, here[:, us], ours)
    return here


def _allowed(plan: CampaignPlan, ours: np.ndarray) -> np.ndarray:
    """The columns that the game does not refuse for their size: bool, shape (columns,)."""
    fight = plan.fights[0]
    part, able = plan.coming(fight, _here(plan, ours))
    fought = np.flatnonzero(able[0] & able[1])

    def fits(row: int) -> bool:
        try:
            fields_of_fight(plan, fight, [one[row] for one in part])
        except (Refusal, Misfit):
            return False
        return True

    found = np.ones(len(ours), bool)
    # A column that is allowed with the most pieces of each kind is allowed with fewer.
    largest = (
        {int(fought[(part[0] + part[1])[fought, slot].argmax()]) for slot in range(part[0].shape[1])}
        if len(fought)
        else set()
    )
    largest |= {int(fought[(part[0] + part[1])[fought].sum(axis=1).argmax()])} if len(fought) else set()
    if not all(map(fits, largest)):
        found[fought] = [fits(row) for row in fought.tolist()]
    return found


def _fought(turn: Turn, front: Front, numbers: np.ndarray, chains: list[OneChain]) -> Columns:
    """These columns with their expectations; `chains`: those of `_chains`."""
    plan = front.plan
    if plan is None:
        none = np.zeros(len(numbers))
        return Columns(numbers, none, none, none, none, none)
    here = _here(plan, numbers @ _slots(turn, front, plan))
    values = np.full((4, len(numbers)), np.nan)
    for one in chains:
        solved = _of_group(turn, front, _course(plan), one.group, one.part)
        # A column that changes otherwise than by the pieces at the start would show in the smallest line-up.
        if np.allclose(one.least, solved[:, one.group.least], rtol=1e-9, atol=1e-9):
            values[:, one.places] = solved
    alone = np.flatnonzero(np.isnan(values[0]))
    for first in range(0, len(alone), AT_ONCE):
        some = alone[first : first + AT_ONCE]
        course = _course(plan)
        values[:, some] = _from_rows(turn, front, course, _rows(plan, here[some]), 0)
    comes = getattr(front.table, "comes", 1.0)
    # If the enemy does not come, the place is held and nobody is lost.
    values = values * comes + (1 - comes) * np.array([[0], [1], [0], [0]])
    if not front.hold:
        values[:, ~numbers.any(axis=1)] = 0
    taken, chance, own_lost, enemy_lost = values
    return Columns(numbers, taken, chance, own_lost, enemy_lost, _worth(turn, front, values))


def variance(turn: Turn, front: Front, numbers: np.ndarray) -> float:
    """The variance of the worth of one column: `numbers` of pieces, int64, shape (pieces,)."""
    plan = front.plan
    if plan is None or not (front.hold or numbers.any()):
        return 0.0
    course = _course(plan)

    def moments(rows: Rows) -> np.ndarray:
        worth = _worth(turn, front, _values(turn, front, plan, rows))
        return np.array([worth, worth**2])

    here = _here(plan, numbers[None] @ _slots(turn, front, plan))
    mean, square = _from_rows(turn, front, course, _rows(plan, here), 0, moments)[:, 0]
    comes = getattr(front.table, "comes", 1.0)
    mean, square = (comes * one + (1 - comes) * front.table.worth**power for power, one in enumerate((mean, square), 1))
    return max(0.0, float(square - mean**2))


def _course(plan: CampaignPlan) -> Course:
    return Course(FightSolver(plan, ExactRun(EXACT_BYTES, shared=COMMON)))


def _rows(plan: CampaignPlan, here: np.ndarray) -> Rows:
    """Campaigns that begin with these pieces, a row each."""
    rows = Rows.first(plan, None).taken(np.zeros(len(here), np.int64))
    rows.pieces[:, :, HERE] = here
    rows.p = np.full(len(here), 1 / len(here))
    return rows


def _from_rows(
    turn: Turn,
    front: Front,
    course: Course,
    rows: Rows,
    fight: int,
    values_of: Callable[[Rows], np.ndarray] | None = None,
) -> np.ndarray:
    """The expected values of a campaign from rows before a fight: float64, shape (values, rows)."""
    plan, sizes = course.plan, []
    begun = len(course.edges)
    for number in range(fight, len(plan.fights)):
        sizes.append(len(rows))
        rows = course.fought(number, rows)
    values = values_of(rows) if values_of else _values(turn, front, plan, rows)
    for edges, size in zip(reversed(course.edges[begun:]), reversed(sizes), strict=True):
        values = np.array([np.bincount(edges.before, edges.p * one[edges.after], size) for one in values])
    return values


@dataclass
class OneChain:
    """Columns whose attacks are one chain: their `places` among all columns, int64; the pieces that take part (`part`,
    by side, int64, shape (columns, slots)); and the values of the smallest line-up, solved alone (`least`).
    """

    places: np.ndarray
    group: StartGroup
    part: list[np.ndarray]
    least: np.ndarray


def _chains(turn: Turn, front: Front, numbers: np.ndarray) -> list[OneChain]:
    """The columns whose attacks are one chain."""
    plan = front.plan
    if plan is None:
        return []
    here = _here(plan, numbers @ _slots(turn, front, plan))
    fight, carry = plan.fights[0], plan.carry
    part, able = plan.coming(fight, here.copy())
    pointless = carry.pointless(fight.kind, [side.table if side.force < 0 else {} for side in fight.sides], part)
    fought = np.flatnonzero(able[0] & able[1] & ~pointless)
    found = []
    for group in in_groups(plan, fight, [[one[row] for one in part] for row in fought]):
        places = fought[group.places]
        least = _from_rows(turn, front, _course(plan), _rows(plan, here[places[[group.least]]]), 0)[:, 0]
        found.append(OneChain(places, group, [one[places] for one in part], least))
    return found


def _of_group(turn: Turn, front: Front, course: Course, group: StartGroup, part: list[np.ndarray]) -> np.ndarray:
    """The values of line-ups that are one chain, `part` by line-up: float64, shape (values, line-ups).

    Every end is looked at as one of the largest line-up: it has the same survivors, and more losses of ours.
    """
    plan, fight = course.plan, course.plan.fights[0]
    most = [one.max(axis=0) for one in part]
    ours = next(at for at, side in enumerate(fight.sides) if side.force == plan.forces.index(US))

    def worth(states: Any) -> np.ndarray:
        size = len(states[0])
        whole = group.joined.outcome(states, group.numbers.max(axis=0).tolist())
        ends = course.solver.ends(fight, [np.broadcast_to(one, (size, len(one))) for one in most], whole, size)
        start = _rows(plan, plan.start[None])
        for side, one in zip(fight.sides, most, strict=True):
            start.pieces[:, side.force, HERE] = one
        ways = np.zeros(size, np.int64), np.arange(size)
        after, row = course.ended(0, start, [one[None] for one in most], ways, ends)
        return _from_rows(turn, front, course, after, 1)[:, row]

    found = values_from(group.joined.chain, np.asarray(group.joined.starts), worth)
    found[2] -= (most[ours] - part[ours]) @ slot_prices(turn, plan.carry)
    return found


def _values(turn: Turn, front: Front, plan: CampaignPlan, rows: Rows) -> np.ndarray:
    """The values of each end of a campaign, if the enemy comes: taken, good for us, own_lost, enemy_lost; float64,
    shape (4, rows).
    """
    prices = slot_prices(turn, plan.carry)
    taken = _taken(rows, 0, "attack_taken")
    falls = taken & ~_taken(rows, 1, "counter_taken") if len(plan.fights) > 1 else taken
    enemies = [plan.forces.index(name) for name in (THEM, AGAIN) if name in plan.forces]
    own_lost = rows.pieces[:, plan.forces.index(US), LOST] @ prices
    enemy_lost = rows.pieces[:, enemies, LOST].sum(axis=1) @ prices
    return np.array([taken, ~taken if front.hold else falls, own_lost, enemy_lost], float)


def _worth(turn: Turn, front: Front, values: np.ndarray) -> np.ndarray:
    """The worth of these values: float64, shape (columns,)."""
    ours, theirs = turn.weights
    return np.asarray(front.table.worth * values[1] + ours * values[2] + theirs * values[3])


def _taken(rows: Rows, fight: int, column: str) -> np.ndarray:
    """The ends in which the attacker of a fight has taken the place: bool, shape (rows,)."""
    kept = rows.kept.get(column)
    return np.asarray(rows.winner[:, fight] == ATTACKER if kept is None else kept, bool)
