"""Every route of the page and of the API, what they refuse, and what they never do."""

import json
import re
import tomllib
from ast import literal_eval
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

from simulator import campaign, exact, load, odds
from simulator.analysis.odds.headline import headline_of
from simulator.scenarios import example_names, example_text
from simulator.web import catalogue, links

RISK = "attacker.regiments=20&defender.regiments=15"
# Small enough to be solved as plain Python, without kernels.
SMALL = "attacker.regiments=4&defender.regiments=3"
FRAME = {"game": "risk", "battle": "land"}
SCENARIO = FRAME | {"attacker": {"regiments": 20}, "defender": {"regiments": 15}}
KINDS = [(one["game"], one["battle"]) for one in catalogue.games()]


def chance(text, name):
    """The machine-readable chance of a name in a page."""
    return float(re.search(rf'<data value="([^"]+)" data-chance="{name}">', text)[1])


# --- addresses ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", example_names())
def test_an_address_is_the_scenario(name):
    scenario = load(name)
    link = links.address_of(scenario.data, scenario.battle)
    pairs, _, version = links.split(parse_qsl(urlsplit(link).query, keep_blank_values=True))
    frame = {key: scenario.data[key] for key in ("game", "battle") if key in scenario.data}
    assert load(frame | links.read(pairs, scenario.battle)) == scenario
    assert version == str(scenario.battle.version)
    assert load(tomllib.loads(links.document(scenario.data))) == scenario


def test_defaults_are_left_out_of_an_address():
    battle = load("risk-20v15").battle
    data = SCENARIO | {"options": {"ties": "defender", "attack_dice": 2}}
    assert links.address_of(data, battle) == f"/risk/land?{RISK}&options.attack_dice=2&v=1"


# --- the form -------------------------------------------------------------------------------------------------------


def form_pairs(page):
    """The request of a browser without scripts when the form of a page is submitted."""
    form = page[page.index('<form id="scenario"') :]
    form = form[: form.index("</form>")]
    found = []
    for tag in re.finditer(
        r"<(input|select|textarea)\b([^>]*)>(.*?)(?=<(?:input|select|textarea|fieldset|div)\b|$)", form, re.S
    ):
        kind, attributes, inside = tag.groups()
        name = re.search(r'name="([^"]*)"', attributes)
        if not name or name[1].startswith("with."):
            continue
        if kind == "select":
            options = re.findall(r'<option value="([^"]*)"( selected)?', inside)
            value = next((one for one, chosen in options if chosen), options[0][0])
        elif kind == "textarea":
            value = inside.partition("</textarea>")[0]
        else:
            value = re.search(r'value="([^"]*)"', attributes)[1]
        found.append((unescape(name[1]), unescape(value)))
    return found


@pytest.mark.parametrize(("game", "kind"), KINDS)
def test_the_form_of_every_battle_kind_spells_its_first_example(game, kind):
    """One generator for all: what the form of an example sends back is that example."""
    from simulator.scenarios import find_battle

    battle = find_battle(game, kind)
    data = catalogue.start_of(battle)
    page, pairs = form_sent_back(battle, data)
    again = {"game": game, "battle": kind} | links.read(pairs, battle)
    assert load(again) == load(json.loads(json.dumps(data).replace('"1 x ', '"')))
    controls = re.findall(r"<(?:input|select|textarea)\b[^>]*>", page)
    assert all("aria-label=" in one or 'type="hidden"' in one for one in controls)


def form_sent_back(battle, data):
    """The form of a scenario, and the pairs that it sends."""
    from simulator.web.forms.campaign import form_of
    from simulator.web.views.render import render

    page = render("form.html", form=form_of(battle, data)).decode()
    return page, form_pairs(f'<form id="scenario">{page}</form>')


CAMPAIGNS = [name for name in example_names() if name.startswith("campaign-")]


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_the_form_of_every_campaign_spells_its_example(name):
    scenario = load(name)
    page, pairs = form_sent_back(scenario.battle, scenario.data)
    frame = {key: scenario.data[key] for key in ("game", "of")}
    assert load(frame | links.read(pairs, scenario.battle)) == scenario
    assert page.count('<li class="fight"') == len(scenario.data["fight"])
    controls = re.findall(r"<(?:input|select|textarea)\b[^>]*>", page)
    assert all("aria-label=" in one or 'type="hidden"' in one for one in controls)


