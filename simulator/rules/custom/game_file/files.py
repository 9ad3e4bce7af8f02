"""From the `game` and `rules` of a scenario to a checked game file (docs/rules/custom_games.md sections 2, 3.1, 11)."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from simulator.rules.battle import Misfit, Refusal
from simulator.rules.custom.game_file.checks import check_game
from simulator.rules.custom.game_file.format import MODELS, GameFile
from simulator.rules.toolkit.naming import text_of

LARGEST_FILE = 256 * 1024
INLINE = "custom"
# The first refusal of an empty file.
CONSISTS = (
    "a game file has format = 1 and a name, [unit.NAME] for each kind of piece with the value it hits at, "
    "[battle.NAME] for each kind of battle, and [[step]] for what is fired in a round"
)


@dataclass(frozen=True)
class Source:
    """A checked game file, and what the scenario's `rules` changed in it: (path, old value, new value).

    `kept`: small battles laid out before, by their scenarios.
    """

    name: str
    file: GameFile
    changes: tuple[tuple[str, str, str], ...] = ()
    kept: dict[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)

    def __reduce__(self) -> Any:
        """For pickle: the file alone."""
        return Source, (self.name, self.file, self.changes)


@cache
def names() -> list[str]:
    """Names of the shipped game files."""
    folder = resources.files("simulator.rules.custom") / "data"
    return sorted(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml"))


def shipped_text(name: str) -> str:
    """A shipped game file as written."""
    return (resources.files("simulator.rules.custom") / "data" / f"{name}.toml").read_text(encoding="utf-8")


def is_path(game: object) -> bool:
    """Is this text a path (section 3.1)?"""
    return isinstance(game, str) and ("/" in game or "\\" in game or game.endswith(".toml"))


def knows(game: object) -> bool:
    """Is this a game of this module, by name, by path, or inline?"""
    return isinstance(game, str) and (game == INLINE or is_path(game) or game in names())


def find(game: str, rules: object = None, folder: Path | None = None, paths: bool = True) -> Source:
    """The checked game that a scenario names, its `rules` laid over it.

    Raises Refusal, or Misfit where a key or type is wrong; both name fields as section 11 says.
    """
    if rules is not None and not isinstance(rules, Mapping):
        raise Refusal("rules", "must be a table of keys of the game file")
    if game == INLINE:
        if rules is None:
            raise Refusal("rules", 'is needed with game = "custom"; give the whole game')
        return Source(game, read_game(rules, "rules."))
    if is_path(game) and not paths:
        raise Refusal("game", f"{_short(game)}: game files are not read here; give a name, or custom and rules")
    if rules is None:
        if not is_path(game):
            return Source(game, _named(game))
        return Source(game, read_game(_read_path(game, folder), f"game: {_short(game)}: "))
    base = _read_path(game, folder) if is_path(game) else _table(game)
    changes: list[tuple[str, str, str]] = []
    # A refusal of the merged table names its field as a path of `rules`.
    return Source(game, read_game(laid_over(base, rules, changes=changes), "rules."), tuple(changes))


@cache
def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(shipped_text(name))


@cache
def _named(name: str) -> GameFile:
    return read_game(_table(name), f"game: {name}: ")


def _short(game: str) -> str:
    return game if len(game) <= 80 else game[:77] + "..."


def _read_path(game: str, folder: Path | None) -> dict[str, Any]:
    """The tables of a game file; a path is relative to the scenario's folder."""
    shown = _short(game)
    return parse(read_content(game.replace("\\", "/"), shown, folder), shown)


