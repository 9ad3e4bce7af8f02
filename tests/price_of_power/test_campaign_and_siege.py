"""Campaigns against the slow reference stage by stage, sieges against every order of sieges, and properties."""

import random
from collections import defaultdict
from itertools import combinations, permutations, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import exact, load
from tests.price_of_power.reference import War
from tests.vectors import Z_LIMIT, largest_z, read_vectors

LARGE = {"small": 1, "large": 2}
ORDER = {
    "infantry-first": "ica", "cavalry-first": "cia", "artillery-first": "aic", "infantry-artillery-cavalry": "iac",
    "cavalry-artillery-infantry": "cai", "artillery-cavalry-infantry": "aci",
}  # fmt: skip
UNITS = {"i": "infantry", "c": "cavalry", "a": "artillery"}
RANKS = ("", "mercenary_", "allied_")


def brute_force(army, provinces, power, actions, plan, mentality=(1, 0), ships=True):
    """Every way to besiege, action by action; the best by the plan's words."""
    strengths = [2.0] * army[2] + [1.0] * army[0] + [0.5] * army[1]
    best = []

    def go(left, taken, value, spent, used):
        best.append((len(taken), value, spent, used))
        if used == actions:
            return
        for units in range(1, len(strengths) + 1):
            strength = int(sum(strengths[:units]))
            for size in range(1, len(left) + 1):
                for chosen in combinations(left, size):
                    some = [provinces[i] for i in chosen]
                    if not ships and any(p.get("island") for p in some):
                        continue
                    wise = sum(p.get("defensive_mentality", False) for p in some)
                    worth = sum(LARGE[p["size"]] for p in some)
                    cost = units + wise * mentality[1]
                    if worth + wise * mentality[0] <= strength and spent + cost <= power:
                        rest = tuple(i for i in left if i not in chosen)
                        go(rest, taken + chosen, value + worth, spent + cost, used + 1)

    go(tuple(range(len(provinces))), (), 0, 0, 0)
    return min(
        best,
        key={
            "most-value": lambda b: (-b[1], -b[0], b[2], b[3]),
            "most-provinces": lambda b: (-b[0], -b[1], b[2], b[3]),
            "cheapest-one": lambda b: (b[0] == 0, b[2], -b[1], b[3], -b[0]),
            "fastest": lambda b: (-b[1], -b[0], b[3], b[2]),
        }[plan],
    )


@pytest.mark.parametrize("seed", range(40))
def test_sieges(seed):
    rng = random.Random(seed)
    provinces = [
        {
            "size": rng.choice(["small", "large"]),
            "island": rng.random() < 0.2,
            "defensive_mentality": rng.random() < 0.3,
        }
        for _ in range(rng.randint(1, 4))
    ]
    army = (rng.randint(1, 3), rng.randint(0, 2), rng.randint(0, 2))
    power, actions = rng.randint(0, 6), rng.randint(1, 3)
    plan = ["most-value", "most-provinces", "cheapest-one", "fastest"][seed % 4]
    mentality, ships = (rng.randint(0, 2), rng.randint(0, 2)), rng.random() < 0.5
    odds = exact(
        {
            "game": "price-of-power",
            "battle": "siege",
            "attacker": {
                "infantry": army[0],
                "cavalry": army[1],
                "artillery": army[2],
                "military_power": power,
                "ships_facing": ships,
            },
            "defender": {"provinces": provinces},
            "conditions": {"actions": actions},
            "policy": {"attacker": {"plan": plan}},
            "options": {"defensive_mentality": {"strength": mentality[0], "power": mentality[1]}},
        }
    )
    found = tuple(int(odds.mean(n)) for n in ("provinces_taken", "value_taken", "power_spent", "actions_used"))
    assert found == brute_force(army, provinces, power, actions, plan, mentality, ships)
    assert odds.winner("attacker") == 1  # his units remain in the area, whatever is taken
    taken = [odds.p(f"taken_{place + 1}") for place in range(len(provinces))]
    assert (sum(taken), odds.p("all_taken")) == (found[0], found[0] == len(provinces))
    assert sum(LARGE[province["size"]] * one for province, one in zip(provinces, taken, strict=True)) == found[1]


def test_of_equal_plans_the_provinces_listed_first_are_taken():
    """An infantry takes a small province in each of two actions; any two of the three are as good."""
    odds = exact(
        {
            "game": "price-of-power", "battle": "siege", "attacker": {"infantry": 1, "military_power": 2},
            "defender": {"provinces": [{"size": "large"}, {}, {}, {}]}, "conditions": {"actions": 2},
        }
    )  # fmt: skip
    assert [odds.p(f"taken_{place}") for place in (1, 2, 3, 4)] == [0, 1, 1, 0]


