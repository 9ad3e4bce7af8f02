"""The rounds of a battle on land or at sea: one procedure (docs/rules/price_of_power.md sections 3 and 4).

The chance steps are the card and the charge of each side, then in each round the attacker's and the defender's roll.
The casualties of a round are removed together after the defender's roll; then each side decides whether it leaves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import BEST, helper, rule
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.price_of_power.casualties import (
    ATTACK,
    DEFENCE,
    GONE,
    HITS,
    MANY,
    TERCIOS,
    UNITS,
    after_casualties,
    after_hits,
    force_of,
    hits_with,
    part,
    present,
    strength_on,
    table_for,
    turn_of,
    units_on,
)
from simulator.rules.toolkit.retreat import Leave, leaves

# The phase is the step that comes next.
(
    ATTACKER_DRAWS, DEFENDER_DRAWS, ATTACKER_CHARGES, DEFENDER_CHARGES, ATTACKER_ROLLS, DEFENDER_ROLLS,
    ATTACKER_DECIDES, DEFENDER_DECIDES, OVER,
) = range(9)  # fmt: skip
# Kinds of realms: a player decides, an NPR leaves when weaker, rebels stay and hold NPRs, the others never leave.
PLAYER, NPR, REBELS, TO_THE_LAST = range(4)
# When a side leaves: never, as its `Leave` says, when its leader is wounded, or when that is best.
NEVER, BY_POLICY, WHEN_WOUNDED, AT_BEST = range(4)
STAY, LEAVE = 0, 1
DEAD, STAGES, UNLED = 2, 3, 2


class Params(NamedTuple):
    """Numbers of a battle. Factions are the attacker (0) and the defenders (1 to 3); arrays are int64.

    `last`: all rounds from this one on are alike. `main`: faction of the main defender, 0 for none. `brief`: a later
    stage needs the ships and units alone. `first_of[side]` is the side's first faction. `kind` and `tie` are indexed by
    faction; `automatic` hits, `asks` (when it leaves) and `supply` (captured ships it can man) by side.
    `strength[3 * faction + category, n]` is the strength of a category that can take n hits (casualties.py); `fewest`
    is the force of as many ships with the fewest hits.
    `pool[side, dice_of(...), round]` holds the first table of a roll and the most icons that the roll can show;
    there is a table for each number of units up to `cap[side]`. `shown[result]` holds the icons of a roll,
    packed as a strength, and above them its tercios. `opening` holds the tables of the first four phases, NO_TABLE for
    a phase left out.
    """

    sea: int
    whole_battle: int
    damage_wounds: int
    count_rounds: int
    max_rounds: int
    last: int
    main: int
    brief: int
    attacker_leaves: Leave
    defender_leaves: Leave
    first_of: np.ndarray
    kind: np.ndarray
    tie: np.ndarray
    strength: np.ndarray
    fewest: np.ndarray
    automatic: np.ndarray
    asks: np.ndarray
    supply: np.ndarray
    pool: np.ndarray
    cap: np.ndarray
    shown: np.ndarray
    opening: np.ndarray


class State(NamedTuple):
    """The state of a battle: phase, rounds done, the force of each faction, leaders, a pending roll.

    `round` stops at the last value that a rule reads; `rounds` counts all rounds, where that is asked for. `turns`
    holds the next category of the casualty alternation, two bits for each faction. A leader is 3 x his card + his
    wounds, 0 for none. `hits`, `wounds` and `captured` hold the attacker's roll until the defender has
    rolled. At the end `captured` and `captured_heavy` are the ships captured.
    """

    phase: int
    round: int
    attacker: int
    defender_1: int
    defender_2: int
    defender_3: int
    turns: int
    attacker_leader: int
    defender_leader: int
    hits: int
    wounds: int
    captured: int
    captured_heavy: int
    rounds: int


@helper
def leader_of(s, side):
    """The leader of a side with his wounds."""
    return s.attacker_leader if side == ATTACK else s.defender_leader


@helper
def fights(p, s, side, kind):
    """A unit of a realm of this kind still fights on the side."""
    for faction in range(p.first_of[side], p.first_of[side + 1]):
        if p.kind[faction] == kind and present(force_of(s, faction)):
            return True
    return False


@helper
def has_empty_side(s):
    """A side has no unit left in the area."""
    return not present(s.attacker) or not (present(s.defender_1) or present(s.defender_2) or present(s.defender_3))


@helper
def led(p, s, side):
    """The side has no main defender, or he still has a unit in the battle (section 3.1, step 1)."""
    return side == ATTACK or p.main == 0 or present(force_of(s, p.main))


# The rolls (section 3.2, steps 1 and 2; section 4, steps 1 and 2).


@helper
def dice_of(p, s, side):
    """Row of the pools of a side: 3 x its card, plus 0 with a dead leader, 1 with one alive, 2 where it is not led."""
    wounds = leader_of(s, side) % STAGES
    return leader_of(s, side) - wounds + (UNLED if not led(p, s, side) else 1 if wounds < DEAD else 0)


@helper
def hits_of(p, s, side, shown):
    """Hits of a roll."""
    return hits_with(p.sea, strength_on(p, s, side), shown, p.automatic[side] if led(p, s, side) else 0)


@helper
def wounds_by(p, s, side, shown):
    """Wounds that the tercios of the enemy's roll deal to the leader of `side` (section 3.2, step 4)."""
    leader = leader_of(s, side)
    return new_wounds(shown, leader % STAGES) if leader > 0 and led(p, s, side) else 0


