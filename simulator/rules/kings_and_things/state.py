"""What is known of a running battle: the state, and how its fields are read and written.

A side is a list of *slots* in the order in which they are lost: a slot is a structure, or counters that are equal in
everything that matters. `alive` packs how many counters each slot still has; `gear` packs the structures' levels, the
items in play and what has been used this round. Sides are numbered attacker, defender, second and third attacker.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.chain import helper

ATTACKING, DEFENDING, SECOND, THIRD = 0, 1, 2, 3
MAGIC, RANGED, MELEE = 0, 1, 2

# Phases in which a state rests, since a die is rolled next (or nothing more); and those it only passes through.
(
    DRAW,
    FIREWALL_DIE,
    ROLL,
    SAVE,
    AFTER,
    OVER,
    OPENING,
    ROUND,
    STEP,
    SEEK,
    LOSSES,
    STEP_DONE,
    ROUND_DONE,
    ENDED,
) = range(14)

# What a slot is (bits of `role`).
PEOPLE, GOLEM, BALLOON, PASSENGER, AIMED, SWORD_MASTER, HOLDER, SPECIAL = (1 << bit for bit in range(8))
FIREWALL, SETTLEMENT, FORT = (1 << bit for bit in range(8, 11))
COUNTER, STRUCTURE = 0xFF, FIREWALL | SETTLEMENT | FORT

# Where `gear` keeps what: shift and mask.
FORT_AT, SETTLEMENT_AT, FIREWALL_AT = (0, 7), (3, 3), (5, 7)
TALISMAN, BOW, SWORD, CHARM, AWAY, SAVED_SELF, ALOFT, SHOT = ((bit, 1) for bit in range(8, 16))
SWORD_HOLDER, BOW_HOLDER = (16, 63), (22, 63)

# Policy numbers of a side.
(
    RETREAT, RETREAT_AFTER, RETREAT_BELOW, RATIO_OVER, RATIO_UNDER, HEX, HEX_CREATURES, HEX_CITADEL, GROUPS,
    SCREEN, SPEND, CHARM_USE, TARGET, CLOUD, SLACK, SAVES, BRITTLE, HOLDS, WIDTH,
) = range(19)  # fmt: skip
NEVER, AFTER_ROUNDS, BELOW_CREATURES, WHEN_OUTGUNNED = range(4)
FIXED, NEXT_STEP_KEPT, NEXT_STEP_KEPT_WALLS_LAST = range(3)
OWN_MISS, ENEMY_HIT = 0, 1
STRONGEST, WEAKEST, NAMED = 4, 5, 0

# The aimed die of a Marksman is rolled as a hand of its own, after all others of the step.
HANDS = 4
AIMED_HAND = HANDS - 1
DIGIT_BITS = 6


# Columns of a slot.
ROLE, SHIFT, MASK, VALUE, PRINTED, HOME, DICE, ORDER = range(8)
TRAITS = 8


class Params(NamedTuple):
    """A battle's fixed numbers.

    All arrays lie in `data`, one after the other: an array of their own each would be seven more arguments of every
    call, and make all of it four times slower. Where they begin:

    - `base_at`: a side's first slot, by side x lineups + lineup; `start_at`: its packed counters and its gear.
    - `slot_at`: TRAITS numbers a slot; ORDER lists slots of the line-up from the weakest on.
    - `side_at`: WIDTH policy numbers a side.
    - `value_at`: stride and hand of dice by (side, step, value); `hand_at`: first table and number of tables by
      (side, step, hand). A throw's table is found from how many dice it has of each value.
    - `drawn_at`: opening and printed level of the settlement by line-up; `draw_at`: first table of each digit drawn.

    With `ticks` the state's `rounds` only tells whether a new round has begun with the last roll (see `charting`).
    `post_battle` is 0 none, 1 damaged, 2 all; `fort` the printed level of the fort.
    """

    sides: int
    slots: int
    lineups: int
    digits: int
    ticks: int
    dust: int
    unexplored: int
    post_battle: int
    fort: int
    income: int
    die_table: int
    save_table: int
    after_table: int
    aimed_table: int
    base_at: int
    start_at: int
    slot_at: int
    side_at: int
    value_at: int
    hand_at: int
    drawn_at: int
    draw_at: int
    data: np.ndarray


class State(NamedTuple):
    """The course of a battle: round and phase, the roll or loss under way, and each side.

    `stage`, `victim` and `saved` belong to a side's losses; `aimed` is 1 + the side that an aimed die has hit;
    `targets` packs whom each side fires at; `lineup` numbers what was drawn; `after` is the post-battle result.
    """

    rounds: int
    phase: int
    step: int
    actor: int
    hand: int
    stage: int
    victim: int
    saved: int
    aimed: int
    targets: int
    lineup: int
    after: int
    alive0: int
    alive1: int
    alive2: int
    alive3: int
    gear0: int
    gear1: int
    gear2: int
    gear3: int
    hits0: int
    hits1: int
    hits2: int
    hits3: int


@helper
def pick(i, a, b, c, d):
    """The i-th of four."""
    return a if i == 0 else b if i == 1 else c if i == 2 else d


@helper
def alive_of(s, i):
    """Packed counters of side `i`."""
    return pick(i, s.alive0, s.alive1, s.alive2, s.alive3)


@helper
def gear_of(s, i):
    """Packed levels, items and marks of side `i`."""
    return pick(i, s.gear0, s.gear1, s.gear2, s.gear3)


@helper
def hits_of(s, i):
    """Hits that wait for side `i`."""
    return pick(i, s.hits0, s.hits1, s.hits2, s.hits3)


@helper
def get(gear, place):
    """What `gear` holds at `place` = (shift, mask)."""
    return (gear >> place[0]) & place[1]


@helper
def put(gear, place, value):
    """`gear` with `value` at `place`."""
    return (gear & ~(place[1] << place[0])) | (value << place[0])


@helper
def with_side(s, i, alive, gear, hits):
    """The state with side `i` changed."""
    return State(
        s.rounds, s.phase, s.step, s.actor, s.hand, s.stage, s.victim, s.saved, s.aimed, s.targets, s.lineup, s.after,
        alive if i == 0 else s.alive0, alive if i == 1 else s.alive1,
        alive if i == 2 else s.alive2, alive if i == 3 else s.alive3,
        gear if i == 0 else s.gear0, gear if i == 1 else s.gear1,
        gear if i == 2 else s.gear2, gear if i == 3 else s.gear3,
        hits if i == 0 else s.hits0, hits if i == 1 else s.hits1,
        hits if i == 2 else s.hits2, hits if i == 3 else s.hits3,
    )  # fmt: skip


@helper
def with_gear(s, i, gear):
    """The state with the gear of side `i` changed."""
    return with_side(s, i, alive_of(s, i), gear, hits_of(s, i))


@helper
def with_hits(s, i, hits):
    """The state with the hits on side `i` changed."""
    return with_side(s, i, alive_of(s, i), gear_of(s, i), hits)


@helper
def at(s, phase, step, actor, hand):
    """The state at another point of the round."""
    return State(
        s.rounds, phase, step, actor, hand, s.stage, s.victim, s.saved, s.aimed, s.targets, s.lineup, s.after,
        s.alive0, s.alive1, s.alive2, s.alive3, s.gear0, s.gear1, s.gear2, s.gear3,
        s.hits0, s.hits1, s.hits2, s.hits3,
    )  # fmt: skip


@helper
def losing(s, stage, victim, saved, aimed):
    """The state at another point of a side's losses."""
    return State(
        s.rounds, s.phase, s.step, s.actor, s.hand, stage, victim, saved, aimed, s.targets, s.lineup, s.after,
        s.alive0, s.alive1, s.alive2, s.alive3, s.gear0, s.gear1, s.gear2, s.gear3,
        s.hits0, s.hits1, s.hits2, s.hits3,
    )  # fmt: skip


@helper
def in_round(s, rounds, targets, lineup, after):
    """The state with another round, choice of targets, line-up or post-battle result."""
    return State(
        rounds, s.phase, s.step, s.actor, s.hand, s.stage, s.victim, s.saved, s.aimed, targets, lineup, after,
        s.alive0, s.alive1, s.alive2, s.alive3, s.gear0, s.gear1, s.gear2, s.gear3,
        s.hits0, s.hits1, s.hits2, s.hits3,
    )  # fmt: skip
