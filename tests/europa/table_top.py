"""Plays a battle with dice that are written down, in the order of the rules document."""

from collections import deque

import numpy as np

from simulator.rules.europa import land, siege
from simulator.rules.europa import leaders as fates
from simulator.rules.europa.assault import Assaults, Ground, code, command
from simulator.rules.europa.land_leaders import retreat_thirds
from simulator.rules.europa.land_setup import EVADES_AT, PHASES, PURSUIT_COLUMN, Roll, packed, read
from simulator.rules.europa.losses import europe_besieger, europe_garrison
from simulator.rules.europa.siege_setup import following
from simulator.rules.europa.siegecraft import total
from simulator.rules.europa.tell_land import setup_of as land_setup
from simulator.rules.europa.tell_siege import setup_of as siege_setup
from simulator.scenarios import load


def play(scenario, dice):
    """The outcome of a battle with these dice, as a dict; every die must be used."""
    asked = load({"game": "europa", **scenario})
    thrown = deque(dice)
    result_of = land_result if asked.battle.kind == "land" else siege_result
    p, state = asked.chain.params, asked.chain.start
    running, step = asked.chain.part("running"), asked.chain.part("step")
    tables = asked.chain.tables
    while running(p, state):
        result = int(result_of(asked, state, thrown))
        index = int(asked.chain.part("table")(p, state))
        assert result in tables.result[tables.first[index] : tables.first[index + 1]], "impossible by the tables"
        state = type(state)(*(int(value) for value in step(p, state, result)))
    assert not thrown, f"dice left over: {list(thrown)}"
    columns = asked.battle.outcome(asked.fields, type(state)(*(np.array([value]) for value in state)))
    outcome = {name: values[0].item() for name, values in columns.items()}
    return outcome | {"winner": ("attacker", "defender", "nobody")[outcome["winner"]]}


def land_result(asked, s, dice):
    setup = land_setup(asked.fields)
    met = setup.meeting
    if s.stage == land.EVADE:
        enemy, own = (stack.leader.manoeuvre for stack in met.stacks)
        return dice.popleft() + max(0, own - enemy) >= EVADES_AT
    if s.stage == land.PURSUIT:
        when = {land.DAY_1: 2, land.DAY_1_FIRE: 3, land.DAY_2: 0, land.DAY_2_FIRE: 1}[s.ended]
        drm = met.pursuit_drm(s.winner, setup.class_pairs[s.leaders]) + when
        return thrown(setup, setup.pursuit_parts(s.winner)[s.part], [Roll(PURSUIT_COLUMN, drm)] * 2, dice)
    if s.stage in {land.FIRST_BREAK, land.SECOND_BREAK}:
        first = 0 if met.fields.conditions.interception else 1
        side = first if s.stage == land.FIRST_BREAK else 1 - first
        left = met.stacks[side].morale - (s.stars_a if side else s.stars_d)
        return dice.popleft() <= met.stacks[side].leader.manoeuvre + left
    if s.stage == land.RETREAT:
        lost = [0, 0]
        for side in (0, 1):
            if s.winner != side:
                routed = met.stacks[side].morale == (s.stars_a if side else s.stars_d)
                lost[side] = retreat_thirds(dice.popleft() - (0 if routed else met.stacks[side].leader.manoeuvre))
        return lost[0] + 4 * lost[1]
    if s.stage == land.LEADERS:
        gone = s.caused_d == met.stacks[0].size, s.caused_a == met.stacks[1].size
        stacks = [stack if tested(setup, side) else None for side, stack in enumerate(met.stacks)]
        return both_fates(stacks, [(s.winner == side, gone[side]) for side in (0, 1)], dice)
    boosts = bool(s.failed & 2), bool(s.failed & 1)
    rolls = [
        setup.roll(side, PHASES[s.stage - land.FIRE_1], setup.class_pairs[s.leaders], boosts[side]) for side in (0, 1)
    ]
    return thrown(setup, setup.parts()[s.part], rolls, dice)


def tested(setup, side):
    over = setup.meeting.overrun
    return setup.meeting.tested(side) and (over < 0 or over != side)


def thrown(setup, part, rolls, dice):
    """One part of a roll; a side without a column has no die."""
    kind, sides, count = part
    out = 0
    for side in sides:
        if kind != land.MAIN:
            return sum(read(setup.meeting, rolls[side], dice.popleft())[0] for _ in range(count) if rolls[side].column)
        if rolls[side].column:
            out |= packed(*read(setup.meeting, rolls[side], dice.popleft())) << (land.SIDE_BITS * side)
    return out


def both_fates(stacks, ends, dice):
    """Test die and second die of each side that is tested."""
    out = 0
    for side, (stack, (won, destroyed)) in enumerate(zip(stacks, ends, strict=True)):
        if stack is None or not stack.leader.present:
            continue
        trial = fates.Trial(won, destroyed, stack.leader.fragile)
        die = dice.popleft()
        hit = die + trial.bonus < 2 and not (stack.leader.kind == "king" and destroyed)
        second = dice.popleft() if hit and not stack.leader.anonymous else 1
        out += fates.fate(stack.leader, trial, die, second) * (8 if side else 1)
    return out


def siege_result(asked, s, dice):
    setup = siege_setup(asked.fields)
    craft = setup.craft
    if s.stage == siege.UNDERMINE:
        return dice.popleft()
    if s.stage in {siege.ASSAULT, siege.STORM}:
        breach = int(s.stage == siege.STORM)
        values = [
            (*stack.replacements[dice.popleft() - 1][1:], False) if stack.leader.drawn else
            (stack.leader.fire, stack.leader.shock, stack.leader.fragile)
            for stack in (craft.besieger, craft.besieged)
        ]  # fmt: skip
        who = command(*values, craft.fields.options.leader_differential_cap)
        ground = Ground(s.camp, s.garrison, breach, s.counter)
        assaults = Assaults(craft)
        four = [dice.popleft() for _ in range(4)]
        return code(assaults.outcome(ground, assaults.roll(ground, who, four)), 0)
    if s.stage in {siege.ATTRITION_FIRST, siege.ATTRITION_LATER}:
        drm = total(craft.besieger_attrition(s.camp, s.pillages, bool(s.bad)))
        die = min(15, max(5, dice.popleft() + drm))
        left, sides = europe_besieger(craft.book, s.camp, s.pillages, die, craft.habit)
        return left * 8 + sides
    if s.stage == siege.GARRISON_ATTRITION:
        drm = total(craft.garrison_attrition(s.works))
        return europe_garrison(craft.book, s.garrison, min(15, max(5, dice.popleft() + drm)))
    if s.stage == siege.CONTINUE:
        to, bad = following(s.box, dice.popleft(), 0, False)
        return 2 * to + bad
    ends = [(s.how == siege.BY_ASSAULT, s.camp == 0), (s.how != siege.BY_ASSAULT, False)]
    return both_fates([craft.besieger, craft.besieged], ends, dice)
