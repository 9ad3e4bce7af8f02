"""Draw the pictures of the README: `python docs/readme_pictures.py`. Needs chromium.

`web-typing.gif` shows the page while one types; `game-*.png` show the losses of one battle of each game.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from matplotlib.figure import Figure
from PIL import Image
from playwright.sync_api import TimeoutError
from web_pictures import FOLDER, SETTLED, WAIT, answered, site

from simulator import exact
from simulator.report.plots.figures import COLOURS

# Game, example, and the column of the attacker's losses in it.
GAMES = {
    "risk": ("risk-20v15", "attacker_regiments_lost"),
    "price-of-power": ("power-italian-war", "attacker_losses"),
    "europa": ("europa-blenheim-1704", "attacker_losses_thirds"),
    "kings-and-things": ("knt-heroes-and-magic", "attacker_losses"),
    "birthright": ("birthright-border-clash", "attacker_hits"),
    "axis-and-allies": ("axis-land-eastern-front", "attacker_units_lost"),
    "twilight-imperium-4": ("twilight-space", "attacker_units_lost"),
    "eclipse-second-dawn": ("eclipse-galactic-center", "attacker_units_lost"),
    "skirmish": ("skirmish-hill", "attacker_units_lost"),
}
THUMBNAIL = (1.6, 0.6)

# The keys that the picture types. Afterwards the page simulates the battle, and the intervals narrow.
BATTLE = "/risk/land?attacker.regiments=10&defender.regiments=15"
TYPED = {"attacker.regiments": "20", "defender.regiments": "17"}
SIZE = {"width": 1280, "height": 800}
SHOWN = (960, 600)
# Milliseconds that the frames of typing, those of narrowing and the last one are shown.
TYPING, NARROWING, LAST = 700, 450, 3000
MOST = 10
PALETTE = 96


def thumbnail(name: str, example: str, lost: str) -> None:
    """The attacker's losses upwards, the defender's downwards, without axes."""
    axes = (figure := Figure(figsize=THUMBNAIL, layout="tight")).subplots()
    odds = exact(example)
    for side, sign in (("attacker", 1), ("defender", -1)):
        chances = odds.distribution(lost.replace("attacker", side))
        axes.bar(chances.value, sign * chances.p, width=0.9, color=COLOURS[side])
    axes.axhline(0, color="0.5", linewidth=0.5)
    axes.set_axis_off()
    figure.savefig(FOLDER / f"game-{name}.png", dpi=100, transparent=True)


def frames(page: Any) -> Iterator[tuple[bytes, int]]:
    """Screenshots while one types and while a simulation narrows, with the milliseconds that each is shown."""
    yield page.screenshot(), TYPING
    for name, digits in TYPED.items():
        field = page.locator(f"input[type=number][name='{name}']")
        field.fill("")
        for end in range(1, len(digits) + 1):
            field.press_sequentially(digits[end - 1])
            page.wait_for_url(re.compile(rf"{name}={digits[:end]}\b"))
            answered(page)
            page.wait_for_timeout(SETTLED)
            yield page.screenshot(), TYPING
    page.click("#roll")
    page.wait_for_selector(".simulated")
    for _ in range(MOST):
        chances = page.inner_text(".chances")
        yield page.screenshot(), NARROWING
        with suppress(TimeoutError):
            page.wait_for_function("old => document.querySelector('.chances').innerText != old", arg=chances)


def animation() -> None:
    """The page while one types, as an animated picture with one palette."""
    with site() as (address, browser):
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.set_default_timeout(WAIT)
        page.goto(address + BATTLE)
        answered(page)
        shots, times = zip(*frames(page), strict=True)
    pictures = [Image.open(io.BytesIO(shot)).convert("RGB").resize(SHOWN, Image.Resampling.LANCZOS) for shot in shots]
    palette = pictures[-1].quantize(PALETTE, Image.Quantize.MAXCOVERAGE)
    first, *others = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    times = [*times[:-1], LAST]
    first.save(FOLDER / "web-typing.gif", save_all=True, append_images=others, duration=times, loop=0, optimize=True)


def main() -> None:
    for name, (example, lost) in GAMES.items():
        thumbnail(name, example, lost)
    animation()


if __name__ == "__main__":
    main()
