"""From a Setup to a chain: salvos, rows and the arrays of `Params`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from math import isqrt, lcm, prod
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chain import ENEMY, SIDES, Chain
from simulator.engine.model.chance import LARGEST_RESULT, TableBook
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, WINNERS
from simulator.rules.custom.decisions import best
from simulator.rules.custom.decisions.win_chance_threshold import below_odds
from simulator.rules.custom.dice.aimed import aimed_throws
from simulator.rules.custom.dice.bounds import most_dice
from simulator.rules.custom.dice.die import Hit
from simulator.rules.custom.dice.hits import check_size
from simulator.rules.custom.dice.opposed import BOTH, opposed_throws
from simulator.rules.custom.dice.points import points_throws
from simulator.rules.custom.dice.tables import MOST_RESULTS, DiceTables, Throws, packing
from simulator.rules.custom.kept import keep, key_of
from simulator.rules.custom.least_size import least_size
from simulator.rules.custom.line import Places
from simulator.rules.custom.masks import bits, mask_of
from simulator.rules.custom.rules.rules import opened
from simulator.rules.custom.rules.state import (
    ATTACKER_LEFT,
    DEFENDER_ASKED,
    DEFENDER_LEFT,
    GONE,
    STALEMATE,
    Army,
    Params,
    State,
)
from simulator.rules.custom.setup import Setup
from simulator.rules.toolkit.retreat import Leave, any_of, outnumbered

# The largest count of rounds. It is larger for dice with more sides than FEW_SIDES, which may hit once in their sides
# squared; a smaller one keeps packed states in fewer bits.
MOST_ROUNDS, MANY_ROUNDS, FEW_SIDES = 2**20 - 1, 2**31 - 1, 100
# Rows of both sides' tables for all groups and kinds of rounds, megabytes of chance tables.
MOST_ROWS, MOST_MEGABYTES = 5_000_000, 2_000
# Fewer places than this are never too much in any other way.
FEW_PLACES = 10_000
# The layout of a battle with at most this many places of a side is kept.
MOST_PLACES_KEPT = 512
# Sums of mean hits stay below this.
LARGEST_MEANS = 1 << 62
# The fields that each side's dice change.
FACTORED = ("defender", "defender_next"), ("attacker", "attacker_next")
NO_ODDS = np.zeros((0, 1, 1), np.int64)


class Salvo(NamedTuple):
    """The rolls of both sides at one time: a group, and which of its hit classes each side rolls."""

    group: int
    first: bool
    last: bool
    slots: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Field:
    """A battle ready to be fought: its setup, the places of both sides, its salvos, the targets of its hit classes."""

    setup: Setup
    places: dict[str, Places]
    chain: Chain
    salvos: list[Salvo]
    classes: dict[str, list[Hit]]

    def seen(self, states: Any) -> dict[str, tuple[Places, np.ndarray]]:
        """The places of each side, and the place of each state: int64, shape (states,)."""
        return {side: (self.places[side], getattr(states, side)) for side in SIDES}

    def winner(self, ends: Any, seen: Mapping[str, tuple[Places, np.ndarray]]) -> np.ndarray:
        """Winner codes of final states, ATTACKER, DEFENDER or NOBODY (section 6): int64, shape (states,).

        `seen`: as `seen(ends)` gives it.
        """
        attackers, defenders = [stands.units.take(rows) > 0 for stands, rows in seen.values()]
        found = _winners(self.setup.kind.undecided).take(4 * ends.ending + 2 * attackers + defenders)
        if not self.setup.kind.yields:
            return found
        mask = mask_of(self.setup.file, self.setup.kind.yields)
        attacker, defender = [stands.only(mask)[rows] for stands, rows in seen.values()]
        yielding = (ends.ending == STALEMATE) & (attacker != defender)
        return np.where(yielding, np.where(attacker, DEFENDER, ATTACKER), found)


class SalvoLayout:
    """Salvos and rows: which groups are fought, in how many throws, and which rounds are alike; and their `tables`.

    Battles that differ only in when sides leave have one.
    """

    def __init__(self, setup: Setup, places: dict[str, Places], most_results: int) -> None:
        self.setup, self.places, self.most_results = setup, places, most_results
        book = TableBook()
        self.dice = {
            side: DiceTables(setup, side, places[side], places[setup.sides[side].enemy], book) for side in SIDES
        }
        self.salvos = [salvo for number in range(len(setup.groups)) for salvo in self._salvos(number)]
        self._known: dict[Hashable, int] = {}
        self._held = [setup.held(phase) for phase in range(setup.phases + 1)]
        self.throws: dict[str, list[Throws]] = {side: [] for side in SIDES}
        self.rows = np.array([[self._row(salvo, phase) for salvo in self.salvos] for phase in range(setup.phases + 1)])
        self.tables = book.close()
        most = [sum(dice.most_points.values()) * (setup.rounds or 0) for dice in self.dice.values()]
        # Points of both sides in one number: the attacker's times this and the defender's.
        self.points_unit = most[1] + 1
        self.most_points = most[0] * self.points_unit + most[1]

    def _salvos(self, number: int) -> list[Salvo]:
        slots = [dice.slots[number] for dice in self.dice.values()]
        caps = [[dice.caps[slot.hit] for slot in dice.slots[number]] for dice in self.dice.values()]
        points = [[dice.points[slot.hit] for slot in dice.slots[number]] for dice in self.dice.values()]
        chosen = [tuple(range(len(some))) for some in slots]
        if all(prod(most + 1 for most in some) <= self.most_results for some in points):
            return [Salvo(number, True, True, tuple(chosen))]
        runs = [dice.linked(number) for dice in self.dice.values()]
        for side, some, own in zip(SIDES, caps, runs, strict=True):
            for run in own:
                check_size(side, prod(some[k] + 1 for k in run), "results of dice that fall together", LARGEST_RESULT)
        longest = max(map(len, runs))
        parts = [tuple([own[k] if k < len(own) else () for own in runs]) for k in range(longest)]
        return [Salvo(number, k == 0, k == longest - 1, part) for k, part in enumerate(parts)]

    def _row(self, salvo: Salvo, phase: int) -> int:
        """The row of a salvo in a round; rounds in which the same rules hold share it."""
        setup = self.setup
        if (phase == 0) != (salvo.group < setup.opening):
            return 0
        key = (salvo, self._held[phase])
        if key not in self._known:
            self._known[key] = len(self._known)
            for side, throws in zip(SIDES, self._throws(salvo, phase), strict=True):
                self.throws[side].append(throws)
        return self._known[key]

    def _throws(self, salvo: Salvo, phase: int) -> Sequence[Throws]:
        """The throws of both sides in a salvo of a round."""
        if (step := self.setup.opposed(salvo.group)) is not None:
            return opposed_throws(self.dice, step, salvo.group, phase)
        if self.setup.scores(salvo.group):
            return [points_throws(dice, salvo.group, phase) for dice in self.dice.values()]
        if self.setup.aimed(salvo.group):
            return [aimed_throws(dice, salvo.group, phase) for dice in self.dice.values()]
        both = zip(self.dice.values(), salvo.slots, strict=True)
        return [dice.throws(salvo.group, chosen, phase) for dice, chosen in both]


def lay_out(setup: Setup, places: Mapping[str, Places] | None = None, most_results: int = MOST_RESULTS) -> Field:
    """The battle as a chain, over these places if any are given.

    Hit classes of a group are rolled together up to `most_results` results, else one after the other.
    Raises TooLarge where there is more to work out than is kept.
    """
    layout = _layout_of(setup, most_results) if places is None else SalvoLayout(setup, dict(places), most_results)
    places, below, scale = layout.places, below_odds(setup, lay_out), _scale(layout)
    params = _params(setup, layout, [_army(setup, layout, side, below.get(side, NO_ODDS), scale) for side in SIDES])
    start = State(*(int(value) for value in opened(params, State(0, 0))))
    chain = Chain(
        params,
        start,
        _limits(setup, layout, params),
        layout.tables,
        counters=("points" if params.scores.any() else "rounds",),
        # Groups of one salvo are solved on a grid, whose size is known.
        at_least=(0, 0) if _together(layout) else least_size(params, start, layout.tables),
        may_be_over=True,
        factored=None if params.compared.any() or params.scores.any() or params.chosen else FACTORED,
    )
    return Field(setup, places, chain, layout.salvos, {side: layout.dice[side].classes for side in SIDES})


def _layout_of(setup: Setup, most_results: int) -> SalvoLayout:
    """The layout of the battle's own places; line-ups with few of them are kept."""

    def make() -> tuple[SalvoLayout, bool]:
        layout = SalvoLayout(setup, places_of(setup), most_results)
        return layout, max(map(len, layout.places.values())) <= MOST_PLACES_KEPT

    # Retreats by the odds are worked out under fewer rounds, in which fewer points are scored.
    key = key_of(setup.kind_name, setup.fields), "outpowered" in setup.leaving, setup.rounds, most_results
    return keep(setup.source, "layouts", key, make)


