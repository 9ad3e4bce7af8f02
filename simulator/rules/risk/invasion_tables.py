"""Numbers of an invasion before the first roll (docs/rules/risk.md section 5.5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.engine.chain import Chain
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY
from simulator.rules.risk import rules, tables
from simulator.rules.risk.invasion_rules import Params, State
from simulator.rules.toolkit.chances import unlikely
from simulator.rules.toolkit.retreat import reads_rounds

# Bits that the engine keeps for all counters of a chain, one spare bit each.
COUNTER_BITS = 32


def troops_aboard(fields: Any) -> list[int]:
    """Troops that a convoy of 0, 1, ... fleets still carries (steps 1 and 3)."""
    own, options = fields.attacker, fields.options
    troops, transports = own.regiments, tables.transports_of(fields)
    escorts = own.fleets - transports
    aboard = [0] * own.fleets + [troops]
    for fleets in range(own.fleets - 1, 0, -1):
        if escorts and (fields.policy.attacker.losses == "escorts-first" or not transports):
            escorts -= 1
        else:
            troops -= troops // transports if options.troop_loss == "with-each-fleet" else 0
            transports -= 1
        aboard[fleets] = troops
    return aboard


def params(fields: Any, fights: list[tables.Place], index: np.ndarray) -> Params:
    """Parameters, nothing being hopeless yet. Fights are the crossings, the territories and the port in turn."""
    ways = tables.crossings(fields)
    ashore = slice(len(ways), len(ways) + len(tables.path(fields)))
    none = np.zeros((1, *index.shape[1:]), np.int64)
    return Params(
        crossings=len(ways),
        enemies=np.array([*(way.fleets for way in ways), 0, fields.defender.port_fleets], np.int64),
        defends=np.array([*(int(way.convoy == "defends") for way in ways), 0, 1], np.int64),
        tables=np.concatenate([index[: ashore.start], none, index[ashore.stop :], none]),
        aboard=np.array(troops_aboard(fields), np.int64),
        land=tables.params(fields, fights[ashore], index[ashore]),
        policy=tables.policy(fields, "sea_"),
    )


def start(fields: Any, p: Params) -> State:
    """At the first crossing with a fight, or on the shore when there is none."""
    at_sea = State(0, fields.attacker.fleets, int(p.enemies[0]), 0, 0, 0, 0, 0, 0)
    if p.crossings:
        return at_sea
    troops = fields.attacker.regiments
    return at_sea._replace(enemy=0, attackers=troops, defenders=int(p.land.defenders[0]), at_shore=troops)


def limits(fields: Any, p: Params, fights: list[tables.Place], calm: np.ndarray) -> State:
    """The largest value of each field."""
    ashore = slice(p.crossings, p.crossings + len(p.land.defenders) - 1)
    land = tables.limits(fights[ashore], calm[ashore].max())
    fleets = fields.attacker.fleets + int(p.enemies.sum())
    return State(
        stage=p.crossings + 1,
        convoy=fields.attacker.fleets,
        enemy=int(p.enemies.max()),
        attackers=land.attackers,
        captured=land.captured,
        defenders=land.defenders,
        at_shore=land.attackers,
        sea_rounds=tables.most_rounds(fleets, np.delete(calm, ashore).max(initial=0.0)),
        land_rounds=land.rounds,
    )


def chain(fields: Any) -> Chain:
    """The chain of a whole invasion."""
    fights, found = tables.places(fields), tables.round_tables(fields)
    p = params(fields, fights, found.index)
    begin, largest = start(fields, p), limits(fields, p, fights, found.calm)
    if p.policy.by_odds or p.land.policy.by_odds:
        p = _with_odds(p, Chain(_plain(p), begin, largest, found.tables, counters=_counters(largest)), fields)
    read = {"sea_rounds": reads_rounds(p.policy.leave), "land_rounds": reads_rounds(p.land.policy.leave)}
    counters = tuple(name for name in _counters(largest) if not read[name])
    return Chain(p, begin, largest, found.tables, mapped=fields.options.ties != "nobody", counters=counters)


def _counters(largest: State) -> tuple[str, ...]:
    """Both numbers of rounds, unless they are too large together to be counted apart."""
    bits = largest.sea_rounds.bit_length() + largest.land_rounds.bit_length() + 2
    return ("sea_rounds", "land_rounds") if bits <= COUNTER_BITS else ("land_rounds",)


def _plain(p: Params) -> Params:
    """The same invasion fought to the end; the port cannot change the winner and is left out."""
    enemies = p.enemies.copy()
    enemies[-1] = 0
    return tables.to_the_end(p)._replace(enemies=enemies, land=tables.to_the_end(p.land))


def _with_odds(p: Params, plain: Chain, fields: Any) -> Params:
    """Marks where the chance to win the whole invasion from here is too small (section 6).

    States at sea are marked for the land's policy at a place without force, which nobody asks for, and so are states
    ashore for the convoy's.
    """
    given, largest = fields.policy.attacker, plain.limits

    def won(s: Any) -> np.ndarray:
        return winner(p, s) == ATTACKER

    if p.land.policy.by_odds:
        p = p._replace(land=tables.with_odds(p.land, plain, won, given.min_odds, largest))
    if p.policy.by_odds:
        shape = largest.stage + 1, largest.convoy + 1, largest.enemy + 1
        marks = unlikely(plain, won, given.sea_min_odds, lambda s: (s.stage, s.convoy, s.enemy), shape)
        p = p._replace(policy=p.policy._replace(hopeless=marks))
    return p


def land_states(s: Any) -> rules.State:
    """The land part of many states."""
    return rules.State(s.attackers, s.captured, s.defenders, s.land_rounds)


def winner(p: Params, s: Any) -> np.ndarray:
    """Winner of final states (section 5.5, step 4 and section 5.1)."""
    at_sea = np.where(p.aboard[s.convoy] == 0, DEFENDER, NOBODY)
    return np.where(s.stage < p.crossings, at_sea, tables.winner(p.land, land_states(s)))
