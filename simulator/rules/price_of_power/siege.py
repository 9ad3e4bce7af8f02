"""What a siege can take and at what price, without dice (rules/price_of_power.md section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Fields, Outcomes, Refusal, Run, certain
from simulator.rules.price_of_power.capacities import TAX_VALUE
from simulator.rules.price_of_power.dice import rows_of
from simulator.rules.price_of_power.fields import UnitCount

Plan = Literal["most-value", "most-provinces", "cheapest-one"]
Power = Annotated[int, Field(ge=0, le=99)]
Actions = Annotated[int, Field(ge=1, le=10)]


class Besieged(Fields):
    """A province under siege."""

    name: str = Field("", description="name of the province")
    size: Literal["small", "large"] = Field("small", description="small: tax value 1, large: 2")
    island: bool = Field(False, description="an island: needs a ship in a sea zone that its port faces")
    defensive_mentality: bool = Field(False, description="its owner has Defensive Mentality")
    unrest: bool = Field(True, description="has unrest: rebels take only such provinces")
    status: str = Field("", description="free label, e.g. occupied by France")


class Besieger(Fields):
    """Units in the area, of all categories."""

    kind: Literal["player", "rebels"] = Field("player", description="who besieges")
    infantry: UnitCount = Field(0, description="infantry")
    cavalry: UnitCount = Field(0, description="cavalry")
    artillery: UnitCount = Field(0, description="artillery")
    military_power: Power = Field(99, description="military power that may be spent in all actions together")
    ships_facing: bool = Field(False, description="an own ship lies in a sea zone that an island's port faces")


class Held(Fields):
    """The provinces of the area."""

    provinces: Annotated[list[Besieged], Field(min_length=1, max_length=8)] = Field(description="provinces besieged")


class SiegeConditions(Fields):
    """Conditions of a siege."""

    actions: Actions = Field(1, description="siege actions (turns) allowed")
    enemy_units: int = Field(0, ge=0, le=60, description="enemy units in the area; there must be none")


class SiegePolicy(Fields):
    """What the besieger is after."""

    plan: Plan = Field("most-value", description="most tax value, most provinces, or the cheapest that takes something")


class NoPolicy(Fields):
    """Nothing to decide."""


class SiegePolicies(Fields):
    """Policies of both sides."""

    attacker: SiegePolicy = Field(SiegePolicy(), description="the besieger's decisions")
    defender: NoPolicy = Field(NoPolicy(), description="nothing to decide")


class DefensiveMentality(Fields):
    """What Defensive Mentality does (ASSUMED: one more strength for each province)."""

    strength: int = Field(1, ge=0, le=20, description="more siege strength needed for each province")
    power: int = Field(0, ge=0, le=20, description="more military power for each province")


class SiegeOptions(Fields):
    """Numbers of a siege that can be changed."""

    defensive_mentality: DefensiveMentality = Field(DefensiveMentality(), description="what the idea does (ASSUMED)")


class Siege(Fields):
    """A siege."""

    game: Literal["price-of-power"]
    battle: Literal["siege"]
    attacker: Besieger = Field(description="the besieging army")
    defender: Held = Field(description="the provinces besieged")
    conditions: SiegeConditions = Field(SiegeConditions(), description="conditions of the siege")
    policy: SiegePolicies = Field(SiegePolicies(), description="what is wanted")
    options: SiegeOptions = Field(SiegeOptions(), description="numbers that can be changed")


class Army(NamedTuple):
    """Besieging units."""

    infantry: int
    cavalry: int
    artillery: int


class Place(NamedTuple):
    """A province as the plan sees it: tax value, strength needed, power beside that of the units, can it be taken."""

    value: int
    need: int
    power: int
    open: bool = True


class Terms(NamedTuple):
    """What a plan may use, and what it is after."""

    power: int
    actions: int
    plan: str


class Taken(NamedTuple):
    """A plan: the provinces taken (places in the list), their value, the power and actions it costs, and its steps.

    A step is the number of units chosen and the provinces taken with them.
    """

    provinces: tuple[int, ...] = ()
    value: int = 0
    power: int = 0
    actions: int = 0
    steps: tuple[tuple[int, tuple[int, ...]], ...] = ()


@lru_cache(maxsize=1)
def half_strengths() -> tuple[int, int, int]:
    """Twice the siege strength of infantry, cavalry and artillery (data/units.csv)."""
    rows = {row["unit"]: row["siege_strength"] for row in rows_of("units")}
    infantry, cavalry, artillery = (int(2 * float(rows[unit])) for unit in Army._fields)
    return infantry, cavalry, artillery


def strongest_first(army: Army) -> list[int]:
    """Twice the strength of each unit, the strongest first (step 2)."""
    halves = zip(half_strengths(), army, strict=True)
    return sorted((half for half, number in halves for _ in range(number)), reverse=True)


def strength(army: Army, units: int) -> int:
    """Strength of the best `units` units: the total is rounded down."""
    return sum(strongest_first(army)[:units]) // 2


def units_for(army: Army, need: int) -> int | None:
    """Fewest units, at least one, whose strength is enough; None if all are too weak."""
    so_far = 0
    for number, half in enumerate(strongest_first(army), 1):
        so_far += half
        if so_far // 2 >= need:
            return number
    return None


def best_plan(army: Army, places: Sequence[Place], terms: Terms) -> Taken:
    """The best plan over at most so many actions and so much power (step 3)."""
    order = {
        "most-value": lambda taken: (-taken.value, -len(taken.provinces), taken.power, taken.actions),
        "most-provinces": lambda taken: (-len(taken.provinces), -taken.value, taken.power, taken.actions),
        "cheapest-one": lambda taken: (not taken.provinces, taken.power, -taken.value, taken.actions),
    }[terms.plan]
    return min(plans(army, tuple(places), terms), key=order)


def plans(army: Army, places: tuple[Place, ...], terms: Terms) -> list[Taken]:
    """The least power for each set of provinces and each number of actions, as far as power allows."""
    single = {}
    for chosen in range(1, 1 << len(places)):
        step = one_action(army, places, chosen)
        if step is not None:
            single[chosen] = step
    best: dict[int, Taken] = {0: Taken()}
    found = dict(best)
    for _ in range(min(terms.actions, len(places))):
        longer: dict[int, Taken] = {}
        for done, so_far in best.items():
            for chosen, (units, power) in single.items():
                if not done & chosen and so_far.power + power <= terms.power:
                    taken = extended(so_far, places, chosen, units, power)
                    known = longer.get(done | chosen)
                    if known is None or taken.power < known.power:
                        longer[done | chosen] = taken
        best = longer
        for done, taken in longer.items():
            if done not in found or taken.power < found[done].power:
                found[done] = taken
    return list(found.values())


def members(places: tuple[Place, ...], chosen: int) -> tuple[int, ...]:
    """The places in a set."""
    return tuple(place for place in range(len(places)) if chosen >> place & 1)


def one_action(army: Army, places: tuple[Place, ...], chosen: int) -> tuple[int, int] | None:
    """Units and power that take a set of provinces in one action; None if it cannot be done."""
    wanted = [places[place] for place in members(places, chosen)]
    if not all(place.open for place in wanted):
        return None
    units = units_for(army, sum(place.need for place in wanted))
    return None if units is None else (units, units + sum(place.power for place in wanted))


def extended(so_far: Taken, places: tuple[Place, ...], chosen: int, units: int, power: int) -> Taken:
    """A plan with one more action."""
    more = members(places, chosen)
    return Taken(
        so_far.provinces + more,
        so_far.value + sum(places[place].value for place in more),
        so_far.power + power,
        so_far.actions + 1,
        (*so_far.steps, (units, more)),
    )


def places_of(provinces: Sequence[Besieged], mentality: DefensiveMentality, ships_facing: bool) -> list[Place]:
    """Provinces as a player realm besieges them (step 1)."""
    return [
        Place(
            TAX_VALUE[province.size],
            TAX_VALUE[province.size] + (mentality.strength if province.defensive_mentality else 0),
            mentality.power if province.defensive_mentality else 0,
            ships_facing or not province.island,
        )
        for province in provinces
    ]


def rebels_take(units: int, provinces: Sequence[Besieged]) -> Taken:
    """Rebels: large provinces with unrest, then small ones, as listed, while their units last (step 4)."""
    taken: list[int] = []
    left = units
    for size in ("large", "small"):
        for place, province in enumerate(provinces):
            if province.size == size and province.unrest and TAX_VALUE[size] <= left:
                left -= TAX_VALUE[size]
                taken.append(place)
    if not taken:
        return Taken()
    return Taken(tuple(taken), units - left, 0, 1, ((units, tuple(taken)),))


def army_of(side: Any) -> Army:
    """Units of the besieger."""
    return Army(side.infantry, side.cavalry, side.artillery)


def plan_of(fields: Any) -> Taken:
    """What is taken in a siege scenario."""
    side, provinces = fields.attacker, fields.defender.provinces
    if side.kind == "rebels":
        return rebels_take(side.infantry, provinces)
    places = places_of(provinces, fields.options.defensive_mentality, side.ships_facing)
    terms = Terms(side.military_power, fields.conditions.actions, fields.policy.attacker.plan)
    return best_plan(army_of(side), places, terms)


def siege_winner(taken: int, listed: int) -> int:
    """The attacker takes every province, the defender keeps every one, else nobody wins."""
    return ATTACKER if taken == listed else DEFENDER if taken == 0 else NOBODY


def check(fields: Any) -> None:
    """Refuse a siege that cannot be."""
    side = fields.attacker
    if side.kind == "rebels":
        for unit in ("cavalry", "artillery"):
            if getattr(side, unit):
                raise Refusal(f"attacker.{unit}", f"{getattr(side, unit)} is not allowed; rebels have only infantry")
    if not any(army_of(side)):
        raise Refusal("attacker", "no units; give at least one")
    if fields.conditions.enemy_units:
        raise Refusal(
            "conditions.enemy_units", f"{fields.conditions.enemy_units} is not allowed; fight them first, it must be 0"
        )


def answer(fields: Any, _: Run) -> Outcomes:
    """The one row of a siege."""
    taken = plan_of(fields)
    army = army_of(fields.attacker)
    return certain(
        winner=siege_winner(len(taken.provinces), len(fields.defender.provinces)),
        provinces_taken=len(taken.provinces),
        value_taken=taken.value,
        power_spent=taken.power,
        actions_used=taken.actions,
        siege_strength=strength(army, sum(army)),
    )


def assumptions(fields: Any) -> list[str]:
    """What the answer rests on."""
    lines = [] if fields.attacker.kind == "rebels" else [f"plan: {fields.policy.attacker.plan}"]
    return lines + mentality_lines(fields.options.defensive_mentality, fields.defender.provinces)


def mentality_lines(mentality: DefensiveMentality, provinces: Sequence[Besieged]) -> list[str]:
    """Defensive Mentality, if any province has it."""
    if not any(province.defensive_mentality for province in provinces):
        return []
    return [
        f"Defensive Mentality: {mentality.strength} more strength, {mentality.power} more power for each province"
        " (ASSUMED)"
    ]


def explain(fields: Any) -> list[str]:
    """The plan, step by step, and what each province becomes."""
    taken = plan_of(fields)
    provinces = fields.defender.provinces
    if not taken.provinces:
        return ["Nothing can be taken."]
    lines = []
    for number, (units, places) in enumerate(taken.steps, 1):
        names = ", ".join(province_name(provinces, place) for place in places)
        lines.append(f"Action {number}: {units_text(fields, units)} take {names}.")
    lines.append(f"In all {taken.power} military power; tax value {taken.value} taken.")
    if fields.attacker.kind == "player":
        lines += BECOMES
    return lines


BECOMES = (
    "A province of an NPR or a hostile realm gets your town in unrest; a rebel town goes with its unrest.",
    "Occupied by your enemy: the occupier's town goes home if the rightful owner is friendly or neutral, else your"
    " town replaces it.",
    "Ships in a taken port must put to sea, which may start a naval battle.",
)


def province_name(provinces: Sequence[Besieged], place: int) -> str:
    """A province by its name, else by its size and place, with its status."""
    province = provinces[place]
    name = province.name or f"the {province.size} province {place + 1}"
    return f"{name} ({province.status})" if province.status else name


def units_text(fields: Any, units: int) -> str:
    """The units chosen: artillery first, then infantry, then cavalry."""
    army, parts = army_of(fields.attacker), []
    for kind in ("artillery", "infantry", "cavalry"):
        chosen = min(getattr(army, kind), units)
        units -= chosen
        if chosen:
            parts.append(f"{chosen} {kind}")
    return " and ".join(parts)
