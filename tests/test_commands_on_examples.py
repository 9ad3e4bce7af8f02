"""Every command on every shipped example: line 1 is one sentence in the words of the game, or a refusal says why not.

`odds` is walked in tests/test_odds_headline.py, `best` in tests/test_best_by_default.py, the tabs of the page in
tests/test_every_tab.py.
"""

import json
import os
import re
import shlex
import subprocess
import sys

import pytest

from simulator import load
from simulator.cli import run
from simulator.rules.battle import WINNERS
from simulator.scenarios import example_names
from simulator.scenarios.schema import settings_of, whole_numbers
from tests.sentences import faults

FEW = ("--battles", "200")
# The options of each command; {number} is a field of the attacker or the defender with a whole number.
COMMANDS = {
    "survival": FEW,
    "rounds": (*FEW, "--most", "3"),
    "replay": (),
    "luck": ("--battles", "2000"),
    "sweep": ("--vary", "{number}={low}:{high}", *FEW),
    "worth": (*FEW, "--weight", "win=1"),
    "sensitivity": ("--fields", "{number}", *FEW),
    "units": FEW,
    "balance": ("--vary", "{number}={low}:{high}", *FEW),
    "need": ("--vary", "{number}={low}:{high}"),
    "compare": ("{name}", "--set", "2:{number}={high}", *FEW),
    "campaign --counter-attack": ("--quiet", *FEW),
    "replay --luck": (),
}
# A kind that has no such question says so.
NO_QUESTION = {
    "survival": "does not distinguish single pieces",
    "rounds": "is not fought in rounds",
    "units": "has no units to add",
    "campaign --counter-attack": "is not fought in a campaign: |counter_attack: nothing is taken in a |"
    "counter_attack: a |is a chain itself; "
    "|best is not offered inside a campaign|a force is one realm|(in the counter-attack",
    "balance": "no other setting of ",
    "compare": " is not allowed; ",
    "replay --luck": "luck: |more than",
}
NO_WINNER = "has no winner"


def number_of(scenario):
    """A whole number of the attacker, else of the defender, else of another table, and the settings beside it."""
    found = []
    for path, value in settings_of(scenario.fields):
        bounds = whole_numbers(scenario.battle, path)
        if (
            bounds
            and isinstance(value, int)
            and not isinstance(value, bool)
            and not path.startswith(("policy", "options"))
        ):
            found.append((path not in dict(settings_of(scenario.data)), path, value, bounds[1]))
    if not found:
        return None
    _, path, value, most = min(found, key=lambda one: one[0])
    return {"number": path, "low": value, "high": value if most == value else value + 1}


def asked(command, name, number, log):
    """The arguments of a command on an example; None where it has no field with a number."""
    options = COMMANDS[command]
    if number is None and any("{number}" in one for one in options):
        return None
    filled = [one.format(**(number or {}), name=name) for one in options]
    first, *more = command.split()
    return [first, str(log) if command == "luck" else name, *more, *filled]


@pytest.mark.parametrize("name", example_names())
def test_line_1_is_the_answer(name, capsys, tmp_path):
    scenario, log = load(name), tmp_path / "log.json"
    number = number_of(scenario)
    assert run(["replay", name, "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)["outcome"]
    log.write_text(json.dumps([{"scenario": name, "winner": outcome.get("winner", WINNERS[2])}]))
    for command in COMMANDS:
        arguments = asked(command, name, number, log)
        if arguments is None:
            continue
        status = run(arguments)
        out, err = capsys.readouterr()
        if asks := re.search("for example (--join .+)", err):  # who strikes back where nobody is left
            status = run([*arguments, *shlex.split(asks[1])])
            out, err = capsys.readouterr()
            assert (status, err) == (0, ""), asks[1]
        if err.startswith("target: give one"):  # of a kind that asks for a number, no chance
            status = run([*arguments, "--target", "2"])
            out, err = capsys.readouterr()
        if status == 2:
            assert out == ""
            assert err.count("\n") == 1
            reasons = [*NO_QUESTION.get(command, NO_WINNER).split("|"), NO_WINNER]
            assert any(reason in err for reason in reasons), (command, err)
            continue
        line = out.splitlines()[0]
        nothing = command == "need" and re.search("nothing that was tried is", line, re.I)
        assert status == (1 if nothing else 0), (command, err)
        assert faults(line) == [], command


@pytest.mark.parametrize(
    "command", ["rounds risk-20v15", "survival knt-raid --quiet --battles 500", "examples risk-path"]
)
def test_line_1_of_a_process(command):
    # readline sets COLUMNS for the children of a process, not in its os.environ.
    asked, env = [sys.executable, "-m", "simulator", *command.split()], dict(os.environ)
    found = subprocess.run(asked, capture_output=True, text=True, timeout=120, check=True, env=env)
    assert re.fullmatch(r"[A-Z#].*\.", found.stdout.splitlines()[0])


@pytest.mark.parametrize("command", ["rounds risk-20v15", "worth risk-20v15 --weight win=1", "survival knt-raid"])
def test_quiet_prints_line_1_alone_and_a_simulated_chance_its_interval(command, capsys):
    assert run([*command.split(), "--quiet", "--battles", "500"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert re.search(r"about [\d.]+ % \([\d.]+ to [\d.]+\)", out)


def test_quiet_prints_line_1_of_a_replay(capsys):
    assert run(["replay", "risk-20v15", "--luck"]) == 0
    whole = capsys.readouterr().out
    assert run(["replay", "risk-20v15", "--luck", "--quiet"]) == 0
    assert capsys.readouterr().out == whole.splitlines(keepends=True)[0]


@pytest.mark.parametrize("name", ["risk-20v15", "axis-land-flak", "knt-raid", "europa-vienna-1529", "power-lepanto"])
def test_python_and_json_have_the_same_sentence(name, capsys):
    assert run(["rounds", name, "--battles", "300", "--most", "2"]) == 0
    line = capsys.readouterr().out.splitlines()[0]
    assert run(["rounds", name, "--battles", "300", "--most", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["headline"] == line
