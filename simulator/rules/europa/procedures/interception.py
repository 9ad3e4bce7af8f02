"""Interception of a moving stack (docs/rules/europa_naval_and_other.md section 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from simulator.rules.battle import ATTACKER, DEFENDER, Built, Fields, FrameOf, Refusal, offered
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.modifiers import Bonus
from simulator.rules.europa.shared.procedure import Following, Roll, built, why

SUCCESS, GAP = 8, 6


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

    manoeuvre: common.Value = Field(0, description="manoeuvre of the leader; 0 = no leader")
    same_province: bool = Field(False, description="land: in the same province")
    river_or_pass: bool = Field(False, description="land: across a river or a pass")
    from_swamp_or_flooded: bool = Field(False, description="land: comes from a swamp or flooded province")
    besieging: bool = Field(False, description="land: besieges a fortress")
    automatic: bool = Field(False, description="needs no roll")


class Interceptors(Interceptor):
    """One interceptor, or several."""

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
    """Where, and what bears on it."""

    where: Literal["sea", "land"] = Field("sea", description="at sea or on land")
    bad_weather: bool = Field(False, description="bad weather")
    automatic: bool = Field(False, description="no roll: a forced battle, or an attack on a blockading fleet")
    friendly_force_or_city: bool = Field(False, description="land: a friendly force or city in the target")
    target_swamp: bool = Field(False, description="land: the target is a swamp")
    other_enemy_force: bool = Field(False, description="land: another unbesieged enemy force there")
    counter_friendly_force_or_city: bool = Field(False, description="the same for counter-interceptors")
    counter_other_enemy_force: bool = Field(False, description="the same for counter-interceptors")


class Interception(FrameOf[Interceptors, Moving, InterceptionConditions, common.NoPolicies, common.TableOptions]):
    """Interception of a moving stack."""

    game: Literal["europa"]
    battle: Literal["interception"]


# Fields of an interceptor that bear on one place only, and conditions that bear on land only.
SEA_ONLY = ("technology", "blockading", "same_zone", "landing_nearby", "in_port")
LAND_ONLY = ("same_province", "river_or_pass", "from_swamp_or_flooded", "besieging")
LAND_CONDITIONS = (
    "friendly_force_or_city", "target_swamp", "other_enemy_force", "counter_friendly_force_or_city",
    "counter_other_enemy_force",
)  # fmt: skip


def check_interception(fields: Interception) -> None:
    """Refuse what types cannot; raises Refusal."""
    common.check_tables(fields)
    sea, helpers = fields.conditions.where == "sea", fields.defender.counter_interceptors
    if sea and helpers:
        raise Refusal("defender.counter_interceptors", "not allowed at sea; only with conditions.where land")
    stacks: dict[str, Interceptor] = {"attacker": fields.attacker}
    stacks |= {f"attacker.interceptors[{i}]": one for i, one in enumerate(fields.attacker.interceptors)}
    stacks |= {f"defender.counter_interceptors[{i}]": one for i, one in enumerate(helpers)}
    for path, stack in stacks.items():
        _refuse_of_other_place(stack, path, LAND_ONLY if sea else SEA_ONLY, sea)
    if sea:
        _refuse_of_other_place(fields.conditions, "conditions", LAND_CONDITIONS, sea)


def _refuse_of_other_place(table: Fields, path: str, names: tuple[str, ...], sea: bool) -> None:
    """Refuse fields of the other place that are not at their default; raises Refusal."""
    for name in names:
        value = getattr(table, name)
        if value != type(table).model_fields[name].default:
            place, other = ("at sea", "on land") if sea else ("on land", "at sea")
            raise Refusal(f"{path}.{name}", f"{str(value).lower()} is not allowed {place}; only {other}")


def intercepts(die: int, modified: int) -> bool:
    """Modified 8 or more, or a natural 10."""
    return die == 10 or modified >= SUCCESS


def at_sea(own: SeaInterceptor, manoeuvre: int, enemy: int, bad_weather: bool) -> list[Bonus]:
    """Modifiers of an interception at sea: of the last ones only the highest that applies."""
    places = []
    if not own.in_port and own.technology in {"three-decker", "seventy-four"}:
        places.append(Bonus(1, f"{own.technology} at sea"))
    if own.same_zone:
        places.append(Bonus(1, "same zone"))
    if own.landing_nearby:
        places.append(Bonus(2, "landing announced nearby"))
    if own.in_port:
        places.append(Bonus(-3, "in a port that is no arsenal"))
    return [
        Bonus(manoeuvre - enemy, "difference of manoeuvre"),
        Bonus(int(own.technology_gap >= GAP), f"technology {GAP} or more ahead"),
        Bonus(-2 * bad_weather, "bad weather"),
        Bonus(-int(own.blockading), "blockading"),
        *([max(places)] if places else []),
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
    """How many have tried and arrived so far, on both sides, and the best manoeuvre among the interceptors."""

    tried: int = 0
    arrived: int = 0
    best: int = 0
    countered: int = 0
    joined: int = 0


def attempt(
    name: str, modifiers: list[Bonus], sure: bool, after: Callable[[bool], Attempts], success: Callable[[Attempts], str]
) -> Roll:
    """The roll of one stack: `after(arrived)` is the state then, `success(after)` "" where it does not come."""

    def line(shown: str, state: Attempts) -> str:
        return f"{name} needs no roll." if sure else f"{name}: {shown}: {success(state) or 'does not come'}."

    return Roll(name, "5", modifiers, lambda die, modified: after(sure or intercepts(die, modified)), line)


def columns(state: Attempts) -> dict[str, object]:
    """A row of the outcome."""
    return {
        "winner": ATTACKER if state.arrived else DEFENDER,
        "intercepted": state.arrived > 0,
        "interceptors_arrived": state.arrived,
        "counter_interceptors_arrived": state.joined,
    }


def build_interception(fields: Interception) -> Built:
    """Everything that answers an interception."""
    conditions, enemy = fields.conditions, fields.defender.manoeuvre
    interceptors, helpers = fields.attacker.interceptors or [fields.attacker], fields.defender.counter_interceptors

    def modifiers(own: Interceptor) -> list[Bonus]:
        if conditions.where == "sea":
            return at_sea(own, own.manoeuvre, enemy, conditions.bad_weather)
        return on_land(own, enemy, conditions)

    def interceptor(state: Attempts) -> Roll:
        own, number = interceptors[state.tried], state.tried + 1

        def after(arrived: bool) -> Attempts:
            best = max(state.best, own.manoeuvre) if arrived else state.best
            return state._replace(tried=number, arrived=state.arrived + arrived, best=best)

        sure = own.automatic or conditions.automatic
        return attempt(
            f"Interceptor {number}", modifiers(own), sure, after, lambda s: "intercepts" * (s.arrived > state.arrived)
        )

    def helper(state: Attempts) -> Roll:
        own, number = helpers[state.countered], state.countered + 1
        return attempt(
            f"Counter-interceptor {number}",
            on_land(own, state.best, conditions, True),
            own.automatic,
            lambda arrived: state._replace(countered=number, joined=state.joined + arrived),
            lambda s: "comes to help" * (s.joined > state.joined),
        )

    def follow(state: Attempts) -> Following:
        if state.tried < len(interceptors):
            return interceptor(state)
        return helper(state) if state.arrived and state.countered < len(helpers) else None

    lines = [line for n, own in enumerate(interceptors, 1) for line in why(f"interceptor {n}", "5", modifiers(own))]
    for number, own in enumerate(helpers, 1):
        lines += why(f"counter-interceptor {number}", "5", on_land(own, 0, conditions, True)[1:])
    assumption = f"interception at {conditions.where}: modified {SUCCESS} or a natural 10"
    return built(Attempts(), follow, columns, [assumption], lines)


INTERCEPTION = offered(
    Interception,
    check=check_interception,
    build=build_interception,
    version=2,
    results={"it is intercepted": "intercepted", "it moves on": "not intercepted"},
    headline=("interceptors_arrived", "counter_interceptors_arrived"),
)
