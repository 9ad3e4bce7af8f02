"""The worked examples of docs/rules/europa_naval_and_other.md, every die written out."""

from collections import deque

import pytest

from simulator import exact
from simulator.rules.europa.procedures.continuation import Season
from simulator.rules.europa.sea import rules
from simulator.rules.europa.sea.battle import BattleSetup
from simulator.rules.europa.sea.fight import START
from simulator.rules.europa.sea.losses import Fight, Losses, categories, modified, plundered
from simulator.rules.europa.sea.squadrons import engagement
from simulator.rules.europa.sea.tables import packed
from simulator.rules.europa.shared.fleets import Cargo, Fleet
from simulator.rules.europa.tables import standard
from simulator.scenarios import load
from tests.europa.scenarios import leader, naval


def fought(scenario, dice):
    """(state when the fighting ends, setup): wind dice, then both sides' dice of each roll, as the rules take them."""
    setup = BattleSetup(engagement(load(scenario).fields))
    fighting, thrown = setup.fighting, deque(dice)
    groups = list(fighting.groups)
    state = START
    while rules.running(fighting.plain, state):
        if state.stage == rules.DRAW:
            blows = wind(fighting, thrown)
            result = next(n for n, group in enumerate(groups) if group.wind == blows)
        elif state.stage in {rules.FIRST_BREAK, rules.SECOND_BREAK}:
            side = fighting.first if state.stage == rules.FIRST_BREAK else 1 - fighting.first
            man = fighting.engagement.squadrons[side].leader.manoeuvre
            result = int(thrown.popleft() <= man + rules.morale_left(fighting.plain, state, side))
        else:
            roll, parts = state.stage - rules.FIRE_1, []
            for side in (0, 1):
                drm = fighting.drm(side, groups[state.group], roll, state.failed, rules.more_stars(state))
                die = thrown.popleft() if fighting.engagement.columns(side)[0] else 0
                parts.append(packed(*fighting.read(side, roll, die + drm)))
            state = rules.step(fighting.plain, state, *parts)
            continue
        state = rules.step(fighting.plain, state, result, 0)
    return state, setup, groups[state.group], thrown


def wind(fighting, thrown):
    settled = fighting.engagement.settled_wind()
    if settled is not None:
        return settled
    bonus = [
        fighting.engagement.squadrons[side].leader.manoeuvre + fighting.engagement.wind_advantage(side)
        for side in (0, 1)
    ]
    own, enemy = thrown.popleft() + bonus[0], thrown.popleft() + bonus[1]
    return 0 if own > enemy else 1 if enemy > own else 2


def pursued(setup, group, state, die):
    side = state.verdict
    ahead = [squadron.leader.manoeuvre for squadron in setup.engagement.squadrons]
    drm = setup.fighting.pursuit_drm(side, group, state.rolls) + max(0, ahead[side] - ahead[1 - side])
    return setup.engagement.book.combat_roll(setup.engagement.pursuit_column(side), die + drm)


def test_n1_two_days_no_winner():
    scenario = naval(
        {"warships": 6, "leader": leader(2, 2, 2)}, {"warships": 5, "transports": 2, "leader": leader(2, 2, 2)}
    )
    state, setup, _, left = fought(scenario, [7, 4, 6, 5, 5, 3, 6, 8, 4, 9])
    assert not left
    assert (state.verdict, state.loss_a, state.stars_a, state.loss_d, state.stars_d) == (2, 5, 1, 7, 1)
    a = setup.losses.record(0, Fight(False, False, 0, state.loss_a))
    d = setup.losses.record(1, Fight(False, False, 0, state.loss_d))
    assert (a.damaged, a.destroyed, a.fleet.warships) == (3, 1, 14)
    assert (d.damaged, d.destroyed, d.fleet.warships, d.fleet.transports) == (4, 3, 8, 2)


def test_n2_galleys_major_victory():
    scenario = naval(
        {"galleys": 20, "galleasses": 2, "leader": leader(4, 2, 5)},
        {"galleys": 13, "leader": leader(2, 2, 2), "veteran": False},
        conditions={"sea": "mediterranean", "turn": 12},
    )
    state, setup, group, left = fought(scenario, [9, 10, 6, 4])
    assert not left
    assert setup.engagement.morale == (3, 2)
    assert (state.verdict, state.rolls, state.stars_d, state.loss_a) == (0, 2, 3, 3)
    thirds, caught = pursued(setup, group, state, 7)
    assert (thirds, caught) == (7, 2)
    d = setup.losses.record(1, Fight(False, True, caught, state.loss_d + thirds))
    assert (d.losses, d.damaged, d.destroyed, d.captured.galleys, d.fleet.galleys) == (36, 12, 12, 4, 1)
    a = setup.losses.record(0, Fight(True, False, 0, state.loss_a))
    assert (a.losses, a.damaged, a.destroyed, a.fleet.galleys, a.fleet.galleasses) == (6, 3, 3, 18, 2)


