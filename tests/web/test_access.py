"""Every page for everybody: contrast, labels, names of what can be used, 360 px of width, in light and in dark."""

import pytest
from axe_playwright_python.base import AXE_FILE_PATH

RISK = "attacker.regiments=4&defender.regiments=3"
MINE = """{ format = 1, name = "Mine", unit = { pikes = { combat = 2 } }, battle = { field = {} },
    step = [{ name = "melee" }] }"""
SWEEP = f"/risk/land/sweep?{RISK}&with.path1=attacker.regiments&with.range1=2:6"
LINKS = [f"/risk/land?attacker.regiments={n}%26defender.regiments=3" for n in (4, 5)]
PAGES = {
    "embed": f"/embed/risk/land?{RISK}",
    "no such page": "/nope",
    "no units yet": "/axis-and-allies-1942/land?v=1",
    "found": "/?q=inf",
    "start": "/",
    "calculator": f"/risk/land?{RISK}",
    "campaign": "/campaign/risk?force.a.regiments=4&force.b.regiments=3&force.c.regiments=2&every.battle=land"
    "&fight.0.attacker=a&fight.0.defender=b&fight.1.attacker=c&fight.1.defender=b",
    "plan": "/plan?of=risk&every.battle=land&place.north.regiments=5&place.north.stay.regiments=1"
    "&target.ural.defender.regiments=2&target.siam.defender.regiments=1&hold.north.attacker.regiments=3",
    "plan refused": "/plan?of=risk&every.battle=land&place.north.regiments=5&target.ural.defender.tank=2",
    "old link": f"/risk/land?{RISK}&v=0",
    "refused": "/risk/land?attacker.regiments=-3&defender.regiments=3",
    "no such kind": "/risk/sea",
    "nothing to compare": "/compare",
    "compared": f"/compare?with.s={LINKS[0]}&with.s={LINKS[1]}",
    "own game": "/own",
    "game file of one's own": f"/custom/field?attacker.pikes=3&defender.pikes=3&rules={MINE}",
    "API": "/api/docs",
    "one more": f"/risk/land/more?{RISK}",
    "need": f"/risk/land/need?{RISK}&with.path1=attacker.regiments",
    "line": SWEEP,
    "heat map": f"{SWEEP}&with.path2=defender.regiments&with.range2=2:5",
    "rounds": f"/risk/land/rounds?{RISK}",
    "best": f"/risk/land/best?{RISK}&objective.attacker.win=1&with.decide=policy.attacker.retreat",
    "replay": f"/risk/land/replay?{RISK}",
    "counter-attack": f"/risk/land/counter?{RISK}",
    "counter-attack under the form": f"/risk/land?{RISK}&with.counter=1&with.join.regiments=2&v=1",
    "a siege": "/europa/siege-campaign",
    "luck": f"/risk/land/luck?{RISK}&with.battles=defender%0Aattacker",
}

# Every fault of the page that is shown, in words. Folded parts are opened first.
AUDIT = """() => {
  const faults = [];
  const tell = (what, one) => faults.push(`${what}: ${one.outerHTML.slice(0, 120)}`);
  document.querySelectorAll("details").forEach((one) => (one.open = true));
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  const channel = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const contrast = (ink, paper) => {
    const pair = [light(numbers(ink)), light(numbers(paper))].sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05);
  };
  const clear = (color) => /, 0\\)$|transparent/.test(color);
  const paper = (one) => {
    const square = one.matches(".onsquare") && one.parentElement.querySelector("rect");
    if (square) return getComputedStyle(square).fill;
    while (one && clear(getComputedStyle(one).backgroundColor)) one = one.parentElement;
    return getComputedStyle(one || document.body).backgroundColor;
  };
  const seen = [...document.body.querySelectorAll("*")].filter((one) => one.checkVisibility());
  for (const one of seen) {
    const style = getComputedStyle(one), ink = one instanceof SVGElement ? style.fill : style.color;
    const hasText = [...one.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) && !one.matches("title, option");
    if ((hasText || one.matches("input, select, textarea")) && contrast(ink, paper(one)) < 4.5) tell("contrast", one);
    const hint = one.placeholder && getComputedStyle(one, "::placeholder").color;
    if (hint && contrast(hint, paper(one)) < 4.5) tell("placeholder", one);
    if (one.matches("input:not([type=hidden]), select, textarea")) {
      if (!one.labels.length && !one.getAttribute("aria-label")) tell("no label", one);
      if (contrast(style.borderTopColor, paper(one.parentElement)) < 3) tell("border", one);
    }
    if (one.matches("a, button") && !one.textContent.trim()) tell("no name", one);
    if (one.matches("a, button, input, select, textarea") && one.tabIndex > 0) tell("order of its own", one);
  }
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  ids.filter((id, place) => ids.indexOf(id) !== place).forEach((id) => faults.push(`twice: ${id}`));
  for (const one of document.querySelectorAll("[aria-describedby], label[for]"))
    if (!document.getElementById(one.getAttribute("aria-describedby") || one.htmlFor)) tell("points nowhere", one);
  if (!document.title || document.documentElement.lang !== "en") faults.push("no title or language");
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) faults.push(`${wide} px wide, not ${innerWidth}`);
  return faults;
}"""

# The first run of axe in a page takes longest, so both screens are looked at in one page.
SCREENS = [
    ({"width": 1280, "height": 720}, "light"),
    ({"width": 360, "height": 740}, "dark"),
]


def violations(page):
    """The violations that axe-core finds on a page, with the first element of each."""
    found = page.evaluate("axe.run({ resultTypes: ['violations'] }).then((found) => found.violations)")
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]


@pytest.fixture(scope="module")
def page(browser):
    found = browser.new_page(service_workers="block")
    yield found
    found.close()


@pytest.mark.parametrize("name", PAGES)
def test_every_page_can_be_read_and_used(page, server, name):
    page.goto(server + PAGES[name])
    page.evaluate(AXE_FILE_PATH.read_text(encoding="utf-8"))
    for size, colors in SCREENS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=colors)
        assert page.evaluate(AUDIT) == [], colors
        assert violations(page) == [], colors
