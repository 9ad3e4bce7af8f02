"""The limits of battles that are worked out place by place before their first roll."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isqrt, prod

from simulator.engine.model.chance import LARGEST_RESULT
from simulator.rules.custom.game_file.format import SIDES
from simulator.rules.custom.line import Places, blocks_of
from simulator.rules.custom.setup import Setup, SideSetup, bits

# Places of a side; the rows of tables that these have, over all groups and kinds of rounds; bytes of chance tables.
MOST_PLACES = 100_000
MOST_ROWS = 5_000_000
MOST_BYTES = 2_000_000_000
# Fewer places than this are never too much in any other way.
FEW_PLACES = 10_000


class TooLarge(Exception):
    """Line-ups with more places, rolls or tables than are worked out beforehand."""


def check_size(setup: Setup, lines: Mapping[str, Sequence[int]]) -> None:
    """Raises TooLarge where working out every place of these loss lines takes too much."""
    places = [Places.number(setup, side, lines[side]) for side in SIDES]
    if max(places) < FEW_PLACES:
        return
    dice = {side: _most_dice(setup.sides[side]) for side in SIDES}
    if (
        max(places) > MOST_PLACES
        or any(len(lines[setup.sides[side].enemy]) > LARGEST_RESULT < dice[side] for side in SIDES)
        or setup.opening + _rounds(setup) * (len(setup.groups) - setup.opening) > MOST_ROWS / sum(places)
        or sum(_bytes(setup, side, lines[side], dice[side]) for side in SIDES) > MOST_BYTES
    ):
        raise TooLarge


def _most_dice(side: SideSetup) -> int:
    """At least so many dice as a side can roll in a group."""
    more = sum(max(0, rule.given.dice) for rule in side.modifiers)
    return sum(
        side.counts[unit] * (roll.dice + more)
        for shot in side.shots.values()
        for unit in bits(shot.by & side.present)
        if (roll := side.setup.roll_of(unit, shot.roll))
    )


def _rounds(setup: Setup) -> int:
    """The kinds of rounds in which different rules hold."""
    return len({setup.held(number) for number in range(1, setup.phases + 1)})


def _bytes(setup: Setup, side: str, line: Sequence[int], dice: int) -> int:
    """About what a side's chance tables take: one for each line-up and step, as wide as nine deviations each way."""
    own = setup.sides[side]
    line_ups = prod(1 + sum(own.counts[u] for u in bits(block)) for block in blocks_of(setup, side, line))
    width = min(dice + 1, 9 * isqrt(dice) + 2)
    return 8 * line_ups * sum(own.able(shot) for shot in own.shots.values()) << (width - 1).bit_length()
