"""Custom games played as well as possible: from the plain chain to one with decisions, and these in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from simulator.engine.model.chain import SIDES, Chain
from simulator.rules.battle import Columns, Refusal
from simulator.rules.custom.decisions import best_rules
from simulator.rules.custom.decisions.best_rules import (
    ATTACKER_ASKED,
    ATTACKER_LOSES,
    DEFENDER_LOSES,
    BestParams,
    BestState,
)
from simulator.rules.custom.dice.die import Hit
from simulator.rules.custom.dice.opposed import BOTH
from simulator.rules.custom.line import Places
from simulator.rules.custom.setup import Setup
from simulator.rules.toolkit.naming import counted

MOST_WAYS = 20_000_000


def seeks(setup: Setup, side: str, what: str) -> bool:
    """Is a policy (`retreat`, `loss_order`) of a side `best`?"""
    chosen = getattr(getattr(setup.fields.policy, side), what)
    return chosen == "best" or (isinstance(chosen, list) and "best" in chosen)


def sought(setup: Setup) -> bool:
    """Is any policy of either side?"""
    return setup.obeys and any(seeks(setup, side, what) for side in SIDES for what in ("retreat", "loss_order"))


def with_decisions(setup: Setup, chain: Chain, places: dict[str, Places], aims: dict[str, list[Hit]]) -> Chain:
    """The chain in which best policies are states of their own; `aims` are the hit classes on each side."""
    plain, limits = chain.params, chain.limits
    lose = np.array([seeks(setup, side, "loss_order") for side in SIDES], np.int64)
    if not (plain.begins.all() and plain.ends.all()):
        raise Refusal(SIDES[int(lose.argmax())], "too many units for best play: their hits cannot be told apart")
    params = BestParams(
        battle=plain,
        leave=np.array([seeks(setup, side, "retreat") for side in SIDES], np.int64),
        lose=lose,
        in_turn=int(lose.any()),
        places=np.array([len(places[side]) for side in SIDES], np.int64),
        **_ways_of_sides(places, aims, lose),
    )
    armies = plain.attacker, plain.defender
    largest = max(BOTH, *(int((army.stride * army.size).max(initial=0)) for army in armies))
    parts = max(int(army.classes.max(initial=0)) for army in armies)
    start = best_rules.opened(params, BestState(*[0] * len(BestState._fields)))
    return replace(
        chain,
        params=params,
        factored=None if lose.any() else chain.factored,
        start=BestState(*(int(value) for value in start)),
        limits=BestState(
            **limits._asdict() | {"defender_next": limits.defender, "salvo": limits.salvo},
            stage=best_rules.DEFENDER_ASKED,
            hits=largest,
            part=parts,
            waiting=largest,
        ),
    )


def _ways_of_sides(places: dict[str, Places], aims: dict[str, list[Hit]], lose: np.ndarray) -> dict[str, np.ndarray]:
    """The ways of both sides to lose so many hits: fields of BestParams. Raises Refusal for too many."""
    most, at, ways, base = [], [0], [], []
    for n, side in enumerate(SIDES):
        base.append(len(at) - 1)
        most.append(max([0, *(sum(hit.units >> unit & 1 for unit in places[side].line) for hit in aims[side])]))
        if lose[n] and _least_ways(places[side], aims[side]) > MOST_WAYS:
            raise _too_many_ways(side)
        for found in _ways(places[side], aims[side], most[n], bool(lose[n])):
            ways += found
            at.append(len(ways))
            if len(ways) > MOST_WAYS:
                raise _too_many_ways(side)
    fields = {"base": base, "most": most, "ways_at": at, "ways": ways}
    return {name: np.array(values, np.int64) for name, values in fields.items()}


def _too_many_ways(side: str) -> Refusal:
    return Refusal(f"policy.{side}.loss_order", "best: too many units, with too many ways to lose them")


def _least_ways(places: Places, aims: Sequence[Hit]) -> int:
    """At least so many ways there are to take all numbers of hits in all places."""
    return sum(
        prod(
            size * (size + 1) // 2 if block & hit.units and hit.damage == 1 else size
            for block, size in zip(places.blocks, places.sizes, strict=True)
        )
        for hit in aims
    )


def _ways(places: Places, aims: Sequence[Hit], most: int, choosing: bool) -> Iterator[list[int]]:
    """By hit class, place and hits: the places that a side may come to, that of the fixed order first."""
    size = int(np.prod(places.sizes))
    for aim in aims:
        after = places.after_hit(aim).tolist()
        # A split hit is so many hits, each on its own.
        single, each = (1, aim.damage) if aim.split else (aim.damage, 1)
        alone = [places.after_hit(Hit(block, single)).tolist() for block in places.blocks if block & aim.units]
        for place in range(len(places)):
            fixed = place
            rooms = [_taken_by(one, place) for one in alone] if choosing and place < size else []
            for hits in range(most + 1):
                found = [fixed]
                if choosing:
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
    if p.battle.clock > 0:
        columns["round"] = states.clock
    choice = np.where(options == best_rules.LEAVE, "leave", "stay").astype(object)
    rows = [part.tolist() for part in states]
    for i in np.flatnonzero(~asked).tolist():
        s, side = BestState(*(part[i] for part in rows)), 0 if attacks[i] else 1
        before = s.attacker if side == 0 else s.defender_next
        after = best_rules.takes(p, s, side, int(options[i]))
        taken = places[SIDES[side]].taken
        lost = taken[after.attacker if side == 0 else after.defender_next] - taken[before]
        choice[i] = "hits on " + counted(lost, setup.names)
    return columns | {"choice": choice}


def _standing(setup: Setup, places: Places, at: np.ndarray) -> np.ndarray:
    return np.array([counted(row, setup.names) for row in places.left], dtype=object)[at]
