"""The invasion: crossings, landing, the path, and the break-out of the port (docs/rules/risk.md section 5.5)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.chain import BEST, helper, rule
from simulator.rules.risk import rules as land
from simulator.rules.risk.rules import GOES_ON, STOPPED, UNDECIDED, calls_off, hand_of


class Params(NamedTuple):
    """Stages 0 to `crossings - 1` are crossings, then comes the land part, then the port.

    By stage: `enemies` (fleets), `defends` (1: the convoy defends), `tables[stage, fleets of the side that attacks,
    fleets of the other]`. `most_rounds` are counted at sea; `aboard[fleets]` are the troops that a convoy of so many
    fleets carries; `land` is the path, `policy` the convoy's in crossings that it attacks (by stage, convoy, enemy).
    """

    crossings: int
    enemies: np.ndarray
    defends: np.ndarray
    tables: np.ndarray
    most_rounds: int
    aboard: np.ndarray
    land: land.Params
    policy: land.Policy


class State(NamedTuple):
    """Where the invasion stands. `enemy` are the fleets in this sea fight, `at_shore` the regiments that landed;
    `decided` as in `rules.State`.
    """

    stage: int
    convoy: int
    enemy: int
    attackers: int
    captured: int
    defenders: int
    at_shore: int
    decided: int
    sea_rounds: int
    land_rounds: int


@helper
def land_part(s):
    """The land fight within the invasion."""
    return land.State(
        attackers=s.attackers,
        captured=s.captured,
        defenders=s.defenders,
        decided=s.decided,
        rounds=s.land_rounds,
        dice=0,
        answer=0,
        hand=0,
    )


@helper
def landed(p, s):
    """All regiments aboard reach the shore and face the first territory (step 5)."""
    troops = p.aboard[s.convoy]
    return s._replace(stage=p.crossings, enemy=0, attackers=troops, defenders=p.land.defenders[0], at_shore=troops)


@helper
def after_sea_round(p, s, result):
    """Losses of a sea round; a won crossing leads on while there are troops aboard (steps 2 to 4)."""
    own, enemy = result >> 3, result & 7
    if p.defends[s.stage] > 0:
        own, enemy = enemy, own
    s = s._replace(convoy=s.convoy - own, enemy=s.enemy - enemy, decided=UNDECIDED)
    s = s._replace(sea_rounds=min(s.sea_rounds + 1, p.most_rounds))
    if s.enemy > 0 or s.stage > p.crossings or p.aboard[s.convoy] == 0:
        return s
    if s.stage + 1 == p.crossings:
        return landed(p, s)
    return s._replace(stage=s.stage + 1, enemy=p.enemies[s.stage + 1])


@helper
def on_land(p, s, result):
    """A decision or a round on land; once that is over and anything was captured, the fleets in port put to sea
    (step 6).
    """
    after = land.step(p.land, land_part(s), result)
    s = s._replace(attackers=after.attackers, captured=after.captured, defenders=after.defenders)
    s = s._replace(decided=after.decided, land_rounds=after.rounds)
    port = p.enemies[p.crossings + 1]
    if after.captured > 0 and port > 0 and not land.running(p.land, after):
        return s._replace(stage=p.crossings + 1, enemy=port, decided=UNDECIDED)
    return s


@rule(Params)
def running(p, s):
    """A fight goes on at sea, on land, or out of the port."""
    if s.stage == p.crossings:
        return land.running(p.land, land_part(s))
    return s.convoy > 0 and s.enemy > 0 and s.decided != STOPPED


@rule(Params)
@helper
def decides(p, s):
    """The attacker on land, and the convoy where it attacks (step 2)."""
    if s.stage == p.crossings:
        return land.decides(p.land, land_part(s))
    return 1 if p.policy.asks > 0 and p.defends[s.stage] == 0 and s.decided == UNDECIDED else 0


@rule(Params)
def options(p, s):
    """Go on or stop."""
    return 2


@rule(Params)
def choose(p, s):
    """What the fixed policy says."""
    if s.stage == p.crossings:
        return land.choose(p.land, land_part(s))
    if p.policy.best > 0:
        return BEST
    return 1 if calls_off(p.policy, s.stage, s.convoy, s.enemy, s.sea_rounds) else 0


@rule(Params)
def table(p, s):
    """Round table of the place."""
    if s.stage == p.crossings:
        return land.table(p.land, land_part(s))
    if p.defends[s.stage] > 0:
        return p.tables[s.stage, hand_of(s.enemy), hand_of(s.convoy)]
    return p.tables[s.stage, hand_of(s.convoy), hand_of(s.enemy)]


@rule(Params)
def step(p, s, result):
    """A decision or a round of dice, at sea or on land."""
    if s.stage == p.crossings:
        return on_land(p, s, result)
    if decides(p, s) > 0:
        return s._replace(decided=GOES_ON + result)
    return after_sea_round(p, s, result)
