"""Units as masks: bit u stands for unit u, in file order."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from simulator.rules.custom.game_file.format import GameFile
from simulator.rules.custom.game_file.words import part_of, selected


def bits(mask: int) -> Iterable[int]:
    """The units of a mask, in file order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def everyone(file: GameFile) -> int:
    """All units of a file."""
    return (1 << len(file.unit)) - 1


def mask_of(file: GameFile, selector: Iterable[str]) -> int:
    """The units that a selector names."""
    return _mask_of(file, tuple(selector))


@lru_cache(maxsize=512)
def _mask_of(file: GameFile, selector: tuple[str, ...]) -> int:
    chosen = selected(file, selector)
    return sum(1 << i for i, key in enumerate(file.unit) if key in chosen)


@lru_cache(maxsize=256)
def parts_of(file: GameFile, kind: str, side: str) -> tuple[int, int]:
    """The units that may fight and those that may support on a side."""
    fights, supports = part_of(file, kind, side)
    return mask_of(file, fights), mask_of(file, supports)
