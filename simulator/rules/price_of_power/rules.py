"""The rounds of a battle on land or at sea: one procedure (docs/rules/price_of_power.md sections 3 and 4).

The chance steps are the card each side draws, the charge of each side, the attacker's roll, the defender's roll.
Casualties of a round come off together after the defender's roll; then each side decides whether it leaves.
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
    here,
    hits_with,
    part,
    strength_on,
    table_for,
    turn_of,
    units_on,
)
from simulator.rules.toolkit.retreat import Leave, leaves

# Phases: what happens next.
(
    ATTACKER_DRAWS, DEFENDER_DRAWS, ATTACKER_CHARGES, DEFENDER_CHARGES, ATTACKER_ROLLS, DEFENDER_ROLLS,
    ATTACKER_DECIDES, DEFENDER_DECIDES, OVER,
) = range(9)  # fmt: skip
# Who a realm is: one that decides, an NPR that leaves when weaker, rebels, who hold NPRs, others that never leave.
PLAYER, NPR, REBELS, TO_THE_LAST = range(4)
# Whether a side asks to leave: as its `Leave` says, when its leader is wounded, or as well as possible.
NEVER, BY_POLICY, WHEN_WOUNDED, AT_BEST = range(4)
STAY, LEAVE = 0, 1
DEAD, STAGES, UNLED = 2, 3, 2


class Params(NamedTuple):
    """Numbers of a battle. Factions are the attacker (0) and the defenders (1 to 3); arrays are int64.

    `last`: rounds from this one on are alike; `main`: the main defender's faction, 0 for none; `brief`: a later stage
    asks for ships and units alone. `first_of[side]` is its first faction; `kind` and `tie` stand by faction.
    `strength[3 * faction + category, n]` is what a category is that can take n hits (casualties.py), `fewest` the
    force of as many ships with the fewest hits. By side: `automatic` hits, how it `asks` to leave, captured ships in
    `supply`.
    `pool[side, dice_of(...), round]` are the first table of a roll and the most icons it can show. There is a table for
    each number of units up to `cap` (by side). What a roll has `shown` are its icons, packed as strengths are, and
    above them its tercios. `opening` are the tables of the first four phases, 0 for those that there are not.
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
    """A battle under way: phase, rounds done, the force of each faction, leaders, a pending roll.

    `round` goes no further than rules read it; `rounds` counts them all, if that is asked. `turns` holds whose turn in
    the alternation it is, two bits a faction. A leader is 3 x his card + his wounds, 0 for none. `hits`, `hurt` and
    `haul` are the attacker's roll until the defender has rolled: hits, wounds, ships to capture. Once the battle is
    over `haul` and `heavy_haul` are the ships captured.
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
    hurt: int
    haul: int
    heavy_haul: int
    rounds: int


@helper
def leader_of(s, side):
    """The leader of a side with his wounds."""
    return s.attacker_leader if side == ATTACK else s.defender_leader


@helper
def fights(p, s, side, kind):
    """Does a unit of a realm of this kind still fight on the side?"""
    for faction in range(p.first_of[side], p.first_of[side + 1]):
        if p.kind[faction] == kind and here(force_of(s, faction)):
            return True
    return False


@helper
def alone(s):
    """Has a side no unit left in the area?"""
    return not here(s.attacker) or not (here(s.defender_1) or here(s.defender_2) or here(s.defender_3))


@helper
def led(p, s, side):
    """There is no main defender, or he still has a unit in the battle (section 3.1, step 1)."""
    return side == ATTACK or p.main == 0 or here(force_of(s, p.main))


# The rolls (section 3.2, steps 1 and 2; section 4, steps 1 and 2).


@helper
def dice_of(p, s, side):
    """Which dice a side rolls, of those that it has for each card: 0 its leader is dead, 1 alive, 2 it is not led."""
    wounds = leader_of(s, side) % STAGES
    return leader_of(s, side) - wounds + (UNLED if not led(p, s, side) else 1 if wounds < DEAD else 0)


@helper
def hits_of(p, s, side, shown):
    """Hits of what a roll has shown."""
    return hits_with(p.sea, strength_on(p, s, side), shown, p.automatic[side] if led(p, s, side) else 0)


@helper
def hurt_by(p, s, side, shown):
    """Wounds that the tercios of a roll deal to the leader of `side` (section 3.2, step 4)."""
    leader = leader_of(s, side)
    return hurt_with(shown, leader % STAGES) if leader > 0 and led(p, s, side) else 0


@helper
def hurt_with(shown, wounds):
    """The same for a leader who has some wounds already: one for each two tercios."""
    return min(shown >> (TERCIOS + 1), DEAD - wounds)


@helper
def haul_of(p, s, side, shown, hits):
    """Ships that a roll captures if it sinks the enemy's last; 0 if it cannot (section 4, step 5)."""
    sinks = p.supply[side] > 0 and hits >= strength_on(p, s, 1 - side) >> HITS
    return min(shown >> TERCIOS, p.supply[side]) if sinks else 0


