"""Shared by the games' tests: exact vectors, and Monte Carlo held against exact odds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from simulator.analysis.odds.odds import Odds
from simulator.conformance import Z_LIMIT, largest_z

__all__ = ["Z_LIMIT", "asked", "largest_z", "mismatches", "of_tool", "read_vectors"]


def read_vectors(path: Path) -> tuple[list[Any], list[Any]]:
    """Vectors with answers, to 1e-9 unless they give their tolerance, and those that must be refused."""
    vectors = [{"tolerance": 1e-9} | vector for vector in json.loads(path.read_text(encoding="utf-8"))]
    return [v for v in vectors if "expect" in v], [v for v in vectors if "error" in v]


def decision_vectors() -> list[Any]:
    """The cases of docs/rules/decisions.md."""
    found: list[Any] = json.loads((Path(__file__).parent / "analysis/vectors.json").read_text(encoding="utf-8"))
    return found


def of_tool(tool: str, outcome: str) -> list[Any]:
    """The cases of docs/rules/decisions.md for a tool with this `outcome` ("expect" or "error"), as parameters."""
    cases = [vector for vector in decision_vectors() if vector["tool"] == tool and outcome in vector]
    return [pytest.param(vector, id=vector["name"]) for vector in cases]


def asked(odds: Odds, key: str) -> float:
    """The number that a vector's key stands for."""
    kind, _, rest = key.partition(".")
    if kind == "mean":
        return odds.mean(rest)
    sides = {"attacker", "defender", "nobody"} if "winner" in odds.columns else set()
    return odds.winner(rest) if rest in sides else odds.p(rest)


def mismatches(odds: Odds, expect: Mapping[str, Any], tolerance: float) -> dict[str, tuple[float, float]]:
    """Keys whose answer is off by more than the tolerance: (expected, found).

    `dist.COLUMN` gives the whole distribution of a text column, value by value.
    """
    true, found = dict[str, float](), dict[str, float]()
    for key, value in expect.items():
        if key.startswith("dist."):
            chances = odds.table.groupby(key.removeprefix("dist."))["p"].sum()
            true |= {f"{key}.{name}": p for name, p in value.items()}
            found |= {f"{key}.{name}": p for name, p in chances.items()}
        else:
            true[key], found[key] = value, asked(odds, key)
    keys = sorted(true.keys() | found.keys())
    pairs = {key: (true.get(key, 0.0), found.get(key, 0.0)) for key in keys}
    return {key: pair for key, pair in pairs.items() if not abs(pair[0] - pair[1]) <= tolerance}
