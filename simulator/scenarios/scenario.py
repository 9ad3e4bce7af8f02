"""From a TOML or JSON file, a mapping or the name of a shipped example to a checked scenario."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ValidationError

from simulator import rules
from simulator.engine.chain import Chain
from simulator.rules.battle import Battle, Built, Fields, Refusal
from simulator.scenarios import validation
from simulator.scenarios.files import read
from simulator.scenarios.validation import ScenarioError

_STEP = re.compile(r"([A-Za-z_][\w-]*)((?:\[\d{1,6}\])*)$")
MOST_DEPTH = 60


@dataclass(frozen=True, eq=False)
class Scenario:
    """A checked scenario: its battle kind, its fields as a model, and the mapping it was made from."""

    battle: Battle
    fields: Fields
    data: Mapping[str, Any]

    @cached_property
    def built(self) -> Built:
        """Everything that answers this scenario, built once."""
        return self.battle.built(self.fields)

    @property
    def chain(self) -> Chain:
        """The chain of states of this battle. Raises TypeError for a kind that is not one chain."""
        if self.built.chain is None:
            raise TypeError(f"{self.battle.game} {self.battle.kind} is not one chain of states")
        return self.built.chain

    def replace(self, path: str, value: Any) -> Scenario:
        """The same scenario with one field changed, e.g. `replace("attacker.regiments", 25)`.

        List places are written `conditions.crossings[0].fleets`. Raises ScenarioError as `load` does.
        """
        return self.replace_all({path: value})

    def replace_all(self, changes: Mapping[str, Any]) -> Scenario:
        """The same scenario with several fields changed at once (path -> value), checked together."""
        data = plain_copy(self.data)
        for path, value in changes.items():
            set_path(data, path, value)
        return load(data)

    def assumptions(self) -> list[str]:
        """What the answer rests on: options, policies and assumed numbers."""
        return list(self.built.assumptions())

    def settings(self) -> list[str]:
        """What was set otherwise than by default: "path = value", in the order of the scenario."""
        return [f"{path} = {validation.shown(value, 40)}" for path, value in unlike_default(self.fields)]

    @cached_property
    def _key(self) -> str:
        return json.dumps(self.fields.model_dump(mode="json"), sort_keys=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"Scenario({json.dumps(self.data, default=str)})"


def unlike_default(fields: BaseModel, path: str = "") -> Iterator[tuple[str, Any]]:
    """The fields that have a default and were set to something else: (path, value)."""
    for name, info in type(fields).model_fields.items():
        here, value = f"{path}.{name}" if path else name, getattr(fields, name)
        if isinstance(value, BaseModel):
            yield from unlike_default(value, here)
        elif isinstance(value, list | tuple) and value and all(isinstance(item, BaseModel) for item in value):
            for i, item in enumerate(value):
                yield from unlike_default(item, f"{here}[{i}]")
        elif not info.is_required() and value != info.get_default(call_default_factory=True):
            yield here, value


def set_path(data: dict[str, Any], path: str, value: Any) -> None:
    """Set `a.b[0].c` in nested tables and lists, making tables on the way. Raises ScenarioError for a bad path."""
    steps: list[str | int] = []
    for part in path.split("."):
        match = _STEP.match(part)
        if not match:
            raise ScenarioError(
                f"{path}: not a field; write it like attacker.regiments or conditions.crossings[0].fleets"
            )
        steps.append(match[1])
        steps += [int(place) for place in re.findall(r"\d+", match[2])]
    node: Any = data
    for step, following in pairwise(steps):
        if isinstance(step, int):
            node = _item(node, step, path)
        else:
            if not isinstance(node, dict):
                raise ScenarioError(f"{path}: no such field")
            node = node.setdefault(step, [] if isinstance(following, int) else {})
    last = steps[-1]
    if isinstance(last, int):
        _item(node, last, path)
    elif not isinstance(node, dict):
        raise ScenarioError(f"{path}: no such field")
    node[last] = value


def _item(node: Any, place: int, path: str) -> Any:
    if not isinstance(node, list) or place >= len(node):
        raise ScenarioError(f"{path}: there is no place {place}")
    return node[place]


def load(source: str | Path | Mapping[str, Any]) -> Scenario:
    """Read and check a scenario: a mapping (which is copied), a TOML or JSON file, or the name of a shipped example.

    Raises ScenarioError, whose message begins with the field to blame.
    """
    data = plain_copy(source) if isinstance(source, Mapping) else read(source)
    battle = find_battle(data.get("game"), data.get("battle"))
    try:
        fields = battle.model.model_validate(data)
    except ValidationError as error:
        raise ScenarioError(validation.first_complaint(error, battle.model)) from None
    try:
        battle.check(fields)
    except Refusal as refusal:
        raise ScenarioError(str(refusal)) from None
    return Scenario(battle, fields, data)


def plain_copy(value: Any, path: str = "", depth: int = 0) -> Any:
    """A deep copy of nested tables and lists; NumPy's numbers become plain ones.

    Raises ScenarioError for names that are no text, and for what is nested without end.
    """
    if depth > MOST_DEPTH:
        raise ScenarioError(f"{path.partition('.')[0][:40] or 'scenario'}: nested more than {MOST_DEPTH} deep")
    if isinstance(value, Mapping):
        bad = next((name for name in value if not isinstance(name, str)), None)
        if bad is not None:
            raise ScenarioError(f"{path or 'scenario'}: {validation.shown(bad)} is no field name; names are text")
        return {name: plain_copy(one, f"{path}.{name}" if path else name, depth + 1) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain_copy(one, path, depth + 1) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def find_game(game: Any) -> Mapping[str, Battle]:
    """The battle kinds of a game. Raises ScenarioError for an unknown one."""
    if not isinstance(game, str) or game not in rules.GAMES:
        raise ScenarioError(f"game: {validation.not_one_of(game, list(rules.GAMES))}")
    return rules.battles(game)


def find_battle(game: Any, kind: Any) -> Battle:
    """The battle kind of a game. Raises ScenarioError for an unknown name."""
    kinds = find_game(game)
    if not isinstance(kind, str) or kind not in kinds:
        raise ScenarioError(f"battle: {validation.not_one_of(kind, list(kinds))}")
    return kinds[kind]
