"""Every field of every battle kind is named in the tests of its game: a field that no test names may be ignored."""

import re
from pathlib import Path

import pytest

from simulator.rules import GAMES, battles
from simulator.scenarios.schema import field_rows

# A key in quotes, the last word of a path, or a keyword argument.
NAMED = re.compile(r"(\w+)(?:\[\d+\])?[\"']?[:=,)\]]")


@pytest.mark.parametrize("game", [game for game, home in GAMES.items() if isinstance(home, str)])
def test_every_field_is_named_in_the_tests_of_its_game(game):
    files = [file for file in (Path(__file__).parent / game.replace("-", "_")).glob("*") if file.is_file()]
    named = {name for file in files for name in NAMED.findall(file.read_text(encoding="utf-8"))}
    fields = {row.path for kind in battles(game).values() for row in field_rows(kind)}
    assert sorted(path for path in fields if path.rpartition(".")[2] not in named) == []
