"""Outputs of Risk's battles: columns of final states (docs/rules/risk.md section 8)."""

from __future__ import annotations

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import ATTACKER, Columns, States
from simulator.rules.risk.model import AnyBattle, BlockadeRun, Invasion, OnLand
from simulator.rules.risk.rules import STOPPED, Params
from simulator.rules.toolkit.naming import winners


def columns(fields: AnyBattle, p: Params, s: States) -> Columns:
    """Outputs of final states."""
    # Lost are all enemies of the places before this one, and the missing ones in it.
    enemies = p.enemies.cumsum()
    every, at_sea = int(enemies[-1]), int(enemies[p.crossings - 1]) if p.crossings else 0
    lost, left, rounds = enemies[s.place] - s.enemy, troops_left(p, s), s.sea_rounds + s.land_rounds
    outputs = {"winner": winner(p, s)}
    if isinstance(fields, OnLand):
        on_land = np.maximum(0, lost - at_sea) if at_sea else lost
        outputs |= _losses("regiments", int(p.aboard[-1]), left, every - at_sea, on_land)
        outputs["territories_captured"] = captured(p, s)
        occupiers = left - p.left_behind * (p.places - p.crossings - 1)
        outputs["occupiers"] = occupiers * (s.place == p.places)
        outputs["rounds"] = rounds
    if not isinstance(fields, OnLand) or isinstance(fields, Invasion):
        # Fleets in port put to sea after the fights on land.
        in_port = np.where((s.place > p.crossings) & (s.decided == STOPPED), p.port - s.port, 0)
        lost = np.minimum(lost, at_sea) + in_port
        outputs |= _losses("fleets", len(p.aboard) - 1, s.fleets, at_sea + p.port, lost) | {"rounds": rounds}
    if isinstance(fields, Invasion):
        outputs["sea_rounds"], outputs["land_rounds"] = s.sea_rounds, s.land_rounds
        outputs["reached_shore"], outputs["regiments_at_shore"] = s.place >= p.crossings, s.at_shore
        outputs["regiments_drowned"] = fields.attacker.regiments - np.where(outputs["reached_shore"], s.at_shore, left)
    prices = {"fleets": fields.options.fleet_cost, "regiments": fields.options.regiment_cost}
    lost_units = [(units, price) for units, price in prices.items() if f"attacker_{units}_lost" in outputs]
    for side in SIDES:
        first, *more = [price * outputs[f"{side}_{units}_lost"] for units, price in lost_units]
        outputs[f"{side}_cost_lost"] = sum(more, first)
    if isinstance(fields, BlockadeRun):
        outputs["blockade_broken"] = outputs["winner"] == ATTACKER
    return outputs


def _losses(units: str, own: int, own_left: np.ndarray, enemies: int, enemies_lost: np.ndarray) -> Columns:
    return {
        f"attacker_{units}_left": own_left,
        f"attacker_{units}_lost": own - own_left,
        f"defender_{units}_left": enemies - enemies_lost,
        f"defender_{units}_lost": enemies_lost,
    }


def captured(p: Params, s: States) -> np.ndarray:
    """Territories captured in each state: int64, shape (states,)."""
    return np.maximum(0, s.place - p.crossings) if p.crossings else s.place


def troops_left(p: Params, s: States) -> np.ndarray:
    """Troops left aboard or ashore, garrisons included: int64, shape (states,). In a battle at sea, the fleets left."""
    return np.where(s.place < p.crossings, p.aboard[s.fleets], s.regiments) if p.crossings else s.regiments


def force(p: Params, s: States) -> np.ndarray:
    """Own units in the fight for a place, fleets or regiments without garrisons: int64, shape (states,)."""
    ashore = np.maximum(0, s.regiments - p.left_behind * (s.place - p.crossings))
    return np.where(s.place < p.crossings, s.fleets, ashore)


def winner(p: Params, s: States) -> np.ndarray:
    """Winner codes of final states: int64, shape (states,) (section 5.1; section 5.5, step 4).

    Nobody wins if the fight was called off or both sides of the last fight are gone; a convoy without troops loses.
    """
    gone, held = troops_left(p, s) <= p.left_behind * captured(p, s), s.enemy > 0
    if p.crossings and p.crossings < p.places:
        held |= s.place < p.crossings
    return winners(s.place == p.places, gone & held)
