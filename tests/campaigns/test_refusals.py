"""Every refusal of docs/rules/campaigns.md section 7."""

import pytest

from simulator import load
from simulator.scenarios import ScenarioError
from simulator.scenarios.scenario import draft

RISK = {
    "game": "campaign",
    "of": "risk",
    "every": {"battle": "land"},
    "force": {"red": {"regiments": 4}, "blue": {"regiments": 4}},
    "fight": [{"attacker": "red", "defender": "blue"}, {"attacker": "blue", "defender": "red"}],
}
POWER = {
    "game": "campaign",
    "of": "price-of-power",
    "force": {"us": {"infantry": 3}, "them": {"infantry": 2}},
    "fight": [{"battle": "land", "attacker": "us", "defender": "them"}],
}
THINGS = {
    "game": "campaign",
    "of": "kings-and-things",
    "force": {"red": {"creatures": ["3"]}, "blue": {"creatures": ["2"]}},
    "fight": [{"battle": "land", "attacker": "red", "defender": "blue"}],
}
AXIS = {
    "game": "campaign",
    "of": "axis-and-allies-1942",
    "force": {"red": {"tank": 2}, "blue": {"infantry": 2}},
    "fight": [{"battle": "land", "attacker": "red", "defender": "blue"}],
}
BIRTHRIGHT = {
    "game": "campaign",
    "of": "birthright",
    "force": {"a": {"units": ["2 x infantry"]}, "b": {"units": ["knights"]}},
    "fight": [{"battle": "tactical", "attacker": "a", "defender": "b"}],
}
EUROPA = {
    "game": "campaign",
    "of": "europa",
    "every": {"battle": "siege"},
    "force": {"french": {"army_plus": 1}},
    "fortress": {"breda": {"land_detachments": 1}},
    "fight": [{"attacker": "french", "defender": "breda"}],
}
MANY = {f"f{number}": {"regiments": 1} for number in range(7)}

