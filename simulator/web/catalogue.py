"""What there is: games, battle kinds, examples, names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from simulator import rules
from simulator.rules import custom
from simulator.rules.battle import Battle, Built, Fields
from simulator.scenarios import kinds_of
from simulator.scenarios.objective import SIDES
from simulator.scenarios.schema import choices, field_rows, schema_of, whole_numbers
from simulator.scenarios.validation import not_one_of
from simulator.web import forms
from simulator.web import share_links as copies

MOST_NAMES = 20
UNITS = 3


@lru_cache(maxsize=1)
def game_files() -> tuple[str, ...]:
    """The shipped game files."""
    return tuple(custom.names())


@lru_cache(maxsize=1)
def games() -> list[dict[str, Any]]:
    """Every battle kind: game, battle, title, version, whether from a game file, and its examples."""
    return [
        {
            "game": game,
            "battle": kind,
            "title": battle.title,
            "rules_version": battle.version,
            "file": game in game_files(),
            "address": f"/{game}/{kind}",
            "examples": examples_of(battle) or [smallest(battle)],
        }
        for game in (*rules.GAMES, *game_files())
        for kind, battle in kinds_of(game).items()
    ]


def examples_of(battle: Battle) -> list[dict[str, str]]:
    """The shipped examples of a battle kind: name, what it is, its address."""
    return [
        {
            "name": name,
            "title": forms.first_line(name),
            "address": copies.address_of(forms.example_data(name), battle),
        }
        for name in forms.examples_of(battle.game, battle.kind)
    ]


def start_of(battle: Battle) -> dict[str, Any]:
    """What the page of a battle kind begins with: its first example, or three units against three."""
    names = forms.examples_of(battle.game, battle.kind)
    if names:
        return forms.example_data(names[0])
    schema = schema_of(battle.model)
    sides = {}
    for side in SIDES:
        unit = next(iter(schema["$defs"][schema["properties"][side]["$ref"].rpartition("/")[2]]["properties"]))
        sides[side] = {unit: UNITS}
    return {"game": battle.game, "battle": battle.kind, **sides}


def smallest(battle: Battle) -> dict[str, str]:
    """An example for a battle kind of a game file that ships none."""
    data = start_of(battle)
    title = " against ".join(f"{UNITS} {forms.words(next(iter(data[side])))}" for side in SIDES)
    return {"name": "", "title": title, "address": copies.address_of(data, battle)}


def names(game: str, what: str, query: str) -> list[dict[str, Any]]:
    """The rows of a list that hold all words of the query, those that begin with it first. Raises ValueError."""
    found = rules.lists(game) if game in rules.GAMES or game in game_files() else {}
    if what not in found:
        raise ValueError(f"list: {not_one_of(what, list(found))}" if found else f"list: {game[:40]!r} takes no names")
    asked = query.lower().split()
    rows = [row for row in found[what]() if all(any(word in str(v).lower() for v in row.values()) for word in asked)]
    rows.sort(key=lambda row: not str(next(iter(row.values()))).lower().startswith(query.lower().strip()))
    return rows[:MOST_NAMES]


def tools_of(battle: Battle, data: Mapping[str, Any]) -> dict[str, Any]:
    """What the tools' forms offer for a scenario: its whole-number fields, what may be asked, what may be decided."""
    sides = ["p_attacker", "p_defender", "p_nobody"] if not battle.results else list(battle.results.values())
    columns = [f"{what}.{name}" for name in battle.headline for what in ("mean", "q95")]
    numbers, decisions = _offered(battle.model)
    set_first = sorted(numbers, key=lambda path: not _set(data, path))
    return {"numbers": set_first, "values": [*sides, *columns], "decisions": decisions}


@lru_cache(maxsize=64)
def _offered(model: type[Fields]) -> tuple[list[str], list[str]]:
    """The whole-number fields of a model, and the policies that may be `best`."""
    battle = Battle(game="", kind="", title="", model=model, headline=(), build=lambda _: Built())
    paths = [row.path for row in field_rows(battle) if "[" not in row.path and "NAME" not in row.path]
    numbers = [path for path in paths if whole_numbers(battle, path) is not None]
    return numbers, [path for path in paths if path.startswith("policy.") and "best" in choices(battle, path)]


def _set(data: Any, path: str) -> bool:
    for part in path.split("."):
        if not isinstance(data, Mapping) or part not in data:
            return False
        data = data[part]
    return True
