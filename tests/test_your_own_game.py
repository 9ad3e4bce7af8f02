"""docs/your-own-game.md is run: its files are written down one after the other, its commands give what it shows."""

import re
import shlex
from pathlib import Path

import pytest

from simulator import cli

TEXT = (Path(__file__).parent.parent / "docs" / "your-own-game.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(toml|console)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def shown(text):
    """Lines without the blanks at their ends, no empty ones at the end."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def answers(console, capsys):
    """Output of a console block when it is run."""
    told = []
    for line in console.splitlines():
        if line.startswith("$ battle-odds "):
            cli.run(shlex.split(line.removeprefix("$ battle-odds ")))
            out = capsys.readouterr()
            told.append(f"{line}\n{shown(out.out or out.err)}")
    return "\n".join(told)


def run_blocks(folder, capsys):
    """Each console block as it stands and as it comes out."""
    for language, block in BLOCKS:
        if language == "toml":
            (folder / block.split()[1]).write_text(block, encoding="utf-8")
        else:
            yield block, answers(block, capsys)


def test_the_tutorial(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    pairs = list(run_blocks(tmp_path, capsys))
    assert len(pairs) >= 8
    for written, found in pairs:
        assert shown(written) == shown(found)


def test_it_ends_balanced(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    balanced = next(found for _, found in run_blocks(tmp_path, capsys) if "odds balanced.toml" in found)
    assert float(re.search(r"attacker ([\d.]+) %", balanced)[1]) == pytest.approx(50, abs=6)
