"""A stranger's first battle and first game, and obstacles that first-time users ran into, each as they ran into it."""

import codecs
import csv
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from simulator import Interrupted, ScenarioError, exact, load, simulate, survival
from simulator.cli.options import complete_kind, complete_path, complete_scenario
from simulator.scenarios import reading

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 4}, "defender": {"regiments": 3}}
TOML = 'game = "risk"\nbattle = "land"\nattacker.regiments = 4\ndefender.regiments = 3\n'


ROOT = Path(__file__).parent.parent


@pytest.fixture
def battle_odds(battle_odds, tmp_path, monkeypatch):
    """The command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return battle_odds


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text, language):
    """The blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(text):
    """The commands in a text, as lists of arguments."""
    found = re.findall(
        r"(?:^\$ |`)battle-odds ((?:odds|need|best|campaign|replay|units|luck) [^`\n]*)", text, re.MULTILINE
    )
    return [shlex.split(command) for command in found]


def test_a_first_own_game_by_the_tutorial(battle_odds, tmp_path):
    """Two files, a check and a battle: the first section; tests/test_documents.py runs all sections."""
    first = text_of("docs/your-own-game.md").partition("\n## 1. ")[2].partition("\n## ")[0]
    for file in blocks(first, "toml"):
        (tmp_path / file.split()[1]).write_text(file, encoding="utf-8")
    assert battle_odds("games", "check", "my-game.toml")[0] == 0
    (asked,) = [block for block in blocks(first, "console") if block.startswith("$ battle-odds odds ")]
    assert battle_odds(*commands(asked)[0])[1].split() == asked.partition("\n")[2].split()


@pytest.mark.parametrize(
    "raw",
    [codecs.BOM_UTF8 + TOML.encode(), TOML.encode("utf-16"), codecs.BOM_UTF16_BE + TOML.encode("utf-16-be")],
    ids=["utf-8 with a mark", "utf-16", "utf-16 big end first"],
)
def test_files_as_windows_editors_save_them(tmp_path, raw):
    path = tmp_path / "a.toml"
    path.write_bytes(raw)
    assert load(path) == load(LAND)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (LAND | {"game": ["risk"]}, "game: ['risk'] is not allowed; must be one of risk"),
        (LAND | {"battle": {"a": 1}}, "battle: {'a': 1} is not allowed; must be one of land"),
        (LAND | {1: 2}, "scenario: 1 is no field name; names are text"),
        (5, "scenario: 5 is not allowed; give a mapping, a file or the name of an example"),
        (None, "scenario: None is not allowed"),
        ("a" * 5000, "scenario: no file or example"),
        ("\0", "scenario: no file or example"),
    ],
)
def test_what_is_no_scenario_is_refused_in_one_line(data, text):
    with pytest.raises(ScenarioError) as refusal:
        load(data)
    assert text in str(refusal.value)


def test_input_nested_fifty_thousand_deep(tmp_path):
    deep = LAND | {"options": {}}
    node = deep["options"]
    for _ in range(5000):
        node["ties"] = {}
        node = node["ties"]
    with pytest.raises(ScenarioError, match="nested"):
        load(deep)
    for text in ('{"game": ' + "[" * 50_000 + "]" * 50_000 + "}", "game = " + "[" * 50_000 + "]" * 50_000):
        path = tmp_path / "deep.toml"
        path.write_text(text)
        # The JSON parser of Python 3.14 accepts this many brackets; the field is refused then.
        with pytest.raises(ScenarioError, match=r"scenario: .* nested too deeply|game: nested more than 60 deep"):
            load(path)


def test_standard_input_that_is_closed():
    command = f"{sys.executable} -m simulator odds - <&-"
    found = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert found.returncode == 2
    assert found.stderr.startswith("scenario: ")
    assert found.stderr.count("\n") == 1


def test_equal_scenarios_hash_equally_and_nothing_is_kept_by_reference():
    spelled = LAND | {"options": {"ties": "defender"}, "policy": {"attacker": {"retreat": "to-the-end"}}}
    assert load(LAND) == load(spelled)
    assert hash(load(LAND)) == hash(load(spelled))
    assert len({load(LAND), load(spelled)}) == 1
    assert load(LAND) != load(LAND).replace("attacker.regiments", 5)
    data = json.loads(json.dumps(LAND))
    scenario = load(data)
    data["attacker"]["regiments"] = 9
    assert scenario.data["attacker"]["regiments"] == 4


