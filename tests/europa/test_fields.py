"""Each field that no other test of the game names: a case whose number depends on it, worked out by hand.

A d10 is rolled everywhere; the comments give the modifier and the dice that count. The sections are those of
docs/rules/europa_naval_and_other.md.
"""

import pytest

from simulator import exact
from tests.europa.table_top import play

SWAMP = {"from_swamp_or_flooded": True}
TEN_SHIPS = {"warships": 10, "fleets_minus": 2}
ADRIFT = {"procedure": "movement-sea"}
# Battles never come; the landing costs nothing.
CALM = {"sea_attrition": False, "landing_attrition": False}
LANDING = {"land_detachments": 4, "transports": 3, "leader": "none"}
ASHORE = {"sea_attrition": False, "enemy_province": True}
DUE = {"destroyed": True}
KNOWN = {"period": "IV", "known_since_period_iv": True}


def on_land(**conditions):
    return {"where": "land", **conditions}


INTERCEPTIONS = [
    # 8, 9 and 10 succeed.
    ({}, {}, on_land(), 0.3, 0),
    # +1: 7 to 10.
    ({}, {}, on_land(friendly_force_or_city=True), 0.4, 0),
    # -1: 9 and 10.
    (SWAMP, {}, on_land(), 0.2, 0),
    # +2 for the leader: 6 to 10; less 2: 8 to 10.
    ({"manoeuvre": 2}, {}, on_land(), 0.5, 0),
    ({"manoeuvre": 2}, {}, on_land(other_enemy_force=True), 0.3, 0),
    # The first from a swamp: 9 and 10; the second 8 to 10.
    ({"interceptors": [SWAMP, {}]}, {}, on_land(), 0.2 + 0.3, 0),
    # The helper rolls as the interceptor does, who is there without a roll.
    ({"automatic": True}, {"counter_interceptors": [{}]}, on_land(), 1, 0.3),
    ({"automatic": True}, {"counter_interceptors": [SWAMP]}, on_land(), 1, 0.2),
    # The fields of one side do not count for the other.
    ({"automatic": True}, {"counter_interceptors": [{}]}, on_land(friendly_force_or_city=True), 1, 0.3),
    ({"automatic": True}, {"counter_interceptors": [{}]}, on_land(counter_friendly_force_or_city=True), 1, 0.4),
    ({}, {}, on_land(counter_friendly_force_or_city=True), 0.3, 0),
    ({"automatic": True}, {"counter_interceptors": [{"manoeuvre": 2}]}, on_land(other_enemy_force=True), 1, 0.5),
    ({"automatic": True}, {"counter_interceptors": [{"manoeuvre": 2}]},
     on_land(counter_other_enemy_force=True), 1, 0.3),
]  # fmt: skip


@pytest.mark.parametrize(("attacker", "defender", "conditions", "arrive", "helpers"), INTERCEPTIONS)
def test_interception_on_land(attacker, defender, conditions, arrive, helpers):
    """Section 5: the mean numbers of those who arrive on both sides."""
    odds = exact(
        {
            "game": "europa", "battle": "interception",
            "attacker": attacker, "defender": defender, "conditions": conditions,
        }
    )  # fmt: skip
    found = odds.mean("interceptors_arrived"), odds.mean("counter_interceptors_arrived")
    assert found == pytest.approx((arrive, helpers), abs=1e-12)


VOYAGES = [
    # Ten warships, two FLEET counters. A difficulty of 6 makes the modifier 0: 1 to 5 cost nothing, 6 costs a warship.
    ({}, {"sea_difficulty": 6}, {}, 0, 0.5),
    ({}, {"sea_difficulty": 6, "arsenal_to_arsenal": True}, {}, -1, 0.6),
    # One counter: from arsenal to arsenal is no help.
    ({"fleets_minus": 1}, {"sea_difficulty": 6, "arsenal_to_arsenal": True}, {}, 0, 0.5),
    # The end of the turn at sea counts with the option alone: +2, 1 to 3.
    ({}, {"sea_difficulty": 6, "end_of_turn_at_sea": True}, {}, 0, 0.5),
    ({}, {"sea_difficulty": 6, "end_of_turn_at_sea": True}, {"end_of_turn_plus_two": True}, 2, 0.3),
    ({}, {"sea_difficulty": 6}, {"end_of_turn_plus_two": True}, 0, 0.5),
    # The zones to port: nothing, +3 for one, +6 from two to four, +9 from five on.
    ({}, {"zones_to_port": 0}, {}, -6, 1),
    ({}, {"zones_to_port": 1}, {}, -3, 0.8),
    ({}, {"zones_to_port": 2}, {}, 0, 0.5),
    ({}, {"zones_to_port": 4}, {}, 0, 0.5),
    ({}, {"zones_to_port": 5}, {}, 3, 0.2),
    ({}, {"zones_to_port": 6}, {}, 3, 0.2),
]


