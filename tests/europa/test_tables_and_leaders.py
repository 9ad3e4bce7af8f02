from typing import get_args

import pytest

from simulator import ScenarioError, exact, load
from simulator.rules import lists
from simulator.rules.battle import Refusal
from simulator.rules.europa import tables
from simulator.rules.europa.shared.land_model import Country
from simulator.rules.europa.shared.leaders import leader_of
from simulator.rules.europa.shared.stacks import detachments
from simulator.rules.europa.shared.text import half_points_text, thirds_text
from simulator.scenarios import example_names
from tests.europa.scenarios import LAND, leader

ARMY = {"army_plus": 1}


def side(**more):
    return load({"game": "europa", "battle": "land", "attacker": ARMY | more, "defender": ARMY}).fields.attacker


def found(**more):
    return leader_of(side(**more), tables.standard(), "attacker.leader")


@pytest.mark.parametrize("spelt", ["Gustav-Adolf", "Gustav Adolf", "gustav adolf", "GUSTAVADOLF"])
def test_leaders_are_found_however_they_are_spelt(spelt):
    assert found(leader=spelt)[:7] == ("name", "Gustav-Adolf", "king", 6, 6, 6, 0)


def test_a_misspelt_leader_is_suggested():
    with pytest.raises(
        ScenarioError, match=r'attacker.leader: no leader .* did you mean "Gustav-Adolf" \(suede = Sweden, king\)'
    ):
        side(leader="Gustaf Adolf")


@pytest.mark.parametrize(
    ("name", "battle", "shown"),
    [
        ("Spinola", "land", "A Spinola (3/5/4 siege 1), general"),
        ("MASSÉNA", "land", "Masséna (3/4/3 siege 1), general"),
        ("kutuzov", "land", "Kutuzov (5/3/3 siege 0), general"),
        ("Jean Bart", "naval", "Bart (5/4/5 siege 0)"),
        ("bailli de suffren", "naval", "Suffren (5/4/6 siege 0)"),
        ("Tromp", "naval", "M Tromp (5/5/6 siege 0)"),
    ],
)
def test_leaders_are_found_by_their_common_names(name, battle, shown):
    """docs/rules/europa_land_siege.md section 2.3; the answer shows the name of the table."""
    troops = ARMY if battle == "land" else {"warships": 4}
    scenario = load({"game": "europa", "battle": battle, "attacker": troops | {"leader": name}, "defender": troops})
    assert any(shown in line for line in scenario.built.assumptions())


def test_common_names_are_suggested_and_of_the_types_that_lead_here():
    with pytest.raises(
        ScenarioError, match=r"no leader 'Kutusof'; did you mean \"Kutuzov\" \(russie = Russia, general\)"
    ):
        side(leader="Kutusof")
    with pytest.raises(ScenarioError, match=r"'Jean Bart' is of type privateer, which does not lead here"):
        side(leader="Jean Bart")


def test_a_common_name_keeps_the_years_of_the_leader():
    spinola = {"game": "europa", "battle": "land", "attacker": ARMY | {"leader": "Spinola"}, "defender": ARMY}
    late = load(spinola | {"conditions": {"period": "VII"}})
    assert any("A Spinola serves on turns 23 to 30" in line for line in late.built.assumptions())


def test_several_of_one_name_need_the_country_or_the_type():
    with pytest.raises(ScenarioError, match="several leaders"):
        side(leader="Sobieski")
    assert found(leader="Sobieski", leader_type="king").kind == "king"
    assert found(leader="Anonymous-G4", leader_country="france").anonymous


def test_names_have_their_accents_and_may_be_typed_without():
    for typed, name in (
        ("Grand Conde", "Grand Condé"),
        ("Zolkiewski", "Żółkiewski"),
        ("Koprulu", "Köprülü"),
        ("SULEYMAN", "Süleyman"),
        ("Kurtoglu H", "Kurtoğlu H"),
        ("Ostrogiskis", "Ostrogiškis"),
        ("Massena", "Masséna"),
    ):
        assert found(leader=typed) == found(leader=name)
        assert found(leader=typed).name == name


def test_leader_country_takes_what_the_table_and_what_the_english_say():
    for country in ("turquie", "Turkey", "turkey"):
        assert found(leader="Anonymous-G1", leader_country=country).anonymous
    with pytest.raises(ScenarioError, match=r"of sweden; there is .*\bturquie = Turkey"):
        side(leader="Suleyman", leader_country="sweden")


@pytest.mark.parametrize("leader", ["Suleyman", "none", "replacement", {"fire": 3}])
def test_a_country_of_no_leader_is_refused_where_it_stands(leader):
    text = "attacker.leader_country: 'Turky' is not allowed; must be one of Minor countries, England, Spain"
    with pytest.raises(ScenarioError) as refused:
        side(leader=leader, leader_country="Turky")
    assert str(refused.value).startswith(text)
    assert str(refused.value).endswith("did you mean Turkey?")


