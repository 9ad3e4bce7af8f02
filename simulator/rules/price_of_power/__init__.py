"""The Price of Power (docs/rules/price_of_power.md): land, naval, siege, npr-defence, crossing, campaign.

Sources as that document lists them; those of the data are in data/README.md.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from simulator.rules.battle import Battle, Built, by_kind
from simulator.rules.price_of_power import campaign, checks, crossing, model, npr_defence, siege, text
from simulator.rules.price_of_power.outcome import decisions, outcome
from simulator.rules.price_of_power.rules import DEFENDER_CHARGES
from simulator.rules.price_of_power.tables import setup_of, starts_of

LOSSES = ("attacker_losses", "defender_losses")


def build(fields: model.AnyBattle) -> Built:
    """Everything for a land or naval battle."""
    setup = setup_of(fields)
    return Built(
        chain=text.told(setup),
        outcome=partial(outcome, setup),
        assumptions=partial(text.assumptions, setup),
        explain=partial(text.explain, setup),
        decisions=partial(decisions, setup),
        begun=lambda states: np.where(states.phase <= DEFENDER_CHARGES, 0, states.rounds + 1),
        counting={"options.count_rounds": True},
        starts=starts_of(setup),
    )


TIMED = dict.fromkeys(checks.TIMED, "retreat_at")
battle = partial(Battle, game="price-of-power")
BATTLES = by_kind(
    battle(
        kind="land", title="a land battle", model=model.Land, check=checks.check, build=build, version=2,
        parameters=TIMED,
        headline=(*LOSSES, "attacker_units_left", "defender_units_left", "rounds"),
    ),
    battle(
        kind="naval", title="a naval battle, with captures", model=model.Naval, check=checks.check, build=build,
        parameters=TIMED,
        headline=(*LOSSES, "attacker_ships_left", "defender_ships_left", "rounds"), version=2,
    ),
    battle(
        kind="siege", title="what a siege can take, at what price (no dice)",
        model=siege.Siege, check=siege.check, build=siege.build, version=2,
        headline=("provinces_taken", "value_taken", "power_spent", "actions_used", "siege_strength"),
    ),
    battle(
        kind="npr-defence", title="which units a non-player realm defends with (no dice)",
        model=npr_defence.NprDefence, check=npr_defence.check, build=npr_defence.build,
        headline=("land_units", "ships"),
    ),
    battle(
        kind="crossing", title="how many units get over a bridge of ships or a mountain border (no dice)",
        model=crossing.Crossing, build=crossing.build,
        headline=("units_across", "power_spent", "power_for_all", "bridge_capacity"),
    ),
    battle(
        kind="campaign", title="sea battle, landing, land battle, siege",
        model=campaign.Campaign, check=campaign.check, build=campaign.build, version=2,
        headline=("stage", "provinces_taken", "power_spent", "attacker_units_left", "defender_units_left"),
    ),
)  # fmt: skip
