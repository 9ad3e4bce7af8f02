"""A battle as a sequence of places (docs/rules/risk.md sections 4 to 6): crossings at sea, then territories, then the
break-out of the port. A sea fight is a single crossing; a land attack has no crossings.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import BEST, helper, rule
from simulator.rules.toolkit.retreat import Leave, leaves

# The attacker's decision about the coming round; his options are 0 = go on, 1 = stop.
UNDECIDED, GOES_ON, STOPPED = range(3)
MOST_DICE = 4


class Policy(NamedTuple):
    """Does the attacker call the fight off (section 6)? `asks` is 0 if he never does, `best` is 1 for the policy best.

    `below_odds[place, own, enemy]`: 1 where the chance to win is below the limit of the policy; read if `by_odds` is 1.
    """

    asks: int
    leave: Leave
    by_odds: int
    below_odds: np.ndarray
    best: int


class Hands(NamedTuple):
    """The sides that choose their number of dice (docs/rules/decisions.md section 2.1); with `sees` the defender
    chooses after the attacker's roll.

    `most[side, place]` are the dice allowed. `shown[place, dice]` is the chance table of the hand, by number, that so
    many dice show; `answers[place, hand, dice]` that of the losses when this many dice answer a hand.
    """

    attacker: int
    defender: int
    sees: int
    most: np.ndarray
    shown: np.ndarray
    answers: np.ndarray


class Params(NamedTuple):
    """Places 0 to `crossings - 1` are at sea, those up to `places - 1` are territories; place `places` is the port.

    By place: `enemies` (0 in the port, whose fleets are `port`), `defends` (1: the enemy attacks the convoy), and
    `tables[place, units of the side that attacks, units of the other]`, four units or more as four. `aboard[fleets]`
    are the troops that this many fleets carry (in a sea fight, the fleets themselves). `left_behind` stay in each
    captured territory. `sea` and `land` are the attacker's policies; sea rounds are counted up to `most_rounds`.
    """

    crossings: int
    places: int
    enemies: np.ndarray
    port: int
    defends: np.ndarray
    tables: np.ndarray
    aboard: np.ndarray
    left_behind: int
    most_rounds: int
    sea: Policy
    land: Policy
    hands: Hands


class State(NamedTuple):
    """The place of the fight, own fleets, regiments ashore (garrisons included), enemies in the place, fleets that have
    put to sea from the port, the regiments that landed, the decision, rounds fought.

    Where a side chooses its dice: the attacker's dice and the defender's in this round (0 before the choice), and 1 +
    the number of the hand that the defender has seen.
    """

    place: int
    fleets: int
    regiments: int
    enemy: int
    port: int
    at_shore: int
    decided: int
    sea_rounds: int
    land_rounds: int
    dice: int
    answer: int
    hand: int


@helper
def force_of(p, s):
    """Own units in the fight: fleets at sea, on land those who are not garrisons (section 5.1)."""
    if s.place < p.crossings or s.port > 0:
        return s.fleets
    return max(0, s.regiments - p.left_behind * (s.place - p.crossings))


@helper
def enemy_of(s):
    """Enemy units in the fight."""
    return s.port if s.port > 0 else s.enemy


@rule(Params)
@helper
def running(p, s):
    """Both sides have units, and the attacker has not called the fight off (section 4)."""
    return force_of(p, s) > 0 and enemy_of(s) > 0 and (s.port > 0 or s.decided != STOPPED)


@helper
def stop_asked(p, s):
    """Is the attacker asked whether he stops? Before every round, except with to-the-end (section 4)."""
    asks = p.sea.asks if s.place < p.crossings else p.land.asks
    return asks > 0 and s.decided == UNDECIDED and p.defends[s.place] == 0


@helper
def dice_asked(p, s):
    """Is the attacker asked how many dice he rolls?"""
    return p.hands.attacker > 0 and s.dice == 0


@helper
def showing(p, s):
    """Does the attacker roll now, before the defender chooses his dice?"""
    return p.hands.sees > 0 and s.hand == 0


@rule(Params)
@helper
def decides(p, s):
    """In this order: whether the attacker stops, the attacker's dice, the defender's dice."""
    if stop_asked(p, s) or dice_asked(p, s):
        return 1
    return 2 if p.hands.defender > 0 and s.answer == 0 and not showing(p, s) else 0


@helper
def most_dice(p, s):
    """The most dice of the side that chooses."""
    return min(p.hands.most[0, s.place], force_of(p, s)) if dice_asked(p, s) else min(p.hands.most[1, s.place], s.enemy)


@rule(Params)
def options(p, s):
    """Go on or stop; or a number of dice, the most first."""
    return 2 if stop_asked(p, s) else most_dice(p, s)


@rule(Params)
def choose(p, s):
    """The fixed policy's answer (section 6); the number of dice is always chosen as well as possible."""
    policy, rounds = (p.sea, s.sea_rounds) if s.place < p.crossings else (p.land, s.land_rounds)
    if policy.best > 0 or not stop_asked(p, s):
        return BEST
    own = force_of(p, s)
    if policy.by_odds > 0 and policy.below_odds[s.place, own, s.enemy] > 0:
        return 1
    return 1 if leaves(policy.leave, own, rounds, own, s.enemy) else 0


