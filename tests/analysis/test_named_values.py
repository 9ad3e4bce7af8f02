"""Named values of policies: of one side, or of both sides as a game (docs/rules/decisions.md section 2.3)."""

import json
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from simulator import ScenarioError, best, exact, load
from simulator.analysis.decisions.named_policies import named_values, solve
from simulator.analysis.odds.run import Interrupted
from simulator.cli import run

SIDES = ("attacker", "defender")
BOTH = ["policy.attacker.losses", "policy.defender.losses"]
NAMED = [f"{path}=named" for path in BOTH]


def power(attacker, defender, **more):
    units = [dict(zip(("infantry", "cavalry", "artillery"), side, strict=True)) for side in (attacker, defender)]
    return {"game": "price-of-power", "battle": "land", "attacker": units[0], "defender": units[1]} | more


def things(attacker, defender, **more):
    sides = {"attacker": {"creatures": attacker}, "defender": {"creatures": defender}}
    return {"game": "kings-and-things", "battle": "land"} | sides | more


STABLE = power((4, 2, 1), (5, 2, 1))
BY_LOT = things(["2C", "4M", "2R"], ["3", "3R", "4M", "4"])
OWN_AIMS = things(
    ["2M", "5", "3", "4M"], ["4M", "2R", "1"], objective={s: {"win": 1, f"{s}_losses": -0.1} for s in SIDES}
)
KEEP = things(["3M", "3", "2R"], ["2M", "3R"])
KEEP["defender"] |= {"settlement": "village", "fort": "keep"}


def orders(scenario):
    """The named loss orders of a game, the default first."""
    return named_values(load(scenario).battle, BOTH[0])


def wins(scenario):
    """The attacker's chance for each pair of loss orders, every cell asked by itself."""
    pairs = product(orders(scenario), repeat=2)
    changes = (dict(zip(BOTH, pair, strict=True)) for pair in pairs)
    size = len(orders(scenario))
    return np.reshape([exact(load(scenario).replace_all(one)).winner("attacker") for one in changes], (size, size))


# --- the game alone -------------------------------------------------------------------------------------------------


def test_a_game_of_two_by_two_in_closed_form():
    a, b, c, d = 3.0, -1.0, -2.0, 1.0
    game = np.array([[a, b], [c, d]])
    found = solve(game, 5 - game)
    assert found.kind == "mixed"
    assert found.value[0] == pytest.approx((a * d - b * c) / (a + d - b - c), abs=1e-12)
    assert sum(found.value) == pytest.approx(5, abs=1e-12)
    assert found.rows == pytest.approx([(d - c) / (a + d - b - c), (a - b) / (a + d - b - c)], abs=1e-12)
    assert found.columns == pytest.approx([(d - b) / (a + d - b - c), (a - c) / (a + d - b - c)], abs=1e-12)
    assert found.guaranteed == (-1.0, 4.0)


@given(arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.integers(-4, 4).map(float)))
@settings(max_examples=150, deadline=None)
def test_with_opposite_aims_nobody_gains_by_another_choice(game):
    found = solve(game, -game)
    assert (game @ found.columns).max() <= found.value[0] + 1e-12
    assert (found.rows @ game).min() >= found.value[0] - 1e-12
    assert found.guaranteed[0] - 1e-12 <= found.value[0] <= -found.guaranteed[1] + 1e-12
    if found.kind == "pure":
        assert found.value[0] == found.guaranteed[0] == -found.guaranteed[1]


@given(*[arrays(float, (3, 4), elements=st.integers(-3, 3).map(float)) for _ in SIDES])
@settings(max_examples=150, deadline=None)
def test_with_own_aims_the_pair_is_stable_or_each_side_is_safe(mine, theirs):
    found = solve(mine, theirs)
    stable = [
        (i, j)
        for i, j in product(range(3), range(4))
        if mine[i, j] == mine[:, j].max() and theirs[i, j] == theirs[i].max()
    ]
    at = int(found.rows.argmax()), int(found.columns.argmax())
    if found.kind == "pure":
        assert at in stable
        assert not any(mine[one] > mine[at] and theirs[one] > theirs[at] for one in stable)
    else:
        assert not stable
    if found.kind == "security":
        assert mine[at[0]].min() == mine.min(axis=1).max() == found.guaranteed[0]
        assert theirs[:, at[1]].min() == theirs.min(axis=0).max() == found.guaranteed[1]


def test_of_two_stable_pairs_the_one_that_is_better_for_both():
    stag = np.array([[1.0, 1.0], [0.0, 2.0]])
    found = solve(stag, stag.T)
    assert (found.kind, found.value) == ("pure", (2.0, 2.0))


