"""Magic items (rules/kings_and_things.md section 5): their names, and what happens to them before round 1."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Item = Literal[
    "talisman",
    "magic-bow",
    "magic-sword",
    "firewall",
    "golem",
    "balloon",
    "dispel-magic",
    "dust-of-defense",
    "lucky-charm",
    "fan",
]

# What `dispel = "auto"` looks for, in this order (section 4).
DISPELLED_FIRST: tuple[Item, ...] = (
    "dust-of-defense",
    "golem",
    "firewall",
    "magic-sword",
    "talisman",
    "balloon",
    "magic-bow",
    "lucky-charm",
    "fan",
)


def dispelled(items: Iterable[str], choice: str) -> str | None:
    """The item of the enemy that Dispel Magic voids, or None."""
    wanted = DISPELLED_FIRST if choice == "auto" else (choice,)
    return next((item for item in wanted if item in items), None)
