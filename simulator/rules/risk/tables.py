"""Numbers before the first roll: dice of each place, chances of each result (docs/rules/risk.md sections 2, 3, 5)."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from simulator.engine.model.chain import Chain
from simulator.engine.model.chance import TableBook, Tables, combine_all, die
from simulator.rules.battle import ATTACKER, Fields
from simulator.rules.risk.model import AnyBattle, AtSea, BlockadeRun, Invasion, Land, OnLand
from simulator.rules.risk.outcome import force, winner
from simulator.rules.risk.rules import MOST_DICE, STOPPED, UNDECIDED, Hands, Params, Policy, State
from simulator.rules.toolkit.policies import named
from simulator.rules.toolkit.retreat import NO_LIMIT, Leave, any_of, outnumbered, reads_rounds
from simulator.rules.toolkit.tolerances import ROUNDING

BATTLE, CONVOY, ENEMY = ("the attacker", "the defender"), ("the convoy", "the enemy"), ("the enemy", "the convoy")
Kept = list[tuple[int, ...]]
Grid = np.ndarray


@cache
def _fields_of_hand(sea: str) -> dict[str, str]:
    """The fields of a `Hand` by those of a side of the scenario."""
    return {sea + name: name for name in Hand._fields}


class Hand(NamedTuple):
    """The dice of one side in one place; the names are those of the scenario's fields.

    `penalty` is the amphibious or blockade modifier, added to the highest die beside `modifier_highest`.
    """

    dice: int
    die_sides: int
    commander_die_sides: int = 8
    clamp: bool = False
    resort: bool = False
    commanders: int = 0
    bonus_dice: int = 0
    modifier_highest: int = 0
    modifier_lowest: int = 0
    modifier_all: int = 0
    penalty: int = 0

    def with_fields(self, side: Fields, sea: str, i: int) -> Hand:
        """These dice with the given fields of a side (`sea_`: at sea in an invasion); `i` is the place in lists."""
        names = _fields_of_hand(sea)
        given = {names[name]: getattr(side, name) for name in side.model_fields_set if name in names}
        if not given:
            return self
        own = {name: value[i] if isinstance(value, list) else value for name, value in given.items()}
        return self._replace(**{name: value for name, value in own.items() if value is not None})


class Place(NamedTuple):
    """A place of a fight: attacking and defending side, their dice, their units at most, and the kind of unit."""

    name: str
    sides: tuple[str, str]
    attack: Hand
    defence: Hand
    own: int
    enemies: int
    unit: str = "regiment"


def dice_rolled(hand: Hand, units: int) -> list[int]:
    """Sides of every die that a side of `units` rolls (steps 1-3)."""
    size = min(hand.dice, units)
    commanders = min(hand.commanders, size)
    return [hand.commander_die_sides] * commanders + [hand.die_sides] * (size - commanders + hand.bonus_dice)


def kept_dice(hand: Hand, units: int) -> Counter[tuple[int, ...]]:
    """Ways of each hand kept, high to low, before modifiers (step 3)."""
    most = min(hand.dice, units)

    def keep(kept: tuple[int, ...], face: int) -> tuple[int, ...]:
        return tuple(sorted((*kept, face), reverse=True)[:most])

    return combine_all(map(die, dice_rolled(hand, units)), keep, ())


def modified(hand: Hand, kept: tuple[int, ...]) -> tuple[int, ...]:
    """A kept hand after modifiers, in comparison order (steps 4-6)."""
    dice = [face + hand.modifier_all for face in kept]
    dice[0] += hand.modifier_highest + hand.penalty
    dice[-1] += hand.modifier_lowest
    if hand.clamp:
        largest = max(dice_rolled(hand, len(kept)))
        dice = [min(max(face, 1), largest) for face in dice]
    return tuple(sorted(dice, reverse=True)) if hand.resort else tuple(dice)


def shown_hands(hand: Hand) -> list[tuple[int, ...]]:
    """Every hand that can be rolled, after modifiers."""
    return sorted({modified(hand, kept) for dice in range(1, MOST_DICE + 1) for kept in kept_dice(hand, dice)})


def compare(mine: ArrayLike, theirs: ArrayLike, ties: str) -> tuple[np.ndarray, np.ndarray]:
    """Losses (side that attacks, other side) of hands in comparison order (step 7).

    `mine`, `theirs`: int arrays with dice along the last axis; the losses are int64, in the broadcast shape of the
    other axes.
    """
    left, right = np.asarray(mine), np.asarray(theirs)
    pairs = min(left.shape[-1], right.shape[-1])
    over = left[..., :pairs] - right[..., :pairs]
    own = (over < 0) | ((over == 0) & (ties in {"defender", "both"}))
    enemy = (over > 0) | ((over == 0) & (ties in {"attacker", "both"}))
    return own.sum(axis=-1), enemy.sum(axis=-1)


@lru_cache(maxsize=4)
def rolls(attack: Hand, defence: Hand, attackers: int, defenders: int, ties: str) -> tuple[Kept, Kept, Grid, Grid]:
    """The hands that these numbers of units can keep; the result and the ways of each pair of them (steps 7, 8).

    A result is 8 * losses of the side that attacks + losses of the other. Results are int8, ways int64, both of shape
    (hands that attack, hands that defend).
    """
    mine, theirs = kept_dice(attack, attackers), kept_dice(defence, defenders)
    left = np.array([modified(attack, kept) for kept in mine])[:, None]
    own, enemy = compare(left, np.array([modified(defence, kept) for kept in theirs]), ties)
    ways = np.outer(np.array(list(mine.values()), np.int64), np.array(list(theirs.values()), np.int64))
    return list(mine), list(theirs), (8 * own + enemy).astype(np.int8), ways


def tally(results: Grid, ways: Grid) -> dict[int, int]:
    """Ways of each result; `results` int8 and `ways` int64 of one shape, as in `rolls`."""
    return {value: int(ways[results == value].sum()) for value in sorted({*results.ravel().tolist()})}


@lru_cache(maxsize=4096)
def round_table(attack: Hand, defence: Hand, attackers: int, defenders: int, ties: str) -> dict[int, int]:
    """Ways of each result of a round, as integers."""
    return tally(*rolls(attack, defence, attackers, defenders, ties)[2:])


def lost(result: int) -> tuple[int, int]:
    """Losses (side that attacks, other side) of a result."""
    return result >> 3, result & 7


def path(fields: OnLand) -> list[int]:
    """Defenders of each territory of the path."""
    return given if isinstance(given := fields.defender.regiments, list) else [given]


def places(fields: AnyBattle) -> list[Place]:
    """Every place with a fight, in order: crossings, then the sea fight or the territories, then the port."""
    o, attacker, defender = fields.options, fields.attacker, fields.defender
    alike = o.commander_die_sides, o.clamp, o.resort
    defence = Hand(o.defence_dice, o.defence_die_sides, *alike)

    def place(name: str, sides: tuple[str, str], enemies: int, penalty: int, i: int = 0) -> Place:
        mine, other = (defender, attacker) if sides == ENEMY else (attacker, defender)
        sea, unit = ("", "regiment") if sides == BATTLE else ("sea_", "fleet")
        unit = "fleet" if isinstance(fields, AtSea) else unit
        attack = Hand(o.attack_dice, o.attack_die_sides, *alike, penalty=penalty)
        hands = attack.with_fields(mine, sea, i), defence.with_fields(other, sea, i)
        return Place(name, sides, *hands, getattr(attacker, f"{unit}s"), enemies, unit)

    if isinstance(fields, AtSea):
        penalty = o.blockade_modifier if isinstance(fields, BlockadeRun) else 0
        return [place("sea", BATTLE, fields.defender.fleets, penalty)]
    penalty = 0 if isinstance(fields, Land) else o.amphibious_modifier
    on_land = [place(f"territory {i + 1}", BATTLE, enemies, penalty, i) for i, enemies in enumerate(path(fields))]
    if not isinstance(fields, Invasion):
        return on_land
    crossings = []
    for i, way in enumerate(way for way in fields.conditions.crossings if way.fleets):
        sides, penalty = ENEMY if way.convoy == "defends" else CONVOY, o.blockade_modifier if way.blockaded else 0
        crossings.append(place(f"crossing {i + 1}", sides, way.fleets, penalty))
    in_port = fields.defender.port_fleets
    return crossings + on_land + ([place("port", ENEMY, in_port, o.blockade_modifier)] if in_port else [])


@lru_cache(maxsize=1024)
def round_tables(hands: tuple[tuple[Hand, Hand], ...], ties: str) -> tuple[Tables, np.ndarray, list[float]]:
    """The chance tables of some places, their indices, and the chance of a round without loss; cached for sweeps.

    The indices have the shape (places, attackers, defenders), in units, 4 or more as 4. The chance of a round without
    loss is the largest of each place.
    """
    book, size = TableBook(), MOST_DICE + 1
    index, no_loss = np.zeros((len(hands), size, size), np.int64), [0.0] * len(hands)
    for i, a, d in product(range(len(hands)), range(1, size), range(1, size)):
        table = round_table(*hands[i], a, d, ties)
        index[i, a, d] = book.add(table)
        no_loss[i] = max(no_loss[i], table.get(0, 0) / sum(table.values()))
    return book.close(), index, no_loss


def most_rounds(units: int, no_loss: float) -> int:
    """Rounds after which all `units` are lost, except with a chance below 1e-18.

    `no_loss` is the largest chance of a round without loss.
    """
    if no_loss == 0:
        return units
    from scipy.special import bdtr  # scipy.stats takes a second to import

    return bisect_left(range(2**31 - 1), True, units, key=lambda n: bool(bdtr(units - 1, n, 1 - no_loss) < 1e-18))


STOPS = {"stop-below": "below", "max-rounds": "rounds", "wear-down": "worn_down"}  # fields of Leave
PARAMETERS = {
    "stop-below": "stop_below", "max-rounds": "max_rounds", "wear-down": "wear_down_to", "stop-below-odds": "min_odds"
}  # fmt: skip
NOWHERE = np.zeros((1, 1, 1), np.int64)
NEVER = Policy(0, Leave(), 0, NOWHERE, 0)
NO_HANDS = Hands(0, 0, 0, NOWHERE[0], NOWHERE[0], NOWHERE)


def policy(fields: AnyBattle, sea: str, most: int, below_odds: Callable[[float], np.ndarray]) -> Policy:
    """The attacker's policy to stop on land, or at sea if `sea` is "sea_" (section 6).

    `below_odds(chance)`: the field of `Policy`, int64, shape (places + 1, own units + 1, enemies + 1).
    A limit that `most` rounds never reach is dropped, so that the state need not hold the rounds.
    """
    given = fields.policy.attacker
    chosen = named(getattr(given, f"{sea}retreat"))
    if chosen == ["to-the-end"]:
        return NEVER
    numbers = {limit: getattr(given, sea + PARAMETERS[name]) for name, limit in STOPS.items() if name in chosen}
    weaker = [outnumbered()] if "stop-when-outnumbered" in chosen else []
    leave, by_odds = any_of(Leave(**numbers), *weaker), "stop-below-odds" in chosen
    leave = leave if leave.rounds < most else leave._replace(rounds=NO_LIMIT)
    where = below_odds(getattr(given, f"{sea}min_odds")) if by_odds else NOWHERE
    return Policy(1, leave, int(by_odds), where, int("best" in chosen))


def troops_aboard(fields: AnyBattle) -> list[int]:
    """Troops that a convoy of 0, 1, ... fleets carries (section 5.5, steps 1 and 3); other kinds: see `Params`."""
    if not isinstance(fields, Invasion):
        return list(range(fields.attacker.fleets + 1)) if isinstance(fields, AtSea) else [fields.attacker.regiments]
    own, transports = fields.attacker, fields.attacker.transports or fields.attacker.fleets
    if fields.options.troop_loss == "all-or-nothing":
        return [0] + [own.regiments] * own.fleets
    escorts = own.fleets - transports if fields.policy.attacker.losses == "transports-first" else 0
    load, more = divmod(own.regiments, transports)
    # The least laden transport is lost first, so that the transports with one more regiment stay longest.
    left = [min(transports, max(0, fleets - escorts)) for fleets in range(own.fleets + 1)]
    return [number * load + min(number, more) for number in left]


def _rounds(fights: list[Place], no_loss: list[float], unit: str) -> int:
    """The most rounds that all fights at sea, or all on land, can take."""
    which = [i for i, place in enumerate(fights) if place.unit == unit]
    units = [fights[which[0]].own, *(fights[i].enemies for i in which)] if which else []
    return most_rounds(sum(units), max((no_loss[i] for i in which), default=0.0))


def params(fields: AnyBattle, fights: list[Place], index: np.ndarray, no_loss: list[float]) -> Params:
    """Parameters of a battle without policies.

    `index`: the tables of a round, int64, shape (places, attackers, defenders), from `round_tables`.
    """
    port = fields.defender.port_fleets if isinstance(fields, Invasion) else 0
    in_turn = fights[:-1] if port else fights
    return Params(
        crossings=[place.unit for place in in_turn].count("fleet"),
        places=len(in_turn),
        enemies=np.array([place.enemies for place in in_turn] + [0], np.int64),
        port=port,
        defends=np.array([int(place.sides == ENEMY) for place in in_turn] + [1], np.int64),
        tables=index,
        aboard=np.array(troops_aboard(fields), np.int64),
        left_behind=fields.options.left_behind,
        most_rounds=_rounds(fights, no_loss, "fleet"),
        sea=NEVER,
        land=NEVER,
        hands=NO_HANDS,
    )


def chain(fields: AnyBattle, tell: Callable[..., str]) -> Chain:
    """The chain of a whole battle, without choices of dice; `tell(fields, params, ...)` as the Chain's."""
    fights = places(fields)
    book, index, no_loss = round_tables(tuple((place.attack, place.defence) for place in fights), fields.options.ties)
    p, land_rounds = params(fields, fights, index, no_loss), _rounds(fights, no_loss, "regiment")
    fleets, troops, sea = len(p.aboard) - 1, int(p.aboard[-1]), "sea_" if isinstance(fields, Invasion) else ""
    ashore = 0 if p.crossings else troops
    # Only an invasion reports the regiments that landed; elsewhere they would separate equal states of other sizes.
    shore = troops if p.crossings or isinstance(fields, Invasion) else 0
    start = State(0, fleets, ashore, fights[0].enemies, 0, min(ashore, shore), UNDECIDED, 0, 0, 0, 0, 0)
    most = max(p.enemies.tolist())
    largest = State(p.places, fleets, troops, most, p.port, shore, STOPPED, p.most_rounds, land_rounds, 0, 0, 0)

    def below_odds(least: float) -> np.ndarray:
        """1 where the chance to win, fought to the end, is below `least`; the port cannot change it."""
        from simulator.engine.api import state_values

        fought_out = p._replace(most_rounds=0, port=0)
        to_the_end = Chain(fought_out, start, largest, book, counters=("land_rounds",), may_be_over=True)
        states, chance = state_values(to_the_end, lambda ends: (winner(p, ends) == ATTACKER).astype(float))
        below = np.zeros((p.places + 1, max(fleets, troops) + 1, most + 1), np.int64)
        below[states.place, force(p, states), states.enemy] = chance < least - ROUNDING
        return below

    at_sea = policy(fields, sea, p.most_rounds, below_odds) if p.crossings else NEVER
    on_land = policy(fields, "", land_rounds, below_odds) if p.crossings < p.places else NEVER
    counted = ("land_rounds", land_rounds, on_land.leave), ("sea_rounds", p.most_rounds, at_sea.leave)
    counters = tuple([name for name, rounds, leave in counted if rounds and not reads_rounds(leave)])
    asked = at_sea.asks or on_land.asks or isinstance(fields, Invasion)
    least = (0, 0) if asked else least_size(fights[0], book.rows_of(int(index[0, MOST_DICE, MOST_DICE])).tolist())
    p = p._replace(sea=at_sea, land=on_land)
    return Chain(p, start, largest, book, counters, partial(tell, fields, p), at_least=least, may_be_over=True)


