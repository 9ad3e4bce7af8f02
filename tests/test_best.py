"""Decisions made as well as possible: vectors, slow obvious references, properties, refusals."""

import itertools
import json
from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from simulator import ScenarioError, best, exact, load, replay
from simulator.analysis.decisions import best as decisions
from simulator.analysis.decisions.best import worths
from simulator.engine.exact import exact_outcomes
from simulator.engine.graph.graph_cache import graph_of
from simulator.engine.graph.solver import Passes
from simulator.engine.graph.value_iteration import Decider, best_policy, first_state
from simulator.engine.jit.kernel_cache import is_ready
from simulator.engine.model.chain import Utilities
from tests import toys
from tests.vectors import Z_LIMIT, largest_z, mismatches, of_tool


def risk(own=5, enemy=5, weights=None, policy=None, **more):
    scenario = {"game": "risk", "battle": "land", "attacker": {"regiments": own}, "defender": {"regiments": enemy}}
    scenario["policy"] = policy or {"attacker": {"retreat": "best"}}
    return scenario | ({"objective": {"attacker": weights}} if weights else {}) | more


@pytest.mark.parametrize("vector", of_tool("best", "expect"))
def test_vectors(vector):
    found, expect = best(**vector["args"]), vector["expect"]
    assert not mismatches(found.odds, expect.get("odds", {}), 1e-9)
    for name in ("value", "guaranteed"):
        for side, value in expect.get(name, {}).items():
            assert getattr(found, name)[side] == pytest.approx(value, abs=1e-9)
    assert found.kind == expect.get("kind", "best")
    assert found.choice == expect.get("choice", {})
    # Computed only where a vector knows them: they take most of the time of large battles.
    gains = {one.policy.split()[0]: one.value for one in found.fixed} if "gains" in expect else {}
    for policy, value in expect.get("gains", {}).items():
        assert gains[policy] == pytest.approx(value, abs=1e-9), policy
    for row in expect.get("policy", []):
        (same,) = [one for one in found.rows() if all(one.get(key) == value for key, value in row["where"].items())]
        assert same["choice"] == row["choice"]
        assert same["advantage"] == pytest.approx(row["advantage"], abs=1e-9)


@pytest.mark.parametrize("vector", of_tool("best", "error"))
def test_refused_vectors(vector):
    with pytest.raises(ScenarioError) as refusal:
        best(**vector["args"])
    assert str(refusal.value).startswith(vector["error"])


# --- slow obvious references ---------------------------------------------------------------------------------------


@cache
def rolls(mine, theirs):
    """Chances of (own, enemy) losses, every throw of six-sided dice in turn."""
    found = {}
    for faces in itertools.product(range(1, 7), repeat=mine + theirs):
        pairs = zip(sorted(faces[:mine], reverse=True), sorted(faces[mine:], reverse=True), strict=False)
        own = sum(one <= other for one, other in pairs)
        losses = own, min(mine, theirs) - own
        found[losses] = found.get(losses, 0) + 6.0 ** -(mine + theirs)
    return found


def test_risk_against_every_throw():
    price = 0.07

    @cache
    def value(own, enemy):
        if not own or not enemy:
            return (own > 0) - price * (6 - own)
        roll = rolls(min(3, own), min(2, enemy)).items()
        return max(-price * (6 - own), sum(p * value(own - a, enemy - d) for (a, d), p in roll))

    found = best(risk(6, 7, {"win": 1, "attacker_regiments_lost": -price}))
    assert found.value["attacker"] == pytest.approx(value(6, 7), abs=1e-12)


