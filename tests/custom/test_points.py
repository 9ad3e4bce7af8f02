"""Steps that score points, and bombing raids (docs/rules/custom_games.md 2.6, worked example 33)."""

from collections import defaultdict
from itertools import product

import pytest

from simulator import ScenarioError, exact, load, replay, simulate
from simulator.rules.custom.game_file.describe import step_rows
from simulator.rules.custom.game_file.files import read_game

RAID = {"game": "axis-and-allies-1942", "battle": "raid"}


def raid(attacker, defender, **more):
    return RAID | {"attacker": attacker, "defender": defender} | more


PLAIN = {
    "format": 3,
    "name": "Plain",
    "unit": {
        "bomber": {"attack": 1, "rolls": {"bombs": {"bonus": -2}, "rain": {"bonus": 1, "die": "d3"}}},
        "gun": {"defence": 2, "rolls": {"flak": {"bonus": 0}}},
    },
    "die": {"d3": {"sides": 3}},
    "battle": {"field": {"rounds": 2}},
    "step": [
        {"name": "bombs", "fire": {"attacker": "bombs", "defender": "flak"}, "points": True},
        {"name": "rain", "fire": {"attacker": "rain"}, "points": True, "from_round": 2},
        {"name": "shots", "fire": {"defender": "defence"}},
    ],
}  # fmt: skip


def plain(attacker, defender, **changed):
    return {"game": "custom", "battle": "field", "rules": PLAIN | changed, "attacker": attacker, "defender": defender}


def test_by_hand():
    """One bomber on a complex without interceptors: flak misses with 5/6, a bomb is 3.5 on average."""
    odds = exact(raid({"bomber": 1}, {"factory": 1}))
    assert odds.mean("attacker_points") == pytest.approx(5 / 6 * 3.5, abs=1e-12)
    assert odds.headline.text == "The attacker scores 2.92 points on average."
    assert load(raid({"bomber": 1}, {"factory": 1})).battle.summary[0] == "attacker_points"


def slow_raid(bombers, fighters, interceptors, most):
    """Points and their chances, every die of all sides written out."""
    found = defaultdict(float)
    planes = bombers + fighters
    for dogfight in product(range(1, 7), repeat=planes + interceptors):
        shot = sum(face == 1 for face in dogfight[planes:])
        # The owner's line: fighters before bombers.
        left = bombers - max(0, shot - fighters)
        for flak in product(range(1, 7), repeat=left):
            bombing = left - sum(face == 1 for face in flak)
            for bombs in product(range(1, 7), repeat=bombing):
                p = 6.0 ** -(len(dogfight) + len(flak) + len(bombs))
                found[min(sum(bombs), most)] += p
    return found


def test_every_die_written_out():
    odds = exact(raid({"bomber": 2, "fighter": 1}, {"factory": 1, "fighter": 1}, options={"points_at_most": 7}))
    for points, chance in slow_raid(2, 1, 1, 7).items():
        assert odds.p(f"attacker_points == {points}") == pytest.approx(chance, abs=1e-9)
    assert odds.p("defender_points == 0") == pytest.approx(1, abs=1e-12)
    assert "a side scores 7 points at most" in odds.assumptions


def test_both_sides_score_in_two_rounds():
    """A bomber's die less 2, never below 0, is (0+0+1+2+3+4)/6; in round 2 it also scores 2 to 4. A gun's is 3.5."""
    odds = exact(plain({"bomber": 1}, {"gun": 1}))
    alive = 4 / 6
    assert odds.mean("attacker_points") == pytest.approx(10 / 6 + alive * (10 / 6 + 3), abs=1e-12)
    # The gun fires at nobody when the bomber is gone: it counts once or twice.
    assert odds.mean("defender_points") == pytest.approx(3.5 * (1 + alive), abs=1e-12)
    assert odds.p("attacker_points == 0 & defender_points == 6") == pytest.approx(1 / 3 * 1 / 6 * 2 / 6, abs=1e-12)
    capped = exact(plain({"bomber": 1}, {"gun": 1}, battle={"field": {"rounds": 2, "points_at_most": 3}}))
    assert capped.p("defender_points == 3") == pytest.approx(odds.p("defender_points >= 3"), abs=1e-12)
    sampled = simulate(plain({"bomber": 1}, {"gun": 1}), battles=20_000, seed=1)
    assert sampled.mean("defender_points") == pytest.approx(3.5 * (1 + alive), abs=0.05)


