"""Every tool takes a campaign; what they share is solved once; properties of section 10 of docs/rules/campaigns.md."""

import copy

import numpy as np
import pytest

from simulator import best, compare, exact, luck, mix, need, replay, rounds, sensitivity, simulate, sweep, worth
from simulator.analysis.odds import run, stages
from simulator.analysis.odds.run import Interrupted
from simulator.engine.model.limits import NoExactOdds
from simulator.rules.campaign import battle, starts
from simulator.rules.toolkit.naming import counted
from simulator.scenarios.scenario import draft

RISK = {
    "game": "campaign",
    "of": "risk",
    "every": {"battle": "land"},
    "force": {"red": {"regiments": 5}, "blue": {"regiments": 4}},
    "fight": [
        {"attacker": "red", "defender": "blue"},
        {"attacker": {"force": "blue", "join": {"regiments": 3}}, "defender": "red", "if": "fight1_won"},
    ],
}
LEFT = {"red_regiments_left": 1}


def with_fields(changes, base=RISK):
    return draft(copy.deepcopy(base)).with_fields(changes).data


def test_need_finds_the_regiments_of_a_force_and_those_that_join():
    found = need(RISK, "force.red.regiments", 0.5)
    wins = [exact(with_fields({"force.red.regiments": found.setting - less})).winner("attacker") for less in (0, 1)]
    assert wins[0] >= 0.5 > wins[1]
    join = need(RISK, {"fight[1].attacker.join.regiments": range(1, 9)}, 0.7, value="p_defender")
    assert join.setting == 4


@pytest.mark.parametrize("of", ["risk", "skirmish"])
def test_a_search_makes_the_model_of_a_shipped_game_once(of):
    assert battle({"of": of}).model is battle({"of": of}).model


def test_compare_exactly_and_battle_by_battle():
    more = with_fields({"force.red.regiments": 6})
    wins = [exact(one).winner("attacker") for one in (RISK, more)]
    assert compare({"few": RISK, "more": more}, "p_attacker").table["estimate"].tolist() == pytest.approx(wins)
    counted = compare({"few": RISK, "more": more}, "p_attacker", 2_000).table["estimate"].tolist()
    assert counted == pytest.approx(wins, abs=0.06)


def test_sensitivity_changes_forces_and_those_who_join():
    changed = {row["path"]: row for row in sensitivity(RISK).rows() if row["to"] == 4}
    assert set(changed) == {"force.red.regiments", "fight[1].attacker.join.regiments"}
    for path, row in changed.items():
        assert row["value"] == pytest.approx(exact(with_fields({path: 4})).winner("attacker"))


@pytest.mark.parametrize("path", ["force.red.regiments", "fight[1].attacker.join.regiments"])
def test_pieces_may_be_distributions(path):
    parts = [exact(with_fields({path: number})).winner("attacker") for number in (2, 4)]
    known = mix(with_fields({path: {"mix": {"2": 0.25, "4": 0.75}}})).odds
    assert known.winner("attacker") == pytest.approx(parts[0] / 4 + parts[1] * 3 / 4)


def test_decisions_know_what_was_drawn():
    path, go = "fight[1].attacker.join.regiments", {"fight[1].attacker.go": "best"}
    parts = [exact(with_fields({path: number} | go)).winner("defender") for number in (0, 6)]
    found = mix(with_fields({path: {"mix": {"0": 0.5, "6": 0.5}}} | go)).odds
    assert found.winner("defender") == pytest.approx(sum(parts) / 2)


def test_worth_luck_and_rounds():
    mean = exact(RISK).mean("red_regiments_left")
    assert worth(RISK, LEFT).mean == pytest.approx(mean)
    judged = luck([{"scenario": RISK, "winner": "attacker", "red_regiments_left": 2}], LEFT)
    assert judged.battles[0].expected == pytest.approx(mean)
    assert rounds(RISK).rows()[-1]["attacker"] == pytest.approx(exact(RISK).winner("attacker"))


