"""Interception of a moving stack (docs/rules/europa_naval_and_other.md section 5)."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from simulator.engine.model.plain import Following, PlainBattle
from simulator.rules.battle import ATTACKER, DEFENDER, Built, Fields
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.fields import Procedure
from simulator.rules.europa.shared.modifiers import Bonus
from simulator.rules.europa.shared.procedure import D10, why
from simulator.rules.toolkit.naming import text_of
from simulator.rules.toolkit.plain import built
from simulator.rules.toolkit.policies import refuse

SUCCESS, GAP = 8, 6
# Fields of an interceptor that bear on one place only, and conditions that bear on land only.
SEA_ONLY = ("technology", "blockading", "same_zone", "landing_nearby", "in_port")
LAND_ONLY = ("same_province", "river_or_pass", "from_swamp_or_flooded", "besieging")
LAND_CONDITIONS = (
    "friendly_force_or_city", "target_swamp", "other_enemy_force", "counter_friendly_force_or_city",
    "counter_other_enemy_force",
)  # fmt: skip


class SeaInterceptor(Fields):
    """A fleet that may intercept."""

    technology: common.NavalTechnology = Field("nao-galleon", description="naval technology")
    technology_gap: Annotated[int, Field(ge=0, le=10)] = Field(0, description="levels ahead of the moving stack")
    blockading: bool = Field(False, description="blockades a port")
    same_zone: bool = Field(False, description="at sea in the same zone")
    landing_nearby: bool = Field(False, description="a landing is announced near it")
    in_port: bool = Field(False, description="in a port that is no arsenal")


class Interceptor(SeaInterceptor):
    """A stack that may intercept, at sea or on land."""

    page = "manoeuvre, technology"
    manoeuvre: common.Value = Field(0, description="manoeuvre of the leader; 0 = no leader")
    same_province: bool = Field(False, description="land: in the same province")
    river_or_pass: bool = Field(False, description="land: across a river or a pass")
    from_swamp_or_flooded: bool = Field(False, description="land: comes from a swamp or flooded province")
    besieging: bool = Field(False, description="land: besieges a fortress")
    automatic: bool = Field(False, description="needs no roll")


class Interceptors(Interceptor):
    """One interceptor, or several."""

    page = "manoeuvre, technology, interceptors"
    interceptors: Annotated[list[Interceptor], Field(max_length=6)] = Field(
        default_factory=list, description="several interceptors in place of the fields here"
    )


class Moving(Fields):
    """The stack that moves."""

    manoeuvre: common.Value = Field(0, description="manoeuvre of the leader; 0 = no leader")
    counter_interceptors: Annotated[list[Interceptor], Field(max_length=6)] = Field(
        default_factory=list, description="land: stacks that come to help"
    )


class InterceptionConditions(Fields):
    """The place and its conditions."""

    where: Literal["sea", "land"] = Field("sea", description="at sea or on land")
    bad_weather: bool = Field(False, description="bad weather")
    automatic: bool = Field(False, description="no roll: a forced battle, or an attack on a blockading fleet")
    friendly_force_or_city: bool = Field(False, description="land: a friendly force or city in the target")
    target_swamp: bool = Field(False, description="land: the target is a swamp")
    other_enemy_force: bool = Field(False, description="land: another unbesieged enemy force there")
    counter_friendly_force_or_city: bool = Field(False, description="the same for counter-interceptors")
    counter_other_enemy_force: bool = Field(False, description="the same for counter-interceptors")


class Interception(Procedure[Literal["interception"], Interceptors, Moving, InterceptionConditions]):
    """Interception of a moving stack."""


def check_interception(fields: Interception) -> None:
    """Refuse what types cannot; raises Refusal."""
    common.check_tables(fields)
    sea, helpers = fields.conditions.where == "sea", fields.defender.counter_interceptors
    text = "not allowed at sea; only with conditions.where land"
    refuse(sea and helpers, "defender.counter_interceptors", text)
    tables: dict[str, Fields] = {"attacker": fields.attacker}
    tables |= {f"attacker.interceptors[{i}]": one for i, one in enumerate(fields.attacker.interceptors)}
    tables |= {f"defender.counter_interceptors[{i}]": one for i, one in enumerate(helpers)}
    of_other_place = dict.fromkeys(tables, LAND_ONLY if sea else SEA_ONLY)
    if sea:
        tables["conditions"], of_other_place["conditions"] = fields.conditions, LAND_CONDITIONS
    place, other = ("at sea", "on land") if sea else ("on land", "at sea")
    for path, names in of_other_place.items():
        table = tables[path]
        for name in names:
            value = getattr(table, name)
            text = f"{text_of(value)} is not allowed {place}; only {other}"
            refuse(value != type(table).model_fields[name].default, f"{path}.{name}", text)
    check_alone(fields.attacker)


def check_alone(attacker: Interceptors) -> None:
    """Refuse the fields of one interceptor beside a list of several, which they would not change. Raises Refusal."""
    for name, field in Interceptor.model_fields.items() if attacker.interceptors else ():
        value = getattr(attacker, name)
        text = f"{text_of(value)} is not allowed together with interceptors; give it in their list"
        refuse(value != field.default, f"attacker.{name}", text)


def succeeds(die: int, modified: int) -> bool:
    """Modified 8 or more, or a natural 10."""
    return die == 10 or modified >= SUCCESS


def at_sea(own: SeaInterceptor, manoeuvre: int, enemy: int, bad_weather: bool) -> list[Bonus]:
    """Modifiers of an interception at sea: of the last ones only the highest that applies."""
    large = not own.in_port and own.technology in {"three-decker", "seventy-four"}
    places = (
        (large, 1, f"{own.technology} at sea"),
        (own.same_zone, 1, "same zone"),
        (own.landing_nearby, 2, "landing announced nearby"),
        (own.in_port, -3, "in a port that is no arsenal"),
    )
    applying = sorted(Bonus(value, reason) for applies, value, reason in places if applies)
    return [
        Bonus(manoeuvre - enemy, "difference of manoeuvre"),
        Bonus(int(own.technology_gap >= GAP), f"technology {GAP} or more ahead"),
        Bonus(-2 * bad_weather, "bad weather"),
        Bonus(-int(own.blockading), "blockading"),
        *applying[-1:],
    ]


def on_land(own: Interceptor, enemy: int, conditions: InterceptionConditions, counter: bool = False) -> list[Bonus]:
    """Modifiers of an interception on land."""
    prefix = "counter_" if counter else ""
    friend = getattr(conditions, f"{prefix}friendly_force_or_city")
    foe = getattr(conditions, f"{prefix}other_enemy_force")
    return [
        Bonus(own.manoeuvre - enemy, "difference of manoeuvre"),
        Bonus(int(own.technology_gap >= GAP), f"technology {GAP} or more ahead"),
        Bonus(int(own.same_province), "same province"),
        Bonus(int(friend), "friendly force or city"),
        Bonus(-int(conditions.target_swamp), "the target is a swamp"),
        Bonus(-int(own.from_swamp_or_flooded), "from a swamp or flooded province"),
        Bonus(-2 * conditions.bad_weather, "bad weather"),
        Bonus(-2 * own.river_or_pass, "across a river or pass"),
        Bonus(-2 * foe, "another enemy force"),
        Bonus(-int(own.besieging), "besieging"),
    ]


class Attempts(NamedTuple):
    """The numbers that have tried and arrived so far, on both sides, and the best manoeuvre among the interceptors."""

    tried: int = 0
    arrived: int = 0
    best: int = 0
    joined: int = 0


def columns(state: Attempts) -> dict[str, object]:
    """A row of the outcome."""
    return {
        "winner": ATTACKER if state.arrived else DEFENDER,
        "intercepted": state.arrived > 0,
        "interceptors_arrived": state.arrived,
        "counter_interceptors_arrived": state.joined,
    }


def build_interception(fields: Interception) -> Built:
    """Everything that answers an interception: the interceptors one by one, then those who come to help."""
    conditions, enemy = fields.conditions, fields.defender.manoeuvre
    interceptors, helpers = fields.attacker.interceptors or [fields.attacker], fields.defender.counter_interceptors
    stacks: list[Interceptor] = [*interceptors, *helpers]
    counted = [("Interceptor", interceptors), ("Counter-interceptor", helpers)]
    names = [f"{name} {number}" for name, those in counted for number in range(1, len(those) + 1)]

    def modifiers(number: int, best: int) -> list[Bonus]:
        if conditions.where == "sea":
            return at_sea(stacks[number], stacks[number].manoeuvre, enemy, conditions.bad_weather)
        helps = number >= len(interceptors)
        return on_land(stacks[number], best if helps else enemy, conditions, helps)

    def follow(state: Attempts) -> Following:
        number, helps = state.tried, state.tried >= len(interceptors)
        if number == len(stacks) or (helps and not state.arrived):
            return None
        own = stacks[number]
        sure = own.automatic or (conditions.automatic and not helps)

        def after(die: int, modified: int) -> Attempts:
            comes, tried = sure or succeeds(die, modified), state._replace(tried=number + 1)
            if helps or not comes:
                return tried._replace(joined=state.joined + comes)
            return tried._replace(arrived=state.arrived + 1, best=max(state.best, own.manoeuvre))

        def line(shown: str, then: Attempts) -> str:
            comes = then.arrived + then.joined > state.arrived + state.joined
            ends = ("comes to help" if helps else "intercepts") if comes else "does not come"
            return f"{names[number]} needs no roll." if sure else f"{names[number]}: {shown}: {ends}."

        return D10(names[number], "5", modifiers(number, state.best), after, line)

    # The manoeuvre that a helper is compared with is not known yet.
    known = [modifiers(number, 0)[int(number >= len(interceptors)) :] for number in range(len(stacks))]
    lines = [line for name, listed in zip(names, known, strict=True) for line in why(name.lower(), "5", listed)]
    assumption = f"interception at {conditions.where}: modified {SUCCESS} or a natural 10"
    return built(PlainBattle(Attempts(), follow), columns, [assumption], lines)