def test_a_csv_never_overwrites_the_scenario_or_what_is_no_csv(battle_odds, tmp_path):
    scenario, notes, table = tmp_path / "r1.toml", tmp_path / "notes.txt", tmp_path / "table.csv"
    scenario.write_text(TOML)
    notes.write_text("mine")
    table.write_text("old")
    for path, text in ((scenario, "is the scenario"), (notes, "is there already and is no .csv file")):
        before = path.read_text()
        status, out, err = battle_odds("odds", scenario, "--csv", path)
        assert (status, out) == (2, "")
        assert text in err
        assert path.read_text() == before
    assert battle_odds("odds", scenario, "--csv", notes, "--force")[0] == 0
    assert notes.read_text().startswith("winner,")
    assert battle_odds("odds", scenario, "--csv", table)[0] == 0
    assert table.read_text().startswith("winner,")


def test_a_file_that_cannot_be_written_is_noticed_first_and_the_answer_is_not_lost(battle_odds, tmp_path):
    status, out, err = battle_odds("odds", "risk-20v15", "--csv", tmp_path)
    assert (status, out) == (2, "")
    assert "is a folder" in err
    status, out, err = battle_odds("odds", "risk-20v15", "--csv", "/dev/full", "--force")
    assert (status, err) == (2, "[Errno 28] No space left on device\n")
    assert "86.04 %" in out


def test_what_never_happened_in_a_simulation_has_an_upper_bound(battle_odds):
    assert "nobody" not in battle_odds("odds", "risk-20v15", "--battles", 10_000)[1]
    out = battle_odds("odds", "risk-20v15", "--battles", 10_000, "--all")[1]
    assert re.search(r"nobody\s+not once: below 0.030 %", out)
    assert "0.00 %" not in out
    assert re.search(r"nobody\s+never", battle_odds("odds", "risk-20v15", "--all")[1])


