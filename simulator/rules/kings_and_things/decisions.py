"""The decisions of best play in words: retreats, and losses of the owner's choice (docs/rules/decisions.md 2.3)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from simulator.rules.battle import Columns
from simulator.rules.kings_and_things.forces import Catalogue, Forces
from simulator.rules.kings_and_things.rules import FALLS, LOSE, STAY, Params
from simulator.rules.kings_and_things.text import STEP_NAMES, things
from simulator.rules.sides import SIDES

PATHS = np.array([f"policy.{side}.{what}" for what in ("retreat", "losses") for side in SIDES])


def decisions(forces: Forces, p: Params, states: Any, options: np.ndarray) -> Columns:
    """Columns of decision states, shape (states,): the counters left, own hits to take, and the option taken as text.

    `options`: int32, shape (states,).
    """
    losing = states.phase == LOSE
    side = np.where(losing, states.turn, states.turn != 0)
    columns: Columns = {"decision": PATHS[side + 2 * losing]}
    for i, name in enumerate(SIDES):
        left = cache(lambda condition, i=i: _left(*forces.at(i, condition)))
        columns[name] = np.array([left(condition) for condition in getattr(states, f"side{i}").tolist()], dtype=object)
    choice = np.where(options == STAY, "stay", "leave").astype(object)
    if losing.any():
        before = np.where(side == 0, states.side0, states.side1)[losing]
        hits = np.where(side == 0, states.hits0, states.hits1) >> 1
        place = p.row * before + FALLS + 2 * (states.step[losing] * p.width + hits[losing]) + 1
        after = p.ways[1 + options[losing] - p.about[place]]
        lost = cache(lambda i, *conditions: _lost(*(forces.at(i, condition) for condition in conditions)))
        choice[losing] = list(map(lost, side[losing].tolist(), before.tolist(), after.tolist()))
        columns |= {"step": np.where(losing, np.array(STEP_NAMES, object)[states.step], ""), "hits": hits * losing}
    return columns | {"choice": choice}


def _left(one: Catalogue, number: int) -> str:
    """Everything left in a condition: the counters, and the levels of the structures."""
    left = one.left[number]
    return ", ".join(things(one, left, left, "{wall} ({level})")) or "nobody"


def _lost(was: tuple[Catalogue, int], now: tuple[Catalogue, int]) -> str:
    """The losses between two conditions of a side."""
    left = was[0].left[was[1]]
    lost = things(was[0], left, left - now[0].left[now[1]], "{level} of {wall}")
    return f"lose {', '.join(lost)}"
