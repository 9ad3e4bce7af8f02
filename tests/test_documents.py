"""Code blocks of all documents are run (tests/documents.py says how), and their links lead somewhere.

`python -m tests.test_documents [FILE ...]` writes the answers of console blocks anew.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

import pytest

from simulator import warm
from tests.documents import PAGES, PROMPT, ROOT, Page, dead_links, pieces, same

WIDTH = "80"
RUN = [path for path in PAGES if pieces(path.read_text(encoding="utf-8"))]
# Pages that need the kernels of a game run where its tests run: the kernels are compiled once.
GROUPS = {
    "docs/your-own-game.md": "custom",
    "docs/campaigns.md": "custom",
    "docs/index.md": "risk",
    "docs/python.md": "risk",
    "README.md": "risk",
}


def name_of(path):
    return str(path.relative_to(ROOT))


def grouped(path):
    return pytest.param(path, marks=pytest.mark.xdist_group(GROUPS.get(name_of(path), "documents")))


@pytest.mark.parametrize("path", [grouped(path) for path in RUN], ids=name_of)
def test_code_blocks(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", WIDTH)
    if GROUPS.get(name_of(path)) == "custom":
        # A first answer may be simulated where exact odds need a kernel that is not compiled yet.
        warm("skirmish-charge")
    assert Page(path).text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", RUN, ids=name_of)
def test_commands_stand_in_blocks_that_are_run(path):
    for language, content in pieces(path.read_text(encoding="utf-8")):
        assert language in {"console", "sh"} or not re.search(
            rf"^({re.escape(PROMPT)}|battle-odds )", content, re.MULTILINE
        )


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links(path):
    assert not dead_links(path)


def test_the_gallery_shows_what_its_code_draws():
    text = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    drawn = re.findall(r'path="([\w-]+\.png)"', text)
    assert drawn == [name for name in re.findall(r"\(pictures/([\w-]+\.png)\)", text) if not name.startswith("web-")]


def test_dots_stand_for_anything():
    assert same("a\n...\nd", "a  \nb\nc\nd\n")
    assert same("Rests on: ...\n(1,000 states)", "Rests on: a, b\n(2 states)")
    assert not same("a\n...\nd", "a\nb")


if __name__ == "__main__":
    os.environ["COLUMNS"] = WIDTH
    for page in [Path(name).resolve() for name in sys.argv[1:]] or RUN:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            page.write_text(Page(page).text, encoding="utf-8")
