"""Game files to begin with: a commented one, and one from a spreadsheet of units."""

import tomllib

import pytest

from simulator import cli, exact
from simulator.cli.run import BAD_INPUT

SHEET = "name,cost,attack,defence,hits\nFoot,3,1,2,\nHeavy Horse,5.5,3,2,2\n"


def new(folder, monkeypatch, *arguments):
    monkeypatch.chdir(folder)
    return run("games", "new", *arguments)


def run(*arguments):
    """The exit status of a command."""
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    return ended.value.code or 0


def test_a_commented_file_answers_at_once(tmp_path, monkeypatch, capsys):
    assert new(tmp_path, monkeypatch, 'My "small" game') == 0
    file = tmp_path / "my-small-game.toml"
    assert str(file.name) in capsys.readouterr().out
    assert tomllib.loads(file.read_text())["name"] == 'My "small" game'
    assert run("games", "check", str(file)) == 0
    assert "note: " not in capsys.readouterr().out
    asked = {"game": str(file), "battle": "field", "attacker": {"cavalry": 1}, "defender": {"infantry": 1}}
    # The cavalry charges (1/2); then both fire each round, with 1/2 and 1/3, until one of them hits.
    alone, both, any_hit = 1 / 2 * 2 / 3, 1 / 2 * 1 / 3, 1 - 1 / 2 * 2 / 3
    assert exact(asked).winner("attacker") == pytest.approx(1 / 2 + 1 / 2 * alone / any_hit)
    assert exact(asked).winner("nobody") == pytest.approx(1 / 2 * both / any_hit)
    uphill = exact({**asked, "conditions": {"hill": True}}).winner("attacker")
    assert uphill == pytest.approx(1 / 3 + 2 / 3 * (1 / 3 * 2 / 3) / (1 - 2 / 3 * 2 / 3))


def test_a_spreadsheet_of_units_is_a_game(tmp_path, monkeypatch):
    (tmp_path / "units.csv").write_text(SHEET)
    assert new(tmp_path, monkeypatch, "Foot and Horse", "--units", "units.csv") == 0
    file = tmp_path / "foot-and-horse.toml"
    assert tomllib.loads(file.read_text())["unit"] == {
        "foot": {"name": "Foot", "cost": 3, "attack": 1, "defence": 2},
        "heavy_horse": {"name": "Heavy Horse", "cost": 5.5, "attack": 3, "defence": 2, "hits": 2},
    }
    asked = {"game": str(file), "battle": "field", "attacker": {"foot": 1}, "defender": {"foot": 1}}
    # Each round 1/6 and 1/3 at the same time: the attacker alone hits with 1/6 * 2/3, somebody with 1 - 5/6 * 2/3.
    assert exact(asked).winner("attacker") == pytest.approx((1 / 6 * 2 / 3) / (1 - 5 / 6 * 2 / 3))


def test_spreadsheets_write_marks_semicolons_and_other_words(tmp_path, monkeypatch):
    sheet = "\ufeffUnit;Price;Attack;Defense\r\nfoot;2,5;1;2\r\n;;;\r\n"
    (tmp_path / "units.csv").write_text(sheet, encoding="utf-8")
    assert new(tmp_path, monkeypatch, "a", "--units", "units.csv", "--out", "there.toml") == 0
    found = tomllib.loads((tmp_path / "there.toml").read_text())
    assert found["unit"] == {"foot": {"cost": 2.5, "attack": 1, "defence": 2}}


def test_cells_copied_from_a_sheet_and_letters_with_accents(tmp_path, monkeypatch):
    (tmp_path / "units.csv").write_text("name\tattack\tdefence\n\u00c9lite\t1\t2\n", encoding="utf-8")
    assert new(tmp_path, monkeypatch, "\u00c4rger", "--units", "units.csv") == 0
    found = tomllib.loads((tmp_path / "arger.toml").read_text("utf-8"))
    assert found["unit"] == {"elite": {"name": "\u00c9lite", "attack": 1, "defence": 2}}


