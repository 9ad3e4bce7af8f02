"""No field is listed that changes nothing: each changes an answer, or is refused."""

import re

import numpy as np
import pytest

from simulator import ScenarioError, exact, load
from simulator.analysis.studies.sensitivity import others
from simulator.rules.risk.model import Options
from simulator.scenarios import draft, example_names, find_battle
from simulator.scenarios.schema import field_rows, settings_of
from tests.field_cases import KINDS, LABELS, LARGE, PARTS
from tests.field_changes import CHANGES

STACK = {"army_plus": 1, "land_detachments": 4, "pashas": 1, "pasha_detachments": 2, "technology": "musket"}
FLEET = {"warships": 4, "galleys": 2, "galleasses": 1, "transports": 3, "fleets_plus": 1, "siege": 2}
SAILED = {"sea": "mediterranean", "zones_entered": 4}
# Battles of each procedure in which its fields tell.
PROCEDURES = {
    "movement-land": [
        {"attacker": STACK, "conditions": {"mp": 7}},
        {"attacker": STACK, "conditions": {"mp": 3, "bad_weather": True}},
        {"attacker": {"land_detachments": 2}, "conditions": {"mp": 3, "bad_weather": True}},
        {"attacker": {"land_detachments": 6}, "conditions": {"mp": 2}},
        {"attacker": {"land_detachments": 2, "pashas": 1, "pasha_detachments": 2}, "conditions": {"mp": 6}},
        {"attacker": {"land_detachments": 4, "technology": "arquebus"}, "conditions": {"mp": 6}},
        {
            "attacker": {"land_detachments": 2},
            "conditions": {"mp": 3, "no_logistics": True, "landing_without_port": True},
        },
        {"attacker": STACK, "conditions": {"region": "rotw", "mp": 7}},
    ],
    "supply": [
        {"attacker": STACK, "conditions": {"causes": 2}},
        {"attacker": {"land_detachments": 6}, "conditions": {"causes": 1}},
        {"attacker": {"land_detachments": 2, "pashas": 1, "pasha_detachments": 2}, "conditions": {"causes": 2}},
        {"attacker": STACK, "conditions": {"region": "rotw", "causes": 2}},
    ],
    "siege": [
        {"attacker": STACK},
        {"attacker": STACK, "conditions": {"siegeworks_plus": 1}},
        {"attacker": STACK, "conditions": {"region": "rotw", "siegeworks_plus": 1}},
    ],
    "movement-sea": [
        {"attacker": FLEET, "conditions": SAILED | {"blockading": True, "fortress_level": 3}},
        {"attacker": FLEET | {"land_detachments": 2}, "conditions": SAILED | {"zones_to_port": 2}},
        {
            "attacker": {"warships": 4, "transports": 2, "gold": 40, "fleets_minus": 2},
            "conditions": {"zones_entered": 2},
        },
        {
            "attacker": {"warships": 4, "exploration_ships": 1, "exploration_detachments": 1, "technology": "carrack"},
            "conditions": {"region": "rotw", "end_of_turn_at_sea": True},
            "options": {"end_of_turn_plus_two": True},
        },
    ],
}
# Fields that name the side and the place: the same for all procedures, and needed for refusals.
NAMED = {"attacker.country", "attacker.army_class", "conditions.period", "conditions.procedure"}
WHERE = {
    "movement-land": set(),
    "supply": set(),
    "siege": {"attacker.technology", "attacker.pashas"},
    "movement-sea": {"conditions.region"},
}


def answers(scenario):
    """The chances of all outcomes, and line 1, which names the sides."""
    odds = exact(scenario)
    columns = [(name, values.tobytes()) for name, values in odds.columns.items()]
    return odds.headline.text, columns, np.round(odds.chances, 13).tobytes()


def tried(battle, path, setting, numbers):
    """Other values of a field: one less and one more, these numbers, every name, half and double of a share."""
    more = numbers if type(setting) is int else [setting / 2, setting * 2] if type(setting) is float else []
    more = ["musket", "carrack"] if path == "attacker.technology" else more
    return [to for to in (*others(battle, path, setting), *more) if to != setting]


