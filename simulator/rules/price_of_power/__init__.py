"""The Price of Power (docs/rules/price_of_power.md): land, naval, siege, npr-defence, crossing, campaign.

Sources as that document lists them; those of the data are in data/README.md.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from simulator.rules.battle import Battle, Built, by_kind
from simulator.rules.price_of_power import campaign, checks, crossing, model, npr_defence, siege, text
from simulator.rules.price_of_power.outcome import outcome
from simulator.rules.price_of_power.tables import chain_of, setup_of

GAME = "price-of-power"


def build(fields: model.AnyBattle) -> Built:
    """Everything for a land or naval battle."""
    setup = setup_of(fields)
    chain = chain_of(setup)
    return Built(
        chain=replace(chain, tell=partial(text.tell, setup, chain.params)),
        outcome=partial(outcome, setup),
        assumptions=partial(text.assumptions, setup),
        explain=partial(text.explain, setup),
    )


BATTLES = by_kind(
    Battle(
        game=GAME,
        kind="land",
        title="a land battle",
        model=model.Land,
        headline=("attacker_losses", "defender_losses", "attacker_units_left", "defender_units_left", "rounds"),
        check=checks.check,
        build=build,
        version=2,
    ),
    Battle(
        game=GAME,
        kind="naval",
        title="a naval battle, with captures",
        model=model.Naval,
        headline=("attacker_losses", "defender_losses", "attacker_ships_left", "defender_ships_left", "rounds"),
        check=checks.check,
        build=build,
        version=2,
    ),
    Battle(
        game=GAME,
        kind="siege",
        title="what a siege can take, at what price (no dice)",
        model=siege.Siege,
        headline=("provinces_taken", "value_taken", "power_spent", "actions_used", "siege_strength"),
        check=siege.check,
        build=siege.build,
        version=2,
    ),
    Battle(
        game=GAME,
        kind="npr-defence",
        title="which units a non-player realm defends with (no dice)",
        model=npr_defence.NprDefence,
        headline=("land_units", "ships"),
        check=npr_defence.check,
        build=npr_defence.build,
    ),
    Battle(
        game=GAME,
        kind="crossing",
        title="how many units get over a bridge of ships or a mountain border (no dice)",
        model=crossing.Crossing,
        headline=("units_across", "power_spent", "power_for_all", "bridge_capacity"),
        build=crossing.build,
    ),
    Battle(
        game=GAME,
        kind="campaign",
        title="sea battle, landing, land battle, siege",
        model=campaign.Campaign,
        headline=("stage", "provinces_taken", "power_spent", "attacker_units_left", "defender_units_left"),
        check=campaign.check,
        build=campaign.build,
        version=2,
    ),
)
