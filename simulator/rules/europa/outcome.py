"""Final states as the user's columns (docs/rules/europa_land_siege.md sections 3.5 to 3.7, 4.6, 4.7 and 5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.rules.battle import Columns
from simulator.rules.europa import land_rules as land
from simulator.rules.europa import siege_rules as siege
from simulator.rules.europa.land_tables import LandSetup
from simulator.rules.europa.leaders import FATES, KILLED, fate_columns
from simulator.rules.europa.model import is_non_european
from simulator.rules.europa.siege_tables import SiegeSetup
from simulator.rules.europa.stacks import LD, SIDES
from simulator.rules.toolkit.naming import winners

MAJOR_GAP, MAJOR_GAP_OF_THE_HUGE = 3 * LD, 4 * LD
DAYS = np.array([0, 1, 1, 2, 2])
PLUSES = np.array([plus for _, plus in siege.WORKS])


def land_outcome(met: LandSetup, states: Any) -> Columns:
    """Outputs of section 3.7."""
    losses = (states.caused_d, states.caused_a)
    suffered = (states.stars_d, states.stars_a)
    morale = [stack.morale - stars for stack, stars in zip(met.stacks, suffered, strict=True)]
    unfought, major = states.ended == land.UNENDED, np.zeros(len(states.winner), bool)
    columns: Columns = {"winner": states.winner, "ended_on_day": DAYS[states.ended]}
    for side, name in enumerate(SIDES):
        columns[f"{name}_losses_thirds"] = losses[side]
        columns[f"{name}_left_thirds"] = met.stacks[side].size - losses[side]
        columns[f"{name}_morale_left"] = morale[side]
        columns[f"{name}_routed"] = morale[side] == 0
        columns[f"{name}_destroyed"] = losses[side] == met.stacks[side].size
        columns[f"{name}_broke_off"] = states.broke == side + 1
        columns |= fate_columns(name, states.fates // FATES if side else states.fates % FATES)
        # A major battle (section 3.5 step 10).
        enemy, gap = 1 - side, MAJOR_GAP_OF_THE_HUGE if met.steps[side] == 2 else MAJOR_GAP
        counts = met.europe or (met.stacks[enemy].has_army and not is_non_european(met.stacks[enemy].side))
        beaten = (states.winner == side) & (morale[enemy] == 0) & (losses[enemy] >= losses[side] + gap)
        major |= beaten & counts
    columns["major_victory"] = major
    columns["evaded"] = unfought & (states.winner == land.NOBODY)
    columns["overrun"] = unfought & (states.winner != land.NOBODY)
    return columns


def land_decisions(met: LandSetup, states: Any, options: np.ndarray) -> Columns:
    """States in which a side may try to break off (docs/rules/decisions.md section 2.3), and whether it does."""
    asked = np.where(states.stage == land.FIRST_CHOICE, met.first, 1 - met.first)
    morale = [stack.morale - stars for stack, stars in zip(met.stacks, (states.stars_d, states.stars_a), strict=True)]
    return {
        "decision": np.array([f"policy.{name}.break_off" for name in SIDES])[asked],
        "attacker_morale": morale[0],
        "defender_morale": morale[1],
        "attacker_losses_thirds": met.params.inflicted[1, states.caused_d, states.last_d],
        "defender_losses_thirds": met.params.inflicted[0, states.caused_a, states.last_a],
        "after_failed": (states.failed & (2 - asked)) > 0,
        "choice": np.where(options == land.BREAK_OFF, "break off", "stay"),
    }


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
