"""Final states of a battle unit against unit: its columns, and the units that survive (section 3.4 of the rules)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.rules.battle import Columns, Piece
from simulator.rules.birthright.tactical.rules import FieldParams
from simulator.rules.birthright.tactical.tables import Setup
from simulator.rules.toolkit.naming import SIDES, winners


def winner(params: FieldParams, states: Any) -> np.ndarray:
    """The side with units on the field."""
    return winners(params.units[states.attacker] > 0, params.units[states.defender] > 0)


def columns(setup: Setup, params: FieldParams, states: Any) -> Columns:
    """Outputs of final states."""
    outputs: Columns = {"winner": winner(params, states)}
    for side, name in zip(setup.sides, SIDES, strict=True):
        front, start = getattr(states, name), len(side.units)
        destroyed = states.destroyed // side.weights[-1] % (start + 1)
        outputs[f"{name}_standing"] = params.units[front]
        outputs[f"{name}_routed"] = start - params.units[front] - destroyed
        outputs[f"{name}_destroyed"] = destroyed
        outputs[f"{name}_hits"] = params.hits[front]
    if setup.fields.battle == "storm":
        captured = np.where(outputs["attacker_standing"] > 0, outputs["defender_routed"], 0)
        outputs |= {"defender_routed": outputs["defender_routed"] - captured, "defender_captured": captured}
    return outputs


def survivors(setup: Setup, params: FieldParams, number: int, states: Any) -> Sequence[Piece]:
    """The units of each entry of a side; a unit survives if it is neither destroyed nor captured.

    `states` are those of the chain that counts this side's destroyed units by entry. The number caught in the pursuit
    is spread evenly over the routed units.
    """
    side, name, enemy = setup.sides[number], SIDES[number], SIDES[1 - number]
    caught, destroyed = states.destroyed, []
    for entry in side.entries:
        destroyed.append(caught % (entry.count + 1))
        caught = caught // (entry.count + 1)
    share = caught / np.maximum(len(side.units) - sum(destroyed), 1)
    if setup.fields.battle == "storm" and name == "defender":
        share = np.where(params.units[getattr(states, enemy)] > 0, 1.0, 0.0)
    pieces = []
    for entry, lost in zip(side.entries, destroyed, strict=True):
        worth = f"strength {entry.unit.strength}" + (f", each of {entry.count}" if entry.count > 1 else "")
        pieces.append(Piece(name, entry.unit.name, worth, (entry.count - lost) * (1.0 - share) / entry.count))
    return pieces
