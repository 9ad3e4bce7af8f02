"""Pinned set-ups beside the answer: columns named by their difference, renamed, kept, copied as a picture."""

import re
from urllib.parse import quote

import pytest

from simulator import odds
from simulator.scenarios import Draft
from tests.web.conftest import RISK


def columns(site, *links, names=()):
    pairs = [("with.s", one) for one in links] + [("with.n", one) for one in names] + [("with.part", "1")]
    reply = site.get("/compare", params=pairs)
    assert reply.status_code == 200, reply.text
    return reply.text


def called(html):
    return re.findall(r"<th scope=\"col\"><a [^>]*>([^<]*)</a>", html)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("attacker.regiments=22&defender.regiments=15", "22 regiments"),
        ("attacker.regiments=20&defender.regiments=9", "v 9 regiments"),
        ("attacker.regiments=1&defender.regiments=9", "1 regiment, v 9 regiments"),
        ("attacker.regiments=20&attacker.commanders=1&defender.regiments=15", "1 commander"),
        ("attacker.regiments=20&defender.regiments=15", "the same"),
    ],
)
def test_a_set_up_is_called_by_what_differs(site, query, name):
    assert called(columns(site, RISK, f"/risk/land?{query}")) == [name]


def test_the_first_column_is_this_one_and_the_best_is_marked(site):
    other = RISK.replace("=20", "=22")
    html = columns(site, RISK, other)
    assert "This one" in html
    row = re.search(r"<tr><th scope=.row.>[^<]*attacker[^<]*</th>.*?</tr>", html)[0]
    found = [float(value) for value in re.findall(r'<data value="([^"]*)"', row)]
    assert found == pytest.approx([odds("risk-20v15").winner("attacker"), 0.9151], abs=1e-4)
    assert row.count("better") == 1
    assert row.rindex("better") > row.index("</td>")


def test_a_name_of_ones_own_takes_the_place(site):
    other = RISK.replace("=20", "=22")
    html = columns(site, RISK, other, names=["", "<b>two more</b>"])
    assert called(html) == ["&lt;b&gt;two more&lt;/b&gt;"]


LAND = "/axis-and-allies-1942/land?attacker.infantry=6&attacker.fighter=1&defender.infantry=6&v=2"


def test_the_question_of_the_kind_stands_first_and_is_a_chance(site):
    more = LAND.replace("fighter=1", "fighter=2")
    html = columns(site, LAND, more)
    assert re.findall(r'<tr><th scope="row">([^<]*)<', html)[:2] == ["the attacker takes the land", "attacker wins"]
    found = [odds(load_link(one)).p("taken") for one in (LAND, more)]
    assert [float(one) for one in re.findall(r'<data value="([^"]*)"', html)[:2]] == pytest.approx(found)
    assert f"{100 * found[0]:.1f} %" in html
    whole = site.get("/compare", params=[("with.s", LAND), ("with.s", more)]).text
    assert "The chance that the attacker takes the land is " in whole
    assert "mean of taken" not in whole


def load_link(address):
    """The scenario of an address of units alone."""
    path, _, query = address.partition("?")
    game, battle = path.strip("/").split("/")
    fields = dict(one.split("=") for one in query.split("&") if not one.startswith("v="))
    return Draft({"game": game, "battle": battle}).with_fields({key: int(n) for key, n in fields.items()})


def test_a_cell_that_is_changed_is_entered_again_and_empty_boxes_are_left_out(page, server):
    page.goto(f"{server}/compare?with.s={quote(RISK)}&with.s={quote(RISK.replace('=20', '=22'))}")
    page.click("input.live >> nth=0")
    page.keyboard.press("Control+A")
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    page.wait_for_url("**regiments%3D9%26**")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "A: attacker: regiments"
    assert page.url.count("with.s=") == 2


def test_pins_are_kept_renamed_and_taken_away(browser, server):
    context = browser.new_context(viewport={"width": 1366, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server)
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.goto(server + RISK.replace("=20", "=22"))
    assert not page.is_visible("#beside")
    page.click("#pin")
    page.click("[name='attacker.regiments']")
    page.keyboard.type("20")
    page.wait_for_selector("#beside >> text=22 regiments")
    page.reload()
    page.wait_for_selector("#beside >> text=22 regiments")
    page.click("#beside .rename")
    page.keyboard.type("two more")
    page.keyboard.press("Enter")
    page.wait_for_selector("#beside a >> text=two more")
    page.click("#as-image")
    page.wait_for_selector("#as-image >> text=Copied")
    types = page.evaluate("navigator.clipboard.read().then((items) => items[0].types)")
    assert "image/png" in types
    page.focus("#beside .rename")
    page.keyboard.press("Enter")
    page.keyboard.type("no name")
    page.keyboard.press("Escape")
    page.wait_for_selector("#beside a >> text=two more")
    page.wait_for_selector("#beside .rename:focus")
    assert page.locator("#beside input").count() == 0
    page.click("#beside .unpin")
    page.wait_for_selector("#beside", state="hidden")
    assert page.text_content("#pinned") == ""
    context.close()
