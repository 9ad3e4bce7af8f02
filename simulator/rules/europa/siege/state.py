"""The states of a siege, their stages, and the numbers of one siege.

docs/rules/europa_land_siege.md sections 4 and 5; the rules are in rules.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

(
    START, COLD, HOME, SUPPLY, GARRISON_ATTRITION, VIZIER, ATTRITION_FIRST, UNDERMINE, ASSAULT, STORM, LEADERS,
    ATTRITION_LATER, CONTINUE, ARRIVAL, EVASION, BATTLE, OVER, CHOICE, BREACH_CHOICE, STORM_CHOICE, RELIEF_CHOICE,
) = range(21)  # fmt: skip
# Moments between two rolls, in order (see `onward`); no state is ever left in one.
EFFECT_DONE, SEGMENT_DONE, ROUND_BEGINS, ARRIVED, SEGMENT_BEGINS, DECIDED, MEASURED, ACTS, ENDS = range(21, 30)
# The end of the siege: it goes on, the fortress fell (three ways), the besieger went away or was lost by supply, or a
# relief army ended it.
GOES_ON, BY_ASSAULT, BY_SURRENDER, BY_WAR_HONOURS, REDEPLOYED, STARVED, LIFTED = range(7)
# The actions of a besieger; the first two are also the options of its decision, the others those after a breach.
DIG, ATTACK, LEAVE = range(3)
AT_ONCE, WAIT = 0, 1
# The decisions on a relief army, in the order of the options (section 5.7). The last is the better of the others.
MEET, LIFT, EVADE, STORM_FIRST, BEST_ANSWER = range(5)
# The relief army: not come yet, come, or come and the besieger's leader is lost. What became of it: it was fought, won.
NOT_COME, COME, LEADER_LOST = range(3)
FOUGHT, RELIEVED = 1, 2
# Events (a siege segment's log), and 1 LD left in a taken fortress.
ATTRITION_ROLLED, ASSAULTED, MANNED = 1, 2, 4
# The box of the round track after the last one, and where a siege stands before its first box is rolled.
END_BOX, ROLL_BOX = 11, 12
SIEGEWORKS_MINUS, SIEGEWORKS_PLUS, BREACH, WAR_HONOURS, SURRENDER = 4, 7, 10, 12, 13
# Siegeworks codes stand for (siegeworks-, siegeworks+); two - become one +, and only the best two are kept (section
# 4.4 step 3).
WORKS = ((0, 0), (1, 0), (0, 1), (1, 1), (0, 2))
WORKS_VALUE = tuple(minus + 3 * plus for minus, plus in WORKS)
AFTER_MINUS = (1, 2, 3, 4, 4)
AFTER_PLUS = (2, 3, 4, 4, 4)
# An assault's result: thirds left of the besieger and of the garrison, fallen, counter placed, fragile leaders.
LEFT_MASK, GARRISON_SHIFT, FELL_SHIFT, COUNTER_SHIFT, FRAGILE_SHIFT = 31, 5, 10, 11, 12
ACTIONS = {"undermine": DIG, "assault": ATTACK, "redeploy": LEAVE}
# plan -> action, assault on a breach, storm once a breach counter lies there (section 5).
BEST = "best"
PLANS = {
    BEST: ("undermine", True, False),
    "undermine-until-breach": ("undermine", True, False),
    "assault-at-once": ("assault", True, False),
    "undermine-only": ("undermine", False, False),
    "breach-then-storm": ("undermine", True, True),
}


class SiegeParams(NamedTuple):
    """Numbers of one siege; tables are indices of chance tables."""

    campaign: int
    begins: int  # the moment at which the first round begins: its supply segment, or its siege segment
    rounds: int  # fixed number of rounds, 0 on the round track
    best: int  # the besieger decides before each segment and on each breach
    action: int
    storms: int  # breach-then-storm: assault once a breach counter lies there
    on_breach: int  # assault right after a breach
    grants: int  # war honours
    too_small: int
    mans: int  # 1 LD goes into a taken fortress
    distance: int
    die: int
    smallest: int  # thirds below which a besieger may not undermine: of any size without a supply line
    relief_chance: int  # table of its arrival in a round, NO_TABLE where it comes in a certain one
    relief_round: int  # the round in which it comes, 0 for none
    relief: int  # the besieger's answer
    evasion: int  # table of evading it
    relief_size: int  # thirds
    sortie: int  # the garrison joins the battle
    room: int  # thirds inside up to which its troops enter after a draw, 0 if they do not
    armies: np.ndarray  # [garrison]: it still has the ARMY that the counters of its troops once had
    relief_battle: np.ndarray  # [camp, garrison in a sortie]: table of battles, which are rows of the following
    battles: np.ndarray  # [battle, thirds left of the besieger | lost by the relief side | winner | leader lost]
    # If the besieger's leader may be lost, the numbers that depend on him have a row for each case.
    effect_camp: np.ndarray  # [lost, camp], to be added up with the two following
    effect_garrison: np.ndarray  # [without an ARMY, garrison]
    effect_counters: np.ndarray  # [works, breach, assault counter]
    supply: np.ndarray  # [garrison, first round]
    vizier: np.ndarray  # [lost]: table of his siege value, NO_TABLE where it is not drawn
    attrition: np.ndarray  # [lost, camp, pillages, bad weather, Vizier's siege value]: table
    lineless: int  # destroyed at the second supply segment in a row without a line
    wear: np.ndarray  # [lost, stage - COLD, camp, pillages]: table of what a winter or a supply segment leaves
    unit: int  # thirds that the besieger loses at a time
    garrison_attrition: np.ndarray  # [lost, garrison, works]: table, NO_TABLE where it suffers none
    assault: np.ndarray  # [lost, camp, garrison, right after a breach, counter]: table
    tests: np.ndarray  # [fell 1, besieger wiped out 2, fragile]: table
    next_box: np.ndarray  # [box]: table


class SiegeState(NamedTuple):
    """`hungry`: siege attrition follows the effect; `log`: what happened; `starved`: units lost by supply and winter.

    `action` and `drawn` are the besieger's and its Vizier's of this segment, `die` that of a breach to be decided.
    `relief`: has the relief army come; `relieving`: what became of it, `parted` its thirds that were lost or have
    entered the fortress; `loose`: they have entered a garrison that has lost its ARMY.

    The largest value of a field is its default, where it is the same in all sieges.
    """

    rounds: int
    camp: int
    garrison: int
    starved: int
    die: int
    relief: int
    relieving: int
    parted: int
    loose: int
    stage: int = RELIEF_CHOICE
    box: int = ROLL_BOX
    works: int = 4
    breach: int = 1
    counter: int = 1
    pillages: int = 4
    first: int = 1
    bad: int = 1
    hungry: int = 1
    how: int = LIFTED
    log: int = ATTRITION_ROLLED + ASSAULTED + MANNED
    fragile: int = 3
    fates: int = 63
    unsupplied: int = 1
    action: int = LEAVE
    drawn: int = 1