def test_points_change_nothing_else():
    """The same battle without the bombs: equal losses, and no columns of points."""
    with_bombs = exact(plain({"bomber": 3}, {"gun": 2}))
    without = exact(plain({"bomber": 3}, {"gun": 2}, step=PLAIN["step"][2:]))
    for column in ("attacker_units_lost", "rounds"):
        assert with_bombs.mean(column) == pytest.approx(without.mean(column), abs=1e-12)
    assert "attacker_points" not in without.names


def test_worked_example_33():
    """Interception: attackers 4, 1, 6, interceptor 3; flak 1, 5; one bomb: 4. A replay names the faces of the bombs."""
    odds = exact(raid({"bomber": 2, "fighter": 1}, {"factory": 1, "fighter": 1}))
    question = "winner == 'nobody' & rounds == 1 & attacker_points == 4 & attacker_bomber_lost == 1"
    # One interceptor at most misses or is lost; a bomber is lost to flak alone (the escort is lost first).
    assert odds.p(question) == pytest.approx(2 * (1 / 6) * (5 / 6) * (1 / 6), abs=1e-12)
    told = "\n".join(replay(raid({"bomber": 1}, {"factory": 1}), seed=2).lines)
    assert "bombs  attacker: 1 bomber: " in told


REFUSED = {
    "no rounds": ({"battle": {"field": {}}}, r"rules\.battle\.field\.rounds: is needed in a kind with a step"),
    "a group": ({"step": [PLAIN["step"][0] | {"group": "all"}]}, r"rules\.step\[0\]\.group: is not allowed beside"),
    "initiative": ({"step": [PLAIN["step"][0] | {"order": "initiative"}]}, r"rules\.step\[0\]\.order"),
    "a limit": ({"step": [PLAIN["step"][0] | {"dice_at_most": 2}]}, r"rules\.step\[0\]\.dice_at_most"),
    "compare": ({"step": [PLAIN["step"][0] | {"compare": {}}]}, r"rules\.step\[0\]\.compare"),
    "no bonus": (
        {"step": [{"name": "x", "points": True}]}, r"rules\.step\[0\]\.fire\.attacker: attack of bomber: .* need",
    ),
    "a bonus without points": (
        {"step": [{"name": "x", "fire": {"attacker": "bombs"}}]}, r"rules\.step\[0\]\.fire\.attacker: bombs of bomber",
    ),
    "format 2": ({"format": 2}, r"rules\.step\[0\]\.points: .*needs format = 3"),
    "too many points": ({"battle": {"field": {"rounds": 1, "points_at_most": 10_001}}}, r"\.points_at_most: 10001"),
}  # fmt: skip


@pytest.mark.parametrize(("changed", "complaint"), REFUSED.values(), ids=REFUSED)
def test_refused(changed, complaint):
    with pytest.raises(ScenarioError, match=complaint):
        load(plain({"bomber": 1}, {"gun": 1}, **changed))


def test_refused_in_scenarios():
    with pytest.raises(ScenarioError, match=r"options\.points_at_most: -1 is not allowed"):
        load(raid({"bomber": 1}, {"factory": 1}, options={"points_at_most": -1}))
    land = {"game": "axis-and-allies-1942", "battle": "land", "attacker": {"tank": 1}, "defender": {"tank": 1}}
    with pytest.raises(ScenarioError, match=r"options\.points_at_most"):
        load(land | {"options": {"points_at_most": 3}})
    with pytest.raises(ScenarioError, match=r"policy\.attacker\.loss_order: best is not offered where points are"):
        load(raid({"bomber": 1}, {"factory": 1}, policy={"attacker": {"loss_order": "best"}}))


def test_strategic_bombers_add_2_in_1940():
    """Three dice of 1 to 6 less flak; a strategic bomber adds 2, a tactical one cannot bomb a complex."""
    odds = exact(
        {"game": "axis-and-allies-1940", "battle": "raid", "attacker": {"bomber": 1}, "defender": {"facility": 1}}
    )
    assert odds.mean("attacker_points") == pytest.approx(5 / 6 * 5.5, abs=1e-12)


def test_the_listing():
    rows = {row[0]: row[3] for row in step_rows(read_game(PLAIN, ""))}
    assert "scores points" in rows["bombs"]