def _params(setup: Setup, layout: SalvoLayout, armies: Sequence[Army]) -> Params:
    salvos, opening = layout.salvos, setup.opening
    return Params(
        attacker=armies[0],
        defender=armies[1],
        rows=layout.rows,
        begins=np.array([int(salvo.first) for salvo in salvos]),
        ends=np.array([int(salvo.last) for salvo in salvos]),
        compared=np.array([0 if layout.setup.opposed(salvo.group) is None else BOTH for salvo in salvos]),
        scores=np.array([layout.points_unit * setup.scores(salvo.group) for salvo in salvos]),
        opening=sum(salvo.group < opening for salvo in salvos),
        salvos=len(salvos),
        phases=setup.phases,
        clock=setup.clock,
        round_limit=setup.rounds or 0,
        retreat_after=setup.kind.retreat_after,
        retreats=int(bool(setup.leaving)),
        compares=int("outpowered" in setup.leaving),
        chosen=int(bool(best.seeking(setup, "loss_order"))),
    )


def _together(layout: SalvoLayout) -> bool:
    """Are all dice of each group rolled in one salvo?"""
    return all(salvo.first and salvo.last for salvo in layout.salvos)


def _limits(setup: Setup, layout: SalvoLayout, params: Params) -> State:
    """The largest value of each field of a state."""
    last = {side: len(layout.places[side]) - 1 for side in SIDES}
    together = _together(layout)
    if params.chosen and not together:
        raise best.too_large(setup, "their hits cannot be told apart")
    return State(
        attacker=last["attacker"],
        defender=last["defender"],
        attacker_next=0 if together else last["attacker"],
        defender_next=0 if together and not params.chosen else last["defender"],
        salvo=len(layout.salvos),
        clock=params.clock,
        ending=DEFENDER_LEFT,
        stage=DEFENDER_ASKED if best.sought(setup) else 0,
        hits=params.chosen * (layout.tables.width - 1),
        part=params.chosen * max(int(army.classes.max(initial=0)) for army in (params.attacker, params.defender)),
        points=layout.most_points,
        rounds=setup.rounds or (MOST_ROUNDS if setup.file.dice.sides <= FEW_SIDES else MANY_ROUNDS),
    )


