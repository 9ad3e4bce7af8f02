"""The page by keys and touch: numbers, paste, wheel; the line of text; clearing; the strip of a phone; the search."""

import pytest

from simulator.scenarios import ScenarioError, find_battle
from simulator.web import catalogue, text_line
from tests.web.conftest import until

RISK = "/risk/land?attacker.regiments=20&defender.regiments=15&v=1"
FIRST = AXIS = "/axis-and-allies-1942/land?attacker.infantry=6&attacker.tank=3&defender.infantry=7&defender.tank=1&v=1"
INFANTRY = "#f-attacker\\.infantry"


# --- numbers --------------------------------------------------------------------------------------------------------


def test_a_digit_takes_the_place_of_the_number(page):
    page.click(INFANTRY)
    page.keyboard.type("8")
    assert page.input_value(INFANTRY) == "8"
    page.keyboard.type("1")
    assert page.input_value(INFANTRY) == "81"
    page.click("#f-attacker\\.artillery")
    page.keyboard.type("2")
    assert page.input_value("#f-attacker\\.artillery") == "2"
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("3")
    assert page.input_value("#f-attacker\\.artillery") == "3"


def test_a_second_click_places_the_cursor(page):
    page.click(INFANTRY)
    page.click(INFANTRY)
    page.keyboard.press("End")
    page.keyboard.type("0")
    assert page.input_value(INFANTRY) == "60"


def test_leading_zeros_go_arrows_count_and_the_wheel_does_nothing(page):
    page.click(INFANTRY)
    page.keyboard.type("02")
    assert page.input_value(INFANTRY) == "2"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    assert page.input_value(INFANTRY) == "3"
    page.hover(INFANTRY)
    page.mouse.wheel(0, 100)
    page.mouse.wheel(0, -300)
    assert page.input_value(INFANTRY) == "3"
    until(page, "location.search.includes('attacker.infantry=3')")


def paste(page, selector, text):
    page.evaluate(f"navigator.clipboard.writeText({text!r})")
    page.click(selector)
    page.keyboard.press("Control+V")


def test_numbers_and_whole_lines_are_pasted(page, server):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server)
    paste(page, INFANTRY, " 5 infantry")
    assert page.input_value(INFANTRY) == "5"
    until(page, "location.search.includes('attacker.infantry=5')")
    paste(page, INFANTRY, "4 inf 1 bomber v 2 tank")
    until(page, "location.search.includes('attacker.infantry=4&attacker.bomber=1&defender.tank=2')")


def test_the_tab_key_leads_on_after_the_name_of_another_unit(page, server):
    """The form is made again with a place for one more; the field that was entered meanwhile keeps the focus."""
    page.goto(f"{server}/kings-and-things/land")
    last = page.locator("[name^='attacker.creatures'][type=text]").last
    name = last.get_attribute("name")
    last.click()
    page.keyboard.type("Mammoth")
    page.keyboard.press("Tab")
    following = name.replace(".4.", ".5.")
    page.wait_for_selector(f"[name='{following}']")
    assert page.evaluate("document.activeElement.name") == name.replace("name", "count")
    page.keyboard.type("2")
    until(page, "location.search.includes('2+x+Mammoth')")


def test_the_focus_stays_on_a_line_that_is_taken(page, server):
    page.goto(f"{server}{RISK}&with.tab=more")
    page.wait_for_selector("#panel[aria-busy=false] .whatif a")
    page.focus(".whatif a[data-set='attacker.regiments=21']")
    page.keyboard.press("Enter")
    page.wait_for_selector(".whatif a[data-set='attacker.regiments=22']:focus")


def test_sharing_without_the_leave_to_copy_keeps_the_focus(page):
    """Pages that may not write to the clipboard copy what is selected in a box of their own."""
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error('no')))")
    page.focus("#to-share")
    page.keyboard.press("Enter")
    page.wait_for_selector("#shared >> text=The link is copied")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "as-picture"


