"""Battles of a passage: one fight for fleets of many sizes (docs/rules/europa_naval_and_other.md section 14).

Fleets with the same modifiers, columns and morale share one fight (naval_fight.py); then every fleet that may
come to it is reckoned with.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.europa import naval_rules as rules
from simulator.rules.europa.naval_end_tables import CONDITIONS, UNHARMED, leader_test
from simulator.rules.europa.naval_fight import NOTHING, Dice, Spread, known
from simulator.rules.europa.naval_losses import Fight, Reckoning, Record
from simulator.rules.europa.naval_tables import NavalSetup
from simulator.rules.europa.squadrons import ATTACKER, DEFENDER, Engagement

OWN, ENEMY = 0, 1
# No pursuit inflicts more thirds than a row of the combat table holds.
MOST_PURSUED = 14


class Result(NamedTuple):
    """How a battle came out for the passing fleet: its record, ships captured, whether its commander is gone."""

    won: bool
    record: Record
    prizes: Any
    lost_commander: bool


class End(NamedTuple):
    """Ends of a fight that are alike in what follows: pursuits of both sides, morale left, own manoeuvre."""

    verdict: int
    left: bool
    morale: tuple[int, int]
    chases: tuple[Dice, Dice]
    manoeuvre: int


class Case(NamedTuple):
    """What a battle has come to but for the losses: who has won, the pursuit, is the own side routed?"""

    won: bool
    routed: bool
    morale: int
    chase: Dice
    manoeuvre: int


@dataclass
class Battles:
    """The battles of a passage."""

    fights: dict[Any, dict[End, np.ndarray]] = field(default_factory=dict)
    cases: dict[Any, Any] = field(default_factory=dict)
    gone: dict[Any, float] = field(default_factory=dict)

    def key(self, met: Engagement) -> Any:
        """What the rolls of a fight depend on."""
        leaders = tuple((s.leader, s.replacements) for s in met.squadrons)
        fixed = tuple((met.columns(side), met.halves(side), met.pursuit_column(side)) for side in (0, 1))
        modifiers = tuple(tuple((m.days, m.fire, m.shock, m.pursuit) for m in own) for own in met.modifiers)
        winds = met.settled_wind(), met.wind_advantage(0), met.wind_advantage(1)
        return leaders, fixed, modifiers, winds, met.morale, tuple(s.policy for s in met.squadrons)

    def parts(self, met: Engagement, enemy_wiped: int) -> list[dict[Case, np.ndarray]]:
        """Chances of the own losses by case, if the own side is not wiped out and if it is.

        `enemy_wiped` is the enemy loss from which it is wiped out.
        """
        key = self.key(met)
        if key not in self.fights:
            self.fights[key] = ends_of(NavalSetup(met))
        at = key, enemy_wiped, met.options.destruction_is_rout
        if at not in self.cases:
            found: list[dict[Case, np.ndarray]] = [{}, {}]
            for end, chances in self.fights[key].items():
                for own in (0, 1):
                    for enemy, columns in enumerate((slice(0, enemy_wiped), slice(enemy_wiped, None))):
                        case = _case(end, own, enemy, met.options.destruction_is_rout)
                        mass = chances[:, columns].sum(axis=1)
                        found[own][case] = found[own].get(case, 0) + mass
            self.cases[at] = found
        return self.cases[at]  # type: ignore[no-any-return]

    def results(self, met: Engagement) -> Counter[Result]:
        """How the battle may come out for the attacker, with chances."""
        reckoning, found = Reckoning(met), Counter[Result]()
        for (won, routed, caught, manoeuvre), chances in self._fates(met, reckoning).items():
            prizes = reckoning.record(ENEMY, Fight(False, False, caught if won else 0, 0)).captured
            for thirds in np.flatnonzero(chances).tolist():
                chance = float(chances[thirds])
                record = reckoning.record(OWN, Fight(won, routed, 0 if won else caught, thirds))
                if won:
                    gone = self._chance_gone(met, record.gone)
                    found[Result(True, record, prizes, True)] += chance * gone
                    found[Result(True, record, prizes, False)] += chance * (1 - gone)
                elif not reckoning.rolls_storm(OWN, False):
                    found[Result(False, record, prizes, False)] += chance
                else:
                    storm = reckoning.after_storm(OWN, record, reckoning.storm_modifier(OWN, routed, manoeuvre))
                    for after, weight in storm.items():
                        found[Result(False, after, prizes, False)] += chance * weight / storm.total()
        return +found

    def _fates(self, met: Engagement, reckoning: Reckoning) -> dict[tuple[bool, bool, int, int], np.ndarray]:
        """(won, routed, stars of the pursuit, manoeuvre) -> chances of the own losses."""
        setup = NavalSetup(met)
        wiped = [_first(reckoning, side, setup.most_losses[side] + 1) for side in (0, 1)]
        room = setup.most_losses[OWN] + MOST_PURSUED + 1
        found: dict[tuple[bool, bool, int, int], np.ndarray] = {}
        for own, rows in enumerate((slice(0, wiped[0]), slice(wiped[0], None))):
            for case, chances in self.parts(met, wiped[1])[own].items():
                part = np.zeros(room)
                part[rows.start : rows.start + len(chances[rows])] = chances[rows]
                if not part.any():
                    continue
                for code, weight in case.chase:
                    thirds, stars = code & rules.LOSS_MASK, code >> rules.LOSS_BITS
                    routed = case.routed or (not case.won and case.morale <= stars)
                    at = case.won, routed, stars, case.manoeuvre
                    if at not in found:
                        found[at] = np.zeros(room)
                    moved = 0 if case.won else thirds
                    found[at][moved:] += weight * part[: room - moved]
        return found

    def _chance_gone(self, met: Engagement, destroyed: bool) -> float:
        """The chance that a winner's commander is killed or wounded (section 12)."""
        leader = met.squadrons[OWN].leader
        if not leader.given:
            return 0.0
        key = leader, destroyed
        if key not in self.gone:
            tests = leader_test(met.squadrons[OWN], leader.fragile, CONDITIONS.index((True, destroyed)))
            self.gone[key] = 1.0 - tests[UNHARMED] / tests.total()
        return self.gone[key]