def test_all_mistakes_of_a_sheet_at_once(tmp_path, monkeypatch, capsys):
    (tmp_path / "units.csv").write_text("name,cost,attack,defence\nfoot,x,7,1\nhorse,1,1,1\nHorse,1,1,1\n,1,1,1\n")
    assert new(tmp_path, monkeypatch, "a", "--units", "units.csv") == BAD_INPUT
    assert capsys.readouterr().err.splitlines() == [
        "units: line 2: cost: 'x' is not a number from 0 to 1,000,000",
        "units: line 2: attack: '7' is not a whole number from 0 to 6, as the dice have six sides",
        "units: line 4: name: 'Horse' stands in line 3 already",
        "units: line 5: no name",
    ]


REFUSED = {
    "no file": (None, "units: units.csv: cannot be read"),
    "not text": (b"\xff\xfe", "units: units.csv: not UTF-8"),
    "no column": (b"name,attack\nfoot,1", "units: line 1: no column 'defence'"),
    "an unknown column": (b"name,attack,defence,speed\nfoot,1,2,3", "units: line 1: column 'speed' is not one of"),
    "a column twice": (b"name,attack,attack,defence\nfoot,1,2,3", "units: line 1: column 'attack'"),
    "no rows": (b"name,attack,defence\n", "units: no rows"),
    "empty": (b"", "units: line 1: no column 'name'"),
    "no name": (b"name,attack,defence\n ,1,2", "units: line 2: no name"),
    "a word": (b"name,attack,defence\nfoot,1,2\nhorse,strong,2", "units: line 3: attack: 'strong' is not a whole"),
    "a fraction": (b"name,attack,defence\nfoot,1.5,2", "line 2: attack: '1.5' is not a whole number from 0 to 6"),
    "no value": (b"name,attack,defence\nfoot,,2", "units: line 2: attack: '' is not"),
    "no dice show it": (b"name,attack,defence\nfoot,7,2", "line 2: attack: '7' is not a whole number from 0 to 6"),
    "an infinite cost": (b"name,attack,defence,cost\nfoot,1,2,inf", "units: line 2: cost: 'inf' is not a number"),
    "no cost": (b"name,attack,defence,cost\nfoot,1,2,nan", "units: line 2: cost: 'nan' is not a number"),
    "no hits": (b"name,attack,defence,hits\nfoot,1,2,0", "units: line 2: hits: '0' is not a whole number from 1 to 20"),
    "more values": (b"name,attack,defence\nfoot,1,2,3", "units: line 2: 4 values for 3 columns"),
    "too many": (
        b"name,attack,defence\n" + b"".join(b"u%d,1,2\n" % i for i in range(65)),
        "units: 65 rows; a game file holds at most 64 units",
    ),
    "too large": (b"name,attack,defence\n" + b" " * 300_000, "units: units.csv: too large"),
    "nobody fires": (b"name,attack,defence\nfoot,0,0", "units: nobody rolls"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "complaint"), REFUSED.values(), ids=REFUSED)
def test_bad_sheets_are_refused_on_one_line(tmp_path, monkeypatch, capsys, content, complaint):
    if content is not None:
        (tmp_path / "units.csv").write_bytes(content)
    assert new(tmp_path, monkeypatch, "a", "--units", "units.csv") == BAD_INPUT
    [line] = capsys.readouterr().err.splitlines()
    assert complaint in line
    assert not (tmp_path / "a.toml").exists()


def test_a_file_that_is_there_is_kept(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.toml").write_text("mine")
    assert new(tmp_path, monkeypatch, "a") == BAD_INPUT
    assert "name: 'a.toml' is there already" in capsys.readouterr().err
    assert (tmp_path / "a.toml").read_text() == "mine"
    assert new(tmp_path, monkeypatch, "a", "--force") == 0
    assert new(tmp_path, monkeypatch, "...") == BAD_INPUT
