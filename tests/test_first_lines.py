"""First lines of commands where a kind has no winner, no siege, or names that have no plural."""

import re

import pytest

from simulator import (
    balance,
    best,
    campaign,
    compare,
    exact,
    load,
    need,
    odds,
    replay,
    rounds,
    sensitivity,
    sweep,
    units,
    worth,
)
from simulator.analysis.odds.headline import names_of
from simulator.analysis.studies.paired import Difference
from simulator.analysis.studies.sobol import indices
from simulator.analysis.studies.units import OneMore, Units
from simulator.cli import run
from simulator.report.answer_words import costs
from simulator.rules.toolkit.words import agreeing, chance_of, noun_for, price_of, setting_of, several
from simulator.scenarios import ScenarioError, find_battle

WARSHIPS = "passage.attacker.warships"


def expedition(*stages):
    """The expedition to Cadiz with these of its stages alone."""
    data = load("europa-cadiz-1596").data
    return {name: table for name, table in data.items() if name in {"game", "battle", *stages}}


@pytest.mark.parametrize(
    ("stages", "column", "words"),
    [
        (("passage",), "landed", "the troops land"),
        (("passage", "land"), "won_ashore", "the troops win ashore"),
    ],
)
def test_an_expedition_is_asked_about_its_last_stage(stages, column, words):
    """`fortress_taken` is no column without a siege: these questions were refused with that name."""
    scenario = expedition(*stages)
    swept = sweep(scenario, {WARSHIPS: [8]})
    assert swept.cells[0].measures[0].value == pytest.approx(odds(scenario).p(column))
    assert words in swept.headline
    assert words in need(scenario, {WARSHIPS: [8]}, 0.01).headline
    assert words in balance(scenario, {WARSHIPS: [8]}).headline
    assert "fortress" not in replay(scenario, seed=1).headline


def test_balance_asks_the_question_of_the_kind():
    found = balance("europa-roanoke-1587", {"conditions.tolerance": range(4, 8)})
    assert (
        found.headline == "At 50.00 % with 5 for the tolerance (1 step): the chance that the natives attack is 50.00 %."
    )
    across = balance("power-crossing-alps", {"attacker.units": range(5, 12)}).headline
    assert "the chance that all get across is" in across
    assert "never wins" not in across
    with pytest.raises(ValueError, match=r"target: give one; .* raid has no winner, its question is a number"):
        balance("axis-raid", {"attacker.bomber": [1, 2]})
    assert balance("axis-raid", {"attacker.bomber": [1, 2]}, target=5, value="mean.attacker_points").front


def test_points_of_a_chance_are_told_from_points_that_are_paid():
    squads = load("warhammer-40000-squads")
    more = OneMore("attacker", "intercessor", 16, Difference(0.3774, 0.3774, 0.3774, 1), None, "exact")
    line = Units((more,), 1, (squads.battle, squads.data)).headline
    assert (
        line == "One more intercessor (bolt rifle) is worth most for its price: +37.74 percentage points for 16 points."
    )


def test_units_of_a_raid_have_no_chance_to_win():
    with pytest.raises(ScenarioError, match=r"raid has no winner: sweep mean\.attacker_points over a unit"):
        units("axis-raid")


def test_the_aim_of_best_is_no_name_of_a_column():
    assert best("power-march-milan").wanted[0].startswith("attacker wants: that the area is won and everything taken 1")


def test_plurals_and_prices():
    same = ("leader A3", "destroyer II", "pikemen", "infantry")
    assert [several(name) for name in same] == [*same]
    assert [noun_for(3, "guardsman (lasgun)"), several("talisman"), several("roman")] == [
        "guardsmen (lasgun)", "talismans", "romans"
    ]  # fmt: skip
    assert several("commander on his own ground") == "commanders on his own ground"
    assert noun_for(1, "pikemen") == "pikeman"
    prices = [price_of(1, "coins"), price_of(4, "coins"), price_of(2, "gold"), price_of(36, "IPC"), price_of(3, "")]
    assert prices == ["1 coin", "4 coins", "2 gold", "36 IPC", "3"]


