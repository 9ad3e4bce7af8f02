"""The quick check and the quick battle, both house rules (docs/rules/birthright.md section 4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import helper, rule
from simulator.rules.toolkit.retreat import Leave, leaves

# The side ahead: the low two bits of a result, above them the row of quick_result.
NEITHER, ATTACKER_AHEAD, DEFENDER_AHEAD = range(3)
# The end of a battle; the side ahead after a decisive check has the same number.
GOING_ON, ATTACKER_WON, DEFENDER_WON, NOBODY_WON = range(4)


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
    """Numbers before the first roll: strengths in half points by steps lost of both; `fight_on` is 0 for one check."""

    check: Check
    attacker_strength: np.ndarray
    defender_strength: np.ndarray
    attacker_leaves: Leave
    defender_leaves: Leave
    walls: int
    fight_on: int
    max_turns: int


class QuickState(NamedTuple):
    """Steps lost, checks made, the end of the battle, and whether the last check routed the side behind."""

    attacker_lost: int
    defender_lost: int
    turns: int
    ended: int
    rout: int


@rule(QuickParams)
def running(p, s):
    """Until the battle is decided."""
    return s.ended == GOING_ON


@rule(QuickParams)
def table(p, s):
    """One check."""
    return check_table(p.check, s.attacker_lost, s.defender_lost, p.walls)


@rule(QuickParams)
def step(p, s, result):
    """The losses of a check, and whether it ends the battle."""
    own, enemy = check_losses(p.check, s.attacker_lost, s.defender_lost, result)
    ahead = result & 3
    after = s._replace(
        attacker_lost=s.attacker_lost + own,
        defender_lost=s.defender_lost + enemy,
        turns=s.turns + 1,
        rout=p.check.rout[result >> 2] if ahead != NEITHER else 0,
    )
    return after._replace(ended=verdict(p, after, ahead))


@helper
def verdict(p, s, ahead):
    """The end of the battle after this check, or GOING_ON."""
    if p.fight_on == 0:
        return NOBODY_WON if ahead == NEITHER else ahead
    if s.rout > 0:
        return ahead
    own, enemy = p.check.attacker_steps - s.attacker_lost, p.check.defender_steps - s.defender_lost
    if own == 0 or enemy == 0:
        return NOBODY_WON if own == enemy else ATTACKER_WON if own > 0 else DEFENDER_WON
    strength = p.attacker_strength[s.attacker_lost, s.defender_lost]
    against = p.defender_strength[s.attacker_lost, s.defender_lost]
    # "at most" half: one more of the enemy's strength makes it "less than".
    own_leaves = leaves(p.attacker_leaves, own, s.turns, strength, against + 1)
    enemy_leaves = leaves(p.defender_leaves, enemy, s.turns, against, strength + 1)
    if enemy_leaves and (ahead == ATTACKER_AHEAD or not own_leaves):
        return ATTACKER_WON
    if own_leaves:
        return DEFENDER_WON
    return NOBODY_WON if s.turns >= p.max_turns else GOING_ON
