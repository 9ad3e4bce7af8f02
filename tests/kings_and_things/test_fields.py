"""Each field that no other test of the game names (docs/rules/kings_and_things.md section 2)."""

import pytest

from simulator import exact


def chances(counter):
    asked = {
        "game": "kings-and-things", "battle": "land",
        "attacker": {"creatures": [{"name": "Own", **counter}]},
        "defender": {"creatures": [{"name": "Foe", "value": 3}]},
    }  # fmt: skip
    odds = exact(asked)
    return [odds.winner(side) for side in ("attacker", "defender")]


@pytest.mark.parametrize("symbol", [{}, {"magic": True}, {"ranged": True}, {"charge": True}])
def test_flying_never_matters_in_battle(symbol):
    """A flying counter fights by its other symbol, and hand to hand without one."""
    plain = chances({"value": 4, **symbol})
    assert chances({"value": 4, "flying": True, **symbol}) == plain
    # Hand to hand, on a d6 each, at once: 4/6 x 3/6 of the rounds kill the foe alone, 4/6 x 3/6 both, 2/6 x 3/6 the own
    # one alone; in the others nothing changes. The defender also holds the place if both fall: 12/30 against 18/30.
    if not symbol:
        assert plain == pytest.approx([12 / 30, 18 / 30])
