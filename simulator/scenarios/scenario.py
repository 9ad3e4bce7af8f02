"""A checked scenario from a TOML or JSON file, a mapping or the name of a shipped example."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel, ValidationError

from simulator import rules
from simulator.engine.model.chain import Chain
from simulator.rules.battle import Battle, Built, Fields, Misfit, Refusal
from simulator.scenarios import objective, uncertain, validation
from simulator.scenarios.files import is_file, read
from simulator.scenarios.schema import ORDER
from simulator.scenarios.validation import ScenarioError

_STEP = re.compile(r"([A-Za-z_][\w-]*)((?:\[\d{1,6}\])*)$")
MOST_DEPTH = 60
T = TypeVar("T")
# Answers are kept for later scenarios if the states of their chain are packed in so many bits; so many are kept.
MOST_BITS, MOST_KEPT = 18, 16
_kept: dict[tuple[int, str], tuple[Battle, Built]] = {}
PLAIN = {int, float, str, bool, type(None)}


@dataclass(frozen=True, eq=False)
class Scenario:
    """A checked scenario: its battle kind, its fields as a model, and its mapping.

    `folder`: the start of relative paths of game files, None for the current folder; `paths`: may game files be read?
    """

    battle: Battle
    fields: Fields
    data: Mapping[str, Any]
    folder: Path | None = None
    paths: bool = True

    @cached_property
    def built(self) -> Built:
        """The answer to this scenario, built once."""
        built = objective.with_objective(self._plain, self.objective, self.decided)
        answer = built.answer
        # A stage may turn out to be refused only when it is reached.
        return built if answer is None else replace(built, answer=lambda run: worded(lambda: answer(run)))

    @property
    def _plain(self) -> Built:
        """The answer without objectives; equal scenarios with a small chain share one, and what was computed for it."""
        key = id(self.battle), self.fields.model_dump_json(exclude_unset=True)
        if known := _kept.get(key):
            return known[1]
        built = self.battle.build(self.fields)
        if built.chain is not None and built.chain.layout.bits <= MOST_BITS:
            if len(_kept) >= MOST_KEPT:
                _kept.clear()
            _kept[key] = self.battle, built
        return built

    @property
    def objective(self) -> objective.Objective:
        """The given objectives of the sides."""
        return objective.split(self.data)[1]

    @cached_property
    def decided(self) -> tuple[str, ...]:
        """Paths of the policies that are `best`, and of the cards that are played when that is best."""
        return (*objective.best_paths(self.data), *objective.best_fights(self.data))

    @property
    def chain(self) -> Chain:
        """The chain of this battle. Raises TypeError for a kind that is not one chain."""
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
        return draft(self).with_fields(changes).checked()

    def assumptions(self) -> list[str]:
        """The assumptions of the answer: options, policies and assumed numbers."""
        return list(self.built.assumptions())

    def settings(self) -> list[str]:
        """The fields that differ from their defaults: "path = value", in the order of the scenario."""
        lines = [f"{path} = {validation.shown(_plain(value), 100)}" for path, value in changed_fields(self.fields)]
        for side, weights in self.objective.items():
            lines += [f"objective.{side}.{name} = {weight:.12g}" for name, weight in weights.items()]
        tables = {name: place for place, name in enumerate(ORDER)}
        return sorted(lines, key=lambda line: tables.get(re.split(r"[.\[ ]", line, maxsplit=1)[0], len(tables)))

    @cached_property
    def _key(self) -> str:
        game = self.data.get("game")
        home = None if game in rules.GAMES else str(self.folder)
        content = [game, self.data.get("rules"), home, self.fields.model_dump(mode="json"), self.objective]
        return json.dumps(content, sort_keys=True, default=str)

    def __reduce__(self) -> Any:
        """For pickle: the kind and the data; what was made of them, functions mostly, is made anew."""
        return again, (self.battle, self.data, self.folder, self.paths)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"Scenario({json.dumps(self.data, default=str)})"


@cache
def field_defaults(model: type[BaseModel]) -> dict[str, tuple[str, bool, Any]]:
    """For each field of a model: its name for the user, whether it is required, and its default."""
    return {
        name: (about.alias or name, about.is_required(), about.get_default(call_default_factory=True))
        for name, about in model.model_fields.items()
    }


def changed_fields(fields: BaseModel, path: str = "") -> Iterator[tuple[str, Any]]:
    """The fields whose value is not their default: (path, value)."""
    for name, (alias, required, default) in field_defaults(type(fields)).items():
        value = getattr(fields, name)
        if type(value) in PLAIN and (required or value == default):
            continue
        here = f"{path}.{alias}" if path else alias
        if isinstance(value, BaseModel):
            yield from changed_fields(value, here)
        elif isinstance(value, dict) and any(isinstance(item, BaseModel) for item in value.values()):
            for key, item in value.items():
                yield from changed_fields(item, f"{here}.{key}")
        elif isinstance(value, list | tuple) and value and all(isinstance(item, BaseModel) for item in value):
            for i, item in enumerate(value):
                yield from changed_fields(item, f"{here}[{i}]")
        elif not required and value != default:
            yield here, value


def _plain(value: Any) -> Any:
    """A value as in a scenario's mapping: tables instead of models."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_defaults=True)
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def set_path(data: dict[str, Any], path: str, value: Any) -> None:
    """Set `a.b[0].c` in nested tables and lists, with missing tables created. Raises ScenarioError for a bad path."""
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
        _check_place(node, step, path)
        node = node[step] if isinstance(step, int) else node.setdefault(step, [] if isinstance(following, int) else {})
    _check_place(node, steps[-1], path)
    node[steps[-1]] = value


