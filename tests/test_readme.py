"""The README is short, stands on no host, its questions are answered; the documentation lists all commands and games.

tests/test_documents.py runs its code and follows its links. `python -m tests.test_readme` writes the answers to its
questions anew.
"""

import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest

import simulator
from simulator import rules

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# The one place that names the address of the public repository.
HOME = PROJECT["urls"]["Source"]


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 130


def test_the_readme_stands_on_no_host():
    """Links and pictures are relative, and there are no badges; `.ci/package` checks the links of a package."""
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert len(links) > 20
    assert [link for link in links if re.match("[a-z]+:", link)] == []
    assert not re.search(r"\b(uvx|pipx)\b|https?://", README)


# A row of the questions at the table: what is asked, the command, the first line of its answer.
QUESTION = re.compile(r"^\| (.+) \| `battle-odds ([^`]+)` \| (.+) \|$", re.MULTILINE)
CPU_SECONDS = 3


def write_files(folder):
    """The scenario and the log that the README shows."""
    for name, block in re.findall(r"^```toml\n# ([\w-]+\.toml)\n(.*?)^```", README, re.MULTILINE | re.DOTALL):
        (folder / name).write_text(block, encoding="utf-8")
    for name, block in re.findall(r"<!-- file: (\S+) -->\n```text\n(.*?)^```", README, re.MULTILINE | re.DOTALL):
        (folder / name).write_text(block, encoding="utf-8")


def asked_afresh(command, folder):
    """Standard output of a command in a process of its own with an empty cache, and its CPU time in seconds."""
    write_files(folder)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "simulator", *shlex.split(command)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"BATTLE_ODDS_CACHE": str(folder / "cache")},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_there_are_seven_questions():
    assert len(QUESTION.findall(README)) == 7


@pytest.mark.parametrize(("command", "line"), [(command, line) for _, command, line in QUESTION.findall(README)])
def test_the_first_line_answers_the_question(command, line, tmp_path):
    """For a stranger, from an empty folder and an empty cache, within 3 s of CPU (the README promises seconds)."""
    out, seconds = asked_afresh(command, tmp_path)
    assert out.splitlines()[0] == line
    assert seconds < CPU_SECONDS


def test_one_address_and_one_version():
    assert all(address.startswith(HOME) for address in PROJECT["urls"].values())
    assert "version" in PROJECT["dynamic"]
    citation = dict(re.findall(r"^([\w-]+): (.+)$", text_of("CITATION.cff"), re.M))
    assert citation["repository-code"] == HOME
    assert citation["version"] == simulator.__version__
    assert citation["license"] == PROJECT["license"]


def test_the_changelog_keeps_its_form():
    """Keep a Changelog: versions with dates below Unreleased, changes under the kinds that it knows."""
    headings = re.findall("^(##+) (.*)", text_of("CHANGELOG.md"), re.M)
    assert headings[0] == ("##", "[Unreleased]")
    for level, title in headings[1:]:
        pattern = (
            r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d"
            if level == "##"
            else "Added|Changed|Deprecated|Removed|Fixed|Security"
        )
        assert re.fullmatch(pattern, title), title


def test_every_game_and_kind_is_listed():
    listed = text_of("docs/games.md")
    for game in rules.GAMES:
        assert f"`{game}`" in listed
        for kind in rules.battles(game):
            assert f"`{kind}`" in listed


def test_every_command_is_listed():
    from simulator.cli.commands import app_of

    listed = text_of("docs/commands.md")
    app = app_of()
    names = [command.name for command in app.registered_commands if not command.hidden]
    names += [group.name for group in app.registered_groups]
    for name in names:
        assert f"`{name}" in listed, name


if __name__ == "__main__":
    text = README
    for _, command, line in QUESTION.findall(README):
        with tempfile.TemporaryDirectory() as place:
            out, seconds = asked_afresh(command, Path(place))
        print(f"{seconds:.2f} s: {command}")
        text = text.replace(f"`battle-odds {command}` | {line} |", f"`battle-odds {command}` | {out.splitlines()[0]} |")
    (ROOT / "README.md").write_text(text, encoding="utf-8")
