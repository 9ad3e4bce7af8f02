"""A battle as rounds of dice: one fight, or a path of places taken one after the other (docs/rules/risk.md sections
4 to 6). A sea fight or an attack on a single territory is a path of one place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.chain import BEST, helper, rule
from simulator.rules.toolkit.retreat import Leave, leaves

# What the side that attacks has decided about the coming round; its options are 0 = go on, 1 = stop.
UNDECIDED, GOES_ON, STOPPED = range(3)


class Policy(NamedTuple):
    """When the side that attacks calls a fight off (section 6); `asks` is 0 if it never does, `best` 1 if the best is
    sought.

    `hopeless[place, own, enemy]`: 1 where the chance to win is below the one asked for; read if `by_odds` is 1.
    """

    asks: int
    leave: Leave
    by_odds: int
    hopeless: np.ndarray
    best: int


class Hands(NamedTuple):
    """Who chooses how many dice he rolls (docs/rules/decisions.md section 2.1), and whether the defender `sees` the
    other's dice before that.

    `most[side, place]` are the dice allowed. `shown[place, dice]` is the table of the hands, numbered, that so many
    dice show; `answers[place, hand, dice]` that of the losses when so many dice answer a hand.
    """

    attacker: int
    defender: int
    sees: int
    most: np.ndarray
    shown: np.ndarray
    answers: np.ndarray


class Params(NamedTuple):
    """`defenders[place]` (one 0 more at the end); regiments `left_behind` in each captured place; the round tables as
    `tables[place, attackers, defenders]`, four units or more as four; when the attacker stops.
    """

    defenders: np.ndarray
    left_behind: int
    tables: np.ndarray
    policy: Policy
    hands: Hands


class State(NamedTuple):
    """Attackers alive (garrisons included), places captured, defenders of the next one, the decision, rounds fought.

    Where hands are chosen: the attacker's dice and the defender's in this round, 0 before they are, and 1 + the number
    of the hand that the defender has seen.
    """

    attackers: int
    captured: int
    defenders: int
    decided: int
    rounds: int
    dice: int
    answer: int
    hand: int


@helper
def hand_of(units):
    """Units that matter to the dice: nobody rolls more than four."""
    return min(units, 4)


@helper
def force_of(p, s):
    """Attackers who are not garrisons (section 5.1)."""
    return max(0, s.attackers - p.left_behind * s.captured)


@helper
def calls_off(policy, place, own, enemy, rounds):
    """Does the policy say stop? Asked before every round, the first included (section 6)."""
    if policy.by_odds > 0 and policy.hopeless[place, own, enemy] > 0:
        return True
    return leaves(policy.leave, own, rounds, own, enemy)


@rule(Params)
@helper
def running(p, s):
    """Both sides are there, and the attacker has not called the fight off (section 4)."""
    return force_of(p, s) > 0 and s.defenders > 0 and s.decided != STOPPED


@helper
def stop_asked(p, s):
    """Is the attacker asked whether he stops? Before every round, unless the policy is to the end (section 4)."""
    return p.policy.asks > 0 and s.decided == UNDECIDED


@helper
def dice_asked(p, s):
    """Is the attacker asked how many dice he rolls?"""
    return p.hands.attacker > 0 and s.dice == 0


@helper
def showing(p, s):
    """Does the attacker roll now, and the defender see it before he chooses?"""
    return p.hands.sees > 0 and s.hand == 0


@rule(Params)
@helper
def decides(p, s):
    """The attacker stops or not, the attacker's dice, the defender's dice."""
    if stop_asked(p, s) or dice_asked(p, s):
        return 1
    return 2 if p.hands.defender > 0 and s.answer == 0 and not showing(p, s) else 0


@helper
def most_dice(p, s, side, units):
    """Dice that a side of so many units may roll."""
    return min(p.hands.most[side, s.captured], units)


@rule(Params)
@helper
def options(p, s):
    """Go on or stop; so many dice, most first."""
    if stop_asked(p, s):
        return 2
    return most_dice(p, s, 0, force_of(p, s)) if dice_asked(p, s) else most_dice(p, s, 1, s.defenders)


@rule(Params)
@helper
def choose(p, s):
    """What the fixed policy says; a choice of dice is made as well as possible."""
    if p.policy.best > 0 or not stop_asked(p, s):
        return BEST
    return 1 if calls_off(p.policy, s.captured, force_of(p, s), s.defenders, s.rounds) else 0


@rule(Params)
@helper
def table(p, s):
    """Round table of the place being attacked (section 3), for the dice chosen."""
    own = s.dice if s.dice > 0 else hand_of(force_of(p, s))
    if showing(p, s):
        return p.hands.shown[s.captured, own]
    enemy = s.answer if s.answer > 0 else hand_of(s.defenders)
    if s.hand > 0:
        return p.hands.answers[s.captured, s.hand - 1, enemy]
    return p.tables[s.captured, own, enemy]


@helper
def chosen(p, s, option):
    """After a decision."""
    if stop_asked(p, s):
        return s._replace(decided=GOES_ON + option)
    if dice_asked(p, s):
        return s._replace(dice=most_dice(p, s, 0, force_of(p, s)) - option)
    return s._replace(answer=most_dice(p, s, 1, s.defenders) - option)


@rule(Params)
@helper
def step(p, s, result):
    """A decision, or a round: losses come off together; a place without defenders is captured if any of the force is
    left (section 5.1).
    """
    if decides(p, s) > 0:
        return chosen(p, s, result)
    if showing(p, s):
        return s._replace(hand=1 + result)
    own, enemy = result >> 3, result & 7
    defenders, captured = s.defenders - enemy, s.captured
    if defenders == 0 and force_of(p, s) > own:
        captured += 1
        defenders = p.defenders[captured]
    s = s._replace(attackers=s.attackers - own, captured=captured, defenders=defenders)
    return s._replace(decided=UNDECIDED, rounds=s.rounds + 1, dice=0, answer=0, hand=0)
