"""The list of mutants stays true; whether they are killed says `python -m tests.mutants`."""

from pathlib import Path

import pytest

from tests.mutants import MUTANTS, ROOT, became_of


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: f"{one.file}: {one.new}")
def test_the_old_text_of_a_mutant_stands_once_in_its_file_and_its_tests_are_there(mutant):
    assert (ROOT / "simulator" / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1
    assert mutant.new != mutant.old
    files = [word for word in mutant.tests.split() if word.startswith("tests/")]
    assert files
    assert all((ROOT / name).exists() for name in files)


def test_mutants_touch_every_game():
    touched = {Path(mutant.file).parts[1] for mutant in MUTANTS if mutant.file.startswith("rules/")}
    assert touched >= {"risk", "kings_and_things", "price_of_power", "europa", "birthright", "custom"}


def test_a_mutant_that_cannot_be_applied_is_not_killed(tmp_path):
    (tmp_path / "simulator").mkdir()
    (tmp_path / "simulator" / "file.py").write_text("a = 1\na = 1\n", encoding="utf-8")
    twice = MUTANTS[0]._replace(file="file.py", old="a = 1")
    assert became_of(twice, tmp_path) == "stands 2 times in its file"
