"""Ten published games in format 3: battles worked out by hand, as fractions and with every die written out."""

from fractions import Fraction as F
from math import comb

import pytest

from simulator import exact
from tests.custom.table_top import fight

KINDS = {
    "war-of-the-ring": "battle",
    "britannia": "area",
    "titan": "battle",
    "lordsawar": "battle",
    "freeciv": "attack",
    "space-empires-4x": "space",
    "warhammer-40000": "shooting",
    "julius-caesar": "city",
    "nexus-ops": "hex",
    "risk-2210": "invasion",
}


def battle(game, attacker, defender, **tables):
    return {"game": game, "battle": KINDS[game], "attacker": attacker, "defender": defender} | tables


def holds(scenario, **expected):
    """Chances of the winners and means of columns equal these fractions."""
    odds = exact(scenario)
    for column, value in expected.items():
        found = odds.winner(column) if column in ("attacker", "defender", "nobody") else odds.mean(column)
        assert found == pytest.approx(float(value), abs=1e-10), column


def binomial(n, k, p):
    return comb(n, k) * p**k * (1 - p) ** (n - k)


def at_least(n, k, p):
    return sum(binomial(n, i, p) for i in range(k, n + 1))


# -------------------------------------------------------------- War of the Ring


def test_war_of_the_ring_a_leader_rolls_one_miss_again():
    # Attacker: 5 or 6 hits (1/3), and a miss is rolled again: 1/3 + 2/3 x 1/3 = 5/9. Defender: 1/3. Both at once.
    a, d = F(5, 9), F(1, 3)
    ends = 1 - (1 - a) * (1 - d)
    holds(
        battle("war-of-the-ring", {"regular": 1, "leadership": 1}, {"regular": 1}),
        attacker=a * (1 - d) / ends,  # 10/19
        defender=(1 - a) * d / ends,  # 4/19
        nobody=a * d / ends,  # 5/19
    )


def test_war_of_the_ring_five_dice_at_most_and_sixes_before_a_stronghold():
    # Seven units roll five dice; against a stronghold only sixes hit. One round: the defender stays if all five miss.
    place = {"conditions": {"place": "stronghold"}, "options": {"rounds": 1}}
    holds(battle("war-of-the-ring", {"regular": 7}, {"regular": 1}, **place), attacker=1 - F(5, 6) ** 5)


def test_war_of_the_ring_with_every_die():
    # Attacker 6, 2, 4 and the two misses again: 5, 1: two hits: the elite unit is reduced and lost. The defender's 5
    # costs a regular unit.
    end = fight(
        battle("war-of-the-ring", {"regular": 3, "leadership": 2}, {"elite": 1}),
        {"attacker": [6, 2, 4, 5, 1], "defender": [5]},
    )
    assert (end["winner"], end["rounds"], end["attacker_regular_left"]) == ("attacker", 1, 2)


# -------------------------------------------------------------- Britannia


@pytest.mark.parametrize(("difficult", "a"), [(False, F(3, 6)), (True, F(1, 6))])
def test_britannia_a_roman_army_attacks_one_of_the_belgae(difficult, a):
    # The Roman needs a 4 (in difficult terrain a 6), the army a 6. Both at once.
    d = F(1, 6)
    ends = 1 - (1 - a) * (1 - d)
    holds(
        battle("britannia", {"roman": 1}, {"army": 1}, conditions={"difficult_terrain": difficult}),
        attacker=a * (1 - d) / ends,
        defender=(1 - a) * d / ends,
        nobody=a * d / ends,
    )


def test_britannia_with_every_die():
    # Armies led by a leader need a 4. They hit with 4 and miss with 3; a 5 does not hit a Roman, a 6 does.
    end = fight(
        battle("britannia", {"army": 2, "leader": 1}, {"army": 1, "roman": 1}),
        {"attacker": [4, 3], "defender": [2, 3]},
        {"attacker": [4, 5], "defender": [4]},
    )
    assert (end["winner"], end["rounds"], end["attacker_army_left"]) == ("attacker", 2, 1)


# -------------------------------------------------------------- Titan


