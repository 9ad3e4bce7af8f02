"""Functions that games share (simulator/rules/toolkit), each against a slow and obvious one."""

import random
from collections import Counter
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from simulator.engine.model.chain import OutcomeDistribution, Share
from simulator.engine.model.chance import CERTAIN, TableBook
from simulator.rules.battle import Refusal, gathered, without_stage
from simulator.rules.toolkit import faces, losses, merging, naming, policies, retreat, weights
from simulator.rules.toolkit.retreat import Leave

DIE = dict.fromkeys(range(1, 7), 1)


# --- weights -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dice", "target"), [(0, 3), (1, 0), (3, 2), (4, 6), (2, 9)])
def test_hits_of_equal_dice(dice, target):
    found = Counter(sum(face <= target for face in throw) for throw in product(range(1, 7), repeat=dice))
    assert weights.hits(dice, target, 6) == found


@pytest.mark.parametrize("prices", [[1, 2], [0.1, 0.2], [2.5, 1_000_000.0], [1 / 3, 0.1], [1e-7, 3.0], [0.0]])
def test_prices_add_up_as_they_are_written(prices):
    counts = np.array(list(product(range(8), repeat=len(prices))), np.int64)
    exact = [float(sum(Fraction(str(x)) * int(n) for n, x in zip(row, prices, strict=True))) for row in counts]
    found = weights.decimal_sums(counts, prices)
    assert found.tolist() == (exact if max(len(str(x)) for x in prices) < 10 else pytest.approx(exact))


def test_sums_are_counted_whole():
    assert weights.sum_of(DIE, 3) == Counter(sum(throw) for throw in product(range(1, 7), repeat=3))
    parts = [DIE, {0: 1, 5: 2}, {2: 3}]
    throws = product(*(list(Counter(part).elements()) for part in parts))
    assert weights.sum_of_all(parts) == Counter(sum(throw) for throw in throws)
    assert weights.sum_of(DIE, 0) == weights.sum_of_all([]) == CERTAIN
    assert sum(weights.sum_of(DIE, 200).values()) == 6**200


@pytest.mark.parametrize("largest", [3, 10**6, 10**12])
def test_equal_rows_once_in_the_order_in_which_they_are_met(largest):
    rows = np.random.default_rng(1).choice([-largest, 0, 1, largest], (500, 4))
    found, which = weights.distinct(rows)
    assert (found[which] == rows).all()
    assert found.tolist() == [list(row) for row in dict.fromkeys(map(tuple, rows.tolist()))]


@pytest.mark.parametrize("size", [1, 2, 20, 500])
def test_equal_rows_have_one_number_in_the_order_in_which_they_first_occur(size):
    rng = np.random.default_rng(size)
    columns = [rng.integers(-2, 3, size), rng.integers(0, 2, size) > 0, rng.integers(0, 3, size) * 10**12]
    rows = list(zip(*[column.tolist() for column in columns], strict=True))
    seen = []
    for row in rows:
        if row not in seen:
            seen.append(row)
    first, number = merging.in_order(columns, size)
    assert number.tolist() == [seen.index(row) for row in rows]
    assert first.tolist() == [rows.index(row) for row in seen]
    first, number = merging.in_order([], size)  # nothing tells them apart
    assert (first.tolist(), number.tolist()) == ([0], [0] * size)


def test_capped():
    assert weights.capped({0: 1, 2: 5, 3: 7}, 2) == {0: 1, 2: 12}


# --- tables by key -------------------------------------------------------------------------------------------------


def test_tables_by_key_are_made_once():
    book, made = TableBook(), []

    def make():
        made.append(1)
        return weights.hits(2, 3, 6)

    assert book.by(("hits", 2), make) == book.by(("hits", 2), make) == 1
    assert made == [1]
    assert book.add({0: 1, 1: 2, 2: 1}) == 1, "the same table in lowest terms"


def test_tables_of_arrays_stand_beside_weights():
    book = TableBook()
    row = (np.array([1, 4]), np.array([0.25, 0.75]))
    assert book.add({2: 1, 3: 1}) == 1
    assert book.add(row) == book.add(row) == 2
    assert book.weights(2) == {1: 0.25, 4: 0.75}
    tables = book.close()
    assert tables.result.tolist() == [0, 2, 3, 1, 4]
    assert tables.weight.tolist() == [1, 0.5, 0.5, 0.25, 0.75]


# --- faces ---------------------------------------------------------------------------------------------------------


def test_one_face_that_fits():
    dice = random.Random(1)
    assert {faces.face_where(range(1, 7), lambda face: face > 4, dice) for _ in range(50)} == {5, 6}


def test_thrown_until_it_fits():
    dice = random.Random(1)
    assert faces.thrown_until(lambda rng: rng.randint(1, 6), lambda face: face == 6, dice) == 6
    assert faces.thrown_until(lambda rng: rng.randint(1, 6), lambda face: face == 7, dice, most=100) is None


@pytest.mark.parametrize("wanted", [{0}, {3}, {3, 4, 5}, {5}, {0, 4}])
def test_each_throw_with_a_sum_that_fits_is_as_likely_as_it_should_be(wanted):
    values = [(0, 0, 1, 1), (0, 2), (0, 0, 1, 2)]
    dice, throws = random.Random(7), 6000
    fitting = [
        throw
        for throw in product(*(range(1, len(worth) + 1) for worth in values))
        if sum(worth[face - 1] for worth, face in zip(values, throw, strict=True)) in wanted
    ]
    seen = Counter(tuple(faces.summing_to(values, wanted.__contains__, dice)) for _ in range(throws))
    assert set(seen) == set(fitting)
    share = throws / len(fitting)
    assert all(abs(count - share) < 5 * share**0.5 + 1e-9 for count in seen.values())


