"""From a TOML or JSON file, a mapping or the name of a shipped example to a checked scenario."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from simulator import rules
from simulator.engine.chain import Chain
from simulator.rules.battle import Battle, Built, Misfit, Refusal
from simulator.scenarios import validation
from simulator.scenarios.files import read
from simulator.scenarios.validation import ScenarioError

_STEP = re.compile(r"([A-Za-z_][\w-]*)((?:\[\d+\])*)$")


@dataclass(frozen=True, eq=False)
class Scenario:
    """A checked scenario: its battle kind, its fields as a model, and the mapping it was made from.

    `folder` is where the paths of game files start, None for the current folder; `paths` whether any are read.
    """

    battle: Battle
    fields: Any
    data: Mapping[str, Any]
    folder: Path | None = None
    paths: bool = True

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
        data = copy.deepcopy(dict(self.data))
        for path, value in changes.items():
            set_path(data, path, value)
        return load(data, self.folder, self.paths)

    def assumptions(self) -> list[str]:
        """What the answer rests on: options, policies and assumed numbers."""
        return list(self.built.assumptions())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.fields == other.fields

    def __hash__(self) -> int:
        return hash(json.dumps(self.data, sort_keys=True, default=str))

    def __repr__(self) -> str:
        return f"Scenario({json.dumps(self.data, default=str)})"


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


def load(source: str | Path | Mapping[str, Any], folder: Path | None = None, paths: bool = True) -> Scenario:
    """Read and check a scenario: a mapping, a TOML or JSON file, or the name of a shipped example.

    A game file that it names by a path is looked for from the scenario's file, from `folder` if it is no file; never
    if `paths` is False, as for scenarios from strangers. Raises ScenarioError, whose message begins with the field to
    blame.
    """
    data = source if isinstance(source, Mapping) else read(source)
    if not isinstance(source, Mapping) and Path(source).is_file():
        folder = Path(source).absolute().parent
    battle = find_battle(data.get("game"), data.get("battle"), data.get("rules"), folder, paths)
    try:
        fields = battle.model.model_validate(data)
    except ValidationError as error:
        raise ScenarioError(validation.first_complaint(error, battle.model)) from None
    try:
        battle.check(fields)
    except Refusal as refusal:
        raise ScenarioError(str(refusal)) from None
    return Scenario(battle, fields, data, folder, paths)


def find_battle(
    game: Any, kind: Any, house_rules: Any = None, folder: Path | None = None, paths: bool = True
) -> Battle:
    """The battle kind of a game or game file. Raises ScenarioError for an unknown name or a file that is no game."""
    kinds = kinds_of(game, house_rules, folder, paths)
    if not isinstance(kind, str) or kind not in kinds:
        raise ScenarioError(f"battle: {validation.not_one_of(kind, list(kinds))}")
    return kinds[kind]


def kinds_of(
    game: Any, house_rules: Any = None, folder: Path | None = None, paths: bool = True
) -> Mapping[str, Battle]:
    """The battle kinds of a game or game file, by name. Raises ScenarioError as `find_battle`."""
    if isinstance(game, str) and game in rules.GAMES:
        return rules.battles(game)
    from simulator.rules import custom

    if not custom.knows(game):
        raise ScenarioError(f"game: {validation.not_one_of(game, [*rules.GAMES, *custom.names(), custom.INLINE])}")
    try:
        return custom.battles(game, house_rules, folder, paths)
    except Refusal as refusal:
        raise ScenarioError(str(refusal)) from None
    except Misfit as misfit:
        raise ScenarioError(misfit.prefix + validation.first_complaint(misfit.error, misfit.model)) from None
