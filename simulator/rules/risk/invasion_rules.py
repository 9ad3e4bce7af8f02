"""The invasion: crossings, landing, the path, and the break-out of the port (docs/rules/risk.md section 5.5)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.chain import helper, rule
from simulator.rules.risk import rules
from simulator.rules.risk.rules import calls_off, hand_of
from simulator.rules.risk.rules import running as fights_on
from simulator.rules.risk.rules import step as after_round
from simulator.rules.risk.rules import table as round_of


class Params(NamedTuple):
    """Stages 0 to `crossings - 1` are crossings, then comes the land part, then the port.

    By stage: `enemies` (fleets), `defends` (1: the convoy defends), `tables[stage, fleets of the side that attacks,
    fleets of the other]`. `aboard[fleets]` are the troops that a convoy of so many fleets carries; `land` is the path,
    `policy` the convoy's in crossings that it attacks (by stage, convoy, enemy).
    """

    crossings: int
    enemies: np.ndarray
    defends: np.ndarray
    tables: np.ndarray
    aboard: np.ndarray
    land: rules.Params
    policy: rules.Policy


class State(NamedTuple):
    """Where the invasion stands. `enemy` are the fleets in this sea fight, `at_shore` the regiments that landed."""

    stage: int
    convoy: int
    enemy: int
    attackers: int
    captured: int
    defenders: int
    at_shore: int
    sea_rounds: int
    land_rounds: int


@helper
def land_part(s):
    """The land fight within the invasion."""
    return rules.State(s.attackers, s.captured, s.defenders, s.land_rounds)


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
    s = s._replace(convoy=s.convoy - own, enemy=s.enemy - enemy, sea_rounds=s.sea_rounds + 1)
    if s.enemy > 0 or s.stage > p.crossings or p.aboard[s.convoy] == 0:
        return s
    if s.stage + 1 == p.crossings:
        return landed(p, s)
    return s._replace(stage=s.stage + 1, enemy=p.enemies[s.stage + 1])


@helper
def after_land_round(p, s, result):
    """A round on land; when it is over and anything was captured, the fleets in port put to sea (step 6)."""
    land = after_round(p.land, land_part(s), result)
    s = s._replace(attackers=land.attackers, captured=land.captured, defenders=land.defenders, land_rounds=land.rounds)
    if land.captured > 0 and p.enemies[p.crossings + 1] > 0 and not fights_on(p.land, land):
        return s._replace(stage=p.crossings + 1, enemy=p.enemies[p.crossings + 1])
    return s


@rule(Params)
def running(p, s):
    """A fight goes on at sea, on land, or out of the port."""
    if s.stage == p.crossings:
        return fights_on(p.land, land_part(s))
    if s.convoy == 0 or s.enemy == 0:
        return False
    return p.defends[s.stage] > 0 or not calls_off(p.policy, s.stage, s.convoy, s.enemy, s.sea_rounds)


@rule(Params)
def table(p, s):
    """Round table of the place."""
    if s.stage == p.crossings:
        return round_of(p.land, land_part(s))
    if p.defends[s.stage] > 0:
        return p.tables[s.stage, hand_of(s.enemy), hand_of(s.convoy)]
    return p.tables[s.stage, hand_of(s.convoy), hand_of(s.enemy)]


@rule(Params)
def step(p, s, result):
    """One round of dice, at sea or on land."""
    return after_land_round(p, s, result) if s.stage == p.crossings else after_sea_round(p, s, result)
