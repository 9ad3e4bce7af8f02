"""Columns of a naval battle: what the final states come to (docs/rules/europa_naval_and_other.md section 3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.rules.battle import Columns
from simulator.rules.europa.sea.end import FATES
from simulator.rules.europa.sea.end_tables import KILLED, WOUNDED, BattleSetup
from simulator.rules.europa.sea.losses import Record
from simulator.rules.europa.sea.squadrons import GALLEYS
from simulator.rules.europa.shared.fleets import ND
from simulator.rules.europa.shared.stacks import SIDES

MAJOR, MAJOR_OVER_GALLEYS = 5 * ND, 8 * ND
ROWS = ("winner", "rolls", "left", "broke", "wind")
KINDS = ("warships", "exploration_ships", "galleys", "galleasses", "transports")


def naval_outcome(setup: BattleSetup, states: Any) -> Columns:
    """The outcome columns of final states."""
    rows = {name: _taken(np.array([getattr(row, name) for row in setup.rows], np.int16), states.row) for name in ROWS}
    stars = [_taken(np.array([row.stars[side] for row in setup.rows], np.int16), states.row) for side in (0, 1)]
    columns = [_of_record(list(setup.records[side]), (states.record_a, states.record_d)[side]) for side in (0, 1)]
    winner = rows["winner"]
    out: Columns = {"winner": winner, "rolls": rows["rolls"]}
    out["major_victory"] = _major(setup, winner, columns)
    out["evaded"] = rows["rolls"] == 0
    for side, name in enumerate(SIDES):
        own, enemy = columns[side], columns[1 - side]
        takes = (winner == side).astype(np.int16)
        for kind in KINDS:
            out[f"{name}_{kind}_left"] = own[kind] + takes * enemy[f"captured_{kind}"]
        for column in ("losses", "damaged", "destroyed", "refitted"):
            out[f"{name}_{column}_thirds"] = own[column]
        out[f"{name}_stars"] = stars[side]
        out[f"{name}_ships_taken"] = takes * enemy["captured"]
        out[f"{name}_troops_left_thirds"] = own["troops"]
        out[f"{name}_gold_left"] = own["gold"]
        out[f"{name}_gold_taken"] = takes * enemy["seized"]
        out[f"{name}_routed"] = own["routed"]
        out[f"{name}_destroyed"] = own["gone"]
        out[f"{name}_wind"] = rows["wind"] == side
        out[f"{name}_left_with_wind"] = rows["left"] == side + 1
        out[f"{name}_broke_off"] = rows["broke"] == side + 1
        fate = states.fates % FATES if side == 0 else states.fates // FATES
        out[f"{name}_leader_killed"], out[f"{name}_leader_wounded"] = fate == KILLED, fate == WOUNDED
    return out


def _of_record(records: list[Record], place: np.ndarray) -> Columns:
    """What the records say, row by row."""
    names = (
        *KINDS, *(f"captured_{kind}" for kind in KINDS), "captured", "losses", "damaged", "destroyed", "refitted",
        "troops", "gold", "seized",
    )  # fmt: skip
    rows = [
        (
            *_kinds(r), r.captured.warships // ND, 0, *r.captured[1:], r.captured.detachments, r.losses, r.damaged,
            r.destroyed, r.refitted, r.cargo.troops, r.cargo.gold, r.seized,
        )
        for r in records
    ]  # fmt: skip
    table = np.array(rows, np.int16).T
    found = {name: _taken(table[n], place) for n, name in enumerate(names)}
    found["routed"] = _taken(np.array([r.routed for r in records]), place)
    found["gone"] = _taken(np.array([r.gone for r in records]), place)
    return found


def _taken(values: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The values at these places: often they are all the same, and places are many."""
    if len(place) and (values == values[0]).all():
        return np.full(len(place), values[0])
    return values.take(place)


def _kinds(record: Record) -> tuple[int, ...]:
    fleet = record.fleet
    return fleet.warships // ND, fleet.warships % ND, *fleet[1:]


def _major(setup: BattleSetup, winner: np.ndarray, columns: list[Columns]) -> np.ndarray:
    """A winner, the loser routed, and 5 ND more lost (8 if the winner's first line is galleys; step 13)."""
    found = np.zeros(len(winner), bool)
    for side in (0, 1):
        own, enemy = columns[side], columns[1 - side]
        least = MAJOR_OVER_GALLEYS if setup.engagement.squadrons[side].line == GALLEYS else MAJOR
        found |= (winner == side) & enemy["routed"] & (enemy["losses"] - own["losses"] >= least)
    return found