def test_a_campaign_has_a_column_a_force_and_readable_fields():
    scenario = load("campaign-counter-attack")
    link = links.address_of(scenario.data, scenario.battle)
    assert "force.red.tank=2&" in link
    assert "fight.1.attacker.join.infantry=2" in link
    page, _ = form_sent_back(scenario.battle, scenario.data)
    assert page.index('name="force.red.tank"') < page.index('name="force.blue.tank"') < page.index("More of the forces")
    assert page.index("More of the forces") < page.index('name="fight.0.attacker.force"')


FIGHTS = [("force.a.regiments", "9"), ("force.b.regiments", "8"), ("every.battle", "land")]
FIGHTS += [("fight.0.attacker.force", "a"), ("fight.0.defender.force", "b")]
FIGHTS += [("fight.1.attacker.force", "b"), ("fight.1.defender.force", "a"), ("with.clean", "1")]


def changed_campaign(site, *pairs):
    """The scenario that a button of the campaign form leads to without scripts."""
    reply = site.get(f"/campaign/risk?{links.query([*FIGHTS, *pairs])}")
    page = reply.text
    if reply.status_code == 303:
        page = site.get(reply.headers["location"]).text
    battle = load("campaign-two-fronts").battle
    return links.read(form_pairs(page), battle)


def test_fights_and_forces_are_moved_added_and_removed_without_scripts(site):
    assert changed_campaign(site)["fight"][0] == {"attacker": "a", "defender": "b"}
    moved = changed_campaign(site, ("with.move", "fight.1=0"))["fight"]
    assert moved == [{"attacker": "b", "defender": "a"}, {"attacker": "a", "defender": "b"}]
    named = changed_campaign(site, ("goal", "fight2_won"), ("with.move", "fight.0=1"))["fight"]
    assert [(one["name"], one["attacker"]) for one in named] == [("fight2", "b"), ("fight1", "a")]
    assert len(changed_campaign(site, ("with.move", "fight.1=7"))["fight"]) == 2
    assert len(changed_campaign(site, ("with.add", "fight.2"))["fight"]) == 3
    assert len(changed_campaign(site, ("with.drop", "fight.1"))["fight"]) == 1
    assert list(changed_campaign(site, ("with.add", "force.force3"))["force"]) == ["a", "b", "force3"]
    assert list(changed_campaign(site, ("with.named", "Our ally"), ("with.add", "force.x"))["force"])[2] == "our_ally"
    assert list(changed_campaign(site, ("with.drop", "force.b"))["force"]) == ["a"]


def test_values_of_a_field_of_any_type_keep_their_type():
    battle = load("campaign-two-fronts").battle
    side = {"text": "4", "word": "npr", "flag": True, "list": ["3", "2R"], "table": {"fire": 3}}
    data = {"force": {"a": {"regiments": 1}}, "fight": [{"attacker": "a", "defender": side}]}
    assert links.read(links.written(data, battle), battle) == data


@pytest.mark.parametrize(
    ("name", "first", "hidden"),
    [
        ("power-novgorod", ["kind", "infantry", "cavalry", "artillery"], "main_defender"),
        ("europa-blenheim-1704", ["country", "leader", "technology", "army_plus"], "artillery_value"),
        ("axis-land-flak", ["infantry", "artillery", "tank", "fighter"], "modifier"),
    ],
)
def test_a_form_begins_with_what_its_game_puts_first(name, first, hidden):
    from simulator.web.forms.battle import form_of

    scenario = load(name)
    form = form_of(scenario.battle, scenario.data)
    names = [row.key.partition(".")[2] for row in form.armies]
    assert names[: len(first)] == first
    assert any(row.key.endswith(f".{hidden}") for row in form.more)
    assert not any(row.key.endswith(f".{hidden}") for row in form.armies)


def test_an_entry_of_a_list_of_units_is_a_name_and_a_count():
    battle = load("birthright-border-clash").battle
    pairs = [("attacker.units.0.unit", "knights"), ("attacker.units.0.count", "3"), ("attacker.units.1.count", "1")]
    assert links.read(pairs, battle) == {"attacker": {"units": ["3 x knights"]}}


