"""Each field that no other test of the game names: a case whose number depends on it."""

import pytest

from simulator import ScenarioError, exact, load


@pytest.mark.parametrize(
    ("sees", "chance"),
    [
        # Dice of two sides, ties to the defender. One regiment each: 2 against 1 wins, 1/4. Two against one: the best
        # of two dice is a 2 in 3/4, against a 1: 3/8, else 1/4 is left: 3/8 + 5/8 x 1/4 = 17/32. One against two:
        # 2 against two 1s, 1/8, and then 1/4: 1/32.
        # Two against two, two dice each. (2, 2) in 1/4: both of the defender's are 1 in 1/4, one of them in 1/2: 3/8.
        # (2, 1) in 1/2: one each if both are 1: 1/4 x 1/4 = 1/16. (1, 1) loses both. 1/4 x 3/8 + 1/2 x 1/16 = 1/8.
        # One die, unseen, is worse for the defender: 3/8 x 17/32 + 5/8 x 1/32 = 7/32.
        (False, 1 / 8),
        # A defender who sees (2, 2) rolls one die: 1/2 x 17/32 + 1/2 x 1/32 = 9/32 in place of 3/8.
        (True, 1 / 4 * 9 / 32 + 1 / 2 * 1 / 16),
    ],
)
def test_a_defender_who_sees_the_attackers_dice(sees, chance):
    """docs/rules/decisions.md section 2.1, Hands."""
    odds = exact(
        {
            "game": "risk", "battle": "land", "attacker": {"regiments": 2}, "defender": {"regiments": 2},
            "policy": {"defender": {"hand": "best"}},
            "options": {"attack_die_sides": 2, "defence_die_sides": 2, "defender_sees": sees},
        }
    )  # fmt: skip
    assert odds.winner("attacker") == pytest.approx(chance, abs=1e-12)


@pytest.mark.parametrize(("most", "moved", "allowed"), [(3, 3, True), (3, 4, False), (5, 5, True), (2, 3, False)])
def test_a_fleet_moves_so_many_sea_zones(most, moved, allowed):
    """docs/rules/risk.md section 7."""
    asked = {
        "game": "risk", "battle": "naval", "attacker": {"fleets": 2}, "defender": {"fleets": 1},
        "conditions": {"sea_zones_moved": moved}, "options": {"max_move": most},
    }  # fmt: skip
    if allowed:
        assert load(asked).fields.options.max_move == most
    else:
        with pytest.raises(ScenarioError, match=r"conditions\.sea_zones_moved"):
            load(asked)
