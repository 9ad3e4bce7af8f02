"""Numbers of an invasion before the first roll (docs/rules/risk.md section 5.5)."""

from __future__ import annotations

import numpy as np

from simulator.engine.chain import Chain
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, States
from simulator.rules.risk import rules, tables
from simulator.rules.risk.invasion_rules import Params, State
from simulator.rules.risk.model import Invasion
from simulator.rules.toolkit.chances import unlikely
from simulator.rules.toolkit.retreat import reads_rounds


def troops_aboard(fields: Invasion) -> list[int]:
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


def params(fields: Invasion, fights: list[tables.Place], index: np.ndarray) -> Params:
    """Parameters, nothing being hopeless yet. Fights are the crossings, the territories and the port in turn."""
    ways = tables.crossings(fields)
    ashore = slice(len(ways), len(ways) + len(tables.path(fields)))
    none = np.zeros((1, *index.shape[1:]), np.int64)
    return Params(
        crossings=len(ways),
        enemies=np.array([*(way.fleets for way in ways), 0, fields.defender.port_fleets], np.int64),
        defends=np.array([*(int(way.convoy == "defends") for way in ways), 0, 1], np.int64),
        tables=np.concatenate([index[: ashore.start], none, index[ashore.stop :], none]),
        most_rounds=0,
        aboard=np.array(troops_aboard(fields), np.int64),
        land=tables.params(fields, fights[ashore], index[ashore]),
        policy=tables.policy(fields, "sea_"),
    )


def start(fields: Invasion, p: Params) -> State:
    """At the first crossing with a fight, or on the shore when there is none."""
    nothing = State(*[0] * len(State._fields))._replace(convoy=fields.attacker.fleets)
    if p.crossings:
        return nothing._replace(enemy=int(p.enemies[0]))
    troops = fields.attacker.regiments
    return nothing._replace(attackers=troops, defenders=int(p.land.defenders[0]), at_shore=troops)


def limits(fields: Invasion, p: Params, land: rules.State) -> State:
    """The largest value of each field."""
    return State(
        stage=p.crossings + 1,
        convoy=fields.attacker.fleets,
        enemy=int(p.enemies.max()),
        attackers=land.attackers,
        captured=land.captured,
        defenders=land.defenders,
        at_shore=land.attackers,
        decided=land.decided,
        sea_rounds=p.most_rounds,
        land_rounds=land.rounds,
    )


def chain(fields: Invasion) -> Chain:
    """The chain of a whole invasion."""
    fights, found = tables.places(fields), tables.round_tables(fields)
    p = params(fields, fights, found.places)
    ashore = slice(p.crossings, p.crossings + len(p.land.defenders) - 1)
    fleets, calm = fields.attacker.fleets + int(p.enemies.sum()), np.delete(found.calm, ashore).max(initial=0.0)
    p = p._replace(most_rounds=tables.most_rounds(fleets, calm))
    land = tables.limits(fights[ashore], found.calm[ashore].max())
    begin, largest = start(fields, p), limits(fields, p, land)
    p = p._replace(
        land=p.land._replace(policy=tables.within(p.land.policy, land.rounds)),
        policy=tables.within(p.policy, p.most_rounds),
    )
    if p.policy.by_odds or p.land.policy.by_odds:
        p = _with_odds(p, Chain(_plain(p), begin, largest, found.tables, counters=("land_rounds",)), fields)
    read = {"land_rounds": p.land.policy.leave, "sea_rounds": p.policy.leave}
    counters = tuple(name for name, leave in read.items() if not reads_rounds(leave))
    return Chain(p, begin, largest, found.tables, counters=counters)


def _plain(p: Params) -> Params:
    """The same invasion fought to the end, rounds at sea not counted; the port cannot change the winner and is left
    out.
    """
    enemies = p.enemies.copy()
    enemies[-1] = 0
    return tables.to_the_end(p)._replace(enemies=enemies, most_rounds=0, land=tables.to_the_end(p.land))


def _with_odds(p: Params, plain: Chain, fields: Invasion) -> Params:
    """Marks where the chance to win the whole invasion from here is too small (section 6).

    States at sea are marked for the land's policy at a place without force, which nobody asks for, and so are states
    ashore for the convoy's.
    """
    given, largest = fields.policy.attacker, plain.limits

    def won(s: States) -> np.ndarray:
        return np.asarray(winner(p, s) == ATTACKER)

    if p.land.policy.by_odds:
        p = p._replace(land=tables.with_odds(p.land, plain, won, given.min_odds or 0.0, largest))
    if p.policy.by_odds:
        shape = largest.stage + 1, largest.convoy + 1, largest.enemy + 1
        marks = unlikely(plain, won, given.sea_min_odds or 0.0, lambda s: (s.stage, s.convoy, s.enemy), shape)
        p = p._replace(policy=p.policy._replace(hopeless=marks))
    return p


def land_states(s: States) -> rules.State:
    """The land part of many states."""
    return rules.State(s.attackers, s.captured, s.defenders, s.decided, s.land_rounds, 0, 0, 0)


def winner(p: Params, s: States) -> np.ndarray:
    """Winner of final states (section 5.5, step 4 and section 5.1)."""
    at_sea = np.where(p.aboard[s.convoy] == 0, DEFENDER, NOBODY)
    return np.where(s.stage < p.crossings, at_sea, tables.winner(p.land, land_states(s)))
