"""Games as data (docs/rules/custom_games.md): battles of a designer's own game file, and of those that are shipped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from simulator.rules.battle import Battle, Built, Clock
from simulator.rules.custom.game_file import files
from simulator.rules.custom.game_file.checks import part_of
from simulator.rules.custom.game_file.files import INLINE, Source, knows, names
from simulator.rules.custom.game_file.format import SIDES
from simulator.rules.custom.model import PARAMETERS, Scenario, check_scenario, model_of, shape_of

__all__ = ["INLINE", "Roster", "battles", "knows", "lists", "names", "roster"]


# A game file keeps so many battles with so many places of a side.
MOST_KEPT, MOST_PLACES_KEPT = 16, 512
# The question asked by round in battle kinds without `taken_by`.
WON = Clock("rounds", "winner == 'attacker'", "the attacker has won")


class Roster(NamedTuple):
    """The units that may fight on each side of a battle kind, in file order, and what each unit costs."""

    fights: dict[str, list[str]]
    costs: dict[str, float]


def battles(game: str, rules: object = None, folder: Path | None = None, paths: bool = True) -> Mapping[str, Battle]:
    """The battle kinds of a game file: shipped, at a path, or inline, with `rules` laid over it (section 3.1).

    Raises Refusal or Misfit for a file that is not a game.
    """
    if rules is None and game in names():
        return _shipped(game)
    return _battles(files.find(game, rules, folder, paths))


def roster(game: str, kind: str, rules: object = None, folder: Path | None = None, paths: bool = True) -> Roster:
    """The units that may fight in a battle kind of a game file. Raises Refusal or Misfit for a file that is no game."""
    file = files.find(game, rules, folder, paths).file
    fights = {side: part_of(file, kind, side)[0] for side in SIDES}
    return Roster(
        {side: [unit for unit in file.unit if unit in fights[side]] for side in SIDES},
        {key: unit.cost for key, unit in file.unit.items()},
    )


def lists(game: str) -> Mapping[str, Callable[[], Sequence[dict[str, str]]]]:
    """The named lists of a shipped game file: its units. Raises KeyError for another game."""
    from simulator.rules.custom.game_file.describe import unit_rows

    if game not in names():
        raise KeyError(game)
    heads = ("unit", "cost", "hits", "tags", "rolls")
    return {"units": lambda: [dict(zip(heads, row, strict=True)) for row in unit_rows(files.find(game).file)]}


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
        parameters=PARAMETERS,
        clock=Clock("rounds", "taken", "taken") if given.taken_by is not None else WON,
        made=(_battle, (source, kind)),
    )


def built(source: Source, kind: str, fields: Scenario) -> Built:
    """Everything that answers one scenario."""
    from dataclasses import replace

    from simulator.rules.custom import best, build, joint_states, text
    from simulator.rules.custom.outcome import begun, outcome, pieces

    field = _laid_out(source, kind, fields)
    more: dict[str, Any] = {}
    if isinstance(field, build.PlacesField):
        more = {
            "decisions": lambda states, options: best.decisions(field, states, options),
            "starts": joint_states.starts_of(field.setup),
            "joined": lambda paths, settings: joint_states.joined(field, paths, settings),
        }
    return Built(
        chain=replace(field.chain, tell=text.Teller(field)),
        outcome=lambda states: outcome(field, states),
        pieces=lambda states: pieces(field, states),
        assumptions=lambda: text.assumptions(field),
        explain=lambda: text.explain(field),
        begun=lambda states: begun(field, states),
        **more,
    )


def _laid_out(source: Source, kind: str, fields: Scenario) -> Any:
    """The battle as a chain, in hits by block where its places are too many; equal small battles are laid out once."""
    from simulator.rules.custom import build
    from simulator.rules.custom.setup import Setup
    from simulator.rules.custom.tables import TooLarge

    key = kind, fields.model_dump_json(exclude_unset=True)  # units given as 0 have columns, units left out have none
    if key in source.kept:
        return source.kept[key]
    setup = Setup(source, kind, fields)
    try:
        field = build.lay_out(setup)
    except TooLarge:
        from simulator.rules.custom.hits import params

        return params.lay_out(setup)
    if len(source.kept) >= MOST_KEPT:
        source.kept.clear()
    if max(map(len, field.places.values())) <= MOST_PLACES_KEPT:
        source.kept[key] = field
    return field
