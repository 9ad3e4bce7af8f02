"""The game of docs/adding-a-game.md gives the right odds; tests/test_documents.py runs its blocks and its session."""

from fractions import Fraction
from functools import cache
from math import comb

import pytest

from simulator import exact, rules, simulate
from tests.documents import ROOT, Page, pieces

TUTORIAL = ROOT / "docs" / "adding-a-game.md"


@pytest.fixture(scope="module")
def ford(tmp_path_factory):
    """The module of the tutorial; its game is registered as long as these tests run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("tutorial"))
        module = Page(TUTORIAL, ["python"]).module
        rules.register(module.AMBUSH)
        yield module
        del rules.GAMES["ford"]


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
    blocks = [content for language, content in pieces(TUTORIAL.read_text(encoding="utf-8")) if language == "python"]
    assert len([line for block in blocks for line in block.splitlines() if line.strip()]) < 150


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