def test_the_whole_force_and_the_clear_form(site):
    address = "/axis-and-allies-1942/land?attacker.infantry=3&attacker.tank=2&defender.infantry=4&v=2"
    page = site.get(address).text
    assert "<b>5 units</b><span>cost 21 · 1.5 hits</span>" in page
    changed = {"clear": "/axis-and-allies-1942/land?v=2"}
    changed["swap"] = "/axis-and-allies-1942/land?attacker.infantry=4&defender.infantry=3&defender.tank=2&v=2"
    for change, to in changed.items():
        link = f"{address}&with.change={change}"
        assert f'id="{change}" href="{link.replace("&", "&amp;")}"' in page
        assert site.get(link, follow_redirects=False).headers["location"] == to


@pytest.mark.parametrize(
    "kind",
    ["europa/native-chain", "europa/expedition", "birthright/siege", "birthright/movement", "axis-and-allies-1940/sea"],
)
def test_a_cleared_form_invites_and_names_no_mistake(site, kind):
    start = site.get(f"/{kind}", follow_redirects=False).headers["location"]
    page = site.get(f"{start}&with.change=clear", follow_redirects=True).text
    assert "Enter your units, or try" in page
    assert 'class="complaint" role="alert"' not in page


def test_texts_that_stay_folded_are_left_out_while_a_player_types(site):
    address = "/risk/land/answer?attacker.regiments=9&defender.regiments=7&with.live=1"
    folded, shown = site.get(address).text, site.get(f"{address}&with.open=copy&with.open=rests").text
    for text in ('id="copy-toml-file"', "ties: defender"):
        assert text in shown
        assert text not in folded
    counts = [re.findall(r"rests on \d+ assumptions", text) for text in (folded, shown)]
    assert counts[0] == counts[1] != []


@pytest.mark.parametrize("given", ["npr", [{}, {"size": "large"}]])
def test_a_list_of_tables_may_have_a_name_instead(given):
    from simulator.scenarios import find_battle

    battle, frame = find_battle("price-of-power", "campaign"), {"game": "price-of-power", "battle": "campaign"}
    defender = {"npr": {"provinces": [{}]}, "provinces": given}
    data = frame | {"attacker": {"army": {"infantry": 3}}, "defender": defender}
    page, pairs = form_sent_back(battle, data)
    assert load(frame | links.read(pairs, battle)) == load(data)
    assert ('value="defender.provinces=?"' in page) == (given != "npr")


# Their first examples are large: without kernels that are ready, they take all the seconds that an answer may.
HEAVY = {
    "price-of-power/land",
    "price-of-power/campaign",
    "europa/land",
    "europa/naval",
    "europa/siege-campaign",
    "europa/expedition",
    "europa/native-chain",
    "kings-and-things/land",
    "kings-and-things/exploration",
    "birthright/tactical",
    "axis-and-allies-1942/land",
    "axis-and-allies-1942/sea",
    "axis-and-allies-revised/land",
}


@pytest.mark.parametrize(("game", "kind"), KINDS)
def test_the_page_of_every_battle_kind_answers_its_first_example(site, game, kind):
    moved = site.get(f"/{game}/{kind}")
    assert moved.status_code == 303
    if f"{game}/{kind}" not in HEAVY:
        page = site.get(moved.headers["location"])
        assert page.status_code == 200
        assert '<form id="scenario"' in page.text
        assert 'class="answer"' in page.text


@pytest.fixture(scope="module")
def hasty():
    """Workers with a quarter of a second for an answer."""
    from starlette.testclient import TestClient

    from simulator.web.messages import Limits
    from simulator.web.server.app import create_app
    from simulator.web.server.pool import WorkerPool

    pool = WorkerPool(1, 8, Limits(seconds=0.25, wait=300.0, queue=300.0, reply=300.0))
    pool.start(kernels=False)
    yield TestClient(create_app(pool), follow_redirects=False)
    pool.close()


