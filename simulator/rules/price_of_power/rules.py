"""A land or naval battle in the order of its rules (docs/rules/price_of_power.md sections 3 and 4).

`follow` says what comes next. The functions named `to_...` return the battle at the next roll, decision or end.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import partial

from simulator.engine.model.plain import Choice, Following, Roll
from simulator.rules.price_of_power import cards, text
from simulator.rules.price_of_power.casualties import (
    NOTHING,
    Fate,
    after_losses,
    after_throw,
    fates,
    hit,
    in_words,
    ways_to_lose,
)
from simulator.rules.price_of_power.decisions import Going, hands_to_play, leaves_by_rule, who_may_leave
from simulator.rules.price_of_power.dice import Icons, Throw
from simulator.rules.price_of_power.setup import Setup
from simulator.rules.price_of_power.state import (
    APPOINTS,
    ATTACK,
    CHARGES,
    DEFENCE,
    DRAWS,
    LEAVES,
    LOSES,
    OVER,
    PAYS,
    PLAYS,
    ROLLS,
    BattleState,
    Force,
    Realm,
    force_of,
    with_force,
)
from simulator.rules.toolkit.naming import listed
from simulator.rules.toolkit.weights import sum_of

BOTH = (ATTACK, DEFENCE)
ROUND = {"rounds": 1}


def begun(w: Setup, *sides: tuple[Realm, ...]) -> BattleState:
    """The battle at its first roll or decision, by default with all realms of each side as they are at the start."""
    forces = []
    for side, own in enumerate(w.sides):
        realms = sides[side] if sides else tuple(Realm(faction.numbers) for faction in own.factions)
        card = next(iter(own.drawn)) if len(own.drawn) == 1 else 0  # who draws or appoints has nobody yet
        wounds = own.leaders[card - 1].wounds if card else 0
        forces.append(Force(realms, card, wounds, (cards.KEPT,) * len(w.cards[side])))
    return to_appoint(w, BattleState(OVER, ATTACK, 0, *forces), ATTACK)


def follow(w: Setup, s: BattleState) -> Following:
    """The roll or the decision that comes next; None at the end."""
    return None if s.stage == OVER or stuck(w, s) else STEPS[s.stage](w, s)


def stuck(w: Setup, s: BattleState) -> bool:
    """No result of the rolls can change the battle, so it ends without this round (section 3.2)."""
    if s.stage != ROLLS or s.round < w.last - 1 or s.round + 1 == w.max_rounds:
        return False
    for side in BOTH:
        own = force_of(s, side)
        if any(hits for hits, _, _ in w.rolls(side, w.throw_of(side, own, s.round))):
            return False
        # An owner who stayed, or kept his cards, before does so again.
        if any(leaves_by_rule(w, s, side, at) for at in range(len(own.realms))):
            return False
        kept = cards.after_round(w.cards[side], own.hand)
        if kept != own.hand or hands_to_play(w, with_force(s, side, own._replace(hand=kept)), side)[0] != own.hand:
            return False
    return True


def decision(s: BattleState, policy: str, options: Iterable[tuple[str, BattleState]]) -> Choice:
    """A decision of the side that comes next. Of options that lead to the same only the first is there."""
    found: dict[BattleState, str] = {}
    for words, after in options:
        again = words in found.values()
        found.setdefault(after, f"{words} ({len(found) + 1})" if again else words)
    return Choice(("attacker", "defender")[s.side], policy, {words: after for after, words in found.items()})


# Before round 1 (section 3.1).


def to_appoint(w: Setup, s: BattleState, side: int) -> BattleState:
    """Owners appoint a leader, the attacker first (3.7)."""
    if side > DEFENCE:
        return to_draw(w, s, ATTACK)
    return s._replace(stage=APPOINTS, side=side) if w.sides[side].appoints else to_appoint(w, s, side + 1)


def appoints(w: Setup, s: BattleState) -> Choice:
    """One of the leaders."""
    own, force = w.sides[s.side], force_of(s, s.side)

    def led_by(card: int) -> BattleState:
        wounds = own.leaders[card - 1].wounds if card else 0
        return to_appoint(w, with_force(s, s.side, force._replace(leader=card, wounds=wounds)), s.side + 1)

    options = ((own.called(candidate), led_by(card)) for candidate, card in enumerate(own.cards))
    return decision(s, f"policy.{own.where}.leader", options)


def to_draw(w: Setup, s: BattleState, side: int) -> BattleState:
    """Step 2: sides without players draw a military card."""
    if side > DEFENCE:
        return to_charge(w, s, ATTACK)
    return s._replace(stage=DRAWS, side=side) if w.sides[side].draws else to_draw(w, s, side + 1)


def draws(w: Setup, s: BattleState) -> Roll:
    """The top military card: a leader, or an advisor, who leads nobody."""
    own = w.sides[s.side]
    after = {card: with_force(s, s.side, force_of(s, s.side)._replace(leader=card)) for card in own.drawn}
    weights = {to_draw(w, after[card], s.side + 1): number for card, number in own.drawn.items()}
    return Roll("the military card", weights, line=lambda s_after, _: text.drawn(own, force_of(s_after, s.side).leader))


def to_charge(w: Setup, s: BattleState, side: int) -> BattleState:
    """Step 3: Noble Knights charge, both sides at once."""
    if side > DEFENCE:
        return to_lose(w, s, ATTACK) if s.charge else to_play(w, s, ATTACK)
    if w.charges[side]:
        return s._replace(stage=CHARGES, side=side, charge=True)
    return to_charge(w, s, side + 1)


def charges(w: Setup, s: BattleState) -> Roll:
    """Each cavalry icon is a casualty; nobody is wounded."""
    enemy = 1 - s.side
    icons = Counter(face.cavalry for face in w.dice["cavalry"])
    ways: Counter[BattleState] = Counter()

    def after(hits: int) -> BattleState:
        return to_charge(w, with_force(s, enemy, hit(w, enemy, force_of(s, enemy), hits, 0)), s.side + 1)

    for hits, number in sum_of(icons, w.charges[s.side]).items():
        ways[after(hits)] += number
    return Roll("the charge", ways, line=lambda done, _: text.charged(w, s, done))


# A round (section 3.2).


def to_play(w: Setup, s: BattleState, side: int) -> BattleState:
    """Step 0: cards are played, the attacker's first (3.5)."""
    if not (w.cards[ATTACK] or w.cards[DEFENCE]) or side > DEFENCE:
        return s if s.stage == ROLLS else s._replace(stage=ROLLS, side=ATTACK)
    first, *others = hands_to_play(w, s, side)
    if others:
        return s._replace(stage=PLAYS, side=side)
    return to_play(w, with_force(s, side, force_of(s, side)._replace(hand=first)), side + 1)