def test_never_fighting_is_never_fighting_however_many_take_part():
    force = {"red": {"regiments": 1000, "fleets": 500}, "blue": {"regiments": 1}}
    fight = {"attacker": {"force": "red", "go": "best"}, "defender": "blue"}
    found = best(RISK | {"force": force, "fight": [fight], "objective": {"attacker": {"blue_regiments_left": 1}}})
    gains = {gain.policy: gain.value for gain in found.fixed}
    assert gains["never"] == 1
    assert gains["always"] < 1


def test_a_replay_says_who_comes_and_goes():
    fights = [
        {"attacker": {"force": "red", "stay": {"regiments": 2}, "driven_off": "guard"}, "defender": {"regiments": 9}},
        {"attacker": {"force": "blue", "join": {"regiments": 9}, "min_units": 20}, "defender": "guard"},
        {"attacker": {"force": "blue", "min_odds": 1.0}, "defender": "red", "if": "not fight2_fought"},
        {"attacker": "blue", "defender": "none_there"},
        {"attacker": "blue", "defender": "red", "if": "fight1_won"},
    ]
    fights[0]["policy"] = {"attacker": {"retreat": "max-rounds", "max_rounds": 1}}
    forces = {"red": {"regiments": 7}, "blue": {"regiments": 2}, "guard": {}, "none_there": {}}
    lines = replay(RISK | {"force": forces, "fight": fights, "us": ["red", "guard", "none_there"]}, seed=4).lines
    assert [line for line in lines if "Round" not in line] == [
        "fight1:",
        "  red, taking no part: 2 regiments",
        "fight2:",
        "  blue, joining: 9 regiments",
        "  not fought: the defender cannot fight; the attacker wins",
        "fight3:",
        "  not fought: the attacker declines; the chance to win is below min_odds = 1",
        "fight4:",
        "  not fought: the defender cannot fight; the attacker wins",
        "fight5:",
        "  not fought: only if fight 1 is won",
    ]


def test_a_replay_says_who_is_driven_off_left_behind_and_captured():
    red = {"force": "red", "leave": {"regiments": 1}}
    shown = [replay(with_fields({"fight[0].attacker": red}), seed=seed).lines for seed in range(8)]
    answer = {line for lines in shown for line in lines if line.startswith("  red,") or line.startswith("  blue,")}
    assert "  red, left behind, out: 1 regiment" in answer
    lines = replay("campaign-sea-then-land", seed=8).lines
    assert "  us, captured: 1 light" in lines
    assert "  us, left behind, to ashore: 4 infantry, 2 cavalry, 1 artillery" in lines


def test_captured_pieces_belong_to_the_captor():
    odds = exact("campaign-sea-then-land")
    ours = odds.columns["us_units_left"] + odds.columns["us_units_lost"] + odds.columns["ashore_units_left"]
    assert ((ours >= 11) & (ours <= 14)).all()  # three ships can be captured
    assert ours.max() > 11
    theirs = odds.columns["fleet2_units_left"] + odds.columns["fleet2_units_lost"]
    assert (theirs == 3).all()


@pytest.mark.parametrize("vary", ["force.red.regiments", "fight[1].attacker.join.regiments"])
def test_an_interrupted_sweep_goes_on_with_the_same_numbers(tmp_path, monkeypatch, vary):
    pytest.importorskip("pyarrow")
    from simulator.analysis.storage import run_store

    monkeypatch.setattr(run_store, "SECONDS", 0.0)
    monkeypatch.setattr(run_store, "SHARE", 0)
    grid = {vary: range(1, 9), "fight[0].attacker": ["red", {"force": "red", "stay": {"regiments": 1}}]}

    def interrupt(done, total):
        if done >= 5:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        sweep(RISK, grid, out=tmp_path / "cells", progress=interrupt)
    whole = sweep(RISK, grid, out=tmp_path / "cells")
    assert whole.complete
    rows = [sweep(RISK, grid, threads=threads).rows() for threads in (1, 2, 7)]
    assert rows[0] == rows[1] == rows[2] == whole.sweep().rows()


