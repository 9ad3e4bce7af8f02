"""Where a side's chance to win is too small to go on (`odds-below`, docs/rules/custom_games.md section 8)."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from itertools import product
from typing import Any

import numpy as np

from simulator.engine.api import state_values
from simulator.engine.model.interpreted import plain_params
from simulator.rules.custom.build import Field, lay_out, winner_of
from simulator.rules.custom.format import SIDES
from simulator.rules.custom.rules import State, begun
from simulator.rules.custom.setup import Setup

SLACK = 1e-12
# A limit of many rounds is first tried as one of so few: far from the last round chances change no more.
FEW_ROUNDS, ALIKE = 64, 1e-14


def hopeless(setup: Setup, wanted: Mapping[str, float]) -> dict[str, np.ndarray]:
    """1 where a round begins with less than the wanted chance to win, nobody ever retreating: by side, and there by
    clock, own and enemy place.
    """
    rounds, few = setup.rounds or 0, FEW_ROUNDS + 2 * setup.phases
    while 2 * few < rounds:
        chances = _chances(setup, wanted, few)
        middle = few // 2
        if all(_alike(*chance[middle : middle + 2]) for chance in chances.values()):
            found = _below(chances, wanted)
            return {side: np.insert(below, [middle] * (rounds - few), below[middle], axis=0)
                    for side, below in found.items()}  # fmt: skip
        few *= 4
    return _below(_chances(setup, wanted, rounds), wanted)


def _below(chances: Mapping[str, np.ndarray], wanted: Mapping[str, float]) -> dict[str, np.ndarray]:
    return {side: (chance < wanted[side] - SLACK).astype(np.int64) for side, chance in chances.items()}


def _alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Are these the chances of the same places, and the same? Then so are those of all rounds between alike."""
    return bool(np.allclose(one, other, rtol=0, atol=ALIKE, equal_nan=True))


def _chances(setup: Setup, wanted: Mapping[str, float], rounds: int) -> dict[str, np.ndarray]:
    """Chances to win where a round begins (NaN where none does), with a limit of so many rounds (0: without one)."""
    limited = copy(setup)
    limited.rounds = rounds or None
    field = lay_out(limited, obey=False)
    return {side: _chances_of(field, side) for side in wanted}


def _chances_of(field: Field, side: str) -> np.ndarray:
    """A side's chances by clock, own and enemy place."""

    def wins(ends: Any) -> np.ndarray:
        return np.asarray(winner_of(field, ends) == SIDES.index(side))

    states, value = state_values(field.chain, wins)
    seen = zip(*(part.tolist() for part in states._replace(rounds=value)), strict=True)
    known = {state[:-1]: state[-1] for state in seen}
    p = plain_params(field.params)
    attackers, defenders = (field.places[one].units.tolist() for one in SIDES)
    found = np.full((p.clock + 1, len(attackers), len(defenders)), np.nan)
    last = p.clock if p.round_limit == 0 else p.round_limit - 1
    for clock, attacker, defender in product(range(last + 1), range(len(attackers)), range(len(defenders))):
        if attackers[attacker] and defenders[defender] and p.opening < p.salvos:
            after = begun(p, State(attacker, defender, 0, 0, p.opening, clock, 0, 0))
            if after.ending:
                found[clock, attacker, defender] = wins(State(*(np.array([part]) for part in after)))[0]
            else:
                found[clock, attacker, defender] = known.get(after[:-1], np.nan)
    return found if side == "attacker" else np.ascontiguousarray(found.transpose(0, 2, 1))
