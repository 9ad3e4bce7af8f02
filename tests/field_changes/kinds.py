"""The form of the tables of this folder."""

from __future__ import annotations

from typing import Any

SIDES = ("attacker", "defender")
# By kind: battles without game and kind, each with values that change its answer by the paths of their fields.
Changes = dict[tuple[str, str], list[tuple[dict[str, Any], dict[str, Any]]]]
