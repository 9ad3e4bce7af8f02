"""The page that plans a turn, and the same question to the API: links, buttons, refusals, a real browser."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from simulator import plan
from simulator.scenarios.files import example, plan_names
from simulator.web.plans.arrows import arrows
from simulator.web.plans.request import address_of, start_of

SOON = 20_000
BORDERS = "/plan?of=risk&every.battle=land&place.north.regiments=9&target.ural.defender.regiments=4"


def page_of(site, address, status=200):
    found = site.get(address)
    assert found.status_code == status, found.text
    return found.text


def changed(site, button, value="1", address=BORDERS):
    """The address after a button, or a field that changes the form; without the card at its end."""
    found = site.get(f"{address}&{button}={value}")
    assert found.status_code == 303
    return found.headers["location"].partition("#")[0]


# --- links ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", plan_names())
def test_every_shipped_plan_has_a_page_with_its_plan(site, name):
    found = plan(name)
    text = page_of(site, address_of(example(name)))
    assert found.headline in text
    for row in found.rows():
        value = re.search(rf'<data value="([^"]+)" data-front="{row["target"]}">', text)
        assert (value is not None) == (row["attacked"] or row["hold"])
        assert value is None or float(value[1]) == pytest.approx(row["chance"], abs=1e-9)
    assert text.count('<line class="') == sum(len(places) for places in found.orders.values())
    assert f'property="og:description" content="{found.headline}"' in text


@pytest.mark.parametrize("name", plan_names())
def test_a_plan_and_its_api_answer_have_the_same_address(site, name):
    address = address_of(example(name))
    by_body = site.post("/api/v1/plan", content=json.dumps({"scenario": name})).json()
    by_query = site.get(f"/api/v1/plan?game=plan&{address.partition('?')[2]}").json()
    assert by_body == by_query
    assert by_body["url"].endswith(address)
    assert by_body["text"] == plan(name).headline
    assert by_body["worth"] == pytest.approx(plan(name).worth, abs=1e-9)
    assert [row["rank"] for row in by_body["alternatives"]] == list(range(2, 2 + len(by_body["alternatives"])))


def test_the_form_has_every_field_of_a_plan(site):
    """Keys without a field are carried along: the form sent as it stands is the same plan."""
    odd = {
        "game": "plan", "of": "axis-and-allies-1942", "every": {"battle": "land"},
        "weights": {"own_lost": -2.0}, "price": {"infantry": 2.0},
        "place": {"a": {"infantry": 3, "fighter": 1, "reach": ["x"], "reach_of": {"fighter": ["x", "y"]},
                        "stay": {"infantry": 1}}, "b": {"tank": 2, "reach": []}},
        "target": {"x": {"defender": {"infantry": 1}, "at_most": {"units": 3, "fighter": 1}, "min_odds": 0.3,
                         "counter": {"attacker": {"tank": 1}, "stay": {}}}, "y": {"defender": {}}},
    }  # fmt: skip
    text = page_of(site, address_of(odd))
    fields = re.findall(r'<input[^>]*? name="([^"]+)"[^>]*?value="([^"]*)"', text)
    boxes = re.findall(r'type="checkbox" name="([^"]+)" value="([^"]+)"( checked)?', text)
    off = {(name, value) for name, value, on in boxes if not on}
    chosen = re.findall(r'<select name="([^"]+)">.*?<option value="([^"]*)" selected', text, re.DOTALL)
    plain = [(name, value.replace("&#34;", '"')) for name, value in fields if not name.startswith(("with.", "q"))]
    pairs = [*(one for one in plain if one not in off), *chosen]
    found = site.get("/api/v1/plan", params=[("game", "plan"), *pairs]).json()
    expected = site.post("/api/v1/plan", content=json.dumps(odd)).json()
    assert "error" not in expected
    assert {**found, "url": ""} == {**expected, "url": ""}


def test_without_a_plan_there_is_one_to_begin_with(site):
    assert site.get("/plan").headers["location"].startswith("/plan?of=axis-and-allies-1942&")
    for of in ("risk", "price-of-power", "birthright", "kings-and-things", "europa", "skirmish"):
        to = site.get(f"/plan?of={of}").headers["location"]
        site.get(to)  # on an empty cache this request may end while kernels are compiled; they are kept
        assert page_of(site, to).count('class="card plan-card') >= 2


def test_the_first_plan_of_a_game_attacks():
    """Six interceptors against two ancients, which only defend, lose more than the border is worth."""
    start = start_of("eclipse-second-dawn")
    assert start["target"]["border"]["defender"] == {"interceptor": 2}
    assert plan(start).headline == "Attack border with 6 interceptors: worth 13.77; it falls in 99.47 %."
    only_defend = start | {"target": {"border": {"worth": 10, "defender": {"ancient": 2}}}}
    assert plan(only_defend).headline == "Leave border alone: worth 0.00."


def test_the_front_page_and_a_game_lead_to_it(site):
    assert '<a href="/plan">Plan a turn</a>' in page_of(site, "/")
    assert 'href="/plan?of=risk"' in page_of(site, "/risk/land?attacker.regiments=3&defender.regiments=2&v=1")


def test_a_pasted_plan_is_opened(site):
    text = 'game = "plan"\nof = "risk"\nevery.battle = "land"\nplace.a.regiments = 3\ntarget.b.defender.regiments = 1\n'
    found = site.post("/open", content=f"scenario={text}")
    assert found.headers["location"].startswith("/plan?of=risk&")
    assert "Attack b with 3 regiments" in page_of(site, found.headers["location"])


def test_a_link_is_shown_as_a_picture(site):
    found = site.get(BORDERS.replace("/plan?", "/plan/card.png?"))
    assert found.headers["content-type"] == "image/png"
    assert found.content.startswith(b"\x89PNG")


# --- the buttons of the form ----------------------------------------------------------------------------------------


def test_parts_are_added_and_dropped(site):
    for part in ("place", "target", "hold"):
        more = changed(site, "with.add", part)
        assert f"{part}.{part}" in more
        assert page_of(site, more)
        assert f"{part}.{part}" not in changed(site, "with.drop", f"{part}.{part}", more)


def test_a_new_name_is_used_everywhere(site):
    asked = f"{BORDERS}&place.north.reach=ural&target.siam.defender.regiments=1"
    query = parse_qs(urlsplit(changed(site, "with.name.target.ural", "West+Russia", asked)).query)
    assert query["place.north.reach"] == ["west_russia"]
    assert "target.west_russia.defender" in query
    assert changed(site, "with.name.target.ural", "Siam", asked).count("siam_2") == 2


def test_he_may_strike_back(site):
    more = changed(site, "with.counter.target.ural")
    assert "target.ural.counter.attacker" in more
    assert "taken" in page_of(site, more)
    assert "counter" not in changed(site, "with.drop", "target.ural.counter", more)


def test_reach_of_nothing_is_not_reach_of_all(site):
    assert "leave ural alone" in page_of(site, f"{BORDERS}&place.north.reach=[]").lower()
    assert "Attack ural" in page_of(site, f"{BORDERS}&place.north.reach=[]&place.north.reach=ural")


def test_chances_are_read_in_per_cent(site):
    for text in ("99", "99 %", "0.99"):
        assert "target.ural.min_odds=0.99" in changed(site, "target.ural.min_odds", f"{text}&with.clean=1")


# --- refusals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ("&place.north.tank=2", "place north tank: unknown field"),
        ("&place.north.reach=congo", "place north reach: no target &#39;congo&#39;; targets: ural"),
        ("&target.ural.min_odds=150", "target ural least chance: 1.5 is not allowed"),
        ("&place.north.regiments=many", "place north regiments: &#39;many&#39; is not allowed"),
        ("&objective=most", "objective: &#39;most&#39; is not allowed"),
    ],
)
def test_a_mistake_is_one_line_and_the_form_stays(site, more, line):
    text = page_of(site, BORDERS + more, 422)
    assert line in text
    assert 'name="target.ural.defender.regiments"' in text
    part = page_of(site, f"{BORDERS}{more}&with.part=1", 422)
    assert line in part
    assert "<form" not in part


def test_a_plan_that_is_too_large_is_refused_with_its_size(site):
    data = {"game": "plan", "of": "axis-and-allies-1942", "every": {"battle": "land"},
            "place": {"a": {"infantry": 40, "artillery": 40, "tank": 40, "fighter": 40}},
            "target": {"x": {"defender": {"infantry": 3}}}}  # fmt: skip
    text = page_of(site, address_of(data), 422)
    assert re.search(r"plan: [\d,]+ attacks to weigh; at most 250,000", text)


def test_an_unknown_game_is_refused(site):
    assert "of: " in page_of(site, "/plan?of=nowhere&place.a.tank=1", 422)
    assert site.get("/api/v1/plan?game=plan").json()["field"] == "of"


# --- the drawing ----------------------------------------------------------------------------------------------------


def test_texts_on_crossing_lines_do_not_cover_each_other():
    orders = {"x": {"a": {"tank": 2}, "b": {"tank": 1}}, "y": {"a": {"tank": 1}, "b": {"tank": 3}}}
    lines = arrows(["a", "b"], [("x", False), ("y", True)], orders)
    assert [(one["from"], one["to"], one["begin"], one["end"]) for one in lines] == [
        ("a", "x", 25.0, 25.0), ("b", "x", 75.0, 25.0), ("a", "y", 25.0, 75.0), ("b", "y", 75.0, 75.0),
    ]  # fmt: skip
    assert len({(one["x"], one["y"]) for one in lines}) == 4
    assert max(lines, key=lambda one: one["thick"])["words"] == "3 tanks"


@pytest.mark.parametrize("of", ["axis-and-allies-1940", "skirmish", "price-of-power"])
def test_a_game_without_a_plan_of_its_own_begins_with_an_attack(of):
    assert plan(start_of(of)).headline.startswith("Attack border with 6 ")


# --- a real browser -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tab(browser):
    context, faults = browser.new_context(has_touch=True), []
    found = context.new_page()
    found.set_default_timeout(SOON)
    found.on("pageerror", lambda error: faults.append(str(error)))
    found.on("console", lambda line: faults.append(line.text) if "Content Security" in line.text else None)
    yield found, faults
    context.close()


@pytest.fixture
def page(tab, server):
    found, faults = tab
    faults.clear()
    found.set_viewport_size({"width": 1366, "height": 900})
    found.goto(server + BORDERS)
    yield found
    assert not faults


def until_chance(page, regiments):
    expected = plan({
        "game": "plan", "of": "risk", "every": {"battle": "land"}, "place": {"north": {"regiments": regiments}},
        "target": {"ural": {"defender": {"regiments": 4}}},
    }).rows()[0]["chance"]  # fmt: skip
    for _ in range(200):
        if page.evaluate(f"Math.abs(document.querySelector('[data-front=ural]').value - {expected}) < 1e-9"):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"the chance of {regiments} regiments never came")


NORTH = "[name='place.north.regiments']"


def test_the_answer_follows_keys_and_the_address_keeps_it(page):
    page.click(NORTH)
    page.keyboard.type("5")
    until_chance(page, 5)
    assert "place.north.regiments=5" in page.url
    page.reload()
    assert page.input_value(NORTH) == "5"
    until_chance(page, 5)
    assert "Risk" in page.title()
    assert page.evaluate("getComputedStyle(document.querySelector('ol.next')).display") == "block"  # a plan a line


def test_a_tap_on_a_stepper_is_one_unit(page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.tap(f"#place-north .step:has({NORTH}) [data-by='1']")
    until_chance(page, 10)


def test_the_next_best_plans_stand_below_each_other(page):
    """The list is no row of buttons, such as the one that adds a wave to a counter-attack."""
    assert page.evaluate("getComputedStyle(document.querySelector('ol.next')).display") == "block"


def test_a_mistake_keeps_the_last_plan_in_sight(page):
    before = page.text_content("#hero .sentence")
    page.fill("[name='target.ural.min_odds']", "often")
    page.wait_for_selector("#complaint .complaint")
    assert "target ural least chance: 'often' is not allowed" in page.text_content("#complaint")
    assert page.get_attribute("[name='target.ural.min_odds']", "aria-invalid") == "true"
    assert page.text_content("#hero .sentence") == before
    page.fill("[name='target.ural.min_odds']", "")
    page.wait_for_selector("#complaint .complaint", state="detached")
    assert page.locator("[aria-invalid]").count() == 0


def test_the_card_that_is_added_has_the_focus(page):
    page.focus("button[name='with.add'][value='place']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#place-place:focus")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "with.name.place.place"


def test_losses_and_prices_have_fields(page):
    page.click("summary:has-text('what losses count')")
    page.fill("[name='weights.own_lost']", "-0.1")
    page.fill("[name='price.regiments']", "2")
    page.wait_for_selector("#hero[data-address*='own_lost'][data-address*='price']")
    asked = {"game": "plan", "of": "risk", "every": {"battle": "land"}, "place": {"north": {"regiments": 9}},
             "target": {"ural": {"defender": {"regiments": 4}}}, "weights": {"own_lost": -0.1},
             "price": {"regiments": 2}}  # fmt: skip
    said = page.text_content("#hero .sentence").replace("\N{NO-BREAK SPACE}", " ")
    assert said == plan(asked, 0).headline.replace("ural", "Ural").replace("north", "North")


def test_a_plan_whose_battles_are_being_compiled_is_asked_again(page):
    """The first answers are the server's refusal while it compiles, as on an empty cache."""
    waiting = '<p class="complaint">battle: its kernels are still being compiled here; try again in a minute</p>'
    left = [waiting]
    page.route("**/plan?*with.part=1*", lambda route: (
        route.fulfill(status=422, body=left.pop()) if left else route.continue_()
    ))  # fmt: skip
    page.fill(NORTH, "5")
    page.wait_for_selector("text=Compiling this game's battles, once; trying again.")
    until_chance(page, 5)
    page.wait_for_selector("#complaint .complaint", state="detached")
    page.unroute("**/plan?*with.part=1*")


def test_a_target_is_added_named_and_taken_back(page):
    page.click("text=+ target")
    page.wait_for_selector("#target-target")
    page.fill("#target-target .named", "Siam")
    page.keyboard.press("Tab")
    page.wait_for_selector("#target-siam")
    assert "Siam" in page.text_content("#hero .sentence")
    page.go_back()
    page.wait_for_selector("#target-target")


def test_share_copies_the_link(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#share-plan")
    page.wait_for_selector("text=Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert 'game = "plan"' in page.input_value("#copy-toml-file")


def test_it_answers_without_scripts(browser, server):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(SOON)
    page.goto(server + BORDERS)
    page.fill(NORTH, "5")
    page.click("text=Plan it")
    assert "with 5 regiments" in page.text_content("#hero .sentence")
    assert "place.north.regiments=5" in page.url
    context.close()
