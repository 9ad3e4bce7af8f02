"""docs/security.md: each promise names a test, and the tests that it names exist."""

import ast
import re
from pathlib import Path

import pytest

from simulator import load
from simulator.scenarios import ScenarioError

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "security.md").read_text()
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_the_tests_that_are_named_exist():
    named = NAMED.findall(TEXT)
    assert len(named) > 20
    for file, name in named:
        tree = ast.parse((ROOT / file).read_text())
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"{file}::{name}"


@pytest.mark.parametrize("heading", ["What is not trusted", "What the page keeps"])
def test_each_promise_names_a_test(heading):
    section = TEXT.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    promises = re.split(r"^- ", section, flags=re.M)[1:]
    assert len(promises) > 4
    assert [one for one in promises if not NAMED.search(one)] == []


def test_a_scenario_file_has_an_end(tmp_path):
    path = tmp_path / "long.toml"
    path.write_text("#" * 5_000_001)
    with pytest.raises(ScenarioError, match="at most 5,000,000") as refused:
        load(path)
    assert "\n" not in str(refused.value)


def test_a_game_file_has_an_end(tmp_path):
    (tmp_path / "long.toml").write_text("#" * (256 * 1024 + 1))
    with pytest.raises(ScenarioError, match="a game file has at most 256 kB") as refused:
        load({"game": str(tmp_path / "long.toml"), "battle": "field"})
    assert "\n" not in str(refused.value)
