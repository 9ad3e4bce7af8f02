"""Columns of a naval battle: what the final states come to (docs/rules/europa_naval_and_other.md section 3)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simulator.rules.battle import NOBODY, Columns
from simulator.rules.europa.fleets import ND
from simulator.rules.europa.naval_losses import Fight, Record
from simulator.rules.europa.naval_rules import FATES
from simulator.rules.europa.naval_tables import KILLED, WOUNDED, NavalSetup
from simulator.rules.europa.squadrons import GALLEYS
from simulator.rules.europa.stacks import SIDES

MAJOR, MAJOR_OVER_GALLEYS = 5 * ND, 8 * ND
CAUGHT_BITS, LOSS_BITS = 3, 7


class Ended(NamedTuple):
    """How battles ended: the winner, and for each side its record's place in `records` and its stars (arrays)."""

    winner: np.ndarray
    records: tuple[list[Record], list[Record]]
    place: tuple[np.ndarray, np.ndarray]
    stars: tuple[np.ndarray, np.ndarray]


def ended(setup: NavalSetup, states: Any) -> Ended:
    """The reckoning of final states: who has won, and what each side has left."""
    winner, fought = states.verdict, states.rolls > 0
    if setup.reads:
        winner = np.where(fought, winner, NOBODY)
        of = [_numbered(setup, side, number) for side, number in enumerate((states.record_a, states.record_d))]
        return Ended(winner, (of[0][0], of[1][0]), (of[0][1], of[1][1]), (states.stars_a, states.stars_d))
    winner, found = np.where(fought, winner, NOBODY), []
    stars, caught = (states.stars_a, states.stars_d), (states.caught_d, states.caught_a)
    for side, thirds in enumerate((states.loss_a, states.loss_d)):
        routed = (stars[side] >= setup.met.morale[side]) & fought
        found.append(_records(setup, side, winner == side, routed, caught[side], thirds))
    return Ended(winner, (found[0][0], found[1][0]), (found[0][1], found[1][1]), stars)


def _numbered(setup: NavalSetup, side: int, number: np.ndarray) -> tuple[list[Record], np.ndarray]:
    return list(setup.records[side]), number


def _records(
    setup: NavalSetup, side: int, won: np.ndarray, routed: np.ndarray, caught: np.ndarray, thirds: np.ndarray
) -> tuple[list[Record], np.ndarray]:
    """The records that occur, and which one each row has."""
    code = ((won * 2 + routed) << CAUGHT_BITS | caught) << LOSS_BITS | thirds
    occurs = np.zeros(4 << CAUGHT_BITS + LOSS_BITS, np.int64)
    occurs[code] = 1
    codes = np.flatnonzero(occurs)
    occurs[codes] = np.arange(len(codes))
    found = []
    for value in codes.tolist():
        rest, lost = divmod(value, 1 << LOSS_BITS)
        flags, stars = divmod(rest, 1 << CAUGHT_BITS)
        found.append(setup.reckoning.record(side, Fight(flags > 1, flags % 2 == 1, stars, lost)))
    return found, occurs[code]


def naval_outcome(setup: NavalSetup, states: Any) -> Columns:
    """The outcome columns of final states."""
    end = ended(setup, states)
    out: Columns = {"winner": end.winner, "rolls": states.rolls}
    columns = [_of_record(end.records[side], end.place[side]) for side in (0, 1)]
    out["major_victory"] = _major(setup, end, columns)
    out["evaded"] = states.rolls == 0
    for side, name in enumerate(SIDES):
        own, enemy = columns[side], columns[1 - side]
        takes = end.winner == side
        for kind in ("warships", "exploration_ships", "galleys", "galleasses", "transports"):
            taken = takes * enemy[f"captured_{kind}"] if kind != "exploration_ships" else 0
            out[f"{name}_{kind}_left"] = own[kind] + taken
        for column in ("losses", "damaged", "destroyed", "refitted"):
            out[f"{name}_{column}_thirds"] = own[column]
        out[f"{name}_stars"] = end.stars[side].astype(np.int16)
        out[f"{name}_ships_taken"] = takes * enemy["captured"]
        out[f"{name}_troops_left_thirds"] = own["troops"]
        out[f"{name}_gold_left"] = own["gold"]
        out[f"{name}_gold_taken"] = takes * enemy["seized"]
        out[f"{name}_routed"] = own["routed"]
        out[f"{name}_destroyed"] = own["gone"]
        out[f"{name}_wind"] = (np.array([g.wind == side for g in setup.groups])[states.group]) & (states.rolls > 0)
        out[f"{name}_left_with_wind"] = states.left == side + 1
        out[f"{name}_broke_off"] = states.broke == side + 1
        fate = states.fates % FATES if side == 0 else states.fates // FATES
        out[f"{name}_leader_killed"], out[f"{name}_leader_wounded"] = fate == KILLED, fate == WOUNDED
    return out


def _of_record(records: list[Record], place: np.ndarray) -> Columns:
    """What the records say, row by row."""
    rows = [
        {
            "warships": r.fleet.warships // ND, "exploration_ships": r.fleet.warships % ND,
            "galleys": r.fleet.galleys, "galleasses": r.fleet.galleasses, "transports": r.fleet.transports,
            "captured_warships": r.captured.warships // ND, "captured_galleys": r.captured.galleys,
            "captured_galleasses": r.captured.galleasses, "captured_transports": r.captured.transports,
            "captured": r.captured.detachments, "losses": r.losses, "damaged": r.damaged, "destroyed": r.destroyed,
            "refitted": r.refitted, "troops": r.cargo.troops, "gold": r.cargo.gold,
            "seized": r.seized,
        }
        for r in records
    ]  # fmt: skip
    found = {name: np.array([row[name] for row in rows], np.int16)[place] for name in rows[0]}
    found["routed"] = np.array([r.routed for r in records])[place]
    found["gone"] = np.array([r.gone for r in records])[place]
    return found


def _major(setup: NavalSetup, end: Ended, columns: list[Columns]) -> np.ndarray:
    """A winner, the loser routed, and 5 ND more lost (8 if the winner's first line is galleys; step 13)."""
    found = np.zeros(len(end.winner), bool)
    for side in (0, 1):
        own, enemy = columns[side], columns[1 - side]
        least = MAJOR_OVER_GALLEYS if setup.met.squadrons[side].line == GALLEYS else MAJOR
        found |= (end.winner == side) & enemy["routed"] & (enemy["losses"] - own["losses"] >= least)
    return found
