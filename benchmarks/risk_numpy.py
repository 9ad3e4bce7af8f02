"""Risk, 20 against 15 to the end, vectorised over battles with NumPy: the peer of our kernels.

Two honest ways: dice rolled and sorted, and results drawn from the counted table of each hand.
"""

from __future__ import annotations

from itertools import product

import numpy as np

ATTACKERS, DEFENDERS = 20, 15


def battles_by_dice(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Roll and sort every die."""
    own, enemy = np.full(n, ATTACKERS), np.full(n, DEFENDERS)
    running = np.arange(n)
    while len(running):
        a, d = own[running], enemy[running]
        mine = rng.integers(1, 7, (len(running), 3), np.int8)
        theirs = rng.integers(1, 7, (len(running), 2), np.int8)
        mine[a < 3, 2] = 0
        mine[a < 2, 1] = 0
        theirs[d < 2, 1] = 0
        mine, theirs = -np.sort(-mine, axis=1), -np.sort(-theirs, axis=1)
        second = (a > 1) & (d > 1)
        lost = (mine[:, 0] <= theirs[:, 0]).astype(np.int64) + (second & (mine[:, 1] <= theirs[:, 1]))
        own[running] = a - lost
        enemy[running] = d - (1 + second - lost)
        running = running[(own[running] > 0) & (enemy[running] > 0)]
    return {"attackers": own, "defenders": enemy, "winner": np.where(enemy == 0, 0, 1)}


def _thresholds() -> np.ndarray:
    """Chances of losing 0, and 0 or 1, for each hand: [attack dice, defence dice, 2]."""
    table = np.ones((4, 3, 2))
    for a in (1, 2, 3):
        for d in (1, 2):
            ways = np.zeros(3)
            for dice in product(range(1, 7), repeat=a + d):
                pairs = zip(sorted(dice[:a], reverse=True), sorted(dice[a:], reverse=True), strict=False)
                ways[sum(x <= y for x, y in pairs)] += 1
            table[a, d] = np.cumsum(ways / ways.sum())[:2]
    return table


THRESHOLDS = _thresholds()


def battles_by_table(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Draw each round's losses from its table with one uniform number."""
    own, enemy = np.full(n, ATTACKERS), np.full(n, DEFENDERS)
    running = np.arange(n)
    while len(running):
        a, d = own[running], enemy[running]
        hand_a, hand_d = np.minimum(a, 3), np.minimum(d, 2)
        limits = THRESHOLDS[hand_a, hand_d]
        luck = rng.random(len(running))
        lost = (luck >= limits[:, 0]).astype(np.int64) + (luck >= limits[:, 1])
        a, d = a - lost, d - (np.minimum(hand_a, hand_d) - lost)
        own[running], enemy[running] = a, d
        running = running[(a > 0) & (d > 0)]
    return {"attackers": own, "defenders": enemy, "winner": np.where(enemy == 0, 0, 1)}
