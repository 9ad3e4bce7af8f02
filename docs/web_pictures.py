"""Draw the pictures of the web page that the README shows: `python docs/web_pictures.py`. Needs chromium."""

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
WAIT = 60_000


def calculator(page: Any) -> None:
    """The form and the answer."""


def heat_map(page: Any) -> None:
    """A sweep over both sides."""
    page.click("#t-sweep > summary")
    page.select_option("#sweep-1", "attacker.regiments")
    page.fill("#range-1", "1:12")
    page.select_option("#sweep-2", "defender.regiments")
    page.fill("#range-2", "1:14")
    page.click("#t-sweep form button")
    page.wait_for_selector("#t-sweep svg .square")
    page.locator("#t-sweep").scroll_into_view_if_needed()
    page.evaluate("window.scrollTo(0, document.querySelector('.tools').offsetTop - 8)")


def comparison(page: Any) -> None:
    """Three set-ups side by side."""
    page.click("#pin")
    for number in ("22", "25"):
        page.fill("[name='attacker.regiments']", number)
        page.wait_for_url(re.compile(f"attacker.regiments={number}"))
        page.click("#pin")
    page.click("#compare")
    page.wait_for_selector("table.compared")


PICTURES = {
    "web-calculator": (RISK, calculator, 1200, 980, "light"),
    "web-heat-map": (RISK, heat_map, 1000, 760, "light"),
    "web-compare": (RISK, comparison, 1000, 900, "dark"),
    "web-phone": (RISK, calculator, 360, 740, "dark"),
}


def main() -> None:
    """Start a server, and take the pictures."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "simulator", "web", "--port", "0", "--workers", "1"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        ready = next(line for line in server.stdout if "ready" in line)
        address = ready.split()[0].rstrip("/")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for name, (path, prepare, width, height, scheme) in PICTURES.items():
                page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                page.set_default_timeout(WAIT)
                page.goto(address + path)
                prepare(page)
                page.screenshot(path=FOLDER / f"{name}.png")
                page.close()
    finally:
        server.terminate()
        server.wait(10)


if __name__ == "__main__":
    main()
