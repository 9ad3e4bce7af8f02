"""Risk in words: the assumptions of an answer, the dice of each place with their chances, a replayed round."""

from __future__ import annotations

from itertools import groupby, product
from random import Random

import numpy as np

from simulator.rules.battle import Columns, States
from simulator.rules.question import LOST, Answered, given
from simulator.rules.risk import rules, tables
from simulator.rules.risk.model import AnyBattle, BlockadeRun, Invasion, Land, Naval, OnLand
from simulator.rules.risk.outcome import force
from simulator.rules.risk.rules import MOST_DICE, UNDECIDED, Params, State
from simulator.rules.risk.tables import ENEMY, PARAMETERS, Hand, Place, places
from simulator.rules.sides import SIDES
from simulator.rules.toolkit import retreat
from simulator.rules.toolkit.naming import listed, plural, sentence
from simulator.rules.toolkit.policies import in_words, named

BLOCKADE = "The fleets break the blockade in {m}, and are stopped in {not m}."
INVASION = "The invasion succeeds in {m}; the convoy reaches the shore in {reached_shore}."


def land_sentence(answer: Answered) -> str:
    """The headline of a land battle."""
    regiments = given(answer, "attacker.regiments")
    of = f"of {plural(regiments, 'regiment')}" if isinstance(regiments, int) else "regiments"
    lost = f"{{mean.attacker_regiments_lost|{of}|{of}}}"
    called_off = "[; the attack is called off in {winner == 'nobody'}]"
    return f"{{A}} takes {_goal(answer)} in {{m}} and loses {lost} on average; {{D}} holds in {{{LOST}}}{called_off}."


def landing_sentence(answer: Answered) -> str:
    """The headline of an amphibious attack."""
    called_off = "[; called off in {winner == 'nobody'}]"
    return f"The landing takes {_goal(answer)} in {{m}}; {{D}} holds in {{{LOST}}}{called_off}."


def _goal(answer: Answered) -> str:
    places = given(answer, "defender.regiments")
    return f"all {len(places)} territories" if isinstance(places, list) and len(places) > 1 else "the territory"


def assumptions(fields: AnyBattle) -> list[str]:
    """Options, policies and assumed readings in force, beside the fields given (sections 6, 10 and 11)."""
    o, policy = fields.options, fields.policy.attacker
    lines = [
        f"up to {o.attack_dice} d{o.attack_die_sides} attack, up to {o.defence_dice} d{o.defence_die_sides} defend",
        f"ties: {o.ties}",
    ]
    if isinstance(fields, OnLand):
        lines += [
            "land combat is classic Risk: sorted dice, ties and left_behind as the options say (ASSUMED)",
            "attacker.regiments excludes the regiment that stays behind where the attack starts",
            f"left_behind: {o.left_behind} in each captured territory",
            f"regiment_cost: {o.regiment_cost} (ASSUMED)",
        ]
    if not isinstance(fields, Land | Naval):
        order = "sorted again after modifiers" if o.resort else "dice sorted before modifiers (ASSUMED)"
        penalty = o.blockade_modifier if isinstance(fields, BlockadeRun) else o.amphibious_modifier
        lines.append(f"{penalty:+d} to the attacker's highest die; {order}")
    stops = in_words(policy, named(policy.retreat), PARAMETERS)
    lines.append(f"attacker stops: {', '.join(stops)}; the defender never retreats")
    lines += [f"{side} rolls as many dice as is best" for side in SIDES if getattr(fields.policy, side).hand == "best"]
    if isinstance(fields, Invasion):
        policy, parameters = fields.policy.attacker, {name: f"sea_{field}" for name, field in PARAMETERS.items()}
        lines += [
            f"convoy stops: {', '.join(in_words(policy, named(policy.sea_retreat), parameters))}",
            f"fleets lost: {policy.losses}, then the least laden; troops drown {o.troop_loss} (both ASSUMED)",
            f"a landing {'may' if o.withdrawal else 'may not'} be called off (ASSUMED)",
            "fleets in a captured port attack to break out (ASSUMED)",
        ]
    return lines


def explain(fields: AnyBattle) -> list[str]:
    """The dice and modifiers of both sides in each place, and the chances of the losses of a round."""
    lines = []
    for (sides, *both), group in groupby(places(fields), key=lambda place: (place.sides, place.attack, place.defence)):
        same = list(group)
        most = max(place.own for place in same), max(place.enemies for place in same)
        most = most[::-1] if sides == ENEMY else most
        thrown = (range(min(hand.dice, units), 0, -1) for hand, units in zip(both, most, strict=True))
        who = "; ".join(f"{side} rolls {_dice_text(hand, same[0])}" for side, hand in zip(sides, both, strict=True))
        lines.append(f"{listed([place.name for place in same])}: {who}. Their losses, by dice in hand:")
        for a, d in product(*thrown):
            ways = sorted(tables.round_table(*both, a, d, fields.options.ties).items())
            rows = ((*tables.lost(result), 100 * some / sum(n for _, n in ways)) for result, some in ways)
            lines.append(f"  {a} v {d}: " + ", ".join(f"{own}-{enemy} {chance:.2f} %" for own, enemy, chance in rows))
    return lines


