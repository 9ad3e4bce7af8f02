import pytest

from simulator.rules.battle import Refusal
from simulator.rules.toolkit.sheets import Column, Sheet

EVEN = Column(range(0, 11, 2), blank=4)
SHEET = Sheet(("name",), {"name": Column(choices=("a", "b")), "value": EVEN}, (("a",),), False)
OLD = ({"name": "a", "value": 0}, {"name": "b", "value": 2})


@pytest.mark.parametrize(
    ("given", "read"),
    [(2, 2), ("10", 10), ("", 4), (3, None), (12, None), (True, None), (2.0, None), ("x", None), ([], None)],
)
def test_numbers_of_a_column(given, read):
    assert EVEN.read(given) == read


def test_a_row_replaces_the_one_with_its_key():
    assert SHEET.replaced(OLD, [{"name": "b", "value": 10}], "t") == (OLD[0], {"name": "b", "value": 10})


@pytest.mark.parametrize(
    ("rows", "field"),
    [
        ([{"name": "b", "value": 3}], "t[0].value"),
        ([{"name": "b", "worth": 3}], "t[0].worth"),
        ([{"value": 2}], "t[0].name"),
    ],
)
def test_refusals_name_row_and_column(rows, field):
    with pytest.raises(Refusal) as refused:
        SHEET.replaced(OLD, rows, "t")
    assert refused.value.field == field


def test_a_whole_table_needs_its_rows():
    with pytest.raises(Refusal, match="row for name=a is missing"):
        SHEET.replaced((), [{"name": "b", "value": 2}], "t")
    with pytest.raises(Refusal, match="needed in a new row"):
        SHEET.replaced((), [{"name": "a"}], "t")