def plays(w: Setup, s: BattleState) -> Choice:
    """The cards that may be played now."""
    own, hand = force_of(s, s.side), force_of(s, s.side).hand
    options = []
    for after in hands_to_play(w, s, s.side):
        new = [cards.IN_FORCE if at != was else cards.KEPT for at, was in zip(after, hand, strict=True)]
        played = cards.names(w.cards[s.side], tuple(new), cards.IN_FORCE)
        words = f"play {', '.join(played)}" if played else "keep"
        options.append((words, to_play(w, with_force(s, s.side, own._replace(hand=after)), s.side + 1)))
    return decision(s, f"{w.sides[s.side].where}.battle_actions", options)


def throw_of(w: Setup, s: BattleState, side: int) -> Throw:
    """The dice of a side in this round."""
    return w.throw_of(side, force_of(s, side), s.round)


def fates_of(w: Setup, s: BattleState, side: int) -> dict[int, float]:
    """The possible effects of the enemy's roll on a side (their places in `Setup.fates`), with their chances."""
    return fates(w, side, force_of(s, side), throw_of(w, s, 1 - side))


def rolls(w: Setup, s: BattleState) -> Roll:
    """Steps 1 and 2: both roll, each for the units that stood before.

    Fates and battles are looked up by their places, since the hash of a battle takes 0.6 us: 1.5 times as fast.
    """
    chances: defaultdict[int, float] = defaultdict(float)
    attackers, defenders = (fates_of(w, s, side).items() for side in BOTH)
    for defender, p in defenders:
        known = w.after_rolls[s.round, defender]
        for attacker, q in attackers:
            if (after := known.get(attacker)) is None:
                after = known[attacker] = w.battles.place(rolled(w, s.round, w.fates[attacker], w.fates[defender]))
            chances[after] += p * q
    counts = ROUND if w.options.count_rounds else {}
    weights = {w.battles[after]: chance for after, chance in chances.items()}
    return Roll("the dice", weights, counts, partial(line_of_rolls, w, s))