@pytest.mark.parametrize("place", sorted(HEAVY))
def test_what_takes_too_long_is_answered_with_dice_or_honestly_refused(hasty, place):
    page = hasty.get(hasty.get(f"/{place}").headers["location"])
    assert '<form id="scenario"' in page.text
    if page.status_code == 200:
        assert re.search(r"exact \([\d,]+ states|simulated: [\d,]+ battles, seed 0, 95 % intervals", page.text)
    else:
        assert page.status_code == 422
        assert re.search(
            "too large for this page, which computes for at most 0.25 s|are still being compiled here", page.text
        )
        less = re.search(r'<a href="([^"]*)">Half as many', page.text)
        assert not less or '<form id="scenario"' in hasty.get(unescape(less[1])).text


# --- answers --------------------------------------------------------------------------------------------------------


def test_a_page_shows_the_answer_to_people_and_machines(site):
    page = site.get(f"/risk/land?{RISK}").text
    assert chance(page, "attacker") == pytest.approx(0.8603989124, abs=1e-10)
    sentence = "The attacker takes the territory in 86.0 % and loses 12.27 of 20 regiments on average; "
    for shown in ("86.0 %", "exact (201 states)", "attacker regiments lost", sentence, "ties: defender"):
        assert shown in page
    assert 'data-mean="attacker_regiments_lost">12.270' in page


def test_while_one_types_the_tables_that_are_folded_are_left_out(site):
    asked = "/risk/land/answer?attacker.regiments=20&defender.regiments=15"
    whole, typed = site.get(asked).text, site.get(f"{asked}&with.live=1").text
    opened = site.get(f"{asked}&with.live=1&with.open=distribution").text
    assert [text.count("<table") for text in (whole, opened, typed)] == [2, 1, 0]
    assert [text.count("data-later") for text in (whole, opened, typed)] == [0, 3, 4]
    chances = [re.findall(r'<data value="[^"]*" data-chance="[^"]*">', text) for text in (whole, opened, typed)]
    assert chances[0]
    assert chances[0] == chances[1] == chances[2]


@pytest.mark.parametrize("name", ["TOML file", "Python", "command line", "link"])
def test_what_is_copied_is_the_same_battle(site, name):
    page = site.get(f"/risk/land?{RISK}&policy.attacker.retreat=stop-when-outnumbered").text
    text = unescape(re.search(rf">{name}</label>.*?<textarea[^>]*>(.*?)</textarea>", page, re.S)[1])
    expected = SCENARIO | {"policy": {"attacker": {"retreat": "stop-when-outnumbered"}}}
    if name == "TOML file":
        assert load(tomllib.loads(text)) == load(expected)
    elif name == "Python":
        assert load(literal_eval(re.search(r"load\((.*?)\)\n", text, re.S)[1])) == load(expected)
    elif name == "command line":
        assert load(json.loads(re.search(r"echo '(.*)' \| battle-odds odds -", text)[1])) == load(expected)
    else:
        assert text == f"http://testserver/risk/land?{RISK}&policy.attacker.retreat=stop-when-outnumbered&v=1"


def test_an_old_link_says_that_the_rules_have_changed(site):
    assert "rules have changed since" in site.get(f"/risk/land?{RISK}&v=0").text
    assert "rules have changed since" not in site.get(f"/risk/land?{RISK}&v=1").text


def test_a_plain_form_goes_on_to_the_clean_address(site):
    sent = f"{RISK}&options.ties=defender&attacker.dice=&with.clean=1"
    assert site.get(f"/risk/land?{sent}").headers["location"] == f"/risk/land?{RISK}&v=1"


def test_sides_are_swapped_as_far_as_the_rules_let_them():
    battle = load("risk-20v15").battle
    data = SCENARIO | {"policy": {"attacker": {"retreat": "stop-below", "stop_below": 5}}}
    found = links.swapped(data, battle)
    assert (found["attacker"], found["defender"]) == ({"regiments": 15}, {"regiments": 20})
    assert load(found).fields.policy.attacker.retreat == "to-the-end"  # the defender of Risk never retreats


def test_a_scenario_is_opened_by_its_text(site):
    text = example_text("risk-20v15")
    assert site.post("/open", content=f"scenario={text}").headers["location"] == f"/risk/land?{RISK}&v=1"


OWN = """format = 1
name = "My game"
unit.pikes = { cost = 2, combat = 2 }
battle.field = {}
[[step]]
name = "melee"
"""


