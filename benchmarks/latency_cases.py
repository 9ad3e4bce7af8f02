"""Battles whose warm answers are timed beside those of aacalc2: load and exact odds of each, one row a battle."""

from __future__ import annotations

from typing import Any

from benchmarks.cases import FLEET, MIXED_56, MIXED_58, MIXED_149, MIXED_150, axis

_EASTERN = axis("land", {"infantry": 10, "tank": 5}, {"infantry": 12, "fighter": 3})

# Name, scenario (example name or mapping), the most milliseconds of asking again, milliseconds of aacalc2.
# aacalc2: github.com/mshih01/aacalc2, version 2.0.25, commit d3e4fca, under node 20.20, the least of 20 to 400 calls in
# one warm process on a calm machine (load 1); it answers each call anew. Its odds equal ours to 1e-8.
LATENCY_CASES: list[tuple[str, str | dict[str, Any], float, float | None]] = [
    ("risk 20 v 15", "risk-20v15", 0.08, None),
    ("skirmish", "skirmish-hill", 0.15, None),
    ("axis 1 infantry v 1", axis("land", {"infantry": 1}, {"infantry": 1}), 0.15, 0.064),
    ("axis 10i 5t v 12i 3f", _EASTERN, 0.15, 0.299),
    ("the same, low luck", _EASTERN | {"options": {"dice": "low-luck"}}, 0.15, 0.109),
    ("axis 12 v 10 with artillery", "axis-land-artillery", 0.15, 0.168),
    ("axis 9 v 9, anti-aircraft", "axis-land-flak", 0.15, 0.253),
    ("axis amphibious", "axis-landing", 0.15, 0.199),
    ("axis 4 submarines v ships", "axis-sea-wolfpack", 0.15, 0.057),
    ("axis sea 20 v 22", axis("sea", FLEET, FLEET | {"submarine": 4, "transport": 2}), 60, 10.6),
    ("axis 56 v 58", axis("land", MIXED_56, MIXED_58), 164, 50.4),
    ("axis 100 v 100", axis("land", {"infantry": 100}, {"infantry": 100}), 185, 71.6),
    ("axis 150 v 149", axis("land", MIXED_150, MIXED_149), 1400, 1792),
]
