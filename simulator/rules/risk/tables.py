"""Numbers before the first roll: the dice of each place, and the ways of each result of a round, counted exactly
(docs/rules/risk.md sections 2, 3 and 5).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from math import log
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from simulator.engine.chain import Chain
from simulator.engine.chance import TableBook, Tables
from simulator.rules.battle import ATTACKER, States
from simulator.rules.risk import invasion_rules
from simulator.rules.risk.model import AnyBattle, AtSea, BlockadeRun, Crossing, Invasion, Land, OnLand
from simulator.rules.risk.rules import STOPPED, UNDECIDED, Hands, Params, Policy, State
from simulator.rules.toolkit import retreat
from simulator.rules.toolkit.chances import unlikely
from simulator.rules.toolkit.naming import SIDES, winners
from simulator.rules.toolkit.policies import named

MOST_DICE = 4
BATTLE, CONVOY, ENEMY = ("the attacker", "the defender"), ("the convoy", "the enemy"), ("the enemy", "the convoy")
Value = TypeVar("Value")
Fought = TypeVar("Fought", Params, invasion_rules.Params)


class Hand(NamedTuple):
    """How one side rolls in one place: most dice, sides, commander dice and bonus dice, modifiers, adjustments.

    `penalty` is the amphibious or blockade modifier, added to the highest die beside `highest`.
    """

    dice: int
    sides: int
    commanders: int = 0
    commander_sides: int = 8
    bonus: int = 0
    highest: int = 0
    lowest: int = 0
    all: int = 0
    penalty: int = 0
    clamp: bool = False
    resort: bool = False


class Place(NamedTuple):
    """Where a fight is: who attacks whom, the dice of both, the most units of both, and what the units are."""

    name: str
    sides: tuple[str, str]
    attack: Hand
    defence: Hand
    attackers: int
    defenders: int
    unit: str = "regiment"


# --- one round of dice (section 3) ---------------------------------------------------------------------------------


def dice_rolled(hand: Hand, units: int) -> list[int]:
    """Sides of every die that a side of `units` rolls (steps 1-3)."""
    size = min(hand.dice, units)
    commanders = min(hand.commanders, size)
    return [hand.commander_sides] * commanders + [hand.sides] * (size - commanders + hand.bonus)


def kept_dice(hand: Hand, units: int) -> Counter[tuple[int, ...]]:
    """Ways of each hand kept, high to low, before modifiers (step 3)."""
    ways: Counter[tuple[int, ...]] = Counter({(): 1})
    for sides in dice_rolled(hand, units):
        wider: Counter[tuple[int, ...]] = Counter()
        for kept, count in ways.items():
            for face in range(1, sides + 1):
                wider[tuple(sorted((*kept, face), reverse=True)[: min(hand.dice, units)])] += count
        ways = wider
    return ways


def modified(hand: Hand, kept: tuple[int, ...]) -> tuple[int, ...]:
    """A kept hand after modifiers, in comparison order (steps 4-6)."""
    dice = [face + hand.all for face in kept]
    dice[0] += hand.highest + hand.penalty
    dice[-1] += hand.lowest
    if hand.clamp:
        largest = max(dice_rolled(hand, len(kept)))
        dice = [min(max(face, 1), largest) for face in dice]
    return tuple(sorted(dice, reverse=True)) if hand.resort else tuple(dice)


def compare(mine: ArrayLike, theirs: ArrayLike, ties: str) -> tuple[np.ndarray, np.ndarray]:
    """Losses (side that attacks, other side) of hands in comparison order, dice along the last axis (step 7)."""
    left, right = np.asarray(mine), np.asarray(theirs)
    pairs = min(left.shape[-1], right.shape[-1])
    left, right = left[..., :pairs], right[..., :pairs]
    equal = left == right
    own = (left < right) | (equal & (ties in {"defender", "both"}))
    enemy = (left > right) | (equal & (ties in {"attacker", "both"}))
    return own.sum(axis=-1), enemy.sum(axis=-1)


class Rolls(NamedTuple):
    """All rolls of both sides in a round: kept hands, and for each pair of them its result and ways.

    A result is 8 * losses of the side that attacks + losses of the other.
    """

    attack: list[tuple[int, ...]]
    defence: list[tuple[int, ...]]
    result: np.ndarray
    ways: np.ndarray


@lru_cache(maxsize=4)
def rolls(attack: Hand, defence: Hand, attackers: int, defenders: int, ties: str) -> Rolls:
    """Every pair of hands that so many units may roll, with the losses (steps 7 and 8)."""
    mine, theirs = kept_dice(attack, attackers), kept_dice(defence, defenders)
    left = np.array([modified(attack, kept) for kept in mine])[:, None]
    own, enemy = compare(left, np.array([modified(defence, kept) for kept in theirs]), ties)
    ways = np.outer(np.array(list(mine.values()), np.int64), np.array(list(theirs.values()), np.int64))
    return Rolls(list(mine), list(theirs), (8 * own + enemy).astype(np.int8), ways)


@lru_cache(maxsize=4096)
def round_table(attack: Hand, defence: Hand, attackers: int, defenders: int, ties: str) -> dict[int, int]:
    """Ways of each result of a round: exact integer counts."""
    _, _, result, ways = rolls(attack, defence, attackers, defenders, ties)
    return {int(value): int(ways[result == value].sum()) for value in np.unique(result)}


def lost(result: int) -> tuple[int, int]:
    """Losses (side that attacks, other side) that a result stands for."""
    return result >> 3, result & 7


# --- the places of a battle ----------------------------------------------------------------------------------------


def path(fields: OnLand) -> list[int]:
    """Defenders of each territory of the path."""
    regiments = fields.defender.regiments
    return list(regiments) if isinstance(regiments, list) else [regiments]


def each(value: Value | list[Value], places: int) -> list[Value]:
    """One value for all places, or the list that has one each."""
    return list(value) if isinstance(value, list) else [value] * places


def crossings(fields: AnyBattle) -> list[Crossing]:
    """The crossings where there is a fight."""
    return [way for way in fields.conditions.crossings if way.fleets] if isinstance(fields, Invasion) else []


def transports_of(fields: Invasion) -> int:
    """Fleets of a convoy that carry troops."""
    return fields.attacker.fleets if fields.attacker.transports is None else fields.attacker.transports


def places(fields: AnyBattle) -> list[Place]:
    """Every place of the battle: crossings first, then the fights of the battle proper, then the port."""
    options = fields.options
    if isinstance(fields, AtSea):
        penalty = options.blockade_modifier if isinstance(fields, BlockadeRun) else 0
        attack, defence = (
            _hands(fields, side, 1)[0]._replace(penalty=p) for side, p in (("attacker", penalty), ("defender", 0))
        )
        return [Place("sea", BATTLE, attack, defence, fields.attacker.fleets, fields.defender.fleets, "fleet")]
    penalty, defenders = 0 if isinstance(fields, Land) else options.amphibious_modifier, path(fields)
    regiments = fields.attacker.regiments
    hands = zip(*(_hands(fields, side, len(defenders)) for side in SIDES), strict=True)
    land = [
        Place(f"territory {i + 1}", BATTLE, attack._replace(penalty=penalty), defence, regiments, defenders[i])
        for i, (attack, defence) in enumerate(hands)
    ]
    if not isinstance(fields, Invasion):
        return land
    in_port = fields.defender.port_fleets
    port = [_convoy_fight(fields, "port", in_port, True, True)] if in_port else []
    sea = [
        _convoy_fight(fields, f"crossing {i + 1}", way.fleets, way.convoy == "defends", way.blockaded)
        for i, way in enumerate(crossings(fields))
    ]
    return sea + land + port


def _plain_hands(fields: AnyBattle) -> tuple[Hand, Hand]:
    """The dice of the side that attacks and of the other by the options alone."""
    o, sides = fields.options, fields.options.commander_die_sides
    hand = Hand(o.attack_dice, o.attack_die_sides, commander_sides=sides, clamp=o.clamp, resort=o.resort)
    return hand, hand._replace(dice=o.defence_dice, sides=o.defence_die_sides)


def _hands(fields: AnyBattle, where: str, count: int) -> list[Hand]:
    """The dice of a side in each place of the battle proper."""
    side, plain = getattr(fields, where), _plain_hands(fields)[SIDES.index(where)]
    given = {
        "dice": getattr(side, "dice", None),
        "sides": getattr(side, "die_sides", None),
        "commanders": getattr(side, "commanders", 0),
        "bonus": side.bonus_dice,
        "highest": side.modifier_highest,
        "lowest": side.modifier_lowest,
        "all": side.modifier_all,
    }
    values = {name: each(value, count) for name, value in given.items() if value is not None}
    return [plain._replace(**{name: value[i] for name, value in values.items()}) for i in range(count)]


def _convoy_fight(fields: Invasion, name: str, enemies: int, convoy_defends: bool, blockaded: bool) -> Place:
    """A sea fight in an invasion (section 5.5, steps 2 and 6)."""
    convoy, enemy = (fields.attacker, fields.attacker.fleets), (fields.defender, enemies)
    (mine, own), (other, their) = (enemy, convoy) if convoy_defends else (convoy, enemy)
    attack, defence = (
        plain._replace(highest=side.sea_modifier_highest, all=side.sea_modifier_all)
        for plain, side in zip(_plain_hands(fields), (mine, other), strict=True)
    )
    attack = attack._replace(penalty=fields.options.blockade_modifier if blockaded else 0)
    return Place(name, ENEMY if convoy_defends else CONVOY, attack, defence, own, their, "fleet")


# --- chance tables -------------------------------------------------------------------------------------------------


class RoundTables(NamedTuple):
    """The chance tables of some places; `places[place, attackers, defenders]` (units, 4 or more as 4) finds one.

    `calm` is the largest chance that a round of a place causes no loss.
    """

    tables: Tables
    places: np.ndarray
    calm: np.ndarray


def round_tables(fields: AnyBattle) -> RoundTables:
    """The tables of all places of a battle."""
    return _tables_of(tuple((place.attack, place.defence) for place in places(fields)), fields.options.ties)


@lru_cache(maxsize=1024)
def _tables_of(hands: tuple[tuple[Hand, Hand], ...], ties: str) -> RoundTables:
    """Kept, since the cells of a sweep mostly roll the same dice."""
    book, size = TableBook(), MOST_DICE + 1
    index, calm = np.zeros((len(hands), size, size), np.int64), np.zeros(len(hands))
    for i, (attack, defence) in enumerate(hands):
        for a in range(1, size):
            for d in range(1, size):
                table = round_table(attack, defence, a, d, ties)
                index[i, a, d] = book.add(table)
                calm[i] = max(calm[i], table.get(0, 0) / sum(table.values()))
    return RoundTables(book.close(), index, calm)


def most_rounds(units: int, calm: float) -> int:
    """Rounds after which `units` are gone but for a chance below 1e-18, if each is without loss at most with `calm`.

    Chernoff's bound for fewer than `units` rounds with a loss among so many.
    """

    def enough(rounds: int) -> bool:
        share = (units - 1) / rounds
        if share >= 1 - calm:
            return False
        distance = (1 - share) * log((1 - share) / calm) + (share * log(share / (1 - calm)) if share else 0.0)
        return rounds * distance > 43

    return units if calm == 0 else units + bisect_left(range(units, 2**31 - 1), True, key=enough)


# --- parameters ----------------------------------------------------------------------------------------------------

STOPS: dict[str, tuple[str, Callable[[int], retreat.Leave]]] = {
    "stop-below": ("stop_below", retreat.below),
    "max-rounds": ("max_rounds", retreat.after),
    "wear-down": ("wear_down_to", retreat.worn_down),
}
PARAMETERS = {name: parameter for name, (parameter, _) in STOPS.items()} | {"stop-below-odds": "min_odds"}
NOWHERE = np.zeros((1, 1, 1), np.int64)
NO_HANDS = Hands(0, 0, 0, NOWHERE[0], NOWHERE[0], NOWHERE)


def policy(fields: AnyBattle, sea: str = "") -> Policy:
    """When the attacker stops on land, or (`sea_`) at sea; nothing being hopeless yet (section 6)."""
    given = fields.policy.attacker
    chosen = named(getattr(given, f"{sea}retreat"))
    stops = [make(getattr(given, sea + parameter)) for name, (parameter, make) in STOPS.items() if name in chosen]
    stops += [retreat.outnumbered()] if "stop-when-outnumbered" in chosen else []
    asks, by_odds = int(chosen != ["to-the-end"]), int("stop-below-odds" in chosen)
    return Policy(asks, retreat.any_of(*stops), by_odds, NOWHERE, int("best" in chosen))


def params(fields: AnyBattle, fights: list[Place], index: np.ndarray) -> Params:
    """Parameters of some fights, one after the other; `index` as in RoundTables."""
    defenders = np.array([*(place.defenders for place in fights), 0], np.int64)
    return Params(defenders, fields.options.left_behind, index, policy(fields), NO_HANDS)


def limits(fights: list[Place], calm: float) -> State:
    """The largest value of each field."""
    own, defenders = fights[0].attackers, [place.defenders for place in fights]
    return State(own, len(fights), max(defenders), STOPPED, most_rounds(own + sum(defenders), calm), 0, 0, 0)


def chain(fields: AnyBattle) -> Chain:
    """The chain of every kind but the invasion."""
    fights, found = places(fields), round_tables(fields)
    p, largest = params(fields, fights, found.places), limits(fights, found.calm.max())
    p = p._replace(policy=within(p.policy, largest.rounds))
    start = State(largest.attackers, 0, fights[0].defenders, UNDECIDED, 0, 0, 0, 0)
    if p.policy.by_odds:
        plain = Chain(to_the_end(p), start, largest, found.tables, counters=("rounds",))
        p = with_odds(p, plain, lambda s: winner(p, s) == ATTACKER, fields.policy.attacker.min_odds or 0.0, largest)
    counters = () if retreat.reads_rounds(p.policy.leave) else ("rounds",)
    # Fought to the end, at least every fourth pair of numbers left in the first territory comes to be.
    at_least = 0 if p.policy.asks else largest.attackers * fights[0].defenders // 6
    return Chain(p, start, largest, found.tables, counters=counters, at_least=at_least)


def to_the_end(p: Fought) -> Fought:
    """The same fights without a policy."""
    return p._replace(policy=Policy(0, retreat.never(), 0, NOWHERE, 0))


def within(policy: Policy, most: int) -> Policy:
    """The policy without a limit of rounds that is not reached in `most` rounds."""
    return (
        policy if policy.leave.rounds < most else policy._replace(leave=policy.leave._replace(rounds=retreat.NO_LIMIT))
    )


def with_odds(p: Params, plain: Chain, won: Callable[[States], np.ndarray], least: float, largest: State) -> Params:
    """The places marked from which the whole battle `plain` is too unlikely to be won."""
    shape = largest.captured + 1, largest.attackers + 1, largest.defenders + 1
    marks = unlikely(plain, won, least, lambda s: (s.captured, force(p, s), s.defenders), shape)
    return p._replace(policy=p.policy._replace(hopeless=marks))


def force(p: Params, s: States) -> np.ndarray:
    """Attackers who are not garrisons, of many states at once."""
    return np.asarray(np.maximum(0, s.attackers - p.left_behind * s.captured))


def winner(p: Params, s: States) -> np.ndarray:
    """Winner of final states (section 5.1): nobody when called off, or when both sides of the last fight are gone."""
    return winners(s.captured == len(p.defenders) - 1, (force(p, s) == 0) & (s.defenders > 0))
