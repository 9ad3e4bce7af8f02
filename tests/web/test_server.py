"""Every route of the page and of the API, what they refuse, and what they never do."""

import re
import tomllib
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

from simulator import load
from simulator.scenarios import example_names
from simulator.web import address, catalogue, copies, forms

RISK = "attacker.regiments=20&defender.regiments=15"
SCENARIO = {"game": "risk", "battle": "land", "attacker": {"regiments": 20}, "defender": {"regiments": 15}}
KINDS = [(one["game"], one["battle"]) for one in catalogue.games()]


def chance(text, name):
    """The machine-readable chance of a name in a page."""
    return float(re.search(rf'<data value="([^"]+)" data-chance="{name}">', text)[1])


# --- addresses ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", example_names())
def test_an_address_is_the_scenario(name):
    scenario = load(name)
    link = copies.address_of(scenario.data, scenario.battle)
    pairs, _, version = address.split(parse_qsl(urlsplit(link).query, keep_blank_values=True))
    frame = {"game": scenario.battle.game, "battle": scenario.battle.kind}
    assert load(frame | address.read(pairs, scenario.battle)) == scenario
    assert version == str(scenario.battle.version)
    assert load(tomllib.loads(address.document(scenario.data))) == scenario


def test_defaults_are_left_out_of_an_address():
    battle = load("risk-20v15").battle
    data = SCENARIO | {"options": {"ties": "defender", "attack_dice": 2}}
    assert copies.address_of(data, battle) == f"/risk/land?{RISK}&options.attack_dice=2&v=1"


# --- the form -------------------------------------------------------------------------------------------------------


def form_pairs(page):
    """What a browser without scripts sends when the form of a page is submitted."""
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
    from simulator.web.render import render

    battle = find_battle(game, kind)
    data = catalogue.start_of(battle)
    page = render("form.html", form=forms.form_of(battle, data), here="").decode()
    pairs = form_pairs(f'<form id="scenario">{page}</form>')
    again = {"game": game, "battle": kind} | address.read(pairs, battle)
    assert load(again) == load(data)
    assert page.count("<label") >= len(set(pairs)) // 2


@pytest.mark.parametrize(("game", "kind"), KINDS)
def test_the_page_of_every_battle_kind_answers_its_first_example(site, game, kind):
    moved = site.get(f"/{game}/{kind}")
    assert moved.status_code == 303
    page = site.get(moved.headers["location"])
    # Kernels are not loaded here, so that the largest battles may be refused for want of time.
    if page.status_code == 422:
        assert "too large for this page" in page.text
    else:
        assert page.status_code == 200
        assert 'class="answer"' in page.text
