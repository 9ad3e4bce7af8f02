"""Line-ups too large to work out every place: their arrays, their chain, and what their final states mean.

A side's place would be a number for each combination of hits on its blocks; here it stays the hits themselves, as bits
(see `large_rules`), and the chance tables give way to one number drawn for each roll.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import prod
from typing import Any

import numpy as np

from simulator.engine.chain import Chain
from simulator.engine.chance import Tables
from simulator.rules.battle import Built, Refusal
from simulator.rules.custom import best
from simulator.rules.custom.build import Laid, clock_of
from simulator.rules.custom.format import SIDES, Support
from simulator.rules.custom.large_rules import (
    DICE,
    EACH_ROUND,
    FIGHTING_UNITS,
    FIRES,
    FROM,
    HALF,
    HITS,
    MORE,
    SUPPORTING_UNITS,
    WORDS,
    Large,
    LargeState,
    opened,
)
from simulator.rules.custom.line import Stands, absorbs_first, blocks_of, by_side, loss_line
from simulator.rules.custom.rules import DEFENDER_LEFT
from simulator.rules.custom.setup import Help, Rolled, Setup, Shot, SideSetup, bits, reroll_of
from simulator.rules.custom.tables import slots_of
from simulator.rules.toolkit.policies import named

# Bits of a word that hold hits; one more of the first tells that everybody is lost.
WORD_BITS = 62
MOST_ROUNDS = 1 << 40
# Entries of the table of chances of a die, by its value and the faces rolled again.
MOST_CHANCES = 1 << 20
NEVER = -1
NONE = np.zeros(1, np.int64)


class Line:
    """The loss line of a side in stretches of one unit, and where the hits on its blocks lie in a place."""

    def __init__(self, setup: Setup, side: str, line: Sequence[int]) -> None:
        self.setup, self.side, self.line = setup, side, line
        self.own = setup.sides[side]
        self.blocks = blocks_of(setup, side, line)
        block_of = {unit: number for number, block in enumerate(self.blocks) for unit in bits(block)}
        points = np.zeros(len(self.blocks), np.int64)
        stretches = []
        for unit, run in groupby(line):
            size = sum(1 for _ in run)
            if unit in block_of:
                block = block_of[unit]
                stretches.append((unit, block, int(points[block]), size))
                points[block] += size
        self.stretches = np.array(stretches, np.int64).reshape(-1, 4)
        self.points = points
        self.bits = np.zeros((len(points), 3), np.int64)
        used = [0] * WORDS
        for block, wide in enumerate(map(int.bit_length, points.tolist())):
            fitting = [w for w, bits_used in enumerate(used) if bits_used + wide <= WORD_BITS - (w == 0)]
            if not fitting:
                raise Refusal(side, "too many kinds of units with targets of their own: what they lost does not fit")
            self.bits[block] = fitting[0], used[fitting[0]], (1 << wide) - 1
            used[fitting[0]] += wide
        self.gone = 1 << used[0]
        self.limits = [2 * self.gone - 1, *((1 << bits_used) - 1 for bits_used in used[1:])]

    def units(self) -> np.ndarray:
        """By unit: what `Large.units` has."""
        setup, own = self.setup, self.own
        removed = setup.mask(by_side(setup.file.losses.removed_alone, self.side))
        return np.array(
            [
                (
                    own.counts[u] * (own.fights >> u & 1),
                    own.counts[u] * (own.supporters >> u & 1),
                    unit.hits,
                    absorbs_first(setup, self.side, u),
                    removed >> u & 1,
                )
                for u, unit in enumerate(setup.file.unit.values())
            ],
            np.int64,
        )

    def parts(self) -> np.ndarray:
        """By unit: its stretches, as `Large.parts` has them."""
        by_unit = [self.stretches[self.stretches[:, 0] == u, 1:] for u in range(len(self.own.counts))]
        return stacked(by_unit)

    def seen(self, words: Sequence[np.ndarray]) -> Stands:
        """What stands in these places: as `Places`, one row for each."""
        units = self.units()
        taken = np.zeros((len(words[0]), len(units)), np.int64)
        for unit, block, begin, size in self.stretches.tolist():
            word, shift, mask = self.bits[block].tolist()
            hit = words[word] >> shift & mask
            taken[:, unit] += np.clip(hit - begin, 0, size)
        taken[words[0] >= self.gone] = units[:, FIGHTING_UNITS] * units[:, HITS]
        return Stands(self.setup, self.side, self.line, taken)

    @property
    def start(self) -> Stands:
        """What stands at the beginning."""
        return self.seen([np.zeros(1, np.int64)] * WORDS)


class Selectors:
    """Lists of units by what they are asked for."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}

    def number(self, mask: int | None) -> int:
        """The number of the list of a mask's units, NEVER for none at all."""
        return NEVER if mask is None else self._known.setdefault(mask, len(self._known))

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """`listed` and `list_at`."""
        return _joined([list(bits(mask)) for mask in self._known])


