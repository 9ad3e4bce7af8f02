"""The rules held against slow references that share no code with them, outcome by outcome."""

import random

import pytest

from simulator import exact, load
from simulator.scenarios import ScenarioError
from tests.europa import reference_campaign, reference_land, reference_siege
from tests.europa.scenarios import CAMPAIGNS, LAND, SIEGES, campaign, land, leader, siege

QUICK_LAND = ["smallest", "all the options", "4 to 1 overrun", "converted natives"]


def largest_gap(scenario, reference):
    """Largest difference of the chance of any outcome."""
    table = exact(load(scenario)).table
    found = {}
    for row in table.itertuples(index=False):
        named = dict(zip(table.columns, row, strict=True))
        p = named.pop("p")
        plain = {name: value.item() if hasattr(value, "item") else value for name, value in named.items()}
        found[tuple(sorted(plain.items()))] = p
    true = reference({name: value for name, value in scenario.items() if name not in {"game", "battle"}})
    assert sum(true.values()) == pytest.approx(1)
    return max(abs(found.get(key, 0.0) - true.get(key, 0.0)) for key in {*found, *true})


@pytest.mark.parametrize("name", QUICK_LAND)
def test_land(name):
    assert largest_gap(LAND[name], reference_land.battle) < 1e-12


@pytest.mark.parametrize("name", SIEGES)
def test_siege(name):
    assert largest_gap(SIEGES[name], reference_siege.siege) < 1e-12


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_campaign(name):
    assert largest_gap(CAMPAIGNS[name], reference_campaign.campaign) < 1e-12


COUNTRIES = ["minor", "natives", "england", "france", "usa", "poland", "russia", "sweden", "turkey-janissary"]
TURKS = ["turkey", "turkey-janissary", "turkey-vizier"]
TECHNOLOGIES = ["medieval", "renaissance", "arquebus", "musket", "baroque", "manoeuvre", "lace-war"]


def anyone(dice):
    values = leader(*(dice.randint(0, 6) for _ in range(3)), dice.randint(0, 2))
    kind = dice.choice(["general", "king", "conquistador", "governor", "explorer"])
    return dice.choice(["none", values | {"type": kind, "anonymous": dice.random() < 0.2}])


def anywhere(dice):
    return {
        "region": dice.choice(["europe", "rotw"]),
        "terrain": dice.choice(["plain", "sparse-forest", "dense-forest", "northern-forest", "desert", "mountain"]),
        "period": dice.choice(["I", "II", "III", "IV", "V", "VI", "VII"]),
    }


def troops(dice, most):
    side = {"country": dice.choice(COUNTRIES), "technology": dice.choice(TECHNOLOGIES), "leader": anyone(dice)}
    side |= {"army_minus": dice.choice([0, 1]), "land_detachments": dice.randint(0, most)}
    return side


def random_land(dice):
    policy = {
        side: {"break_off": dice.choice(["never", "always", "if-behind", "if-sure"])}
        for side in ("attacker", "defender")
    }
    where = anywhere(dice) | {
        "crossing": dice.choice(["none", "river", "landing"]),
        "interception": dice.random() < 0.3,
    }
    sides = [troops(dice, 2) | {"retreat_room": dice.randint(-1, 2), "veteran": dice.random() < 0.5} for _ in range(2)]
    options = {
        "leader_differential_cap": dice.choice([0, 3, 9]),
        "destruction_test": dice.choice(["exceeds", "reaches"]),
    }
    return land(*sides, conditions=where, policy=policy, options=options)


