"""Battles of a passage: one fight for fleets of many sizes (docs/rules/europa_naval_and_other.md section 14).

Fleets with the same modifiers, columns and morale share one fight (sea/fight.py); then every fleet that may
come to it is reckoned with.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.europa.sea import rules
from simulator.rules.europa.sea.end_tables import CONDITIONS, UNHARMED, leader_test
from simulator.rules.europa.sea.fight import NOTHING, Spread, known
from simulator.rules.europa.sea.losses import NO_SHIP, Fight, Reckoning, captured
from simulator.rules.europa.sea.squadrons import ATTACKER, Engagement
from simulator.rules.europa.sea.tables import NavalSetup
from simulator.rules.europa.shared.fleets import Cargo, Fleet

OWN, ENEMY = 0, 1
# No pursuit inflicts more thirds than a row of the combat table holds.
MOST_PURSUED = 14


class Result(NamedTuple):
    """How a battle came out for the passing fleet: what it has then, prizes included; is its commander gone?"""

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
    """What a battle has come to but for the losses: who has won, stars of the pursuit; is the own side routed?"""

    won: bool
    routed: bool
    caught: int
    manoeuvre: int


class Case(NamedTuple):
    """An end, if the own side (the enemy) is wiped out: who has won, the table of the pursuit (0: none), the rest."""

    won: bool
    routed: bool
    morale: int
    chase: int
    manoeuvre: int


class Fates(NamedTuple):
    """What a fight may come to.

    `cases`: the least and the most own losses of each case, and its fates. `chances` of the own losses in the fighting,
    by fate and the thirds that the pursuit adds.
    """

    cases: list[tuple[int, int, list[Fate]]]
    chances: dict[tuple[Fate, int], np.ndarray]


class Fought(NamedTuple):
    """A fight: its numbers, and the chances of [own losses, enemy losses] by end."""

    setup: NavalSetup
    ends: dict[End, np.ndarray]


class Known(NamedTuple):
    """What is kept of a fight: losses that both sides may suffer (0 included), and fates by what they depend on."""

    sizes: tuple[int, int]
    fates: dict[Any, tuple[Fates, ...]]


# Passages that differ in anything but their fights (a sweep over troops, seas, works) share them. They are small.
MOST_KEPT = 512
kept: dict[Any, Known] = {}


@dataclass
class Battles:
    """The battles of a passage."""

    fights: dict[Any, Fought] = field(default_factory=dict)
    gone: dict[Any, float] = field(default_factory=dict)

    def key(self, engagement: Engagement) -> Any:
        """What the rolls of a fight depend on."""
        leaders = tuple((s.leader, s.replacements) for s in engagement.squadrons)
        fixed = tuple(
            (engagement.columns(side), engagement.halves(side), engagement.pursuit_column(side)) for side in (0, 1)
        )
        modifiers = tuple(tuple((m.days, m.fire, m.shock, m.pursuit) for m in own) for own in engagement.modifiers)
        winds = engagement.settled_wind(), engagement.wind_advantage(0), engagement.wind_advantage(1)
        readings = engagement.book, engagement.options.leader_differential_cap, engagement.options.break_off_at_sea
        sides = tuple((s.policy, s.retreat_drm is None) for s in engagement.squadrons)
        return leaders, fixed, modifiers, winds, engagement.morale, sides, readings

    def fought(self, key: Any, engagement: Engagement) -> Fought:
        """The fight itself."""
        if key not in self.fights:
            setup = NavalSetup(engagement)
            self.fights[key] = Fought(setup, ends_of(setup))
        return self.fights[key]

    def fates(self, engagement: Engagement, reckoning: Reckoning) -> dict[Fate, np.ndarray]:
        """The chances of the own losses, pursuit included, by fate."""
        key, routs = self.key(engagement), engagement.options.destruction_is_rout
        before = kept.get(key)
        if before is None:
            if len(kept) >= MOST_KEPT:
                kept.clear()
            before = kept[key] = Known(self.fought(key, engagement).setup.room, {})
        sizes = before.sizes
        lost, sunk = (
            next((thirds for thirds in range(size) if reckoning.wiped(side, thirds, False)), size)
            for side, size in enumerate(sizes)
        )
        # A side of 1 or 2 thirds is wiped out whenever it is routed.
        at = sunk, (reckoning.wiped(OWN, 0, True), reckoning.wiped(ENEMY, 0, True)), routs
        if at not in before.fates:
            before.fates[at] = tuple(_fates(self.fought(key, engagement), *at, wiped) for wiped in (False, True))
        found: dict[Fate, np.ndarray] = {}
        for fates, rows in zip(before.fates[at], (range(lost), range(lost, sizes[OWN])), strict=True):
            for least, most, of_case in fates.cases:
                if rows and least < rows.stop and rows.start <= most:
                    found.update((fate, np.zeros(sizes[OWN] + MOST_PURSUED)) for fate in of_case if fate not in found)
            for (fate, more), chances in fates.chances.items():
                if fate in found:
                    part = chances[rows.start : rows.stop]
                    found[fate][rows.start + more : rows.start + more + len(part)] += part
        return found

    def results(self, engagement: Engagement) -> Counter[Result]:
        """How the battle may come out for the attacker, with chances."""
        reckoning, found = Reckoning(engagement), Counter[Result]()
        for (won, routed, caught, manoeuvre), chances in self.fates(engagement, reckoning).items():
            prizes = captured(engagement.squadrons[ENEMY].fleet, caught, reckoning.kinds(OWN)) if won else NO_SHIP
            by_losses: dict[int, float] = {}
            for thirds in np.flatnonzero(chances).tolist():
                losses = reckoning.losses(OWN, thirds, routed)
                by_losses[losses] = by_losses.get(losses, 0.0) + float(chances[thirds])
            for losses, chance in by_losses.items():
                record = reckoning.suffered(OWN, Fight(won, routed, 0 if won else caught, losses))
                if won:
                    gone = self._chance_gone(engagement, record.gone)
                    fleet = record.fleet.plus(prizes) if caught else record.fleet
                    found[Result(True, fleet, record.cargo, True)] += chance * gone  # type: ignore[assignment]
                    found[Result(True, fleet, record.cargo)] += chance * (1 - gone)  # type: ignore[assignment]
                elif not reckoning.rolls_storm(OWN, False):
                    found[Result(False, record.fleet, record.cargo)] += chance  # type: ignore[assignment]
                else:
                    storm = reckoning.after_storm(OWN, record, reckoning.storm_modifier(OWN, routed, manoeuvre))
                    for after, weight in storm.items():
                        share = chance * weight / storm.total()
                        found[Result(False, after.fleet, after.cargo)] += share  # type: ignore[assignment]
        return +found

    def _chance_gone(self, engagement: Engagement, destroyed: bool) -> float:
        """The chance that a winner's commander is killed or wounded (section 12)."""
        leader = engagement.squadrons[OWN].leader
        if not leader.given:
            return 0.0
        key = leader, destroyed
        if key not in self.gone:
            tests = leader_test(engagement.squadrons[OWN], leader.fragile, CONDITIONS.index((True, destroyed)))
            self.gone[key] = 1.0 - tests[UNHARMED] / tests.total()
        return self.gone[key]