def _check_place(node: Any, step: str | int, path: str) -> None:
    """Refuse a place that a list does not have, and a name in what is no table. Raises ScenarioError."""
    if isinstance(step, int) and (not isinstance(node, list) or step >= len(node)):
        raise ScenarioError(f"{path}: there is no place {step}")
    if isinstance(step, str) and not isinstance(node, dict):
        raise ScenarioError(f"{path}: no such field")


@dataclass(frozen=True)
class Draft:
    """A scenario before it is checked: its mapping, and `folder` and `paths` as in `Scenario`."""

    data: Mapping[str, Any]
    folder: Path | None = None
    paths: bool = True

    def battle(self) -> Battle:
        """Its battle kind. Raises ScenarioError for an unknown one."""
        if self.data.get("game") == rules.CAMPAIGN:
            from simulator.rules import campaign

            return worded(lambda: campaign.battle(self.data, self.folder, self.paths))
        return find_battle(
            self.data.get("game"), self.data.get("battle"), self.data.get("rules"), self.folder, self.paths
        )

    def with_fields(self, changes: Mapping[str, Any]) -> Draft:
        """The same with several fields set (path -> value). Raises ScenarioError for a bad path."""
        data = plain_copy(self.data)
        if data.get("game") == rules.CAMPAIGN:
            from simulator.rules import campaign

            campaign.spell_out(data)
        for path, value in changes.items():
            set_path(data, path, plain_copy(value))
        return Draft(data, self.folder, self.paths)

    def without(self, path: str) -> Draft | None:
        """The same without a field; None if nested tables hold no field at this path."""
        data = plain_copy(self.data)
        *tables, name = path.split(".")
        node: Any = data
        for table in tables:
            node = node.get(table) if isinstance(node, dict) else None
        if not isinstance(node, dict) or name not in node:
            return None
        del node[name]
        return Draft(data, self.folder, self.paths)

    def checked(self) -> Scenario:
        """The checked scenario. Raises ScenarioError, whose message begins with the wrong field."""
        battle = self.battle()
        uncertain.refuse(self.data)
        try:
            data, objectives = objective.split(self.data)
            fields = battle.model.model_validate(data)
        except ValidationError as error:
            raise ScenarioError(validation.first_complaint(error, battle.model)) from None
        scenario = Scenario(battle, fields, self.data, self.folder, self.paths)
        scenario.decided  # noqa: B018 - raises ScenarioError
        worded(lambda: battle.check(fields))
        if objectives:
            objective.check(objectives, scenario.built)
        return scenario


