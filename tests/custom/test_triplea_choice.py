"""The parts of a TripleA map that an import takes: variables, players, units that fight; and those it leaves out."""

import pytest

from simulator import exact, import_triplea
from tests.custom.triplea_maps import KITE, LEGION, game, repeated, support, variables, xml


def test_what_is_lost_when_it_fires_stays_only_by_name_and_every_answer_says_so():
    units = {"legion": LEGION, "gas": LEGION | {"isSuicide": "true"}, "wasp": LEGION | {"isSuicideOnHit": "true"}}
    found = import_triplea(text=xml(units))
    assert list(found.game["unit"]) == ["legion"]
    assert found.game["assumed"][2:] == ["lost when they fire, and left out: gas, wasp"]
    named = import_triplea(text=xml(units), units=["legion", "gas"])
    assert list(named.game["unit"]) == ["legion", "gas"]
    assert named.game["assumed"][2:] == ["lost when they fire, but fight on here (odds too good for its side): gas"]
    [line] = [row for row in named.report if row["about"] == "gas: isSuicide"]
    assert (line["kind"], line["note"]) == ("approximated", "the unit fights on: odds too good for its side")


def test_answers_say_how_much_of_the_map_is_left_out():
    more = "".join(support("legion", f"help{i}", bonus="much") for i in range(7))
    effect = '<attachment name="effect" attachTo="wood" javaClass="TerritoryEffectAttachment">'
    effect += '<option name="combatOffenseEffect" value="legion"/></attachment>'
    units = {"legion": LEGION, "horse": LEGION | {"attack": "x"}}
    said = game(units, more=more + effect)["assumed"][-1]
    left = "1 option and 7 supports and 1 territory effect of this map are left out"
    assert said == f"{left}; the import's report names them"
    assert len(game(units | {"horse": LEGION}, more=support("legion", bonus=0))["assumed"]) == 2
    asked = {"game": "custom", "rules": game({"legion": LEGION}, more=more), "battle": "land"}
    answer = exact({**asked, "attacker": {"legion": 1}, "defender": {"legion": 1}})
    assert "7 supports of this map are left out; the import's report names them" in answer.assumptions


CANNOT_FIGHT = {
    "a hull": ({"movement": 0}, False),
    "a plague": ({"movement": 1, "hitPoints": 0}, False),
    "no dice": ({"attack": 2, "attackRolls": 0, "movement": 0}, False),
    "a transport": ({"movement": 1}, True),
    "a wall": ({"movement": 0, "defense": 1}, True),
    "artillery": ({"movement": 0, "artillery": "true"}, True),
    "a gun": ({"movement": 0, "isAAforCombatOnly": "true"}, True),
}


@pytest.mark.parametrize(("given", "taken"), CANNOT_FIGHT.values(), ids=CANNOT_FIGHT)
def test_units_that_cannot_fight_do_not_count(given, taken):
    found = import_triplea(text=xml({"legion": LEGION, "thing": given}))
    assert ("thing" in found.game["unit"]) == taken
    lines = [row["kind"] for row in found.report if row["about"] == "thing"]
    assert lines == ([] if taken else ["left out"])
    many = {f"u{i}": LEGION for i in range(64)} | {f"v{i}": {"movement": 0} for i in range(9)}
    assert len(game(many)["unit"]) == 64


def test_a_unit_that_only_helps_counts_if_a_player_has_its_help():
    units = {"legion": LEGION, "banner": {"movement": 0}}
    assert "banner" in game(units, more=support("banner"))["unit"]
    assert "banner" not in game(units, more=support("banner", players=""))["unit"]


def test_foreach_repeats_an_attachment():
    head = variables({"E": ["legion", "horse"], "N": ["a", "b"], "R": ["kite", "crow"], "All": ["$E$", "$R$"]})
    units = dict.fromkeys(("legion", "horse", "kite", "crow"), LEGION)

    def made(foreach, owner, helped, name):
        found = import_triplea(text=xml(units, more=repeated(foreach, owner, helped, name), head=head))
        return [(one["name"], one["from"], one["to"]) for one in found.game["support"]], found

    one, found = made("$E$", "@E@", "$R$", "h-@E@")
    assert one == [("h-legion", ["legion"], ["kite", "crow"]), ("h-horse", ["horse"], ["kite", "crow"])]
    assert len({row["line"] for row in found.report if row["about"].startswith("h-")}) == 1
    assert made("$E$:$N$", "@E@", "$R$", "h@N@")[0] == [(f"h{n}", [e], ["kite", "crow"]) for e, n in
                                                       (("legion", "a"), ("horse", "b"))]  # fmt: skip
    pairs = [(name, "ab"[number], rider) for number, name in enumerate(units) if number < 2 for rider in units]
    crossed = made("$E$:$N$^$R$", "@E@", "@R@", "@N@-@R@")[0]
    assert crossed == [(f"{n}-{r}", [e], [r]) for e, n, r in pairs if r in ("kite", "crow")]
    assert made("", "legion", "$All$", "all")[0] == [("all", ["legion"], [*units])]
    assert made("", "legion", "$Nobody$:horse", "all")[0] == [("all", ["legion"], ["horse"])]


