"""Factions, technologies and cards of Twilight Imperium 4 (docs/rules/custom_games.md section 14)."""

import pytest

from simulator import ScenarioError, exact, load
from simulator.rules.custom.game_file.describe_rules import warnings
from simulator.rules.custom.game_file.files import find

TI = "twilight-imperium-4"


def fight(kind, attacker, defender, rounds=1):
    options = {"rounds": rounds} if rounds else {}
    return exact({"game": TI, "battle": kind, "attacker": attacker, "defender": defender, "options": options})


def test_there_are_24_factions():
    options = find(TI).file.option
    factions = [key for key, option in options.items() if option.group == "faction" and key != "no-faction"]
    assert len(factions) == 24
    assert not warnings(find(TI).file)


def test_mentak_fires_first():
    """Two cruisers and a destroyer roll two ambush dice, the cruisers' at 7: 4/10 each; a lone fighter is gone."""
    odds = fight("space", {"cruiser": 2, "destroyer": 1, "options": ["mentak"]}, {"fighter": 1}, rounds=1)
    no_hit = (6 / 10) ** 2
    # Then two barrage dice at 9, and if it still flies a round: two cruisers at 7, a destroyer at 9.
    barrage, round_1 = (8 / 10) ** 2, (6 / 10) ** 2 * (8 / 10)
    assert odds.p("defender_units_left == 1") == pytest.approx(no_hit * barrage * round_1, abs=1e-12)
    assert odds.p("rounds == 0") == pytest.approx(1 - no_hit * barrage, abs=1e-12)


def test_sardakk_and_the_drill_of_a_flagship():
    """Fighters at 9 hit with 9, 10; Unrelenting makes it 8, the flagship 7 more: 4/10. Flagship: two dice at 6 - 1."""
    odds = fight("space", {"fighter": 1, "flagship": 1, "options": ["sardakk"]}, {"dreadnought": 3}, rounds=1)
    missed = (1 - 4 / 10) * (1 - 6 / 10) ** 2
    assert odds.p("defender_dreadnought_damage == 0") == pytest.approx(missed, abs=1e-12)


def test_the_flagship_of_jol_nar():
    """Two dice of four faces in ten that hit, two of them three times: six hits with 4/100, none with 36/100."""
    odds = fight("space", {"flagship": 1, "options": ["jol-nar"]}, {"dreadnought": 3}, rounds=1)
    assert odds.p("defender_units_lost == 3") == pytest.approx(0.04, abs=1e-12)
    assert odds.p("defender_units_lost == 0 & defender_dreadnought_damage == 0") == pytest.approx(0.36, abs=1e-12)


def test_harrow_is_bombardment():
    """After a round in which nobody hits (infantry at 8 and at 7), one dreadnought bombards at 5 (6/10) again."""
    army, alone = {"infantry": 1, "dreadnought": 1}, {"infantry": 1}

    def left(attacker=(), defender=(), **more):
        sides = army | {"options": ["l1z1x", *attacker]}, alone | more | {"options": [*defender]}
        return fight("ground", *sides).p("defender_units_left == 1")

    misses = 7 / 10
    assert left() == pytest.approx((4 / 10) * misses * (4 / 10), abs=1e-12)
    assert left(["plasma-scoring"]) == pytest.approx((4 / 10) ** 2 * misses * (4 / 10) ** 2, abs=1e-12)
    assert left([], ["bunker"]) == pytest.approx((8 / 10) * misses * (8 / 10), abs=1e-12)
    # A PDS: no bombardment and no Harrow; its space cannon (5/10) comes before the round.
    assert left(pds=1) == pytest.approx(5 / 10 + 5 / 10 * misses, abs=1e-12)


def test_harrow_as_in_ti4calc():
    """Its test: attacker .803, nobody .063, defender .132, of simulated battles."""
    odds = fight("ground", {"infantry": 5, "dreadnought": 3, "options": ["l1z1x"]}, {"infantry": 8}, rounds=0)
    assert [odds.winner(one) for one in ("attacker", "nobody", "defender")] == pytest.approx(
        [0.803, 0.063, 0.132], abs=0.005
    )


