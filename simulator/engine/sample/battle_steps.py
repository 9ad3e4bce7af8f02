"""One battle, step by step, as plain Python; imports no compiler."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from simulator.engine.graph.value_iteration import best_option, first_state
from simulator.engine.model.chain import Chain
from simulator.engine.model.interpreted import plain_params, plain_state
from simulator.engine.model.limits import BrokenGame

# No battle is believed to end that has not after so many rolls.
MOST_ROLLS = 1 << 19
# The length of a battle is measured by so many battles, or fewer when they have made ENOUGH_ROLLS; at most SCOUT_ROLLS
# are made (half a second).
SCOUTS, ENOUGH_ROLLS, SCOUT_ROLLS = 4, 1 << 8, 1 << 17
# Battles of so many rolls come to new states nearly all the time: the rules alone are about as fast as looking states
# up, and compile in half the time (Risk, 10,000 a side: 40 million rolls a second either way; 4.3 s against 8.1 s).
LONG_BATTLE = 1 << 11
# The attribute of a chain that caches its number of rolls a battle.
_KEPT = "_rolls_a_battle"

Roll = Callable[[Any], tuple[int, int]]


def walk(chain: Chain, roll: Roll, name: str, params: Any = None) -> Iterator[tuple[Any, Any, Any]]:
    """The steps of one battle: state before, result (a pair for two rolls), state after; `name` is for messages.

    Raises BrokenGame where the game breaks its contract.
    """
    running, p = chain.part("running"), chain.params if params is None else params
    state, move = plain_state(chain, first_state(chain, p)), chain.mover(best_option(chain))
    for _ in range(2 * MOST_ROLLS):
        if not running(p, state):
            return
        result, other = roll(state)
        after = plain_state(chain, move(p, state, result, other), state)
        yield state, (result, other) if chain.paired else result, after
        state = after
    raise BrokenGame(f"{name} did not end within {2 * MOST_ROLLS:,} steps; perhaps none does")


def _rolls(chain: Chain, params: Any, dice: random.Random) -> Roll:
    """Rolls as likely as those of battles, but not theirs: for those all tables would have to be made ready first."""
    table, second = chain.part("table"), chain.part("second")
    first, result, weight = chain.tables.rows

    @cache
    def row(number: int) -> tuple[list[int], list[float]]:
        place = slice(first[number], first[number + 1])
        return result[place].tolist(), np.cumsum(weight[place]).tolist()

    def drawn(number: int, state: Any) -> int:
        if not 0 <= number < len(chain.tables):
            raise BrokenGame(f"chance table {number}: there are tables 0 to {len(chain.tables) - 1}; state {state}")
        results, sums = row(number)
        return int(dice.choices(results, cum_weights=sums)[0])

    def roll(state: Any) -> tuple[int, int]:
        result = drawn(int(table(params, state)), state)
        return result, drawn(int(second(params, state)), state) if chain.paired else 0

    return roll


def rolls_a_battle(chain: Chain) -> float:
    """About how many rolls a battle takes: the mean of a few battles, at most SCOUT_ROLLS. Kept with the chain.

    The same on every machine.
    """
    kept = vars(chain)
    if _KEPT not in kept:
        params, rolls, battles = plain_params(chain.params), 0, 0
        roll = _rolls(chain, params, random.Random(0))
        try:
            while battles < SCOUTS and rolls < ENOUGH_ROLLS:
                rolls += sum(1 for _ in islice(walk(chain, roll, "a battle", params), SCOUT_ROLLS))
                battles += 1
        except BrokenGame:
            pass  # the battles that are counted come to it as well, and their error says more
        kept[_KEPT] = max(1.0, rolls / max(1, battles))
    return float(kept[_KEPT])
