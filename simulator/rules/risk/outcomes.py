"""The outputs of Risk's battles (docs/rules/risk.md section 8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Columns
from simulator.rules.risk.fights import FightState
from simulator.rules.risk.path import PathState, defenders_left, occupiers, path_params, path_winner
from simulator.rules.risk.stopping import Stop


def fight_winner(s: FightState) -> np.ndarray:
    """Winner of final states of one fight (section 4): nobody when called off, or when both sides are gone."""
    won, lost = (s.enemy == 0) & (s.own > 0), (s.own == 0) & (s.enemy > 0)
    return np.where(won, ATTACKER, np.where(lost, DEFENDER, NOBODY))


def one_place(fields: Any, s: FightState) -> Columns:
    """Outputs of an attack on a single territory, seen as a path of one."""
    captured = (fight_winner(s) == ATTACKER).astype(np.int64)
    return land_outcome(fields, PathState(s.own, captured, s.enemy, s.rounds))


def land_outcome(fields: Any, s: PathState) -> Columns:
    """Outputs of land and amphibious battles (section 8)."""
    p, cost = path_params(fields, Stop()), fields.options.regiment_cost
    own, enemy = fields.attacker.regiments, defenders_left(p, s)
    enemy_lost = int(p.defenders.sum()) - enemy
    return {
        "winner": path_winner(p, s),
        "attacker_regiments_left": s.attackers,
        "attacker_regiments_lost": own - s.attackers,
        "defender_regiments_left": enemy,
        "defender_regiments_lost": enemy_lost,
        "territories_captured": s.captured,
        "occupiers": occupiers(p, s),
        "rounds": s.rounds,
        "attacker_cost_lost": cost * (own - s.attackers),
        "defender_cost_lost": cost * enemy_lost,
    }


def sea_outcome(fields: Any, s: FightState) -> Columns:
    """Outputs of naval fights and blockade runs (section 8)."""
    cost = fields.options.fleet_cost
    own, enemy = fields.attacker.fleets, fields.defender.fleets
    winner = fight_winner(s)
    columns = {
        "winner": winner,
        "attacker_fleets_left": s.own,
        "attacker_fleets_lost": own - s.own,
        "defender_fleets_left": s.enemy,
        "defender_fleets_lost": enemy - s.enemy,
        "rounds": s.rounds,
        "attacker_cost_lost": cost * (own - s.own),
        "defender_cost_lost": cost * (enemy - s.enemy),
    }
    if fields.battle == "blockade-run":
        columns["blockade_broken"] = winner == ATTACKER
    return columns
