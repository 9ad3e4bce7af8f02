"""Final states of a siege as the user's columns (docs/rules/europa_land_siege.md sections 4.6, 4.7 and 5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Columns
from simulator.rules.europa import leaders as fates
from simulator.rules.europa import siege
from simulator.rules.europa.siegecraft import WORKS, WORKS_VALUE, Siegecraft, siegecraft
from simulator.rules.europa.stacks import LD

PLUSES = np.array([plus for _, plus in WORKS])


def siege_outcome(fields: Any, states: Any) -> Columns:
    """Outputs of section 4.7."""
    craft = siegecraft(fields)
    columns = common(craft, states)
    columns["assaulted"] = (states.log & siege.ASSAULTED) > 0
    columns["attrition"] = (states.log & siege.ATTRITION_ROLLED) > 0
    columns |= fates.fate_columns("attacker", states.fates % fates.FATES)
    columns |= fates.fate_columns("defender", states.fates // fates.FATES)
    columns["defender_leader_captured"] |= captured(craft, states)
    return columns


def campaign_outcome(fields: Any, states: Any) -> Columns:
    """Outputs of section 5."""
    craft = siegecraft(fields)
    columns = common(craft, states)
    columns["rounds"] = states.rounds
    holds_on = (PLUSES[states.works] > 0) | (states.breach == 1)
    enough = (states.camp > 0) & (states.camp >= LD * craft.level) & fields.conditions.supply_line
    columns["can_continue"] = (states.how == siege.GOES_ON) & enough & holds_on
    return columns


def common(craft: Siegecraft, states: Any) -> Columns:
    """Outputs of a segment and of a campaign alike."""
    how = states.how
    fallen = (how == siege.BY_ASSAULT) | (how == siege.BY_SURRENDER) | (how == siege.BY_WAR_HONOURS)
    gone = (states.camp == 0) & ~fallen
    manned = states.manned == 1
    inside = np.where(how == siege.BY_WAR_HONOURS, states.garrison + LD, np.where(fallen, 0, states.garrison))
    repulsed = gone | (how == siege.REDEPLOYED)
    return {
        "winner": np.where(fallen, ATTACKER, np.where(repulsed, DEFENDER, NOBODY)),
        "fallen": fallen,
        "fell_by_assault": how == siege.BY_ASSAULT,
        "fell_by_surrender": how == siege.BY_SURRENDER,
        "fell_by_war_honours": how == siege.BY_WAR_HONOURS,
        "redeployed": how == siege.REDEPLOYED,
        "attacker_destroyed": gone,
        "breach_counter": states.breach == 1,
        "assault_counter": states.counter == 1,
        "attacker_left_thirds": states.camp,
        "garrison_left_thirds": inside,
        "fortress_level_after": level_after(craft, fallen, manned),
        "siegeworks_value": np.array(WORKS_VALUE)[states.works],
        "pillages": states.pillages,
    }


def level_after(craft: Siegecraft, fallen: np.ndarray, manned: np.ndarray) -> np.ndarray:
    """Level drops by 2, or by 1 with a garrison; never under 1 in Europe or for a city, else not under 0."""
    least = 1 if craft.europe or craft.fields.conditions.city else 0
    return np.where(fallen, np.maximum(least, craft.level - np.where(manned, 1, 2)), craft.level)


def captured(craft: Siegecraft, states: Any) -> np.ndarray:
    """A given leader inside is captured when the fortress falls, by war honours only a king (section 4.6)."""
    leader = craft.besieged.leader
    if not leader.given:
        return np.zeros(len(states.how), bool)
    killed = states.fates // fates.FATES == fates.KILLED
    taken = ((states.how == siege.BY_ASSAULT) & ~killed) | (states.how == siege.BY_SURRENDER)
    return taken | ((states.how == siege.BY_WAR_HONOURS) & (leader.kind == "king"))
