"""A battle unit against unit, engagement after engagement (docs/rules/birthright.md section 3.4).

A state holds numbers of rows that `field_tables` makes before the first roll. A *front* is a position in the line (or
of a rested unit) with the hits of the unit there. Two numbers say which units rest: one for the entries of the first
half of the order of battle, one for those of the second.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import BEST, helper, rule
from simulator.rules.birthright.engagement import FALLEN_BACK, GONE, ROUTED
from simulator.rules.toolkit.retreat import Leave, leaves

FIGHT, PURSUIT, OVER, ATTACKER_ASKED, DEFENDER_ASKED = range(5)
STAY, LEAVE = 0, 1


class Fronts(NamedTuple):
    """By front: int64, shape (fronts,); row 0 stands for nobody.

    `card`: its row or column in `FieldParams.engagements`; `units`, `cavalry` and `hits` of it and the fresh units
    behind it; `unhurt`, the same front without hits; `next_fresh`, the front that follows (0: none); `rests_at` + an
    end of an engagement, the position where its unit rests; `weight`, which it adds to `destroyed`.
    """

    card: np.ndarray
    units: np.ndarray
    cavalry: np.ndarray
    hits: np.ndarray
    unhurt: np.ndarray
    next_fresh: np.ndarray
    rests_at: np.ndarray
    weight: np.ndarray


class Rest(NamedTuple):
    """By number of resting units: int64, shape (numbers,); row 0 stands for none.

    `with_one`, the number with one more, by position too; `without_first`; `first_up`, the front that the first of them
    becomes; `units`, `cavalry` and `hits` that rest.
    """

    with_one: np.ndarray
    without_first: np.ndarray
    first_up: np.ndarray
    units: np.ndarray
    cavalry: np.ndarray
    hits: np.ndarray


class FieldParams(NamedTuple):
    """Numbers before the first roll.

    `engagements`: the chance tables by card of the attacker and card of the defender. `ended`: the front that stands
    for a side after the battle, by units and hits. `chase`: the table of the pursuit by number of d6; `..._caught` is
    what a unit caught adds to `destroyed`, `..._most_prey` the number of enemies that could ever pursue. `policies` is
    0 if no side ever leaves; `kept` is 1 if final states still hold the units on the field, for campaigns.
    """

    front: Fronts
    rest: Rest
    engagements: np.ndarray
    ended: np.ndarray
    chase: np.ndarray
    attacker_caught: int
    defender_caught: int
    policies: int
    kept: int
    attacker_best: int
    defender_best: int
    attacker_leaves: Leave
    defender_leaves: Leave
    attacker_most_prey: int
    defender_most_prey: int


class FieldState(NamedTuple):
    """Each side's front, resting units of both halves, and routed units that could be pursued; the destroyed units of
    both sides as one number in mixed radix; the stage.
    """

    attacker: int
    attacker_rest1: int
    attacker_rest2: int
    attacker_prey: int
    defender: int
    defender_rest1: int
    defender_rest2: int
    defender_prey: int
    destroyed: int
    stage: int


@rule(FieldParams)
def running(p, s):
    """Until one side has nobody on the field, and the pursuit is over."""
    return s.stage != OVER


@rule(FieldParams)
def table(p, s):
    """The engagement of the two fronts, or the dice of the pursuit."""
    if s.stage == PURSUIT:
        return p.chase[s.attacker_prey + s.defender_prey]
    return p.engagements[p.front.card[s.attacker], p.front.card[s.defender]]


@rule(FieldParams)
def step(p, s, result):
    """Both ends of an engagement, the number caught in the pursuit (section 3.4, steps 4 and 5), or an answer."""
    if s.stage == FIGHT:
        return before_engagement(p, engaged(p, s, result))
    return pursued(p, s, result) if s.stage == PURSUIT else answered(p, s, result)


@helper
def pursued(p, s, caught):
    """Routed units caught in the pursuit are destroyed."""
    more = caught * (p.attacker_caught if s.attacker_prey > 0 else p.defender_caught)
    return s._replace(attacker_prey=0, defender_prey=0, destroyed=s.destroyed + more, stage=OVER)


@helper
def engaged(p, s, result):
    """Both sides after an engagement."""
    own, enemy = result >> 4, result & 15
    attacker, attacker_rest1, attacker_rest2 = next_front(p, s.attacker, s.attacker_rest1, s.attacker_rest2, own)
    defender, defender_rest1, defender_rest2 = next_front(p, s.defender, s.defender_rest1, s.defender_rest2, enemy)
    attacker_gone, defender_gone = 1 if own == GONE else 0, 1 if enemy == GONE else 0
    return s._replace(
        attacker=attacker,
        attacker_rest1=attacker_rest1,
        attacker_rest2=attacker_rest2,
        attacker_prey=min(s.attacker_prey + (1 if own == ROUTED else 0), p.attacker_most_prey),
        defender=defender,
        defender_rest1=defender_rest1,
        defender_rest2=defender_rest2,
        defender_prey=min(s.defender_prey + (1 if enemy == ROUTED else 0), p.defender_most_prey),
        destroyed=s.destroyed + attacker_gone * p.front.weight[s.attacker] + defender_gone * p.front.weight[s.defender],
    )


@helper
def next_front(p, front, rest1, rest2, end):
    """A side's front and resting units after an engagement: a fresh unit follows, else the first resting unit.

    All values are looked up, needed or not: branches that the processor cannot predict took most of the time.
    """
    unhurt, fresh, rests_at = p.front.unhurt[front], p.front.next_fresh[front], p.front.rests_at[front]
    follows = unhurt + end if end < FALLEN_BACK else fresh
    position = rests_at + end if (end >= FALLEN_BACK) & (end < ROUTED) else 0
    rest1, rest2 = p.rest.with_one[rest1, position], p.rest.with_one[rest2, position]
    first, second = p.rest.first_up[rest1], p.rest.first_up[rest2]
    less1, less2 = p.rest.without_first[rest1], p.rest.without_first[rest2]
    up = follows == 0
    return (
        (first if first > 0 else second) if up else follows,
        less1 if up else rest1,
        less2 if up and first == 0 else rest2,
    )


@helper
def before_engagement(p, s):
    """Before an engagement: is a side without units, does one leave (section 3.4, steps 2 and 3)?

    Where a side leaves as well as possible, both sides are asked in states of their own.
    """
    lost, beaten = s.attacker == 0, s.defender == 0
    if p.policies > 0 and not lost and not beaten:
        if p.attacker_best + p.defender_best > 0:
            return s._replace(stage=ATTACKER_ASKED)
        lost, beaten = leave_by_policy(p, s)
        beaten = beaten and not lost
    if lost or beaten:
        return finish(p, s, lost, beaten)
    return s


@helper
def leave_by_policy(p, s):
    """Do the attacker and the defender leave by their fixed policies?"""
    own = p.front.units[s.attacker] + p.rest.units[s.attacker_rest1] + p.rest.units[s.attacker_rest2]
    enemy = p.front.units[s.defender] + p.rest.units[s.defender_rest1] + p.rest.units[s.defender_rest2]
    return leaves(p.attacker_leaves, own, 0, own, enemy), leaves(p.defender_leaves, enemy, 0, enemy, own)


@rule(FieldParams)
def decides(p, s):
    """1 where the attacker is asked whether it leaves, 2 where the defender is."""
    return 1 if s.stage == ATTACKER_ASKED else 2 if s.stage == DEFENDER_ASKED else 0


@rule(FieldParams)
def options(p, s):
    """Stay or leave."""
    return 2


@rule(FieldParams)
def choose(p, s):
    """The option of a fixed policy, or BEST."""
    attacker_leaves, defender_leaves = leave_by_policy(p, s)
    if s.stage == ATTACKER_ASKED:
        return BEST if p.attacker_best else LEAVE if attacker_leaves else STAY
    return BEST if p.defender_best else LEAVE if defender_leaves else STAY


@helper
def answered(p, s, option):
    """A side leaves; or the other side is asked, then the next engagement is fought."""
    if option == LEAVE:
        return finish(p, s, s.stage == ATTACKER_ASKED, s.stage == DEFENDER_ASKED)
    return s._replace(stage=DEFENDER_ASKED if s.stage == ATTACKER_ASKED else FIGHT)


@helper
def on_field(p, front, rest1, rest2):
    """Units, hits and cavalry of a side on the field."""
    return (
        p.front.units[front] + p.rest.units[rest1] + p.rest.units[rest2],
        p.front.hits[front] + p.rest.hits[rest1] + p.rest.hits[rest2],
        p.front.cavalry[front] + p.rest.cavalry[rest1] + p.rest.cavalry[rest2],
    )


@helper
def finish(p, s, lost, beaten):
    """The end of the fighting: units of a side that left rout; hunters and prey pair off (section 3.4, step 5)."""
    own, own_hits, own_hunters = on_field(p, s.attacker, s.attacker_rest1, s.attacker_rest2)
    enemy, enemy_hits, enemy_hunters = on_field(p, s.defender, s.defender_rest1, s.defender_rest2)
    attacker_prey = 0 if beaten else min(s.attacker_prey + own, enemy_hunters)
    defender_prey = 0 if lost else min(s.defender_prey + enemy, own_hunters)
    own_kept, enemy_kept = p.kept > 0 and not lost, p.kept > 0 and not beaten
    return s._replace(
        attacker=0 if lost else s.attacker if own_kept else p.ended[own, own_hits],
        attacker_rest1=s.attacker_rest1 if own_kept else 0,
        attacker_rest2=s.attacker_rest2 if own_kept else 0,
        attacker_prey=attacker_prey,
        defender=0 if beaten else s.defender if enemy_kept else p.ended[enemy, enemy_hits],
        defender_rest1=s.defender_rest1 if enemy_kept else 0,
        defender_rest2=s.defender_rest2 if enemy_kept else 0,
        defender_prey=defender_prey,
        stage=PURSUIT if attacker_prey + defender_prey > 0 else OVER,
    )