def test_the_escape_key_closes_a_menu(page, server):
    page.goto(f"{server}/europa/land")
    page.focus(".menu summary")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    page.wait_for_selector(".menu:not([open]) > summary:focus")


# --- the hint what to keep ------------------------------------------------------------------------------------------

HINTED = "/axis-and-allies-1942/land?attacker.infantry=3&attacker.fighter=2&defender.infantry=4"
KEEP = "keep one land unit to the last"


def test_a_reply_to_a_key_leaves_the_hint_to_a_pause(site):
    path = HINTED.replace("?", "/answer?")
    assert KEEP in site.get(HINTED + "&v=1").text
    assert KEEP in site.get("/embed" + HINTED).text
    assert KEEP in site.get(path).text
    live = site.get(path + "&with.live=1").text
    assert KEEP not in live
    assert '<p class="note" id="hint" data-later hidden></p>' in live
    hint = site.get(path + "&with.part=hint&with.live=1")
    assert KEEP in hint.text
    assert hint.text in site.get(path + "&with.live=1&with.open=hint").text
    assert site.get(hint.url, headers={"If-None-Match": hint.headers["etag"]}).status_code == 304


def test_where_no_unit_need_be_kept_no_hint_is_asked_for(site):
    live = "/axis-and-allies-1942/land/answer?attacker.infantry=3&defender.infantry=2&with.live=1"
    assert 'id="hint"' not in site.get(live).text


def test_the_hint_comes_once_nobody_types(page, server):
    page.goto(server + HINTED + "&v=1")
    assert KEEP in page.text_content("#hint")
    asked = []
    page.on("request", lambda one: asked.append(one.url) if "with.part=hint" in one.url else None)
    before = page.locator("#hint").bounding_box()["height"]
    page.click(INFANTRY)
    for number in "456":
        page.keyboard.press("Control+A")
        page.keyboard.type(number)
        until(page, f"location.search.includes('attacker.infantry={number}')")
    page.wait_for_selector("#hint[data-later]")
    assert page.locator("#hint").bounding_box()["height"] == before
    assert page.text_content("#hint") == ""
    page.wait_for_selector("#answer[aria-busy=false] #hint:not([data-later])")
    assert KEEP in page.text_content("#hint")
    assert "attacker.infantry=6" in page.get_attribute("#hint a", "href")
    assert len(asked) == 1
    assert page.evaluate("document.activeElement.id") == "f-attacker.infantry"


# --- a line of text -------------------------------------------------------------------------------------------------


def test_a_line_fills_the_armies_and_follows_them(page):
    assert page.input_value("#line") == "6 inf 3 tank v 7 inf 1 tank"
    page.click("#line")
    page.keyboard.press("Control+A")
    page.keyboard.type("4 infantry, 2 ftr v 3 inf 1 aa gun")
    page.keyboard.press("Enter")
    until(page, "document.getElementById('f-defender.aa_gun').value === '1'")
    assert page.input_value("#f-attacker\\.fighter") == "2"
    assert page.input_value("#f-attacker\\.tank") == "0"
    page.click(INFANTRY)
    page.keyboard.type("9")
    until(page, "document.querySelector('#line').value === '9 inf 2 fig v 3 inf 1 aa_gun'")
    page.click("#line")
    page.keyboard.press("Control+A")
    page.keyboard.type("4 elephants v 3 inf")
    page.keyboard.press("Enter")
    page.wait_for_selector("#complaint >> text=must be one of infantry, artillery")