def changed(scenario, verdicts_of=None, listed=None, numbers=(20,)):
    """The fields of which another value is refused in each case ("refused"), or changes the answer ("changes").

    A value decides also where it makes another field refused: how many fleets may be in play. Not those that are
    `verdicts_of` to change an answer already, nor those that are not `listed`.
    """
    found, base = {}, answers(scenario)
    for path, setting in settings_of(scenario.fields):
        place = re.sub(r"\[\d+\]", "[i]", path)
        if "changes" in (verdicts_of or {}).get(place, ()) or (listed and place not in listed):
            continue
        for to in tried(scenario.battle, path, setting, numbers):
            try:
                other = draft(scenario).with_fields({path: to}).checked()
            except ScenarioError as error:
                decides = (path.startswith(("options.", "conditions.")) or type(setting) is bool) and not str(
                    error
                ).startswith(path)
                found[path] = "changes" if decides else found.get(path, "refused")
                continue
            if found.get(path) != "changes":
                found[path] = "changes" if answers(other) != base else "nothing"
            if found[path] == "changes":
                break
    return found


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_each_field_of_attrition_changes_an_answer_or_is_refused(procedure):
    """docs/rules/europa_naval_and_other.md section 4: a procedure reads its own fields."""
    verdicts_of = {}
    for one in PROCEDURES[procedure]:
        scenario = load(
            {"game": "europa", "battle": "attrition"}
            | one
            | {"conditions": one.get("conditions", {}) | {"procedure": procedure}}
        )
        for path, verdict in changed(scenario).items():
            verdicts_of.setdefault(path, set()).add(verdict)
    idle = [path for path, verdicts in verdicts_of.items() if "changes" not in verdicts and "nothing" in verdicts]
    assert set(idle) - NAMED == WHERE[procedure]


def test_ships_do_not_march():
    with pytest.raises(ScenarioError) as refused:
        load({"game": "europa", "battle": "attrition", "attacker": {"land_detachments": 4, "galleys": 3}})
    assert str(refused.value) == "attacker.galleys: 3 is not allowed with movement-land; it changes nothing there"


@pytest.mark.parametrize("kind", ["land", "amphibious", "naval", "blockade-run", "invasion"])
def test_risk_lists_the_options_that_matter_and_accepts_house_rules_of_the_whole_game(kind):
    listed = {
        row.path.removeprefix("options.") for row in field_rows(find_battle("risk", kind)) if "options." in row.path
    }
    idle = set(Options.model_fields) - listed
    assert ("troop_loss" in idle) == (kind != "invasion")
    assert ("regiment_cost" in idle) == (kind in {"naval", "blockade-run"})
    assert not {"ties", "attack_dice", "clamp"} & idle
    own = {"fleets": 2} if kind in {"naval", "blockade-run"} else {"regiments": 4}
    own |= {"fleets": 2} if kind == "invasion" else {}
    enemy = {"fleets": 2} if kind in {"naval", "blockade-run"} else {"regiments": 2}
    scenario = load({"game": "risk", "battle": kind, "attacker": own, "defender": enemy})
    for name in idle:
        field = Options.model_fields[name]
        to = {"troop_loss": "all-or-nothing", "withdrawal": False}.get(name, 5 if field.default != 5 else 4)
        assert answers(draft(scenario).with_fields({f"options.{name}": to}).checked()) == answers(scenario), name


def cases_of():
    """Scenarios by battle kind: the shipped examples that are small, and the cases of the table."""
    found = {}
    for name in example_names():
        scenario = load(name)
        if scenario.battle.game != "campaign":
            found.setdefault((scenario.battle.game, scenario.battle.kind), []).extend(
                [] if name in LARGE else [scenario]
            )
    for (game, kind), cases in KINDS.items():
        found[game, kind] += [load({"game": game, "battle": kind} | case) for case in cases]
    del found["europa", "attrition"]  # tried by procedure above
    return {kind: cases for kind, cases in found.items() if cases}


