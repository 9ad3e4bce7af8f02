"""The check values of the rules document (section 16)."""

import pytest

from simulator import exact

AA, TI = "axis-and-allies-1942", "twilight-imperium-4"


def army(text):
    """`10 infantry 5 tank` as a table."""
    words = text.split()
    return {name: int(number) for number, name in zip(words[::2], words[1::2], strict=True)}


FLEET = "6 submarine 4 destroyer 2 cruiser 2 carrier 4 fighter 2 battleship"
LAND = "10 infantry 5 tank"
CHECKS = [
    (AA, "land", "1 infantry", "1 infantry", (0.25, 0.625, 0.125, 2.25), {"attacker_cost_lost": 2.25}),
    (
        AA,
        "land",
        LAND,
        "12 infantry 3 fighter",
        (0.155387260967, 0.830566626304, 0.014046112728, 3.664910095787),
        {"attacker_cost_lost": 56.970564195, "defender_cost_lost": 34.915190611},
    ),
    (
        AA,
        "land",
        "6 infantry 4 artillery 2 tank",
        "8 infantry 2 artillery",
        (0.884461441860, 0.108187405026, 0.007351153113, 3.608819641468),
        {},
    ),
    (
        AA,
        "land",
        "3 infantry 2 tank 3 fighter 1 bomber",
        "1 aa_gun 5 infantry 2 artillery 1 tank",
        (0.652840930476, 0.317687659225, 0.029471410298, 3.330673734931),
        {"taken": 0.248539963189},
    ),
    (
        AA,
        "amphibious",
        "3 infantry 1 artillery 1 tank 2 fighter 1 battleship 1 cruiser",
        "5 infantry 1 tank 1 fighter 1 aa_gun",
        (0.343063962225, 0.616095857401, 0.040840180374, 3.004042088380),
        {"taken": 0.178236440657},
    ),
    (
        AA,
        "sea",
        "4 submarine",
        "1 battleship 1 cruiser 2 transport",
        (0.729580394211, 0.270419605789, 0, 2.750173871954),
        {},
    ),
    (
        AA,
        "sea",
        FLEET,
        FLEET.replace("6 sub", "4 sub") + " 2 transport",
        (0.646198581922, 0.353801418065, 1.3e-11, 3.687675239856),
        {"stalemate": 1.3e-11},
    ),
    (
        AA,
        "land",
        "30 infantry 10 artillery 8 tank 6 fighter 2 bomber",
        "40 infantry 6 artillery 4 tank 6 fighter 2 aa_gun",
        (0.140607184057, 0.855466462745, 0.003926353198, 4.223294615281),
        {"taken": 0.065064178810},
    ),
    (
        TI,
        "space",
        "1 carrier 3 fighter 1 destroyer",
        "2 cruiser 1 fighter",
        (0.784382658271, 0.198084799242, 0.017532542487, 3.422578066647),
        {},
    ),
    (
        TI,
        "space",
        "2 dreadnought 1 cruiser 1 carrier 4 fighter",
        "1 war_sun 2 destroyer 2 fighter",
        (0.492079223129, 0.347411927663, 0.160508849208, 2.778472527875),
        {},
    ),
    (
        TI,
        "ground",
        "5 infantry 1 war_sun",
        "4 infantry 2 pds",
        (0.940955441401, 0.050666499652, 0.008378058946, 1.887442066092),
        {},
    ),
]


@pytest.mark.parametrize(("game", "battle", "attacker", "defender", "chances", "other"), CHECKS)
def test_check_values(game, battle, attacker, defender, chances, other):
    odds = exact({"game": game, "battle": battle, "attacker": army(attacker), "defender": army(defender)})
    found = [odds.winner(side) for side in ("attacker", "defender", "nobody")] + [odds.mean("rounds")]
    assert found == pytest.approx(chances, abs=6e-12)
    for column, value in other.items():
        found = odds.mean(column) if column.endswith("lost") else odds.p(column)
        assert found == pytest.approx(value, abs=6e-10)
    assert odds.residual <= 1e-12


def test_check_value_of_low_luck():
    odds = exact(
        {
            "game": AA,
            "battle": "land",
            "attacker": army(LAND),
            "defender": army("12 infantry 3 fighter"),
            "options": {"dice": "low-luck"},
        }
    )
    assert odds.winner("defender") == pytest.approx(1)
    assert odds.mean("rounds") == pytest.approx(3.645061728395, abs=1e-12)
    assert odds.mean("defender_cost_lost") == pytest.approx(29.898148148, abs=1e-9)
