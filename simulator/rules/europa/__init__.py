"""Europa Universalis 8/9: land battles and sieges (docs/rules/europa_land_siege.md), and the sea with all other
procedures (docs/rules/europa_naval_and_other.md).

Sources, as that document lists them: the military rules of 2016, the finished rule book of 2020 and the player-aid
tables of `BAMGames/europa-universalis-rules`, and `BAMGames/europa-universalis-implementation` (MIT).
"""

from __future__ import annotations

from functools import partial

from simulator.engine.model.chain import Chain
from simulator.rules.battle import Built, Clock, by_kind, offered
from simulator.rules.europa.land.outcome import land_decisions, land_outcome
from simulator.rules.europa.land.tables import LandSetup
from simulator.rules.europa.land.text import land_assumptions, land_explanation, land_line
from simulator.rules.europa.passages.expedition_model import Expedition, check_expedition
from simulator.rules.europa.passages.expedition_rules import build_expedition
from simulator.rules.europa.passages.passage_rules import PASSAGE
from simulator.rules.europa.procedures.attrition import ATTRITION
from simulator.rules.europa.procedures.blockade_run import BLOCKADE_RUN
from simulator.rules.europa.procedures.conquistador import CONQUISTADOR
from simulator.rules.europa.procedures.continuation import CONTINUATION
from simulator.rules.europa.procedures.corsair_raid import CORSAIR_RAID
from simulator.rules.europa.procedures.exploration import EXPLORATION
from simulator.rules.europa.procedures.interception import INTERCEPTION
from simulator.rules.europa.procedures.leader_survival import LEADER_SURVIVAL
from simulator.rules.europa.procedures.logistics import LOGISTICS
from simulator.rules.europa.procedures.native_activation import NATIVE_ACTIVATION
from simulator.rules.europa.procedures.strait_fire import STRAIT_FIRE
from simulator.rules.europa.sea.battle import NAVAL
from simulator.rules.europa.shared import land_model as model
from simulator.rules.europa.shared.text import country_rows, leader_rows, shown
from simulator.rules.europa.siege.outcome import siege_outcome
from simulator.rules.europa.siege.rules import GARRISON_ATTRITION
from simulator.rules.europa.siege.tables import SiegeSetup
from simulator.rules.europa.siege.text import siege_assumptions, siege_explanation, siege_line


def build_land(fields: model.Land) -> Built:
    """Everything that answers a land battle."""
    setup = LandSetup(fields)
    params, start, tell = setup.params, setup.start, partial(land_line, setup)
    return Built(
        chain=Chain(params, start, setup.limits, setup.tables.close(), tell=tell, may_be_over=True),
        outcome=partial(land_outcome, setup),
        assumptions=lambda: list(land_assumptions(setup)),
        explain=lambda: list(land_explanation(setup)),
        decisions=partial(land_decisions, setup),
    )


def build_siege(fields: model.Siege | model.Campaign) -> Built:
    """Everything that answers a siege segment or a campaign; on the round track no rule reads the number of rounds."""
    setup = SiegeSetup(fields)
    counters, tell = ("rounds",) if setup.track else (), partial(siege_line, setup)
    params, start = setup.params, setup.start
    return Built(
        chain=Chain(params, start, setup.limits, setup.tables.close(), counters, tell, may_be_over=True),
        outcome=partial(siege_outcome, setup),
        assumptions=lambda: list(siege_assumptions(setup)),
        explain=lambda: list(siege_explanation(setup)),
        # Rounds are counted when the segment begins; the garrison's attrition before it belongs to the same round.
        begun=(lambda states: states.rounds + (states.stage == GARRISON_ATTRITION)) if setup.campaign else None,
    )


LOSSES = ("attacker_losses_thirds", "defender_losses_thirds", "attacker_left_thirds", "defender_left_thirds")
SIEGE = ("attacker_left_thirds", "garrison_left_thirds", "fortress_level_after", "siegeworks_value", "pillages")

_siege = partial(offered, check=model.check_siege, build=build_siege, shown=shown(SIEGE))
BATTLES = by_kind(
    offered(
        model.Land,
        check=model.check_land,
        build=build_land,
        headline=(*LOSSES, "attacker_morale_left", "defender_morale_left"),
        shown=shown(LOSSES),
    ),
    _siege(model.Siege, headline=SIEGE),
    _siege(
        model.Campaign,
        headline=("rounds", *SIEGE),
        version=2,
        clock=Clock("rounds", "fallen", "the fortress has fallen", plans="policy.attacker.plan"),
    ),
    NAVAL,
    ATTRITION,
    INTERCEPTION,
    BLOCKADE_RUN,
    STRAIT_FIRE,
    CORSAIR_RAID,
    EXPLORATION,
    CONQUISTADOR,
    NATIVE_ACTIVATION,
    CONTINUATION,
    LEADER_SURVIVAL,
    LOGISTICS,
    PASSAGE,
    offered(
        Expedition,
        check=check_expedition,
        build=partial(build_expedition, build={"land": build_land, "siege": build_siege}),
        version=3,
        results={"lands": "landed", "wins ashore": "won_ashore", "takes the fortress": "fortress_taken"},
        headline=("stages_passed", "landed_thirds", "attacker_left_thirds", "fortress_level_after"),
    ),
)

LISTS = {"leaders": leader_rows, "countries": country_rows}
