"""Check a built site: `python docs/check_site.py site`.

Its pages load nothing from other servers, and every link and anchor within the site leads somewhere.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Tags whose address a browser loads by itself.
LOADED = {"script", "link", "img", "iframe", "source", "video", "audio", "embed", "object"}
IN_STYLES = re.compile(r"(?:url\(|@import\s)\s*[\"']?((?:https?:)?//[^\"')\s]+)")


class PageReader(HTMLParser):
    """The anchors of a page, and its addresses with the tags that have them."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.addresses: list[tuple[str, str]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Keep identifiers and addresses."""
        for name, value in attributes:
            if value and (name == "id" or (tag == "a" and name == "name")):
                self.anchors.add(value)
            elif value and name in {"href", "src", "srcset", "data", "poster"}:
                self.addresses.append((tag, value))


def mistakes(site: Path) -> list[str]:
    """Each mistake in one line."""
    pages = {path.resolve(): PageReader(path) for path in site.rglob("*.html") if "_static" not in path.parts}
    found = [f"{path}: loads {address}" for path in site.rglob("*.css") for address in loaded_styles(path)]
    for path, page in pages.items():
        found += [f"{path}: loads {address}" for address in loaded_styles(path)]
        for tag, address in page.addresses:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if tag in LOADED and parts.scheme != "data":
                    found.append(f"{path}: {tag} loads {address}")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.exists() or (anchor and target in pages and anchor not in pages[target].anchors):
                found.append(f"{path}: {address} leads nowhere")
    return found if pages else [f"{site}: no pages"]


def loaded_styles(path: Path) -> list[str]:
    """Addresses of other servers in the styles of a file."""
    return IN_STYLES.findall(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    lines = mistakes(Path(sys.argv[1]))
    print(*lines, sep="\n")
    sys.exit(bool(lines))
