"""The README is short, its links work on PyPI, and the documentation lists all commands and games.

tests/test_documents.py runs its code and follows its links.
"""

import re
import tomllib
from pathlib import Path

import simulator
from simulator import rules

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# The one place that names the address of the public repository.
HOME = PROJECT["urls"]["Source"]


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def in_repository(address):
    """The path of a file or folder that an address of the public repository shows."""
    path = address.removeprefix(HOME).partition("#")[0]
    workflow = re.fullmatch(r"/actions/workflows/([\w.]+)(/badge\.svg)?", path)
    return f".github/workflows/{workflow[1]}" if workflow else re.sub("^/(blob|tree|raw)/main/", "", path)


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 115


def test_links_of_the_readme_work_on_pypi():
    """They are absolute, and those into the repository lead to files that exist."""
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert all(link.startswith("https://") for link in links)
    inside = [in_repository(link) for link in links if link.startswith("https://github.com/")]
    assert len(inside) > 20
    for path in inside:
        assert (ROOT / path).exists(), path
    for picture in re.findall(r"!\[[^]]*\]\(([^)]+docs/pictures[^)]+)\)", README):
        assert picture.startswith(f"{HOME}/raw/main/")


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