def test_leaders_of_other_periods_are_told_or_refused():
    marlborough = {"game": "europa", "battle": "land", "attacker": ARMY | {"leader": "Marlborough"}, "defender": ARMY}
    early = marlborough | {"conditions": {"period": "II"}}
    answer = "attacker: Marlborough serves on turns 43 to 46, in period VI; period II is turns 7 to 14"
    assert any(line.startswith(answer) for line in load(early).built.assumptions())
    with pytest.raises(ScenarioError, match=r"attacker.leader: Marlborough serves on turns 43 to 46.*leader_years"):
        load(early | {"options": {"leader_years": "in-period"}})
    fitting = marlborough | {"conditions": {"period": "VI"}, "options": {"leader_years": "in-period"}}
    assert not any("serves on turns" in line for line in load(fitting).built.assumptions())


def test_values_are_written_as_the_game_does():
    assert [detachments(n) for n in (0, 2, 3, 10)] == ["0 LD", "2 LDE", "1 LD", "3 LD 1 LDE"]
    assert thirds_text("LD", 10) == "3 LD 1 LDE"
    assert [thirds_text("ND", n) for n in (0, 5, 9.5)] == ["0 ND", "1 ND 2 DE", "3.17 ND"]
    assert thirds_text("ND", 10.4) == "3.47 ND"
    assert thirds_text("LD", 3 - 1e-15) == "1 LD"
    assert half_points_text(7) == "3.5"


def test_lists_of_what_fields_take():
    leaders = {row["name"]: row for row in lists("europa")["leaders"]()}
    assert leaders["Gustav-Adolf"]["english"] == "Sweden"
    assert leaders["A Spinola"]["also"] == "Spinola, Ambrogio Spinola"
    assert leaders["Bart"]["also"] == "Jean Bart"
    countries = {row["country"] for row in lists("europa")["countries"]()}
    assert countries == set(get_args(Country))


def test_fragile_robust_and_explorers():
    assert found(leader="Gustav Adolf").fragile
    assert not found(leader="Marlborough").fragile
    assert not found(leader="Friedrich II").fragile
    assert found(leader=leader(5, 3, 1, 1, type="explorer"))[3:7] == (2, 1, 0, 0)


def test_tables_are_complete_and_reachable():
    assert len(tables.rows("combat_result")) == 60
    assert tables.standard().combat["A", 10] == (7, 2)
    assert tables.standard().modified_loss(-2, 5) == 3
    assert tables.standard().modified_loss(2, 20) == 26
    with pytest.raises(KeyError):
        tables.rows("naval_tables")


def test_rows_can_be_replaced():
    row = {"column": "A", "modified_die": 10, "third_loss": 0, "morale_loss": 3}
    book = tables.book({"combat_result": [row]})
    assert book.combat["A", 10] == (6, 3)
    assert book.combat["A", 11] == tables.standard().combat["A", 11]
    harmless = {
        "rows": [row | {"round_loss": 0, "third_loss": 0, "morale_loss": 0} for row in tables.rows("combat_result")]
    }
    odds = exact(LAND["rule book"] | {"options": {"tables": {"combat_result": harmless}}})
    assert odds.winner("nobody") + odds.p("defender_broke_off") == pytest.approx(1)


def test_new_rows_must_be_whole_and_gaps_are_refused():
    with pytest.raises(Refusal, match="needed in a new row"):
        tables.book({"artillery_siege_bonus": [{"fortress_level": 5, "artillery_at_least": 10}]})
    with pytest.raises(Refusal, match="gap or overlap"):
        tables.book({"attrition_land_europe": [{"modified_die": 5, "min_size": 1, "max_size_exclusive": 3}]})
    whole = tables.book({"artillery_siege_bonus": [{"fortress_level": 5, "artillery_at_least": 10, "bonus": 4}]})
    assert whole.siege_bonus(5, 12) == 4


def test_explanations_name_side_day_step_and_source():
    asked = load(LAND["rule book"])
    lines = asked.built.explain()
    assert (
        "attacker day 1 Fire: +2 leader: general (2/4/2 siege 0) (docs/rules/europa_land_siege.md section 3.2)" in lines
    )
    assert any(line.startswith("attacker day 2 Shock: -1 enemy Tercios") for line in lines)
    assert all("docs/rules/europa_land_siege.md section" in line for line in lines)


@pytest.mark.parametrize("name", [name for name in example_names() if name.startswith("europa-")])
def test_examples_answer(name):
    assert exact(name).chances.sum() == pytest.approx(1)
