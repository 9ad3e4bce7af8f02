"""Aimed steps, checks, front pieces, ratios, hits that cancel (docs/rules/custom_games.md 2.6, 2.12 and section 5)."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator import ScenarioError, exact, load, replay, simulate
from simulator.analysis.odds.answer import explain
from simulator.rules.custom.game_file.describe import step_rows
from simulator.rules.custom.game_file.describe_rules import warnings
from simulator.rules.custom.game_file.files import read_game
from tests.custom.reference_format3 import Reference3
from tests.custom.table_top import fight
from tests.custom.test_reference import assert_alike, rows_of

WARHAMMER = tomllib.loads((Path(__file__).parent / "hit-wound-save.toml").read_text())
SQUADS = {"attacker": {"marine": 1, "gunner": 1}, "defender": {"guard": 2}}


def game(units, step, **more):
    rules = {"format": 3, "name": "Aimed", "unit": units, "battle": {"field": {}}, "step": [step]} | more
    return {"game": "custom", "battle": "field", "rules": rules}


def squads(**more):
    return {"game": "custom", "battle": "field", "rules": WARHAMMER} | SQUADS | more


@pytest.mark.parametrize(
    ("attacker", "defender", "chance"),
    [("marine", "guard", "8/27"), ("marine", "marine", "1/9"), ("gunner", "guard", "5/9"), ("gunner", "walker", "4/9")],
)
def test_hit_wound_save_by_hand(attacker, defender, chance):
    """Section 16: 4/6 x 4/6 x 4/6, and at a marine 4/6 x 3/6 x 2/6; example 24: the row melta, the column walker: 3."""
    lines = explain(squads(attacker={attacker: 1}, defender={defender: 1}))
    assert f"(chance {chance} a die" in next(line for line in lines if "shooting, attacker" in line)


def test_23_hit_wound_save():
    """Two marines and a gunner at four guards, who fire 1 each.

    4 hits, wounds with 3, the save 4 fails; 2 misses; 5, 2, and a save of 6 against 7.
    """
    given_ = squads(attacker={"marine": 2, "gunner": 1}, defender={"guard": 4}, options={"rounds": 1})
    end = fight(given_, {"attacker": [4, 3, 4, 2, 5, 2, 6], "defender": [1, 1, 1, 1]})
    assert (end["defender_guard_left"], end["attacker_units_lost"]) == (2, 0)


def test_25_the_second_die_is_thrown_at_the_next_piece():
    """A walker with 1 point left, then guards: 3, 5, 2 (save 3 fails); then 3, 3, 4 with a guard's numbers."""
    given_ = squads(attacker={"marine": 2}, defender={"guard": 2, "walker": 1, "damaged": {"walker": 7}})
    given_ |= {"policy": {"defender": {"loss_order": ["walker", "guard"]}}, "options": {"rounds": 1}}
    end = fight(given_, {"attacker": [3, 5, 2, 3, 3, 4], "defender": [1, 1, 1, 1, 1, 1]})
    assert (end["defender_walker_left"], end["defender_guard_left"]) == (0, 1)


DUEL = {
    "foot": {"cost": 1, "hits": 2, "absorb": "last", "combat": 8},
    "scout": {"cost": 2, "combat": 3},
}


def test_26_front_pieces():
    given_ = game(DUEL, {"name": "duel", "aim": "piece"}, dice={"sides": 20})
    given_ |= {"attacker": {"foot": 2}, "defender": {"foot": 1, "scout": 1}}
    rounds = ([5], [17]), ([12], [3]), ([8], [8]), ([2], [19])
    end = fight(given_, *({"attacker": mine, "defender": theirs} for mine, theirs in rounds))
    assert (end["winner"], end["rounds"]) == ("attacker", 4)
    assert (end["attacker_units_lost"], end["defender_units_lost"]) == (1, 2)


def test_27_front_stacks():
    """Three and two: 5 points; four gnolls miss, two, three, two: 7; three, three: 6; two, two, miss: 4."""
    given_ = stacks({"pikeman": 2}, {"gnoll": 4}) | {"options": {"rounds": 2}}
    strikes = {"attacker": [3, 2]}, {"defender": [1, 2, 3, 2]}, {"attacker": [3, 3]}, {"defender": [2, 2, 1]}
    end = fight(given_, *strikes)
    assert (end["defender_gnoll_left"], end["defender_gnoll_damage"]) == (3, 5)
    assert (end["attacker_pikeman_left"], end["attacker_pikeman_damage"]) == (1, 1)