def test_supercharge_and_spec_ops():
    """Sol's infantry hits at 7: 4/10; with Morale Boost in the first round at 6: 5/10. The other infantry: 3/10."""
    sides = {"infantry": 1, "options": ["sol", "morale-boost"]}, {"infantry": 1}
    odds = fight("ground", *sides)
    assert odds.p("defender_units_left == 0") == pytest.approx(0.5, abs=1e-12)
    assert odds.p("attacker_units_left == 0") == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize(
    ("side", "complaint"),
    [
        ({"flagship": 1}, r"attacker\.flagship: needs one of these options: faction"),
        (
            {"cruiser": 1, "options": ["memoria-2"]},
            r"attacker\.options\[0\]: memoria-2 needs one of these options: nomad",
        ),
        ({"cruiser": 1, "options": ["sol", "saar"]}, r"attacker\.options\[1\]: saar is a second faction beside sol"),
        (
            {"cruiser": 1, "hel_titan": 1, "options": ["sol"]},
            r"attacker\.hel_titan: needs one of these options: titans",
        ),
        ({"cruiser": 1, "cruiser_2": 1}, r"attacker\.cruiser_2: stands in the place of cruiser"),
    ],
)
def test_refused(side, complaint):
    with pytest.raises(ScenarioError, match=complaint):
        load({"game": TI, "battle": "space", "attacker": side, "defender": {"cruiser": 1}})


def values(faction, unit):
    """Cost, hits, combat and the other rolls of a unit of a faction: the option's where it says any."""
    file = find(TI).file
    own, base = file.option[faction].unit.get(unit), file.unit[unit]
    rolls = {"combat": base.combat} | base.rolls
    if own is not None:
        rolls |= own.rolls | ({} if own.combat is None else {"combat": own.combat})
    found = {"cost": base.cost, "hits": own.hits if own is not None and own.hits else base.hits}
    for name, roll in rolls.items():
        if isinstance(roll, int):
            roll_of = (roll, 1) if roll else None
        else:
            roll_of = roll and (roll.die or roll.value, roll.dice)
        if roll_of:
            found[name] = roll_of
    return found


# Flagships: hit on, dice; then anti-fighter barrage, bombardment, space cannon (docs/games.md names the sources).
FLAGSHIPS = {
    "arborec": {"combat": (7, 2)},
    "argent": {"combat": (7, 2)},
    "letnev": {"combat": (5, 2), "bombard": (5, 3)},
    "saar": {"combat": (5, 2), "barrage": (6, 4)},
    "muaat": {"combat": (5, 2)},
    "hacan": {"combat": (7, 2)},
    "empyrean": {"combat": (5, 2)},
    "sol": {"combat": (5, 2)},
    "creuss": {"combat": (5, 1)},
    "l1z1x": {"combat": (5, 2)},
    "mahact": {"combat": (5, 2)},
    "mentak": {"combat": (7, 2)},
    "naalu": {"combat": (9, 2)},
    "naaz-rokha": {"combat": (9, 2)},
    "nekro": {"combat": (9, 2)},
    "nomad": {"combat": (7, 2), "barrage": (8, 3)},
    "sardakk": {"combat": (6, 2)},
    "titans": {"combat": (7, 2)},
    "jol-nar": {"combat": ("hylarim", 2)},
    "cabal": {"combat": (5, 2), "bombard": (5, 1)},
    "winnu": {"salai": (7, 1000)},
    "xxcha": {"combat": (7, 2), "space-cannon": (5, 3)},
    "yin": {"combat": (9, 2)},
    "yssaril": {"combat": (5, 2)},
}


@pytest.mark.parametrize("faction", FLAGSHIPS)
def test_flagships(faction):
    assert values(faction, "flagship") == {"cost": 8, "hits": 2} | FLAGSHIPS[faction]


def test_memoria_2_is_the_flagship_of_the_nomad():
    assert values("memoria-2", "flagship") == {"cost": 8, "hits": 2, "combat": (5, 2), "barrage": (5, 3)}


MECHS = {"naaz-rokha": {"combat": (6, 2)}, "xxcha": {"space-cannon": (8, 1)}}