@pytest.mark.parametrize("sizes", sorted(set(permutations(["large", "small", "small"]))), ids="-".join)
def test_the_cheapest_takes_most_provinces_in_whatever_order_they_are_listed(sizes):
    odds = exact(
        {
            "game": "price-of-power",
            "battle": "siege",
            "attacker": {"artillery": 1},
            "defender": {"provinces": [{"size": size} for size in sizes]},
            "policy": {"attacker": {"plan": "cheapest-one"}},
        }
    )
    assert (odds.mean("provinces_taken"), odds.mean("value_taken"), odds.mean("power_spent")) == (2, 2, 1)


def test_rebels_take_large_provinces_first():
    odds = exact(load("power-rebels"))
    assert (odds.mean("provinces_taken"), odds.mean("value_taken"), odds.mean("power_spent")) == (3, 4, 0)


def fought(kind, attacker, defender, policy, options):
    """Chances of a stage's ends as dicts."""
    war = War(
        {
            "battle": kind, "attacker": attacker, "defender": defender, "options": options,
            "policy": {side: policy[side].get("fleet" if kind == "naval" else "army", {}) for side in policy},
        }
    )  # fmt: skip
    return war, [(dict(end), p) for end, p in war.odds().items()]


def arrivals(data):
    """By sea: chance, winner, ships of both, room for the army and fleet of each end. On a march: the one arrival."""
    if "fleet" in data["attacker"]:
        own = data["attacker"]["fleet"]
        war, ends = fought("naval", own, data["defender"]["fleet"], data["policy"], {})
        for end, p in ends:
            ships = {s: war.size[s] - end[f"{s}_losses"] - end[f"{s}_withdrawn"] for s in war.size}
            room = 3 * (ships["attacker"] + end["attacker_captured"])
            prizes = {"heavy": end["attacker_captured_heavy"]}
            prizes |= {"light": end["attacker_captured"] - prizes["heavy"], "damaged": prizes["heavy"]}
            left = {name: end[f"attacker_{name}_left"] + prizes.get(name, 0)
                    for name in ("galleys", "light", "heavy", "damaged")}  # fmt: skip
            left["ships_in_supply"] = own.get("ships_in_supply", 15) - end["attacker_captured"]
            if own.get("leader") and end["attacker_leader_wounds"] < 2:
                left["leader"] = own["leader"] | {"wounds": end["attacker_leader_wounds"]}
            yield p, end["winner"], (ships["attacker"], ships["defender"]), room, left
        return
    way, everyone = data["conditions"], sum(data["attacker"]["army"].values())
    bridge = min(3 * ships for ships in way.get("bridge") or [everyone])
    mountain = 3 * way["march_power"] if way.get("border") == "mountain" else everyone
    yield 1.0, "attacker" if bridge else "defender", (0, 0), min(bridge, mountain), {}


def who_goes(army, room, landing):
    """Units by field: type by type, or by default one at a time where that adds most to the icons of three dice."""
    shown = list(product(["i", "i", "i", "c", "a", ""], repeat=3))  # an infantry die; a tercios icon is one of infantry

    def icons(units):
        return sum(sum(min(units[letter], thrown.count(letter)) for letter in units) for thrown in shown)

    there = dict.fromkeys(UNITS, 0)
    whole = {letter: sum(army.get(p + UNITS[letter], 0) for p in RANKS) for letter in UNITS}
    for _ in range(min(room, sum(whole.values()))):
        left = [letter for letter in ORDER.get(landing, "ica") if there[letter] < whole[letter]]
        if landing == "best-expected":
            left.sort(key=lambda letter: -icons(there | {letter: there[letter] + 1}))
        there[left[0]] += 1
    landed = {}
    for letter in there:
        for prefix in RANKS:
            landed[prefix + UNITS[letter]] = min(army.get(prefix + UNITS[letter], 0), there[letter])
            there[letter] -= landed[prefix + UNITS[letter]]
    return landed


def out_of_port(data, fleet, sea, taken):
    """Chances of (ships of both left, fought, won) of the battle with the ships out of a port, if it is taken."""
    port = data["defender"].get("port_fleet")
    if not port:
        return {(*sea, False, False): 1.0}
    if not taken:
        return {(sea[0], sea[1] + sum(port.values()), False, False): 1.0}
    war, ends = fought("naval", fleet, port, data["policy"], {})
    out = defaultdict(float)
    for end, p in ends:
        ships = [war.size[s] - end[f"{s}_losses"] - end[f"{s}_withdrawn"] for s in ("attacker", "defender")]
        out[ships[0], sea[1] + ships[1], True, end["winner"] == "attacker"] += p
    return out


