"""The forms of all kinds: words of players, nothing open by itself, nothing in TOML, nothing clipped or overlapping."""

import re
from html import unescape

import pytest

from simulator.web import catalogue
from tests.web.test_access import AUDIT

# Page of each kind with its first example, as the form alone.
KINDS = [f"{one['examples'][0]['address']}&with.drop=nothing" for one in catalogue.games()]
TWO_SCREENS = 2 * 844
# Words that no player should have to read: names and sentinels of the schema.
SCHEMA_WORDS = re.compile(
    r"[{}]|ASSUMED|or (a )?tables?\b|options\.|default the\b|"
    r"\w_\w|\bnpr\b|-1 = |\bif condition\b.*=|differential cap|\.csv\b|\w (plus|minus)$|\b(drm|max|mp)\b|^(None|null)$",
    re.ASCII,
)

# Controls of the form that lie over each other, reach out of the form, or are too narrow for their text.
CLIPPED = """(open) => {
  document.querySelectorAll("#scenario details").forEach((one) => (one.open = open));
  const faults = [], form = document.querySelector(".board").getBoundingClientRect();
  const pen = document.createElement("canvas").getContext("2d");
  const controls = [...document.querySelectorAll("#scenario :is(input, select, button):not([type=hidden], .default)")];
  const boxes = controls.map((one) => [one, one.getBoundingClientRect()])
    .filter(([one]) => one.checkVisibility({ contentVisibilityAuto: true }));
  for (const [one, box] of boxes) {
    if (box.left < form.left - 1 || box.right > Math.min(form.right, innerWidth) + 1)
      faults.push(`outside: ${one.name} ${box.left} ${box.right}`);
    if (box.width < 20) faults.push(`narrow: ${one.name} ${box.width}`);
    const style = getComputedStyle(one), text = one.selectedOptions?.[0]?.textContent.trim();
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const arrow = 16 + parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
    const room = text ? box.width - arrow : one.clientWidth + 1;
    const needed = text ? pen.measureText(text).width : one.scrollWidth;
    if (needed > room) faults.push(`clipped: ${one.name} ${text || one.value}`);
  }
  boxes.sort((one, other) => one[1].top - other[1].top);
  boxes.forEach(([one, box], at) => {
    for (let next = at + 1; next < boxes.length && boxes[next][1].top < box.bottom - 2; next++) {
      const [other, its] = boxes[next];
      if (its.left < box.right - 2 && its.right > box.left + 2) faults.push(`overlapping: ${one.name}, ${other.name}`);
    }
  });
  return faults.slice(0, 5);
}"""


# Is a field that stands where the bar at the bottom is seen when it has the focus? The browser takes long over a focus:
# of the fields with the same height, elements and classes from the form down, one is tried, where it is first found.
COVERED = """(known) => {
  document.querySelectorAll("details").forEach((one) => (one.open = true));
  const strip = document.querySelector(".strip").getBoundingClientRect(), faults = [], kinds = new Map();
  if (strip.height > 64) faults.push(`a bar of ${strip.height} px`);
  const path = (one) => one.id === "scenario" ? "" : `${path(one.parentElement)} ${one.tagName}.${one.className}`;
  for (const one of document.querySelectorAll("#scenario :is(input:not([type=hidden]), select, textarea, .drop)")) {
    const { height } = one.getBoundingClientRect();
    if (height < 43 && !one.matches("textarea")) faults.push(`${height} px: ${one.name}`);
    kinds.set(`${innerWidth} ${height} ${path(one)}`, one);
  }
  known.forEach((kind) => kinds.delete(kind));
  for (const one of kinds.values()) {
    document.activeElement.blur();
    scrollBy(0, one.getBoundingClientRect().bottom - innerHeight);
    one.focus();
    const { top, bottom } = one.getBoundingClientRect();
    if (top < 0 || bottom > strip.top + 1) faults.push(`covered: ${one.name} ${top} ${bottom}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push(`${document.documentElement.scrollWidth} px wide`);
  return [faults, [...kinds.keys()]];
}"""