def test_the_defender_who_sees_against_every_throw():
    faces = range(1, 7)

    def lost(mine, theirs):
        return sum(one <= other for one, other in zip(sorted(mine)[::-1], sorted(theirs)[::-1], strict=False))

    @cache
    def value(own, enemy):
        if not own or not enemy:
            return float(own > 0)
        dice, total = min(3, own), 0.0
        for mine in itertools.product(faces, repeat=dice):
            answers = []
            for count in range(1, min(2, enemy) + 1):
                worth = 0.0
                for theirs in itertools.product(faces, repeat=count):
                    a = lost(mine, theirs)
                    worth += value(own - a, enemy - min(dice, count) + a) / 6**count
                answers.append(worth)
            total += min(answers) / 6**dice
        return total

    scenario = risk(3, 3, policy={"defender": {"hand": "best"}}, options={"defender_sees": True})
    assert best(scenario).value["attacker"] == pytest.approx(value(3, 3), abs=1e-12)


def test_stopping_a_fair_game_is_worth_the_least_concave_function_above():
    """A loop of all states: the value of a fair coin game that may be left is known in closed form."""
    pay = np.array([0, 1, 5, 2, 2, 9, 4, 0, 12, 3, 6], float)
    majorant = [
        max(
            pay[a] + (pay[b] - pay[a]) * ((coins - a) / (b - a) if b > a else 0)
            for a in range(coins + 1)
            for b in range(coins, 11)
        )
        for coins in range(11)
    ]
    for start in range(1, 10):
        graph = graph_of(toys.gamble(start, 10, 0), decisions=True)
        ends = graph.states(graph.final).coins
        found = Decider(graph, np.array([pay[ends], -pay[ends]]))
        assert found.policy.first[0] == pytest.approx(majorant[start], abs=1e-12)
        met = found.visit_chances()
        assert np.all(met <= 1 + 1e-12)
        assert met[0] == pytest.approx(1)


def test_compiled_and_plain_decisions_are_the_same():
    chain = load(risk(12, 9, {"win": 1, "attacker_regiments_lost": -0.04, "rounds": -0.001})).chain
    graph, rates = best_policy(chain).open, np.array([[-0.001], [0.001]])
    worth = chain.utilities.worth(graph.states(graph.final))
    plain, compiled = (Decider(graph, worth, rates, plain=how) for how in (True, False))
    assert np.array_equal(plain.policy.pick, compiled.policy.pick)
    assert np.allclose(plain.policy.first, compiled.policy.first, atol=1e-14)
    assert np.allclose(plain.visit_chances(), compiled.visit_chances(), atol=1e-14)
    assert np.array_equal(plain.best_graph().to, compiled.best_graph().to)
    assert plain.policy.first[0] == pytest.approx(best_policy(chain).values[0], abs=1e-14)
    assert is_ready("draw_best", Passes)


def test_a_price_on_rounds_counts_though_no_state_holds_them():
    odds = best(risk(8, 8, {"win": 1, "rounds": -0.05})).odds
    value = odds.winner("attacker") - 0.05 * odds.mean("rounds")
    assert best(risk(8, 8, {"win": 1, "rounds": -0.05})).value["attacker"] == pytest.approx(value, abs=1e-12)
    fixed = exact(risk(8, 8, policy={}))
    assert value >= fixed.winner("attacker") - 0.05 * fixed.mean("rounds") - 1e-12


# --- properties -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("own", "enemy", "price"), [(4, 4, 0.1), (7, 5, 0.02), (5, 9, 0.15)])
def test_no_fixed_policy_is_better(own, enemy, price):
    found = best(risk(own, enemy, {"win": 1, "attacker_regiments_lost": -price}))
    assert len(found.fixed) == 6
    assert all(one.gain >= -1e-12 for one in found.fixed)


def test_for_winning_alone_nobody_stops():
    found = best(risk(6, 9, {"win": 1}))
    assert found.odds.winner("nobody") == 0
    assert all(row["choice"] == "go on" for row in found.rows())
    assert any("put a price on losses" in line for line in found.odds.assumptions)


def test_the_attacker_gains_nothing_by_fewer_dice():
    plain = exact(risk(7, 6, policy={})).winner("attacker")
    chosen = best(risk(7, 6, policy={"attacker": {"hand": "best"}, "defender": {"hand": "best"}}))
    assert chosen.value["attacker"] == pytest.approx(plain, abs=1e-12)
    seen = risk(7, 6, policy={"defender": {"hand": "best"}}, options={"defender_sees": True})
    assert best(seen).value["attacker"] < plain
    both = seen | {"policy": {"attacker": {"hand": "best"}, "defender": {"hand": "best"}}}
    assert best(both).value["attacker"] >= best(seen).value["attacker"] - 1e-12