CASES = cases_of()


def place_of(path):
    """The path of a field as the schema lists it."""
    return re.sub(r"\[\d+\]", "[i]", path)


def deciding(scenario, changes):
    """The paths of those values that change the answer, or what may be given in another field."""
    base, found = answers(scenario), []
    for path, to in changes.items():
        try:
            other = answers(draft(scenario).with_fields({path: to}).checked())
        except ScenarioError as error:
            other = base if str(error).startswith(f"{path}:") else None
        found += [path] * (other != base)
    return found


@pytest.mark.parametrize("kind", sorted(CASES.keys() | CHANGES.keys()), ids="-".join)
def test_each_field_of_a_kind_changes_an_answer_or_is_refused(kind):
    """Every field that the schema lists; what never matters in a kind is not listed there."""
    verdicts_of, battles = {}, list(CASES.get(kind, ()))
    for battle, changes in CHANGES.get(kind, ()):
        battles.append(load({"game": kind[0], "battle": kind[1]} | battle))
        assert deciding(battles[-1], changes) == list(changes)
        verdicts_of |= {place_of(path): {"changes"} for path in changes}
    listed = {row.path for row in field_rows(battles[0].battle)}
    assert verdicts_of.keys() <= listed
    listed = {path for path in listed if not re.match(PARTS.get(kind, "$"), path)}
    for scenario in CASES.get(kind, ()):
        for path, verdict in changed(scenario, verdicts_of, listed, (0, 1, 6, 20)).items():
            verdicts_of.setdefault(place_of(path), set()).add(verdict)
    idle = {path for path, verdicts in verdicts_of.items() if "nothing" in verdicts and "changes" not in verdicts}
    assert idle - LABELS.get(kind, set()) == set()


# Fields that a stage alone cannot decide: these have a battle of their own among the changes of an expedition.
TELL_LATER = {path for _, changes in CHANGES["europa", "expedition"] for path in map(place_of, changes)}


@pytest.mark.parametrize(
    ("stage", "kind"), [("passage", "passage"), ("land", "land"), ("siege", "siege-campaign")], ids=lambda name: name
)
def test_a_stage_of_an_expedition_reads_the_fields_that_its_kind_reads(stage, kind):
    """docs/rules/europa_naval_and_other.md section 19: fields of the kind, but for what is not listed."""
    listed = {row.path for row in field_rows(find_battle("europa", "expedition"))}
    for battle, changes in CHANGES["europa", kind]:
        within = {f"{stage}.{path}": to for path, to in changes.items()}
        read = {path: to for path, to in within.items() if place_of(path) in listed - TELL_LATER}
        if read:
            scenario = load({"game": "europa", "battle": "expedition", stage: battle})
            assert deciding(scenario, read) == list(read)


@pytest.mark.parametrize(
    ("game", "kind", "path"),
    [
        ("birthright", "storm", "conditions.terrain"),
        ("kings-and-things", "land", "attacker.creatures[i].flying"),
    ],
)
def test_what_never_matters_in_a_kind_is_accepted_and_not_listed(game, kind, path):
    assert path not in {row.path for row in field_rows(find_battle(game, kind))}


def test_terrain_does_not_matter_on_walls_nor_flight_in_a_hex():
    storm = load({"game": "birthright", "battle": "storm"} | KINDS["birthright", "storm"][1])
    assert answers(draft(storm).with_fields({"conditions.terrain": "woods"}).checked()) == answers(storm)
    sides = [{"creatures": [{"value": 3, "flying": flying}, "2"]} for flying in (False, True)]
    plain, flown = (
        load({"game": "kings-and-things", "battle": "land", "attacker": side, "defender": {"creatures": ["3"]}})
        for side in sides
    )
    assert answers(plain) == answers(flown)