def places_of(setup: Setup) -> dict[str, Places]:
    """The places of both sides. Raises TooLarge where they, or the tables by place, are too many."""
    places = {side: Places(setup, side) for side in SIDES}
    for side, own in places.items():
        if len(own) >= FEW_PLACES:
            check_size(side, _megabytes(own), "MB of chance tables", MOST_MEGABYTES)
    rows = setup.opening + _rounds(setup) * (len(setup.groups) - setup.opening)
    check_size(SIDES[0], rows * sum(map(len, places.values())), "line-ups in all groups of steps", MOST_ROWS)
    return places


def _rounds(setup: Setup) -> int:
    """The kinds of rounds in which different rules hold."""
    return len({setup.held(number) for number in range(1, setup.phases + 1)})


def _megabytes(places: Places) -> int:
    """The approximate size of a side's chance tables, nine deviations wide each way.

    There is one for each line-up of units whose numbers change the dice of a step.
    """
    found, own = 0, places.own
    for shot in filter(own.able, own.shots.values()):
        helpers = [rule.by for rule in own.helps if rule.own and rule.applies(shot)]
        asked = reduce(or_, helpers, shot.by | (shot.limit_own or 0)) & own.present
        line_ups = prod(1 + sum(own.counts[u] for u in bits(block & asked)) for block in places.blocks)
        dice = most_dice(own, [shot.number])
        found += line_ups * min(dice + 1, 9 * isqrt(dice) + 2)
    return 16 * found // 1_000_000


