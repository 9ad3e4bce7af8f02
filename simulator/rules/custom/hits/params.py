"""The chain and the arrays of `hits_rules`, for line-ups with too many places to work out each beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from simulator.engine.model.binomial import even_tables
from simulator.engine.model.chain import MOST_COUNT, Chain
from simulator.rules.battle import Refusal
from simulator.rules.custom.best import seeks
from simulator.rules.custom.build import Field, clock_of, leave_of
from simulator.rules.custom.game_file.format import SIDES, Support
from simulator.rules.custom.hits.dice import DICE, MORE, NEVER, WORDS, HitsParams, HitsState
from simulator.rules.custom.hits.line import Gauges, HitLine
from simulator.rules.custom.hits.rules import opened
from simulator.rules.custom.line import Stands
from simulator.rules.custom.rules import DEFENDER_LEFT
from simulator.rules.custom.setup import Help, Setup, Shot, SideSetup, bits, reroll_of
from simulator.rules.custom.tables import slots_of
from simulator.rules.custom.volleys import volley_of
from simulator.rules.toolkit.policies import named

# Entries of the table of chances of a die, by its value and the faces rolled again.
MOST_CHANCES = 1 << 20


@dataclass(frozen=True, eq=False)
class HitsField(Field):
    """A battle whose states are hits by block; `lines` say where they lie."""

    lines: dict[str, HitLine]

    def seen(self, states: Any) -> dict[str, tuple[Stands, np.ndarray]]:
        """The units that stand on each side in these states, and the row there of each state."""
        rows = np.arange(len(states.ending))
        words = {side: states[WORDS * n : WORDS * (n + 1)] for n, side in enumerate(SIDES)}
        return {side: (self.lines[side].at(words[side]), rows) for side in SIDES}


class Rerolls:
    """The rerolls that a die may have, each a bit; every combination has a row of chances."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._known: dict[str | frozenset[int], int] = {}

    def bit(self, reroll: str | frozenset[int]) -> int:
        """The bit of misses, or of some faces; 0 for none."""
        return 1 << self._known.setdefault(reroll, len(self._known)) if reroll else 0

    def chances(self) -> np.ndarray:
        """The chance of a die, by combination and value (section 4, steps 3 to 6). Raises Refusal for too many."""
        setup, values = self.setup, range(self.setup.file.dice.sides + 2)
        most, number = (MOST_CHANCES // len(values)).bit_length() - 1, len(self._known)
        if number > most:
            text = f"{number} different rerolls are too many for line-ups of this size; at most {most}"
            raise Refusal("rules", text)
        rows = []
        for combination in range(1 << number):
            chosen = [reroll for reroll, k in self._known.items() if combination >> k & 1]
            faces: frozenset[int] = frozenset().union(*(r for r in chosen if not isinstance(r, str)))
            rows.append([setup.chance(value, "misses" if "misses" in chosen else faces) for value in values])
        return np.array(rows, np.int64)


class SideArrays:
    """The arrays of what a side fires, and what helps it."""

    def __init__(self, side: SideSetup, gauges: dict[str, Gauges], rerolls: Rerolls) -> None:
        self.setup, self.side, self.rerolls = side.setup, side, rerolls
        self.own, self.enemy = gauges[side.side], gauges[side.enemy]
        self.shots, self.helps = [side.shots[i] for i in sorted(side.shots)], side.helps

    def made(self) -> dict[str, np.ndarray]:
        """All of them but those that count who stands."""
        phases, units, shots, helps = range(self.setup.phases + 1), range(len(self.setup.units)), self.shots, self.helps
        terms = [[self._terms(shot, phase) for phase in phases] for shot in shots]
        ends = [0, *accumulate(len(some) for shot in terms for some in shot)]
        # The end of a shot's last phase is where the next shot begins.
        at = [ends[n * len(phases) : (n + 1) * len(phases) + 1] for n in range(len(shots))]
        found = {
            "shots": ([self._shot(shot) for shot in shots], (8,)),
            "in_round": ([[shot.in_round(n) for n in phases] for shot in shots], (len(phases),)),
            "terms": ([term for shot in terms for some in shot for term in some], (2,)),
            "terms_at": (at, (len(phases) + 1,)),
            "rolls": ([[self._roll(shot, unit) for unit in units] for shot in shots], (len(units), 3)),
            "helps": ([self._help(rule) for rule in helps], (10,)),
            "to": ([[rule.units >> u & 1 for u in units] for rule in helps], (len(units),)),
            "holds": (
                [[[rule.applies(shot) and rule.in_round(n) for n in phases] for shot in shots] for rule in helps],
                (len(shots), len(phases)),
            ),
        }
        return {name: np.array(rows, np.int64).reshape(len(rows), *shape) for name, (rows, shape) in found.items()}

    def _scope(self, rule: Help | Shot) -> list[int]:
        own, enemy = self.own.number, self.enemy.number
        return [
            own(rule.if_own),
            enemy(rule.if_enemy),
            own(rule.unless_own or None),
            enemy(rule.unless_enemy or None),
        ]

    def _shot(self, shot: Shot) -> list[int]:
        aims = self.enemy.number(shot.targets), self.own.number(shot.limit_own), self.enemy.number(shot.limit_enemy)
        return [*self._scope(shot), *aims, int(shot.given.when == "each-round")]

    def _changes(self, shot: Shot, unit: int) -> bool:
        """May what stands there change the dice of a unit?"""
        return any(
            rule.units >> unit & 1 and rule.applies(shot) and (rule.by or self._scope(rule) != [NEVER] * 4)
            for rule in self.helps
        )

    def _terms(self, shot: Shot, phase: int) -> list[tuple[int, int]]:
        """The dice of a step in a round: those that nothing on the table changes by chance, best first; the others."""
        found: dict[int, list[int]] = {}
        changing = []
        for unit in bits(shot.by & self.side.present):
            if self._changes(shot, unit):
                changing.append((unit, -1))
                continue
            rules = [r for r in self.side.modifiers if r.units >> unit & 1 and r.applies(shot) and r.in_round(phase)]
            volley = volley_of(self.side, shot, unit, 1, [], rules)
            if volley.chance:
                found.setdefault(volley.chance, [0] * len(self.setup.units))[unit] = volley.dice
        return [(self.own.weighed(found[chance]), chance) for chance in sorted(found, reverse=True)] + changing

    def _roll(self, shot: Shot, unit: int) -> tuple[int, ...]:
        roll = self.setup.roll_of(unit, shot.roll)
        if roll is None:
            return 0, 0, 0
        changing = (shot.by & self.side.present) >> unit & 1 and self._changes(shot, unit)
        return roll.value, roll.dice, self.rerolls.bit(roll.reroll) if changing else 0

    def _help(self, rule: Help) -> list[int]:
        given, scope = rule.given, self._scope(rule)
        if isinstance(given, Support):
            return [*scope, given.sets or 0, given.adds or 0, 0, 0, given.each, self.own.number(rule.by)]
        return [*scope, 0, given.adds, given.dice, self.rerolls.bit(reroll_of(given.reroll)), 0, NEVER]


def _params(setup: Setup, lines: dict[str, HitLine]) -> HitsParams:
    gauges, rerolls = {side: Gauges(line) for side, line in lines.items()}, Rerolls(setup)
    fired = [SideArrays(setup.sides[side], gauges, rerolls).made() for side in SIDES]
    # The gauges come last: all that both sides' rules count are known then.
    sides = [
        {**arrays, **lines[side].arrays(), **gauges[side].arrays()} for side, arrays in zip(SIDES, fired, strict=True)
    ]
    groups = [[*_salvos(setup, lines, group)] for group in setup.groups]
    salvos = [salvo for group in groups for salvo in group]
    entries = [0, *accumulate(len(shots) for _, shots, _, _ in salvos)]
    places = [(int(i == 0), int(i == len(group) - 1)) for group in groups for i in range(len(group))]
    rows = [(salvo[0], *entries[i : i + 2], *places[i]) for i, salvo in enumerate(salvos)]
    return HitsParams(
        **{name: stacked([one[name] for one in sides]) for name in sides[0]},
        attacker_leave=leave_of(setup, "attacker"),
        defender_leave=leave_of(setup, "defender"),
        outpowered=np.array([int("outpowered" in setup.sides[side].leaving) for side in SIDES]),
        chance=rerolls.chances(),
        salvo=np.array(rows, np.int64).reshape(-1, 5),
        entry=np.array([shot for _, shots, _, _ in salvos for shot in shots], np.int64),
        leads=np.array([lead for _, _, leads, _ in salvos for lead in leads], np.int64),
        takes=stacked([np.array(takes, np.int64) for _, _, _, takes in salvos] or [np.zeros(1)]),
        whole=setup.whole,
        at_most=int(setup.file.dice.hit == "at-most"),
        opening=sum(map(len, groups[: setup.opening])),
        salvos=len(salvos),
        phases=setup.phases,
        clock=clock_of(setup),
        round_limit=setup.rounds or 0,
        retreat_after=setup.kind.retreat_after,
        retreats=int(setup.retreats),
        compares=int(setup.compares),
        low_luck=int(setup.low_luck),
    )


def _salvos(setup: Setup, lines: dict[str, HitLine], group: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """The hit classes of a group: side, its shots, which of them lead, and the blocks that are hit."""
    for number, side in enumerate(SIDES):
        rules = setup.sides[side]
        slots, order = slots_of(rules, group), sorted(rules.shots)
        for slot in slots:
            shots = [i for i in group if i in rules.shots and rules.shots[i].targets == slot.targets]
            same = [other.first for other in slots if other.targets == slot.targets]
            leads = [int(max(first for first in same if first <= shot) == slot.first) for shot in shots]
            takes = [int(block & slot.targets != 0) for block in lines[rules.enemy].blocks]
            yield number, [order.index(i) for i in shots], leads, takes


def stacked(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays as one, along a new first axis; where they are shorter than others, zeros follow."""
    shape = np.max([array.shape for array in arrays], axis=0)
    found = np.zeros((len(arrays), *np.maximum(shape, 1)), np.int64)
    for row, array in zip(found, arrays, strict=True):
        row[tuple(slice(size) for size in array.shape)] = array
    return found


def lay_out(setup: Setup) -> HitsField:
    """The battle as a chain. Raises Refusal for policies that need exact odds, and past the limits of blocks and
    rerolls.
    """
    for side in SIDES:
        field = f"policy.{side}"
        if "odds-below" in named(getattr(setup.fields.policy, side).retreat):
            raise Refusal(f"{field}.retreat", "odds-below needs exact odds; this battle is too large for them")
        for what in ("retreat", "loss_order"):
            if seeks(setup, side, what):
                raise Refusal(f"{field}.{what}", "best needs exact odds; this battle is too large for them")
    lines = {side: HitLine(setup, side) for side in SIDES}
    params = _params(setup, lines)
    start = opened(params, HitsState(*[0] * len(HitsState._fields)))
    first, limits = HitsState(*map(int, start)), _limits(params, lines)
    chain = Chain(params, first, limits, even_tables(), counters=("rounds",), may_be_over=True)
    nothing = [np.zeros(1, np.int64)] * WORDS
    places = {side: line.at(nothing) for side, line in lines.items()}
    return HitsField(setup, places, params, chain, lines)


def _limits(p: HitsParams, lines: dict[str, HitLine]) -> HitsState:
    """The largest value of each field."""
    each = p.rolls[..., DICE].max() + np.maximum(p.helps[..., MORE], 0).sum()
    most = int(sum(sum(line.own.counts) for line in lines.values()) * each * p.shots.shape[1])
    words = [*lines["attacker"].limits, *lines["defender"].limits]
    return HitsState(
        *words,
        *words,
        salvo=p.salvos,
        entry=len(p.entry),
        chance=p.whole + 1,
        dice=most,
        hits=most * (p.whole if p.low_luck else 1),
        clock=p.clock,
        ending=DEFENDER_LEFT,
        rounds=p.round_limit or MOST_COUNT,
    )