def test_no_throw_where_there_is_none():
    assert faces.summing_to([(0, 1)], lambda total: total == 2, random.Random(1)) is None
    assert faces.hitting([0, 0], 6, 1, random.Random(1)) is None


@given(some.lists(some.integers(0, 7), max_size=8), some.data())
def test_dice_hit_as_often_as_told(targets, data):
    most, least = sum(target > 0 for target in targets), sum(target >= 6 for target in targets)
    hits = data.draw(some.integers(least, most))
    shown = faces.hitting(targets, 6, hits, random.Random(3))
    assert len(shown) == len(targets)
    assert sum(face <= target for face, target in zip(shown, targets, strict=True)) == hits


def test_a_rare_result_takes_no_longer():
    assert faces.hitting([1] * 300, 6, 300, random.Random(1)) == [1] * 300


# --- losses --------------------------------------------------------------------------------------------------------


def test_a_line_that_depends_on_what_is_left():
    def most_numerous(left):
        left[left.index(max(left))] -= 1

    assert losses.left_along([3, 1], most_numerous).tolist() == [[3, 1], [2, 1], [1, 1], [0, 1], [0, 0]]
    assert losses.left_along([0, 0], most_numerous).tolist() == [[0, 0]]


# --- retreat -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        (Leave(), lambda units, rounds, enemy: False),
        (Leave(below=3), lambda units, rounds, enemy: units < 3),
        (retreat.any_of(Leave(below=4)), lambda units, rounds, enemy: units <= 3),
        (retreat.any_of(Leave(below=10**30)), lambda units, rounds, enemy: True),
        (Leave(rounds=2), lambda units, rounds, enemy: rounds >= 2),
        (retreat.outnumbered(), lambda units, rounds, enemy: units < enemy),
        (retreat.outnumbered(Fraction(3, 2)), lambda units, rounds, enemy: 2 * units < 3 * enemy),
        (Leave(worn_down=2), lambda units, rounds, enemy: enemy <= 2),
        (
            retreat.any_of(Leave(below=2), Leave(rounds=3), retreat.outnumbered()),
            lambda units, rounds, enemy: units < 2 or rounds >= 3 or units < enemy,
        ),
    ],
)
def test_policies_say_leave_when_they_should(policy, says):
    for units, rounds, enemy in product(range(6), repeat=3):
        assert retreat.leaves(policy, units, rounds, units, enemy) == says(units, rounds, enemy)
    assert retreat.reads_rounds(policy) == (policy.rounds < retreat.NO_LIMIT)


def test_two_ratios_are_refused():
    with pytest.raises(ValueError, match="ratios"):
        retreat.any_of(retreat.outnumbered(), retreat.outnumbered(Fraction(2)))


# --- policies ------------------------------------------------------------------------------------------------------


def test_a_parameter_is_needed_by_its_policy_and_refused_without_it():
    parameters = {"below": "stop_below", "after": "after_rounds"}
    given = SimpleNamespace(stop_below=3, after_rounds=None)
    policies.check_parameters("policy.attacker", given, policies.named("below"), parameters)
    with pytest.raises(Refusal, match=r"^policy.attacker.after_rounds: is needed by the policy after") as missing:
        policies.check_parameters("policy.attacker", given, ["below", "after"], parameters)
    assert not missing.value.unused
    with pytest.raises(Refusal, match=r"^policy.attacker.stop_below: 3 is not allowed without") as spare:
        policies.check_parameters("policy.attacker", given, ["never"], parameters)
    assert spare.value.unused
    with pytest.raises(Refusal, match="cannot be combined"):
        policies.check_alone("policy.attacker.retreat", ["below", "never"], "never")


# --- naming --------------------------------------------------------------------------------------------------------


def test_words():
    assert naming.plural(1, "hit") == "1 hit"
    assert naming.plural(0, "hit") == "0 hits"
    assert naming.plural(2, "cavalry", "cavalry") == "2 cavalry"
    assert naming.listed([]) == ""
    assert naming.listed(["a"]) == "a"
    assert naming.listed(["a", "b", "c"]) == "a, b and c"
    assert naming.listed(["a", "b"], "or") == "a or b"
    assert naming.sentence("the attacker wins") == "The attacker wins."
    assert [naming.winner_text(code) for code in (0, 1, 2)] == [
        "the attacker wins", "the defender wins", "nobody wins"]  # fmt: skip
    won, lost = np.array([True, False, False]), np.array([False, True, False])
    assert naming.winners(won, lost).tolist() == [0, 1, 2]


def test_the_rule_compiles():
    from numba import njit

    from simulator.engine.jit import kernels as compiled

    compiled.bind_rules()
    ask = njit(lambda leave, units: retreat.leaves(leave, units, 0, units, 4))
    policy = retreat.any_of(Leave(below=2), retreat.outnumbered())
    assert [bool(ask(policy, units)) for units in range(6)] == [units < 4 for units in range(6)]


# --- courses -------------------------------------------------------------------------------------------------------


def test_courses_of_a_composed_battle():
    ends = OutcomeDistribution(None, np.array([0.5, 0.3, 0.2]), np.array([5, 3, 2]))
    taken = [
        (ends, np.array([True, False, True]), {"winner": np.array([0, 1, 1]), "won": True}),
        (ends, np.array([False, False, False]), {"winner": 0}),
        without_stage(Share(0.3, 3), {"landed": 4}),
    ]
    found = gathered(taken, {"winner": 2, "landed": 0, "won": False})
    assert {name: values.tolist() for name, values in found.columns.items()} == {
        "winner": [0, 1, 2],
        "landed": [0, 0, 4],
        "won": [True, True, False],
    }
    assert (found.p.tolist(), found.count.tolist()) == ([0.5, 0.2, 0.3], [5, 2, 3])