@helper
def with_haul(p, before, after, haul):
    """Ships captured from those sunk in the final roll, the cheapest first (section 4, step 5)."""
    if here(after.attacker):
        haul, sunk = before.haul, strength_on(p, before, DEFENCE)
    elif fights(p, after, DEFENCE, PLAYER):
        sunk = strength_on(p, before, ATTACK)
    else:
        return after
    ships = (sunk >> UNITS) & MANY
    haul = min(haul, ships)
    return after._replace(haul=haul, heavy_haul=max(0, haul - ships + part(sunk, 3)))


# Who leaves (section 3.2, step 6; section 4, step 6).


@helper
def asked(p, s, side):
    """Does a player realm of this side decide whether to leave: may it, has it a policy, and two units or more?"""
    return p.asks[side] > 0 and fights(p, s, side, PLAYER) and units_on(p, s, side) >= 2


@helper
def after_decision(p, s, faction, option):
    """The force of a faction once it stays or leaves: player realms as decided, NPRs when they are outnumbered.

    A player realm pays one more casualty; at sea one ship, when the fleet is counted.
    """
    force, side = force_of(s, faction), min(faction, DEFENCE)
    if not here(force) or p.kind[faction] > NPR:
        return force
    if p.kind[faction] == PLAYER:
        paid = force if option == STAY or p.sea else after_hits(force, 1, turn_of(s, faction))
        return force if option == STAY else GONE | paid
    return force if units_on(p, s, side) >= units_on(p, s, 1 - side) or fights(p, s, side, REBELS) else GONE | force


@helper
def decided(p, s, option):
    """What a decision leads to: the attacker comes first, then the defenders, then the next round or the end."""
    if s.phase == ATTACKER_DECIDES:
        s = s._replace(attacker=after_decision(p, s, 0, option), phase=DEFENDER_DECIDES)
        if s.attacker & GONE:
            return ended(p, s)
        if asked(p, s, DEFENCE):
            return s
        option = STAY
    after = s._replace(
        defender_1=after_decision(p, s, 1, option),
        defender_2=after_decision(p, s, 2, option),
        defender_3=after_decision(p, s, 3, option),
    )
    now = s.round + 1
    return ended(p, after) if alone(after) or now == p.max_rounds else to_roll(p, after, min(now, p.last - 1))


@helper
def leave_or_stay(p, s):
    """Step 6, which begins with the attacker."""
    s = s._replace(phase=ATTACKER_DECIDES)
    return s if asked(p, s, ATTACK) else decided(p, s, STAY)


@rule(Params)
@helper
def decides(p, s):
    """Who decides: 1 the attacker, 2 the defenders, 0 chance."""
    return max(0, s.phase - DEFENDER_ROLLS) if s.phase != OVER else 0


@rule(Params)
def options(p, s):
    """To stay or to leave."""
    return 2


@rule(Params)
@helper
def choose(p, s):
    """What the policy of the side that decides says (section 2, `retreat`)."""
    side = s.phase - ATTACKER_DECIDES
    if p.asks[side] == AT_BEST:
        return BEST
    policy = p.attacker_leaves if side == ATTACK else p.defender_leaves
    own, enemy, wounds = units_on(p, s, side), units_on(p, s, 1 - side), leader_of(s, side) % STAGES
    return LEAVE if wants_away(policy, p.asks[side], s.round + 1, own, enemy, wounds) else STAY


