"""Kinds of several battles equal the campaigns of their battles (docs/rules/campaigns.md section 6).

They keep chains of their own, which simulate faster and decide `best` across their stages.
"""

from collections import Counter

import pytest

from simulator import exact, load

NAMES = ("winner", "attacker_regiments_left", "defender_regiments_lost", "rounds")


def table(odds, *columns):
    """The chance of each row of these columns."""
    found = Counter()
    for row, p in zip(zip(*(values.tolist() for values in columns), strict=True), odds.chances.tolist(), strict=True):
        found[row] += p
    return found


def alike(one, two):
    return max(abs(one[row] - two[row]) for row in {*one, *two}) < 1e-12


def test_a_path_is_a_fight_for_each_territory():
    path = load("risk-path").data
    enemies, dice = path["defender"]["regiments"], path["defender"]["die_sides"]
    fights = [
        {
            "attacker": {"force": "red", "leave": {"regiments": 1}},
            "defender": {"regiments": regiments, "die_sides": sides},
            **({"if": f"fight{at}_won"} if at else {}),
        }
        for at, (regiments, sides) in enumerate(zip(enemies, dice, strict=True))
    ]
    lost = [f"fight{at}_defender_regiments_lost" for at in (1, 2, 3)]
    found = exact(
        {
            "game": "campaign",
            "of": "risk",
            "every": {"battle": "land", "policy": path["policy"]},
            "force": {"red": path["attacker"]},
            "fight": fights,
            "columns": ["rounds", *lost],
        }
    )
    own, whole = found.columns, exact(path)
    mine = table(found, own["winner"], own["red_regiments_left"], sum(own[name] for name in lost), own["rounds"])
    assert alike(mine, table(whole, *(whole.columns[name] for name in NAMES)))


def test_a_landing_and_a_siege_are_three_fights():
    chain = load("power-campaign-naples").data
    fleet, army = chain["attacker"]["fleet"], chain["attacker"]["army"]
    own = {name: value for name, value in fleet.items() if name != "leader"} | army
    order = [f"{rank}{unit}" for unit in ("artillery", "infantry", "cavalry") for rank in ("", "mercenary_", "allied_")]
    found = exact(
        {
            "game": "campaign",
            "of": "price-of-power",
            "us": ["us", "ashore"],
            "force": {
                "us": own | {"admiral": fleet["leader"]},
                "ashore": {"leader": army["leader"]},
                "fleet": chain["defender"]["fleet"],
                "home": chain["defender"]["army"],
            },
            "fight": [
                {"name": "sea", "battle": "naval", "attacker": "us", "defender": "fleet"},
                {
                    "name": "shore",
                    "battle": "land",
                    "if": "sea_won",
                    "attacker": {
                        "force": "us",
                        "carried": {"each": 3, "order": [name for name in order if name != "allied_artillery"]},
                        "leave": "all",
                        "leave_to": "ashore",
                    },
                    "defender": "home",
                },
                {
                    "name": "siege",
                    "battle": "siege",
                    "if": "shore_won",
                    "attacker": {"force": "ashore", "ships_facing": True, "military_power": 4},
                    "defender": {"provinces": chain["defender"]["provinces"]},
                },
            ],
            "columns": ["siege_provinces_taken", "siege_power_spent"],
        }
    )
    whole, kept = exact(chain), ("provinces_taken", "power_spent")
    mine = table(found, found.columns["winner"], *(found.columns[f"siege_{name}"] for name in kept))
    assert alike(mine, table(whole, whole.columns["winner"], *(whole.columns[name] for name in kept)))


def test_an_expedition_is_a_passage_a_landing_and_a_siege():
    chain = load("europa-cadiz-1596").data
    fleet = dict(chain["passage"]["attacker"])
    force = fleet | {"naval_technology": fleet.pop("technology"), "admiral": fleet.pop("leader"), "losses": "regroup"}
    force = {name: value for name, value in force.items() if name not in ("technology", "leader")}
    general = chain["land"]["attacker"] | {"force": "english"}
    voyage = {"force": "english", "fleets_minus": force.pop("fleets_minus")}
    town = {"name": "town", "battle": "siege-campaign", "if": "beach_won", **chain["siege"], "attacker": general}
    found = exact(
        {
            "game": "campaign",
            "of": "europa",
            "force": {"english": force},
            "fight": [
                {"name": "voyage", "battle": "passage", **chain["passage"], "attacker": voyage},
                {
                    "name": "beach",
                    "battle": "land",
                    "if": "voyage_won",
                    "attacker": general,
                    "defender": chain["land"]["defender"],
                    "conditions": {"crossing": "landing"},
                },
                town,
            ],
        }
    )
    whole = exact(chain)
    # An expedition that wins ashore and has nobody left is beaten there.
    for fight, stage in {"voyage_won": "landed", "town_won": "fortress_taken"}.items():
        assert found.p(fight) == pytest.approx(whole.p(stage), abs=1e-12)
