"""The chain and the arrays of `hits/rules.py`, for line-ups with too many places to work out each beforehand."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from simulator.engine.model.binomial import even_tables
from simulator.engine.model.chain import MOST_COUNT, SIDES, Chain
from simulator.rules.battle import Refusal
from simulator.rules.custom.build import Field, leave_of
from simulator.rules.custom.decisions.best import seeks
from simulator.rules.custom.dice.die import Hit
from simulator.rules.custom.dice.volleys import volley_of
from simulator.rules.custom.game_file.format import Support
from simulator.rules.custom.hits.gauges import Gauges
from simulator.rules.custom.hits.kinds import Kinds
from simulator.rules.custom.hits.layout import (
    DICE,
    DIE_SIDES,
    GAUGE,
    KIND,
    LAST,
    MORE,
    NEVER,
    PAIRS,
    TALLIES,
    TALLY,
    TALLY_MASK,
    TALLY_SHIFT,
    WORDS,
    HitsParams,
    HitsState,
)
from simulator.rules.custom.hits.rules import opened
from simulator.rules.custom.hits.salvos import WORD_BITS, Salvos, packed, stacked
from simulator.rules.custom.line import LossLine, Stands
from simulator.rules.custom.masks import bits
from simulator.rules.custom.rules import DEFENDER_LEFT
from simulator.rules.custom.setup import Help, Setup, Shot, SideSetup
from simulator.rules.toolkit.policies import named

# Dice that a side rolls at most where dice are compared.
MOST_DICE = 10
# Chances of dice are parts of a whole up to this.
LARGEST_WHOLE = 1 << 40


@dataclass(frozen=True, eq=False)
class HitsField(Field):
    """A battle whose states are hits by block; `lines` say where they lie, `faces` are its hit classes."""

    lines: dict[str, HitLine]
    faces: list[Hit]

    def seen(self, states: Any) -> dict[str, tuple[Stands, np.ndarray]]:
        """The standing units of each side in these states, and the row there of each state (int64, shape (states,))."""
        rows = np.arange(len(states.ending))
        words = {side: states[WORDS * n : WORDS * (n + 1)] for n, side in enumerate(SIDES)}
        return {side: (self.lines[side].at(words[side]), rows) for side in SIDES}


class HitLine(LossLine):
    """The loss line of a side, and where the hits on each block lie.

    `bits`: (word, shift, mask) of each block; `gone`: the words where everybody is lost, `limits` the largest words.
    Units that nothing can hit are lost together when they are removed alone: one hit on the last block.
    """

    def __init__(self, setup: Setup, side: str) -> None:
        super().__init__(setup, side)
        self.setup, self.side, self.own = setup, side, setup.sides[side]
        most = [*self.points[:-1], min(1, self.points[-1])]
        bits = packed(most, WORDS)
        if bits is None:
            room = WORDS * (WORD_BITS // (1000).bit_length())
            raise Refusal(
                side,
                f"{len(self.blocks)} groups of units are hit apart from each other: too many in these numbers; "
                f"{room} of 1,000 hits fit",
            )
        self.bits, self.gone, self.limits = bits, [0] * WORDS, [0] * WORDS
        for number, (word, shift, mask) in zip(most, bits, strict=True):
            self.gone[word] += number << shift
            self.limits[word] += mask << shift

    def at(self, words: Sequence[np.ndarray]) -> Stands:
        """The standing units in these places, one row each; `words` are uint64 or int64 arrays of shape (places,)."""
        hits = [words[word] >> shift & mask for word, shift, mask in self.bits]
        hits[-1] = hits[-1] * self.points[-1]
        taken = self.taken(hits, len(self.setup.units))
        return Stands(self.setup, self.side, self.line, taken)

    def arrays(self, weights: np.ndarray) -> dict[str, np.ndarray]:
        """The arrays of the loss line, and of gauges with these weights (int64 of shape (units, gauges))."""
        last = len(self.blocks)
        hit = [stretch for stretch in self.stretches if stretch[1] < last]
        safe = [points // each * weights[unit] for unit, k, _, points, each in self.stretches if k == last and each]
        rows = [*sorted(hit, key=itemgetter(1)), (NEVER, last, 0, 1, 1)]
        falls = np.array([*(weights[unit] * (each > 0) for unit, *_, each in rows[:-1]), sum(safe, 0 * weights[0])])
        taken = falls * [[points // max(1, each)] for *_, points, each in rows]
        lost = taken.cumsum(axis=0) - taken
        first = [bisect_left(rows, block, key=itemgetter(1)) for block in range(last + 2)]
        blocks = [(*where, *first[n : n + 2]) for n, where in enumerate(self.bits) if self.points[n]]
        return {
            "line": np.array(
                [(block, begin + points, each) for _, block, begin, points, each in hit], np.int64
            ).reshape(-1, 3),
            "stretches": np.array([(begin, each) for _, _, begin, _, each in rows], np.int64),
            "blocks": np.array(blocks, np.int64).reshape(-1, LAST + 1),
            "gone": np.array(self.gone, np.int64),
            "came": np.array(self.own.counts) @ weights,
            "lost": lost - lost[[first[block] for _, block, *_ in rows]],
            "falls": falls,
        }


class SideArrays:
    """The arrays of what a side fires, and what helps it."""

    def __init__(self, side: SideSetup, gauges: Gauges, kinds: Kinds) -> None:
        self.setup, self.side, self.gauges, self.kinds = side.setup, side, gauges, kinds
        self.shots, self.helps = [side.shots[i] for i in sorted(side.shots)], side.helps

    def made(self) -> dict[str, np.ndarray]:
        """All int64 arrays of a side by name, without those of the loss line."""
        phases, units, shots, helps = range(self.setup.phases + 1), range(len(self.setup.units)), self.shots, self.helps
        found: dict[str, tuple[list[Any], tuple[int, ...]]] = {
            "shots": ([self._shot(shot) for shot in shots], (8,)),
            "in_round": ([[shot.in_round(n) for n in phases] for shot in shots], (len(phases),)),
            "terms": ([[self._terms(shot, phase) for phase in phases] for shot in shots], (len(phases), len(units), 2)),
            "rolls": ([[self._roll(shot, unit) for unit in units] for shot in shots], (len(units), 5)),
            "helps": ([self._help(rule) for rule in helps], (12,)),
            "to": ([[rule.units >> u & 1 for u in units] for rule in helps], (len(units),)),
            "holds": (
                [[[rule.applies(shot) and rule.in_round(n) for n in phases] for shot in shots] for rule in helps],
                (len(shots), len(phases)),
            ),
        }
        return {name: np.array(rows, np.int64).reshape(len(rows), *shape) for name, (rows, shape) in found.items()}

    def _scope(self, rule: Help | Shot) -> list[int]:
        masks = rule.if_own, rule.if_enemy, rule.unless_own or None, rule.unless_enemy or None
        return [self.gauges.number(mask) for mask in masks]

    def _shot(self, shot: Shot) -> list[int]:
        aims = shot.targets, shot.limit_own, shot.limit_enemy
        return [*self._scope(shot), *map(self.gauges.number, aims), int(shot.given.when == "each-round")]

    def _changes(self, shot: Shot, unit: int) -> bool:
        """Does a unit fire this step with dice that depend on what stands there?"""
        return bool((shot.by & self.side.present) >> unit & 1) and any(
            rule.units >> unit & 1 and rule.applies(shot) and (rule.by or self._scope(rule) != [NEVER] * 4)
            for rule in self.helps
        )

    def _terms(self, shot: Shot, phase: int) -> list[tuple[int, int]]:
        """The dice of a step in a round, in no order, with the numbers of their kinds: as many rows as units."""
        found: dict[int, list[int]] = {}
        changing = []
        for unit in bits(shot.by & self.side.present):
            if self._changes(shot, unit):
                changing.append((unit, -1))
                continue
            rules = [r for r in self.side.modifiers if r.units >> unit & 1 and r.applies(shot) and r.in_round(phase)]
            volley = volley_of(self.side, shot, unit, 1, [], rules)
            if volley.hits:
                found.setdefault(self.kinds.of(volley), [0] * len(self.setup.units))[unit] = volley.dice
        terms = [*changing, *((self.gauges.weighed(weights), kind) for kind, weights in found.items())]
        return terms + [(0, 0)] * (len(self.setup.units) - len(terms))

    def _roll(self, shot: Shot, unit: int) -> tuple[int, ...]:
        roll = self.side.roll(unit, shot)
        if roll is None:
            return 0, 0, 0, 0, 0
        if not self._changes(shot, unit):
            return roll.value, roll.dice, 0, 0, int(roll.compared)
        row = self.kinds.row(self.side, shot, unit, roll)
        return roll.value, roll.dice, self.kinds.bit(roll.reroll), row, int(roll.compared)

    def _help(self, rule: Help) -> list[int]:
        given, scope = rule.given, self._scope(rule)
        if isinstance(given, Support):
            gauge = self.gauges.number(rule.by)
            gifts = given.sets or 0, given.adds or 0, given.dice, 0
            return [*scope, *gifts, given.each, gauge, int(not rule.own), self._stack(rule)]
        again = given.reroll if isinstance(given.reroll, str) else frozenset(given.reroll)
        return [*scope, 0, given.adds, given.dice, self.kinds.bit("" if again == "none" else again), 0, NEVER, 0, 0]

    def _stack(self, rule: Help) -> int:
        """The number of the stack of a support, 0 for none; stacks are apart by whose units help."""
        keys = [(one.own, one.given.stack) for one in self.side.supports if one.given.stack is not None]
        return 0 if rule.given.stack is None else 1 + keys.index((rule.own, rule.given.stack))


def _params(setup: Setup, lines: dict[str, HitLine], faces: list[Hit]) -> HitsParams:
    gauges, kinds = Gauges(setup), Kinds(setup)
    fired = [SideArrays(setup.sides[side], gauges, kinds).made() for side in SIDES]
    salvos = Salvos(setup, lines, gauges, faces)
    # Kinds and gauges come last: all that both sides' rules count are known then.
    table = kinds.table()
    ranks = kinds.ranks()
    for made in fired:
        made["terms"] = _best_first(made["terms"], ranks)
    sides = [made | lines[side].arrays(gauges.weights()) for made, side in zip(fired, SIDES, strict=True)]
    return HitsParams(
        **{name: stacked([one[name] for one in sides]) for name in sides[0]},
        **salvos.arrays(),
        attacker_leave=leave_of(setup, "attacker"),
        defender_leave=leave_of(setup, "defender"),
        outpowered=np.array([int("outpowered" in setup.sides[side].leaving) for side in SIDES]),
        kinds=kinds.rows(faces),
        kind=ranks[table],
        whole=setup.whole,
        least_value=kinds.values.start,
        at_most=int(setup.file.dice.hit == "at-most"),
        **setup.course,
        low_luck=int(setup.low_luck),
    )


def _best_first(terms: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """The terms with kinds by rank: those that change, then the best ones first, then those of no dice."""
    found = np.where(terms[..., KIND] < 0, -1, ranks[terms[..., KIND]])
    order = np.argsort(np.where(found < 0, -len(ranks), -found), axis=-1, kind="stable")
    pairs = np.stack([terms[..., GAUGE], found], axis=-1)
    return np.take_along_axis(pairs, order[..., None], axis=-2)


def lay_out(setup: Setup) -> HitsField:
    """The battle as a chain. Raises Refusal for policies that need exact odds, and past the limits of blocks and
    rerolls.
    """
    for side in SIDES:
        _check(setup, side)
    lines = {side: HitLine(setup, side) for side in SIDES}
    faces: list[Hit] = []
    params = _params(setup, lines, faces)
    start = opened(params, HitsState(*[0] * len(HitsState._fields)))
    first, limits = HitsState(*map(int, start)), _limits(params, lines)
    chain = Chain(params, first, limits, even_tables(), counters=("rounds",), may_be_over=True)
    nothing = [np.zeros(1, np.int64)] * WORDS
    places = {side: line.at(nothing) for side, line in lines.items()}
    return HitsField(setup, places, params, chain, lines, faces)


def _check(setup: Setup, side: str) -> None:
    """Raises Refusal for policies that need exact odds or mean hits of compared dice, and for too many dice sizes."""
    field, policy = f"policy.{side}", getattr(setup.fields.policy, side)
    if "odds-below" in named(policy.retreat):
        raise Refusal(f"{field}.retreat", "odds-below needs exact odds; this battle is too large for them")
    if "outpowered" in named(policy.retreat) and any(map(setup.compared, range(len(setup.groups)))):
        text = "outpowered needs mean hits of dice that are compared; this battle is too large for them"
        raise Refusal(f"{field}.retreat", text)
    for what in ("retreat", "loss_order"):
        if seeks(setup, side, what):
            raise Refusal(f"{field}.{what}", "best needs exact odds; this battle is too large for them")
    if setup.whole > LARGEST_WHOLE:
        raise Refusal(side, "too many units for a game with dice of so many different sizes; give fewer")


def _limits(p: HitsParams, lines: dict[str, HitLine]) -> HitsState:
    """The largest value of each field."""
    each = p.rolls[..., DICE].max() + np.maximum(p.helps[..., MORE], 0).sum()
    most = int(sum(sum(line.own.counts) for line in lines.values()) * each)
    words = [*lines["attacker"].limits, *lines["defender"].limits]
    return HitsState(
        *words,
        *words,
        *_largest_tallies(p),
        salvo=p.salvos,
        entry=len(p.entry),
        kind=len(p.kinds),
        hit=max(len(p.hits), MOST_DICE),
        dice=most,
        chance=p.whole,
        rest=max(p.whole, p.kinds[:, DIE_SIDES].max()),
        clock=p.clock,
        ending=DEFENDER_LEFT,
        rounds=p.round_limit or MOST_COUNT,
    )


def _largest_tallies(p: HitsParams) -> list[int]:
    """The largest value of each word of a tally."""
    if p.salvo[:, PAIRS].any():
        return [(1 << WORD_BITS) - 1] * TALLIES
    most = [0] * TALLIES
    for hit in p.hits.tolist():
        most[hit[TALLY]] = max(most[hit[TALLY]], hit[TALLY_MASK] + 1 << hit[TALLY_SHIFT])
    return most
