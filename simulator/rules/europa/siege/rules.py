"""A siege as a chain of states: one segment, or rounds of them (docs/rules/europa_land_siege.md sections 4.4 to 5).

`camp` and `garrison` are thirds of the besieger and of the troops inside: what counters they are follows from them
(shared/losses.py). An assault is one chance table (assault.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import helper, rule
from simulator.engine.model.chance import NO_TABLE

(
    START, GARRISON_ATTRITION, ATTRITION_FIRST, UNDERMINE, ASSAULT, STORM, LEADERS, ATTRITION_LATER, CONTINUE, OVER
) = range(10)  # fmt: skip
# How the siege ended: it goes on, the fortress fell (three ways), or the besieger went away.
GOES_ON, BY_ASSAULT, BY_SURRENDER, BY_WAR_HONOURS, REDEPLOYED = range(5)
DIG, ATTACK, LEAVE = range(3)
# What happened (a siege segment's log), and 1 LD left in a taken fortress.
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


class SiegeParams(NamedTuple):
    """Numbers of one siege; tables are indices of chance tables."""

    campaign: int
    rounds: int  # fixed number of rounds, 0 on the round track
    action: int
    storms: int  # breach-then-storm: assault once a breach counter lies there
    on_breach: int  # assault right after a breach
    grants: int  # war honours
    too_small: int
    mans: int  # 1 LD goes into a taken fortress
    distance: int
    die: int
    smallest: int  # thirds below which a besieger may not undermine: of any size without a supply line
    effect_camp: np.ndarray  # [camp], to be added up with the two following
    effect_garrison: np.ndarray  # [garrison]
    effect_counters: np.ndarray  # [works, breach, assault counter]
    supply: np.ndarray  # [garrison, first round]
    attrition: np.ndarray  # [camp, pillages, bad weather]: table
    garrison_attrition: np.ndarray  # [garrison, works]: table, NO_TABLE where it suffers none
    assault: np.ndarray  # [camp, garrison, right after a breach, counter]: table
    tests: np.ndarray  # [fell 1, besieger wiped out 2, fragile]: table
    next_box: np.ndarray  # [box]: table


class SiegeState(NamedTuple):
    """`hungry`: siege attrition follows the effect; `log`: what happened.

    The largest value of a field is its default, where it is the same in all sieges.
    """

    rounds: int
    camp: int
    garrison: int
    stage: int = OVER
    box: int = ROLL_BOX
    works: int = 4
    breach: int = 1
    counter: int = 1
    pillages: int = 4
    first: int = 1
    bad: int = 1
    hungry: int = 1
    how: int = REDEPLOYED
    log: int = ATTRITION_ROLLED + ASSAULTED + MANNED
    fragile: int = 3
    fates: int = 63


@rule(SiegeParams)
def running(p, s):
    """Does the siege go on?"""
    return s.stage != OVER


@rule(SiegeParams)
def table(p, s):
    """The chance table of the next roll."""
    if s.stage == UNDERMINE:
        return p.die
    if ASSAULT <= s.stage <= STORM:
        return p.assault[s.camp, s.garrison, 1 if s.stage == STORM else 0, s.counter]
    if s.stage == ATTRITION_FIRST or s.stage == ATTRITION_LATER:  # noqa: PLR1714 - compiled
        return p.attrition[s.camp, s.pillages, s.bad]
    if s.stage == GARRISON_ATTRITION:
        return p.garrison_attrition[s.garrison, s.works]
    if s.stage == LEADERS:
        return p.tests[1 if s.how == BY_ASSAULT else 2 if s.camp == 0 else 0, s.fragile]
    return p.next_box[s.box]


@rule(SiegeParams)
def step(p, s, result):
    """The state after one roll."""
    if s.stage == UNDERMINE:
        return after_undermining(p, s, result)
    if ASSAULT <= s.stage <= STORM:
        return after_assault(p, s, result)
    if s.stage == ATTRITION_FIRST:
        s = suffer(p, s, result)
        return act(p, s, 0) if s.camp > 0 else over(s)
    if s.stage == ATTRITION_LATER:
        return after_segment(p, suffer(p, s, result))
    if s.stage == GARRISON_ATTRITION:
        return segment(p, s._replace(garrison=result >> 3))
    if s.stage == CONTINUE:
        return over(s) if result >> 1 == END_BOX else next_round(p, s, result >> 1, result & 1)
    if s.stage == START:
        return segment(p, s._replace(box=result >> 1, bad=result & 1))
    return after_effect(p, s._replace(fragile=0, fates=s.fates + result))


# --- the round (section 5) ---------------------------------------------------------------------------------------


@helper
def next_round(p, s, box, bad):
    """From the second round on a garrison suffers attrition first, and it is no first round any more."""
    s = s._replace(stage=GARRISON_ATTRITION, box=box, first=0, bad=bad, hungry=0)
    return s if p.garrison_attrition[s.garrison, s.works] != NO_TABLE else segment(p, s)


@helper
def segment(p, s):
    """Section 4.4 step 1: too small, or no supply line: siege attrition now. Rounds count in campaigns."""
    s = s._replace(stage=ATTRITION_FIRST, rounds=s.rounds + p.campaign)
    return act(p, s, 1) if s.camp >= p.smallest else s


@helper
def act(p, s, may_undermine):
    """Step 2: what the besieger does."""
    action = ATTACK if p.storms and s.breach else p.action
    if action == DIG and not may_undermine:
        action = p.too_small
    if action == LEAVE:
        return over(s._replace(how=REDEPLOYED))
    return s._replace(stage=UNDERMINE if action == DIG else ASSAULT)


@helper
def after_segment(p, s):
    """The next round, the end of the turn, or the end of the siege."""
    if s.how != GOES_ON or s.camp == 0 or not p.campaign:
        return over(s)
    if p.rounds == 0:
        return s._replace(stage=CONTINUE)
    return over(s) if s.rounds == p.rounds else next_round(p, s, 0, s.bad)


# --- undermining (section 4.4 steps 2 and 3) ---------------------------------------------------------------------


@helper
def effect(p, s, die):
    """The die and all that is added to it."""
    added = p.effect_camp[s.camp] + p.effect_garrison[s.garrison] + p.effect_counters[s.works, s.breach, s.counter]
    return die + added


@helper
def after_undermining(p, s, die):
    """One die, used twice: effect and supply."""
    value = effect(p, s, die)
    s = s._replace(hungry=1 if die + p.supply[s.garrison, s.first] < p.distance else 0)
    if value >= SURRENDER:
        return after_effect(p, s._replace(how=BY_SURRENDER))
    if value == WAR_HONOURS and p.grants:
        return after_effect(p, s._replace(how=BY_WAR_HONOURS))
    if value >= BREACH:
        s = s._replace(breach=1)
        return s._replace(stage=STORM) if p.on_breach else after_effect(p, s)
    if value >= SIEGEWORKS_PLUS:
        s = s._replace(works=AFTER_PLUS[s.works])
    elif value >= SIEGEWORKS_MINUS:
        s = s._replace(works=AFTER_MINUS[s.works])
    return after_effect(p, s)


@helper
def after_effect(p, s):
    """A LD goes into the fallen fortress; then siege attrition, with any assault behind it, if supply failed."""
    if s.how != GOES_ON and p.mans and s.camp >= 3:
        s = s._replace(camp=s.camp - 3, log=s.log + MANNED)
    return s._replace(stage=ATTRITION_LATER) if s.hungry and s.camp > 0 else after_segment(p, s)


@helper
def suffer(p, s, result):
    """The besieger's siege attrition (section 4.3); a campaign keeps no log of it."""
    log = s.log if p.campaign else s.log + ATTRITION_ROLLED
    return s._replace(camp=result >> 3, pillages=result & 7, hungry=0, log=log)


# --- assault (section 4.5) ---------------------------------------------------------------------------------------


@helper
def after_assault(p, s, result):
    """Losses, the fall of the fortress or an assault counter; then leaders are tested, but not in a campaign."""
    s = s._replace(
        camp=result & LEFT_MASK,
        garrison=(result >> GARRISON_SHIFT) & LEFT_MASK,
        counter=s.counter | ((result >> COUNTER_SHIFT) & 1),
        how=BY_ASSAULT if (result >> FELL_SHIFT) & 1 else GOES_ON,
    )
    if p.campaign:
        return after_effect(p, s)
    return s._replace(stage=LEADERS, fragile=result >> FRAGILE_SHIFT, log=s.log + ASSAULTED)


@helper
def over(s):
    """Set numbers that no longer matter to 0: siegeworks and counters of a siege that has ended."""
    lies = 1 if s.how == GOES_ON else 0
    works, breach, counter = s.works * lies, s.breach * lies, s.counter * lies
    return s._replace(
        stage=OVER, box=0, works=works, breach=breach, counter=counter, first=0, bad=0, hungry=0, fragile=0
    )
