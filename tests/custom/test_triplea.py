"""Import of TripleA maps (docs/rules/triplea_import.md); the maps here are written for these tests."""

import json
import tomllib
from pathlib import Path

import pytest

from simulator import exact, import_triplea
from simulator.cli.run import BAD_INPUT
from simulator.rules.custom.triplea import report_text
from tests.custom.triplea_maps import COG, DESTROYER, DIVER, KITE, LEGION, SHIP, game, support, xml

VECTORS = json.loads((Path(__file__).parent / "triplea_import.json").read_text(encoding="utf-8"))


def at(table, path):
    for step in path.split("."):
        table = table[int(step)] if isinstance(table, list) else table[step]
    return table


def holds(table, path):
    try:
        at(table, path)
    except (KeyError, IndexError):
        return False
    return True


@pytest.mark.parametrize("vector", [pytest.param(vector, id=vector["name"]) for vector in VECTORS])
def test_vectors(vector):
    asked = {"text": vector["xml"], "units": vector.get("units"), "players": vector.get("players")}
    if "error" in vector:
        with pytest.raises(ValueError, match=f"^map: .*{vector['error']}"):
            import_triplea(**asked)
        return
    found = import_triplea(**asked)
    for path, value in vector.get("game", {}).items():
        assert at(found.game, path) == value, path
    assert not [path for path in vector.get("absent", []) if holds(found.game, path)]
    lines = {(row["line"], row["kind"]) for row in found.report}
    assert lines >= {tuple(pair) for pair in vector.get("report", [])}
    odds = exact({"game": "custom", "rules": found.game} | vector["scenario"])
    for question, value in vector["expect"].items():
        kind, _, column = question.partition(".")
        if column in ("attacker", "defender", "nobody"):
            answer = odds.winner(column)
        else:
            answer = odds.p(column) if kind == "p" else odds.mean(column)
        assert answer == pytest.approx(value, abs=vector["tolerance"]), question


def test_the_text_is_the_game_and_the_same_each_time():
    text = xml({"legion": LEGION, "kite": KITE})
    assert tomllib.loads(import_triplea(text=text).toml) == import_triplea(text=text).game
    assert import_triplea(text=text).toml == import_triplea(text=text).toml
    assert list(game({"legion": LEGION}))[:5] == ["format", "name", "source", "assumed", "dice"]


def test_a_document_type_is_not_fetched_and_old_spellings_mean_the_same():
    text = xml({"legion": LEGION})
    old = text.replace("attachmentList", "attatchmentList").replace("<attachment ", "<attatchment ")
    old = old.replace("</attachment>", "</attatchment>").replace("attachTo", "attatchTo")
    old = old.replace('javaClass="UnitAttachment"', 'javaClass="games.UnitAttatchment"')
    new = import_triplea(text=text).game
    assert import_triplea(text='<!DOCTYPE game SYSTEM "game.dtd">' + old).game == new
    assert import_triplea(text=text.replace(' javaClass="UnitAttachment"', "")).game == new


def test_names_of_units():
    names = ["Man-at-Arms", "man at arms", "7th Legion", "All", "x" * 50, "x" * 45]
    made = game(dict.fromkeys(names, LEGION))["unit"]
    assert list(made) == ["man_at_arms", "man_at_arms_2", "u_7th_legion", "all_unit", "x" * 40, "x" * 38 + "_2"]
    assert [unit["name"] for unit in made.values()] == names


UNIT_OPTIONS = {
    "held within the die": ({"attack": 9}, {"attack": 6}),
    "no roll": ({"defense": 0}, {"defence": 0}),
    "an odd value": ({"defense": "strong"}, {"defence": 0}),
    "ten digits": ({"attack": "1" * 10}, {"attack": 0}),
    "spaces": ({"attack": " 2 "}, {"attack": 2}),
    "several dice": ({"attackRolls": 3}, {"attack": {"value": 1, "dice": 3}}),
    "no dice": ({"defenseRolls": 0}, {"defence": 0}),
    "the best of two": ({"attackRolls": 2, "chooseBestRoll": "True"}, {"attack": {"value": 1, "reroll": "misses"}}),
    "points": ({"hitPoints": 3}, {"hits": 3, "absorb": "first"}),
    "two points": ({"isTwoHit": "true"}, {"hits": 2, "absorb": "first"}),
    "points before two": ({"isTwoHit": "true", "hitPoints": 1}, {"hits": None}),
    "worth": ({"tuv": 7}, {"cost": 7}),
    "guns": (
        {"isAA": "true", "maxAAattacks": 3},
        {"defender": {"rolls": {"aa": {"value": 1, "dice": 3}}}, "attacker": None},
    ),
    "guns without a limit": ({"isAA": "true"}, {"defender": {"rolls": {"aa": {"value": 1, "dice": 1000}}}}),
    "guns that attack": (
        {"isAAforCombatOnly": "true", "maxAAattacks": 1, "offensiveAttackAA": 2, "attackAA": 0},
        {"attacker": {"rolls": {"aa": 2}}, "defender": None},
    ),
    "guns with dice of their own": (
        {"isAA": "true", "maxAAattacks": 2, "attackAAmaxDieSides": 10},
        {"defender": {"rolls": {"aa": {"value": 1, "dice": 2, "die": "d10"}}}},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), UNIT_OPTIONS.values(), ids=UNIT_OPTIONS)
