"""A battle of a game file in which a side retreats, or takes its losses, as well as possible
(docs/rules/decisions.md sections 2.1 and 2.2).

The rules are those of `rules`, with states of their own where a side decides. Where losses are chosen the attacker's
dice fall first, the defender chooses what he loses (it still fires), then the defender's dice fall and the attacker
chooses. Dice that are compared fall together: the defender chooses, then the attacker (ASSUMED: the same order).
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chain import BEST, helper, rule
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.custom.rules import (
    ATTACKER_LEFT,
    DEFENDER_LEFT,
    FIGHTING,
    GONE,
    Params,
    State,
    anybody_rolls,
    attacker_leaves,
    attackers_hits,
    defender_leaves,
    defenders_hits,
    ending_of,
    landed,
    removed,
    roll,
    row_of,
    salvo_over,
)

ROLLING, DEFENDER_LOSES, ANSWERING, ATTACKER_LOSES, ATTACKER_ASKED, DEFENDER_ASKED = range(6)
STAY, LEAVE = 0, 1


class BestParams(NamedTuple):
    """A `battle` as it is fought by fixed policies, and by side (0 attacker) what is decided as well as possible.

    Leaving (`leave`), losses (`lose`). `in_turn`: 1 if the defender's dice fall after his losses. A side that takes
    `hits` of a class `aim` at a `place` goes to one of `ways[ways_at[w]:ways_at[w + 1]]`, the fixed order's first;
    w is at `base` of the side, hits at most `most` of it, places as many as `places`.
    """

    battle: Params
    leave: np.ndarray
    lose: np.ndarray
    in_turn: int
    base: np.ndarray
    most: np.ndarray
    places: np.ndarray
    ways_at: np.ndarray
    ways: np.ndarray


# As `rules.State`, and who rolls or decides; `hits` that are being taken, from hit class `part` on; the attacker's are
# `waiting` while the defender's are taken.
BestState: Any = namedtuple("BestState", (*State._fields, "stage", "hits", "part", "waiting"))


@helper
def over(s, ending):
    """The battle is over."""
    return s._replace(ending=ending, salvo=0, stage=ROLLING, hits=0, part=0, waiting=0)


@helper
def ask_defender(p, s):
    """Does the defender leave, by his policy, or is he asked?"""
    if p.leave[1] > 0:
        return s._replace(stage=DEFENDER_ASKED, salvo=p.battle.opening)
    if defender_leaves(p.battle, s):
        return over(s, DEFENDER_LEFT)
    return s._replace(stage=ROLLING, salvo=p.battle.opening)


@helper
def checked(p, before):
    """The check after the opening and after every round (docs/rules/custom_games.md section 6, step 4)."""
    s = removed(p.battle, before)
    ending = ending_of(p.battle, s)
    if ending != FIGHTING:
        return over(s, ending)
    if p.battle.retreats == 0 or s.clock < p.battle.retreat_after:
        return s._replace(salvo=p.battle.opening)
    if p.leave[0] > 0:
        return s._replace(stage=ATTACKER_ASKED, salvo=p.battle.opening)
    return over(s, ATTACKER_LEFT) if attacker_leaves(p.battle, s) else ask_defender(p, s)


@helper
def way(p, s, side):
    """The first of the ways in which a side may take the hits of the current class."""
    if side == 0:
        hits = s.hits // p.battle.defender.stride[s.salvo, s.part] % p.battle.defender.size[s.salvo, s.part]
        aim, place = p.battle.defender.targets[s.salvo, s.part], s.attacker
    else:
        hits = s.hits // p.battle.attacker.stride[s.salvo, s.part] % p.battle.attacker.size[s.salvo, s.part]
        aim, place = p.battle.attacker.targets[s.salvo, s.part], s.defender_next
    if p.battle.compared[s.salvo] > 0:
        hits = min(s.hits, p.most[side])
    return p.base[side] + (aim * p.places[side] + place) * (p.most[side] + 1) + hits


@helper
def takes(p, s, side, option):
    """A side takes the hits of the class that is due in one of its ways."""
    place = 0 + p.ways[p.ways_at[way(p, s, side)] + option]
    return (
        s._replace(attacker=place, part=s.part + 1) if side == 0 else s._replace(defender_next=place, part=s.part + 1)
    )


@helper
def taken(p, s, side):
    """All hits on a side, class by class, as far as there is nothing to choose."""
    classes = p.battle.defender.classes[s.salvo] if side == 0 else p.battle.attacker.classes[s.salvo]
    while s.part < classes:
        w = way(p, s, side)
        if p.ways_at[w + 1] - p.ways_at[w] > 1:
            return s
        s = takes(p, s, side, 0)
    return s


@helper
def answered(s):
    """The defender has rolled: his losses come off, and the attacker takes the hits that wait for him."""
    s = s._replace(stage=ATTACKER_LOSES, hits=s.waiting, part=0, waiting=0)
    return s._replace(defender=s.defender_next, defender_next=0)


@helper
def onward(p, s):
    """Carry on to the next roll or decision, or to the end; after the opening and after a round the check is due."""
    while True:
        if s.salvo == p.battle.salvos:
            s = checked(p, s)
        side = 1 if s.stage == DEFENDER_LOSES else 0
        if s.stage == DEFENDER_LOSES or s.stage == ATTACKER_LOSES:  # noqa: PLR1714 - compiled
            s = taken(p, s, side)
            if s.part < (p.battle.attacker.classes[s.salvo] if side == 1 else p.battle.defender.classes[s.salvo]):
                return s
            if side == 1 and p.in_turn > 0 and p.battle.compared[s.salvo] == 0:
                return s._replace(stage=ANSWERING, hits=0, part=0)
            if side == 1:
                s = answered(s)
                continue
        elif s.ending != FIGHTING or s.stage != ROLLING or anybody_rolls(p.battle, s, row_of(p.battle, s, s.salvo)):
            return s
        s = salvo_over(p.battle, s._replace(stage=ROLLING, hits=0, part=0, defender_next=0))


@rule(BestParams)
def running(p, s):
    """Until somebody is gone, the rounds are over, nobody can hit, or a side leaves."""
    return s.ending == FIGHTING


@rule(BestParams)
def decides(p, s):
    """1 for the attacker, 2 for the defender: who leaves or not, or chooses what he loses."""
    if s.stage in (ATTACKER_ASKED, ATTACKER_LOSES):
        return 1
    return 2 if s.stage in (DEFENDER_ASKED, DEFENDER_LOSES) else 0


@rule(BestParams)
def options(p, s):
    """To stay or to leave, or the ways of losing units."""
    if s.stage >= ATTACKER_ASKED:
        return 2
    w = way(p, s, 0 if s.stage == ATTACKER_LOSES else 1)
    return p.ways_at[w + 1] - p.ways_at[w]


@rule(BestParams)
def choose(p, s):
    """Fixed policies are followed at once; these are solved."""
    return BEST


@rule(BestParams)
def table(p, s):
    """The attacker's dice."""
    if s.stage != ROLLING:
        return NO_TABLE
    return roll(p.battle.attacker, p.battle.defender, row_of(p.battle, s, s.salvo), s.attacker, s.defender)


