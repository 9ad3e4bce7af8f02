"""A relief army as part of the chain of a siege (docs/rules/europa_land_siege.md section 5.7)."""

from __future__ import annotations

from simulator.engine.model.chain import helper
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.battle import ATTACKER, NOBODY
from simulator.rules.europa.shared.stacks import LD
from simulator.rules.europa.siege.state import (
    ARRIVAL,
    ARRIVED,
    BATTLE,
    BEST_ANSWER,
    COME,
    ENDS,
    EVADE,
    EVASION,
    FOUGHT,
    GOES_ON,
    LEADER_LOST,
    LIFT,
    LIFTED,
    NOT_COME,
    RELIEF_CHOICE,
    RELIEVED,
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
        return p.relief_battle[s.camp, s.garrison * p.sortie]
    return p.relief_chance if s.stage == ARRIVAL else p.evasion


@helper
def relief_rolled(p, s, result):
    """After the roll for its arrival, for the besieger's evasion (which lifts the siege), or for the battle."""
    if s.stage == ARRIVAL:
        return s._replace(stage=ARRIVED if result else SEGMENT_BEGINS)
    if s.stage == EVASION:
        return s._replace(stage=ENDS, how=LIFTED) if result else s._replace(stage=BATTLE)
    return fought(p, s, p.battles[result, 0], p.battles[result, 1], p.battles[result, 2], p.battles[result, 3])


@helper
def fought(p, s, camp, lost, winner, leader_lost):
    """Losses fall on the relief army first; who wins decides on the siege. After a draw its troops may enter."""
    left, inside, entered = max(0, p.relief_size - lost), s.garrison - max(0, lost - p.relief_size), 0
    if winner == NOBODY and camp > 0:
        entered = max(0, min(left // LD, (p.room - inside) // LD))
    ends = winner == ATTACKER or camp == 0
    return s._replace(
        stage=ENDS if ends else SEGMENT_BEGINS,
        camp=camp,
        garrison=inside + LD * entered,
        parted=s.parted + p.relief_size - left + LD * entered,
        relieving=FOUGHT | RELIEVED if winner == ATTACKER else FOUGHT,
        relief=LEADER_LOST if leader_lost else COME,
        how=LIFTED if ends else GOES_ON,
        loose=1 if entered > 0 and not p.armies[inside] else 0,
    )
