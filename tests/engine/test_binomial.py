"""Chances of numbers of hits."""

from math import exp, lgamma, log

import pytest

from simulator.engine.model.binomial import chances_of_hits


def chance_of(hits, dice, p):
    """The binomial chance of this many hits."""
    ways = lgamma(dice + 1) - lgamma(hits + 1) - lgamma(dice - hits + 1)
    return exp(ways + hits * log(p) + (dice - hits) * log(1 - p))


@pytest.mark.parametrize(("dice", "hit", "whole"), [(1, 1, 36), (7, 12, 36), (1000, 18, 36)])
def test_chances_of_equal_dice(dice, hit, whole):
    low, chances = chances_of_hits([(hit, dice)], whole)
    expected = [chance_of(low + more, dice, hit / whole) for more in range(len(chances))]
    assert chances.tolist() == pytest.approx(expected, rel=1e-9, abs=1e-18)
    assert chances.sum() == pytest.approx(1, abs=1e-14)


def test_dice_of_different_chances_add_up():
    """Two dice of 1/6 and one of 1/2: every throw by hand."""
    low, chances = chances_of_hits([(1, 2), (3, 1)], 6)
    assert low == 0
    assert chances.tolist() == pytest.approx([25 / 72, (25 + 10) / 72, (10 + 1) / 72, 1 / 72], abs=1e-15)
