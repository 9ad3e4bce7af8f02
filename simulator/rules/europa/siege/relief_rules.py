"""A relief army as part of the chain of a siege (docs/rules/europa_land_siege.md section 5.7)."""

from __future__ import annotations

from simulator.engine.model.chain import helper
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.europa.siege.state import (
    ARRIVAL,
    ARRIVED,
    BATTLE,
    BEST_ANSWER,
    COME,
    ENDS,
    EVADE,
    EVASION,
    GOES_ON,
    LEADER_LOST,
    LIFT,
    LIFTED,
    NOT_COME,
    RELIEF_CHOICE,
    SEGMENT_BEGINS,
)


@helper
def lost(s):
    """1 once the besieger's leader is lost."""
    return 1 if s.relief == LEADER_LOST else 0


@helper
def awaited(p, s):
    """Before the siege segment of a round: does the relief army come?"""
    if s.relief == NOT_COME and p.relief_chance != NO_TABLE:
        return s._replace(stage=ARRIVAL)
    comes = s.relief == NOT_COME and s.rounds + 1 == p.relief_round
    return s._replace(stage=ARRIVED if comes else SEGMENT_BEGINS)


@helper
def arrived(p, s):
    """The besieger's answer; one who has stormed first meets it."""
    s = s._replace(relief=COME)
    return s._replace(stage=RELIEF_CHOICE) if p.relief == BEST_ANSWER else answered(s, p.relief)


@helper
def answered(s, answer):
    """Lift the siege without a battle, evade, or meet the relief army."""
    if answer == LIFT:
        return s._replace(stage=ENDS, how=LIFTED)
    return s._replace(stage=EVASION if answer == EVADE else BATTLE)


@helper
def relief_table(p, s):
    """The table of its arrival, of the besieger's evasion, or of the battle."""
    if s.stage == BATTLE:
        return p.relief_battle[s.camp, s.garrison]
    return p.relief_chance if s.stage == ARRIVAL else p.evasion


@helper
def relief_rolled(p, s, result):
    """After the roll for its arrival, for the besieger's evasion (which lifts the siege), or for the battle."""
    if s.stage == ARRIVAL:
        return s._replace(stage=ARRIVED if result else SEGMENT_BEGINS)
    if s.stage == EVASION:
        return s._replace(stage=ENDS, how=LIFTED) if result else s._replace(stage=BATTLE)
    ends = p.battles[result, 5]
    return s._replace(
        stage=ENDS if ends else SEGMENT_BEGINS,
        camp=p.battles[result, 0],
        garrison=p.battles[result, 1],
        parted=s.parted + p.battles[result, 2],
        relieving=p.battles[result, 3],
        relief=p.battles[result, 4],
        how=LIFTED if ends else GOES_ON,
        loose=p.battles[result, 6],
    )