def test_n3_gold_convoy():
    scenario = naval(
        {"warships": 3, "technology": "battery", "leader": leader(2, 2, 2)},
        {"transports": 4, "gold": 60, "leader": leader(2, 2, 2)},
    )
    state, setup, group, left = fought(scenario, [5])
    assert not left
    assert (state.verdict, state.rolls, state.loss_d, state.stars_d) == (0, 1, 3, 0)
    thirds, caught = pursued(setup, group, state, 4)
    assert (thirds, caught) == (3, 1)
    d = setup.losses.record(1, Fight(False, True, caught, state.loss_d + thirds))
    assert (d.fleet.transports, d.cargo.gold, d.seized, d.damaged, d.losses) == (2, 30, 20, 0, 3)


@pytest.mark.parametrize(
    ("gold", "transports", "left", "seized"),
    [(17, 2, 0, 12), (15, 2, 0, 10), (9, 1, 0, 9), (12, 1, 0, 10), (44, 2, 14, 20), (17, 0, 17, 0)],
)
def test_gold_is_seized_transport_after_transport(gold, transports, left, seized):
    """10 ducats seized and 5 sunk, of what is still there (step 9)."""
    taken = plundered(Cargo(gold=gold), Fleet(transports=transports), Fleet(transports=1))
    assert taken == (Cargo(gold=left), seized)


def test_n4_categories():
    assert categories(12, True) == (6, 3, 3)
    assert categories(17, False) == (11, 6, 0)
    five = Losses(engagement(load(naval({"warships": 5}, {"warships": 6})).fields))
    found = next(r for t in range(60) if (r := five.record(0, Fight(True, False, 0, t))).losses == 24)
    assert (found.destroyed, found.damaged, found.refitted, found.fleet.thirds) == (9, 6, 0, 0)
    fields = {"warships": 1, "galleys": 10, "technology": "carrack"}
    mixed = naval(
        fields, {"warships": 4}, conditions={"sea": "baltic"}, policy={"attacker": {"first_line": "warships"}}
    )
    losses = Losses(engagement(load(mixed).fields))
    found = next(r for t in range(80) if (r := losses.record(0, Fight(False, True, 0, t))).losses == 18)
    assert (found.damaged, found.destroyed) == (12, 6)
    taken = next(r for t in range(80) if (r := losses.record(0, Fight(False, True, 2, t))).losses == 18)
    assert (taken.captured.warships, taken.captured.galleys, taken.damaged) == (3, 2, 3)


def test_n5_loss_steps():
    book = standard()
    assert book.modified_loss(1, 11, "naval_size_loss") == 13
    assert book.modified_loss(2, 21, "naval_size_loss") == 27
    assert book.modified_loss(3, 25, "naval_size_loss") == 40
    assert [modified(book, 1, 1, routed) for routed in (False, True)] == [0, 3]
    assert modified(book, 30, 2, False) == 12


def test_n6_breaking_off():
    scenario = naval(
        {"warships": 6, "leader": leader(2, 2, 2)},
        {"warships": 6, "leader": leader(4, 2, 2)},
        policy={"defender": {"break_off": "always"}},
        conditions={"wind": "none"},
    )
    away = fought(scenario, [1, 1, 1, 1, 6])[0]
    assert (away.broke, away.verdict, away.rolls) == (2, 0, 2)
    state = fought(scenario, [1, 1, 1, 1, 7, 1, 1, 1, 1])[0]
    assert (state.broke, state.rolls) == (0, 4)


def chance(scenario, query):
    return exact({"game": "europa", **scenario}).p(query)