def by_stages(data):
    """Chances of (winner, stage, landed, provinces, power, ships left, port fought, won, units left, march power)."""
    army, policy, options = data["attacker"]["army"], data["policy"], data.get("options", {})
    all_units, march = sum(army.values()), "fleet" not in data["attacker"]
    theirs = sum(value for name, value in data["defender"]["army"].items() if name != "kind")
    out = defaultdict(float)
    ashore_as, besieged_as, at_port = {}, {}, {}  # naval battles that leave as many afloat land the same army
    for p, winner_at_sea, sea, room, fleet in arrivals(data):
        in_port = next(iter(out_of_port(data, fleet, sea, False)))
        if winner_at_sea != "attacker":
            out[winner_at_sea, 0, 0, 0, 0, *in_port, all_units, theirs, 0] += p
            continue
        landed = who_goes(army, room, policy["attacker"].get("landing", "best-expected"))
        ashore = sum(landed.values())
        mountain = data["conditions"].get("border") == "mountain"
        cost = (-(-ashore // 3) if mountain else 1) if march else 0
        if (army_ashore := tuple(landed.items())) not in ashore_as:
            ashore_as[army_ashore] = fought("land", landed, data["defender"]["army"], policy, options)
        land, courses = ashore_as[army_ashore]
        for course, q in courses:
            units = {s: land.size[s] - course[f"{s}_losses"] - course[f"{s}_withdrawn"] for s in land.size}
            left = (units["attacker"] + all_units - ashore, units["defender"])
            if course["winner"] != "attacker":
                out[course["winner"], 1, ashore, 0, 0, *in_port, *left, cost] += p * q
                continue
            soldiers = tuple(course[f"attacker_{unit}_left"] for unit in UNITS.values())
            provinces = data["defender"]["provinces"]
            conditions = data["conditions"]
            if soldiers not in besieged_as:
                besieged_as[soldiers] = brute_force(
                    soldiers, provinces, conditions["siege_power"], conditions["siege_actions"],
                    policy["attacker"]["plan"], ships=not march or conditions.get("ships_facing", False),
                )  # fmt: skip
            taken, _, spent, _ = besieged_as[soldiers]
            reached = 3 if taken == len(provinces) else 2
            key = sea, bool(taken), str(fleet)
            if key not in at_port:
                at_port[key] = out_of_port(data, fleet, sea, taken)
            for afloat, r in at_port[key].items():
                out["attacker", reached, ashore, taken, spent, *afloat, *left, cost] += p * q * r
    return out


CAMPAIGNS = [
    {
        "attacker": {
            "fleet": {"light": 1, "heavy": 1, "leader": {"artillery": 1}},
            "army": {"infantry": 2, "cavalry": 2, "artillery": 1},
        },
        "defender": {
            "fleet": {"heavy": 1},
            "army": {"infantry": 2},
            "provinces": [{"size": "large", "port_fleet": True}],
            "port_fleet": {"light": 1, "galleys": 1},
        },
        "policy": {"attacker": {"plan": "most-value", "fleet": {"retreat": "at-or-below"}}, "defender": {}},
        "conditions": {"siege_power": 9, "siege_actions": 1},
    },
    {
        "attacker": {"fleet": {"light": 1, "heavy": 1}, "army": {"infantry": 3, "cavalry": 1, "allied_infantry": 2}},
        "defender": {
            "fleet": {"light": 1, "galleys": 1},
            "army": {"infantry": 2, "artillery": 1},
            "provinces": [{"size": "large"}, {"size": "small", "island": True, "defensive_mentality": True}],
        },
        "policy": {
            "attacker": {"landing": "cavalry-first", "plan": "cheapest-one", "fleet": {"retreat": "when-half"}},
            "defender": {"army": {"retreat": "when-outnumbered"}, "fleet": {"retreat": "at-or-below"}},
        },
        "conditions": {"siege_power": 4, "siege_actions": 2},
    },
    {
        "attacker": {
            "fleet": {"heavy": 1, "galleys": 1},
            "army": {"infantry": 1, "artillery": 2, "mercenary_infantry": 2},
        },
        "defender": {
            "fleet": {"heavy": 1},
            "army": {"infantry": 2},
            "provinces": [{"size": "small"}, {"size": "large"}],
        },
        "policy": {
            "attacker": {"landing": "artillery-first", "plan": "most-value", "army": {"retreat": "when-outnumbered"}},
            "defender": {},
        },
        "conditions": {"siege_power": 2, "siege_actions": 1},
    },
    {
        "attacker": {"army": {"infantry": 2, "artillery": 1, "allied_cavalry": 1}},
        "defender": {
            "army": {"infantry": 1, "cavalry": 1},
            "provinces": [{"size": "large"}, {"size": "small", "island": True}, {"size": "small"}],
        },
        "policy": {
            "attacker": {"landing": "artillery-cavalry-infantry", "plan": "fastest"},
            "defender": {"army": {"retreat": "when-half"}},
        },
        "conditions": {"siege_power": 9, "siege_actions": 2, "border": "mountain", "march_power": 1, "bridge": [3, 2]},
    },
    {
        "attacker": {"army": {"infantry": 3, "cavalry": 2, "mercenary_artillery": 1}},
        "defender": {
            "army": {"kind": "npr", "infantry": 2},
            "provinces": [{"size": "small", "island": True}, {"size": "large"}],
        },
        "policy": {
            "attacker": {"landing": "cavalry-artillery-infantry", "plan": "fastest", "army": {"retreat": "when-half"}},
            "defender": {},
        },
        "conditions": {"siege_power": 3, "siege_actions": 2, "bridge": [3, 1, 2], "ships_facing": True},
    },
]


@pytest.mark.parametrize("campaign", CAMPAIGNS, ids=["port", "retreats", "captures", "mountain", "bridge"])
def test_campaigns(campaign):
    odds = exact({"game": "price-of-power", "battle": "campaign", **campaign})
    found = defaultdict(float)
    for row in odds.table.to_dict("records"):
        names = (
            "winner", "stage", "landed", "provinces_taken", "power_spent", "attacker_ships_left", "defender_ships_left",
            "port_fought", "port_won", "attacker_units_left", "defender_units_left", "march_power_spent",
        )  # fmt: skip
        found[tuple(row.get(name, 0) for name in names)] += row["p"]
        assert row["all_taken"] == (row["stage"] == 3)
        by_sea, on_a_march = {"naval_won", "attacker_ships_left", "defender_ships_left"}, {"march_power_spent"}
        assert row.keys() & (by_sea | on_a_march) == (by_sea if "fleet" in campaign["attacker"] else on_a_march)
    expected = by_stages(campaign)
    for key in {*found, *expected}:
        assert found[key] == pytest.approx(expected[key], abs=1e-10), key


VECTORS, _ = read_vectors(Path(__file__).parent / "vectors.json")


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["name"].startswith("campaign")], ids=lambda v: v["name"])
def test_simulated_campaigns(vector):
    assert largest_z(load(vector["scenario"]), battles=30_000) < Z_LIMIT


