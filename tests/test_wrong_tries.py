"""First tries of new users, and the reply: the answer, or a line that says how to ask for it."""

import re
import subprocess
import sys

import pytest

from simulator import GAMES, odds, risk, skirmish
from simulator.scenarios import ScenarioError, example_names, kinds_of, load
from simulator.scenarios.files import example
from simulator.scenarios.needed import refusals_of_nothing
from simulator.scenarios.schema import field_rows


def test_an_example_is_shown_by_its_name_alone(battle_odds):
    status, out, _ = battle_odds("examples", "risk-path")
    assert (status, out) == battle_odds("examples", "show", "risk-path")[:2]
    assert 'game = "risk"' in out


def test_examples_by_game_and_by_words(battle_odds):
    whole, some = battle_odds("examples")[1], battle_odds("examples", "power", "naval")[1]
    assert all(name in whole for name in example_names())
    assert len(whole.splitlines()) < 70  # one line a game, with an empty one between
    assert whole.startswith(f"{len(example_names())} examples of ")
    assert some.startswith(f"2 of the {len(example_names())} examples hold 'power naval'.\n")
    assert "power-lepanto" in some
    assert "power-novgorod" not in some
    assert battle_odds("examples", "zeppelin")[2] == (
        "example: no example is called 'zeppelin', or speaks of it; `battle-odds examples` lists them\n"
    )


def test_help_is_a_command(battle_odds):
    assert battle_odds("help")[1] == battle_odds("--help")[1]
    assert battle_odds("help", "games", "check") == battle_odds("games", "check", "--help")
    assert "--counter-attack" in battle_odds("help", "campaign")[1]


def test_a_log_that_is_not_there_names_the_template(battle_odds, tmp_path):
    missing = tmp_path / "my-log.csv"
    status, out, err = battle_odds("luck", missing)
    assert (status, out) == (2, "")
    assert "my-log.csv'; `battle-odds luck --template risk` prints a log to fill in" in err


def test_a_log_in_the_encodings_of_spreadsheets(battle_odds, tmp_path):
    text, answers = "scenario,winner\nrisk-20v15,defender\n", []
    for number, encoding in enumerate(("utf-8", "utf-8-sig", "utf-16")):
        log = tmp_path / f"{number}.csv"
        log.write_bytes(text.encode(encoding))
        answers.append(battle_odds("luck", log))
    assert answers[0][0] == 0
    assert answers[0] == answers[1] == answers[2]
    other = tmp_path / "other.csv"
    other.write_bytes(b"scenario,winner\nM\xfcnchen,attacker\n")
    status, _, err = battle_odds("luck", other)
    assert status == 2
    assert "no text in UTF-8 or UTF-16" in err


def test_a_list_is_set_without_brackets(battle_odds):
    asked = "odds", "axis-land-eastern-front", "--exact", "--set"
    plain = battle_odds(*asked, "policy.attacker.loss_order=tank,infantry,fighter,artillery")
    assert plain[0] == 0
    assert plain == battle_odds(*asked, 'policy.attacker.loss_order=["tank","infantry","fighter","artillery"]')
    assert battle_odds(*asked, "policy.attacker.loss_order=tank,,fighter")[2].startswith(
        "--set: 'tank,,fighter' is not"
    )
    assert battle_odds(*asked, "attacker.tank=1,2")[2].startswith("attacker.tank: '1,2' is not allowed")


@pytest.mark.parametrize(
    ("option", "asked"),
    [
        ("--set", ["odds", "risk-20v15", "--set", "attacker.regiments={}"]),
        ("--vary", ["sweep", "risk-20v15", "--vary", "attacker.regiments={}"]),
        ("--variant", ["sweep", "skirmish-hill", "--variant", "deep: attacker.archers={}"]),
        ("--join", ["campaign", "risk-20v15", "--counter-attack", "--join", "attacker.regiments={}"]),
    ],
)
def test_a_value_nested_too_deeply_names_its_option(battle_odds, option, asked):
    deep = "[" * 5_000 + "]" * 5_000
    status, _, err = battle_odds(*[one.format(deep) for one in asked])
    assert status == 2
    assert err.startswith(f"{option}: '[[[")
    assert err.endswith("is nested too deeply or too long\n")


@pytest.mark.parametrize("values", ["1,2,two", "[1],[2]", "1,true", "two"])
def test_settings_of_a_need_that_are_no_numbers(battle_odds, values):
    """Numbers and names together, and lists, ended with a TypeError."""
    status, _, err = battle_odds("need", "risk-20v15", "--vary", f"attacker.regiments={values}")
    assert status == 2
    assert err.startswith("vary: attacker.regiments = ")
    assert err.endswith(" is not allowed; give whole numbers\n")


