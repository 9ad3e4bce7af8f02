"""Decisions: cards, leaving, and what a side may choose (docs/rules/price_of_power.md sections 3.2, 3.4 and 3.5)."""

from __future__ import annotations

from simulator.engine.model.chain import BEST, helper, rule
from simulator.rules.price_of_power.casualties import (
    GONE,
    all_ways,
    force_of,
    present,
    strength_of,
    units_in,
    units_on,
    with_force,
)
from simulator.rules.price_of_power.state import (
    AT_BEST,
    ATTACKER_APPOINTS,
    ATTACKER_DECIDES,
    ATTACKER_LOSES,
    ATTACKER_PAYS,
    ATTACKER_PLAYS,
    DEFENDER_DECIDES,
    LEAVE,
    MOST_FACTIONS,
    NEVER,
    NPR,
    OVER,
    PLAYER,
    REBELS,
    STAGES,
    STAY,
    WHEN_WOUNDED,
    WITH_SIDE,
    Params,
    cards_of,
    fights,
    leader_of,
    led,
    with_cards,
)
from simulator.rules.toolkit.retreat import Leave, leaves

# Cards (section 3.5).


@helper
def first_play(p, s, side):
    """Place in `play_at` of the conditions that the cards of a side may come to now."""
    behind = 1 if units_on(p, s, side) < units_on(p, s, 1 - side) else 0
    return p.first_play[side] + (cards_of(s, side) * p.last + s.round) * 2 + behind


@helper
def number_of_plays(p, s, side):
    """Sets of cards that a side may play now, none among them."""
    if not led(p, s, side):
        return 1
    play = first_play(p, s, side)
    return p.play_at[play + 1] - p.play_at[play]


@helper
def played(p, s, side, option):
    """The state after a side has played cards, if it is led."""
    if not led(p, s, side):
        return s
    return with_cards(s, side, p.plays[p.play_at[first_play(p, s, side)] + option])


@helper
def plays_by_rule(p, s, side):
    """The condition of the cards changes in a round in which the owner keeps what he may keep."""
    cards = p.used[side, cards_of(s, side)]
    return cards != cards_of(s, side) or cards_of(played(p, s, side, 0), side) != cards


# Leaders (section 3.7).


@helper
def appointed(p, s, side, option):
    """The state after a side has appointed one of its leaders, if it may."""
    if p.appoints[side] == 0:
        return s
    leader = 0 + p.candidates[side, option]
    return s._replace(attacker_leader=leader) if side == 0 else s._replace(defender_leader=leader)


# Retreat (section 3.2, step 6; section 4, step 6).


@helper
def may_choose(p, s, side):
    """Player realms of this side decide together: they may leave, they have a policy, and the side has two units."""
    if p.asks[side] == NEVER or units_on(p, s, side) < 2:
        return False
    for faction in range(p.first_of[side], p.first_of[side + 1]):
        if p.goes[faction] == WITH_SIDE and present(force_of(s, faction)):
            return True
    return False


@helper
def policy_leaves(policy, asks, rounds, units, own, enemy, wounds):
    """The policy says leave, given the rounds fought, the units that it counts, those of both sides, and wounds."""
    return leaves(policy, units, rounds, own, enemy) | ((asks == WHEN_WOUNDED) & (wounds == 1))


@helper
def says_leave(p, s, row, asks, side, units):
    """The policy in a row of `leave` says leave, if it counts so many units."""
    policy = Leave(p.leave[row, 0], p.leave[row, 1], p.leave[row, 2], p.leave[row, 3], p.leave[row, 4])
    wounds = leader_of(s, side) % STAGES
    return policy_leaves(policy, asks, s.round + 1, units, units_on(p, s, side), units_on(p, s, 1 - side), wounds)


@helper
def leaving_alone_before(p, s, side, most):
    """Factions listed before number `most` that leave by themselves when that is best."""
    number = 0
    for faction in range(p.first_of[side], most):
        number += 1 if p.goes[faction] == AT_BEST and present(force_of(s, faction)) else 0
    return number


@helper
def leaving_alone(p, s, side):
    """Factions that may leave now by themselves when that is best."""
    if p.alone == 0 or units_on(p, s, side) < 2:
        return 0
    return leaving_alone_before(p, s, side, p.first_of[side + 1])


