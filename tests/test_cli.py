"""The command line, run as a user runs it."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib

import pytest

from simulator import exact, load
from simulator.cli import run
from simulator.cli.commands import COMMANDS, GROUPS
from simulator.scenarios import example_names


def process(*arguments, **options):
    command = [sys.executable, "-m", "simulator", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


def test_the_main_job(battle_odds):
    status, out, err = battle_odds("odds", "risk-20v15")
    assert (status, err) == (0, "")
    assert "86.04 %" in out
    assert "exact (201 states)" in out
    assert "attacker regiments lost" in out
    assert "ASSUMED" in out


@pytest.mark.parametrize("name", example_names())
def test_every_example_answers(battle_odds, name):
    status, out, err = battle_odds("odds", name)
    assert (status, err.replace("compiling for this machine, once: some seconds\n", "")) == (0, "")
    assert "Method: " in out
    status, out, _ = battle_odds("examples", "show", name)
    assert load(name).data == tomllib.loads(out)


@pytest.mark.parametrize("name", example_names())
def test_every_example_is_simulated_and_replayed(battle_odds, name):
    status, out, _ = battle_odds("odds", name, "--battles", 2000, "--seed", 4, "--json")
    message = json.loads(out)
    assert status == 0
    assert (message["method"], message["battles"], message["seed"]) == ("simulated", 2000, 4)
    status, out, _ = battle_odds("replay", name, "--seed", 4, "--battle", 17)
    assert status == 0
    assert re.search("^(The (attacker|defender)|Nobody) wins|^.* wins this campaign[.]", out, re.MULTILINE)


def test_the_command_as_a_process():
    found = process("odds", "risk-20v15", "--battles", "100000", "--seed", "1")
    assert found.returncode == 0
    assert "simulated: 100,000 battles, seed 1, 95 % intervals" in found.stdout
    assert not found.stderr or "compiling for this machine" in found.stderr


def test_a_command_solves_equations_in_one_thread():
    program = (
        "import os; from simulator.cli import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: print(os.environ['OPENBLAS_NUM_THREADS'])"
    )
    own = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    for given, expected in ({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2"):
        found = subprocess.run([sys.executable, "-c", program], env=own | given, capture_output=True, check=True)
        assert found.stdout.split()[-1].decode() == expected


def test_numbers_of_battles_may_be_written_shortly(battle_odds):
    many = [battle_odds("odds", "risk-20v15", "--quiet", "--battles", text)[1] for text in ("1e4", "10_000", "10000")]
    assert many[0] == many[1] == many[2] != ""


def test_settings_and_json(battle_odds):
    status, out, _ = battle_odds(
        "odds", "risk-20v15", "--set", "attacker.regiments=25", "--set", "options.ties=attacker", "--json"
    )
    message = json.loads(out)
    scenario = load("risk-20v15").replace("attacker.regiments", 25).replace("options.ties", "attacker")
    assert status == 0
    assert message["chances"]["attacker"]["p"] == pytest.approx(exact(scenario).winner("attacker"))
    assert message["scenario"]["attacker"] == {"regiments": 25}
    assert message["assumptions"]


def test_standard_input():
    text = json.dumps({"game": "risk", "battle": "naval", "attacker": {"fleets": 2}, "defender": {"fleets": 1}})
    assert "75.42 %" in process("odds", "-", input=text).stdout


def test_precision_is_kept(battle_odds):
    status, out, _ = battle_odds("odds", "risk-20v15", "--seed", 1, "--precision", "0.2%", "--json")
    message = json.loads(out)
    assert status == 0
    assert message["method"] == "simulated"
    assert all((chance["high"] - chance["low"]) / 2 <= 0.002 for chance in message["chances"].values())


def test_odds_of_a_question_are_the_first_line(capsys):
    asked = ["odds", "risk-20v15", "--value", "attacker_regiments_left >= 10", "--value", "mean.rounds"]
    assert run(asked) == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == "The chance of attacker regiments left >= 10 is 38.81 %. The mean of rounds is 13.85."
    assert second.startswith("The attacker takes the territory in 86.04 %")
    assert run([*asked[:4], "--battles", "10000", "--quiet"]) == 0
    assert re.fullmatch(
        r"The chance of attacker regiments left >= 10 is about 3\d\.\d\d % \(3\d\.\d\d to [34]\d\.\d\d\)\.\n",
        capsys.readouterr().out,
    )
    assert run([*asked, "--json"]) == 0
    values = json.loads(capsys.readouterr().out)["values"]
    assert values["attacker_regiments_left >= 10"]["value"] == pytest.approx(
        exact("risk-20v15").p("attacker_regiments_left >= 10")
    )
    assert run(["campaign", "axis-land-flak", "--value", "mean.rounds"]) == 2


def test_the_outcome_table_as_csv_and_a_picture(battle_odds, tmp_path):
    table, picture = tmp_path / "table.csv", tmp_path / "picture.png"
    assert battle_odds("odds", "risk-20v15", "--csv", table, "--plot", picture)[0] == 0
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert sum(float(row["p"]) for row in rows) == pytest.approx(1)
    assert {row["winner"] for row in rows} == {"attacker", "defender"}
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_sweep_as_table_csv_and_heat_map(battle_odds, tmp_path):
    table, picture = tmp_path / "grid.csv", tmp_path / "heat.png"
    ranges = ("--vary", "attacker.regiments=1:4", "--vary", "defender.regiments=1:5:2")
    status, out, _ = battle_odds("sweep", "risk-20v15", *ranges, "--csv", table, "--plot", picture)
    assert status == 0
    assert "41.7 %" in out
    assert "12 cells, all exact" in out
    with table.open() as file:
        assert len(list(csv.DictReader(file))) == 12
    assert picture.stat().st_size > 1000


def test_a_sweep_over_one_field_with_intervals(battle_odds):
    status, out, _ = battle_odds(
        "sweep", "risk-20v15", "--vary", "attacker.regiments=18,20", "--battles", 4000, "--json"
    )
    cells = json.loads(out)["cells"]
    assert status == 0
    assert [cell["attacker.regiments"] for cell in cells] == [18, 20]
    assert all(cell["low"] < cell["value"] < cell["high"] for cell in cells)


def test_how_many_are_enough(battle_odds):
    status, out, _ = battle_odds("need", "risk-20v15", "--vary", "attacker.regiments", "--target", "80%")
    assert status == 0
    first = "19 regiments are enough: the attacker wins in 82.21 %, for 19 coins at the game's prices."
    assert out.startswith(f"{first}\n")
    status, out, _ = battle_odds("need", "risk-20v15", "--vary", "attacker.regiments", "--target", "0.8", "--most", 5)
    assert status == 1
    assert out.startswith("5 regiments are not enough, and nothing that was tried is: the attacker wins in ")
    assert battle_odds("need", "risk-20v15", "--vary", "defender.regiments", "--side", "attacker", "--quiet")[1] == (
        "Up to 16 regiments of the defender: the attacker wins in 82.09 %.\n"
    )


def test_a_replay_is_told_and_the_same_each_time(battle_odds):
    first, second = (battle_odds("replay", "risk-20v15", "--seed", 3, "--battle", 5) for _ in range(2))
    assert first == second
    assert first[1].startswith("The defender wins this battle after 15 rounds, with 5 regiments left.\nRound 1, ")


def test_lists(battle_odds, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    assert "blockade-run" in battle_odds("games")[1]
    assert "risk-20v15" in battle_odds("examples")[1]
    out = battle_odds("schema", "risk", "land")[1]
    assert "attacker.regiments" in out
    assert "1 to 100000, needed" in out
    message = json.loads(battle_odds("schema", "risk", "land", "--json")[1])["properties"]
    assert message["attacker"]
    assert message["objective"]["properties"]["defender"]["additionalProperties"] == {"type": "number"}
    assert "objective.attacker.NAME" in battle_odds("schema", "risk", "land", "--search", "objective")[1]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["bench"], "bench: is gone; with the sources: python -m benchmarks.examples"),
        (["by-round", "europa-vienna-1529"], "by-round: is gone; write campaign SIEGE"),
        (["odds", "risk-20v15", "--scored"], "--scored: is gone; write odds SCENARIO, which"),
        (["odds", "risk-20v15", "--json", "--no-table"], "--no-table: is gone; the table of --json is its key table"),
        (["campaign", "campaign-two-raids", "--column", "x"], "--column: is gone; the picture shows"),
    ],
)
def test_an_old_command_or_option_says_the_new_one_in_a_line(battle_odds, words, text):
    status, out, err = battle_odds(*words)
    assert (status, out) == (2, "")
    assert err.startswith(text)
    assert err.count("\n") == 1


def test_the_help_groups_the_commands_by_the_question_they_answer(battle_odds):
    out = battle_odds("--help")[1]
    assert "What should I do?\n  best         The best play: when to stop" in out
    listed = [line.split()[0] for line in out.partition("What will happen?")[2].splitlines() if line.startswith("  ")]
    assert sorted(listed) == sorted([*COMMANDS, *GROUPS])
    assert max(map(len, out.splitlines())) <= 80


BAD = [
    (
        ["odds", "risk-20v15", "--set", "attacker.regiments=0"],
        "attacker.regiments: 0 is not allowed; give a whole number from 1 to 100000",
    ),
    (["odds", "risk-20v15", "--set", "attacker.regiments"], "--set: 'attacker.regiments' is not allowed"),
    (["odds", "risk-20v15", "--set", "x"], "--set: 'x' is not allowed; write it like attacker.regiments=25"),
    (["worth", "risk-20v15", "--weight", "win"], "--weight: 'win' is not allowed; write it like win=15"),
    (["worth", "risk-20v15", "--weight", "win=x"], "--weight win: 'x' is not allowed; give a number like 15 or -0.1"),
    (
        ["need", "risk-20v15", "--vary", "attacker.regiments", "--cost", "=3"],
        "--cost: '=3' is not allowed; write it like attacker.regiments=3",
    ),
    (
        ["need", "risk-20v15", "--vary", "attacker.regiments", "--cost", "attacker.regiments=x"],
        "--cost attacker.regiments: 'x' is not allowed; give a number like 3 or 2.5",
    ),
    (["sweep", "risk-20v15", "--vary", "x"], "--vary: 'x' is not allowed; write it like attacker.regiments=1:30"),
    (
        ["campaign", "axis-land-flak", "--counter-attack", "--join", "x"],
        "--join: 'x' is not allowed; write it like attacker.tank=2",
    ),
    (
        ["compare", "risk-20v15", "--variant", "new: x"],
        "--variant: 'x' is not allowed; write it like d10: rules.dice.sides=10",
    ),
    (["compare", "risk-20v15", "--variant", "a,,b"], "--variant: 'a,,b' is not allowed; there is an empty value in it"),
    (
        ["need", "risk-20v15", "--vary", "attacker.regiments", "--most", "0"],
        "--most: '0' is not allowed; give a whole number from 1 to 100000",
    ),
    (
        ["need", "risk-20v15", "--vary", "attacker.regiments", "--most", "all"],
        "--most: 'all' is not allowed; give a whole number from 1 to 100000",
    ),
    (
        ["need", "risk-20v15", "--vary", "attacker.regiments", "--budget", "much"],
        "--budget: 'much' is not allowed; give a number, like 12 or 2.5",
    ),
    (["worth", "risk-20v15", "--lose", "much"], "--lose: 'much' is not allowed; give a number, like 12 or 2.5"),
    (
        ["sweep", "risk-20v15", "--vary", "attacker.regiments=1:3", "--workers", "0"],
        "--workers: '0' is not allowed; give a whole number, 1 or more",
    ),
    (["replay", "risk-20v15", "--battle", "one"], "--battle: 'one' is not allowed; give a whole number"),
    (["rounds", "risk-20v15", "--most", "all"], "--most: 'all' is not allowed; give a whole number"),
    (
        ["plan", "plan-three-borders", "--next", "101"],
        "--next: '101' is not allowed; give a whole number from 0 to 100",
    ),
    (["web", "--port", "70000"], "--port: '70000' is not allowed; give a whole number from 0 to 65535"),
    (["odds", "risk-20v15", "--set", "attacker.x.y.z=1"], "attacker.x: unknown field"),
    (["odds", "nowhere.toml"], "scenario: no file or example 'nowhere.toml'"),
    (["odds"], "Missing argument"),
    (["odds", "risk-20v15", "--colour"], "No such option"),
    (
        ["odds", "risk-20v15", "--battles", "many"],
        "--battles: 'many' is not allowed; give a whole number, like 1000000",
    ),
    (["odds", "risk-20v15", "--battles", "1.5"], "--battles: '1.5' is not allowed"),
    (["odds", "risk-20v15", "--battles", "1e999999999"], "--battles: '1e999999999' is not allowed"),
    (["odds", "x" * 5000], "scenario: no file or example 'xxx"),
    (["odds", "risk-20v15", "--battles", "x" * 5000], "xxx...' is not allowed; give a whole number"),
    (["odds", "risk-20v15", "--battles", "0"], "battles: 0 is not allowed"),
    (["odds", "risk-20v15", "--seed", "-1"], "seed: -1 is not allowed"),
    (["odds", "risk-20v15", "--threads", "0"], "threads: 0 is not allowed"),
    (["odds", "risk-20v15", "--precision", "much"], "--precision: 'much' is not allowed"),
    (["odds", "risk-20v15", "--precision", "0"], "--precision: '0' is not allowed"),
    (["odds", "risk-20v15", "--precision", "-1%"], "--precision: '-1%' is not allowed"),
    (["odds", "risk-20v15", "--exact", "--battles", "5"], "--exact: does not go with"),
    (["odds", "risk-20v15", "--battles", "5", "--precision", "1%"], "--battles: does not go with"),
    (["odds", "risk-20v15", "--plot", "odds.bmp"], "plot: 'odds.bmp' is not allowed"),
    (["odds", "risk-20v15", "--csv", "nowhere/odds.csv"], "csv: no folder"),
    (["sweep", "risk-20v15"], "vary: nothing to vary"),
    (["sweep", "risk-20v15", "--vary", "attacker.regiments=3:1"], "--vary: '3:1' is not allowed"),
    (["sweep", "risk-20v15", "--vary", "attacker.regiments=1:x"], "--vary: '1:x' is not allowed"),
    (["sweep", "risk-20v15", "--vary", "attacker.regiments=-3:0"], "attacker.regiments: -3 is not allowed"),
    (["sweep", "risk-20v15", "--vary", "attacker.regiments=1,,2"], "there is an empty value in it"),
    (["sweep", "risk-20v15", "--vary", "attacker.regiments=1", "--vary", "attacker.regiments=2"], "is given twice"),
    (["sweep", "risk-20v15", "--vary", "attacker.regiments=1:1e9"], "over at most 10000 values"),
    (["sweep", "risk-20v15", "--vary", "attacker.regiments=1:3", "--value", "luck"], "query 'luck' cannot be read"),
    (["need", "risk-20v15", "--vary", "attacker.cannons"], "attacker.cannons: unknown field"),
    (["need", "risk-20v15", "--vary", "attacker.regiments", "--target", "most"], "--target: 'most' is not allowed"),
    (["need", "risk-20v15", "--vary", "attacker.regiments", "--target", "80"], "did you mean 80%?"),
    (["need", "risk-20v15", "--vary", "attacker.regiments", "--target", "150%"], "--target: '150%' is not allowed"),
    (["need", "risk-20v15", "--vary", "attacker.regiments", "--target", "nan"], "--target: 'nan' is not allowed"),
    (["need", "risk-20v15", "--vary", "attacker.regiments", "--target", "-1"], "--target: '-1' is not allowed"),
    (["need", "risk-20v15", "--vary", "attacker.regiments", "--cost", "attacker.fleets=2"], "is not varied"),
    (["need", "risk-20v15", "--vary", "attacker.regiments", "--budget", "inf"], "budget: inf is not allowed"),
    (["best", "risk-20v15", "--weight", "win=inf"], "--weight win: 'inf' is not allowed"),
    (["campaign", "risk-20v15"], "battle: risk land has no rounds to ask for"),
    (["survival", "risk-20v15"], "battle: risk land does not distinguish single pieces"),
    (["survival", "knt-raid", "--battles", "0"], "battles: 0 is not allowed"),
    (["schema", "risk", "land", "--search", "zeppelin"], "no field of risk land speaks of 'zeppelin'"),
    (["sweep", "risk-20v15", "--vary", "attacker.regiments=1:3", "--value", "winner == 'Attacker'"], "'attacker'?"),
    (["replay", "risk-20v15", "--battle", "-1"], "battle: -1 is not allowed"),
    (["schema", "chess", "land"], "game: 'chess' is not allowed; must be one of risk"),
    (["schema", "risk", "air"], "battle: 'air' is not allowed"),
    (["examples", "show", "risk-20v16"], "did you mean risk-20v15?"),
    (["fight"], "No such command"),
    (["odds", "axis_and_allies_1942"], "axis-and-allies-1942 is a game: `battle-odds examples axis-and-allies-1942`"),
    (["odds"], "SCENARIO. Give a file, or an example that `battle-odds examples` lists."),
    (["odds", "risk-20v15", "--set", "attacker.regiments=7", "defender.regiments=2"], "PATH=VALUE needs its own --set"),
    (["odds", "risk", "20", "15"], "texts with spaces need quotes"),
    (["odds", "axis-land-flak", "--set", "infantry=7"], "did you mean attacker.infantry or defender.infantry?"),
    (["campaign", "axis-land-flak", "--counter-attack", "--join", "attacker.tank=1", "attacker.infantry=2"], "--join)"),
    (["need", "axis-land-flak"], "Missing option --vary. Write it like --vary attacker.regiments=1:30."),
    (["need", "axis-land-flak", "--vary", "tanks"], "did you mean attacker.tank or defender.tank?"),
    (["need", "axis-land-flak", "--vary", "attacker.tank", "--cost", "tank=5"], "; attacker.tank may have a price"),
    (["sensitivity", "axis-land-flak", "--fields", "tank"], "did you mean attacker.tank or defender.tank?"),
    (["games", "axis-and-allies-1942"], "`battle-odds games show axis-and-allies-1942` prints a game file."),
    (["worth", "axis-land-flak", "--weight", "win=1", "--level", "5"], "(5 % is 0.05)"),
    (["luck", "my-battle.toml"], "`battle-odds luck --template my-battle.toml` prints a log of it"),
]


@pytest.mark.parametrize(("arguments", "text"), BAD, ids=[" ".join(case[0][:4])[:60] for case in BAD])
def test_bad_input_gets_one_line_and_status_2(battle_odds, tmp_path, monkeypatch, arguments, text):
    monkeypatch.chdir(tmp_path)
    status, out, err = battle_odds(*arguments)
    assert (status, out) == (2, "")
    assert text in err
    assert err.count("\n") == 1
    assert len(err) < 2000
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_meant_is_suggested(battle_odds, tmp_path, monkeypatch):
    """A name without its ending, or with a wrong letter, names a file in the folder, not a shipped example."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my-battle.toml").write_text('game = "risk"')
    (tmp_path / "my-log.csv").write_text("scenario,winner\n")
    for name in ("my-battle", "my-batle.toml"):
        assert battle_odds("odds", name)[2] == f"scenario: no file or example {name!r}; did you mean my-battle.toml?\n"
    assert "did you mean the example risk-20v15?" in battle_odds("odds", "risk-20v16")[2]
    assert "`battle-odds examples` lists the shipped ones" in battle_odds("odds", "none.toml")[2]  # only .toml is alike
    assert battle_odds("odds", "my-log.csv")[2].endswith(" is no scenario; `battle-odds luck` reads a log of battles\n")