def _fates(fought: Fought, sunk: int, small: tuple[bool, bool], routs: bool, wiped: bool) -> Fates:
    """What a fight may come to if the own side is wiped out by its losses, or is not.

    The enemy is from the loss `sunk` on; `small` sides are whenever they are routed.
    """
    masses: dict[Case, np.ndarray] = {}
    for end, chances in fought.ends.items():
        own, other = (small[side] and end.morale[side] == 0 for side in (OWN, ENEMY))
        for enemy, columns in enumerate((slice(0, sunk), slice(sunk, None))):
            case = _case(end, wiped or own, bool(enemy) or other, routs)
            mass = chances[:, columns].sum(axis=1)
            masses[case] = masses[case] + mass if case in masses else mass
    found = Fates([], {})
    for case, mass in masses.items():
        occur, of_case = np.flatnonzero(mass), []
        if not occur.size:
            continue
        for code, weight in fought.setup.dice(case.chase) if case.chase else NOTHING:
            more, caught = code & rules.LOSS_MASK, code >> rules.LOSS_BITS
            routed = case.routed or (not case.won and case.morale <= caught)
            at = Fate(case.won, routed, caught, case.manoeuvre), 0 if case.won else more
            found.chances[at] = found.chances.get(at, 0) + weight * mass
            of_case.append(at[0])
        found.cases.append((int(occur[0]), int(occur[-1]), of_case))
    return found


def _case(end: End, wiped: bool, enemy_wiped: bool, routs: bool) -> Case:
    """How a fight has ended, if the own side (the enemy) is wiped out."""
    winner, pursues, (routed, _) = rules.settled(end.verdict, end.left, end.morale, (wiped, enemy_wiped), routs)
    chase = end.chases[winner] if pursues else 0
    if winner == ATTACKER:
        return Case(True, routed, 0, chase, 0)
    return Case(False, routed, 0 if routed else end.morale[OWN], chase, end.manoeuvre)


def ends_of(setup: NavalSetup) -> dict[End, np.ndarray]:
    """The ends of a fight, and the chances of [own losses, enemy losses]."""
    spread, groups = Spread(setup), setup.known.placed
    found: dict[End, np.ndarray] = {}
    after: dict[tuple[int, int], tuple[tuple[int, int], int]] = {}
    for state, chances in spread.ends.items():
        morale = rules.morale_left(spread.p, state, OWN), rules.morale_left(spread.p, state, ENEMY)
        for place, share in known(setup, state.group):
            at = place, state.rolls
            if at not in after:
                own, enemy = (setup.chase_table(groups[place], side, state.rolls) for side in (0, 1))
                after[at] = (own, enemy), groups[place].men[OWN] or 0
            end = End(state.verdict, state.left > 0, morale, *after[at])
            if end not in found:
                found[end] = np.zeros(spread.room)
            found[end][: chances.shape[0], : chances.shape[1]] += share * chances
    return found