def test_a_comma_within_a_number_does_not_end_the_name_of_a_game():
    assert find_battle("warhammer-40000", "shooting").name == "Warhammer 40,000"
    assert find_battle("war-of-the-ring", "battle").name == "War of the Ring"


def test_what_is_never_is_so_within_rounding_as_what_is_always():
    assert (chance_of(1e-13), chance_of(1 - 1e-13), chance_of(1e-9)) == ("never", "always", "< 0.01 %")


@pytest.mark.parametrize(
    ("said", "agreed"),
    [
        ("Ottomans wins the sea battle in 7.03 %.", "Ottomans win the sea battle in 7.03 %."),
        ("Ottomans never reaches the goal.", "Ottomans never reach the goal."),
        ("Ottomans is at 7.03 % and still holds it.", "Ottomans are at 7.03 % and still hold it."),
        ("Naples wins and holds it.", "Naples wins and holds it."),
        ("Spain wins, Ottomans in 7 %; it falls and is lost.", "Spain wins, Ottomans in 7 %; it falls and is lost."),
    ],
)  # fmt: skip
def test_a_verb_agrees_with_the_name_of_many(said, agreed):
    assert agreeing(said, ["Spain", "Naples", "Ottomans"]) == agreed


def test_a_side_named_in_the_plural_wins_and_loses_in_the_plural():
    names = {"attacker.name": "Ottomans", "defender.name": "Spain"}
    scenario = load("power-lepanto").replace_all(names)
    odds = exact(scenario)
    assert odds.headline.text.startswith("Ottomans win the sea battle in ")
    assert costs(odds).startswith("Ottomans lose ")
    assert "Ottomans win in " in balance(scenario, {"attacker.galleys": [1]}).headline
    found = replay(scenario.replace("attacker.light", 9), seed=1)
    assert found.headline.startswith("Ottomans win this battle")
    assert [line for line in found.lines if "Ottomans have " in line]
    assert not [line for line in found.lines if "Ottomans has" in line or "Spain have" in line]


def test_an_owner_of_what_is_needed_and_the_winner_are_apart():
    line = need("europa-leuthen-1757", {"defender.army_plus": [1]}, 0.01).headline
    assert line.startswith("Nothing more is needed: already with 1 ARMY+ of Austria, Austria wins in ")


def test_all_is_not_said_to_be_never_so():
    """ "All never get across" says another thing than that some are left behind."""
    line = need("power-crossing-alps", {"attacker.units": [10]}, 0.5).headline
    assert line.endswith(" nothing that was tried is: all get across in 0 %.")


def test_a_field_of_an_entry_is_named_by_its_number():
    tokens = "defender.provinces[1].manpower_tokens"
    line = sensitivity("power-npr-genoa", fields=[tokens]).headline
    assert line.startswith("The manpower tokens of province 2 of the defender at 0 instead of 1 matter most: ")
    assert sensitivity("europa-roanoke-1587", fields=["conditions.tolerance"]).headline.startswith(
        "The tolerance at 5 instead of 6 matters most: "
    )


def test_the_worth_of_winning_needs_a_winner():
    with pytest.raises(ValueError, match="has no winner; give what counts, like rounds_left=1"):
        worth("europa-season-1632", {"win": 1})
    assert worth("europa-season-1632", {"rounds_left": 1}).mean == pytest.approx(3.72, abs=0.01)


def test_two_cells_are_both():
    assert sweep("europa-lutzen-1632", {"attacker.fire": [5, 6]}).headline.endswith(" in both cells.")
    assert sweep("europa-lutzen-1632", {"attacker.fire": [4, 5, 6]}).headline.endswith(" in all 3 cells.")
    alike = sweep("europa-leuthen-1757", {"attacker.army_plus": [1, 2]})  # they differ by 1e-16
    assert alike.headline == "The chance of Prussia to win is 82.01 % in both cells."