def _joined(parts: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Lists one after the other, and where each begins."""
    flat = np.array([value for part in parts for value in part], np.int64)
    return flat, np.cumsum([0, *map(len, parts)]).astype(np.int64)


class Rerolls:
    """What may make a die be rolled again, each a bit; all combinations have a row of chances."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._known: dict[str | frozenset[int], int] = {}

    def bit(self, reroll: str | frozenset[int]) -> int:
        """The bit of misses, or of some faces; 0 for none."""
        return 1 << self._known.setdefault(reroll, len(self._known)) if reroll else 0

    def chances(self) -> np.ndarray:
        """The chance of a die, by combination and value (section 4, steps 3 to 6)."""
        setup, values = self.setup, range(self.setup.file.dice.sides + 2)
        if len(values) << len(self._known) > MOST_CHANCES:
            raise Refusal("rules", f"too many different rerolls for line-ups of this size: {len(self._known)}")
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
        self.setup, self.lines = setup, lines
        self.selectors, self.rerolls = Selectors(), Rerolls(setup)
        self.shots = {side: sorted(rules.shots) for side, rules in setup.sides.items()}

    def made(self) -> Large:
        """All of it."""
        setup = self.setup
        sides = [self._fired(setup.sides[side]) for side in SIDES]
        lines = [self.lines[side] for side in SIDES]
        turns = [[*self._turns(group)] for group in setup.groups]
        flat = [turn for group in turns for turn in group]
        entry_at = np.cumsum([0, *(len(turn[1]) for turn in flat)])
        listed, list_at = self.selectors.arrays()
        return Large(
            units=np.array([line.units() for line in lines]),
            line=stacked([line.stretches[:, 1:] for line in lines]),
            parts=stacked([line.parts() for line in lines]),
            blocks=stacked([line.bits for line in lines]),
            gone=np.array([line.gone for line in lines], np.int64),
            policies=np.array([self._policy(side) for side in SIDES], np.int64),
            **{name: stacked([fired[name] for fired in sides]) for name in sides[0]},
            chance=self.rerolls.chances(),
            listed=listed,
            list_at=list_at,
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
            low_luck=int(setup.low_luck),
        )

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

    def _scope(self, rule: Help | Shot) -> list[int]:
        keys = rule.if_own, rule.if_enemy, rule.unless_own or None, rule.unless_enemy or None
        return [self.selectors.number(mask) for mask in keys]

    def _fired(self, side: SideSetup) -> dict[str, np.ndarray]:
        """What a side fires, and what helps it."""
        setup, number = self.setup, self.selectors.number
        shots = [side.shots[i] for i in self.shots[side.side]]
        helps = [*side.supports, *side.modifiers]
        phases, units = range(setup.phases + 1), range(len(setup.units))
        opening = {i for group in setup.groups[: setup.opening] for i in group}
        rolls = [[self._roll(setup.roll_of(u, shot.roll), shot.by >> u & 1) for u in units] for shot in shots]
        holds = [[[rule.applies(shot) and rule.in_round(n) for n in phases] for shot in shots] for rule in helps]
        return {
            "shots": np.array(
                [
                    [*self._scope(s), *map(number, (s.targets, s.limit_own, s.limit_enemy)), s.number not in opening]
                    for s in shots
                ],
                np.int64,
            ).reshape(-1, EACH_ROUND + 1),
            "in_round": np.array([[s.in_round(n) for n in phases] for s in shots], np.int64).reshape(-1, len(phases)),
            "rolls": np.array(rolls, np.int64).reshape(-1, len(units), FIRES + 1),
            "helps": np.array([self._help(rule) for rule in helps], np.int64).reshape(-1, FROM + 1),
            "to": np.array([[rule.units >> u & 1 for u in units] for rule in helps], np.int64).reshape(-1, len(units)),
            "holds": np.array(holds, np.int64).reshape(len(helps), len(shots), len(phases)),
        }

    def _roll(self, roll: Rolled | None, fires: int) -> tuple[int, ...]:
        return (roll.value, roll.dice, self.rerolls.bit(roll.reroll), fires) if roll else (0, 0, 0, 0)

    def _help(self, rule: Help) -> list[int]:
        given = rule.given
        if isinstance(given, Support):
            return [
                *self._scope(rule),
                given.sets or 0,
                given.adds or 0,
                0,
                0,
                given.each,
                self.selectors.number(rule.by),
            ]
        again = self.rerolls.bit(reroll_of(given.reroll))
        return [*self._scope(rule), 0, given.adds, given.dice, again, 0, NEVER]


def stacked(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays as one, along a new first axis; where they are shorter than others, zeros follow."""
    shape = np.max([array.shape for array in arrays], axis=0)
    found = np.zeros((len(arrays), *np.maximum(shape, 1)), np.int64)
    for row, array in zip(found, arrays, strict=True):
        row[tuple(slice(size) for size in array.shape)] = array
    return found


def lay_out(setup: Setup, lines: dict[str, list[int]]) -> LargeField:
    """The chain of a large battle. Raises Refusal for policies that need exact odds."""
    for side in SIDES:
        policy = getattr(setup.fields.policy, side)
        if "odds-below" in named(policy.retreat):
            raise Refusal(f"policy.{side}.retreat", "odds-below needs exact odds; this battle is too large for them")
        for what in ("retreat", "loss_order"):
            if best.seeks(setup, side, what):
                raise Refusal(f"policy.{side}.{what}", "best needs exact odds; this battle is too large for them")
    drawn = {side: Line(setup, side, lines[side]) for side in SIDES}
    params = _Arrays(setup, drawn).made()
    start = opened(params, LargeState(*[0] * len(LargeState._fields)))
    places = {side: line.start for side, line in drawn.items()}
    # Each roll has HALF * HALF results, so that it is never worth spelling out.
    size = max(HALF * HALF, prod(int(points) + 1 for line in drawn.values() for points in line.points))
    chain = Chain(
        params, LargeState(*map(int, start)), _limits(params, drawn), _numbers(), counters=("rounds",), at_least=size
    )
    return LargeField(setup, places, drawn, chain)


def _numbers() -> Tables:
    """Besides certainty, one table: all halves of a 32-bit number, equally likely."""
    return Tables(np.array([0, 1, 1 + HALF]), np.append(0, np.arange(HALF)), np.append(1.0, np.full(HALF, 1 / HALF)))


def _limits(p: Large, lines: dict[str, Line]) -> LargeState:
    """The largest value of each field."""
    each = p.rolls[..., DICE].max() + np.maximum(p.helps[..., MORE], 0).sum()
    most = int(p.units[..., FIGHTING_UNITS : SUPPORTING_UNITS + 1].sum() * each * p.shots.shape[1])
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
        rounds=p.round_limit or MOST_ROUNDS,
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

    field = lay_out(setup, {side: loss_line(setup, side) for side in SIDES})
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
