"""Beachy Head (the example europa-beachy-head-1690), vectorised over battles with NumPy: the peer of our kernels.

Every die is drawn as a number from 1 to 10; results are looked up in arrays prepared per roll. Written for this battle:
warships on both sides, given leaders, nobody leaves or breaks off, no retreat attrition.
"""

from __future__ import annotations

import numpy as np

from simulator import load
from simulator.rules.europa.sea.battle import BattleSetup
from simulator.rules.europa.sea.losses import Fight
from simulator.rules.europa.sea.squadrons import engagement

SETUP = BattleSetup(engagement(load("europa-beachy-head-1690").fields))
MET, FIGHTING = SETUP.engagement, SETUP.fighting
GROUPS = {group.wind: group for group in FIGHTING.groups}
MORALE = MET.morale
SIZE = tuple(squadron.fleet.thirds for squadron in MET.squadrons)
MAN = tuple(squadron.leader.manoeuvre for squadron in MET.squadrons)
MOST = 90
MODIFIED = np.array(
    [[[SETUP.losses.modified(side, n, bool(routed)) for n in range(MOST)] for routed in (0, 1)] for side in (0, 1)]
)


def _results(side: int, roll: int, drm: int) -> list[tuple[int, int]]:
    return [FIGHTING.read(side, roll, die + drm) for die in range(11)]


def _rolled(side: int, roll: int, wind: int, worse: int) -> list[tuple[int, int]]:
    return _results(side, roll, FIGHTING.drm(side, GROUPS[wind], roll, 0, worse * (side + 1)))


# [roll, side, wind, has suffered more stars, die] -> thirds, stars
ROLLS = np.array(
    [
        [
            [
                [_rolled(side, roll, wind, worse) for worse in (0, 1)]
                for wind in (0, 1, 2)
            ]
            for side in (0, 1)
        ]
        for roll in range(4)
    ]
)  # fmt: skip
# [side, wind, rolls fought, die] -> thirds, stars
PURSUIT = np.array(
    [
        [
            [
                [
                    MET.book.combat_roll(
                        MET.pursuit_column(side),
                        die + FIGHTING.pursuit_drm(side, GROUPS[wind], rolls) + max(0, MAN[side] - MAN[1 - side]),
                    )
                    for die in range(11)
                ]
                for rolls in range(5)
            ]
            for wind in (0, 1, 2)
        ]
        for side in (0, 1)
    ]
)


# [side, won, routed, stars of the pursuit, thirds]: warships left in thirds, losses.
LEFT = np.array(
    [
        [
            [
                [
                    [
                        (record.fleet.warships, record.losses, record.captured.detachments)
                        for n in range(MOST)
                        for record in [SETUP.losses.record(side, Fight(bool(won), bool(routed), caught, n))]
                    ]
                    for caught in range(4)
                ]
                for routed in (0, 1)
            ]
            for won in (0, 1)
        ]
        for side in (0, 1)
    ]
)


def battles(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Fight n battles: winner codes, losses in thirds, ships left and leaders' fates."""
    lead = rng.integers(1, 11, n) + MAN[0] - rng.integers(1, 11, n) - MAN[1]
    lead += MET.wind_advantage(0) - MET.wind_advantage(1)
    wind = np.where(lead > 0, 0, np.where(lead < 0, 1, 2))
    loss, stars = np.zeros((2, n), np.int64), np.zeros((2, n), np.int64)
    winner, fought = np.full(n, 2), np.full(n, 4)
    running = np.arange(n)
    for roll in range(4):
        worse = stars[0, running] - stars[1, running]
        for side in (0, 1):
            behind = (worse > 0 if side == 0 else worse < 0).astype(np.int64) * (roll > 0)
            result = ROLLS[roll, side, wind[running], behind, rng.integers(1, 11, len(running))]
            loss[1 - side, running] += result[:, 0]
            stars[1 - side, running] += result[:, 1]
        routed = stars[0, running] >= MORALE[0], stars[1, running] >= MORALE[1]
        over = routed[0] | routed[1]
        winner[running[over]] = np.where(routed[0] & routed[1], 2, np.where(routed[0], 1, 0))[over]
        fought[running[over]] = roll + 1
        running = running[~over]
    left = MORALE[0] - stars[0, running], MORALE[1] - stars[1, running]
    winner[running] = np.where(left[0] > left[1], 0, np.where(left[1] > left[0], 1, 2))
    return _aftermath(rng, loss, stars, winner, fought, wind)


def _aftermath(
    rng: np.random.Generator,
    loss: np.ndarray,
    stars: np.ndarray,
    winner: np.ndarray,
    fought: np.ndarray,
    wind: np.ndarray,
) -> dict[str, np.ndarray]:
    """Wiped-out fleets, pursuit, losses and leaders."""
    n = len(winner)
    wiped = [MODIFIED[side, 0, loss[side]] > SIZE[side] for side in (0, 1)]
    winner = np.where(wiped[0] & wiped[1], 2, np.where(wiped[0], 1, np.where(wiped[1], 0, winner)))
    caught = np.zeros((2, n), np.int64)
    for side in (0, 1):
        chasing = np.flatnonzero((winner == side) & (stars[side] < MORALE[side]))
        result = PURSUIT[side, wind[chasing], fought[chasing], rng.integers(1, 11, len(chasing))]
        loss[1 - side, chasing] += result[:, 0]
        stars[1 - side, chasing] += result[:, 1]
        caught[1 - side, chasing] = result[:, 1]
    out: dict[str, np.ndarray] = {"winner": winner, "rolls": fought}
    for side, name in enumerate(("attacker", "defender")):
        routed = (stars[side] >= MORALE[side]).astype(np.int64)
        found = LEFT[side, (winner == side).astype(np.int64), routed, caught[side], loss[side]]
        out[f"{name}_thirds_left"], out[f"{name}_losses_thirds"] = found[:, 0], found[:, 1]
        out[f"{name}_ships_lost"] = found[:, 2]
        die, second = rng.integers(1, 11, n), rng.integers(1, 11, n)
        hit = die - (winner != side) - 5 * (found[:, 0] == 0) <= 1
        out[f"{name}_fate"] = np.where(hit, 1 + (second % 2 == 0), 0)
    return out
