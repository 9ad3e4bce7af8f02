"""The same battle of two sides with each side folded into one number: the hits it has taken.

Where losses follow a fixed order and nothing but the order matters (`folding.applies`), "hits taken" says who is left:
rules/kings_and_things.md section 10. The state is a tenth as large, and so are the numbers of states and the time a
roll takes. Everything that depends on who is left is read from arrays by *place* (a line-up and the hits it has
taken); decisions and post-battle rolls are the functions of `flow`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.chain import helper, rule
from simulator.rules.kings_and_things.flow import STALEMATE, departs
from simulator.rules.kings_and_things.state import ATTACKING, DEFENDING, DIGIT_BITS

DRAW, FIRST_ROLL, SECOND_ROLL, BOTH_ROLL, AFTER, OVER = range(6)
JOINT_BITS = 6


class Params(NamedTuple):
    """Fixed numbers of a folded battle.

    Arrays by place (the attacker's and the defender's places are numbered apart): `roll` 3 x place + step is the
    table of that side's throw (0 = no dice), `last` the place where nothing is left, `people`, `fire`, `able` (can
    anything of it fight), `rolls` what rolls after the battle. `joint` is the first table of joint throws by
    ((step x attacker places) + place) x defender places + place, or 0; `side` has the policy numbers of both sides.
    """

    digits: int
    joint: int
    width: int
    height: int
    dust: int
    unexplored: int
    after_table: int
    draw_table: np.ndarray
    first: np.ndarray
    attacker_roll: np.ndarray
    defender_roll: np.ndarray
    attacker_last: np.ndarray
    defender_last: np.ndarray
    attacker_people: np.ndarray
    defender_people: np.ndarray
    attacker_fire: np.ndarray
    defender_fire: np.ndarray
    attacker_able: np.ndarray
    defender_able: np.ndarray
    rolls: np.ndarray
    side: np.ndarray


class State(NamedTuple):
    """Round, phase and step; the places of both sides; hits of a roll under way; who fled (1 + side); the end.

    While the defender is drawn, `defender` holds the digits drawn so far and `step` their number.
    """

    rounds: int
    phase: int
    step: int
    attacker: int
    defender: int
    hits: int
    fled: int
    after: int


@helper
def next_step(p, step, a, d):
    """The next step of the round in which anybody rolls; 3 = none."""
    for t in range(step, 3):
        if p.attacker_roll[3 * a + t] or p.defender_roll[3 * d + t]:
            return t
    return 3


@helper
def leaver(p, rounds, a, d):
    """1 + the side that leaves at the end of this round, 0 if both stay: Dust of Defense, attacker, defender."""
    mine, theirs = p.attacker_fire[a], p.defender_fire[d]
    if p.dust and p.attacker_people[a] and theirs < mine:
        return 1 + ATTACKING
    if departs(p, ATTACKING, rounds, p.attacker_people[a], mine, theirs):
        return 1 + ATTACKING
    return 1 + DEFENDING if departs(p, DEFENDING, rounds, p.defender_people[d], theirs, mine) else 0


@helper
def ended(p, rounds, a, d, fled):
    """The battle is over: the post-battle roll if there is one."""
    taken = a < p.attacker_last[a] and fled != 1 + ATTACKING
    rolls = p.rolls[d] if taken or not p.unexplored else 0
    return State(rounds, AFTER if rolls else OVER, 0, a, d, 0, fled, 0)


@helper
def onward(p, rounds, step, a, d):
    """On to the next roll from a step of a round; step 3 is its end."""
    t = next_step(p, step, a, d)
    if t == 3:
        fled = leaver(p, rounds, a, d) if rounds else 0
        if fled:
            return ended(p, rounds, a, d, fled)
        if not (p.attacker_able[a] or p.defender_able[d]):
            return State(rounds, OVER, 0, a, d, 0, 0, STALEMATE)
        rounds += 1
        t = next_step(p, 0, a, d)
    if p.joint:
        return State(rounds, BOTH_ROLL, t, a, d, 0, 0, 0)
    return State(rounds, FIRST_ROLL if p.attacker_roll[3 * a + t] else SECOND_ROLL, t, a, d, 0, 0, 0)


@helper
def struck(p, s, on_defender, on_attacker):
    """Both sides take the hits of a step at once; the battle may be over."""
    a = min(s.attacker + on_attacker, p.attacker_last[s.attacker])
    d = min(s.defender + on_defender, p.defender_last[s.defender])
    if a == p.attacker_last[a] or d == p.defender_last[d]:
        return ended(p, s.rounds, a, d, 0)
    return onward(p, s.rounds, s.step + 1, a, d)


@helper
def met(p, s, result):
    """One more digit of the defender that is drawn from the cup; the last one opens the battle."""
    number = (s.defender << DIGIT_BITS) | result
    if s.step + 1 < p.digits:
        return State(0, DRAW, s.step + 1, s.attacker, number, 0, 0, 0)
    d = 0 + p.first[number]
    if d == p.defender_last[d]:
        return ended(p, 0, s.attacker, d, 0)
    return onward(p, 0, 3, s.attacker, d)


@rule(Params)
def running(p, s):
    """Is anything still to be rolled?"""
    return s.phase != OVER


@rule(Params)
def table(p, s):
    """The table of the next roll."""
    if s.phase == BOTH_ROLL:
        return p.joint + (s.step * p.width + s.attacker) * p.height + s.defender
    if s.phase == FIRST_ROLL:
        return p.attacker_roll[3 * s.attacker + s.step]
    if s.phase == SECOND_ROLL:
        return p.defender_roll[3 * s.defender + s.step]
    return p.after_table + p.rolls[s.defender] if s.phase == AFTER else p.draw_table[s.step] + s.defender


@rule(Params)
def step(p, s, result):
    """What a roll does, and everything up to the next one."""
    if s.phase == BOTH_ROLL:
        return struck(p, s, result >> JOINT_BITS, result & ((1 << JOINT_BITS) - 1))
    if s.phase == FIRST_ROLL:
        hits = min(result, p.defender_last[s.defender] - s.defender)
        if p.defender_roll[3 * s.defender + s.step]:
            return State(s.rounds, SECOND_ROLL, s.step, s.attacker, s.defender, hits, 0, 0)
        return struck(p, s, hits, 0)
    if s.phase == SECOND_ROLL:
        return struck(p, s, s.hits, result)
    if s.phase == AFTER:
        return State(s.rounds, OVER, 0, s.attacker, s.defender, 0, s.fled, result & 7)
    return met(p, s, result) if s.phase == DRAW else s