def test_titan_an_ogre_strikes_a_centaur():
    # Skill 2 against 4: 4 - 2 + 4 = 6: the ogre's six dice hit with 1/6; the centaur (three to slay) hits with 2 or
    # more: three dice at 5/6. Two phases: the ogre (six to slay) dies only if all six dice of both phases hit.
    # Undecided, the defender has won.
    q1, q2, all_six = at_least(6, 3, F(1, 6)), at_least(12, 3, F(1, 6)), F(5, 6) ** 6
    holds(
        battle("titan", {"ogre": 1}, {"centaur": 1}, options={"rounds": 2}),
        attacker=q1 + (q2 - q1) * (1 - all_six),
        nobody=(q2 - q1) * all_six,  # slain in the phase in which it slays
        defender=1 - q2,
    )


def test_titan_with_every_die():
    # Centaur (skill 4) v ogre (2): 2 or more hits; the ogre needs 6. The slain centaur strikes in the phase in which it
    # falls.
    # Then ogre against ogre: 4 or more: 2 + 3 = 5 of 6 points; a third phase is needed.
    end = fight(
        battle("titan", {"centaur": 1, "ogre": 1}, {"ogre": 1}),
        {"attacker": [2, 1, 6], "defender": [6, 5, 6, 1, 2, 6]},
        {"attacker": [4, 4, 3, 3, 4, 1], "defender": [4, 3, 2, 1, 1, 1]},
        {"attacker": [5], "defender": [4, 4, 1, 1, 1, 1]},
    )
    assert (end["winner"], end["rounds"], end["attacker_ogre_damage"]) == ("attacker", 3, 3)


# -------------------------------------------------------------- LordsAWar!


def test_lordsawar_light_infantry_and_scouts():
    # Strengths 2 and 1 of 20: the attacker alone hits with 2/20 x 19/20, the defender alone with 1/20 x 18/20: of the
    # throws that count the attacker wins 38/56 = 19/28. Two hits each: first to two.
    w = F(19, 28)
    throws = 2 + 2 * w * (1 - w)
    holds(
        battle("lordsawar", {"light_infantry": 1}, {"scouts": 1}),
        attacker=w**2 + 2 * w**2 * (1 - w),
        rounds=throws / (F(2 * 19 + 18, 400)),
    )


def test_lordsawar_with_every_die():
    # Heavy cavalry in the open 4 + 2 = 6 against pikemen 4 + 1 = 5.
    end = fight(
        battle("lordsawar", {"heavy_cavalry": 1}, {"pikemen": 1}),
        {"attacker": [6], "defender": [6]},  # hits alone
        {"attacker": [7], "defender": [5]},  # the pikemen alone
        {"attacker": [3], "defender": [4]},  # both: nothing
        {"attacker": [1], "defender": [20]},
    )
    assert (end["winner"], end["rounds"], end["attacker_heavy_cavalry_damage"]) == ("attacker", 4, 1)


# -------------------------------------------------------------- Freeciv


@pytest.mark.parametrize(("options", "w"), [([], F(8, 12)), (["fortified"], F(8, 14))])
def test_freeciv_a_legion_attacks_a_phalanx(options, w):
    # Attack 4 against defence 2 (fortified 3): each exchange is won with 4/6 (4/7). First to ten.
    attacker = sum(comb(9 + k, k) * w**10 * (1 - w) ** k for k in range(10))
    holds(
        battle("freeciv", {"legion": 1}, {"phalanx": 1, "options": options}), attacker=attacker, defender=1 - attacker
    )


def test_freeciv_with_every_die():
    # Horsemen (attack 2, here 4) at warriors (defence 1, here 2): a die of six sides, up to 4 the attacker hits.
    # The warriors are hit ten times in thirteen exchanges, then the next ones; the horsemen keep 10 - 3 - 7 = 0 points.
    first, second = [5, 1, 4, 2, 6, 3, 3, 4, 5, 1, 2, 2, 4], [6, 6, 1, 5, 5, 4, 6, 5, 6]
    end = fight(battle("freeciv", {"horsemen": 1}, {"warriors": 2}), *({"attacker": [face]} for face in first + second))
    assert (end["winner"], end["rounds"]) == ("defender", 22)
    assert (end["defender_warriors_lost"], end["defender_warriors_damage"]) == (1, 2)


# -------------------------------------------------------------- Space Empires 4X


def test_space_empires_a_destroyer_fires_before_a_scout():
    # Class D before class E: 4/10, then the scout's 3/10, and so on: 0.4 / (1 - 0.6 x 0.7) = 20/29.
    holds(battle("space-empires-4x", {"destroyer": 1}, {"scout": 1}), attacker=F(20, 29))


