"""Things that a game file keeps from battle to battle: layouts of line-ups, chances to win."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from simulator.engine.model.chain import SIDES
from simulator.rules.custom.game_file.files import Source
from simulator.rules.custom.game_file.options import with_options
from simulator.rules.custom.model import FileScenario, options_of

# The number of things of each sort that a game file keeps.
MOST_KEPT = 16
# The fields of a side's policy that say when it leaves: the dice and losses of a line-up do not depend on them.
LEAVING = {"retreat", "after_rounds", "units_at_most", "odds_below"}
_WITHOUT_LEAVING: Any = {"policy": dict.fromkeys(SIDES, LEAVING)}
T = TypeVar("T")


def played(source: Source, fields: FileScenario) -> Source:
    """The game with the options of both sides laid over it (2.13)."""
    chosen = [options_of(getattr(fields, side)) for side in SIDES]
    if not any(chosen):
        return source

    def make() -> tuple[Source, bool]:
        return Source(source.name, with_options(source.file, *chosen), source.changes), True

    return keep(source, "options", tuple(chosen), make)


def keep(source: Source, sort: str, key: Hashable, make: Callable[[], tuple[T, bool]]) -> T:
    """The thing of this sort under `key`; else that which `make` makes, kept if `make` says that it is small."""
    known: dict[Hashable, T] = source.kept.setdefault(sort, {})
    if key in known:
        return known[key]
    found, small = make()
    if small:
        if len(known) >= MOST_KEPT:
            known.clear()
        known[key] = found
    return found


def key_of(kind: str, fields: FileScenario) -> tuple[str, str]:
    """The key of all scenarios that differ only in when sides leave."""
    return kind, fields.model_dump_json(exclude_unset=True, exclude=_WITHOUT_LEAVING)