def test_options_of_units(given, expected):
    made = game({"horse": LEGION, "legion": LEGION | given, "kite": KITE})
    found = {key: made["unit"]["legion"].get(key) for key in expected}
    assert found == expected
    assert made.get("die") == ({"d10": {"sides": 10}} if "attackAAmaxDieSides" in given else None)


def test_prices():
    def rule(unit, number, *costs):
        paid = "".join(f'<cost resource="{name}" quantity="{amount}"/>' for name, amount in costs)
        made = f'<result resourceOrUnit="{unit}" quantity="{number}"/>'
        return f'<productionRule name="buy">{paid}{made}</productionRule>\n'

    rules = rule("legion", 2, ("iron", 4), ("PUs", 5)) + rule("legion", 1, ("PUs", 9)) + rule("horse", 1, ("iron", 4))
    made = game({"legion": LEGION, "horse": LEGION, "kite": KITE}, rules=rules)["unit"]
    assert [unit["cost"] for unit in made.values()] == [2.5, 4, 0]


def test_who_takes_part():
    fort = {"isInfrastructure": "true", "movement": 0}
    units = {
        "legion": LEGION, "militia": LEGION | {"movement": 0}, "kite": KITE, "cruiser": SHIP | {"canBombard": "true"},
        "fort": fort, "mine": fort, "barracks": {"isFactory": "true"},
    }  # fmt: skip
    found = import_triplea(text=xml(units, more=support("fort", side="defence", faction="enemy", bonus=-1)))
    kinds = found.game["battle"]
    assert kinds["land"]["attacker"] == {"fights": ["legion", "kite"]}
    assert kinds["land"]["defender"] == {"fights": ["legion", "militia", "kite"], "supports": ["fort"]}
    assert kinds["amphibious"]["attacker"] == {"fights": ["legion", "kite"], "supports": ["cruiser"]}
    assert kinds["sea"]["defender"] == {"fights": ["kite", "cruiser"]}
    assert kinds["land"]["taken_by"] == ["legion", "militia"]
    assert [kind for kind in kinds if "may_retreat" in kinds[kind]] == ["land", "sea"]
    left = {row["about"] for row in found.report if row["kind"] == "left out"}
    assert {"mine", "barracks"} <= left


def test_a_unit_that_cannot_be_hit_does_not_fire():
    hero = {"isInfrastructure": "true", "attack": 3, "defense": 0, "movement": 2}
    units, more = {"legion": LEGION, "hero": hero}, support("hero", side="offence", faction="allied", bonus=1)
    found = import_triplea(text=xml(units, more=more))
    assert found.game["battle"]["land"]["attacker"] == {"fights": ["legion"], "supports": ["hero"]}
    assert [step["by"] for step in found.game["step"]] == [["legion"]]
    kinds = {row["about"]: row["kind"] for row in found.report}
    assert (kinds["hero: attack"], kinds["hero: defense"]) == ("approximated", "taken")
    assert found.game["assumed"][2:] == ["cannot be hit, so that they only support; in TripleA they fire: hero"]


def named(steps, kind):
    return [step["name"] for step in steps if step.get("battle") == [kind]]


def test_steps_of_submarines():
    units = {"kite": KITE, "diver": DIVER, "ship": SHIP, "destroyer": DESTROYER}
    steps = game(units, {"Air Attack Sub Restricted": "true"})["step"]
    assert named(steps, "sea") == ["sea-strike-1", "sea-1", "sea-1-found", "sea-2", "sea-2-defending", "sea-3"]
    strike, hunted, found, dived, defending, ships = steps
    assert (strike["fire"], strike["by"], strike["spares"]) == ({"attacker": "attack"}, ["diver"], ["kite"])
    assert strike["unless_enemy_has"] == dived["if_enemy_has"] == ["destroyer"]
    assert (hunted["spares"], hunted["unless_own_has"]) == (["diver"], ["destroyer"])
    assert "spares" not in found
    assert found["if_own_has"] == ["destroyer"]
    assert defending["fire"] == {"defender": "defence"}
    assert ships["by"] == ["ship", "destroyer"]


