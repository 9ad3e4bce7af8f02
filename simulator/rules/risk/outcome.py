"""The outputs of Risk's battles: columns of final states (docs/rules/risk.md section 8)."""

from __future__ import annotations

import numpy as np

from simulator.rules.battle import ATTACKER, Columns, States
from simulator.rules.risk import invasion_rules, invasion_tables, rules, tables
from simulator.rules.risk.model import Amphibious, AnyBattle, AtSea, BlockadeRun, Invasion, Land, OnLand
from simulator.rules.toolkit.naming import SIDES


def land(fields: Land | Amphibious, p: rules.Params, s: States) -> Columns:
    """Outputs of land and amphibious battles."""
    return _with_costs(fields, _regiments(fields, p, s))


def _regiments(fields: OnLand, p: rules.Params, s: States) -> Columns:
    places, enemy_lost = len(p.defenders) - 1, defenders_lost(p, s)
    occupiers = s.attackers - p.left_behind * (places - 1)
    return {
        "winner": tables.winner(p, s),
        "attacker_regiments_left": s.attackers,
        "attacker_regiments_lost": fields.attacker.regiments - s.attackers,
        "defender_regiments_left": int(p.defenders.sum()) - enemy_lost,
        "defender_regiments_lost": enemy_lost,
        "territories_captured": s.captured,
        "occupiers": np.where(s.captured == places, occupiers, 0),
        "rounds": s.rounds,
    }


def _with_costs(fields: AnyBattle, columns: Columns) -> Columns:
    """The columns, and what each side's losses cost."""
    prices = {"fleets": fields.options.fleet_cost, "regiments": fields.options.regiment_cost}
    for side in SIDES:
        lost = {units: column for units in prices if (column := columns.get(f"{side}_{units}_lost")) is not None}
        columns[f"{side}_cost_lost"] = np.sum([prices[units] * lost[units] for units in lost], axis=0)
    return columns


def begun(s: States) -> np.ndarray:
    """The round that a state stands before: rounds at sea and on land count alike."""
    return np.asarray(1 + (s.sea_rounds + s.land_rounds if hasattr(s, "sea_rounds") else s.rounds))


def defenders_lost(p: rules.Params, s: States) -> np.ndarray:
    """Defenders lost over the whole path: of the captured places, and of the one being fought for."""
    captured = np.concatenate([[0], np.cumsum(p.defenders[:-1])])
    return np.asarray(captured[s.captured] + p.defenders[s.captured] - s.defenders)


def sea(fields: AtSea, p: rules.Params, s: States) -> Columns:
    """Outputs of naval fights and blockade runs."""
    own, enemy = fields.attacker.fleets, fields.defender.fleets
    columns = {"winner": tables.winner(p, s), **_fleets(own, s.attackers, enemy, s.defenders), "rounds": s.rounds}
    columns = _with_costs(fields, columns)
    if isinstance(fields, BlockadeRun):
        columns["blockade_broken"] = columns["winner"] == ATTACKER
    return columns


def _fleets(own: int, own_left: np.ndarray, enemy: int, enemy_left: np.ndarray) -> Columns:
    return {
        "attacker_fleets_left": own_left,
        "attacker_fleets_lost": own - own_left,
        "defender_fleets_left": enemy_left,
        "defender_fleets_lost": enemy - enemy_left,
    }


def invasion(fields: Invasion, p: invasion_rules.Params, s: States) -> Columns:
    """Outputs of an invasion."""
    own, ashore = fields.attacker, s.stage >= p.crossings
    aboard = p.aboard[s.convoy]
    everywhere = invasion_tables.land_states(s)._replace(
        attackers=np.where(ashore, s.attackers, aboard),
        defenders=np.where(ashore, s.defenders, p.land.defenders[0]),
    )
    # All enemies of the crossings before this stage are sunk, and those missing in it.
    before = np.concatenate([[0], np.cumsum(p.enemies)])
    fleets = int(p.enemies.sum())
    return _with_costs(
        fields,
        _regiments(fields, p.land, everywhere)
        | {
            "winner": invasion_tables.winner(p, s),
            "rounds": s.sea_rounds + s.land_rounds,
            **_fleets(own.fleets, s.convoy, fleets, fleets - before[s.stage] - p.enemies[s.stage] + s.enemy),
            "sea_rounds": s.sea_rounds,
            "land_rounds": s.land_rounds,
            "reached_shore": ashore,
            "regiments_at_shore": s.at_shore,
            "regiments_drowned": own.regiments - np.where(ashore, s.at_shore, aboard),
        },
    )