@helper
def new_wounds(shown, wounds):
    """One wound for each two tercios; a leader dies of the second."""
    return min(shown >> (TERCIOS + 1), DEAD - wounds)


@helper
def captured_by(p, s, side, shown, hits):
    """Ships that a roll captures if it sinks the enemy's last ship, else 0 (section 4, step 5)."""
    sinks = p.supply[side] > 0 and hits >= strength_on(p, s, 1 - side) >> HITS
    return min(shown >> TERCIOS, p.supply[side]) if sinks else 0


@helper
def with_captures(p, before, after, captured):
    """The state with the ships captured from those sunk in the final roll, cheapest first (section 4, step 5)."""
    if present(after.attacker):
        captured, sunk = before.captured, strength_on(p, before, DEFENCE)
    elif fights(p, after, DEFENCE, PLAYER):
        sunk = strength_on(p, before, ATTACK)
    else:
        return after
    ships = (sunk >> UNITS) & MANY
    captured = min(captured, ships)
    return after._replace(captured=captured, captured_heavy=max(0, captured - ships + part(sunk, 3)))


# Retreat (section 3.2, step 6; section 4, step 6).


@helper
def may_choose(p, s, side):
    """A player realm of this side decides whether to leave: it may, it has a policy, and the side has two units."""
    return p.asks[side] > 0 and fights(p, s, side, PLAYER) and units_on(p, s, side) >= 2


@helper
def after_decision(p, s, faction, option):
    """The force of a faction that stays or leaves: a player realm as decided, an NPR leaves when outnumbered.

    A player realm that leaves pays one more casualty; at sea it pays one ship, which the outcome subtracts.
    """
    force, side = force_of(s, faction), min(faction, DEFENCE)
    if not present(force) or p.kind[faction] > NPR:
        return force
    if p.kind[faction] == PLAYER:
        paid = force if option == STAY or p.sea else after_hits(force, 1, turn_of(s, faction))
        return force if option == STAY else GONE | paid
    return force if units_on(p, s, side) >= units_on(p, s, 1 - side) or fights(p, s, side, REBELS) else GONE | force


@helper
def decided(p, s, option):
    """The state after a decision: the attacker decides first, then the defenders; then the next round or the end."""
    if s.phase == ATTACKER_DECIDES:
        s = s._replace(attacker=after_decision(p, s, 0, option), phase=DEFENDER_DECIDES)
        if s.attacker & GONE:
            return ended(p, s)
        if may_choose(p, s, DEFENCE):
            return s
        option = STAY
    after = s._replace(
        defender_1=after_decision(p, s, 1, option),
        defender_2=after_decision(p, s, 2, option),
        defender_3=after_decision(p, s, 3, option),
    )
    now = s.round + 1
    return ended(p, after) if has_empty_side(after) or now == p.max_rounds else to_roll(p, after, min(now, p.last - 1))


@helper
def leave_or_stay(p, s):
    """Step 6: each side leaves or stays, the attacker first."""
    s = s._replace(phase=ATTACKER_DECIDES)
    return s if may_choose(p, s, ATTACK) else decided(p, s, STAY)


@rule(Params)
@helper
def decides(p, s):
    """1 where the attacker decides, 2 where the defenders do, 0 where chance does."""
    return max(0, s.phase - DEFENDER_ROLLS) if s.phase != OVER else 0


@rule(Params)
def options(p, s):
    """Two options: stay or leave."""
    return 2


@rule(Params)
@helper
def choose(p, s):
    """The option that the policy of the deciding side takes (section 2, `retreat`)."""
    side = s.phase - ATTACKER_DECIDES
    if p.asks[side] == AT_BEST:
        return BEST
    policy = p.attacker_leaves if side == ATTACK else p.defender_leaves
    own, enemy, wounds = units_on(p, s, side), units_on(p, s, 1 - side), leader_of(s, side) % STAGES
    return LEAVE if policy_leaves(policy, p.asks[side], s.round + 1, own, enemy, wounds) else STAY


@helper
def policy_leaves(policy, asks, rounds, own, enemy, wounds):
    """The policy says leave, given the rounds fought, the units of both sides and the leader's wounds."""
    return leaves(policy, own, rounds, own, enemy) | ((asks == WHEN_WOUNDED) & (wounds == 1))


