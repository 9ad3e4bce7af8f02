"""The worked examples of docs/rules/birthright.md section 10, with every die written out."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from simulator import best, exact, load, need
from simulator.rules.birthright.adjustment import Regents
from simulator.rules.birthright.engagement import BACK, DESTROYED, HIT, NONE, ROUT, Attack, Attacks
from simulator.rules.birthright.field import tables as field_tables
from simulator.rules.birthright.field.rules import PURSUIT
from simulator.rules.birthright.quick.battle import QuickRules, QuickState
from simulator.rules.birthright.quick.siege import IN_FIELD, SiegeRules
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
    assert Attacks(morale_die=die).roll(Attack(6, 3, 0, 0), icons, lambda sides: dice.pop(0))[0] == effect
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


def after_dice(check, lost, walls, dice):
    """The state after a quick check with these two d20."""
    attacker, defender = (army.warcraft for army in check.armies)
    margin = dice[0] - dice[1] + attacker - defender + check.modifiers[lost] - walls
    return check.checked(lost, check.result(int(margin)))


def reached(battle, state, after):
    """The state that follows a roll; the battle must know it."""
    assert battle.follow(state).weights[after] > 0
    return after


def checked(scenario, *rolls):
    battle, state = QuickRules(scenario.fields), QuickState()
    for dice in rolls:
        after = after_dice(battle.check, state.lost, battle.walls, dice)
        state = reached(battle, state, battle.after(state, after))
    assert battle.follow(state) is None
    return battle.columns(state)


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
    siege, left, storms = SiegeRules(scenario.fields), list(rolls), 0
    state = siege.start
    while roll := siege.follow(state):
        if roll.name == "relief":
            came = left.pop(0) >= scenario.fields.conditions.relief_on
            after = next(after for after in roll.weights if (after.relief == IN_FIELD) == came)
        elif roll.name == "check" and state.step == 2:
            result = after_dice(siege.relief_check, (state.relief_lost, state.besieger), 0, left.pop(0))
            after = siege.after_relief(state, result)
        elif roll.name == "check":
            walls, storms = siege.storm_check.walls(state.level), storms + roll.counts["storms"]
            result = after_dice(siege.storm_check, (state.besieger, state.garrison), walls, left.pop(0))
            after = siege.after_storm(state, result)
        else:
            (after,) = roll.weights
        state = reached(siege, state, after)
    assert not left, "dice left over"
    return siege.columns(state, storms)


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


def test_10_horse_in_a_bog():
    marsh = {"terrain": "marsh"}
    found = fought(birthright("tactical", ["knights"], ["irregulars"], conditions=marsh), [5, 6, 3, 7, 3, 9])
    holds(found, winner=DEFENDER, attacker_destroyed=1, defender_standing=1)


@pytest.mark.parametrize(
    ("terrain", "tactical", "quick", "only_charges"),
    [("plains", 0.9916, 0.863, 0.9916), ("woods", 0.4940, 0.475, 0.9568), ("marsh", 0.1556, 0.0, 0.9568)],
)
def test_10_three_knights_against_three_irregulars(terrain, tactical, quick, only_charges):
    def wins(battle, **options):
        place = {"terrain": terrain}
        return exact(birthright(battle, ["3 x knights"], ["3 x irregulars"], conditions=place, options=options)).winner(
            "attacker"
        )

    assert wins("tactical") == pytest.approx(tactical, abs=5e-5)
    assert wins("quick-battle") == pytest.approx(quick, abs=5e-4)
    assert wins("tactical", terrain_effects="charges-only") == pytest.approx(only_charges, abs=5e-5)


def test_11_high_walls():
    scenario = birthright("storm", ["infantry"], ["pikemen"], conditions={"fortification": 12})
    found = fought(scenario, [7, 5, 9, 6])
    holds(found, winner=DEFENDER, attacker_routed=1, defender_standing=1, defender_hits=0)


@pytest.mark.parametrize(
    ("level", "walls", "wins"),
    [
        (4, "full", 0.8906), (5, "full", 0.7244), (8, "full", 0.5311), (11, "full", 0.4396), (14, "full", 0.3705),
        (20, "full", 0.3566), (5, "first-five", 0.8102), (20, "first-five", 0.8102),
    ],
)  # fmt: skip
def test_11_three_infantry_against_one(level, walls, wins):
    parts = {"conditions": {"fortification": level}, "options": {"walls": walls}}
    odds = exact(birthright("storm", ["3 x infantry"], ["infantry"], **parts))
    assert odds.winner("attacker") == pytest.approx(wins, abs=5e-5)


@pytest.mark.parametrize(
    ("icons", "die", "face", "check", "effect"),
    [
        (4, "d8", 5, 6, NONE), (4, "d8", 5, 8, BACK), (2, "d6", 5, 4, NONE), (2, "d6", 5, 5, BACK),
        (2, "d8", 5, 5, BACK), (3, "d6", 5, None, NONE), (3, "d8", 5, 6, NONE), (3, "d8", 5, 7, BACK),
    ],
)  # fmt: skip
def test_12_falling_back(icons, die, face, check, effect):
    """An F on row 5 of column -1."""
    dice = [face, *([] if check is None else [check])]
    assert Attacks(morale_die=die).roll(Attack(2, 3, 0, 0), icons, lambda sides: dice.pop(0))[0] == effect
    assert not dice, "dice left over"


def test_12_inspired_levies_have_three_icons():
    levies = {"units": ["levies"], "inspire": 2}
    own, enemy = field_tables.Setup(birthright("tactical", levies, ["orog-guard"]).fields).sides
    assert [own.entries[0].unit.morale, enemy.entries[0].unit.morale] == [3, 4]
    guard = {"units": ["orog-guard"], "inspire": 2}
    assert field_tables.Setup(birthright("tactical", guard, ["levies"]).fields).sides[0].entries[0].unit.morale == 4


def test_13_gold_and_pursuit():
    """The elite infantry falls back from the charge, comes up again after the irregulars, and falls back for good."""
    scenario = birthright("tactical", ["cavalry"], ["levies", "elite-infantry", "irregulars"], options={"gold": True})
    found = fought(scenario, [1, 8, 1, 8, 1, 1, 6, 5, 1, 8, 5])
    holds(found, defender_destroyed=2, defender_routed=1, attacker_gold=4, attacker_gold_lost=0)
    holds(found, defender_gold=5, defender_gold_lost=2)


def test_14_heroes_and_the_undead():
    attacker = {
        "units": [{"unit": "infantry", "count": 3, "spells": 1}, "2 x archers"],
        "turn_undead": True,
        "heroes": [{"class": "warrior", "level": 4, "battlewise": True}, {"class": "mage", "level": 13}],
    }
    dead = {"undead": True}
    defender = {
        "units": [{"unit": "infantry", "count": 4, "special": -1} | dead, {"unit": "levies", "count": 3} | dead],
        "heroes": [{"class": "rogue", "level": 9, "strategy": True}, {"class": "priest", "level": 7}],
    }
    scenario = birthright("quick-battle", attacker, defender, conditions={"terrain": "hills"})
    check = QuickRules(scenario.fields).check
    assert [int(strength[0, 0]) for strength in check.strengths] == [72, 44]
    assert check.modifiers[0, 0] == 3
    assert exact(scenario).winner("attacker") == pytest.approx(0.6175, abs=1e-12)


def test_15_best_retreat():
    scenario = birthright(
        "tactical",
        ["knights", "2 x infantry"],
        ["2 x infantry", "archers"],
        options={"gold": True},
        policy={"attacker": {"retreat": "best"}},
        objective={"attacker": {"win": 5, "attacker_gold_lost": -1}},
    )
    found = best(scenario)
    assert found.value["attacker"] == pytest.approx(1.194841, abs=5e-7)
    assert found.odds.winner("attacker") == pytest.approx(0.479365, abs=5e-7)
    assert found.odds.mean("attacker_gold_lost") == pytest.approx(1.201982, abs=5e-7)
    fixed = {gain.policy: gain.value for gain in found.fixed}
    assert fixed == pytest.approx({"outmatched": -0.051069, "never": -0.076561, "half": -0.262882}, abs=5e-7)


def test_16_best_army_for_six_gold():
    none = [{"unit": name, "count": 0} for name in ("infantry", "archers", "knights")]
    sides = {"attacker": {"units": none}, "defender": {"units": ["2 x infantry"]}}
    asked = {"game": "birthright", "battle": "tactical"} | sides
    vary = {f"attacker.units[{i}].count": range(most + 1) for i, most in enumerate((3, 2, 1))}
    found = need(asked, vary, budget=6, cost="muster", pruning=False)
    assert tuple(found.settings.values()) == (1, 2, 0)
    by_army = {one.settings: (one.cost, round(one.found.value, 6)) for one in found.answers}
    expected = {(1, 2, 0): (6, 0.931593), (2, 1, 0): (6, 0.882141), (3, 0, 0): (6, 0.799199), (0, 2, 0): (4, 0.773504)}
    assert by_army.items() >= (expected | {(0, 0, 1): (6, 0.746213)}).items()
    assert (0, 0, 0) not in by_army
    for paths in ({}, {"attacker.units[0].count": range(3)}):
        with pytest.raises(ValueError, match=r"^cost: attacker.warcraft has no muster price$"):
            need(asked, paths | {"attacker.warcraft": range(3)}, budget=6, cost="muster")
    with pytest.raises(ValueError, match=r"^cost: 'upkeep' is not allowed; must be one of list, muster, each"):
        need(asked, {"attacker.units[0].count": range(3)}, budget=6, cost="upkeep")


def test_17_best_siege():
    scenario = birthright(
        "siege",
        ["8 x infantry", "2 x artillerists"],
        ["2 x infantry"],
        conditions={"fortification": 8, "seasons": 4, "relief_on": 14, "relief_units": ["4 x cavalry"]},
        options={"gold": True, "siege_table": [[60000, 20, 2]]},
        policy={"attacker": {"siege": "best"}},
        objective={"attacker": {"win": 12, "attacker_gold_lost": -1, "attacker_upkeep": -0.3}},
    )
    found = best(scenario)
    assert found.value["attacker"] == pytest.approx(1.250485, abs=5e-7)
    fixed = {gain.policy: gain.value for gain in found.fixed}
    expected = {"storm-now": 1.233690, "wait": -8.060387, "storm-last-season": -8.552683}
    assert fixed == pytest.approx(expected, abs=5e-7)
    assert set(found.policy["choice"]) == {"wait", "storm"}
    first = found.policy[(found.policy["season"] == 1) & (found.policy["relief"] == "not come")]
    assert first["choice"].tolist() == ["storm"]
    assert found.odds.mean("storms") > 1


@pytest.mark.parametrize(("column", "lowest"), [(-3, -3), (0, -3), (2, -3), (-3, -7), (-7, -7)])
def test_a_ten_shifts_the_column_by_every_face_of_the_d8(column, lowest):
    """Section 3.2: 5 to 8 shift up, 1 to 4 down, within the bounds; then the d10 is thrown anew until it is no 10."""
    attacks, morale = Attacks(ten="shift", rally="once"), 2
    expected = Counter()
    for eight in range(1, 9):
        shifted = max(lowest, min(3, column + (1 if eight > 4 else -1)))
        for where, ways in ((column, 9), (shifted, 1)):
            for face, check, again in product(range(9), range(1, 7), range(1, 7)):
                letter, passed, rallied = battle_table()[where + 7][face], check <= 4, again <= 4
                effect = {"-": NONE, "F": NONE if passed else BACK, "H": HIT, "D": DESTROYED}.get(letter)
                if letter == "R":
                    effect = BACK if passed or rallied else ROUT
                expected[effect] += ways
    found = attacks.weights(Attack(column, 0, 0, 0, lowest), morale)
    total = sum(found.values())
    assert {e: w / total for e, w in found.items()} == pytest.approx(
        {e: w / sum(expected.values()) for e, w in expected.items()}
    )


def test_battles_with_the_same_cards_and_options_share_their_engagements():
    def engagement(count, **options):
        setup = field_tables.Setup(birthright("tactical", [f"{count} x knights"], ["infantry"], options=options).fields)
        units = (side.entries[0].unit for side in setup.sides)
        return setup.engagement(*units)

    assert engagement(1) is engagement(2)
    assert engagement(1) is not engagement(1, ten="shift")
