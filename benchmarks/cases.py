"""The battles that benchmarks measure: one row each, with its NumPy peer where there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import (
    birthright_numpy,
    custom_games_numpy,
    europa_naval_numpy,
    europa_numpy,
    kings_and_things_numpy,
    price_of_power_numpy,
    risk_numpy,
)

Peer = Callable[[int, np.random.Generator], dict[str, np.ndarray]]


@dataclass(frozen=True)
class Case:
    """A scenario (example name or mapping), the same battle in NumPy, and what the project aims at.

    `pace` is the least number of battles a second on 2 cores, `ratio` the least multiple of the peer's pace, `exact`
    the most seconds of a warm exact answer; None where nothing was promised.
    """

    name: str
    scenario: Any
    peer: Peer | None = None
    pace: float | None = None
    ratio: float | None = None
    exact: float | None = None


# Three types a side, with generals: the size that a table of armies brings at most.
TWELVE_A_SIDE = {
    "game": "price-of-power",
    "battle": "land",
    "attacker": {"infantry": 5, "cavalry": 4, "artillery": 3, "leader": {"cavalry": 2, "infantry": 1}},
    "defender": {"infantry": 4, "cavalry": 4, "artillery": 4, "leader": {"artillery": 2}},
}


def of_all_kinds(n: int) -> dict[str, int]:
    """So many units of each of the 8 kinds that a realm of The Price of Power can have."""
    arms = ("infantry", "cavalry", "artillery")
    return dict.fromkeys([*arms, *(f"mercenary_{arm}" for arm in arms), "allied_infantry", "allied_cavalry"], n)


# Eight detachments a side, both leaders drawn, both sides ready to break off.
LARGEST_LAND = {
    "game": "europa",
    "battle": "land",
    "attacker": {"country": "france", "army_plus": 2},
    "defender": {"country": "france", "army_plus": 2},
    "policy": {"attacker": {"break_off": "if-behind"}, "defender": {"break_off": "if-behind"}},
}
# Three-deckers in great number, both leaders drawn, both sides ready to break off.
LARGEST_NAVAL = {
    "game": "europa",
    "battle": "naval",
    "attacker": {"warships": 60, "transports": 60, "technology": "three-decker"},
    "defender": {"warships": 60, "transports": 60, "technology": "three-decker"},
    "policy": {"attacker": {"break_off": "if-behind"}, "defender": {"break_off": "if-behind"}},
}
# Fort, blockade, a patrol, the voyage, another patrol before the landing.
FIVE_STAGES = {
    "game": "europa",
    "battle": "passage",
    "attacker": {
        "warships": 6, "transports": 2, "army_plus": 1, "fleets_minus": 1,
        "leader": {"manoeuvre": 3, "fire": 3, "shock": 2},
    },
    "defender": {
        "works": [{"work": "presidio"}],
        "blockader": {"warships": 3, "leader": {"manoeuvre": 2, "fire": 2, "shock": 2}},
        "interceptors": [
            {"warships": 2, "same_zone": True, "leader": {"manoeuvre": 2, "fire": 2, "shock": 2}},
            {"warships": 3, "stage": "landing", "leader": {"manoeuvre": 1, "fire": 3, "shock": 2}},
        ],
    },
    "conditions": {"sea_difficulty": 6, "zones_entered": 4},
}  # fmt: skip
# The other procedures of Europa: the shipped example of each.
OTHER_PROCEDURES = {
    "attrition": "europa-armada-return-1588",
    "interception": "europa-bantry-bay-1689",
    "blockade-run": "europa-brest-1759",
    "strait-fire": "europa-dardanelles-1657",
    "corsair-raid": "europa-matanzas-1628",
    "pirate-hunt": "europa-windward-fleet-1668",
    "exploration": "europa-columbus-1492",
    "conquistador": "europa-cajamarca-1532",
    "native-activation": "europa-roanoke-1587",
    "revolt": "europa-naples-1647",
    "continuation": {"game": "europa", "battle": "continuation"},
    "leader-survival": "europa-lutzen-1632",
    "logistics": "europa-la-rochelle-1627",
    "expedition": "europa-cadiz-1596",
}
SIX_ROUNDS = {
    "game": "europa",
    "battle": "siege-campaign",
    "attacker": {"country": "france", "army_plus": 2},
    "defender": {"country": "spain", "fortress_level": 3, "land_detachments": 2},
    "conditions": {"rounds": 6},
}
HUNGRY = SIX_ROUNDS | {"conditions": {"rounds": 6, "supply_distance": 7}}
# Three kinds a side, none of them alike: too large for exact odds in passing.
EIGHT_MIXED = {
    "game": "birthright",
    "battle": "tactical",
    "attacker": {"units": ["2 x knights", "4 x infantry", "2 x archers"]},
    "defender": {"units": ["3 x pikemen", "3 x elite infantry", "2 x archers"]},
}
TWELVE_SEASONS = {
    "game": "birthright",
    "battle": "siege",
    "attacker": {"units": ["16 x infantry", "2 x artillerists"], "warcraft": 4},
    "defender": {"units": ["2 x elite infantry", "3 x archers"], "warcraft": 3},
    "conditions": {
        "fortification": 12,
        "seasons": 12,
        "relief_on": 15,
        "relief_units": ["4 x cavalry", "4 x infantry"],
    },
    "policy": {"attacker": {"siege": "storm-now"}},
}


def axis(battle: str, attacker: dict[str, int], defender: dict[str, int]) -> dict[str, Any]:
    """A battle of Axis & Allies 1942."""
    return {"game": "axis-and-allies-1942", "battle": battle, "attacker": attacker, "defender": defender}


FLEET = {"submarine": 6, "destroyer": 4, "cruiser": 2, "carrier": 2, "fighter": 4, "battleship": 2}
MIXED_56 = {"infantry": 30, "artillery": 10, "tank": 8, "fighter": 6, "bomber": 2}
MIXED_150 = {"infantry": 70, "artillery": 25, "tank": 30, "fighter": 18, "bomber": 7}
MIXED_149 = {"infantry": 90, "artillery": 20, "tank": 18, "fighter": 15, "aa_gun": 6}
MIXED_58 = {"infantry": 40, "artillery": 6, "tank": 4, "fighter": 6, "aa_gun": 2}

CASES = [
    Case("risk 20 v 15 (NumPy: dice)", "risk-20v15", risk_numpy.battles_by_dice, ratio=25, exact=0.002),
    Case("risk 20 v 15 (NumPy: tables)", "risk-20v15", risk_numpy.battles_by_table, exact=0.002),
    Case("risk path", "risk-path"),
    Case("risk landing", "risk-landing"),
    Case("risk invasion", "risk-invasion"),
    Case("power land 8 v 6", "power-italian-war", price_of_power_numpy.land, pace=10e6, ratio=20, exact=0.1),
    Case("power naval 5 v 5", "power-lepanto", price_of_power_numpy.naval, pace=10e6, ratio=20, exact=0.1),
    Case("power land 12 v 12", TWELVE_A_SIDE, exact=5.0),
    Case("power campaign", "power-campaign-naples"),
    Case("europa land", "europa-blenheim-1704", europa_numpy.battles, pace=8e6, ratio=20),
    Case("europa land, largest", LARGEST_LAND, exact=0.2),
    Case("europa land, largest overseas", LARGEST_LAND | {"conditions": {"region": "rotw"}}, exact=0.2),
    Case(
        "europa naval, 12 v 10",
        "europa-beachy-head-1690",
        europa_naval_numpy.battles,
        pace=50e6,
        ratio=20,
        exact=0.03,
    ),
    Case("europa naval, largest", LARGEST_NAVAL, exact=0.2),
    Case("europa passage, five stages", FIVE_STAGES, exact=0.5),
    *(Case(f"europa {kind}", scenario, exact=0.05) for kind, scenario in OTHER_PROCEDURES.items()),
    Case("europa native-chain", "europa-tlaxcala-1519", exact=0.5),
    Case("europa campaign, 6 rounds", SIX_ROUNDS, exact=0.5),
    Case("europa campaign, 6 rounds in weak supply", HUNGRY, exact=0.05),
    Case(
        "knt 10 v 10, citadel (NumPy: dice)",
        "knt-ten-against-a-citadel",
        kings_and_things_numpy.battles_by_dice,
        pace=3e6,
        ratio=20,
        exact=2.0,
    ),
    Case(
        "knt 10 v 10, citadel (NumPy: tables)",
        "knt-ten-against-a-citadel",
        kings_and_things_numpy.battles_by_table,
    ),
    Case("knt exploration", "knt-into-the-unknown"),
    Case("knt heroes", "knt-heroes-and-magic"),
    Case("knt free-for-all", "knt-three-kings"),
    Case(
        "birthright tactical 8 v 8", birthright_numpy.BATTLE, birthright_numpy.battles, pace=10e6, ratio=15, exact=0.5
    ),
    Case("birthright tactical 8 v 8, mixed", EIGHT_MIXED, pace=10e6),
    Case("birthright quick battle", "birthright-quick-battle", exact=0.02),
    Case("birthright siege, 12 seasons", TWELVE_SEASONS, exact=0.2),
    # Quoted peers: aacalc2 (exact) 0.95, 164, 1400 and 185 ms; battles/s: TripleA 8 k, ti4calc 17-40 k, oddsengine
    # 73-106 k.
    Case("axis 10i 5t v 12i 3f", "axis-land-eastern-front", custom_games_numpy.land, pace=80e6, ratio=40, exact=0.0003),
    Case("axis 56 v 58 mixed", axis("land", MIXED_56, MIXED_58), exact=0.04),
    Case("axis 150 v 149 mixed, anti-aircraft", axis("land", MIXED_150, MIXED_149), exact=0.3),
    Case("axis 100 v 100", axis("land", {"infantry": 100}, {"infantry": 100}), exact=0.1),
    Case("axis sea 20 v 20", axis("sea", FLEET, FLEET | {"submarine": 4, "transport": 2}), exact=0.1),
    Case("axis revised, landing", "axis-revised-landing"),
    Case("axis raid", "axis-raid"),
    Case("twilight space", "twilight-space"),
    Case("twilight factions", "twilight-factions"),
    Case("skirmish", "skirmish-charge"),
    Case("eclipse, the Galactic Center", "eclipse-galactic-center"),
    Case("opposed dice", "custom-opposed-dice"),
    Case("war of the ring, a city", "war-of-the-ring-city"),
    Case("britannia, downlands", "britannia-downlands"),
    Case("titan", "titan-lions"),
    Case("lordsawar", "lordsawar-city"),
    Case("freeciv", "freeciv-city"),
    Case("space empires 4x", "space-empires-4x-cruisers"),
    Case("warhammer 40,000, squads", "warhammer-40000-squads"),
    Case("julius caesar", "julius-caesar-massilia"),
    Case("nexus ops", "nexus-ops-hex"),
    Case("risk 2210", "risk-2210-station"),
]


def _regiments(most: int) -> dict[str, range]:
    return {"attacker.regiments": range(1, most + 1), "defender.regiments": range(1, most + 1)}


def _each(unit: str, most: int) -> dict[str, range]:
    return {f"{side}.{unit}": range(1, most + 1) for side in ("attacker", "defender")}


def _counters(most: int) -> dict[str, range]:
    entries = ("attacker.creatures[0]", "attacker.creatures[1]", "defender.creatures[2]")
    return {f"{entry}.count": range(1, most + 1) for entry in entries}


_GALLEYS = {
    "game": "price-of-power",
    "battle": "naval",
    "attacker": {"light": 2, "heavy": 2},
    "defender": {"light": 1, "heavy": 2},
    "policy": {"attacker": {"losses": "light-first"}, "defender": {"losses": "light-first"}},
}
_SMALL = axis("land", {"infantry": 1}, {"infantry": 1})
_FOUR = _each("infantry", 10) | _each("tank", 10)
_STACKS = {
    "game": "kings-and-things",
    "battle": "land",
    "attacker": {"creatures": [{"value": 4}, {"value": 3, "ranged": True}, {"value": 2}]},
    "defender": {"creatures": [{"value": 3, "magic": True}, "4", {"value": 2}], "fort": "keep"},
    "options": {"stack_limit": 0},
}
# Name, scenario, fields varied, options of `sweep`.
SWEEPS: list[tuple[str, str | dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("Risk, 50 x 50 regiments, in one pass", "risk-20v15", _regiments(50), {}),
    ("Risk, 200 x 200 regiments, in one pass", "risk-20v15", _regiments(200), {}),
    ("the same, chance to lose 5 or more", "risk-20v15", _regiments(200), {"value": "attacker_regiments_lost >= 5"}),
    ("Risk, 20 x 20 regiments, cell by cell", "risk-20v15", _regiments(20), {"value": "std.attacker_regiments_lost"}),
    ("Risk, 20 x 20 regiments, 10,000 battles each", "risk-20v15", _regiments(20), {"battles": 10_000}),
    (
        "Risk, prices of a fleet and a regiment (one chain)",
        "risk-20v15",
        {"options.fleet_cost": range(20), "options.regiment_cost": range(20)},
        {"value": "mean.attacker_cost_lost"},
    ),
    (
        "The Price of Power at sea, 12 x 12 galleys, in one pass",
        _GALLEYS,
        {"attacker.galleys": range(12), "defender.galleys": range(12)},
        {},
    ),
    ("Axis & Allies, 30 x 30 infantry, in one pass", _SMALL, _each("infantry", 30), {}),
    ("Axis & Allies, 100 x 100 infantry, in one pass", _SMALL, _each("infantry", 100), {}),
    ("Axis & Allies, infantry and tanks of both sides, 10 of each, in one pass", _SMALL, _FOUR, {}),
    (
        "Axis & Allies, 20 x 20 infantry and tanks, cell by cell",
        axis("land", {"infantry": 1, "tank": 1}, {"infantry": 12, "artillery": 3}),
        {"attacker.infantry": range(1, 21), "attacker.tank": range(1, 21)},
        {"value": "std.attacker_units_lost"},
    ),
    ("Kings & Things, 8 x 8 x 8 counters, in one pass", _STACKS, _counters(8), {}),
    ("the same, 4 x 4 x 4, cell by cell", _STACKS, _counters(4), {"value": "std.attacker_losses"}),
]

# Name, scenario with a field that is not known: a stratum for each of its values, see `mix`.
_UP_TO_30 = {
    "game": "risk", "battle": "land", "attacker": {"regiments": {"from": 1, "to": 30}}, "defender": {"regiments": 12},
}  # fmt: skip
STRATA: list[tuple[str, Any]] = [("Risk, 1 to 30 v 12 regiments: the attacker wins", _UP_TO_30)]
