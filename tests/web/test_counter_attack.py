"""The counter-attack as a second table: who joins, who sits it out, whose colour is whose, and the next wave."""

import re
from html import unescape

import pytest

from simulator import campaign, odds
from tests.web.conftest import RISK, until

FLAK = "/axis-and-allies-1942/land?attacker.infantry=3&attacker.tank=2&attacker.fighter=3&defender.infantry=3&v=1"


def part(site, address, **joining):
    more = "".join(f"&with.{name.replace('_', '.', 1)}={number}" for name, number in joining.items())
    reply = site.get(address.replace("?", "/counter?") + more + "&with.part=1")
    assert reply.status_code == 200, reply.text
    return reply.text


def chances(html):
    """The chances of the second answer by their words."""
    found = re.findall(r'<dt>([^<]*)</dt><dd><data value="([^"]*)"', html)
    return {words: float(value) for words, value in found}


def test_the_chances_are_those_of_the_campaign(site):
    found = chances(part(site, RISK, join_regiments=5, hold_regiments=2))
    both = {"attacker.regiments": 5, "defender.regiments": 2}
    answer = odds(campaign("risk-20v15", counter_attack=True, join=both))
    assert found["you take it and still hold it"] == pytest.approx(answer.headline.value, abs=1e-9)
    assert found["the defender takes it back"] == pytest.approx(answer.p("counter_won"), abs=1e-9)
    assert found["never taken"] == pytest.approx(1 - odds("risk-20v15").winner("attacker"), abs=1e-9)
    assert sum(found.values()) == pytest.approx(1, abs=1e-9)


def test_reinforcements_of_the_attacker_help_him_to_hold(site):
    held = [
        chances(part(site, RISK, join_regiments=9, hold_regiments=n))["you take it and still hold it"] for n in (0, 4)
    ]
    assert held[1] > held[0] + 0.1


def test_planes_sit_it_out_and_this_is_said(site):
    html = part(site, FLAK, join_infantry=4)
    assert "Fighter:</b> cannot stay on what was just taken" in html
    assert "with.hold.fighter" not in html
    assert "with.hold.tank" in html
    assert "with.join.fighter" in html


def test_red_is_red_in_the_second_battle(site):
    html = part(site, RISK, join_regiments=5)
    held = chances(html)["you take it and still hold it"]
    blocks = re.findall(r'<rect class="s-(\w+)" x="[^"]*" width="([^"]*)%"', html)
    red = [float(width) for side, width in blocks if side == "attacker"]
    assert sum(red) == pytest.approx(100 * held, abs=1e-2)
    assert blocks[-1][0] == "going"
    assert len(red) > 3  # who is left, an outcome a block


def test_the_link_of_a_counter_attack_shows_it(site):
    """Its page, title and picture; without scripts too. A page without it has the table folded."""
    html = site.get(f"{RISK}&with.counter=1&with.join.regiments=5").text
    held = odds(campaign("risk-20v15", counter_attack=True, join={"attacker.regiments": 5})).headline.value
    assert f"<title>Risk: 20 v 15, taken and still held {100 * held:.0f} %</title>" in html
    assert re.search(r'og:description" content="[^"]* still holds it after the counter-attack in', html)
    assert re.search(r'<details[^>]*id="second"[^>]* open>', html)
    assert re.search(r'id="join-regiments"[^>]* value="5"', html)
    picture = unescape(re.search(r'og:image" content="[^"]*(/risk/land/card.png[^"]*)"', html)[1])
    assert picture.endswith("with.counter=1&with.join.regiments=5")
    card, first = site.get(picture), site.get(RISK.replace("?", "/card.png?"))
    assert card.headers["content-type"] == "image/png"
    assert card.content != first.content
    folded = site.get(RISK).text
    assert not re.search(r'<details[^>]*id="second"[^>]* open>', folded)
    assert "still holds it" not in folded


def test_an_embedded_counter_attack_stands_under_its_battle(site):
    address = f"{RISK}&with.counter=1&with.join.regiments=5"
    html = site.get(f"/embed{address}").text
    assert "still holds it after the counter-attack" in html
    assert unescape(re.search(r'<a href="([^"]*)" target="_top">Open the full page', html)[1]) == address
    assert 'class="strip"' not in html
    assert "data-strip" not in html
    assert "copy-embed-second" not in html
    copied = unescape(re.search(r'id="copy-embed-second"[^>]*>([^<]*)<', part(site, RISK, join_regiments=5))[1])
    assert unescape(re.search(r'src="[^"]*?(/embed[^"]*)"', copied)[1]) == f"/embed{address}"
    assert "The counter-attack" not in site.get(f"/embed{RISK}").text


def test_the_next_wave_is_a_campaign_of_three_fights(site):
    html = part(site, RISK, join_regiments=5)
    address = unescape(re.search(r'class="button next" href="([^"]*)"', html)[1])
    assert address.startswith("/campaign/risk?")
    page = site.get(address)
    assert page.status_code == 200
    assert len(re.findall(r'<li class="fight"', page.text)) == 3
    assert "is the winner at the end" in page.text


def test_the_strip_follows_the_last_battle(browser, server):
    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server)
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.goto(server + RISK)
    before = page.text_content(".strip")
    page.click("#second > summary")
    page.wait_for_selector("#second-answer [data-strip]", state="attached")
    assert "you still hold it" in page.text_content(".strip")
    with page.expect_response("**/counter?*with.join.regiments=16*"):
        page.click("#second .cell.defender .by[data-by='1']")
    page.wait_for_selector("#second-answer:not(.stale)")
    assert "with.join.regiments=16" in page.url
    page.click("#to-share")
    page.click("#sheet >> text=Embed")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "/embed/risk/land?" in copied
    assert "with.join.regiments=16" in copied
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "to-share"
    page.evaluate("scrollTo(0, 0)")
    page.click(".strip")
    until(page, "Math.abs(document.querySelector('#second-answer').getBoundingClientRect().top) < 40")
    page.click("#join-regiments")
    with page.expect_response("**/counter?*with.join.regiments=3&*"):
        page.keyboard.type("03")
    assert page.input_value("#join-regiments") == "3"
    assert not re.search(r"=0(&|$)", page.url)  # a link has no more than what was typed
    page.keyboard.press("Control+A")
    with page.expect_response("**/counter?*with.join.regiments=0&*"):  # without any number 15 would join
        page.keyboard.type("0")
    page.wait_for_selector("#second-answer >> text=Nobody of the defender is left to strike back: enter who joins")
    until(page, "location.search.includes('with.join.regiments=0')")
    page.click("#second > summary")
    page.wait_for_selector("#second-answer", state="hidden")
    assert page.text_content(".strip") == before
    context.close()