# The course of a battle.


@helper
def to_roll(p, s, done):
    """The next round after `done` rounds; the alternation restarts unless it runs through the whole battle."""
    return s._replace(phase=ATTACKER_ROLLS, round=done, turns=s.turns if p.whole_battle else 0)


@helper
def reported(p, faction, force):
    """A force as the outcome reads it: of a fleet before a later stage the number of ships alone."""
    return (force & GONE) | p.fewest[3 * faction + 1, part(force, 1)] if p.sea & p.brief else force


@helper
def ended(p, s):
    """The battle is over; fields that no outcome reads are cleared, so that equal outcomes merge."""
    return s._replace(
        phase=OVER, round=0, turns=0,
        attacker=reported(p, 0, s.attacker), defender_1=reported(p, 1, s.defender_1),
        defender_2=reported(p, 2, s.defender_2), defender_3=reported(p, 3, s.defender_3),
        captured_heavy=0 if p.brief else s.captured_heavy,
        attacker_leader=0 if p.brief else s.attacker_leader % STAGES,
        defender_leader=0 if p.brief else s.defender_leader % STAGES,
    )  # fmt: skip


@helper
def after_round(p, s, result):
    """Steps 3 to 7 of a round, after the defender's roll."""
    shown = p.shown[result]
    hits = hits_of(p, s, DEFENCE, shown)
    after = after_casualties(p, s, hits, wounds_by(p, s, ATTACK, shown))
    after = after._replace(rounds=s.rounds + p.count_rounds)
    if not has_empty_side(after):
        return leave_or_stay(p, after)
    return ended(p, with_captures(p, s, after, captured_by(p, s, DEFENCE, shown, hits)) if p.sea else after)


@helper
def next_phase(p, phase):
    """The first card or charge from this phase on that has a table, else the attacker's roll."""
    while phase < ATTACKER_ROLLS and p.opening[phase] == NO_TABLE:
        phase += 1
    return phase


@helper
def before_round_1(p, s, result):
    """Cards and charges (section 3.1, steps 2 and 3)."""
    following = next_phase(p, s.phase + 1)
    if s.phase == ATTACKER_DRAWS:
        return s._replace(phase=following, attacker_leader=STAGES * result)
    if s.phase == DEFENDER_DRAWS:
        return s._replace(phase=following, defender_leader=STAGES * result)
    if s.phase == ATTACKER_CHARGES:
        return s._replace(phase=following, hits=min(result, strength_on(p, s, DEFENCE) >> HITS))
    after = after_casualties(p, s, result, 0)
    return ended(p, after) if has_empty_side(after) else to_roll(p, after, 0)


@helper
def stuck(p, s):
    """No result of the rolls can change the state, so the battle ends without this round (section 3.2)."""
    for side in range(2):
        if s.round < p.last - 1 or hits_of(p, s, side, p.pool[side, dice_of(p, s, side), s.round, 1]) > 0:
            return False
    after = leave_or_stay(p, s)
    for _ in range(2):
        if decides(p, after) > 0:
            after = decided(p, after, max(choose(p, after), STAY))  # a `best` policy that stayed before stays again
    return after == s


@rule(Params)
def running(p, s):
    """The battle goes on until a side has no unit, `max_rounds` rounds are done, or nothing can change."""
    return s.phase != OVER and not (s.phase == ATTACKER_ROLLS and stuck(p, s))


@rule(Params)
def left(p, s):
    """Hits that both sides can take."""
    return (strength_on(p, s, 0) >> HITS) + (strength_on(p, s, 1) >> HITS)


@rule(Params)
def table(p, s):
    """Before round 1 a card or a charge; then the pool of the side that rolls, for the units in place."""
    if s.phase < ATTACKER_ROLLS:
        return p.opening[s.phase]
    side = s.phase - ATTACKER_ROLLS
    if side > DEFENCE:
        return NO_TABLE
    return table_for(strength_on(p, s, side), p.pool[side, dice_of(p, s, side), s.round, 0], p.cap[side])


@rule(Params)
def step(p, s, result):
    """The state after a roll, a card, a charge or a decision."""
    if s.phase < ATTACKER_ROLLS:
        return before_round_1(p, s, result)
    if s.phase == DEFENDER_ROLLS:
        return after_round(p, s, result)
    if s.phase > DEFENDER_ROLLS:
        return decided(p, s, result)
    shown = p.shown[result]
    hits, enemy = hits_of(p, s, ATTACK, shown), strength_on(p, s, DEFENCE) >> HITS
    return s._replace(
        phase=DEFENDER_ROLLS,
        hits=min(hits, enemy),  # hits beyond the last unit are lost
        wounds=wounds_by(p, s, DEFENCE, shown),
        captured=captured_by(p, s, ATTACK, shown, hits),
    )
