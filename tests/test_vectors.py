"""The vectors of the rules documents: exact answers, Monte Carlo beside them, and the complaint about invalid input."""

from functools import cache
from pathlib import Path

import pytest

from simulator import ScenarioError, exact, load, simulate
from simulator.conformance import SEED, Z_LIMIT, z_between
from tests.vectors import mismatches, read_vectors

ROOT = Path(__file__).parent
FILES = {
    "risk": "risk/vectors.json",
    "europa": "europa/vectors.json",
    "europa at sea": "europa/sea_vectors.json",
    "price of power": "price_of_power/vectors.json",
    "kings and things": "kings_and_things/vectors.json",
    "birthright": "birthright/vectors.json",
    "custom": "custom/vectors.json",
}
# Of these games an error may name the field's last part, or stand later in the message.
ERROR_INSIDE = {"price of power", "kings and things", "birthright"}
# Fewer battles where the chains are large, none where other scenarios of the game are simulated by a test of its own.
BATTLES = {"europa at sea": 200_000, "europa": 0, "price of power": 0}
# Hundreds of thousands of outcomes: these are simulated by tests of their games.
LARGE = {"landing force caught with retreat attrition", "full cup"}
READ = {game: read_vectors(ROOT / file) for game, file in FILES.items()}


def cases(vectors):
    """One case a vector; those of one game run in one worker, which compiles its rules once."""
    return [pytest.param(game, vector, id=f"{game}: {vector['name']}") for game, vector in vectors]


ANSWERED = [(game, vector) for game, (answered, _) in READ.items() for vector in answered]
REFUSED = [(game, vector) for game, (_, refused) in READ.items() for vector in refused]
# Of a few vectors the odds are too many to enumerate: they hold for this many battles.
SAMPLED = [(game, vector) for game, vector in ANSWERED if "sampled_battles" in vector]
EXACT = [(game, vector) for game, vector in ANSWERED if "sampled_battles" not in vector]
SCENARIOS = {(game, vector["name"]): vector["scenario"] for game, vector in EXACT}
SIMULATED = [
    (game, vector)
    for game, vector in EXACT
    if BATTLES.get(game, 1) and not any(name in vector["name"] for name in LARGE)
]


@cache
def exact_odds(name):
    """Exact odds of a vector, once for both of its tests."""
    return exact(load(SCENARIOS[name]))


@pytest.mark.parametrize(("game", "vector"), cases(EXACT))
def test_exact_answer(game, vector):
    odds = exact_odds((game, vector["name"]))
    assert mismatches(odds, vector["expect"], vector.get("tolerance", 1e-9)) == {}
    assert odds.residual <= 1e-12


@pytest.mark.parametrize(("game", "vector"), cases(SIMULATED))
def test_simulated_answer(game, vector):
    found = simulate(load(vector["scenario"]), BATTLES.get(game, 1_000_000), SEED)
    assert z_between(exact_odds((game, vector["name"])), found) < Z_LIMIT


def test_each_vector_has_a_name_of_its_own():
    assert len(SCENARIOS) == len(EXACT)


@pytest.mark.parametrize(("game", "vector"), cases(SAMPLED))
def test_answer_that_is_only_simulated(game, vector):
    odds = simulate(load(vector["scenario"]), 200_000, 3)
    assert mismatches(odds, vector["expect"], vector.get("tolerance", 1e-9)) == {}


@pytest.mark.parametrize(("game", "vector"), cases(REFUSED))
def test_refusal(game, vector):
    with pytest.raises(ScenarioError) as refusal:
        load(vector["scenario"])
    message = str(refusal.value)
    assert vector["error"] in message if game in ERROR_INSIDE else message.startswith(vector["error"])
    assert "\n" not in message
