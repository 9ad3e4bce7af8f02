"""Kinds of several stages against the same stages asked one by one: expeditions, and natives converted and fought."""

import re
from collections import Counter, defaultdict

import pytest

from simulator import ScenarioError, exact, load
from simulator.rules.europa.land.tables import LandSetup
from simulator.rules.europa.passages import battles
from simulator.rules.europa.passages.expedition import Expedition
from simulator.rules.europa.passages.native_chain import ChainSetup
from simulator.rules.europa.passages.passage import Voyage
from simulator.rules.europa.procedures.overseas import Conquered
from simulator.rules.europa.tables import book
from tests.europa.scenarios import TROOPS, regrouped

GENERAL = {"manoeuvre": 3, "fire": 3, "shock": 3, "siege": 1}
PASSAGE = {
    "attacker": {"warships": 4, "transports": 3, "army_minus": 1, "land_detachments": 2, "leader": GENERAL},
    "conditions": {"sea_difficulty": 6, "mp": 7},
}
LAND = {
    "attacker": {"technology": "musket", "leader": GENERAL},
    "defender": {"land_detachments": 2, "leader": {"manoeuvre": 1, "fire": 2, "shock": 2}},
}
SIEGE = {
    "attacker": {"leader": GENERAL}, "defender": {"fortress_level": 1, "leader": "none"}, "conditions": {"rounds": 2},
}  # fmt: skip


def europa(battle, **fields):
    return {"game": "europa", "battle": battle, **fields}


def expedition(**stages):
    return europa("expedition", **stages)


def with_side(stage, **fields):
    return stage | {"attacker": stage["attacker"] | fields}


def rows(scenario, *columns):
    """The chance of each combination of these columns."""
    odds = exact(scenario)
    found = Counter()
    for *values, chance in zip(*(odds.readable_columns[name].tolist() for name in columns), odds.chances, strict=True):
        found[tuple(values)] += chance
    return found


GONE = [f"attacker_leader_{how}" for how in ("killed", "wounded", "captured")]


def stage_by_stage(counters, passage, land, siege):
    """Mean of what is left and landed, and the chances of all stages, each asked of its own kind (section 19)."""
    found = defaultdict(float)
    for (landed, thirds, forages, *troops), p in rows(
        europa("passage", **passage), "landed", "landed_thirds", "foraging", *(f"{name}_landed" for name in TROOPS)
    ).items():
        found["landed_thirds"] += p * thirds
        if not landed:
            continue
        found["landed"] += p
        ashore = with_side(land, foraging=forages, **dict(zip(TROOPS, troops, strict=True)))
        battle = europa("land", **ashore | {"conditions": land.get("conditions", {}) | {"crossing": "landing"}})
        for (winner, fought, idle, *fates), q in rows(
            battle, "winner", "attacker_left_thirds", "attacker_idle_thirds", *GONE
        ).items():
            left = fought + idle
            if winner != "attacker" or not left:
                found["left"] += p * q * left
                continue
            found["won_ashore"] += p * q
            leader = {"leader": "replacement"} if any(fates) else {}
            camp = with_side(siege, **leader, **regrouped(left, counters))
            for (fallen, after), r in rows(europa("siege-campaign", **camp), "fallen", "attacker_left_thirds").items():
                found["left"] += p * q * r * after
                found["fortress_taken"] += p * q * r * fallen
    return found


OVERSEAS = {"region": "rotw", "period": "II"}
EXPEDITIONS = {
    # Foraging after 7 movement points, a general who may be lost, counters that are regrouped twice.
    "in Europe": (1, PASSAGE, LAND, SIEGE),
    "past a patrol to a fort overseas": (
        2,
        {
            "attacker": {"warships": 6, "transports": 2, "army_minus": 2, "exploration_detachments": 1},
            "defender": {"interceptors": [{"warships": 2, "same_zone": True, "leader": "none"}]},
            "conditions": OVERSEAS | {"sea_difficulty": 5, "cold": 2},
        },
        {
            "attacker": {"technology": "arquebus", "leader": "none"},
            "defender": {"land_detachments": 1, "exploration_detachments": 1, "technology": "medieval"},
            "conditions": OVERSEAS | {"terrain": "swamp"},
        },
        {
            "attacker": {"technology": "arquebus", "leader": "none"},
            "defender": {"fortress_level": 0, "technology": "medieval", "leader": "none"},
            "conditions": OVERSEAS | {"rounds": 3, "supply_distance": 9},
        },
    ),
}


