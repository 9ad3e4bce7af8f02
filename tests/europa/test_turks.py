"""Timar, pashas and the Vizier, stacks above 8 LD, national bonuses (docs/rules/europa_land_siege.md 2.4 to 3.2)."""

import random
from collections import Counter
from itertools import product

import pytest

from simulator import exact, load
from simulator.rules.europa.land.tables import CAVALRY, LandSetup, has_cavalry, ignores_tercios
from simulator.rules.europa.shared.stacks import Opponents, army_size, fighting
from simulator.rules.europa.siege.tables import SiegeSetup
from tests.europa.reference_siege import take, thirds
from tests.europa.scenarios import LAND, land, leader, siege

ARMY = {"army_plus": 1, "technology": "arquebus"}


def stack(side, enemy=ARMY, **more):
    return Opponents(load(land(side, enemy, **more)).fields).stacks[0]


# Country, technology, reform, pashas, limits: (technology that fights, morale against arquebus).
TURKS = {
    "Timar": ("turkey", "musket", "none", 0, True, ("arquebus", 2)),
    "Timar of old": ("turkey", "renaissance", "none", 0, True, ("renaissance", 2)),
    "Timar, medieval": ("turkey-vizier", "medieval", "m-1b", 0, True, ("medieval", 1)),
    "Timar after m-1a": ("turkey", "lace-war", "m-1a", 0, True, ("arquebus", 2)),
    "Timar after m-1b": ("turkey", "lace-war", "m-1b", 0, True, ("musket", 3)),
    "no Timar after m-2": ("turkey-vizier", "lace-war", "m-2", 0, True, ("lace-war", 4)),
    "limits off": ("turkey", "musket", "none", 0, False, ("musket", 4)),
    "Janissaries": ("turkey-janissary", "baroque", "none", 0, True, ("baroque", 4)),
    "Timar with pashas": ("turkey", "musket", "none", 2, True, ("arquebus", 2)),
    "Janissaries with pashas": ("turkey-janissary", "baroque", "none", 2, True, ("baroque", 2)),
    "Janissaries with pashas after m-1b": ("turkey-janissary", "baroque", "m-1b", 2, True, ("baroque", 3)),
    "old Janissaries with pashas": ("turkey-janissary", "renaissance", "m-1b", 2, True, ("renaissance", 2)),
    "pashas, limits off": ("turkey-janissary", "baroque", "none", 2, False, ("baroque", 3)),
}


@pytest.mark.parametrize("name", TURKS)
def test_technology_and_morale_of_turks(name):
    country, technology, reform, pashas, limits, expected = TURKS[name]
    side = {
        "country": country, "technology": technology, "turkish_reform": reform, "pasha_detachments": pashas,
        "army_plus": 1,
    }  # fmt: skip
    own = stack(side, options={"timar_limits": limits})
    assert (own.side.technology, own.morale) == expected


def test_pashas_change_morale_and_no_column():
    janissaries = ARMY | {"country": "turkey-janissary", "technology": "musket"}
    assert stack(janissaries | {"pasha_detachments": 1}).columns == stack(janissaries).columns


def test_the_enemy_of_timar_fights_arquebuses():
    timar = load(land({"country": "turkey", "army_plus": 1, "technology": "lace-war"}, ARMY)).fields
    arquebuses = load(land({"army_plus": 1, "technology": "arquebus"}, ARMY)).fields
    assert Opponents(timar).stacks[1].columns == Opponents(arquebuses).stacks[1].columns


def test_besieging_timar_pillage_as_arquebusiers_and_a_turkish_fortress_keeps_its_muskets():
    besieging = SiegeSetup(load(siege({"country": "turkey", "army_plus": 1}, {"fortress_level": 2})).fields)
    assert besieging.habit.technology == "arquebus"
    assert besieging.besieger.morale == 2
    inside = SiegeSetup(load(siege(ARMY, {"country": "turkey", "fortress_level": 2})).fields).besieged
    assert (inside.side.technology, inside.morale, inside.timar) == ("musket", 4, False)


@pytest.mark.parametrize(
    ("country", "reform", "period", "size"),
    [
        ("turkey", "m-1a", "III", 7), ("turkey", "m-1a", "V", 4), ("turkey-vizier", "m-1a", "IV", 4),
        ("turkey-janissary", "m-1a", "III", 4), ("turkey-janissary", "m-1a", "IV", 2),
        ("turkey-janissary", "m-1b", "III", 7), ("turkey", "m-2", "III", 4), ("turkey-vizier", "m-2", "VII", 2),
    ],
)  # fmt: skip
def test_army_size_after_reforms(country, reform, period, size):
    own = stack(ARMY | {"country": country, "turkish_reform": reform})
    assert army_size(own.side, period, LandSetup(load(land(ARMY, ARMY)).fields).book) == size


