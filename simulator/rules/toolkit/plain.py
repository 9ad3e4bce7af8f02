"""The answer of a battle kind written in the plain form (simulator/engine/model/plain.py)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from simulator.engine.model.kept import Recent
from simulator.engine.model.plain import OVER, Follow, PlainBattle
from simulator.rules.battle import Built, Columns

# Battles are kept for others that are alike, such as the next ones of a sweep: of 136 battles of
# `sensitivity power-campaign-naples` 68 differ, of 141 of `sensitivity europa-tlaxcala-1519` 50.
KEPT_BYTES, BYTES_OF_A_STATE = 80_000_000, 730
_explored: Recent[PlainBattle] = Recent(KEPT_BYTES, lambda battle: BYTES_OF_A_STATE * len(battle.states))
# The place, in what a battle keeps, of the rows of its final states.
ROWS = "rows"


def alike(key: Hashable, start: Hashable, follow: Follow, counters: Sequence[str] = (), label: str = "") -> PlainBattle:
    """A battle in the plain form; those with an equal `key` differ in their words alone, and are explored once."""
    if known := _explored.get(key):
        return known.with_words(follow, label)
    return _explored.keep(key, PlainBattle(start, follow, counters, label))


def built(
    battle: PlainBattle,
    columns: Callable[..., Mapping[str, Any]],
    assumptions: Sequence[str] = (),
    explain: Sequence[str] = (),
    describe: Callable[[Any], Mapping[str, Any]] | None = None,
) -> Built:
    """Everything that answers a plain battle.

    `columns(state, **counters)`: the row of the outcome of a final state. `describe(state)`: a state in which a side
    decides, in the words of the game, for battles with choices.
    """

    def rows_of(final: Any) -> Columns:
        rows = [columns(state, **counters) for state, counters in battle.ends(final)]
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    def rows_by_place(battle: PlainBattle) -> tuple[np.ndarray, Columns]:
        """The places of all final states, and their rows."""
        places = np.flatnonzero(battle.chain.params.table == OVER)
        return places, rows_of(type(battle.chain.start)(places, np.zeros_like(places)))

    def outcome(final: Any) -> Columns:
        if battle.chain.counters:
            return rows_of(final)
        if ROWS not in battle.kept:
            battle.kept[ROWS] = rows_by_place(battle)
        places, rows = battle.kept[ROWS]
        chosen = np.searchsorted(places, final.place)
        return {name: column[chosen] for name, column in rows.items()}

    return Built(
        chain=battle.chain,
        outcome=outcome,
        assumptions=lambda: assumptions,
        explain=lambda: explain,
        decisions=partial(decisions, battle, describe or (lambda state: {})),
    )


def decisions(
    battle: PlainBattle, describe: Callable[[Any], Mapping[str, Any]], states: Any, options: np.ndarray
) -> Columns:
    """Columns of decision states: the policy, the state as `describe` has it, and the option taken (int32) as text."""
    rows = []
    for place, option in zip(states.place.tolist(), options.tolist(), strict=True):
        state, choice = battle.choice_at(place)
        rows.append({"decision": choice.policy, **describe(state), "choice": list(choice.options)[option]})
    return {name: np.array([row[name] for row in rows]) for name in (rows[0] if rows else ())}