# --- battles --------------------------------------------------------------------------------------------------------


def test_a_stable_pair_whichever_path_comes_first():
    answers, names = [best(STABLE, list(paths)) for paths in permutations(NAMED)], orders(STABLE)
    for found in answers:
        assert (found.kind, found.tried) == ("pure", len(names) ** 2)
        assert found.choice == dict(zip(BOTH, ("cavalry-first", "most-numerous"), strict=True))
        assert found.value["attacker"] == found.odds.winner("attacker") == pytest.approx(0.215381068, abs=1e-9)
        assert found.guaranteed == pytest.approx(found.value, abs=1e-12)
        assert all(one.gain >= -1e-12 for one in found.fixed)
        assert found.mixed.empty
    assert answers[0].fixed == answers[1].fixed
    game = wins(STABLE)
    row, column = names.index("cavalry-first"), names.index("most-numerous")
    assert game[:, column].max() == game[row].min() == pytest.approx(answers[0].value["attacker"], abs=1e-12)


def test_without_a_stable_pair_both_draw_by_lot():
    found, game, names = best(BY_LOT, NAMED), wins(BY_LOT), orders(BY_LOT)
    value = found.value["attacker"]
    lots = {side: np.zeros(len(names)) for side in SIDES}
    for lot in found.mixed.to_dict("records"):
        lots[lot["side"]][names.index(lot["choice"].removeprefix("losses = "))] = lot["chance"]
    assert (found.kind, found.choice, found.rows()) == ("mixed", {}, [])
    assert all(lot.sum() == pytest.approx(1) for lot in lots.values())
    assert lots["attacker"] @ game @ lots["defender"] == pytest.approx(value, abs=1e-12)
    assert (game @ lots["defender"]).max() == pytest.approx(value, abs=1e-12)
    assert (lots["attacker"] @ game).min() == pytest.approx(value, abs=1e-12)
    assert found.odds.winner("attacker") == pytest.approx(value, abs=1e-12)
    assert found.guaranteed["attacker"] == pytest.approx(game.min(axis=1).max(), abs=1e-12)
    assert -found.guaranteed["defender"] == pytest.approx(game.max(axis=0).min(), abs=1e-12)
    assert found.guaranteed["attacker"] < value < -found.guaranteed["defender"]
    assert {one.decision for one in found.fixed} == {"policy.attacker", "policy.defender"}
    assert len(found.fixed) == 2 * len(names)
    assert all(one.gain >= -1e-12 for one in found.fixed)
    for lot in found.lots:
        assert f"policy.{lot.side}: {lot.choice} with chance {lot.chance:.4f}" in found.odds.assumptions


def test_no_stable_pair_and_aims_of_their_own_give_the_safest_of_each():
    found = best(OWN_AIMS, NAMED)
    assert found.kind == "security"
    assert "no pair of named values is stable; each side's safest is shown" in found.advice()
    worth = {one.policy: one.value for one in found.fixed if one.decision == BOTH[0]}
    assert worth[found.choice[BOTH[0]]] == found.value["attacker"]
    for side in SIDES:
        assert found.guaranteed[side] <= found.value[side]
    assert min(one.gain for one in found.fixed) < 0


def test_each_side_plays_for_itself_alone():
    for side, path in zip(SIDES, BOTH, strict=True):
        found = best(STABLE, [f"{path}=named"])
        assert (found.kind, found.guaranteed, found.tried) == ("best", {}, len(orders(STABLE)))
        assert found.value[side] == max(one.value for one in found.fixed)


def test_one_side_with_two_paths_against_the_other_side():
    paths = [*BOTH, "policy.defender.structures"]
    found = best(KEEP, [f"{path}=named" for path in reversed(paths)])
    assert list(found.choice) == paths
    assert found.tried == 3 * 3 * 2
    assert [one.policy for one in found.fixed if one.decision == paths[2]] == ["first", "last"]


def test_custom_lists_and_refused_values_are_left_out():
    for decide in (NAMED[0], BOTH[0]):
        assert {one.policy for one in best(KEEP, [decide]).fixed} == {
            "weakest-first",
            "strongest-first",
            "keep-next-step-fighters",
        }
    found = best(STABLE, [NAMED[0], "policy.attacker.base_dice"])  # two of three base dice are for Muslim sides
    assert found.tried == len(orders(STABLE))
    assert found.choice["policy.attacker.base_dice"] == "infantry"
    with pytest.raises(ScenarioError, match=r"^policy.second_attacker: "):
        best(KEEP | {"policy": {"second_attacker": {"losses": "weakest-first"}}}, [NAMED[0]])


