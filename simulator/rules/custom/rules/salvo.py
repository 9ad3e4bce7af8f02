"""A salvo: the dice of both sides, and how their hits are taken (docs/rules/custom_games.md sections 5 and 7)."""

from __future__ import annotations

from simulator.engine.model.chain import helper
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.custom.rules.state import ANSWERING, ATTACKER_LOSES, DEFENDER_LOSES, ROLLING


@helper
def row_of(p, s, salvo):
    """The row of the tables for a salvo of the current round."""
    return p.rows[0, salvo] if salvo < p.opening else p.rows[min(s.clock + 1, p.phases), salvo]


@helper
def roll(own, enemy, row, place, enemy_place):
    """The chance table of a side's hits (section 5)."""
    return own.rolls[row, place, enemy.shows[row, enemy_place]]


@helper
def anybody_rolls(p, s, row):
    """Does a side roll a die that can hit?"""
    first = roll(p.attacker, p.defender, row, s.attacker, s.defender)
    return (first != NO_TABLE) | (roll(p.defender, p.attacker, row, s.defender, s.attacker) != NO_TABLE)


@helper
def hits_of(own, salvo, k, result):
    """The hits of a class of a side's shots in a result."""
    return result // own.stride[salvo, k] % own.size[salvo, k] if own.classes[salvo] > 1 else result


@helper
def struck(own, enemy, salvo, place, result):
    """The enemy's place after these hits, class by class, each on the first point it may take (section 5, step 7)."""
    for k in range(own.classes[salvo]):
        hits = hits_of(own, salvo, k, result)
        power = 0
        while hits > 0:
            if hits & 1:
                place = enemy.after_hits[power, own.targets[salvo, k], place]
            hits >>= 1
            power += 1
    return place


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
    if p.scores[salvo] > 0:
        return salvo_over(p, s._replace(points=s.points + result * p.scores[salvo] + other))
    if p.begins[salvo] > 0:
        attacker, defender = s.attacker, s.defender
    attacker = struck(p.defender, p.attacker, salvo, attacker, defenders_hits(p, salvo, result, other))
    defender = struck(p.attacker, p.defender, salvo, defender, attackers_hits(p, salvo, result))
    if p.ends[salvo] == 0:
        return s._replace(attacker_next=attacker, defender_next=defender, salvo=salvo + 1)
    return salvo_over(p, s._replace(attacker=attacker, defender=defender, attacker_next=0, defender_next=0))


@helper
def way(own, enemy, s, place, result):
    """The first of the ways in which a side may take its hits of the class that is due."""
    hits = min(hits_of(enemy, s.salvo, s.part, result), own.most)
    return (enemy.targets[s.salvo, s.part] * own.units.shape[0] + place) * (own.most + 1) + hits


@helper
def due(p, s):
    """The same for the side whose turn it is."""
    if s.stage == ATTACKER_LOSES:
        return way(p.attacker, p.defender, s, s.attacker, defenders_hits(p, s.salvo, s.hits, s.hits))
    return way(p.defender, p.attacker, s, s.defender_next, attackers_hits(p, s.salvo, s.hits))


@helper
def choices(p, s):
    """The number of ways in which the side whose turn it is may take the hits that are due; 0 if it has taken all."""
    attacks = s.stage == ATTACKER_LOSES
    if s.part == (p.defender.classes[s.salvo] if attacks else p.attacker.classes[s.salvo]):
        return 0
    first = due(p, s)
    if attacks:
        return p.attacker.ways_at[first + 1] - p.attacker.ways_at[first]
    return p.defender.ways_at[first + 1] - p.defender.ways_at[first]


@helper
def takes(p, s, option):
    """The side whose turn it is takes the hits that are due in one of its ways."""
    first = due(p, s)
    if s.stage == ATTACKER_LOSES:
        return s._replace(attacker=p.attacker.ways[p.attacker.ways_at[first] + option], part=s.part + 1)
    return s._replace(defender_next=p.defender.ways[p.defender.ways_at[first] + option], part=s.part + 1)


@helper
def answered(s, hits):
    """The defender has rolled: his losses come off, and the attacker takes these hits."""
    return s._replace(stage=ATTACKER_LOSES, hits=hits, part=0, defender=s.defender_next, defender_next=0)


@helper
def lost(p, s):
    """All hits were taken: the defender rolls, or the attacker takes what compared dice gave, or the salvo is over."""
    if s.stage == ATTACKER_LOSES:
        return salvo_over(p, s._replace(stage=ROLLING, hits=0, part=0))
    if p.compared[s.salvo] > 0:
        return answered(s, s.hits)
    return s._replace(stage=ANSWERING, hits=0, part=0)


@helper
def fallen(p, s, result, other):
    """The dice of a salvo have fallen: the hits are allotted, or the defender begins to take them."""
    if s.stage == ANSWERING:
        return answered(s, other)
    if p.chosen == 0:
        return landed(p, s, result, other)
    return s._replace(stage=DEFENDER_LOSES, hits=result, part=0, defender_next=s.defender)
