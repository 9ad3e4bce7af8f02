"""docs/adding-a-game.md is run: its blocks are one module, its session gives the answers that it shows."""

import doctest
import importlib.util
import re
import sys
from fractions import Fraction
from functools import cache
from math import comb
from pathlib import Path

import pytest

from simulator import exact, rules, simulate

TEXT = (Path(__file__).parent.parent / "docs" / "adding-a-game.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def ford(tmp_path_factory):
    """The tutorial's module, written down and imported; the registry is left as it was."""
    path = tmp_path_factory.mktemp("tutorial") / "ford.py"
    path.write_text("\n\n".join(blocks("python")), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("ford", path)
    sys.modules["ford"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["ford"], rules.GAMES["ford"]


def ambush(bandits, guards, **policy):
    data = {"game": "ford", "battle": "ambush", "attacker": {"bandits": bandits}, "defender": {"guards": guards}}
    return data | {"policy": {"attacker": policy}}


def naive(bandits, guards, runs=lambda bandits, guards: False):
    """Chance that the bandits win, volley by volley."""

    def volley(shooters, aim):
        return [(n, Fraction(comb(shooters, n) * aim**n * (6 - aim) ** (shooters - n), 6**shooters))
                for n in range(shooters + 1)]  # fmt: skip

    @cache
    def win(own, enemy):
        if own <= 0 or enemy <= 0 or runs(own, enemy):
            return Fraction(int(enemy <= 0 < own))
        total, stay = Fraction(0), Fraction(0)
        for hit, p in volley(own, 2):
            left = max(0, enemy - hit)
            for lost, q in volley(left, 3):
                if hit == lost == 0:
                    stay += p * q
                else:
                    total += p * q * (win(max(0, own - lost), left) if left else 1)
        return total / (1 - stay)

    return float(win(bandits, guards))


def test_the_module_is_short():
    lines = [line for block in blocks("python") for line in block.splitlines()]
    assert len([line for line in lines if line.strip()]) < 150


def test_the_session_gives_what_it_shows(ford):
    (session,) = blocks("pycon")
    test = doctest.DocTestParser().get_doctest(session, {}, "adding-a-game", None, None)
    runner = doctest.DocTestRunner(verbose=False)
    assert runner.run(test).failed == 0


@pytest.mark.parametrize(
    ("bandits", "guards", "policy", "runs"),
    [
        (1, 1, {}, lambda own, enemy: False),
        (5, 4, {}, lambda own, enemy: False),
        (4, 3, {"retreat": "below", "run_below": 2}, lambda own, enemy: own < 2),
        (4, 4, {"retreat": "outnumbered"}, lambda own, enemy: own < enemy),
    ],
)
def test_against_the_slow_reference(ford, bandits, guards, policy, runs):
    odds = exact(ambush(bandits, guards, **policy))
    assert odds.winner("attacker") == pytest.approx(naive(bandits, guards, runs), abs=1e-11)


def test_simulated_like_exact(ford):
    scenario = ambush(5, 4, retreat="outnumbered")
    truth, guess = exact(scenario), simulate(scenario, 50_000, seed=3)
    for winner in ("attacker", "defender", "nobody"):
        p = truth.winner(winner)
        assert abs(guess.winner(winner) - p) < 4.5 * (p * (1 - p) / 50_000) ** 0.5


def test_a_game_of_the_package_is_not_replaced(ford):
    from dataclasses import replace

    with pytest.raises(ValueError, match="risk is a game of the package"):
        rules.register(replace(ford.AMBUSH, game="risk"))
    with pytest.raises(ValueError, match="one game"):
        rules.register()