def rolled(w: Setup, round_: int, attacker: Fate, defender: Fate) -> BattleState:
    """The battle after a round's rolls, which have come to this for both sides."""
    captured = attacker[1] if attacker[1] != NOTHING else defender[1]
    return to_lose(w, BattleState(ROLLS, ATTACK, round_, attacker[0], defender[0], captured), ATTACK)


def after_faces(w: Setup, s: BattleState, side: int, thrown: Iterable[Icons]) -> Fate:
    """The effect on a side of an enemy roll of these faces."""
    throw = throw_of(w, s, 1 - side)
    shown = throw.pool.shown(thrown)
    tercios = min(shown.tercios, w.caps(1 - side, throw.pool).tercios)
    return after_throw(w, side, force_of(s, side), throw.hits(shown), tercios)


def line_of_rolls(w: Setup, s: BattleState, after: BattleState, dice: random.Random) -> str:
    """The line of a round's rolls: faces of both sides that lead to this battle."""
    attackers, defenders = ({w.fates[at]: p for at, p in fates_of(w, s, side).items()} for side in BOTH)
    ways = {
        (a, d): p * q for a, p in attackers.items() for d, q in defenders.items() if rolled(w, s.round, a, d) == after
    }
    came = dice.choices([*ways], [*ways.values()])[0]
    shown = [
        text.faces_until(w, throw_of(w, s, side), partial(after_faces, w, s, 1 - side), came[1 - side], dice)
        for side in BOTH
    ]
    return text.rolled(w, s, [throw_of(w, s, side) for side in BOTH], shown, after)


def to_lose(w: Setup, s: BattleState, side: int) -> BattleState:
    """Steps 3 and 4 where owners pick their losses, the attacker first (3.4); others have taken their hits."""
    if side > DEFENCE or not any(w.picks):
        return to_go_on(w, s)
    force = force_of(s, side)
    if not force.hits:
        return to_lose(w, s, side + 1)
    (_, first), *others = ways(w, side, force)
    return s._replace(stage=LOSES, side=side) if others else to_lose(w, with_force(s, side, first), side + 1)


def loses(w: Setup, s: BattleState) -> Choice:
    """The ways to take the hits."""
    options = ways(w, s.side, force_of(s, s.side))
    after = ((words, to_lose(w, with_force(s, s.side, own), s.side + 1)) for words, own in options)
    return decision(s, f"policy.{w.sides[s.side].where}.losses", after)


def ways(w: Setup, side: int, force: Force) -> list[tuple[str, Force]]:
    """The ways in which a side takes its hits or pays, in words, and the force after them. Kept in memory."""
    if (found := w.memory.get((side, force))) is None:
        after = ways_to_lose(w, side, force)
        found = w.memory[side, force] = [
            (in_words(w, side, force, one), one if force.paying else after_losses(w, side, force, one)) for one in after
        ]
    return found


def has_empty_side(w: Setup, s: BattleState) -> bool:
    """A side has no unit in the battle."""
    return not (w.units(ATTACK, s.attacker) and w.units(DEFENCE, s.defender))


def to_go_on(w: Setup, s: BattleState) -> BattleState:
    """Step 5: the battle is over if a side has no unit; else who leaves, or round 1 after the charge."""
    if has_empty_side(w, s):
        if s.captured != NOTHING and not any(w.fights(side, force_of(s, side), "player") for side in BOTH):
            s = s._replace(captured=NOTHING)
        return ended(w, s)
    if s.charge:
        return to_next_round(w, s, 0)
    return to_leave(w, s, ATTACK) if any(w.may_leave) else to_round_end(w, s)


def to_leave(w: Setup, s: BattleState, side: int) -> BattleState:
    """Step 6: realms leave, the attacker first; all defenders decide on the same counts."""
    if side > DEFENCE:
        return ended(w, s) if has_empty_side(w, s) else to_round_end(w, s)
    if not w.may_leave[side]:
        return to_leave(w, s, side + 1)
    first, *others = who_may_leave(w, s, side)
    return s._replace(stage=LEAVES, side=side) if others else leaving(w, s, side, first)


def leaves(w: Setup, s: BattleState) -> Choice:
    """The realms that leave."""
    own, alone = w.sides[s.side], [f"factions[{one.number - 1}].retreat" for one in w.alone]
    first, *others = who_may_leave(w, s, s.side)
    options = [("stay", leaving(w, s, s.side, first))]
    for going in others:
        names = [own.factions[at].called for at in going if at not in first]
        words = f"{listed(names)} {'leaves' if len(names) == 1 else 'leave'}" if alone else "leave"
        options.append((words, leaving(w, s, s.side, going)))
    return decision(s, f"defender.{' and '.join(alone)}" if alone else f"policy.{own.where}.retreat", options)


