"""Round tables against the published counts, the shipped tables of all settings, and throws written out."""

import csv
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import pytest

from simulator.rules.risk.tables import Hand, compare, dice_rolled, kept_dice, lost, modified, round_table
from tests.risk.reference import naive_round

CLASSIC = Hand(3, 6), Hand(2, 6)


def rows_by_setting():
    found = defaultdict(dict)
    with (Path(__file__).parent / "round_tables.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = tuple(
                value for name, value in row.items() if name not in ("attacker_loses", "defender_loses", "ways")
            )
            found[key, tuple(row)][int(row["attacker_loses"]), int(row["defender_loses"])] = int(row["ways"])
    return found


TABLES = rows_by_setting()


@pytest.mark.parametrize("key", TABLES, ids=lambda key: "-".join(key[0][:4]))
def test_published_round_tables(key):
    values, names = key
    row = dict(
        zip([name for name in names if name not in ("attacker_loses", "defender_loses", "ways")], values, strict=True)
    )
    shared = {"clamp": row["clamp"] == "true", "resort": row["resort"] == "true"}
    a, d = int(row["attack_dice"]), int(row["defence_dice"])
    attack = Hand(
        a,
        int(row["attack_die_sides"]),
        commanders=int(row["attacker_commanders"]),
        modifier_highest=int(row["attacker_modifier_highest"]),
        **shared,
    )
    defence = Hand(
        d,
        int(row["defence_die_sides"]),
        bonus_dice=int(row["defender_bonus_dice"]),
        modifier_highest=int(row["defender_modifier_highest"]),
        modifier_lowest=int(row["defender_modifier_lowest"]),
        modifier_all=int(row["defender_modifier_all"]),
        **shared,
    )
    found = {lost(result): ways for result, ways in round_table(attack, defence, a, d, row["ties"]).items()}
    assert found == TABLES[key]
    assert sum(found.values()) == int(row["of"])


@pytest.mark.parametrize("a", [1, 2, 3])
@pytest.mark.parametrize("d", [1, 2])
def test_classic_rounds_against_every_throw(a, d):
    table = round_table(*CLASSIC, a, d, "defender")
    total = sum(table.values())
    assert {lost(r): Fraction(w, total) for r, w in table.items()} == naive_round(a, d)


@pytest.mark.parametrize(
    ("mine", "theirs", "losses"),
    [
        ((6, 3, 2), (5, 3), (1, 1)),
        ((4, 4, 1), (6, 2), (1, 1)),
        ((5, 1, 1), (4,), (0, 1)),
        ((3, 3, 2), (6, 5), (2, 0)),
        ((2, 2, 1), (5, 1), (1, 1)),
        ((6, 6, 1), (6, 5), (1, 1)),
    ],
)
def test_hands_compared_in_order(mine, theirs, losses):
    assert compare(mine, theirs, "defender") == losses


def test_ties_go_where_the_option_says():
    assert [compare((4,), (4,), ties) for ties in ("defender", "attacker", "both", "nobody")] == [
        (1, 0),
        (0, 1),
        (1, 1),
        (0, 0),
    ]


def test_modifiers_in_the_order_of_section_3():
    assert modified(Hand(3, 6, modifier_highest=-1), (6, 6, 2)) == (5, 6, 2)
    assert modified(Hand(3, 6, modifier_highest=-1, resort=True), (6, 6, 2)) == (6, 5, 2)
    assert modified(Hand(3, 6, modifier_highest=1, modifier_lowest=-1, modifier_all=1), (4,)) == (5,)
    assert modified(Hand(1, 6, modifier_highest=-1), (1,)) == (0,)
    assert modified(Hand(1, 6, modifier_highest=-1, clamp=True), (1,)) == (1,)
    assert modified(Hand(2, 6, modifier_all=3, clamp=True), (6, 2)) == (6, 5)
    assert modified(Hand(2, 6, commanders=1, modifier_all=3, clamp=True), (8, 2)) == (8, 5)


def test_the_largest_die_is_of_those_rolled():
    assert max(dice_rolled(Hand(3, 6, commanders=2), 1)) == 8
    assert max(dice_rolled(Hand(3, 10, commanders=2), 2)) == 8
    assert max(dice_rolled(Hand(3, 10, commanders=2, bonus_dice=1), 2)) == 10


def test_bonus_dice_keep_the_best():
    ways = kept_dice(Hand(2, 6, bonus_dice=1), 2)
    assert sum(ways.values()) == 216
    assert ways[6, 5] == 27
    assert all(len(hand) == 2 and hand[0] >= hand[1] for hand in ways)


def test_commanders_roll_their_own_die():
    ways = kept_dice(Hand(3, 6, commanders=1), 2)
    assert sum(ways.values()) == 48
    assert ways[8, 6] == 1
