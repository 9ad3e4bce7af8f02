"""The battle of a game file as a chain of states (docs/rules/custom_games.md sections 5, 6 and 8).

One set of rules for all games: what a file says lies in the arrays of `Params` (made in `tables`). A *place* numbers
the losses of a side (see `line`), a *salvo* is what both sides roll at one time: mostly a whole group of steps; where
its hit classes would make too large a table, one class of each side after the other. Salvos in which nobody rolls are
passed over within a step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import helper, rule
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.toolkit.retreat import Leave, leaves

FIGHTING, GONE, OVER, STALEMATE, ATTACKER_LEFT, DEFENDER_LEFT = range(6)


class Army(NamedTuple):
    """One side, by place; `rolls` and `means` also by row (see Params.rows) and by what the enemy shows of himself.

    - `units` fighting, `alone`: 1 where only units are left that are removed then; `gone[0]`: the place without units.
    - `after_hits[n, class, place]`: the place after 2**n hits of a class of the enemy's shots.
    - `shows[row, place]`: the part of this place that the enemy's dice depend on, as a number.
    - `rolls[row, place, shown]`: the chance table of the hits that this side scores, 0 where it rolls nothing;
      `means` the same as mean hits, in parts of a common whole.
    - `classes[salvo]`: how many hit classes a result holds: hits = result // `stride` % `size`, on `targets`.
    - It leaves by `leave`; if `outpowered` is 1, when it would score fewer mean hits than the enemy; and where
      `below_odds[clock, own, enemy]` is 1, its chance to win being too small.
    """

    units: np.ndarray
    alone: np.ndarray
    gone: np.ndarray
    after_hits: np.ndarray
    shows: np.ndarray
    rolls: np.ndarray
    means: np.ndarray
    classes: np.ndarray
    stride: np.ndarray
    size: np.ndarray
    targets: np.ndarray
    leave: Leave
    outpowered: int
    below_odds: np.ndarray


class Params(NamedTuple):
    """A battle: both sides, and the order of its salvos.

    - `rows[phase, salvo]`: phase 0 is before the battle, phase r round r, the last one every later round.
    - `begins[salvo]`, `ends[salvo]`: 1 for the first and the last salvo of a group; salvos below `opening` are fought
      before the battle.
    - `compared[salvo]`: where dice are compared, the attacker's table gives the hits of both sides, and his own are the
      rest of a division by this; else 0.
    - `clock`: states differ by their round up to this number; `round_limit` 0 without one; `retreat_after` as in the
      file; `retreats` 0 if nobody has a policy to leave, `compares` 0 if nobody looks at mean hits.
    """

    attacker: Army
    defender: Army
    rows: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    compared: np.ndarray
    opening: int
    salvos: int
    phases: int
    clock: int
    round_limit: int
    retreat_after: int
    retreats: int
    compares: int


class State(NamedTuple):
    """Places of both sides; where they will be when the group is over (0 unless it has several salvos); what is next.

    `clock` counts rounds up to Params.clock; `rounds` counts those beyond, and no rule reads it.
    """

    attacker: int
    defender: int
    attacker_next: int
    defender_next: int
    salvo: int
    clock: int
    ending: int
    rounds: int


@helper
def row_of(p, s, salvo):
    """The row of the tables for a salvo of the current round."""
    return p.rows[0, salvo] if salvo < p.opening else p.rows[min(s.clock + 1, p.phases), salvo]


@helper
def roll(own, enemy, row, place, enemy_place):
    """The chance table of a side's hits (section 5)."""
    return own.rolls[row, place, enemy.shows[row, enemy_place]]


@helper
def struck(own, enemy, salvo, place, result):
    """The enemy's place after these hits, class by class, each on the first point it may take (section 5, step 7)."""
    for k in range(own.classes[salvo]):
        hits = result
        if own.classes[salvo] > 1:
            hits = result // own.stride[salvo, k] % own.size[salvo, k]
        power = 0
        while hits > 0:
            if hits & 1:
                place = enemy.after_hits[power, own.targets[salvo, k], place]
            hits >>= 1
            power += 1
    return place


