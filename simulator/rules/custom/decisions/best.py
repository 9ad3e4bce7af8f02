"""Custom games played as well as possible: the sides that decide, the ways of losing units, and decisions in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Columns, Refusal
from simulator.rules.custom.dice.die import Hit
from simulator.rules.custom.line import Places
from simulator.rules.custom.rules.salvo import takes
from simulator.rules.custom.rules.state import ATTACKER_ASKED, ATTACKER_LOSES, DEFENDER_LOSES, LEAVE, State
from simulator.rules.custom.setup import Setup
from simulator.rules.toolkit.naming import counted

MOST_WAYS = 20_000_000


def seeking(setup: Setup, what: str) -> list[str]:
    """The sides of which a policy (`retreat`, `loss_order`) is `best`."""
    policies = {side: getattr(getattr(setup.fields.policy, side), what) for side in SIDES if setup.obeys}
    return [side for side, given in policies.items() if "best" in ([given] if isinstance(given, str) else given or ())]


def sought(setup: Setup) -> bool:
    """Is any policy of either side?"""
    return bool(seeking(setup, "retreat") or seeking(setup, "loss_order"))


def too_large(setup: Setup, why: str) -> Refusal:
    """The refusal of line-ups in which no side can choose its losses."""
    side = seeking(setup, "loss_order")[0]
    return Refusal(f"policy.{side}.loss_order", f"best: too many units, {why}; give fewer")


def ways_of(setup: Setup, side: str, places: Places, aims: Sequence[Hit]) -> dict[str, Any]:
    """The ways in which a side may lose this many hits of these classes of the enemy's: fields of `Army`.

    Raises Refusal for too many.
    """
    most, at, ways = 0, [0], list[int]()
    if choosing := seeking(setup, "loss_order"):
        most = max([0, *(sum(hit.units >> unit & 1 for unit in places.line) for hit in aims)])
        chooses = side in choosing
        least = max(len(aims) * len(places) * (most + 1), _least_ways(places, aims) if chooses else 0)
        for found in _ways(places, aims, most, chooses) if least <= MOST_WAYS else ():
            ways += found
            at.append(len(ways))
            if len(ways) > MOST_WAYS:
                break
        if max(least, len(ways)) > MOST_WAYS:
            raise too_large(setup, "with too many ways to lose them")
    return {"most": most, "ways_at": np.array(at, np.int64), "ways": np.array(ways or [0], np.int64)}


def _least_ways(places: Places, aims: Sequence[Hit]) -> int:
    """A lower bound of the ways to take all numbers of hits in all places."""
    return sum(
        prod(
            size * (size + 1) // 2 if block & hit.units and hit.damage == 1 else size
            for block, size in zip(places.blocks, places.sizes, strict=True)
        )
        for hit in aims
    )


def _ways(places: Places, aims: Sequence[Hit], most: int, chooses: bool) -> Iterator[list[int]]:
    """By hit class, place and hits: the places that a side may come to, that of the fixed order first."""
    size = int(np.prod(places.sizes))
    for aim in aims:
        after = places.after_hit(aim).tolist()
        # A split hit is as many single hits.
        single, each = (1, aim.damage) if aim.split else (aim.damage, 1)
        alone = [places.after_hit(Hit(block, single)).tolist() for block in places.blocks if block & aim.units]
        for place in range(len(places)):
            fixed = place
            rooms = [_taken_by(one, place) for one in alone] if chooses and place < size else []
            for hits in range(most + 1):
                found = [fixed]
                if chooses:
                    wanted = min(hits * each, sum(len(room) - 1 for room in rooms))
                    found += [place + more for more in _spread(rooms, wanted) if place + more != fixed]
                yield found
                fixed = after[fixed]


def _taken_by(after: Sequence[int], place: int) -> list[int]:
    """The number added to a place by 0, 1, 2, ... hits that fall on one unit only, as many as it can take."""
    found, now = [0], place
    while after[now] != now:
        now = after[now]
        found.append(now - place)
    return found


def _spread(rooms: Sequence[Sequence[int]], hits: int) -> Iterator[int]:
    """The number added to a place by each way to spread hits, most hits on the first unit first."""
    if not rooms:
        if hits == 0:
            yield 0
        return
    room, rest = rooms[0], rooms[1:]
    for here in range(min(len(room) - 1, hits), -1, -1):
        for more in _spread(rest, hits - here):
            yield room[here] + more


def decisions(field: Any, states: Any, options: np.ndarray) -> Columns:
    """Columns of decision states, shape (states,): the units left and the choice as text, the round as int64.

    `options`: int32, shape (states,).
    """
    p, setup, places = field.chain.params, field.setup, field.places
    asked = states.stage >= ATTACKER_ASKED
    attacks = (states.stage == ATTACKER_ASKED) | (states.stage == ATTACKER_LOSES)
    defender = np.where(states.stage == DEFENDER_LOSES, states.defender_next, states.defender)
    who, what = np.where(attacks, "attacker", "defender"), np.where(asked, "retreat", "loss_order")
    columns: Columns = {
        "decision": np.array([f"policy.{one}.{two}" for one, two in zip(who.tolist(), what.tolist(), strict=True)]),
        "attacker": _standing(setup, places["attacker"], states.attacker),
        "defender": _standing(setup, places["defender"], defender),
    }
    if p.clock > 0:
        columns["round"] = states.clock
    choice = np.where(options == LEAVE, "leave", "stay").astype(object)
    rows = [part.tolist() for part in states]
    for i in np.flatnonzero(~asked).tolist():
        s, side = State(*(part[i] for part in rows)), "attacker" if attacks[i] else "defender"
        after, at = takes(p, s, int(options[i])), "attacker" if attacks[i] else "defender_next"
        lost = places[side].taken[getattr(after, at)] - places[side].taken[getattr(s, at)]
        choice[i] = "hits on " + counted(lost, setup.names)
    return columns | {"choice": choice}


def _standing(setup: Setup, places: Places, at: np.ndarray) -> np.ndarray:
    return np.array([counted(row, setup.names) for row in places.left], dtype=object)[at]