def test_workers_answer_the_cells_of_a_campaign():
    pytest.importorskip("distributed")
    from simulator.analysis.storage.cluster import machines

    vary = {"force.red.regiments": [3, 4, 5]}
    with machines(2, processes=False) as client:
        assert sweep(RISK, vary, cluster=client).rows() == sweep(RISK, vary).rows()


def test_cells_and_fights_that_are_alike_share_their_starts(monkeypatch):
    solved = []
    real = stages.ExactRun.from_starts
    monkeypatch.setattr(run, "COMMON", stages.Shared())  # nothing of earlier answers
    monkeypatch.setattr(stages.ExactRun, "from_starts", lambda *args: solved.append(len(args[2])) or real(*args))
    raids, goals = draft("campaign-two-raids").data, ["north_raid_won", "south_raid_won", "home_creatures_left > 1"]
    exact(raids)
    solved.clear()
    sweep(raids, {"goal": goals}, threads=1)
    assert sum(solved) == 9  # one raid from the north, eight from the south
    solved.clear()
    twice = RISK | {"fight": [{"attacker": "red", "defender": {"regiments": 2}}] * 2}
    exact(twice | {"force": {"red": {"regiments": 1}}})  # who wins the first fight comes to the second as he was
    assert sum(solved) == 1


def test_best_play_of_a_campaign_solves_each_start_once(monkeypatch):
    """Its odds, what a fixed choice loses, and its table of positions have the starts of their fights in common."""
    solved = []
    real = stages.ExactRun.from_starts
    stages.COMMON.forget()
    monkeypatch.setattr(
        stages.ExactRun, "from_starts", lambda *args: solved.append(stages.digest(args[1])) or real(*args)
    )
    found = best(RISK)
    found.find_gains()
    assert found.rows()
    assert len(solved) == len(set(solved)) > 1


def test_starts_of_one_chain_are_answered_as_alone(monkeypatch):
    cases = [
        with_fields({"force.red.commanders": 2, "force.red.regiments": 9, "fight[0].defender": {"regiments": [3, 2]}}),
        with_fields({"columns": ["fight1_rounds", "fight2_rounds", "fight2_attacker_cost_lost"]}),
        draft("campaign-counter-attack").data,
        RISK | {"every": {"battle": "naval"}, "force": {"red": {"fleets": 4}, "blue": {"fleets": 3}},
                "fight": [{"attacker": "red", "defender": "blue"}] * 2
                + [{"attacker": {"force": "blue", "join": {"fleets": 1}}, "defender": "red"}]},
    ]  # fmt: skip
    for scenario in cases:
        stages.COMMON.forget()
        together = exact(scenario)
        monkeypatch.setattr(starts, "LEAST", 10**6)
        stages.COMMON.forget()
        alone = exact(scenario)
        monkeypatch.undo()
        assert together.names == alone.names
        assert len(together.chances) == len(alone.chances)
        np.testing.assert_allclose(together.chances, alone.chances, atol=1e-13)
        for name in together.names:
            np.testing.assert_array_equal(together.columns[name], alone.columns[name])


def test_the_chance_that_min_odds_asks_for_is_exact_in_simulations():
    scenario = with_fields({"fight[1].attacker": {"force": "blue", "join": {"regiments": 3}, "min_odds": 0.5}})
    p, found = exact(scenario).p("fight2_fought"), simulate(scenario, 20_000, seed=1)
    assert found.p("fight2_fought") == pytest.approx(p, abs=4.5 * np.sqrt(p * (1 - p) / 20_000))


def test_no_more_commanders_than_regiments():
    nine, four = (exact(with_fields({"force.red.commanders": number})) for number in (9, 5))
    assert nine.rows() == four.rows()
    assert nine.explored == four.explored > 0


WINS = {"modifier_all": 5}
BEATEN = {"force": "blue", "modifier_all": -5}


def played(*fights, **forces):
    """The one row of a campaign without chance: a side with WINS beats one that is BEATEN without loss."""
    forces = {name: {"regiments": force} if isinstance(force, int) else force for name, force in forces.items()}
    rows = exact(RISK | {"force": forces, "fight": list(fights), "us": [*forces][:1]}).rows()
    assert len(rows) == 1
    return rows[0]


