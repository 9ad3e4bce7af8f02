"""The static files of the page: scripts, style, icon, and the versions of their texts."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

STATIC = {
    "style.css": "text/css; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


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