def test_a_campaign_without_defenders():
    data = {
        "game": "price-of-power", "battle": "campaign", "defender": {},
        "attacker": {"fleet": {"light": 1}, "army": {"infantry": 5}},
    }  # fmt: skip
    odds = exact(data)
    assert odds.winner("attacker") == odds.p("naval_won") == odds.p("land_won") == 1
    assert (odds.mean("landed"), odds.mean("stage"), odds.mean("attacker_units_left")) == (3, 3, 5)


few = st.integers(0, 3)
SIDE = st.fixed_dictionaries({"infantry": st.integers(1, 3), "cavalry": few, "artillery": few})


def land(attacker, defender):
    return exact({"game": "price-of-power", "battle": "land", "attacker": attacker, "defender": defender})


@settings(max_examples=25, deadline=None)
@given(SIDE, SIDE)
def test_sides_are_alike(one, other):
    here, there = land(one, other), land(other, one)
    assert here.winner("attacker") == pytest.approx(there.winner("defender"), abs=1e-11)
    assert here.mean("attacker_losses") == pytest.approx(there.mean("defender_losses"), abs=1e-9)
    assert here.chances.sum() == pytest.approx(1, abs=1e-11)
    columns = here.columns
    assert (columns["attacker_units_left"] + columns["attacker_losses"] == sum(one.values())).all()
    assert (columns["defender_losses"] <= sum(other.values())).all()


@settings(max_examples=25, deadline=None)
@given(SIDE, SIDE, st.sampled_from(["infantry", "cavalry", "artillery"]))
def test_more_strength_never_harms(one, other, die):
    before = land(one, other).winner("attacker")
    assert land(one | {"extra_dice": {die: 1}}, other).winner("attacker") >= before - 1e-12
    assert land(one | {"automatic_hits": 1}, other).winner("attacker") >= before - 1e-12


@pytest.mark.parametrize(("kind", "unit", "number"), [("land", "infantry", 5), ("naval", "light", 3)])
def test_an_npr_defends_with_its_capacity(kind, unit, number):
    provinces = [
        {"size": "large", "port": True, "faces_zone": True, "manpower_tokens": 1},
        {"location": "sea", "port": True, "faces_zone": True},
        {"location": "land"},
    ]
    frame = {"game": "price-of-power", "battle": kind, "attacker": {unit: 4}}
    by_capacity = exact(frame | {"defender": {"npr": {"provinces": provinces}}})
    entered = exact(frame | {"defender": {"kind": "npr", unit: number}})
    assert by_capacity.table.equals(entered.table)