def test_the_screen_fits_eighty_columns(battle_odds, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for arguments in (("odds", "risk-20v15"), ("odds", "europa-leuthen-1757", "--explain"), ("schema", "risk", "land")):
        out = battle_odds(*arguments)[1]
        assert max(map(len, out.splitlines())) <= 80


def test_what_was_set_is_told_first(battle_odds):
    out = battle_odds("odds", "risk-20v15", "--set", "options.ties=attacker", "--set", "attacker.modifier_all=-1")[1]
    assert "Rests on\n  attacker: modifier_all -1\n  options.ties = 'attacker'\n" in out
    assert "risk land rules version" in out


def test_only_the_numbers(battle_odds):
    line = battle_odds("odds", "risk-20v15", "--quiet")[1]
    assert line.startswith("The attacker takes the territory in 86.04 % and loses ")
    assert line.count("\n") == 1
    message = json.loads(battle_odds("odds", "risk-20v15", "--json")[1])
    assert sum(message["table"]["p"]) == pytest.approx(1)
    assert message["rules_version"] >= 1
    assert message["program"].startswith("battle-odds ")


def test_version_and_help(battle_odds):
    assert battle_odds("--version")[1].startswith("battle-odds ")
    for command in ("odds", "sweep", "need", "campaign", "survival", "replay", "schema", "list", "cache"):
        out = battle_odds(command, "--help")[1]
        assert "Usage: battle-odds" in out
        assert "<bool>" not in out
        assert "BOOLEAN" not in out


def test_schema_by_kind_need_and_word(battle_odds):
    assert "blockade-run" in battle_odds("schema", "risk")[1]
    needed = battle_odds("schema", "risk", "land", "--required")[1]
    assert "attacker.regiments" in needed
    assert "options.ties" not in needed
    found = battle_odds("schema", "risk", "land", "--search", "ties")[1]
    assert "options.ties" in found
    assert "attacker.regiments " not in found
    short, whole = battle_odds("schema", "risk", "land")[1], battle_odds("schema", "risk", "land", "--all")[1]
    assert "options." not in short
    assert "--all" in short
    places = [whole.index(f" {name}") for name in ("attacker.regiments", "defender.regiments", "policy.", "options.")]
    assert places == sorted(places)


def test_a_grid_that_does_not_fit_is_printed_in_parts(battle_odds, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    fields = ("--vary", "attacker.regiments=1:4", "--vary", "defender.regiments=1:40")
    out = battle_odds("sweep", "risk-20v15", *fields, "--all")[1]
    assert len(out.splitlines()) < 60
    assert max(map(len, out.splitlines())) <= 80
    assert out.count("attacker wins, continued") >= 1
    assert "41.7 %" in battle_odds("sweep", "risk-20v15", *fields[:2], "--vary", "defender.regiments=1:4")[1]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a.b=1:3", [1, 2, 3]),
        ("a.b=0:20:10", [0, 10, 20]),
        ("a.b=-2:1", [-2, -1, 0, 1]),
        ("a.b=0:1:0.25", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("a.b=0.1:0.3:0.1", [0.1, 0.2, 0.3]),
        ("a.b=x,y", ["x", "y"]),
        ("a.b=[3, 2],[4, 1]", [[3, 2], [4, 1]]),
        ("a.b={c = 1, d = 2},{c = 3}", [{"c": 1, "d": 2}, {"c": 3}]),
        ('a.b="x,y",z', ["x,y", "z"]),
        ("a.b=true,false", [True, False]),
    ],
)
def test_ranges(text, values):
    assert reading.read_range(text) == ("a.b", values)


def test_several_values_of_one_sweep(battle_odds, tmp_path):
    values = ("--value", "p_attacker", "--value", "mean.rounds")
    status, out, _ = battle_odds("sweep", "risk-20v15", "--vary", "attacker.regiments=5:6", *values, "--csv", "g.csv")
    assert status == 0
    assert "mean.rounds" in out
    with (tmp_path / "g.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["attacker.regiments"], row["asked"]) for row in rows] == [
        ("5", "p_attacker"), ("5", "mean.rounds"), ("6", "p_attacker"), ("6", "mean.rounds"),
    ]  # fmt: skip


def test_a_replay_as_json(battle_odds):
    message = json.loads(battle_odds("replay", "risk-20v15", "--seed", 3, "--battle", 5, "--json")[1])
    assert (message["seed"], message["battle"]) == (3, 5)
    assert message["lines"]
    assert message["outcome"]["winner"] in {"attacker", "defender", "nobody"}


def test_the_shell_completes_names():
    context = SimpleNamespace(params={"scenario": "risk-20v15", "game": "risk"})
    assert "risk-20v15" in complete_scenario("risk-2")
    assert complete_path(context, "attacker.reg") == ["attacker.regiments="]
    assert complete_kind(context, "block") == ["blockade-run"]


def test_a_thousand_threads_take_no_more_memory_than_a_few():
    assert simulate(LAND, 1000, seed=5, threads=1024).table.equals(simulate(LAND, 1000, seed=5, threads=1).table)


def test_no_memory_is_told_in_one_line(battle_odds, monkeypatch):
    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr("simulator.analysis.odds.answer.answer", full)
    status, _, err = battle_odds("odds", "risk-20v15")
    assert status == 2
    assert err.startswith("memory: there is not enough")
    assert err.count("\n") == 1


def test_an_interrupt_hands_over_what_was_gathered():
    def stop(done, total):
        if done >= 100_000:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as cut:
        simulate(LAND, 10**9, seed=1, progress=stop)
    assert 0 < cut.value.gathered.battles < 10**9
    assert cut.value.gathered.winner("attacker") == pytest.approx(exact(LAND).winner("attacker"), abs=0.01)
    with pytest.raises(Interrupted) as cut:
        survival("knt-raid", 10**9, progress=stop)
    assert cut.value.gathered.pieces


def test_numbers_that_nearly_are_nought_or_one_are_not_written_as_such():
    from simulator.report.words import bound
    from simulator.rules.toolkit.words import percent

    assert percent(0.00001) == "< 0.01 %"
    assert percent(0.99999) == "> 99.99 %"
    assert (percent(0.0), percent(1.0), percent(0.5)) == ("0.00 %", "100.00 %", "50.00 %")
    assert percent(1 - 2e-16) == "100.00 %"  # a sum of chances
    assert bound(10_000) == "below 0.030 %"
    assert bound(2) == "below 100 %"


def test_the_cache_is_shown(battle_odds):
    assert re.search(
        r"^[\d,]+ files of kept kernels take [\d.]+ MB\.\n/.*\nThey belong to \S+; the newest is [\w ]+ old, ",
        battle_odds("cache")[1],
    )


def test_brackets_are_no_markup(battle_odds, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    out = battle_odds("schema", "kings-and-things", "land", "--search", "creatures")[1]
    assert "attacker.creatures[i].value" in out
    assert "takes [default]" in out


def test_names_that_fields_take(battle_odds):
    out = battle_odds("list", "knt", "creatures", "swamp", "magic")[1]
    assert "Basilisk" in out
    assert "Dwarves" not in out
    assert "magic-sword" in battle_odds("list", "kings-and-things", "items")[1]


def test_outcomes_are_with_words_what_came_about(battle_odds):
    """No attacker and defender where nobody fights: the battle's own words."""
    out = battle_odds("odds", "europa-armada-return-1588")[1].split("most likely outcomes")[1]
    assert "all is lost" in out
    assert "winner" not in out
    assert "winner" not in battle_odds("odds", "europa-la-rochelle-1627")[1]


def test_nothing_is_told_twice(battle_odds):
    out = battle_odds("odds", "risk-20v15", "--set", "attacker.commanders=2", "--set", "options.ties=both")[1]
    assert out.count("commanders 2") == 1
    assert out.count("options.ties") == 1


def test_tables_are_told_as_they_were_written(battle_odds):
    creatures = 'attacker.creatures=["Giant", { value = 4, magic = true, name = "Mage" }]'
    message = " ".join(battle_odds("odds", "knt-raid", "--set", creatures)[1].split())
    assert "attacker: creatures ['Giant', {'name': 'Mage', 'value': 4, 'magic': True}]" in message
