"""Luck of battles and of rolls (docs/rules/decisions.md section 8)."""

import json
import re
from itertools import product

import numpy as np
import pytest

from simulator import NoExactOdds, exact, load, luck, replay
from simulator.analysis.history.real_dice import units_lost
from simulator.analysis.odds.method import Method
from simulator.cli import run

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 4}, "defender": {"regiments": 3}}
SMALL = {"game": "risk", "battle": "land", "attacker": {"regiments": 2}, "defender": {"regiments": 2}}
WEIGHTS = {"win": 2, "attacker_regiments_lost": -0.5}


def test_the_sum_is_the_convolution():
    battles = [{"scenario": one, "winner": "attacker", "attacker_regiments_lost": 1} for one in (LAND, SMALL, LAND)]
    found = luck(battles, WEIGHTS)
    worths = []
    for one in (LAND, SMALL, LAND):
        table = exact(one).table
        worth = 2.0 * (table["winner"] == "attacker") - 0.5 * table["attacker_regiments_lost"]
        worths.append(list(zip(worth, table["p"], strict=True)))
    score = 3 * 1.5
    sums = [(sum(x for x, _ in row), np.prod([p for _, p in row])) for row in product(*worths)]
    below = sum(p for x, p in sums if x < score - 1e-9)
    equal = sum(p for x, p in sums if abs(x - score) < 1e-9)
    assert found.luck == pytest.approx(below + equal / 2)
    assert found.expected == pytest.approx(sum(x * p for x, p in sums))
    assert found.std == pytest.approx(np.sqrt(sum(x * x * p for x, p in sums) - found.expected**2))
    assert found.p_value == pytest.approx(2 * min(found.luck, 1 - found.luck))
    assert found.distribution["p"].sum() == pytest.approx(1)


def test_luck_over_its_own_odds_is_a_half():
    table = exact(LAND).table
    total = 0.0
    for _, row in table.iterrows():
        battle = {"scenario": LAND, "winner": row["winner"], "attacker_regiments_lost": row["attacker_regiments_lost"]}
        total += row["p"] * luck([battle], WEIGHTS).luck
    assert total == pytest.approx(0.5, abs=1e-12)


def test_the_defenders_luck_mirrors_the_attackers():
    mine = luck([{"scenario": LAND, "winner": "attacker"}]).luck
    his = luck([{"scenario": LAND, "winner": "attacker", "side": "defender"}]).luck
    assert mine + his == pytest.approx(1)


def test_simulated_luck_has_an_interval_that_holds_the_exact_luck():
    battles = [{"scenario": one, "winner": "attacker", "attacker_regiments_lost": 1} for one in (LAND, SMALL)]
    right = luck(battles, WEIGHTS)
    assert right.interval == (right.luck, right.luck)
    found = [luck(battles, WEIGHTS, method=Method(exact=False, battles=1000, seed=seed)) for seed in range(40)]
    assert sum(one.low <= right.luck <= one.high for one in found) >= 36
    assert {one.high > one.low for one in found} == {True}
    # Two battles of 1,000 are worth 500: 0.05 wide at a chance of one half, less at the ends.
    assert max(one.high - one.low for one in found) < 2 * 1.97 * (0.25 / 500) ** 0.5
    assert re.search(r"luck than in about \d\d\.\d % \(\d\d\.\d to \d\d\.\d\) of such series", found[0].headline)


@pytest.mark.parametrize(
    ("won", "answer"),
    [
        (4, "4 won, 5.2 expected: worse luck than in 88 % of such series; nothing unusual (p = 0.24)"),
        (1, "1 won, 5.2 expected: worse luck than in 99.99 % of such series; very unlucky (p = 0.00029)"),
        (6, "6 won, 5.2 expected: better luck than in 80 % of such series; nothing unusual (p = 0.41)"),
    ],
)
def test_the_sentence(won, answer):
    battles = [{"scenario": "risk-20v15", "winner": "attacker" if i < won else "defender"} for i in range(6)]
    assert str(luck(battles)) == answer


