"""The refusals of a stage of a composed battle kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from simulator.rules.battle import Refusal
from simulator.rules.toolkit.policies import refuse


@contextmanager
def in_stage(name: str) -> Iterator[None]:
    """Refusals of a stage with its name before the path."""
    try:
        yield
    except Refusal as refusal:
        raise Refusal(f"{name}.{refusal.field}", refusal.text, refusal.unused) from None


def refuse_best(name: str, policies: Any, kind: str) -> None:
    """Refuse a policy `best` in a stage of a kind that composes stages. Raises Refusal."""
    for side in ("attacker", "defender"):
        for policy, value in getattr(policies, side):
            refuse(value == "best", f"{name}.policy.{side}.{policy}", f"best is not offered in {kind}")
