"""Entering an unexplored hex (rules/kings_and_things.md section 7): the defender is drawn, then it is a land battle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.rules.battle import Columns
from simulator.rules.kings_and_things import state as st
from simulator.rules.kings_and_things.board import Lineup, Muster, firewall_of, gear_at_start, lineup_of
from simulator.rules.kings_and_things.creatures import Creature
from simulator.rules.kings_and_things.cup import Draw, Kind, draws
from simulator.rules.kings_and_things.flow import FIREWALL_OF, USUAL
from simulator.rules.kings_and_things.muster import (
    Band,
    Slot,
    bands,
    batterers,
    fighter,
    loss_order,
    strongest_first,
    weakest_first,
)

MOST_DRAWN = 5
NOBODY = -1


def muster_of(scenario: Any) -> Muster:
    """Line-ups of all defenders that can be drawn; the attacker's differ if his Warlord takes one of them over."""
    return muster_for(scenario, draws(scenario))


def muster_for(scenario: Any, chances: dict[Draw, float]) -> Muster:
    """The muster for these draws."""
    found = list(chances)
    attacker, defender = bands(scenario)
    kinds = sorted({kind for draw in found for kind in draw.creatures})
    dispelled = "dispel-magic" in scenario.attacker.items
    slots = [_slot(kind, defender, dispelled) for kind in kinds]
    chosen = _sorted_kinds(found, kinds, slots, defender)
    takes = attacker.has("warlord") and attacker.policy.warlord != "unused"
    attackers = [attacker] + [_with_taken(attacker, slot) for slot in slots if takes]
    orders = [loss_order(band) for band in attackers]
    width = max(MOST_DRAWN + 1, *(len(order) for order in orders))
    gear = gear_at_start(attacker)
    attacking = [lineup_of(order, gear, width) for order in orders]
    defending, taken = _defenders(found, slots, chosen, defender, width)
    if takes:
        defending = defending._replace(alive=np.where(taken >= 0, defending.alive & ~(1 << _last(defending)), 0))
    settlement = np.array([draw.settlement if draw.fought else 0 for draw in found], np.int32)
    levels = np.maximum(0, settlement - batterers([attacker]))
    defending = defending._replace(gear=(levels << st.SETTLEMENT_AT[0]).astype(np.int32))
    roller = firewall_of([attacker])
    return Muster(
        scenario,
        (attackers[0], defender),
        (_stacked(attacking), defending),
        ((taken + 1 if takes else np.zeros(len(found), int)), np.arange(len(found))),
        np.full(len(found), USUAL if roller < 0 else FIREWALL_OF + roller),
        settlement,
        digits(np.array(list(chances.values()))),
    )


def _slot(kind: Kind, defender: Band, dispelled: bool) -> Slot:
    value, symbol = kind
    creature = Creature(f"{value}{symbol}", f"code {value}{symbol}", value, symbol)
    return fighter(creature, defender.policy, "" if dispelled and symbol == "M" else None)


def _with_taken(attacker: Band, slot: Slot) -> Band:
    band = Band(**vars(attacker))
    band.counters = [*attacker.counters, slot]
    return band


def _sorted_kinds(found: Sequence[Draw], kinds: Sequence[Kind], slots: Sequence[Slot], defender: Band) -> np.ndarray:
    """Kinds of each draw's creatures in loss order, NOBODY in empty places: array (draws, 5)."""
    order = strongest_first if defender.policy.losses == "strongest-first" else weakest_first
    by_loss = sorted(range(len(kinds)), key=lambda n: order(slots[n]))
    rank = {kinds[n]: place for place, n in enumerate(by_loss)}
    places = np.full((len(found), MOST_DRAWN), len(kinds))
    for row, draw in enumerate(found):
        places[row, : len(draw.creatures)] = [rank[kind] for kind in draw.creatures]
    places.sort(axis=1)
    return np.array([*by_loss, NOBODY])[places]


def _defenders(
    found: Sequence[Draw], slots: Sequence[Slot], chosen: np.ndarray, defender: Band, width: int
) -> tuple[Lineup, np.ndarray]:
    """Line-ups of the defenders, and the kind of each draw's last creature in weakest-first order."""
    first = defender.policy.structures == "first"
    place, wall = (1, 0) if first else (0, MOST_DRAWN)
    met = chosen != NOBODY
    rows = {name: np.zeros((len(found), width), np.int32) for name in Lineup._fields[:8]}
    for name in ("role", "value", "printed", "home", "dice"):
        numbers = np.array([*(getattr(slot, name) for slot in slots), 0], np.int32)
        rows[name][:, place : place + MOST_DRAWN] = numbers[chosen]
    rows["role"][:, wall] = st.SETTLEMENT
    rows["home"][:, wall] = st.MELEE
    rows["dice"][:, wall] = 1
    rows["shift"][:, place : place + MOST_DRAWN] = np.arange(MOST_DRAWN)
    rows["mask"][:, place : place + MOST_DRAWN] = met
    rank = np.empty(len(slots) + 1, int)
    rank[sorted(range(len(slots)), key=lambda n: weakest_first(slots[n]))] = np.arange(1, len(slots) + 1)
    rank[NOBODY] = 0
    strength = np.zeros((len(found), width), int)
    strength[:, place : place + MOST_DRAWN] = rank[chosen]
    rows["weakest"][:] = np.argsort(strength, axis=1, kind="stable")
    alive = (met << np.arange(MOST_DRAWN)).sum(axis=1).astype(np.int32)
    strongest = np.take_along_axis(chosen, np.argmax(rank[chosen], axis=1)[:, None], axis=1)[:, 0]
    return Lineup(**rows, alive=alive, gear=np.zeros(len(found), np.int32)), strongest


def _last(lineup: Lineup) -> np.ndarray:
    """Bit of the last creature in weakest-first order."""
    return np.take_along_axis(lineup.shift, lineup.weakest[:, -1:], axis=1)[:, 0]


def _stacked(lineups: Sequence[Lineup]) -> Lineup:
    return Lineup(*(np.concatenate(parts) for parts in zip(*lineups, strict=True)))


def digits(chances: np.ndarray) -> list[list[tuple[np.ndarray, np.ndarray]]]:
    """Tables that draw a number digit by digit: [digit][digits before it]."""
    base = 1 << st.DIGIT_BITS
    count = 1
    while base**count < len(chances):
        count += 1
    padded = np.zeros(base**count)
    padded[: len(chances)] = chances
    found = []
    for digit in range(count):
        sums = padded.reshape(base**digit, base, -1).sum(axis=2)
        found.append([_table(row) for row in sums[: 1 + (len(chances) - 1) // base ** (count - digit)]])
    return found


def _table(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    result = np.flatnonzero(row)
    return result, row[result] / row[result].sum()


def columns_of(found: Sequence[Draw], lineup: np.ndarray) -> Columns:
    """The extra outputs of an exploration."""
    free = np.array([not draw.fought for draw in found])
    drawn = np.array([draw.drawn if draw.fought else 0 for draw in found])
    bribe = np.array([draw.bribe if draw.fought else 0 for draw in found])
    return {
        "explored_without_fight": free[lineup],
        "defenders_drawn": drawn[lineup],
        "bribe_cost": bribe[lineup],
    }