def _army(setup: Setup, layout: SalvoLayout, side: str, below: np.ndarray, scale: Fraction) -> Army:
    """The arrays of one side."""
    own, enemy = layout.places[side], ENEMY[side]
    rolls, means = _rolls(layout, side, scale)
    classes, stride, size, targets = _slots(layout, side)
    return Army(
        units=own.units.copy(),
        alone=own.alone.astype(np.int64),
        # An array: the engine checks its contract with the rules again for each new plain number.
        gone=np.array([own.gone]),
        after_hits=_after_hits(layout, side),
        shows=np.array([throws.shown for throws in layout.throws[enemy]], np.int64).reshape(-1, len(own)),
        rolls=rolls,
        means=means,
        classes=classes,
        stride=stride,
        size=size,
        targets=targets,
        **best.ways_of(setup, side, own, layout.dice[enemy].classes),
        asked=int(side in best.seeking(setup, "retreat")),
        leave=leave_of(setup, side),
        outpowered=int("outpowered" in setup.sides[side].leaving),
        below_odds=below,
    )


def _after_hits(layout: SalvoLayout, side: str) -> np.ndarray:
    """Places after 1, 2, 4, 8, ... hits of each class of the enemy's shots."""
    own, enemy = layout.places[side], ENEMY[side]
    powers = [own.after_hits(hit) for hit in layout.dice[enemy].classes]
    return np.stack(powers or [np.zeros((1, len(own)), np.int64)], axis=1)


def _rolls(layout: SalvoLayout, side: str, scale: Fraction) -> tuple[np.ndarray, np.ndarray]:
    """Tables by row, own place, and what the enemy shows; the means likewise where a policy asks for them, else 0."""
    throws = layout.throws[side]
    shape = max(1, len(throws)), len(layout.places[side]), max((found.tables.shape[1] for found in throws), default=1)
    asked = "outpowered" in layout.setup.leaving
    rolls, means = np.zeros(shape, np.int64), np.zeros(shape if asked else (1, 1, 1), np.int64)
    for row, found in enumerate(throws):
        rolls[row, :, : found.tables.shape[1]] = found.tables
        if asked:
            means[row, :, : found.tables.shape[1]] = np.vectorize(lambda mean: round(mean * scale))(found.means)
    return rolls, means


def _scale(layout: SalvoLayout) -> Fraction:
    """The factor by which means become whole numbers; past int64 they are rounded."""
    if "outpowered" not in layout.setup.leaving:
        return Fraction(1)
    all_throws = [found for throws in layout.throws.values() for found in throws]
    means = [mean for found in all_throws for mean in set(found.means.ravel().tolist())]
    scale = Fraction(lcm(*[mean.denominator for mean in means]))
    most = max([1, *means]) * max(1, len(layout.salvos))
    return min(scale, Fraction(LARGEST_MEANS) / most)


def _slots(layout: SalvoLayout, side: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The numbers that unpack each salvo's results."""
    dice, number = layout.dice[side], SIDES.index(side)
    widest = max(1, *(len(salvo.slots[number]) for salvo in layout.salvos))
    unused, classes = (1, 1, 0), []
    unpacked: list[tuple[tuple[int, int, int], ...]] = []
    for salvo in layout.salvos:
        hits = [dice.slots[salvo.group][k].hit for k in salvo.slots[number]]
        caps = [dice.caps[hit] for hit in hits]
        classes.append(len(hits))
        strides = zip(packing(caps), caps, hits, strict=True)
        used = [(wide, cap + 1, dice.classes.index(hit)) for wide, cap, hit in strides]
        unpacked.append((*used, *[unused] * (widest - len(used))))
    stride, size, targets = np.ascontiguousarray(np.array(unpacked, np.int64).transpose(2, 0, 1))
    return np.array(classes, np.int64), stride, size, targets


def leave_of(setup: Setup, side: str) -> Leave:
    """The policy of a side that depends on its units, the enemy's, or the number of rounds (section 8)."""
    policy, chosen, found = getattr(setup.fields.policy, side), setup.sides[side].leaving, Leave()
    if "after-rounds" in chosen:
        found = any_of(found, Leave(rounds=policy.after_rounds))
    if "units-at-most" in chosen:
        found = any_of(found, Leave(below=policy.units_at_most + 1))
    return any_of(found, outnumbered()) if "outnumbered" in chosen else found


@cache
def _winners(undecided: str) -> np.ndarray:
    """The winner by ending, and by whether the attacker and the defender have units left, flattened (section 6)."""
    found = np.full((DEFENDER_LEFT + 1, 2, 2), WINNERS.index(undecided))
    found[GONE] = [[NOBODY, DEFENDER], [ATTACKER, ATTACKER]]
    found[ATTACKER_LEFT], found[DEFENDER_LEFT] = DEFENDER, ATTACKER
    return found.ravel()
