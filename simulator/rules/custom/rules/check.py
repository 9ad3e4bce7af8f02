"""The check after the opening and after every round, and retreats (docs/rules/custom_games.md sections 6 and 8)."""

from __future__ import annotations

from simulator.engine.model.chain import helper
from simulator.rules.custom.rules.salvo import anybody_rolls
from simulator.rules.custom.rules.state import (
    ATTACKER_ASKED,
    ATTACKER_LEFT,
    DEFENDER_ASKED,
    DEFENDER_LEFT,
    FIGHTING,
    GONE,
    OVER,
    ROLLING,
    STALEMATE,
)
from simulator.rules.toolkit.retreat import leaves


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
    return s._replace(ending=ending, salvo=0, stage=ROLLING)


@helper
def stalemate(p, s):
    """Can nobody hit in any coming round (section 6, step 4d)?"""
    for phase in range(min(s.clock + 1, p.phases), p.phases + 1):
        for salvo in range(p.opening, p.salvos):
            if anybody_rolls(p, s, p.rows[phase, salvo]):
                return False
    return True


@helper
def finished(p, s, attackers, defenders):
    """GONE or OVER with these units left after the opening or a round, else FIGHTING (section 6, steps 4b and 4c)."""
    if (attackers == 0) | (defenders == 0):
        return GONE
    return OVER if (p.round_limit > 0) & (s.clock >= p.round_limit) else FIGHTING


@helper
def ending_of(p, s):
    """The ending of the battle after the opening or a round in which no side has left (section 6, steps 4b to 4d)."""
    ending = finished(p, s, p.attacker.units[s.attacker], p.defender.units[s.defender])
    return STALEMATE if ending == FIGHTING and stalemate(p, s) else ending


@helper
def power(p, own, enemy, phase, place, enemy_place):
    """Mean hits of a side in a round of the units that stand now (section 8, outpowered)."""
    total = 0
    for salvo in range(p.opening, p.salvos):
        row = p.rows[phase, salvo]
        total += own.means[row, place, enemy.shows[row, enemy_place]]
    return total


@helper
def ahead_of(p, s):
    """Mean hits of the attacker in the coming round less the defender's; 0 where no policy asks."""
    if p.compares == 0:
        return 0
    phase = min(s.clock + 1, p.phases)
    own = power(p, p.attacker, p.defender, phase, s.attacker, s.defender)
    return own - power(p, p.defender, p.attacker, phase, s.defender, s.attacker)


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
def attacker_leaves(p, s):
    """Does the attacker leave, by his policies?"""
    return gives_up(p.attacker, p.defender, s.clock, s.attacker, s.defender, ahead_of(p, s) < 0)


@helper
def defender_leaves(p, s):
    """Does the defender leave, by his policies?"""
    return gives_up(p.defender, p.attacker, s.clock, s.defender, s.attacker, ahead_of(p, s) > 0)


@helper
def stays(p, s):
    """Nobody leaves: the next round begins."""
    return s._replace(stage=ROLLING, salvo=p.opening)


@helper
def ask_defender(p, s):
    """Does the defender leave, by his policy, or is he asked?"""
    if p.defender.asked > 0:
        return s._replace(stage=DEFENDER_ASKED, salvo=p.opening)
    return ended(s, DEFENDER_LEFT) if defender_leaves(p, s) else stays(p, s)


@helper
def checked(p, before):
    """The check after the opening and after every round (section 6, step 4)."""
    s = removed(p, before)
    ending = ending_of(p, s)
    if ending != FIGHTING:
        return ended(s, ending)
    if p.retreats == 0 or s.clock < p.retreat_after:
        return stays(p, s)
    if p.attacker.asked > 0:
        return s._replace(stage=ATTACKER_ASKED, salvo=p.opening)
    return ended(s, ATTACKER_LEFT) if attacker_leaves(p, s) else ask_defender(p, s)
