"""The games of docs/adding-a-game.md and docs/compiled-games.md give the right odds; one becomes a game of the package.

tests/test_documents.py runs their blocks and sessions.
"""

import ast
import sys
from fractions import Fraction
from functools import cache
from math import comb

import pytest

import simulator
from simulator import best, exact, load, rules, simulate
from tests import constructor_stub
from tests.documents import ROOT, Page, pieces

TUTORIAL, COMPILED = ROOT / "docs" / "adding-a-game.md", ROOT / "docs" / "compiled-games.md"


def blocks(page):
    return [content for language, content in pieces(page.read_text(encoding="utf-8")) if language == "python"]


@pytest.fixture(scope="module")
def tutorials(tmp_path_factory):
    """The modules of both pages; their games are registered as long as these tests run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("tutorial"))
        duel, ford = (Page(page, ["python"]).module for page in (TUTORIAL, COMPILED))
        rules.register(duel.DUEL)
        rules.register(ford.AMBUSH)
        yield {"duel": duel, "ford": ford}
        del rules.GAMES["duel"], rules.GAMES["ford"]


@pytest.fixture
def ford(tutorials):
    return tutorials["ford"]


@pytest.fixture
def duel(tutorials):
    return tutorials["duel"]


def code_lines(text):
    """Lines of a module without blank lines, docstrings, comments and imports."""
    lines = set()
    tree = ast.parse(text)
    left_out = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    documented = [n for n in ast.walk(tree) if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)]
    left_out += [n.body[0] for n in documented if ast.get_docstring(n) is not None]
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.strip().startswith("#"):
            lines.add(number)
    return len(lines - {number for n in left_out for number in range(n.lineno, n.end_lineno + 1)})


def test_the_duel_is_short():
    assert code_lines("".join(blocks(TUTORIAL))) < 80


def fight(wounds, skill, yields="never", **more):
    sides = {
        side: {"wounds": w, "skill": k} for side, w, k in zip(("attacker", "defender"), wounds, skill, strict=True)
    }
    return {"game": "duel", "battle": "duel", "policy": {"defender": {"yields": yields}}} | sides | more


def naive_duel(wounds, skill, yields):
    """Chance that the attacker wins, round by round; `yields(own, enemy)` is asked before each."""
    sums = [own + skill[0] - enemy - skill[1] for own in range(1, 7) for enemy in range(1, 7)]
    hit, lost = (Fraction(sum(1 for one in sums if one * sign > 0), 36) for sign in (1, -1))

    @cache
    def win(own, enemy):
        if not own or not enemy or yields(own, enemy):
            return Fraction(own > 0)
        return (hit * win(own, enemy - 1) + lost * win(own - 1, enemy)) / (hit + lost)

    return float(win(*wounds))


@pytest.mark.parametrize("policy", ["never", "last-wound"])
@pytest.mark.parametrize(("wounds", "skill"), [((1, 1), (0, 0)), ((3, 4), (1, 0)), ((5, 2), (0, 4)), ((2, 3), (5, 0))])
def test_the_duel_against_the_slow_reference(duel, wounds, skill, policy):
    expected = naive_duel(wounds, skill, lambda own, enemy: policy == "last-wound" and enemy == 1)
    assert exact(fight(wounds, skill, policy)).winner("attacker") == pytest.approx(expected, abs=1e-12)


def test_a_round_of_the_duel_with_every_die_written_out(duel):
    rules_of = duel.Rules(load(fight((2, 2), (1, 0))).fields)
    assert rules_of.after(rules_of.start, (3, 5)) == duel.State(attacker=1, defender=2)
    assert rules_of.after(rules_of.start, (4, 5)) == rules_of.start
    assert rules_of.after(rules_of.start, (5, 5)) == duel.State(attacker=2, defender=1)


def test_the_defender_yields_when_it_is_worth_more(duel):
    """With one wound on each side he wins half of the duels, and saves `price` by yielding."""
    for price in (0.2, 0.8):
        objective = {"defender": {"win": 1, "defender_wounds_left": price}}
        found = best(fight((1, 1), (0, 0), "best", objective=objective))
        assert found.value["defender"] == pytest.approx(max(price, 0.5 * (1 + price)), abs=1e-12)


def test_the_duel_becomes_a_game_of_the_package(tmp_path, monkeypatch):
    """A folder and one registry line: the constructors follow, and the types of them when they are written anew."""
    home = tmp_path / "games" / "duel"
    home.mkdir(parents=True)
    *module, _ = blocks(TUTORIAL)
    module = "\n\n".join(module) + '\nBATTLES = by_kind(DUEL, name="Duel")\n'
    module = module.replace("Refusal, offered", "Refusal, by_kind, offered").replace(
        "from simulator.rules import register\n", ""
    )
    (home / "__init__.py").write_text(module, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert "duel" not in simulator.GAMES
    monkeypatch.setitem(rules.GAMES, "duel", "games.duel")
    try:
        assert "duel" in simulator.GAMES
        assert {"duel", "risk"} <= set(dir(simulator))
        made = simulator.duel.duel(attacker=3, defender={"wounds": 4, "skill": 1})
        assert made == load(fight((3, 4), (0, 1), "never") | {"policy": {}, "attacker": {"wounds": 3}})
        assert exact(made).winner("attacker") == pytest.approx(
            naive_duel((3, 4), (0, 1), lambda own, enemy: False), abs=1e-12
        )
        stub = constructor_stub.text()
        assert "class Duel(Game):" in stub
        assert "def duel(self, *, attacker: int | DuelDuelAttacker" in stub
        assert stub != constructor_stub.STUB.read_text(encoding="utf-8")
    finally:
        vars(simulator).pop("duel", None)
        for name in [name for name in sys.modules if name.split(".")[0] == "games"]:
            del sys.modules[name]
    with pytest.raises(AttributeError, match="no attribute 'duel'"):
        monkeypatch.undo() or simulator.duel


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