def test_a_game_file_of_ones_own_is_played(site):
    moved = site.post("/own", content=f"game={OWN}")
    assert moved.status_code == 303
    assert moved.headers["location"].startswith("/custom/field?")
    page = site.get(moved.headers["location"]).text
    exact = load({"game": "custom", "battle": "field", "rules": tomllib.loads(OWN), "attacker": {"pikes": 3},
                  "defender": {"pikes": 3}})  # fmt: skip
    assert chance(page, "attacker") == pytest.approx(odds(exact).winner("attacker"), abs=1e-9)
    assert site.get(moved.headers["location"] + "&attacker.pikes=x").status_code == 422


TOOLS = {
    "more": ("", "+1 regiment<"),
    "need": ("&with.path1=attacker.regiments", "19 regiments are enough: "),
    "sweep": ("&with.path1=attacker.regiments&with.range1=18:20", "3 cells, all exact"),
    "rounds": ("", "exact (201 states, round by round)"),
    "best": ("&objective.attacker.win=1&with.decide=policy.attacker.retreat", "best of all strategies"),
    "counter": ("&with.join.regiments=5", "and still holds it after the counter-attack in 63.3\N{NO-BREAK SPACE}%"),
    "replay": ("&with.seed=7", "Defender: regiments lost"),
    "luck": ("&with.battles=defender%0Adefender", "0 won"),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_answers_without_scripts(site, tool):
    fields, shown = TOOLS[tool]
    fields = (SMALL if tool == "best" else RISK) + fields
    page = site.get(f"/risk/land/{tool}?{fields}")
    assert page.status_code == 200
    assert shown in page.text
    assert "<html" in page.text
    assert "<html" not in site.get(f"/risk/land/{tool}?{fields}&with.part=1").text


@pytest.mark.parametrize("name", ["risk-landing", "risk-invasion", "risk-path", "power-three-realms"])
def test_no_counter_attack_is_offered_that_could_only_refuse(site, name):
    scenario = load(name)
    address = links.address_of(scenario.data, scenario.battle)
    assert "/counter?" not in site.get(address).text
    assert "/counter?" in site.get(f"/risk/land?{RISK}").text


@pytest.mark.parametrize("name", ["knt-raid", "birthright-quick-battle", "europa-mohacs-1526", "risk-blockade-run"])
def test_as_many_strike_back_as_there_were_unless_other_numbers_are_given(site, name):
    scenario = load(name)
    address = links.address_of(scenario.data, scenario.battle).replace("?", "/counter?")
    pieces = {"creatures", "units", "army_plus", "army_minus", "land_detachments", "fleets"}
    same = {f"attacker.{piece}": n for piece, n in scenario.data["defender"].items() if piece in pieces}
    odds = exact(campaign(scenario, counter_attack=True, join=same))
    page = site.get(address)
    assert page.status_code == 200
    assert headline_of(odds, decimals=1).text in unescape(page.text).replace("\N{NO-BREAK SPACE}", " ")


def test_best_play_shows_the_objective_and_winning_counts_unless_it_is_set(site):
    weight = "attacker_regiments_lost%3D-0.1"
    page = site.get(f"/risk/land/best?{SMALL}&objective.attacker={weight}&with.decide=policy.attacker.retreat").text
    assert "attacker wants: winning 1, attacker_regiments_lost -0.1 each; defender wants the opposite" in page
    armies = {"attacker": {"creatures": ["2C", "4M", "2R"]}, "defender": {"creatures": ["3", "3R", "4M", "4"]}}
    scenario = load({"game": "kings-and-things", "battle": "land"} | armies)
    address = links.address_of(scenario.data, scenario.battle).replace("/land?", "/land/best?")
    paths = [f"&with.decide=policy.{side}.losses" for side in ("attacker", "defender")]
    named = site.get(address + "".join(f"{path}%3Dnamed" for path in paths)).text
    assert "attacker draws with chance 0.6376: losses = weakest-first" in named
    chosen = site.get(address + "".join(paths)).text
    assert "policy.defender.losses" in chosen
    assert "lose 2R" in chosen


def test_a_log_with_a_missing_cell_is_refused_by_line(site):
    log = "winner, rounds\n\ndefender, 3\nattacker"
    page = site.get(f"/risk/land/luck?{SMALL}", params={"with.battles": log, "with.part": "1"})
    assert page.status_code == 422
    assert "line 4 has 1 cell; the heading has 2" in page.text


def test_set_ups_are_compared(site):
    links = [f"/risk/land?attacker.regiments={n}&defender.regiments=15" for n in (20, 25)]
    page = site.get("/compare", params=[("with.s", one) for one in links]).text
    assert "10.17 points more" in page
    assert site.get("/compare", params=[("with.s", links[0])] * 7).status_code == 422
    assert site.get("/compare", params=[("with.s", "nonsense"), ("with.s", links[0])]).status_code == 422


def test_a_simulation_is_streamed(site):
    with site.stream("GET", f"/risk/land/stream?{RISK}") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        events = [json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: ")]
    battles = [one["battles"] for one in events]
    assert battles == sorted(set(battles))
    assert events[-1]["ended"]
    assert not any(one["ended"] for one in events[:-1])
    assert chance(events[-1]["html"], "attacker") == pytest.approx(0.8604, abs=0.002)
    assert site.get("/risk/land/stream?attacker.regiments=0").status_code == 422


# --- the API --------------------------------------------------------------------------------------------------------


def test_odds_in_the_shape_of_the_command_line(site):
    asked = f"/api/odds?game=risk&battle=land&{RISK}"
    found, expected = site.get(asked).json(), json.loads(json.dumps(odds(SCENARIO).to_dict()))
    assert found.pop("explanation")
    assert found.pop("text") == expected["headline"]["text"]
    assert found.pop("url").endswith(f"/risk/land?{RISK}&v=1")
    assert found == expected
    assert site.post("/api/odds", json=SCENARIO).json()["table"] == expected["table"]
    simulated = site.get(f"{asked}&with.battles=1000&with.seed=7&with.table=0").json()
    assert (simulated["method"], simulated["battles"], simulated["seed"]) == ("simulated", 1000, 7)
    assert "table" not in simulated


def test_sweep_schema_games_and_names(site):
    cells = site.get(f"/api/sweep?game=risk&battle=land&{RISK}&with.vary=attacker.regiments%3D19:21").json()["cells"]
    assert [row["attacker.regiments"] for row in cells] == [19, 20, 21]
    assert cells[1]["value"] == pytest.approx(0.8603989124, abs=1e-10)
    assert site.get("/api/schema/risk/land").json()["properties"]
    games = site.get("/api/games").json()
    assert {(one["game"], one["battle"]) for one in games} == set(KINDS)
    assert all(one["examples"] for one in games)
    names = site.get("/api/names/europa/leaders?q=gustav").json()
    assert names
    assert all("gustav" in str(row).lower() for row in names)


@pytest.mark.parametrize(
    ("asked", "status", "field"),
    [
        ({"json": SCENARIO | {"attacker": {"regiments": -3}}}, 422, "attacker.regiments"),
        ({"json": SCENARIO | {"attacker": {"regimnts": 3}}}, 422, "attacker.regimnts"),
        ({"json": SCENARIO | {"game": "rsk"}}, 422, "game"),
        ({"json": SCENARIO | {"battle": "sea"}}, 422, "battle"),
        ({"json": {}}, 422, "scenario"),
        ({"content": "{"}, 400, "scenario"),
        ({"content": b"\xff\xfe\x00"}, 400, "scenario"),
        ({"content": "[1, 2]"}, 400, "scenario"),
        ({"content": "x" * 70_000}, 413, "scenario"),
        ({"content": '{"a":' * 5000}, 400, "scenario"),
        ({"content": "a = " + "[" * 50_000}, 400, "scenario"),
        ({"content": "a = " + "{a=" * 15_000}, 400, "scenario"),
        ({"content": '{"attacker": ' + "9" * 60_000 + "}"}, 400, "scenario"),
        ({"json": FRAME | {"attacker": {"regiments": {"mix": {"1": 1e308, "2": 1e308}}}}}, 422, "attacker.regiments"),
        ({"json": FRAME | {"attacker": {"regiments": {"from": 0, "to": 10**12}}}}, 422, "attacker.regiments"),
        ({"content": '{"game": "\\ud800", "battle": "land"}'}, 422, "game"),
    ],
)
def test_what_is_refused_names_its_field(site, asked, status, field):
    reply = site.post("/api/odds", **asked)
    assert reply.status_code == status
    shown = reply.json()
    assert shown["field"] == field
    assert shown["error"].startswith(f"{field}: ")
    assert "\n" not in shown["error"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nowhere", 404),
        ("/risk/sea", 404),
        ("/chess/land", 404),
        ("/risk/land/sell?" + RISK, 404),
        ("/..%2Frisk/land", 404),
        ("/%2e%2e%2Frisk/land?" + RISK, 404),
        ("/..%252Frisk/land", 404),
        ("/..%5Crisk/land", 404),
        ("/embed/..%2Frisk/land", 404),
        ("/campaign/..%2Frisk", 404),
        ("/api/sell", 404),
        (f"/risk/land/sweep?{RISK}&with.vary=attacker.regiments%3D1:9999", 422),
        (f"/risk/land/need?{RISK}&with.path1=attacker.regiments&with.target=200", 422),
        (f"/risk/land/sweep?{RISK}&with.vary=attacker.regiments%3D1:{'9' * 5000}", 422),
        (f"/risk/land/sweep?{RISK}&with.vary=attacker.regiments%3D0:1:1e-999999", 422),
        (f"/risk/land/replay?{RISK}&with.seed=x", 422),
        (f"/risk/land/replay?{RISK}&with.seed=²", 422),
        (f"/api/odds?game=risk&battle=land&{RISK}&with.battles=²", 422),
        (f"/risk/land/luck?{RISK}&with.battles=mars", 422),
        (f"/risk/land/luck?{RISK}&with.battles=scenario,winner%0A/etc/passwd,attacker", 422),
        ("/risk/land?..=1", 422),
        ("/static/../app.py", 404),
        ("/api/names/risk/leaders", 404),
        ("/api/schema/risk/nothing", 404),
    ],
)
def test_what_does_not_exist_is_refused(site, path, status):
    assert site.get(path).status_code == status


@pytest.mark.parametrize("path", ["/nope/land", "/..%2Frisk/land", f"/risk/land/sell?{RISK}"])
def test_an_address_without_a_page_is_said_to_have_none(site, path):
    page = site.get(path).text
    assert "<h1>No such page</h1>" in page
    assert '<form id="scenario"' not in page


@pytest.mark.parametrize("place", ["RISK/land", "risk/LAND", "risk/land%20", "Risk/Land/counter"])
def test_an_address_in_capitals_is_the_page_of_that_battle(site, place):
    """The counter-attack, and with it the whole page, ended its worker with a KeyError."""
    written = place.lower().removesuffix("%20")
    first, second = (site.get(f"/{one}?{SMALL}&with.join.regiments=5") for one in (place, written))
    assert (first.status_code, first.text) == (200, second.text)


def test_an_address_has_an_end(app):
    from starlette.testclient import TestClient

    from simulator.web.server.app import Guard

    async def long(scope, receive, send):
        await app(scope | {"query_string": b"a" * 70_000}, receive, send)

    assert isinstance(app, Guard)
    assert TestClient(long).get("/risk/land").status_code == 414


def test_only_what_a_route_is_for(site):
    assert site.post("/risk/land").status_code == 405
    assert site.delete("/api/odds").status_code == 405
    assert site.get("/open").status_code in {404, 405}


# --- the command ----------------------------------------------------------------------------------------------------


def test_without_the_extra_the_command_says_what_to_install(monkeypatch, capsys):
    from simulator import cli
    from simulator.cli import machine

    monkeypatch.setattr(machine, "find_spec", lambda name: None)
    assert cli.run(["web"]) == 2
    assert capsys.readouterr().err == (
        "web: needs starlette, uvicorn, jinja2, orjson; install it with: python -m pip install 'battle-odds[web]'\n"
    )


def test_a_port_in_use_is_refused(capsys):
    import socket

    from simulator import cli

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert cli.run(["web", "--port", str(port)]) == 2
    assert f"port: cannot listen at 127.0.0.1:{port}" in capsys.readouterr().err
