"""Europa Universalis: The Price of Power (rules/price_of_power.md): land, naval, siege, npr-defence, crossing, campaign.

Sources as that document lists them; those of the data are in data/README.md.
"""

from __future__ import annotations

from simulator.rules.battle import Battle, by_kind
from simulator.rules.price_of_power import fields
from simulator.rules.price_of_power.chains import chain_of
from simulator.rules.price_of_power.columns import outcome

GAME = "price-of-power"

BATTLES = by_kind(
    Battle(
        game=GAME,
        kind="land",
        title="a land battle",
        model=fields.Land,
        headline=("attacker_losses", "defender_losses", "attacker_units_left", "defender_units_left", "rounds"),
        chain=chain_of,
        outcome=outcome,
    ),
    Battle(
        game=GAME,
        kind="naval",
        title="a naval battle",
        model=fields.Naval,
        headline=("attacker_losses", "defender_losses", "attacker_ships_left", "defender_ships_left", "rounds"),
        chain=chain_of,
        outcome=outcome,
    ),
)
