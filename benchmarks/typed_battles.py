"""Forty battles as a user types them: small, middle and large ones of every game, drawn with a fixed seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.cases import MIXED_56, MIXED_58, axis, of_all_kinds

Force = dict[str, Any]
SIZES = {"small": 4, "middle": 12, "large": 30}
SEED = 25

# The most units that a kind takes of a force; every other number is drawn up to the size of the battle.
AT_MOST = {"aa_gun": 3, "battleship": 2, "war_sun": 1, "captain": 1, "knights": 6}


def drawn(dice: random.Random, kinds: tuple[str, ...], units: int) -> Force:
    """A force of so many units, divided among its kinds by chance; the first kind takes the remainder."""
    force, left = {}, units - 1
    for kind in kinds[1:]:
        number = dice.randint(0, min(left, AT_MOST.get(kind, units), 2 * units // len(kinds)))
        force |= {kind: number} if number else {}
        left -= number
    return {kinds[0]: left + 1} | force


LAND = ("infantry", "artillery", "tank", "fighter", "bomber")
SEA = ("destroyer", "submarine", "cruiser", "carrier", "fighter", "battleship")
CREATURES = ("4", "3R", "5M", "2", "3", "4R", "2M", "1", "5", "2R")
TROOPS = ("infantry", "knights", "archers", "pikemen", "elite infantry", "cavalry")


def creatures(dice: random.Random, units: int) -> Force:
    return {"creatures": dice.choices(CREATURES, k=min(units, 10))}


def troops(dice: random.Random, units: int) -> Force:
    return {"units": [f"{n} x {kind}" for kind, n in drawn(dice, TROOPS[:4], units).items()]}


def army(dice: random.Random, units: int) -> Force:
    return {"country": dice.choice(("france", "spain", "england")), "army_plus": units // 8, "land_detachments": 2}


def of(*kinds: str) -> Callable[[random.Random, int], Force]:
    return lambda dice, units: drawn(dice, kinds, units)


def regiments(dice: random.Random, units: int) -> Force:
    return {"regiments": units * dice.randint(2, 5)}


AXIS, TWILIGHT = "axis-and-allies-1942", "twilight-imperium-4"
WARSHIPS = of("warships", "transports")
SHIPS = of("cruiser", "carrier", "fighter", "destroyer", "dreadnought")
MEN = of("pikes", "archers", "knights", "captain")
ARMS = of("infantry", "cavalry", "artillery", "mercenary_infantry")
GALLEYS = of("heavy", "light", "galleys")
# Game, kind of battle, forces of both sides, and the sizes that are drawn.
DRAWN = [
    ("risk", "land", regiments, regiments, ("small", "middle", "large")),
    ("risk", "amphibious", regiments, regiments, ("middle",)),
    (AXIS, "land", of(*LAND), of(*LAND[:4], "aa_gun"), ("small", "middle", "large")),
    (AXIS, "sea", of(*SEA), of(*SEA), ("small", "middle", "large")),
    (AXIS, "amphibious", of(*LAND[:4], "battleship"), of(*LAND[:4]), ("small", "middle")),
    (TWILIGHT, "space", SHIPS, SHIPS, ("small", "middle", "large")),
    (TWILIGHT, "ground", of("infantry", "war_sun"), of("infantry", "pds"), ("middle",)),
    ("skirmish", "field", MEN, MEN, ("small", "middle")),
    ("kings-and-things", "land", creatures, creatures, ("small", "middle")),
    ("birthright", "tactical", troops, troops, ("small", "middle")),
    ("birthright", "quick-battle", troops, troops, ("middle",)),
    ("price-of-power", "land", ARMS, ARMS, ("small", "middle", "large")),
    ("price-of-power", "naval", GALLEYS, GALLEYS, ("small", "middle", "large")),
    ("europa", "land", army, army, ("small", "middle", "large")),
    ("europa", "naval", WARSHIPS, WARSHIPS, ("middle", "large")),
]
SIXTEEN = {"units": ["16 x infantry", "2 x artillerists"], "warcraft": 4}
# Battles that the aims name, and one of each kind that lasts several rounds or stages.
NAMED: dict[str, Force] = {
    "axis 56 v 58": axis("land", MIXED_56, MIXED_58),
    "axis 150 v 150": axis(
        "land",
        {"infantry": 75, "artillery": 25, "tank": 25, "fighter": 20, "bomber": 5},
        {"infantry": 100, "artillery": 20, "tank": 15, "fighter": 12, "aa_gun": 3},
    ),
    "birthright tactical 8 v 8": {
        "game": "birthright",
        "battle": "tactical",
        "attacker": {"units": ["3 x knights", "3 x infantry", "2 x archers"]},
        "defender": {"units": ["3 x pikemen", "3 x cavalry", "2 x archers"]},
    },
    "birthright siege": {
        "game": "birthright",
        "battle": "siege",
        "attacker": SIXTEEN,
        "defender": {"units": ["2 x elite infantry", "4 x archers"], "warcraft": 2},
        "conditions": {"fortification": 10, "seasons": 4},
    },
    "power three of each kind": {
        "game": "price-of-power",
        "battle": "land",
        "attacker": of_all_kinds(3),
        "defender": of_all_kinds(3),
    },
    "europa siege campaign": {
        "game": "europa",
        "battle": "siege-campaign",
        "attacker": {"country": "france", "army_plus": 1, "land_detachments": 1},
        "defender": {"country": "spain", "fortress_level": 2, "land_detachments": 2},
    },
}


def battles() -> Iterator[tuple[str, Force]]:
    """Names and scenarios."""
    dice = random.Random(SEED)
    yield from NAMED.items()
    for game, kind, attack, defence, sizes in DRAWN:
        for size in sizes:
            units = SIZES[size]
            forces = {"attacker": attack(dice, units), "defender": defence(dice, units + dice.randint(-1, 2))}
            yield f"{game} {kind}, {size}", {"game": game, "battle": kind} | forces