def stacks(attacker, defender):
    """Heroes-like: the front stack strikes, what is left of its target strikes back."""
    symbols = {"pike": ["one", "two", "three"], "gnoll": ["miss", "two", "three"]}
    damage = {"two": 2, "three": 3}
    dice = {
        name: {"faces": faces, "damage": damage, "hits": {face: "all" for face in faces if face != "miss"}}
        for name, faces in symbols.items()
    }
    units = {
        "pikeman": {"cost": 60, "hits": 10, "absorb": "last", "combat": {"die": "pike", "split": True}},
        "gnoll": {"cost": 50, "hits": 6, "absorb": "last", "combat": {"die": "gnoll", "split": True}},
    }
    found = game(units, {"name": "strike", "fire": {"attacker": "attack"}, "aim": "kind"}, die=dice)
    found["rules"]["step"].append({"name": "retaliation", "fire": {"defender": "defence"}, "aim": "kind"})
    return found | {"attacker": attacker, "defender": defender}


def test_what_is_beyond_the_front_stack_is_lost():
    """Three, two and three are 8 points; the gnoll in front bears 6, the pikeman behind it stays whole."""
    given_ = stacks({"pikeman": 3}, {"gnoll": 1, "pikeman": 1}) | {"options": {"rounds": 1}}
    end = fight(given_, {"attacker": [3, 2, 3]}, {"defender": [1]})
    assert (end["defender_gnoll_left"], end["defender_pikeman_damage"]) == (0, 0)


def test_28_the_ratio_of_strengths():
    """Legion 4 against phalanx 3 + 2: 4/9 that the phalanx is hit."""
    units = {"legion": {"combat": {"bonus": 4}}, "phalanx": {"combat": {"bonus": 3}}}
    given_ = game(units, {"name": "round", "aim": "piece", "compare": {"ratio": True}})
    given_["rules"]["modifier"] = [{"side": "defender", "adds": 2}]
    given_ |= {"attacker": {"legion": 1}, "defender": {"phalanx": 1}}
    assert exact(given_).winner("attacker") == pytest.approx(4 / 9, abs=1e-12)


def test_a_side_may_throw_nothing_at_all_against_the_enemy():
    """Only foot fights, hitting with 3 or less of 6: guns are hit with 1/2, and throw no dice."""
    units = {"foot": {"cost": 2, "combat": 3}, "guns": {"cost": 5, "combat": 3}}
    step = {"name": "fight", "aim": "piece", "cancel": True, "by": ["foot"]}
    duel = game(units, step, die={"six": {"sides": 6}}, battle={"field": {"rounds": 1}})
    odds = exact(duel | {"attacker": {"foot": 1}, "defender": {"guns": 1}})
    assert (odds.mean("attacker_units_lost"), odds.mean("defender_units_lost")) == (0, 0.5)


def test_29_hits_that_cancel():
    """Warlords: legions 6 against infantry 7, two hits each: 9, 4; 3, 5; 8, 7; 10, 9; 2, 8; 6, 10."""
    units = {unit: {"hits": 2, "absorb": "last", "combat": n} for unit, n in (("legion", 6), ("infantry", 7))}
    given_ = game(units, {"name": "engagement", "aim": "piece", "cancel": True}, dice={"sides": 10})
    given_ |= {"attacker": {"legion": 2}, "defender": {"infantry": 1}}
    rounds = (9, 4), (3, 5), (8, 7), (10, 9), (2, 8), (6, 10)
    end = fight(given_, *({"attacker": [mine], "defender": [theirs]} for mine, theirs in rounds))
    assert (end["winner"], end["rounds"], end["attacker_legion_lost"]) == ("attacker", 6, 1)


UNITS = {
    "foot": {"cost": 2, "tags": ["men"], "hits": 2, "absorb": "last", "combat": 2, "rolls": {"shot": 1}},
    "guns": {"cost": 5, "attack": {"value": 3, "dice": 2}, "defence": {"value": 4, "damage": 2}, "rolls": {"shot": 3}},
    "scout": {"cost": 1, "tags": ["men"], "shield": 1, "combat": {"value": 3, "damage": 2, "split": True}},
    "lord": {"cost": 9, "hits": 3, "absorb": "last", "tags": ["leaders"], "attacker": {"combat": 5}},
}
CHECKS = {
    "wound": {"value": 3, "reroll": [6], "chart": {"guns": {"men": 5, "lord": 1}, "all": {"foot": 4}}},
    "save": {"save": True, "value": 2, "die": "ten", "chart": {"men": {"all": 4}}},
}
MODIFIERS = st.sampled_from(
    [
        {"adds": 1, "at_most": 1},
        {"dice": 1, "units": ["foot"], "whom": "enemy", "side": "defender"},
        {"checks": ["wound"], "adds": 1, "units": ["men"], "if_enemy_has": ["guns"]},
        {"checks": ["save"], "reroll": "misses", "side": "attacker", "steps": ["fight"]},
        {"checks": ["save"], "adds": -1, "whom": "enemy", "side": "attacker", "to_round": 1},
    ]
)
SUPPORTS = [{"from": ["lord"], "to": ["men"], "adds": 1, "each": 2}, {"from": ["men"], "to": ["men"], "dice": 1}]
ARMY = st.fixed_dictionaries({unit: st.integers(0, 1 + (unit in ("foot", "scout"))) for unit in UNITS}).filter(
    lambda army: sum(army.values()) - army["lord"]
)
LOSSES = st.sampled_from([{}, {"loss_order": ["foot", "guns", "scout"]}, {"keep": {"men": 1}}])
CANCEL = {"name": "fight", "aim": "piece", "cancel": True}
SHOT = {"fire": {"attacker": "shot", "defender": "shot"}}


