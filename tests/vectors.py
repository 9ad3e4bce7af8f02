"""Shared by the games' tests: exact vectors, and Monte Carlo held against exact odds."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simulator import exact, simulate
from simulator.analysis.odds.odds import Odds

Z_LIMIT = 4.5
BATTLES = 1_000_000


def read_vectors(path: Path) -> tuple[list[Any], list[Any]]:
    """Vectors with answers, and those that must be refused."""
    vectors = json.loads(path.read_text(encoding="utf-8"))
    return [v for v in vectors if "expect" in v], [v for v in vectors if "error" in v]


def asked(odds: Odds, key: str) -> float:
    """The number that a vector's key stands for."""
    kind, _, rest = key.partition(".")
    if kind == "mean":
        return odds.mean(rest)
    sides = {"attacker", "defender", "nobody"} if "winner" in odds.columns else set()
    return odds.winner(rest) if rest in sides else odds.p(rest)


def mismatches(odds: Odds, expect: Mapping[str, float], tolerance: float) -> dict[str, tuple[float, float]]:
    """Keys whose answer is off by more than the tolerance: (expected, found)."""
    found = {key: asked(odds, key) for key in expect}
    return {key: (expect[key], found[key]) for key in expect if not abs(expect[key] - found[key]) <= tolerance}


def largest_z(scenario: Any, seed: int = 20261, battles: int = BATTLES) -> float:
    """Largest |z| of the simulated chances of all outcomes, winners and means against exact odds.

    Rare outcomes are lumped together, since a z-score means little below a few dozen expected battles.
    """
    true, seen = exact(scenario), simulate(scenario, battles, seed)
    worst = 0.0
    keys = [column for column in true.table.columns if column not in {"p", "count"}]
    expected = true.table.set_index(keys)["p"]
    counts = seen.table.set_index(keys)["count"].reindex(expected.index).fillna(0.0)
    assert counts.sum() == battles, "an outcome was simulated that exact odds do not know"
    common = expected * battles >= 50
    pairs = list(zip(expected[common], counts[common], strict=True))
    pairs.append((expected[~common].sum(), counts[~common].sum()))
    pairs += [(result.p, seen.p(result.question) * battles) for result in true.results]
    for p, count in pairs:
        if p * (1 - p) * battles >= 50:
            worst = max(worst, abs(count - p * battles) / math.sqrt(p * (1 - p) * battles))
        else:
            assert abs(count - p * battles) < 60
    for column in true.columns:
        if true.kind_of(column) == "number" and (spread := true.std(column)) > 1e-9:
            worst = max(worst, abs(seen.mean(column) - true.mean(column)) / (spread / math.sqrt(battles)))
    return worst
