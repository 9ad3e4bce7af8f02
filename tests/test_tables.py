"""Tables that fit any width, and the rules documents as they are printed."""

import io

import pytest
from rich.console import Console

from simulator import load
from simulator.cli import run
from simulator.report.answer_words import ending
from simulator.report.tables.odds import by_side
from simulator.report.tables.plain import plain_table, table_of

NAMES = ["stop-when-outnumbered", "minor-germany", "never"]


def printed(table, width):
    out = io.StringIO()
    Console(file=out, width=width, markup=False, highlight=False, color_system=None).print(table)
    return out.getvalue()


def wide_table():
    table = plain_table("policy", "meaning", right=["chance of the attacker", "chance of the defender", "cost"])
    for place, name in enumerate(NAMES):
        table.add_row(name, "a text of some words that may be broken", f"{place}1.25 %", f"{place}2.50 %", f"{place}7")
    return table


@pytest.mark.parametrize("width", [120, 80, 60, 40])
def test_no_name_and_no_number_is_cut(width):
    text = printed(wide_table(), width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for whole in (*NAMES, "01.25 %", "22.50 %", "17"):
        assert whole in text


def test_a_table_in_parts_begins_each_with_its_first_column():
    text = printed(wide_table(), 40)
    assert text.count("stop-when-outnumbered") > 1


def test_a_constant_column_is_said_once_above_the_table():
    rows = [{"n": n, "winner": "attacker", "p": n / 10} for n in range(5)]
    text = printed(table_of(rows, {"n": "{:d}", "winner": "{}", "p": "{:.1f}"}), 80)
    assert text.count("attacker") == 1
    assert "In every row: winner attacker" in text
    few = printed(table_of(rows[:3], {"n": "{:d}", "winner": "{}", "p": "{:.1f}"}), 80)
    assert few.count("attacker") == 3


def test_fields_of_a_side_share_a_line():
    lines = ["attacker.infantry = 6", "attacker.tank = 2", "options.ties = 'both'", "losses: cheapest"]
    assert by_side(lines) == ["attacker: infantry 6, tank 2", "options.ties = 'both'", "losses: cheapest"]


def test_the_end_of_a_replay_in_words():
    outcome = {"winner": "attacker", "taken": True, "attacker_tank_left": 2, "defender_tank_left": 0, "rounds": 3}
    assert [*ending(load("axis-land-artillery").battle, outcome)] == [
        "The attacker wins (taken, rounds 3).",
        "attacker: tank left 2",
    ]


def test_likely_outcomes_show_what_is_left_by_unit(capsys):
    assert run(["odds", "axis-land-artillery"]) == 0
    assert "4 artillery, 2 tanks" in capsys.readouterr().out


def test_rounds_take_one_line_each(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["rounds", "risk-20v15"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    rows = [line for line in lines if line and line[0].isdigit() and line[1] != "more"]
    assert [int(row[0]) for row in rows] == [*range(len(rows))]
    assert float(rows[8][1]) == pytest.approx(99.71)
    assert not any("nobody" in line for line in lines)


def test_the_explained_section_is_printed(capsys):
    cited = next(line for line in load("europa-breitenfeld-1631").built.explain() if "section 3.2" in line)
    assert "docs/rules/europa_land_siege.md section 3.2" in cited
    assert run(["rules", "europa", "3.2"]) == 0
    out = capsys.readouterr().out
    assert "3.2 Parameters fixed before the first roll" in out
    assert "3.3 Reading the combat table" not in out
    assert run(["rules", "europa_land_siege", "3"]) == 0
    assert "3.3 Reading the combat table" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["rules", "chess"], "rules: 'chess' is not allowed; must be one of risk, "),
        (["rules", "risk", "99"], "rules: no section '99' in risk; sections: 1, 2, 3"),
    ],
)
def test_unknown_rules_are_refused(capsys, arguments, line):
    assert run(arguments) == 2
    assert capsys.readouterr().err.startswith(line)


def test_every_game_has_rules(capsys):
    for game in ("risk", "europa", "kings-and-things", "price-of-power", "birthright", "skirmish", "knt"):
        assert run(["rules", game]) == 0
        assert "docs/rules/" in capsys.readouterr().out


def test_the_help_alone(capsys):
    assert run([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split()[:1] == ["odds"] for line in lines)