CASES = [
    (RISK, {"of": None}, "of: is needed: the game that is played"),
    (RISK, {"of": "chess"}, "of: no game 'chess'"),
    (RISK, {"force": MANY}, "force: 7 forces are not allowed; give 1 to 6"),
    (RISK, {"force": {}}, "force: 0 forces are not allowed; give 1 to 6"),
    (RISK, {"force.Red": {"regiments": 2}}, "force.Red: 'Red' is not allowed"),
    (RISK, {"force.out": {"regiments": 2}}, "force.out: 'out' is not allowed"),
    (RISK, {"force.red.tanks": 2}, "force.red.tanks: unknown field"),
    (RISK, {"force.red": {"regiments": None}}, "force.red.regiments: None is not allowed; give a whole number from 0"),
    (
        THINGS,
        {"fight[0].attacker": {"force": "red", "join": {"creatures": None}}},
        "fight[0].attacker.join.creatures: None is not allowed; give a list",
    ),
    (
        POWER,
        {"force.us.battle_actions": [{"infantry": 1}]},
        "force.us.battle_actions: a card is played in one fight; give",
    ),
    (POWER, {"force.us.leaders": ["none", {}]}, "force.us.leaders: a leader is appointed for one fight; give"),
    (POWER, {"force.us.factions": [{"infantry": 1}]}, "force.us.factions: a force is one realm"),
    (THINGS, {"force.red.items": ["balloon"]}, "force.red.items: 'balloon' serves in one fight; give it in that fight"),
    (THINGS, {"force.red.items": ["talisman"] * 2}, "force.red.items: talisman exists once in the game"),
    (
        EUROPA,
        {"force.french.losses": "few"},
        "force.french.losses: 'few' is not allowed; must be one of keep-best-army",
    ),
    (
        EUROPA,
        {"force.french.leader_after": "king"},
        "force.french.leader_after: 'king' is not allowed; must be one of replacement, none",
    ),
    (
        EUROPA,
        {"fight[0].defender": {"fortress": "breda", "go": "best"}},
        "fight[0].defender.go: only the attacker decides whether to fight",
    ),
    (
        POWER,
        {"fight[0].attacker": {"force": "us", "stay": {"damaged": 1}}},
        "fight[0].attacker.stay.damaged: no such piece; pieces: infantry",
    ),
    (RISK, {"fight": []}, "fight: give 1 to 12 fights"),
    (RISK, {"fight": [{"attacker": "red", "defender": "blue"}] * 13}, "fight: give 1 to 12 fights"),
    (RISK, {"fight[1].name": "red"}, "fight[1].name: 'red' is given twice"),
    (RISK, {"fight[1].name": "fight1"}, "fight[1].name: 'fight1' is given twice"),
    (
        THINGS,
        {"fight[0].battle": "exploration"},
        "fight[0].battle: exploration is not fought in a campaign: the counters",
    ),
    (
        THINGS,
        {"fight[0].battle": "free-for-all"},
        "fight[0].battle: free-for-all is not fought in a campaign: a fight of",
    ),
    (
        POWER,
        {"fight[0].battle": "crossing"},
        "fight[0].battle: crossing is not fought in a campaign: nothing is carried",
    ),
    (BIRTHRIGHT, {"fight[0].battle": "siege"}, "fight[0].battle: siege is not fought in a campaign"),
    (RISK, {"fight[1].attacker": "green"}, "fight[1].attacker.force: no force 'green'; forces: red, blue"),
    (RISK, {"us": "green"}, "us: no force 'green'"),
    (RISK, {"fortress": {"breda": {}}}, "fortress: only europa has fortresses that are besieged"),
    (EUROPA, {"fortress": {f"v{n}": {} for n in range(7)}}, "fortress: 7 fortresses are not allowed; give at most 6"),
    (EUROPA, {"fortress.french": {}}, "fortress.french: 'french' is a force already"),
    (EUROPA, {"fortress.out": {}}, "fortress.out: 'out' is not allowed"),
    (EUROPA, {"fortress.breda.walls": 2}, "fortress.breda.walls: unknown field"),
    (EUROPA, {"fortress.breda.fortress_level": 9}, "fortress.breda.fortress_level: 9 is not allowed"),
    (EUROPA, {"fight[0].name": "breda"}, "fight[0].name: 'breda' is given twice"),
    (
        EUROPA,
        {"fight[0].battle": "land"},
        "fight[0].defender: 'breda' is a fortress: only siege and siege-campaign are fought there",
    ),
    (
        EUROPA,
        {"fight[0]": {"attacker": "breda", "defender": {"fortress_level": 1}}},
        "fight[0].attacker: a fortress does not attack",
    ),
    (
        EUROPA,
        {"fight[0].attacker": {"army_plus": 1}},
        "fight[0].attacker: only a force besieges a fortress of the campaign",
    ),
    (
        EUROPA,
        {"fight[0].defender": {"fortress": "mons"}},
        "fight[0].defender.fortress: no fortress 'mons'; fortresses: breda",
    ),
    (
        EUROPA,
        {"fight[0].defender": {"fortress": "breda", "force": "french"}},
        "fight[0].defender.fortress: give force or fortress, not both",
    ),
    (
        EUROPA,
        {"fight[0].defender": {"fortress": "breda", "fortress_level": 3}},
        "fight[0].defender.fortress_level: given with the fortress; write it in fortress.breda",
    ),
    (
        EUROPA,
        {"fight[0].defender": {"fortress": "breda", "leave": "all"}},
        "fight[0].defender.leave: only for a force",
    ),
    *(
        (
            EUROPA,
            {f"fight[0].conditions.{name}": value},
            f"fight[0].conditions.{name}: the fortress carries it; give it in fortress.breda",
        )
        for name, value in {
            "siegeworks_minus": 1,
            "siegeworks_plus": 1,
            "breach_counter": True,
            "assault_counter": True,
            "pillages": 1,
            "first_round": False,
            "continued_siege": True,
            "unsupplied_segments": 1,
        }.items()
    ),
    (
        EUROPA,
        {"every.battle": "siege-campaign", "fight[0].conditions.supply_segment_first": True},
        "fight[0].conditions.supply_segment_first: the campaign knows it",
    ),
    (RISK, {"us": []}, "us: name at least one force"),
    (
        RISK,
        {"fight[0].attacker": {"force": "red", "leave_to": "green"}},
        "fight[0].attacker.leave_to: no force 'green'",
    ),
    (
        RISK,
        {"fight[0].attacker": {"force": "red", "carried": {"by": "green", "each": 1}}},
        "fight[0].attacker.carried.by: no force 'green'",
    ),
    (RISK, {"fight[0].defender": "red"}, "fight[0].defender.force: red cannot fight itself"),
    (
        RISK,
        {"fight[0]": {"attacker": {"regiments": 2}, "defender": {"regiments": 2}}},
        "fight[0]: at least one side must be a force",
    ),
    (
        RISK,
        {"fight[0].attacker": {"force": "red", "regiments": 2}},
        "fight[0].attacker.regiments: pieces come to a force with fight[0].attacker.join",
    ),
    (RISK, {"fight[0].attacker": {"regiments": 2, "stay": {}}}, "fight[0].attacker.stay: only for a force"),
    (RISK, {"fight[0].attacker": {"regiments": 2, "leave": "all"}}, "fight[0].attacker.leave: only for a force"),
    (
        POWER,
        {"fight[0].battle": "siege"},
        "fight[0].defender.force: the defender of a siege is no force; give it in the fight",
    ),
    (
        RISK,
        {"fight[0].attacker": {"force": "red", "stay": {"regiments": 1}, "send": {"regiments": 1}}},
        "fight[0].attacker.send: give stay or send, not both",
    ),
    (
        RISK,
        {"fight[0].attacker": {"force": "red", "stay": {"tanks": 1}}},
        "fight[0].attacker.stay.tanks: no such piece; pieces: regiments, commanders, fleets",
    ),
    (
        RISK,
        {"fight[0].attacker": {"force": "red", "join": {"tanks": 1}}},
        "fight[0].attacker.join.tanks: unknown field; ",
    ),
    (
        RISK,
        {"fight[0].attacker": {"force": "red", "leave": "some"}},
        "fight[0].attacker.leave: 'some' is not allowed;",
    ),
    (
        RISK,
        {"fight[0].attacker": {"force": "red", "join": {"regiments": "x"}}},
        "fight[0].attacker.join.regiments: 'x' is not allowed; give a whole number from 0 to 1000",
    ),
    (
        AXIS,
        {"fight[0].attacker": {"force": "red", "carried": {"each": 2}}},
        "fight[0].attacker.carried.order: is needed",
    ),
    (
        RISK,
        {"fight[0].defender": {"force": "blue", "driven_off": "red"}},
        "fight[0].defender.driven_off: the enemy of this fight",
    ),
    (
        RISK,
        {"fight[0].defender": {"force": "blue", "min_units": 2}},
        "fight[0].defender.min_units: only the attacker decides whether to fight",
    ),
    (
        RISK,
        {"fight[0].attacker": {"force": "red", "go": "best", "min_odds": 0.5}},
        "fight[0].attacker.go: best does not go with min_odds or min_units",
    ),
    (RISK, {"fight[0].attacker": {"force": "red", "min_odds": 1.2}}, "fight[0].attacker.min_odds: 1.2 is not allowed;"),
    (RISK, {"fight[0].attacker": {"force": "red", "go": "often"}}, "fight[0].attacker.go: 'often' is not allowed;"),
    (
        RISK,
        {"fight[0].attacker": {"force": "red", "carried": {"each": 0}}},
        "fight[0].attacker.carried.each: 0 is not allowed;",
    ),
    (
        RISK,
        {"fight[0].policy": {"attacker": {"retreat": "best"}}},
        "fight[0].policy.attacker.retreat: best is not offered inside a campaign",
    ),
    (
        RISK,
        {"every.policy": {"attacker": {"retreat": ["to-the-end", "best"]}}},
        "fight[0].policy.attacker.retreat: best is not offered inside a campaign",
    ),
    (
        POWER,
        {"fight[0].attacker": {"force": "us", "battle_actions": [{"infantry": 1, "when": "best"}]}},
        "fight[0].attacker.battle_actions[0].when: best is not offered inside a campaign",
    ),
    (
        POWER,
        {"fight[0].defender": {"factions": [{"infantry": 1, "retreat": "best"}]}},
        "fight[0].defender.factions[0].retreat: best is not offered inside a campaign",
    ),
    (
        RISK,
        {"fight[0].if": "fight2_won"},
        "fight[0].if: 'fight2_won' is not known yet: only earlier fights may be asked about",
    ),
    (RISK, {"fight[1].if": "fight1_rounds > 1 and x"}, "fight[1].if: no such column 'x'"),
    (RISK, {"goal": "red_tanks_left > 1"}, "goal: no such column 'red_tanks_left'"),
    (RISK, {"columns": ["fight1_tanks"]}, "columns: no such column 'fight1_tanks'"),
    (RISK, {"objective": {"attacker": {"x": 1}}}, "objective.attacker.x: no such column"),
    (RISK, {"objective": {"attacker": {}}}, "objective.attacker: give at least one weight"),
    (
        RISK,
        {"force.green": {"regiments": 2}, "fight[1]": {"attacker": "green", "defender": {"regiments": 1}}},
        "us: who is with whom does not follow from the fights; name the forces on your side",
    ),
    (
        BIRTHRIGHT,
        {"fight[0].defender": {"force": "b", "driven_off": "stay"}},
        "fight[0].defender.driven_off: routed units of tactical and storm are only counted; they are out",
    ),
    (RISK, {"fight[0]": {"attacker": "red"}}, "fight[0].defender: is needed"),
    (RISK, {"every": {}}, "fight[0].battle: is needed"),
    (RISK, {"season": 3}, "season: unknown field;"),
    (RISK, {"rules": {}}, "rules: unknown field;"),
    (RISK, {"fight[0].weather": 3}, "fight[0].weather: unknown field;"),
    # Traits that no fight reads.
    (POWER, {"force.us.admiral": {"artillery": 99}}, "force.us.admiral.artillery: 99 is not allowed; give a whole"),
    (POWER, {"force.us.admiral": "Nobody"}, "force.us.admiral: 'Nobody' is not allowed;"),
    (EUROPA, {"force.french.admiral": "Nobody"}, "force.french.admiral: no leader 'Nobody'"),
    (EUROPA, {"force.french.naval_technology": "musket"}, "force.french.naval_technology: 'musket' is not allowed;"),
    (RISK, {"force.red.transports": -1}, "force.red.transports: -1 is not allowed;"),
    (BIRTHRIGHT, {"force.a.heroes": [{"class": "x"}]}, "force.a.heroes[0].class: 'x' is not allowed;"),
    (
        BIRTHRIGHT,
        {"force.a.units": [{"unit": "infantry", "special": 4}]},
        "force.a.units[0].special: 4 is not allowed; give a whole number from -3 to 3",
    ),
    (
        THINGS,
        {"fight[0].attacker": {"force": "red", "loss_order": ["9"]}},
        "fight[0].attacker.loss_order: '9' has value 9; a combat value goes from 0 to 6",
    ),
    (THINGS, {"force.red.loss_order": 5}, "fight[0].attacker.loss_order: 5 is not allowed; give a list"),
    (RISK, {"force.red.regiments": -1}, "force.red.regiments: -1 is not allowed;"),
    (RISK, {"fight[1].options": {"ties": "coin"}}, "fight[1].options.ties: 'coin' is not allowed;"),
    (
        RISK,
        {"fight[1].policy": {"attacker": {"retreat": "stop-below"}}},
        "fight[1].policy.attacker.stop_below: is needed",
    ),
]


@pytest.mark.parametrize(("base", "changes", "line"), CASES, ids=[line[:70] for _, _, line in CASES])
def test_refused(base, changes, line):
    changed = draft(base).with_fields(changes)
    data = {key: value for key, value in changed.data.items() if value is not None}
    with pytest.raises(ScenarioError) as refused:
        load(data)
    assert str(refused.value).startswith(line)
    assert "\n" not in str(refused.value)
