"""Games as data (docs/rules/custom_games.md): battles of a designer's own game file, and of those that are shipped."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from simulator.rules.battle import Battle, Built, Clock
from simulator.rules.custom import files
from simulator.rules.custom.files import INLINE, Source, knows, names
from simulator.rules.custom.model import check_scenario, model_of, shape_of

__all__ = ["INLINE", "battles", "knows", "names"]


def battles(game: str, rules: Any = None, folder: Path | None = None, paths: bool = True) -> Mapping[str, Battle]:
    """The battle kinds of a game file: shipped, at a path, or inline, with `rules` laid over it (section 3.1).

    Raises Refusal or Misfit for a file that is not a game.
    """
    if rules is None and game in names():
        return _shipped(game)
    return _battles(files.find(game, rules, folder, paths))


@cache
def _shipped(game: str) -> Mapping[str, Battle]:
    return _battles(files.find(game))


def _battles(source: Source) -> Mapping[str, Battle]:
    return {kind: _battle(source, kind) for kind in source.file.battle}


def _battle(source: Source, kind: str) -> Battle:
    from simulator.rules.custom.outcome import HEADLINE

    given = source.file.battle[kind]
    return Battle(
        game=source.name,
        kind=kind,
        title=given.title or f"{source.file.name}: {kind}",
        model=model_of(shape_of(source.file, kind)),
        headline=tuple(name for name in HEADLINE if name != "taken" or given.taken_by is not None),
        check=lambda fields: check_scenario(source.file, kind, fields),
        build=lambda fields: built(source, kind, fields),
        clock=Clock("rounds", "taken", "taken") if given.taken_by is not None else None,
    )


def built(source: Source, kind: str, fields: Any) -> Built:
    """Everything that answers one scenario."""
    from simulator.rules.custom.build import lay_out
    from simulator.rules.custom.outcome import outcome, pieces
    from simulator.rules.custom.setup import Setup

    field = lay_out(Setup(source, kind, fields))
    return Built(
        chain=field.chain,
        outcome=lambda states: outcome(field, states),
        pieces=lambda states: pieces(field, states),
    )
