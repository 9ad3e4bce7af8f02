"""Dice of aimed and of opposed steps in a replay, drawn so that they give its result.

A die is written with the throws of its checks: 4/3/5* hits with 4, wounds with 3, and its target's save 5 fails.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from simulator.rules.custom.dice.aimed import Aimed, Points, moves_of, points_after, targets_of
from simulator.rules.custom.dice.checked import throw_of
from simulator.rules.custom.dice.die import MISS, Hit, face_names, hits_by_face, rolled_again
from simulator.rules.custom.dice.opposed import hits_of_throw, kept_dice, thrown
from simulator.rules.custom.dice.volleys import Standing, Volley
from simulator.rules.custom.game_file.format import Step
from simulator.rules.custom.setup import Setup
from simulator.rules.toolkit.faces import thrown_until
from simulator.rules.toolkit.naming import counted, plural

# More dice than this are counted, not shown.
MOST_SHOWN = 60
Fits = Callable[[int, int], bool]


def aimed_text(
    setup: Setup, dice: Sequence[Aimed], slots: Sequence[int], taken: Sequence[int], enemy: Standing, rng: random.Random
) -> str:
    """The dice of a side, one after the other, that take these points of each slot."""
    rolled = [volley for _, some in dice for volley in some if volley.dice]
    number = sum(volley.dice for volley in rolled)
    if number > MOST_SHOWN:
        return f"{names_of(setup, rolled)} roll {number} dice"
    texts: dict[int, list[str]] = {id(volley): [] for volley in rolled}
    for slot, wanted in enumerate(taken):
        mine = [volley for at, some in dice for volley in some if at == slot and volley.dice]
        if mine:
            left = points_after(enemy.points, slots, [*taken[:slot], *[0] * (len(slots) - slot)])
            for volley, text in _fallen(mine, targets_of(mine[0].shot, enemy, left), wanted, rng):
                texts[id(volley)].append(text)
    return ", ".join(f"{names_of(setup, [volley])}: {' '.join(texts[id(volley)])}" for volley in rolled)


def names_of(setup: Setup, rolled: Sequence[Volley]) -> str:
    """The units that roll, with their numbers."""
    return counted((volley.units for volley in rolled), (setup.names[volley.unit] for volley in rolled))


def throw_at(volley: Volley, targets: int, rng: random.Random) -> tuple[list[int], Hit]:
    """A die thrown at these units: its face, or two where it is rolled again, and its hit."""
    file = volley.side.setup.file
    good = hits_by_face(file, volley.side.enemy, volley.roll, targets)
    faces = [rng.randint(1, len(good))]
    if rolled_again(file, volley.roll, good)[faces[0] - 1]:
        faces.append(rng.randint(1, len(good)))
    return faces, good[faces[-1] - 1]


def faces_text(volley: Volley, faces: Sequence[int], hit: Hit) -> str:
    """The faces of a die, the last of which stands, with a star for a hit."""
    names = face_names(volley.side.setup.file, volley.roll)
    return ">".join(str(names[face - 1]) for face in faces) + "*" * (hit != MISS)


def _fallen(rolled: Sequence[Volley], aimed: Points, wanted: int, rng: random.Random) -> list[tuple[Volley, str]]:
    """Each die, drawn under the condition that all take `wanted` points; those that find nobody left are a dash."""
    each = [volley for volley in rolled for _ in range(volley.dice)]
    rest = [np.arange(len(aimed) + 1) == wanted]
    moves = {id(volley): moves_of(volley, aimed) for volley in rolled}
    for volley in reversed(each):
        later = rest[-1].astype(float)
        now = later.copy()
        for point, to, chance in moves[id(volley)]:
            now[point] += chance * (later[to] - later[point])
        rest.append(now)
    at, found = 0, []
    for volley, later in zip(each, reversed(rest[:-1]), strict=True):
        if at == len(aimed):
            found.append((volley, "-"))
            continue
        ways: dict[int, float] = defaultdict(float)
        for point, to, chance in moves[id(volley)]:
            if point == at:
                ways[to] += chance
        ways[at] = 1 - sum(ways.values())
        to = rng.choices([*ways], [max(0.0, chance) * later[way] for way, chance in ways.items()])[0]
        die = thrown_until(partial(_die, volley, aimed[at][0]), partial(_takes, aimed, at, to), rng)
        found.append((volley, "?" if die is None else die[0]))
        at = to
    return found


def _takes(aimed: Points, at: int, to: int, die: tuple[str, Hit]) -> bool:
    """Does a die that was thrown at a point lead to another?"""
    hit, rest = die[1], aimed[at][1]
    points = 0 if hit == MISS else hit.damage if hit.split else min(hit.damage, rest)
    return min(at + points, len(aimed)) == to


def _die(volley: Volley, target: int, rng: random.Random) -> tuple[str, Hit]:
    """A die thrown at a unit, with its checks, in words, and its hit; MISS for one that does not get through."""
    side, (faces, hit) = volley.side, throw_at(volley, 1 << target, rng)
    text = faces_text(volley, faces, MISS)
    for name, rules in volley.checked if hit != MISS else ():
        throw = throw_of(side, name, volley.unit, target, rules)
        thrown_faces = [rng.randint(1, throw.sides)]
        if thrown_faces[0] in throw.again:
            thrown_faces.append(rng.randint(1, throw.sides))
        text += "/" + ">".join(map(str, thrown_faces))
        if (thrown_faces[-1] in throw.good) == side.setup.file.check[name].save:
            return text, MISS
    return text + "*" * (hit != MISS), hit


def opposed_texts(step: Step, rolled: Sequence[Sequence[Volley]], fits: Fits, rng: random.Random) -> list[str]:
    """The dice of both sides, drawn so that their hits fit."""
    if step.cancel:
        return _cancelling(rolled, fits, rng)
    assert step.compare is not None
    if step.compare.ratio:
        return [f"strength {max(0, some[0].value)}" for some in rolled]
    compare = step.compare
    kept = [
        kept_dice(list(some), some[0].side, getattr(compare.most, side))
        for some, side in zip(rolled, ("attacker", "defender"), strict=True)
    ]
    both = thrown_until(partial(thrown, kept[0], kept[1]), lambda faces: fits(*hits_of_throw(faces, compare)), rng)
    return ["?" if both is None else " ".join(map(str, faces)) for faces in both or ((), ())]


def _cancelling(rolled: Sequence[Sequence[Volley]], fits: Fits, rng: random.Random) -> list[str]:
    """The dice of both front pieces; their hits cancel."""

    def throw(rng: random.Random) -> list[list[tuple[str, Hit]]]:
        return [[_die(volley, volley.aim, rng) for volley in some for _ in range(volley.dice)] for some in rolled]

    def cancelled(both: list[list[tuple[str, Hit]]]) -> bool:
        mine, theirs = (sum(hit != MISS for _, hit in dice) for dice in both)
        return fits(max(0, mine - theirs), max(0, theirs - mine))

    both = thrown_until(throw, cancelled, rng)
    if both is None:
        return ["?", "?"]
    return [" ".join(text for text, _ in dice) or plural(0, "die", "dice") for dice in both]