def test_what_comes_about_is_said_with_its_object():
    ends = {replay("europa-matanzas-1628", seed=1, battle=battle).headline for battle in range(12)}
    assert "In this battle: the escort drives the corsair off." in ends


def test_a_counter_attack_is_with_words_the_names_of_the_countries():
    scenario = campaign("europa-quiberon-bay-1759", counter_attack=True, join={"attacker.warships": 1})
    assert names_of(scenario.battle, scenario.data) == ("England", "France")


def test_a_raid_is_asked_for_its_points_and_by_nobody_for_ground():
    two = load("axis-1940-raid-on-a-base")
    assert compare([two, two.replace("attacker.tactical_bomber", 3)]).headline.startswith("The mean of the attacker's")
    assert rounds(two).headline == "It is always over after 1 round."
    with pytest.raises(ScenarioError, match="counter_attack: nothing is taken in a raid"):
        campaign("axis-raid", counter_attack=True)


def test_compare_asks_the_question_of_the_kind():
    one = load("europa-bantry-bay-1689")
    line = compare([one, one.replace("attacker.interceptors[0].manoeuvre", 4)]).headline
    assert line.startswith("The chance that the stack is intercepted is ")


def test_the_search_of_a_schema_counts_its_fields(capsys):
    assert run(["schema", "price-of-power", "naval", "--search", "count_rounds"]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith("fields speaks of 'count_rounds'.")
    assert run(["schema", "price-of-power", "campaign", "--search", "count_rounds"]) == 2


def test_a_share_of_the_variance_is_that_of_the_number_of_units():
    """One field without effect was "None of these 1 fields moves ...", and tanks were "the tank of the attacker"."""
    still = indices("axis-land-flak", {"attacker.infantry": [3]})
    assert still.headline.startswith("This field does not move the chance of the attacker to win")
    two = indices("axis-land-flak", {"attacker.infantry": [3, 4], "options.rounds": [100, 200]})
    assert " is explained by the number of infantry of the attacker: 100.00 % of the variance alone" in two.headline
    own = indices("campaign-counter-attack", {"force.red.tank": [1, 2, 3]})
    assert " is explained by the number of tanks of red: " in own.headline


def test_a_balance_with_settings_that_are_no_settings_is_refused():
    """It answered "as it stands", since the rules refused every setting that was asked for."""
    with pytest.raises(
        ScenarioError, match=r"^vary: no other setting of attacker\.tank is allowed: attacker\.tank: 'many'"
    ):
        balance("axis-land-artillery", {"attacker.tank": ["many", "few"]})
    assert balance("axis-land-artillery", {"attacker.tank": [1, "few"]}).refused


@pytest.mark.parametrize(
    ("name", "path", "settings", "words"),
    [
        ("campaign-counter-attack", "force.red.tank", range(1, 5), "3 tanks of red are enough: red wins in "),
        ("campaign-counter-attack", "fight[1].attacker.join.tank", range(5), "up to 1 tank that joins blue: red wins"),
        ("campaign-sea-then-land", "force.us.light", range(1, 6), "3 light of us are enough: our side wins in "),
        ("campaign-siege-and-relief", "fortress.breda.land_detachments", [0, 1], "no land detachments of breda"),
    ],
)
def test_pieces_of_campaigns_are_counted(name, path, settings, words):
    """They were "3 for the tank of red", and "2 for the tank of the join of fight 2 of red" joined blue."""
    assert words in need(name, {path: settings}, 0.85).headline.replace("Up", "up")


def test_a_campaign_has_the_words_of_its_game(battle_odds):
    """Counters of Europa were "1 army plu", their thirds were listed, and England was "the attacker" in line 2."""
    out = battle_odds("odds", "campaign-battle-then-siege")[1]
    assert "\nFrench (1 ARMY+, 1 ARMY−) attacks spanish (1 ARMY−, 1 land detachment), then" in out
    assert not re.search("army (plus|minus)|thirds", out.partition("Rests on")[0])
    asked = "campaign", "europa-lepanto-1571", "--counter-attack", "--join", "attacker.galleys=3", "--battles", "200"
    assert "\nSpain (20 galleys, 2 galleasses) attacks Turkey (22 galleys), then, with " in battle_odds(*asked)[1]


def test_a_step_of_a_campaign_is_one_piece():
    line = sensitivity("campaign-counter-attack", fields=["fight[1].attacker.join"]).headline
    assert line.startswith("One more tank that joins blue matters most: -21.57 points, ")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("axis-land-artillery", "mean.attacker_tank_left", "The mean of the attacker's tanks left runs from "),
        ("axis-land-artillery", 'winner == "attacker"', "The chance of the attacker to win runs from "),
        ("axis-land-artillery", "winner == 'nobody'", "The chance of nobody to win runs from "),
        ("risk-20v15", "winner=='attacker'", "The chance of the attacker to win runs from "),
        ("europa-vienna-1529", "not fallen", "The chance that the fortress holds runs from "),
    ],
)
def test_a_question_has_the_words_of_the_kind(name, value, words):
    """They were "the attacker's tank left", "the chance of winner == "attacker"" and "the chance of not fallen"."""
    path = {"risk-20v15": "attacker.regiments", "europa-vienna-1529": "defender.fortress_level"}.get(
        name, "attacker.tank"
    )
    assert sweep(name, {path: [2, 3]}, value).headline.startswith(words)


