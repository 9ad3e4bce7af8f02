"""The rounds of a battle on land or at sea: one procedure (docs/rules/price_of_power.md sections 3 and 4).

The chance steps are the card and the charge of each side, then in each round the attacker's and the defender's roll.
The casualties of a round are removed together after the defender's roll; then each side decides whether it leaves.
"""

from __future__ import annotations

from simulator.engine.model.chain import helper, rule
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.price_of_power.casualties import (
    ATTACK,
    CATEGORIES,
    DEFENCE,
    GONE,
    HITS,
    TERCIOS,
    at,
    forces_after,
    heavy_in,
    hits_with,
    lost,
    number_of,
    present,
    strength_on,
    table_for,
    units_in,
)
from simulator.rules.price_of_power.decisions import (
    any_goes,
    appointed,
    choose,
    decided,
    gone,
    is_open,
    played,
    plays_by_rule,
)
from simulator.rules.price_of_power.state import (
    ATTACKER_APPOINTS,
    ATTACKER_CHARGES,
    ATTACKER_DECIDES,
    ATTACKER_DRAWS,
    ATTACKER_LOSES,
    ATTACKER_PAYS,
    ATTACKER_PLAYS,
    ATTACKER_ROLLS,
    DEAD,
    DEFENDER_APPOINTS,
    DEFENDER_DECIDES,
    DEFENDER_DRAWS,
    DEFENDER_LOSES,
    DEFENDER_PLAYS,
    DEFENDER_ROLLS,
    OVER,
    PLAYER,
    STAGES,
    STAY,
    UNLED,
    Params,
    State,
    cards_of,
    fights,
    has_empty_side,
    leader_of,
    led,
)

# The rolls (section 3.2, steps 1 and 2; section 4, steps 1 and 2).


@helper
def dice_of(p, s, side):
    """Row of the pools of a side: those of its cards' condition; of these 3 x its leader card, plus 0 with a dead
    leader, 1 with one alive, 2 where the side is not led.
    """
    wounds = leader_of(s, side) % STAGES
    row = leader_of(s, side) - wounds + (UNLED if not led(p, s, side) else 1 if wounds < DEAD else 0)
    return cards_of(s, side) * p.rows[side] + row


@helper
def hits_of(p, s, side, shown):
    """Hits of a roll."""
    return hits_with(p.sea, strength_on(p, s, side), shown, p.automatic[side] if led(p, s, side) else 0)


@helper
def wounds_by(p, s, side, shown):
    """Wounds that the tercios of the enemy's roll deal to the leader of `side` (section 3.2, step 4)."""
    leader = leader_of(s, side)
    return new_wounds(shown, leader % STAGES) if leader > 0 and led(p, s, side) else 0


@helper
def new_wounds(shown, wounds):
    """One wound for each two tercios; a leader dies of the second."""
    return min(shown >> (TERCIOS + 1), DEAD - wounds)


@helper
def with_captures(p, s, side, shown, hits):
    """The ships that a roll captures if it sinks the enemy's last ship, cheapest first (section 4, step 5)."""
    enemy = strength_on(p, s, 1 - side)
    if p.supply[side] == 0 or hits < enemy >> HITS:
        return s
    captured = min(shown >> TERCIOS, p.supply[side], units_in(enemy))
    return s._replace(captured=captured, captured_heavy=max(0, captured - units_in(enemy) + heavy_in(enemy)))


# The course of a battle.


@helper
def to_round(p, s):
    """The next round: its cards, then its dice."""
    phase = ATTACKER_PLAYS if p.hands else ATTACKER_ROLLS
    return s._replace(
        phase=phase, turns=s.turns if p.whole_battle else 0,
        attacker_cards=0 + p.used[0, s.attacker_cards], defender_cards=0 + p.used[1, s.defender_cards],
    )  # fmt: skip


@helper
def reported(p, faction, force):
    """A force as the outcome reads it: of a fleet before a later stage the number of each ship alone."""
    if p.sea & p.brief == 0:
        return force
    return force + ((p.fewest[CATEGORIES * faction + 1, number_of(force, 1)] - number_of(force, 1)) << at(1))


