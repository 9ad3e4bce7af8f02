"""The path: several defended territories taken one after the other (docs/rules/risk.md section 5.1)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simulator.engine.chain import Chain, helper, rule
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY
from simulator.rules.risk.fights import MOST_ROUNDS, SLACK, fight_tables, hands
from simulator.rules.risk.places import path
from simulator.rules.risk.stopping import Stop, stop_rule, stops


class PathParams(NamedTuple):
    """A path of places: who defends each (one 0 more at the end), who stays behind, when the attacker stops.

    `hopeless` marks (captured, force, defenders) where the chance to win is below the asked one, flattened with the
    strides `force_stride` and `place_stride`. `counting` is 0 when rounds need not be told apart.
    """

    defenders: np.ndarray
    left_behind: int
    stop: Stop
    hopeless: np.ndarray
    force_stride: int
    place_stride: int
    counting: int


class PathState(NamedTuple):
    """Attackers alive (garrisons included), places captured, defenders of the next one, rounds fought."""

    attackers: int
    captured: int
    defenders: int
    rounds: int


@helper
def force_of(p, s):
    """Attackers who are not garrisons."""
    return max(0, s.attackers - p.left_behind * s.captured)


@helper
def path_running(p, s):
    """Both sides are there and the attacker goes on (section 4, steps 1 and 2)."""
    force = force_of(p, s)
    going = (force > 0) & (s.defenders > 0)
    if p.stop.by_odds > 0:
        place = s.captured * p.place_stride + force * p.force_stride + s.defenders
        going = going & (p.hopeless[place] == 0)
    return going & (not stops(p.stop, force, s.defenders, s.rounds))


@helper
def path_table(p, s):
    """Round table of the place being attacked."""
    return 1 + 16 * s.captured + hands(force_of(p, s), s.defenders)


@helper
def path_step(p, s, result):
    """Losses come off together; a place without defenders is captured if any of the force is left (section 5.1)."""
    own, enemy = result >> 3, result & 7
    defenders = s.defenders - enemy
    taken = (defenders == 0) & (force_of(p, s) > own)
    captured = s.captured + taken
    following = p.defenders[captured]
    return PathState(s.attackers - own, captured, following if taken else defenders, s.rounds + p.counting)


@rule(PathParams)
def running(p, s):
    """See path_running."""
    return path_running(p, s)


@rule(PathParams)
def table(p, s):
    """See path_table."""
    return path_table(p, s)


@rule(PathParams)
def step(p, s, result):
    """See path_step."""
    return path_step(p, s, result)


def path_params(fields: Any, stop: Stop) -> PathParams:
    """Parameters of the path, without a table of hopeless places."""
    defenders = path(fields)
    widest = max(defenders) + 1
    return PathParams(
        defenders=np.array([*defenders, 0], np.int64),
        left_behind=fields.options.left_behind,
        stop=stop,
        hopeless=np.zeros(1, np.int64),
        force_stride=widest,
        place_stride=widest * (fields.attacker.regiments + 1),
        counting=1,
    )


def path_limits(fields: Any) -> PathState:
    """Largest value of each field. Only when nobody may lose a pair can there be more rounds than units."""
    attackers, defenders = fields.attacker.regiments, path(fields)
    rounds = MOST_ROUNDS if fields.options.ties == "nobody" else attackers + sum(defenders)
    return PathState(attackers, len(defenders), max(defenders), rounds)


def path_chain(fields: Any) -> Chain:
    """The chain of an attack along a path."""
    stop, limits, rolls = stop_rule(fields.policy.attacker), path_limits(fields), fight_tables(fields)
    params, start = path_params(fields, stop), PathState(fields.attacker.regiments, 0, path(fields)[0], 0)
    if stop.by_odds:
        from simulator.engine.backward import state_values

        plain = Chain(params._replace(stop=Stop(), counting=0), start, limits, rolls)
        states, chance = state_values(plain, lambda ends: (path_winner(params, ends) == ATTACKER).astype(float))
        params = params._replace(hopeless=hopeless_places(params, states, chance, fields.policy.attacker.min_odds))
    return Chain(params, start, limits, rolls, mapped=fields.options.ties != "nobody")


def hopeless_places(p: PathParams, states: PathState, chance: np.ndarray, least: float) -> np.ndarray:
    """1 for each (captured, force, defenders) from which the chance to win is below `least`."""
    marks = np.zeros((len(p.defenders)) * p.place_stride, np.int64)
    force = np.maximum(0, states.attackers - p.left_behind * states.captured)
    place = states.captured * p.place_stride + force * p.force_stride + states.defenders
    marks[place] = chance < least - SLACK
    return marks


def path_winner(p: PathParams, s: PathState) -> np.ndarray:
    """Winner of final states (section 5.1): nobody when called off, or when both sides of the last fight are gone."""
    force = np.maximum(0, s.attackers - p.left_behind * s.captured)
    beaten = (force == 0) & (s.defenders > 0)
    return np.where(s.captured == len(p.defenders) - 1, ATTACKER, np.where(beaten, DEFENDER, NOBODY))


def defenders_left(p: PathParams, s: PathState) -> np.ndarray:
    """Defenders alive over the whole path."""
    gone = np.concatenate([[0], np.cumsum(p.defenders[:-1])])
    total = int(p.defenders.sum())
    return total - gone[s.captured] - (p.defenders[s.captured] - s.defenders)


def occupiers(p: PathParams, s: PathState) -> np.ndarray:
    """Regiments in the last territory if the whole path was captured."""
    places = len(p.defenders) - 1
    return np.where(s.captured == places, s.attackers - p.left_behind * (places - 1), 0)