def test_defending_submarines_strike_first_too():
    units = {"diver": DIVER, "destroyer": DESTROYER}
    steps = game(units, {"Defending Subs Sneak Attack": "true"})["step"]
    assert named(steps, "sea") == ["sea-strike-1", "sea-1", "sea-2"]
    assert steps[0]["fire"] == {"attacker": "attack", "defender": "defence"}
    assert steps[0]["unless_enemy_has"] == steps[1]["if_enemy_has"] == ["destroyer"]
    assert game(units, {"WW2V2": "true"})["step"] == steps
    assert named(game({"diver": DIVER, "ship": SHIP}, {"WW2V2": "false"})["step"], "sea") == [
        "sea-strike-1", "sea-1-defending", "sea-2",
    ]  # fmt: skip


def test_whom_units_name():
    units = {"legion": LEGION | {"canNotTarget": "horse:cog"}, "horse": LEGION | {"canNotBeTargetedBy": "horse"}}
    steps = game(units)["step"]
    assert [(step["by"], step["spares"]) for step in steps] == [(["legion"], ["horse"]), (["horse"], ["horse"])]


def test_bombardment_and_guns():
    units = {
        "legion": LEGION,
        "kite": KITE,
        "cruiser": SHIP | {"canBombard": "true", "bombard": 4},
        "flak": {"isAA": 1},
    }
    units["flak"] = {"isAA": "true", "defense": 1, "maxAAattacks": 1, "typeAA": "Big Gun", "maxRoundsAA": 2}
    alone = game(units)["step"]
    assert named(alone, "amphibious") == ["bombardment", "landing-1"]
    assert "group" not in alone[2]
    both = {"Naval Bombard Casualties Return Fire": "true", "Shore Bombard Per Ground Unit Restricted": "true"}
    together = game(units, both)["step"]
    assert (together[2]["group"], together[2]["dice_at_most"]) == ("landing", {"own": ["legion"]})
    assert together[0] == {
        "name": "aa-big-gun", "fire": {"defender": "aa"}, "to_round": 2, "by": ["flak"], "hits_only": ["kite"],
        "dice_at_most": {"enemy": ["kite"]},
    }  # fmt: skip
    units["flak"] |= {"mayOverStackAA": "true", "maxRoundsAA": 0, "willNotFireIfPresent": "cruiser", "typeAA": "AA"}
    first = game(units)["step"][0]
    assert first["name"] == "anti-aircraft"
    assert first["unless_enemy_has"] == ["cruiser"]
    assert not {"when", "to_round", "dice_at_most"} & first.keys()


SUPPORTS = {
    "a bonus": (
        {},
        "taken",
        {"adds": 1, "side": "attacker", "each": 1, "stack": "arms", "from": ["horse"], "to": ["legion"]},
    ),
    "dice for the enemy": (
        {"dice": "roll", "faction": "enemy", "side": "offence:defence", "bonus": -1, "number": 0},
        "taken",
        {"dice": -1, "side": "both", "whom": "enemy", "each": 1000},
    ),
    "help for guns": ({"dice": "AAstrength"}, "taken", {"adds": 1, "rolls": ["aa"]}),
    "one player": ({"players": "Reds"}, "approximated", {"adds": 1}),
    "its own kind": ({"unitType": "horse:legion"}, "taken", {"to": ["legion", "horse"], "itself": True}),
    "two of a type": ({"bonusType": "2:arms"}, "approximated", {"adds": 1}),
    "no player": ({"players": ""}, "left out", None),
    "no guns": ({"unitType": "kite", "dice": "AAroll"}, "left out", None),
    "no bonus": ({"bonus": 0}, "left out", None),
    "nobody": ({"unitType": "elephant"}, "left out", None),
}  # fmt: skip


@pytest.mark.parametrize(("given", "kind", "expected"), SUPPORTS.values(), ids=SUPPORTS)
def test_supports(given, kind, expected):
    units = {"legion": LEGION | {"isAA": "true"}, "horse": LEGION, "kite": KITE}
    found = import_triplea(text=xml(units, more=support("horse", **given)))
    assert [row["kind"] for row in found.report if row["about"] == "help"] == [kind]
    made = found.game.get("support", [])
    assert len(made) == (expected is not None)
    if expected is not None:
        assert {key: made[0].get(key) for key in expected} == expected
        assert ("stack" in made[0]) == (given.get("bonusType") != "2:arms")


