"""A checked scenario from a TOML or JSON file, a mapping or the name of a shipped example."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os.path import isfile
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from simulator import rules
from simulator.engine.model.chain import Chain
from simulator.engine.model.kept import Recent
from simulator.rules.battle import Battle, Built, Fields, Misfit, Outcomes, Refusal
from simulator.scenarios import linked, objective, uncertain, validation
from simulator.scenarios.arguments import checked
from simulator.scenarios.files import read
from simulator.scenarios.kinds import find_battle, kinds_of, worded
from simulator.scenarios.paths import leaves, plain_copy, rename, set_path, spelt_out
from simulator.scenarios.schema import ORDER, changed_fields, plain
from simulator.scenarios.validation import ScenarioError

# Answers are kept for later scenarios if the states of their chain are packed in at most MOST_BITS bits: MOST_KEPT of
# them, fewer if their graphs together take more than MOST_BYTES.
MOST_BITS, MOST_KEPT, MOST_BYTES = 18, 16, 160_000_000


def _size(known: tuple[Battle, Built]) -> int:
    chain = known[1].chain
    if chain is None or not chain.kept:
        return MOST_BYTES // MOST_KEPT
    from simulator.engine.api import bytes_kept

    return max(MOST_BYTES // MOST_KEPT, bytes_kept(chain))


_kept: Recent[tuple[Battle, Built]] = Recent(MOST_BYTES, _size)


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
        # A policy may turn out to need exact odds when the battle is too large for them.
        built = worded(lambda: self.battle.build(self.fields))
        if built.chain is not None and built.chain.layout.bits <= MOST_BITS:
            _kept.keep(key, (self.battle, built))
        return built

    def winners(self) -> Outcomes | None:
        """The outcomes with few columns that this kind finds long before the rest, see `Battle.winners`."""
        find = self.battle.winners
        return None if find is None else worded(lambda: find(self.fields))

    def release(self) -> None:
        """Drop the graph of a large chain (up to 110 MB): no equal scenario shares it, and it can be made again."""
        chain = self.built.chain
        if chain is not None and chain.layout.bits > MOST_BITS:
            from simulator.engine.api import forget_graph

            forget_graph(chain)

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
        """The same scenario with one field changed.

        Parameters
        ----------
        path : str
            The field, such as `attacker.regiments` or `conditions.crossings[0].fleets`.
        value : object
            Its new value.

        Returns
        -------
        Scenario
            The checked scenario.

        Raises
        ------
        ScenarioError
            As `load`.

        Examples
        --------
        >>> load("risk-20v15").replace("attacker.regiments", 25).data["attacker"]
        {'regiments': 25}
        """
        return self.replace_all({path: value})

    def replace_all(self, changes: Mapping[str, Any]) -> Scenario:
        """The same scenario with several fields changed at once, checked together.

        Parameters
        ----------
        changes : mapping of str to object
            New values by path, see `replace`.

        Returns
        -------
        Scenario
            The checked scenario.

        Raises
        ------
        ScenarioError
            As `load`.

        Examples
        --------
        >>> changes = {"attacker.regiments": 25, "options.attack_dice": 2}
        >>> load("risk-20v15").replace_all(changes).settings()
        ['options.attack_dice = 2']
        """
        return draft(self).with_fields(changes).checked()

    def assumptions(self) -> list[str]:
        """The assumptions of the answer: options, policies and assumed numbers."""
        return list(self.built.assumptions())

    def settings(self) -> list[str]:
        """The fields that differ from their defaults: "path = value", in the order of the scenario."""
        lines = [f"{path} = {validation.shown(plain(value), 100)}" for path, value in changed_fields(self.fields)]
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

    def _repr_html_(self) -> str:
        """The scenario in a notebook: its kind, and the given fields."""
        from simulator.scenarios.notebook import page

        fields = {name: value for name, value in self.data.items() if name not in {"game", "battle"}}
        rows = [{"field": path, "value": value} for path, value in leaves(fields) if value != {}]
        return page(f"{self.battle.game} {self.battle.kind}", rows, self.battle.title)


@dataclass(frozen=True)
class Draft:
    """A scenario before it is checked: its mapping, and `folder` and `paths` as in `Scenario`."""

    data: Mapping[str, Any]
    folder: Path | None = None
    paths: bool = True

    def battle(self) -> Battle:
        """Its battle kind. Raises ScenarioError for an unknown one."""
        if self.data.get("game") == rules.PLAN:
            raise ScenarioError("game: a plan is answered by plan")
        if self.data.get("game") == rules.CAMPAIGN:
            from simulator.rules import campaign

            return worded(lambda: campaign.battle(self.data, self.folder, self.paths))
        game, kind, own = (self.data.get(name) for name in ("game", "battle", "rules"))
        found = find_battle(game, kind, own, self.folder, self.paths)
        return replace(found, question=found.question.of_stages(self.data)) if found.question.stages else found

    def with_fields(self, changes: Mapping[str, Any]) -> Draft:
        """The same with several fields set (path -> value). Raises ScenarioError for a bad path.

        A value that is a `Variant` sets the fields of that variant.
        """
        data = plain_copy(self.data)
        if data.get("game") == rules.CAMPAIGN:
            from simulator.rules import campaign

            campaign.spell_out(data)
        for path, value in changes.items():
            for field, one in value.fields.items() if isinstance(value, linked.Variant) else ((path, value),):
                set_path(data, field, plain_copy(one))
        return replace(self, data=data)

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
        return replace(self, data=data)

    def checked(self) -> Scenario:
        """The checked scenario. Raises ScenarioError, whose message begins with the wrong field."""
        try:
            battle = self.battle()
        except ScenarioError as error:
            raise ScenarioError(str(error), others=[*error.others, *self._refused_in_every_kind()]) from None
        policy = self.data.get("policy")
        if policy and (spelt := dict(spelt_out(battle.parameters, policy))):
            return self.with_fields(spelt).checked()
        uncertain.refuse(self.data)
        try:
            data, objectives = objective.split(linked.without(self.data))
            fields = battle.model.model_validate(data)
            scenario = Scenario(battle, fields, self.data, self.folder, self.paths)
            scenario.decided  # noqa: B018 - raises ScenarioError
            battle.check(fields)
        except ValidationError as error:
            data = plain_copy(self.data)
            renamed = [rename(data, *one) for one in validation.corrections(error, battle.model)]
            if any(renamed):
                return replace(self, data=data).checked()
            raise validation.refused(validation.complaints(error, battle.model)) from None
        except Refusal as refusal:
            data = plain_copy(self.data)
            if refusal.meant is not None and rename(data, refusal.field, refusal.meant):
                return replace(self, data=data).checked()
            raise validation.from_refusal(refusal) from None
        except Misfit as misfit:
            raise validation.from_misfit(misfit) from None
        if objectives:
            objective.check(objectives, scenario.built)
        return scenario

    def _refused_in_every_kind(self) -> list[str]:
        """The lines about fields that every kind of the game refuses, where the kind is wrong."""
        game, kind = self.data.get("game"), self.data.get("battle")
        try:
            kinds = kinds_of(game, self.data.get("rules"), self.folder, self.paths)
        except ScenarioError:
            return []
        if kind in [None, *kinds] or game == rules.CAMPAIGN:
            return []
        as_kinds = {name: replace(self, data={**self.data, "battle": name}).complaints() for name in kinds}
        return validation.wrong_in_all(str(kind), as_kinds)

    def complaints(self) -> list[str]:
        """A line for each mistake; none for a valid scenario."""
        try:
            self.checked()
        except ScenarioError as error:
            return [str(error), *error.others]
        return []


def again(battle: Battle, data: Mapping[str, Any], folder: Path | None = None, paths: bool = True) -> Scenario:
    """A scenario that was checked before, from its kind and its data."""
    return Scenario(battle, battle.model.model_validate(objective.split(linked.without(data))[0]), data, folder, paths)


Source = Scenario | Draft | str | Path | Mapping[str, Any]


def draft(source: Source, folder: Path | None = None, paths: bool = True) -> Draft:
    """A scenario before it is checked; arguments as for `load`. Mappings are copied."""
    if isinstance(source, Draft):
        return source
    if isinstance(source, Scenario):
        return Draft(source.data, source.folder, source.paths)
    if isinstance(source, Mapping):
        return Draft(plain_copy(source), folder, paths)
    if not isinstance(source, str | Path):
        given = validation.shown(source)
        raise ScenarioError(f"scenario: {given} is not allowed; give a mapping, a file or the name of an example")
    data = plain_copy(read(source))
    if isfile(Path(source)):
        folder = Path(source).absolute().parent
    return Draft(data, folder, paths)


@checked
def load(source: Source, folder: Path | None = None, paths: bool = True) -> Scenario:
    """Read and check a scenario.

    Parameters
    ----------
    source : Scenario, mapping, str or Path
        A mapping (it is copied), a TOML or JSON file, or the name of a shipped example.
    folder : Path, optional
        The start of relative paths of game files, where the scenario is no file.
    paths : bool
        False, as for scenarios from strangers, reads no game file.

    Returns
    -------
    Scenario
        The checked scenario.

    Raises
    ------
    ScenarioError
        For an invalid scenario; the message begins with the wrong field.

    Examples
    --------
    >>> load({"game": "risk", "battle": "land", "attacker": {"regiments": 3}, "defender": {"regiments": 2}}).settings()
    []
    """
    return source if isinstance(source, Scenario) else draft(source, folder, paths).checked()


def is_uncertain(source: Source) -> bool:
    """Does a field of this scenario hold a distribution, so that it stands for many scenarios?"""
    return not isinstance(source, Scenario) and uncertain.holds_distribution(draft(source).data)
