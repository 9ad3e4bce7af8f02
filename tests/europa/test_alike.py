"""Battles with equal numbers are one battle, whose ends are computed once."""

from collections import defaultdict
from itertools import product

import numpy as np
import pytest

from simulator import ScenarioError, exact, load, replay, sensitivity
from simulator.analysis.odds.answer import changed
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.run import settle
from simulator.analysis.odds.stages import ExactRun, digest
from simulator.analysis.studies.sensitivity import steps_of
from simulator.engine.api import exact_outcomes
from simulator.engine.model.chain import SIDES
from simulator.engine.model.plain import PlainBattle
from simulator.rules.europa.land.battle import land_line, land_outcome
from simulator.rules.europa.land.rules import LandState
from simulator.rules.europa.land.tables import LandSetup
from simulator.rules.europa.shared.stacks import chain_of
from simulator.scenarios import draft

TABLES = ("attacker", "defender", "conditions", "policy", "options")


def varied(name, fields):
    """The scenario with each of these fields one step up and down, or at each other name."""
    base = draft(load(name))
    for path, _, to in steps_of(load(name), fields):
        try:
            yield load(changed(base, (path,), (to,))[0]).fields
        except ScenarioError:
            continue


def columns(setup, limits):
    """The columns of some final states, as text."""
    dice = np.random.default_rng(1)
    states = LandState(*(dice.integers(0, most + 1, 50) for most in limits))
    return str({name: values.tolist() for name, values in land_outcome(setup, states).items()})


@pytest.mark.parametrize("name", ["fornovo-1495", "mohacs-1526", "cortes-1521"])
def test_land_battles_with_equal_numbers_have_equal_chains_and_columns(name):
    chains, ends, asked = defaultdict(set), defaultdict(set), 0
    for fields, side in product(varied(f"europa-{name}", TABLES), SIDES):
        setup, asked = LandSetup(fields, (side,), together=0), asked + 1
        chains[setup.fought].add(digest(chain_of(setup, land_line)))
        ends[setup.numbers].add(columns(setup, setup.limits))
    assert all(len(equal) == 1 for equal in (*chains.values(), *ends.values()))
    assert len(chains) <= len(ends) < asked


def test_troops_that_stand_by_leave_the_chain_as_it_is_and_are_counted_for_each_battle():
    """Section 2.4: of 3 ARMY+ two fight; of 5 as well, and 24 thirds more stand by."""
    few, many = (load("europa-blenheim-1704").replace("attacker.army_plus", n) for n in (3, 5))
    assert few.chain.kept is many.chain.kept
    states = exact_outcomes(few.chain).states
    first, second = few.built.outcome(states), many.built.outcome(states)
    assert [name for name in first if first[name] is not second[name]] == [f"{side}_idle_thirds" for side in SIDES]
    assert set(first["attacker_idle_thirds"]) == {12}
    assert set(second["attacker_idle_thirds"]) == {36}
    assert [*land_outcome(LandSetup(many.fields), states)] == [*second]
    assert replay(few, seed=1).lines == replay(many, seed=1).lines


def test_a_value_that_no_counter_changes_is_asked_without_the_counters(monkeypatch):
    """The losses of a relief army are a counter; its battle and the fall of the fortress do not depend on it."""
    name, asked = "europa-vienna-1683", []
    whole = exact(name)
    without = settle(load(name), Method(exact=True, counted=False)).odds()
    assert set(whole.columns) - set(without.columns) == {"relief_left_thirds"}
    for column in ("fallen", "relief_won", "breach_counter"):
        assert without.p(column) == pytest.approx(whole.p(column), abs=1e-12)
    monkeypatch.setattr(ExactRun, "uncounted", lambda run, built, uncounted=ExactRun.uncounted: (
        asked.append(built) or uncounted(run, built)
    ))  # fmt: skip
    for value, sooner in (("fallen", True), ("mean.relief_left_thirds", False)):
        asked.clear()
        found = sensitivity(name, value, "defender.relief.army_plus")
        assert (len(asked) > 1) == sooner
        for step in found.steps:
            one = exact({**draft(load(name)).data, "defender": changed_relief(name, step.to)})
            true = one.mean("relief_left_thirds") if "mean" in value else one.p(value)
            assert step.value == pytest.approx(true, abs=1e-12)


def changed_relief(name, army_plus):
    """The defender of this example with this number of ARMY+ in its relief army."""
    side = draft(load(name)).data["defender"]
    return side | {"relief": side["relief"] | {"army_plus": army_plus}}


def test_equal_numbers_are_explored_once_and_shown_in_their_own_words(monkeypatch):
    """A missionary and an earlier use cancel each other on the conquistador's die."""
    first = load("europa-tlaxcala-1519")
    both = {"conversion.attacker.missionary": True, "conversion.conditions.previous_uses": 1}
    true = exact(first)
    explored = []
    monkeypatch.setattr(PlainBattle, "_explore", lambda *_: explored.append(1))
    other = load(draft(first).with_fields(both))
    assert exact(other).chances.tolist() == true.chances.tolist()
    assert "conquest: +1 earlier uses" in " ".join(other.built.explain()).lower()
    assert replay(other, 1, 3).lines == replay(first, 1, 3).lines
    assert not explored


def test_an_overrun_is_no_interception():
    """Both let the attacker break off first; only one of them is fought."""
    sides = {"attacker": {"land_detachments": 8, "leader": "none"}, "defender": {"land_detachments": 1}}
    battle = {"game": "europa", "battle": "land"} | sides
    ways = {"conditions": {"interception": True}}, {"policy": {"attacker": {"overrun": "declare"}}}
    fought, run_over = (LandSetup(load(battle | way).fields, ("attacker",), together=0).numbers for way in ways)
    assert fought != run_over
