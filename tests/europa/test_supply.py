"""Supply and winters of a besieger, and the best plan (docs/rules/europa_land_siege.md sections 5.3 and 5.4)."""

from collections import deque

import pytest

from simulator import best, exact, load, replay
from simulator.rules.europa.shared.modifiers import sum_of
from simulator.rules.europa.siege import rules
from simulator.rules.europa.siege import state as siege
from simulator.rules.europa.siege.tables import BOXES, SiegeSetup
from simulator.scenarios import ScenarioError
from tests.europa import reference_campaign
from tests.europa.scenarios import campaign, leader
from tests.europa.table_top import play, siege_result
from tests.europa.test_reference import anyone, largest_gap, legal, troops

SIX_LD = {"country": "france", "army_plus": 1, "army_minus": 1, "leader": leader(3, 3, 3, 1)}
EMPTY = {"fortress_level": 3, "leader": "none"}
FOUR_TIMAR = {"country": "turkey", "army_plus": 1, "leader": leader(4, 3, 3)}
TAKES_IT = campaign(
    {"country": "france", "army_plus": 2, "technology": "baroque", "leader": leader(3, 3, 3)},
    {"fortress_level": 2, "technology": "baroque"},
    conditions={"rounds": 4, "period": "IV"},
    policy={"attacker": {"plan": "best"}},
)


def between(scenario, dice, box="", to="", **changes):
    """The state when the next segment begins, with the dice thrown between two rounds."""
    setup, thrown = SiegeSetup(load(scenario).fields), deque(dice)
    p, s = setup.params, setup.start
    s = s._replace(stage=siege.CONTINUE, box=BOXES.index(box) if box else 0, **changes)
    s = rules.onward(p, rules.next_round(s, BOXES.index(to) if to else 0, 0))
    while s.stage in {siege.COLD, siege.HOME, siege.SUPPLY, siege.GARRISON_ATTRITION}:
        s = rules.step(p, s, siege_result(setup, s, thrown))
    assert not thrown
    return s


def test_14_weak_supply():
    far = campaign(SIX_LD, EMPTY, conditions={"supply_distance": 6})
    second = between(far, [8])
    assert (second.camp, second.pillages, second.rounds) == (12, 1, 2)
    third = between(far, [8], camp=12, pillages=1)
    assert (third.camp, third.pillages) == (12, 2)
    for desert, modifiers in ((False, (1, 0)), (True, (3, 2))):
        setup = SiegeSetup(load({**far, "conditions": {"supply_distance": 6, "supply_desert": desert}}).fields)
        assert (sum_of(setup.supply_attrition(18, 0, 3)), sum_of(setup.supply_attrition(12, 1, 3))) == modifiers


def test_15_no_line():
    cut = campaign(SIX_LD, EMPTY, conditions={"supply_line": False}, policy={"attacker": {"plan": "assault-at-once"}})
    after = between(cut, [4])
    assert (after.camp, after.pillages, after.unsupplied) == (15, 1, 1)
    # Siege attrition and an assault in each round, supply attrition between them, and no roll before the third.
    found = play(cut, [1, 1, 1, 1, 1, 4, 1, 1, 1, 1, 1])
    assert found["winner"] == "defender"
    assert found["attacker_destroyed"]
    assert found["destroyed_by_supply"]
    assert found["rounds"] == 2
    assert found["pillages"] > 0


def test_a_segment_without_a_line_may_lie_before_the_first_round():
    cut = campaign(SIX_LD, EMPTY, conditions={"supply_line": False, "unsupplied_segments": 1})
    assert between(cut, []).how == siege.STARVED
    with_line = campaign(SIX_LD, EMPTY, conditions={"unsupplied_segments": 1})
    assert between(with_line, []).camp == 18


def test_16_winter():
    there = {"start_round": "W5", "timar_distance": 2}
    home = between(campaign(FOUR_TIMAR, EMPTY, conditions=there), [6], "W5", "End")
    assert (home.camp, home.pillages, home.stage, home.starved) == (9, 0, siege.OVER, 1)
    cold = between(campaign(FOUR_TIMAR, EMPTY, conditions=there | {"cold_area": True}), [9, 1], "W5", "End")
    assert (cold.camp, cold.pillages) == (9, 1)


@pytest.mark.parametrize(("box", "to", "wintry"), [("W0", "S1", True), ("S2", "W2", False), ("W2", "S4", True)])
def test_winter_lies_between_two_years(box, to, wintry):
    scenario = campaign(SIX_LD, EMPTY, conditions={"start_round": box, "cold_area": True})
    assert between(scenario, [10] if wintry else [], box, to).camp == (12 if wintry else 18)