def test_rounds_without_losses_are_waited_for():
    """With ties for nobody a round may change nothing; going on is worth x / (1 - q)."""
    options = {"ties": "nobody", "attack_dice": 1, "defence_dice": 1}
    found = best(risk(1, 1, {"win": 1, "attacker_regiments_lost": -0.5}, options=options))
    assert found.value["attacker"] == pytest.approx(0.25, abs=1e-12)
    (row,) = found.rows()
    assert row["choice"] == "go on"
    assert row["advantage"] == pytest.approx(0.25, abs=1e-12)
    assert row["reached"] == pytest.approx(1)
    dear = best(risk(1, 1, {"win": 1, "attacker_regiments_lost": -1.5}, options=options))
    assert dear.rows()[0]["choice"] == "stop"
    assert dear.rows()[0]["advantage"] == pytest.approx(0.25, abs=1e-12)


@pytest.mark.parametrize("scenario", [
    risk(9, 8, {"win": 1, "attacker_regiments_lost": -0.06}),
    risk(5, 5, policy={"attacker": {"retreat": "best"}, "defender": {"hand": "best"}}, options={"defender_sees": True}),
])  # fmt: skip
def test_simulated_as_enumerated(scenario):
    assert largest_z(scenario, battles=200_000) < Z_LIMIT
    assert replay(scenario, seed=4, battle=7).lines


def test_chain_with_aims_is_followed_everywhere():
    chain = load(risk(6, 6, {"win": 1, "attacker_regiments_lost": -0.1})).chain
    assert isinstance(chain.utilities, Utilities)
    ends = exact_outcomes(chain)
    assert ends.p.sum() == pytest.approx(1)
    assert first_state(chain).decided > 0


# --- objectives, refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"objective": {"attacker": {"attacker_regiment_lost": 1}}},
            "objective.attacker.attacker_regiment_lost: no such",
        ),
        ({"objective": {"attacker": {}}}, "objective.attacker: give at least one weight"),
        ({"objective": {"nobody": {"win": 1}}}, "objective.nobody: unknown field"),
        ({"objective": {"attacker": {"win": True}}}, "objective.attacker.win: true is not allowed"),
        ({"objective": {"attacker": {"win": float("inf")}}}, "objective.attacker.win: inf is not allowed"),
        ({"options": {"defender_sees": True}}, "options.defender_sees: true is not allowed without"),
        (
            {"policy": {"attacker": {"retreat": ["best", "stop-when-outnumbered"]}}},
            "policy.attacker.retreat: best cannot",
        ),
        (
            {"policy": {"attacker": {"retreat": "best", "stop_below": 3}}},
            "policy.attacker.stop_below: 3 is not allowed",
        ),
    ],
)
def test_refusals(change, message):
    with pytest.raises(ScenarioError) as refusal:
        load(risk() | change)
    assert str(refusal.value).startswith(message)


def test_a_printed_policy_can_be_given_with_its_number():
    found = best("risk-when-to-stop")
    assert {one.policy.partition(" ")[0] for one in found.fixed} >= {"stop-below", "stop-below-odds", "max-rounds"}
    for one in found.fixed:
        again = found.scenario.replace(one.decision, one.policy)
        assert worths(again)["attacker"] == pytest.approx(one.value, abs=1e-12)
    both = load("risk-20v15").replace("policy.attacker.retreat", ["stop-below 4", "max-rounds 9"])
    spelt = {"retreat": ["stop-below", "max-rounds"], "stop_below": 4, "max_rounds": 9}
    assert both.data["policy"]["attacker"] == spelt
    with pytest.raises(ScenarioError, match=r"^policy.attacker.min_odds: 7 is not allowed"):
        load("risk-20v15").replace("policy.attacker.retreat", "stop-below-odds 7")


