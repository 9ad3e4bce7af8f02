"""What a scenario on land may not be (docs/rules/europa_land_siege.md sections 3.8, 4.8 and 5)."""

from __future__ import annotations

from typing import Any

from simulator.rules.battle import Refusal
from simulator.rules.europa.meeting import OVERRUN, is_non_european
from simulator.rules.europa.stacks import LD, SIDES, TURKISH, size_of, stack_of
from simulator.rules.europa.tables import book

MOST_LD = 8
FORAGERS = ("musket", "baroque", "manoeuvre")


def check_land(fields: Any) -> None:
    """Refuse what types cannot; raises Refusal."""
    for number, name in enumerate(SIDES):
        side = getattr(fields, name)
        _side(fields, name)
        if side.pasha_detachments and side.country not in TURKISH:
            raise Refusal(
                f"{name}.pasha_detachments",
                f"{side.pasha_detachments} is not allowed with country {side.country}; only with {', '.join(TURKISH)}",
            )
        if size_of(side) == 0:
            raise Refusal(name, "give at least one detachment")
        if not is_non_european(fields, number):
            _at_most_eight(side, name, "; only a non_european stack may be larger")
    if fields.attacker.foraging and fields.attacker.technology not in FORAGERS:
        raise Refusal(
            "attacker.foraging",
            f"true is not allowed with technology {fields.attacker.technology}; only with {', '.join(FORAGERS)}",
        )
    _overruns(fields)
    _leaders_and_tables(fields)


def check_siege(fields: Any) -> None:
    """Refuse what types cannot; raises Refusal."""
    for name in SIDES:
        _side(fields, name)
    if size_of(fields.attacker) == 0:
        raise Refusal("attacker", "give at least one detachment")
    _at_most_eight(fields.attacker, "attacker")
    _fortress(fields)
    conditions = fields.conditions
    if conditions.siegeworks_minus + conditions.siegeworks_plus > 2:
        raise Refusal("conditions.siegeworks_minus", "a fortress holds at most two siegeworks, - and + together")
    if getattr(conditions, "rounds", 0) and conditions.start_round:
        raise Refusal("conditions.rounds", "give rounds or start_round, not both")
    _leaders_and_tables(fields)


def _side(fields: Any, name: str) -> None:
    side = getattr(fields, name)
    if side.exploration_detachments and fields.conditions.region == "europe":
        raise Refusal(
            f"{name}.exploration_detachments",
            f"{side.exploration_detachments} is not allowed in Europe; only with conditions.region rotw",
        )
    if getattr(side, "army_class", "") and side.country != "minor":
        raise Refusal(
            f"{name}.army_class",
            f"{side.army_class!r} is not allowed with country {side.country}; only with country minor",
        )
    if side.tercios and side.technology == "medieval":
        raise Refusal(f"{name}.tercios", "true is not allowed with technology medieval; renaissance or better")


def _at_most_eight(side: Any, name: str, unless: str = "") -> None:
    detachments = 4 * side.army_plus + 2 * side.army_minus + side.land_detachments
    if detachments > MOST_LD:
        raise Refusal(name, f"a stack of {detachments} LD is not allowed; at most {MOST_LD} LD{unless}")


def _overruns(fields: Any) -> None:
    declared = [name for name in SIDES if getattr(fields.policy, name).overrun == "declare"]
    if fields.policy.defender.evasion == "evade":
        for given, text in ((fields.conditions.interception, "in an interception"), (declared, "with an overrun")):
            if given:
                raise Refusal("policy.defender.evasion", f"'evade' is not allowed {text}; must be stand")
    for name in declared:
        own = size_of(getattr(fields, name))
        enemy = size_of(getattr(fields, SIDES[1 - SIDES.index(name)]))
        if own < OVERRUN * enemy:
            raise Refusal(
                f"policy.{name}.overrun",
                f"'declare' is not allowed with {own / LD:g} LD against {enemy / LD:g}; needs {OVERRUN} to 1",
            )


def _fortress(fields: Any) -> None:
    defender, conditions = fields.defender, fields.conditions
    europe = conditions.region == "europe"
    if europe and defender.fortress_level == 0:
        raise Refusal("defender.fortress_level", "0 (a fort) is not allowed in Europe; 1 to 5")
    if europe and conditions.city:
        raise Refusal("conditions.city", "true is not allowed in Europe; only with conditions.region rotw")
    room = max(1, defender.fortress_level)
    if size_of(defender) > LD * room:
        raise Refusal(
            "defender",
            f"a garrison of {size_of(defender) / LD:g} LD is not allowed; level {defender.fortress_level} holds {room}",
        )


def _leaders_and_tables(fields: Any) -> None:
    tables = book(fields.options.tables)
    for name in SIDES:
        stack_of(fields, name, tables)
