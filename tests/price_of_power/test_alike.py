"""Battles that differ in nothing that the rules read share their states (`Setup.key`)."""

from functools import partial

import pytest

from simulator import load
from simulator.analysis.odds.answer import changed
from simulator.analysis.odds.stages import digest
from simulator.analysis.studies.sensitivity import steps_of
from simulator.engine.model.plain import PlainBattle
from simulator.rules.price_of_power import rules
from simulator.rules.price_of_power.outcome import Fight
from simulator.rules.price_of_power.setup import Setup
from simulator.scenarios import Scenario, ScenarioError, draft
from tests.field_cases import KINDS

GENERALS = [{"name": "Alba", "infantry": 1, "power": 2}, {"name": "Farnese", "cavalry": 2, "power": 3}]
MORE = {
    "land": [
        {
            "attacker": {"infantry": 2, "mercenary_infantry": 2, "leaders": GENERALS},
            "defender": {"kind": "npr", "infantry": 4, "leader": "draw"},
            "policy": {"attacker": {"leader": "best", "retreat": "when-outnumbered", "losses": "best"}},
        },
    ],
    "naval": [
        {
            "attacker": {"galleys": 1, "light": 1, "heavy": 1, "leader": {"infantry": 2}},
            "defender": {"factions": [{"kind": "npr", "light": 1}, {"heavy": 1, "retreat": "best"}]},
            "policy": {"attacker": {"losses": "heavy-first", "ties": "npr-first"}},
        },
    ],
}
BATTLES = [
    {"game": "price-of-power", "battle": kind} | battle
    for kind, battles in MORE.items()
    for battle in [*KINDS["price-of-power", kind], *battles]
]


def variants(battle: dict[str, object]) -> list[Scenario]:
    """The battle, and each that the rules allow after a change of one field."""
    found = [load(battle)]
    for path, _, to in [*steps_of(found[0], ["policy"]), *steps_of(found[0])]:
        try:
            found.append(load(changed(draft(battle), (path,), (to,))[0]))
        except ScenarioError:
            continue
    return found


@pytest.mark.parametrize("battle", BATTLES, ids=range(len(BATTLES)))
def test_battles_with_equal_keys_have_equal_states_and_chances(battle: dict[str, object]) -> None:
    alike: dict[object, list[Setup]] = {}
    for scenario in variants(battle):
        setup = Setup(scenario.fields)
        alike.setdefault(setup.key(), []).append(setup)
    assert max(map(len, alike.values())) > 5
    for setups in alike.values():
        found = set()
        for w in setups:
            counters = ("rounds",) if w.options.count_rounds else ()
            plain = PlainBattle(rules.begun(w), partial(rules.follow, w), counters)
            found.add((digest(plain.chain), tuple(plain.states)))
        assert len(found) == 1


def test_a_field_without_effect_explores_nothing() -> None:
    def states(**options: object) -> object:
        return Fight(Setup(load(draft("power-three-realms").with_fields(options)).fields)).plain.states

    assert states() is states(**{"attacker.muslim": True, "attacker.name": "Genoa"})
    assert states() is not states(**{"attacker.infantry": 7})


def test_battles_that_share_states_name_their_own_leaders() -> None:
    battle = draft(BATTLES[3])
    renamed = battle.with_fields({"attacker.leaders[0].name": "Parma"})
    one, two = (Fight(Setup(load(scenario).fields)) for scenario in (battle, renamed))
    assert one.plain.states is two.plain.states
    for fight, name in (one, "Alba"), (two, "Parma"):
        assert f"{name} (2 power)" in fight.plain.choice_at(fight.chain.start.place)[1].options