@pytest.mark.parametrize(("attacker", "conditions", "options", "modifier", "whole"), VOYAGES)
def test_attrition_at_sea(attacker, conditions, options, modifier, whole):
    """Section 4: the modifier, and the chance that no ship is lost."""
    odds = exact(
        {
            "game": "europa", "battle": "attrition", "attacker": TEN_SHIPS | attacker,
            "conditions": ADRIFT | conditions, "options": options,
        }
    )  # fmt: skip
    assert (odds.mean("modifier"), odds.p("attacker_warships_left == 10")) == pytest.approx((modifier, whole))


@pytest.mark.parametrize(("attacker", "conditions", "options", "modifier", "whole"), VOYAGES)
def test_the_voyage_of_a_passage(attacker, conditions, options, modifier, whole):
    """Section 14, step 5: the same storm when the fleet carries troops."""
    odds = exact(
        {
            "game": "europa", "battle": "passage",
            "attacker": TEN_SHIPS | {"land_detachments": 1, "leader": "none"} | attacker,
            "conditions": {"landing_attrition": False, **conditions}, "options": options,
        }
    )  # fmt: skip
    assert odds.p("attacker_warships_left == 10") == pytest.approx(whole), modifier


@pytest.mark.parametrize(
    ("manoeuvre", "whole"),
    [
        # 4 LD land in an enemy province: +2. A row of at least 9 costs a detachment: dice 1 to 6 cost none.
        (0, 0.6),
        # -1 in all: 1 to 9.
        (3, 0.9),
    ],
)
def test_the_troops_leader_lessens_the_attrition_of_a_landing(manoeuvre, whole):
    """Section 14, step 7, and the table of attrition in Europe: 3 to 5 LD lose 1 from row 9 on."""
    odds = exact(
        {
            "game": "europa", "battle": "passage",
            "attacker": LANDING | {"land_manoeuvre": manoeuvre}, "conditions": ASHORE,
        }
    )  # fmt: skip
    assert odds.p("landed_thirds == 12") == pytest.approx(whole)


@pytest.mark.parametrize("reading", ["sails-on", "stays"])
def test_a_forced_battle_that_is_won_at_the_mouth_of_the_port(reading):
    """Section 14, step 2: +1 fewer ships, +1 warships only: 1 to 3 are caught, 4 and 5 stopped, 6 to 10 free.

    Whoever is caught and wins sails on, or stays; whoever loses is beaten.
    """
    odds = exact(
        {
            "game": "europa", "battle": "passage",
            "attacker": {"warships": 8, "land_detachments": 1, "leader": "none"},
            "defender": {"blockader": {"warships": 4, "leader": "none"}},
            "conditions": CALM, "options": {"forced_battle_win": reading},
        }
    )  # fmt: skip
    landed, stopped, beaten = odds.p("landed"), odds.p("stopped_by_blockade"), odds.p("beaten_at_sea")
    assert 0 < beaten < 0.3
    won = 0.3 - beaten
    sails_on = reading == "sails-on"
    assert (landed, stopped) == pytest.approx((0.5 + won, 0.2) if sails_on else (0.5, 0.2 + won))


@pytest.mark.parametrize(
    ("conditions", "discovered", "modifier"),
    [
        # 4 less the manoeuvre 4: 1 to 8 are rows of success, 9 and 10 average, of which a second die of 6 to 10.
        ({"period": "IV"}, 0.8 + 0.2 * 0.5, 0),
        # -2: no die reaches row 9.
        (KNOWN, 1.0, -2),
    ],
)
def test_a_zone_known_to_another_country(conditions, discovered, modifier):
    """Section 9, step 1."""
    odds = exact(
        {
            "game": "europa", "battle": "exploration", "attacker": {"warships": 10, "manoeuvre": 4},
            "conditions": conditions,
        }
    )  # fmt: skip
    assert (odds.p("discovered"), odds.mean("modifier")) == pytest.approx((discovered, modifier))


@pytest.mark.parametrize(
    ("troops", "reading", "all_resist", "modifier"),
    [
        # -1 without an ARMY counter; +1 for a large stack. With a sum of 9, rows 7 to 11 cost those who resist nothing.
        (3, "at-least-four", 0.3, -1),
        (4, "at-least-four", 0.4, 0),
        (4, "more-than-four", 0.3, -1),
        (5, "more-than-four", 0.4, 0),
    ],
)
def test_a_large_stack_of_a_conquistador(troops, reading, all_resist, modifier):
    """Section 10."""
    odds = exact(
        {
            "game": "europa", "battle": "conquistador",
            "attacker": {"land_detachments": troops, "stats_sum": 9}, "defender": {"natives_detachments": 6},
            "options": {"large_stack": reading},
        }
    )  # fmt: skip
    assert odds.p("resisters_thirds == 18") == pytest.approx(all_resist)
    assert odds.mean("modifier") == modifier