@rule(BestParams)
def second(p, s):
    """The defender's dice: with the attacker's, or after his own losses."""
    if s.stage != (ANSWERING if p.in_turn else ROLLING):
        return NO_TABLE
    return roll(p.battle.defender, p.battle.attacker, row_of(p.battle, s, s.salvo), s.defender, s.attacker)


@rule(BestParams)
def step(p, s, result, other):
    """A roll or a decision, and what follows without either."""
    if s.stage == ATTACKER_ASKED:
        s = over(s, ATTACKER_LEFT) if result == LEAVE else ask_defender(p, s)
    elif s.stage == DEFENDER_ASKED:
        s = over(s, DEFENDER_LEFT) if result == LEAVE else s._replace(stage=ROLLING, salvo=p.battle.opening)
    elif s.stage == DEFENDER_LOSES or s.stage == ATTACKER_LOSES:  # noqa: PLR1714 - compiled
        s = takes(p, s, 1 if s.stage == DEFENDER_LOSES else 0, result)
    elif s.stage == ANSWERING:
        s = answered(s._replace(waiting=other))
    elif p.in_turn == 0:
        s = landed(p.battle, s, result, other)
    else:
        mine, theirs = attackers_hits(p.battle, s.salvo, result), defenders_hits(p.battle, s.salvo, result, other)
        s = s._replace(stage=DEFENDER_LOSES, hits=mine, part=0, defender_next=s.defender, waiting=theirs)
    return onward(p, s)


@rule(BestParams)
def lands(p, s, result, other):
    """One salvo where losses are not chosen; each side's dice move the other's place only."""
    return landed(p.battle, s, result, other)


@rule(BestParams)
def follows(p, s):
    """The moves that follow without dice, up to the next decision."""
    return onward(p, s)


def opened(p: BestParams, s: Any) -> Any:
    """The state in which the first dice are rolled, or a side decides."""
    s = removed(p.battle, s)
    if not (p.battle.attacker.units[s.attacker] and p.battle.defender.units[s.defender]):
        return over(s, GONE)
    if p.battle.opening == 0:
        s = checked(p, s)
    return onward(p, s)