@pytest.mark.parametrize(
    ("kind", "text", "attacker", "defender"),
    [
        ("land", "6 inf 3 tank v 7 inf 1 tank", {"infantry": 6, "tank": 3}, {"infantry": 7, "tank": 1}),
        ("land", "6inf, 2 ftrs and 1 tank VS. 1 AA gun", {"infantry": 6, "fighter": 2, "tank": 1}, {"aa_gun": 1}),
        ("land", "2 x tank + 1 tank against 3 Infantry", {"tank": 3}, {"infantry": 3}),
        ("risk", "20 v 15", {"regiments": 20}, {"regiments": 15}),
        ("risk", "20 regiments 1 commander v 15", {"regiments": 20, "commanders": 1}, {"regiments": 15}),
        ("space", "2 fighter_2 1 dread v 3 cruisers", {"fighter_2": 2, "dreadnought": 1}, {"cruiser": 3}),
    ],
)  # fmt: skip
def test_lines_that_are_understood(kind, text, attacker, defender):
    games = {"land": "axis-and-allies-1942/land", "risk": "risk/land", "space": "twilight-imperium-4/space"}
    before = {"attacker": {"bomber": 9}} if kind == "land" else {}
    found = text_line.applied(before, find_battle(*games[kind].split("/")), text)
    assert (found["attacker"], found["defender"]) == (attacker, defender)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("6 inf", "text: '6 inf' is not allowed; write two armies with a v between them"),
        ("6 inf v tank", "text: 'tank' is no army; write numbers and units"),
        ("6 v 7", "text: the attacker's units need names"),
        ("6 f v 7 elephant", "text: 'elephant' is not allowed; must be one of infantry"),
        ("6 inf v 7 inf v 8 inf", "text: '6 inf v 7 inf v 8 inf' is not allowed"),
    ],
)
def test_lines_that_are_refused(text, line):
    with pytest.raises(ScenarioError) as caught:
        text_line.applied({}, find_battle("axis-and-allies-1942", "land"), text)
    assert str(caught.value).startswith(line)


def test_every_line_that_is_shown_is_read_back(site):
    for one in catalogue.games():
        battle = find_battle(one["game"], one["battle"])
        data = catalogue.start_of(battle)
        if line := text_line.written(data, battle):
            found = text_line.applied(data, battle, line)
            for side in ("attacker", "defender"):
                given, back = data[side], found[side]
                assert {key: n for key, n in given.items() if n} == {key: n for key, n in back.items() if n}, line


# --- nothing yet ----------------------------------------------------------------------------------------------------


def test_clearing_leaves_an_empty_form_and_an_invitation(page, server):
    page.goto(f"{server}{AXIS}&policy.attacker.retreat=units-at-most&policy.attacker.units_at_most=2")
    page.click("#clear")
    page.wait_for_selector("#complaint >> text=Enter your units, or try")
    assert page.url == f"{server}/axis-and-allies-1942/land?v=2"
    assert page.input_value(INFANTRY) == "0"
    assert page.input_value("[name='policy.attacker.retreat']") != "units-at-most"
    assert page.locator("#complaint [role=alert], .bad").count() == 0
    assert page.locator("#complaint a").count() == 3
    page.click(INFANTRY)
    page.keyboard.type("2")
    page.click("#f-defender\\.infantry")
    page.keyboard.type("1")
    page.wait_for_selector("#answer .sentence")
    assert not page.is_visible("#complaint p")


def test_units_that_are_taken_away_invite_too_and_a_mistake_is_red(page):
    for name in ("infantry", "tank"):
        page.click(f"#f-attacker\\.{name}")
        page.keyboard.type("0")
    page.wait_for_selector("#complaint .invited")
    assert page.get_attribute("#answer", "aria-busy") == "false"
    page.click(INFANTRY)
    page.keyboard.type("-3")
    page.wait_for_selector("#complaint [role=alert]")


# --- the strip of a phone -------------------------------------------------------------------------------------------


def test_the_strip_is_dimmed_with_the_answer_and_leads_to_it(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server + AXIS)
    opacity = "getComputedStyle(document.querySelector('.strip > *')).opacity"
    assert page.evaluate(opacity) == "1"
    page.click("#f-attacker\\.tank")
    page.keyboard.type("-3")
    until(page, f"Number({opacity}) < 1")
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    until(page, f"{opacity} === '1'")
    page.evaluate("scrollTo(0, 0)")
    page.click(".strip")
    until(page, "Math.abs(document.querySelector('#hero').getBoundingClientRect().top) < 40")