def test_a_table_on_standard_output(battle_odds, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    grid = "sweep", "risk-20v15", "--vary", "attacker.regiments=4:6"
    for asked in (("odds", "risk-20v15"), grid, ("sensitivity", *grid[1:])):
        assert battle_odds(*asked, "--csv", "table.csv")[0] == 0
        status, out, _ = battle_odds(*asked, "--csv", "-")
        assert status == 0
        assert out == (tmp_path / "table.csv").read_bytes().decode().replace("\r\n", "\n")
    assert not (tmp_path / "-").exists()
    assert battle_odds("odds", "risk-20v15", "--csv", "-", "--json")[::2] == (
        2,
        "csv: '-' does not go with --json, which prints there, too\n",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell with pipes")
@pytest.mark.parametrize("command", ["odds risk-20v15", "examples", "odds risk-20v15 --csv -"])
def test_a_reader_that_has_seen_enough_is_no_mistake(command):
    asked = f"set -o pipefail; {sys.executable} -m simulator {command} | head -1"
    found = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, timeout=120, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.count("\n") == 1


def test_tables_without_their_names():
    with pytest.raises(TypeError, match=r"^land: give each table by its name, like land\(attacker=20, defender=20\)$"):
        risk.land(20, 15)
    with pytest.raises(TypeError, match=r"like field\(attacker=\{\.\.\.\}, defender=\{\.\.\.\}\)$"):
        skirmish.field({"knights": 3})


def test_a_mask_and_a_function_are_questions():
    found, text = odds("risk-20v15"), "winner == 'attacker' and rounds < 9"
    table = found.table
    assert found.p((table.winner == "attacker") & (table.rounds < 9)) == pytest.approx(found.p(text), abs=1e-15)
    assert found.p(lambda table: (table.winner == "attacker") & (table.rounds < 9)) == found.p(found.where(text))
    assert found.interval(found.where(text)) == pytest.approx(found.interval(text), abs=1e-15)
    for wrong in (3, [True], [0] * len(table), lambda table: table.rounds):
        with pytest.raises(ValueError, match=f"one for each of the {len(table)} rows of the table"):
            found.p(wrong)


def test_an_empty_name_among_those_allowed_is_shown():
    with pytest.raises(ScenarioError, match='one of "", I, IM, II'):
        load("europa-breitenfeld-1631").replace("attacker.army_class", "V")
    with pytest.raises(ScenarioError, match=r"attacker.galleys: 1 is not allowed with conditions.sea other"):
        load("europa-bahia-1625").replace("attacker.galleys", 1)


@pytest.mark.parametrize("game", GAMES)
def test_the_short_view_and_what_is_needed(battle_odds, game):
    name = game.replace("_", "-")
    for kind, battle in kinds_of(name).items():
        short, whole = battle_odds("schema", name, kind)[1], battle_odds("schema", name, kind, "--all")[1]
        assert len(short.splitlines()) <= len(whole.splitlines())
        needed = battle_odds("schema", name, kind, "--required")[1]
        assert all(line in " ".join(needed.split()) for line in map(str, refusals_of_nothing(battle)))


@pytest.mark.parametrize(
    ("game", "kind", "words"),
    [
        ("europa", "land", ["attacker: give at least one", "defender: give at least one"]),
        ("kings-and-things", "land", ["attacker.creatures: ", "defender.creatures: "]),
        ("birthright", "tactical", ["attacker.units: ", "defender.units: "]),
    ],
)
def test_the_pieces_that_are_needed_are_named(battle_odds, game, kind, words):
    out = battle_odds("schema", game, kind, "--required")[1]
    assert all(f"\n{word}" in out for word in words)


@pytest.mark.parametrize("game", ["europa", "kings_and_things", "birthright"])
def test_what_is_needed_names_pieces_of_every_side_that_is_refused_without(battle_odds, game):
    """Each field is one that the page shows first; a side of which a field is required needs no more."""
    name = game.replace("_", "-")
    for kind, battle in kinds_of(name).items():
        first = {row.path for row in field_rows(battle) if row.first}
        listed = [
            line.split()[0] for line in battle_odds("schema", name, kind, "--required")[1].splitlines() if line.strip()
        ]
        shown = [path for path in listed if path in first]
        for side in {line.partition(":")[0].partition(".")[0] for line in refusals_of_nothing(battle)}:
            assert any(path.startswith(f"{side}.") for path in shown), (kind, side)


def test_the_short_view_holds_what_a_player_knows_first(battle_odds):
    short = battle_odds("schema", "price-of-power", "naval")[1]
    assert short.startswith("The Price of Power, naval has ")
    assert "attacker.heavy" in short
    assert len(short.splitlines()) < 45
    data = example("power-lepanto")
    assert all(f"attacker.{name}" in short for name in data["attacker"] if name != "name")


def test_a_wrong_kind_does_not_hide_mistakes_that_every_kind_refuses(battle_odds, tmp_path):
    battle = tmp_path / "battle.toml"
    battle.write_text(
        'game = "risk"\nbattle = "lend"\nattacker = { regimens = 3 }\ndefender = { regiments = -3 }\n'
        "[conditions]\ncrossings = [{}]\n"
    )
    status, out, err = battle_odds("odds", battle)
    assert (status, out) == (2, "")
    lines = err.splitlines()
    assert lines[0].startswith("battle: 'lend' is not allowed; ")
    assert lines[0].endswith("did you mean land?")
    # Of the kinds one knows crossings, so nobody can say that they are wrong.
    assert [line.partition(": ")[0] for line in lines[1:]] == ["attacker.regimens", "defender.regiments"]


def test_a_full_stack_that_strikes_back_says_who_is_counted(battle_odds):
    status, _, err = battle_odds(
        "campaign", "knt-ten-against-a-citadel", "--counter-attack", "--join", 'attacker.creatures=["Troll"]'
    )
    assert status == 2
    assert err == (
        "attacker.creatures: 11 people are more than options.stack_limit = 10; give at most 10, or raise it "
        "(in the counter-attack, with all that may be left)\n"
    )
    raised = ("--set", "options.stack_limit=11", "--quiet", "--battles", "200")
    call = ("campaign", "knt-ten-against-a-citadel", "--counter-attack", "--join", 'attacker.creatures=["Troll"]')
    assert battle_odds(*call, *raised)[0] == 0


def test_a_side_is_asked_by_the_name_that_the_scenario_gives_it(battle_odds):
    """`--side Turkey` was refused, though every answer calls the defender so."""
    assert battle_odds("best", "europa-mohacs-1526", "--side", "Turkey") == battle_odds("best", "europa-mohacs-1526")
    for asked in (
        ["worth", "power-lepanto", "--weight", "win=1"],
        ["need", "power-lepanto", "--vary", "attacker.light"],
    ):
        named, plain = (battle_odds(*asked, "--quiet", "--side", side) for side in ("Ottomans", "defender"))
        assert named == plain
        assert named[0] != 2
    assert "must be one of attacker, defender" in battle_odds("best", "power-lepanto", "--side", "red")[2]


def test_one_entry_of_a_list_needs_no_brackets(battle_odds):
    asked = "odds", "knt-raid", "--set"
    assert battle_odds(*asked, "attacker.creatures=Goblins") == battle_odds(*asked, 'attacker.creatures=["Goblins"]')
    assert battle_odds(*asked, "attacker.creatures=Goblins")[0] == 0
    assert "did you mean Goblins?" in battle_odds(*asked, "attacker.creatures=Goblin")[2]
    assert battle_odds("odds", "risk-20v15", "--set", "defender.regiments=12")[0] == 0


def test_a_field_of_a_name_is_no_table(battle_odds):
    status, _, err = battle_odds("odds", "europa-blenheim-1704", "--set", "attacker.leader.manoeuvre=9")
    assert (status, err) == (
        2,
        "attacker.leader.manoeuvre: no such field; 'Marlborough' stands there, which is no table\n",
    )
    assert (
        "did you mean attacker.galleys or defender.galleys?"
        in (battle_odds("need", "europa-lepanto-1571", "--vary", "galleys")[2])
    )


def test_a_new_game_is_named_with_or_without_its_ending(battle_odds, tmp_path, monkeypatch):
    """`games new my-game.toml` wrote my-game-toml.toml."""
    monkeypatch.chdir(tmp_path)
    named, plain = (battle_odds("games", "new", name, "--force") for name in ("my-game.toml", "my-game"))
    assert named == plain
    assert [path.name for path in tmp_path.iterdir()] == ["my-game.toml"]
    assert battle_odds("games", "check", "my-game.toml")[0] == 0


def test_one_name_holds_a_word(battle_odds):
    assert battle_odds("list", "europa", "leaders", "marlborough")[1].startswith(
        "1 of 932 leaders holds 'marlborough'."
    )
    assert re.match(r"1 of the \d+ examples holds 'blenheim'\.", battle_odds("examples", "blenheim")[1])
    assert re.match(r"\d+ of the \d+ examples hold 'siege'\.", battle_odds("examples", "siege")[1])
