"""Every link is an answer: its title, picture and tab with all inputs; sharing, embedding, reading it offline."""

import re
from html import unescape

import pytest

from tests.web.conftest import RISK, until

AXIS = "/axis-and-allies-1942/land?attacker.infantry=6&attacker.tank=3&defender.infantry=7&defender.tank=1&v=1"


def meta(text, name):
    return unescape(re.search(rf'<meta property="og:{name}" content="([^"]*)"', text)[1])


# --- what a link shows ----------------------------------------------------------------------------------------------


def test_a_link_has_the_answer_as_its_title_and_description(site):
    text = site.get(RISK).text
    assert meta(text, "title") == "Risk: 20 v 15, attacker takes the territory 86 %"
    assert unescape(re.search("<title>(.*?)</title>", text)[1]) == meta(text, "title")
    assert meta(text, "description").startswith("The attacker takes the territory in 86.0 %")
    assert meta(text, "url").endswith(RISK)
    assert meta(site.get(AXIS).text, "title").startswith("A&A 1942: 9 v 8, attacker takes the land ")


def test_a_kind_in_which_nobody_fights_has_its_own_words(site):
    text = site.get(site.get("/europa/exploration").headers["location"]).text
    assert meta(text, "title") == "Europa Universalis 8: A discovery is made 80 %"


def test_the_picture_of_a_link_is_a_png_that_is_sent_once(site):
    address = meta(site.get(RISK).text, "image")
    reply = site.get(address)
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "image/png"
    assert reply.content[:8] == b"\x89PNG\r\n\x1a\n"
    assert [int.from_bytes(reply.content[at : at + 4]) for at in (16, 20)] == [1200, 630]
    assert site.get(address, headers={"If-None-Match": reply.headers["etag"]}).status_code == 304
    other = site.get(address.replace("=20", "=21"))
    assert other.headers["etag"] != reply.headers["etag"]
    query = RISK.partition("?")[2].replace("&v=1", "")
    assert site.get(f"/api/v1/card.png?game=risk&battle=land&{query}").content == reply.content
    assert site.get("/risk/land/card.png?attacker.regiments=-3&defender.regiments=3").status_code == 422


@pytest.mark.parametrize("kind", ["europa/siege-campaign", "birthright/visibility", "kings-and-things/exploration"])
def test_every_question_has_a_picture(site, kind):
    address = site.get(f"/{kind}").headers["location"].replace("?", "/card.png?")
    assert site.get(address).content[:4] == b"\x89PNG"


def test_an_embedded_refusal_is_a_page_too(site):
    reply = site.get("/embed/risk/land?attacker.regiments=-3&defender.regiments=2")
    assert reply.status_code == 422
    assert '<html lang="en">' in reply.text
    assert "<title>No answer: battle-odds</title>" in reply.text
    assert "attacker regiments: -3 is not allowed" in unescape(reply.text)
    assert 'target="_top">Open the full page' in reply.text


def test_an_embedded_answer_has_no_strip_and_a_link_to_its_page(site):
    text = site.get(f"/embed{RISK}").text
    assert 'class="strip"' not in text
    assert 'class="blocks"' in text
    assert f'<a href="{RISK.replace("&", "&amp;")}" target="_top">' in text


# --- the tab in the address -----------------------------------------------------------------------------------------


def test_the_tab_and_its_inputs_are_in_the_address_and_a_reload_keeps_them(page, server):
    page.click("#t-need")
    page.wait_for_selector("#panel form.ask")
    page.fill("#panel [name='with.target']", "95 %")
    page.press("#panel [name='with.target']", "Enter")
    until(page, "location.search.includes('with.tab=need') && location.search.includes('with.target=95')")
    link, said = page.url, page.text_content("#panel .verdict")
    page.reload()
    page.wait_for_selector("#panel form.ask")
    assert page.input_value("#panel [name='with.target']") == "95 %"
    assert page.text_content("#panel .verdict") == said
    assert page.get_attribute("#t-need", "aria-current") == "true"
    page.goto(server)
    page.go_back()
    page.wait_for_selector("#panel form.ask")
    assert page.url == link
    assert page.input_value("#panel [name='with.target']") == "95 %"
    page.fill("[name='attacker.regiments']", "21")
    until(page, "location.search.includes('attacker.regiments=21') && location.search.includes('with.target=95')")
    page.click("#t-outcome")
    assert "with." not in page.url


