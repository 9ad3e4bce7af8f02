"""Steps as they are fought: in groups, one group for each initiative where the file says so (section 5)."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from simulator.engine.model.chain import SIDES
from simulator.rules.custom.game_file.format import GameFile
from simulator.rules.custom.game_file.units import pieces_of
from simulator.rules.custom.masks import bits, everyone, parts_of


class Firing(NamedTuple):
    """A step as it is fired in a group: its number in the file, and the units of each side that may fire then."""

    step: int
    by: tuple[int, int]


@lru_cache(maxsize=256)
def firings_of(file: GameFile, kind: str) -> list[Firing]:
    """The firings of a battle kind, group by group."""
    return [firing for group in _turns(file, kind) for firing in group]


@lru_cache(maxsize=256)
def groups_of(file: GameFile, kind: str) -> list[list[int]]:
    """Numbers of the firings of each group of a battle kind, in order; those before the battle first."""
    ends = [0, *accumulate(map(len, _turns(file, kind)))]
    return [[*range(first, end)] for first, end in pairwise(ends)]


@lru_cache(maxsize=256)
def _turns(file: GameFile, kind: str) -> list[list[Firing]]:
    found: list[list[int]] = []
    names: list[str | None] = []
    for i, step in enumerate(file.step):
        if step.battle is not None and kind not in step.battle:
            continue
        if step.group is not None and names and names[-1] == step.group:
            found[-1].append(i)
        else:
            found.append([i])
            names.append(step.group)
    found.sort(key=lambda group: file.step[group[0]].when == "each-round")
    return [[Firing(i, by) for i in group] for group in found for by in _by_initiative(file, kind, group[0])]


def _by_initiative(file: GameFile, kind: str, first: int) -> list[tuple[int, int]]:
    """The units that fire in each part of a group: one for each initiative, highest first (section 5, Initiative)."""
    step = file.step[first]
    if step.order == "together":
        return [(everyone(file), everyone(file))]
    at: dict[int, list[int]] = {}
    for n, side in enumerate(SIDES):
        fights, supporters = parts_of(file, kind, side)
        for unit in bits(fights | supporters):
            at.setdefault(pieces_of(file, side)[unit].initiative, [0, 0])[n] |= 1 << unit
    found = []
    for _, (attackers, defenders) in sorted(at.items(), reverse=True):
        alone = [(attackers, 0), (0, defenders)]
        if step.ties == "together":
            alone = [(attackers, defenders)]
        found += [by for by in (alone if step.ties != "defender" else alone[::-1]) if any(by)]
    return found
