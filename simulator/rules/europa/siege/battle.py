"""Sieges and campaigns as battle kinds: how they end as columns, and in words.

docs/rules/europa_land_siege.md sections 4 and 5.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.kept import Recent
from simulator.rules.battle import Built, Columns
from simulator.rules.europa.shared.land_model import Campaign, Siege
from simulator.rules.europa.shared.leaders import FATES, KILLED, fate_columns, pair_of
from simulator.rules.europa.shared.losses import Counters
from simulator.rules.europa.shared.modifiers import LAW, Bonus
from simulator.rules.europa.shared.stacks import LD, chain_of, detachments
from simulator.rules.europa.shared.text import common_assumptions, fates_text
from simulator.rules.europa.siege import rules
from simulator.rules.europa.siege import state as siege
from simulator.rules.europa.siege.assault import Ground, drms_of
from simulator.rules.europa.siege.numbers import begun_plainly, numbers_of
from simulator.rules.europa.siege.relief_rules import relief_rolled
from simulator.rules.europa.siege.state import SiegeState
from simulator.rules.europa.siege.tables import BOXES, SiegeSetup
from simulator.rules.toolkit.naming import plural, sentence, winners

PLUSES = np.array([plus for _, plus in siege.WORKS])
MOST_THROWS, AT_ONCE = 200_000, 1000
# The last sieges that were set up, with their columns; those that begin otherwise share them.
Outcome = Callable[[Any], Columns]
RECENT = Recent[tuple[SiegeSetup, Chain, Outcome]](256, lambda made: 1)
CHOICES = (
    ("undermine", "assault", ""), ("assault", "wait", ""), ("as planned", "assault", ""), ("meet", "lift", "evade"),
)  # fmt: skip
BETWEEN = {siege.SUPPLY: "supply attrition", siege.COLD: "winter: cold", siege.HOME: "winter: Timar go home"}


def build_siege(fields: Siege | Campaign) -> Built:
    """Everything that answers a siege segment or a campaign; on the round track no rule reads the number of rounds."""
    setup, chain, outcome = _set_up(fields)
    return Built(
        chain=replace(chain, start=setup.start, tell=partial(siege_line, setup)),
        outcome=outcome,
        assumptions=lambda: list(siege_assumptions(setup)),
        explain=lambda: list(siege_explanation(setup)),
        begun=begun if setup.campaign else None,
        begin=setup.begun,
        decisions=partial(siege_decisions, setup),
    )


def _set_up(fields: Siege | Campaign) -> tuple[SiegeSetup, Chain, Outcome]:
    """A siege, its chain and columns, the last two from one of the last sieges with equal numbers.

    A siege that is interrupted goes on from hundreds of starts, most of which differ in the state of the fortress.
    """
    setup, alike = SiegeSetup(fields), begun_plainly(fields)
    key = numbers_of(setup, alike)
    known = RECENT.get(key)
    if known is None:
        made = SiegeSetup(alike)
        chain = chain_of(made, siege_line, counters_of(made))
        known = RECENT.keep(key, (made, chain, partial(siege_outcome, made)))
    made, chain, outcome = known
    setup.tables, setup.params = made.tables, made.params
    return setup, chain, outcome


def begun(states: Any) -> np.ndarray:
    """The round in which a state of a campaign is (a State of int arrays): int64, shape (states,).

    Rounds are counted when the segment begins; the garrison's attrition and the relief army before it belong to the
    same round. A besieger lost by supply does not begin it.
    """
    stage = states.stage
    coming = (stage >= siege.ARRIVAL) & (stage <= siege.BATTLE) | (stage == siege.RELIEF_CHOICE)
    return np.asarray(states.rounds + ((stage == siege.GARRISON_ATTRITION) | coming))


def counters_of(setup: SiegeSetup) -> tuple[str, ...]:
    """On the round track no rule reads the number of rounds, and none ever reads what supply and winter cost, or what a
    relief army loses.

    An objective may weigh columns that are not linear in this cost: for the best plan it is no counter.
    """
    if setup.track and not setup.params.relief_round:  # the round of a relief army is read
        return ("rounds",)
    parted = ("parted",) if setup.relief.army else ()
    return (*parted, "starved") if setup.wears_down and not setup.best else parted


def siege_outcome(setup: SiegeSetup, states: Any) -> Columns:
    """Outputs of a siege segment (section 4.7) and of a campaign (section 5)."""
    how = states.how
    fallen = (how == siege.BY_ASSAULT) | (how == siege.BY_SURRENDER) | (how == siege.BY_WAR_HONOURS)
    # A besieger whom hunger destroys after the fall has taken it, and counts as one who did (section 4.7).
    gone = (states.camp == 0) & ~fallen
    # Level drops by 2, or by 1 with a garrison; never under 1 in Europe or for a city, else not under 0 (section 4.6).
    least = 1 if setup.europe or setup.fields.conditions.city else 0
    taken = np.maximum(least, setup.level - np.where((states.log & siege.MANNED) > 0, 1, 2))
    free = np.where(how == siege.BY_WAR_HONOURS, states.garrison + LD, 0)
    columns = {
        "winner": winners(fallen, gone | (how == siege.REDEPLOYED) | (how == siege.LIFTED)),
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
        "fortress_level_after": np.where(fallen, taken, setup.level),
        "siegeworks_value": np.array(siege.WORKS_VALUE)[states.works],
        "pillages": states.pillages,
    }
    return columns | (of_campaign(setup, states) if setup.campaign else of_segment(setup, states))


def of_campaign(setup: SiegeSetup, states: Any) -> Columns:
    """Outputs of a campaign alone (section 5), with those of its relief army."""
    holds_on = (PLUSES[states.works] > 0) | (states.breach == 1)
    enough = (states.camp > 0) & (states.camp >= LD * setup.level) & setup.fields.conditions.supply_line
    gone_by_supply = states.starved * setup.unit
    # Too small to undermine only because of what supply has cost.
    too_small = (gone_by_supply > 0) & (states.camp + gone_by_supply >= LD * setup.level)
    columns = of_relief(setup, states) if setup.relief.army else {}
    return columns | {
        "rounds": states.rounds,
        "can_continue": (states.how == siege.GOES_ON) & enough & holds_on,
        "destroyed_by_supply": states.how == siege.STARVED,
        "redeployed_by_supply": (states.how == siege.REDEPLOYED) & too_small,
        "attacker_gone_by_supply_thirds": gone_by_supply,
    }


def of_relief(setup: SiegeSetup, states: Any) -> Columns:
    """Columns of a relief army (section 5.5)."""
    fought = (states.relieving & siege.FOUGHT) > 0
    return {
        "relief_came": states.relief > siege.NOT_COME,
        "relief_battle": fought,
        "relief_won": (states.relieving & siege.RELIEVED) > 0,
        "lifted": states.how == siege.LIFTED,
        "relief_left_thirds": setup.relief.size - states.parted,
    }


def siege_decisions(setup: SiegeSetup, states: Any, options: np.ndarray) -> Columns:
    """Columns of states in which the besieger decides (section 5.4), and its choice.

    Columns: text, int64 or bool; shape (states,). `options`: int32, shape (states,).
    """
    camps, garrisons = ([parts_text(parts) for parts in sizes] for sizes in (setup.camp, setup.inside))
    return {
        "decision": np.where(states.stage >= siege.STORM_CHOICE, "policy.attacker.relief", "policy.attacker.plan"),
        "round": np.array(BOXES)[states.box] if setup.track else states.rounds,
        "attacker": np.array(camps)[states.camp],
        "garrison": np.array(garrisons)[states.garrison],
        "siegeworks": np.array(siege.WORKS_VALUE)[states.works],
        "breach_counter": states.breach == 1,
        "assault_counter": states.counter == 1,
        "pillages": states.pillages,
        "bad_weather": states.bad == 1,
        "unsupplied_segments": states.unsupplied,
        "die": states.die,
        "choice": np.array(CHOICES)[states.stage - siege.CHOICE, options],
    }


def parts_text(parts: Counters) -> str:
    """The counters of a stack: "1 ARMY+, 2 LD"; "none" without any."""
    names = zip(parts, ("ARMY+", "ARMY-", "LD", "LDE"), strict=True)
    return ", ".join(f"{number} {name}" for number, name in names if number) or "none"


def of_segment(setup: SiegeSetup, states: Any) -> Columns:
    """Columns of a segment alone: what happened, and the leaders."""
    columns: Columns = {
        "assaulted": (states.log & siege.ASSAULTED) > 0,
        "attrition": (states.log & siege.ATTRITION_ROLLED) > 0,
        **fate_columns("attacker", states.fates % FATES),
        **fate_columns("defender", states.fates // FATES),
    }
    # A given leader inside is captured when the fortress falls, by war honours only a king (section 4.6).
    leader, how = setup.besieged.leader, states.how
    taken = (how == siege.BY_SURRENDER) | ((how == siege.BY_ASSAULT) & (states.fates // FATES != KILLED))
    taken |= (how == siege.BY_WAR_HONOURS) & (leader.kind == "king")
    columns["defender_leader_captured"] |= leader.given & taken
    return columns


def siege_assumptions(setup: SiegeSetup) -> Iterator[str]:
    """The assumptions of a siege."""
    fields, policy = setup.fields, setup.fields.policy.attacker
    yield from common_assumptions(fields, setup.stacks)
    if isinstance(fields, Campaign):
        start = fields.conditions.start_round
        box = "a rolled box" if start == "roll" else start
        yield f"plan: {fields.policy.attacker.plan}"
        yield f"on the round track from {box} to the end of the turn" if start else f"{setup.rounds} siege rounds"
        if relief := setup.relief.army:
            when = f"in round {relief.round}" if relief.round else f"with a chance of {relief.chance:g} a round"
            yield f"the relief army comes {when}, after supply and the garrison's attrition (ASSUMED)"
            yield f"on a relief army: {fields.policy.attacker.relief}; of its battle only the end is shown"
        yield f"garrison attrition: {'on' if fields.options.garrison_attrition else 'off'}"
        yield from supply_assumptions(setup)
        yield "leaders are not tested in a campaign"
    else:
        yield f"action: {fields.policy.attacker.action}; on a breach: {fields.policy.attacker.breach}"
    yield (
        f"war honours: {policy.war_honours}; too small: {policy.too_small}; taken fortress: {policy.garrison}; "
        f"P: {policy.pillage}; losses: {policy.losses}"
    )
    if setup.level != fields.defender.fortress_level:
        yield f"a city overseas is never under level 1, also where {fields.defender.fortress_level} is given"
    factor = fields.options.assault_cap_factor
    yield f"a besieger loses at most {factor} x resistance + troops inside (assault_cap_factor)"
    yield "after undermining the effect comes first, with any assault, then siege attrition"
    if fields.attacker.country == "turkey-janissary" and fields.attacker.turkish_reform == "m-2":
        yield "m-2 ends the Janissary bonus as m-1a does (ASSUMED)"


def supply_assumptions(setup: SiegeSetup) -> Iterator[str]:
    """The rules of supply and winter of a campaign (section 5.3)."""
    rules, winter = setup.supply_rules, setup.winter
    if rules is None:
        yield "the besieger's supply attrition is left out (options.supply_attrition)"
        return
    causes = setup.weak_supply(setup.besieger.size)
    why = f"weak supply: {', '.join(causes)}" if causes else "" if rules.supply_line else "no line of supply"
    if why:
        since = "first" if setup.begins == siege.SUPPLY else "second"
        yield f"the besieger's supply attrition is rolled from the {since} round on ({why})"
    else:
        yield "the besieger's supply is full: no supply attrition"
    if winter and winter.cold_area:
        yield "winter: one more supply attrition in the cold area; the cold is no cause of weak supply (ASSUMED)"
    if winter and setup.besieger.timar:
        away = f"d10 + {setup.timar_winter} of the attrition table go home, P ignored" if setup.timar_winter else "stay"
        yield f"winter: Timar {away} (timar_distance {winter.timar_distance})"


def siege_explanation(setup: SiegeSetup) -> Iterator[str]:
    """A siege as it begins: who is there, then every modifier of each roll with its source."""
    own, inside, level = setup.besieger, setup.besieged, setup.level
    resistance, breached = (detachments(setup.book.resistance[level, breach]) for breach in (0, 1))
    yield (
        f"attacker: {own.text()}, {own.side.technology}, morale {own.morale}, artillery value {own.artillery}, "
        f"{own.leader.text()} ({LAW} 2.4)"
    )
    yield (
        f"defender: level {level}, {inside.side.country}, {detachments(inside.size)} inside, {inside.side.technology}, "
        f"morale {inside.morale}, {inside.leader.text()}; resistance {resistance}, after a breach {breached} "
        f"({LAW} 4.5 step 6)"
    )
    conditions, camp, garrison = setup.fields.conditions, own.size, inside.size
    breach, counter = int(conditions.breach_counter), int(conditions.assault_counter)
    effect = setup.effect_of_place(camp) + setup.effect_of_counters(setup.works, breach, counter)
    starving = setup.garrison_attrition(setup.works) if isinstance(setup.fields, Campaign) and garrison else []
    drawn = own.leader.drawn or inside.leader.drawn
    cold, _, hungry = setup.wear[:, camp, conditions.pillages]
    supply = setup.supply_attrition(camp, conditions.pillages, 0 if own.is_vizier else own.leader.manoeuvre)
    rolls = {
        "attacker undermining": ("4.4", effect + setup.effect_of_garrison(garrison)),
        "attacker supply": ("4.4", setup.supply(garrison, int(conditions.first_round))),
        "attacker siege attrition": (
            "4.3",
            setup.besieger_attrition(camp, conditions.pillages, conditions.bad_weather),
        ),
        "defender garrison attrition": ("4.3", starving),
        "attacker supply attrition": ("5.3", supply if cold or hungry else []),
        "attacker assault": ("4.5", setup.assault_of_place(camp, 0, counter)),
    }
    if not drawn:
        pair = next(iter(setup.pairs))
        for side, stack in enumerate(setup.stacks):
            for step, gains in (("Fire", pair.fire), ("Shock", pair.shock)):
                rolls[f"{stack.name} assault {step}"] = "4.5", [Bonus(gains[side], f"leader: {stack.leader.text()}")]
    for roll, (section, bonuses) in rolls.items():
        yield from (f"{roll}: {value:+d} {reason} ({LAW} {section})" for value, reason in bonuses if value)
    if drawn:
        yield f"both assault: leaders' advantage, drawn for each assault ({LAW} 4.5)"


def siege_line(setup: SiegeSetup, before: SiegeState, result: int, after: SiegeState, dice: random.Random) -> str:
    """One line for one step of a siege."""
    line = _roll_line(setup, before, result, after, dice)
    lost = after.how == siege.STARVED and before.stage not in BETWEEN
    return f"{line} The second supply segment without a line: the besieger is destroyed." if lost else line


def _roll_line(setup: SiegeSetup, before: SiegeState, result: int, after: SiegeState, dice: random.Random) -> str:
    when = f"Round {before.rounds}, " if setup.campaign else ""
    if before.stage == siege.UNDERMINE:
        return sentence(f"{when}undermining: {_undermining(setup, before, result, after)}")
    if before.stage in {siege.ASSAULT, siege.STORM}:
        return sentence(when + _assault(setup, before, result, dice))
    if before.stage in {siege.ATTRITION_FIRST, siege.ATTRITION_LATER}:
        left, pillages = detachments(result >> 3), plural(result & 7, "side")
        return sentence(f"{when}siege attrition: the besieger is left with {left}, {pillages} of PILLAGE")
    if before.stage in BETWEEN:
        left, pillages = detachments(result >> 3), plural(result & 7, "side")
        return sentence(f"{BETWEEN[before.stage]}: the besieger is left with {left}, {pillages} of PILLAGE")
    if siege.ARRIVAL <= before.stage <= siege.BATTLE:
        return sentence(_relief(setup, before, result))
    if before.stage >= siege.CHOICE:
        return f"The besieger decides: {CHOICES[before.stage - siege.CHOICE][result]}."
    if before.stage == siege.GARRISON_ATTRITION:
        return f"Garrison attrition: {detachments(result >> 3)} left inside."
    if before.stage in {siege.CONTINUE, siege.START}:
        return f"Round track: {BOXES[result >> 1]}{', bad weather' if result & 1 else ''}."
    if before.stage == siege.VIZIER:
        return f"{when}the Vizier's siege value: {result}."
    return fates_text(result)


def _relief(setup: SiegeSetup, before: SiegeState, result: int) -> str:
    """The arrival of a relief army, the besieger's evasion, or the battle."""
    if before.stage == siege.ARRIVAL:
        return f"the relief army {'comes' if result else 'does not come yet'}"
    if before.stage == siege.EVASION:
        return f"the besieger {'evades the relief army: the siege is lifted' if result else 'has to fight'}"
    after = relief_rolled(setup.params, before, result)
    won = after.relieving & siege.RELIEVED
    ends = "the siege is over" if after.how == siege.LIFTED else "the siege goes on"
    ends = "the relief army wins, the siege is lifted" if won else ends
    leader = "; the besieger's leader is lost" * (after.relief == siege.LEADER_LOST)
    relieving_left = detachments(setup.relief.size - (after.parted - before.parted))
    left = f"besieger {detachments(after.camp)}, relief army {relieving_left}, {detachments(after.garrison)} inside"
    return f"the battle with the relief army: {left}: {ends}{leader}"


