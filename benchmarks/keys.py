"""Milliseconds from a key to the answer in a real browser, and the bytes of a first load: `python -m benchmarks.keys`.

Needs chromium and playwright (extra `test`). The 80 ms for which the page waits after a key are included.
"""

from __future__ import annotations

import asyncio
import statistics
from typing import Any

from benchmarks.served import Served

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu"]
# The page of each game, the field that is typed into, and the digits.
TYPED = {
    "/risk/land": ("attacker.regiments", "23456789"),
    "/axis-and-allies-1942/land": ("attacker.infantry", "23456789"),
    "/twilight-imperium-4/space": ("attacker.fighter", "23456789"),
    "/europa/land": ("attacker.army_plus", "1234"),
}
# The first keys of a page, which are not counted, and those that are.
WARM, KEYS, PAUSE = 3, 24, 250
# Note the time of the next key, and that of the answer which follows it.
NOTE = """() => {
  window.answered = 0;
  addEventListener("keydown", () => { window.typed = performance.now(); }, { once: true, capture: true });
  const seen = new MutationObserver(() => {
    if (document.querySelector("#answer").getAttribute("aria-busy") !== "false") return;
    window.answered = performance.now() - window.typed;
    seen.disconnect();
  });
  seen.observe(document.querySelector("#answer"), { attributeFilter: ["aria-busy"] });
}"""


def first_load(browser: Any, address: str) -> tuple[int, int]:
    """The bytes on the line of a first load, as they are compressed, and the number of requests."""
    page, sizes = browser.new_page(), list[int]()
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")
    line.on("Network.loadingFinished", lambda one: sizes.append(int(one["encodedDataLength"])))
    page.goto(address)
    page.wait_for_timeout(1500)
    page.close()
    return sum(sizes), len(sizes)


def times(browser: Any, address: str, field: str, digits: str) -> list[float]:
    """Milliseconds from a key to the answer."""
    page, found = browser.new_page(viewport={"width": 1366, "height": 900}), []
    page.goto(address)
    page.wait_for_timeout(1500)
    for number in range(WARM + KEYS):
        page.click(f"[name='{field}']")
        page.evaluate(NOTE)
        page.keyboard.press(digits[number % len(digits)])
        while not (took := page.evaluate("window.answered")):
            page.wait_for_timeout(20)
        found.append(took)
        page.wait_for_timeout(PAUSE)
    page.close()
    return found[WARM:]


def main() -> None:
    """Start a server and print the figures."""
    from playwright.sync_api import sync_playwright

    server = Served()
    address = f"http://127.0.0.1:{server.port}"
    try:
        asyncio.run(server.kernels())
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            bytes_, requests = first_load(browser, address + "/risk/land")
            print(f"first load of /risk/land: {bytes_ / 1000:.1f} KB in {requests} requests", flush=True)
            for path, (field, digits) in TYPED.items():
                took = times(browser, address + path, field, digits)
                print(f"{path}: median {statistics.median(took):.0f} ms, worst {max(took):.0f} ms of {len(took)} keys")
    finally:
        server.end()


if __name__ == "__main__":
    main()
