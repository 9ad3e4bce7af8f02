"""The bar of survivors against the table of outcomes, and the short names of units."""

import pytest

from simulator import odds
from simulator.report.survivor_bar import LEAST, abbreviations, survivor_bar

AXIS = {
    "game": "axis-and-allies-1942",
    "battle": "land",
    "attacker": {"infantry": 2, "tank": 1},
    "defender": {"infantry": 2},
}


def test_one_infantry_against_one():
    """The attacker hits on 1 (1/6), the defender on 2 or less (2/6), until a hit: 5/6 * 4/6 = 20/36 of rounds go on.

    Of the 16 others in 36: attacker alone hits 1/6 * 4/6 = 4/36, defender alone 5/6 * 2/6 = 10/36, both 2/36.
    """
    answer = odds(AXIS | {"attacker": {"infantry": 1}, "defender": {"infantry": 1}})
    blocks = [(one.side, one.lines, one.words) for one in survivor_bar(answer)]
    assert blocks == [
        ("attacker", ("1 inf",), "1 infantry"),
        ("nobody", (), "nobody wins"),
        ("defender", ("1 inf",), "1 infantry"),
    ]
    assert [one.p for one in survivor_bar(answer)] == pytest.approx([4 / 16, 2 / 16, 10 / 16])


def test_the_blocks_are_the_outcomes_the_best_of_each_side_outside():
    answer = odds(AXIS)
    found = {one.words: one.p for one in survivor_bar(answer) if one.side == "attacker" and len(one.lines[0]) > 1}
    rows = answer.table[answer.table["winner"] == "attacker"].to_dict("records")
    for row in rows:
        units = [(row["attacker_infantry_left"], "infantry"), (row["attacker_tank_left"], "tank")]
        name = ", ".join(f"{n} {unit}" for n, unit in units if n)
        if name in found:
            same = [one["p"] for one in rows if all(one[key] == row[key] for key in row if key.endswith("_left"))]
            assert found[name] == pytest.approx(sum(same), abs=1e-9)
    assert list(found) == ["2 infantry, 1 tank", "1 infantry, 1 tank", "1 tank"]


@pytest.mark.parametrize(
    "name",
    ["risk-20v15", "axis-land-flak", "power-novgorod", "europa-blenheim-1704", "europa-flores-1591", "skirmish-hill"],
)
def test_all_blocks_together_are_all_outcomes(name):
    answer = odds(name)
    blocks = survivor_bar(answer)
    for side in ("attacker", "nobody", "defender"):
        own = [one for one in blocks if one.side == side]
        assert sum(one.p for one in own) == pytest.approx(answer.winner(side), abs=1e-9)
        if side != "nobody":
            assert max(one.better for one in own) == pytest.approx(answer.winner(side), abs=1e-9)
    assert [one.side for one in blocks] == sorted(
        (one.side for one in blocks), key=["attacker", "nobody", "defender"].index
    )
    narrow = [one.p < LEAST for one in blocks]
    assert sum(narrow) < len(blocks) / 2


def test_unlikely_outcomes_share_a_block():
    first, *_, last = survivor_bar(odds("risk-20v15"))
    assert (first.side, first.lines, first.words) == ("attacker", ("17–20",), "17–20 regiments")
    assert (last.side, last.words) == ("defender", "7–15 regiments")


def test_ships_that_no_column_adds_up_are_added():
    answer = odds("europa-flores-1591")
    blocks = {one.words: one.p for one in survivor_bar(answer) if one.side == "attacker"}
    assert blocks["8 warships"] == pytest.approx(
        answer.p("winner == 'attacker' and attacker_warships_left == 8 and attacker_exploration_ships_left == 0"),
        abs=1e-9,
    )
    ships = answer.table.filter(regex="^attacker_(?!gold|troops).*_left$").sum(axis=1)
    won = answer.table["winner"] == "attacker"
    assert blocks["10–11 detachments"] == pytest.approx(answer.table["p"][won & (ships >= 10)].sum(), abs=1e-9)


def test_where_no_units_are_counted_there_is_no_bar():
    assert survivor_bar(odds("europa-columbus-1492")) == []


def test_short_names_are_beginnings_that_no_other_name_has():
    names = [
        "infantry",
        "artillery",
        "tank",
        "fighter",
        "fighter_2",
        "aa_gun",
        "tactical_bomber",
        "transport",
        "tractor",
    ]
    assert abbreviations(tuple(names)) == {
        "infantry": "inf",
        "artillery": "art",
        "tank": "tank",
        "fighter": "fighter",
        "fighter_2": "fighter_2",
        "aa_gun": "aa_gun",
        "tactical_bomber": "tac",
        "transport": "tran",
        "tractor": "trac",
    }
