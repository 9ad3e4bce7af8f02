"""Fields that a battle need not have: each changes an answer where it is given, or is refused.

tests/test_idle_fields.py gives another value to each field that a case has; these are the others.
"""

import re

import pytest

from simulator import ScenarioError, load
from simulator.engine.model.limits import NoExactOdds
from simulator.scenarios import draft, find_battle
from simulator.scenarios.schema import branches_at, choices, field_rows, settings_of
from tests.field_cases import PARTS
from tests.field_changes import CHANGES
from tests.test_idle_fields import CASES, answers, place_of, tried

# Fields that this walk cannot try, and why.
NAMES = (
    r"game|battle|rules|(.*\.)?name|defender\.main_defender|options\.tables"  # what says which rules hold, and names
)
# Tables: their fields are tried.
TABLES = (
    r"passage|land|siege|defender\.(relief|npr|blockader)|(attacker|defender)\.(retreat|army|fleet|port_fleet)"
    r"|policy\.attacker\.landing_units"
)
LEADERS = r"(.*\.)?leaders?|(.*\.)?leader_country"  # a name or a table: tests/europa/test_tables_and_leaders.py
# An entry of a list is a name or a table: its fields cannot be given one by one where the case has a name there. Fields
# of the tables that a case has are tried by tests/test_idle_fields.py; those of a side's first creature are tried here.
LISTS = (
    r"(?!.*\.creatures\[i\]).*\[i\]\..*"
    r"|.*\.(items|ideas|factions|provinces|npr_deck|bridge|cup|cup_removed|costs|roads)"
)
PLAYED = r"(attacker|defender|second_attacker|third_attacker)\.(loss_order|damaged|options)|third_attacker(\..*)?"
STAYING = r"policy\.\w+\.(retreat|target)"  # the only value that a side has which may not leave
COUNTED = r"conditions\.relief_units|options\.(quick_ratio|quick_result|siege_table|fort_defence|dice\..*)"
UNTRIED = re.compile("|".join((NAMES, TABLES, LEADERS, LISTS, PLAYED, STAYING, COUNTED)))
# All game files share the rest: one of an old format, one of the new one.
SHARED = {("skirmish", "field"), ("war-of-the-ring", "battle")}
BUILT_IN = {"risk", "kings-and-things", "price-of-power", "europa", "birthright"}
ASKED = sorted(kind for kind in CASES if kind[0] in BUILT_IN or kind in SHARED)
# Fewer dice are never better but for a defender who sees the attack (docs/rules/decisions.md 2.5, example 7).
NEVER = {"policy.attacker.hand", "policy.defender.hand"}


def values_of(scenario, path):
    """Some values of a field that a scenario may have."""
    units = [name for name, number in settings_of(getattr(scenario.fields, path.split(".")[1], None)) if number]
    if path.endswith(".loss_order") and scenario.battle.game not in BUILT_IN:
        return [units, units[::-1]]
    if path.endswith(".keep"):
        return [{unit: 1} for unit in units]
    if path.endswith(".loss_order"):
        return [["cavalry", "infantry", "artillery"], ["artillery", "infantry", "cavalry"]]
    found = []
    for branch in branches_at(scenario.battle, path):
        found += {"integer": [1, 2, 4], "number": [0.25, 0.75, 2], "boolean": [True, False]}.get(branch.get("type"), [])
        found += [name for name in branch.get("enum", ()) if name != "best"]
    return found


def verdict(scenario, path):
    """The effect of a field in a battle, alone or beside another value of a policy of that side.

    One that decides what may be given beside it changes the answer as well.
    """
    table = path.rpartition(".")[0] if path.startswith("policy.") else "-"
    beside = [row.path for row in field_rows(scenario.battle) if row.path.rpartition(".")[0] == table]
    others = [
        {one: value} for one in beside if one != path for value in choices(scenario.battle, one) if value != "best"
    ]
    found, given = "refused", values_of(scenario, path)
    for more in ({}, *others):
        seen = []
        for value in (*given, None):
            if value is None and not seen:  # all values are refused
                break
            try:
                fields = more | ({} if value is None else {path: value})
                seen.append(answers(draft(scenario).with_fields(fields).checked()))
            except (ScenarioError, NoExactOdds):
                continue
            if seen[-1] != seen[0]:
                return "changes"
        found = "nothing" if len(seen) > 1 else found
    return found


def verdicts_of(cases, path):
    """The effect of a field in these battles, until it changes the answer of one."""
    found = set()
    for scenario in cases:
        found.add(verdict(scenario, path))
        if "changes" in found:
            break
    return found


@pytest.mark.parametrize("kind", ASKED, ids="-".join)
def test_each_optional_field_changes_an_answer_or_is_refused(kind):
    more = [load({"game": kind[0], "battle": kind[1]} | battle) for battle, _ in CHANGES.get(kind, ())]
    cases = [*CASES[kind], *more]
    listed = {row.path for row in field_rows(cases[0].battle)}
    listed = {path for path in listed if not re.match(PARTS.get(kind, "$"), path) and not UNTRIED.fullmatch(path)}
    known = {place_of(path) for _, changes in CHANGES.get(kind, ()) for path in changes}
    for scenario in cases:
        for path, value in settings_of(scenario.fields):
            known |= {place_of(path)} if tried(scenario.battle, path, value, (0, 1, 6, 20)) else set()
    first_entries = {path.replace("[i]", "[0]") for path in listed - known}
    verdicts = {path: verdicts_of(cases, path) for path in first_entries}
    assert {path for path in verdicts if not any(values_of(one, path) for one in cases)} == set()
    idle = {path for path, found in verdicts.items() if "nothing" in found and "changes" not in found}
    assert idle - NEVER == set()


@pytest.mark.parametrize(
    ("game", "kind", "listed", "not_listed"),
    [
        ("axis-and-allies-1942", "land", "attacker.retreat", "attacker.absorb defender.after_rounds"),
        ("axis-and-allies-1942", "sea", "attacker.absorb defender.absorb", "attacker.target_order"),
        ("axis-and-allies-1942", "raid", "attacker.loss_order", "attacker.odds_below defender.units_at_most"),
        ("eclipse-second-dawn", "space", "attacker.target_order", "attacker.loss_order attacker.keep"),
    ],
)  # fmt: skip
def test_a_game_file_lists_the_policies_that_a_side_has(game, kind, listed, not_listed):
    """No `absorb` without units of several hits, no number for who may not leave, one order of losses for a side."""
    paths = {row.path for row in field_rows(find_battle(game, kind))}
    assert {f"policy.{one}" for one in listed.split()} <= paths
    assert not {f"policy.{one}" for one in not_listed.split()} & paths
