"""A siege as a chain of states: one segment, or rounds of them (docs/rules/europa_land_siege.md sections 4.4 to 5).

`camp` and `garrison` are thirds of the besieger and of the troops inside: what counters they are follows from them
(shared/losses.py). An assault is one chance table (assault.py), and so is the battle with a relief army (relief.py).
"""

from __future__ import annotations

from simulator.engine.model.chain import helper, rule
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.europa.siege.relief_rules import answered, arrived, awaited, lost, relief_rolled, relief_table
from simulator.rules.europa.siege.state import (
    ACTS,
    AFTER_MINUS,
    AFTER_PLUS,
    ARRIVAL,
    ARRIVED,
    ASSAULT,
    ASSAULTED,
    AT_ONCE,
    ATTACK,
    ATTRITION_FIRST,
    ATTRITION_LATER,
    ATTRITION_ROLLED,
    BATTLE,
    BEST_ANSWER,
    BREACH,
    BREACH_CHOICE,
    BY_ASSAULT,
    BY_SURRENDER,
    BY_WAR_HONOURS,
    CHOICE,
    COLD,
    CONTINUE,
    COUNTER_SHIFT,
    DECIDED,
    DIG,
    EFFECT_DONE,
    END_BOX,
    ENDS,
    FELL_SHIFT,
    FOUGHT,
    FRAGILE_SHIFT,
    GARRISON_ATTRITION,
    GARRISON_SHIFT,
    GOES_ON,
    LEADERS,
    LEAVE,
    LEFT_MASK,
    LIFTED,
    MANNED,
    MEASURED,
    NOT_COME,
    OVER,
    REDEPLOYED,
    RELIEF_CHOICE,
    ROUND_BEGINS,
    SEGMENT_BEGINS,
    SEGMENT_DONE,
    SIEGEWORKS_MINUS,
    SIEGEWORKS_PLUS,
    START,
    STARVED,
    STORM,
    STORM_CHOICE,
    STORM_FIRST,
    SUPPLY,
    SURRENDER,
    UNDERMINE,
    VIZIER,
    WAR_HONOURS,
    SiegeParams,
)


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
        return p.assault[lost(s), s.camp, s.garrison, 1 if s.stage == STORM else 0, s.counter]
    if s.stage == ATTRITION_FIRST or s.stage == ATTRITION_LATER:  # noqa: PLR1714 - compiled
        return p.attrition[lost(s), s.camp, s.pillages, s.bad, s.drawn]
    if COLD <= s.stage <= GARRISON_ATTRITION:
        return table_between(p, s)
    if s.stage == LEADERS:
        return p.tests[1 if s.how == BY_ASSAULT else 2 if s.camp == 0 else 0, s.fragile]
    if s.stage == VIZIER:
        return p.vizier[lost(s)]
    if ARRIVAL <= s.stage <= BATTLE:
        return relief_table(p, s)
    return NO_TABLE if s.stage >= CHOICE else p.next_box[s.box]


@rule(SiegeParams)
def step(p, s, result):
    """The state after one roll, or a decision."""
    return onward(p, rolled(p, s, result))


@rule(SiegeParams)
def decides(p, s):
    """A besieger decides before each segment and on each breach (section 5.4), or about a relief army (5.7)."""
    return 1 if s.stage >= CHOICE else 0


@rule(SiegeParams)
def options(p, s):
    """Undermine or assault; assault at once or wait; the plan or an assault; meet, lift or evade."""
    return 3 if s.stage == RELIEF_CHOICE else 2


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
        return next_round(s, result >> 1, result & 1)
    if s.stage == START:
        return s._replace(stage=p.begins, box=result >> 1, bad=result & 1)
    if s.stage == CHOICE:
        return s._replace(stage=DECIDED, action=result)
    if s.stage == STORM_CHOICE:
        return s._replace(stage=DECIDED, action=ATTACK if result == 1 else s.action)
    if s.stage == RELIEF_CHOICE:
        return answered(s, result)
    if ARRIVAL <= s.stage <= BATTLE:
        return relief_rolled(p, s, result)
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
        s = awaited(p, s)
    if s.stage == ARRIVED:
        s = arrived(p, s)
    if s.stage == SEGMENT_BEGINS:
        s = segment(p, s)
    if s.stage == DECIDED:
        # A Vizier's siege value is rolled once for the segment (section 2.5).
        s = s._replace(stage=VIZIER if p.vizier[lost(s)] != NO_TABLE else MEASURED)
    if s.stage == MEASURED:
        # Section 4.4 step 1: too small, or no supply line: siege attrition now.
        s = s._replace(stage=ACTS if s.camp >= p.smallest else ATTRITION_FIRST)
    if s.stage == ACTS:
        s = act(s)
    return over(s) if s.stage == ENDS else s


# --- the round (section 5) ---------------------------------------------------------------------------------------


@helper
def segment(p, s):
    """The next segment, which the besieger may decide about first. Rounds count in campaigns."""
    action = ATTACK if p.storms and s.breach else p.action
    stage = CHOICE if p.best else DECIDED
    if action != ATTACK and s.relief == NOT_COME and s.rounds + 2 == p.relief_round:  # it comes in the next round
        action = ATTACK if p.relief == STORM_FIRST else action
        stage = STORM_CHOICE if p.relief == BEST_ANSWER else stage
    return s._replace(stage=stage, rounds=s.rounds + p.campaign, action=0 if p.best else action)


@helper
def act(s):
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
    return next_round(s, 0, s.bad)


# --- between rounds (sections 5.2 and 5.3) -----------------------------------------------------------------------


@helper
def next_round(s, box, bad):
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
        return p.garrison_attrition[lost(s), s.garrison, s.works]
    return p.wear[lost(s), s.stage - COLD, s.camp, s.pillages]


@helper
def worn(p, s, camp, pillages):
    """Count what supply and winter cost; without a besieger the siege is over."""
    s = s._replace(starved=s.starved + (s.camp - camp) // p.unit, camp=camp, pillages=pillages)
    return s if camp > 0 else s._replace(stage=ENDS, how=STARVED)


# --- undermining (section 4.4 steps 2 and 3) ---------------------------------------------------------------------


@helper
def effect(p, s, die):
    """The die and all that is added to it."""
    added = p.effect_camp[lost(s), s.camp] + p.effect_garrison[s.loose, s.garrison]
    return die + added + p.effect_counters[s.works, s.breach, s.counter] + s.drawn


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
    """Set numbers that no longer matter to 0: siegeworks and counters of a siege that has ended.

    They lie there still where nobody but the besieger has gone: lost by supply, or in a battle that he did not lose.
    """
    lies = 1 if s.how == GOES_ON or s.how == STARVED else 0  # noqa: PLR1714 - compiled
    if s.how == LIFTED and s.relieving == FOUGHT:
        lies = 1
    works, breach, counter = s.works * lies, s.breach * lies, s.counter * lies
    return s._replace(
        stage=OVER, box=0, works=works, breach=breach, counter=counter, first=0, bad=0, hungry=0, fragile=0,
        unsupplied=s.unsupplied * lies, action=0, drawn=0, loose=s.loose * lies,
    )  # fmt: skip
