"""The statements of the README hold."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from simulator import rules

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_example_runs(tmp_path):
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    found = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert "0.86" in found.stdout


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/random-streams.md", "CHANGELOG.md"])
def test_links_lead_somewhere(name):
    path = ROOT / name
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


def test_every_game_and_kind_is_listed():
    table = README.partition("## Games and battle kinds")[2].partition("\n## ")[0]
    for game in rules.GAMES:
        assert f"`{game}`" in table
        for kind in rules.battles(game):
            assert f"`{kind}`" in table


def test_every_command_is_listed():
    from simulator.cli.commands import app_of

    table = README.partition("## A battle on the command line")[2].partition("\n## ")[0]
    app = app_of()
    names = [command.name for command in app.registered_commands if not command.hidden]
    names += [group.name for group in app.registered_groups]
    for name in names:
        assert f"`{name}" in table, name