@pytest.mark.parametrize(("distance", "rolled"), [(5, False), (6, True), (12, True)])
def test_a_line_is_long_from_six_points_on(distance, rolled):
    scenario = campaign(SIX_LD, EMPTY, conditions={"supply_distance": distance})
    assert between(scenario, [1] if rolled else []).camp == 18


def test_overseas_only_an_army_minds_distance_and_fleet():
    there = {"region": "rotw", "supply_distance": 12, "supply_distant_fleet": True, "supply_foreign": True}
    army = SiegeSetup(load(campaign(SIX_LD | {"land_detachments": 1}, EMPTY, conditions=there)).fields)
    assert len(army.weak_supply(21)) == 3
    assert army.weak_supply(3) == ["foreign source"]


def test_18_breach_and_assault_counters():
    for reading, sums in (("greater", [0, 1, 2, 2]), ("sum", [0, 1, 2, 3])):
        setup = SiegeSetup(load(campaign(SIX_LD, EMPTY, options={"assault_and_breach": reading})).fields)
        both = [sum_of(setup.effect_of_counters(0, breach, assault)) for breach in (0, 1) for assault in (0, 1)]
        assert both == sums
        assert sum_of(setup.assault_of_place(18, 0, 1)) - sum_of(setup.assault_of_place(18, 0, 0)) == 1


def test_the_answer_says_what_supply_costs():
    far = campaign(SIX_LD, EMPTY, conditions={"supply_distance": 6, "supply_desert": True, "rounds": 3})
    odds = exact(far)
    why = "(weak supply: line of 6 movement points or more, desert)"
    assert f"the besieger's supply attrition is rolled from the second round on {why}" in odds.assumptions
    lost = odds.mean("attacker_gone_by_supply_thirds")
    assert lost > 3
    off = exact(far | {"options": {"supply_attrition": False}})
    assert "the besieger's supply attrition is left out (options.supply_attrition)" in off.assumptions
    assert off.mean("attacker_gone_by_supply_thirds") == 0
    assert odds.p("fallen") < off.p("fallen")
    assert 0 < odds.p("redeployed_by_supply") <= odds.p("redeployed")
    full = exact(campaign(SIX_LD, EMPTY)).assumptions
    assert "the besieger's supply is full: no supply attrition" in full
    cold = {"start_round": "S5", "cold_area": True, "supply_line": False}
    lines = exact(campaign(FOUR_TIMAR, EMPTY, conditions=cold)).assumptions
    assert "the besieger's supply attrition is rolled from the second round on (no line of supply)" in lines
    assert len([line for line in lines if line.startswith("winter: ")]) == 2


def test_a_replay_shows_who_starves():
    cut = campaign(SIX_LD, EMPTY, conditions={"supply_line": False}, policy={"attacker": {"too_small": "assault"}})
    answer = [str(replay(cut, 0, battle)) for battle in range(6)]
    assert any("Supply attrition: the besieger is left with" in text for text in answer)
    assert any("second supply segment without a line: the besieger is destroyed" in text for text in answer)


@pytest.mark.parametrize(
    ("field", "value"), [("supply_distance", 13), ("unsupplied_segments", 2), ("timar_distance", 21)]
)
def test_refused(field, value):
    with pytest.raises(ScenarioError, match=rf"^conditions.{field}: {value} is not allowed"):
        load(campaign(SIX_LD, EMPTY, conditions={field: value}))


def test_a_replay_shows_winters_and_the_vizier():
    there = {"start_round": "S5", "cold_area": True, "timar_distance": 3, "supply_desert": True}
    vizier = campaign(
        {"country": "turkey-vizier", "army_plus": 2}, EMPTY, conditions=there, policy={"attacker": {"plan": "best"}}
    )
    answer = "\n".join(str(replay(vizier, 0, battle)) for battle in range(20))
    for line in (
        "Round 1, the Vizier's siege value: 1.", "Round 1, the Vizier's siege value: 0.",
        "Winter: cold: the besieger is left with", "Winter: Timar go home: the besieger is left with",
    ):  # fmt: skip
        assert line in answer
    assert "attacker supply attrition: +2 enemy fortress" in "\n".join(load(vizier).built.explain())


# --- the best plan -----------------------------------------------------------------------------------------------


