"""A relief army at a siege (docs/rules/europa_land_siege.md section 5.7)."""

import pytest

from simulator import ScenarioError, best, exact, load, replay, simulate
from simulator.rules.europa.siege.relief_rules import fought
from simulator.rules.europa.siege.state import SEGMENT_BEGINS
from simulator.rules.europa.siege.tables import SiegeSetup
from tests.europa.reference_relief import relieved
from tests.europa.test_reference import largest_gap

FRENCH = {
    "country": "france", "technology": "musket", "army_plus": 1, "land_detachments": 1,
    "leader": {"manoeuvre": 3, "fire": 3, "shock": 3, "siege": 1},
}  # fmt: skip
RELIEF = {"country": "spain", "technology": "musket", "army_plus": 1, "leader": "none", "round": 2}
NO_ARMY = {"army_plus": 0, "land_detachments": 3}


def siege(relief=None, **more):
    """Three rounds of a siege of level 2, with changes by table."""
    base = {
        "attacker": FRENCH,
        "defender": {"fortress_level": 2, "land_detachments": 1, "country": "spain", "leader": "none"},
        "conditions": {"rounds": 3},
    }
    found = {"game": "europa", "battle": "siege-campaign"} | base
    found |= {name: found.get(name, {}) | table for name, table in more.items()}
    if relief is not None:
        found["defender"] = found["defender"] | {"relief": relief}
    return found