@helper
def reported_leader(p, s, side):
    """A leader as the outcome reads him: his wounds, and who he is where his side has appointed him."""
    leader = leader_of(s, side)
    return 0 if p.brief else leader if p.appoints[side] > 0 else leader % STAGES


@helper
def ended(p, s):
    """The battle is over; fields that no outcome reads are cleared, so that equal outcomes merge."""
    return s._replace(
        phase=OVER, round=0, turns=0,
        attacker=reported(p, 0, s.attacker), defender_1=reported(p, 1, s.defender_1),
        defender_2=reported(p, 2, s.defender_2), defender_3=reported(p, 3, s.defender_3),
        defender_4=reported(p, 4, s.defender_4), defender_5=reported(p, 5, s.defender_5),
        captured_heavy=0 if p.brief else s.captured_heavy,
        attacker_leader=reported_leader(p, s, 0), defender_leader=reported_leader(p, s, 1),
    )  # fmt: skip


@helper
def after_losses(p, s):
    """Both sides have taken their hits: the end, round 1 after a charge, or the decisions of a round."""
    over = has_empty_side(s)
    if s.charge:
        return s._replace(charge=0, phase=OVER if over else ATTACKER_PLAYS)
    s = s._replace(rounds=s.rounds + p.count_rounds, phase=OVER if over else ATTACKER_DECIDES)
    if over and (present(s.attacker) or fights(p, s, DEFENCE, PLAYER)):
        return s
    return s._replace(captured=0, captured_heavy=0)


@helper
def after_round(p, s):
    """All have decided: the end, or the next round."""
    now = s.round + 1
    if has_empty_side(s) or now == p.max_rounds:
        return s._replace(phase=OVER)
    return s._replace(phase=ATTACKER_PLAYS, round=min(now, p.last - 1))


@helper
def takes(p, s, side):
    """A side takes hits or pays now, but for a fleet that pays by its list."""
    if s.phase >= ATTACKER_PAYS:
        return s.leaving > 0 and (p.sea == 0 or p.picks[side] > 0)
    return (s.back if side == ATTACK else s.hits) > 0


@helper
def go_on(p, s, option):
    """The state after a phase without dice in which a side takes this option."""
    # Inlined code stands in one place only: else compiling takes several times as long.
    side = s.phase & 1
    if s.phase >= ATTACKER_APPOINTS:
        after = appointed(p, s, side, option)
        return after._replace(phase=DEFENDER_APPOINTS if side == ATTACK else next_phase(p, ATTACKER_DRAWS))
    if s.phase >= ATTACKER_PLAYS:
        return played(p, s, side, option)._replace(phase=DEFENDER_PLAYS if side == ATTACK else ATTACKER_ROLLS)
    if s.phase in (ATTACKER_DECIDES, DEFENDER_DECIDES):
        return decided(p, s, side, option)._replace(phase=ATTACKER_PAYS + side)
    after = forces_after(p, s, side, option) if takes(p, s, side) else s
    if s.phase >= ATTACKER_PAYS:
        after = gone(s, after)
        if side == DEFENCE:
            after = after_round(p, after)
        else:
            after = after._replace(phase=OVER if after.attacker & GONE else DEFENDER_DECIDES)
    else:
        after = lost(p, s, after, side)
        after = after_losses(p, after) if side == DEFENCE else after._replace(phase=DEFENDER_LOSES)
    if after.phase == OVER:
        return ended(p, after)
    return to_round(p, after) if after.phase == ATTACKER_PLAYS else after


@helper
def rolled(p, s, result):
    """The state after the defender's roll: both sides take their hits, the attacker first."""
    shown = p.shown[result]
    hits = hits_of(p, s, DEFENCE, shown)
    room = strength_on(p, s, ATTACK) >> HITS
    after = s._replace(phase=ATTACKER_LOSES, back=min(hits, room), hurt=wounds_by(p, s, ATTACK, shown))
    if hits < room:
        return after
    return with_captures(p, after._replace(captured=0, captured_heavy=0), DEFENCE, shown, hits)


