"""Draw the pictures of the web page, desktop and phone: `python docs/web_pictures.py`. Needs chromium."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

FOLDER = Path(__file__).parent / "pictures"
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
RISK = "/risk/land?attacker.regiments=20&defender.regiments=15"
AXIS = (
    "/axis-and-allies-1942/land?attacker.infantry=6&attacker.artillery=2&attacker.tank=3&attacker.fighter=2"
    "&defender.infantry=7&defender.artillery=2&defender.tank=1&defender.fighter=1&policy.attacker.retreat=never"
)
CAMPAIGN = (
    "/campaign/risk?of=risk&every.battle=land&force.north.regiments=10&force.south.regiments=8&force.blue.regiments=12"
    "&us=north&us=south&fight.0.name=first&fight.0.attacker=north&fight.0.defender=blue"
    "&fight.1.name=second&fight.1.if=not+first_won&fight.1.attacker=south&fight.1.defender=blue"
)
SETTLED = 700
WAIT = 60_000


def answered(page: Any) -> None:
    """The form and the answer."""
    page.wait_for_selector(".exact, .simulated, #open")


def mistaken(page: Any) -> None:
    """The editor of game files, with a mistake shown at its line."""
    page.wait_for_selector("#game")
    page.fill("#game", page.input_value("#game").replace("[unit.archers]", '[unit.archers]\nhit = "hard"'))
    page.wait_for_selector("#remarks .error, #remarks .complaint, .lines li[class]")
    page.evaluate("document.querySelector('.sheet').scrollTop = 0")


def tab(name: str, found: str) -> Any:
    """The answer of a tool under its tab."""

    def open_tab(page: Any) -> None:
        page.click(f"#t-{name}")
        page.wait_for_selector(found)

    return open_tab


def struck_back(page: Any) -> None:
    """The counter-attack as a second table."""
    page.click("#second > summary")
    page.wait_for_selector("#second-answer .blocks")


def comparison(page: Any) -> None:
    """Three set-ups side by side."""
    page.click("#pin")
    for number in ("22", "25"):
        page.fill("[name='attacker.regiments']", number)
        page.wait_for_url(re.compile(f"attacker.regiments={number}"))
        page.click("#pin")
    page.click("#compare")
    page.wait_for_selector("table.compared")


def visited(page: Any) -> None:
    """The front page of a player who has been here."""
    home = page.url
    for path in (RISK, AXIS):
        page.goto(home + path.lstrip("/"))
        answered(page)
    page.goto(home)
    page.wait_for_selector("#recent li")


# Path, what is done there, width, height, colours.
PICTURES = {
    "web-calculator": (AXIS, answered, 1280, 900, "light"),
    "web-dark": (AXIS, answered, 1280, 900, "dark"),
    "web-europa": ("/europa/land", answered, 1280, 900, "light"),
    "web-lists": ("/kings-and-things/land", answered, 1280, 900, "light"),
    "web-what-if": (AXIS, tab("more", ".whatif a"), 1280, 900, "light"),
    "web-heat-map": (RISK, tab("sweep", "svg .square"), 1280, 900, "light"),
    "web-siege": ("/europa/siege-campaign", tab("rounds", "svg.course"), 1280, 900, "light"),
    "web-counter": (RISK, struck_back, 1280, 900, "light"),
    "web-compare": (RISK, comparison, 1000, 760, "dark"),
    "web-campaign": (CAMPAIGN, answered, 1280, 1000, "light"),
    "web-editor": ("/own?start=skirmish", mistaken, 1280, 800, "light"),
    "web-front": ("/", visited, 1280, 1000, "light"),
    "web-phone": (AXIS, answered, 390, 844, "light"),
    "web-phone-dark": ("/price-of-power/land", answered, 390, 844, "dark"),
}


@contextmanager
def site() -> Iterator[tuple[str, Any]]:
    """The address of a running server, and a browser."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "simulator", "web", "--port", "0", "--workers", "1"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        address = next(found[0] for line in server.stdout if (found := re.findall(r"http://[\w.:]+", line)))
        while b'"starting"' in urlopen(f"{address}/healthz").read():
            time.sleep(1)
        with sync_playwright() as playwright:
            yield address, playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    finally:
        server.terminate()
        server.wait(10)


def main() -> None:
    """Take the pictures, or those that are named."""
    with site() as (address, browser):
        for name in sys.argv[1:] or PICTURES:
            path, prepare, width, height, scheme = PICTURES[name]
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.set_default_timeout(WAIT)
            page.goto(address + path)
            prepare(page)
            page.wait_for_timeout(SETTLED)
            page.screenshot(path=FOLDER / f"{name}.png")
            page.close()


if __name__ == "__main__":
    main()