def test_the_strip_covers_what_lies_under_it_while_it_is_dimmed_and_leads_to_a_mistake(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server + AXIS)
    page.click("#f-attacker\\.tank")
    page.keyboard.type("-3")
    page.wait_for_selector("#complaint [role=alert]")
    until(page, "Number(getComputedStyle(document.querySelector('.strip > *')).opacity) < 1")
    assert page.evaluate("getComputedStyle(document.querySelector('.strip')).opacity") == "1"
    page.evaluate("scrollTo(0, 0)")
    page.click(".strip")
    until(page, "Math.abs(document.querySelector('#complaint').getBoundingClientRect().top) < 40")


def test_the_words_of_the_strip_are_whole(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server + AXIS)
    cut = "[...document.querySelectorAll('.strip small')].filter((one) => one.scrollWidth > one.clientWidth).length"
    assert page.evaluate(cut) == 0
    assert page.evaluate("document.querySelector('.strip').scrollHeight") <= 60


# --- what a phone shows first ---------------------------------------------------------------------------------------


def test_the_head_of_a_phone_takes_two_lines_and_all_of_it_can_be_tapped(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server + AXIS)
    assert page.evaluate("document.querySelector('.top').offsetHeight") <= 112
    for selector in (".brand", "#line", ".top nav a:nth-child(2)"):
        assert page.locator(selector).bounding_box()["height"] >= 44, selector
    assert page.get_by_role("link", name="battle-odds", exact=True).count() == 1


def test_no_mark_stands_behind_the_last_example(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server + AXIS)
    assert page.inner_text(".examples").strip()[-1] != "·"
    page.goto(f"{server}/plan")
    assert page.inner_text(".examples").strip()[-1] != "·"


def test_the_defender_stands_at_the_right_where_three_chances_take_two_lines(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server}/axis-and-allies-1942/land?attacker.infantry=6&attacker.fighter=1&defender.infantry=6&v=1")
    other, card = page.locator("#hero dl .s-defender").bounding_box(), page.locator("#hero dl.chances").bounding_box()
    assert page.locator("#hero .chances > div").count() == 3
    assert other["x"] + other["width"] == pytest.approx(card["x"] + card["width"], abs=2)


def test_a_number_and_its_per_cent_sign_stay_in_one_line(site):
    html = site.get(AXIS).text
    assert "per cent" not in html
    sentence = html.partition('class="sentence">')[2].partition("<")[0]
    assert "\xa0%" in sentence
    assert " %" not in sentence


# --- the search -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("a&a 1942", "Axis & Allies 1942: land"),
        ("aa1942", "Axis & Allies 1942: land"),
        ("eu8 siege", "Europa Universalis 8: siege"),
        ("ti4", "Twilight Imperium 4: space"),
        ("inf a&a", "Axis & Allies Global 1940: land"),
        ("Condé", "Europa Universalis 8: land"),
        ("zolkiewski", "Europa Universalis 8: land"),
        ("Żółkiewski", "Europa Universalis 8: land"),
        ("turkey", "Europa Universalis 8: siege campaign"),
        ("mammoth", "Kings & Things: land"),
        ("lutzen", "Lützen, 1632: Gustavus Adolphus has won; does he live? (his Fire and Shock are 6)"),
    ],
)
def test_short_names_units_and_names_without_accents_are_found(typed, title):
    assert title in [row["title"] for row in catalogue.found(typed)]


@pytest.mark.parametrize("typed", ["conde", "Condé"])
def test_a_list_offers_names_with_their_accents_however_they_are_typed(typed):
    assert [row["name"] for row in catalogue.names("europa", "leaders", typed)] == ["Condé", "Grand Condé"]


def test_searching_by_keys(page, server):
    page.keyboard.press("/")
    page.keyboard.type("ti4")
    page.wait_for_selector("#found a")
    assert page.locator("#found .of").all_text_contents() == ["Twilight Imperium 4"]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/twilight-imperium-4/space?*")
    page.keyboard.press("/")
    page.keyboard.type("xyzzy")
    page.wait_for_selector("#found >> text=Nothing has the words “xyzzy”")
    assert page.get_attribute("#found a", "href") == "/"
