"""Bad game files and scenarios: one line, the field first (docs/rules/custom_games.md section 11)."""

import copy
import tomllib

import pytest

from simulator import ScenarioError, load
from simulator.rules.custom.game_file.files import shipped_text
from simulator.rules.sides import SIDES

SKIRMISH = tomllib.loads(shipped_text("skirmish"))
ARMIES = {"battle": "field", "attacker": {"pikes": 2}, "defender": {"pikes": 2}}


def refusal(data, **how):
    with pytest.raises(ScenarioError) as refused:
        load(data, **how)
    text = str(refused.value)
    assert "\n" not in text
    return text


def changed(path, value):
    """The skirmish with one key changed; `...` removes it."""
    game = copy.deepcopy(SKIRMISH)
    node = game
    *tables, last = path
    for key in tables:
        node = node.setdefault(key, {}) if isinstance(node, dict) else node[key]
    if value is ...:
        del node[last]
    else:
        node[last] = value
    return game


FILE = [
    (("format",), ..., "format"),
    (("format",), 4, "format"),
    (("format",), True, "format"),
    (("name",), ..., "name"),
    (("colour",), "red", "colour"),
    (("unit",), {}, "unit"),
    (("unit", "Foot"), {}, "unit.Foot"),
    (("unit", "foot-men"), {}, "unit.foot-men"),
    (("unit", "units"), {}, "unit.units"),
    (("unit", "modifiers"), {}, "unit.modifiers"),
    (("unit", "a" * 41), {}, "unit." + "a" * 41),
    (("unit", "pikes", "combat"), 8, "unit.pikes.combat"),
    (("unit", "pikes", "attack"), 11, "unit.pikes.attack"),
    (("unit", "pikes", "attack"), "8", "unit.pikes.attack"),
    (("unit", "pikes", "attack"), {"value": 0}, "unit.pikes.attack.value"),
    (("unit", "pikes", "attack"), {"value": 11}, "unit.pikes.attack.value"),
    (("unit", "pikes", "attack"), {"dice": 2}, "unit.pikes.attack.value"),
    (("unit", "pikes", "attack"), {"value": 8, "dice": 1001}, "unit.pikes.attack.dice"),
    (("unit", "pikes", "attack"), {"value": 8, "reroll": "hits"}, "unit.pikes.attack.reroll"),
    (("unit", "pikes", "attack"), {"value": 8, "reroll": [11]}, "unit.pikes.attack.reroll[0]"),
    (("unit", "pikes", "cost"), -1, "unit.pikes.cost"),
    (("unit", "pikes", "cost"), float("nan"), "unit.pikes.cost"),
    (("unit", "pikes", "hits"), 21, "unit.pikes.hits"),
    (("unit", "pikes", "tags"), ["all"], "unit.pikes.tags"),
    (("unit", "pikes", "tags"), ["knights"], "unit.pikes.tags"),
    (("unit", "pikes", "rolls"), {"attack": 3}, "unit.pikes.rolls.attack"),
    (("unit", "pikes", "rolls"), {"Shot": 3}, "unit.pikes.rolls.Shot"),
    (("dice", "sides"), 1, "dice.sides"),
    (("dice", "sides"), 1001, "dice.sides"),
    (("dice", "hit"), "below", "dice.hit"),
    (("dice", "always_miss"), [10], "dice.always_miss"),
    (("dice", "always_hit"), [11], "dice.always_hit[0]"),
    (("dice", "clamp"), [3], "dice.clamp"),
    (("dice", "clamp"), [5, 3], "dice.clamp"),
    (("dice", "clamp"), [0, 12], "dice.clamp[1]"),
    (("battle",), {}, "battle"),
    (("battle", "Field"), {}, "battle.Field"),
    (("battle", "field", "rounds"), 0, "battle.field.rounds"),
    (("battle", "field", "attacker"), {"fights": ["ghosts"]}, "battle.field.attacker.fights[0]"),
    (("battle", "field", "attacker"), {"fights": []}, "battle.field.attacker.fights"),
    (("battle", "field", "defender"), {"fights": ["foot"], "supports": ["pikes"]}, "battle.field.defender.supports"),
    (("battle", "field", "taken_by"), ["flying"], "battle.field.taken_by[0]"),
    (("battle", "field", "may_retreat"), ["both"], "battle.field.may_retreat[0]"),
    (("battle", "siege"), {}, None),
    (("step",), [{"name": "fire", "battle": ["feild"]}], "step[0].battle[0]"),
    (("step",), [], "step"),
    (("step", 1, "name"), "volley", "step[1].name"),
    (("step", 1, "battle"), ["siege"], "step[1].battle[0]"),
    (("step", 0, "when"), "before-battle", "step[0].to_round"),
    (("step", 0, "from_round"), 3, "step[0].to_round"),
    (("step", 0, "fire"), {}, "step[0].fire"),
    (("step", 0, "fire"), {"defender": "flak"}, "step[0].fire.defender"),
    (("step", 0, "spares"), ["leader", "ghosts"], "step[0].spares[1]"),
    (("step", 0, "dice_at_most"), {}, "step[0].dice_at_most"),
    (("step", 0, "dice_at_most"), {"own": ["foot"], "enemy": ["foot"]}, "step[0].dice_at_most"),
    (("step", 0, "initiative"), 3, "step[0].initiative"),
    (("support", 0, "to"), ["pikes", "captain"], "support[0].to"),
    (("support", 0, "sets"), 5, "support[0].sets"),
    (("support", 0, "adds"), ..., "support[0].sets"),
    (("support", 0, "adds"), 21, "support[0].adds"),
    (("support", 0, "from"), ..., "support[0].from"),
    (("support", 0, "rolls"), ["flak"], "support[0].rolls[0]"),
    (("support", 0, "steps"), ["melée"], "support[0].steps[0]"),
    (("modifier", 0, "adds"), ..., "modifier[0]"),
    (("modifier", 0, "if_condition"), {"snow": True}, "modifier[0].if_condition.snow"),
    (("modifier", 0, "if_condition"), {"terrain": ["hill", "sea"]}, "modifier[0].if_condition.terrain"),
    (("modifier", 2, "if_condition"), {"rain": "yes"}, "modifier[2].if_condition.rain"),
    (("modifier", 0, "to_round"), 101, "modifier[0].to_round"),
    (("modifier", 3, "reroll"), [11], "modifier[3].reroll[0]"),
    (("condition", "Rain"), {}, "condition.Rain"),
    (("condition", "rain", "default"), "no", "condition.rain.default"),
    (("condition", "terrain", "default"), "sea", "condition.terrain.default"),
    (("condition", "terrain", "choices"), ["open", "open"], "condition.terrain.choices"),
    (("condition", "terrain", "choices"), ["open"], "condition.terrain.choices"),
    (("losses", "order"), ["pikes", "ghosts"], "losses.order[1]"),
    (("losses", "order"), ["pikes", "pikes"], "losses.order[1]"),
    (("losses", "order"), {"attacker": ["pikes", "pikes"]}, "losses.order.attacker[1]"),
    (("losses", "order"), "random", "losses.order"),
    (("losses", "last"), {"defender": ["ghosts"]}, "losses.last.defender[0]"),
]


