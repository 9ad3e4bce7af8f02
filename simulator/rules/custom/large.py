"""Line-ups too large to work out every place: their arrays, their chain, and what their final states mean.

A side's place would be a number for each combination of hits on its blocks; here it stays the hits themselves, as bits
(see `large_rules`), and the chance tables give way to one number drawn for each roll.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simulator.engine.model.chain import MOST_COUNT, Chain
from simulator.engine.model.chance import Tables
from simulator.rules.battle import Built, Refusal
from simulator.rules.custom import best
from simulator.rules.custom.build import Laid, clock_of
from simulator.rules.custom.format import SIDES, Support
from simulator.rules.custom.large_dice import (
    DICE,
    EACH_ROUND,
    FIRES,
    FROM,
    LAST,
    MORE,
    NEVER,
    WORDS,
    Large,
    LargeState,
)
from simulator.rules.custom.large_line import Gauges, Line
from simulator.rules.custom.large_rules import HALF, opened
from simulator.rules.custom.rules import DEFENDER_LEFT
from simulator.rules.custom.setup import Help, Setup, Shot, SideSetup, bits, reroll_of
from simulator.rules.custom.tables import slots_of
from simulator.rules.custom.volleys import volley_of
from simulator.rules.toolkit.policies import named

# Entries of the table of chances of a die, by its value and the faces rolled again.
MOST_CHANCES = 1 << 20
NO_PIECE = 1 << 60
NONE = np.zeros(1, np.int64)


class Rerolls:
    """What may make a die be rolled again, each a bit; all combinations have a row of chances."""

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
        for combination in range(1 << len(self._known)):
            chosen = [reroll for reroll, k in self._known.items() if combination >> k & 1]
            faces: frozenset[int] = frozenset().union(*(r for r in chosen if not isinstance(r, str)))
            reroll = "misses" if "misses" in chosen else faces
            rows.append([setup.chance(value, reroll) for value in values])
        return np.array(rows, np.int64)


@dataclass(frozen=True, eq=False)
class LargeField(Laid):
    """A large battle laid out; its `places` are those of the start, or of the states that it is told with."""

    lines: dict[str, Line]
    chain: Chain

    @property
    def params(self) -> Large:
        """The arrays of the rules."""
        params: Large = self.chain.params
        return params


class _Arrays:
    """Fills `Large`."""

    def __init__(self, setup: Setup, lines: dict[str, Line]) -> None:
        self.setup, self.lines, self.rerolls = setup, lines, Rerolls(setup)
        self.gauges = {side: Gauges(line) for side, line in lines.items()}
        self.shots = {side: sorted(rules.shots) for side, rules in setup.sides.items()}

    def made(self) -> Large:
        """All of it."""
        setup = self.setup
        fired = [self._fired(setup.sides[side]) for side in SIDES]
        sides = [{**one, **self._drawn(side)} for side, one in zip(SIDES, fired, strict=True)]
        turns = [[*self._turns(group)] for group in setup.groups]
        flat = [turn for group in turns for turn in group]
        entry_at = np.cumsum([0, *(len(turn[1]) for turn in flat)])
        return Large(
            **{name: stacked([one[name] for one in sides]) for name in sides[0]},
            gone=np.array([self.lines[side].gone for side in SIDES], np.int64),
            policies=np.array([self._policy(side) for side in SIDES], np.int64),
            chance=self.rerolls.chances(),
            turns=np.array([(*turn[:1], *entry_at[i : i + 2]) for i, turn in enumerate(flat)] + [(0, 0, 0)], np.int64),
            entry=np.array([shot for turn in flat for shot in turn[1]], np.int64),
            leads=np.array([lead for turn in flat for lead in turn[2]], np.int64),
            takes=stacked([np.array(turn[3], np.int64) for turn in flat] or [NONE]),
            turn_at=np.cumsum([0, *map(len, turns)]).astype(np.int64),
            whole=setup.whole,
            at_most=int(setup.file.dice.hit == "at-most"),
            opening=setup.opening,
            groups=len(setup.groups),
            phases=setup.phases,
            clock=clock_of(setup),
            round_limit=setup.rounds or 0,
            retreat_after=setup.kind.retreat_after,
            retreats=int(any(named(getattr(setup.fields.policy, side).retreat) != ["never"] for side in SIDES)),
            compares=int(setup.compares),
            low_luck=int(setup.low_luck),
        )

    def _drawn(self, side: str) -> dict[str, np.ndarray]:
        """The loss line, and the gauges that all of both sides' rules asked for."""
        line = self.lines[side]
        each = [stretch.each or NO_PIECE for stretch in line.stretches]
        blocks = [(*where, *line.first[n : n + 2]) for n, where in enumerate(line.bits)]
        return {
            "line": np.array(line.order, np.int64).reshape(-1, 2),
            "stretches": np.array([*zip(line.begins, each, strict=True)], np.int64).reshape(-1, 2),
            "blocks": np.array(blocks, np.int64).reshape(-1, LAST + 1),
            **self.gauges[side].arrays(),
        }

    def _turns(self, group: Sequence[int]) -> Any:
        """The turns of a group: side, its shots, which of them lead, and the blocks that are hit."""
        for number, side in enumerate(SIDES):
            rules = self.setup.sides[side]
            slots = slots_of(rules, group)
            for slot in slots:
                shots = [i for i in group if i in rules.shots and rules.shots[i].targets == slot.targets]
                same = [other.first for other in slots if other.targets == slot.targets]
                leads = [int(max(first for first in same if first <= shot) == slot.first) for shot in shots]
                takes = [int(block & slot.targets != 0) for block in self.lines[rules.enemy].blocks]
                yield number, [self.shots[side].index(i) for i in shots], leads, takes

    def _policy(self, side: str) -> tuple[int, ...]:
        policy = getattr(self.setup.fields.policy, side)
        chosen = named(policy.retreat)
        return (
            policy.after_rounds if "after-rounds" in chosen else NEVER,
            policy.units_at_most if "units-at-most" in chosen else NEVER,
            int("outnumbered" in chosen),
            int("outpowered" in chosen),
        )

    def _scope(self, side: SideSetup, rule: Help | Shot) -> list[int]:
        own, enemy = self.gauges[side.side].number, self.gauges[side.enemy].number
        return [
            own(rule.if_own),
            enemy(rule.if_enemy),
            own(rule.unless_own or None),
            enemy(rule.unless_enemy or None),
        ]

    def _fired(self, side: SideSetup) -> dict[str, np.ndarray]:
        """What a side fires, and what helps it."""
        setup = self.setup
        shots = [side.shots[i] for i in self.shots[side.side]]
        helps = [*side.supports, *side.modifiers]
        phases, units = range(setup.phases + 1), range(len(setup.units))
        rolls = [[self._roll(side, shot, unit) for unit in units] for shot in shots]
        holds = [[[rule.applies(shot) and rule.in_round(n) for n in phases] for shot in shots] for rule in helps]
        plain = [[self._plain(side, shot, phase) for phase in phases] for shot in shots]
        flat = [[*dice] for shot in plain for phase in shot for dice in phase]
        # One more at the end of each shot's phases is where the next one's begin.
        ends = np.cumsum([0, *(len(phase) for shot in plain for phase in shot)])
        at = [ends[n * len(phases) : (n + 1) * len(phases) + 1] for n in range(len(shots))]
        return {
            "shots": np.array([self._shot(side, shot) for shot in shots], np.int64).reshape(-1, EACH_ROUND + 1),
            "in_round": np.array([[s.in_round(n) for n in phases] for s in shots], np.int64).reshape(-1, len(phases)),
            "plain": np.array(flat, np.int64).reshape(-1, 2),
            "plain_at": np.array(at, np.int64).reshape(-1, len(phases) + 1),
            "rolls": np.array(rolls, np.int64).reshape(-1, len(units), FIRES + 1),
            "helps": np.array([self._help(side, rule) for rule in helps], np.int64).reshape(-1, FROM + 1),
            "to": np.array([[rule.units >> u & 1 for u in units] for rule in helps], np.int64).reshape(-1, len(units)),
            "holds": np.array(holds, np.int64).reshape(len(helps), len(shots), len(phases)),
        }

    def _shot(self, side: SideSetup, shot: Shot) -> list[int]:
        own, enemy = self.gauges[side.side].number, self.gauges[side.enemy].number
        opening = {i for group in self.setup.groups[: self.setup.opening] for i in group}
        aims = enemy(shot.targets), own(shot.limit_own), enemy(shot.limit_enemy)
        return [*self._scope(side, shot), *aims, int(shot.number not in opening)]

    def _changes(self, side: SideSetup, shot: Shot, unit: int) -> bool:
        """May what stands there change the dice of a unit?"""
        return any(
            rule.units >> unit & 1 and rule.applies(shot) and (rule.by or self._scope(side, rule) != [NEVER] * 4)
            for rule in (*side.supports, *side.modifiers)
        )

    def _plain(self, side: SideSetup, shot: Shot, phase: int) -> list[tuple[int, int]]:
        """The dice that nothing on the table changes: their chance, best first, and the gauge of their number."""
        found: dict[int, list[int]] = {}
        for unit in bits(shot.by & side.present):
            if not self._changes(side, shot, unit):
                rules = [r for r in side.modifiers if r.units >> unit & 1 and r.applies(shot) and r.in_round(phase)]
                volley = volley_of(side, shot, unit, 1, [], rules)
                if volley.chance:
                    found.setdefault(volley.chance, [0] * len(self.setup.units))[unit] = volley.dice
        return [(chance, self.gauges[side.side].weighed(found[chance])) for chance in sorted(found, reverse=True)]

    def _roll(self, side: SideSetup, shot: Shot, unit: int) -> tuple[int, ...]:
        roll = self.setup.roll_of(unit, shot.roll)
        if roll is None:
            return 0, 0, 0, 0
        fires = shot.by & side.present & 1 << unit and self._changes(side, shot, unit)
        return roll.value, roll.dice, self.rerolls.bit(roll.reroll) if fires else 0, int(bool(fires))

    def _help(self, side: SideSetup, rule: Help) -> list[int]:
        given, scope = rule.given, self._scope(side, rule)
        if isinstance(given, Support):
            by = self.gauges[side.side].number(rule.by)
            return [*scope, given.sets or 0, given.adds or 0, 0, 0, given.each, by]
        return [*scope, 0, given.adds, given.dice, self.rerolls.bit(reroll_of(given.reroll)), 0, NEVER]


