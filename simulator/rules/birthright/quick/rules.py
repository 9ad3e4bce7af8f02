"""The quick check, the quick battle, and a siege season by season (docs/rules/birthright.md sections 4 and 5).

The quick battle is a house rule, and so are the battles of a siege: each is a quick check.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import BEST, helper, rule
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.toolkit.retreat import Leave, leaves

# The side ahead: the low two bits of a result, above them the row of quick_result.
NEITHER, ATTACKER_AHEAD, DEFENDER_AHEAD = range(3)
# The end of a battle; the side ahead after a decisive check has the same number.
GOING_ON, ATTACKER_WON, DEFENDER_WON, NOBODY_WON = range(4)
# The next event of a season: the d20 for a relief army, its battle, a storm, the fall of the level, the best plan's
# choice. Its options are to wait, to storm, to withdraw.
ARRIVAL, RELIEF, STORM, FALL, CHOICE = range(5)
WAITS, STORMS, WITHDRAWS = range(3)
NOT_COME, IN_FIELD, DRIVEN_OFF = range(3)
PLANS = ("wait", "storm-now", "storm-at-level", "storm-last-season", "best")
WAIT, STORM_NOW, AT_LEVEL, LAST_SEASON, BEST_PLAN = range(len(PLANS))
# A quick battle: the side that is asked whether it leaves, and its options.
NOBODY_ASKED, ATTACKER_ASKED, DEFENDER_ASKED = range(3)
STAY, LEAVE = 0, 1


class Check(NamedTuple):
    """One army against another, by the steps that they have lost.

    `net[attacker, defender]` is the attacker's advantage without walls; `tables[net + zero]` the chance table of an
    advantage. By row of quick_result: `winner_loss`, `loser_loss` (percent), `rout`, `pursuit` (0 where nobody
    pursues). By steps lost: `attacker_cavalry`, `defender_cavalry`, the cavalry alive. `attacker_steps` and
    `defender_steps` are those at full strength.
    """

    net: np.ndarray
    tables: np.ndarray
    winner_loss: np.ndarray
    loser_loss: np.ndarray
    rout: np.ndarray
    pursuit: np.ndarray
    attacker_cavalry: np.ndarray
    defender_cavalry: np.ndarray
    attacker_steps: int
    defender_steps: int
    zero: int


@helper
def check_table(c, attacker_lost, defender_lost, walls):
    """The chance table of a check with so many steps lost."""
    return c.tables[c.net[attacker_lost, defender_lost] - walls + c.zero]


@helper
def check_losses(c, attacker_lost, defender_lost, result):
    """Steps that both sides lose in a check (steps 3 to 5); the attacker takes the winner's loss at margin 0."""
    row, ahead = result >> 2, result & 3
    own, enemy = c.winner_loss[row], c.loser_loss[row]
    if ahead == DEFENDER_AHEAD:
        own, enemy = enemy, own
    if c.rout[row] > 0:
        if ahead == ATTACKER_AHEAD and c.attacker_cavalry[attacker_lost] > 0:
            enemy = min(100, enemy + c.pursuit[row])
        if ahead == DEFENDER_AHEAD and c.defender_cavalry[defender_lost] > 0:
            own = min(100, own + c.pursuit[row])
    own_left, enemy_left = c.attacker_steps - attacker_lost, c.defender_steps - defender_lost
    return (own * own_left + 50) // 100, (enemy * enemy_left + 50) // 100


class QuickParams(NamedTuple):
    """Numbers before the first roll: strengths in half points by steps lost of both; `fight_on` is 0 for one check.

    `attacker_best`, `defender_best`: 1 if the side leaves as well as possible.
    """

    check: Check
    attacker_strength: np.ndarray
    defender_strength: np.ndarray
    attacker_leaves: Leave
    defender_leaves: Leave
    attacker_best: int
    defender_best: int
    walls: int
    fight_on: int
    max_turns: int


class QuickState(NamedTuple):
    """Steps lost, checks made, the end of the battle, and whether the last check routed the side behind.

    Where a side is `asked` whether it leaves: which one, and the side `ahead` in the last check.
    """

    attacker_lost: int
    defender_lost: int
    turns: int
    ended: int
    rout: int
    asked: int
    ahead: int


@rule(QuickParams)
def table(p, s):
    """One check."""
    return check_table(p.check, s.attacker_lost, s.defender_lost, p.walls)