@helper
def side_leaves(p, s, side):
    """The policy of a side says leave."""
    return says_leave(p, s, MOST_FACTIONS + 1 + side, p.asks[side], side, units_on(p, s, side))


@helper
def goes(p, s, faction, side, option):
    """A faction leaves: an NPR when outnumbered, a player realm as its side decides or by its own policy.

    Where factions leave by themselves when that is best, an option is a set of these.
    """
    force = force_of(s, faction)
    if not present(force) or p.kind[faction] > NPR:
        return False
    if p.kind[faction] == NPR:
        return units_on(p, s, side) < units_on(p, s, 1 - side) and not fights(p, s, side, REBELS)
    alone = leaving_alone(p, s, side)
    if p.goes[faction] == WITH_SIDE:
        return option == LEAVE if alone == 0 else may_choose(p, s, side) and side_leaves(p, s, side)
    if p.goes[faction] == NEVER or units_on(p, s, side) < 2:
        return False
    if p.goes[faction] == AT_BEST:
        return p.sets[alone, option] >> leaving_alone_before(p, s, side, faction) & 1 > 0
    return says_leave(p, s, faction, p.goes[faction], side, units_in(strength_of(p, faction, force)))


@helper
def any_goes(p, s, side, option):
    """A faction of the side leaves."""
    for faction in range(p.first_of[side], p.first_of[side + 1]):  # noqa: SIM110 - compiled
        if goes(p, s, faction, side, option):
            return True
    return False


@helper
def decided(p, s, side, option):
    """The state in which the player realms that leave pay, and NPRs have left."""
    after, leaving = s, 0
    for faction in range(p.first_of[side], p.first_of[side + 1]):
        if goes(p, s, faction, side, option):
            if p.kind[faction] == PLAYER:
                leaving += 1 << faction
            else:
                after = with_force(after, faction, GONE | force_of(s, faction))
    return after._replace(leaving=leaving)


@helper
def gone(s, after):
    """The state after those that leave have paid one more casualty; a fleet's list is read by the outcome."""
    for faction in range(MOST_FACTIONS + 1):
        if s.leaving >> faction & 1:
            after = with_force(after, faction, GONE | force_of(after, faction))
    return after._replace(leaving=0)


# Decisions.


@helper
def is_open(p, s):
    """A side has to choose: how it takes hits or pays for leaving, who leaves, which cards it plays, who leads."""
    side = s.phase & 1
    if s.phase < ATTACKER_LOSES or s.phase == OVER:
        return False
    if s.phase >= ATTACKER_APPOINTS:
        return p.appoints[side] > 0
    if s.phase >= ATTACKER_PLAYS:
        return number_of_plays(p, s, side) > 1
    if s.phase in (ATTACKER_DECIDES, DEFENDER_DECIDES):
        return may_choose(p, s, side) or leaving_alone(p, s, side) > 0
    hits = s.leaving if s.phase >= ATTACKER_PAYS else s.back if side == 0 else s.hits
    if p.picks[side] == 0 or hits == 0:
        return False
    return all_ways(p, s, side)[0] > 1


@rule(Params)
@helper
def decides(p, s):
    """1 where the attacker decides, 2 where the defenders do, 0 where chance does."""
    return 1 + (s.phase & 1) if s.phase >= ATTACKER_LOSES and s.phase != OVER else 0


@rule(Params)
def options(p, s):
    """Stay or leave, or who leaves; the ways in which hits are taken; the sets of cards to play; leaders to appoint."""
    if s.phase in (ATTACKER_DECIDES, DEFENDER_DECIDES):
        return 1 << max(1, leaving_alone(p, s, s.phase & 1))
    if s.phase >= ATTACKER_APPOINTS:
        return p.appoints[s.phase & 1]
    return number_of_plays(p, s, s.phase & 1) if s.phase >= ATTACKER_PLAYS else all_ways(p, s, s.phase & 1)[0]


@rule(Params)
@helper
def choose(p, s):
    """The option that the policy of the deciding side takes (section 2, `retreat`); all else is decided when best."""
    side = s.phase & 1
    if s.phase not in (ATTACKER_DECIDES, DEFENDER_DECIDES) or p.asks[side] == AT_BEST:
        return BEST
    if leaving_alone(p, s, side) > 0:
        return BEST
    return LEAVE if side_leaves(p, s, side) else STAY