def _case(end: End, own: int, enemy: int, routs: bool) -> Case:
    """How a fight has ended, if the own side (the enemy) is wiped out."""
    winner = end.verdict if end.left else rules.winner_of(end.verdict, own, enemy)
    pursues = winner in {ATTACKER, DEFENDER} and not end.left and end.morale[winner] > 0
    routed = end.morale[OWN] == 0 or bool(own and routs)
    chase = end.chases[winner] if pursues else NOTHING
    if winner == ATTACKER:
        return Case(True, routed, 0, chase, 0)
    return Case(False, routed, 0 if routed else end.morale[OWN], chase, end.manoeuvre)


def _first(reckoning: Reckoning, side: int, most: int) -> int:
    """The smallest loss that wipes a side out."""
    return next((thirds for thirds in range(most) if reckoning.wiped(side, thirds)), most)


def ends_of(setup: NavalSetup) -> dict[End, np.ndarray]:
    """The ends of a fight, and the chances of [own losses, enemy losses]."""
    spread, groups = Spread(setup), list(setup.groups)
    p, found = spread.chain.params, dict[End, np.ndarray]()
    for state, chances in spread.ends.items():
        a, d = (rules.morale_left(p, state, side) for side in (0, 1))
        for place, share in known(setup, groups[state.group], state.group):
            chases = tuple(spread.dice(setup.chase_table(place, side, state.rolls)) for side in (0, 1))
            end = End(state.verdict, state.left > 0, (a, d), chases, groups[place].men[OWN] or 0)  # type: ignore[arg-type]
            found[end] = found.get(end, 0) + share * chances
    return found