@pytest.mark.parametrize(("tactics", "attacker"), [("defender", F(7, 17)), ("attacker", F(10, 17))])
def test_space_empires_tactics_in_one_class(tactics, attacker):
    # Scouts: who fires first wins with 0.3 / (1 - 0.7 x 0.7) = 10/17.
    holds(
        battle("space-empires-4x", {"scout": 1}, {"scout": 1}, conditions={"better_tactics": tactics}),
        attacker=attacker,
    )


def test_space_empires_with_every_die():
    # A cruiser with attack 2 (4 + 2 = 6) at a cruiser with defence 2 (1 + 2 = 3): at most 3; back: at most 4 - 1 = 3.
    # The defender first.
    end = fight(
        battle(
            "space-empires-4x",
            {"cruiser": 1, "options": ["attack-2"]},
            {"cruiser": 1, "options": ["defense-2"]},
        ),
        {"defender": [3]},
        {"attacker": [4]},
        {"defender": [4]},
        {"attacker": [3]},
        {"defender": [10]},
        {"attacker": [1]},
    )
    assert (end["winner"], end["rounds"], end["attacker_cruiser_damage"]) == ("attacker", 3, 1)


# -------------------------------------------------------------- Warhammer 40,000


def test_warhammer_guardsman_against_guardsman():
    # Hit 4+ (1/2), wound 3 against 3 on 4+ (1/2), save 5+ fails with 4/6: 1/6 a shot. In turns, five rounds.
    shot = F(1, 2) * F(1, 2) * F(4, 6)
    both_miss = (1 - shot) ** 2
    attacker = sum(shot * both_miss**i for i in range(5))
    holds(
        battle("warhammer-40000", {"guardsman": 1}, {"guardsman": 1}),
        attacker=attacker,
        defender=attacker * (1 - shot),
        nobody=both_miss**5,
    )


def test_warhammer_a_bolt_rifle_at_a_guardsman():
    # Two dice: hit 3+ (4/6), wound 4 against 3 on 3+ (4/6), save 5+ worsened to 6+ fails with 5/6: 80/216 = 10/27 each.
    shot = F(4, 6) * F(4, 6) * F(5, 6)
    holds(
        battle("warhammer-40000", {"intercessor": 1}, {"guardsman": 1}, options={"rounds": 1}),
        attacker=1 - (1 - shot) ** 2,
    )


def test_warhammer_with_every_die():
    # Intercessor: 3 hits, 3 wounds, save 5 (6+ needed) fails: one guardsman falls; 2 misses. The other guardsman: 4
    # hits, 5 wounds, save 2 fails (3+ needed): one of two wounds. Then 6 hits, 1 does not wound; 5 hits, 4 wounds,
    # save 6 holds. Back: 4, 5, and save 3 holds.
    end = fight(
        battle("warhammer-40000", {"intercessor": 1}, {"guardsman": 2}, options={"rounds": 2}),
        {"attacker": [3, 3, 5, 2]},
        {"defender": [4, 5, 2]},
        {"attacker": [6, 1, 5, 4, 6]},
        {"defender": [4, 5, 3]},
    )
    assert (end["winner"], end["defender_guardsman_left"], end["attacker_intercessor_damage"]) == ("nobody", 1, 1)


# -------------------------------------------------------------- Julius Caesar


def test_julius_caesar_last_steps_of_two_legions():
    # Both are C: the defender fires first, 2/6, then the attacker, 3/6; three rounds, then the attacker has to leave.
    goes_on, won = F(4, 6) * F(3, 6), F(4, 6) * F(3, 6)
    attacker = sum(goes_on**i * won for i in range(3))  # 13/27
    lost = sum(goes_on**i * F(2, 6) for i in range(3))  # 13/27
    holds(
        battle("julius-caesar", {"legion_3": 1}, {"legion_2": 1}),
        attacker=attacker,
        defender=1 - attacker,
        attacker_units_lost=lost,
    )


def test_julius_caesar_with_every_die():
    # Archers (A) before the legion (C), and of the legions the defender's first.
    end = fight(
        battle("julius-caesar", {"archers": 1, "legion_3": 1}, {"legion_2": 2}),
        {"attacker": [2]},  # A: no hit
        {"defender": [2, 3]},  # C: the archers, the cheaper ones, are lost
        {"attacker": [3]},  # C: a step of the defender
        {"defender": [6]},
        {"attacker": [1]},
    )
    assert (end["winner"], end["rounds"], end["attacker_archers_lost"]) == ("attacker", 2, 1)