@pytest.mark.parametrize("faction", FLAGSHIPS)
def test_mechs(faction):
    assert values(faction, "mech") == {"cost": 2, "hits": 2, "combat": (6, 1)} | MECHS.get(faction, {})


# Units of all sides and those that a faction has instead: cost, hits, and rolls as above.
BASE = "no-faction"
UNITS = [
    (BASE, "fighter", 0.5, 1, {"combat": (9, 1)}),
    (BASE, "fighter_2", 0.5, 1, {"combat": (8, 1)}),
    (BASE, "destroyer", 1, 1, {"combat": (9, 1), "barrage": (9, 2)}),
    (BASE, "destroyer_2", 1, 1, {"combat": (8, 1), "barrage": (6, 3)}),
    (BASE, "cruiser", 2, 1, {"combat": (7, 1)}),
    (BASE, "cruiser_2", 2, 1, {"combat": (6, 1)}),
    (BASE, "carrier", 3, 1, {"combat": (9, 1)}),
    (BASE, "carrier_2", 3, 1, {"combat": (9, 1)}),
    (BASE, "dreadnought", 4, 2, {"combat": (5, 1), "bombard": (5, 1)}),
    (BASE, "dreadnought_2", 4, 2, {"combat": (5, 1), "bombard": (5, 1)}),
    (BASE, "war_sun", 12, 2, {"combat": (3, 3), "bombard": (3, 3)}),
    (BASE, "infantry", 0.5, 1, {"combat": (8, 1)}),
    (BASE, "infantry_2", 0.5, 1, {"combat": (7, 1)}),
    (BASE, "pds", 0, 1, {"space-cannon": (6, 1)}),
    (BASE, "pds_2", 0, 1, {"space-cannon": (5, 1)}),
    ("argent", "destroyer", 1, 1, {"combat": (8, 1), "barrage": (9, 2)}),
    ("argent", "destroyer_2", 1, 1, {"combat": (7, 1), "barrage": (6, 3)}),
    ("l1z1x", "dreadnought", 4, 2, {"combat": (5, 1), "bombard": (5, 1), "harrow": (5, 1)}),
    ("l1z1x", "dreadnought_2", 4, 2, {"combat": (4, 1), "bombard": (4, 1), "harrow": (4, 1)}),
    ("naalu", "fighter", 0.5, 1, {"combat": (8, 1)}),
    ("naalu", "fighter_2", 0.5, 1, {"combat": (7, 1)}),
    ("sardakk", "dreadnought", 4, 2, {"combat": (5, 1), "bombard": (4, 2)}),
    ("sardakk", "dreadnought_2", 4, 2, {"combat": (5, 1), "bombard": (4, 2)}),
    ("sol", "carrier", 3, 1, {"combat": (9, 1)}),
    ("sol", "carrier_2", 3, 2, {"combat": (9, 1)}),
    ("sol", "infantry", 0.5, 1, {"combat": (7, 1)}),
    ("sol", "infantry_2", 0.5, 1, {"combat": (6, 1)}),
    ("titans", "cruiser", 2, 1, {"combat": (7, 1)}),
    ("titans", "cruiser_2", 2, 2, {"combat": (6, 1)}),
    ("titans", "hel_titan", 0, 2, {"combat": (7, 1), "space-cannon": (6, 1)}),
    ("titans", "hel_titan_2", 0, 2, {"combat": (6, 1), "space-cannon": (5, 1)}),
    ("naaz-rokha", "z_grav_eidolon", 2, 1, {"combat": (8, 2)}),
]


@pytest.mark.parametrize(("faction", "unit", "cost", "hits", "rolls"), UNITS)
def test_units(faction, unit, cost, hits, rolls):
    assert values(faction, unit) == {"cost": cost, "hits": hits} | rolls


def test_no_other_unit_of_a_faction_differs():
    named = {(faction, unit) for faction, unit, *_ in UNITS} | {("l1z1x", "war_sun")}
    for faction in FLAGSHIPS:
        own = {*find(TI).file.option[faction].unit} - {"flagship", "mech"}
        assert {(faction, unit) for unit in own} - named <= {
            ("mentak", unit) for unit in ("destroyer", "destroyer_2", "cruiser", "cruiser_2")
        }
