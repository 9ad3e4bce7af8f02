"""The end of a naval battle as a chain of states (docs/rules/europa_naval_and_other.md section 3, steps 1 and 8 to 14).

The whole fighting, pursuit included, is one draw: its ends are spelled out by fight.py. Retreat attrition and
leader tests follow. A side's *record* is what it has left and lost.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chain import Chain, LastRoll, helper, rule
from simulator.engine.model.chance import NO_TABLE, Tables
from simulator.rules.europa.shared import leaders

EVADE, BLOCK, FIGHT, STORM_A, STORM_D, LEADERS, OVER = range(7)
STORMS = {STORM_A, STORM_D}
# A leader test's result: attacker's fate + FATES * defender's.
FATES = 3


class EndParams(NamedTuple):
    """Numbers of one battle. Arrays of two hold attacker, defender; tables are indices of chance tables.

    A *row* is all of an end but the records: winner, rolls fought, wind, stars and so on.
    """

    evade: int
    evaded: np.ndarray  # row and records of a battle that was evaded
    blocks: int  # table of the blocks that ends are kept in
    fights: np.ndarray  # [block]: table
    begin: np.ndarray  # [block]: where its ends begin
    row: np.ndarray  # [end]
    record: np.ndarray  # [side, end]
    winner: np.ndarray  # [row]
    frail: np.ndarray  # [row]: attacker's leader fragile + 2 * defender's
    storm: np.ndarray  # does this side roll retreat attrition unless it wins?
    storm_rolls: np.ndarray  # [side, record, row]: table of records
    gone: np.ndarray  # [side, record]: no ship left
    tests: np.ndarray  # [frail, attacker's end, defender's]: table
    stops: int  # the stage from which on nothing is rolled: OVER, or an earlier one for exact odds


class EndState(NamedTuple):
    """`row` of the end and `record` of both sides; before the fighting `row` is the block."""

    stage: int
    row: int
    record_a: int
    record_d: int
    fates: int


@rule(EndParams)
def running(p, s):
    """Has the battle still to be settled?"""
    return s.stage < p.stops


@rule(EndParams)
def table(p, s):
    """The chance table of the next roll."""
    if s.stage == FIGHT:
        return p.fights[s.row]
    if s.stage == STORM_A:
        return p.storm_rolls[0, s.record_a, s.row]
    if s.stage == STORM_D:
        return p.storm_rolls[1, s.record_d, s.row]
    if s.stage == LEADERS:
        return test_table(p, s)
    return p.evade if s.stage == EVADE else p.blocks


@rule(EndParams)
def step(p, s, result):
    """The state after one roll."""
    if s.stage == FIGHT:
        end = p.begin[s.row] + result
        fought = s._replace(row=p.row[end], record_a=p.record[0, end], record_d=p.record[1, end])
        return onward(p, fought, STORM_A)
    if s.stage == STORM_A:
        return onward(p, s._replace(record_a=result), STORM_D)
    if s.stage == STORM_D:
        return onward(p, s._replace(record_d=result), LEADERS)
    if s.stage == LEADERS:
        return s._replace(stage=OVER, fates=result)
    if s.stage == BLOCK:
        return s._replace(stage=FIGHT, row=result)
    if result == 1:
        return s._replace(stage=OVER, row=p.evaded[0], record_a=p.evaded[1], record_d=p.evaded[2])
    return before_fight(p, s)


@helper
def before_fight(p, s):
    """To the draw of a block of ends, if there are several."""
    return s._replace(stage=BLOCK if p.blocks != NO_TABLE else FIGHT)


@helper
def onward(p, s, stage):
    """To the first stage from this one on in which something happens; of many states at once, too."""
    winner = p.winner[s.row]
    first = storm_due(p, winner, 0, s.record_a) & (stage <= STORM_A)
    second = storm_due(p, winner, 1, s.record_d) & (stage <= STORM_D)
    return s._replace(stage=LEADERS - (LEADERS - STORM_A) * first - (LEADERS - STORM_D) * (second > first))


@helper
def storm_due(p, winner, side, record):
    """Does a side roll retreat attrition? (step 12)"""
    return (p.storm[side] == 1) & (winner != side) & (p.gone[side, record] == 0)


@helper
def test_table(p, s):
    """The table of both leader tests."""
    return leader_table(p, p.winner[s.row], p.frail[s.row], s.record_a, s.record_d)


@helper
def leader_table(p, winner, frail, record_a, record_d):
    """The table of both leader tests (step 14)."""
    return p.tests[frail, end_of(p, winner, 0, record_a), end_of(p, winner, 1, record_d)]


@helper
def end_of(p, winner, side, record):
    """The end of the battle for a side in the leader test: 1 if it won, + 2 with no ship left."""
    return (winner == side) + 2 * p.gone[side, record]


def fates_at_sea(code):
    """The result of a leader test from that of `both_fates`: a wound is one, however long it lasts."""
    return min(code % leaders.FATES, leaders.WOUNDED) + FATES * min(code // leaders.FATES, leaders.WOUNDED)


# --- all states at once ----------------------------------------------------------------------------------------------


def chain_of(p: EndParams, limits: EndState, tables: Tables, tell: Any) -> Chain:
    """The chain of a battle; exact odds make its rolls, but the first ones, for all states at once."""
    begun = EndState(EVADE, 0, 0, 0, 0)
    start = begun if p.evade != NO_TABLE else before_fight(p, begun)
    last = None
    for stage in (FIGHT, STORM_A, STORM_D, LEADERS):
        if stage in {FIGHT, LEADERS} or p.storm[stage - STORM_A]:
            before = Chain(p._replace(stops=stage), start, limits, tables, last=last, may_be_over=True)
            # Ships that sink in a storm may leave the same record as others.
            last = LastRoll(before, partial(tables_at, stage, p), partial(after_roll, stage, p), stage in STORMS)
    return Chain(p, start, limits, tables, tell=tell, last=last, may_be_over=True)


def tables_at(stage: int, p: EndParams, states: Any) -> np.ndarray:
    """The chance tables of states at this stage, -1 for others: int64, shape (states,)."""
    found, due = np.full(len(states.stage), -1), states.stage == stage
    found[due] = table(p, _at(stage, states, due))
    return found


def after_roll(stage: int, p: EndParams, states: Any, results: np.ndarray) -> Any:
    """The states after the rolls of those at this stage."""
    due = states.stage == stage
    after = step(p, _at(stage, states, due), results[due])
    found = type(states)(*(values.copy() for values in states))
    for values, new in zip(found, after, strict=True):
        values[due] = new
    return found


def _at(stage: int, states: Any, due: np.ndarray) -> Any:
    """The states that are due, with their stage as a plain number, on which rules branch."""
    return type(states)(*(values[due] for values in states))._replace(stage=stage)