REFERENCES = {
    "met in round 2": siege(RELIEF),
    "in round 1, by a leader who may be lost": siege(
        RELIEF | {"round": 1, "army_plus": 2, "leader": {"manoeuvre": 2, "fire": 4, "shock": 4}},
        conditions={"rounds": 2},
        attacker={"leader": FRENCH["leader"] | {"fire": 6}},
    ),
    "a chance, a sortie, over a river": siege(
        RELIEF | NO_ARMY | {"round": 0, "chance": 0.25, "sortie": True, "crossing": "river"},
        conditions={"rounds": 2, "terrain": "swamp"},
    ),
    "enters after a draw, an army inside": siege(
        RELIEF | NO_ARMY,
        conditions={"rounds": 2},
        defender={"fortress_level": 4, "army_minus": 1, "land_detachments": 0},
    ),
    "stays outside": siege(RELIEF | NO_ARMY | {"enter": False}, conditions={"rounds": 2}),
    "lifted": siege(RELIEF, policy={"attacker": {"relief": "lift"}}),
    "evaded": siege(RELIEF | {"army_plus": 2}, policy={"attacker": {"relief": "evade"}}, conditions={"rounds": 2}),
    "both break off": siege(
        RELIEF, policy={"attacker": {"break_off": "always"}, "defender": {"break_off": "if-behind"}},
        conditions={"rounds": 2},
    ),
    "in weak supply, storming": siege(
        RELIEF, policy={"attacker": {"plan": "assault-at-once"}}, conditions={"rounds": 2, "supply_distance": 8}
    ),
    "overseas": siege(
        RELIEF | {"army_plus": 0, "land_detachments": 1, "exploration_detachments": 1},
        attacker={"army_plus": 0, "land_detachments": 2},
        defender={"fortress_level": 1},
        conditions={"rounds": 2, "region": "rotw", "period": "II"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFERENCES)
def test_equals_the_slow_reference(name):
    scenario = REFERENCES[name]
    slow = {key: value for key, value in scenario.items() if key not in ("game", "battle")}
    assert largest_gap(scenario, lambda _: relieved(slow)) < 1e-12


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_equals_a_campaign_of_siege_battle_siege(level):
    """With a besieger without siege value, full supply and no entry (campaigns.md section 10)."""
    leader = FRENCH["leader"] | {"siege": 0}
    besieger = FRENCH | {"army_plus": 2, "land_detachments": 0, "leader": leader}
    relief, inside = {"country": "spain", "technology": "musket", "army_plus": 2, "leader": "none"}, {
        "fortress_level": level, "country": "spain", "leader": "none",
    }  # fmt: skip
    one = siege(relief | {"round": 3, "enter": False}, conditions={"rounds": 4}, attacker=besieger)
    one["defender"] = inside | {"relief": one["defender"]["relief"]}
    campaign = {
        "game": "campaign", "of": "europa", "us": "french", "every": {"battle": "siege-campaign"},
        "force": {"french": besieger, "relief": relief}, "fortress": {"breda": inside},
        "fight": [
            {"name": "s1", "attacker": "french", "defender": "breda", "conditions": {"rounds": 2}},
            {"name": "field", "battle": "land", "attacker": "relief", "defender": "french", "if": "breda_besieged"},
            {"name": "s2", "attacker": "french", "defender": "breda", "conditions": {"rounds": 2}},
        ],
    }  # fmt: skip
    whole, cut = exact(one), exact(campaign)
    assert cut.p("breda_taken") == pytest.approx(whole.p("fallen"), abs=1e-9)
    assert cut.p("field_fought") == pytest.approx(whole.p("relief_battle"), abs=1e-9)
    assert cut.p("field_won and field_fought") == pytest.approx(whole.p("relief_won"), abs=1e-9)


@pytest.mark.parametrize("answer", ["meet", "lift", "evade"])
def test_an_army_that_never_comes_changes_nothing(answer):
    never = siege(RELIEF | {"round": 0, "chance": 0.0}, policy={"attacker": {"relief": answer}})
    with_it, without = exact(never), exact(siege())
    for column in ("fallen", "breach_counter", "redeployed"):
        assert with_it.p(column) == pytest.approx(without.p(column), abs=1e-12)
    assert with_it.p("relief_came or relief_battle or lifted") == 0
    assert with_it.mean("relief_left_thirds") == pytest.approx(12)


def test_a_chance_of_one_is_round_one():
    certain, first = exact(siege(RELIEF | {"round": 0, "chance": 1.0})), exact(siege(RELIEF | {"round": 1}))
    for column in ("fallen", "lifted", "relief_won"):
        assert certain.p(column) == pytest.approx(first.p(column), abs=1e-12)


def test_on_the_round_track_it_comes_in_its_round():
    track = {"rounds": 0, "start_round": "S4"}
    odds = exact(siege(RELIEF | {"round": 2}, conditions=track, policy={"attacker": {"relief": "lift"}}))
    played = exact(siege(conditions=track))
    assert odds.p("rounds > 1") == 0
    assert odds.p("lifted") == pytest.approx(played.p("rounds > 1 or destroyed_by_supply"), abs=1e-12)


def test_a_sortie_beyond_the_troops_that_fight_is_the_same_battle():
    """8 LD of the relief army fight (section 2.4); the garrison comes out and only stands by."""
    full = RELIEF | {"army_plus": 2, "sortie": True}
    inside = {"fortress_level": 1, "land_detachments": 1}
    alone, together = (exact(siege(full | {"sortie": sortie}, defender=inside)) for sortie in (False, True))
    for column in ("relief_won", "fallen", "relief_battle"):
        assert together.p(column) == pytest.approx(alone.p(column), abs=1e-12)
    assert together.mean("relief_left_thirds") == pytest.approx(alone.mean("relief_left_thirds"), abs=1e-12)


def test_best_is_at_least_as_good_as_every_answer():
    strong = RELIEF | {"army_plus": 2, "leader": {"manoeuvre": 4, "fire": 4, "shock": 4}}
    weights = {"objective": {"attacker": {"win": 1, "attacker_left_thirds": 0.02}}}

    def worth(answer):
        odds = exact(siege(strong, policy={"attacker": {"relief": answer}}) | (weights if answer == "best" else {}))
        return odds.winner("attacker") + 0.02 * odds.mean("attacker_left_thirds")

    answers = {answer: worth(answer) for answer in ("meet", "lift", "evade", "storm-first")}
    assert worth("best") >= max(answers.values()) - 1e-12
    found = best(siege(strong, policy={"attacker": {"relief": "best"}}) | weights)
    decided = {row["decision"] for row in found.policy.to_dict("records")}
    assert decided == {"policy.attacker.relief"}


def test_simulated_battles_agree_and_are_told():
    scenario = siege(RELIEF | {"round": 0, "chance": 0.5})
    odds, true = simulate(scenario, 40_000, seed=2), exact(scenario)
    for column in ("fallen", "lifted", "relief_battle"):
        low, high = odds.interval(column, level=0.9999)
        assert low < true.p(column) < high
    lines = "\n".join(line for battle in range(20) for line in replay(scenario, 2, battle).lines)
    assert "The relief army comes." in lines
    assert "The battle with the relief army: besieger" in lines
    assert "The relief army does not come yet." in lines


def test_23_a_draw_at_the_fortress():
    """Three detachments are left of the relief army, one has room beside the one inside."""
    setup = SiegeSetup(load(siege(RELIEF)).fields)
    lost, nobody = 12 - 9, 2
    end = fought(setup.params, setup.start._replace(garrison=3), 15, lost, nobody, 0)
    assert (end.camp, end.garrison, setup.relief.size - end.parted, end.stage) == (15, 6, 6, SEGMENT_BEGINS)
    inside = [bonus.value for bonus in setup.effect_of_garrison(end.garrison)]
    assert inside == [1]
    assert [bonus.value for bonus in setup.supply(end.garrison, 0)][-1] == -2


REFUSED = [
    (siege(RELIEF | {"round": 0}), "defender.relief.round: give either round (from 1) or chance"),
    (siege(RELIEF | {"chance": 0.5}), "defender.relief.round: give either round (from 1) or chance"),
    (siege(RELIEF | {"round": 4}), "defender.relief.round: 4 is not allowed: the siege has 3 rounds"),
    (siege(RELIEF | {"army_plus": 0}), "defender.relief: give at least one detachment"),
    (siege(RELIEF | {"exploration_detachments": 1}), "defender.relief.exploration_detachments: 1 is not allowed"),
    (siege(RELIEF | {"tercios": True, "technology": "medieval"}), "defender.relief.tercios"),
    (
        siege(RELIEF | {"round": 0, "chance": 0.5}, policy={"attacker": {"relief": "storm-first"}}),
        "policy.attacker.relief: 'storm-first' is not allowed with a chance",
    ),
    (siege(RELIEF, policy={"attacker": {"plan": "best"}}), "policy.attacker.plan: best is not offered beside"),
    (siege(RELIEF, policy={"attacker": {"break_off": "best"}}), "policy.attacker.break_off: best is not offered"),
    (siege(policy={"attacker": {"relief": "lift"}}), "policy.attacker.relief: 'lift' is not allowed without a relief"),
    (siege(policy={"defender": {"break_off": "always"}}), "policy.defender.break_off: 'always' is not allowed without"),
    (
        {"game": "europa", "battle": "siege", "attacker": FRENCH, "defender": {"relief": RELIEF}},
        "defender.relief: unknown field",
    ),
    (
        {"game": "europa", "battle": "expedition", "siege": {k: siege(RELIEF)[k] for k in ("attacker", "defender")}},
        "siege.defender.relief: not in an expedition",
    ),
]


@pytest.mark.parametrize(("scenario", "message"), REFUSED, ids=[message[:60] for _, message in REFUSED])
def test_refused(scenario, message):
    with pytest.raises(ScenarioError) as refused:
        load(scenario)
    assert str(refused.value).startswith(message)
