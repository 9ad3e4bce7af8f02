"""Kings & Things, ten creatures against ten in a citadel, vectorised over battles with NumPy: the peer of our kernels.

The shipped example `knt-ten-against-a-citadel`, its counters written out in the order in which they are lost. Two
honest ways: every die rolled, and the hits of each step drawn from the counted table of who is left. The faster is
measured.
"""

from __future__ import annotations

import numpy as np

MAGIC, RANGED, MELEE = range(3)
# (value, step, dice), first lost first.
ATTACKERS = (
    [(2, RANGED, 1)] * 2 + [(3, RANGED, 1)] + [(4, MELEE, 1)] * 3 + [(4, MAGIC, 1)] * 2 + [(3, MELEE, 2), (4, MELEE, 2)]
)
DEFENDERS = (
    [(1, RANGED, 1)] + [(2, MELEE, 1)] * 3 + [(2, MAGIC, 1)] + [(3, MELEE, 1)] * 2
    + [(3, MAGIC, 1), (4, RANGED, 1), (3, MELEE, 2)]
)  # fmt: skip
CITADEL = 4


def _dice(counters: list[tuple[int, int, int]], fort: int) -> list[list[list[int]]]:
    """Values of the dice rolled: [hits taken][step]."""
    found = []
    for hits in range(fort + len(counters) + 1):
        steps: list[list[int]] = [[], [], []]
        if hits < fort:
            steps[MAGIC].append(fort - hits)
        for value, step, dice in counters[max(0, hits - fort) :]:
            steps[step] += [value] * dice
        found.append(steps)
    return found


def _hit_limits(dice: list[list[list[int]]]) -> np.ndarray:
    """Chances of at most 0, 1, 2 ... hits: [hits taken, step, hits]."""
    most = max(len(values) for steps in dice for values in steps)
    limits = np.ones((len(dice), 3, most))
    for taken, steps in enumerate(dice):
        for step, values in enumerate(steps):
            ways = np.ones(1)
            for value in values:
                ways = np.convolve(ways, [6 - value, value])
            limits[taken, step, : len(ways) - 1] = np.cumsum(ways / ways.sum())[:-1]
    return limits


def _value_table(dice: list[list[list[int]]]) -> np.ndarray:
    """The dice themselves, 0 where there is none: [hits taken, step, die]."""
    most = max(len(values) for steps in dice for values in steps)
    table = np.zeros((len(dice), 3, most), np.int8)
    for taken, steps in enumerate(dice):
        for step, values in enumerate(steps):
            table[taken, step, : len(values)] = values
    return table


DICE = (_dice(ATTACKERS, 0), _dice(DEFENDERS, CITADEL))
LIMITS = tuple(_hit_limits(dice) for dice in DICE)
VALUES = tuple(_value_table(dice) for dice in DICE)


def _drawn(side: int, taken: np.ndarray, step: int, rng: np.random.Generator) -> np.ndarray:
    limits = LIMITS[side][:, step]
    used = int((limits < 1).any(axis=0).sum())
    luck = rng.random(len(taken))
    hits = np.zeros(len(taken), np.int8)
    for column in range(used):
        hits += luck >= limits[:, column][taken]
    return hits


def _rolled(side: int, taken: np.ndarray, step: int, rng: np.random.Generator) -> np.ndarray:
    values = VALUES[side][:, step]
    used = int((values > 0).any(axis=0).sum())
    faces = rng.integers(1, 7, (len(taken), used), np.int8)
    return (faces <= values[taken, :used]).sum(axis=1)


def _fight(n: int, rng: np.random.Generator, throw) -> dict[str, np.ndarray]:
    ends = len(ATTACKERS), CITADEL + len(DEFENDERS)
    own, enemy, rounds = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    running = np.arange(n)
    while len(running):
        rounds[running] += 1
        for step in (MAGIC, RANGED, MELEE):
            a, d = own[running], enemy[running]
            on_defender, on_attacker = throw(0, a, step, rng), throw(1, d, step, rng)
            a, d = np.minimum(a + on_attacker, ends[0]), np.minimum(d + on_defender, ends[1])
            own[running], enemy[running] = a, d
            running = running[(a < ends[0]) & (d < ends[1])]
    return {"attacker_hits": own, "defender_hits": enemy, "rounds": rounds, "winner": np.where(own < ends[0], 0, 1)}


def battles_by_dice(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Roll every die."""
    return _fight(n, rng, _rolled)


def battles_by_table(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Draw each side's hits of a step from its table with one uniform number."""
    return _fight(n, rng, _drawn)
