"""Line 1 of `odds`: the question of each kind of battle in one sentence (docs/rules/decisions.md section 12)."""

import json
import re

import pytest

from simulator import exact, load, mix, odds, simulate, sweep
from simulator.analysis.decisions.advice import to_hold
from simulator.analysis.odds.headline import SURE, headline_of, measure_of
from simulator.analysis.odds.measure import measure
from simulator.cli import run
from simulator.rules.toolkit.words import chance_of, number_of
from simulator.scenarios import example_names
from tests.sentences import faults

BATTLES = 300
# An example of each kind, its measure, and its sentence as a player reads it.
SENTENCES = {
    "axis-1940-raid": ("mean.attacker_points", "The attacker scores 9.17 points on average."),
    "axis-1940-raid-on-a-base": ("mean.attacker_points", "The attacker scores 5.86 points on average."),
    "axis-raid": ("mean.attacker_points", "The attacker scores 6.92 points on average."),
    "axis-1940-combined-arms": (
        "taken",
        "The attacker takes the land in 79.25 % and wins in 94.04 %; the defender holds it in 20.75 %.",
    ),
    "axis-land-artillery": ("taken", "The attacker takes the land in 86.85 %; the defender holds it in 13.15 %."),
    "axis-landing": (
        "taken",
        "The attacker takes the land in 17.82 % and wins in 34.31 %; the defender holds it in 82.18 %.",
    ),
    "axis-revised-convoy": (
        "winner == 'attacker'",
        "The attacker wins the sea battle in 63.87 %, the defender in 35.12 %, nobody in 1.01 %.",
    ),
    "axis-revised-house-rule": (
        "taken",
        "The attacker takes the land in 90.78 % and wins in 95.57 %; the defender holds it in 9.22 %.",
    ),
    "axis-revised-landing": ("taken", "The attacker takes the land in 81.40 %; the defender holds it in 18.60 %."),
    "axis-sea-carriers": (
        "winner == 'attacker'",
        "The attacker wins the sea battle in 65.27 %, the defender in 34.73 %, nobody in < 0.01 %.",
    ),
    "birthright-border-clash": (
        "winner == 'attacker'",
        "The attacker wins the field in 64.61 %, the defender in 31.81 %, nobody in 3.58 %.",
    ),
    "birthright-last-word": ("last_word", "The regent moves last in 23.59 %, and may enter in 61.75 %."),
    "birthright-march": (
        "winner == 'attacker'",
        "The march takes 5 war moves, and 4 of 5 provinces are entered in time.",
    ),
    "birthright-quick-battle": (
        "winner == 'attacker'",
        "The attacker wins the field in 81.75 %, the defender in 18.25 %.",
    ),
    "birthright-scouting": ("visible", "The army is seen; known: type, statistics, origin."),
    "birthright-siege": (
        "winner == 'attacker'",
        "The castle falls in 81.85 %, holds in 18.15 %; the siege is still open in < 0.01 %.",
    ),
    "birthright-storm-of-the-keep": ("winner == 'attacker'", "The castle is stormed in 9.14 %, holds in 90.86 %."),
    "campaign-battle-then-siege": (
        "winner == 'attacker'",
        "French is the winner at the end in 60.84 %, spanish in 2.17 %, nobody in 36.99 %.",
    ),
    "campaign-counter-attack": (
        "winner == 'attacker'",
        "Red takes it in 99.16 % and still holds it after the counter-attack in 79.56 %.",
    ),
    "campaign-hold-against-two": ("winner == 'attacker'", "Blue reaches the goal in 7.20 %."),
    "campaign-sea-then-land": (
        "winner == 'attacker'",
        "Our side is the winner at the end in 67.02 %, the side of fleet2 and home in 18.19 %, nobody in 14.79 %.",
    ),
    "campaign-two-raids": (
        "winner == 'attacker'",
        "Home is the winner at the end in 33.59 %, the side of north and south in 66.41 %.",
    ),
    "custom-aimed-fire": (
        "winner == 'attacker'",
        "The attacker wins the battle in 94.12 %, the defender in 5.85 %, nobody in 0.03 %.",
    ),
    "custom-opposed-dice": (
        "winner == 'attacker'",
        "The attacker wins the battle in 88.23 %, the defender in 11.77 %.",
    ),
    "eclipse-galactic-center": (
        "winner == 'attacker'",
        "The attacker wins the sector in 69.62 %, the defender in 30.38 %.",
    ),
    "europa-armada-1588": (
        "winner == 'attacker'",
        "Spain wins the sea battle in 24.46 %, England in 64.53 %; it stays undecided in 11.01 %.",
    ),
    "europa-armada-return-1588": (
        "winner == 'attacker'",
        "Nothing is lost in 0 %, a part in 70.00 %, everything in 30.00 %; 8.63 detachments on average.",
    ),
    "europa-bahia-1625": ("landed", "The troops land in 46.83 %, 1.47 detachments of them on average."),
    "europa-bantry-bay-1689": ("intercepted", "The stack is intercepted in 28.00 %, and moves on in 72.00 %."),
    "europa-breitenfeld-1631": (
        "winner == 'attacker'",
        "Sweden wins the battle in 80.04 %, Habsburg in 10.53 %; it stays undecided in 9.42 %.",
    ),
    "europa-brest-1759": ("escaped", "The fleet escapes in 40.00 %, is stopped in 20.00 %, caught in 40.00 %."),
    "europa-cadiz-1596": (
        "fortress_taken",
        "The fortress is taken in 8.26 %; the troops land in 95.53 % and win ashore in 64.80 %.",
    ),
    "europa-cajamarca-1532": ("winner == 'attacker'", "Nobody resists in 30.00 %, some in 70.00 %."),
    "europa-columbus-1492": ("discovered", "A discovery is made in 80.00 %."),
    "europa-dardanelles-1657": ("not stopped", "The fleet passes in 50.00 %, and loses 0.4 detachments on average."),
    "europa-famagusta-1571": ("fallen", "The fortress falls in 21.11 %, holds in 78.89 %."),
    "europa-flores-1591": (
        "winner == 'attacker'",
        "Spain wins the sea battle in 66.96 %, England in 27.57 %; it stays undecided in 5.47 %.",
    ),
    "europa-la-hougue-1692": ("landed", "The troops land in 82.67 %, 2.31 detachments of them on average."),
    "europa-la-rochelle-1627": ("fits", "The load fits: 6 of 14 points are needed."),
    "europa-lutzen-1632": (
        "winner == 'attacker'",
        "The leader is unharmed in 80.00 %, killed in 10.00 %, wounded in 10.00 %.",
    ),
    "europa-matanzas-1628": (
        "winner == 'attacker'",
        "The corsair takes ships in 48.00 %, misses the convoy in 40.00 %, is driven off in 12.00 %.",
    ),
    "europa-naples-1647": ("cleared", "The revolt is over in 69.12 %; 0.43 sides are left on average."),
    "europa-quiberon-bay-1759": (
        "winner == 'attacker'",
        "England wins the sea battle in 78.44 %, France in 13.17 %; it stays undecided in 8.39 %.",
    ),
    "europa-roanoke-1587": ("activated", "The natives attack in 60.00 %, stay quiet in 40.00 %."),
    "europa-season-1632": ("mean.rounds_left", "3.72 more rounds are played on average."),
    "europa-tlaxcala-1519": (
        "winner == 'attacker'",
        "The natives give in or are beaten in 98.59 %, win in 1.25 %, undecided in 0.16 %.",
    ),
    "europa-vienna-1529": ("fallen", "The fortress falls in 32.30 %, holds in 67.70 %."),
    "europa-vienna-1683": ("fallen", "The fortress falls in 44.83 %, holds in 55.17 %."),
    "europa-windward-fleet-1668": ("cleared", "The corsairs are gone in 9.60 %; 2 sides are left on average."),
    "knt-four-meet-two": ("winner == 'attacker'", "The hex is won in 99.83 %, without a fight in 3.86 %."),
    "knt-heroes-and-magic": (
        "winner == 'attacker'",
        "The attacker takes the hex in 74.57 %, the defender keeps it in 25.43 %.",
    ),
    "knt-three-kings": (
        "taken_by_attacker",
        "The attacker takes the hex in 4.24 %, the second attacker in 1.50 %; the defender keeps it in 94.26 %.",
    ),
    "power-barbary": (
        "winner == 'attacker'",
        "Spain wins the sea battle in 91.30 %, the defender in 5.55 %, nobody in 3.15 %.",
    ),
    "power-march-milan": (
        "all_taken",
        "France wins the area in 87.65 % and takes provinces worth 2.63 of 3 in tax on average "
        "(all of them in 87.65 %).",
    ),
    "power-crossing-alps": ("winner == 'attacker'", "6 of 10 units get across, for 2 military power."),
    "power-italian-war": (
        "winner == 'attacker'",
        "France wins the battle in 99.81 %, Spain in 0.07 %, nobody in 0.11 %.",
    ),
    "power-npr-genoa": ("mean.land_units", "The realm defends with 4 units on land and 3 ships."),
    "power-rebels": ("all_taken", "3 of 4 provinces are taken, worth 4 of 5 in tax, for 0 military power in 1 action."),
    "risk-20v15": (
        "winner == 'attacker'",
        "The attacker takes the territory in 86.04 % and loses 12.27 of 20 regiments on average; "
        "the defender holds in 13.96 %.",
    ),
    "risk-blockade-run": ("blockade_broken", "The fleets break the blockade in 48.92 %, and are stopped in 51.08 %."),
    "risk-invasion": (
        "winner == 'attacker'",
        "The invasion succeeds in 38.13 %; the convoy reaches the shore in 73.80 %.",
    ),
    "risk-landing": (
        "winner == 'attacker'",
        "The landing takes all 3 territories in 49.67 %; the defender never holds; called off in 50.33 %.",
    ),
    "risk-sea-battle": (
        "winner == 'attacker'",
        "The attacker wins the sea battle in 64.16 %, the defender in 35.84 %.",
    ),
    "skirmish-charge": (
        "taken",
        "The attacker takes the field in 89.06 % and wins in 93.47 %; the defender holds it in 10.94 %.",
    ),
    "twilight-factions": (
        "winner == 'attacker'",
        "The attacker wins the space battle in 61.54 %, the defender in 22.35 %, nobody in 16.12 %.",
    ),
    "twilight-ground": ("taken", "The attacker takes the planet in 94.10 %; the defender holds it in 5.90 %."),
    "twilight-space-cannon": (
        "winner == 'attacker'",
        "The attacker wins the space battle in 45.86 %, the defender in 53.10 %, nobody in 1.04 %.",
    ),
    "freeciv-city": (
        "winner == 'attacker'",
        "The attacker wins the battle in 73.70 %, the defender in 26.30 %.",
    ),
    "julius-caesar-massilia": (
        "taken",
        "The attacker takes the city in 36.21 %; the defender holds it in 63.79 %.",
    ),
    "lordsawar-city": (
        "winner == 'attacker'",
        "The attacker wins the battle in 59.88 %, the defender in 40.12 %.",
    ),
    "britannia-downlands": (
        "taken",
        "The attacker takes the ground in 70.99 %; the defender holds it in 29.01 %.",
    ),
    "nexus-ops-hex": (
        "winner == 'attacker'",
        "The attacker wins the battle in 29.98 %, the defender in 25.44 %, nobody in 44.58 %.",
    ),
    "risk-2210-station": (
        "taken",
        "The attacker takes the territory in 80.55 %; the defender holds it in 19.45 %.",
    ),
    "space-empires-4x-cruisers": (
        "winner == 'attacker'",
        "The attacker wins the battle in 57.41 %, the defender in 42.59 %.",
    ),
    "titan-lions": (
        "winner == 'attacker'",
        "The attacker wins the battle in 28.85 %, the defender in 37.90 %, nobody in 33.26 %.",
    ),
    "war-of-the-ring-city": (
        "winner == 'attacker'",
        "The attacker wins the battle in 92.29 %, the defender in 5.89 %, nobody in 1.82 %.",
    ),
    "warhammer-40000-squads": (
        "winner == 'attacker'",
        "The attacker wins the battle in 48.69 %, the defender in 8.04 %, nobody in 43.27 %.",
    ),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_the_sentence_of_each_kind(name):
    asked, text = SENTENCES[name]
    found = odds(name).headline
    assert (found.measure, found.text) == (asked, text)
    assert found.low == found.value == found.high


def test_every_kind_has_a_sentence():
    known = {load(name).battle.label for name in SENTENCES}
    assert {load(name).battle.label for name in example_names()} == known


@pytest.mark.parametrize("name", example_names())
@pytest.mark.parametrize("more", [(), ("--battles", str(BATTLES))], ids=["as it fits", "simulated"])
def test_line_1_is_the_headline_of_json_page_and_api(name, more, capsys):
    assert run(["odds", name, *more]) == 0
    line = capsys.readouterr().out.splitlines()[0]
    assert faults(line) == []
    assert run(["odds", name, *more, "--quiet"]) == 0
    assert capsys.readouterr().out == line + "\n"
    assert run(["odds", name, *more, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    about = found["headline"]
    assert about["text"] == line
    asked = about["measure"]
    assert about["low"] <= about["value"] <= about["high"] + 1e-12
    simulated = found["battles"] is not None
    bounds = (about["low"], about["high"]) if simulated else None
    if asked.startswith("mean."):
        assert number_of(about["value"]) in line
    elif name not in WITHOUT_ITS_CHANCE:
        said = chance_of(about["value"], 2, bounds)
        assert said in line or f"in {SURE.get(said)}" in line  # "Nothing is lost in 0 %"
    uncertain = "%" in line or (asked.startswith("mean.") and about["low"] < about["high"])
    assert ("about" in line.lower()) == (simulated and uncertain)


# Sentences of kinds that count: their measure is a chance, but no part of the sentence.
WITHOUT_ITS_CHANCE = {
    "birthright-march",
    "birthright-scouting",
    "europa-la-rochelle-1627",
    *(name for name in example_names() if name.startswith(("power-crossing", "power-siege", "power-rebels"))),
}


@pytest.mark.parametrize(("infantry", "brings"), [(4, 0.00063), (5, 0.00005)])
def test_there_is_no_hint_where_line_1_would_stay_as_it_is(infantry, brings):
    """Keeping an infantry wins the ground in all battles that the fighter alone wins: so many, and no more."""
    attacker = {"infantry": infantry, "fighter": 1}
    battle = load({"game": "axis-and-allies-1942", "battle": "land", "attacker": attacker, "defender": {"infantry": 1}})
    found = odds(battle)
    assert found.winner("attacker") - found.p("taken") == pytest.approx(brings, abs=1e-5)
    hint, keep = to_hold(battle, found)
    assert bool(hint) == bool(keep) == (brings > 0.0005)


@pytest.mark.parametrize("name", SENTENCES)
def test_the_page_has_one_decimal(name):
    from simulator.web.views.answers import context

    found = odds(name)
    shown = context(found, None)["sentence"]
    assert shown == headline_of(found, decimals=1).text
    assert re.sub(r"(\d+\.\d)\d? %|[<>] [\d.]+ %", "", shown) == re.sub(
        r"(\d+\.\d)\d? %|[<>] [\d.]+ %", "", found.headline.text
    )


@pytest.mark.parametrize("name", SENTENCES)
def test_the_defender_asks_the_contrary(name):
    found = odds(name)
    asked = measure_of(found.battle, "defender")
    ours, theirs = measure(found, "headline"), measure(found, "headline.defender")
    if asked == "winner == 'defender'":
        assert theirs.value == found.winner("defender")
    elif asked.startswith("mean."):
        assert theirs == ours
    else:
        question = found.headline.measure
        assert asked == ("stopped" if question == "not stopped" else f"not ({question})")
        assert ours.value + theirs.value == pytest.approx(1)
    assert ours.value == found.headline.value


def test_a_name_for_the_headline_wherever_a_value_is_named():
    swept = sweep("axis-landing", {"attacker.tank": [1, 3]}, "headline")
    assert swept.value == "taken"
    assert swept.cells[0].value == odds("axis-landing").headline.value
    swept = sweep("europa-season-1632", {"conditions.poor_weather": [True]}, "headline.defender")
    assert swept.value == "mean.rounds_left"


def test_a_simulated_chance_of_nothing_is_not_never():
    found = simulate("risk-landing", 100)
    assert found.winner("defender") == 0
    assert "the defender holds in about 0.00 % (0.00 to " in found.headline.text
    assert "the defender never holds" in exact("risk-landing").headline.text


def test_a_mixture_has_a_headline():
    fog = {**load("risk-20v15").data, "defender": {"regiments": {"from": 10, "to": 20}}}
    found = mix(fog)
    assert str(found.headline) == found.odds.headline.text
    assert found.to_dict()["headline"]["text"] == found.odds.headline.text
    assert found.odds.headline.text.startswith("The attacker takes the territory in 83.70 %")
    fog["attacker"] = {"regiments": {"from": 10, "to": 12}}
    assert "regiments on average" in mix(fog).odds.headline.text


def test_names_of_the_scenario_and_none_for_the_nameless():
    found = exact({**load("power-italian-war").data, "attacker": {"infantry": 6}})
    assert found.headline.text.startswith("The attacker wins the battle in")
    assert exact("power-three-realms").headline.text.startswith("Venice wins the battle")
    assert ", the side of Milan, France and Austria in " in exact("power-three-realms").headline.text


def test_a_part_in_brackets_says_something_new():
    assert " and wins in" in exact("axis-landing").headline.text
    text = exact("axis-land-artillery").headline.text  # every unit can hold the land
    assert "and wins in" not in text
    assert text.startswith("The attacker takes the land in")


def test_the_last_siege_of_the_price_of_power_is_told_in_tax(capsys):
    assert run(["campaign", "power-italian-war", "power-siege-lombardy", "--quiet"]) == 0
    line = capsys.readouterr().out
    assert line == "France wins the area in 99.93 % and takes provinces worth 5 of 6 in tax on average.\n"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (
            "axis-landing",
            "The attacker loses 6.12 of 9 units (31.74 IPC) on average, the defender 6.07 of 8 units (24.35 IPC).",
        ),
        ("europa-lepanto-1571", "Spain loses 3.48 ND on average, Turkey 6.93 ND."),
        ("risk-20v15", "The attacker loses 12.27 regiments on average, the defender 14.45 regiments."),
        ("knt-four-meet-two", "The attacker loses 0.55 of 4 creatures on average, the defender 1.5."),
    ],
)
def test_the_price_stands_below(name, line, capsys):
    assert run(["odds", name]) == 0
    assert line in capsys.readouterr().out.splitlines()[1:3]  # after what to keep, where that brings more


def test_nouns_have_the_right_number():
    from simulator.rules.toolkit.words import noun_for

    given = {(1, "galleys"): "galley", (2, "tank"): "tanks", (1, "galleasses"): "galleass", (3, "infantry"): "infantry"}
    given |= {(2, "Cyclops"): "Cyclops", (2, "ARMY+"): "ARMY+", (1, "pds"): "pds", (2, "cruiser 2"): "cruiser 2"}
    given |= {(2, "light"): "light", (2, "enemy"): "enemies", (1, "archers"): "archer", (2, "galleass"): "galleasses"}
    assert {case: noun_for(*case) for case in given} == given
    assert (number_of(1.0, "ship"), number_of(2.4, "ship"), number_of(0.0, "ship")) == (
        "1 ship",
        "2.4 ships",
        "0 ships",
    )
