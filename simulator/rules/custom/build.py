"""From a Setup to a chain: salvos, rows and the arrays of `Params`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, WINNERS
from simulator.rules.custom import best
from simulator.rules.custom.format import SIDES
from simulator.rules.custom.line import Places, Stands, aimed_at, chooses, loss_line
from simulator.rules.custom.rules import ATTACKER_LEFT, DEFENDER_LEFT, GONE, Army, Params, State, opened
from simulator.rules.custom.setup import Setup
from simulator.rules.custom.size import check_size
from simulator.rules.custom.tables import MOST_RESULTS, Book, Gunnery, Slot, Throws, packing
from simulator.rules.toolkit.policies import named as policies

# Rounds are counted so far; farther where a die has more sides than this, since it may hit that rarely: once in its
# sides squared. Lanes are half as wide where they need not.
MOST_ROUNDS, MANY_ROUNDS, FEW_SIDES = 2**20 - 1, 2**31 - 1, 100
# Places are kept for so many line-ups, of so many places each at most.
MOST_MET, MOST_PLACES_KEPT = 64, 512
NEVER = -1
NO_ODDS = np.zeros((0, 1, 1), np.int64)


class Salvo(NamedTuple):
    """What both sides roll at one time: a group, and for each side which of its hit classes."""

    group: int
    first: bool
    last: bool
    slots: tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Laid:
    """A battle laid out: its setup, and what stands in the places of both sides."""

    setup: Setup
    places: Mapping[str, Stands]


@dataclass(frozen=True, eq=False)
class Field(Laid):
    """A battle laid out place by place: its salvos, the targets of its hit classes.

    `params` are those of the rules by fixed policies, `chain` is what is fought: the same, or with decisions.
    """

    places: dict[str, Places]
    salvos: list[Salvo]
    classes: dict[str, list[int]]
    params: Params
    chain: Chain


class Layout:
    """Salvos and rows: which groups are fought, in how many throws, and which rounds are alike."""

    def __init__(self, setup: Setup, places: dict[str, Places], book: Book) -> None:
        self.setup, self.places = setup, places
        attacker, defender = SIDES
        self.guns = {
            attacker: Gunnery(setup, attacker, places[attacker], places[defender], book),
            defender: Gunnery(setup, defender, places[defender], places[attacker], book),
        }
        self.slots = [
            dict(zip(SIDES, slots, strict=True))
            for slots in zip(*(self.guns[side].slots for side in SIDES), strict=True)
        ]
        self.salvos = [salvo for number in range(len(setup.groups)) for salvo in self._salvos(number)]
        self._known: dict[Hashable, int] = {}
        rules = [
            rule for side in setup.sides.values() for rule in (*side.shots.values(), *side.supports, *side.modifiers)
        ]
        self._held = [tuple([rule.in_round(phase) for rule in rules]) for phase in range(setup.phases + 1)]
        self.throws: dict[str, list[Throws]] = {side: [] for side in SIDES}
        self.rows = np.array([[self._row(salvo, phase) for salvo in self.salvos] for phase in range(setup.phases + 1)])

    def caps(self, side: str, slots: Sequence[Slot]) -> list[int]:
        """The most hits of each class that can matter."""
        return [self.guns[side].caps[slot.targets] for slot in slots]

    def _salvos(self, number: int) -> list[Salvo]:
        slots = self.slots[number]
        together = all(prod(cap + 1 for cap in self.caps(side, slots[side])) <= MOST_RESULTS for side in SIDES)
        if together:
            return [Salvo(number, True, True, (_all(slots["attacker"]), _all(slots["defender"])))]
        longest = max(len(slots[side]) for side in SIDES)

        def only(side: str, k: int) -> tuple[int, ...]:
            return (k,) if k < len(slots[side]) else ()

        return [
            Salvo(number, k == 0, k == longest - 1, (only("attacker", k), only("defender", k))) for k in range(longest)
        ]

    def _row(self, salvo: Salvo, phase: int) -> int:
        """The row of a salvo in a round; rounds in which the same rules hold share it."""
        setup = self.setup
        if (phase == 0) != (salvo.group < setup.opening):
            return 0
        key = (salvo, self._held[phase])
        if key not in self._known:
            self._known[key] = len(self._known)
            for side, chosen in zip(SIDES, salvo.slots, strict=True):
                slots = self.slots[salvo.group][side]
                self.throws[side].append(self.guns[side].throws(setup.groups[salvo.group], slots, chosen, phase))
        return self._known[key]


def _all(slots: Sequence[Slot]) -> tuple[int, ...]:
    return tuple(range(len(slots)))


def lay_out(setup: Setup, obey: bool = True, places: Mapping[str, Places] | None = None) -> Field:
    """The battle as a chain, over these places if any are given. Without `obey` nobody ever retreats.

    Raises TooLarge where there is more to work out than is kept.
    """
    places = places_of(setup) if places is None else dict(places)
    book = Book(setup.whole, setup.low_luck)
    layout = Layout(setup, places, book)
    hopeless = _hopeless(setup, obey)
    armies = [_army(layout, side, obey, hopeless.get(side, NO_ODDS)) for side in SIDES]
    clock = clock_of(setup, obey)
    params = Params(
        attacker=armies[0],
        defender=armies[1],
        rows=layout.rows,
        begins=np.array([int(salvo.first) for salvo in layout.salvos]),
        ends=np.array([int(salvo.last) for salvo in layout.salvos]),
        opening=sum(salvo.group < setup.opening for salvo in layout.salvos),
        salvos=len(layout.salvos),
        phases=setup.phases,
        clock=clock,
        round_limit=setup.rounds or 0,
        retreat_after=setup.kind.retreat_after,
        retreats=int(obey and any(policies(getattr(setup.fields.policy, side).retreat) != ["never"] for side in SIDES)),
    )
    together = all(salvo.first and salvo.last for salvo in layout.salvos)
    limits = State(
        attacker=len(places["attacker"]) - 1,
        defender=len(places["defender"]) - 1,
        attacker_next=0 if together else len(places["attacker"]) - 1,
        defender_next=0 if together else len(places["defender"]) - 1,
        salvo=len(layout.salvos),
        clock=clock,
        ending=DEFENDER_LEFT,
        rounds=setup.rounds or (MOST_ROUNDS if setup.file.dice.sides <= FEW_SIDES else MANY_ROUNDS),
    )
    start = opened(params, State(0, 0, 0, 0, 0, 0, 0, 0))
    start = State(*(int(value) for value in start))
    chain = Chain(
        params,
        start,
        limits,
        book.close(),
        counters=("rounds",),
        may_be_over=True,
        apart=(("defender", "defender_next"), ("attacker", "attacker_next")),
    )
    classes = {side: layout.guns[side].classes for side in SIDES}
    if obey and best.sought(setup):
        chain = best.with_decisions(
            setup, chain, places, {"attacker": classes["defender"], "defender": classes["attacker"]}
        )
    return Field(setup, places, layout.salvos, classes, params, chain)


def places_of(setup: Setup) -> dict[str, Places]:
    """The places of both sides, known where the same line-ups were met before. Raises TooLarge for too many."""
    met, lines = setup.source.met, {side: loss_line(setup, side) for side in SIDES}
    keys = {side: _met_as(setup, side, lines[side]) for side in SIDES}
    if any(key not in met for key in keys.values()):
        check_size(setup, lines)
    found = {}
    for side, key in keys.items():
        found[side] = met.get(key) or Places(setup, side, lines[side])
        if len(met) >= MOST_MET:
            met.clear()
        if len(found[side]) <= MOST_PLACES_KEPT:
            met[key] = found[side]
    return found


def _met_as(setup: Setup, side: str, line: list[int]) -> Hashable:
    """All that decides the places of a side."""
    own, absorb = setup.sides[side], getattr(setup.fields.policy, side).absorb
    return setup.kind_name, side, tuple(own.counts), tuple(line), absorb, *aimed_at(setup, side), chooses(setup, side)


def _army(layout: Layout, side: str, obey: bool, hopeless: np.ndarray) -> Army:
    """The arrays of one side."""
    enemy = SIDES[1 - SIDES.index(side)]
    own = layout.places[side]
    policy = getattr(layout.setup.fields.policy, side)
    chosen = policies(policy.retreat) if obey else ["never"]
    rolls, means = _rolls(layout, side)
    classes, stride, size, targets = _slots(layout, side)
    return Army(
        units=own.units.copy(),
        alone=own.alone.astype(np.int64),
        gone=own.gone,
        after_hits=_after_hits(layout, side),
        shows=np.array([throws.shown for throws in layout.throws[enemy]], np.int64).reshape(-1, len(own)),
        rolls=rolls,
        means=means,
        classes=classes,
        stride=stride,
        size=size,
        targets=targets,
        leave_after=policy.after_rounds if "after-rounds" in chosen else NEVER,
        leave_at=policy.units_at_most if "units-at-most" in chosen else NEVER,
        outnumbered=int("outnumbered" in chosen),
        outpowered=int("outpowered" in chosen),
        hopeless=hopeless,
    )


def _after_hits(layout: Layout, side: str) -> np.ndarray:
    """Places after 1, 2, 4, 8, ... hits of each class of the enemy's shots."""
    enemy = SIDES[1 - SIDES.index(side)]
    own, aimed = layout.places[side], layout.guns[enemy].classes
    if len(aimed) == 1:
        return own.after_hits(aimed[0])[:, None]
    powers = np.empty((max(1, len(own.line).bit_length()), len(aimed), len(own)), np.int64)
    for k, mask in enumerate(aimed):
        powers[:, k] = own.after_hits(mask)
    return powers


