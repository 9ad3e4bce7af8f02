"""The dice of each unit and their values in a step (docs/rules/custom_games.md sections 2.8, 2.9, 4 and 5).

Numbers of pieces are arrays, int64 of shape (places,): the dice of all places of a side are found together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.custom.dice.checked import Checked, chance_to_pass, checks_of
from simulator.rules.custom.dice.die import Hit, chance_at, chances_of
from simulator.rules.custom.game_file.units import Rolled, roll_of
from simulator.rules.custom.masks import bits
from simulator.rules.custom.setup import Help, Rule, Shot, SideSetup

# Aims by which only the front of a side fires and is hit.
FRONTS = ("piece", "kind")
# The first of the pieces of a unit that a support helps, and the one behind them: int64 of shape (places,).
Pieces = tuple[Any, Any]


class Standing(NamedTuple):
    """Units of a side that stand in places with the same presence keys (2.7).

    `counts`: int64, shape (places, units); `mask`: the units of the first place, `fighting`: those of them that fight;
    `points`: the points left of its loss line in games with aimed steps (`Places.points_left`).
    """

    counts: np.ndarray
    mask: int
    fighting: int
    points: tuple[tuple[int, int], ...] = ()

    @property
    def front(self) -> int:
        """The front unit, as a mask."""
        return 1 << self.points[0][0] if self.points else 0

    def number(self, mask: int) -> np.ndarray:
        """The number of standing units of a mask: int64, shape (places,)."""
        return np.asarray(self.counts[:, list(bits(mask))].sum(axis=1))


class Situation(NamedTuple):
    """The number of the round (0 before the battle), and the units that stand on both sides as one side sees them."""

    number: int
    own: Standing
    enemy: Standing

    def holds(self, rule: Rule) -> bool:
        """Does a step or rule hold, by its round marks and presence keys?"""
        return rule.in_round(self.number) and rule.stands(self.own.mask, self.enemy.mask)

    def limit_of(self, rule: Rule) -> Any:
        """The count of the limit of a step or rule: int, or int64 of shape (places,); None without one."""
        return rule.limited(self.own, self.enemy)


class Volley(NamedTuple):
    """Equal dice of one step of a side: `units` of `unit` roll `dice` in all, each as `roll`, which `helps` changed.

    `units` and `dice` are numbers, or int64 arrays of shape (places,). `hits`: the chance of each hit class of a die.
    In aimed steps `aim` is the unit that the first die is thrown at, and `checked` what its hits must pass.
    """

    unit: int
    units: Any
    dice: Any
    roll: Rolled
    hits: tuple[tuple[Hit, Any], ...]
    helps: tuple[Help, ...]
    side: SideSetup
    shot: Shot
    checked: Checked = ()
    aim: int = 0

    @property
    def value(self) -> int:
        """The value that is rolled at."""
        return self.roll.value

    @property
    def chance(self) -> Any:
        """The chance that a die hits anything, in parts of the whole: int, or Fraction where hits are checked."""
        return sum([chance for _, chance in self.hits])

    @property
    def damage(self) -> Any:
        """Mean damage of a die, in parts of the whole."""
        return sum([hit.damage * chance for hit, chance in self.hits])


def aim_of(shot: Shot, enemy: Standing) -> int:
    """The units at which the dice of a step are thrown, as a mask: with an aim the one that is first (2.6)."""
    if shot.given.aim == "anyone":
        return shot.targets
    if shot.given.aim == "first":
        return next((1 << unit for unit, _ in enemy.points if shot.targets >> unit & 1), 0)
    return enemy.front & shot.targets


def firing_units(shot: Shot, own: Standing) -> int:
    """The units that may fire a step (section 5, step 2): with the aim at pieces or kinds only the front unit."""
    return shot.by & own.front if shot.given.aim in FRONTS else shot.by


def fires(shot: Shot, now: Situation) -> bool:
    """Does the side fire this step (section 5, step 1)?"""
    return bool(now.enemy.fighting & aim_of(shot, now.enemy)) and now.holds(shot)


def fired(side: SideSetup, group: Sequence[int], now: Situation) -> list[Shot]:
    """The steps of a group that units of the side fire."""
    return [shot for shot in side.shots_in(group) if side.able(shot) and fires(shot, now)]


def volleys(side: SideSetup, shot: Shot, now: Situation) -> list[Volley]:
    """The dice of a step that is fired (section 5, steps 2 to 4)."""
    # Supports of units that the scenario does not have are left out first.
    present = side.setup.sides[side.enemy].present, side.present
    given = [rule for rule in side.supports if rule.by & present[rule.own]]
    helpers = [rule for rule in given if rule.applies(shot) and now.holds(rule)]
    supported = _paired(side, helpers, shot, now)
    modifiers = [rule for rule in side.modifiers if rule.applies(shot) and now.holds(rule)]
    limited = [rule for rule in modifiers if rule.limit is not None and not rule.again]
    supported += [(rule, _best_pieces(side, rule, shot, now)) for rule in limited]
    modifiers = [rule for rule in modifiers if rule.limit is None]
    checked = checks_of(side, shot, now.holds)
    found, aim = [], aim_of(shot, now.enemy)
    for unit in bits(firing_units(shot, now.own) & side.present):
        changed = [rule for rule in modifiers if rule.units >> unit & 1]
        raised = [(rule, *pieces[unit]) for rule, pieces in supported if unit in pieces]
        left: Any = 1
        for raising, pieces in _alike(now.own.counts[:, unit], raised):
            # With the aim at pieces one fires, the first of its unit.
            firing = np.minimum(pieces, left) if shot.given.aim == "piece" else pieces
            left = left - firing
            found.append(volley_of(side, shot, unit, firing, (*raising, *changed), aim, checked))
    found = [volley for volley in found if np.count_nonzero(volley.dice)]
    return found if shot.limit is None else best(found, now.limit_of(shot))


def volleys_at(side: SideSetup, shot: Shot, now: Situation) -> list[Volley]:
    """As `volleys`, for one own place: numbers in place of arrays."""
    return [at_one_place(volley) for volley in volleys(side, shot, now)]


def at_one_place(volley: Volley) -> Volley:
    """A volley with numbers in place of arrays."""
    return volley._replace(units=int(volley.units[0]), dice=int(volley.dice[0]))


def rerolls(side: SideSetup, shot: Shot, now: Situation) -> list[tuple[Help, Any]]:
    """The modifiers by which misses of a step are rolled again, in order, and how many each (limited rerolls)."""
    found = [rule for rule in side.modifiers if rule.again and rule.applies(shot) and now.holds(rule)]
    return [(rule, now.limit_of(rule)) for rule in found if not side.setup.low_luck]


def covering(volley: Volley, again: Sequence[tuple[Help, Any]]) -> tuple[int, ...]:
    """The modifiers among these that roll misses of a volley again; dice with a reroll of their own have none."""
    return (
        () if volley.roll.reroll else tuple([k for k, (rule, _) in enumerate(again) if rule.units >> volley.unit & 1])
    )


def _paired(side: SideSetup, rules: Sequence[Help], shot: Shot, now: Situation) -> list[tuple[Help, dict[int, Pieces]]]:
    """The pieces of each unit that each support helps: the first ones that have the roll (2.8).

    A rule of a stack passes over the pieces that rules of the same supporters before it in the stack have helped.
    """
    used: dict[tuple[bool, str], dict[int, Any]] = {}
    found = []
    for rule in rules:
        supporters = (now.own if rule.own else now.enemy).number(rule.by)
        free = rule.given.each * supporters
        stack, pieces = rule.given.stack, {}
        begun = {} if stack is None else used.setdefault((rule.own, stack), {})
        for unit in bits(rule.units & side.present):
            if roll_of(side.setup.file, side.side, unit, shot.roll):
                first, end = begun.get(unit, 0), now.own.counts[:, unit]
                number = np.minimum(free, end - first if begun else end)
                if rule.own and rule.by >> unit & 1 and not rule.given.itself:  # nobody helps himself
                    number = np.where(supporters == 1, 0, number)
                pieces[unit] = first, first + number if begun else number
                free = free - number
        if stack is not None:
            begun.update({unit: end for unit, (_, end) in pieces.items()})
        found.append((rule, pieces))
    return found


def _best_pieces(side: SideSetup, rule: Help, shot: Shot, now: Situation) -> dict[int, Pieces]:
    """The pieces of each unit that a limited modifier changes: those with the best rolls of all that fire (2.9)."""
    left, pieces = now.limit_of(rule), {}

    def chance(unit: int) -> int:
        roll = side.roll(unit, shot)
        return roll.value if roll.compared else chance_at(side.setup.file, roll._replace(reroll=frozenset()))

    for unit in sorted(bits(rule.units & firing_units(shot, now.own) & side.present), key=chance, reverse=True):
        number = np.minimum(left, now.own.counts[:, unit])
        pieces[unit] = 0, number
        left = left - number
    return pieces


def _alike(standing: np.ndarray, raised: list[tuple[Help, Any, Any]]) -> Iterator[tuple[list[Help], np.ndarray]]:
    """The pieces of a unit by the supports that raise them, how many in each place; the first pieces first."""
    if not raised:
        yield [], standing
        return
    if len(raised) == 1 and isinstance(raised[0][1], int):
        ((rule, _, end),) = raised
        yield [rule], end
        yield [], standing - end
        return
    ends = np.array([end for *_, end in raised])
    later = [begin for _, begin, _ in raised if not isinstance(begin, int)]
    marks = np.sort(np.vstack([0 * standing, *later, ends, standing]), axis=0)
    begins = np.array([begin + 0 * standing for _, begin, _ in raised]) if later else 0
    for low, high in pairwise(marks):
        holds = ((ends >= high) & (begins <= low) if later else ends >= high).T
        for pattern in dict.fromkeys(map(tuple, holds[high > low].tolist())):
            rules = [rule for (rule, *_), held in zip(raised, pattern, strict=True) if held]
            yield rules, (high - low) * (holds == pattern).all(axis=1)


def volley_of(
    side: SideSetup, shot: Shot, unit: int, units: Any, helps: tuple[Help, ...], aim: int, checked: Checked
) -> Volley:
    """The dice of units that have the same supports: section 4, and step 3 of section 5."""

    def make() -> tuple[Rolled, tuple[tuple[Hit, Any], ...]]:
        roll = _roll_of(side, shot, unit, helps)
        return roll, ((Hit(shot.targets), side.setup.whole),) if roll.compared else hits_at(volley(roll, ()), aim)

    def volley(roll: Rolled, hits: tuple[tuple[Hit, Any], ...]) -> Volley:
        target = aim.bit_length() - 1
        return Volley(unit, units, roll.dice * units, roll, hits, helps, side, shot, checked, target)

    return volley(*side.recall((shot, unit, helps, aim, checked), make))


def hits_at(volley: Volley, aim: int) -> tuple[tuple[Hit, Any], ...]:
    """The chance of each hit class of a die that is thrown at these units, at one where its hits are checked."""
    side, roll = volley.side, volley.roll._replace(dice=1)
    found = chances_of(side.setup.file, side.enemy, roll, aim)
    if not volley.checked:
        return found
    passes = chance_to_pass(side, volley.unit, aim.bit_length() - 1, volley.checked)
    return tuple([(hit, chance * passes) for hit, chance in found if passes])


def _roll_of(side: SideSetup, shot: Shot, unit: int, helps: Sequence[Help]) -> Rolled:
    """The roll of a unit as supports and modifiers change it."""
    setup, roll = side.setup, side.roll(unit, shot)
    at_most = setup.file.dice.hit == "at-most" or roll.compared
    value, reroll = roll.value, roll.reroll
    sets = [given for rule in helps if (given := getattr(rule.given, "sets", None)) is not None]
    if sets and not roll.compared:
        value = max(value, *sets) if at_most else min(value, *sets)
    added = sum(rule.given.adds or 0 for rule in helps)
    value += added if at_most else -added
    for rule in helps:
        again: Any = getattr(rule.given, "reroll", "none")
        if again == "misses" or reroll == "misses":
            reroll = "misses"
        elif again != "none":
            assert isinstance(reroll, frozenset)
            reroll |= frozenset(again)
    dice = max(0, roll.dice + sum(rule.given.dice for rule in helps))
    if shot.given.compare is not None and shot.given.compare.ratio:
        dice = 1
    return roll._replace(value=value, reroll=reroll, dice=dice)


def best(found: list[Volley], limit: Any) -> list[Volley]:
    """The best dice first, no more than the limit: the highest chance, and of equal ones more damage."""
    kept = []
    for volley in sorted(found, key=lambda volley: (-volley.chance, -volley.damage)):
        dice = np.minimum(volley.dice, limit)
        limit = limit - dice
        if np.count_nonzero(dice):
            kept.append(volley._replace(dice=dice))
    return kept