@st.composite
def scenarios(draw):
    """A small game with aimed steps."""
    aim = draw(st.sampled_from(["first", "first", "kind", "piece"]))
    more = st.sampled_from([{}, {"checks": ["wound", "save"]}, {"spares": ["lord"]}, {"dice_at_most": 2}])
    fight = {"name": "fight", "aim": aim} | draw(more)
    steps = draw(
        st.sampled_from(
            [
                [fight],
                [fight | {"group": "g"}, SHOT | {"name": "shots", "aim": aim, "group": "g", "hits_only": ["men"]}],
                [SHOT | {"name": "shots", "aim": "first", "when": "before-battle", "hits_only": ["guns"]}, fight],
                [SHOT | {"name": "shots"}, fight | {"fire": {"defender": "defence"}}],
                [
                    {"name": "fight", "aim": "piece", "cancel": True, "by": ["foot", "lord", "scout"]},
                    SHOT | {"name": "shots"},
                ],
            ]
        )
    )
    battle = {"rounds": draw(st.integers(1, 3)), "may_retreat": ["attacker"], "attacker": {}, "defender": {}}
    if draw(st.booleans()):
        battle["attacker"] = {"fights": ["men", "guns"], "supports": ["lord"]}
    rules = {
        "format": 3,
        "name": "Aimed",
        "die": {"ten": {"sides": 10, "always_miss": [1]}},
        "unit": UNITS,
        "check": CHECKS,
        "battle": {"field": battle},
        "step": steps,
        "modifier": draw(st.lists(MODIFIERS, max_size=2)),
        "support": draw(st.sampled_from([[], SUPPORTS])),
    }
    if any(step.get("cancel") for step in steps):
        rules["unit"] = UNITS | {"scout": {"cost": 1, "tags": ["men"], "combat": 3}, "guns": {"cost": 5, "combat": 3}}
        rules["unit"]["guns"]["rolls"] = {"shot": 3}
    found = {"game": "custom", "battle": "field", "rules": rules}
    found |= {"attacker": draw(ARMY), "defender": draw(ARMY)}
    found["policy"] = {side: draw(LOSSES) for side in ("attacker", "defender")}
    if draw(st.integers(0, 3)) == 0:
        found["policy"]["attacker"] = found["policy"]["attacker"] | {"retreat": "outpowered"}
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(scenarios())
def test_random_games_against_the_slow_reference(scenario):
    assert_alike(rows_of(exact(scenario)), Reference3(scenario["rules"], scenario).table())


@pytest.mark.parametrize("compare", [{"ratio": True}, {"ties": "both"}, {"pairs": 2, "most": {"attacker": 2}}])
def test_front_pieces_that_compare_against_the_slow_reference(compare):
    units = {
        "legion": {"cost": 1, "hits": 2, "absorb": "last", "combat": {"bonus": 4, "dice": 2}},
        "phalanx": {"cost": 2, "combat": {"bonus": 2}, "attacker": {"attack": {"bonus": -3}}},
        "mob": {"cost": 3},
    }
    given_ = game(units, {"name": "round", "aim": "piece", "compare": compare})
    given_["rules"]["modifier"] = [{"side": "defender", "adds": 1, "units": ["legion"], "to_round": 1}]
    given_ |= {"attacker": {"legion": 1, "phalanx": 1, "mob": 1}, "defender": {"legion": 2, "phalanx": 1}}
    given_["options"] = {"rounds": 4}
    assert_alike(rows_of(exact(given_)), Reference3(given_["rules"], given_).table())


