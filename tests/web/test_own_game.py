"""The editor of a game file: mistakes at their lines, shipped files to start from, nothing rewritten."""

import re
import tomllib
from html import unescape

import pytest

from simulator import import_triplea, load, odds
from simulator.rules.custom.game_file.files import names, shipped_text
from simulator.web.editor.checking import checked
from simulator.web.editor.inserts import inserted
from tests.custom import triplea_maps

GAME = """
# My first game: 2 < 3 & more
format = 1
name = "Lines & pikes"

[unit.pikes]
combat = 2  # a comment

[battle.field]

[[step]]
name = "melee"
"""
NEVER = GAME.replace("[unit.pikes]", "[unit.bows]\ncombat = 1\n\n[unit.pikes]").replace(
    "[battle.field]", '[battle.field]\nattacker.fights = ["pikes"]\ndefender.fights = ["pikes"]'
)


def marks(html):
    """The remarks in the margin, by their line."""
    lines = re.findall(r"<li([^>]*)>(.*?)</li>", re.search(r'<ol class="lines".*?</ol>', html, re.S)[0])
    return {
        n: (kind.split('"')[-2], unescape(re.sub("<[^>]*>", "", text)))
        for n, (kind, text) in enumerate(lines, 1)
        if kind
    }


def written(html):
    return unescape(re.search(r'<textarea id="game"[^>]*>\n(.*?)</textarea>', html, re.S)[1])


@pytest.mark.parametrize(
    ("old", "new", "line", "text"),
    [
        ("combat = 2", "combat = 'x'", 7, "unit.pikes.combat: "),
        ("combat = 2", "combat == 2", 7, "not valid TOML: "),
        ("combat", "fights", 7, "unit.pikes.fights: "),
        ('name = "melee"\n', 'name = "melee', 12, "not valid TOML: "),
        ("format = 1", "", 1, "format: is needed"),
    ],
)
def test_a_mistake_stands_at_its_line_without_scripts(site, old, new, line, text):
    game = GAME.replace(old, new)
    for address, status in (("/own", 422), ("/own?do=check", 200)):
        reply = site.post(address, content=f"game={game}\r\n".encode())
        assert reply.status_code == status
        assert written(reply.text) == game
        (found,) = marks(reply.text).items()
        assert found[0] == line
        assert found[1][0] == "at-complaint"
        assert found[1][1].startswith(text)
        assert f'class="complaint">line {line}: {text}' in unescape(reply.text)


def test_a_rule_that_never_applies_stands_at_its_line_and_the_game_is_played(site):
    reply = site.post("/own?do=check", content=f"game={NEVER}")
    assert marks(reply.text) == {6: ("at-notice", "unit.bows: no battle admits it")}
    assert "<title>Lines &amp; pikes: battle-odds</title>" in reply.text
    moved = site.post("/own", content=f"game={NEVER}")
    assert moved.status_code == 303
    assert (
        "<title>Lines &amp; pikes: 3 v 3, attacker wins the battle 47 %</title>"
        in site.get(moved.headers["location"]).text
    )


@pytest.mark.parametrize("name", names())
def test_every_shipped_file_is_a_clean_start(site, name):
    page = site.get(f"/own?start={name}").text
    assert written(page) == shipped_text(name)
    assert marks(page) == {}
    assert f"<option selected>{name}</option>" in page
    assert "no mistake" in page


@pytest.mark.parametrize("name", ["../data/skirmish", "/etc/passwd", "skirmish.toml"])
def test_other_files_are_no_start(site, name):
    reply = site.get("/own", params={"start": name})
    assert reply.status_code == 422
    assert "start: " in reply.text
    assert "root:" not in reply.text


def test_an_uploaded_file_comes_back_as_written(site):
    upload = {"game": ("mine.toml", GAME.encode(), "application/toml")}
    page = site.post("/own?do=check", files=upload).text
    assert written(page) == GAME
    saved = site.post("/own?do=save", content="game=" + GAME.replace("\n", "\r\n") + "\r\n")
    assert saved.text == GAME
    assert saved.headers["content-disposition"] == 'attachment; filename="lines-pikes.toml"'


def test_typing_shows_a_mistake_at_its_line_and_the_game_is_played(browser, server, tmp_path):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{server}/own")
    page.fill("#game", GAME)
    page.wait_for_selector("h1:has-text('Lines & pikes')")
    page.fill("#game", GAME.replace("combat = 2", "combat = 'x'"))
    page.wait_for_selector(".lines li:nth-child(7).at-complaint span")
    assert page.get_attribute("#game", "aria-invalid") == "true"
    page.click("#remarks a")
    mark, text = page.locator(".lines .at-complaint").bounding_box(), page.locator("#game").bounding_box()
    assert mark["y"] - text["y"] == pytest.approx(10 + 6 * 20, abs=2)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    (tmp_path / "mine.toml").write_text(GAME)
    page.set_input_files("#file", tmp_path / "mine.toml")
    page.wait_for_selector("#remarks .exact")
    assert page.input_value("#game") == GAME
    with page.expect_download() as saved:
        page.click("text=Download")
    assert saved.value.suggested_filename == "lines-pikes.toml"
    page.locator("text=Play it").press("Enter")
    page.wait_for_url("**/custom/field?**")
    assert page.title().startswith("Lines & pikes")
    page.close()