@pytest.mark.parametrize(("path", "value", "field"), FILE, ids=lambda part: str(part)[:40])
def test_game_files(path, value, field):
    scenario = ARMIES | {"game": "custom", "rules": changed(path, value)}
    if field is None:
        assert load(scenario)
        return
    assert refusal(scenario).startswith(f"rules.{field}: ")


def test_complaints_tell_what_a_name_is_and_how_many_fit():
    answer = refusal(ARMIES | {"game": "custom", "rules": changed(("step", 0, "name"), "Volley")})
    assert answer.startswith("rules.step[0].name: 'Volley' is not allowed; give a name (small letters, ")
    crowd = {f"u{i}": {"combat": 1} for i in range(65)}
    assert refusal(ARMIES | {"game": "custom", "rules": changed(("unit",), crowd)}).endswith("give a table of 1 to 64")


def test_a_condition_that_no_rule_reads_names_its_values():
    game = changed(("condition", "season"), {"choices": ["summer", "winter"]})
    answer = refusal(ARMIES | {"game": "custom", "rules": game, "conditions": {"season": "fog"}})
    assert answer == "conditions.season: 'fog' is not allowed; must be one of summer, winter"


def test_a_kind_without_a_step():
    game = changed(("battle", "siege"), {})
    for step in game["step"]:
        step["battle"] = ["field"]
    assert refusal(ARMIES | {"game": "custom", "rules": game}).startswith("rules.battle.siege: ")


