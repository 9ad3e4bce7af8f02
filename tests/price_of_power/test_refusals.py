"""Every refusal of docs/rules/price_of_power.md section 9: the line begins with the field."""

import pytest

from simulator import ScenarioError, load
from simulator.scenarios import set_path

LAND = {"game": "price-of-power", "battle": "land", "attacker": {"infantry": 3}, "defender": {"infantry": 3}}
NAVAL = {"game": "price-of-power", "battle": "naval", "attacker": {"light": 3}, "defender": {"light": 3}}
SIEGE = {
    "game": "price-of-power",
    "battle": "siege",
    "attacker": {"infantry": 3},
    "defender": {"provinces": [{"size": "large"}]},
}
DEFENCE = {"game": "price-of-power", "battle": "npr-defence", "defender": {"provinces": [{}]}}
CROSSING = {"game": "price-of-power", "battle": "crossing", "attacker": {"units": 3}}
CAMPAIGN = {
    "game": "price-of-power",
    "battle": "campaign",
    "attacker": {"fleet": {"light": 2}, "army": {"infantry": 3}},
    "defender": {"fleet": {"light": 1}, "army": {"infantry": 2}},
}
MARCH = CAMPAIGN | {"attacker": {"army": {"infantry": 3}}, "defender": {"army": {"infantry": 2}}}
AREA = {"provinces": [{"port": True, "faces_zone": True, "size": "large"}]}
INVADED = CAMPAIGN | {"defender": {"npr": AREA, "fleet": {"defends_capital": True}, "army": {"last_area": True}}}
NPR = {"kind": "npr", "infantry": 3}
MANY = {"army": {f"{rank}{unit}": 5 for rank in ("", "mercenary_") for unit in ("infantry", "cavalry", "artillery")}}
PORT = {"provinces": [{}, {"port_fleet": True}], "port_fleet": {"light": 1}}
SEABORNE = CAMPAIGN | {"defender": CAMPAIGN["defender"] | PORT}
TWO = [{"name": "Milan", "infantry": 2}, {"name": "France", "infantry": 3}]