# --- what follows from the text: units, a test battle, findings ------------------------------------------------------

OFFERED = GAME.replace("combat = 2  # a comment", "cost = 2\ncombat = 2  # a comment").replace(
    "[battle.field]", "[unit.guns]\ncost = 5\ntags = ['far']\nattack = 3\nrolls.shots = 4\n\n[battle.field]"
)


def sent(site, text, do="check", **fields):
    """The parts that the editor's script asks for."""
    named = {"game": text} | {name.replace("_", "."): str(value) for name, value in fields.items()}
    return site.post(f"/own?do={do}&part=1", files={name: (None, value) for name, value in named.items()})


def part(html, name):
    return unescape(re.sub(r"<[^>]*>|\s+", " ", re.search(rf'data-part="{name}".*?(?=data-part|$)', html, re.S)[0]))


def test_the_units_and_the_test_battle_follow_from_the_text(site):
    html = sent(site, OFFERED, attacker_pikes=3, defender_pikes=3).text
    assert re.search(r"guns far +5 +3- +– +4- +1 ", re.sub(" +", " ", part(html, "units")))
    scenario = {"game": "custom", "battle": "field", "rules": tomllib.loads(OFFERED)}
    sides = {"attacker": {"pikes": 3}, "defender": {"pikes": 3}}
    exact = odds(load(scenario | sides))
    assert float(re.search(r'<data value="([\d.e-]+)"', html)[1]) == pytest.approx(exact.winner("attacker"), abs=1e-9)
    assert "The test battle has no guns" in part(html, "tabs")
    assert (
        "condition.fog: no step, support or modifier reads it"
        in part(sent(site, f"{OFFERED}[condition.fog]\n").text, "tabs").lower()
    )


def test_worth_and_balance_are_those_of_the_battles_beside_it(site):
    scenario = {"game": "custom", "battle": "field", "rules": tomllib.loads(OFFERED)}

    def wins(attackers, defenders, guns=0):
        sides = {"attacker": {"pikes": attackers, "guns": guns}, "defender": {"pikes": defenders}}
        return 100 * odds(load(scenario | sides)).winner("attacker")

    html = sent(site, OFFERED, attacker_pikes=3, defender_pikes=3, tab="worth").text
    now, more = wins(3, 3), part(html, "tabs")
    gain, loss, gun = wins(4, 3) - now, now - wins(3, 4), wins(3, 3, guns=1) - now
    assert f"pikes {gain:+.2f} {gain / 2:+.2f} {loss:+.2f} {loss / 2:+.2f}" in re.sub(" +", " ", more)
    assert f"guns {gun:+.2f} {gun / 5:+.2f}" in re.sub(" +", " ", more)
    html = sent(site, OFFERED, attacker_pikes=3, defender_pikes=3, tab="balance", balance="attacker.pikes").text
    assert f"3: {now:.1f} %, 4: {wins(4, 3):.1f} %" in html
    assert "even between 3 and 4" in html


def test_a_text_with_a_mistake_has_no_results_and_a_word_to_change(site):
    html = sent(site, OFFERED.replace("cost = 5", "costs = 5"), attacker_pikes=3).text
    assert 'data-part="units"' not in html
    assert 'data-line="11" data-from="costs" data-to="cost">Change to cost' in html


def test_an_empty_text_says_what_a_game_file_is_made_of(site):
    (line,) = re.findall(r'class="complaint">(.*?)<a', sent(site, "").text)
    for word in ("format = 1", "[unit.NAME]", "[battle.NAME]", "[[step]]"):
        assert word in line


@pytest.mark.parametrize("text", [OFFERED, "", *map(shipped_text, names())], ids=["a small game", "empty", *names()])
@pytest.mark.parametrize("what", ["unit", "step", "modifier", "condition"])
def test_what_is_inserted_is_a_game_as_before(site, text, what):
    html = sent(site, text, do=what, attacker_pikes=1).text
    twice = inserted(inserted(text, what), what)
    new = unescape(re.search(r'<textarea data-part="text">\n(.*?)</textarea>', html, re.S)[1])
    assert new == inserted(text, what)
    lines = iter(new.split("\n"))
    assert all(line in lines for line in text.rstrip("\n").split("\n"))  # all that was there, in its order
    tables = tomllib.loads(twice)
    assert len(tables[what]) == len(tomllib.loads(text).get(what, ())) + 2
    if text:
        assert not [one for one in checked(twice).remarks if one.kind == "complaint"]