@pytest.mark.parametrize(
    ("groups", "field"),
    [
        ([("a", "each-round"), (None, "each-round"), ("a", "each-round")], "rules.step[2].group"),
        ([("a", "before-battle"), ("a", "each-round")], "rules.step[1].when"),
    ],
)
def test_groups_stand_together(groups, field):
    steps = [{"name": f"s{i}", "when": when} | ({"group": g} if g else {}) for i, (g, when) in enumerate(groups)]
    game = SKIRMISH | {"step": steps, "modifier": [], "support": []}
    assert refusal(ARMIES | {"game": "custom", "rules": game}).startswith(f"{field}: ")


SHIPS = tomllib.loads(shipped_text("eclipse-second-dawn"))
SPACE = {"battle": "space", "attacker": {"cruiser": 1}, "defender": {"ancient": 1}}
COMPARE = {"name": "melee", "fire": {"attacker": "ram", "defender": "ram"}, "compare": {}}
# Units have rolls of 0 too, so that steps may fire them.
RAM = {"rolls": {"ram": {"bonus": 1}, "ion": 0}}


def ships(**changes):
    """Eclipse with units, steps or dice changed."""
    game = copy.deepcopy(SHIPS) | {key: value for key, value in changes.items() if key != "unit"}
    for key, more in changes.get("unit", {}).items():
        game["unit"][key] |= more
    return game