@pytest.fixture(scope="module")
def page(browser):
    found = browser.new_page()
    yield found
    found.close()


def form_of(site, address):
    return re.search(r'<div id="fields">(.*)</form>', site.get(address).text, re.S)[1]


def words_of(form):
    """The texts of a form: labels, notes, choices and the names of groups."""
    found = re.findall(
        r"<(b|small|option|summary|span class=\"label\")\b[^>]*>(.*?)(?=</?(?:b|small|option|summary|span)\b)",
        form,
        re.S,
    )
    return [unescape(text).strip() for _, text in found if text.strip()]


@pytest.mark.parametrize("address", KINDS)
def test_the_words_on_a_form_are_those_of_players(site, address):
    form = form_of(site, address)
    words = words_of(form)
    assert len(words) > 3
    assert [one for one in words if SCHEMA_WORDS.search(one)] == []
    assert "<textarea" not in form
    assert not re.search(r"<details[^>]* open", form)
    assert 'value="-1" min="-1"' not in form


def test_what_an_example_sets_is_in_sight(site):
    form = form_of(site, catalogue.games()[0]["examples"][0]["address"])
    assert re.search("<summary>House rules", form)
    siege = site.get(site.get("/europa/siege-campaign").headers["location"]).text
    assert siege.index('name="conditions.supply_distance"') < siege.index('<details class="fold more"')


def test_one_land_unit_kept_is_a_number(site):
    axis = "/axis-and-allies-1942/land?attacker.infantry=3&attacker.fighter=2&defender.infantry=2&v=1"
    keep = unescape(re.search(r'<a href="([^"]*)">Keep it</a>', site.get(axis).text)[1])
    assert "policy.attacker.keep=" in keep
    form = form_of(site, keep)
    assert re.search(r'name="policy.attacker.keep.land" type="number"[^>]* value="1"', form)
    assert form.index("keep.land") < form.index("<details")


def test_tables_without_a_field_are_carried_along(site):
    house = "/axis-and-allies-1942/land?attacker.tank=2&defender.tank=1&rules.unit.tank.attack=4&v=1"
    form = form_of(site, house)
    assert re.search(r'<input type="hidden" name="rules" value="[^"]*attack[^"]*"', form)


def test_the_chosen_policy_shows_its_name_and_the_others_say_what_they_do(site):
    form = form_of(site, "/axis-and-allies-1942/land?attacker.tank=2&defender.tank=1&policy.attacker.retreat=never&v=1")
    box = re.search(r'<select [^>]*name="policy.attacker.retreat".*?</select>', form, re.S)[0]
    assert 'title="Never: fights to the end"' in box
    assert '<option value="never" selected>never</option>' in box
    assert "outnumbered: leaves when the enemy has more</option>" in box


def test_a_table_of_numbers_is_carried_along(site):
    start = site.get("/birthright/quick-battle").headers["location"]
    assert "quick_ratio" not in form_of(site, start)
    form = form_of(site, f"{start}&options.quick_ratio=[[1,1,0],[2,1,9]]")
    assert re.search(r'<input type="hidden" name="options.quick_ratio" value="\[\[1, 1, 0\], \[2, 1, 9\]\]">', form)


WIDTHS = [390, 768, 1366]
PHONES = [(360, 740), (640, 450)]  # upright and lying


