"""Europa Universalis 8/9: land battles and sieges (docs/rules/europa_land_siege.md).

Sources, as that document lists them: the military rules of 2016, the finished rule book of 2020 and the player-aid
tables of `BAMGames/europa-universalis-rules`, and `BAMGames/europa-universalis-implementation` (MIT).
"""

from __future__ import annotations

from simulator.rules.battle import Battle, by_kind
from simulator.rules.europa import fields
from simulator.rules.europa.checks import check_land, check_siege
from simulator.rules.europa.explain import land_explanation, siege_explanation
from simulator.rules.europa.land_outcome import land_outcome
from simulator.rules.europa.land_setup import land_chain
from simulator.rules.europa.sea_kinds import KINDS as SEA_KINDS
from simulator.rules.europa.siege_outcome import campaign_outcome, siege_outcome
from simulator.rules.europa.siege_setup import siege_chain
from simulator.rules.europa.tell_land import tell_land
from simulator.rules.europa.tell_siege import tell_siege
from simulator.rules.europa.words import land_assumptions, siege_assumptions

BATTLES = by_kind(
    Battle(
        game="europa",
        kind="land",
        title="a land battle of at most two days",
        model=fields.Land,
        check=check_land,
        chain=land_chain,
        outcome=land_outcome,
        assumptions=land_assumptions,
        explain=land_explanation,
        tell=tell_land,
        headline=(
            "attacker_losses_thirds",
            "defender_losses_thirds",
            "attacker_left_thirds",
            "defender_left_thirds",
            "attacker_morale_left",
            "defender_morale_left",
        ),
    ),
    Battle(
        game="europa",
        kind="siege",
        title="one siege segment: undermining, an assault, attrition",
        model=fields.Siege,
        check=check_siege,
        chain=siege_chain,
        outcome=siege_outcome,
        assumptions=siege_assumptions,
        explain=siege_explanation,
        tell=tell_siege,
        headline=(
            "attacker_left_thirds",
            "garrison_left_thirds",
            "fortress_level_after",
            "siegeworks_value",
            "pillages",
        ),
    ),
    Battle(
        game="europa",
        kind="siege-campaign",
        title="a siege over several rounds, or to the end of the turn",
        model=fields.Campaign,
        check=check_siege,
        chain=siege_chain,
        outcome=campaign_outcome,
        assumptions=siege_assumptions,
        explain=siege_explanation,
        tell=tell_siege,
        headline=(
            "rounds",
            "attacker_left_thirds",
            "garrison_left_thirds",
            "fortress_level_after",
            "siegeworks_value",
            "pillages",
        ),
    ),
    *SEA_KINDS,
)
