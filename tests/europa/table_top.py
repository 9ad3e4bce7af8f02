"""Plays a battle with dice that are written down, in the order of the rules document."""

from collections import deque

import numpy as np

from simulator.rules.europa.land import rules as land
from simulator.rules.europa.land.leaders import retreat_thirds
from simulator.rules.europa.land.tables import LandSetup, evades_by, main_result
from simulator.rules.europa.procedures.continuation import Season, Track
from simulator.rules.europa.shared import leaders
from simulator.rules.europa.shared.losses import GARRISON, attrition_by, clamped
from simulator.rules.europa.shared.modifiers import sum_of
from simulator.rules.europa.siege import state as siege
from simulator.rules.europa.siege.assault import Ground, drms_of
from simulator.rules.europa.siege.tables import BOXES, SiegeSetup
from simulator.scenarios import load


def play(scenario, dice):
    """The outcome of a battle with these dice, as a dict; every die must be used."""
    asked = load({"game": "europa", **scenario})
    thrown = deque(dice)
    at_land = asked.battle.kind == "land"
    result_of = land_result if at_land else siege_result
    setup = LandSetup(asked.fields) if at_land else SiegeSetup(asked.fields)
    p, state = asked.chain.params, asked.chain.start
    running, step = asked.chain.part("running"), asked.chain.part("step")
    tables = asked.chain.tables
    while running(p, state):
        result = int(result_of(setup, state, thrown))
        index = int(asked.chain.part("table")(p, state))
        assert result in tables.result[tables.first[index] : tables.first[index + 1]], "impossible by the tables"
        state = type(state)(*(int(value) for value in step(p, state, result)))
    assert not thrown, f"dice left over: {list(thrown)}"
    columns = asked.built.outcome(type(state)(*(np.array([value]) for value in state)))
    outcome = {name: values[0].item() for name, values in columns.items()}
    return outcome | {"winner": ("attacker", "defender", "nobody")[outcome["winner"]]}


def land_result(setup, s, dice):
    pairs = setup.classes.pairs
    if s.stage == land.EVADE:
        die = dice.popleft()
        # A Vizier's die: its row's manoeuvre.
        man = [x.replacements[dice.popleft() - 1][0] if x.is_vizier else x.leader.manoeuvre for x in setup.stacks]
        return evades_by(die, max(0, man[1] - man[0]))
    if s.stage in {land.FIRST_BREAK, land.SECOND_BREAK}:
        side = land.asked(setup.params, s)
        left = setup.stacks[side].morale - (s.stars_a if side else s.stars_d)
        return dice.popleft() <= setup.stacks[side].leader.manoeuvre + left
    if s.stage == land.RETREAT:
        lost = [0, 0]
        for side in (0, 1):
            if s.winner != side:
                routed = setup.stacks[side].morale == (s.stars_a if side else s.stars_d)
                lost[side] = retreat_thirds(dice.popleft() - (0 if routed else setup.stacks[side].leader.manoeuvre))
        return lost[0] + 4 * lost[1]
    if s.stage == land.LEADERS:
        gone = s.caused_d == setup.stacks[0].size, s.caused_a == setup.stacks[1].size
        stacks = [stack if setup.tested[side] else None for side, stack in enumerate(setup.stacks)]
        return both_fates(stacks, [(s.winner == side, gone[side]) for side in (0, 1)], dice)
    how = land.roll_of(s), pairs[s.leaders], s.failed + s.ended
    return thrown(setup, s, [setup.roll(side, *how) for side in (0, 1)], dice)


def thrown(setup, s, rolls, dice):
    """The result of one part of a roll. All dice of a roll are thrown at its first part: main ones, then the others."""
    if not getattr(setup, "thrown", None):
        setup.thrown = {part: part_of(setup, part, rolls, dice) for part in sorted(setup.parts)}
    result = setup.thrown.pop(setup.parts[s.part])
    if setup.params.following[land.roll_of(s), s.part + 1] == len(setup.parts):
        setup.thrown = {}
    return result


