"""Who leaves after a round (rules/price_of_power.md section 3.2, step 6; section 4, step 6)."""

from __future__ import annotations

from simulator.engine.chain import helper
from simulator.rules.price_of_power.batches import split, turn_of
from simulator.rules.price_of_power.casualties import GONE, after_hits, fighting, hits_left
from simulator.rules.price_of_power.state import (
    AFTER_ROUND,
    AT_OR_BELOW,
    ATTACK,
    CAN_RETREAT,
    DEFENCE,
    KIND,
    NPR,
    PLAYER,
    RETREAT,
    RETREAT_AT,
    SEA,
    START_UNITS,
    STAYS,
    TO_THE_LAST,
    WHEN_HALF,
    WHEN_LEADER_WOUNDED,
    WHEN_OUTNUMBERED,
    count,
    defending_types,
    types_of,
    with_forces,
)


@helper
def player_leaves(p, side, own, enemy, now, wounds):
    """Does a player realm's side retreat (section 3.2, step 6; section 2, `retreat`)?"""
    if p.n[CAN_RETREAT + side] == 0 or own < 2:
        return False
    policy = p.n[RETREAT + side]
    if policy == WHEN_OUTNUMBERED:
        return own < enemy
    if policy == WHEN_HALF:
        return 2 * own <= p.n[START_UNITS + side]
    if policy == AT_OR_BELOW:
        return own <= p.n[RETREAT_AT + side]
    if policy == AFTER_ROUND:
        return now >= p.n[RETREAT_AT + side]
    return policy == WHEN_LEADER_WOUNDED and wounds == 1


@helper
def rebels_fight(p, s):
    """Does a rebel unit still fight among the defenders? Then NPR units beside it stay (pirates hold nobody)."""
    return p.n[SEA] == 0 and (
        (p.n[KIND + 1] == TO_THE_LAST and hits_left(fighting(s.defender_1)) > 0)
        or (p.n[KIND + 2] == TO_THE_LAST and hits_left(fighting(s.defender_2)) > 0)
        or (p.n[KIND + 3] == TO_THE_LAST and hits_left(fighting(s.defender_3)) > 0)
    )


@helper
def left_by(p, faction, before, after, hits, turn):
    """A faction that leaves: a player realm pays one more casualty, at sea one ship when the fleet is counted."""
    if p.n[KIND + faction] == PLAYER and p.n[SEA] == 0:
        return GONE | after_hits(before, hits + 1, turn)
    return GONE | after


@helper
def attacker_leaves(p, s, now, own, enemy):
    """Does the attacker leave, who decides first?"""
    if p.n[KIND + 0] == PLAYER:
        return player_leaves(p, ATTACK, own, enemy, now, s.attacker_wounds)
    return p.n[KIND + 0] == NPR and own < enemy and p.n[STAYS + 0] == 0


@helper
def defender_leaves(p, faction, force, players_leave, npr_leave):
    """Does a defending faction leave, when its kind does?"""
    if hits_left(fighting(force)) == 0:
        return False
    if p.n[KIND + faction] == PLAYER:
        return players_leave
    return p.n[KIND + faction] == NPR and npr_leave and p.n[STAYS + faction] == 0


@helper
def after_retreat(p, before, s, losses, now):
    """The attacker decides first; if he stays, all defending factions decide on the same counts (step 6)."""
    own, enemy = count(types_of(p, 0, fighting(s.attacker))), count(defending_types(p, s))
    if attacker_leaves(p, s, now, own, enemy):
        gone = left_by(p, 0, before.attacker, s.attacker, losses.attacker_hits, turn_of(before, 0))
        return with_forces(s, gone, s.defender_1, s.defender_2, s.defender_3)
    players = player_leaves(p, DEFENCE, enemy, own, now, s.defender_wounds)
    npr = enemy < own and not rebels_fight(p, s)
    if not players and not npr:
        return s
    hits = split(p, before, losses.defender_hits)
    one, two, three = s.defender_1, s.defender_2, s.defender_3
    if defender_leaves(p, 1, one, players, npr):
        one = left_by(p, 1, before.defender_1, one, hits.first, turn_of(before, 1))
    if defender_leaves(p, 2, two, players, npr):
        two = left_by(p, 2, before.defender_2, two, hits.second, turn_of(before, 2))
    if defender_leaves(p, 3, three, players, npr):
        three = left_by(p, 3, before.defender_3, three, hits.third, turn_of(before, 3))
    return with_forces(s, s.attacker, one, two, three)