def test_many_different_sums_are_taken_as_normal(monkeypatch):
    battles = [{"scenario": LAND, "winner": "attacker", "attacker_regiments_lost": 1}] * 4
    sure = luck(battles, {"win": 1, "attacker_regiments_lost": -0.37})
    monkeypatch.setattr("simulator.analysis.history.luck.MOST_SUMS", 5)
    found = luck(battles, {"win": 1, "attacker_regiments_lost": -0.37})
    assert "normal approximation" in found.how()
    assert found.luck == pytest.approx(sure.luck, abs=0.15)
    assert found.distribution.empty


@pytest.mark.parametrize(
    ("battles", "text"),
    [
        ([], "battles: none"),
        ([{"scenario": LAND}], "battles[0].winner: was not observed, but weights ask for win"),
        ([{"scenario": LAND, "winner": "me"}], "battles[0].winner: 'me' is not allowed"),
        ([{"scenario": LAND, "winner": "attacker", "fleets": 3}], "battles[0].fleets: no such column"),
        (
            [{"scenario": LAND | {"attacker": {"regiments": 0}}, "winner": "attacker"}],
            "battles[0].attacker.regiments: 0",
        ),
        ([{"scenario": LAND, "winner": "attacker", "side": "both"}], "battles[0].side: 'both' is not allowed"),
        (
            [{"scenario": LAND, "winner": "defender", "attacker_regiments_lost": 3}],
            "battles[0]: attacker_regiments_lost = 3 with winner defender cannot happen in this battle",
        ),
    ],
)
def test_refusals(battles, text):
    with pytest.raises(ValueError, match=f"^{re.escape(text)}"):
        luck(battles)


@pytest.mark.parametrize("name", ["risk-20v15", "knt-raid", "skirmish-hill"])
def test_rolls_leave_nothing_unexplained(name):
    scenario = load(name)
    chance = exact(scenario).winner("attacker")
    for battle in range(4):
        answer = replay(scenario, 3, battle)
        rows = answer.luck_rows()
        outcome = float(answer.outcome["winner"] == "attacker")
        assert sum(row["change"] for row in rows) == pytest.approx(outcome - chance, abs=1e-9)
        assert rows[0]["before"] == pytest.approx(chance)
        assert all(0 <= row["luck"] <= 1 for row in rows)


def test_an_objective_may_count_rounds():
    scenario = load("risk-20v15").replace("objective.attacker", {"win": 1, "rounds": -0.01})
    answer = replay(scenario, 1, 2)
    odds = exact(scenario)
    score = float(answer.outcome["winner"] == "attacker") - 0.01 * answer.outcome["rounds"]
    expected = odds.winner("attacker") - 0.01 * odds.mean("rounds")
    assert answer.luck["change"].sum() == pytest.approx(score - expected)


def test_composed_battles_have_no_chain_of_rolls():
    with pytest.raises(NoExactOdds, match=r"^luck: price-of-power campaign"):
        replay("power-campaign-naples").luck_rows()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scenario,winner\nrisk-20v15,defender\n\nrisk-20v15\n", "line 4 has 1 cell; the heading has 2"),
        ("scenario,winner\nrisk-20v15,defender,x\n", "line 2 has 3 cells; the heading has 2"),
        ("scenario,results\nrisk-20v15,[[1, 1]]\n", "line 2 has 3 cells; the heading has 2"),
        ("scenario,winner,winner\nrisk-20v15,a,b\n", "line 1: 'winner' is not allowed; give each column one name"),
        ("scenario,,winner\nrisk-20v15,a,b\n", "line 1: '' is not allowed"),
    ],
)
def test_logs_with_extra_or_missing_cells_are_refused_by_line(tmp_path, text, message):
    log = tmp_path / "log.csv"
    log.write_text(text)
    with pytest.raises(ValueError, match="^battles: " + re.escape(message)):
        luck(log)


def test_a_list_is_no_number_of_losses():
    with pytest.raises(ValueError, match=r"^battles\[0\].rounds: \[1, 2\] is not allowed; give a number$"):
        luck([{"scenario": LAND, "winner": "defender", "rounds": [1, 2]}])