def part_of(setup, part, rolls, dice):
    """One part of a roll; a side without a column has no die."""
    if part.kind != land.MAIN:
        roll = rolls[part.sides[0]]
        return sum(roll.read(setup.book, dice.popleft())[0] for _ in range(part.dice) if roll and roll.column)
    own = [(0, 0), (0, 0)]
    for side in part.sides:
        if rolls[side] and rolls[side].column:
            own[side] = rolls[side].read(setup.book, dice.popleft())
    return main_result(*own)


def both_fates(stacks, ends, dice):
    """Test die and second die of each side that is tested."""
    out = 0
    for side, (stack, (won, destroyed)) in enumerate(zip(stacks, ends, strict=True)):
        if stack is None or stack.leader.origin == "none":
            continue
        trial = leaders.Trial(won, destroyed, stack.leader.fragile)
        die = dice.popleft()
        hit = die + trial.bonus < 2 and not (stack.leader.kind == "king" and destroyed)
        second = dice.popleft() if hit and not stack.leader.anonymous else 1
        out += leaders.fate(stack.leader, trial, die, second) * (8 if side else 1)
    return out


def siege_result(craft, s, dice):
    if s.stage == siege.UNDERMINE:
        return dice.popleft()
    if s.stage in {siege.ASSAULT, siege.STORM}:
        breach = int(s.stage == siege.STORM)
        values = [
            (*stack.replacements[dice.popleft() - 1], False) if stack.leader.drawn else
            (0, stack.leader.fire, stack.leader.shock, stack.leader.fragile)
            for stack in (craft.besieger, craft.besieged)
        ]  # fmt: skip
        ground = Ground(s.camp, s.garrison, breach, s.counter)
        four = [dice.popleft() for _ in range(4)]
        pair, assaults = leaders.pair_of(*values, craft.fields.options.leader_differential_cap), craft.assaults
        drms = drms_of(assaults.place(ground), pair.fire, pair.shock)
        return assaults.outcome(ground, assaults.assailants.roll(breach, drms, four))[0]
    if s.stage in {siege.ATTRITION_FIRST, siege.ATTRITION_LATER}:
        drm = sum_of(craft.besieger_attrition(s.camp, s.pillages, bool(s.bad), s.drawn))
        return next(iter(attrition_by(craft.book, s.camp, s.pillages, dice.popleft() + drm, craft.habit)))
    if s.stage in {siege.SUPPLY, siege.COLD}:
        leader = craft.besieger
        man = leader.replacements[dice.popleft() - 1][0] if leader.is_vizier else leader.leader.manoeuvre
        drm = sum_of(craft.supply_attrition(s.camp, s.pillages, man))
        return next(iter(attrition_by(craft.book, s.camp, s.pillages, dice.popleft() + drm, craft.habit)))
    if s.stage == siege.HOME:
        lost = craft.book.attrition_europe(clamped(dice.popleft() + craft.timar_winter), s.camp // 3)[0]
        return 8 * max(0, s.camp - 3 * lost) + s.pillages
    if s.stage == siege.VIZIER:
        return dice.popleft() % 2
    if s.stage == siege.GARRISON_ATTRITION:
        drm = sum_of(craft.garrison_attrition(s.works, dice.popleft() % 2 if craft.draws_siege else 0))
        return next(iter(attrition_by(craft.book, s.garrison, 0, dice.popleft() + drm, GARRISON)))
    if s.stage == siege.CONTINUE:
        to = Season(False, False).throw(Track(BOXES[s.box]), dice.popleft())
        return 2 * BOXES.index(to.box) + to.bad
    ends = [(s.how == siege.BY_ASSAULT, s.camp == 0), (s.how != siege.BY_ASSAULT, False)]
    return both_fates([craft.besieger, craft.besieged], ends, dice)