# --- properties ---
def test_a_check_that_always_passes_changes_nothing():
    units = {"foot": {"combat": 2}, "guns": {"cost": 1, "combat": {"value": 3, "damage": 2}}}
    armies = {"attacker": {"foot": 2, "guns": 1}, "defender": {"foot": 3, "guns": 1}}
    plain = game(units, {"name": "fight", "aim": "first"}) | armies
    step = {"name": "fight", "aim": "first", "checks": ["sure", "none"]}
    checked = game(units, step, check={"sure": {"value": 6}, "none": {"value": 0, "save": True}}) | armies
    assert_alike(rows_of(exact(checked)), rows_of(exact(plain)))


@pytest.mark.parametrize("aim", ["first", "kind"])
def test_with_one_kind_of_target_it_does_not_matter_who_is_aimed_at(aim):
    units = {"foot": {"hits": 2, "absorb": "last", "combat": {"value": 2, "damage": 2}}}
    armies = {"attacker": {"foot": 3}, "defender": {"foot": 2}}
    found, expected = (exact(game(units, {"name": "fight", "aim": one}) | armies) for one in (aim, "anyone"))
    assert_alike(rows_of(found), rows_of(expected))


def test_checks_equal_a_die_with_the_product_of_the_chances():
    armies = {"attacker": {"foot": 3}, "defender": {"foot": 4}}
    step = {"name": "fight", "aim": "first", "checks": ["wound", "save"]}
    checks = {"wound": {"value": 3}, "save": {"value": 2, "save": True}}
    checked = game({"foot": {"combat": 2}}, step, check=checks) | armies
    # 2/6 x 3/6 x 4/6 = 1/9
    product = game({"foot": {"combat": 1}}, {"name": "fight"}, dice={"sides": 9}) | armies
    assert_alike(rows_of(exact(checked)), rows_of(exact(product)))


def test_one_piece_a_side_is_the_front():
    armies = {"attacker": {"foot": 1}, "defender": {"foot": 1}}
    found, expected = (
        exact(game({"foot": {"combat": 2}}, {"name": "fight", "aim": aim}) | armies) for aim in ("piece", "anyone")
    )
    assert_alike(rows_of(found), rows_of(expected))


def test_simulated_battles_agree():
    odds, found = exact(squads()), simulate(squads(), 20_000, seed=1)
    assert abs(odds.winner("attacker") - found.winner("attacker")) < 0.015


# --- words ---
COMPARED = {"name": "fight", "aim": "piece", "compare": {}}
TOLD = [
    (squads(), "/"),
    (stacks({"pikeman": 2}, {"gnoll": 3}), "points"),
    (game({"foot": {"combat": 3}}, {"name": "fight", "aim": "piece", "cancel": True}), "hit"),
    (
        game({"foot": {"combat": {"bonus": 1}}}, {"name": "fight", "aim": "piece", "compare": {"ratio": True}}),
        "strength 1",
    ),
    (game({"foot": {"combat": {"bonus": 1}}}, {"name": "fight", "aim": "piece", "compare": {}}), "hit"),
]


@pytest.mark.parametrize(("scenario", "text"), TOLD)
def test_a_replay_tells_every_die(scenario, text):
    armies = {} if "attacker" in scenario else {"attacker": {"foot": 2}, "defender": {"foot": 2}}
    told = "\n".join(str(line) for line in replay(scenario | armies, seed=5).lines)
    assert text in told
    assert "?" not in told


def test_explained():
    lines = explain(squads())
    assert "each die at the piece that is next to fall; each hit must pass wound and save" in lines[0]


def test_what_games_check_says():
    file = read_game(WARHAMMER, "")
    assert "each die at the piece next to fall; each hit must pass wound, save" in [row[3] for row in step_rows(file)]
    assert warnings(file) == []
    idle = {"checks": ["save"], "adds": 1, "steps": ["retreat"]}
    step = {"name": "retreat", "fire": {"attacker": "fight"}}
    changed = WARHAMMER | {"modifier": [idle], "step": [*WARHAMMER["step"], step]}
    assert "modifier[0].checks: retreat throws no save" in warnings(read_game(changed, ""))
    checks = WARHAMMER["check"] | {"morale": {"value": 3}}
    assert "check.morale: no step throws it" in warnings(read_game(WARHAMMER | {"check": checks}, ""))