FORMAT_2 = [
    (ships(die={"d": {}}), "die.d: give exactly one of sides, faces"),
    (ships(die={"D": {"sides": 6}}), "die.D: "),
    (ships(die={"d": {"sides": 1001}}), "die.d.sides: "),
    (ships(die={"d": {"sides": 4, "always_hit": [5]}}), "die.d.always_hit[0]: 5 "),
    (ships(die={"d": {"sides": 4, "hits": {"a": "all"}}}), "die.d.hits: is for dice with faces"),
    (ships(die={"d": {"faces": ["a"], "hits": {"a": "all"}}}), "die.d.faces: "),
    (ships(die={"d": {"faces": ["a", "b"]}}), "die.d.hits: is needed"),
    (ships(die={"d": {"faces": ["a", "b"], "hits": {}}}), "die.d.hits: "),
    (ships(die={"d": {"faces": ["a", "b"], "hits": {"a": ["ghost"]}}}), "die.d.hits.a[0]: no unit or tag 'ghost'"),
    (ships(die={"d": {"faces": ["a", "b"], "hits": {"a": "all"}, "damage": {"c": 2}}}), "die.d.damage.c: no face 'c'"),
    (ships(die={"d": {"faces": ["a", "b"], "hits": {"a": "all"}, "clamp": [1, 2]}}), "die.d.clamp: is for dice with"),
    (ships(unit={"cruiser": {"rolls": {"ion": {"value": 6, "die": "x"}}}}), "unit.cruiser.rolls.ion.die: no die 'x'"),
    (
        ships(die={"d": {"sides": 4}}, unit={"cruiser": {"rolls": {"ion": {"value": 5, "die": "d"}}}}),
        "unit.cruiser.rolls.ion.value: 5 is not allowed; give a whole number from 1 to 4",
    ),
    (
        ships(
            die={"d": {"faces": ["a", "b"], "hits": {"a": "all"}}},
            unit={"cruiser": {"rolls": {"ion": {"damage": 2, "die": "d"}}}},
        ),
        "unit.cruiser.rolls.ion.damage: is not allowed beside a symbol die (d)",
    ),
    (ships(unit={"cruiser": {"rolls": {"ion": {"dice": 2}}}}), "unit.cruiser.rolls.ion.value: is needed"),
    (ships(unit={"cruiser": {"rolls": {"ram": {"bonus": 1, "damage": 2}}}}), "unit.cruiser.rolls.ram.damage: "),
    (ships(unit={"cruiser": {"rolls": {"ram": {"bonus": 21}}}}), "unit.cruiser.rolls.ram.bonus: 21 "),
    (ships(unit={"cruiser": {"rolls": {"ion": {"value": 6, "damage": 21}}}}), "unit.cruiser.rolls.ion.damage: 21 "),
    (ships(unit={"cruiser": {"shield": 21}}), "unit.cruiser.shield: 21 "),
    (ships(unit={"cruiser": {"initiative": True}}), "unit.cruiser.initiative: true "),
    (ships(unit={"cruiser": {"attacker": {"tags": []}}}), "unit.cruiser.attacker.tags: unknown field"),
    (ships(unit={"cruiser": {"attacker": {"combat": 5, "attack": 5}}}), "unit.cruiser.attacker.combat: "),
    (
        ships(unit={"cruiser": {"rolls": {"ion": {"value": 6, "damage": 2}}, "defender": {"absorb": "first"}}}),
        "unit.cruiser.defender.absorb: ",
    ),
    (ships(step=[{"name": "ions", "ties": "attacker"}]), "step[0].ties: "),
    (ships(step=[COMPARE | {"group": "g"}], unit={"cruiser": RAM, "ancient": RAM}), "step[0].group: "),
    (ships(step=[COMPARE | {"order": "initiative"}], unit={"cruiser": RAM}), "step[0].order: "),
    (ships(step=[COMPARE | {"dice_at_most": {"own": []}}], unit={"cruiser": RAM}), "step[0].dice_at_most: "),
    (ships(step=[COMPARE | {"fire": {"attacker": "ram"}}], unit={"cruiser": RAM}), "step[0].fire: "),
    (ships(step=[COMPARE | {"compare": {"pairs": 11}}], unit={"cruiser": RAM}), "step[0].compare.pairs: 11 "),
    (
        ships(step=[{"name": "ions", "fire": {"attacker": "ram"}}], unit={"cruiser": RAM}),
        "step[0].fire.attacker: ram of cruiser: a bonus is for steps that compare dice",
    ),
    (ships(support=[{"from": ["ship"], "to": ["base"], "stack": "s"}]), "support[0].sets: give exactly one of sets"),
    (ships(support=[{"from": ["ship"], "to": ["ship"], "dice": 1}]), "support[0].to: "),
    (ships(losses={"chosen_by": "nobody"}), "losses.chosen_by: "),
]


@pytest.mark.parametrize(("game", "complaint"), FORMAT_2, ids=[complaint[:40] for _, complaint in FORMAT_2])
def test_game_files_of_format_2(game, complaint):
    assert refusal(SPACE | {"game": "custom", "rules": game}).startswith(f"rules.{complaint}")


@pytest.mark.parametrize(
    ("side", "policy", "complaint"),
    [
        ("attacker", {"target_order": ["ancient", "ship"]}, "target_order[1]: nobody who may fight there"),
        ("attacker", {"target_order": ["ancient", "ancient"]}, "target_order[1]: 'ancient' stands there twice"),
        ("defender", {"keep": {"neutral": 1}}, "keep: the enemy orders the losses of the defender"),
        ("defender", {"loss_order": "weakest"}, "loss_order: the enemy orders the losses of the defender"),
    ],
)
def test_losses_that_the_enemy_orders(side, policy, complaint):
    data = SPACE | {"game": "eclipse-second-dawn", "policy": {side: policy}}
    assert refusal(data).startswith(f"policy.{side}.{complaint}")


def test_heavy_damage_is_taken_piece_by_piece():
    rules = {"unit": {"cruiser": {"rolls": {"plasma": {"value": 5, "damage": 2}}}}}
    data = SPACE | {"game": "eclipse-second-dawn", "rules": rules, "policy": {"attacker": {"absorb": "first"}}}
    assert refusal(data).startswith("policy.attacker.absorb: first is not allowed")


