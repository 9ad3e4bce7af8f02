"""The worked examples of docs/rules/birthright.md section 10, with every die written out."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from simulator import exact, load
from simulator.rules.birthright import field_tables, quick_tables
from simulator.rules.birthright.adjustment import Regents
from simulator.rules.birthright.engagement import BACK, DESTROYED, HIT, NONE, ROUT, Attacks
from simulator.rules.birthright.field_rules import PURSUIT
from simulator.rules.birthright.quick_rules import ARRIVAL, RELIEF, STORM
from simulator.rules.birthright.units import battle_table


def birthright(battle, own, enemy, **parts):
    def side(given):
        return given if isinstance(given, dict) else {"units": given}

    return load({"game": "birthright", "battle": battle, "attacker": side(own), "defender": side(enemy)} | parts)


def course(scenario, result_of):
    """Play a battle with results from `result_of(state)`; returns its one outcome."""
    built = scenario.built
    chain = built.chain
    p, state = chain.params, chain.start
    while chain.part("running")(p, state):
        result = result_of(state)
        index = int(chain.part("table")(p, state))
        able = chain.tables.result[chain.tables.first[index] : chain.tables.first[index + 1]]
        assert result in able, "no such result in the chance table"
        state = type(state)(*(int(value) for value in chain.part("step")(p, state, result)))
    final = type(state)(*(np.array([value]) for value in state))
    return {name: values[0] for name, values in built.outcome(final).items()}


def fought(scenario, faces):
    """A battle unit against unit with these dice in order: the attacker's attack first, each check after its d10."""
    setup, left = field_tables.Setup(scenario.fields), list(faces)

    def roll(sides):
        assert 1 <= left[0] <= sides
        return left.pop(0)

    def result_of(state):
        if state.stage == PURSUIT:
            number = scenario.fields.options.pursuit_number
            return sum(roll(6) >= number for _ in range(state.attacker_prey + state.defender_prey))
        own, enemy = setup.card_at(state.attacker), setup.card_at(state.defender)
        ends, _ = setup.engagement(own.unit, enemy.unit).roll((own.hits, enemy.hits), roll)
        return 16 * own.fate(ends[0]) + enemy.fate(ends[1])

    found = course(scenario, result_of)
    assert not left, "dice left over"
    return found


def holds(found, **expected):
    assert {name: found[name] for name in expected} == expected


ATTACKER, DEFENDER, NOBODY = range(3)


@pytest.mark.parametrize(
    ("icons", "die", "check", "effect"),
    [(4, "d6", None, BACK), (4, "d8", 6, BACK), (4, "d8", 7, ROUT), (3, "d8", 8, ROUT), (2, "d8", 4, BACK)],
)
def test_morale_passes_on_two_pips_an_icon_and_at_most_six(icons, die, check, effect):
    """A rout on row 7 of column 3; with no die where none can fail (section 3.2 step 4)."""
    dice = [7] if check is None else [7, check]
    assert Attacks(morale_die=die).roll(3, icons, lambda sides: dice.pop(0))[0] == effect
    assert not dice, "dice left over"


def test_1_charge_and_pursuit():
    found = fought(birthright("tactical", ["knights"], ["infantry"]), [10, 7, 5, 5])
    holds(found, winner=ATTACKER, attacker_standing=1, attacker_hits=0, defender_routed=0, defender_destroyed=1)


def test_2_simultaneous_and_falling_back_twice():
    found = fought(birthright("tactical", ["infantry"], ["infantry"]), [9, 2, 5, 8, 3, 5, 6, 1])
    holds(found, winner=ATTACKER, attacker_standing=1, attacker_hits=1, defender_routed=1, defender_destroyed=0)


def test_3_missiles_pikes_and_leaving_at_half():
    policy = {"attacker": {"retreat": "half"}}
    scenario = birthright("tactical", ["archers", "cavalry"], ["2 x pikemen"], policy=policy)
    found = fought(scenario, [9, 1, 2, 9])
    holds(found, winner=DEFENDER, attacker_standing=0, attacker_routed=1, attacker_destroyed=1)
    holds(found, defender_standing=1, defender_destroyed=1)


def test_4_storm():
    scenario = birthright("storm", ["2 x infantry"], ["archers"], conditions={"fortification": 3})
    found = fought(scenario, [6, 9, 9, 4, 9, 4, 1])
    holds(found, winner=ATTACKER, attacker_standing=1, attacker_destroyed=1)
    holds(found, defender_destroyed=1, defender_captured=0)


