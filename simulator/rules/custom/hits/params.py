"""The chain and the arrays of `hits_rules`, for line-ups with too many places to work out each beforehand."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from operator import itemgetter
from typing import Any

import numpy as np

from simulator.engine.model.binomial import even_tables
from simulator.engine.model.chain import MOST_COUNT, Chain
from simulator.rules.battle import Refusal
from simulator.rules.custom.best import seeks
from simulator.rules.custom.build import Field, leave_of
from simulator.rules.custom.dice.die import Hit, chance_at, classes_of
from simulator.rules.custom.dice.tables import slots_of
from simulator.rules.custom.dice.volleys import volley_of
from simulator.rules.custom.game_file.checks import largest_die
from simulator.rules.custom.game_file.format import SIDES, Support
from simulator.rules.custom.hits.dice import DICE, LAST, MORE, NEVER, WORDS, HitsParams, HitsState
from simulator.rules.custom.hits.rules import opened
from simulator.rules.custom.line import LossLine, Stands, removed_alone
from simulator.rules.custom.masks import bits
from simulator.rules.custom.rules import DEFENDER_LEFT
from simulator.rules.custom.setup import Again, Help, Rolled, Setup, Shot, SideSetup
from simulator.rules.toolkit.naming import listed
from simulator.rules.toolkit.policies import named

# Chances of dice are parts of a whole up to this.
LARGEST_WHOLE = 1 << 40
# Bits of a word that hold hits.
WORD_BITS = 62
# Entries of the table of chances of a die, by its value and the faces rolled again.
MOST_CHANCES = 1 << 20


@dataclass(frozen=True, eq=False)
class HitsField(Field):
    """A battle whose states are hits by block; `lines` say where they lie."""

    lines: dict[str, HitLine]

    def seen(self, states: Any) -> dict[str, tuple[Stands, np.ndarray]]:
        """The standing units of each side in these states, and the row there of each state (int64, shape (states,))."""
        rows = np.arange(len(states.ending))
        words = {side: states[WORDS * n : WORDS * (n + 1)] for n, side in enumerate(SIDES)}
        return {side: (self.lines[side].at(words[side]), rows) for side in SIDES}


class Rerolls:
    """The dice of a game, numbered, and the rerolls that they may have, each a bit; every combination has a row."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.dice: list[str | None] = [None, *setup.file.die]
        self._known: dict[Again, int] = {}

    def bit(self, reroll: Again) -> int:
        """The bit of misses, or of some faces; 0 for none."""
        return 1 << self._known.setdefault(reroll, len(self._known)) if reroll else 0

    def chances(self) -> np.ndarray:
        """The chance of a die (section 4, steps 3 to 6): int64 of shape (dice, combinations, values), in parts of the
        whole.

        Raises Refusal for too many combinations.
        """
        file, values = self.setup.file, range(largest_die(self.setup.file) + 2)
        most, number = (MOST_CHANCES // len(values)).bit_length() - 1, len(self._known)
        if number > most:
            text = f"{number} different rerolls are too many for line-ups of this size; at most {most}"
            raise Refusal("rules", text)
        found = []
        for die, combination in product(self.dice, range(1 << number)):
            chosen = [reroll for reroll, k in self._known.items() if combination >> k & 1]
            faces: frozenset[int | str] = frozenset().union(*(r for r in chosen if not isinstance(r, str)))
            again: Again = "misses" if "misses" in chosen else faces
            found.append([chance_at(file, Rolled(value, 1, again, die=die)) for value in values])
        return np.array(found, np.int64).reshape(len(self.dice), -1, len(values))


class HitLine(LossLine):
    """The loss line of a side, and where the hits on each block lie.

    `bits`: (word, shift, mask) of each block; `gone`: the words where everybody is lost, `limits` the largest words.
    Units that nothing can hit are lost together when they are removed alone: one hit on the last block.
    """

    def __init__(self, setup: Setup, side: str) -> None:
        super().__init__(setup, side)
        self.setup, self.side, self.own = setup, side, setup.sides[side]
        self._find_room()

    def _find_room(self) -> None:
        self.bits, self.gone, used = [], [0] * WORDS, [0] * WORDS
        for most in [*self.points[:-1], min(1, self.points[-1])]:
            wide = most.bit_length()
            word = next((w for w in range(WORDS) if used[w] + wide <= WORD_BITS), None)
            if word is None:
                room = WORDS * (WORD_BITS // (1000).bit_length())
                raise Refusal(
                    self.side,
                    f"{len(self.blocks)} groups of units are hit apart from each other: too many in these numbers; "
                    f"{room} of 1,000 hits fit",
                )
            self.bits.append((word, used[word], (1 << wide) - 1))
            self.gone[word] += most << used[word]
            used[word] += wide
        self.limits = [(1 << wide) - 1 for wide in used]

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
            "line": np.array([(block, begin + points) for _, block, begin, points, _ in hit], np.int64).reshape(-1, 2),
            "stretches": np.array([(begin, each) for _, _, begin, _, each in rows], np.int64),
            "blocks": np.array(blocks, np.int64).reshape(-1, LAST + 1),
            "gone": np.array(self.gone, np.int64),
            "came": np.array(self.own.counts) @ weights,
            "lost": lost - lost[[first[block] for _, block, *_ in rows]],
            "falls": falls,
        }


class Gauges:
    """Gauges, numbered: one of each unit, those that fight on each side, those that stay when left alone, others."""

    def __init__(self, setup: Setup) -> None:
        fights = [setup.sides[side].fights for side in SIDES]
        stay = [mask & ~removed_alone(setup, side) for mask, side in zip(fights, SIDES, strict=True)]
        self.units = range(len(setup.units))
        self._weights = [self._of(mask) for mask in (*(1 << unit for unit in self.units), *fights, *stay)]

    def _of(self, mask: int) -> list[int]:
        return [mask >> unit & 1 for unit in self.units]

    def weighed(self, weights: list[int]) -> int:
        """The gauge with these weights by unit."""
        if weights not in self._weights:
            self._weights.append(weights)
        return self._weights.index(weights)

    def number(self, mask: int | None) -> int:
        """The gauge that counts the units of a mask; NEVER for None."""
        return NEVER if mask is None else self.weighed(self._of(mask))

    def weights(self) -> np.ndarray:
        """All weights: int64, shape (units, gauges)."""
        return np.array(self._weights, np.int64).T


class SideArrays:
    """The arrays of what a side fires, and what helps it."""

    def __init__(self, side: SideSetup, gauges: Gauges, rerolls: Rerolls) -> None:
        self.setup, self.side, self.gauges, self.rerolls = side.setup, side, gauges, rerolls
        self.shots, self.helps = [side.shots[i] for i in sorted(side.shots)], side.helps

    def made(self) -> dict[str, np.ndarray]:
        """All int64 arrays of a side by name, without those of the loss line."""
        phases, units, shots, helps = range(self.setup.phases + 1), range(len(self.setup.units)), self.shots, self.helps
        found: dict[str, tuple[list[Any], tuple[int, ...]]] = {
            "shots": ([self._shot(shot) for shot in shots], (8,)),
            "in_round": ([[shot.in_round(n) for n in phases] for shot in shots], (len(phases),)),
            "terms": ([[self._terms(shot, phase) for phase in phases] for shot in shots], (len(phases), len(units), 2)),
            "rolls": ([[self._roll(shot, unit) for unit in units] for shot in shots], (len(units), 4)),
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
        """The dice of a step in a round, as in `terms`: as many rows as units."""
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
        terms = [*changing, *((self.gauges.weighed(found[chance]), chance) for chance in sorted(found, reverse=True))]
        return terms + [(0, 0)] * (len(self.setup.units) - len(terms))

    def _roll(self, shot: Shot, unit: int) -> tuple[int, ...]:
        roll = self.side.roll(unit, shot)
        if roll is None:
            return 0, 0, 0, 0
        reroll = self.rerolls.bit(roll.reroll) if self._changes(shot, unit) else 0
        return roll.value, roll.dice, reroll, self.rerolls.dice.index(roll.die)

    def _help(self, rule: Help) -> list[int]:
        given, scope = rule.given, self._scope(rule)
        if isinstance(given, Support):
            gauge = self.gauges.number(rule.by)
            gifts = given.sets or 0, given.adds or 0, given.dice, 0
            return [*scope, *gifts, given.each, gauge, int(not rule.own), self._stack(rule)]
        again = given.reroll if isinstance(given.reroll, str) else frozenset(given.reroll)
        return [*scope, 0, given.adds, given.dice, self.rerolls.bit("" if again == "none" else again), 0, NEVER, 0, 0]

    def _stack(self, rule: Help) -> int:
        """The number of the stack of a support, 0 for none; stacks are apart by whose units help."""
        keys = [(one.own, one.given.stack) for one in self.side.supports if one.given.stack is not None]
        return 0 if rule.given.stack is None else 1 + keys.index((rule.own, rule.given.stack))


def _params(setup: Setup, lines: dict[str, HitLine]) -> HitsParams:
    gauges, rerolls = Gauges(setup), Rerolls(setup)
    fired = [SideArrays(setup.sides[side], gauges, rerolls).made() for side in SIDES]
    # The gauges come last: all that both sides' rules count are known then.
    sides = [made | lines[side].arrays(gauges.weights()) for made, side in zip(fired, SIDES, strict=True)]
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
        **setup.course,
        low_luck=int(setup.low_luck),
    )


def _salvos(setup: Setup, lines: dict[str, HitLine], group: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """The hit classes of a group: side, its shots, which of them lead, and the blocks that are hit."""
    for number, side in enumerate(SIDES):
        rules = setup.sides[side]
        slots, order = slots_of(rules, group), sorted(rules.shots)
        for slot in slots:
            shots = [i for i in group if i in rules.shots and rules.shots[i].targets == slot.hit.units]
            same = [other.first for other in slots if other.hit == slot.hit]
            leads = [int(max(first for first in same if first <= shot) == slot.first) for shot in shots]
            takes = [int(block & slot.hit.units != 0) for block in lines[rules.enemy].blocks]
            yield number, [order.index(i) for i in shots], leads, takes


def stacked(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """The arrays (int64) along a new first axis, as large as the largest; zeros fill the shorter ones."""
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
        _check_plain(setup.sides[side])
    lines = {side: HitLine(setup, side) for side in SIDES}
    params = _params(setup, lines)
    start = opened(params, HitsState(*[0] * len(HitsState._fields)))
    first, limits = HitsState(*map(int, start)), _limits(params, lines)
    chain = Chain(params, first, limits, even_tables(), counters=("rounds",), may_be_over=True)
    nothing = [np.zeros(1, np.int64)] * WORDS
    places = {side: line.at(nothing) for side, line in lines.items()}
    return HitsField(setup, places, params, chain, lines)


def _check_plain(side: SideSetup) -> None:
    """Raises Refusal for rules that are only worked out place by place."""
    setup, enemy = side.setup, side.setup.sides[side.enemy]
    shots = [shot for shot in side.shots.values() if side.able(shot)]
    stacks = {(rule.own, rule.given.stack, rule.units) for rule in side.supports if rule.given.stack is not None}
    found = {
        "dice that are compared": any(shot.given.compare is not None for shot in shots),
        "hits of several kinds in a step": any(classes_of(side, shot) - {Hit(shot.targets)} for shot in shots),
        "hits that are absorbed": any(n and piece.absorbs for n, piece in zip(enemy.counts, enemy.pieces, strict=True)),
        "stacks of supports for different units": len(stacks) > len({stack[:2] for stack in stacks}),
    }
    if refused := [what for what, holds in found.items() if holds]:
        raise Refusal(side.side, f"too many units for a game with {listed(refused)}; give fewer")
    if setup.whole > LARGEST_WHOLE:
        raise Refusal(side.side, "too many units for a game with dice of so many different sizes; give fewer")


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
