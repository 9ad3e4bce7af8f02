"""The invasion: crossings, landing, the path, and the break-out of the port (docs/rules/risk.md section 5.5)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simulator.engine.chain import Chain, helper, rule
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Columns
from simulator.rules.risk.fights import MOST_ROUNDS, SLACK, fight_tables, hands
from simulator.rules.risk.path import (
    PathParams,
    PathState,
    defenders_left,
    hopeless_places,
    occupiers,
    path_limits,
    path_params,
    path_running,
    path_step,
    path_table,
    path_winner,
)
from simulator.rules.risk.places import crossings
from simulator.rules.risk.stopping import Stop, stop_rule, stops


class InvasionParams(NamedTuple):
    """Crossings 0 to `crossings - 1`, then the land part, then the port.

    `enemies` and `defends` (1: the convoy defends) go by stage; `aboard` are the troops that a convoy of so many
    fleets carries; `hopeless` marks (stage, convoy, enemy) with too small a chance, flattened with width `width`.
    """

    crossings: int
    enemies: np.ndarray
    defends: np.ndarray
    aboard: np.ndarray
    land: PathParams
    stop: Stop
    hopeless: np.ndarray
    width: int
    counting: int


class InvasionState(NamedTuple):
    """Where the invasion stands; `sunk` are enemy fleets lost in all, `at_shore` the regiments that landed."""

    stage: int
    convoy: int
    enemy: int
    sunk: int
    attackers: int
    captured: int
    defenders: int
    at_shore: int
    sea_rounds: int
    land_rounds: int


@helper
def land_part(s):
    """The land fight within the invasion."""
    return PathState(s.attackers, s.captured, s.defenders, s.land_rounds)


@helper
def calls_off(p, s):
    """Does the convoy's sea policy say stop? Only where it attacks (section 5.5, step 2)."""
    if p.defends[s.stage] > 0:
        return False
    if p.stop.by_odds > 0 and p.hopeless[(s.stage * p.width + s.convoy) * p.width + s.enemy] > 0:
        return True
    return stops(p.stop, s.convoy, s.enemy, s.sea_rounds)


@rule(InvasionParams)
def running(p, s):
    """A fight goes on at sea, on land, or out of the port."""
    if s.stage == p.crossings:
        return path_running(p.land, land_part(s))
    return s.convoy > 0 and s.enemy > 0 and not calls_off(p, s)


@rule(InvasionParams)
def table(p, s):
    """Round table of the place; places follow each other as crossings, territories, port."""
    if s.stage == p.crossings:
        return 16 * p.crossings + path_table(p.land, land_part(s))
    place = s.stage if s.stage < p.crossings else p.crossings + p.land.defenders.shape[0] - 1
    pair = hands(s.enemy, s.convoy) if p.defends[s.stage] > 0 else hands(s.convoy, s.enemy)
    return 1 + 16 * place + pair


@helper
def landed(p, s):
    """All regiments aboard reach the shore and face the first territory (step 5)."""
    troops = p.aboard[s.convoy]
    return InvasionState(p.crossings, s.convoy, 0, s.sunk, troops, 0, p.land.defenders[0], troops, s.sea_rounds, 0)


@helper
def after_sea_round(p, s, result):
    """Losses of a sea round; a won crossing leads on while there are troops aboard (steps 2 to 4)."""
    own, enemy = result >> 3, result & 7
    if p.defends[s.stage] > 0:
        own, enemy = enemy, own
    convoy, left = s.convoy - own, s.enemy - enemy
    stage = s.stage
    if left == 0 and stage < p.crossings and p.aboard[convoy] > 0:
        stage += 1
        left = p.enemies[stage]
    after = InvasionState(
        stage,
        convoy,
        left,
        s.sunk + enemy,
        s.attackers,
        s.captured,
        s.defenders,
        s.at_shore,
        s.sea_rounds + p.counting,
        s.land_rounds,
    )
    return landed(p, after) if stage == p.crossings else after


@helper
def after_land_round(p, s, result):
    """A round on land; when it is over and anything was captured, the fleets in port put to sea (step 6)."""
    land = path_step(p.land, land_part(s), result)
    port = p.enemies[p.crossings + 1]
    out = land.captured > 0 and port > 0 and not path_running(p.land, land)
    return InvasionState(
        s.stage + 1 if out else s.stage,
        s.convoy,
        port if out else 0,
        s.sunk,
        land.attackers,
        land.captured,
        land.defenders,
        s.at_shore,
        s.sea_rounds,
        land.rounds,
    )


@rule(InvasionParams)
def step(p, s, result):
    """One round of dice, at sea or on land."""
    return after_land_round(p, s, result) if s.stage == p.crossings else after_sea_round(p, s, result)


def troops_aboard(fields: Any) -> list[int]:
    """Troops that a convoy of 0, 1, ... fleets still carries (section 5.5, steps 1 and 3)."""
    own, options = fields.attacker, fields.options
    transports = own.fleets if own.transports is None else own.transports
    escorts = own.fleets - transports
    first = "escorts" if fields.policy.attacker.losses == "escorts-first" else "transports"
    aboard = [0] * (own.fleets + 1)
    troops = own.regiments
    aboard[own.fleets] = troops
    for fleets in range(own.fleets - 1, 0, -1):
        lost_escort = escorts > 0 if first == "escorts" else transports == 0
        if lost_escort:
            escorts -= 1
        else:
            if options.troop_loss == "with-each-fleet":
                troops -= troops // transports
            transports -= 1
        aboard[fleets] = troops if options.troop_loss == "all-or-nothing" or transports else 0
    return aboard


