"""docs/campaigns.md is run: its files are written down, its commands give what it shows.

`python -m tests.campaigns.test_guide` writes the answers anew.
"""

import io
import os
import re
import shlex
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from simulator import cli

GUIDE = Path(__file__).parents[2] / "docs" / "campaigns.md"
BLOCKS = re.compile(r"^```(toml|console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def answer(line):
    """Output of a command, without blanks at the ends of lines."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        assert cli.run(shlex.split(line.removeprefix("$ battle-odds "))) == 0
    return "\n".join(row.rstrip() for row in out.getvalue().strip("\n").splitlines())


def run_again(text):
    """The guide with the answers of today; run in a folder of its own, 80 columns wide."""

    def block(found):
        language, content = found.groups()
        if language == "toml":
            Path(content.split()[1]).write_text(content, encoding="utf-8")
        elif language == "python":
            exec(compile(content, str(GUIDE), "exec"), {})
        else:
            lines = [line for line in content.splitlines() if line.startswith("$ battle-odds ")]
            content = "\n".join(f"{line}\n{answer(line)}" for line in lines).replace("\n\n\n", "\n\n").rstrip() + "\n"
        return f"```{language}\n{content}```"

    return BLOCKS.sub(block, text)


def test_the_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    text = GUIDE.read_text(encoding="utf-8")
    # The number of states is no part of an answer.
    now, written = (re.sub(r"\([\d,]+ states", "(states", one) for one in (run_again(text), text))
    assert now == written
    assert (tmp_path / "turn.png").stat().st_size > 10_000


if __name__ == "__main__":
    os.environ["COLUMNS"] = "80"
    written = GUIDE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        GUIDE.write_text(run_again(written), encoding="utf-8")
