"""The answer to a campaign in words, tables and a picture."""

import pytest
from matplotlib.colors import to_hex

from simulator import exact, load, rounds, simulate
from simulator.cli import run
from simulator.report.campaigns import CampaignReport, campaign_parts
from simulator.report.plots.figures import COLOURS

LONG = "the_grand_army_of_the_north_and_the_west"
PLAN = {
    "game": "campaign",
    "of": "risk",
    "every": {"battle": "land"},
    "us": [LONG, "green"],
    "force": {LONG: {"regiments": 3}, "blue": {"regiments": 3}, "green": {"regiments": 2}}
    | {f"the_reserve_number_{number}_of_the_emperor": {"regiments": 1} for number in (1, 2, 3)},
    "fight": [
        {"name": "the_first_of_all_the_battles_of_this_war", "attacker": LONG, "defender": "blue"},
        {"attacker": {"force": "green", "min_odds": 0.9}, "defender": "blue"},
        {"attacker": "blue", "defender": {"regiments": 2}},
        *[{"attacker": "green", "defender": "blue", "if": f"fight{number}_won"} for number in (2, 3)],
    ],
}


@pytest.fixture
def shown(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments):
        assert run(list(arguments)) == 0
        return capsys.readouterr().out

    return call


def flat(text):
    return " ".join(text.split())


@pytest.mark.parametrize("more", [(), ("--battles", "200")], ids=["exact", "simulated"])
def test_nothing_is_cut_at_80_columns(shown, tmp_path, more):
    from simulator.scenarios.files import toml_text

    (tmp_path / "plan.toml").write_text(toml_text(PLAN), encoding="utf-8")
    for command in ("odds", "rounds"):
        out = shown(command, "plan.toml", *more)
        assert "…" not in out
        assert max(map(len, out.splitlines())) <= 80


def test_the_answer_begins_with_a_sentence_and_says_why_fights_are_not_fought(shown):
    out = flat(shown("odds", "campaign-two-fronts"))
    assert out.startswith(
        "The side of north and south is the winner at the end in 87.36 %, blue in 12.64 %. "
        "North (10 regiments) attacks blue (12 regiments), then, if the first is not won, south (8 regiments) attacks "
        "blue."
    )
    assert "The second does not take place in 41.75 %: it is fought only if the first is not won" in out
    out = flat(shown("odds", "campaign-hold-against-two"))
    assert out.startswith("Blue reaches the goal in 7.20 %.")
    assert "The goal: blue_regiments_left >= 1" in out
    assert "Fight 2 is won without a fight by green in 41.75 %: blue has nobody to fight" in out
    assert "French (" in flat(shown("odds", "campaign-battle-then-siege"))
    assert "french begins a siege-campaign" in flat(shown("odds", "campaign-battle-then-siege"))
    assert "counter: red leaves out air (all)" in flat(shown("odds", "campaign-counter-attack"))


def test_the_sentence_of_many_fights():
    report = CampaignReport(load(PLAN), exact(PLAN))
    assert report.course().startswith(
        f"{LONG.capitalize()} (3 regiments) attacks blue (3 regiments), then green (2 regiments) attacks"
    )
    assert report.course().endswith("then blue attacks 2 regiments, and 2 more fights.")
    assert any("green declines it with less than 90.0 % to win it" in line for line in report.unfought())


def test_columns_that_were_asked_are_told():
    asked = load("campaign-two-fronts").replace("columns", ["first_rounds", "second_winner"])
    assert any(str(part).startswith("first_rounds: ") for part in campaign_parts(asked, exact(asked)))


@pytest.mark.parametrize("battles", [None, 400])
def test_the_picture_is_the_table(battles):
    name = "campaign-counter-attack"
    odds = exact(name) if battles is None else simulate(name, battles, seed=4)
    axes = odds.plot()
    widths = {
        (round(bar.get_y() + bar.get_height() / 2), to_hex(bar.get_facecolor()).upper()): bar.get_width()
        for bar in axes.patches
    }
    assert widths[0, COLOURS["attacker"]] == pytest.approx(odds.p("attack_won"))
    assert widths[1, COLOURS["defender"]] == pytest.approx(odds.p("counter_won"))
    assert widths[1, "#E8E8E8"] == pytest.approx(odds.p("counter_winner == 'none'"))
    below = axes.figure.axes[1]
    red = next(line for line in below.lines if line.get_label() == "red")
    assert to_hex(red.get_color()).upper() == COLOURS["attacker"]
    assert red.get_ydata()[[0, -1]].tolist() == pytest.approx([9, odds.mean("red_units_left")])
    assert axes.figure.get_suptitle().startswith("Red takes it in ")


def test_a_fight_between_enemies_is_theirs_in_the_picture():
    forces = {"red": {"regiments": 1}, "green": {"regiments": 3}, "blue": {"regiments": 3}}
    fights = [{"attacker": "green", "defender": "blue"}]
    campaign = {"game": "campaign", "of": "risk", "us": "red", "every": {"battle": "land"}}
    axes = exact(campaign | {"force": forces, "fight": fights}).plot()
    assert [to_hex(bar.get_facecolor()).upper() for bar in axes.patches] == [COLOURS["defender"]]
    assert axes.patches[0].get_width() == pytest.approx(1)


def test_pictures_of_columns_and_of_rounds(tmp_path):
    odds = exact("campaign-two-fronts")
    assert odds.plot(column="blue_units_left").get_xlabel() == "blue units left"
    rounds("campaign-two-fronts").plot(path=tmp_path / "fights.svg")
    assert (tmp_path / "fights.svg").stat().st_size > 5_000
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    assert odds.plot(ax=axes) is axes


def test_only_the_fights_followed_are_shown(shown):
    out = shown("rounds", "campaign-counter-attack", "--most", "1")
    assert "attack" in out
    assert "counter" not in out
    axes = rounds("campaign-counter-attack", most=1).plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["attack\nred v blue"]


def test_simulated_fights_one_after_the_other():
    """The last row is the answer of the same battles; the others are near the exact ones."""
    found, odds = rounds("campaign-two-fronts", battles=500, seed=7), simulate("campaign-two-fronts", 500, seed=7)
    last = found.rows()[-1]
    assert last["attacker"] == pytest.approx(odds.winner("attacker"))
    assert last["mean.south_units_left"] == pytest.approx(odds.mean("south_units_left"))
    for row, wanted in zip(found.rows(), rounds("campaign-two-fronts").rows(), strict=True):
        for column in ("over", "attacker", "defender", "nobody"):
            assert row[column] == pytest.approx(wanted[column], abs=0.1)