def test_keys_of_format_2_are_unknown_in_format_1():
    for path, value in [
        (("unit", "pikes", "shield"), 1),
        (("unit", "pikes", "attack"), {"value": 8, "damage": 2}),
        (("unit", "pikes", "attack"), {"bonus": 1}),
        (("step", 0, "order"), "initiative"),
        (("support", 0, "stack"), "s"),
        (("losses", "chosen_by"), "enemy"),
        (("die",), {"d": {"sides": 8}}),
    ]:
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
        assert refusal(ARMIES | {"game": "custom", "rules": changed(path, value)}).startswith(f"rules{where}")
    answer = refusal(ARMIES | {"game": "custom", "rules": changed(("unit", "pikes", "combta"), 3)})
    assert answer.endswith("allowed here: name, cost, tags, hits, absorb, attack, defence, combat, rolls")
    data = {"game": "skirmish"} | ARMIES | {"policy": {"attacker": {"target_order": ["pikes"]}}}
    assert refusal(data).startswith("policy.attacker.target_order: unknown field")


SCENARIO = [
    ({"game": "skirmisch"}, "game: 'skirmisch' is not allowed"),
    ({"game": 3}, "game: "),
    ({"game": "custom"}, "rules: "),
    ({"rules": []}, "rules: "),
    ({"rules": {"unit": {"pikes": {"attack": 11}}}}, "rules.unit.pikes.attack: 11 "),
    ({"battle": "siege"}, "battle: 'siege' is not allowed; must be one of field"),
    ({"attacker": ...}, "attacker: "),
    ({"attacker": {}}, "attacker: no fighting unit"),
    ({"defender": {"pikes": 0}}, "defender: no fighting unit"),
    ({"attacker": {"pikes": 1001}}, "attacker.pikes: 1001 "),
    ({"attacker": {"pikes": True}}, "attacker.pikes: true "),
    ({"attacker": {"pike": 3}}, "attacker.pike: unknown field; did you mean pikes? "),
    ({"attacker": {"pikes": 1, "modifier": 21}}, "attacker.modifier: 21 "),
    ({"attacker": {"pikes": 1, "modifiers": [{"units": ["foot"]}]}}, "attacker.modifiers[0]: "),
    ({"attacker": {"pikes": 1, "modifiers": [{"adds": 1, "side": "both"}]}}, "attacker.modifiers[0].side: "),
    ({"attacker": {"pikes": 1, "modifiers": [{"adds": 1, "units": ["ghost"]}]}}, "attacker.modifiers[0].units[0]: "),
    ({"attacker": {"pikes": 1, "modifiers": [{"adds": 1, "steps": ["ghost"]}]}}, "attacker.modifiers[0].steps[0]: "),
    ({"conditions": {"snow": True}}, "conditions.snow: "),
    ({"conditions": {"terrain": "sea"}}, "conditions.terrain: 'sea' "),
    ({"conditions": {"rain": 1}}, "conditions.rain: 1 "),
    ({"policy": {"attacker": {"retreat": "sometimes"}}}, "policy.attacker.retreat: "),
    ({"policy": {"attacker": {"retreat": ["never", "outnumbered"]}}}, "policy.attacker.retreat: "),
    ({"policy": {"attacker": {"retreat": []}}}, "policy.attacker.retreat: "),
    ({"policy": {"attacker": {"retreat": "odds-below"}}}, "policy.attacker.odds_below: "),
    ({"policy": {"attacker": {"units_at_most": 3}}}, "policy.attacker.units_at_most: "),
    ({"policy": {"defender": {"loss_order": ["pikes", "ghosts"]}}}, "policy.defender.loss_order[1]: "),
    ({"policy": {"defender": {"loss_order": ["pikes", "pikes"]}}}, "policy.defender.loss_order[1]: "),
    ({"policy": {"defender": {"keep": {"ghosts": 1}}}}, "policy.defender.keep: no unit or tag 'ghosts'"),
    ({"policy": {"defender": {"keep": {"foot": 0}}}}, "policy.defender.keep.foot: 0 "),
    ({"options": {"dice": "loaded"}}, "options.dice: "),
    ({"options": {"rounds": 0}}, "options.rounds: "),
    ({"weather": "fair"}, "weather: unknown field"),
]