@rule(Params)
def table(p, s):
    """Round table of the place (section 3), for the dice chosen."""
    place = p.places if s.port > 0 else s.place
    own = s.dice if s.dice > 0 else min(force_of(p, s), MOST_DICE)
    if showing(p, s):
        return p.hands.shown[place, own]
    enemy = s.answer if s.answer > 0 else min(enemy_of(s), MOST_DICE)
    if s.hand > 0:
        return p.hands.answers[place, s.hand - 1, enemy]
    return p.tables[place, enemy, own] if p.defends[place] > 0 else p.tables[place, own, enemy]


@helper
def after_losses(p, s, own, enemy):
    """Both losses of a round come off together, on land or at sea (section 3, step 8)."""
    s = s._replace(enemy=s.enemy - enemy, decided=UNDECIDED, dice=0, answer=0, hand=0)
    if s.place < p.crossings:
        return s._replace(fleets=s.fleets - own, sea_rounds=min(s.sea_rounds + 1, p.most_rounds))
    return s._replace(regiments=s.regiments - own, land_rounds=s.land_rounds + 1)


@helper
def advanced(p, s):
    """A place without enemies is taken if own units are left to go on (section 5.1, section 5.5 step 4); after the last
    crossing all regiments aboard reach the shore (step 5).
    """
    left = p.aboard[s.fleets] if s.place < p.crossings else force_of(p, s)
    if s.enemy > 0 or left == 0:
        return s
    s = s._replace(place=s.place + 1, enemy=p.enemies[s.place + 1])
    return s._replace(regiments=left, at_shore=left) if s.place == p.crossings else s


@rule(Params)
def step(p, s, result):
    """A decision, a roll that is shown, or a round. After the fights on land, if a territory was captured, the fleets
    in port put to sea (section 5.5, step 6).
    """
    if s.port > 0:
        s = s._replace(port=s.port - (result >> 3), fleets=s.fleets - (result & 7))
        return s._replace(sea_rounds=min(s.sea_rounds + 1, p.most_rounds))
    if stop_asked(p, s):
        s = s._replace(decided=GOES_ON + result)
    elif dice_asked(p, s):
        return s._replace(dice=most_dice(p, s) - result)
    elif decides(p, s) > 0:
        return s._replace(answer=most_dice(p, s) - result)
    elif showing(p, s):
        return s._replace(hand=1 + result)
    elif p.defends[s.place] > 0:
        s = advanced(p, after_losses(p, s, result & 7, result >> 3))
    else:
        s = advanced(p, after_losses(p, s, result >> 3, result & 7))
    if s.place > p.crossings and not running(p, s):
        return s._replace(port=p.port, decided=STOPPED)
    return s
