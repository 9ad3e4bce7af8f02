"""Attrition of stacks and fleets (docs/rules/europa_naval_and_other.md section 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from simulator.engine.model.chance import seen_as
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Built, offered
from simulator.rules.europa.procedures.attrition_model import (
    Attrition,
    CountryConditions,
    TravelConditions,
    VoyageConditions,
    check_attrition,
)
from simulator.rules.europa.shared.fleets import (
    LAW,
    Afloat,
    cargo_of,
    fleet_of,
    hold_of,
    loss_order,
    ships_left,
    stormed,
)
from simulator.rules.europa.shared.land_model import FORAGERS
from simulator.rules.europa.shared.losses import GARRISON, PILLAGE_SIDES, Pillaging, attrition_by, clamped
from simulator.rules.europa.shared.modifiers import Bonus, sum_of
from simulator.rules.europa.shared.procedure import Draw, Following, Roll, built
from simulator.rules.europa.shared.stacks import LD, detachments, size_of
from simulator.rules.europa.tables import Book, book

MASSED, MASSED_WITHOUT_LOGISTICS = 6 * LD, 3 * LD
FAR, SLOW = 6, 3


class Suffering(NamedTuple):
    """Attrition so far: the modified die that is read next, or what is left at the end."""

    modified: int | None = None
    end: Any = None


def following(
    roll: Roll, losses: Callable[[int], Mapping[Any, float]], text: Callable[[Any], str]
) -> Callable[[Suffering], Following]:
    """The rolls of any attrition: a die, then coins for what is left by `losses(modified)`, in words `text(end)`."""

    def follow(state: Suffering) -> Following:
        if state.end is not None:
            return None
        if state.modified is None:
            return roll
        weights = {Suffering(end=end): weight for end, weight in losses(state.modified).items()}
        return Draw(weights, lambda after, _: text(after.end))

    return follow


# --- troops ---


class Marched(NamedTuple):
    """Troops after attrition."""

    left: int
    pillage: bool = False
    foraging: bool = False


class March(NamedTuple):
    """How troops suffer: `habit` is what they do with a P, None outside Europe; do they forage after a pillage?"""

    book: Book
    habit: Pillaging | None
    forages: bool

    def after(self, thirds: int, modified: int) -> Counter[Marched]:
        """What is left after a modified die, with weights."""

        def read(result: int) -> Marched:
            left, sides = divmod(result, PILLAGE_SIDES)
            return Marched(left, sides > 0, sides > 0 and self.forages)

        return seen_as(attrition_by(self.book, thirds, 0, modified, self.habit), read)


def march_of(book: Book, region: str, habit: Pillaging, can_pillage: bool, moving: bool) -> March:
    """How troops with this technology and policy suffer in a region; where no pillage can be placed they lose 1 LD."""
    forages = can_pillage and moving and habit.technology in FORAGERS and habit.policy == "pillage"
    return March(book, (habit if can_pillage else GARRISON) if region == "europe" else None, forages)


def of_the_country(
    conditions: CountryConditions, manoeuvre: int, straits: int, revolts: tuple[int, int]
) -> list[Bonus]:
    """Modifiers of supply and of movement on land alike."""
    return [
        Bonus(2 * conditions.no_supply_line, "no supply line"),
        Bonus(2 * conditions.enemy_province, "enemy province"),
        Bonus(-manoeuvre, "manoeuvre"),
        Bonus(straits, "closed straits"),
        Bonus(conditions.pillages_minus, "PILLAGE-"),
        Bonus(2 * conditions.pillages_plus, "PILLAGE+"),
        Bonus(revolts[0], "REVOLT-"),
        Bonus(2 * revolts[1], "REVOLT+"),
        Bonus(conditions.cold, "cold"),
    ]


def movement_causes(thirds: int, pashas: int, conditions: TravelConditions, landing: bool, draft: bool) -> list[str]:
    """Causes of attrition on the march; the massed force comes first."""
    least = MASSED_WITHOUT_LOGISTICS if conditions.no_logistics else MASSED
    slow = conditions.no_logistics if draft else conditions.bad_weather
    causes = {
        "massed force": thirds >= least or pashas >= 2,
        f"{FAR} or more movement points": conditions.mp >= FAR,
        f"{SLOW} or more movement points {'without logistics' if draft else 'in bad weather'}": (
            conditions.mp >= SLOW and slow
        ),
        "embarks or lands outside a controlled port": landing,
    }
    return [name for name, holds in causes.items() if holds]


def of_the_march(causes: list[str], rest: list[Bonus], between: bool = False) -> list[Bonus]:
    """Modifiers of attrition on the march: +2 for each cause beyond the first. Empty where none is rolled."""
    if not causes or (between and causes == ["massed force"]):
        return []
    return [Bonus(2 * max(0, len(causes) - 1), f"causes beyond the first of: {', '.join(causes)}"), *rest]


def on_land(fields: Attrition) -> list[Bonus]:
    """Modifiers of the attrition of a stack on land. Empty where none is rolled."""
    side, conditions = fields.attacker, fields.conditions
    own = size_of(side) - LD * side.pasha_detachments
    if conditions.procedure == "siege":
        return [
            Bonus(-side.siege, "own siege value"),
            Bonus(conditions.enemy_siege, "siege value of the enemy"),
            Bonus(-3 * conditions.unblockaded_port, "open port"),
            Bonus(conditions.siegeworks_minus, "siegeworks-"),
            Bonus(3 * conditions.siegeworks_plus, "siegeworks+"),
        ]
    revolts = conditions.revolts_minus, conditions.revolts_plus
    rest = of_the_country(conditions, side.manoeuvre, conditions.strait_drm, revolts)
    if conditions.procedure == "movement-land":
        draft = fields.options.movement_causes == "draft"
        causes = movement_causes(own, side.pashas, conditions, conditions.landing_without_port, draft)
        return of_the_march(causes, rest, conditions.between_interceptions)
    if not conditions.causes and not conditions.no_supply_line:
        return []
    massed = own >= MASSED or side.pashas >= 2
    more = [Bonus(2 * max(0, conditions.causes - 1), "causes beyond the first"), Bonus(2 * massed, "massed force")]
    return more + rest


def build_on_land(fields: Attrition) -> Built:
    """Everything that answers attrition on land."""
    side, conditions, thirds = fields.attacker, fields.conditions, size_of(fields.attacker)
    modifiers, habit = on_land(fields), Pillaging(side.technology or "musket", fields.policy.attacker.pillage)
    can_pillage = conditions.pillage_possible and conditions.procedure != "siege"
    moving = conditions.procedure == "movement-land"
    march = march_of(book(fields.options.tables), conditions.region, habit, can_pillage, moving)
    roll = Roll(
        "attrition",
        "4",
        modifiers,
        lambda _, modified: Suffering(clamped(modified)),
        lambda shown, _: f"Attrition: {shown}.",
    )

    def text(end: Marched) -> str:
        rest = " A pillage is placed." * end.pillage + " It forages." * end.foraging
        return f"{detachments(thirds - end.left)} lost, {detachments(end.left)} left.{rest}"

    def columns(state: Suffering) -> dict[str, object]:
        left, pillage, foraging = state.end
        return {
            "winner": ATTACKER if left == thirds else NOBODY if left else DEFENDER,
            "attacker_left_thirds": left,
            "attacker_losses_thirds": thirds - left,
            "pillage_placed": pillage,
            "foraging": foraging,
            "rolled": bool(modifiers),
            "modifier": sum_of(modifiers),
        }

    assumptions = [
        f"{conditions.procedure} of {detachments(thirds)}, {habit.technology}, in {conditions.region}",
        f"P: {habit.policy}{'' if can_pillage else ', no pillage possible: 1 LD'}",
        f"movement causes: {fields.options.movement_causes} (movement_causes)",
    ]
    start = Suffering() if modifiers else Suffering(end=Marched(thirds))
    follow = following(roll, lambda die: march.after(thirds, die), text)
    return built(start, follow, columns, assumptions, roll.why() if modifiers else [f"no reason to roll ({LAW} 4)"])


# --- fleets ---


class Voyager(NamedTuple):
    """The fleet itself, as far as attrition at sea depends on it."""

    warships: bool
    technology: str
    counters: int
    manoeuvre: int
    siege: int


def weather_of(technology: str) -> Bonus:
    """How a technology bears storms."""
    value = {"battery": -1, "vessel": -2, "three-decker": -2, "seventy-four": -3}.get(technology, 0)
    return Bonus(value, f"technology {technology}")


def of_the_voyage(fleet: Voyager, conditions: VoyageConditions, end_of_turn: bool) -> list[Bonus]:
    """Modifiers of attrition at sea."""
    counters, zones, distance = fleet.counters, conditions.zones_entered, conditions.supply_distance
    by_zones = zones // 4 if counters <= 1 else 2 * (zones // 2) if counters == 2 else 4 * (zones // 2)
    far = 9 if distance >= 6 else 6 if distance >= 3 else 3 if distance == 2 else 0
    return [
        Bonus(-6, "at sea"),
        Bonus(-fleet.manoeuvre, "manoeuvre"),
        Bonus(conditions.strait_drm, "closed straits"),
        Bonus(conditions.malus, "malus of the zones"),
        Bonus(conditions.sea_difficulty, "difficulty of the sea"),
        Bonus(int(fleet.technology == "carrack" and fleet.warships), "carracks"),
        weather_of(fleet.technology),
        Bonus(2 * conditions.bad_weather, "bad weather"),
        Bonus(by_zones, f"{zones} zones with {counters} FLEET counters"),
        Bonus(-int(counters >= 2 and conditions.arsenal_to_arsenal), "from arsenal to arsenal"),
        Bonus(far, f"{distance} zones from port"),
        Bonus(conditions.corsairs_minus, "corsair-"),
        Bonus(2 * conditions.corsairs_plus, "corsair+"),
        Bonus(-fleet.siege if conditions.blockading else 0, "siege value of the blockade"),
        Bonus(-(-conditions.fortress_level // 2) if conditions.blockading else 0, "blockaded fortress"),
        Bonus(2 * conditions.works_crossed, "works crossed"),
        Bonus(2 * int(end_of_turn and conditions.end_of_turn_at_sea), "stays at sea at the end of the turn"),
    ]


def build_at_sea(fields: Attrition) -> Built:
    """Everything that answers attrition at sea."""
    side, conditions, tables = fields.attacker, fields.conditions, book(fields.options.tables)
    start, technology = Afloat(fleet_of(side), cargo_of(side)), side.technology or "nao-galleon"
    order = loss_order(fields.policy.attacker.losses, bool(start.cargo))
    hold, percents = hold_of(side, conditions, tables), tables.attrition_percent
    counters = side.fleets_minus + side.fleets_plus
    voyager = Voyager(bool(start.fleet.warships), technology, counters, side.manoeuvre, side.siege)
    roll = Roll(
        "attrition at sea",
        "4",
        of_the_voyage(voyager, conditions, fields.options.end_of_turn_plus_two),
        lambda _, modified: Suffering(clamped(modified)),
        lambda shown, after: f"Attrition at sea: {shown}: {percents[after.modified]} % lost.",
    )

    def losses(modified: int) -> Counter[Afloat]:
        return stormed(tables, start, percents[modified], order, hold)

    def columns(state: Suffering) -> dict[str, object]:
        left, aboard = state.end
        return {
            "winner": ATTACKER if state.end == start else NOBODY if left.thirds else DEFENDER,
            **ships_left("attacker", left),
            "attacker_losses_thirds": start.fleet.thirds - left.thirds,
            "attacker_troops_left_thirds": aboard.troops,
            "attacker_gold_left": aboard.gold,
            "modifier": roll.total,
        }

    assumptions = [
        f"a voyage of {start.fleet.text()}, {technology}; losses: {' then '.join(order)}",
        "gold lost in a storm is rounded down to ducats left (ASSUMED)",
        "1 third lost of a galley or transport is left alone, 2 thirds are a ship",
    ]
    follow = following(roll, losses, lambda end: f"Left: {end.fleet.text()}.")
    return built(Suffering(), follow, columns, assumptions, roll.why())


def build_attrition(fields: Attrition) -> Built:
    """Everything that answers an attrition roll."""
    return build_at_sea(fields) if fields.conditions.procedure == "movement-sea" else build_on_land(fields)


ATTRITION = offered(
    Attrition,
    check=check_attrition,
    build=build_attrition,
    results={
        "nothing is lost": "winner == 'attacker'",
        "a part is lost": "winner == 'nobody'",
        "all is lost": "winner == 'defender'",
        "a pillage is placed": "pillage_placed",
        "the stack forages": "foraging",
    },
    headline=(
        "attacker_losses_thirds",
        "attacker_left_thirds",
        "attacker_warships_left",
        "attacker_transports_left",
        "attacker_troops_left_thirds",
    ),
)
