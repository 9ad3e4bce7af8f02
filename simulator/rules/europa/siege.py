"""A siege as a chain of states: one segment, or rounds of them (docs/rules/europa_land_siege.md sections 4.4 to 5).

`camp` and `garrison` are thirds of the besieger and of the troops inside: what counters they are follows from them
(attrition.py). An assault is one chance table (assault.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.chain import helper, rule

(
    START, GARRISON_ATTRITION, ATTRITION_FIRST, UNDERMINE, ASSAULT, STORM, LEADERS, ATTRITION_LATER, CONTINUE, OVER
) = range(10)  # fmt: skip
# How the siege ended: it goes on, the fortress fell (three ways), or the besieger went away.
GOES_ON, BY_ASSAULT, BY_SURRENDER, BY_WAR_HONOURS, REDEPLOYED = range(5)
DIG, ATTACK, LEAVE = range(3)
ATTRITION_ROLLED, ASSAULTED = 1, 2
END_BOX = 11
SIEGEWORKS_MINUS, SIEGEWORKS_PLUS, BREACH, WAR_HONOURS, SURRENDER = 4, 7, 10, 12, 13
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
    supplied: int
    distance: int
    start: int
    die: int
    smallest: int  # thirds below which a besieger is too small
    starves: int  # the garrison suffers attrition from the second round on
    effect_camp: np.ndarray  # [camp], to be added up with the two following (+ 100, so that none is negative)
    effect_garrison: np.ndarray  # [garrison]
    effect_counters: np.ndarray  # [works, breach, assault counter]
    supply: np.ndarray  # [garrison, first round] (+ 100)
    after_minus: np.ndarray  # [works]
    after_plus: np.ndarray  # [works]
    attrition: np.ndarray  # [camp, pillages, bad weather]: table
    garrison_attrition: np.ndarray  # [garrison, works]: table
    assault: np.ndarray  # [camp, garrison, right after a breach, counter]: table
    leaders: np.ndarray  # [fell 1, besieger wiped out 2, fragile]: table
    next_box: np.ndarray  # [box]: table


class SiegeState(NamedTuple):
    """`hungry`: siege attrition follows the effect; `manned`: 1 LD was left in the taken fortress; `log`: what was
    rolled (siege segments only).
    """

    stage: int
    box: int
    rounds: int
    camp: int
    garrison: int
    works: int
    breach: int
    counter: int
    pillages: int
    first: int
    bad: int
    hungry: int
    how: int
    manned: int
    log: int
    fragile: int
    fates: int


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
    if s.stage == CONTINUE:
        return p.next_box[s.box]
    return p.start if s.stage == START else leader_table(p, s)


@rule(SiegeParams)
def step(p, s, result):
    """What one roll leads to."""
    if s.stage == UNDERMINE:
        return after_undermining(p, s, result)
    if ASSAULT <= s.stage <= STORM:
        return after_assault(p, s, result)
    if s.stage == ATTRITION_FIRST:
        s = suffer(p, s, result)
        return act(p, s, 0) if s.camp > 0 else over(p, s)
    if s.stage == ATTRITION_LATER:
        return after_segment(p, suffer(p, s, result))
    if s.stage == GARRISON_ATTRITION:
        return segment(p, with_garrison(s, result))
    if s.stage == CONTINUE:
        return over(p, s) if result >> 1 == END_BOX else next_round(p, s, result >> 1, result & 1)
    if s.stage == START:
        return segment(p, at_box(s, result >> 1, result & 1))
    return after_effect(p, with_fates(s, result))


# --- the round (section 5) ---------------------------------------------------------------------------------------


@helper
def next_round(p, s, box, bad):
    """From the second round on a garrison suffers attrition first, and it is no first round any more."""
    hungers = p.starves and s.garrison > 0
    s = SiegeState(
        GARRISON_ATTRITION, box, s.rounds, s.camp, s.garrison, s.works, s.breach, s.counter, s.pillages,
        0, bad, 0, GOES_ON, 0, 0, 0, 0,
    )  # fmt: skip
    return s if hungers else segment(p, s)


@helper
def segment(p, s):
    """Section 4.4 step 1: too small, or no supply line: siege attrition now."""
    s = SiegeState(
        ATTRITION_FIRST, s.box, s.rounds + 1, s.camp, s.garrison, s.works, s.breach, s.counter, s.pillages,
        s.first, s.bad, 0, GOES_ON, 0, 0, 0, 0,
    )  # fmt: skip
    return act(p, s, 1) if s.camp >= p.smallest and p.supplied else s


@helper
def act(p, s, may_undermine):
    """Step 2: what the besieger does."""
    action = ATTACK if p.storms and s.breach else p.action
    if action == DIG and not may_undermine:
        action = p.too_small
    if action == LEAVE:
        return over(p, ended(s, REDEPLOYED))
    return at_stage(s, UNDERMINE if action == DIG else ASSAULT)


@helper
def after_segment(p, s):
    """The next round, the end of the turn, or the end of the siege."""
    if s.how != GOES_ON or s.camp == 0 or s.rounds == p.rounds or not p.campaign:
        return over(p, s)
    return next_round(p, s, 0, s.bad) if p.rounds else at_stage(s, CONTINUE)


# --- undermining (section 4.4 steps 2 and 3) ---------------------------------------------------------------------


@helper
def effect(p, s, die):
    """The die and all that is added to it."""
    added = p.effect_camp[s.camp] + p.effect_garrison[s.garrison] + p.effect_counters[s.works, s.breach, s.counter]
    return die + added - 100


@helper
def after_undermining(p, s, die):
    """One die, used twice: effect and supply."""
    value = effect(p, s, die)
    hungry = 1 if die + p.supply[s.garrison, s.first] - 100 < p.distance else 0
    works, breach, how = s.works, s.breach, GOES_ON
    stormed = False
    if value >= SURRENDER:
        how = BY_SURRENDER
    elif value == WAR_HONOURS and p.grants:
        how = BY_WAR_HONOURS
    elif value >= BREACH:
        breach, stormed = 1, p.on_breach == 1
    elif value >= SIEGEWORKS_PLUS:
        works = p.after_plus[s.works] & 7
    elif value >= SIEGEWORKS_MINUS:
        works = p.after_minus[s.works] & 7
    s = SiegeState(
        STORM, s.box, s.rounds, s.camp, s.garrison, works, breach, s.counter, s.pillages,
        s.first, s.bad, hungry, how, 0, s.log, 0, 0,
    )  # fmt: skip
    return s if stormed else after_effect(p, s)


@helper
def after_effect(p, s):
    """A LD goes into the fallen fortress; then siege attrition, with any assault behind it, if supply failed."""
    if s.how != GOES_ON and p.mans and s.camp >= 3:
        s = with_garrison_left(s)
    return at_stage(s, ATTRITION_LATER) if s.hungry and s.camp > 0 else after_segment(p, s)


@helper
def suffer(p, s, result):
    """The besieger's siege attrition (section 4.3)."""
    log = s.log if p.campaign else s.log | ATTRITION_ROLLED
    return SiegeState(
        s.stage, s.box, s.rounds, result >> 3, s.garrison, s.works, s.breach, s.counter, result & 7,
        s.first, s.bad, 0, s.how, s.manned, log, 0, s.fates,
    )  # fmt: skip