@pytest.mark.parametrize(
    ("name", "scenario", "query", "expected"),
    [
        ("A1", {"battle": "attrition", "attacker": {"land_detachments": 6, "manoeuvre": 3},
                "conditions": {"mp": 7, "enemy_province": True}},
         "attacker_left_thirds == 12 and pillage_placed and foraging and modifier == 1", 0.3),
        ("A2", {"battle": "attrition", "attacker": {"land_detachments": 4, "technology": "arquebus"},
                "conditions": {"procedure": "supply", "causes": 3, "pillages_minus": 1}},
         "attacker_left_thirds == 6 and pillage_placed and modifier == 5", 0.6),
        ("A3", {"battle": "attrition", "attacker": {"land_detachments": 3},
                "conditions": {"procedure": "siege", "enemy_siege": 3, "siegeworks_plus": 1}},
         "attacker_left_thirds == 3 and not pillage_placed and modifier == 6", 0.6),
        ("A4", {"battle": "attrition", "attacker": {"land_detachments": 13, "exploration_detachments": 1},
                "conditions": {"region": "rotw", "mp": 6, "bad_weather": True, "cold": 2}},
         "attacker_left_thirds == 27 or attacker_left_thirds == 28", 0.1),
        ("A5", {"battle": "attrition", "attacker": {"warships": 6, "transports": 2, "fleets_minus": 1},
                "conditions": {"procedure": "movement-sea", "sea_difficulty": 5, "zones_entered": 4}},
         "attacker_warships_left == 5 and attacker_losses_thirds == 9 and modifier == 0", 0.1),
        ("A6", {"battle": "attrition", "attacker": {"land_detachments": 5}, "conditions": {"mp": 4}},
         "not rolled", 1.0),
        ("I1", {"battle": "interception", "attacker": {"manoeuvre": 4, "in_port": True}, "defender": {"manoeuvre": 2}},
         "intercepted", 0.2),
        ("I2", {"battle": "interception", "attacker": {"in_port": True}, "defender": {"manoeuvre": 6},
                "conditions": {"bad_weather": True}}, "intercepted", 0.1),
        ("I3", {"battle": "interception", "attacker": {"manoeuvre": 3, "in_port": True, "landing_nearby": True},
                "defender": {"manoeuvre": 3}}, "intercepted", 0.5),
        ("B1", {"battle": "blockade-run", "attacker": {"warships": 5, "manoeuvre": 3}, "defender": {"warships": 3}},
         "stopped and not caught", 0.2),
        ("B2", {"battle": "blockade-run", "attacker": {"warships": 2}, "defender": {"galleys": 6}}, "caught", 0.5),
        ("F1", {"battle": "strait-fire", "attacker": {"level": 3}, "defender": {"warships": 2, "fleets_minus": 1}},
         "stopped and detachments_lost == 1", 0.2),
        ("F2", {"battle": "strait-fire", "attacker": {"work": "strait-europe"}, "defender": {"warships": 2}},
         "stopped and detachments_lost == 1", 0.2),
        ("C1", {"battle": "corsair-raid", "attacker": {"manoeuvre": 3, "pirates": False},
                "defender": {"transports": 4, "gold": 60}},
         "transports_captured == 3 and gold_gained == 45", 0.6 * 0.9 * 0.3),
        ("X1", {"battle": "exploration", "attacker": {"exploration_ships": 2, "manoeuvre": 4},
                "conditions": {"malus": 1}},
         "discovered and not leader_dead and attacker_exploration_ships_left == 1 and modifier == 1", None),
        ("X2", {"battle": "exploration", "attacker": {"role": "conquistador", "manoeuvre": 3},
                "conditions": {"where": "land"}}, "leader_dead", 0.7 * (0.1 + 0.1 + 0.2)),
        ("Q1", {"battle": "conquistador", "attacker": {"army_plus": 1, "stats_sum": 9},
                "defender": {"natives_detachments": 6}},
         "resisters_thirds == 12 and joiners_thirds == 3 and natives_removed_thirds == 3", 0.1),
        ("T1", {"battle": "native-activation", "conditions": {"tolerance": 7}}, "activated", 0.7),
        ("R1", {"battle": "continuation", "conditions": {"round": "S5"}}, "rounds_left == 1", 0.5),
        ("R2", {"battle": "continuation", "conditions": {"round": "W4"}}, "played_w5 and not played_s5", 0.1),
        ("L1", {"battle": "leader-survival", "attacker": {"shock": 6}}, "wound_rounds == 4", 0.03),
        ("L2", {"battle": "leader-survival", "attacker": {"won": True}}, "killed", 0.05),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) == 2 else "",
)  # fmt: skip
def test_worked_example(name, scenario, query, expected):
    found = chance(scenario, query)
    assert found > 0 if expected is None else found == pytest.approx(expected, abs=1e-12), name


def test_r3_and_r4_rounds():
    assert Season(False, True).box_after("S3", 6) == "W3"
    season = Season(True, False)
    assert season.box_after("S2", 1) == "W2"
    start = {"battle": "continuation", "conditions": {"round": "S2", "poor_weather": True}}
    assert chance(start, "sund_frozen and played_w2") >= 0.1


def test_p1_past_a_blockade():
    scenario = {
        "battle": "passage",
        "attacker": {"warships": 4, "transports": 2, "army_plus": 1, "leader": leader(0, 0, 0)},
        "defender": {"blockader": {"warships": 3, "leader": leader(0, 0, 0)}},
        "policy": {"defender": {"engage": "never"}},
        "conditions": {"sea_attrition": False, "landing_attrition": False},
    }
    assert chance(scenario, "landed") == pytest.approx(0.5)  # a modifier of +2: 6 and better is free
    assert chance(scenario, "stopped_by_blockade") == pytest.approx(0.5)