class Walk:
    """The faults of all forms, by what was looked at: each page is loaded once, in a browser without service worker."""

    def __init__(self, page, server):
        page.emulate_media(color_scheme="dark")
        self.page = page
        self.clipped = {width: [] for width in WIDTHS}
        self.ends, self.audit, self.covered, self.known = {}, [], [], []
        for address in KINDS:
            page.set_viewport_size({"width": WIDTHS[0], "height": 900})
            page.goto(server + address, wait_until="domcontentloaded")
            self.ends[address] = page.evaluate("document.querySelector('.armies')?.getBoundingClientRect().bottom")
            self.look_for_clipped(address)
            self.look_on_phones(address)

    def look_for_clipped(self, address):
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 900})
            for opened in (False, True):
                self.clipped[width] += [(address, opened, one) for one in self.page.evaluate(CLIPPED, opened)]

    def look_on_phones(self, address):
        for place, (width, height) in enumerate(PHONES):
            self.page.set_viewport_size({"width": width, "height": height})
            if place == 0:
                self.audit += [(address, one) for one in self.page.evaluate(AUDIT)]
            faults, tried = self.page.evaluate(COVERED, self.known)
            self.covered += [(address, width, one) for one in faults]
            self.known += tried


@pytest.fixture(scope="module")
def walk(browser, server):
    page = browser.new_page(service_workers="block")
    found = Walk(page, server)
    page.close()
    return found


@pytest.mark.parametrize("width", WIDTHS)
def test_no_control_is_clipped_or_lies_over_another(walk, width):
    assert walk.clipped[width] == []


def test_the_answer_follows_the_armies_within_two_screens_of_a_phone(walk):
    assert [address for address, end in walk.ends.items() if end is not None and end >= TWO_SCREENS] == []
    assert any(walk.ends.values())


def test_every_form_can_be_read_and_used_on_a_phone(walk):
    """With all that is folded, at 360 px, in dark."""
    assert walk.audit == []


def test_nothing_covers_the_field_that_has_the_focus(walk):
    """On a phone upright and lying."""
    assert walk.covered == []
    assert walk.known


def test_on_a_phone_the_answer_comes_before_all_but_the_armies(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    for kind in ("/axis-and-allies-1942/land", "/risk/land", "/skirmish/field"):
        page.goto(server + kind)
        top = "(part) => document.querySelector(part).getBoundingClientRect().top"
        places = [page.evaluate(top, part) for part in (".armies", "#hero", ".options", ".more", "#tools")]
        assert places == sorted(places), kind


def test_a_phone_folds_the_units_that_nobody_has(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server + "/titan/battle")
    assert page.is_visible("#f-attacker\\.lion")  # the example has it
    assert not page.is_visible("#f-attacker\\.hydra")
    page.click(".all-units > summary")
    page.click("#f-attacker\\.hydra")
    page.keyboard.type("2")
    page.click(".all-units > summary")
    assert page.is_visible("#f-attacker\\.hydra")
    assert not page.is_visible("#f-attacker\\.dragon")
    page.set_viewport_size({"width": 1366, "height": 844})
    assert page.is_visible("#f-attacker\\.dragon")
    assert not page.is_visible(".all-units")


def test_a_table_is_a_line_of_words_on_a_phone_that_follows_its_fields(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server + "/price-of-power/land")
    line, first = page.locator(".table > summary").first, "[name='defender.npr.provinces.0.manpower_tokens']"
    assert line.text_content() == (
        "Novgorod, large, area, manpower tokens 1; Pskov, small, area; Kholm, small, land, hostile units; "
        "Ingria, small, sea, port"
    )
    line.click()
    page.click(".table .table > summary")
    page.click(first)
    page.keyboard.type("3")
    assert page.locator(".table .table > summary").first.text_content() == "Novgorod, large, area, manpower tokens 3"
    page.set_viewport_size({"width": 1366, "height": 844})
    assert page.is_visible(first)
    assert not line.is_visible()


def test_the_columns_of_a_siege_are_besieger_and_fortress(site):
    form = site.get("/europa/siege-campaign/form?v=1").text
    assert re.findall(r'<div class="cell (\w+)">([A-Z][\w ]*)</div>', form)[:2] == [
        ("attacker", "Besieger"),
        ("defender", "Fortress"),
    ]
    assert 'aria-label="besieger ' in form
    assert 'aria-label="attacker ' not in form
    land = site.get("/risk/land/form?attacker.regiments=2&v=1").text
    assert re.findall(r'<div class="cell (\w+)">([A-Z]\w*)</div>', land)[1] == ("defender", "Defender")
