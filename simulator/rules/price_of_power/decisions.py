"""Decisions to leave, and to play cards (docs/rules/price_of_power.md section 3.2 step 6, 3.5)."""

from __future__ import annotations

from itertools import combinations

from simulator.rules.price_of_power import cards
from simulator.rules.price_of_power.forces import WITH_SIDE
from simulator.rules.price_of_power.setup import Setup, stays
from simulator.rules.price_of_power.state import BattleState, force_of
from simulator.rules.toolkit.retreat import Leave, leaves

# Realms of a side that leave, by their places.
Going = tuple[int, ...]


def hands_to_play(w: Setup, s: BattleState, side: int) -> list[cards.Hand]:
    """The hands that a side may come to before a round; the first keeps all that it may keep (3.5)."""
    own = force_of(s, side)
    if not own.hand or not w.led(side, own):
        return [own.hand]
    behind = w.units(side, own) < w.units(1 - side, force_of(s, 1 - side))
    return list(cards.plays(w.cards[side], own.hand, s.round + 1, behind))


def says_leave(w: Setup, s: BattleState, side: int, policy: str, leave: Leave, units: int) -> bool:
    """Does a policy say leave with this many units counted?"""
    own, enemy = force_of(s, side), force_of(s, 1 - side)
    if policy == "when-leader-wounded":
        return own.wounds == 1
    return bool(leaves(leave, units, s.round + 1, w.units(side, own), w.units(1 - side, enemy)))


def leaves_by_rule(w: Setup, s: BattleState, side: int, at: int) -> bool:
    """A realm leaves without a decision: an NPR when outnumbered, a player realm by a fixed policy (3.2 step 6)."""
    own, faction = force_of(s, side), w.sides[side].factions[at]
    (policy, _), together = w.sides[side].leaving[at], w.sides[side].together[0]
    units = w.units(side, own)
    if not w.present(own, at):
        return False
    if faction.realm.kind == "npr":
        weaker = units < w.units(1 - side, force_of(s, 1 - side))
        return weaker and not stays(faction) and not w.fights(side, own, "rebels")
    if faction.realm.kind != "player" or units < 2:
        return False
    if policy == WITH_SIDE:
        return says_leave(w, s, side, together, w.together[side], units)
    alone = w.strength(side, (own.realms[at],), at).units
    return says_leave(w, s, side, policy, w.leave[side][at], alone)


def who_may_leave(w: Setup, s: BattleState, side: int) -> list[Going]:
    """The sets of realms that may leave now: the first without a decision, then those that owners may add (best)."""
    own, choices = force_of(s, side), w.sides[side]
    places = range(len(own.realms))
    by_rule = tuple(at for at in places if leaves_by_rule(w, s, side, at))
    if w.units(side, own) < 2:
        return [by_rule]

    def deciding(policy: str) -> list[int]:
        return [at for at in places if choices.leaving[at][0] == policy and w.present(own, at)]

    if choices.together[0] == "best" and (together := deciding(WITH_SIDE)):
        return [by_rule, (*by_rule, *together)]
    alone = deciding("best")
    return [(*by_rule, *chosen) for size in range(len(alone) + 1) for chosen in combinations(alone, size)]