def test_refusals_of_other_kinds_and_paths():
    invasion = {
        "game": "risk",
        "battle": "invasion",
        "attacker": {"regiments": 2, "fleets": 1},
        "defender": {"regiments": 1},
    }
    with pytest.raises(ScenarioError, match=r"^policy.attacker.hand: not in an invasion"):
        load(invasion | {"policy": {"attacker": {"hand": "best"}}})
    forced = {"game": "risk", "battle": "blockade-run", "attacker": {"fleets": 2}, "defender": {"fleets": 1}}
    forced |= {"conditions": {"forced": True}, "policy": {"attacker": {"retreat": "best"}}}
    with pytest.raises(ScenarioError, match=r"^policy.attacker.retreat: best"):
        load(forced)
    with pytest.raises(ScenarioError, match=r"^decide: policy.attacker.retire is no policy of risk land; policies: "):
        best(risk(), ["policy.attacker.retire"])


def test_an_objective_of_one_side_is_the_other_sides_opposite():
    defender = risk(5, 5) | {"objective": {"defender": {"win": 1, "attacker_regiments_lost": 0.2}}}
    found = best(defender)
    assert found.value["attacker"] == -found.value["defender"]
    assert found.odds.winner("nobody") > 0


def test_decide_sets_what_the_scenario_leaves_open():
    plain = risk(6, 6, {"win": 1, "attacker_regiments_lost": -0.1}, policy={"attacker": {}})
    found = best(plain, ["policy.attacker.retreat"])
    assert found.value == best(risk(6, 6, {"win": 1, "attacker_regiments_lost": -0.1})).value
    assert list(found.gains.columns) == ["decision", "policy", "value", "gain"]
    assert {"side", "decision", "place", "own", "enemy", "choice", "advantage", "reached"} == set(found.policy.columns)


