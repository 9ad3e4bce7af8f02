"""Battles of a passage: one fight for fleets of many sizes (docs/rules/europa_naval_and_other.md section 14).

Fleets with the same modifiers, columns and morale share one fight (sea/fight.py); the losses are computed for each
fleet that may come to it.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.battle import ATTACKER
from simulator.rules.europa.sea import rules
from simulator.rules.europa.sea.battle import NO_PURSUIT
from simulator.rules.europa.sea.fight import FightKey, FightSweep, fight_of
from simulator.rules.europa.sea.losses import NEVER_LOST, NEVER_PURSUED, NO_SHIP, Fight, Losses
from simulator.rules.europa.sea.squadrons import Engagement
from simulator.rules.europa.sea.tables import NavalSetup
from simulator.rules.europa.shared.fleets import Afloat, Cargo, Fleet, after_attrition
from simulator.rules.europa.shared.leaders import UNHARMED, Leader, Trial, fates

OWN, ENEMY = 0, 1


class Result(NamedTuple):
    """The result of a battle for the passing fleet: its ships, prizes included, and whether its commander is lost."""

    won: bool
    fleet: Fleet
    cargo: Cargo
    lost_commander: bool = False


class End(NamedTuple):
    """Ends of a fight alike in what follows: the tables of both sides' pursuits, morale left, own manoeuvre."""

    verdict: int
    left: bool
    morale: tuple[int, int]
    chases: tuple[int, int]
    manoeuvre: int


class Fate(NamedTuple):
    """An end of a battle but for the losses: who has won, stars of the pursuit; is the own side routed?"""

    won: bool
    routed: bool
    caught: int
    manoeuvre: int


# The chances of the own losses in the fighting, float64 [thirds], by fate and the thirds that the pursuit adds.
Fates = dict[tuple[Fate, int], np.ndarray]


def fates_of(engagement: Engagement, losses: Losses) -> dict[Fate, np.ndarray]:
    """The chances of the own losses, pursuit included, float64 [thirds], by fate."""
    lost, sunk = (
        next((thirds for thirds in range(NEVER_LOST) if losses.wiped(side, thirds, False)), NEVER_LOST)
        for side in (OWN, ENEMY)
    )
    # A side of 1 or 2 thirds is wiped out whenever it is routed.
    small = losses.wiped(OWN, 0, True), losses.wiped(ENEMY, 0, True)
    fight, routs = fight_of(engagement), engagement.options.destruction_is_rout
    return _cut(fight, lost, sunk, small, routs)


@lru_cache(maxsize=256)
def _cut(fight: FightKey, lost: int, sunk: int, small: tuple[bool, bool], routs: bool) -> dict[Fate, np.ndarray]:
    """As `fates_of`, for fleets that are wiped out from the losses `lost` and `sunk` on; not to be changed."""
    alive, wiped = (_fates(fight, sunk, small, routs, wiped) for wiped in (False, True))
    found: dict[Fate, np.ndarray] = {}
    for by_fate, rows in zip((alive, wiped), (slice(0, lost), slice(lost, None)), strict=True):
        for (fate, more), chances in by_fate.items():
            part = chances[rows]
            if part.any():
                if fate not in found:
                    found[fate] = np.zeros(NEVER_PURSUED)
                first = (rows.start or 0) + more
                found[fate][first : first + len(part)] += part
    return found


def results(engagement: Engagement) -> dict[Result, float]:
    """The results of the battle for the attacker, with chances; not to be changed.

    Battles whose fight and losses are alike share them, such as those of passages that differ in another stage.
    """
    losses, options = Losses(engagement), engagement.options
    lost = tuple(losses.sizes), tuple(losses.forces), tuple(losses.kinds), engagement.squadrons[OWN].retreat_drm
    readings = options.destruction_is_rout, options.rout_attrition_plus_two
    return _results(FightKey((fight_of(engagement).numbers, lost, readings), engagement))


