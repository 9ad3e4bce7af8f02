"""The answer of every battle kind: what is asked, in its own words, its bar, its units, what it costs."""

import re
from html import unescape

import pytest

from simulator import load, odds
from simulator.analysis.odds.headline import chances_in, headline_of
from simulator.scenarios import find_battle
from simulator.scenarios.schema import schema_of
from simulator.web import catalogue
from simulator.web.views.answers import bar_of, blocks_of
from simulator.web.views.charts import costs

KINDS = [(one["game"], one["battle"]) for one in catalogue.games()]
# The kinds in which nobody wins a battle, by the endings that they name.
PROCEDURES = [kind for kind in KINDS if find_battle(*kind).question.endings]
EXAMPLES = [name for kind in PROCEDURES for name in catalogue.names_of_examples(*kind)]


def answered(site, kind):
    """The answer of the first example of a kind, as HTML."""
    address = site.get("/" + "/".join(kind)).headers["location"]
    reply = site.get(address.replace("?", "/answer?"))
    assert reply.status_code == 200, reply.text
    return reply.text


def words_of(html):
    return unescape(re.sub(r"<[^>]*>", " ", html))


@pytest.mark.parametrize("kind", KINDS, ids="/".join)
def test_every_answer_is_in_the_words_of_its_question(site, kind):
    html = answered(site, kind)
    hero = html.partition('<div class="trust">')[0]
    battle = find_battle(*kind)
    if battle.question.endings:
        assert not re.search(r"(attacker|defender|nobody) wins", words_of(hero))
        assert "<dt>attacker</dt>" not in hero
    shown = re.search(r'data-part="strip".*', html, re.DOTALL)[0]
    assert words_of(shown).strip()