# --- assault (section 4.5) ---------------------------------------------------------------------------------------


@helper
def after_assault(p, s, result):
    """Losses, the fall of the fortress or an assault counter; then leaders are tested, but not in a campaign."""
    camp, garrison = result & LEFT_MASK, (result >> GARRISON_SHIFT) & LEFT_MASK
    fell, placed = (result >> FELL_SHIFT) & 1, (result >> COUNTER_SHIFT) & 1
    log = s.log if p.campaign else s.log | ASSAULTED
    s = SiegeState(
        LEADERS, s.box, s.rounds, camp, garrison, s.works, s.breach, s.counter | placed, s.pillages,
        s.first, s.bad, s.hungry, BY_ASSAULT if fell else GOES_ON, 0, log,
        0 if p.campaign else result >> FRAGILE_SHIFT, 0,
    )  # fmt: skip
    return after_effect(p, s) if p.campaign else s


@helper
def leader_table(p, s):
    """Leader tests: the winner is the besieger if the fortress fell, else the besieged."""
    return p.leaders[1 if s.how == BY_ASSAULT else 2 if s.camp == 0 else 0, s.fragile]


# --- new states --------------------------------------------------------------------------------------------------


@helper
def at_stage(s, stage):
    """The same state at another stage."""
    return SiegeState(
        stage, s.box, s.rounds, s.camp, s.garrison, s.works, s.breach, s.counter, s.pillages,
        s.first, s.bad, s.hungry, s.how, s.manned, s.log, s.fragile, s.fates,
    )  # fmt: skip


@helper
def at_box(s, box, bad):
    """The same state in a box of the round track."""
    return SiegeState(
        s.stage, box, s.rounds, s.camp, s.garrison, s.works, s.breach, s.counter, s.pillages,
        s.first, bad, s.hungry, s.how, s.manned, s.log, s.fragile, s.fates,
    )  # fmt: skip


@helper
def with_garrison(s, garrison):
    """The same state with another garrison."""
    return SiegeState(
        s.stage, s.box, s.rounds, s.camp, garrison, s.works, s.breach, s.counter, s.pillages,
        s.first, s.bad, s.hungry, s.how, s.manned, s.log, s.fragile, s.fates,
    )  # fmt: skip


@helper
def with_garrison_left(s):
    """Policy `garrison` spends 1 LD on a taken fortress (section 4.6)."""
    return SiegeState(
        s.stage, s.box, s.rounds, s.camp - 3, s.garrison, s.works, s.breach, s.counter, s.pillages,
        s.first, s.bad, s.hungry, s.how, 1, s.log, s.fragile, s.fates,
    )  # fmt: skip


@helper
def with_fates(s, fates):
    """The same state with the fates of both leaders."""
    return SiegeState(
        s.stage, s.box, s.rounds, s.camp, s.garrison, s.works, s.breach, s.counter, s.pillages,
        s.first, s.bad, s.hungry, s.how, s.manned, s.log, 0, fates,
    )  # fmt: skip


@helper
def ended(s, how):
    """The same state, ended in some way."""
    return SiegeState(
        s.stage, s.box, s.rounds, s.camp, s.garrison, s.works, s.breach, s.counter, s.pillages,
        s.first, s.bad, s.hungry, how, s.manned, s.log, s.fragile, s.fates,
    )  # fmt: skip


@helper
def over(p, s):
    """What cannot matter any more is forgotten: siegeworks and counters of a siege that has ended read 0."""
    lies = 1 if s.how == GOES_ON else 0
    rounds = s.rounds if p.campaign else 0
    return SiegeState(
        OVER, 0, rounds, s.camp, s.garrison, s.works * lies, s.breach * lies, s.counter * lies, s.pillages,
        0, 0, 0, s.how, s.manned, s.log, 0, s.fates,
    )  # fmt: skip
