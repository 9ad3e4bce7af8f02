"""Factions, technologies and cards of Twilight Imperium 4 (docs/rules/custom_games.md section 14)."""

import pytest

from simulator import ScenarioError, exact, load
from simulator.rules.custom.game_file.describe_rules import warnings
from simulator.rules.custom.game_file.files import find

TI = "twilight-imperium-4"


def fight(kind, attacker, defender, rounds=1):
    options = {"rounds": rounds} if rounds else {}
    return exact({"game": TI, "battle": kind, "attacker": attacker, "defender": defender, "options": options})


def test_there_are_24_factions():
    options = find(TI).file.option
    factions = [key for key, option in options.items() if option.group == "faction" and key != "no-faction"]
    assert len(factions) == 24
    assert not warnings(find(TI).file)


def test_mentak_fires_first():
    """Two cruisers and a destroyer roll two ambush dice, the cruisers' at 7: 4/10 each; a lone fighter is gone."""
    odds = fight("space", {"cruiser": 2, "destroyer": 1, "options": ["mentak"]}, {"fighter": 1}, rounds=1)
    no_hit = (6 / 10) ** 2
    # Then two barrage dice at 9, and if it still flies a round: two cruisers at 7, a destroyer at 9.
    barrage, round_1 = (8 / 10) ** 2, (6 / 10) ** 2 * (8 / 10)
    assert odds.p("defender_units_left == 1") == pytest.approx(no_hit * barrage * round_1, abs=1e-12)
    assert odds.p("rounds == 0") == pytest.approx(1 - no_hit * barrage, abs=1e-12)


def test_sardakk_and_the_drill_of_a_flagship():
    """Fighters at 9 hit with 9, 10; Unrelenting makes it 8, the flagship 7 more: 4/10. Flagship: two dice at 6 - 1."""
    odds = fight("space", {"fighter": 1, "flagship": 1, "options": ["sardakk"]}, {"dreadnought": 3}, rounds=1)
    missed = (1 - 4 / 10) * (1 - 6 / 10) ** 2
    assert odds.p("defender_dreadnought_damage == 0") == pytest.approx(missed, abs=1e-12)


def test_the_flagship_of_jol_nar():
    """Two dice of four faces in ten that hit, two of them three times: six hits with 4/100, none with 36/100."""
    odds = fight("space", {"flagship": 1, "options": ["jol-nar"]}, {"dreadnought": 3}, rounds=1)
    assert odds.p("defender_units_lost == 3") == pytest.approx(0.04, abs=1e-12)
    assert odds.p("defender_units_lost == 0 & defender_dreadnought_damage == 0") == pytest.approx(0.36, abs=1e-12)


def test_harrow_is_bombardment():
    """After a round in which nobody hits (infantry at 8 and at 7), one dreadnought bombards at 5 (6/10) again."""
    army, alone = {"infantry": 1, "dreadnought": 1}, {"infantry": 1}

    def left(attacker=(), defender=(), **more):
        sides = army | {"options": ["l1z1x", *attacker]}, alone | more | {"options": [*defender]}
        return fight("ground", *sides).p("defender_units_left == 1")

    misses = 7 / 10
    assert left() == pytest.approx((4 / 10) * misses * (4 / 10), abs=1e-12)
    assert left(["plasma-scoring"]) == pytest.approx((4 / 10) ** 2 * misses * (4 / 10) ** 2, abs=1e-12)
    assert left([], ["bunker"]) == pytest.approx((8 / 10) * misses * (8 / 10), abs=1e-12)
    # A PDS: no bombardment and no Harrow; its space cannon (5/10) comes before the round.
    assert left(pds=1) == pytest.approx(5 / 10 + 5 / 10 * misses, abs=1e-12)


def test_harrow_as_in_ti4calc():
    """Its test: attacker .803, nobody .063, defender .132, of simulated battles."""
    odds = fight("ground", {"infantry": 5, "dreadnought": 3, "options": ["l1z1x"]}, {"infantry": 8}, rounds=0)
    assert [odds.winner(one) for one in ("attacker", "nobody", "defender")] == pytest.approx(
        [0.803, 0.063, 0.132], abs=0.005
    )


def test_supercharge_and_spec_ops():
    """Sol's infantry hits at 7: 4/10; with Morale Boost in the first round at 6: 5/10. The other infantry: 3/10."""
    sides = {"infantry": 1, "options": ["sol", "morale-boost"]}, {"infantry": 1}
    odds = fight("ground", *sides)
    assert odds.p("defender_units_left == 0") == pytest.approx(0.5, abs=1e-12)
    assert odds.p("attacker_units_left == 0") == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize(
    ("side", "complaint"),
    [
        ({"flagship": 1}, r"attacker\.flagship: needs one of these options: faction"),
        (
            {"cruiser": 1, "options": ["memoria-2"]},
            r"attacker\.options\[0\]: memoria-2 needs one of these options: nomad",
        ),
        ({"cruiser": 1, "options": ["sol", "saar"]}, r"attacker\.options\[1\]: saar is a second faction beside sol"),
        (
            {"cruiser": 1, "hel_titan": 1, "options": ["sol"]},
            r"attacker\.hel_titan: needs one of these options: titans",
        ),
        ({"cruiser": 1, "cruiser_2": 1}, r"attacker\.cruiser_2: stands in the place of cruiser"),
    ],
)
def test_refused(side, complaint):
    with pytest.raises(ScenarioError, match=complaint):
        load({"game": TI, "battle": "space", "attacker": side, "defender": {"cruiser": 1}})