def invasion_params(fields: Any, stop: Stop, land_stop: Stop) -> InvasionParams:
    """Parameters without tables of hopeless places."""
    fights = crossings(fields)
    roles = [int(crossing.convoy == "defends") for crossing in fights]
    enemies = [crossing.fleets for crossing in fights]
    return InvasionParams(
        crossings=len(fights),
        enemies=np.array([*enemies, 0, fields.defender.port_fleets], np.int64),
        defends=np.array([*roles, 0, 1], np.int64),
        aboard=np.array(troops_aboard(fields), np.int64),
        land=path_params(fields, land_stop),
        stop=stop,
        hopeless=np.zeros(1, np.int64),
        width=max(fields.options.max_fleets, fields.attacker.fleets) + 1,
        counting=1,
    )


def invasion_start(fields: Any, p: InvasionParams) -> InvasionState:
    """At the first crossing with a fight, or on the shore when there is none."""
    own = fields.attacker
    if p.crossings:
        return InvasionState(0, own.fleets, int(p.enemies[0]), 0, 0, 0, 0, 0, 0, 0)
    return InvasionState(0, own.fleets, 0, 0, own.regiments, 0, int(p.land.defenders[0]), own.regiments, 0, 0)


def invasion_chain(fields: Any) -> Chain:
    """The chain of a whole invasion."""
    policy = fields.policy.attacker
    p = invasion_params(fields, stop_rule(policy, "sea_"), stop_rule(policy))
    start, rolls, land = invasion_start(fields, p), fight_tables(fields), path_limits(fields)
    fleets = int(p.enemies.sum())
    rounds = MOST_ROUNDS if fields.options.ties == "nobody" else 2 * fields.attacker.fleets + fleets
    limits = InvasionState(
        p.crossings + 1,
        fields.attacker.fleets,
        int(p.enemies.max()),
        fleets,
        land.attackers,
        land.captured,
        land.defenders,
        land.attackers,
        rounds,
        land.rounds,
    )
    if p.stop.by_odds or p.land.stop.by_odds:
        p = _with_hopeless(fields, p, Chain(_plain(p), start, limits, rolls))
    return Chain(p, start, limits, rolls, mapped=fields.options.ties != "nobody")


def _plain(p: InvasionParams) -> InvasionParams:
    """The same invasion fought to the end, rounds not counted; the port cannot change the winner and is left out."""
    enemies = p.enemies.copy()
    enemies[-1] = 0
    return p._replace(stop=Stop(), counting=0, enemies=enemies, land=p.land._replace(stop=Stop(), counting=0))


def _with_hopeless(fields: Any, p: InvasionParams, plain: Chain) -> InvasionParams:
    from simulator.engine.backward import state_values

    policy = fields.policy.attacker
    states, chance = state_values(plain, lambda ends: (invasion_winner(p, ends) == ATTACKER).astype(float))
    if p.land.stop.by_odds:
        ashore = states.stage == p.crossings
        land = PathState(*(getattr(states, name)[ashore] for name in ("attackers", "captured", "defenders")), 0)
        marks = hopeless_places(p.land, land, chance[ashore], policy.min_odds)
        p = p._replace(land=p.land._replace(hopeless=marks))
    if p.stop.by_odds:
        at_sea = states.stage < p.crossings
        marks = np.zeros((p.crossings + 2) * p.width * p.width, np.int64)
        place = (states.stage * p.width + states.convoy) * p.width + states.enemy
        marks[place[at_sea]] = chance[at_sea] < policy.sea_min_odds - SLACK
        p = p._replace(hopeless=marks)
    return p


def invasion_winner(p: InvasionParams, s: InvasionState) -> np.ndarray:
    """Winner of final states (section 5.5, end)."""
    at_sea = np.where(p.aboard[s.convoy] == 0, DEFENDER, NOBODY)
    return np.where(
        s.stage < p.crossings, at_sea, path_winner(p.land, PathState(s.attackers, s.captured, s.defenders, 0))
    )


def invasion_outcome(fields: Any, s: InvasionState) -> Columns:
    """Outputs of an invasion (section 8)."""
    p, options = invasion_params(fields, Stop(), Stop()), fields.options
    own = fields.attacker
    ashore = s.stage >= p.crossings
    land = PathState(s.attackers, s.captured, np.where(ashore, s.defenders, p.land.defenders[0]), s.land_rounds)
    left = np.where(ashore, s.attackers, p.aboard[s.convoy])
    reached = np.where(ashore, s.at_shore, p.aboard[s.convoy])
    enemy_total, enemy = int(p.land.defenders.sum()), defenders_left(p.land, land)
    enemy_fleets = int(p.enemies.sum())
    fleets_lost, lost = own.fleets - s.convoy, own.regiments - left
    return {
        "winner": invasion_winner(p, s),
        "attacker_regiments_left": left,
        "attacker_regiments_lost": lost,
        "defender_regiments_left": enemy,
        "defender_regiments_lost": enemy_total - enemy,
        "territories_captured": s.captured,
        "occupiers": occupiers(p.land, land),
        "rounds": s.sea_rounds + s.land_rounds,
        "attacker_fleets_left": s.convoy,
        "attacker_fleets_lost": fleets_lost,
        "defender_fleets_left": enemy_fleets - s.sunk,
        "defender_fleets_lost": s.sunk,
        "sea_rounds": s.sea_rounds,
        "land_rounds": s.land_rounds,
        "reached_shore": ashore,
        "regiments_at_shore": s.at_shore,
        "regiments_drowned": own.regiments - reached,
        "attacker_cost_lost": options.fleet_cost * fleets_lost + options.regiment_cost * lost,
        "defender_cost_lost": options.fleet_cost * s.sunk + options.regiment_cost * (enemy_total - enemy),
    }