def test_exact_odds_past_the_budget_are_refused_in_one_line(battle_odds, monkeypatch):
    monkeypatch.setattr("simulator.analysis.odds.run.EXACT_BYTES", 1000)
    status, out, err = battle_odds("odds", "risk-20v15", "--exact")
    assert (status, out) == (2, "")
    assert "past the budget" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("text", ["", "{", "[[[", "game = 'risk'", '{"game": 3}', "nonsense"])
def test_bad_standard_input_gets_one_line_and_status_2(battle_odds, monkeypatch, text):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    status, out, err = battle_odds("odds", "-")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a child there")
def test_an_interrupt_shows_what_was_gathered():
    process("odds", "risk-20v15", "--battles", "1000")  # compiled from here on
    command = [sys.executable, "-m", "simulator", "odds", "risk-20v15", "--battles", str(10**11), "--json"]
    for patience in (2, 6, 30):  # on a busy machine it may not even have begun
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(patience)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        if out:
            break
    assert child.returncode == 130
    message = json.loads(out)
    assert 0 < message["battles"] < 10**11
    assert message["chances"]["attacker"]["low"] < 0.8604 < message["chances"]["attacker"]["high"]
    assert re.search(r"interrupted after [\d,]+ battles", err)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a child there")
def test_an_interrupted_enumeration_says_so():
    huge = [
        "--set",
        "attacker.regiments=1000",
        "--set",
        f"defender.regiments={[1000] * 20}",
        "--set",
        "defender.die_sides=6",
    ]
    command = [sys.executable, "-m", "simulator", "odds", "risk-path", "--exact", *huge]
    for patience in (2, 1):  # it must still be counting: start-up takes about half a second, the budget several
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(patience)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        if child.returncode != 2:
            break
    assert (child.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert err.strip().endswith("interrupted before anything was gathered")


OTHER_HANDLER = """
import os, signal, sys, time
import simulator.cli.run
command_line = sys.modules["simulator.cli.run"]

def heard_by_another(*_):
    signal.signal(signal.SIGINT, lambda *_: None)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(command_line.PATIENCE + 0.3)
    return 0

{begun}
try:
    command_line.main(["--version"])
except SystemExit:
    {ended}
    print("it goes on")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a child there")
@pytest.mark.parametrize(
    "given",
    [{"begun": "command_line.run = heard_by_another", "ended": ""}, {"begun": "", "ended": "heard_by_another()"}],
    ids=["a server", "a caller"],
)
def test_ctrl_c_that_another_handler_hears_does_not_end_the_process(given):
    """The page's server ended within half a second, without its replies; a test that was next ended its worker."""
    code = OTHER_HANDLER.format(**given)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("it goes on\n")


def test_help_is_shown():
    found = process("--help")
    assert found.returncode == 0
    assert "odds" in found.stdout
    assert "sweep" in found.stdout


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_output_falls_back_to_ascii(encoding):
    commands = [
        ["odds", "risk-20v15", "--battles", "1000"],
        ["sweep", "risk-20v15", "--vary", "attacker.regiments=1:3", "--vary", "defender.regiments=1:3"],
        ["examples", "show", "europa-lutzen-1632"],
        ["schema", "risk", "land"],
        ["survival", "knt-raid", "--battles", "1000"],
        ["odds", "risk-20v15", "--set", "attacker.regiments=\u2588\u4e2d"],
    ]
    # One process for all: starting one takes longer than any of the answers.
    run_all = "for command in {}:\n try: main(command)\n except SystemExit as end: print('status', end.code)"
    program = ["-c", f"from simulator.cli import main\n{run_all.format(commands)}"]
    found = subprocess.run(
        [sys.executable, *program], capture_output=True, env=os.environ | {"PYTHONIOENCODING": encoding}, check=True
    )
    assert b"codec" not in found.stdout + found.stderr
    answers = re.split(r"status (\d)\r?\n", found.stdout.decode(encoding))
    assert answers[1::2] == ["0", "0", "0", "0", "0", "2"]
    assert "####" in answers[0]
    assert ("Lutzen" if encoding == "ascii" else "Lützen") in answers[4]
    assert "####" in answers[8]
    assert "attacker.regiments: '#?' is not allowed" in found.stderr.decode(encoding)


def shell(text, tmp_path):
    command = text.replace("battle-odds", f"{sys.executable} -m simulator")
    return subprocess.run(
        command, shell=True, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path, executable="bash"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell with pipes")
@pytest.mark.parametrize(
    "command",
    [
        "battle-odds odds risk-20v15 --plot a.png | true",
        "battle-odds sweep risk-20v15 --vary attacker.regiments=1:300 --plot a.png --quiet | head -3",
        "battle-odds best risk-when-to-stop --plot a.png --quiet | head -1",
        "battle-odds odds risk-20v15 --plot a.png >&-",
        "battle-odds odds risk-20v15 --plot a.png > /dev/full",
    ],
)
def test_the_picture_is_drawn_though_nobody_reads_the_text(tmp_path, command):
    found = shell(command, tmp_path)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert found.stderr in {"", "[Errno 28] No space left on device\n"}
