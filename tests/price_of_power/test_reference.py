"""Every outcome's chance against the slow reference, on chosen and on seeded random scenarios."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as some

from simulator import ScenarioError, exact, load
from simulator.rules.price_of_power.casualties import in_turn
from tests.price_of_power.reference import ORDERS, TYPES, War

RETREATS = ["never", "when-outnumbered", "when-half", "at-or-below", "after-round", "when-leader-wounded"]


def dice(rng, most=1):
    return {die: rng.randint(0, most) for die in ("infantry", "cavalry", "artillery")}


def policy(rng, sea, player):
    out = {
        "losses": rng.choice(["spread-damage", "light-first", "heavy-first"])
        if sea
        else rng.choice([*ORDERS, "most-numerous", "custom"])
    }
    if out["losses"] == "custom":
        out["loss_order"] = [rng.choice(TYPES) for _ in range(rng.randint(1, 3))]
    if player:
        out["retreat"] = rng.choice(RETREATS)
        if out["retreat"] in {"at-or-below", "after-round"}:
            out["retreat_at"] = rng.randint(1, 3)
    return out


def realm(rng, sea, kinds):
    kind = rng.choice(kinds)
    out = {"kind": kind}
    if kind != "player":
        out["light" if sea else "infantry"] = rng.randint(1, 3)
        if kind == "npr" and rng.random() < 0.3:
            out["defends_capital"] = True
        return out
    if sea:
        out |= {"galleys": rng.randint(0, 1), "light": rng.randint(0, 2), "heavy": rng.randint(0, 2)}
        out["damaged"] = rng.randint(0, out["heavy"])
        out["galleys"] += not any(out[ship] for ship in ("galleys", "light", "heavy"))
        return out
    for unit in ("cavalry", "artillery", "mercenary_infantry", "mercenary_cavalry", "allied_infantry"):
        out[unit] = rng.random() < 0.35
        out[unit] = int(out[unit])
    out["infantry"] = rng.randint(1, 2)
    return out


def own_decision(rng):
    out = {"retreat": rng.choice(RETREATS)}
    if out["retreat"] in {"at-or-below", "after-round"}:
        out["retreat_at"] = rng.randint(1, 3)
    if rng.random() < 0.4:
        out["can_retreat"] = rng.random() < 0.5
    return out


def side(rng, sea, kinds):
    out = realm(rng, sea, kinds)
    adorn(rng, sea, out, out["kind"] == "player")
    return out


def adorn(rng, sea, out, player):
    if rng.random() < 0.5:
        out["leader"] = dice(rng) | {"wounds": rng.randint(0, 1)}
    elif not player:
        out["leader"] = "none"
    if rng.random() < 0.3:
        out["automatic_hits"] = 1
    if rng.random() < 0.3:
        out["can_retreat"] = False
    if player and rng.random() < 0.4:
        out["battle_actions"] = [
            dice(rng) | {"name": "x", "round": rng.randint(1, 3), "this_round_only": rng.random() < 0.5}
        ]
        if rng.random() < 0.6:
            out["battle_actions"][0]["when"] = "if-behind"
    if sea:
        out["ships_in_supply"] = rng.randint(0, 3)
    elif player and rng.random() < 0.6:
        out["ideas"] = rng.sample(["tercios", "line-infantry", "military-drill", "noble-knights"], rng.randint(1, 2))
        out["knights_dice_limit"] = rng.randint(0, 2)


def scenario(seed):
    rng = random.Random(seed)
    sea = rng.random() < 0.45
    odd = "pirates" if sea else "rebels"
    kinds = ["player", "player", "player", "npr", odd]
    attacker = side(rng, sea, ["player", "player", "npr", *([] if sea else [odd])])
    if rng.random() < 0.4:
        factions = [realm(rng, sea, kinds) for _ in range(rng.choice([1, 2, 3, 5]))]
        for number, faction in enumerate(factions):
            faction["name"] = f"realm {number}"
            if len(factions) > 3:  # small realms, so that the chances of all ends are soon found
                for unit in ("infantry", "light", "heavy", "damaged", "galleys"):
                    faction.pop(unit, None)
                faction["light" if sea else "infantry"] = 1
            if faction["kind"] == "player" and rng.random() < 0.5:
                faction.update(own_decision(rng))
        defender = {"factions": factions}
        adorn(rng, sea, defender, any(f["kind"] == "player" for f in factions))
        defender_player = any(f["kind"] == "player" for f in factions)
        idle = random.Random(seed + 1000)
        if len(factions) < 3 and idle.random() < 0.6:
            factions.insert(idle.randint(0, len(factions)), {"kind": idle.choice(kinds), "name": "nobody"})
    else:
        defender = side(rng, sea, kinds)
        defender_player = defender["kind"] == "player"
    policies = {
        "attacker": policy(rng, sea, attacker["kind"] == "player"),
        "defender": policy(rng, sea, defender_player),
    }
    policies["attacker"]["ties"] = rng.choice(["listed-order", "players-first", "npr-first"])
    if not sea:
        for name, table in (("attacker", attacker), ("defender", defender)):
            if rng.random() < 0.3:
                table["muslim"] = True
                policies[name]["base_dice"] = rng.choice(["cavalry", "best-expected"])
    options = {
        "base_dice": rng.choice([2, 3]),
        "casualty_alternation": rng.choice(["each-round", "whole-battle"]),
        "damage_counts_as_casualty": rng.random() < 0.5,
    }
    del options["casualty_alternation" if sea else "damage_counts_as_casualty"]  # refused there
    if rng.random() < 0.2:
        options["dice"] = {
            rng.choice(["infantry", "artillery"]): ["infantry+cavalry", "tercios+tercios", "artillery", "blank"]
        }
    return {
        "game": "price-of-power",
        "battle": "naval" if sea else "land",
        "attacker": attacker,
        "defender": defender,
        "conditions": {"max_rounds": rng.choice([0, 0, 1, 2, 3])},
        "policy": policies,
        "options": options,
    }


def hold_together(data):
    """Every joint outcome has the chance that the reference gives it."""
    expected = War(data).odds()
    odds = exact(load(data))
    names = [name for name in next(iter(dict(end) for end in expected)) if name != "winner"]
    found = dict.fromkeys(expected, 0.0)
    for row in odds.table.to_dict("records"):
        end = tuple(sorted({name: row[name] for name in ["winner", *names]}.items()))
        found[end] = found.get(end, 0.0) + row["p"]
    worst = max(found, key=lambda end: abs(found[end] - expected.get(end, 0.0)))
    assert found[worst] == pytest.approx(expected.get(worst, 0.0), abs=1e-10), worst
    assert sum(expected.values()) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("seed", range(1000, 1040))
def test_random_scenarios(seed):
    hold_together(scenario(seed))


CHOSEN = {
    "npr draws a card": {"attacker": {"infantry": 3}, "defender": {"kind": "npr", "infantry": 3}},
    "attacking npr draws too": {
        "attacker": {"kind": "npr", "infantry": 3, "leader": "draw"},
        "defender": {"infantry": 2, "cavalry": 1},
    },
    "both charge": {
        "attacker": {"infantry": 1, "cavalry": 2, "ideas": ["noble-knights", "tercios"]},
        "defender": {"infantry": 2, "cavalry": 1, "ideas": ["noble-knights"]},
    },
    "a muslim realm rolls what is best": {
        "attacker": {"infantry": 1, "cavalry": 2, "muslim": True},
        "defender": {"infantry": 3, "leader": {"infantry": 1}},
        "policy": {"attacker": {"base_dice": "best-expected"}},
    },
}


@pytest.mark.parametrize("name", CHOSEN)
def test_chosen_scenarios(name):
    hold_together({"game": "price-of-power", "battle": "land", **CHOSEN[name]})


@pytest.mark.parametrize("leader", [None, {"cavalry": 2}], ids=["draws", "given"])
@pytest.mark.parametrize("idle", [{}, {"kind": "rebels"}, {"kind": "npr"}], ids=["player", "rebels", "npr"])
def test_a_faction_without_units_is_as_if_it_were_not_listed(idle, leader):
    npr = {"kind": "npr", "infantry": 4}
    frame = {"game": "price-of-power", "battle": "land", "attacker": {"infantry": 4}}
    given = {} if leader is None else {"leader": leader}
    listed = exact(frame | {"defender": {"factions": [idle, npr]} | given})
    alone = exact(frame | {"defender": npr | given})
    for column in set(alone.columns) - {"winner"}:
        assert listed.mean(column) == pytest.approx(alone.mean(column), abs=1e-12)
    assert listed.mean("defender_faction_1_left") == 0
    assert listed.mean("defender_faction_2_left") == pytest.approx(alone.mean("defender_units_left"))
    assert listed.winner("attacker") == pytest.approx(alone.winner("attacker"))
    if leader is None:
        assert listed.winner("attacker") == pytest.approx(0.34933, abs=5e-6)


def test_random_scenarios_are_allowed():
    for seed in range(200):
        try:
            load(scenario(seed))
        except ScenarioError as error:  # pragma: no cover
            pytest.fail(f"{seed}: {error}")


@given(some.integers(0, 30), some.lists(some.integers(0, 8), min_size=3, max_size=3), some.permutations(range(3)))
def test_hits_are_dealt_in_turn(hits, room, sequence):
    every = sorted((turn, sequence.index(one), one) for one in range(3) for turn in range(room[one]))
    dealt = [one for *_, one in every[:hits]]
    assert in_turn(room, hits, sequence) == ([dealt.count(one) for one in range(3)], dealt[-1] if dealt else -1)
