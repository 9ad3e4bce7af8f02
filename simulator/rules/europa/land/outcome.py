"""Final states of a land battle as columns (docs/rules/europa_land_siege.md sections 3.5 to 3.7)."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.rules.battle import Columns
from simulator.rules.europa.land import rules as land
from simulator.rules.europa.land.tables import LandSetup
from simulator.rules.europa.shared.land_model import is_non_european
from simulator.rules.europa.shared.leaders import FATES, fate_columns
from simulator.rules.europa.shared.stacks import LD, SIDES

MAJOR_GAP, MAJOR_GAP_OF_THE_HUGE = 3 * LD, 4 * LD
DAYS = np.array([0, 1, 1, 2, 2])


def land_outcome(setup: LandSetup, states: Any) -> Columns:
    """Outputs of section 3.7."""
    losses = (states.caused_d, states.caused_a)
    suffered = (states.stars_d, states.stars_a)
    morale = [stack.morale - stars for stack, stars in zip(setup.stacks, suffered, strict=True)]
    unfought, major = states.ended == land.UNENDED, np.zeros(len(states.winner), bool)
    columns: Columns = {"winner": states.winner, "ended_on_day": DAYS[states.ended]}
    for side, name in enumerate(SIDES):
        columns[f"{name}_losses_thirds"] = losses[side]
        columns[f"{name}_left_thirds"] = setup.stacks[side].size - losses[side]
        columns[f"{name}_morale_left"] = morale[side]
        columns[f"{name}_routed"] = morale[side] == 0
        columns[f"{name}_destroyed"] = losses[side] == setup.stacks[side].size
        columns[f"{name}_broke_off"] = states.broke == side + 1
        columns |= fate_columns(name, states.fates // FATES if side else states.fates % FATES)
        # A major battle (section 3.5 step 10).
        enemy, gap = 1 - side, MAJOR_GAP_OF_THE_HUGE if setup.steps[side] == 2 else MAJOR_GAP
        counts = setup.europe or (setup.stacks[enemy].has_army and not is_non_european(setup.stacks[enemy].side))
        beaten = (states.winner == side) & (morale[enemy] == 0) & (losses[enemy] >= losses[side] + gap)
        major |= beaten & counts
    columns["major_victory"] = major
    columns["evaded"] = unfought & (states.winner == land.NOBODY)
    columns["overrun"] = unfought & (states.winner != land.NOBODY)
    return columns


def land_decisions(setup: LandSetup, states: Any, options: np.ndarray) -> Columns:
    """States in which a side may try to break off (docs/rules/decisions.md section 2.3), and whether it does."""
    asked = np.where(states.stage == land.FIRST_CHOICE, setup.first, 1 - setup.first)
    morale = [stack.morale - stars for stack, stars in zip(setup.stacks, (states.stars_d, states.stars_a), strict=True)]
    return {
        "decision": np.array([f"policy.{name}.break_off" for name in SIDES])[asked],
        "attacker_morale": morale[0],
        "defender_morale": morale[1],
        "attacker_losses_thirds": setup.params.inflicted[1, states.caused_d, states.last_d],
        "defender_losses_thirds": setup.params.inflicted[0, states.caused_a, states.last_a],
        "after_failed": (states.failed & (2 - asked)) > 0,
        "choice": np.where(options == land.BREAK_OFF, "break off", "stay"),
    }