def test_two_bonuses_are_two_supports_and_artillery_comes_first():
    units = {
        "legion": LEGION | {"artillerySupportable": "true"},
        "gun": LEGION | {"artillery": "true", "unitSupportCount": 2},
    }
    made = game(units, more=support("gun", dice="strength:roll"))["support"]
    assert [(one["name"], one.get("adds"), one.get("dice"), one["each"]) for one in made] == [
        ("gun", 1, None, 2), ("help", 1, None, 1), ("help", None, 1, 1),
    ]  # fmt: skip


def test_landing_units_and_territories():
    effect = 'attachTo="Deep Wood" javaClass="TerritoryEffectAttachment"'
    inside = '<option name="combatOffenseEffect" value="legion" count="-1"/><option name="noBlitz" value="legion"/>'
    units = {"legion": LEGION | {"isMarine": 2}, "cruiser": SHIP | {"canBombard": "true"}}
    found = import_triplea(text=xml(units, more=f'<attachment name="effect" {effect}>{inside}</attachment>'))
    marines, wood = found.game["modifier"]
    assert (marines["adds"], marines["rolls"], marines["steps"]) == (2, ["attack"], ["landing-1"])
    assert (wood["side"], wood["adds"], wood["if_condition"]) == ("attacker", -1, {"territory": "deep-wood"})
    assert [row["kind"] for row in found.report if row["about"] in ("combatOffenseEffect", "noBlitz")] == [
        "taken",
        "left out",
    ]


def test_losses():
    units = {"ship": SHIP, "cog": COG, "barge": COG | {"isCombatTransport": "true"}}
    made = game(units, {"Transport Casualties Restricted": "true", "Units Repair Hits Start Turn": "true"})["losses"]
    assert made == {"order": "weakest", "last": ["cog"], "removed_alone": {"defender": ["barge"]}, "repaired": True}
    lone = game(units, {"Transport Casualties Restricted": "true", "Unescorted Transport Dies": "true"})["losses"]
    assert lone["removed_alone"] == {"defender": ["cog", "barge"]}
    assert game(units)["losses"] == {"order": "weakest", "removed_alone": {"defender": ["cog", "barge"]}}


def test_rounds_of_battles():
    made = game({"legion": LEGION, "ship": SHIP}, {"Land Battle Rounds": 1, "Sea Battle Rounds": -1})["battle"]
    assert (made["land"]["rounds"], made["sea"].get("rounds")) == (1, None)


def test_the_report():
    units = {"legion": LEGION | {"canBlitz": "true", "isKamikaze": "true"}, "fort": {"isFactory": "true"}}
    found = import_triplea(text=xml(units, {"Low Luck": "true", "Submersible Subs": "false", "mapName": "small"}))
    lines = report_text(found.records).splitlines()
    assert lines[-1] == "taken 4, approximated 1, left out 3"
    assert lines[0].startswith("4: left out: fort - ")
    assert "9: taken: legion: movement" in lines
    assert "13: approximated: legion: isKamikaze - it concerns the flight home" in lines
    assert [int(line.partition(":")[0]) for line in lines[:-1]] == sorted(row["line"] for row in found.report)


def test_the_text_is_short():
    lines = import_triplea(text=xml({"legion": LEGION, "kite": KITE})).toml.splitlines()
    assert 'legion = { cost = 0, tags = ["land"], attack = 1, defence = 2 }' in lines
    assert max(map(len, lines)) <= 120