@pytest.mark.parametrize(
    ("conditions", "activated"),
    [
        ({}, 0.7),
        ({"treaty": True}, 0),
        ({"leader_alone": True}, 0),
        ({"already_active": True}, 1),
        ({"already_active": True, "treaty": True}, 1),
    ],
)
def test_natives_who_do_not_look_at_the_die(conditions, activated):
    """Section 10: 1 to 7 are within a tolerance of 7."""
    asked = {"game": "europa", "battle": "native-activation", "conditions": {"tolerance": 7, **conditions}}
    assert exact(asked).p("activated") == pytest.approx(activated)


@pytest.mark.parametrize(
    ("attacker", "captured", "killed", "wounded"),
    [
        # -1 not won, -5 destroyed: 1 to 7 hit. Of the second die odd ones kill.
        (DUE, 0, 0.35, 0.35),
        (DUE | {"monarch": True}, 0.7, 0, 0),
        # -1 alone: 1 and 2 hit, a monarch like others.
        ({"monarch": True}, 0, 0.1, 0.1),
    ],
)
def test_a_monarch_of_a_destroyed_stack_is_captured(attacker, captured, killed, wounded):
    """Section 12."""
    odds = exact({"game": "europa", "battle": "leader-survival", "attacker": attacker})
    assert [odds.p(name) for name in ("captured", "killed", "wounded")] == pytest.approx([captured, killed, wounded])


@pytest.mark.parametrize(
    ("fleet", "pashas", "supplies"),
    [
        # Grade 2: no pasha. Grade 3: one. Grade 4: anything.
        ({"warships": 2}, 0, 1), ({"warships": 2}, 1, 0),
        ({"warships": 2, "fleets_minus": 1}, 1, 1), ({"warships": 2, "fleets_minus": 1}, 2, 0),
        ({"warships": 3, "fleets_plus": 1}, 3, 1),
    ],
)  # fmt: skip
def test_pashas_are_supplied_by_large_fleets(fleet, pashas, supplies):
    """Section 13."""
    asked = {"game": "europa", "battle": "logistics", "attacker": fleet, "conditions": {"supplied_pashas": pashas}}
    assert exact(asked).p("supplies") == supplies


def general(manoeuvre):
    return {"manoeuvre": manoeuvre, "fire": 2, "shock": 2}


BEHIND, AHEAD = {"defender": {"break_off": "if-behind"}}, {"attacker": {"break_off": "if-behind"}}
# Fire on column C: 7 is a star, 3 nothing. Shock on column B: 5 + 2 = 7 is a star, 4 - 1 = 3 nothing. Morale 4 and 2.
FIRST_DAY = [7, 3, 5, 4]
# The lowest dice: nothing happens. Rows below 3 are read as 3 (on the second day the dice are 1 lower).
QUIET = [3, 3, 3, 3]
# Pursuit 5, retreat 7, the test of either general 9 and 6: both are unhurt.
AFTER = [5, 7, 9, 6]


@pytest.mark.parametrize(
    ("policy", "dice", "ended_on_day", "broke_off"),
    [
        # Behind: the defender tries, and 6 is his manoeuvre 4 and the morale left.
        (BEHIND, [*FIRST_DAY, 6, *AFTER], 1, True),
        # 7 fails: there is a second day.
        (BEHIND, [*FIRST_DAY, 7, *QUIET, *AFTER], 2, False),
        # Ahead: the attacker does not try, and no die is rolled for it.
        (AHEAD, [*FIRST_DAY, *QUIET, *AFTER], 2, False),
    ],
)
def test_who_is_behind_breaks_off(policy, dice, ended_on_day, broke_off):
    """docs/rules/europa_land_siege.md section 3.5, step 5: `if-behind` asks for less morale left than the enemy's."""
    france = {"country": "france", "army_plus": 2, "leader": general(2)}
    spain = {"country": "spain", "army_plus": 1, "leader": general(4)}
    outcome = play({"battle": "land", "attacker": france, "defender": spain, "policy": policy}, dice)
    found = [outcome[name] for name in ("ended_on_day", "defender_broke_off", "attacker_broke_off", "winner")]
    assert found == [ended_on_day, broke_off, False, "attacker"]


@pytest.mark.parametrize("policy", [BEHIND, AHEAD])
def test_nobody_is_behind_at_equal_morale(policy):
    """No die for breaking off: after two days without a star both retreat, which takes a die each."""
    army = {"army_plus": 2, "leader": general(2)}
    outcome = play(
        {"battle": "land", "attacker": army, "defender": army, "policy": policy}, [*QUIET, *QUIET, 7, 7, 9, 6]
    )
    assert (outcome["winner"], outcome["ended_on_day"]) == ("nobody", 2)
