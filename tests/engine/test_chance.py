from fractions import Fraction

import numpy as np
import pytest

from simulator.engine.model import chance
from simulator.engine.sample import alias
from simulator.engine.sample.alias import alias_of, drawn

UNIT = 1 << 32


def chances_drawn(tables, index):
    """Exact chance of each result over all 2**32 numbers, from the columns of the alias table."""
    made = alias_of(tables)
    width, found = 1 << made.bits, {}
    for column in range(width):
        entry = int(made.entry[(index << made.bits) + column])
        cut, here, other = entry & 0xFFFFFFFF, (entry >> 32) & 0xFFFF, entry >> 48
        share = Fraction(cut, UNIT) / width
        found[here] = found.get(here, 0) + share
        found[other] = found.get(other, 0) + Fraction(1, width) - share
    return {result: p for result, p in found.items() if p}


WEIGHTS = [
    {0: 1},
    {7: 2890, 8: 2611, 65535: 2275},
    {3: 1, 4: 1},
    {i: i + 1 for i in range(100)},
    {0: 10**30, 1: 1, 2: 10**29},
    dict.fromkeys(range(64), 1),
]


@pytest.mark.parametrize("index", range(len(WEIGHTS)))
def test_alias_tables_keep_every_chance_to_a_part_in_four_billion(index):
    tables = chance.tables(WEIGHTS)
    total = sum(WEIGHTS[index].values())
    found = chances_drawn(tables, index)
    assert sum(found.values()) == 1
    for result, weight in WEIGHTS[index].items():
        assert abs(found.get(result, 0) - Fraction(weight, total)) <= Fraction(3, 2 * UNIT)
    assert set(found) <= set(WEIGHTS[index])


def test_alias_tables_made_in_portions_are_the_same(monkeypatch):
    whole = alias_of(chance.tables(WEIGHTS))
    monkeypatch.setattr(alias, "PORTION", 2 << whole.bits)
    portions = alias_of(chance.tables(WEIGHTS))
    assert portions.bits == whole.bits
    assert portions.entry.tolist() == whole.entry.tolist()


def test_every_column_of_equal_chances_is_its_own():
    assert chances_drawn(chance.tables([dict.fromkeys(range(16), 5)]), 0) == {i: Fraction(1, 16) for i in range(16)}


def test_drawing_by_hand_follows_the_entries():
    tables = chance.tables([{0: 1}, {1: 1, 2: 1, 3: 2}])
    counts = np.bincount([drawn(alias_of(tables), 1, number) for number in range(0, UNIT, 1 << 20)], minlength=4)
    assert counts.tolist() == [0, 1024, 1024, 2048]


def test_dice_are_counted_face_by_face():
    assert chance.die(6) == dict.fromkeys(range(1, 7), 1)
    two = chance.combine(chance.die(6), chance.die(6), lambda a, b: a + b)
    assert [two[total] for total in range(2, 13)] == [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]
    assert chance.combine_all([chance.die(6)] * 2, lambda total, face: total + face, 0) == two
    assert chance.seen_as(chance.die(6), lambda face: face % 2) == {0: 3, 1: 3}


@pytest.mark.parametrize("weights", [{}, {3: 0}])
def test_a_table_without_results_is_refused(weights):
    with pytest.raises(ValueError, match="at least one result"):
        chance.tables([weights])


@pytest.mark.parametrize("result", [-1, 65536])
def test_results_out_of_range_are_refused(result):
    with pytest.raises(ValueError, match="from 0 to 65535"):
        chance.tables([{result: 1}])


def test_equal_tables_share_an_index():
    book = chance.TableBook()
    assert (book.add({1: 2, 2: 1}), book.add({2: 1, 1: 2})) == (1, 1)
    assert len(book.close()) == 2


def test_a_sum_of_rolls_has_the_product_of_their_chances():
    coin, third = (np.array([0, 1]), np.array([0.5, 0.5])), (np.array([0, 2, 4]), np.array([0.25, 0.5, 0.25]))
    book = chance.TableBook()
    alone, both = book.by("coin", lambda: coin), book.by("both", lambda: chance.Sum((coin, third)))
    assert book.weights(both) == {0: 0.125, 1: 0.125, 2: 0.25, 3: 0.25, 4: 0.125, 5: 0.125}
    tables = book.close()
    assert tables.rows_of(chance.NO_TABLE).tolist() == [0]
    assert tables.rows_of(alone).tolist() == [0, 1]
    assert tables.rows_of(both).tolist() == [0, 1, 2, 3, 4, 5]
    assert tables.weight.tolist() == [1.0, 0.5, 0.5, 0.125, 0.125, 0.25, 0.25, 0.125, 0.125]


def test_a_sum_whose_chance_is_too_small_for_a_float_is_left_out():
    rare = (np.array([0, 1]), np.array([1.0, 1e-200]))
    twice = chance.from_sums([chance.Sum((rare, (np.array([0, 2]), rare[1])))])
    assert twice.rows_of(0).tolist() == [0, 1, 2]
    assert len(twice) == 1


def test_a_certain_table_is_not_no_table():
    book = chance.TableBook()
    certain, dice = book.add({0: 36}), book.by("dice", lambda: {0: 1, 1: 1})
    assert chance.NO_TABLE not in {certain, dice}
    assert book.add({0: 1}) == certain
    assert [book.unless_idle(index) for index in (certain, dice)] == [chance.NO_TABLE, dice]
    assert book.close().result.tolist() == [0, 0, 0, 1], "no table, the certain one, the dice"


@pytest.mark.parametrize("index", [0, 1])
def test_drawing_at_the_cut_of_a_column_gives_its_other_result(index):
    """A column's first result keeps the numbers below the cut, its other result has those from the cut on."""
    weights = [{1: 1, 2: 2}, {0: 1, 1: 1, 2: 1, 3: 2}][index]
    made, cuts = alias_of(chance.tables([weights])), 0
    for column, entry in enumerate(made.entry.tolist()):
        cut, here, other = entry & 0xFFFFFFFF, entry >> 32 & 0xFFFF, entry >> 48
        if cut and here != other:
            first = (column << 32 - made.bits) + (cut >> made.bits)
            numbers = np.array([first - 1, first], np.uint64)
            assert [drawn(made, 0, first - 1), drawn(made, 0, first)] == [here, other]
            assert alias.drawn_by(made, np.zeros(2, np.int64), numbers).tolist() == [here, other]
            cuts += 1
    assert cuts


def test_a_table_that_always_gives_0_is_no_roll():
    nothing, one = (np.zeros(1, np.int64), np.ones(1)), (np.array([0, 1]), np.array([0.5, 0.5]))
    for table in ({0: 3, 2: 0}, nothing, chance.Sum((nothing, nothing))):
        book = chance.TableBook()
        assert book.unless_idle(book.by("it", lambda table=table: table)) == chance.NO_TABLE
    for table in ({0: 1, 2: 1}, {2: 1}, one, (np.ones(1, np.int64), np.ones(1)), chance.Sum((nothing, one))):
        book = chance.TableBook()
        assert book.unless_idle(book.by("it", lambda table=table: table)) == 1
