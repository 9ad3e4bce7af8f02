"""Options of a side: they are laid over the game before anything is computed (docs/rules/custom_games.md 2.13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Refusal
from simulator.rules.custom.game_file.format import GameFile, Modifier, Support, UnitValues
from simulator.rules.custom.game_file.units import MAIN
from simulator.rules.custom.game_file.words import check_each, check_known, steps_of
from simulator.rules.toolkit.policies import refuse


@lru_cache(maxsize=256)
def with_options(file: GameFile, attacker: Sequence[str], defender: Sequence[str]) -> GameFile:
    """The game as these options of both sides (tuples of names, in any order) change it."""
    units, supports, modifiers = dict(file.unit), list(file.support), list(file.modifier)
    for side, chosen in zip(SIDES, (attacker, defender), strict=True):
        for option in (option for key, option in file.option.items() if key in chosen):
            for key, values in option.unit.items():
                units[key] = units[key].model_copy(update={side: _laid_over(getattr(units[key], side), values)})
            supports += [_of_side(rule, side) for rule in option.support]
            modifiers += [_of_side(rule, side) for rule in option.modifier]
    return file.model_copy(update={"unit": units, "support": supports, "modifier": modifiers})


def with_options_of(file: GameFile, side: str, given: object) -> GameFile:
    """The game for one side of a scenario that may still be changed; options that do not exist are passed over."""
    chosen = given.get("options", ()) if isinstance(given, Mapping) else ()
    known = tuple([key for key in file.option if isinstance(chosen, list | tuple) and key in chosen])
    if not known:
        return file
    return with_options(file, known, ()) if side == SIDES[0] else with_options(file, (), known)


def _laid_over(own: UnitValues, over: UnitValues) -> UnitValues:
    """A unit's values on a side with those of an option over them: rolls by name, everything else whole."""
    given = _given(own) | {key: value for key, value in _given(over).items() if key != "rolls"}
    if rolls := own.rolls | over.rolls:
        given["rolls"] = rolls
    return UnitValues.model_construct(_fields_set=set(given), **given)


def _given(values: UnitValues) -> dict[str, Any]:
    """The values that a table gives; `combat` is written as attack and defence."""
    given = {key: getattr(values, key) for key in values.model_fields_set}
    combat = given.pop("combat", None)
    return given if combat is None else dict.fromkeys(MAIN, combat) | given


def _of_side(rule: Any, side: str) -> Any:
    return rule.model_copy(update={"side": side})


def rules_of_options(file: GameFile) -> Iterable[tuple[str, Support | Modifier]]:
    """The supports and modifiers of all options, each with its field."""
    for key, option in file.option.items():
        for name in ("support", "modifier"):
            yield from ((f"option.{key}.{name}[{i}]", rule) for i, rule in enumerate(getattr(option, name)))


def conditions_read(file: GameFile, kind: str) -> set[str]:
    """The conditions that a kind of battle asks for: those of its steps, and of the rules that change their dice."""
    steps = steps_of(file, kind)
    names = {step.name for step in steps}
    rules = [*file.support, *file.modifier, *(rule for _, rule in rules_of_options(file))]
    reading = [*steps, *(rule for rule in rules if rule.steps is None or not names.isdisjoint(rule.steps))]
    return {key for one in reading for key in one.if_condition}


def check_needs(file: GameFile, needs: Sequence[str], field: str) -> None:
    """Refuse needs that are neither options nor groups."""
    check_each(needs, [*file.option, *groups_of_options(file)], field, "no option or group")


def groups_of_options(file: GameFile) -> list[str]:
    """The groups of options, in file order."""
    return [*dict.fromkeys(option.group for option in file.option.values() if option.group is not None)]


def has_needed(file: GameFile, chosen: Sequence[str], needs: Sequence[str]) -> bool:
    """Is one of these options, or one of a group named, on?"""
    on = {*chosen, *(file.option[key].group for key in chosen)}
    return not needs or any(word in on for word in needs)


def check_chosen(file: GameFile, chosen: Sequence[str], field: str) -> None:
    """Refuse options of a side that the game does not have, or that do not go together (section 11)."""
    groups: dict[str, str] = {}
    for i, key in enumerate(chosen):
        check_known(key, [*file.option], f"{field}[{i}]", "no option")
        refuse(key in chosen[:i], f"{field}[{i}]", f"{key!r} stands there twice")
        group = file.option[key].group
        if group is not None and groups.setdefault(group, key) != key:
            raise Refusal(f"{field}[{i}]", f"{key} is a second {group} beside {groups[group]}; give one of the two")
    for i, key in enumerate(chosen):
        needs = file.option[key].needs
        if not has_needed(file, chosen, needs):
            raise Refusal(f"{field}[{i}]", f"{key} needs one of these options: {', '.join(needs)}")
