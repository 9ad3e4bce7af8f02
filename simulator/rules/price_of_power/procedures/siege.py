"""Sieges: the provinces taken and their price, without dice (docs/rules/price_of_power.md section 5)."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from operator import add
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from simulator.rules.battle import ATTACKER, Both, Built, Fields, Frame, certain
from simulator.rules.price_of_power.model import UnitCount
from simulator.rules.price_of_power.procedures.npr_defence import TAX_VALUE
from simulator.rules.toolkit.policies import refuse, refuse_if
from simulator.rules.toolkit.sheets import lines_of

Plan = Literal["most-value", "most-provinces", "cheapest-one", "fastest"]
Power = Annotated[int, Field(ge=0, le=99)]
Actions = Annotated[int, Field(ge=1, le=10)]
BECOMES = (
    "A province of an NPR or a hostile realm gets your town in unrest; a rebel town goes with its unrest.",
    "Occupied by your enemy: the occupier's town goes home if the rightful owner is friendly or neutral, else your"
    " town replaces it.",
    "Ships in a taken port must put to sea, which may start a naval battle.",
)

RESULTS = {
    "everything is taken": "all_taken",
    "a part is taken": "provinces_taken > 0 and not all_taken",
    "nothing is taken": "provinces_taken == 0",
}


class Besieged(Fields):
    """A province under siege."""

    page = "name, size"
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


class BesiegedArea(Fields):
    """The provinces of the area."""

    provinces: Annotated[list[Besieged], Field(min_length=1, max_length=8)] = Field(description="provinces besieged")


class SiegeConditions(Fields):
    """Conditions of a siege."""

    page = "actions"
    actions: Actions = Field(1, description="siege actions (turns) allowed")
    enemy_units: int = Field(0, ge=0, le=60, description="enemy units in the area; there must be none")


class SiegePolicy(Fields):
    """The aim of the besieger."""

    plan: Plan = Field(
        "most-value",
        description="most tax value, most provinces, the cheapest that takes something, or most value in fewest turns",
    )


Provinces = Sequence[Besieged]
SiegePolicies = Both[SiegePolicy, Fields]


class DefensiveMentality(Fields):
    """Effect of Defensive Mentality (ASSUMED: one more strength for each province)."""

    strength: int = Field(1, ge=0, le=20, description="more siege strength needed for each province")
    power: int = Field(0, ge=0, le=20, description="more military power for each province")


class SiegeOptions(Fields):
    """Options of a siege."""

    defensive_mentality: DefensiveMentality = Field(DefensiveMentality(), description="what the idea does (ASSUMED)")


class Siege(Frame):
    """The provinces that a siege takes, and their price (no dice)."""

    game: Literal["price-of-power"]
    battle: Literal["siege"]
    attacker: Besieger = Field(description="the besieging army")
    defender: BesiegedArea = Field(description="the provinces besieged")
    conditions: SiegeConditions = Field(SiegeConditions(), description="conditions of the siege")
    policy: SiegePolicies = Field(SiegePolicies(), description="what is wanted")
    options: SiegeOptions = Field(SiegeOptions(), description="numbers that can be changed")


class Taken(NamedTuple):
    """A plan: the provinces taken (places in the list), their value, the power and actions it costs, and its steps.

    A step is the number of units chosen and the provinces taken with them.
    """

    provinces: tuple[int, ...] = ()
    value: int = 0
    power: int = 0
    actions: int = 0
    steps: tuple[tuple[int, tuple[int, ...]], ...] = ()


@cache
def half_strengths() -> dict[str, int]:
    """Twice the siege strength of each type of unit, the strongest first (data/units.csv)."""
    rows = {row["unit"]: row["siege_strength"] for row in lines_of("simulator.rules.price_of_power", "units")}
    return {unit: int(2 * float(rows[unit])) for unit in ("artillery", "infantry", "cavalry")}


def strongest_first(army: Besieger) -> list[str]:
    """The type of each unit."""
    return [unit for unit in half_strengths() for _ in range(getattr(army, unit))]


@lru_cache(maxsize=64)
def strengths(army: Besieger) -> list[int]:
    """Strength of the strongest 0, 1, 2, ... units, each total rounded down (step 2)."""
    return [total // 2 for total in accumulate(map(half_strengths().__getitem__, strongest_first(army)), initial=0)]


def best_plan(side: Besieger, provinces: Provinces, plan: Plan, actions: int, mentality: DefensiveMentality) -> Taken:
    """The best plan within the actions and the military power given (step 3).

    Of equally good plans it is the one that takes the provinces listed first.
    """
    order: Callable[[Taken], tuple[int, ...]] = {
        "most-value": lambda taken: (-taken.value, -len(taken.provinces), taken.power, taken.actions),
        "most-provinces": lambda taken: (-len(taken.provinces), -taken.value, taken.power, taken.actions),
        "cheapest-one": lambda taken: (
            not taken.provinces, taken.power, -taken.value, taken.actions, -len(taken.provinces)
        ),
        "fastest": lambda taken: (-taken.value, -len(taken.provinces), taken.actions, taken.power),
    }[plan]  # fmt: skip
    every = range(len(provinces))
    found = plans(side, provinces, actions, mentality)
    return min(found, key=lambda taken: (order(taken), [place not in taken.provinces for place in every]))


def plans(side: Besieger, provinces: Provinces, actions: int, mentality: DefensiveMentality) -> list[Taken]:
    """For each set of provinces and number of actions the plan of least power, within the power given.

    Plans that take more actions and no less power than another for the same set are left out.
    """
    every = (1 << len(provinces)) - 1
    single = {chosen: one_action(side, provinces, chosen, mentality) for chosen in range(1, every + 1)}
    found, last, least = [Taken()], {0: Taken()}, {0: 0}
    for _ in range(min(actions, len(provinces))):
        longer = dict[int, Taken]()
        for done, so_far in last.items():
            chosen = rest = every & ~done
            while chosen:
                step, wanted = single[chosen], done | chosen
                power = so_far.power + (step.power if step else 0)
                if step and power <= side.military_power and power < least.get(wanted, power + 1):
                    longer[wanted], least[wanted] = Taken(*map(add, so_far, step)), power
                chosen = (chosen - 1) & rest
        found += longer.values()
        last = longer
    return found


def one_action(side: Besieger, provinces: Provinces, chosen: int, mentality: DefensiveMentality) -> Taken | None:
    """The plan that takes a set of provinces in one action with the fewest units; None if no units suffice (step 1)."""
    members = tuple(place for place in range(len(provinces)) if chosen >> place & 1)
    wanted, strength = [provinces[place] for place in members], strengths(side)
    value, held = sum(province.value for province in wanted), sum(province.defensive_mentality for province in wanted)
    units = bisect_left(strength, value + held * mentality.strength)
    if units == len(strength) or (any(province.island for province in wanted) and not side.ships_facing):
        return None
    return Taken(members, value, units + held * mentality.power, 1, ((units, members),))


def rebels_take(units: int, provinces: Provinces) -> Taken:
    """Rebels take large provinces with unrest, then small ones, as listed, while their units last (step 4)."""
    left, taken = units, tuple[int, ...]()
    for place, province in sorted(enumerate(provinces), key=lambda listed: -listed[1].value):
        if province.unrest and province.value <= left:
            left, taken = left - province.value, (*taken, place)
    return Taken(taken, units - left, 0, 1, ((units, taken),)) if taken else Taken()


def check(fields: Siege) -> None:
    """Refuse a siege that the rules do not allow. Raises Refusal."""
    side, enemy = fields.attacker, fields.conditions.enemy_units
    for unit in ("cavalry", "artillery"):
        number = side.kind == "rebels" and getattr(side, unit)
        refuse_if(number, f"attacker.{unit}", number, "rebels have only infantry")
    refuse(not strongest_first(side), "attacker", "no units; give at least one")
    refuse_if(enemy, "conditions.enemy_units", enemy, "fight them first, it must be 0")


def build(fields: Siege) -> Built:
    """The row of a siege, and its plan."""
    side, provinces, plan = fields.attacker, fields.defender.provinces, fields.policy.attacker.plan
    mentality, after = fields.options.defensive_mentality, [f"plan: {plan}"] if side.kind == "player" else []
    if after:
        taken = best_plan(side, provinces, plan, fields.conditions.actions, mentality)
    else:
        taken = rebels_take(side.infantry, provinces)
    return Built(
        answer=lambda run: certain(
            winner=ATTACKER,  # his units remain in the area, whatever is taken
            provinces_taken=len(taken.provinces),
            value_taken=taken.value,
            power_spent=taken.power,
            actions_used=taken.actions,
            siege_strength=strengths(side)[-1],
            all_taken=len(taken.provinces) == len(provinces),
            **{f"taken_{place + 1}": place in taken.provinces for place in range(len(provinces))},
        ),
        assumptions=lambda: after + mentality_lines(mentality, provinces),
        explain=lambda: [*explained(fields, taken), *(BECOMES if taken.provinces and after else ())],
    )


def mentality_lines(mentality: DefensiveMentality, provinces: Provinces) -> list[str]:
    """A line for Defensive Mentality, if any province has it."""
    more = f"{mentality.strength} more strength, {mentality.power} more power for each province"
    used = any(province.defensive_mentality for province in provinces)
    return [f"Defensive Mentality: {more} (ASSUMED)"] if used else []


def explained(fields: Siege, taken: Taken) -> Iterator[str]:
    """Lines for the steps of a plan: the units of each (artillery, infantry, cavalry), the provinces by name."""
    for number, (units, places) in enumerate(taken.steps, 1):
        wanted = [(place, fields.defender.provinces[place]) for place in places]
        names = [province.name or f"the {province.size} province {place + 1}" for place, province in wanted]
        taken_names = [f"{name} ({p.status})" if p.status else name for name, (_, p) in zip(names, wanted, strict=True)]
        parts = [f"{own} {unit}" for unit, own in Counter(strongest_first(fields.attacker)[:units]).items()]
        yield f"Action {number}: {' and '.join(parts)} take {', '.join(taken_names)}."
    spent = f"In all {taken.power} military power; tax value {taken.value} taken."
    yield spent if taken.steps else "Nothing can be taken."