def test_who_takes_part_and_where_survivors_go():
    red = {"force": "red", "send": {"regiments": 4}, "leave": {"regiments": 1}, "leave_to": "guard"} | WINS
    end = played(
        {"attacker": red, "defender": BEATEN}, red={"regiments": 9, "commanders": 2}, blue=3, guard={}
    )  # of four who go two are commanders; one who is none stays as a guard
    assert (end["red_regiments_here"], end["red_commanders_here"]) == (8, 2)
    assert (end["guard_regiments_here"], end["guard_commanders_here"]) == (1, 0)
    assert (end["red_regiments_lost"], end["blue_regiments_lost"]) == (0, 3)


@pytest.mark.parametrize(("by", "aboard"), [("red", 4), ("navy", 2)])
def test_ships_carry_those_who_land(by, aboard):
    red = {"force": "red", "carried": {"each": 2, "by": by}, "leave": "all"} | WINS
    end = played(
        {"battle": "amphibious", "attacker": red, "defender": BEATEN},
        red={"regiments": 7, "fleets": 2}, navy={"fleets": 1}, blue=3,
    )  # fmt: skip
    assert (end["red_regiments_out"], end["red_regiments_here"], end["red_fleets_here"]) == (aboard, 7 - aboard, 2)


def test_a_walk_over_leaves_garrisons_and_a_declined_fight_ends_nothing():
    end = played(
        {"attacker": {"force": "red", "join": {"regiments": 2}, "leave": {"regiments": 3}}, "defender": "blue"},
        {"attacker": {"force": "red", "min_units": 4}, "defender": {"regiments": 5}},
        {"attacker": {"regiments": 5}, "defender": {"force": "red", "join": {"regiments": 9}}, "if": "fight2_fought"},
        {"attacker": {"force": "blue", "join": {"regiments": 4}} | WINS, "defender": {"force": "red"}
         | {"modifier_all": -5}, "if": "not fight2_fought"},
        red=4, blue={},
    )  # fmt: skip
    assert [end[f"fight{n}_winner"] for n in (1, 2, 3, 4)] == ["attacker", "none", "none", "attacker"]
    assert (end["red_regiments_out"], end["red_regiments_here"], end["red_regiments_lost"]) == (3, 0, 3)
    assert (end["blue_regiments_left"], end["winner"]) == (4, "defender")


def test_an_unnamed_attacker_may_have_stop_rules():
    def attack(**rule):
        return {"attacker": {"regiments": 5} | rule, "defender": {"force": "red", "modifier_all": -5}}

    end = played(attack(min_units=6), attack(min_odds=1.0), attack(min_odds=0.9, **WINS), red=4)
    assert [end[f"fight{n}_fought"] for n in (1, 2, 3)] == [False, False, True]
    assert (end["red_regiments_lost"], end["winner"]) == (4, "defender")


def test_a_tag_stands_for_its_units_in_file_order():
    force = {"red": {"infantry": 2, "artillery": 1, "tank": 2, "fighter": 2}, "blue": {"infantry": 1}}
    for side, there in ({"send": {"land": 3}}, (2, 1, 0)), ({"stay": {"land": 3, "air": "all"}}, (0, 0, 2)):
        fight = {"attacker": {"force": "red"} | side, "defender": "blue"}
        campaign = {"game": "campaign", "of": "axis-and-allies-1942", "every": {"battle": "land"}, "force": force}
        first = replay(campaign | {"fight": [fight]}, seed=1).lines[1]
        rest = [n - m for n, m in zip((2, 1, 2), there, strict=True)]
        units = counted([*rest, 2], ["infantry", "artillery", "tank", "fighter"])
        assert first == f"  red, taking no part: {units}"


def test_a_fight_that_is_too_large_is_refused_by_its_name():
    fight = {"attacker": {"force": "red", "join": {"regiments": 900}}, "defender": {"regiments": 900}}
    with pytest.raises(NoExactOdds, match=r"^campaign: fight1: at least .* states"):
        exact(RISK | {"fight": [fight]}, budget=100_000)
