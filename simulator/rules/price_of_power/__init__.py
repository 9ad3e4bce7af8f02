"""The Price of Power: land, naval, siege, npr-defence, crossing, campaign.

Rules and their sources: docs/rules/price_of_power.md; sources of the data: data/README.md.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from simulator.rules.advice import advised
from simulator.rules.battle import Built, by_kind, offered
from simulator.rules.price_of_power import checks, forces, headline, model
from simulator.rules.price_of_power.outcome import Fight
from simulator.rules.price_of_power.procedures import campaign, campaign_model, crossing, npr_defence, siege
from simulator.rules.price_of_power.setup import Setup
from simulator.rules.question import SEA_BATTLE, Question
from simulator.rules.sides import ForceColumns


def build(fields: model.AnyBattle) -> Built:
    """A land or naval battle."""
    return Fight(Setup(fields)).built()


ON_LAND = {
    "most-numerous": "lose the most numerous type first",
    "infantry-first": "lose infantry, cavalry, then artillery",
    "cavalry-first": "lose cavalry, infantry, then artillery",
    "artillery-first": "lose artillery, infantry, then cavalry",
    "infantry-artillery-cavalry": "lose infantry, artillery, then cavalry",
    "cavalry-artillery-infantry": "lose cavalry, artillery, then infantry",
    "artillery-cavalry-infantry": "lose artillery, cavalry, then infantry",
}
AT_SEA = {
    "spread-damage": "spread the damage over the ships",
    "light-first": "lose light ships first",
    "heavy-first": "lose heavy ships first",
}
LANDING = {
    "best": "choose who goes ashore as it then stands",
    "best-expected": "send those first who hit most",
    **{order: words.replace("lose", "send") for order, words in ON_LAND.items() if order != "most-numerous"},
}
ADVICE = advised(
    {"landing": LANDING, "losses": ON_LAND | AT_SEA, "army.losses": ON_LAND, "fleet.losses": AT_SEA},
    {"retreat": "leave", "army.retreat": "leave the field", "fleet.retreat": "leave at sea"},
)
LOSSES = ("attacker_losses", "defender_losses")
kind = partial(offered, check=checks.check, build=build, version=3, parameters=model.TIMED, advice=ADVICE)
BATTLES = by_kind(
    kind(model.Land, summary=(*LOSSES, "attacker_units_left", "defender_units_left", "rounds")),
    kind(
        model.Naval, summary=(*LOSSES, "attacker_ships_left", "defender_ships_left", "rounds"),
        question=Question(sentence=SEA_BATTLE),
    ),
    offered(
        siege.Siege, check=siege.check, build=siege.build, version=3, results=siege.RESULTS,
        summary=("provinces_taken", "value_taken", "power_spent", "actions_used", "siege_strength"),
        question=Question("all_taken", headline.siege, headline.TAKEN),
    ),
    offered(
        npr_defence.NprDefence, check=npr_defence.check, build=npr_defence.build, summary=("land_units", "ships"),
        question=Question("mean.land_units", headline.NPR_DEFENCE),
    ),
    offered(
        crossing.Crossing, build=crossing.build,
        summary=("units_across", "power_spent", "power_for_all", "bridge_capacity"),
        question=Question(sentence=headline.crossing, endings=headline.ACROSS),
    ),
    offered(
        campaign_model.Campaign, check=campaign_model.check, build=campaign.build, version=4,
        parameters=model.TIMED, results=campaign.RESULTS,
        advice=replace(ADVICE, goal=("take all provinces", "keep a province")),
        question=Question("all_taken", headline.campaign, headline.AREA),
        summary=("provinces_taken", "value_taken", "power_spent", "attacker_units_left", "defender_units_left"),
    ),
    name="The Price of Power",
    total=model.total,
    forces=ForceColumns(
        {"units_left": "units left", "ships_left": "ships left"}, {"losses": ""}, money="ducats_lost",
        no_units=("regular", "mercenary", "allied", "damaged"),
    ),
    called=headline.called,
    price=forces.price,
    money="ducats",
)  # fmt: skip
