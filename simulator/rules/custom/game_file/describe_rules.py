"""Supports, modifiers, conditions and losses of a game file as understood, and rules that can never apply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from simulator.engine.model.chain import ENEMY, SIDES
from simulator.rules.custom.game_file.format import (
    AtMost,
    GameFile,
    Modifier,
    Roll,
    RoundScope,
    SideModifier,
    SideModifier3,
    Step,
    Support,
)
from simulator.rules.custom.game_file.keys import Selector
from simulator.rules.custom.game_file.options import rules_of_options, with_options
from simulator.rules.custom.game_file.units import MAIN, die_named, has_symbols, pieces_by_name
from simulator.rules.custom.game_file.words import SCOPES, by_side, part_of, presence, rounds, selected, written
from simulator.rules.custom.model import usual
from simulator.rules.toolkit.naming import listed

# A round that no battle comes to.
NO_LIMIT = 1 << 20


def rule_rows(file: GameFile) -> Iterator[tuple[str, str, str, str]]:
    """Rule, what it gives to whom, on which side, under which conditions: supports first, then modifiers."""
    for support in file.support:
        each = f" (each helps {support.each})" if support.each > 1 else ""
        whom = "enemy " if support.whom == "enemy" else ""
        gives = f"{listed(support.from_)}{each}: {_gifts(support)} for {whom}{listed(support.to)}"
        stack = [f"stack {support.stack}: each unit once"] if support.stack else []
        yield support.name or "support", gives, support.side, "; ".join([*stack, *_when(support)])
    for modifier in file.modifier:
        units = "all units" if modifier.units is None else listed(modifier.units)
        whom = "enemy " if modifier.whom == "enemy" else ""
        if modifier.checks is not None:
            units = f"{units}, throws of {listed(modifier.checks)}"
        gives = f"{_gifts(modifier)} for {whom}{units}{_limited(modifier.at_most)}"
        yield modifier.name or "modifier", gives, modifier.side, "; ".join(_when(modifier))


def _limited(limit: int | AtMost | None) -> str:
    """The limit of a modifier."""
    if limit is None:
        return ""
    if isinstance(limit, int):
        return f", at most {limit}"
    whose, units = ("own", limit.own) if limit.own is not None else ("enemy", limit.enemy or [])
    each = f"{limit.each} for each of " if limit.each > 1 else ""
    return f", at most {each}{whose} {listed(units)}" + ("" if limit.most is None else f", no more than {limit.most}")


def _gifts(rule: Support | SideModifier) -> str:
    gifts = [f"value {rule.sets}"] if isinstance(rule, Support) and rule.sets is not None else []
    gifts += [f"{rule.adds:+d}"] if rule.adds else []
    gifts += [f"{rule.dice:+d} dice"] if rule.dice else []
    if isinstance(rule, SideModifier) and rule.reroll != "none":
        again = rule.reroll if isinstance(rule.reroll, str) else listed([str(face) for face in rule.reroll])
        gifts.append(f"reroll {again}")
    return listed(gifts) if gifts else "nothing"


def _when(rule: Support | Modifier) -> list[str]:
    parts = [f"rolls {listed(rule.rolls)}"] if rule.rolls != ["attack", "defence"] else []
    parts += [f"steps {listed(rule.steps)}"] if rule.steps is not None else []
    if rule.from_round or rule.to_round:
        parts.append(rounds(rule.from_round, rule.to_round))
    return parts + presence(rule)


def option_rows(file: GameFile) -> Iterator[tuple[str, str, str, str]]:
    """Option, its group, what it needs, and what it is or changes."""
    for key, option in file.option.items():
        changes = [f"{unit}: {', '.join(sorted(values.model_fields_set))}" for unit, values in option.unit.items()]
        changes += [f"{_gifts(rule)} from {rule.name or 'a support'}" for rule in option.support]
        changes += [f"{_gifts(rule)} from {rule.name or 'a modifier'}" for rule in option.modifier]
        yield (
            key,
            option.group or "",
            ", ".join(option.needs),
            "\n".join(filter(None, [option.about or option.name, *changes])),
        )


def condition_rows(file: GameFile) -> Iterator[tuple[str, str, str, str]]:
    """Condition, its values, the default, what it is."""
    for key, condition in file.condition.items():
        values = condition.choices or ["true", "false"]
        yield key, ", ".join(values), written(usual(condition))[0], condition.about


def loss_rows(file: GameFile) -> Iterator[tuple[str, str, str, str]]:
    """Side, the order in which its units are lost, those that are lost last, those that are removed when alone."""
    losses = file.losses
    for side in SIDES:
        order = by_side(losses.order, side)
        text = order if isinstance(order, str) else ", ".join(order)
        chosen = ", ordered by the enemy" if by_side(losses.chosen_by, side) == "enemy" else ""
        yield side, text + chosen, ", ".join(by_side(losses.last, side)), ", ".join(by_side(losses.removed_alone, side))


def warnings(file: GameFile) -> list[str]:
    """Rules that can never apply, or that are not what they seem, each with its key: lines of text."""
    rules = [(f"{name}[{i}]", rule) for name in ("support", "modifier") for i, rule in enumerate(getattr(file, name))]
    rules += rules_of_options(file)
    # Options may give the rolls that a step fires: as if all of them were on.
    file = with_options(file, (*file.option,), (*file.option,))
    found = [line for i, step in enumerate(file.step) for line in _idle_step(file, step, f"step[{i}]")]
    found += [line for i, step in enumerate(file.step) for line in _duel(file, step, f"step[{i}]")]
    for field, rule in rules:
        found += _idle_rule(file, rule, field, rule.to if isinstance(rule, Support) else rule.units)
        if isinstance(rule, Support) and not selected(file, rule.from_) & _taking_part(file, rule.side):
            found.append(f"{field}.from: no battle admits {listed(rule.from_, 'or')} on that side")
    read = {key for rule in (*file.step, *file.support, *file.modifier) for key in rule.if_condition}
    thrown = {name for step in file.step for name in step.checks}
    found += [f"check.{name}: no step throws it" for name in file.check if name not in thrown]
    found += [f"condition.{key}: no step, support or modifier reads it" for key in file.condition if key not in read]
    admitted = _taking_part(file, "both")
    found += [f"unit.{key}: no battle admits it" for key in file.unit if key not in admitted]
    return found + [f"unit.{key}: it has no roll: it never fires" for key in _idle_units(file) if key in admitted]


def _idle_units(file: GameFile) -> list[str]:
    """Units without a roll that neither help others, nor are counted, nor are removed when left alone (transports)."""
    of_use = {key for support in file.support for key in selected(file, support.from_)}
    of_use |= {key for units in _counted(file) for key in selected(file, units)}
    of_use |= {key for side in SIDES for key in selected(file, by_side(file.losses.removed_alone, side))}
    for side in SIDES:
        of_use |= {key for key, piece in pieces_by_name(file, side).items() if piece.rolls or piece.absorbs}
    return [key for key in file.unit if key not in of_use]


def _counted(file: GameFile) -> Iterator[Selector]:
    """Selectors of units whose presence or number a rule asks for, of the game and of all its options."""
    for rule in (*file.step, *file.support, *file.modifier, *(rule for _, rule in rules_of_options(file))):
        yield from (units for key in SCOPES if (units := getattr(rule, key)) is not None)
        for limit in (getattr(rule, "at_most", None), getattr(rule, "dice_at_most", None)):
            if isinstance(limit, AtMost):
                yield from (units for units in (limit.own, limit.enemy) if units is not None)


def _duel(file: GameFile, step: Step, field: str) -> Iterator[str]:
    """One die a side of several unlike units: the strongest rolls, and the loss order says who falls."""
    if step.compare is None or step.aim == "piece":
        return
    for side in SIDES:
        roll, most = getattr(step.fire, side), getattr(step.compare.most, side)
        pieces = pieces_by_name(file, side)
        able = selected(file, step.by) if step.by is not None else set(pieces)
        rolls = {str(pieces[key].rolls[roll]) for key in able if roll in pieces[key].rolls}
        if most == 1 and len(rolls) > 1:
            yield (
                f"{field} ({step.name}): compare.most.{side} = 1: the strongest unit rolls, and the first of the "
                "loss order falls; it is no duel of front units"
            )


def _taking_part(file: GameFile, side: str) -> set[str]:
    """Units that some battle kind admits on a side (both: on either), those that only support among them."""
    sides = SIDES if side == "both" else (side,)
    return set[str]().union(*(part for kind in file.battle for one in sides for part in part_of(file, kind, one)))


def _idle_step(file: GameFile, step: Step, field: str) -> Iterator[str]:
    """A step that nobody can fire, or that can hit nobody, in any battle kind."""
    kinds = step.battle if step.battle is not None else [*file.battle]
    by, only = (set(file.unit) if units is None else selected(file, units) for units in (step.by, step.hits_only))
    able, aims = set[str](), set[str]()
    for kind, side in product(kinds, SIDES):
        if (roll := getattr(step.fire, side)) is not None:
            fights, supports = part_of(file, kind, side)
            # A roll of value 0 counts: a scenario's rules may raise it.
            rolling = {key for key, piece in pieces_by_name(file, side).items() if roll in piece.rolls}
            able |= rolling & by & (fights if roll in MAIN else fights | supports)
            aims |= part_of(file, kind, ENEMY[side])[0] & only - selected(file, step.spares)
    if not able:
        yield f"{field} ({step.name}): nobody in its battles can fire it"
    elif not aims:
        yield f"{field} ({step.name}): it can hit nobody in its battles"
    elif (step.from_round or 1) > (last := _last_round(file, step)):
        yield f"{field}.from_round: {step.from_round} is past the {last} rounds of its battles"


def _idle_rule(file: GameFile, rule: Support | Modifier, field: str, units: Selector | None) -> Iterator[str]:
    """A support or modifier whose rolls are never fired, or whose units have none of them or are in no battle."""
    sides: tuple[str, ...] = SIDES if rule.side == "both" else (rule.side,)
    if rule.whom == "enemy":
        sides = tuple(ENEMY[side] for side in sides)
    steps = [step for step in file.step if rule.steps is None or step.name in rule.steps]
    if (checks := getattr(rule, "checks", None)) is not None:
        if not any(name in step.checks for step in steps for name in checks):
            yield f"{field}.checks: {listed([step.name for step in steps], 'or')} throws no {listed(checks, 'or')}"
        return
    fired = {(side, roll) for step in steps for side in sides if (roll := getattr(step.fire, side)) in rule.rolls}
    where = f" in {listed(rule.steps)}" if rule.steps is not None else ""
    if not fired:
        yield f"{field}.rolls: the {listed(sides, 'or')} fires no {listed(rule.rolls, 'or')}{where}"
        return
    wanted = set(file.unit) if units is None else selected(file, units)
    able = [
        (key, piece.rolls[roll])
        for side, roll in fired
        for key, piece in pieces_by_name(file, side).items()
        if key in wanted and roll in piece.rolls and key in _taking_part(file, side)
    ]
    if not able:
        name = "to" if isinstance(rule, Support) else "units"
        yield f"{field}.{name}: no battle admits units among these with a roll of {listed(rule.rolls, 'or')}{where}"
    elif (rule.adds or getattr(rule, "sets", None)) and all(
        isinstance(roll, Roll) and has_symbols(die_named(file, roll.die)) for _, roll in able
    ):
        name = "adds" if rule.adds else "sets"
        yield f"{field}.{name}: every die that it changes has symbols, which have no value"
    if isinstance(rule, SideModifier3) and rule.reroll != "none":
        firing = [step for step in steps if any((side, getattr(step.fire, side)) in fired for side in sides)]
        yield from _idle_reroll(rule, firing, field)
    if not _holds_sometimes(file, steps, rule):
        yield f"{field}: its rounds are none in which {listed([step.name for step in steps], 'or')} is fired"


def _idle_reroll(rule: SideModifier3, steps: Sequence[Step], field: str) -> Iterator[str]:
    """A reroll whose steps all compare dice or count points, or aim their dice with a limited number rolled again."""
    names = listed([step.name for step in steps], "or")
    if all(step.compare is not None or step.points for step in steps):
        yield f"{field}.reroll: no dice are rolled again where they are compared or counted ({names})"
    elif rule.at_most is not None and all(
        step.compare is not None or step.points or step.aim != "anyone" for step in steps
    ):
        yield f"{field}.at_most: limited rerolls need dice that are not aimed ({names})"


def _last_round(file: GameFile, step: Step) -> int:
    """The last round of the longest battle kind in which the step is fought."""
    kinds = [*file.battle] if step.battle is None else step.battle
    return max(file.battle[kind].rounds or NO_LIMIT for kind in kinds)


def _holds_sometimes(file: GameFile, steps: Sequence[Step], rule: RoundScope) -> bool:
    """Is one of the steps fired in a round of the rule? Steps before the battle are round 0."""
    for step in steps:
        first, last = 0, 0
        if step.when == "each-round":
            first, last = step.from_round or 1, min(step.to_round or NO_LIMIT, _last_round(file, step))
        if max(first, rule.from_round or 0) <= min(last, rule.to_round or NO_LIMIT):
            return True
    return False