def least_size(place: Place, results: list[int]) -> tuple[int, int]:
    """States and transitions of a fight to the end, at least, from the results of a round with all dice.

    Where a number of losses may be split between the sides in every way, as long as both have units for all dice, all
    losses that add up to a multiple of it come to be.
    """
    for losses in range(1, MOST_DICE + 1):
        if all(own << 3 | losses - own in results for own in range(losses + 1)):
            states = max(0, place.own - MOST_DICE + 1) * (max(0, place.enemies - MOST_DICE + 1) // losses)
            return states, (losses + 1) * states
    return 0, 0


def with_hands(fields: AnyBattle, chain: Chain) -> Chain:
    """The chain with the choices of dice, if a side chooses (docs/rules/decisions.md section 2.1; G. Koole, An optimal
    dice rolling policy for Risk, Nieuw Archief voor Wiskunde 12, 1994).
    """
    attacker, defender = (int(policy.hand == "best") for policy in (fields.policy.attacker, fields.policy.defender))
    if not (attacker or defender):
        return chain
    fights, faces = places(fields), range(1, MOST_DICE + 1)
    most = np.array([[place.attack.dice for place in fights], [place.defence.dice for place in fights]], np.int64)
    hands = Hands(attacker, defender, int(fields.options.defender_sees), most, NOWHERE[0], NOWHERE)
    limits = chain.limits._replace(dice=MOST_DICE, answer=MOST_DICE)
    if not hands.sees:
        return replace(chain, params=chain.params._replace(hands=hands), limits=limits)
    book, hands_of = TableBook(), [shown_hands(place.attack) for place in fights]
    limits = limits._replace(hand=max(map(len, hands_of)))
    shown = np.zeros((len(fights), MOST_DICE + 1), np.int64)
    answers = np.zeros((len(fights), limits.hand, MOST_DICE + 1), np.int64)
    for i, (place, numbers) in enumerate(zip(fights, hands_of, strict=True)):
        for dice, answer in product(faces, faces):
            mine, _, results, ways = rolls(place.attack, place.defence, dice, answer, fields.options.ties)
            shows = np.array([numbers.index(modified(place.attack, kept)) for kept in mine])
            shown[i, dice] = book.add(tally(shows, ways.sum(axis=1)))
            for number, row in zip(shows, results, strict=True):
                answers[i, number, answer] = book.add(tally(row, ways[0]))
    hands = hands._replace(shown=shown, answers=answers)
    return replace(chain, params=chain.params._replace(hands=hands), limits=limits, tables=book.close())