def test_the_test_battle_is_played(site):
    fields = {
        "game": OFFERED,
        "attacker.pikes": "4",
        "defender.pikes": "2",
        "defender.nobody": "7",
        "attacker.guns": "x",
    }
    moved = site.post("/own", files={name: (None, value) for name, value in fields.items()})
    assert moved.status_code == 303
    assert moved.headers["location"].startswith("/custom/field?rules=")
    assert "attacker.pikes=4&defender.pikes=2&v=" in moved.headers["location"]
    assert "nobody" not in moved.headers["location"]


def test_a_triplea_map_becomes_a_game_file_with_a_report(site):
    xml = triplea_maps.xml({"legion": triplea_maps.LEGION, "kite": triplea_maps.KITE})
    page = site.post("/own/import", files={"game": ("map.xml", xml.encode(), "text/xml")}).text
    assert written(page) == import_triplea(text=xml).toml
    assert "The map is imported:" in page
    assert part(page, "units").count("kite") == 1
    refused = site.post("/own/import", files={"game": ("map.xml", b"<game/>", "text/xml")})
    assert (refused.status_code, "Map: no units" in refused.text) == (422, True)
    assert written(refused.text) == shipped_text("skirmish")
    large = site.post("/own/import", files={"game": ("map.xml", b" " * (5 << 20), "text/xml")})
    assert (large.status_code, "Map: more than 4096 KB" in large.text) == (413, True)
    picture = site.post("/own/import", files={"game": ("map.xml", b"\xff\xd8\xff", "text/xml")})
    assert (picture.status_code, "Map: the text is not UTF-8" in picture.text) == (400, True)


def test_a_map_opens_no_other_file(site, tmp_path):
    (tmp_path / "secret").write_text("hush")
    xml = f'<!DOCTYPE game [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]><game><info name="&x;"/></game>'
    reply = site.post("/own/import", files={"game": ("map.xml", xml.encode(), "text/xml")})
    assert reply.status_code == 422
    assert "hush" not in reply.text


def test_the_text_stays_in_the_browser_and_a_played_game_keeps_its_comments(browser, server):
    context = browser.new_context(viewport={"width": 1366, "height": 900})
    page = context.new_page()
    page.goto(f"{server}/own")
    page.fill("#game", OFFERED)
    page.wait_for_selector("h1:has-text('Lines & pikes')")
    page.focus("[name='attacker.guns']")
    page.keyboard.type("2")
    page.click("text=+ Unit")
    page.wait_for_selector("[data-part=units] >> text=new unit")
    typed = page.input_value("#game")
    assert typed == inserted(OFFERED, "unit")
    page.keyboard.press("Control+z")
    page.wait_for_selector("[data-part=units] >> text=new unit", state="detached")
    assert page.input_value("#game") == OFFERED
    page.wait_for_selector("#saved:has-text('Saved in this browser')")
    page.reload()
    page.wait_for_selector("h1:has-text('Lines & pikes')")
    assert page.input_value("#game") == OFFERED
    assert page.input_value("[name='attacker.guns']") == "2"
    page.evaluate("document.querySelector('#game').setSelectionRange(0, 0)")
    page.focus("#game")
    page.keyboard.type("nonsense = 1\n")
    page.wait_for_selector("#stale:has-text('line 1')")
    assert page.locator("[data-part=units] td").count() > 5  # the units stay as they were
    page.keyboard.press("Control+z")
    page.wait_for_selector("#remarks .exact")
    page.click("#play")
    page.wait_for_url("**/custom/field?**")
    assert page.input_value("[name='attacker.guns']") == "2"
    page.click("#to-edit")
    page.wait_for_selector("#remarks .exact")
    assert page.input_value("#game").strip() == OFFERED.strip()
    assert "# a comment" in page.input_value("#game")
    said = "battle: its kernels are still being compiled here; try again in a minute"
    refused = f'<div data-part="refused"><p class="complaint">{said}</p></div>'
    page.route("**/own?*part=1", lambda route: route.fulfill(status=422, body=refused), times=1)
    page.click("#tab-balance")
    page.wait_for_selector("#complaint >> text=trying again")
    page.wait_for_selector("[data-part=tabs] .plot")
    assert not page.text_content("#complaint")
    kept = page.input_value("#game")
    page.click("summary >> text=Open another")
    page.set_input_files("#map", {"name": "map.xml", "mimeType": "text/xml", "buffer": b"<game"})
    page.click("text=Import >> nth=-1")
    page.wait_for_selector("#remarks .exact")
    page.wait_for_selector("#saved:has-text('Saved in this browser')")
    assert "not valid XML" in page.text_content(".imports")
    assert page.input_value("#game") == kept
    context.close()
