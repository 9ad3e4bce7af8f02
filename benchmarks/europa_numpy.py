"""Blenheim (the example europa-blenheim-1704), vectorised over battles with NumPy: the peer of our kernels.

Every die is drawn as a number from 1 to 10; results are looked up in arrays prepared per roll. Written for this
battle: one die a side, both sides of 8 LD in Europe, given leaders, no break-off.
"""

from __future__ import annotations

import numpy as np

from simulator import load
from simulator.rules.europa.land.leaders import retreat_thirds
from simulator.rules.europa.land.tables import LandSetup
from simulator.rules.europa.shared.leaders import Trial, fate

MET = LandSetup(load("europa-blenheim-1704").fields)
PAIR = next(iter(MET.pairs))
SIZE = MET.stacks[0].size
MORALE = tuple(stack.morale for stack in MET.stacks)
MAN = PAIR.manoeuvre
FRAGILE = PAIR.fragile & 1 > 0, PAIR.fragile & 2 > 0
MODIFIED = np.array([[MET.book.modified_loss(MET.steps[side], n) for n in range(SIZE + 1)] for side in (0, 1)])
RETREAT = np.array([0] + [retreat_thirds(value) for value in range(1, 11)])


def _results(column: str, drm: int) -> np.ndarray:
    """Thirds and stars by die from 0 (unused) to 10: [2, 11]."""
    rows = [MET.book.combat_roll(column, die + drm) for die in range(11)]
    return np.array(rows).T


ROLLS = {
    (day, step): [_results(MET.stacks[side].columns[step], MET.drm(side, PAIR, name, day)) for side in (0, 1)]
    for day in (1, 2)
    for step, name in enumerate(("fire", "shock"))
}
PURSUIT = [[_results("E", MET.drm(side, PAIR, "pursuit") + more) for more in range(4)] for side in (0, 1)]
FATES = np.array(
    [
        [
            [[fate(MET.stacks[side].leader, Trial(bool(how & 1), bool(how & 2), FRAGILE[side]), die, second)
              for second in range(1, 11)] for die in range(1, 11)]
            for how in range(4)
        ]
        for side in (0, 1)
    ]
)  # fmt: skip


def _inflicted(side: int, tally: np.ndarray) -> np.ndarray:
    return MODIFIED[side, np.minimum(tally, SIZE)]


def battles(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Fight n battles: winner codes, losses in thirds, morale left and leaders' fates."""
    tally, stars = np.zeros((2, n), np.int64), np.zeros((2, n), np.int64)
    winner, ended = np.full(n, 3), np.zeros(n, np.int64)
    running = np.arange(n)
    for day in (1, 2):
        for step in (0, 1):
            for side in (0, 1):
                thirds, star = ROLLS[day, step][side][:, rng.integers(1, 11, len(running))]
                tally[side, running] += thirds
                stars[side, running] = np.minimum(stars[side, running] + star, MORALE[1 - side])
            routed = stars[1, running] >= MORALE[0], stars[0, running] >= MORALE[1]
            over = routed[0] | routed[1]
            winner[running[over]] = np.where(routed[0] & routed[1], 2, np.where(routed[0], 1, 0))[over]
            ended[running[over]] = (2 if day == 1 else 0) + (1 if step == 0 else 0)
            running = running[~over]
        if day == 1:
            gone = [_inflicted(1 - side, tally[1 - side, running]) > SIZE for side in (0, 1)]
            over = gone[0] | gone[1]
            ended[running[over]] = 2
            running = running[~over]
    return _aftermath(rng, tally, stars, winner, ended)


def _aftermath(
    rng: np.random.Generator, tally: np.ndarray, stars: np.ndarray, winner: np.ndarray, ended: np.ndarray
) -> dict[str, np.ndarray]:
    """Winner, pursuit, losses and leaders."""
    n = len(winner)
    left = MORALE[0] - stars[1], MORALE[1] - stars[0]
    by_morale = np.where(left[0] > left[1], 0, np.where(left[1] > left[0], 1, 2))
    gone = [_inflicted(1 - side, tally[1 - side]) > SIZE for side in (0, 1)]
    winner = np.where(winner == 3, by_morale, winner)
    winner = np.where(gone[0] & gone[1], 2, np.where(gone[0], 1, np.where(gone[1], 0, winner)))
    for side in (0, 1):
        chasing = np.flatnonzero((winner == side) & (left[side] > 0))
        results = np.array(PURSUIT[side])[ended[chasing], :, rng.integers(1, 11, len(chasing))]
        tally[side, chasing] += results[:, 0]
        stars[side, chasing] = np.minimum(stars[side, chasing] + results[:, 1], MORALE[1 - side])
    out: dict[str, np.ndarray] = {"winner": winner}
    for side, name in enumerate(("attacker", "defender")):
        morale = MORALE[side] - stars[1 - side]
        man = np.where(morale > 0, MAN[side], 0)
        back = np.where(winner == side, 0, RETREAT[np.maximum(0, rng.integers(1, 11, n) - man)])
        lost = np.minimum(SIZE, (_inflicted(1 - side, tally[1 - side]) + back + 1) // 3 * 3)
        how = (winner == side) + 2 * (lost == SIZE)
        dice = rng.integers(0, 10, (2, n))
        out[f"{name}_losses_thirds"], out[f"{name}_morale_left"] = lost, morale
        out[f"{name}_fate"] = FATES[side][how, dice[0], dice[1]]
    return out
