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