@rule(QuickParams)
def step(p, s, result):
    """The losses of a check, and whether it ends the battle."""
    if s.asked != NOBODY_ASKED:
        return answered(p, s, result)
    own, enemy = check_losses(p.check, s.attacker_lost, s.defender_lost, result)
    ahead = result & 3
    after = s._replace(
        attacker_lost=s.attacker_lost + own,
        defender_lost=s.defender_lost + enemy,
        turns=s.turns + 1,
        rout=p.check.rout[result >> 2] if ahead != NEITHER else 0,
    )
    ended = verdict(p, after, ahead)
    if ended == GOING_ON and p.attacker_best + p.defender_best > 0:
        return after._replace(asked=asked_first(ahead), ahead=ahead)
    return after._replace(ended=after_retreats(p, after, ahead) if ended == GOING_ON else ended)


@helper
def verdict(p, s, ahead):
    """The end of the battle by this check, or GOING_ON."""
    if p.fight_on == 0:
        return NOBODY_WON if ahead == NEITHER else ahead
    if s.rout > 0:
        return ahead
    own, enemy = p.check.attacker_steps - s.attacker_lost, p.check.defender_steps - s.defender_lost
    if own == 0 or enemy == 0:
        return NOBODY_WON if own == enemy else ATTACKER_WON if own > 0 else DEFENDER_WON
    return GOING_ON


@helper
def after_retreats(p, s, ahead):
    """The end of the battle after the retreat policies, the side behind first, or GOING_ON."""
    own_leaves, enemy_leaves = leave_by_policy(p, s)
    if enemy_leaves and (ahead == ATTACKER_AHEAD or not own_leaves):
        return ATTACKER_WON
    if own_leaves:
        return DEFENDER_WON
    return NOBODY_WON if s.turns >= p.max_turns else GOING_ON


@helper
def leave_by_policy(p, s):
    """Do the attacker and the defender leave by their fixed policies?"""
    own = p.attacker_strength[s.attacker_lost, s.defender_lost]
    enemy = p.defender_strength[s.attacker_lost, s.defender_lost]
    # "at most" half: one more of the enemy's strength makes it "less than".
    return (
        leaves(p.attacker_leaves, p.check.attacker_steps - s.attacker_lost, s.turns, own, enemy + 1),
        leaves(p.defender_leaves, p.check.defender_steps - s.defender_lost, s.turns, enemy, own + 1),
    )


@helper
def asked_first(ahead):
    """The side that is asked first whether it leaves: the side behind, the attacker after a tie."""
    return DEFENDER_ASKED if ahead == ATTACKER_AHEAD else ATTACKER_ASKED


@rule(QuickParams)
def decides(p, s):
    """The side that is asked: 1 the attacker, 2 the defender, 0 nobody."""
    return s.asked


@rule(QuickParams)
def options(p, s):
    """Stay or leave."""
    return 2


@rule(QuickParams)
def choose(p, s):
    """The option of a fixed policy, or BEST."""
    own_leaves, enemy_leaves = leave_by_policy(p, s)
    if s.asked == ATTACKER_ASKED:
        return BEST if p.attacker_best else LEAVE if own_leaves else STAY
    return BEST if p.defender_best else LEAVE if enemy_leaves else STAY


@helper
def answered(p, s, option):
    """A side leaves; or the other side is asked, then the next check follows, if there is one."""
    if option == LEAVE:
        return s._replace(ended=DEFENDER_WON if s.asked == ATTACKER_ASKED else ATTACKER_WON, asked=0, ahead=0)
    if s.asked == asked_first(s.ahead):
        return s._replace(asked=ATTACKER_ASKED if s.asked == DEFENDER_ASKED else DEFENDER_ASKED)
    return s._replace(ended=NOBODY_WON if s.turns >= p.max_turns else GOING_ON, asked=0, ahead=0)


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


@rule(QuickParams)
@rule(SiegeParams)
def running(p, s):
    """Until the battle, or the siege, is decided."""
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
def decides(p, s):
    """The besieger chooses in step 3 of a season."""
    return 1 if s.due == CHOICE else 0


@rule(SiegeParams)
def options(p, s):
    """Wait, storm, or withdraw."""
    return 3


@rule(SiegeParams)
def choose(p, s):
    """No fixed plan comes here."""
    return BEST


@rule(SiegeParams)
def step(p, s, result):
    """Steps 2 to 5 of a season, one at a time."""
    if s.due == CHOICE:
        return s._replace(ended=DEFENDER_WON) if result == WITHDRAWS else s._replace(due=STORM if result else FALL)
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
    if p.plan == BEST_PLAN:
        return s._replace(due=CHOICE)
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
