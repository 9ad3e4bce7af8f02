"""The Price of Power in NumPy: the examples power-italian-war (8 v 6, generals) and power-lepanto (5 v 5 ships).

Many battles at once, a round of all of them at a time: the way one would write it without a compiler.
"""

from __future__ import annotations

import numpy as np

ATTACKER, DEFENDER, NOBODY = 0, 1, 2
INFANTRY, TERCIOS, CAVALRY, ARTILLERY, BLANK = 1, 1 << 8, 1 << 16, 1 << 24, 0
# Faces as icons packed in one number, so that summing dice counts all icons at once.
DICE = np.array(
    [
        [INFANTRY, INFANTRY, TERCIOS, CAVALRY, ARTILLERY, BLANK],
        [INFANTRY, INFANTRY, TERCIOS, CAVALRY, CAVALRY, CAVALRY],
        [INFANTRY, INFANTRY, TERCIOS, ARTILLERY, ARTILLERY, ARTILLERY],
    ],
    np.int64,
)
LAND = {"attacker": ((4, 2, 2), (0, 2, 1)), "defender": ((4, 1, 1), (2, 0, 0))}
# Galleys, light and heavy ships; leader's dice.
SEA = {"attacker": ((1, 2, 2), (0, 0, 2)), "defender": ((2, 1, 2), (2, 0, 0))}


def rolled(rng: np.random.Generator, base: int, leader: tuple[int, ...], alive: np.ndarray) -> np.ndarray:
    """Icons of three base dice and the dice of a leader who lives, packed."""
    size = len(alive)
    icons = DICE[base][rng.integers(0, 6, (3, size), np.uint8)].sum(axis=0)
    for die, number in enumerate(leader):
        if number:
            icons += DICE[die][rng.integers(0, 6, (number, size), np.uint8)].sum(axis=0) * alive
    return icons


def winners(own: np.ndarray, enemy: np.ndarray) -> dict[str, np.ndarray]:
    """Winner codes from units left."""
    return {"winner": np.where((own > 0) == (enemy > 0), NOBODY, np.where(own > 0, ATTACKER, DEFENDER))}


def types_left(start: tuple[int, int, int]) -> np.ndarray:
    """Infantry, cavalry and artillery for each number of units left, the most numerous lost first."""
    left = [np.array(start)]
    while left[-1].any():
        left.append(left[-1] - np.eye(3, dtype=int)[left[-1].argmax()])
    return np.array(left[::-1]).T


def land(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """`n` battles of power-italian-war to the end: winner codes."""
    sides = [LAND["attacker"], LAND["defender"]]
    left = np.array([np.full(n, sum(start)) for start, _ in sides])
    wounds = np.zeros((2, n), np.int64)
    types = [types_left(start) for start, _ in sides]
    going = np.arange(n)
    while len(going):
        units, hurt = left[:, going], wounds[:, going]
        hits, pairs = [], []
        for side, (_, leader) in enumerate(sides):
            icons = rolled(rng, 0, leader, hurt[side] < 2)
            tercios = icons >> 8 & 255
            infantry, cavalry, artillery = types[side][:, units[side]]
            hits.append(
                np.minimum(infantry, (icons & 255) + tercios)
                + np.minimum(cavalry, icons >> 16 & 255)
                + np.minimum(artillery, icons >> 24)
            )
            pairs.append(tercios // 2)
        after = np.maximum(units - np.array(hits[::-1]), 0)
        hurt = np.minimum(hurt + np.array(pairs[::-1]) * (after < units), 2)
        left[:, going], wounds[:, going] = after, hurt
        going = going[(after > 0).all(axis=0)]
    return winners(*left)


def fleet_left(start: tuple[int, int, int]) -> np.ndarray:
    """Ships and heavy ships for each number of hits a fleet can still take, damage spread first."""
    galleys, light, heavy = start
    small = galleys + light
    hits = np.arange(small + 2 * heavy + 1)
    heavies = np.minimum(hits, heavy)
    return np.array([np.clip(hits - heavy, 0, small) + heavies, heavies])


def naval(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """`n` battles of power-lepanto to the end: winner codes."""
    sides = [SEA["attacker"], SEA["defender"]]
    left = np.array([np.full(n, start[0] + start[1] + 2 * start[2]) for start, _ in sides])
    wounds = np.zeros((2, n), np.int64)
    fleets = [fleet_left(start) for start, _ in sides]
    going = np.arange(n)
    while len(going):
        held, hurt = left[:, going], wounds[:, going]
        ships = np.array([fleets[side][0][held[side]] for side in (0, 1)])
        hits, pairs = [], []
        for side, (_, leader) in enumerate(sides):
            icons = rolled(rng, 2, leader, hurt[side] < 2)
            hits.append(np.minimum(ships[side], icons >> 24) + fleets[side][1][held[side]])
            pairs.append((icons >> 8 & 255) // 2)
        after = np.maximum(held - np.array(hits[::-1]), 0)
        sunk = np.array([fleets[side][0][after[side]] for side in (0, 1)]) < ships
        hurt = np.minimum(hurt + np.array(pairs[::-1]) * sunk, 2)
        left[:, going], wounds[:, going] = after, hurt
        going = going[(after > 0).all(axis=0)]
    return winners(*left)
