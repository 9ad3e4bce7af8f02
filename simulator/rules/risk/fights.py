"""One fight: rounds of dice between two groups in one place (docs/rules/risk.md section 4).

Naval fights, blockade runs and attacks on a single territory are one fight each; its loop is the leanest.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.chain import Chain, helper, rule
from simulator.engine.chance import CERTAIN, Tables, tables
from simulator.rules.risk.dice import MOST_DICE, Hand
from simulator.rules.risk.places import all_places, path, tables_of
from simulator.rules.risk.stopping import Stop, stop_rule, stops

MOST_ROUNDS = 2**20 - 1
SLACK = 1e-12


class FightParams(NamedTuple):
    """A fight to the end. `counting` is 0 when rounds need not be told apart."""

    counting: int


class StoppingParams(NamedTuple):
    """A fight that the attacker may call off; `hopeless` marks own * `stride` + enemy with too small a chance."""

    stop: Stop
    hopeless: np.ndarray
    stride: int


class FightState(NamedTuple):
    """Units of the attacking and of the defending group, rounds fought."""

    own: int
    enemy: int
    rounds: int


@helper
def hands(attackers, defenders):
    """Which of a place's 16 tables applies."""
    return (min(attackers, MOST_DICE) - 1) * MOST_DICE + min(defenders, MOST_DICE) - 1


@helper
def fight_on(s):
    """Both groups are there (section 4, step 1)."""
    return (s.own > 0) & (s.enemy > 0)


@helper
def fight_step(s, result, counted):
    """Losses come off together (section 3, step 8)."""
    return FightState(s.own - (result >> 3), s.enemy - (result & 7), s.rounds + counted)


@rule(FightParams)
def running(p, s):
    """To the end."""
    return fight_on(s)


@rule(FightParams)
def table(p, s):
    """Round table of the hands."""
    return 1 + hands(s.own, s.enemy)


@rule(FightParams)
def step(p, s, result):
    """One round."""
    return fight_step(s, result, p.counting)


@rule(StoppingParams)
def running(p, s):
    """Until the attacker stops (section 4, step 2)."""
    if p.stop.by_odds > 0 and p.hopeless[s.own * p.stride + s.enemy] > 0:
        return False
    return fight_on(s) & (not stops(p.stop, s.own, s.enemy, s.rounds))


@rule(StoppingParams)
def table(p, s):
    """Round table of the hands."""
    return 1 + hands(s.own, s.enemy)


@rule(StoppingParams)
def step(p, s, result):
    """One round."""
    return fight_step(s, result, 1)


def units(fields: Any) -> tuple[int, int]:
    """Attackers and defenders of a battle that is one fight."""
    if fields.battle in {"naval", "blockade-run"}:
        return fields.attacker.fleets, fields.defender.fleets
    return fields.attacker.regiments, path(fields)[0]


def fight_tables(fields: Any) -> Tables:
    """Tables of all places, 16 each, in order; table 0 is certain."""
    return _tables_of_all(tuple(pair for _, pair in all_places(fields)), fields.options.ties)


@lru_cache(maxsize=1024)
def _tables_of_all(places: tuple[tuple[Hand, Hand], ...], ties: str) -> Tables:
    """Kept, since the cells of a sweep mostly roll the same dice."""
    rows = [CERTAIN]
    for pair in places:
        rows += tables_of(pair, ties)
    return tables(rows)


def fight_chain(fields: Any) -> Chain:
    """The chain of a battle that is one fight."""
    own, enemy = units(fields)
    rounds = MOST_ROUNDS if fields.options.ties == "nobody" else own + enemy
    start, limits, rolls = FightState(own, enemy, 0), FightState(own, enemy, rounds), fight_tables(fields)
    stop = stop_rule(fields.policy.attacker)
    if stop == Stop():
        return Chain(FightParams(1), start, limits, rolls)
    hopeless = np.zeros(1, np.int64)
    if stop.by_odds:
        from simulator.engine.backward import state_values

        states, chance = state_values(
            Chain(FightParams(0), start, limits, rolls), lambda ends: (ends.enemy == 0) & (ends.own > 0)
        )
        hopeless = np.zeros((own + 1) * (enemy + 1), np.int64)
        hopeless[states.own * (enemy + 1) + states.enemy] = chance < fields.policy.attacker.min_odds - SLACK
    mapped = fields.options.ties != "nobody"
    return Chain(StoppingParams(stop, hopeless, enemy + 1), start, limits, rolls, mapped=mapped)
