"""A lower bound on the states of a large battle, counted before anything is explored.

While a side misses, its enemy stays as it is and takes it down. So the attacker's first place meets each place that
his dice bring the defender to, and each of those meets every place that its own dice bring the attacker to.
"""

from __future__ import annotations

import numpy as np

from simulator.engine.model.chance import NO_TABLE, Tables
from simulator.rules.custom.rules.salvo import roll, struck
from simulator.rules.custom.rules.state import Army, Params, State

# Fewer pairs of places than this are explored in a moment. No more places of a side are sought, nor more of the
# defender's counted; no more transitions are counted, since no budget holds them.
LEAST_PAIRS, MOST_PLACES, MOST_FACED, MOST_TRANSITIONS = 1 << 20, 2048, 64, 1 << 30


def least_size(p: Params, start: State, tables: Tables) -> tuple[int, int]:
    """Lower bounds of the states and transitions of a battle.

    (0, 0) for a small one, where somebody may leave or chooses his losses, and where not all rounds are alike.
    """
    pairs = len(p.attacker.units) * len(p.defender.units)
    alike = p.phases == 1 and not (p.clock or p.round_limit or p.retreats or p.chosen or p.compared.any())
    if pairs < LEAST_PAIRS or not alike or start.ending or start.salvo < p.opening:
        return 0, 0
    states = edges = 0
    faced = _worn_down(p, tables, (p.attacker, start.attacker), (p.defender, start.defender))
    for defender in faced[:MOST_FACED].tolist():
        attackers = _worn_down(p, tables, (p.defender, defender), (p.attacker, start.attacker))
        more = _rolled(p, tables, attackers, np.array(defender))
        states, edges = states + more[0], edges + more[1]
        if edges > MOST_TRANSITIONS:
            break
    return states, edges


def _worn_down(p: Params, tables: Tables, by: tuple[Army, int], of: tuple[Army, int]) -> np.ndarray:
    """The places in which a side (`of`, from its place) faces its enemy (`by`), which stays in its own: int64.

    Both can miss in every salvo of each. One salvo of a round hits.
    """
    (enemy, stays), (own, first) = by, of
    misses = np.isin(
        np.arange(len(tables)), np.repeat(np.arange(len(tables)), np.diff(tables.first))[tables.result == 0]
    )
    rows = [(salvo, p.rows[1, salvo]) for salvo in range(p.opening, p.salvos)]
    found = np.zeros(len(own.units), bool)
    new = np.array([first])
    while len(new) and found.sum() < MOST_PLACES:
        for _, row in rows:
            new = new[misses[roll(own, enemy, row, new, stays)] & misses[roll(enemy, own, row, stays, new)]]
        found[new] = True
        reached = np.zeros(len(found), bool)
        for salvo, row in rows:
            dice = roll(enemy, own, row, stays, new)
            for table in np.unique(dice).tolist():
                for result in tables.rows_of(table).tolist():
                    reached[struck(enemy, own, salvo, new[dice == table], result)] = True
        new = np.flatnonzero(reached & ~found & (own.units > 0) & (own.alone == 0))
    return np.flatnonzero(found)


def _rolled(p: Params, tables: Tables, attackers: np.ndarray, defender: np.ndarray) -> tuple[int, int]:
    """The states of one round in which these places face the defender's, and the transitions of their dice.

    Counted are the first two salvos of a group in which dice are rolled: within it states differ by the hits so far.
    """
    size, states, edges = np.diff(tables.first), 0.0, 0.0
    within, rolled = np.ones(len(attackers)), np.zeros(len(attackers), bool)
    for salvo in range(p.opening, p.salvos):
        if p.begins[salvo]:
            within[:] = 1
            rolled[:] = False
        row = p.rows[1, salvo]
        mine = roll(p.attacker, p.defender, row, attackers, defender)
        theirs = roll(p.defender, p.attacker, row, defender, attackers)
        rolls = (mine != NO_TABLE) | (theirs != NO_TABLE)
        states += within[rolls].sum()
        edges += (within * size[mine] * size[theirs])[rolls].sum()
        first = rolls & ~rolled
        if not p.ends[salvo] and first.any():
            taken = _ways(p.defender, p.attacker, salvo, attackers, theirs, tables)
            dealt = _ways(p.attacker, p.defender, salvo, np.repeat(defender, len(mine)), mine, tables)
            within = np.where(first, taken * dealt, within)
        rolled |= rolls
    return int(states), int(edges)


def _ways(own: Army, enemy: Army, salvo: int, places: np.ndarray, dice: np.ndarray, tables: Tables) -> np.ndarray:
    """The number of places that each of the enemy's comes to by its roll: int64, shape (places,)."""
    found = np.ones(len(places), np.int64)
    for table in np.unique(dice).tolist():
        at = places[dice == table]
        after = np.sort([struck(own, enemy, salvo, at, result) for result in tables.rows_of(table).tolist()], axis=0)
        found[dice == table] += (np.diff(after, axis=0) != 0).sum(axis=0)
    return found