# --- refusals ---
STEP = {"name": "fight", "aim": "first", "checks": ["wound"]}
WOUND = {"wound": {"value": 3}}
ANY = {"foot": {"tags": ["men"], "combat": 3}}
BONUS = {"foot": {"combat": {"bonus": 1}}}
REFUSED = [
    (ANY, STEP, {}, "step[0].checks[0]"),
    (ANY, {"name": "fight", "checks": ["wound"]}, WOUND, "step[0].checks: is not allowed with aim"),
    (BONUS, {"name": "fight", "aim": "piece", "compare": {}, "checks": ["wound"]}, WOUND, "step[0].checks: "),
    (BONUS, {"name": "fight", "aim": "first", "compare": {}}, WOUND, "step[0].aim: first is not allowed"),
    (BONUS, {"name": "fight", "aim": "kind", "compare": {}}, WOUND, "step[0].aim: kind is not allowed"),
    (BONUS, {"name": "fight", "compare": {"ratio": True}}, WOUND, "step[0].compare.ratio: needs aim"),
    (BONUS, {"name": "fight", "aim": "piece", "compare": {"ratio": True, "pairs": 1}}, WOUND, "step[0].compare.pairs"),
    (ANY, {"name": "fight", "aim": "nobody"}, WOUND, "step[0].aim"),
    (ANY, {"name": "fight", "cancel": True}, WOUND, "step[0].cancel: needs aim"),
    (
        ANY,
        {"name": "fight", "aim": "piece", "cancel": True, "group": "g"},
        WOUND,
        "step[0].group: is not allowed beside",
    ),
    (ANY, {"name": "fight", "aim": "piece", "cancel": True, "order": "initiative"}, WOUND, "step[0].order"),
    (
        {"foot": {"combat": {"value": 1, "damage": 2}}},
        {"name": "f", "aim": "piece", "cancel": True},
        {},
        "step[0].cancel",
    ),
    ({"foot": {"hits": 2, "combat": 1}}, {"name": "fight", "aim": "piece"}, {}, "unit.foot.absorb: a step is aimed"),
    (ANY, STEP, {"wound": {}}, "check.wound.value"),
    (ANY, STEP, {"wound": {"value": 8}}, "check.wound.value"),
    (ANY, STEP, {"wound": {"value": 3, "die": "ten"}}, "check.wound.die"),
    (ANY, STEP, {"wound": {"value": 3, "chart": {"ghost": {}}}}, "check.wound.chart.ghost"),
    (ANY, STEP, {"wound": {"value": 3, "chart": {"men": {"ghost": 3}}}}, "check.wound.chart.men.ghost"),
    (ANY, STEP, {"wound": {"value": 3, "chart": {"all": {"foot": 8}}}}, "check.wound.chart.all.foot"),
    (ANY, STEP, {"wound": {"value": 3, "reroll": [7]}}, "check.wound.reroll[0]"),
]


def refusal(scenario):
    with pytest.raises(ScenarioError) as refused:
        load(scenario | {"attacker": {"foot": 1}, "defender": {"foot": 1}})
    return str(refused.value)


@pytest.mark.parametrize(("units", "step", "checks", "field"), REFUSED)
def test_refused_steps_and_checks(units, step, checks, field):
    assert refusal(game(units, step, check=checks)).startswith(f"rules.{field}")


@pytest.mark.parametrize(
    ("modifier", "field"),
    [
        ({"checks": ["save"], "adds": 1}, "checks[0]: no check 'save'"),
        ({"checks": ["wound"], "dice": 1}, "dice: is not allowed beside checks"),
        ({"checks": ["wound"], "adds": 1, "at_most": 1}, "at_most: is not allowed beside checks"),
        ({"checks": ["wound"], "adds": 1, "rolls": ["attack"]}, "rolls: is not allowed beside checks"),
    ],
)
def test_refused_modifiers_of_checks(modifier, field):
    assert refusal(game(ANY, STEP, check=WOUND, modifier=[modifier])).startswith(f"rules.modifier[0].{field}")


def test_refused_policies_and_groups():
    pieces = game(ANY, {"name": "fight", "aim": "piece"})
    for policy, field in (({"absorb": "first"}, "absorb"), ({"loss_order": "best"}, "loss_order")):
        text = refusal(pieces | {"policy": {"attacker": policy}})
        assert text.startswith(f"policy.attacker.{field}: ")
    group = game(ANY, {"name": "fight", "aim": "first", "group": "g"})
    group["rules"]["step"].append({"name": "more", "group": "g"})
    assert refusal(group).startswith("rules.step[1].aim: differs within group 'g'")


@pytest.mark.parametrize("key", ["aim", "checks", "cancel"])
def test_keys_of_format_3_are_unknown_below(key):
    value = {"aim": "first", "checks": [], "cancel": True}[key]
    assert refusal(game(ANY, {"name": "fight", key: value}, format=2)).startswith(f"rules.step[0].{key}: unknown")
    assert refusal(game(ANY, {"name": "fight"}, format=2, check=WOUND)).startswith("rules.check: unknown")
