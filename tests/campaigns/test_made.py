"""Ordinary scenarios as campaigns, in Python and on the command line (docs/rules/campaigns.md section 4.4)."""

import copy
import json
import re
import shlex
import tomllib

import pytest

from simulator import campaign, exact, load, simulate
from simulator.scenarios import ScenarioError
from simulator.scenarios.files import toml_text
from simulator.scenarios.reading import read_value

AXIS = {"game": "axis-and-allies-1942", "battle": "land"}
ATTACK = AXIS | {
    "attacker": {"infantry": 4, "artillery": 2, "tank": 2, "fighter": 1},
    "defender": {"infantry": 4, "tank": 1},
}
RESERVES = {"attacker.infantry": 2, "attacker.tank": 2}
SEA = {"game": "price-of-power", "battle": "naval", "attacker": {"light": 2}, "defender": {"light": 1}}
RAID = {"game": "kings-and-things", "battle": "land", "attacker": {"creatures": ["4", "2"]}}
RAID |= {"defender": {"creatures": ["3"], "fort": "tower"}}
CLASH = {"game": "birthright", "battle": "quick-battle", "attacker": {"units": ["2 x infantry"]}}
CLASH |= {"defender": {"units": ["infantry"]}}
PIECES = {"regiments", "light", "creatures", "units", "land_detachments"}
FIELD = {"game": "europa", "battle": "land", "attacker": {"country": "france", "army_minus": 1, "leader": "none"}}
FIELD |= {"defender": {"country": "spain", "land_detachments": 1, "leader": "none"}}


def risk(attacker, defender, **more):
    return {"game": "risk", "battle": "land", "attacker": {"regiments": attacker}} | {
        "defender": {"regiments": defender} | more
    }