def test_values_of_the_scenario_that_are_best_answer_each_value():
    attacker = {"attacker": {"retreat": "best"}}
    weights = {"objective": {"attacker": {"win": 1, "attacker_losses": -0.15}}}
    scenario = power((2, 1, 0), (2, 1, 0), policy=attacker, **weights)
    found = best(scenario, [NAMED[1]])
    values = [best(load(scenario).replace(BOTH[1], order)).value["defender"] for order in orders(scenario)]
    assert found.value["defender"] == max(values)
    assert found.rows()
    assert {one.decision for one in found.fixed} == {"policy.attacker.retreat", BOTH[1]}


def test_a_part_of_a_game_is_no_answer():
    def stop(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        best(STABLE, NAMED[:1], progress=stop)
    with pytest.raises(KeyboardInterrupt) as cut:
        best(STABLE, NAMED, progress=stop)
    assert not isinstance(cut.value, Interrupted)


@pytest.mark.parametrize(
    ("decide", "message"),
    [
        (["policy.attacker.losses=all"], "policy.attacker.losses=all is not allowed"),
        (["policy.attacker.losses", "policy.attacker.losses=named"], "policy.attacker.losses is given twice"),
        (
            ["policy.attacker.retreat=named"],
            "policy.attacker.retreat=named is not allowed; give policy.attacker.retreat",
        ),
        (["policy.attacker.loses=named"], "policy.attacker.loses is no policy of kings-and-things land"),
        (
            [f"policy.{s}.{name}" for s in SIDES for name in ("losses=named", "structures", "marksman", "dispel")],
            "17,424 combinations; at most 1,000",
        ),
    ],
)
def test_refused(decide, message):
    with pytest.raises(ScenarioError) as refusal:
        best(KEEP, decide)
    assert str(refusal.value).startswith(f"decide: {message}")


def test_a_third_side_has_no_objective():
    third = {"game": "kings-and-things", "battle": "free-for-all", "second_attacker": {"creatures": ["2"]}}
    third |= {side: {"creatures": ["3"]} for side in SIDES}
    with pytest.raises(ScenarioError, match=r"^decide: policy.second_attacker.losses belongs to neither"):
        best(third, ["policy.second_attacker.losses=named"])


# --- what is wanted, and the report ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("objective", "lines"),
    [
        ({}, ["attacker wants: winning 1", "defender wants the opposite"]),
        (
            {"attacker": {"attacker_losses": -0.1}},
            ["attacker wants: attacker_losses -0.1 each, winning counts nothing", "defender wants the opposite"],
        ),
        (
            {"defender": {"take": 1, "win": 0, "defender_losses": -0.2}},
            ["attacker wants the opposite", "defender wants: holding the ground 1, defender_losses -0.2 each"],
        ),
    ],
)
def test_what_is_wanted_in_words(objective, lines):
    more = {"objective": objective} if objective else {}
    assert best(power((1, 1, 0), (1, 1, 0), **more), NAMED[:1]).wanted == lines


def test_the_command_tells_the_lots_and_what_is_sure(tmp_path, capsys):
    file = tmp_path / "lot.json"
    file.write_text(json.dumps(BY_LOT))
    decide = [part for path in NAMED for part in ("--decide", path)]
    assert run(["best", str(file), *decide]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Attacker: draw lots: lose the weakest first (63.76 %)")
    assert "attacker draws with chance 0.6376: losses = weakest-first" in shown
    assert "sure of 0.1359; by lot 0.1420; the defender holds it to 0.1455" in shown
    assert "best of 9 named values, not of all strategies" in shown
    assert run(["best", str(file), *decide, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["kind"], answer["choice"], len(answer["mixed"])) == ("mixed", {}, 4)


def test_winning_counts_at_the_command_line_unless_it_is_set(capsys):
    def asked(*weights):
        options = [part for weight in weights for part in ("--weight", weight)]
        assert run(["best", "risk-20v15", *options, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    found = asked("attacker_regiments_lost=-0.03")
    assert found["value"]["attacker"] == pytest.approx(0.495106, abs=1e-6)
    assert found["wanted"][0] == "attacker wants: winning 1, attacker_regiments_lost -0.03 each"
    assert asked("win=0", "attacker_regiments_lost=-0.03")["value"]["attacker"] == 0
    assert asked("take=2")["wanted"][0] == "attacker wants: holding the ground 2"
