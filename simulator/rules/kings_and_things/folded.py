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


# What is known of a place (a row of `Params.data`): tables of its throws by step, and so on.
ROLL, LAST, PEOPLE, FIRE, ABLE, ROLLS, WIDTH = 0, 3, 4, 5, 6, 7, 8


class Params(NamedTuple):
    """Fixed numbers of a folded battle; as in `state.Params` all arrays lie in `data`.

    - `attacker_at`, `defender_at`: WIDTH numbers a place: the tables of its throws in the three steps (0 = no dice),
      the LAST place, where nothing is left, PEOPLE and FIRE, ABLE (can anything fight), ROLLS (what rolls after the
      battle). The attacker's and the defender's places are numbered apart.
    - `side_at`: policy numbers; `first_at`: the first place of each defender that can be drawn; `draw_at`: tables.

    `joint` is the first table of joint throws by (step x attacker places + place) x defender places + place, or 0.
    """

    digits: int
    ticks: int
    joint: int
    width: int
    height: int
    dust: int
    unexplored: int
    after_table: int
    attacker_at: int
    defender_at: int
    side_at: int
    first_at: int
    draw_at: int
    data: np.ndarray


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
def of_attacker(p, place, column):
    """What is known of a place of the attacker."""
    return p.data[p.attacker_at + WIDTH * place + column]


@helper
def of_defender(p, place, column):
    """What is known of a place of the defender."""
    return p.data[p.defender_at + WIDTH * place + column]


@helper
def next_step(p, step, a, d):
    """The next step of the round in which anybody rolls; 3 = none."""
    for t in range(step, 3):
        if of_attacker(p, a, ROLL + t) or of_defender(p, d, ROLL + t):
            return t
    return 3


@helper
def leaver(p, rounds, a, d):
    """1 + the side that leaves at the end of this round, 0 if both stay: Dust of Defense, attacker, defender."""
    mine, theirs = of_attacker(p, a, FIRE), of_defender(p, d, FIRE)
    if p.dust and of_attacker(p, a, PEOPLE) and theirs < mine:
        return 1 + ATTACKING
    if departs(p, ATTACKING, rounds, of_attacker(p, a, PEOPLE), mine, theirs):
        return 1 + ATTACKING
    return 1 + DEFENDING if departs(p, DEFENDING, rounds, of_defender(p, d, PEOPLE), theirs, mine) else 0


@helper
def ended(p, rounds, a, d, fled):
    """The battle is over: the post-battle roll if there is one."""
    taken = a < of_attacker(p, a, LAST) and fled != 1 + ATTACKING
    rolls = of_defender(p, d, ROLLS) if taken or not p.unexplored else 0
    return State(rounds, AFTER if rolls else OVER, 0, a, d, 0, fled, 0)


@helper
def roll_of(p, rounds, t, a, d):
    """The state in which a step's throw is due."""
    if p.joint:
        return State(rounds, BOTH_ROLL, t, a, d, 0, 0, 0)
    return State(rounds, FIRST_ROLL if of_attacker(p, a, ROLL + t) else SECOND_ROLL, t, a, d, 0, 0, 0)


@helper
def new_round(p, rounds, a, d):
    """A round begins, or the battle ends in a stalemate."""
    if not (of_attacker(p, a, ABLE) or of_defender(p, d, ABLE)):
        return State(rounds, OVER, 0, a, d, 0, 0, STALEMATE)
    return roll_of(p, rounds + 1, next_step(p, 0, a, d), a, d)


@helper
def onward(p, rounds, step, a, d):
    """On to the next roll from a step of a round, or from its end."""
    t = next_step(p, step, a, d)
    if t < 3:
        return roll_of(p, rounds, t, a, d)
    fled = leaver(p, rounds, a, d)
    return ended(p, rounds, a, d, fled) if fled else new_round(p, rounds, a, d)


@helper
def struck(p, s, on_defender, on_attacker):
    """Both sides take the hits of a step at once; the battle may be over."""
    rounds = 0 if p.ticks else s.rounds
    a = min(s.attacker + on_attacker, of_attacker(p, s.attacker, LAST))
    d = min(s.defender + on_defender, of_defender(p, s.defender, LAST))
    if a == of_attacker(p, a, LAST) or d == of_defender(p, d, LAST):
        return ended(p, rounds, a, d, 0)
    return onward(p, rounds, s.step + 1, a, d)


@helper
def met(p, s, result):
    """One more digit of the defender that is drawn from the cup; the last one opens the battle."""
    number = (s.defender << DIGIT_BITS) | result
    if s.step + 1 < p.digits:
        return State(0, DRAW, s.step + 1, s.attacker, number, 0, 0, 0)
    d = 0 + p.data[p.first_at + number]
    if d == of_defender(p, d, LAST):
        return ended(p, 0, s.attacker, d, 0)
    return new_round(p, 0, s.attacker, d)


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
        return of_attacker(p, s.attacker, ROLL + s.step)
    if s.phase == SECOND_ROLL:
        return of_defender(p, s.defender, ROLL + s.step)
    return (
        p.after_table + of_defender(p, s.defender, ROLLS)
        if s.phase == AFTER
        else p.data[p.draw_at + s.step] + s.defender
    )


@rule(Params)
def step(p, s, result):
    """What a roll does, and everything up to the next one."""
    if s.phase == BOTH_ROLL:
        return struck(p, s, result >> JOINT_BITS, result & ((1 << JOINT_BITS) - 1))
    if s.phase == FIRST_ROLL:
        hits = min(result, of_defender(p, s.defender, LAST) - s.defender)
        if of_defender(p, s.defender, ROLL + s.step):
            return State(0 if p.ticks else s.rounds, SECOND_ROLL, s.step, s.attacker, s.defender, hits, 0, 0)
        return struck(p, s, hits, 0)
    if s.phase == SECOND_ROLL:
        return struck(p, s, s.hits, result)
    if s.phase == AFTER:
        return State(0 if p.ticks else s.rounds, OVER, 0, s.attacker, s.defender, 0, s.fled, result & 7)
    return met(p, s, result) if s.phase == DRAW else s
