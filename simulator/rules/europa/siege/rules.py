"""A siege as a chain of states: one segment, or rounds of them (docs/rules/europa_land_siege.md sections 4.4 to 5).

`camp` and `garrison` are thirds of the besieger and of the troops inside: what counters they are follows from them
(shared/losses.py). An assault is one chance table (assault.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model import chain
from simulator.engine.model.chain import helper, rule
from simulator.engine.model.chance import NO_TABLE

(
    START, COLD, HOME, SUPPLY, GARRISON_ATTRITION, VIZIER, ATTRITION_FIRST, UNDERMINE, ASSAULT, STORM, LEADERS,
    ATTRITION_LATER, CONTINUE, OVER, CHOICE, BREACH_CHOICE,
) = range(16)  # fmt: skip
# Moments between two rolls, in order (see `onward`); no state is ever left in one.
EFFECT_DONE, SEGMENT_DONE, ROUND_BEGINS, DECIDED, MEASURED, ACTS, ENDS = range(16, 23)
# The end of the siege: it goes on, the fortress fell (three ways), or the besieger went away or was lost by supply.
GOES_ON, BY_ASSAULT, BY_SURRENDER, BY_WAR_HONOURS, REDEPLOYED, STARVED = range(6)
# The actions of a besieger; the first two are also the options of its decision, the others those after a breach.
DIG, ATTACK, LEAVE = range(3)
AT_ONCE, WAIT = 0, 1
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
    effect_camp: np.ndarray  # [camp], to be added up with the two following
    effect_garrison: np.ndarray  # [garrison]
    effect_counters: np.ndarray  # [works, breach, assault counter]
    supply: np.ndarray  # [garrison, first round]
    vizier: int  # table of his siege value, NO_TABLE where it is not drawn
    attrition: np.ndarray  # [camp, pillages, bad weather, Vizier's siege value]: table
    lineless: int  # destroyed at the second supply segment in a row without a line
    wear: np.ndarray  # [stage - COLD, camp, pillages]: table of what a winter or a supply segment leaves
    unit: int  # thirds that the besieger loses at a time
    garrison_attrition: np.ndarray  # [garrison, works]: table, NO_TABLE where it suffers none
    assault: np.ndarray  # [camp, garrison, right after a breach, counter]: table
    tests: np.ndarray  # [fell 1, besieger wiped out 2, fragile]: table
    next_box: np.ndarray  # [box]: table


class SiegeState(NamedTuple):
    """`hungry`: siege attrition follows the effect; `log`: what happened; `starved`: units lost by supply and winter.

    `action` and `drawn` are the besieger's and its Vizier's of this segment, `die` that of a breach to be decided.

    The largest value of a field is its default, where it is the same in all sieges.
    """

    rounds: int
    camp: int
    garrison: int
    starved: int
    die: int
    stage: int = BREACH_CHOICE
    box: int = ROLL_BOX
    works: int = 4
    breach: int = 1
    counter: int = 1
    pillages: int = 4
    first: int = 1
    bad: int = 1
    hungry: int = 1
    how: int = STARVED
    log: int = ATTRITION_ROLLED + ASSAULTED + MANNED
    fragile: int = 3
    fates: int = 63
    unsupplied: int = 1
    action: int = LEAVE
    drawn: int = 1


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
        return p.attrition[s.camp, s.pillages, s.bad, s.drawn]
    if COLD <= s.stage <= GARRISON_ATTRITION:
        return table_between(p, s)
    if s.stage == LEADERS:
        return p.tests[1 if s.how == BY_ASSAULT else 2 if s.camp == 0 else 0, s.fragile]
    if s.stage == VIZIER:
        return p.vizier
    return NO_TABLE if s.stage >= CHOICE else p.next_box[s.box]


@rule(SiegeParams)
def step(p, s, result):
    """The state after one roll, or a decision."""
    return onward(p, rolled(p, s, result))


@rule(SiegeParams)
def decides(p, s):
    """A besieger whose plan is `best` decides before each segment and on each breach (section 5.4)."""
    return 1 if s.stage >= CHOICE else 0


@rule(SiegeParams)
def options(p, s):
    """Undermine or assault; assault at once or wait."""
    return 2


@rule(SiegeParams)
def choose(p, s):
    """Only a decision that is to be made as well as possible is a state of its own."""
    return chain.BEST


@helper
def rolled(p, s, result):
    """Changes by one result, and the moment that follows; `onward` handles each moment in one place."""
    if s.stage == UNDERMINE:
        return after_undermining(p, s, result)
    if ASSAULT <= s.stage <= STORM:
        return after_assault(p, s, result)
    if s.stage == ATTRITION_FIRST or s.stage == ATTRITION_LATER:  # noqa: PLR1714 - compiled
        return suffer(p, s, result)
    if COLD <= s.stage <= SUPPLY:
        return worn(p, s._replace(stage=s.stage + 1), result >> 3, result & 7)
    if s.stage == GARRISON_ATTRITION:
        return s._replace(stage=ROUND_BEGINS, garrison=result >> 3)
    if s.stage == VIZIER:
        return s._replace(stage=MEASURED, drawn=result)
    if s.stage == CONTINUE:
        return next_round(p, s, result >> 1, result & 1)
    if s.stage == START:
        return s._replace(stage=p.begins, box=result >> 1, bad=result & 1)
    if s.stage == CHOICE:
        return s._replace(stage=DECIDED, action=result)
    if s.stage == BREACH_CHOICE:
        stage = STORM if result == AT_ONCE else EFFECT_DONE
        return s._replace(stage=stage, breach=1, die=0, hungry=is_hungry(p, s, s.die))
    return s._replace(stage=EFFECT_DONE, fragile=0, fates=s.fates + result)


@helper
def onward(p, s):
    """From a moment between two rolls to the next roll, decision or end; compiled rules are inlined, so once each."""
    if s.stage == EFFECT_DONE:
        s = after_effect(p, s)
    if s.stage == SEGMENT_DONE:
        s = after_segment(p, s)
    if COLD <= s.stage <= GARRISON_ATTRITION:
        s = between(p, s)
    if s.stage == ROUND_BEGINS:
        s = segment(p, s)
    if s.stage == DECIDED:
        # A Vizier's siege value is rolled once for the segment (section 2.5).
        s = s._replace(stage=VIZIER if p.vizier != NO_TABLE else MEASURED)
    if s.stage == MEASURED:
        # Section 4.4 step 1: too small, or no supply line: siege attrition now.
        s = s._replace(stage=ACTS if s.camp >= p.smallest else ATTRITION_FIRST)
    if s.stage == ACTS:
        s = act(p, s)
    return over(s) if s.stage == ENDS else s


# --- the round (section 5) ---------------------------------------------------------------------------------------


@helper
def segment(p, s):
    """The next segment, which the besieger may decide about first. Rounds count in campaigns."""
    action = ATTACK if p.storms and s.breach else p.action
    return s._replace(stage=CHOICE if p.best else DECIDED, rounds=s.rounds + p.campaign, action=0 if p.best else action)


@helper
def act(p, s):
    """Section 4.4 step 2: what the besieger does."""
    if s.action == LEAVE:
        return s._replace(stage=ENDS, action=0, how=REDEPLOYED)
    drawn = s.drawn if s.action == DIG else 0
    return s._replace(stage=UNDERMINE if s.action == DIG else ASSAULT, action=0, drawn=drawn)


@helper
def after_segment(p, s):
    """The next round, the end of the turn, or the end of the siege."""
    if s.how != GOES_ON or s.camp == 0 or not p.campaign or (p.rounds > 0 and s.rounds == p.rounds):
        return s._replace(stage=ENDS)
    if p.rounds == 0:
        return s._replace(stage=CONTINUE, first=0, bad=0, drawn=0)
    return next_round(p, s, 0, s.bad)


# --- between rounds (sections 5.2 and 5.3) -----------------------------------------------------------------------


@helper
def next_round(p, s, box, bad):
    """From the second round on it is no first round any more; where the year changes, winter comes first."""
    stage = COLD if year(box) != year(s.box) else SUPPLY
    return s._replace(stage=stage, box=box, first=0, bad=bad, hungry=0, drawn=0)


@helper
def year(box):
    """The year of a box of the round track: W0 is box 0, S1 and W1 are 1 and 2, and so on to the end, a new year."""
    return (box + 1) // 2


@helper
def between(p, s):
    """From this stage on, the next roll between two rounds; at the end of the turn the campaign is over."""
    while s.stage <= GARRISON_ATTRITION:
        if s.stage == SUPPLY:
            if s.box == END_BOX:
                return s._replace(stage=ENDS)
            if p.lineless and s.unsupplied:
                return worn(p, s, 0, s.pillages)
            s = s._replace(unsupplied=p.lineless)
        if table_between(p, s) != NO_TABLE:
            return s
        s = s._replace(stage=s.stage + 1)
    return s._replace(stage=ROUND_BEGINS)


@helper
def table_between(p, s):
    """The table of a roll between rounds: cold, Timar going home, supply attrition, or the garrison's."""
    if s.stage == GARRISON_ATTRITION:
        return p.garrison_attrition[s.garrison, s.works]
    return p.wear[s.stage - COLD, s.camp, s.pillages]


