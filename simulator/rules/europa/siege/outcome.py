"""Final states of a siege as columns (docs/rules/europa_land_siege.md sections 4.6, 4.7 and 5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.rules.battle import Columns
from simulator.rules.europa.shared.leaders import FATES, KILLED, fate_columns
from simulator.rules.europa.shared.stacks import LD
from simulator.rules.europa.siege import rules as siege
from simulator.rules.europa.siege.tables import SiegeSetup
from simulator.rules.toolkit.naming import winners

PLUSES = np.array([plus for _, plus in siege.WORKS])


def siege_outcome(craft: SiegeSetup, states: Any) -> Columns:
    """Outputs of a siege segment (section 4.7) and of a campaign (section 5)."""
    how = states.how
    fallen = (how == siege.BY_ASSAULT) | (how == siege.BY_SURRENDER) | (how == siege.BY_WAR_HONOURS)
    gone = (states.camp == 0) & ~fallen
    # Level drops by 2, or by 1 with a garrison; never under 1 in Europe or for a city, else not under 0 (section 4.6).
    least = 1 if craft.europe or craft.fields.conditions.city else 0
    taken = np.maximum(least, craft.level - np.where((states.log & siege.MANNED) > 0, 1, 2))
    free = np.where(how == siege.BY_WAR_HONOURS, states.garrison + LD, 0)
    columns = {
        "winner": winners(fallen, gone | (how == siege.REDEPLOYED)),
        "fallen": fallen,
        "fell_by_assault": how == siege.BY_ASSAULT,
        "fell_by_surrender": how == siege.BY_SURRENDER,
        "fell_by_war_honours": how == siege.BY_WAR_HONOURS,
        "redeployed": how == siege.REDEPLOYED,
        "attacker_destroyed": gone,
        "breach_counter": states.breach == 1,
        "assault_counter": states.counter == 1,
        "attacker_left_thirds": states.camp,
        "garrison_left_thirds": np.where(fallen, free, states.garrison),
        "fortress_level_after": np.where(fallen, taken, craft.level),
        "siegeworks_value": np.array(siege.WORKS_VALUE)[states.works],
        "pillages": states.pillages,
    }
    return columns | (of_campaign(craft, states) if craft.campaign else of_segment(craft, states))


def of_segment(craft: SiegeSetup, states: Any) -> Columns:
    """What is told of a segment alone: what happened, and the leaders."""
    columns: Columns = {
        "assaulted": (states.log & siege.ASSAULTED) > 0,
        "attrition": (states.log & siege.ATTRITION_ROLLED) > 0,
        **fate_columns("attacker", states.fates % FATES),
        **fate_columns("defender", states.fates // FATES),
    }
    # A given leader inside is captured when the fortress falls, by war honours only a king (section 4.6).
    leader, how = craft.besieged.leader, states.how
    taken = (how == siege.BY_SURRENDER) | ((how == siege.BY_ASSAULT) & (states.fates // FATES != KILLED))
    taken |= (how == siege.BY_WAR_HONOURS) & (leader.kind == "king")
    columns["defender_leader_captured"] |= leader.given & taken
    return columns


def of_campaign(craft: SiegeSetup, states: Any) -> Columns:
    """What is told of a campaign alone."""
    holds_on = (PLUSES[states.works] > 0) | (states.breach == 1)
    enough = (states.camp > 0) & (states.camp >= LD * craft.level) & craft.fields.conditions.supply_line
    return {"rounds": states.rounds, "can_continue": (states.how == siege.GOES_ON) & enough & holds_on}