CASES = [
    (LAND, {"attacker.infantry": 61}, "attacker.infantry"),
    (LAND, {"attacker.infantry": 2.5}, "attacker.infantry"),
    (LAND, {"attacker.elephants": 1}, "attacker.elephants"),
    (LAND, {"attacker.allied_artillery": 1}, "attacker.allied_artillery"),
    (LAND, {"attacker.kind": "pirates"}, "attacker.kind"),
    (LAND, {"attacker.ideas": ["tercio"]}, "attacker.ideas[0]"),
    (LAND, {"options.speed": 1}, "options.speed"),
    (LAND, {"policy.attacker.losses": "light-first"}, "policy.attacker.losses"),
    (LAND, {"policy.defender.ties": "npr-first"}, "policy.defender.ties"),
    (LAND, {"attacker": {}}, "attacker"),
    (LAND, {"defender": {}}, "defender"),
    (NAVAL, {"attacker": {}}, "attacker"),
    (LAND, {"defender": NPR | {"cavalry": 1}}, "defender.cavalry"),
    (LAND, {"attacker": {"kind": "rebels", "infantry": 2, "allied_cavalry": 1}}, "attacker.allied_cavalry"),
    (NAVAL, {"defender": {"kind": "pirates", "light": 1, "heavy": 1}}, "defender.heavy"),
    (LAND, {"attacker.defends_capital": True}, "attacker.defends_capital"),
    (LAND, {"defender.last_area": True}, "defender.last_area"),
    (NAVAL, {"defender.last_area": True}, "defender.last_area"),
    (LAND, {"defender": NPR, "policy.defender.retreat": "when-half"}, "policy.defender.retreat"),
    (LAND, {"defender": NPR, "policy.defender.retreat": "never"}, "policy.defender.retreat"),
    (NAVAL, {"defender": {"kind": "npr", "light": 2}, "policy.defender.retreat": "never"}, "policy.defender.retreat"),
    (LAND, {"defender": {"factions": [{}, NPR]}, "policy.defender.retreat": "when-half"}, "policy.defender.retreat"),
    (LAND, {"defender": {"factions": [{}, NPR], "ideas": ["tercios"]}}, "defender.ideas"),
    (LAND, {"defender": {"factions": [{}, NPR], "battle_actions": [{"name": "a"}]}}, "defender.battle_actions"),
    (LAND, {"defender": {"factions": [{"name": "Milan"}, NPR], "main_defender": "Milan"}}, "defender.main_defender"),
    (LAND, {"defender": {"factions": [{}, {"kind": "npr"}]}}, "defender"),
    (LAND, {"defender": {"factions": [{"defends_capital": True}, NPR]}}, "defender.factions[0].defends_capital"),
    (LAND, {"defender": NPR, "policy.defender.retreat_at": 2}, "policy.defender.retreat_at"),
    (LAND, {"policy.attacker.retreat_at": 2}, "policy.attacker.retreat_at"),
    (LAND, {"policy.attacker.retreat": "when-half", "policy.attacker.retreat_at": 2}, "policy.attacker.retreat_at"),
    (LAND, {"policy.attacker.retreat": "at-or-below", "policy.attacker.retreat_at": 61}, "policy.attacker.retreat_at"),
    (LAND, {"defender": NPR | {"ideas": ["tercios"]}}, "defender.ideas"),
    (LAND, {"policy.attacker.base_dice": "cavalry"}, "policy.attacker.base_dice"),
    (LAND, {"policy.attacker.base_dice": "best-expected"}, "policy.attacker.base_dice"),
    (NAVAL, {"attacker.leader": {"infantry": 1, "ruler": True}}, "attacker.leader.ruler"),
    (LAND, {"attacker.leader": {"infantry": 11}}, "attacker.leader.infantry"),
    (LAND, {"attacker.leader": {"wounds": 2}}, "attacker.leader.wounds"),
    (LAND, {"attacker.leader": "general"}, "attacker.leader"),
    (LAND, {"attacker.leader": "draw"}, "attacker.leader"),
    (LAND, {"defender": NPR | {"infantry": 2, "leader": "draw"}}, "defender.leader"),
    (NAVAL, {"defender": {"kind": "pirates", "light": 3, "leader": "draw"}}, "defender.leader"),
    (LAND, {"attacker.battle_actions": [{"name": "a"}, {"name": "a"}]}, "attacker.battle_actions"),
    (LAND, {"attacker.battle_actions": [{"round": 21}]}, "attacker.battle_actions[0].round"),
    (LAND, {"defender": NPR | {"battle_actions": [{"name": "a"}]}}, "defender.battle_actions"),
    (LAND, {"attacker.factions": TWO}, "attacker.factions"),
    (LAND, {"defender": {"factions": [*TWO, *TWO, *TWO]}}, "defender.factions"),
    (LAND, {"defender": {"infantry": 1, "factions": TWO}}, "defender.factions"),
    (LAND, {"defender": {"factions": TWO, "main_defender": "Milan"}}, "defender.main_defender"),
    (LAND, {"defender": {"factions": TWO, "kind": "npr"}}, "defender.kind"),
    (LAND, {"defender": {"factions": TWO, "last_area": True}}, "defender.last_area"),
    (NAVAL, {"defender": {"factions": [{"light": 1}], "defends_capital": True}}, "defender.defends_capital"),
    (LAND, {"defender": NPR | {"main_defender": "Milan"}}, "defender.main_defender"),
    (LAND, {"attacker.extra_dice": {"infantry": 10, "cavalry": 8}}, "attacker"),
    (LAND, {"defender": NPR | {"extra_dice": {"infantry": 10, "cavalry": 5}}}, "defender"),
    (NAVAL, {"attacker.damaged": 1}, "attacker.damaged"),
    (NAVAL, {"attacker.galleys": 1, "conditions.galley_waters": False}, "attacker.galleys"),
    (NAVAL, {"attacker.ships_in_supply": 16}, "attacker.ships_in_supply"),
    (NAVAL, {"attacker.muslim": True}, "attacker.muslim"),
    (LAND, {"conditions.galley_waters": True}, "conditions.galley_waters"),
    (LAND, {"conditions.max_rounds": 21}, "conditions.max_rounds"),
    (LAND, {"options.npr_deck": []}, "options.npr_deck"),
    (LAND, {"options.dice": {"infantry": []}}, "options.dice.infantry"),
    (LAND, {"options.dice": {"infantry": ["infantry+elephant"]}}, "options.dice.infantry[0]"),
    (LAND, {"options.dice": {"elephant": ["blank"]}}, "options.dice.elephant"),
    (LAND, {"defender": {"infantry": 2, "npr": {"provinces": [{}]}}}, "defender.npr"),
    (LAND, {"defender": {"factions": TWO, "npr": {"provinces": [{}]}}}, "defender.npr"),
    (LAND, {"defender": {"kind": "rebels", "npr": {"provinces": [{}]}}}, "defender.kind"),
    (LAND, {"defender": {"npr": {"provinces": [{"occupied": True}]}}}, "defender"),
    (NAVAL, {"defender": {"npr": {"provinces": [{}]}}}, "defender"),
    (LAND, {"defender": {"npr": {"provinces": [{"location": "sea"}]}}}, "defender.npr.provinces[0].location"),
    (LAND, {"policy.attacker.losses": "custom"}, "policy.attacker.loss_order"),
    (LAND, {"policy.attacker.loss_order": ["cavalry"]}, "policy.attacker.loss_order"),
    (LAND, {"policy.attacker": {"losses": "custom", "loss_order": ["ship"]}}, "policy.attacker.loss_order[0]"),
    (LAND, {"policy.attacker": {"losses": "custom", "loss_order": []}}, "policy.attacker.loss_order"),
    (NAVAL, {"policy.attacker.losses": "custom"}, "policy.attacker.losses"),
    (NAVAL, {"policy.attacker.loss_order": ["infantry"]}, "policy.attacker.loss_order"),
    (
        LAND,
        {"attacker": {"infantry": 60, "cavalry": 60, "artillery": 60}, "policy.attacker.losses": "best"},
        "policy.attacker.losses",
    ),
    (LAND, {"attacker.battle_actions": [{"when": "best"}] * 5}, "attacker.battle_actions"),
    (LAND, {"attacker.battle_actions": [{"when": "later"}]}, "attacker.battle_actions[0].when"),
    (
        LAND,
        {"attacker.extra_dice": {"infantry": 10}, "attacker.battle_actions": [{"cavalry": 8, "when": "if-behind"}]},
        "attacker",
    ),
    (LAND, {"attacker.npr": {"provinces": [{}]}}, "attacker.npr"),
    (LAND, {"defender": {"factions": [*TWO, {"infantry": 1, "npr": {"provinces": [{}]}}]}}, "defender.factions[2].npr"),
    (
        LAND,
        {"defender": {"factions": [*TWO, {"kind": "rebels", "npr": {"provinces": [{}]}}]}},
        "defender.factions[2].kind",
    ),
    (LAND, {"defender": {"factions": [NPR | {"retreat": "best"}]}}, "defender.factions[0].retreat"),
    (
        LAND,
        {"defender": {"factions": [{"infantry": 1, "retreat": "best"}]}, "policy.defender.retreat": "best"},
        "policy.defender.retreat",
    ),
    (LAND, {"attacker.leaders": ["none"]}, "attacker.leaders"),
    (LAND, {"attacker.leaders": ["none"] * 7}, "attacker.leaders"),
    (LAND, {"attacker.leaders": ["draw", "none"]}, "attacker.leaders[0]"),
    (LAND, {"attacker.leaders": [{"power": 10}, "none"]}, "attacker.leaders[0].power"),
    (LAND, {"attacker": {"infantry": 1, "leaders": ["none", {}], "leader": "none"}}, "attacker.leaders"),
    (NAVAL, {"attacker.leaders": ["none", {"ruler": True}]}, "attacker.leaders[1].ruler"),
    (LAND, {"policy.attacker.leader": 1}, "policy.attacker.leader"),
    (LAND, {"policy.attacker.leader": "best"}, "policy.attacker.leader"),
    (LAND, {"attacker.leaders": ["none", {}], "policy.attacker.leader": 3}, "policy.attacker.leader"),
    (LAND, {"attacker.leaders": ["none", {}], "policy.attacker.leader": 0}, "policy.attacker.leader"),
    (CAMPAIGN, {"attacker.army.leaders": ["none", {}]}, "attacker.army.leaders"),
    (CAMPAIGN, {"policy.attacker.fleet.leader": 1}, "policy.attacker.fleet.leader"),
    (LAND, {"defender": {"factions": [*TWO, NPR | {"retreat": "never"}]}}, "defender.factions[2].retreat"),
    (LAND, {"defender": {"factions": [*TWO, NPR | {"retreat_at": 2}]}}, "defender.factions[2].retreat_at"),
    (LAND, {"defender": {"factions": [*TWO, NPR | {"can_retreat": False}]}}, "defender.factions[2].can_retreat"),
    (
        LAND,
        {"defender": {"factions": [*TWO, {"npr": {"provinces": [{}]}, "can_retreat": True}]}},
        "defender.factions[2].can_retreat",
    ),
    (LAND, {"defender": {"factions": [{"infantry": 1, "retreat_at": 2}]}}, "defender.factions[0].retreat_at"),
    (
        LAND,
        {"defender": {"factions": [{"infantry": 1, "retreat": "when-half", "retreat_at": 2}]}},
        "defender.factions[0].retreat_at",
    ),
    (
        LAND,
        {"defender": {"factions": [*TWO, {"infantry": 1, "retreat": "never"}]}, "policy.defender.retreat": "best"},
        "policy.defender.retreat",
    ),
    (
        LAND,
        {"defender": {"factions": [*TWO, {"infantry": 1, "can_retreat": True}]}, "policy.defender.retreat": "best"},
        "policy.defender.retreat",
    ),
    (LAND, {"defender": {"factions": [*TWO, NPR]}, "policy.defender.retreat": "best"}, "policy.defender.retreat"),
    (SIEGE, {"conditions.enemy_units": 1}, "conditions.enemy_units"),
    (SIEGE, {"attacker": {}}, "attacker"),
    (SIEGE, {"attacker": {"kind": "rebels", "infantry": 1, "artillery": 1}}, "attacker.artillery"),
    (SIEGE, {"defender.provinces": []}, "defender.provinces"),
    (SIEGE, {"policy.attacker.plan": "all"}, "policy.attacker.plan"),
    (DEFENCE, {"defender.provinces": [{"faces_zone": True}]}, "defender.provinces[0].faces_zone"),
    (DEFENCE, {"defender.provinces": [{"location": "sea"}]}, "defender.provinces[0].location"),
    (DEFENCE, {"conditions.foreign_areas": 2}, "conditions.foreign_areas"),
    (CROSSING, {"attacker.units": 0}, "attacker.units"),
    (CROSSING, {"conditions.bridge": [2, -1]}, "conditions.bridge[1]"),
    (CAMPAIGN, {"options.count_rounds": True}, "options.count_rounds"),
    (CAMPAIGN, {"attacker.fleet": {}}, "defender.fleet"),
    (CAMPAIGN, {"attacker.army": {}}, "attacker.army"),
    (CAMPAIGN, {"attacker.army.kind": "rebels"}, "attacker.army.kind"),
    (CAMPAIGN, {"defender.fleet.damaged": 1}, "defender.fleet.damaged"),
    (CAMPAIGN, {"policy.attacker.army.retreat_at": 1}, "policy.attacker.army.retreat_at"),
    (CAMPAIGN, {"defender.army.extra_dice": {"infantry": 10, "cavalry": 8}}, "defender.army"),
    (CAMPAIGN, {"attacker": {"fleet": {"light": 1}}}, "attacker.army"),
    (CAMPAIGN, {"policy.attacker.landing": "most-numerous"}, "policy.attacker.landing"),
    (CAMPAIGN, {"objective": {"attacker": {"value_take": 1}}}, "objective.attacker.value_take"),
    (CAMPAIGN, {"conditions.border": "open"}, "conditions.border"),
    (CAMPAIGN, {"conditions.bridge": [1]}, "conditions.bridge"),
    (CAMPAIGN, {"conditions.march_power": 2}, "conditions.march_power"),
    (CAMPAIGN, {"conditions.ships_facing": True}, "conditions.ships_facing"),
    (CAMPAIGN, {"defender.provinces": "npr"}, "defender.provinces"),
    (CAMPAIGN, {"defender.provinces": [{"size": "huge"}]}, "defender.provinces[0].size"),
    (CAMPAIGN, {"defender.provinces": [{}] * 9}, "defender.provinces"),
    (MARCH, {"attacker.army": {}}, "attacker.army"),
    (MARCH, {"defender.fleet": {"light": 1}}, "defender.fleet"),
    (MARCH, {"policy.attacker.fleet": {"losses": "light-first"}}, "policy.attacker.fleet"),
    (MARCH, {"policy.defender.fleet": {"retreat": "when-half"}}, "policy.defender.fleet"),
    (MARCH, {"conditions.march_power": 0}, "conditions.march_power"),
    (MARCH, {"conditions.bridge": [61]}, "conditions.bridge[0]"),
    (INVADED, {"defender.army.infantry": 1}, "defender.army.infantry"),
    (INVADED, {"defender.army.allied_cavalry": 1}, "defender.army.allied_cavalry"),
    (INVADED, {"defender.army.kind": "rebels"}, "defender.army.kind"),
    (INVADED, {"defender.army.npr": AREA}, "defender.army.npr"),
    (INVADED, {"defender.army.factions": [{"infantry": 1}]}, "defender.army.factions"),
    (INVADED, {"defender.fleet.light": 1}, "defender.fleet.light"),
    (INVADED, {"defender.fleet.kind": "pirates"}, "defender.fleet.kind"),
    (INVADED, {"defender.npr.provinces": [{"location": "sea"}]}, "defender.npr.provinces[0].location"),
    (INVADED, {"defender.npr.provinces": [{}] * 9, "defender.provinces": "npr"}, "defender.provinces"),
    (INVADED, {"policy.defender.army.retreat": "when-half"}, "policy.defender.army.retreat"),
    (MARCH, {"policy.attacker.landing": "custom"}, "policy.attacker.landing_units"),
    (MARCH, {"policy.attacker.landing_units": {"infantry": 1}}, "policy.attacker.landing_units"),
    (
        MARCH,
        {"policy.attacker": {"landing": "custom", "landing_units": {"cavalry": 1}}},
        "policy.attacker.landing_units.cavalry",
    ),
    (MARCH, {"policy.attacker": {"landing": "custom", "landing_units": {}}}, "policy.attacker.landing_units"),
    (
        MARCH,
        {"policy.attacker": {"landing": "custom", "landing_units": {"men": 1}}},
        "policy.attacker.landing_units.men",
    ),
    (MARCH, {"policy.attacker.landing": "cheapest"}, "policy.attacker.landing"),
    (MARCH, {"attacker": MANY, "policy.attacker.landing": "best"}, "policy.attacker.landing"),
    (MARCH, {"defender": MARCH["defender"] | PORT}, "defender.port_fleet"),
    (MARCH, {"defender.provinces": [{"port_fleet": True}]}, "defender.provinces[0].port_fleet"),
    (SEABORNE, {"defender.provinces": [{}]}, "defender.port_fleet"),
    (SEABORNE, {"defender.provinces": [{"port_fleet": True}] * 2}, "defender.port_fleet"),
    (SEABORNE, {"defender.port_fleet": {}}, "defender.port_fleet"),
    (SEABORNE, {"defender.port_fleet": {"kind": "pirates", "heavy": 1}}, "defender.port_fleet.heavy"),
    (CAMPAIGN, {"defender.provinces": [{}, {"port_fleet": True}]}, "defender.provinces[1].port_fleet"),
    (SIEGE, {"defender.provinces": [{"port_fleet": True}]}, "defender.provinces[0].port_fleet"),
]


