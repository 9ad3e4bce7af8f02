"""Lists for pages and the API: games, battle kinds, examples, names, and the fields that tools offer."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import Any

from simulator import rules
from simulator.rules import custom
from simulator.rules.battle import Battle, Fields
from simulator.rules.campaign import carry_of
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import unaccented
from simulator.rules.toolkit.words import noun_for, words
from simulator.scenarios import example_names, example_text, kinds_of
from simulator.scenarios.files import example
from simulator.scenarios.reading import matching
from simulator.scenarios.schema import as_battle, branches_at, field_rows, whole_numbers
from simulator.scenarios.validation import not_one_of
from simulator.web.links import address_of, value_at
from simulator.web.text_line import units_of

MOST_NAMES = 20
# Battles in doubt: the page of their kind opens with them, not with the first by name, which is all but decided.
IN_DOUBT = {"power-novgorod", "power-lepanto", "power-march-milan", "axis-land-flak", "skirmish-hill"}
UNITS = 3


@lru_cache(maxsize=1)
def sentences() -> dict[str, dict[str, str]]:
    """The page's words for choices and sides (sentences.toml)."""
    return tomllib.loads(resources.files("simulator.web").joinpath("sentences.toml").read_text("utf-8"))


def short_name(battle: Battle) -> str:
    """The name of a battle's game, as short as players write it: A&A 1942."""
    return _short(battle.name or words(battle.game).capitalize())


@lru_cache(maxsize=256)
def _short(name: str) -> str:
    return re.sub(r"\b([A-Z])\w+ & ([A-Z])\w+", r"\1&\2", name)


def side_names(battle: Battle, sides: Sequence[str]) -> list[str]:
    """The names of the sides' columns: besieger and fortress, attacker and defender, second attacker."""
    named = sentences()["sides"].get(f"{battle.game} {battle.kind}", "").split(", ")
    own = dict(zip(SIDES, named, strict=False)) if len(named) == len(SIDES) else {}
    return [own.get(side, words(side)) for side in sides]


def against(battle: Battle, data: Mapping[str, Any], totals: Mapping[str, Sequence[str]]) -> str:
    """The numbers of both sides for a title: "13 v 11, "; an empty text where there are no such numbers.

    `totals`: the whole force of each side in words, in games that have them.
    """
    if not battle.total:
        sums = [
            sum(n for unit in units_of(battle, side) if isinstance(n := value_at(data, f"{side}.{unit}"), int))
            for side in SIDES
        ]
        return f"{sums[0]} v {sums[1]}, " if all(sums) else ""
    sides = [totals.get(side, ())[:1] for side in SIDES]
    numbers = re.findall(r"^[\d.]+(?=\D.* v )|(?<= v )[\d.]+", " v ".join(one[0] for one in sides if one))
    return f"{' v '.join(numbers)}, " if len(numbers) == 2 else ""


@lru_cache(maxsize=1)
def game_files() -> tuple[str, ...]:
    """The names of the shipped game files."""
    return tuple(custom.names())


@lru_cache(maxsize=1)
def games() -> list[dict[str, Any]]:
    """Every battle kind: game, battle, title, version, whether it is from a game file, and its examples."""
    return [
        {
            "game": game,
            "battle": kind,
            "title": battle.title,
            "rules_version": battle.version,
            "name": battle.name or words(game).capitalize(),
            "file": game in game_files(),
            "address": f"/{game}/{kind}",
            "examples": examples_of(battle) or [smallest(battle)],
        }
        for game in (*rules.GAMES, *game_files())
        for kind, battle in kinds_of(game).items()
    ]


@lru_cache(maxsize=1)
def planned() -> list[tuple[str, str]]:
    """The games whose turns can be planned: the name of the box, and of the game."""
    boxes = {one["game"]: one["name"] for one in games() if one["game"] != rules.CAMPAIGN}
    return [(box, game) for game, box in boxes.items() if carry_of(game, None, None, False).planned_kinds()]


@lru_cache(maxsize=256)
def names_of_examples(game: str, kind: str) -> tuple[str, ...]:
    """The shipped examples of a battle kind; a pasted game has none."""
    if game == custom.INLINE:
        return ()
    found = []
    for name in example_names():
        data = example(name)
        if (data.get("game"), data.get("battle", data.get("of"))) == (game, kind):
            found.append(name)
    return tuple(sorted(found, key=lambda name: name not in IN_DOUBT))


def examples_of(battle: Battle) -> list[dict[str, str]]:
    """The shipped examples of a battle kind: name, title (the comment on the first line), address."""
    return [
        {
            "name": name,
            "title": example_text(name).partition("\n")[0].lstrip("# "),
            "address": address_of(example(name), battle),
        }
        for name in names_of_examples(battle.game, battle.kind)
    ]


