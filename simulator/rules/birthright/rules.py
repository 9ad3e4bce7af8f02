"""A battle unit against unit, engagement after engagement (docs/rules/birthright.md section 3.4).

Who is where is known by number: `front` is a place in the line (or of a rested unit) with the hits of the unit that
stands there, and the resting units are two numbers, for the entries of the first and of the second half of the order of
battle. What each number stands for is in the params; tables.py makes them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import helper, rule
from simulator.rules.birthright.engagement import FALLEN_BACK, GONE, ROUTED
from simulator.rules.toolkit.retreat import Leave, leaves

FIGHT, PURSUIT, OVER = range(3)


class FieldParams(NamedTuple):
    """Numbers before the first roll.

    By front: `card` is its row or column in `engagements`, the chance tables; `size`, `horse` and `wounds` are units,
    hunting cavalry and hits of it and of the fresh behind; `unhurt` is the same front without hits, `next_fresh` the
    one that follows (0: none), `lying` + an end of an engagement the place where it rests, `falls` what it adds to the
    fallen when destroyed. By number of resting units: the number `with_one` more, by its place, and `without_first`;
    the front which that first one becomes; `resting`, `resting_horse`, `resting_wounds`. `ended` is the front that
    stands for a side after the battle, by units and hits; `chase` the table of so many d6 in the pursuit; `policies` is
    0 if nobody ever leaves.
    """

    card: np.ndarray
    engagements: np.ndarray
    size: np.ndarray
    horse: np.ndarray
    wounds: np.ndarray
    unhurt: np.ndarray
    next_fresh: np.ndarray
    lying: np.ndarray
    falls: np.ndarray
    with_one: np.ndarray
    without_first: np.ndarray
    first_up: np.ndarray
    resting: np.ndarray
    resting_horse: np.ndarray
    resting_wounds: np.ndarray
    ended: np.ndarray
    chase: np.ndarray
    attacker_caught: int
    defender_caught: int
    policies: int
    attacker_leaves: Leave
    defender_leaves: Leave
    attacker_most_prey: int
    defender_most_prey: int


class FieldState(NamedTuple):
    """Each side's front and resting units, its routed units that could be pursued; the destroyed of both; the stage."""

    attacker: int
    attacker_near: int
    attacker_far: int
    attacker_prey: int
    defender: int
    defender_near: int
    defender_far: int
    defender_prey: int
    fallen: int
    stage: int


@rule(FieldParams)
def running(p, s):
    """Until one side has nobody on the field, and the pursuit is over."""
    return s.stage != OVER


@rule(FieldParams)
def table(p, s):
    """One engagement of the two front units, or one d6 for each pair of hunter and prey."""
    if s.stage == PURSUIT:
        return p.chase[s.attacker_prey + s.defender_prey]
    return p.engagements[p.card[s.attacker], p.card[s.defender]]


@rule(FieldParams)
def step(p, s, result):
    """Both ends of an engagement, or the number caught in the pursuit (section 3.4, steps 4 and 5)."""
    if s.stage == PURSUIT:
        return s._replace(
            attacker_prey=0,
            defender_prey=0,
            fallen=s.fallen + result * (p.attacker_caught if s.attacker_prey > 0 else p.defender_caught),
            stage=OVER,
        )
    mine, theirs = result >> 4, result & 15
    attacker, attacker_near, attacker_far = send_up(p, s.attacker, s.attacker_near, s.attacker_far, mine)
    defender, defender_near, defender_far = send_up(p, s.defender, s.defender_near, s.defender_far, theirs)
    after = s._replace(
        attacker=attacker,
        attacker_near=attacker_near,
        attacker_far=attacker_far,
        attacker_prey=min(s.attacker_prey + (1 if mine == ROUTED else 0), p.attacker_most_prey),
        defender=defender,
        defender_near=defender_near,
        defender_far=defender_far,
        defender_prey=min(s.defender_prey + (1 if theirs == ROUTED else 0), p.defender_most_prey),
        fallen=s.fallen + (p.falls[s.attacker] if mine == GONE else 0) + (p.falls[s.defender] if theirs == GONE else 0),
    )
    return settle(p, after)


@helper
def send_up(p, front, near, far, end):
    """A side's front and resting units after an engagement: if nobody fresh follows, the first resting unit comes up.

    Everything is looked up, whether it is needed or not: branches that nobody can foresee took most of the time.
    """
    unhurt, fresh, lying = p.unhurt[front], p.next_fresh[front], p.lying[front]
    follows = unhurt + end if end < FALLEN_BACK else fresh
    place = lying + end if (end >= FALLEN_BACK) & (end < ROUTED) else 0
    near, far = p.with_one[near, place], p.with_one[far, place]
    first, second = p.first_up[near], p.first_up[far]
    less_near, less_far = p.without_first[near], p.without_first[far]
    up = follows == 0
    return (
        (first if first > 0 else second) if up else follows,
        less_near if up else near,
        less_far if up and first == 0 else far,
    )


@helper
def settle(p, s):
    """Before an engagement: is a side without units, does one leave (section 3.4, steps 2 and 3)?"""
    lost, beaten = s.attacker == 0, s.defender == 0
    if p.policies > 0 and not lost and not beaten:
        own = p.size[s.attacker] + p.resting[s.attacker_near] + p.resting[s.attacker_far]
        enemy = p.size[s.defender] + p.resting[s.defender_near] + p.resting[s.defender_far]
        lost = leaves(p.attacker_leaves, own, 0, own, enemy)
        beaten = not lost and leaves(p.defender_leaves, enemy, 0, enemy, own)
    if lost or beaten:
        return finish(p, s, lost, beaten)
    return s


@helper
def finish(p, s, lost, beaten):
    """The end of the fighting: units of a side that left are routed ones; hunters and prey pair off (step 5)."""
    own = p.size[s.attacker] + p.resting[s.attacker_near] + p.resting[s.attacker_far]
    enemy = p.size[s.defender] + p.resting[s.defender_near] + p.resting[s.defender_far]
    own_hits = p.wounds[s.attacker] + p.resting_wounds[s.attacker_near] + p.resting_wounds[s.attacker_far]
    enemy_hits = p.wounds[s.defender] + p.resting_wounds[s.defender_near] + p.resting_wounds[s.defender_far]
    hunters = p.horse[s.attacker] + p.resting_horse[s.attacker_near] + p.resting_horse[s.attacker_far]
    riders = p.horse[s.defender] + p.resting_horse[s.defender_near] + p.resting_horse[s.defender_far]
    attacker_prey = 0 if beaten else min(s.attacker_prey + own, riders)
    defender_prey = 0 if lost else min(s.defender_prey + enemy, hunters)
    return s._replace(
        attacker=p.ended[0, 0] if lost else p.ended[own, own_hits],
        attacker_near=0,
        attacker_far=0,
        attacker_prey=attacker_prey,
        defender=p.ended[0, 0] if beaten else p.ended[enemy, enemy_hits],
        defender_near=0,
        defender_far=0,
        defender_prey=defender_prey,
        stage=PURSUIT if attacker_prey + defender_prey > 0 else OVER,
    )