def _rolls(layout: Layout, side: str) -> tuple[np.ndarray, np.ndarray]:
    """Tables and means by row, own place, and what the enemy shows."""
    throws = layout.throws[side]
    wide = max((found.tables.shape[1] for found in throws), default=1)
    rolls, means = np.zeros((2, max(1, len(throws)), len(layout.places[side]), wide), np.int64)
    for row, found in enumerate(throws):
        rolls[row, :, : found.tables.shape[1]], means[row, :, : found.tables.shape[1]] = found.tables, found.means
    return rolls, means


def _slots(layout: Layout, side: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """How each salvo's results are unpacked."""
    guns, number = layout.guns[side], SIDES.index(side)
    widest = max(1, *(len(salvo.slots[number]) for salvo in layout.salvos))
    unused, classes = (1, 1, 0), []
    unpacked: list[tuple[tuple[int, int, int], ...]] = []
    for salvo in layout.salvos:
        slots = [layout.slots[salvo.group][side][k] for k in salvo.slots[number]]
        caps = layout.caps(side, slots)
        classes.append(len(slots))
        aims = [guns.classes.index(slot.targets) for slot in slots]
        used = [(wide, cap + 1, aim) for wide, cap, aim in zip(packing(caps), caps, aims, strict=True)]
        unpacked.append((*used, *[unused] * (widest - len(used))))
    return _unpacking(tuple(classes), tuple(unpacked))


@lru_cache(maxsize=512)
def _unpacking(
    classes: Sequence[int], unpacked: Sequence[Sequence[tuple[int, int, int]]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    stride, size, targets = np.ascontiguousarray(np.array(unpacked, np.int64).transpose(2, 0, 1))
    return np.array(classes, np.int64), stride, size, targets


def clock_of(setup: Setup, obey: bool = True) -> int:
    """Rounds are told apart up to this number: as far as any rule looks."""
    if setup.rounds:
        return setup.rounds
    most = setup.phases - 1
    for side in SIDES:
        policy = getattr(setup.fields.policy, side)
        if obey and policies(policy.retreat) != ["never"]:
            most = max(most, setup.kind.retreat_after, policy.after_rounds or 0)
    return most


def _hopeless(setup: Setup, obey: bool) -> dict[str, np.ndarray]:
    """Where the chance to win, nobody ever retreating, is below a side's `odds_below` (section 8)."""
    wanted = {
        side: policy.odds_below
        for side in SIDES
        if obey and (policy := getattr(setup.fields.policy, side)).odds_below is not None
    }
    if not wanted:
        return {}
    from simulator.rules.custom.hopeless import hopeless

    return hopeless(setup, wanted)


@cache
def _winners(undecided: str) -> np.ndarray:
    """The winner by ending, and by whether the attacker and the defender have units left (section 6)."""
    found = np.full((DEFENDER_LEFT + 1, 2, 2), WINNERS.index(undecided))
    found[GONE] = [[NOBODY, DEFENDER], [ATTACKER, ATTACKER]]
    found[ATTACKER_LEFT], found[DEFENDER_LEFT] = DEFENDER, ATTACKER
    return found


def winner_of(field: Laid, ends: Any) -> np.ndarray:
    """The winner of final states, as ATTACKER, DEFENDER, NOBODY (section 6)."""
    there = [
        np.minimum(field.places[side].units, 1).take(at)
        for side, at in zip(SIDES, (ends.attacker, ends.defender), strict=True)
    ]
    return _winners(field.setup.kind.undecided)[ends.ending, *there]