def leaving(w: Setup, s: BattleState, side: int, going: Going) -> BattleState:
    """These realms leave; a player realm pays one more casualty, a fleet by its list when its ships are counted."""
    if not going:
        return to_leave(w, s, side + 1)
    own, factions = force_of(s, side), w.sides[side].factions
    pay = tuple(at for at in going if factions[at].realm.kind == "player")
    away = own._replace(realms=gone(own, set(going) - set(pay)), paying=pay)
    s = with_force(s, side, away)
    if not pay or (w.sea and not w.picks[side]):
        return paid(w, s, side, away)
    (_, first), *others = ways(w, side, away)
    return s._replace(stage=PAYS, side=side) if others else paid(w, s, side, first)


def gone(force: Force, going: Iterable[int]) -> tuple[Realm, ...]:
    """The realms of a side after some have left."""
    return tuple(one._replace(gone=True) if at in going else one for at, one in enumerate(force.realms))


def pays(w: Setup, s: BattleState) -> Choice:
    """The unit that leaving costs."""
    options = ((words, paid(w, s, s.side, after)) for words, after in ways(w, s.side, force_of(s, s.side)))
    return decision(s, f"policy.{w.sides[s.side].where}.losses", options)


def paid(w: Setup, s: BattleState, side: int, after: Force) -> BattleState:
    """Those who leave have paid and are gone; if the attacker stayed, the defenders decide."""
    left = after._replace(realms=gone(after, after.paying), paying=())
    s = with_force(s, side, left)
    return ended(w, s) if side == ATTACK and left.realms[0].gone else to_leave(w, s, side + 1)


def to_round_end(w: Setup, s: BattleState) -> BattleState:
    """Step 7: the battle stops after `max_rounds` rounds."""
    over = s.round + 1 == w.max_rounds
    return ended(w, s) if over else to_next_round(w, s, min(s.round + 1, w.last - 1))


def to_next_round(w: Setup, s: BattleState, round_: int) -> BattleState:
    """The alternation starts again, unless it goes through the whole battle."""
    attacker, defender = s.attacker, s.defender
    if w.alternates or w.cards[ATTACK] or w.cards[DEFENCE]:
        attacker, defender = (for_next_round(w, side, force_of(s, side)) for side in BOTH)
    return to_play(w, BattleState(ROLLS, ATTACK, round_, attacker, defender), ATTACK)


def for_next_round(w: Setup, side: int, own: Force) -> Force:
    """A side at the end of a round."""
    realms, hand = own.realms, cards.after_round(w.cards[side], own.hand) if own.hand else ()
    if w.alternates and not w.whole_battle and any(one.turn for one in realms):
        realms = tuple(one._replace(turn=0) for one in realms)
    return Force(realms, own.leader, own.wounds, hand)


def ended(w: Setup, s: BattleState) -> BattleState:
    """The end; what no outcome reads is dropped, so that equal outcomes are one state."""
    captured = (s.captured[0], 0) if w.brief else s.captured
    attacker, defender = at_end(w, ATTACK, s.attacker), at_end(w, DEFENCE, s.defender)
    return BattleState(OVER, ATTACK, 0, attacker, defender, captured)


def at_end(w: Setup, side: int, own: Force) -> Force:
    """A side as the outcome reads it. Kept in memory."""
    key = OVER, side, own
    if (found := w.memory.get(key)) is None:
        leader = own.leader if w.sides[side].appoints else 0
        realms = [one._replace(turn=0) for one in own.realms]
        if w.brief and w.sea:
            pairs = zip(w.sides[side].factions, realms, strict=True)
            realms = [one._replace(left=faction.fewest(one.left)) for faction, one in pairs]
        led_by = (0, 0) if w.brief else (leader, own.wounds)
        found = w.memory[key] = Force(tuple(realms), *led_by, own.hand)
    return found


STEPS: dict[int, Callable[[Setup, BattleState], Following]] = {
    APPOINTS: appoints, DRAWS: draws, CHARGES: charges, PLAYS: plays, ROLLS: rolls, LOSES: loses, LEAVES: leaves,
    PAYS: pays,
}  # fmt: skip