@pytest.mark.parametrize("name", EXPEDITIONS)
def test_an_expedition_is_its_stages_one_by_one(name):
    counters, *stages = EXPEDITIONS[name]
    whole = exact(expedition(**dict(zip(("passage", "land", "siege"), stages, strict=True))))
    parts = stage_by_stage(counters, *stages)
    for stage in ("landed", "won_ashore", "fortress_taken"):
        assert whole.p(stage) == pytest.approx(parts[stage], abs=1e-12)
    assert whole.mean("attacker_left_thirds") == pytest.approx(parts["left"], abs=1e-9)
    assert whole.mean("landed_thirds") == pytest.approx(parts["landed_thirds"], abs=1e-9)
    assert whole.winner("attacker") == pytest.approx(parts["fortress_taken"], abs=1e-12)
    passed = parts["landed"] + parts["won_ashore"] + parts["fortress_taken"]
    assert whole.mean("stages_passed") == pytest.approx(passed, abs=1e-9)


@pytest.mark.parametrize("name", ["land", "siege"])
def test_the_counters_of_the_first_stage_are_those_given(name):
    """They are regrouped after each stage: three ARMY- do not begin as an ARMY+ and an ARMY-."""
    stage = with_side({"land": LAND, "siege": SIEGE}[name], army_minus=3, country="france")
    stage |= {"conditions": {"period": "VI"}}
    alone = exact(europa({"land": "land", "siege": "siege-campaign"}[name], **stage)).winner("attacker")
    assert exact(expedition(**{name: stage})).winner("attacker") == pytest.approx(alone, abs=1e-12)


def test_an_expedition_to_a_city_overseas_meets_level_1():
    """Also where the city is given as level 0, and where the expedition never comes to it."""
    land = with_side(LAND, land_detachments=2) | {"conditions": {"region": "rotw"}}
    siege = SIEGE | {"conditions": {"rounds": 2, "region": "rotw", "city": True}}
    open_city = siege | {"defender": SIEGE["defender"] | {"fortress_level": 0}}
    walled, whole = (exact(expedition(land=land, siege=stage)) for stage in (siege, open_city))
    assert 0.05 < whole.p("fortress_taken") < 0.95
    assert whole.table.equals(walled.table)
    assert whole.mean("fortress_level_after") == 1


def test_y1_three_detachments_go_into_the_siege():
    asked = load(expedition(land=with_side(LAND, army_plus=1), siege=SIEGE))
    assert Expedition(asked.fields).counters("siege", 9) == (0, 1, 1, 0)


def test_y2_a_general_lost_ashore_is_replaced_in_the_siege():
    """Only if the siege names the same leader: another one is not gone with him."""
    leader = GENERAL | {"fire": 6}
    land = with_side(LAND, army_plus=1, leader=leader) | {"defender": {"land_detachments": 3, "leader": "none"}}
    siege = with_side(SIEGE, leader=leader) | {"policy": {"attacker": {"plan": "assault-at-once"}}}
    drawn, same, other = (
        exact(expedition(land=land, siege=with_side(siege, leader=value))).p("fortress_taken")
        for value in ("replacement", leader, leader | {"anonymous": True})
    )
    assert drawn < same < other


@pytest.mark.parametrize(
    ("general", "forages"),
    [
        ({"technology": "arquebus"}, False),
        ({"technology": "musket"}, True),
        ({"technology": "lace-war"}, False),
        ({"country": "turkey", "technology": "musket"}, False),
        ({"country": "turkey", "technology": "baroque", "turkish_reform": "m-1b"}, True),
        ({"country": "turkey-janissary", "technology": "musket"}, True),
    ],
)
def test_only_some_technologies_forage_after_a_landing(general, forages):
    """Timar by the technology that they are limited to."""
    passage = PASSAGE | {"conditions": {"sea_attrition": False, "mp": 7}}
    assert exact(europa("passage", **passage)).p("foraging") > 0
    asked = Expedition(load(expedition(passage=passage, land=with_side(LAND, **general))).fields)
    assert any(end.foraging for end in asked.follow(asked.start).weights) is forages