def start_of(battle: Battle) -> dict[str, Any]:
    """The scenario that the page of a battle kind starts with: its first example, or three units against three.

    The page of a campaign without an example starts with two empty forces.
    """
    examples = names_of_examples(battle.game, battle.kind)
    if examples:
        return example(examples[0])
    if battle.game == rules.CAMPAIGN:
        fight = {"attacker": "ours", "defender": "theirs"}
        return {"game": battle.game, "of": battle.kind, "force": {"ours": {}, "theirs": {}}, "fight": [fight]}
    sides = {side: {next(iter(branches_at(battle, side)[0]["properties"])): UNITS} for side in SIDES}
    return {"game": battle.game, "battle": battle.kind, **sides}


def smallest(battle: Battle) -> dict[str, str]:
    """An example for a battle kind of a game file that ships none."""
    data = start_of(battle)
    title = " against ".join(f"{UNITS} {noun_for(UNITS, words(next(iter(data[side]))))}" for side in SIDES)
    return {"name": "", "title": title, "address": address_of(data, battle)}


@lru_cache(maxsize=1)
def _searched() -> list[tuple[str, str, dict[str, str]]]:
    """The rows that a search may find, each with its words: those shown, the short names of its game, its units; and
    the names of its lists."""
    rows = []
    for one in games():
        battle = kinds_of(one["game"])[one["battle"]]
        units = {unit for side in SIDES for unit in units_of(battle, side)}
        named = " ".join(_names_in(one["game"], battle))
        hidden = f"{one['game']} {short_name(battle)} {_initials(one['name'])} {' '.join(units)}"
        title = f"{one['name']}: {words(one['battle'])}"
        about = [(title, one["title"], one["address"], named)]
        about += [(each["title"], title, each["address"], "") for each in one["examples"]]
        for name, said, address, more in about:
            row = {"game": one["name"], "title": name, "about": said, "address": address}
            rows.append((unaccented(f"{name} {said} {hidden}"), unaccented(more), row))
    return rows


def _names_in(game: str, battle: Battle) -> set[str]:
    """The names of leaders, countries or creatures that a battle of this kind may have."""
    fields = {part for row in field_rows(battle) for part in re.findall(r"\w+", row.path)}
    lists = [rows for name, rows in rules.lists(game).items() if fields & {name, re.sub(r"ies$", "y", name), name[:-1]}]
    return {str(value) for rows in lists for row in rows() for value in list(row.values())[:2] if value}


def _initials(name: str) -> str:
    """The first letters of a name with its numbers: eu8, ti4, a&a1942 and aa1942."""
    parts = re.findall(r"\d+|&|\w", re.sub(r"(?<=[^\W\d])\w+", "", name))
    short = "".join(parts)
    return f"{short} {short.replace('&', '')}"


def found(asked: str) -> list[dict[str, str]]:
    """The battle kinds and examples that have all words that were asked for: game, title, words about it, address.

    Kinds that have them only among the names of their leaders, countries or creatures come last.
    """
    wanted = unaccented(asked).split()
    first = [row for text, _, row in _searched() if all(word in text for word in wanted)]
    named = [row for text, more, row in _searched() if row not in first and all(word in text + more for word in wanted)]
    return [*first, *named]


def names(game: str, listed: str, query: str) -> list[dict[str, Any]]:
    """The rows of a list that contain all words of the query, those that start with it first. Raises ValueError."""
    lists = rules.lists(game) if game in rules.GAMES or game in game_files() else {}
    if listed not in lists:
        raise ValueError(f"list: {not_one_of(listed, list(lists))}" if lists else f"list: {game[:40]!r} takes no names")
    rows = matching(lists[listed](), query.split())
    start = unaccented(query.strip())
    rows.sort(key=lambda row: not unaccented(str(next(iter(row.values())))).startswith(start))
    return rows[:MOST_NAMES]


def tools_of(battle: Battle, data: Mapping[str, Any]) -> dict[str, Any]:
    """The choices of the tools' forms: whole-number fields, those that are set first, and values."""
    sides = ["p_attacker", "p_defender", "p_nobody"] if not battle.results else list(battle.results.values())
    columns = [f"{measure}.{name}" for name in battle.summary for measure in ("mean", "q95")]
    single = [path for path in _numbers(battle.model) if not isinstance(value_at(data, path), list | Mapping)]
    return {"numbers": sorted(single, key=lambda path: value_at(data, path) is None), "values": [*sides, *columns]}


@lru_cache(maxsize=64)
def _numbers(model: type[Fields]) -> list[str]:
    """The whole-number fields of a model."""
    battle = as_battle(model)
    paths = [row.path for row in field_rows(battle) if "[" not in row.path and "NAME" not in row.path]
    return [path for path in paths if whole_numbers(battle, path) is not None]