def test_19_best_play():
    found = best(TAKES_IT)
    gains = found.gains.set_index("policy")["value"].round(6).to_dict()
    assert found.value["attacker"] == pytest.approx(0.845774, abs=1e-6)
    assert gains == {
        "assault-at-once": 0.784921, "undermine-until-breach": 0.779342, "breach-then-storm": 0.776771,
        "undermine-only": 0.5176,
    }  # fmt: skip
    policy = found.policy[found.policy["reached"] > 0]
    first = policy[(policy["round"] == 1) & (policy["die"] == 0)]
    assert first[["attacker", "garrison", "siegeworks", "choice"]].to_numpy().tolist() == [
        ["2 ARMY+", "none", 0, "undermine"]
    ]
    second = policy[(policy["round"] == 2) & (policy["die"] == 0) & ~policy["breach_counter"]]
    nothing = second["siegeworks"] == 0
    assert set(second[nothing]["choice"]) == {"assault"}
    assert set(second[~nothing]["choice"]) == {"undermine"}
    on_a_breach = policy[policy["die"] > 0]
    assert set(on_a_breach["choice"]) <= {"assault", "wait"}
    assert (on_a_breach["die"] <= 10).all()


def random_campaign(dice):
    """Short campaigns on the track or over fixed rounds, with every cause of weak supply, Turks and the Vizier."""
    country = dice.choice(["france", "turkey", "turkey-vizier", "minor"])
    outside = troops(dice, 2) | {
        "army_plus": dice.randint(0, 1),
        "country": country,
        "siege_value": dice.choice([0, 2]),
    }
    outside["leader"] = dice.choice(["replacement", "none", anyone(dice)])
    inside = troops(dice, 1) | {"fortress_level": dice.randint(1, 3)}
    when = dice.choice([{"rounds": 3}, {"start_round": "W4"}, {"start_round": "S5"}, {"start_round": "W5"}])
    where = when | {
        "region": dice.choice(["europe", "europe", "rotw"]), "period": dice.choice(["II", "VI"]),
        "supply_line": dice.random() < 0.8, "supply_distance": dice.choice([2, 5, 6, 12]),
        "unsupplied_segments": dice.choice([0, 0, 1]), "pillages": dice.choice([0, 3]),
        "attrition_modifier": dice.choice([-2, 0, 2]), "timar_distance": dice.choice([0, 1, 4]),
        "breach_counter": dice.random() < 0.3, "assault_counter": dice.random() < 0.3,
        **{name: dice.random() < 0.4 for name in ("supply_desert", "supply_foreign", "supply_distant_fleet")},
        "cold_area": dice.random() < 0.5, "poor_weather": dice.random() < 0.3,
    }  # fmt: skip
    plan = dice.choice(["best", "best", "undermine-until-breach", "assault-at-once", "breach-then-storm"])
    policy = {"plan": plan, "too_small": dice.choice(["redeploy", "assault"]), "pillage": "pillage"}
    policy |= {"war_honours": dice.choice(["grant", "refuse"])}
    options = {
        "supply_attrition": dice.random() < 0.85, "timar_limits": dice.random() < 0.7,
        "assault_and_breach": dice.choice(["greater", "sum"]),
    }  # fmt: skip
    weights = dice.choice([{}, {"objective": {"attacker": {"win": 1, "attacker_left_thirds": 0.03, "rounds": -0.01}}}])
    return campaign(outside, inside, conditions=where, policy={"attacker": policy}, options=options, **weights)


# Seeds of quick campaigns in which much happens: Timar and Viziers, cold, no line, both regions.
@pytest.mark.parametrize("seed", [6, 102, 107, 109, 110, 114, 120, 127, 131, 133, 136, 138, 141, 144, 146, 147])
def test_random_campaign(seed):
    scenario = legal(random_campaign, seed)
    assert largest_gap(scenario, reference_campaign.campaign) < 1e-12


@pytest.mark.parametrize("seed", [2, 110, 127, 136, 138])
def test_best_is_never_below_a_fixed_plan(seed):
    scenario = legal(random_campaign, seed)
    scenario["policy"]["attacker"]["plan"] = "best"
    assert (best(scenario).gains["gain"] >= -1e-12).all()


def test_an_objective_may_weigh_what_supply_has_cost():
    weak = campaign(
        SIX_LD,
        EMPTY,
        conditions={"supply_distance": 12, "rounds": 3},
        policy={"attacker": {"plan": "best"}},
        objective={"attacker": {"win": 1, "redeployed_by_supply": -1}},
    )
    found = best(weak)
    worth = found.odds.p("fallen") - found.odds.p("redeployed_by_supply")
    assert found.value["attacker"] == pytest.approx(worth, abs=1e-12)
    assert (found.gains["gain"] > 0).all()