def checked(scenario, *rolls):
    battle = quick_tables.matchup(scenario.fields)
    advantage = battle.attacker.warcraft - battle.defender.warcraft
    left = list(rolls)

    def result_of(state):
        own, enemy = left.pop(0)
        modifier = battle.modifiers()[state.attacker_lost, state.defender_lost]
        walls = battle.walls(scenario.fields.conditions.fortification)
        return battle.result(int(own - enemy + advantage + modifier - walls))

    return course(scenario, result_of)


def test_5_quick_battle():
    scenario = birthright("quick-battle", ["4 x infantry"], ["3 x infantry"])
    holds(checked(scenario, (11, 6)), winner=ATTACKER, attacker_steps_left=7, attacker_units_left=4)
    holds(checked(scenario, (11, 6)), defender_steps_left=4, defender_units_left=2, turns=1)
    assert exact(scenario).winner("attacker") == pytest.approx(229 / 400, abs=1e-12)


def test_6_rout_with_pursuit():
    scenario = birthright("quick-battle", ["2 x cavalry"], ["4 x levies"])
    holds(checked(scenario, (12, 7)), defender_steps_left=0, attacker_steps_left=4, defender_routed=True)
    holds(checked(scenario, (2, 18)), winner=NOBODY, attacker_steps_left=4, defender_steps_left=7)


def besieged(scenario, *rolls):
    siege, left = quick_tables.siege_of(scenario.fields), list(rolls)

    def check(battle, lost, walls):
        own, enemy = left.pop(0)
        net = battle.attacker.warcraft - battle.defender.warcraft + battle.modifiers()[lost] - walls
        return battle.result(int(own - enemy + net))

    def result_of(state):
        if state.due == ARRIVAL:
            return int(left.pop(0) >= scenario.fields.conditions.relief_on)
        if state.due == RELIEF:
            return check(siege.relief_battle, (state.relief_lost, state.besieger_lost), 0)
        if state.due == STORM:
            return check(siege.storm, (state.besieger_lost, state.garrison_lost), siege.storm.walls(state.level))
        return 0

    found = course(scenario, result_of)
    assert not left, "dice left over"
    return found


def test_7_siege_wait():
    scenario = birthright("siege", ["20 x infantry"], [], conditions={"fortification": 12})
    holds(besieged(scenario), winner=ATTACKER, seasons=2, level_left=0)
    relief = {"fortification": 12, "relief_on": 15, "relief_units": ["6 x cavalry"]}
    found = besieged(birthright("siege", ["20 x infantry"], [], conditions=relief), 9, 17, (18, 4))
    holds(found, winner=DEFENDER, seasons=2, level_left=2, attacker_steps_left=20, relief_came=True)


def test_8_siege_stormed_and_lifted():
    policy = {"attacker": {"siege": "storm-now"}}
    scenario = birthright("siege", ["3 x infantry"], ["2 x infantry"], conditions={"fortification": 3}, policy=policy)
    found = besieged(scenario, (4, 15))
    holds(found, winner=DEFENDER, seasons=1, storms=1, attacker_steps_left=4, defender_steps_left=4)


@pytest.mark.parametrize(("lots", "order", "position"), [([0, 0, 1], "132", 1), ([1, 0, 0], "312", 2)])
def test_9_adjustment(lots, order, position):
    others = [{"warcraft": 3, "in_target": True}, {"warcraft": 5, "in_origin": True}]
    scenario = birthright("adjustment", {"warcraft": 5}, {"regents": others}, options={"order": True})
    regents = Regents(scenario.fields)
    result = regents.result_of([10, 13, 10], lots)
    assert result == (position, True, False, order)
    found = course(scenario, lambda state: list(regents.results).index(result))
    holds(found, winner=DEFENDER, position=position, may_enter=False, may_leave=True, order=order)


@pytest.mark.parametrize("column", [-3, 0, 2])
def test_a_ten_shifts_the_column_by_every_face_of_the_d8(column):
    """Section 3.2: 5 to 8 shift up, 1 to 4 down, within -3 to +3; then the d10 is thrown anew until it is no 10."""
    attacks, morale = Attacks(ten="shift", rally="once"), 2
    expected = Counter()
    for eight in range(1, 9):
        shifted = max(-3, min(3, column + (1 if eight > 4 else -1)))
        for where, ways in ((column, 9), (shifted, 1)):
            for face, check, again in product(range(9), range(1, 7), range(1, 7)):
                letter, passed, rallied = battle_table()[where + 3][face], check <= 4, again <= 4
                effect = {"-": NONE, "F": NONE if passed else BACK, "H": HIT, "D": DESTROYED}.get(letter)
                if letter == "R":
                    effect = BACK if passed or rallied else ROUT
                expected[effect] += ways
    found = attacks.weights(column, morale)
    total = sum(found.values())
    assert {e: w / total for e, w in found.items()} == pytest.approx(
        {e: w / sum(expected.values()) for e, w in expected.items()}
    )
