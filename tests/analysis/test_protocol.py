"""Every class of answers keeps the protocol of simulator.analysis.result."""

import json
import re
from collections.abc import Mapping
from html import escape
from tempfile import mkdtemp

import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from simulator import (
    balance,
    best,
    by_round,
    compare,
    exact,
    load,
    luck,
    mix,
    need,
    plan,
    replay,
    rounds,
    sensitivity,
    simulate,
    survival,
    sweep,
    units,
    worth,
)
from simulator.analysis.result import Result
from simulator.analysis.studies.sobol import indices
from simulator.cli.output import json_text
from simulator.report.plots.pictures import PICTURES

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 5}, "defender": {"regiments": 3}}
UNKNOWN = LAND | {"defender": {"regiments": {"from": 2, "to": 3}}}
BESTS = LAND | {"policy": {"attacker": {"retreat": "best"}}}
BEASTS = {"game": "kings-and-things", "battle": "land"}
BEASTS |= {"attacker": {"creatures": ["4C", "3M", "2"]}, "defender": {"creatures": ["4", "3"]}}
ANSWERS = {
    "exact odds": lambda: exact(LAND),
    "simulated odds": lambda: simulate(LAND, 1000),
    "odds of a mixture": lambda: exact(UNKNOWN),
    "comparison": lambda: compare({"five": LAND, "unknown": UNKNOWN}),
    "best": lambda: best(BESTS),
    "need": lambda: need(LAND, "attacker.regiments", most=8),
    "worth": lambda: worth(LAND, {"win": 2, "attacker_regiments_lost": -1}, lose=[1]),
    "sweep of one field": lambda: sweep(LAND, {"attacker.regiments": range(0, 4)}),
    "sweep of two": lambda: sweep(LAND, {"attacker.regiments": [3, 4], "options.ties": ["defender", "both"]}),
    "kept sweep": lambda: sweep(LAND, {"attacker.regiments": [2, 3, 4]}, out=mkdtemp()),
    "sensitivity": lambda: sensitivity(LAND, battles=500),
    "indices": lambda: indices(LAND, {"attacker.regiments": [3, 4], "defender.regiments": [2, 3]}),
    "balance": lambda: balance(LAND, {"attacker.regiments": range(4, 7)}),
    "plan": lambda: plan("plan-three-borders"),
    "units": lambda: units([LAND, LAND]),
    "rounds": lambda: rounds(LAND),
    "by round": lambda: by_round("europa-vienna-1529"),
    "luck": lambda: luck([{"scenario": LAND, "winner": "defender"}]),
    "replay": lambda: replay(LAND, seed=3),
    "survival": lambda: survival(BEASTS),
    "mixture": lambda: mix(UNKNOWN),
}


@pytest.fixture(scope="module", params=ANSWERS, ids=str)
def answer(request):
    return ANSWERS[request.param]()


def test_rows_are_records_and_the_table_holds_them(answer):
    rows = answer.rows()
    assert rows
    assert all(isinstance(row, Mapping) and list(row) == list(rows[0]) for row in rows)
    assert isinstance(answer.table, pd.DataFrame)
    assert len(answer.table) == len(rows)
    names = [name for name in (answer.table.index.name, *answer.table.columns) if name]
    assert names == list(rows[0])


def test_how_and_repr_are_one_line(answer):
    assert answer.how()
    assert "\n" not in answer.how() + repr(answer)
    assert len(repr(answer)) < 500
    assert repr(answer).startswith(f"{type(answer).__name__}(" if type(answer).__name__ != "MixedOdds" else "Odds(")
    assert answer.how() in repr(answer)


def test_the_headline_is_a_sentence_and_stands_in_json(answer):
    text = str(answer.headline)
    if type(answer).__name__ in {"Comparison", "Best", "Need"}:
        pytest.skip("its sentence comes with its own defaults")
    assert re.fullmatch(r"[A-Z0-9].*\.", text)
    assert len(text.split()) >= 4
    told = answer.to_dict()["headline"]
    assert text in (told, told["text"] if isinstance(told, dict) else "")


def test_a_dictionary_goes_through_json(answer):
    assert json.loads(json_text(answer.to_dict()))
    assert "how" in answer.to_dict()


def test_a_notebook_shows_the_table(answer):
    html = answer._repr_html_()
    assert html.startswith('<div class="battle-odds">')
    assert html.count("<tr>") <= 22
    assert not re.search(r"https?:|<script|src=", html)
    if answer.headline:
        assert escape(str(answer.headline)) in html


def test_a_notebook_shows_names_as_text_and_the_ends_of_a_long_table():
    first = {"attacker": {"regiments": 5}, "defender": {"regiments": 3}}
    html = compare({"<b>five</b>": LAND, "again": LAND})._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;five" in html
    assert "10 more rows" in sweep(LAND, {"attacker.regiments": range(1, 31)})._repr_html_()
    assert "The attacker takes the territory" in exact(LAND | first)._repr_html_()
    exactly = sweep(LAND, {"attacker.regiments": [3, 4]})._repr_html_()
    assert ">value<" in exactly
    assert not re.search(">(low|refused|battles)<", exactly)
    shown = load(LAND)._repr_html_()
    assert "attacker.regiments" in shown
    assert "risk land" in shown


def test_a_picture_in_a_figure_of_its_own_or_on_given_axes(answer, tmp_path):
    own = answer.plot(path=tmp_path / "picture.svg")
    assert isinstance(own, Axes)
    assert (tmp_path / "picture.svg").stat().st_size > 1000
    figure = Figure()
    _, given = figure.subplots(1, 2)
    assert answer.plot(given) is given
    assert given.has_data()
    assert not figure.get_suptitle()


def test_every_class_of_answers_is_tried_and_has_a_picture():
    def below(kind):
        return {kind, *(one for sub in kind.__subclasses__() for one in below(sub))}

    named = {kind for kind in below(Result) if kind.__module__.startswith("simulator.") and kind is not Result}
    tried = {type(make()) for make in ANSWERS.values()}
    assert named == tried
    assert all(any(base.__name__ in PICTURES for base in kind.__mro__) for kind in named)
