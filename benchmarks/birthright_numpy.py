"""Birthright, 8 against 8 unit against unit, vectorised over battles with NumPy: the peer of our kernels.

Attack by attack: each exchange draws one uniform number an attack from its table of effects. Infantry and archers
against pikemen, plains, default options; nobody charges (no cavalry), nobody pursues.
"""

from __future__ import annotations

import numpy as np

BATTLE = {
    "game": "birthright",
    "battle": "tactical",
    "attacker": {"units": ["6 x infantry", "2 x archers"]},
    "defender": {"units": ["8 x pikemen"]},
}
UNITS = 8
# Foot (infantry and pikemen are alike here) and archers: defence, melee and missile by hits; all have two morale icons.
DEFENCE = np.array([3, 2])
MELEE = np.array([[3, 2], [2, 1]])
MISSILE = np.array([[0, 0], [4, 2]])
LINES = np.array([0] * 6 + [1] * 2), np.array([0] * 8)
COLUMNS = ["----FFFHH", "---FFFHHH", "----FHHHH", "---FHHHHR", "--FHHHHRD", "--HHHHHRD", "-HHHHRRDD"]
NONE, BACK, HIT, ROUT, DESTROYED = range(5)
NOBODY = -1


def _thresholds() -> np.ndarray:
    """Cumulated chances of the effects by column, morale check (4 of 6) folded in."""
    table = np.zeros((7, 5))
    for column, letters in enumerate(COLUMNS):
        for letter in letters:
            good, bad = {"F": (NONE, BACK), "R": (BACK, ROUT)}.get(letter, (NONE, NONE))
            if letter in "FR":
                table[column, good] += 4 / 54
                table[column, bad] += 2 / 54
            else:
                table[column, {"-": NONE, "H": HIT, "D": DESTROYED}[letter]] += 1 / 9
    return np.cumsum(table, axis=1)[:, :4]


THRESHOLDS = _thresholds()


class Side:
    """One side of many battles: front kind (0, 1), hits, rested, fresh units sent up, resting by kind and hits."""

    def __init__(self, n: int, line: np.ndarray) -> None:
        self.line = line
        self.kind, self.hits = np.full(n, NOBODY), np.zeros(n, np.int64)
        self.rested = np.zeros(n, bool)
        self.sent, self.routed, self.destroyed = (np.zeros(n, np.int64) for _ in range(3))
        self.resting = np.zeros((n, 4), np.int64)

    def send_up(self, at: np.ndarray) -> np.ndarray:
        """Fill empty fronts of these battles; returns those where nobody is left."""
        empty = at[self.kind[at] == NOBODY]
        fresh = empty[self.sent[empty] < UNITS]
        self.kind[fresh] = self.line[self.sent[fresh]]
        self.hits[fresh], self.rested[fresh] = 0, False
        self.sent[fresh] += 1
        tired = empty[self.kind[empty] == NOBODY]
        tired = tired[self.resting[tired].any(axis=1)]
        place = (self.resting[tired] > 0).argmax(axis=1)
        self.resting[tired, place] -= 1
        self.kind[tired], self.hits[tired], self.rested[tired] = place >> 1, place & 1, True
        return self.kind[at] == NOBODY

    def suffer(self, at: np.ndarray, effect: np.ndarray) -> None:
        """Effects on the fronts of these battles."""
        hit = at[effect == HIT]
        self.hits[hit] += 1
        dead = np.concatenate([hit[self.hits[hit] > 1], at[effect == DESTROYED]])
        self.destroyed[dead] += 1
        back = at[effect == BACK]
        rests = back[~self.rested[back]]
        self.resting[rests, 2 * self.kind[rests] + self.hits[rests]] += 1
        routs = np.concatenate([back[self.rested[back]], at[effect == ROUT]])
        self.routed[routs] += 1
        for gone in (dead, rests, routs):
            self.kind[gone] = NOBODY


def _effects(values: np.ndarray, defence: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    column = np.clip(values - defence, -3, 3) + 3
    return (rng.random(len(values))[:, None] >= THRESHOLDS[column]).sum(axis=1)


def battles(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Fight n battles."""
    sides = Side(n, LINES[0]), Side(n, LINES[1])
    winner, running = np.full(n, 2), np.arange(n)
    approach = np.ones(n, bool)
    while len(running):
        lost, beaten = (side.send_up(running) for side in sides)
        winner[running[lost & ~beaten]] = 1
        winner[running[beaten & ~lost]] = 0
        running = running[~(lost | beaten)]
        shoots = approach[running]
        found = []
        for own, enemy in (sides, sides[::-1]):
            kind, hits = own.kind[running], own.hits[running]
            values = np.where(shoots, MISSILE[kind, hits], MELEE[kind, hits])
            effect = _effects(values, DEFENCE[enemy.kind[running]], rng)
            found.append(np.where(shoots & (values == 0), NONE, effect))
        sides[1].suffer(running, found[0])
        sides[0].suffer(running, found[1])
        approach[running] = (sides[0].kind[running] == NOBODY) | (sides[1].kind[running] == NOBODY)
    standing = [UNITS - side.routed - side.destroyed for side in sides]
    return {"winner": winner, "attacker_standing": standing[0], "defender_standing": standing[1]}
