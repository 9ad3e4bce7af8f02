"""The Price of Power: land, naval, siege, npr-defence, crossing, campaign.

Rules and their sources: docs/rules/price_of_power.md; sources of the data: data/README.md.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from simulator.rules.battle import Built, by_kind, offered
from simulator.rules.price_of_power import checks, forces, headline, model, text
from simulator.rules.price_of_power.outcome import decisions, outcome
from simulator.rules.price_of_power.procedures import campaign, campaign_model, crossing, npr_defence, siege
from simulator.rules.price_of_power.state import DEFENDER_CHARGES
from simulator.rules.price_of_power.tables import Setup, starts_of
from simulator.rules.question import Question


def build(fields: model.AnyBattle) -> Built:
    """A land or naval battle."""
    setup = Setup(fields)
    chain = text.chain_with_replay(setup)
    return Built(
        chain=chain,
        outcome=partial(outcome, setup),
        assumptions=lambda: [*text.assumptions(setup)],
        explain=lambda: [*text.explain(setup)],
        decisions=partial(decisions, setup, chain.params),
        begun=lambda states: np.where((states.phase <= DEFENDER_CHARGES) | (states.charge > 0), 0, states.rounds + 1),
        counting={"options.count_rounds": True},
        starts=starts_of(setup),
    )


LOSSES = ("attacker_losses", "defender_losses")
kind = partial(offered, check=checks.check, build=build, version=3, parameters=model.TIMED)
BATTLES = by_kind(
    kind(model.Land, summary=(*LOSSES, "attacker_units_left", "defender_units_left", "rounds")),
    kind(
        model.Naval, summary=(*LOSSES, "attacker_ships_left", "defender_ships_left", "rounds"),
        question=Question(sentence=headline.NAVAL),
    ),
    offered(
        siege.Siege, check=siege.check, build=siege.build, version=3, results=siege.RESULTS,
        summary=("provinces_taken", "value_taken", "power_spent", "actions_used", "siege_strength"),
        question=Question("all_taken", headline.siege),
    ),
    offered(
        npr_defence.NprDefence, check=npr_defence.check, build=npr_defence.build, summary=("land_units", "ships"),
        question=Question("mean.land_units", headline.NPR_DEFENCE),
    ),
    offered(
        crossing.Crossing, build=crossing.build,
        summary=("units_across", "power_spent", "power_for_all", "bridge_capacity"),
        question=Question(sentence=headline.crossing),
    ),
    offered(
        campaign_model.Campaign, check=campaign_model.check, build=campaign.build, version=4,
        parameters=model.TIMED, results=campaign.RESULTS,
        question=Question("all_taken", headline.campaign),
        summary=("provinces_taken", "value_taken", "power_spent", "attacker_units_left", "defender_units_left"),
    ),
    name="The Price of Power",
    total=model.total,
    called=headline.called,
    price=forces.price,
    money="ducats",
)  # fmt: skip
