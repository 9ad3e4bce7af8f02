"""Every mistake of a game file in one run, one line each."""

from simulator import cli
from simulator.cli.run import BAD_INPUT

MISTAKES = """format = 2
name = "Mistakes"
unit = { foot = { combat = 2 }, guns = { combat = 3 } }
battle.field = {}
battle.wood = {}
step = [{ name = "one", by = ["feet"] }, { name = "two", fire = { attacker = "flak" } }, { name = "two" }]
support = [{ from = ["foot"], to = ["gun"], adds = 1 }, { from = ["guns"], to = ["foot"], sets = 9 }]
modifier = [{ units = ["foot"] }, { adds = 1, steps = ["three"] }]
losses = { order = ["foots"] }
"""
FIELDS = ("step[0].by[0]", "step[1].fire.attacker", "step[2].name", "support[0].to[0]", "support[1].sets")
FIELDS += ("modifier[0]", "modifier[1].steps[0]", "losses.order[0]")


def test_games_check_names_all_mistakes(tmp_path, capsys):
    file = tmp_path / "game.toml"
    file.write_text(MISTAKES, encoding="utf-8")
    assert cli.run(["games", "check", str(file)]) == BAD_INPUT
    said = capsys.readouterr().err
    for field in FIELDS:
        assert f"{field}: " in said, field


def test_a_kind_that_no_step_names_is_not_refused_for_a_misspelt_one(tmp_path, capsys):
    file = tmp_path / "game.toml"
    file.write_text(MISTAKES.replace('by = ["feet"]', 'battle = ["feld"]'), encoding="utf-8")
    cli.run(["games", "check", str(file)])
    said = capsys.readouterr().err
    assert "step[0].battle[0]: " in said
    assert "battle.field: " not in said


def said_of(tmp_path, capsys, text):
    file = tmp_path / "game.toml"
    file.write_text(text, encoding="utf-8")
    assert cli.run(["games", "check", str(file)]) == BAD_INPUT
    return [line.split(": ")[2] for line in capsys.readouterr().err.splitlines()]


def test_mistakes_of_dice_and_units_do_not_hide_others(tmp_path, capsys):
    wrong = MISTAKES.replace("guns = { combat = 3 }", 'guns = { combat = 9 }, wall = { tags = ["foot"] }')
    assert said_of(tmp_path, capsys, wrong) == ["unit.guns.combat", "unit.wall.tags", *FIELDS]


def test_wrong_numbers_and_unknown_keys_do_not_hide_others(tmp_path, capsys):
    wrong = MISTAKES.replace("battle.field = {}", "battle.field = { rounds = 0, colour = 1 }")
    found = said_of(tmp_path, capsys, wrong)
    assert sorted(found[:2]) == ["battle.field.colour", "battle.field.rounds"]
    assert found[2:] == [*FIELDS]


def test_a_table_with_a_wrong_number_has_no_other_line(tmp_path, capsys):
    wrong = MISTAKES.replace('by = ["feet"]', 'by = ["feet"], from_round = 0')
    assert said_of(tmp_path, capsys, wrong) == ["step[0].from_round", *FIELDS[1:]]


def test_where_a_name_is_missing_only_types_are_refused(tmp_path, capsys):
    assert said_of(tmp_path, capsys, MISTAKES.replace('name = "Mistakes"\n', "")) == ["name"]