@pytest.mark.parametrize("kind", KINDS, ids="/".join)
def test_no_answer_shows_thirds_or_half_points(site, kind):
    html = answered(site, kind)
    text = words_of(html.partition('<div class="trust">')[0] + html.partition('data-part="outcome"')[2])
    assert not re.search(r"thirds?\b|half[ _]points|\b[12]/3\b", text.replace("third attacker", ""))


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_procedure_ends_in_one_of_its_ways(name):
    answer = odds(load(name))
    known = set(answer.names)
    given = [
        one for one in answer.question.endings if set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", one.question)) <= known
    ]
    assert sum(answer.p(one.question) for one in given) == pytest.approx(1, abs=1e-9)
    for one in given:
        assert {one.side} <= {"attacker", "defender", "nobody", "second_attacker", "third_attacker"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_bar_of_a_procedure_has_its_ways_in_words(name):
    answer = odds(load(name))
    pieces = [one for one in bar_of(answer) if one["p"] > 0]
    blocks = blocks_of(answer, bar_of(answer))
    if len(pieces) > 1 and not any(one["better"] for one in blocks):
        assert [one["words"] for one in blocks] == [one["name"] for one in pieces]
        assert sum(one["width"] for one in blocks) == pytest.approx(100)


def test_the_fortress_falls_or_holds(site):
    html = answered(site, ("europa", "siege-campaign"))
    named = re.findall(r'data-chance="([^"]*)"', html)
    assert named == ["fortress falls", "holds"]
    assert "besieger withdraws" in html
    assert "besieger destroyed" in html
    answer = odds(load("europa-vienna-1529"))
    chances = {one.words: one.p for one in chances_in(answer)}
    assert chances["The fortress falls"] == pytest.approx(answer.p("fallen"))
    assert chances["holds"] == pytest.approx(1 - answer.p("fallen"))


def test_the_chances_are_those_of_the_sentence():
    answer = odds(load("axis-land-flak"))
    said = [f"{100 * one.p:.2f} %" for one in chances_in(answer)]
    assert re.findall(r"[\d.]+ %", headline_of(answer).text) == said
    first = chances_in(odds("europa-armada-return-1588"))[0]  # "Nothing is lost in 0 %"
    assert (first.words, first.p) == ("Nothing is lost", 0)


@pytest.mark.parametrize(
    "kind",
    [
        ("europa", "naval"),
        ("europa", "siege"),
        ("kings-and-things", "land"),
        ("birthright", "tactical"),
        ("risk", "land"),
    ],
    ids="/".join,
)
def test_what_it_costs_is_a_picture_for_both_sides(site, kind):
    html = answered(site, kind)
    assert len(re.findall('<svg class="columns"', html)) == 2


def test_the_columns_of_costs_are_the_chances():
    answer = odds(load("risk-20v15"))
    attacker, defender = costs(answer)
    assert attacker["mean"] == pytest.approx(answer.mean("attacker_regiments_lost"))
    for one in (attacker, defender):
        assert sum(column["p"] for column in one["columns"]) == pytest.approx(1)
        assert len(one["columns"]) <= 10
    # Two numbers share a column, so that 16 have no more than ten: the last is of 14 and 15 lost.
    assert defender["columns"][-1]["p"] == pytest.approx(answer.p("defender_regiments_lost >= 14"))


def test_the_course_of_a_siege_grows_from_below(site):
    address = site.get("/europa/siege-campaign").headers["location"].replace("?", "/rounds?")
    html = site.get(f"{address}&with.part=1").text
    titles = re.findall(r"<title>round (\d+), ([^:]*): ([^<]*)</title>", html)
    assert ("1", "assault", "10.3 %") in titles
    assert [words for number, words, _ in titles if number == "4"][-1] == "besieger destroyed"
    assert "attacker wins" not in words_of(html)
    assert "nobody" not in words_of(html)


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("/axis-and-allies-1942/land", "the attacker takes the land"),
        ("/skirmish/field", "the attacker takes the field"),
        ("/twilight-imperium-4/ground", "the attacker takes the planet"),
        ("/europa/siege", "the fortress falls"),
        ("/europa/revolt", "the revolt is over"),
        ("/risk/land", ""),
    ],
)
def test_a_map_asks_the_question_of_its_kind(site, address, asked):
    html = site.get(site.get(address).headers["location"].replace("?", "/sweep?") + "&with.part=1").text
    clause = f"that {asked}" if asked else "of the attacker to win"
    assert f'<option value="">the chance {clause}</option>' in html
    assert f"<strong>The chance {clause} runs from " in html
    assert f'<p class="method">chance {clause}: ' in html
    # A battle between two sides is in their colours, whatever its question: almost certain is red.
    assert re.search('fill="#c[23]', html) or not asked.startswith("the attacker")


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("/risk/land", "the chance of the attacker to win"),
        ("/europa/siege", "the chance that the fortress falls"),
        ("/birthright/tactical", "the chance of the attacker to win"),
        ("/axis-and-allies-1942/land", "the chance that the attacker takes the land"),
    ],
)
def test_what_if_names_the_value_that_it_asks_by_default(site, address, asked):
    html = site.get(site.get(address).headers["location"].replace("?", "/more?") + "&with.part=1").text
    assert f'<option value="">{asked}</option>' in html
    assert f'<p class="note">{asked.removeprefix("the ")}: ' in html


def test_rounds_have_a_line_for_what_each_side_has_left(site):
    address = "/risk/land/rounds?attacker.regiments=4&defender.regiments=3&with.part=1"
    titles = re.findall(r"<title>after round (\d+), (\w+) regiments left: ([^<]*)</title>", site.get(address).text)
    # Three dice against two: of the two that fall the attacker loses (2611 + 2 * 2275) / 7776 = 0.92.
    assert {("0", "attacker", "4.00"), ("0", "defender", "3.00")} <= set(titles)
    assert {("1", "attacker", "3.08"), ("1", "defender", "1.92")} <= set(titles)
    siege = site.get("/europa/siege-campaign").headers["location"].replace("?", "/rounds?") + "&with.part=1"
    assert "after round 1, garrison left: " in site.get(siege).text


def test_the_schemas_of_all_kinds_are_kept():
    """A worker asks for all of them when it starts; more than it kept were made anew at each round through them."""
    models = [find_battle(*kind).model for kind in KINDS]
    first = [schema_of(model) for model in models]
    assert all(schema_of(model) is kept for model, kept in zip(models, first, strict=True))


