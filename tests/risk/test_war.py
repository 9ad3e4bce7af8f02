"""Every joint outcome of seeded random battles of all kinds against the slow reference."""

import random
from collections import defaultdict

import pytest

from simulator import exact, load
from tests.risk.war import War

KINDS = ["land", "amphibious", "naval", "blockade-run", "invasion", "invasion", "invasion"]
PARAMETERS = {"stop-below": "stop_below", "max-rounds": "max_rounds", "wear-down": "wear_down_to"}


def side(rng, on_land, places):
    def given(make):
        return [make() for _ in range(places)] if on_land and rng.random() < 0.4 else make()

    found = {}
    for name in ("modifier_highest", "modifier_lowest", "modifier_all"):
        if rng.random() < 0.25:
            found[name] = given(lambda: rng.randint(-2, 2))
    if rng.random() < 0.15:
        found["bonus_dice"] = given(lambda: rng.randint(0, 1))
    if on_land and rng.random() < 0.3:
        found["dice"] = given(lambda: rng.randint(1, 3))
        found["die_sides"] = given(lambda: rng.choice([4, 5, 6, 8]))
    return found


def policy(rng, sea):
    names = ["stop-below", "stop-when-outnumbered", "max-rounds", "stop-below-odds", *([] if sea else ["wear-down"])]
    chosen = rng.sample(names, rng.choice([1, 1, 2]))
    found = {f"{sea}retreat": chosen if len(chosen) > 1 else chosen[0]}
    found |= {sea + PARAMETERS[name]: rng.randint(1, 3) for name in chosen if name in PARAMETERS}
    return found | ({f"{sea}min_odds": round(rng.random() * 0.7, 2)} if "stop-below-odds" in chosen else {})


def crossing(rng, first):
    way = {"fleets": rng.randint(0, 3), "convoy": rng.choice(["attacks", "attacks", "defends"])}
    if first and way["fleets"] and way["convoy"] == "attacks":
        way["blockaded"] = rng.random() < 0.3
    return way


def scenario(seed):
    rng = random.Random(seed)
    kind, places = rng.choice(KINDS), rng.choice([1, 1, 2, 3])
    on_land = kind not in {"naval", "blockade-run"}
    own, enemy = side(rng, on_land, places), side(rng, on_land, places)
    conditions, decisions = {}, policy(rng, "") if rng.random() < 0.6 else {}
    if on_land:
        own |= {"regiments": rng.randint(1, 6), "commanders": rng.randint(0, 1)}
        enemy |= {"regiments": [rng.randint(1, 3) for _ in range(places)], "commanders": rng.randint(0, 1)}
    if not on_land or kind == "invasion":
        own["fleets"] = rng.randint(1, 4)
    if not on_land:
        enemy["fleets"] = rng.randint(1, 4)
    if kind == "invasion":
        own |= {"transports": rng.randint(1, own["fleets"]), "sea_modifier_all": rng.randint(-1, 1)}
        enemy |= {"port_fleets": rng.randint(0, 3), "sea_modifier_highest": rng.randint(-1, 1)}
        conditions["crossings"] = [crossing(rng, number == 0) for number in range(rng.choice([0, 1, 1, 2]))]
        decisions |= {"losses": rng.choice(["escorts-first", "transports-first"])}
        decisions |= policy(rng, "sea_") if rng.random() < 0.6 else {}
    options = {
        "ties": rng.choice(["defender", "defender", "attacker", "both", "nobody"]),
        "clamp": rng.random() < 0.25,
        "resort": rng.random() < 0.25,
        "left_behind": rng.randint(0, 2),
        "commander_die_sides": rng.choice([4, 8]),
        "attack_dice": rng.choice([2, 3]),
        "troop_loss": rng.choice(["with-each-fleet", "all-or-nothing"]),
        "blockade_modifier": rng.randint(-2, 1),
        "fleet_cost": rng.randint(0, 5),
    }
    frame = {"game": "risk", "battle": kind, "conditions": conditions, "options": options}
    return frame | {"attacker": own, "defender": enemy, "policy": {"attacker": decisions}}


@pytest.mark.parametrize("seed", range(1000, 1024))
def test_random_battles(seed):
    data = scenario(seed)
    expected, odds, found = War(data).odds(), exact(load(data)), defaultdict(float)
    for row in odds.table.to_dict("records"):
        found[tuple(sorted((name, row[name]) for name in odds.columns))] += row["p"]
    worst = max({*found, *expected}, key=lambda end: abs(found[end] - expected[end]))
    assert found[worst] == pytest.approx(expected[worst], abs=1e-10), worst