@pytest.mark.parametrize(("change", "answer"), SCENARIO, ids=str)
def test_scenarios(change, answer):
    data = {"game": "skirmish"} | ARMIES | change
    assert refusal({key: value for key, value in data.items() if value is not ...}).startswith(answer)


@pytest.mark.parametrize("entry", ["sea", "submarine"])
def test_units_that_cannot_be_there_are_not_kept(entry):
    """`keep` of ships in a land battle was read and had no effect."""
    land = {"game": "axis-and-allies-1942", "battle": "land"} | {side: {"infantry": 2} for side in SIDES}
    kept = land | {"policy": {"attacker": {"keep": {entry: 1}}}}
    assert refusal(kept) == f"policy.attacker.keep: nobody who may fight there is called '{entry}', or tagged so"


def test_built_in_games_know_no_rules():
    data = {"game": "risk", "battle": "land", "attacker": {"regiments": 3}, "defender": {"regiments": 2}, "rules": {}}
    assert refusal(data).startswith("rules: unknown field")


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        (b"format = 1\nname = \n", "game: ./g.toml: not valid TOML: Invalid value (at line 2, column 8)"),
        (b"\xff\xfe", "game: ./g.toml: not valid TOML: "),
        (b"a = " + b"[" * 100_000, "game: ./g.toml: not valid TOML: "),
        (b"#" * 300_000, "game: ./g.toml: too large"),
        (
            b"format = 1\nname = 'x'\n[unit.a]\ncombat = 7\n[battle.f]\n[[step]]\nname = 's'",
            "game: ./g.toml: unit.a.combat: 7 ",
        ),
        (
            b"format = 1\nname = 'x'\n[unit.a]\nshield = 1\n[battle.f]\n[[step]]\nname = 's'",
            "game: ./g.toml: unit.a.shield: unknown field; needs format = 2; allowed here: ",
        ),
        (
            b"format = 1\nname = 'x'\n[unit.a]\ncombta = 7\n[battle.f]\n[[step]]\nname = 's'",
            "game: ./g.toml: unit.a.combta: ",
        ),
    ],
)
def test_game_files_that_cannot_be_read(tmp_path, content, answer):
    (tmp_path / "g.toml").write_bytes(content)
    assert refusal({"game": "./g.toml"} | ARMIES, folder=tmp_path).startswith(answer)


@pytest.mark.parametrize("path", ["./none.toml", "../..", "/", "none.toml", "a\\b", "\0/x"])
def test_paths_to_nothing(tmp_path, path):
    answer = refusal({"game": path} | ARMIES, folder=tmp_path)
    assert answer.startswith("game: ")
    assert "cannot be read: " in answer


def test_losses_with_too_many_ways_are_refused_at_once():
    data = {"game": "axis-and-allies-1942", "battle": "land", "policy": {"attacker": {"loss_order": "best"}}}
    data |= {"attacker": {"infantry": 50, "tank": 40, "fighter": 10}, "defender": {"infantry": 80, "fighter": 20}}
    with pytest.raises(ValueError, match=r"^policy\.attacker\.loss_order: best: too many units"):
        load(data).built


def test_the_schema_knows_who_may_retreat():
    from simulator.scenarios import find_battle
    from simulator.scenarios.schema import field_rows

    rows = {row.path: row.takes for row in field_rows(find_battle("axis-and-allies-1942", "land"))}
    assert "outnumbered" in rows["policy.attacker.retreat"]
    assert "outnumbered" not in rows["policy.defender.retreat"]


def test_the_format_is_shown_as_toml_has_it():
    answer = refusal({"game": "custom", "rules": {"format": True, "name": "x"}} | ARMIES)
    assert answer == "rules.format: true is not allowed; this version reads format = 1, format = 2 and format = 3"