def test_the_units_of_axis_and_allies_have_its_odds():
    """The shipped game, written as a map: same values, same battles."""

    def sea(attack, defense, **more):
        return {"movement": 2, "attack": attack, "defense": defense, "isSea": "true"} | more

    def land(movement, attack, defense, **more):
        return {"movement": movement, "attack": attack, "defense": defense} | more

    units = {
        "infantry": land(1, 1, 2, artillerySupportable="true"), "artillery": land(1, 2, 2, artillery="true"),
        "tank": land(2, 3, 3), "fighter": land(4, 3, 4, isAir="true"), "bomber": land(6, 4, 1, isAir="true"),
        "transport": sea(0, 0, transportCapacity=5), "submarine": sea(2, 1, isSub="true"),
        "destroyer": sea(2, 2, isDestroyer="true"), "cruiser": sea(3, 3, canBombard="true"), "carrier": sea(1, 2),
        "battleship": sea(4, 4, canBombard="true", hitPoints=2),
        "aa_gun": land(1, 0, 0, isAAforCombatOnly="true", maxAAattacks=3, canNotMoveDuringCombatMove="true"),
    }  # fmt: skip
    properties = dict.fromkeys(
        ("Air Attack Sub Restricted", "Defending Subs Sneak Attack", "Transport Casualties Restricted",
         "Unescorted Transport Dies", "Shore Bombard Per Ground Unit Restricted",
         "Naval Bombard Casualties Return Fire", "Units Repair Hits End Turn"), "true",
    )  # fmt: skip
    imported = {"game": "custom", "rules": game(units, properties)}
    for battle, attack, defence in (
        (
            "land",
            {"infantry": 3, "tank": 2, "fighter": 3, "bomber": 1},
            {"aa_gun": 1, "infantry": 5, "artillery": 2, "tank": 1},
        ),
        ("amphibious", {"infantry": 2, "fighter": 1, "battleship": 1, "cruiser": 2}, {"infantry": 3, "aa_gun": 1}),
        (
            "sea",
            {"submarine": 2, "fighter": 2, "destroyer": 1},
            {"submarine": 1, "carrier": 1, "transport": 2, "fighter": 1},
        ),
    ):
        asked = {"battle": battle, "attacker": attack, "defender": defence}
        bombarding = {"cruiser", "battleship"} if battle == "amphibious" else set()
        asked["policy"] = {
            side: {"loss_order": sorted(asked[side].keys() - bombarding)} for side in ("attacker", "defender")
        }
        yields = {"rules": {"battle": {"sea": {"yields": ["submarine"]}}}}
        ours, shipped = exact(imported | asked), exact({"game": "axis-and-allies-1942"} | yields | asked)
        assert ours.winner("attacker") == pytest.approx(shipped.winner("attacker"), abs=1e-12)
        assert ours.mean("rounds") == pytest.approx(shipped.mean("rounds"), abs=1e-12)


def test_marines_may_be_worse_at_landings():
    """Attack 2 with isMarine -1 attacks with 1 in landings and with 2 elsewhere (section 3)."""
    marine = game({"legion": LEGION | {"attack": 2, "isMarine": -1}, "cruiser": SHIP | {"canBombard": "true"}})
    [modifier] = [one for one in marine["modifier"] if one["name"] == "marines"]
    assert modifier["adds"] == -1
    alone = {"game": "custom", "rules": marine, "attacker": {"legion": 1}, "defender": {"legion": 1}}
    landing, land = (exact({**alone, "battle": kind}).winner("attacker") for kind in ("amphibious", "land"))
    assert landing < land


def test_the_command(battle_odds, tmp_path):
    source, out = tmp_path / "map.xml", tmp_path / "game.toml"
    source.write_text(xml({"legion": LEGION, "Big Horse": LEGION, "kite": KITE}), encoding="utf-8")
    status, text, report = battle_odds("games", "import", str(source))
    assert status == 0
    assert list(tomllib.loads(text)["unit"]) == ["legion", "big_horse", "kite"]
    assert report.splitlines()[-1].startswith("taken ")
    status, text, report = battle_odds(
        "games", "import", str(source), "--units", "legion, kite", "--out", str(out), "--json"
    )
    assert (status, text.startswith("The game file of the map is written to ")) == (0, True)
    assert list(tomllib.loads(out.read_text(encoding="utf-8"))["unit"]) == ["legion", "kite"]
    assert set(json.loads(report)[0]) == {"line", "kind", "about", "note"}
    assert battle_odds("odds", str(out))[0] == BAD_INPUT
    status, _, complaint = battle_odds("games", "import", str(source), "--out", str(out))
    assert (status, complaint.count("\n")) == (BAD_INPUT, 1)
    assert "is there already; --force overwrites it" in complaint
    notes = tmp_path / "report.txt"
    status, _, shown = battle_odds("games", "import", str(source), "--out", str(out), "--force", "--report", str(notes))
    assert (status, shown) == (0, "")
    assert notes.read_text(encoding="utf-8").startswith("10: taken: legion: movement")
    status, _, complaint = battle_odds("games", "import", str(source), "--units", "elephant")
    assert (status, complaint.strip()) == (BAD_INPUT, "map: units: no unit 'elephant'; units: big_horse, kite, legion")
    status, _, complaint = battle_odds("games", "import", str(tmp_path / "none.xml"))
    assert complaint.startswith("map: cannot read ")
