"""Scenarios made by name: `Game("risk").land(attacker=20, defender=15)`, a function for each battle kind.

The games of the package are names of `simulator` too: `simulator.risk.land(...)`. games.pyi, which
`python -m tests.constructor_stub` writes from the models, gives editors and type checkers the fields of each function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from simulator.rules.battle import Battle, Fields
from simulator.rules.sides import ALL_SIDES
from simulator.scenarios.arguments import checked
from simulator.scenarios.kinds import kinds_of
from simulator.scenarios.scenario import Scenario, load
from simulator.scenarios.schema import field_rows


class Game:
    """The battle kinds of a game, each as a function that makes a checked scenario from its tables.

    Parameters
    ----------
    name : str
        A game of the package, a registered one, or the path of a game file.

    Raises
    ------
    ScenarioError
        For an unknown game, and an invalid game file.

    Examples
    --------
    >>> Game("risk").land(attacker=20, defender=15) == load("risk-20v15")
    True
    >>> skirmish.field(attacker={"knights": 3}, defender={"pikes": 4}).data["battle"]
    'field'
    """

    @checked
    def __init__(self, name: str) -> None:
        self._name = name
        self._kinds = {kind.replace("-", "_"): battle for kind, battle in kinds_of(name).items()}

    def __getattr__(self, name: str) -> Callable[..., Scenario]:
        if name.startswith("_") or name not in self._kinds:
            raise AttributeError(f"{name!r} is no battle kind of this game; it has {', '.join(vars(self)['_kinds'])}")
        self.__dict__[name] = made = constructor(self._name, self._kinds[name])
        return made

    def __dir__(self) -> list[str]:
        return sorted(self._kinds)

    def __reduce__(self) -> Any:
        """For pickle: the functions are made anew."""
        return Game, (self._name,)

    def __repr__(self) -> str:
        return f"Game({self._name!r}: {', '.join(self._kinds)})"


def constructor(game: str, battle: Battle) -> Callable[..., Scenario]:
    """The function that makes a scenario of a battle kind from its tables, with the fields in its docstring."""
    tables = dict(tables_of(battle.model))
    name = battle.kind.replace("-", "_")
    usual = ", ".join(
        f"{table}={'20' if only_needed(tables[table]) else '{...}'}" for table in ALL_SIDES if table in tables
    )

    def make(*unnamed: Any, **given: Any) -> Scenario:
        if unnamed:
            raise TypeError(f"{name}: give each table by its name, like {name}({usual})")
        data: dict[str, Any] = {"game": game, "battle": battle.kind}
        for table, value in given.items():
            field = only_needed(tables.get(table))
            data[table] = {field: value} if field and not isinstance(value, Mapping) else value
        return load(data)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = "\n".join(_lines(battle))
    make.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                annotation="int | dict" if only_needed(model) else "dict",
                default=inspect.Parameter.empty if battle.model.model_fields[name].is_required() else {},
            )
            for name, model in tables.items()
        ],
        return_annotation=Scenario,
    )
    return make


def tables_of(model: type[Fields]) -> Iterator[tuple[str, Any]]:
    """The tables of a scenario's model that have fields, by name: a model, or another type (`rules`)."""
    for name, about in model.model_fields.items():
        if name not in {"game", "battle"} and not _is_empty(about.annotation):
            yield name, about.annotation


def is_table(kind: Any) -> bool:
    """Is this type a model?"""
    return isinstance(kind, type) and issubclass(kind, Fields)


def _is_empty(kind: Any) -> bool:
    return is_table(kind) and all(_is_empty(about.annotation) for about in kind.model_fields.values())


def only_needed(kind: Any) -> str:
    """The one field that a table needs, "" if it needs none or several: a value in place of the table sets it."""
    if not is_table(kind):
        return ""
    needed = [about.alias or name for name, about in kind.model_fields.items() if about.is_required()]
    return needed[0] if len(needed) == 1 else ""


def _lines(battle: Battle) -> Iterator[str]:
    yield f"{battle.title[:1].upper()}{battle.title[1:]}, as a checked scenario."
    yield ""
    yield "A value in place of a table sets the one field that the table needs. Raises ScenarioError. The fields:"
    yield ""
    for row in field_rows(battle):
        if row.path not in {"game", "battle"}:
            default = row.default if row.default in {"", "needed"} else f"default {row.default}"
            yield f"{row.path}: {'; '.join(part for part in (row.takes, default, row.meaning) if part)}"