@helper
def anybody_rolls(p, s, row):
    """Does a side roll a die that can hit?"""
    first = roll(p.attacker, p.defender, row, s.attacker, s.defender)
    return (first != NO_TABLE) | (roll(p.defender, p.attacker, row, s.defender, s.attacker) != NO_TABLE)


@helper
def stalemate(p, s):
    """Can nobody hit in any coming round (section 6, step 4d)?"""
    for phase in range(min(s.clock + 1, p.phases), p.phases + 1):
        for salvo in range(p.opening, p.salvos):
            if anybody_rolls(p, s, p.rows[phase, salvo]):
                return False
    return True


@helper
def power(p, own, enemy, phase, place, enemy_place):
    """Mean hits of a side in a round of the units that stand now (section 8, outpowered)."""
    total = 0
    for salvo in range(p.opening, p.salvos):
        row = p.rows[phase, salvo]
        total += own.means[row, place, enemy.shows[row, enemy_place]]
    return total


@helper
def gives_up(own, enemy, clock, place, enemy_place, less_power):
    """Does a side leave now, by any policy (section 8)?"""
    units = own.units[place]
    if leaves(own.leave, units, clock, units, enemy.units[enemy_place]) | ((own.outpowered > 0) & less_power):
        return True
    if own.below_odds.shape[0] > 0:
        return own.below_odds[min(clock, own.below_odds.shape[0] - 1), place, enemy_place] > 0
    return False


@helper
def removes(alone, enemy_alone, enemies):
    """Does a side lose its last units, which are removed alone? Not if both would, nor if the enemy is gone."""
    return (alone > 0) & (enemy_alone == 0) & (enemies > 0)


@helper
def removed(p, s):
    """A side with nothing but units that are removed alone loses them (section 6, step 1)."""
    mine, theirs = p.attacker.alone[s.attacker], p.defender.alone[s.defender]
    if removes(mine, theirs, p.defender.units[s.defender]):
        return s._replace(attacker=p.attacker.gone[0])
    if removes(theirs, mine, p.attacker.units[s.attacker]):
        return s._replace(defender=p.defender.gone[0])
    return s


@helper
def ended(s, ending):
    """The battle is over."""
    return s._replace(ending=ending, salvo=0)


@helper
def finished(p, s, attackers, defenders):
    """GONE or OVER with so many units left after the opening or a round, else FIGHTING (section 6, steps 4b and 4c)."""
    if (attackers == 0) | (defenders == 0):
        return GONE
    return OVER if (p.round_limit > 0) & (s.clock >= p.round_limit) else FIGHTING


@helper
def ending_of(p, s):
    """The ending of the battle after the opening or a round in which no side has left (section 6, steps 4b to 4d)."""
    ending = finished(p, s, p.attacker.units[s.attacker], p.defender.units[s.defender])
    return STALEMATE if ending == FIGHTING and stalemate(p, s) else ending


@helper
def ahead_of(p, s):
    """Mean hits of the attacker in the coming round less the defender's; 0 where no policy asks."""
    if p.compares == 0:
        return 0
    phase = min(s.clock + 1, p.phases)
    own = power(p, p.attacker, p.defender, phase, s.attacker, s.defender)
    return own - power(p, p.defender, p.attacker, phase, s.defender, s.attacker)


@helper
def attacker_leaves(p, s):
    """Does the attacker leave, by his policies?"""
    return gives_up(p.attacker, p.defender, s.clock, s.attacker, s.defender, ahead_of(p, s) < 0)


@helper
def defender_leaves(p, s):
    """Does the defender leave, by his policies?"""
    return gives_up(p.defender, p.attacker, s.clock, s.defender, s.attacker, ahead_of(p, s) > 0)