@helper
def worn(p, s, camp, pillages):
    """Count what supply and winter cost; without a besieger the siege is over."""
    s = s._replace(starved=s.starved + (s.camp - camp) // p.unit, camp=camp, pillages=pillages)
    return s if camp > 0 else s._replace(stage=ENDS, how=STARVED)


# --- undermining (section 4.4 steps 2 and 3) ---------------------------------------------------------------------


@helper
def effect(p, s, die):
    """The die and all that is added to it."""
    added = p.effect_camp[s.camp] + p.effect_garrison[s.garrison] + p.effect_counters[s.works, s.breach, s.counter]
    return die + added + s.drawn


@helper
def is_hungry(p, s, die):
    """Does the undermining die bring siege attrition (step 2)?"""
    return 1 if die + p.supply[s.garrison, s.first] < p.distance else 0


@helper
def after_undermining(p, s, die):
    """One die, used twice: effect and supply. A breach may be decided about before anything else."""
    value, hungry = effect(p, s, die), is_hungry(p, s, die)
    if value >= SURRENDER or (value == WAR_HONOURS and p.grants):
        how = BY_SURRENDER if value >= SURRENDER else BY_WAR_HONOURS
        return s._replace(stage=EFFECT_DONE, hungry=hungry, how=how)
    if value >= BREACH and p.best:
        return s._replace(stage=BREACH_CHOICE, die=die)
    if value >= BREACH:
        return s._replace(stage=STORM if p.on_breach else EFFECT_DONE, hungry=hungry, breach=1)
    works = s.works
    if value >= SIEGEWORKS_MINUS:
        works = AFTER_PLUS[s.works] if value >= SIEGEWORKS_PLUS else AFTER_MINUS[s.works]
    return s._replace(stage=EFFECT_DONE, hungry=hungry, works=works)


@helper
def after_effect(p, s):
    """A LD goes into the fallen fortress; then siege attrition, with any assault behind it, if supply failed."""
    if s.how != GOES_ON and p.mans and s.camp >= 3:
        s = s._replace(camp=s.camp - 3, log=s.log + MANNED)
    return s._replace(stage=ATTRITION_LATER if s.hungry and s.camp > 0 else SEGMENT_DONE)


@helper
def suffer(p, s, result):
    """The besieger's siege attrition (section 4.3); a campaign keeps no log of it. Then one may be too small to dig."""
    camp, later = result >> 3, s.stage == ATTRITION_LATER
    return s._replace(
        stage=SEGMENT_DONE if later else ACTS if camp > 0 else ENDS,
        action=p.too_small if s.action == DIG and not later else s.action,
        camp=camp,
        pillages=result & 7,
        hungry=0,
        log=s.log if p.campaign else s.log + ATTRITION_ROLLED,
    )


# --- assault (section 4.5) ---------------------------------------------------------------------------------------


@helper
def after_assault(p, s, result):
    """Losses, the fall of the fortress or an assault counter; then leaders are tested, but not in a campaign."""
    s = s._replace(
        stage=EFFECT_DONE,
        camp=result & LEFT_MASK,
        garrison=(result >> GARRISON_SHIFT) & LEFT_MASK,
        counter=s.counter | ((result >> COUNTER_SHIFT) & 1),
        how=BY_ASSAULT if (result >> FELL_SHIFT) & 1 else GOES_ON,
    )
    if p.campaign:
        return s
    return s._replace(stage=LEADERS, fragile=result >> FRAGILE_SHIFT, log=s.log + ASSAULTED)


@helper
def over(s):
    """Set numbers that no longer matter to 0: siegeworks and counters of a siege that has ended."""
    lies = 1 if s.how == GOES_ON or s.how == STARVED else 0  # noqa: PLR1714 - compiled
    works, breach, counter = s.works * lies, s.breach * lies, s.counter * lies
    return s._replace(
        stage=OVER, box=0, works=works, breach=breach, counter=counter, first=0, bad=0, hungry=0, fragile=0,
        unsupplied=s.unsupplied * lies, action=0, drawn=0,
    )  # fmt: skip