def test_troops_that_stand_by_come_along():
    """11 LD: 8 fight, 3 stand by and count among those left."""
    fields = {
        "attacker": {"army_plus": 2, "land_detachments": 3, "leader": "none"},
        "defender": {"land_detachments": 1, "leader": "none"},
    }
    alone, whole = exact(europa("land", **fields)), exact(expedition(land=fields))
    assert set(alone.columns["attacker_idle_thirds"]) == {9}
    assert whole.mean("attacker_left_thirds") == pytest.approx(alone.mean("attacker_left_thirds") + 9, abs=1e-9)
    assert set(whole.columns["landed_thirds"]) == {33}


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


REFUSED = {
    "passage": {},
    "land.attacker.army_plus": {
        "passage": {"attacker": {"warships": 3, "land_detachments": 1}},
        "land": {"attacker": {"army_plus": 1}, "defender": {"land_detachments": 1}},
    },
    "land.attacker.pasha_detachments": {
        "passage": {"attacker": {"warships": 3, "land_detachments": 1}},
        "land": {"attacker": {"country": "turkey", "pasha_detachments": 1}, "defender": {"land_detachments": 1}},
    },
    "siege.attacker": {
        "land": {
            "attacker": {"army_plus": 2, "country": "turkey", "pasha_detachments": 3},
            "defender": {"land_detachments": 1},
        },
        "siege": {"defender": {"fortress_level": 1}},
    },
    "siege.defender": {
        "siege": {"attacker": {"army_plus": 1}, "defender": {"fortress_level": 1, "land_detachments": 3}},
    },
    "land.attacker.land_detachments": {"land": {"defender": {"land_detachments": 1}}},
    "siege.attacker.land_detachments": {"siege": {"defender": {"fortress_level": 1}}},
    "land.conditions.crossing": {"passage": PASSAGE, "land": LAND | {"conditions": {"crossing": "landing"}}},
    "siege.policy.attacker.plan": {
        "land": with_side(LAND, army_plus=1), "siege": SIEGE | {"policy": {"attacker": {"plan": "best"}}}
    },
    "land.policy.defender.break_off": {
        "land": with_side(LAND, army_plus=1) | {"policy": {"defender": {"break_off": "best"}}}
    },
    "land.policy.attacker.overrun": {
        "passage": PASSAGE,
        "land": LAND | {"defender": {"land_detachments": 1}, "policy": {"attacker": {"overrun": "declare"}}},
    },
}  # fmt: skip


@pytest.mark.parametrize("field", REFUSED)
def test_an_expedition_refuses(field):
    with pytest.raises(ScenarioError) as refusal:
        load(expedition(**REFUSED[field]))
    assert str(refusal.value).startswith(f"{field}: ")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("scenario", "text"),
    [
        (expedition(), "passage: no stage is given; give at least one of passage, land, siege"),
        (
            expedition(land=with_side(LAND, army_plus=1), siege=with_side(SIEGE, army_plus=1)),
            "siege.attacker.army_plus: not allowed: the troops come from land",
        ),
        (
            expedition(**REFUSED["siege.policy.attacker.plan"]),
            "siege.policy.attacker.plan: best is not offered in an expedition",
        ),
    ],
)
def test_complaints_in_full(scenario, text):
    with pytest.raises(ScenarioError) as refusal:
        load(scenario)
    assert str(refusal.value) == text


def test_an_overrun_is_allowed_if_every_landing_is_large_enough():
    sea = {"attacker": PASSAGE["attacker"], "conditions": {"sea_attrition": False, "landing_attrition": False}}
    land = LAND | {"defender": {"land_detachments": 1}, "policy": {"attacker": {"overrun": "declare"}}}
    assert exact(expedition(passage=sea, land=land)).p("won_ashore") > 0.5


CONQUISTADOR = {"manoeuvre": 4, "fire": 3, "shock": 5, "siege": 2, "type": "conquistador"}
SPANIARDS = {"country": "spain", "technology": "arquebus", "leader": CONQUISTADOR}


def native_chain(conversion, **land):
    return europa("native-chain", conversion=conversion, land={"attacker": SPANIARDS} | land)


