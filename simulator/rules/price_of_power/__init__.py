"""The Price of Power (rules/price_of_power.md): land, naval, siege, npr-defence, crossing, campaign.

Sources as that document lists them; those of the data are in data/README.md.
"""

from __future__ import annotations

from simulator.rules.battle import Battle, by_kind
from simulator.rules.price_of_power import campaign, crossing, defence, fields, siege, words
from simulator.rules.price_of_power.chains import chain_of
from simulator.rules.price_of_power.checks import check
from simulator.rules.price_of_power.columns import outcome

GAME = "price-of-power"

BATTLES = by_kind(
    Battle(
        game=GAME,
        kind="land",
        title="a land battle",
        model=fields.Land,
        headline=("attacker_losses", "defender_losses", "attacker_units_left", "defender_units_left", "rounds"),
        check=check,
        chain=chain_of,
        outcome=outcome,
        assumptions=words.assumptions,
        explain=words.explain,
        tell=words.tell,
    ),
    Battle(
        game=GAME,
        kind="naval",
        title="a naval battle, with captures",
        model=fields.Naval,
        headline=("attacker_losses", "defender_losses", "attacker_ships_left", "defender_ships_left", "rounds"),
        check=check,
        chain=chain_of,
        outcome=outcome,
        assumptions=words.assumptions,
        explain=words.explain,
        tell=words.tell,
    ),
    Battle(
        game=GAME,
        kind="siege",
        title="what a siege can take, at what price (no dice)",
        model=siege.Siege,
        headline=("provinces_taken", "value_taken", "power_spent", "actions_used", "siege_strength"),
        check=siege.check,
        answer=siege.answer,
        assumptions=siege.assumptions,
        explain=siege.explain,
    ),
    Battle(
        game=GAME,
        kind="npr-defence",
        title="which units a non-player realm defends with (no dice)",
        model=defence.NprDefence,
        headline=("land_units", "ships"),
        check=defence.check,
        answer=defence.answer,
        assumptions=defence.assumptions,
        explain=defence.explain,
    ),
    Battle(
        game=GAME,
        kind="crossing",
        title="how many units get over a bridge of ships or a mountain border (no dice)",
        model=crossing.Crossing,
        headline=("units_across", "power_spent", "power_for_all", "bridge_capacity"),
        answer=crossing.answer,
        explain=crossing.explain,
    ),
    Battle(
        game=GAME,
        kind="campaign",
        title="sea battle, landing, land battle, siege",
        model=campaign.Campaign,
        headline=("stage", "provinces_taken", "power_spent", "attacker_units_left", "defender_units_left"),
        check=campaign.check,
        answer=campaign.answer,
        assumptions=campaign.assumptions,
        explain=campaign.explain,
        tell=words.tell,
    ),
)