def _undermining(setup: SiegeSetup, before: SiegeState, die: int, after: SiegeState) -> str:
    p = setup.params
    value, supply = rules.effect(p, before, die), die + p.supply[before.garrison, before.first]
    if after.how == siege.BY_SURRENDER:
        what = "the fortress surrenders"
    elif after.how == siege.BY_WAR_HONOURS:
        what = "it falls with war honours"
    elif value >= siege.BREACH:
        what = "a breach"
    elif value >= siege.SIEGEWORKS_MINUS:
        works = (siege.AFTER_PLUS if value >= siege.SIEGEWORKS_PLUS else siege.AFTER_MINUS)[before.works]
        what = "siegeworks: {} - and {} +".format(*siege.WORKS[works])
    else:
        what = "nothing"
    hunger = f"; supply {supply} < {p.distance}: attrition follows" if supply < p.distance else ""
    return f"{die} ({value - die:+d}) = {value}: {what}{hunger}."


def _assault(setup: SiegeSetup, before: SiegeState, result: int, dice: random.Random) -> str:
    breach = int(before.stage == siege.STORM)
    ground = Ground(before.camp, before.garrison, breach, before.counter)
    (fire, enemy_fire, shock, enemy_shock), caused = _dice_for(setup, ground, result, dice)
    fell, placed = (result >> siege.FELL_SHIFT) & 1, (result >> siege.COUNTER_SHIFT) & 1
    name, lost = "storm of the breach" if breach else "assault", detachments(before.camp - (result & siege.LEFT_MASK))
    ends = f"the fortress {'falls' if fell else 'holds'}{', ASSAULT counter' if placed else ''}"
    return (
        f"{name}: Fire {fire} against {enemy_fire}, Shock {shock} against {enemy_shock}: the besieger causes {caused} "
        f"and loses {lost}; {ends}."
    )


