"""Naval battles (docs/rules/europa_naval_and_other.md sections 2 and 3)."""

from __future__ import annotations

from functools import partial

from simulator.rules.battle import Built, offered
from simulator.rules.europa.sea.battle import BattleSetup
from simulator.rules.europa.sea.model import Naval, check_naval
from simulator.rules.europa.sea.squadrons import engagement
from simulator.rules.europa.sea.text import naval_assumptions, naval_explanation, naval_line


def build_naval(fields: Naval) -> Built:
    """Everything that answers a naval battle."""
    setup = BattleSetup(engagement(fields))
    return Built(
        chain=setup.chain(partial(naval_line, setup)),
        outcome=setup.outcome,
        assumptions=partial(naval_assumptions, setup),
        explain=partial(naval_explanation, setup),
    )


NAVAL = offered(
    Naval,
    check=check_naval,
    build=build_naval,
    version=3,
    headline=(
        "attacker_losses_thirds",
        "defender_losses_thirds",
        "attacker_warships_left",
        "defender_warships_left",
        "attacker_ships_taken",
        "defender_ships_taken",
        "attacker_destroyed_thirds",
        "defender_destroyed_thirds",
    ),
)
