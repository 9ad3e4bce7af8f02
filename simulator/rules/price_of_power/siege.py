"""What a siege can take and at what price, without dice (docs/rules/price_of_power.md section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import add
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Built, Fields, certain
from simulator.rules.price_of_power.model import UnitCount
from simulator.rules.price_of_power.npr_defence import TAX_VALUE, Empty
from simulator.rules.toolkit.policies import refuse, refuse_if
from simulator.rules.toolkit.sheets import lines_of

Plan = Literal["most-value", "most-provinces", "cheapest-one"]
Power = Annotated[int, Field(ge=0, le=99)]
Actions = Annotated[int, Field(ge=1, le=10)]
BECOMES = (
    "A province of an NPR or a hostile realm gets your town in unrest; a rebel town goes with its unrest.",
    "Occupied by your enemy: the occupier's town goes home if the rightful owner is friendly or neutral, else your"
    " town replaces it.",
    "Ships in a taken port must put to sea, which may start a naval battle.",
)


class Besieged(Fields):
    """A province under siege."""

    name: str = Field("", description="name of the province")
    size: Literal["small", "large"] = Field("small", description="small: tax value 1, large: 2")
    island: bool = Field(False, description="an island: needs a ship in a sea zone that its port faces")
    defensive_mentality: bool = Field(False, description="its owner has Defensive Mentality")
    unrest: bool = Field(True, description="has unrest: rebels take only such provinces")
    status: str = Field("", description="free label, e.g. occupied by France")

    @property
    def value(self) -> int:
        """Tax value (step 1)."""
        return TAX_VALUE[self.size]


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


class SiegePolicies(Fields):
    """Policies of both sides."""

    attacker: SiegePolicy = Field(SiegePolicy(), description="the besieger's decisions")
    defender: Empty = Field(Empty(), description="nothing to decide")


class DefensiveMentality(Fields):
    """What Defensive Mentality does (ASSUMED: one more strength for each province)."""

    strength: int = Field(1, ge=0, le=20, description="more siege strength needed for each province")
    power: int = Field(0, ge=0, le=20, description="more military power for each province")


class SiegeOptions(Fields):
    """Numbers of a siege that can be changed."""

    defensive_mentality: DefensiveMentality = Field(DefensiveMentality(), description="what the idea does (ASSUMED)")


class Siege(Fields):
    """What a siege can take, at what price (no dice)."""

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


class Terms(NamedTuple):
    """What a player realm may spend and wants, whether its ships face the islands' ports, what the idea does."""

    power: int
    actions: int
    plan: Plan
    ships_facing: bool
    mentality: DefensiveMentality


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
def half_strengths() -> tuple[int, ...]:
    """Twice the siege strength of infantry, cavalry and artillery (data/units.csv)."""
    rows = {row["unit"]: row["siege_strength"] for row in lines_of(__package__, "units")}
    return tuple(int(2 * float(rows[unit])) for unit in Army._fields)