@helper
def next_phase(p, phase):
    """The first card or charge from this phase on that has a table, else the first round."""
    while phase < ATTACKER_ROLLS and p.opening[phase] == NO_TABLE:
        phase += 1
    return ATTACKER_PLAYS if phase == ATTACKER_ROLLS and p.hands else phase


@helper
def before_round_1(p, s, result):
    """Cards and charges (section 3.1, steps 2 and 3)."""
    following = next_phase(p, s.phase + 1)
    if s.phase == ATTACKER_DRAWS:
        return s._replace(phase=following, attacker_leader=STAGES * result)
    if s.phase == DEFENDER_DRAWS:
        return s._replace(phase=following, defender_leader=STAGES * result)
    if s.phase == ATTACKER_CHARGES:
        return s._replace(phase=following, hits=min(result, strength_on(p, s, DEFENCE) >> HITS))
    return s._replace(phase=ATTACKER_LOSES, back=min(result, strength_on(p, s, ATTACK) >> HITS), charge=1)


@helper
def stuck(p, s):
    """No result of the rolls can change the state, so the battle ends without this round (section 3.2)."""
    if s.round < p.last - 1 or s.round + 1 == p.max_rounds:
        return False
    for side in range(2):
        if hits_of(p, s, side, p.pool[side, dice_of(p, s, side), s.round, 1]) > 0:
            return False
    for side in range(2):
        # A `best` policy that stayed, or kept its cards, before does so again.
        asked = s._replace(phase=ATTACKER_DECIDES + side)
        option = max(choose(p, asked), STAY) if is_open(p, asked) else STAY
        if any_goes(p, s, side, option) or plays_by_rule(p, s, side):
            return False
    return True


@rule(Params)
def running(p, s):
    """The battle goes on until a side has no unit, `max_rounds` rounds are done, or nothing can change."""
    return s.phase != OVER and not (s.phase == ATTACKER_ROLLS and stuck(p, s))


@rule(Params)
def table(p, s):
    """Before round 1 a card or a charge; then the pool of the side that rolls, for the units in place."""
    if s.phase < ATTACKER_ROLLS:
        return p.opening[s.phase]
    side = s.phase - ATTACKER_ROLLS
    if side > DEFENCE:
        return NO_TABLE
    return table_for(strength_on(p, s, side), p.pool[side, dice_of(p, s, side), s.round, 0], p.cap[side])


@helper
def after_roll(p, s, result):
    """The state after a roll, a card of a leader or a charge."""
    if s.phase < ATTACKER_ROLLS:
        return before_round_1(p, s, result)
    if s.phase == DEFENDER_ROLLS:
        return rolled(p, s, result)
    shown = p.shown[result]
    hits, enemy = hits_of(p, s, ATTACK, shown), strength_on(p, s, DEFENCE) >> HITS
    after = s._replace(
        phase=DEFENDER_ROLLS,
        hits=min(hits, enemy),  # hits beyond the last unit are lost
        wounds=wounds_by(p, s, DEFENCE, shown),
    )
    return with_captures(p, after, ATTACK, shown, hits)


@helper
def onward(p, s, option):
    """The state after this option, if a side has to choose, and after all that follows without dice or a choice."""
    chosen = option >= 0
    while chosen or (s.phase >= ATTACKER_LOSES and s.phase != OVER and not is_open(p, s)):
        s, option, chosen = go_on(p, s, max(option, 0)), 0, False
    return s


@rule(Params)
def step(p, s, result):
    """The state after a roll, a card, a charge or a decision, and all that follows without dice or a choice."""
    chosen = s.phase >= ATTACKER_LOSES
    return onward(p, s if chosen else after_roll(p, s, result), result if chosen else -1)


def begun(p: Params, s: State) -> State:
    """The start of a battle: a roll, a card or a decision."""
    return State(*map(int, onward(p, s, -1)))
