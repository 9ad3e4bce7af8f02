"""The naval battle as a battle kind (docs/rules/europa_naval_and_other.md section 3)."""

from __future__ import annotations

from simulator.rules.battle import Built, offered
from simulator.rules.europa.sea.end_tables import BattleSetup
from simulator.rules.europa.sea.model import Naval, check_naval
from simulator.rules.europa.sea.outcome import naval_outcome
from simulator.rules.europa.sea.squadrons import engagement
from simulator.rules.europa.sea.text import naval_assumptions, naval_explanation, teller


def build_naval(fields: Naval) -> Built:
    """Everything that answers a naval battle."""
    setup = BattleSetup(engagement(fields))
    return Built(
        chain=setup.chain(teller(setup)),
        outcome=lambda states: naval_outcome(setup, states),
        assumptions=lambda: naval_assumptions(setup),
        explain=lambda: naval_explanation(setup),
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