def test_command(capsys, tmp_path):
    log = tmp_path / "log.csv"
    log.write_text(
        "scenario,winner,side,set\nrisk-20v15,defender,,\nrisk-20v15,attacker,,attacker.regiments=9; policy={}\n"
    )
    files = ["--csv", str(tmp_path / "l.csv"), "--plot", str(tmp_path / "l.svg")]
    assert run(["luck", str(log), *files]) == 0
    assert "1 won, 1.0 expected" in capsys.readouterr().out
    assert (tmp_path / "l.csv").read_text().startswith("battle,side,expected,observed,luck,method")
    assert (tmp_path / "l.svg").stat().st_size > 1000
    (tmp_path / "log.json").write_text(json.dumps([{"scenario": LAND, "results": [[1, 1], [0, 2]]}]))
    assert run(["luck", str(tmp_path / "log.json"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["battles"][0]["observed"] == 1
    assert [row["line"] for row in found["rolls"]] == [
        "round 1: attacker lost 1, defender 1",
        "round 2: attacker lost 0, defender 2",
    ]
    assert run(["luck", str(tmp_path / "log.json")]) == 0
    assert "round 2: attacker lost 0, defender 2" in capsys.readouterr().out
    assert run(["replay", "risk-20v15", "--luck"]) == 0
    assert "change" in capsys.readouterr().out
    assert run(["luck", str(tmp_path / "nothing.csv")]) == 2
    assert capsys.readouterr().err.startswith("battles: ")


AIMED_FIRE = load("custom-aimed-fire").replace("attacker.rank", 7).replace("defender.rank", 6)


@pytest.mark.parametrize("scenario", [load("risk-20v15"), AIMED_FIRE], ids=["risk-20v15", "custom-aimed-fire"])
def test_rounds_with_words_their_losses_are_as_lucky_as_the_rolls_of_the_replay(scenario):
    """One roll a round, no two states alike: the losses tell the same as the dice."""
    answer = replay(scenario, 5, 1)
    lost = [scenario.built.outcome(type(state)(*np.array([*state])[:, None])) for _, _, _, state in answer.rolls]
    stands = [[int(units_lost(columns, "round")[side][0]) for side in (0, 1)] for columns in lost]
    results = np.diff([[0, 0], *stands], axis=0).tolist()
    found = luck([{"scenario": scenario.data, "winner": answer.outcome["winner"], "results": results}])
    rows = found.roll_rows()
    assert [row["change"] for row in rows] == pytest.approx(answer.luck["change"].tolist(), abs=1e-9)
    assert [row["luck"] for row in rows] == pytest.approx(answer.luck["luck"].tolist(), abs=1e-9)
    assert found.battles[0].observed - found.battles[0].expected == pytest.approx(sum(row["change"] for row in rows))


def test_losses_that_fit_several_states_stand_for_all_of_them():
    """A battleship that is hit once is not lost: the worth after a round is the mean over what may have been hit."""
    sea = {"game": "axis-and-allies-1942", "battle": "sea"}
    sea |= {"attacker": {"battleship": 1}, "defender": {"battleship": 1}}
    (row,) = luck([{"scenario": sea, "winner": "nobody", "results": [[0, 0]]}]).roll_rows()
    assert row["before"] == pytest.approx(exact(sea).winner("attacker"))
    assert row["luck"] == pytest.approx(0.5)  # no battleship sinks in the first round, whatever is rolled
    assert row["change"] == pytest.approx(0, abs=1e-12)


def test_what_the_rounds_tell_need_not_be_told_again():
    found = luck([{"scenario": LAND, "results": [[1, 1], [0, 2]]}], WEIGHTS)
    assert found.observed == pytest.approx(1.5)
    assert list(found.rolls.columns) == ["battle", "line", "before", "after", "change", "luck"]
    lost = luck([{"scenario": LAND, "winner": "defender", "side": "defender", "results": [[1, 1]]}])
    assert lost.observed == 1
    assert lost.rolls["before"][0] == pytest.approx(1 - exact(LAND).winner("attacker"))
    rounds = luck([{"scenario": LAND, "results": [[1, 1], [0, 2]]}], {"win": 1, "rounds": -0.1})
    assert rounds.observed == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("results", "text"),
    [
        ([[1, 1], [0, 2], [1, 1]], "battles[0].results[2]: the battle was over after 2 rounds"),
        ([[3, 0]], "battles[0].results[0]: [3, 0] cannot happen in round 1"),
        ([[1, 1], [2]], "battles[0].results[1]: [2] is not allowed; give what the attacker and what the defender"),
        ([[1, 1], [0, 2]], "battles[0].results: the battle did not end so with winner defender"),
        (7, "battles[0].results: give the losses of both sides in each round"),
    ],
)
def test_results_refused(results, text):
    with pytest.raises(ValueError, match=f"^{re.escape(text)}"):
        luck([{"scenario": LAND, "winner": "defender", "results": results}])


def test_results_only_where_battles_are_fought_in_rounds():
    with pytest.raises(ValueError, match=r"^battles\[0\]\.battle: europa land is not fought in rounds"):
        luck([{"scenario": "europa-blenheim-1704", "winner": "attacker", "results": [[1, 1]]}])


@pytest.mark.parametrize("between", [",", ", ", ";", "\t"])
def test_a_log_with_set_up_columns_and_short_names(tmp_path, between):
    names = ["Scenario", "attacker.regiments", "winner", "attacker_lost", "Defender lost"]
    lines = [names, ["risk-20v15", "9", "Attacker", "5", "15"], ["risk-20v15", "", "defender", "20", ""]]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(between.join(line) for line in lines))
    answer = luck(log)
    nine = {"scenario": "risk-20v15", "set": {"attacker.regiments": 9}, "winner": "attacker"}
    plain = luck([nine | {"attacker_regiments_lost": 5}, {"scenario": "risk-20v15", "winner": "defender"}])
    assert answer.rows() == plain.rows()


@pytest.mark.parametrize("game", ["risk", "price-of-power", "axis-and-allies-1942", "risk-sea-battle"])
def test_a_template_works_when_it_is_filled_in(capsys, tmp_path, game):
    assert run(["luck", "--template", game]) == 0
    heading, *lines = (line.split(",") for line in capsys.readouterr().out.splitlines())
    assert {"scenario", "side", "winner", "attacker_lost", "defender_lost"} < set(heading)
    assert any(name.startswith("attacker.") for name in heading)
    place = heading.index("winner")
    filled = [heading, *([*line[:place], "attacker", *line[place + 1 :]] for line in lines)]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(map(",".join, filled)))
    assert run(["luck", str(log)]) == 0
    assert re.match("2 won|France won 2 of 2 battles", capsys.readouterr().out)