@helper
def wants_away(policy, asks, rounds, own, enemy, wounds):
    """Does the policy say leave after so many rounds, with so many units and wounds of the leader?"""
    return leaves(policy, own, rounds, own, enemy) | ((asks == WHEN_WOUNDED) & (wounds == 1))


# The course of a battle.


@helper
def to_roll(p, s, done):
    """The next round, after so many; the alternation starts anew unless it goes on through the whole battle."""
    return s._replace(phase=ATTACKER_ROLLS, round=done, turns=s.turns if p.whole_battle else 0)


@helper
def told(p, faction, force):
    """A force as the answer tells it: of a fleet that another stage follows the ships alone, sound or damaged."""
    return (force & GONE) | p.fewest[3 * faction + 1, part(force, 1)] if p.sea & p.brief else force


@helper
def ended(p, s):
    """The battle is over; what no answer asks for is forgotten, so that fewer outcomes are told apart."""
    return s._replace(
        phase=OVER, round=0, turns=0,
        attacker=told(p, 0, s.attacker), defender_1=told(p, 1, s.defender_1), defender_2=told(p, 2, s.defender_2),
        defender_3=told(p, 3, s.defender_3), heavy_haul=0 if p.brief else s.heavy_haul,
        attacker_leader=0 if p.brief else s.attacker_leader % STAGES,
        defender_leader=0 if p.brief else s.defender_leader % STAGES,
    )  # fmt: skip


@helper
def after_round(p, s, result):
    """Steps 3 to 7 of a round, once the defender too has rolled."""
    shown = p.shown[result]
    hits = hits_of(p, s, DEFENCE, shown)
    after = after_casualties(p, s, hits, hurt_by(p, s, ATTACK, shown))
    after = after._replace(rounds=s.rounds + p.count_rounds)
    if not alone(after):
        return leave_or_stay(p, after)
    return ended(p, with_haul(p, s, after, haul_of(p, s, DEFENCE, shown, hits)) if p.sea else after)


@helper
def next_phase(p, phase):
    """The first card or charge from this phase on, else the attacker's roll."""
    while phase < ATTACKER_ROLLS and p.opening[phase] == 0:
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
    return ended(p, after) if alone(after) else to_roll(p, after, 0)


@helper
def stuck(p, s):
    """Can no result of the roll change the state? Then the battle ends without that round (section 3.2)."""
    for side in range(2):
        if s.round < p.last - 1 or hits_of(p, s, side, p.pool[side, dice_of(p, s, side), s.round, 1]) > 0:
            return False
    after = leave_or_stay(p, s)
    for _ in range(2):
        if decides(p, after) > 0:
            after = decided(p, after, max(choose(p, after), STAY))  # who could have left before stays on
    return after == s


@rule(Params)
def running(p, s):
    """A battle is fought until one side is alone, `max_rounds` are done, or nothing can change."""
    return s.phase != OVER and not (s.phase == ATTACKER_ROLLS and stuck(p, s))


@rule(Params)
def left(p, s):
    """Hits that both sides can take."""
    return (strength_on(p, s, 0) >> HITS) + (strength_on(p, s, 1) >> HITS)


@rule(Params)
def table(p, s):
    """A card or a charge before; then the pool of the side that rolls now, for the units at hand."""
    if s.phase < ATTACKER_ROLLS:
        return p.opening[s.phase]
    side = s.phase - ATTACKER_ROLLS
    if side > DEFENCE:
        return NO_TABLE
    return table_for(strength_on(p, s, side), p.pool[side, dice_of(p, s, side), s.round, 0], p.cap[side])


@rule(Params)
def step(p, s, result):
    """What a roll, a card, a charge or a decision leads to."""
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
        hurt=hurt_by(p, s, DEFENCE, shown),
        haul=haul_of(p, s, ATTACK, shown, hits),
    )
