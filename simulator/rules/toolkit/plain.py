"""The answer of a battle kind written in the plain form (simulator/engine/model/plain.py)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from simulator.engine.model.kept import Recent
from simulator.engine.model.plain import OVER, Follow, PlainBattle
from simulator.rules.battle import Built, Columns

# The battles explored last, of at most this many states together, and the place of the rows of their final states.
_ALIKE = Recent[PlainBattle](400_000, lambda battle: len(battle.states))
ROWS = "rows"


def alike(numbers: Hashable, start: Hashable, follow: Follow, label: str = "") -> PlainBattle:
    """A plain battle; one whose states and columns depend on the same `numbers` is not explored again."""
    known = _ALIKE.get(numbers)
    return known.with_words(follow) if known else _ALIKE.keep(numbers, PlainBattle(start, follow, label=label))


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

    def decisions(states: Any, options: np.ndarray) -> Columns:
        rows = []
        for place, option in zip(states.place.tolist(), options.tolist(), strict=True):
            state, choice = battle.choice_at(place)
            words = {} if describe is None else describe(state)
            rows.append({"decision": choice.policy, **words, "choice": list(choice.options)[option]})
        return {name: np.array([row[name] for row in rows]) for name in (rows[0] if rows else ())}

    return Built(
        chain=battle.chain,
        outcome=outcome,
        assumptions=lambda: assumptions,
        explain=lambda: explain,
        decisions=decisions,
    )