def _dice_for(setup: SiegeSetup, ground: Ground, result: int, dice: random.Random) -> tuple[list[Any], str]:
    """Fire and Shock dice ("-" not rolled) that give a result, and what they cause.

    They are thrown until they do, so that each such throw is as likely as it should be.
    """
    assaults = setup.assaults
    own, enemy = (list(stack.leaders.elements()) for stack in setup.stacks)
    cap = setup.fields.options.leader_differential_cap
    rng = np.random.default_rng(dice.getrandbits(63))
    for _ in range(MOST_THROWS // AT_ONCE):
        pair = pair_of(dice.choice(own), dice.choice(enemy), cap)
        drms = drms_of(assaults.place(ground), pair.fire, pair.shock)
        throws = rng.integers(1, 11, (4, AT_ONCE))
        rolled = assaults.assailants.roll(ground.breach, drms, throws)
        results, caused = assaults.outcome(ground, rolled, pair.fragile)
        fits = np.flatnonzero(results == result)
        if len(fits):
            fire, enemy_fire, *shocks = throws[:, fits[0]]
            shown = [die if made[fits[0]] else "-" for die, made in zip(shocks, rolled.shocks, strict=True)]
            return [fire, enemy_fire, *shown], detachments(int(caused[fits[0]]))
    return ["?"] * 4, "losses"
