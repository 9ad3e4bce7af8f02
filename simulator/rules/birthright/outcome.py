"""How a battle unit against unit ended: the columns, and who survived (docs/rules/birthright.md section 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.rules.battle import Columns, Piece
from simulator.rules.birthright.rules import FieldParams
from simulator.rules.birthright.tables import Setup
from simulator.rules.toolkit.naming import SIDES, winners


def winner(params: FieldParams, states: Any) -> np.ndarray:
    """Who has won: the side that stands."""
    return winners(params.size[states.attacker] > 0, params.size[states.defender] > 0)


def columns(setup: Setup, params: FieldParams, states: Any) -> Columns:
    """Final states as the user's columns."""
    found: Columns = {}
    for side in setup.hosts:
        name = SIDES[side.side]
        front, destroyed = getattr(states, name), states.fallen // side.falls[-1] % (len(side.units) + 1)
        standing = params.size[front]
        found[f"{name}_standing"] = standing
        found[f"{name}_routed"] = len(side.units) - standing - destroyed
        found[f"{name}_destroyed"] = destroyed
        found[f"{name}_hits"] = params.wounds[front]
    if setup.fields.battle == "storm":
        captured = np.where(found["attacker_standing"] > 0, found["defender_routed"], 0)
        found["defender_routed"] = found["defender_routed"] - captured
        found["defender_captured"] = captured
    return {"winner": winner(params, states), **found}


def survivors(setup: Setup, params: FieldParams, number: int, states: Any) -> Sequence[Piece]:
    """The units of each entry of a side: a unit survives that stands or has routed, and is neither caught nor captured.

    `states` are those of the chain that tells the fallen of this side apart; each routed unit is as likely caught.
    """
    side, name, enemy = setup.hosts[number], SIDES[number], SIDES[1 - number]
    caught, lost = states.fallen, []
    for entry in side.entries:
        lost.append(caught % (entry.count + 1))
        caught = caught // (entry.count + 1)
    share = caught / np.maximum(len(side.units) - sum(lost), 1)
    if setup.fields.battle == "storm" and name == "defender":
        share = np.where(params.size[getattr(states, enemy)] > 0, 1.0, 0.0)
    pieces = []
    for entry, fallen in zip(side.entries, lost, strict=True):
        worth = f"strength {entry.unit.strength}" + (f", each of {entry.count}" if entry.count > 1 else "")
        survives = (entry.count - fallen) * (1.0 - share) / entry.count
        pieces.append(Piece(name, entry.unit.name, worth, survives))
    return pieces