@pytest.fixture
def battle_odds(battle_odds, tmp_path, monkeypatch):
    """The command in a folder with two scenarios, at 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name, scenario in {"attack.toml": ATTACK, "risk.toml": risk(5, 4)}.items():
        (tmp_path / name).write_text(toml_text(scenario), encoding="utf-8")
    return battle_odds


def test_the_counter_attack_is_example_1():
    """Aircraft stay out; docs/rules/campaigns.md section 1."""
    ours, example = exact(campaign(ATTACK, counter_attack=True, join=RESERVES)), exact("campaign-counter-attack")
    assert ours.winner("attacker") == pytest.approx(example.winner("attacker"), abs=1e-12)
    assert ours.mean("attacker_cost_lost") == pytest.approx(example.mean("red_cost_lost"), abs=1e-12)


def test_game_and_kind_are_read_in_capitals_as_elsewhere():
    """A campaign refused them, and a counter-attack was a KeyError."""
    shouted = ATTACK | {"game": ATTACK["game"].upper(), "battle": ATTACK["battle"].upper()}
    assert campaign(ATTACK, shouted) == campaign(ATTACK, ATTACK)
    assert campaign(shouted, counter_attack=True, join=RESERVES) == campaign(ATTACK, counter_attack=True, join=RESERVES)


def test_all_may_defend():
    some, every = (exact(campaign(ATTACK, counter_attack=True, join=RESERVES, all_defend=x)) for x in (False, True))
    assert every.winner("attacker") > some.winner("attacker") + 0.01


def test_the_counter_attack_may_be_a_scenario():
    """In it the defender attacks; its other fields are those of this fight alone."""
    counter = AXIS | {"attacker": {"infantry": 2, "tank": 2}, "defender": {"infantry": 1}}
    counter |= {"policy": {"attacker": {"retreat": "outnumbered"}}}
    made = campaign(ATTACK, counter_attack=counter).data
    fight = made["fight"][1]
    assert fight["attacker"] == {"force": "defender", "join": {"infantry": 2, "tank": 2}}
    assert fight["defender"] == {"force": "attacker", "join": {"infantry": 1}, "stay": {"fighter": "all"}}
    assert fight["policy"] == counter["policy"]
    assert (fight["name"], fight["if"]) == ("counter", "fight1_taken")
    assert made["goal"] == "fight1_taken and not counter_won"


def test_the_units_of_provinces_fight_in_a_campaign_too():
    """Novgorod (2 + 1) and Pskov (1) give infantry: the first fight has the odds of the same battle alone."""
    alone, join = exact("power-novgorod"), {"attacker.infantry": 3}
    made = exact(campaign("power-novgorod", counter_attack=True, join=join))
    assert made.p("fight1_won") == pytest.approx(alone.winner("attacker"), abs=1e-12)
    given = copy.deepcopy(campaign("power-novgorod", counter_attack=True, join=join).data)
    given["fight"][0]["defender"]["npr"] = {"provinces": [{"name": "Novgorod"}]}
    with pytest.raises(ScenarioError, match="npr: a force has units; give those that npr-defence computes"):
        load(given)


def test_the_first_line_names_the_realm_and_says_never_once(battle_odds):
    strikes = ("--counter-attack", "--join", "attacker.infantry=3", "--quiet")
    assert battle_odds("campaign", "power-italian-war", *strikes)[1].startswith("France takes it in 99.81 % and still")
    never = ("--set", "attacker.infantry=1", "--set", "attacker.tank=0", "--set", "attacker.fighter=0")
    never += ("--set", "attacker.artillery=0", "--set", "defender.tank=40")
    status, line, _ = battle_odds("campaign", "attack.toml", *never, *strikes)
    assert (status, line) == (0, "The attacker never takes it.\n")


def test_the_goal_asks_for_a_won_fight_where_nothing_is_taken():
    made = campaign(risk(4, 3), counter_attack=True, join={"attacker.regiments": 2}).data
    assert made["goal"] == "fight1_won and not counter_won"


NOBODY = "join: nobody of the defender is left to strike back; say who comes, "
COMERS = [
    (ATTACK, None, "for example --join attacker.infantry=3"),
    (ATTACK, {"defender.infantry": 2}, "for example --join attacker.infantry=3"),
    (ATTACK, {"attacker.infantry": 0}, "for example --join attacker.infantry=3"),
    (ATTACK, AXIS | {"defender": {"infantry": 2}}, "in its scenario, for example attacker.infantry=3"),
    (risk(4, 3), None, "for example --join attacker.regiments=3"),
    (SEA, None, "for example --join attacker.galleys=3"),
    (FIELD, None, "for example --join attacker.land_detachments=3"),
    (RAID, None, "for example --join 'attacker.creatures=[\"3\"]'"),
    (CLASH, None, "for example --join 'attacker.units=[\"3 x levies\"]'"),
    ("twilight-space", None, "for example --join attacker.fighter=3"),
    ("axis-sea-wolfpack", None, "for example --join attacker.submarine=3"),
    ("power-barbary", None, "for example --join attacker.light=3"),  # pirates have nothing else
    ("power-novgorod", None, "for example --join attacker.infantry=3"),  # an NPR, whose provinces gave its units
    ("risk-sea-battle", None, "for example --join attacker.fleets=1"),  # a player has at most four fleets
    ("twilight-space-cannon", None, "for example --join attacker.fighter_2=3"),  # which stand in the place of fighters
]


@pytest.mark.parametrize(("first", "more", "example"), COMERS, ids=[case[2] for case in COMERS])
def test_somebody_must_strike_back(first, more, example):
    """Nobody of the beaten side is left; the example is the cheapest unit that may attack, and is accepted."""
    asked = {"counter_attack": more} if more and "game" in more else {"counter_attack": True, "join": more}
    with pytest.raises(ScenarioError) as refused:
        campaign(first, **asked)
    assert str(refused.value) == NOBODY + example
    path, _, few = shlex.split(example)[-1].partition("=")
    assert campaign(first, counter_attack=True, join={path: read_value(few, "--join")})


@pytest.mark.parametrize(
    ("first", "why"),
    [
        ("risk-when-to-stop", "policy.attacker.retreat: best is not offered inside a campaign"),
        ("power-three-realms", "defender.factions: a force is one realm; give a force to each"),
        ("knt-ten-against-a-citadel", "attacker.creatures: 11 people are more than options.stack_limit = 10; "),
    ],
)
def test_where_nobody_may_come_the_reason_stands_in_place_of_an_example(first, why):
    with pytest.raises(ScenarioError, match=f"^{re.escape(why)}"):
        campaign(first, counter_attack=True)


def test_two_fighters_take_nothing():
    fighters = AXIS | {"attacker": {"fighter": 2}, "defender": {"infantry": 1}}
    held = exact(campaign(fighters, counter_attack=True, join={"attacker.infantry": 5}))
    assert held.winner("attacker") == 0
    assert held.p("fight1_won") == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("scenario", [risk(4, 3), SEA, RAID, CLASH, FIELD], ids=lambda one: one["game"])
def test_one_fight_in_every_game(scenario):
    alone, whole = exact(scenario), exact(campaign(scenario))
    for side in ("attacker", "defender", "nobody"):
        assert whole.winner(side) == pytest.approx(alone.winner(side), abs=1e-12)
    join = {f"attacker.{name}": scenario["defender"][name] for name in PIECES & scenario["defender"].keys()}
    back = exact(campaign(scenario, counter_attack=True, join=join))
    assert back.p("counter_fought or counter_winner != 'none'") == pytest.approx(alone.winner("attacker"), abs=1e-12)


def test_battles_in_turn():
    """4 v 3, then what is left with 2 more: the sum over all survivors."""
    first, whole = exact(risk(4, 3)), exact(campaign(risk(4, 3), risk(2, 1)))
    expected = 0.0
    for p, a, d in zip(
        first.chances, first.columns["attacker_regiments_left"], first.columns["defender_regiments_left"], strict=True
    ):
        # A beaten side has nobody left; an attack to the end leaves one side.
        expected += p * exact(risk(int(a) + 2, int(d) + 1)).winner("attacker")
    assert whole.winner("attacker") == pytest.approx(expected, abs=1e-12)


def test_rounds_of_all_fights_are_summed():
    one, two = (AXIS | {"attacker": {"infantry": n}, "defender": {"infantry": 1}} for n in (2, 1))
    whole = exact(campaign(one, two))
    apart = campaign(one, two).replace("columns", ["fight1_rounds", "fight2_rounds"])
    parts = [exact(apart).mean(f"fight{number}_rounds") for number in (1, 2)]
    assert whole.mean("rounds") == pytest.approx(sum(parts), abs=1e-12)
    dice = simulate(campaign(one, two), 2_000, seed=3)
    assert abs(dice.mean("rounds") - whole.mean("rounds")) < 4.5 * whole.std("rounds") / 2_000**0.5


def test_traits_that_hold_in_both_roles_are_kept_and_conditions_too():
    scenario = risk(4, 3, modifier_all=1)
    scenario |= {"options": {"ties": "attacker"}}
    made = campaign(scenario, counter_attack=True, join={"attacker.regiments": 1}).data["fight"][1]
    assert made["attacker"] == {"force": "defender", "modifier_all": 1, "join": {"regiments": 1}}
    assert made["options"] == {"ties": "attacker"}


def test_items_of_one_fight_stay_in_it():
    data = json.loads(json.dumps(RAID))
    data["attacker"]["items"] = ["balloon", "talisman"]
    made = campaign(data, counter_attack=True, join={"attacker.creatures": ["2"]}).data
    assert made["force"]["attacker"] == {"creatures": ["4", "2"], "items": ["talisman"]}
    assert made["fight"][0]["attacker"] == {"force": "attacker", "items": ["balloon"]}
    assert made["fight"][1]["defender"] == {"force": "attacker"}


def test_a_fort_that_is_there_twice_is_one_fort():
    assert exact(campaign(RAID, RAID)).p("defender_fort_level_left > 1") == 0


def test_a_siege_follows_a_battle():
    siege = {"game": "europa", "battle": "siege-campaign", "attacker": {"leader": "none"}, "conditions": {"rounds": 1}}
    siege |= {"defender": {"fortress_level": 1, "country": "spain", "leader": "none"}}
    made = campaign(FIELD, siege).data
    assert made["fight"][1]["defender"] == siege["defender"]
    assert made["fight"][1]["if"] == "defender_units_here == 0"
    assert made["fight"][1]["attacker"] == {"force": "attacker", "leader": "none"}


def test_a_siege_waits_until_no_enemy_is_there(battle_odds, tmp_path):
    """The Price of Power, 3 v 5: most battles leave the enemy in the area."""
    power = {"game": "price-of-power"}
    land = power | {"battle": "land", "attacker": {"infantry": 3}, "defender": {"infantry": 5}}
    siege = power | {"battle": "siege", "attacker": {"infantry": 1}, "defender": {"provinces": [{"name": "A"}]}}
    for name, one in {"land.toml": land, "siege.toml": siege}.items():
        (tmp_path / name).write_text(toml_text(one), encoding="utf-8")
    answer = battle_odds("campaign", "land.toml", "siege.toml", "--save", "plan.toml")[1]
    assert "fight2: is not fought unless nobody of the defender is there" in answer
    assert tomllib.loads((tmp_path / "plan.toml").read_text(encoding="utf-8"))["fight"][1]["if"] == (
        "defender_units_here == 0"
    )
    odds = exact(campaign(land, siege))
    assert odds.p("fight2_fought") == pytest.approx(odds.p("defender_units_here == 0")) == pytest.approx(0.15067100)
    assert "if" not in campaign(siege).data["fight"][0]


def test_a_campaign_is_returned_as_it_is():
    assert campaign("campaign-two-fronts") == load("campaign-two-fronts")


CHAIN = "is a chain itself; write its battles as fights (campaigns.md section 6)"
REFUSED = [
    ((), {}, "campaign: give one or more scenarios"),
    (("power-campaign-naples",), {}, f"campaign: power-campaign-naples {CHAIN}"),
    (("europa-cadiz-1596",), {}, f"campaign: europa-cadiz-1596 {CHAIN}"),
    (("risk-path",), {}, f"campaign: risk-path {CHAIN}"),
    (("campaign-two-fronts", "risk-20v15"), {}, f"campaign: campaign-two-fronts {CHAIN}"),
    (("risk-20v15", "axis-land-flak"), {}, "game: axis-land-flak is of another game; the battles of a campaign share"),
    ((risk(2, 1),), {"counter_attack": AXIS}, "game: scenario 2 is of another game"),
    ((risk(2, 1), risk(-1, 1)), {}, "attacker.regiments: -1 is not allowed; give a whole number from 0 to 1000"),
    ((risk(2, 1), risk(1, 1, tank=1)), {}, "defender.tank: unknown field; "),
    ((risk(2, 0, tank=1),), {}, "defender.tank: unknown field; "),
    ((AXIS | {"attacker": 3},), {"counter_attack": True}, "attacker: 3 is not allowed; give a table"),
    ((risk(2, 1) | {"battle": "sea"},), {}, "battle: 'sea' is not allowed; must be one of land"),
    ((risk(2, 1),), {"counter_attack": "risk-path"}, f"campaign: risk-path {CHAIN}"),
    (("power-three-realms",), {}, "defender.factions: a force is one realm"),
    (("knt-three-kings",), {}, "battle: free-for-all is not fought in a campaign"),
    ((risk(2, 1),), {"join": {"attacker.regiments": 1}}, "join: goes with a counter-attack"),
    ((risk(2, 1),), {"counter_attack": risk(1, 1), "join": {}}, "join: list the pieces in its scenario"),
    ((risk(2, 1),), {"all_defend": True}, "all_defend: goes with a counter-attack"),
    ((risk(2, 1),), {"counter_attack": True, "join": {"regiments": 1}}, "join: 'regiments' is not allowed; name the"),
    (
        (risk(2, 1),),
        {"counter_attack": True, "join": {"attacker.tank": 1}},
        "join.attacker.tank: no such piece; pieces",
    ),
    (
        (risk(2, 1),),
        {"counter_attack": True, "join": {"attacker.regiments": "x"}},
        "join.attacker.regiments: 'x' is not allowed; give a whole number",
    ),
    (("power-siege-lombardy",), {"counter_attack": True}, "counter_attack: a siege has no defenders who could attack"),
]


@pytest.mark.parametrize(("scenarios", "more", "text"), REFUSED, ids=[case[2][:50] for case in REFUSED])
def test_refusals(scenarios, more, text):
    with pytest.raises(ScenarioError) as refused:
        campaign(*scenarios, **more)
    assert str(refused.value).startswith(text)


def test_a_complaint_names_the_scenario():
    with pytest.raises(ScenarioError, match=r"^attacker.regiments: .* \(in scenario 2, with all that may be left\)$"):
        campaign(risk(2, 1), risk(-1, 1))


def test_one_line_of_typing(battle_odds):
    status, out, _ = battle_odds(
        "campaign", "attack.toml", "--counter-attack", "--join", "attacker.infantry=2", "--join", "attacker.tank=2"
    )
    first = " ".join(out.split("\n \n")[0].split("\n  ")[0].split())
    assert status == 0
    assert first.startswith(
        "The attacker takes it in 99.16 % and still holds it after the counter-attack in 79.56 %. "
        "The attacker (4 infantry, 2 artillery, 2 tanks, 1 fighter) attacks the defender (4 infantry, 1 tank), then, "
        "with the roles swapped and if fight 1 takes the land, the defender (2 infantry, 2 tanks more) attacks the "
        "attacker. The goal: fight 1 takes the land and the counter-attack is not won"
    )


def test_the_scenario_of_the_counter_attack_follows_the_option(battle_odds):
    """`A B --counter-attack` are two battles and a counter-attack, `A --counter-attack B` a battle and B."""
    reserve = ("--join", "attacker.regiments=2")
    fights = [
        [fight.get("name") for fight in json.loads(battle_odds(*words, "--json")[1])["scenario"]["fight"]]
        for words in (
            ("campaign", "risk.toml", "risk.toml", "--counter-attack", *reserve),
            ("campaign", "risk.toml", "--counter-attack", "risk.toml"),
            ("campaign", "--counter-attack", "risk.toml", *reserve),
        )
    ]
    assert fights == [[None, None, "counter"], [None, "counter"], [None, "counter"]]


def test_a_campaign_is_saved_and_goes_on(battle_odds, tmp_path):
    asked = ("campaign", "attack.toml", "--counter-attack", "--join", "attacker.tank=3", "--quiet")
    _, out, err = battle_odds(*asked, "--save", "plan.toml")
    assert err == ""
    assert battle_odds("odds", "plan.toml", "--quiet")[1] == out
    assert battle_odds("campaign", "plan.toml", "--quiet")[1] == out
    kept = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert tomllib.loads(kept) == campaign(ATTACK, counter_attack=True, join={"attacker.tank": 3}).data
    assert battle_odds(*asked, "--save", "plan.toml") == (
        2,
        "",
        "save: 'plan.toml' is there already; --force overwrites it\n",
    )


@pytest.mark.parametrize("more", [["--save", "plan.txt"], ["--join", "attacker.zeppelin=1", "--save", "plan.toml"]])
def test_nothing_is_written_for_bad_input(battle_odds, tmp_path, more):
    status, out, err = battle_odds("campaign", "attack.toml", "--counter-attack", *more)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert not list(tmp_path.glob("plan*"))


def test_a_game_file_beside_the_scenario_is_found_from_elsewhere(battle_odds, tmp_path):
    """`--save` into another folder: the path of the game file is relative to it."""
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "mine.toml").write_text(battle_odds("games", "show", "skirmish")[1], encoding="utf-8")
    battle = {"game": "./mine.toml", "battle": "field", "attacker": {"pikes": 2}, "defender": {"pikes": 1}}
    (tmp_path / "game" / "a.toml").write_text(toml_text(battle), encoding="utf-8")
    save = ("--quiet", "--save", "plan.toml")
    answer = battle_odds("campaign", "game/a.toml", "--counter-attack", "--join", "attacker.pikes=1", *save)
    assert answer[0] == 0
    assert battle_odds("odds", "plan.toml", "--quiet")[1] == answer[1]


def test_pieces_that_are_not_known(battle_odds, tmp_path):
    unknown = risk(5, 4) | {"attacker": {"regiments": {"mix": {"5": 0.5, "6": 0.5}}}}
    (tmp_path / "unknown.toml").write_text(toml_text(unknown), encoding="utf-8")
    out = battle_odds("campaign", "unknown.toml", "--counter-attack", "--join", "attacker.regiments=2")[1]
    held = [campaign(risk(n, 4), counter_attack=True, join={"attacker.regiments": 2}) for n in (5, 6)]
    mean = sum(exact(one).winner("attacker") for one in held) / 2
    assert f"{mean:.2%}".replace("%", " %") in out


def test_a_game_that_is_no_name():
    with pytest.raises(ScenarioError, match=r"^game: \[\] is not allowed"):
        campaign("risk-20v15", {"game": [], "battle": "land"})
