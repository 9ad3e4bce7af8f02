"""The outputs of Risk's battles: columns of final states (docs/rules/risk.md section 8)."""

from __future__ import annotations

import numpy as np

from simulator.rules.battle import ATTACKER, Columns, States
from simulator.rules.risk import tables
from simulator.rules.risk.model import AnyBattle, BlockadeRun, Invasion, OnLand
from simulator.rules.risk.rules import STOPPED, Params
from simulator.rules.toolkit.naming import SIDES


def columns(fields: AnyBattle, p: Params, s: States) -> Columns:
    """Outputs of final states."""
    # All enemies of the places before this one are lost, and those missing in it.
    before, at_sea = np.concatenate([[0], np.cumsum(p.enemies)]), int(p.enemies[: p.crossings].sum())
    lost = before[s.place] + p.enemies[s.place] - s.enemy
    found = {"winner": tables.winner(p, s)}
    if isinstance(fields, OnLand):
        left = np.where(s.place < p.crossings, p.aboard[s.fleets], s.regiments)
        found |= _losses("regiments", int(p.aboard[-1]), left, int(before[-1]) - at_sea, np.maximum(0, lost - at_sea))
        found["territories_captured"] = np.maximum(0, s.place - p.crossings)
        occupiers = left - p.left_behind * (p.places - p.crossings - 1)
        found["occupiers"] = np.where(s.place == p.places, occupiers, 0)
        found["rounds"] = begun(s) - 1
    if not isinstance(fields, OnLand) or isinstance(fields, Invasion):
        # Fleets in port are not lost while the fight on land goes on, before which they do not put to sea.
        in_port = np.where((s.place > p.crossings) & (s.decided == STOPPED), p.port - s.port, 0)
        lost = np.minimum(lost, at_sea) + in_port
        found |= _losses("fleets", len(p.aboard) - 1, s.fleets, at_sea + p.port, lost) | {"rounds": begun(s) - 1}
    if isinstance(fields, Invasion):
        found["sea_rounds"], found["land_rounds"] = s.sea_rounds, s.land_rounds
        found["reached_shore"], found["regiments_at_shore"] = s.place >= p.crossings, s.at_shore
        found["regiments_drowned"] = fields.attacker.regiments - np.where(found["reached_shore"], s.at_shore, left)
    prices = {"fleets": fields.options.fleet_cost, "regiments": fields.options.regiment_cost}
    for side in SIDES:
        costs = (price * found.get(f"{side}_{units}_lost", 0) for units, price in prices.items())
        found[f"{side}_cost_lost"] = np.asarray(sum(costs))
    if isinstance(fields, BlockadeRun):
        found["blockade_broken"] = found["winner"] == ATTACKER
    return found


def _losses(units: str, own: int, own_left: np.ndarray, enemies: int, enemies_lost: np.ndarray) -> Columns:
    return {
        f"attacker_{units}_left": own_left,
        f"attacker_{units}_lost": own - own_left,
        f"defender_{units}_left": enemies - enemies_lost,
        f"defender_{units}_lost": enemies_lost,
    }


def begun(s: States) -> np.ndarray:
    """The round that a state stands before: rounds at sea and on land count alike."""
    return np.asarray(1 + s.sea_rounds + s.land_rounds)