@pytest.mark.parametrize(("scenario", "changes", "field"), CASES, ids=lambda value: str(value)[:60])
def test_refused(scenario, changes, field):
    import copy

    data = copy.deepcopy(scenario)
    load(data)
    for path, value in changes.items():
        set_path(data, path, value)
    with pytest.raises(ScenarioError) as refusal:
        load(data)
    assert str(refusal.value).startswith(f"{field}: ")
    assert "\n" not in str(refusal.value)


ALLOWED = [
    (
        LAND,
        {"defender": {"factions": [*TWO, {"kind": "npr"}, {"retreat": "never"}]}, "policy.defender.retreat": "best"},
    ),
    (LAND, {"defender": {"factions": [*TWO, {"npr": {"provinces": [{"size": "large"}]}}]}}),
    (LAND, {"attacker.battle_actions": [{"when": "best"}] * 4}),
    (LAND, {"defender.leaders": ["none", {"cavalry": 1, "ruler": True}], "policy.defender.leader": 2}),
    (LAND, {"defender": {"factions": [*TWO, NPR, {"infantry": 1, "retreat": "best"}]}}),
    (SEABORNE, {"defender.port_fleet": {"kind": "pirates", "light": 2}}),
    (LAND, {"defender": NPR | {"battle_actions": [{"name": "a"}]}, "options.lend_a_helping_hand": True}),
    (LAND, {"attacker": NPR | {"leader": "draw"}}),
    (LAND, {"attacker.battle_actions": [{"infantry": 1}, {"cavalry": 1}, {"name": "a"}, {"name": "a", "round": 2}]}),
    (LAND, {"options.dice": {"infantry": ["infantry"]}}),
    (CAMPAIGN, {"defender": {}}),
    (CAMPAIGN, {"defender": {"fleet": {}, "army": {}, "provinces": []}}),
    (CAMPAIGN, {"policy.attacker.fleet.retreat": "best", "policy.defender.army.retreat": "best"}),
    (MARCH, {"attacker.fleet": {}, "defender.fleet": {}, "conditions.galley_waters": False}),
    (MARCH, {"defender": {"npr": AREA, "fleet": {"defends_capital": True}, "provinces": "npr"}}),
    (INVADED, {"defender.army.kind": "npr", "defender.provinces": [{}]}),
]


@pytest.mark.parametrize(("scenario", "changes"), ALLOWED, ids=lambda value: str(value)[:60])
def test_allowed(scenario, changes):
    import copy

    data = copy.deepcopy(scenario)
    for path, value in changes.items():
        set_path(data, path, value)
    load(data)