def read_content(path: str, shown: str, folder: Path | None = None) -> bytes:
    """The beginning of a file, enough to see that it is too large. Raises Refusal for one that cannot be read."""
    try:
        with (folder or Path()).joinpath(path).open("rb") as file:
            return file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise Refusal("game", f"{shown}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def parse(content: bytes, shown: str) -> dict[str, Any]:
    """The tables written in a game file. Raises Refusal with the line of an error in it."""
    if len(content) > LARGEST_FILE:
        raise Refusal("game", f"{shown}: too large; a game file has at most {LARGEST_FILE // 1024} kB")
    try:
        return tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise Refusal("game", f"{shown}: not valid TOML: {reason}") from None


def read_game(data: Mapping[str, Any], prefix: str) -> GameFile:
    """A checked game file from its tables; complaints begin with `prefix`."""
    given = data.get("format")
    if given not in (1, 2, 3) or isinstance(given, bool | float):
        shown = text_of(given) if isinstance(given, bool) else repr(given)
        text = "is needed" if given is None else f"{shown} is not allowed"
        reads = "this version reads format = 1, format = 2 and format = 3"
        if not data:
            reads = f"an empty file; {CONSISTS}"
        if given is None and isinstance(data.get("game"), str) and prefix != "rules.":
            reads = f"this file is a scenario of {_short(data['game'])}, not a game file; `battle-odds odds` answers it"
        raise Refusal(f"{prefix}format", f"{text}; {reads}")
    try:
        file = GameFile.model_validate(data, context=given)
    except ValidationError as error:
        misfit = Misfit(prefix, error, MODELS[given])
        misfit.others = further_mistakes(data, error, given)
        raise misfit from None
    except RecursionError:
        raise Refusal(f"{prefix}format", "nested too deeply") from None
    try:
        check_game(file)
    except Refusal as refusal:
        raise refusal.within(prefix) from None
    return file


def further_mistakes(data: Mapping[str, Any], error: ValidationError, given: int) -> list[Refusal]:
    """The refusals beside the wrong numbers and unknown keys of a file; nothing if other types are wrong too.

    They are found in a copy without the unknown keys, in which a wrong number is 1. A table with such a mistake has no
    other line.
    """
    mended = copy.deepcopy(dict(data))
    kinds = {_place(mended, detail["loc"]): detail["type"] for detail in error.errors()}
    # Of a number or a table (a roll) the errors of the table lie deeper.
    above = {place[:depth] for place in kinds for depth in range(len(place))}
    deepest = [place for place in kinds if place not in above]
    if "missing" in kinds.values() or () in kinds:
        return []
    for *tables, key in deepest:
        table: Any = mended
        for part in tables:
            table = table[part]
        if kinds[*tables, key] == "extra_forbidden":
            del table[key]
        elif isinstance(table[key], int | float):
            table[key] = 1
        else:
            return []
    try:
        check_game(GameFile.model_validate(mended, context=given))
    except ValidationError:
        return []
    except Refusal as refusal:
        wrong = {_written(place[:2]) for place in deepest}
        return [one for one in (refusal, *refusal.others) if not any(_below(one.field, table) for table in wrong)]
    return []


def _place(data: Any, location: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """The keys and places of lists that lead to what an error is about; its names of types stand for nothing."""
    found: list[int | str] = []
    for part in location:
        if part in data if isinstance(data, Mapping) else isinstance(part, int) and isinstance(data, list):
            data = data[part]
            found.append(part)
    return tuple(found)


def _written(place: tuple[int | str, ...]) -> str:
    return str(place[0]) + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place[1:])


def _below(field: str, table: str) -> bool:
    return field == table or field.startswith((f"{table}.", f"{table}["))


def laid_over(
    base: Mapping[str, Any], over: Mapping[str, Any], path: str = "", changes: list[tuple[str, str, str]] | None = None
) -> dict[str, Any]:
    """`over` laid over `base`: tables merged key by key, everything else replaced whole (section 3.1).

    `changes` gets the path, old and new value of each key that changes.
    """
    merged, changes = dict(base), [] if changes is None else changes
    for key, value in over.items():
        here = f"{path}.{key}" if path else str(key)
        old = merged.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            merged[key] = laid_over(old, value, here, changes)
            continue
        if old != value or type(old) is not type(value):
            changes.append((here, "none" if key not in merged else _shown(old), _shown(value)))
        merged[key] = copy.deepcopy(value)
    return merged


def _shown(value: object) -> str:
    text = text_of(value)
    return text if len(text) <= 60 else text[:57] + "..."