def test_the_command_draws_and_lists(tmp_path, capsys):
    from simulator.cli import run

    picture, table = tmp_path / "best.png", tmp_path / "best.csv"
    arguments = ["best", "risk-20v15", "--set", "attacker.regiments=6", "--set", "defender.regiments=6"]
    arguments += [
        "--decide",
        "policy.attacker.retreat",
        "--weight",
        "win=1",
        "--weight",
        "attacker_regiments_lost=-0.1",
    ]
    assert run([*arguments, "--plot", str(picture), "--csv", str(table)]) == 0
    shown = capsys.readouterr().out
    assert "less than best" in shown
    assert ". go on, S stop" in shown
    assert picture.stat().st_size > 0
    assert table.read_text().startswith("side,decision,place,own,enemy,choice,advantage,reached")
    assert run([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"]["attacker"] > 0


# --- other games ----------------------------------------------------------------------------------------------------

LINE_UP = ("infantry", "artillery", "tank", "fighter", "bomber")
BOTH = {"attacker": {"loss_order": "best"}, "defender": {"loss_order": "best"}}


def axis(attack, defence, weights, policy):
    sides = (dict(zip(LINE_UP, units, strict=True)) for units in (attack, defence))
    found = {"game": "axis-and-allies-1942", "battle": "land", "policy": policy, "objective": {"attacker": weights}}
    return found | dict(zip(("attacker", "defender"), sides, strict=True))


@pytest.mark.parametrize(
    ("attack", "defence", "win", "take", "fixed"),
    [
        ((10, 0, 5, 0, 0), (12, 0, 0, 3, 0), 0.155387260967, 0.155387260967, 0.155387260967),
        ((6, 4, 2, 0, 0), (8, 2, 0, 0, 0), 0.884461441860, 0.884461441860, 0.884461441860),
        ((3, 0, 2, 3, 1), (5, 2, 1, 0, 0), 0.874859158215, 0.871702421660, 0.410249074599),
        ((4, 2, 0, 2, 0), (4, 0, 2, 1, 0), 0.509344731443, 0.493944477427, 0.299327344795),
    ],
)
def test_losses_chosen_well_take_the_land(attack, defence, win, take, fixed):
    """docs/rules/decisions.md section 2.5, example 8."""
    to_win = best_policy(load(axis(attack, defence, {"win": 1}, BOTH)).chain)
    assert to_win.values[0] == pytest.approx(win, abs=1e-9)
    to_take = axis(attack, defence, {"take": 1}, BOTH)
    assert best_policy(load(to_take).chain).values[0] == pytest.approx(take, abs=1e-9)
    assert exact(to_take).p("taken") == pytest.approx(take, abs=1e-9)
    assert exact(axis(attack, defence, {"take": 1}, {})).p("taken") == pytest.approx(fixed, abs=1e-9)


def test_what_a_fixed_order_takes_in_whole_numbers():
    """The last figure of example 8 ends in ...44795 there and in ...45080 here: fractions decide it."""
    attackers, defenders = "iiiiaaff", "iiiittf"  # in the order of losses
    worth = {"i": 2, "t": 3, "f": 4}

    def hits(values):
        found = [Fraction(1)]
        for value in values:
            hit = Fraction(value, 6)
            found = [a * (1 - hit) + b * hit for a, b in zip([*found, 0], [0, *found], strict=True)]
        return found

    @cache
    def taken(a, d):
        mine, theirs = attackers[a:], defenders[d:]
        if not theirs or not mine:
            return Fraction(not theirs and ("i" in mine or "a" in mine))
        helped = min(mine.count("a"), mine.count("i"))
        own = [2] * helped + [1] * (mine.count("i") - helped) + [2] * mine.count("a") + [3] * mine.count("f")
        pairs = itertools.product(enumerate(hits(own)), enumerate(hits(worth[unit] for unit in theirs)))
        chances = Counter()
        for (i, p), (j, q) in pairs:
            chances[min(a + j, len(attackers)), min(d + i, len(defenders))] += p * q
        stay = chances.pop((a, d))
        return sum(p * taken(*after) for after, p in chances.items()) / (1 - stay)

    scenario = axis((4, 2, 0, 2, 0), (4, 0, 2, 1, 0), {"take": 1}, {})
    assert exact(scenario).p("taken") == pytest.approx(float(taken(0, 0)), abs=1e-14)


def test_leaving_in_time():
    weights = {"win": 1, "attacker_cost_lost": -0.02, "defender_cost_lost": 0.02}
    found = best(axis((4, 2, 0, 2, 0), (4, 0, 2, 1, 0), weights, {"attacker": {"retreat": "best"}}))
    assert found.value["attacker"] == pytest.approx(0.546391104, abs=1e-9)
    assert found.odds.winner("attacker") == pytest.approx(0.491516, abs=1e-6)
    assert all(one.gain >= -1e-12 for one in found.fixed)
    never = next(one for one in found.fixed if one.policy == "never")
    assert never.value == pytest.approx(0.451017306, abs=1e-9)
    assert set(found.policy.columns) >= {"attacker", "defender", "choice"}


ATTACK, DEFENCE = {"i": 1, "f": 3}, {"i": 2, "f": 4}


def ways_of_losing(units, hits):
    """All multisets of this many units."""
    names = sorted(set(units))
    for counts in itertools.product(*(range(units.count(name) + 1) for name in names)):
        if sum(counts) == min(hits, len(units)):
            left = list(units)
            for name, count in zip(names, counts, strict=True):
                for _ in range(count):
                    left.remove(name)
            yield tuple(left)


def hit_chances(units, values):
    found = {0: 1.0}
    for unit in units:
        p, wider = values[unit] / 6, {}
        for hits, chance in found.items():
            wider[hits] = wider.get(hits, 0) + chance * (1 - p)
            wider[hits + 1] = wider.get(hits + 1, 0) + chance * p
        found = wider
    return found


@cache
def taking(attack, defence):
    """The chance to take the land when both lose what is best for them, the defender knowing the attacker's hits."""
    if not attack or not defence:
        return float("i" in attack and not defence)

    def answer(left):
        """Worth of the defender's dice when `left` remains of him; and the chance that they change nothing."""
        total, nothing = 0.0, 0.0
        for hits, chance in hit_chances(defence, DEFENCE).items():
            if hits == 0 and left == defence:
                nothing += chance
            else:
                total += chance * max(taking(after, left) for after in ways_of_losing(attack, hits))
        return total, nothing

    total, same = 0.0, 0.0
    for hits, chance in hit_chances(attack, ATTACK).items():
        worth, nothing = min((answer(left) for left in ways_of_losing(defence, hits)), key=lambda pair: pair[0])
        total += chance * worth
        same += chance * nothing
    return total / (1 - same)


def test_settings_that_cannot_be_better_are_not_asked(monkeypatch):
    found = best("axis-land-flak", ["policy.attacker.retreat"])
    asked = []
    monkeypatch.setattr(decisions, "worths", lambda fixed: asked.append(1) or worths(fixed))
    few, fewer = found.find_gains(), len(asked)
    monkeypatch.setattr(decisions, "NOTHING_LEFT", -1.0)
    assert found.find_gains() == few
    assert fewer < len(asked) - fewer - 5


def test_losses_against_every_choice():
    found = axis((2, 0, 0, 2, 0), (2, 0, 0, 1, 0), {"take": 1}, BOTH)
    wanted = taking(("f", "f", "i", "i"), ("f", "i", "i"))
    assert best_policy(load(found).chain).values[0] == pytest.approx(wanted, abs=1e-12)


def test_more_decisions_never_hurt_their_owner():
    values = []
    for policy in ({}, {"attacker": {"loss_order": "best"}}, BOTH, {"defender": {"loss_order": "best"}}):
        scenario = axis((2, 0, 1, 1, 0), (2, 1, 0, 0, 0), {"take": 1}, policy)
        values.append(exact(scenario).p("taken"))
    fixed, attacker, both, defender = values
    assert attacker >= fixed - 1e-12
    assert both <= attacker + 1e-12
    assert defender <= fixed + 1e-12


def test_chosen_losses_simulated_and_told():
    scenario = axis(
        (2, 0, 1, 1, 0), (2, 1, 0, 0, 0), {"take": 1}, BOTH | {"attacker": {"loss_order": "best", "retreat": "best"}}
    )
    assert largest_z(scenario, battles=100_000) < Z_LIMIT
    assert replay(scenario, seed=3).lines
    rows = best(scenario).rows()
    assert {row["decision"] for row in rows} >= {"policy.attacker.loss_order", "policy.defender.loss_order"}
    assert all(row["advantage"] >= -1e-12 for row in rows if row["side"] == "attacker")


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        (
            {"game": "kings-and-things", "battle": "free-for-all", "attacker": {"creatures": ["3"]},
             "second_attacker": {"creatures": ["2"]}, "defender": {"creatures": ["2"]},
             "policy": {"attacker": {"retreat": "best"}}},
            "policy.attacker.retreat: best is not offered in a free-for-all",
        ),
        (
            axis((1, 0, 0, 0, 0), (1, 0, 0, 0, 0), {"win": 1}, {"defender": {"retreat": "best"}}),
            "policy.defender.retreat: 'best' is not allowed",
        ),
        (
            axis((1, 0, 0, 0, 0), (1, 0, 0, 0, 0), {"win": 1}, {"attacker": {"loss_order": ["best", "infantry"]}}),
            "policy.attacker.loss_order: best cannot be combined",
        ),
        (
            {"game": "price-of-power", "battle": "land", "attacker": {"infantry": 2},
             "defender": {"kind": "npr", "infantry": 2}, "policy": {"defender": {"retreat": "best"}}},
            "policy.defender.retreat: only a player realm",
        ),
    ],
)  # fmt: skip
def test_refused_in_other_games(scenario, message):
    with pytest.raises(ScenarioError) as refusal:
        load(scenario)
    assert str(refusal.value).startswith(message)