def test_the_axes_of_a_map_and_the_seed_of_a_replay_are_kept(page, server):
    page.goto(f"{server}{RISK}&with.tab=sweep&with.path1=attacker.regiments&with.range1=4:6&with.path2=none")
    page.wait_for_selector("#panel svg .dot")
    assert page.locator("#panel .dot").count() == 3
    page.goto(f"{server}{RISK}&with.tab=replay&with.seed=7")
    page.wait_for_selector("#panel .replay")
    assert page.input_value("#panel [name='with.seed']") == "7"
    page.goto(f"{server}{RISK}&with.tab=nothing")
    assert page.is_visible("[data-part=outcome]")


def test_the_column_of_a_distribution_is_kept(page):
    page.click("[data-name=distribution] > summary")
    page.select_option("#column", "rounds")
    until(page, "location.search.includes('with.column=rounds')")
    page.reload()
    assert page.input_value("#column") == "rounds"
    assert page.is_visible("#column")


def test_a_map_of_one_field_twice_takes_another_across(site):
    twice = f"{RISK.replace('?', '/sweep?')}&with.part=1&with.path1=defender.regiments&with.path2=defender.regiments"
    html = site.get(twice).text
    assert re.search(r'name="with.path2">.*?value="attacker.regiments" selected', html, re.DOTALL)
    assert html.count('class="square"') == 121  # 10 to 20 defenders, 15 to 25 attackers


def test_the_title_of_the_tab_follows_the_answer(page):
    page.fill("[name='attacker.regiments']", "15")
    until(page, "document.title === 'Risk: 15 v 15, attacker takes the territory 61 %'")


# --- sharing --------------------------------------------------------------------------------------------------------


def test_one_press_copies_the_link_and_offers_other_forms(page, server):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server)
    page.click("#t-rounds")
    page.wait_for_selector("#panel table")
    page.click("#to-share")
    until(page, "document.querySelector('#shared').textContent === 'The link is copied.'")
    assert page.evaluate("navigator.clipboard.readText()") == f"{server}{RISK}&with.tab=rounds"
    assert page.request.get(server + page.get_attribute("#as-picture", "href")).headers["content-type"] == "image/png"
    page.click("#sheet >> text=Embed")
    assert f'<iframe src="{server}/embed/risk/land?' in page.evaluate("navigator.clipboard.readText()")
    page.click("#sheet >> text=As TOML")
    assert page.evaluate("navigator.clipboard.readText()").startswith('game = "risk"')
    page.keyboard.press("Escape")
    assert page.is_hidden("#sheet")


def test_the_systems_own_sheet_is_used_where_there_is_one(page):
    page.evaluate("navigator.share = async (what) => { window.shared = what; }")
    page.click("#to-share")
    until(page, "window.shared !== undefined")
    shared = page.evaluate("window.shared")
    assert shared["url"] == page.url
    assert shared["title"] == "Risk: 20 v 15, attacker takes the territory 86 %"
    assert shared["text"].startswith("The attacker takes the territory")


# --- without a network ----------------------------------------------------------------------------------------------


def test_a_server_that_is_gone_is_said_and_asked_again(page):
    page.route("**/answer?*", lambda route: route.abort())
    page.fill("[name='attacker.regiments']", "10")
    page.wait_for_selector("#complaint >> text=No connection; trying again")
    assert page.get_attribute("#answer", "aria-busy") == "false"
    page.unroute("**/answer?*")
    until(page, "location.search.includes('attacker.regiments=10')")
    assert page.text_content("#complaint").strip() == ""


def test_the_last_answers_can_be_read_offline(browser, server):
    context = browser.new_context()
    page = context.new_page()
    page.goto(server + RISK)
    until(page, "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)")
    page.goto(f"{server}{RISK}")
    page.fill("[name='attacker.regiments']", "10")
    until(page, "location.search.includes('attacker.regiments=10')")
    page.reload()
    chance = page.get_attribute("#answer data[data-chance=attacker]", "value")
    context.set_offline(True)
    page.reload()
    assert page.get_attribute("#answer data[data-chance=attacker]", "value") == chance
    page.goto(f"{server}{RISK.replace('=20', '=19')}")
    assert "No connection, and this page is not kept" in page.text_content("main")
    context.close()


def test_what_browsers_ask_for_is_there(site):
    assert site.get("/favicon.ico").content[:4] == b"\0\0\1\0"
    manifest = site.get("/manifest.webmanifest").json()
    assert manifest["start_url"] == "/"
    assert site.get(manifest["icons"][0]["src"]).status_code == 200
    assert site.get("/sw.js").headers["content-type"].startswith("text/javascript")


def test_a_wrong_address_has_a_page(site):
    reply = site.get("/nope", headers={"Accept": "text/html"})
    assert reply.status_code == 404
    assert 'href="/"' in reply.text
    assert site.get("/nope", headers={"Accept": "application/json"}).text == "no such page"
    assert site.get("/api/v1/no/such/thing", headers={"Accept": "text/html"}).json()["error"] == "no such page"