def tool(site, kind, name):
    """A tab of the first example of a kind, as HTML."""
    address = site.get("/" + "/".join(kind)).headers["location"].replace("?", f"/{name}?")
    reply = site.get(f"{address}&with.part=1")
    assert reply.status_code == 200, reply.text
    return unescape(reply.text)


def test_what_if_begins_with_units_and_names_each_of_them_once(site):
    html = tool(site, ("price-of-power", "land"), "more")
    groups = [re.findall(r"<a [^>]*><span>([^<]*)</span>", part) for part in html.split("<h3>")[1:]]
    assert all(len(labels) == len(set(labels)) for labels in groups)
    labels = [one for group in groups for one in group]
    assert "+1 infantry" in labels
    assert "+1 automatic hit" in labels
    assert "manpower tokens of province 1 of Novgorod: 1\xa0→\xa02" in labels
    assert labels.index("infantry of the extra dice of Muscovy: 0\xa0→\xa01") > labels.index("+1 infantry")
    assert not [one for one in labels if "limit of rounds" in one]  # there is none: 1 is not one more
    assert "+1 regiment<" in tool(site, ("risk", "land"), "more")


def test_what_if_tries_no_number_that_stands_for_none(site):
    assert not re.search(r"-1\s→", tool(site, ("europa", "siege-campaign"), "more"))


def test_what_best_play_decides_can_be_chosen(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server + "/birthright/tactical")
    page.click("#t-best")
    page.wait_for_selector("#panel[aria-busy=false] [type=checkbox]")
    assert page.locator("#panel [type=checkbox]").first.bounding_box()["width"] >= 13
    page.click("#panel label.beside >> nth=0")
    assert page.locator("#panel [type=checkbox]").first.is_checked()


def test_best_play_has_no_paths(site):
    html = tool(site, ("axis-and-allies-1942", "land"), "best")
    text = words_of(html)
    assert "attacker: loss order" in text
    assert not re.search(r"policy\.|loss_order|\d\.\d{5}", text)


def test_a_battle_that_nobody_wins_has_no_bar_and_its_title_no_name_of_a_column(site):
    html = answered(site, ("axis-and-allies-1942", "raid"))
    assert 'class="blocks"' not in html
    page = site.get(site.get("/axis-and-allies-1942/raid").headers["location"]).text
    assert "the damage is the attacker&#39;s points" in page
    assert "default the kind" not in page


def test_facts_are_not_said_twice_and_what_is_certain_has_no_decimals(site):
    land = re.findall(r"<div><dt>([^<]*)</dt><dd><b>([^<]*)</b>", answered(site, ("axis-and-allies-1942", "land")))
    assert [label for label, _ in land] == ["units you lose", "units they lose", "rounds"]
    siege = dict(re.findall(r"<div><dt>([^<]*)</dt><dd><b>([^<]*)</b>", answered(site, ("price-of-power", "siege"))))
    assert siege["value taken"] == "4"


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        (("axis-and-allies-1942", "raid"), "<dt>attacker points on average</dt><dd>6.9</dd>"),
        (("price-of-power", "siege"), "<dt>provinces taken</dt><dd>3</dd>"),
    ],
)
def test_an_answer_that_is_a_number_has_it_in_large(site, kind, number):
    html = answered(site, kind)
    assert number in html
    assert html.count(number[: number.index("</dt>")].removesuffix(" on average")) == 1  # and not among the facts
    assert ('id="roll"' in html) == (kind[1] == "raid")  # the other has no dice that could be simulated


def test_whoever_wins_is_named(site):
    named = re.findall(r"<dt>([^<]*)</dt>", answered(site, ("europa", "native-chain")))
    assert "natives win" in named
    assert "win" not in named
    assert "some resist" in re.findall(r"<dt>([^<]*)</dt>", answered(site, ("europa", "conquistador")))


def test_words_in_a_block_stand_in_few_lines(site):
    html = answered(site, ("europa", "siege-campaign"))
    assert re.search(r">the siege</text><text [^>]*>goes on</text>", html)
