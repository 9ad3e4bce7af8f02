"""Checks of a game file that types cannot make (docs/rules/custom_games.md section 11)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Refusal
from simulator.rules.custom.game_file.check_units import check_damage, check_option, checks_of_dice_and_units
from simulator.rules.custom.game_file.format import (
    AtMost,
    Fire,
    GameFile,
    Modifier,
    OrderBySide,
    Roll,
    RoundScope,
    SelectorBySide,
    SideModifier,
    SideModifier3,
    Step,
    Support,
)
from simulator.rules.custom.game_file.keys import HYPHENED, UNDERSCORED
from simulator.rules.custom.game_file.options import rules_of_options, with_options
from simulator.rules.custom.game_file.units import most_damage, own_rolls, pieces_by_name
from simulator.rules.custom.game_file.words import (
    SCOPES,
    check_beside,
    check_each,
    check_face,
    check_known,
    check_name,
    check_selector,
    counts_points,
    part_of,
    selected,
    steps_of,
    written,
)
from simulator.rules.toolkit.naming import text_of
from simulator.rules.toolkit.policies import refuse


@lru_cache(maxsize=256)
def rolls_of(file: GameFile) -> list[str]:
    """Every roll that some unit has; in format 2 also those of value 0."""
    found: list[str] = []
    for unit in file.unit.values():
        for given in (unit, unit.attacker, unit.defender):
            found += [name for name, roll in own_rolls(given).items() if roll or file.format > 1]
    for option in file.option.values():
        found += [name for values in option.unit.values() for name in own_rolls(values)]
    return [*dict.fromkeys(found)]


def check_game(file: GameFile) -> None:
    """Refuse what types cannot; raises Refusal with the path inside the game file, and one for each other table."""
    found = _refusals(checks_of_dice_and_units(file))
    # All else looks up the dice of rolls.
    if not any(one.field.startswith("die.") or one.field.endswith(".die") for one in found):
        found += _refusals(_checks(file))
    if found:
        found[0].others = found[1:]
        raise found[0]
    _groups(file)
    check_damage(file)
    for key in file.option:
        _laid_over(file, key)


def _laid_over(file: GameFile, key: str) -> None:
    """Refuse an option whose values make the game a wrong one."""
    laid = with_options(file, (key,), (key,))
    try:
        check_damage(laid)
        for i, step in enumerate(laid.step):
            _compare(laid, step, f"step[{i}]")
    except Refusal as refusal:
        own = re.sub(r"\.(attacker|defender)\b", "", refusal.field) if refusal.field.startswith("unit.") else "unit"
        raise Refusal(f"option.{key}.{own}", refusal.text) from None


def _refusals(checks: Iterator[Callable[[], None]]) -> list[Refusal]:
    """The refusals of these checks."""
    found = []
    for check in checks:
        try:
            check()
        except Refusal as refusal:
            found.append(refusal)
    return found


def _checks(file: GameFile) -> Iterator[Callable[[], None]]:
    """The check of each table of the file, in order."""
    for key in file.condition:
        yield partial(_condition, file, key)
    for key in file.battle:
        yield partial(_kind, file, key)
    for i in range(len(file.step)):
        yield partial(_step, file, i)
    for key in file.battle:
        yield partial(_fought, file, key)
    for i, support in enumerate(file.support):
        yield partial(_support, file, support, f"support[{i}]")
    for i, modifier in enumerate(file.modifier):
        yield partial(check_modifier, file, modifier, f"modifier[{i}]")
    for key in file.option:
        yield partial(check_option, file, key)
    for field, rule in rules_of_options(file):
        yield partial(_rule_of_option, file, rule, field)
    yield partial(_losses, file)


def _rule_of_option(file: GameFile, rule: Support | Modifier, field: str) -> None:
    if "side" in rule.model_fields_set:
        raise Refusal(f"{field}.side", "is not allowed in an option; it is the side that has the option")
    if isinstance(rule, Support):
        _support(file, rule, field)
    else:
        check_modifier(file, rule, field)


def _condition(file: GameFile, key: str) -> None:
    field, condition = f"condition.{key}", file.condition[key]
    check_name(key, field, UNDERSCORED, "a condition")
    choices = condition.choices
    if choices and len(set(choices)) < len(choices):
        raise Refusal(f"{field}.choices", "a name stands there twice; give 2 or more different names")
    allowed: Sequence[object] = choices or [True, False]
    if condition.default is not None:
        _check_value(condition.default, allowed, f"{field}.default")


def _check_value(value: object, allowed: Sequence[object], field: str) -> None:
    if not any(type(value) is type(one) and value == one for one in allowed):
        said = text_of(value) if isinstance(value, bool) else repr(value)
        raise Refusal(field, f"{said} is not allowed; must be one of {', '.join(written([*allowed]))}")


def _kind(file: GameFile, key: str) -> None:
    kind = file.battle[key]
    check_name(key, f"battle.{key}", HYPHENED, "a battle kind")
    check_selector(file, kind.taken_by, f"battle.{key}.taken_by")
    check_selector(file, kind.yields, f"battle.{key}.yields")
    for side in SIDES:
        field = f"battle.{key}.{side}"
        part = getattr(kind, side)
        check_selector(file, part.fights, f"{field}.fights")
        check_selector(file, part.supports, f"{field}.supports")
        fights, supports = part_of(file, key, side)
        refuse(not fights, f"{field}.fights", "selects nobody; a side needs units that may fight")
        if both := fights & supports:
            raise Refusal(f"{field}.supports", f"{min(both)} also fights; a unit does one or the other")


def _step(file: GameFile, i: int) -> None:
    step = file.step[i]
    field = f"step[{i}]"
    if step.name in {earlier.name for earlier in file.step[:i]}:
        raise Refusal(f"{field}.name", f"{step.name!r} is given twice; each step has a name of its own")
    for j, kind in enumerate(step.battle or ()):
        if kind not in file.battle:
            raise Refusal(
                f"{field}.battle[{j}]", f"no battle kind {kind[:50]!r}; must be one of {', '.join(file.battle)}"
            )
    if step.when == "before-battle":
        for name in ("from_round", "to_round"):
            if getattr(step, name) is not None:
                raise Refusal(f"{field}.{name}", "is not allowed in a step before the battle; it has no rounds")
    refuse(step.ties != "together" and step.order != "initiative", f"{field}.ties", 'is only for order = "initiative"')
    _scope(file, step, field)
    _fire(step.fire, "fire" in step.model_fields_set, rolls_of(file), f"{field}.fire")
    for name in ("by", "hits_only", "spares"):
        check_selector(file, getattr(step, name), f"{field}.{name}")
    if step.dice_at_most is not None:
        _at_most(file, step.dice_at_most, f"{field}.dice_at_most")
    _compare(file, step, field)
    _aim(file, step, field)


def _fought(file: GameFile, key: str) -> None:
    """A kind in which no step is fought; not where a step names an unknown kind, which is refused there."""
    named = {kind for step in file.step for kind in step.battle or ()}
    if named <= file.battle.keys() and not steps_of(file, key):
        raise Refusal(f"battle.{key}", "no step is fought in this kind of battle")
    if counts_points(file, key) and file.battle[key].rounds is None:
        raise Refusal(f"battle.{key}.rounds", "is needed in a kind with a step that counts points")


def _fire(fire: Fire, given: bool, rolls: Sequence[str], field: str) -> None:
    if fire.attacker is None and fire.defender is None:
        raise Refusal(field, "is empty; give a roll for attacker, defender or both")
    for side in SIDES:
        roll = getattr(fire, side)
        if given and roll is not None:
            check_known(roll, rolls, f"{field}.{side}", "no unit has a roll")


def _aim(file: GameFile, step: Step, field: str) -> None:
    """Steps aimed at a piece: what they may check and cancel (2.6)."""
    check_each(step.checks, [*file.check], f"{field}.checks", "no check")
    if step.checks and (step.aim == "anyone" or step.compare is not None):
        why = "compare" if step.compare is not None else 'aim = "anyone"; give first, piece or kind'
        raise Refusal(f"{field}.checks", f"is not allowed with {why}")
    if step.compare is not None and step.aim in {"first", "kind"}:
        raise Refusal(f"{field}.aim", f"{step.aim} is not allowed beside compare; give anyone or piece")
    if step.cancel:
        _cancel(file, step, field)


def _cancel(file: GameFile, step: Step, field: str) -> None:
    """Hits that cancel are single hits of two front pieces."""
    refuse(step.aim != "piece", f"{field}.cancel", 'needs aim = "piece"')
    check_beside(step, {"group", "order", "compare"}, field, "cancel; such a step stands alone")
    for side in SIDES:
        for key, piece in pieces_by_name(file, side).items():
            given = piece.rolls.get(getattr(step.fire, side))
            if given and most_damage(file, given) > 1:
                raise Refusal(f"{field}.cancel", f"{getattr(step.fire, side)} of {key} has damage above 1")


def _ratio(step: Step, field: str) -> None:
    """A ratio of strengths has no other keys."""
    if step.compare is None or not step.compare.ratio:
        return
    refuse(step.aim != "piece", f"{field}.compare.ratio", 'needs aim = "piece"')
    check_beside(step.compare, step.compare.model_fields_set - {"ratio"}, f"{field}.compare", "ratio")


def _compare(file: GameFile, step: Step, field: str) -> None:
    """A step that compares dice stands alone, and its rolls have a bonus; others have none (2.6)."""
    _ratio(step, field)
    compare = step.compare
    if compare is not None:
        check_beside(step, {"group", "order", "dice_at_most"}, field, "compare; such a step stands alone")
        if step.fire.attacker is None or step.fire.defender is None:
            raise Refusal(f"{field}.fire", "compare needs a roll of both sides")
        refuse(compare.ties == "reroll" and compare.pairs != 1, f"{field}.compare.ties", "reroll needs pairs = 1")
    if step.points:
        alone = {"group", "order", "dice_at_most", "compare", "aim", "checks", "cancel"}
        check_beside(step, alone, field, "points; such a step stands alone")
    bonus = compare is not None or step.points
    for side in SIDES:
        roll = getattr(step.fire, side)
        for key, piece in pieces_by_name(file, side).items():
            given = piece.rolls.get(roll)
            if given and (isinstance(given, Roll) and given.bonus is not None) != bonus:
                need = "compare and points need a bonus" if bonus else "a bonus is for steps that compare dice"
                raise Refusal(f"{field}.fire.{side}", f"{roll} of {key}: {need}")


def _at_most(file: GameFile, limit: int | AtMost, field: str) -> None:
    if isinstance(limit, int):
        refuse(file.format < 3, field, "a number needs format = 3; give own or enemy")
        return
    refuse((limit.own is None) == (limit.enemy is None), field, "give exactly one of own, enemy")
    check_selector(file, limit.own, f"{field}.own")
    check_selector(file, limit.enemy, f"{field}.enemy")


def _groups(file: GameFile) -> None:
    """Steps of a group follow each other and are fought at the same time, in each battle kind (2.6)."""
    for kind in file.battle:
        last: dict[str, int] = {}
        fought = steps_of(file, kind)
        for place, step in enumerate(fought):
            group, field = step.group, f"step[{file.step.index(step)}]"
            if group is None:
                continue
            if group in last:
                for name in ("when", "order", "ties", "aim"):
                    if getattr(step, name) != getattr(fought[last[group]], name):
                        raise Refusal(
                            f"{field}.{name}", f"differs within group {group!r}; its steps are fought together"
                        )
                if last[group] != place - 1:
                    raise Refusal(
                        f"{field}.group", f"{group!r} began before another step; steps of a group stand together"
                    )
            last[group] = place


def _scope(file: GameFile, scope: RoundScope, field: str) -> None:
    if scope.from_round is not None and scope.to_round is not None and scope.to_round < scope.from_round:
        raise Refusal(f"{field}.to_round", f"{scope.to_round} is before from_round = {scope.from_round}")
    for name in SCOPES:
        check_selector(file, getattr(scope, name), f"{field}.{name}")
    for key, wanted in getattr(scope, "if_condition", {}).items():
        check_known(key, [*file.condition], f"{field}.if_condition.{key}", "no condition")
        allowed: Sequence[object] = file.condition[key].choices or [True, False]
        for value in wanted if isinstance(wanted, list) else [wanted]:
            _check_value(value, allowed, f"{field}.if_condition.{key}")


def _rolls_and_steps(file: GameFile, rule: Support | SideModifier, field: str) -> None:
    known = [*dict.fromkeys(["attack", "defence", *rolls_of(file)])]
    check_each(rule.rolls, known, f"{field}.rolls", "no unit has a roll")
    check_each(rule.steps or (), [step.name for step in file.step], f"{field}.steps", "no step")


def _support(file: GameFile, support: Support, field: str) -> None:
    _scope(file, support, field)
    check_selector(file, support.from_, f"{field}.from")
    check_selector(file, support.to, f"{field}.to")
    both = selected(file, support.from_) & selected(file, support.to)
    if both and support.whom == "own" and file.format < 3:
        raise Refusal(f"{field}.to", f"{min(both)} is among those who help; nobody helps himself")
    _gives(file, support, field)
    _rolls_and_steps(file, support, field)


def _gives(file: GameFile, support: Support, field: str) -> None:
    """A support gives something: a value, a bonus or dice."""
    if support.sets is not None and support.whom == "enemy":
        raise Refusal(f"{field}.sets", 'is not allowed with whom = "enemy"; give adds or dice')
    given = {"sets", "adds"} & {name for name in support.model_fields_set if getattr(support, name) is not None}
    if len(given) > 1 or not (given or (file.format > 1 and "dice" in support.model_fields_set)):
        other = "; dice may stand alone" if file.format > 1 else ""
        raise Refusal(f"{field}.sets", f"give exactly one of sets, adds{other}")
    if support.sets is not None:
        check_face(support.sets, file.dice.sides, f"{field}.sets")


def largest_die(file: GameFile) -> int:
    """The most numbers that a die of the game has."""
    return max(file.dice.sides, *(die.sides or 0 for die in file.die.values()), 0)


def check_modifier(file: GameFile, modifier: SideModifier, field: str) -> None:
    """Refuse a modifier (of the game, or of a side of a scenario)."""
    _scope(file, modifier, field)
    check_selector(file, modifier.units, f"{field}.units")
    if not modifier.model_fields_set & {"adds", "dice", "reroll"}:
        raise Refusal(field, "gives nothing; give at least one of adds, dice, reroll")
    if isinstance(modifier, SideModifier3) and modifier.checks is not None:
        check_each(modifier.checks, [*file.check], f"{field}.checks", "no check")
        check_beside(modifier, {"rolls", "dice", "at_most"}, field, "checks, of which it changes the throws")
    if isinstance(modifier, SideModifier3) and modifier.at_most is not None:
        _limited(file, modifier, modifier.at_most, f"{field}.at_most")
    if not isinstance(modifier.reroll, str):
        for i, face in enumerate(modifier.reroll):
            check_face(face, largest_die(file), f"{field}.reroll[{i}]")
    _rolls_and_steps(file, modifier, field)


def _limited(file: GameFile, modifier: SideModifier3, limit: int | AtMost, field: str) -> None:
    """A modifier for a number of pieces, or of misses."""
    if not isinstance(modifier.reroll, str):
        raise Refusal(field, "is not allowed beside a list of faces; a number of misses may be rolled again")
    if modifier.reroll != "none" and (modifier.adds or modifier.dice):
        raise Refusal(field, "is for reroll, or for adds and dice; give two modifiers")
    _at_most(file, limit, field)


def check_order(order: str | list[str], units: Sequence[str], field: str, what: str) -> None:
    """Refuse a loss order with an unknown unit, or with one twice."""
    if isinstance(order, str):
        return
    for i, unit in enumerate(order):
        check_known(unit, units, f"{field}[{i}]", what)
        refuse(unit in order[:i], f"{field}[{i}]", f"{unit!r} stands there twice")


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
