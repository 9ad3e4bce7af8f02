"""Questions about outcomes: what they may say, what they come to, and how they are refused."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import exact
from simulator.rules.toolkit.query import QueryError, ask

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 4}, "defender": {"regiments": 3}}
COLUMNS = {
    "winner": np.array(["attacker", "defender", "nobody"]),
    "losses": np.array([1, 2, 3]),
    "taken": np.array([True, False, True]),
}
KNOWN = {"winner": ("attacker", "defender", "nobody")}


def answer(query):
    return ask(query, COLUMNS, 3, KNOWN).astype(int).tolist()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("winner == 'attacker'", [1, 0, 0]),
        ("'attacker' == winner", [1, 0, 0]),
        ('winner == "attacker"', [1, 0, 0]),
        ("winner==attacker", [1, 0, 0]),
        ("winner != nobody", [1, 1, 0]),
        ("winner in ['attacker', 'nobody']", [1, 0, 1]),
        ("winner not in (attacker)", [0, 1, 1]),
        ("losses >= 2", [0, 1, 1]),
        ("losses>=2&winner!='nobody'", [0, 1, 0]),
        ("(losses > 1) | (winner == 'attacker')", [1, 1, 1]),
        ("losses == 1 or losses == 2 and taken", [1, 0, 0]),
        ("not taken", [0, 1, 0]),
        ("~taken or not (losses < 3)", [0, 1, 1]),
        ("taken", [1, 0, 1]),
        ("taken == no", [0, 1, 0]),
        ("taken == True", [1, 0, 1]),
        ("1 < losses <= 3", [0, 1, 1]),
        ("2 * losses - 1 == 3", [0, 1, 0]),
        ("losses - -1 >= 3.5e0", [0, 0, 1]),
        ("losses + taken == 2", [1, 1, 0]),
        ("-losses > -2", [1, 0, 0]),
    ],
)
def test_questions(query, expected):
    assert answer(query) == expected


@pytest.mark.parametrize(
    ("query", "place", "text"),
    [
        ("winner == 'Attacker'", 11, "winner is never that; did you mean 'attacker'?"),
        ("winner = 'attacker'", 8, "write == to compare"),
        ("winner == 3", 11, "winner is text"),
        ("winner > 'attacker'", 8, "winner is text"),
        ("loses >= 1", 1, "no such column; did you mean losses?; columns: winner, losses, taken"),
        ("losses", 1, 'is no yes/no question; write one like "losses >= 5"'),
        ("5", 1, "is no yes/no question"),
        ("losses >", 9, "something is missing"),
        ("", 1, "something is missing"),
        ("(losses > 1", 12, "a ) is missing"),
        ("losses > 1)", 11, "not allowed here"),
        ("9**9**9**9 > 1", 2, "only +, - and * are known"),
        ("losses / 2 > 1", 8, "only +, - and * are known"),
        ("winner == 'attacker", 11, "a text that does not end"),
        ("losses > 'two'", 10, "a text is compared with a text column only"),
        ("@self.table.to_csv('stolen.csv')", 1, "not allowed here"),
        ("__import__('os').system('true')", 17, "not allowed here"),
        ("losses.__class__", 7, "not allowed here"),
        ("(" * 60 + "taken" + ")" * 60, 51, "nested more than 50 deep"),
        ("not " * 60 + "taken", 197, "nested more than 50 deep"),
    ],
)
def test_complaints_point_at_the_place(query, place, text):
    with pytest.raises(QueryError) as refusal:
        answer(query)
    assert f"at place {place}," in str(refusal.value)
    assert text in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_long_questions_are_refused_at_once():
    for query in ("taken or " * 1000, "a" * 5000, "1+" * 900):
        with pytest.raises(QueryError, match="query"):
            answer(query)


@settings(max_examples=300, deadline=1000)
@given(st.text(alphabet="losewinrtak_ ()=<>!&|~+-*'\"[],.0159@and not or in", max_size=60))
def test_any_text_is_answered_or_refused_in_one_line(query):
    with contextlib.suppress(QueryError):
        answer(query)
        return
    with pytest.raises(QueryError) as refusal:
        answer(query)
    message = str(refusal.value)
    assert "\n" not in message
    assert len(message) < 700


def test_no_text_reaches_the_disk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="query"):
        exact(LAND).p("@self.table.to_csv('stolen.csv')")
    assert list(tmp_path.iterdir()) == []


def test_hints_name_the_columns_that_this_game_has():
    with pytest.raises(ValueError, match="did you mean attacker_regiments_lost") as refusal:
        exact(LAND).p("attacker_regiment_lost >= 5")
    assert "attacker_losses" not in str(refusal.value)