FIGHT = "fight[0].attacker."


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {f"{FIGHT}leave": "all"},
            "Red takes it in 99.16 %, but never holds it after the counter-attack.",
        ),  # it was "never takes it in 99.16 % and still holds it"
        ({"us": "blue"}, "Blue reaches the goal in 79.56 %."),  # "Blue takes it", though red attacks
        ({f"{FIGHT}send": {"fighter": 1}}, "Red never takes it."),
    ],
)
def test_taking_and_holding_in_words(changes, line):
    assert str(odds(load("campaign-counter-attack").replace_all(changes)).headline) == line


def test_questions_about_fights_in_words():
    found = compare(["campaign-counter-attack"] * 2, "attack_taken").headline
    assert found.startswith("The chance that the attack takes the land is 99.16 % in campaign-counter-attack; ")
    found = best(load("campaign-counter-attack").replace("objective.attacker", {"win": 1, "red_cost_lost": -0.1}))
    assert " and you never reach the goal instead of 79.56 %." in found.headline  # it was "and you never  instead of"
    with pytest.raises(ScenarioError, match=r"goal: no such column 'attack_wn'; did you mean attack_won\?"):
        load("campaign-counter-attack").replace("goal", "attack_wn")


def test_no_kind_is_called_by_a_word_of_the_schema(battle_odds):
    assert "npr" not in battle_odds("odds", "power-npr-genoa")[1].partition("Rules:")[0]


def test_the_end_of_a_replayed_campaign_is_what_the_forces_have_left(battle_odds):
    """It was every column that is not 0, with "french thirds here 24"."""
    out = battle_odds("replay", "campaign-siege-and-relief")[1]
    assert out.endswith("\n\nLeft of french: 2 ARMY+.\nLeft of relief: 1 ARMY+.\n")
    out = battle_odds("replay", "campaign-counter-attack")[1]
    assert out.endswith("\nLeft of red: 1 infantry, 2 artillery, 2 tanks, 1 fighter.\nLeft of blue: nobody.\n")


def test_a_setting_is_written_the_same_whatever_was_written_before():
    """1 and yes were one key of a cache: "1 instead of no", or "yes" for 1. A drawn setting ended with a TypeError."""
    assert [setting_of(one) for one in (1, True, 0, False, "best")] == ["1", "yes", "0", "no", "best"]
    drawn = {"defender.regiments": [{"from": 8, "to": 10}, {"mix": {"8": 0.5, "12": 0.5}}, 12]}
    line = sweep("risk-20v15", drawn).headline
    assert "with 12 regiments of the defender to 98.35 % with 8 to 10 at random for the regiments" in line
