"""What must hold for any naval battle, and what the procedures refuse, field by field."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import NoExactOdds, ScenarioError, exact, load, replay
from simulator.engine.exact import exact_outcomes
from simulator.rules.europa.tables import standard

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
    return exact({"game": "europa", "battle": "naval", "attacker": attacker, "defender": defender, **more})


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
    "conditions.round": {"battle": "continuation", "conditions": {"round": "S6"}},
    "attacker.convoy_transports": {"battle": "logistics", "attacker": {"warships": 1, "convoy_transports": 1}},
    "defender.interceptors[0].warships": {**PASSAGE, "defender": {"interceptors": [{"transports": 1}]}},
    "defender.blockader.technology": {
        **PASSAGE, "defender": {"blockader": {"warships": 1, "technology": "galley"}}
    },
    "defender.works[0].work": {**PASSAGE, "defender": {"works": [{"work": "tower"}]}},
    "policy.defender.evasion": {**PASSAGE, "policy": {"defender": {"evasion": "evade"}}},
    "passage": {"battle": "expedition"},
    "land.attacker.army_plus": {
        "battle": "expedition",
        "passage": {"attacker": {"warships": 3, "land_detachments": 1}},
        "land": {"attacker": {"army_plus": 1}, "defender": {"land_detachments": 1}},
    },
    "land.attacker.pasha_detachments": {
        "battle": "expedition",
        "passage": {"attacker": {"warships": 3, "land_detachments": 1}},
        "land": {"attacker": {"country": "turkey", "pasha_detachments": 1}, "defender": {"land_detachments": 1}},
    },
    "siege.attacker": {
        "battle": "expedition",
        "land": {
            "attacker": {"army_plus": 2, "country": "turkey", "pasha_detachments": 3},
            "defender": {"land_detachments": 1},
        },
        "siege": {"defender": {"fortress_level": 1}},
    },
    "siege.defender": {
        "battle": "expedition",
        "siege": {"attacker": {"army_plus": 1}, "defender": {"fortress_level": 1, "land_detachments": 3}},
    },
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


def test_an_expedition_is_no_better_than_its_passage():
    fields = {
        "attacker": {"warships": 4, "transports": 1, "land_detachments": 2, "leader": "none"},
        "defender": {"blockader": {"warships": 2, "leader": "none"}},
    }
    alone = exact({"game": "europa", "battle": "passage", **fields})
    whole = exact(
        {
            "game": "europa", "battle": "expedition", "passage": fields,
            "land": {"defender": {"land_detachments": 1, "leader": "none"}, "attacker": {"leader": "none"}},
        }
    )  # fmt: skip
    assert whole.p("landed") == pytest.approx(alone.p("landed"), abs=1e-12)
    assert whole.mean("landed_thirds") == pytest.approx(alone.mean("landed_thirds"), abs=1e-9)
    assert whole.p("won_ashore") <= whole.p("landed")


def test_pashas_of_the_first_stage_fight_once():
    attacker = {"army_minus": 1, "country": "turkey", "pasha_detachments": 5, "leader": "none"}
    fields = {"attacker": attacker, "defender": {"army_plus": 1, "land_detachments": 3, "leader": "none"}}
    alone = exact({"game": "europa", "battle": "land", **fields})
    siege = {"defender": {"fortress_level": 1, "leader": "none"}, "conditions": {"siegeworks_plus": 1}}
    whole = exact({"game": "europa", "battle": "expedition", "land": fields, "siege": siege})
    won = alone.p("winner == 'attacker' and attacker_left_thirds > 0")
    assert whole.p("won_ashore") == pytest.approx(won, abs=1e-12)
    assert set(whole.columns["landed_thirds"]) == {21}
    assert max(whole.columns["attacker_left_thirds"]) <= 21


MEETINGS = {
    "fleets": ({"warships": 3, "transports": 1, "land_detachments": 2}, {"warships": 3}),
    "scouts": ({"exploration_ships": 2, "exploration_detachments": 1}, {"exploration_ships": 1}),
    "one of them is small": ({"warships": 1, "exploration_detachments": 2}, {"exploration_ships": 2}),
}


@pytest.mark.parametrize("name", MEETINGS)
def test_a_passage_past_one_patrol_is_its_naval_battle(name):
    """What the fast way through many battles makes of one is what the battle itself comes to."""
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
