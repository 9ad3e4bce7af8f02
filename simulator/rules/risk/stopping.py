"""When the attacker stops (docs/rules/risk.md section 6): asked before every round, the first included."""

from __future__ import annotations

from typing import Any, NamedTuple

from simulator.engine.chain import helper
from simulator.rules.risk.checks import names

NO_LIMIT = 2**31 - 1


class Stop(NamedTuple):
    """The policies of one place as numbers that never say stop unless named."""

    below: int = 0
    outnumbered: int = 0
    rounds: int = NO_LIMIT
    worn_down: int = 0
    by_odds: int = 0


@helper
def stops(stop, own, enemy, rounds):
    """Does one of the policies say stop? The chance of winning is looked up apart, where it is asked for."""
    return (
        (own < stop.below)
        | ((stop.outnumbered > 0) & (own < enemy))
        | (rounds >= stop.rounds)
        | (enemy <= stop.worn_down)
    )


def stop_rule(policy: Any, sea: str = "") -> Stop:
    """The policies of a scenario, on land or (`sea_`) at sea."""
    chosen = names(getattr(policy, f"{sea}retreat"))

    def number(parameter: str, otherwise: int) -> int:
        value = getattr(policy, sea + parameter, None)
        return otherwise if value is None else min(value, NO_LIMIT)

    return Stop(
        below=number("stop_below", 0),
        outnumbered=int("stop-when-outnumbered" in chosen),
        rounds=number("max_rounds", NO_LIMIT),
        worn_down=number("wear_down_to", 0),
        by_odds=int("stop-below-odds" in chosen),
    )