@pytest.mark.parametrize("foreach", ["$X$", "$E$:$N$", "$E$^$N$^$E$"])
def test_a_foreach_that_cannot_be_read_is_left_out(foreach):
    head = variables({"E": ["legion", "horse"], "N": ["a"]})
    more = repeated(foreach, "@E@", "legion", "help @E@")
    found = import_triplea(text=xml({"legion": LEGION, "horse": LEGION}, more=more, head=head))
    assert "support" not in found.game
    assert [row["kind"] for row in found.report if row["about"] == "help @E@"] == ["left out"]


def test_an_option_with_an_empty_element_is_left_out():
    head = variables({"E": ["", "0"]})
    more = repeated("$E$", "horse", "legion").replace('"bonus" value="1"', '"bonus" value="1@E@"')
    made = game({"legion": LEGION, "horse": LEGION}, more=more, head=head)["support"]
    assert [(one["name"], one["adds"]) for one in made] == [("help0", 10)]


def test_attachments_that_no_battle_reads_are_not_repeated():
    head = variables({"E": ["x"] * 10_000})
    more = '<attachment foreach="$E$^$E$" name="t@E@" attachTo="Reds" javaClass="TriggerAttachment"></attachment>'
    assert game({"legion": LEGION}, more=more, head=head) == game({"legion": LEGION})


PLAYERS = """<productionRule name="a"><result resourceOrUnit="legion"/></productionRule>
<productionRule name="b"><result resourceOrUnit="horse"/></productionRule>
<productionFrontier name="R"><frontierRules name="a"/></productionFrontier>
<productionFrontier name="B"><frontierRules name="a"/><frontierRules name="b"/></productionFrontier>
<playerProduction player="Reds" frontier="R"/><playerProduction player="Blues" frontier="B"/>"""


def test_only_what_players_can_buy_or_own():
    placed = '<initialize><unitInitialize><unitPlacement unitType="kite" owner="Reds"/></unitInitialize></initialize>'
    units = {"legion": LEGION, "horse": LEGION, "kite": KITE, "elephant": LEGION}
    text = xml(units, rules=PLAYERS, more=support("legion", unitType="kite", players="Reds")).replace(
        "</game>", f"{placed}</game>"
    )
    reds = import_triplea(text=text, players=["REDS"])
    assert list(reds.game["unit"]) == ["legion", "kite"]
    assert [row["kind"] for row in reds.report if row["about"] == "help"] == ["taken"]
    assert [row["note"] for row in reds.report if row["about"] == "horse"] == ["none of these players has it"]
    blues = import_triplea(text=text, players=["blues"])
    assert list(blues.game["unit"]) == ["legion", "horse"]
    assert "support" not in blues.game
    assert list(import_triplea(text=text, players=["blues"], units=["horse"]).game["unit"]) == ["horse"]
    with pytest.raises(ValueError, match=r"^map: players: no player 'Greens'; there are: Reds, Blues$"):
        import_triplea(text=text, players=["Greens"])
    with pytest.raises(ValueError, match=r"^map: players: name at least one; there are: Reds, Blues$"):
        import_triplea(text=text, players=[])


def test_of_two_supports_of_one_name_the_later_counts():
    more = support("horse", bonus=1) + support("horse", bonus=2)
    found = import_triplea(text=xml({"legion": LEGION, "horse": LEGION}, more=more))
    assert [one["adds"] for one in found.game["support"]] == [2]
    assert [row["kind"] for row in found.report if row["about"] == "help"] == ["left out", "taken"]


def test_an_effect_of_a_territory_says_its_number_before_the_units():
    inside = "".join(
        f'<option name="combatOffenseEffect" value="{value}" count="{count}"/>'
        for value, count in (("2:legion", ""), ("3:legion", "-1"), ("legion", ""), ("0:legion", ""))
    )
    more = f'<attachment name="e" attachTo="wood" javaClass="TerritoryEffectAttachment">{inside}</attachment>'
    found = import_triplea(text=xml({"legion": LEGION}, more=more))
    assert [one["adds"] for one in found.game["modifier"]] == [2, -1]
    kinds = [row["kind"] for row in found.report if row["about"] == "combatOffenseEffect"]
    assert kinds == ["taken", "taken", "left out", "left out"]


def test_an_odd_price_is_left_out():
    price = '<cost resource="PUs" quantity="many"/>'
    odd = f'<productionRule name="a">{price}<result resourceOrUnit="legion"/></productionRule>'
    found = import_triplea(text=xml({"legion": LEGION}, rules=odd))
    assert found.game["unit"]["legion"]["cost"] == 0
    assert [row["kind"] for row in found.report if row["about"] == "legion: cost"] == ["left out"]


def test_a_support_does_not_raise_a_value_of_0():
    """In TripleA it does; a game file has no roll of value 0 to raise, so the report says so."""
    units = {"legion": LEGION | {"attack": 0, "artillerySupportable": "true"}, "horse": LEGION}
    found = import_triplea(text=xml(units, more=support("horse") + support("horse", "wall", side="defence")))
    kinds = {row["about"]: row["kind"] for row in found.report}
    assert (kinds["help"], kinds["wall"], kinds["legion: artillerySupportable"]) == (
        "approximated", "taken", "approximated",
    )  # fmt: skip
