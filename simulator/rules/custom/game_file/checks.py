"""Checks of a game file that types cannot make (docs/rules/custom_games.md section 11)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache

from simulator.rules.battle import Refusal
from simulator.rules.custom.game_file.format import (
    HYPHENED,
    LONGEST_NAME,
    SIDES,
    UNDERSCORED,
    AnyRoll,
    AtMost,
    Fire,
    GameFile,
    OrderBySide,
    Reroll,
    Roll,
    RoundScope,
    SelectorBySide,
    SideModifier,
    Support,
)

RESERVED_UNITS = ("units", "cost", "modifier", "modifiers", "all")
MAIN_ROLLS = {"attacker": "attack", "defender": "defence"}
SELECTORS = ("if_own_has", "if_enemy_has", "unless_own_has", "unless_enemy_has")


def hint(given: str, known: Sequence[str]) -> str:
    """A suggestion for a near miss."""
    near = get_close_matches(given, known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def check_known(word: str, known: Sequence[str], field: str, what: str) -> None:
    """Refuse a word that is not among those known: `what` begins the refusal ("no step")."""
    if word not in known:
        raise Refusal(field, f"{what} {word[:50]!r}{hint(word, known)}")


def words_of(file: GameFile) -> list[str]:
    """Everything a selector may name: units, then tags."""
    tags = dict.fromkeys(tag for unit in file.unit.values() for tag in unit.tags)
    return [*file.unit, *tags]


def rolls_of(file: GameFile) -> list[str]:
    """Every roll that some unit has."""
    found: list[str] = []
    for unit in file.unit.values():
        main = {"attack": unit.attack or unit.combat, "defence": unit.defence or unit.combat}
        found += [name for name, roll in (main | unit.rolls).items() if roll]
    return [*dict.fromkeys(found)]


def check_game(file: GameFile) -> None:
    """Refuse what types cannot; raises Refusal with the path inside the game file."""
    _dice(file)
    _units(file)
    _conditions(file)
    _kinds(file)
    _steps(file)
    _groups(file)
    _supports(file)
    for i, modifier in enumerate(file.modifier):
        check_modifier(file, modifier, f"modifier[{i}]")
    _losses(file)


def _name(text: str, field: str, pattern: str, what: str) -> None:
    if not re.match(pattern, text) or text.endswith("\n") or len(text) > LONGEST_NAME:
        hyphens = " and hyphens" if pattern == HYPHENED else ""
        raise Refusal(
            field,
            f"{text[:50]!r} is no name for {what}; small letters, digits, underscores{hyphens}, "
            f"a letter first, at most {LONGEST_NAME}",
        )


def _face(value: int, sides: int, field: str, least: int = 1) -> None:
    if not least <= value <= sides:
        raise Refusal(field, f"{value} is not allowed; give a whole number from {least} to {sides}")


def _dice(file: GameFile) -> None:
    dice = file.dice
    for name in ("always_hit", "always_miss"):
        for i, face in enumerate(getattr(dice, name)):
            _face(face, dice.sides, f"dice.{name}[{i}]")
    if both := set(dice.always_hit) & set(dice.always_miss):
        raise Refusal("dice.always_miss", f"{min(both)} stands in always_hit too; a face may not be in both")
    if dice.clamp:
        for i, value in enumerate(dice.clamp):
            _face(value, dice.sides + 1, f"dice.clamp[{i}]", 0)
        if dice.clamp[0] > dice.clamp[1]:
            raise Refusal("dice.clamp", f"{dice.clamp} is not allowed; the lowest value comes first")


def _units(file: GameFile) -> None:
    for key, unit in file.unit.items():
        field = f"unit.{key}"
        if key in RESERVED_UNITS:
            raise Refusal(field, f"{key!r} is reserved; not allowed for a unit: {', '.join(RESERVED_UNITS)}")
        _name(key, field, UNDERSCORED, "a unit")
        if unit.combat is not None and (unit.attack is not None or unit.defence is not None):
            raise Refusal(
                f"{field}.combat", "stands beside attack or defence; give combat alone, or attack and defence"
            )
        for name in ("attack", "defence", "combat"):
            _roll(file, getattr(unit, name), f"{field}.{name}")
        for tag in unit.tags:
            if tag == "all" or tag in file.unit:
                raise Refusal(f"{field}.tags", f"{tag!r} is not allowed as a tag; it means a unit, or all units")
        for name, roll in unit.rolls.items():
            if name in {"attack", "defence", "combat"}:
                raise Refusal(f"{field}.rolls.{name}", f"write it as unit.{key}.{name}, not among rolls")
            _name(name, f"{field}.rolls.{name}", HYPHENED, "a roll")
            _roll(file, roll, f"{field}.rolls.{name}")


def _roll(file: GameFile, roll: AnyRoll | None, field: str) -> None:
    if isinstance(roll, Roll):
        _face(roll.value, file.dice.sides, f"{field}.value")
        _reroll(file, roll.reroll, f"{field}.reroll")
    elif roll is not None:
        _face(roll, file.dice.sides, field, 0)


def _reroll(file: GameFile, reroll: Reroll, field: str) -> None:
    if not isinstance(reroll, str):
        for i, face in enumerate(reroll):
            _face(face, file.dice.sides, f"{field}[{i}]")


def _conditions(file: GameFile) -> None:
    for key, condition in file.condition.items():
        field = f"condition.{key}"
        _name(key, field, UNDERSCORED, "a condition")
        choices = condition.choices
        if choices and len(set(choices)) < len(choices):
            raise Refusal(f"{field}.choices", "a name stands there twice; give 2 or more different names")
        allowed: Sequence[object] = choices or [True, False]
        if condition.default is not None:
            _check_value(condition.default, allowed, f"{field}.default")


def _check_value(value: object, allowed: Sequence[object], field: str) -> None:
    if not any(type(value) is type(one) and value == one for one in allowed):
        said = str(value).lower() if isinstance(value, bool) else repr(value)
        raise Refusal(field, f"{said} is not allowed; must be one of {_list(allowed)}")


def _list(values: Sequence[object]) -> str:
    return ", ".join(str(value).lower() if isinstance(value, bool) else str(value) for value in values)


def check_selector(file: GameFile, selector: Sequence[str] | None, field: str) -> None:
    """Refuse an entry that is neither unit nor tag."""
    for i, word in enumerate(selector or ()):
        check_known(word, words_of(file), f"{field}[{i}]", "no unit or tag")


def selected(file: GameFile, selector: Iterable[str]) -> set[str]:
    """The units that a selector names, by name or by tag."""
    words = set(selector)
    return {key for key, unit in file.unit.items() if key in words or not words.isdisjoint(unit.tags)}


@lru_cache(maxsize=512)
def part_of(file: GameFile, kind: str, side: str) -> tuple[set[str], set[str]]:
    """Units that may fight, and that may support, on a side."""
    part = getattr(file.battle[kind], side)
    supports = selected(file, part.supports)
    return (set(file.unit) - supports if part.fights is None else selected(file, part.fights)), supports


def _kinds(file: GameFile) -> None:
    for key, kind in file.battle.items():
        _name(key, f"battle.{key}", HYPHENED, "a battle kind")
        check_selector(file, kind.taken_by, f"battle.{key}.taken_by")
        for side in SIDES:
            field = f"battle.{key}.{side}"
            part = getattr(kind, side)
            check_selector(file, part.fights, f"{field}.fights")
            check_selector(file, part.supports, f"{field}.supports")
            fights, supports = part_of(file, key, side)
            if not fights:
                raise Refusal(f"{field}.fights", "selects nobody; a side needs units that may fight")
            if both := fights & supports:
                raise Refusal(f"{field}.supports", f"{min(both)} also fights; a unit does one or the other")
        if not any(step.battle is None or key in step.battle for step in file.step):
            raise Refusal(f"battle.{key}", "no step is fought in this kind of battle")


def _steps(file: GameFile) -> None:
    rolls, seen = rolls_of(file), set()
    for i, step in enumerate(file.step):
        field = f"step[{i}]"
        if step.name in seen:
            raise Refusal(f"{field}.name", f"{step.name!r} is given twice; each step has a name of its own")
        seen.add(step.name)
        for j, kind in enumerate(step.battle or ()):
            if kind not in file.battle:
                raise Refusal(
                    f"{field}.battle[{j}]", f"no battle kind {kind[:50]!r}; must be one of {_list([*file.battle])}"
                )
        if step.when == "before-battle":
            for name in ("from_round", "to_round"):
                if getattr(step, name) is not None:
                    raise Refusal(f"{field}.{name}", "is not allowed in a step before the battle; it has no rounds")
        _scope(file, step, field)
        _fire(step.fire, "fire" in step.model_fields_set, rolls, f"{field}.fire")
        for name in ("by", "hits_only", "spares"):
            check_selector(file, getattr(step, name), f"{field}.{name}")
        if step.dice_at_most is not None:
            _at_most(file, step.dice_at_most, f"{field}.dice_at_most")


def _fire(fire: Fire, given: bool, rolls: Sequence[str], field: str) -> None:
    if fire.attacker is None and fire.defender is None:
        raise Refusal(field, "is empty; give a roll for attacker, defender or both")
    for side in SIDES:
        roll = getattr(fire, side)
        if given and roll is not None:
            check_known(roll, rolls, f"{field}.{side}", "no unit has a roll")


def _at_most(file: GameFile, limit: AtMost, field: str) -> None:
    if (limit.own is None) == (limit.enemy is None):
        raise Refusal(field, "give exactly one of own, enemy")
    check_selector(file, limit.own, f"{field}.own")
    check_selector(file, limit.enemy, f"{field}.enemy")


def _groups(file: GameFile) -> None:
    """Steps of a group follow each other and are fought at the same time, in each battle kind (2.6)."""
    for kind in file.battle:
        last: dict[str, int] = {}
        fought = [i for i, step in enumerate(file.step) if step.battle is None or kind in step.battle]
        for place, i in enumerate(fought):
            group = file.step[i].group
            if group is None:
                continue
            if group in last:
                if file.step[i].when != file.step[fought[last[group]]].when:
                    raise Refusal(f"step[{i}].when", f"differs within group {group!r}; its steps are fought together")
                if last[group] != place - 1:
                    raise Refusal(
                        f"step[{i}].group", f"{group!r} began before another step; steps of a group stand together"
                    )
            last[group] = place


def _scope(file: GameFile, scope: RoundScope, field: str) -> None:
    if scope.from_round is not None and scope.to_round is not None and scope.to_round < scope.from_round:
        raise Refusal(f"{field}.to_round", f"{scope.to_round} is before from_round = {scope.from_round}")
    for name in SELECTORS:
        check_selector(file, getattr(scope, name), f"{field}.{name}")
    for key, wanted in getattr(scope, "if_condition", {}).items():
        check_known(key, [*file.condition], f"{field}.if_condition.{key}", "no condition")
        allowed: Sequence[object] = file.condition[key].choices or [True, False]
        for value in wanted if isinstance(wanted, list) else [wanted]:
            _check_value(value, allowed, f"{field}.if_condition.{key}")


def _rolls_and_steps(file: GameFile, rule: Support | SideModifier, field: str) -> None:
    known = [*dict.fromkeys(["attack", "defence", *rolls_of(file)])]
    for j, roll in enumerate(rule.rolls):
        check_known(roll, known, f"{field}.rolls[{j}]", "no unit has a roll")
    for j, name in enumerate(rule.steps or ()):
        check_known(name, [step.name for step in file.step], f"{field}.steps[{j}]", "no step")


def _supports(file: GameFile) -> None:
    for i, support in enumerate(file.support):
        field = f"support[{i}]"
        _scope(file, support, field)
        check_selector(file, support.from_, f"{field}.from")
        check_selector(file, support.to, f"{field}.to")
        if both := selected(file, support.from_) & selected(file, support.to):
            raise Refusal(f"{field}.to", f"{min(both)} is among those who help; nobody helps himself")
        if (support.sets is None) == (support.adds is None):
            raise Refusal(f"{field}.sets", "give exactly one of sets, adds")
        if support.sets is not None:
            _face(support.sets, file.dice.sides, f"{field}.sets")
        _rolls_and_steps(file, support, field)


def check_modifier(file: GameFile, modifier: SideModifier, field: str) -> None:
    """Refuse a modifier (of the game, or of a side of a scenario)."""
    _scope(file, modifier, field)
    check_selector(file, modifier.units, f"{field}.units")
    if not modifier.model_fields_set & {"adds", "dice", "reroll"}:
        raise Refusal(field, "gives nothing; give at least one of adds, dice, reroll")
    _reroll(file, modifier.reroll, f"{field}.reroll")
    _rolls_and_steps(file, modifier, field)


def check_order(order: str | list[str], units: Sequence[str], field: str, what: str) -> None:
    """Refuse a loss order with an unknown unit, or with one twice."""
    if isinstance(order, str):
        return
    for i, unit in enumerate(order):
        check_known(unit, units, f"{field}[{i}]", what)
        if unit in order[:i]:
            raise Refusal(f"{field}[{i}]", f"{unit!r} stands there twice")


def _losses(file: GameFile) -> None:
    for name in ("order", "last", "removed_alone"):
        field, given = f"losses.{name}", getattr(file.losses, name)
        lists = {field: given}
        if isinstance(given, OrderBySide | SelectorBySide):
            lists = {f"{field}.{side}": getattr(given, side) for side in SIDES}
        for where, words in lists.items():
            if name == "order":
                check_order(words, [*file.unit], where, "no unit")
            else:
                check_selector(file, words, where)