def strengths(army: Army) -> list[int]:
    """Strength of the best 0, 1, 2, ... units: the strongest first, the total rounded down (step 2)."""
    halves = sorted((h for h, number in zip(half_strengths(), army, strict=True) for _ in range(number)), reverse=True)
    return [sum(halves[:units]) // 2 for units in range(len(halves) + 1)]


def best_plan(army: Army, provinces: Sequence[Besieged], terms: Terms) -> Taken:
    """The best plan over at most so many actions and so much power (step 3); equals differ in no number."""
    order = {
        "most-value": lambda taken: (-taken.value, -len(taken.provinces), taken.power, taken.actions),
        "most-provinces": lambda taken: (-len(taken.provinces), -taken.value, taken.power, taken.actions),
        "cheapest-one": lambda taken: (
            not taken.provinces, taken.power, -taken.value, taken.actions, -len(taken.provinces)
        ),
    }[terms.plan]  # fmt: skip
    return min(plans(army, provinces, terms), key=order)


def plans(army: Army, provinces: Sequence[Besieged], terms: Terms) -> list[Taken]:
    """The least power, then the fewest actions, for each set of provinces, as far as power allows."""
    every, strength = (1 << len(provinces)) - 1, strengths(army)
    single = {chosen: one_action(strength, provinces, chosen, terms) for chosen in range(1, every + 1)}
    found = {0: Taken()}
    for used in range(min(terms.actions, len(provinces))):
        for done, so_far in [*found.items()]:
            chosen = rest = every & ~done if so_far.actions == used else 0
            while chosen:
                step, known = single[chosen], found.get(done | chosen)
                power = so_far.power + (step.power if step else 0)
                if step and power <= terms.power and (known is None or power < known.power):
                    found[done | chosen] = Taken(*map(add, so_far, step))
                chosen = (chosen - 1) & rest
    return list(found.values())


def one_action(strength: list[int], provinces: Sequence[Besieged], chosen: int, terms: Terms) -> Taken | None:
    """A set of provinces taken in one action, by the fewest units that are enough; None if they cannot (step 1)."""
    members = tuple(place for place in range(len(provinces)) if chosen >> place & 1)
    wanted = [provinces[place] for place in members]
    value, held = sum(province.value for province in wanted), sum(province.defensive_mentality for province in wanted)
    need = value + held * terms.mentality.strength
    units = next((number for number in range(1, len(strength)) if strength[number] >= need), None)
    if units is None or (any(province.island for province in wanted) and not terms.ships_facing):
        return None
    return Taken(members, value, units + held * terms.mentality.power, 1, ((units, members),))


def rebels_take(units: int, provinces: Sequence[Besieged]) -> Taken:
    """Rebels: large provinces with unrest, then small ones, as listed, while their units last (step 4)."""
    taken: list[int] = []
    left = units
    for size in ("large", "small"):
        for place, province in enumerate(provinces):
            if province.size == size and province.unrest and province.value <= left:
                left -= province.value
                taken.append(place)
    return Taken(tuple(taken), units - left, 0, 1, ((units, tuple(taken)),)) if taken else Taken()


def siege_winner(taken: int, listed: int) -> int:
    """The attacker takes every province, the defender keeps every one, else nobody wins."""
    return ATTACKER if taken == listed else DEFENDER if taken == 0 else NOBODY


def check(fields: Siege) -> None:
    """Refuse a siege that cannot be."""
    side, enemy = fields.attacker, fields.conditions.enemy_units
    for unit in ("cavalry", "artillery"):
        number = side.kind == "rebels" and getattr(side, unit)
        refuse_if(number, f"attacker.{unit}", number, "rebels have only infantry")
    refuse(not side.infantry + side.cavalry + side.artillery, "attacker", "no units; give at least one")
    refuse_if(enemy, "conditions.enemy_units", enemy, "fight them first, it must be 0")


def build(fields: Siege) -> Built:
    """The one row of a siege, and its plan."""
    side, provinces = fields.attacker, fields.defender.provinces
    mentality, plan = fields.options.defensive_mentality, fields.policy.attacker.plan
    army = Army(side.infantry, side.cavalry, side.artillery)
    if side.kind == "rebels":
        taken = rebels_take(side.infantry, provinces)
    else:
        terms = Terms(side.military_power, fields.conditions.actions, plan, side.ships_facing, mentality)
        taken = best_plan(army, provinces, terms)
    after = [f"plan: {plan}"] if side.kind == "player" else []
    return Built(
        answer=lambda run: certain(
            winner=siege_winner(len(taken.provinces), len(provinces)),
            provinces_taken=len(taken.provinces),
            value_taken=taken.value,
            power_spent=taken.power,
            actions_used=taken.actions,
            siege_strength=strengths(army)[-1],
        ),
        assumptions=lambda: after + mentality_lines(mentality, provinces),
        explain=lambda: [*explained(army, taken, provinces), *(BECOMES if taken.provinces and after else ())],
    )


def mentality_lines(mentality: DefensiveMentality, provinces: Sequence[Besieged]) -> list[str]:
    """Defensive Mentality, if any province has it."""
    if not any(province.defensive_mentality for province in provinces):
        return []
    more = f"{mentality.strength} more strength, {mentality.power} more power for each province"
    return [f"Defensive Mentality: {more} (ASSUMED)"]


def explained(army: Army, taken: Taken, provinces: Sequence[Besieged]) -> Iterator[str]:
    """The plan, step by step: the units of each (artillery, infantry, cavalry), the provinces by name."""
    if not taken.provinces:
        yield "Nothing can be taken."
        return
    for number, (units, places) in enumerate(taken.steps, 1):
        names, parts = [], []
        for place in places:
            province = provinces[place]
            name = province.name or f"the {province.size} province {place + 1}"
            names.append(f"{name} ({province.status})" if province.status else name)
        left = units
        for kind in ("artillery", "infantry", "cavalry"):
            chosen = min(getattr(army, kind), left)
            left -= chosen
            parts += [f"{chosen} {kind}"] if chosen else []
        yield f"Action {number}: {' and '.join(parts)} take {', '.join(names)}."
    yield f"In all {taken.power} military power; tax value {taken.value} taken."