@helper
def checked(p, before):
    """The check after the opening and after every round (section 6, step 4)."""
    s = removed(p, before)
    ending = ending_of(p, s)
    if ending == FIGHTING and p.retreats > 0 and s.clock >= p.retreat_after:
        if attacker_leaves(p, s):
            ending = ATTACKER_LEFT
        elif defender_leaves(p, s):
            ending = DEFENDER_LEFT
    return s._replace(salvo=p.opening) if ending == FIGHTING else ended(s, ending)


@helper
def salvo_over(p, s):
    """The last salvo of a group is over; after a round it is counted.

    After the opening and after a round the check is due: `salvo` is Params.salvos then.
    """
    following, clock, rounds = s.salvo + 1, s.clock, s.rounds
    if following == p.opening:
        following = p.salvos
    elif following == p.salvos:
        clock = min(s.clock + 1, p.clock)
        rounds = s.rounds + s.clock + 1 - clock
    return s._replace(salvo=following, clock=clock, rounds=rounds)


@helper
def defenders_hits(p, salvo, result, other):
    """The defender's hits: those that he rolled, or his part of what compared dice gave."""
    return result // p.compared[salvo] if p.compared[salvo] > 0 else other


@helper
def attackers_hits(p, salvo, result):
    """The attacker's hits: those that he rolled, or his part of what compared dice gave."""
    return result % p.compared[salvo] if p.compared[salvo] > 0 else result


@helper
def landed(p, s, result, other):
    """A salvo: hits are allotted, and come off when the group is over (section 5, steps 7 and 8)."""
    attacker, defender, salvo = s.attacker_next, s.defender_next, s.salvo
    if p.begins[salvo] > 0:
        attacker, defender = s.attacker, s.defender
    attacker = struck(p.defender, p.attacker, salvo, attacker, defenders_hits(p, salvo, result, other))
    defender = struck(p.attacker, p.defender, salvo, defender, attackers_hits(p, salvo, result))
    if p.ends[salvo] == 0:
        return s._replace(attacker_next=attacker, defender_next=defender, salvo=salvo + 1)
    return salvo_over(p, s._replace(attacker=attacker, defender=defender, attacker_next=0, defender_next=0))


@helper
def onward(p, s):
    """On to the next salvo in which somebody rolls, or to the end."""
    while True:
        if s.salvo == p.salvos:
            s = checked(p, s)
        if s.ending != FIGHTING or anybody_rolls(p, s, row_of(p, s, s.salvo)):
            return s
        s = landed(p, s, 0, 0)


@rule(Params)
def running(p, s):
    """Until somebody is gone, the rounds are over, nobody can hit, or a side leaves."""
    return s.ending == FIGHTING


@rule(Params)
def table(p, s):
    """The attacker's dice."""
    return roll(p.attacker, p.defender, row_of(p, s, s.salvo), s.attacker, s.defender)


@rule(Params)
def second(p, s):
    """The defender's dice; they do not depend on the attacker's."""
    return roll(p.defender, p.attacker, row_of(p, s, s.salvo), s.defender, s.attacker)


@rule(Params)
def step(p, s, result, other):
    """One salvo, and what follows without dice."""
    return onward(p, landed(p, s, result, other))


@rule(Params)
def lands(p, s, result, other):
    """One salvo; each side's dice move the other's place only."""
    return landed(p, s, result, other)


@rule(Params)
def follows(p, s):
    """The moves that follow without dice."""
    return onward(p, s)


def opened(p: Params, s: State) -> State:
    """The state in which the first dice are rolled (section 6, steps 1 to 3)."""
    s = removed(p, s)
    if not (p.attacker.units[s.attacker] and p.defender.units[s.defender]):
        return ended(s, GONE)
    if p.opening == 0:
        s = checked(p, s._replace(salvo=p.salvos))
    return s if s.ending else onward(p, s)
