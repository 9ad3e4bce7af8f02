"""The editor of a game file: mistakes at their lines, shipped files to start from, nothing rewritten."""

import re
from html import unescape

import pytest

from simulator.rules.custom.game_file.files import names, shipped_text

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
