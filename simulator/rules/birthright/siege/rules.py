"""A siege season by season (docs/rules/birthright.md section 5); its battles are quick checks, a house rule."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import helper, rule
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.birthright.checks.rules import (
    ATTACKER_AHEAD,
    ATTACKER_WON,
    DEFENDER_AHEAD,
    DEFENDER_WON,
    GOING_ON,
    NOBODY_WON,
    Check,
    check_losses,
    check_table,
)

# The next event of a season: the d20 for a relief army, its battle, a storm, the fall of the level.
ARRIVAL, RELIEF, STORM, FALL = range(4)
NOT_COME, IN_FIELD, DRIVEN_OFF = range(3)
WAIT, STORM_NOW, AT_LEVEL, LAST_SEASON = range(4)


class SiegeParams(NamedTuple):
    """Numbers before the first roll.

    By steps that the besieger has lost: `reach`, the level that he can invest, and the levels `removed` a season. By
    level: the bonus of the `walls`. `relief` is the relief army against the besieger, `storm` the besieger against the
    garrison; `arrival` is the table of the relief's d20, NO_TABLE if none can come. `plan` and `storm_level` say when
    he storms.
    """

    relief: Check
    storm: Check
    reach: np.ndarray
    removed: np.ndarray
    walls: np.ndarray
    arrival: int
    plan: int
    storm_level: int
    seasons: int


class SiegeState(NamedTuple):
    """Seasons begun, the level, steps lost, place of the relief army, next event, end of the siege, storms."""

    season: int
    level: int
    besieger_lost: int
    garrison_lost: int
    relief_lost: int
    relief: int
    due: int
    ended: int
    storms: int


@rule(SiegeParams)
def running(p, s):
    """Until the siege is decided."""
    return s.ended == GOING_ON


@rule(SiegeParams)
def table(p, s):
    """The roll of the next event; the fall of the level needs none."""
    if s.due == ARRIVAL:
        return p.arrival
    if s.due == RELIEF:
        return check_table(p.relief, s.relief_lost, s.besieger_lost, 0)
    if s.due == STORM:
        return check_table(p.storm, s.besieger_lost, s.garrison_lost, p.walls[s.level])
    return NO_TABLE


@rule(SiegeParams)
def step(p, s, result):
    """Steps 2 to 5 of a season, one at a time."""
    if s.due == ARRIVAL:
        return s._replace(relief=IN_FIELD, due=RELIEF) if result > 0 else storm_or_wait(p, s)
    if s.due == RELIEF:
        return relief_battle(p, s, result)
    if s.due == STORM:
        return storm(p, s, result)
    level = s.level - p.removed[s.besieger_lost]
    if level <= 0:
        return s._replace(level=0, ended=ATTACKER_WON)
    return end_season(p, s._replace(level=level))


@helper
def begin_season(p, s):
    """Step 1: a besieger who cannot invest the level gives up; else the first event of the season."""
    if p.reach[s.besieger_lost] < s.level:
        return s._replace(ended=DEFENDER_WON)
    begun = s._replace(season=s.season + 1)
    if s.relief == IN_FIELD:
        return begun._replace(due=RELIEF)
    if p.arrival != NO_TABLE and s.relief == NOT_COME:
        return begun._replace(due=ARRIVAL)
    return storm_or_wait(p, begun)


@helper
def storm_or_wait(p, s):
    """Step 3: does the besieger storm in this season?"""
    storms = (
        p.plan == STORM_NOW
        or (p.plan == AT_LEVEL and s.level <= p.storm_level)
        or (p.plan == LAST_SEASON and s.season == p.seasons)
    )
    return s._replace(due=STORM if storms else FALL)


@helper
def relief_battle(p, s, result):
    """Step 2: the relief army attacks the besieger."""
    own, enemy = check_losses(p.relief, s.relief_lost, s.besieger_lost, result)
    after = s._replace(relief_lost=s.relief_lost + own, besieger_lost=s.besieger_lost + enemy)
    if result & 3 == ATTACKER_AHEAD:
        return after._replace(ended=DEFENDER_WON)
    if result & 3 == DEFENDER_AHEAD:
        gone = after._replace(relief=DRIVEN_OFF)
        return storm_or_wait(p, gone) if p.reach[gone.besieger_lost] >= s.level else gone._replace(ended=DEFENDER_WON)
    return end_season(p, after)


@helper
def storm(p, s, result):
    """Step 3: the besieger attacks the garrison."""
    own, enemy = check_losses(p.storm, s.besieger_lost, s.garrison_lost, result)
    after = s._replace(
        besieger_lost=s.besieger_lost + own, garrison_lost=s.garrison_lost + enemy, storms=s.storms + 1, due=FALL
    )
    emptied = s.garrison_lost < p.storm.defender_steps and after.garrison_lost == p.storm.defender_steps
    if result & 3 == ATTACKER_AHEAD or (emptied and after.besieger_lost < p.storm.attacker_steps):
        return after._replace(ended=ATTACKER_WON)
    if p.reach[after.besieger_lost] < s.level:
        return after._replace(ended=DEFENDER_WON)
    return after


@helper
def end_season(p, s):
    """The next season, or step 5."""
    if s.season < p.seasons:
        return begin_season(p, s)
    return s._replace(ended=DEFENDER_WON if p.reach[s.besieger_lost] < s.level else NOBODY_WON)
