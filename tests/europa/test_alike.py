"""Battles with equal numbers are the same battle: whoever fights one again takes its ends from the first."""

from collections import defaultdict
from itertools import product

import numpy as np
import pytest

from simulator import ScenarioError, load
from simulator.analysis.odds.answer import changed
from simulator.analysis.odds.stages import digest
from simulator.analysis.studies.sensitivity import steps_of
from simulator.engine.model.chain import SIDES
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
    found, asked = defaultdict(set), 0
    for fields, side in product(varied(f"europa-{name}", TABLES), SIDES):
        setup, asked = LandSetup(fields, (side,), together=0), asked + 1
        found[setup.numbers].add((digest(chain_of(setup, land_line)), columns(setup, setup.limits)))
    assert all(len(battles) == 1 for battles in found.values())
    assert len(found) < asked