# A passage fights some seventy battles; those with another number in one field fight most of them again.
@lru_cache(maxsize=256)
def _results(battle: FightKey) -> dict[Result, float]:
    """As `results`; the numbers of the key are those that the results depend on."""
    engagement = battle.engagement
    losses, found = Losses(engagement), defaultdict[Result, float](float)
    own, beaten = engagement.squadrons[OWN], defaultdict[tuple[Afloat, int], float](float)
    unharmed = [safe(own.leader, gone) for gone in (False, True)]
    for (won, routed, caught, manoeuvre), chances in fates_of(engagement, losses).items():
        prizes = losses.caught(ENEMY, caught)[2] if won else NO_SHIP
        suffered = np.flatnonzero(chances)
        by_losses = np.bincount(losses.all_whole(OWN, routed)[suffered], chances[suffered])
        for whole in np.flatnonzero(by_losses).tolist():
            chance = float(by_losses[whole])
            record = losses.left_with(OWN, Fight(won, routed, 0 if won else caught, whole))
            if won:
                fleet = record.fleet.plus(prizes) if caught else record.fleet
                for gone, share in ((True, 1 - unharmed[record.gone]), (False, unharmed[record.gone])):
                    found[Result(True, fleet, record.cargo, gone)] += chance * share
            elif own.retreat_drm is None:
                found[Result(False, record.fleet, record.cargo)] += chance
            else:
                modifier = losses.storm_modifier(OWN, routed, manoeuvre)
                beaten[Afloat(record.fleet, record.cargo), modifier] += chance
    saved = defaultdict[Afloat, float](float)
    for (afloat, modifier), chance in beaten.items():
        storm = after_attrition(engagement.book, afloat, modifier, own.order, own.hold)
        share = chance / storm.total()
        for after, weight in storm.items():
            saved[after] += share * weight
    for after, chance in saved.items():
        found[Result(False, *after)] += chance
    return {result: chance for result, chance in found.items() if chance > 0}


def safe(leader: Leader, gone: bool) -> float:
    """The chance that a winner's commander, with no ship left or some, is neither killed nor wounded (section 12)."""
    ends = fates(leader, Trial(True, gone, leader.fragile))
    return float(ends[UNHARMED] / ends.total()) if leader.given else 1.0


# Passages that differ in anything but their fights (a sweep over troops, seas, works) share them. They are small.
@lru_cache(maxsize=4096)
def _fates(fight: FightKey, sunk: int, small: tuple[bool, bool], routs: bool, wiped: bool) -> Fates:
    """The fates of a fight if the own side is wiped out by its losses, or is not.

    The enemy is from the loss `sunk` on; `small` sides are whenever they are routed.
    """
    setup, ends = ends_of(fight)
    masses: dict[Any, np.ndarray] = {}
    for end, chances in ends.items():
        own, enemy = (small[side] and end.morale[side] == 0 for side in (OWN, ENEMY))
        for sinks, columns in ((enemy, slice(0, sunk)), (True, slice(sunk, None))):
            both = wiped or own, sinks
            winner, pursues, (routed, _) = rules.settled(end.verdict, end.left, end.morale, both, routs)
            won, chase = winner == ATTACKER, end.chases[winner] if pursues else 0
            # Stars of the pursuit may still rout a loser.
            case = won, routed, end.morale[OWN] * (not won and not routed), chase, end.manoeuvre * (not won)
            masses[case] = masses.get(case, 0.0) + chances[:, columns].sum(axis=1)
    found: Fates = {}
    for (won, routed, morale, chase, manoeuvre), mass in masses.items():
        for code, weight in setup.dice(chase) if chase else NO_PURSUIT:
            more, caught = code & rules.LOSS_MASK, code >> rules.LOSS_BITS
            fate = Fate(won, routed or (not won and morale <= caught), caught, manoeuvre)
            at = fate, 0 if won else more
            found[at] = found.get(at, 0.0) + weight * mass
    return found


@lru_cache(maxsize=32)
def ends_of(fight: FightKey) -> tuple[NavalSetup, dict[End, np.ndarray]]:
    """The ends of a fight with the chances of the losses: float64 [own losses, enemy losses]."""
    setup = NavalSetup(fight.engagement)
    sweep, men = FightSweep(setup), [group.men[OWN] or 0 for group in setup.groups]
    found: dict[End, np.ndarray] = {}
    for state, chances in sweep.ends.items():
        morale = rules.morale_left(setup.plain, state, OWN), rules.morale_left(setup.plain, state, ENEMY)
        chases = setup.chase_table(state.group, OWN, state.rolls), setup.chase_table(state.group, ENEMY, state.rolls)
        end = End(state.verdict, state.left > 0, morale, chases, men[state.group])
        found.setdefault(end, np.zeros(sweep.room))[: chances.shape[0], : chances.shape[1]] += chances
    return setup, found