def random_turks(dice):
    """Timar, pashas, converted natives, the Vizier, and more than 8 LD, in short battles."""
    scenario = random_land(dice)
    for name in ("attacker", "defender"):
        side = scenario[name] | {"country": dice.choice([*TURKS, "sweden", "austria", "russia"])}
        side |= {"turkish_reform": dice.choice(["none", "m-1a", "m-1b", "m-2"]), "tercios": dice.random() < 0.4}
        side["pasha_detachments"] = dice.choice([0, 0, 2])
        side["converted_natives_thirds"] = dice.choice([0, 0, 7, 40])
        if dice.random() < 0.5:
            side |= {"army_plus": dice.randint(0, 3), "army_minus": dice.randint(0, 3)}
        if dice.random() < 0.5:
            del side["veteran"]
        scenario[name] = side
    if dice.random() < 0.5:
        scenario["conditions"]["interception"] = False
        scenario["policy"]["defender"]["evasion"] = "evade"
    for policy in scenario["policy"].values():
        policy["break_off"] = "never"
    readings = {"national_bonuses": dice.choice(["seed", "book"]), "timar_limits": dice.random() < 0.7}
    scenario["options"] |= readings
    return scenario


def random_siege(dice):
    where = anywhere(dice) | {
        "port": dice.choice(["none", "open", "blockaded", "resupplied"]), "supply_line": dice.random() < 0.8,
        "supply_distance": dice.randint(0, 12), "siegeworks_plus": dice.randint(0, 2), "pillages": dice.randint(0, 4),
        "breach_counter": dice.random() < 0.3, "first_round": dice.random() < 0.5,
    }  # fmt: skip
    policy = {
        "war_honours": dice.choice(["grant", "refuse"]), "too_small": dice.choice(["redeploy", "assault"]),
        "garrison": dice.choice(["leave-empty", "garrison"]), "pillage": dice.choice(["pillage", "lose-detachment"]),
        "losses": dice.choice(["keep-best-army", "keep-most-armies"]),
    }  # fmt: skip
    inside = troops(dice, 1) | {"fortress_level": dice.randint(1, 5)}
    outside = troops(dice, 2) | {"army_plus": dice.randint(0, 1)}
    if dice.random() < 0.6:
        return siege(
            outside,
            inside,
            conditions=where,
            policy={"attacker": policy | {"action": dice.choice(["undermine", "assault"])}},
        )
    plan = dice.choice(["undermine-until-breach", "assault-at-once", "undermine-only", "breach-then-storm"])
    return campaign(outside, inside, conditions=where | {"rounds": 2}, policy={"attacker": policy | {"plan": plan}})


def random_turkish_siege(dice):
    """Timar and Viziers who besiege, also into the winter."""
    scenario = random_siege(dice)
    own, where = scenario["attacker"], scenario["conditions"]
    own |= {"country": dice.choice(["turkey", *TURKS[2:], *TURKS[2:]])}
    own |= {"turkish_reform": dice.choice(["none", "m-1a", "m-1b", "m-2"])}
    if dice.random() < 0.8:
        own["leader"] = dice.choice(["replacement", own["leader"]])
    scenario["options"] = {"timar_limits": dice.random() < 0.7}
    if where.pop("rounds", 0):
        where |= {"start_round": dice.choice(["W4", "S5", "W5"]), "timar_distance": dice.randint(0, 4)}
        where |= {"cold_area": dice.random() < 0.4}
    return scenario


def legal(make, seed):
    """The first legal scenario of a seeded stream."""
    dice = random.Random(seed)
    while True:
        scenario = make(dice)
        try:
            load(scenario)
        except ScenarioError:
            continue
        return scenario


@pytest.mark.parametrize("seed", [0, 1])
def test_random_land(seed):
    assert largest_gap(legal(random_land, seed), reference_land.battle) < 1e-12


@pytest.mark.parametrize("seed", [24, 31, 34, 36])
def test_random_turks(seed):
    assert largest_gap(legal(random_turks, seed), reference_land.battle) < 1e-12


@pytest.mark.parametrize(
    ("make", "seed"),
    [
        *((random_siege, seed) for seed in range(1000, 1020)),
        *((random_turkish_siege, seed) for seed in (2, 6, 7, 8, 13, 14, 15, 20)),
    ],
)
def test_random_siege(make, seed):
    scenario = legal(make, seed)
    kinds = {"siege": reference_siege.siege, "siege-campaign": reference_campaign.campaign}
    assert largest_gap(scenario, kinds[scenario["battle"]]) < 1e-12
