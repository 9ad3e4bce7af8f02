"""A battle as a chain of rolls (docs/rules/kings_and_things.md sections 3.2 and 6).

Each side is one number, its condition. Conditions and the effects of hits are tabulated before the first roll (see
`conditions`), so the same look-ups serve armies with and without items, and two to four sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import BEST, helper, rule
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.toolkit.retreat import Leave, leaves

ATTACKING, DEFENDING, SECOND = range(3)
MAGIC, RANGED, MELEE = range(3)
STEPS = 3

# Phases of states, where a die is rolled or a side decides next; then those that a step passes through.
DRAW, FIREWALL, ROLL, SAVE, LOSE, RETREAT, AFTER, OVER = range(8)
OPENING, ROUND, SEEK, STRUCK, RESUMED, RETREATS, ENDED = range(8, 15)
STAY, LEAVE = 0, 1
STALEMATE = 8
DIGIT_BITS = 6
# The target of a side: the number of a side, or one of these.
STRONGEST, WEAKEST = 4, 5
# Columns of `about`, a row for each condition. The conditions after the start of a round, an aimed hit, a retreat, the
# loss of the charm and the end; the table of the die it waits for (0: none) and the place of its fates; 1 for a Golem,
# Dust of Defense, anything left, anything able to fight, a charm against enemy dice; people, fire, hits above which all
# are void, 1 if its fort rolls at the end, the level of its settlement.
ARMED, AIMED, GONE, CHARMLESS, AT_END, WAITS, FATE_AT = range(7)
GOLEM, DUST, STANDS, ABLE, SPOILS, PEOPLE, FIRE, ROOM, FORT_ROLLS, SETTLEMENT = range(7, 17)
# By step: the condition after losses; the table of its dice, also against an enemy's charm (results 4 x hits + 2 x
# aimed hit + 1 if a charm was used). By 2 x (step x width + hits): the condition after these hits, then the number of
# hits spent before a die must be rolled, or -1 x the place in `ways` of the conditions among which the owner chooses.
AFTERWARDS, THROW, SPOILED, FALLS = range(17, 17 + 4 * STEPS, STEPS)


class Params(NamedTuple):
    """Numbers of a battle; conditions are numbered across all sides; arrays are int64."""

    sides: int
    marked: int  # as `sides`, or 0 where only hits and retreats change conditions
    unexplored: int
    clock: int  # the last round that a policy reads
    width: int
    digits: int  # of the number of a draw from the cup
    post_battle: int  # 0 none, 1 damaged, 2 all
    income: int
    # By side: its retreat policy (five numbers of a Leave); 0 it stays, 1 it leaves by policy, 2 when best; its target.
    leave: np.ndarray
    asked: np.ndarray
    target: np.ndarray
    # The numbers of a condition stand in one row (of `row` numbers), so that a look-up reads one cache line.
    row: int
    about: np.ndarray
    # Result r of the die that a condition waits for leads to fates[fate_at + r].
    fates: np.ndarray
    # Results of hits among which the owner chooses: their number, then the conditions, that of the fixed order first.
    ways: np.ndarray
    # draw[draw_at[digit] + digits so far] is the table of a digit; by number of the draw: both conditions, the note.
    draw: np.ndarray
    draw_at: np.ndarray
    start0: np.ndarray
    start1: np.ndarray
    start_note: np.ndarray
    printed: np.ndarray  # level of the settlement, by number of the draw
    after_tables: np.ndarray  # by the sum of rolling structures: fort (1), settlement (2), income counter (4)


class State(NamedTuple):
    """The state of a battle.

    `turn` is the side that rolls (with the next one) or decides, or the digit drawn; `drawn` the number of the draw so
    far, later the printed level of the settlement; `note` the facts of the draw, for the outcome alone; `targets` packs
    the target of each side; `after` is the post-battle result. Then the conditions of the sides, and the pending hits
    on each: 2 x hits + aimed hit.
    """

    rounds: int = 0
    clock: int = 0
    phase: int = 0
    step: int = 0
    turn: int = 0
    drawn: int = 0
    note: int = 0
    targets: int = 0
    after: int = 0
    side0: int = 0
    side1: int = 0
    side2: int = 0
    side3: int = 0
    hits0: int = 0
    hits1: int = 0
    hits2: int = 0
    hits3: int = 0


@helper
def side(s, i):
    """The condition of side `i`."""
    return s.side0 if i == 0 else s.side1 if i == 1 else s.side2 if i == 2 else s.side3


@helper
def hits_on(s, i):
    """Pending hits on side `i`."""
    return s.hits0 if i == 0 else s.hits1 if i == 1 else s.hits2 if i == 2 else s.hits3


@helper
def put(s, i, condition, hits):
    """The state with another condition of side `i` and these pending hits."""
    if condition == side(s, i) and hits == hits_on(s, i):
        return s
    if i < SECOND:
        return s._replace(side0=condition, hits0=hits) if i == 0 else s._replace(side1=condition, hits1=hits)
    return s._replace(side2=condition, hits2=hits) if i == 2 else s._replace(side3=condition, hits3=hits)


@helper
def attackers(p, s):
    """Number of attacking sides present."""
    number = 0
    for i in range(p.sides):
        number += p.about[p.row * side(s, i) + STANDS] if i != DEFENDING else 0
    return number


@helper
def is_over(p, s):
    """No attacker is present, or one attacker and no defender."""
    number = attackers(p, s)
    return number == 0 or (number == 1 and not p.about[p.row * s.side1 + STANDS])


@helper
def before_round_1(p, s):
    """Before round 1: the die of a Firewall, the end where a side is empty, else the first round."""
    for i in range(p.marked):
        if p.about[p.row * side(s, i) + WAITS]:
            return s._replace(phase=FIREWALL, turn=i)
    return s._replace(phase=ENDED if is_over(p, s) else ROUND, turn=0)


@helper
def named(p, s, i):
    """The target that side `i` names before the round (section 6); itself if no other side is present."""
    wish = 0 + p.target[i]
    if wish < STRONGEST and wish != i and wish < p.sides and p.about[p.row * side(s, wish) + STANDS]:
        return wish
    best, target = -1, i
    for turn in range(4):
        j = 1 - turn if turn < SECOND else turn  # ties: defender, attacker, second, third
        if j < p.sides and j != i and p.about[p.row * side(s, j) + STANDS]:
            power = p.about[p.row * side(s, j) + FIRE]
            if best < 0 or (power < best if wish == WEAKEST else power > best):
                best, target = power, j
    return target


@helper
def target_of(s, i):
    """The target of side `i` in this round."""
    return (s.targets >> (2 * i)) & 3


@helper
def new_round(p, s):
    """Section 3.2, 1: Sword and Bow are handed out, targets named; the magic step, or a stalemate."""
    armed, able, targets = s, 0, 0
    for i in range(p.sides):
        if p.marked:
            armed = put(armed, i, 0 + p.about[p.row * side(s, i) + ARMED], 0)
        able += p.about[p.row * side(armed, i) + ABLE]
        targets |= named(p, s, i) << (2 * i)
    if able == 0:
        return s._replace(phase=ENDED, after=STALEMATE)
    clock = min(s.clock + 1, p.clock)
    return armed._replace(rounds=s.rounds + 1, clock=clock, phase=SEEK, step=0, turn=0, targets=targets)


@helper
def throw_of(p, s, i):
    """The table of the dice that side `i` rolls in this step; NO_TABLE for no dice."""
    j = target_of(s, i) if i < p.sides else i
    at = p.row * side(s, j)
    if j == i or not p.about[at + STANDS]:
        return NO_TABLE
    table = SPOILED if p.about[at + SPOILS] else THROW
    return 0 + p.about[p.row * side(s, i) + table + s.step]


@helper
def thrown(p, s, i, result):
    """The roll of side `i`: its hits are pending until the end of the step, without those that are always void."""
    if result == 0:
        return s
    if result & 1:
        s = s._replace(side0=0 + p.about[p.row * s.side0 + CHARMLESS], side1=0 + p.about[p.row * s.side1 + CHARMLESS])
    j = target_of(s, i)
    waiting = hits_on(s, j)
    hits = min((waiting >> 1) + (result >> 2), p.about[p.row * side(s, j) + ROOM] + 1)
    return put(s, j, side(s, j), 2 * hits + ((waiting | result >> 1) & 1))


@helper
def step_done(p, s):
    """The next step, or the end of the round: Dust of Defense drives the attacker off if the defender is outgunned."""
    for i in range(p.marked):
        s = put(s, i, 0 + p.about[p.row * side(s, i) + AFTERWARDS + s.step], 0)
    if s.step < MELEE:
        return s._replace(phase=SEEK, step=s.step + 1, turn=0)
    one, two = p.row * s.side0, p.row * s.side1
    if p.about[two + DUST] and p.about[one + PEOPLE] and p.about[two + FIRE] < p.about[one + FIRE]:
        s = s._replace(side0=0 + p.about[p.row * s.side0 + GONE])
    return s._replace(phase=RETREATS, step=0, turn=0, targets=0)


@helper
def next_roll(p, s):
    """The next side that rolls in this step (with the one after it); then losses, if any, or the next step."""
    for i in range(s.turn, p.sides):
        if throw_of(p, s, i) != NO_TABLE:
            return s._replace(phase=ROLL, turn=i)
    return s._replace(phase=STRUCK) if s.hits0 | s.hits1 | s.hits2 | s.hits3 else step_done(p, s)


@helper
def losses(p, s):
    """Each side takes its hits (section 3.3) until none is left, a saving die must be rolled, or an owner chooses.

    When the losses of a step begin, a Golem takes one hit off and an aimed hit comes first.
    """
    for i in range(p.sides):
        c, waiting = side(s, i), hits_on(s, i)
        hits, aimed = waiting >> 1, waiting & 1
        if waiting and not p.about[p.row * c + WAITS]:
            if s.phase == STRUCK and p.about[p.row * c + GOLEM] and s.step == RANGED:
                hits, aimed = (hits - 1, aimed) if hits > 0 else (0, 0)
            if aimed:
                hits += 1 if p.about[p.row * c + AIMED] == c else 0
                c = 0 + p.about[p.row * c + AIMED]
            place = p.row * c + FALLS + 2 * (s.step * p.width + min(hits, p.width - 1))
            spent = p.about[place + 1]
            if spent >= 0:
                c = 0 + p.about[place]
                hits = min(hits - spent, p.about[p.row * c + ROOM]) if p.about[p.row * c + WAITS] else 0
            s = put(s, i, c, 2 * hits)
    for i in range(p.marked):
        if p.about[p.row * side(s, i) + WAITS]:
            return s._replace(phase=SAVE, turn=i)
        if hits_on(s, i):
            return s._replace(phase=LOSE, turn=i)
    return s._replace(phase=ENDED) if is_over(p, s) else step_done(p, s)


@helper
def ways_at(p, s):
    """The place in `ways` of the results among which the side that takes its hits chooses."""
    hits = min(hits_on(s, s.turn) >> 1, p.width - 1)
    return 0 - p.about[p.row * side(s, s.turn) + FALLS + 2 * (s.step * p.width + hits) + 1]


@helper
def decider(turn):
    """The side that decides in this turn: attacker, second, third attacker, then the defender."""
    return ATTACKING if turn == 0 else DEFENDING if turn == 3 else turn + 1


@helper
def retreats(p, s):
    """The next side that decides whether it retreats, or the next round."""
    if is_over(p, s):
        return s._replace(phase=ENDED)
    for turn in range(s.turn, 4):
        i = decider(turn)
        if i < p.sides and p.asked[i] and p.about[p.row * side(s, i) + PEOPLE]:
            return s._replace(phase=RETREAT, turn=turn)
    return s._replace(phase=ROUND, turn=0)


@helper
def rolls_after(p, s):
    """Sum of fort (1), settlement (2) and income counter (4) that roll after the battle (section 3.2, 7)."""
    if s.after == STALEMATE or p.post_battle == 0 or (p.unexplored and attackers(p, s) == 0):
        return 0
    printed = s.drawn
    rolled = 2 if printed and (p.post_battle == 2 or p.about[p.row * s.side1 + SETTLEMENT] < printed) else 0
    return rolled + p.about[p.row * s.side1 + FORT_ROLLS] + 4 * p.income


@helper
def finished(p, s):
    """The battle is over; the post-battle roll follows if there is one."""
    for i in range(p.marked):
        s = put(s, i, 0 + p.about[p.row * side(s, i) + AT_END], 0)
    return s._replace(phase=AFTER if rolls_after(p, s) else OVER, clock=0, step=0, turn=0, targets=0)


@helper
def onward(p, s):
    """Advance to the next roll or decision, or to the end."""
    while s.phase > OVER:
        if s.phase == SEEK:
            s = next_roll(p, s)
        elif s.phase in (STRUCK, RESUMED):
            s = losses(p, s)
        elif s.phase == RETREATS:
            s = retreats(p, s)
        elif s.phase == ROUND:
            s = new_round(p, s)
        else:
            s = before_round_1(p, s) if s.phase == OPENING else finished(p, s)
    return s


@rule(Params)
def running(p, s):
    """A roll or a decision is still to come."""
    return s.phase != OVER


@rule(Params)
def table(p, s):
    """The table of the next roll."""
    if s.phase == ROLL:
        return throw_of(p, s, s.turn)
    if s.phase in (SAVE, FIREWALL):
        return 0 + p.about[p.row * side(s, s.turn) + WAITS]
    if s.phase == DRAW:
        return 0 + p.draw[p.draw_at[s.turn] + s.drawn]
    return 0 + p.after_tables[rolls_after(p, s)] if s.phase == AFTER else NO_TABLE


@rule(Params)
def second(p, s):
    """The table of the next side, which rolls at the same time."""
    return throw_of(p, s, s.turn + 1) if s.phase == ROLL else NO_TABLE


@rule(Params)
def step(p, s, result, other):
    """The state at the next roll or decision, after this one."""
    phase, i = s.phase, s.turn
    if phase == ROLL:
        s = thrown(p, thrown(p, s, i, result), i + 1, other)._replace(phase=SEEK, turn=i + 2)
    elif phase == AFTER:
        s = s._replace(phase=OVER, after=result)
    elif phase == DRAW:
        # One digit of the number of the draw; the last one gives the conditions of both sides.
        number = (s.drawn << DIGIT_BITS) | result
        s = s._replace(turn=i + 1, drawn=number)
        if i + 1 == p.digits:
            s = s._replace(side0=0 + p.start0[number], side1=0 + p.start1[number], phase=OPENING, turn=0)
            s = s._replace(drawn=0 + p.printed[number], note=0 + p.start_note[number])
    else:
        i = decider(i) if phase == RETREAT else i
        c = 0 + side(s, i)
        if phase == LOSE:
            c = 0 + p.ways[ways_at(p, s) + 1 + result]
        elif phase != RETREAT:
            c = 0 + p.fates[p.about[p.row * c + FATE_AT] + result]
        elif result == LEAVE:
            c = 0 + p.about[p.row * c + GONE]
        s = put(s, i, c, 0 if phase == LOSE else hits_on(s, i))
        phase = OPENING if phase == FIREWALL else RETREATS if phase == RETREAT else RESUMED
        s = s._replace(phase=phase, turn=s.turn + 1)
    return onward(p, s)


@rule(Params)
def decides(p, s):
    """1 + the side that decides on its losses, or whether it retreats; 0 where dice decide."""
    return 1 + decider(s.turn) if s.phase == RETREAT else 1 + s.turn if s.phase == LOSE else 0


@rule(Params)
def options(p, s):
    """Stay or leave, or the results of the hits."""
    return 0 + p.ways[ways_at(p, s)] if s.phase == LOSE else 2


@rule(Params)
def choose(p, s):
    """The option that the retreat policy takes (section 4); enemy fire is that of all other sides."""
    if s.phase == LOSE:
        return BEST
    i, enemy = decider(s.turn), 0
    for j in range(p.sides):
        enemy += p.about[p.row * side(s, j) + FIRE] if j != i else 0
    c = side(s, i)
    if p.asked[i] == 2:
        return BEST
    at = 5 * i
    policy = Leave(p.leave[at], p.leave[at + 1], p.leave[at + 2], p.leave[at + 3], p.leave[at + 4])
    return LEAVE if leaves(policy, p.about[p.row * c + PEOPLE], s.clock, p.about[p.row * c + FIRE], enemy) else STAY
