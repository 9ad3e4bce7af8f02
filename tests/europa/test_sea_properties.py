"""Properties of every naval battle, and refusals of the procedures, field by field."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import NoExactOdds, ScenarioError, exact, load, replay, sensitivity, sweep
from simulator.engine.exact import exact_outcomes
from simulator.rules.europa.passages.passage import Voyage
from simulator.rules.europa.shared.fleets import Cargo, half_points_needed, hold_of
from simulator.rules.europa.shared.modifiers import sum_of
from simulator.rules.europa.tables import standard
from tests.europa.scenarios import naval

TECHNOLOGIES = ["carrack", "nao-galleon", "galleon-fluyt", "battery", "vessel", "three-decker", "seventy-four"]
leader = st.fixed_dictionaries({"manoeuvre": st.integers(0, 5), "fire": st.integers(0, 5), "shock": st.integers(0, 5)})
fleet = st.fixed_dictionaries(
    {
        "warships": st.integers(1, 5),
        "transports": st.integers(0, 2),
        "technology": st.sampled_from(TECHNOLOGIES[:4]),
        "veteran": st.booleans(),
        "leader": leader,
    }
)


def battle(attacker, defender, **more):
    return exact(naval(attacker, defender, **more))


@settings(max_examples=6, deadline=None)
@given(fleet, fleet)
def test_swapping_the_sides_swaps_the_odds(one, other):
    first, second = battle(one, other), battle(other, one)
    assert first.winner("attacker") == pytest.approx(second.winner("defender"), abs=1e-12)
    for column in ("losses_thirds", "ships_taken", "warships_left", "stars", "leader_killed", "wind"):
        assert first.mean(f"attacker_{column}") == pytest.approx(second.mean(f"defender_{column}"), abs=1e-10)


@settings(max_examples=6, deadline=None)
@given(fleet, fleet, st.sampled_from(["manoeuvre", "fire", "shock"]))
def test_a_better_leader_never_lowers_the_odds(one, other, value):
    better = one | {"leader": one["leader"] | {value: one["leader"][value] + 1}}
    assert battle(better, other).winner("attacker") >= battle(one, other).winner("attacker") - 1e-12


@pytest.mark.parametrize("own", range(6))
def test_a_better_technology_never_lowers_the_odds(own):
    other = {"warships": 4, "technology": "galleon-fluyt", "leader": "none"}
    odds = [
        battle({"warships": 4, "technology": TECHNOLOGIES[n], "leader": "none"}, other).winner("attacker")
        for n in (own, own + 1)
    ]
    assert odds[1] >= odds[0] - 1e-12


def test_the_wind_never_lowers_the_odds():
    sides = {"warships": 5, "leader": "none"}, {"warships": 6, "leader": "none"}
    odds = [battle(*sides, conditions={"wind": wind}).winner("attacker") for wind in ("defender", "none", "attacker")]
    assert odds == sorted(odds)


def test_a_wind_of_ones_own_choice_is_a_mixture():
    sides = {"warships": 3, "leader": "none"}, {"warships": 3, "leader": "none"}
    odds = {wind: battle(*sides, conditions={"wind": wind}) for wind in ("attacker", "defender", "none", "roll")}
    p = odds["roll"].p("attacker_wind"), odds["roll"].p("defender_wind")
    mixed = p[0] * odds["attacker"].winner("attacker") + p[1] * odds["defender"].winner("attacker")
    mixed += (1 - sum(p)) * odds["none"].winner("attacker")
    assert odds["roll"].winner("attacker") == pytest.approx(mixed, abs=1e-12)


def test_a_replacement_is_a_mixture_of_the_leaders_of_its_table():
    """The manoeuvre counts in the wind, in breaking off, in the pursuit and in the retreat attrition."""
    side, enemy = {"warships": 2, "transports": 1, "retreat_drm": 3}, {"warships": 2, "leader": "none"}
    policy = {"attacker": {"break_off": "if-behind"}}
    drawn = battle(side, enemy, policy=policy)
    rows = standard().replacements["MINOR"]
    given = [
        battle(side | {"leader": dict(zip(("manoeuvre", "fire", "shock"), row, strict=True))}, enemy, policy=policy)
        for row in rows
    ]
    for column in ("attacker_wind", "attacker_broke_off", "attacker_losses_thirds", "defender_ships_taken"):
        assert drawn.mean(column) == pytest.approx(sum(odds.mean(column) for odds in given) / len(rows), abs=1e-12)


NAVAL = {"battle": "naval", "attacker": {"warships": 3}, "defender": {"warships": 3}}
PASSAGE = {"battle": "passage", "attacker": {"warships": 3, "land_detachments": 1}}
REFUSED = {
    "attacker.gold": {**NAVAL, "attacker": {"transports": 4, "warships": 1, "gold": 10, "land_detachments": 1}},
    "attacker.transports": {**NAVAL, "attacker": {"warships": 1, "army_plus": 1}},
    "attacker.warships": {**NAVAL, "attacker": {"transports": 1}, "defender": {"transports": 2}},
    "policy.attacker.evasion": {**NAVAL, "policy": {"attacker": {"evasion": "evade"}}},
    "attacker.leader": {**NAVAL, "attacker": {"warships": 3, "leader": "Turenne"}},
    "attacker.leader.shock": {**NAVAL, "attacker": {"warships": 3, "leader": {"shock": 10}}},
    "attacker.army_class": {**NAVAL, "attacker": {"warships": 3, "country": "spain", "army_class": "IV"}},
    "conditions.wind": {**NAVAL, "conditions": {"wind": "north"}},
    "options.tables.winds": {**NAVAL, "options": {"tables": {"winds": []}}},
    "attacker.land_detachments": {"battle": "attrition"},
    "attacker.technology": {"battle": "attrition", "attacker": {"land_detachments": 1, "technology": "vessel"}},
    "attacker.pasha_detachments": {"battle": "attrition", "attacker": {"pasha_detachments": 2}},
    "attacker.exploration_detachments": {"battle": "attrition", "attacker": {"exploration_detachments": 2}},
    "attacker.galleys": {
        "battle": "attrition", "attacker": {"galleys": 2}, "conditions": {"procedure": "movement-sea"}
    },
    "defender.warships": {"battle": "blockade-run", "attacker": {"warships": 1}},
    "defender.corsair_sides": {"battle": "strait-fire", "defender": {"warships": 1, "corsair_sides": 1}},
    "defender.gold": {"battle": "corsair-raid", "defender": {"warships": 1}},
    "defender.transports": {"battle": "corsair-raid", "defender": {"warships": 1, "gold": 30}},
    "defender.natives_detachments": {"battle": "conquistador", "attacker": {"land_detachments": 1}},
    "defender.revolts_minus": {"battle": "revolt", "attacker": {"land_detachments": 1}},
    "conditions.rounds": {
        "battle": "revolt", "attacker": {"pashas": 1}, "defender": {"revolts_plus": 1}, "conditions": {"rounds": 31}
    },
    "defender.corsairs_minus": {"battle": "pirate-hunt", "attacker": {"warships": 1}},
    "conditions.round": {"battle": "continuation", "conditions": {"round": "S6"}},
    "attacker.convoy_transports": {"battle": "logistics", "attacker": {"warships": 1, "convoy_transports": 1}},
    "defender.interceptors[0].warships": {**PASSAGE, "defender": {"interceptors": [{"transports": 1}]}},
    "defender.blockader.technology": {
        **PASSAGE, "defender": {"blockader": {"warships": 1, "technology": "galley"}}
    },
    "defender.works[0].work": {**PASSAGE, "defender": {"works": [{"work": "tower"}]}},
    "policy.defender.evasion": {**PASSAGE, "policy": {"defender": {"evasion": "evade"}}},
}  # fmt: skip


@pytest.mark.parametrize("field", REFUSED)
def test_refusal(field):
    with pytest.raises(ScenarioError) as refusal:
        load({"game": "europa", **REFUSED[field]})
    assert str(refusal.value).startswith(f"{field}: ")
    assert "\n" not in str(refusal.value)


INTERCEPTOR = {"manoeuvre": 3, "technology_gap": 7, "automatic": True}


@pytest.mark.parametrize(
    ("field", "where", "tables"),
    [
        ("attacker.river_or_pass", "sea", {"attacker": {"river_or_pass": True}}),
        ("attacker.interceptors[1].besieging", "sea", {"attacker": {"interceptors": [{}, {"besieging": True}]}}),
        ("conditions.counter_other_enemy_force", "sea", {"conditions": {"counter_other_enemy_force": True}}),
        ("attacker.technology", "land", {"attacker": {"technology": "three-decker"}}),
        ("attacker.interceptors[0].same_zone", "land", {"attacker": {"interceptors": [{"same_zone": True}]}}),
        (
            "defender.counter_interceptors[0].blockading",
            "land",
            {"defender": {"counter_interceptors": [{"blockading": True}]}},
        ),
    ],
)
def test_an_interception_refuses_fields_of_the_other_place(field, where, tables):
    scenario = {"game": "europa", "battle": "interception", **tables}
    scenario["conditions"] = scenario.get("conditions", {}) | {"where": where}
    with pytest.raises(ScenarioError) as refusal:
        load(scenario)
    place = "at sea; only on land" if where == "sea" else "on land; only at sea"
    assert str(refusal.value).startswith(f"{field}: ")
    assert str(refusal.value).endswith(f"is not allowed {place}")


@pytest.mark.parametrize("field", INTERCEPTOR)
@pytest.mark.parametrize("where", ["sea", "land"])
def test_fields_of_one_interceptor_are_not_given_beside_several(where, field):
    attacker = {"interceptors": [{}, INTERCEPTOR], field: INTERCEPTOR[field]}
    scenario = {"game": "europa", "battle": "interception", "attacker": attacker, "conditions": {"where": where}}
    with pytest.raises(ScenarioError) as refusal:
        load(scenario)
    assert str(refusal.value).startswith(f"attacker.{field}: ")
    assert str(refusal.value).endswith("is not allowed together with interceptors; give it in their list")


@pytest.mark.parametrize("where", ["sea", "land"])
def test_an_interception_takes_fields_of_both_places_and_defaults_of_the_other(where):
    """Default values of the other place change nothing: a form sends them."""
    defaults = {"technology": "nao-galleon", "in_port": False, "besieging": False}
    conditions = {"where": where, "bad_weather": True, "target_swamp": False}
    scenario = {"game": "europa", "battle": "interception", "conditions": conditions}
    assert exact(scenario | {"attacker": INTERCEPTOR | defaults}).p("intercepted") == 1


@pytest.mark.parametrize(
    ("role", "where", "field"), [("none", "sea", "warships"), ("none", "land", "land_detachments")]
)
def test_nobody_explores(role, where, field):
    with pytest.raises(ScenarioError, match=f"attacker.{field}: nobody explores"):
        load({"game": "europa", "battle": "exploration", "attacker": {"role": role}, "conditions": {"where": where}})


def test_a_misspelt_admiral_is_suggested():
    with pytest.raises(ScenarioError, match=r"did you mean .*Tourville"):
        load({"game": "europa", **NAVAL, "attacker": {"warships": 3, "leader": "Tourvile"}})


def test_tables_of_the_sea_can_be_varied():
    row = {"tech_for": "NAE_GALEON", "tech_against": "NAE_GALEON", "modifier": 9}
    varied = {**NAVAL, "options": {"tables": {"wind_advantage": [row]}}}
    plain = exact({"game": "europa", **NAVAL})
    assert exact({"game": "europa", **varied}).p("attacker_wind") == pytest.approx(plain.p("attacker_wind"))


MEETINGS = {
    "fleets": ({"warships": 3, "transports": 1, "land_detachments": 2}, {"warships": 3}),
    "scouts": ({"exploration_ships": 2, "exploration_detachments": 1}, {"exploration_ships": 1}),
    "one of them is small": ({"warships": 1, "exploration_detachments": 2}, {"exploration_ships": 2}),
}


@pytest.mark.parametrize("name", MEETINGS)
def test_a_passage_past_one_patrol_is_its_naval_battle(name):
    """The fast way through many battles gives each battle its own answer."""
    own, patrol = ({**fleet, "leader": {"manoeuvre": 2, "fire": 4, "shock": 2}} for fleet in MEETINGS[name])
    seas = {"region": "rotw", "period": "V"}
    battle = exact(
        {
            "game": "europa", "battle": "naval", "attacker": own, "defender": patrol,
            "conditions": {**seas, "interception": True},
        }
    )  # fmt: skip
    passage = exact(
        {
            "game": "europa", "battle": "passage", "attacker": own, "defender": {"interceptors": [patrol]},
            "conditions": {**seas, "sea_attrition": False, "landing_attrition": False},
        }
    )  # fmt: skip
    met = 0.3  # modified 8 or more
    won = battle.p("winner == 'attacker' and attacker_troops_left_thirds > 0")
    assert passage.p("beaten_at_sea") == pytest.approx(met * (1 - won), abs=1e-12)
    for column in ("attacker_warships_left", "attacker_exploration_ships_left", "attacker_transports_left"):
        alone = battle.mean(column)
        assert passage.mean(column) == pytest.approx(met * alone + (1 - met) * own.get(column[9:-5], 0), abs=1e-12)


def test_the_last_roll_alone_leads_to_the_ends_of_the_whole_chain():
    """Leader tests follow at once in exact odds; followed state by state they come to the same."""
    chain = load(
        {
            "game": "europa", "battle": "naval",
            "attacker": {"warships": 2, "leader": {"manoeuvre": 2, "fire": 6, "shock": 2}},
            "defender": {"warships": 1, "retreat_drm": 4, "leader": {"manoeuvre": 3, "fire": 2, "shock": 2}},
            "policy": {"defender": {"evasion": "evade"}},
        }
    ).chain  # fmt: skip
    quick, slow = exact_outcomes(chain), exact_outcomes(replace(chain, last=None))
    found = [dict(zip(zip(*(v.tolist() for v in e.states), strict=True), e.p, strict=True)) for e in (quick, slow)]
    assert found[0] == pytest.approx(found[1], abs=1e-15)
    assert quick.explored == slow.explored
    with pytest.raises(NoExactOdds, match="past the budget"):
        exact_outcomes(chain, budget=30 * quick.explored)


@pytest.mark.parametrize("evasion", ["stand", "evade"])
def test_maps_and_what_if_have_the_chances_to_win_of_the_whole_answer(evasion):
    """They ask for the winner alone, which is known before all losses; a fleet of one ship is soon wiped out."""
    whole = {
        "game": "europa", "battle": "naval",
        "attacker": {"warships": 2, "transports": 1, "leader": {"manoeuvre": 2, "fire": 3, "shock": 2}},
        "defender": {"warships": 1, "retreat_drm": 4, "leader": {"manoeuvre": 3, "fire": 2, "shock": 2}},
        "policy": {"defender": {"evasion": evasion, "leave_with_wind": "if-behind"}},
        "options": {"destruction_is_rout": True},
    }  # fmt: skip
    sizes, values = [1, 2], ["p_attacker", "p_defender", "p_nobody"]
    swept = sweep(whole, {"defender.warships": sizes}, values, threads=1)
    changed = sensitivity(whole, fields="defender.warships", threads=1).steps
    for cell, size in zip(swept.cells, sizes, strict=True):
        odds = exact(whole | {"defender": whole["defender"] | {"warships": size}})
        assert [one.value for one in cell.measures] == pytest.approx(
            [odds.winner(side) for side in ("attacker", "defender", "nobody")], abs=1e-12
        )
    assert [one.value for one in changed if one.to == 2] == pytest.approx([odds.winner("attacker")], abs=1e-12)


def test_whoever_needs_no_roll_comes():
    conditions = {"where": "land", "bad_weather": True}
    scenario = {
        "game": "europa", "battle": "interception", "attacker": {"interceptors": [{"automatic": True}, {}]},
        "defender": {"manoeuvre": 5, "counter_interceptors": [{"automatic": True}, {"river_or_pass": True}]},
        "conditions": conditions,
    }  # fmt: skip
    odds = exact(scenario)
    assert odds.p("interceptors_arrived >= 1") == odds.p("counter_interceptors_arrived >= 1") == 1
    assert odds.mean("interceptors_arrived") == pytest.approx(1.1)  # the other one: a natural 10
    assert odds.mean("counter_interceptors_arrived") == pytest.approx(1.1)
    assert "Counter-interceptor 1 needs no roll." in str(replay(scenario, seed=1))


RANGES = {
    "attacker.manoeuvre": 9, "attacker.siege": 9, "attacker.pashas": 3, "conditions.enemy_siege": 9,
    "conditions.siegeworks_minus": 4, "conditions.siegeworks_plus": 4, "conditions.causes": 6, "conditions.mp": 20,
    "conditions.strait_drm": 20, "conditions.pillages_minus": 20, "conditions.pillages_plus": 20,
    "conditions.revolts_minus": 20, "conditions.revolts_plus": 20, "conditions.cold": 20,
    "conditions.sea_difficulty": 20, "conditions.malus": 20, "conditions.works_crossed": 20,
    "conditions.corsairs_minus": 20, "conditions.corsairs_plus": 20, "conditions.zones_entered": 60,
    "conditions.zones_to_port": 60,
}  # fmt: skip


AT_SEA = {
    *("sea_difficulty", "malus", "works_crossed", "corsairs_minus", "corsairs_plus", "zones_entered"),
    "zones_to_port",
}


@pytest.mark.parametrize("path", RANGES)
def test_ranges_of_attrition(path):
    """Section 4: 0 to 20 where no range is given."""
    table, field = path.split(".")
    procedure = "siege" if "siege" in field else "supply" if field == "causes" else "movement-land"
    stack = {"land_detachments": 2}
    if field in AT_SEA:
        procedure, stack = "movement-sea", {"warships": 2}
    for value, allowed in ((RANGES[path], True), (RANGES[path] + 1, False), (-1, False)):
        scenario = {"game": "europa", "battle": "attrition", "attacker": stack, "conditions": {"procedure": procedure}}
        scenario[table] = scenario.get(table, {}) | {field: value}
        if allowed:
            assert getattr(getattr(load(scenario).fields, table), field) == value
        else:
            with pytest.raises(ScenarioError, match=f"{path}: "):
                load(scenario)


@pytest.mark.parametrize(
    ("defender", "ends"),
    [
        ({"exploration_ships": 2}, {(0, 0): 0.5, (1, 2): 0.5}),
        ({"exploration_ships": 1, "transports": 1}, {(0, 0): 0.5, (1, 3): 0.2, (2, 4): 0.3}),
        ({"corsair_sides": 2}, {(0, 0): 0.5, (1, 0): 0.2, (2, 0): 0.3}),
    ],
)
def test_fire_sinks_no_more_than_there_is(defender, ends):
    """Two exploration ships go as one ND; modified 11 sinks one, 13 another."""
    odds = exact({"game": "europa", "battle": "strait-fire", "attacker": {"level": 5}, "defender": defender})
    found = {
        (lost, thirds): odds.p(f"detachments_lost == {lost} and defender_losses_thirds == {thirds}")
        for lost, thirds in ends
    }
    assert found == pytest.approx(ends)


def test_half_a_point_holds_two_ducats_after_losses():
    """Gold is rounded up to points at loading, but what floats holds floor(5 x points)."""
    hold = hold_of(load({"game": "europa", **NAVAL}).fields.attacker, SimpleNamespace(period="III"), standard())
    assert [hold.fitted(Cargo(gold=17), half).gold for half in (0, 1, 2, 7, 8)] == [0, 2, 5, 17, 17]
    side = load({"game": "europa", **NAVAL, "attacker": {"transports": 2, "gold": 17}}).fields.attacker
    assert half_points_needed(side, hold) == 8


BLOCKADING = {"blockading": True, "fortress_level": 3}


@pytest.mark.parametrize(
    ("leader", "commander", "expected"),
    [
        ({"siege": 4}, True, -4 + 2), ({"siege": 4}, False, 2), ("replacement", True, 2), ("none", True, 2),
        ("Rooke", True, -1 + 2),
    ],
)  # fmt: skip
def test_the_siege_value_of_a_blockading_leader_counts_while_he_is_there(leader, commander, expected):
    """The storm's modifier with a blockade against the one without (section 14)."""
    fields = load({"game": "europa", **PASSAGE, "attacker": PASSAGE["attacker"] | {"leader": leader}}).fields
    plain, blockades = (
        sum_of(voyage.bonuses(voyage.start._replace(commander=commander)))
        for voyage in (
            Voyage(fields.model_copy(update={"conditions": fields.conditions.model_copy(update=more)}), standard())
            for more in ({}, BLOCKADING)
        )
    )
    assert blockades - plain == expected