def test_julius_caesar_a_ballista_fires_earlier_in_defence():
    # B4 in defence: it fires before the legion (C): 4/6, then the legion 3/6: the attacker wins 1/3 x 1/2 a round.
    won = F(1, 3) * F(1, 2)
    holds(battle("julius-caesar", {"legion_3": 1}, {"ballista": 1}), attacker=won * (1 + F(1, 6) + F(1, 36)))
    # D4 in attack: the legion's 3/6 comes first.
    won = F(1, 2) * F(4, 6)
    holds(battle("julius-caesar", {"ballista": 1}, {"legion_3": 1}), attacker=won * (1 + F(1, 6) + F(1, 36)))


# -------------------------------------------------------------- Nexus Ops


def test_nexus_ops_a_lava_leaper_against_a_fungoid_and_a_human():
    # The leaper first: 3 or more (2/3) takes the human, the cheaper one. Then the fungoid: 5 or more (1/3); then the
    # human, if there: 1/6.
    lost = F(2, 3) * F(1, 3) + F(1, 3) * (1 - F(2, 3) * F(5, 6))
    holds(battle("nexus-ops", {"lava_leaper": 1}, {"fungoid": 1, "human": 1}), defender=lost, nobody=1 - lost)


def test_nexus_ops_equal_units_fire_together():
    # Rock striders, 4 or more: both hit with 1/4.
    holds(
        battle("nexus-ops", {"rock_strider": 1}, {"rock_strider": 1}),
        attacker=F(1, 4),
        defender=F(1, 4),
        nobody=F(1, 2),
    )


def test_nexus_ops_with_every_die():
    # The dragon (2 or more) takes a human, the cheapest; then the leaper (3 or more); then the two fungoids that are
    # left, and the human who is left.
    end = fight(
        battle("nexus-ops", {"rubium_dragon": 1, "human": 2}, {"lava_leaper": 1, "fungoid": 2, "human": 2}),
        {"attacker": [2]},  # a human of the defender
        {"defender": [3]},  # the leaper: a human of the attacker
        {"defender": [4, 5]},  # the fungoids, 5 or more: the other human
        {"defender": [6]},  # a human, 6: the dragon, whose side has no dice left
    )
    assert (end["winner"], end["rounds"], end["defender_human_lost"]) == ("defender", 1, 1)
    assert (end["attacker_rubium_dragon_lost"], end["attacker_human_lost"]) == (1, 2)


# -------------------------------------------------------------- Risk 2210 A.D.


@pytest.mark.parametrize(("options", "chance"), [([], F(27, 48)), (["space-station"], F(28, 64))])
def test_risk_2210_a_commander_against_one_mod(options, chance):
    # Eight sides against six: higher in 7 + 6 + 5 + 4 + 3 + 2 = 27 of 48; against eight in 28 of 64.
    holds(battle("risk-2210", {"commander": 1}, {"mod": 1, "options": options}), attacker=chance)


def test_risk_2210_the_commander_throws_among_three_and_is_lost_last():
    # Four may throw, three do: the commander (eight sides) and two MODs, against the die d of one MOD: the highest is
    # above d with the chance 1 - d/8 x (d/6)^2. One exchange.
    chance = sum(1 - F(d, 8) * F(d, 6) ** 2 for d in range(1, 7)) / 6
    scenario = battle("risk-2210", {"commander": 1, "mod": 3}, {"mod": 1}, options={"rounds": 1})
    holds(scenario, attacker=chance, attacker_mod_lost=1 - chance, attacker_commander_lost=0)


def test_risk_2210_with_every_die():
    # The commander's eight-sided die and two MODs: 8, 5, 2 against 6, 5: 8 beats 6, and 5 does not beat 5.
    # Then commander and two MODs against one: 3, 4, 1 against 4: the tie costs a MOD.
    # Then the commander and one MOD: 7, 6 against 6.
    end = fight(
        battle("risk-2210", {"commander": 1, "mod": 3}, {"mod": 2}),
        {"attacker": [8, 5, 2], "defender": [5, 6]},
        {"attacker": [3, 4, 1], "defender": [4]},
        {"attacker": [7, 6], "defender": [6]},
    )
    assert (end["winner"], end["rounds"], end["attacker_mod_lost"]) == ("attacker", 3, 2)
    assert (end["attacker_commander_lost"], end["defender_mod_lost"]) == (0, 2)