def stacked(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays as one, along a new first axis; where they are shorter than others, zeros follow."""
    shape = np.max([array.shape for array in arrays], axis=0)
    found = np.zeros((len(arrays), *np.maximum(shape, 1)), np.int64)
    for row, array in zip(found, arrays, strict=True):
        row[tuple(slice(size) for size in array.shape)] = array
    return found


def lay_out(setup: Setup) -> LargeField:
    """The chain of a large battle. Raises Refusal for policies that need exact odds, and past the limits of places and
    rerolls.
    """
    for side in SIDES:
        policy = getattr(setup.fields.policy, side)
        if "odds-below" in named(policy.retreat):
            raise Refusal(f"policy.{side}.retreat", "odds-below needs exact odds; this battle is too large for them")
        for what in ("retreat", "loss_order"):
            if best.seeks(setup, side, what):
                raise Refusal(f"policy.{side}.{what}", "best needs exact odds; this battle is too large for them")
    drawn = {side: Line(setup, side) for side in SIDES}
    params = _Arrays(setup, drawn).made()
    start = opened(params, LargeState(*[0] * len(LargeState._fields)))
    places = {side: line.start for side, line in drawn.items()}
    first, limits = LargeState(*map(int, start)), _limits(params, drawn)
    chain = Chain(params, first, limits, _numbers(), counters=("rounds",), may_be_over=True)
    return LargeField(setup, places, drawn, chain)


def _numbers() -> Tables:
    """Besides certainty, one table: all halves of a 32-bit number, equally likely.

    So even the first roll has too many results for its state to be spelled out.
    """
    return Tables(np.array([0, 1, 1 + HALF]), np.append(0, np.arange(HALF)), np.append(1.0, np.full(HALF, 1 / HALF)))


def _limits(p: Large, lines: dict[str, Line]) -> LargeState:
    """The largest value of each field."""
    each = p.rolls[..., DICE].max() + np.maximum(p.helps[..., MORE], 0).sum()
    most = int(sum(sum(line.own.counts) for line in lines.values()) * each * p.shots.shape[1])
    words = [*lines["attacker"].limits, *lines["defender"].limits]
    return LargeState(
        *words,
        *words,
        salvo=p.groups,
        turn=len(p.turns),
        entry=len(p.entry),
        chance=p.whole + 1,
        dice=most,
        hits=most * (p.whole if p.low_luck else 1),
        clock=p.clock,
        ending=DEFENDER_LEFT,
        rounds=p.round_limit or MOST_COUNT,
    )


def words_of(states: LargeState, side: str) -> Sequence[Any]:
    """The words of a side's places."""
    first = WORDS * SIDES.index(side)
    return states[first : first + WORDS]


def built(setup: Setup) -> Built:
    """Everything that answers a scenario whose line-ups are too large to work out every place."""
    from simulator.rules.custom import text
    from simulator.rules.custom.large_text import Teller
    from simulator.rules.custom.outcome import begun, outcome, pieces

    field = lay_out(setup)
    return Built(
        chain=replace(field.chain, tell=Teller(field)),
        outcome=lambda states: outcome(*seen(field, states)),
        pieces=lambda states: pieces(*seen(field, states)),
        assumptions=lambda: text.assumptions(field),
        explain=lambda: text.explain(field),
        begun=lambda states: begun(field.params.opening, states),
    )


@dataclass(frozen=True)
class _Ends:
    """Final states by the rows of the places that they stand in, as `outcome` reads them."""

    attacker: np.ndarray
    defender: np.ndarray
    clock: np.ndarray
    ending: np.ndarray
    rounds: np.ndarray


def seen(field: LargeField, states: LargeState) -> tuple[LargeField, Any]:
    """The field with the places of these final states, and the states as rows of them."""
    rows = np.arange(len(states.ending))
    words = {side: words_of(states, side) for side in SIDES}
    places = {side: field.lines[side].seen(words[side]) for side in SIDES}
    return replace(field, places=places), _Ends(rows, rows, states.clock, states.ending, states.rounds)
