"""Small battles whose warm answers are timed: load and exact odds of each, one row a battle."""

from __future__ import annotations

from typing import Any

from benchmarks.cases import axis

# Name, scenario (example name or mapping), the most milliseconds.
LATENCY_CASES: list[tuple[str, str | dict[str, Any], float]] = [
    ("risk 20 v 15", "risk-20v15", 0.08),
    ("axis 1 infantry v 1", axis("land", {"infantry": 1}, {"infantry": 1}), 0.15),
    ("axis 12 v 10 with artillery", "axis-land-artillery", 0.15),
    ("axis 10i 5t v 12i 3f", "axis-land-eastern-front", 0.15),
    ("axis amphibious", "axis-landing", 0.15),
    ("axis 4 submarines v ships", "axis-sea-wolfpack", 0.15),
]