CHAINS = {
    "K1": ({"attacker": {"land_detachments": 2, "stats_sum": 14}, "defender": {"natives_detachments": 6}}, {}),
    "some stand by": (
        {
            "attacker": {"army_plus": 2, "land_detachments": 2, "exploration_detachments": 1, "stats_sum": 9},
            "defender": {"natives_detachments": 3, "natives_exploration": 1},
            "conditions": {"previous_uses": 2},
        },
        {"conditions": {"terrain": "swamp", "period": "II"}, "defender": {"leader": "none"}},
    ),
    "other defenders": (
        {"attacker": {"army_minus": 1, "missionary": True}, "defender": {"natives_detachments": 4}},
        {"defender": {"country": "minor", "technology": "renaissance", "veteran": True}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHAINS)
def test_a_native_chain_is_its_conversion_and_battles_one_by_one(name):
    """Those who resist intercept overseas: natives, medieval, no veterans, unless the scenario says otherwise."""
    conversion, land = CHAINS[name]
    defender = {"country": "natives", "technology": "medieval", "veteran": False} | land.get("defender", {})
    conditions = land.get("conditions", {}) | {"region": "rotw", "interception": True}
    troops = {key: value for key, value in conversion["attacker"].items() if key in TROOPS}
    expected = defaultdict(float)
    columns = "joiners_thirds", "resisters_thirds", "natives_removed_thirds"
    for (joiners, resisters, removed), p in rows(europa("conquistador", **conversion), *columns).items():
        for column, value in zip(columns, (joiners, resisters, removed), strict=True):
            expected[column] += p * value
        if not resisters:
            expected["attacker"] += p
            expected["attacker_left_thirds"] += p * (size(troops) + joiners)
            continue
        natives = {"land_detachments": resisters // 3, "exploration_detachments": resisters % 3}
        battle = exact(
            europa(
                "land", conditions=conditions, defender=defender | natives,
                attacker=SPANIARDS | troops | {"converted_natives_thirds": joiners},
            )
        )  # fmt: skip
        expected["battle"] += p
        expected["attacker"] += p * battle.winner("attacker")
        expected["killed"] += p * battle.p("attacker_leader_killed")
        for side in ("attacker", "defender"):
            left = battle.mean(f"{side}_left_thirds") + battle.mean(f"{side}_idle_thirds")
            expected[f"{side}_left_thirds"] += p * left
    odds = exact(native_chain(conversion, **land))
    assert odds.winner("attacker") == pytest.approx(expected.pop("attacker"), abs=1e-12)
    assert odds.p("battle") == pytest.approx(expected.pop("battle"), abs=1e-12)
    assert odds.p("attacker_leader_killed") == pytest.approx(expected.pop("killed"), abs=1e-12)
    for column, value in expected.items():
        assert odds.mean(column) == pytest.approx(value, abs=1e-9), column


def size(troops):
    """Thirds of these counters."""
    return sum(thirds * troops.get(name, 0) for name, thirds in zip(TROOPS, (12, 6, 3, 1), strict=True))


def test_k1_by_die():
    """Die 7: row 6, R30/D80; die 10: nobody is lost, all fight; 1 or 2: nobody resists, no battle."""
    chain = ChainSetup(load(native_chain(CHAINS["K1"][0])).fields)
    roll = chain.conversion.roll
    ends = {die: set(chain.conversion.ends(roll.after(die, die + roll.total))) for die in range(1, 11)}
    assert roll.total == -1
    assert ends[7] == {(3, 12)}
    assert ends[10] == {(0, 18)}
    assert {resisters for die in (1, 2) for _, resisters in ends[die]} == {0}
    battle = chain.battle(Conquered(3, 12))
    setup = LandSetup(battle)
    assert [stack.size for stack in setup.stacks] == [9, 12]
    assert setup.dice == [1, 1]
    assert (battle.defender.country, battle.defender.technology) == ("natives", "medieval")


def test_nobody_resists():
    """The attacker wins without a battle, his leader unharmed."""
    odds = exact(native_chain(CHAINS["K1"][0]))
    calm = odds.table[~odds.table["battle"]]
    assert set(calm["winner"]) == {"attacker"}
    assert not calm["attacker_leader_killed"].any()
    assert (calm["attacker_left_thirds"] == 6 + calm["joiners_thirds"]).all()


CONVERSION = CHAINS["K1"][0]
REFUSED_CHAINS = {
    "conversion.attacker.land_detachments": {"conversion": {"defender": {"natives_detachments": 2}}},
    "conversion.defender.natives_detachments": {"conversion": {"attacker": {"army_plus": 1}}},
    "conversion.conditions.previous_uses": {"conversion": CONVERSION | {"conditions": {"previous_uses": 21}}},
    "land.attacker.army_plus": {"attacker": SPANIARDS | {"army_plus": 1}},
    "land.attacker.pasha_detachments": {"attacker": {"pasha_detachments": 1, "country": "turkey"}},
    "land.attacker.converted_natives_thirds: not allowed": {"attacker": SPANIARDS | {"converted_natives_thirds": 3}},
    "land.defender.exploration_detachments": {"defender": {"exploration_detachments": 1}},
    "land.attacker.converted_natives_thirds": {"attacker": {"leader": {"type": "governor"}}},
    "land.attacker.leader": {"attacker": {"leader": "Cortesz"}},
    "land.policy.attacker.overrun": {"policy": {"attacker": {"overrun": "declare"}}},
    "land.policy.defender.evasion": {"policy": {"defender": {"evasion": "evade"}}},
    "land.policy.attacker.break_off": {"policy": {"attacker": {"break_off": "best"}}},
    "land.conditions.region": {"conditions": {"region": "rotw"}},
    "land.conditions.crossing": {"conditions": {"crossing": "river"}},
    "land.conditions.interception": {"conditions": {"interception": True}},
}


@pytest.mark.parametrize("field", REFUSED_CHAINS)
def test_a_native_chain_refuses(field):
    change = dict(REFUSED_CHAINS[field])
    with pytest.raises(ScenarioError) as refusal:
        load(native_chain(change.pop("conversion", CONVERSION), **change))
    assert str(refusal.value).startswith(field)
    assert "\n" not in str(refusal.value)


def test_an_overrun_of_natives_who_are_few_enough():
    """Of 1 LD at most 1 LD resists: 4 LD are always four times as many."""
    few = {"attacker": {"army_plus": 1, "stats_sum": 14}, "defender": {"natives_detachments": 1}}
    assert exact(native_chain(few, policy={"attacker": {"overrun": "declare"}})).winner("attacker") > 0.9


@pytest.mark.parametrize(
    ("stages", "sentence"),
    [
        (("land",), r"The troops win ashore in [\d.]+ %\."),
        (("siege",), r"The fortress is taken in [\d.]+ %, holds in [\d.]+ %\."),
        (("land", "siege"), r"The fortress is taken in [\d.]+ %; the troops win ashore in [\d.]+ %\."),
    ],
)
def test_an_expedition_without_a_passage_says_what_its_stages_bring(stages, sentence):
    """Line 1 names the stages that are given; no column of another is asked for."""
    of = {
        "land": {"attacker": {"army_minus": 1}, "defender": {"land_detachments": 1}},
        "siege": {
            "attacker": {} if "land" in stages else {"army_minus": 1},
            "defender": {"fortress_level": 1},
            "conditions": {"rounds": 1},
            "policy": {"attacker": {"plan": "assault-at-once"}},
        },
    }
    odds = exact({"game": "europa", "battle": "expedition"} | {stage: of[stage] for stage in stages})
    assert re.fullmatch(sentence, odds.headline.text)


# Numbers, policies and readings that the results of a battle at sea depend on.
OTHERS = {
    "attacker.warships": 5,
    "attacker.transports": 3,
    "attacker.land_detachments": 3,
    "attacker.leader": {"manoeuvre": 5, "fire": 1, "shock": 1},
    "defender.interceptors[0].warships": 2,
    "defender.interceptors[0].leader": {"manoeuvre": 5, "fire": 5, "shock": 5},
    "options.size_counts": "all",
    "options.destruction_is_rout": True,
    "options.rout_attrition_plus_two": True,
    "policy.attacker.losses": "transports-first",
    "policy.attacker.break_off": "always",
    "policy.defender.capture": "warships-first",
    "conditions.retreat_zones": 3,
}


def test_battles_of_passages_share_results_only_where_they_are_alike():
    """Results that were found after those of other passages are those found alone."""
    enemy = {"warships": 3, "leader": {"manoeuvre": 2, "fire": 2, "shock": 2}}
    one = load(PASSAGE | europa("passage", defender={"interceptors": [enemy]}))

    def fought(scenario):
        voyage = Voyage(scenario.fields, book(scenario.fields.options.tables))
        return battles.results(voyage.engagement(0, (0,), voyage.start.afloat, True))

    passages, found = [one, *(one.replace(path, value) for path, value in OTHERS.items())], []
    battles._results.cache_clear()
    for scenario in passages:
        found.append(fought(scenario))
    for scenario, shared in zip(passages, found, strict=True):
        battles._results.cache_clear()
        assert fought(scenario) == shared
    assert len({tuple(one.items()) for one in found}) > len(passages) / 2