def _dice_text(hand: Hand, place: Place) -> str:
    """The dice of a side in words."""
    penalty = "landing" if place.unit == "regiment" else "blockaded"
    more = [
        (hand.commanders, f"d{hand.commander_die_sides} for {plural(hand.commanders, 'commander')}"),
        (hand.bonus_dice, f"{plural(hand.bonus_dice, 'bonus die', 'bonus dice')}, the best kept"),
        (hand.modifier_all, f"{hand.modifier_all:+d} to every die"),
        (hand.modifier_highest, f"{hand.modifier_highest:+d} to the highest"),
        (hand.penalty, f"{hand.penalty:+d} to the highest ({penalty})"),
        (hand.modifier_lowest, f"{hand.modifier_lowest:+d} to the lowest"),
    ]
    return ", ".join([f"up to {hand.dice} d{hand.die_sides}", *(text for given, text in more if given)])


def fight_of(fields: AnyBattle, p: Params, s: State) -> tuple[Place, int, int]:
    """The fight of a state: its place, the units of the side that attacks and of the other."""
    place, own, enemy = places(fields)[-1 if s.port else s.place], rules.force_of(p, s), rules.enemy_of(s)
    return (place, enemy, own) if place.sides == ENEMY else (place, own, enemy)


def tell(fields: AnyBattle, p: Params, before: State, result: int, after: State, dice: Random) -> str:
    """One round of a replay, with dice that give its result: the number chosen, else all that may be rolled."""
    place, attackers, defenders = fight_of(fields, p, before)
    start = f"Round {before.sea_rounds + before.land_rounds + 1}, {place.name}: "
    (first, second), (own, enemy) = place.sides, tables.lost(result)
    losses = f": {first} loses {plural(own, place.unit)}, {second} {enemy}"
    if not fields.options.defender_sees:
        thrown = before.dice or attackers, before.answer or defenders
        mine, theirs = dice_for(place, *thrown, fields.options.ties, result, dice)
        rolls = f"{_rolled(mine, place.attack)}, {second} ({defenders}) {_rolled(theirs, place.defence)}"
        return sentence(f"{start}{first} ({attackers}) {rolls}{losses}")
    if not before.hand:
        counted = ",".join(map(str, tables.shown_hands(place.attack)[result]))
        return sentence(f"{start}{first} ({attackers}) rolls what counts as {counted}")
    number = plural(before.answer or defenders, "die", "dice")
    return sentence(f"{start}{second} ({defenders}) answers with at most {number}{losses}")


def dice_for(place: Place, attackers: int, defenders: int, ties: str, result: int, dice: Random) -> tables.Kept:
    """Kept dice of both sides that give a result, drawn in proportion to their chances."""
    mine, theirs, results, ways = tables.rolls(place.attack, place.defence, attackers, defenders, ties)
    ends = np.where(results == result, ways, 0).ravel().cumsum()
    picked = int(np.searchsorted(ends, dice.randrange(int(ends[-1])), side="right"))
    return [mine[picked // len(theirs)], theirs[picked % len(theirs)]]


def _rolled(kept: tuple[int, ...], hand: Hand) -> str:
    counts = tables.modified(hand, kept)
    text = f"rolls {','.join(map(str, kept))}"
    return text if counts == kept else f"{text} (counts as {','.join(map(str, counts))})"


def decisions(fields: AnyBattle, p: Params, s: States, options: np.ndarray) -> Columns:
    """Columns of decision states, with the options taken in words (docs/rules/decisions.md section 2.3).

    Columns: text, or int64 for units and rounds; shape (states,). `options`: int32, shape (states,).
    """
    fights, units, at_sea = places(fields), force(p, s), s.place < p.crossings
    stops = (s.decided == UNDECIDED) & (np.where(at_sea, p.sea.best, p.land.best) > 0)
    dice = ~stops & (s.dice == 0) & (p.hands.attacker > 0)
    stop = np.where(at_sea & isinstance(fields, Invasion), "policy.attacker.sea_retreat", "policy.attacker.retreat")
    columns = {
        "decision": np.where(stops, stop, np.where(dice, "policy.attacker.hand", "policy.defender.hand")),
        "place": np.array([place.name for place in fights])[np.minimum(s.place, len(fights) - 1)],
        "own": np.where(stops | dice, units, s.enemy),
        "enemy": np.where(stops | dice, s.enemy, units),
    }
    words = np.where(options == 0, "go on", "stop")
    if p.hands.attacker + p.hands.defender == 0:
        return columns | {"choice": words}
    if retreat.reads_rounds(p.land.leave) or retreat.reads_rounds(p.sea.leave):
        columns["rounds"] = s.sea_rounds + s.land_rounds
    most = np.minimum(p.hands.most[1 - dice.astype(int), s.place], np.where(dice, units, s.enemy))
    rolled = np.array([plural(number, "die", "dice") for number in range(MOST_DICE + 1)])
    return columns | {"choice": np.where(stops, words, rolled[np.clip(most - options, 0, MOST_DICE)])}