def again(battle: Battle, data: Mapping[str, Any], folder: Path | None = None, paths: bool = True) -> Scenario:
    """A scenario that was checked before, from its kind and its data."""
    return Scenario(battle, battle.model.model_validate(objective.split(data)[0]), data, folder, paths)


Source = Scenario | Draft | str | Path | Mapping[str, Any]


def draft(source: Source, folder: Path | None = None, paths: bool = True) -> Draft:
    """A scenario before it is checked; arguments as for `load`. Mappings are copied."""
    if isinstance(source, Draft):
        return source
    if isinstance(source, Scenario):
        return Draft(source.data, source.folder, source.paths)
    if isinstance(source, Mapping):
        return Draft(plain_copy(source), folder, paths)
    data = plain_copy(read(source))
    if is_file(Path(source)):
        folder = Path(source).absolute().parent
    return Draft(data, folder, paths)


def load(source: Source, folder: Path | None = None, paths: bool = True) -> Scenario:
    """Read and check a scenario: a mapping (it is copied), a TOML or JSON file, or the name of a shipped example.

    A relative path of a game file starts at the folder of the scenario's file, else at `folder`. With `paths` False, as
    for scenarios from strangers, no game file is read. Raises ScenarioError, whose message begins with the wrong field.
    """
    return source if isinstance(source, Scenario) else draft(source, folder, paths).checked()


def plain_copy(value: Any, path: str = "", depth: int = 0) -> Any:
    """A deep copy of nested tables and lists; NumPy's numbers become plain ones.

    Raises ScenarioError for names that are not text, and for more than MOST_DEPTH levels.
    """
    if depth > MOST_DEPTH:
        raise ScenarioError(f"{path.partition('.')[0][:40] or 'scenario'}: nested more than {MOST_DEPTH} deep")
    if type(value) in PLAIN:
        return value
    if isinstance(value, Mapping):
        bad = next((name for name in value if not isinstance(name, str)), None)
        if bad is not None:
            raise ScenarioError(f"{path or 'scenario'}: {validation.shown(bad)} is no field name; names are text")
        return {name: plain_copy(one, f"{path}.{name}" if path else name, depth + 1) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain_copy(one, path, depth + 1) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def find_battle(
    game: Any, kind: Any, house_rules: Any = None, folder: Path | None = None, paths: bool = True
) -> Battle:
    """The battle kind of a game or game file. Raises ScenarioError for an unknown name or an invalid game file."""
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

    if game == rules.CAMPAIGN:
        from simulator.rules import campaign

        return {of: worded(partial(campaign.battle, {"of": of})) for of in campaign.games()}
    if not custom.knows(game):
        raise ScenarioError(f"game: {validation.not_one_of(game, [*rules.GAMES, *custom.names(), custom.INLINE])}")
    return worded(lambda: custom.battles(game, house_rules, folder, paths))


def worded(asked: Callable[[], T]) -> T:
    """Call a function of the rules; its refusals become ScenarioErrors."""
    try:
        return asked()
    except Refusal as refusal:
        raise ScenarioError(str(refusal), unused=refusal.unused) from None
    except Misfit as misfit:
        raise ScenarioError(misfit.prefix + validation.first_complaint(misfit.error, misfit.model)) from None


def game_file_battle() -> Battle:
    """The keys of a game file, in the form of the fields of a battle kind."""
    from simulator.rules.custom.game_file.format import GameFile

    return Battle(game="game", kind="file", title="a game file", model=GameFile, headline=(), build=lambda _: Built())


def campaign_battle() -> Battle:
    """The keys of a campaign of any game, in the form of the fields of a battle kind."""
    from simulator.rules import campaign

    return Battle(
        game=campaign.GAME,
        kind="file",
        title="a campaign",
        model=campaign.Campaign,
        headline=(),
        build=lambda _: Built(),
    )


def is_uncertain(source: Source) -> bool:
    """Does a field of this scenario hold a distribution, so that it stands for many scenarios?"""
    return not isinstance(source, Scenario) and uncertain.holds_distribution(draft(source).data)
