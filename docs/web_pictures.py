"""Draw the pictures of the web page, desktop and phone: `python docs/web_pictures.py`. Needs chromium."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "pictures"
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
RISK = "/risk/land?attacker.regiments=20&defender.regiments=15"
AXIS = (
    "/axis-and-allies-1942/land?attacker.infantry=6&attacker.artillery=2&attacker.tank=3&attacker.fighter=2"
    "&defender.infantry=7&defender.artillery=2&defender.tank=1&defender.fighter=1&policy.attacker.retreat=never"
)
SETTLED = 700
WAIT = 60_000


def answered(page: Any) -> None:
    """The form and the answer."""
    page.wait_for_selector(".exact, .simulated, #open")


def tab(name: str, found: str) -> Any:
    """The answer of a tool under its tab."""

    def open_tab(page: Any) -> None:
        page.click(f"#t-{name}")
        page.wait_for_selector(found)

    return open_tab


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
    "web-compare": (RISK, comparison, 1000, 760, "dark"),
    "web-front": ("/", visited, 1280, 1000, "light"),
    "web-phone": (AXIS, answered, 390, 844, "light"),
    "web-phone-dark": ("/price-of-power/land", answered, 390, 844, "dark"),
}


def main() -> None:
    """Start a server, and take the pictures, or those that are named."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "simulator", "web", "--port", "0", "--workers", "1"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        ready = next(line for line in server.stdout if "ready" in line)
        address = ready.split()[0].rstrip("/")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for name in sys.argv[1:] or PICTURES:
                path, prepare, width, height, scheme = PICTURES[name]
                page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                page.set_default_timeout(WAIT)
                page.goto(address + path)
                prepare(page)
                page.wait_for_timeout(SETTLED)
                page.screenshot(path=FOLDER / f"{name}.png")
                page.close()
    finally:
        server.terminate()
        server.wait(10)


if __name__ == "__main__":
    main()