def test_templates_of_campaigns_and_of_kinds_that_ask_for_a_number(battle_odds):
    """That of campaigns ended with a KeyError; that of a raid, which nobody wins, asked for a winner."""
    assert battle_odds("luck", "--template", "campaign")[1].startswith("scenario,side,winner\ncampaign-")
    heading = battle_odds("luck", "--template", "axis-raid")[1].splitlines()[0]
    assert heading.endswith(",defender.fighter,attacker_points,attacker_lost,defender_lost")


def test_weights_have_the_short_names_of_the_log():
    """`attacker_lost` was a column of the log, and no column that a weight could name."""
    battles = [{"scenario": "axis-land-artillery", "winner": "attacker", "attacker_lost": 5, "defender_lost": 10}]
    short, full = (luck(battles, {"win": 9, name: -1}) for name in ("attacker_lost", "attacker_units_lost"))
    assert short.luck == full.luck
    assert short.expected == full.expected


def test_a_side_with_a_name_is_called_by_it_and_a_raid_has_no_winner():
    one = luck([{"scenario": "power-lepanto", "winner": "nobody"}])
    assert one.headline.startswith("Spain won 0 of 1 battle, 0.3 expected: worse luck ")
    enemy = luck([{"scenario": "power-lepanto", "side": "defender", "winner": "defender"}] * 2)
    assert enemy.headline.startswith("Ottomans won 2 of 2 battles, 0.1 expected: better luck ")
    with pytest.raises(ValueError, match=r"weights: Axis & Allies 1942, raid has no winner; .* like attacker_points=1"):
        luck([{"scenario": "axis-raid", "winner": "nobody"}])


def test_a_log_is_needed(capsys):
    assert run(["luck"]) == 2
    assert "--template" in capsys.readouterr().err