def test_who_stands_by_is_taken_out_like_losses():
    dice = random.Random(17)
    for _ in range(40):
        counters = dice.randint(0, 4), dice.randint(0, 5), dice.randint(0, 12), dice.randint(0, 2)
        names = "army_plus", "army_minus", "land_detachments", "exploration_detachments"
        given = dict(zip(names, counters, strict=True)) | {"converted_natives_thirds": 5}
        given |= {"leader": leader(1, 1, 1, type="explorer")}
        fields = load(land(given, ARMY, conditions={"region": "rotw"})).fields
        own = fighting(fields.attacker, fields.options)
        beyond = max(0, thirds((*counters[:3], 0)) - 24)
        left = take((*counters[:3], 0), beyond)
        assert (own.army_plus, own.army_minus, own.land_detachments) == left[:3]
        assert own.exploration_detachments == counters[3]
        assert Opponents(fields).stacks[0].idle == beyond


def test_what_fights_and_what_stands_by_is_said():
    asked = load(land({"country": "turkey", "army_plus": 2, "army_minus": 1, "land_detachments": 1}, ARMY))
    lines = asked.built.assumptions()
    assert "attacker: 3 of 11 land detachments stand by (at most 8 fight)" in lines
    assert "attacker: Timar fight with arquebus, not musket" in lines
    natives = load(LAND["converted natives"]).built.assumptions()
    assert any(line.startswith("attacker: converted natives stay with the stack") for line in natives)
    eight = load(land({"army_plus": 2, "exploration_detachments": 2}, ARMY, conditions={"region": "rotw"}))
    assert not any("stand by" in line for line in eight.built.assumptions())


def test_troops_that_stand_by_do_not_overrun():
    crowd = {"army_plus": 2, "land_detachments": 100}
    overruns = {"policy": {"attacker": {"overrun": "declare"}}}
    assert exact(land(crowd, {"land_detachments": 1}, **overruns)).p("overrun") == 1
    with pytest.raises(ValueError, match="needs 4 to 1"):
        load(land(crowd, {"land_detachments": 3}, **overruns))


def test_the_vizier_is_rolled_and_other_replacements_are_not():
    setup = LandSetup(load(land({"country": "turkey-vizier", "army_plus": 1}, ARMY)).fields)
    assert setup.stacks[0].manoeuvres == Counter([2, 4, 2, 2, 3, 5, 4, 1, 2, 4])
    assert setup.stacks[1].manoeuvres == Counter([0])
    named = stack({"country": "turkey-vizier", "army_plus": 1, "leader": leader(3, 0, 0)})
    assert named.manoeuvres == Counter([3])
    assert not named.is_vizier


def test_a_vizier_who_attacks_hinders_the_evasion():
    """1d10 + MAN 5 - his manoeuvre of 1 to 5 (1, four 2, one 3, three 4, one 5) must reach 8."""
    evades = {"policy": {"defender": {"evasion": "evade"}}}
    vizier, defender = {"country": "turkey-vizier", "army_plus": 1}, ARMY | {"leader": leader(5, 0, 0)}
    expected = sum(die + 5 - man >= 8 for die in range(1, 11) for man in (2, 4, 2, 2, 3, 5, 4, 1, 2, 4)) / 100
    assert exact(land(vizier, defender, **evades)).p("evaded") == pytest.approx(expected)


@pytest.mark.parametrize(("helper", "values"), [(0, {0: 1, 1: 1}), (1, {1: 2}), (3, {3: 2})])
def test_siege_value_of_the_vizier(helper, values):
    besieger = {"country": "turkey-vizier", "army_plus": 1, "siege_value": helper}
    stacks = Opponents(load(siege(besieger, {"fortress_level": 1})).fields).stacks
    assert stacks[0].siege_values == Counter(values)


def cavalry(reading):
    """(who, period, terrain) with structural cavalry by a reading."""
    found = set()
    periods, terrains = ("I", "II", "III", "IV", "V", "VI", "VII"), ("plain", "dense-forest", "northern-forest")
    for who, period, terrain in product(("sweden", "prussia"), periods, terrains):
        fields = load(land(ARMY | {"country": who}, ARMY, conditions={"period": period, "terrain": terrain})).fields
        if has_cavalry(fields, Opponents(fields).stacks[0], reading):
            found.add((who, period, terrain))
    return found


def test_national_cavalry_by_both_readings():
    seed, book = cavalry("seed"), cavalry("book")
    woods = {("prussia", period, f"{kind}-forest") for period in ("III", "IV", "V") for kind in ("dense", "northern")}
    assert seed - book == woods | {("sweden", "II", "northern-forest")}
    assert book - seed == {("sweden", "III", "plain"), ("sweden", "VI", "plain")}


def test_heavy_cavalry_ignores_tercios_until_period_v_or_always():
    immune = dict.fromkeys(CAVALRY, "")
    for period in ("I", "V", "VI", "VII"):
        fields = load(land(ARMY | {"country": "russia"}, ARMY, conditions={"period": period})).fields
        for reading in CAVALRY:
            immune[reading] += f"{period} " * ignores_tercios(fields, Opponents(fields).stacks[0], reading)
    assert immune == {"seed": "I V ", "book": "I V VI VII "}


def test_the_reading_of_national_bonuses_is_said_where_it_matters():
    swedes = land(ARMY | {"country": "sweden"}, ARMY, conditions={"period": "VI"})
    assert "national bonuses by the rules of 2016 (national_bonuses)" in load(swedes).built.assumptions()
    other = load(swedes | {"conditions": {"period": "I"}}).built.assumptions()
    assert not any("national bonuses" in line for line in other)
