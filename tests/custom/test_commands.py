"""`battle-odds games`, `schema` of game files, waves on the command line, replays."""

import json

import pytest

from simulator import load, replay, survival
from simulator.cli.run import BAD_INPUT
from simulator.rules.custom.game_file.describe import line_of
from simulator.rules.custom.game_file.files import names, shipped_text


def test_games_lists_game_files_beside_the_built_in_ones(battle_odds):
    status, out, _ = battle_odds("games", "--json")
    rows = json.loads(out)
    assert status == 0
    assert {"risk", *names()} <= {row["game"] for row in rows}
    assert {"game": "skirmish", "battle": "field", "title": "a battle in the field", "file": True} in rows


@pytest.mark.parametrize("name", names())
def test_show_and_check(battle_odds, name):
    assert battle_odds("games", "show", name)[1] == shipped_text(name)
    status, out, _ = battle_odds("games", "check", name, "--json")
    answer = json.loads(out)
    assert status == 0
    assert answer["units"] and answer["steps"] and answer["battles"]  # noqa: PT018


def test_check_derives_the_chances_of_dice(battle_odds, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    _, out, _ = battle_odds("games", "check", "skirmish")
    assert "attack at 8 or more (3/10)" in out
    assert "combat at 7 or more, reroll misses (16/25)" in out
    assert "rounds 1 to 2" in out


def test_check_shows_rules_as_understood(battle_odds, monkeypatch):
    monkeypatch.setenv("COLUMNS", "150")
    _, out, _ = battle_odds("games", "check", "axis-and-allies-1940")
    assert "fighter: +1 for tactical_bomber" in out
    assert "stack combined-arms: each unit once" in out
    assert "note: " not in out
    _, out, _ = battle_odds("games", "check", "eclipse-second-dawn")
    assert "by initiative, equal ones: the defender first" in out
    assert "ordered by the enemy" in out


def test_check_warns_of_rules_that_never_apply(battle_odds, tmp_path):
    file = tmp_path / "dead.toml"
    file.write_text(
        shipped_text("skirmish").replace('rolls = ["volley"]', 'rolls = ["volley"]\nsteps = ["melee"]')
        + '[condition.snow]\n[[support]]\nfrom = ["captain"]\nto = []\nadds = 1\n'
        + '[[step]]\nname = "ram"\nfire = { attacker = "volley" }\nby = ["pikes"]\n'
        + "[[modifier]]\nto_round = 3\nfrom_round = 3\nadds = 1\nrolls = ['volley']\nsteps = ['volley']\n"
    )
    status, out, _ = battle_odds("games", "check", str(file), "--json")
    assert status == 0
    assert [line.partition(": ")[0] for line in json.loads(out)["warnings"]] == [
        "step[2] (ram)",
        "support[1].to",
        "modifier[2].rolls",
        "modifier[4]",
        "condition.snow",
    ]


@pytest.mark.parametrize("name", names())
def test_shipped_games_have_no_dead_rules(battle_odds, name):
    assert json.loads(battle_odds("games", "check", name, "--json")[1])["warnings"] == []


def test_check_names_the_line(battle_odds, tmp_path):
    file = tmp_path / "mine.toml"
    for text, answer in [
        (shipped_text("skirmish").replace("attack = 8", "attack = 80"), "line 17: unit.pikes.attack: 80 "),
        (shipped_text("skirmish").replace('spares = ["leader"]', 'spares = ["ghost"]'), "step[0].spares[0]: no unit"),
        ("format = 1\nname = ", "not valid TOML: Invalid value (at end of document)"),
        ("", "format: is needed"),
    ]:
        file.write_text(text)
        status, _, err = battle_odds("games", "check", str(file))
        assert status == BAD_INPUT
        assert answer in err
        assert err.count("\n") == 1


def test_lines_of_keys():
    text = "format = 1\n[unit.a]\ncombat = 1\n[[step]]\nname = 'x'\n[[step]]\nname = 'y'\nspares = ['a']\n"
    assert line_of(text, "unit.a.combat") == 3
    assert line_of(text, "unit.a.cost") == 2
    assert line_of(text, "step[1].spares[0]") == 8
    assert line_of(text, "step[0].name") == 5
    assert line_of(text, "losses.order") is None


def test_schemas(battle_odds):
    _, out, _ = battle_odds("schema", "skirmish", "field")
    assert "attacker: knights 0-1000 (cost 6, 2 dice 6+, 2 hits)" in out
    _, out, _ = battle_odds("schema", "skirmish", "field", "--all")
    assert "attacker.knights" in out
    assert "conditions.terrain" in out
    _, out, _ = battle_odds("schema", "game-file", "--json")
    assert {"unit", "battle", "step", "support", "modifier", "condition", "losses"} <= set(
        json.loads(out)["properties"]
    )


def test_waves_on_the_command_line(battle_odds):
    status, out, _ = battle_odds("campaign", "axis-land-flak", "axis-land-flak", "--json")
    assert status == 0
    assert sum(json.loads(out)["table"]["p"]) == pytest.approx(1)


@pytest.mark.parametrize("name", ["axis-landing", "skirmish-charge", "twilight-space", "axis-sea-wolfpack"])
def test_a_replay_ends_as_it_tells(name):
    answer = replay(name, seed=3, battle=5)
    assert answer.outcome["winner"] in {"attacker", "defender", "nobody"}
    assert any(line.startswith("Round 1") for line in answer.lines)
    assert "hit" in answer.lines[0]


def test_pieces_survive_as_units_are_left():
    scenario = load("skirmish-charge")
    from simulator import exact

    odds, found = exact(scenario), survival(scenario)
    for side in ("attacker", "defender"):
        expected = odds.mean(f"{side}_units_left")
        assert sum(piece.p for piece in found.pieces if piece.side == side) == pytest.approx(expected)


def test_keys_of_the_game_file_are_fields_of_rules(battle_odds):
    attack = "rules.unit.infantry.attack"
    status, out, _ = battle_odds("need", "axis-land-artillery", "--vary", attack, "--target", "95%")
    assert (status, out.startswith("3 for the attack of the infantry is enough: ")) == (0, True)
    status, out, _ = battle_odds("sensitivity", "axis-land-artillery", "--fields", "rules.unit.infantry", "--json")
    assert {row["path"] for row in json.loads(out)["table"]} >= {attack, "rules.unit.infantry.hits"}
    status, _, error = battle_odds("sweep", "axis-land-artillery", "--vary", "dice.sides=6,8")
    assert status == BAD_INPUT
    assert error.startswith("dice.sides: unknown field; did you mean rules.dice.sides?")
    status, _, error = battle_odds("sensitivity", "axis-land-artillery", "--fields", "rules.step[0].to_round")
    assert (status, error.startswith("fields: rules.step[0].to_round is no field")) == (BAD_INPUT, True)
