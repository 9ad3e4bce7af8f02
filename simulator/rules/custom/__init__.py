"""Games as data (docs/rules/custom_games.md): battles of a designer's own game file, and of those that are shipped."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import Any

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Battle, Built, Clock
from simulator.rules.custom.game_file import files
from simulator.rules.custom.game_file.files import INLINE, Source, knows, names
from simulator.rules.custom.game_file.format import GameFile
from simulator.rules.custom.game_file.options import with_options_of
from simulator.rules.custom.game_file.units import pieces_of
from simulator.rules.custom.game_file.words import counts_points
from simulator.rules.custom.model import PARAMETERS, FileScenario, check_scenario, model_of, shape_of
from simulator.rules.question import Question

__all__ = ["INLINE", "battles", "knows", "lists", "names"]


# The question asked by round in battle kinds without `taken_by`.
WON = Clock("rounds", "winner == 'attacker'", "the attacker has won")


def battles(game: str, rules: object = None, folder: Path | None = None, paths: bool = True) -> Mapping[str, Battle]:
    """The battle kinds of a game file: shipped, at a path, or inline, with `rules` laid over it (section 3.1).

    Raises Refusal or Misfit for a file that is not a game.
    """
    if rules is None and game in names():
        return _shipped(game)
    return _battles(files.find(game, rules, folder, paths))


def lists(game: str) -> Mapping[str, Callable[[], Sequence[dict[str, str]]]]:
    """The named lists of a game file, shipped or at a path: its units. Raises Refusal or Misfit as `battles`."""
    from simulator.rules.custom.game_file.describe import unit_rows

    heads = ("unit", "cost", "hits", "tags", "rolls")
    return {"units": lambda: [dict(zip(heads, row, strict=True)) for row in unit_rows(files.find(game).file)]}


@cache
def _shipped(game: str) -> Mapping[str, Battle]:
    return _battles(files.find(game))


def _battles(source: Source) -> Mapping[str, Battle]:
    return {kind: _battle(source, kind) for kind in source.file.battle}


def _battle(source: Source, kind: str) -> Battle:
    from simulator.rules.custom.decisions.advice import advice_of
    from simulator.rules.custom.game_file.describe import force, unit_note
    from simulator.rules.custom.outcome import SUMMARY

    def build(fields: FileScenario) -> Built:
        from simulator.rules.custom.built import built

        return built(source, kind, fields)

    given = source.file.battle[kind]
    scored = [f"{side}_points" for side in counts_points(source.file, kind)]
    return Battle(
        game=source.name,
        kind=kind,
        title=given.title or f"{source.file.name}: {kind}",
        model=model_of(shape_of(source.file, kind)),
        question=_question(source, kind),
        summary=(*scored, *(name for name in SUMMARY if name != "taken" or given.taken_by is not None)),
        check=lambda fields: check_scenario(source.file, kind, fields),
        build=build,
        parameters=PARAMETERS,
        advice=advice_of(source, kind),
        rules=source.file,
        name=source.file.name.partition(", ")[0],
        price=partial(_cost, source.file) if _has_costs(source.file) else None,
        money=_words_of(source.name).get("money", ""),
        facts=("taken", "attacker_units_lost", "defender_units_lost", "rounds"),
        notes={key: unit_note(unit) for key, unit in source.file.unit.items()},
        total=lambda data, side: force(with_options_of(source.file, side, data.get(side)), data.get(side), side),
        clock=Clock("rounds", "taken", "taken") if given.taken_by is not None else WON,
        version=2,
        made=(_battle, (source, kind)),
    )


@cache
def _words_of(game: str) -> dict[str, Any]:
    """Words of a shipped game for which the format has no key: the unit of its prices, the prize of its battles."""
    text = resources.files("simulator.rules.custom").joinpath("shipped.toml").read_text("utf-8")
    found: dict[str, Any] = tomllib.loads(text).get(game, {})
    return found


def _has_costs(file: GameFile) -> bool:
    """Does any unit cost something?"""
    return any(piece.cost for side in SIDES for piece in pieces_of(file, side))


def _question(source: Source, kind: str) -> Question:
    """The question of a battle kind: the points scored, who has the ground at the end, or who wins."""
    game, land = source.name, source.file.battle[kind].taken_by is not None
    if scoring := counts_points(source.file, kind):
        parts = [f"{{{'A' if side == SIDES[0] else 'D'}}} scores {{mean.{side}_points|point}}" for side in scoring]
        return Question(f"mean.{SIDES[0]}_points", f"{', '.join(parts)} on average.")
    prize = _words_of(game).get("prizes", {}).get(kind, "the ground" if land else "the battle")
    if land:
        won = "[ and wins in {winner == 'attacker'}]"
        return Question("taken", f"{{A}} takes {prize} in {{m}}{won}; {{D}} holds it in {{not m}}.")
    nobody = "[, nobody in {winner == 'nobody'}]"
    return Question(sentence=f"{{A}} wins {prize} in {{m}}, {{D}} in {{winner == 'defender'}}{nobody}.")


def _cost(file: GameFile, data: Mapping[str, Any], path: str) -> float | None:
    """The cost of the unit whose number stands at a path of a scenario, as its side has it; None for other fields."""
    side, _, unit = path.partition(".")
    place = list(file.unit).index(unit) if side in SIDES and unit in file.unit else None
    return None if place is None else pieces_of(with_options_of(file, side, data.get(side)), side)[place].cost
