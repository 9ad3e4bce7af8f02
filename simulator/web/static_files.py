"""The static files of the page: scripts, style, icons, two pages without a worker, and the versions of their texts."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

STATIC = {
    "style.css": "text/css; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "plan.js": "text/javascript; charset=utf-8",
    "editor.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "favicon.ico": "image/x-icon",
    "manifest.webmanifest": "application/manifest+json",
    "sw.js": "text/javascript; charset=utf-8",
    "refused.html": "text/html; charset=utf-8",
}
# Files that browsers ask for at the root; a service worker only sees what is below its own address.
AT_ROOT = ("favicon.ico", "manifest.webmanifest", "sw.js")


@cache
def text_of(name: str) -> bytes:
    """The text of a static file."""
    return (resources.files("simulator.web") / "static" / name).read_bytes()


@cache
def version_of(name: str) -> str:
    """The version of a static file: the beginning of the digest of its text."""
    return hashlib.sha256(text_of(name)).hexdigest()[:12]


def address_of(name: str) -> str:
    """The address of a static file, with its version, so that browsers keep it until it changes."""
    return f"/static/{name}?v={version_of(name)}"
