"""Every command at 80 and at 60 columns: no line is longer, and nothing is cut."""

import pytest

from simulator.cli import run
from simulator.cli.commands import COMMANDS, GROUPS

RISK = "--set attacker.regiments=6 --set defender.regiments=4"
LINES = {
    "odds": [
        f"risk-20v15 {RISK} --explain",
        f"risk-20v15 {RISK} --battles 2000 --all",
        "axis-land-artillery --explain",
    ],
    "sweep": [
        f"risk-20v15 {RISK} --vary attacker.regiments=2:14 --vary defender.regiments=1:12",
        f"risk-20v15 {RISK} --vary attacker.regiments=2:6 --battles 500",
    ],
    "need": [
        f"risk-20v15 {RISK} --vary attacker.regiments",
        f"risk-20v15 {RISK} --vary attacker.regiments=1:9 --vary attacker.commanders=0:3 --target 60%",
    ],
    "campaign": [f"risk-20v15 {RISK} --counter-attack --join attacker.regiments=3", "skirmish-charge"],
    "survival": ["axis-land-artillery"],
    "replay": ["risk-20v15", "axis-land-artillery", "axis-land-artillery --luck", "europa-vienna-1529"],
    "schema": ["risk", "risk land", "europa land", "skirmish", "skirmish field", "game-file", "campaign"],
    "best": [f"risk-20v15 {RISK} --weight take=10 --weight attacker_regiments_lost=-1"],
    "plan": ["plan-eastern-front", "plan-hold-moscow"],
    "balance": [f"risk-20v15 {RISK} --vary attacker.regiments=2:6"],
    "compare": [f"risk-20v15 risk-20v15 {RISK} --set 2:attacker.regiments=9"],
    "sensitivity": [
        f"risk-20v15 {RISK}",
        f"risk-20v15 {RISK} --vary attacker.regiments=2:4 --vary options.ties=defender,both",
    ],
    "units": ["axis-land-artillery"],
    "worth": [f"risk-20v15 {RISK} --weight win=10 --lose 3"],
    "rounds": [f"risk-20v15 {RISK}", f"risk-20v15 {RISK} --all", "axis-land-artillery --after 2", "campaign-two-raids"],
    "luck": ["LOG"],
    "list": ["europa", "europa leaders", "skirmish units", "knt creatures", "knt items"],
    "rules": ["", "europa", "europa 3.2", "custom_games 2"],
    "games": ["", "check skirmish", "check twilight-imperium-4"],
    "examples": [""],
    "cache": [""],
}
# The web page prints its address and does not end.
WITHOUT = {"web"}


def test_every_command_has_a_line():
    assert set(LINES) == {*COMMANDS, *GROUPS} - WITHOUT


@pytest.fixture
def screen(capsys, monkeypatch, tmp_path):
    """Run a command at a width; the lines that it prints on both outputs."""
    monkeypatch.setattr("simulator.scenarios.example_names", lambda: ["risk-20v15"])
    log = tmp_path / "log.csv"
    log.write_text("scenario,attacker.regiments,winner\nrisk-20v15,9,defender\nrisk-20v15,6,attacker\n")

    def call(width, *arguments):
        monkeypatch.setenv("COLUMNS", str(width))
        status = run([str(log) if one == "LOG" else one for one in arguments])
        printed = capsys.readouterr()
        return status, (printed.out + printed.err).splitlines()

    return call


def fits(lines, width):
    """The lines that are too long, or cut. The path of a file is printed as a whole."""
    return [line for line in lines if len(line) > width or "…" in line]


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize("command", LINES)
def test_fits(screen, command, width):
    for line in LINES[command]:
        status, lines = screen(width, command, *line.split())
        assert status == 0, lines
        assert fits(lines, width) == [], f"{command} {line}"


@pytest.mark.parametrize("width", [80, 60])
def test_help_fits(screen, width):
    for arguments in ([], ["--help"], *([command, "--help"] for command in LINES)):
        status, lines = screen(width, *arguments)
        assert status == 0
        assert fits(lines, width) == []
    listed = [line for line in screen(80)[1] if line.startswith("  ")]
    assert not any(line.endswith("...") for line in listed)
