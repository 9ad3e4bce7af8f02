"""The units that land or march where there is not room for all (docs/rules/price_of_power.md section 8, step 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from simulator.engine.model.chain import Chain, Utilities
from simulator.engine.model.plain import Choice, PlainBattle
from simulator.rules.price_of_power.dice import Dice, Icons, icons_shown, most_icons, pool_of
from simulator.rules.price_of_power.forces import TYPES_HIT, Side
from simulator.rules.price_of_power.model import TYPES, UNITS, LandUnits
from simulator.rules.toolkit.tolerances import ROUNDING

# Numbers of units in the order of UNITS.
Units = tuple[int, ...]
# The field that chooses the units that land.
LANDING = "policy.attacker.landing"
MOST_CHOICES = 1_000
# Within a type regular units go first, then mercenaries, then allies.
OF_TYPE = [[UNITS.index(f"{rank}{unit}") for rank in ("", "mercenary_", "allied_") if f"{rank}{unit}" in UNITS]
           for unit in TYPES]  # fmt: skip
# Chances within this are equal.


def numbers(army: LandUnits) -> Units:
    """The numbers of units of an army."""
    return tuple(getattr(army, unit) for unit in UNITS)


def by_type(units: Units) -> Units:
    """Infantry, cavalry and artillery of all categories."""
    return tuple(sum(units[place] for place in places) for places in OF_TYPE)


def going(army: Units, types: Iterable[int]) -> Units:
    """The units that go when the next unit of each of these types goes."""
    there = [0] * len(army)
    for which in types:
        there[next(place for place in OF_TYPE[which] if there[place] < army[place])] += 1
    return tuple(there)


def in_order(army: Units, room: int, order: str) -> Units:
    """The units that go type by type."""
    types = [which for which in TYPES_HIT[order] for _ in range(by_type(army)[which])]
    return going(army, types[:room])


def most_expected(army: Units, room: int, adds: Sequence[Sequence[float]]) -> Units:
    """The units that go if each next one is of the type that adds most expected icons; `adds` as `icons_added`."""
    there, types = [0] * len(TYPES), list[int]()
    for _ in range(min(room, sum(army))):
        left = [which for which, number in enumerate(by_type(army)) if there[which] < number]
        more = {which: adds[which][there[which]] if there[which] < len(adds[which]) else 0.0 for which in left}
        types.append(next(which for which in left if more[which] >= max(more.values()) - ROUNDING))
        there[types[-1]] += 1
    return going(army, types)


def icons_added(side: Side, dice: Dice) -> list[list[float]]:
    """By type, for the first, second ... unit, the chance that the first roll shows an icon for it."""
    base = "cavalry" if getattr(side.policy, "base_dice", "") == "cavalry" else "infantry"
    pool = pool_of(side, base, next(iter(side.leaders), None), 1)
    most, found = most_icons(dice, pool), []
    for which in range(len(TYPES)):
        ways = icons_shown(dice, pool, Icons(*(number * (at == which) for at, number in enumerate(most[:3])))).ravel()
        found.append((ways[::-1].cumsum()[::-1][1:] / ways.sum()).tolist())
    return found


def choices(army: Units, room: int, first: Units) -> list[Units]:
    """Everybody who may go, for `best`: `first`, then more units before fewer, then most of the types as listed."""
    every = [units for units in at_most(army, room) if any(units)]
    return sorted(every, key=lambda units: (units != first, -sum(units)))


def at_most(army: Units, room: int) -> Iterator[Units]:
    """Every part of an army for which there is room, those with most of the types listed first first."""
    if not army:
        yield ()
        return
    for number in range(min(army[0], room), -1, -1):
        yield from ((number, *rest) for rest in at_most(army[1:], room - number))


def number_of_choices(army: Units, room: int) -> int:
    """The number of `choices`."""
    ways = np.array([1], dtype=object)
    for number in army:
        ways = np.convolve(ways, np.ones(number + 1, dtype=object))
    return int(sum(ways[1 : room + 1]))


def chain_of_choice(values: np.ndarray, describe: Callable[..., dict[str, np.ndarray]]) -> Chain:
    """A decision of the attacker among choices of these values to both sides: float64, shape (2, choices).

    The final state at place n is choice number n, from 1.
    """
    every = {str(number): number for number in range(1, values.shape[1] + 1)}
    decision = PlainBattle(0, lambda number: None if number else Choice("attacker", LANDING, every))
    utilities = Utilities(lambda ends: values[:, np.asarray(ends.place) - 1], (LANDING,), describe)
    return replace(decision.chain, utilities=utilities)


def in_words(units: Units) -> Iterator[str]:
    """Numbers of units with their names."""
    return (f"{number} {name}" for number, name in zip(by_type(units), TYPES, strict=True) if number)
